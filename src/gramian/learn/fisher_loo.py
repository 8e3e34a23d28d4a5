"""Leaving one object out of Fisher's discriminant, in closed form.

Let d = φ(xᵢ) − φ_c for object i of class c with ℓ members, C_c the covariance of that class and M = S_w + λI. Without i

    the mean of its class       φ_c − d / (ℓ − 1)
    the scatter                 M′ = M + C_c / (ℓ − 1) − γ d dᵀ,        γ = ℓ / (ℓ − 1)²

so that for all objects of a class M′ is one matrix, M_c = M + C_c / (ℓ − 1), less a matrix of rank one. Of M_c we need

    rᵢ = dᵀ M_c⁻¹ d,        qᵢ = dᵀ M_c⁻¹ δ_k,        g = δ_kᵀ M_c⁻¹ δ_k,        δ_k = φ_c − φ_k

and squared lengths in the metric of M′⁻¹ follow from the formula of Sherman and Morrison:

    ‖a d + δ‖² = a² r + 2 a q + g + γ (a r + q)² / (1 − γ r)

with a = 1, δ = δ_k for φ(xᵢ) − φ_k, and a = ℓ / (ℓ − 1), δ = 0 for the mean of its own class without it.

One eigenvalue decomposition of S_w + C_c / (ℓ − 1) serves every λ, so that a class costs O(m³ + ℓ m²) for m features
and O(ℓ m) for each ridge and class. A class of few members among many features has a cheaper way: with D its deviations
(C_c = DᵀD/ℓ), N = D M⁻¹ Dᵀ and θ = 1 / ℓ(ℓ − 1), Woodbury's formula gives r as the diagonal of (I + θN)⁻¹ N and q as
(I + θN)⁻¹ D M⁻¹ δ_k, O(ℓ² m + ℓ³) a ridge from one decomposition of S_w.

Where a ridge is to be chosen only, large classes share the decomposition of S_w: S_w + C_c / (ℓ − 1) lies between S_w
and ℓ / (ℓ − 1) S_w, which takes its place, so that squared lengths are off by less than one part in ℓ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
import scipy.linalg

from gramian.checks import Array
from gramian.factor.solve import Lens, Ridged
from gramian.learn.discriminant import class_means
from gramian.runtime.threads import cores, run
from gramian.space.moments import Moments

EIGEN = 9  # operations of an eigenvalue decomposition, in units of m³
REFINED = 2  # times that a solution by a factor in single precision is refined
ROOM = 1e-9  # least share of its deviation that is not explained by the others
LARGE = 60  # members of a class that may share a decomposition: squared lengths are right to two percent then
SINGULAR = 1e-10  # share of its length that a direction keeps, at most, where it is lost


class WithinClasses:
    """S = Σ_c ℓ_c^(−½) H_c as a map: rows less the mean of their class, divided by the root of its size.

    `sizes` are those of the classes, `means` the weights of their means, n × c; `differences` those of the means less
    their average.
    """

    def __init__(self, labels: Array) -> None:
        self.sizes = sizes = np.bincount(labels)
        self.means = class_means(labels, len(sizes))
        self.differences = self.means - self.means.mean(axis=1, keepdims=True)
        self.labels = labels
        self._roots = np.sqrt(sizes)[labels, None]

    @property
    def form(self) -> tuple[Array, Array, Array]:
        """S V = d ∘ V − L Rᵀ V: d, L and R."""
        return 1 / self._roots, np.eye(len(self.sizes))[self.labels] / self._roots, self.means

    def __call__(self, V: Array) -> Array:
        """Return S V."""
        moved = self._centred(V)
        moved /= self._roots
        return moved

    def undone(self, V: Array) -> Array:
        """Return S⁺ V, of which S makes V again where the classes have mean zero."""
        moved = self._centred(V)
        moved *= self._roots
        return moved

    def _centred(self, V: Array) -> Array:
        moved = (self.means.T @ V)[self.labels]
        return np.asarray(np.subtract(V, moved, out=moved))


def within(S: WithinClasses) -> Lens:
    """Return the lens through which Φ is seen as the deviations whose scatter is S_w."""
    return Lens(S, S, 1 / float(S.sizes.min()), S.form)


def all_left_out(system: Ridged, S: WithinClasses, ridge: float) -> Array:
    """Return the discriminant functions at each object learnt without it, from one factor of A = S K S + λI.

    With Ψ = S Φ and dᵢ = √ℓ Ψᵀ eᵢ, the deviation of object i from the mean of its class of ℓ members,

        rᵢ = dᵢᵀ M⁻¹ dᵢ = ℓ eᵢᵀ Ψ (ΨᵀΨ + λI)⁻¹ Ψᵀ eᵢ = ℓ (1 − λ [A⁻¹]ᵢᵢ),

    and with w_k = M⁻¹ (φ_k − φ̄) the other products, dᵢᵀ M⁻¹ δ_k and δ_kᵀ M⁻¹ δ_k, are values of w_c − w_k at the
    objects and at the means. In the place of S_w + C_c / (ℓ − 1) stands ℓ / (ℓ − 1) S_w, here at λ (ℓ − 1) / ℓ: all
    squared lengths of a class are a part in ℓ off, by which a ridge can be chosen.
    """
    gram, whole, T = system.gram, system.at(ridge), S.differences
    alpha = T / ridge
    values = gram.apply(alpha)
    for _ in range(REFINED):
        alpha += S(whole.solve(S.undone(T - ridge * alpha - S(S(values)))))
        values = gram.apply(alpha)
    share = ridge * whole.inverse_diagonal()
    at_means = S.means.T @ values
    apart = values - at_means[S.labels]
    found = np.empty_like(values)
    for c, size in enumerate(S.sizes):
        members, part = S.labels == c, (size - 1) / size
        D, G = apart[members], at_means[c, c] - at_means[:, c]
        q = np.column_stack([D[:, [c]] - D, D[:, c]])
        g = np.append(G + np.diagonal(at_means) - at_means[c], G.mean())
        room = np.maximum(share[members] - 1 / size, ROOM)
        r = size * (1 - 1 / size - room)
        found[members] = without_itself(part * r, part * q, part * g, c, size, len(S.sizes), unridged=False)
    return found


class LeaveOneOut:
    """Objects in explicit features, and the moments of their classes: those of these objects, or of many more.

    `points` are rows of features and `labels` their classes; `covariance` gives C_c, computed when it is asked for,
    because those of many classes would take much memory. With `shared` large classes share one decomposition.
    """

    def __init__(
        self,
        points: Array,
        labels: Array,
        means: Array,
        sizes: Array,
        covariance: Callable[[int], Array],
        shared: bool = False,
    ) -> None:
        self._shared = shared
        self._points, self._labels = points, labels
        self._means, self._sizes, self._covariance = means, sizes, covariance
        self._within = np.zeros((points.shape[1], points.shape[1]))
        for c in range(len(sizes)):
            self._within += covariance(c)
        self._whole = bool((np.bincount(labels, minlength=len(sizes)) == sizes).all())  # no members but these

    @classmethod
    def of_points(cls, points: Array, labels: Array, shared: bool = False) -> LeaveOneOut:
        """Leave out the objects of a sample, from features of all of it."""
        sizes = np.bincount(labels)
        means = class_means(labels, len(sizes)).T @ points

        def covariance(c: int) -> Array:
            D = points[labels == c] - means[c]
            return np.asarray(D.T @ D / len(D))

        return cls(points, labels, means, sizes, covariance, shared)

    @classmethod
    def of_moments(cls, groups: list[Moments], points: Array, labels: Array) -> LeaveOneOut:
        """Leave out some objects, from the moments of all."""
        sizes = np.array([int(group.weight) for group in groups])
        means = np.array([group.mean for group in groups])
        rows = np.asarray(points, dtype=np.float64)
        return cls(rows, labels, means, sizes, lambda c: np.asarray(groups[c].scatter / sizes[c]))

    @cached_property
    def largest(self) -> float:
        """The largest eigenvalue of the scatter within classes."""
        if "_axes" in self.__dict__ or not self.is_exact:  # where they will be wanted anyway
            return float(self._axes[0].max(initial=0.0))
        values = scipy.linalg.eigvalsh(self._within, check_finite=False)
        return float(_known(values).max(initial=0.0))

    @cached_property
    def _axes(self) -> tuple[Array, Array]:
        """The eigenvalues and eigenvectors of the scatter within classes."""
        return _decomposed(self._within)

    def scores(self, ridges: Array) -> Array:
        """Return the discriminant functions of all classes at each point, learnt without it: ridges × points × classes.

        The classes are shared among the cores.
        """
        found = np.empty((len(ridges), len(self._points), len(self._means)))
        few = [c for c in np.unique(self._labels) if self._has_few_members(c, len(ridges))]
        if few or not self.is_exact:
            _ = self._axes  # decomposed once, before the lanes ask for it

        def work(lane: int, c: int) -> None:
            members = self._labels == c
            ways = self._from_members(c, ridges) if c in few else self._from_covariance(c, ridges)
            for k, (r, q, g) in enumerate(ways):
                size, count = int(self._sizes[c]), len(self._means)
                found[k, members] = without_itself(r, q, g, c, size, count, unridged=ridges[k] == 0)

        run(work, list(np.unique(self._labels)), cores(), in_turn=False, what="leaving objects out")
        return found

    def _has_few_members(self, c: int, ridges: int) -> bool:
        """Tell whether a matrix of the members at each ridge is cheaper than one decomposition in the features."""
        size, m = float(self._sizes[c]), float(self._points.shape[1])
        alone = self._whole and not (self._shared and size >= LARGE)
        return alone and ridges * (2 * size**2 * m + 3 * size**3) < EIGEN * m**3

    def _from_covariance(self, c: int, ridges: Array) -> Iterator[tuple[Array, Array, Array]]:
        """Give r, q and g of one class at each ridge, from the eigenvalues of S_w + C_c / (ℓ − 1)."""
        values, axes = self._axes_without(c)
        D = (self._points[self._labels == c] - self._means[c]) @ axes
        delta = shifts(self._means, c) @ axes
        weights = self._inverse(values, ridges)
        R, G = np.square(D) @ weights, np.square(delta) @ weights
        both = (weights[:, :, None] * delta.T[:, None, :]).reshape(len(weights), len(ridges) * len(delta))
        Q = (D @ both).reshape(len(D), len(ridges), len(delta))
        for k in range(len(ridges)):
            yield R[:, k], Q[:, k], G[:, k]

    @property
    def is_exact(self) -> bool:
        """Whether no class shares the decomposition of another."""
        return not self._shared or bool(self._sizes.max() < LARGE)

    def _axes_without(self, c: int) -> tuple[Array, Array]:
        """Return the eigenvalues and eigenvectors of S_w + C_c / (ℓ − 1), or those it shares with other classes."""
        size = self._sizes[c]
        if self._shared and size >= LARGE:
            values, axes = self._axes
            return values * (size / (size - 1)), axes
        return _decomposed(self._within + self._covariance(c) / (size - 1))

    def _from_members(self, c: int, ridges: Array) -> Iterator[tuple[Array, Array, Array]]:
        """Give the same by Woodbury's formula, from the deviations of all members."""
        values, axes = self._axes
        D = (self._points[self._labels == c] - self._means[c]) @ axes
        delta, size = shifts(self._means, c) @ axes, len(D)
        theta = 1 / (size * (size - 1))
        for weights in self._inverse(values, ridges).T:
            weighted = D * weights
            N, V = weighted @ D.T, weighted @ delta.T
            factor = scipy.linalg.cho_factor(np.eye(size) + theta * N, overwrite_a=True, check_finite=False)
            solved = scipy.linalg.cho_solve(factor, np.hstack([N, V]), overwrite_b=True, check_finite=False)
            r, q = np.diagonal(solved), solved[:, size:]
            yield r, q, np.square(delta) @ weights - theta * np.einsum("ij,ij->j", V, q)

    def _inverse(self, values: Array, ridges: Array) -> Array:
        """Return the eigenvalues of M⁻¹ at each ridge, without a ridge those of M⁺, for those of a scatter."""
        noise = (len(self._points) + 16) * float(np.finfo(np.float64).eps) * values.max(initial=0.0)
        ridged = np.add.outer(values, ridges)
        lost = np.logical_and.outer(values <= noise, ridges == 0)
        return np.where(lost, 0.0, 1 / np.where(lost, 1.0, ridged))


