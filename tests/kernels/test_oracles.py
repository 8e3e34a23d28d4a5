"""Every kernel against a slow oracle: one pair at a time, straight from the definition, in plain Python."""

from itertools import combinations, pairwise
from math import cosh, exp, factorial, fsum, gamma, pi, prod, sin, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

import gramian as gm

claims = settings(max_examples=30, deadline=None, derandomize=True, database=None)


def dot(x, z):
    return fsum(a * b for a, b in zip(x, z, strict=True))


def squared_distance(x, z):
    return fsum((a - b) ** 2 for a, b in zip(x, z, strict=True))


def cityblock(x, z):
    return fsum(abs(a - b) for a, b in zip(x, z, strict=True))


def matern(r, nu):
    """2^(1−ν)/Γ(ν) t^ν K_ν(t), with K_ν(t) = ∫ exp(−t cosh u) cosh(νu) du over u > 0."""
    t = sqrt(2 * nu) * r
    if t == 0:
        return 1.0
    if t > 300:
        return 0.0
    # Beyond t cosh u = 740 the integrand is below the least double.
    top = float(np.arccosh(max(740 / t, 1.0)))
    bessel = quad(lambda u: exp(-t * cosh(u)) * cosh(nu * u), 0, top, epsabs=0, epsrel=1e-11, limit=400)[0]
    return 2 ** (1 - nu) / gamma(nu) * t**nu * bessel


def table(kappa, X, Z):
    rows, cols = [[float(v) for v in x] for x in X], [[float(v) for v in z] for z in Z]
    return np.array([[kappa(x, z) for z in cols] for x in rows])


@st.composite
def collections(draw, largest_dimension=6, scales=(1e-3, 1.0, 1e3)):
    """Two collections of vectors of one dimension and scale, with duplicates in and between them, and the scale."""
    n, m = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    d = draw(st.integers(1, largest_dimension))
    scale = draw(st.sampled_from(scales))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X, Z = scale * rng.normal(size=(n, d)), scale * rng.normal(size=(m, d))
    if draw(st.booleans()):
        X[-1] = X[0]
        Z[-1] = X[0]
    if draw(st.booleans()):
        Z[:, 0] = 0
    return X, Z, scale


def agree(kernel, kappa, X, Z, rtol=1e-9):
    """Compare K(X, Z) and K(X) with the oracle, to `rtol` of the greatest norm product."""
    expected = table(kappa, X, Z)
    norms = np.sqrt(np.outer([kappa(x, x) for x in X.tolist()], [kappa(z, z) for z in Z.tolist()]))
    assert (np.abs(kernel(X, Z) - expected) <= rtol * norms + 1e-300).all()
    np.testing.assert_allclose(kernel.diag(X), [kappa(x, x) for x in X.tolist()], rtol=rtol, atol=1e-300)
    symmetric = kernel(X)
    scale = np.sqrt(np.outer(kernel.diag(X), kernel.diag(X)))
    assert (np.abs(symmetric - table(kappa, X, X)) <= rtol * scale + 1e-300).all()


@claims
@given(collections())
def test_linear_kernel_is_the_inner_product(data):
    X, Z, _ = data
    agree(gm.Linear(), dot, X, Z, rtol=1e-13)


@claims
@given(collections(), st.integers(1, 9), st.sampled_from([0.0, 0.5, 1.0, 10.0]))
def test_polynomial_kernel_is_a_power_of_the_shifted_inner_product(data, degree, offset):
    X, Z, _ = data
    agree(gm.Polynomial(degree, offset), lambda x, z: (dot(x, z) + offset) ** degree, X, Z)


@claims
@given(collections(), st.floats(0.05, 20))
def test_gaussian_kernel_is_the_exponential_of_the_squared_distance(data, width):
    X, Z, scale = data
    sigma = width * scale
    agree(gm.Gaussian(sigma), lambda x, z: exp(-squared_distance(x, z) / (2 * sigma**2)), X, Z)


@claims
@given(collections(), st.floats(0.05, 20))
def test_laplacian_kernel_is_the_exponential_of_the_cityblock_distance(data, width):
    X, Z, scale = data
    sigma = width * scale
    agree(gm.Laplacian(sigma), lambda x, z: exp(-cityblock(x, z) / sigma), X, Z, rtol=1e-12)


def periodic(x, z, period, sigma):
    return exp(-2 * sum(sin(pi * ((a - b) / period)) ** 2 for a, b in zip(x, z, strict=True)) / sigma**2)


