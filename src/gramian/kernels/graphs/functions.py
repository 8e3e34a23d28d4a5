"""Functions of a symmetric matrix, f(S) = U f(Λ) Uᵀ, by its spectrum or column by column (seed 003, section 5.4.2).

A small or dense S is decomposed once, and every f follows. A large sparse one is never decomposed: with its spectrum
between two bounds, S̃ = (2S − (hi + lo) I) / (hi − lo) has its own in [−1, 1], f is replaced by its Chebyshev series

    f(S) V = Σ_k c_k T_k(S̃) V,        T_k = 2 S̃ T_(k−1) − T_(k−2),

cut where the coefficients are rounding errors, and k products with S give any columns of f(S) to full precision. The
diagonal costs half as many products a node, for e'T_2k e = 2 ‖T_k e‖² − 1.

The bounds must hold, for a Chebyshev series explodes outside them: those of Gershgorin's discs, and the spectral radius
of |S|, which is at most max (|S| x)ᵢ / xᵢ for any positive vector x (Collatz and Wielandt), x a few power iterations.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import Any, cast

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.sparse
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, eigsh

from gramian.checks import Array
from gramian.runtime.threads import aside, check_interrupt, cores, run

Function = Callable[[Array], Array]

DECOMPOSED = 500  # nodes up to which a sparse S is decomposed too
SPARSE = 0.02  # share of entries above 0 from which on S counts as dense
POWER_STEPS = 40  # for the bound on the spectral radius
LARGEST_DEGREE = 2**15
RESTARTS = 30  # of an iteration for eigenpairs of S, after which they lie too close to be told apart in good time
AT_ONCE = 2**20  # numbers of a block of columns that is worked on at a time: what a cache holds
WIDEST = 128
EPS = float(np.finfo(np.float64).eps)
NUDGE = 1e-6  # relative change of an eigenvalue that shows how sensitive f is to its rounding


class TooSteep(ValueError):
    """A function that no polynomial of reasonable degree follows over the spectrum."""


class SymmetricMatrix:
    """A symmetric matrix S, sparse, with what is known of its spectrum; functions of it, and their columns."""

    def __init__(self, S: Any, start: Array | None = None) -> None:
        self.S = S
        self._start = np.ones(S.shape[0]) if start is None else start  # positive, near the leading eigenvector of |S|
        self._twice: tuple[tuple[float, float], Any] | None = None  # 2 S̃ for the interval that was asked for last

    def __len__(self) -> int:
        return int(self.S.shape[0])

    @property
    def decomposed(self) -> bool:
        """Whether functions come from the eigenvectors: a small matrix, or one that is not sparse."""
        n = len(self)
        return n <= DECOMPOSED or self.S.nnz > SPARSE * n * n

    @cached_property
    def eigen(self) -> tuple[Array, Array]:
        """Λ, ascending, and U."""
        values, U = aside(lambda: np.linalg.eigh(self.S.toarray()))
        return np.clip(values, *self._discs), U  # rounding must not push an eigenvalue 0 of a Laplacian above 0

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Two numbers between which every eigenvalue lies, for certain; the extreme ones where they are known."""
        return self.extremes if self.decomposed else self._discs

    @cached_property
    def _discs(self) -> tuple[float, float]:
        magnitudes, diagonal = abs(self.S), self.S.diagonal()
        sums = np.asarray(magnitudes.sum(axis=1)).ravel()
        radii = sums - np.abs(diagonal)
        x, radius = self._start, float(sums.max(initial=0.0))
        for step in range(POWER_STEPS):
            if radius == 0:
                break
            y = magnitudes @ x
            radius, looser = min(radius, float((y / x).max())), radius
            if step and radius > 0.999 * looser:
                break
            x = y + radius * x  # the shift keeps x positive, and bipartite graphs from swinging
            x = np.maximum(x / x.max(), 1e-100)
        radius *= 1 + 1e-14
        return max(float((diagonal - radii).min()), -radius), min(float((diagonal + radii).max()), radius)

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest eigenvalue: exact, or by a Lanczos iteration, to 1e-8 of their distance."""
        if self.decomposed:
            values = self.eigen[0]
            return float(values[0]), float(values[-1])
        lo, hi = self._discs
        return hi - self._largest_distance(hi), lo + self._largest_distance(lo)

    def _largest_distance(self, point: float) -> float:
        """Return how far the eigenvalue furthest from a point outside the spectrum is from it."""
        shifted = self.S - scipy.sparse.diags_array(np.full(len(self), point))
        start = np.random.default_rng(0).standard_normal(len(self))
        try:
            largest = eigsh(shifted, k=1, which="LM", v0=start, tol=1e-8, return_eigenvectors=False)
        except ArpackNoConvergence:
            return self._discs[1] - self._discs[0]
        return abs(float(largest[0]))

    def outermost(self, count: int, end: str) -> tuple[Array, Array] | None:
        """Return eigenpairs of S at one end of its spectrum or, ``end="LM"``, at both; None where they lie too close.

        Their residuals are about 1e-9 of the largest eigenvalue.
        """
        n = len(self)
        if self.decomposed:
            return self.eigen
        start = np.random.default_rng(0).standard_normal(n)
        try:
            return cast(
                tuple[Array, Array],
                eigsh(self.S, k=count, which=end, v0=start, ncv=max(3 * count, 20), tol=1e-9, maxiter=RESTARTS),
            )
        except ArpackError:  # not converged
            return None

    @cached_property
    def tight(self) -> tuple[float, float]:
        """Bounds hardly wider than the spectrum, for functions that grow fast beyond it."""
        (lo, hi), (least, largest) = self.bounds, self.extremes
        room = 1e-7 * (hi - lo)
        return max(lo, least - room), min(hi, largest + room)

    def interval(self, lowest: float, highest: float) -> tuple[float, float]:
        """Return bounds of the spectrum that stay between two poles, which the eigenvalues themselves must do."""
        lo, hi = self.bounds
        if lowest < lo and hi < highest:
            return lo, hi
        least, largest = self.extremes
        if hi >= highest:
            hi = min(hi, largest + (highest - largest) / 4)
        if lo <= lowest:
            lo = max(lo, least + (lowest - least) / 4)
        return lo, hi

    def function(self, f: Function, V: Array, interval: tuple[float, float] | None = None) -> Array:
        """Return f(S) V, columns on all cores."""
        if self.decomposed:
            values, U = self.eigen
            return np.asarray(U @ (f(values)[:, None] * (U.T @ V)))
        polynomial = self._polynomial(f, interval)
        return np.hstack([polynomial.times(V[:, j]) for j in self._chunks(V.shape[1])])

    def dense(self, f: Function, interval: tuple[float, float] | None = None) -> Array:
        """Return f(S), exactly symmetric."""
        try:
            values = self._composed(f) if self.decomposed else self.function(f, np.eye(len(self)), interval)
        except TooSteep:
            values = self._composed(f)
        return np.asarray((values + values.T) / 2)

    def _composed(self, f: Function) -> Array:
        values, U = self.eigen
        return np.asarray((U * f(values)) @ U.T)

    def exponential(self, beta: float, V: Array) -> Array:
        """Return exp(βS) V by its power series, for S, β ≥ 0: nothing cancels, and small entries are accurate too."""
        return np.hstack([self._taylor(beta, V[:, j]) for j in self._chunks(V.shape[1])])

    def _taylor(self, beta: float, V: Array) -> Array:
        total, term, k = V.copy(), np.ascontiguousarray(V), 0
        while k <= 2 * beta * self.bounds[1] or (np.abs(term) > EPS / 4 * np.abs(total)).any():
            k += 1
            term = (self.S @ term) * (beta / k)
            total += term
        return np.asarray(total)

    def diagonal(self, f: Function, indices: Array, interval: tuple[float, float] | None = None) -> Array:
        """Return f(S)[i, i] at some places."""
        if self.decomposed:
            values, U = self.eigen
            return np.asarray(np.square(U[indices]) @ f(values))
        polynomial = self._polynomial(f, interval)
        return np.concatenate([polynomial.diagonal(indices[j]) for j in self._chunks(len(indices))])

    def _polynomial(self, f: Function, interval: tuple[float, float] | None) -> Polynomial:
        lo, hi = interval or self.bounds
        if lo == hi:
            lo, hi = lo - 1e-8 * max(1.0, abs(lo)), hi + 1e-8 * max(1.0, abs(hi))
        if self._twice is None or self._twice[0] != (lo, hi):
            shift = scipy.sparse.diags_array(np.full(len(self), (hi + lo) / 2))
            self._twice = (lo, hi), ((self.S - shift) * (4 / (hi - lo))).tocsr()
        return Polynomial(self._twice[1], chebyshev(f, lo, hi))

    def _chunks(self, width: int) -> list[slice]:
        step = min(max(4, AT_ONCE // len(self)), WIDEST)
        return [slice(j, min(j + step, width)) for j in range(0, width, step)]


class Polynomial:
    """Σ_k c_k T_k(S̃), given 2 S̃ and c; the rows of a product are shared out among the cores."""

    def __init__(self, twice: Any, c: Array) -> None:
        n, lanes = twice.shape[0], cores()
        places = np.searchsorted(twice.indptr, np.linspace(0, twice.nnz, lanes + 1)[1:-1])
        ends = [0, *(int(place) for place in places), n]
        self.spans = [slice(i, j) for i, j in pairwise(ends) if i < j]  # of about equally many entries
        self.parts = [twice[span] for span in self.spans]
        self.c = c

    def times(self, V: Array) -> Array:
        """Return the polynomial times V, added up from its end (Clenshaw): b_k = c_k V + 2 S̃ b_(k+1) − b_(k+2)."""
        c, V = self.c, np.ascontiguousarray(V)
        b = [c[-1] * V, np.zeros_like(V), np.empty_like(V)]  # b_(k+1), b_(k+2), and room for b_k

        def step(lane: int, k: int) -> None:
            now, after, before = (b[(place - k) % 3] for place in (0, 1, 2))
            rows = self.spans[lane]
            product = self.parts[lane] @ now
            if k == len(c) - 2:
                product /= 2  # the last step is one with S̃, not 2 S̃
            product -= after[rows]
            product += c[-2 - k] * V[rows]
            before[rows] = product

        self._in_step(step, len(c) - 1)
        return np.asarray(b[-(len(c) - 1) % 3])

    def diagonal(self, indices: Array) -> Array:
        """Return Σ_k c_k e'T_k(S̃)e for unit vectors e, from T_0 … T_(m/2) alone."""
        c, each = self.c, np.arange(len(indices))
        T = [np.zeros((self.spans[-1].stop, len(indices))) for _ in range(3)]
        T[0][indices, each] = 1.0
        sums = np.zeros((len(self.spans), len(c) + 1, len(indices)))  # of each lane, ⟨T_k, T_k⟩ and ⟨T_k, T_(k+1)⟩

        def step(lane: int, k: int) -> None:
            before, now, following = (T[(place + k) % 3] for place in (2, 0, 1))
            rows = self.spans[lane]
            product = self.parts[lane] @ now
            if k == 0:
                product /= 2
            else:
                product -= before[rows]
            following[rows] = product
            np.einsum("ij,ij->j", now[rows], product, out=sums[lane, 2 * k + 1])
            if 2 * k + 2 <= len(c):
                np.einsum("ij,ij->j", product, product, out=sums[lane, 2 * k + 2])

        self._in_step(step, len(c) // 2)
        moments = 2 * sums.sum(axis=0)[: len(c)]
        moments[0] = 1.0
        moments[2::2] -= 1.0
        moments[1] /= 2
        moments[3::2] -= moments[1]
        return np.asarray(c @ moments)

    def _in_step(self, step: Callable[[int, int], None], steps: int) -> None:
        """Call ``step(lane, k)`` for k = 0, 1, …, every lane waiting for the others before the next k."""
        together = threading.Barrier(len(self.spans))

        def walk(lane: int, _: slice) -> None:
            try:
                for k in range(steps):
                    check_interrupt()
                    step(lane, k)
                    together.wait()
            except BaseException:
                together.abort()
                raise

        run(walk, self.spans, len(self.spans))


def chebyshev(f: Function, lo: float, hi: float) -> Array:
    """Return the coefficients of f on [lo, hi] in Chebyshev polynomials, as many as double precision tells from 0."""
    degree, ends = 16, f(np.array([hi, lo]))
    while degree <= LARGEST_DEGREE:
        half_angles = np.pi / 2 * (np.arange(degree) + 0.5) / degree
        nodes = hi * np.cos(half_angles) ** 2 + lo * np.sin(half_angles) ** 2  # exact to rounding near both ends
        values = f(nodes)
        c = scipy.fft.dct(values, type=2) / degree
        c[0] /= 2
        sensitivity = np.abs(f(nodes * (1 + NUDGE)) - values).max() / NUDGE
        noise = EPS * (4 * max(np.abs(values).max(), np.abs(ends).max()) + sensitivity)
        small = np.abs(c) <= noise
        missed = np.abs([c.sum(), c[::2].sum() - c[1::2].sum()] - ends).max()  # what the series makes of f(hi), f(lo)
        if small[degree // 2 :].all() and missed <= degree * noise:
            return np.asarray(c[: max(2, int(np.flatnonzero(~small).max(initial=0)) + 1)])
        degree *= 2
    raise TooSteep(
        f"the kernel varies too fast on the spectrum, between {lo:.6g} and {hi:.6g}, for a polynomial of degree "
        f"{LARGEST_DEGREE}: take a smaller beta, or one further from the ends of its range"
    )
