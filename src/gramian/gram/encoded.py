"""Encodings: the work that belongs to one object alone, done once.

A kernel turns n objects into an `Encoded` of length n, a tuple of parts whose first axis runs over the objects. A
part is an array, a sparse array, or another `Encoded` (a sum of kernels keeps both encodings; a centred kernel keeps
the base encoding and one number per object). The tile engine slices encodings and hands the slices to `Kernel.block`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from gramian.checks import is_sparse


@dataclass(frozen=True, eq=False)
class Encoded:
    """n encoded objects: a tuple of parts, each with n rows."""

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
        """What two encodings must share to be compared: the widths of their parts."""
        return tuple(p.signature if isinstance(p, Encoded) else tuple(p.shape[1:]) for p in self.parts)

    def copy(self) -> Encoded:
        """Return encodings that share no memory with the data they were made from."""
        return Encoded(tuple(part.copy() for part in self.parts))

    def concat(self, other: Encoded) -> Encoded:
        """Put the objects of `other` after these."""
        if self.signature != other.signature:
            raise ValueError(f"the objects have different features: {self.signature} and {other.signature}")
        return Encoded(tuple(_concat(p, q) for p, q in zip(self.parts, other.parts, strict=True)))


def _concat(p: Any, q: Any) -> Any:
    if isinstance(p, Encoded):
        return p.concat(q)
    if is_sparse(p) or is_sparse(q):
        return scipy.sparse.vstack([p, q], format="csr")
    return np.concatenate([p, q])
