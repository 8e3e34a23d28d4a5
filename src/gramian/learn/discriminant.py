"""Linear discriminant functions in feature space: one direction and one offset for each class.

    g_c(x) = ⟨w_c, φ(x)⟩ − b_c,        w_c = Σᵢ αᵢ_c φ(xᵢ),

and the class with the largest value is predicted. For two classes that is the sign of ⟨w, φ(x)⟩ − b with w = w₊ − w₋
and b = b₊ − b₋, the second of `classes_` being the positive one.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from gramian.checks import Array
from gramian.formula.encoded import Encoded
from gramian.intake.batches import Batches
from gramian.learn.base import evaluate
from gramian.learn.calibration import Calibrated, Calibration
from gramian.learn.lowrank import Reducible
from gramian.learn.ways import Summed, Way, require_one_kind
from gramian.learn.weights import Weighted
from gramian.space.moments import Chunk, Moments
from gramian.space.vectors import Vectors


class Discriminant(Calibrated, ClassifierMixin, Weighted, Reducible):  # type: ignore[misc]
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
        self._calibration = Calibration()
        self.dual_coef_ = told_apart(alpha)
        self.offset_ = float(told_apart(offsets)) if len(self.classes_) == 2 else offsets
        self.directions_ = self.sample_.combine(self.dual_coef_)
        self._primal = None if primal is None else told_apart(primal)

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether there is something to predict: batches that have shown one class only are not enough."""
        return hasattr(self, "directions_")

    def _take_classes(self, X: Any, y: Any) -> None:
        """Add objects to the moments of their classes."""
        self._sum_up(X, None if isinstance(X, Batches) else self._labels_of(y, X))

    def _chunk(self, way: Summed, points: Encoded, some: Any, weights: Array | None) -> Chunk:
        return Chunk(points, groups=numbers_of(some, way.labels))

    def _told(self, some: Any, points: Encoded) -> Array:
        return self._labels_of(some, points)

    def _labels_of(self, y: Any, objects: Any) -> Array:
        labels = self._targets(y, numeric=False, objects=objects)
        check_classification_targets(labels)
        return labels

    def _numbers_of(self, labels: Array) -> Array:
        """Return the number of each label in the order in which labels have turned up."""
        return numbers_of(labels, self._label_numbers)

    def _class_moments(self) -> tuple[list[Moments], Array]:
        """Return the moments of the classes, and the class of each object of the probe."""
        order = self._class_order()
        moments = self._summed.moments()
        return [moments[number] for number in order], np.argsort(order)[cast(Array, self._summed.probed.groups)]

    @property
    def _label_numbers(self) -> dict[Any, int]:
        """The number of each label, in the order in which they came."""
        return cast(Way, self._way).labels

    def _class_order(self) -> Array:
        """Settle `classes_`, and return the numbers of these in the order in which they turned up."""
        self._classes_among(np.array(list(self._label_numbers)))
        return np.argsort(list(self._label_numbers))

    def decision_function(self, X: Any) -> Array:
        """Return ⟨w, φ(x)⟩ − b: (m,) for two classes, positive for the second one, else (m, c)."""
        images = self._images(X)
        return np.asarray(evaluate(self.directions_, images, self._primal) - self.offset_)

    def _functions(self) -> tuple[Vectors, Array | None, Any, tuple[Any, ...], Any]:
        return self.directions_, self._primal, -np.asarray(self.offset_), *spoken_for(self.classes_)

    def predict(self, X: Any) -> Array:
        """Return the label of the class with the largest discriminant function."""
        values = self.decision_function(X)
        return np.asarray(self.classes_[decided(values)])


def numbers_of(labels: Array, known: dict[Any, int]) -> Array:
    """Return the number of each label among those that are known, to which new ones are added."""
    distinct, inverse = np.unique(labels, return_inverse=True)
    found = np.array([known.setdefault(label, len(known)) for label in distinct.tolist()])[inverse]
    require_one_kind(known)
    return np.asarray(found)


def told_apart(columns: Array) -> Array:
    """Return one column for each class; of two classes, their difference."""
    return np.asarray(columns[..., 1] - columns[..., 0] if columns.shape[-1] == 2 else columns)


def decided(values: Array) -> Array:
    """Return the numbers of the classes that decision values decide for."""
    return np.asarray((values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1))


def spoken_for(classes: Array) -> tuple[tuple[Any, ...], Any]:
    """Return the classes that decision functions speak for; of two classes the second, and the first it is against."""
    known = tuple(classes.tolist())
    return (known[1:], known[0]) if len(known) == 2 else (known, None)


def class_means(labels: Array, count: int) -> Array:
    """Return the weights of the class means, n × c: 1/ℓ_c for the members of class c, else 0."""
    members = indicator(labels, count)
    members /= members.sum(axis=0)
    return members


def indicator(labels: Array, count: int) -> Array:
    """Return 1 for the members of a class, else 0, n × c."""
    return np.equal.outer(labels, np.arange(count)).astype(np.float64)
