"""Partial Gram–Schmidt features (seed 000, Algorithm 5.12): against Gram–Schmidt on explicit vectors."""

import functools
from math import sqrt

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import gramian as gm


def quadratic_features(X):
    """φ of (xᵀz + 1)²: all ordered products of two of the coordinates and 1."""
    A = np.hstack([X, np.ones((len(X), 1))])
    return np.einsum("ni,nj->nij", A, A).reshape(len(A), -1)


EXPLICIT = [
    pytest.param(gm.Linear(), lambda X: X, id="linear"),
    pytest.param(gm.Polynomial(2, 1.0), quadratic_features, id="quadratic"),
]


def orthonormal(vectors):
    """Gram–Schmidt in the given order, one vector at a time."""
    basis = []
    for v in vectors:
        for q in basis:
            v = v - (q @ v) * q
        basis.append(v / np.linalg.norm(v))
    return np.array(basis)


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(loc=0.5, size=(25, 3))


@pytest.fixture(scope="module")
def Z():
    return np.random.default_rng(1).normal(size=(8, 3))


@pytest.mark.parametrize("pivoting", ["greedy", "random"])
@pytest.mark.parametrize(("kernel", "features"), EXPLICIT)
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_coordinates_are_those_of_gram_schmidt_on_the_explicit_features(kernel, features, rank, pivoting, X, Z):
    model = gm.GramSchmidt(kernel, rank=rank, pivoting=pivoting, random_state=0).fit(X)
    Q = orthonormal(features(X)[model.pivots_])
    assert len(model.pivots_) == rank
    scale = np.abs(features(X)).max()
    np.testing.assert_allclose(model.transform(X), features(X) @ Q.T, atol=1e-10 * scale)
    np.testing.assert_allclose(model.transform(Z), features(Z) @ Q.T, atol=1e-10 * scale)


@pytest.mark.parametrize(("kernel", "features"), EXPLICIT)
def test_residuals_are_the_distances_from_the_span_of_the_pivots(kernel, features, X):
    F = features(X)
    for rank in (1, 2, 3):
        model = gm.GramSchmidt(kernel, rank=rank).fit(X)
        Q = orthonormal(F[model.pivots_])
        expected = np.linalg.norm(F - F @ Q.T @ Q, axis=1)
        np.testing.assert_allclose(model.residuals_, expected, atol=1e-6)
        assert model.relative_error_ == pytest.approx(np.sum(expected**2) / np.sum(F**2), abs=1e-12)


@pytest.mark.parametrize("rank", [3, 10, 20])
def test_inner_products_of_the_coordinates_miss_the_kernel_by_the_residuals(rank, X):
    kernel = gm.Gaussian(1.5)
    model = gm.GramSchmidt(kernel, rank=rank).fit(X)
    T, K = model.transform(X), kernel(X)
    left = K - T @ T.T
    # Roots of differences of numbers near 1
    squares, tol = np.maximum(np.diagonal(left), 0), 4 * len(X) * np.finfo(float).eps
    np.testing.assert_allclose(np.sqrt(squares), model.residuals_, rtol=1e-7, atol=np.sqrt(tol))
    assert np.linalg.eigvalsh(left)[0] > -1e-12
    # Cauchy–Schwarz for what is left of two points
    assert (np.abs(left) <= np.outer(model.residuals_, model.residuals_) + 1e-12).all()
    assert model.relative_error_ == pytest.approx(np.trace(left) / np.trace(K), rel=1e-8)


@pytest.mark.parametrize("pivoting", ["greedy", "random"])
@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Polynomial(2, 1.0), gm.Gaussian(0.5), gm.Laplacian(1.0)], ids=repr)
def test_inner_products_of_the_coordinates_are_the_kernel_at_full_rank(kernel, pivoting, X):
    model = gm.GramSchmidt(kernel, pivoting=pivoting, random_state=0).fit(X)
    T, K = model.transform(X), kernel(X)
    np.testing.assert_allclose(T @ T.T, K, atol=1e-9 * np.diagonal(K).max())
    np.testing.assert_allclose(model.residuals_, 0, atol=1e-6 * sqrt(np.diagonal(K).max()))
    assert len(model.pivots_) == np.linalg.matrix_rank(K)


def test_features_of_a_new_point_in_the_span_keep_its_inner_products(X, Z):
    # All of the quadratic features are spanned by the sample, so new points lose nothing either.
    kernel = gm.Polynomial(2, 1.0)
    model = gm.GramSchmidt(kernel).fit(X)
    np.testing.assert_allclose(model.transform(Z) @ model.transform(X).T, kernel(Z, X), atol=1e-8)
    np.testing.assert_allclose(model.transform(Z) @ model.transform(Z).T, kernel(Z), atol=1e-8)


