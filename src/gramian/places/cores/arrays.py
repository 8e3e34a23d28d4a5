"""Arrays of NumPy, and dense linear algebra on them by LAPACK and BLAS."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, cast

import numpy as np
import scipy.linalg
from scipy.linalg import blas

from gramian.checks import Array, as_vectors
from gramian.runtime.threads import aside, cores, run

PART = 2**19  # numbers that are taken to double precision at a time
SOLVED_AT_ONCE = 1024  # rows that are solved for at a time, so that they stay in the cache
WIDTH = 256  # columns of an inverse that are solved for at a time


class Arrays:
    """NumPy's arrays are those of the host: nothing is copied on the way."""

    def exact(self) -> AbstractContextManager[None]:
        return nullcontext()

    def stripes(self, n: int, size: int) -> list[slice]:
        return [slice(start, min(start + size, n)) for start in range(0, n, max(size, 1))]

    def vectors(self, X: Any, name: str) -> Array:
        return np.asarray(as_vectors(X, name))

    def array(self, values: Any, dtype: Any = None) -> Array:
        return np.asarray(values, dtype)

    def host(self, A: Array) -> Array:
        return A

    def empty(self, shape: tuple[int, int], dtype: Any) -> Array:
        return np.empty(shape, dtype)

    def zeros(self, side: int) -> Array:
        return np.zeros((side, side), order="F")

    def compact(self, A: Array) -> Array:
        return np.ascontiguousarray(A)

    def cast(self, A: Array, dtype: Any) -> Array:
        return A.astype(dtype, copy=False)

    def dtype(self, A: Array) -> np.dtype[Any]:
        return A.dtype

    def beside(self, A: Array, V: Array) -> Array:
        return np.hstack([A, V])

    def times(self, A: Any, V: Array) -> Array:
        return np.asarray(A @ V)

    def squares(self, A: Array) -> tuple[Array, Array]:
        squares = np.square(A)
        return squares.sum(axis=0, dtype=np.float64), squares.sum(axis=1, dtype=np.float64)

    def lengths(self, A: Array) -> Array:
        return np.asarray(np.einsum("ij,ij->i", A, A))

    def mean(self, A: Array, weights: Array | None = None) -> Array:
        if weights is None:
            return np.asarray(A.mean(axis=0, dtype=np.float64))
        return np.asarray(np.average(A, axis=0, weights=weights), dtype=np.float64)

    def look_through(self, A: Array, d: Array, L: Array, R: Array) -> None:
        width = max(1, PART // max(1, len(A)))

        def work(lane: int, start: int) -> None:
            some = A[:, start : start + width].astype(np.float64)
            A[:, start : start + width] = d * some - L @ (R.T @ some)

        run(work, range(0, A.shape[1], width), cores(), in_turn=False)

    def moved(self, A: Array, mean: Array, weights: Array | None = None) -> Array:
        moved = np.asarray(A - mean.astype(A.dtype))
        if weights is not None:
            moved *= np.sqrt(weights).astype(A.dtype)[:, None]
        return moved

    def finite(self, A: Array) -> bool:
        return bool(np.isfinite(A.sum(dtype=np.float64)))

    def add_at(self, A: Array, i: Array, j: Array, value: float) -> None:
        A[i, j] += A.dtype.type(value)

    def syrk(self, rows: Array, lower: Array | None = None) -> Array:
        if lower is None:
            return np.asarray(rows.T @ rows)
        if rows.dtype == np.float64:
            return np.asarray(blas.dsyrk(1.0, rows.T, beta=1.0, c=lower, lower=1, overwrite_c=1))
        lower += blas.ssyrk(1.0, rows.T, lower=1)
        return lower

    def syr(self, factor: float, v: Array, lower: Array) -> Array:
        return np.asarray(blas.dsyr(factor, v, lower=1, a=lower, overwrite_a=1))

    def trsm(self, L: Array, B: Array) -> Array:
        return np.asarray(scipy.linalg.solve_triangular(L, B, lower=True, check_finite=False))

    def substitute(self, L: Array, rows: Array) -> Array:
        (solve,) = blas.get_blas_funcs(("trsm",), dtype=rows.dtype)
        triangle = L.astype(rows.dtype, order="F", copy=False)
        for start in range(0, len(rows), SOLVED_AT_ONCE):
            some = rows[start : start + SOLVED_AT_ONCE]
            some[...] = solve(1.0, triangle, some.T, lower=1, overwrite_b=1).T
        return rows

    def cholesky(self, A: Array) -> Cholesky:
        return Cholesky(A)

    def eigh(self, A: Array) -> tuple[Array, Array]:
        values, vectors = aside(lambda: np.linalg.eigh(A))
        return values, vectors

    def svd(self, A: Array) -> tuple[Array, Array, Array]:
        return cast(
            tuple[Array, Array, Array],
            aside(lambda: scipy.linalg.svd(A, full_matrices=False, check_finite=False)),
        )


class Cholesky:
    """A factor written over one triangle of A; with the diagonal put back the other one is A still."""

    def __init__(self, A: Array) -> None:
        self._diagonal = A.diagonal().copy()
        by_columns = A.T if A.flags.c_contiguous else A  # by rows it is what LAPACK reads by columns
        self._factor: tuple[Array, bool] = aside(
            lambda: scipy.linalg.cho_factor(by_columns, lower=True, overwrite_a=True, check_finite=False)
        )
        self._of_factor = self._factor[0].diagonal().copy()

    def solve(self, B: Array) -> Array:
        return np.asarray(scipy.linalg.cho_solve(self._factor, B, check_finite=False))

    def times(self, X: Array) -> Array:
        A = self._factor[0]
        np.fill_diagonal(A, self._diagonal)
        product = blas.dsymm(1.0, A, X, lower=False)
        np.fill_diagonal(A, self._of_factor)
        return np.asarray(product)

    def inverse_diagonal(self) -> Array:
        """Return the squared lengths of the columns of L⁻¹, some at a time, each solved for from its diagonal on.

        That is a third of the work of all columns in full, as trtri is, with which some builds of OpenBLAS crash.
        """
        L, n = self._factor[0], len(self._factor[0])
        (solve,) = blas.get_blas_funcs(("trsm",), (L,))

        def squares(start: int) -> Array:
            columns = np.eye(n - start, min(WIDTH, n - start), dtype=L.dtype, order="F")
            columns = solve(1.0, L[start:, start:], columns, lower=1, overwrite_b=1)
            return np.asarray(np.einsum("ij,ij->j", columns, columns, dtype=np.float64))

        return aside(lambda: np.concatenate([squares(start) for start in range(0, n, WIDTH)]))
