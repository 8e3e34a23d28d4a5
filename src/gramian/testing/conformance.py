"""Checks of a kernel and of a Gram, each a claim that can fail.

Kernels are *defined* by properties, so most of this needs no expected values: symmetry, positive semidefiniteness,
Cauchy–Schwarz, agreement between the diagonal, the tiles and single entries, indifference to the order of the objects
and to the size of the tiles. Tolerances are multiples of the rounding error at the scale of the values.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse.linalg import aslinearoperator

from gramian.checks import Array, is_sparse
from gramian.factor.psd import is_psd
from gramian.formula.encoded import Encoded
from gramian.gram.gram import Gram
from gramian.kernels.algebra import Kernel
from gramian.places.cores.tiles import COPIES


def check_kernel(kernel: Kernel, X: Any, *, rtol: float | None = None) -> None:
    """Check that a kernel keeps its contract on the objects X.

    Parameters
    ----------
    kernel : Kernel
    X : collection of at least two objects
        What the kernel is to be checked on. A handful is enough: every entry is computed on its own.
    rtol : float, optional
        Tolerance relative to the largest κ(x, x): 1e-5 in float32, 1e-8 in float64.

    Raises
    ------
    AssertionError
        Naming the property that does not hold, and where.

    See Also
    --------
    Kernel : the base class and its algebra
    is_psd : whether a matrix is positive semidefinite

    Notes
    -----
    Cost: O(n²) kernel values, each computed on its own as well, and O(n³) for the eigenvalues: meant for some dozen
    objects.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.testing.check_kernel(gm.Gaussian(1.0), [[0.0], [1.0], [3.0]])
    """
    before = _snapshot(X)
    kernel = kernel.fit(X)
    a = kernel.encode(X)
    _check(len(a) == (X.shape[0] if hasattr(X, "shape") else len(X)), kernel, "there is one encoding for each object")
    norms = kernel.squared_norms(a)
    _check(norms.dtype in (np.float32, np.float64), kernel, "squared_norms are float32 or float64")
    _check(np.isfinite(norms).all(), kernel, "every κ(x, x) is finite")
    kernel.squared_norms(a)[...] = np.nan
    _check(np.array_equal(kernel.squared_norms(a), norms), kernel, "squared_norms returns a new array")
    K = _block(kernel, a, a, norms.dtype)
    scale = float(np.abs(norms).max()) or 1.0
    atol = scale * _tolerance(rtol, norms.dtype)

    _check((norms >= -atol).all(), kernel, f"no κ(x, x) is below zero (the least is {norms.min():.3g})")
    _check(np.isfinite(K).all(), kernel, "every value is finite")
    _close(K, K.T, atol, kernel, "κ(x, z) = κ(z, x)")
    _close(np.diagonal(K), norms, atol, kernel, "squared_norms is the diagonal of block")
    _close(K, _entries(kernel, a, norms.dtype), atol, kernel, "every entry of a tile is its own 1 × 1 tile")
    bound = np.outer(np.sqrt(norms.astype(np.float64)), np.sqrt(norms.astype(np.float64)))
    _check((np.abs(K) <= bound + atol).all(), kernel, "Cauchy–Schwarz: κ(x, z)² ≤ κ(x, x) κ(z, z)")
    smallest = is_psd((K.astype(np.float64) + K.T) / 2).smallest
    _check(smallest >= -len(a) * atol, kernel, f"no negative eigenvalue (the smallest is {smallest:.3g})")
    order = np.random.default_rng(0).permutation(len(a))
    _close(
        _block(kernel, a[order], a, norms.dtype),
        K[order],
        atol,
        kernel,
        "the order of the objects is irrelevant",
    )
    for i, single in _singles(X, len(a)):
        row = _block(kernel, kernel.encode(single), a, norms.dtype)[0]
        _close(row, K[i], atol, kernel, "an object is encoded on its own")
    _close(kernel(X), K, atol, kernel, "k(X) is the block of all objects")
    _check_value(kernel)
    _check_features(kernel, a, K, atol)
    _check(_same(before, _snapshot(X)), kernel, "the input is left alone")


def check_gram(gram: Gram, *, rtol: float | None = None) -> None:
    """Check that a Gram agrees with its own dense matrix in every operation and for every size of tile.

    Parameters
    ----------
    gram : Gram
        A Gram of a handful of objects, symmetric or between two samples.
    rtol : float, optional
        Tolerance relative to the largest magnitude of κ: 1e-5 in float32, 1e-8 in float64.

    Raises
    ------
    AssertionError
        Naming the property that does not hold.

    See Also
    --------
    Gram : the Gram matrix as an operator

    Notes
    -----
    Cost: O(n² d) for n vectors, several times over: meant for some dozen objects.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.testing.check_gram(gm.Gaussian(1.0).gram([[0.0], [1.0], [3.0]]))
    """
    K = gram.dense()
    n, m = K.shape
    scale = float(np.abs(K).max()) or 1.0
    atol = scale * _tolerance(rtol, K.dtype)
    rng = np.random.default_rng(0)
    V = rng.standard_normal((m, 3)).astype(K.dtype)

    _check(gram.shape == K.shape and gram.dtype == K.dtype, gram, "shape and dtype are those of dense()")
    _close(gram @ V, K @ V, atol * m, gram, "gram @ V = K V")
    _close(gram @ V[:, 0], K @ V[:, 0], atol * m, gram, "gram @ v = K v")
    _close(
        gram.T @ V[:n] if n == m else (V.T @ gram.T).T,
        (K.T @ V[:n] if n == m else K @ V),
        atol * m,
        gram,
        "Kᵀ V",
    )
    _close(aslinearoperator(gram).matmat(V), K @ V, atol * m, gram, "it serves as a SciPy LinearOperator")
    _close(gram.row_means(), K.mean(axis=1), atol, gram, "row_means")
    _close(gram.mean(), K.mean(), atol, gram, "mean")
    rows, cols = rng.choice(n, min(3, n), replace=False), rng.choice(m, min(2, m), replace=False)
    _close(gram.block(rows, cols), K[np.ix_(rows, cols)], atol, gram, "block")
    _close(gram.columns(cols), K[:, cols], atol, gram, "columns")
    _close(gram.take(rows).dense(), K[np.ix_(rows, rows)] if gram.symmetric else K[rows], atol, gram, "take")
    tiles = 1 + gram.kernel.prepared(gram.place).scratch
    for side in (32, 33, 100):
        memory = K.dtype.itemsize * side * (tiles * side + 2 * COPIES * gram.rows.width)
        cut = Gram(
            gram.kernel,
            gram.rows,
            None if gram.symmetric else gram.cols,
            memory=memory,
            diagonal=gram.diagonal,
        )
        _close(cut.dense(), K, atol, gram, f"dense() in tiles of side {side}")
        _close(cut @ V, K @ V, atol * m, gram, f"gram @ V in tiles of side {side}")
    if gram.symmetric:
        _check_symmetric(gram, K, atol)


def _check_symmetric(gram: Gram, K: Array, atol: float) -> None:
    n = len(K)
    _check(np.array_equal(K, K.T), gram, "dense() is exactly symmetric")
    _close(gram.diag(), np.diagonal(K), atol, gram, "diag")
    _close(gram.ridge(2.0).dense(), K + 2 * np.eye(n), atol, gram, "ridge adds λ to the diagonal")
    if gram.diagonal:
        return
    H = np.eye(n) - 1 / n
    _close(gram.center().dense(), H @ K @ H, 4 * atol, gram, "center is (I − 11ᵀ/n) K (I − 11ᵀ/n)")
    _close((gram + 0.5).dense(), K + 0.5, atol, gram, "gram + c adds c to every entry")
    if (gram.diag() > 0).all():
        D = 1 / np.sqrt(gram.diag())
        _close(
            gram.normalize().dense(), D[:, None] * K * D, 100 * _tolerance(None, K.dtype), gram, "normalize is D K D"
        )


def _check_value(kernel: Kernel) -> None:
    _check(kernel.with_params() == kernel, kernel, "a kernel equals one made of the same parameters")
    _check(hash(kernel.with_params()) == hash(kernel), kernel, "equal kernels have equal hashes")
    _check(
        type(kernel)(**kernel.get_params(deep=False)) == kernel,
        kernel,
        "get_params gives the constructor's arguments",
    )
    _check(bool(repr(kernel)), kernel, "it prints")
    try:
        copy = pickle.loads(pickle.dumps(kernel))
    except (pickle.PicklingError, AttributeError, TypeError):
        return  # a parameter, such as a local function, cannot be pickled, and that is not the kernel's fault
    _check(copy == kernel, kernel, "it survives pickling")


def _check_features(kernel: Kernel, a: Encoded, K: Array, atol: float) -> None:
    dim = kernel.feature_dim(a)
    if dim is None:
        return
    features = kernel.phi(a)
    _check(features.shape == (len(a), dim), kernel, f"phi has feature_dim = {dim} columns")
    product = features @ features.T
    _close(product.toarray() if is_sparse(product) else product, K, atol, kernel, "Φ Φᵀ = K")


def _block(kernel: Kernel, a: Encoded, b: Encoded, dtype: Any) -> Array:
    out = np.full((len(a), 2 * len(b)), np.nan, dtype)[:, : len(b)]  # strided, as a slice of a larger answer is
    kernel.block(a, b, out)
    return out


def _entries(kernel: Kernel, a: Encoded, dtype: Any) -> Array:
    singles = [a[i : i + 1] for i in range(len(a))]
    return np.array([[_block(kernel, x, z, dtype)[0, 0] for z in singles] for x in singles])


def _singles(X: Any, n: int) -> Iterator[tuple[int, Any]]:
    """Yield a few objects as collections of one, where X can be sliced."""
    for i in {0, n // 2, n - 1}:
        if hasattr(X, "iloc"):
            yield i, X.iloc[i : i + 1]
        elif hasattr(X, "__getitem__"):
            yield i, X[i : i + 1]


def _tolerance(rtol: float | None, dtype: Any) -> float:
    if rtol is not None:
        return rtol
    return 1e-5 if dtype.itemsize == 4 else 1e-8


def _snapshot(X: Any) -> Any:
    return X.copy() if isinstance(X, np.ndarray) or is_sparse(X) else pickle.dumps(X)


def _same(before: Any, after: Any) -> bool:
    if is_sparse(before):
        return bool((before != after).nnz == 0)
    return np.array_equal(before, after) if isinstance(before, np.ndarray) else bool(before == after)


def _check(holds: Any, subject: Any, claim: str) -> None:
    if not holds:
        raise AssertionError(f"{subject!r}: does not hold: {claim}")


def _close(found: Any, expected: Any, atol: float, subject: Any, claim: str) -> None:
    found, expected = np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    _check(found.shape == expected.shape, subject, f"{claim} (shapes {found.shape} and {expected.shape})")
    gap = np.abs(found - expected)
    if not (gap <= atol).all():
        where = tuple(int(i) for i in np.argwhere(~(gap <= atol))[0])
        raise AssertionError(
            f"{subject!r}: does not hold: {claim}; off by {gap[where]:.3g} at {where}, tolerance {atol:.3g}"
        )
