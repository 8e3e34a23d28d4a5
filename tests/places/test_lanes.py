"""Powers of two in compiled passes against those of a wider precision."""

import numpy as np
import pytest
from numba import njit

from gramian.places.cores.lanes import exp2_double, exp2_single, fall2_double, fall2_single


@njit
def singles(t, out):
    for i in range(len(t)):
        out[i] = exp2_single(t[i])


@njit
def doubles(t, out):
    for i in range(len(t)):
        out[i] = exp2_double(t[i])


@njit
def falling_singles(t, out):
    for i in range(len(t)):
        out[i] = fall2_single(t[i])


@njit
def falling_doubles(t, out):
    for i in range(len(t)):
        out[i] = fall2_double(t[i])


@pytest.mark.parametrize(
    ("powers", "dtype", "least", "most"), [(singles, "f4", -125, 128), (doubles, "f8", -1021, 1024)]
)
def test_powers_of_two_are_good_to_two_roundings(powers, dtype, least, most):
    for seed, (low, high) in enumerate([(-1, 1), (-30, 4), (least, most)]):
        t = np.random.default_rng(seed).uniform(low, high, 20_000).astype(dtype)
        t = t[t < most]
        found = np.empty_like(t)
        powers(t, found)
        whole = np.floor(t)
        exact = np.ldexp(np.exp(np.log(np.longdouble(2)) * (t - whole).astype(np.longdouble)), whole.astype(int))
        assert (np.abs(found - exact) <= 2 * np.finfo(dtype).eps * exact).all()


@pytest.mark.parametrize(
    ("powers", "dtype", "least", "most"), [(singles, "f4", -125, 128), (doubles, "f8", -1021, 1024)]
)
def test_powers_beyond_the_range_are_zero_and_infinite(powers, dtype, least, most):
    t = np.array([-np.inf, least - 1, most, np.inf], dtype)
    found = np.empty_like(t)
    powers(t, found)
    assert np.array_equal(found, np.array([0, 0, np.inf, np.inf], dtype))


@pytest.mark.parametrize(
    ("falling", "powers", "dtype"), [(falling_singles, singles, "f4"), (falling_doubles, doubles, "f8")]
)
def test_powers_that_are_known_to_fall_are_the_same_bits(falling, powers, dtype):
    t = np.concatenate([-np.random.default_rng(0).exponential(200, 20_000), [0.0, -0.0, -np.inf]]).astype(dtype)
    found, expected = np.empty_like(t), np.empty_like(t)
    falling(t, found)
    powers(t, expected)
    assert np.array_equal(found, expected)
