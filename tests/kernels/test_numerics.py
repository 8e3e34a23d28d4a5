"""Digits: far from the origin, close to each other, tiny, huge, repeated, alone."""

import numpy as np
import pytest
import scipy.sparse
from scipy.integrate import quad
from scipy.special import gamma

import gramian as gm

CASES_BY_DTYPE = [
    pytest.param(np.float32, 1e4, 1e-4, id="float32"),
    pytest.param(np.float64, 1e6, 1e-8, id="float64"),
]


def exact_gaussian(X, Z, sigma):
    """The kernel of the stored numbers, from differences in extended precision."""
    gap = X[:, None, :].astype(np.longdouble) - Z[None, :, :].astype(np.longdouble)
    return np.exp(-(gap**2).sum(axis=2) / (2 * np.longdouble(sigma) ** 2)).astype(np.float64)


def exact_distance(X, Z):
    gap = X[:, None, :].astype(np.longdouble) - Z[None, :, :].astype(np.longdouble)
    return np.sqrt((gap**2).sum(axis=2))


def clusters(offset, dtype, d=3, each=25, spread=1.0):
    """Points about ± offset along several axes, some of them repeated: no single shift brings all of them near 0."""
    rng = np.random.default_rng(7)
    centres = offset * np.array([[1] * d, [-1] * d, [1] + [-1] * (d - 1), [0] * d])
    X = np.concatenate([c + spread * rng.normal(size=(each, d)) for c in centres]).astype(dtype)
    X[1] = X[0]
    X[each + 1] = X[each]
    return X


@pytest.mark.parametrize(("dtype", "offset", "tolerance"), CASES_BY_DTYPE)
@pytest.mark.parametrize("sigma", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("d", [1, 3, 40])
def test_gaussian_of_points_far_from_the_origin_is_accurate(dtype, offset, tolerance, sigma, d):
    X = (offset + np.random.default_rng(0).normal(size=(60, d))).astype(dtype)
    K = gm.Gaussian(sigma)(X)
    assert K.dtype == dtype
    assert np.abs(K - exact_gaussian(X, X, sigma)).max() < tolerance


@pytest.mark.parametrize(("dtype", "offset", "tolerance"), CASES_BY_DTYPE)
@pytest.mark.parametrize("sigma", [0.1, 1.0, 100.0])
def test_gaussian_of_several_far_clusters_is_accurate(dtype, offset, tolerance, sigma):
    X = clusters(offset, dtype)
    assert np.abs(gm.Gaussian(sigma)(X) - exact_gaussian(X, X, sigma)).max() < tolerance
    assert np.abs(gm.Gaussian(sigma)(X[:30], X) - exact_gaussian(X[:30], X, sigma)).max() < tolerance


@pytest.mark.parametrize(("dtype", "offset", "tolerance"), CASES_BY_DTYPE)
def test_gaussian_of_many_points_in_far_clusters_is_accurate_in_every_tile(dtype, offset, tolerance):
    X = np.random.default_rng(0).permutation(clusters(offset, dtype, each=110))
    K = gm.Gaussian(1.0).gram(X, memory="1 MB").dense()
    assert np.abs(K - exact_gaussian(X, X, 1.0)).max() < tolerance


@pytest.mark.parametrize(("dtype", "offset", "tolerance"), CASES_BY_DTYPE)
def test_gaussian_of_a_lone_far_cluster_among_many_near_points_is_accurate(dtype, offset, tolerance):
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(200, 2)), offset + rng.normal(size=(4, 2))]).astype(dtype)
    assert np.abs(gm.Gaussian(0.5)(X) - exact_gaussian(X, X, 0.5)).max() < tolerance


@pytest.mark.parametrize("sigma", [1e-3, 1.0, 1e3])
def test_gaussian_keeps_the_accuracy_its_docstring_states(sigma):
    rng = np.random.default_rng(2)
    for dtype, tolerance in ((np.float32, 3e-5), (np.float64, 1e-9)):
        for offset in (0.0, 1.0, 1e2, 1e5):
            X = (offset + sigma * rng.normal(size=(80, 5))).astype(dtype)
            assert np.abs(gm.Gaussian(sigma)(X) - exact_gaussian(X, X, sigma)).max() < tolerance, (dtype, offset)


