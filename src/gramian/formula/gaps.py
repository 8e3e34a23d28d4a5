"""How far apart two objects are in feature space, written so that near ones keep their digits.

    ‖φ(x) − φ(z)‖² = κ(x, x) + κ(z, z) − 2 κ(x, z)

loses all digits where x is near z: for a Gaussian and points 10⁻⁸ apart 1 − κ is 5·10⁻¹⁷, a rounding of 1. Half of it,
the gap of an expression, can often be written without the difference: ½‖x − z‖² for xᵀz, −expm1(u) for exp u where
u(x, x) = 0.
"""

from __future__ import annotations

from dataclasses import replace

from gramian.formula import expression as ex
from gramian.formula.expression import Formula


def gap(f: Formula) -> Formula | None:
    """Return (f(x, x) + f(z, z))/2 − f(x, z) without a difference of large numbers; None where no such form is known.

    >>> gap(ex.SquaredDistance(bandwidth=2.0, factor=-0.5).exp() * 3 + ex.Dot())
    expm1(-0.5 ‖x − z‖²/2.0²) * -1 * 3 + 0.5 ‖x − z‖²/1.0²
    """
    match f:
        case ex.Dot(part=part):
            return ex.SquaredDistance(part=part, bandwidth=1.0, factor=0.5, smooth=False)
        case ex.Exp(exponent) if _vanishes(exponent):
            return -_sharp(exponent).expm1()
        case ex.Plus(left, ex.Number()) | ex.Plus(ex.Number(), left):
            return gap(left)
        case ex.Plus(left, right):
            one, other = gap(left), gap(right)
            return None if one is None or other is None else one + other
        case ex.Times(left, ex.Number(value)) if value > 0:
            inner = gap(left)
            return None if inner is None else inner * value
        case ex.Times(left, right):
            one, other, a, b = gap(left), gap(right), _at_itself(left), _at_itself(right)
            if one is None or other is None or a is None or b is None:
                return None
            return _times(one, b) + _times(other, a) - one * other
    return None


def _times(f: Formula, factor: float) -> Formula:
    return f if factor == 1 else f * factor


def _vanishes(f: Formula) -> bool:
    """Tell whether f(x, x) = 0 is known."""
    match f:
        case ex.SquaredDistance() | ex.CityBlock():
            return True
        case ex.Times(left, right):
            return _vanishes(left) or _vanishes(right)
        case ex.Plus(left, right):
            return _vanishes(left) and _vanishes(right)
        case ex.Sqrt(inner) | ex.AtMost(inner, _):
            return _vanishes(inner)
        case ex.AtLeast(inner, bound):
            return _vanishes(inner) and bound <= 0
    return False


def _at_itself(f: Formula) -> float | None:
    """Return f(x, x) where it is known to be the same for every object."""
    match f:
        case ex.Number(value):
            return value
        case ex.Exp(exponent):
            return 1.0 if _vanishes(exponent) else None
        case ex.Times(left, right) | ex.Plus(left, right):
            a, b = _at_itself(left), _at_itself(right)
            if a is None or b is None:
                return None
            return a * b if isinstance(f, ex.Times) else a + b
    return None


def _sharp(f: Formula) -> Formula:
    """Return an expression whose squared distances keep their digits where they are small."""
    leaves = [leaf for leaf in f.walk() if isinstance(leaf, ex.SquaredDistance)]
    return f.replaced({leaf: replace(leaf, smooth=False) for leaf in leaves})
