"""Linear systems with K + λI: the solver behind ridge regression and Fisher's discriminant.

Small systems are solved by a Cholesky factorization, O(n³). Larger ones by conjugate gradients, O(n²) a step, on

    (S K Sᵀ + λI) X = B

(S the identity, or weights, or a centring), preconditioned by a randomly pivoted Cholesky factor: with K ≈ F Fᵀ the
matrix (S F)(S F)ᵀ + λI is inverted by

    (G Gᵀ + λI)⁻¹ = (I − G (GᵀG + λI)⁻¹ Gᵀ) / λ,        G = S F,

which removes the large eigenvalues of K, the ones that make the iteration slow. Where K can be kept all of it may be
factored in single precision instead, and a few steps with K in double make up for the digits. Which of the two it is,
and the rank of F, are what takes the least time by the model of `factor.machine`. The answer carries the residual that
it reached, computed afresh, not the one the recurrence believes in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import ceil, isqrt, log, sqrt
from typing import Any, Literal, cast

import numpy as np
import scipy.linalg

from gramian.checks import Array, as_array, is_sparse, positive
from gramian.factor.cholesky import LowRank, pivoted
from gramian.factor.machine import DENSE, TYPICAL
from gramian.gram.gram import Gram, as_symmetric, features
from gramian.gram.there import answered
from gramian.places import Factor, Matrix, place_of
from gramian.runtime.progress import steps_left, task
from gramian.runtime.threads import aside, cores, one_blas_thread, run

Map = Callable[[Array], Array]
Step = Callable[[Array, Any], Array]
Side = Literal["auto", "primal", "dual"]

MOST_STEPS = 150  # of conjugate gradients
MORE = 4  # times as many where a step takes a fraction of a second, whatever the size
MACHINE = TYPICAL  # by which times are predicted
SURE = 10  # steps that one of low rank is expected to take, at least
LAST = 64  # columns of a factor by which it is judged what is left of K
ASKED = 8  # steps after which, and after twice as many, it is asked whether to go on
LARGEST_RANK = 4096  # of a preconditioner where there is room for large matrices; half of it on the cores
FEWEST = 64  # below which the rank of a preconditioner is not halved
ROOT = 16  # side of a matrix that a place may keep, by the rank of a preconditioner that is decomposed in no time
LARGEST_FACTOR = 2**31  # bytes of it in single precision, or as many as a place keeps of K
PRECONDITIONER_ROWS = 2048  # of its factor that are worked on at a time
PART = 2**19  # numbers of a matrix that are seen through S at a time
CLEAR = 64  # a ridge so many times the rounding errors of K in single precision is not lost among them
COARSE = 1e-4  # what a round of steps by values in single precision may gain, at most
CLEARLY = 0.7  # of the time that the steps left seem to take, for which something else is begun: they get quicker
IN_SINGLE = 1e-5  # relative residual that values in single precision can tell, for ridges that are not lost among them
SLOW = 0.1  # gain of a round that is too small: what is left needs values in double precision
ROOM = 2**28  # bytes of explicit features that are held at once
NOT_DEFINITE = (
    "K + {:g} I is not positive definite: a ridge this small is lost among the rounding errors of K, or the kernel is "
    "not one (gm.is_psd tells); take a larger ridge"
)
GRADIENTS = "conjugate gradients, {} products with K, "
RESTARTS = 8  # each computes the true residual and goes on from there


@dataclass(frozen=True, eq=False)
class Solution:
    """The answer to a linear system, with the evidence of its quality.

    Attributes
    ----------
    value : array
        X.
    iterations : int
        Multiplications by K that were needed; 0 for a factorization.
    residual : float
        ‖(K + λI) X − B‖ / ‖B‖, the largest over the columns.
    converged : bool
        Whether the residual is at most the tolerance that was asked for.
    method : str
        What was done, in words.
    primal : array or None
        W = Φᵀ Sᵀ X, where the system was solved in explicit features. Accurate even where λ is so small that X is not.
    rank : int
        That of the preconditioner, 0 where there was none.
    primal_residual : float or None
        ‖(Φᵀ Φ + λI) W − Φᵀ B‖ / ‖Φᵀ B‖, where there is a W.

    See Also
    --------
    solve : the system (K + λI) X = B
    KernelRidge : ridge regression

    Notes
    -----
    Cost: memory for n numbers a column, as the right-hand side has.

    Examples
    --------
    >>> import gramian as gm
    >>> found = gm.solve(gm.Linear().gram([[1.0], [2.0]]), [1.0, 2.0], ridge=1.0)
    >>> found.value.round(4), found.converged
    (array([0.1667, 0.3333]), True)
    """

    value: Array
    iterations: int
    residual: float
    converged: bool
    method: str
    primal: Array | None = None
    rank: int = 0
    primal_residual: float | None = None


def solve(gram: Gram, b: Any, ridge: Any, tol: float | None = None) -> Solution:
    """Solve (K + λI) x = b for one right-hand side or for the columns of a matrix, at one λ or at several.

    Parameters
    ----------
    gram : Gram
        A symmetric Gram.
    b : array of shape (n,) or (n, t)
        Right-hand sides.
    ridge : float, or a sequence of floats
        λ > 0. The answers for several are stacked, with one axis more in front. Where K is multiplied tile by tile,
        one preconditioner and the same products serve all of them.
    tol : float, optional
        Relative residual to reach: by default 1e-10, 1e-6 where K is too large to be kept, and 1e-5 where it is in
        single precision. Below 1e-5 vectors in single precision are taken for the exact numbers they are: residuals
        come from K in double precision, and steps from K in single.

    Returns
    -------
    Solution
        Look at `converged`: a system that is too ill-conditioned for its size is answered with the residual it reached.

    Raises
    ------
    ValueError
        If b does not fit the Gram, a ridge is not above 0, or the solution overflows.

    See Also
    --------
    Solution : what `solve` answers
    KernelRidge : ridge regression
    cholesky : K ≈ F Fᵀ, completely or in low rank

    Notes
    -----
    Cost: O(n³) operations up to n = 3,000; beyond, conjugate gradients, O(n²) a step.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.solve(gm.Gaussian().gram([[0.0], [9.0]]), [2.0, 4.0], ridge=1.0).value.round(6)
    array([1., 2.])
    >>> gm.solve(gm.Gaussian().gram([[0.0], [9.0]]), [2.0, 4.0], ridge=[1.0, 3.0]).value.round(6)
    array([[1. , 2. ],
           [0.5, 1. ]])
    """
    if as_symmetric(gram, "solve") is not gram:
        return answered(solve, gram, b, ridge, tol)
    B = as_array(b, "b").astype(np.float64)
    if B.ndim not in (1, 2) or len(B) != len(gram) or not B.size or not np.isfinite(B).all():
        raise ValueError(f"b has shape {B.shape}; {len(gram)} finite numbers expected, or a matrix of so many rows")
    plain = Gram(gram.kernel, gram.rows, memory=gram.memory) if gram.diagonal else gram
    several = isinstance(ridge, Sequence) or getattr(ridge, "ndim", 0) > 0
    totals = [positive(lam, "ridge") + gram.diagonal for lam in (ridge if several else [ridge])]
    if not totals:
        raise ValueError("ridge is empty; at least one number above 0 expected")
    largest = np.abs(B).max(axis=0, initial=0.0)
    unit = np.ldexp(1.0, np.frexp(np.where(largest > 0, largest, 1.0))[1] - 1)  # so that no square leaves the range
    answer = _at_each(plain, (B / unit).reshape(len(B), -1), totals, tol)
    with np.errstate(over="ignore"):
        primal = None if answer.primal is None else answer.primal * unit
        answer = replace(answer, value=answer.value * unit, primal=primal)
    if not np.isfinite(answer.value).all():
        raise ValueError(f"the solution overflows, for b reaches {np.abs(B).max():.1g}: divide it by a constant")
    value = answer.value if B.ndim == 2 else answer.value[..., 0]
    return replace(answer, value=value if several else value[0], primal=None if several else answer.primal)


def _at_each(gram: Gram, B: Array, ridges: list[float], tol: float | None) -> Solution:
    """Solve at several ridges; the answers are stacked."""
    goal = tol if tol is not None else default_goal(gram)
    gram = judging(gram, goal)
    if len(ridges) > 1 and len(gram) > DENSE and not takes_features(gram):
        columns = np.repeat(ridges, B.shape[1])
        with gram.held():
            aid = _preconditioner(gram, PLAIN, columns)
            answer = _iterated(gram, np.tile(B, len(ridges)), columns, PLAIN, goal, aid)
        value = answer.value.reshape(len(gram), len(ridges), B.shape[1]).transpose(1, 0, 2)
        return replace(answer, value=value)
    each = [solve_through(gram, B, lam, tol=tol) for lam in ridges]
    worst = max(each, key=lambda answer: answer.residual)
    products = sum(answer.iterations for answer in each)
    return replace(worst, value=np.stack([answer.value for answer in each]), iterations=products)


def identity(V: Array) -> Array:
    """Return V: the S of a plain system."""
    return V


@dataclass(frozen=True)
class Lens:
    """The map S through which K is seen, and Sᵀ; both act on the columns of a matrix.

    `gain` bounds what S makes of ‖v‖², that of its steps included, by which rounding errors of K grow: 1 for a
    centring, the largest weight where there are weights. Where S V = d ∘ V − L Rᵀ V, as it is of these, `form` holds
    d, L and R, by which matrices that are elsewhere are seen through it where they are.
    """

    S: Map = identity
    St: Map = identity
    gain: float = 1.0
    form: tuple[Array, Array, Array] | None = None

    def around(self, K: Matrix) -> Matrix:
        """Return S K Sᵀ for a symmetric matrix K, which it is written over: first S K, then S (S K)ᵀ."""
        if self.S is not identity:
            for V in (K, K.T):
                self.over(V)
        return K

    def seen(self, V: Matrix) -> Matrix:
        """Return S V for a matrix of a place."""
        place = place_of(V)
        return V if self.S is identity else place.array(self.S(place.host(V)))

    def over(self, V: Matrix) -> None:
        """Write S V over V, some columns at a time, worked out in double precision."""
        place = place_of(V)
        if self.form is not None:
            place.look_through(V, *(part.astype(np.float64) for part in self.form))
            return
        width = max(1, PART // max(1, len(V)))
        spans = [slice(start, start + width) for start in range(0, V.shape[1], width)]

        def work(lane: int, span: slice) -> None:
            seen = self.S(place.host(V[:, span]).astype(np.float64))
            V[:, span] = place.array(seen, place.dtype(V))

        run(work, spans, cores(), in_turn=False)


PLAIN = Lens()


def solve_through(
    gram: Gram,
    B: Array,
    ridge: float,
    lens: Lens = PLAIN,
    side: Side = "auto",
    tol: float | None = None,
    low: LowRank | None = None,
    ridged: Ridged | None = None,
) -> Solution:
    """Solve (S K Sᵀ + λI) X = B on the cheaper side: that of explicit features (primal) or that of objects (dual)."""
    return System(gram, ridge, lens, side, low, ridged).solve(B, tol)


class System:
    """The matrix S K Sᵀ + λI, with what is prepared once for all right-hand sides: a factor, or a preconditioner.

    `low` is a randomly pivoted factor of K, where there is one from before, and `ridged` may know one of all of it.
    """

    def __init__(
        self,
        gram: Gram,
        ridge: float,
        lens: Lens = PLAIN,
        side: Side = "auto",
        low: LowRank | None = None,
        ridged: Ridged | None = None,
    ) -> None:
        self.gram, self.ridge, self.lens, self.low = gram, ridge, lens, low
        self._known = ridged.known(ridge) if ridged else None
        self._features = explicit_matrix(gram, side)
        self._aid: Aid | None = None
        self._whole = True  # K may have a factor in single precision
        self._most = _largest_rank(gram)  # of a preconditioner; less where K has no more

    def solve(self, B: Array, tol: float | None = None) -> Solution:
        """Solve for the columns of a matrix B, to a relative residual of `tol`."""
        goal = tol if tol is not None else default_goal(self.gram)
        self.gram = judging(self.gram, goal)
        if self._features is not None:
            return _primal(self.lens.seen(self._features), B, self.ridge, goal)
        if len(self.gram) <= DENSE:
            return self._factored(B, goal)
        with self.gram.held() as held:
            answer = self._iterate(B, goal)
            return self._factored(B, goal) if held and not answer.converged else answer

    def describe(self, products: int) -> str:
        """Say how right-hand sides were solved for by an iteration, with so many products in all."""
        return cast(Aid, self._aid).describe(products)

    def _iterate(self, B: Array, goal: float) -> Solution:
        """Iterate, and go on with a better preconditioner where making it takes less time than doing without."""
        n, columns, products = len(self.gram), B.shape[1], 0
        begun: Array | None = None
        if self._aid is None:
            rank = self._first_rank
            self._aid = self._made(n if self._known or self._factors_at_once(rank, columns, goal) else rank)
        while True:
            now = better = self._aid.rank

            def outdone(left: float, now: int = now) -> bool:
                nonlocal better
                better = self._best_rank(now, left, columns)
                return better != now

            ridges = np.full(columns, self.ridge)
            answer = _iterated(self.gram, B, ridges, self.lens, goal, self._aid, begun, outdone)
            products += answer.iterations
            if answer.converged or better == now:
                return replace(answer, iterations=products, method=self._aid.describe(products))
            begun, self._aid = answer.value, self._made(better)

    def _made(self, rank: int) -> Aid:
        """Return a preconditioner of a rank, of as many as there are objects the factor of all of K, if it has one."""
        if rank < len(self.gram):
            preconditioner = _preconditioner(self.gram, self.lens, np.array(self.ridge), self.low, rank)
            if preconditioner.rank < rank:
                self._most = preconditioner.rank
            return preconditioner
        whole, self._known = self._known or _factor_in_single(self.gram, self.lens, self.ridge), None
        if whole is not None:
            return whole.aid
        self._whole = False
        return self._aid or self._made(self._first_rank)

    @property
    def _first_rank(self) -> int:
        """The rank to begin with: that of the factor that there is."""
        return self.low.rank if self.low else _default_rank(self.gram)

    def _factors_at_once(self, rank: int, columns: int, goal: float) -> bool:
        """Tell whether to factor all of K takes less time than the steps with a preconditioner of a rank."""
        if not self.gram.is_held:
            return False
        made = 0.0 if self.low else MACHINE.pivoted(len(self.gram), rank, self._in_single)
        made += MACHINE.prepared(len(self.gram), rank)
        return MACHINE.factored(len(self.gram)) <= made + self._expected_steps(goal) * self._step(rank, columns)

    def _expected_steps(self, goal: float) -> float:
        """Return how many steps a preconditioner of low rank is expected to take, by the factor that there is.

        The squared length of a column of F, (E²)ᵢᵢ / Eᵢᵢ for what was left of K before it, is at most the largest
        eigenvalue of E, and for pivots drawn at random near it. With κ = 1 + ‖E‖/λ it takes √κ/2 · log(2/goal) steps at
        most, and often fewer, for few eigenvalues of E are as large.
        """
        if self.low is None or not self.low.rank:
            return SURE
        last = self.low.factor[:, -LAST:]
        squares = place_of(last).squares(last)[0].sum()
        largest = self.lens.gain * float(squares) / last.shape[1]
        return max(SURE, CLEARLY * sqrt(1 + largest / self.ridge) / 2 * log(2 / goal))

    def _best_rank(self, rank: int, left: float, columns: int) -> int:
        """Return the rank by which so many steps are over in the shortest time: this one, a larger one, or n for all.

        Twice the rank is expected to take half of the steps. Residuals fall faster and faster, so that fewer steps may
        be left than their slope tells: another rank has to promise clearly less time.
        """
        n = len(self.gram)
        if self.gram.kernel.matrix_free or rank == 0:
            return rank
        times = {rank: CLEARLY * left * self._step(rank, columns)}
        for larger in (2 * rank, 4 * rank):
            if larger <= self._most:
                made = MACHINE.pivoted(n, larger, self._in_single) + MACHINE.prepared(n, larger)
                times[larger] = made + left * rank / larger * self._step(larger, columns)
        if self._whole and self.gram.is_held:
            times[n] = MACHINE.factored(n) + SURE / 2 * self._step(0, columns)
        return min(times, key=lambda rank: times[rank])

    def _step(self, rank: int, columns: int) -> float:
        """Return the time of a step of the iteration."""
        n, size = len(self.gram), self.gram.dtype.itemsize
        made = 0.0 if self.gram.is_held else MACHINE.computed(n)
        return made + MACHINE.product(n, columns, size) + MACHINE.preconditioned(n, rank, columns)

    @property
    def _in_single(self) -> bool:
        return not _lost(self.gram, self.lens, self.ridge)

    @cached_property
    def _factor(self) -> Factor:
        place = self.gram.place
        return factor_of(self.lens.around(place.cast(self.gram.matrix(), np.float64)), self.ridge)

    def _factored(self, B: Array, goal: float) -> Solution:
        factor = self._factor
        X = factor.solve(B)
        X += factor.solve(np.asarray(B - factor.times(X)))
        residual = relative(B - factor.times(X), B)
        return Solution(X, 0, residual, residual <= goal, "Cholesky factorization")


def judging(gram: Gram, goal: float) -> Gram:
    """Return the Gram by which residuals are judged: in double precision where single cannot tell what is asked for.

    Vectors in single precision are exact numbers; only the values of K would be rounded.
    """
    return gram.double() if goal < IN_SINGLE else gram


def default_goal(gram: Gram) -> float:
    """Return the relative residual to reach where none is asked for."""
    if gram.dtype.itemsize <= 4:
        return IN_SINGLE
    return 1e-10 if gram.can_hold() or gram.kernel.matrix_free else 1e-6


def takes_features(gram: Gram, side: Side = "auto") -> bool:
    """Tell whether a question is best put to explicit features: where asked for, or fewer than there are objects."""
    dim = gram.kernel.feature_dim(gram.rows)
    few = dim is not None and dim < len(gram) and dim <= DENSE
    return side == "primal" or (side == "auto" and few)


def by_moments(gram: Gram, side: Side = "auto") -> bool:
    """Tell whether explicit features are to be summed up as they are made, for all of them would take much memory."""
    dim = gram.kernel.feature_dim(gram.rows) or 0
    return takes_features(gram, side) and dim < len(gram) and 8 * dim * len(gram) > ROOM


def explicit_matrix(gram: Gram, side: Side = "auto") -> Matrix | None:
    """Return the explicit features Φ where that side is asked for, or is cheaper: fewer features than objects.

    They are an array of the place that has the objects.
    """
    if not takes_features(gram, side):
        return None
    phi = features(gram.kernel, gram.rows)
    if gram.kernel.feature_dim(gram.rows) is None:
        raise TypeError(
            f"{gram.kernel!r} does not spell out the features of these objects, and new ones could not be put into "
            "their columns; take solver='dual'"
        )
    place = place_of(phi)
    return place.cast(phi.toarray() if is_sparse(phi) else phi, np.float64)


def explicit_features(gram: Gram, side: Side = "auto") -> Array | None:
    """Return what `explicit_matrix` does on the host."""
    phi = explicit_matrix(gram, side)
    return None if phi is None else place_of(phi).host(phi)


def factor_of(A: Matrix, ridge: float) -> Factor:
    """Return the Cholesky factor of A + λI, for a symmetric matrix of a place, which may be written over."""
    place, along = place_of(A), np.arange(len(A))
    place.add_at(A, along, along, ridge)
    try:
        return place.cholesky(A)
    except scipy.linalg.LinAlgError:
        raise ValueError(NOT_DEFINITE.format(ridge)) from None


def ridged_factor(A: Array, ridge: float, over: bool = False) -> tuple[Array, bool]:
    """Add λ to the diagonal of a symmetric A, in place, and return its Cholesky factor; `over` one triangle of A."""
    A[np.diag_indices_from(A)] += ridge
    try:
        return _factored_over(A if over else A.copy())
    except scipy.linalg.LinAlgError:
        raise ValueError(NOT_DEFINITE.format(ridge)) from None


def _factored_over(A: Array) -> tuple[Array, bool]:
    """Return the Cholesky factor of a symmetric matrix, written over it: by rows it is what LAPACK reads by columns."""
    by_columns = A.T if A.flags.c_contiguous else A
    return aside(
        lambda: cast(
            tuple[Array, bool],
            scipy.linalg.cho_factor(by_columns, lower=True, overwrite_a=True, check_finite=False),
        )
    )


def _primal(features: Matrix, B: Array, ridge: float, goal: float) -> Solution:
    """Through explicit features: X = (B − Φ (ΦᵀΦ + λI)⁻¹ Φᵀ B) / λ, O(n m²) for m features."""
    times, transposed = place_of(features).times, features.T
    factor = factor_of(place_of(features).syrk(features), ridge)
    solved = factor.solve

    W = solved(times(transposed, B))
    W += solved(times(transposed, B - times(features, W)) - ridge * W)
    X = (B - times(features, W)) / ridge
    R = B - (times(features, times(transposed, X)) + ridge * X)
    X += (R - times(features, solved(times(transposed, R)))) / ridge  # removes what cancelled above
    residual = relative(B - (times(features, times(transposed, X)) + ridge * X), B)
    target = times(transposed, B)
    of_weights = relative(target - times(transposed, times(features, W)) - ridge * W, target)
    method = f"primal, {features.shape[1]} features"
    return Solution(X, 0, residual, residual <= goal, method, W, primal_residual=of_weights)


@dataclass(frozen=True, eq=False)
class Aid:
    """A preconditioner: R ↦ an approximation of (S K Sᵀ + λI)⁻¹ R, and what it is; `rank` is 0 where it is a factor."""

    apply: Step
    rank: int
    words: str

    def describe(self, products: int) -> str:
        """Say what was done with so many products."""
        return self.words.format(products)


def _iterated(
    gram: Gram,
    B: Array,
    ridges: Array,
    lens: Lens,
    goal: float,
    aid: Aid,
    begun: Array | None = None,
    outdone: Callable[[float], bool] = lambda left: False,
) -> Solution:
    """Conjugate gradients, each column with a λ of its own, started afresh until the true residual is small enough.

    They go on from `begun`, and stop where `outdone` says so of the number of steps that seem to be left.

    Where K is computed anew for every product, the steps go by values in single precision, which cost half as much,
    and the true residuals by values in double: as long as that makes good headway.
    """
    coarse = gram if gram.is_held or _lost(gram, lens, float(ridges.min()), 1 / SLOW) else gram.rounded()

    def multiplied(by: Gram, V: Array, columns: Any = slice(None)) -> Array:
        return np.asarray(lens.S(by.apply(lens.St(V))) + ridges[columns] * V)

    unit = _unit(B)
    B = B / unit  # so that no square of it vanishes or overflows
    X, R, products, residual, stopped = np.zeros_like(B), B, 0, 1.0, False
    if begun is not None:
        X = begun / unit
        R, products = B - multiplied(gram, X), 1
        residual = relative(R, B)
    rounds = ceil(log(goal / 2) / log(COARSE))

    def asked(done: int, expected: float | None, note: str) -> bool:
        nonlocal stopped
        told.advance(done, expected, note)
        left = most if expected is None else expected - done
        again = done >= ASKED and done % ASKED == 0 and (done // ASKED).bit_count() == 1
        stopped = again and outdone(left)
        return stopped

    most = MOST_STEPS * (MORE if gram.place.speed > 1 else 1)
    with one_blas_thread(), task("conjugate gradients") as told:
        for _ in range(RESTARTS):
            aim = max(goal / 2, residual * (goal / 2) ** (1 / rounds)) if coarse is not gram else goal / 2
            change, steps = conjugate_gradients(
                partial(multiplied, coarse), aid.apply, R, B, aim, most - products, asked, products
            )
            rest = B - multiplied(gram, X + change)
            products += steps + 1
            gain = relative(rest, B) / residual
            if gain < 1:
                X, R, residual = X + change, rest, gain * residual
            if residual <= goal or products >= most or stopped:
                break
            if gain > SLOW:
                coarse = gram
            if (exact := gram.double()) is not gram:  # what steps believed is not so: rounded values hide what is left
                gram = exact
                R, products = B - multiplied(gram, X), products + 1
                residual = relative(R, B)
    return Solution(X * unit, products, residual, residual <= goal, aid.describe(products), rank=aid.rank)


def _lost(gram: Gram, lens: Lens, ridge: float, times: float = CLEAR) -> bool:
    """Tell whether a ridge is less than so many times the rounding errors of K in single precision, seen through S."""
    noise = len(gram) ** 0.5 * float(np.finfo(np.float32).eps) * gram.scale() * lens.gain
    return bool(ridge < times * noise)


@dataclass(frozen=True, eq=False)
class Whole:
    """The Cholesky factor of all of (S K Sᵀ + λI) / scale, in single or double precision."""

    factor: Factor
    scale: float
    dtype: type[np.floating[Any]]

    @property
    def aid(self) -> Aid:
        """The factor as a preconditioner, by which a few steps make up for its digits."""
        precision = " in single precision" if self.dtype is np.float32 else ""
        words = f"Cholesky factorization{precision}, refined by {{}} products with K"
        return Aid(lambda R, columns: self.solve(R), 0, words)

    def solve(self, R: Array) -> Array:
        """Return (S K Sᵀ + λI)⁻¹ R, with the digits of the factor."""
        unit = _unit(R)
        return np.asarray(self.factor.solve((R / unit).astype(self.dtype)) * (unit / self.scale))

    def inverse_diagonal(self) -> Array:
        """Return the diagonal of (S K Sᵀ + λI)⁻¹."""
        return np.asarray(self.factor.inverse_diagonal() / self.scale)


class Ridged:
    """S K Sᵀ, to be factored at one ridge after another: in single precision as long as the ridge is not lost there.

    The last factor is kept, for a system at the same ridge.
    """

    def __init__(self, gram: Gram, lens: Lens = PLAIN) -> None:
        self.gram, self.lens = gram, lens
        self._last: tuple[float, Whole] | None = None

    def known(self, ridge: float) -> Whole | None:
        """Return the factor at a ridge, if it is the last one that was made."""
        return self._last[1] if self._last is not None and self._last[0] == ridge else None

    @cached_property
    def _single(self) -> Matrix:
        return _seen_in_single(self.gram, self.lens)

    def at(self, ridge: float) -> Whole:
        """Return the factor at a ridge; refused where the matrix is not positive definite."""
        self._last = self._last if self.known(ridge) else None  # before there is another one in memory
        self._last = self._last or (ridge, self._made(ridge))
        return self._last[1]

    def _made(self, ridge: float) -> Whole:
        if not _lost(self.gram, self.lens, ridge) and (found := _in_single(lambda: self._single * 1, self.gram, ridge)):
            return found
        place = self.gram.place
        A = self.lens.around(place.cast(self.gram.matrix(), np.float64))
        return Whole(factor_of(A, ridge), 1.0, np.float64)


def _seen_in_single(gram: Gram, lens: Lens) -> Matrix:
    """Return S K Sᵀ over the scale of K in single precision; what does not fit is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return lens.around(gram.in_single(1 / gram.scale()))


