"""What all learners share: a kernel, a sample in its feature space, and scikit-learn's contract.

A learner is given objects, or the lazy Gram of objects. Its kernel is settled on them (``bandwidth="median"``), they
are encoded once, and from then on the learner speaks of their images φ(x₁)…φ(xₙ), a `Vectors`: centres are means of
it, discriminants and regression functions combinations of it, and new objects are points of the same space. What a
learner writes is its own formula.
"""

from __future__ import annotations

import functools
import numbers
import warnings
from collections.abc import Callable
from copy import copy
from typing import Any, Literal, Self, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from gramian.checks import Array, as_vectors, at_hand, from_device
from gramian.gram.gram import Gram, as_symmetric, features, finite_norms, require_range
from gramian.intake.batches import Batches
from gramian.kernels.algebra import Kernel
from gramian.kernels.radial import Gaussian
from gramian.learn.sklearn_private import check_targets, count_objects, take_rows
from gramian.learn.there import answers_there
from gramian.learn.ways import Way
from gramian.places import CORES, place_of
from gramian.space.vectors import FeatureSpace, Vectors

MEDIAN_GAUSSIAN = Gaussian(bandwidth="median")
KERNEL = "kernel__"
KINDS: dict[str, tuple[type, ...]] = {"strings": (str,), "bytes": (bytes,), "numbers": (numbers.Number, np.ndarray)}

Method = TypeVar("Method", bound=Callable[..., Any])


class KernelEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator that learns from a sample in the feature space of a kernel.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel, settled on the sample.
    sample_ : Vectors
        φ(x₁)…φ(xₙ), the images of the training objects.
    """

    _came_in_batches = False

    kernel: Kernel
    kernel_: Kernel
    sample_: Vectors

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        answers_there(cls)

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of the kernel as ``kernel__bandwidth``: another kernel takes the place of the old one.

        >>> import gramian as gm
        >>> gm.KernelRidge().set_params(kernel__bandwidth=2.0).kernel
        Gaussian(bandwidth=2.0)
        """
        inner = {name.removeprefix(KERNEL): params.pop(name) for name in list(params) if name.startswith(KERNEL)}
        super().set_params(**params)
        if inner:
            self.kernel = self._require_kernel().with_params(**inner)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.two_d_array = getattr(self.kernel, "on_vectors", True)
        return tags

    # The sample

    def _learn_sample(self, X: Any, present: Array | None = None) -> Vectors:
        """Settle the kernel on the objects (or take that of their Gram) and keep their images.

        `present` marks the objects that a kernel may take something from; all by default.
        """
        for name in ("n_features_in_", "feature_names_in_", "_came_in_batches"):
            self.__dict__.pop(name, None)
        if isinstance(X, Gram):
            if as_symmetric(X, f"{type(self).__name__}.fit").diagonal:
                raise ValueError(f"{X!r} has a ridge on its diagonal: pass the Gram without it, and the ridge apart")
            self.kernel_, points, memory = cast(Kernel, X.kernel), X.rows, X.memory
        else:
            X = self._checked(X, self._require_kernel(), reset=True)
            if count_objects(X) == 0:
                raise ValueError("X is empty; at least one object expected")
            self.kernel_ = self.kernel.fit(X if present is None else take_rows(X, np.flatnonzero(present)))
            points, memory = self.kernel_.encoded(X).copy(), None
        require_range(self.kernel_, points)
        self.sample_ = Vectors(FeatureSpace(self.kernel_, memory=memory), points)
        return self.sample_

    def _images(self, X: Any) -> Vectors:
        """Return the images of new objects in the feature space of the sample."""
        check_is_fitted(self)
        return self._new_images(X)

    def _new_images(self, X: Any) -> Vectors:
        space = self.sample_.space
        if isinstance(X, Batches):
            raise TypeError("new objects are asked about batch by batch: [model.predict(some) for some, _ in batches]")
        if isinstance(X, Gram):
            if X.kernel != self.kernel_:
                raise ValueError(f"the Gram is one of {X.kernel!r}, and this learner was fitted under {self.kernel_!r}")
            return Vectors(space, X.rows)
        images = space.images(self._checked(X, self.kernel_, reset=False))
        if space.kernel.explicit(images.points):
            finite_norms(space.kernel, images.points)
        if images.points.signature != self.sample_.points.signature:
            raise ValueError(
                f"X and the sample this was fitted on do not fit together: {images.points.describe()} against "
                f"{self.sample_.points.describe()}"
            )
        return images

    def _checked(self, X: Any, kernel: Kernel, reset: bool) -> Any:
        """Let scikit-learn check vectors and note their width and names; other objects are for the kernel to check."""
        at_hand(X)
        place = place_of(X)
        if kernel.on_vectors and place is not CORES:
            return place.vectors(validate_data(self, X, reset=reset, skip_check_array=True), "X")
        if kernel.on_vectors:
            if isinstance(X, np.ma.MaskedArray) or not _like_numbers(X):
                X = as_vectors(X)  # scikit-learn would take what is under the mask, count days, or not know a set
            with warnings.catch_warnings():
                if not reset and self._came_in_batches:  # the names are those of a file; its batches have none
                    warnings.filterwarnings("ignore", "X does not have valid feature names")
                return validate_data(self, X, reset=reset, accept_sparse="csr", dtype=(np.float64, np.float32))
        if isinstance(X, str | bytes):
            raise TypeError(f"X is a single {type(X).__name__}; a list expected: pass [X] if it is one object")
        self._check_kind(X, reset)
        if getattr(X, "ndim", 0) == 2 and not kernel.traits.by_name:
            validate_data(self, X, reset=reset, skip_check_array=True)
        return X

    def _check_kind(self, X: Any, reset: bool) -> None:
        """Refuse numbers where words were learnt, and the other way round."""
        found = {next((name for name, kinds in KINDS.items() if issubclass(t, kinds)), None) for t in _types(X)}
        kind = found.pop() if len(found) == 1 else None
        learnt = None if reset else getattr(self, "_kind", None)
        if kind and learnt and kind != learnt:
            raise TypeError(f"X holds {kind}, and {type(self).__name__} was fitted on {learnt}")
        if reset:
            self._kind = kind

    def _require_kernel(self) -> Kernel:
        if not isinstance(self.kernel, Kernel):
            raise TypeError(
                f"kernel is {self.kernel!r}; a kernel expected, such as gm.Gaussian(bandwidth='median') or gm.Linear()"
            )
        return self.kernel

    # Targets

    def question(self, X: Any, y: Any) -> tuple[Gram, Array, Literal["auto", "classes", "numbers"]]:
        """Return the Gram of objects and their checked target, without learning anything, for `alignment`."""
        gram = self._learn_sample(X).gram()
        if is_classifier(self):
            return gram, self._classes(y), "classes"
        if is_regressor(self):
            return gram, self._targets(y, numeric=True, multi_output=True), "numbers"
        return gram, self._targets(y, numeric=False), "auto"

    def _classes(self, y: Any) -> Array:
        """Check class labels, keep `classes_`, and return the number of the class of each object."""
        y = self._targets(y, numeric=False)
        check_classification_targets(y)
        return self._classes_among(y)

    def _classes_among(self, y: Array) -> Array:
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has one class only, {named(self.classes_[0])}; at least two expected. To tell whether new objects "
                "are like these, use NoveltyDetector"
            )
        return np.asarray(labels)

    def _targets(self, y: Any, *, numeric: bool, multi_output: bool = False, objects: Any = None) -> Array:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None: call fit(X, y)")
        y = from_device(y)
        found = np.asarray(y) if isinstance(y, np.ndarray) else np.asarray(y, dtype=object)
        if found.dtype == object and any(map(_missing, found.ravel())):
            raise ValueError("y holds missing values (None or NaN); drop those objects first")
        try:
            found = np.asarray(check_targets(y, multi_output=multi_output, numeric=numeric, estimator=self))
        except OverflowError:  # an integer of Python may be as large as it likes
            raise ValueError("y holds an integer beyond the largest float, 1.8e308: rescale y") from None
        check_consistent_length(self.sample_ if objects is None else objects, found)
        return found.astype(np.float64) if numeric else found


