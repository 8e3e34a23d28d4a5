"""Cholesky decomposition of a Gram, the dual Gram–Schmidt procedure (seed 000, section 5.2, Algorithm 5.12).

K = F Fᵀ with row i of F the coordinates of φ(xᵢ) in the orthonormal basis that Gram–Schmidt makes of the pivots
φ(x_p), in the order they are taken. The residuals dᵢ = κ(xᵢ, xᵢ) − ‖Fᵢ‖² are the squared distances of the points from
the span so far. Stopping early is *partial* Gram–Schmidt, an incomplete factor: F Fᵀ ≈ K with error trace Σ dᵢ.

Pivots are taken in the given order, or greedily (the largest residual next), or at random with probability dᵢ / Σ d
(randomly pivoted Cholesky: near-optimal in expectation, and not misled by outliers as the greedy rule is). The Gram is
asked for its diagonal, a few small blocks and the pivots' columns: O(n k) kernel values and O(n k²) operations.

Columns are computed several at a time, in matrix products. Greedy pivots seem to forbid that, for each depends on what
the one before has left; but residuals only fall. So of candidates, the points farthest from the span so far, the
farthest is the next pivot without a look at the others, as long as it is no nearer than any of those was at first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import isqrt
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.linalg import solve_triangular

from gramian.checks import Array, as_generator, non_negative, whole
from gramian.gram.gram import Gram, as_symmetric
from gramian.gram.there import answered
from gramian.places import Matrix, place_of
from gramian.runtime.progress import task
from gramian.runtime.threads import one_blas_thread, run

Order: TypeAlias = Callable[[Array], Iterator[int]]  # what is next, by what is left of each at the time

Pivoting = Literal["greedy", "random"] | None

BATCH = 128  # pivots proposed at a time
AHEAD = 3  # candidates for each pivot that the last ones have given
FACTOR_ROWS = 1024  # rows of the factor that a lane updates at a time
SAME = 1 + 1e-6  # ratio of numbers that are equal up to rounding
SURE = 1024  # columns up to which memory is taken at once; a larger factor grows as it needs to
IN_VAIN = 100  # proposals, one after the other, of which nothing comes, as cannot be by chance


@dataclass(frozen=True, eq=False)
class LowRank:
    """K ≈ F Fᵀ, with the evidence of how close.

    Attributes
    ----------
    factor : array of shape (n, k)
        F. Its rows are coordinates of the points in an orthonormal basis of k directions of the feature space. That of
        `pivoted` is an array of the place that has the points.
    pivots : array of shape (k,)
        The indices of the points whose images span those directions, in the order they were taken.
    residual : array of shape (n,)
        κ(xᵢ, xᵢ) − ‖Fᵢ‖² ≥ 0: the squared distance of each φ(xᵢ) from their span. For the nodes of a large graph,
        whose κ(x, x) are expensive, an estimate good to some 20 %.
    trace : float
        The trace of K; there too an estimate, good to a fraction of 1 %.

    See Also
    --------
    cholesky : K ≈ F Fᵀ, completely or in low rank
    CholeskyMap : Gram–Schmidt coordinates
    Nystrom : any kernel in low rank, by landmarks

    Notes
    -----
    Cost: memory for n (k + 1) numbers.

    Examples
    --------
    >>> import gramian as gm
    >>> k, X = gm.Gaussian(), [[0.0], [1.0], [5.0]]
    >>> low = gm.cholesky(k.gram(X), rank=2)
    >>> low.pivots, low.residual.round(3)
    (array([0, 2]), array([0.   , 0.632, 0.   ]))
    >>> low.coordinates(k([[5.0]], [X[p] for p in low.pivots])).round(3)      # a new point, at the second pivot
    array([[0., 1.]])
    """

    factor: Array
    pivots: Array
    residual: Array
    trace: float

    @property
    def rank(self) -> int:
        """Number of directions, k."""
        return len(self.pivots)

    @property
    def relative_error(self) -> float:
        """tr(K − F Fᵀ) / tr K, between 0 and 1."""
        return float(self.residual.sum() / self.trace) if self.trace else 0.0

    @property
    def points(self) -> Array:
        """The rows of F as an array of the host."""
        return place_of(self.factor).host(self.factor)

    @property
    def triangle(self) -> Array:
        """L, the pivots' rows of F: lower triangular, K[pivots, pivots] = L Lᵀ."""
        return np.tril(place_of(self.factor).host(self.factor[self.pivots]))

    def coordinates(self, cross: Array) -> Array:
        """Return the coordinates of other points from their kernel values with the pivots, m × k, by substitution."""
        cross = np.asarray(cross)
        if cross.ndim != 2 or cross.shape[1] != self.rank:
            raise ValueError(f"cross has shape {cross.shape}; kernel values with the {self.rank} pivots expected")
        if self.rank == 0:
            return np.zeros((len(cross), 0))
        return np.asarray(solve_triangular(self.triangle, cross.T, lower=True, check_finite=False).T)

    def __repr__(self) -> str:
        return f"LowRank(rank={self.rank}, n={len(self.factor)}, relative_error={self.relative_error:.3g})"


