"""Targets, weights and objects of extreme size: the answer of ordinary ones in other units, or one clear error."""

import re
import warnings

import numpy as np
import pytest

import gramian as gm

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=60) + 2
Z = RNG.normal(size=(5, 2))
W = RNG.uniform(0.5, 2, size=60)
LABELS = (X[:, 0] > 0).astype(int)

RIDGES = {
    "number": {"ridge": 0.1},
    "intercept": {"ridge": 0.1, "fit_intercept": True},
    "loo": {"ridge": "loo"},
    "gcv": {"ridge": "gcv", "fit_intercept": True},
    "primal": {"kernel": gm.Linear() + 1, "ridge": "loo"},
    "dual": {"kernel": gm.Linear() + 1, "ridge": 0.3, "solver": "dual"},
    "projection": {"ridge": 0.5, "smoother": "projection"},
    "low rank": {"ridge": 0.1, "rank": 5, "fit_intercept": True},
    "low rank, loo": {"ridge": "loo", "rank": 5},
}
EXPONENTS = [-1000, -660, -333, -170, 130, 350, 500, 664, 1016]

every_precision = pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def ridge_regression(**options):
    return gm.KernelRidge(**{"kernel": gm.Gaussian(1.0), **options})


@every_precision
@pytest.mark.parametrize("weights", [None, W], ids=["", "weights"])
@pytest.mark.parametrize("how", RIDGES)
def test_what_is_learnt_is_linear_in_the_targets_at_every_scale(how, weights, dtype):
    objects, new = X.astype(dtype), Z.astype(dtype)
    reference = ridge_regression(**RIDGES[how]).fit(objects, Y, sample_weight=weights)
    # The arithmetic is the same but for the order in which several targets are summed
    tol = 1e-9 if dtype is np.float64 else 1e-4
    for exponent in EXPONENTS:
        c = 2.0**exponent
        for y in (c * Y, c * np.column_stack([Y, -Y])):
            model = ridge_regression(**RIDGES[how]).fit(objects, y, sample_weight=weights)
            first = (slice(None),) + (0,) * (y.ndim - 1)
            assert model.ridge_ == pytest.approx(reference.ridge_, rel=1e-12)
            np.testing.assert_allclose(model.predict(new)[first] / c, reference.predict(new), rtol=tol)
            assert model.effective_dof_ == pytest.approx(reference.effective_dof_, rel=1e-6)
            if "rank" not in RIDGES[how]:
                np.testing.assert_allclose(
                    model.loo_residuals_[first] / c, reference.loo_residuals_, rtol=100 * tol, atol=tol
                )
            if abs(exponent) < 500:
                assert model.loo_error_ / c / c == pytest.approx(reference.loo_error_, rel=100 * tol)


@every_precision
@pytest.mark.parametrize("exponents", [(0, 0), (-700, 0), (0, -700), (0, 700), (-700, 700), (700, 1000), (900, -900)])
@pytest.mark.parametrize("ridge", [0.1, "loo"])
def test_targets_that_grow_from_batch_to_batch_are_those_of_one_array(ridge, exponents, dtype):
    objects = X.astype(dtype)
    y = Y * np.repeat(2.0 ** np.array(exponents, float), 30)
    whole = ridge_regression(ridge=ridge, rank=5).fit(objects, y)
    scale = np.abs(y).max()
    expected = whole.predict(Z.astype(dtype)) / scale
    in_parts = ridge_regression(ridge=ridge, rank=5)
    in_parts.fit(gm.Batches(objects, target=y, rows=12))
    np.testing.assert_allclose(in_parts.predict(Z.astype(dtype)) / scale, expected, rtol=1e-4, atol=1e-6)
    low = ridge_regression(ridge=ridge, rank=60).partial_fit(objects, y)
    grown = ridge_regression(ridge=ridge, rank=60).partial_fit(objects[:30], y[:30]).partial_fit(objects[30:], y[30:])
    assert np.isfinite(low.predict(objects)).all()
    assert np.isfinite(grown.predict(objects)).all()
    assert grown.predict(objects[30:]).shape == (30,)


def test_targets_of_extreme_size_are_called_constant_only_where_they_are():
    for c in (1e-300, 1e-200, 1.0, 1e200, 1e300):
        for rank in (None, 5):
            with pytest.raises(ValueError, match="y is constant"):
                ridge_regression(ridge=0.1, rank=rank).fit(X, np.full(60, c))


def test_coefficients_and_predictions_that_no_number_can_hold_are_refused():
    with pytest.raises(ValueError, match="coefficients of the function overflow"):
        ridge_regression(ridge=1e-6).fit(X, 1e307 * Y)
    steep = gm.KernelRidge(gm.Linear(), ridge=1e-3).fit(X, 1e307 * X[:, 0])
    with pytest.raises(ValueError, match="predictions overflow"):
        steep.predict([[1e6, 0.0]])


@pytest.mark.parametrize("size", [1e-200, 1e-101, 1e101, 1e250])
def test_weights_of_extreme_size_are_refused_with_what_to_do(size):
    with pytest.raises(ValueError, match="divide the weights, and the ridge, by a constant"):
        ridge_regression(ridge=0.1).fit(X, Y, sample_weight=size * W)


@pytest.mark.parametrize("size", [1e-90, 1e90])
@pytest.mark.parametrize("how", ["number", "intercept", "low rank"])
def test_large_and_small_weights_with_a_ridge_to_match_change_nothing(how, size):
    options = RIDGES[how]
    reference = ridge_regression(**options).fit(X, Y, sample_weight=W)
    model = ridge_regression(**{**options, "ridge": 0.1 * size}).fit(X, Y, sample_weight=size * W)
    np.testing.assert_allclose(model.predict(Z), reference.predict(Z), rtol=1e-8)


