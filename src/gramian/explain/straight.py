"""Distances in which one cloud stays one cloud.

The feature space of a Gaussian kernel is curved: points spread evenly on a line become an arc there, whose ends look
crowded from every direction, so that even a uniform sample seems to have two heaps. What a radial kernel compares are
distances between vectors, and these have no such fault. So the squared distance between objects is taken as

    d²(x, z) = ‖x − z‖² / σ²                     for kernels of a distance, ‖x − z‖² for polynomials,
    d²(x, z) = d₁²(x, z) + d₂²(x, z)             for sums and products of kernels (log κ₁κ₂ = log κ₁ + log κ₂),
    d²(x, z) = ‖φ(x) − φ(z)‖²                    for all others: strings, texts, nodes of a graph.

Categories part any table into their values, which says nothing that is not known: they are left out where the kernel
compares anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from gramian.checks import Array, is_sparse
from gramian.kernels.algebra import Kernel, Pair, Pointwise, Pullback
from gramian.kernels.bandwidth import settled
from gramian.kernels.dotproduct import Linear, Polynomial
from gramian.kernels.equality import Equality
from gramian.kernels.radial import Distance
from gramian.space.vectors import FeatureSpace, Vectors

SAFE = 1e100  # numbers beyond have squares that overflow
EQUAL = 1e-7  # distances below this share of the largest are rounding


@dataclass(frozen=True, eq=False)
class Straight:
    """Objects as points between which distances are straight: coordinates, or images in a feature space."""

    parts: tuple[Array | Vectors, ...]

    @classmethod
    def of(cls, kernel: Kernel, X: Any) -> tuple[Straight, bool]:
        """Return the objects as a settled kernel compares them, and whether categories were left out."""
        every = list(_parts(kernel, X))
        telling = [part for of, part in every if not _compares_categories(of)]
        return cls(tuple(telling or (part for _, part in every))), bool(telling) and len(telling) < len(every)

    @property
    def one_column(self) -> bool:
        return len(self.parts) == 1 and isinstance(self.parts[0], np.ndarray) and self.parts[0].shape[1] == 1

    def __getitem__(self, rows: Array) -> Straight:
        return Straight(tuple(part[rows] for part in self.parts))

    def distances(self, other: Straight) -> Array:
        """Return all distances from these objects to others."""
        squares = sum(_squares(one, two) for one, two in zip(self.parts, other.parts, strict=True))
        found: Array = np.sqrt(np.asarray(squares))
        return found

    def smeared(self, rng: np.random.Generator) -> Straight:
        """Spread the values of each column evenly over the steps in which it was written down.

        Whole numbers and rounded ones lie on a grid, and are not clusters for that. A step is the median gap between
        neighboring values, next to nothing for values that were not rounded.
        """
        return Straight(tuple(_smeared(part, rng) if isinstance(part, np.ndarray) else part for part in self.parts))


def distinct(D: Array) -> tuple[Array, Array]:
    """Return the first of all objects at distance 0 from each other, and for each object the place of its first."""
    same = EQUAL * D.max() >= D
    first = same.argmax(axis=1)
    return np.unique(first, return_inverse=True)


def _parts(kernel: Kernel, X: Any) -> list[tuple[Kernel, Array | Vectors]]:
    if isinstance(kernel, Pair):
        return [*_parts(kernel.left, X), *_parts(kernel.right, X)]
    if isinstance(kernel, Pullback):
        return [(kernel if isinstance(part, Vectors) else of, part) for of, part in _parts(kernel.base, kernel.f(X))]
    if isinstance(kernel, Pointwise):  # a growing function of κ
        return _parts(kernel.base, X)
    if isinstance(kernel, Distance | Linear | Polynomial) and not is_sparse(X):
        unit = settled(kernel.bandwidth) if isinstance(kernel, Distance) else 1.0
        coordinates = np.asarray(X, dtype=np.float64) / unit
        coordinates -= coordinates.mean(axis=0)
        if np.abs(coordinates).max() < SAFE:
            return [(kernel, coordinates)]
    return [(kernel, FeatureSpace(kernel)(X))]


def _compares_categories(kernel: Kernel) -> bool:
    inner = [one for one in kernel.params().values() if isinstance(one, Kernel)]
    return all(map(_compares_categories, inner)) if inner else isinstance(kernel, Equality)


def _squares(one: Array | Vectors, two: Array | Vectors) -> Array:
    if isinstance(one, Vectors):
        assert isinstance(two, Vectors)
        return np.square(np.asarray(one.distances(two), dtype=np.float64))
    assert isinstance(two, np.ndarray)
    return np.asarray(cdist(one, two, "sqeuclidean"))


def _smeared(A: Array, rng: np.random.Generator) -> Array:
    steps = np.array([_step(column) for column in A.T])
    return np.asarray(A + steps * (rng.random(A.shape) - 0.5))


def _step(column: Sequence[float] | Array) -> float:
    values = np.unique(column)
    return float(np.median(np.diff(values))) if len(values) > 1 else 0.0
