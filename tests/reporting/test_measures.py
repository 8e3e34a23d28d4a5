"""Numbers of a geometry against slow recomputation, and the errors of samples against what samples do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import silhouette_samples

import gramian as gm
from gramian.reporting.measures import (
    dimension_error,
    effective_dimension,
    leading_shares,
    root_mean_square,
    silhouettes,
    standard_error,
)


def centred(K):
    return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()


@settings(max_examples=40, deadline=None)
@given(n=st.integers(2, 30), d=st.integers(1, 5), seed=st.integers(0, 10**6))
def test_the_effective_dimension_is_that_of_the_eigenvalues(n, d, seed):
    X = np.random.default_rng(seed).standard_normal((n, d))
    K = centred(gm.Gaussian(1.0)(X))
    eigenvalues = np.linalg.eigvalsh(K)
    wanted = eigenvalues.sum() ** 2 / np.square(eigenvalues).sum()
    assert effective_dimension(K, n) == pytest.approx(min(wanted, n - 1))
    assert leading_shares(K) == pytest.approx(eigenvalues[-2:].clip(0).sum() / eigenvalues.sum())


def test_nothing_spreads_over_no_direction():
    assert effective_dimension(np.zeros((3, 3)), 3) == 0
    assert leading_shares(np.zeros((3, 3))) == 0


def test_the_dimension_of_a_sample_is_off_by_about_its_error():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 3))
    K = gm.Gaussian(1.5)(X)
    true = effective_dimension(centred(K), 2000)
    off = []
    for _ in range(60):
        rows = rng.choice(2000, 300, replace=False)
        part = centred(K[np.ix_(rows, rows)])
        off.append((effective_dimension(part, 2000) - true) / dimension_error(part, 2000))
    assert 0.4 < np.sqrt(np.mean(np.square(off))) < 2
    assert abs(np.mean(off)) < 1


@settings(max_examples=30, deadline=None)
@given(n=st.integers(4, 30), k=st.integers(2, 3), seed=st.integers(0, 10**6))
def test_silhouettes_are_those_of_scikit_learn(n, k, seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.standard_normal((n, 2)), np.arange(n) % k
    D = np.linalg.norm(X[:, None] - X, axis=2)
    assert silhouettes(D, labels) == pytest.approx(silhouette_samples(D, labels, metric="precomputed"))


def test_a_root_mean_square_is_off_by_about_its_error():
    rng = np.random.default_rng(1)
    found = [root_mean_square(rng.standard_normal(400)) for _ in range(300)]
    roots, errors = np.array(found).T
    assert roots.mean() == pytest.approx(1, abs=0.01)
    assert errors.mean() == pytest.approx(roots.std(), rel=0.15)
    assert root_mean_square(np.zeros(5)) == (0.0, 0.0)
    assert np.isnan(standard_error(np.ones(1)))