def _decomposed(A: Array) -> tuple[Array, Array]:
    """Return the eigenvalues of a positive semidefinite matrix, none below zero, and its eigenvectors."""
    values, axes = np.linalg.eigh(A)
    return _known(values), axes


def _known(values: Array) -> Array:
    """Return eigenvalues, with zero for those below it and those so small that they have no digits."""
    return np.where(values > np.finfo(np.float64).tiny, values, 0.0)


def shifts(means: Array, c: int) -> Array:
    """Return δ for the distances of objects of class c: from the mean of each class, and from the average of all."""
    return np.vstack([means[c] - means, means[c] - means.mean(axis=0)])


def without_itself(r: Array, q: Array, g: Array, c: int, size: int, count: int, unridged: bool) -> Array:
    """Return ½ ‖x − φ̄‖² − ½ ‖x − φ_k‖² in the metric of M′⁻¹, the mean of class c and φ̄ taken without x.

    Without a ridge M′ may have lost a direction by the lack of x, and with it the maximum of the quotient.
    """
    a = np.ones(count + 1)
    a[c], a[-1] = size / (size - 1), 1 + 1 / (count * (size - 1))
    gamma, r = size / (size - 1) ** 2, r[:, None]
    if unridged and (1 - gamma * r).min() <= SINGULAR:
        raise ValueError(
            "without a ridge there is no leave-one-out error here: some object is the only one to vary along a "
            "direction, and without it the quotient J has no maximum. Give a ridge above 0"
        )
    squares = a**2 * r + 2 * a * q + g + gamma * (a * r + q) ** 2 / (1 - gamma * r)
    return np.asarray(squares[:, -1:] - squares[:, :-1]) / 2
