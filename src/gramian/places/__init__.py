"""Who evaluates formulas: the cores of this machine (`cores`); others need a folder of their own beside it.

A place is chosen by the data: `place_of` looks at encodings, or at an array, and says who has them. What a place has to
write is in `protocol`. A place of another library's arrays is known here by the name of that library, and loaded when
the first of its arrays is seen.

    >>> import numpy as np
    >>> place_of(np.zeros(3)).name
    'cores'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any

import numpy as np

from gramian.checks import Array, as_vectors
from gramian.formula.encoded import Encoded
from gramian.places.cores.place import CORES
from gramian.places.protocol import Asked, Entries, Factor, Held, Matrix, Place, Prepared

__all__ = [
    "CORES",
    "Asked",
    "Entries",
    "Factor",
    "Held",
    "Matrix",
    "Place",
    "Prepared",
    "on_host",
    "others",
    "place_of",
    "received",
    "register",
    "there",
    "vectors",
    "working",
    "working_on",
]

HOST = 1  # DLPack's number for the memory of the cores
ELSEWHERE = {"torch": "gramian.places.torch.place"}  # by the library whose arrays they are: the module that registers

_places: dict[type, Callable[[Any], Place] | None] = {}  # by the type of arrays; None for what is the host's
_working: ContextVar[Place] = ContextVar("working", default=CORES)


@contextmanager
def working_on(place: Place) -> Iterator[None]:
    """Work on vectors of the host in a place inside a ``with`` block; answers are arrays of the host.

    >>> with working_on(CORES):
    ...     working().name
    'cores'
    """
    before = _working.set(place)
    try:
        with place.exact():
            yield
    finally:
        _working.reset(before)


def working() -> Place:
    """Return the place in which vectors of the host are worked on."""
    return _working.get()


def register(array: type, place: Place | Callable[[Any], Place]) -> None:
    """Say who has the arrays of a type: a place, or what finds it by the array, where there is one for each device."""
    _places[array] = place if callable(place) else lambda _: place


def others() -> bool:
    """Tell whether arrays of another place than the cores have been seen."""
    return any(_places.values())


def place_of(a: Any) -> Place:
    """Return the place that has these encodings, or this array.

    Encodings of which one part is elsewhere are worked on there: numbers of rows, and what has no expression, come from
    the host.
    """
    return _elsewhere(a) or CORES


def _elsewhere(a: Any) -> Place | None:
    if isinstance(a, Encoded):
        for part in a.parts:
            if (place := _elsewhere(part)) is not None:
                return place
        return None
    kind = type(a)
    if kind not in _places:
        _places[kind] = None
        if (module := ELSEWHERE.get(kind.__module__.partition(".")[0])) is not None:
            import_module(module)
    found = _places[kind]
    return None if found is None else found(a)


def received(X: Any) -> Any:
    """Return what a user gave: an array that another library has on a device as the tensor it is, all else as it is.

    CuPy, JAX and others describe their arrays by DLPack. Nothing is copied.

    Raises
    ------
    ImportError
        If it needs torch, and torch is not installed.
    """
    if not hasattr(X, "__dlpack_device__") or isinstance(X, np.ndarray) or _elsewhere(X) is not None:
        return X
    if X.__dlpack_device__()[0] == HOST:
        return X
    try:
        torch = import_module("torch")
    except ImportError:
        raise ImportError(
            f"X is of {type(X).__module__}.{type(X).__name__} on a device; work there needs torch: "
            "pip install 'gramian[gpu]', or pass an array of NumPy"
        ) from None
    return torch.from_dlpack(X)


def vectors(X: Any, *, sparse: bool = False) -> Any:
    """Return rows of numbers that a user gave, checked, and left where they are."""
    place = _elsewhere(X)
    return as_vectors(X, sparse=sparse) if place is None else place.vectors(X, "X")


def there(a: Encoded, place: Place) -> Encoded:
    """Return encodings whose vectors are in a place; numbers of objects, and what are no vectors, stay on the host."""
    if place is CORES:
        return a
    if any(isinstance(part, Encoded) for part in a.parts):  # what stands beside others was found from them
        return Encoded(tuple(there(part, place) if isinstance(part, Encoded) else part for part in a.parts))
    return Encoded(tuple(place.array(part) if _is_dense(part) else part for part in a.parts))


def _is_dense(part: Any) -> bool:
    return isinstance(part, np.ndarray) and part.ndim == 2 and part.dtype.kind == "f"


def on_host(a: Encoded) -> Encoded:
    """Return encodings whose arrays are NumPy's; themselves where they are already."""
    place = _elsewhere(a)
    return a if place is None else _moved(a, place)


def _moved(part: Any, place: Place) -> Any:
    if isinstance(part, Encoded):
        return Encoded(tuple(_moved(inner, place) for inner in part.parts))
    there: Array | Any = place.host(part) if _elsewhere(part) is not None else part
    return there
