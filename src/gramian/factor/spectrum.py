"""The whole spectrum of S K Sᵀ from the cheapest decomposition, for questions asked at many ridges.

    S K Sᵀ = U diag(σ²) Uᵀ

From one such decomposition the smoother σ²/(σ² + λ), its diagonal and its trace follow for every λ by O(n) operations
a direction. Where φ is explicit and small it is the singular value decomposition of S Φ; up to n = 3000 the eigenvalue
decomposition of the matrix; beyond that of a randomly pivoted Cholesky factor, with the part of the trace that is left
out reported.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from gramian.checks import Array
from gramian.factor.cholesky import LowRank, cholesky
from gramian.factor.eigen import DENSE
from gramian.factor.solve import PLAIN, Frame, Side, explicit_features
from gramian.gram.gram import Gram

LARGEST_RANK = 2000


@dataclass(frozen=True, eq=False)
class Spectrum:
    """U and σ², largest first, with the share of the trace of K that they leave out (0 where they are exact)."""

    values: Array
    vectors: Array
    left_out: float


def spectrum(gram: Gram, frame: Frame = PLAIN, side: Side = "auto") -> Spectrum:
    """Decompose S K Sᵀ; eigenvalues that are rounding errors are left out."""
    if (features := explicit_features(gram, side)) is not None:
        return _of_factor(frame.S(features), 0.0)
    if len(gram) <= DENSE:
        K = frame.around(gram.dense().astype(np.float64, copy=False))
        values, U = scipy.linalg.eigh(K, overwrite_a=True, check_finite=False)
        return _kept(values[::-1], U[:, ::-1], 0.0)
    low = _low_rank(gram)
    return _of_factor(frame.S(low.factor.astype(np.float64)), low.relative_error)


def coordinates(gram: Gram) -> Array:
    """Return points C with C Cᵀ = K: features, or a Cholesky factor, which beyond n = 3000 is one of low rank."""
    if (features := explicit_features(gram)) is not None:
        return features
    if len(gram) > DENSE:
        return _low_rank(gram).factor.astype(np.float64)
    K = gram.dense().astype(np.float64, copy=False)
    noise = len(K) * np.finfo(np.float64).eps * float(K.diagonal().max())
    factor, order, rank, _ = scipy.linalg.lapack.dpstrf(K, tol=noise, lower=True, overwrite_a=True)
    points = np.empty((len(K), rank))
    points[order - 1] = np.tril(factor)[:, :rank]
    return points


def _low_rank(gram: Gram) -> LowRank:
    tol = len(gram) * float(np.finfo(gram.dtype).eps)
    return cholesky(gram, LARGEST_RANK, tol=tol, pivoting="random", rng=0)


def _of_factor(F: Array, left_out: float) -> Spectrum:
    U, sigma, _ = scipy.linalg.svd(F, full_matrices=False, check_finite=False)
    return _kept(sigma**2, U, left_out)


def _kept(values: Array, U: Array, left_out: float) -> Spectrum:
    kept = values > len(U) * np.finfo(np.float64).eps * max(float(values.max(initial=0.0)), 0.0)
    return Spectrum(values[kept], U[:, kept], left_out)
