"""Targets: what is missing is refused, and batches treat them as an array does."""

import numpy as np
import pandas as pd
import pytest

import gramian as gm
from gramian.learn.lowrank import RidgeOfMoments
from gramian.space.moments import Moments

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = X[:, 0] + RNG.normal(size=60)
GAUSSIAN = gm.Gaussian(1.0)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, float("nan"), np.datetime64("NaT", "s")], ids=repr)
@pytest.mark.parametrize("make", [gm.KernelRidge, gm.FisherDiscriminant, gm.ParzenClassifier])
def test_whatever_stands_for_a_missing_target_is_refused_as_missing(make, missing):
    for values in ([0, 1] * 29, ["a", "b"] * 29):
        with pytest.raises(ValueError, match="y holds missing values"):
            make(GAUSSIAN).fit(X[:59], [*values, missing])


def test_targets_that_are_objects_are_numbers_in_batches_too():
    for targets in (Y.astype(object), np.round(Y).astype(int), (Y > 0)):
        whole = gm.KernelRidge(GAUSSIAN, 0.3, rank=20).fit(X, targets.astype(float))
        found = gm.KernelRidge(GAUSSIAN, 0.3, rank=20).fit(gm.Batches(X, target=targets, rows=25))
        np.testing.assert_allclose(found.predict(X), whole.predict(X), atol=1e-9 * np.abs(Y).max())


def test_words_are_no_targets_of_a_regression_in_batches_either():
    with pytest.raises(ValueError, match="could not convert"):
        gm.KernelRidge(GAUSSIAN, 0.3, rank=20).fit(gm.Batches(X, target=np.array(["a", "b"] * 30), rows=25))


def test_axes_that_tell_no_classes_apart_are_zero():
    # The means of three classes of numbers lie on a line, so that one axis tells all there is to tell.
    y = np.repeat([0, 1, 2], 20)
    model = gm.FisherDiscriminant(gm.Linear(), 0.1).fit(X[:, :1] + 3.0 * y[:, None], y)
    assert model.quotients_[1] <= 1e-12 * model.quotients_[0]
    seen = model.transform(X[:, :1])
    assert np.abs(seen[:, 0]).max() > 0
    assert np.abs(seen[:, 1]).max() <= 1e-12 * np.abs(seen[:, 0]).max()


@pytest.mark.parametrize("lam", [1e-3, 1.0])
def test_the_residual_of_weights_from_moments_is_the_true_one(lam):
    Phi = RNG.normal(size=(50, 4))
    moments = Moments(5)
    moments.add(np.column_stack([Phi, Phi @ [1.0, 2.0, 0.0, -1.0]]))
    of = RidgeOfMoments(moments, 4, False, "shrinkage", 50)
    W = of.weights(lam)
    assert of.residual(lam, W) <= 100 * np.finfo(float).eps * np.linalg.cond(of.A)
    off = W + 0.1
    expected = np.linalg.norm(of.A @ off + lam * off - of.B) / np.linalg.norm(of.B)
    assert of.residual(lam, off) == pytest.approx(expected)
