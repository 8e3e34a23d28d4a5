"""The closure rules: what is made of kernels is the kernel of the formula, on old objects and on new ones."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm

from .cases import cubes, loudness

claims = settings(max_examples=25, deadline=None, derandomize=True, database=None)

BASES = st.sampled_from(
    [
        gm.Linear(),
        gm.Polynomial(2, 0.5),
        gm.Gaussian(1.3),
        gm.Laplacian(2.0),
        gm.Matern(1.0, 2.5),
        gm.AllSubsets(),
        gm.Anova(1),
        gm.Gaussian(0.7) + gm.Linear(),
    ]
)


@st.composite
def points(draw):
    n, m, d = draw(st.integers(1, 7)), draw(st.integers(1, 7)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X, Z = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    if draw(st.booleans()):
        Z[0] = X[-1]
    return X, Z


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11 * max(1.0, np.abs(expected).max()))


@claims
@given(points(), BASES, BASES)
def test_sum_and_product_act_entry_by_entry(data, k1, k2):
    X, Z = data
    same((k1 + k2)(X, Z), k1(X, Z) + k2(X, Z))
    same((k1 * k2)(X, Z), k1(X, Z) * k2(X, Z))
    same((k1 + k2).diag(X), k1.diag(X) + k2.diag(X))
    same((k1 * k2).diag(X), k1.diag(X) * k2.diag(X))


@claims
@given(points(), BASES, st.floats(1e-3, 1e3), st.floats(0, 1e3))
def test_positive_factor_and_constant_act_entry_by_entry(data, k, c, b):
    X, Z = data
    K = k(X, Z)
    same((c * k)(X, Z), c * K)
    same((k * c)(X, Z), c * K)
    same((k / c)(X, Z), K / c)
    same((k + b)(X, Z), K + b)
    same((b + k)(X, Z), K + b)


@claims
@given(points(), BASES, st.integers(1, 12))
def test_power_acts_entry_by_entry(data, k, q):
    X, Z = data
    same((k**q)(X, Z), k(X, Z) ** q)


@claims
@given(points(), BASES)
def test_exponential_acts_entry_by_entry(data, k):
    X, Z = data
    small = k / (1 + max(k.diag(X).max(), k.diag(Z).max()))
    same(small.exp()(X, Z), np.exp(small(X, Z)))


@claims
@given(points(), BASES, st.lists(st.floats(0, 5), min_size=1, max_size=5))
def test_polynomial_with_non_negative_coefficients_acts_entry_by_entry(data, k, coefficients):
    X, Z = data
    if not any(coefficients):
        coefficients = [*coefficients, 1.0]
    K = k(X, Z)
    same(k.polynomial(coefficients)(X, Z), sum(c * K**i for i, c in enumerate(coefficients)))


@claims
@given(points(), BASES)
def test_pullback_is_the_kernel_of_the_images(data, k):
    X, Z = data
    same(k.pullback(cubes)(X, Z), k(X**3, Z**3))


@claims
@given(points(), BASES)
def test_reweighting_is_a_diagonal_matrix_on_either_side(data, k):
    X, Z = data
    same(k.reweight(loudness)(X, Z), np.diag(loudness(X)) @ k(X, Z) @ np.diag(loudness(Z)))


@claims
@given(points(), BASES)
def test_normalizing_divides_by_both_norms(data, k):
    X, Z = data
    expected = np.diag(k.diag(X) ** -0.5) @ k(X, Z) @ np.diag(k.diag(Z) ** -0.5)
    same(k.normalize()(X, Z), expected)
    np.testing.assert_array_equal(k.normalize().diag(X), np.ones(len(X)))


@claims
@given(points(), points(), BASES)
def test_centering_on_a_sample_is_the_four_term_formula(data, sample, k):
    X, Z = data
    S = np.resize(sample[0], (len(sample[0]), X.shape[1]))
    expected = k(X, Z) - k(X, S).mean(axis=1)[:, None] - k(Z, S).mean(axis=1)[None, :] + k(S).mean()
    centered = k.center(S)
    same(centered(X, Z), expected)
    same(centered.diag(X), np.diagonal(centered(X)))


@claims
@given(points(), BASES)
def test_centered_matrix_of_its_own_sample_is_hkh_and_sums_to_zero(data, k):
    X, _ = data
    H = np.eye(len(X)) - 1 / len(X)
    K = k.center(X)(X)
    same(K, H @ k(X) @ H)
    same(K.sum(axis=0), np.zeros(len(X)))


@claims
@given(points(), BASES)
def test_deflating_removes_the_part_along_the_direction(data, k):
    X, Z = data
    S = gm.FeatureSpace(k)(X)
    w = S[0]
    deflated = S.deflate(w).space.kernel
    along_x, along_z, norm = k(X, X[:1]), k(Z, X[:1]), k.diag(X[:1])[0]
    same(deflated(X, Z), k(X, Z) - along_x @ along_z.T / norm)
    same(deflated(X[:1], Z), np.zeros((1, len(Z))))


def test_standardizing_new_points_uses_the_mean_and_deviation_of_the_sample():
    rng = np.random.default_rng(0)
    X, Z = rng.normal(3, [1.0, 50.0], size=(20, 2)), rng.normal(size=(5, 2))
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    k = gm.Gaussian(1.0).pullback(gm.Standardize.of(X))
    same(k(Z, X), gm.Gaussian(1.0)((Z - mean) / deviation, (X - mean) / deviation))


@pytest.mark.parametrize("constant", [0.1, 1e8 + 0.1, -3.0, 0.0])
def test_constant_coordinate_is_standardized_to_zero(constant):
    X = np.column_stack([np.full(7, constant), np.arange(7.0)])
    image = gm.Standardize.of(X)(X)
    np.testing.assert_allclose(image[:, 0], 0, atol=1e-7)
    np.testing.assert_allclose(image[:, 1].std(), 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mean": [0.0], "scale": [0.0]}, r"scale\[0\] is 0; a number above 0 expected"),
        ({"mean": [0.0, 1.0], "scale": [1.0, -2.0]}, r"scale\[1\] is -2; a number above 0 expected"),
        ({"mean": [0.0]}, "Standardize has a mean and no scale; both expected, or neither"),
        ({"scale": [1.0]}, "Standardize has a scale and no mean; both expected, or neither"),
        ({"mean": [0.0, 1.0], "scale": [1.0]}, "mean has 2 numbers and scale 1; one for each column expected"),
        ({"mean": [[0.0]], "scale": [1.0]}, "mean has 2 dimensions; a flat array expected"),
        ({"mean": [np.nan], "scale": [1.0]}, "mean holds nan; finite numbers expected"),
        ({"mean": [0.0], "scale": [np.inf]}, "scale holds inf; finite numbers expected"),
    ],
)
def test_numbers_to_standardize_by_are_checked_when_they_are_given(given, message):
    with pytest.raises(ValueError, match=message):
        gm.Standardize(**given)


def test_numbers_to_standardize_by_may_be_lists_and_are_kept_in_files(tmp_path):
    k = gm.Linear().pullback(gm.Standardize([1, 2], [1, 4]))
    np.testing.assert_array_equal(k.f([[2.0, 10.0]]), [[1.0, 2.0]])
    gm.save(gm.KernelRidge(k, ridge=1.0).fit([[1.0, 2.0], [2.0, 1.0]], [1.0, 2.0]), tmp_path / "m.gramian")
    assert gm.load(tmp_path / "m.gramian").kernel == k


def test_standardize_keeps_float32():
    X = np.random.default_rng(0).normal(1e4, 1, size=(50, 2)).astype(np.float32)
    image = gm.Standardize.of(X)(X)
    assert image.dtype == np.float32
    np.testing.assert_allclose(image.mean(axis=0), 0, atol=1e-4)


def test_adding_zero_is_the_same_kernel_so_that_sum_works():
    k = gm.Gaussian(2.0)
    assert k + 0 is k
    assert sum([k, gm.Linear()]) == k + gm.Linear()


def test_numpy_scalars_serve_as_factors_and_constants_from_either_side():
    k, X = gm.Gaussian(2.0), np.random.default_rng(0).normal(size=(3, 2))
    for two in (np.float64(2), np.float32(2), np.int64(2)):
        for made in (two * k, k * two):
            same(made(X), 2 * k(X))
        for made in (two + k, k + two):
            same(made(X), 2 + k(X))


def test_distributive_law_holds():
    X = np.random.default_rng(0).normal(size=(6, 3))
    a, b, c = gm.Gaussian(1.0), gm.Linear(), gm.Laplacian(2.0)
    same(((a + b) * c)(X), (a * c + b * c)(X))


def test_fit_settles_every_median_inside_an_expression():
    X = np.random.default_rng(0).normal(size=(9, 2))
    k = (2 * gm.Gaussian("median") + gm.Linear() * gm.Laplacian("median")).normalize() ** 2
    settled = k.fit(X)
    bandwidths = [v for name, v in settled.get_params().items() if name.endswith("bandwidth")]
    assert len(bandwidths) == 2
    assert all(isinstance(v, float) for v in bandwidths)
    np.testing.assert_array_equal(k(X), settled(X))
    assert settled.fit(X) is settled


def test_fit_under_a_pullback_sees_the_images():
    X = np.random.default_rng(0).normal(size=(9, 2))
    assert gm.Gaussian("median").pullback(cubes).fit(X).base == gm.Gaussian("median").fit(X**3)


def test_centering_a_median_kernel_settles_it_on_the_reference():
    X, Z = np.random.default_rng(0).normal(size=(9, 2)), np.random.default_rng(1).normal(10, 5, size=(4, 2))
    assert gm.Gaussian("median").center(X).base == gm.Gaussian("median").fit(X)
    same(gm.Gaussian("median").center(X)(Z), gm.Gaussian("median").fit(X).center(X)(Z))


def test_gaussian_is_a_reweighted_exponential_of_the_linear_kernel():
    X, Z, sigma = np.random.default_rng(0).normal(size=(5, 3)), np.random.default_rng(1).normal(size=(4, 3)), 1.7
    k = (gm.Linear() / sigma**2).exp().reweight(lambda X: np.exp(-(X * X).sum(axis=1) / (2 * sigma**2)))
    same(k(X, Z), gm.Gaussian(sigma)(X, Z))


def test_pullback_turns_objects_that_are_not_vectors_into_vectors():
    k = gm.Linear().pullback(lambda words: [[len(w), w.count("a")] for w in words])
    np.testing.assert_array_equal(k(["banana", "a"]), [[45, 9], [9, 2]])


@pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array])
@pytest.mark.parametrize(
    "kernel",
    [
        gm.Linear(),
        gm.Polynomial(3),
        gm.Bilinear(np.diag([1.0, 2.0, 0.0])),
        gm.Gaussian(1.3),
        gm.Matern(1.3, 0.5),
        gm.Gaussian(1.3) + gm.Linear(),
    ],
    ids=repr,
)
def test_sparse_and_dense_input_give_the_same_matrix(make, kernel):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(8, 3)) * (rng.random((8, 3)) < 0.4), rng.normal(size=(5, 3))
    for x, z in [(make(X), make(Z)), (make(X), Z), (X, make(Z))]:
        same(kernel(x, z), kernel(X, Z))
    same(kernel.diag(make(X)), kernel.diag(X))
    same(kernel.center(make(X))(Z), kernel.center(X)(Z))


def test_sparse_features_stay_sparse_where_the_map_is_the_identity():
    X = scipy.sparse.random_array((6, 4), density=0.5, rng=np.random.default_rng(0), format="csr")
    for kernel in (gm.Linear(), 2 * gm.Linear(), gm.Linear().reweight(lambda X: np.ones(X.shape[0]))):
        assert scipy.sparse.issparse(kernel.features(X))


def test_a_standardizing_kernel_takes_its_numbers_from_the_sample_it_is_fitted_on():
    rng = np.random.default_rng(0)
    X, Z = rng.normal(3.0, [1.0, 50.0], size=(20, 2)), rng.normal(size=(5, 2))
    k = gm.Gaussian("median").pullback(gm.Standardize()).fit(X)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    assert k.base.bandwidth == pytest.approx(gm.Gaussian("median").fit(scaled).bandwidth, rel=1e-12)
    expected = k.base((Z - X.mean(axis=0)) / X.std(axis=0), scaled)
    np.testing.assert_allclose(k(Z, X), expected, rtol=1e-12)
    assert k.fit(Z) == k
    assert k.on_vectors


def test_a_standardizing_kernel_that_is_not_fitted_says_so():
    with pytest.raises(ValueError, match=r"k = k.fit\(X\)"):
        gm.Linear().pullback(gm.Standardize()).encode([[1.0], [2.0]])