@claims
@given(collections(), st.floats(0.05, 20), st.floats(0.2, 5))
def test_periodic_kernel_is_the_exponential_of_squared_sines(data, share, sigma):
    X, Z, scale = data
    period = share * scale
    turns = max(np.abs(X).max(), np.abs(Z).max()) / period  # in which rounding moves a point by so many eps
    rtol = 1e-9 + 100 * np.finfo(float).eps * turns * X.shape[1] / sigma**2
    agree(gm.Periodic(period, sigma), lambda x, z: periodic(x, z, period, sigma), X, Z, rtol=rtol)


@claims
@given(st.integers(0, 2**32 - 1), st.floats(0.1, 400), st.integers(-1000, 1000))
def test_what_is_a_whole_number_of_periods_away_is_the_same_and_half_of_one_the_farthest(seed, period, turns):
    rng = np.random.default_rng(seed)
    x = period * rng.uniform(-3, 3, (5, 1))
    kernel, eps = gm.Periodic(period, 0.7), np.finfo(float).eps
    np.testing.assert_allclose(kernel(x, x + turns * period), kernel(x), rtol=0, atol=1e-9 + 100 * eps * abs(turns))
    assert (kernel(x, x + period * rng.uniform(-9, 9, (5, 1))) >= exp(-2 / 0.7**2) * (1 - 1e-7)).all()
    np.testing.assert_allclose(kernel(x, x + period / 2).diagonal(), exp(-2 / 0.7**2), rtol=1e-7)


@claims
@given(collections(), st.floats(0.2, 20), st.sampled_from([0.5, 1.5, 2.5, 0.3, 1.0, 2.0, 3.7]))
def test_matern_kernel_is_the_bessel_function_of_the_distance(data, width, nu):
    X, Z, scale = data
    sigma = width * scale
    agree(gm.Matern(sigma, nu), lambda x, z: matern(sqrt(squared_distance(x, z)) / sigma, nu), X, Z, rtol=2e-8)


@claims
@given(collections(), st.integers(1, 6), st.integers(0, 10**6))
def test_bilinear_kernel_is_the_double_sum_over_the_matrix(data, rank, seed):
    X, Z, _ = data
    d = X.shape[1]
    F = np.random.default_rng(seed).normal(size=(d, rank))
    A = F @ F.T

    def kappa(x, z):
        return max(fsum(x[i] * A[i, j] * z[j] for i in range(d) for j in range(d)), 0.0 if x == z else -np.inf)

    expected = table(kappa, X, Z)
    scale = np.abs(A).max() * np.outer(np.linalg.norm(X, axis=1), np.linalg.norm(Z, axis=1)) * d
    assert (np.abs(gm.Bilinear(A)(X, Z) - expected) <= 1e-13 * scale).all()


@claims
@given(collections(), st.integers(0, 10**6), st.booleans())
def test_all_subsets_kernel_is_the_product_over_coordinates(data, seed, weighted):
    X, Z, _ = data
    a = np.random.default_rng(seed).uniform(0, 3, X.shape[1]).tolist() if weighted else [1.0] * X.shape[1]
    kernel = gm.AllSubsets(tuple(a) if weighted else None)
    agree(kernel, lambda x, z: prod(1 + w * s * t for w, s, t in zip(a, x, z, strict=True)), X, Z, rtol=1e-12)


@claims
@given(collections(), st.data())
def test_anova_kernel_is_the_sum_over_subsets_of_its_degree(data, more):
    X, Z, _ = data
    d = X.shape[1]
    degree = more.draw(st.integers(1, d))
    subsets = list(combinations(range(d), degree))
    agree(gm.Anova(degree), lambda x, z: fsum(prod(x[j] * z[j] for j in A) for A in subsets), X, Z, rtol=1e-11)


@claims
@given(st.integers(1, 8), st.integers(0, 10**6))
def test_precomputed_kernel_looks_entries_up(n, seed):
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(n, n))
    K = F @ F.T
    rows, cols = rng.integers(0, n, 5).tolist(), rng.integers(0, n, 4).tolist()
    np.testing.assert_array_equal(gm.Precomputed(K)(rows, cols), [[K[i, j] for j in cols] for i in rows])


