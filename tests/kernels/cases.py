"""One list of kernel cases, (kernel, data), in which every kernel of the package appears.

`CASES` holds them all. A kernel that learns from a sample (centred,
deflated, standardized) is built on the data of its case, so every case is a function of the data. Names of cases whose
objects are strings, bytes or lists of tokens begin with "strings", of those whose objects are nodes of a graph "nodes",
documents "text", rows of a table "records", and values without any structure "categories".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

import gramian as gm

try:
    import pandas as pd
except ImportError:  # tests/bare.py runs where nothing is but gramian and what it needs
    pd = None

N, D = 24, 3  # enough objects that products go through the explicit map where there is one


@dataclass(frozen=True, eq=False)
class Case:
    """A kernel and objects it can be tried on."""

    name: str
    kernel: gm.Kernel
    data: Any

    def __repr__(self) -> str:
        return self.name

    @property
    def dtype(self) -> Any:
        return np.dtype(np.float32 if "float32" in self.name else np.float64)


def sample() -> np.ndarray:
    """Normal points, two of them equal and one at the origin's side of another."""
    X = np.random.default_rng(5).normal(size=(N, D))
    X[7] = X[3]
    X[8] = -X[4]
    return X


def sparse_sample() -> scipy.sparse.csr_array:
    X = sample()
    X[np.abs(X) < 0.4] = 0
    return scipy.sparse.csr_array(X)


def words() -> list[str]:
    """Words of an alphabet of four letters, an accent and an emoji, two of them equal, one empty, one very short."""
    rng = np.random.default_rng(6)
    found = [
        "".join(rng.choice(list("abcdé😀"), rng.integers(3, 9), p=[0.4, 0.2, 0.2, 0.1, 0.05, 0.05])) for _ in range(N)
    ]
    found[7] = found[3]
    found[10], found[11] = "", "a"
    return found


def reversed_words(X: Any) -> Any:
    """A pullback on strings: every word that has an a comes backwards."""
    return [x[::-1] if "a" in x else x for x in X]


def lengths(X: Any) -> Any:
    """One number of either sign for each word."""
    return np.array([len(x) - 3.5 for x in X])


def documents() -> list[str]:
    """Sentences of at least two words, capitals and commas here and there; two of them equal."""
    rng = np.random.default_rng(8)
    vocabulary = ["cat", "dog", "mat", "sat", "the", "on", "and", "ran"]
    found = [" ".join(rng.choice(vocabulary, rng.integers(2, 9))) for _ in range(N)]
    found[5] = found[5].upper()
    found[6] = found[6].replace(" ", ", ")
    found[7] = found[3]
    return found


def doubled(X: Any) -> Any:
    """A pullback on documents: each twice."""
    return [f"{x} {x}" for x in X]


def colours() -> list[Any]:
    """Categories of several types, the seventh the third again."""
    found = [("red", "blue", 3, ("dark", "red"))[i] for i in np.random.default_rng(9).integers(4, size=N)]
    found[7] = found[3]
    return found


def records() -> list[dict[str, Any]]:
    """Rows of numbers, strings, documents and categories; the seventh is the third again."""
    columns = (sample(), words(), documents(), [str(c) for c in colours()])
    rows = [
        {"age": float(x[0]), "weight": float(x[1]), "promoter": w, "note": d, "colour": c, "left out": None}
        for x, w, d, c in zip(*columns, strict=True)
    ]
    rows[7] = rows[3]
    return rows


def town() -> gm.Graph:
    """A graph of streets with names of two kinds: weights, a loop, two components, and a node without edges."""
    edges = [
        ("mill", "church", 0.5),
        ("church", "inn"),
        ("inn", "mill", 2.0),
        ("inn", ("farm", 1), 0.25),
        (("farm", 1), ("farm", 2), 1.5),
        ("church", "church", 0.75),
        ("harbour", "light", 3.0),
        ("light", "wreck", 0.1),
        ("wreck", "harbour", 1.0),
    ]
    return gm.Graph.from_edges(edges, nodes=["mill", "church", "ruin"])


def walk() -> list[Any]:
    """Nodes of the town, every one at least once, some several times; the seventh is the third again."""
    names = town().names()
    found = [names[i] for i in np.random.default_rng(7).integers(len(names), size=N)]
    found[: len(names)] = names
    found[7] = found[3]
    found[12] = names[7]
    return found


