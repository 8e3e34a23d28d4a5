"""Subspaces: Gram–Schmidt and eigenvectors, coordinates and residuals, rank and dimension (seed 000, section 5.2)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.factor import eigen as eigen_module
from gramian.space import vectors as vectors_module

METHODS = ["gram-schmidt", "eigen"]


def projector(basis):
    """The orthogonal projector onto the span of the rows."""
    _, s, Vh = np.linalg.svd(basis, full_matrices=False)
    kept = s > 1e-10 * s[0]
    return Vh[kept].T @ Vh[kept]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rank", [1, 2, 3, None])
def test_basis_is_orthonormal(known, X, method, rank):
    V = known.space(X).subspace(method, rank)
    assert V.dim == len(V.basis) >= 1
    assert rank is None or V.dim <= rank
    np.testing.assert_allclose(V.basis.inner(V.basis), np.eye(V.dim), atol=1e-8)


@pytest.mark.parametrize("pivoting", ["greedy", "random", None])
def test_gram_schmidt_spans_what_its_points_span(explicit, X, Z, pivoting):
    P, Q = explicit.features(X), explicit.features(Z)
    V = explicit.space(X).subspace(pivoting=pivoting, rng=0)
    assert V.dim == np.linalg.matrix_rank(P)
    M = projector(P)
    np.testing.assert_allclose(V.residuals(Z), np.linalg.norm(Q - Q @ M, axis=1), atol=1e-5)
    coordinates = V.coordinates(Z)
    np.testing.assert_allclose(coordinates @ coordinates.T, Q @ M @ Q.T, atol=1e-8 * np.abs(Q @ Q.T).max())


def test_gram_schmidt_in_the_given_order_is_the_textbook_procedure(explicit, X):
    P = explicit.features(X)
    basis = []
    for row in P:
        left = row - sum(((q @ row) * q for q in basis), np.zeros_like(row))
        left = left - sum(((q @ left) * q for q in basis), np.zeros_like(row))
        if np.linalg.norm(left) > 1e-8:
            basis.append(left / np.linalg.norm(left))
    V = explicit.space(X).subspace(pivoting=None)
    assert V.dim == len(basis)
    np.testing.assert_allclose(V.coordinates(X), P @ np.array(basis).T, atol=1e-8 * np.abs(P).max())


@pytest.mark.parametrize("rank", [1, 2])
def test_eigen_subspace_is_that_of_the_leading_singular_vectors(explicit, X, Z, rank):
    P, Q = explicit.features(X), explicit.features(Z)
    M = np.linalg.svd(P).Vh[:rank].T
    V = explicit.space(X).subspace("eigen", rank)
    np.testing.assert_allclose(np.abs(V.coordinates(Z)), np.abs(Q @ M), atol=1e-8 * np.abs(Q).max() ** 2)
    np.testing.assert_allclose(V.residuals(Z), np.linalg.norm(Q - Q @ M @ M.T, axis=1), atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_coordinates_of_new_points_are_inner_products_with_the_basis(known, X, Z, method):
    V = known.space(X).subspace(method, rank=3)
    scale = known.space(Z).norms().max()
    np.testing.assert_allclose(V.coordinates(Z), known.space(Z).inner(V.basis), atol=1e-9 * scale)
    np.testing.assert_allclose(known.space(Z).project(V), V.coordinates(Z), atol=1e-12 * scale)


@pytest.mark.parametrize("method", METHODS)
def test_residuals_obey_pythagoras(known, X, Z, method):
    V, T = known.space(X).subspace(method, rank=2), known.space(Z)
    squares = (V.coordinates(Z) ** 2).sum(axis=1) + V.residuals(Z) ** 2
    np.testing.assert_allclose(squares, T.norms() ** 2, rtol=1e-8)
    np.testing.assert_allclose(T.residuals(V), V.residuals(Z))


@pytest.mark.parametrize("method", METHODS)
def test_definition_5_8_projection_is_idempotent_and_orthogonal(known, X, Z, method):
    V, T = known.space(X).subspace(method, rank=2), known.space(Z)
    P = V.project(Z)
    scale = T.norms().max()
    assert len(P) == len(Z)
    np.testing.assert_allclose(P.norms(), np.linalg.norm(V.coordinates(Z), axis=1), atol=1e-7 * scale)
    np.testing.assert_allclose(V.coordinates(P), V.coordinates(Z), atol=1e-8 * scale)
    np.testing.assert_allclose(V.residuals(P), 0.0, atol=1e-6 * scale)
    for i in range(len(Z)):
        left = T[i] - P[i]
        assert P[i].inner(left) == pytest.approx(0.0, abs=1e-8 * scale**2)
        assert left.norm() == pytest.approx(V.residuals(Z)[i], abs=1e-6 * scale)
        np.testing.assert_allclose(V.coordinates(left), 0.0, atol=1e-8 * scale)


@pytest.mark.parametrize("method", METHODS)
def test_single_elements_drop_their_axis(X, Z, method):
    phi = gm.FeatureSpace(gm.Gaussian(1.5))
    V = phi(X).subspace(method, rank=3)
    T = phi(Z)
    for single in (T[1], T.mean()):
        assert V.coordinates(single).shape == (3,)
        assert V.residuals(single).shape == ()
        assert V.project(single).single
    np.testing.assert_allclose(V.coordinates(T[1]), V.coordinates(Z)[1], atol=1e-12)
    np.testing.assert_allclose(V.residuals(T[1]), V.residuals(Z)[1], atol=1e-12)
    np.testing.assert_allclose(V.coordinates(T.mean()), V.coordinates(Z).mean(axis=0), atol=1e-9)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_eigen_subspace_leaves_the_smallest_residuals(known, X, rank):
    S = known.space(X)
    scale = (S.norms() ** 2).sum()

    def left(V):
        return (V.residuals(X) ** 2).sum()

    best = left(S.subspace("eigen", rank))
    expected = np.sort(np.linalg.eigvalsh(known.loop(X, X)))[: len(X) - rank].sum()
    assert best == pytest.approx(expected, abs=1e-9 * scale)
    assert best <= left(S.subspace("gram-schmidt", rank)) + 1e-10 * scale
    for seed in range(10):
        assert best <= left(S.subspace("gram-schmidt", rank, pivoting="random", rng=seed)) + 1e-10 * scale


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_eigen_subspace_beats_every_random_subspace(explicit, X, rank):
    P = explicit.features(X)
    best = (explicit.space(X).subspace("eigen", rank).residuals(X) ** 2).sum()
    rng = np.random.default_rng(0)
    for _ in range(100):
        q = np.linalg.qr(P.T @ rng.normal(size=(len(X), rank))).Q
        assert best <= ((P - P @ q @ q.T) ** 2).sum() * (1 + 1e-10) + 1e-9


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tol", [0.5, 0.1, 1e-3])
def test_tol_bounds_the_residual_trace_and_no_smaller_dimension_of_the_method_does(known, X, method, tol):
    S = known.space(X)
    trace = (S.norms() ** 2).sum()
    V = S.subspace(method, tol=tol)
    assert (V.residuals(X) ** 2).sum() <= tol * trace * (1 + 1e-9)
    if V.dim > 1:
        assert (S.subspace(method, rank=V.dim - 1, tol=0.0).residuals(X) ** 2).sum() > tol * trace


def test_rank_is_that_of_the_explicit_features(explicit, X):
    assert explicit.space(X).rank() == np.linalg.matrix_rank(explicit.features(X))


def test_rank_is_the_number_of_distinct_points_under_the_gaussian():
    A = np.random.default_rng(0).normal(size=(12, 3)) * 3
    assert gm.FeatureSpace(gm.Gaussian(1.0))(A).rank() == 12
    assert gm.FeatureSpace(gm.Gaussian(1.0))(np.vstack([A, A[:5]])).rank() == 12


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 6), st.integers(0, 2**31))
def test_rank_of_points_in_a_subspace_is_its_dimension(r, seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(15, r)) @ rng.normal(size=(r, 8))
    S = gm.FeatureSpace(gm.Linear())(A)
    assert S.rank() == np.linalg.matrix_rank(A) == S.subspace("eigen", tol=0.0).dim
    assert S.rank(tol=0.999) <= r


def test_duplicates_and_zero_vectors_add_no_dimension():
    A = np.array([[1.0, 2.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    S = gm.FeatureSpace(gm.Linear())(A)
    for method in METHODS:
        V = S.subspace(method)
        assert V.dim == 2
        np.testing.assert_allclose(V.residuals([[3.0, -1.0, 5.0]]), [5.0], atol=1e-7)
        # The root of a difference of squared norms, which are at most 5 and good to a few ε
        np.testing.assert_allclose(V.residuals(A), 0.0, atol=np.sqrt(5 * 64 * np.finfo(float).eps))


def test_one_point_spans_a_line():
    phi = gm.FeatureSpace(gm.Linear())
    for method in METHODS:
        V = phi([[3.0, 4.0]]).subspace(method)
        assert V.dim == 1
        np.testing.assert_allclose(np.abs(V.coordinates([[6.0, 8.0], [-4.0, 3.0]])), [[10.0], [0.0]], atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_zero_vectors_span_a_subspace_of_no_dimension(method):
    S = gm.FeatureSpace(gm.Linear())(np.zeros((3, 2)))
    V = S.subspace(method)
    assert V.dim == 0
    assert S.subspace(method, rank=2).dim == 0
    assert V.coordinates([[1.0, 2.0], [3.0, 4.0]]).shape == (2, 0)
    assert V.coordinates(S[0]).shape == (0,)
    assert S.project(V).shape == (3, 0)


@pytest.mark.parametrize("method", METHODS)
def test_float32_points_are_held_to_single_precision(X, method):
    A = X.astype(np.float32)
    V = gm.FeatureSpace(gm.Polynomial(2, 1.0))(A).subspace(method)
    assert V.dim == 6
    C = V.coordinates(A)
    np.testing.assert_allclose(C @ C.T, gm.Polynomial(2, 1.0)(X), rtol=1e-4, atol=1e-4)


def test_repr_says_how_large_and_where(X):
    V = gm.FeatureSpace(gm.Gaussian(2.0))(X).subspace(rank=2)
    assert repr(V) == "Subspace of dimension 2 in FeatureSpace(Gaussian(bandwidth=2.0))"


# How many directions hold the variance


@pytest.mark.parametrize("share", [0.01, 0.5, 0.9, 0.999])
def test_dimension_is_the_least_number_of_directions_that_hold_the_share(known, X, share):
    K = known.loop(X, X)
    H = np.eye(len(X)) - 1 / len(X)
    values = np.sort(np.linalg.eigvalsh(H @ K @ H))[::-1]
    held = np.cumsum(values) / values.sum()
    expected = next(k for k in range(1, len(X) + 1) if held[k - 1] >= share)
    assert known.space(X).dimension(share) == expected


@pytest.mark.parametrize("holds", [True, False])
def test_dimension_found_without_the_dense_matrix_is_the_same(monkeypatch, holds):
    # One answer is found at the first look, some need a second one, and the last ends in the dense matrix.
    A = np.random.default_rng(0).normal(size=(330, 5)) * [9.0, 5.0, 2.0, 1.0, 0.1]
    S = gm.FeatureSpace(gm.Gaussian(3.0))(A)
    shares = (0.1, 0.5, 0.75, 0.95)
    expected = [S.dimension(share) for share in shares]
    assert expected[0] <= 330 // 40 < expected[1] <= 330 // 5 < expected[3]
    monkeypatch.setattr(vectors_module, "DENSE", 100)
    monkeypatch.setattr(eigen_module, "DENSE", 100)
    monkeypatch.setattr(vectors_module, "FIRST_LOOK", 32)
    monkeypatch.setattr(gm.Gram, "can_hold", lambda self, dtype=None: holds)
    assert [S.dimension(share) for share in shares] == expected


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 1.5, float("nan")])
def test_dimension_refuses_a_share_outside_0_and_1(X, share):
    with pytest.raises(ValueError, match="share"):
        gm.FeatureSpace(gm.Linear())(X).dimension(share)


# What is refused


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"method": "pca"}, ValueError),
        ({"method": None}, ValueError),
        ({"rank": 0}, ValueError),
        ({"rank": 1.5}, TypeError),
        ({"rank": 0, "method": "eigen"}, ValueError),
        ({"tol": -1.0}, ValueError),
        ({"tol": -1, "method": "eigen"}, ValueError),
        ({"tol": float("nan"), "method": "eigen"}, ValueError),
        ({"tol": float("nan")}, ValueError),
        ({"pivoting": "first"}, ValueError),
        ({"pivoting": "random", "rng": "seed"}, TypeError),
    ],
)
def test_subspace_refuses_bad_arguments(X, changes, error):
    with pytest.raises(error):
        gm.FeatureSpace(gm.Linear())(X).subspace(**changes)


def test_random_pivots_are_those_of_the_seed(X):
    S = gm.FeatureSpace(gm.Gaussian(1.0))(X)
    first, again = (S.subspace(rank=3, pivoting="random", rng=5).coordinates(X) for _ in range(2))
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize("method", ["gram-schmidt", "eigen"])
def test_a_sample_at_the_origin_spans_a_subspace_of_dimension_zero(method):
    S = gm.FeatureSpace(gm.Linear())(np.zeros((3, 2)))
    V = S.subspace(method)
    assert V.dim == 0
    np.testing.assert_array_equal(V.residuals([[3.0, 4.0]]), [5.0])
    assert V.residuals(S[0]) == 0
    np.testing.assert_array_equal(V.project([[3.0, 4.0]]).norms(), [0.0])
    np.testing.assert_array_equal(S.deflate(V).norms(), np.zeros(3))


def test_dimension_of_many_points_does_without_the_whole_matrix(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8)) * 0.7 ** np.arange(8)
    S = gm.FeatureSpace(gm.Gaussian(3.0))(X)
    expected = S.dimension(0.9)
    assert 1 < expected < 32

    def refused(self):
        raise AssertionError("the whole of K was asked for")

    monkeypatch.setattr("gramian.space.vectors.DENSE", 100)
    monkeypatch.setattr("gramian.factor.eigen.DENSE", 100)
    monkeypatch.setattr(gm.Gram, "matrix", refused)
    monkeypatch.setattr(gm.Gram, "can_hold", lambda self, dtype=None: False)
    monkeypatch.setattr(vectors_module, "FIRST_LOOK", 32)
    assert S.dimension(0.9) == expected
