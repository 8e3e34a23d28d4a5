"""The claims on strings and graph nodes, each a ratio against a peer in the same run."""

from functools import partial
from math import log

import numpy as np
import scipy.linalg
import scipy.sparse
from jobs import dna
from measure import best, duel, must
from record import NOT, Claim

import gramian as gm


def counted(X: list[str], lengths: tuple[int, int]) -> np.ndarray:
    """The Gram of substring counts by scikit-learn's vectorizer and one sparse product."""
    from sklearn.feature_extraction.text import CountVectorizer

    Phi = CountVectorizer(analyzer="char", ngram_range=lengths, lowercase=False).fit_transform(X)
    return (Phi @ Phi.T).toarray()


def spectrum() -> Claim:
    X = dna(2000, 300)
    kernel = gm.Spectrum(5)
    kernel(X[:10])
    ours, theirs = duel(lambda: kernel(X), lambda: counted(X, (5, 5)), repeats=5)
    equal = np.array_equal(kernel(X), counted(X, (5, 5)))
    return Claim(
        "Spectrum(5), Gram of 2,000 DNA strings of length 300",
        "scikit-learn CountVectorizer and product",
        ours,
        theirs,
        "≥ 8 × faster",
        theirs / ours >= 8 and equal,
        "the two are equal" if equal else "the two differ",
        must("spectrum_gram", 2000)["peak"],
        must("counted_gram", 2000, 5)["peak"],
    )


def spectrum_per_pair() -> Claim:
    from strkernels import SpectrumStringKernel

    X, few = dna(2000, 300), dna(24, 300)
    kernel, peer = gm.Spectrum(5), SpectrumStringKernel(order=5)
    pairs, few_pairs = len(X) * (len(X) + 1) / 2, len(few) * (len(few) + 1) / 2
    ours = best(lambda: kernel(X), 5) / pairs
    theirs = best(lambda: peer(few, few), 2) / few_pairs
    gap = float(np.abs(gm.FullSpectrum(max_length=5).normalize()(few) - peer(few, few)).max())
    return Claim(
        "Spectrum(5), a pair of DNA strings of length 300",
        "strkernels",
        ours,
        theirs,
        "≥ 1,000 × faster",
        theirs / ours >= 1000 and gap < 1e-6,
        f"2,000 strings against 24; the peer adds up lengths 1 to 5, as FullSpectrum does to {gap:.0e}",
    )


def full_spectrum() -> Claim:
    X = dna(2000, 300)
    kernel, bounded = gm.FullSpectrum(), gm.FullSpectrum(max_length=10)
    kernel(X[:10])
    ours, theirs = duel(lambda: kernel(X), lambda: counted(X, (1, 10)), repeats=2)
    equal = np.array_equal(bounded(X[:200]), counted(X[:200], (1, 10)))
    return Claim(
        "FullSpectrum(), Gram of the same strings, all lengths",
        "CountVectorizer and product, lengths 1 to 10",
        ours,
        theirs,
        "≥ 5 × faster",
        theirs / ours >= 5 and equal,
        "up to length 10 the two are equal" if equal else "the two differ",
        must("full_spectrum_gram", 2000)["peak"],
        must("counted_gram", 2000, 10)["peak"],
    )


def subsequences() -> Claim:
    from strkernels import SubsequenceStringKernel

    X = dna(40, 300)
    kernel, peer = gm.Subsequences(4, decay=0.5), SubsequenceStringKernel(maxlen=4, ssk_lambda=0.5)
    kernel(X[:2])
    ours, theirs = duel(lambda: kernel(X), lambda: peer(X, X), repeats=5)
    return Claim(
        "Subsequences(4, decay=0.5), Gram of 40 DNA strings of length 300",
        "strkernels SubsequenceStringKernel(maxlen=4)",
        ours,
        theirs,
        "≥ 20 × faster",
        theirs / ours >= 20,
        "the peer adds up lengths 1 to 4",
        must("subsequences_gram", 40)["peak"],
        must("subsequences_strkernels", 40)["peak"],
    )


