"""The tile engine: cut K into tiles that fit a memory budget, and fill or multiply them.

    fill       K[i, j] = κ(xᵢ, zⱼ)              written straight into the answer
    multiply   (K V)[i] = Σⱼ κ(xᵢ, zⱼ) V[j]     accumulated in float64, O(tile) memory
    hold       the tiles themselves             for an operator that is multiplied many times

Where K is symmetric each pair of tiles (i, j), (j, i) is computed once and used twice. Nothing of size n × n is ever
held, except by `fill` and `hold`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import accumulate, pairwise, product
from math import ceil, isqrt, sqrt
from typing import Any, TypeAlias

import numpy as np

from gramian.checks import Array
from gramian.places.cores.distances import SLAB
from gramian.places.cores.fused import Fused
from gramian.runtime.journal import Stages, at_once
from gramian.runtime.threads import check_interrupt, cores, one_blas_thread, run

DEFAULT_MEMORY = 256 * 2**20
LARGEST_SIDE = 768  # beyond this a tile leaves the last cache for no gain
LARGEST_FUSED_SIDE = 2048  # of a tile that is multiplied without being written
SMALLEST_SIDE = 32  # below this the cost of a call is greater than that of its tile
PARALLEL_SIDE = 128  # tiles are not made smaller than this only to occupy more cores
SHARES = 8  # tiles for each lane from which on all lanes end at about the same time
EXPENSIVE_SHARES = 32  # where some tiles take much longer than others
ALONE = 2**22  # numbers to be multiplied up to which a second lane takes longer to start than to be waited for
ENOUGH = 2**28  # for each lane beyond the second: with less to do lanes wait for the interpreter, and for each other
LEAST_WIDTH = 32  # for entries take their time even of points of few numbers
EXPENSIVE_SIDE = 8  # unless each entry takes long
LARGEST_EXPENSIVE_SIDE = 192  # then a tile takes long too, and somebody may wait for its end
EXPENSIVE_PIECE = 0.2  # seconds after which a tile of a expensive kernel looks whether to go on
FEWEST = 32  # entries that are asked for at a time even so
STEADY = 4096  # entries that are asked for at a time where the time they take must not matter
COPIES = 3  # of an object's numbers that a block may make: shifted, squared, augmented
STRIPE = 64  # rows of a tile that are transposed at a time, so that whole cache lines are written

Span: TypeAlias = tuple[slice, slice]
Block: TypeAlias = Callable[[slice, slice, Array], None]
Fetch: TypeAlias = Callable[[int, int, Span], Array]
Add: TypeAlias = Callable[[int, int, Span, Array, Array | None], None]  # adds what a tile gives to sums, both ways


@dataclass(frozen=True)
class Tiling:
    """How K is cut: tiles of `rows` × `cols`, worked on by `lanes` threads."""

    shape: tuple[int, int]
    rows: int
    cols: int
    lanes: int
    symmetric: bool

    def tall(self, entries: int) -> Tiling:
        """Return tiles of whole columns, of about so many entries: for kernels whose columns cost the same in part."""
        n, m = self.shape
        return Tiling(self.shape, max(n, 1), max(1, min(m, entries // max(n, 1))), 1, False)

    def spans(self) -> list[Span]:
        """List the tiles; of a symmetric K, those on and above the diagonal."""
        row_starts, col_starts = range(0, self.shape[0], self.rows), range(0, self.shape[1], self.cols)
        return [
            (slice(i, min(i + self.rows, self.shape[0])), slice(j, min(j + self.cols, self.shape[1])))
            for i, j in product(row_starts, col_starts)
            if not self.symmetric or j >= i
        ]


def cut(
    shape: tuple[int, int],
    dtype: np.dtype[np.generic],
    scratch: int,
    memory: int,
    symmetric: bool,
    width: int = 0,
    expensive: bool = False,
    largest: int = LARGEST_SIDE,
) -> Tiling:
    """Choose the largest useful tiles such that `1 + scratch` of them per thread fit into `memory` bytes.

    Copies of the objects of a tile, of `width` numbers each or a slab of them, are counted too. There are as many lanes
    as have enough to do, and tiles are no smaller than it takes to occupy them all: between two tiles a lane waits for
    the interpreter, of which there is one for all lanes. Where entries are expensive, tiles may be smaller.

    Raises
    ------
    ValueError
        If not even the smallest tile fits.
    """
    entry = dtype.itemsize * (1 + scratch)
    smallest = max(1, min(SMALLEST_SIDE, shape[0]) * min(SMALLEST_SIDE, shape[1]))
    if memory < smallest * entry:
        raise ValueError(
            f"memory is {memory} bytes, too small for one tile: at least {smallest * entry} bytes expected"
        )
    copies = COPIES * dtype.itemsize * min(width, SLAB)
    # Fewer threads rather than tiles so small that their number, not their size, takes the memory
    of_smallest = smallest * entry + 2 * copies * min(SMALLEST_SIDE, max(shape))
    numbers = shape[0] * shape[1] * max(width, LEAST_WIDTH)
    worth = cores() if expensive else 1 if numbers <= ALONE else 2 + numbers // ENOUGH
    lanes = max(1, min(cores(), worth, memory // of_smallest))
    # The largest side s with entry · s² + 2 · copies · s ≤ share
    share = memory // lanes
    fitting = (isqrt(copies * copies + entry * share) - copies) // entry
    least, most = (EXPENSIVE_SIDE, LARGEST_EXPENSIVE_SIDE) if expensive else (PARALLEL_SIDE, largest)
    of_all = shape[0] * shape[1] / (2 if symmetric else 1)
    even = ceil(sqrt(of_all / (lanes * (EXPENSIVE_SHARES if expensive else SHARES))))
    side = max(1, min(most, max(least, even), fitting))
    if symmetric:
        return Tiling(shape, side, side, lanes, True)
    rows = min(side, shape[0])
    widest = (share - copies * rows) // (entry * rows + copies)
    cols = min(shape[1], max(side, min(side * side // rows, widest)))
    return Tiling(shape, rows, cols, lanes, False)


def in_pieces(block: Block, steady: bool) -> Block:
    """Return a block of expensive entries that writes a tile in pieces, so that a Ctrl-C need not wait for its end.

    How large the pieces are depends on the time they take. With `steady` it does not: where vectors are among the
    objects, entries differ in the last bit from piece to piece.
    """
    size = STEADY if steady else FEWEST

    def write(i: slice, j: slice, out: Array) -> None:
        nonlocal size
        row, col = 0, 0
        while row < len(out):
            rows = 1 if col else max(1, size // out.shape[1])
            piece = out[row : row + rows, col : col + size]
            begun = time.perf_counter()
            first, left = i.start + row, j.start + col
            block(slice(first, first + len(piece)), slice(left, left + piece.shape[1]), piece)
            if not steady:
                size = max(FEWEST, int(EXPENSIVE_PIECE * piece.size / max(time.perf_counter() - begun, 1e-9)))
            col += piece.shape[1]
            if col == out.shape[1]:
                row, col = row + len(piece), 0
            check_interrupt()

    return write


def _in_rounds(
    work: Callable[[int, int], None],
    jobs: int,
    tiling: Tiling,
    sums: Array,
    stages: Stages,
    in_turn: bool = False,
    what: str = "",
) -> None:
    """Let the lanes do all jobs, which write to `sums`, in rounds of one for each lane; `stages` groups the rounds.

    The shares of the lanes, and the threads of BLAS, are the same however the rounds are grouped.
    """
    lanes = max(1, min(tiling.lanes, jobs))

    def go(start: int, stop: int) -> None:
        run(work, range(start * lanes, min(stop * lanes, jobs)), lanes, in_turn=in_turn, what=what)

    with one_blas_thread() if lanes > 1 else nullcontext():
        stages(sums, -(-jobs // lanes), go, (tiling.rows, tiling.cols, lanes))


def fill(block: Block, tiling: Tiling, diagonal: Array | None, out: Array, stages: Stages = at_once) -> None:
    """Write every tile of K into `out`; a symmetric K comes out exactly symmetric, with the given diagonal."""
    spans = tiling.spans()

    def work(lane: int, number: int) -> None:
        i, j = spans[number]
        tile = out[i, j]
        block(i, j, tile)
        if not tiling.symmetric:
            return
        if i != j:
            _transpose(tile, out[j, i])
            return
        upper = np.triu(tile, 1)
        np.add(upper, upper.T, out=tile)
        np.fill_diagonal(tile, 0.0 if diagonal is None else diagonal[i])

    _in_rounds(work, len(spans), tiling, out, stages, what="entries of K")


def _transpose(tile: Array, out: Array) -> None:
    """Copy tile.T into out by stripes; at sizes that are powers of two this is several times as fast."""
    for i in range(0, len(tile), STRIPE):
        out[:, i : i + STRIPE] = tile[i : i + STRIPE].T


def hold(
    block: Block,
    tiling: Tiling,
    diagonal: Array | None,
    dtype: np.dtype[np.generic],
    kept: np.dtype[np.generic],
    stages: Stages = at_once,
) -> Array:
    """Return the tiles of K, computed in `dtype` and kept in `kept`, one after the other, for `tiles_of` to find.

    Of a symmetric K those on and above the diagonal.
    """
    spans = tiling.spans()
    flat = np.empty(sum(_sizes(tiling)), kept)
    tiles = tiles_of(flat, tiling)
    buffers = [np.empty(tiling.rows * tiling.cols, dtype) for _ in range(tiling.lanes)]

    def work(lane: int, number: int) -> None:
        tile = tiles[number]
        if kept == dtype:
            _write(block, spans[number], diagonal, tile)
        else:
            wide = buffers[lane][: tile.size].reshape(tile.shape)
            _write(block, spans[number], diagonal, wide)
            tile[...] = wide

    _in_rounds(work, len(spans), tiling, flat, stages, what="entries of K")
    return flat


def tiles_of(flat: Array, tiling: Tiling) -> list[Array]:
    """Return the tiles that `hold` made, in the order of `spans`."""
    bounds = pairwise(accumulate(_sizes(tiling), initial=0))
    return [
        flat[start:stop].reshape(i.stop - i.start, -1)
        for (i, _), (start, stop) in zip(tiling.spans(), bounds, strict=True)
    ]


def _sizes(tiling: Tiling) -> list[int]:
    return [(i.stop - i.start) * (j.stop - j.start) for i, j in tiling.spans()]


def spread(tiles: list[Array], tiling: Tiling, diagonal: Array, out: Array, factor: float = 1.0) -> None:
    """Write the tiles that `hold` made of a symmetric K, times a factor, into `out`, with the given diagonal."""
    spans = tiling.spans()

    def work(lane: int, number: int) -> None:
        (i, j), tile = spans[number], tiles[number]
        if i == j:
            upper = np.triu(tile, 1) * factor
            np.add(upper, upper.T, out=out[i, j], casting="same_kind")
        else:
            np.multiply(tile, factor, out=out[i, j], casting="same_kind")
            _transpose(out[i, j], out[j, i])

    run(work, range(len(spans)), tiling.lanes, in_turn=False)
    np.fill_diagonal(out, diagonal)


def multiply(block: Block, tiling: Tiling, V: Array, diagonal: Array | None = None, stages: Stages = at_once) -> Array:
    """Return K V in float64, V being (columns of K) × c; a symmetric K has the given diagonal."""
    V = np.ascontiguousarray(V)  # its rows are multiplied tile by tile
    return _accumulate(_by_tiles(_written(block, tiling, V.dtype, diagonal), V, V), tiling, V.shape[1], stages)


def multiply_fused(fused: Fused, tiling: Tiling, V: Array, stages: Stages = at_once) -> Array:
    """Return K V in float64 for one column V, without writing a tile."""
    V = np.array(V, order="C")
    return _accumulate(_by_passes(fused, V, V), tiling, 1, stages)


def both(block: Block, tiling: Tiling, V: Array, W: Array) -> tuple[Array, Array]:
    """Return K V and Kᵀ W in float64 from the same tiles."""
    fetch, V, W = _written(block, tiling, V.dtype), np.ascontiguousarray(V), np.ascontiguousarray(W)
    return _both_ways(_by_tiles(fetch, V, W), tiling, V.shape[1])


def both_fused(fused: Fused, tiling: Tiling, V: Array, W: Array) -> tuple[Array, Array]:
    """Return K V and Kᵀ W in float64 for one column of each, without writing a tile."""
    return _both_ways(_by_passes(fused, np.array(V, order="C"), np.array(W, order="C")), tiling, 1)


def _both_ways(add: Add, tiling: Tiling, columns: int) -> tuple[Array, Array]:
    """Return the sums over all tiles, to the rows and to the columns."""
    spans, (n, m) = tiling.spans(), tiling.shape
    sums = np.zeros((min(tiling.lanes, len(spans)), n + m, columns))

    def work(lane: int, number: int) -> None:
        i, j = spans[number]
        add(lane, number, (i, j), sums[lane, i], sums[lane, n + j.start : n + j.stop])

    _in_rounds(work, len(spans), tiling, sums, at_once, in_turn=True)
    found = sums.sum(axis=0)
    return found[:n], found[n:]


def multiply_held(tiles: list[Array], tiling: Tiling, V: Array, stages: Stages = at_once) -> Array:
    """Return K V in float64 from the tiles that `hold` made."""
    V = np.ascontiguousarray(V)
    return _accumulate(_by_tiles(lambda lane, number, span: tiles[number], V, V), tiling, V.shape[1], stages)


def _write(block: Block, span: Span, diagonal: Array | None, tile: Array) -> None:
    block(*span, tile)
    if diagonal is not None and span[0] == span[1]:
        np.fill_diagonal(tile, diagonal[span[0]])


def _written(block: Block, tiling: Tiling, dtype: np.dtype[Any], diagonal: Array | None = None) -> Fetch:
    """Return what fetches a tile by writing it, each lane over its last one."""
    buffers = [np.empty(tiling.rows * tiling.cols, dtype) for _ in range(tiling.lanes)]

    def fetch(lane: int, number: int, span: Span) -> Array:
        i, j = span
        shape = (i.stop - i.start, j.stop - j.start)
        tile = buffers[lane][: shape[0] * shape[1]].reshape(shape)
        _write(block, span, diagonal, tile)
        return tile

    return fetch


def _by_passes(fused: Fused, V: Array, W: Array) -> Add:
    """Return what adds a tile times one column of V, and its transpose times one of W, without writing the tile."""

    def add(lane: int, number: int, span: Span, sums: Array, mirrored: Array | None) -> None:
        fused.product(*span, V, W, sums[:, 0], None if mirrored is None else mirrored[:, 0])

    return add


def _by_tiles(fetch: Fetch, V: Array, W: Array) -> Add:
    """Return what adds a tile, which is fetched, times V to sums, and its transpose times W."""

    def add(lane: int, number: int, span: Span, sums: Array, mirrored: Array | None) -> None:
        tile = fetch(lane, number, span)
        sums += tile @ V[span[1]]
        if mirrored is not None:
            mirrored += tile.T @ W[span[0]]

    return add


def _accumulate(add: Add, tiling: Tiling, columns: int, stages: Stages) -> Array:
    """Return the sums over all tiles: every lane adds up those of its share, and the lanes are added in their order."""
    spans = tiling.spans()
    sums = np.zeros((min(tiling.lanes, len(spans)), tiling.shape[0], columns))

    def work(lane: int, number: int) -> None:
        i, j = spans[number]
        add(lane, number, (i, j), sums[lane, i], sums[lane, j] if tiling.symmetric and i != j else None)

    _in_rounds(work, len(spans), tiling, sums, stages, in_turn=True)
    return np.asarray(sums.sum(axis=0))
