"""Arrays whose rows lie in partitions on workers: encodings, and matrices with a row for each object.

A `Parted` is what its client sees of one: which rows lie in which partition, and a future for each of these. What is
done with it is done partition by partition where they lie. What is small stands on the client, as an array of NumPy:
some rows that were asked for by their numbers, and sums over rows such as RᵀR, which are made in a fixed tree, so
that they are the same to the last bit whoever has made the parts of them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Self

import numpy as np

from gramian.checks import Array
from gramian.formula import encoded
from gramian.places.dask.blocks import (
    added,
    beside_number,
    brought,
    drawn,
    in_columns_of,
    itself,
    itself_given,
    pieced,
    product_by,
    product_with_rows,
    put_together,
    seen,
    some_of,
    taken,
    written,
)
from gramian.places.dask.pairs import cuts as cuts_of
from gramian.places.dask.work import Work, shipping
from gramian.runtime.fingerprint import fingerprint

FEW_ROWS = 1024  # rows, and
SMALL = 2**26  # bytes of them, up to which a part of an array is brought to the client
ABREAST = 4  # parts of a sum that are added at a time


class Rows:
    """The rows themselves: a future for each partition, which is replaced where numbers are written over."""

    def __init__(self, work: Work, cuts: Sequence[int], blocks: Sequence[Any], tail: tuple[int, ...], dtype: Any):
        self.work, self.cuts, self.blocks = work, tuple(cuts), list(blocks)
        self.tail, self.dtype = tuple(tail), None if dtype is None else np.dtype(dtype)


class Outline:
    """What is left of an array in partitions where a worker is told of what was made from it: its shape."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype = shape, dtype

    def __len__(self) -> int:
        return self.shape[0]


