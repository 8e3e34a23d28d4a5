"""Comparisons in registers and tiles turned over, against the same in NumPy, at sizes that end within blocks."""

import numpy as np
import pytest
from numba import njit

from gramian.places.cores.registers import LINE, TURNED, lengths_of, products_of, room, squares_of, turned

RUN = 64


@njit
def squares(X, i, Z, q, S):
    squares_of(X, i, Z, q, S)


@njit
def products(X, i, Z, q, S):
    products_of(X, i, Z, q, S)


@njit
def lengths(X, i, Z, q, S):
    lengths_of(X, i, Z, q, S)


@njit
def turn(given, start, apart, out, first, between):
    turned(given, start, apart, out, first, between)


@njit
def roomy(rows, cols, like):
    return room(rows, cols, like)


EXPECTED = {
    squares: lambda X, Z: (X[:, :, None] - Z[None]) ** 2,
    products: lambda X, Z: X[:, :, None] * Z[None],
    lengths: lambda X, Z: np.abs(X[:, :, None] - Z[None]),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1, 3, 50])
@pytest.mark.parametrize("compared", EXPECTED, ids=lambda one: one.__name__)
def test_points_are_compared_as_numpy_compares_them(compared, width, dtype):
    rng = np.random.default_rng(width)
    X, Z = rng.normal(size=(24, width)).astype(dtype), rng.normal(size=(width, RUN)).astype(dtype)
    terms = EXPECTED[compared](X[8:24].astype(np.float64), Z.astype(np.float64))
    for q in (1, 31, 32, 33, RUN):
        S = np.full((16, RUN), np.nan, dtype)
        compared(X, 8, Z, q, S)
        errors = np.abs(S[:, :q] - terms.sum(axis=1)[:, :q])
        assert np.all(errors <= (width + 3) * np.finfo(dtype).eps * np.abs(terms).sum(axis=1)[:, :q])


def test_neither_what_is_infinite_nor_what_is_no_number_is_lost():
    X = np.zeros((8, 2))
    X[1, 0], X[2, 1], X[3, 0] = np.inf, np.nan, 1e200
    S = np.zeros((8, RUN))
    squares(X, 0, np.zeros((2, RUN)), RUN, S)
    assert np.all(S[0] == 0)
    assert np.all(S[[1, 3]] == np.inf)
    assert np.all(np.isnan(S[2]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_tile_is_turned_over_and_nothing_beside_it_is_written(dtype):
    given = np.arange(12 * 20, dtype=dtype).reshape(12, 20)
    out = np.full((15, 13), -1, dtype)
    turn(given.reshape(-1), 3 * 20 + 5, 20, out.reshape(-1), 2 * 13 + 4, 13)
    assert np.array_equal(out[2 : 2 + TURNED, 4 : 4 + TURNED], given[3 : 3 + TURNED, 5 : 5 + TURNED].T)
    assert np.count_nonzero(out != -1) == TURNED**2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_begin_where_lines_of_the_cache_do(dtype):
    for rows, cols in [(1, 512), (8, 528)]:
        values = roomy(rows, cols, np.empty(0, dtype))
        assert values.shape == (rows, cols)
        assert values.dtype == dtype
        assert not values.any()
        assert all(row.ctypes.data % LINE == 0 for row in values)