def long_strings() -> Claim:
    answer, quarter = (must("long_strings", n) for n in (1_000_000, 250_000))
    exponent = log(answer["seconds"] / quarter["seconds"]) / log(4)
    per_character = answer["megabytes"] * 1e6 / 2_000_000
    return Claim(
        "FullSpectrum(), two DNA strings of a million characters each",
        "(their 10^12 pairs of substrings)",
        answer["seconds"],
        float("nan"),
        "linear time (n^1.2 at most), < 100 bytes a character",
        per_character < 100 and exponent <= 1.2,
        f"{per_character:.0f} bytes a character beyond the strings; four times the length of 250,000 takes "
        f"{answer['seconds'] / quarter['seconds']:.1f} times as long, n^{exponent:.2f}",
        answer["peak"],
    )


def random_graph(n: int, degree: int = 10) -> scipy.sparse.csr_array:
    return undirected(*np.random.default_rng(0).integers(0, n, (2, n * degree // 2)), n)


def undirected(i: np.ndarray, j: np.ndarray, n: int) -> scipy.sparse.csr_array:
    """The adjacency matrix of these edges, without weights and loops."""
    A = scipy.sparse.csr_array((np.ones(len(i)), (i, j)), shape=(n, n))
    A = scipy.sparse.csr_array(((A + A.T) > 0).astype(np.float64))
    A.setdiag(0)
    A.eliminate_zeros()
    return A


def planted_graph(n: int, groups: int = 4, degree: int = 20) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """A graph of equal groups, seven edges in ten of which stay within their group, and the group of each node."""
    rng = np.random.default_rng(0)
    size, edges = n // groups, n * degree // 2
    i = rng.integers(0, n, edges)
    group = np.minimum(np.arange(n) // size, groups - 1)
    inside = np.minimum(group[i] * size + rng.integers(0, size, edges), n - 1)
    j = np.where(rng.random(edges) < 0.7, inside, rng.integers(0, n, edges))
    return undirected(i, j, n), group


def diffusion_columns(of: str, beta: float, held: bool) -> Claim:
    from scipy.sparse.linalg import expm_multiply

    n = 100_000
    graph, nodes = gm.Graph(random_graph(n)), np.arange(10) * 1000
    S, units = graph.similarity(of).S, np.zeros((n, 10))
    units[nodes, np.arange(10)] = 1.0

    def columns() -> np.ndarray:
        return gm.ExponentialDiffusion(gm.Graph(graph.matrix), beta, of=of)(np.arange(n), nodes)

    ours, theirs = duel(columns, lambda: expm_multiply(beta * S, units), repeats=5)
    expected = expm_multiply(beta * S, units)
    gap = float(np.abs(columns() - expected).max() / np.abs(expected).max())
    return Claim(
        f"ExponentialDiffusion(beta={beta}, of={of!r}), 10 columns, 100,000 nodes of degree 10",
        "scipy.sparse.linalg.expm_multiply",
        ours,
        theirs,
        "≥ 3 × faster" if held else "",
        not held or (theirs / ours >= 3 and gap < 1e-12),
        f"the two agree to {gap:.0e}",
        must("heat_columns", n)["peak"] if held else NOT,
        must("expm_columns", n)["peak"] if held else NOT,
    )


def diffusion_matrix() -> Claim:
    A, beta = random_graph(2000), 0.2
    S = gm.Graph(A).similarity("laplacian").S.toarray()
    ours, theirs = duel(
        lambda: gm.ExponentialDiffusion(A, beta, of="laplacian")(range(2000)),
        lambda: scipy.linalg.expm(beta * S),
        repeats=5,
    )
    expected = scipy.linalg.expm(beta * S)
    gap = float(np.abs(gm.ExponentialDiffusion(A, beta, of="laplacian")(range(2000)) - expected).max())
    return Claim(
        "ExponentialDiffusion, the whole matrix of 2,000 nodes of degree 10",
        "scipy.linalg.expm",
        ours,
        theirs,
        "≥ 1.8 × faster",
        theirs / ours >= 1.8 and gap < 1e-10,
        f"the two agree to {gap:.0e}",
    )


OBJECTS = {
    "spectrum": spectrum,
    "spectrum_per_pair": spectrum_per_pair,
    "full_spectrum": full_spectrum,
    "subsequences": subsequences,
    "long_strings": long_strings,
    "diffusion_heat": partial(diffusion_columns, "laplacian", 1.0, held=True),
    "diffusion_adjacency": partial(diffusion_columns, "adjacency", 0.2, held=False),
    "diffusion_matrix": diffusion_matrix,
}
