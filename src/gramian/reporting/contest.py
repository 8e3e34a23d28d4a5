"""Kernel learners against plain baselines, all on the same folds of a cross-validation, and who won.

Every model sees only the objects of the other folds: its kernel is chosen among the candidates and settled, and its
ridge chosen, on them alone, by the rule that divides the folds (`splits`). (The candidates themselves, the bandwidths
that are tried, come from all objects, without their targets.) Classes of fewer than `LEAST` objects take no part: a
fold could leave one of them alone.

Models are compared object by object. The mean difference of two losses has the variance of independent differences
times 1 + Σ m/ℓ over the folds, of ℓ objects to learn from and m to predict, for all folds learn from much the same
objects (Nadeau & Bengio 2003). Who is not worse than the best beyond that error is as good, unless it is worse at so
many objects that a few outliers alone can hide it. What no model does better than the most frequent class, or the mean,
is no signal; a weak one in numbers shows first in the ranks of what is predicted.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gramian.checks import Array
from gramian.explain.related import rank_correlations
from gramian.kernels.algebra import Kernel
from gramian.learn.classifier import KernelClassifier
from gramian.learn.fisher import FisherDiscriminant
from gramian.learn.folds import leave_fold_out
from gramian.learn.parzen import ParzenClassifier
from gramian.learn.ridge import KernelRidge
from gramian.reporting import plain
from gramian.reporting.candidates import SAMPLE, choose, indicators
from gramian.reporting.measures import (
    Difference,
    associated,
    beyond,
    oftener,
    paired,
    root_mean_square,
    standard_error,
)
from gramian.reporting.splits import INNER, Fold, Splits
from gramian.reporting.study import RANK, Study
from gramian.runtime.progress import task
from gramian.runtime.threads import beside, cores
from gramian.space.vectors import FeatureSpace

JUDGED = 50_000  # objects that take part, at most
QUICK, QUICK_FOLDS = 1500, 3  # where a quick answer is wanted: objects at most, and folds
JUDGED_WALKS = 600  # where each needs a walk through a large graph
REPEATED = 500  # objects up to which the cross-validation is repeated
REPEATS = 3
FOLDS = 5
LEAST = 3  # objects of a class
EXACT = 3000  # objects up to which models are fitted exactly
RANKS = ((20_000, 1000), (JUDGED, RANK))  # landmarks beyond, for so many objects at most
RIDGES = tuple(10.0**k for k in range(-7, 1))  # of Fisher discriminants, in units of the total variance
CHOSEN_BY = 600  # objects by which kernel and ridge are chosen where some belong together
FALSE = 0.05  # of data without a signal, where one is claimed
RANKED = 0.015  # of one model whose ranks are asked; of five that learn from noise, measured, together no more than so
OFTEN = 0.005  # how often chance would make a model of numbers, worse on average, worse at as many objects
MUCH = 1.2  # times the loss that it has then at least
UNEQUAL = 1.5  # how much more objects the largest class has than the smallest, from which on classes are unequal
CLEAR = 0.2  # of the error that is made without looking at the objects: a signal that removes less is weak
TRIVIAL, KERNEL = "trivial", "kernel"


class Answer(NamedTuple):
    """What a model says of some rows, the share of all squared lengths that its landmarks do not see, and its time."""

    predicted: Array
    left_out: float = 0.0
    seconds: float = 0.0


Predict = Callable[[Kernel, Array, Array, Array], Answer]  # kernel, rows to learn from, their targets, rows to predict
Model = Callable[[Kernel, Array, Array], Any]  # kernel, rows to learn from, their targets


@dataclass(frozen=True)
class Score:
    """The share of right classes, or the root mean squared error, at objects not seen; and its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class Entrant:
    """A model that takes part; `formula` is that of kernel learners, None for baselines, whose family `plain` names.

    `model` makes an estimator of the objects as they are, to be fitted; None where there is none.
    """

    name: str
    formula: str | None
    predict: Predict
    family: str = KERNEL
    model: Model | None = None