def cholesky(
    gram: Gram,
    rank: int | None = None,
    tol: float = 0.0,
    pivoting: Pivoting = "greedy",
    rng: Any = None,
    residual: float = 0.0,
) -> LowRank:
    """Factor a Gram as K ≈ F Fᵀ, completely or up to a rank or an error.

    F has one row for each object and as few columns as the error allows; it stands for K at a small part of the cost.

    Parameters
    ----------
    gram : Gram
        A symmetric Gram; only its diagonal and columns are asked for.
    rank : int, optional
        Stop after so many pivots; n by default.
    tol : float
        Stop when the residual trace Σ dᵢ is at most `tol` times the trace of K. Every residual norm ‖φ(xᵢ) − Pφ(xᵢ)‖ is
        then at most √(tol · tr K). With ``tol=0`` and ``residual=0`` the factor is complete, with greedy or random
        pivots: it stops where the residuals are rounding errors, and its rank is that of the data.
    pivoting : "greedy", "random" or None
        Largest residual first; at random with probability proportional to the residual; or in the given order, leaving
        out points that depend on earlier ones, or nearly so that rounding errors would be magnified (their residual
        stays and is reported).
    rng : int or numpy Generator, optional
        For random pivots. The same seed gives the same pivots.
    residual : float
        The η of Algorithm 5.12: stop when max dᵢ ≤ η. As in Code Fragment 5.4 it is compared with the *squared* norms
        dᵢ = ‖φ(xᵢ) − Pφ(xᵢ)‖², so that no point is farther than √η from the span. In the given order
        (``pivoting=None``) a point no farther than that from the earlier ones is left out. With a `tol` beside it, the
        first of the two that is reached counts.

    Returns
    -------
    LowRank

    Raises
    ------
    ValueError
        If an argument is out of range, or a residual shows that K is not positive semidefinite.

    See Also
    --------
    LowRank : what `cholesky` answers
    CholeskyMap : Gram–Schmidt coordinates
    GramSchmidt : partial Gram–Schmidt features for linear models
    Nystrom : any kernel in low rank, by landmarks
    eigen : leading eigenpairs of K

    Notes
    -----
    Cost: O(n k) kernel values, O(n k²) operations and O(n k) memory for k pivots.

    Examples
    --------
    >>> import gramian as gm
    >>> K = gm.Linear().gram([[2.0, 0.0], [1.0, 0.0], [1.0, 3.0]])
    >>> low = gm.cholesky(K)
    >>> low
    LowRank(rank=2, n=3, relative_error=0)
    >>> low.pivots
    array([2, 0])
    >>> gm.cholesky(K, residual=4.0).residual         # (2, 0) is √3.6 away from the span of (1, 3)
    array([3.6, 0.9, 0. ])
    """
    if as_symmetric(gram, "cholesky") is not gram:
        return answered(cholesky, gram, rank, tol, pivoting, rng, residual)
    factor = pivoted(gram, rank, tol, pivoting, rng, residual)
    return replace(factor, factor=factor.points)


