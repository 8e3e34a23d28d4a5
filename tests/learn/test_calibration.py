"""Probabilities of classes: what they promise, and that they are right as often as they say."""

import numpy as np
import pytest
import scipy.optimize
from sklearn.metrics import log_loss

import gramian as gm
from gramian.learn.calibration import Calibration, columns

MAKERS = {
    "fisher": gm.FisherDiscriminant,
    "parzen": gm.ParzenClassifier,
    "least-squares": gm.KernelClassifier,
}
every_maker = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def waves(rng, n):
    """Two classes whose probabilities are known."""
    X = rng.standard_normal((n, 2))
    p = 1 / (1 + np.exp(-2 * X[:, 0] - 2 * np.sin(2 * X[:, 1])))
    return X, (rng.random(n) < p).astype(int), p


def clouds(rng, n, shares=(1 / 3, 1 / 3, 1 / 3)):
    y = rng.choice(len(shares), n, p=shares)
    return 1.2 * np.eye(len(shares), 3)[y] + rng.standard_normal((n, 3)), y


@every_maker
@pytest.mark.parametrize("rank", [None, 20])
def test_rows_sum_to_one_and_are_in_the_order_of_the_classes(make, rank):
    X, y = clouds(np.random.default_rng(0), 90)
    names = np.array(["a", "b", "c"])
    model = make(rank=rank).fit(X, names[y])
    found = model.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    assert (found >= 0).all()
    for c in range(3):
        assert found[y == c, c].mean() > found[y != c, c].mean()


@every_maker
def test_of_two_classes_the_probability_grows_with_the_decision_function(make):
    X, y, _ = waves(np.random.default_rng(0), 100)
    model = make().fit(X, y)
    order = np.argsort(model.decision_function(X))
    assert (np.diff(model.predict_proba(X)[order, 1]) >= 0).all()


@every_maker
def test_the_most_probable_class_of_equally_frequent_ones_is_the_predicted_one(make):
    X, y = clouds(np.random.default_rng(0), 150)
    model = make().fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), model.predict(X))


@pytest.mark.parametrize("make", [gm.FisherDiscriminant, gm.ParzenClassifier])
def test_a_rare_class_is_as_probable_as_it_is_frequent(make):
    rng = np.random.default_rng(0)
    X, y = clouds(rng, 400, (0.9, 0.1))
    Z, z = clouds(rng, 2000, (0.9, 0.1))
    model = make().fit(X, y)
    found = model.predict_proba(Z)[:, 1]
    assert found.mean() == pytest.approx(z.mean(), abs=0.04)
    assert (model.predict(Z) == 1).mean() > 2 * z.mean()  # whereas a prediction gives both classes the same say


@every_maker
@pytest.mark.parametrize("n", [60, 300])
def test_what_is_said_with_a_probability_is_true_as_often(make, n):
    """The mean of y − p in each of five bins of p, over many samples, is zero within 0.05 and the sampling error."""
    off = np.full((30, 5), np.nan)
    for seed in range(len(off)):
        rng = np.random.default_rng([seed, n])
        X, y, _ = waves(rng, n)
        Z, z, _ = waves(rng, 500)
        p = make().fit(X, y).predict_proba(Z)[:, 1]
        bins = np.minimum((5 * p).astype(int), 4)
        for k in range(5):
            if (bins == k).sum() >= 20:
                off[seed, k] = (z - p)[bins == k].mean()
    error = np.nanstd(off, axis=0) / np.sqrt((~np.isnan(off)).sum(axis=0))
    assert (np.abs(np.nanmean(off, axis=0)) < 0.06 + 3 * error).all()


