"""The Parzen window classifier: assign each object to the nearest centre of mass (seed 000, Algorithm 5.6).

With φ_c the centre of class c, ‖φ(x) − φ_c‖² = κ(x, x) − 2 ⟨φ_c, φ(x)⟩ + ‖φ_c‖², so the nearest centre is the largest
of

    g_c(x) = ⟨φ_c, φ(x)⟩ − ½ ‖φ_c‖².

For two classes it is the sign of Σᵢ αᵢ κ(xᵢ, x) − b, α = α⁺ − α⁻, b = ½ (α⁺ᵀKα⁺ − α⁻ᵀKα⁻). With a kernel that is a
density, Σ αᵢ κ(xᵢ, x) is the difference of two Parzen window estimates.

Remark 5.7: an object that novelty detection finds outside a class can be said, with high confidence, not to belong to
it, which of two classes leaves the other. `p_values` is that argument, without the slack of a bound. With x among the
ℓ members of a class their centre is φ′ = (ℓ φ_c + φ(x)) / (ℓ + 1), and if x is one of them, its distance from φ′ is as
likely to be the largest as that of any other: the share of those that are at least as far is a p-value.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gramian.checks import Array
from gramian.formula.encoded import Encoded
from gramian.gram.gram import features_on_host
from gramian.intake.batches import Batches
from gramian.kernels.algebra import Kernel
from gramian.learn.base import MEDIAN_GAUSSIAN, offered_if, undone_if_refused
from gramian.learn.discriminant import Discriminant, class_means, decided, indicator, told_apart
from gramian.learn.lowrank import Rank, given_rank, landmark_coefficients
from gramian.runtime.journal import keeping
from gramian.space.moments import dense
from gramian.space.vectors import Vectors


class ParzenClassifier(Discriminant):
    """Classify objects by the nearest centre of mass in feature space (Algorithm 5.6).

    Nothing is solved and nothing is tuned but the kernel: one pass over K, O(n²) kernel values and O(n) memory. A good
    first answer, and the baseline that a more expensive method has to beat.

    Parameters
    ----------
    kernel : Kernel
        By default the Gaussian with the median distance as bandwidth. In high dimensions a smaller one is often better.
    rank : int, "exact" or None
        Number of landmarks through which the objects are seen (`Nystrom`): one pass over the data and O(rank) memory,
        for any n, with an error that `trace_error_` tells. By default the answer is exact wherever that takes
        reasonable time (some million vectors), and of rank 1000 beyond.
    checkpoint : path, optional
        A directory in which long work is kept as it goes on: after a crash the same call continues from there, and
        gives the same answer. It can be deleted when the fit is done.

    Attributes
    ----------
    kernel_, sample_
        The settled kernel and the images of the training objects.
    classes_ : array of shape (c,)
        The labels, sorted; with two of them the second is the positive one.
    centers_ : Vectors
        The centres of mass of the classes.
    dual_coef_ : array of shape (n,), or (n, c) for more than two classes
        α = α⁺ − α⁻; for more classes the weights of each centre.
    offset_ : float, or array of shape (c,)
        b = ½ (‖φ₊‖² − ‖φ₋‖²); for more classes ½ ‖φ_c‖².

    Raises
    ------
    ValueError
        In `fit`: if there are fewer than two classes.

    See Also
    --------
    FisherDiscriminant : directions that separate classes best
    NoveltyDetector : objects unlike the sample, with a bound on false alarms
    mean_test : whether two centres of mass differ

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> model = gm.ParzenClassifier(gm.Gaussian(bandwidth=0.5)).fit(flowers.data, flowers.target)
    >>> round(model.score(flowers.data, flowers.target), 2)
    0.97
    >>> two = gm.ParzenClassifier(gm.Gaussian(bandwidth=1.0)).fit(flowers.data[:100], flowers.target[:100])
    >>> two.p_values(flowers.data[[0, 50, 118]]).round(2)     # one of each, and one of a species it has not seen
    array([[0.96, 0.02],
           [0.02, 0.12],
           [0.02, 0.02]])
    """

    centers_: Vectors
    _own: Array | None = None  # ⟨φ(xᵢ), φ_c⟩ of the sample, once they were asked for

    def __init__(self, kernel: Kernel = MEDIAN_GAUSSIAN, rank: Rank = None, checkpoint: Any = None) -> None:
        self.kernel = kernel
        self.rank = rank
        self.checkpoint = checkpoint

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the centres of the classes.

        Parameters
        ----------
        X : objects that the kernel accepts, their symmetric Gram, or `Batches` of objects and labels
        y : array of shape (n,)
            Labels of at least two classes. The centre of a class of one member is that object.
        """
        X = self._source(X)
        with keeping(self.checkpoint):
            return self._fit(X, y)._keep_names(X)

    @undone_if_refused
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Learn from more objects; with ``rank=None`` exactly, by comparing them with all so far.

        The first call settles the kernel, and with a `rank` chooses the landmarks. Classes may turn up in any call;
        `classes`, which scikit-learn's convention asks for, is not needed.
        """
        X = self._source(X)
        low = given_rank(self.rank) is not None
        self._require_same_way(low)
        if not isinstance(X, Batches):
            y = self._labels_of(y, X)
        if low:
            if self._landmarks is None:
                self._start(X, scatter=False)
            self._take_classes(X, y)
        else:
            for some, targets in X if isinstance(X, Batches) else [(X, y)]:
                self._compare(some, targets, begun=self._way is not None)
        if len(self._label_numbers) > 1:
            self._settle()
        return self

    def _fit(self, X: Any, y: Any) -> Self:
        X, y, reduced = self._prepared(X, y)
        if reduced:
            self._forget("_numbers", "_sums")
            self._start(X, scatter=False)
            self._take_classes(X, y)
            self._settle()
            self._warn_if_automatic()
            return self
        self._compare(X, y, begun=False)
        self._settle()
        return self

    def _compare(self, X: Any, y: Any, begun: bool) -> None:
        """Add up κ within each class: of new objects among themselves, and of them with those before."""
        old = self.sample_ if begun else None
        new = self._new_images(X) if begun else self._learn_sample(X)
        labels = self._labels_of(y, new)
        if old is None:
            self._begin_exactly()
            self._numbers, self._sums = np.empty(0, np.intp), np.empty(0)
        numbers = self._numbers_of(labels)
        count = len(self._label_numbers)
        own = indicator(numbers, count)
        self._sums = np.append(self._sums, np.zeros(count - len(self._sums)))
        self._sums += np.einsum("ij,ij->j", own, new.gram().apply(own))
        if old is not None:
            with_old = self.sample_.space.gram(new.points, old.points).apply(indicator(self._numbers, count))
            self._sums += 2 * np.einsum("ij,ij->j", own, with_old)
            self.sample_ = Vectors(old.space, old.points.concat(new.points))
        self._numbers = np.append(self._numbers, numbers)

    @offered_if(lambda self: self._landmarks is None)
    def p_values(self, X: Any) -> Array:
        """Return for each class the p-value of "x belongs to it", m × c (Remark 5.7). Not in low rank.

        (1 + #{members at least as far from their common centre as x}) / (ℓ + 1), with x counted in for the centre:
        of objects of the class at most a share α have a value of at most α, whatever their distribution. So a class
        with a value of at most 0.05 can be left out with a confidence of 95 %, and of two classes the other is left.
        Where all values are small, x is of none. That holds for a kernel as it is given; one that takes something from
        data takes it from the training objects, and the values are as good as that choice is steady.

        Costs κ of each object with all of the training.
        """
        images = self._images(X)
        if self._own is None:
            self._own = np.asarray(self.sample_.inner(self.centers_))
        labels = np.argsort(self._class_order())[self._numbers]
        groups = [np.flatnonzero(labels == c) for c in range(len(self.classes_))]
        p_values = np.empty((len(images), len(groups)))
        gram = self.sample_.space.gram(images.points, self.sample_.points)
        for span in images.gram().spans(len(images), len(self.sample_)):
            p_values[span] = self._p_values_of(gram.block(span, slice(None)), images.points[span], groups, self._own)
        return p_values

    @property
    def loo_decision_(self) -> Array:
        """The decision function for each training object of a model fitted without it, in closed form.

        In low rank of some of them. A class without its only member has no centre, and the value −∞.
        """
        check_is_fitted(self)
        return self._left_out_decisions()[0]

    @property
    def loo_error_(self) -> float:
        """The share of the training objects that a model fitted without them gets wrong."""
        check_is_fitted(self)
        decisions, labels, _ = self._left_out_decisions()
        return float(np.mean(decided(decisions) != labels))

    def _left_out_decisions(self) -> tuple[Array, Array, Array | None]:
        if (low := self._landmarks) is not None:
            groups, labels = self._class_moments()
            points = dense(features_on_host(low, self._summed.probed.points)).astype(np.float64)
            means, sizes = np.array([group.mean for group in groups]), np.array([group.weight for group in groups])
            own, norms = points @ means.T, np.square(points).sum(axis=1)
            squares = np.square(means).sum(axis=1)
        else:
            labels = np.argsort(self._class_order())[self._numbers]
            sizes, squares = np.bincount(labels), self._squares()
            own = np.asarray(self.sample_.inner(self.centers_)) if self._own is None else self._own
            norms = self.kernel_.squared_norms(self.sample_.points).astype(np.float64)
        return told_apart(without_itself(own, norms, squares, sizes.astype(np.float64), labels)), labels, None

    def _squares(self) -> Array:
        """Return the squared norm of each centre, from the sums of κ within classes."""
        order = self._class_order()
        return np.asarray(self._sums[order] / np.bincount(self._numbers)[order] ** 2)

    def _p_values_of(self, K: Array, points: Encoded, groups: list[Array], at_centers: Array) -> Array:
        """Return the p-values of objects from their values of κ with the training objects, and theirs at the centres.

        ‖φ(xᵢ) − φ′‖² is κ(xᵢ, xᵢ) − 2 (ℓ ⟨φ(xᵢ), φ_c⟩ + κ(xᵢ, x)) / (ℓ + 1), and what is the same for all members.
        """
        norms, own = (self.kernel_.squared_norms(some).astype(np.float64) for some in (self.sample_.points, points))
        rounding = max(self.kernel_.accuracy(K.dtype), 64 * float(np.finfo(K.dtype).eps)) * float(norms.max())
        p_values = np.empty((len(K), len(groups)))
        for c, members in enumerate(groups):
            size, values = len(members), K[:, members].astype(np.float64)
            apart = norms[members] - 2 * (size * at_centers[members, c] + values) / (size + 1)
            itself = own - 2 * (values.sum(axis=1) + own) / (size + 1)
            p_values[:, c] = (1 + (apart >= itself[:, None] - rounding).sum(axis=1)) / (size + 1)
        return p_values

    def _settle(self) -> None:
        """Keep the centres: from the means of explicit features, or from the sums of κ within classes."""
        order = self._class_order()
        self._forget("_own")
        if (low := self._landmarks) is not None:
            moments = self._summed.moments()
            means = np.array([moments[number].mean for number in order])
            weights, squares = landmark_coefficients(low, means.T), np.einsum("ij,ij->i", means, means)
        else:
            weights = class_means(np.argsort(order)[self._numbers], len(order))
            squares = self._squares()
        self.centers_ = self.sample_.combine(weights)
        self._keep(weights, squares / 2)


def without_itself(own: Array, norms: Array, squares: Array, sizes: Array, labels: Array) -> Array:
    """Return g_c for each object, the centre of its class taken without it: (ℓ φ_c − φ(x)) / (ℓ − 1).

    `own` are ⟨φ(x), φ_c⟩ for all classes, `norms` κ(x, x), `squares` ‖φ_c‖².
    """
    values, at = own - squares / 2, (np.arange(len(labels)), labels)
    size, with_own = sizes[labels], own[at]
    with np.errstate(divide="ignore", invalid="ignore"):
        inner = (size * with_own - norms) / (size - 1)
        square = (size**2 * squares[labels] - 2 * size * with_own + norms) / (size - 1) ** 2
    values[at] = np.where(size > 1, inner - square / 2, -np.inf)
    return values
