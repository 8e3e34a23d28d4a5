"""The worked examples of the seeds, to the digits they print; where print and mathematics disagree, the mathematics."""

from itertools import combinations, product
from math import comb, prod, sqrt

import numpy as np
import pytest

import gramian as gm

FIVE_POINTS = [[5.9, 3.0], [6.9, 3.1], [6.6, 2.9], [4.6, 3.2], [6.0, 2.2]]
X1, X2 = FIVE_POINTS[:1], FIVE_POINTS[1:2]

LINEAR_MATRIX = [
    [43.81, 50.01, 47.64, 36.74, 42.00],
    [50.01, 57.22, 54.53, 41.66, 48.22],
    [47.64, 54.53, 51.97, 39.64, 45.98],
    [36.74, 41.66, 39.64, 31.40, 34.64],
    [42.00, 48.22, 45.98, 34.64, 40.84],
]
CENTERED_MATRIX = [
    [0.02, -0.06, -0.06, 0.18, -0.08],
    [-0.06, 0.86, 0.54, -1.19, -0.15],
    [-0.06, 0.54, 0.36, -0.83, -0.01],
    [0.18, -1.19, -0.83, 2.06, -0.22],
    [-0.08, -0.15, -0.01, -0.22, 0.46],
]
GAUSSIAN_MATRIX = [
    [1.00, 0.60, 0.78, 0.42, 0.72],
    [0.60, 1.00, 0.94, 0.07, 0.44],
    [0.78, 0.94, 1.00, 0.13, 0.65],
    [0.42, 0.07, 0.13, 1.00, 0.23],
    [0.72, 0.44, 0.65, 0.23, 1.00],
]


def printed(values, expected, digits):
    """Compare to the digits printed, half a unit in the last one."""
    np.testing.assert_allclose(values, expected, rtol=0, atol=0.5 * 10**-digits * (1 + 1e-9))


def by_name(kernel, X, inputs=("x1", "x2")):
    return dict(zip(kernel.feature_names(inputs), kernel.features(X)[0], strict=True))


# Seed 003


def test_example_5_2_quadratic_map():
    features = by_name(gm.Polynomial(degree=2, offset=0.0), X1)
    printed(features["x1^2"], 34.81, 2)
    printed(features["x2^2"], 9, 2)
    printed(features["x1 x2"], 25.03, 2)
    assert len(features) == 3


def test_example_5_3_linear_kernel_of_the_first_two_points():
    printed(gm.Linear()(X1, X2), [[50.01]], 2)


def test_figure_5_1b_linear_kernel_matrix():
    printed(gm.Linear()(FIVE_POINTS), LINEAR_MATRIX, 2)


def test_example_5_3_quadratic_map_of_the_second_point():
    features = by_name(gm.Polynomial(degree=2, offset=0.0), X2)
    printed(features["x1^2"], 47.61, 2)
    printed(features["x2^2"], 9.61, 2)
    printed(features["x1 x2"], 30.25, 2)


def test_examples_5_3_and_5_6_homogeneous_quadratic_kernel():
    printed(gm.Polynomial(degree=2, offset=0.0)(X1, X2), [[2501]], 0)
    printed((gm.Linear() ** 2)(X1, X2), [[2501]], 0)


def test_example_5_6_inhomogeneous_quadratic_kernel():
    printed(gm.Polynomial(degree=2, offset=1.0)(X1, X2), [[2602.02]], 2)
    printed(((gm.Linear() + 1) ** 2)(X1, X2), [[2602.02]], 2)


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        (X1, {"1": 1, "x1": 8.34, "x2": 4.24, "x1 x2": 25.03, "x1^2": 34.81, "x2^2": 9}),
        (X2, {"1": 1, "x1": 9.76, "x2": 4.38, "x1 x2": 30.25, "x1^2": 47.61, "x2^2": 9.61}),
    ],
)
def test_example_5_7_inhomogeneous_quadratic_map(point, expected):
    features = by_name(gm.Polynomial(degree=2, offset=1.0), point)
    assert features.keys() == expected.keys()
    for name, value in expected.items():
        printed(features[name], value, 2)


