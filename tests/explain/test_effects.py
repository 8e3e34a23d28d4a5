"""Accumulated local effects: a column's own part of an additive function, with errors that hold."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.inspection import partial_dependence
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier

import gramian as gm


class Given(RegressorMixin, BaseEstimator):
    """A function as a fitted regression."""

    def __init__(self, f=None):
        self.f = f

    def fit(self, X, y=None):
        return self

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, X):
        return self.f(X)


def correlated(seed, n=400, rho=0.9):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    return np.column_stack([a, rho * a + np.sqrt(1 - rho**2) * rng.normal(size=n), rng.normal(size=n)])


@pytest.mark.parametrize("seed", range(20))
def test_of_an_additive_function_it_is_the_columns_own_part_up_to_a_constant(seed):
    X = correlated(seed)
    found = gm.effects(Given(lambda X: np.sin(2 * X[:, 0]) + 3 * X[:, 1] ** 2 - X[:, 2]), X, 0)
    own = np.sin(2 * found.values)
    apart = found.effects[:, 0] - own
    np.testing.assert_allclose(apart, apart.mean(), atol=1e-12)
    np.testing.assert_allclose(found.errors, 0, atol=1e-12)


def test_with_correlated_columns_it_stays_near_the_data_where_partial_dependence_does_not():
    # f is wild only where x₀ and x₁ are far apart, and no object is there.
    X = correlated(0, 2000, rho=0.98)
    model = Given(lambda X: X[:, 0] + 50 * np.maximum(np.abs(X[:, 0] - X[:, 1]) - 1.5, 0) * np.sign(X[:, 0]))
    found = gm.effects(model, X, 0)
    middle = slice(1, -1)  # the outermost intervals reach far out, into the tails
    assert np.ptp((found.effects[:, 0] - found.values)[middle]) < 1e-9
    pd_ = partial_dependence(model, X, [0], grid_resolution=20, kind="average")
    curve = pd_["average"][0]
    grid = pd_["grid_values"][0]
    inside = np.abs(grid) < found.values[-2]
    assert np.ptp((curve - grid)[inside]) > 5


def test_of_a_product_of_correlated_columns_it_is_the_integral_of_the_mean_of_the_other():
    # d/dx₀ x₀x₁ = x₁, whose mean at x₀ is ρx₀: the effect is ρx₀²/2
    X = correlated(1, 20_000, rho=0.8)
    found = gm.effects(Given(lambda X: X[:, 0] * X[:, 1]), X, 0, intervals=60)
    inside = np.abs(found.values) < 2
    expected = 0.4 * found.values[inside] ** 2
    apart = found.effects[inside, 0] - expected
    assert np.ptp(apart) < 0.12
    assert np.ptp(expected) > 1


def test_its_mean_over_the_objects_is_zero():
    X = np.round(correlated(2), 0)
    found = gm.effects(Given(lambda X: X[:, 0] ** 2), X, 0, intervals=100)
    assert list(found.values) == sorted(set(X[:, 0]))
    assert found.counts.sum() == len(X)
    np.testing.assert_allclose(found.counts @ found.effects[:, 0], 0, atol=1e-9 * len(X))
    smooth = correlated(2)
    curve = gm.effects(Given(lambda X: X[:, 0] ** 2), smooth, 0)
    at_objects = np.interp(smooth[:, 0], curve.values, curve.effects[:, 0])
    np.testing.assert_allclose(at_objects.mean(), 0, atol=1e-12)


def test_whole_numbers_are_moved_to_whole_numbers_only():
    records = [{"n": k % 7, "u": float(k)} for k in range(40)]

    def f(X):
        assert all(isinstance(row["n"], int) for row in X)
        return np.array([row["n"] * 2.0 for row in X])

    np.testing.assert_allclose(np.diff(gm.effects(Given(f), records, "n").effects[:, 0]), 2.0)


def test_errors_of_rows_are_those_of_drawing_the_rows_again():
    model = Given(lambda X: X[:, 0] * X[:, 2] + X[:, 1])
    curves, errors = [], []
    edges = None
    for seed in range(200):
        X = correlated(seed, 300)
        X[:, 0] = np.digitize(X[:, 0], [-1, 0, 1])
        found = gm.effects(model, X, 0)
        edges = found.values if edges is None else edges
        np.testing.assert_array_equal(found.values, edges)
        curves.append(found.effects[:, 0])
        errors.append(found.errors[:, 0])
    spread, told = np.std(curves, axis=0), np.mean(errors, axis=0)
    np.testing.assert_allclose(told, spread, rtol=0.25)


def test_errors_of_refits_are_those_of_drawing_the_sample_again():
    slopes, told = [], []
    for seed in range(120):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, size=(80, 2)).astype(float)
        y = X[:, 0] + rng.normal(size=80)
        found = gm.effects(LinearRegression().fit(X, y), X, 0, y)
        assert found.band == "refits"
        slopes.append(found.effects[1, 0])
        told.append(found.errors[1, 0])
        rows = gm.effects(LinearRegression().fit(X, y), X, 0)
        assert rows.band == "rows"
        assert rows.errors.max() < 1e-12
    np.testing.assert_allclose(np.mean(told), np.std(slopes), rtol=0.25)


def test_bands_of_a_kernel_machine_hold_the_curve_of_a_large_sample():
    def draw(seed, n):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-2, 2, size=(n, 2))
        return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)

    held = []
    for seed in range(15):
        X, y = draw(seed, 150)
        found = gm.effects(gm.KernelRidge().fit(X, y), X, 0, y, intervals=8)
        own = np.sin(2 * found.values)
        apart = found.effects[:, 0] - own
        held.append(np.abs(apart - apart.mean()) <= 3 * found.errors[:, 0] + 0.02)
    assert np.mean(held) > 0.85


def test_of_categories_the_differences_are_the_models_own():
    rng = np.random.default_rng(0)
    size = rng.normal(size=300)
    color = np.array(["red", "blue", "green"])[np.digitize(size, [-0.5, 0.5])]
    frame = pd.DataFrame({"color": color, "size": size})
    worth = {"red": 1.0, "blue": 5.0, "green": 2.0}
    found = gm.effects(
        Given(lambda X: X["color"].map(worth).astype(float).to_numpy() + 10 * X["size"].to_numpy()), frame, "color"
    )
    # red has the small sizes, blue the middle, green the large ones: neighbours in the order
    assert found.values.tolist() in (["red", "blue", "green"], ["green", "blue", "red"])
    effect = dict(zip(found.values, found.effects[:, 0], strict=True))
    np.testing.assert_allclose([effect["blue"] - effect["red"], effect["green"] - effect["red"]], [4, 1], atol=1e-9)
    assert abs(found.counts @ found.effects[:, 0]) < 1e-9 * 300


def test_classifiers_are_told_for_each_class_by_probability_or_decision():
    flowers = gm.load_iris()
    theirs = LogisticRegression(max_iter=1000).fit(flowers.data, flowers.target)
    found = gm.effects(theirs, flowers.data, 2, names=["sl", "sw", "pl", "pw"])
    assert (found.column, found.scale, len(found.outputs)) == ("pl", "probability", 3)
    np.testing.assert_allclose(found.effects.sum(axis=1), 0, atol=1e-12)
    ours = gm.KernelClassifier(ridge=1.0).fit(flowers.data[50:], flowers.target[50:])
    assert gm.effects(ours, flowers.data[50:], 2).scale == "probability"
    ours = RidgeClassifier().fit(flowers.data[50:], flowers.target[50:])  # which tells no probabilities
    found = gm.effects(ours, flowers.data[50:], 2, flowers.target[50:])
    assert (found.scale, found.effects.shape[1]) == ("decision function", 1)
    assert found.outputs == (ours.classes_[1],)
    assert found.effects[-1, 0] - found.effects[0, 0] > 5 * found.errors[-1, 0]
    assert "decision function by column 2" in repr(found)


def test_several_targets_have_a_curve_each():
    X = correlated(0)
    found = gm.effects(Given(lambda X: np.column_stack([X[:, 0], -2 * X[:, 0]])), X, 0)
    np.testing.assert_allclose(found.effects[:, 1], -2 * found.effects[:, 0], atol=1e-12)


class Silent(ClassifierMixin, BaseEstimator):
    classes_ = np.array([0, 1])

    def __sklearn_is_fitted__(self):
        return True

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X))


def test_what_cannot_be_told_is_refused():
    X = correlated(0, 30)
    with pytest.raises(ValueError, match="X has no column 'x'; it has 0, 1, 2"):
        gm.effects(Given(lambda X: X[:, 0]), X, "x")
    texts = [{"t": f"some words {k}"} for k in range(30)]
    with pytest.raises(TypeError, match="holds texts"):
        gm.effects(Given(len), texts, "t")
    with pytest.raises(ValueError, match="holds 1 only"):
        gm.effects(Given(len), np.ones((9, 1)), 0)
    with pytest.raises(TypeError, match="neither predict_proba nor decision_function"):
        gm.effects(Silent(), X, 0)
    with pytest.raises(ValueError, match="missing values"):
        gm.effects(Given(len), np.array([[1.0], [np.nan]]), 0)
    with pytest.raises(ValueError, match="X has 30 objects and y 3"):
        gm.effects(LinearRegression().fit(X, X[:, 0]), X, 0, [1, 2, 3])
