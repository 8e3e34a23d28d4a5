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
from gramian.factor.cholesky import LowRank, pivoted
from gramian.factor.eigen import MOST_PRODUCTS, nearly_leading
from gramian.factor.krylov import leading
from gramian.factor.machine import DENSE
from gramian.factor.solve import PLAIN, Lens, Side, explicit_matrix
from gramian.gram.gram import Gram
from gramian.places import Matrix, place_of
from gramian.runtime.threads import aside

LARGEST_RANK = 2000
CLEAR = 1e-3  # share of the trace left out, from which rounding errors of a factor in single precision are far below it
NOT_PSD = "K is not positive semidefinite: {}, so that it is not the matrix of a kernel; gm.is_psd tells more"


@dataclass(frozen=True, eq=False)
class Spectrum:
    """U and σ², largest first, with the share of the trace of K that they leave out (0 where they are exact).

    `axes` are the directions in explicit features, V with S Φ = U diag(σ) Vᵀ, where those were decomposed.
    """

    values: Array
    vectors: Array
    left_out: float
    axes: Array | None = None

    def take(self, kept: Array) -> Spectrum:
        """Return some of the directions."""
        axes = None if self.axes is None else self.axes[:, kept]
        return Spectrum(self.values[kept], self.vectors[:, kept], self.left_out, axes)

    def beside(self, direction: Array) -> Spectrum:
        """Return the spectrum of P S K Sᵀ P, where P takes a unit vector away.

        S may have taken it away already. Rounding errors of a K with large entries turn the directions of what S leaves
        nevertheless, by as much as these errors are beside its eigenvalues.

        Examples
        --------
        >>> turned = Spectrum(np.array([4.0]), np.array([[0.8], [0.6]]), 0.0)
        >>> turned.beside(np.array([0.6, 0.8])).values.round(4)      # 4 (1 - 0.96²)
        array([0.3136])
        """
        root = np.sqrt(self.values)
        rest = self.vectors - np.outer(direction, direction @ self.vectors)
        U, sigma, turn = scipy.linalg.svd(rest * root, full_matrices=False)
        axes = None if self.axes is None else self.axes @ turn.T
        found = Spectrum(sigma**2, U, self.left_out, axes)
        gone = max(len(rest), 16) * float(np.finfo(np.float64).eps) * float(self.values.max(initial=0.0))
        return found.take(found.values > gone)


def spectrum(gram: Gram, lens: Lens = PLAIN, side: Side = "auto") -> Spectrum:
    """Decompose S K Sᵀ; eigenvalues that are rounding errors are left out."""
    if (features := explicit_matrix(gram, side)) is not None:
        return _of_factor(lens.seen(features), 0.0, gram, explicit=True)
    place = gram.place
    if len(gram) <= DENSE:
        K = lens.around(place.cast(gram.matrix(), np.float64))
        values, vectors = place.eigh(K)
        U = place.host(vectors)
        scale = max(float(values[-1]), gram.scale() * lens.gain)
        if values[0] < -(len(gram) + 16) * gram.kernel.accuracy(gram.dtype) * scale:
            raise ValueError(NOT_PSD.format(f"its smallest eigenvalue is {values[0]:.3g}"))
        return _kept(Spectrum(values[::-1], U[:, ::-1], 0.0), gram)
    low = _low_rank(gram)
    return _of_factor(lens.seen(place.cast(low.factor, np.float64)), low.relative_error, gram)


def spectrum_above(gram: Gram, lam: float, lens: Lens = PLAIN, side: Side = "auto") -> Spectrum:
    """Decompose S K Sᵀ as far as its eigenvalues are at least λ; beyond n = 3000 by a Krylov iteration."""
    n = len(gram)
    if n <= DENSE or explicit_matrix(gram, side) is not None:
        return spectrum(gram, lens, side)

    def apply(V: Array) -> Array:
        return lens.S(gram.apply(lens.St(V)))

    rank = 64
    with gram.held():
        while 5 * rank <= n:
            start = nearly_leading(gram, rank, centered=False)
            leading_pairs = leading(
                apply, n, rank, 1e-9, MOST_PRODUCTS, None if start is None else lens.S(start), place=gram.place
            )
            if leading_pairs.values[-1] < lam:
                kept = leading_pairs.values >= lam
                return Spectrum(leading_pairs.values[kept], leading_pairs.vectors[:, kept], 0.0)
            rank *= 2
    return spectrum(gram, lens, side)


