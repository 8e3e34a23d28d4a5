"""Monomials of the coordinates, the explicit features of polynomial kernels (seed 003, section 5.2).

The multinomial expansion runs over all n = (n₀, n₁, …, n_d) with n₀ + … + n_d = q, n₀ counting a constant. Such an n is
kept as a choice of q variables with repetition: (0, 0, 2) stands for x₀² x₂, and variable −1 is the constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import comb

import numpy as np
from scipy.special import gammaln

from gramian.checks import Array

LARGEST_MAP = 2**20


def dimension(d: int, degree: int, constant: bool) -> int:
    """Return the number of monomials: C(d + q, q) of degree at most q, C(d + q − 1, q) of degree q exactly."""
    return comb(d + degree, degree) if constant else comb(d + degree - 1, degree)


def check_dimension(count: int) -> None:
    """Refuse to list features by the million."""
    if count > LARGEST_MAP:
        raise ValueError(
            f"the explicit map has {count:,} features; at most {LARGEST_MAP:,} are listed: work with inner products"
        )


def choices(d: int, degree: int, constant: bool) -> Array:
    """List the choices of `degree` variables with repetition, one per row.

    >>> choices(2, 2, constant=False).tolist()
    [[0, 0], [0, 1], [1, 1]]
    """
    check_dimension(dimension(d, degree, constant))
    chosen = list(combinations_with_replacement(range(d + constant), degree))
    return np.array(chosen, dtype=np.intp).reshape(len(chosen), degree) - int(constant)


def evaluate(X: Array, chosen: Array, constant: float = 1.0) -> Array:
    """Return the value of every monomial at every row of X, n × D; variable −1 is the constant."""
    variables = np.column_stack([X, np.full(len(X), constant, X.dtype)])
    values = np.ones((len(X), len(chosen)), X.dtype)
    for position in chosen.T:
        values *= variables[:, position]
    return values


def log_factorials(chosen: Array, d: int, *, constant: bool = False) -> Array:
    """Return ln ∏ₖ nₖ! of every monomial, over the coordinates and, with `constant`, over n₀ as well."""
    variables = range(-1 if constant else 0, d)
    counts = np.array([np.count_nonzero(chosen == variable, axis=1) for variable in variables])
    return np.asarray(gammaln(counts + 1).sum(axis=0))


def names(inputs: Sequence[str], chosen: Array) -> list[str]:
    """Write every monomial in the names of its variables.

    >>> names(["a", "b"], choices(2, 2, constant=True))
    ['1', 'a', 'b', 'a^2', 'a b', 'b^2']
    """
    return [_name(inputs, [int(v) for v in row if v >= 0]) for row in chosen]


def _name(inputs: Sequence[str], variables: list[int]) -> str:
    powers = [(inputs[v], variables.count(v)) for v in sorted(set(variables))]
    return " ".join(name if n == 1 else f"{name}^{n}" for name, n in powers) or "1"
