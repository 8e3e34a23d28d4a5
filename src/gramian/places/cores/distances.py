"""Squared Euclidean distances with a bounded relative error.

One matrix product gives a whole tile: with rows (−2a, ‖a‖², 1) and (b, 1, ‖b‖²) the product is ‖a‖² − 2aᵀb + ‖b‖². The
expansion loses digits where points lie far from the origin and close to each other: its absolute error is about
ε (‖a‖² + ‖b‖²). So the origin is moved into the tile first, and where that is not enough (several distant clusters) the
entries with too few correct digits are computed again from the differences a − b. Squared distances add up over the
columns: where points are wide they are taken a slab of columns at a time, so that copies of them stay small.

Sparse points stay sparse: to move the origin would fill their zeros, so there the second look alone keeps the digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from gramian.checks import Array, is_sparse
from gramian.places.cores.products import inner_products, squared_lengths

SLAB = 4096  # numbers of an object that a block copies at a time
ROUNDING = 4.0  # the expansion's error in units of ε (‖a‖² + ‖b‖²)
PATCH = 0.05  # share of a tile up to which single entries are recomputed; beyond it the whole tile is
IN_CACHE = 2**17  # numbers that are taken up at a time: they stay in the cache from one pass to the next


def squared_distances(A: Any, B: Any, scale: float, out: Array, *, factor: float, smooth: bool) -> None:
    """Write factor · ‖(a − b) / scale‖² into out, |factor| a power of two; A and B are dense or sparse.

    Every squared distance keeps a relative error below η, 3e-5 in float32 and 1e-9 in float64. With `smooth` an
    absolute error below η is enough (the profile has a bounded slope at 0, as a Gaussian has), which saves the second
    look in all but extreme cases. O(n m d).
    """
    with np.errstate(all="ignore"):
        (_of_sparse if is_sparse(A) or is_sparse(B) else _of_dense)(A, B, scale, out, factor, smooth)


def distance_accuracy(dtype: np.dtype[np.generic]) -> float:
    """Return η, the relative error allowed in a squared distance."""
    return 3e-5 if dtype.itemsize == 4 else 1e-9


def _of_dense(A: Array, B: Array, scale: float, out: Array, factor: float, smooth: bool) -> None:
    eta, size = distance_accuracy(out.dtype), 0.0
    for columns in _slabs(A):
        a, b = (P[:, columns].astype(out.dtype, copy=False) for P in (A, B))
        origin = b.mean(axis=0)
        left, norms_a = _augmented(a, origin, scale, -2 * factor)
        right, norms_b = _augmented(b, origin, scale, 1.0)
        size += float(norms_a.max()) + float(norms_b.max())
        if not np.isfinite(size):
            _by_difference(A, B, scale, out, factor)
            return
        left[:, -2], left[:, -1] = factor * norms_a, 1
        right[:, -2], right[:, -1] = 1, factor * norms_b
        if columns.start == 0:
            np.matmul(left, right.T, out=out)
        else:
            out += left @ right.T
    error = ROUNDING * float(np.finfo(out.dtype).eps) * size
    if smooth and error <= eta:
        return
    doubtful = np.abs(out) < abs(factor) * error / eta
    count = int(np.count_nonzero(doubtful))
    if count > PATCH * out.size and out.size > 64:
        _by_difference(A, B, scale, out, factor)
    elif count:
        i, j = np.nonzero(doubtful)
        step = max(1, IN_CACHE // A.shape[1])
        for start in range(0, count, step):
            some = i[start : start + step], j[start : start + step]
            gap = (A[some[0]].astype(np.float64) - B[some[1]]) / scale
            out[some] = factor * squared_lengths(gap)


def _slabs(points: Array) -> list[slice]:
    """Return the columns of points in runs that are copied at a time."""
    width = points.shape[1]
    return [slice(start, min(start + SLAB, width)) for start in range(0, width, SLAB)]


def _augmented(points: Array, origin: Array, scale: float, times: float) -> tuple[Array, Array]:
    """Return times · (points − origin) / scale with two columns to spare, and the squared norms before `times`."""
    augmented = np.empty((points.shape[0], points.shape[1] + 2), points.dtype)
    norms = np.empty(len(points), points.dtype)
    step = max(1, IN_CACHE // points.shape[1])
    for start in range(0, len(points), step):
        rows = slice(start, start + step)
        moved = augmented[rows, :-2]
        np.subtract(points[rows], origin, out=moved)
        moved /= scale
        norms[rows] = squared_lengths(moved)
        if times != 1:
            moved *= times
    return augmented, norms


def _by_difference(A: Array, B: Array, scale: float, out: Array, factor: float) -> None:
    # A power of two near the scale divides without rounding, wherever the points lie; halves keep differences finite.
    # A point that is infinitely many bandwidths away is compared pair by pair.
    unit = np.ldexp(1.0, np.frexp(scale)[1] - 1)
    squares = np.zeros(out.shape)
    for columns in _slabs(A):
        a, b = (P[:, columns].astype(np.float64) / 2 for P in (A, B))
        some = cdist(a / unit, b / unit, "sqeuclidean") * (2 * (unit / scale)) ** 2
        i, j = np.nonzero(np.isnan(some))
        gap = (a[i] - b[j]) / scale * 2
        some[i, j] = squared_lengths(gap)
        squares += some
    np.multiply(squares, factor, out=out, casting="same_kind")


def _of_sparse(A: Any, B: Any, scale: float, out: Array, factor: float, smooth: bool) -> None:
    if not is_sparse(B):
        A, B, out = B, A, out.T
    # In float64 throughout, for most of the time goes into indices. Sums of sparse products are taken term by term.
    eta, terms = distance_accuracy(out.dtype), max(_longest(A), _longest(B))
    rounding = (ROUNDING + terms) * float(np.finfo(np.float64).eps)
    b = _in_units(B, scale)
    norms_b = squared_lengths(b)
    b = b.tocsc()  # the form that products with its transpose are made of
    step = max(1, IN_CACHE // max(B.shape[0], _longest(A)))
    for start in range(0, A.shape[0], step):
        some = A[start : start + step]
        a = _in_units(some, scale)
        norms_a = squared_lengths(a)
        squares = inner_products(a, b)  # and from here on in place: new memory would take longer than the numbers
        squares *= -2
        squares += norms_b
        squares += norms_a[:, None]
        if not (smooth and rounding * (norms_a.max() + norms_b.max()) <= eta):
            sizes = np.add.outer(norms_a, norms_b)
            # NaN, of points infinitely many bandwidths away, is doubtful too.
            i, j = np.nonzero(~(rounding * sizes <= eta * np.maximum(squares, float(smooth))))
            squares[i, j] = _between(some, B, i, j, scale)
        np.multiply(squares, factor, out=out[start : start + step], casting="same_kind")


def _in_units(points: Any, scale: float) -> Any:
    """Return points / scale in float64, a copy."""
    points = points.astype(np.float64)
    if is_sparse(points):
        points.data /= scale
    else:
        points /= scale
    return points


def _longest(points: Any) -> int:
    """Return how many numbers the longest row holds."""
    return int(np.diff(points.indptr).max() if is_sparse(points) else points.shape[1])


def _between(A: Any, B: Any, i: Array, j: Array, scale: float) -> Array:
    """Return ‖(a − b) / scale‖² for the rows i of A against the rows j of B, pair by pair, from sparse differences."""
    squares = np.empty(len(i))
    step = max(1, IN_CACHE // max(1, _longest(A) + _longest(B)))
    for start in range(0, len(i), step):
        pairs = slice(start, start + step)
        a, b = (_in_units(csr_array(P[k[pairs]]), 2.0) for P, k in ((A, i), (B, j)))  # halves keep differences finite
        squares[pairs] = squared_lengths(2 * _in_units(a - b, scale))
    return squares
