"""Squared distances keep the digits that they promise, at every distance and in every branch."""

import tracemalloc

import numpy as np
import pytest

import gramian as gm
from gramian.places.cores import distances as module
from gramian.places.cores.distances import distance_accuracy, squared_distances

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


@pytest.mark.parametrize("exponent", [6, 12, 20, 100, 140])
@pytest.mark.parametrize("place", [0, 7])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_point_far_away_takes_no_digits_from_the_others(dtype, place, exponent):
    rng, eta = np.random.default_rng(3), distance_accuracy(np.dtype(dtype))
    for scale in (1.0, 1.3, 1e-3):
        A = rng.normal(size=(30, 3)).astype(dtype)
        A[place] *= dtype(10.0 ** (exponent if dtype is np.float64 else exponent / 20))
        true = exact(A, A, scale)
        assert (np.abs(distances(A, A, scale) - true) <= eta * true).all()


@pytest.mark.parametrize("far", [0.0, 1e3, 1e9])
@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_wide_points_taken_a_slab_of_columns_at_a_time_keep_their_digits(monkeypatch, far, smooth, dtype):
    monkeypatch.setattr(module, "SLAB", 3)
    monkeypatch.setattr(module, "IN_CACHE", 8)
    rng, eta = np.random.default_rng(5), distance_accuracy(np.dtype(dtype))
    A, B = (rng.normal(size=(m, 11)) + far for m in (40, 30))
    B[:5] = A[:5]
    A, B = A.astype(dtype), B.astype(dtype)
    true = -0.5 * exact(A, B, 2.0)
    allowed = eta * (np.maximum(np.abs(true), 1) if smooth else np.abs(true))
    assert (np.abs(distances(A, B, 2.0, -0.5, smooth) - true) <= allowed).all()


def test_infinitely_many_bandwidths_in_one_slab_are_infinitely_many_in_all(monkeypatch):
    monkeypatch.setattr(module, "SLAB", 2)
    A = np.array([[0.0, 0.0, 1e300], [1e300, 1.0, 1e300], [1.0, 2.0, 1e300]])
    np.testing.assert_array_equal(distances(A, A, 1e-10), [[0, np.inf, 5e20], [np.inf, 0, np.inf], [5e20, np.inf, 0]])


def test_entries_of_wide_points_that_are_mended_take_little_memory():
    X = np.random.default_rng(0).normal(size=(200, 20_000))
    Z = np.repeat(X[:10], 20, axis=0)
    out = np.empty((200, 200))
    tracemalloc.start()
    squared_distances(X, Z, 1.0, out, factor=1.0, smooth=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30e6  # 200 differences of 160 KB are 32 MB, and copies of both 64 MB
    np.testing.assert_array_equal(np.flatnonzero(out[0] == 0), np.arange(20))
