"""An expression between two runs of encodings, compiled: multiplied without a tile being written to memory, and filled.

Points are made ready once and kept: by halves where their distances are so small, in bandwidths, that 22 digits of each
coordinate give single precision; from the coordinates themselves where they are not, or where a small distance must
keep its digits. In double precision everything comes from the coordinates.
"""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gramian.formula import expression as ex
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula, Path
from gramian.places.torch import launch
from gramian.places.torch.halves import NEAREST, halves_of, split
from gramian.places.torch.interpret import numbers_of
from gramian.places.torch.launch import Tile
from gramian.places.torch.memory import budget, with_smaller
from gramian.places.torch.parts import at, device_of, precision_of
from gramian.places.torch.passes import available, interpreted, load, multiplies_doubles
from gramian.places.torch.source import Points, Share, Source, bell, compared
from gramian.places.writing import NoSourceError

FLATTEST = 2.0**-16  # of the longest row: shorter ones would lose digits of their products
LARGEST_HALF = 2.0**14  # what the longest coordinate of products becomes
MOST_DIFFERENCES = 128  # coordinates beyond which a matrix product is faster than to take them one by one
FAR = {torch.float32: 1e15, torch.float64: 1e150}  # bandwidths whose squares have a place
PADDED = 256  # rows and columns are filled up to a multiple of it, so that no tile is cut
CHUNK = 8192  # columns after which sums are moved to double precision
PROGRAMS = 1024  # programs from which all of a device is at work
LONGEST = 2**31 - 2**20


MOST_COLUMNS = 64  # of V that are multiplied at a time


@dataclass(frozen=True)
class Side:
    """What a pass reads of rows, or of columns."""

    points: tuple[tuple[Tensor, Tensor], ...]  # points, and −½ of their squared lengths where they are halves
    numbers: Tensor
    padded: int


class Ready(NamedTuple):
    """A source, and what its passes read: of rows, of columns, and the numbers of the expression."""

    source: Source
    left: Side
    right: Side
    parameters: Tensor