def test_gaussian_in_very_many_dimensions_is_accurate():
    X = np.random.default_rng(0).uniform(1, 2, size=(30, 5000)).astype(np.float32)
    assert np.abs(gm.Gaussian(20.0)(X) - exact_gaussian(X, X, 20.0)).max() < 3e-5


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5, 0.8])
@pytest.mark.parametrize("gap", [1e-12, 1e-9, 1e-6, 1e-3])
def test_matern_of_near_duplicates_far_from_the_origin_is_accurate(nu, gap):
    X = np.array([[1000.0], [1000.0 + gap], [-1000.0], [1000.0]])
    r = exact_distance(X, X).astype(np.float64)
    expected = np.vectorize(lambda s: matern_series(s, nu))(r[:2, :2])
    np.testing.assert_allclose(gm.Matern(1.0, nu)(X)[:2, :2], expected, rtol=0, atol=1e-8)
    assert gm.Matern(1.0, nu)(X)[0, 3] == 1


def matern_series(r, nu):
    """Closed forms, and for general ν the leading terms at r → 0, exact to O(r²)."""
    t = np.sqrt(2 * nu) * r
    if nu == 0.5:
        return np.exp(-t)
    if nu == 1.5:
        return (1 + t) * np.exp(-t)
    if nu == 2.5:
        return (1 + t + t * t / 3) * np.exp(-t)
    return 1 - gamma(1 - nu) / gamma(1 + nu) * (t / 2) ** (2 * nu) + (t / 2) ** 2 / (1 - nu)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5, 0.8, 3.3])
def test_matern_is_one_on_duplicates_and_at_most_one_elsewhere(nu):
    X = np.repeat(np.random.default_rng(0).normal(size=(5, 3)), 3, axis=0)
    for dtype in (np.float32, np.float64):
        K = gm.Matern(0.5, nu)(X.astype(dtype))
        np.testing.assert_allclose(K[0, :3], 1, atol=4e-5 if dtype == np.float32 else 1e-9)
        assert K.max() <= 1 + 1e-6
        assert K.min() >= 0


def test_matern_of_distant_points_is_zero_and_finite():
    for nu in (0.5, 1.5, 2.5, 0.8, 3.3, 20.0):
        np.testing.assert_array_equal(gm.Matern(1.0, nu)([[0.0], [1e6], [1e100]]), np.eye(3))


def test_general_matern_agrees_with_numerical_integration_at_moderate_distance():
    for nu, r in [(0.7, 0.5), (3.3, 1.0), (6.0, 2.0)]:
        t = np.sqrt(2 * nu) * r
        bessel = quad(lambda u, t=t, nu=nu: np.exp(-t * np.cosh(u)) * np.cosh(nu * u), 0, 6, epsabs=0, epsrel=1e-11)[0]
        expected = 2 ** (1 - nu) / gamma(nu) * t**nu * bessel
        assert gm.Matern(1.0, nu)([[0.0]], [[r]]).item() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("dtype", "offset", "tolerance"), CASES_BY_DTYPE)
def test_laplacian_of_far_clusters_is_accurate(dtype, offset, tolerance):
    X = clusters(offset, dtype)
    gap = np.abs(X[:, None, :].astype(np.longdouble) - X[None, :, :].astype(np.longdouble)).sum(axis=2)
    assert np.abs(gm.Laplacian(1.5)(X) - np.exp(-gap / 1.5)).max() < tolerance