def _in_single(seen: Callable[[], Matrix], gram: Gram, ridge: float) -> Whole | None:
    """Return the factor of S K Sᵀ + λI, given how the first is made in single precision, over the scale of K.

    The matrix is written over. None where it has no factor in that precision, or there is no room for it.
    """
    scale, place = gram.scale(), gram.place
    try:
        A = seen()
        with np.errstate(over="ignore", invalid="ignore"):
            place.add_at(A, np.arange(len(gram)), np.arange(len(gram)), ridge / scale)
        return Whole(place.cholesky(A), scale, np.float32) if place.finite(A) else None
    except scipy.linalg.LinAlgError:
        return None
    except place.full:
        place.release()
        return None


def _factor_in_single(gram: Gram, lens: Lens, ridge: float) -> Whole | None:
    """Return the Cholesky factor of the whole matrix in single precision, None where it has none in that precision."""
    return _in_single(lambda: _seen_in_single(gram, lens), gram, ridge)


def _largest_rank(gram: Gram) -> int:
    n, hold = len(gram), gram.place.hold
    return max(1, min(n // 4, LARGEST_RANK, isqrt(hold) // ROOT, max(LARGEST_FACTOR, hold) // (4 * n)))


def _default_rank(gram: Gram) -> int:
    """Return the rank of a preconditioner of which nothing is known: the longer a product takes, the larger."""
    worth = 4 if gram.is_held else 8
    return min(_largest_rank(gram), max(100, worth * isqrt(len(gram))))


def _preconditioner(gram: Gram, lens: Lens, ridges: Array, low: LowRank | None = None, rank: int | None = None) -> Aid:
    """Return the preconditioner of a rank, or of half of it, and so on, where that is what the memory has room for."""
    rank = rank or _default_rank(gram)
    while True:
        try:
            return _preconditioner_of(gram, lens, ridges, low, rank)
        except gram.place.full:
            if rank <= FEWEST:
                raise
        gram.place.release()
        rank, low = rank // 2, None


def _preconditioner_of(gram: Gram, lens: Lens, ridges: Array, low: LowRank | None, rank: int) -> Aid:
    """Return R ↦ (G Gᵀ + λI)⁻¹ R with G = S F, F a factor that there is, or one of a rank.

    Its rank is 0 where a column of K costs as much as a product, and many products are the better buy. One
    decomposition GᵀG = U diag(s) Uᵀ serves every λ, one for all columns of R or one for each. A factor is made in
    single precision where the ridge is not lost there, or memory is short; what is done with it is exact for the G that
    is kept.
    """
    n, place = len(gram), gram.place

    def at(columns: Any) -> Array:
        return ridges if ridges.ndim == 0 else ridges[columns]

    if gram.kernel.matrix_free:
        return Aid(lambda R, columns: R / at(columns), 0, GRADIENTS + "no preconditioner")
    if low is not None and low.rank == rank:
        G = low.factor * 1  # a copy
    else:
        twice = _lost(gram, lens, float(ridges.min())) and 8 * n * rank <= LARGEST_FACTOR
        G = pivoted(gram if twice else gram.rounded(), rank, pivoting="random", rng=0).factor
    if lens.S is not identity:
        lens.over(G)
    stripes = place.stripes(n, PRECONDITIONER_ROWS)

    def wide(rows: slice) -> Matrix:
        return place.cast(G[rows], np.float64)

    none = place.array(np.zeros((G.shape[1], G.shape[1])))
    s, U = place.eigh(sum((place.syrk(wide(rows)) for rows in stripes), none))

    def precondition(R: Array, columns: Any) -> Array:
        parts, product = np.empty((len(stripes), G.shape[1], R.shape[1])), np.empty_like(R)

        def gather(lane: int, k: int) -> None:
            parts[k] = place.times(wide(stripes[k]).T, R[stripes[k]])

        def spread(lane: int, k: int) -> None:
            product[stripes[k]] = R[stripes[k]] - place.times(wide(stripes[k]), inside)

        run(gather, range(len(stripes)), place.lanes, in_turn=False)
        shares = place.times(U.T, parts.sum(axis=0)) / (np.maximum(s, 0.0)[:, None] + at(columns))
        inside = place.times(U, shares)
        run(spread, range(len(stripes)), place.lanes, in_turn=False)
        return np.asarray(product / at(columns))

    return Aid(precondition, G.shape[1], f"{GRADIENTS}preconditioner of rank {G.shape[1]}")


def conjugate_gradients(
    multiply: Step,
    precondition: Step,
    R: Array,
    B: Array,
    tol: float,
    most: int,
    tell: Callable[[int, float | None, str], bool] = lambda *_: False,
    before: int = 0,
) -> tuple[Array, int]:
    """Solve A X = R column by column, sharing the products, until ‖R‖ ≤ tol ‖B‖; return X and the steps taken.

    A may differ from column to column: `multiply` and `precondition` are told which columns they are given.
    After each step `tell` is told the number of steps, those `before` included, an estimate of how many there will be,
    and what was reached; where it answers yes, this is the last step.
    """
    X = np.zeros_like(R)
    goal = tol * np.linalg.norm(B, axis=0)
    R = R.copy()
    Z = precondition(R, slice(None))
    P = Z.copy()
    rz = np.einsum("ij,ij->j", R, Z)
    steps, reached = 0, [relative(R, B)]
    while steps < most and bool((active := (np.linalg.norm(R, axis=0) > goal) & (rz > 0)).any()):
        AP = multiply(P[:, active], active)
        curvature = np.einsum("ij,ij->j", P[:, active], AP)
        length = rz[active] / curvature
        X[:, active] += length * P[:, active]
        R[:, active] -= length * AP
        Z = precondition(R[:, active], active)
        following = np.einsum("ij,ij->j", R[:, active], Z)
        P[:, active] = Z + (following / rz[active]) * P[:, active]
        rz[active] = following
        steps += 1
        reached.append(relative(R, B))
        left, done = steps_left(reached, tol), before + steps
        if tell(done, None if left is None else done + left, f"step {done}, residual {reached[-1]:.0e}"):
            break
    return X, steps


def relative(R: Array, B: Array) -> float:
    """Return ‖R‖ / ‖B‖, the largest over the columns."""
    units = _unit(R), _unit(B)
    left, size = np.linalg.norm(R / units[0], axis=0), np.linalg.norm(B / units[1], axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        ratios = left / np.where(size > 0, size, 1.0) * (units[0] / units[1])
    return float(np.max(np.where(left > 0, ratios, 0.0)))


def _unit(B: Array) -> Array:
    """Return the power of two next to the largest entry of each column: to divide by it costs no digit."""
    largest = np.abs(B).max(axis=0, initial=0.0)
    return np.where(largest > 0, np.ldexp(1.0, np.frexp(largest)[1] - 1), 1.0)