def lastly(X: Any) -> Any:
    """A pullback on nodes: one after the other in the order of their names."""
    names = town().names()
    return [names[names.index(x) - 1] for x in X]


def places(X: Any) -> Any:
    """One number of either sign for each node."""
    names = town().names()
    return np.array([names.index(x) - 3.5 for x in X])


def cubes(X: Any) -> Any:
    """A pullback that keeps the dtype."""
    return X**3


def loudness(X: Any) -> Any:
    """One number of either sign for each object."""
    sums = X.sum(axis=1)
    return np.asarray(sums.cpu() if hasattr(sums, "cpu") else sums).ravel() - 0.25


def _deflated(kernel: gm.Kernel, X: Any) -> gm.Kernel:
    S = gm.FeatureSpace(kernel)(X)
    return S.deflate(S.subspace(rank=2)).space.kernel


def _some_psd_matrix(rank: int) -> np.ndarray:
    F = np.random.default_rng(9).normal(size=(D, rank))
    return F @ F.T


Build = Callable[[Any], gm.Kernel]

# Kernels on dense vectors, as functions of the sample.
DENSE: dict[str, Build] = {
    "linear": lambda X: gm.Linear(),
    "polynomial-inhomogeneous": lambda X: gm.Polynomial(degree=2, offset=1.0),
    "polynomial-homogeneous": lambda X: gm.Polynomial(degree=3, offset=0.0),
    "polynomial-degree-1": lambda X: gm.Polynomial(degree=1, offset=0.5),
    "polynomial-high-degree": lambda X: gm.Polynomial(degree=7, offset=2.0),
    "gaussian": lambda X: gm.Gaussian(bandwidth=1.5),
    "gaussian-narrow": lambda X: gm.Gaussian(bandwidth=0.01),
    "gaussian-wide": lambda X: gm.Gaussian(bandwidth=100.0),
    "gaussian-median": lambda X: gm.Gaussian(bandwidth="median"),
    "laplacian": lambda X: gm.Laplacian(bandwidth=2.0),
    "laplacian-median": lambda X: gm.Laplacian(bandwidth="median"),
    "matern-1/2": lambda X: gm.Matern(bandwidth=1.0, nu=0.5),
    "matern-3/2": lambda X: gm.Matern(bandwidth=1.0, nu=1.5),
    "matern-5/2": lambda X: gm.Matern(bandwidth="median", nu=2.5),
    "matern-general": lambda X: gm.Matern(bandwidth=0.7, nu=0.8),
    "matern-general-smooth": lambda X: gm.Matern(bandwidth=1.3, nu=3.3),
    "periodic": lambda X: gm.Periodic(2.5),
    "periodic-narrow": lambda X: gm.Periodic(1.0, bandwidth=0.05),
    "periodic-median": lambda X: gm.Periodic(period=7.0, bandwidth="median"),
    "bilinear": lambda X: gm.Bilinear(_some_psd_matrix(D)),
    "bilinear-low-rank": lambda X: gm.Bilinear(_some_psd_matrix(1)),
    "all-subsets": lambda X: gm.AllSubsets(),
    "all-subsets-weights": lambda X: gm.AllSubsets(weights=(0.5, 0.0, 2.0)),
    "anova-1": lambda X: gm.Anova(degree=1),
    "anova-2": lambda X: gm.Anova(degree=2),
    "anova-all": lambda X: gm.Anova(degree=D),
    "sum": lambda X: gm.Gaussian(bandwidth=1.5) + gm.Linear(),
    "sum-with-features": lambda X: gm.Polynomial(degree=2) + gm.Linear(),
    "product": lambda X: gm.Gaussian(bandwidth=1.5) * gm.Polynomial(degree=2),
    "scaled": lambda X: 0.3 * gm.Linear(),
    "shifted": lambda X: gm.Linear() + 2.5,
    "power": lambda X: gm.Laplacian(bandwidth=2.0) ** 5,
    "exponential": lambda X: (0.1 * gm.Linear()).exp(),
    "series": lambda X: gm.Gaussian(bandwidth=1.0).polynomial((1.0, 0.0, 2.0, 0.5)),
    "pullback": lambda X: gm.Linear().pullback(cubes),
    "pullback-standardize": lambda X: gm.Gaussian(bandwidth="median").pullback(gm.Standardize.of(X)),
    "reweighted": lambda X: gm.Gaussian(bandwidth=1.5).reweight(loudness),
    "reweighted-with-features": lambda X: gm.Linear().reweight(loudness),
    "normalized": lambda X: gm.Polynomial(degree=2).normalize(),
    "normalized-linear": lambda X: gm.Linear().normalize(),
    "centered": lambda X: gm.Gaussian(bandwidth="median").center(X),
    "centered-on-others": lambda X: gm.Polynomial(degree=2).center(X[:5]),
    "centered-on-near-ones": lambda X: gm.Gaussian(bandwidth=1.5).center(1e-9 * X[:5]),
    "deflated": lambda X: _deflated(gm.Gaussian(bandwidth=1.5), X),
    "centered-then-normalized": lambda X: gm.Gaussian(bandwidth=1.5).center(X).normalize(),
    "nested": lambda X: (2 * gm.Gaussian(bandwidth=1.5) + gm.Polynomial(degree=2) * gm.Laplacian()).normalize() + 1,
    "nystrom": lambda X: gm.Nystrom(gm.Gaussian(bandwidth=1.5), rank=8).fit(X),
    "nystrom-median": lambda X: gm.Nystrom(gm.Laplacian(bandwidth="median"), rank=8),
    "nystrom-all": lambda X: gm.Nystrom(gm.Matern(bandwidth=1.0, nu=0.5), rank=N),
    "nystrom-dependent": lambda X: gm.Nystrom(gm.Polynomial(degree=2), rank=20),
    "nystrom-landmarks": lambda X: gm.Nystrom(gm.Gaussian(bandwidth=1.5), landmarks=X[[0, 3, 3, 9]]),
    "nystrom-centered": lambda X: gm.Nystrom(gm.Gaussian(bandwidth=1.5), rank=8).fit(X).center(X),
    "nystrom-normalized": lambda X: gm.Nystrom(gm.Gaussian(bandwidth=1.5), rank=8).fit(X).normalize(),
    "nystrom-of-centered": lambda X: gm.Nystrom(gm.Gaussian(bandwidth=1.5).center(X), rank=8),
    "fourier-gaussian": lambda X: gm.RandomFourier(gm.Gaussian(bandwidth=1.5), rank=40),
    "fourier-laplacian": lambda X: gm.RandomFourier(gm.Laplacian(bandwidth=2.0), rank=10, seed=3),
    "fourier-matern": lambda X: gm.RandomFourier(gm.Matern(bandwidth=2.0, nu=1.5), rank=2),
    "fourier-median": lambda X: gm.RandomFourier(gm.Gaussian(bandwidth="median"), rank=8),
    "fourier-sum": lambda X: gm.RandomFourier(gm.Gaussian(bandwidth=1.5), rank=8) + gm.Linear(),
}

