"""Eigenpairs of a Gram, dense or matrix-free (seed 002, "Spectral decomposition of the kernel matrix").

K v = λ v. For centred data the covariance C = (1/n) Φ Φᵀ has the eigenvalues μ = λ/n and the eigenvectors u = λ^(−½)
Φ v: in terms of the data, u = Σᵢ βᵢ φ(xᵢ) with β = λ^(−½) v. Directions with λ ≈ 0 have no such u and are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np
import scipy.linalg

from gramian.checks import Array, whole
from gramian.factor.cholesky import pivoted
from gramian.factor.krylov import Ritz, leading
from gramian.factor.machine import DENSE
from gramian.gram.gram import Gram, as_symmetric
from gramian.gram.there import answered

ITERATED_FROM = 500  # objects, from which few pairs of a K that is held are found sooner by an iteration
OBJECTS_A_PAIR = 50  # at least, for pairs to be few
MOST_PRODUCTS = 200
STARTED = 16  # times the number of pairs: the least rank of the factor that an iteration starts from
CHEAP = 2  # times √n: the rank of a factor that takes an eighth of the time of a product, and often saves one
BESIDE = 16  # columns that are started from beside those wanted, at most
LONGEST_CHAIN = 24  # products of one column with K, by which pairs of K become pairs about the mean
EXHAUSTED = 1e-12  # of a vector, left beyond a space that it lies in
SAMPLE = 256  # objects by which the spread is judged
PLAIN_SHARE = 0.02  # of κ(x, x) that has to be spread about the centre
LARGEST_SINGLE = 1e30
FINE_TOL = 1e-10  # the same where K might as well be decomposed
CENTERED_TOL = 1e-7  # residual in units of the largest eigenvalue; eigenvalues are far more accurate than that


@dataclass(frozen=True, eq=False)
class Eigen:
    """Leading eigenpairs of K, largest first, with the evidence of their accuracy.

    Attributes
    ----------
    values : array of shape (k,)
        λ₁ ≥ λ₂ ≥ …
    vectors : array of shape (n, k)
        Orthonormal eigenvectors, each with its entry of largest magnitude positive.
    residuals : array of shape (k,)
        ‖K v − λ v‖.

    See Also
    --------
    eigen : leading eigenpairs of K
    KernelPCA : principal components in feature space
    MercerMap : coordinates by the eigenvectors of K

    Notes
    -----
    Cost: k eigenpairs take O(n k) numbers; `dual` makes one more array of that size.

    Examples
    --------
    >>> import gramian as gm
    >>> pairs = gm.eigen(gm.Linear().gram([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    >>> pairs.covariance_values, pairs.dual().shape        # the zero eigenvalue has no direction
    (array([3.        , 1.33333333, 0.        ]), (3, 2))
    """

    values: Array
    vectors: Array
    residuals: Array

    @property
    def covariance_values(self) -> Array:
        """μ = λ/n, the variances along the principal directions when K is centred."""
        return self.values / len(self.vectors)

    def positive(self) -> Eigen:
        """Return the pairs whose eigenvalue is above rounding error, n ε λ₁; the others span no direction."""
        eps = float(np.finfo(self.values.dtype).eps)
        kept = self.values > len(self.vectors) * eps * self.values.max(initial=0.0)
        return Eigen(self.values[kept], self.vectors[:, kept], self.residuals[kept])

    def first(self, count: int) -> Eigen:
        """Return the first `count` pairs."""
        return Eigen(self.values[:count], self.vectors[:, :count], self.residuals[:count])

    def dual(self) -> Array:
        """Return β = λ^(−½) v in columns, the covariance eigenvectors as combinations of the φ(xᵢ), for λ > 0."""
        kept = self.positive()
        return kept.vectors / np.sqrt(kept.values)


def eigen(gram: Gram, rank: int | None = None) -> Eigen:
    """Return the `rank` leading eigenpairs of a symmetric Gram, all of them by default.

    K v = λ v: the directions along which K acts as a number, the largest numbers first.

    Up to n = 3000, or where more than a fifth of the spectrum is asked for, the dense matrix is decomposed: O(n²)
    memory, O(n³) operations. Beyond, a Lanczos iteration multiplies by K tile by tile: O(n · rank) memory.

    Parameters
    ----------
    gram : Gram
        A symmetric Gram.
    rank : int, optional
        How many pairs; all by default, and where there are fewer.

    Returns
    -------
    Eigen
        The pairs, with the residual of each.

    Raises
    ------
    ValueError
        If the Gram is not symmetric, or `rank` is below 1.
    TypeError
        If `rank` is no whole number.

    See Also
    --------
    Eigen : what `eigen` answers
    MercerMap : coordinates by the eigenvectors of K
    KernelPCA : principal components in feature space
    cholesky : K ≈ F Fᵀ, completely or in low rank

    Examples
    --------
    >>> import gramian as gm
    >>> pairs = gm.eigen(gm.Linear().gram([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]]), rank=2)
    >>> pairs.values
    array([9., 4.])
    """
    if as_symmetric(gram, "eigen") is not gram:
        return answered(eigen, gram, rank)
    n = len(gram)
    k = n if rank is None else min(whole(rank, "rank"), n)
    values, vectors = _dense(gram, k) if n <= DENSE or 5 * k > n else _matrix_free(gram, k)
    order = np.argsort(values)[::-1]
    values, vectors = values[order], vectors[:, order]
    unit = max(float(np.abs(values).max(initial=0.0)), float(np.finfo(values.dtype).tiny))
    residuals = unit * np.linalg.norm((gram @ vectors - vectors * values) / unit, axis=0)
    return Eigen(values, _turned(vectors), residuals)


def centered_eigen(gram: Gram, rank: int | None = None) -> Eigen:
    """Return leading eigenpairs of the Gram about its centre of mass, P K P with P = I − 11ᵀ/n.

    Up to n = 3000, where most of the spectrum is asked for, where φ is explicit and dense, and where all images are
    all but one, that is ``eigen(gram.center(), rank)``, unless products are quick (K is held, or they go through a
    matrix or features) and at most a fiftieth of the spectrum is asked for. Otherwise K itself is multiplied, and P is
    applied to the vectors: a Gram that is held in memory can stay as it is, and sparse features stay sparse.
    """
    if as_symmetric(gram, "centered_eigen") is not gram:
        return answered(centered_eigen, gram, rank)
    n = len(gram)
    dense_features = gram.through_features() and not (gram.rows.open or gram.rows.sparse)
    if rank is None or decomposes(gram, rank) or dense_features or gram.is_nearly_one:
        return eigen(gram.center(), rank)

    quick = gram if gram.is_held or not spreads(gram) else gram.single()

    def apply(V: Array) -> Array:
        product = quick.apply(V - V.mean(axis=0))
        return np.asarray(product - product.mean(axis=0))

    noise = 16 * float(np.finfo(quick.precision).eps)
    tol = max(CENTERED_TOL if n > DENSE else FINE_TOL, 16 * float(np.finfo(gram.dtype).eps))
    if (known := gram.kernel.leading_pairs(gram.rows, min(rank + 1, n))) is not None:
        shifted = about_the_mean(gram, *known, rank, tol)
        if shifted.residuals.max() <= tol * np.abs(shifted.values).max():
            return Eigen(shifted.values, _turned(shifted.vectors), shifted.residuals)
        start: Array | None = shifted.vectors
    else:
        start = nearly_leading(gram, rank, centered=True)
    pairs = leading(apply, n, rank, tol, MOST_PRODUCTS, start, noise, gram.place)
    return Eigen(pairs.values, _turned(pairs.vectors), pairs.residuals)


def about_the_mean(gram: Gram, mu: Array, U: Array, rank: int, tol: float) -> Ritz:
    """Return leading eigenpairs of P K P, given pairs of K with all that are larger than any other.

    P changes K by what the vector of ones spans. On the space of U, of the ones and of their images under K,
    orthogonalized one by one, P K P is projected: each step takes the product of one column with K, and few are
    needed, for the part of K that moves beyond this space has none of its large eigenvalues.
    """
    n = len(gram)
    mean = np.full(n, n**-0.5)
    Q, KQ, following = U, U * mu, mean
    for _step in range(LONGEST_CHAIN):
        size = np.linalg.norm(following)
        for _ in range(2):
            following = following - Q @ (Q.T @ following)
        length = np.linalg.norm(following)
        exhausted = bool(length <= EXHAUSTED * size)
        if not exhausted:
            added = (following / length)[:, None]
            Q, KQ = np.hstack([Q, added]), np.hstack([KQ, gram.apply(added)])
        H, q = Q.T @ KQ, Q.T @ mean
        H = (H + H.T) / 2
        q /= np.linalg.norm(q)
        H -= np.outer(q, q @ H)
        H -= np.outer(H @ q, q)
        theta, Y = scipy.linalg.eigh(H, check_finite=False)
        theta, Y = theta[::-1][:rank], Y[:, ::-1][:, :rank]
        V, image = Q @ Y, KQ @ Y
        V -= V.mean(axis=0)
        residuals = np.linalg.norm(image - image.mean(axis=0) - V * theta, axis=0)
        if exhausted or residuals.max() <= tol * np.abs(theta).max():
            break
        following = KQ[:, -1]
    return Ritz(theta, V, residuals, Q.shape[1] - U.shape[1])


def decomposes(gram: Gram, rank: int) -> bool:
    """Tell whether so many eigenpairs about the centre of mass take a decomposition of all of K."""
    n = len(gram)
    quick = gram.is_held or gram.kernel.matrix_free or gram.through_features()
    few = quick and n > ITERATED_FROM and OBJECTS_A_PAIR * rank <= n
    return 5 * rank > n or (n <= DENSE and not few)


def spreads(gram: Gram) -> bool:
    """Tell whether values in single precision are enough for what lies about the centre of mass.

    They are not where κ hardly varies, so that their digits cancel when the centre is taken away.
    """
    if gram.kernel.traits.whole_columns:
        return True
    some = np.sort(np.random.default_rng(0).choice(len(gram), min(len(gram), SAMPLE), replace=False))
    K = gram.block(some, some).astype(np.float64)
    return bool(K.diagonal().mean() - K.mean() > PLAIN_SHARE * K.diagonal().mean() and np.abs(K).max() < LARGEST_SINGLE)


def nearly_leading(gram: Gram, k: int, centered: bool) -> Array | None:
    """Return nearly the leading eigenvectors, from a Cholesky factor of low rank: they cost less than one product."""
    if gram.kernel.matrix_free:
        return None  # there a column of K costs as much as a product
    try:
        rank = max(1, min(max(STARTED * k, CHEAP * isqrt(len(gram))), len(gram) // 10))
        F = pivoted(gram, rank, pivoting="random", rng=0).factor
    except ValueError:  # not positive semidefinite: there is no such factor, and a random start will do
        return None
    except gram.place.full:
        gram.place.release()
        return None
    if F.shape[1] == 0:
        return None
    place = gram.place
    F = place.cast(F, np.float64)
    F = place.moved(F, place.mean(F)) if centered else F
    axes = scipy.linalg.eigh(place.host(place.syrk(F)), check_finite=False)[1]
    return place.times(F, axes[:, ::-1][:, : k + BESIDE])


def _turned(vectors: Array) -> Array:
    """Give every eigenvector the sign that makes its entry of largest magnitude positive."""
    peak = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None], axis=0)
    return np.asarray(vectors * np.where(peak < 0, -1, 1).astype(vectors.dtype))


def _dense(gram: Gram, k: int) -> tuple[Array, Array]:
    n = len(gram)
    values, vectors = gram.place.eigh(gram.matrix())
    return values[n - k :], gram.place.host(vectors[:, n - k :])


def _matrix_free(gram: Gram, k: int) -> tuple[Array, Array]:
    tol = 16 * float(np.finfo(gram.dtype).eps) ** 0.75
    pairs = leading(
        gram.apply, len(gram), k, tol, MOST_PRODUCTS, nearly_leading(gram, k, centered=False), place=gram.place
    )
    return pairs.values.astype(gram.dtype), pairs.vectors.astype(gram.dtype)
