"""One list of learners, each as a function of the kernel, and the objects they are tried on.

`LEARNERS` holds every learner of the package, in each configuration that takes another way through its code; a test
fails if a public learner is missing from it. `answers` asks a fitted learner everything that it can be asked about
new objects, so that "the same model" means the same in all tests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest

import gramian as gm

N, D = 40, 3
LETTERS = "abcdef"


@dataclass(frozen=True, eq=False)
class Learner:
    """How a learner is made of a kernel, what it needs besides X, and the name of the kernel among its parameters."""

    name: str
    make: Callable[[gm.Kernel], Any]
    target: str | None = None
    path: str = "kernel"

    def __repr__(self) -> str:
        return self.name

    def fitted(self, kernel: gm.Kernel, X: Any) -> Any:
        return self.make(kernel).fit(X, self.y(len_of(X)))

    def y(self, n: int = N) -> Any:
        """Labels or numbers for the first n of the objects below; None for a learner that needs none."""
        return {None: None, "labels": labels()[:n], "numbers": numbers()[:n]}[self.target]


LEARNERS = [
    Learner("novelty-bound", lambda k: gm.NoveltyDetector(k, calibration="bound")),
    Learner("novelty-conformal", lambda k: gm.NoveltyDetector(k, calibration="conformal", alpha=0.2, random_state=0)),
    Learner("parzen", lambda k: gm.ParzenClassifier(k), "labels"),
    Learner("fisher-loo", lambda k: gm.FisherDiscriminant(k), "labels"),
    Learner("fisher-number", lambda k: gm.FisherDiscriminant(k, ridge=0.1), "labels"),
    Learner("ridge-number", lambda k: gm.KernelRidge(k, ridge=0.5), "numbers"),
    Learner("ridge-loo", lambda k: gm.KernelRidge(k), "numbers"),
    Learner("ridge-gcv", lambda k: gm.KernelRidge(k, ridge="gcv", fit_intercept=True), "numbers"),
    Learner("ridge-none", lambda k: gm.KernelRidge(k, ridge=0), "numbers"),
    Learner("classifier-loo", lambda k: gm.KernelClassifier(k), "labels"),
    Learner("classifier-number", lambda k: gm.KernelClassifier(k, 0.1, fit_intercept=False), "labels"),
    Learner("projection", lambda k: gm.KernelRidge(k, ridge=0.5, smoother="projection"), "numbers"),
    Learner("pca-number", lambda k: gm.KernelPCA(2, k)),
    Learner("pca-share", lambda k: gm.KernelPCA(0.7, k)),
    Learner("gram-schmidt-greedy", lambda k: gm.GramSchmidt(k, rank=3)),
    Learner("gram-schmidt-random", lambda k: gm.GramSchmidt(k, rank=3, pivoting="random", random_state=0)),
    Learner("gram-rows", lambda k: gm.GramRows(k)),
    Learner("kmeans", lambda k: gm.KernelKMeans(3, k, n_init=2, random_state=0)),
    Learner(
        "search-ridge",
        lambda k: gm.KernelSearch(gm.KernelRidge(k), {"ridge": [0.1, 1.0]}),
        "numbers",
        "estimator__kernel",
    ),
    Learner(
        "search-fisher",
        lambda k: gm.KernelSearch(gm.FisherDiscriminant(k), {"ridge": [0.1, 1.0]}),
        "labels",
        "estimator__kernel",
    ),
    Learner(
        "search-alignment",
        lambda k: gm.KernelSearch(gm.FisherDiscriminant(k), {"ridge": [0.1]}, criterion="alignment"),
        "labels",
        "estimator__kernel",
    ),
]
LEARN = {learner.name: learner for learner in LEARNERS}
TRANSFORMERS = [
    LEARN[name]
    for name in ("fisher-loo", "pca-number", "gram-schmidt-greedy", "gram-schmidt-random", "gram-rows", "kmeans")
]
CLASSIFIERS = [learner for learner in LEARNERS if learner.target == "labels"]
REGRESSORS = [learner for learner in LEARNERS if learner.target == "numbers"]
SEARCHES = [learner for learner in LEARNERS if learner.name.startswith("search")]
NOT_SEARCHES = [learner for learner in LEARNERS if learner not in SEARCHES]

every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=repr)

# A bound from so few objects is never of use; that it says so is for the tests of the detector itself.
few_objects = pytest.mark.filterwarnings("ignore:this detector can never fire:UserWarning")


def vectors() -> np.ndarray:
    """Two clouds of points, one after the other in turn."""
    X = np.random.default_rng(3).normal(size=(N, D))
    X[1::2] += 2.0
    return X


def more_vectors() -> np.ndarray:
    return np.random.default_rng(4).normal(size=(7, D)) + 1.0


def labels() -> np.ndarray:
    return np.array(["even", "odd"])[np.arange(N) % 2]


def numbers() -> np.ndarray:
    return np.sin(vectors()).sum(axis=1)


def words(n: int = N) -> list[str]:
    """Words of two languages in turn, one that likes the first letters and one that likes the last."""
    rng = np.random.default_rng(6)
    liking = np.array([8, 4, 2, 1, 1, 1]) / 17
    return ["".join(rng.choice(list(LETTERS), rng.integers(4, 9), p=liking[:: 1 - 2 * (i % 2)])) for i in range(n)]


class SharedPieces(gm.Kernel):
    """How often two words share a piece of a given length: a kernel as a user writes one."""

    length: int = 1

    def encode(self, words: Any) -> gm.Encoded:
        if not all(isinstance(word, str) for word in words):
            raise TypeError("a list of words expected")
        pieces = ["".join(letters) for letters in product(LETTERS, repeat=self.length)]
        return gm.Encoded((np.array([[word.count(piece) for piece in pieces] for word in words], dtype=float),))

    def block(self, a: gm.Encoded, b: gm.Encoded, out: np.ndarray) -> None:
        (A,), (B,) = a, b
        np.matmul(A, B.T, out=out)

    def squared_norms(self, a: gm.Encoded) -> np.ndarray:
        (A,) = a
        return (A * A).sum(axis=1)


def halves() -> list[tuple[np.ndarray, np.ndarray]]:
    """Two folds, with both kinds of objects in each half."""
    first = np.arange(N) % 4 < 2
    return [(np.flatnonzero(part), np.flatnonzero(~part)) for part in (first, ~first)]


METHODS = (
    "predict",
    "decision_function",
    "predict_proba",
    "predict_interval",
    "score_samples",
    "p_values",
    "transform",
    "reconstruction_error",
)


def answers(model: Any, X: Any) -> dict[str, np.ndarray]:
    """Return what each method of a fitted learner says of objects."""
    found = {name: np.asarray(getattr(model, name)(X)) for name in METHODS if hasattr(model, name)}
    assert found, "a learner that cannot be asked anything"
    if "predict_interval" in found:
        found["predict_interval"] = np.moveaxis(found["predict_interval"], 0, -1)  # a row an object, as of the others
    return found


def assert_same_answers(model: Any, other: Any, X: Any, Z: Any = None, tol: float = 0.0) -> None:
    """Require the same answers of two fitted learners about X, or of the second one about Z, up to a relative tol."""
    assert_equal_answers(answers(model, X), answers(other, X if Z is None else Z), tol)


def assert_equal_answers(first: dict[str, np.ndarray], second: dict[str, np.ndarray], tol: float = 0.0) -> None:
    assert first.keys() == second.keys()
    for name, found in first.items():
        if found.dtype.kind == "f":
            assert np.isfinite(found).all(), name
            np.testing.assert_allclose(second[name], found, rtol=tol, atol=tol * np.abs(found).max(), err_msg=name)
        else:
            np.testing.assert_array_equal(second[name], found, err_msg=name)


def len_of(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)
