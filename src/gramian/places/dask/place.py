"""The place of objects in partitions: one for each collection, found by what its encodings are made of.

Encodings, and matrices with a row for each object (factors, bases, preconditioners), are `Parted`: they lie on the
workers. Vectors, and what has the size of a rank, are on the client. What is asked of small matrices is done by the
cores of the client.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import pairwise
from typing import Any, cast

import numpy as np

from gramian.checks import Array
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula
from gramian.places import CORES, on_host, place_of, register
from gramian.places.cores.tiles import DEFAULT_MEMORY
from gramian.places.dask import collected
from gramian.places.dask.blocks import itself
from gramian.places.dask.collections import Partitions
from gramian.places.dask.entries import Between, Side, parted_leaf
from gramian.places.dask.matrices import Parted, Rows
from gramian.places.dask.work import Work
from gramian.places.protocol import Asked, Defaults, Entries, Factor, Matrix, Place, Prepared

HOLD = 2**30  # bytes, by which ranks are chosen as on the cores


class Workers(Defaults):
    """The workers of a cluster, and the partitions of a collection on them."""

    name = "dask"
    title = "workers of Dask"
    full = (MemoryError,)
    answers = False
    memory = DEFAULT_MEMORY
    hold = HOLD
    lanes = 1
    speed = 1.0

    def __init__(self, work: Work, cuts: tuple[int, ...]) -> None:
        self.work, self.cuts = work, cuts

    def zeros(self, side: int) -> Any:
        return self.array(np.zeros((side, side), order="F"))

    def numbers(self, of: Callable[[Encoded], Array], a: Encoded) -> Array:
        leaf = parted_leaf(a)
        if leaf is None or not any(part.dtype is None for part in Side(self.work, a).parted):
            return of(a)
        of(on_host(a[:1]))  # what it needs of a sample that it is about is found here
        parts = self.work.each(partial(numbers, of), Side(self.work, a).in_partitions(leaf.cuts))
        return np.concatenate(self.work.answers(parts))

    def features(self, phi: Callable[[Encoded], Any], a: Encoded, in_place: bool) -> Matrix:
        leaf = parted_leaf(a)
        if leaf is None:
            return phi(a)
        phi(on_host(a[:1]))  # what it needs of a sample that it is about is found here
        parts = self.work.each(partial(features, phi), Side(self.work, a).in_partitions(leaf.cuts))
        first = self.work.answers(self.work.each(outline, parts[:1]))[0]
        return Parted(Rows(self.work, leaf.cuts, parts, *first))

    def prepare(self, formula: Formula) -> Prepared:
        return Plan(formula)

    def entries(self, asked: Asked) -> Entries:
        return Between(self.work, asked)

    def exact(self) -> AbstractContextManager[None]:
        return nullcontext()

    # Arrays

    def stripes(self, n: int, size: int) -> list[slice]:
        return [slice(0, n)]

    def vectors(self, X: Any, name: str) -> Matrix:
        return X

    def array(self, values: Any, dtype: Any = None) -> Matrix:
        if isinstance(values, Parted):
            return values if dtype is None else values.astype(dtype)
        values = np.asarray(values, dtype)
        if values.ndim < 2 or len(values) != self.cuts[-1]:
            return values
        return self._rows(values)

    def _rows(self, values: Array) -> Parted:
        blocks = self.work.each(itself, [np.ascontiguousarray(values[i:j]) for i, j in pairwise(self.cuts)])
        return Parted(Rows(self.work, self.cuts, blocks, values.shape[1:], values.dtype))

    def host(self, A: Matrix) -> Array:
        return cast(Array, A.host() if isinstance(A, Parted) else A)

    def empty(self, shape: tuple[int, int], dtype: Any) -> Matrix:
        if shape[0] != self.cuts[-1]:
            return np.empty(shape, dtype)
        sizes = [(j - i, *shape[1:]) for i, j in pairwise(self.cuts)]
        return Parted(Rows(self.work, self.cuts, self.work.each(partial(zeros, dtype), sizes), shape[1:], dtype))

    def compact(self, A: Matrix) -> Matrix:
        return A.rowwise(itself) if isinstance(A, Parted) else CORES.compact(A)

    def cast(self, A: Matrix, dtype: Any) -> Matrix:
        return A.astype(dtype) if isinstance(A, Parted) else CORES.cast(A, dtype)

    def dtype(self, A: Matrix) -> np.dtype[Any]:
        found: np.dtype[Any] = np.dtype(A.dtype)
        return found

    # What is seen of matrices on the host

    def beside(self, A: Matrix, V: Array) -> Matrix:
        if not isinstance(A, Parted):
            return CORES.beside(A, V)
        return A.rowwise(CORES.beside, np.asarray(V, A.dtype), width=A.shape[1] + V.shape[1])

    def times(self, A: Matrix, V: Array) -> Array:
        if not isinstance(A, Parted):
            return CORES.times(A, V)
        return np.asarray(A @ V) if A.turned else A.gathered(partial(product, V))

    def squares(self, A: Matrix) -> tuple[Array, Array]:
        if not isinstance(A, Parted):
            return CORES.squares(A)
        if A.turned:
            return self.squares(A.T)[::-1]
        return A.summed(squares_of_columns), A.gathered(squares_of_rows)

    def lengths(self, A: Matrix) -> Array:
        return A.gathered(CORES.lengths) if isinstance(A, Parted) else CORES.lengths(A)

    def mean(self, A: Matrix, weights: Array | None = None) -> Array:
        if not isinstance(A, Parted):
            return CORES.mean(A, weights)
        w = np.ones(len(A)) if weights is None else np.asarray(weights, np.float64)
        return np.asarray(A.summed(weighted_sum, w[:, None]) / w.sum())

    def moved(self, A: Matrix, mean: Array, weights: Array | None = None) -> Matrix:
        if not isinstance(A, Parted):
            return CORES.moved(A, mean, weights)
        return A.rowwise(partial(moved, mean), *(() if weights is None else (np.asarray(weights),)))

    def look_through(self, A: Matrix, d: Array, L: Array, R: Array) -> None:
        of_columns = self.times(A.T, R).T.astype(self.dtype(A))
        scaled = self.moved(A, np.zeros(A.shape[1]), np.square(d[:, 0]))
        A[...] = scaled - self.array(L, self.dtype(A)) @ of_columns

    def finite(self, A: Matrix) -> bool:
        return bool(np.isfinite(A.summed(plain_sum))) if isinstance(A, Parted) else CORES.finite(A)

    # Dense linear algebra

    def add_at(self, A: Matrix, i: Array, j: Array, value: float) -> None:
        if not isinstance(A, Parted):
            CORES.add_at(A, i, j, value)
            return
        if A.turned:
            self.add_at(A.T, j, i, value)
            return
        home = np.searchsorted(A.cuts, i, side="right") - 1
        places = [(i[home == p] - start, j[home == p]) for p, start in enumerate(A.cuts[:-1])]
        A.rows.blocks = self.work.each(partial(with_number, value), A.rows.blocks, places)

    def syrk(self, rows: Matrix, lower: Matrix | None = None) -> Matrix:
        if not isinstance(rows, Parted):
            return CORES.syrk(rows, lower)
        found = rows.summed(CORES.syrk)
        if lower is None:
            return found
        lower += found
        return lower

    def syr(self, factor: float, v: Array, lower: Matrix) -> Matrix:
        return CORES.syr(factor, v, lower)

    def trsm(self, L: Matrix, B: Matrix) -> Matrix:
        if isinstance(B, Parted):
            return B.T.rowwise(partial(substituted, self.host(L))).T
        return CORES.trsm(self.host(L), B)

    def substitute(self, L: Matrix, rows: Matrix) -> Matrix:
        if not isinstance(rows, Parted):
            return CORES.substitute(L, rows)
        rows[...] = rows.rowwise(partial(substituted, self.host(L)))
        return rows

    def cholesky(self, A: Matrix) -> Factor:
        return CORES.cholesky(self.host(A))

    def eigh(self, A: Matrix) -> tuple[Array, Matrix]:
        return CORES.eigh(self.host(A))

    def svd(self, A: Matrix) -> tuple[Matrix, Array, Matrix]:
        return CORES.svd(self.host(A))


class Plan:
    """An expression, evaluated where the objects are."""

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        self._here = CORES.prepare(formula)
        self.scratch = self._here.scratch

    def write(self, a: Encoded, b: Encoded, out: Matrix) -> None:
        """Write values into an array of the client."""
        here = on_host(a), on_host(b)
        place_of(here[0]).prepare(self.formula).write(*here, out)

    def norms(self, a: Encoded) -> Array:
        leaf = parted_leaf(a)
        if leaf is None:
            return self._here.norms(a)
        parts = leaf.work.each(partial(norms, self.formula), Side(leaf.work, a).in_partitions(leaf.cuts))
        return np.concatenate(leaf.work.answers(parts))

    def of(self, values: Array) -> Array:
        return self._here.of(values)


# What is done on workers


def norms(formula: Formula, a: Encoded) -> Array:
    """Return κ(x, x) of encodings, wherever their vectors are."""
    return place_of(a).prepare(formula).norms(a)


def zeros(dtype: Any, shape: tuple[int, ...]) -> Array:
    """Return an array of zeros."""
    return np.zeros(shape, dtype)


def product(V: Array, block: Array) -> Array:
    """Return block · V."""
    return np.asarray(block @ V)


def squares_of_columns(block: Array) -> Array:
    """Return the sums of squares of columns, in double precision."""
    return CORES.squares(block)[0]


def squares_of_rows(block: Array) -> Array:
    """Return the sums of squares of rows, in double precision."""
    return CORES.squares(block)[1]


def weighted_sum(block: Array, weights: Array) -> Array:
    """Return the sum of rows times their weights, in double precision."""
    return np.asarray(weights[:, 0] @ block.astype(np.float64, copy=False))


def plain_sum(block: Array) -> Any:
    """Return the sum of all numbers."""
    return block.sum(dtype=np.float64)


def moved(mean: Array, block: Array, weights: Array | None = None) -> Array:
    """Return rows less a mean, times the roots of their weights."""
    return np.asarray(CORES.moved(block, mean, weights))


def with_number(value: float, block: Array, places: tuple[Array, Array]) -> Array:
    """Return a block with a number added in some places."""
    found = block.copy()
    CORES.add_at(found, *places, value)
    return found


def substituted(L: Array, block: Array) -> Array:
    """Return block · L⁻ᵀ."""
    return np.asarray(CORES.substitute(L, np.array(block, order="C")))


def numbers(of: Callable[[Encoded], Array], a: Encoded) -> Array:
    """Return a number for each object."""
    return np.asarray(of(a))


def features(phi: Callable[[Encoded], Any], a: Encoded) -> Any:
    """Return explicit features, wherever the vectors are."""
    here = on_host(a)
    found = phi(here)
    return place_of(found).host(found)


def outline(part: Any) -> tuple[tuple[int, ...], Any]:
    """Return the shape of a row, and the precision."""
    return tuple(part.shape[1:]), part.dtype


def of(part: Parted) -> Place:
    """Return the place of an array in partitions."""
    return Workers(part.work, part.cuts)


class Collections(Workers):
    """What Dask's collections are given to: their partitions are encoded where they are."""

    def __init__(self) -> None:
        super().__init__(cast(Work, None), (0,))

    def encoded(self, kernel: Any, X: Any) -> Encoded:
        return collected.encoded(kernel, X)

    def settled(self, kernel: Any, X: Any) -> Any:
        return collected.settled(kernel, X)


def take(kind: type) -> None:
    """Take collections of a type, where Dask says that they are some."""
    if hasattr(kind, "__dask_graph__"):
        register(kind, Collections())


register(Parted, of)
register(Partitions, Collections())
