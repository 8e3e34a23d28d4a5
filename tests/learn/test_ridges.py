"""Grids of ridges, and the rounding errors that they must stay above."""

import numpy as np
import pytest

import gramian as gm
from gramian.learn.ridges import ridge_grid, rounding

X = np.random.default_rng(0).normal(size=(30, 2))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounding_errors_of_k_grow_with_the_root_of_the_objects(dtype):
    gram, eps = gm.Gaussian(1.0).gram(X.astype(dtype)), float(np.finfo(dtype).eps)
    assert rounding(gram, 0.0) == pytest.approx(eps)
    assert rounding(gram, 0.0, objects=1e4) == pytest.approx(100 * eps)
    assert rounding(gram, 500.0, objects=1e4) == pytest.approx(500 * eps)


def test_rounding_errors_of_explicit_features_are_those_of_the_largest_eigenvalue():
    eps = float(np.finfo(float).eps)
    assert rounding(gm.Linear().gram(X), 3.0, objects=1e4) == pytest.approx(3 * eps)


@pytest.mark.parametrize("largest", [1e-8, 1.0, 1e8])
def test_a_grid_spans_the_eigenvalues_and_stays_above_noise(largest):
    free = ridge_grid("loo", largest, 0.0)
    assert (np.diff(free) > 0).all()
    assert free[0] < 1e-6 * largest
    assert free[-1] >= largest
    np.testing.assert_allclose(free / largest, ridge_grid("loo", 1.0, 0.0))
    noise = 1e-5 * largest
    assert ridge_grid("loo", largest, noise)[0] == pytest.approx(64 * noise)
    assert ridge_grid("loo", largest, noise)[-1] == free[-1]
    assert ridge_grid("loo", largest, largest)[0] == pytest.approx(largest)


def test_the_grid_of_a_kernel_that_is_zero_is_that_of_one():
    np.testing.assert_array_equal(ridge_grid("gcv", 0.0, 0.0), ridge_grid("gcv", 1.0, 0.0))
