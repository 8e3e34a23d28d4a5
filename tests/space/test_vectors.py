"""Vectors: norms, inner products, distances, linear combinations, indexing and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import gramian as gm

coordinate = st.floats(-3, 3, allow_nan=False).map(lambda v: round(v, 3))
weight = st.floats(-5, 5, allow_nan=False).map(lambda v: round(v, 3))


def sample(n):
    return arrays(np.float64, (n, 2), elements=coordinate)


def alphas(n):
    return arrays(np.float64, n, elements=weight)


def close(found, expected, atol=1e-10):
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=atol)


# Against the definition, pair by pair


def test_inner_products_are_kappa_pair_by_pair(known, X, Z):
    close(known.space(X).inner(known.space(Z)), known.loop(X, Z))


def test_norms_are_the_root_of_kappa_of_a_point_with_itself(known, X):
    close(known.space(X).norms(), [known.kappa(x, x) ** 0.5 for x in X])


def test_distances_are_those_of_the_definition(known, X, Z):
    expected = [[(known.kappa(x, x) + known.kappa(z, z) - 2 * known.kappa(x, z)) ** 0.5 for z in Z] for x in X]
    close(known.space(X).distances(known.space(Z)), expected, atol=1e-7)


def test_norm_of_a_combination_is_the_double_sum(known, X):
    alpha = np.linspace(-2, 3, len(X))
    expected = sum(
        a * b * known.kappa(x, z) for a, x in zip(alpha, X, strict=True) for b, z in zip(alpha, X, strict=True)
    )
    assert known.space(X).combine(alpha).norm() ** 2 == pytest.approx(expected, rel=1e-10)


# Against explicit features


def test_norms_and_distances_are_those_of_the_explicit_features(explicit, X, Z):
    S, T, P, Q = explicit.space(X), explicit.space(Z), explicit.features(X), explicit.features(Z)
    close(S.norms(), np.linalg.norm(P, axis=1))
    close(S.distances(T), np.linalg.norm(P[:, None] - Q, axis=-1), atol=1e-6)
    close(S.distances(), np.linalg.norm(P[:, None] - P, axis=-1), atol=1e-6)


def test_combinations_are_those_of_the_explicit_features(explicit, X, Z):
    A = np.random.default_rng(0).normal(size=(len(X), 3))
    W, P = explicit.space(X).combine(A), A.T @ explicit.features(X)
    assert len(W) == 3
    close(W.norms(), np.linalg.norm(P, axis=1))
    close(W.inner(W), P @ P.T)
    close(W.inner(explicit.space(Z)), P @ explicit.features(Z).T)
    close(W.distances(explicit.space(Z)), np.linalg.norm(P[:, None] - explicit.features(Z), axis=-1), atol=1e-6)


def test_combination_of_combinations_multiplies_the_weights(explicit, X):
    rng = np.random.default_rng(1)
    A, B = rng.normal(size=(len(X), 4)), rng.normal(size=(4, 2))
    P = (A @ B).T @ explicit.features(X)
    W = explicit.space(X).combine(A).combine(B)
    close(W.norms(), np.linalg.norm(P, axis=1))
    close(explicit.space(X).combine(A).combine(B[:, 0]).norm(), np.linalg.norm(P[0]))


def test_cosines_are_those_of_the_explicit_features(explicit, X, Z):
    P, Q = explicit.features(X), explicit.features(Z)
    unit = lambda F: F / np.linalg.norm(F, axis=1, keepdims=True)  # noqa: E731
    close(explicit.space(X).cosines(explicit.space(Z)), unit(P) @ unit(Q).T)
    close(np.diagonal(explicit.space(X).cosines()), 1.0)


def test_cosines_between_single_elements_are_numbers(explicit, X):
    P = explicit.features(X)
    expected = P[0] @ P[1] / np.linalg.norm(P[0]) / np.linalg.norm(P[1])
    S = explicit.space(X)
    assert S[0].cosines(S[1]) == pytest.approx(expected, rel=1e-10)
    w, c = S.combine(np.arange(len(X))), S.mean()
    f, g = np.arange(len(X)) @ P, P.mean(axis=0)
    assert w.cosines(c) == pytest.approx(f @ g / np.linalg.norm(f) / np.linalg.norm(g), rel=1e-10)


def test_cosines_between_combinations_lie_in_their_own_space(explicit, X):
    A = np.random.default_rng(2).normal(size=(len(X), 3))
    P = A.T @ explicit.features(X)
    P /= np.linalg.norm(P, axis=1, keepdims=True)
    close(explicit.space(X).combine(A).cosines(), P @ P.T)


def test_cosines_between_any_two_kinds_of_elements_are_those_of_the_features(explicit, X, Z):
    S, T, P, Q = explicit.space(X), explicit.space(Z), explicit.features(X), explicit.features(Z)
    A = np.random.default_rng(12).normal(size=(len(X), 3))
    kinds = [
        (S, P),
        (T, Q),
        (S.mean(), P.mean(axis=0)),
        (T.mean(), Q.mean(axis=0)),
        (S[2], P[2]),
        (T[1], Q[1]),
        (S.combine(A), A.T @ P),
        (S.combine(A[:, 0]), A[:, 0] @ P),
        (S[0] - T[0], P[0] - Q[0]),
    ]
    for u, f in kinds:
        for v, g in kinds:
            expected = np.outer(
                1 / np.linalg.norm(np.atleast_2d(f), axis=1), 1 / np.linalg.norm(np.atleast_2d(g), axis=1)
            )
            expected = (np.atleast_2d(f) @ np.atleast_2d(g).T * expected).reshape(f.shape[:-1] + g.shape[:-1])
            assert np.shape(u.cosines(v)) == expected.shape
            close(u.cosines(v), expected, atol=1e-9)


def test_correlations_with_new_objects_are_centered_on_the_sample(explicit, X, Z):
    P, Q = explicit.features(X), explicit.features(Z)
    P, Q = P - P.mean(axis=0), Q - P.mean(axis=0)
    expected = P @ Q.T / np.outer(np.linalg.norm(P, axis=1), np.linalg.norm(Q, axis=1))
    close(explicit.space(X).correlations(Z), expected)
    assert np.abs(explicit.space(X).correlations()).max() <= 1 + 1e-12


# Elements as functions


@settings(max_examples=25, deadline=None)
@given(X=sample(4), Z=sample(3), alpha=alphas(4))
def test_reproducing_property(known, X, Z, alpha):
    f = known.space(X).combine(alpha)
    values = [sum(a * known.kappa(x, z) for a, x in zip(alpha, X, strict=True)) for z in Z]
    scale = 1 + np.abs(known.loop(X, Z)).max() * np.abs(alpha).sum()
    np.testing.assert_allclose(f(Z), values, atol=1e-12 * scale)
    for z, expected in zip(Z, f(Z), strict=True):
        assert f.inner(known.space([z])[0]) == pytest.approx(expected, abs=1e-12 * scale)


@settings(max_examples=25, deadline=None)
@given(X=sample(3), Z=sample(4), alpha=alphas(3), beta=alphas(3), gamma=alphas(4), s=weight, t=weight)
def test_inner_product_is_bilinear_and_symmetric(known, X, Z, alpha, beta, gamma, s, t):
    S = known.space(X)
    f, g, h = S.combine(alpha), S.combine(beta), known.space(Z).combine(gamma)
    total = np.abs(known.loop([*X, *Z], [*X, *Z])).max() * 25 * 12 * 25
    tolerance = 1e-13 * (1 + total)
    assert f.inner(h) == pytest.approx(alpha @ known.loop(X, Z) @ gamma, abs=tolerance)
    assert f.inner(h) == pytest.approx(h.inner(f), abs=tolerance)
    assert (s * f + t * g).inner(h) == pytest.approx(s * f.inner(h) + t * g.inner(h), abs=tolerance)
    assert h.inner(s * f + t * g) == pytest.approx(s * h.inner(f) + t * h.inner(g), abs=tolerance)


@settings(max_examples=25, deadline=None)
@given(X=sample(4), Z=sample(3), alpha=alphas(4), beta=alphas(3))
def test_cauchy_schwarz_and_triangle_inequality(known, X, Z, alpha, beta):
    f, g = known.space(X).combine(alpha), known.space(Z).combine(beta)
    slack = 1e-6 * (1 + f.norm() + g.norm())
    assert abs(f.inner(g)) <= f.norm() * g.norm() + slack * (1 + f.norm() + g.norm())
    assert (f + g).norm() <= f.norm() + g.norm() + slack
    assert f.distances(g) == pytest.approx((f - g).norm(), abs=slack)


def test_several_elements_are_evaluated_one_column_each(known, X, Z):
    A = np.random.default_rng(3).normal(size=(len(X), 3))
    close(known.space(X).combine(A)(Z), known.loop(Z, X) @ A)
    close(known.space(X)(Z), known.loop(Z, X))


# Arithmetic


def test_arithmetic_is_that_of_the_explicit_features(explicit, X, Z):
    S, T, P, Q = explicit.space(X), explicit.space(Z), explicit.features(X), explicit.features(Z)
    alpha, beta = np.linspace(-1, 2, len(X)), np.linspace(3, -1, len(Z))
    w, v, c = S.combine(alpha), T.combine(beta), S.mean()
    f, g, m = alpha @ P, beta @ Q, P.mean(axis=0)
    cases = [
        (w - c, f - m),
        (w + c, f + m),
        (2 * w, 2 * f),
        (w * 2, 2 * f),
        (-w, -f),
        (w / 2, f / 2),
        (np.float64(3.0) * w, 3 * f),
        (S[0] - S[1], P[0] - P[1]),
        (S[0] + S[0], 2 * P[0]),
        (S[2] - c, P[2] - m),
        (w - v, f - g),
        (v + w - c / 4, g + f - m / 4),
        (w - T[1], f - Q[1]),
        (2 * (S[0] - v) + w, 2 * (P[0] - g) + f),
    ]
    for element, expected in cases:
        assert element.single
        assert element.norm() == pytest.approx(np.linalg.norm(expected), rel=1e-9)
        close(element(Z), Q @ expected, atol=1e-9)
        assert element.inner(v) == pytest.approx(expected @ g, rel=1e-9, abs=1e-9)


def test_a_vector_less_itself_is_zero(known, X):
    w = known.space(X).combine(np.arange(len(X)))
    assert (w - w).norm() == 0.0
    np.testing.assert_array_equal((0 * w)(X), np.zeros(len(X)))


def test_one_element_is_added_to_each_of_several(explicit, X, Z):
    A = np.random.default_rng(4).normal(size=(len(X), 3))
    P, q = A.T @ explicit.features(X), explicit.features(Z)[0]
    W, t = explicit.space(X).combine(A), explicit.space(Z)[0]
    for found, expected in [(W - t, P - q), (t - W, q - P), (W + W.mean(), P + P.mean(axis=0))]:
        assert not found.single
        close(found.norms(), np.linalg.norm(expected, axis=1), atol=1e-9)


def test_identity_weights_make_points_fit_for_arithmetic(explicit, X):
    S = explicit.space(X)
    P = explicit.features(X)
    moved = S.combine(np.eye(len(X))) - S.mean()
    close(moved.inner(moved), S.center().gram().dense(), atol=1e-9)
    close(moved.norms(), np.linalg.norm(P - P.mean(axis=0), axis=1), atol=1e-7)


# Indexing and shapes


def test_indexing_selects_as_numpy_does(explicit, X):
    S, P = explicit.space(X), np.linalg.norm(explicit.features(X), axis=1)
    A = np.random.default_rng(5).normal(size=(len(X), 6))
    W, Q = S.combine(A), np.linalg.norm(A.T @ explicit.features(X), axis=1)
    mask = np.arange(6) % 2 == 0
    for index in [slice(1, 4), slice(None, None, -1), [3, 0, 3], np.array([5]), slice(-2, None)]:
        close(S[index].norms(), P[index])
        close(W[index].norms(), Q[index])
    close(W[mask].norms(), Q[mask])
    assert S[-1].norm() == pytest.approx(P[-1])
    assert W[np.int64(2)].norm() == pytest.approx(Q[2])
    assert len(S[[3]]) == 1
    assert not S[[3]].single
    assert len(list(S)) == len(X)


def test_single_elements_drop_their_axis(X, Z):
    S, T = gm.FeatureSpace(gm.Linear())(X), gm.FeatureSpace(gm.Linear())(Z)
    assert S.inner(T).shape == (9, 5)
    assert S.inner(T[0]).shape == (9,)
    assert S[0].inner(T).shape == (5,)
    assert isinstance(S[0].inner(T[0]), float)
    assert S.distances(T[0]).shape == (9,)
    assert S[0].distances(T).shape == (5,)
    assert isinstance(S[0].distances(T[0]), float)
    assert S.mean()(Z).shape == (5,)
    assert S.project(T[0]).shape == (9,)


def test_repr_counts_the_vectors_and_names_the_space(X):
    S = gm.FeatureSpace(gm.Gaussian(2.0))(X)
    assert repr(S) == "9 vectors in FeatureSpace(Gaussian(bandwidth=2.0))"
    assert repr(S.mean()) == "1 vector in FeatureSpace(Gaussian(bandwidth=2.0))"


# Corner cases


def test_distance_of_a_point_from_itself_is_exactly_zero(known, X):
    np.testing.assert_array_equal(np.diagonal(known.space(X).distances()), 0.0)
    w = known.space(X).combine(np.ones(len(X)))
    assert w.distances(w) == 0.0


def test_duplicates_are_at_distance_zero(known):
    S = known.space([[1.0, 2.0], [1.0, 2.0], [0.5, 0.0]])
    assert S[0].distances(S[1]) <= 1e-7 * (1 + S[0].norm())
    assert S.rank() == 2


def test_one_point(known):
    S = known.space([[1.0, 2.0]])
    assert len(S) == 1
    assert S.norms().shape == (1,)
    assert S.distances().shape == (1, 1)
    assert S.mean().norm() == pytest.approx(S.norms()[0])
    assert S.total_variance() == pytest.approx(0.0, abs=1e-12 * S.norms()[0] ** 2)
    assert S.rank() == 1
    assert (2 * S).norms() == pytest.approx(2 * S.norms())


def test_zero_vectors_have_no_length_and_no_rank():
    S = gm.FeatureSpace(gm.Linear())(np.zeros((3, 2)))
    np.testing.assert_array_equal(S.norms(), 0.0)
    np.testing.assert_array_equal(S.distances(), 0.0)
    assert (S.mean().norm(), S.total_variance(), S.rank(), S.dimension()) == (0.0, 0.0, 0, 0)


def test_identical_points_have_no_variance_no_dimension_and_no_correlation(known):
    for n in (2, 7):
        S = known.space([[1.3, 2.7]] * n)
        assert S.total_variance() == 0.0
        assert S.dimension() == 0
        assert S.center().rank() == 0
        np.testing.assert_array_equal(S.distances(S.mean()), 0.0)
        with pytest.raises(ValueError, match="vector 0 is the zero vector: it has no direction"):
            S.correlations()


def answers(S, w, Z):
    """Everything that is kept once it is computed."""
    return [
        S.norms(),
        S.distances(S.mean()),
        S.inner(S.mean()),
        S.mean().norms(),
        S.inner(w),
        w.norms(),
        S.project(w),
        S.residuals(w),
        w(Z),
        S.center().norms(),
        S.center().gram().row_means(),
        S.gram().row_means(),
        S.gram().diag(),
        S.total_variance(),
        S.subspace().coordinates(S),
        S.subspace("eigen").residuals(S),
    ]


def test_writing_into_an_answer_does_not_change_the_next_one(known, X, Z):
    S = known.space(X)
    w = S.combine(np.linspace(-1, 2, len(X)))
    expected = [np.copy(a) for a in answers(S, w, Z)]
    for _ in range(2):
        for i, answer in enumerate(answers(S, w, Z)):
            np.testing.assert_array_equal(answer, expected[i])
            if isinstance(answer, np.ndarray) and answer.flags.writeable:
                answer[...] = 77.0


def test_writing_into_the_weights_of_a_combination_does_not_change_it(known, X, Z):
    S = known.space(X)
    for alpha in (np.linspace(-1, 2, len(X)), np.random.default_rng(0).normal(size=(len(X), 3))):
        w = S.combine(alpha)
        before = known.loop(Z, X) @ alpha
        alpha[...] = 5.0
        np.testing.assert_allclose(w(Z), before, rtol=1e-9, atol=1e-9)
        norms = w.norms()
        w(Z)[...] = 77.0
        np.testing.assert_array_equal(w.norms(), norms)


@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Gaussian(1.5), gm.Polynomial(3, 1.0)], ids=str)
def test_float32_agrees_with_float64_to_single_precision(kernel, X, Z):
    phi = gm.FeatureSpace(kernel)
    S, S32 = phi(X), phi(X.astype(np.float32))
    scale = S.norms().max() ** 2
    assert S32.inner(phi(Z.astype(np.float32))).dtype == np.float32
    np.testing.assert_allclose(S32.inner(S32), S.inner(S), atol=1e-5 * scale)
    np.testing.assert_allclose(S32.mean().norm(), S.mean().norm(), rtol=1e-5)
    np.testing.assert_allclose(S32.distances(S32.mean()), S.distances(S.mean()), atol=3e-3 * scale**0.5)
    assert S32.total_variance() == pytest.approx(S.total_variance(), abs=1e-5 * scale)


def test_the_memory_budget_does_not_change_the_answer():
    X = np.random.default_rng(6).normal(size=(150, 3))
    k = gm.Gaussian(1.0)
    S, small = gm.FeatureSpace(k)(X), gm.FeatureSpace(k, memory="64 KiB")(X)
    close(small.distances(small.mean()), S.distances(S.mean()))
    close(small.center().normalize().gram().dense(), S.correlations())


def test_spaces_of_equal_kernels_are_one_space(X, Z):
    S, T = gm.FeatureSpace(gm.Gaussian(2.0))(X), gm.FeatureSpace(gm.Gaussian(2.0))(Z)
    assert (S[0] - T[0]).norm() == pytest.approx(S[0].distances(T[0]))
    assert S.center().inner(S.center()).shape == (9, 9)


def test_strings_by_a_matrix_of_similarities_have_geometry():
    K = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 3.0]])
    S = gm.FeatureSpace(gm.Precomputed(K))(range(3))
    close(S.distances(), np.sqrt(np.diag(K)[:, None] + np.diag(K) - 2 * K))
    assert S.total_variance() == pytest.approx(np.trace(K) / 3 - K.mean())


# What is refused


def test_vectors_of_different_spaces_are_refused(X):
    S, T = gm.FeatureSpace(gm.Linear())(X), gm.FeatureSpace(gm.Gaussian(1.0))(X)
    operations = [
        lambda: S.inner(T),
        lambda: S.distances(T),
        lambda: S[0] - T[0],
        lambda: S.project(T[0]),
        lambda: S.residuals(T.mean()),
        lambda: S.deflate(T.mean()),
        lambda: S.project(T.subspace()),
        lambda: T.subspace().coordinates(S),
        lambda: S.inner(S.center()),
        lambda: gm.mean_distance(S, T),
        lambda: gm.mean_test(S, T),
    ]
    for operation in operations:
        with pytest.raises(ValueError, match="different feature spaces"):
            operation()


def test_what_is_not_a_vector_is_refused(X):
    S = gm.FeatureSpace(gm.Linear())(X)
    for operation in [lambda: S.inner(X), lambda: S.distances(X), lambda: S[0] + 1.0, lambda: S[0] - X[0]]:
        with pytest.raises(TypeError):
            operation()


def test_data_in_the_place_of_vectors_is_refused_with_advice(X):
    S = gm.FeatureSpace(gm.Linear())(X)
    w = S.mean()
    operations = [
        lambda: S.inner(X),
        lambda: S.distances(X),
        lambda: S.cosines(X),
        lambda: S.project(X),
        lambda: S.residuals(X),
        lambda: S.deflate(X),
        lambda: S.variance_along(X),
        lambda: w + X[0],
        lambda: w - X,
        lambda: w + 1.0,
        lambda: S.inner("abc"),
        lambda: gm.mean_test(S, X),
    ]
    for operation in operations:
        with pytest.raises(TypeError, match=r"Vectors expected, and got .*: take the images of data with phi\(X\)"):
            operation()
    for operation in [lambda: X[0] + w, lambda: X - w, lambda: X[0] * w, lambda: w * w, lambda: gm.mean_distance(S, X)]:
        with pytest.raises(TypeError):
            operation()


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        ([[0]], ValueError, "the index has 2 dimensions; an integer, a slice or a flat list expected"),
        (np.zeros((2, 2), int), ValueError, "the index has 2 dimensions"),
        (True, TypeError, "the index is True; an integer, a slice or a list of integers expected"),
        (None, TypeError, "the index is None; an integer, a slice or a list of integers expected"),
        (1.0, IndexError, "integers"),
        ("a", IndexError, "integers"),
    ],
    ids=repr,
)
def test_what_is_no_index_is_refused(X, index, error, message):
    S = gm.FeatureSpace(gm.Linear())(X)
    for vectors in (S, S.combine(np.eye(9))):
        with pytest.raises(error, match=message):
            vectors[index]


@pytest.mark.parametrize("zero", [0, 0.0, -0.0, np.float64(0)])
def test_a_vector_is_not_divided_by_zero(X, zero):
    with pytest.raises(ValueError, match="the divisor of a vector is 0; another number expected"):
        gm.FeatureSpace(gm.Linear())(X).mean() / zero


@pytest.mark.parametrize("weights", [np.full(9, 1j), ["a"] * 9, [None] * 9], ids=["complex", "text", "nothing"])
def test_weights_that_are_not_real_are_refused(X, weights):
    with pytest.raises(TypeError, match="weights have dtype .*; real numbers expected"):
        gm.FeatureSpace(gm.Linear())(X).combine(weights)


@pytest.mark.parametrize(
    ("memory", "error"), [("abc", ValueError), (0, ValueError), (-1, ValueError), ([1], TypeError)]
)
def test_a_budget_that_makes_no_sense_is_refused_when_it_is_given(memory, error):
    with pytest.raises(error, match="memory is"):
        gm.FeatureSpace(gm.Linear(), memory=memory)


@pytest.mark.parametrize("weights", [[1.0], np.ones(8), np.ones((8, 2)), 2.0, np.ones((9, 2, 2)), [np.nan] * 9])
def test_weights_that_do_not_fit_are_refused(X, weights):
    with pytest.raises(ValueError, match="weights have shape"):
        gm.FeatureSpace(gm.Linear())(X).combine(weights)


def test_infinite_weights_are_refused(X):
    with pytest.raises(ValueError, match="finite"):
        gm.FeatureSpace(gm.Linear())(X).combine([np.inf] + [0.0] * 8)


@pytest.mark.parametrize("factor", ["2", None, True, 1j, [1.0, 2.0]])
def test_factors_that_are_not_numbers_are_refused(X, factor):
    w = gm.FeatureSpace(gm.Linear())(X).mean()
    with pytest.raises(TypeError):
        w * factor
    with pytest.raises(TypeError):
        w / factor


def test_factors_that_are_not_finite_are_refused(X):
    with pytest.raises(ValueError, match="finite"):
        gm.FeatureSpace(gm.Linear())(X).mean() * float("nan")


def test_different_numbers_of_vectors_are_not_added(X):
    S = gm.FeatureSpace(gm.Linear())(X)
    with pytest.raises(ValueError, match="cannot add 2 vectors and 3 vectors"):
        S.combine(np.ones((9, 2))) + S.combine(np.ones((9, 3)))


def test_arithmetic_on_a_whole_sample_says_what_to_do(X):
    S = gm.FeatureSpace(gm.Linear())(X)
    for operation in [lambda: S - S.mean(), lambda: 2 * S, lambda: -S]:
        with pytest.raises(ValueError, match="center\\(\\)"):
            operation()


def test_a_single_vector_has_neither_length_nor_items(X):
    w = gm.FeatureSpace(gm.Linear())(X).mean()
    with pytest.raises(TypeError, match="norm"):
        len(w)
    with pytest.raises(TypeError, match="indexed"):
        w[0]


def test_norm_of_several_vectors_points_to_the_plural(X):
    with pytest.raises(ValueError, match="single vector"):
        gm.FeatureSpace(gm.Linear())(X).norm()


def test_an_index_out_of_range_is_refused(X):
    with pytest.raises(IndexError):
        gm.FeatureSpace(gm.Linear())(X)[9]


@pytest.mark.parametrize("what", ["center", "normalize", "gram", "rank", "dimension", "subspace"])
def test_combinations_have_no_sample_to_work_on(X, what):
    S = gm.FeatureSpace(gm.Linear())(X)
    for combination in [S.mean(), S.combine(np.eye(9)), S[0]]:
        with pytest.raises(ValueError, match="not for linear combinations"):
            getattr(combination, what)()


def test_zero_vectors_have_no_direction(X):
    S = gm.FeatureSpace(gm.Linear())(X)
    zero = S.combine(np.zeros(9))
    for operation in [zero.unit, lambda: S.project(zero), lambda: S.residuals(zero), lambda: S.deflate(zero)]:
        with pytest.raises(ValueError, match="zero vector"):
            operation()
    with pytest.raises(ValueError, match="vector 1 is the zero vector"):
        S.combine(np.eye(9)[:, :2] * [1.0, 0.0]).cosines()
    with pytest.raises(ValueError, match="no direction"):
        gm.FeatureSpace(gm.Linear())([[1.0, 0.0], [0.0, 0.0]]).normalize()


@pytest.mark.parametrize("kernel", ["rbf", None, gm.Gaussian, lambda x, z: 1.0])
def test_a_feature_space_needs_a_kernel(kernel):
    with pytest.raises(TypeError, match="a Kernel expected"):
        gm.FeatureSpace(kernel)


def test_a_kernel_that_is_not_settled_is_refused_and_a_settled_one_is_not(X):
    k = gm.Gaussian("median")
    with pytest.raises(ValueError, match="settled"):
        gm.FeatureSpace(k)(X)
    assert gm.FeatureSpace(k.fit(X))(X).norms() == pytest.approx(np.ones(9))


def test_objects_with_other_features_are_refused(X):
    phi = gm.FeatureSpace(gm.Linear())
    with pytest.raises(ValueError, match="do not fit together"):
        phi(X).inner(phi([[1.0, 2.0, 3.0]]))
    with pytest.raises(ValueError, match="do not fit together"):
        phi(X).mean()([[1.0, 2.0, 3.0]])


@pytest.mark.parametrize("width", [3, 65, 200])
@pytest.mark.parametrize(("dtype", "offset"), [(np.float32, 1e3), (np.float64, 1e8)])
def test_linear_geometry_does_not_depend_on_where_the_origin_is(width, dtype, offset):
    near = np.random.default_rng(0).standard_normal((40, width))
    far = (offset + near).astype(dtype)
    near = far.astype(np.float64) - offset
    S, T = gm.FeatureSpace(gm.Linear())(far), gm.FeatureSpace(gm.Linear())(near)
    rtol = 8 * np.finfo(dtype).eps * offset  # an origin that mattered would cost a further factor of the offset
    np.testing.assert_allclose(S.total_variance(), T.total_variance(), rtol=rtol)
    np.testing.assert_allclose(S.distances(S.mean()), T.distances(T.mean()), rtol=rtol)
    np.testing.assert_allclose(S.distances(), T.distances(), rtol=rtol, atol=rtol)
    np.testing.assert_allclose((S[0] - S[1]).norm(), (T[0] - T[1]).norm(), rtol=rtol)
    np.testing.assert_allclose(S.gram().center().dense(), T.gram().center().dense(), rtol=rtol, atol=rtol * width)
    assert S.dimension() == T.dimension()


@pytest.mark.parametrize(("dtype", "offset"), [(np.float32, 1e4), (np.float64, 1e8)])
def test_a_clear_difference_of_means_is_found_far_from_the_origin(dtype, offset):
    phi = gm.FeatureSpace(gm.Linear())
    Y = (offset + np.random.default_rng(0).standard_normal((50, 3))).astype(dtype)
    test = gm.mean_test(phi(Y), phi(Y + dtype(3)), rng=0)
    assert test.p_value == 0.001
    assert test.distance == pytest.approx(np.sqrt(27), rel=1e-3)
    assert gm.mean_distance(phi(Y), phi(Y + dtype(3))) == pytest.approx(np.sqrt(27), rel=1e-3)


def test_vectors_add_up_by_sum():
    S = gm.FeatureSpace(gm.Linear())([[1.0, 2.0], [3.0, 4.0]])
    assert sum([S[0], S[1]]).norm() == pytest.approx(np.hypot(4, 6))
    with pytest.raises(TypeError, match="cannot add 1 and a vector"):
        1 + S[0]


def test_the_centre_of_mass_of_nothing_is_refused_and_of_one_vector_is_itself():
    S = gm.FeatureSpace(gm.Linear())([[3.0, 4.0], [1.0, 1.0]])
    with pytest.raises(ValueError, match="the centre of mass of none is not defined"):
        S[:0].mean()
    assert S[0].mean().norm() == pytest.approx(5.0)


# Points that come later

EXTENDED = {
    "vectors": (gm.Gaussian(1.3), np.random.default_rng(2).normal(size=(30, 3))),
    "explicit": (gm.Linear(), np.random.default_rng(2).normal(size=(30, 3))),
    "strings": (gm.Subsequences(2, 0.5), ["".join(np.random.default_rng(k).choice(list("abc"), 6)) for k in range(30)]),
    "counts": (gm.Spectrum(2), ["".join(np.random.default_rng(k).choice(list("abc"), 6)) for k in range(30)]),
}


@pytest.mark.parametrize("first", [1, 12, 29])
@pytest.mark.parametrize("name", EXTENDED)
def test_points_extended_by_others_are_all_of_them(name, first):
    kernel, objects = EXTENDED[name]
    space = gm.FeatureSpace(kernel)
    known = space(objects[:first])
    known.mean().norm()  # what is known of the centre is carried over
    joint, whole = known.extend(space(objects[first:])), space(objects)
    assert len(joint) == 30
    np.testing.assert_allclose(joint.gram().row_means(), whole.gram().row_means(), rtol=1e-12)
    np.testing.assert_allclose(joint.distances(joint.mean()), whole.distances(whole.mean()), rtol=1e-9, atol=1e-12)
    assert joint.mean().norm() == pytest.approx(whole.mean().norm(), rel=1e-12)
    assert joint.total_variance() == pytest.approx(whole.total_variance(), rel=1e-10)
    assert len(known) == first


def test_extending_compares_new_points_only(monkeypatch):
    kernel, objects = EXTENDED["vectors"]
    space = gm.FeatureSpace(kernel)
    known = space(objects[:25])
    known.gram().row_means()
    entries = []
    block = gm.Gaussian.block

    def counted(self, a, b, out):
        entries.append(out.size)
        block(self, a, b, out)

    monkeypatch.setattr(gm.Gaussian, "block", counted)
    known.extend(space(objects[25:])).gram().row_means()
    assert 0 < sum(entries) <= 2 * 25 * 5 + 5 * 5


def test_points_are_extended_by_points_of_the_same_space_only():
    X = np.zeros((2, 1))
    with pytest.raises(ValueError, match="space"):
        gm.FeatureSpace(gm.Gaussian(1.0))(X).extend(gm.FeatureSpace(gm.Gaussian(2.0))(X))
    S = gm.FeatureSpace(gm.Gaussian(1.0))(X)
    with pytest.raises((ValueError, TypeError), match="extend"):
        S.mean().extend(S)


@pytest.mark.parametrize(
    "kernel", [gm.Linear(), gm.Polynomial(2), gm.Anova(2), gm.AllSubsets(), gm.Gaussian(1.0)], ids=repr
)
def test_points_whose_images_overflow_are_refused_wherever_they_are_measured(kernel):
    space = gm.FeatureSpace(kernel)
    S, far = space(np.eye(3)), space([[1.7e308, 1.0, 1.7e308]])
    questions = (far.norms, lambda: far.distances(S), lambda: S.distances(far), lambda: far.distances(S.mean()))
    for question in questions:
        if kernel == gm.Gaussian(1.0):
            assert np.isfinite(question()).all()
        else:
            with pytest.raises(ValueError, match="overflows float64 for 1 object"):
                question()


def test_cosines_never_leave_their_range_by_rounding():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    S = gm.FeatureSpace(gm.Linear())
    opposite = np.diagonal(S(X).cosines(S(-rng.uniform(0.1, 10, size=(200, 1)) * X)))
    assert opposite.min() == -1.0
    np.testing.assert_allclose(opposite, -1, rtol=16 * np.finfo(float).eps)
    assert np.diagonal(S(X).cosines(S(3 * X))).max() == 1.0
