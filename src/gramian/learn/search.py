"""Choosing a kernel: candidates are compared by what they say of objects that they have not seen.

A learner that knows its leave-one-out error in closed form (`KernelRidge`, `KernelClassifier`, `FisherDiscriminant`) is
fitted once to each candidate kernel, its ridge chosen along the way; the candidate with the smallest error wins, and is
fitted already. Folds are left out in closed form too (`folds`), groups together, and choose the ridge with the kernel.
Alignment does not even learn: the kernel most like the target wins.

Beyond some 1,100 objects candidates are compared in low rank, and only the winner is fitted exactly. What that leaves
out makes errors too large, for some kernels much more than for others, unless it is small beside the ridge. So each
candidate is also compared at half the rank: one that would beat the leader, if every doubling of the rank went on to
gain what the last one did, is compared exactly, and the leader with it: by the leave-one-out errors that one factor of
K + λI gives along with the fit, in single precision as long as the ridge is not lost there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from gramian.checks import Array
from gramian.gram.gram import Gram
from gramian.intake.batches import Batches
from gramian.kernels.algebra import Kernel
from gramian.learn.alignment import alignment
from gramian.learn.base import KernelEstimator, Method, offered_if
from gramian.learn.candidates import candidates_for
from gramian.learn.fisher import FisherDiscriminant
from gramian.learn.folds import Judgement, Question
from gramian.learn.lowrank import compares_exactly
from gramian.learn.ridge import KernelRidge, LeastSquares
from gramian.learn.sklearn_private import count_objects
from gramian.learn.weights import FeatureWeights

COMPARED = 500  # landmarks through which candidates are compared first
SQUARABLE = (1e-145, 1e150)  # targets whose mean squares, and small shares of these, are normal numbers


@dataclass(frozen=True)
class Candidate:
    """One line of a search: the parameters tried, the kernel settled on the data, the ridge, and how it did.

    `left_out` is the share of the trace of K that landmarks leave out of a score that is estimated in low rank; 0 for
    an exact one.
    """

    params: dict[str, Any]
    kernel: Kernel
    ridge: float | None
    score: float
    left_out: float = 0.0


@dataclass(eq=False)
class Tried:
    """A candidate on its way: what was found, and the question it was put to or the learner that was fitted."""

    found: Candidate
    judged: Judgement | None = None
    question: Question | None = None
    fitted: Any = None


def _passed_on(name: str) -> Callable[[Method], Method]:
    return offered_if(lambda self: hasattr(getattr(self, "best_estimator_", self.estimator), name))


class KernelSearch(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Choose a kernel, its parameters and the ridge together, by closed-form leave-one-out, by folds or by alignment.

    Parameters
    ----------
    estimator : KernelRidge, KernelClassifier or FisherDiscriminant
        With ``criterion="alignment"`` any learner with a kernel.
        With ``ridge="loo"`` the ridge is chosen anew for each candidate.
    candidates : list of kernels, or dict, optional
        Kernels to try; or a grid of parameters as in GridSearchCV, such as ``{"kernel__bandwidth": [0.5, 1, 2]}``.
        By default those that `gm.report` tries on objects of this kind: vectors, strings, documents, records of
        mixed columns; or the nodes of a graph, where the estimator's kernel is one of them. Those that cannot take
        the objects are passed over.
    criterion : "loo" or "alignment"
        The smallest leave-one-out error; or the largest centred kernel–target alignment, after which the estimator is
        fitted once.
    cv : int, splitter of scikit-learn, or iterable of pairs, optional
        Folds to leave out instead of single objects, as in `leave_fold_out`; groups are given to `fit`. The ridge is
        chosen by the same errors.

    Attributes
    ----------
    best_estimator_ : estimator
        The winner, fitted to all data; methods that are not passed on, such as `transform`, are there. With `cv` its
        `ridge` is the number that was chosen.
    best_params_, best_score_, best_index_
        Its parameters, its score (the larger the better: minus the leave-one-out error, or the alignment), its place.
    results_ : list of Candidate
        What was tried, in the order given: `params`, `kernel`, `ridge` and `score` of each, and `left_out`, which is
        above 0 where the score is an estimate in low rank.

    Raises
    ------
    TypeError, ValueError
        In `fit`: if a candidate that was given cannot take the objects, with what it says of them.

    See Also
    --------
    alignment : how well a kernel fits a target
    leave_fold_out : closed-form cross-validation
    KernelRidge : ridge regression

    Notes
    -----
    Candidates do not share distances, though Gaussians of several bandwidths could: distances take 7 % of a search.

    Beyond n = 1,100 a score that is not an estimate is that of one factorization, which for ridges that single
    precision can tell from 0 is right to a few percent at worst, to a thousandth as a rule; for Fisher's discriminant
    squared distances are a part in the size of a class off. `loo_error_` of the winner has all digits.

    Cost: That of one decomposition, O(n³) up to n = 1,100, for each candidate; beyond, candidates are compared through
    500 landmarks, O(n · 500²), and those that are close to the best by a fit and one factorization each.

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
    >>> words = gm.KernelSearch(gm.KernelClassifier(), cv=2).fit(["abab", "baab", "cdcd", "dccd"], [0, 0, 1, 1])
    >>> len(words.results_), words.best_estimator_.kernel_
    (6, (Spectrum(length=2) + 1).normalize())
    """

    best_estimator_: Any
    best_params_: dict[str, Any]
    best_score_: float
    best_index_: int
    results_: list[Candidate]

    def __init__(
        self,
        estimator: Any,
        candidates: Sequence[Kernel] | Mapping[str, Sequence[Any]] | None = None,
        criterion: Literal["loo", "alignment"] = "loo",
        cv: Any = None,
    ) -> None:
        self.estimator = estimator
        self.candidates = candidates
        self.criterion = criterion
        self.cv = cv

    def fit(self, X: Any, y: Any, groups: Any = None, **fit_params: Any) -> Self:
        """Try every candidate on all the data and keep the best.

        Parameters
        ----------
        X : objects that the kernels accept
        y : array
            Labels or numbers.
        groups : array of shape (n,), optional
            For a `cv` that keeps groups together.
        **fit_params
            Passed to the estimator's `fit`, such as `sample_weight`.
        """
        if self.criterion not in ("loo", "alignment"):
            raise ValueError(f"criterion is {self.criterion!r}; 'loo' or 'alignment' expected")
        if self.cv is not None and self.criterion == "alignment":
            raise ValueError("cv leaves out folds, and alignment learns nothing: criterion='loo' expected with it")
        if groups is not None and self.cv is None:
            raise ValueError("groups are for folds that keep them together: KernelSearch(..., cv=GroupKFold(5))")
        if isinstance(X, Gram):
            raise TypeError("a Gram has one kernel, and there is nothing to choose: pass the objects themselves")
        if isinstance(self.estimator, KernelRidge):
            _require_squares(y)
        tried = self._compared(X, y, groups, fit_params)
        _confirm(tried, lambda one: self._fitted(one.found.params, X, y, fit_params))
        self.best_index_ = int(np.argmax([one.found.score for one in tried]))
        best = tried[self.best_index_]
        if self.cv is not None and best.question is not None and best.found.left_out > 0:
            best.found = replace(best.found, ridge=best.question.judged().ridge)  # through as many as a fit takes
        self.results_ = [one.found for one in tried]
        self.best_params_, self.best_score_ = best.found.params, best.found.score
        ridge = None if self.cv is None else best.found.ridge
        self.best_estimator_ = best.fitted or self._learner(best.found.params, ridge).fit(X, y, **fit_params)
        return self

    def _learner(self, params: dict[str, Any], ridge: float | None = None) -> Any:
        learner = clone(self.estimator).set_params(**params)
        return learner if ridge is None else learner.set_params(ridge=ridge)

    def _fitted(self, params: dict[str, Any], X: Any, y: Any, fit_params: dict[str, Any]) -> tuple[Any, Candidate]:
        """Fit to one candidate, and compute the leave-one-out error along the way."""
        learner = self._learner(params)
        learner._compared = True
        fitted = learner.fit(X, y, **fit_params)
        found = _by_leave_one_out(params, fitted)
        learner._forget("_compared", "_compared_error")
        return fitted, found

    def _compared(self, X: Any, y: Any, groups: Any, fit_params: dict[str, Any]) -> list[Tried]:
        """Return all candidates; of a list that is not the user's, those that can take the objects."""
        if self.candidates is not None:
            return [self._judge(params, X, y, groups, fit_params) for params in self._given()]
        found, refused = [], ValueError("no kernel is known for objects of this kind: give candidates")
        for kernel in candidates_for(X, getattr(self.estimator, "kernel", None)):
            try:
                found.append(self._judge({"kernel": kernel}, X, y, groups, fit_params))
            except (ValueError, ArithmeticError) as error:  # numbers overflow, or an image has no length
                refused = error if isinstance(error, ValueError) else ValueError(str(error))
        if not found:
            raise refused
        return found

    def _given(self) -> list[dict[str, Any]]:
        if isinstance(self.candidates, Mapping) and self.candidates:
            return list(ParameterGrid(dict(self.candidates)))
        if isinstance(self.candidates, Sequence | np.ndarray) and len(self.candidates):
            return [{"kernel": kernel} for kernel in self.candidates]
        raise ValueError("candidates are a non-empty list of kernels, or a dict such as {'kernel__bandwidth': [1, 2]}")

    def _judge(self, params: dict[str, Any], X: Any, y: Any, groups: Any, fit_params: dict[str, Any]) -> Tried:
        learner = self._learner(params)
        if self.criterion == "alignment":
            return Tried(_by_alignment(params, learner, X, y))
        if self.cv is None and not _asked_in_low_rank(learner, X):
            fitted = learner.fit(X, y, **fit_params)
            return Tried(_by_leave_one_out(params, fitted), fitted=fitted)
        question = Question.of(learner, X, y, self.cv, groups, **fit_params)
        judged = question.judged(COMPARED)
        kernel = question.learner.kernel_
        found = Candidate(params, kernel, judged.ridge, -judged.error, judged.left_out)
        return Tried(found, judged, question)

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

    @_passed_on("feature_weights")
    def feature_weights(self, names: Sequence[str] | None = None, top: int | None = None) -> FeatureWeights:
        """Return what the winner goes by, feature by feature."""
        check_is_fitted(self)
        found: FeatureWeights = self.best_estimator_.feature_weights(names, top)
        return found

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