RADIAL = [gm.Gaussian(1.0), gm.Laplacian(1.0), gm.Matern(1.0, 0.5), gm.Matern(1.0, 1.5), gm.Matern(1.0, 0.8)]
DOT = [gm.Linear(), gm.Polynomial(2), gm.Bilinear(np.eye(2)), gm.AllSubsets(), gm.Anova(2)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", RADIAL, ids=repr)
def test_exact_duplicates_have_similarity_one(kernel, dtype):
    X = clusters(1e3, dtype, each=5)
    K = kernel(np.repeat(X, 2, axis=0))
    np.testing.assert_allclose(K[0::2, 1::2].diagonal(), 1, atol=4e-5 if dtype == np.float32 else 1e-9)


@pytest.mark.parametrize("kernel", RADIAL + DOT, ids=repr)
def test_one_object_has_a_one_by_one_matrix_that_is_its_diagonal(kernel):
    x = np.array([[1.5, -2.0]])
    assert kernel(x).shape == (1, 1)
    np.testing.assert_array_equal(kernel(x)[0], kernel.diag(x))
    np.testing.assert_allclose(kernel(x, x.copy()), kernel(x), rtol=1e-14)
    np.testing.assert_allclose(kernel.center(x)(x), 0, atol=1e-13)


@pytest.mark.parametrize("kernel", RADIAL + DOT, ids=repr)
def test_constant_data_has_a_constant_matrix(kernel):
    X = np.full((6, 2), 3.7)
    K = kernel(X)
    np.testing.assert_allclose(K, np.full((6, 6), K[0, 0]), rtol=1e-12)
    np.testing.assert_allclose(kernel.center(X)(X), 0, atol=1e-11 * K[0, 0])


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
def test_radial_kernels_depend_only_on_distance_in_units_of_the_bandwidth(scale):
    X = np.random.default_rng(0).normal(size=(10, 3))
    X[4] = X[2]
    for make in (gm.Gaussian, gm.Laplacian, gm.Matern, lambda s: gm.Matern(s, 0.5), lambda s: gm.Matern(s, 0.8)):
        np.testing.assert_allclose(make(scale)(scale * X), make(1.0)(X), atol=1e-9)
        np.testing.assert_allclose(make("median")(scale * X), make("median")(X), atol=1e-9)


@pytest.mark.parametrize("kernel", RADIAL, ids=repr)
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_radial_kernels_of_badly_scaled_data_are_all_or_nothing(kernel, scale):
    X = scale * np.array([[1.0, 2.0], [-3.0, 5.0], [1.0, 2.0]])
    expected = [[1, 0, 1], [0, 1, 0], [1, 0, 1]] if scale > 1 else np.ones((3, 3))
    np.testing.assert_allclose(kernel(X), expected, atol=1e-12)


def test_linear_kernel_of_badly_scaled_data_is_right():
    X = np.random.default_rng(0).normal(size=(6, 3))
    for scale in (1e-150, 1e150):
        np.testing.assert_allclose(gm.Linear()(scale * X) / scale**2, X @ X.T, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(gm.Linear().normalize()(scale * X), gm.Linear().normalize()(X), atol=1e-12)


@pytest.mark.parametrize(
    "kernel",
    [gm.Polynomial(2), gm.Linear() ** 3, gm.Linear().exp(), gm.Anova(2), gm.AllSubsets(), 1e200 * gm.Linear()],
    ids=repr,
)
def test_overflow_is_an_error_and_never_a_silent_infinity(kernel):
    X = [[1.0, 1.0], [1e150, 1e150]]
    for call in (lambda: kernel(X), lambda: kernel(X[:1], X), lambda: kernel.diag(X), lambda: kernel.gram(X)):
        with pytest.raises(ValueError, match=r"overflows float64 for 1 object\(s\), first at index 1.*rescale"):
            call()


def test_overflow_of_float32_is_an_error():
    with pytest.raises(ValueError, match="overflows float32"):
        gm.Polynomial(3)(np.array([[1e15]], np.float32))


def test_polynomial_of_large_degree_matches_the_general_power():
    X = np.random.default_rng(0).uniform(-0.5, 0.5, size=(6, 3))
    for degree in (1, 2, 3, 15, 16, 31, 64):
        expected = (X @ X.T + 1) ** degree
        np.testing.assert_allclose(gm.Polynomial(degree, 1.0)(X), expected, rtol=1e-12)


def test_odd_power_keeps_the_sign():
    assert gm.Polynomial(3, 0.0)([[2.0]], [[-1.0]]).item() == -8
    assert (gm.Linear() ** 5)([[2.0]], [[-1.0]]).item() == -32


def test_normalized_matrix_has_ones_on_the_diagonal_and_nothing_above_one():
    X = np.random.default_rng(0).normal(size=(40, 3)) * 10.0 ** np.arange(-20, 20)[:, None]
    for kernel in (gm.Linear(), gm.Polynomial(3)):
        K = kernel.normalize()(X)
        np.testing.assert_array_equal(K.diagonal(), 1)
        assert np.abs(K).max() <= 1 + 1e-12


def test_anova_of_alternating_signs_does_not_lose_digits():
    x = np.tile([1.0, -1.0], 10)[None]
    # (1 − t²)^10 is the generating function of Σ ∏ xⱼ over subsets: degree 2m has (−1)^m C(10, m).
    for m, expected in enumerate([1, -10, 45, -120, 210, -252]):
        if m:
            assert gm.Anova(2 * m)(x, np.ones((1, 20))).item() == expected


def test_result_does_not_depend_on_the_order_or_the_company_of_the_points():
    X = clusters(1e3, np.float64)
    order = np.random.default_rng(0).permutation(len(X))
    K = gm.Gaussian(1.0)(X)
    np.testing.assert_allclose(gm.Gaussian(1.0)(X[order]), K[np.ix_(order, order)], atol=1e-9)
    np.testing.assert_allclose(gm.Gaussian(1.0)(X[:3]), K[:3, :3], atol=1e-9)


# Extremes


@pytest.mark.parametrize("nu", [1.0, 3.3, 10.0, 50.0, 100.0])
def test_general_matern_of_near_duplicates_is_one(nu):
    for dtype, gap, tolerance in ((np.float64, 1e-7, 1e-12), (np.float32, 1e-5, 1e-6)):
        K = gm.Matern(1.0, nu)(np.array([[0.0], [gap]], dtype))
        assert K.dtype == dtype
        np.testing.assert_allclose(K, 1, atol=tolerance)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
@pytest.mark.parametrize("step", [-1e-9, 1e-9])
def test_general_matern_is_continuous_at_the_closed_forms(nu, step):
    X = np.array([[0.0], [1e-9], [1e-3], [0.1], [0.7], [1.5], [4.0], [30.0]])
    np.testing.assert_allclose(gm.Matern(1.0, nu + step)(X), gm.Matern(1.0, nu)(X), atol=1e-7)


@pytest.mark.parametrize("nu", [20.0, 50.0, 99.0])
def test_matern_of_large_nu_tends_to_the_gaussian_and_never_rises_with_distance(nu):
    r = np.concatenate([[0.0], np.geomspace(1e-12, 20, 400)])[:, None]
    values = gm.Matern(1.0, nu)(r[:1], r)[0]
    assert (np.diff(values) <= 1e-12).all()
    assert np.abs(values - gm.Gaussian(1.0)(r[:1], r)[0]).max() < 1 / nu


@pytest.mark.parametrize("nu", [0.5, 0.8, 1.5, 2.5, 3.3, 100.0])
@pytest.mark.parametrize("far", [1e100, 1e200, 1.7e308])
def test_matern_at_any_finite_distance_is_zero(nu, far):
    np.testing.assert_array_equal(gm.Matern(1.0, nu)([[0.0], [far]]), np.eye(2))
    np.testing.assert_array_equal(gm.Matern(1.0, nu)([[-far, 0.0]], [[far, 1.0]]), 0)


@pytest.mark.parametrize("make", [gm.Gaussian, gm.Laplacian, gm.Matern, lambda s: gm.Matern(s, 0.8)])
def test_radial_kernels_are_right_at_the_limits_of_the_number_format(make):
    same = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    np.testing.assert_array_equal(make(1e-310)([[1.0], [2.0], [1.0]]), same)
    np.testing.assert_array_equal(make(1.0)([[1.7e308], [-1.7e308], [1.7e308]]), same)
    np.testing.assert_allclose(make(1e-310)([[0.0], [1e-310], [3e-310]]), make(1.0)([[0.0], [1.0], [3.0]]), atol=1e-9)
    for far in (1e308, 1.2e308, 1.7e308):  # twice the power of two below the last ones is no number
        np.testing.assert_allclose(make(far)([[0.0], [far]]), make(1.0)([[0.0], [1.0]]), atol=1e-9)
    K = make(1e-50)(np.array([[1.0], [2.0], [1.0]], np.float32))
    assert K.dtype == np.float32
    np.testing.assert_array_equal(K, same)
    np.testing.assert_array_equal(make(1e50)(np.array([[1.0], [2.0], [1.0]], np.float32)), 1)


@pytest.mark.parametrize("data", [[[1.0], [1e200]], np.array([[1.0], [1e30]], np.float32)], ids=["float64", "float32"])
def test_normalizing_what_overflows_is_an_error(data):
    with pytest.raises(ValueError, match=r"overflows float\d\d for 1 object\(s\), first at index 1: rescale the data"):
        gm.Linear().normalize()(data)


@pytest.mark.parametrize(
    "data", [[[1.0], [1e-160]], np.array([[1.0], [1e-22]], np.float32)], ids=["float64", "float32"]
)
def test_normalizing_a_norm_that_has_lost_its_digits_is_an_error(data):
    with pytest.raises(ValueError, match=r"φ\(x\) = 0 for 1 object\(s\), first at index 1.*cannot be normalized"):
        gm.Linear().normalize()(data)


MIXED = [
    gm.Linear(),
    gm.Polynomial(3),
    gm.Gaussian(1.5),
    gm.Laplacian(1.5),
    gm.Matern(1.5),
    gm.Matern(1.5, 0.8),
    gm.AllSubsets(),
    gm.Anova(2),
    gm.Gaussian(1.5) + 2 * gm.Linear(),
    gm.Gaussian(1.5) * gm.Polynomial(2),
    gm.Linear() ** 3,
]


@pytest.mark.parametrize("kernel", MIXED, ids=repr)
def test_two_precisions_compare_alike_in_either_order(kernel):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(20, 3)).astype(np.float32), rng.normal(size=(15, 3))
    K, T = kernel(X, Z), kernel(Z, X)
    exact = kernel(X.astype(np.float64), Z)
    assert K.dtype == T.dtype == np.float64
    tolerance = 100 * np.finfo(float).eps * np.abs(exact).max()
    np.testing.assert_allclose(K, exact, rtol=0, atol=tolerance)
    np.testing.assert_allclose(T, exact.T, rtol=0, atol=tolerance)
    np.testing.assert_allclose(kernel.gram(X, Z).T.dense(), K.T, rtol=0, atol=tolerance)
    np.testing.assert_allclose(kernel.gram(X, Z).T @ np.ones(20), exact.T @ np.ones(20), rtol=0, atol=20 * tolerance)
    np.testing.assert_allclose(kernel.gram(X, Z) @ np.ones(15), exact @ np.ones(15), rtol=0, atol=20 * tolerance)


def test_products_with_a_polynomial_of_very_high_degree_are_those_of_the_matrix():
    X = np.random.default_rng(0).uniform(-0.9, 0.9, size=(450, 1))  # 201 monomials, so that the map is used
    K = gm.Polynomial(200, 0.1).gram(X)
    V = np.random.default_rng(1).normal(size=(450, 2))
    np.testing.assert_allclose(K @ V, K.dense() @ V, rtol=1e-9, atol=1e-9 * np.abs(K.dense()).max())


def test_features_that_overflow_are_an_error():
    for kernel, data in ((gm.Polynomial(3), [[1e120]]), (gm.Polynomial(2), np.array([[1e15]], np.float32))):
        with pytest.raises(ValueError, match="overflows"):
            kernel.features(data)


def test_truncated_features_of_a_gaussian_are_finite_however_far_the_point():
    Phi = gm.Gaussian(1.0).features([[0.5, 0.1], [1e160, -1e160], [1e100, 0.0]], degree=3)
    assert np.isfinite(Phi).all()
    np.testing.assert_array_equal(Phi[1:], 0)
    np.testing.assert_allclose(Phi[0, 0], np.exp(-0.13))


@pytest.mark.parametrize("kernel", [gm.Linear(), 2 * gm.Linear(), gm.Bilinear(np.eye(3)), gm.Linear() + 1], ids=repr)
def test_centering_far_from_the_origin_keeps_its_digits(kernel):
    Y = 1e8 + np.random.default_rng(0).normal(size=(30, 3))
    factor = 2 if kernel == 2 * gm.Linear() else 1
    about = Y.astype(np.longdouble) - Y.astype(np.longdouble).mean(axis=0)
    exact = factor * (about @ about.T).astype(np.float64)
    tolerance = 1e-6 * np.abs(exact).max()
    centered = kernel.center(Y)
    np.testing.assert_allclose(centered(Y), exact, rtol=0, atol=tolerance)
    np.testing.assert_allclose(centered.diag(Y), exact.diagonal(), rtol=0, atol=tolerance)
    np.testing.assert_allclose(kernel.gram(Y).center().dense(), exact, rtol=0, atol=tolerance)
    assert gm.FeatureSpace(kernel)(Y).total_variance() == pytest.approx(exact.diagonal().mean(), rel=1e-7)


def test_bilinear_kernel_of_a_rank_deficient_float32_matrix_is_accepted():
    for seed in range(20):
        F = np.random.default_rng(seed).normal(size=(30, 2)).astype(np.float32)
        x = np.random.default_rng(seed + 100).normal(size=(4, 30)).astype(np.float32)
        found, exact = gm.Bilinear(F @ F.T)(x), (x @ F).astype(float) @ (x @ F).T.astype(float)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, exact, rtol=0, atol=1e-4 * np.abs(exact).max())


