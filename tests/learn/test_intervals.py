"""Prediction intervals: the smaller models in closed form against refits, and the share of targets that they hold."""

import numpy as np
import pytest

import gramian as gm
from gramian.learn.intervals import effective, half_width

GAUSSIAN = gm.Gaussian(bandwidth=1.0)
N, NEW = 30, 7


def data(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, 2))
    y = np.sin(X[:, 0]) + 0.2 * rng.standard_normal(N)
    weights = rng.uniform(0.2, 2.0, N)
    weights[3] = 0.0
    return X, np.column_stack([y, 2 * y + rng.standard_normal(N)]), weights, rng.standard_normal((NEW, 2))


def refitted(make, X, Y, weights, Z):
    """Return what models without one object say of new ones, and of it, by learning each of them."""
    present = range(N) if weights is None else np.flatnonzero(weights)
    new, own = [], []
    for i in present:
        others = np.arange(N) != i
        model = make(others).fit(X[others], Y[others], None if weights is None else weights[others])
        new.append(model.predict(Z))
        own.append(Y[i] - model.predict(X[[i]])[0])
    return np.stack(new, axis=1), np.array(own)


def assert_left_out(model, expected, X, Y, Z, digits=1e-9):
    new, own = expected
    left = model._left_out()
    np.testing.assert_allclose(left.residuals, own, atol=digits * np.abs(own).max())
    np.testing.assert_allclose(left.predictions(model._images(Z)), new, atol=digits * np.abs(new).max())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("kernel", [GAUSSIAN, gm.Linear(), gm.Polynomial(degree=2)], ids=repr)
def test_models_without_an_object_are_those_that_refits_give(kernel, intercept, weighted):
    X, Y, w, Z = data()
    w = w if weighted else None
    model = gm.KernelRidge(kernel, 0.1, intercept).fit(X, Y, w)
    expected = refitted(lambda _: gm.KernelRidge(kernel, 0.1, intercept), X, Y, w, Z)
    assert_left_out(model, expected, X, Y, Z)


@pytest.mark.parametrize("intercept", [False, True])
def test_least_squares_without_an_object_is_that_of_minimum_norm(intercept):
    X, Y, _, Z = data()
    for kernel, digits in ((gm.Linear(), 1e-9), (gm.Polynomial(degree=9), 1e-5)):  # less, and more, than N features
        model = gm.KernelRidge(kernel, 0, intercept).fit(X, Y)
        expected = refitted(lambda _, k=kernel: gm.KernelRidge(k, 0, intercept), X, Y, None, Z)
        assert_left_out(model, expected, X, Y, Z, digits)


@pytest.mark.parametrize("weighted", [False, True])
def test_in_low_rank_they_are_refits_through_the_same_landmarks(weighted):
    X, Y, w, Z = data()
    w = w if weighted else None
    model = gm.KernelRidge(GAUSSIAN, 0.1, fit_intercept=True, rank=12).fit(X, Y, w)
    low = model._summed.summary.kernel
    assert_left_out(model, refitted(lambda _: gm.KernelRidge(low, 0.1, True), X, Y, w, Z), X, Y, Z)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["loo", "gcv", [0.01, 0.1, 1.0, 10.0]], ids=str)
def test_the_ridge_is_chosen_again_without_each_object(criterion, weighted):
    X, Y, w, Z = data()
    w = w if weighted else None
    model = gm.KernelRidge(GAUSSIAN, criterion, fit_intercept=True).fit(X, Y, w)
    grid = model.path_.ridges

    def chosen(others):
        path = gm.KernelRidge(GAUSSIAN, grid, True).fit(X[others], Y[others], None if w is None else w[others]).path_
        return gm.KernelRidge(GAUSSIAN, grid[np.argmin(path.gcv if criterion == "gcv" else path.loo)], True)

    assert_left_out(model, refitted(chosen, X, Y, w, Z), X, Y, Z, 1e-5)


def test_intervals_are_the_order_statistics_of_the_jackknife_plus():
    X, Y, _, Z = data()
    model = gm.KernelRidge(GAUSSIAN, 0.1).fit(X, Y)
    new, own = refitted(lambda _: gm.KernelRidge(GAUSSIAN, 0.1), X, Y, None, Z)
    found = model.predict_interval(Z, alpha=0.2)
    high = np.sort(new + np.abs(own), axis=1)[:, 25 - 1]  # ⌈0.8 · 31⌉
    low = np.sort(new - np.abs(own), axis=1)[:, 6 - 1]  # ⌊0.2 · 31⌋
    np.testing.assert_allclose(found.high, high, atol=1e-9)
    np.testing.assert_allclose(found.low, low, atol=1e-9)
    single = gm.KernelRidge(GAUSSIAN, 0.1).fit(X, Y[:, 1]).predict_interval(Z, alpha=0.2)
    np.testing.assert_allclose(single.low, low[:, 1], atol=1e-9)


