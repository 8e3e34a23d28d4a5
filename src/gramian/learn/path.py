"""What a linear smoother does at every ridge, from one decomposition (seeds 002, 004).

With S K Sᵀ = U diag(σ²) Uᵀ and targets z = S y the fitted values are U f Uᵀ z, where f scales each direction,

    shrinkage      f = σ² / (σ² + λ)         contributions are scaled
    projection     f = 1 if σ² ≥ λ else 0    contributions are used or not used

Leaving object i out changes its residual to eᵢ / (1 − hᵢᵢ), h the diagonal of the smoother; that is exact for
shrinkage, and for a projection exact for the directions as they are. The degrees of freedom are Σ f, and generalized
cross-validation puts their average in the place of each hᵢᵢ. An intercept is one direction more, b = S 1 / ‖S 1‖,
that is never shrunk.

At λ = 0 nothing is shrunk, which is least squares. An object that leaves no room then, hᵢᵢ = 1, has the residual 0, and
its leave-one-out residual is the limit of the quotient as λ → 0: that of the minimum norm solution of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gramian.checks import Array
from gramian.factor.spectrum import Spectrum

Kind = Literal["shrinkage", "projection"]

EQUAL = 1e-12  # of the largest eigenvalue, by which one may seem to lie on the other side of a ridge
AT_ONCE = 2**22  # residuals that are worked out in one product
OVERLAP = 1e-8  # squared cosine beyond which a direction is that of the intercept


def factors(values: Array, lam: float, kind: Kind) -> tuple[Array, Array]:
    """Return f and 1 − f for each eigenvalue σ²."""
    if kind == "projection":
        used = (values >= lam - EQUAL * values.max(initial=0.0)).astype(np.float64)
        return used, 1 - used
    return values / (values + lam), lam / (values + lam)


@dataclass(frozen=True, eq=False)
class Fit:
    """Residuals e and the room 1 − h that each object leaves for them, at one ridge.

    At λ = 0 `slope` is how both begin to grow with λ, for the objects that leave no room.
    """

    residuals: Array
    room: Array
    slope: Fit | None = None

    @property
    def loo(self) -> Array:
        """The residuals of predictions made without the object itself."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self.residuals / self.room[:, None]
        otherwise = np.where(self.residuals == 0, 0.0, np.inf) if self.slope is None else self.slope.loo
        return np.where(self.room[:, None] > 0, found, otherwise)


def joined_fits(parts: list[Fit]) -> Fit:
    """Put the objects of several fits at one ridge one after the other."""
    slopes = [part.slope for part in parts if part.slope is not None]
    residuals, room = (np.concatenate([getattr(part, name) for part in parts]) for name in ("residuals", "room"))
    return Fit(residuals, room, joined_fits(slopes) if slopes else None)


@dataclass(frozen=True, eq=False)
class RidgePath:
    """Leave-one-out and generalized cross-validation errors, and degrees of freedom, at each of many ridges.

    `left_out` is the share of the trace of K that the decomposition behind them left out: 0 where they are exact.

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
    left_out: float = 0.0


class Smoother:
    """A spectrum and the targets in it."""

    def __init__(self, spectrum: Spectrum, Z: Array, border: Array | None, kind: Kind) -> None:
        if border is not None:  # S takes this direction away, and what rounding leaves of it is not one to be shrunk
            spectrum = spectrum.take(np.square(border @ spectrum.vectors) < OVERLAP)
        self.values, self.left_out = spectrum.values, spectrum.left_out
        self.kind = kind
        self._axes = spectrum.axes
        U = spectrum.vectors
        if border is not None:
            U = U - np.outer(border, border @ U)
            U = U / np.linalg.norm(U, axis=0)
        self._U = U
        self._intercepts = int(border is not None)
        self._inside = U.T @ Z
        taken = np.square(U).sum(axis=1) + (0.0 if border is None else border**2)
        complete = U.shape[1] + self._intercepts == len(Z)
        self._outside = np.zeros_like(Z) if complete else Z - U @ self._inside
        self._missing = np.zeros(len(Z)) if complete else np.maximum(1 - taken, 0.0)

    def dof(self, lam: float) -> float:
        """Return the trace of the smoother."""
        return float(factors(self.values, lam, self.kind)[0].sum()) + self._intercepts

    def at(self, lam: float) -> Fit:
        """Return residuals and room at one ridge."""
        if lam == 0:
            rounding = 16 * len(self._U) * float(np.finfo(np.float64).eps)
            slope = Fit(self._U @ (self._inside / self.values[:, None]), np.square(self._U) @ (1 / self.values))
            return Fit(self._outside, np.where(self._missing > rounding, self._missing, 0.0), slope)
        left = factors(self.values, lam, self.kind)[1]
        return Fit(self._U @ (left[:, None] * self._inside) + self._outside, np.square(self._U) @ left + self._missing)

    def coefficients(self, lam: float) -> Array:
        """Return c, which gives the fitted values S K Sᵀ c: U f/σ² Uᵀ z, and for shrinkage (S K Sᵀ + λI) c = z.

        At λ = 0 it is the solution of minimum norm.
        """
        scaled = factors(self.values, lam, self.kind)[0] / self.values
        inside = self._U @ (scaled[:, None] * self._inside)
        return np.asarray(inside + self._outside / lam if self.kind == "shrinkage" and lam > 0 else inside)

    def weights(self, lam: float) -> Array | None:
        """Return the same function in explicit features, V f/σ Uᵀ z, where those were decomposed."""
        if self._axes is None:
            return None
        scaled = factors(self.values, lam, self.kind)[0] / np.sqrt(self.values)
        return np.asarray(self._axes @ (scaled[:, None] * self._inside))

    def path(self, ridges: Array, total: float, count: int) -> RidgePath:
        """Return the errors at all ridges; `total` and `count` are the sum of the weights and how many there are."""
        left = np.array([factors(self.values, lam, self.kind)[1] for lam in ridges]).T
        rooms = np.square(self._U) @ left + self._missing[:, None]
        average = (rooms.sum(axis=0) - (len(rooms) - count)) / count  # objects without weight leave all their room
        loo, gcv = np.full(len(ridges), np.inf), np.full(len(ridges), np.inf)
        step = max(1, AT_ONCE // self._outside.size)
        for start in range(0, len(ridges), step):
            some = left[:, start : start + step]
            inside = (some[:, :, None] * self._inside[:, None, :]).reshape(len(some), -1)
            together = (self._U @ inside).reshape(len(rooms), some.shape[1], -1)
            for k, E in enumerate(np.moveaxis(together, 1, 0), start):
                residuals = E + self._outside
                loo[k] = np.square(Fit(residuals, rooms[:, k]).loo).sum() / total
                if average[k] > 0:
                    gcv[k] = np.square(residuals).sum() / total / average[k] ** 2
        dof = np.array([self.dof(lam) for lam in ridges])
        return RidgePath(ridges, loo, gcv, dof, self.left_out)
