"""Distances in which one cloud stays one cloud.

The feature space of a Gaussian kernel is curved: points spread evenly on a line become an arc there, whose ends look
crowded from every direction, so that even a uniform sample seems to have two heaps. What a radial kernel compares are
distances between vectors, and these have no such fault. So the squared distance between objects is taken as

    d²(x, z) = ‖x − z‖² / σ²                     for kernels of a distance, ‖x − z‖² for polynomials,
    d²(x, z) = d₁²(x, z) + d₂²(x, z)             for sums and products of kernels (log κ₁κ₂ = log κ₁ + log κ₂),
    d²(x, z) = number of categories that differ  for categories, as points with a coordinate for each value,
    d²(x, z) = ‖φ(x) − φ(z)‖²                    for all others: strings, texts, nodes of a graph.

Categories part any table into their values, which says nothing that is not known: they are left out where the kernel
compares anything else. So are cycles of dates, for a circle cut across looks like two heaps, and columns of numbers in
which one value, such as zero, holds more than a quarter of the objects while many others occur: it and the rest would
be two heaps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.spatial.distance import cdist

from gramian.checks import Array, is_sparse
from gramian.kernels.algebra import Kernel, Normalized, Pair, Pointwise, Pullback
from gramian.kernels.bandwidth import settled
from gramian.kernels.columns import Columns
from gramian.kernels.dotproduct import Linear, Polynomial
from gramian.kernels.equality import Equality
from gramian.kernels.periodic import Periodic
from gramian.kernels.radial import Distance
from gramian.space.vectors import FeatureSpace, Vectors

Names: TypeAlias = tuple[Hashable, ...]
SAFE = 1e100  # numbers beyond have squares that overflow
EQUAL = 1e-7  # distances below this share of the largest are rounding


MOST_VALUES = 50  # of a column of categories that have a coordinate
COMMON = 1 / 4  # of the objects: more of one value, and the column says whether an object has it
OFTENER = 3  # times as often as the mean value: whole numbers that take few values are no such column
RULE = 0.9  # of the objects have the next value within a step; gaps between groups are the exception
MULTIPLES = (2, 5, 10)  # to which people round some numbers and not others
PREFERRED = 1 / 4  # of the values, beyond what chance would put among the multiples


@dataclass(frozen=True, eq=False)
class _Part:
    kernel: Kernel
    values: Array | Vectors
    names: Names

    def telling(self) -> Array:
        """Return which columns may tell groups apart."""
        if _compares_categories(self.kernel):
            return np.zeros(self.values.shape[1] if isinstance(self.values, np.ndarray) else 1, dtype=bool)
        if isinstance(self.values, np.ndarray):
            return ~np.array([_has_common_value(column) for column in self.values.T], dtype=bool)
        return np.ones(len(self.names) or 1, dtype=bool)


@dataclass(frozen=True, eq=False)
class Straight:
    """Objects as points between which distances are straight: coordinates, or images in a feature space."""

    parts: tuple[Array | Vectors, ...]

    @classmethod
    def of(cls, kernel: Kernel, X: Any) -> tuple[Straight, Names, Names]:
        """Return the objects as a settled kernel compares them, the columns looked at, and those left out.

        Columns of an array go by their places; objects that are no table have none.
        """
        every = _parts(kernel, X, ())
        telling = [part.telling() for part in every]
        if not any(map(np.any, telling)):  # rather these than nothing
            telling = [np.ones_like(one) for one in telling]
        names = [
            (name, bool(kept))
            for part, which in zip(every, telling, strict=True)
            for name, kept in zip(part.names, which, strict=False)
        ]
        looked_at = {name: None for name, kept in names if kept}
        left_out = {name: None for name, kept in names if not kept and name not in looked_at}
        parts = [
            part.values[:, kept] if isinstance(part.values, np.ndarray) else part.values
            for part, kept in zip(every, telling, strict=True)
            if kept.any()
        ]
        return cls(tuple(parts)), tuple(looked_at), tuple(left_out)

    @property
    def coordinates(self) -> Array:
        """All columns of numbers, of which there may be none."""
        tables = [part for part in self.parts if isinstance(part, np.ndarray)]
        return np.hstack([np.empty((len(self.parts[0]), 0)), *tables])

    @property
    def one_column(self) -> bool:
        """Whether equal objects are ties of one number, not copies; zeros of which there are many are copies."""
        A = self.coordinates
        return len(self.parts) == 1 and A.shape[1] == 1 and not _has_common_value(A[:, 0])

    def __getitem__(self, rows: Array) -> Straight:
        return Straight(tuple(part[rows] for part in self.parts))

    def distances(self, other: Straight) -> Array:
        """Return all distances from these objects to others."""
        squares = sum(_squares(one, two) for one, two in zip(self.parts, other.parts, strict=True))
        found: Array = np.sqrt(np.asarray(squares))
        return found

    def smeared(self, rng: np.random.Generator) -> Straight:
        """Spread the values of each column evenly over the steps in which it was written down.

        Whole numbers and rounded ones lie on a grid, and are not clusters for that. A step is as wide as the gaps to
        the next value are for all but a tenth of the objects, next to nothing for values that were not rounded.
        """
        return Straight(tuple(_smeared(part, rng) if isinstance(part, np.ndarray) else part for part in self.parts))


def distinct(D: Array) -> tuple[Array, Array]:
    """Return the first of all objects at distance 0 from each other, and for each object the place of its first."""
    same = EQUAL * D.max() >= D
    first = same.argmax(axis=1)
    return np.unique(first, return_inverse=True)


def _parts(kernel: Kernel, X: Any, names: Names) -> list[_Part]:
    if isinstance(kernel, Pair):
        return [*_parts(kernel.left, X, names), *_parts(kernel.right, X, names)]
    if isinstance(kernel, Pullback):
        return _parts(kernel.base, kernel.f(X), kernel.f.names if isinstance(kernel.f, Columns) else names)
    if isinstance(kernel, Pointwise):  # a growing function of κ
        return _parts(kernel.base, X, names)
    if isinstance(kernel, Normalized):
        inner = _parts(kernel.base, X, names)
        if all(isinstance(one.kernel, Distance | Equality) for one in inner):  # whose norms are equal before
            return inner
    if isinstance(kernel, Equality):
        indicators = _indicators(list(X))
        return [_Part(kernel, indicators, names * indicators.shape[1])]
    if isinstance(kernel, Distance | Linear | Polynomial) and not is_sparse(X):
        unit = settled(kernel.bandwidth) if isinstance(kernel, Distance) else 1.0
        coordinates = np.asarray(X, dtype=np.float64) / unit
        coordinates -= coordinates.mean(axis=0)
        if np.abs(coordinates).max() < SAFE:
            d = coordinates.shape[1]
            return [_Part(kernel, coordinates, names if len(names) == d else tuple(range(d)))]
    return [_Part(kernel, FeatureSpace(kernel)(X), names)]


def _indicators(values: list[Any]) -> Array:
    """Return a coordinate for each of the commonest values, such that different ones have distance 1."""
    common = [value for value, _ in Counter(values).most_common(MOST_VALUES)]
    place = {value: k for k, value in enumerate(common)}
    found = np.zeros((len(values), len(common)))
    known = [(row, place[value]) for row, value in enumerate(values) if value in place]
    found[tuple(np.array(known).T)] = np.sqrt(0.5)
    return np.asarray(found - found.mean(axis=0))


def _compares_categories(kernel: Kernel) -> bool:
    inner = [one for one in kernel.params().values() if isinstance(one, Kernel)]
    return all(map(_compares_categories, inner)) if inner else isinstance(kernel, Equality | Periodic)


def _squares(one: Array | Vectors, two: Array | Vectors) -> Array:
    if isinstance(one, Vectors):
        assert isinstance(two, Vectors)
        return np.square(np.asarray(one.distances(two), dtype=np.float64))
    assert isinstance(two, np.ndarray)
    return np.asarray(cdist(one, two, "sqeuclidean"))


def _smeared(A: Array, rng: np.random.Generator) -> Array:
    steps = np.array([_step(column) for column in A.T])
    return np.asarray(A + steps * (rng.random(A.shape) - 0.5))


def _step(column: Array) -> float:
    values, counts = np.unique(column, return_counts=True)
    if len(values) < 2:
        return 0.0
    step = float(np.quantile(np.diff(values).repeat(counts[:-1]), RULE, method="lower"))
    if len(values) == 2:  # of which nobody can say to what they were rounded
        return step
    others = np.delete(values, counts.argmax()).repeat(np.delete(counts, counts.argmax()))
    places = np.round((others - values[0]) / step).astype(np.int64)
    for multiple in reversed(MULTIPLES):
        if np.bincount(places % multiple).max() > (1 / multiple + PREFERRED) * len(others):
            return multiple * step
    return step


def _has_common_value(column: Array) -> bool:
    """Tell whether one value holds many of the objects, beside many others that occur."""
    counts = np.unique(column, return_counts=True)[1]
    return bool(counts.max() > max(COMMON, OFTENER / len(counts)) * len(column))
