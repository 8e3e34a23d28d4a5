"""Encodings: the work that belongs to one object alone, done once.

A kernel turns n objects into an `Encoded` of length n, a tuple of parts whose first axis runs over the objects. A
part is an array, a sparse array, anything else with `shape`, selection, `copy` and `concat`, or another `Encoded` (a
sum of kernels keeps both encodings; a centred kernel keeps the base encoding and one number per object). The tile
engine slices encodings and hands the slices to `Kernel.block`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
import scipy.sparse

from gramian.checks import is_sparse
from gramian.runtime.sizes import Sized


@dataclass(frozen=True, eq=False)
class Encoded(Sized):
    """n encoded objects: a tuple of parts, each with n rows.

    Parameters
    ----------
    parts : tuple
        Arrays, sparse arrays or lists, each with n rows: what one kernel keeps of its objects.

    See Also
    --------
    Kernel : the base class and its algebra
    Gram : the Gram matrix as an operator

    Notes
    -----
    Cost: none of its own: parts are kept, not copied, and a slice is a view where NumPy makes one.

    Examples
    --------
    >>> import numpy as np
    >>> a = Encoded((np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([0.1, 0.2, 0.3])))
    >>> len(a), a[1:].parts[1]
    (3, array([0.2, 0.3]))
    """

    parts: tuple[Any, ...]

    def __len__(self) -> int:
        first = self.parts[0]
        return int(first.shape[0]) if hasattr(first, "shape") else len(first)

    def __getitem__(self, index: Any) -> Encoded:
        """Select objects by a slice or an index array."""
        return Encoded(tuple(part[index] for part in self.parts))

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the parts, so that a kernel can write ``base, means = a``."""
        return iter(self.parts)

    @property
    def signature(self) -> tuple[Any, ...]:
        """What two encodings must share to be compared: the widths of their parts, or what the parts themselves say."""
        return tuple(_said(p, "signature", lambda p: tuple(p.shape[1:])) for p in self.parts)

    @property
    def width(self) -> int:
        """How many numbers an object takes, over all parts."""
        return sum(_said(p, "width", lambda p: int(np.prod(p.shape[1:]))) for p in self.parts)

    @property
    def load(self) -> float:
        """How many numbers are stored for an object, zeros of a sparse array left out."""
        return float(sum(_said(p, "load", _load) for p in self.parts))

    @property
    def sparse(self) -> bool:
        """Whether any part is sparse."""
        return any(_said(p, "sparse", is_sparse) for p in self.parts)

    @property
    def open(self) -> bool:
        """Whether explicit features have columns that depend on the objects, as counts of what occurs in them do."""
        return any(p.open if isinstance(p, Encoded) else hasattr(p, "like") for p in self.parts)

    def like(self, other: Encoded) -> Encoded:
        """Return these objects as explicit features see them that have the columns of `other`."""
        return Encoded(
            tuple(p.like(q) if hasattr(p, "like") else p for p, q in zip(self.parts, other.parts, strict=True))
        )

    def describe(self) -> str:
        """Say how many objects there are and, for vectors, of how many features."""
        first = self.parts[0]
        if hasattr(first, "describe"):
            return str(first.describe())
        return f"{len(self)} objects" + (f" with {first.shape[1]} features" if len(first.shape) == 2 else "")

    def copy(self) -> Encoded:
        """Return encodings that share no memory with the data they were made from."""
        return Encoded(tuple(copied(part) for part in self.parts))

    def astype(self, dtype: Any) -> Encoded:
        """Return these with their floating point numbers in another precision; other parts stay as they are."""
        return Encoded(tuple(in_precision(part, np.dtype(dtype)) for part in self.parts))

    def concat(self, other: Encoded) -> Encoded:
        """Put the objects of `other` after these."""
        if self.signature != other.signature:
            raise ValueError(f"the two do not fit together: {self.describe()} against {other.describe()}")
        return Encoded(tuple(joined(p, q) for p, q in zip(self.parts, other.parts, strict=True)))


def _said(part: Any, name: str, otherwise: Callable[[Any], Any]) -> Any:
    """Return what a part says of itself, asked once: encodings inside encodings would be asked 2^depth times."""
    said = getattr(part, name, None)
    return otherwise(part) if said is None else said


def _load(p: Any) -> float:
    return float(p.nnz / max(p.shape[0], 1) if is_sparse(p) else np.prod(p.shape[1:]))


# A place whose arrays lack these methods registers functions of its own here, such as ``copied.register(array)``.


@singledispatch
def copied(part: Any) -> Any:
    """Return a part that shares no memory with this one."""
    return part.copy()


@singledispatch
def in_precision(part: Any, dtype: np.dtype[Any]) -> Any:
    """Return a part with its floating point numbers in a precision; what has none stays as it is."""
    floating = isinstance(part, np.ndarray) or is_sparse(part)
    if isinstance(part, Encoded):
        return part.astype(dtype)
    return part.astype(dtype, copy=False) if floating and part.dtype.kind == "f" else part


@singledispatch
def joined(p: Any, q: Any) -> Any:
    """Return the objects of two parts of one kind, one after the other."""
    if hasattr(p, "concat"):
        return p.concat(q)
    if is_sparse(p) or is_sparse(q):
        return scipy.sparse.vstack([p, q], format="csr")
    return np.concatenate([p, q])