def _types(X: Any) -> set[type]:
    """Return the types of the objects of a list or an array; those of anything else are not known."""
    if isinstance(X, np.ndarray) and X.ndim and X.dtype != object:
        return {np.ndarray if X.ndim > 1 else X.dtype.type} if len(X) else set()
    return {type(x) for x in X} if isinstance(X, list | tuple | np.ndarray) else set()


def _like_numbers(X: Any) -> bool:
    """Tell whether X may be an array of numbers, a list of rows or a data frame, for scikit-learn to look at."""
    if not isinstance(X, list | tuple) and not hasattr(X, "shape") and not hasattr(X, "__array__"):
        return False
    return getattr(getattr(X, "dtype", None), "kind", "") not in ("m", "M", "V")


def _missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # such as pandas.NA, which is neither equal to itself nor not
        return True


def named(label: Any) -> str:
    """Write a class label as the user knows it."""
    return repr(label.item() if isinstance(label, np.generic) else label)


def evaluate(functions: Vectors, images: Vectors, primal: Array | None) -> Array:
    """Return the values ⟨w, φ(x)⟩ of functions at points, through explicit features where their weights are known."""
    if primal is None:
        return np.asarray(images.inner(functions))
    kernel, points = images.space.kernel, images.points.like(functions.points)
    values = np.empty((len(points), *primal.shape[1:]))
    for span in images.gram().spans(len(points), len(primal)):
        phi = features(kernel, points[span])
        values[span] = place_of(phi).times(phi, primal)
    return values


def as_given(vectors: Vectors, coordinates: Array) -> Array:
    """Return coordinates in the precision of the objects they belong to: float32 in, float32 out."""
    return np.asarray(coordinates, dtype=vectors.space.kernel.squared_norms(vectors.points[:1]).dtype)


def offered_if(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """Give an estimator a method only where `check` says so, as scikit-learn's `available_if` does."""
    return cast(Callable[[Method], Method], available_if(check))


def undone_if_refused(method: Method) -> Method:
    """Leave an estimator as it was where a method that changes it ends with an error."""

    @functools.wraps(method)
    def tried(self: Any, *arguments: Any, **named: Any) -> Any:
        changing = (dict, Way)  # which are added to in place
        before = {name: copy(held) if isinstance(held, changing) else held for name, held in vars(self).items()}
        try:
            return method(self, *arguments, **named)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Method, tried)