@claims
@given(collections())
def test_median_bandwidth_is_the_median_distance_between_distinct_points(data):
    X, Z, _ = data
    points = np.vstack([X, Z]).tolist()
    distinct = {tuple(x) for x in points}
    for kernel, distance in [
        (gm.Gaussian("median"), lambda x, z: sqrt(squared_distance(x, z))),
        (gm.Laplacian("median"), cityblock),
        (gm.Matern("median", nu=1.5), lambda x, z: sqrt(squared_distance(x, z))),
    ]:
        apart = [distance(x, z) for x, z in combinations(distinct, 2)]
        if apart:
            assert kernel.fit(points).bandwidth == pytest.approx(float(np.median(apart)), rel=1e-12)


def test_median_of_many_points_is_the_same_on_every_call_and_near_the_truth():
    X = np.random.default_rng(0).normal(size=(3000, 2))
    first, second = (gm.Gaussian("median").fit(X).bandwidth for _ in range(2))
    assert first == second
    assert first == pytest.approx(sqrt(2 * 2 * np.log(2)), rel=0.05)  # |x − z|² / 2 is χ² with 2 degrees of freedom


# Explicit features

WITH_FEATURES = [
    gm.Linear(),
    gm.Polynomial(1, 0.0),
    gm.Polynomial(2, 0.0),
    gm.Polynomial(2, 1.0),
    gm.Polynomial(3, 0.3),
    gm.Polynomial(5, 2.0),
    gm.AllSubsets(),
    gm.Anova(1),
    gm.Anova(2),
    gm.Linear() + gm.Polynomial(2),
    0.25 * gm.Polynomial(2),
    gm.Polynomial(2).normalize(),
    gm.Linear().reweight(lambda X: X[:, 0]),
]


@pytest.mark.parametrize("kernel", WITH_FEATURES, ids=repr)
@settings(claims, max_examples=10)
@given(data=collections(scales=(1e-2, 1.0, 10.0)))
def test_inner_products_of_the_explicit_features_are_the_kernel(kernel, data):
    X, Z, _ = data
    if isinstance(kernel, gm.Anova) and kernel.degree > X.shape[1]:
        return
    if "normalize" in repr(kernel):
        X, Z = X + 0.1, Z + 0.1
    K = kernel(X, Z)
    scale = np.sqrt(np.outer(kernel.diag(X), kernel.diag(Z)))
    assert (np.abs(kernel.features(X) @ kernel.features(Z).T - K) <= 1e-12 * scale + 1e-300).all()


def value_of_monomial(name, x, inputs):
    """Evaluate a name such as 'a^2 b' at a point."""
    values = dict(zip(inputs, x, strict=True)) | {"1": 1.0}
    factors = [factor.partition("^") for factor in name.split(" ")]
    return prod(values[base] ** int(power or 1) for base, _, power in factors)


@pytest.mark.parametrize("kernel", [k for k in WITH_FEATURES if "lambda" not in repr(k)], ids=repr)
def test_every_feature_is_a_constant_times_the_monomial_of_its_name(kernel):
    inputs = ["a", "b", "c"]
    X = np.random.default_rng(0).uniform(0.5, 2, size=(4, 3))
    Phi, names = kernel.features(X), kernel.feature_names(inputs)
    assert Phi.shape == (4, len(names))
    monomials = np.array([[value_of_monomial(name, x, inputs) for name in names] for x in X.tolist()])
    ratio = Phi / monomials
    if "normalize" in repr(kernel):
        ratio /= ratio[:, :1]
    np.testing.assert_allclose(ratio, np.tile(ratio[0], (4, 1)), rtol=1e-12)
    assert (ratio > 0).all()


def test_weighted_all_subsets_features_give_the_kernel():
    k, X = gm.AllSubsets(weights=(0.5, 2.0, 0.0)), np.random.default_rng(0).normal(size=(5, 3))
    np.testing.assert_allclose(k.features(X) @ k.features(X).T, k(X), rtol=1e-12, atol=1e-12)
    assert len(k.feature_names(["a", "b", "c"])) == k.features(X).shape[1] == 8


def test_bilinear_features_have_the_rank_of_the_matrix():
    F = np.random.default_rng(0).normal(size=(5, 2))
    X = np.random.default_rng(1).normal(size=(7, 5))
    Phi = gm.Bilinear(F @ F.T).features(X)
    assert Phi.shape == (7, 2)
    np.testing.assert_allclose(Phi @ Phi.T, X @ F @ F.T @ X.T, atol=1e-11)


def test_centered_features_have_mean_zero_and_give_the_centered_kernel():
    X = np.random.default_rng(0).normal(size=(9, 3))
    k = gm.Polynomial(2).center(X)
    Phi = k.features(X)
    np.testing.assert_allclose(Phi.mean(axis=0), 0, atol=1e-13)
    np.testing.assert_allclose(Phi @ Phi.T, k(X), atol=1e-11)


