"""Fingerprints: a short text that is the same for the same kernel, data and numbers, in every run of every program.

A thing is walked as pickling would walk it, and what comes by is hashed (BLAKE2b): numbers and texts, the bytes of
arrays, the names of classes. What does not belong to the content is left out: which parts are one object and which
are equal ones, the order of sets, whether an array is contiguous, results that an object keeps for later. Code outside
installed packages is content: a kernel or a function of the user's own that was changed is another one.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from hashlib import blake2b
from importlib.util import find_spec
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from gramian.checks import Array, is_sparse

SIZE = 20  # bytes of a fingerprint
PIECE = 2**22  # entries of an array that are hashed at a time


class NoFingerprintError(TypeError):
    """Something cannot be pickled, so that it cannot be known again in another run."""


def fingerprint(*things: Any) -> str:
    """Return the fingerprint of some things together, as hexadecimal digits.

    Raises
    ------
    NoFingerprintError
        If one of them cannot be pickled, such as a lambda.

    Examples
    --------
    >>> import numpy as np
    >>> fingerprint(np.arange(3.0)) == fingerprint(np.arange(6.0)[::2] / 2)
    True
    >>> fingerprint(np.arange(3.0)) == fingerprint(np.arange(3))
    False
    """
    stream, numbers = _Sink(), _Sink()
    walker = _Walker(stream, numbers.write)
    try:
        walker.dump(things)
    except (pickle.PicklingError, AttributeError, TypeError, ValueError, RecursionError) as error:
        raise NoFingerprintError(str(error)) from error
    return blake2b(stream.digest() + numbers.digest(), digest_size=SIZE).hexdigest()


class _Sink:
    """A file that keeps of what is written to it nothing but the hash."""

    def __init__(self) -> None:
        self._hash = blake2b()

    def write(self, data: Any) -> int:
        self._hash.update(data)
        return len(data)

    def digest(self) -> bytes:
        return self._hash.digest()


class _Walker(pickle.Pickler):
    """Pickles for the sake of the hash; never to be read again."""

    def __init__(self, stream: _Sink, numbers: Callable[[Any], int]) -> None:
        super().__init__(stream, protocol=5)
        self.fast = True  # no references to earlier objects: equal ones count as one and the same would
        self._numbers = numbers
        self._within: set[int] = set()  # functions that are being spelled, for they may call themselves

    def persistent_id(self, thing: Any) -> Any:
        """Return what stands for a thing in the stream, None for the thing itself."""
        if hasattr(type(thing), "__fingerprint__"):  # its content is elsewhere, and is hashed there
            return "elsewhere", thing.__fingerprint__()
        if isinstance(thing, set | frozenset):
            return "set", sorted(fingerprint(member) for member in thing)
        if isinstance(thing, np.ndarray) and not thing.dtype.hasobject and not isinstance(thing, np.ma.MaskedArray):
            for piece in _pieces(thing):
                self._numbers(piece)
            return "array", repr(thing.dtype), thing.shape
        if is_sparse(thing):
            rows = thing.tocsr()
            if not rows.has_canonical_format:
                rows = rows.copy()
                rows.sum_duplicates()
            return "sparse", rows.shape, rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
        if isinstance(thing, CodeType):
            return "code", thing.co_code, thing.co_consts, thing.co_names
        if isinstance(thing, type) and not _installed(thing):
            return self._class(thing)
        if isinstance(thing, FunctionType) and not _installed(thing):
            return self._function(thing)
        return None

    def _class(self, thing: type) -> Any:
        name = (thing.__module__, thing.__qualname__)
        if id(thing) in self._within:
            return "again", *name
        self._within.add(id(thing))
        return "class", *name, thing.__bases__, sorted(_body(thing).items())

    def _function(self, thing: FunctionType) -> Any:
        """Spell a function that can be found by its name; others pickle refuses, and says why."""
        name = (thing.__module__, thing.__qualname__)
        if "<" in thing.__qualname__ or id(thing) in self._within:
            return ("again", *name) if id(thing) in self._within else None
        self._within.add(id(thing))
        return "function", *name, thing.__code__, thing.__defaults__, thing.__kwdefaults__, sorted(_used(thing).items())

    def reducer_override(self, thing: Any) -> Any:
        """Leave out what an object has worked out and keeps."""
        kept = _worked_out(type(thing))
        if not kept:
            return NotImplemented
        reduced = thing.__reduce_ex__(5)
        if not isinstance(reduced, tuple) or len(reduced) < 3 or not isinstance(reduced[2], dict):
            return NotImplemented
        state = {name: v for name, v in reduced[2].items() if name not in kept}
        if "base" in state and getattr(state.get("reference"), "kernel", None) is state["base"]:
            # A sample under the base kernel: that kernel once, or kernels about kernels would be walked 2^depth times.
            without = {"kernel", *_worked_out(type(state["reference"]))}
            state["reference"] = {k: v for k, v in state["reference"].__getstate__().items() if k not in without}
        return *reduced[:2], state, *reduced[3:]


def _worked_out(cls: type) -> set[str]:
    """Return the names of what objects of a class work out and keep."""
    return {name for one in cls.__mro__ for name, v in vars(one).items() if isinstance(v, cached_property)}


def _pieces(array: Array) -> Iterator[Any]:
    """Yield the bytes of an array in the order of its indices, without a copy of the whole."""
    if array.flags.c_contiguous:
        yield array.reshape(-1).view(np.uint8).data if array.size else b""
        return
    rows = max(1, PIECE // max(1, array[0].size))
    for start in range(0, len(array), rows):
        yield array[start : start + rows].tobytes()


def _installed(thing: Any) -> bool:
    """Tell whether code belongs to Python, to this package or to another installed one: its name says what it is."""
    return _is_installed(str(getattr(thing, "py_func", thing).__module__))


def _is_installed(module: str) -> bool:
    root = module.partition(".")[0]
    if root == "__main__":
        return False
    if root in sys.stdlib_module_names or root == "gramian":
        return True
    try:
        spec = find_spec(root)
    except (ImportError, ValueError):  # a module that was made by hand
        return False
    return spec is not None and "site-packages" in (spec.origin or "")


def _body(cls: type) -> dict[str, Any]:
    """Return what a class is made of: functions, and values."""
    parts: dict[str, Any] = {}
    for name, given in vars(cls).items():
        part = next(
            (getattr(given, inside) for inside in ("fget", "func", "__func__") if hasattr(given, inside)), given
        )
        if name in ("__init__", "squared_norms"):  # what the package puts around it is not the user's
            part = getattr(part, "__wrapped__", part)
        if isinstance(part, FunctionType):
            parts[name] = part.__code__, part.__defaults__, sorted(_used(part).items())
        elif not name.startswith(("__", "_abc_")) and not hasattr(part, "__get__"):
            parts[name] = _spelled(part)
    return parts


def _used(function: FunctionType) -> dict[str, Any]:
    """Return what a function takes from around it, but for what is installed: values, functions, classes.

    Of a module of the user's own it is what has a name that the function uses.
    """
    names = set(_names(function.__code__))
    around = {name: v for name, v in function.__globals__.items() if name in names}
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    around |= {name: cell.cell_contents for name, cell in cells}
    values: dict[str, Any] = {}
    for name, v in around.items():
        if not isinstance(v, ModuleType):
            values[name] = v
        elif not _is_installed(v.__name__):
            values |= {f"{name}.{inside}": getattr(v, inside) for inside in names if hasattr(v, inside)}
    return {
        name: _spelled(v)
        for name, v in values.items()
        if not isinstance(v, ModuleType) and not (callable(v) and hasattr(v, "__module__") and _installed(v))
    }


def _spelled(v: Any) -> Any:
    """Return what a value is known by: of a compiled function, the one it was made of."""
    return getattr(v, "py_func", v)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