ARTICLES = {
    "Fisher discriminant": "the",
    "nearest centre (Parzen)": "the",
    "random forest": "a",
    "vote of the neighbours": "the",
}
PLURALS = ("gradient-boosted trees", "nearest neighbours", "nearest neighbours on tf-idf")


def called(name: str) -> str:
    """Return the name of a model as a sentence has it.

    Examples
    --------
    >>> called("random forest"), called("kernel ridge regression")
    ('a random forest', 'kernel ridge regression')
    """
    return f"{ARTICLES[name]} {name}" if name in ARTICLES else name


def verb(name: str, one: str, several: str) -> str:
    """Return the name of a model as the subject of a sentence, with the verb that goes with it.

    Examples
    --------
    >>> verb("gradient-boosted trees", "is", "are"), verb("Fisher discriminant", "is", "are")
    ('gradient-boosted trees are', 'the Fisher discriminant is')
    """
    return f"{called(name)} {several if name in PLURALS else one}"


def unseen(name: str) -> str:
    """Return what a model is judged by.

    Examples
    --------
    >>> unseen("nearest neighbours"), unseen("random forest")
    ('objects they have not seen', 'objects it has not seen')
    """
    return f"objects {'they have' if name in PLURALS else 'it has'} not seen"


class Signal(NamedTuple):
    """How much of the target can be told: "none", "weak" or "clear", by which entrant, and what share of the error."""

    level: str
    entrant: int | None
    removed: float
    balanced: bool = False  # whether only the mean share of each class that is found tells it
    ranked: bool = False  # whether only the ranks of what is predicted tell it