class Parted:
    """An array in partitions, or some of its columns, or the transpose of either."""

    __array_ufunc__ = None  # NumPy leaves it alone

    def __init__(
        self, rows: Rows, columns: slice = slice(None), dtype: Any = None, turned: bool = False, **said: Any
    ) -> None:
        self.rows, self.columns, self.turned = rows, columns, turned
        self.dtype = rows.dtype if dtype is None else np.dtype(dtype)
        self.said = said
        for name, value in said.items():  # what encodings say of themselves: their width, their load, …
            if name != "none":
                setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        """Return what all rows share, such as a vocabulary, where they are no numbers: that of none of them."""
        none = self.__dict__.get("said", {}).get("none")
        if none is None or name.startswith("__") or not hasattr(none, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name == "like":
            return self._like
        found = getattr(none, name)
        if callable(found):
            raise AttributeError(f"{name} of rows on workers is asked of the workers")
        return found

    def _like(self, other: Any) -> Parted:
        """Return rows in the columns of others."""
        none = other.said["none"] if isinstance(other, Parted) else other[:0]
        if none is self.said["none"]:
            return self
        found = self.mapped(partial(in_columns_of, none))
        return Parted(Rows(self.work, self.cuts, found, self.tail, None), **self.said | {"none": none})

    def __array__(self, *_: Any, **__: Any) -> Array:
        raise TypeError("an array whose rows lie on workers was taken for one of the client: it is not gathered")

    def __reduce__(self) -> Any:
        if shipping.get():  # a kernel about a sample goes to workers without the sample
            return Outline, (self.shape, self.dtype)
        return itself_given, (self.host(),)

    def __deepcopy__(self, memo: Any) -> Parted:
        return self  # partitions are never written to

    def __fingerprint__(self) -> Any:
        """Return what the same rows have in every run, however they lie in partitions."""
        even = self.recut(cuts_of(len(self)))
        return self.shape, str(self.dtype), self.work.answers(even.mapped(fingerprint))

    # What it looks like

    @property
    def work(self) -> Work:
        """Who does what is asked for."""
        return self.rows.work

    @property
    def cuts(self) -> tuple[int, ...]:
        """The first row of each partition, and the number of rows."""
        return self.rows.cuts

    @property
    def tail(self) -> tuple[int, ...]:
        """The shape of a row."""
        if not self.rows.tail:
            return ()
        return len(range(*self.columns.indices(self.rows.tail[0]))), *self.rows.tail[1:]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of rows and columns."""
        shape = (self.cuts[-1], *self.tail)
        return shape[::-1] if self.turned else shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"{' × '.join(map(str, self.shape))} {self.dtype} in {len(self.rows.blocks)} partitions"

    @property
    def T(self) -> Parted:
        """The transpose."""
        return Parted(self.rows, self.columns, self.dtype, not self.turned)

    @property
    def _look(self) -> tuple[slice, np.dtype[Any] | None]:
        return self.columns, self.dtype

    @property
    def _whole(self) -> bool:
        return self.tail == self.rows.tail and self.dtype == self.rows.dtype

    # Partition by partition

    def mapped(self, function: Callable[..., Any], *others: Any) -> list[Any]:
        """Return a future of `function(block, …)` for each partition.

        Of other arrays it is given the rows of that partition, whether they lie on workers or on the client; anything
        else goes with every call.
        """
        columns: list[Sequence[Any]] = []
        kinds: list[Any] = []
        for other in (self, *others):
            if isinstance(other, Parted):
                other = other if other.cuts == self.cuts else other.recut(self.cuts)
                columns.append(other.rows.blocks)
                kinds.append(other._look)
            elif isinstance(other, np.ndarray) and len(other) == self.cuts[-1]:
                columns.append([np.ascontiguousarray(other[i:j]) for i, j in pairwise(self.cuts)])
                kinds.append(None)
            else:
                raise TypeError(f"{type(other).__name__} beside the rows of an array")
        return self.work.each(partial(seen, function, tuple(kinds)), *columns)

    def rowwise(
        self, function: Callable[..., Any], *others: Any, dtype: Any = None, width: int | None = None
    ) -> Parted:
        """Return the array of what `function` makes of the rows of each partition, of its own width and precision."""
        tail = self.tail if width is None else (width,)
        found = self.mapped(function, *others)
        return Parted(Rows(self.work, self.cuts, found, tail, dtype or self.dtype))

    def gathered(self, function: Callable[..., Array], *others: Any) -> Array:
        """Return what `function` makes of all rows, on the client."""
        return np.concatenate(self.work.answers(self.mapped(function, *others)))

    def summed(self, function: Callable[..., Any], *others: Any) -> Any:
        """Return the sum of what `function` makes of each partition, on the client."""
        return self.work.answers([total(self.work, self.mapped(function, *others))])[0]

    def host(self) -> Any:
        """Return all of it on the client."""
        found = put_together(self.work.answers(self.mapped(brought)))
        return found.T if self.turned else found

    def recut(self, cuts: Sequence[int]) -> Parted:
        """Return the same rows in other partitions."""
        wanted = [_pieces(self.cuts, i, j) for i, j in pairwise(cuts)]
        lists = [[self.rows.blocks[p] for p, _ in pieces] for pieces in wanted]
        found = self.work.each(partial(pieced, self._look), lists, [[some for _, some in pieces] for pieces in wanted])
        return Parted(Rows(self.work, cuts, found, self.tail, self.dtype), **self.said)

    # Some of it

    def __getitem__(self, index: Any) -> Any:
        rows, columns = index if isinstance(index, tuple) else (index, slice(None))
        if self.turned:
            found = self.T[columns, rows]
            return found.T
        return self._columns(columns)._some(rows)

    def _columns(self, columns: Any) -> Any:
        if not isinstance(columns, slice):
            chosen = np.asarray(columns)
            return self.rowwise(partial(taken, chosen), width=len(chosen))
        if columns == slice(None):
            return self
        first, last, step = columns.indices(self.tail[0])
        if step != 1 or self.columns.step not in (None, 1):
            raise TypeError("columns are taken in runs")
        offset = self.columns.indices(self.rows.tail[0])[0]
        return Parted(self.rows, slice(offset + first, offset + max(first, last)), self.dtype)

    def _some(self, rows: Any) -> Any:
        if isinstance(rows, slice):
            first, last, step = rows.indices(self.cuts[-1])
            if (first, last, step) == (0, self.cuts[-1], 1):
                return self
            if step == 1 and last - first > FEW_ROWS:
                return self.recut([first, *(c for c in self.cuts if first < c < last), last])._from(first)
            rows = np.arange(first, last, step)
        chosen = np.asarray(rows)
        if chosen.dtype == bool:
            chosen = np.flatnonzero(chosen)
        if chosen.ndim == 0:
            return self._some(chosen[None])[0]
        chosen = np.where(chosen < 0, chosen + self.cuts[-1], chosen)
        if len(chosen) <= FEW_ROWS or len(chosen) * self._bytes <= SMALL:
            return self._fetched(chosen)
        return self._shuffled(chosen)

    def _from(self, first: int) -> Parted:
        self.rows.cuts = tuple(c - first for c in self.rows.cuts)
        return self

    @property
    def _bytes(self) -> float:
        return float(getattr(self, "load", None) or np.prod(self.tail, dtype=float)) * 8

    def _fetched(self, chosen: Array) -> Any:
        """Return rows on the client, in the order in which they were asked for."""
        home = np.searchsorted(self.cuts, chosen, side="right") - 1
        order = np.argsort(home, kind="stable")
        met, starts = np.unique(home[order], return_index=True)
        if not len(met):
            met, starts = np.array([0]), np.array([0])
        runs = np.split(order, starts[1:])
        parts = self.work.answers(
            self.work.each(
                partial(some_of, self._look),
                [self.rows.blocks[p] for p in met],
                [chosen[run] - self.cuts[p] for p, run in zip(met, runs, strict=True)],
            )
        )
        found, back = put_together(parts), np.argsort(order, kind="stable")
        return [found[k] for k in back] if isinstance(found, list) else found[back]

    def _shuffled(self, chosen: Array) -> Parted:
        """Return rows in partitions of their own, in the order in which they were asked for."""
        largest = max(j - i for i, j in pairwise(self.cuts))
        cuts = [*range(0, len(chosen), max(1, largest)), len(chosen)]
        lists, places = [], []
        for i, j in pairwise(cuts):
            home = np.searchsorted(self.cuts, chosen[i:j], side="right") - 1
            met = np.unique(home)
            lists.append([self.rows.blocks[p] for p in met])
            places.append((np.searchsorted(met, home), chosen[i:j] - np.asarray(self.cuts)[home]))
        found = self.work.each(partial(drawn, self._look), lists, places)
        return Parted(Rows(self.work, cuts, found, self.tail, self.dtype), **self.said)

    def __setitem__(self, index: Any, values: Any) -> None:
        rows, columns = index if isinstance(index, tuple) else (index, slice(None))
        if self.turned:
            self.T[columns, rows] = values.T
            return
        if rows is not Ellipsis and not (isinstance(rows, slice) and self._some_of(rows)):
            raise TypeError("rows of an array in partitions are written all at once")
        part = self if columns is Ellipsis or columns == slice(None) else self._columns(columns)
        if isinstance(values, Parted) and part.tail == part.rows.tail:
            values = values.astype(self.rows.dtype)
            part.rows.blocks = list(values.mapped(itself)) if not values._whole else list(values.rows.blocks)
            return
        where = partial(written, part.columns)
        part.rows.blocks = Parted(part.rows).mapped(where, values)

    def _some_of(self, rows: slice) -> bool:
        return rows.indices(self.cuts[-1]) == (0, self.cuts[-1], 1)

    # Arithmetic

    def astype(self, dtype: Any) -> Parted:
        """Return the numbers in a precision, in which they are seen; the partitions stay as they are."""
        return Parted(self.rows, self.columns, dtype, self.turned, **self.said)

    def _with(self, function: Callable[..., Any], other: Any) -> Parted:
        if self.turned:
            return self.T._with(function, other.T if np.ndim(other) else other).T
        if isinstance(other, Parted | np.ndarray):
            return self.rowwise(function, other, dtype=np.result_type(self.dtype, other.dtype))
        if np.ndim(other) == 0:
            return self.rowwise(partial(beside_number, function, other))
        raise TypeError(f"{type(other).__name__} beside an array in partitions")

    def __add__(self, other: Any) -> Parted:
        return self._with(operator.add, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Parted:
        return self._with(operator.sub, other)

    def __mul__(self, other: Any) -> Parted:
        return self._with(operator.mul, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Parted:
        return self._with(operator.truediv, other)

    def _over(self, found: Parted) -> Self:
        self[...] = found
        return self

    def __iadd__(self, other: Any) -> Self:
        return self._over(self + other)

    def __isub__(self, other: Any) -> Self:
        return self._over(self - other)

    def __imul__(self, other: Any) -> Self:
        return self._over(self * other)

    def __itruediv__(self, other: Any) -> Self:
        return self._over(self / other)

    def __matmul__(self, other: Any) -> Any:
        if self.turned:
            return self.T.summed(product_with_rows, other.host() if _turned(other) else other)
        B = other.host() if isinstance(other, Parted) else other
        dtype = np.result_type(self.dtype, B.dtype)
        return self.rowwise(partial(product_by, B), dtype=dtype, width=B.shape[1])

    def __rmatmul__(self, other: Any) -> Any:
        found = self.T @ other.T
        return found.T


def _turned(other: Any) -> bool:
    return isinstance(other, Parted) and other.turned


def _pieces(cuts: Sequence[int], first: int, last: int) -> list[tuple[int, slice]]:
    """Return the partitions that hold some rows, and which rows of each of them these are."""
    return [
        (p, slice(max(first, i) - i, min(last, j) - i))
        for p, (i, j) in enumerate(pairwise(cuts))
        if max(first, i) < min(last, j)
    ]


def total(work: Work, parts: Sequence[Any]) -> Any:
    """Return the future of a sum, made in a tree that the number of parts alone decides about."""
    parts = list(parts)
    while len(parts) > 1:
        parts = work.each(added, [parts[k : k + ABREAST] for k in range(0, len(parts), ABREAST)])
    return parts[0]


encoded.copied.register(Parted, lambda part: part)  # partitions are never written to


@encoded.in_precision.register(Parted)
def _in_precision(part: Parted, dtype: np.dtype[Any]) -> Parted:
    return part.astype(dtype) if part.dtype is not None and part.dtype.kind == "f" else part


@encoded.joined.register(Parted)
def _joined(p: Parted, q: Any) -> Parted:
    if not isinstance(q, Parted):
        block = p.work.each(itself_given, [q])
        q = Parted(Rows(p.work, (0, len(q)), block, tuple(q.shape[1:]), getattr(q, "dtype", None)))
    p, q = (x if x._whole else x.rowwise(itself) for x in (p, q))
    cuts = [*p.cuts, *(p.cuts[-1] + c for c in q.cuts[1:])]
    rows = Rows(p.work, cuts, [*p.rows.blocks, *q.rows.blocks], p.tail, p.dtype)
    return Parted(rows, **p.said)