@pytest.mark.parametrize("kernel", [gm.Gaussian(1.0), gm.Matern(1.0), gm.Laplacian(1.0)], ids=repr)
@pytest.mark.parametrize("far", [1e160, 1e200, 1e300])
def test_a_point_very_far_away_does_not_spoil_the_others(kernel, far):
    near = [[0.0], [1.0]]
    K = kernel([*near, [far]])
    np.testing.assert_allclose(K[:2, :2], kernel(near), rtol=1e-12)
    np.testing.assert_array_equal(K[2], [0.0, 0.0, 1.0])


@pytest.mark.parametrize(
    "kernel", [gm.Linear(), gm.Polynomial(2), gm.AllSubsets(), gm.Anova(1), gm.Linear() + 1], ids=repr
)
@pytest.mark.parametrize("value", [-1.07525058, 0.1, 1e5, 1 / 3])
def test_equal_points_have_no_inner_products_about_their_centre(kernel, value):
    X = np.full((13, 2), value)
    K = kernel.center(X).gram(X)
    np.testing.assert_array_equal(K.dense(), 0)
    assert gm.is_psd(K).psd
    assert gm.is_psd(kernel.center(X).gram(np.vstack([X, X + 1e-3]))).psd


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_whose_sums_would_overflow_are_refused(dtype):
    most = np.sqrt(np.finfo(dtype).max)
    X = np.array([[1.0], [most / 2]], dtype)
    with pytest.raises(
        ValueError, match=rf"sums of κ\(x, x\) overflow {np.dtype(dtype)} for 1 object\(s\), first at index 1"
    ):
        gm.Linear().gram(X)
    K = gm.Linear().gram(X / 2000)
    assert np.isfinite(K @ np.full(2, 1000.0)).all()


