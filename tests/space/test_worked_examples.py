"""The worked examples of seed 003, sections 5.1 and 5.3, to the digits that are printed."""

import numpy as np
import pytest

import gramian as gm


@pytest.fixture(scope="module")
def linear(five):
    return gm.FeatureSpace(gm.Linear())(five)


@pytest.fixture(scope="module")
def gaussian(five):
    return gm.FeatureSpace(gm.Gaussian(1.0))(five)


def test_example_5_3_linear_kernel_matrix(linear):
    expected = [
        [43.81, 50.01, 47.64, 36.74, 42.00],
        [50.01, 57.22, 54.53, 41.66, 48.22],
        [47.64, 54.53, 51.97, 39.64, 45.98],
        [36.74, 41.66, 39.64, 31.40, 34.64],
        [42.00, 48.22, 45.98, 34.64, 40.84],
    ]
    np.testing.assert_allclose(linear.inner(linear), expected, atol=0.005 + 1e-9)


def test_example_5_4_mean_is_a_fifth_of_the_sum(linear):
    c = linear.mean()
    np.testing.assert_allclose(c([[1.0, 0.0], [0.0, 1.0]]), [6.00, 2.88], atol=1e-12)
    assert round(c.norm() ** 2, 2) == 44.29
    assert round(25 * linear.gram().mean(), 2) == pytest.approx(1107.36, abs=0.02)


def test_example_5_5_mercer_map(five):
    coordinates = gm.MercerMap(gm.Linear()).fit_transform(five)
    assert coordinates.shape == (5, 2)
    np.testing.assert_allclose((coordinates**2).sum(axis=0), [223.95, 1.29], atol=0.005)
    np.testing.assert_allclose(np.abs(coordinates[:2]), [[6.616, 0.185], [7.563, 0.153]], atol=0.0015)
    # The sign of an eigenvector is free; that of a product of two entries is not.
    assert coordinates[0, 0] * coordinates[1, 0] > 0
    assert coordinates[0, 1] * coordinates[1, 1] < 0
    assert round(float(coordinates[0] @ coordinates[1]), 2) == 50.01


def test_example_5_5_eigenvectors_up_to_sign(five):
    pairs = gm.eigen(gm.Linear().gram(five))
    np.testing.assert_allclose(pairs.values[2:], 0, atol=1e-12)
    printed = [[-0.442, 0.163], [-0.505, -0.134], [-0.482, -0.181], [-0.369, 0.813], [-0.425, -0.512]]
    for found, expected in zip(pairs.vectors[:, :2].T, np.array(printed).T, strict=True):
        np.testing.assert_allclose(found * np.sign(found @ expected), expected, atol=0.0006)


def test_example_5_9_norm_and_distance_under_the_quadratic_kernel(five):
    S = gm.FeatureSpace(gm.Polynomial(degree=2, offset=0.0))(five)
    assert round(S[0].norm() ** 2, 2) == 1919.32
    assert round(S[1].norm() ** 2, 2) == 3274.13
    assert round(S[0].norm(), 2) == 43.81
    assert round(S[0].distances(S[1]), 2) == 13.84


def test_example_5_10_gaussian_matrix_and_norm_of_the_mean(gaussian):
    expected = [
        [1.00, 0.60, 0.78, 0.42, 0.72],
        [0.60, 1.00, 0.94, 0.07, 0.44],
        [0.78, 0.94, 1.00, 0.13, 0.65],
        [0.42, 0.07, 0.13, 1.00, 0.23],
        [0.72, 0.44, 0.65, 0.23, 1.00],
    ]
    np.testing.assert_allclose(gaussian.gram().dense(), expected, atol=0.00501)
    assert round(gaussian.mean().norm() ** 2, 3) == 0.599
    assert round(gaussian.mean().norm(), 3) == 0.774


def test_example_5_11_total_variance_and_distance_to_the_mean(gaussian):
    assert round(gaussian.total_variance(), 3) == 0.401
    # Printed from rounded entries, 1.410 for 1.4098; the third digit is good to one unit.
    assert gaussian[0].distances(gaussian.mean()) ** 2 == pytest.approx(0.189, abs=0.001)


def test_example_5_12_centered_matrix(linear):
    expected = [
        [0.02, -0.06, -0.06, 0.18, -0.08],
        [-0.06, 0.86, 0.54, -1.19, -0.15],
        [-0.06, 0.54, 0.36, -0.83, -0.01],
        [0.18, -1.19, -0.83, 2.06, -0.22],
        [-0.08, -0.15, -0.01, -0.22, 0.46],
    ]
    centered = linear.center()
    np.testing.assert_allclose(centered.gram().dense(), expected, atol=0.00501)
    assert round(centered[0].inner(centered[1]), 2) == -0.06


