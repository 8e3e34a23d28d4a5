"""Squared distances keep the digits that they promise, at every distance and in every branch."""

import numpy as np
import pytest

import gramian as gm
from gramian.kernels.distances import distance_accuracy, squared_distances

DTYPES = [np.float32, np.float64]


def pairs(rng, m, share, dtype):
    """Return m points in the unit ball, and a partner for each.

    `share` is the size of the squared distance to it, in units of ε/η (‖a‖² + ‖b‖²): where an expansion wrong by one
    rounding has no more right digits than η asks for.
    """
    unit = np.finfo(dtype).eps / distance_accuracy(np.dtype(dtype)) * 2
    A = rng.normal(size=(m, 3))
    A /= np.linalg.norm(A, axis=1).max()
    way = rng.normal(size=(m, 3))
    way *= np.sqrt(share * unit / 3 / np.square(way).mean(axis=1))[:, None]
    return A.astype(dtype), (A + way).astype(dtype)


def distances(A, B, scale=1.0, factor=1.0, smooth=False):
    out = np.empty((len(A), len(B)), A.dtype)
    squared_distances(A, B, scale, out, factor=factor, smooth=smooth)
    return out.astype(np.float64)


def exact(A, B, scale=1.0):
    # A difference of two numbers is rounded once, whatever they are: each square is right to a few ε.
    gap = (A[:, None].astype(np.float64) - B[None]) / scale
    return np.square(gap).sum(axis=2)


# Single entries of a large tile are mended, or those of a small one; with more than a twentieth, the whole tile.
@pytest.mark.parametrize("m", [60, 7, 12])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_squared_distance_is_right_to_eta(m, dtype):
    rng, eta = np.random.default_rng(0), distance_accuracy(np.dtype(dtype))
    for _ in range(1200 // m):
        A, B = pairs(rng, m, 10.0 ** rng.uniform(-2, 2, m), dtype)
        true = exact(A, B)
        assert (np.abs(distances(A, B) - true) <= eta * true).all()


@pytest.mark.parametrize("factor", [1.0, -0.5, 4.0])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_factor_multiplies_entries_that_are_mended_and_those_that_are_not(factor, dtype):
    rng, eta = np.random.default_rng(1), distance_accuracy(np.dtype(dtype))
    for m in (60, 12):
        A, B = pairs(rng, m, 10.0 ** rng.uniform(-2, 2, m), dtype)
        true = factor * exact(A, B)
        assert (np.abs(distances(A, B, factor=factor) - true) <= eta * np.abs(true)).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_smooth_profile_gets_an_absolute_error_below_eta_at_every_scale(dtype):
    rng, eta = np.random.default_rng(2), distance_accuracy(np.dtype(dtype))
    for units in 10.0 ** rng.uniform(-1, 2, 60):  # one rounding of the expansion, in units of η
        A, B = pairs(rng, 60, 10.0 ** rng.uniform(-2, 0, 60), dtype)
        scale = float(np.sqrt(2 * np.finfo(dtype).eps / (units * eta)))
        true = exact(A, B, scale)
        assert (np.abs(distances(A, B, scale, smooth=True) - true) <= eta * np.maximum(true, 1)).all()


@pytest.mark.parametrize("far", [1e8, 1e150, 1e300])
@pytest.mark.parametrize("place", [0, 3, 5])
def test_one_point_far_away_costs_the_others_no_digits(far, place):
    X = np.random.default_rng(0).normal(size=(6, 2))
    others = np.delete(np.arange(6), place)
    expected = gm.Gaussian(1.0)(X[others])
    X[place] = far
    K = gm.Gaussian(1.0)(X)
    np.testing.assert_allclose(K[np.ix_(others, others)], expected, rtol=1e-9)
    np.testing.assert_array_equal(K[place, others], 0)