@dataclass(frozen=True, eq=False)
class Contest:
    """What came out: for every entrant its predictions of every row in each repetition, and its score.

    `learnt` are all rows that took part, of which the first block of time is not predicted. `unit` are the objects that
    belong together, and `factor` is what the variance of a difference is larger by for the folds' sake. `aside` are
    classes that took no part; `landmarks` is None where all was exact, and `left_out` the largest share of all squared
    lengths that landmarks did not see. `cut` are the folds of the first repetition, in places of `learnt`. `seconds` is
    what each entrant took in a fold on average, by the clock.
    """

    rows: Array
    y: Array
    entrants: tuple[Entrant, ...]
    predicted: list[Array]
    scores: list[Score]
    repeats: int
    folds: int
    landmarks: int | None
    left_out: float
    aside: tuple[str, ...]
    learnt: Array
    unit: Array
    factor: float
    cut: tuple[Fold, ...] = ()
    seconds: tuple[float, ...] = ()

    @property
    def numbers(self) -> bool:
        """Whether the target holds numbers."""
        return bool(self.y.dtype.kind == "f")

    @property
    def order(self) -> list[int]:
        """All entrants, the best first."""
        sign = 1 if self.numbers else -1
        return sorted(range(len(self.entrants)), key=lambda k: sign * self.scores[k].value)

    @property
    def best(self) -> int:
        """The best of the kernel learners."""
        return next(k for k in self.order if self.entrants[k].formula)

    @property
    def first(self) -> int:
        """The best of all, by however little."""
        return self.order[0]

    @property
    def trivial(self) -> int:
        """The one that does not look at the objects."""
        return next(k for k, one in enumerate(self.entrants) if one.family == TRIVIAL)

    @property
    def best_baseline(self) -> int:
        """The best of those that look at the objects and are no kernel learners."""
        return next(k for k in self.order if self.entrants[k].family not in (KERNEL, TRIVIAL))

    @cached_property
    def losses(self) -> list[Array]:
        """For every entrant the share of mistakes at each object, or the squared error, over the repetitions."""
        if self.numbers:
            return [np.square(one - self.y).mean(axis=0) for one in self.predicted]
        return [np.mean(one != self.y, axis=0) for one in self.predicted]

    def worse(self, one: int, other: int) -> Difference:
        """Return by how much one entrant is worse than another."""
        return paired(self.losses[one], self.losses[other], self.factor, self.unit)

    @cached_property
    def ties(self) -> list[int]:
        """The entrants that are not worse than the best beyond error, the best among them.

        Where the predictions of the best go with the truth, what does not look at the objects is none of them.
        """
        alike = [k for k in self.order if k == self.first or not self._surely_worse(k, self.first)]
        found = self.goes_with_truth(self.first)
        return [k for k in alike if k != self.trivial or found is None or not beyond(found)]

    def _surely_worse(self, one: int, other: int) -> bool:
        """Tell whether an entrant is worse than another on average, beyond the error or at clearly more objects."""
        found, least = self.worse(one, other), (MUCH - 1) * float(self.losses[other].mean())
        if beyond(found) or not self.numbers or found.value <= least:
            return beyond(found)
        return beyond(oftener(self.losses[one], self.losses[other], self.factor, self.unit), OFTEN)

    def goes_with_truth(self, k: int) -> Difference | None:
        """Return by how much the predictions of numbers go with the truth; None where that cannot be told.

        In time, the past and what follows may drift together without anything being told.
        """
        if not self.numbers or not self.cut or len(self.rows) < len(self.learnt):
            return None
        folds = [np.searchsorted(self.rows, self.learnt[fold.test]) for fold in self.cut]
        return associated(self.y, self.predicted[k][0], folds, self.unit)

    @property
    def winner(self) -> int | None:
        """The entrant that is better than all others beyond error; None where several are as good."""
        return self.first if len(self.ties) == 1 else None

    def rank_correlation(self, k: int) -> float:
        """Return Spearman's correlation of what an entrant predicts with the truth."""
        return float(rank_correlations(np.column_stack([self.predicted[k][0], self.y]))[0, 1])

    @property
    def unequal(self) -> bool:
        """Whether some class is much larger than another."""
        sizes = np.unique(self.y, return_counts=True)[1]
        return not self.numbers and bool(sizes.max() > UNEQUAL * sizes.min())

    def found(self, k: int) -> Array:
        """Return which share of the objects of each class an entrant finds."""
        return np.array([1 - self.losses[k][self.y == name].mean() for name in np.unique(self.y)])

    def balanced(self, k: int) -> Score:
        """Return the balanced accuracy, the mean over classes of the share found, its error widened for the folds."""
        sizes = np.unique(self.y, return_counts=True)[1]
        shares = (self.found(k) * sizes + 1) / (sizes + 2)  # a class that is found whole has an error too
        spread = float(np.sqrt((shares * (1 - shares) / sizes).sum())) / len(sizes)
        return Score(float(self.found(k).mean()), spread * float(np.sqrt(self.factor)))

    def removed(self, k: int) -> float:
        """Return the share of the error made without looking at the objects that an entrant removes."""
        nothing = float(self.losses[self.trivial].mean())
        return 1 - float(self.losses[k].mean()) / nothing if nothing > 0 else 0.0

    @property
    def numerals(self) -> bool:
        """Whether the classes are called by whole numbers."""
        return not self.numbers and all(str(name).lstrip("-").isdecimal() for name in np.unique(self.y))

    @cached_property
    def signal(self) -> Signal:
        """Whether any entrant does better than the one that does not look at the objects."""
        others = [k for k in range(len(self.entrants)) if k != self.trivial]
        ranked = {k: self.goes_with_truth(k) for k in others}
        alpha = FALSE / len(others) / (2 if self.unequal or any(ranked.values()) else 1)

        better = [k for k in others if beyond(self.worse(self.trivial, k), alpha)]
        better += [k for k, found in ranked.items() if found is not None and beyond(found, RANKED) and k not in better]
        if better:
            k = min(better, key=lambda k: float(self.losses[k].mean()))
            return Signal(
                "clear" if self.removed(k) >= CLEAR else "weak", k, self.removed(k), ranked=self.removed(k) <= 0
            )
        if self.unequal:
            chance = 1 / len(np.unique(self.y))
            each = {k: self.balanced(k) for k in others}
            freedom = len(np.unique(self.unit)) - 1
            seen = [k for k in others if beyond(Difference(each[k].value - chance, each[k].error, freedom), alpha)]
            if seen:
                k = max(seen, key=lambda k: each[k].value)
                return Signal("weak", k, self.removed(k), balanced=True)
        return Signal("none", None, 0.0)


