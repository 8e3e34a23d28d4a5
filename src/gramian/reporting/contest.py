"""Kernel learners against plain baselines, all on the same folds of a cross-validation.

Every model sees only the objects of the other folds: its kernel is chosen and settled, and its ridge chosen, on them
alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from gramian.checks import Array
from gramian.kernels.algebra import Kernel
from gramian.learn.fisher import FisherDiscriminant
from gramian.learn.parzen import ParzenClassifier
from gramian.learn.ridge import KernelRidge
from gramian.reporting import plain
from gramian.reporting.candidates import SAMPLE, choose, indicators
from gramian.reporting.study import DENSE, RANK, Study

JUDGED = 50_000  # objects that take part, at most
REPEATED = 500  # objects up to which the cross-validation is repeated
REPEATS = 3
FOLDS = 5
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

    @property
    def best(self) -> int:
        """The best of the kernel learners."""
        ours = [k for k, one in enumerate(self.entrants) if one.formula]
        return max(ours, key=lambda k: float(self.scores[k].mean()))


def entrants(study: Study) -> tuple[Entrant, ...]:
    """Return the models for the task at hand."""
    data = study.data

    def rank(kernel: Kernel, train: Array) -> Any:
        return "exact" if len(train) <= DENSE or kernel.matrix_free else RANK

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


def hold(study: Study, told: Callable[[int, int], None] = lambda done, of: None) -> Contest | None:
    """Return the outcome of the contest; None where there are too few objects whose target is known."""
    rows = study.labelled
    if len(rows) > JUDGED:
        rows = np.sort(np.random.default_rng(study.seed).choice(rows, JUDGED, replace=False))
    y = study.target(rows)
    if study.data.task == "classes":
        values, counts = np.unique(y, return_counts=True)
        kept = np.isin(y, values[counts >= 2])
        rows, y = rows[kept], y[kept]
        least = int(counts[counts >= 2].min(initial=len(rows)))
        if len(np.unique(y)) < 2:
            return None
        folds: Any = RepeatedStratifiedKFold
    else:
        folds, least = RepeatedKFold, len(rows)
    if len(rows) < 10:
        return None
    few = len(rows) <= REPEATED and study.data.kind != "documents"  # words are counted anew in every fold
    repeats, splits = REPEATS if few else 1, min(FOLDS, least)
    models = entrants(study)
    predicted = [np.empty((repeats, len(rows)), dtype=y.dtype) for _ in models]
    scores: list[list[float]] = [[] for _ in models]
    cut = folds(n_splits=splits, n_repeats=repeats, random_state=study.seed).split(rows, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for fold, (train, test) in enumerate(cut):
            kernel = _chosen_on(study, rows[train], y[train])
            for k, model in enumerate(models):
                found = model.predict(kernel, rows[train], y[train], rows[test])
                predicted[k][fold // splits, test] = found
                scores[k].append(score(study.data.task, y[test], found))
            told(fold + 1, repeats * splits)
    return Contest(rows, y, models, predicted, [np.array(one) for one in scores], repeats)
