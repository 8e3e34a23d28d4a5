"""Squared Euclidean distances with a bounded relative error.

One matrix product gives a whole tile: with rows (−2a, ‖a‖², 1) and (b, 1, ‖b‖²) the product is ‖a‖² − 2aᵀb + ‖b‖². The
expansion loses digits where points lie far from the origin and close to each other: its absolute error is about
ε (‖a‖² + ‖b‖²). So the origin is moved into the tile first, and where that is not enough (several distant clusters) the
entries with too few correct digits are computed again from the differences a − b.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from gramian.checks import Array

ROUNDING = 4.0  # the expansion's error in units of ε (‖a‖² + ‖b‖²)
PATCH = 0.05  # share of a tile up to which single entries are recomputed; beyond it the whole tile is


def squared_distances(A: Array, B: Array, scale: float, out: Array, *, factor: float, smooth: bool) -> None:
    """Write factor · ‖(a − b) / scale‖² into out, |factor| a power of two.

    Every squared distance keeps a relative error below η, 3e-5 in float32 and 1e-9 in float64. With `smooth` an
    absolute error below η is enough (the profile has a bounded slope at 0, as a Gaussian has), which saves the second
    look in all but extreme cases. O(n m d).
    """
    eta = distance_accuracy(out.dtype)
    A, B = A.astype(out.dtype, copy=False), B.astype(out.dtype, copy=False)
    with np.errstate(all="ignore"):
        origin = B.mean(axis=0)
        (left, norms_a), (right, norms_b) = _augmented(A, origin, scale), _augmented(B, origin, scale)
        size = float(norms_a.max()) + float(norms_b.max())
        if not np.isfinite(size):
            _by_difference(A, B, scale, out, factor)
            return
        left[:, :-2] *= -2 * factor
        left[:, -2], left[:, -1] = factor * norms_a, 1
        right[:, -2], right[:, -1] = 1, factor * norms_b
        np.matmul(left, right.T, out=out)
        error = ROUNDING * float(np.finfo(out.dtype).eps) * size
        if smooth and error <= eta:
            return
        doubtful = np.abs(out) < abs(factor) * error / eta
        count = int(np.count_nonzero(doubtful))
        if count > PATCH * out.size and out.size > 64:
            _by_difference(A, B, scale, out, factor)
        elif count:
            i, j = np.nonzero(doubtful)
            gap = (A[i].astype(np.float64) - B[j]) / scale
            out[i, j] = factor * np.einsum("ij,ij->i", gap, gap)


def distance_accuracy(dtype: np.dtype[np.generic]) -> float:
    """Return η, the relative error allowed in a squared distance."""
    return 3e-5 if dtype.itemsize == 4 else 1e-9


def _augmented(points: Array, origin: Array, scale: float) -> tuple[Array, Array]:
    """Return (points − origin) / scale with two columns to spare, and the squared norms of its rows."""
    augmented = np.empty((points.shape[0], points.shape[1] + 2), points.dtype)
    moved = augmented[:, :-2]
    np.subtract(points, origin, out=moved)
    moved /= scale
    return augmented, np.einsum("ij,ij->i", moved, moved)


def _by_difference(A: Array, B: Array, scale: float, out: Array, factor: float) -> None:
    # Halves keep differences finite. A point that is infinitely many bandwidths away is compared pair by pair.
    A, B, half = A.astype(np.float64) / 2, B.astype(np.float64) / 2, scale / 2
    squares = cdist((A - B[0]) / half, (B - B[0]) / half, "sqeuclidean")
    i, j = np.nonzero(np.isnan(squares))
    gap = (A[i] - B[j]) / half
    squares[i, j] = np.einsum("ij,ij->i", gap, gap)
    out[...] = factor * squares