def test_intervals_of_turned_targets_are_turned():
    X, Y, _, Z = data()
    low, high = gm.KernelRidge(GAUSSIAN).fit(X, Y).predict_interval(Z)
    turned = gm.KernelRidge(GAUSSIAN).fit(X, -Y).predict_interval(Z)
    np.testing.assert_allclose(turned.low, -high, atol=1e-9)
    np.testing.assert_allclose(turned.high, -low, atol=1e-9)


@pytest.mark.parametrize("unit", [1e-160, 1e150])
def test_intervals_follow_the_unit_of_the_targets(unit):
    X, Y, _, Z = data()
    expected = gm.KernelRidge(GAUSSIAN, 0.1).fit(X, Y).predict_interval(Z)
    found = gm.KernelRidge(GAUSSIAN, 0.1).fit(X, Y * unit).predict_interval(Z)
    np.testing.assert_allclose(found.low / unit, expected.low, rtol=1e-8)


def test_too_few_objects_for_alpha_give_infinite_intervals_and_a_sentence():
    X, Y, _, Z = data()
    model = gm.KernelRidge(GAUSSIAN, 0.1).fit(X, Y[:, 0])
    with pytest.warns(UserWarning, match="the intervals are infinite; at least 99 objects expected"):
        low, high = model.predict_interval(Z, alpha=0.01)
    assert (low == -np.inf).all()
    assert (high == np.inf).all()
    assert np.isfinite(model.predict_interval(Z, alpha=1 / (N + 1)).low).all()  # just enough


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, 2])
def test_an_alpha_that_is_no_rate_is_refused(alpha):
    X, Y, _, Z = data()
    with pytest.raises(ValueError, match="alpha is .* strictly between 0 and 1"):
        gm.KernelRidge(GAUSSIAN, 0.1).fit(X, Y).predict_interval(Z, alpha)


def test_many_objects_with_few_features_agree_with_the_plain_jackknife():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 2))
    y = X @ [1.0, 2.0] + rng.standard_normal(4000)
    low, high = gm.KernelRidge(gm.Linear(), 1.0).fit(X, y).predict_interval(X[:5], 0.1)
    np.testing.assert_allclose(high - low, 2 * 1.645, rtol=0.1)
    exact = gm.KernelRidge(GAUSSIAN, 1.0, rank="exact").fit(X[:3100], y[:3100])
    residuals = np.sort(np.abs(exact.loo_residuals_))
    np.testing.assert_allclose(
        exact.predict_interval(X[:5], 0.1).high, exact.predict(X[:5]) + residuals[int(np.ceil(0.9 * 3101)) - 1]
    )


def normal(rng, n):
    X = rng.uniform(-3, 3, (n, 1))
    return X, np.sin(2 * X[:, 0]) + 0.3 * rng.standard_normal(n)


def heteroscedastic(rng, n):
    X = rng.uniform(-3, 3, (n, 1))
    return X, np.sin(X[:, 0]) + (0.05 + 0.3 * np.abs(X[:, 0])) * rng.standard_normal(n)


def heavy_tailed(rng, n):
    X = rng.standard_normal((n, 2))
    return X, X[:, 0] * X[:, 1] + 0.3 * rng.standard_t(2, n)


@pytest.mark.parametrize("ridge", ["loo", 1.0], ids=str)
@pytest.mark.parametrize("drawn", [normal, heteroscedastic, heavy_tailed])
def test_intervals_hold_the_share_they_are_to_hold(drawn, ridge):
    inside = []
    for seed in range(150):
        rng = np.random.default_rng([seed, 30])
        X, y = drawn(rng, 30)
        Z, z = drawn(rng, 20)
        low, high = gm.KernelRidge(ridge=ridge, fit_intercept=True).fit(X, y).predict_interval(Z, 0.2)
        inside.append(np.mean((low <= z) & (z <= high)))
    error = np.std(inside) / np.sqrt(len(inside))
    assert abs(np.mean(inside) - 25 / 31) < 0.01 + 3 * error  # the least of the shares n + 1 objects tell, above 0.8


def test_a_ridge_taken_as_given_would_hold_too_few():
    inside = []
    for seed in range(150):
        rng = np.random.default_rng([seed, 30])
        X, y = normal(rng, 30)
        Z, z = normal(rng, 20)
        chosen = gm.KernelRidge(fit_intercept=True).fit(X, y).ridge_
        low, high = gm.KernelRidge(ridge=chosen, fit_intercept=True).fit(X, y).predict_interval(Z, 0.2)
        inside.append(np.mean((low <= z) & (z <= high)))
    assert np.mean(inside) < 0.795


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("first", "then"), [(0.1, "loo"), ("loo", 0.1), ("gcv", "loo"), (0.1, [0.1, 1.0])])
def test_intervals_are_those_of_the_fit_whatever_is_set_later(first, then, intercept):
    X, Y, weights, Z = data()
    model = gm.KernelRidge(GAUSSIAN, first, intercept).fit(X, Y[:, 0], weights)
    expected = gm.KernelRidge(GAUSSIAN, first, intercept).fit(X, Y[:, 0], weights).predict_interval(Z)
    model.set_params(ridge=then)
    if first != "gcv":  # by which criterion it was chosen is asked of the setting
        np.testing.assert_array_equal(model.predict_interval(Z), expected)
    assert np.isfinite(model.predict_interval(Z)).all()


