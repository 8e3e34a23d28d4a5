"""The source of Triton passes over K, written from an expression.

Constant factors are moved inwards, up to a parameter that takes them for nothing; where one point is compared with
another by halves, they go into the unit that the points are in. Numbers of the expression are arguments: kernels of one
form share a source, whatever their parameters, and Triton compiles it once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import torch

from gramian.formula import expression as ex
from gramian.formula.expression import Formula, Path
from gramian.places.torch import template
from gramian.places.torch.halves import NEAREST, WIDE, WIDEST, norms_within, pieces, width_of
from gramian.places.torch.parts import VECTORS
from gramian.places.writing import LOG2E, NEAR, Writer

DEGREE_OF_POWERS, DEGREE_NEAR_0 = 13, 18  # of the series of 2ˣ, |x| ≤ ½, and of eˣ − 1 there, in double precision
TAKEN = 2.0**10  # factors up to which they go into the unit of points
DOUBLINGS = 2  # exp(4u) is taken as exp(u)⁴, whose error is four times as large


class Points(NamedTuple):
    """A part of the encodings whose rows are compared: how, in which unit, and how many coordinates there are.

    by halves: sign ½ ‖x − z‖²/unit², or xᵀz/unit²; from coordinates: ‖x − z‖²/unit², ‖x − z‖₁/unit, or xᵀz. Of how
    many sides −½ ‖x‖² is among the halves, the columns' first, is in `within`.
    """

    how: str
    halved: bool
    part: Path
    unit: float
    width: int
    sign: int = 1
    within: int = 0


class Share(NamedTuple):
    """How many of so many exponentials in a row go to the arithmetic units."""

    polynomials: int
    of: int


@dataclass
class Source(Writer):
    """Passes over K: their text, and the arguments that belong to the expression.

    Parameters
    ----------
    formula : Formula
        κ.
    in_single : bool
        Whether values are in single precision.
    halved : callable
        The unit in which a leaf's points are compared by halves; None where they are not: then from the coordinates.
    width : callable
        How many coordinates the points of a leaf have.
    share : Share or None
        Which exponentials go to the arithmetic units; None where the machine's own instructions are not to be named, as
        in Triton's interpreter.
    without : str
        Sides, "" or "rows" or "both", whose own factor of κ = exp(−½‖x − z‖²/σ²) is taken by the caller.
    """

    formula: Formula
    in_single: bool
    halved: Callable[[ex.Leaf], float | None]
    width: Callable[[ex.Leaf], int]
    share: Share | None = None
    without: str = ""
    points: list[Points] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)
    of_rows: list[Formula] = field(default_factory=list)
    of_columns: list[Formula] = field(default_factory=list)

    bounded: ClassVar[tuple[str, str]] = ("tl.maximum", "tl.minimum")

    def __post_init__(self) -> None:
        self._begin()
        self._scales = _scales(self.formula)
        bells = {f: found for f in self.formula.walk() if (found := _rate(f)) is not None}
        self._bells, self._rates = list(bells), list(bells.values())
        self._value = self._emit(self.formula, 1.0)

    @cached_property
    def text(self) -> str:
        """The module with the three passes."""
        head = template.HEAD
        powers = [math.log(2) ** k / math.factorial(k) for k in range(DEGREE_OF_POWERS, -1, -1)]
        near = [1 / math.factorial(k) for k in range(DEGREE_NEAR_0, 0, -1)]
        for name, code in {
            "last_double": repr(powers[0]),
            "last_expm1": repr(near[0]),
            "horner_double": _lines(4, [f"power = power * rest + {c!r}" for c in powers[1:]]),
            "horner_expm1": _lines(4, [f"near = near * x + {c!r}" for c in near[1:]]),
            "exp2_single": _assembled("ex2.approx.ftz.f32") if self.share else "tl.exp2(x)",
            "exp2_single_of_minus": _assembled("ex2.approx.ftz.f32", "neg") if self.share else "tl.exp2(-x)",
            "exp2_shared": self._shared(),
            "exp2_shared_of_minus": self._shared("neg"),
            "root_single": _assembled("sqrt.approx.ftz.f32") if self.share else "tl.sqrt(x)",
            "root_of_size": _assembled("sqrt.approx.ftz.f32", "abs") if self.share else "tl.sqrt(tl.abs(x))",
        }.items():
            head = head.replace(f"{{{name}}}", code)
        product = self._pass(template.PRODUCT, 12)
        fill = self._pass(template.FILL, 4).replace("exp2_shared", "exp2_single")  # which is 0 where it is below 2⁻¹²⁶
        products = self._pass(template.PRODUCTS if self.in_single else template.PRODUCTS_IN_DOUBLE, 12)
        return head + product + products + fill

    def _pass(self, text: str, depth: int) -> str:
        for name, code in {
            "arguments": ", ".join(
                [f"A{k}, B{k}, NA{k}, NB{k}" for k in range(len(self.points))] + ["P, R, C, na, nb"]
            ),
            "rows": _lines(4, self._row_lines()),
            "bases": _lines(4, self._bases()),
            "columns": _lines(depth, self._column_lines()),
            "lines": _lines(depth, self._lines),
            "steps": _lines(8, self._steps()),
            "value": self._value,
            "dtype": "tl.float32" if self.in_single else "tl.float64",
            "scaled": _lines(depth, template.SCALED.split("\n")),
            "unscaled": template.UNSCALED,
        }.items():
            text = text.replace(f"{{{name}}}", code)
        return text

    def _row_lines(self) -> list[str]:
        """Return what is read once for the rows of a program."""
        lines = [f"p{k} = tl.load(P + {k})" for k in range(len(self.numbers))]
        lines += [f"r{k} = tl.load(R + {k} * na.to(tl.int64) + il)[:, None]" for k in range(len(self.of_rows))]
        for k, p in enumerate(self.points):
            if not p.halved:
                continue
            w = width_of(p.width)
            if w <= WIDEST:
                lines += [
                    f"a{k}_{o} = tl.load(A{k} + il[:, None] * {w} + ({o} + tl.arange(0, {s}))[None, :])"
                    for o, s in pieces(w)
                ]
            if self._normed(p):
                lines.append(f"na{k} = {'-' if p.sign > 0 else ''}tl.load(NA{k} + il)[:, None]")
        return lines

    def _normed(self, p: Points, columns: bool = False) -> bool:
        """Tell whether what belongs to a row, or to a column, alone is added to products of points by halves."""
        apart = p.halved and p.how == "squares" and p.within < (1 if columns else 2)
        return apart and self.without not in (("both",) if columns else ("both", "rows"))

    def _bases(self) -> list[str]:
        """Return where the columns of a program start."""
        lines = [f"c{k}_at = C + {k} * nb.to(tl.int64) + at" for k in range(len(self.of_columns))]
        for k, p in enumerate(self.points):
            lines.append(f"b{k}_at = B{k} + at * {width_of(p.width)}" if p.halved else f"b{k}_at = B{k} + at")
            if self._normed(p, columns=True):
                lines.append(f"nb{k}_at = NB{k} + at")
        return lines

    def _steps(self) -> list[str]:
        """Return how the columns of a program move on after CHUNK of them."""
        lines = [f"c{k}_at += CHUNK" for k in range(len(self.of_columns))]
        for k, p in enumerate(self.points):
            lines.append(f"b{k}_at += CHUNK * {width_of(p.width)}" if p.halved else f"b{k}_at += CHUNK")
            if self._normed(p, columns=True):
                lines.append(f"nb{k}_at += CHUNK")
        return lines

    def _column_lines(self) -> list[str]:
        """Return how a tile is compared."""
        lines = [f"c{k} = tl.load(c{k}_at + (s + jn))[None, :]" for k in range(len(self.of_columns))]
        for k, p in enumerate(self.points):
            lines += self._halves(k, p) if p.halved else self._coordinates(k, p)
        return lines

    def _halves(self, k: int, p: Points) -> list[str]:
        w, lines = width_of(p.width), []
        if w > WIDEST:
            lines = [
                f"t{k} = tl.zeros((BM, BN), tl.float32)",
                f"for o in range(0, {w}, {WIDE}):",
                f"    a = tl.load(A{k} + il[:, None] * {w} + (o + tl.arange(0, {WIDE}))[None, :])",
                f"    b = tl.load(b{k}_at + (s + jn)[:, None] * {w} + (o + tl.arange(0, {WIDE}))[None, :])",
                f"    t{k} = tl.dot(a, tl.trans(b), t{k})",
            ]
        else:
            for o, s in pieces(w):
                before = f", t{k}" if o else ""
                lines += [
                    f"b{k}_{o} = tl.load(b{k}_at + (s + jn)[:, None] * {w} + ({o} + tl.arange(0, {s}))[None, :])",
                    f"t{k} = tl.dot(a{k}_{o}, tl.trans(b{k}_{o}){before})",
                ]
        if self._normed(p, columns=True):
            lines.append(f"nb{k} = tl.load(nb{k}_at + (s + jn))[None, :]")  # −½ of squared lengths, as of rows
            lines.append(f"t{k} = t{k} + nb{k}")
        if self._normed(p):
            lines.append(f"t{k} = na{k} - t{k}" if p.sign > 0 else f"t{k} = t{k} + na{k}")
        elif p.sign > 0 and p.how == "squares":
            lines.append(f"t{k} = t{k} * -1.0")
        return lines

    def _coordinates(self, k: int, p: Points) -> list[str]:
        added = {"squares": "gap * gap", "lengths": "tl.abs(gap)", "products": "x[:, None] * z[None, :]"}[p.how]
        dtype = "tl.float32" if self.in_single else "tl.float64"
        return [
            f"t{k} = tl.zeros((BM, BN), {dtype})",
            f"x{k}_at = A{k}",
            f"z{k}_at = b{k}_at + s",
            f"for k in range({p.width}):",
            f"    x = tl.load(x{k}_at + il)",
            f"    z = tl.load(z{k}_at + jn)",
            "    gap = x[:, None] - z[None, :]",
            f"    t{k} += {added}",
            f"    x{k}_at += na",
            f"    z{k}_at += nb",
        ]

    def _shared(self, first: str = "") -> str:
        if not self.share:
            return "tl.exp2(-x)" if first else "tl.exp2(x)"
        if not self.share.polynomials:
            return _assembled("ex2.approx.ftz.f32", first)
        return _mixed(self.share, self.without != "", first)

    def _own(self, f: Formula, times: float) -> str | None:
        if self.in_single and (code := self._scaled(f, times)) is not None:
            return code
        return self._compared(f, times) if isinstance(f, ex.SquaredDistance | ex.CityBlock | ex.Dot) else None

    def _scaled(self, f: Formula, times: float) -> str | None:
        """Return `times` times a distance as a multiple of what its exponential takes: it is computed once, in that."""
        scale = self._scales.get(f)
        if scale is None:
            return None
        if times != scale:
            return f"{self._emit(f, scale)} * {self._number(times / scale)}"
        match f:
            case ex.AtMost(value, bound):
                if self._largest(value) <= bound:
                    return self._emit(value, scale)
                return f"tl.minimum({self._emit(value, scale)}, {self._number(scale * bound)})"
            case ex.Sqrt(square) if (found := _square(square)) is not None:  # below 0 by rounding alone
                return f"root_of_size({self._emit(found[0], scale * scale * found[1])})"
        return None

    def _minus(self, exponent: Formula) -> str | None:
        """Return the name of −log₂ of an exponential of a distance that is computed in such units."""
        match exponent:
            case ex.Times(t, ex.Number(c)) if (
                self.in_single and abs(self._scales.get(t, 0.0) / (c * LOG2E) + 1) < 1e-15
            ):
                return self._emit(t, self._scales[t])
        return None

    def _largest(self, f: Formula) -> float:
        """Return what a distance can be at most, as far as is known."""
        match f:
            case ex.SquaredDistance(factor=factor) if self.halved(f) is not None and factor > 0:
                return 4.5 * NEAREST * factor
            case ex.Sqrt(square):
                return math.sqrt(self._largest(square))
            case ex.AtLeast(value, bound):
                return max(self._largest(value), bound)
            case ex.Times(value, ex.Number(factor)) if factor > 0:
                return self._largest(value) * factor
        return math.inf

    def _doubled(self, f: ex.Exp) -> str | None:
        """Return exp(c u) as a square of exp(c u/2) that is in the expression as well, or as a square of a square."""
        key, rate = _rate(f) or (None, 0.0)
        for k in range(DOUBLINGS, 0, -1):
            for base, (other, smaller) in zip(self._bells, self._rates, strict=True):
                if other == key and abs(rate / smaller / 2.0**k - 1) < 1e-15:
                    return self._power(self._emit(base, 1.0), 2**k)
        return None

    def _function(self, f: Formula) -> str | None:
        kind = "single" if self.in_single else "double"
        match f:
            case ex.Exp() if (code := self._doubled(f)) is not None:
                return code
            case ex.Exp(exponent):
                shared = self.in_single and _at_most_zero(exponent)
                name = f"exp2_{'shared' if shared else kind}"
                if (positive := self._minus(exponent)) is not None:
                    return f"{name}_of_minus({positive})"
                return f"{name}({self._emit(exponent, LOG2E)})"
            case ex.Expm1(exponent):
                return f"expm1({self._emit(exponent, 1.0)}, exp2_{kind}({self._emit(exponent, LOG2E)}))"
            case ex.Sqrt(square):
                return f"root_{kind}({self._emit(square, 1.0)})"
        return None

    def _compared(self, f: Any, times: float) -> str:
        """Return `times` times a leaf."""
        sigma = 1.0 if isinstance(f, ex.Dot) else f.bandwidth
        factor = times * (f.factor if isinstance(f, ex.SquaredDistance) else 1.0)
        place = self._points(f, sigma, factor)
        p = self.points[place]
        ratio = p.unit / sigma
        match p.how:
            case "lengths":
                number = factor * ratio
            case "squares" if p.halved:
                number = factor * ratio * ratio * 2 * p.sign
            case _:
                number = factor * ratio * ratio
        if abs(number - 1) < 1e-15:
            return f"t{place}"
        return f"t{place} * {self._number(number)}"

    def _points(self, f: Any, sigma: float, factor: float) -> int:
        how = {ex.SquaredDistance: "squares", ex.Dot: "products", ex.CityBlock: "lengths"}[type(f)]
        unit, sign = self.halved(f), 1
        halved = unit is not None
        for k, known in enumerate(self.points):
            if (known.how, known.halved, known.part) == (
                how,
                halved,
                f.part,
            ) and 1 / NEAR <= known.unit / sigma <= NEAR:
                return k
        if unit is None:
            unit = self._unit(sigma)
        elif how == "squares" and 1 / TAKEN <= abs(factor) <= TAKEN:
            unit, sign = sigma / math.sqrt(2 * abs(factor)), -1 if factor < 0 else 1
        within = norms_within(self.width(f)) if halved and how == "squares" else 0
        within = {"": within, "rows": min(1, within), "both": 0}[self.without]
        self.points.append(Points(how, halved, f.part, unit, self.width(f), sign, within))
        return len(self.points) - 1


def at_least_zero(f: Formula) -> bool:
    """Tell whether an expression is known not to be negative."""
    match f:
        case ex.SquaredDistance(factor=factor):
            return factor >= 0
        case ex.CityBlock() | ex.Sqrt():
            return True
        case ex.Number(value):
            return value >= 0
        case ex.AtLeast(inner, bound):
            return bound >= 0 or at_least_zero(inner)
        case ex.AtMost(inner, bound):
            return bound >= 0 and at_least_zero(inner)
        case ex.Times(inner, ex.Number(value)):
            return at_least_zero(inner) if value >= 0 else _at_most_zero(inner)
    return False


def _at_most_zero(f: Formula) -> bool:
    match f:
        case ex.SquaredDistance(factor=factor):
            return factor <= 0
        case ex.Times(inner, ex.Number(value)):
            return _at_most_zero(inner) if value >= 0 else at_least_zero(inner)
    return False


def _square(f: Formula) -> tuple[ex.SquaredDistance, float] | None:
    """Return the squared distance of which f is a multiple, not below 0, and by how much."""
    match f:
        case ex.SquaredDistance(factor=factor) if factor > 0:
            return f, 1.0
        case ex.AtLeast(value, 0):
            return _square(value)
        case ex.Times(value, ex.Number(number)) if number > 0 and (found := _square(value)) is not None:
            return found[0], found[1] * number
    return None


def _scales(formula: Formula) -> dict[Formula, float]:
    """Return distances that exponentials are taken of, and by how much these multiply them: t in exp(−t) (1 + t)."""
    found: dict[Formula, float] = {}
    for f in formula.walk():
        match f:
            case ex.Exp(ex.Times(ex.AtMost(ex.Sqrt(square) as root) as t, ex.Number(c))) if c < 0 and _square(square):
                found |= {t: -c * LOG2E, root: -c * LOG2E}
    return found


def _rate(f: Formula) -> tuple[Any, float] | None:
    """Return of exp(c u) which points u compares, and c in units that do not depend on bandwidths."""
    if not isinstance(f, ex.Exp) or (u := bell(f)) is None:
        return None
    inner: Formula = f.exponent
    rate = 1.0
    while isinstance(inner, ex.Times):
        if not isinstance(inner.right, ex.Number):
            return None
        rate, inner = rate * inner.right.value, inner.left
    return (u.part, u.smooth), rate * u.factor / u.bandwidth**2


def bell(f: Formula) -> ex.SquaredDistance | None:
    """Return the squared distance u of which f is exp(c u) with c < 0, None where f is something else."""
    if not isinstance(f, ex.Exp) or not _at_most_zero(f.exponent):
        return None
    inner = f.exponent
    while isinstance(inner, ex.Times):
        inner = inner.left
    return inner if isinstance(inner, ex.SquaredDistance) else None


def compared(f: Formula) -> list[Any]:
    """Return the leaves in which vectors are compared."""
    return [leaf for leaf in f.walk() if isinstance(leaf, VECTORS)]


def _assembled(instruction: str, first: str = "") -> str:
    """Return one instruction, of −x or of |x| where `first` is "neg" or "abs"."""
    asm = f"{{.reg .f32 x; {first}.f32 x, $1; {instruction} $0, x;}}" if first else f"{instruction} $0, $1;"
    return f'tl.inline_asm_elementwise("{asm}", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)'


def _mixed(share: Share, bounded: bool, first: str = "") -> str:
    """Return 2^x of `of` numbers at a time, the first `polynomials` of them by arithmetic."""
    q = share.of
    asm = "".join(_arithmetic(k, k + q, bounded, first) for k in range(share.polynomials))
    minus = "{{.reg .f32 x; neg.f32 x, ${given}; ex2.approx.ftz.f32 ${out}, x;}}"
    plain = "ex2.approx.ftz.f32 ${out}, ${given};"
    asm += "".join((minus if first else plain).format(out=k, given=k + q) for k in range(share.polynomials, q))
    constraints = ",".join(["=f"] * q + ["f"] * q)
    return f'tl.inline_asm_elementwise("{asm}", "{constraints}", [x], dtype=tl.float32, is_pure=True, pack={q})'


def _arithmetic(out: int, given: int, bounded: bool, first: str) -> str:
    """Return the instructions of 2^x by arithmetic, or of 2^−x; `bounded` says that the exponent is above −126."""
    c = [f"0f{_bits(value):08X}" for value in template.FIFTH]
    steps = "".join(f"fma.rn.ftz.f32 p, p, f, {value};" for value in reversed(c[:-1]))
    return (
        "{.reg .f32 x, t, w, f, p; .reg .b32 e, s;"
        + f"{first or 'mov'}.f32 x, ${given};"
        + ("" if bounded else f"max.ftz.f32 x, x, 0f{_bits(-126.0):08X};")
        + f"add.rn.ftz.f32 t, x, 0f{_bits(12582912.0):08X};"
        + f"sub.rn.ftz.f32 w, t, 0f{_bits(12582912.0):08X};"
        + f"sub.rn.ftz.f32 f, x, w; mov.f32 p, {c[-1]};"
        + steps
        + f"mov.b32 e, t; shl.b32 e, e, 23; mov.b32 s, p; add.s32 s, s, e; mov.b32 ${out}, s;}}"
    )


def _bits(value: float) -> int:
    return int(torch.tensor(value, dtype=torch.float32).view(torch.int32)) & 0xFFFFFFFF


def _lines(depth: int, lines: list[str]) -> str:
    return "\n".join(" " * depth + line for line in lines)
