"""Linear systems with K + λI: the solver behind ridge regression and Fisher's discriminant.

Small systems are solved by a Cholesky factorization, O(n³). Larger ones by conjugate gradients, O(n²) a step, on

    (S K Sᵀ + λI) X = B

(S the identity, or weights, or a centring), preconditioned by a randomly pivoted Cholesky factor: with K ≈ F Fᵀ the
matrix (S F)(S F)ᵀ + λI is inverted by

    (G Gᵀ + λI)⁻¹ = (I − G (GᵀG + λI)⁻¹ Gᵀ) / λ,        G = S F,

which removes the large eigenvalues of K, the ones that make the iteration slow. The answer carries the residual that it
reached, computed afresh, not the one the recurrence believes in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isqrt
from typing import Any, Literal, cast

import numpy as np
import scipy.linalg

from gramian.checks import Array, as_array, is_sparse, positive
from gramian.factor.cholesky import cholesky
from gramian.factor.eigen import DENSE
from gramian.gram.gram import Gram, as_symmetric
from gramian.gram.threads import single_blas

Map = Callable[[Array], Array]
Side = Literal["auto", "primal", "dual"]

MOST_STEPS = 150  # of conjugate gradients; where K is held, a factorization is no dearer than that
RESTARTS = 4  # each computes the true residual and goes on from there


@dataclass(frozen=True, eq=False)
class Solution:
    """The answer to a linear system, with the evidence of its quality.

    Attributes
    ----------
    value : array
        X.
    iterations : int
        Multiplications by K that were needed; 0 for a factorization.
    residual : float
        ‖(K + λI) X − B‖ / ‖B‖, the largest over the columns.
    converged : bool
        Whether the residual is at most the tolerance that was asked for.
    method : str
        What was done, in words.
    primal : array or None
        W = Φᵀ Sᵀ X, where the system was solved in explicit features. Accurate even where λ is so small that X is not.

    Examples
    --------
    >>> import gramian as gm
    >>> found = gm.solve(gm.Linear().gram([[1.0], [2.0]]), [1.0, 2.0], ridge=1.0)
    >>> found.value.round(4), found.converged
    (array([0.1667, 0.3333]), True)
    """

    value: Array
    iterations: int
    residual: float
    converged: bool
    method: str
    primal: Array | None = None


def solve(gram: Gram, b: Any, ridge: float, tol: float | None = None) -> Solution:
    """Solve (K + λI) x = b for one right-hand side or for the columns of a matrix.

    Parameters
    ----------
    gram : Gram
        A symmetric Gram.
    b : array of shape (n,) or (n, t)
        Right-hand sides.
    ridge : float
        λ > 0.
    tol : float, optional
        Relative residual to reach: by default 1e-10, 1e-5 where K is in single precision.

    Returns
    -------
    Solution
        Look at `converged`: a system that is too ill-conditioned for its size is answered with the residual it reached.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.solve(gm.Gaussian().gram([[0.0], [9.0]]), [2.0, 4.0], ridge=1.0).value.round(6)
    array([1., 2.])
    """
    as_symmetric(gram, "solve")
    B = as_array(b, "b").astype(np.float64)
    if B.ndim not in (1, 2) or len(B) != len(gram) or not B.size or not np.isfinite(B).all():
        raise ValueError(f"b has shape {B.shape}; {len(gram)} finite numbers expected, or a matrix of so many rows")
    plain = Gram(gram.kernel, gram.rows, memory=gram.memory) if gram.diagonal else gram
    total = positive(ridge, "ridge") + gram.diagonal
    found = solve_framed(plain, B if B.ndim == 2 else B[:, None], total, tol=tol)
    return found if B.ndim == 2 else replace(found, value=found.value[:, 0])


def identity(V: Array) -> Array:
    """Return V: the S of a plain system."""
    return V


@dataclass(frozen=True)
class Frame:
    """The map S through which K is seen, and Sᵀ; both act on the columns of a matrix."""

    S: Map = identity
    St: Map = identity

    def around(self, K: Array) -> Array:
        """Return S K Sᵀ for a symmetric matrix K."""
        return K if self.S is identity else self.S(np.ascontiguousarray(self.S(K).T))


PLAIN = Frame()


def solve_framed(
    gram: Gram, B: Array, ridge: float, frame: Frame = PLAIN, side: Side = "auto", tol: float | None = None
) -> Solution:
    """Solve (S K Sᵀ + λI) X = B on the cheaper side: that of explicit features (primal) or that of objects (dual)."""
    goal = tol if tol is not None else (1e-10 if gram.dtype.itemsize > 4 else 1e-5)
    if (features := explicit_features(gram, side)) is not None:
        return _primal(frame.S(features), B, ridge, goal)
    if len(gram) <= DENSE:
        return _factored(gram, B, ridge, frame, goal)
    with gram.held() as held:
        found = _iterated(gram, B, ridge, frame, goal)
        return found if found.converged or not held else _factored(gram, B, ridge, frame, goal)


def explicit_features(gram: Gram, side: Side = "auto") -> Array | None:
    """Return the explicit features Φ where that side is asked for, or is cheaper: fewer features than objects."""
    dim = gram.kernel.feature_dim(gram.rows)
    few = dim is not None and dim < len(gram) and dim <= DENSE
    if side == "dual" or (side == "auto" and not few):
        return None
    phi = gram.kernel.phi(gram.rows)
    return np.asarray(phi.toarray() if is_sparse(phi) else phi, dtype=np.float64)


def ridged_factor(A: Array, ridge: float) -> tuple[Array, bool]:
    """Add λ to the diagonal of A, in place, and return its Cholesky factor."""
    A[np.diag_indices_from(A)] += ridge
    try:
        return cast(tuple[Array, bool], scipy.linalg.cho_factor(A, lower=True, check_finite=False))
    except scipy.linalg.LinAlgError:
        raise ValueError(
            f"K + {ridge:g} I is not positive definite: a ridge this small is lost among the rounding errors of K, or "
            "the kernel is not one (gm.is_psd tells); take a larger ridge"
        ) from None


def _primal(features: Array, B: Array, ridge: float, goal: float) -> Solution:
    """Through explicit features: X = (B − Φ (ΦᵀΦ + λI)⁻¹ Φᵀ B) / λ, O(n m²) for m features."""
    factor = ridged_factor(features.T @ features, ridge)

    def solved(R: Array) -> Array:
        return np.asarray(scipy.linalg.cho_solve(factor, R, check_finite=False))

    W = solved(features.T @ B)
    W += solved(features.T @ (B - features @ W) - ridge * W)
    X = (B - features @ W) / ridge
    R = B - (features @ (features.T @ X) + ridge * X)
    X += (R - features @ solved(features.T @ R)) / ridge  # removes what cancelled above
    residual = relative(B - (features @ (features.T @ X) + ridge * X), B)
    return Solution(X, 0, residual, residual <= goal, f"primal, {features.shape[1]} features", W)


def _factored(gram: Gram, B: Array, ridge: float, frame: Frame, goal: float) -> Solution:
    A = frame.around(gram.dense().astype(np.float64, copy=False))
    factor = ridged_factor(A, ridge)
    X = scipy.linalg.cho_solve(factor, B, check_finite=False)
    X += scipy.linalg.cho_solve(factor, B - A @ X, check_finite=False)
    residual = relative(B - A @ X, B)
    return Solution(X, 0, residual, residual <= goal, "Cholesky factorization")


def _iterated(gram: Gram, B: Array, ridge: float, frame: Frame, goal: float) -> Solution:
    G = _preconditioner(gram, frame)
    factor = ridged_factor(G.T @ G, ridge)

    def precondition(R: Array) -> Array:
        if not G.shape[1]:
            return R / ridge
        return np.asarray((R - G @ scipy.linalg.cho_solve(factor, G.T @ R, check_finite=False)) / ridge)

    def multiply(V: Array) -> Array:
        return np.asarray(frame.S(gram.apply(frame.St(V))) + ridge * V)

    X, R, products = np.zeros_like(B), B, 0
    with single_blas():
        for _ in range(RESTARTS):
            change, steps = conjugate_gradients(multiply, precondition, R, B, goal / 2, MOST_STEPS - products)
            X += change
            R = B - multiply(X)
            products += steps + 1
            if (residual := relative(R, B)) <= goal or products >= MOST_STEPS:
                break
    method = f"conjugate gradients, {products} products with K, "
    method += f"preconditioner of rank {G.shape[1]}" if G.shape[1] else "no preconditioner"
    return Solution(X, products, residual, residual <= goal, method)


def _preconditioner(gram: Gram, frame: Frame) -> Array:
    """Return G = S F; empty where a column of K costs as much as a product, and many products are the better buy."""
    if gram.kernel.matrix_free:
        return np.zeros((len(gram), 0))
    rank = min(len(gram) // 4, max(100, 4 * isqrt(len(gram))))
    return frame.S(cholesky(gram, rank, pivoting="random", rng=0).factor.astype(np.float64))


def conjugate_gradients(
    multiply: Map, precondition: Map, R: Array, B: Array, tol: float, most: int
) -> tuple[Array, int]:
    """Solve A X = R column by column, sharing the products, until ‖R‖ ≤ tol ‖B‖; return X and the steps taken."""
    X = np.zeros_like(R)
    goal = tol * np.linalg.norm(B, axis=0)
    R = R.copy()
    Z = precondition(R)
    P = Z.copy()
    rz = np.einsum("ij,ij->j", R, Z)
    steps = 0
    while steps < most and bool((active := (np.linalg.norm(R, axis=0) > goal) & (rz > 0)).any()):
        AP = multiply(P[:, active])
        curvature = np.einsum("ij,ij->j", P[:, active], AP)
        length = rz[active] / curvature
        X[:, active] += length * P[:, active]
        R[:, active] -= length * AP
        Z = precondition(R[:, active])
        following = np.einsum("ij,ij->j", R[:, active], Z)
        P[:, active] = Z + (following / rz[active]) * P[:, active]
        rz[active] = following
        steps += 1
    return X, steps


def relative(R: Array, B: Array) -> float:
    """Return ‖R‖ / ‖B‖, the largest over the columns."""
    size = np.linalg.norm(B, axis=0)
    return float(np.max(np.linalg.norm(R, axis=0) / np.where(size > 0, size, 1.0)))