@pytest.mark.parametrize("make", [gm.FisherDiscriminant, gm.KernelClassifier])
def test_objects_left_out_calibrate_and_objects_seen_do_not(make):
    """With nothing to learn, values under the whole model pretend there is something."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((100, 3)), rng.integers(0, 2, 100)
    Z, z = rng.standard_normal((1000, 3)), rng.integers(0, 2, 1000)
    model = make(gm.Gaussian(bandwidth=0.5), ridge=0.1).fit(X, y)
    seen = Calibration().learn(model.decision_function(X), y, 2).probabilities(model.decision_function(Z))
    assert log_loss(z, model.predict_proba(Z)) < 0.75
    assert log_loss(z, seen) > 1.0


def test_the_slope_is_the_maximum_of_the_likelihood_with_one_mistake_more():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 200)
    G = np.eye(3)[labels] + rng.standard_normal((200, 3))
    found = Calibration().learn(G, labels, 3)
    best = np.sort(G, axis=1)
    median = np.median(best[:, 2] - best[:, 1])

    def loss(a):
        of_labels = np.logaddexp.reduce(a * G, axis=1) - a * G[np.arange(200), labels]
        return of_labels.sum() + np.logaddexp(0, a * median)

    expected = scipy.optimize.minimize_scalar(loss, bounds=(0, 20), method="bounded", options={"xatol": 1e-10}).x
    assert found.slope == pytest.approx(expected, rel=1e-5)
    assert not found.shifts.any()


def test_classes_without_a_mistake_are_not_certain():
    decisions = np.array([-2.0, -1.0, -1.0, 1.0, 1.0, 2.0])
    found = Calibration().learn(decisions, (decisions > 0).astype(int), 2)
    (said,) = found.probabilities(np.array([1.0]))[:, 1]
    assert 0.7 < said < 6 / 7


def test_values_of_no_use_give_equal_probabilities():
    found = Calibration().learn(np.zeros(10), np.arange(10) % 2, 2)
    np.testing.assert_allclose(found.probabilities(np.array([-5.0, 0.0, 5.0])), 0.5)
    model = gm.ParzenClassifier().fit([[0.0], [1.0]], ["a", "b"])  # without either there is no class
    np.testing.assert_array_equal(model.loo_decision_, [np.inf, -np.inf])
    np.testing.assert_allclose(model.predict_proba([[0.0], [9.0]]), 0.5)


@pytest.mark.parametrize("scale", [1e-200, 1e-8, 1e150])
def test_the_unit_of_decision_values_does_not_matter(scale):
    rng = np.random.default_rng(0)
    decisions, labels = rng.standard_normal(50), rng.integers(0, 2, 50)
    expected = Calibration().learn(decisions, labels, 2).probabilities(decisions)
    found = Calibration().learn(scale * decisions, labels, 2).probabilities(scale * decisions)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_weights_count():
    X, y, _ = waves(np.random.default_rng(0), 60)
    w = np.where(np.arange(60) < 40, 1.0, 0.0)
    some = gm.KernelClassifier(gm.Gaussian(bandwidth=1.0), ridge=1.0).fit(X[:40], y[:40])
    model = gm.KernelClassifier(gm.Gaussian(bandwidth=1.0), ridge=1.0).fit(X, y, w)
    np.testing.assert_allclose(model.predict_proba(X), some.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("rank", [None, 24])
def test_the_nearest_centre_without_an_object_is_that_of_a_refit(count, rank):
    X, y = clouds(np.random.default_rng(1), 24, (1 / count,) * count)
    kernel = gm.Gaussian(bandwidth=1.0)
    model = gm.ParzenClassifier(kernel, rank=rank).fit(X, y)
    expected = [
        gm.ParzenClassifier(kernel).fit(np.delete(X, i, 0), np.delete(y, i)).decision_function(X[[i]])[0]
        for i in range(len(X))
    ]
    np.testing.assert_allclose(model.loo_decision_, expected, atol=1e-8)
    wrong = columns(np.array(expected)).argmax(axis=1) != y
    assert model.loo_error_ == pytest.approx(wrong.mean())


@every_maker
def test_a_model_that_learns_more_is_calibrated_anew(make):
    X, y, _ = waves(np.random.default_rng(0), 120)
    model = make(rank=15).partial_fit(X[:60], y[:60])
    before = model.predict_proba(X)
    model.partial_fit(X[60:], y[60:])
    whole = make(rank=15).partial_fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))
    assert not np.array_equal(model.predict_proba(X), before)


@every_maker
def test_a_saved_model_says_the_same_probabilities(make, tmp_path):
    X, y = clouds(np.random.default_rng(0), 60)
    for asked in (False, True):
        model = make().fit(X, y)
        if asked:
            model.predict_proba(X)
        gm.save(model, tmp_path / f"{asked}.gramian")
        np.testing.assert_array_equal(gm.load(tmp_path / f"{asked}.gramian").predict_proba(X), model.predict_proba(X))
