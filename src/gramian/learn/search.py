"""Choosing a kernel: candidates are compared without cross-validation folds.

A learner that knows its leave-one-out error in closed form (`KernelRidge`, `KernelClassifier`, `FisherDiscriminant`) is
fitted once to each candidate kernel, its ridge chosen along the way; the candidate with the smallest error wins, and is
fitted already.
Alignment does not even learn: the kernel most like the target wins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from gramian.checks import Array
from gramian.gram.gram import Gram
from gramian.kernels.algebra import Kernel
from gramian.learn.alignment import alignment
from gramian.learn.base import KernelEstimator, Method, offered_if


@dataclass(frozen=True)
class Candidate:
    """One line of a search: the parameters tried, the kernel settled on the data, the ridge, and how it did."""

    params: dict[str, Any]
    kernel: Kernel
    ridge: float | None
    score: float


def _passed_on(name: str) -> Callable[[Method], Method]:
    return offered_if(lambda self: hasattr(getattr(self, "best_estimator_", self.estimator), name))


class KernelSearch(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Choose a kernel, its parameters and the ridge together, by closed-form leave-one-out or by alignment.

    Parameters
    ----------
    estimator : KernelRidge, KernelClassifier or FisherDiscriminant
        With ``criterion="alignment"`` any learner with a kernel.
        With ``ridge="loo"`` the ridge is chosen anew for each candidate.
    candidates : list of kernels, or dict
        Kernels to try; or a grid of parameters as in GridSearchCV, such as ``{"kernel__bandwidth": [0.5, 1, 2]}``.
    criterion : "loo" or "alignment"
        The smallest leave-one-out error; or the largest centred kernel–target alignment, after which the estimator is
        fitted once.

    Attributes
    ----------
    best_estimator_ : estimator
        The winner, fitted to all data; methods that are not passed on, such as `transform`, are there.
    best_params_, best_score_, best_index_
        Its parameters, its score (the larger the better: minus the leave-one-out error, or the alignment), its place.
    results_ : list of Candidate
        What was tried, in the order given: `params`, `kernel`, `ridge` and `score` of each.

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> kernels = [gm.Linear(), gm.Gaussian("median"), gm.Gaussian(bandwidth=0.5)]
    >>> search = gm.KernelSearch(gm.FisherDiscriminant(), kernels).fit(flowers.data, flowers.target)
    >>> [round(found.score, 3) for found in search.results_]
    [-0.02, -0.02, -0.033]
    >>> search.best_estimator_.kernel_
    Linear()
    """

    best_estimator_: Any
    best_params_: dict[str, Any]
    best_score_: float
    best_index_: int
    results_: list[Candidate]

    def __init__(
        self,
        estimator: Any,
        candidates: Sequence[Kernel] | Mapping[str, Sequence[Any]],
        criterion: Literal["loo", "alignment"] = "loo",
    ) -> None:
        self.estimator = estimator
        self.candidates = candidates
        self.criterion = criterion

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Try every candidate on all the data and keep the best.

        Parameters
        ----------
        X : objects that the kernels accept
        y : array
            Labels or numbers.
        **fit_params
            Passed to the estimator's `fit`, such as `sample_weight`.
        """
        if self.criterion not in ("loo", "alignment"):
            raise ValueError(f"criterion is {self.criterion!r}; 'loo' or 'alignment' expected")
        if isinstance(X, Gram):
            raise TypeError("a Gram has one kernel, and there is nothing to choose: pass the objects themselves")
        tried = self._tried()
        if self.criterion == "loo":
            fitted = [clone(self.estimator).set_params(**params).fit(X, y, **fit_params) for params in tried]
            self.results_ = [_by_leave_one_out(params, one) for params, one in zip(tried, fitted, strict=True)]
        else:
            self.results_ = [self._by_alignment(params, X, y) for params in tried]
        self.best_index_ = int(np.argmax([found.score for found in self.results_]))
        best = self.results_[self.best_index_]
        self.best_params_, self.best_score_ = best.params, best.score
        if self.criterion == "loo":
            self.best_estimator_ = fitted[self.best_index_]
        else:
            self.best_estimator_ = clone(self.estimator).set_params(**best.params).fit(X, y, **fit_params)
        return self

    def _tried(self) -> list[dict[str, Any]]:
        if isinstance(self.candidates, Mapping) and self.candidates:
            return list(ParameterGrid(dict(self.candidates)))
        if isinstance(self.candidates, Sequence | np.ndarray) and len(self.candidates):
            return [{"kernel": kernel} for kernel in self.candidates]
        raise ValueError("candidates are a non-empty list of kernels, or a dict such as {'kernel__bandwidth': [1, 2]}")

    def _by_alignment(self, params: dict[str, Any], X: Any, y: Any) -> Candidate:
        learner = clone(self.estimator).set_params(**params)
        if not isinstance(learner, KernelEstimator):
            raise TypeError(f"{type(learner).__name__} has no kernel to choose: take a learner of gramian")
        gram, target, task = learner.question(X, y)
        return Candidate(params, learner.kernel_, None, alignment(gram, target, task))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = get_tags(self.estimator)
        for name in (
            "estimator_type",
            "classifier_tags",
            "regressor_tags",
            "input_tags",
            "target_tags",
        ):
            setattr(tags, name, getattr(own, name))
        return tags

    @property
    def classes_(self) -> Array:
        """The labels that a classifier has learnt."""
        return np.asarray(self.best_estimator_.classes_)

    @property
    def n_features_in_(self) -> int:
        """Number of features seen in `fit`, for vectors."""
        return int(self.best_estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Array:
        """Names of the features seen in `fit`, where they have names."""
        return np.asarray(self.best_estimator_.feature_names_in_)

    @_passed_on("predict")
    def predict(self, X: Any) -> Array:
        """Predict with the winner."""
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict(X))

    @_passed_on("decision_function")
    def decision_function(self, X: Any) -> Array:
        """Return the decision function of the winner."""
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.decision_function(X))

    @_passed_on("predict_proba")
    def predict_proba(self, X: Any) -> Array:
        """Return the probabilities of the classes by the winner."""
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict_proba(X))

    @_passed_on("predict_interval")
    def predict_interval(self, X: Any, alpha: float = 0.1) -> Any:
        """Return the prediction intervals of the winner, which take the kernel as given."""
        check_is_fitted(self)
        return self.best_estimator_.predict_interval(X, alpha)

    @_passed_on("score")
    def score(self, X: Any, y: Any = None) -> float:
        """Return the winner's score."""
        check_is_fitted(self)
        return float(self.best_estimator_.score(X, y))


def _by_leave_one_out(params: dict[str, Any], fitted: Any) -> Candidate:
    if not hasattr(fitted, "loo_error_"):
        raise TypeError(
            f"{type(fitted).__name__} has no leave-one-out error in closed form: take KernelRidge, KernelClassifier, "
            "FisherDiscriminant or ParzenClassifier, or criterion='alignment'"
        )
    ridge = float(fitted.ridge_) if hasattr(fitted, "ridge_") else None
    return Candidate(params, fitted.kernel_, ridge, -float(fitted.loo_error_))
