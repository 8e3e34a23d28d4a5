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

import numpy as np
import scipy.linalg

from gramian.checks import Array
from gramian.gram.threads import cores, run
from gramian.learn.classifier import class_means


class WithinClasses:
    """S = Σ_c ℓ_c^(−½) H_c as a map: rows less the mean of their class, divided by the root of its size.

    `means` are the weights of the class means, n × c; `differences` those of the means less their average.
    """

    def __init__(self, labels: Array) -> None:
        sizes = np.bincount(labels)
        self.means = class_means(labels, len(sizes))
        self.differences = self.means - self.means.mean(axis=1, keepdims=True)
        self._labels = labels
        self._roots = np.sqrt(sizes)[labels, None]

    def __call__(self, V: Array) -> Array:
        """Return S V."""
        moved = (self.means.T @ V)[self._labels]
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
                found[k, self._labels == c] = self._without_itself(c, 1 / (self._eigenvalues + ridges[k]))

        run(work, range(len(ridges)), cores(), in_turn=False)
        return found

    def _without_itself(self, c: int, weights: Array) -> Array:
        """Return ½ ‖x − φ̄‖² − ½ ‖x − φ_k‖² in the metric of M′⁻¹, for the points of one class."""
        D = self._points[self._labels == c] - self._means[c]
        size, count = len(D), len(self._means)
        # What is measured is a d + δ: the distance to another class, to the own one, and to the average φ̄ of all.
        delta = np.vstack([self._means[c] - self._means, self._means[c] - self._means.mean(axis=0)])
        a = np.ones(count + 1)
        a[c], a[-1] = size / (size - 1), 1 + 1 / (count * (size - 1))
        weighted = D * weights
        N, V = weighted @ D.T, weighted @ delta.T
        theta = 1 / (size * (size - 1))
        factor = scipy.linalg.cho_factor(np.eye(size) + theta * N, overwrite_a=True, check_finite=False)
        solved = scipy.linalg.cho_solve(factor, np.hstack([N, V]), overwrite_b=True, check_finite=False)
        r, q = np.diagonal(solved)[:, None], solved[:, size:]
        g = np.square(delta) @ weights - theta * np.einsum("ij,ij->j", V, q)
        gamma = size / (size - 1) ** 2
        squares = a**2 * r + 2 * a * q + g + gamma * (a * r + q) ** 2 / (1 - gamma * r)
        return np.asarray(squares[:, -1:] - squares[:, :-1]) / 2
