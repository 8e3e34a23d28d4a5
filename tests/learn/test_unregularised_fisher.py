"""Fisher's discriminant without a ridge, (5.10): scikit-learn's where the quotient has a maximum, else refused."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import gramian as gm
from gramian.factor import solve as solve_module
from gramian.factor import spectrum as spectrum_module


def drawn(seed, sizes=(12, 9), d=4):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    return rng.normal(size=(len(y), d)) @ rng.normal(size=(d, d)) + rng.normal(size=(len(sizes), d))[y] + 3.0, y


def quotient(X, y, w):
    """J of (5.10), class by class from the projections themselves."""
    along = [X[y == c] @ w for c in np.unique(y)]
    pairs = sum((a.mean() - b.mean()) ** 2 for i, a in enumerate(along) for b in along[:i])
    return pairs / sum(a.var() for a in along)


def scatter(X, y):
    return sum(np.cov(X[y == c].T, bias=True) for c in np.unique(y))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**31), sizes=st.sampled_from([(12, 9), (30, 6), (8, 10, 12), (7, 7, 7, 7)]))
def test_the_direction_maximises_the_quotient_of_5_10(seed, sizes):
    X, y = drawn(seed, sizes)
    model = gm.FisherDiscriminant(gm.Linear(), ridge=0).fit(X, y)
    means = np.array([X[y == c].mean(axis=0) for c in np.unique(y)])
    between = len(sizes) * (means - means.mean(axis=0)).T @ (means - means.mean(axis=0))
    best = scipy.linalg.eigh(between, scatter(X, y), eigvals_only=True)[::-1]
    np.testing.assert_allclose(model.quotients_, best[: len(sizes) - 1], rtol=1e-7, atol=1e-9 * best[0])
    first = np.linalg.lstsq(X, model.axes_(X)[:, 0])[0]
    assert quotient(X, y, first) == pytest.approx(model.quotient_, rel=1e-7)
    assert model.ridge_ == 0


@pytest.mark.parametrize("sizes", [(12, 9), (30, 6), (8, 10, 12)])
def test_it_decides_as_the_linear_discriminant_with_equal_priors_does(sizes):
    count = len(sizes)
    for seed in range(5):
        X, y = drawn(seed, sizes)
        # Theirs pools the scatter by size, ours adds up the variances of the classes: the same for classes of one size.
        kept = np.concatenate([np.flatnonzero(y == c)[: min(sizes)] for c in range(count)])
        X, y = X[kept], y[kept]
        model = gm.FisherDiscriminant(gm.Linear(), ridge=0).fit(X, y)
        plain = LinearDiscriminantAnalysis(solver="eigen", priors=np.full(count, 1 / count)).fit(X, y)
        Z = np.random.default_rng(seed).normal(scale=3.0, size=(50, 4)) + 3.0
        np.testing.assert_array_equal(model.predict(Z), plain.predict(Z))


def test_objects_by_their_gram_features_and_moments_give_one_answer(monkeypatch):
    X, y = drawn(1, (20, 14, 9))
    Z = X[::3]
    features = gm.FisherDiscriminant(gm.Linear(), ridge=0).fit(X, y)
    dual = gm.FisherDiscriminant(gm.Precomputed(X @ X.T), ridge=0).fit(np.arange(len(X)), y)
    np.testing.assert_allclose(
        dual.decision_function(np.arange(0, len(X), 3)), features.decision_function(Z), atol=1e-8
    )
    with monkeypatch.context() as patch:
        patch.setattr(solve_module, "ROOM", 0)
        summed = gm.FisherDiscriminant(gm.Linear(), ridge=0).fit(X, y)
    assert "summed up" in summed.solver_
    np.testing.assert_allclose(summed.decision_function(Z), features.decision_function(Z), atol=1e-8)
    low = gm.FisherDiscriminant(gm.Linear(), ridge=0, rank=10).fit(X, y)
    np.testing.assert_allclose(low.decision_function(Z), features.decision_function(Z), atol=1e-7)
    for model in (features, summed):  # dual coefficients say the same as the weights
        by_objects = X @ X.T @ model.dual_coef_ - model.offset_
        np.testing.assert_allclose(by_objects, model.decision_function(X), atol=1e-7)


def test_leaving_out_is_refitting_without_a_ridge_too(monkeypatch):
    X, y = drawn(2, (9, 8, 10))
    model = gm.FisherDiscriminant(gm.Linear(), ridge=0).fit(X, y)
    monkeypatch.setattr(solve_module, "ROOM", 0)
    summed = gm.FisherDiscriminant(gm.Linear(), ridge=0).fit(X, y)
    np.testing.assert_allclose(summed.loo_decision_, model.loo_decision_, atol=1e-8)
    for i in range(len(X)):
        kept = np.arange(len(X)) != i
        one = gm.FisherDiscriminant(gm.Linear(), ridge=0).fit(X[kept], y[kept])
        np.testing.assert_allclose(model.loo_decision_[i], one.decision_function(X[[i]])[0], atol=1e-8)


def test_a_redundant_feature_does_no_harm():
    X, y = drawn(3)
    doubled = np.hstack([X, X[:, :2], np.full((len(X), 1), 7.0)])
    model = gm.FisherDiscriminant(gm.Linear(), ridge=0).fit(doubled, y)
    assert model.solver_ == "decomposition of the scatter within classes, rank 4"
    plain = gm.FisherDiscriminant(gm.Linear(), ridge=0).fit(X, y)
    assert model.quotient_ == pytest.approx(plain.quotient_, rel=1e-9)
    np.testing.assert_array_equal(model.predict(doubled), plain.predict(X))


UNBOUNDED = (
    "ridge is 0, and the quotient J has no maximum: the means of the classes differ along a direction in which no"
)


@pytest.mark.parametrize("kernel", [gm.Gaussian(0.5), gm.Laplacian(1.0), gm.Gaussian("median")], ids=repr)
def test_a_kernel_under_which_objects_are_independent_is_refused_with_the_reason(kernel):
    X, y = drawn(4)
    with pytest.raises(ValueError, match=UNBOUNDED):
        gm.FisherDiscriminant(kernel, ridge=0).fit(X, y)


@pytest.mark.parametrize("rank", [None, 12])
@pytest.mark.parametrize("scale", [1e-60, 1.0, 1e60])
def test_a_feature_that_is_the_class_itself_is_refused_at_every_scale(scale, rank):
    X, y = drawn(5)
    X = np.column_stack([X, y]) * scale
    with pytest.raises(ValueError, match=UNBOUNDED):
        gm.FisherDiscriminant(gm.Linear(), ridge=0, rank=rank).fit(X, y)
    X[0, -1] = 0.5 * scale  # the class varies a little
    assert np.isfinite(gm.FisherDiscriminant(gm.Linear(), ridge=0, rank=rank).fit(X, y).quotient_)


def test_more_features_than_objects_are_refused():
    X, y = drawn(6, (5, 5), d=20)
    with pytest.raises(ValueError, match=UNBOUNDED):
        gm.FisherDiscriminant(gm.Linear(), ridge=0).fit(X, y)


def test_an_object_without_which_there_is_no_maximum_has_no_leave_one_out_decision():
    X, y = drawn(7)
    X = np.column_stack([X, y])
    X[0, -1] = 0.5  # all that varies along this feature within a class
    model = gm.FisherDiscriminant(gm.Linear(), ridge=0).fit(X, y)
    with pytest.raises(ValueError, match="some object is the only one to vary along a direction"):
        _ = model.loo_error_


def test_a_gram_too_large_to_decompose_is_refused(monkeypatch):
    X, y = drawn(8, (40, 40), d=3)
    for module in (spectrum_module, solve_module):
        monkeypatch.setattr(module, "DENSE", 30)
    monkeypatch.setattr(spectrum_module, "LARGEST_RANK", 20)
    with pytest.raises(ValueError, match="ridge is 0, and K of 80 objects is too large to be decomposed"):
        gm.FisherDiscriminant(gm.Gaussian(0.3), ridge=0).fit(X, y)
