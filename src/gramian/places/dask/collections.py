"""Collections as partitions: one local object each, of known length, where Dask has it.

A dask.array gives arrays of whole rows, a dask.dataframe data frames, a dask.bag lists. Nothing is computed here but
lengths that Dask does not know, and those once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from operator import itemgetter
from typing import Any

import dask
import numpy as np
from dask import array
from dask.delayed import Delayed, delayed

from gramian.places.dask import engine
from gramian.places.dask.whole import at_hand
from gramian.runtime.progress import task as told_task

AHEAD = 64  # partitions whose answers are here at a time


@dataclass(frozen=True, eq=False)
class Partitions:
    """Rows of a collection, a run of them in each partition.

    Attributes
    ----------
    parts : tuple of Delayed
        The partitions, each of which will be an array, a data frame or a list; or what it is made of by the first turn.
    lengths : tuple of int
        How many objects each of them holds.
    names : tuple of str or None
        The columns, where they have names.
    dtype : dtype or None
        Of an array.
    width : tuple of int
        Of an array, the shape of a row.
    numbers : tuple of int
        By which the partitions are known, where some were left out.
    turns : tuple of callable
        What is done to each partition, given the place of its first object, before anything else is.
    """

    parts: tuple[Any, ...]
    lengths: tuple[int, ...]
    names: tuple[str, ...] | None = None
    dtype: Any = None
    width: tuple[int, ...] = ()
    numbers: tuple[int, ...] | None = None
    turns: tuple[Callable[[Any, int], Any], ...] = ()

    def __len__(self) -> int:
        return sum(self.lengths)

    @property
    def starts(self) -> tuple[int, ...]:
        """The number of the first object of each partition."""
        return tuple(accumulate(self.lengths, initial=0))[:-1]

    def mapped(self, function: Callable[..., Any], what: str, *beside: Iterable[Any]) -> list[Delayed]:
        """Return tasks that call a function on each partition, the place of its first object, and what is beside it."""
        return engine.mapped(
            partial(turned, self.turns, function), self.parts, self.starts, *map(list, beside), what=what
        )

    def turned(self, function: Callable[[Any, int], Any]) -> Partitions:
        """Return the partitions as a function makes them: given one, and the place of its first object."""
        return replace(self, turns=(*self.turns, function))

    def summed(self, tasks: list[Delayed], merge: Callable[[Any, Any], Any], what: str) -> Any:
        """Return the sum of what tasks give, one for each partition, in a fixed tree."""
        return engine.summed(tasks, merge, what, self.numbers)

    def gathered(self, tasks: list[Delayed], what: str) -> list[Any]:
        """Return what tasks give, one for each partition."""
        return engine.gathered(tasks, what, self.numbers)

    def some(self, function: Callable[..., Any], chosen: list[bool], what: str, *beside: Iterable[Any]) -> list[Any]:
        """Return what a function makes of some partitions."""
        columns = [[each for each, here in zip(column, chosen, strict=True) if here] for column in beside]
        numbers = [number for number, here in enumerate(chosen) if here]
        parts, starts = ([column[n] for n in numbers] for column in (self.parts, self.starts))
        tasks = engine.mapped(partial(turned, self.turns, function), parts, starts, *columns, what="some")
        known = range(len(self.parts)) if self.numbers is None else self.numbers
        return engine.computed(tasks, tasks, what, [known[n] for n in numbers])

    def in_turn(self, function: Callable[..., Any], what: str) -> Iterator[Any]:
        """Go through what a function makes of the partitions, in their order and few of them here at a time."""
        tasks = self.mapped(function, "part")
        with told_task(what, len(tasks)) as told:
            for start in range(0, len(tasks), AHEAD):
                some = tasks[start : start + AHEAD]
                yield from engine.computed(some, some, "", range(start, start + len(some)))
                told.advance(start + len(some))

    def answered(self, function: Callable[[Any, int, Any], Any], asked: Any, like: Any) -> Any:
        """Return arrays of Dask whose chunks are what a function makes of the partitions, and of who is asked.

        `like` is what it makes of one object: an array, or several. Arrays on workers that belong to who is asked are
        put together where the answers are made.
        """
        tasks = self.mapped(function, "answer", [at_hand(asked)] * len(self.parts))
        if not isinstance(like, tuple):
            return self._array(tasks, np.asarray(like))
        return tuple(
            self._array([delayed(itemgetter(number), pure=False)(task) for task in tasks], np.asarray(part))
            for number, part in enumerate(like)
        )

    def _array(self, tasks: list[Delayed], like: Any) -> Any:
        parts = [
            array.from_delayed(task, (length, *like.shape[1:]), meta=like[:0])
            for task, length in zip(tasks, self.lengths, strict=True)
        ]
        return array.concatenate(parts)

    def cut_like(self, other: Partitions, given: Any) -> Partitions:
        """Return these rows in the partitions of others, where they are of a collection that can be cut anew."""
        if self.lengths == other.lengths or not hasattr(given, "rechunk") or len(self) != len(other):
            return self
        return of(given.rechunk({0: other.lengths}))

    def persisted(self) -> list[Any]:
        """Return futures of the partitions, which stay where they were computed for as long as these are held."""
        client = engine.require_client("work on all pairs of partitions")
        with dask.config.set(engine.QUIET):
            futures: list[Any] = client.compute(self.mapped(itself, "objects") if self.turns else list(self.parts))
        return futures


def turned(turns: tuple[Callable[[Any, int], Any], ...], function: Callable[..., Any], X: Any, *rest: Any) -> Any:
    """Call a function on a partition as it has become; the place of its first object is the first of the rest."""
    for turn in turns:
        X = turn(X, rest[0])
    return function(X, *rest)


def itself(X: Any, start: int) -> Any:
    """Return a partition as it has become."""
    return X


def made(function: Callable[..., Any], lengths: Sequence[int], *beside: Sequence[Any]) -> Partitions:
    """Return partitions that a function makes, given their numbers, and what is beside these."""
    numbered = tuple(zip(range(len(lengths)), *beside, strict=True))
    return Partitions(numbered, tuple(lengths), turns=(partial(made_by, function),))


def made_by(function: Callable[..., Any], numbered: tuple[Any, ...], start: int) -> Any:
    """Return the partition that a function makes of a number, and of what is beside it: read by whoever works on it."""
    return function(*numbered)


def of(X: Any) -> Partitions:
    """Return a collection of Dask as partitions; those without objects are left out.

    Raises
    ------
    TypeError
        If X is no array, data frame or bag of Dask.
    ValueError
        If it holds nothing, or has more dimensions than rows and columns.
    """
    if hasattr(X, "chunks") and hasattr(X, "rechunk"):
        parts, lengths = _of_array(X)
        found = Partitions(parts, lengths, None, X.dtype, tuple(X.shape[1:]))
    elif hasattr(X, "to_delayed") and hasattr(X, "npartitions"):
        names = tuple(X.columns) if getattr(X, "ndim", 0) == 2 else None
        parts = tuple(X.to_delayed())
        found = Partitions(parts, _counted(parts), names, getattr(X, "dtype", None))
    else:
        raise TypeError(
            f"X is a {type(X).__name__} of Dask; an array of rows, a data frame or a bag expected, such as "
            "dask.array.from_array(X, chunks=(100_000, -1))"
        )
    held = [number for number, length in enumerate(found.lengths) if length]
    if not held:
        raise ValueError("X is empty: no partition holds an object; at least one expected")
    if len(held) == len(found.lengths):
        return found
    parts = tuple(found.parts[number] for number in held)
    return replace(found, parts=parts, lengths=tuple(filter(None, found.lengths)), numbers=tuple(held))


def _of_array(X: Any) -> tuple[tuple[Delayed, ...], tuple[int, ...]]:
    """Return the rows of an array in its chunks; columns that are in several are brought together."""
    if X.ndim not in (1, 2):
        raise ValueError(f"X has {X.ndim} dimension(s), 2 expected: one row per sample and one column per feature")
    if X.ndim == 2 and X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    parts = tuple(X.to_delayed().ravel())
    known = all(length == length for length in X.chunks[0])  # NaN where not
    return parts, tuple(map(int, X.chunks[0])) if known else _counted(parts)


def _counted(parts: tuple[Delayed, ...]) -> tuple[int, ...]:
    return tuple(engine.gathered(engine.mapped(len, parts, what="count"), "objects, counted"))