def test_example_5_13_normalized_matrix(linear):
    expected = [
        [1.0000, 0.9988, 0.9984, 0.9906, 0.9929],
        [0.9988, 1.0000, 0.9999, 0.9828, 0.9975],
        [0.9984, 0.9999, 1.0000, 0.9812, 0.9980],
        [0.9906, 0.9828, 0.9812, 1.0000, 0.9673],
        [0.9929, 0.9975, 0.9980, 0.9673, 1.0000],
    ]
    # Two entries are cut off in print, not rounded: 0.99997 stands as 0.9999 and 0.98128 as 0.9812.
    np.testing.assert_allclose(linear.normalize().gram().dense(), expected, atol=1e-4)
    np.testing.assert_allclose(linear.cosines(), expected, atol=1e-4)
    assert linear[2].cosines(linear[3]) == pytest.approx(39.64 / (51.97 * 31.40) ** 0.5, rel=1e-12)


def test_example_5_13_correlations_are_normalized_centered_products(linear):
    expected = [
        [1.00, -0.44, -0.61, 0.80, -0.77],
        [-0.44, 1.00, 0.98, -0.89, -0.24],
        [-0.61, 0.98, 1.00, -0.97, -0.03],
        [0.80, -0.89, -0.97, 1.00, -0.22],
        [-0.77, -0.24, -0.03, -0.22, 1.00],
    ]
    np.testing.assert_allclose(linear.correlations(), expected, atol=0.00501)
    np.testing.assert_allclose(linear.center().normalize().gram().dense(), linear.correlations(), atol=1e-12)


def test_exercise_q2_squared_distances_and_that_they_are_not_a_kernel():
    data = [[4.0, 2.9], [2.5, 1.0], [3.5, 4.0], [2.0, 2.1]]
    expected = np.array(
        [[0.0, 5.86, 1.46, 4.64], [5.86, 0.0, 10.0, 1.46], [1.46, 10.0, 0.0, 5.86], [4.64, 1.46, 5.86, 0.0]]
    )
    squares = gm.FeatureSpace(gm.Linear())(data).distances() ** 2
    np.testing.assert_allclose(squares, expected, atol=1e-12)
    certificate = gm.is_psd(squares)
    assert not certificate
    assert certificate.witness @ squares @ certificate.witness < -1e-6


def test_exercise_q5_b_distance_from_the_mean_with_variance_five():
    data = [[2.5, 1.0], [3.5, 4.0], [2.0, 2.1]]
    S = gm.FeatureSpace(gm.Gaussian(bandwidth=5**0.5))(data)
    k12, k13, k23 = np.exp(-1.0), np.exp(-0.146), np.exp(-0.586)
    by_hand = 1 - 2 / 3 * (1 + k12 + k13) + (3 + 2 * (k12 + k13 + k23)) / 9
    assert S[0].distances(S.mean()) == pytest.approx(by_hand**0.5, abs=1e-12)
    assert round(S[0].distances(S.mean()), 4) == 0.4927


def test_exercise_q5_c_dominant_eigenpair():
    data = np.array([[2.5, 1.0], [3.5, 4.0], [2.0, 2.1]])
    pairs = gm.eigen(gm.Gaussian(bandwidth=5**0.5).gram(data), rank=1)
    values, vectors = np.linalg.eigh(np.exp(-((data[:, None] - data) ** 2).sum(axis=-1) / 10))
    assert pairs.values[0] == pytest.approx(values[-1], rel=1e-12)
    np.testing.assert_allclose(pairs.vectors[:, 0], np.abs(vectors[:, -1]), atol=1e-12)


def symbol_frequencies(sequences):
    return np.array([[sequence.count(symbol) / len(sequence) for symbol in "ACGT"] for sequence in sequences])


def test_example_5_1_symbol_frequencies_as_a_pullback():
    x, y = "ACAGCAGTA", "AGCAAGCGAG"
    k = gm.Linear().pullback(symbol_frequencies)
    np.testing.assert_allclose(k.features([x])[0], [4 / 9, 2 / 9, 2 / 9, 1 / 9])
    np.testing.assert_allclose(k.features([y])[0], [0.4, 0.2, 0.4, 0.0])
    S = gm.FeatureSpace(k)([x, y])
    assert round(S[0].distances(S[1]), 2) == 0.22
