"""The spectrum of S K Sᵀ by every route, against a dense eigenvalue decomposition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.factor import spectrum as spectrum_module
from gramian.factor.solve import PLAIN, Lens
from gramian.factor.spectrum import Spectrum, coordinates, spectrum

KERNELS = [gm.Linear(), gm.Polynomial(2, 1.0), gm.Gaussian(1.0), gm.Laplacian(2.0)]


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(30, 3))


def matrix(kind):
    """S as a matrix: nothing, weights, a centring, or both."""
    d = np.random.default_rng(1).uniform(0.1, 2.0, size=30)
    if kind == "plain":
        return np.eye(30)
    if kind == "weights":
        return np.diag(d)
    if kind == "centring":
        return np.eye(30) - 1 / 30
    unit = d / np.linalg.norm(d)
    return (np.eye(30) - np.outer(unit, unit)) @ np.diag(d)


def lens(S):
    return Lens(lambda V: S @ V, lambda V: S.T @ V)


@pytest.mark.parametrize("side", ["auto", "dual"])
@pytest.mark.parametrize("kind", ["plain", "weights", "centring", "both"])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_u_and_sigma_rebuild_the_matrix_as_seen_through_s(kernel, kind, side, X):
    S = matrix(kind)
    A = S @ kernel(X) @ S.T
    found = spectrum(kernel.gram(X), lens(S), side)
    values = np.linalg.eigvalsh(A)[::-1]
    tolerance = 1e-12 * values[0]
    np.testing.assert_allclose(found.vectors * found.values @ found.vectors.T, A, atol=tolerance)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(len(found.values)), atol=1e-12)
    np.testing.assert_allclose(found.values, values[: len(found.values)], atol=tolerance)
    assert (np.diff(found.values) <= 0).all()
    assert (found.values > 0).all()
    assert found.left_out == 0.0


def test_without_a_frame_it_is_k_itself(X):
    for kernel in KERNELS:
        found = spectrum(kernel.gram(X), PLAIN)
        np.testing.assert_allclose(found.vectors * found.values @ found.vectors.T, kernel(X), atol=1e-11)


@pytest.mark.parametrize(
    ("kernel", "rank"), [(gm.Linear(), 3), (gm.Polynomial(2, 0.0), 6), (gm.Polynomial(2, 1.0), 10)]
)
@pytest.mark.parametrize("side", ["auto", "primal", "dual"])
def test_there_are_as_many_directions_as_the_rank(kernel, rank, side, X):
    assert len(spectrum(kernel.gram(X), side=side).values) == rank


@pytest.mark.parametrize("side", ["auto", "dual"])
def test_in_single_precision_too_rounding_errors_are_no_directions(side, X):
    found = spectrum(gm.Linear().gram(X.astype(np.float32)), side=side)
    assert len(found.values) == 3


@pytest.mark.parametrize("n", [3, 4, 5, 8, 15])
def test_a_centring_takes_one_direction_away_however_few_the_objects(n):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        d = rng.uniform(0.1, 2.0, size=n)
        unit = d / np.linalg.norm(d)
        S = (np.eye(n) - np.outer(unit, unit)) @ np.diag(d)
        found = spectrum(gm.Gaussian(0.3).gram(rng.normal(size=(n, 3))), lens(S))
        assert len(found.values) == n - 1


def test_a_gram_of_zeros_has_no_direction():
    for kernel in (gm.Linear(), gm.Precomputed(np.zeros((4, 4)))):
        gram = kernel.gram(np.zeros((4, 2)) if kernel == gm.Linear() else range(4))
        found = spectrum(gram)
        assert found.values.shape == (0,)
        assert found.vectors.shape == (4, 0)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 15), rank=st.integers(1, 15))
def test_any_psd_matrix_is_rebuilt(seed, n, rank):
    F = np.random.default_rng(seed).normal(size=(n, rank))
    K = F @ F.T
    found = spectrum(gm.Precomputed(K).gram(range(n)))
    np.testing.assert_allclose(found.vectors * found.values @ found.vectors.T, K, atol=1e-12 * np.trace(K))


@pytest.fixture
def many(monkeypatch):
    """Let 30 objects be too many for a dense decomposition, and 12 the largest rank."""
    monkeypatch.setattr(spectrum_module, "DENSE", 20)
    monkeypatch.setattr(spectrum_module, "LARGEST_RANK", 12)


def test_beyond_dense_sizes_the_share_of_the_trace_left_out_is_reported(many, X):
    gram = gm.Gaussian(0.7).gram(X)
    found = spectrum(gram)
    assert len(found.values) == 12
    assert found.left_out == pytest.approx(1 - found.values.sum() / 30, rel=1e-8)
    assert found.left_out > 0.01
    rest = gram.dense() - found.vectors * found.values @ found.vectors.T
    assert np.linalg.eigvalsh(rest)[0] >= -1e-10, "what is left out is positive semidefinite"


def test_beyond_dense_sizes_a_matrix_of_low_rank_is_found_whole(many, X):
    K = gm.Linear()(X)
    found = spectrum(gm.Precomputed(K).gram(range(30)))
    assert len(found.values) == 3
    assert found.left_out <= 1e-12
    np.testing.assert_allclose(found.vectors * found.values @ found.vectors.T, K, atol=1e-10)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_coordinates_have_the_inner_products_of_k(kernel, X):
    points, left_out = coordinates(kernel.gram(X))
    assert left_out == 0
    np.testing.assert_allclose(points @ points.T, kernel(X), atol=1e-11)


def test_coordinates_have_as_many_columns_as_the_rank(X):
    K = gm.Linear()(X)
    assert coordinates(gm.Precomputed(K).gram(range(30)))[0].shape == (30, 3)


def centring(n):
    return np.eye(n) - 1 / n


def weighed(w):
    """S of weights and an intercept, with the gain that a learner gives it."""
    d = np.sqrt(w)
    P = np.eye(len(w)) - np.outer(d, d) / (d @ d)
    return Lens(lambda V: P @ (d[:, None] * V), lambda V: d[:, None] * (P @ V), float(w.max()))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_a_valid_kernel_is_never_called_indefinite_however_few_and_far_the_objects(n):
    rng = np.random.default_rng(n)
    kernels = [gm.Linear() + 1, gm.Polynomial(2, 1.0), (gm.Linear() + 1) ** 3, gm.Gaussian(1.0) + gm.Linear()]
    for trial in range(150):
        size, spread = 10.0 ** rng.integers(-6, 6), 10.0 ** rng.integers(-6, 1)
        X = size * (rng.normal() + spread * rng.normal(size=(n, 1)))
        gram = kernels[trial % 4].gram(X.astype(np.float32) if trial % 3 == 0 else X)
        w = 10.0 ** rng.uniform(-6, 6, size=n)
        for seen in (PLAIN, lens(centring(n)), weighed(w), weighed(np.ones(n))):
            assert (spectrum(gram, seen, "dual").values > 0).all()
        coordinates(gram)


@pytest.mark.parametrize("n", [3, 4, 5])
def test_an_indefinite_matrix_is_refused_through_every_frame(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        s = rng.permutation(np.where(np.arange(n) % 2, -1.0, 1.0))  # what a centring leaves of it is negative still
        K = gm.Precomputed(1.9 * np.eye(n) - 0.9 * np.outer(s, s)).gram(range(n))
        for seen in (PLAIN, lens(centring(n)), weighed(np.ones(n))):
            with pytest.raises(ValueError, match="not positive semidefinite"):
                spectrum(K, seen, "dual")


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 12))
@settings(max_examples=50, deadline=None)
def test_a_spectrum_beside_a_direction_is_that_of_the_projection(seed, n):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, n + 1))
    U = np.linalg.qr(rng.normal(size=(n, rank)))[0]
    values = np.sort(10.0 ** rng.uniform(-3, 3, rank))[::-1]
    unit = rng.normal(size=n) + (U[:, 0] * 10.0 ** rng.integers(-8, 3))
    unit = unit / np.linalg.norm(unit)
    P = np.eye(n) - np.outer(unit, unit)
    wanted = P @ (U * values) @ U.T @ P
    found = Spectrum(values, U, 0.0).beside(unit)
    given = (found.vectors * found.values) @ found.vectors.T
    np.testing.assert_allclose(given, wanted, rtol=0, atol=64 * n * np.finfo(float).eps * values[0])
    slack = 64 * n * np.finfo(float).eps * np.sqrt(values[0] / found.values)
    assert (np.abs(unit @ found.vectors) <= slack).all()
