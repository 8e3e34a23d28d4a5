"""Radial kernels of sparse points: the numbers of the dense path, without ever making the points dense."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from sklearn.metrics.pairwise import rbf_kernel

import gramian as gm
from gramian.places.cores import distances
from gramian.testing import check_gram, check_kernel

from .test_numerics import CASES_BY_DTYPE, clusters, exact_distance, exact_gaussian

RADIAL = [gm.Gaussian(1.5), gm.Matern(1.5, 0.5), gm.Matern(1.5), gm.Matern(1.5, 2.5), gm.Matern(1.5, 0.8)]
every_kernel = pytest.mark.parametrize("kernel", RADIAL, ids=repr)
every_dtype = pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 2e-3), (np.float64, 1e-7)])

csr = scipy.sparse.csr_array


def thin(n, d, density, dtype=np.float64, seed=0):
    """Normal entries at random places; two equal rows, one empty one."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, d)) * (rng.random((n, d)) < density)).astype(dtype)
    X[1] = X[0]
    X[2] = 0
    return X


@every_kernel
@every_dtype
@pytest.mark.parametrize("density", [0.02, 0.3, 1.0])
def test_sparse_points_have_the_matrix_of_the_dense_ones(kernel, dtype, tolerance, density):
    X, Z = thin(50, 30, density, dtype), thin(20, 30, density, dtype, seed=1)
    for x, z in [(csr(X), csr(Z)), (csr(X), Z), (X, csr(Z))]:
        K = kernel(x, z)
        assert K.dtype == dtype
        np.testing.assert_allclose(K, kernel(X, Z), rtol=0, atol=tolerance)
    np.testing.assert_allclose(kernel(csr(X)), kernel(X), rtol=0, atol=tolerance)
    np.testing.assert_array_equal(kernel.diag(csr(X)), np.ones(50, dtype))


def test_data_without_a_single_entry_has_similarity_one():
    for kernel in RADIAL:
        np.testing.assert_array_equal(kernel(csr((4, 10))), np.ones((4, 4)))


@pytest.mark.parametrize("density", [0.01, 0.2])
def test_gaussian_of_sparse_points_is_that_of_scikit_learn(density):
    X, Z = csr(thin(40, 100, density)), csr(thin(30, 100, density, seed=1))
    sigma = 2.5
    np.testing.assert_allclose(gm.Gaussian(sigma)(X, Z), rbf_kernel(X, Z, gamma=1 / (2 * sigma**2)), atol=1e-12)


@pytest.mark.parametrize(("dtype", "offset", "tolerance"), CASES_BY_DTYPE)
@pytest.mark.parametrize("sigma", [0.1, 1.0, 100.0])
def test_gaussian_of_sparse_points_far_from_the_origin_is_accurate(dtype, offset, tolerance, sigma):
    X = clusters(offset, dtype)
    exact = exact_gaussian(X, X, sigma)
    for x, z in [(csr(X), csr(X)), (csr(X), X), (X, csr(X))]:
        assert np.abs(gm.Gaussian(sigma)(x, z) - exact).max() < tolerance


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e2, 1e5])
@pytest.mark.parametrize("sigma", [1e-3, 1.0, 1e3])
def test_gaussian_of_sparse_points_keeps_the_accuracy_its_docstring_states(sigma, offset):
    for dtype, tolerance in ((np.float32, 3e-5), (np.float64, 1e-9)):
        X = (offset + sigma * np.random.default_rng(2).normal(size=(80, 5))).astype(dtype)
        assert np.abs(gm.Gaussian(sigma)(csr(X)) - exact_gaussian(X, X, sigma)).max() < tolerance


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_squared_distances_of_sparse_points_keep_their_relative_accuracy(dtype):
    X = np.vstack([clusters(1e3, dtype), clusters(1e3, dtype) * dtype(1 + 1e-6), thin(5, 3, 0.5, dtype)])
    exact = exact_distance(X, X) ** 2
    for a, b in [(csr(X), csr(X)), (csr(X), X), (X, csr(X))]:
        out = np.empty((len(X), len(X)), dtype)
        distances.squared_distances(a, b, 1.0, out, factor=1.0, smooth=False)
        assert (np.abs(out - exact) <= distances.distance_accuracy(out.dtype) * exact).all()


