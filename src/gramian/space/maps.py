"""Kernel maps: coordinates in Rᵏ whose inner products are κ (seed 003, section 5.1; seed 000, section 5.2).

    empirical   K^(−½) k(x)          n coordinates, one for each training point
    Mercer      Λ^(−½) Uᵀ k(x)       √λᵢ uᵢ for the training points, as many as K has positive eigenvalues
    Cholesky    L⁻¹ k_p(x)           Gram–Schmidt coordinates on the pivots, new points by forward substitution

with k(x) = (κ(x₁, x), …, κ(xₙ, x)). On the training sample they reproduce κ exactly; a new point is first projected
onto the span of the sample. The reproducing map x ↦ κ(x, ·) needs no coordinates: it is `FeatureSpace`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from gramian.checks import Array
from gramian.factor.eigen import Eigen, eigen
from gramian.gram.there import sent
from gramian.kernels.algebra import Kernel
from gramian.places import place_of, received
from gramian.space.vectors import FeatureSpace, Vectors


class KernelMap(ABC):
    """Coordinates learnt from a sample: ``fit(X)``, then ``transform(Z)``.

    Parameters
    ----------
    kernel : Kernel
        ``bandwidth="median"`` and the like are settled on the sample.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel, settled.
    """

    kernel_: Kernel
    _directions: Vectors

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def fit(self, X: Any) -> Self:
        """Learn the map from a sample."""
        if not isinstance(self.kernel, Kernel):
            raise TypeError(f"a Kernel expected, such as gm.Gaussian(), and got {self.kernel!r}")
        self.kernel_ = self.kernel.fit(X)
        self._learn(Vectors(FeatureSpace(self.kernel_), self.kernel_.encoded(X).copy()))
        return self

    def transform(self, Z: Any) -> Array:
        """Return the coordinates of objects, one row each."""
        if not hasattr(self, "kernel_"):
            raise ValueError(f"this {type(self).__name__} has no sample yet: call fit(X) first")
        vectors = FeatureSpace(self.kernel_).images(Z)
        found = self._coordinates(vectors).astype(vectors.gram().dtype, copy=False)
        return sent(found, place_of(received(Z)))

    def fit_transform(self, X: Any) -> Array:
        """Learn the map from a sample and return its coordinates."""
        return self.fit(X).transform(X)

    @abstractmethod
    def _learn(self, S: Vectors) -> None:
        """Find the directions of the coordinates from the sample."""

    def _coordinates(self, vectors: Vectors) -> Array:
        return np.asarray(vectors.inner(self._directions))


def _spectrum(S: Vectors) -> Eigen:
    """Return all eigenpairs of K, which must be positive semidefinite."""
    gram = S.gram()
    pairs = eigen(gram)
    rounding = len(gram) * gram.kernel.accuracy(gram.dtype) * float(pairs.values[0])
    if pairs.values[-1] < -rounding:
        raise ValueError(
            f"K is not positive semidefinite: its smallest eigenvalue is {pairs.values[-1]:.3g}, and no coordinates "
            "have such inner products; gm.is_psd tells more"
        )
    return pairs


class MercerMap(KernelMap):
    """The data-specific Mercer map: √λᵢ uᵢ(x), one coordinate for each positive eigenvalue of K (seed 003, (5.6)).

    Parameters
    ----------
    kernel : Kernel
        A kernel of the objects to be mapped.

    Raises
    ------
    ValueError
        If the objects, or the kernel values, are refused by the kernel.

    See Also
    --------
    eigen : leading eigenpairs of K
    EmpiricalMap : coordinates by the inverse root of K
    CholeskyMap : Gram–Schmidt coordinates
    KernelPCA : principal components in feature space

    Notes
    -----
    Cost: O(n³) operations and O(n²) memory to fit n objects; O(n k) for each new object and k coordinates.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.MercerMap(gm.Linear()).fit_transform([[3.0, 0.0], [0.0, 2.0]])
    array([[3., 0.],
           [0., 2.]])
    """

    def _learn(self, S: Vectors) -> None:
        self._directions = S.combine(_spectrum(S).dual().astype(np.float64))


class EmpiricalMap(KernelMap):
    """The empirical map, K^(−½) k(x): n coordinates, with the pseudo-inverse root where K is singular.

    Parameters
    ----------
    kernel : Kernel
        A kernel of the objects to be mapped.

    Raises
    ------
    ValueError
        If the objects, or the kernel values, are refused by the kernel.

    See Also
    --------
    MercerMap : coordinates by the eigenvectors of K
    CholeskyMap : Gram–Schmidt coordinates
    eigen : leading eigenpairs of K

    Notes
    -----
    Cost: O(n³) operations and O(n²) memory to fit n objects; O(n²) for each new object.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.EmpiricalMap(gm.Linear()).fit_transform([[3.0, 0.0], [0.0, 2.0]])
    array([[3., 0.],
           [0., 2.]])
    """

    def _learn(self, S: Vectors) -> None:
        pairs = _spectrum(S).positive()
        self._directions = S.combine((pairs.dual() @ pairs.vectors.T).astype(np.float64))


class CholeskyMap(KernelMap):
    """Gram–Schmidt coordinates: the rows of the Cholesky factor, new points by forward substitution (Algorithm 5.12).

    Parameters
    ----------
    kernel : Kernel
    rank, tol, pivoting, rng
        As in `gm.cholesky`; with a rank or a tolerance the coordinates reproduce κ approximately.

    Raises
    ------
    ValueError
        In `fit`: if `rank`, `tol` or `pivoting` is out of range.

    See Also
    --------
    cholesky : K ≈ F Fᵀ, completely or in low rank
    MercerMap : coordinates by the eigenvectors of K
    EmpiricalMap : coordinates by the inverse root of K
    GramSchmidt : partial Gram–Schmidt features for linear models

    Notes
    -----
    Cost: O(n k) kernel values and O(n k²) operations for n objects and k coordinates; O(k²) for each new object.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.CholeskyMap(gm.Linear()).fit_transform([[3.0, 4.0], [4.0, -3.0]]).round(6)
    array([[5., 0.],
           [0., 5.]])
    """

    def __init__(
        self,
        kernel: Kernel,
        rank: int | None = None,
        tol: float = 0.0,
        pivoting: Any = "greedy",
        rng: Any = None,
    ) -> None:
        super().__init__(kernel)
        self.rank = rank
        self.tol = tol
        self.pivoting = pivoting
        self.rng = rng

    def _learn(self, S: Vectors) -> None:
        self._subspace = S.subspace("gram-schmidt", self.rank, self.tol, self.pivoting, self.rng)

    def _coordinates(self, vectors: Vectors) -> Array:
        return self._subspace.coordinates(vectors)
