"""The source of a compiled pass over a tile, written from an expression.

    for the columns, a run of RUN at a time
        for the rows, ABREAST at a time
            what their leaves are against the run, into rows of numbers
            for each row, one loop over the run: the expression, and what is done with its value

Sums over pairs may be taken in any order, which vector instructions want. The operations of an expression may not: its
value has a place among numbers where that of c κ₁ κ₂ in another order would have none.
Numbers of the expression (bandwidths, constants, coefficients) are arguments of the pass, and so are the points and the
numbers of rows and columns: two kernels of the same form have the same source, whatever their parameters, and one
compiled pass serves both. Constant factors are moved inwards, up to a parameter that takes them for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple

from gramian.formula import expression as ex
from gramian.formula.expression import Formula, Path
from gramian.places.writing import LOG2E, NEAR, Writer

ABREAST = 8  # rows that are compared at a time, as `registers` does it, so that columns are read once for all of them
APART = 16  # numbers between runs of coordinates, which would crowd the same places of the cache otherwise
RUN = 512  # columns that are taken up at a time: their numbers stay in the first cache
ROWS = 128  # rows after which sums over them are moved to double precision
PAIRS = {ex.SquaredDistance: "squares_of", ex.Dot: "products_of", ex.CityBlock: "lengths_of"}


TEMPLATE = '''"""A pass over a tile, written by gramian.places.cores.source."""
import numpy as np
from numba import njit
from gramian.places.cores.lanes import EXACT, SUMS, exp2_{kind} as exp2, fall2_{kind} as fall2
from gramian.places.cores.registers import TURNED, lengths_of, products_of, room, squares_of, turned


@njit(fastmath=EXACT, forceinline=True)
def value({arguments}):
{entry}
    return {value}


@njit(nogil=True, cache=True, fastmath=SUMS)
def product(A, B, P, R, C, v, w, sums, mirrored):
{numbers}
{buffers}
    back, vs = room(1, {RUN}, P)[0], room(1, {RUN}, P)[0]
    for first in range(0, len(v), {RUN}):
        q = min({RUN}, len(v) - first)
        vs[:q] = v[first : first + q]
        moved = mirrored[first : first + q]
{run}
        back[:] = 0
        for i in range(0, len(w), {ABREAST}):
{compare}
            for r in range({ABREAST}):
{row}
                wi = w[i + r]
                total = P.dtype.type(0)
                for j in range(q):
                    kappa = value({given})
                    total += kappa * vs[j]
                    back[j] += kappa * wi
                sums[i + r] += total
            if i % {ROWS} == {ROWS} - {ABREAST} or i + {ABREAST} >= len(w):
                for j in range(q):
                    moved[j] += back[j]
                back[:] = 0


@njit(nogil=True, cache=True, fastmath=SUMS)
def fill(A, B, P, R, C, rows, cols, out, apart, mirrored, between):
{numbers}
{buffers}
    for first in range(0, cols, {RUN}):
        q = min({RUN}, cols - first)
{run}
        for i in range(0, rows, {ABREAST}):
{compare}
            several = min({ABREAST}, rows - i)
            for r in range(several):
{row}
                start = (i + r) * apart + first
                row = out[start : start + q]
                for j in range(q):
                    row[j] = value({given})
            if len(mirrored) == 0:
                continue
            whole = q - q % TURNED if several == TURNED else 0
            for j in range(0, whole, TURNED):
                turned(out, i * apart + first + j, apart, mirrored, (first + j) * between + i, between)
            for j in range(whole, q):
                for r in range(several):
                    mirrored[(first + j) * between + i + r] = out[(i + r) * apart + first + j]
'''


class Points(NamedTuple):
    """A part of the encodings whose rows are compared: how, and in units of which power of two."""

    how: str
    part: Path
    unit: float


@dataclass
class Source(Writer):
    """A pass over a tile: its text, and the arguments that belong to the expression."""

    formula: Formula
    in_single: bool
    points: list[Points] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)
    of_rows: list[Formula] = field(default_factory=list)
    of_columns: list[Formula] = field(default_factory=list)

    bounded: ClassVar[tuple[str, str]] = ("max", "min")

    def __post_init__(self) -> None:
        self._begin()
        self._value = self._emit(self.formula, 1.0)

    @cached_property
    def text(self) -> str:
        """The module: `product` multiplies a tile by a vector, from both sides, and `fill` writes it."""
        rows = [f"t{k}" for k in range(len(self.points))] + [f"r{k}" for k in range(len(self.of_rows))]
        columns = [f"c{k}" for k in range(len(self.of_columns))]
        numbers = [f"p{k}" for k in range(len(self.numbers))]
        return TEMPLATE.format(
            kind="single" if self.in_single else "double",
            numbers=_lines(4, (f"p{k} = P[{k}]" for k in range(len(self.numbers)))),
            buffers=_lines(
                4,
                (f"s{k} = room({ABREAST}, {RUN + APART}, P)" for k in range(len(self.points))),
                (f"b{k} = room(B[{k}].shape[0], {RUN + APART}, P)" for k in range(len(self.points))),
            ),
            run=_lines(
                8,
                (f"b{k}[:, :q] = B[{k}][:, first : first + q]" for k in range(len(self.points))),
                (f"c{k} = C[{k}][first : first + q]" for k in range(len(self.of_columns))),
            ),
            compare=_lines(12, (f"{p.how}(A[{k}], i, b{k}, q, s{k})" for k, p in enumerate(self.points))),
            row=_lines(
                16,
                (f"t{k} = s{k}[r][:q]" for k in range(len(self.points))),
                (f"r{k} = R[{k}, i + r]" for k in range(len(self.of_rows))),
            ),
            arguments=", ".join(rows + columns + numbers),
            given=", ".join([f"{name}[j]" if name[0] in "tc" else name for name in rows + columns + numbers]),
            entry=_lines(4, self._lines),
            value=self._value,
            RUN=RUN,
            ROWS=ROWS,
            ABREAST=ABREAST,
        )

    def _own(self, f: Formula, times: float) -> str | None:
        match f:
            case ex.SquaredDistance(bandwidth=sigma, factor=factor):
                row, unit = self._compared(f, sigma)
                ratio = unit / sigma
                return f"{row} * {self._number(times * factor * ratio * ratio)}"
            case ex.CityBlock(bandwidth=sigma):
                row, unit = self._compared(f, sigma)
                return f"{row} * {self._number(times * (unit / sigma))}"
            case ex.Dot() if times == 1:
                return self._compared(f, 1.0)[0]
        return None

    def _function(self, f: Formula) -> str | None:
        match f:
            case ex.Exp(exponent):
                return f"{'fall2' if _falls(exponent) else 'exp2'}({self._emit(exponent, LOG2E)})"
            case ex.Sqrt(square):
                return f"np.sqrt({self._emit(square, 1.0)})"
        return None

    def _compared(self, f: ex.Leaf, sigma: float) -> tuple[str, float]:
        """Return the entry of the row of numbers that a leaf is read off, and its unit."""
        how = PAIRS[type(f)]
        for k, known in enumerate(self.points):
            if (known.how, known.part) == (how, f.part) and 1 / NEAR <= known.unit / sigma <= NEAR:
                return f"t{k}", known.unit
        self.points.append(Points(how, f.part, self._unit(sigma)))
        return f"t{len(self.points) - 1}", self.points[-1].unit


def _falls(f: Formula) -> bool:
    """Tell whether f ≤ 0 is known."""
    match f:
        case ex.SquaredDistance(factor=factor):
            return factor <= 0
        case ex.Times(ex.CityBlock() | ex.Sqrt(), ex.Number(value)) | ex.Times(
            ex.Number(value), ex.CityBlock() | ex.Sqrt()
        ):
            return value <= 0
        case ex.Plus(left, right):
            return _falls(left) and _falls(right)
    return False


def _lines(depth: int, *groups: Iterable[str]) -> str:
    return "\n".join(" " * depth + line for group in groups for line in group)
