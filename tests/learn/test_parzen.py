"""The Parzen window classifier (seed 000, Algorithm 5.6), as printed and by brute force."""

from math import exp

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.neighbors import NearestCentroid

import gramian as gm

ROUNDING = 64 * np.finfo(float).eps  # of sums of a few means of Gaussians, each at most 1


def gauss(x, z):
    return exp(-sum((float(p) - float(q)) ** 2 for p, q in zip(x, z, strict=True)) / (2 * 0.9**2))


def cubic(x, z):
    return (sum(float(p) * float(q) for p, q in zip(x, z, strict=True)) + 1) ** 3


CASES = [
    pytest.param(gm.Gaussian(0.9), gauss, id="gaussian"),
    pytest.param(gm.Polynomial(3, 1.0), cubic, id="cubic"),
]


@pytest.fixture(scope="module")
def Z():
    return np.random.default_rng(9).normal(size=(12, 2)) * 1.5


def sample(sizes, seed=0):
    """Classes of the given sizes about different centres, in mixed order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return rng.normal(size=(len(y), 2)) + np.stack([y, y**2 - y], axis=1), y


def matrix(kappa, X, Z):
    return np.array([[kappa(x, z) for z in Z] for x in X])


def squared_distances(kappa, Z, members):
    """‖φ(z) − φ_c‖² from all pairs."""
    inner = matrix(kappa, Z, members).mean(axis=1)
    return np.array([kappa(z, z) for z in Z]) - 2 * inner + matrix(kappa, members, members).mean()


@pytest.mark.parametrize("sizes", [(8, 7), (19, 2), (1, 6)])
@pytest.mark.parametrize(("kernel", "kappa"), CASES)
def test_two_classes_are_algorithm_5_6_as_printed(kernel, kappa, sizes, Z):
    X, y = sample(sizes)
    sign = np.where(y == 1, 1, -1)
    K = matrix(kappa, X, X)
    plus = np.where(sign > 0, 1 / np.count_nonzero(sign > 0), 0.0)
    minus = np.where(sign < 0, 1 / np.count_nonzero(sign < 0), 0.0)
    alpha, b = plus - minus, 0.5 * (plus @ K @ plus - minus @ K @ minus)
    h = alpha @ matrix(kappa, X, Z) - b

    model = gm.ParzenClassifier(kernel).fit(X, sign)
    np.testing.assert_allclose(model.dual_coef_, alpha, rtol=1e-14)
    assert model.offset_ == pytest.approx(b, rel=1e-10)
    np.testing.assert_allclose(model.decision_function(Z), h, rtol=1e-9, atol=1e-12 * abs(b))
    np.testing.assert_array_equal(model.predict(Z), np.sign(h))


@pytest.mark.parametrize("sizes", [(5, 5), (9, 2), (4, 4, 4), (10, 1, 3), (2, 7, 3, 5)])
@pytest.mark.parametrize(("kernel", "kappa"), CASES)
def test_prediction_is_the_class_with_the_nearest_centre(kernel, kappa, sizes, Z):
    X, y = sample(sizes)
    distances = np.stack([squared_distances(kappa, Z, X[y == c]) for c in range(len(sizes))], axis=1)
    model = gm.ParzenClassifier(kernel).fit(X, y)
    np.testing.assert_array_equal(model.predict(Z), distances.argmin(axis=1))
    np.testing.assert_allclose(
        gm.FeatureSpace(kernel)(Z).distances(model.centers_) ** 2, distances, rtol=1e-8, atol=1e-9
    )


@pytest.mark.parametrize("sizes", [(4, 4, 4), (10, 1, 3)])
def test_discriminants_of_many_classes_are_half_the_squared_distances_up_to_a_common_term(sizes, Z):
    X, y = sample(sizes)
    model = gm.ParzenClassifier(gm.Gaussian(0.9)).fit(X, y)
    distances = np.stack([squared_distances(gauss, Z, X[y == c]) for c in range(len(sizes))], axis=1)
    g = model.decision_function(Z)
    np.testing.assert_allclose(-2 * g + 1.0, distances, rtol=1e-9)  # κ(z, z) = 1
    assert g.shape == (12, len(sizes))
    assert model.dual_coef_.shape == (len(y), len(sizes))
    assert model.offset_.shape == (len(sizes),)
    for c in range(len(sizes)):
        np.testing.assert_allclose(model.dual_coef_[:, c], (y == c) / np.count_nonzero(y == c), rtol=1e-14)
        assert model.offset_[c] == pytest.approx(matrix(gauss, X[y == c], X[y == c]).mean() / 2, rel=1e-10)


def test_two_classes_have_one_direction_and_one_number_as_offset(Z):
    X, y = sample((6, 9))
    model = gm.ParzenClassifier(gm.Gaussian(0.9)).fit(X, y)
    assert model.dual_coef_.shape == (15,)
    assert isinstance(model.offset_, float)
    assert model.decision_function(Z).shape == (12,)
    assert len(model.centers_) == 2


@pytest.mark.filterwarnings("ignore:self.within_class_std_dev_")  # scikit-learn, of constant pixels
@pytest.mark.parametrize("load", [load_wine, load_digits], ids=lambda f: f.__name__)
def test_linear_kernel_is_the_nearest_centroid_of_scikit_learn(load):
    X, y = load(return_X_y=True)
    train = np.arange(len(X)) % 3 > 0
    model = gm.ParzenClassifier(gm.Linear()).fit(X[train], y[train])
    expected = NearestCentroid().fit(X[train], y[train]).predict(X[~train])
    np.testing.assert_array_equal(model.predict(X[~train]), expected)
    assert len(set(expected)) == len(set(y))


def test_names_of_the_labels_do_not_matter(Z):
    X, y = sample((5, 9, 4))
    names = np.array(["zebra", "ant", "newt"])  # sorted otherwise than the numbers
    numbered = gm.ParzenClassifier(gm.Gaussian(0.9)).fit(X, y)
    named = gm.ParzenClassifier(gm.Gaussian(0.9)).fit(X, names[y])
    assert list(named.classes_) == sorted(names)
    np.testing.assert_array_equal(named.predict(Z), names[numbered.predict(Z)])
    expected = numbered.decision_function(Z)[:, np.argsort(names)]
    np.testing.assert_allclose(named.decision_function(Z), expected, rtol=0, atol=ROUNDING)


def test_swapping_two_labels_changes_the_sign_of_the_decision(Z):
    X, y = sample((5, 9))
    model = gm.ParzenClassifier(gm.Gaussian(0.9)).fit(X, y)
    swapped = gm.ParzenClassifier(gm.Gaussian(0.9)).fit(X, 1 - y)
    np.testing.assert_allclose(swapped.decision_function(Z), -model.decision_function(Z), rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("sizes", [(5, 9), (3, 6, 4)])
def test_order_of_the_objects_does_not_matter(sizes, Z):
    X, y = sample(sizes)
    order = np.random.default_rng(1).permutation(len(y))
    model = gm.ParzenClassifier().fit(X, y)
    mixed = gm.ParzenClassifier().fit(X[order], y[order])
    np.testing.assert_allclose(mixed.decision_function(Z), model.decision_function(Z), rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(mixed.dual_coef_, model.dual_coef_[order], rtol=1e-14)


def test_size_of_a_class_does_not_attract(Z):
    # A class counts by its centre alone: having each of its objects five times changes nothing.
    X, y = sample((6, 6))
    more = np.repeat(np.arange(12), np.where(y == 0, 5, 1))
    model = gm.ParzenClassifier(gm.Gaussian(0.9)).fit(X, y)
    heavier = gm.ParzenClassifier(gm.Gaussian(0.9)).fit(X[more], y[more])
    np.testing.assert_allclose(heavier.decision_function(Z), model.decision_function(Z), rtol=0, atol=10 * ROUNDING)


def test_density_kernel_gives_the_difference_of_two_parzen_window_estimates(Z):
    X, y = sample((6, 9))
    model = gm.ParzenClassifier(gm.Gaussian(0.9)).fit(X, y)
    windows = [matrix(gauss, Z, X[y == c]).mean(axis=1) for c in (0, 1)]
    np.testing.assert_allclose(
        model.decision_function(Z) + model.offset_, windows[1] - windows[0], rtol=0, atol=ROUNDING
    )


def test_point_halfway_between_two_centres_is_on_the_boundary():
    model = gm.ParzenClassifier(gm.Linear()).fit([[0.0], [2.0], [9.0]], [0, 0, 1])
    np.testing.assert_allclose(model.decision_function([[5.0], [6.0]]), [0.0, 8.0], atol=1e-12)


def test_gram_and_matrix_give_the_same_classifier_as_the_data(Z):
    X, y = sample((6, 5, 4))
    kernel = gm.Gaussian(0.9)
    model = gm.ParzenClassifier(kernel).fit(X, y)
    of_gram = gm.ParzenClassifier().fit(kernel.gram(X), y)
    of_matrix = gm.ParzenClassifier(gm.Precomputed(kernel(np.vstack([X, Z])))).fit(range(15), y)
    np.testing.assert_array_equal(of_gram.decision_function(Z), model.decision_function(Z))
    np.testing.assert_allclose(of_matrix.decision_function(range(15, 27)), model.decision_function(Z), rtol=1e-10)


# Remark 5.7


def augmented(kappa, X, y, z):
    """The p-value of z in each class: z put among the members, and all distances from their common centre compared."""
    found = []
    for c in np.unique(y):
        members = [*X[y == c], z]
        K = matrix(kappa, members, members)
        squares = np.diagonal(K) - 2 * K.mean(axis=1) + K.mean()
        found.append((squares >= squares[-1] - 1e-12 * np.abs(K).max()).mean())
    return found


@pytest.mark.parametrize(("kernel", "kappa"), CASES)
@pytest.mark.parametrize("sizes", [(9, 14), (6, 1, 8)])
def test_p_values_are_shares_of_distances_with_the_object_among_the_members(kernel, kappa, sizes, Z):
    X, y = sample(sizes)
    model = gm.ParzenClassifier(kernel).fit(X, y)
    found = model.p_values(np.vstack([Z, X[:3]]))
    expected = [augmented(kappa, X, y, z) for z in [*Z, *X[:3]]]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_array_equal(model.p_values(Z[:1]), found[:1])


def test_p_values_follow_a_partial_fit_that_shows_classes_in_another_order(Z):
    X, y = sample((9, 14, 7))
    order = np.argsort(-y, kind="stable")
    parts = gm.ParzenClassifier(gm.Gaussian(0.9)).partial_fit(X[order[:15]], y[order[:15]])
    assert parts.p_values(Z).shape == (12, len(np.unique(y[order[:15]])))
    parts.partial_fit(X[order[15:]], y[order[15:]])
    np.testing.assert_allclose(parts.p_values(Z), gm.ParzenClassifier(gm.Gaussian(0.9)).fit(X, y).p_values(Z))


def test_an_object_of_a_class_has_a_p_value_of_at_most_alpha_with_probability_at_most_alpha():
    rng = np.random.default_rng(0)
    found, draws = [], 1500
    for _ in range(draws):
        X = rng.standard_t(2, size=(20, 2)) * [1.0, 3.0]
        X[10:] += 1.0
        model = gm.ParzenClassifier(gm.Gaussian(1.0)).fit(X[:19], np.arange(19) // 10)
        found.append(model.p_values(X[19:])[0, 1])
    for alpha in (0.1, 0.3, 0.5, 0.8):
        share = np.mean(np.array(found) <= alpha + 1e-9)
        assert share <= alpha + 4 * np.sqrt(alpha * (1 - alpha) / draws)
    assert np.mean(np.array(found) <= 0.5 + 1e-9) > 0.4  # and the values are not all large


def test_the_class_of_a_typical_object_is_not_left_out_and_a_far_one_is():
    X = np.random.default_rng(1).normal(size=(80, 2))
    X[40:] += 6.0
    model = gm.ParzenClassifier(gm.Gaussian(1.5)).fit(X, np.arange(80) // 40)
    p = model.p_values([[0.0, 0.0], [6.0, 6.0], [30.0, -30.0]])
    np.testing.assert_array_equal(p <= 0.05, [[False, True], [True, False], [True, True]])


def test_in_low_rank_there_are_no_p_values_for_the_objects_are_not_kept():
    X, y = sample((9, 14))
    assert not hasattr(gm.ParzenClassifier(gm.Gaussian(0.9), rank=5).fit(X, y), "p_values")
