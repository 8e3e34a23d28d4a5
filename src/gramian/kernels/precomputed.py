"""A kernel given by its matrix: the objects are indices into it.

Because a subset of the samples is a subset of the indices, cross-validation and every learner work on it as on data.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.checks import Array, as_indices, as_matrix
from gramian.formula.encoded import Encoded
from gramian.gram.traits import Traits
from gramian.kernels.algebra import Kernel
from gramian.kernels.declared import ARRAY, Kept
from gramian.kernels.value import derived


class Precomputed(Kernel):
    """A given symmetric matrix, κ(i, j) = K[i, j]. Whether it is positive semidefinite is for `gm.is_psd` to say.

    Parameters
    ----------
    K : array of shape (n, n)
        Symmetric, with a non-negative diagonal. It is not copied.

    Raises
    ------
    ValueError
        If K is not square, not symmetric, or its diagonal is negative.

    See Also
    --------
    is_psd : whether a matrix is positive semidefinite
    GramRows : rows of K for support vector machines

    Notes
    -----
    Cost: O(n²) to check K once; values are looked up.

    Examples
    --------
    >>> import gramian as gm
    >>> k = gm.Precomputed([[2.0, 1.0], [1.0, 2.0]])
    >>> k([0, 1])
    array([[2., 1.],
           [1., 2.]])
    >>> k([1], [0])
    array([[1.]])
    """

    K: Any
    kept = Kept({"K": ARRAY})

    def __post_init__(self) -> None:
        self._settle(K=as_matrix(self.K, "K"))
        diagonal = np.diagonal(self.K)
        if diagonal.min() < 0:
            i = int(np.argmin(diagonal))
            raise ValueError(
                f"K[{i}, {i}] is {diagonal[i]:.6g}, but κ(x, x) = ‖φ(x)‖² cannot be negative: K is not a kernel matrix"
            )
        norms = np.sqrt(diagonal.astype(np.float64))
        slack = 1e3 * float(np.finfo(self.K.dtype).eps) * float(norms.max()) ** 2
        for i, row in enumerate(self.K):
            j = int(np.argmax(np.abs(row) - norms[i] * norms))
            if abs(row[j]) > norms[i] * norms[j] + slack:
                raise ValueError(
                    f"K[{i}, {j}] is {row[j]:.6g}, but |κ(x, z)| ≤ √(κ(x, x) κ(z, z)) = {norms[i] * norms[j]:.6g}: "
                    "K is not a kernel matrix; gm.is_psd(K) tells more"
                )

    @derived
    def traits(self) -> Traits:
        return Traits(radius=float(np.sqrt(np.diagonal(self.K).max())), non_negative=bool(self.K.min() >= 0))

    def __len__(self) -> int:
        return len(self.K)

    def encode(self, X: Any) -> Encoded:
        return Encoded((as_indices(X, len(self)),))

    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        (i,), (j,) = a, b
        out[...] = self.K[np.ix_(i, j)]

    def squared_norms(self, a: Encoded) -> Array:
        (i,) = a
        return np.asarray(self.K[i, i])
