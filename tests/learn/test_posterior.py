"""The Gaussian process reading of the ridge, against scikit-learn's and a generalized least-squares oracle."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct

import gramian as gm

RIDGE = 0.3
PAIRS = [
    (gm.Gaussian(bandwidth=1.0), RBF(1.0)),
    (gm.Linear(), DotProduct(0.0, "fixed")),
    (gm.Polynomial(degree=2), DotProduct(1.0, "fixed") ** 2),
]
GAUSSIAN = PAIRS[0][0]


def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    return X, np.sin(X[:, 0]) + 0.2 * rng.standard_normal(40), rng.uniform(0.5, 2, 40), 3 * rng.standard_normal((9, 2))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("kernel", "theirs"), PAIRS, ids=["gaussian", "linear", "polynomial"])
def test_standard_deviations_are_scikit_learns_at_the_same_kernel_and_noise(kernel, theirs, weighted):
    X, y, w, Z = data()
    w = w if weighted else None
    model = gm.KernelRidge(kernel, RIDGE).fit(X, y, w)
    mean, std = model.predict(Z, return_std=True)
    noise = model.noise_**2
    process = GaussianProcessRegressor(
        ConstantKernel(noise / RIDGE, "fixed") * theirs, alpha=noise / (1.0 if w is None else w), optimizer=None
    ).fit(X, y)
    expected, spread = process.predict(Z, return_std=True)
    np.testing.assert_allclose(mean, expected, atol=1e-10 * np.abs(expected).max())
    np.testing.assert_allclose(std, spread, atol=1e-10 * spread.max())


def test_the_scale_is_the_most_likely_one():
    X, y, _, _ = data()
    model = gm.KernelRidge(GAUSSIAN, RIDGE).fit(X, y)
    scale = model.noise_**2 / RIDGE
    K = GAUSSIAN(X) + RIDGE * np.eye(len(X))

    def loss(s):
        return len(X) * np.log(s) + y @ np.linalg.solve(s * K, y)

    assert loss(scale) < min(loss(0.99 * scale), loss(1.01 * scale))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kernel", [pair[0] for pair in PAIRS], ids=repr)
def test_an_unknown_constant_is_that_of_universal_kriging(kernel, weighted):
    X, y, w, Z = data()
    w = w if weighted else np.ones(len(X))
    model = gm.KernelRidge(kernel, RIDGE, fit_intercept=True).fit(X, y, w)
    ones = np.ones((len(X), 1))
    system = np.block([[kernel(X) + np.diag(RIDGE / w), ones], [ones.T, np.zeros((1, 1))]])
    right = np.vstack([kernel(X, Z), np.ones((1, len(Z)))])
    expected = kernel.diag(Z) - np.einsum("ij,ij->j", right, np.linalg.solve(system, right))
    found = model.predict(Z, return_std=True)[1] ** 2 / (model.noise_**2 / RIDGE)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_landmarks_at_all_objects_change_nothing():
    X, y, w, Z = data()
    exact = gm.KernelRidge(GAUSSIAN, RIDGE, fit_intercept=True).fit(X, y, w)
    low = gm.KernelRidge(GAUSSIAN, RIDGE, fit_intercept=True, rank=len(X)).fit(X, y, w)
    np.testing.assert_allclose(low.predict(Z, True)[1], exact.predict(Z, True)[1], rtol=1e-8)
    assert low.noise_ == pytest.approx(exact.noise_, rel=1e-8)


def test_few_landmarks_are_not_surer_far_away_than_the_prior():
    X, y, _, _ = data()
    low = gm.KernelRidge(GAUSSIAN, RIDGE, rank=5).fit(X, y)
    far = low.predict([[50.0, 50.0]], return_std=True)[1]
    np.testing.assert_allclose(far, low.noise_ / np.sqrt(RIDGE))


def test_each_target_has_a_scale_of_its_own():
    X, y, _, Z = data()
    both = gm.KernelRidge(GAUSSIAN, RIDGE).fit(X, np.column_stack([y, 10 * y]))
    alone = gm.KernelRidge(GAUSSIAN, RIDGE).fit(X, y)
    std = both.predict(Z, return_std=True)[1]
    np.testing.assert_allclose(std[:, 0], alone.predict(Z, return_std=True)[1])
    np.testing.assert_allclose(std[:, 1], 10 * std[:, 0])
    np.testing.assert_allclose(both.noise_, [alone.noise_, 10 * alone.noise_])


@pytest.mark.parametrize("settings", [{"ridge": 0}, {"ridge": 0.5, "smoother": "projection"}], ids=str)
def test_without_noise_there_is_no_such_reading(settings):
    X, y, _, Z = data()
    model = gm.KernelRidge(gm.Linear(), **settings).fit(X, y)
    with pytest.raises(ValueError, match="no Gaussian process .* predict_interval"):
        model.predict(Z, return_std=True)
    assert not hasattr(model, "noise_")