def test_sum_of_many_equal_terms_keeps_the_accuracy():
    # The rounding errors of a running sum of equal terms add up instead of cancelling.
    X = np.full((2, 100_000), 0.1)
    X[1] += 0.1 / np.sqrt(100_000)
    assert gm.Gaussian(0.1)(csr(X))[0, 1] == pytest.approx(np.exp(-0.5), abs=1e-9)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5, 0.8])
@pytest.mark.parametrize("gap", [1e-12, 1e-9, 1e-6, 1e-3])
def test_matern_of_sparse_near_duplicates_is_that_of_dense_ones(nu, gap):
    X = np.array([[1000.0, 0.0], [1000.0 + gap, 0.0], [-1000.0, 0.0], [1000.0, 0.0], [1000.0, gap]])
    K = gm.Matern(1.0, nu)(csr(X))
    np.testing.assert_allclose(K, gm.Matern(1.0, nu)(X), rtol=0, atol=1e-9)
    assert K[0, 3] == 1


@pytest.mark.parametrize("make", [gm.Gaussian, gm.Matern, lambda s: gm.Matern(s, 0.8)])
def test_sparse_radial_kernels_are_right_at_the_limits_of_the_number_format(make):
    same = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    np.testing.assert_array_equal(make(1e-310)(csr([[1.0], [2.0], [1.0]])), same)
    np.testing.assert_array_equal(make(1.0)(csr([[1.7e308], [-1.7e308], [1.7e308]])), same)
    for unit in (1e-310, 1e-150, 1e150, 1e308):
        X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, -1.5]])
        np.testing.assert_allclose(make(unit)(csr(unit * X)), make(1.0)(X), atol=1e-9)
    X = np.array([[1.0], [2.0], [1.0]], np.float32)
    np.testing.assert_array_equal(make(1e-50)(csr(X)), same)
    np.testing.assert_array_equal(make(1e50)(csr(X)), 1)


@every_kernel
@pytest.mark.parametrize("far", [1e160, 1e200, 1e300])
def test_a_sparse_point_very_far_away_does_not_spoil_the_others(kernel, far):
    near = csr([[0.0, 0.0], [1.0, 0.0]])
    K = kernel(scipy.sparse.vstack([near, csr([[far, 0.0], [far, 0.0]])], format="csr"))
    np.testing.assert_allclose(K[:2, :2], kernel(near), rtol=1e-12)
    np.testing.assert_array_equal(K[2:], [[0, 0, 1, 1], [0, 0, 1, 1]])


def test_only_distances_with_too_few_digits_are_computed_twice(monkeypatch):
    pairs = []
    between = distances._between
    monkeypatch.setattr(distances, "_between", lambda A, B, i, j, s: pairs.extend(i) or between(A, B, i, j, s))
    X = thin(60, 200, 0.1)
    gm.Gaussian(3.0)(csr(X))
    assert len(pairs) == 0  # a Gaussian is flat at 0
    gm.Matern(3.0, 0.5)(csr(X))
    assert len(pairs) == 59 + 2  # every point but 0 with itself, and the two that are equal with each other


def test_chunks_of_any_size_give_the_same_matrix(monkeypatch):
    X = thin(40, 30, 0.3) + 50 * thin(40, 30, 0.05, seed=1)
    kernel = gm.Matern(1.0, 0.5)
    expected = [kernel(csr(X)), kernel(csr(X), X[:7]), kernel(X[:7], csr(X))]
    for chunk in (1, 50, 1000):
        monkeypatch.setattr(distances, "IN_CACHE", chunk)
        found = [kernel(csr(X)), kernel(csr(X), X[:7]), kernel(X[:7], csr(X))]
        for K, E in zip(found, expected, strict=True):
            np.testing.assert_allclose(K, E, rtol=0, atol=1e-12)