def whole_range(gram: Gram, lens: Lens = PLAIN, side: Side = "auto") -> Spectrum:
    """Decompose S K Sᵀ for a question without a ridge, where the rank counts: its range, and nothing beyond.

    Of explicit features the singular values of S Φ are told from rounding errors, of K the eigenvalues, which are
    their squares: directions that are 1e-7 of the largest are out of reach then. Refused where K is too large to be
    decomposed, unless its rank is small.
    """
    if (features := explicit_matrix(gram, side)) is not None:
        U, sigma, Vt = _svd(lens.seen(features))
        length = float(np.sqrt(place_of(features).squares(features)[0].sum()))
        size = max(lens.gain**0.5 * length, float(sigma.max(initial=0.0)))
        kept = sigma > max(features.shape) * float(np.finfo(gram.dtype).eps) * size
        return Spectrum(sigma[kept] ** 2, U[:, kept], 0.0, Vt.T[:, kept])
    decomposition = spectrum(gram, lens, side)
    if decomposition.left_out > len(gram) * float(np.finfo(gram.dtype).eps):
        raise ValueError(
            f"without a ridge all of K has to be decomposed, and with {len(gram):,} objects it is too large for that "
            f"(more than {DENSE:,}, and a rank of more than {LARGEST_RANK:,}): give a ridge above 0, or a rank"
        )
    return Spectrum(decomposition.values, decomposition.vectors, 0.0, decomposition.axes)


def coordinates(gram: Gram, rank: int | None = None) -> tuple[Array, float]:
    """Return points C with C Cᵀ = K, and the share of the trace of K that they leave out.

    They are explicit features, or a Cholesky factor, which beyond n = 3000, or where a rank is given, is one of low
    rank.
    """
    if (features := explicit_matrix(gram)) is not None:
        return place_of(features).host(features), 0.0
    if len(gram) > DENSE or rank is not None:
        low = _low_rank(gram, rank)
        return low.points.astype(np.float64), low.relative_error
    K = gram.dense().astype(np.float64, copy=False)
    noise = len(K) * float(np.finfo(gram.dtype).eps) * float(K.diagonal().max())
    factor, order, rank, _ = aside(lambda: scipy.linalg.lapack.dpstrf(K, tol=noise, lower=True))
    points = np.empty((len(K), rank))
    points[order - 1] = np.tril(factor)[:, :rank]
    probe = np.random.default_rng(0).standard_normal(len(K))
    gap = np.abs(K @ probe - points @ (points.T @ probe)).max()
    if gap > len(K) ** 0.5 * max(noise, gram.kernel.accuracy(gram.dtype) * float(K.diagonal().max())):
        raise ValueError(NOT_PSD.format("its Cholesky factor does not give it back"))
    return points, 0.0


def rough_factor(gram: Gram, rank: int) -> LowRank:
    """Return a randomly pivoted factor of a rank, in single precision where what it leaves out is far more than that.

    What is chosen by it needs few digits; what is decided by the last of them is decided by what is left out.
    """
    single = gram.rounded()
    low = pivoted(single, rank, pivoting="random", rng=0)
    return low if single is gram or low.relative_error >= CLEAR else pivoted(gram, rank, pivoting="random", rng=0)


def rough_spectrum(low: LowRank, lens: Lens = PLAIN) -> Spectrum:
    """Decompose S F Fᵀ Sᵀ by way of (S F)ᵀ(S F), whose small eigenvalues have fewer digits than singular values."""
    place = place_of(low.factor)
    G = lens.seen(place.cast(low.factor, np.float64))
    values, V = place.eigh(place.syrk(G))
    kept = values > (len(G) + 16) * float(np.finfo(np.float64).eps) * values[-1]
    values, axes = values[kept][::-1], place.host(V)[:, kept][:, ::-1]
    return Spectrum(values, place.times(G, axes / np.sqrt(values)), low.relative_error)


def _low_rank(gram: Gram, rank: int | None = None) -> LowRank:
    tol = len(gram) * float(np.finfo(gram.dtype).eps)
    return pivoted(gram, rank or LARGEST_RANK, tol=tol, pivoting="random", rng=0)


def _of_factor(F: Matrix, left_out: float, gram: Gram, explicit: bool = False) -> Spectrum:
    U, sigma, Vt = _svd(F)
    return _kept(Spectrum(sigma**2, U, left_out, Vt.T if explicit else None), gram)


def _svd(F: Matrix) -> tuple[Array, Array, Array]:
    """Return the singular value decomposition of a matrix of a place, on the host."""
    place = place_of(F)
    U, sigma, Vt = place.svd(F)
    return place.host(U), sigma, place.host(Vt)


def _kept(decomposition: Spectrum, gram: Gram) -> Spectrum:
    """Leave out what rounding may have made: errors of entries, as a random matrix, and those of the decomposition."""
    n, largest = len(gram), max(float(decomposition.values.max(initial=0.0)), 0.0)
    noise = (n + 16) * float(np.finfo(np.float64).eps) * largest
    if gram.dtype.itemsize <= 4:
        noise = max(noise, 64 * n**0.5 * float(np.finfo(gram.dtype).eps) * min(gram.scale(), largest))
    return decomposition.take(decomposition.values > noise)
