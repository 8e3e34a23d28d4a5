"""Scores of answers that come in parts: the sums of each part, put together in a fixed tree.

They are what scikit-learn says of all answers at once: the share of labels that are right, and R².
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian.checks import Array, warn
from gramian.intake.collections import Collection
from gramian.learn.ridges import unit_of


def of_labels(answers: Collection) -> float:
    """Return the share of right labels, of objects by their weights."""
    right, weight = answers.summed(_right, _added, "score")
    return float(right / weight)


def of_numbers(answers: Collection) -> float:
    """Return R², the share of the variance of the targets that the answers explain: the mean over all targets."""
    return answers.summed(_errors, Errors.joined, "score").explained()


def of_distances(answers: Collection) -> float:
    """Return minus the sum of squared distances from the nearest centres."""
    found, _ = answers.summed(_nearest, _added, "score")
    return -float(found)


@dataclass(frozen=True, eq=False)
class Errors:
    """Weighted sums over targets and the answers about them, one for each column.

    Attributes
    ----------
    unit : float
        A power of two by which targets and answers were divided, so that no square overflows.
    count : int
        Number of objects.
    weight : float
        Sum of their weights.
    mean, spread : array of shape (t,)
        Mean of the targets, and the sum of squares about it.
    squares : array of shape (t,)
        Sum of the squared errors.
    """

    unit: float
    count: int
    weight: float
    mean: Array
    spread: Array
    squares: Array

    def joined(self, other: Errors) -> Errors:
        """Return the sums over both."""
        unit = max(self.unit, other.unit)
        a, b = self._in(unit), other._in(unit)
        weight = a.weight + b.weight
        gap, share = b.mean - a.mean, b.weight / weight if weight else 0.0
        return Errors(
            unit,
            a.count + b.count,
            weight,
            a.mean + share * gap,
            a.spread + b.spread + a.weight * share * gap**2,
            a.squares + b.squares,
        )

    def _in(self, unit: float) -> Errors:
        if (r := self.unit / unit) == 1:
            return self
        return Errors(unit, self.count, self.weight, self.mean * r, self.spread * r * r, self.squares * r * r)

    def explained(self) -> float:
        """Return 1 − squares / spread; of targets that are all the same 1 for answers without an error, else 0."""
        if self.count < 2:
            warn("R² of fewer than two objects is not defined")
            return float("nan")
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.where(self.spread > 0, 1 - self.squares / self.spread, np.where(self.squares > 0, 0.0, 1.0))
        return float(found.mean())


def _right(answers: Array, y: Array, start: int, weights: Array | None = None) -> tuple[Any, Any]:
    right = y == answers
    return (np.count_nonzero(right), len(right)) if weights is None else (weights[right].sum(), weights.sum())


def _errors(answers: Array, y: Array, start: int, weights: Array | None = None) -> Errors:
    targets = y.astype(np.float64)
    if targets.shape != answers.shape:
        raise ValueError(f"y has the shape {targets.shape}, and the predictions {answers.shape}: the same expected")
    Y, answers = targets.reshape(len(targets), -1), answers.reshape(len(targets), -1)
    unit, w = unit_of(Y), np.ones(len(Y)) if weights is None else weights
    Y, E, weight = Y / unit, Y / unit - answers / unit, float(w.sum())
    mean = w @ Y / weight if weight else np.zeros(Y.shape[1])
    return Errors(unit, len(Y), weight, mean, w @ np.square(Y - mean), w @ np.square(E))


def _nearest(distances: Array, y: Any, start: int) -> tuple[float, int]:
    return float(np.square(distances.min(axis=1), dtype=np.float64).sum()), len(distances)


def _added(a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
    return a[0] + b[0], a[1] + b[1]
