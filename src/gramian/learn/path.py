"""What a linear smoother does at every ridge, from one decomposition (seeds 002, 004).

With S K Sᵀ = U diag(σ²) Uᵀ and targets z = S y the fitted values are U f Uᵀ z, where f scales each direction,

    shrinkage      f = σ² / (σ² + λ)         contributions are scaled
    projection     f = 1 if σ² ≥ λ else 0    contributions are used or not used

Leaving object i out changes its residual to eᵢ / (1 − hᵢᵢ), h the diagonal of the smoother; that is exact for
shrinkage, and for a projection exact for the directions as they are. The degrees of freedom are Σ f, and generalized
cross-validation puts their average in the place of each hᵢᵢ. An intercept is one direction more, b = S 1 / ‖S 1‖,
that is never shrunk.

Leaving a fold out, the objects S together, changes their residuals to

    (I − H)_SS⁻¹ (z − H z)_S,        H = U f Uᵀ + b bᵀ

which is a system of the size of the fold at each ridge, and never a new decomposition. Where the directions are fewer
than the objects of the fold it is a system in these instead: with R the other objects and left = 1 − f the fitted
values are U_S √f (diag(left) + √f U_RᵀU_R √f)⁻¹ √f U_Rᵀ z_R, in which nothing cancels.

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
OVERLAP = 1e-8  # squared cosine beyond which directions are turned off that of the intercept
AT_ONCE = 2**22  # numbers of an array in which several ridges are worked out together


def factors(values: Array, lam: float, kind: Kind) -> tuple[Array, Array]:
    """Return f and 1 − f for each eigenvalue σ²."""
    if kind == "projection":
        used = (values >= lam - EQUAL * values.max(initial=0.0)).astype(np.float64)
        return used, 1 - used
    return values / (values + lam), lam / (values + lam)


@dataclass(frozen=True, eq=False)
class Residuals:
    """Residuals e and the room 1 − h that each object leaves for them, at one ridge.

    At λ = 0 `slope` is how both begin to grow with λ, for the objects that leave no room.
    """

    residuals: Array
    room: Array
    slope: Residuals | None = None

    @property
    def loo(self) -> Array:
        """The residuals of predictions made without the object itself."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self.residuals / self.room[:, None]
        otherwise = np.where(self.residuals == 0, 0.0, np.inf) if self.slope is None else self.slope.loo
        return np.where(self.room[:, None] > 0, found, otherwise)


def joined_residuals(parts: list[Residuals]) -> Residuals:
    """Put the residuals of several samples at one ridge one after the other."""
    slopes = [part.slope for part in parts if part.slope is not None]
    residuals, room = (np.concatenate([getattr(part, name) for part in parts]) for name in ("residuals", "room"))
    return Residuals(residuals, room, joined_residuals(slopes) if slopes else None)


