"""Subspaces of the feature space, with an orthonormal basis (seed 000, section 5.2).

Two ways to find one that holds a sample: partial Gram–Schmidt, whose basis vectors are combinations of a few pivots,
and the leading eigenvectors u = λ^(−½) Σᵢ vᵢ φ(xᵢ), which leave the smallest residuals for their number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import solve_triangular

from gramian.checks import Array
from gramian.factor.cholesky import LowRank
from gramian.factor.eigen import Eigen
from gramian.space.there import Marked

if TYPE_CHECKING:
    from gramian.space.vectors import Vectors


class Subspace(Marked):
    """A subspace of a feature space. Make one with ``S.subspace()``.

    Parameters
    ----------
    basis : Vectors
        Orthonormal vectors that span it.
    factor : LowRank, optional
        The Cholesky factor that the basis comes from, where it does.

    Attributes
    ----------
    basis : Vectors
        Orthonormal vectors that span it.

    See Also
    --------
    Vectors : points and combinations of points in feature space
    GramSchmidt : partial Gram–Schmidt features for linear models
    KernelPCA : principal components in feature space

    Notes
    -----
    Cost: O(n k) kernel values for the coordinates of k objects, n the number of points that the basis is combined from.

    Examples
    --------
    >>> import gramian as gm
    >>> phi = gm.FeatureSpace(gm.Linear())
    >>> V = phi([[2.0, 0.0, 0.0], [1.0, 1.0, 0.0]]).subspace()
    >>> V
    Subspace of dimension 2 in FeatureSpace(Linear())
    >>> V.residuals([[5.0, 5.0, 7.0]])
    array([7.])
    """

    def __init__(self, basis: Vectors, factor: LowRank | None = None) -> None:
        self.basis = basis
        self._factor = factor

    @property
    def dim(self) -> int:
        """Dimension of the subspace."""
        return len(self.basis)

    def __repr__(self) -> str:
        return f"Subspace of dimension {self.dim} in {self.basis.space!r}"

    def coordinates(self, Z: Any) -> Array:
        """Return the coordinates of objects (or of Vectors) in the basis, m × dim: P_V φ(z)."""
        vectors = self._vectors(Z)
        if self.dim == 0:
            return np.zeros(0 if vectors.single else (len(vectors), 0))
        if self._factor is None or vectors.weights is not None:
            return np.asarray(vectors.inner(self.basis))
        cross = vectors.space.gram(vectors.points, self.basis.points).dense()
        found = self._factor.coordinates(cross)
        return np.asarray(found[0] if vectors.single else found)

    def residuals(self, Z: Any) -> Array:
        """Return the distance of each φ(z) from the subspace, √(‖φ(z)‖² − ‖P_V φ(z)‖²)."""
        vectors = self._vectors(Z)
        coordinates = np.atleast_2d(self.coordinates(vectors))
        found = np.sqrt(np.maximum(vectors.norms() ** 2 - np.einsum("ij,ij->i", coordinates, coordinates), 0))
        return np.asarray(found[0] if vectors.single else found)

    def project(self, Z: Any) -> Vectors:
        """Return the projections P_V φ(z) as elements of the feature space."""
        return self.basis.combine(self.coordinates(Z).T)

    def _vectors(self, Z: Any) -> Vectors:
        if not isinstance(Z, type(self.basis)):
            return self.basis.space.images(Z)
        self.basis._require_same_space(Z)
        return Z


def gram_schmidt_subspace(S: Vectors, low: LowRank) -> Subspace:
    """Span the pivots: with K[p, p] = L Lᵀ the basis is q = Σ (L⁻ᵀ) φ(x_p)."""
    pivots = type(S)(S.space, S.points[low.pivots])
    weights = solve_triangular(low.triangle.astype(np.float64), np.eye(low.rank), lower=True).T
    return Subspace(pivots.combine(weights), low)


def eigen_subspace(S: Vectors, pairs: Eigen, outside: float) -> Subspace:
    """Span the leading eigenvectors, as many as leave a residual trace of at most `outside`."""
    kept = pairs.positive()
    total = float(S._squared_norms.sum())
    left = total - np.cumsum(kept.values)
    count = min(int(np.count_nonzero(left > outside)) + 1, len(kept.values))
    return Subspace(S.combine(kept.dual()[:, :count].astype(np.float64)))
