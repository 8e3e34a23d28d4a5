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
        case ex.Times(left, right) if _is_one(left) and _is_one(right):
            one, other = gap(left), gap(right)
            return None if one is None or other is None else one + other - one * other
    return None


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


def _is_one(f: Formula) -> bool:
    """Tell whether f(x, x) = 1 is known."""
    match f:
        case ex.Exp(exponent):
            return _vanishes(exponent)
        case ex.Times(left, right):
            return _is_one(left) and _is_one(right)
    return False


def _sharp(f: Formula) -> Formula:
    """Return an expression whose squared distances keep their digits where they are small."""
    leaves = [leaf for leaf in f.walk() if isinstance(leaf, ex.SquaredDistance)]
    return f.replaced({leaf: replace(leaf, smooth=False) for leaf in leaves})