# Groups, and what follows in time


def of_groups(rng, groups, size, spread):
    """Rows of groups that have a place and a level of their own, so that rows of one group are told by each other."""
    group = np.repeat(np.arange(groups), size)
    places, levels = rng.standard_normal((groups, 2)), spread * rng.standard_normal(groups)
    X = places[group] + 0.3 * rng.standard_normal((len(group), 2))
    return X, np.sin(X[:, 0]) + levels[group] + 0.5 * rng.standard_normal(len(group)), group


def held_of_groups(spread, known):
    inside = []
    for seed in range(120):
        rng = np.random.default_rng(seed)
        X, y, group = of_groups(rng, 25, 6, spread)
        new, truth, _ = of_groups(rng, 40, 6, spread)
        model = gm.KernelRidge(gm.Gaussian(1.0), ridge=0.3, fit_intercept=True).fit(X, y)
        low, high = model.predict_interval(new, 0.1, group if known else None)
        inside.append(np.mean((low <= truth) & (truth <= high)))
    return float(np.mean(inside))


@pytest.mark.parametrize("spread", [0.0, 1.0, 3.0])
def test_intervals_hold_what_they_promise_of_new_groups(spread):
    """Within two points and a half, on the safe side; a standard error is below half a point."""
    assert 0.89 <= held_of_groups(spread, True) <= 0.93


def test_who_takes_rows_of_groups_for_rows_promises_too_much_of_new_groups():
    assert held_of_groups(1.0, False) < 0.86


@pytest.mark.parametrize("seed", range(10))
def test_without_a_group_is_what_a_fit_to_the_others_says(seed):
    rng = np.random.default_rng(seed)
    X, y, group = of_groups(rng, 6, 3, 1.0)
    new = rng.standard_normal((4, 2))
    settings = {"kernel": gm.Gaussian(1.0), "ridge": 0.2, "fit_intercept": bool(seed % 2)}
    found = gm.KernelRidge(**settings).fit(X, y)._groups_out(group)
    images = gm.FeatureSpace(gm.Gaussian(1.0))(new)
    said = found.predictions(images)[:, :, 0]
    for g in range(6):
        alone = gm.KernelRidge(**settings).fit(X[group != g], y[group != g])
        expected = alone.predict(new)[:, None].repeat(3, axis=1)
        np.testing.assert_allclose(said[:, group == g], expected, rtol=1e-7, atol=1e-9)
        left = y[group == g] - alone.predict(X[group == g])
        np.testing.assert_allclose(found.residuals[group == g, 0], left, rtol=1e-7, atol=1e-9)


def test_groups_of_one_are_objects():
    X, y = np.random.default_rng(0).standard_normal((2, 30, 2))
    model = gm.KernelRidge(gm.Gaussian(1.0), ridge=0.2).fit(X, y[:, 0])
    for ours, plain in zip(
        model.predict_interval(X[:5], 0.1, np.arange(30)), model.predict_interval(X[:5]), strict=True
    ):
        np.testing.assert_allclose(ours, plain, rtol=1e-8)


def test_objects_of_groups_are_worth_something_between_their_number_and_that_of_the_groups():
    group = np.repeat(np.arange(50), 4)
    alone, alike = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        alone.append(effective(rng.random((200, 1)), group))
        alike.append(effective(rng.random((50, 1))[group] + 1e-3 * rng.random((200, 1)), group))
    assert np.mean(alone) > 170
    assert max(alone) <= 200
    assert 50 <= np.mean(alike) < 51


def test_the_half_width_holds_its_share_of_what_comes_from_the_same_source():
    inside = []
    for seed in range(2000):
        rng = np.random.default_rng(seed)
        inside.append(np.mean(np.abs(rng.standard_t(3, 50)) <= half_width(rng.standard_t(3, 40), 0.1)))
    assert 0.895 <= np.mean(inside) <= 0.925  # 37 of 41


def test_groups_are_refused_where_they_cannot_be_left_out():
    X, y = np.arange(12.0)[:, None], np.arange(12.0)
    model = gm.KernelRidge(gm.Gaussian(2.0), ridge=0.1)
    with pytest.raises(ValueError, match="one for each of the 12 objects"):
        model.fit(X, y).predict_interval(X, 0.5, [0, 1])
    with pytest.raises(ValueError, match="without weights"):
        model.fit(X, y, sample_weight=np.arange(1.0, 13.0)).predict_interval(X, 0.5, np.arange(12) // 2)
    with pytest.raises(ValueError, match="shrinkage only"):
        gm.KernelRidge(gm.Gaussian(2.0), ridge=0.0).fit(X, y).predict_interval(X, 0.5, np.arange(12) // 2)