def entrants(study: Study) -> tuple[Entrant, ...]:
    """Return the models for the task at hand."""
    data = study.data

    def rank(kernel: Kernel, train: Array) -> Any:
        return "exact" if kernel.matrix_free else landmarks(len(train)) or "exact"

    def said(model: Any, train: Array, y: Array, test: Array) -> Answer:
        fitted = model.fit(study.objects(train), y)
        return Answer(fitted.predict(study.objects(test)), float(getattr(fitted, "trace_error_", 0.0)))

    def parzen(kernel: Kernel, train: Array, y: Array) -> Any:
        return ParzenClassifier(kernel, rank=rank(kernel, train))

    def fisher(kernel: Kernel, train: Array, y: Array) -> Any:
        return FisherDiscriminant(kernel, ridge=_fisher_ridge(study, kernel, train, y), rank=rank(kernel, train))

    def ridge(kernel: Kernel, train: Array, y: Array) -> Any:
        return KernelRidge(kernel, ridge=_ridge(study, kernel, train, y), fit_intercept=True, rank=rank(kernel, train))

    def squares(kernel: Kernel, train: Array, y: Array) -> Any:
        return KernelClassifier(kernel, ridge=_ridge(study, kernel, train, indicators(y)[0]), rank=rank(kernel, train))

    def by(model: Model) -> Predict:
        return lambda kernel, train, y, test: said(model(kernel, train, y), train, y, test)

    def on_indicators(kernel: Kernel, train: Array, y: Array, test: Array) -> Answer:
        targets, classes = indicators(y)
        found = said(ridge(kernel, train, targets), train, targets, test)
        return found._replace(predicted=classes[np.argmax(found.predicted, axis=1)])

    def simplest(kernel: Kernel, train: Array, y: Array, test: Array) -> Answer:
        if data.task == "numbers":
            return Answer(np.full(len(test), y.mean()))
        values, counts = np.unique(y, return_counts=True)
        return Answer(np.full(len(test), values[np.argmax(counts)]))

    def of(baseline: plain.Baseline) -> Entrant:
        def predict(kernel: Kernel, train: Array, y: Array, test: Array) -> Answer:
            return Answer(baseline.predict(train, y, test))

        def model(kernel: Kernel, train: Array, y: Array) -> Any:
            assert baseline.model is not None
            return plain.of_objects(data, baseline.model(len(train), y))

        asked = model if baseline.model is not None and data.kind in ("vectors", "records") else None
        return Entrant(baseline.name, None, predict, baseline.family, asked)

    baselines = (
        *map(of, plain.baselines(data)),
        Entrant(
            "always the most frequent class" if data.task == "classes" else "always the mean", None, simplest, TRIVIAL
        ),
    )
    if data.task == "numbers":
        return (Entrant("kernel ridge regression", "ridge", by(ridge), model=ridge), *baselines)
    return (
        Entrant("Fisher discriminant", "fisher", by(fisher), model=fisher),
        Entrant("kernel ridge regression on indicators", "ridge", on_indicators, model=squares),
        Entrant("nearest centre (Parzen)", "parzen", by(parzen), model=parzen),
        *baselines,
    )


def _chosen_on(study: Study, rows: Array, y: Array) -> Kernel:
    """Return the kernel that would have been chosen had only these rows been there."""
    if study.given is not None or study.walks:
        return study.choice.kernel
    splits, few = _few(study, rows)
    return choose(study.data, study.candidates, None, rows[few], y[few], splits, aligned=False).kernel


