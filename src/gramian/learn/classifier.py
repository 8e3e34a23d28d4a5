"""Linear discriminant functions in feature space: one direction and one offset for each class.

    g_c(x) = ⟨w_c, φ(x)⟩ − b_c,        w_c = Σᵢ αᵢ_c φ(xᵢ),

and the class with the largest value is predicted. For two classes that is the sign of ⟨w, φ(x)⟩ − b with w = w₊ − w₋
and b = b₊ − b₋, the second of `classes_` being the positive one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from gramian.checks import Array
from gramian.learn.base import KernelEstimator, evaluate
from gramian.space.vectors import Vectors


class KernelClassifier(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    """A classifier by linear discriminant functions in feature space.

    Attributes
    ----------
    classes_ : array of shape (c,)
        The labels, sorted.
    dual_coef_ : array of shape (n,), or (n, c) for more than two classes
        α, the weights of the training objects.
    offset_ : float, or array of shape (c,)
        b.
    directions_ : Vectors
        w, one for two classes, else one for each class.
    """

    classes_: Array
    dual_coef_: Array
    offset_: Any
    directions_: Vectors

    def _keep(self, alpha: Array, offsets: Array, primal: Array | None = None) -> None:
        """Keep one discriminant function for each class; of two classes, their difference."""

        def told_apart(columns: Array) -> Array:
            return columns[..., 1] - columns[..., 0] if len(self.classes_) == 2 else columns

        self.dual_coef_ = told_apart(alpha)
        self.offset_ = float(told_apart(offsets)) if len(self.classes_) == 2 else offsets
        self.directions_ = self.sample_.combine(self.dual_coef_)
        self._primal = None if primal is None else told_apart(primal)

    def decision_function(self, X: Any) -> Array:
        """Return ⟨w, φ(x)⟩ − b: (m,) for two classes, positive for the second one, else (m, c)."""
        images = self._images(X)
        return np.asarray(evaluate(self.directions_, images, self._primal) - self.offset_)

    def predict(self, X: Any) -> Array:
        """Return the label of the class with the largest discriminant function."""
        values = self.decision_function(X)
        return np.asarray(self.classes_[(values > 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)])


def class_means(labels: Array, count: int) -> Array:
    """Return the weights of the class means, n × c: 1/ℓ_c for the members of class c, else 0."""
    indicator = np.equal.outer(labels, np.arange(count)).astype(np.float64)
    return np.asarray(indicator / indicator.sum(axis=0))