# The Gaussian's truncated map


@pytest.mark.parametrize("d", [1, 2, 3])
def test_truncated_gaussian_features_converge_to_the_kernel(d):
    X = np.random.default_rng(d).uniform(-1, 1, size=(6, d))
    k = gm.Gaussian(bandwidth=1.2)
    K = k(X)
    errors = [np.abs(Phi @ Phi.T - K).max() for Phi in (k.features(X, degree=q) for q in range(16))]
    assert all(later <= earlier + 1e-15 for earlier, later in pairwise(errors))
    assert errors[0] > 0.1
    assert errors[15] < 1e-9


def test_truncated_gaussian_features_follow_the_seeds_formula():
    x, sigma, q = [0.4, -0.9], 1.3, 3
    gamma_ = 1 / (2 * sigma**2)
    k = gm.Gaussian(bandwidth=sigma)
    found = dict(zip(k.feature_names(["a", "b"], degree=q), k.features([x], degree=q)[0], strict=True))
    assert len(found) == 10  # C(2 + 3, 3)
    for n in range(q + 1):
        for m in range(q + 1 - n):
            name = " ".join(v if p == 1 else f"{v}^{p}" for v, p in (("a", n), ("b", m)) if p) or "1"
            coefficient = (2 * gamma_) ** (n + m) / (factorial(n) * factorial(m))
            expected = sqrt(coefficient) * exp(-gamma_ * dot(x, x)) * x[0] ** n * x[1] ** m
            assert found[name] == pytest.approx(expected, rel=1e-12), name


def test_truncated_gaussian_kernel_never_exceeds_the_diagonal_of_the_kernel():
    X = np.random.default_rng(0).normal(size=(5, 2))
    for q in range(6):
        assert (np.square(gm.Gaussian().features(X, degree=q)).sum(axis=1) <= 1 + 1e-15).all()


# Agreement with scikit-learn, with the conversions that the docstrings give


@claims
@given(collections(), st.floats(0.1, 10))
def test_scikit_learn_agrees_with_the_documented_conversions(data, width):
    from sklearn.gaussian_process.kernels import ExpSineSquared, Matern
    from sklearn.metrics.pairwise import laplacian_kernel, linear_kernel, polynomial_kernel, rbf_kernel

    X, Z, scale = data
    s = width * scale

    def same(found, expected):
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())

    same(gm.Linear()(X, Z), linear_kernel(X, Z))
    same(gm.Gaussian(s)(X, Z), rbf_kernel(X, Z, gamma=1 / (2 * s**2)))
    same(gm.Laplacian(s)(X, Z), laplacian_kernel(X, Z, gamma=1 / s))
    same(gm.Polynomial(3, 0.7)(X, Z), polynomial_kernel(X, Z, degree=3, gamma=1, coef0=0.7))
    same((gm.Polynomial(3, 0.7)).pullback(lambda U: U / s)(X, Z), polynomial_kernel(X, Z, 3, 1 / s**2, 0.7))
    for nu in (0.5, 1.5, 2.5):
        same(gm.Matern(s, nu)(X, Z), Matern(length_scale=s, nu=nu)(X, Z))
    one = ExpSineSquared(length_scale=0.8, periodicity=7 * s)(X[:, :1], Z[:, :1])
    same(gm.Periodic(7 * s, 0.8)(X[:, :1], Z[:, :1]), one)


def test_scikit_learn_agrees_on_the_general_matern_kernel():
    from sklearn.gaussian_process.kernels import Matern

    X = np.random.default_rng(0).normal(size=(12, 3))
    for nu in (0.3, 0.8, 1.0, 2.0, 4.2):
        np.testing.assert_allclose(gm.Matern(0.9, nu)(X), Matern(0.9, nu=nu)(X), rtol=1e-9)


def test_matern_kernel_tends_to_the_gaussian_as_nu_grows():
    X = np.random.default_rng(0).normal(size=(8, 2))
    gaps = [np.abs(gm.Matern(1.0, nu)(X) - gm.Gaussian(1.0)(X)).max() for nu in (1.5, 5.0, 20.0, 100.0)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 5e-3


def test_matern_one_half_is_the_laplacian_in_one_dimension():
    X = np.random.default_rng(0).normal(size=(8, 1))
    np.testing.assert_allclose(gm.Matern(0.7, 0.5)(X), gm.Laplacian(0.7)(X), rtol=1e-9)
