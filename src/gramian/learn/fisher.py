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

Without a ridge, λ = 0, the quotient is (5.10), and w_c = M⁺ (φ_c − φ̄) maximises it where it has a maximum: where the
differences of the means lie in the range of the scatter. Along a direction outside, no class varies and the means still
differ, so that J grows without bound; that is so for every kernel under which the objects are linearly independent.

A new object goes to the class with the nearest mean in the metric of M⁻¹: for two classes the offset bisects the
projected means, b = ½ ⟨w, φ₊ + φ₋⟩ (5.20).
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, Self, cast

import numpy as np
import scipy.linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from gramian.checks import Array, positive, whole
from gramian.factor.cholesky import LowRank
from gramian.factor.machine import DENSE
from gramian.factor.solve import (
    MOST_STEPS,
    ROOM,
    Map,
    Ridged,
    System,
    by_moments,
    default_goal,
    explicit_features,
    relative,
    ridged_factor,
    takes_features,
)
from gramian.factor.spectrum import coordinates, rough_factor
from gramian.formula.encoded import Encoded
from gramian.gram.gram import Gram, features_on_host
from gramian.intake.batches import Batches
from gramian.kernels.algebra import Kernel
from gramian.learn.base import MEDIAN_GAUSSIAN, as_given, evaluate, named, undone_if_refused
from gramian.learn.confirming import confirmations, confirmed, walked
from gramian.learn.discriminant import Discriminant
from gramian.learn.fisher_loo import LeaveOneOut, WithinClasses, all_left_out, within
from gramian.learn.lowrank import DEFAULT_RANK, Rank, compares_exactly, landmark_coefficients, pieces
from gramian.learn.ridges import (
    Ridge,
    fixed_ridge,
    ridge_grid,
    rounding,
    warn_of_estimate,
    warn_unless_solved,
)
from gramian.learn.ways import require_scatter
from gramian.runtime.journal import keeping
from gramian.space.moments import Chunk, Moments, dense
from gramian.space.vectors import Vectors

MOST_LEFT_OUT = 6000  # objects; of more, those of a part of them are left out, in low rank
REFINEMENTS = 4  # of a solution whose residual is not small yet
BEYOND = 0.1  # share of it that a refinement aims at
FINE = 1e-8  # relative residual that needs no refinement
HIDDEN = 0.1  # of what is left out of K and acts as a ridge: by so little it cannot be said which of two is better
LARGEST_SCATTER = 1e140  # of features, whose squares are summed


class FisherDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Discriminant):  # type: ignore[misc]
    """Kernel Fisher discriminant: a classifier, and a transformer to at most classes − 1 dimensions (Algorithm 5.16).

    It looks for the directions along which the means of the classes are far apart and the classes themselves narrow.

    Parameters
    ----------
    kernel : Kernel
        By default the Gaussian with the median distance as bandwidth.
    ridge : float, "loo", or a sequence of floats
        λ of the quotient J, in units of variance in feature space; 0 for (5.10) as it is, which is refused where it has
        no maximum: there must be more objects than dimensions, roughly. "loo" takes the value with the fewest mistakes
        in leaving one object out, from a grid; a sequence is such a grid of your own. All of it in closed form, from
        one decomposition.
    n_components : int, optional
        Number of dimensions that `transform` returns; classes − 1 by default.
    rank : int, "exact" or None
        Number of landmarks through which the objects are seen (`Nystrom`): one pass over the data and O(rank²) memory
        a class, for any n, with an error that `trace_error_` tells. By default the answer is exact wherever that takes
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
    classes_ : array of shape (c,)
        The labels, sorted; with two of them the second is the positive one.
    trace_error_ : float
        The share of the trace of K that landmarks leave out; 0 for an exact answer.
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
        The grid and its shares of leave-one-out mistakes, where the ridge was chosen: with squared lengths that
        are right to two percent where classes have 60 members or more; of more than 1,100 objects, unless φ is
        explicit, seen through 1,000 directions. From the least of these one goes on along the grid by exact errors
        (lengths right to one part in the size of a class), freely up to 3,000 objects, one step at 4,000, none beyond.
    solver_ : str
        How the linear system was solved, and at how many ridges exact errors were compared.

    Raises
    ------
    ValueError
        In `fit`: if there are fewer than two classes, a ridge is negative, or J has no maximum at ridge 0.

    See Also
    --------
    ParzenClassifier : the nearest centre of mass
    KernelClassifier : classification by least squares
    leave_fold_out : closed-form cross-validation
    KernelSearch : choose a kernel and its parameters

    Notes
    -----
    In low rank `sample_` are the landmarks, whose coefficients `dual_coef_` holds, and leave-one-out errors are those
    of 2,000 objects drawn at random.

    Cost: O(n³) operations up to n = 3,000; O(n · rank²) with a rank, O(n d²) with d explicit features. Predicting costs
    O(n) kernel values an object.

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

    products = 30
    probe = 2_000

    ridge_: float
    axes_: Vectors
    quotients_: Array
    projected_means_: Array
    projected_variances_: Array
    ridges_: Array
    loo_errors_: Array
    solver_: str
    _loo_scores: Array | None = None
    _coarse: FisherDiscriminant | None = None

    def __init__(
        self,
        kernel: Kernel = MEDIAN_GAUSSIAN,
        ridge: Ridge = "loo",
        n_components: int | None = None,
        rank: Rank = None,
        tol: float | None = None,
        checkpoint: Any = None,
    ) -> None:
        self.kernel = kernel
        self.ridge = ridge
        self.n_components = n_components
        self.rank = rank
        self.tol = tol
        self.checkpoint = checkpoint

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the discriminant functions and the directions.

        Parameters
        ----------
        X : objects that the kernel accepts, their symmetric Gram, or `Batches` of objects and labels
        y : array of shape (n,)
            Labels of at least two classes, each with at least two members.
        """
        self._check_settings()
        X = self._source(X)
        with keeping(self.checkpoint):
            return self._fit(X, y)._keep_names(X)

    def _check_settings(self) -> None:
        fixed_ridge(self.ridge, ("loo",))
        if self.tol is not None:
            positive(self.tol, "tol")

    @undone_if_refused
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Learn from more objects, in low rank: the first call chooses the landmarks, later ones add to the moments.

        With ``rank=None`` there are up to 1000 landmarks. Classes may turn up in any call; `classes`, which
        scikit-learn's convention asks for, is not needed. There is nothing to predict until two classes have turned
        up, with two members each.
        """
        self._check_settings()
        X = self._source(X)
        if not isinstance(X, Batches):
            y = self._labels_of(y, X)
        if not self._goes_on():
            self._start(X)
        self._take_classes(X, y)
        if len(self._label_numbers) > 1 and min(self._summed.summary.weights) > 1:
            self._solve_moments()
        return self

    def _fit(self, X: Any, y: Any) -> Self:
        X, y, reduced = self._prepared(X, y)
        if reduced:
            self._start(X)
            self._take_classes(X, y)
            self._solve_moments()
            self._warn_if_automatic()
            return self
        self._begin_exactly()
        sample = self._learn_sample(X)
        labels = self._classes(y)
        self._check_sizes(np.bincount(labels))
        self._labels = self._sample_labels = labels
        if by_moments(sample.gram()):
            self._begin(self.kernel_)
            self._number_classes()
            for chunk in pieces(Chunk(sample.points, groups=labels)):
                self._add(chunk)
            self._solve_moments()
            return self
        low = self._rough_factor() if fixed_ridge(self.ridge, ("loo",)) is None else None
        with sample.gram().held() if low is not None else nullcontext():
            self.ridge_, errors = self._choose_ridge(low)
            scatter = solve_scatter(sample.gram(), WithinClasses(labels), self.ridge_, self.tol, low)
        self._keep_scatter(replace(scatter, method=confirmed(scatter.method, errors)))
        return self

    def _learnt_from(self) -> Chunk:
        labels = self._sample_labels
        self._number_classes()
        return Chunk(self.sample_.points, groups=labels)

    def _number_classes(self) -> None:
        """Number the labels in their order, as those of an exact fit are."""
        self._label_numbers.update((label, number) for number, label in enumerate(self.classes_.tolist()))

    def _check_sizes(self, sizes: Array) -> None:
        if min(sizes) < 2:
            raise ValueError(
                f"class {named(self.classes_[int(np.argmin(sizes))])} has one member only; at least two expected, for "
                "the variance within a class to be defined"
            )
        self._components()

    def _solve_moments(self) -> None:
        """Find everything from the moments of the classes."""
        groups, self._labels = self._class_moments()
        require_scatter(groups, LARGEST_SCATTER)
        self._check_sizes(np.array([group.weight for group in groups]))
        self.ridge_, _ = self._choose_ridge()
        w, doubly, scatter = scatter_of_moments(groups, self.ridge_, self._summed.summary.rounding())
        if (low := self._landmarks) is not None:
            alpha, primal = landmark_coefficients(low, w), None
        else:
            S, primal = WithinClasses(self._sample_labels), w
            if self.ridge_ > 0:
                alpha = (S.differences - S(S(evaluate(self.sample_, self.sample_, w)))) / self.ridge_
            else:
                alpha = S(S(evaluate(self.sample_, self.sample_, doubly)))
        self._keep_scatter(replace(scatter, alpha=alpha, primal=primal, method=self._summed.described()))

    def _keep_scatter(self, scatter: Scatter) -> None:
        warn_unless_solved(self, scatter.method, scatter.residual)
        self.solver_ = scatter.method
        self._keep_functions(scatter)
        self._keep_axes(scatter)

    def _rough_factor(self) -> LowRank | None:
        """Return the factor of K in which a large sample is left out object by object, where there is room for it."""
        gram = self.sample_.gram()
        small = compares_exactly(len(gram)) or 8 * len(gram) * DEFAULT_RANK > ROOM
        return None if small or takes_features(gram) else rough_factor(gram, DEFAULT_RANK)

    def _choose_ridge(self, low: LowRank | None = None) -> tuple[float, dict[int, float]]:
        """Return the ridge, and after a choice in low rank, `low`, exact errors by places of the grid."""
        self._forget("ridges_", "loo_errors_", "_loo_scores", "_coarse")
        if (given := fixed_ridge(self.ridge, ("loo",))) is not None:
            return given, {}
        gram = self.sample_.gram()
        left_out, labels = self._left_out(low, shared=True)
        self.ridges_ = ridge_grid(self.ridge, left_out.largest, rounding(gram, left_out.largest))
        scores = left_out.scores(self.ridges_)
        self.loo_errors_ = np.mean(scores.argmax(axis=2) != labels, axis=1)
        best = place_of_best(self.ridges_, self.loo_errors_, unseen_ridge(gram, self._unseen, len(self.classes_)))
        if len(labels) == len(self._labels) and left_out.is_exact and not self._unseen:
            self._loo_scores = scores[best]
        best, exact = (best, {}) if low is None else self._confirmed(best)
        return float(self.ridges_[best]), exact

    def _confirmed(self, place: int) -> tuple[int, dict[int, float]]:
        """Go on from the choice of low rank by exact errors, as far as these can be afforded."""
        gram, S, labels = self.sample_.gram(), WithinClasses(self._labels), self._labels
        system = Ridged(gram, within(S))

        def error(ridge: float) -> float:
            return float(np.mean(all_left_out(system, S, ridge).argmax(axis=1) != labels))

        return walked(self.ridges_, place, error, confirmations(gram))

    def _left_out(self, low: LowRank | None = None, shared: bool = False) -> tuple[LeaveOneOut, Array]:
        """Return what leaves objects out, and the classes of these: all, or of a large sample the first ones.

        With a factor of K, or where there are very many objects, they are seen in low rank. With `shared` large classes
        share a decomposition, which is quick and good enough to choose by.
        """
        gram = self.sample_.gram()
        if self._is_summed:
            self._unseen = 0.0
            return self._left_out_at(self._summed.probed.points, self._labels), self._labels
        if low is None and len(gram) > MOST_LEFT_OUT and not takes_features(gram):
            coarse = self._in_low_rank()
            return coarse._left_out()
        if low is not None:
            points, self._unseen = low.points, low.relative_error
        else:
            points, self._unseen = coordinates(gram)
        return LeaveOneOut.of_points(points, self._labels, shared), self._labels

    def _in_low_rank(self) -> FisherDiscriminant:
        """Return the same discriminant in low rank, from which leave-one-out errors of a large sample are estimated."""
        if self._coarse is None:
            coarse = FisherDiscriminant(self.kernel_, 1.0, rank=DEFAULT_RANK)
            self._coarse = coarse.fit(self.sample_.gram(), self.classes_[self._labels])
        self._unseen = self._coarse.trace_error_
        return self._coarse

    def _left_out_at(self, points: Encoded, labels: Array) -> LeaveOneOut:
        return LeaveOneOut.of_moments(
            self._class_moments()[0], dense(features_on_host(self._summed.summary.kernel, points)), labels
        )

    @property
    def loo_decision_(self) -> Array:
        """The decision function for each training object of a model fitted without it, in closed form."""
        check_is_fitted(self)
        if self._loo_scores is None:
            self._loo_scores = self._leave_all_out()
        if self._unseen > 0:
            warn_of_estimate("the leave-one-out decisions", self._unseen)
        scores = self._loo_scores
        return np.asarray(scores if len(self.classes_) > 2 else scores[:, 1] - scores[:, 0])

    def _left_out_decisions(self) -> tuple[Array, Array, Array | None]:
        return self.loo_decision_, self._labels, None

    def _leave_all_out(self) -> Array:
        here = np.array([self.ridge_])
        left_out, labels = self._left_out()
        rho = unseen_ridge(self.sample_.gram(), self._unseen, len(self.classes_))
        if len(labels) == len(self._labels):
            return np.asarray(seen_in_part(left_out.scores, here, rho)[0])
        coarse, chunk = self._in_low_rank(), Chunk(self.sample_.points, groups=self._labels)
        each = (coarse._left_out_at(c.points, cast(Array, c.groups)) for c in pieces(chunk, self.probe))
        return np.vstack([seen_in_part(some.scores, here, rho)[0] for some in each])

    @property
    def loo_error_(self) -> float:
        """The share of the training objects that a model fitted without them gets wrong."""
        decision = self.loo_decision_
        predicted = decision > 0 if decision.ndim == 1 else decision.argmax(axis=1)
        return float(np.mean(predicted != self._labels))

    def _keep_functions(self, scatter: Scatter) -> None:
        """Keep w_c = M⁻¹ (φ_c − φ̄), and the offsets ⟨w_c, ½ (φ_c + φ̄)⟩, φ̄ the average of the class means."""
        at_means = scatter.at_means
        self._keep(scatter.alpha, (np.diagonal(at_means) + at_means.mean(axis=0)) / 2, scatter.primal)

    def _keep_axes(self, scatter: Scatter) -> None:
        """Keep the maximisers of J among the combinations of the w_c: the eigenvectors of Δᵀ M⁻¹ Δ."""
        count = len(self.classes_) - 1
        G = scatter.at_means - scatter.at_means.mean(axis=0)
        g, u = scipy.linalg.eigh((G + G.T) / 2)
        g, u = g[::-1][:count], u[:, ::-1][:, :count] * _signs(u[:, ::-1][:, :count])
        scale = np.where(g > 1e-12 * max(float(g[0]), 0.0), 1 / np.sqrt(np.maximum(g, np.finfo(float).tiny)), 0.0)
        self.quotients_ = (count + 1) * np.maximum(g, 0.0)
        self.axes_ = self.sample_.combine(scatter.alpha @ (u * scale))
        self._primal_axes = None if scatter.primal is None else scatter.primal @ (u * scale)
        self.projected_means_ = scatter.at_means @ (u * scale)
        self.projected_variances_ = scatter.spread(u * scale)

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


def unseen_ridge(gram: Gram, left_out: float, classes: int) -> float:
    """Return the ridge as which the part of K acts that a factor F leaves out, a share of its trace.

    With K ≈ F Fᵀ + ρI every object has a direction of its own, of squared length ρ. Eliminated from M, these directions
    leave λ/(λ + ρ/ℓ) times the scatter within a class of ℓ members, and λI: what F has at the ridge λ + ρ/ℓ, times
    λ/(λ + ρ/ℓ). For ℓ the average size of a class is taken.
    """
    return left_out * float(gram.rough_diag().mean(dtype=np.float64)) * classes / len(gram) if left_out else 0.0


def seen_in_part(scores: Map, ridges: Array, rho: float) -> Array:
    """Return discriminant functions at each ridge from those of a factor, what it leaves out being a ridge rho."""
    if not rho or not ridges.all():
        return scores(ridges)
    return scores(ridges + rho) * (1 + rho / ridges)[:, None, None]


def place_of_best(ridges: Array, errors: Array, rho: float) -> int:
    """Return the place of the ridge with the fewest mistakes, of equals the most regularised.

    Ridges far below rho, as which what is left out of K acts, are equals: low rank does not see what they do.
    """
    best = ridges[errors == errors.min()][-1]
    return int(np.flatnonzero(ridges <= best + HIDDEN * rho)[-1])


@dataclass(frozen=True, eq=False)
class Scatter:
    """w_c = M⁻¹ (φ_c − φ̄) for each class: dual weights, and explicit weights where φ is explicit.

    `at_means` are the values of all functions (columns) at the means of all classes (rows); `spread` gives the
    variance of each class along combinations of the functions.
    """

    alpha: Array
    primal: Array | None
    residual: float
    method: str
    at_means: Array
    spread: Map

    @classmethod
    def of_values(
        cls, alpha: Array, values: Array, primal: Array | None, residual: float, method: str, S: WithinClasses
    ) -> Scatter:
        """Keep functions whose values at the sample are known."""

        def spread(axes: Array) -> Array:
            projected = values @ axes
            return np.asarray(S.means.T @ (projected - (S.means.T @ projected)[S.labels]) ** 2)

        return cls(alpha, primal, residual, method, S.means.T @ values, spread)


def scatter_of_moments(groups: list[Moments], ridge: float, rounding: float) -> tuple[Array, Array, Scatter]:
    """Solve M w_c = φ_c − φ̄ from the moments of explicit features of each class; return w, M⁺ w and the rest.

    `rounding` is the error of the eigenvalues of M, as a share of the largest, which counts without a ridge.
    """
    means = np.array([group.mean for group in groups])
    within = [group.scatter / group.weight for group in groups]
    M = sum(within[1:], within[0].copy())
    T = (means - means.mean(axis=0)).T
    if ridge > 0:
        factor = ridged_factor(M.copy(), ridge)
        w = scipy.linalg.cho_solve(factor, T, check_finite=False)
        w += scipy.linalg.cho_solve(factor, T - M @ w - ridge * w, check_finite=False)
        doubly = np.empty(0)
    else:
        values, axes = scipy.linalg.eigh(M, check_finite=False)
        largest = max(float(values[-1]), float(np.square(T).sum(axis=0).max()))
        w, doubly, _ = maximisers(values, axes, T, rounding * largest)

    def spread(axes: Array) -> Array:
        along = w @ axes
        return np.array([np.einsum("ij,ij->j", along, C @ along) for C in within])

    return w, doubly, Scatter(np.empty(0), w, relative(T - M @ w - ridge * w, T), "", means @ w, spread)


def solve_scatter(
    gram: Gram, S: WithinClasses, ridge: float, tol: float | None = None, low: LowRank | None = None
) -> Scatter:
    """Solve M w_c = φ_c − φ̄ with M = Φᵀ S² Φ + λI, in explicit features where there are few, else in the dual.

    `low` is a factor of K, where there is one from before.
    """
    if ridge == 0:
        return _unregularised(gram, S)
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
        return Scatter.of_values(_complete(alpha), _complete(phi @ w), _complete(w), residual, method, S)
    goal = default_goal(gram) if tol is None else tol
    fine = max(FINE, goal)
    with gram.held():
        multiply, system = _in_double_precision(gram), System(gram, ridge, within(S), low=low)

        def seen(alpha: Array) -> tuple[Array, Array, float]:
            """Return K α, what is left of T, and how much of it that is."""
            values = multiply(alpha)
            rest = T - ridge * alpha - S(S(values))
            return values, rest, relative(rest, T)

        alpha = T / ridge
        (values, rest, reached), products = seen(alpha), 1
        for _ in range(REFINEMENTS):
            # What is left is S s, and (S K S + λI) g = s gives the S g that α lacks.
            solution = system.solve(S.undone(rest), max(goal, BEYOND * fine / max(fine, reached)))
            products += solution.iterations + 1
            refined = alpha + S(solution.value)
            product, remaining, now = seen(refined)
            if now >= reached:
                break
            alpha, values, rest, reached = refined, product, remaining, now
            if reached <= fine or products >= MOST_STEPS:
                break
    method = system.describe(products) if solution.iterations else solution.method
    return Scatter.of_values(_complete(alpha), _complete(values), None, reached, method, S)


def _unregularised(gram: Gram, S: WithinClasses) -> Scatter:
    """Maximise J without a ridge, in explicit features or in coordinates that a Cholesky factor gives."""
    phi, n, eps = explicit_features(gram), len(gram), float(np.finfo(gram.dtype).eps)
    if phi is not None:
        points = phi
        noise = (max(phi.shape) * eps * float(np.linalg.norm(phi))) ** 2 / min(S.sizes)
    else:
        points, left_out = coordinates(gram)
        noise = (n + 16) * max(eps, gram.kernel.accuracy(gram.dtype)) * gram.scale()
        if left_out > n * eps:
            raise ValueError(
                f"ridge is 0, and K of {n:,} objects is too large to be decomposed, unless its rank is small: give a "
                "ridge above 0, or a rank"
            )
    T, inside = S.differences[:, :-1], S(points)
    _, sigma, axes = scipy.linalg.svd(inside, full_matrices=False, check_finite=False)
    means = (points - points.mean(axis=0)).T @ T
    w, doubly, rank = maximisers(sigma**2, axes.T, means, noise)
    alpha, values = S(inside @ doubly), points @ w
    method = f"decomposition of the scatter within classes, rank {rank}"
    if phi is not None:
        residual = relative(means - inside.T @ (inside @ w), means)
        return Scatter.of_values(_complete(alpha), _complete(values), _complete(w), residual, method, S)
    residual = relative(gram.apply(alpha) - values, values)
    return Scatter.of_values(_complete(alpha), _complete(values), None, residual, method, S)


def maximisers(values: Array, axes: Array, T: Array, noise: float) -> tuple[Array, Array, int]:
    """Return w = M⁺ T, M⁺ w and the rank of M = V diag(values) Vᵀ, where T lies in the range of M; else refuse.

    `noise` is the error of squared lengths. What is left of a column t of T outside the range is the difference of t
    and a combination of deviations within classes whose coefficients have the squared norm tᵀ M⁺ t, by which errors
    grow.
    """
    kept = values > noise
    V, kept_values = axes[:, kept], values[kept, None]
    inside = V.T @ T
    solved = inside / kept_values
    outside = np.square(T - V @ inside).sum(axis=0)
    if (outside > noise * (1 + (inside * solved).sum(axis=0))).any():
        raise ValueError(
            "ridge is 0, and the quotient J has no maximum: the means of the classes differ along a direction in which "
            f"no class varies (the scatter within classes has rank {int(kept.sum())}, and they differ by "
            f"{float(outside.max()) ** 0.5:.3g} outside of it), so that J grows without bound there. Give a ridge "
            "above 0, or a kernel with fewer dimensions than there are objects"
        )
    return V @ solved, V @ (solved / kept_values), int(kept.sum())


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