# Kernels that take sparse input as it is.
SPARSE: dict[str, Build] = {
    "linear": lambda X: gm.Linear(),
    "polynomial": lambda X: gm.Polynomial(degree=3, offset=1.0),
    "polynomial-homogeneous": lambda X: gm.Polynomial(degree=2, offset=0.0),
    "bilinear": lambda X: gm.Bilinear(_some_psd_matrix(2)),
    "sum": lambda X: gm.Linear() + gm.Polynomial(degree=2),
    "product": lambda X: gm.Linear() * gm.Polynomial(degree=2),
    "scaled": lambda X: 3 * gm.Linear(),
    "shifted-normalized": lambda X: (gm.Linear() + 1).normalize(),
    "reweighted": lambda X: gm.Linear().reweight(loudness),
    "centered": lambda X: gm.Linear().center(X),
    "deflated": lambda X: _deflated(gm.Linear() + 1, X),
    "gaussian": lambda X: gm.Gaussian(bandwidth=1.5),
    "gaussian-narrow": lambda X: gm.Gaussian(bandwidth=0.01),
    "gaussian-median": lambda X: gm.Gaussian(bandwidth="median"),
    "gaussian-centered": lambda X: gm.Gaussian(bandwidth="median").center(X),
    "matern-1/2": lambda X: gm.Matern(bandwidth=1.0, nu=0.5),
    "matern-general": lambda X: gm.Matern(bandwidth="median", nu=0.8),
    "nested": lambda X: (2 * gm.Gaussian(bandwidth=1.5) + gm.Polynomial(degree=2) * gm.Matern()).normalize() + 1,
    "nystrom": lambda X: gm.Nystrom(gm.Gaussian(bandwidth=1.5), rank=8).fit(X),
    "nystrom-landmarks": lambda X: gm.Nystrom(gm.Linear() + 1, landmarks=X[:5]),
    "fourier": lambda X: gm.RandomFourier(gm.Gaussian(bandwidth=1.5), rank=8),
}


