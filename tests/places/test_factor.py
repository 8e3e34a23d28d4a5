"""The Cholesky factor of the cores against NumPy's inverse."""

import numpy as np
import pytest

from gramian.places.cores.arrays import WIDTH, Cholesky


@pytest.mark.parametrize("n", [1, 2, 133, WIDTH - 1, WIDTH, WIDTH + 1, 2 * WIDTH + 37])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_diagonal_of_the_inverse_is_that_of_the_whole_inverse_and_the_factor_stays(n, dtype, order):
    points = np.random.default_rng(n).normal(size=(n, n))
    A = np.asarray(points @ points.T + n * np.eye(n), dtype=dtype, order=order)
    expected, b = np.diag(np.linalg.inv(A.astype(np.float64))), np.ones(n, dtype=dtype)
    tol = 64 * np.finfo(dtype).eps * np.linalg.cond(A.astype(np.float64))
    factor = Cholesky(A.copy(order="K"))
    before = factor.solve(b)
    np.testing.assert_allclose(factor.inverse_diagonal(), expected, rtol=tol)
    np.testing.assert_array_equal(factor.solve(b), before)