@dataclass(frozen=True, eq=False)
class RidgePath:
    """Leave-one-out and generalized cross-validation errors, and degrees of freedom, at each of many ridges.

    `left_out` is the share of the trace of K that the decomposition behind them left out: 0 where they are exact.

    Parameters
    ----------
    ridges : array of shape (r,)
        The values of λ, ascending.
    loo : array of shape (r,)
        The mean squared leave-one-out error at each.
    gcv : array of shape (r,)
        The generalized cross-validation error at each.
    dof : array of shape (r,)
        The effective degrees of freedom, Σ σ²/(σ² + λ), at each.
    left_out : float
        The share of the trace of K that the decomposition left out.
    unit : float
        What the targets are divided by in these errors: 1 but for targets whose squared errors floating point does not
        hold, which are those beyond 1e150 and those below 1e-150.

    See Also
    --------
    KernelRidge : ridge regression
    leave_fold_out : closed-form cross-validation

    Notes
    -----
    Cost: memory for four numbers for each ridge.

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
    unit: float = 1.0


class Smoother:
    """A spectrum and the targets in it."""

    def __init__(self, spectrum: Spectrum, Z: Array, border: Array | None, kind: Kind) -> None:
        if border is not None and np.square(border @ spectrum.vectors).max(initial=0.0) >= OVERLAP:
            spectrum = spectrum.beside(border)  # which S takes away: what rounding leaves of it is not to be shrunk
        self.values, self.left_out = spectrum.values, spectrum.left_out
        self.kind = kind
        self._axes, self._border = spectrum.axes, border
        U = spectrum.vectors
        if border is not None:
            U = U - np.outer(border, border @ U)
            U = U / np.linalg.norm(U, axis=0)
        self._U, self._Z, self._border = U, Z, border
        self._intercepts = int(border is not None)
        self._inside = U.T @ Z
        taken = np.square(U).sum(axis=1) + (0.0 if border is None else border**2)
        complete = U.shape[1] + self._intercepts == len(Z)
        self._outside = np.zeros_like(Z) if complete else Z - U @ self._inside
        self._missing = np.zeros(len(Z)) if complete else np.maximum(1 - taken, 0.0)

    def dof(self, lam: float) -> float:
        """Return the trace of the smoother."""
        return float(factors(self.values, lam, self.kind)[0].sum()) + self._intercepts

    def at(self, lam: float) -> Residuals:
        """Return residuals and room at one ridge."""
        if lam == 0:
            rounding = 16 * len(self._U) * float(np.finfo(np.float64).eps)
            slope = Residuals(self._U @ (self._inside / self.values[:, None]), np.square(self._U) @ (1 / self.values))
            return Residuals(self._outside, np.where(self._missing > rounding, self._missing, 0.0), slope)
        left = factors(self.values, lam, self.kind)[1]
        return Residuals(
            self._U @ (left[:, None] * self._inside) + self._outside, np.square(self._U) @ left + self._missing
        )

    def without(self, fold: Array, ridges: Array) -> Array:
        """Return the residuals of the objects of a fold in fits made without any of them, ridges × objects × targets.

        At ridges above 0, for shrinkage.
        """
        left = np.array([factors(self.values, lam, "shrinkage")[1] for lam in ridges])
        found = np.empty((len(ridges), len(fold), self._Z.shape[1]))
        size = min(len(fold), self._U.shape[1] + self._intercepts)
        solved = self._by_objects if size == len(fold) else self._by_directions
        step = max(1, AT_ONCE // max(size * self._U.shape[1], 1))
        for start in range(0, len(ridges), step):
            some = slice(start, start + step)
            found[some] = solved(fold, left[some])
        return found

    def _by_objects(self, fold: Array, left: Array) -> Array:
        """Return (I − H)_SS⁻¹ (z − H z)_S for each row of 1 − f."""
        U, size = self._U[fold], len(fold)
        rest = (left[:, None, :] * U).reshape(len(left) * size, U.shape[1]) @ np.hstack([U.T, self._inside])
        found = rest.reshape(len(left), size, -1)
        if self._U.shape[1] + self._intercepts < len(self._Z):
            found[..., :size] += np.eye(size) - U @ U.T
            if self._border is not None:
                found[..., :size] -= np.outer(self._border[fold], self._border[fold])
            found[..., size:] += self._outside[fold]
        return np.asarray(np.linalg.solve(found[..., :size], found[..., size:]))

    def _by_directions(self, fold: Array, left: Array) -> Array:
        """Return the same by what is learnt in the directions from all other objects."""
        U = self._U if self._border is None else np.column_stack([self._U, self._border])
        left = np.hstack([left, np.zeros((len(left), self._intercepts))])
        others = np.ones(len(U), dtype=bool)
        others[fold] = False
        V, roots = U[others], np.sqrt(1 - left)
        systems = roots[:, :, None] * (V.T @ V) * roots[:, None, :]
        systems[:, np.arange(len(U.T)), np.arange(len(U.T))] += left
        learnt = np.linalg.solve(systems, roots[:, :, None] * (V.T @ self._Z[others]))
        return np.asarray(self._Z[fold] - U[fold] @ (roots[:, :, None] * learnt))

    def _rooms(self, lam: float) -> Array:
        """Return R = I − H, the smoother's complement, whose diagonal is the room."""
        left = factors(self.values, lam, self.kind)[1]
        R = (self._U * (left - (1.0 if self._missing.any() else 0.0))) @ self._U.T
        if self._missing.any():
            R += np.eye(len(R)) - (0.0 if self._border is None else np.outer(self._border, self._border))
        return np.asarray(R)

    def chosen_without_each(self, ridges: Array, by_gcv: bool, weighted: Array) -> tuple[Array, Array]:
        """Return the place of the ridge that would be chosen without each object, and its residual at that ridge.

        Without object i the residuals are eⱼ − Rⱼᵢ eᵢ / Rᵢᵢ and the rooms Rⱼⱼ − Rⱼᵢ² / Rᵢᵢ, from which both criteria
        follow as from e and R themselves; `weighted` marks the objects that have a weight. O(n³) a ridge.
        """
        errors = np.empty((len(ridges), len(self._outside)))
        residuals = np.empty((len(ridges), *self._outside.shape))
        others = weighted & ~np.eye(len(weighted), dtype=bool)
        for k, lam in enumerate(ridges):
            R, E = self._rooms(lam), self.at(lam).residuals
            with np.errstate(divide="ignore", invalid="ignore"):
                share = R / np.diagonal(R)[:, None]
                rooms = np.diagonal(R) - share * R
                squares = sum((np.square(e - share * e[:, None]) for e in E.T), np.zeros_like(R))
                residuals[k] = E / np.diagonal(R)[:, None]
                if by_gcv:
                    found = np.sum(squares, axis=1, where=others) / np.sum(rooms, axis=1, where=others) ** 2
                else:
                    found = np.sum(squares / np.square(rooms), axis=1, where=others)
            errors[k] = np.where(np.isfinite(found), found, np.inf)
        best = errors.argmin(axis=0)
        return best, np.take_along_axis(residuals, best[None, :, None], axis=0)[0]

    def coefficients(self, lam: float) -> Array:
        """Return c, which gives the fitted values S K Sᵀ c: U f/σ² Uᵀ z, and for shrinkage (S K Sᵀ + λI) c = z.

        At λ = 0 it is the solution of minimum norm.
        """
        scaled = factors(self.values, lam, self.kind)[0] / self.values
        inside = self._U @ (scaled[:, None] * self._inside)
        return np.asarray(inside + self._outside / lam if self.kind == "shrinkage" and lam > 0 else inside)

    def solved(self, R: Array, lam: float) -> Array:
        """Return (S K Sᵀ + λI)⁻¹ R for other right-hand sides, at a ridge above 0."""
        inside = self._U.T @ R
        return np.asarray(self._U @ (inside / (self.values + lam)[:, None]) + (R - self._U @ inside) / lam)

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
        n, targets = self._Z.shape
        step = max(1, AT_ONCE // (n * targets))
        for start in range(0, len(ridges), step):
            some = range(start, min(start + step, len(ridges)))
            scaled = left[:, some, None] * self._inside[:, None, :]
            residuals = (self._U @ scaled.reshape(len(left), len(some) * targets)).reshape(n, len(some), targets)
            for place, k in enumerate(some):
                E = residuals[:, place] + self._outside
                loo[k] = np.square(Residuals(E, rooms[:, k]).loo).sum() / total
                if average[k] > 0:
                    gcv[k] = np.square(E).sum() / total / average[k] ** 2
        dof = np.array([self.dof(lam) for lam in ridges])
        return RidgePath(ridges, loo, gcv, dof, self.left_out)


def without_groups(smoother: Smoother, group: Array, ridges: Array) -> Array:
    """Return the residuals of all objects in fits made without any of their group, ridges × objects × targets.

    `group` numbers the groups from 0 on. At ridges above 0, for shrinkage.
    """
    found = np.stack([smoother.at(float(lam)).loo for lam in ridges])
    order = np.argsort(group, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        if len(members) > 1:
            found[:, members] = smoother.without(members, ridges)
    return found
