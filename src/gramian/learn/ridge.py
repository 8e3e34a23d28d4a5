"""Kernel ridge regression (seed 002, "Kernel ridge regression"; seed 004, dual forms and smoothers).

    minimise  Σᵢ wᵢ (yᵢ − f(xᵢ) − b)² + λ ‖f‖²,        f = Σᵢ aᵢ κ(xᵢ, ·)

Without weights and intercept, a = (K + λI)⁻¹ y. With weights, D = diag(√w) and s = D1; with an intercept, which is not
penalised, s is projected out, P = I − ssᵀ/sᵀs. In both cases K is seen through S = P D:

    a = Sᵀ (S K Sᵀ + λI)⁻¹ S y,        b = the weighted mean of y − K a.

Where φ is explicit and has fewer features than there are objects the primal system, of that size, is solved instead;
the answer is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.linalg
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from gramian.checks import Array, flag
from gramian.factor.eigen import DENSE
from gramian.factor.solve import PLAIN, Frame, Side, relative, ridged_factor, solve_framed
from gramian.factor.spectrum import spectrum, spectrum_above
from gramian.gram.gram import Gram
from gramian.kernels.algebra import Kernel
from gramian.learn.base import MEDIAN_GAUSSIAN, KernelEstimator, checked_weights, evaluate
from gramian.learn.path import Fit, Kind, RidgePath, Smoother, factors
from gramian.learn.ridges import Ridge, fixed_ridge, ridge_grid, warn_of_estimate, warn_unless_solved
from gramian.space.vectors import Vectors

CRITERIA = ("loo", "gcv")


class KernelRidge(MultiOutputMixin, RegressorMixin, KernelEstimator):  # type: ignore[misc]
    """Kernel ridge regression, with the ridge chosen by closed-form leave-one-out if you like.

    Parameters
    ----------
    kernel : Kernel
        By default the Gaussian with the median distance as bandwidth.
    ridge : float, "loo", "gcv", or a sequence of floats
        λ > 0, scikit-learn's `alpha`. "loo" takes the value with the smallest leave-one-out error from a grid that
        spans the eigenvalues of K, "gcv" the one with the smallest generalized cross-validation error; a sequence is
        a grid of your own, judged by leave-one-out. All values come from one decomposition, with no refitting.
    fit_intercept : bool
        Whether to add a constant b that is not penalised.
    smoother : "shrinkage" or "projection"
        Scale each principal direction by σ²/(σ² + λ), which is ridge regression; or use those with σ² ≥ λ fully and the
        others not at all (principal component regression). Leave-one-out errors of a projection take its directions as
        given; ``ridge="gcv"`` does not depend on that.
    solver : "auto", "primal" or "dual"
        The size of the linear system: explicit features, objects, or whichever are fewer.

    Attributes
    ----------
    kernel_, sample_
        The settled kernel and the images of the training objects.
    ridge_ : float
        The λ that was used.
    dual_coef_ : array of shape (n,) or (n, t)
        a.
    intercept_ : float or array of shape (t,)
        b; 0 without `fit_intercept`.
    function_ : Vectors
        f, an element of the feature space.
    path_ : RidgePath
        Errors and degrees of freedom at every ridge of the grid, where there was one.
    solver_ : str
        How the linear system was solved.
    residual_ : float
        Its relative residual.

    Notes
    -----
    With a number for `ridge`, n up to 3,000 is solved by a Cholesky factorization, more by preconditioned conjugate
    gradients: O(n²) a step, and few steps unless the ridge is tiny. A grid costs an eigenvalue decomposition up to n =
    3,000; beyond, ridges are compared on a low-rank approximation and the chosen one is used exactly.

    Examples
    --------
    >>> import gramian as gm
    >>> import numpy as np
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = gm.KernelRidge(gm.Gaussian(bandwidth=1.0), ridge=0.01).fit(X, y)
    >>> model.predict([[1.5]]).round(3)
    array([0.997])
    >>> round(model.effective_dof_, 2)
    8.91
    """

    ridge_: float
    dual_coef_: Array
    intercept_: Any
    function_: Vectors
    path_: RidgePath
    solver_: str
    residual_: float

    def __init__(
        self,
        kernel: Kernel = MEDIAN_GAUSSIAN,
        ridge: Ridge = "loo",
        fit_intercept: bool = False,
        smoother: Kind = "shrinkage",
        solver: Side = "auto",
    ) -> None:
        self.kernel = kernel
        self.ridge = ridge
        self.fit_intercept = fit_intercept
        self.smoother = smoother
        self.solver = solver

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find f and b.

        Parameters
        ----------
        X : objects that the kernel accepts, or their symmetric Gram
        y : array of shape (n,) or (n, t)
            One or several targets; the ridge is the same for all.
        sample_weight : array of shape (n,), optional
            Weights w ≥ 0; a weight of 2 does what having the object twice does.
        """
        if self.smoother not in ("shrinkage", "projection"):
            raise ValueError(f"smoother is {self.smoother!r}; 'shrinkage' or 'projection' expected")
        if self.solver not in ("auto", "primal", "dual"):
            raise ValueError(f"solver is {self.solver!r}; 'auto', 'primal' or 'dual' expected")
        flag(self.fit_intercept, "fit_intercept")
        given = fixed_ridge(self.ridge, CRITERIA)
        weights = checked_weights(sample_weight, X)
        self._learn_sample(X, None if weights is None else weights > 0)
        Y = self._targets(y, numeric=True, multi_output=True)
        if not np.ptp(Y, axis=0).any():
            raise ValueError(f"y is constant ({Y.ravel()[0]:g}) over n_samples={len(Y)}: there is nothing to learn")
        self._problem = Problem(Y.reshape(len(Y), -1), weights, self.fit_intercept)
        for name in ("path_", "_known"):
            self.__dict__.pop(name, None)
        if given is not None:
            self.ridge_ = given
        if given is not None and self.smoother == "shrinkage":
            self._keep(*self._solve(), Y.shape[1:])
        else:
            self._keep(*self._smooth(), Y.shape[1:])
        return self

    def _solve(self) -> tuple[Array, Array]:
        """Return a and K a for the ridge as it is, from a linear system."""
        gram, frame = self.sample_.gram(), self._problem.frame()
        with gram.held():
            found = solve_framed(gram, frame.S(self._problem.Y), self.ridge_, frame, self.solver)
            a = frame.St(found.value)
            self._primal = found.primal
            values = self._values_of(a, gram) if self.fit_intercept else np.zeros_like(a)
        self.solver_, self.residual_ = found.method, found.residual
        warn_unless_solved(self, found.method, found.residual)
        return a, values

    def _smooth(self) -> tuple[Array, Array]:
        """Return a and K a from a spectral decomposition, choosing the ridge where there is a choice."""
        smoother = self._smoother()
        if fixed_ridge(self.ridge, CRITERIA) is None:
            gram = self.sample_.gram()
            ridges = ridge_grid(self.ridge, float(smoother.values.max(initial=0.0)), gram, len(gram))
            self.path_ = smoother.path(ridges, *self._problem.totals())
            by_gcv = isinstance(self.ridge, str) and self.ridge == "gcv"
            self.ridge_ = float(ridges[int(np.argmin(self.path_.gcv if by_gcv else self.path_.loo))])
        if self.smoother == "shrinkage" and smoother.left_out > 0:
            return self._solve()
        frame = self._problem.frame()
        c, self._primal = smoother.coefficients(self.ridge_), smoother.weights(self.ridge_)
        self._known = smoother.at(self.ridge_)
        gram, target = self.sample_.gram(), frame.S(self._problem.Y)
        left = self._known.residuals if self.smoother == "projection" else self.ridge_ * c
        self.residual_ = relative(frame.S(gram.apply(frame.St(c))) + left - target, self._problem.weighted())
        self.solver_ = f"spectral decomposition, {len(smoother.values)} directions"
        warn_unless_solved(self, self.solver_, self.residual_)
        if smoother.left_out > 0:
            warn_of_estimate("the predictions of a projection", smoother.left_out)
        return frame.St(c), self._values_of(frame.St(c), gram)

    def _values_of(self, a: Array, gram: Gram) -> Array:
        """Return K a, the values of a function at the sample."""
        return gram.apply(a) if self._primal is None else evaluate(self.sample_, self.sample_, self._primal)

    def _smoother(self) -> Smoother:
        frame = self._problem.frame()
        gram = self.sample_.gram()
        lam = fixed_ridge(self.ridge, CRITERIA)
        if self.smoother == "projection" and lam is not None:
            found = spectrum_above(gram, lam, frame, self.solver)
        else:
            found = spectrum(gram, frame, self.solver)
        return Smoother(found, frame.S(self._problem.Y), self._problem.border(), self.smoother)

    def _keep(self, a: Array, Ka: Array, shape: tuple[int, ...]) -> None:
        self.dual_coef_ = a.reshape(len(a), *shape)
        self._primal = None if self._primal is None else self._primal.reshape(-1, *shape)
        self.function_ = self.sample_.combine(self.dual_coef_)
        b = np.zeros(a.shape[1])
        if self.fit_intercept:
            b = np.average(self._problem.Y - Ka, axis=0, weights=self._problem.weights)
        self.intercept_ = b if shape else float(b[0])

    def predict(self, X: Any) -> Array:
        """Return f(x) + b."""
        images = self._images(X)
        return np.asarray(evaluate(self.function_, images, self._primal) + self.intercept_)

    # What the fit is worth

    @property
    def loo_residuals_(self) -> Array:
        """yᵢ less the prediction of a model fitted without object i; computed when first asked for, in closed form."""
        check_is_fitted(self)
        weights, Y = self._problem.weights, self._problem.Y
        loo = self._quality().loo
        if weights is not None:
            fitted = evaluate(self.function_, self.sample_, self._primal).reshape(Y.shape) + self.intercept_
            present = weights[:, None] > 0
            loo = np.where(present, loo / np.sqrt(np.where(present, weights[:, None], 1.0)), Y - fitted)
        return loo.reshape(self.dual_coef_.shape)

    @property
    def loo_error_(self) -> float:
        """The mean square of the leave-one-out residuals, weighted where the objects are."""
        return float(
            np.average(
                np.square(self.loo_residuals_).mean(axis=tuple(range(1, self.dual_coef_.ndim))),
                weights=self._problem.weights,
            )
        )

    @property
    def effective_dof_(self) -> float:
        """The trace of the smoother: Σ σ²/(σ² + λ), and one more for an intercept."""
        check_is_fitted(self)
        return float((1 - self._quality().room).sum())

    @property
    def shrinkage_(self) -> Array:
        """The factor of each principal direction, σ²/(σ² + λ) (or 1 and 0 for a projection), the largest σ first."""
        check_is_fitted(self)
        smoother = self._smoother()
        if smoother.left_out > 0:
            warn_of_estimate("shrinkage_", smoother.left_out)
        return factors(smoother.values, self.ridge_, self.smoother)[0]

    def _quality(self) -> Fit:
        if not hasattr(self, "_known"):
            gram = self.sample_.gram()
            with gram.held() as held:
                if held and self.smoother == "shrinkage" and len(gram) > DENSE:
                    self._known = self._problem.quality(gram, self.ridge_)
                else:
                    smoother = self._smoother()
                    self._known = smoother.at(self.ridge_)
                    if smoother.left_out > 0:
                        warn_of_estimate("the leave-one-out residuals and degrees of freedom", smoother.left_out)
        return self._known