def test_example_5_7_inner_product_of_the_maps_is_the_kernel_to_four_digits():
    k = gm.Polynomial(degree=2, offset=1.0)
    value = (k.features(X1) @ k.features(X2).T).item()
    assert float(f"{value:.4g}") == float(f"{2602.02:.4g}")
    assert value == pytest.approx(51.01**2, rel=1e-14)


@pytest.mark.parametrize(("d", "q"), list(product([1, 2, 3, 5], [1, 2, 3, 4])))
def test_feature_space_of_the_polynomial_kernel_has_dimension_d_plus_q_choose_q(d, q):
    x, names = np.ones((1, d)), [f"x{i}" for i in range(d)]
    inhomogeneous, homogeneous = gm.Polynomial(degree=q, offset=1.0), gm.Polynomial(degree=q, offset=0.0)
    assert inhomogeneous.dimension(d) == inhomogeneous.features(x).shape[1] == comb(d + q, q)
    assert homogeneous.dimension(d) == homogeneous.features(x).shape[1] == comb(d + q - 1, q)
    assert len(set(inhomogeneous.feature_names(names))) == comb(d + q, q)
    assert len(set(homogeneous.feature_names(names))) == comb(d + q - 1, q)


def test_example_5_8_gaussian_kernel_does_not_square_the_squared_distance():
    printed(gm.Gaussian(bandwidth=1.0)(X1, X2), [[0.6035]], 4)


def test_example_5_10_gaussian_kernel_matrix():
    printed(gm.Gaussian(bandwidth=1.0)(FIVE_POINTS), GAUSSIAN_MATRIX, 2)


def test_example_5_10_squared_norm_of_the_mean():
    assert gm.Gaussian(bandwidth=1.0).gram(FIVE_POINTS).mean() == pytest.approx(0.599, abs=5e-4)


def test_example_5_12_centered_kernel_matrix():
    printed(gm.Linear().center(FIVE_POINTS)(FIVE_POINTS), CENTERED_MATRIX, 2)
    centered = np.subtract(FIVE_POINTS, np.mean(FIVE_POINTS, axis=0))
    np.testing.assert_allclose(gm.Linear().center(FIVE_POINTS)(FIVE_POINTS), centered @ centered.T, atol=1e-12)


def test_exercise_q5a_gaussian_matrix_with_variance_5():
    X = [[2.5, 1.0], [3.5, 4.0], [2.0, 2.1]]
    # Squared distances 1 + 9 = 10, 0.25 + 1.21 = 1.46 and 2.25 + 3.61 = 5.86, divided by 2 · 5.
    expected = np.exp(-np.array([[0, 10, 1.46], [10, 0, 5.86], [1.46, 5.86, 0]]) / 10)
    np.testing.assert_allclose(gm.Gaussian(bandwidth=sqrt(5))(X), expected, rtol=1e-13)
    printed(gm.Gaussian(bandwidth=sqrt(5))(X)[0], [1.0, 0.3679, 0.8642], 4)


# Seed 004

QUADRATIC_MAPS = {
    "three coordinates": lambda x, y: (x * x, sqrt(2) * x * y, y * y),
    "four coordinates": lambda x, y: (x * x, x * y, x * y, y * y),
    "rotated": lambda x, y: ((x * x - y * y) / sqrt(2), 2 * x * y / sqrt(2), (x * x + y * y) / sqrt(2)),
}


@pytest.mark.parametrize("name", QUADRATIC_MAPS)
def test_different_maps_have_the_same_quadratic_kernel(name):
    X = np.random.default_rng(0).normal(size=(7, 2))
    Phi = np.array([QUADRATIC_MAPS[name](*x) for x in X])
    np.testing.assert_allclose(gm.Polynomial(degree=2, offset=0.0)(X), Phi @ Phi.T, rtol=1e-12, atol=1e-12)


def test_quadratic_map_without_the_root_of_two_is_another_kernel():
    x, y = 1.0, 1.0
    misprint = (x * x, 2 * x * y, y * y)
    assert np.dot(misprint, misprint) != gm.Polynomial(degree=2, offset=0.0)([[x, y]]).item()


