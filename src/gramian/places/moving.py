"""Data and models brought from one place to another: arrays change, and nothing else does.

A model is taken apart as for a pickle, but its arrays are handed over as they are: what was one array within it is one
array afterwards, and none is copied that need not move.
"""

from __future__ import annotations

import io
import pickle
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from gramian.checks import as_array, at_hand, is_sparse
from gramian.formula.encoded import Encoded
from gramian.places import CORES, ELSEWHERE, Place, others, place_of, received

T = TypeVar("T")


def to_device(thing: Any, device: Any) -> Any:
    """Return data, or a model with what it has learnt, on a device, to be worked on there.

    Parameters
    ----------
    thing : array, tensor, Batches, or model
        Numbers become a tensor of that device in their own precision. Batches are sent one by one, each while the one
        before it is worked on. A learner, a Gram or anything else is copied, and the vectors in it are moved.
    device : str or torch.device
        "cuda", "cuda:1", …; "cpu" brings everything back to arrays of NumPy.

    Returns
    -------
    array, tensor, or model
        What was given, there: a tensor of that device, or an array of NumPy; of a model, a copy. O(its size).

    Raises
    ------
    TypeError
        If the data are sparse, or no numbers.
    ValueError
        If there is no such device.
    ImportError
        If it needs torch, and torch is not installed.

    See Also
    --------
    save : A file of a model, which loads with or without a GPU.
    Gram : The matrix of data that lie on a device is worked with there.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian as gm
    >>> gm.to_device(np.eye(2), "cpu")
    array([[1., 0.],
           [0., 1.]])
    """
    place, thing = named_place(device), received(at_hand(thing))
    if is_sparse(thing):
        raise TypeError("a sparse array is worked on by the cores alone: pass its .toarray() where that fits")
    if isinstance(thing, np.ndarray | list | tuple) or _is_elsewhere(thing):
        given = place_of(thing).host(thing) if _is_elsewhere(thing) else as_array(thing, "the numbers to be moved")
        return place.array(given)
    if hasattr(thing, "on_device"):
        return thing.on_device(device)
    return _Moving(place).moved(thing)


def moved(model: T, place: Place) -> T:
    """Return a model in a place, itself where that is the cores and it has seen nothing else."""
    return on_the_host(model) if place is CORES else _Moving(place).moved(model)


def on_the_host(thing: T) -> T:
    """Return a model whose arrays are NumPy's: itself where they are already, or where it cannot be taken apart."""
    if not others():
        return thing
    moving = _Moving(CORES)
    try:
        found = moving.moved(thing)
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError):  # such as a function of somebody's own
        return thing
    return found if moving.met else thing


def named_place(device: Any) -> Place:
    """Return the place that a device is; "cpu" is the cores."""
    if str(device) == "cpu":
        return CORES
    try:
        torch = import_module("torch")
    except ImportError:
        raise ImportError("a device other than the cores needs torch: pip install 'gramian[gpu]'") from None
    try:
        there = torch.empty(0, device=device).device
    except (RuntimeError, AssertionError, TypeError) as error:  # each of a torch built for other devices
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(f"device is {device!r}, and torch has none such here: {said}") from None
    found: Place = import_module(ELSEWHERE["torch"]).on(there)
    return found


def _is_elsewhere(thing: Any) -> bool:
    return not isinstance(thing, Encoded) and place_of(thing) is not CORES


class _Moving(pickle.Pickler):
    """Takes a model apart and puts it together again, with arrays of another place."""

    def __init__(self, place: Place) -> None:
        self._place, self._written = place, io.BytesIO()
        self._arrays: list[Any] = []
        self._known: dict[int, tuple[Any, int]] = {}  # by identity; the array itself is kept alive
        self._vectors: set[int] = set()
        self.met = False  # arrays that are elsewhere
        super().__init__(self._written, protocol=5)

    def moved(self, thing: T) -> T:
        self.dump(thing)
        self._written.seek(0)
        found: T = _Built(self._written, self._arrays).load()
        return found

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, Encoded):
            beside = any(isinstance(part, Encoded) for part in thing.parts)
            self._vectors |= {id(part) for part in thing.parts if not beside and getattr(part, "ndim", 0) == 2}
        return NotImplemented

    def persistent_id(self, thing: Any) -> int | None:
        plain = isinstance(thing, np.ndarray) and not thing.dtype.hasobject
        if not plain and not _is_elsewhere(thing):
            return None
        if id(thing) not in self._known:
            self._known[id(thing)] = thing, len(self._arrays)
            self._arrays.append(self._array(thing))
        return self._known[id(thing)][1]

    def _array(self, thing: Any) -> Any:
        if not isinstance(thing, np.ndarray):
            self.met = True
            found = place_of(thing).host(thing)
            return self._place.array(found) if isinstance(found, np.ndarray) else found
        floating = thing.dtype in (np.float32, np.float64)
        return self._place.array(thing) if floating and id(thing) in self._vectors else thing


class _Built(pickle.Unpickler):
    def __init__(self, written: io.BytesIO, arrays: list[Any]) -> None:
        super().__init__(written)
        self._arrays = arrays

    def persistent_load(self, number: int) -> Any:
        return self._arrays[number]
