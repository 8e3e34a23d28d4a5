"""Centres of mass (seed 000, section 5.1): norm, distances, total variance, centring, stability, two means."""

from itertools import combinations
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import gramian as gm

coordinate = st.floats(-3, 3, allow_nan=False).map(lambda v: round(v, 3))


# The centre of mass


def test_norm_of_the_centre_is_the_root_of_the_mean_entry(known, X):
    assert known.space(X).mean().norm() ** 2 == pytest.approx(known.loop(X, X).mean(), rel=1e-12)


def test_distances_to_the_centre_are_those_of_5_2(known, X, Z):
    K = known.loop(X, X)
    expected = [known.kappa(z, z) + K.mean() - 2 * np.mean([known.kappa(z, x) for x in X]) for z in Z]
    found = known.space(Z).distances(known.space(X).mean())
    np.testing.assert_allclose(found**2, expected, rtol=1e-10)


def test_centre_is_that_of_the_explicit_features(explicit, X, Z):
    P, Q = explicit.features(X), explicit.features(Z)
    S, c = explicit.space(X), explicit.space(X).mean()
    assert c.norm() == pytest.approx(np.linalg.norm(P.mean(axis=0)), rel=1e-12)
    np.testing.assert_allclose(S.distances(c), np.linalg.norm(P - P.mean(axis=0), axis=1), rtol=1e-9)
    np.testing.assert_allclose(explicit.space(Z).distances(c), np.linalg.norm(Q - P.mean(axis=0), axis=1), rtol=1e-9)


def test_mean_of_combinations_is_that_of_their_features(explicit, X):
    A = np.random.default_rng(0).normal(size=(len(X), 4))
    P = A.T @ explicit.features(X)
    W = explicit.space(X).combine(A)
    assert W.mean().norm() == pytest.approx(np.linalg.norm(P.mean(axis=0)), rel=1e-9)
    assert W.total_variance() == pytest.approx(P.var(axis=0).sum(), rel=1e-9)


# Total variance


def test_total_variance_is_5_4_by_a_double_loop(known, X):
    K = known.loop(X, X)
    assert known.space(X).total_variance() == pytest.approx(np.trace(K) / len(X) - K.mean(), rel=1e-10)


def test_total_variance_is_the_mean_squared_distance_to_the_centre(known, X):
    S = known.space(X)
    assert S.total_variance() == pytest.approx(np.mean(S.distances(S.mean()) ** 2), rel=1e-10)


def test_total_variance_is_the_sum_of_the_variances_of_the_features(explicit, X):
    assert explicit.space(X).total_variance() == pytest.approx(explicit.features(X).var(axis=0).sum(), rel=1e-10)


def test_total_variance_is_the_trace_over_n_only_when_centred(known, X):
    S = known.space(X)
    centered = S.center().gram()
    assert centered.trace() / len(X) == pytest.approx(S.total_variance(), rel=1e-9)
    assert S.gram().trace() / len(X) > S.total_variance() * 1.01


def test_total_variance_does_not_change_when_the_origin_moves(X):
    phi = gm.FeatureSpace(gm.Linear())
    expected = phi(X).total_variance()
    for shift in [[10.0, -4.0], [0.0, 1.0], [-300.0, 20.0]]:
        assert phi(X + shift).total_variance() == pytest.approx(expected, rel=1e-9)
    for kernel in [gm.Linear(), gm.Polynomial(2, 1.0), gm.Gaussian(1.0)]:
        S = gm.FeatureSpace(kernel)(X)
        moved = gm.FeatureSpace(kernel.center(X[:3]))(X)
        assert moved.total_variance() == pytest.approx(S.total_variance(), rel=1e-9)
        assert not np.allclose(moved.norms(), S.norms())


@settings(max_examples=40, deadline=None)
@given(
    X=arrays(np.float64, (5, 2), elements=coordinate),
    Z=arrays(np.float64, (3, 2), elements=coordinate),
    alpha=arrays(np.float64, 3, elements=st.floats(-2, 2).map(lambda v: round(v, 3))),
)
def test_proposition_5_2_no_other_point_is_nearer_on_average(known, X, Z, alpha):
    S = known.space(X)
    other = known.space(Z).combine(alpha)
    best, there = S.total_variance(), np.mean(S.distances(other) ** 2)
    scale = S.norms().max() ** 2 + other.norm() ** 2 + 1
    assert best <= there + 1e-12 * scale
    # The excess is exactly the squared distance between the two points.
    assert there - best == pytest.approx(other.distances(S.mean()) ** 2, abs=1e-11 * scale)


# Centring


