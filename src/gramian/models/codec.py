"""From a model to a tree that JSON can write, and back, without running anything that the file says.

Numbers, texts, lists and the like stand in the tree as they are; whatever is shared or large stands in one of two
tables and is referred to by its number there, so that what was one object comes back as one object:

    {"tuple": […]}  {"dict": [[key, value], …]}  {"bytes": hex}  {"float": "inf"}  {"scalar": [type, hex]}  …
    {"array": 3}    the numbers of array 3
    {"ref": 5}      part 5: an object of a class {"class": name, "set": {attribute: value}}, a sparse array, or an
                    array of objects

The parts stand in an order in which each refers to earlier ones only; the one exception are `Vectors`, which know the
sample whose mean they are. A class comes from the registry, never from its name, and its attributes are those that the
registry lists, of the types that it lists.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import FunctionType, NoneType
from typing import Any

import numpy as np
import scipy.sparse

from gramian import __version__
from gramian.checks import Array, is_sparse
from gramian.kernels.value import Value
from gramian.models.arrays import read_shape, read_type, spell_array, spell_type
from gramian.models.registry import ENTRIES, FORMER_NAMES, Entry, ascending, entry_of
from gramian.models.shapes import is_simple
from gramian.space.vectors import Vectors

DEEPEST = 1000  # parts within parts, as in a sum of many kernels
NESTED = 100  # lists within lists
LONGEST = 4096  # bits of an integer
ALIKE = 16  # different numbers with one hash: more of them are there to make a dict slow
SPARSE: dict[str, Any] = {
    name: getattr(scipy.sparse, name) for name in ("csr_array", "csr_matrix", "csc_array", "csc_matrix")
}
SPARSE_KINDS = "biufc"

ADVICE = "; pickle keeps it, for readers who trust you"


class Encoder:
    """Takes a model apart: `root` is the tree, `parts` and `arrays` the tables.

    The parts are gone through with a stack of our own, for a sum of many kernels is deeper than Python likes to go;
    each is spelled when all that it refers to is.
    """

    def __init__(self, model: Any, name: str = "model") -> None:
        self.parts: list[dict[str, Any]] = []
        self.arrays: list[Array] = []
        self.spelled: list[dict[str, Any]] = []
        self._known: dict[int, tuple[Any, dict[str, Any]]] = {}  # by identity; the thing itself is kept alive
        for thing, path in _shared_in(model, name):
            self._take(thing, path)
        self.root = self._value(model, name)

    def tree(self) -> dict[str, Any]:
        """Return the tree and its tables."""
        return {"root": self.root, "parts": self.parts, "arrays": self.spelled}

    def _take(self, thing: Any, path: str) -> None:
        """Put a thing and all that it refers to into the tables."""
        stack: list[tuple[Any, str, Iterator[tuple[Any, str]]]] = []
        coming: Iterator[tuple[Any, str]] = iter([(thing, path)])
        while True:
            found = next(coming, None)
            if found is not None:
                if id(found[0]) not in self._known:
                    if len(stack) > DEEPEST:
                        raise ValueError(f"{path} has parts within parts, more than {DEEPEST} levels deep")
                    self._known[id(found[0])] = found[0], {}
                    stack.append((*found, coming))
                    coming = _within(*found)
            elif stack:
                done, where, coming = stack.pop()
                self._put(done, where)
            else:
                return

    def _put(self, thing: Any, path: str) -> None:
        """Put one thing into its table, and its number there into the reference that stands for it."""
        reference = self._known[id(thing)][1]
        if isinstance(thing, np.ndarray) and not thing.dtype.hasobject:
            reference["array"] = len(self.arrays)
            self.spelled.append(_spelled(thing, path))
            self.arrays.append(thing)
            return
        reference["ref"] = len(self.parts)
        parts = {name: self._value(held, f"{path}.{name}") for name, held in _stored(thing, path)}
        if isinstance(thing, np.ndarray):
            self.parts.append({"items": self._value(thing.ravel().tolist(), path), "shape": list(thing.shape)})
        elif is_sparse(thing):
            self.parts.append({"sparse": type(thing).__name__, "shape": list(thing.shape), **parts})
        else:
            _check(thing, path)
            self.parts.append({"class": type(thing).__name__, "set": parts})

    def _value(self, thing: Any, path: str) -> Any:
        if thing is None or type(thing) in (bool, str, int, float):
            return _plain(thing, path)
        if type(thing) is list:
            return [self._value(held, f"{path}[{place}]") for place, held in enumerate(thing)]
        if type(thing) is tuple:
            return {"tuple": [self._value(held, f"{path}[{place}]") for place, held in enumerate(thing)]}
        if type(thing) is dict:
            inner = f"{path}[…]"
            return {"dict": [[self._value(key, inner), self._value(held, inner)] for key, held in thing.items()]}
        if type(thing) is bytes:
            return {"bytes": thing.hex()}
        if isinstance(thing, np.generic | np.dtype):
            return _numpy(thing, path)
        return self._known[id(thing)][1]


def _shared_in(thing: Any, path: str, level: int = 0) -> Iterator[tuple[Any, str]]:
    """Yield what stands in a table of its own, within lists, tuples and dicts or by itself, and where it was found."""
    if level > NESTED:
        raise ValueError(f"{path[:80]} … has lists within lists, more than {NESTED} levels deep, or one within itself")
    if thing is None or type(thing) in (bool, str, int, float, bytes) or isinstance(thing, np.generic | np.dtype):
        return
    if type(thing) in (list, tuple):
        for place, held in enumerate(thing):
            yield from _shared_in(held, f"{path}[{place}]", level + 1)
    elif type(thing) is dict:
        for key, held in thing.items():
            if not is_simple(key):
                raise TypeError(
                    f"{path} has a key that is a {type(key).__name__}; texts, numbers and tuples of them can be stored "
                    "as keys: number what stands there, or make a list of pairs"
                )
            yield from _shared_in(held, f"{path}[{key!r:.40}]", level + 1)
    else:
        yield thing, path


def _within(thing: Any, path: str) -> Iterator[tuple[Any, str]]:
    """Yield what a thing refers to, or say why it cannot be stored."""
    if isinstance(thing, np.ndarray):
        if type(thing) not in (np.ndarray, np.memmap) or (thing.dtype.hasobject and thing.dtype.names):
            raise TypeError(f"{path} {_refusal(thing)}")
        if thing.dtype.hasobject:
            yield from _shared_in(thing.ravel().tolist(), path)
        return
    for name, held in _stored(thing, path):
        yield from _shared_in(held, f"{path}.{name}")


def _stored(thing: Any, path: str) -> list[tuple[str, Any]]:
    """Return what is stored of an object or a sparse array, by name, in an order of its own; of arrays nothing."""
    if isinstance(thing, np.ndarray):
        return []
    if is_sparse(thing) and SPARSE.get(type(thing).__name__) is type(thing):
        return [("data", thing.data), ("indices", thing.indices), ("indptr", thing.indptr)]
    entry = entry_of(thing)
    if entry is None:
        raise TypeError(f"{path} {_refusal(thing)}")
    return _attributes(entry, thing, path)


def _attributes(entry: Entry, thing: Any, path: str) -> list[tuple[str, Any]]:
    """Return what is stored of an object: what it must have first, so that messages name what the user knows."""
    kept = [(name, entry.neutral.get(name, held)) for name, held in vars(thing).items() if name not in entry.forgotten]
    for name, held in kept:
        if name not in entry.attributes:
            raise TypeError(f"{path}.{name} is no attribute that {entry.name} has of itself: delete it before saving")
        if not isinstance(held, entry.attributes[name]):
            raise TypeError(f"{path}.{name} {_refusal(held, entry.name)}")
    return sorted(kept, key=lambda pair: (pair[0] not in entry.needed, pair[0]))


def _check(thing: Any, path: str) -> None:
    """Refuse now what would be refused when it is loaded."""
    entry = entry_of(thing)
    try:
        if entry is not None and entry.check is not None:
            entry.check(thing)
    except ValueError as error:
        raise ValueError(f"{path} cannot be stored: {error}") from None


def _plain(thing: Any, path: str) -> Any:
    if type(thing) is float and not math.isfinite(thing):
        return {"float": repr(thing)}
    if type(thing) is int and thing.bit_length() > LONGEST:
        raise TypeError(f"{path} is an integer of {thing.bit_length():,} bits; at most {LONGEST:,} can be stored")
    if type(thing) is str and any("\ud800" <= letter <= "\udfff" for letter in thing):
        return {"text": thing.encode("utf-32-le", "surrogatepass").hex()}  # JSON would join two halves of a character
    return thing


def _numpy(thing: Any, path: str) -> dict[str, Any]:
    dtype = thing if isinstance(thing, np.dtype) else thing.dtype
    try:
        spelled = spell_type(dtype)
    except TypeError:
        spelled = None
    if not isinstance(spelled, str):
        raise TypeError(f"{path} {_refusal(thing)}")
    if isinstance(thing, np.dtype):
        return {"type": spelled}
    return {"scalar": [spelled, np.asarray(thing, dtype=read_type(spelled)).tobytes().hex()]}


def _spelled(array: Array, path: str) -> dict[str, Any]:
    try:
        return spell_array(array)
    except TypeError as error:
        raise TypeError(f"{path} is {error}, which is not the same on every machine: convert it first") from None


def _refusal(thing: Any, owner: str = "") -> str:
    """Say why a thing cannot be stored, as an attribute of a class where one is named, and what to do."""
    kind = type(thing).__name__
    if owner and type(thing) in (NoneType, bool, int, float, str, bytes, list, tuple, dict):
        return f"is {thing!r:.60}, which {owner} does not work with: set it right before saving"
    if isinstance(thing, FunctionType | type) or (callable(thing) and not hasattr(thing, "encode")):
        name = getattr(thing, "__name__", kind)
        return (
            f"is a function, {name}, and a model file holds no code: apply it to the data before fit and predict, or "
            f"use what gramian can store, such as kernel.on(…) and Standardize(){ADVICE}"
        )
    if isinstance(thing, np.ndarray):
        return f"is a {kind} of type {thing.dtype}: convert it to a plain array first, such as np.asarray(…)"
    if is_sparse(thing):
        return f"is a {kind}, and of sparse arrays those by rows or columns can be stored: convert it with .tocsr()"
    if isinstance(thing, np.random.RandomState | np.random.Generator):
        return "is a random generator, which a model file does not hold: give an integer as its seed"
    if hasattr(thing, "columns") and hasattr(thing, "shape"):
        return f"is a {kind}: convert it to an array first, such as table.to_numpy(), or to a dict of its columns"
    return (
        f"is a {kind}, and a model file holds gramian's own learners and kernels, numbers, texts, lists, dicts and "
        f"arrays only, so that loading one can run no foreign code{ADVICE}"
    )


class Decoder:
    """Puts a model together again; whatever does not fit is a ValueError that says what."""

    def __init__(self, parts: list[Any], arrays: list[Array]) -> None:
        self._arrays = arrays
        self._alike: dict[int, set[Any]] = {}  # different numbers, by their hash
        self._levels: list[int] = []  # of the parts that are done
        self._deepest = 0
        self._forward = False  # whether an attribute is read that may be a part which is not there yet
        self._described = [_described(part) for part in parts]
        self._parts: list[Any] = [
            object.__new__(entry.cls) if entry is not None and not entry.constructed else None
            for entry in self._described
        ]
        for number, (part, entry) in enumerate(zip(parts, self._described, strict=True)):
            self._deepest = 0
            self._parts[number] = self._made(part, entry, self._parts[number])
            self._levels.append(self._deepest + 1)
            if self._deepest > DEEPEST:
                raise ValueError(f"parts stand within parts, more than {DEEPEST} levels deep")
        for found, entry in zip(self._parts, self._described, strict=True):
            if entry is not None and entry.check is not None:
                entry.check(found)

    def value(self, given: Any, level: int = 0) -> Any:
        """Return what a node of the tree stands for."""
        if level > 2 * NESTED:
            raise ValueError(f"lists stand within lists, more than {NESTED} levels deep")
        if given is None or isinstance(given, bool | str):
            return given
        if isinstance(given, int | float):
            return self._different(given)
        if isinstance(given, list):
            return [self.value(inner, level + 1) for inner in given]
        if len(given) != 1:
            raise ValueError("a value is of no kind, or of two")
        ((kind, inner),) = given.items()
        if kind in ("ref", "array"):
            return self._referred(kind, inner)
        if kind == "tuple":
            found = tuple(self.value(_a(list, inner), level + 1))
            return self._different(found) if is_simple(found) else found
        if kind == "dict":
            return self._dict(inner, level + 1)
        if kind not in _LEAVES:
            raise ValueError(f"there is no kind of value {kind[:40]!r}")
        leaf = _LEAVES[kind](inner)
        return self._different(leaf) if kind == "scalar" else leaf

    def _different(self, number: Any) -> Any:
        """Refuse a file with many different numbers of one hash.

        The hash of a number is known to everybody, so that a dict (or set) of such takes quadratic time to fill. That
        of a text is another one in each run of Python.
        """
        alike = self._alike.setdefault(hash(number), set())
        alike.add(number)
        if len(alike) > ALIKE:
            raise ValueError("it holds numbers that were made to collide")
        return number

    def _referred(self, kind: str, number: Any) -> Any:
        table = self._parts if kind == "ref" else self._arrays
        if type(number) is not int or not 0 <= number < len(table):
            raise ValueError(f"there is no {kind} {str(number)[:40]}")
        if kind == "array":
            return table[number]
        if number < len(self._levels):
            self._deepest = max(self._deepest, self._levels[number])
        elif not (self._forward and isinstance(table[number], Vectors)):
            raise ValueError(f"part {number} is referred to before it is there")
        return table[number]

    def _dict(self, pairs: Any, level: int) -> dict[Any, Any]:
        found = {}
        for pair in _a(list, pairs):
            key, held = self.value(_a(list, pair), level)
            if not is_simple(key):
                raise ValueError(f"a key of a dict is a {type(key).__name__}, and no text or number")
            if key in found:
                raise ValueError("a key stands twice in a dict")
            found[key] = held
        return found

    def _made(self, part: dict[str, Any], entry: Entry | None, shell: Any) -> Any:
        if entry is not None:
            return self._object(entry, _a(dict, part["set"]), shell)
        if "sparse" in part:
            return self._sparse(part)
        shape, items = read_shape(part["shape"]), self.value(_a(list, part["items"]))
        if math.prod(shape) != len(items):
            raise ValueError(f"an array of {len(items)} objects cannot have the shape {shape}")
        found = np.empty(len(items), dtype=object)
        for place, item in enumerate(items):
            found[place] = item
        return found.reshape(shape)

    def _object(self, entry: Entry, given: dict[str, Any], shell: Any) -> Any:
        state = {}
        for name, held in given.items():
            self._forward = entry.cls is Vectors and isinstance(held, dict)
            state[name] = self.value(held)
        self._forward = False
        if entry.brought_up is not None:
            state = entry.brought_up(state)
        for name, held in state.items():
            types = entry.attributes.get(name)
            if types is None:
                raise ValueError(f"{entry.name} has no attribute {name[:40]!r} in gramian {__version__}")
            if not isinstance(held, types):
                raise ValueError(f"{entry.name}.{name} is a {type(held).__name__}")
        if missing := entry.needed - state.keys():
            raise ValueError(f"{entry.name} lacks {', '.join(sorted(missing))}")
        if not entry.constructed:
            shell.__dict__.update(state | {name: make() for name, make in entry.fresh.items()})
            if isinstance(shell, Value):
                shell._measure()
            return shell
        found = entry.cls(**{name: held for name, held in state.items() if name in entry.needed})
        found.__dict__.update({name: held for name, held in state.items() if name not in entry.needed})
        return found

    def _sparse(self, part: dict[str, Any]) -> Any:
        if part.keys() != {"sparse", "shape", "data", "indices", "indptr"} or part["sparse"] not in SPARSE:
            raise ValueError("a sparse array is of no known kind")
        data, indices, indptr = (_a(np.ndarray, self.value(part[name])) for name in ("data", "indices", "indptr"))
        shape = read_shape(part["shape"])
        if data.dtype.kind not in SPARSE_KINDS or indices.dtype.kind != "i" or indptr.dtype.kind != "i":
            raise ValueError("a sparse array is not made of numbers and places")
        if len(shape) != 2 or {data.ndim, indices.ndim, indptr.ndim} != {1} or len(data) != len(indices):
            raise ValueError("a sparse array does not have two axes, and a place for each number")
        if not ascending(indptr) or indptr[-1] > len(indices):
            raise ValueError("the rows of a sparse array begin where no numbers are")
        across = shape[1] if part["sparse"].startswith("csr") else shape[0]
        if len(indices) and (indices.min() < 0 or indices.max() >= across):
            raise ValueError("a number of a sparse array stands outside of it")
        return SPARSE[part["sparse"]]((data, indices, indptr), shape=shape)  # compares the number of rows


def decode(tree: Any, arrays: list[Array]) -> Any:
    """Return the model that a tree and its arrays describe.

    Raises
    ------
    ValueError
        If they describe none. Other exceptions mean the same: nothing of what is in a tree is trusted.
    """
    if not isinstance(tree, dict) or not {"root", "parts"} <= tree.keys():
        raise ValueError("the head has no root, or no parts")
    return Decoder(_a(list, tree["parts"]), arrays).value(tree["root"])


def _described(part: Any) -> Entry | None:
    """Return the class of a part, None for arrays of objects and sparse ones; say so where it is not known here."""
    kinds = {"class", "sparse", "items"} & _a(dict, part).keys()
    if len(kinds) != 1:
        raise ValueError("a part is of no kind, or of two")
    if kinds != {"class"}:
        return None
    if part.keys() != {"class", "set"}:
        raise ValueError("an object is more than a class and its attributes")
    name = part["class"]
    if isinstance(name, str):
        name = FORMER_NAMES.get(name, name)
    if not isinstance(name, str) or name not in ENTRIES:
        raise ValueError(f"it holds a {str(name)[:60]!r}, which gramian {__version__} does not know")
    return ENTRIES[name]


def _a(kind: type, given: Any) -> Any:
    if not isinstance(given, kind):
        raise ValueError(f"a {type(given).__name__} stands where a {kind.__name__} is expected")
    return given


def _float(given: Any) -> float:
    if given not in ("inf", "-inf", "nan"):
        raise ValueError(f"{str(given)[:40]!r} is no number")
    return float(given)


def _text(given: Any) -> str:
    return bytes.fromhex(_a(str, given)).decode("utf-32-le", "surrogatepass")


def _bytes(given: Any) -> bytes:
    return bytes.fromhex(_a(str, given))


def _scalar(given: Any) -> Any:
    spelled, digits = _a(list, given)
    dtype, raw = read_type(spelled), _bytes(digits)
    if len(raw) != dtype.itemsize or (dtype.kind == "b" and raw > b"\1") or dtype.names is not None:
        raise ValueError(f"a single {dtype} has {len(raw)} bytes, or a value that it cannot have")
    return np.frombuffer(raw, dtype)[0]


_LEAVES = {"float": _float, "text": _text, "bytes": _bytes, "scalar": _scalar, "type": read_type}
