"""Collections of Dask as batches that never come here: what is asked of them is done where their partitions are.

A `Collection` answers what `Batches` do, but for one thing: it cannot be gone through. A function is sent to each
partition instead, which is made into objects there as a batch of a table is, and what it returns is summed up in a
fixed tree (`summed`), or small (`gathered`). So it is with the batches of a file, where there are workers to read it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np

from gramian.checks import Array, as_generator, whole
from gramian.intake.batches import Batch, Batches, _as_values, _chosen, _join, _pair
from gramian.intake.draws import drawn
from gramian.intake.rows import check_finite, column_of, is_table, names_of, objects_of, wanted
from gramian.places import made_of, partitioned
from gramian.runtime.sizes import Sized

T = TypeVar("T")

WHERE = "the collection"


class Collection(Batches):
    """Objects in the partitions of a collection, and targets beside them.

    Parameters
    ----------
    X : collection
        An array, a data frame or a bag of Dask.
    y : collection or array, optional
        The targets, in an array or a column of Dask, or at hand.
    weights : collection or array, optional
        Of the objects, likewise. Functions are given those of their partition as a last argument.
    """

    _weights: list[Any] | None = None

    def __init__(self, X: Any, y: Any = None, weights: Any = None) -> None:
        self.given = X
        found = partitioned(X)
        assert found is not None
        self._names = found.names if found.names is None else tuple(map(str, found.names))
        self._parts_of = found.turned(partial(_objects, found.names))
        self._targets = None if y is None else self._beside(y, "y")
        self._weights = None if weights is None else self._beside(weights, "sample_weight")
        self.rows = max(found.lengths)

    def __repr__(self) -> str:
        return f"Collection of {self.count:,} objects in {len(self._parts_of.lengths)} partitions"

    @property
    def count(self) -> int:
        """The number of objects."""
        return len(self._parts_of)

    @property
    def once(self) -> bool:
        """False: partitions can be worked on again."""
        return False

    @property
    def is_spread(self) -> bool:
        """False: it is in partitions already."""
        return False

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The columns that make X; None where they have no names."""
        return self._names

    def summed(self, function: Callable[..., T], merge: Callable[[T, T], T], what: str = "") -> T:
        """Return the sum of what a function makes of the partitions: X, y and the place of the first object."""
        found: T = self._parts_of.summed(self._tasks(function), merge, what)
        return found

    def gathered(self, function: Callable[..., T], what: str = "") -> list[T]:
        """Return what a function makes of the partitions, which must be small."""
        found: list[T] = self._parts_of.gathered(self._tasks(function), what)
        return found

    @property
    def has_weights(self) -> bool:
        """Whether objects have weights."""
        return self._weights is not None

    @property
    def partitions(self) -> Any:
        """The partitions, each a local object as kernels take it."""
        return self._parts_of

    def targets(self) -> Array | None:
        """Return all targets, on this machine."""
        return None if self._targets is None else np.concatenate(self.gathered(_targets, "targets"))

    def answered(self, function: Callable[[Any, int, Any], Any], asked: Any, like: Any) -> Any:
        """Return a collection of what a function makes of the partitions and of who is asked, when it is wanted.

        Each is like some answer in type and shape.
        """
        return self._parts_of.answered(function, asked, like)

    def head(self, n: int) -> Batch:
        """Return the first n objects."""
        n = whole(n, "n")
        return self._taken(np.arange(min(n, self.count)))

    def sample(self, n: int, rng: Any = None) -> Batch:
        """Return objects drawn from all partitions; of those with weights such as weigh more than nothing."""
        if self._weights is None:
            return self.drawn(n, rng)[0]
        return self._taken(drawn(self.count, whole(n, "n"), as_generator(rng)), self._weights)

    def weights(self) -> Array | None:
        """Return all weights, on this machine."""
        return None if self._weights is None else np.concatenate(self._of_weights(_weights_of))

    def heaviest(self) -> float:
        """Return the largest of the weights."""
        return float(max(self._of_weights(_heaviest)))

    def _of_weights(self, function: Callable[[Any, int], Any]) -> list[Any]:
        """Return what a function makes of the weights of each partition, whose objects are not looked at."""
        given = made_of(_itself, list(self._parts_of.lengths), self._weights or [])
        found: list[Any] = given.gathered(given.mapped(function, "weights"), "weights")
        return found

    def drawn(self, n: int, rng: Any) -> tuple[Batch, Array]:
        """Return objects drawn from all partitions, and their places."""
        places = drawn(self.count, n, np.random.default_rng(rng))
        return self._taken(places), places

    def __iter__(self) -> NoReturn:
        raise TypeError(
            f"a collection of Dask is not gathered on this machine ({self!r}), and what is asked of it cannot be done "
            "partition by partition: give a rank where there is one, or take a sample of it, X.sample or X[:10_000]"
        )

    def _tasks(self, function: Callable[..., Any]) -> list[Any]:
        beside = [[None] * len(self._parts_of.parts) if self._targets is None else self._targets]
        if self._weights is not None:
            beside.append(self._weights)
        found: list[Any] = self._parts_of.mapped(partial(_asked, function), "part", *beside)
        return found

    def _taken(self, places: Array, weights: list[Any] | None = None) -> Batch:
        """Return the objects of some places, which are sorted."""
        starts, lengths = np.array(self._parts_of.starts), np.array(self._parts_of.lengths)
        bounds = np.searchsorted(places, np.append(starts, starts[-1] + lengths[-1]))
        rows = [places[a:b] - start for a, b, start in zip(bounds[:-1], bounds[1:], starts, strict=True)]
        beside = [[None] * len(rows) if self._targets is None else self._targets, rows]
        if weights is not None:
            beside.append(weights)
        found = self._parts_of.some(_rows, [len(some) > 0 for some in rows], "some of the objects", *beside)
        _require_alike(found, [number for number, some in enumerate(rows) if len(some)])
        return _join([some for some in found if len(some[0])] or found[:1])

    def _beside(self, y: Any, name: str) -> list[Any]:
        """Return the targets, or weights, of each partition."""
        lengths = self._parts_of.lengths
        found = partitioned(y)
        if found is None:
            values = _as_values(y, name)
            if len(values) != self.count:
                raise ValueError(
                    f"{name} has {len(values):,} values, and X {self.count:,} objects; one for each expected"
                )
            starts = self._parts_of.starts
            return [values[start : start + length] for start, length in zip(starts, lengths, strict=True)]
        found = found.cut_like(self._parts_of, y)
        if found.lengths != lengths:
            raise ValueError(
                f"{name} has {len(found):,} values in {len(found.lengths)} partitions, and X {self.count:,} objects in "
                f"{len(lengths)}; the same rows in each partition expected: X.repartition, or {name}.rechunk"
            )
        return list(found.parts)


