"""Standard scores as a map to pull a kernel back by (seed 000, Algorithm 5.13).

x̂ = (x − μ) / s, μ and s the mean and standard deviation of each coordinate over a sample. New points are scaled by the
numbers of that sample.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gramian.checks import Array, as_array, as_vectors
from gramian.kernels.value import Value


class Standardize(Value):
    """The map x ↦ (x − mean) / scale, coordinate by coordinate.

    Without numbers it takes them from the sample that a kernel is fitted on: ``k.pullback(Standardize())`` is a kernel
    that standardizes its objects itself, new ones by the numbers of that sample.

    Parameters
    ----------
    mean : array of shape (d,), optional
        What is taken off each column. By default the means of the sample that a kernel is fitted on.
    scale : array of shape (d,), optional
        What each column is divided by. By default the standard deviations of that sample; 1 for a constant column.

    Raises
    ------
    ValueError
        If a mean comes without a scale, or numbers are not finite, or a scale is not above 0; when it is called, if it
        has no numbers and was not fitted, or the objects have another number of columns.

    See Also
    --------
    Kernel : the base class and its algebra
    Gaussian : exp(−‖x − z‖² / 2σ²)
    Linear : xᵀz

    Notes
    -----
    Cost: O(n d) for n objects.

    Examples
    --------
    >>> import gramian as gm
    >>> X = [[1.0, 100.0], [3.0, 500.0]]
    >>> k = gm.Linear().pullback(gm.Standardize()).fit(X)
    >>> k(X)
    array([[ 2., -2.],
           [-2.,  2.]])
    >>> k.f
    Standardize(mean=<2 array>, scale=<2 array>)
    """

    mean: Array | None = None
    scale: Array | None = None
    on_vectors: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if (self.mean is None) != (self.scale is None):
            given, other = ("mean", "scale") if self.scale is None else ("scale", "mean")
            raise ValueError(f"Standardize has a {given} and no {other}; both expected, or neither")
        if self.mean is not None:
            mean, scale = _numbers(self.mean, "mean"), _numbers(self.scale, "scale")
            if mean.shape != scale.shape:
                raise ValueError(f"mean has {len(mean)} numbers and scale {len(scale)}; one for each column expected")
            if (wrong := np.flatnonzero(scale <= 0)).size:
                raise ValueError(f"scale[{wrong[0]}] is {scale[wrong[0]]:g}; a number above 0 expected")
            self._settle(mean=mean, scale=scale)

    @classmethod
    def of(cls, X: Any) -> Standardize:
        """Return the map that gives each coordinate of X mean 0 and standard deviation 1 (a constant one: 0)."""
        A = as_vectors(X).astype(np.float64)
        unit = np.abs(A).max(axis=0)
        unit[unit == 0] = 1.0
        A /= unit  # so that squares neither overflow nor vanish
        mean, scale = A.mean(axis=0), A.std(axis=0)
        constant = scale <= 10 * np.finfo(np.float64).eps
        return cls(mean * unit, np.where(constant, 1.0, scale * unit))

    def fit(self, X: Any) -> Standardize:
        """Return this map with its numbers taken from X, where it has none yet."""
        return Standardize.of(X) if self.mean is None else self

    def __repr__(self) -> str:
        return "Standardize()" if self.mean is None else super().__repr__()

    def __call__(self, X: Any) -> Array:
        A = as_vectors(X)
        if self.mean is None or self.scale is None:
            raise ValueError("Standardize() has no numbers yet: fit the kernel it belongs to, k = k.fit(X)")
        if A.shape[1] != len(self.mean):
            raise ValueError(f"X has {A.shape[1]} features; {len(self.mean)} expected, as in the sample")
        return np.asarray((A - self.mean) / self.scale, dtype=A.dtype)


def _numbers(values: Any, name: str) -> Array:
    """Return finite numbers, one for each column."""
    found = as_array(values, name).astype(np.float64, copy=False)
    if found.ndim != 1:
        raise ValueError(f"{name} has {found.ndim} dimensions; a flat array expected, with a number for each column")
    if not np.isfinite(found).all():
        raise ValueError(f"{name} holds {found[~np.isfinite(found)][0]}; finite numbers expected")
    return found
