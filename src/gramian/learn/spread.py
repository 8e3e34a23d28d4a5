"""Learners and the collections of Dask: what is learnt exactly, questions answered in partitions, and scores of all."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from gramian.gram.gram import Gram
from gramian.intake.collections import Collection
from gramian.intake.rows import listed
from gramian.learn.sample_weights import checked_weights
from gramian.learn.scores import of_distances, of_labels, of_numbers
from gramian.places import place_of

SETTLING = 2**16  # objects that a kernel is settled on where some weigh nothing


def answers(learner: Any, name: str, X: Any, *arguments: Any, **named: Any) -> Any:
    """Return what a method answers about a collection: one of as many partitions, worked out when it is wanted.

    A score is one number: that of all objects.
    """
    check_is_fitted(learner)
    if name == "score":
        return score(learner, X, *arguments, **named)
    kernel, points = learner.kernel_, learner.sample_.points[:1]
    dtype = getattr(X, "dtype", None)
    if kernel.on_vectors and isinstance(dtype, np.dtype) and dtype.kind == "f":
        points = points.astype(np.float32 if dtype.itemsize <= 4 else np.float64)
    like = getattr(learner, name)(Gram(kernel, points), *arguments, **named)
    known = Collection(X)
    asked = copy(learner)
    if known.feature_names is not None and hasattr(learner, "feature_names_in_"):
        _require_names(learner, known.feature_names)
        asked._came_in_batches = True  # partitions have no names: they were looked at here
    return known.answered(_Question(name, arguments, named), asked, like)


def _require_names(learner: Any, names: tuple[str, ...]) -> None:
    """Refuse other columns than those that were learnt from, or in another order."""
    learnt = tuple(map(str, learner.feature_names_in_))
    if names != learnt:
        raise ValueError(
            f"X has the columns {listed(names)}, and {type(learner).__name__} has learnt from {listed(learnt)}: the "
            "same expected, in this order"
        )


class _Question:
    """A method of a learner, and what it is asked with besides the objects."""

    def __init__(self, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        self._asked = name, arguments, named

    def __call__(self, X: Any, start: int, learner: Any) -> Any:
        name, arguments, named = self._asked
        return getattr(learner, name)(X, *arguments, **named)


def score(learner: Any, X: Any, y: Any = None, sample_weight: Any = None) -> float:
    """Return the score of a learner on a collection, as scikit-learn counts it: summed up over the partitions.

    Partial sums are added in a fixed tree, so that the number has the same bits whoever works.
    """
    if hasattr(learner, "centers_") and not is_classifier(learner):
        return of_distances(Collection(learner.transform(X)))
    if y is None:
        raise ValueError(f"{type(learner).__name__}.score compares predictions with y, which is None: score(X, y)")
    found = weighted(Collection(learner.predict(X), y, sample_weight))
    return of_labels(found) if is_classifier(learner) else of_numbers(found)


def learns_exactly(learner: Any, method: Callable[..., Any], X: Collection, **named: Any) -> Any:
    """Learn from all pairs of the objects of a collection, whose targets are brought here."""
    kernel = learner._require_kernel()
    if X.has_weights:  # what weighs nothing says nothing
        kernel = kernel.fit(X.sample(SETTLING, 0)[0])
    else:
        kernel = place_of(X.partitions).settled(kernel, X.partitions)
    gram = Gram(kernel, kernel.encoded(X.partitions))
    beside = {"y": X.targets(), "sample_weight": X.weights()}
    return method(learner, gram, **named | {name: values for name, values in beside.items() if values is not None})


def weighted(X: Collection) -> Collection:
    """Return a collection whose weights were looked at, where it has any."""
    if not X.has_weights:
        return X
    checked_weights(np.array([X.heaviest()]), np.zeros((1, 1)))
    return X
