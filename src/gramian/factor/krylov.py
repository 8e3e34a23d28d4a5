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

EXTRA = 8  # columns of a block beyond the number of pairs wanted
BLOCKS = 8  # blocks in the basis before it is restarted


@dataclass(frozen=True, eq=False)
class Ritz:
    """Approximate eigenpairs, largest first, with ‖A v − θ v‖ of each and the number of block products spent."""

    values: Array
    vectors: Array
    residuals: Array
    products: int


def leading(apply: Callable[[Array], Array], n: int, count: int, tol: float, most: int) -> Ritz:
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
    """
    width = min(count + EXTRA, n)
    start = np.random.default_rng(0).standard_normal((n, width))
    Q = scipy.linalg.qr(start, mode="economic", check_finite=False)[0]
    AQ = apply(Q)
    products = 1
    while True:
        theta, Y = scipy.linalg.eigh((H := Q.T @ AQ) + H.T, check_finite=False)
        best = np.argsort(theta)[::-1][:width]
        theta, V, AV = theta[best] / 2, Q @ Y[:, best], AQ @ Y[:, best]
        R = AV - V * theta
        residuals = np.linalg.norm(R[:, :count], axis=0)
        if residuals.max() <= tol * np.abs(theta).max() or products >= most or Q.shape[1] >= n:
            return Ritz(theta[:count], V[:, :count], residuals, products)
        if Q.shape[1] + width > BLOCKS * width:
            Q, AQ = V, AV
        fresh = _orthogonal(R if Q is V else AQ[:, -width:], Q)
        Q, AQ = np.hstack([Q, fresh]), np.hstack([AQ, apply(fresh)])
        products += 1


def _orthogonal(block: Array, Q: Array) -> Array:
    """Return an orthonormal basis of what `block` adds to the columns of Q; twice is enough."""
    room = Q.shape[0] - Q.shape[1]
    for _ in range(2):
        block = block - Q @ (Q.T @ block)
        block = scipy.linalg.qr(block, mode="economic", check_finite=False)[0][:, :room]
    return block
