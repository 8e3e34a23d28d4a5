"""Plain baselines: what somebody without kernels would try first on the same data.

vectors       linear model on standardized columns
strings       linear model on counts of letters and pairs of letters
documents     linear model on tf-idf
records       linear model on standardized numbers and indicators of categories
nodes         the most common label among the neighbours
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from gramian.checks import Array, is_sparse
from gramian.intake.dataset import Dataset
from gramian.kernels.graphs.graph import Graph
from gramian.learn.sklearn_private import take_rows

MOST_CATEGORIES = 50  # of a column that get an indicator each


def name_of(data: Dataset) -> str:
    """Return the name of the plain model for data of this kind."""
    if data.kind == "nodes":
        return "vote of the neighbours"
    model = "logistic regression" if data.task == "classes" else "linear regression"
    return {
        "vectors": model,
        "strings": f"{model} on letters and pairs",
        "documents": f"{model} on tf-idf",
        "records": f"{model} on numbers and categories",
    }[data.kind]


def predictions(data: Dataset, train: Array, y: Array, test: Array) -> Array:
    """Return what the plain model, fitted to some rows, says of others."""
    if data.kind == "nodes":
        assert data.graph is not None
        return _votes(data.graph, data.X, train, y, test)
    features = _side_by_side(data) if data.kind == "records" else data.X
    model = _linear(data)
    return np.asarray(model.fit(take_rows(features, train), y).predict(take_rows(features, test)))


def _linear(data: Dataset) -> Any:
    last = LogisticRegression(max_iter=2000) if data.task == "classes" else RidgeCV(np.logspace(-3, 3, 13))
    scaled = MaxAbsScaler if is_sparse(data.X) else StandardScaler
    first = {
        "strings": lambda: CountVectorizer(analyzer="char", ngram_range=(1, 2), lowercase=False),
        "documents": lambda: TfidfVectorizer(),
    }.get(data.kind, scaled)()
    return make_pipeline(first, last)


def _side_by_side(data: Dataset) -> Array:
    """Return numbers as they are and categories as indicators; what is neither, a plain model cannot use."""
    columns = []
    for one in data.columns:
        if not one.used or one.name == data.target:
            continue
        values = data.X[one.name]
        if one.kind in ("number", "date"):
            columns.append(np.asarray(values, dtype=np.float64)[:, None])
        elif one.kind == "category":
            common = [value for value, _ in Counter(values.tolist()).most_common(MOST_CATEGORIES)]
            columns.append(np.equal.outer(values, np.array(common, dtype=object)).astype(np.float64))
    return np.hstack(columns) if columns else np.ones((len(data.names), 1))


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
