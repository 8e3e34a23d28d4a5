"""The regulariser λ: a number, or a grid to choose from."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gramian.checks import Array, as_array, positive
from gramian.factor.solve import Solution

Ridge: TypeAlias = float | str | Sequence[float]

SPAN = (1e-9, 10.0)  # of a grid, in units of the largest eigenvalue
GRID = 61
ACCEPTED = 1e-6  # relative residual of a linear system beyond which its solution is doubted


def fixed_ridge(ridge: Any, criteria: Sequence[str]) -> float | None:
    """Return the number given, None where there is something to choose: one of the criteria, or a grid."""
    if isinstance(ridge, str):
        if ridge not in criteria:
            raise ValueError(
                f"ridge is {ridge!r}; a number above 0, {' or '.join(map(repr, criteria))}, or a grid expected"
            )
        return None
    return positive(ridge, "ridge") if np.ndim(ridge) == 0 else None


def ridge_grid(ridge: Any, largest: float) -> Array:
    """Return the grid given, ascending; or one that spans the eigenvalues of K, the largest of which is given."""
    if isinstance(ridge, str):
        return np.geomspace(*SPAN, GRID) * (largest if largest > 0 else 1.0)
    grid = as_array(ridge, "ridge").astype(np.float64)
    if grid.ndim != 1 or grid.size == 0 or not np.isfinite(grid).all() or grid.min() <= 0:
        raise ValueError(f"ridge is {ridge!r}; a grid is a flat, non-empty list of numbers above 0")
    return np.sort(grid)


def warn_unless_solved(found: Solution, estimator: Any) -> None:
    """Say so where the answer of a linear system is not to be trusted."""
    if found.residual > ACCEPTED:
        warnings.warn(
            f"{type(estimator).__name__}: the linear system was solved to a relative residual of {found.residual:.1e} "
            f"only ({found.method}); take a larger ridge, for this one is too small for the precision of the kernel",
            ConvergenceWarning,
            stacklevel=3,
        )