class Files(Collection):
    """The batches of a file, or of a folder of them, which workers read.

    Parameters
    ----------
    batches : Batches
        Of a file that all workers find under the same name.
    y, weights : None
        Its targets are those of the batches, which have no weights.
    """

    def __init__(self, batches: Batches, y: Any = None, weights: Any = None) -> None:
        if y is not None:
            raise ValueError("y is given beside batches, which have targets of their own: gm.Batches(X, target=y)")
        if weights is not None:
            raise ValueError("batches have no weights: use partial_fit(X, y, sample_weight), batch by batch")
        source, target, _ = batches._given
        name, self.rows = Path(source).absolute(), batches.rows
        self.given, self._names, self._targets = batches, batches.feature_names, None
        count = batches.count or 0
        lengths = [min(self.rows, count - start) for start in range(0, count, self.rows)]
        in_file = isinstance(target, str | PathLike)
        cut = partial(_slice, None if in_file else batches._values, self.rows)
        if in_file and batches._column is None:
            target = Path(target).absolute()
        if batches.texts is None:
            read = partial(_read, name, target if in_file else None, batches._columns, self.rows)
        else:  # where its rows are, and what columns hold, was found already
            read = partial(_read_of, batches.to_be_sent())
        self._parts_of = made_of(read, lengths, list(map(cut, range(len(lengths)))))

    @property
    def partitions(self) -> Any:
        return self._parts_of.turned(_without_targets)

    def targets(self) -> Array | None:
        told = self.given._column is not None or self.given._values is not None
        return np.concatenate(self.gathered(_targets, "targets")) if told else None


