"""What tells the target and perhaps should not: columns that know it too well, names and numbers of rows, and time.

Each column is asked alone what it knows: by small trees and a straight line, at objects that they have not seen, on the
folds of the contest. The share of the error that it removes is 0 for what knows nothing and 1 for what knows all.

    nearly all          a column alone removes all but a fiftieth of the error
    together            none does, but two of those that remove most do
    more than others    it removes most of it, and more than all other columns together, beyond the error
    ranges              the values of a column of few part the numbers of the target into ranges that do not overlap
    equal               a column has the very number of the target in most rows, and chance would not make it so
    place               a name, or the number of a row, removes some of it beyond the error

None of these need be a leak: only who knows the data can tell whether the column is known when a prediction is made.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from gramian.checks import Array
from gramian.intake.dataset import Dataset
from gramian.intake.table import absent
from gramian.reporting import plain
from gramian.reporting.contest import FALSE, FOLDS, Contest
from gramian.reporting.measures import beyond, paired
from gramian.reporting.numbering import in_time, numbered, runs_on
from gramian.reporting.splits import Fold
from gramian.reporting.study import Study

LOOKED_AT = 3000  # objects by which columns are asked
LEAST = 20  # objects
ALL = 0.98  # of the error that a column removes, from which on it knows nearly all
MOST = 0.8  # that it removes at least, if it knows more than all others
PAIRED = 4  # columns, those that remove most, of which every two are asked together
SOME = 0.1  # that a name or the number of a row removes at least
WIDE = 60  # columns up to which all are asked on all folds; of more only those that do best on one
RANGES, RANGE = 10, 5  # values at most that may part the target, and objects at least of two of them
EQUAL, OFTEN = 0.5, 5  # of the rows in which a column equals the target, and times as many as chance would make
LEAVES = 64
VALUES = 30  # of a column of words that are told apart
ROW = "row number"


class Leak(NamedTuple):
    """A column that knows the target, the share of the error that it removes, and which of the six it is.

    Alone, or with the other one where two know the target together.
    """

    column: str
    removed: float
    why: str


def leaks(study: Study, contest: Contest) -> list[Leak]:
    """Return the columns whose knowledge of the target should be looked at, those that know most first."""
    data = study.data
    drawn = np.sort(np.random.default_rng(study.seed).permutation(len(contest.learnt))[:LOOKED_AT])
    rows = contest.learnt[drawn]
    y = study.target(rows)
    splits = study.splits.of_rows(rows)
    if data.kind == "nodes" or len(rows) < LEAST or not data.columns:
        return []
    with warnings.catch_warnings(), threadpool_limits(1, "openmp"):  # threads would wait for each other on so few
        warnings.simplefilter("ignore")
        folds = list(splits.cut(y, FOLDS, 1, study.seed))
        nothing = _losses(y, folds, _Nothing(), np.zeros((len(y), 1)))
        if not folds or nothing.sum() == 0:
            return []
        factor = 1 + sum(len(fold.test) / len(fold.train) for fold in folds)
        asked = _Asked(y, folds, nothing, factor, splits.unit)
        found = [*_columns(study, rows, asked), *_places(data, rows, asked)]
    return sorted(found, key=lambda one: -one.removed)


class _Asked(NamedTuple):
    """The target of some objects, how they are divided, and what is lost without looking at them."""

    y: Array
    folds: list[Fold]
    nothing: Array
    factor: float
    unit: Array

    def lost(self, X: Array, models: Iterable[Any]) -> list[Array]:
        """Return the losses of each model."""
        return [_losses(self.y, self.folds, model, X) for model in models]

    def least(self, X: Array) -> Array:
        """Return the losses of the model that loses least."""
        return min(self.lost(X, _models(self.y)), key=lambda one: float(one.mean()))

    def removed(self, losses: Array) -> float:
        return 1 - float(losses.mean()) / float(self.nothing.mean())


class _Nothing:
    """The mean, or the most frequent class."""

    def fit(self, X: Array, y: Array) -> _Nothing:
        values, counts = np.unique(y, return_counts=True)
        self.value = y.mean() if y.dtype.kind == "f" else values[np.argmax(counts)]
        return self

    def predict(self, X: Array) -> Array:
        return np.full(len(X), self.value)


def _losses(y: Array, folds: Iterable[Fold], model: Any, X: Array) -> Array:
    """Return the loss at each object, by a model that has not seen it; 0 at those that no fold predicts."""
    found = np.zeros(len(y))
    for fold in folds:
        seen = y[fold.train]
        told = np.full(len(fold.test), seen[0])
        if np.any(seen != seen[0]):
            told = model.fit(X[fold.train], seen).predict(X[fold.test])
        true = y[fold.test]
        found[fold.test] = np.square(told - true) if y.dtype.kind == "f" else told != true
    return found


def _models(y: Array) -> list[Any]:
    """Return what asks a column: a fine tree, a coarse one and, for numbers, a line."""
    tree = DecisionTreeRegressor if y.dtype.kind == "f" else DecisionTreeClassifier
    coarse = max(3, len(y) // 40)
    every = [
        tree(max_leaf_nodes=LEAVES, min_samples_leaf=2, random_state=0),
        tree(min_samples_leaf=coarse, random_state=0),
    ]
    return [*every, _Line()] if y.dtype.kind == "f" else every


class _Line:
    """A straight line in each number, missing ones at the mean."""

    def fit(self, X: Array, y: Array) -> _Line:
        self.means = np.nan_to_num(np.nanmean(X, axis=0))
        self.line = LinearRegression().fit(np.where(np.isnan(X), self.means, X), y)
        return self

    def predict(self, X: Array) -> Array:
        return np.asarray(self.line.predict(np.where(np.isnan(X), self.means, X)))


def _columns(study: Study, rows: Array, asked: _Asked) -> list[Leak]:
    """Return the columns that the objects are made of and that know too much."""
    data = study.data
    names = [name for name in data.recipe.columns if not numbered(data, name)]
    if len(names) < 2 or data.kind not in ("vectors", "records"):
        return []
    if len(names) > WIDE:
        one = asked._replace(folds=asked.folds[:1])
        some = one._replace(nothing=_losses(one.y, one.folds, _Nothing(), np.zeros((len(one.y), 1))))
        first = {name: max(map(some.removed, some.lost(_seen(data, name, rows), _models(asked.y)))) for name in names}
        names = sorted(names, key=lambda name: -first[name])[:3]
    seen = {name: _seen(data, name, rows) for name in names}
    alone = {name: asked.least(X) for name, X in seen.items()}
    found = []
    for name, losses in alone.items():
        removed = asked.removed(losses)
        if removed >= ALL:
            found.append(Leak(name, removed, "nearly all"))
        elif _parts_into_ranges(data.column(name)[rows], asked.y):
            found.append(Leak(name, removed, "ranges"))
        elif _equals(data.column(name)[rows], asked.y):
            found.append(Leak(name, removed, "equal"))
        elif removed >= MOST and beyond(_others(data, name, rows, losses, asked)):
            found.append(Leak(name, removed, "more than others"))
    return found or _pair(seen, alone, asked)


def _parts_into_ranges(values: Array, y: Array) -> bool:
    """Tell whether the target of each of a few values lies in a range of its own, as where it was cut into classes.

    Of values that have nothing to do with it chance would make that in one of 2ⁿ / n cases at most.
    """
    if y.dtype.kind != "f":
        return False
    known = np.flatnonzero(~(np.isnan(values) if values.dtype.kind == "f" else absent(values)))
    codes = np.unique(values[known].astype(str), return_inverse=True)[1]
    counts = np.bincount(codes)
    if not 2 <= len(counts) <= RANGES or np.sort(counts)[-2] < RANGE or len(known) < LEAST:
        return False
    ends = sorted((y[known][codes == k].min(), y[known][codes == k].max()) for k in range(len(counts)))
    return all(one[1] <= other[0] for one, other in pairwise(ends))


def _equals(values: Array, y: Array) -> bool:
    """Tell whether numbers are those of the target in most rows, as where one is made of the other.

    Chance makes them equal in Σ p q of the rows, p and q the shares of each value in the two.
    """
    if y.dtype.kind != "f" or values.dtype.kind != "f":
        return False
    share = float(np.mean(values == y))
    if share < EQUAL:
        return False
    known, of_values, of_y = np.intersect1d(values, y), *(np.unique(one, return_counts=True) for one in (values, y))
    p, q = (counts[np.isin(numbers, known)] / len(y) for numbers, counts in (of_values, of_y))
    return share >= OFTEN * float(p @ q)


def _pair(seen: dict[str, Array], alone: dict[str, Array], asked: _Asked) -> list[Leak]:
    """Return the two columns that remove nearly all of the error together, if there are two: parts of a sum, say."""
    first = sorted(alone, key=lambda name: float(alone[name].mean()))[:PAIRED]
    removed = {
        pair: asked.removed(asked.least(np.hstack([seen[name] for name in pair]))) for pair in combinations(first, 2)
    }
    best = max(removed, key=lambda pair: removed[pair])
    return [Leak(name, removed[best], "together") for name in best] if removed[best] >= ALL else []


def _others(data: Dataset, name: str, rows: Array, losses: Array, asked: _Asked) -> Any:
    """Return by how much all other columns together do worse than one alone."""
    classes = asked.y.dtype.kind != "f"
    features = plain.side_by_side(data, [one for one in data.recipe.columns if one != name])[1][rows]
    model = plain.boosted(classes, len(rows), asked.y, features)
    others = [*asked.lost(features, [model]), *([] if classes else asked.lost(features, [_Line()]))]
    best = min(others, key=lambda one: float(one.mean()))
    return paired(best, losses, asked.factor, asked.unit)


def _places(data: Dataset, rows: Array, asked: _Asked) -> list[Leak]:
    """Return names and numbers of rows that know something of the target."""
    named = {one.name for one in data.columns if one.kind == "id"}
    named |= {name for name in data.recipe.columns if numbered(data, name)}
    every = {name: _seen(data, name, rows) for name in sorted(named - {data.group, data.order, data.target})}
    if data.places is not None and data.order is None and not _in_order_of_time(data):
        place = data.places[rows].astype(np.float64)[:, None]
        if not any(X.shape[1] == 1 and np.ptp(X - place) == 0 for X in every.values()):  # which would say the same
            every = {ROW: place} | every
    found = []
    for name, X in every.items():
        losses = asked.least(X)
        better = paired(asked.nothing, losses, asked.factor, asked.unit)
        removed = asked.removed(losses)
        if removed >= SOME and beyond(better, FALSE / len(every) / len(_models(asked.y))):
            found.append(Leak(name, removed, "place"))
    return found


def _in_order_of_time(data: Dataset) -> bool:
    """Tell whether the rows are sorted by what orders them in time, so that their numbers say nothing else."""
    time = in_time(data)
    return time is not None and runs_on(data, time) and not numbered(data, time)


def _seen(data: Dataset, name: str, rows: Array) -> Array:
    """Return a column as numbers: of words their order, their length, a number in them, and which of few they are."""
    values = data.column(name)[rows]
    if values.dtype.kind == "f":
        return values.astype(np.float64)[:, None]
    words = ["" if none else str(value) for value, none in zip(values.tolist(), absent(values), strict=True)]
    order = np.unique(np.array(words), return_inverse=True)[1].astype(np.float64)
    numbers = np.array([float(met[0][-15:]) if (met := re.findall(r"\d+", word)) else np.nan for word in words])
    common = [word for word, many in Counter(words).most_common(VALUES) if many > 1]
    few = [np.array([word == one for word in words], dtype=np.float64) for one in common]
    return np.column_stack([order, [len(word) for word in words], numbers, *few])
