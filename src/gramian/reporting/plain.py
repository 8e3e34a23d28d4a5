"""Plain baselines: what somebody without kernels would try on the same data.

vectors, records   a linear model, gradient-boosted trees, a random forest, nearest neighbours
strings            the first, the third and the last of these on counts of letters and pairs of letters
documents          a linear model on tf-idf, naive Bayes on counts of words, nearest neighbours by the cosine
nodes              the most common label among the neighbours

In a table of several kinds of columns categories are indicators, trees also see which values are missing, and of texts
the commonest words are weighted by tf-idf, the more of them the fewer objects there are; of strings the commonest
pairs of letters are indicators. Dates have the sine and cosine of each of their cycles beside them, so that seasons are
no privilege of kernels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.naive_bayes import ComplementNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from threadpoolctl import threadpool_limits

from gramian.checks import Array, is_sparse
from gramian.intake.dataset import Dataset
from gramian.intake.dates import cycles
from gramian.kernels.graphs.graph import Graph
from gramian.learn.sklearn_private import take_rows
from gramian.runtime.threads import cores

MOST_CATEGORIES = 50  # of a column that get an indicator each
MOST_PAIRS = 100  # of letters, of a column of strings
WORDS = (100, 1000)  # of a column of texts: at least, and at most
WEIGHTS = 200_000  # of words in all texts, that bound how many words are told apart between these
NEIGHBOURS = 10
SMALL = 20_000  # objects up to which one core is as fast as several, and does not wait for others where these are busy
DRAWN = 5000  # objects that a tree of a forest sees, at most
TREES, FEWER = 240, 120  # of gradient boosting, over all classes, and where a contest is repeated
REPEATED = 500  # objects up to which it is
SEEN = 100  # columns that a split of gradient boosting looks at, at most

Predictions = Callable[[Array, Array, Array], Array]  # rows to learn from, their targets, rows to predict


@dataclass(frozen=True)
class Baseline:
    """A plain model; its family is "linear", "trees", "neighbours", "words" or "votes".

    `model` makes one of so many objects and their targets, to be fitted to numbers; None where it is no such model.
    """

    name: str
    family: str
    predict: Predictions
    model: Callable[[int, Array], Any] | None = None


def baselines(data: Dataset) -> tuple[Baseline, ...]:
    """Return the plain models for data of this kind."""
    if data.kind == "nodes":
        graph = data.graph
        assert graph is not None
        return (Baseline("vote of the neighbours", "votes", lambda *rows: _votes(graph, data.X, *rows)),)
    classes = data.task == "classes"
    linear = "logistic regression" if classes else "linear regression"
    if data.kind == "documents":
        found = [
            _fitted(f"{linear} on tf-idf", "linear", data.X, lambda n, y: _on(TfidfVectorizer(), _linear(classes)))
        ]
        if classes:
            found.append(
                _fitted("naive Bayes on words", "words", data.X, lambda n, y: _on(CountVectorizer(), ComplementNB()))
            )
        nearest = _fitted(
            "nearest neighbours on tf-idf",
            "neighbours",
            data.X,
            lambda n, y: _on(TfidfVectorizer(), _nearest(classes, n)),
        )
        return (*found, nearest)
    if data.kind == "strings":
        counts = (
            CountVectorizer(analyzer="char", ngram_range=(1, 2), lowercase=False).fit_transform(data.X).astype(float)
        )
        features, trees, what = counts, counts, " on letters and pairs"
    else:
        features, trees = side_by_side(data, data.recipe.columns)
        kinds = {data.recipe.kinds[name] for name in data.recipe.columns} - {"number"}
        what = f" on {_made_of(set(data.recipe.kinds.values()))}" if data.kind == "records" and kinds else ""
    scaled = MaxAbsScaler if is_sparse(features) else StandardScaler if data.kind == "vectors" else Scaled
    found = [_fitted(f"{linear}{what}", "linear", features, lambda n, y: _on(scaled(), _linear(classes)))]
    if not is_sparse(trees):
        found.append(_fitted("gradient-boosted trees", "trees", trees, lambda n, y: boosted(classes, n, y, trees)))
    found.append(_fitted("random forest", "trees", features, lambda n, y: _forest(classes, n)))
    found.append(
        _fitted("nearest neighbours", "neighbours", features, lambda n, y: _on(scaled(), _nearest(classes, n)))
    )
    return tuple(found)


def _fitted(name: str, family: str, X: Any, model: Callable[[int, Array], Any]) -> Baseline:
    def predict(train: Array, y: Array, test: Array) -> Array:
        with threadpool_limits(1 if len(train) < SMALL else None, "openmp"):
            fitted = _learnt_from(model(len(train), y), take_rows(X, train), y)
            return np.asarray(fitted.predict(take_rows(X, test)))

    return Baseline(name, family, predict, model)


def _learnt_from(model: Any, X: Any, y: Array) -> Any:
    """Fit a model; a large forest grows on all cores, but one adds up its trees, always in the same order."""
    if len(y) < SMALL or not isinstance(model, RandomForestClassifier | RandomForestRegressor):
        return model.fit(X, y)
    return model.set_params(n_jobs=cores()).fit(X, y).set_params(n_jobs=None)


def of_objects(data: Dataset, model: Any) -> Any:
    """Return a model of numbers as one of the objects themselves, in whose gaps something stands in."""
    if data.kind == "vectors":
        return model
    return _on(AsNumbers({name: data.recipe.kinds[name] for name in data.recipe.columns}), model)


class AsNumbers(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Records as numbers and indicators: of the categories, words and pairs of letters met in learning."""

    def __init__(self, kinds: dict[str, str]) -> None:
        self.kinds = kinds

    def fit(self, X: Array, y: Any = None) -> AsNumbers:
        self.known_ = {name: _learnt(kind, X[name]) for name, kind in self.kinds.items() if kind != "number"}
        return self

    def transform(self, X: Array) -> Array:
        return np.hstack([self._column(X[name], name) for name in self.kinds])

    def _column(self, values: Array, name: str) -> Array:
        if name not in self.known_:
            return np.asarray(values, dtype=np.float64)[:, None]
        known = self.known_[name]
        if isinstance(known, tuple):
            return np.hstack([np.asarray(values, dtype=np.float64)[:, None], _waves(values, known)])
        return _indicators(values, known) if isinstance(known, list) else _counted(values, known)


