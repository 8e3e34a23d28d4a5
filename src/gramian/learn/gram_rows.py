"""The rows of a Gram as features: what opens support vector machines and their like to every object.

    x ↦ (κ(x, x₁), …, κ(x, xₙ)),        x₁ … xₙ the training objects

An estimator with ``kernel="precomputed"`` (SVC, SVR, OneClassSVM, GaussianProcess and spectral methods) or
``metric="precomputed"`` takes these rows as they are: n × n of them to learn from, m × n for m new objects. Within a
pipeline cross-validation and grid search cut the *objects*, and the rows of either part are made against the training
part of the fold: nothing has to be cut on two sides, and a kernel that takes something from data takes it from the
training part alone. That is why this transformer is not pairwise itself, and a pipeline that begins with it is not.
"""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from gramian.checks import Array
from gramian.kernels.algebra import Kernel
from gramian.learn.base import MEDIAN_GAUSSIAN, KernelEstimator, as_given


class GramRows(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):  # type: ignore[misc]
    """A transformer to the rows of the Gram against the training objects, for ``SVC(kernel="precomputed")``.

    An object x becomes (κ(x, x₁), …, κ(x, xₙ)), with x₁ … xₙ the training objects (the Gram matrix of seed 000, as
    rows).

    Parameters
    ----------
    kernel : Kernel
        By default the Gaussian with the median distance as bandwidth. ``gramrows__kernel__bandwidth`` and its like are
        parameters of a pipeline, for a grid search.

    Attributes
    ----------
    kernel_, sample_
        The settled kernel and the images of the training objects.

    Raises
    ------
    TypeError, ValueError
        In `fit`: if the kernel refuses the objects, with what it says of them.

    See Also
    --------
    Precomputed : a matrix that you have
    GramSchmidt : partial Gram–Schmidt features for linear models
    KernelClassifier : classification by least squares

    Notes
    -----
    The matrix is formed: n² values for n training objects, m · n for m new ones. Support vector machines are at their
    best with κ(x, x) about 1: ``kernel.normalize()`` sees to it.

    Cost: O(n²) kernel values and memory for n training objects.

    Examples
    --------
    >>> import gramian as gm
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> dna = gm.load_promoters()                     # strings of 57 letters
    >>> kernel = gm.FullSpectrum(2, 5).normalize()
    >>> model = make_pipeline(gm.GramRows(kernel), SVC(kernel="precomputed", C=10))
    >>> float(cross_val_score(model, dna.data, dna.target, cv=10).mean().round(2))
    0.95
    """

    def __init__(self, kernel: Kernel = MEDIAN_GAUSSIAN) -> None:
        self.kernel = kernel

    def fit(self, X: Any, y: Any = None) -> Self:
        """Settle the kernel and keep the objects; y is ignored.

        Parameters
        ----------
        X : objects that the kernel accepts, or their symmetric Gram
        """
        self._learn_sample(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Return K, n × n and symmetric to the last bit; y is ignored."""
        self.fit(X)
        return as_given(self.sample_, self.sample_.gram().dense())

    def transform(self, X: Any) -> Array:
        """Return κ(x, xᵢ) for each object x and each training object xᵢ, m × n."""
        images = self._images(X)
        return as_given(images, self.sample_.space.gram(images.points, self.sample_.points).dense())

    @property
    def _n_features_out(self) -> int:
        return len(self.sample_)