# Kernels on sequences, as functions of the sample.
STRINGS: dict[str, Build] = {
    "composition": lambda X: gm.Composition(),
    "composition-alphabet": lambda X: gm.Composition(alphabet="dab!"),
    "composition-words": lambda X: gm.Composition(length=3),
    "composition-words-alphabet": lambda X: gm.Composition(alphabet="dab!", length=2),
    "spectrum-1": lambda X: gm.Spectrum(length=1),
    "spectrum-2": lambda X: gm.Spectrum(length=2),
    "spectrum-5": lambda X: gm.Spectrum(length=5),
    "spectrum-longer-than-all": lambda X: gm.Spectrum(length=50),
    "mismatch": lambda X: gm.Mismatch(length=2, mismatches=1),
    "mismatch-alphabet": lambda X: gm.Mismatch(length=3, mismatches=1, alphabet="abc"),
    "mismatch-2": lambda X: gm.Mismatch(length=3, mismatches=2, alphabet="cabd"),
    "mismatch-0": lambda X: gm.Mismatch(length=2, mismatches=0),
    "mismatch-longer-than-all": lambda X: gm.Mismatch(length=12, mismatches=1),
    "mismatch-centered": lambda X: gm.Mismatch(length=2, mismatches=1).center(X),
    "full-spectrum": lambda X: gm.FullSpectrum(),
    "full-spectrum-from-the-empty": lambda X: gm.FullSpectrum(min_length=0, decay=0.6),
    "full-spectrum-blended": lambda X: gm.FullSpectrum(min_length=2, max_length=4, decay=0.7),
    "all-subsequences": lambda X: gm.AllSubsequences(),
    "all-subsequences-normalized": lambda X: gm.AllSubsequences().normalize(),
    "subsequences": lambda X: gm.Subsequences(length=2),
    "subsequences-gaps": lambda X: gm.Subsequences(length=3, decay=0.4),
    "subsequences-longer-than-all": lambda X: gm.Subsequences(length=50, decay=0.9),
    "sum": lambda X: gm.Spectrum(length=1) + gm.Spectrum(length=3),
    "sum-of-both-kinds": lambda X: gm.Spectrum(length=2) + gm.Subsequences(length=2, decay=0.5),
    "product": lambda X: gm.Composition() * gm.AllSubsequences().normalize(),
    "scaled": lambda X: 0.3 * gm.Spectrum(length=2),
    "power": lambda X: gm.Spectrum(length=1) ** 2,
    "exponential": lambda X: gm.Composition().exp(),
    "pullback": lambda X: gm.Spectrum(length=2).pullback(reversed_words),
    "reweighted": lambda X: gm.Spectrum(length=2).reweight(lengths),
    "shifted-then-normalized": lambda X: (gm.Spectrum(length=2) + 1).normalize(),
    "centered": lambda X: gm.Spectrum(length=2).center(X),
    "centered-on-others": lambda X: gm.Subsequences(length=2, decay=0.5).center(X[:5]),
    "centered-normalized": lambda X: gm.AllSubsequences().normalize().center(X),
    "deflated": lambda X: _deflated(gm.Spectrum(length=1), X),
    "nystrom": lambda X: gm.Nystrom(gm.Spectrum(length=2), rank=6).fit(X),
    "nystrom-of-all": lambda X: gm.Nystrom(gm.AllSubsequences().normalize(), rank=N),
    "nystrom-landmarks": lambda X: gm.Nystrom(gm.Subsequences(length=2, decay=0.5), landmarks=X[:5]),
}


