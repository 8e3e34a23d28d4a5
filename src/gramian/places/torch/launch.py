"""How passes are launched: the size of tiles, and which exponentials are taken by arithmetic, as measured on a GPU.

They are the fastest of those that benchmarks/gpu.py tries at n = 200,000 on an H200. All give the same answers.
"""

from __future__ import annotations

from typing import NamedTuple

from gramian.formula import expression as ex
from gramian.formula.expression import Formula
from gramian.places.torch.halves import width_of
from gramian.places.torch.source import Share, Source, bell


class Tile(NamedTuple):
    """The size of the tiles of a pass, warps to a program, and how many tiles are loaded ahead.

    `registers` is how many of them a thread may take, where that is held back so that more programs run side by side.
    """

    rows: int
    cols: int
    warps: int
    stages: int
    registers: int | None = None


class Way(NamedTuple):
    """A tile, and the share of exponentials on the arithmetic units."""

    tile: Tile
    share: Share


NONE = Share(0, 4)
GAUSSIAN = {  # by the width of halves, up to which
    32: Way(Tile(64, 128, 4, 3), Share(1, 8)),
    64: Way(Tile(64, 64, 4, 3), NONE),
    256: Way(Tile(128, 64, 4, 3), Share(1, 8)),
}
ROOTS = Way(Tile(128, 64, 4, 3), Share(1, 8))  # where square roots are taken by the units that take exponentials
OTHERS = Way(Tile(64, 64, 4, 3), NONE)
SEVERAL = {16: Tile(64, 128, 4, 3), 64: Tile(128, 64, 8, 3, 128)}  # by columns of V, up to which
WRITTEN = Tile(64, 64, 4, 1)
COORDINATES = {True: Tile(32, 128, 4, 2), False: Tile(32, 64, 4, 2)}  # in single precision, and in double
DOUBLES = Tile(64, 32, 4, 2)  # several columns in double precision
SMALL = Tile(16, 16, 4, 1)  # where the interpreter goes through them


def share_of(formula: Formula, width: int) -> Share:
    """Return which exponentials of a product with one column are taken by arithmetic."""
    return _way(formula, width_of(width)).share


def for_product(source: Source) -> Tile:
    """Return the tile of a product with one column."""
    widths = sum(width_of(p.width) for p in source.points)
    return _way(source.formula, widths).tile if _halved(source) else COORDINATES[source.in_single]


def for_products(source: Source, columns: int) -> Tile:
    """Return the tile of a product with several columns."""
    if not source.in_single:
        return DOUBLES
    tile = next(tile for most, tile in SEVERAL.items() if columns <= most)
    return tile if _halved(source) else COORDINATES[True]


def for_filling(source: Source) -> Tile:
    """Return the tile in which K is written."""
    return WRITTEN if _halved(source) else COORDINATES[source.in_single]


def _halved(source: Source) -> bool:
    return all(p.halved for p in source.points)


def _way(formula: Formula, width: int) -> Way:
    if bell(formula) is not None:
        return next((way for most, way in GAUSSIAN.items() if width <= most), GAUSSIAN[256])
    return ROOTS if any(isinstance(f, ex.Sqrt) for f in formula.walk()) else OTHERS
