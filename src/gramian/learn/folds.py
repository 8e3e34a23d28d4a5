"""Leaving folds out: what a model says of objects when it has learnt from all but them and their companions.

Objects that come in groups (of one patient, one day, one plate) are not predicted honestly from one another, and
leave-one-out errors are too good for them; whole groups have to be left out. Like leave-one-out, that takes no new fit.

Least squares. With the smoother H the residuals of a fold are (I − H)_SS⁻¹ (z − H z)_S (`Smoother.without`): one
decomposition of K serves all folds, targets and ridges.

Fisher's discriminant. Objects are put into coordinates once, C Cᵀ = K, in which the means and scatters of the classes
without a fold are known (`fisher_folds`).

Both are equal to fits without the fold, with a kernel that is settled on all objects. Beyond 1,000 objects without few
explicit features ridges are compared in low rank, through landmarks, and answers computed exactly at the ridge that was
chosen, as long as K can be held.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from math import log2
from typing import Any, ClassVar

import numpy as np
import scipy.linalg
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv

from gramian.checks import Array
from gramian.factor.solve import Map, ridged_factor, takes_features
from gramian.factor.spectrum import Spectrum, coordinates, spectrum
from gramian.gram.gram import Gram
from gramian.intake.batches import Batches
from gramian.learn.base import named
from gramian.learn.classifier import KernelClassifier
from gramian.learn.discriminant import decided
from gramian.learn.fisher import FisherDiscriminant, place_of_best, unseen_ridge
from gramian.learn.fisher_folds import fold_scores
from gramian.learn.fisher_loo import LeaveOneOut
from gramian.learn.lowrank import DEFAULT_RANK, compares_exactly, given_rank
from gramian.learn.path import Smoother
from gramian.learn.ridge import CRITERIA, LeastSquares
from gramian.learn.ridges import fixed_ridge, ridge_grid, rounding
from gramian.learn.sample_weights import checked_weights
from gramian.learn.sklearn_private import count_objects
from gramian.runtime.threads import aside

BESIDE = 0.1  # of a ridge, what is left out of eigenvalues may be without mattering
LOST = 1e-12  # share of the largest eigenvalue of a scatter below which one has no digits


@dataclass(frozen=True, eq=False)
class FoldErrors:
    """What models learnt without a fold say of it, every fold left out in turn.

    Attributes
    ----------
    ridges, errors : arrays
        The ridges that were compared, and the error of each by which one was chosen: the mean squared residual, for
        Fisher's discriminant the share of mistakes.
    ridge : float
        The one with the smallest error.
    error : float
        At this ridge: the mean squared residual for numbers, the share of mistakes for classes; weighted where the
        objects are.
    decision : array of shape (n,) or (n, t)
        What the model without an object's fold says of the object: predictions for numbers, the decision function for
        classes.
    predicted : array
        The same as labels, for classes.
    folds : tuple of arrays
        The places of the objects of each fold.
    left_out : float
        The share of the trace of K that landmarks leave out of `decision`; 0 for an exact answer.

    See Also
    --------
    leave_fold_out : closed-form cross-validation
    RidgePath : errors and degrees of freedom at many ridges

    Notes
    -----
    Cost: memory for O(n) numbers for each function, and one for each ridge.

    Examples
    --------
    >>> import gramian as gm
    >>> model = gm.KernelRidge(gm.Linear(), ridge=[0.1, 1.0])
    >>> found = gm.leave_fold_out(model, [[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0], cv=3)
    >>> found.errors.round(3), found.ridge
    (array([0.374, 0.159]), 1.0)
    """

    ridges: Array
    errors: Array
    ridge: float
    error: float
    decision: Array
    predicted: Array
    folds: tuple[Array, ...]
    left_out: float = 0.0


@dataclass(frozen=True, eq=False)
class Judgement:
    """How a model does at its best ridge.

    `losses` are those of the objects, of which `error` is the mean; `hoped` is what the error were if it went on
    falling with the rank as it did from half of it, and `error` itself for an exact one.
    """

    ridges: Array
    errors: Array
    ridge: float
    error: float
    losses: Array
    values: Array
    hoped: float
    left_out: float = 0.0


def leave_fold_out(
    model: Any, X: Any, y: Any, cv: Any = 5, groups: Any = None, sample_weight: Any = None
) -> FoldErrors:
    """Return what a model says of each fold when it is fitted to all the others, in closed form, at its best ridge.

    It is what fits to the other folds say, with a kernel that is settled on all objects (``bandwidth="median"``); for
    every ridge of the grid from one decomposition, O(n³) up to some 1,100 objects. The ridge is chosen by these same
    errors, which are a little too good for it: for an honest error of the choice itself use scikit-learn's
    `cross_val_score`.

    Parameters
    ----------
    model : KernelRidge, KernelClassifier or FisherDiscriminant
        It is not fitted, and a fitted one is left as it is.
    X : objects that the kernel accepts, or their symmetric Gram
    y : array
        Numbers or labels.
    cv : int, splitter of scikit-learn, or iterable of pairs
        The folds, stratified for a classifier. Each object must be in one of them exactly, and learnt from in all
        others.
    groups : array of shape (n,), optional
        For splitters that keep groups together, such as `GroupKFold`.
    sample_weight : array of shape (n,), optional
        Weights of the objects, for regression and least squares.

    Returns
    -------
    FoldErrors

    Raises
    ------
    ValueError
        Without a ridge, for a projection, and where a class has no members outside a fold.

    See Also
    --------
    FoldErrors : what `leave_fold_out` answers
    RidgePath : errors and degrees of freedom at many ridges
    KernelSearch : choose a kernel and its parameters

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> found = gm.leave_fold_out(gm.FisherDiscriminant(), flowers.data, flowers.target, cv=10)
    >>> round(found.error, 3), found.predicted[:3]
    (0.007, array([0, 0, 0]))
    """
    asked = Question.of(model, X, y, cv, groups, sample_weight)
    return asked.answer(asked.judged())


class Question(ABC):
    """A model whose kernel is settled on a sample, and the folds to be left out of it; None for every object alone."""

    takes_weights: ClassVar[bool] = False
    learner: Any
    folds: tuple[Array, ...] | None

    def __init__(self, learner: Any, folds: tuple[Array, ...] | None) -> None:
        self.learner, self.folds = learner, folds

    @staticmethod
    def of(model: Any, X: Any, y: Any, cv: Any, groups: Any = None, sample_weight: Any = None) -> Question:
        """Settle a clone of a model on a sample; without `cv` every object is left out alone."""
        learner = clone(model)
        kinds: dict[type, type[Question]] = {LeastSquares: OfLeastSquares, FisherDiscriminant: OfFisher}
        kind = next((kind for cls, kind in kinds.items() if isinstance(learner, cls)), None)
        if kind is None:
            raise TypeError(
                f"{type(model).__name__} has no errors in closed form: take KernelRidge, KernelClassifier or "
                "FisherDiscriminant"
            )
        if isinstance(X := learner._source(X), Batches):
            raise TypeError("batches cannot be put into folds: pass the objects themselves")
        if sample_weight is not None and not kind.takes_weights:
            raise TypeError(f"{type(model).__name__} takes no sample_weight")
        folds = None if cv is None else folds_of(cv, X, y, groups, is_classifier(learner))
        learner._check_settings()
        return kind.posed(learner, X, y, sample_weight, folds)

    @classmethod
    @abstractmethod
    def posed(cls, learner: Any, X: Any, y: Any, weights: Any, folds: tuple[Array, ...] | None) -> Question:
        """Settle a learner on a sample."""

    @abstractmethod
    def judged(self, most: int = DEFAULT_RANK) -> Judgement:
        """Compare all ridges: exactly, or where that would take longer through so many landmarks."""

    @abstractmethod
    def exactly(self, judged: Judgement) -> Judgement:
        """Return the judgement with the answers at its ridge computed exactly, as long as that is affordable."""

    @abstractmethod
    def labels(self, values: Array) -> Array:
        """Return what is predicted where the functions have these values."""

    def answer(self, judged: Judgement) -> FoldErrors:
        """Return all that is known at the best ridge."""
        assert self.folds is not None
        found = self.exactly(judged)
        predicted = self.labels(found.values)
        return FoldErrors(
            found.ridges, found.errors, found.ridge, found.error, found.values, predicted, self.folds, found.left_out
        )

    @cached_property
    def gram(self) -> Gram:
        """The Gram of the sample."""
        found: Gram = self.learner.sample_.gram()
        return found

    def rank(self, most: int) -> int | None:
        """Return through how many landmarks ridges are compared; None where they are compared exactly."""
        if takes_features(self.gram, getattr(self.learner, "solver", "auto")):
            return None
        return given_rank(self.learner.rank) or (None if compares_exactly(len(self.gram)) else most)

    def answerable(self, judged: Judgement) -> bool:
        """Tell whether folds that were compared in low rank are to be, and can be, answered exactly."""
        by_landmarks = given_rank(self.learner.rank) is not None
        return self.folds is not None and judged.left_out > 0 and not by_landmarks and self.gram.can_hold()

    def grid(self, largest: float, noise: float) -> Array:
        """Return the ridges to compare: those that `fit` compares, or the one that is given."""
        given = fixed_ridge(self.learner.ridge, CRITERIA)
        if given == 0:
            raise ValueError("there is no leave-fold-out error in closed form without a ridge: give a ridge above 0")
        return ridge_grid(self.learner.ridge, largest, noise) if given is None else np.array([given])


def folds_of(cv: Any, X: Any, y: Any, groups: Any, classes: bool) -> tuple[Array, ...]:
    """Return the places of the objects of each fold of a splitter, which must part them."""
    n = count_objects(X)
    found, times = [], np.zeros(n, dtype=np.intp)
    for train, test in check_cv(cv, y, classifier=classes).split(np.zeros(n), y, groups):
        fold = np.flatnonzero(test) if np.asarray(test).dtype == bool else np.asarray(test)
        learnt = np.setdiff1d(np.arange(n), fold)
        given = np.flatnonzero(train) if np.asarray(train).dtype == bool else np.sort(np.asarray(train))
        if not np.array_equal(learnt, given):
            raise ValueError(
                f"a split learns from {len(given)} objects and leaves out {len(fold)} of {n}: in closed form all "
                "others are learnt from; take folds, such as KFold or GroupKFold, or cross_val_score"
            )
        times[fold] += 1
        found.append(fold)
    if (times != 1).any():
        raise ValueError(
            f"object {int(np.argmax(times != 1))} is left out {int(times[times != 1][0])} times; each is to be in one "
            "fold exactly: take splitters such as KFold or GroupKFold, without repetition"
        )
    return tuple(found)


class OfLeastSquares(Question):
    """Folds left out of a ridge regression, on numbers or on classes told as numbers."""

    takes_weights = True
    learner: LeastSquares

    @classmethod
    def posed(cls, learner: Any, X: Any, y: Any, weights: Any, folds: tuple[Array, ...] | None) -> Question:
        if learner.smoother != "shrinkage":
            raise ValueError(
                "a projection chooses its directions anew without a fold, and has no closed form for that: take "
                "smoother='shrinkage', or cross_val_score"
            )
        if isinstance(learner, KernelClassifier):
            labels = learner._flat(y)
            learner._settle_classes(labels)
            require_members(labels, folds, 1)
        weights = checked_weights(weights, X)
        for fold in folds or ():
            if not np.delete(np.ones(count_objects(X)) if weights is None else weights, fold).any():
                raise ValueError("no object outside of a fold has a weight above 0: there is nothing to learn from")
        shape = learner._pose(X, y, weights).shape[1:]
        return cls(learner, folds, shape)

    def __init__(self, learner: LeastSquares, folds: tuple[Array, ...] | None, shape: tuple[int, ...]) -> None:
        super().__init__(learner, folds)
        self.shape = shape
        self.problem = learner._problem
        self.lens, self.border = self.problem.lens(), self.problem.border()
        given = self.problem.weights
        self.weights = np.ones(len(self.problem.Y)) if given is None else given

    def judged(self, most: int = DEFAULT_RANK) -> Judgement:
        if (rank := self.rank(most)) is None:
            return self._at_best(spectrum(self.gram.double(), self.lens, self.learner.solver), 0.0)
        F, left_out = coordinates(self.gram, rank)
        rho = left_out * float(self.gram.rough_diag().mean(dtype=np.float64)) * float(self.weights.mean())
        whole, half = (self._at_best(directions(self.lens.S(F[:, :m]), left_out), rho) for m in (rank, rank // 2))
        return in_low_rank(whole, half, left_out, rho, rank)

    def _smoother(self, found: Spectrum, Y: Array) -> Smoother:
        return Smoother(found, self.lens.S(Y), self.border, "shrinkage")

    def _at_best(self, found: Spectrum, rho: float) -> Judgement:
        """Compare all ridges; what is left of K, rho, acts as one more: see `LeastSquares._choose_in_low_rank`."""
        smoother = self._smoother(found, self.problem.Y)
        largest = float(found.values.max(initial=0.0))
        ridges = self.grid(largest, rounding(self.gram, largest, 1 if found.left_out == 0 else len(self.gram)))
        total, count = self.problem.totals()
        if self.folds is None:
            path = smoother.path(ridges + rho, total, count)
            by_gcv = isinstance(self.learner.ridge, str) and self.learner.ridge == "gcv"
            errors = path.gcv if by_gcv else path.loo
            best = int(np.argmin(errors))
            residuals = smoother.at(float(ridges[best]) + rho).loo
        else:
            left = np.empty((len(ridges), *self.problem.Y.shape))
            for fold in self.folds:
                left[:, fold] = smoother.without(fold, ridges + rho)
            errors = np.square(left).sum(axis=(1, 2)) / total
            best = int(np.argmin(errors))
            residuals = left[best]
            lam = float(ridges[best]) + rho
            self._fill(residuals, lambda Y: self._smoother(found, Y).coefficients(lam))
        return self._judgement(ridges, errors * self.learner._unit * self.learner._unit, float(ridges[best]), residuals)

    def exactly(self, judged: Judgement) -> Judgement:
        """Take the residuals of folds from the inverse of S K Sᵀ + λI itself."""
        if not self.answerable(judged):
            return judged
        lam, A = judged.ridge, self.lens.around(self.gram.dense().astype(np.float64, copy=False))
        factor, lower = ridged_factor(A, lam)
        inverse, _ = aside(lambda: scipy.linalg.lapack.dpotri(factor, lower=lower, overwrite_c=True))
        inverse = np.tril(inverse) + np.tril(inverse, -1).T

        def solved(Y: Array) -> Array:
            return np.asarray(inverse @ self.lens.S(Y))

        c, residuals = solved(self.problem.Y), np.empty_like(self.problem.Y)
        for fold in self.folds or ():
            left = lam * inverse[np.ix_(fold, fold)]
            if self.border is not None:
                left -= np.outer(self.border[fold], self.border[fold])
            residuals[fold] = np.linalg.solve(left, lam * c[fold])
        self._fill(residuals, solved)
        return self._judgement(judged.ridges, judged.errors, lam, residuals)

    def _fill(self, residuals: Array, solved: Map) -> None:
        """Put in the residuals of objects without weight, which the others' do not tell.

        A fit without a fold is the fit to targets in which those of the fold are replaced by what it says of them.
        """
        for fold in self.folds or ():
            absent, present = fold[self.weights[fold] == 0], fold[self.weights[fold] > 0]
            if len(absent):
                Y = self.problem.Y.copy()
                Y[present] -= residuals[present] / np.sqrt(self.weights[present])[:, None]
                Ka = self.gram.apply(self.lens.St(solved(Y)))
                b = np.average(Y - Ka, axis=0, weights=self.weights) if self.border is not None else 0.0
                residuals[absent] = (Y - Ka - b)[absent]

    def _judgement(self, ridges: Array, errors: Array, ridge: float, residuals: Array) -> Judgement:
        """Return what residuals say, which are seen through the weights where objects have one."""
        learner, Y = self.learner, self.problem.Y
        left = residuals / np.sqrt(np.where(self.weights > 0, self.weights, 1.0))[:, None]
        values = (Y - left).reshape(len(Y), *self.shape)
        if isinstance(learner, KernelClassifier):
            losses = (decided(values) != decided(Y.reshape(values.shape))).astype(np.float64)
        else:
            losses = np.square(learner._unit * left).mean(axis=1)
        error = float(np.average(losses, weights=self.weights))
        return Judgement(ridges, errors, ridge, error, losses, learner._unit * values, error)

    def labels(self, values: Array) -> Array:
        learner = self.learner
        return learner.classes_[decided(values)] if isinstance(learner, KernelClassifier) else values


class OfFisher(Question):
    """Folds left out of Fisher's discriminant."""

    learner: FisherDiscriminant

    @classmethod
    def posed(cls, learner: Any, X: Any, y: Any, weights: Any, folds: tuple[Array, ...] | None) -> Question:
        learner._learn_sample(X)
        labels = learner._classes(y)
        learner._check_sizes(np.bincount(labels))
        require_members(learner.classes_[labels], folds, 2)
        return cls(learner, folds, labels)

    def __init__(self, learner: FisherDiscriminant, folds: tuple[Array, ...] | None, labels: Array) -> None:
        super().__init__(learner, folds)
        self.classes = labels

    def judged(self, most: int = DEFAULT_RANK) -> Judgement:
        rank = self.rank(most)
        points, left_out = coordinates(self.gram, rank)
        if rank is None:
            return self._at_best(points, 0.0)
        rho = unseen_ridge(self.gram, left_out, len(self.learner.classes_))
        whole, half = (self._at_best(points[:, :m], rho) for m in (rank, rank // 2))
        return in_low_rank(whole, half, left_out, rho, rank)

    def _at_best(self, points: Array, rho: float) -> Judgement:
        """Compare all ridges; those far below rho, as which what is left out of K acts, cannot be told apart."""
        alone, folds = LeaveOneOut.of_points(points, self.classes), self.folds
        ridges = self.grid(alone.largest, rounding(self.gram, alone.largest))
        scores = alone.scores(ridges) if folds is None else fold_scores(points, self.classes, folds, ridges)
        errors = np.mean(scores.argmax(axis=2) != self.classes, axis=1)
        best = place_of_best(ridges, errors, rho)
        return self._judgement(ridges, errors, float(ridges[best]), scores[best])

    def exactly(self, judged: Judgement) -> Judgement:
        """Fit to all objects but those of each fold in turn, at the ridge that was chosen."""
        if not self.answerable(judged):
            return judged
        learner, rows = self.learner, self.gram.rows
        scores = np.empty((len(rows), len(learner.classes_)))
        for fold in self.folds or ():
            others = np.setdiff1d(np.arange(len(rows)), fold)
            one = clone(learner).set_params(ridge=judged.ridge, rank="exact")
            one.fit(Gram(learner.kernel_, rows[others], memory=self.gram.memory), self.classes[others])
            values = one.decision_function(Gram(learner.kernel_, rows[fold], memory=self.gram.memory))
            scores[fold] = np.column_stack([-values / 2, values / 2]) if values.ndim == 1 else values
        return self._judgement(judged.ridges, judged.errors, judged.ridge, scores)

    def _judgement(self, ridges: Array, errors: Array, ridge: float, scores: Array) -> Judgement:
        losses = (scores.argmax(axis=1) != self.classes).astype(np.float64)
        values = scores if scores.shape[1] > 2 else scores[:, 1] - scores[:, 0]
        return Judgement(ridges, errors, ridge, float(losses.mean()), losses, values, float(losses.mean()))

    def labels(self, values: Array) -> Array:
        places = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        return np.asarray(self.learner.classes_[places])


def directions(F: Array, left_out: float) -> Spectrum:
    """Return the spectrum of F Fᵀ by way of FᵀF, for estimates: it leaves out directions that have no digits then."""
    values, V = aside(lambda: np.linalg.eigh(F.T @ F))
    kept = values > LOST * max(float(values[-1]), 0.0)
    values, V = values[kept][::-1], V[:, kept][:, ::-1]
    return Spectrum(values, F @ (V / np.sqrt(values)), left_out)


def in_low_rank(whole: Judgement, half: Judgement, left_out: float, rho: float, rank: int) -> Judgement:
    """Return a judgement with what is to be hoped of more rank, from one at half the rank.

    If every doubling took as large a share of the error as the last one did, it would be `hoped` at rank n. Where rho,
    what is left out of an eigenvalue, is small beside the ridge, there is nothing to be gained.
    """
    doublings = log2(max(len(whole.losses) / rank, 1.0)) if rho > BESIDE * whole.ridge else 0.0
    share = min(whole.error / half.error, 1.0) if half.error > 0 else 1.0
    return replace(whole, hoped=whole.error * share**doublings, left_out=left_out)


def require_members(labels: Array, folds: tuple[Array, ...] | None, least: int) -> None:
    """Refuse folds outside of which a class has too few members to be learnt."""
    values, places = np.unique(labels, return_inverse=True)
    sizes = np.bincount(places)
    for number, fold in enumerate(folds or ()):
        rest = sizes - np.bincount(places[fold], minlength=len(sizes))
        if rest.min() < least:
            counted = f"{int(rest.min())} member{'' if rest.min() == 1 else 's'}"
            raise ValueError(
                f"class {named(values[int(np.argmin(rest))])} has {counted} outside of fold {number}; "
                f"at least {least} expected: take fewer folds, or such that keep the classes apart less"
            )
