"""Grams of objects that are in another place, as their user has them: tensors go in, and tensors come out.

The package itself works with matrices of the place and vectors of the host. That Gram is `here`; what it answers is
sent to the place of the objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from gramian.checks import from_device
from gramian.formula.encoded import Encoded
from gramian.gram.gram import Gram
from gramian.gram.protocol import Similarity
from gramian.places import CORES, Matrix, Place, place_of, working

T = TypeVar("T")


def gram_of(kernel: Similarity, rows: Encoded, cols: Encoded | None = None, *, memory: int | str | None = None) -> Gram:
    """Return the Gram of encoded objects as their user has it."""
    places = [place_of(side) for side in (rows, cols) if side is not None]
    there = any(place.answers and place.name != working().name for place in places)
    return (GramThere if there else Gram)(kernel, rows, cols, memory=memory)


def answered(function: Callable[..., T], gram: Gram, *given: Any) -> T:
    """Return what a function says of the Gram that the package works with, in the place of the objects."""
    with gram.place.exact():
        return sent(function(gram.here, *map(from_device, given)), gram.place)


def sent(answer: T, place: Place) -> T:
    """Return an answer with its floating point numbers in a place: an array, or a record of arrays."""
    if place is CORES:
        return answer
    if isinstance(answer, tuple):
        return (
            type(answer)(*(sent(part, place) for part in answer)) if hasattr(answer, "_fields") else _all(answer, place)
        )
    if is_dataclass(answer) and not isinstance(answer, type):
        names = [field.name for field in fields(answer) if field.init]
        return replace(answer, **{name: sent(getattr(answer, name), place) for name in names})
    floating = isinstance(answer, np.ndarray) and answer.dtype in (np.float32, np.float64)
    found: T = place.array(answer) if floating else answer
    return found


def _all(answers: Any, place: Place) -> Any:
    return tuple(sent(part, place) for part in answers)


class GramThere(Gram):
    """A Gram whose objects are in another place."""

    @cached_property
    def here(self) -> Gram:
        """The Gram as the package works with it."""
        cols = None if self.symmetric else self.cols
        return Gram(self.kernel, self.rows, cols, memory=self.memory, diagonal=self.diagonal)

    def _there(self, answer: Any) -> Any:
        return sent(answer, self.place)

    @staticmethod
    def of(gram: Gram) -> GramThere:
        """Return a Gram as its user has it."""
        cols = None if gram.symmetric else gram.cols
        return GramThere(gram.kernel, gram.rows, cols, memory=gram.memory, diagonal=gram.diagonal)

    def diag(self) -> Matrix:
        return self._there(self.here.diag())

    def rough_diag(self) -> Matrix:
        return self._there(self.here.rough_diag())

    def trace(self) -> float:
        return self.here.trace()

    def block(self, rows: Any, cols: Any) -> Matrix:
        return self.here.part(from_device(rows), from_device(cols))

    def dense(self) -> Matrix:
        return self.here.matrix()

    def squared_distances(self) -> Matrix:
        return self._there(self.here.squared_distances())

    def apply(self, V: Any) -> Matrix:
        return self._there(self.here.apply(from_device(V)))

    def __matmul__(self, V: Any) -> Matrix:
        return self._there(self.here @ from_device(V))

    matvec = matmat = __matmul__

    def __rmatmul__(self, V: Any) -> Matrix:
        return self._there(from_device(V) @ self.here)

    @property
    def T(self) -> Gram:
        return self if self.symmetric else GramThere.of(self.here.T)

    def row_means(self) -> Matrix:
        return self._there(self.here.row_means())

    def mean(self) -> float:
        return self.here.mean()

    @contextmanager
    def held(self, in_single: bool = False) -> Iterator[bool]:
        with self.here.held(in_single) as held:
            yield held

    @property
    def is_held(self) -> bool:
        return self.here.is_held

    def rounded(self) -> Gram:
        return GramThere.of(self.here.rounded())

    def double(self) -> Gram:
        return GramThere.of(self.here.double())

    def take(self, rows: Any, cols: Any = None) -> Gram:
        return GramThere.of(self.here.take(from_device(rows), from_device(cols)))

    def center(self) -> Gram:
        return GramThere.of(self.here.center())

    def normalize(self) -> Gram:
        return GramThere.of(self.here.normalize())

    def __add__(self, constant: Any) -> Gram:
        return GramThere.of(self.here + constant)

    __radd__ = __add__

    def __mul__(self, factor: Any) -> Gram:
        return GramThere.of(self.here * factor)

    __rmul__ = __mul__

    def ridge(self, lam: float) -> Gram:
        return GramThere.of(self.here.ridge(lam))