def test_greedy_pivots_are_the_points_farthest_from_the_span_so_far(X):
    F = quadratic_features(X)
    model = gm.GramSchmidt(gm.Polynomial(2, 1.0), rank=6).fit(X)
    rest = F.copy()
    for pivot in model.pivots_:
        norms = np.linalg.norm(rest, axis=1)
        assert norms[pivot] == pytest.approx(norms.max(), rel=1e-9)
        q = rest[pivot] / norms[pivot]
        rest = rest - np.outer(rest @ q, q)


def test_coordinates_of_the_pivots_are_a_triangle_with_the_residual_norms_on_its_diagonal(X):
    model = gm.GramSchmidt(gm.Gaussian(1.5), rank=6).fit(X)
    L = model.transform(X[model.pivots_])
    np.testing.assert_allclose(L, np.tril(L), atol=1e-12)
    assert (np.diagonal(L) > 0).all()
    for k in range(1, 6):
        shorter = gm.GramSchmidt(gm.Gaussian(1.5), rank=k).fit(X)
        np.testing.assert_array_equal(shorter.pivots_, model.pivots_[:k])
        assert shorter.residuals_[model.pivots_[k]] == pytest.approx(L[k, k], rel=1e-6)


def test_random_pivots_are_those_of_the_seed(X):
    def pivots(seed):
        return tuple(gm.GramSchmidt(gm.Gaussian(1.0), 8, pivoting="random", random_state=seed).fit(X).pivots_)

    assert pivots(3) == pivots(3)
    assert pivots(np.random.RandomState(3)) == pivots(3)
    assert len({pivots(seed) for seed in range(6)}) > 1
    assert all(len(set(pivots(seed))) == 8 for seed in range(6))


@pytest.mark.parametrize("pivoting", ["greedy", "random"])
@pytest.mark.parametrize("tol", [0.5, 0.1, 1e-2, 1e-4])
def test_tolerance_is_the_share_of_the_trace_that_may_be_left_and_no_pivot_is_one_too_many(tol, pivoting, X):
    model = gm.GramSchmidt(gm.Gaussian(1.0), tol=tol, pivoting=pivoting, random_state=0).fit(X)
    k = len(model.pivots_)
    assert model.relative_error_ <= tol
    assert model.relative_error_ == pytest.approx(np.sum(model.residuals_**2) / len(X), rel=1e-9)
    assert model.residuals_.max() <= sqrt(tol * len(X))
    K = gm.Gaussian(1.0)(X)
    before = model.pivots_[: k - 1]
    explained = K[:, before] @ np.linalg.solve(K[np.ix_(before, before)], K[before]) if k > 1 else 0 * K
    assert np.trace(K - explained) / len(X) > tol


def test_smaller_of_rank_and_tolerance_decides(X):
    assert len(gm.GramSchmidt(gm.Gaussian(1.0), rank=2, tol=1e-6).fit(X).pivots_) == 2
    free = len(gm.GramSchmidt(gm.Gaussian(1.0), tol=0.3).fit(X).pivots_)
    assert len(gm.GramSchmidt(gm.Gaussian(1.0), rank=25, tol=0.3).fit(X).pivots_) == free < 25


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("kernel", [gm.Gaussian(1.0), gm.Polynomial(2, 1.0), gm.Laplacian(2.0)], ids=repr)
def test_linear_ridge_on_all_features_is_kernel_ridge(kernel, fit_intercept, X, Z):
    y = np.sin(X).sum(axis=1)
    pipeline = make_pipeline(gm.GramSchmidt(kernel), Ridge(alpha=0.3, fit_intercept=fit_intercept)).fit(X, y)
    direct = gm.KernelRidge(kernel, ridge=0.3, fit_intercept=fit_intercept).fit(X, y)
    np.testing.assert_allclose(pipeline.predict(Z), direct.predict(Z), atol=1e-6)
    np.testing.assert_allclose(pipeline.predict(X), direct.predict(X), atol=1e-6)


