"""Leaving one object out of Fisher's discriminant, in closed form.

Let d = φ(xᵢ) − φ_c for object i of class c with ℓ members, C_c the covariance of that class and M = S_w + λI. Without i

    the mean of its class       φ_c − d / (ℓ − 1)
    the scatter                 M′ = M + C_c / (ℓ − 1) − γ d dᵀ,        γ = ℓ / (ℓ − 1)²

so that for all objects of a class M′ is one matrix, M_c = M + C_c / (ℓ − 1), less a matrix of rank one. With D the
deviations of the class (C_c = DᵀD/ℓ), N = D M⁻¹ Dᵀ and θ = 1 / ℓ(ℓ − 1), Woodbury's formula gives what is needed of
M_c,

    rᵢ = dᵀ M_c⁻¹ d         the diagonal of (I + θN)⁻¹ N
    qᵢ = dᵀ M_c⁻¹ δ_k       from (I + θN)⁻¹ D M⁻¹ δ_k,        δ_k = φ_c − φ_k
    g = δ_kᵀ M_c⁻¹ δ_k

and squared lengths in the metric of M′⁻¹ follow from that of Sherman and Morrison:

    ‖a d + δ‖² = a² r + 2 a q + g + γ (a r + q)² / (1 − γ r)

with a = 1, δ = δ_k for φ(xᵢ) − φ_k, and a = ℓ / (ℓ − 1), δ = 0 for the mean of its own class without it.

One eigenvalue decomposition of S_w serves every λ; a class of ℓ members then costs O(ℓ² · dimension) a ridge.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import scipy.linalg

from gramian.checks import Array
from gramian.factor.moments import Moments
from gramian.gram.threads import cores, run
from gramian.learn.discriminant import class_means

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

    def __call__(self, V: Array) -> Array:
        """Return S V."""
        moved = (self.means.T @ V)[self.labels]
        np.subtract(V, moved, out=moved)
        moved /= self._roots
        return np.asarray(moved)


class LeaveOneOut:
    """Points in coordinates, rotated to the principal axes of the scatter within classes.

    `largest` is its largest eigenvalue.
    """

    def __init__(self, points: Array, labels: Array) -> None:
        S = WithinClasses(labels)
        within = S(points)
        eigenvalues, axes = scipy.linalg.eigh(within.T @ within, check_finite=False)
        self._eigenvalues = np.maximum(eigenvalues, 0.0)
        self.largest = float(self._eigenvalues.max(initial=0.0))
        self._labels = labels
        self._points = points @ axes
        self._means = S.means.T @ self._points

    def scores(self, ridges: Array) -> Array:
        """Return the discriminant functions of all classes at each point, learnt without it: ridges × points × classes.

        The ridges are shared among the cores.
        """
        found = np.empty((len(ridges), len(self._points), len(self._means)))

        def work(lane: int, k: int) -> None:
            for c in range(len(self._means)):
                found[k, self._labels == c] = self._without_itself(c, self._inverse(ridges[k]), ridges[k] == 0)

        run(work, range(len(ridges)), cores(), in_turn=False)
        return found

    def _inverse(self, ridge: float) -> Array:
        """Return the eigenvalues of M⁻¹, without a ridge those of M⁺."""
        if ridge > 0:
            return np.asarray(1 / (self._eigenvalues + ridge))
        noise = (len(self._points) + 16) * float(np.finfo(np.float64).eps) * self.largest
        kept = self._eigenvalues > noise
        return np.where(kept, 1 / np.where(kept, self._eigenvalues, 1.0), 0.0)

    def _without_itself(self, c: int, weights: Array, unridged: bool) -> Array:
        """Return ½ ‖x − φ̄‖² − ½ ‖x − φ_k‖² in the metric of M′⁻¹, for the points of one class."""
        D = self._points[self._labels == c] - self._means[c]
        size, count = len(D), len(self._means)
        delta = shifts(self._means, c)
        weighted = D * weights
        N, V = weighted @ D.T, weighted @ delta.T
        theta = 1 / (size * (size - 1))
        factor = scipy.linalg.cho_factor(np.eye(size) + theta * N, overwrite_a=True, check_finite=False)
        solved = scipy.linalg.cho_solve(factor, np.hstack([N, V]), overwrite_b=True, check_finite=False)
        r, q = np.diagonal(solved), solved[:, size:]
        g = np.square(delta) @ weights - theta * np.einsum("ij,ij->j", V, q)
        return without_itself(r, q, g, c, size, count, unridged)


class LeaveOneOutOfMoments:
    """The same for some objects in explicit features, from the moments of all: M_c itself is factored."""

    def __init__(self, groups: list[Moments], points: Array, labels: Array) -> None:
        self._points, self._labels = np.asarray(points, dtype=np.float64), labels
        self._means = np.array([group.mean for group in groups])
        self._sizes = [int(group.weight) for group in groups]
        self._scatters = [group.scatter for group in groups]
        self._within = sum(S / size for S, size in zip(self._scatters, self._sizes, strict=True))

    @cached_property
    def largest(self) -> float:
        """The largest eigenvalue of the scatter within classes."""
        return max(float(scipy.linalg.eigvalsh(self._within, check_finite=False)[-1]), 0.0)

    def scores(self, ridges: Array) -> Array:
        """Return the discriminant functions of all classes at each point, learnt without it: ridges × points × classes.

        The ridges are shared among the cores.
        """
        found = np.empty((len(ridges), len(self._points), len(self._means)))

        def work(lane: int, k: int) -> None:
            for c in np.unique(self._labels):
                found[k, self._labels == c] = self._without_itself(c, ridges[k])

        run(work, range(len(ridges)), cores(), in_turn=False)
        return found

    def _without_itself(self, c: int, ridge: float) -> Array:
        size, D, delta = self._sizes[c], self._points[self._labels == c] - self._means[c], shifts(self._means, c)
        M = self._within + self._scatters[c] / (size * (size - 1))
        M[np.diag_indices_from(M)] += ridge
        given = np.vstack([D, delta]).T
        if ridge > 0:
            solved = scipy.linalg.solve(M, given, assume_a="pos", overwrite_a=True, check_finite=False)
        else:
            solved = scipy.linalg.pinvh(M, check_finite=False) @ given
        r = np.einsum("ij,ji->i", D, solved[:, : len(D)])
        q, g = D @ solved[:, len(D) :], np.einsum("ij,ji->i", delta, solved[:, len(D) :])
        return without_itself(r, q, g, c, size, len(self._means), ridge == 0)


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
