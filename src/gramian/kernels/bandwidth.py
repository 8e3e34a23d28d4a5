"""The bandwidth of a kernel: a number, or "median", settled on data.

The median heuristic takes the median distance between two points of the sample as the unit of length. A point counts
once however often it is repeated, and the order of the points is irrelevant. Of more than `SAMPLE` distinct points only
the first `SAMPLE` in a fixed random order are used, so that the answer does not change from run to run.
"""

from __future__ import annotations

from math import frexp, ldexp
from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import pdist

from gramian.checks import Array, as_vectors, is_sparse, positive
from gramian.places.cores.distances import squared_distances

SAMPLE = 1000
WIDE = 100  # columns beyond which a matrix product is faster than distances one by one
COMPARED = 256  # points that are compared with all after them at a time


def check_bandwidth(bandwidth: Any) -> None:
    """Accept a positive number or "median"."""
    if isinstance(bandwidth, str):
        if bandwidth != "median":
            raise ValueError(f"bandwidth is {bandwidth!r}; a number above 0 or 'median' expected")
        return
    positive(bandwidth, "bandwidth")


def settled(bandwidth: Any) -> float:
    """Return the number, or say how to get one."""
    if isinstance(bandwidth, str):
        raise ValueError("bandwidth='median' is not settled yet: k = k.fit(X) takes it from the sample X")
    return float(bandwidth)


def median_distance(X: Any, metric: Literal["euclidean", "cityblock"]) -> float:
    """Return the median distance between two distinct points of X; O(n d + m² d) for m ≤ 1000 distinct points.

    X may be sparse where the metric is Euclidean; the distances then, and those of more than 100 columns, have a
    relative error of at most 1e-9.

    Raises
    ------
    ValueError
        If all points coincide.

    Examples
    --------
    >>> median_distance([[0.0], [3.0], [4.0]], "euclidean")
    3.0
    >>> median_distance([[0.0], [3.0], [4.0], [4.0], [4.0]], "euclidean")
    3.0
    """
    given = as_vectors(X, sparse=metric == "euclidean")
    points = _distinct(given)
    unit, distances = _sparse_distances(points) if is_sparse(points) else _dense_distances(points, metric)
    apart = distances[distances > 0]
    if apart.size == 0:
        n = given.shape[0]
        cause = "there is only 1 sample" if n == 1 else f"all {n} coincide"
        raise ValueError(f"bandwidth='median' needs at least two different points, and {cause}: give a number")
    return float(unit * np.median(apart))


def _distinct(points: Any) -> Any:
    """Return the distinct rows, at most `SAMPLE` of them, in memory of their own."""
    if is_sparse(points) and not (points.has_canonical_format and points.data.all()):
        points = points.copy()
        points.sum_duplicates()
        points.eliminate_zeros()
    order = np.random.default_rng(0).permutation(points.shape[0])
    some = order[:SAMPLE]
    if not is_sparse(points) and len(np.unique(points[some, 0])) == len(some):  # so different are they at first sight
        return points[some]
    found: dict[Any, int] = {}
    for i in order:
        found.setdefault(_contents(points, i), i)
        if len(found) == SAMPLE:
            break
    return points[list(found.values())]


def _contents(points: Any, i: int) -> Any:
    """Return what tells row i from all that differ from it."""
    if is_sparse(points):
        row = slice(*points.indptr[i : i + 2])
        return points.indices[row].tobytes(), points.data[row].tobytes()
    return (points[i] + 0).tobytes()  # −0 + 0 is 0


# Measured in units of the largest deviation or coordinate, squares can neither overflow nor vanish.


def _dense_distances(points: Array, metric: Literal["euclidean", "cityblock"]) -> tuple[float, Array]:
    points = points.astype(np.float64, copy=False)
    points /= 2
    spans = points.max(axis=0) - points.min(axis=0)
    if not spans.all():
        points = points[:, spans > 0]  # a column of equal numbers adds nothing, however many units they are away
    if not points.size:
        return 1.0, np.zeros(1)
    unit = ldexp(1.0, frexp(float(spans.max()))[1] - 1)  # a power of two divides without rounding
    if metric == "euclidean" and len(spans) > WIDE:
        return 2 * unit, _by_products(points, unit)
    return 2 * unit, pdist(points / unit, metric)


def _sparse_distances(points: Any) -> tuple[float, Array]:
    unit = float(np.abs(points.data).max(initial=0))
    return unit, _by_products(points, unit)


def _by_products(points: Any, unit: float) -> Array:
    """Return the distances in units, by matrix products of some points and those that come after."""
    n = points.shape[0]
    squares = np.zeros((n, n))
    for start in range(0, n if unit > 0 else 0, COMPARED):
        some = slice(start, start + COMPARED)
        squared_distances(points[some], points[start:], unit, squares[some, start:], factor=1.0, smooth=False)
    return np.sqrt(squares[np.triu_indices(n, 1)])