def _require_alike(found: list[Batch], numbers: list[int]) -> None:
    """Refuse partitions of unlike columns."""
    shapes = [getattr(X, "shape", (0,))[1:] for X, _ in found]
    for number, shape in zip(numbers, shapes, strict=True):
        if shape != shapes[0]:
            raise ValueError(
                f"partition {number}: its objects have {shape[0] if shape else 'no'} columns, and those of partition "
                f"{numbers[0]} {shapes[0][0] if shapes[0] else 'none'}; the same expected everywhere"
            )


def _slice(values: Array | None, rows: int, number: int) -> Array | None:
    return None if values is None else np.asarray(values[number * rows : (number + 1) * rows])


@dataclass(frozen=True, eq=False)
class Piece(Sized):
    """A batch that was read on a worker."""

    X: Any
    y: Array | None
    places: Array | None = None  # of the objects in the piece of the file, where some were left out

    def __len__(self) -> int:
        return len(self.X)


def _read(name: Path, target: Any, columns: Any, rows: int, number: int, y: Array | None) -> Piece:
    """Read one batch of a file, and the target beside it unless that was at hand."""
    X, found = _opened(name, name.stat().st_mtime_ns, target, columns, rows).piece(number)
    return Piece(X, found if y is None else y)


def _read_of(batches: Batches, number: int, y: Array | None) -> Piece:
    """Read one batch of a file that was looked through, and the target beside it unless that was at hand."""
    X, found = batches.piece(number)
    return Piece(X, found if y is None else y)


@lru_cache(maxsize=4)
def _opened(name: Path, modified: int, target: Any, columns: Any, rows: int) -> Batches:
    return Batches(name, target, columns=columns, rows=rows)


def _without_targets(piece: Piece, start: int) -> Any:
    return piece.X


def _objects(names: tuple[Any, ...] | None, X: Any, start: int) -> Any:
    """Return a partition as kernels take it."""
    rows = range(start, start + len(X))
    if is_table(X):
        if names is not None and names_of(X) != names:
            raise ValueError(f"it has the columns {names_of(X)}, and the collection {names}: make them alike")
        known = wanted(names_of(X), None, None, WHERE)
        return objects_of(X, known, rows, WHERE)
    if hasattr(X, "to_frame"):  # a single column, of texts or numbers
        return list(column_of(X.to_frame("x"), "x", rows, WHERE).tolist())
    if isinstance(X, np.ndarray):
        check_finite(X, rows, WHERE)
    return X


def _asked(function: Callable[..., T], X: Any, start: int, y: Any, *weights: Any) -> T:
    """Call a function on objects and their targets, and weights where there are any."""
    if isinstance(X, Piece):
        X, y = X.X, X.y
    given = [_as_weights(some, X, start) for some in weights]
    if y is None:
        return function(X, None, start, *given)
    _pair((X, y), "it")
    values = np.asarray(y)
    check_finite(values, range(start, start + len(values)), WHERE, "the target")
    return function(X, values, start, *given)


def _as_weights(weights: Any, X: Any, start: int) -> Array:
    """Return the weights of a partition, which are numbers of at least 0."""
    _pair((X, weights), "it with its weights")
    found = np.asarray(weights)
    if found.ndim != 1 or found.dtype.kind not in "buif":
        raise ValueError(
            f"sample_weight has the shape {found.shape} and type {found.dtype}; a number for each object expected"
        )
    check_finite(found, range(start, start + len(found)), WHERE, "sample_weight")
    if (found < 0).any():
        row = start + int(np.argmax(found < 0))
        raise ValueError(f"sample_weight is {found.min():g} in row {row:,}; numbers of at least 0 expected")
    return found.astype(np.float64)


def _itself(number: int, weights: Any) -> Any:
    return weights


def _weights_of(weights: Any, start: int) -> Array:
    return _as_weights(weights, weights, start)


def _heaviest(weights: Any, start: int) -> float:
    return float(_weights_of(weights, start).max(initial=0.0))


def _targets(X: Any, y: Array, start: int, *weights: Array) -> Array:
    """Return the targets of a partition."""
    return y


def _rows(X: Any, start: int, y: Any, rows: Array, *weights: Any) -> Batch:
    """Return some rows of a partition; where there are weights, those that weigh something."""
    for some in weights:
        rows = rows[np.asarray(some)[rows] > 0]
    if isinstance(X, Piece):
        rows = rows if X.places is None else np.flatnonzero(np.isin(X.places, rows))
        X, y = X.X, X.y
    return _chosen(X, None if y is None else np.asarray(y), rows)