@pytest.mark.parametrize("c", [0.5, 1.0, 3.0])
def test_polynomial_expansion_has_2c_with_both_linear_terms(c):
    (x1, x2), (z1, z2) = (1.5, -2.0), (0.7, 3.0)
    squares = (x1 * z1) ** 2 + 2 * x1 * z1 * x2 * z2 + (x2 * z2) ** 2
    corrected = squares + 2 * c * x1 * z1 + 2 * c * x2 * z2 + c**2
    k = gm.Polynomial(degree=2, offset=c)
    assert k([[x1, x2]], [[z1, z2]]).item() == pytest.approx(corrected, rel=1e-13)
    expected = {"1": c, "x1": sqrt(2 * c) * x1, "x2": sqrt(2 * c) * x2}
    expected |= {"x1^2": x1**2, "x1 x2": sqrt(2) * x1 * x2, "x2^2": x2**2}
    assert by_name(k, [[x1, x2]]) == pytest.approx(expected, rel=1e-13)


def subsets(n):
    return [A for size in range(n + 1) for A in combinations(range(n), size)]


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_all_subsets_kernel_is_the_sum_over_all_2_to_the_n_subsets(n):
    x, z = np.random.default_rng(n).normal(size=(2, n))
    terms = [prod(x[j] for j in A) * prod(z[j] for j in A) for A in subsets(n)]
    assert len(terms) == 2**n == gm.AllSubsets().features(x[None]).shape[1]
    assert gm.AllSubsets()(x[None], z[None]).item() == pytest.approx(sum(terms), rel=1e-12)


def test_weighted_all_subsets_kernel_weighs_every_subset_by_the_product_of_its_weights():
    x, z = np.random.default_rng(3).normal(size=(2, 4))
    a = [0.5, 2.0, 0.0, 1.5]
    expected = sum(prod(a[j] * x[j] * z[j] for j in A) for A in subsets(4))
    assert gm.AllSubsets(weights=a)(x[None], z[None]).item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (4, 1), (4, 2), (6, 3), (6, 6), (7, 5)])
def test_anova_kernel_is_the_sum_over_the_n_choose_d_subsets_of_one_size(n, d):
    x, z = np.random.default_rng(10 * n + d).normal(size=(2, n))
    terms = [prod(x[j] * z[j] for j in A) for A in combinations(range(n), d)]
    k = gm.Anova(degree=d)
    assert k(x[None], z[None]).item() == pytest.approx(sum(terms), rel=1e-11, abs=1e-14)
    assert k.features(x[None]).shape[1] == len(terms) == comb(n, d)


def test_all_subsets_kernel_is_one_plus_the_anova_kernels_of_all_degrees():
    X = np.random.default_rng(0).normal(size=(5, 4))
    total = 1 + sum(gm.Anova(degree=d)(X) for d in range(1, 5))
    np.testing.assert_allclose(gm.AllSubsets()(X), total, rtol=1e-12, atol=1e-12)


def test_exp_of_minus_a_kernel_is_not_a_kernel():
    K = np.exp(-gm.Linear()([[1.0], [2.0]]))
    assert np.linalg.eigvalsh(K)[0] < -1e-3
    assert not gm.is_psd(K)
    with pytest.raises(TypeError, match="not a kernel"):
        (-gm.Linear()).exp()
    assert np.linalg.eigvalsh(gm.Linear().exp()([[1.0], [2.0]]))[0] > 0


# Seed 002, "Constructing kernels"


def test_gaussian_is_the_normalized_exponential_of_the_linear_kernel():
    X = np.random.default_rng(1).normal(size=(6, 3))
    np.testing.assert_allclose(gm.Linear().exp().normalize()(X), gm.Gaussian(bandwidth=1.0)(X), rtol=1e-12)


def test_inhomogeneous_kernel_is_a_weighted_sum_of_homogeneous_ones():
    X, q = np.random.default_rng(2).normal(size=(6, 3)), 4
    expansion = gm.Linear().polynomial([comb(q, k) for k in range(q + 1)])
    np.testing.assert_allclose(gm.Polynomial(degree=q, offset=1.0)(X), expansion(X), rtol=1e-10, atol=1e-10)
