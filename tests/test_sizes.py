"""A size that is out of all proportion is answered, clipped or refused with a sentence, at once."""

import contextlib
import itertools
import time

import numpy as np
import pytest

import gramian as gm
from gramian.learn import kmeans
from gramian.space import means

X = np.random.default_rng(0).normal(size=(20, 3))
Y, LABELS = X[:, 0], np.arange(20) % 2
WORDS = ["abc", "abd", "bcd", "ab"] * 5
TEXTS = ["the cat sat", "a dog ran"] * 10
RING = gm.Graph([(k, (k + 1) % 20) for k in range(20)])
MANY = 10**9
HUGE = 10**400

CASES = {
    "waves": lambda: gm.RandomFourier(gm.Gaussian(1.0), MANY),
    "landmarks": lambda: gm.Nystrom(gm.Gaussian(1.0), rank=MANY).fit(X)(X),
    "components": lambda: gm.KernelPCA(MANY).fit(X),
    "components of landmarks": lambda: gm.KernelPCA(2, rank=MANY).fit(X),
    "clusters": lambda: gm.KernelKMeans(10**8).fit(X),
    "iterations": lambda: gm.KernelKMeans(2, max_iter=10**18).fit(X),
    "pivots": lambda: gm.GramSchmidt(rank=MANY).fit(X),
    "rank": lambda: gm.cholesky(gm.Gaussian(1.0).gram(X), rank=MANY),
    "pairs": lambda: gm.eigen(gm.Gaussian(1.0).gram(X), MANY),
    "terms": lambda: gm.BagOfWords(max_features=MANY).fit(TEXTS)(TEXTS),
    "runs of words": lambda: gm.BagOfWords(ngram_range=(1, MANY)).fit(TEXTS)(TEXTS),
    "degree": lambda: gm.Polynomial(degree=MANY)(X),
    "degree, huge": lambda: gm.Polynomial(degree=HUGE)(X),
    "monomials": lambda: gm.Polynomial(degree=MANY).features(X / 1e3),
    "power": lambda: (gm.Gaussian(1.0) ** HUGE)(X),
    "subsets": lambda: gm.Anova(degree=HUGE)(X),
    "all subsets": lambda: gm.AllSubsets().features(np.ones((2, 60))),
    "pieces": lambda: gm.Spectrum(MANY)(WORDS),
    "mismatches": lambda: gm.Mismatch(MANY, MANY - 1)(WORDS),
    "subsequences": lambda: gm.Subsequences(MANY)(WORDS),
    "substrings": lambda: gm.FullSpectrum(min_length=MANY)(WORDS),
    "paths": lambda: gm.PowerDiffusion(RING, length=HUGE)(range(20)),
    "paths, many": lambda: gm.PowerDiffusion(RING, length=MANY)(range(20)),
    "ridges": lambda: gm.KernelRidge(ridge=np.geomspace(1e-3, 1, 10**6)).fit(X, Y),
    "ridges of a discriminant": lambda: gm.FisherDiscriminant(ridge=np.geomspace(1e-3, 1, 10**6)).fit(X, LABELS),
    "directions": lambda: gm.FisherDiscriminant(n_components=MANY).fit(X, LABELS),
    "coefficients": lambda: gm.Linear().polynomial([1.0] * 10**6),
    "bytes": lambda: gm.Linear().gram(X, memory="1000 TB").dense(),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", CASES)
def test_a_size_out_of_proportion_is_answered_clipped_or_refused_at_once(name):
    begun = time.process_time()
    with contextlib.suppress(ValueError, TypeError):  # anything else, such as a MemoryError, is a failure
        CASES[name]()
    assert time.process_time() - begun < 20


def test_a_subsequence_longer_than_all_sequences_is_in_none_of_them():
    assert not gm.Subsequences(4)(WORDS).any()
    assert gm.Subsequences(3)(WORDS).any()


def test_tables_of_subsequences_that_take_too_much_memory_are_refused():
    long = ["ab" * 20_000]
    with pytest.raises(ValueError, match=r"a sequence has 40,000 symbols: the tables .* take 102 GB; take a smaller"):
        gm.Subsequences(10_000, decay=0.999)(long)


class Counter:
    """A stand-in for `task` that notes how far work has come."""

    def __init__(self, *_):
        self.told = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def advance(self, done, *_, **__):
        self.told.append(done)


def test_starts_of_clusters_are_told_and_kept_few_at_a_time(monkeypatch):
    expected = gm.KernelKMeans(3, n_init=7, random_state=0).fit(X)
    told = Counter()
    monkeypatch.setattr(kmeans, "task", lambda *_: told)
    monkeypatch.setattr(kmeans, "AT_ONCE", 20 * 3 * 2)
    found = gm.KernelKMeans(3, n_init=7, random_state=0).fit(X)
    assert told.told == [2, 4, 6, 7]
    assert found.inertia_ == pytest.approx(expected.inertia_)
    assert np.array_equal(found.labels_, expected.labels_)


def test_permutations_are_told(monkeypatch):
    told = Counter()
    monkeypatch.setattr(means, "task", lambda *_: told)
    phi = gm.FeatureSpace(gm.Gaussian(1.0))
    gm.mean_test(phi(X[:10]), phi(X[10:]), permutations=150, rng=0)
    assert told.told == [64, 128, 150]
    assert all(a < b for a, b in itertools.pairwise(told.told))