def test_centered_matrix_is_the_printed_formula(known, X):
    K = known.loop(X, X)
    n = len(X)
    expected = np.array([[K[i, j] - K[i].mean() - K[:, j].mean() + K.mean() for j in range(n)] for i in range(n)])
    np.testing.assert_allclose(known.space(X).center().gram().dense(), expected, atol=1e-11 * K.max())


def test_centering_moves_new_points_by_the_centre_of_the_sample(explicit, X, Z):
    P, Q = explicit.features(X), explicit.features(Z)
    S = explicit.space(X).center()
    T = S.space(Z)
    expected = (P - P.mean(axis=0)) @ (Q - P.mean(axis=0)).T
    np.testing.assert_allclose(S.inner(T), expected, atol=1e-10 * np.abs(P @ Q.T).max())
    np.testing.assert_allclose(T.norms(), np.linalg.norm(Q - P.mean(axis=0), axis=1), rtol=1e-8)


def test_centered_sample_has_its_centre_at_the_origin(known, X):
    S = known.space(X)
    assert S.center().mean().norm() <= 1e-6 * S.norms().max()
    np.testing.assert_allclose(S.center().distances(), S.distances(), atol=1e-6 * S.norms().max())


def test_centering_twice_is_centering_once(known, X):
    once = known.space(X).center()
    scale = known.space(X).norms().max() ** 2
    np.testing.assert_allclose(once.center().gram().dense(), once.gram().dense(), atol=1e-11 * scale)


def test_normalized_points_lie_on_the_unit_sphere(explicit, X, Z):
    Q = explicit.features(Z)
    S = explicit.space(X).normalize()
    np.testing.assert_array_equal(S.norms(), 1.0)
    P = explicit.features(X)
    expected = (P / np.linalg.norm(P, axis=1, keepdims=True)) @ (Q / np.linalg.norm(Q, axis=1, keepdims=True)).T
    np.testing.assert_allclose(S.inner(S.space(Z)), expected, atol=1e-12)


# One sweep over K

BLOCKS: list[int] = []


class Counting(gm.Kernel):
    """xᵀz, counting the entries it is asked for."""

    def encode(self, X):
        return gm.Encoded((np.asarray(X, dtype=np.float64),))

    def block(self, a, b, out):
        BLOCKS.append(out.size)
        np.matmul(a.parts[0], b.parts[0].T, out=out)

    def squared_norms(self, a):
        return np.einsum("ij,ij->i", a.parts[0], a.parts[0])


@pytest.mark.parametrize("n", [50, 300])
def test_variance_norm_and_distances_share_one_sweep(n):
    A = np.random.default_rng(0).normal(size=(n, 3))
    S = gm.FeatureSpace(Counting())(A)
    BLOCKS.clear()
    variance = S.total_variance()
    swept = sum(BLOCKS)
    assert 0 < swept <= n * n
    S.mean().norm()
    distances = S.distances(S.mean())
    S.inner(S.mean())
    assert sum(BLOCKS) == swept
    assert variance == pytest.approx(np.mean(distances**2), rel=1e-10)


def test_projections_residuals_and_variance_share_one_sweep():
    A = np.random.default_rng(0).normal(size=(60, 3))
    S = gm.FeatureSpace(Counting())(A)
    w = S.combine(np.linspace(-1, 1, 60))
    BLOCKS.clear()
    S.project(w)
    S.residuals(w)
    S.variance_along(w)
    w.norm()
    assert BLOCKS == [3600]


def test_nothing_is_computed_until_something_is_asked():
    BLOCKS.clear()
    S = gm.FeatureSpace(Counting())(np.ones((20, 2)))
    2 * S.mean() - S.combine(np.arange(20.0)) + S[3]
    S.norms()
    repr(S)
    assert BLOCKS == []


# How well the centre is known


@pytest.mark.parametrize(("n", "radius", "delta"), [(1, 1.0, 0.5), (100, 3.0, 0.01), (10**6, 0.2, 1e-9)])
def test_stability_bound_is_5_5(n, radius, delta):
    expected = sqrt(2 * radius**2 / n) * (sqrt(2) + sqrt(log(1 / delta)))
    assert gm.stability_bound(n, radius, delta) == pytest.approx(expected, rel=1e-14)


def test_stability_bound_halves_with_four_times_the_data():
    assert gm.stability_bound(400, 1.0) == pytest.approx(gm.stability_bound(100, 1.0) / 2)
    assert gm.stability_bound(100, 1.0, 0.001) > gm.stability_bound(100, 1.0, 0.1)
    assert gm.stability_bound(100, 0.0) == 0.0