def pivoted(
    gram: Gram,
    rank: int | None = None,
    tol: float = 0.0,
    pivoting: Pivoting = "greedy",
    rng: Any = None,
    residual: float = 0.0,
) -> LowRank:
    """Return what `cholesky` does with the factor left where the objects are: an array of their place."""
    n = len(gram)
    rank = n if rank is None else min(whole(rank, "rank"), n)
    tol, eta = non_negative(tol, "tol"), non_negative(residual, "residual")
    if pivoting not in _PROPOSALS:
        raise ValueError(f"pivoting is {pivoting!r}; 'greedy', 'random' or None expected")
    growing = _Growing(gram, rank, tol, eta, leave_out=pivoting is None)
    proposals = _PROPOSALS[pivoting](growing, as_generator(rng))
    vain = 0
    with one_blas_thread(), task("Cholesky factor") as told:
        while growing.count < rank and not growing.reached(growing.residual):
            proposal = next(proposals, None)
            if proposal is None:
                break
            vain = 0 if growing.take(proposal) or pivoting is None else vain + 1
            if vain == IN_VAIN:
                raise ValueError(
                    "K is no kernel matrix: its diagonal is not that of its columns, so that no pivot is found by it; "
                    "gm.is_psd tells more"
                )
            told.advance(growing.count, None if tol or eta else rank, f"{growing.count:,} columns")
    factor = growing.place.compact(growing.F[:, : growing.count])
    return LowRank(factor, np.array(growing.pivots, dtype=np.intp), growing.residual, growing.trace)


def in_turn(left: Array) -> Iterator[int]:
    """Take what is proposed in the order in which it stands."""
    yield from range(len(left))


@dataclass(frozen=True)
class _Proposal:
    """Points, in an order: those are to be pivots whose residual is above their threshold when it is their turn."""

    points: Array
    thresholds: Array
    order: Order = in_turn