class Scaled(StandardScaler):  # type: ignore[misc]
    """Numbers with mean 0 and variance 1, but indicators and weights of words as they are.

    A rare one would outweigh all else. They are told by lying between 0, which is there, and 1; the few numbers that
    do so, too, are of a fit size already.
    """

    def fit(self, X: Array, y: Any = None) -> Scaled:
        super().fit(X)
        kept = np.all((X >= 0) & (X <= 1), axis=0) & np.any(X == 0, axis=0)
        self.mean_[kept], self.scale_[kept] = 0.0, 1.0
        return self


def _on(first: Any, last: Any) -> Any:
    return make_pipeline(first, last)


def _linear(classes: bool) -> Any:
    return LogisticRegression(max_iter=2000) if classes else RidgeCV(np.logspace(-3, 3, 13))


def _nearest(classes: bool, n: int) -> Any:
    k = min(NEIGHBOURS, n)
    return KNeighborsClassifier(k) if classes else KNeighborsRegressor(k)


def _forest(classes: bool, n: int) -> Any:
    kind = RandomForestClassifier if classes else RandomForestRegressor
    wide = {} if classes else {"max_features": 1 / 3, "min_samples_leaf": 2}
    return kind(50 if n < REPEATED else 100, max_samples=DRAWN if n > DRAWN else None, random_state=0, **wide)


