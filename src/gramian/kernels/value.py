"""Kernels as immutable values: comparable, hashable, picklable, printable as the expression that made them.

Every subclass of `Value` is a frozen dataclass without further ado: its annotated fields are its constructor's
arguments, kept as they were given. What is derived from them is a cached property, never part of the value.

A value knows how large it is when written out. One that is part of another several times counts so many times: forty
times ``k = k + k`` is an object of forty parts and a kernel of 2⁴⁰, which nobody can print, compare or evaluate.
"""

from __future__ import annotations

import numbers
import zlib
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, Self, dataclass_transform

import numpy as np

from gramian.formula.encoded import Encoded
from gramian.gram.gram import Gram

ATOM = 9  # binds tighter than any operator
MOST_LEVELS = 160  # of values inside each other: Python goes no deeper than some 200, whatever is done with them
MOST_PARTS = 10_000  # of a value when written out, a shared one counted wherever it stands


if TYPE_CHECKING:
    derived = property
else:

    class derived:
        """A property that is worked out once for a value, and is no part of it: copies and files have none."""

        def __init__(self, method):
            self.method, self.__doc__ = method, method.__doc__

        def __set_name__(self, owner, name):
            self.name = name

        def __get__(self, value, owner=None):
            if value is None:
                return self
            if (known := getattr(value, "_derived", None)) is None:
                object.__setattr__(value, "_derived", known := {})
            if self.name not in known:
                known.setdefault(self.name, self.method(value))
            return known[self.name]


class Size(NamedTuple):
    """How large a value is when written out: parts, and levels of parts inside each other."""

    parts: int
    levels: int


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
class Value:
    """What all values share: parameters, equality, hash, state and text."""

    __slots__ = ("_derived", "_size")

    precedence = ATOM

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, eq=False, repr=False)(cls)
        cls.__init__ = _measured(cls.__init__)  # type: ignore[method-assign]

    def _measure(self) -> None:
        """Keep the size of this value, and refuse one that is too large for anything to be done with it."""
        inner = [_size_of(part) for v in self.params().values() for part in _values_in(v)]
        size = Size(1 + sum(one.parts for one in inner), 1 + max((one.levels for one in inner), default=0))
        samples = [_size_of(v.kernel).levels for v in self.params().values() if _is_sample(v)]
        if size.levels > MOST_LEVELS or size.parts > MOST_PARTS:
            raise ValueError(
                f"this {type(self).__name__} is {size.levels} levels deep and has {size.parts:,} parts when written "
                f"out; at most {MOST_LEVELS} levels and {MOST_PARTS:,} parts expected: add up many kernels two and "
                "two, (a + b) + (c + d), and take 2 * k for k + k"
            )
        object.__setattr__(self, "_size", Size(size.parts, max(size.levels, 1 + max(samples, default=0))))

    def params(self) -> dict[str, Any]:
        """Return the constructor's arguments by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def _settle(self, **changes: Any) -> None:
        """Put checked or converted arguments in the place of the given ones; for `__post_init__` only."""
        self.__dict__.update(changes)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, and with `deep` those of inner kernels as ``name__parameter``.

        >>> import gramian as gm
        >>> sorted((gm.Linear() + gm.Gaussian(bandwidth=2.0)).get_params())
        ['left', 'right', 'right__bandwidth']
        """
        params = self.params()
        if deep:
            for name, inner in list(params.items()):
                if isinstance(inner, Value):
                    params |= {f"{name}__{key}": v for key, v in inner.get_params().items()}
        return params

    def with_params(self, **changes: Any) -> Self:
        """Return this value with some parameters changed, inner ones written as ``name__parameter``.

        >>> import gramian as gm
        >>> (gm.Linear() + gm.Gaussian(bandwidth=2.0)).with_params(right__bandwidth=5.0)
        Linear() + Gaussian(bandwidth=5.0)
        """
        own: dict[str, Any] = {}
        inner: dict[str, dict[str, Any]] = {}
        for key, v in changes.items():
            name, _, rest = key.partition("__")
            if name not in self.params():
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}; it has {list(self.params())}")
            if rest:
                inner.setdefault(name, {})[rest] = v
            else:
                own[name] = v
        for name, below in inner.items():
            target = own.get(name, getattr(self, name))
            if not isinstance(target, Value):
                raise ValueError(f"{name} of {type(self).__name__} is {target!r}, which has no parameters of its own")
            own[name] = target.with_params(**below)
        return replace(self, **own)  # type: ignore[type-var]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        known = _compared.get()
        if known is None:
            token = _compared.set({})
            try:
                return self == other
            finally:
                _compared.reset(token)
        pair = id(self), id(other)
        if pair not in known:
            mine, theirs = self.params(), other.params()
            known[pair] = True
            for name in mine:  # a loop, for Python goes only so deep
                if not _same(mine[name], theirs[name]):
                    known[pair] = False
                    break
        return known[pair]

    def __hash__(self) -> int:
        return hash((type(self).__name__, *(_fingerprint(v) for v in self.params().values())))

    def __getstate__(self) -> dict[str, Any]:
        return self.params()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._measure()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={text(v)}' for k, v in self.params().items())})"

    def __sklearn_clone__(self) -> Self:
        """A value that cannot change is its own clone."""
        return self