@every_precision
def test_products_with_a_gram_are_linear_at_every_scale(dtype):
    K = gm.Gaussian(1.0).gram(X.astype(dtype))
    V = RNG.normal(size=(60, 3))
    for c in (2.0**-1000, 2.0**-200, 2.0**130, 2.0**1000):
        np.testing.assert_allclose(K.apply(c * V) / c, K.apply(V), rtol=1e-12, atol=1e-6 if dtype is np.float32 else 0)
        with K.held(in_single=True):
            np.testing.assert_allclose(K.apply(c * V) / c, K.apply(V), rtol=1e-12)
    np.testing.assert_allclose((K @ np.ones(60)), K.apply(np.ones((60, 1)))[:, 0], rtol=1e-6)
    assert (K @ np.arange(60)).dtype == dtype


@pytest.mark.parametrize("kernel", [gm.Gaussian(1.0), gm.Linear() + 1], ids=str)
def test_linear_systems_are_linear_at_every_scale(kernel):
    gram = kernel.gram(X)
    reference = gm.solve(gram, Y, ridge=0.5)
    for c in (2.0**-1000, 2.0**-600, 2.0**600, 2.0**1000):
        found = gm.solve(gram, c * Y, ridge=0.5)
        np.testing.assert_allclose(found.value / c, reference.value, rtol=1e-9, atol=1e-12)
        assert found.converged
    with pytest.raises(ValueError, match="the solution overflows"):
        gm.solve(gram, 1e307 * Y, ridge=1e-9)


LEARNERS = {
    "novelty": (lambda k: gm.NoveltyDetector(k, random_state=0), None),
    "bound": (lambda k: gm.NoveltyDetector(k, calibration="bound", delta=0.9), None),
    "low bound": (lambda k: gm.NoveltyDetector(k, calibration="bound", rank=5), None),
    "parzen": (lambda k: gm.ParzenClassifier(k), LABELS),
    "low parzen": (lambda k: gm.ParzenClassifier(k, rank=5), LABELS),
    "fisher": (lambda k: gm.FisherDiscriminant(k), LABELS),
    "low fisher": (lambda k: gm.FisherDiscriminant(k, rank=5), LABELS),
    "ridge": (lambda k: gm.KernelRidge(k, fit_intercept=True), Y),
    "low ridge": (lambda k: gm.KernelRidge(k, rank=5), Y),
    "pca": (lambda k: gm.KernelPCA(2, k), None),
    "low pca": (lambda k: gm.KernelPCA(2, k, rank=5), None),
    "gram-schmidt": (lambda k: gm.GramSchmidt(k, rank=3), None),
    "kmeans": (lambda k: gm.KernelKMeans(2, kernel=k, n_init=1, random_state=0), None),
}


@every_precision
@pytest.mark.parametrize("name", LEARNERS)
def test_objects_of_extreme_size_are_answered_in_finite_numbers_or_refused(name, dtype):
    make, y = LEARNERS[name]
    refusals = []
    scales = [-300, -160, -100, -19, 0, 18, 37, 76, 100, 150, 154, 200, 300]
    for scale in scales if dtype is np.float64 else [-40, -25, -19, 0, 15, 19, 37]:
        with np.errstate(under="ignore"):
            objects, new = (10.0**scale * X).astype(dtype), (10.0**scale * Z).astype(dtype)
        for kernel in (gm.Linear(), gm.Linear() + 1, gm.Polynomial(2, 1.0), gm.Gaussian("median")):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", category=UserWarning)  # ours
                try:
                    model = make(kernel).fit(objects, y)
                    found = [
                        getattr(model, method)(new)
                        for method in ("predict", "transform", "score_samples")
                        if hasattr(model, method)
                    ]
                except ValueError as error:
                    refusals.append((scale, str(error)))
                    continue
            assert all(np.isfinite(part).all() for part in found)
    for scale, message in refusals:
        assert scale != 0
        assert re.search("κ|φ|image|variance|scatter", message), "it says what is too large or too small"


@pytest.mark.parametrize("options", [{"ridge": "loo"}, {"ridge": "gcv"}, {"ridge": "loo", "rank": 5}])
@pytest.mark.parametrize("exponent", [-1000, -560, -400, 400, 540, 900])
def test_the_path_of_targets_whose_squares_floating_point_does_not_hold_is_that_in_a_unit(options, exponent, tmp_path):
    reference, c = ridge_regression(**options).fit(X, Y), 2.0**exponent
    model = ridge_regression(**options).fit(X, c * Y)
    gm.save(model, tmp_path / "m.gramian")
    for path in (model.path_, gm.load(tmp_path / "m.gramian").path_):
        for name in ("loo", "gcv"):
            root, expected = np.sqrt(getattr(path, name)), np.sqrt(getattr(reference.path_, name))
            np.testing.assert_allclose(root * (path.unit / c), expected, rtol=1e-6)
        assert (path.unit == 1) == (abs(exponent) == 400)


def test_the_path_of_huge_targets_can_be_drawn():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries that matplotlib loads, if it is loaded here
        pytest.importorskip("matplotlib").use("Agg")
        pytest.importorskip("matplotlib.pyplot")
    gm.plot.ridge_path(ridge_regression(ridge="loo").fit(X, 2.0**900 * Y))
