"""Vectors of a feature space: φ(x₁)…φ(xₙ) and their linear combinations, measured by inner products alone.

An element is held as w = Σᵢ αᵢ φ(xᵢ): the points xᵢ, encoded, and the weights αᵢ. It is also a function, w(z) = ⟨w,
φ(z)⟩ = Σᵢ αᵢ κ(xᵢ, z): the reproducing property, and the reproducing kernel map x ↦ κ(x, ·) (seed 003, section
5.1.1). Everything here follows from

    ⟨Σ αᵢ φ(xᵢ), Σ βⱼ φ(zⱼ)⟩ = Σᵢⱼ αᵢ βⱼ κ(xᵢ, zⱼ).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy.linalg
from scipy.spatial.distance import cdist

from gramian.checks import Array, as_array, as_bytes, as_number, as_selection, fraction, non_negative
from gramian.factor.cholesky import Pivoting, cholesky
from gramian.factor.eigen import eigen
from gramian.factor.machine import DENSE
from gramian.formula.encoded import Encoded
from gramian.gram.gram import Gram, features_on_host, finite_norms, squares_between
from gramian.kernels.algebra import Centered, Kernel
from gramian.kernels.deflated import Deflated
from gramian.places import place_of, received
from gramian.runtime.threads import aside
from gramian.space.subspace import Subspace, eigen_subspace, gram_schmidt_subspace
from gramian.space.there import Marked

FIRST_LOOK = 256  # directions in which the variance is first looked for


class FeatureSpace:
    """The feature space of a kernel; call it on data to get the images φ(x).

    With it lengths, distances, means and projections of images can be computed, although the images themselves are
    never seen.

    Parameters
    ----------
    kernel : Kernel
        A settled kernel: ``k.fit(X)`` first where it takes something from data, as ``Gaussian("median")`` does.
    memory : int or str, optional
        Budget for the working arrays of one operation, as in `Kernel.gram`.

    Raises
    ------
    ValueError
        If `memory` is no size; when it is called, if the kernel is not settled or cannot take the objects.
    TypeError
        If `kernel` is no kernel.

    See Also
    --------
    Vectors : points and combinations of points in feature space
    Subspace : the span of some vectors of feature space
    Gram : the Gram matrix as an operator

    Notes
    -----
    Cost: nothing is computed before a question is asked of the images: encoding n vectors is O(n d), a question of
    all pairs O(n²) kernel values.

    Examples
    --------
    >>> import gramian as gm
    >>> phi = gm.FeatureSpace(gm.Polynomial(degree=2, offset=0.0))
    >>> S = phi([[5.9, 3.0], [6.9, 3.1]])
    >>> S.norms().round(2)
    array([43.81, 57.22])
    >>> round(S[0].distances(S[1]), 2)
    13.84
    """

    def __init__(self, kernel: Kernel, *, memory: int | str | None = None) -> None:
        if not isinstance(kernel, Kernel):
            raise TypeError(f"a Kernel expected, such as gm.Gaussian(), and got {kernel!r}")
        self.kernel = kernel
        self.memory = None if memory is None else as_bytes(memory)

    def __call__(self, X: Any) -> Vectors:
        """Return φ(x₁)…φ(xₙ); nothing is computed yet."""
        return self.images(X).marked(place_of(received(X)))

    def images(self, X: Any) -> Vectors:
        """Return φ(x₁)…φ(xₙ) whose answers are arrays of the host, wherever the objects are."""
        return Vectors(self, self.kernel.encoded(X))

    def gram(self, rows: Encoded, cols: Encoded) -> Gram:
        """Return the Gram of encoded points."""
        return Gram(self.kernel, rows, None if cols is rows else cols, memory=self.memory)

    def __repr__(self) -> str:
        return f"FeatureSpace({self.kernel!r})"


class Vectors(Marked):
    """Elements of a feature space: the images of points, or linear combinations of them.

    A single element (a centre of mass, a combination by one vector of weights, ``S[0]``) drops its axis in every
    answer, as a row of a NumPy array does: ``S.inner(w)`` has shape (n,), ``w.inner(w)`` is a number.

    Parameters
    ----------
    space : FeatureSpace
        The space that they are elements of.
    points : Encoded
        The objects whose images are combined.
    weights : array of shape (k, n), optional
        One row of coefficients for each element; by default the elements are the images themselves.
    single : bool
        Whether this is one element, whose axis every answer drops.

    See Also
    --------
    FeatureSpace : the space of the images φ(x)
    Subspace : the span of some vectors of feature space
    Gram : the Gram matrix as an operator

    Notes
    -----
    Cost: O(n m) kernel values for the inner products of combinations of n points with those of m points; in φ itself
    where that is explicit and small.

    Examples
    --------
    >>> import gramian as gm
    >>> S = gm.FeatureSpace(gm.Linear())([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0]])
    >>> S
    3 vectors in FeatureSpace(Linear())
    >>> c = S.mean()
    >>> S.distances(c).round(3)
    array([1.414, 1.414, 2.   ])
    >>> round(S.total_variance(), 3)
    2.667
    >>> w = S.combine([0.0, 1.0, -1.0])      # (1, −3)
    >>> w([[1.0, 1.0]])
    array([-2.])
    """

    __array_ufunc__ = None

    def __init__(
        self, space: FeatureSpace, points: Encoded, weights: Array | None = None, single: bool = False
    ) -> None:
        self.space = space
        self.points = points
        self.weights = weights  # one column for each element; None for the points themselves
        self.single = single
        self._mean_of: Vectors | None = None  # the sample whose centre of mass this is, where it is one

    def __len__(self) -> int:
        if self.single:
            raise TypeError("a single vector has no length; norm() is its length in feature space")
        return self._count

    @property
    def _count(self) -> int:
        return len(self.points) if self.weights is None else self.weights.shape[1]

    def __getitem__(self, index: Any) -> Vectors:
        """Select elements; an integer gives a single one."""
        if self.single:
            raise TypeError("a single vector cannot be indexed")
        chosen = as_selection(index, len(self))
        single, at = chosen.ndim == 0, np.atleast_1d(chosen)
        if self.weights is None:
            return Vectors(self.space, self.points[at], None, single)
        return Vectors(self.space, self.points, self.weights[:, at], single)

    def __repr__(self) -> str:
        return f"{'1 vector' if self.single else f'{len(self)} vectors'} in {self.space!r}"

    def gram(self) -> Gram:
        """Return the Gram of the points φ(x₁)…φ(xₙ) as an operator."""
        self._require_points("gram")
        return self._gram

    @cached_property
    def _gram(self) -> Gram:
        return self.space.gram(self.points, self.points)

    # Inner products

    @cached_property
    def _values(self) -> Array:
        """These elements, as functions, at their own points: K α."""
        assert self.weights is not None
        if self._mean_of is not None:
            return self._mean_of._about_mean.with_centre(self.points)
        return self.space.gram(self.points, self.points).apply(self.weights)

    def inner(self, other: Vectors) -> Any:
        """Return ⟨·, ·⟩ of all elements here with all of `other`, n × m; a number for two single ones."""
        return self._drop_axes(self._inner(other), other)

    def _drop_axes(self, table: Array, other: Vectors) -> Any:
        table = table[:, 0] if other.single else table
        table = table[0] if self.single else table
        return float(table) if self.single and other.single else table

    def _inner(self, other: Vectors) -> Array:
        self._require_same_space(other)
        if other.weights is None:
            if self.weights is None:
                return self.space.gram(self.points, other.points).dense()
            return other._inner(self).T
        if self.points is other.points:
            values = other._values.copy()
        else:
            values = self.space.gram(self.points, other.points).apply(other.weights)
        return values if self.weights is None else self.weights.T @ values

    def __call__(self, Z: Any) -> Any:
        """Evaluate these elements as functions at objects: w(z) = ⟨w, φ(z)⟩, one row for each object."""
        return self.space.images(Z).inner(self)

    @cached_property
    def _features(self) -> Array | None:
        """These elements in coordinates, where φ is explicit and small."""
        kernel = self.space.kernel
        if not kernel.explicit(self.points):
            return None
        finite_norms(kernel, self.points)
        phi = np.asarray(features_on_host(kernel, self.points), dtype=np.float64)
        return phi if self.weights is None else self.weights.T @ phi

    @cached_property
    def _squared_norms(self) -> Array:
        if self.weights is None:
            return finite_norms(self.space.kernel, self.points).astype(np.float64)
        if self._features is not None:
            return np.asarray(np.einsum("ij,ij->i", self._features, self._features))
        return np.asarray(np.maximum(np.einsum("ij,ij->j", self.weights, self._values), 0))

    def norms(self) -> Array:
        """Return ‖·‖ of every element; √κ(x, x) for a point."""
        return np.sqrt(self._squared_norms)

    def norm(self) -> float:
        """Return the norm of a single element."""
        self._require_single("norm")
        return float(self.norms()[0])

    def distances(self, other: Vectors | None = None) -> Any:
        """Return ‖u − v‖ between the elements here and those of `other` (or each other), by (5.2) and (5.11)."""
        target = self if other is None else other
        self._require_same_space(target)
        if target._mean_of is self:
            return np.sqrt(self._squared_deviations)
        if self._features is not None and target._features is not None:
            return self._drop_axes(cdist(self._features, target._features), target)
        if self.weights is None and target.weights is None:
            squares = self.space.gram(self.points, target.points).squared_distances()
            return self._drop_axes(np.sqrt(squares, out=squares), target)
        squares = squares_between(self._inner(target), self._squared_norms, target._squared_norms, target is self)
        return self._drop_axes(np.sqrt(squares, out=squares), target)

    def cosines(self, other: Vectors | None = None) -> Any:
        """Return the cosines of the angles between the elements here and those of `other` (or each other)."""
        target = self if other is None else other
        table = self._inner(target).astype(np.float64)
        table /= self._positive_norms()[:, None]
        table /= target._positive_norms()
        return self._drop_axes(np.clip(table, -1, 1, out=table), target)

    def correlations(self, Z: Any = None) -> Array:
        """Return correlations in feature space: cosines after moving the origin to the centre of mass.

        Between the points here, or with `Z` between them and the images of other objects (seed 003, Example 5.13).
        """
        centered = self.center()
        return np.asarray(centered.cosines(None if Z is None else centered.space.images(Z)))

    # Linear combinations

    def combine(self, weights: Any) -> Vectors:
        """Return Σᵢ αᵢ vᵢ for one vector of weights, or one element for each column of a matrix."""
        count = self._count
        alpha = as_array(weights, "weights").astype(np.float64)
        if alpha.ndim not in (1, 2) or len(alpha) != count or not np.isfinite(alpha).all():
            raise ValueError(
                f"weights have shape {alpha.shape}; one finite number for each of the {count} vectors expected, or a "
                f"matrix with {count} rows"
            )
        columns = alpha[:, None] if alpha.ndim == 1 else alpha
        columns = columns if self.weights is None else self.weights @ columns
        return Vectors(self.space, self.points, columns, single=alpha.ndim == 1)

    def __add__(self, other: Vectors) -> Vectors:
        return self._plus(other, 1.0)

    def __radd__(self, other: Any) -> Vectors:
        if isinstance(other, int) and other == 0:  # where sum() starts
            return self
        raise TypeError(f"cannot add {other!r} and a vector of a feature space")

    def __sub__(self, other: Vectors) -> Vectors:
        return self._plus(other, -1.0)

    def __mul__(self, factor: Any) -> Vectors:
        W = as_number(factor, "the factor of a vector") * self._weight_matrix()
        return Vectors(self.space, self.points, W, self.single)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Vectors:
        if as_number(divisor, "the divisor of a vector") == 0:
            raise ValueError("the divisor of a vector is 0; another number expected")
        return self * (1 / float(divisor))

    def __neg__(self) -> Vectors:
        return -1.0 * self

    def _plus(self, other: Vectors, sign: float) -> Vectors:
        self._require_same_space(other)
        U, V = self._weight_matrix(), sign * other._weight_matrix()
        if U.shape[1] != V.shape[1] and not (self.single or other.single):
            raise ValueError(f"cannot add {U.shape[1]} vectors and {V.shape[1]} vectors")
        if self.points is other.points:
            return Vectors(self.space, self.points, U + V, self.single and other.single)
        count = max(U.shape[1], V.shape[1])
        W = np.vstack([np.broadcast_to(U, (len(U), count)), np.broadcast_to(V, (len(V), count))])
        return Vectors(self.space, self.points.concat(other.points), W, self.single and other.single)

    def _weight_matrix(self) -> Array:
        if self.weights is not None:
            return self.weights
        if len(self.points) > 1:
            raise ValueError(
                f"arithmetic on {len(self.points)} points needs a square matrix of weights: take single ones, S[i]; "
                "use center() to subtract the centre of mass, or ask for that matrix with S.combine(np.eye(len(S)))"
            )
        return np.ones((1, 1))

    def unit(self) -> Vectors:
        """Return a single element, or combinations, scaled to norm one; for the points of a sample see `normalize`."""
        return Vectors(self.space, self.points, self._weight_matrix() / self._positive_norms(), self.single)

    def _positive_norms(self) -> Array:
        norms = self.norms()
        if not norms.all():
            raise ValueError(f"vector {int(np.argmin(norms))} is the zero vector: it has no direction")
        return norms

    # Means and spread

    @cached_property
    def _about_mean(self) -> Centered:
        """The kernel about the centre of mass of these points: one sweep over K serves all that is asked of it."""
        return self.space.kernel.center(self.gram())

    @cached_property
    def _squared_deviations(self) -> Array:
        """‖φ(x) − φ_S‖² of the points."""
        kernel = self._about_mean
        return kernel.squared_norms(kernel.lift(self.points)).astype(np.float64)

    @cached_property
    def _mean(self) -> Vectors:
        count = self._count
        if count == 0:
            raise ValueError("no vectors were selected, and the centre of mass of none is not defined")
        mean = self.combine(np.full(count, 1 / count))
        mean._mean_of = self if self.weights is None else None
        return mean

    def mean(self) -> Vectors:
        """Return the centre of mass, φ_S = (1/n) Σᵢ φ(xᵢ)."""
        return self._mean

    def extend(self, other: Vectors) -> Vectors:
        """Return these points and others after them; what is known of their centre of mass is carried over.

        Only pairs with a new point are compared: Σⱼ κ(xᵢ, xⱼ) of the old ones grows by their values with the new.

        >>> import gramian as gm
        >>> phi = gm.FeatureSpace(gm.Gaussian())
        >>> S = phi([[0.0], [1.0]])
        >>> round(S.extend(phi([[3.0]])).mean().norm(), 4) == round(phi([[0.0], [1.0], [3.0]]).mean().norm(), 4)
        True
        """
        self._require_points("extend")
        self._require_same_space(other)
        joint = Vectors(self.space, self.points.concat(other.points))
        old, new, n = self.gram(), other.gram(), len(self) + len(other)
        if not self.space.kernel.explicit(self.points):
            cross = self.space.gram(other.points, self.points)
            ones = np.ones((len(other), 1))
            grown = len(self) * old.row_means() + cross.T.apply(ones)[:, 0]
            fresh = len(other) * new.row_means() + len(self) * cross.row_means()
            joint.gram().know_row_means(np.concatenate([grown, fresh]) / n)
        return joint

    def total_variance(self) -> float:
        """Return the mean squared distance to the centre of mass, mean κ(xᵢ, xᵢ) − mean κ(xᵢ, xⱼ) (5.4)."""
        if self.weights is None:
            return float(self._squared_deviations.mean())
        return max(float(self._squared_norms.mean() - self._mean._squared_norms[0]), 0.0)

    def variance_along(self, w: Vectors) -> float:
        """Return the variance of the coordinates along w, (1/n) αᵀK²α − ((1/n) αᵀK1)² for a unit w = Σ αᵢ φ(xᵢ)."""
        return float(np.var(self.project(w)))

    def dimension(self, share: float = 0.95) -> int:
        """Return how many principal directions hold the given share of the total variance."""
        share = fraction(share, "share")
        gram = self.gram().center()
        total = gram.trace()
        if total <= 0:
            return 0
        if len(gram) > DENSE:
            most = _most_directions(gram, share * total)
            if most is not None:
                held = np.cumsum(eigen(gram, most).values) / total
                if held[-1] >= share:
                    return int(np.searchsorted(held, share)) + 1
        K = gram.dense()
        values = aside(lambda: scipy.linalg.eigvalsh(K, overwrite_a=True))[::-1]
        return min(int(np.searchsorted(np.cumsum(values) / values.sum(), share)) + 1, len(values))

    def rank(self, tol: float = 0.0) -> int:
        """Return the dimension of the span of the points: the rank of K (Proposition 5.11).

        With `tol` the points may be off that span by a residual trace of `tol` times the trace of K.
        """
        return cholesky(self.gram(), tol=tol).rank

    # Projections

    def project(self, w: Vectors | Subspace) -> Array:
        """Return the coordinate of every point along w, ⟨w, φ(x)⟩ / ‖w‖, sign kept; or its coordinates in a subspace.

        ‖P_w φ(x)‖ is the absolute value of the coordinate.
        """
        if isinstance(w, Subspace):
            return w.coordinates(self)
        self._require_same_space(w)
        w._require_single("project")
        return np.asarray(self.inner(w) / w._positive_norms()[0])

    def residuals(self, w: Vectors | Subspace) -> Array:
        """Return the distance of every point from its projection onto w, √(κ(x, x) − ⟨w, φ(x)⟩²/‖w‖²)."""
        if isinstance(w, Subspace):
            return w.residuals(self)
        coordinate = self.project(w)
        squares = (self._squared_norms[0] if self.single else self._squared_norms) - coordinate**2
        return np.asarray(np.sqrt(np.maximum(squares, 0)))

    def deflate(self, w: Vectors | Subspace) -> Vectors:
        """Return these points with their part along w (or in a subspace) taken away: (I − ww′/‖w‖²) φ(x).

        The result lives in the space of the deflated kernel, which treats new points likewise:
        ``S.deflate(w).space(Z)``.
        """
        self._require_points("deflate")
        if isinstance(w, Subspace):
            basis = w.basis
            self._require_same_space(basis)
        else:
            self._require_same_space(w)
            w._require_single("deflate")
            basis = w.unit()
        return self.about(
            Deflated(self.space.kernel, self.space.gram(basis.points, basis.points), basis._weight_matrix())
        )

    def subspace(
        self,
        method: Literal["gram-schmidt", "eigen"] = "gram-schmidt",
        rank: int | None = None,
        tol: float = 1e-10,
        pivoting: Pivoting = "greedy",
        rng: Any = None,
    ) -> Subspace:
        """Return a subspace that holds the points, or most of them, with an orthonormal basis.

        Parameters
        ----------
        method : "gram-schmidt" or "eigen"
            Partial Gram–Schmidt on pivots (Algorithm 5.12), or the leading eigenvectors of K, which leave the smallest
            residuals of all subspaces of that dimension.
        rank : int, optional
            Largest dimension; n by default.
        tol : float
            Residual trace, as a share of the trace of K, that may be left outside.
        pivoting, rng
            As in `gm.cholesky`.
        """
        gram = self.gram()
        tol = non_negative(tol, "tol")
        if method == "gram-schmidt":
            return gram_schmidt_subspace(self, cholesky(gram, rank, tol, pivoting, rng))
        if method == "eigen":
            return eigen_subspace(self, eigen(gram, rank), tol * gram.trace())
        raise ValueError(f"method is {method!r}; 'gram-schmidt' or 'eigen' expected")

    # Other spaces

    def center(self) -> Vectors:
        """Move the origin to the centre of mass: the points φ(x) − φ_S, under the centred kernel."""
        self._require_points("center")
        return self.about(self._about_mean)

    def normalize(self) -> Vectors:
        """Scale every point to norm one: φ(x) / ‖φ(x)‖, under the normalized kernel."""
        self._require_points("normalize")
        return self.about(self.space.kernel.normalize())

    def about(self, kernel: Any) -> Vectors:
        """Return the same points under a kernel made from the one of this space, such as ``kernel.center(gram)``."""
        return Vectors(FeatureSpace(kernel, memory=self.space.memory), kernel.lift(self.points))

    # What an operation needs

    def _require_single(self, what: str) -> None:
        if not self.single:
            raise ValueError(
                f"{what} takes a single vector, and this is {len(self)}: select one with S[i], or use the plural form"
            )

    def _require_points(self, what: str) -> None:
        if self.weights is not None or self.single:
            raise ValueError(
                f"{what} is defined for the images of a sample, phi(X), not for linear combinations of them"
            )

    def _require_same_space(self, other: Vectors) -> None:
        require_vectors(other)
        mine, theirs = self.space.kernel, other.space.kernel
        if mine is not theirs and mine != theirs:
            raise ValueError(f"the vectors live in different feature spaces: {mine!r} and {theirs!r}")


def require_vectors(given: Any) -> None:
    """Refuse what is not in a feature space, such as the data itself."""
    if not isinstance(given, Vectors):
        raise TypeError(f"Vectors expected, and got {type(given).__name__}: take the images of data with phi(X)")


def _most_directions(gram: Gram, wanted: float) -> int | None:
    """Return how many principal directions surely hold so much variance, None where those are a large part of all.

    With K ≈ F Fᵀ the leading eigenvalues of F Fᵀ are at most those of K: they hold no more than these do. All
    eigenvalues of a matrix that fits into memory take less time than a fortieth of them by an iteration.
    """
    n, rank = len(gram), FIRST_LOOK
    few = n // (40 if gram.can_hold() else 5)
    while 5 * rank <= 4 * n:
        F = cholesky(gram, rank, pivoting="random", rng=0).factor.astype(np.float64)
        held = np.cumsum(scipy.linalg.eigvalsh(F.T @ F)[::-1])
        if held[-1] >= wanted:
            most = int(np.searchsorted(held, wanted)) + 1
            return most if most <= few else None
        rank *= 4
    return None
