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

and the squared distances of φ(xᵢ) from the class means in the metric of M′⁻¹ follow from that of Sherman and Morrison:

    own class        (ℓ / (ℓ − 1))² r / (1 − γ r)
    class k          r + 2q + g + γ (r + q)² / (1 − γ r)

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

    `means` are the weights of the class means, n × c.
    """

    def __init__(self, labels: Array) -> None:
        sizes = np.bincount(labels)
        self.means = class_means(labels, len(sizes))
        self._labels = labels
        self._roots = np.sqrt(sizes)[labels, None]

    def __call__(self, V: Array) -> Array:
        """Return S V."""
        return np.asarray((V - (self.means.T @ V)[self._labels]) / self._roots)


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
        """Return −½ the squared distances of each point from the class means, all without the point itself.

        An array of ridges × points × classes; the ridges are shared among the cores.
        """
        found = np.empty((len(ridges), len(self._points), len(self._means)))

        def work(lane: int, k: int) -> None:
            for c in range(len(self._means)):
                found[k, self._labels == c] = -0.5 * self._distances(c, 1 / (self._eigenvalues + ridges[k]))

        run(work, range(len(ridges)), cores(), in_turn=False)
        return found

    def _distances(self, c: int, weights: Array) -> Array:
        D = self._points[self._labels == c] - self._means[c]
        delta = self._means[c] - self._means
        size = len(D)
        weighted = D * weights
        N, V = weighted @ D.T, weighted @ delta.T
        theta = 1 / (size * (size - 1))
        factor = scipy.linalg.cho_factor(np.eye(size) + theta * N, overwrite_a=True, check_finite=False)
        solved = scipy.linalg.cho_solve(factor, np.hstack([N, V]), overwrite_b=True, check_finite=False)
        r, q = np.diagonal(solved)[:, None], solved[:, size:]
        g = np.square(delta) @ weights - theta * np.einsum("ij,ij->j", V, q)
        gamma = size / (size - 1) ** 2
        room = 1 - gamma * r
        distances = r + 2 * q + g + gamma * (r + q) ** 2 / room
        distances[:, c] = ((size / (size - 1)) ** 2 * r / room)[:, 0]
        return np.asarray(distances)
