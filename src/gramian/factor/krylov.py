"""Leading eigenpairs of an operator from block products alone: block Lanczos with full orthogonalization.

From a random block Q₁ the basis of span{Q₁, A Q₁, A² Q₁, …} is grown one block at a time, and A is diagonalized on it
(Rayleigh–Ritz). For a Gram, multiplying a block costs little more than multiplying one vector, for it is the tiles that
cost; so a block method needs several times fewer passes over K than one that works on single vectors. When the basis is
full it is restarted from the best Ritz vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from gramian.checks import Array
from gramian.places import CORES, Matrix, Place
from gramian.runtime.progress import Task, steps_left, task
from gramian.runtime.threads import one_blas_thread

EXTRA = 6  # columns of a block beyond the number of pairs wanted, at least: more cost more than the products they save
COARSE = 1e-5  # smallest pivot of a block's Gram for which its Cholesky factor is good enough
ORTHOGONAL = 1e-12  # cosine between a block and the basis that is taken for a right angle
LOST = 1e-6  # length of what is left of a unit vector that is nothing but rounding errors
MOST_PASSES = 8
LANE = 8  # columns that a matrix product takes at a time
BLOCKS, FEWEST_BLOCKS = 8, 2  # in the basis before it is restarted, and where memory is short


@dataclass(frozen=True, eq=False)
class Ritz:
    """Approximate eigenpairs, largest first, with ‖A v − θ v‖ of each and the number of block products spent."""

    values: Array
    vectors: Array
    residuals: Array
    products: int


def leading(
    apply: Callable[[Array], Array],
    n: int,
    count: int,
    tol: float,
    most: int,
    start: Array | None = None,
    noise: float = 0.0,
    place: Place = CORES,
) -> Ritz:
    """Return `count` leading eigenpairs of a symmetric operator.

    Parameters
    ----------
    apply : callable
        V ↦ A V for an n × b block.
    n, count : int
        Size of A; number of pairs.
    tol : float
        Stop when every residual is at most `tol` times the largest |θ|.
    most : int
        Stop after so many block products, whatever the residuals.
    start : array of shape (n, c), optional
        Columns that span nearly the space wanted, the most important first, which saves a product or two.
    noise : float
        What products are good to, in the same units as `tol`: residuals below it that a product did not halve are
        rounding errors, and no product will make them smaller.
    place : Place
        Who keeps the basis.
    """
    with one_blas_thread(), task("leading eigenvectors") as told:
        return _iterate(apply, n, count, (tol, noise), most, start, told, place)


def _iterate(
    apply: Callable[[Array], Array],
    n: int,
    count: int,
    enough: tuple[float, float],
    most: int,
    start: Array | None,
    told: Task,
    place: Place,
) -> Ritz:
    tol, noise = enough
    width = min(-(-(count + EXTRA) // LANE) * LANE, n)
    basis = _basis(apply, n, width, place)
    basis.grow(_first_block(n, width, start))
    reached: list[float] = []
    for products in range(1, most + 1):
        theta, Y = basis.diagonalize(width)
        V, R = basis.ritz(theta[:count], Y[:, :count])
        residuals = np.linalg.norm(R, axis=0)
        largest = float(np.abs(theta).max())
        if residuals.max() <= tol * largest or products == most or basis.size >= n:
            break
        reached.append(float(residuals.max()) / largest)
        if reached[-1] <= noise and len(reached) > 1 and reached[-1] > reached[-2] / 2:
            break
        left = steps_left(reached, tol)
        told.advance(products, None if left is None else products + left, f"residual {reached[-1]:.0e}")
        following = basis.last()
        if basis.size + width > basis.room:
            following = basis.ritz(theta, Y)[1]
            basis.restart(Y)
        basis.grow(following)
    return Ritz(theta[:count], V, residuals, products)


def _first_block(n: int, width: int, start: Array | None) -> Array:
    block = np.random.default_rng(0).standard_normal((n, width))
    if start is not None:
        given = min(width, start.shape[1])
        block[:, :given] = start[:, :given]
    return block


def _basis(apply: Callable[[Array], Array], n: int, width: int, place: Place) -> _Basis:
    """Return an empty basis of as many blocks as the memory has room for."""
    blocks = BLOCKS
    while True:
        try:
            return _Basis(apply, n, blocks * width, place)
        except place.full:
            if blocks <= FEWEST_BLOCKS:
                raise
        place.release()
        blocks //= 2


class _Basis:
    """Orthonormal Q, its image A Q, and H = Qᵀ A Q, growing block by block in memory taken once."""

    def __init__(self, apply: Callable[[Array], Array], n: int, room: int, place: Place) -> None:
        self._apply, self._place = apply, place
        self.room = min(room, n)
        self.size = 0
        self._last = 0
        self._Q, self._AQ = (place.empty((n, self.room), np.float64) for _ in range(2))
        self._H = np.zeros((self.room, self.room))

    def grow(self, block: Array) -> None:
        """Add what a block spans beyond the basis."""
        m, place = self.size, self._place
        fresh = _orthogonal(block[:, : self.room - m], self._Q[:, :m], place)
        k = m + fresh.shape[1]
        self._Q[:, m:k], self._AQ[:, m:k] = place.array(fresh), place.array(self._apply(fresh))
        corner = place.host(self._Q[:, :k].T @ self._AQ[:, m:k])
        self._H[:k, m:k], self._H[m:k, :k] = corner, corner.T
        self.size, self._last = k, m

    def last(self) -> Array:
        """Return the image of the last block, the direction in which the space grows."""
        return self._place.host(self._AQ[:, self._last : self.size])

    def diagonalize(self, count: int) -> tuple[Array, Array]:
        """Return the `count` largest eigenvalues of H and their eigenvectors."""
        H = self._H[: self.size, : self.size]
        theta, Y = scipy.linalg.eigh((H + H.T) / 2, check_finite=False)
        return theta[::-1][:count], Y[:, ::-1][:, :count]

    def ritz(self, theta: Array, Y: Array) -> tuple[Array, Array]:
        """Return the Ritz vectors V = Q Y and their residuals A V − V θ."""
        V, AV = (self._place.times(basis[:, : self.size], Y) for basis in (self._Q, self._AQ))
        return V, AV - V * theta

    def restart(self, Y: Array) -> None:
        """Keep only Q Y."""
        m, k, place = self.size, Y.shape[1], self._place
        Y = place.array(Y)
        self._Q[:, :k], self._AQ[:, :k] = self._Q[:, :m] @ Y, self._AQ[:, :m] @ Y
        self._H[:k, :k] = place.host(self._Q[:, :k].T @ self._AQ[:, :k])
        self.size = k


def _orthogonal(block: Array, Q: Matrix, place: Place) -> Array:
    """Return an orthonormal basis of what `block` adds to the columns of Q.

    Twice is enough, unless the space is nearly exhausted: then columns lie in that of Q up to rounding errors, which
    lie there too where objects are repeated. Random ones take their place.
    """

    def inside(block: Array) -> Array:
        """Return what lies in the span of Q."""
        return place.times(Q, place.times(Q.T, block))

    for _ in range(2):
        block = _orthonormal(block - inside(block))
    rng = np.random.default_rng(0)
    for _ in range(MOST_PASSES):
        gap = block.T @ block - np.eye(block.shape[1])
        if max(np.abs(place.times(Q.T, block)).max(initial=0.0), np.abs(gap).max()) < ORTHOGONAL:
            break
        block, R = scipy.linalg.qr(block - inside(block), mode="economic", check_finite=False)
        lost = np.abs(R.diagonal()) < LOST
        block[:, lost] = rng.standard_normal((len(block), int(lost.sum()))) / np.sqrt(len(block))
    return block


def _orthonormal(block: Array) -> Array:
    """Orthonormalize columns by the Cholesky factor of their Gram, or where that is too coarse by reflections."""
    scale = np.linalg.norm(block, axis=0)
    block = block / np.where(scale > 0, scale, 1.0)
    try:
        L = np.linalg.cholesky(block.T @ block)
    except np.linalg.LinAlgError:
        L = np.zeros((1, 1))
    if L.diagonal().min() < COARSE:
        return np.asarray(scipy.linalg.qr(block, mode="economic", check_finite=False)[0])
    return np.ascontiguousarray(scipy.linalg.solve_triangular(L, block.T, lower=True, check_finite=False).T)