def _few(study: Study, rows: Array) -> tuple[Splits, Array]:
    """Return the places of some rows by which something is chosen, and how they are divided for that."""
    kept = np.flatnonzero(np.isin(rows, study.splits.distinct(rows, study.target(rows))))
    drawn = kept[np.random.default_rng(study.seed).permutation(len(kept))[: len(study.choice.rows)]]
    splits = study.splits.of_rows(rows[drawn])
    if splits.alone:
        return splits, drawn
    return study.splits.of_rows(rows[drawn[:CHOSEN_BY]]), drawn[:CHOSEN_BY]


def _ridge(study: Study, kernel: Kernel, rows: Array, targets: Array) -> Any:
    """Return the ridge of a regression on some rows, chosen as the folds are cut."""
    if study.splits.of_rows(rows).alone or kernel.matrix_free:
        return "loo"
    splits, few = _few(study, rows)
    X = study.objects(rows[few])
    if splits.alone:
        return KernelRidge(kernel, ridge="loo", fit_intercept=True).fit(X, targets[few]).ridge_
    return splits.left_out(kernel.fit(X), X, targets[few]).ridge


def _fisher_ridge(study: Study, kernel: Kernel, rows: Array, y: Array) -> Any:
    """Return the ridges among which a Fisher discriminant chooses, or the one that is chosen as the folds are cut."""
    ridges = fisher_ridges(study, kernel, rows)
    if study.splits.of_rows(rows).alone or kernel.matrix_free:
        return ridges
    splits, few = _few(study, rows)
    values, counts = np.unique(y[few], return_counts=True)
    few = few[np.isin(y[few], values[counts > 1])]
    splits, y, rows = study.splits.of_rows(rows[few]), y[few], rows[few]
    if len(np.unique(y)) < 2:
        return ridges
    if splits.alone:
        return FisherDiscriminant(kernel, ridge=ridges).fit(study.objects(rows), y).ridge_
    cut = list(splits.cut(y, INNER, 1, study.seed))
    if splits.time is None and all(_fit_for_fisher(y, fold) for fold in cut):
        model, parted = FisherDiscriminant(kernel, ridge=ridges), [(fold.train, fold.test) for fold in cut]
        return leave_fold_out(model, study.objects(rows), y, parted).ridge
    wrong = np.zeros(len(ridges))
    for fold in cut:
        if len(np.unique(y[fold.train])) < 2:
            continue
        seen, unseen = study.objects(rows[fold.train]), study.objects(rows[fold.test])
        for k, ridge in enumerate(ridges):
            model = FisherDiscriminant(kernel, ridge=ridge).fit(seen, y[fold.train])
            wrong[k] += np.sum(model.predict(unseen) != y[fold.test])
    return ridges[len(ridges) - 1 - int(np.argmin(wrong[::-1]))]  # of equals the largest


def _fit_for_fisher(y: Array, fold: Fold) -> bool:
    """Tell whether every class has members enough outside of a fold, and the fold has any objects."""
    counts = np.unique(y[fold.train], return_counts=True)[1]
    return bool(len(fold.test) and len(counts) == len(np.unique(y)) and counts.min() > 1)


def fisher_ridges(study: Study, kernel: Kernel, rows: Array) -> tuple[float, ...]:
    """Return the ridges that a Fisher discriminant chooses from, in units of the variance of some objects."""
    few = study.objects(study.some(SAMPLE, rows))
    variance = FeatureSpace(kernel.fit(few))(few).total_variance()
    return tuple(float(variance * ridge) for ridge in RIDGES) if variance > 0 else RIDGES


def score(y: Array, predicted: Array) -> Score:
    """Return how good predictions are, of which each repetition is a row: objects count alike, whatever their fold."""
    if y.dtype.kind == "f":
        return Score(*root_mean_square((predicted - y).T))
    right = np.mean(predicted == y, axis=0)
    return Score(
        float(right.mean()), standard_error(right) or 1 / (len(y) + 1)
    )  # as if one more were not like the others


