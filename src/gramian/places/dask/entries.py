"""The entries of K between objects in partitions: products by pairs of bands, columns partition by partition.

A product with K is made of the pairs of `pairs`. The encodings of a band are brought once to each worker that compares
it with others, and stay there for all products to come; of a product only V and the shares of sums travel. A share is
what the place of the encodings makes of a tile, both ways where K is symmetric: the cores, or a device where tensors
lie. Shares are added to sums in the order of the steps, so that the sums have the same bits on every cluster, and
whether they were made in one go or taken up from a checkpoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula, Opaque
from gramian.places import CORES, on_host, place_of, there
from gramian.places.dask import pairs as cutting
from gramian.places.dask.blocks import itself_given, looked, put_together
from gramian.places.dask.matrices import Parted, Rows, _pieces
from gramian.places.dask.pairs import Pair
from gramian.places.dask.work import EverybodyLostError, Heard, Work
from gramian.places.protocol import Asked, Held, Matrix, Remember
from gramian.runtime.journal import Stages, at_once

LARGEST = 2**27  # bytes of K that are brought to the client
SHARES = 2**31  # bytes of shares of sums that are made before they are added
FEWEST = 4  # steps of a product that are made before their shares are added, at least


def parted_leaf(a: Any) -> Parted | None:
    """Return a part of encodings that lies on workers, None where all of them are on the client."""
    if isinstance(a, Parted):
        return a
    if isinstance(a, Encoded):
        return next((found for part in a.parts if (found := parted_leaf(part)) is not None), None)
    return None


class Side:
    """The objects of one side of K: what they are made of, and where bands of them were brought to."""

    def __init__(self, work: Work, a: Encoded) -> None:
        self.work, self.encoded = work, a
        self._leaves: list[Any] = []
        self._form = self._apart(a)
        self.cuts = cutting.cuts(len(a))
        self.sizes = cutting.lengths(self.cuts)
        self._brought: dict[tuple[int, str], Any] = {}

    def _apart(self, part: Any) -> Any:
        if isinstance(part, Encoded):
            return tuple(map(self._apart, part.parts))
        self._leaves.append(part)
        return len(self._leaves) - 1

    @property
    def parted(self) -> list[Parted]:
        """The parts that lie on workers."""
        return [leaf for leaf in self._leaves if isinstance(leaf, Parted)]

    def bring(self, wanted: Sequence[tuple[int, str]], addresses: Sequence[str]) -> dict[tuple[int, str], Any]:
        """Return bands as they were brought to workers; those that are not there yet are on their way."""
        self._brought = {key: band for key, band in self._brought.items() if key[1] in addresses}
        missing = sorted(set(wanted) - self._brought.keys(), key=lambda key: (key[1], key[0]))
        for address in sorted({address for _, address in missing}):
            bands = [band for band, to in missing if to == address]
            made = self._made([(self.cuts[band], self.cuts[band + 1]) for band in bands], [address])
            self._brought |= {(band, address): future for band, future in zip(bands, made, strict=True)}
        return self._brought

    def in_partitions(self, cuts: Sequence[int]) -> list[Any]:
        """Return the encodings of each partition."""
        return self._made(list(pairwise(cuts)))

    def _made(self, runs: Sequence[tuple[int, int]], workers: list[str] | None = None) -> list[Any]:
        blocks, places = [], []
        for i, j in runs:
            of_run: list[Any] = []
            where: list[Any] = []
            for leaf in self._leaves:
                if isinstance(leaf, Parted):
                    pieces = _pieces(leaf.cuts, i, j)
                    of_run.append([leaf.rows.blocks[p] for p, _ in pieces])
                    where.append([some for _, some in pieces])
                else:
                    of_run.append(leaf[i:j])
                    where.append(None)
            blocks.append(of_run)
            places.append(where)
        looks = tuple(leaf._look if isinstance(leaf, Parted) else None for leaf in self._leaves)
        return list(self.work.each(partial(assembled, self._form, looks), blocks, places, workers=workers))


@dataclass(frozen=True)
class Job:
    """What a task is to compute between two runs of encodings."""

    formula: Formula
    dtype: np.dtype[Any]
    memory: int
    expensive: bool
    whole_columns: bool
    among: int  # entries of all of K

    def asked(self, a: Encoded, b: Encoded, symmetric: bool = False, diagonal: Array | None = None) -> Asked:
        """Return what the place of the encodings is asked for; some on the host are brought to where the others are."""
        if (place := place_of(a)) is not place_of(b):
            a, b = (there(a, place_of(b)), b) if place is CORES else (a, there(on_host(b), place))
        return Asked(
            plan=place_of(a).prepare(self.formula),
            rows=a,
            cols=b,
            symmetric=symmetric,
            dtype=self.dtype,
            memory=self.memory,
            diagonal=None if diagonal is None else lambda: diagonal,
            expensive=self.expensive,
            whole_columns=self.whole_columns,
            among=self.among,
        )


class Between:
    """The entries of K between objects of which some lie in partitions."""

    def __init__(self, work: Work, asked: Asked) -> None:
        self.work, self.asked = work, asked
        n, m = asked.shape
        self.job = Job(
            asked.plan.formula, asked.dtype, asked.memory, asked.expensive, asked.whole_columns,
            n * m // (2 if asked.symmetric else 1),
        )  # fmt: skip
        if any(isinstance(part, Opaque) for part in self.job.formula.walk()):  # what its block needs is found here
            self._small(asked.rows[:1], asked.cols[:1], False).matrix(_plainly)

    @cached_property
    def rows(self) -> Side:
        """The rows."""
        return Side(self.work, self.asked.rows)

    @cached_property
    def columns(self) -> Side:
        """The columns: the rows once more where K is symmetric."""
        return self.rows if self.asked.symmetric else Side(self.work, self.asked.cols)

    # Products

    def multiply(self, V: Array, remember: Remember) -> Array:
        return remember(("product", V), lambda stages: self._multiplied(V, stages))

    @cached_property
    def pairs(self) -> list[Pair]:
        """The pairs of bands, by steps."""
        if self.asked.symmetric:
            return cutting.of_symmetric(len(self.rows.sizes))
        return cutting.of_two(len(self.rows.sizes), len(self.columns.sizes))

    def owners(self) -> tuple[list[str], list[str]]:
        """Return the worker of each pair, and all workers."""
        threads = self.work.workers()
        if not threads:
            return [""] * len(self.pairs), [""]
        sizes = self.rows.sizes, self.columns.sizes
        return cutting.owners(self.pairs, sizes, threads, self.asked.symmetric), list(threads)

    def _multiplied(self, V: Array, stages: Stages) -> Array:
        sums = np.zeros((self.asked.shape[0], V.shape[1]))
        steps = self.pairs[-1].step + 1

        def go(start: int, stop: int) -> None:
            while True:
                with suppress(EverybodyLostError):  # what was done is done again, by others
                    sums[...] = self._steps(V, sums if start else None, start, stop)
                    return

        stages(sums, steps, go, (len(self.rows.sizes), len(self.columns.sizes)))
        return sums

    def _steps(self, V: Array, sums: Array | None, start: int, stop: int) -> Array:
        """Return the sums with some steps added to them."""
        owners, addresses = self.owners()
        at_a_time = max(FEWEST, SHARES // (16 * max(self.asked.shape) * V.shape[1]))
        of_columns = _in_bands(V, self.columns.cuts)
        homes = cutting.homes(self.pairs, owners, len(self.rows.sizes), self.asked.symmetric)
        by = homes if self.asked.symmetric else [""] * len(of_columns)
        sent = self.work.placed(itself_given, by, of_columns)
        reached = [None] * len(self.rows.sizes) if sums is None else _in_bands(sums, self.rows.cuts)
        heard = Heard()
        for first in range(start, stop, at_a_time):
            chosen = [k for k, pair in enumerate(self.pairs) if first <= pair.step < min(stop, first + at_a_time)]
            shares = self._shares(chosen, owners, addresses, sent)
            heard.of(list(shares.values()))
            parts: list[list[Any]] = [[] for _ in reached]
            sides: list[list[int]] = [[] for _ in reached]
            for k in chosen:
                pair = self.pairs[k]
                parts[pair.row].append(shares[k])
                sides[pair.row].append(0)
                if self.asked.symmetric and pair.row != pair.column:
                    parts[pair.column].append(shares[k])
                    sides[pair.column].append(1)
            shapes = [(size, V.shape[1]) for size in self.rows.sizes]
            reached = self.work.placed(with_shares, homes, shapes, reached, parts, sides)
        return np.concatenate(
            self.work.answers(reached, heard, "product with K", meant_for=addresses if addresses[0] else ())
        )

    def _shares(self, chosen: list[int], owners: list[str], addresses: list[str], sent: list[Any]) -> dict[int, Any]:
        """Return the futures of what pairs give."""
        wanted = [(self.pairs[k], owners[k]) for k in chosen]
        if self.columns is self.rows:
            left = right = self.rows.bring([(band, to) for p, to in wanted for band in (p.row, p.column)], addresses)
        else:
            left = self.rows.bring([(pair.row, to) for pair, to in wanted], addresses)
            right = self.columns.bring([(pair.column, to) for pair, to in wanted], addresses)
        symmetric, cuts = self.asked.symmetric, self.rows.cuts
        diagonal = self.asked.diagonal() if symmetric and self.asked.diagonal else None
        same = [symmetric and pair.row == pair.column for pair, _ in wanted]
        futures = self.work.placed(
            partial(share, self.job, symmetric),
            [to for _, to in wanted],
            [left[pair.row, to] for pair, to in wanted],
            [right[pair.column, to] for pair, to in wanted],
            [sent[pair.row] if symmetric else None for pair, _ in wanted],
            [sent[pair.column] for pair, _ in wanted],
            same,
            [
                diagonal[cuts[pair.row] : cuts[pair.row + 1]] if own and diagonal is not None else None
                for own, (pair, _) in zip(same, wanted, strict=True)
            ],
        )
        return dict(zip(chosen, futures, strict=True))

    # Entries themselves

    def matrix(self, remember: Remember) -> Matrix:
        n, m = self.asked.shape
        if n * m * self.asked.dtype.itemsize <= LARGEST:
            return self._small(self.asked.rows, self.asked.cols, self.asked.symmetric).matrix(remember)
        return self.block(slice(None), slice(None), remember)

    def block(self, rows: Any, cols: Any, remember: Remember) -> Matrix:
        a, b = self.asked.rows[rows], self.asked.cols[cols]
        left, right = parted_leaf(a), parted_leaf(b)
        if left is None and right is None:
            return self._small(a, b, False).matrix(_plainly)
        if left is not None and right is not None:
            if len(a) * len(b) * self.asked.dtype.itemsize > LARGEST:
                raise ValueError(
                    f"{len(a):,} × {len(b):,} entries of K were asked for at once, which no machine of the cluster is "
                    "meant to hold: multiply by the Gram (gram @ V), or ask for some rows and columns, gram.block(i, j)"
                )
            return self._small(a, b, False).matrix(_plainly)
        if left is not None:
            return self._filled(a, b, left.cuts)
        assert right is not None
        return self._filled(b, a, right.cuts).T

    def _filled(self, a: Encoded, b: Encoded, cuts: Sequence[int]) -> Parted:
        """Return the entries between objects in partitions and few others, in these partitions."""
        others = self.work.each(itself_given, [[b]])
        parts = Side(self.work, a).in_partitions(cuts)
        found = self.work.each(partial(filled, self.job), parts, [others[0]] * len(parts))
        return Parted(Rows(self.work, cuts, found, (len(b),), self.asked.dtype))

    def _small(self, a: Encoded, b: Encoded, symmetric: bool) -> Any:
        """Return the entries between few objects, which are brought to the client."""
        rows = on_host(a)
        cols = rows if symmetric else on_host(b)
        place = place_of(rows)
        plan = place.prepare(self.job.formula)
        return place.entries(replace(self.asked, plan=plan, rows=rows, cols=cols, symmetric=symmetric, write=None))

    def both(self, V: Array, W: Array) -> tuple[Array, Array]:
        turned = Between(self.work, replace(self.asked, rows=self.asked.cols, cols=self.asked.rows, write=None))
        return self.multiply(V, _plainly), turned.multiply(W, _plainly)

    def can_hold(self, dtype: np.dtype[Any]) -> bool:
        return False

    def hold(self, dtype: np.dtype[Any], remember: Remember) -> Held:
        raise TypeError("K between objects in partitions is computed afresh for each product")


def _plainly(what: tuple[Any, ...], compute: Any) -> Array:
    found: Array = compute(at_once)
    return found


def _in_bands(V: Array, cuts: Sequence[int]) -> list[Array]:
    return [np.ascontiguousarray(V[i:j]) for i, j in pairwise(cuts)]


# What is done on workers


def assembled(form: Any, looks: tuple[Any, ...], blocks: list[Any], places: list[Any]) -> Encoded:
    """Return encodings made of rows of blocks; of what came with the task, as it is."""
    leaves = [
        given if where is None else put_together([looked(b, *look)[rows] for b, rows in zip(given, where, strict=True)])
        for look, given, where in zip(looks, blocks, places, strict=True)
    ]

    def built(form: Any) -> Any:
        return Encoded(tuple(map(built, form))) if isinstance(form, tuple) else leaves[form]

    found: Encoded = built(form)
    return found


def share(
    job: Job, symmetric: bool, a: Encoded, b: Encoded, of_row: Array, of_column: Array, same: bool, own: Array
) -> tuple[Array, ...]:
    """Return what a pair of bands gives of K V: to rows of the first, and of a symmetric K to those of the second."""
    if same:
        return (_entries(job.asked(a, a, True, own)).multiply(of_column, _plainly),)
    entries = _entries(job.asked(a, b))
    if not symmetric:
        return (entries.multiply(of_column, _plainly),)
    return tuple(entries.both(of_column, of_row))


def _entries(asked: Asked) -> Any:
    return place_of(asked.rows).entries(asked)


def with_shares(shape: tuple[int, int], before: Array | None, shares: list[Any], sides: list[int]) -> Array:
    """Return sums with shares added to them, one after the other."""
    sums = np.zeros(shape) if before is None else before.copy()
    for one, side in zip(shares, sides, strict=True):
        sums += one[side]
    return sums


def filled(job: Job, a: Encoded, others: list[Encoded]) -> Array:
    """Return the entries between the objects of a partition and others."""
    entries = _entries(job.asked(a, others[0]))
    out = entries.matrix(_plainly)
    return np.asarray(place_of(out).host(out))