def _require_squares(y: Any) -> None:
    """Refuse targets whose squares, by which candidates are compared, overflow or vanish."""
    largest = 0.0
    with suppress(OverflowError, TypeError, ValueError):  # what is no real number is refused by the learner
        given = np.asarray(y)
        largest = 0.0 if np.iscomplexobj(given) else float(np.abs(given.astype(np.float64)).max(initial=0.0))
    if 0 < largest < np.inf and not SQUARABLE[0] <= largest <= SQUARABLE[1]:
        raise ValueError(
            f"the targets reach {largest:.1g}, and floating point does not hold mean squares of such, by which "
            "candidates are compared: divide y by a constant"
        )


def _asked_in_low_rank(learner: Any, X: Any) -> bool:
    """Tell whether a leave-one-out error is worth an estimate first: of many objects, none of them seen in low rank."""
    if isinstance(X, Batches) or not isinstance(learner, LeastSquares | FisherDiscriminant):
        return False
    one_ridge = not isinstance(learner.ridge, str) and np.ndim(learner.ridge) == 0 and learner.ridge == 0
    if one_ridge or getattr(learner, "smoother", "shrinkage") != "shrinkage" or learner.rank not in (None, "exact"):
        return False
    return not compares_exactly(count_objects(X)) and not learner._reduces(X)


