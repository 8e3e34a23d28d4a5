"""Pairs of bands: how K is cut for a cluster, and who computes which part of it.

The objects are cut into bands of consecutive rows, by their number alone, so that sums have the same bits on every
cluster. A task is a pair of bands (i, j): of a symmetric K those with i ≤ j, each of which gives a share of rows i and
one of rows j. The pairs are taken in steps, step g being all (i, i + g): sums over them are made in that order.

Who computes a pair decides about traffic alone. Bands are put into groups, and each worker is given squares of groups,
as large ones as still share the work evenly: a band then goes to few workers, and stays there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace
from itertools import pairwise
from math import ceil, isqrt

BAND = 12_500  # objects of a band: a pair of them takes a core a tenth of a second, or more
MANY = 64  # bands, from which on they grow with their number
MOST = 256  # bands, so that a scheduler can keep up with their pairs
EVEN = 0.95  # share of the time that the least busy worker is to work


def cuts(n: int) -> list[int]:
    """Return the first row of each band, and the number of rows."""
    few = ceil(n / BAND)
    count = max(1, few if few <= MANY else min(MOST, isqrt(MANY * few)))
    return [round(k * n / count) for k in range(count + 1)]


@dataclass(frozen=True)
class Pair:
    """Two bands, and in which step they are compared."""

    step: int
    row: int
    column: int


def of_symmetric(bands: int) -> list[Pair]:
    """Return the pairs of bands of a symmetric K, each once, by steps."""
    return [
        Pair(g, min(i, (i + g) % bands), max(i, (i + g) % bands))
        for g in range(bands // 2 + 1)
        for i in range(bands if 2 * g != bands or g == 0 else g)
    ]


def of_two(rows: int, columns: int) -> list[Pair]:
    """Return all pairs of bands of two collections, by steps: with the columns in turn."""
    return [Pair(g, i, (i + g) % columns) for g in range(columns) for i in range(rows)]


def homes(pairs: Sequence[Pair], owners: Sequence[str], bands: int, symmetric: bool) -> list[str]:
    """Return the worker that makes the sums of each band of rows: who has made the most shares of them."""
    shares: list[dict[str, int]] = [{} for _ in range(bands)]
    for pair, owner in zip(pairs, owners, strict=True):
        for band in {pair.row, pair.column} if symmetric else {pair.row}:
            shares[band][owner] = shares[band].get(owner, 0) + 1
    return [max(sorted(made), key=lambda address: made[address]) for made in shares]


def owners(
    pairs: Sequence[Pair], sizes: tuple[Sequence[int], Sequence[int]], threads: dict[str, int], symmetric: bool
) -> list[str]:
    """Return the worker of each pair: squares of groups of bands, the longest first, to who is free first."""
    bands = max(len(sizes[0]), len(sizes[1]))
    groups = max(1, isqrt(2 * sum(threads.values()))) if len(threads) > 1 else 1
    while True:
        found, even = _shared(pairs, sizes, threads, symmetric, groups)
        if even >= EVEN or groups >= bands:
            return found
        groups += 1


def _shared(
    pairs: Sequence[Pair],
    sizes: tuple[Sequence[int], Sequence[int]],
    threads: dict[str, int],
    symmetric: bool,
    groups: int,
) -> tuple[list[str], float]:
    """Return who computes each pair where bands are in so many groups, and the least share of time somebody works."""

    def group(band: int, side: int) -> int:
        return band * groups // len(sizes[side])

    squares: dict[tuple[int, int], float] = {}
    keys = [(group(p.row, 0), group(p.column, 1)) for p in pairs]
    for key, p in zip(keys, pairs, strict=True):
        half = 0.5 if symmetric and p.row == p.column else 1.0
        squares[key] = squares.get(key, 0.0) + half * sizes[0][p.row] * sizes[1][p.column]
    busy = [(0.0, number, address) for number, address in enumerate(threads)]
    heapify(busy)
    owner = {}
    for key in sorted(squares, key=lambda key: (-squares[key], key)):
        until, number, address = busy[0]
        owner[key] = address
        heapreplace(busy, (until + squares[key] / threads[address], number, address))
    ends = [until for until, _, _ in busy]
    return [owner[key] for key in keys], min(ends) / max(max(ends), 1e-300)


def lengths(cuts: Sequence[int]) -> list[int]:
    """Return how many rows there are in each band."""
    return [j - i for i, j in pairwise(cuts)]