def test_stability_bound_holds_with_the_stated_probability():
    # The distribution is uniform over ten points, so that its mean is known exactly; κ(x, x) = 1 makes R = 1.
    rng = np.random.default_rng(0)
    support = rng.normal(size=(10, 2)) * 3
    phi = gm.FeatureSpace(gm.Gaussian(0.5))
    truth = phi(support).mean()
    n, delta, trials = 30, 0.1, 200
    errors = [phi(support[rng.integers(0, 10, n)]).mean().distances(truth) for _ in range(trials)]
    assert np.mean(np.array(errors) > gm.stability_bound(n, 1.0, delta)) <= delta
    # It is a bound that says something: within a factor of ten of what happens.
    assert np.quantile(errors, 1 - delta) > gm.stability_bound(n, 1.0, delta) / 10


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((0, 1.0, 0.1), ValueError),
        ((2.5, 1.0, 0.1), TypeError),
        ((10, -1.0, 0.1), ValueError),
        ((10, 1.0, 0.0), ValueError),
        ((10, 1.0, 1.0), ValueError),
        ((10, float("nan"), 0.1), ValueError),
        ((10, "1", 0.1), TypeError),
    ],
)
def test_stability_bound_refuses_what_is_no_sample_size_radius_or_probability(arguments, error):
    with pytest.raises(error):
        gm.stability_bound(*arguments)


# Two centres


def test_mean_distance_is_that_of_the_explicit_centres(explicit, X, Z):
    P, Q = explicit.features(X), explicit.features(Z)
    expected = np.linalg.norm(P.mean(axis=0) - Q.mean(axis=0))
    assert gm.mean_distance(explicit.space(X), explicit.space(Z)) == pytest.approx(expected, rel=1e-9)


def test_mean_distance_is_the_sum_of_three_means(known, X, Z):
    square = known.loop(X, X).mean() - 2 * known.loop(X, Z).mean() + known.loop(Z, Z).mean()
    S, T = known.space(X), known.space(Z)
    assert gm.mean_distance(S, T) ** 2 == pytest.approx(square, rel=1e-9)
    assert gm.mean_distance(S, T) == pytest.approx(gm.mean_distance(T, S), rel=1e-12)
    assert gm.mean_distance(S, S) == 0.0
    assert gm.mean_distance(S, T) == pytest.approx((S.mean() - T.mean()).norm(), rel=1e-9)


def by_enumeration(K, n):
    """The exact p-value: the share of all relabellings that are at least as far apart as the given one."""
    N = len(K)

    def square(chosen):
        labels = np.full(N, -1 / (N - n))
        labels[list(chosen)] = 1 / n
        return labels @ K @ labels

    observed = square(range(n))
    squares = [square(chosen) for chosen in combinations(range(N), n)]
    return np.mean(np.array(squares) >= observed - 1e-9 * np.abs(K).max())


@pytest.mark.parametrize("seed", range(4))
def test_p_value_tends_to_the_exact_one_of_all_relabellings(known, seed):
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(3, 2)), rng.normal(size=(4, 2)) + 0.7
    pooled = np.vstack([A, B])
    exact = by_enumeration(known.loop(pooled, pooled), 3)
    found = gm.mean_test(known.space(A), known.space(B), permutations=8000, rng=seed)
    assert found.distance == pytest.approx(gm.mean_distance(known.space(A), known.space(B)), rel=1e-9)
    # Five standard errors of a share of 8000.
    assert abs(found.p_value - exact) <= 5 * sqrt(exact * (1 - exact) / 8000) + 1 / 8000


def test_p_values_are_uniform_when_the_samples_are_alike():
    rng = np.random.default_rng(0)
    phi = gm.FeatureSpace(gm.Gaussian(1.0))
    trials, permutations = 400, 19
    p = np.array(
        [
            gm.mean_test(phi(rng.normal(size=(8, 1))), phi(rng.normal(size=(7, 1))), permutations, rng).p_value
            for _ in range(trials)
        ]
    )
    # Each of 1/20 … 20/20 has probability 1/20 exactly. χ² with 19 degrees of freedom is below 50.8 in 9999 of 10000.
    counts = np.bincount(np.round(p * 20).astype(int), minlength=21)[1:]
    assert counts.sum() == trials
    assert ((counts - trials / 20) ** 2 / (trials / 20)).sum() < 50.8


def test_p_value_is_the_least_possible_when_the_samples_are_far_apart():
    rng = np.random.default_rng(1)
    phi = gm.FeatureSpace(gm.Gaussian(1.0))
    found = gm.mean_test(phi(rng.normal(size=(25, 2))), phi(rng.normal(size=(30, 2)) + 2), permutations=199, rng=0)
    assert found.p_value == 1 / 200
    assert found.permutations == 199