def boosted(classes: bool, n: int, y: Array, features: Array) -> Any:
    """Return gradient-boosted trees for so many objects, of a size that can be afforded."""
    trees = FEWER if n < REPEATED else TREES
    rounds = int(np.clip(trees // (len(np.unique(y)) if classes else 2), 20, 100))
    return (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(
        max_iter=rounds,
        learning_rate=min(0.3, 10 / rounds),
        max_leaf_nodes=15,
        min_samples_leaf=int(np.clip(n // 20, 2, 20)),
        max_bins=64,
        max_features=min(1.0, SEEN / features.shape[1]),
        early_stopping=False,
        random_state=0,
    )


def side_by_side(data: Dataset, names: Sequence[str]) -> tuple[Any, Any]:
    """Return columns as numbers and indicators, as linear models take them, and the same with gaps, as trees do."""
    if data.kind == "vectors":
        if is_sparse(data.X) or not names:
            return data.X, data.X
        whole = data.X[:, [data.recipe.columns.index(name) for name in names]]
        gapped = np.array(whole, dtype=np.float64)
        for k, name in enumerate(names):
            if name in data.gaps:
                gapped[data.gaps[name], k] = np.nan
        return whole, gapped
    columns: list[Array] = []
    with_gaps: list[Array] = []
    for name in names:
        values, kind = data.X[name], data.recipe.kinds[name]
        if kind in ("number", "date"):
            column = np.asarray(values, dtype=np.float64)[:, None]
            gap = data.gaps.get(name)
            around = _waves(values, cycles(values) if kind == "date" else ())
            columns += [column, around]
            with_gaps += [column if gap is None else np.where(gap[:, None], np.nan, column), around]
        else:
            column = (
                _indicators(values, _commonest(values))
                if kind == "category"
                else _counted(values, _counter(kind, values))
            )
            columns.append(column)
            with_gaps.append(column)
    return np.hstack(columns), np.hstack(with_gaps)


def _made_of(kinds: set[str]) -> str:
    """Return what a model is told of a table, for its name."""
    every = {"number": "numbers", "date": "dates", "category": "categories", "string": "letters", "text": "words"}
    *first, last = [what for kind, what in every.items() if kind in kinds]
    return f"{', '.join(first)} and {last}" if first else last


def _learnt(kind: str, values: Array) -> Any:
    """Return what must be known to make numbers of a column: cycles, the commonest categories, or words."""
    if kind == "date":
        return cycles(values)
    return _commonest(values) if kind == "category" else _counter(kind, values)


def _waves(days: Array, periods: tuple[float, ...]) -> Array:
    """Return the cosine and the sine of each cycle of some dates."""
    turns = [np.remainder(np.asarray(days, dtype=np.float64), period) / period for period in periods]
    waves = [wave(2 * np.pi * turn) for turn in turns for wave in (np.cos, np.sin)]
    return np.column_stack(waves) if waves else np.empty((len(days), 0))


def _commonest(values: Array) -> list[Any]:
    return [value for value, _ in Counter(values.tolist()).most_common(MOST_CATEGORIES)]


def _indicators(values: Array, common: list[Any]) -> Array:
    return np.asarray(np.equal.outer(values, np.array(common, dtype=object)), dtype=np.float64)


def _counter(kind: str, values: Array) -> CountVectorizer | None:
    """Return what weighs the commonest words of a column, or tells which pairs of letters are there; None of none."""
    if kind == "text":
        words: Any = TfidfVectorizer(max_features=int(np.clip(WEIGHTS // max(len(values), 1), *WORDS)))
    else:
        how = {"analyzer": "char", "ngram_range": (2, 2), "lowercase": False}
        words = CountVectorizer(binary=True, max_features=MOST_PAIRS, **how)
    try:
        return words.fit(values.tolist())
    except ValueError:  # no word has two letters
        return None


def _counted(values: Array, counter: CountVectorizer | None) -> Array:
    if counter is None:
        return np.zeros((len(values), 1))
    return np.asarray(counter.transform(values.tolist()).toarray(), dtype=np.float64)


def _votes(graph: Graph, nodes: Any, train: Array, y: Array, test: Array) -> Array:
    matrix = scipy.sparse.csr_array(graph.matrix)
    places = graph.indices(nodes)
    classes, label = np.unique(y, return_inverse=True)
    if y.dtype.kind == "f":
        votes = matrix[places[test]][:, places[train]]
        weight = np.asarray(votes.sum(axis=1)).ravel()
        return np.asarray(np.where(weight > 0, (votes @ y) / np.where(weight > 0, weight, 1.0), y.mean()))
    indicator = np.equal.outer(label, np.arange(len(classes))).astype(np.float64)
    found = matrix[places[test]][:, places[train]] @ indicator + 1e-9 * indicator.sum(axis=0)
    return np.asarray(classes[np.argmax(found, axis=1)])
