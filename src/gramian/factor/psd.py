"""Is this a kernel matrix? The certificate (seed 003, section 5.1: aᵀKa ≥ 0 for every a).

K is positive semidefinite if and only if its smallest eigenvalue is not negative; otherwise the eigenvector is a
vector a with aᵀKa < 0 that anybody can check.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian.checks import Array, as_matrix
from gramian.factor.krylov import BLOCKS, leading
from gramian.factor.machine import DENSE
from gramian.gram.gram import Gram, as_symmetric
from gramian.gram.there import answered
from gramian.places import CORES

STEPS = 4 * BLOCKS  # block products spent on the smallest eigenvalue of a large Gram


@dataclass(frozen=True, eq=False)
class PsdCertificate:
    """The answer of `is_psd`; true in a condition if K is positive semidefinite.

    Attributes
    ----------
    psd : bool
        Whether the smallest eigenvalue is at least −tolerance.
    smallest : float
        The smallest eigenvalue.
    tolerance : float
        What rounding alone can make of a zero eigenvalue: 4 n ε λ_max, and for a Gram also n times the error that its
        kernel allows in an entry (`Kernel.accuracy`).
    witness : array of shape (n,) or None
        A unit vector a with aᵀKa = `smallest` < 0, if K is not positive semidefinite.

    See Also
    --------
    is_psd : whether a matrix is positive semidefinite
    Precomputed : a matrix that you have

    Notes
    -----
    Cost: memory for three numbers, and n more if there is a witness.

    Examples
    --------
    >>> import gramian as gm
    >>> K = [[0.0, 1.0], [1.0, 0.0]]
    >>> a = gm.is_psd(K).witness
    >>> round(float(a @ K @ a), 6)
    -1.0
    """

    psd: bool
    smallest: float
    tolerance: float
    witness: Array | None

    def __bool__(self) -> bool:
        return self.psd

    def __repr__(self) -> str:
        verdict = "positive semidefinite" if self.psd else "not positive semidefinite"
        return f"PsdCertificate({verdict}, smallest eigenvalue {self.smallest:.6g}, tolerance {self.tolerance:.2g})"


def is_psd(K: Any) -> PsdCertificate:
    """Tell whether a symmetric matrix or Gram is positive semidefinite, with a certificate.

    A matrix is positive semidefinite if aᵀKa ≥ 0 for every vector a. All Gram matrices of kernels are, and a
    similarity without this property is no kernel.

    A matrix, and a Gram up to n = 3000, by a dense decomposition in O(n³). A larger Gram matrix-free: `smallest` is
    then the lowest value of aᵀKa/aᵀa that a block Lanczos iteration found. A negative answer is a proof, with its
    witness; a positive one says that no negative direction showed within the products spent.

    Parameters
    ----------
    K : array of shape (n, n), or Gram
        A symmetric matrix.

    Returns
    -------
    PsdCertificate
        True in a condition if K is positive semidefinite; with the smallest eigenvalue, and a witness if it is not.

    Raises
    ------
    ValueError
        If K is not square and symmetric.

    See Also
    --------
    PsdCertificate : what `is_psd` answers
    Precomputed : a matrix that you have
    eigen : leading eigenpairs of K

    Examples
    --------
    >>> import gramian as gm
    >>> gm.is_psd([[1.0, 2.0], [2.0, 1.0]])
    PsdCertificate(not positive semidefinite, smallest eigenvalue -1, tolerance 5.3e-15)
    >>> bool(gm.is_psd(gm.Gaussian().gram([[0.0], [1.0]])))
    True
    """
    if isinstance(K, Gram) and as_symmetric(K, "is_psd") is not K:
        return answered(is_psd, K)
    matrix: Any = K if isinstance(K, Gram) else as_matrix(K, "K")
    if isinstance(K, Gram) and len(K) > DENSE:
        smallest, witness, largest = _extremes(K)
    else:
        place, A = (K.place, K.matrix()) if isinstance(K, Gram) else (CORES, matrix)
        values, vectors = place.eigh(place.cast(A, np.float64))
        smallest, witness = float(values[0]), place.host(vectors[:, :1])[:, 0]
        largest = float(np.abs(values).max())
    tolerance = 4 * len(matrix) * float(np.finfo(matrix.dtype).eps) * largest
    if isinstance(K, Gram):
        tolerance += len(K) * K.kernel.accuracy(K.dtype) * K.scale()
    psd = smallest >= -tolerance
    return PsdCertificate(psd, smallest, tolerance, None if psd else witness)


def _extremes(gram: Gram) -> tuple[float, Array, float]:
    largest = leading(gram.apply, len(gram), 1, tol=1e-3, most=8, place=gram.place).values[0]
    lowest = leading(lambda V: -gram.apply(V), len(gram), 1, tol=1e-6, most=STEPS, place=gram.place)
    smallest = -float(lowest.values[0])
    return smallest, lowest.vectors[:, 0], max(float(largest), abs(smallest))
