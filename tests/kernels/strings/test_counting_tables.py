"""Counting without sorting, against a dictionary of the pieces of each string."""

from collections import Counter

import numpy as np
import pytest

import gramian as gm
from gramian.kernels.strings import counting


def counted(X, length):
    """Count the pieces of each string, one by one."""
    bags = [Counter(x[i : i + length] for i in range(len(x) - length + 1)) for x in X]
    names = sorted(set().union(*bags))
    return names, np.array([[bag[name] for name in names] for bag in bags], float).reshape(len(X), len(names))


@pytest.mark.parametrize("seed", range(20))
def test_counts_are_those_of_a_dictionary_by_every_way_to_them(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    symbols = list("ACGT" if seed % 2 else "abcdefghijklmnopqrstuvwxyz é漢")
    X = ["".join(rng.choice(symbols, rng.integers(0, 40))) for _ in range(rng.integers(1, 60))]
    length = int(rng.integers(1, 7))
    names, expected = counted(X, length)
    for spacious, at_once, numbered in [(16, 2**20, 2**16), (10**9, 300, 2**16), (0, 300, 2**16), (10**9, 1, 0)]:
        monkeypatch.setattr(counting, "SPACIOUS", spacious)
        monkeypatch.setattr(counting, "AT_ONCE", at_once)
        monkeypatch.setattr(counting, "NUMBERED", numbered)
        monkeypatch.setattr(counting, "DENSE_BYTES", 0)
        kernel = gm.Spectrum(length)
        features = kernel.features(X)
        assert kernel.feature_names(X) == names
        assert np.array_equal(features.toarray() if hasattr(features, "toarray") else features, expected)
