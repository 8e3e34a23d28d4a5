"""Learners with parameters at and beyond the limits, and targets of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import gramian as gm

from .attack import chance, one_of, seldom
from .kernels import number, whole


@dataclass(frozen=True)
class Learner:
    """How a learner is made of a kernel, the target it needs, and which invariances must hold for it."""

    name: str
    make: Callable[[gm.Kernel], Any]
    target: str | None = None
    steady: bool = False  # no choice among nearly equal candidates: a permutation changes nothing but rounding


def draw(rng: np.random.Generator) -> Learner:
    """Return a learner with parameters drawn; the same ones each time that it is made."""
    name = one_of(rng, LEARNERS)
    seed = int(rng.integers(2**31))
    target, make, steady = LEARNERS[name]
    return Learner(name, lambda kernel: make(np.random.default_rng(seed), kernel), target, steady)


def _ridge(rng: np.random.Generator) -> Any:
    return number(rng, "loo", "gcv", 0.1, 1.0, 1e-3)


def _rank(rng: np.random.Generator) -> Any:
    return whole(rng, None, None, "exact", 3, 5)


LEARNERS: dict[str, tuple[str | None, Callable[[np.random.Generator, Any], Any], bool]] = {
    "novelty by bound": (
        None,
        lambda rng, k: gm.NoveltyDetector(k, delta=number(rng, 0.01, 0.1, 0.5), calibration="bound", rank=_rank(rng)),
        False,
    ),
    "novelty, conformal": (
        None,
        lambda rng, k: gm.NoveltyDetector(
            k,
            calibration="conformal",
            alpha=number(rng, 0.05, 0.2, 0.5),
            calibration_size=number(rng, 0.5, 0.3),
            random_state=0,
        ),
        False,
    ),
    "novelty": (None, lambda rng, k: gm.NoveltyDetector(k, random_state=0), False),
    "parzen": ("labels", lambda rng, k: gm.ParzenClassifier(k), True),
    "parzen, low rank": ("labels", lambda rng, k: gm.ParzenClassifier(k, rank=_rank(rng)), False),
    "fisher": ("labels", lambda rng, k: gm.FisherDiscriminant(k, ridge=number(rng, 0.1, 1.0)), True),
    "fisher, chosen": (
        "labels",
        lambda rng, k: gm.FisherDiscriminant(k, _ridge(rng), n_components=whole(rng, None, 1), rank=_rank(rng)),
        False,
    ),
    "ridge": (
        "numbers",
        lambda rng, k: gm.KernelRidge(k, ridge=number(rng, 0.1, 1.0), fit_intercept=chance(rng, 0.5)),
        True,
    ),
    "ridge, chosen": (
        "numbers",
        lambda rng, k: gm.KernelRidge(
            k,
            _ridge(rng),
            chance(rng, 0.5),
            smoother=seldom(rng, ("shrinkage", "projection"), ("spline", None)),
            solver=seldom(rng, ("auto", "auto", "dual", "primal"), ("none", 1)),
            rank=_rank(rng),
            tol=number(rng, None, None, 1e-6),
        ),
        False,
    ),
    "pca": (None, lambda rng, k: gm.KernelPCA(number(rng, 1, 2, 0.7, None), k), False),
    "pca, low rank": (None, lambda rng, k: gm.KernelPCA(number(rng, 1, 2, 0.7), k, rank=_rank(rng)), False),
    "gram-schmidt": (
        None,
        lambda rng, k: gm.GramSchmidt(
            k, whole(rng, None, 1, 3), number(rng, 0.0, 0.01), one_of(rng, ("greedy", "random")), 0
        ),
        False,
    ),
    "k-means": (
        None,
        lambda rng, k: gm.KernelKMeans(whole(rng, 1, 2, 3), k, seldom(rng, (2,), (0, -1, 1.5, None)), 50, 0),
        False,
    ),
    "search": (
        "numbers",
        lambda rng, k: gm.KernelSearch(gm.KernelRidge(k), {"ridge": [0.1, 1.0]}),
        False,
    ),
    "search by alignment": (
        "labels",
        lambda rng, k: gm.KernelSearch(gm.FisherDiscriminant(k), {"ridge": [0.1]}, criterion="alignment"),
        False,
    ),
}


# Targets


LABELS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "two words": lambda rng, n: np.array(["even", "odd"])[np.arange(n) % 2],
    "three numbers": lambda rng, n: np.arange(n) % 3,
    "truth values": lambda rng, n: np.arange(n) % 2 == 0,
    "list of words": lambda rng, n: [f"c{i % 3}" for i in range(n)],
    "series": lambda rng, n: pd.Series(np.arange(n) % 2),
    "objects": lambda rng, n: np.array(["a", "b"], dtype=object)[np.arange(n) % 2],
    "one alone": lambda rng, n: (np.arange(n) == 0).astype(int),
    "all different": lambda rng, n: np.arange(n),
    "whole floats": lambda rng, n: (np.arange(n) % 2).astype(float),
    "column": lambda rng, n: (np.arange(n) % 2)[:, None],
}
BAD_LABELS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "one class": lambda rng, n: np.zeros(n, dtype=int),
    "continuous": lambda rng, n: rng.normal(size=n),
    "NaN": lambda rng, n: np.where(np.arange(n) % 2, np.nan, 1.0),
    "None": lambda rng, n: None,
    "a None": lambda rng, n: [None, *("ab" * n)][:n],
    "mixed types": lambda rng, n: (["a", 1, 2.5] * n)[:n],
    "too few": lambda rng, n: np.arange(max(0, n - 1)) % 2,
    "too many": lambda rng, n: np.arange(n + 1) % 2,
    "two columns": lambda rng, n: np.ones((n, 2), dtype=int),
    "complex": lambda rng, n: np.arange(n) * 1j,
    "a word": lambda rng, n: "label",
    "a number": lambda rng, n: 1,
    "lists": lambda rng, n: [[1], [2, 3]] * n,
    "bytes": lambda rng, n: [b"a", b"b"] * n,
    "NA": lambda rng, n: pd.array([1, None] * n, dtype="Int64")[:n],
    "dates": lambda rng, n: np.full(n, "2020-01-01", "M8[D]"),
}
REAL: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "constant": lambda rng, n: np.full(n, 3.0),
    "zero": lambda rng, n: np.zeros(n),
    "integers": lambda rng, n: rng.integers(-5, 5, size=n),
    "float32": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "truth values": lambda rng, n: np.arange(n) % 2 == 0,
    "list": lambda rng, n: rng.normal(size=n).tolist(),
    "two outputs": lambda rng, n: rng.normal(size=(n, 2)),
    "1e300": lambda rng, n: rng.normal(size=n) * 1e300,
    "1e150": lambda rng, n: rng.normal(size=n) * 1e150,
    "1e-300": lambda rng, n: rng.normal(size=n) * 1e-300,
    "denormal": lambda rng, n: np.full(n, 5e-324),
    "1e39": lambda rng, n: rng.normal(size=n) * 1e39,
    "far": lambda rng, n: 1e12 + rng.normal(size=n),
}
BAD_REAL = {name: BAD_LABELS[name] for name in ("None", "a None", "NaN", "too few", "too many", "complex", "a word")}
BAD_REAL |= {name: BAD_LABELS[name] for name in ("lists", "NA", "dates", "bytes")}
BAD_REAL |= {
    "infinite": lambda rng, n: np.full(n, np.inf),
    "words": lambda rng, n: ["a", "b"] * n,
    "three axes": lambda rng, n: np.ones((n, 1, 1)),
    "no columns": lambda rng, n: np.ones((n, 0)),
    "huge integers": lambda rng, n: [10**400] * n,
}


def target(rng: np.random.Generator, learner: Learner, n: int) -> tuple[str, Any]:
    """Return a target for a learner, most often one that it can learn."""
    if learner.target is None:
        return "none", None
    good, bad = (LABELS, BAD_LABELS) if learner.target == "labels" else (REAL, BAD_REAL)
    some = bad if chance(rng, 0.08) else good
    name = one_of(rng, some)
    with np.errstate(all="ignore"):
        return name, some[name](rng, n)


def weights(rng: np.random.Generator, n: int) -> tuple[str, Any]:
    """Return sample weights, or None most of the time."""
    if not chance(rng, 0.25):
        return "", None
    name = one_of(rng, WEIGHTS)
    return f", weights {name}", WEIGHTS[name](rng, n)


WEIGHTS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "counts": lambda rng, n: rng.integers(1, 4, size=n),
    "with zeros": lambda rng, n: np.arange(n) % 2,
    "random": lambda rng, n: rng.random(n),
    "tiny": lambda rng, n: np.full(n, 1e-300),
    "huge": lambda rng, n: np.full(n, 1e300),
    "wide": lambda rng, n: 10.0 ** rng.integers(-12, 12, size=n),
    "a number": lambda rng, n: 2.0,
    "negative": lambda rng, n: np.full(n, -1.0),
    "zero": lambda rng, n: np.zeros(n),
    "NaN": lambda rng, n: np.full(n, np.nan),
    "infinite": lambda rng, n: np.full(n, np.inf),
    "too few": lambda rng, n: np.ones(max(0, n - 1)),
    "two axes": lambda rng, n: np.ones((n, 2)),
    "words": lambda rng, n: ["a"] * n,
}
