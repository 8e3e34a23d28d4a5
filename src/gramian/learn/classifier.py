"""Classification by least squares: regression on −1 and +1 (seed 004, "y: {−1, 1}, classification").

    minimise  Σᵢ wᵢ (yᵢ − f(xᵢ) − b)² + λ ‖f‖²,        yᵢ = −1 or +1,

and the sign of f(x) + b decides. For more than two classes there is a function for each, fitted to the indicator of the
class, and the largest decides. It is the ridge regression of `ridge`, with everything that one knows: its leave-one-out
answers in closed form, its degrees of freedom, its ways with large samples.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from gramian.checks import Array
from gramian.intake.batches import Batches
from gramian.intake.collections import Collection
from gramian.kernels.algebra import Kernel
from gramian.learn.base import MEDIAN_GAUSSIAN, named, undone_if_refused
from gramian.learn.calibration import Calibrated, Calibration
from gramian.learn.discriminant import decided, indicator, spoken_for
from gramian.learn.lowrank import HEAD, Rank
from gramian.learn.ridge import LeastSquares
from gramian.learn.ridges import Ridge
from gramian.space.vectors import Vectors


class KernelClassifier(Calibrated, ClassifierMixin, LeastSquares):  # type: ignore[misc]
    """Classify objects by kernel ridge regression on −1 and +1, or on indicators of more than two classes.

    The sign of f(x) + b decides, with f and b the minimisers of Σᵢ wᵢ (yᵢ − f(xᵢ) − b)² + λ ‖f‖² over yᵢ = −1 or +1
    (seed 004).

    Parameters
    ----------
    kernel : Kernel
        By default the Gaussian with the median distance as bandwidth.
    ridge : float, "loo", "gcv", or a sequence of floats
        λ, as in `KernelRidge`: "loo" takes the value with the smallest leave-one-out error of the *regression*, which
        tells more than the number of mistakes; 0 is plain least squares.
    fit_intercept : bool
        Whether to add a constant b that is not penalised.
    rank : int, "exact" or None
        Number of landmarks through which the objects are seen, as in `KernelRidge`.
    tol : float, optional
        Relative residual of the linear system: by default 1e-10, where K is too large to be kept 1e-6.
    checkpoint : path, optional
        A directory in which long work is kept as it goes on.

    Attributes
    ----------
    kernel_, sample_
        The settled kernel and the images of the training objects.
    classes_ : array of shape (c,)
        The labels, sorted; with two of them the second is the positive one.
    ridge_, dual_coef_, intercept_, function_, path_, solver_, residual_, trace_error_
        As in `KernelRidge`; with more than two classes there is a column for each. The errors of `path_` are squares,
        those of the regression.

    Raises
    ------
    ValueError
        In `fit`: if there are fewer than two classes, or a ridge is negative.

    See Also
    --------
    FisherDiscriminant : directions that separate classes best
    KernelRidge : ridge regression
    GramRows : rows of K for support vector machines
    KernelSearch : choose a kernel and its parameters

    Notes
    -----
    With two classes of equal size and an intercept the direction is that of `FisherDiscriminant` with the ridge 2λ/n.
    With classes of unequal sizes Fisher's gives every class the same say, and least squares every object.

    Cost: O(n³) operations up to n = 3,000, O(n²) a step beyond; O(n · rank²) with a rank. Predicting costs O(n) kernel
    values an object.

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> model = gm.KernelClassifier().fit(flowers.data, flowers.target)
    >>> round(model.loo_error_, 3), round(model.effective_dof_, 1)
    (0.033, 21.6)
    >>> words = gm.KernelClassifier(gm.Spectrum(2), ridge=0.1).fit(["bar", "baa", "cat", "cut"], [-1, -1, 1, 1])
    >>> words.predict(["bat"])
    array([-1])
    """

    classes_: Array

    def __init__(
        self,
        kernel: Kernel = MEDIAN_GAUSSIAN,
        ridge: Ridge = "loo",
        fit_intercept: bool = True,
        rank: Rank = None,
        tol: float | None = None,
        checkpoint: Any = None,
    ) -> None:
        self.kernel = kernel
        self.ridge = ridge
        self.fit_intercept = fit_intercept
        self.rank = rank
        self.tol = tol
        self.checkpoint = checkpoint

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find f and b.

        Parameters
        ----------
        X : objects that the kernel accepts, their symmetric Gram, or `Batches` of objects and labels
            Batches are gone through once more than by a regression, to find the classes; of a source that can be gone
            through once only, they are those of its first objects.
        y : array of shape (n,)
            Labels of at least two classes.
        sample_weight : array of shape (n,), optional
            Weights w ≥ 0; a weight of 2 does what having the object twice does.
        """
        self._check_settings()
        X = self._source(X)
        labels = self._labels_in(X, y)
        self._settle_classes(labels)
        weights, present = self._weights_of(X, sample_weight), self.classes_
        if isinstance(X, Collection) and X.has_weights:
            present = np.unique(np.concatenate(X.gathered(labels_present, "labels")))
        if weights is not None and len(weights) == len(labels):  # else they are refused further on
            present = np.unique(labels[weights > 0])
        if len(present) < 2:
            raise ValueError(f"objects of one class only, {named(present[0])}, have a weight above 0; two expected")
        return super().fit(X, y, sample_weight)

    @undone_if_refused
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more objects, in low rank: the first call chooses the landmarks, later ones add to the moments.

        With ``rank=None`` there are up to 1000 landmarks. `classes` are all labels that will turn up, and are needed in
        the first call only; by default those of its objects. There is nothing to predict until two of them have.
        """
        self._check_settings()
        X = self._source(X)
        if not hasattr(self, "classes_"):
            self._settle_classes(self._labels_in(X, y) if classes is None else self._flat(classes))
        elif classes is not None and not np.array_equal(np.unique(self._flat(classes)), self.classes_):
            raise ValueError(
                f"classes are {np.unique(self._flat(classes))}, and those of the first call were {self.classes_}"
            )
        return self._learn_more(X, y, sample_weight)

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether there is something to predict: batches that have shown one class only are not enough."""
        return hasattr(self, "function_")

    # Labels as numbers

    def _targets(self, y: Any, *, numeric: bool, multi_output: bool = False, objects: Any = None) -> Array:
        """Return checked labels, or the numbers that the regression is fitted to."""
        labels = super()._targets(y, numeric=False, objects=objects)
        check_classification_targets(labels)
        return self._coded(self._places(labels)) if numeric else labels

    def _places(self, labels: Array) -> Array:
        """Return the numbers of the classes of labels."""
        places = np.minimum(np.searchsorted(self.classes_, labels), len(self.classes_) - 1)
        if (unknown := self.classes_[places] != labels).any():
            raise ValueError(
                f"y holds the label {named(labels[unknown][0])}, and the classes so far are {self.classes_}: name all "
                "in the first call, partial_fit(X, y, classes=...), or let a stream begin anew (gm.Batches)"
            )
        return places

    def _coded(self, places: Array) -> Array:
        """Return −1 and +1 for two classes, the indicators of more."""
        count = len(self.classes_)
        return 2.0 * places - 1.0 if count == 2 else indicator(places, count)

    def _flat(self, labels: Any) -> Array:
        return super()._targets(labels, numeric=False, objects=labels)

    def _labels_in(self, X: Any, y: Any) -> Array:
        """Return the labels of a sample, or the different ones of a stream."""
        if not isinstance(X, Batches):
            return self._flat(y)
        if X.once:
            return np.unique(self._flat(X.sample(HEAD, 0)[1]))
        return np.concatenate(X.gathered(labels_among, "labels"))

    def _settle_classes(self, labels: Array) -> None:
        if not len(labels):
            raise ValueError("X and y are empty; objects of at least two classes expected")
        check_classification_targets(labels)
        self._classes_among(labels)

    def _solve_moments(self) -> None:
        """Find f and b from the moments, once two classes have turned up."""
        if np.diagonal(self._summed.moments()[0].scatter)[self._summed.summary.dim :].any():
            super()._solve_moments()

    # Answers

    def decision_function(self, X: Any) -> Array:
        """Return f(x) + b: (m,) for two classes, positive for the second one, else (m, c), one column for each."""
        return self._values(X)

    def predict(self, X: Any) -> Array:
        """Return the label of the class that f(x) + b decides for."""
        decisions = self.decision_function(X)
        return np.asarray(self.classes_[decided(decisions)])

    def _functions(self) -> tuple[Vectors, Array | None, Any, tuple[Any, ...], Any]:
        function, primal, intercepts, _, _ = super()._functions()
        return function, primal, intercepts, *spoken_for(self.classes_)

    @property
    def loo_decision_(self) -> Array:
        """The decision function for each training object of a model fitted without it, in closed form."""
        left = self.loo_residuals_
        return np.asarray(self._problem.Y.reshape(left.shape) - left)

    @property
    def loo_error_(self) -> float:
        """The share of the training objects that a model fitted without them gets wrong; in low rank of some of them.

        Weighted where the objects are.
        """
        decisions, labels, weights = self._left_out_decisions()
        wrong = decided(decisions) != labels
        return float(np.average(wrong, weights=weights))

    def _error_of(self, loo: Array) -> float:
        Y = self._problem.Y
        shape = Y.shape if Y.shape[1] > 1 else len(Y)
        wrong = decided((Y - loo).reshape(shape)) != decided(Y.reshape(shape))
        return float(np.average(wrong, weights=self._problem.weights))

    def _left_out_decisions(self) -> tuple[Array, Array, Array | None]:
        if self._landmarks is None:
            decisions, numbers, weights = self.loo_decision_, self._problem.Y, self._problem.weights
        else:
            left, numbers, weights = self._probed()
            decisions = (numbers - left).reshape(len(left), *self._shape)
        return decisions, decided(numbers.reshape(decisions.shape)), weights

    def _keep_learnt(self, a: Array, b: Array, shape: tuple[int, ...]) -> None:
        self._calibration = Calibration()
        super()._keep_learnt(a, b, shape)


def labels_among(X: Any, y: Any, start: int, *weights: Array) -> Array:
    """Return the different labels of some objects."""
    return np.unique(KernelClassifier()._flat(y))


def labels_present(X: Any, y: Any, start: int, weights: Array) -> Array:
    """Return the different labels of objects that weigh something."""
    return np.unique(y[weights > 0])