@dataclass(frozen=True, eq=False)
class Problem:
    """Targets, weights, and whether there is an intercept: how K is to be seen."""

    Y: Array
    weights: Array | None
    intercept: bool

    def border(self) -> Array | None:
        """Return s/‖s‖, the direction of the intercept as seen through the weights; None where there is none."""
        if not self.intercept:
            return None
        s = np.ones(len(self.Y)) if self.weights is None else np.sqrt(self.weights)
        return np.asarray(s / np.linalg.norm(s))

    def weighted(self) -> Array:
        """Return D Y, the targets in the units in which residuals are measured."""
        return self.Y if self.weights is None else np.sqrt(self.weights)[:, None] * self.Y

    def frame(self) -> Frame:
        """Return S = P D and its transpose."""
        d = None if self.weights is None else np.sqrt(self.weights)[:, None]
        border = self.border()
        if d is None and border is None:
            return PLAIN

        def weighted(V: Array) -> Array:
            return V if d is None else d * V

        def projected(V: Array) -> Array:
            return V if border is None else V - np.outer(border, border @ V)

        return Frame(lambda V: projected(weighted(V)), lambda V: weighted(projected(V)))

    def totals(self) -> tuple[float, int]:
        """Return the sum of the weights over all targets, and the number of objects that have one."""
        if self.weights is None:
            return float(self.Y.size), len(self.Y)
        return float(self.weights.sum()) * self.Y.shape[1], int(np.count_nonzero(self.weights))

    def quality(self, gram: Gram, ridge: float) -> Fit:
        """Return residuals λc and room λ diag (S K Sᵀ + λI)⁻¹ (less the intercept's share) from the inverse itself."""
        frame = self.frame()
        A = frame.around(gram.dense().astype(np.float64, copy=False))
        factor = ridged_factor(A, ridge)
        c = scipy.linalg.cho_solve(factor, frame.S(self.Y), check_finite=False)
        inverse, _ = scipy.linalg.lapack.dpotri(factor[0], lower=True, overwrite_c=True)
        border = self.border()
        return Fit(ridge * c, ridge * np.diagonal(inverse) - (0.0 if border is None else border**2))
