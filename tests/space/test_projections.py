"""Projections, deflation and the variance along a direction (seed 000, sections 5.2 and 5.3; seed 002)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import gramian as gm

weight = st.floats(-3, 3, allow_nan=False).map(lambda v: round(v, 2))


@pytest.fixture(scope="module")
def alpha(X):
    return np.linspace(-1, 1.5, len(X))


def test_coordinate_along_a_vector_is_that_of_the_definition(known, X, Z, alpha):
    K = known.loop(X, X)
    w = known.space(X).combine(alpha)
    expected = [
        sum(a * known.kappa(x, z) for a, x in zip(alpha, X, strict=True)) / (alpha @ K @ alpha) ** 0.5 for z in Z
    ]
    np.testing.assert_allclose(known.space(Z).project(w), expected, rtol=1e-9, atol=1e-12)


def test_coordinates_and_residuals_are_those_of_the_explicit_features(explicit, X, Z, alpha):
    P, Q = explicit.features(X), explicit.features(Z)
    v = alpha @ P / np.linalg.norm(alpha @ P)
    T, w = explicit.space(Z), explicit.space(X).combine(alpha)
    np.testing.assert_allclose(T.project(w), Q @ v, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(T.residuals(w), np.linalg.norm(Q - np.outer(Q @ v, v), axis=1), atol=1e-6)


def test_the_sign_of_a_coordinate_is_kept_and_its_norm_is_the_absolute_value():
    phi = gm.FeatureSpace(gm.Linear())
    S, w = phi([[-3.0, 1.0], [2.0, 5.0]]), phi([[4.0, 0.0]])[0]
    np.testing.assert_allclose(S.project(w), [-3.0, 2.0], atol=1e-14)
    np.testing.assert_allclose(S.project(-w), [3.0, -2.0], atol=1e-14)
    projected = w.unit().combine(S.project(w)[None, :])
    np.testing.assert_allclose(projected.norms(), [3.0, 2.0], atol=1e-14)


def test_coordinates_do_not_depend_on_the_length_of_the_direction(known, X, alpha):
    S = known.space(X)
    w = S.combine(alpha)
    np.testing.assert_allclose(S.project(7.5 * w), S.project(w), rtol=1e-12)
    np.testing.assert_allclose(S.residuals(0.01 * w), S.residuals(w), rtol=1e-9, atol=1e-7)


def test_residuals_obey_pythagoras(known, X, Z, alpha):
    T, w = known.space(Z), known.space(X).combine(alpha)
    np.testing.assert_allclose(T.residuals(w) ** 2 + T.project(w) ** 2, T.norms() ** 2, rtol=1e-9)


def test_residual_is_the_distance_from_the_projection(known, X, Z, alpha):
    T, w = known.space(Z), known.space(X).combine(alpha)
    for i in range(len(Z)):
        projection = T.project(w)[i] * w.unit()
        assert T.residuals(w)[i] == pytest.approx((T[i] - projection).norm(), abs=1e-6)
        # Definition 5.8: what is left is orthogonal to the projection.
        assert projection.inner(T[i] - projection) == pytest.approx(0.0, abs=1e-9 * (1 + T[i].norm() ** 2))


def test_a_point_is_its_own_projection(known, X):
    S = known.space(X)
    assert S[2].project(S[2]) == pytest.approx(S[2].norm(), rel=1e-12)
    assert S[2].residuals(S[2]) == pytest.approx(0.0, abs=1e-6 * S[2].norm())


@settings(max_examples=25, deadline=None)
@given(
    A=arrays(np.float64, (4, 2), elements=weight),
    Z=arrays(np.float64, (3, 2), elements=weight),
    alpha=arrays(np.float64, 4, elements=weight),
)
def test_no_multiple_of_the_direction_is_nearer_than_the_projection(known, A, Z, alpha):
    w = known.space(A).combine(alpha)
    if w.norm() < 1e-3:
        return
    T = known.space(Z)
    best, t = T.residuals(w), T.project(w)
    for step in (-0.5, 0.01, 2.0):
        for i in range(len(Z)):
            other = (T[i] - (t[i] + step) * w.unit()).norm()
            assert best[i] <= other + 1e-6 * (1 + T[i].norm())


# Deflation


def test_deflated_matrix_is_that_of_the_projected_features(explicit, X, Z, alpha):
    P, Q = explicit.features(X), explicit.features(Z)
    v = alpha @ P / np.linalg.norm(alpha @ P)
    D = np.eye(P.shape[1]) - np.outer(v, v)
    S = explicit.space(X)
    T = S.deflate(S.combine(alpha))
    scale = np.abs(P @ P.T).max()
    np.testing.assert_allclose(T.gram().dense(), P @ D @ P.T, atol=1e-11 * scale)
    np.testing.assert_allclose(T.inner(T.space(Z)), P @ D @ Q.T, atol=1e-11 * np.abs(P @ Q.T).max())
    np.testing.assert_allclose(T.space(Z).norms(), np.linalg.norm(Q @ D, axis=1), atol=1e-6)


def test_deflating_by_an_eigenvector_takes_its_eigenvalue_away(explicit, X):
    # X′X − λww′ in feature space, K − λvv′ between the points (5.8).
    P = explicit.features(X)
    S = explicit.space(X)
    values, vectors = np.linalg.eigh(P @ P.T)
    lam, v = values[-1], vectors[:, -1]
    w = S.combine(v / lam**0.5)
    assert w.norm() == pytest.approx(1.0, rel=1e-10)
    T = S.deflate(w)
    np.testing.assert_allclose(T.gram().dense(), P @ P.T - lam * np.outer(v, v), atol=1e-10 * lam)
    direction = v @ P / lam**0.5
    moved = P - np.outer(P @ direction, direction)
    np.testing.assert_allclose(moved.T @ moved, P.T @ P - lam * np.outer(direction, direction), atol=1e-10 * lam)
    left = np.sort(gm.eigen(T.gram()).values)[::-1]
    np.testing.assert_allclose(left[: len(X) - 1], values[::-1][1:], atol=1e-9 * lam)


def test_deflating_is_a_projection_done_twice_it_changes_nothing(known, X, Z, alpha):
    S = known.space(X)
    once = S.deflate(S.combine(alpha))
    scale = S.norms().max() ** 2
    w = once.combine(alpha)  # the image of w, which is the zero vector
    assert w.norm() <= 1e-6 * S.combine(alpha).norm()
    np.testing.assert_allclose(once.norms(), S.residuals(S.combine(alpha)), atol=1e-6 * scale**0.5)


def test_deflated_points_are_orthogonal_to_the_direction(known, X, Z):
    S = known.space(X)
    T = S.deflate(S[0])
    scale = S.norms().max() ** 2
    np.testing.assert_allclose(T.gram().dense()[0], 0.0, atol=1e-11 * scale)
    np.testing.assert_allclose(T.space(X[:1]).inner(T.space(Z)), 0.0, atol=1e-10 * scale)


def test_deflating_by_a_vector_of_new_points_deflates_by_that_vector(explicit, X, Z):
    P, Q = explicit.features(X), explicit.features(Z)
    v = (Q[0] - Q[1]) / np.linalg.norm(Q[0] - Q[1])
    T = explicit.space(Z)
    found = explicit.space(X).deflate(T[0] - T[1]).gram().dense()
    np.testing.assert_allclose(found, P @ P.T - np.outer(P @ v, P @ v), atol=1e-10 * np.abs(P @ P.T).max())


def test_deflating_by_a_subspace_leaves_the_residuals(known, X, Z):
    S = known.space(X)
    V = S.subspace(rank=2)
    T = S.deflate(V)
    np.testing.assert_allclose(T.norms(), V.residuals(X), atol=1e-6 * S.norms().max())
    np.testing.assert_allclose(T.space(Z).norms(), V.residuals(Z), atol=1e-5 * known.space(Z).norms().max())


def test_deflating_one_after_the_other_is_deflating_by_the_span(X):
    S = gm.FeatureSpace(gm.Gaussian(1.5))(X)
    one = S.deflate(S[0])
    both = one.deflate(one[1])
    by_span = S.deflate(S[[0, 1]].subspace())
    np.testing.assert_allclose(both.gram().dense(), by_span.gram().dense(), atol=1e-10)


# Variance along a direction


def test_variance_along_a_direction_is_the_dual_formula(known, X, alpha):
    K = known.loop(X, X)
    n, unit = len(X), alpha / (alpha @ K @ alpha) ** 0.5
    expected = unit @ K @ K @ unit / n - (unit @ K @ np.ones(n)) ** 2 / n**2
    S = known.space(X)
    assert S.variance_along(S.combine(alpha)) == pytest.approx(expected, rel=1e-9)


def test_variance_along_a_direction_is_that_of_the_explicit_coordinates(explicit, X, Z, alpha):
    P, Q = explicit.features(X), explicit.features(Z)
    v = alpha @ P / np.linalg.norm(alpha @ P)
    w = explicit.space(X).combine(alpha)
    assert explicit.space(X).variance_along(w) == pytest.approx((P @ v).var(), rel=1e-9)
    assert explicit.space(Z).variance_along(w) == pytest.approx((Q @ v).var(), rel=1e-9)


def test_variances_along_the_principal_directions_add_up_to_the_total(known, X):
    S = known.space(X).center()
    V = S.subspace("eigen", tol=0.0)
    along = [S.variance_along(V.basis[j]) for j in range(V.dim)]
    np.testing.assert_allclose(along, gm.eigen(S.gram()).covariance_values[: V.dim], atol=1e-9 * max(along))
    assert sum(along) == pytest.approx(known.space(X).total_variance(), rel=1e-8)


def test_no_direction_has_more_variance_than_the_first_principal_one(known, X):
    S = known.space(X).center()
    most = S.variance_along(S.subspace("eigen", rank=1).basis[0])
    rng = np.random.default_rng(0)
    for _ in range(50):
        assert S.variance_along(S.combine(rng.normal(size=len(X)))) <= most * (1 + 1e-10)


def test_a_projection_needs_a_single_direction(X):
    S = gm.FeatureSpace(gm.Linear())(X)
    for operation in [S.project, S.residuals, S.deflate, S.variance_along]:
        with pytest.raises(ValueError, match="single vector"):
            operation(S)
    with pytest.raises(ValueError, match="not for linear combinations"):
        S.mean().deflate(S[0])
