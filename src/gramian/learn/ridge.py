"""Kernel ridge regression (seed 002, "Kernel ridge regression"; seed 004, dual forms and smoothers).

    minimise  Σᵢ wᵢ (yᵢ − f(xᵢ) − b)² + λ ‖f‖²,        f = Σᵢ aᵢ κ(xᵢ, ·)

Without weights and intercept, a = (K + λI)⁻¹ y. With weights, D = diag(√w) and s = D1; with an intercept, which is not
penalised, s is projected out, P = I − ssᵀ/sᵀs. In both cases K is seen through S = P D:

    a = Sᵀ (S K Sᵀ + λI)⁻¹ S y,        b = the weighted mean of y − K a.

Where φ is explicit and has fewer features than there are objects the primal system, of that size, is solved instead;
the answer is the same.

At λ = 0 it is plain least squares: of all f that minimise the sum the one of smallest norm, a = Sᵀ (S K Sᵀ)⁺ S y. The
fitted values are ŷ = H y at every λ, with the hat matrix H = K Sᵀ (S K Sᵀ + λI)⁻¹ S without an intercept; its trace is
df(λ).
"""

from __future__ import annotations

from contextlib import nullcontext, suppress
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Self, cast

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from gramian.checks import Array, flag, fraction, positive, warn
from gramian.factor.cholesky import LowRank
from gramian.factor.machine import DENSE
from gramian.factor.solve import (
    PLAIN,
    ROOM,
    Lens,
    Ridged,
    Side,
    System,
    by_moments,
    factor_of,
    relative,
    solve_through,
    takes_features,
)
from gramian.factor.spectrum import rough_factor, rough_spectrum, spectrum, spectrum_above, whole_range
from gramian.formula.encoded import Encoded
from gramian.gram.gram import Gram
from gramian.intake.batches import Batches
from gramian.kernels.algebra import Kernel
from gramian.learn.base import MEDIAN_GAUSSIAN, evaluate, undone_if_refused
from gramian.learn.confirming import confirmations, confirmed, walked
from gramian.learn.intervals import Intervals, LeftOut
from gramian.learn.lowrank import (
    DEFAULT_RANK,
    Rank,
    Reducible,
    RidgeOfMoments,
    Seen,
    compares_exactly,
    landmark_coefficients,
    pieces,
)
from gramian.learn.path import Kind, Residuals, RidgePath, Smoother, factors, joined_residuals, without_groups
from gramian.learn.posterior import variances, variances_of_moments
from gramian.learn.ridges import (
    ACCEPTED,
    Ridge,
    fixed_ridge,
    ridge_grid,
    rounding,
    unit_of,
    warn_of_estimate,
    warn_unless_solved,
)
from gramian.learn.sample_weights import checked_weights
from gramian.learn.ways import Part
from gramian.learn.weights import Weighted
from gramian.runtime.journal import keeping
from gramian.space.moments import Chunk
from gramian.space.vectors import Vectors

CRITERIA = ("loo", "gcv")
FINE = 1e-8  # relative residual that needs no refinement
FIRM = 1e-8  # of a bound on the trace of K: a ridge beside which rounding errors of K + λI are small
CHOSEN_AGAIN = 500  # objects up to which it is chosen again without each of them
AS_GOOD = 1.001  # ratio of errors in low rank that are the same, for so many objects tell them to a few percent


