"""Inner products of rows that may be sparse."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.checks import Array, is_sparse


def inner_products(A: Any, B: Any) -> Array:
    """Return A Bᵀ as an array, A or B or both sparse.

    >>> import scipy.sparse
    >>> inner_products(scipy.sparse.csr_array([[1.0, 0.0], [0.0, 2.0]]), np.array([[3.0, 4.0]]))
    array([[3.],
           [8.]])
    """
    product = A @ B.T
    return np.asarray(product.toarray() if is_sparse(product) else product)


def squared_lengths(A: Any) -> Array:
    """Return the squared norm of each row.

    >>> squared_lengths(np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([25.,  1.])
    """
    squares = A.multiply(A).sum(axis=1) if is_sparse(A) else np.einsum("ij,ij->i", A, A)
    return np.asarray(squares).reshape(-1)