def landmarks(n: int) -> int | None:
    """Return through how many landmarks n objects are seen; None where they are seen exactly."""
    return None if n <= EXACT else next((rank for most, rank in RANKS if n <= most), RANKS[-1][1])


def hold(study: Study, quick: bool = False, told: Callable[[float], None] | None = None) -> Contest | None:
    """Return the outcome of the contest; None where there are too few objects whose target is known.

    A quick one has fewer folds and objects, and no repetitions. After each fold `told` is given the share that is done.
    """
    rows = study.some(JUDGED_WALKS if study.walks else QUICK if quick else JUDGED, study.labelled)
    y = study.target(rows)
    aside: tuple[str, ...] = ()
    most = len(rows)
    if study.data.task == "classes":
        values, counts = np.unique(y, return_counts=True)
        kept = np.isin(y, values[counts >= LEAST])
        rows, y, aside = rows[kept], y[kept], tuple(map(str, values[counts < LEAST]))
        if len(np.unique(y)) < 2:
            return None
        most = int(counts.max())
    splits = study.splits.of_rows(rows)
    units = len(np.unique(splits.unit))
    if len(rows) < 10 or units < 2:
        return None
    few = len(rows) <= REPEATED and study.data.kind != "documents"  # words are counted anew in every fold
    repeats = REPEATS if few and not quick and splits.time is None and not splits.grouped else 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a class may have fewer objects than there are folds
        cut = list(splits.cut(y, min(QUICK_FOLDS if quick else FOLDS, most, units), repeats, study.seed))
    if not cut:
        return None
    models = entrants(study)
    predicted = [np.zeros((repeats, len(rows)), dtype=y.dtype) for _ in models]
    left, each, seconds = [0.0], len(cut) // repeats, np.zeros(len(models))
    with warnings.catch_warnings(), task("cross-validation", len(cut)) as progress:
        warnings.simplefilter("ignore")
        for done, fold in enumerate(cut, 1):
            for k, found in enumerate(_answers(study, models, rows, y, fold)):
                predicted[k][fold.repeat, fold.test] = found.predicted
                left.append(found.left_out)
                seconds[k] += found.seconds / len(cut)
            progress.advance(done, len(cut))
            if told is not None:
                told(done / len(cut))
    through = None if study.choice.kernel.matrix_free else landmarks(max(len(fold.train) for fold in cut))
    seen = np.unique(np.concatenate([fold.test for fold in cut]))
    predicted = [one[:, seen] for one in predicted]
    return Contest(
        rows[seen],
        y[seen],
        models,
        predicted,
        [score(y[seen], one) for one in predicted],
        repeats,
        each,
        through,
        max(left),
        aside,
        rows,
        splits.unit[seen],
        1 + sum(len(fold.test) / len(fold.train) for fold in cut) / repeats,
        tuple(fold for fold in cut if fold.repeat == 0),
        tuple(seconds.tolist()),
    )


def _answers(study: Study, models: tuple[Entrant, ...], rows: Array, y: Array, fold: Fold) -> list[Answer]:
    """Return what all models, fitted to the objects of a fold, say of the others."""
    train, test, seen = rows[fold.train], rows[fold.test], y[fold.train]
    if not np.any(seen != seen[0]):  # the others of its unit were all that was known of another class
        return [Answer(np.full(len(test), seen[0]))] * len(models)
    kernels = [k for k, model in enumerate(models) if model.family == KERNEL]

    def asked(k: int, kernel: Kernel) -> Answer:
        begun = time.perf_counter()
        return models[k].predict(kernel, train, seen, test)._replace(seconds=time.perf_counter() - begun)

    def plainly() -> dict[int, Answer]:
        return {k: asked(k, study.choice.kernel) for k in range(len(models)) if k not in kernels}

    with task("", 2) as progress:
        rest = beside(plainly) if len(train) >= plain.SMALL and cores() > 1 else plainly
        kernel = _chosen_on(study, train, seen)
        progress.step()
        found = {k: asked(k, kernel) for k in kernels} | rest()
    return [found[k] for k in range(len(models))]