class LeastSquares(Weighted, Reducible):
    """What is learnt by least squares with a ridge: numbers (`KernelRidge`), or classes told as numbers.

    `_targets` gives the numbers that f and b are fitted to. The attributes are those of `KernelRidge`.
    """

    products = 30

    kernel: Kernel
    ridge: Ridge
    fit_intercept: bool
    smoother: Kind = "shrinkage"
    solver: Side = "auto"
    tol: float | None
    checkpoint: Any
    ridge_: float
    dual_coef_: Array
    intercept_: Any
    function_: Vectors
    path_: RidgePath
    solver_: str
    residual_: float
    _known: Residuals | None = None
    _compared = False  # with others, by a leave-one-out error that is not to be one of low rank
    _compared_error: float | None = None
    _unit: float = 1.0  # of the targets: what is solved is solved for y / unit

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find f and b.

        Parameters
        ----------
        X : objects that the kernel accepts, their symmetric Gram, or `Batches` of objects and targets
        y : array of shape (n,) or (n, t)
            One or several targets; the ridge is the same for all.
        sample_weight : array of shape (n,), optional
            Weights w ≥ 0; a weight of 2 does what having the object twice does.
        """
        X = self._source(X)
        with keeping(self.checkpoint):
            return self._fit(X, y, sample_weight)._keep_names(X)

    def _learn_more(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Learn from more objects, in low rank: the first call chooses the landmarks, later ones add to the moments."""
        self._check_settings()
        X = self._source(X)
        weights = self._weights_of(X, sample_weight)
        if not isinstance(X, Batches):
            self._targets(y, numeric=True, multi_output=True, objects=X)
        if not self._goes_on():
            self._start(X, present=None if weights is None else weights > 0)
            self._unit = 1.0
        self._learn_moments(X, y, weights)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_settings()
        X, y, reduced = self._prepared(X, y)
        weights = self._weights_of(X, sample_weight)
        self._unit = 1.0
        if reduced:
            self._start(X, present=None if weights is None else weights > 0)
            self._learn_moments(X, y, weights)
            self._warn_if_automatic()
            return self
        self._forget("path_", "_known", "_of_moments", "_compared_error")
        self._begin_exactly()
        given, low = fixed_ridge(self.ridge, CRITERIA), None
        errors: dict[int, float] = {}
        Y = self._pose(X, y, weights)
        if by_moments(self.sample_.gram(), self.solver):
            self._shape = Y.shape[1:]
            self._learn_through_features()
            return self
        shrinks, gram = self.smoother == "shrinkage", self.sample_.gram()
        many = shrinks and not compares_exactly(len(Y)) and not takes_features(gram, self.solver)
        in_low_rank, compared = given is None and many, bool(given != 0 and many and self._compared)
        with gram.held() if in_low_rank or compared else nullcontext():
            system = Ridged(gram, self._problem.lens())
            if given is not None:
                self.ridge_ = given
            elif in_low_rank:
                low, errors = self._choose_in_low_rank(Y, weights, system)
            if compared and gram.is_held:
                self._compared_error = self._error_by(system)
            if shrinks and (in_low_rank or given):
                self._keep(*self._solve(low, system), Y.shape[1:])
                self.solver_ = confirmed(self.solver_, errors)
            else:
                self._keep(*self._smooth(), Y.shape[1:])
        return self

    def _pose(self, X: Any, y: Any, weights: Array | None) -> Array:
        """Settle the kernel on a sample and keep what is asked of it; return the targets in their unit."""
        self._learn_sample(X, None if weights is None else weights > 0)
        Y = self._targets(y, numeric=True, multi_output=True)
        self._unit = unit_of(Y)
        Y = Y / self._unit
        if not np.ptp(Y, axis=0).any():
            constant = Y.ravel()[0] * self._unit
            raise ValueError(f"y is constant ({constant:g}) over n_samples={len(Y)}: there is nothing to learn")
        self._problem = Problem(Y.reshape(len(Y), -1), weights, self.fit_intercept)
        return Y

    def _learn_through_features(self) -> None:
        """Learn the problem through the explicit features of the sample, summed up."""
        self._begin(self.kernel_)
        for chunk in pieces(Chunk(self.sample_.points, self._problem.Y, self._problem.weights)):
            self._add(chunk)
        self._solve_moments()

    def _check_settings(self) -> None:
        if self.smoother not in ("shrinkage", "projection"):
            raise ValueError(f"smoother is {self.smoother!r}; 'shrinkage' or 'projection' expected")
        if self.solver not in ("auto", "primal", "dual"):
            raise ValueError(f"solver is {self.solver!r}; 'auto', 'primal' or 'dual' expected")
        flag(self.fit_intercept, "fit_intercept")
        fixed_ridge(self.ridge, CRITERIA)
        if self.tol is not None:
            positive(self.tol, "tol")

    @staticmethod
    def _weights_of(X: Any, sample_weight: Any) -> Array | None:
        if isinstance(X, Batches) and sample_weight is not None:
            raise ValueError("batches have no weights: use partial_fit(X, y, sample_weight), batch by batch")
        return checked_weights(sample_weight, X)

    def _learn_moments(self, X: Any, y: Any, weights: Array | None) -> None:
        """Add objects to the moments, and find f and b from these."""
        self._sum_up(X, None if isinstance(X, Batches) else self._told(y, X), weights)
        self._solve_moments()

    def _told(self, some: Any, points: Any) -> Array:
        return self._targets(some, numeric=True, multi_output=True, objects=points)

    def _so_far(self) -> Part:
        return Part(self._summed, self._unit, self._shape) if self._summed.summary.count else Part(self._summed)

    def _keep_sums(self, part: Part) -> None:
        self._way, self._unit, self._shape = part.way, part.unit or 1.0, cast(tuple[int, ...], part.shape)

    def _part(self, points: Encoded, some: Array, weights: Array | None, start: int) -> Part:
        unit = unit_of(some) if some.any() else 0.0
        way = self._summed.begun_anew()
        way.add(Chunk(points, some.reshape(len(some), -1) / (unit or 1.0), weights), self.probe, start)
        return Part(way, unit, some.shape[1:])

    def _solve_moments(self) -> None:
        summary = self._summed.summary
        moments, dim = self._summed.moments()[0], summary.dim
        given = fixed_ridge(self.ridge, CRITERIA)
        floor = self._summed.summary.rounding() if given == 0 else 0.0
        self._of_moments = of = RidgeOfMoments(moments, dim, self.fit_intercept, self.smoother, summary.present, floor)
        self._forget("path_")
        rounding_of_y = (64 * float(np.finfo(np.float64).eps) * np.abs(moments.mean[dim:])) ** 2 * moments.weight
        if (np.diagonal(moments.scatter)[dim:] <= rounding_of_y).all():
            raise ValueError(
                f"y is constant ({moments.mean[dim] * self._unit:g}) over n_samples={summary.count}: there is nothing "
                "to learn"
            )
        if given is None:
            largest = float(of.values.max(initial=0.0))
            ridges = ridge_grid(self.ridge, largest, float(np.finfo(self.sample_.gram().dtype).eps) * largest)
            self.path_ = of.path(ridges, self._summed.probed, summary.kernel, self._summed.trace_error)
            self.ridge_ = float(ridges[self._best(self.path_)])
        else:
            self.ridge_ = given
        W = of.weights(self.ridge_)
        b = of.constant(W)
        self.residual_ = of.residual(self.ridge_, W) if self.smoother == "shrinkage" else 0.0
        self.solver_ = self._summed.described() + ("" if self.ridge_ > 0 else f"; {minimum_norm(len(of.values))}")
        warn_unless_solved(self, self.solver_, self.residual_)
        low = self._landmarks
        a = self._dual_of(W, b) if low is None else landmark_coefficients(low, W)
        self._primal = W if low is None else None
        self._keep_learnt(a, b, self._shape)

    def _keep_learnt(self, a: Array, b: Array, shape: tuple[int, ...]) -> None:
        """Keep coefficients, weights and intercept in the units of the targets."""
        with np.errstate(over="ignore", under="ignore"):
            a, b = self._unit * a, self._unit * b
            self._primal = None if self._primal is None else self._unit * self._primal.reshape(-1, *shape)
            if self._unit != 1 and hasattr(self, "path_"):
                self.path_ = self._in_units(self.path_)
        if not all(np.isfinite(part).all() for part in (a, b, 0.0 if self._primal is None else self._primal)):
            raise ValueError(
                f"y holds numbers of the size of {self._unit:.0e}, and the coefficients of the function overflow: "
                "divide y by a constant, or give a larger ridge"
            )
        self.dual_coef_ = a.reshape(len(a), *shape)
        self.function_ = self.sample_.combine(self.dual_coef_)
        self.intercept_ = b if shape else float(b[0])

    def _in_units(self, path: RidgePath) -> RidgePath:
        """Return errors in the squared unit of the targets, or in this unit where floating point does not hold them."""
        tiny = np.finfo(np.float64).tiny
        given = np.array([getattr(path, name) for name in CRITERIA])
        scaled = given * self._unit * self._unit
        known = np.isfinite(given) & (given > 0)
        if not (np.isfinite(scaled[known]) & (scaled[known] >= tiny)).all():
            return replace(path, unit=self._unit)
        return replace(path, **dict(zip(CRITERIA, scaled, strict=True)))

    def _dual_of(self, W: Array, b: Array) -> Array:
        """Return the coefficients of the objects themselves that give weights W of explicit features."""
        w = 1.0 if self._problem.weights is None else self._problem.weights[:, None]
        if self.smoother == "shrinkage" and self.ridge_ > 0:
            residuals = self._problem.Y - evaluate(self.sample_, self.sample_, W) - b
            return np.asarray(w * residuals / self.ridge_)
        Q = self._of_moments.within(W)
        return np.asarray(w * (evaluate(self.sample_, self.sample_, Q) - self._of_moments.at_mean(Q)))

    def _learnt_from(self) -> Chunk:
        self._shape = self.dual_coef_.shape[1:]
        return Chunk(self.sample_.points, self._problem.Y, self._problem.weights)

    def _choose_in_low_rank(
        self, Y: Array, weights: Array | None, system: Ridged
    ) -> tuple[LowRank | None, dict[int, float]]:
        """Choose the ridge by errors in low rank, where a decomposition of all of K would take long.

        Returns the factor of K behind them, which helps to solve the system, or None where there are so many objects
        that only moments of their features are kept; and exact errors, by places of the grid.

        K ≈ F Fᵀ + ρI, with ρ the average of what is left of κ(x, x), so that K + λI is nearly F Fᵀ + (λ + ρ)I: what is
        left out acts as a ridge. Residuals and the room for them are both λ/(λ + ρ) of those of F, and leave-one-out
        errors the same.
        """
        gram, (total, count) = self.sample_.gram(), self._problem.totals()
        low, unit = None, 1.0
        if 8 * len(gram) * DEFAULT_RANK <= ROOM:
            lens, low = self._problem.lens(), rough_factor(gram, DEFAULT_RANK)
            seen = Smoother(rough_spectrum(low, lens), lens.S(self._problem.Y), self._problem.border(), "shrinkage")
            values, left_out = seen.values, seen.left_out
        else:
            coarse = KernelRidge(self.kernel_, 1.0, self.fit_intercept, rank=DEFAULT_RANK)
            coarse.fit(gram, Y, sample_weight=weights)
            of, unit = coarse._of_moments, coarse._unit**2
            values, left_out = of.values, coarse.trace_error_
        largest = float(values.max(initial=0.0))
        ridges = ridge_grid(self.ridge, largest, rounding(gram, largest, len(gram)))
        weight = total / self._problem.Y.shape[1]
        rho = left_out * float(gram.rough_diag().mean(dtype=np.float64)) * weight / len(gram)
        if low is None:
            errors = of.path(ridges + rho, coarse._summed.probed, coarse._summed.summary.kernel, left_out)
        else:
            errors = seen.path(ridges + rho, total, count)
        dof = count - ridges / (ridges + rho) * (count - errors.dof)
        self.path_ = replace(errors, ridges=ridges, dof=dof, loo=errors.loo * unit, gcv=errors.gcv * unit)
        best = self._best(self.path_, AS_GOOD)
        exact: dict[int, float] = {}
        if low is not None:
            best, exact = self._confirmed(best, system)
        self.ridge_ = float(ridges[best])
        return low, exact

    def _confirmed(self, place: int, system: Ridged) -> tuple[int, dict[int, float]]:
        """Go on from the choice of low rank by exact errors, as far as these can be afforded."""

        def error(ridge: float) -> float:
            return self._problem.error(system, ridge, self._by_gcv)

        return walked(self.path_.ridges, place, error, confirmations(system.gram), AS_GOOD)

    def _error_by(self, system: Ridged) -> float:
        """Return the leave-one-out error by a factor of all of K at the ridge: `loo_error_`, with fewer digits."""
        loo, weights = self._problem.left_out(system, self.ridge_).loo, self._problem.weights
        if weights is not None:
            loo = loo / np.sqrt(np.where(weights > 0, weights, 1.0))[:, None]
        return self._error_of(loo)

    def _error_of(self, loo: Array) -> float:
        """Return the mean square of leave-one-out residuals, a column for each target."""
        squares = np.square(loo).mean(axis=1)
        return float(np.average(squares, weights=self._problem.weights)) * self._unit * self._unit

    @property
    def _by_gcv(self) -> bool:
        return isinstance(self.ridge, str) and self.ridge == "gcv"

    def _best(self, path: RidgePath, as_good: float = 1.0) -> int:
        """Return the place of the ridge of least error, or of those with an error that is as good the largest."""
        errors = path.gcv if self._by_gcv else path.loo
        best = int(np.argmin(errors))
        if as_good > 1:
            best = max(best, *np.flatnonzero(errors <= as_good * errors[best]))
        return best

    def _solve(self, low: LowRank | None = None, ridged: Ridged | None = None) -> tuple[Array, Array]:
        """Return a and K a for the ridge as it is, from a linear system; there may be factors of K from before."""
        gram, lens = self.sample_.gram(), self._problem.lens()
        with gram.held():
            Z = lens.S(self._problem.Y)
            solution = solve_through(gram, Z, self.ridge_, lens, self.solver, self.tol, low, ridged)
            a = lens.St(solution.value)
            self._primal = solution.primal
            values = self._values_of(a, gram) if self.fit_intercept else np.zeros_like(a)
        self.solver_, self.residual_ = solution.method, solution.residual
        warn_unless_solved(self, solution.method, solution.residual, solution.primal_residual)
        return a, values

    def _smooth(self) -> tuple[Array, Array]:
        """Return a and K a from a spectral decomposition, choosing the ridge where there is a choice."""
        smoother = self._smoother()
        if fixed_ridge(self.ridge, CRITERIA) is None:
            gram = self.sample_.gram()
            largest = float(smoother.values.max(initial=0.0))
            ridges = ridge_grid(self.ridge, largest, rounding(gram, largest, len(gram)))
            self.path_ = smoother.path(ridges, *self._problem.totals())
            self.ridge_ = float(ridges[self._best(self.path_)])
        if self.smoother == "shrinkage" and smoother.left_out > 0:
            return self._solve()
        lens = self._problem.lens()
        c, self._primal = smoother.coefficients(self.ridge_), smoother.weights(self.ridge_)
        self._known = quality = smoother.at(self.ridge_)
        gram, target = self.sample_.gram(), lens.S(self._problem.Y)
        exact = self.smoother == "projection" or self.ridge_ == 0

        def rest_of(c: Array) -> Array:
            known = quality.residuals if exact else self.ridge_ * c
            return np.asarray(lens.S(gram.apply(lens.St(c))) + known - target)

        rest = rest_of(c)
        if not exact and relative(rest, self._problem.weighted()) > FINE:
            # directions that were dropped as rounding errors are none beside a ridge that is as small
            c = c - smoother.solved(rest, self.ridge_)
            rest = rest_of(c)
        self.residual_ = relative(rest, self._problem.weighted())
        self.solver_ = f"spectral decomposition, {len(smoother.values)} directions"
        of_weights = None
        if self.ridge_ == 0:
            self.solver_ = f"spectral decomposition; {minimum_norm(len(smoother.values))}"
        if self._primal is not None and self.residual_ > ACCEPTED:
            fitted = lens.S(evaluate(self.sample_, self.sample_, self._primal))
            of_weights = relative(fitted + quality.residuals - target, self._problem.weighted())
        warn_unless_solved(self, self.solver_, self.residual_, of_weights)
        if smoother.left_out > 0:
            warn_of_estimate("the predictions of a projection", smoother.left_out)
        return lens.St(c), self._values_of(lens.St(c), gram)

    def _values_of(self, a: Array, gram: Gram) -> Array:
        """Return K a, the values of a function at the sample."""
        return gram.apply(a) if self._primal is None else evaluate(self.sample_, self.sample_, self._primal)

    def _smoother(self) -> Smoother:
        lens = self._problem.lens()
        gram = self.sample_.gram()
        lam = fixed_ridge(self.ridge, CRITERIA)
        if lam == 0:
            parts = whole_range(gram, lens, self.solver)
        elif self.smoother == "shrinkage":
            parts = spectrum(gram.double(), lens, self.solver)  # eigenvalues that are small beside a ridge add up
        elif lam is not None:
            parts = spectrum_above(gram, lam, lens, self.solver)
        else:
            parts = spectrum(gram, lens, self.solver)
        return Smoother(parts, lens.S(self._problem.Y), self._problem.border(), self.smoother)

    def _keep(self, a: Array, Ka: Array, shape: tuple[int, ...]) -> None:
        b = np.zeros(a.shape[1])
        if self.fit_intercept:
            b = np.average(self._problem.Y - Ka, axis=0, weights=self._problem.weights)
        self._keep_learnt(a, b, shape)

    def _values(self, X: Any) -> Array:
        """Return f(x) + b."""
        images = self._images(X)
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.asarray(evaluate(self.function_, images, self._primal) + self.intercept_)
        if not np.isfinite(values).all():
            raise ValueError("predictions overflow: y was too large for sums of it; divide it by a constant, and fit")
        return values

    def _functions(self) -> tuple[Vectors, Array | None, Any, tuple[Any, ...], Any]:
        count = 1 if self.dual_coef_.ndim == 1 else self.dual_coef_.shape[1]
        labels = ("target",) if self.dual_coef_.ndim == 1 else tuple(f"target {t}" for t in range(count))
        return self.function_, self._primal, np.broadcast_to(self.intercept_, count), labels, None

    # What the fit is worth

    def hat_matrix(self) -> Array:
        """Return H, n × n, which gives the fitted values ŷ = H y, intercept and weights included (seed 004).

        Its trace is `effective_dof_`, its diagonal the leverages hᵢᵢ. It is the fit to the columns of the identity:
        O(n³), for up to 3,000 objects.

        Examples
        --------
        >>> import gramian as gm
        >>> model = gm.KernelRidge(gm.Linear(), ridge=0).fit([[1.0], [2.0], [2.0]], [1.0, 2.0, 3.0])
        >>> model.hat_matrix().round(3)                   # the projection on the only column
        array([[0.111, 0.222, 0.222],
               [0.222, 0.444, 0.444],
               [0.222, 0.444, 0.444]])
        """
        check_is_fitted(self)
        if self._landmarks is not None:
            raise ValueError(
                "in low rank the objects are not kept, and there is no hat matrix of them; effective_dof_ is its trace"
            )
        gram = self.sample_.gram().double()
        if len(gram) > DENSE:
            raise ValueError(
                f"the hat matrix of {len(gram):,} objects is too large: at most {DENSE:,} expected; effective_dof_ is "
                "its trace"
            )
        return np.asarray(self._influences().predict(gram))

    def _influences(self, ridge: float | None = None, some: Array | None = None) -> KernelRidge:
        """Return the regression on the columns of the identity: how much each target weighs in a prediction.

        At another ridge it is that of the targets, and beside them of some columns.
        """
        gram, settings = self.sample_.gram().double(), (self.fit_intercept, self.smoother, self.solver)
        each = KernelRidge(self.kernel_, self.ridge_ if ridge is None else ridge, *settings, rank="exact", tol=self.tol)
        columns = np.eye(len(gram))
        if some is not None:
            columns = np.hstack([self._problem.Y, columns[:, some]])
        each.fit(gram, columns, self._problem.weights)
        return each

    def _at(self, images: Vectors) -> Array:
        """Return f(x) + b, a column for each target."""
        return np.asarray(evaluate(self.function_, images, self._primal) + self.intercept_).reshape(len(images), -1)

    @property
    def loo_residuals_(self) -> Array:
        """yᵢ less the prediction of a model fitted without object i; computed when first asked for, in closed form."""
        check_is_fitted(self)
        if self._landmarks is not None:
            raise AttributeError(
                "in low rank the objects are not kept, and have no leave-one-out residuals; loo_error_ is estimated "
                "from some of them"
            )
        weights, Y = self._problem.weights, self._problem.Y
        loo = self._quality().loo
        if weights is not None:
            fitted = (
                evaluate(self.function_, self.sample_, self._primal).reshape(Y.shape) + self.intercept_
            ) / self._unit
            present = weights[:, None] > 0
            loo = np.where(present, loo / np.sqrt(np.where(present, weights[:, None], 1.0)), Y - fitted)
        with np.errstate(over="ignore"):
            return self._unit * loo.reshape(self.dual_coef_.shape)

    @property
    def loo_error_(self) -> float:
        """The mean square of the leave-one-out residuals, weighted where the objects are.

        Of targets beyond 1e150, or all below 1e-150, it may be more than the largest float or less than the least one,
        and is then infinite or 0; a warning gives its root.
        """
        check_is_fitted(self)
        square = self._loo_square()
        error = square * self._unit * self._unit
        if 0 < square < np.inf and not 0 < error < np.inf:
            warn(
                f"the mean square of the leave-one-out residuals is beyond floating point, and given as {error:g}; its "
                f"root is {self._unit * float(np.sqrt(square)):.4g}: divide the targets by a constant"
            )
        return error

    def _loo_square(self) -> float:
        """Return the mean square of the leave-one-out residuals of targets in their unit."""
        if self._is_summed:
            ridges = np.array([self.ridge_])
            path = self._of_moments.path(ridges, self._summed.probed, self._summed.summary.kernel, self.trace_error_)
            return float(path.loo[0])
        squares = np.square(self.loo_residuals_ / self._unit).mean(axis=tuple(range(1, self.dual_coef_.ndim)))
        return float(np.average(squares, weights=self._problem.weights))

    @property
    def effective_dof_(self) -> float:
        """The trace of the smoother: Σ σ²/(σ² + λ), and one more for an intercept."""
        check_is_fitted(self)
        if self._is_summed:
            return self._of_moments.dof(self.ridge_)
        return float((1 - self._quality().room).sum())

    @property
    def shrinkage_(self) -> Array:
        """The factor of each principal direction, σ²/(σ² + λ) (or 1 and 0 for a projection), the largest σ first."""
        check_is_fitted(self)
        if self._is_summed:
            return factors(self._of_moments.values, self.ridge_, self.smoother)[0]
        smoother = self._smoother()
        if smoother.left_out > 0:
            warn_of_estimate("shrinkage_", smoother.left_out)
        return factors(smoother.values, self.ridge_, self.smoother)[0]

    def _probed(self) -> tuple[Array, Array, Array | None]:
        """Return leave-one-out residuals, targets and weights of the objects that are looked at, in low rank."""
        chunk, of = self._summed.probed, self._of_moments
        f = factors(of.values, self.ridge_, self.smoother)[0]
        left = Seen(of, chunk, self._summed.summary.kernel).at(f, self.ridge_ == 0).loo
        if chunk.weights is not None:
            left = left / np.sqrt(np.where(chunk.weights > 0, chunk.weights, 1.0))[:, None]
        return left, np.asarray(chunk.numbers), chunk.weights

    def _quality(self) -> Residuals:
        if self._is_summed:
            problem = self._problem
            chunks = pieces(Chunk(self.sample_.points, problem.Y, problem.weights), self.probe)
            f = factors(self._of_moments.values, self.ridge_, self.smoother)[0]
            parts = [Seen(self._of_moments, chunk, self.kernel_).at(f, self.ridge_ == 0) for chunk in chunks]
            return joined_residuals(parts)
        if self._known is None:
            gram = self.sample_.gram()
            with gram.held() as held:
                if held and self.smoother == "shrinkage" and self.ridge_ > 0 and self._by_inverse(gram):
                    self._known = self._problem.quality(gram.double(), self.ridge_)
                else:
                    smoother = self._smoother()
                    self._known = smoother.at(self.ridge_)
                    if smoother.left_out > 0:
                        warn_of_estimate("the leave-one-out residuals and degrees of freedom", smoother.left_out)
        return self._known

    def _by_inverse(self, gram: Gram) -> bool:
        """Tell whether the room comes from (K + λI)⁻¹: with the digits of a decomposition, in a fifth of its time."""
        firm = self.ridge_ > FIRM * len(gram) * gram.scale() * self._problem.lens().gain
        return len(gram) > DENSE or (firm and not compares_exactly(len(gram)))