_compared: ContextVar[dict[tuple[int, int], bool] | None] = ContextVar("compared", default=None)  # pairs, by identity


def _measured(init: Any) -> Any:
    @wraps(init)
    def __init__(self: Value, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        self._settle(**{name: v.item() for name, v in self.params().items() if isinstance(v, np.generic)})
        self._measure()

    return __init__


def _size_of(v: Any) -> Size:
    size: Size = v._size
    return size


def _values_in(v: Any) -> list[Value]:
    """Return the values that a parameter is, or holds."""
    if isinstance(v, Value):
        return [v]
    return [one for one in v if isinstance(one, Value)] if isinstance(v, tuple | list) else []


def _is_sample(v: Any) -> bool:
    return isinstance(v, Gram) and isinstance(v.kernel, Value)


def inside(v: Any, precedence: int) -> str:
    """Write v as an operand of an operator, in parentheses where it would otherwise bind more loosely."""
    return f"({v!r})" if v.precedence < precedence else repr(v)


def text(v: Any) -> str:
    """Write a parameter: numbers so that they can be read back, arrays and samples by their size."""
    if isinstance(v, np.ndarray):
        return f"<{' × '.join(map(str, v.shape))} array>"
    if isinstance(v, Gram):
        return f"<{len(v)} objects>"
    return getattr(v, "__name__", None) or repr(v.item() if isinstance(v, np.generic) else v)


def _same(v: Any, w: Any) -> bool:
    if v is w:
        return True
    if isinstance(v, np.ndarray) or isinstance(w, np.ndarray):
        return type(v) is type(w) and v.dtype == w.dtype and np.array_equal(v, w)
    if isinstance(v, Gram) and isinstance(w, Gram):
        return bool(v.kernel == w.kernel) and _same(v.rows, w.rows)
    if isinstance(v, Encoded) and isinstance(w, Encoded):
        return len(v.parts) == len(w.parts) and all(map(_same, v.parts, w.parts))
    if hasattr(v, "tocsr") and hasattr(w, "tocsr"):
        return bool(v.shape == w.shape and (v != w).nnz == 0)
    if isinstance(v, numbers.Number) and isinstance(w, numbers.Number):
        return bool(v == w)
    return type(v) is type(w) and bool(v == w)


def _fingerprint(v: Any) -> Any:
    if isinstance(v, np.ndarray):
        return v.shape, v.dtype.str, zlib.crc32(np.ascontiguousarray(v + 0).tobytes())  # −0 + 0 is 0
    if isinstance(v, Gram):
        return _fingerprint(v.rows)
    if isinstance(v, Encoded):
        return tuple(_fingerprint(p) for p in v.parts)
    if hasattr(v, "tocsr"):
        return v.shape, v.nnz
    return v