class _Growing:
    """The factor under construction: the columns so far and the residuals they leave.

    It is done where the residuals add up to at most `tol` times the trace, or none of them is above `eta`.
    """

    def __init__(self, gram: Gram, rank: int, tol: float, eta: float, leave_out: bool) -> None:
        self.gram, self.place = gram, gram.place
        self.leave_out = leave_out  # rather than complain of a pivot that would push residuals below zero
        self.most = rank
        self.norms = gram.rough_diag().astype(np.float64)
        self.residual = self.norms.copy()
        self.trace = float(self.norms.sum())
        self.goal, self.eta = tol * self.trace, eta
        self.eps = float(np.finfo(gram.dtype).eps)
        # A pivot that is zero in exact arithmetic comes out as n times the error of an eigenvalue, in units of its own
        # κ(x, x); or of that which κ is computed from, where it is a difference of larger numbers.
        scale, largest = gram.scale(), float(self.norms.max())
        units = (
            self.norms
            if scale <= SAME * largest and not gram.kernel.traits.whole_columns
            else np.full(len(gram), scale)
        )
        self.noises = min(32 * len(gram) * self.eps, np.sqrt(self.eps)) * units
        self.noise = float(self.noises.max())
        tolerated = max(1e-3 * np.sqrt(self.eps), 64 * self.eps) if leave_out else np.sqrt(self.eps)
        self.slack = max(tolerated * float(self.norms.max()), self.noise)
        if gram.kernel.traits.whole_columns:
            self.slack = float("inf")  # the diagonal is an estimate, and what it leaves may come out below zero
        self.F = self.place.empty((len(gram), rank if rank <= SURE else BATCH), gram.dtype)
        self.pivots: list[int] = []
        self.lengths: list[Any] = []  # squared, of what each pivot has beyond those before it

    @property
    def count(self) -> int:
        """Number of columns so far."""
        return len(self.pivots)

    def reached(self, residual: Array) -> bool:
        """Tell whether residuals are as small as was asked for."""
        return bool(residual.sum() <= self.goal or residual.max() <= self.eta)

    def take(self, proposal: _Proposal) -> bool:
        """Take those of the proposed pivots whose residual, given the earlier ones, is above its threshold.

        Returns whether anything has come of it: a pivot, or another residual.
        """
        proposed, F = proposal.points, self.F[:, : self.count]
        whole = self.gram.part(slice(None), proposed) if self.gram.kernel.traits.whole_columns else None
        square = self.gram.part(proposed, proposed) if whole is None else whole[proposed]
        H = self.place.host(square - F[proposed] @ F[proposed].T).astype(np.float64)
        accepted, L, left = eliminate(H, proposal.thresholds, self.most - self.count, proposal.order)
        columns = None if whole is None else whole[:, accepted]
        kept = self._extend(proposed[accepted], columns, L) if accepted else 0
        if kept < len(accepted) or self.leave_out:
            return kept > 0
        return self._corrected(proposed, left, estimated=whole is not None) or kept > 0

    def _corrected(self, proposed: Array, left: Array, estimated: bool) -> bool:
        """Take from the matrix itself what is left of points, where the diagonal shows something else; tell if it did.

        That is nothing, where the diagonal may still show a remainder; and any number where it is an estimate.
        """
        before, noises = self.residual[proposed], self.noises[proposed]
        after = np.where(left <= noises, 0.0, left if estimated else before)
        self.residual[proposed] = after
        return bool(((before > 0) & (after == 0)).any() or (np.abs(after - before) > noises).any())

    def _extend(self, chosen: Array, columns: Matrix | None, L: Array) -> int:
        """Add the pivots' columns, (K[:, p] − F F[p]ᵀ) L⁻ᵀ, as many as are needed for the goal; return how many."""
        k, t, place = self.count, len(chosen), self.place
        self._reserve(k + t)
        columns = self.gram.part(slice(None), chosen) if columns is None else columns
        pivot_rows = self.F[chosen][:, :k]
        inverse = place.array(solve_triangular(L, np.eye(t), lower=True, check_finite=False).T.astype(self.gram.dtype))
        new = self.F[:, k : k + t]
        stripes = place.stripes(len(columns), FACTOR_ROWS)
        sums = np.empty((len(stripes), t))
        left = self.residual.copy()

        def extend(lane: int, stripe: int) -> None:
            rows = stripes[stripe]
            part = (columns[rows] - self.F[rows, :k] @ pivot_rows.T) @ inverse
            new[rows] = part
            sums[stripe], of_rows = place.squares(part)
            left[rows] -= of_rows

        run(extend, range(len(stripes)), place.lanes, in_turn=False)
        by_column = sums.sum(axis=0)
        needed = min(int(np.count_nonzero(self.residual.sum() - np.cumsum(by_column) > self.goal)) + 1, t)
        if self.eta > 0 and left.max() <= self.eta:
            needed = min(needed, self._enough(new))
        if needed < t:
            left = self.residual - place.squares(new[:, :needed])[1]
        return self._commit(chosen[:needed], left, np.square(place.host(new[chosen]).diagonal()))

    def _enough(self, new: Matrix) -> int:
        """Return how many of the new columns bring every residual down to η; all of them do."""
        left = self.residual.copy()
        for needed, column in enumerate(self.place.host(new).T, 1):
            left -= np.square(column, dtype=np.float64)
            if left.max() <= self.eta:
                return needed
        return int(new.shape[1])

    def _reserve(self, width: int) -> None:
        if width > self.F.shape[1]:
            larger = self.place.empty((len(self.F), min(self.most, 2 * width)), self.gram.dtype)
            larger[:, : self.count] = self.F[:, : self.count]
            self.F = larger

    def _commit(self, chosen: Array, left: Array, lengths: Array) -> int:
        lowest = int(np.argmin(left))
        if left[lowest] < -self.slack:
            if self.leave_out:
                return 0
            raise ValueError(
                f"K is not positive semidefinite: object {lowest} has a squared distance of {left[lowest]:.3g} "
                "from the span of others; gm.is_psd tells more"
            )
        self.lengths += list(lengths[: len(chosen)])
        self.pivots += [int(p) for p in chosen]
        left[chosen] = 0.0
        left[left <= self.noises] = 0.0
        self.residual = left
        return len(chosen)


