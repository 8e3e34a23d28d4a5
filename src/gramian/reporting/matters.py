"""Which columns matter to the model that won: permutation importance on the folds of the contest, and how they act.

The model is the best kernel learner where that is as good as the best of all, else the best of all, fitted anew in each
fold and asked about held-out objects whose column is dealt out anew (`gramian.importance`). A column stands out where
its importance exceeds 0 by the 97.5 % quantile of Student's t over the folds: 2.8 errors of five folds. How the answer
goes with it is told by accumulated local effects (`gramian.effects`). Of documents and strings, which have no columns,
the weights of their words and substrings in kernel ridge regression tell the same.

Baselines are given what stands in for a missing value here, and the kernel is the one chosen by all objects.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special
from threadpoolctl import threadpool_limits

from gramian.checks import is_sparse
from gramian.explain.effects import ColumnEffect, effects
from gramian.explain.importance import ColumnImportance, importance
from gramian.kernels.algebra import Kernel
from gramian.learn.classifier import KernelClassifier
from gramian.learn.ridge import KernelRidge
from gramian.learn.weights import FeatureWeights
from gramian.reporting.contest import CHOSEN_BY, Contest, Entrant, landmarks
from gramian.reporting.plain import SMALL
from gramian.reporting.study import Study
from gramian.runtime.progress import each, task

LEARNT = 8000  # objects that models learn from here, at most
ENTRIES = 1e8  # likenesses that are computed at most, of kernel learners
EXPENSIVE = 20  # how much longer those take that are no sums over numbers
ANSWERS = 50_000  # predictions at most
REPEATS, FEWEST, MOST = 3, 20, 2000  # permutations in each fold, of so many held-out objects
WIDE = 500  # columns up to which each is permuted
CURVES = 3  # columns whose effect is drawn
DRAWN = 1000  # objects by which it is
REFITTED = 400  # objects up to which its band holds the choice of the training objects
MOSTLY = 0.7  # of the time goes into importances, the rest into effects
WORDS = 50  # features that are kept, of the weightiest
BEYOND = 0.025  # how often a column without importance is said to stand out, of each one that is asked


@dataclass(frozen=True, eq=False)
class Matters:
    """What the winner goes by; every part is None, or empty, where it cannot be told.

    Attributes
    ----------
    model : str
        The name of the entrant that was asked.
    importance : ColumnImportance or None
        The columns, the most important first.
    effects : tuple of ColumnEffect
        Of those that stand out, three at most.
    weights : FeatureWeights or None
        Of words or substrings.
    """

    model: str
    importance: ColumnImportance | None = None
    effects: tuple[ColumnEffect, ...] = ()
    weights: FeatureWeights | None = None

    @property
    def columns(self) -> list[dict[str, Any]]:
        """The columns with their importance and error, the most important first."""
        found = self.importance
        if found is None:
            return []
        return [
            {"column": name, "importance": float(value), "error": float(error)}
            for name, value, error in zip(found.columns, found.importances, found.errors, strict=True)
        ]

    @property
    def needed(self) -> float:
        """How many errors above 0 an importance must lie, to be more than chance."""
        return 0.0 if self.importance is None else float(scipy.special.stdtrit(self.importance.folds - 1, 1 - BEYOND))

    @property
    def outstanding(self) -> list[str]:
        """The columns whose importance is more than chance would make it."""
        return [one["column"] for one in self.columns if one["importance"] > self.needed * one["error"]]

    @property
    def together(self) -> list[tuple[str, ...]]:
        """Clusters of columns that are more important than chance when they are permuted together."""
        if self.importance is None:
            return []
        return [one.columns for one in self.importance.clusters if one.importance > self.needed * one.error]


def matters(study: Study, contest: Contest | None) -> Matters | None:
    """Return what the winner of the contest goes by; None where it finds no signal, or nothing can be told."""
    if contest is None or contest.signal.level == "none" or study.walks:
        return None
    entrant = asked(contest)
    with warnings.catch_warnings(), threadpool_limits(1 if len(contest.learnt) < SMALL else None, "openmp"):
        warnings.simplefilter("ignore")
        if study.data.kind in ("documents", "strings"):
            weights = _weights(study, contest)
            return None if weights is None else Matters(contest.entrants[contest.best].name, weights=weights)
        names = study.data.recipe.columns
        if entrant.model is None or not names or len(names) > WIDE or is_sparse(study.data.X) or len(contest.cut) < 2:
            return None
        with task("", 1.0) as progress:
            progress.advance(0.0, stride=MOSTLY)
            found = Matters(entrant.name, _importance(study, contest, entrant))
            progress.advance(MOSTLY, stride=1 - MOSTLY)
            return Matters(entrant.name, found.importance, _effects(study, contest, entrant, found.outstanding))


def asked(contest: Contest) -> Entrant:
    """Return the model that is asked: the best kernel learner if it is as good as the best of all, else that."""
    return contest.entrants[contest.best if contest.best in contest.ties else contest.first]


def _importance(study: Study, contest: Contest, entrant: Entrant) -> ColumnImportance:
    assert entrant.model is not None
    few = study.some(LEARNT, np.arange(len(contest.learnt)))
    kept = np.zeros(len(contest.learnt), dtype=bool)
    kept[few] = True
    place = np.cumsum(kept) - 1
    cut = [(place[fold.train[kept[fold.train]]], place[fold.test[kept[fold.test]]]) for fold in contest.cut]
    rows, names = contest.learnt[few], study.data.recipe.columns
    y, learnt = study.target(rows), rows[cut[-1][0]]
    model = entrant.model(_kernel(study), learnt, study.target(learnt))
    answers = ANSWERS if entrant.formula is None else min(ANSWERS, ENTRIES / (landmarks(len(learnt)) or len(learnt)))
    answers /= EXPENSIVE if entrant.formula and _kernel(study).traits.expensive else 1
    probe = int(np.clip(answers / (len(cut) * len(names) * REPEATS), FEWEST, MOST))
    return importance(
        model, study.objects(rows), y, names=names, cv=cut, repeats=REPEATS, probe=probe, random_state=study.seed
    )


def _effects(study: Study, contest: Contest, entrant: Entrant, columns: list[str]) -> tuple[ColumnEffect, ...]:
    """Return how the answer goes with the columns that stand out, texts aside."""
    assert entrant.model is not None
    told = [name for name in columns if study.data.recipe.kinds[name] in ("number", "date", "category")][:CURVES]
    if not told:
        return ()
    rows = contest.learnt[study.some(DRAWN, np.arange(len(contest.learnt)))]
    y, X, names = study.target(rows), study.objects(rows), study.data.recipe.columns
    model = entrant.model(_kernel(study), rows, y).fit(X, y)
    refitted = y if len(rows) <= REFITTED and entrant.formula else None
    return tuple(effects(model, X, name, refitted, names=names, random_state=study.seed) for name in each(told))


def _weights(study: Study, contest: Contest) -> FeatureWeights | None:
    """Return which words or substrings speak for what; None where the kernel has no features that could be named."""
    rows = study.some(DRAWN, contest.learnt)
    y = study.target(rows)
    of = KernelRidge if contest.numbers else KernelClassifier
    few = rows[:CHOSEN_BY]
    try:
        ridge = of(_kernel(study), ridge="loo").fit(study.objects(few), study.target(few)).ridge_
        return of(_kernel(study), ridge=ridge).fit(study.objects(rows), y).feature_weights(top=WORDS)
    except (TypeError, ValueError, MemoryError):
        return None


def _kernel(study: Study) -> Kernel:
    return study.choice.kernel
