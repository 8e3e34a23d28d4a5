"""The regulariser λ: a number, or a grid to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, ldexp
from typing import Any, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gramian.checks import Array, as_array, non_negative, warn
from gramian.factor.solve import takes_features
from gramian.gram.gram import Gram

Ridge: TypeAlias = float | str | Sequence[float]

SPAN = (1e-9, 10.0)  # of a grid, in units of the largest eigenvalue
MOST = 10_000  # values of a grid
GRID = 61
SQUARED = (2.0**-330, 2.0**330)  # numbers whose squares, and sums of many of these, stay within range
ACCEPTED = 1e-5  # relative residual of a linear system beyond which its solution is doubted


def fixed_ridge(ridge: Any, criteria: Sequence[str]) -> float | None:
    """Return the number given, 0 for no ridge at all, None where there is a choice: one of the criteria, or a grid."""
    if isinstance(ridge, str):
        if ridge not in criteria:
            expected = f"a number of at least 0, {' or '.join(map(repr, criteria))}, or a grid"
            raise ValueError(f"ridge is {ridge!r}; {expected} expected")
        return None
    if isinstance(ridge, Sequence) or getattr(ridge, "ndim", 0) > 0:
        return None
    return non_negative(ridge.item() if isinstance(ridge, np.ndarray) else ridge, "ridge")


def unit_of(Y: Array) -> float:
    """Return a power of two by which targets are divided, so that their squares neither overflow nor vanish.

    It is 1 but for targets of extreme size: 1e-100 to 1e99 are left as they are. Being linear in the targets, all that
    is learnt is the same in other units.
    """
    largest = float(np.abs(Y).max(initial=0.0))
    if largest == 0 or SQUARED[0] <= largest <= SQUARED[1]:
        return 1.0
    return ldexp(1.0, frexp(largest)[1] - 1)


def rounding(gram: Gram, largest: float, objects: float = 1.0) -> float:
    """Return the norm of the rounding errors of K: that of an entry times √objects, less where φ is explicit."""
    explicit = takes_features(gram)
    return float(np.finfo(gram.dtype).eps) * (largest if explicit else max(largest, gram.scale() * objects**0.5))


def ridge_grid(ridge: Any, largest: float, noise: float) -> Array:
    """Return the grid given, ascending; or one that spans the eigenvalues of K, the largest of which is given.

    It ends where a ridge would be lost among rounding errors, whose norm is `noise`.
    """
    if isinstance(ridge, str):
        most = largest if largest > 0 else 1.0
        lowest = min(max(SPAN[0] * most, 64 * noise, float(np.finfo(np.float64).tiny)), most)
        return np.geomspace(lowest, SPAN[1] * most, GRID)
    grid = as_array(ridge, "the values of ridge")
    if grid.ndim != 1 or grid.size == 0 or grid.dtype.kind == "b" or not np.isfinite(grid).all() or grid.min() <= 0:
        raise ValueError(f"ridge is {ridge!r}; a grid is a flat, non-empty list of numbers above 0")
    if grid.size > MOST:
        raise ValueError(f"ridge is a grid of {grid.size:,} values; at most {MOST:,} expected")
    return np.sort(grid.astype(np.float64))


def warn_unless_solved(estimator: Any, method: str, residual: float, primal_residual: float | None = None) -> None:
    """Say so where the answer of a linear system, or the one in explicit features, is not to be trusted."""
    eps = float(np.finfo(estimator.sample_.gram().dtype).eps)
    accepted = max(ACCEPTED, 1e4 * eps, estimator.tol or 0.0)
    if residual > accepted and primal_residual is not None and primal_residual <= accepted:
        warn(
            f"{type(estimator).__name__}: the weights of the features, and so predictions, are accurate (relative "
            f"residual {primal_residual:.1e}), but dual_coef_ is not ({residual:.1e}), for the ridge is tiny beside "
            "the features: standardize these, or give a larger ridge, if you need it",
            ConvergenceWarning,
        )
    elif residual > accepted:
        warn(
            f"{type(estimator).__name__}: the linear system was solved to a relative residual of {residual:.1e} only "
            f"({method}): the ridge is too small for the precision of the kernel; give a larger one",
            ConvergenceWarning,
        )


def warn_of_estimate(what: str, left_out: float) -> None:
    """Say so where an answer comes from a low-rank approximation of K."""
    warn(
        f"K is too large to decompose exactly: {what} are estimates from an approximation of low rank, which leaves "
        f"out {left_out:.1e} of its trace"
    )