def _confirm(tried: list[Tried], fit: Callable[[Tried], tuple[Any, Candidate]]) -> None:
    """Compare those exactly of which low rank does not tell which is the best; the leader is among them."""
    estimated = [one for one in tried if one.judged is not None and one.judged.left_out > 0]
    if not estimated:
        return
    leader = max(tried, key=lambda one: one.found.score)
    doubtful = [one for one in estimated if one is not leader and _may_beat(one, leader)]
    if doubtful and leader in estimated:
        doubtful.append(leader)
    for one in doubtful:
        _answer_exactly(one, fit)


def _may_beat(one: Tried, leader: Tried) -> bool:
    """Tell whether a candidate would beat the leader by more than chance if rank went on to help it as it did."""
    assert one.judged is not None
    chance = 0.0
    if leader.judged is not None:
        gaps = one.judged.losses - leader.judged.losses
        chance = float(gaps.std() / np.sqrt(len(gaps)))
    return one.judged.hoped < -leader.found.score - chance


def _answer_exactly(one: Tried, fit: Callable[[Tried], tuple[Any, Candidate]]) -> None:
    """Put the exact error at the ridge that was chosen in the place of an estimate."""
    assert one.judged is not None
    assert one.question is not None
    if one.question.folds is None:
        one.fitted, one.found = fit(one)
    else:
        one.judged = one.question.exactly(one.question.judged())
        one.found = replace(one.found, ridge=one.judged.ridge, score=-one.judged.error, left_out=one.judged.left_out)


def _by_alignment(params: dict[str, Any], learner: Any, X: Any, y: Any) -> Candidate:
    if not isinstance(learner, KernelEstimator):
        raise TypeError(f"{type(learner).__name__} has no kernel to choose: take a learner of gramian")
    gram, target, task = learner.question(X, y)
    return Candidate(params, learner.kernel_, None, alignment(gram, target, task))


def _by_leave_one_out(params: dict[str, Any], fitted: Any) -> Candidate:
    if (error := getattr(fitted, "_compared_error", None)) is not None:
        return Candidate(params, fitted.kernel_, float(fitted.ridge_), -float(error))
    if not hasattr(fitted, "loo_error_"):
        raise TypeError(
            f"{type(fitted).__name__} has no leave-one-out error in closed form: take KernelRidge, KernelClassifier, "
            "FisherDiscriminant or ParzenClassifier, or criterion='alignment'"
        )
    ridge = float(fitted.ridge_) if hasattr(fitted, "ridge_") else None
    left_out = max(float(fitted.trace_error_), float(getattr(fitted, "_unseen", 0.0)))  # the latter known by now
    return Candidate(params, fitted.kernel_, ridge, -float(fitted.loo_error_), left_out)
