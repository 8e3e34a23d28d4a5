"""Data that comes in batches, for data sets that are larger than memory.

    for X, y in gm.Batches("big.parquet", target="price"):
        ...

Whatever the source (files, arrays on disk, tables, functions that return iterators), what comes out is the same: pairs
(X, y) of as many objects as were asked for, the last one of what is left. Two batches or so are in memory at a time.
A batch is checked as it passes, so that an error names the row of the whole source, and not that of a piece of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from gramian.checks import Array, as_generator, at_hand, is_sparse, whole
from gramian.intake.draws import drawn
from gramian.intake.rows import (
    Objects,
    Rows,
    check_finite,
    column_of,
    float_type,
    is_table,
    listed,
    names_of,
    objects_of,
    wanted,
)
from gramian.intake.sources import Source, as_source, load_npy, pick
from gramian.places import CORES, Place, workers_are_there
from gramian.places.moving import named_place
from gramian.runtime.progress import task
from gramian.runtime.tree import Tree

Batch: TypeAlias = tuple[Any, Array | None]  # X is an array or a list
T = TypeVar("T")


class Batches:
    """Objects, and a target beside them, that come in batches.

    Iterating gives pairs (X, y), every one but the last of exactly `rows` objects. X is an array of floats of shape
    (rows, d) for numbers (float32 if all are, else float64), a list for other objects, and for tables of several kinds
    of columns an array of records, which kernels `.on("column")` take. y is an array, or None. Rows and batches are
    counted from 0 in all messages.

    Parameters
    ----------
    source : object
        What the objects are in:

        - the name of a file: Parquet (.parquet, .pq), Arrow or Feather (.arrow, .feather, .ipc), NumPy (.npy), CSV
          (.csv, .tsv; what a column holds is settled once, by rows from everywhere) or lines of text (.txt); or of a
          folder of Parquet or CSV files, which are read in the order of their paths, or of texts;
        - an array, in memory or mapped to a file: 2-D for numbers, 1-D for objects;
        - a table: a pyarrow Table, RecordBatch, RecordBatchReader or Dataset, or a data frame;
        - a list or tuple of objects, such as strings; it is never taken as one of batches;
        - a function without arguments that returns an iterator of batches, and is called for every pass;
        - any other iterable of batches. An iterator or generator can be gone through once only.

        A batch is X alone, an array, list or table, or a pair (X, y). A batch that is a tuple is always taken as a
        pair: it has two parts of the same length, or y is None.
    target : str, path or array, optional
        The name of the column of a table that is the target; or an array as long as the source; or the name of a
        file that holds it, which ends in .npy.
    columns : str or list of str, optional
        Which columns of a table make X, in this order; by default all but the target and, in a file that pandas has
        written, the index of the data frame.
    rows : int
        How many objects make a batch.

    Attributes
    ----------
    feature_names : tuple of str or None
        The columns that make X; None where they have no names. Of an iterator or function the first batch is read.
    count : int or None
        The number of objects; None where it cannot be known without reading the data.
    once : bool
        Whether the source can be gone through once only.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ImportError
        If a Parquet or Arrow file is given, and pyarrow is not installed.
    TypeError
        If the source, or a batch, is nothing that is understood.
    ValueError
        If a file is broken or of an unknown kind, there is no object, no such column, a value that is missing or not
        finite, a target of another length, or a batch that is unlike those before it.
    RuntimeError
        If an iterator is gone through a second time.

    See Also
    --------
    read_data : a file of any kind as objects
    KernelRidge : ridge regression
    Nystrom : any kernel in low rank, by landmarks

    Notes
    -----
    Cost: one pass over the source for each loop; memory for one batch of `rows` × d numbers, and what the file needs
    to be read.

    Batches of an array in memory are views of it; all others are copies. Files are read page by page, so that large
    row groups of Parquet do not matter; a pyarrow Dataset is read as pyarrow does it, a row group or more at a time.

    Examples
    --------
    >>> import numpy as np, gramian as gm
    >>> X = np.arange(10.0).reshape(5, 2)
    >>> batches = gm.Batches(X, target=[0, 1, 0, 1, 1], rows=2)
    >>> batches
    Batches of the array, 5 objects, 2 at a time
    >>> for X, y in batches:
    ...     print(X.tolist(), y)
    [[0.0, 1.0], [2.0, 3.0]] [0 1]
    [[4.0, 5.0], [6.0, 7.0]] [0 1]
    [[8.0, 9.0]] [1]

    A function can make batches of anything, and of any size:

    >>> def lines():
    ...     yield ["bar", "bat"]
    ...     yield ["car"]
    >>> [X for X, _ in gm.Batches(lines, rows=3)]
    [['bar', 'bat', 'car']]
    """

    place: Place = CORES

    def __init__(self, source: Any, target: Any = None, *, columns: Any = None, rows: int = 65_536) -> None:
        self.rows = whole(rows, "rows")
        self._given = source, target, columns
        self._source = as_source(source)
        self._where = str(self._source.name)
        self._columns = _as_columns(columns)
        self._column, self._values = _as_target(target)
        if self._columns is None and self._source.index and self._source.columns is not None:
            left = {*self._source.index, self._column}
            self._columns = tuple(name for name in self._source.columns if name not in left) or None
        self._names: tuple[str, ...] | None = None
        self._begun = False
        self._ahead: list[Batch] = []
        self._rest: Iterator[Batch] | None = None
        self._check_source(self._source)

    def __repr__(self) -> str:
        name = self._source.name
        size = "" if self.count is None else f", {self.count:,} object{'' if self.count == 1 else 's'}"
        return f"Batches of {repr(str(name)) if isinstance(name, Path) else name}{size}, {self.rows:,} at a time"

    @property
    def count(self) -> int | None:
        """The number of objects; None where it cannot be known without reading the data."""
        return self._source.count

    @property
    def once(self) -> bool:
        """Whether the source can be gone through once only."""
        return self._source.once

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The columns that make X; None where they have no names."""
        if self._names is None and self._source.named and not self._begun:
            self.head(1)
        return self._names

    def on_device(self, device: Any) -> Batches:
        """Return these batches as tensors of a device, sent one by one, each while the one before it is worked on.

        >>> import numpy as np, gramian as gm
        >>> gm.Batches(np.eye(2)).on_device("cpu").head(1)
        (array([[1., 0.]]), None)
        """
        found = copy(self)
        found.place = named_place(device)
        return found

    def __iter__(self) -> Iterator[Batch]:
        if not self.once:
            return self.place.stream(self._cut(self._parts()))
        self._require_fresh()
        self._begun = True
        return self.place.stream(self._cut(chain(_emptying(self._ahead), self._stream())))

    def head(self, n: int) -> Batch:
        """Return the first n objects, or all if there are fewer; an iterator loses nothing by it.

        >>> import gramian as gm
        >>> letters = gm.Batches(iter([["a", "b"], ["c"]]))
        >>> letters.head(2), list(letters)
        ((['a', 'b'], None), [(['a', 'b', 'c'], None)])
        """
        return self._sent(self._head(whole(n, "n")))

    def _sent(self, batch: Batch) -> Batch:
        sent: Batch = next(iter(self.place.stream(iter([batch]))))
        return sent

    def _head(self, n: int) -> Batch:
        if not self.once:
            return _first(self._parts(), n)
        self._require_fresh()
        try:
            self._ahead.extend(_covering(self._stream(), n - sum(len(X) for X, _ in self._ahead)))
        except BaseException:
            self._begun = True  # a broken stream cannot go on: what was read so far would pass for the whole
            raise
        return _first(iter(self._ahead), n)

    def sample(self, n: int, rng: Any = None) -> Batch:
        """Return n objects drawn uniformly without replacement, in the order of the source, or all if there are fewer.

        What can be indexed is read at n places only, anything else in one pass. A source that can be gone through
        once only gives its head instead, which is no random sample unless the source is in random order.

        >>> import numpy as np, gramian as gm
        >>> gm.Batches(np.arange(1000)).sample(5, rng=0)[0]
        array([ 11, 269, 850, 855, 921])
        """
        n, rng = whole(n, "n"), as_generator(rng)
        return self.head(n) if self.once else self.drawn(n, rng)[0]

    def drawn(self, n: int, rng: Any) -> tuple[Batch, Array]:
        """Return what `sample` returns of a source that can be gone through again, and the places of these objects."""
        batch, rows = self._drawn(n, as_generator(rng))
        return self._sent(batch), rows

    def _drawn(self, n: int, rng: np.random.Generator) -> tuple[Batch, Array]:
        if self._source.take is None or self.count is None:
            return _least(self._parts(), n, rng)
        rows = drawn(self.count, n, rng)
        X, y, _ = self._part(self._source.take(rows), None, rows)
        return (X, y), rows

    @property
    def is_spread(self) -> bool:
        """Whether workers are there to read it: those of a client of Dask, who find a file under the same name."""
        source = self._given[0]
        in_file = isinstance(source, str | os.PathLike) and self.place is CORES
        return in_file and self.count is not None and workers_are_there()

    @property
    def texts(self) -> Any:
        """Where the rows of text files are; None of other sources."""
        return self._source.texts

    def to_be_sent(self) -> Batches:
        """Return the same for workers, with all that is settled about text files and without targets at hand."""
        if self.texts is not None:
            self.texts.settled()
        found = copy(self)
        found._values, found._given, found._ahead = None, (str(self._where), self._column, self._columns), []
        return found

    def piece(self, number: int) -> Batch:
        """Return one batch, by reading no more than it takes."""
        start = number * self.rows
        rows = range(start, min(start + self.rows, self.count or 0))
        if self._source.take is not None:
            X, y, _ = self._part(self._source.take(rows), None, rows)
            return X, y
        held, row = [], start
        for raw in self._source.part(rows.start, rows.stop, self._needed()):
            X, y, _ = self._part(raw, None, range(row, row + len(raw)))
            row += len(X)
            held.append((X, y))
        return _join(held)

    def gathered(self, function: Callable[[Any, Any, int], T], what: str = "") -> list[T]:
        """Return what a function makes of each batch: X, y and the place of its first object."""
        return list(self._made(function, what))

    def summed(self, function: Callable[[Any, Any, int], T], merge: Callable[[T, T], T], what: str = "") -> T:
        """Return the sum of what a function makes of each batch, in a fixed tree."""
        tree: Tree[T] = Tree(merge)
        for part in self._made(function, what):
            tree.push(part)
        return tree.total()

    def _made(self, function: Callable[[Any, Any, int], T], what: str) -> Iterator[T]:
        start = 0
        with task(what, None if self.count is None else -(-self.count // self.rows)) as told:
            for X, y in self:
                yield function(X, y, start)
                start += len(X)
                told.step()

    def _check_source(self, source: Source) -> None:
        """Refuse at once what can be known without reading."""
        if source.columns is not None:
            self._names = wanted(source.columns, self._columns, self._column, self._where)
        elif not source.named:
            self._refuse_names()
        if source.take is not None and source.count == 0:
            raise self._empty()
        if self._values is not None and source.count is not None:
            self._check_length(source.count)

    # One pass

    def _stream(self) -> Iterator[Batch]:
        """Return the only pass there is through the source."""
        if self._rest is None:
            self._rest = self._parts()
        return self._rest

    def _require_fresh(self) -> None:
        if self._begun:
            raise RuntimeError(
                f"{self._where} was gone through already, and can be once only: pass a function that returns a new "
                "one, such as gm.Batches(lambda: read('file'))"
            )

    def _cut(self, parts: Iterator[Batch]) -> Iterator[Batch]:
        """Join and cut the parts to size; an object is copied once at most."""
        held: list[Batch] = []
        room = self.rows
        for X, y in parts:
            start, size = 0, len(X)
            while size - start >= room:
                yield _join([*held, _between(X, y, start, start + room)])
                start, room, held = start + room, self.rows, []
            if start < size:
                held.append(_between(X, y, start, size))
                room -= size - start
        if held:
            yield _join(held)

    def _parts(self) -> Iterator[Batch]:
        """Go through the source as it comes, but checked and without empty batches."""
        row, first, form = 0, 0, ""
        for number, raw in enumerate(self._source.open(self.rows, self._needed())):
            X, y = _pair(raw, f"{self._where}: batch {number}")
            if not len(X):
                continue
            X, y, names = self._part(X, y, range(row, row + len(X)))
            found = _form(X, y, names)
            if not row:
                first, form, self._names = number, found, names
            if found != form:
                raise ValueError(
                    f"{self._where}: batch {number} is {found}, and batch {first} was {form}; make them alike"
                )
            row += len(X)
            yield X, y
        if not row:
            raise self._empty()
        if self._values is not None:
            self._check_length(row)

    def _needed(self) -> tuple[str, ...] | None:
        """Return the columns to read; None for all."""
        if self._columns is None:
            return None
        return self._columns if self._column is None else (*self._columns, self._column)

    def _part(self, X: Any, y: Any, rows: Rows) -> tuple[Objects, Array | None, tuple[str, ...] | None]:
        """Return X as kernels take it, the target beside it, and the names of the columns of X."""
        if is_table(X):
            names = wanted(names_of(X), self._columns, self._column, self._where)
            return objects_of(X, names, rows, self._where), self._target(X, y, rows), names
        self._refuse_names()
        return self._plain(X, rows), self._target(X, y, rows), None

    def _target(self, X: Any, y: Any, rows: Rows) -> Array | None:
        """Return the target of these objects: a column of theirs, a part of an array, or what came with them."""
        if y is not None and not (self._column is None and self._values is None):
            raise ValueError(f"{self._where}: batches are pairs (X, y), and a target is given as well; leave one out")
        if self._column is not None:
            return column_of(X, self._column, rows, self._where)
        if self._values is not None:
            self._check_length(rows[-1] + 1, least=True)
            y = pick(self._values, rows)
        if y is None:
            return None
        found = np.array(_as_values(y, f"{self._where}: the target"))
        check_finite(found, rows, self._where, "the target")
        return found

    def _plain(self, X: Any, rows: Rows) -> Objects:
        """Return objects without named columns; those of a stream as copies, as it may use its memory again."""
        if not hasattr(X, "__array__"):
            return list(X)
        if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
            raise ValueError(f"{self._where}: masked entries; drop or impute those rows first")
        A, copy = np.asarray(X), self._source.take is None
        if A.ndim not in (1, 2) or (A.ndim == 1 and A.dtype.kind in "fc"):
            raise ValueError(
                f"{self._where}: numbers of {A.ndim} dimension(s), 2 expected: one row per object and one column per "
                "feature, X.reshape(-1, 1) if it is one feature"
            )
        if A.ndim == 1:
            return np.array(A) if copy else A
        if not A.shape[1]:
            raise ValueError(f"{self._where}: no column; at least one feature expected")
        check_finite(A, rows, self._where)
        return A.astype(float_type(A.dtype), copy=copy)

    # What is refused

    def _empty(self) -> ValueError:
        return ValueError(f"{self._where}: no objects; at least one expected")

    def _refuse_names(self) -> None:
        name = self._column or (self._columns and self._columns[0])
        if name:
            raise ValueError(
                f"{self._where}: no column {name!r}, as columns have no names here; pass a table, or arrays"
            )

    def _check_length(self, size: int, least: bool = False) -> None:
        """Refuse a target that is not as long as the source, or shorter than what was read so far."""
        values = self._values
        if values is not None and (len(values) < size if least else len(values) != size):
            raise ValueError(
                f"{self._where}: {'at least ' if least else ''}{size:,} objects, and {len(values):,} values in the "
                "target; one for each object expected"
            )


def _as_columns(columns: Any) -> tuple[str, ...] | None:
    if columns is None or isinstance(columns, str):
        return None if columns is None else (columns,)
    if not isinstance(columns, Iterable) or not (found := tuple(columns)):
        raise ValueError(f"columns is {columns!r}; names of columns expected, one at least")
    return found


def _as_target(target: Any) -> tuple[str | None, Array | None]:
    """Return the name of a column, or the values themselves, which may lie on disk."""
    if target is None:
        return None, None
    if isinstance(target, os.PathLike) or (isinstance(target, str) and target.endswith(".npy")):
        return None, _as_values(load_npy(Path(target)), str(target))
    return (target, None) if isinstance(target, str) else (None, _as_values(target, "target"))


def _as_values(values: Any, where: str) -> Array:
    at_hand(values)
    try:
        found: Array = np.asanyarray(values)
    except ValueError:
        raise ValueError(f"{where} is ragged; one value, or one row of values, for each object expected") from None
    if found.ndim not in (1, 2):
        raise ValueError(f"{where} has {found.ndim} dimension(s); one value, or one row, for each object expected")
    return found


def _pair(raw: Any, where: str) -> tuple[Any, Any]:
    """Return X and y of a raw batch; a tuple is always a pair."""
    if isinstance(raw, tuple) and len(raw) != 2:
        raise TypeError(f"{where} is a tuple of length {len(raw)}; a pair (X, y) expected, or a list of objects")
    X, y = raw if isinstance(raw, tuple) else (raw, None)
    if is_sparse(X) or isinstance(X, str | bytes | Mapping) or not hasattr(X, "__len__"):
        raise TypeError(
            f"{where} is a {type(X).__name__}; an array, a list of objects, a table, or a pair (X, y) expected"
        )
    if y is not None and len(X) != len(y):
        raise ValueError(f"{where} is a pair of {len(X):,} objects and {len(y):,} values; one for each object expected")
    return X, y


def _form(X: Objects, y: Array | None, names: tuple[str, ...] | None) -> str:
    """Say what a batch holds; batches are alike if this is the same."""
    target = "" if y is None else f" with a target of {_kind(y)}"
    return _kind(X) + (f" named {listed(names)}" if names else "") + target


def _kind(X: Objects) -> str:
    if isinstance(X, list):
        return f"a list of {type(X[0]).__name__}"
    if X.dtype.names:
        return "records of " + ", ".join(f"{name} ({X.dtype[name]})" for name in X.dtype.names)
    return f"{X.shape[1]} columns of {X.dtype}" if X.ndim == 2 else X.dtype.type.__name__.rstrip("_")


# Batches joined and cut


def _between(X: Objects, y: Array | None, start: int, stop: int) -> Batch:
    return X[start:stop], None if y is None else y[start:stop]


def _chosen(X: Objects, y: Array | None, places: Array) -> Batch:
    return pick(X, places), None if y is None else y[places]


def _join(batches: list[Batch]) -> Batch:
    if len(batches) == 1:
        return batches[0]
    Xs, ys = zip(*batches, strict=True)
    X = list(chain.from_iterable(Xs)) if isinstance(Xs[0], list) else np.concatenate(Xs)
    return X, None if ys[0] is None else np.concatenate(ys)


def _emptying(batches: list[Batch]) -> Iterator[Batch]:
    """Go through batches, and let go of each."""
    while batches:
        yield batches.pop(0)


def _covering(batches: Iterator[Batch], n: int) -> Iterator[Batch]:
    """Give whole batches until there are n objects."""
    while n > 0 and (batch := next(batches, None)):
        n -= len(batch[0])
        yield batch


def _first(batches: Iterator[Batch], n: int) -> Batch:
    X, y = _join(list(_covering(batches, n)))
    return _between(X, y, 0, n)


def _least(batches: Iterator[Batch], n: int, rng: np.random.Generator) -> tuple[Batch, Array]:
    """Return the n objects with the least random keys: a uniform sample, in one pass, in the order they came in.

    Only keys below the n-th least so far matter, so that ever fewer objects are kept; 2n at most, and a batch.
    """
    held = _Kept(np.empty(0), np.empty(0, np.intp), [])
    size, bound, start = 0, np.inf, 0
    for X, y in batches:
        drawn = rng.random(len(X))
        places = np.flatnonzero(drawn < bound)
        if len(places):
            held = _Kept(
                np.append(held.keys, drawn[places]),
                np.append(held.places, start + places),
                [*held.batches, _chosen(X, y, places)],
            )
            size += len(places)
        start += len(X)
        if size > 2 * n:
            held = held.least(n)
            size, bound = n, held.keys.max()
    held = held.least(n)
    return held.batches[0], held.places


@dataclass(frozen=True, eq=False)
class _Kept:
    """Objects in the order they came in, with the keys they have drawn and their places."""

    keys: Array
    places: Array
    batches: list[Batch]

    def least(self, n: int) -> _Kept:
        """Return the n objects with the least keys."""
        kept = np.sort(np.argsort(self.keys, kind="stable")[:n])
        return _Kept(self.keys[kept], self.places[kept], [_chosen(*_join(self.batches), kept)])
