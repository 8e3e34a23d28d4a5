"""Learners and the collections of Dask: what is learnt exactly, and questions that are answered in partitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gramian.gram.gram import Gram
from gramian.intake.collections import Collection
from gramian.places import CORES, place_of

GATHERING = ("score", "reconstruction_error")  # answers about all objects together


def answers(learner: Any, name: str, X: Any, *arguments: Any, **named: Any) -> Any:
    """Return what a method answers about a collection: one of as many partitions, worked out when it is wanted."""
    check_is_fitted(learner)
    if name in GATHERING:
        raise TypeError(
            f"{type(learner).__name__}.{name} does not take a Dask collection, as its answer is one number for all "
            "objects: ask for predictions, which come in partitions, and compare these with measures of Dask"
        )
    known = Collection(X)
    place = place_of(learner.sample_.points)
    if place is not CORES and place.name == place_of(known.partitions).name:  # learnt from all pairs of objects
        gram = Gram(learner.kernel_, learner.kernel_.encoded(known.partitions))
        return known.cut(getattr(learner, name)(gram, *arguments, **named))
    kernel, points = learner.kernel_, learner.sample_.points[:1]
    dtype = getattr(X, "dtype", None)
    if kernel.on_vectors and isinstance(dtype, np.dtype) and dtype.kind == "f":
        points = points.astype(np.float32 if dtype.itemsize <= 4 else np.float64)
    like = getattr(learner, name)(Gram(kernel, points), *arguments, **named)
    return known.answered(_Question(learner, name, arguments, named), like)


class _Question:
    """A method of a learner, and what it is asked with besides the objects."""

    def __init__(self, learner: Any, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        self._asked = learner, name, arguments, named

    def __call__(self, X: Any, start: int) -> Any:
        learner, name, arguments, named = self._asked
        return getattr(learner, name)(X, *arguments, **named)


def learns_exactly(learner: Any, method: Callable[..., Any], X: Collection, **named: Any) -> Any:
    """Learn from all pairs of the objects of a collection, whose targets are brought here."""
    kernel = place_of(X.partitions).settled(learner._require_kernel(), X.partitions)
    gram = Gram(kernel, kernel.encoded(X.partitions))
    y = X.targets()
    return method(learner, gram, **named) if y is None else method(learner, gram, y, **named)