def test_a_difference_of_spread_alone_is_seen_by_the_gaussian_and_not_by_the_linear_kernel():
    rng = np.random.default_rng(2)
    A, B = rng.normal(size=(60, 1)), 4 * rng.normal(size=(60, 1))
    A, B = A - A.mean(), B - B.mean()
    gaussian, linear = gm.FeatureSpace(gm.Gaussian(1.0)), gm.FeatureSpace(gm.Linear())
    assert gm.mean_test(gaussian(A), gaussian(B), permutations=199, rng=0).p_value == 1 / 200
    assert gm.mean_test(linear(A), linear(B), permutations=199, rng=0).p_value > 0.5


def test_the_same_seed_gives_the_same_p_value(X, Z):
    phi = gm.FeatureSpace(gm.Gaussian(1.0))
    S, T = phi(X), phi(Z)
    found = [gm.mean_test(S, T, 150, rng=seed).p_value for seed in (3, 3, np.random.default_rng(3))]
    assert found[0] == found[1] == found[2]
    assert len({gm.mean_test(S, T, 150, rng=seed).p_value for seed in range(8)}) > 1


def test_samples_of_one_point_each_cannot_be_told_apart():
    phi = gm.FeatureSpace(gm.Gaussian(1.0))
    found = gm.mean_test(phi([[0.0]]), phi([[9.0]]), permutations=50, rng=0)
    assert found.p_value == 1.0
    assert found.distance == pytest.approx(sqrt(2), rel=1e-12)


@pytest.mark.parametrize("sizes", [(10, 7), (1, 16), (3, 2)], ids=str)
def test_copies_of_one_point_cannot_be_told_apart(known, sizes):
    n, m = sizes
    copies = np.full((n + m, 2), 1.7)
    found = gm.mean_test(known.space(copies[:n]), known.space(copies[n:]), permutations=199, rng=0)
    assert found.p_value == 1.0
    assert found.distance == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Gaussian(1.0), gm.Laplacian(1.0)], ids=repr)
@pytest.mark.parametrize("shift", [1.0, 1e3, 1e6])
def test_p_value_of_tied_samples_does_not_change_when_the_origin_moves(kernel, shift):
    A, B = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1.0], [2.0], [4.0], [5.0]])
    phi = gm.FeatureSpace(kernel)
    here, there = (gm.mean_test(phi(A + s), phi(B + s), rng=0) for s in (0.0, shift))
    assert there.p_value == here.p_value
    assert 0.05 < here.p_value < 1
    assert there.distance == pytest.approx(here.distance, rel=1e-3)


@pytest.mark.parametrize(
    ("changes", "error"),
    [({"permutations": 0}, ValueError), ({"permutations": 1.5}, TypeError), ({"rng": "seed"}, TypeError)],
)
def test_mean_test_refuses_bad_arguments(X, Z, changes, error):
    phi = gm.FeatureSpace(gm.Linear())
    with pytest.raises(error):
        gm.mean_test(phi(X), phi(Z), **changes)


def test_mean_test_refuses_combinations(X):
    S = gm.FeatureSpace(gm.Linear())(X)
    for T in [S.mean(), S[0], S.combine(np.eye(9))]:
        with pytest.raises(ValueError, match="mean_test is defined for the images of a sample"):
            gm.mean_test(S, T)


@pytest.mark.parametrize("three", [[0, 2, 5], [0, 2, 7], [0, 5, 7], [2, 5, 7], [0, 1, 2], [1, 3, 6]], ids=str)
def test_relabellings_that_are_the_same_but_for_rounding_count_as_the_same(three):
    # The corners and the middles of the sides of a square, three of them against the others: turned or mirrored, that
    # is the same. κ hardly differs from 1, so that centring leaves few digits.
    X = 0.73 * np.array([(i, j) for i in (-1.0, 0, 1) for j in (-1.0, 0, 1) if (i, j) != (0, 0)])
    weights = {chosen: np.where(np.isin(range(8), chosen), 1 / 3, -1 / 5) for chosen in combinations(range(8), 3)}
    less_one = np.expm1(-np.square(X[:, None] - X).sum(axis=2) / (2 * 400.0**2))
    squares = {chosen: w @ less_one @ w for chosen, w in weights.items()}
    expected = np.mean(np.array(list(squares.values())) >= squares[tuple(three)] * (1 - 1e-6))
    phi, draws = gm.FeatureSpace(gm.Gaussian(400.0)), 10_000
    found = gm.mean_test(phi(X[three]), phi(np.delete(X, three, axis=0)), permutations=draws, rng=0)
    assert abs(found.p_value - expected) <= 5 * sqrt(0.25 / draws)
