"""What a detector can never see: distances that no object can have, and rates that few objects cannot reach."""

import warnings

import numpy as np
import pytest

import gramian as gm

X = np.random.default_rng(0).normal(size=(80, 2))


@pytest.mark.parametrize("factor", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("kernel", [gm.Gaussian(1.0), gm.Laplacian(2.0), gm.Matern(1.0, nu=1.5)], ids=str)
def test_no_object_is_farther_from_the_centre_than_any_object_can_be(kernel, factor):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # for this few objects the bound may be out of reach
        model = gm.NoveltyDetector(factor * kernel, calibration="bound").fit(X)
    farthest = model._farthest()
    # Where κ ≥ 0 and κ(x, x) = R², the farthest images are those at right angles to all others.
    far = np.array([[1e6, 0.0], [0.0, -1e6]])
    np.testing.assert_allclose(-model.score_samples(far), farthest, rtol=1e-9)
    assert (-model.score_samples(X) < farthest).all()


@pytest.mark.parametrize("n", [12, 30])
def test_too_few_objects_for_a_rate_are_counted_right(n):
    with pytest.warns(UserWarning, match="this detector can never fire") as said:
        model = gm.NoveltyDetector(gm.Gaussian(1.0), calibration="conformal", alpha=0.01).fit(X[:n])
    m = len(model.distances_)
    text = str(said[0].message)
    assert f"with {m} objects set aside" in text
    assert f"can be 1/{m + 1} = {1 / (m + 1):.3g} or more, and alpha is 0.01" in text
    assert "at least 99 objects for calibration" in text


def test_a_bound_out_of_reach_is_told_when_the_first_question_is_asked_and_not_while_objects_come():
    model = gm.NoveltyDetector(gm.Gaussian(1.0), calibration="bound")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for start in range(0, 40, 20):
            model.partial_fit(X[start : start + 20])
    with pytest.warns(UserWarning, match="can never fire"):
        model.predict(X[:1])
