"""Kernels of the inner product xᵀz: linear, polynomial, bilinear.

A dot-product kernel is one expression in xᵀz. All of them take sparse input as it is.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import gammaln

from gramian.checks import Array, as_matrix, as_vectors, is_sparse, non_negative, whole
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Dot, Formula
from gramian.gram.traits import Traits
from gramian.kernels import monomials
from gramian.kernels.algebra import Kernel
from gramian.kernels.declared import ARRAY, INTEGER, NUMBER, Kept, Word
from gramian.kernels.value import derived
from gramian.places import vectors

LONGEST_MONOMIAL = 1000  # factors that are multiplied one by one


class DotProduct(Kernel):
    """A kernel of xᵀz."""

    traits = Traits(on_vectors=True)

    def encode(self, X: Any) -> Encoded:
        return Encoded((vectors(X, sparse=True),))

    @property
    @abstractmethod
    def formula(self) -> Formula:
        """κ as an expression in xᵀz."""


class Linear(DotProduct):
    """The linear kernel, κ(x, z) = xᵀz; φ is the identity.

    With it a learner is the ordinary linear one.

    See Also
    --------
    Polynomial : (xᵀz + c)^q
    Bilinear : inner products weighted by a matrix
    Standardize : columns with mean 0 and deviation 1

    Notes
    -----
    Cost: O(n m d) operations for a tile of n × m values; d features.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.Linear()([[5.9, 3.0]], [[6.9, 3.1]]).round(2)
    array([[50.01]])
    """

    word = Word(
        "vectors",
        "κ(x, z) = xᵀz",
        "The inner product itself.",
        "linear + 1",
    )
    kept = Kept()

    @property
    def formula(self) -> Formula:
        return Dot()

    def feature_dim(self, a: Encoded) -> int | None:
        return int(a.parts[0].shape[1])

    def phi(self, a: Encoded) -> Any:
        return a.parts[0]

    def feature_names(self, inputs: Sequence[str]) -> list[str]:
        return list(inputs)


class Polynomial(DotProduct):
    """The polynomial kernel, κ(x, z) = (xᵀz + c)^q (seed 003, (5.8) and (5.9)).

    Parameters
    ----------
    degree : int
        q ≥ 1.
    offset : float
        c ≥ 0. With ``offset=0`` the kernel is homogeneous: its features are the monomials of degree q exactly, C(d +
        q − 1, q) of them; otherwise those of degree at most q, C(d + q, q) of them. scikit-learn's `coef0`, with
        ``gamma=1``.

    Raises
    ------
    ValueError
        If `degree` is below 1, or `offset` is negative.
    TypeError
        If `degree` is no whole number.

    See Also
    --------
    Linear : xᵀz
    AllSubsets : products of all subsets of the coordinates
    Anova : products of all subsets of one size

    Notes
    -----
    Cost: O(n m d) operations for a tile of n × m values.

    Examples
    --------
    >>> import gramian as gm
    >>> k = gm.Polynomial(degree=2, offset=1.0)
    >>> k([[5.9, 3.0]], [[6.9, 3.1]]).round(2)
    array([[2602.02]])
    >>> k.feature_names(["a", "b"])
    ['1', 'a', 'b', 'a^2', 'a b', 'b^2']
    >>> k.features([[5.9, 3.0]]).round(2)
    array([[ 1.  ,  8.34,  4.24, 34.81, 25.03,  9.  ]])
    """

    degree: int = 2
    offset: float = 1.0
    word = Word(
        "vectors",
        "κ(x, z) = (xᵀz + c)^q",
        "All products of up to q coordinates; q is the degree, c the offset.",
        "polynomial(degree=3, offset=1)",
    )
    kept = Kept({"degree": INTEGER, "offset": NUMBER})

    def __post_init__(self) -> None:
        whole(self.degree, "degree")
        non_negative(self.offset, "offset")

    @property
    def formula(self) -> Formula:
        return (Dot() + float(self.offset)) ** int(self.degree)

    @derived
    def traits(self) -> Traits:  # type: ignore[override]
        return Traits(on_vectors=True, non_negative=self.degree % 2 == 0)

    def dimension(self, d: int) -> int:
        """Return the dimension of the feature space for vectors of d coordinates.

        >>> Polynomial(degree=2, offset=1.0).dimension(2), Polynomial(degree=2, offset=0.0).dimension(2)
        (6, 3)
        """
        return monomials.dimension(d, int(self.degree), self.offset > 0)

    def feature_dim(self, a: Encoded) -> int | None:
        (A,) = a
        return self.dimension(A.shape[1]) if self.degree <= LONGEST_MONOMIAL else None

    def phi(self, a: Encoded) -> Any:
        (A,) = a
        X = A.toarray() if is_sparse(A) else A
        chosen = self._choices(X.shape[1])
        logarithm = gammaln(self.degree + 1) - monomials.log_factorials(chosen, X.shape[1], constant=True)
        weight = np.exp(logarithm / 2)
        return monomials.evaluate(X, chosen, float(np.sqrt(self.offset))) * weight.astype(X.dtype)

    def feature_names(self, inputs: Sequence[str]) -> list[str]:
        return monomials.names(inputs, self._choices(len(inputs)))

    def _choices(self, d: int) -> Array:
        return monomials.choices(d, int(self.degree), self.offset > 0)


class Bilinear(DotProduct):
    """The bilinear kernel, κ(x, z) = xᵀAz for a symmetric A ⪰ 0; φ(x) = A^(1/2) x.

    Parameters
    ----------
    A : array of shape (d, d)
        Symmetric and positive semidefinite, which is checked.

    Raises
    ------
    ValueError
        If A is not square, not symmetric or not positive semidefinite.

    See Also
    --------
    Linear : xᵀz
    Standardize : columns with mean 0 and deviation 1
    is_psd : whether a matrix is positive semidefinite

    Notes
    -----
    Cost: O(d³) once, O(n d²) for n objects and O(n m d) for a tile of n × m values.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.Bilinear([[2.0, 1.0], [1.0, 2.0]])([[1.0, 0.0]], [[0.0, 1.0]])
    array([[1.]])
    """

    A: Any
    kept = Kept({"A": ARRAY}, {"_root": ARRAY})

    def __post_init__(self) -> None:
        A = as_matrix(self.A, "A").copy()
        A.flags.writeable = False
        self._settle(A=A)
        self._root  # noqa: B018 - computed here so that an invalid A is refused where it is given

    @cached_property
    def _root(self) -> Array:
        """F with F Fᵀ = A, one column for each positive eigenvalue."""
        A = self.A.astype(np.float64)
        values, vectors = np.linalg.eigh((A + A.T) / 2)
        tolerance = len(A) * np.finfo(self.A.dtype).eps * max(abs(values[0]), abs(values[-1]))
        if values[0] < -tolerance:
            raise ValueError(
                f"A is not positive semidefinite: its smallest eigenvalue is {values[0]:.6g}, so xᵀAz is not a kernel; "
                "drop the negative part of its spectrum if it is only noise"
            )
        kept = values > tolerance
        return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))

    def encode(self, X: Any) -> Encoded:
        vectors = as_vectors(X, sparse=True)
        if vectors.shape[1] != len(self._root):
            raise ValueError(f"X has {vectors.shape[1]} features and A is {len(self._root)} × {len(self._root)}")
        return Encoded((np.asarray(vectors @ self._root.astype(vectors.dtype)),))

    @property
    def formula(self) -> Formula:
        return Dot()

    def feature_dim(self, a: Encoded) -> int | None:
        return int(self._root.shape[1])

    def phi(self, a: Encoded) -> Any:
        return a.parts[0]
