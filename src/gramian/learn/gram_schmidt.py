"""Partial Gram–Schmidt features: coordinates in which any linear model is a kernel machine (seed 000, Algorithm 5.12).

Pivots x_p are taken one after the other, and φ of each is made orthogonal to those before it. The coordinates of φ(x)
in that orthonormal basis are features whose inner products are κ, up to a residual that is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Self, cast

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state

from gramian.checks import Array, non_negative, whole
from gramian.factor.cholesky import LowRank, cholesky
from gramian.intake.batches import Batches
from gramian.kernels.algebra import Kernel
from gramian.learn.base import MEDIAN_GAUSSIAN, as_given
from gramian.learn.lowrank import HEAD, Reducible
from gramian.learn.sklearn_private import count_objects
from gramian.space.subspace import Subspace, gram_schmidt_subspace
from gramian.space.vectors import Vectors


class GramSchmidt(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Reducible):  # type: ignore[misc]
    """A transformer to partial Gram–Schmidt features (Algorithm 5.12).

    Parameters
    ----------
    kernel : Kernel
        By default the Gaussian with the median distance as bandwidth.
    rank : int, optional
        Largest number of features; as many as the data has dimensions by default.
    tol : float
        Stop when the residual trace is at most so large a share of the trace of K.
    pivoting : "greedy" or "random"
        The point farthest from the span so far; or at random with probability proportional to its squared distance,
        which is not misled by outliers.
    random_state : int, RandomState instance or None
        For random pivots.
    residual : float
        The η of Algorithm 5.12: stop when no image is farther than √η from the span. It is compared with squared
        distances; `residuals_` are the distances themselves.

    Attributes
    ----------
    kernel_, sample_
        The settled kernel and the images of the training objects.
    pivots_ : array of shape (k,)
        Indices of the pivots among the training objects, in the order they were taken.
    residuals_ : array of shape (n,)
        Distance of each training image from the span; not of `Batches` and collections.
    largest_residual_ : float
        The largest of these distances.
    relative_error_ : float
        What is left of the trace of K, between 0 and 1.
    subspace_ : Subspace
        The span of the pivots.

    Raises
    ------
    ValueError
        In `fit`: if `rank`, `tol` or `residual` is out of range.

    See Also
    --------
    cholesky : K ≈ F Fᵀ, completely or in low rank
    CholeskyMap : Gram–Schmidt coordinates
    Nystrom : any kernel in low rank, by landmarks

    Notes
    -----
    Cost: O(n k) kernel values, O(n k²) operations and O(n k) memory for k features.

    Of `Batches`, and of collections on a cluster, the pivots are chosen among 20,000 objects that are drawn from all of
    them, `sample_` keeps the pivots alone, and a second pass tells how far all objects are from their span: any n, in
    the memory of a batch.

    Examples
    --------
    >>> import gramian as gm
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> flowers = gm.load_iris()
    >>> model = make_pipeline(gm.GramSchmidt(rank=20), LogisticRegression(C=10.0))
    >>> round(model.fit(flowers.data, flowers.target).score(flowers.data, flowers.target), 2)
    0.98
    """

    residual: float = 0.0  # of models that were saved before there was one
    pivots_: Array
    residuals_: Array
    largest_residual_: float
    relative_error_: float
    subspace_: Subspace

    def __init__(
        self,
        kernel: Kernel = MEDIAN_GAUSSIAN,
        rank: int | None = None,
        tol: float = 0.0,
        pivoting: Literal["greedy", "random"] = "greedy",
        random_state: Any = None,
        residual: float = 0.0,
    ) -> None:
        self.kernel = kernel
        self.rank = rank
        self.tol = tol
        self.pivoting = pivoting
        self.random_state = random_state
        self.residual = residual

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the pivots; y is ignored.

        Parameters
        ----------
        X : objects that the kernel accepts, their symmetric Gram, or `Batches` of objects
        """
        if self.pivoting not in ("greedy", "random"):
            raise ValueError(f"pivoting is {self.pivoting!r}; 'greedy' or 'random' expected")
        if non_negative(self.tol, "tol") >= 1:
            raise ValueError(f"tol is {self.tol}; a share of the trace below 1 expected, for 1 leaves nothing to span")
        non_negative(self.residual, "residual")
        X = self._source(X)
        if isinstance(X, Batches):
            return self._fit_in_batches(X)._keep_names(X)
        sample = self._learn_sample(X)
        low = self._spanned()
        self.pivots_ = low.pivots
        self.residuals_ = np.sqrt(low.residual)
        self.largest_residual_ = float(self.residuals_.max())
        self.relative_error_ = low.relative_error
        self.subspace_ = gram_schmidt_subspace(sample, low)
        return self

    def _reduces(self, X: Any) -> bool:
        """Tell whether pivots are chosen among some of the objects: those that do not lie here all at once."""
        return isinstance(X, Batches)

    def _fit_in_batches(self, X: Batches) -> Self:
        """Choose the pivots among some objects, and measure all by them."""
        if X.once:
            some = X.head(HEAD)[0]
            places = np.arange(count_objects(some))
        else:
            (some, _), places = X.drawn(HEAD, 0)
        sample = self._learn_sample(some)
        low = self._spanned()
        self.subspace_ = Subspace(gram_schmidt_subspace(sample, low).basis)
        self.sample_ = Vectors(sample.space, sample.points[low.pivots])
        self._forget("residuals_")
        self.pivots_ = places[low.pivots]
        left = X.summed(partial(left_by, self._helper(), self.subspace_), Left.joined, "objects, measured")
        self.relative_error_ = left.total / left.trace
        self.largest_residual_ = float(np.sqrt(left.largest))
        return self

    def _spanned(self) -> LowRank:
        """Return the factor of the sample by its pivots."""
        sample = self.sample_
        if self.rank is not None and whole(self.rank, "rank") > len(sample):
            raise ValueError(f"rank is {self.rank}, and n_samples={len(sample)} only: at most so many expected")
        seed = check_random_state(self.random_state).randint(2**31)
        low = cholesky(sample.gram(), cast(int | None, self.rank), self.tol, self.pivoting, int(seed), self.residual)
        if low.rank == 0 and low.trace > 0:
            raise ValueError(
                f"residual is {self.residual:g}, and no κ(x, x) is above {low.residual.max():g}: there is nothing to "
                "span; give a smaller one"
            )
        if low.rank == 0:
            raise ValueError(f"every object has the image 0 under {self.kernel_!r}: there is nothing to span")
        return low

    @property
    def trace_error_(self) -> float:
        """The share of the trace of K that the pivots leave out: `relative_error_`."""
        return self.relative_error_

    @property
    def _n_features_out(self) -> int:
        return len(self.pivots_)

    def transform(self, X: Any) -> Array:
        """Return the coordinates of objects in the basis that Gram–Schmidt makes of the pivots."""
        vectors = self._images(X)
        return as_given(vectors, self.subspace_.coordinates(vectors))


@dataclass(frozen=True)
class Left:
    """What a span leaves of some objects: the sum of squared distances, the largest, and Σ κ(x, x)."""

    total: float
    largest: float
    trace: float

    def joined(self, other: Left) -> Left:
        """Return that of both."""
        return Left(self.total + other.total, max(self.largest, other.largest), self.trace + other.trace)


def left_by(learner: GramSchmidt, span: Subspace, X: Any, y: Any, start: int) -> Left:
    """Return what a span leaves of some objects."""
    if not count_objects(X):
        return Left(0.0, 0.0, 0.0)
    points = learner.kernel_.encoded(learner._checked(X, learner.kernel_, False))
    images = Vectors(span.basis.space, points)
    squares = np.square(span.residuals(images))
    return Left(float(squares.sum()), float(squares.max()), float(images.norms() @ images.norms()))
