"""Kernel learners against plain baselines, all on the same folds of a cross-validation.

Every model sees only the objects of the other folds: its kernel is chosen among the candidates and settled, and its
ridge chosen, on them alone. (The candidates themselves, the bandwidths that are tried, come from all objects, without
their targets.) Classes of fewer than `LEAST` objects take no part: a fold could leave one of them alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
from gramian.reporting.study import RANK, Study

JUDGED = 50_000  # objects that take part, at most
REPEATED = 500  # objects up to which the cross-validation is repeated
REPEATS = 3
FOLDS = 5
LEAST = 3  # objects of a class
EXACT = 3000  # objects up to which models are fitted exactly
RANKS = ((20_000, 1000), (JUDGED, RANK))  # landmarks beyond, for so many objects at most
RIDGES = tuple(10.0**k for k in range(-7, 1))  # of Fisher discriminants, in units of variance in feature space

Predict = Callable[[Kernel, Array, Array, Array], Array]  # kernel, rows to learn from, their targets, rows to predict


@dataclass(frozen=True)
class Entrant:
    """A model that takes part; `formula` is that of kernel learners, None for baselines."""

    name: str
    formula: str | None
    predict: Predict


@dataclass(frozen=True, eq=False)
class Contest:
    """What came out: for every entrant its predictions of every row in each repetition, and its scores by fold."""

    rows: Array
    y: Array
    entrants: tuple[Entrant, ...]
    predicted: list[Array]
    scores: list[Array]
    repeats: int
    folds: int
    landmarks: int | None
    aside: tuple[str, ...]

    @property
    def best(self) -> int:
        """The best of the kernel learners."""
        ours = [k for k, one in enumerate(self.entrants) if one.formula]
        return max(ours, key=lambda k: float(self.scores[k].mean()))


def entrants(study: Study) -> tuple[Entrant, ...]:
    """Return the models for the task at hand."""
    data = study.data

    def rank(kernel: Kernel, train: Array) -> Any:
        return "exact" if kernel.matrix_free else landmarks(len(train)) or "exact"

    def parzen(kernel: Kernel, train: Array, y: Array, test: Array) -> Array:
        return (
            ParzenClassifier(kernel, rank=rank(kernel, train)).fit(study.objects(train), y).predict(study.objects(test))
        )

    def fisher(kernel: Kernel, train: Array, y: Array, test: Array) -> Array:
        model = FisherDiscriminant(kernel, ridge=RIDGES, rank=rank(kernel, train))
        return model.fit(study.objects(train), y).predict(study.objects(test))

    def ridge(kernel: Kernel, train: Array, y: Array, test: Array) -> Array:
        targets, classes = indicators(y) if data.task == "classes" else (y, None)
        model = KernelRidge(kernel, ridge="loo", fit_intercept=True, rank=rank(kernel, train))
        found = model.fit(study.objects(train), targets).predict(study.objects(test))
        return np.asarray(found if classes is None else classes[np.argmax(found, axis=1)])

    def simplest(kernel: Kernel, train: Array, y: Array, test: Array) -> Array:
        if data.task == "numbers":
            return np.full(len(test), y.mean())
        values, counts = np.unique(y, return_counts=True)
        return np.full(len(test), values[np.argmax(counts)])

    def usual(kernel: Kernel, train: Array, y: Array, test: Array) -> Array:
        return plain.predictions(data, train, y, test)

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
    if study.given is not None:
        return study.given
    few = np.random.default_rng(study.seed).permutation(len(rows))[:SAMPLE]
    return choose(study.data, None, rows[few], y[few]).kernel


def score(task: str, y: Array, predicted: Array) -> float:
    """Return the share of right classes; or minus the root mean squared error."""
    if task == "classes":
        return float(np.mean(y == predicted))
    return -float(np.sqrt(np.mean(np.square(y - predicted.astype(np.float64)))))


def landmarks(n: int) -> int | None:
    """Return through how many landmarks n objects are seen; None where they are seen exactly."""
    return None if n <= EXACT else next(rank for most, rank in RANKS if n <= most)


def hold(study: Study) -> Contest | None:
    """Return the outcome of the contest; None where there are too few objects whose target is known."""
    rows = study.some(JUDGED, study.labelled)
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
    scores: list[list[float]] = [[] for _ in models]
    cut = folds(n_splits=splits, n_repeats=repeats, random_state=study.seed).split(rows, y)
    with warnings.catch_warnings(), task("cross-validation", repeats * splits) as progress:
        warnings.simplefilter("ignore")
        for fold, (train, test) in enumerate(cut):
            kernel = _chosen_on(study, rows[train], y[train])
            for k, model in enumerate(models):
                found = model.predict(kernel, rows[train], y[train], rows[test])
                predicted[k][fold // splits, test] = found
                scores[k].append(score(study.data.task, y[test], found))
            progress.advance(fold + 1, repeats * splits)
    through = None if study.kernel.matrix_free else landmarks(len(rows) - len(rows) // splits)
    return Contest(rows, y, models, predicted, [np.array(one) for one in scores], repeats, splits, through, aside)
