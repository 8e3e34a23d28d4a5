"""Leaving folds out of Fisher's discriminant, from one set of explicit features.

Without a fold S, to which s of the ℓ members of class c belong, ℓ′ = ℓ − s of them are left. Let D hold the rows
d = φ(x) − φ_c of S. The mean of the class becomes φ_c − (Σ_S d) / ℓ′, and the scatter within classes

    M′ = M_s − Dᵀ B D,        M_s = Σ_c (ℓ/ℓ′) C_c + λI,        B⁻¹ = ℓ′ (I − 11ᵀ/ℓ)  class by class,

C_c the covariance of class c among all objects. M_s depends on how many members of each class the fold has and not on
which, so that one decomposition serves every ridge and every fold of that composition; of folds of one, or of balanced
ones, there are few. By Woodbury's formula inner products in the metric of M′⁻¹ are

    uᵀ M′⁻¹ v = uᵀ M_s⁻¹ v + uᵀ M_s⁻¹ Dᵀ (B⁻¹ − D M_s⁻¹ Dᵀ)⁻¹ D M_s⁻¹ v,

systems of the size of the fold. Where folds are large, or few of a composition, the scatter of the others is decomposed
anew for each of them: the same answer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.linalg

from gramian.checks import Array
from gramian.learn.discriminant import class_means
from gramian.learn.fisher_loo import EIGEN, WithinClasses
from gramian.runtime.threads import aside


def fold_scores(points: Array, labels: Array, folds: Sequence[Array], ridges: Array) -> Array:
    """Return the discriminant functions at each point, learnt without its fold: ridges × points × classes.

    g_c(x) = ⟨M⁻¹ (φ_c − φ̄), x − φ̄⟩ − ½ ⟨M⁻¹ (φ_c − φ̄), φ_c − φ̄⟩, with φ̄ the average of the means of the classes.
    """
    count = int(labels.max()) + 1
    scores = np.empty((len(ridges), len(points), count))
    alike: dict[bytes, list[Array]] = {}
    for fold in folds:
        alike.setdefault(np.bincount(labels[fold], minlength=count).tobytes(), []).append(fold)
    for some in alike.values():
        if _pays(len(some), len(some[0]), points.shape[1], len(ridges)):
            whole = _Whole(points, labels, np.bincount(labels[some[0]], minlength=count), ridges)
            for fold in some:
                scores[:, fold] = whole.without(fold)
        else:
            for fold in some:
                scores[:, fold] = _anew(points, labels, fold, ridges)
    return scores


def _pays(folds: int, size: int, m: int, ridges: int) -> bool:
    """Tell whether one decomposition, and systems of the size of the folds, cost less than a decomposition for each."""
    each = ridges * size**2 * (2.0 * m + size) + 3.0 * size * m**2
    return EIGEN * m**3 + folds * each < folds * EIGEN * m**3


def _anew(points: Array, labels: Array, fold: Array, ridges: Array) -> Array:
    """Learn from all others."""
    others = np.setdiff1d(np.arange(len(points)), fold)
    classes = WithinClasses(labels[others])
    inside = classes(points[others])
    values, axes = aside(lambda: np.linalg.eigh(inside.T @ inside))
    means = class_means(labels[others], len(classes.sizes)).T @ points[others]
    center = means.mean(axis=0)
    P, T = (points[fold] - center) @ axes, (means - center) @ axes
    scores = np.empty((len(ridges), len(fold), len(T)))
    for k, inverse in enumerate(_inverses(values, ridges)):
        W = inverse * T
        scores[k] = P @ W.T - np.einsum("ij,ij->i", W, T) / 2
    return scores


class _Whole:
    """M_s of a composition of folds, decomposed."""

    def __init__(self, points: Array, labels: Array, left: Array, ridges: Array) -> None:
        self._points, self._labels = points, labels
        self._sizes = np.bincount(labels)
        self._rest = self._sizes - left
        self._means = class_means(labels, len(left)).T @ points
        deviations = (points - self._means[labels]) / np.sqrt(self._rest)[labels, None]
        values, self._axes = aside(lambda: np.linalg.eigh(deviations.T @ deviations))
        self._inverses = _inverses(values, ridges)

    def without(self, fold: Array) -> Array:
        """Return the functions at a fold of this composition, learnt without it."""
        labels, rest = self._labels[fold], self._rest
        D = self._points[fold] - self._means[labels]
        members = np.equal.outer(np.arange(len(rest)), labels).astype(np.float64)
        means = self._means - members @ D / rest[:, None]
        center = means.mean(axis=0)
        P, T, D = (self._points[fold] - center) @ self._axes, (means - center) @ self._axes, D @ self._axes
        B = np.diag(rest[labels].astype(np.float64)) - (members.T * (rest / self._sizes)) @ members
        scores = np.empty((len(self._inverses), len(fold), len(rest)))
        for k, inverse in enumerate(self._inverses):
            W, E = inverse * T, inverse * D
            U = D @ W.T
            solved = scipy.linalg.solve(B - D @ E.T, U, assume_a="sym", check_finite=False)
            squares = np.einsum("ij,ij->i", W, T) + np.einsum("ij,ij->j", U, solved)
            scores[k] = P @ W.T + (P @ E.T) @ solved - squares / 2
        return scores


def _inverses(values: Array, ridges: Array) -> Array:
    return np.asarray(1 / np.add.outer(ridges, np.maximum(values, 0.0)))
