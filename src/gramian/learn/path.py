"""What a linear smoother does at every ridge, from one decomposition (seeds 002, 004).

With S K Sᵀ = U diag(σ²) Uᵀ and targets z = S y the fitted values are U f Uᵀ z, where f scales each direction,

    shrinkage      f = σ² / (σ² + λ)         contributions are scaled
    projection     f = 1 if σ² ≥ λ else 0    contributions are used or not used

Leaving object i out changes its residual to eᵢ / (1 − hᵢᵢ), h the diagonal of the smoother; that is exact for
shrinkage, and for a projection exact for the directions as they are. The degrees of freedom are Σ f, and generalized
cross-validation puts their average in the place of each hᵢᵢ. An intercept is one direction more, b = S 1 / ‖S 1‖,
that is never shrunk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gramian.checks import Array
from gramian.factor.spectrum import Spectrum

Kind = Literal["shrinkage", "projection"]


def factors(values: Array, lam: float, kind: Kind) -> tuple[Array, Array]:
    """Return f and 1 − f for each eigenvalue σ²."""
    if kind == "projection":
        used = (values >= lam).astype(np.float64)
        return used, 1 - used
    return values / (values + lam), lam / (values + lam)


@dataclass(frozen=True, eq=False)
class Fit:
    """Residuals e and the room 1 − h that each object leaves for them, at one ridge."""

    residuals: Array
    room: Array

    @property
    def loo(self) -> Array:
        """The residuals of predictions made without the object itself."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self.residuals / self.room[:, None]
        return np.where(self.room[:, None] > 0, found, np.where(self.residuals == 0, 0.0, np.inf))


@dataclass(frozen=True, eq=False)
class RidgePath:
    """Leave-one-out and generalized cross-validation errors, and degrees of freedom, at each of many ridges.

    Examples
    --------
    >>> import gramian as gm
    >>> path = gm.KernelRidge(gm.Linear(), ridge=[0.1, 1.0]).fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0]).path_
    >>> path.dof.round(3), path.loo.round(3)
    (array([0.995, 0.955]), array([0.374, 0.159]))
    """

    ridges: Array
    loo: Array
    gcv: Array
    dof: Array


class Smoother:
    """A spectrum and the targets in it."""

    def __init__(self, spectrum: Spectrum, Z: Array, border: Array | None, kind: Kind) -> None:
        self.spectrum = spectrum
        self.kind = kind
        self._border = border  # the direction of the intercept, of unit length
        self._inside = spectrum.vectors.T @ Z
        self._outside = Z - spectrum.vectors @ self._inside
        self._squares = np.square(spectrum.vectors)
        taken = self._squares.sum(axis=1) + (0.0 if border is None else border**2)
        self._missing = np.maximum(1 - taken, 0.0)
        self._missing[self._missing < len(Z) * np.finfo(np.float64).eps] = 0.0

    def dof(self, lam: float) -> float:
        """Return the trace of the smoother."""
        return float(factors(self.spectrum.values, lam, self.kind)[0].sum()) + (self._border is not None)

    def at(self, lam: float) -> Fit:
        """Return residuals and room at one ridge."""
        left = factors(self.spectrum.values, lam, self.kind)[1]
        E = self.spectrum.vectors @ (left[:, None] * self._inside) + self._outside
        return Fit(E, self._squares @ left + self._missing)

    def coefficients(self, lam: float) -> Array:
        """Return c with fitted values S K Sᵀ c: U f/σ² Uᵀ z, and for shrinkage e/λ."""
        if self.kind == "shrinkage":
            return self.at(lam).residuals / lam
        scaled = factors(self.spectrum.values, lam, self.kind)[0] / self.spectrum.values
        return np.asarray(self.spectrum.vectors @ (scaled[:, None] * self._inside))

    def path(self, ridges: Array, total: float, count: int) -> RidgePath:
        """Return the errors at all ridges; `total` and `count` are the sum of the weights and how many there are."""
        left = np.array([factors(self.spectrum.values, lam, self.kind)[1] for lam in ridges]).T
        rooms = self._squares @ left + self._missing[:, None]
        dof = np.array([self.dof(lam) for lam in ridges])
        loo, gcv = np.empty(len(ridges)), np.empty(len(ridges))
        for k in range(len(ridges)):
            E = self.spectrum.vectors @ (left[:, k, None] * self._inside) + self._outside
            loo[k] = np.square(Fit(E, rooms[:, k]).loo).sum() / total
            room = max(1 - dof[k] / count, 0.0)
            gcv[k] = np.square(E).sum() / total / room**2 if room > 0 else np.inf
        return RidgePath(ridges, loo, gcv, dof)