def test_repeated_points_are_spanned_once(X):
    model = gm.GramSchmidt(gm.Gaussian(1.0)).fit(np.repeat(X[:6], 3, axis=0))
    assert len(model.pivots_) == 6
    assert sorted(model.pivots_ // 3) == list(range(6))


def test_objects_without_a_direction_are_refused():
    with pytest.raises(ValueError, match="nothing to span"):
        gm.GramSchmidt(gm.Linear()).fit(np.zeros((4, 2)))


def test_median_bandwidth_gram_and_matrix_give_the_features_of_the_data(X, Z):
    kernel = gm.Gaussian("median").fit(X)
    expected = gm.GramSchmidt(kernel, rank=5).fit(X).transform(Z)
    np.testing.assert_array_equal(gm.GramSchmidt(rank=5).fit(X).transform(Z), expected)
    np.testing.assert_allclose(gm.GramSchmidt(rank=5).fit(kernel.gram(X)).transform(Z), expected, atol=1e-12)
    matrix = gm.GramSchmidt(gm.Precomputed(kernel(np.vstack([X, Z]))), rank=5).fit(range(25))
    np.testing.assert_allclose(matrix.transform(range(25, 33)), expected, atol=1e-10)


def test_single_precision_gives_single_precision_features(X, Z):
    single = gm.GramSchmidt(gm.Gaussian(1.5), rank=6).fit(X.astype(np.float32))
    double = gm.GramSchmidt(gm.Gaussian(1.5), rank=6).fit(X)
    assert single.transform(Z.astype(np.float32)).dtype == np.float32
    np.testing.assert_array_equal(single.pivots_, double.pivots_)
    np.testing.assert_allclose(single.transform(Z.astype(np.float32)), double.transform(Z), atol=1e-3)


@pytest.mark.parametrize("pivoting", ["greedy", "random"])
@pytest.mark.parametrize("eta", [0.5, 1e-2, 1e-4])
def test_no_image_is_farther_from_the_span_than_the_root_of_eta(eta, pivoting, X):
    model = gm.GramSchmidt(gm.Gaussian(), residual=eta, pivoting=pivoting, random_state=0).fit(X)
    assert model.residuals_.max() <= sqrt(eta)
    fewer = gm.GramSchmidt(gm.Gaussian(), rank=len(model.pivots_) - 1, pivoting=pivoting, random_state=0).fit(X)
    assert fewer.residuals_.max() > sqrt(eta)


def test_an_eta_that_leaves_nothing_to_span_is_refused_with_the_largest_norm(X):
    with pytest.raises(ValueError, match=r"residual is 1, and no κ\(x, x\) is above 1: .* smaller one"):
        gm.GramSchmidt(gm.Gaussian(), residual=1.0).fit(X)
    with pytest.raises(ValueError, match="residual is -1.0; a number of at least 0 expected"):
        gm.GramSchmidt(gm.Gaussian(), residual=-1.0).fit(X)


@pytest.mark.parametrize("pivoting", ["greedy", "random"])
@pytest.mark.parametrize("once", [False, True])
def test_batches_are_spanned_as_an_array_is(pivoting, once, tmp_path):
    X = np.random.default_rng(2).normal(size=(300, 3))
    make = functools.partial(gm.GramSchmidt, gm.Gaussian(1.5), rank=15, pivoting=pivoting, random_state=0)
    here = make().fit(X)
    found = make().fit(gm.Batches(iter([X[:200], X[200:]]) if once else X, rows=70))
    assert found.pivots_.tolist() == here.pivots_.tolist()
    np.testing.assert_allclose(found.transform(X), here.transform(X), atol=1e-10)
    assert found.relative_error_ == pytest.approx(here.relative_error_, abs=1e-12)
    assert found.largest_residual_ == pytest.approx(here.residuals_.max(), abs=1e-7)
    assert len(found.sample_) == 15
    assert not hasattr(found, "residuals_")
    gm.save(found, tmp_path / "model")
    np.testing.assert_array_equal(gm.load(tmp_path / "model").transform(X), found.transform(X))


def test_pivots_of_many_are_chosen_among_some_and_named_by_their_places(monkeypatch):
    monkeypatch.setattr("gramian.learn.gram_schmidt.HEAD", 50)
    X = np.random.default_rng(3).normal(size=(400, 2))
    found = gm.GramSchmidt(gm.Gaussian(1.0), rank=10).fit(gm.Batches(X, rows=64))
    np.testing.assert_array_equal(found.sample_.points.parts[0], X[found.pivots_])
    span = gm.FeatureSpace(found.kernel_)(X[found.pivots_]).subspace()
    residuals = span.residuals(X)
    assert found.relative_error_ == pytest.approx(np.square(residuals).mean(), rel=1e-6)
    assert found.largest_residual_ == pytest.approx(residuals.max(), rel=1e-6)
