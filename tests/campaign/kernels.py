"""Kernels for every kind of object, their parameters at and beyond the limits, and what the algebra makes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gramian as gm

from .attack import chance, one_of, seldom
from .objects import Sample, graph_of, width

# What a number, and what an integer, may turn out to be in the hands of a user
NUMBERS = (0, 0.0, -1.0, 1e-300, 5e-324, 1e300, 1.7e308, np.nan, np.inf, True, None, "1", [1.0], 1 + 0j, 10**400)
NUMBERS += (np.float32(2.0), np.array(1.5), np.array([1.0, 2.0]), -0.0, "median", np.int8(3), np.bool_(True), "")
INTEGERS = (0, -1, 1, 2.0, 2.5, True, None, "2", 10**9, 2**63, 10**400, np.int8(2), np.nan, [2], np.float64(3))


def number(rng: np.random.Generator, *usual: Any) -> Any:
    """Return one of the usual values, or now and then anything."""
    return seldom(rng, usual, NUMBERS)


def whole(rng: np.random.Generator, *usual: Any) -> Any:
    """Return one of the usual integers, or now and then anything."""
    return seldom(rng, usual, INTEGERS)


SERIES: tuple[Any, ...] = ((1.0, 2.0), (0.0, 0.0, 1.0))
BAD_SERIES: tuple[Any, ...] = ((), (-1.0,), (np.nan,), None, 2.0, "ab")
BAD_FORMS: tuple[Any, ...] = (-np.eye(2), np.ones((3, 3)), [[1.0]], None, np.ones(2), [[np.nan]])


def _forms(d: int) -> Any:
    return np.eye(d), np.ones((d, d)), 1e-3 * np.eye(d)


Draw = Callable[[np.random.Generator, Sample], Any]

VECTORS: dict[str, Draw] = {
    "linear": lambda rng, s: gm.Linear(),
    "polynomial": lambda rng, s: gm.Polynomial(whole(rng, 1, 2, 3, 7), number(rng, 0.0, 1.0, 0.5)),
    "gaussian": lambda rng, s: gm.Gaussian(number(rng, 1.5, "median", 0.01, 100.0)),
    "laplacian": lambda rng, s: gm.Laplacian(number(rng, 1.5, "median", 0.01, 100.0)),
    "matern": lambda rng, s: gm.Matern(number(rng, 1.5, "median", 0.1), number(rng, 0.5, 1.5, 2.5, 0.8, 3.3)),
    "periodic": lambda rng, s: gm.Periodic(number(rng, 7.0, 0.5, 1e6), number(rng, 1.0, "median", 0.1)),
    "all subsets": lambda rng, s: gm.AllSubsets(seldom(rng, (None, (0.5,) * width(s)), ((-1.0,), "ab", 2.0))),
    "anova": lambda rng, s: gm.Anova(whole(rng, 1, 2)),
    "bilinear": lambda rng, s: gm.Bilinear(seldom(rng, _forms(width(s)), BAD_FORMS)),
    "fourier": lambda rng, s: gm.RandomFourier(gm.Gaussian(number(rng, 1.5, "median")), whole(rng, 4, 10)),
    "standardized": lambda rng, s: gm.Gaussian(number(rng, 1.5, "median")).pullback(gm.Standardize()),
}
STRINGS: dict[str, Draw] = {
    "composition": lambda rng, s: gm.Composition(seldom(rng, (None, "ab"), ("", "aa", 5, ["a"]))),
    "spectrum": lambda rng, s: gm.Spectrum(whole(rng, 1, 2, 3)),
    "mismatch": lambda rng, s: gm.Mismatch(whole(rng, 2, 3), whole(rng, 0, 1)),
    "full spectrum": lambda rng, s: gm.FullSpectrum(whole(rng, 1, 2), whole(rng, None, 3, 4), number(rng, 1.0, 0.7)),
    "all subsequences": lambda rng, s: gm.AllSubsequences(),
    "subsequences": lambda rng, s: gm.Subsequences(whole(rng, 1, 2, 3), number(rng, 1.0, 0.5)),
    "equality": lambda rng, s: gm.Equality(),
}
DOCUMENTS: dict[str, Draw] = {
    "words": lambda rng, s: gm.BagOfWords(seldom(rng, ("tf", "tf-idf"), ("idf", None))),
    "pairs of words": lambda rng, s: gm.BagOfWords(
        "tf-idf", ngram_range=seldom(rng, ((1, 2), (2, 2)), ((2, 1), (0, 1)))
    ),
    "letters": lambda rng, s: gm.BagOfWords(analyzer="char", ngram_range=(2, 3), lowercase=chance(rng, 0.5)),
    "few words": lambda rng, s: gm.BagOfWords(min_df=number(rng, 1, 2, 0.2), max_features=whole(rng, None, 3)),
    "vocabulary": lambda rng, s: gm.BagOfWords(
        vocabulary=seldom(rng, (("cat", "dog"), ("lion",)), ((), ("a", "a"), "cat"))
    ),
    "spectrum": lambda rng, s: gm.Spectrum(whole(rng, 2, 3)),
}
NODES: dict[str, Draw] = {
    "power": lambda rng, s: gm.PowerDiffusion(graph_of(s), whole(rng, 2, 3, 4), of=_of(rng)),
    "exponential": lambda rng, s: gm.ExponentialDiffusion(graph_of(s), number(rng, 0.4, -0.3, 0.0, 2.0), of=_of(rng)),
    "von Neumann": lambda rng, s: gm.VonNeumannDiffusion(graph_of(s), number(rng, 0.1, -0.1, 0.2), of=_of(rng)),
}
RECORDS: dict[str, Draw] = {
    "numbers": lambda rng, s: gm.Gaussian(number(rng, 1.5, "median")).on("age", "dose"),
    "words": lambda rng, s: gm.Spectrum(whole(rng, 2)).on("word"),
    "notes": lambda rng, s: gm.BagOfWords("tf-idf").on("note"),
    "colours": lambda rng, s: gm.Equality().on("colour"),
    "sum": lambda rng, s: gm.Linear().on("dose") + gm.Spectrum(2).on("word") + gm.Equality().on("colour"),
    "product": lambda rng, s: (gm.Gaussian().on("age") + 1) * (gm.Equality().on("colour") + 1),
    "one column": lambda rng, s: gm.Linear().on(seldom(rng, ("age", "dose"), ("word", "nothing", 0, None))),
}
KERNELS: dict[str, dict[str, Draw]] = {
    "vectors": VECTORS,
    "strings": STRINGS,
    "documents": DOCUMENTS,
    "nodes": NODES,
    "records": RECORDS,
    "categories": {"equality": lambda rng, s: gm.Equality()},
    "indices": {"precomputed": lambda rng, s: gm.Precomputed(s.graph[0])},
}


def _of(rng: np.random.Generator) -> Any:
    return seldom(rng, ("adjacency", "laplacian", "normalized"), ("distance", None, 1))


def loudness(X: Any) -> Any:
    """One number of either sign for each object."""
    return np.linspace(-1.0, 2.0, X.shape[0] if hasattr(X, "shape") else len(X))


ALGEBRA: dict[str, Callable[[np.random.Generator, gm.Kernel, gm.Kernel, Sample], gm.Kernel]] = {
    "sum": lambda rng, k, other, s: k + other,
    "product": lambda rng, k, other, s: k * other,
    "scaled": lambda rng, k, other, s: number(rng, 0.3, 2, 1e5) * k,
    "shifted": lambda rng, k, other, s: k + number(rng, 1, 0.5),
    "power": lambda rng, k, other, s: k ** whole(rng, 2, 3),
    "exponential": lambda rng, k, other, s: (0.01 * k).exp(),
    "series": lambda rng, k, other, s: k.polynomial(seldom(rng, SERIES, BAD_SERIES)),
    "normalized": lambda rng, k, other, s: k.normalize(),
    "centered": lambda rng, k, other, s: k.center(s.X),
    "nystrom": lambda rng, k, other, s: gm.Nystrom(k, whole(rng, 2, 5)),
    "with itself": lambda rng, k, other, s: k + k,
    "squared sum": lambda rng, k, other, s: (k + other) ** 2,
}


def draw(rng: np.random.Generator, sample: Sample) -> tuple[str, Callable[[], gm.Kernel]]:
    """Return a kernel for a sample: its name, and the function that makes it, which may refuse."""
    kinds = KERNELS[sample.kind]
    names = [one_of(rng, kinds), one_of(rng, kinds)]
    steps = [one_of(rng, ALGEBRA) for _ in range(int(rng.choice((0, 1, 2), p=(0.55, 0.3, 0.15))))]
    seed = int(rng.integers(2**31))

    def make() -> gm.Kernel:
        luck = np.random.default_rng(seed)
        kernel, other = (kinds[name](luck, sample) for name in names)
        for step in steps:
            kernel = ALGEBRA[step](luck, kernel, other, sample)
        return kernel

    return " → ".join([names[0], *steps]), make
