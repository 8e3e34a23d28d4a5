"""Kernels over subsets of the coordinates: all of them, or those of one size (seed 004).

The features are the products ∏_{j ∈ A} xⱼ over subsets A of the coordinates, 2^d or C(d, degree) of them; κ is computed
without listing them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np

from gramian.checks import Array, as_array, as_vectors, non_negative, whole
from gramian.formula.encoded import Encoded
from gramian.gram.traits import Traits
from gramian.kernels.algebra import Kernel
from gramian.kernels.declared import INTEGER, NONE, Kept, Word
from gramian.kernels.monomials import check_dimension
from gramian.places import on_host


def _subset_products(X: Array, subsets: Sequence[tuple[int, ...]]) -> Array:
    return np.column_stack([X[:, list(A)].prod(axis=1) for A in subsets]).astype(X.dtype)


def _subset_names(inputs: Sequence[str], subsets: Sequence[tuple[int, ...]]) -> list[str]:
    return [" ".join(inputs[j] for j in A) or "1" for A in subsets]


class AllSubsets(Kernel):
    """The all-subsets kernel, κ(x, z) = ∏ᵢ (1 + aᵢ xᵢ zᵢ), aᵢ ≥ 0.

    Parameters
    ----------
    weights : sequence of float, optional
        One aᵢ for each coordinate; all 1 by default.

    Raises
    ------
    ValueError
        If a weight is negative, or there is not one for each coordinate.

    See Also
    --------
    Anova : products of all subsets of one size
    Polynomial : (xᵀz + c)^q

    Notes
    -----
    Cost: O(n m d) for a tile of n × m values; there are 2^d features.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.AllSubsets()([[1.0, 2.0]], [[3.0, 4.0]])  # (1 + 3) (1 + 8)
    array([[36.]])
    >>> gm.AllSubsets().feature_names(["a", "b"])
    ['1', 'a', 'b', 'a b']
    """

    weights: Any = None
    traits = Traits(on_vectors=True)
    word = Word(
        "vectors",
        "κ(x, z) = ∏ᵢ (1 + aᵢxᵢzᵢ)",
        "Products over all sets of coordinates; the weights are the aᵢ, all 1 by default.",
        "all_subsets(weights=[1, 0.5])",
    )
    kept = Kept({"weights": (tuple, NONE)})

    def __post_init__(self) -> None:
        if self.weights is None:
            return
        weights = as_array(self.weights, "weights")
        if weights.ndim != 1:
            raise ValueError(f"weights have shape {weights.shape}; one number for each feature expected")
        self._settle(weights=tuple(non_negative(a, f"weights[{i}]") for i, a in enumerate(weights.tolist())))

    def encode(self, X: Any) -> Encoded:
        """Scale coordinate i by √aᵢ."""
        A = as_vectors(X)
        if self.weights is None:
            return Encoded((A,))
        root = np.sqrt(np.asarray(self.weights, dtype=A.dtype))
        if root.shape != (A.shape[1],):
            raise ValueError(f"there are {root.size} weights for {A.shape[1]} features; one for each expected")
        return Encoded((A * root,))

    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        (A,), (B,) = a, b
        out[...] = 1
        factor = np.empty_like(out)
        for x, z in zip(A.T, B.T, strict=True):
            np.multiply.outer(x, z, out=factor)
            factor += 1
            out *= factor

    def squared_norms(self, a: Encoded) -> Array:
        (A,) = on_host(a)
        return np.asarray(np.prod(1 + A * A, axis=1))

    def feature_dim(self, a: Encoded) -> int | None:
        return int(2 ** a.parts[0].shape[1])

    def phi(self, a: Encoded) -> Any:
        (A,) = a
        return _subset_products(A, _all_subsets(A.shape[1]))

    def feature_names(self, inputs: Sequence[str]) -> list[str]:
        return _subset_names(inputs, _all_subsets(len(inputs)))


def _all_subsets(d: int) -> list[tuple[int, ...]]:
    check_dimension(2**d)
    return list(chain.from_iterable(combinations(range(d), size) for size in range(d + 1)))


class Anova(Kernel):
    """The ANOVA kernel, κ(x, z) = Σ_A ∏_{j ∈ A} xⱼ zⱼ, over all subsets A of `degree` coordinates.

    With E_m^s the kernel of degree m on the first s coordinates,

        E_m^s = E_m^(s−1) + x_s z_s E_(m−1)^(s−1),    E_0 = 1,    E_m^0 = 0,

    which takes O(d · degree) operations for a pair instead of C(d, degree).

    Parameters
    ----------
    degree : int
        Size of the subsets, from 1 to the number of coordinates.

    Raises
    ------
    ValueError
        If `degree` is below 1, or larger than the number of coordinates.
    TypeError
        If `degree` is no whole number.

    See Also
    --------
    AllSubsets : products of all subsets of the coordinates
    Polynomial : (xᵀz + c)^q

    Notes
    -----
    Cost: O(n m d · degree) for a tile of n × m values; there are C(d, degree) features.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.Anova(degree=2)([[1.0, 2.0, 3.0]], [[1.0, 1.0, 1.0]])  # 1·2 + 1·3 + 2·3
    array([[11.]])
    """

    degree: int = 2
    traits = Traits(on_vectors=True)
    word = Word(
        "vectors",
        "κ(x, z) = Σ_{|A| = q} ∏_{j ∈ A} xⱼzⱼ",
        "Products of q different coordinates; q is the degree.",
        "anova(degree=2)",
    )
    kept = Kept({"degree": INTEGER})

    def __post_init__(self) -> None:
        whole(self.degree, "degree")

    @property
    def scratch(self) -> int:
        return 2 * int(self.degree) + 3

    def encode(self, X: Any) -> Encoded:
        A = as_vectors(X)
        if self.degree > A.shape[1]:
            raise ValueError(
                f"degree is {self.degree} and X has {A.shape[1]} features: there is no subset of that size; "
                f"a degree from 1 to {A.shape[1]} expected"
            )
        return Encoded((A,))

    def _by_recursion(self, products: Any, shape: tuple[int, ...], dtype: Any) -> Array:
        E = np.zeros((int(self.degree) + 1, *shape), dtype)
        E[0] = 1
        for p in products:
            E[1:] += p * E[:-1]  # the right side is complete before any E_m changes
        return np.asarray(E[-1])

    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        (A,), (B,) = a, b
        products = (np.multiply.outer(x, z) for x, z in zip(A.T, B.T, strict=True))
        out[...] = self._by_recursion(products, out.shape, out.dtype)

    def squared_norms(self, a: Encoded) -> Array:
        (A,) = on_host(a)
        return self._by_recursion((A * A).T, (len(A),), A.dtype)

    def feature_dim(self, a: Encoded) -> int | None:
        return comb(a.parts[0].shape[1], int(self.degree))

    def phi(self, a: Encoded) -> Any:
        (A,) = a
        return _subset_products(A, self._subsets(A.shape[1]))

    def feature_names(self, inputs: Sequence[str]) -> list[str]:
        return _subset_names(inputs, self._subsets(len(inputs)))

    def _subsets(self, d: int) -> list[tuple[int, ...]]:
        check_dimension(comb(d, int(self.degree)))
        return list(combinations(range(d), int(self.degree)))
