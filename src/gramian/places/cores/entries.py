"""The entries of K by tiles on all cores: interpreted where work is small, compiled where it is large."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.formula.encoded import Encoded
from gramian.places.cores import tiles
from gramian.places.cores.fused import Fused, fused
from gramian.places.protocol import Asked, Remember
from gramian.runtime.journal import Stages
from gramian.runtime.progress import task

WORTH = 4 * 10**7  # values of κ, half of K where it is symmetric, from which on to compile it takes less than it saves
HOLD = 2**30  # bytes of K that are kept for the time of an iteration, n = 16,000 in double precision


class Tiled:
    """K cut into tiles that fit the memory budget."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.tiling = self._cut(asked.shape, asked.symmetric)

    def _cut(self, shape: tuple[int, int], symmetric: bool) -> tiles.Tiling:
        a, scratch = self.asked, self.asked.plan.scratch
        width = 0 if a.rows.sparse else a.rows.width
        tiling = tiles.cut(shape, a.dtype, scratch, a.memory, symmetric, width, a.expensive)
        return tiling.tall(a.memory // (a.dtype.itemsize * (1 + scratch))) if a.whole_columns else tiling

    @cached_property
    def fused(self) -> Fused | None:
        """K as compiled passes, where it has them and there is so much to compute that they pay.

        That depends on the numbers of objects alone, so that the same data give the same digits on every run.
        """
        a = self.asked
        entries = max(a.among, a.shape[0] * a.shape[1] // (2 if a.symmetric else 1))
        return None if entries < WORTH or a.whole_columns else fused(a.plan.formula, a.rows, a.cols, a.dtype)

    def write(self, i: slice, j: slice, out: Array) -> None:
        """Write the tile of rows i and columns j into `out`."""
        if self.fused is not None:
            self.fused.fill(i, j, out)
        else:
            self._interpret(self.asked.rows[i], self.asked.cols[j], out)

    def _interpret(self, a: Encoded, b: Encoded, out: Array) -> None:
        (self.asked.write or self.asked.plan.write)(a, b, out)

    def _in_pieces(self, block: tiles.Block) -> tiles.Block:
        return tiles.in_pieces(block, _with_vectors(self.asked.rows)) if self.asked.expensive else block

    def _diagonal(self) -> Array | None:
        return self.asked.diagonal() if self.tiling.symmetric and self.asked.diagonal else None

    def matrix(self, remember: Remember) -> Array:
        def fill(stages: Stages) -> Array:
            out = np.empty(self.asked.shape, self.asked.dtype)
            twice = self.fused.fill if self.fused is not None else None
            tiles.fill(self._in_pieces(self.write), self.tiling, self._diagonal(), out, stages, twice)
            return out

        out = remember(("dense",), fill)
        if self.asked.symmetric and not self.tiling.symmetric:
            out += out.T
            out /= 2
        return out

    def block(self, rows: Any, cols: Any, remember: Remember) -> Array:
        a, b = self.asked.rows[rows], self.asked.cols[cols]
        out = np.empty((len(a), len(b)), self.asked.dtype)
        tiling = self._cut(out.shape, symmetric=False)
        write = self._in_pieces(lambda i, j, tile: self._interpret(a[i], b[j], tile))

        def fill(stages: Stages) -> Array:
            tiles.fill(write, tiling, None, out, stages)
            return out

        return remember(("block", _places(rows, self.asked.shape[0]), _places(cols, self.asked.shape[1])), fill)

    def multiply(self, V: Array, remember: Remember) -> Array:
        return self._few_at_a_time(V, lambda W: self._multiply(W, remember))

    def _multiply(self, V: Array, remember: Remember) -> Array:
        a, diagonal, write = self.asked, self._diagonal(), self._in_pieces(self.write)
        if (passes := self.fused) is not None and V.shape[1] == 1:
            wide = tiles.cut(a.shape, a.dtype, 0, a.memory, a.symmetric, largest=tiles.LARGEST_FUSED_SIDE)
            return remember(("product", V), lambda stages: tiles.multiply_fused(passes, wide, V, stages))
        return remember(("product", V), lambda stages: tiles.multiply(write, self.tiling, V, diagonal, stages))

    def both(self, V: Array, W: Array) -> tuple[Array, Array]:
        a, write = self.asked, self._in_pieces(self.write)
        if (passes := self.fused) is not None and V.shape[1] == 1:
            wide = tiles.cut(a.shape, a.dtype, 0, a.memory, False, largest=tiles.LARGEST_FUSED_SIDE)
            return tiles.both_fused(passes, wide, V, W)
        return tiles.both(write, self.tiling, V, W)

    def _few_at_a_time(self, V: Array, multiply: Any) -> Array:
        """Multiply by a few columns at a time: the lanes' partial sums count against the budget, too."""
        width = max(1, self.asked.memory // (8 * self.tiling.lanes * self.asked.shape[0]))
        chunks = [V[:, k : k + width] for k in range(0, V.shape[1], width)]
        if len(chunks) == 1:
            return np.asarray(multiply(V))
        parts = []
        with task("", len(chunks)) as told:
            for chunk in chunks:
                parts.append(multiply(chunk))
                told.step()
        return np.hstack(parts)

    def can_hold(self, dtype: np.dtype[Any]) -> bool:
        n = len(self.asked.rows)
        return n * (n + tiles.LARGEST_SIDE) // 2 * dtype.itemsize <= HOLD

    def hold(self, dtype: np.dtype[Any], remember: Remember) -> HeldTiles:
        tiling, write, diagonal = self.tiling, self._in_pieces(self.write), self._diagonal()
        flat = remember(
            ("tiles", dtype.str, tiling.rows, tiling.cols),
            lambda stages: tiles.hold(write, tiling, diagonal, self.asked.dtype, dtype, stages),
        )
        return HeldTiles(self, tiles.tiles_of(flat, tiling))


class HeldTiles:
    """Tiles of a symmetric K that are kept."""

    def __init__(self, entries: Tiled, kept: list[Array]) -> None:
        self._entries, self.tiles = entries, kept

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.tiles[0].dtype

    def multiply(self, V: Array, remember: Remember) -> Array:
        return self._entries._few_at_a_time(V, lambda W: self._multiply(W, remember))

    def _multiply(self, V: Array, remember: Remember) -> Array:
        W = V.astype(self.dtype, copy=False)
        return remember(
            ("held", self.dtype.str, V),
            lambda stages: tiles.multiply_held(self.tiles, self._entries.tiling, W, stages),
        )

    def matrix(self, dtype: Any = None, factor: float = 1.0) -> Array:
        asked = self._entries.asked
        out = np.empty(asked.shape, dtype or self.dtype)
        diagonal = asked.diagonal() if asked.diagonal else np.zeros(len(out), self.dtype)
        tiles.spread(self.tiles, self._entries.tiling, diagonal * factor, out, factor)
        return out


def _places(chosen: Any, size: int) -> Array:
    return np.arange(size)[chosen] if isinstance(chosen, slice) else np.asarray(chosen)


def _with_vectors(part: Any) -> bool:
    """Tell whether vectors are among the parts of encodings: numbers whose products are sums, and so rounded."""
    if isinstance(part, Encoded):
        return any(_with_vectors(inner) for inner in part)
    return len(part.shape) > 1 or getattr(part, "width", 0) > 0
