"""Geometry of objects that are in another place: tensors go in, and tensors come out.

What is made of tensors is marked with their place. Its public methods are asked of `here`, the same thing without the
mark, as the package works with it: matrices of the place, vectors of the host. Answers are sent to the place, and what
has methods of its own is marked in its turn.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from copy import copy
from typing import Any, Self

from gramian.checks import from_device
from gramian.gram.gram import Gram
from gramian.gram.there import GramThere, sent
from gramian.places import CORES, Place

OPERATORS = ("__call__", "__getitem__", "__add__", "__sub__", "__mul__", "__rmul__", "__truediv__", "__neg__")
OF_NUMBERS = (
    "combine",
    "__getitem__",
    "__mul__",
    "__rmul__",
    "__truediv__",
)  # what takes no objects


class Marked:
    """What may be in another place than the cores."""

    _mark: Place = CORES
    _here: Self | None = None

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        for name, method in list(vars(cls).items()):
            if inspect.isfunction(method) and (name in OPERATORS or not name.startswith("_")):
                setattr(cls, name, _asked(method, from_device if name in OF_NUMBERS else _here))

    @property
    def here(self) -> Self:
        """The same as the package works with it."""
        return self if self._here is None else self._here

    def marked(self, place: Place) -> Self:
        """Return the same as one has it whose objects are in a place."""
        if place is CORES:
            return self
        found = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, Marked) and not name.startswith("_"):
                setattr(found, name, value.marked(place))
        found._mark, found._here = place, self
        return found


def _here(given: Any) -> Any:
    return given.here if isinstance(given, Marked) else given


def _asked(method: Callable[..., Any], taken: Callable[[Any], Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def asked(self: Any, *arguments: Any, **named: Any) -> Any:
        if self._here is None:
            return method(self, *map(_here, arguments), **{name: _here(value) for name, value in named.items()})
        with self._mark.exact():
            answer = method(self.here, *map(taken, arguments), **{name: taken(value) for name, value in named.items()})
        return _outward(answer, self._mark)

    return asked


def _outward(answer: Any, place: Place) -> Any:
    if isinstance(answer, Marked):
        return answer.marked(place)
    if isinstance(answer, Gram):
        return GramThere.of(answer)
    return sent(answer, place)
