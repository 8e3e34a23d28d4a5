"""Kernel learners against plain baselines, all on the same folds of a cross-validation.

Every model sees only the objects of the other folds: its kernel is chosen among the candidates and settled, and its
ridge chosen, on them alone. (The candidates themselves, the bandwidths that are tried, come from all objects, without
their targets.) Classes of fewer than `LEAST` objects take no part: a fold could leave one of them alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from gramian.checks import Array
from gramian.gram.progress import task
from gramian.kernels.algebra import Kernel
from gramian.learn.fisher import FisherDiscriminant
from gramian.learn.parzen import ParzenClassifier
from gramian.learn.ridge import KernelRidge
from gramian.reporting import plain
from gramian.reporting.candidates import SAMPLE, choose, indicators
from gramian.reporting.measures import root_mean_square, standard_error
from gramian.reporting.study import RANK, Study
from gramian.space.vectors import FeatureSpace

JUDGED = 50_000  # objects that take part, at most
JUDGED_WALKS = 600  # where each needs a walk through a large graph
REPEATED = 500  # objects up to which the cross-validation is repeated
REPEATS = 3
FOLDS = 5
LEAST = 3  # objects of a class
EXACT = 3000  # objects up to which models are fitted exactly
RANKS = ((20_000, 1000), (JUDGED, RANK))  # landmarks beyond, for so many objects at most
RIDGES = tuple(10.0**k for k in range(-7, 1))  # of Fisher discriminants, in units of the total variance


class Answer(NamedTuple):
    """What a model says of some rows, and the share of all squared lengths that its landmarks do not see."""

    predicted: Array
    left_out: float = 0.0


Predict = Callable[[Kernel, Array, Array, Array], Answer]  # kernel, rows to learn from, their targets, rows to predict


@dataclass(frozen=True)
class Score:
    """The share of right classes, or the root mean squared error, at objects not seen; and its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class Entrant:
    """A model that takes part; `formula` is that of kernel learners, None for baselines."""

    name: str
    formula: str | None
    predict: Predict


@dataclass(frozen=True, eq=False)
class Contest:
    """What came out: for every entrant its predictions of every row in each repetition, and its score.

    `aside` are classes that took no part; `landmarks` is None where all was exact, and `left_out` the largest share of
    all squared lengths that landmarks did not see.
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

    @property
    def order(self) -> list[int]:
        """All entrants, the best first."""
        sign = 1 if self.y.dtype.kind == "f" else -1
        return sorted(range(len(self.entrants)), key=lambda k: sign * self.scores[k].value)

    @property
    def best(self) -> int:
        """The best of the kernel learners."""
        return next(k for k in self.order if self.entrants[k].formula)

    @property
    def best_baseline(self) -> int:
        """The best of the others."""
        return next(k for k in self.order if not self.entrants[k].formula)


def entrants(study: Study) -> tuple[Entrant, ...]:
    """Return the models for the task at hand."""
    data = study.data

    def rank(kernel: Kernel, train: Array) -> Any:
        return "exact" if kernel.matrix_free else landmarks(len(train)) or "exact"

    def said(model: Any, train: Array, y: Array, test: Array) -> Answer:
        fitted = model.fit(study.objects(train), y)
        return Answer(fitted.predict(study.objects(test)), float(getattr(fitted, "trace_error_", 0.0)))

    def parzen(kernel: Kernel, train: Array, y: Array, test: Array) -> Answer:
        return said(ParzenClassifier(kernel, rank=rank(kernel, train)), train, y, test)

    def fisher(kernel: Kernel, train: Array, y: Array, test: Array) -> Answer:
        model = FisherDiscriminant(kernel, ridge=fisher_ridges(study, kernel, train), rank=rank(kernel, train))
        return said(model, train, y, test)

    def ridge(kernel: Kernel, train: Array, y: Array, test: Array) -> Answer:
        targets, classes = indicators(y) if data.task == "classes" else (y, None)
        model = KernelRidge(kernel, ridge="loo", fit_intercept=True, rank=rank(kernel, train))
        found = said(model, train, targets, test)
        return found if classes is None else found._replace(predicted=classes[np.argmax(found.predicted, axis=1)])

    def simplest(kernel: Kernel, train: Array, y: Array, test: Array) -> Answer:
        if data.task == "numbers":
            return Answer(np.full(len(test), y.mean()))
        values, counts = np.unique(y, return_counts=True)
        return Answer(np.full(len(test), values[np.argmax(counts)]))

    def usual(kernel: Kernel, train: Array, y: Array, test: Array) -> Answer:
        return Answer(plain.predictions(data, train, y, test))

    baselines = (
        Entrant(plain.name_of(data), None, usual),
        Entrant("always the most frequent class" if data.task == "classes" else "always the mean", None, simplest),
    )
    regression = Entrant("kernel ridge regression", "ridge", ridge)
    if data.task == "numbers":
        return (regression, *baselines)
    return (
        Entrant("Fisher discriminant", "fisher", fisher),
        Entrant("kernel ridge regression on indicators", "ridge", ridge),
        Entrant("nearest centre (Parzen)", "parzen", parzen),
        *baselines,
    )


def _chosen_on(study: Study, rows: Array, y: Array) -> Kernel:
    """Return the kernel that would have been chosen had only these rows been there."""
    if study.given is not None or study.walks:
        return study.choice.kernel
    few = np.random.default_rng(study.seed).permutation(len(rows))[:SAMPLE]
    return choose(study.data, study.candidates, None, rows[few], y[few]).kernel


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
    return Score(float(right.mean()), standard_error(right))


def landmarks(n: int) -> int | None:
    """Return through how many landmarks n objects are seen; None where they are seen exactly."""
    return None if n <= EXACT else next((rank for most, rank in RANKS if n <= most), RANKS[-1][1])


def hold(study: Study) -> Contest | None:
    """Return the outcome of the contest; None where there are too few objects whose target is known."""
    rows = study.some(JUDGED_WALKS if study.walks else JUDGED, study.labelled)
    y = study.target(rows)
    folds: Any = RepeatedKFold
    aside: tuple[str, ...] = ()
    most = len(rows)
    if study.data.task == "classes":
        values, counts = np.unique(y, return_counts=True)
        kept = np.isin(y, values[counts >= LEAST])
        rows, y, aside = rows[kept], y[kept], tuple(map(str, values[counts < LEAST]))
        if len(np.unique(y)) < 2:
            return None
        folds, most = RepeatedStratifiedKFold, int(counts.max())
    if len(rows) < 10:
        return None
    few = len(rows) <= REPEATED and study.data.kind != "documents"  # words are counted anew in every fold
    repeats, splits = REPEATS if few else 1, min(FOLDS, most)
    models = entrants(study)
    predicted = [np.empty((repeats, len(rows)), dtype=y.dtype) for _ in models]
    left = [0.0]
    cut = folds(n_splits=splits, n_repeats=repeats, random_state=study.seed).split(rows, y)
    with warnings.catch_warnings(), task("cross-validation", repeats * splits) as progress:
        warnings.simplefilter("ignore")
        for fold, (train, test) in enumerate(cut):
            kernel = _chosen_on(study, rows[train], y[train])
            for k, model in enumerate(models):
                found = model.predict(kernel, rows[train], y[train], rows[test])
                predicted[k][fold // splits, test] = found.predicted
                left.append(found.left_out)
            progress.advance(fold + 1, repeats * splits)
    through = None if study.kernel.matrix_free else landmarks(len(rows) - len(rows) // splits)
    scores = [score(y, one) for one in predicted]
    return Contest(rows, y, models, predicted, scores, repeats, splits, through, max(left), aside)