def test_rows_with_repeated_and_stored_zero_entries_are_their_sums():
    data, indices, indptr = [0.5, 1.0, 1.5, 0.0, 2.0, 1.0], [1, 0, 1, 2, 1, 0], [0, 4, 6, 6]
    X = csr((data, indices, indptr), shape=(3, 3))  # (1, 2, 0) in four entries, (1, 2, 0) unsorted, nothing
    for kernel in RADIAL:
        np.testing.assert_allclose(kernel(X), kernel([[1.0, 2.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0]]), atol=1e-12)


@every_kernel
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_radial_kernels_conform(kernel, dtype):
    X = csr(thin(15, 40, 0.15, dtype))
    check_kernel(kernel, X)
    check_gram(kernel.gram(X))
    check_gram(kernel.gram(X, X[:5].toarray()))
    check_gram(kernel.gram(X[:5].toarray(), X))


@pytest.mark.parametrize("kernel", [gm.Gaussian("median"), gm.Matern("median", 0.5)], ids=repr)
def test_grams_of_sparse_points_do_what_grams_of_dense_ones_do(kernel):
    X = thin(60, 25, 0.3)
    K, D = kernel.gram(csr(X)), kernel.gram(X)
    V = np.random.default_rng(3).normal(size=(60, 2))
    for found, expected in [
        (K.apply(V), D.apply(V)),
        (K.columns([3, 5]), D.columns([3, 5])),
        (K.center().dense(), D.center().dense()),
        (K.center() @ V, D.center() @ V),
        (gm.cholesky(K, rank=8).factor, gm.cholesky(D, rank=8).factor),
        (gm.eigen(K, 5).values, gm.eigen(D, 5).values),
        (gm.eigen(K.center(), 5).values, gm.eigen(D.center(), 5).values),
        (K.kernel.center(csr(X))(X[:4], csr(X)), D.kernel.center(X)(X[:4], X)),
    ]:
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)


def test_truncated_features_of_sparse_points_are_those_of_the_dense_ones():
    X = thin(6, 3, 0.5)
    np.testing.assert_array_equal(gm.Gaussian(1.5).features(csr(X), degree=3), gm.Gaussian(1.5).features(X, degree=3))


def test_kernels_of_two_precisions_are_computed_in_the_higher_one():
    X, Z = csr(thin(20, 30, 0.3, np.float32)), thin(10, 30, 0.3, seed=1)
    for kernel in RADIAL:
        for x, z in [(X, csr(Z)), (X, Z), (X.toarray(), csr(Z))]:
            K = kernel(x, z)
            assert K.dtype == np.float64
            np.testing.assert_allclose(K, kernel(X.toarray(), Z), rtol=0, atol=1e-9)


@pytest.mark.parametrize("far", [0.0, 1e4], ids=["near", "far"])
def test_wide_sparse_points_are_never_made_dense(far):
    n, d = 300, 100_000  # 240 MB as an array
    X = scipy.sparse.random_array((n, d), density=2e-4, rng=np.random.default_rng(0), format="csr")
    X = X + csr((np.full(n, far), (np.arange(n), np.zeros(n, int))), shape=(n, d))
    Z = np.random.default_rng(1).normal(size=(60, d))
    for use in (
        lambda: gm.Matern("median", 0.5)(X),
        lambda: gm.Gaussian(5.0).gram(X).center() @ np.ones(n),
        lambda: gm.Gaussian(300.0)(X, Z),
        lambda: gm.Gaussian(300.0)(Z, X),
    ):
        tracemalloc.start()
        use()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 8 * n * d / 4