@dataclass(frozen=True)
class Fused:
    """An expression between two runs of encodings, ready to be multiplied and to be written."""

    formula: Formula
    rows: Encoded
    cols: Encoded
    dtype: torch.dtype
    centres: dict[Path, Tensor]
    units: dict[ex.Leaf, float]
    share: Share | None = None  # of exponentials on the arithmetic units, and the tile: else those of `launch`
    tile: Tile | None = None

    def multiply(self, V: Tensor) -> Tensor:
        """Return K V in double precision, V of shape (m, c). O(n m), and O(n + m) memory."""
        V = V.to(self.device)
        if V.shape[1] == 1 or (self.dtype == torch.float64 and not multiplies_doubles()):
            return torch.stack([self._one(v) for v in V.T], dim=1)
        return with_smaller(partial(self._by_groups, V), MOST_COLUMNS, least=1)

    def _by_groups(self, V: Tensor, size: int) -> Tensor:
        groups = [V[:, k : k + size] for k in range(0, V.shape[1], size)]
        several = self._several if self.dtype == torch.float32 else self._several_in_double
        return torch.cat([several(group) if group.shape[1] > 1 else self.multiply(group) for group in groups], 1)

    def _one(self, v: Tensor) -> Tensor:
        """Return K v; factors of a Gaussian that belong to x or to z alone are taken before and after."""
        ready = self._product
        left, right = ready.left, ready.right
        w = torch.zeros(right.padded, dtype=self.dtype, device=self.device)
        scale = _power_near(v)
        w[: len(v)] = v.double() * scale * self._outside[1]
        tile, span = self._tile(launch.for_product(ready.source)), self._span(right.padded, left.padded)
        sums = self._new(-(-right.padded // span), left.padded, dtype=torch.float64)
        grid = left.padded // tile.rows, len(sums)
        self._launch(ready, "product", grid, tile, w, sums, left.padded, right.padded, span, CHUNK=CHUNK)
        found: Tensor = sums.sum(0)[: len(self.rows)] * self._outside[0] / scale
        return found

    def _several(self, V: Tensor) -> Tensor:
        ready = self._products
        left, right = ready.left, ready.right
        c, width = V.shape[1], max(16, 1 << (V.shape[1] - 1).bit_length())
        scale = _power_near(V) * 2.0**14
        scaled = torch.zeros(right.padded, width, dtype=torch.float64, device=self.device)
        scaled[: len(V), :c] = V.double() * scale
        high, low = halves_of(scaled)
        tile = self._tile(launch.for_products(ready.source, width))
        span = self._span(right.padded, left.padded)
        sums = self._new(-(-right.padded // span), left.padded, width, dtype=torch.float32)
        chunk = max(tile.cols * round(math.sqrt(min(span, len(V)) / tile.cols)), tile.cols)
        grid = left.padded // tile.rows, len(sums)
        sizes = left.padded, right.padded, span
        self._launch(ready, "products", grid, tile, high, low, sums, *sizes, CHUNK=chunk, CC=width)
        found = sums.double().sum(0)[: len(self.rows), :c] / scale
        if ready.source.without == "rows":
            found *= torch.exp2(left.points[0][1][: len(self.rows), None].double())
        return found

    def _several_in_double(self, V: Tensor) -> Tensor:
        ready = self._entire
        left, right = ready.left, ready.right
        c, width = V.shape[1], max(16, 1 << (V.shape[1] - 1).bit_length())
        scale = _power_near(V)
        scaled = torch.zeros(right.padded, width, dtype=torch.float64, device=self.device)
        scaled[: len(V), :c] = V.double() * scale
        tile, span = self._tile(launch.for_products(ready.source, width)), self._span(right.padded, left.padded)
        sums = self._new(-(-right.padded // span), left.padded, width, dtype=torch.float64)
        grid = left.padded // tile.rows, len(sums)
        self._launch(
            ready, "products", grid, tile, scaled, sums, left.padded, right.padded, span, CHUNK=CHUNK, CC=width
        )
        found: Tensor = sums.sum(0)[: len(self.rows), :c] / scale
        return found

    def fill(self, out: Tensor, symmetric: bool = False) -> Tensor:
        """Write K into `out`, of the precision of its values, whose rows are contiguous."""
        ready = self._entire
        tile = self._tile(launch.for_filling(ready.source))
        tile = tile._replace(rows=min(tile.rows, tile.cols), cols=min(tile.rows, tile.cols)) if symmetric else tile
        n, m = out.shape
        grid = (-(-m // tile.cols), -(-n // tile.rows))
        self._launch(ready, "fill", grid, tile, out, n, m, out.stride(0), SYMMETRIC=symmetric)
        return out

    @property
    def device(self) -> torch.device:
        return device_of(self.rows, self.cols)

    def _new(self, *shape: int, dtype: torch.dtype) -> Tensor:
        return torch.empty(shape, dtype=dtype, device=self.device)

    def _launch(
        self, ready: Ready, name: str, grid: tuple[int, int], tile: Tile, *arguments: Any, **constants: Any
    ) -> None:
        source, left, right, parameters = ready
        points = [t for (a, na), (b, nb) in zip(left.points, right.points, strict=True) for t in (a, b, na, nb)]
        how = {"BM": tile.rows, "BN": tile.cols, "num_warps": tile.warps, "num_stages": tile.stages}
        how |= {"maxnreg": tile.registers} if tile.registers else {}
        with torch.cuda.device(self.device) if self.device.type == "cuda" else nullcontext():
            load(source.text)[name][grid](
                *points,
                parameters,
                left.numbers,
                right.numbers,
                left.padded,
                right.padded,
                *arguments,
                **constants,
                **how,
            )

    def _tile(self, measured: Tile) -> Tile:
        return launch.SMALL if self.device.type == "cpu" else self.tile or measured

    def _span(self, columns: int, rows: int) -> int:
        """Return how many columns a program goes over: all of them, where there are rows enough."""
        runs = max(1, min(columns // CHUNK, -(-PROGRAMS * PADDED // 2 // rows)))
        return -(-columns // (runs * PADDED)) * PADDED

    @cached_property
    def _share(self) -> Share:
        leaves = compared(self.formula)
        return launch.share_of(self._apart[3], sum(int(at(self.rows, leaf.part).shape[1]) for leaf in leaves))

    @cached_property
    def _whole(self) -> Source:
        return self._source(self.formula)

    @cached_property
    def _entire(self) -> Ready:
        return self._ready(self._whole)

    @cached_property
    def _apart(self) -> tuple[float, list[Formula], list[Formula], Formula]:
        return _apart(self.formula)

    @cached_property
    def _product(self) -> Ready:
        """What products with one column go through."""
        if self._bell is None:
            return self._entire
        return self._ready(self._source(self._apart[3], "both"))

    @cached_property
    def _products(self) -> Ready:
        """What products with several columns go through: a Gaussian's factors that belong to rows are taken after."""
        if bell(self.formula) not in self.units:
            return self._entire
        return self._ready(self._source(self.formula, "rows", launch.NONE))

    @cached_property
    def _bell(self) -> ex.SquaredDistance | None:
        """The squared distance of a Gaussian whose points are compared by halves."""
        found = bell(self._apart[3])
        return found if found in self.units else None

    @cached_property
    def _outside(self) -> tuple[Any, Any]:
        """Factors of a product that belong to x, and to z, in double precision."""
        if self._bell is None:
            return 1.0, 1.0
        number, rows, cols, _ = self._apart
        sides = (self._product.left, self.rows), (self._product.right, self.cols)
        of_rows, of_cols = (2.0 ** side.points[0][1][: len(a)].double() for side, a in sides)
        for f in rows:
            of_rows = of_rows * numbers_of(f, self.rows)
        for f in cols:
            of_cols = of_cols * numbers_of(f, self.cols)
        return number * of_rows, of_cols

    def _source(self, formula: Formula, without: str = "", share: Share | None = None) -> Source:
        return Source(
            formula,
            self.dtype == torch.float32,
            self.units.get,
            lambda leaf: int(at(self.rows, leaf.part).shape[1]),
            None if interpreted() else self.share or share or self._share,
            without,
        )

    def _ready(self, source: Source) -> Ready:
        left, right = self._side(source, self.rows, False), self._side(source, self.cols, True)
        return Ready(source, left, right, torch.tensor(source.numbers or [0.0], dtype=self.dtype, device=self.device))

    def _side(self, source: Source, a: Encoded, right: bool) -> Side:
        padded = -(-len(a) // PADDED) * PADDED
        points = tuple(self._packed(p, at(a, p.part), padded, right) for p in source.points)
        wanted = source.of_columns if right else source.of_rows
        numbers = torch.zeros(max(1, len(wanted)), padded, dtype=self.dtype, device=self.device)
        for k, f in enumerate(wanted):
            numbers[k, : len(a)] = numbers_of(f, a)
        numbers[:, len(a) :] = numbers[:, len(a) - 1 : len(a)]
        return Side(points, numbers, padded)

    def _packed(self, p: Points, X: Tensor, padded: int, right: bool) -> tuple[Tensor, Tensor]:
        """Return points as a pass reads them, filled up with copies of the last: another's value may be infinite."""
        if p.halved:
            centre = self.centres[p.part] if p.how == "squares" else 0.0
            return split((X.double() - centre) / p.unit, padded, right, p.within)
        ready = torch.empty(X.shape[1], padded, dtype=self.dtype, device=self.device)
        ready[:, : len(X)] = (X.double() / p.unit).T
        ready[:, len(X) :] = ready[:, len(X) - 1 : len(X)]
        return ready, ready[0]


def _power_near(V: Tensor) -> Tensor:
    """Return for each column the power of two by which its largest number becomes 1 to 2."""
    largest = V.double().abs().amax(0)
    return torch.where(largest > 0, torch.exp2(-torch.floor(torch.log2(largest))), 1.0)


def fused(
    formula: Formula, rows: Encoded, cols: Encoded, dtype: torch.dtype | None = None, share: Share | None = None
) -> Fused | None:
    """Return the expression between such objects as compiled passes, None where it has none that are as good."""
    device = device_of(rows, cols)
    dtype = dtype or precision_of(formula, rows, cols)
    if not available(device) or not 0 < max(len(rows), len(cols)) < LONGEST or not min(len(rows), len(cols)):
        return None
    formula = _merged(formula, rows, cols)
    leaves = compared(formula)
    if not leaves or not all(_is_dense(at(a, leaf.part)) for leaf in leaves for a in (rows, cols)):
        return None
    centres = {leaf.part: at(cols, leaf.part).double().mean(0) for leaf in leaves}
    sizes = _Sizes(rows, cols, centres)
    units = {leaf: unit for leaf in leaves if (unit := _unit(leaf, sizes, dtype)) is not None}
    if not all(leaf in units or _fits(leaf, sizes, dtype) for leaf in leaves):
        return None
    found = Fused(formula, rows, cols, dtype, centres, units, share)
    try:
        return found if _room(found) else None
    except NoSourceError:
        return None


class _Sizes:
    """How long rows are, asked once for each part."""

    def __init__(self, rows: Encoded, cols: Encoded, centres: dict[Path, Tensor]) -> None:
        self.sides, self.centres = (rows, cols), centres
        self.known: dict[tuple[Path, str], float] = {}

    def __call__(self, part: Path, what: str) -> float:
        if (part, what) not in self.known:
            self.known[part, what] = float(torch.stack([self._of(at(a, part), part, what) for a in self.sides]).amax())
        return self.known[part, what]

    def _of(self, X: Tensor, part: Path, what: str) -> Tensor:
        if what == "farthest":
            return (X.double() - self.centres[part]).square().sum(1).amax()
        if what == "largest":
            return X.double().abs().amax()
        lengths = X.double().square().sum(1)
        return -torch.where(lengths > 0, lengths, torch.inf).amin()  # "shortest", of those that are not 0


def _unit(leaf: Any, sizes: _Sizes, dtype: torch.dtype) -> float | None:
    """Return in which unit a leaf's points are compared by halves; None where these would lose digits."""
    if dtype != torch.float32 or isinstance(leaf, ex.CityBlock):
        return None
    if isinstance(leaf, ex.SquaredDistance):
        near = leaf.smooth and sizes(leaf.part, "farthest") <= NEAREST * leaf.bandwidth**2
        return leaf.bandwidth if near else None
    largest, shortest = sizes(leaf.part, "largest"), math.sqrt(-sizes(leaf.part, "shortest"))
    if not 0 < largest < math.inf or shortest < FLATTEST * largest:
        return None
    return math.ldexp(1.0, math.frexp(largest / LARGEST_HALF)[1])


def _fits(leaf: Any, sizes: _Sizes, dtype: torch.dtype) -> bool:
    """Tell whether coordinates are few enough, and points near enough for their squares to have a place."""
    if int(at(sizes.sides[0], leaf.part).shape[1]) > MOST_DIFFERENCES:
        return False
    return isinstance(leaf, ex.Dot) or sizes(leaf.part, "largest") / leaf.bandwidth <= FAR[dtype]


def _is_dense(X: Any) -> bool:
    return isinstance(X, Tensor) and X.ndim == 2 and X.shape[1] > 0 and X.dtype in FAR and X.layout == torch.strided


def _room(found: Fused) -> bool:
    """Tell whether points as passes read them fit on the device."""
    taken = sum(p.width * (7 if p.halved else found.dtype.itemsize) for p in found._whole.points)
    return 2 * taken * (len(found.rows) + len(found.cols)) <= budget(found.device)


def _merged(formula: Formula, rows: Encoded, cols: Encoded) -> Formula:
    """Return the expression with one path for parts that are the same tensor: kernels of a sum see the same points."""
    first: dict[Any, Path] = {}
    moved = {}
    for leaf in compared(formula):
        part = first.setdefault(tuple(_identity(at(a, leaf.part)) for a in (rows, cols)), leaf.part)
        moved[leaf] = replace(leaf, part=part)
    return formula.replaced(moved)


def _identity(X: Any) -> Any:
    return (X.data_ptr(), X.shape, X.stride(), X.dtype) if isinstance(X, Tensor) else id(X)


def _apart(f: Formula) -> tuple[float, list[Formula], list[Formula], Formula]:
    """Return the factors of an expression: a number, those that belong to x, to z, and what belongs to pairs."""
    if isinstance(f, ex.Times):
        for inner, other in ((f.left, f.right), (f.right, f.left)):
            if other.of_pairs:
                continue
            number, rows, cols, rest = _apart(inner)
            kinds = {type(one) for one in other.walk() if isinstance(one, ex.Leaf)}
            if isinstance(other, ex.Number):
                return number * other.value, rows, cols, rest
            if kinds == {ex.OfRow}:
                return number, [*rows, other], cols, rest
            if kinds == {ex.OfColumn}:
                return number, rows, [*cols, other], rest
    return 1.0, [], [], f