class KernelRidge(MultiOutputMixin, RegressorMixin, LeastSquares):  # type: ignore[misc]
    """Kernel ridge regression, with the ridge chosen by leave-one-out errors in closed form if you like.

    A function f of the objects is fitted to numbers: it minimises Σᵢ (yᵢ − f(xᵢ) − b)² + λ ‖f‖². The ridge λ keeps f
    smooth. The answer is f(x) = Σᵢ aᵢ κ(xᵢ, x) with a = (K + λI)⁻¹ y for b = 0.

    Parameters
    ----------
    kernel : Kernel
        By default the Gaussian with the median distance as bandwidth.
    ridge : float, "loo", "gcv", or a sequence of floats
        λ ≥ 0, scikit-learn's `alpha`; 0 is plain least squares, see the notes. "loo" takes the value with the smallest
        leave-one-out error from a grid that spans the eigenvalues of K, "gcv" the one with the smallest generalized
        cross-validation error; a sequence is a grid of your own, judged by leave-one-out. All values come from one
        decomposition, with no refitting.
    fit_intercept : bool
        Whether to add a constant b that is not penalised.
    smoother : "shrinkage" or "projection"
        Scale each principal direction by σ²/(σ² + λ), which is ridge regression; or use those with σ² ≥ λ fully and the
        others not at all (principal component regression). Leave-one-out errors of a projection take its directions as
        given; ``ridge="gcv"`` does not depend on that.
    solver : "auto", "primal" or "dual"
        The size of the linear system: explicit features, objects, or whichever are fewer.
    rank : int, "exact" or None
        Number of landmarks through which the objects are seen (`Nystrom`): one pass over the data and O(rank²) memory,
        for any n, with an error that `trace_error_` tells. By default the answer is exact wherever that takes
        reasonable time (some hundred thousand vectors), and of rank 1000 beyond.
    tol : float, optional
        Relative residual of the linear system: by default 1e-10, where K is too large to be kept 1e-6.
    checkpoint : path, optional
        A directory in which long work is kept as it goes on: after a crash the same call continues from there, and
        gives the same answer. It can be deleted when the fit is done.

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
    trace_error_ : float
        The share of the trace of K that landmarks leave out; 0 for an exact answer.

    Raises
    ------
    ValueError
        In `fit`: if a ridge is negative, or the targets are not finite numbers, one for each object.

    See Also
    --------
    RidgePath : errors and degrees of freedom at many ridges
    solve : the system (K + λI) X = B
    KernelClassifier : classification by least squares
    leave_fold_out : closed-form cross-validation

    Notes
    -----
    In low rank `sample_` are the landmarks, whose coefficients `dual_coef_` holds, and leave-one-out errors are those
    of 10,000 objects drawn at random.

    With a number for `ridge`, n up to 3,000 is solved by a Cholesky factorization, more by preconditioned conjugate
    gradients: O(n²) a step, and few steps unless the ridge is tiny, where a factorization in single precision takes
    their place. A grid costs an eigenvalue decomposition up to n = 1,100; beyond, ridges are compared on a low-rank
    approximation, up to n = 33,000 by errors of all objects, and the chosen one is used exactly: of those with an error
    within a thousandth of the least, which so many objects cannot tell apart, the largest. From there one goes on
    along the grid by exact errors (`path_` holds those of low rank) as far as half a second is enough for: freely up
    to n = 2,500, one step at 3,000, none from 3,500 on; `solver_` says how many were computed.

    With ``ridge=0`` the answer is the least-squares solution of minimum norm in feature space, by a decomposition with
    a decision on the rank, which `solver_` tells: singular values of explicit features below max(n, m) · eps times
    their norm count as 0, and eigenvalues of K below n · eps times the largest. Where the rank is n the function goes
    through every target, noise and all: then a ridge is what is wanted nearly always.

    Cost: O(n³) operations up to n = 3,000, O(n²) a step beyond; O(n · rank²) with a rank; O(n d²) with d explicit
    features. Predicting costs O(n) kernel values an object.

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

    def __init__(
        self,
        kernel: Kernel = MEDIAN_GAUSSIAN,
        ridge: Ridge = "loo",
        fit_intercept: bool = False,
        smoother: Kind = "shrinkage",
        solver: Side = "auto",
        rank: Rank = None,
        tol: float | None = None,
        checkpoint: Any = None,
    ) -> None:
        self.kernel = kernel
        self.ridge = ridge
        self.fit_intercept = fit_intercept
        self.smoother = smoother
        self.solver = solver
        self.rank = rank
        self.tol = tol
        self.checkpoint = checkpoint

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R², the share of the variance of y that the predictions explain, as scikit-learn does.

        It is worked out in a unit in which the squares of targets of any size stay within range.
        """
        targets = np.ones(1)
        try:
            with suppress(TypeError, ValueError):  # scikit-learn says what is wrong with them
                targets = np.asarray(y, dtype=np.float64)
        except OverflowError:
            raise ValueError("y holds an integer beyond the largest float, 1.8e308: rescale y") from None
        unit = unit_of(targets) if np.isfinite(targets).all() else 1.0
        if unit == 1:
            return float(super().score(X, y, sample_weight))
        return float(r2_score(targets / unit, self.predict(X) / unit, sample_weight=sample_weight))

    @undone_if_refused
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more objects, in low rank: the first call chooses the landmarks, later ones add to the moments.

        With ``rank=None`` there are up to 1000 landmarks. Takes the same as `fit`.
        """
        return self._learn_more(X, y, sample_weight)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return f(x) + b; with `return_std` also how uncertain it is for a Gaussian process, of the same shape.

        The second array is the standard deviation of f(x) + b given the targets, where f is drawn from a Gaussian
        process of the covariance s² κ and the targets carry independent noise of the variance σ² = λ s² (over their
        weight). λ is the ridge as it is; s² is the most likely value, yᵀa / n, and `noise_` is σ: a new target differs
        from the prediction by √(std² + σ²). In low rank what the landmarks leave of κ(x, x) is added. It is what this
        model believes, large far from the sample, and no guarantee: `predict_interval` gives one. Needs a ridge above 0
        and the smoother "shrinkage"; O(n²) an object, or O(features · rank).

        Examples
        --------
        >>> import gramian as gm
        >>> model = gm.KernelRidge(gm.Gaussian(bandwidth=1.0), ridge=0.1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0])
        >>> mean, std = model.predict([[1.0], [9.0]], return_std=True)
        >>> mean.round(2), std.round(2)
        (array([ 0.8, -0. ]), array([0.23, 0.81]))
        >>> round(model.noise_, 2)
        0.26
        """
        predictions = self._values(X)
        if not return_std:
            return predictions
        scale = self._signal()
        spread = np.sqrt(self._posterior(self._images(X)))
        return predictions, np.multiply.outer(spread, scale).reshape(predictions.shape)

    @property
    def noise_(self) -> Any:
        """σ, the standard deviation of the noise if λ is read as σ²/s²: a float, or one for each target."""
        try:
            noise = np.sqrt(self.ridge_) * self._signal()
        except ValueError as error:
            raise AttributeError(str(error)) from None
        return noise if self.dual_coef_.ndim > 1 else float(noise[0])

    def _signal(self) -> Array:
        """Return s, the most likely scale of a Gaussian process, for each target."""
        check_is_fitted(self)
        if self.ridge_ == 0 or self.smoother != "shrinkage":
            raise ValueError(
                "ridge is 0, or the smoother a projection: there is no Gaussian process that predicts so. Give a ridge "
                "above 0, or take predict_interval, which asks for no model"
            )
        if self._landmarks is None:
            problem = self._problem
            present = len(problem.Y) if problem.weights is None else int(np.count_nonzero(problem.weights))
            energy = np.einsum("ij,ij->j", problem.Y, self.dual_coef_.reshape(problem.Y.shape) / self._unit)
        else:
            of, present, moments = self._of_moments, self._summed.summary.present, self._summed.moments()[0]
            table = moments.scatter if of.intercept else moments.about_origin()
            squares = np.diagonal(table)[len(of.A) :]
            energy = (squares - np.einsum("ij,ij->j", of.B, of.weights(self.ridge_))) / self.ridge_
        return np.asarray(self._unit * np.sqrt(np.maximum(energy, 0.0) / max(present - self.fit_intercept, 1)))

    def _posterior(self, images: Vectors) -> Array:
        """Return the variances of predictions, in units of s²."""
        weights = None if self._landmarks is not None else self._problem.weights
        if self._landmarks is not None or takes_features(self.sample_.gram(), self.solver):
            low = self._through_features()
            spread = variances_of_moments(low._of_moments, low._summed.summary.kernel, images, self.ridge_)
            total = low._of_moments.weight
        else:
            gram, lens = self.sample_.gram(), self._problem.lens()
            w = np.ones(len(gram)) if weights is None else weights
            total = float(w.sum())
            with gram.held():
                system = System(gram, self.ridge_, lens, "dual")
                spread = variances(self.sample_, images, system, lens, w / total if self.fit_intercept else None)
        return np.asarray(spread + self.ridge_ / total if self.fit_intercept else spread)

    def predict_interval(self, X: Any, alpha: float = 0.1, groups: Any = None) -> Intervals:
        """Return intervals in which the targets of new objects lie with a probability of about 1 − `alpha`.

        They are those of the jackknife+, made from what the models without one object each say of x, in closed form.
        If the objects and the new one are exchangeable (drawn independently from one distribution, whatever it is), the
        interval of each target holds it with a probability of at least 1 − 2 `alpha`, and of about 1 − `alpha` in
        practice. That is an average over samples and over x: where the noise is larger, intervals are not wider for it.

        A ridge chosen by "loo", "gcv" or on a grid is chosen again without each of up to 500 objects, in closed form.
        Beyond, it is taken as given, as are always what a kernel takes from the sample (a bandwidth of "median") and
        the landmarks: the bound is not proved for these, though in simulations the share of targets inside stays
        within a point of 1 − `alpha`. A projection takes its directions as given, besides.

        Parameters
        ----------
        X : objects
        alpha : float
            The share of targets that may lie outside. Fewer than 1/alpha − 1 objects bound nothing: the intervals are
            infinite then, and a warning says so.
        groups : array of shape (n,), optional
            To which group each object of the sample belongs, where X are objects of new ones: whole groups are left
            out then, for the ridge as it is. From exact answers of at most 3,000 objects without weights, for
            shrinkage and a ridge above 0.

        Returns
        -------
        Intervals
            `low` and `high`, each of the shape of the predictions.

        Notes
        -----
        O(n) an object after O(n³) for n ≤ 3,000. In low rank, and where few explicit features stand for more objects
        than that, up to 10,000 objects drawn at random are left out, for which the same bound holds. An exact answer
        from more than 3,000 objects takes f₋ᵢ(x) = f(x), which is the plain jackknife, f(x) and a quantile of the
        leave-one-out residuals: nothing is proved of it unless the model hardly changes by the lack of an object, its
        `effective_dof_` being far below n.

        Objects of weight 0 are not there; every other one counts once.

        Examples
        --------
        >>> import gramian as gm
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> X = np.linspace(0, 6, 99)[:, None]
        >>> y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(99)
        >>> model = gm.KernelRidge(gm.Gaussian(bandwidth=1.0)).fit(X, y)
        >>> low, high = model.predict_interval([[1.5], [3.0]], alpha=0.1)
        >>> low.round(2), high.round(2)
        (array([0.85, 0.06]), array([1.15, 0.36]))
        """
        alpha = fraction(alpha, "alpha")
        shape = self._values(X).shape
        left_out = self._left_out() if groups is None else self._groups_out(groups)
        low, high = left_out.intervals(self._images(X), alpha)
        return Intervals(low.reshape(shape), high.reshape(shape))

    def _left_out(self) -> LeftOut:
        """Return what is known of the models that were learnt without one object."""
        count, chosen = len(self.sample_), hasattr(self, "path_")
        if self._is_summed or (count > DENSE and takes_features(self.sample_.gram(), self.solver)):
            return self._left_out_of_moments()
        weights = self._problem.weights
        if chosen and self.smoother == "shrinkage" and count <= CHOSEN_AGAIN:
            return self._left_out_in_choosing().among(weights)
        residuals = self.loo_residuals_.reshape(count, -1)
        if count > DENSE:
            return LeftOut(residuals, lambda some: self._at(some)[:, None, :]).among(weights)
        each = self._influences()
        return LeftOut.by_influence(residuals, lambda some: (self._at(some), each._at(some))).among(weights)

    def _groups_out(self, groups: Any) -> LeftOut:
        """Return what is known of the models that were learnt without one group."""
        labels, n = np.asarray(groups), len(self.sample_)
        if labels.shape != (n,) and not self._is_summed:
            raise ValueError(f"groups have the shape {labels.shape}; one for each of the {n:,} objects expected")
        if self._is_summed or n > DENSE or self._problem.weights is not None:
            raise ValueError("groups are left out of exact answers only, of at most 3,000 objects without weights")
        if self.smoother != "shrinkage" or not self.ridge_ > 0:
            raise ValueError("groups are left out by shrinkage only: take smoother='shrinkage' and a ridge above 0")
        group = np.unique(labels, return_inverse=True)[1]
        residuals = self._unit * without_groups(self._smoother(), group, np.array([self.ridge_]))[0]
        each = self._influences()
        return LeftOut.by_group(residuals, group, lambda some: (self._at(some), each._at(some)))

    def _left_out_of_moments(self) -> LeftOut:
        """Leave out the objects that are looked at, with explicit features."""
        low = self._through_features()
        residuals, _, weights = low._probed()
        seen = Seen(low._of_moments, low._summed.probed, low._summed.summary.kernel)
        f = factors(low._of_moments.values, self.ridge_, self.smoother)[0]
        left_out = LeftOut.by_influence(
            self._unit * residuals, lambda some: (self._at(some), seen.influences(some.points, f))
        )
        return left_out.among(weights)

    def _left_out_in_choosing(self) -> LeftOut:
        """Leave out each object when the ridge is chosen, too."""
        Y, weights = self._problem.Y, self._problem.weights
        present = np.ones(len(Y), dtype=bool) if weights is None else weights > 0
        by_gcv = isinstance(self.ridge, str) and self.ridge == "gcv"
        places, residuals = self._smoother().chosen_without_each(self.path_.ridges, by_gcv, present)
        if weights is not None:
            residuals = residuals / np.sqrt(np.where(present, weights, 1.0))[:, None]
        parts = [np.flatnonzero(places == place) for place in np.unique(places)]
        models = [self._influences(self.path_.ridges[places[part[0]]], part) for part in parts]
        order, targets = np.argsort(np.concatenate(parts)), Y.shape[1]

        def predictions(some: Vectors) -> Array:
            blocks = []
            for model, part in zip(models, parts, strict=True):
                values, H = np.split(model._at(some), [targets], axis=1)
                blocks.append(values[:, None, :] - H[:, :, None] * residuals[part])
            return np.asarray(self._unit * np.concatenate(blocks, axis=1)[:, order])

        return LeftOut(self._unit * residuals, predictions)

    def _through_features(self) -> Self:
        """Return the same model through the moments of its features, where it does not have these."""
        if self._is_summed:
            return self
        low = copy(self)
        low.ridge = self.ridge_
        low._shape = self.dual_coef_.shape[1:]
        low._learn_through_features()
        return low


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

    def lens(self) -> Lens:
        """Return S = P D and its transpose."""
        d = None if self.weights is None else np.sqrt(self.weights)[:, None]
        border = self.border()
        if d is None and border is None:
            return PLAIN

        def weighted(V: Array) -> Array:
            return V if d is None else d * V

        def projected(V: Array) -> Array:
            return V if border is None else V - np.outer(border, border @ V)

        gain = 1.0 if self.weights is None else float(self.weights.max())
        scale = np.ones((len(self.Y), 1)) if d is None else d
        b = np.zeros((len(self.Y), 1)) if border is None else border[:, None]
        return Lens(lambda V: projected(weighted(V)), lambda V: weighted(projected(V)), gain, (scale, b, b * scale))

    def totals(self) -> tuple[float, int]:
        """Return the sum of the weights over all targets, and the number of objects that have one."""
        if self.weights is None:
            return float(self.Y.size), len(self.Y)
        return float(self.weights.sum()) * self.Y.shape[1], int(np.count_nonzero(self.weights))

    def quality(self, gram: Gram, ridge: float) -> Residuals:
        """Return residuals λc and room λ diag (S K Sᵀ + λI)⁻¹ (less the intercept's share) from the inverse itself."""
        lens, place = self.lens(), gram.place
        factor = factor_of(lens.around(place.cast(gram.matrix(), np.float64)), ridge)
        return self._residuals(ridge, factor.solve(lens.S(self.Y)), factor.inverse_diagonal())

    def _residuals(self, ridge: float, c: Array, diagonal: Array) -> Residuals:
        border = self.border()
        return Residuals(ridge * c, ridge * diagonal - (0.0 if border is None else border**2))

    def left_out(self, system: Ridged, ridge: float) -> Residuals:
        """Return residuals and room from a factor of all of K, of which the room has the digits."""
        lens, whole = system.lens, system.at(ridge)
        Z = lens.S(self.Y)
        c = whole.solve(Z)
        c += whole.solve(Z - lens.S(system.gram.apply(lens.St(c))) - ridge * c)
        return self._residuals(ridge, c, whole.inverse_diagonal())

    def error(self, system: Ridged, ridge: float, by_gcv: bool) -> float:
        """Return the leave-one-out or generalized cross-validation error at a ridge, from a factor of all of K."""
        found, (total, count) = self.left_out(system, ridge), self.totals()
        if not by_gcv:
            return float(np.square(found.loo).sum()) / total
        average = (float(found.room.sum()) - (len(found.room) - count)) / count
        return float(np.square(found.residuals).sum()) / total / average**2 if average > 0 else np.inf


def minimum_norm(rank: int) -> str:
    """Say what least squares without a ridge has decided on."""
    return f"least squares of minimum norm, rank {rank}"
