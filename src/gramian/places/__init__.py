"""Who evaluates formulas: the cores of this machine (`cores`); others need a folder of their own beside it.

A place is chosen by the data: `place_of` looks at encodings, or at an array, and says who has them. What a place has to
write is in `protocol`. A place of another library's arrays is known here by the name of that library, and loaded when
the first of its arrays is seen.

    >>> import numpy as np
    >>> place_of(np.zeros(3)).name
    'cores'
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
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
    "ClusterError",
    "Entries",
    "Factor",
    "Held",
    "Matrix",
    "Place",
    "Prepared",
    "at_work",
    "is_collection",
    "made_of",
    "on_host",
    "others",
    "partitioned",
    "place_of",
    "received",
    "register",
    "there",
    "to_be_known",
    "vectors",
    "workers_are_there",
    "working",
    "working_on",
]

HOST = 1  # DLPack's number for the memory of the cores
ELSEWHERE = {  # by the library whose arrays they are: the module that registers
    "torch": "gramian.places.torch.place",
    "dask": "gramian.places.dask.place",
}
COLLECTIONS = {"dask": "gramian.places.dask.collections"}  # by the library whose collections they are

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
            take = getattr(import_module(module), "take", None)  # what a library has many types of
            if _places[kind] is None and take is not None:
                take(kind)
    found = _places[kind]
    return None if found is None else found(a)


def is_collection(X: Any) -> bool:
    """Tell whether X is a collection whose parts are elsewhere, without loading the library it comes from."""
    return type(X).__module__.partition(".")[0] in COLLECTIONS


def workers_are_there() -> bool:
    """Tell whether a client of Dask is in force."""
    return "distributed" in sys.modules and import_module(COLLECTIONS["dask"]).engine.client_in_force() is not None


class ClusterError(RuntimeError):
    """Workers that cannot do what is asked of them: they run other versions, or are killed over it."""


def at_work(address: str | None, workers: int | None) -> AbstractContextManager[Any]:
    """Work on the cluster of an address meanwhile, or on so many workers of this machine; the client is in force."""
    try:
        found = import_module("gramian.places.dask.clusters")
    except ImportError:
        raise ImportError("a cluster needs Dask: pip install 'gramian[cluster]'") from None
    opened: AbstractContextManager[Any] = found.at_work(address, workers)
    return opened


def made_of(function: Callable[..., Any], lengths: list[int], *beside: list[Any]) -> Any:
    """Return partitions that workers make by a function, given the number of each and what is beside it."""
    import_module(ELSEWHERE["dask"])
    return import_module(COLLECTIONS["dask"]).made(function, lengths, *beside)


def partitioned(X: Any) -> Any | None:
    """Return a collection whose parts are elsewhere as partitions; None where X is none."""
    if not is_collection(X):
        return None
    library = type(X).__module__.partition(".")[0]
    import_module(ELSEWHERE[library])  # registers partitions, too
    return import_module(COLLECTIONS[library]).of(X)


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


def to_be_known(a: Encoded) -> Encoded:
    """Return encodings as fingerprints are made of them: on the host, but for what is hashed where it is."""
    place = _elsewhere(a)
    return a if place is None else _moved(a, place, hashed=True)


def _moved(part: Any, place: Place, hashed: bool = False) -> Any:
    if isinstance(part, Encoded):
        return Encoded(tuple(_moved(inner, place, hashed) for inner in part.parts))
    if hashed and hasattr(type(part), "__fingerprint__"):
        return part
    there: Array | Any = place.host(part) if _elsewhere(part) is not None else part
    return there
