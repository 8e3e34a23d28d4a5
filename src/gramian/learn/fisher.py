"""Fisher's discriminant in feature space (seed 000, Computation 5.14–5.15, Algorithm 5.16).

For two classes it is the direction that maximises the regularised quotient (5.11),

    J(w) = (μ₊ − μ₋)² / (σ₊² + σ₋² + λ ‖w‖²),

μ± and σ±² the means and variances of the classes projected on w. For more classes the numerator is the sum of
(μ_c − μ_k)² over all pairs of classes, the denominator holds all their variances, and there are up to c − 1 directions.

With T the weights of the class means less their average (n × c), H_c the centring of class c and S = Σ_c ℓ_c^(−½)
H_c, the within-class scatter is Φᵀ S² Φ, and the maximiser is found from M⁻¹ Φᵀ T with M = Φᵀ S² Φ + λI. In dual form

    A = (T − S (S K S + λI)⁻¹ S K T) / λ,        M⁻¹ Φᵀ T = Φᵀ A,

one symmetric positive definite system with as many right-hand sides as classes. The printed formula, (BK + λI)⁻¹ y, is
this maximiser only where K is centred; here T has the entries +1/ℓ₊ and −1/ℓ₋ (halved), which is right everywhere. The
`ridge` is the λ of J; the λ of the printed linear system is 2ℓ₊ℓ₋/ℓ times as large.

A new object goes to the class with the nearest mean in the metric of M⁻¹: for two classes the offset bisects the
projected means, b = ½ ⟨w, φ₊ + φ₋⟩ (5.20).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from gramian.checks import Array, whole
from gramian.factor.eigen import DENSE
from gramian.factor.solve import Frame, Map, explicit_features, relative, ridged_factor, solve_framed
from gramian.factor.spectrum import coordinates
from gramian.gram.gram import Gram
from gramian.kernels.algebra import Kernel
from gramian.learn.base import MEDIAN_GAUSSIAN, as_given, evaluate, named
from gramian.learn.classifier import KernelClassifier
from gramian.learn.fisher_loo import LeaveOneOut, WithinClasses
from gramian.learn.ridges import Ridge, fixed_ridge, ridge_grid, warn_of_estimate, warn_unless_solved
from gramian.space.vectors import Vectors

REFINEMENTS = 4  # of a solution whose residual is not small yet
FINE = 1e-8  # relative residual that needs no refinement


class FisherDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelClassifier):  # type: ignore[misc]
    """Kernel Fisher discriminant: a classifier, and a transformer to at most classes − 1 dimensions (Algorithm 5.16).

    Parameters
    ----------
    kernel : Kernel
        By default the Gaussian with the median distance as bandwidth.
    ridge : float, "loo", or a sequence of floats
        λ > 0 of the quotient J, in units of variance in feature space. "loo" takes the value with the fewest mistakes
        in leaving one object out, from a grid; a sequence is such a grid of your own. All of it in closed form, from
        one decomposition.
    n_components : int, optional
        Number of dimensions that `transform` returns; classes − 1 by default.

    Attributes
    ----------
    kernel_, sample_
        The settled kernel and the images of the training objects.
    classes_ : array of shape (c,)
        The labels, sorted; with two of them the second is the positive one.
    ridge_ : float
        The λ that was used.
    dual_coef_, offset_, directions_
        The discriminant function(s), ⟨w, φ(x)⟩ − b.
    axes_ : Vectors
        The directions of the projection, scaled to wᵀ(S_w + λI) w = 1, the most discriminating first.
    quotients_ : array of shape (directions,)
        J of each of them; `quotient_` is that of the first, the maximum.
    projected_means_, projected_variances_ : arrays of shape (c, directions)
        Of each class, along each direction.
    ridges_, loo_errors_ : arrays
        The grid and its shares of leave-one-out mistakes, where the ridge was chosen.
    solver_ : str
        How the linear system was solved.

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> model = gm.FisherDiscriminant(ridge="loo").fit(flowers.data, flowers.target)
    >>> round(model.loo_error_, 2)
    0.02
    >>> model.transform(flowers.data).shape
    (150, 2)
    """

    ridge_: float
    axes_: Vectors
    quotients_: Array
    projected_means_: Array
    projected_variances_: Array
    ridges_: Array
    loo_errors_: Array
    solver_: str

    def __init__(self, kernel: Kernel = MEDIAN_GAUSSIAN, ridge: Ridge = "loo", n_components: int | None = None) -> None:
        self.kernel = kernel
        self.ridge = ridge
        self.n_components = n_components

    def fit(self, X: Any, y: Any) -> Self:
        """Find the discriminant functions and the directions.

        Parameters
        ----------
        X : objects that the kernel accepts, or their symmetric Gram
        y : array of shape (n,)
            Labels of at least two classes, each with at least two members.
        """
        sample = self._learn_sample(X)
        labels = self._classes(y)
        sizes = np.bincount(labels)
        if sizes.min() < 2:
            raise ValueError(
                f"class {named(self.classes_[int(np.argmin(sizes))])} has one member only; at least two expected, for "
                "the variance within a class to be defined"
            )
        self._components()
        self._labels = labels
        self.ridge_ = self._choose_ridge(labels)
        S = WithinClasses(labels)
        found = solve_scatter(sample.gram(), S, self.ridge_)
        warn_unless_solved(self, found.method, found.residual)
        self.solver_ = found.method
        self._keep_functions(found, S)
        self._keep_axes(found, S)
        return self

    def _choose_ridge(self, labels: Array) -> float:
        for name in ("ridges_", "loo_errors_", "_loo_scores"):
            self.__dict__.pop(name, None)
        if (given := fixed_ridge(self.ridge, ("loo",))) is not None:
            return given
        left_out = self._left_out()
        self.ridges_ = ridge_grid(self.ridge, left_out.largest, self.sample_.gram())
        scores = left_out.scores(self.ridges_)
        self.loo_errors_ = np.mean(scores.argmax(axis=2) != labels, axis=1)
        best = int(np.flatnonzero(self.loo_errors_ == self.loo_errors_.min())[-1])  # of equals the most regularised
        self._loo_scores = scores[best]
        return float(self.ridges_[best])

    def _left_out(self) -> LeaveOneOut:
        points, self._unseen = coordinates(self.sample_.gram())
        return LeaveOneOut(points, self._labels)

    @property
    def loo_decision_(self) -> Array:
        """The decision function for each training object of a model fitted without it, in closed form."""
        check_is_fitted(self)
        if not hasattr(self, "_loo_scores"):
            self._loo_scores = self._left_out().scores(np.array([self.ridge_]))[0]
        if self._unseen > 0:
            warn_of_estimate("the leave-one-out decisions", self._unseen)
        scores = self._loo_scores
        return np.asarray(scores if len(self.classes_) > 2 else scores[:, 1] - scores[:, 0])

    @property
    def loo_error_(self) -> float:
        """The share of the training objects that a model fitted without them gets wrong."""
        decision = self.loo_decision_
        predicted = decision > 0 if decision.ndim == 1 else decision.argmax(axis=1)
        return float(np.mean(predicted != self._labels))

    def _keep_functions(self, found: Scatter, S: WithinClasses) -> None:
        """Keep w_c = M⁻¹ (φ_c − φ̄), and the offsets ⟨w_c, ½ (φ_c + φ̄)⟩, φ̄ the average of the class means."""
        at_means = S.means.T @ found.values
        self._keep(found.alpha, (np.diagonal(at_means) + at_means.mean(axis=0)) / 2, found.primal)

    def _keep_axes(self, found: Scatter, S: WithinClasses) -> None:
        """Keep the maximisers of J among the combinations of the w_c: the eigenvectors of Δᵀ M⁻¹ Δ."""
        count = len(self.classes_) - 1
        G = S.differences.T @ found.values
        g, u = scipy.linalg.eigh((G + G.T) / 2)
        g, u = g[::-1][:count], u[:, ::-1][:, :count] * _signs(u[:, ::-1][:, :count])
        scale = np.where(g > 1e-12 * max(float(g[0]), 0.0), 1 / np.sqrt(np.maximum(g, np.finfo(float).tiny)), 0.0)
        self.quotients_ = (count + 1) * np.maximum(g, 0.0)
        self.axes_ = self.sample_.combine(found.alpha @ (u * scale))
        self._primal_axes = None if found.primal is None else found.primal @ (u * scale)
        projected = found.values @ (u * scale)
        self.projected_means_ = S.means.T @ projected
        self.projected_variances_ = S.means.T @ (projected - self.projected_means_[self._labels]) ** 2

    @property
    def quotient_(self) -> float:
        """J of the first direction: the maximum of the quotient."""
        check_is_fitted(self)
        return float(self.quotients_[0])

    @property
    def _n_features_out(self) -> int:
        return self._components()

    def _components(self) -> int:
        most = len(self.classes_) - 1
        if self.n_components is None:
            return most
        if whole(self.n_components, "n_components") > most:
            raise ValueError(
                f"n_components is {self.n_components}; at most {most} expected, one less than the number of classes"
            )
        return self.n_components

    def transform(self, X: Any) -> Array:
        """Return the coordinates along the discriminating directions, the most discriminating first."""
        vectors = self._images(X)
        return as_given(vectors, evaluate(self.axes_, vectors, self._primal_axes)[:, : self._components()])


@dataclass(frozen=True, eq=False)
class Scatter:
    """w_c = M⁻¹ (φ_c − φ̄) for each class: dual weights, values at the sample, explicit weights where φ is explicit."""

    alpha: Array
    values: Array
    primal: Array | None
    residual: float
    method: str


def solve_scatter(gram: Gram, S: WithinClasses, ridge: float) -> Scatter:
    """Solve M w_c = φ_c − φ̄ with M = Φᵀ S² Φ + λI, in explicit features where there are few, else in the dual."""
    T = S.differences[:, :-1]  # the last one is minus the sum of the others
    if (phi := explicit_features(gram)) is not None:
        inside = S(phi)
        factor = ridged_factor(inside.T @ inside, ridge)
        means = (phi - phi.mean(axis=0)).T @ T
        w = np.zeros_like(means)
        for _ in range(2):
            R = means - inside.T @ (inside @ w) - ridge * w
            w += scipy.linalg.cho_solve(factor, R, check_finite=False)
        residual = relative(means - inside.T @ (inside @ w) - ridge * w, means)
        alpha = (T - S(inside @ w)) / ridge
        method = f"primal, {phi.shape[1]} features"
        return Scatter(_complete(alpha), _complete(phi @ w), _complete(w), residual, method)
    alpha, values, left = np.zeros_like(T), np.zeros_like(T), T
    with gram.held():
        multiply = _in_double_precision(gram)
        for _ in range(REFINEMENTS):
            found = solve_framed(gram, S(multiply(left)), ridge, Frame(S, S))
            refined = alpha + (left - S(found.value)) / ridge
            product = multiply(refined)
            rest = T - ridge * refined - S(S(product))
            if relative(rest, T) >= relative(left, T):
                break
            alpha, values, left = refined, product, rest
            if relative(left, T) <= FINE:
                break
    return Scatter(_complete(alpha), _complete(values), None, relative(left, T), found.method)


def _in_double_precision(gram: Gram) -> Map:
    """Return V ↦ K V; a small K in single precision is multiplied in double, so that residuals are true."""
    if gram.dtype.itemsize > 4 or len(gram) > DENSE:
        return gram.apply
    K = gram.dense().astype(np.float64)
    return lambda V: np.asarray(K @ V)


def _complete(columns: Array) -> Array:
    return np.hstack([columns, -columns.sum(axis=1, keepdims=True)])


def _signs(u: Array) -> Array:
    """Return signs that make the entry of largest magnitude positive, the last one where several are."""
    peaks = np.abs(u) >= (1 - 1e-9) * np.abs(u).max(axis=0)
    last = len(u) - 1 - np.argmax(peaks[::-1], axis=0)
    return np.where(np.take_along_axis(u, last[None], axis=0) < 0, -1.0, 1.0)