# Kernels on documents, as functions of the sample.
TEXT: dict[str, Build] = {
    "tf": lambda X: gm.BagOfWords(),
    "tf-idf": lambda X: gm.BagOfWords("tf-idf"),
    "tf-idf-normalized": lambda X: gm.BagOfWords("tf-idf").normalize(),
    "pairs-of-words": lambda X: gm.BagOfWords("tf-idf", ngram_range=(1, 2), stop_words=("the",)),
    "letters": lambda X: gm.BagOfWords(analyzer="char", ngram_range=(2, 3), lowercase=False),
    "vocabulary": lambda X: gm.BagOfWords("tf-idf", vocabulary=("dog", "cat", "lion")),
    "tokens": lambda X: gm.BagOfWords(tokenizer=str.split, min_df=2, max_features=5),
    "sum": lambda X: gm.BagOfWords() + gm.Spectrum(length=3),
    "product": lambda X: gm.BagOfWords() * gm.BagOfWords(analyzer="char"),
    "scaled-shifted": lambda X: 0.5 * gm.BagOfWords() + 1,
    "power": lambda X: gm.BagOfWords() ** 2,
    "pullback": lambda X: gm.BagOfWords("tf-idf").pullback(doubled),
    "reweighted": lambda X: gm.BagOfWords().reweight(lengths),
    "centered": lambda X: gm.BagOfWords("tf-idf").center(X),
    "centered-on-others": lambda X: gm.BagOfWords().center(X[:5]),
    "deflated": lambda X: _deflated(gm.BagOfWords().fit(X), X),
    "nystrom": lambda X: gm.Nystrom(gm.BagOfWords("tf-idf"), rank=5),
}

# Kernels on any objects that can be equal.
CATEGORIES: dict[str, Build] = {
    "equality": lambda X: gm.Equality(),
    "shifted": lambda X: gm.Equality() + 0.5,
    "centered": lambda X: gm.Equality().center(X),
    "nystrom": lambda X: gm.Nystrom(gm.Equality(), rank=2),
    "power": lambda X: (gm.Equality() + 1) ** 2,
}

AGE = gm.Gaussian(bandwidth="median").on("age", "weight")
PROMOTER = gm.Spectrum(length=2).on("promoter")
NOTE = gm.BagOfWords("tf-idf").on("note")
COLOUR = gm.Equality().on("colour")

# Kernels on rows of a table, as functions of the sample.
RECORDS: dict[str, Build] = {
    "numbers": lambda X: AGE,
    "strings": lambda X: PROMOTER,
    "documents": lambda X: NOTE,
    "categories": lambda X: COLOUR,
    "sum": lambda X: AGE + PROMOTER + NOTE + COLOUR,
    "sum-with-features": lambda X: gm.Linear().on("weight") + PROMOTER + NOTE + COLOUR,
    "product": lambda X: AGE * (COLOUR + 1) * NOTE,
    "sum-of-products": lambda X: AGE + PROMOTER * NOTE,
    "standardized": lambda X: gm.Gaussian().pullback(gm.Standardize()).on("age", "weight"),
    "mismatch": lambda X: gm.Mismatch(length=2).on("promoter") + gm.Composition().on("note"),
    "normalized": lambda X: (AGE + PROMOTER).normalize(),
    "centered": lambda X: (AGE + PROMOTER * COLOUR).center(X),
    "nystrom": lambda X: gm.Nystrom(AGE + PROMOTER * COLOUR, rank=6),
    "deflated": lambda X: _deflated((PROMOTER + AGE).fit(X), X),
}


NODES: dict[str, Build] = {
    f"{name}-{of}": lambda X, make=make, of=of: make(town(), of)
    for of in ("adjacency", "laplacian", "normalized")
    for name, make in {
        "power-2": lambda graph, of: gm.PowerDiffusion(graph, of=of),
        "power-4": lambda graph, of: gm.PowerDiffusion(graph, length=4, of=of),
        "exponential": lambda graph, of: gm.ExponentialDiffusion(graph, beta=0.4, of=of),
        "exponential-negative": lambda graph, of: gm.ExponentialDiffusion(graph, beta=-0.3, of=of),
        "exponential-of-nothing": lambda graph, of: gm.ExponentialDiffusion(graph, beta=0.0, of=of),
        "von-neumann": lambda graph, of: gm.VonNeumannDiffusion(graph, beta=0.2, of=of),
        "von-neumann-negative": lambda graph, of: gm.VonNeumannDiffusion(graph, beta=-0.1, of=of),
    }.items()
}
HEAT = gm.ExponentialDiffusion(town(), beta=0.7, of="laplacian")
WALKS = gm.VonNeumannDiffusion(town(), beta=0.2)