@pytest.mark.parametrize("degree", [10**6, 10**40, 10**400])
def test_degrees_of_any_size_are_values_or_refused(degree):
    kernel = gm.Polynomial(degree, offset=0.0)
    np.testing.assert_array_equal(kernel.gram([[0.5], [1.0], [-1.0]]).dense()[:2], [[0, 0, 0], [0, 1, 1]])
    with pytest.raises(ValueError, match="overflows float64"):
        kernel.gram([[0.5], [1.5]])
    assert np.isfinite(gm.FeatureSpace(kernel)([[0.5], [1.0]]).center().gram().dense()).all()


@pytest.mark.parametrize(
    "made",
    [
        lambda k: k * gm.Linear(),
        lambda k: k + 1e-9 * gm.Linear(),
        lambda k: 3 * k,
        lambda k: k**2,
        lambda k: 2 * (k * k) + k,
    ],
    ids=["product", "sum", "scaled", "power", "nested"],
)
@pytest.mark.parametrize("value", [0.1, 1 / 3, 7e4])
def test_what_is_made_of_a_centred_kernel_knows_what_its_rounding_is_relative_to(made, value):
    X = np.full((20, 1), value)
    k = gm.Precomputed([[value]]).center([0] * 20)
    base = gm.Gaussian(1.0).center(X)
    for kernel, objects in ((made(base), X), (k * k, [0] * 20)):
        K = kernel.gram(objects)
        assert gm.is_psd(K).psd
        assert K.scale() > np.abs(K.dense()).max()


@pytest.mark.parametrize("make", [gm.Gaussian, gm.Laplacian, gm.Matern])
@pytest.mark.parametrize("form", [np.array, scipy.sparse.csr_array])
def test_the_smallest_bandwidth_of_all_tells_equal_points_from_others(make, form):
    if make is gm.Laplacian and form is not np.array:
        return
    X, Z = form([[0.0, 1.0], [1.0, 1.0]]), form([[1e-3, 2.0], [1.0, 1.0], [0.0, 1.0]])
    np.testing.assert_array_equal(make(5e-324)(X, Z), [[0, 0, 1], [0, 1, 0]])
