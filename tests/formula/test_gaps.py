"""Distances in feature space keep their digits where objects are near each other."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramian as gm
from gramian.formula.gaps import gap

X = np.random.default_rng(0).normal(size=(12, 3))
KNOWN = [
    gm.Gaussian(bandwidth=0.7),
    gm.Laplacian(bandwidth=2.0),
    gm.Matern(bandwidth=1.5, nu=0.5),
    gm.Linear(),
    2 * gm.Gaussian() + 0.5 * gm.Linear() + 3,
    gm.Gaussian(bandwidth=0.5) * gm.Laplacian() * gm.Gaussian(bandwidth=4.0),
]
UNKNOWN = [gm.Matern(nu=1.5), gm.Polynomial(), gm.Linear().exp(), gm.Gaussian() * gm.Linear(), gm.Gaussian().center(X)]


def plainly(kernel):
    norms = kernel.diag(X)
    return norms[:, None] + norms - 2 * kernel(X)


@pytest.mark.parametrize("kernel", KNOWN + UNKNOWN, ids=repr)
def test_squared_distances_are_those_of_the_definition(kernel):
    found = kernel.gram(X).squared_distances()
    allowed = 1e-9 * kernel.diag(X).max()
    assert np.abs(found - plainly(kernel)).max() <= allowed
    assert np.array_equal(np.diagonal(found), np.zeros(len(X)))
    rectangular = kernel.gram(X, X[:5].copy()).squared_distances()
    assert np.abs(rectangular - plainly(kernel)[:, :5]).max() <= allowed


def test_what_can_be_written_without_a_difference_is():
    assert all(gap(k.formula) is not None for k in KNOWN)
    assert all(gap(k.formula) is None for k in UNKNOWN)


@given(st.floats(1e-150, 1e-3), st.floats(0.1, 10))
def test_near_points_of_a_gaussian_are_as_far_apart_as_they_are_over_the_bandwidth(apart, sigma):
    phi = gm.FeatureSpace(gm.Gaussian(bandwidth=sigma))
    found = phi([[0.0, 0.0]]).distances(phi([[apart, 0.0]]))[0, 0]
    exact = math.sqrt(-2 * math.expm1(-((apart / sigma) ** 2) / 2))
    assert abs(found - exact) <= 1e-8 * exact


@given(st.floats(1e-12, 1e-3), st.floats(-1e3, 1e3))
def test_near_points_far_from_the_origin_keep_the_digits_that_their_difference_has(apart, far):
    phi = gm.FeatureSpace(gm.Laplacian() + gm.Linear())
    a, b = np.array([[far]]), np.array([[far + apart]])
    gap_of_x = abs(float(b[0, 0]) - far)
    found = phi(a).distances(phi(b))[0, 0]
    exact = math.sqrt(-2 * math.expm1(-gap_of_x) + gap_of_x**2)
    assert abs(found - exact) <= 1e-8 * exact