# Kernels on the nodes of a graph, as functions of the sample.
NODES |= {
    "von-neumann-far": lambda X: gm.VonNeumannDiffusion(town(), beta=50.0, of="laplacian"),
    "sum": lambda X: HEAT + gm.PowerDiffusion(town(), length=2),
    "product": lambda X: HEAT * WALKS,
    "scaled": lambda X: 0.3 * WALKS,
    "shifted": lambda X: HEAT + 2.5,
    "power": lambda X: HEAT**3,
    "exponential-entries": lambda X: HEAT.exp(),
    "series": lambda X: WALKS.polynomial((1.0, 0.0, 2.0)),
    "pullback": lambda X: HEAT.pullback(lastly),
    "reweighted": lambda X: HEAT.reweight(places),
    "normalized-walks": lambda X: WALKS.normalize(),
    "normalized-shifted-power": lambda X: (gm.PowerDiffusion(town(), length=2) + 1).normalize(),
    "centered": lambda X: HEAT.center(X),
    "centered-on-others": lambda X: WALKS.center(X[:5]),
    "centered-then-normalized": lambda X: WALKS.center(X).normalize(),
    "deflated": lambda X: _deflated(HEAT, X),
    "nested": lambda X: (2 * HEAT + gm.PowerDiffusion(town(), length=2) * WALKS).normalize() + 1,
    "nystrom": lambda X: gm.Nystrom(HEAT, rank=4).fit(X),
    "nystrom-landmarks": lambda X: gm.Nystrom(WALKS, landmarks=X[:5]),
}


def _node_cases() -> list[Case]:
    X = walk()
    cases = [Case(f"nodes-{name}", build(X), X) for name, build in NODES.items()]
    A = town().matrix
    numbers = [town().names().index(x) for x in X]
    for form, data in {"list": numbers, "array": np.array(numbers), "column": np.array(numbers)[:, None]}.items():
        cases.append(Case(f"nodes-numbered-{form}", gm.ExponentialDiffusion(A, beta=0.7, of="laplacian"), data))
    return cases


def _string_cases() -> list[Case]:
    X = words()
    cases = [Case(f"strings-{name}", build(X), X) for name, build in STRINGS.items()]
    forms = {
        "bytes": [x.encode() for x in X],
        "tokens": [[(letter, i % 2) for i, letter in enumerate(x)] for x in X],
        "array": np.array(X),
        "many-symbols": [[(i * len(x)) % 600 for i in range(len(x) * 3)] for x in X],
    }
    for form, data in forms.items():
        cases += [
            Case(f"strings-{form}-{name}", STRINGS[name](data), data)
            for name in (
                "composition",
                "composition-words",
                "spectrum-2",
                "mismatch",
                "full-spectrum",
                "all-subsequences",
                "subsequences-gaps",
                "centered",
                "nystrom",
            )
        ]
    return cases


def _object_cases() -> list[Case]:
    texts, rows = documents(), records()
    cases = [Case(f"text-{name}", build(texts), texts) for name, build in TEXT.items()]
    cases.append(Case("text-array", gm.BagOfWords("tf-idf"), np.array(texts)))
    cases += [Case(f"categories-{name}", build(colours()), colours()) for name, build in CATEGORIES.items()]
    cases.append(Case("categories-array", gm.Equality(), np.array([str(c) for c in colours()])))
    cases += [Case(f"records-{name}", build(rows), rows) for name, build in RECORDS.items()]
    frame = rows if pd is None else pd.DataFrame(rows)
    some = ("numbers", "sum", "sum-with-features", "sum-of-products", "centered")
    return cases + [Case(f"records-frame-{name}", RECORDS[name](frame), frame) for name in some]


def _vector_cases() -> list[Case]:
    cases = []
    for dtype in (np.float64, np.float32):
        X, S = sample().astype(dtype), sparse_sample().astype(dtype)
        cases += [Case(f"{name}-{np.dtype(dtype)}", build(X), X) for name, build in DENSE.items()]
        cases += [Case(f"sparse-{name}-{np.dtype(dtype)}", build(S), S) for name, build in SPARSE.items()]
    return cases


def _precomputed_cases() -> list[Case]:
    K = gm.Gaussian(bandwidth=1.5)(sample())
    return [
        Case("precomputed-float64", gm.Precomputed(K), np.arange(N)),
        Case("precomputed-float32", gm.Precomputed(K.astype(np.float32)), np.arange(0, N, 2)),
        Case("precomputed-repeated-indices-float64", gm.Precomputed(K), [3, 3, 7, 0]),
        Case("precomputed-centered-float64", gm.Precomputed(K).center(range(N)), list(range(5))),
    ]


CASES: list[Case] = _vector_cases() + _precomputed_cases() + _string_cases() + _object_cases() + _node_cases()
