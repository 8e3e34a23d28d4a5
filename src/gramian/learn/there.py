"""Learners asked about objects that are in another place: tensors go in, and tensors come out.

A learner takes the Gram of objects as well as these themselves. So tensors become a Gram of their place before any
method sees them, and answers are sent to that place after it; what is learnt, labels among it, stays on the host.

A collection of Dask is learnt from where its partitions are: in low rank as batches are, exactly as a Gram of its
place. So are batches of a file where a client of Dask is in force, whose workers read it.
Questions about one are asked of its partitions, each of which becomes a partition of the answer, when it is wanted.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from gramian.checks import at_hand, from_device
from gramian.gram.gram import Gram
from gramian.gram.there import sent
from gramian.intake.batches import Batches
from gramian.intake.collections import Collection, Files
from gramian.learn.spread import answers, learns_exactly, weighted
from gramian.places import CORES, is_collection, place_of, received

LEARNING = ("fit", "fit_transform", "fit_predict", "partial_fit")
ASKING = (
    "transform", "predict", "predict_proba", "predict_log_proba", "predict_interval", "decision_function",
    "score_samples", "score", "p_values", "reconstruction_error",
)  # fmt: skip
ANSWERING = ("inverse_transform",)  # what is asked of numbers, not of objects


def answers_there(learner: type) -> None:
    """Let the methods of a class of learners take tensors."""
    for name in ANSWERING:
        if inspect.isfunction(method := vars(learner).get(name)):
            setattr(learner, name, _answered(method))
    for name in (*LEARNING, *ASKING):
        method = inspect.getattr_static(learner, name, None)
        if inspect.isfunction(method) and not hasattr(method, "takes_tensors"):
            setattr(learner, name, _asked(method, name in LEARNING))
        elif hasattr(method, "check") and hasattr(method, "fn") and not hasattr(method.fn, "takes_tensors"):
            setattr(learner, name, available_if(method.check)(_asked(method.fn, name in LEARNING)))


def _asked(method: Callable[..., Any], learning: bool) -> Callable[..., Any]:
    @functools.wraps(method)
    def asked(self: Any, *arguments: Any, **named: Any) -> Any:
        X = arguments[0] if arguments else named.get("X")
        if is_collection(X) or (learning and isinstance(X, Batches) and X.is_spread):
            return _spread(self, method, X, *arguments[1:], **named)
        if not learning:
            for beside in (*arguments[1:], *named.values()):
                at_hand(beside)
        X = received(X)
        place = X.place if isinstance(X, Gram | Batches) else place_of(X)
        if place is CORES or (isinstance(X, Gram) and X.here is X):
            return method(self, *arguments, **named)
        if isinstance(X, Batches):
            with place.exact():
                return method(self, *arguments, **named)
        named = {name: from_device(value) for name, value in named.items() if name != "X"}
        with place.exact():
            answer = method(self, _gram(self, X, learning), *map(from_device, arguments[1:]), **named)
        if learning and not isinstance(X, Gram):
            self._checked(X, self.kernel_, True)  # so that the number of columns is kept
        return answer if answer is self else sent(answer, place)

    asked.takes_tensors = True  # type: ignore[attr-defined]
    return asked


def _answered(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def answered(self: Any, T: Any, *arguments: Any, **named: Any) -> Any:
        place = place_of(received(T))
        return sent(method(self, from_device(T), *arguments, **named), place)

    return answered


def _spread(learner: Any, method: Callable[..., Any], X: Any, *arguments: Any, **named: Any) -> Any:
    """Call a method on a collection."""
    name, named = method.__name__, {key: value for key, value in named.items() if key != "X"}
    if name in ("fit_transform", "fit_predict"):
        fitted = learner.fit(X, *arguments, **named)
        return getattr(fitted, name.removeprefix("fit_"))(X)
    if name not in ("fit", "partial_fit"):
        return answers(learner, name, X, *arguments, **named)
    given = inspect.signature(method).bind(learner, X, *arguments, **named).arguments
    y, weights = given.pop("y", None), given.pop("sample_weight", None)
    more = {key: value for key, value in given.items() if key not in ("self", "X")}
    known = Files(X, y, weights) if isinstance(X, Batches) else weighted(Collection(X, y, weights))
    if name == "partial_fit" or (hasattr(learner, "_reduces") and learner._reduces(known)):
        return method(learner, known, **more)
    return learns_exactly(learner, method, known, **more)


def _gram(learner: Any, X: Any, learning: bool) -> Gram:
    if isinstance(X, Gram):
        return X.here
    if learning:
        kernel = learner._require_kernel().fit(X)
    else:
        check_is_fitted(learner)
        kernel = learner.kernel_
        X = learner._checked(X, kernel, False)
    found = Gram(kernel, kernel.encoded(X))
    found.objects = X
    return found