def eliminate(H: Array, thresholds: Array, most: int, order: Order = in_turn) -> tuple[list[int], Array, Array]:
    """Cholesky of H in the given order, skipping pivots not above their threshold.

    Returns the positions taken, at most `most`; L with H[taken, taken] = L Lᵀ; and what remains of the diagonal.
    """
    taken: list[int] = []
    columns = np.empty((min(most, len(H)), len(H)))
    left = H.diagonal().copy()
    for j in order(left):
        if len(taken) == most:
            break
        if left[j] > thresholds[j]:
            earlier = columns[: len(taken)]
            column = (H[j] - earlier[:, j] @ earlier) / np.sqrt(left[j])
            columns[len(taken)] = column
            taken.append(j)
            left -= column**2
    return taken, np.tril(columns[: len(taken), taken].T), left


def farthest(left: Array, bars: Array) -> Iterator[int]:
    """Take the farthest of what is left; and the next, as long as its distance is above its bar."""
    left_out = np.zeros(len(left))
    for count in range(len(left)):
        j = int(np.argmax(left - left_out))
        if count and left[j] <= bars[j]:
            return
        left_out[j] = np.inf
        yield j


def _in_order(growing: _Growing, rng: np.random.Generator) -> Iterator[_Proposal]:
    for i in range(len(growing.residual)):
        if growing.residual[i] > growing.eta:
            # Rounding errors have grown by what the smallest pivot so far has divided by.
            smallest = min(growing.lengths, default=np.inf)
            noise = growing.noise * max(1.0, float(growing.norms.max() / smallest))
            yield _Proposal(np.array([i]), np.array([max(noise, growing.eta)]))


def _greedy(growing: _Growing, rng: np.random.Generator) -> Iterator[_Proposal]:
    most = 1 if growing.gram.kernel.traits.whole_columns else min(BATCH, isqrt(len(growing.residual)))
    size = 1
    while (d := growing.residual).max() > 0:
        ranking, before = np.argsort(-d, kind="stable"), growing.count
        candidates, others = np.sort(ranking[:size]), ranking[size:]
        bars = np.full(len(candidates), -np.inf)
        if len(others):  # of equals the first is taken
            earlier = candidates < others[0]
            bars = np.where(earlier, np.nextafter(d[others[0]], -np.inf), d[others[0]])
        yield _Proposal(candidates, growing.noises[candidates], partial(farthest, bars=bars))
        size = min(most, AHEAD * max(1, growing.count - before))


def _random(growing: _Growing, rng: np.random.Generator) -> Iterator[_Proposal]:
    # Accelerated randomly pivoted Cholesky: a batch is drawn from the residuals as they stand; a pivot whose residual
    # the earlier ones of its batch have lowered from d to h is kept with probability h / d. The pivots are distributed
    # as if they had been drawn one by one.
    while growing.residual.max() > 0:
        d = growing.residual
        chances = d / d.max()  # so that sums of the smallest numbers there are keep their digits
        batch = rng.choice(len(d), size=BATCH, p=chances / chances.sum())
        yield _Proposal(batch, np.maximum(rng.random(BATCH) * d[batch], growing.noises[batch]))


_PROPOSALS = {"greedy": _greedy, "random": _random, None: _in_order}
