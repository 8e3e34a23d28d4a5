"""Kernel principal component analysis (seed 002, "Kernel PCA").

The directions of largest variance in feature space are u = λ^(−½) Σᵢ vᵢ (φ(xᵢ) − φ_S), K̂ v = λ v, with K̂ the Gram
about the centre of mass φ_S. A new point is centred against the training sample before it is projected. Directions
with λ ≈ 0 do not exist and are left out.
"""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
import scipy.linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from gramian.checks import Array, fraction, from_device, is_sparse, warn, whole
from gramian.factor.eigen import Eigen, are_few, centered_eigen, decomposes, spreads
from gramian.factor.machine import DENSE
from gramian.gram.gram import Gram
from gramian.kernels.algebra import Kernel
from gramian.kernels.nystrom import Nystrom
from gramian.learn.base import MEDIAN_GAUSSIAN, as_given, undone_if_refused
from gramian.learn.lowrank import Rank, Reducible, landmark_coefficients
from gramian.learn.preimage import PreImages
from gramian.learn.weights import Weighted
from gramian.runtime.journal import keeping
from gramian.space.vectors import FeatureSpace, Vectors


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Weighted, Reducible):  # type: ignore[misc]
    """Principal components in feature space.

    The directions of feature space along which the images vary most, and the coordinates of objects along them: a
    picture of the data in a few numbers, for objects of any kind.

    Parameters
    ----------
    n_components : int, float or None
        How many components; or, strictly between 0 and 1, the share of the total variance that they have to hold; or
        all that exist.
    kernel : Kernel
        By default the Gaussian with the median distance as bandwidth.
    rank : int, "exact" or None
        Number of landmarks through which the objects are seen (`Nystrom`): one pass over the data and O(rank²) memory,
        for any n, with an error that `trace_error_` tells. By default the answer is exact wherever that takes
        reasonable time (some hundred thousand vectors), and of rank 1000 beyond.
    checkpoint : path, optional
        A directory in which long work is kept as it goes on: after a crash the same call continues from there, and
        gives the same answer. It can be deleted when the fit is done.

    Attributes
    ----------
    kernel_, sample_
        The settled kernel and the images of the training objects.
    eigenvalues_ : array of shape (k,)
        λ of the centred K, largest first.
    explained_variance_, explained_variance_ratio_ : arrays of shape (k,)
        λ/n, the variance along each component, and its share of the total variance.
    total_variance_ : float
        tr K̂ / n, the mean squared distance to the centre of mass; for the nodes of a large graph, or few components
        of more than 500 nodes, an estimate of it, good to a fraction of 1 %. In low rank it is that of φ(x) itself, not
        of what landmarks see, estimated from some of the objects where these are many.
    dual_coef_ : array of shape (n, k)
        λ^(−½) v: the components as combinations of the centred images. Each has its entry of largest magnitude
        positive.
    components_ : Vectors
        The components, orthonormal, in the space of the centred kernel; in low rank, combinations of the landmarks.
    trace_error_ : float
        The share of the trace of K that landmarks leave out; 0 for an exact answer.
    variance_error_ : float
        The share of the total variance that landmarks leave out. Of the trace it is a larger or a smaller share,
        according to how far from the origin the objects lie; 0 for an exact answer.
    solver_ : str
        What was done.

    Raises
    ------
    ValueError
        In `fit`: if `n_components` is out of range, or all objects have the same image.

    See Also
    --------
    eigen : leading eigenpairs of K
    MercerMap : coordinates by the eigenvectors of K
    GramSchmidt : partial Gram–Schmidt features for linear models
    KernelKMeans : clusters around centres in feature space

    Notes
    -----
    Up to n = 3,000 K is decomposed exactly; from n = 500 on, where k is at most n/50, leading components are found
    by a block Krylov iteration to a residual of 1e-13 λ₁. Beyond, that goes to a residual of 1e-7 λ₁, or of a few
    roundings in single precision, in which K is kept where it fits into 1 GiB; memory is O(n k) where it does not.

    Cost: O(n³) operations and O(n²) memory up to n = 3,000; O(n · rank²) with a rank.

    Examples
    --------
    >>> import gramian as gm
    >>> X = gm.load_iris().data
    >>> model = gm.KernelPCA(n_components=0.9).fit(X)
    >>> model.explained_variance_ratio_.round(2)
    array([0.7 , 0.17, 0.04])
    >>> model.transform(X[:1]).round(2)
    array([[0.76, 0.1 , 0.06]])
    """

    eigenvalues_: Array
    explained_variance_: Array
    explained_variance_ratio_: Array
    total_variance_: float
    variance_error_: float
    dual_coef_: Array
    components_: Vectors
    solver_: str
    _pre_images: PreImages | None = None

    products = 15

    def __init__(
        self,
        n_components: int | float | None = None,
        kernel: Kernel = MEDIAN_GAUSSIAN,
        rank: Rank = None,
        checkpoint: Any = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.rank = rank
        self.checkpoint = checkpoint

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the components; y is ignored.

        Parameters
        ----------
        X : objects that the kernel accepts, their symmetric Gram, or `Batches` of objects
        """
        X = self._source(X)
        with keeping(self.checkpoint):
            return self._fit(X)._keep_names(X)

    @undone_if_refused
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn from more objects, in low rank: the first call chooses the landmarks, later ones add to the moments.

        With ``rank=None`` there are up to 1000 landmarks. y is ignored.
        """
        X = self._source(X)
        if not self._goes_on():
            self._start(X)
        self._sum_up(X)
        self._keep_moments()
        return self

    def _fit(self, X: Any) -> Self:
        self._forget("_pre_images")
        X, _, reduced = self._prepared(X, None)
        if reduced:
            self._start(X)
            self._sum_up(X)
            self._keep_moments()
            self._warn_if_automatic()
            return self
        self._begin_exactly()
        sample = self._learn_sample(X)
        wanted = self._check_components(len(sample))
        if isinstance(wanted, int) and are_few(wanted, len(sample)):
            sample = self._by_products()
        gram = sample.gram()
        with gram.held(in_single=len(gram) > DENSE and spreads(gram)):
            centered = sample.about(self.kernel_.center(gram))
            self.total_variance_ = centered.space.kernel.rough_mean(centered.points)
            pairs = self._decompose(gram, wanted).positive() if self.total_variance_ > 0 else None
            few = isinstance(wanted, int) and not decomposes(gram, wanted)
        if pairs is None or len(pairs.values) == 0:
            raise ValueError(
                f"there is no variance: all n_samples={len(sample)} objects have one image under {self.kernel_!r}"
            )
        self._warn_of_missing(wanted, len(pairs.values))
        self.variance_error_ = 0.0
        self.eigenvalues_ = pairs.values
        self.explained_variance_ = pairs.covariance_values
        self.explained_variance_ratio_ = self.explained_variance_ / self.total_variance_
        # The vector of ones belongs to the eigenvalue 0, and leaks into eigenvectors whose own is nearly as small
        dual = pairs.dual()
        self.dual_coef_ = dual - dual.mean(axis=0)
        self.components_ = centered.combine(self.dual_coef_)
        iterated = len(sample) > DENSE or few
        self.solver_ = "block Krylov iteration" if iterated else "eigenvalue decomposition"
        self._inputs = self._vectors_of(X)
        return self

    def _by_products(self) -> Vectors:
        """Take the kernel in the form in which few products with K are quickest."""
        if (kernel := self.kernel_.by_products()) is not self.kernel_:
            space = self.sample_.space
            self.kernel_ = kernel
            self.sample_ = Vectors(FeatureSpace(kernel, memory=space.memory), self.sample_.points)
        return self.sample_

    def _keep_moments(self) -> None:
        """Find the components among the combinations of the landmarks, from the moments of their features."""
        summary, low = self._summed.summary, cast(Nystrom, self._landmarks)
        moments, wanted = self._summed.moments()[0], self._check_components(summary.count)
        seen = float(np.trace(moments.scatter)) / summary.count
        unseen = self._summed.trace_error * summary.trace / summary.count - self._summed.mean_left_out()
        self.total_variance_ = seen + unseen
        self.variance_error_ = unseen / self.total_variance_ if self.total_variance_ > 0 else 0.0
        values, axes = scipy.linalg.eigh(moments.scatter, check_finite=False)
        pairs = Eigen(values[::-1], axes[:, ::-1], np.zeros(len(values))).positive()
        if not (self.total_variance_ > 0 and len(pairs.values)):
            raise ValueError(
                f"there is no variance: all n_samples={summary.count} objects have one image under {self.kernel_!r}"
            )
        if isinstance(wanted, float):
            held = np.cumsum(pairs.values) / (summary.count * self.total_variance_)
            if held[-1] < wanted:
                warn(
                    f"n_components is {wanted:g}, and all components that {len(self.sample_)} landmarks can tell hold "
                    f"{held[-1]:.3g} of the variance: give a larger rank"
                )
            wanted = min(int(np.searchsorted(held, wanted)) + 1, len(held))
        pairs = pairs.first(len(pairs.values) if wanted is None else wanted)
        self._warn_of_missing(wanted, len(pairs.values))
        self.eigenvalues_ = pairs.values
        self.explained_variance_ = pairs.values / summary.count
        self.explained_variance_ratio_ = self.explained_variance_ / self.total_variance_
        coefficients = landmark_coefficients(low, pairs.vectors)
        signs = np.sign(np.take_along_axis(coefficients, np.abs(coefficients).argmax(axis=0)[None], axis=0))
        self.dual_coef_ = coefficients * signs
        self.components_ = self.sample_.combine(self.dual_coef_)
        self._at_center = (moments.mean @ pairs.vectors) * signs[0]
        self._center = self.sample_.combine(landmark_coefficients(low, moments.mean))
        self.solver_ = self._summed.described()
        self._inputs = None

    def _warn_of_missing(self, wanted: Any, dimensions: int) -> None:
        if isinstance(wanted, int) and dimensions < wanted:
            warn(
                f"n_components is {wanted}, and the sample spans {dimensions} dimensions about its centre: so many "
                "components are kept"
            )

    def _check_components(self, n: int) -> int | float | None:
        given = self.n_components
        if given is None:
            return None
        if isinstance(given, float | np.floating):
            return fraction(given, "n_components, given as a share of the variance,")
        if whole(given, "n_components") > n:
            raise ValueError(f"n_components is {given}, and n_samples={n} only: at most so many expected")
        return int(given)

    def _decompose(self, gram: Gram, wanted: int | float | None) -> Eigen:
        if not isinstance(wanted, float):
            return centered_eigen(gram, wanted)
        rank = min(len(gram), 32)
        while True:  # until so many pairs hold the share
            pairs = centered_eigen(gram, rank if len(gram) > DENSE else None)
            held = np.cumsum(pairs.covariance_values) / self.total_variance_
            if len(pairs.values) == len(gram) or held[-1] >= wanted:
                return pairs.first(min(int(np.searchsorted(held, wanted)) + 1, len(held)))
            rank = min(2 * rank, len(gram))

    @property
    def residuals_(self) -> Array:
        """‖K̂ v − λ v‖ of each pair, the evidence of its accuracy; computed afresh when asked for."""
        check_is_fitted(self)
        if self._landmarks is not None:
            raise AttributeError("in low rank the objects are not kept: trace_error_ tells what was left out")
        vectors = self.dual_coef_ * np.sqrt(self.eigenvalues_)
        product = Vectors(self.components_.space, self.components_.points).gram().apply(vectors)
        return np.asarray(np.linalg.norm(product - vectors * self.eigenvalues_, axis=0))

    @property
    def _n_features_out(self) -> int:
        return len(self.eigenvalues_)

    def _centered(self, X: Any) -> Vectors:
        return self._images(X).about(self.components_.space.kernel)

    def transform(self, X: Any) -> Array:
        """Return the coordinates of objects along the components, centred against the training sample."""
        if self._landmarks is not None:
            images = self._images(X)
            return as_given(images, images.inner(self.components_) - self._at_center)
        centered = self._centered(X)
        return as_given(centered, centered.inner(self.components_))

    def _functions(self) -> tuple[Vectors, Array | None, Any, tuple[Any, ...], Any]:
        # The coefficients of a component add up to 0, so that Σ aᵢ (φ(xᵢ) − φ_S) = Σ aᵢ φ(xᵢ)
        functions = self.sample_.combine(self.dual_coef_)
        at_center = self._at_center if self._landmarks is not None else self.sample_.mean().inner(functions)
        return functions, None, -at_center, tuple(f"component {k + 1}" for k in range(self._n_features_out)), None

    def reconstruction_error(self, X: Any) -> Array:
        """Return the distance in feature space of each object from the plane of the components."""
        if self._landmarks is not None:
            images = self._images(X)
            along = images.inner(self.components_) - self._at_center
            squares = images.distances(self._center) ** 2 - np.square(along).sum(axis=1)
            return np.asarray(np.sqrt(np.maximum(squares, 0)))
        centered = self._centered(X)
        squares = centered.norms() ** 2 - np.square(centered.inner(self.components_)).sum(axis=1)
        return np.asarray(np.sqrt(np.maximum(squares, 0)))

    def inverse_transform(self, T: Any) -> Array:
        """Return vectors whose images are near the given points of the plane of the components.

        A point of feature space need not be the image of anything, so this is an approximation, best near the training
        data: exact for a linear kernel, an iteration for the nearest image for a Gaussian one, otherwise a map learnt
        by ridge regression from the coordinates of the training objects to the objects themselves.

        Parameters
        ----------
        T : array of shape (m, k)
            Coordinates, as `transform` returns them.
        """
        check_is_fitted(self)
        if self._inputs is None:
            raise TypeError(
                f"inverse_transform gives vectors, and {self.kernel_!r} was fitted on other objects, on a sparse "
                "array, on a Gram, or in low rank: fit(X) on a dense array, with a kernel of vectors"
            )
        T = check_array(T, dtype=(np.float64, np.float32))
        if T.shape[1] != self._n_features_out:
            raise ValueError(f"T has {T.shape[1]} columns; {self._n_features_out} expected, one for each component")
        if self._pre_images is None:
            self._pre_images = PreImages(self.kernel_, self._inputs, self.dual_coef_, self.eigenvalues_)
        return self._pre_images(T)

    def _vectors_of(self, X: Any) -> Array | None:
        """Return the training vectors, for pre-images: those of the encoding where they are the same."""
        X = X.objects if isinstance(X, Gram) else X
        if X is None or not self.kernel_.on_vectors or is_sparse(X):
            return None
        vectors = np.asarray(self._checked(from_device(X), self.kernel_, reset=False))
        first = self.sample_.points.parts[0]
        return first if isinstance(first, np.ndarray) and np.array_equal(first, vectors) else vectors.copy()
