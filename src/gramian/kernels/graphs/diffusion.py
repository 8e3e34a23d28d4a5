"""Diffusion kernels on the nodes of a graph (seed 003, section 5.4.2): functions of a symmetric similarity S.

    power          K = S^l                   similarity summed over all paths of length l
    exponential    K = exp(βS)               over all paths, those of length l with weight β^l / l!     (5.15)
    von Neumann    K = (I − βS)⁻¹            over all paths, those of length l with weight β^l          (5.18)

K has the eigenvectors of S and the eigenvalues f(λ), which must not be negative: S^l needs an even l, or S ⪰ 0; the von
Neumann kernel needs 1 − βλ > 0 for every eigenvalue λ of S, the negative ones too, so that β lies between 1/λ_min and
1/λ_max where these have their signs, and for S = A − Δ every β ≥ 0 will do; exp(βS) is a kernel for every β.

Up to 3,000 nodes K is computed once. Of larger graphs only the columns that are asked for are, and products with K are
polynomials of S, so that nothing of the size n × n is ever needed, unless S itself is dense.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import gammaincinv

from gramian.checks import Array, as_number, whole
from gramian.formula.encoded import Encoded
from gramian.gram.traits import Traits
from gramian.kernels.algebra import Kernel
from gramian.kernels.base import BaseKernel
from gramian.kernels.capabilities import NOTHING, Capabilities, written
from gramian.kernels.declared import ARRAY, INTEGER, NUMBER, TEXT, Kept, Types, Word
from gramian.kernels.graphs.functions import SymmetricMatrix, TooSteep
from gramian.kernels.graphs.graph import Graph, as_graph
from gramian.kernels.value import derived

SMALL = 3000  # nodes of a graph whose whole matrix is computed
AT_ONCE = 64  # columns of the matrix of a large graph that are computed together
DEVIATES = 256  # random vectors behind a bound on the diagonal, which is then some 2.2 times as large
DOUBT = 1e-9  # probability that it does not hold
PROBES = 64  # random vectors behind an estimate of the diagonal, which is then good to √(2 / 64)
FEWEST_PROBES, DRAWN = (
    8,
    10**6,
)  # behind one of its mean, and how many signs to draw: it is then good to some √(2 / 10⁶)

DWARFING = 1e4  # of the largest eigenvalue of K, from which on exp(βS) is summed term by term
FEW_FACTORS = 64  # products with S that a power is computed by
LONGEST = 2**31 - 1  # walk along the edges
NEAR = 1e-12  # 1 − βλ up to which the von Neumann kernel counts as unbounded


class Diffusion(Kernel):
    """f(S) on the nodes of a graph: a kernel is one formula, `profile`, of the eigenvalues of S."""

    graph: Any
    of: str = field(default="adjacency", kw_only=True)

    def __post_init__(self) -> None:
        self._settle(graph=as_graph(self.graph))
        self._check()
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(self._largest):
                raise ValueError(
                    f"{self!r} overflows: the eigenvalues of S lie between {self._S.bounds[0]:.6g} and "
                    f"{self._S.bounds[1]:.6g}; take a smaller beta or length, or of='normalized'"
                )

    @abstractmethod
    def _check(self) -> None:
        """Refuse parameters with which f(S) is not positive semidefinite."""

    @abstractmethod
    def profile(self, lam: Array) -> Array:
        """Return f(λ) for eigenvalues λ of S."""

    @property
    def _S(self) -> SymmetricMatrix:
        S: SymmetricMatrix = self.graph.similarity(self.of)
        return S

    @cached_property
    def _interval(self) -> tuple[float, float]:
        """Bounds of the spectrum between which f does not grow far beyond its values on the spectrum."""
        lo, hi = self._S.bounds
        inner = self.profile(np.array([lo, hi]) + np.array([0.01, -0.01]) * (hi - lo))
        with np.errstate(over="ignore", invalid="ignore"):
            steep = not bool((self.profile(np.array([lo, hi])) <= 2 * inner.max()).all())
        return self._S.tight if steep and not self._S.decomposed else (lo, hi)

    @cached_property
    def _largest(self) -> float:
        """The largest eigenvalue that K can have: f is monotone, or even."""
        return float(self.profile(np.array([*self._interval])).max())

    @property
    def _large(self) -> bool:
        return len(self.graph) > SMALL

    @property
    @abstractmethod
    def _never_negative(self) -> bool:
        """Whether no entry of K is negative."""

    @derived
    def traits(self) -> Traits:
        return Traits(
            radius=lambda: self._longest,
            non_negative=self._never_negative,
            whole_columns=self._large,
            norms_checked=True,  # when the kernel was made
        )

    @derived
    def capabilities(self) -> Capabilities:
        return written(self, BaseKernel) if self._large else NOTHING

    @cached_property
    def _longest(self) -> float:
        """The largest √K[i, i]: the objects there can be are the nodes. Of a large graph a bound on it.

        That is √λ_max, or what Gaussian vectors z tell, whichever is less: with K = g(S) h(S), K[i, i]² is at most
        g²(S)[i, i] h²(S)[i, i], and (g(S) z)ᵢ² / g²(S)[i, i] is one squared normal deviate. A sum of `DEVIATES` of them
        is below its quantile at `DOUBT` / n for no node at all, with probability 1 − `DOUBT`. For the nodes where it is
        largest K[i, i] itself is computed.
        """
        if not self._large:
            return math.sqrt(float(self._K.diagonal().max()))
        try:
            above = self._squares_above()
        except TooSteep:
            return math.sqrt(self._largest)
        first = np.argsort(-above)[:AT_ONCE]
        above[first] = self.squared_norms(Encoded((first,)))
        return math.sqrt(min(self._largest, float(above.max())))

    def _squares_above(self) -> Array:
        """Return numbers that no K[i, i] exceeds, but for a probability of `DOUBT`."""
        n, rng = len(self.graph), np.random.default_rng(0)
        sums = np.zeros((2, n))
        for _ in range(DEVIATES // AT_ONCE):
            for half, seen in zip(sums, self._by_halves(rng.standard_normal((n, AT_ONCE))), strict=True):
                half += np.square(seen).sum(axis=1)
        return np.asarray(np.sqrt(sums[0] * sums[1]) / (2 * gammaincinv(DEVIATES / 2, DOUBT / n)))

    @property
    def scratch(self) -> int:
        return 4 if self._large else 1

    @cached_property
    def _K(self) -> Array:
        return self._clipped(self._S.dense(self.profile, self._interval))

    def _clipped(self, K: Array) -> Array:
        """Remove what rounding has left below 0 where no entry can be."""
        return np.maximum(K, 0.0, out=K) if self._never_negative else K

    def scale(self, a: Encoded) -> float:
        return float(self._largest) if self._large else super().scale(a)

    def accuracy(self, dtype: np.dtype[Any]) -> float:
        rounding = np.finfo(dtype)
        return float(16 * rounding.eps * self._largest / max(self._rough.max(), rounding.tiny))

    def encode(self, X: Any) -> Encoded:
        return Encoded((self.graph.indices(X),))

    def _units(self, indices: Array) -> Array:
        """Return unit vectors in columns."""
        units = np.zeros((len(self.graph), len(indices)))
        units[indices, np.arange(len(indices))] = 1.0
        return units

    def _write_columns(self, rows: Array, indices: Array, out: Array) -> None:
        for first in range(0, len(indices), AT_ONCE):
            some = indices[first : first + AT_ONCE]
            columns = self._function(self._units(some))
            out[:, first : first + len(some)] = self._clipped(columns[rows])

    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        (i,), (j,) = a, b
        if not self._large:
            out[...] = self._K[np.ix_(i, j)]
        elif len(j) <= len(i):
            self._write_columns(i, j, out)
        else:
            self._write_columns(j, i, out.T)

    def squared_norms(self, a: Encoded) -> Array:
        (i,) = a
        if not self._large:
            return np.asarray(self._K[i, i])
        return np.maximum(self._S.diagonal(self.profile, i, self._interval), 0.0)

    @cached_property
    def _rough(self) -> Array:
        """An estimate of the diagonal: with f = g h and random signs z, E (g(S) z)ᵢ (h(S) z)ᵢ = f(S)[i, i]."""
        if not self._large:
            return np.asarray(self._K.diagonal())
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(len(self.graph), PROBES))
        return np.asarray(np.maximum(np.einsum("ij,ij->i", *self._by_halves(signs)) / PROBES, 0.0))

    def rough_mean(self, a: Encoded) -> float:
        (i,) = a
        if not self.traits.whole_columns or "_rough" in self.__dict__:
            return float(self.rough_norms(a).mean())
        probes = min(PROBES, max(FEWEST_PROBES, -(-DRAWN // len(self.graph))))
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(len(self.graph), probes))
        estimates = np.einsum("ij,ij->i", *self._by_halves(signs)) / probes
        return float(max(estimates[i].mean(), 0.0))

    @property
    def _end(self) -> str:
        """Where the eigenvalues of S are that make the largest ones of K: at the upper end, the lower one, or both."""
        least, middle, largest = self.profile(np.array([self._interval[0], sum(self._interval) / 2, self._interval[1]]))
        if middle < min(least, largest):
            return "LM"
        return "LA" if largest >= least else "SA"

    def leading_pairs(self, a: Encoded, count: int) -> tuple[Array, Array] | None:
        (i,), n = a, len(self.graph)
        if len(i) != n or count >= n // 5 or (np.bincount(i, minlength=n) != 1).any():
            return None  # eigenvectors are those of all nodes
        outermost = self._S.outermost(count, self._end)
        return None if outermost is None else (self.profile(outermost[0]), outermost[1][i])

    def _by_halves(self, V: Array) -> tuple[Array, Array]:
        """Return g(S) V and h(S) V, f = g h."""
        left = self._S.function(lambda lam: self.halves(lam)[0], V, self._interval)
        if np.array_equal(*self.halves(np.array(self._interval))):
            return left, left
        return left, self._S.function(lambda lam: self.halves(lam)[1], V, self._interval)

    def halves(self, lam: Array) -> tuple[Array, Array]:
        """Return two functions of λ, near to each other, whose product is f."""
        root = np.sqrt(self.profile(lam))
        return root, root

    def value_type(self, a: Encoded) -> np.dtype[Any]:
        return np.dtype(np.float64)

    def rough_norms(self, a: Encoded) -> Array:
        (i,) = a
        return np.asarray(self._rough[i])

    def multiply(self, a: Encoded, b: Encoded, V: Array) -> Array:
        (i,), (j,) = a, b
        spread = np.zeros((len(self.graph), V.shape[1]))
        np.add.at(spread, j, V)
        return np.asarray(self._function(spread)[i])

    def _function(self, V: Array) -> Array:
        """Return f(S) V."""
        return self._S.function(self.profile, V, self._interval)


def _kept(parameters: dict[str, Types]) -> Kept:
    """Return what a file may hold: what an interval of eigenvalues has decided cannot be had again to the last bit."""
    shared: dict[str, Types] = {"graph": (Graph,), "of": TEXT, "_interval": (tuple,), "_largest": (float,)}
    learnt: dict[str, Types] = {"_K": ARRAY, "_rough": ARRAY, "_longest": (float,)}
    return Kept({**shared, **parameters}, learnt, constructed=False)


class PowerDiffusion(Diffusion):
    """The power kernel, K = S^l: similarity summed over all paths of length l between two nodes.

    Parameters
    ----------
    graph : Graph, matrix, NetworkX graph or edge list
        Anything that `Graph` takes. The objects are the names of its nodes, 0 … n − 1 for a matrix.
    length : int
        l. An odd one is refused unless S is positive semidefinite.
    of : "adjacency", "laplacian" or "normalized"
        S = A, A − Δ, or Δ^(−½) A Δ^(−½).

    Raises
    ------
    ValueError
        If the graph is refused, `of` is unknown, or an odd power has negative eigenvalues.

    See Also
    --------
    ExponentialDiffusion : paths of all lengths, weighted by 1/l!
    VonNeumannDiffusion : paths of all lengths, weighted by βˡ
    Graph : nodes and weighted edges

    Notes
    -----
    Cost: O(edges · l) for a column, from sparse products; O(n³) once where an odd power has to be checked.

    Examples
    --------
    >>> import gramian as gm
    >>> path = [("a", "b"), ("b", "c")]
    >>> gm.PowerDiffusion(path, length=2)(["a", "b", "c"])      # a and c meet in b
    array([[1., 0., 1.],
           [0., 2., 0.],
           [1., 0., 1.]])
    """

    length: int = 2
    word = Word(
        "graph nodes",
        "K = S^l",
        "Similarity summed over all paths of length l.",
        "power_diffusion(length=2)",
    )
    kept = _kept({"length": INTEGER})

    def _check(self) -> None:
        if whole(self.length, "length", most=LONGEST) % 2 == 0 or self._S.bounds[0] >= 0:
            return
        least, largest = self._S.extremes
        if least < -1e-7 * max(abs(least), abs(largest)):
            raise ValueError(
                f"length is {self.length}, an odd number, and S has the eigenvalue {least:.6g}: its odd powers are not "
                "positive semidefinite; take an even length, or an S without negative eigenvalues"
            )

    def profile(self, lam: Array) -> Array:
        return np.asarray(lam ** int(self.length))

    def halves(self, lam: Array) -> tuple[Array, Array]:
        short = int(self.length) // 2
        return lam**short, lam ** (int(self.length) - short)

    @cached_property
    def _K(self) -> Array:
        K = np.linalg.matrix_power(self._S.S.toarray(), int(self.length))  # whole numbers stay whole
        return self._clipped((K + K.T) / 2)

    def _function(self, V: Array) -> Array:
        if self.length > FEW_FACTORS:
            return super()._function(V)
        for _ in range(int(self.length)):
            V = self._S.S @ V
        return V

    @property
    def _never_negative(self) -> bool:
        return self.of != "laplacian" and bool(self.graph.non_negative)


class ExponentialDiffusion(Diffusion):
    """The exponential diffusion kernel, K = exp(βS): paths of all lengths, the longer the less.

    On ``of="laplacian"`` it is the heat kernel exp(−βL): what has reached one node of the heat that was put on another,
    after the time β.

    Parameters
    ----------
    graph : Graph, matrix, NetworkX graph or edge list
        Anything that `Graph` takes. The objects are the names of its nodes, 0 … n − 1 for a matrix.
    beta : float
        β, any finite number.
    of : "adjacency", "laplacian" or "normalized"
        S = A, A − Δ, or Δ^(−½) A Δ^(−½).

    Raises
    ------
    ValueError
        If the graph is refused, `of` is unknown, or β is not finite or so large that K overflows.

    See Also
    --------
    VonNeumannDiffusion : paths of all lengths, weighted by βˡ
    PowerDiffusion : paths of one length
    Graph : nodes and weighted edges

    Notes
    -----
    Cost: O(n³) operations and O(n²) memory up to n = 3,000 nodes; beyond, Chebyshev polynomials, O(edges) a column and
    step.

    Examples
    --------
    >>> import gramian as gm
    >>> edges = [(0, 2), (0, 3), (1, 2), (1, 4), (2, 3), (3, 4)]        # seed 003, Example 5.15
    >>> k = gm.ExponentialDiffusion(edges, beta=0.2, of="laplacian")
    >>> k([0, 1, 2, 3, 4])[0].round(2)
    array([0.7 , 0.01, 0.14, 0.14, 0.01])
    """

    beta: float
    word = Word(
        "graph nodes",
        "K = exp(βS)",
        "Paths of all lengths, the longer the less; of=laplacian is the heat kernel.",
        "exponential_diffusion(beta=0.5, of=laplacian)",
    )
    kept = _kept({"beta": NUMBER})

    def _check(self) -> None:
        as_number(self.beta, "beta")

    def profile(self, lam: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(float(self.beta) * lam))

    @property
    def _growing(self) -> bool:
        """Whether the largest eigenvalue dwarfs the entries of other parts of the graph, which must not drown in it."""
        return self.of != "laplacian" and self._never_negative and self._largest > DWARFING

    def _function(self, V: Array) -> Array:
        return self._S.exponential(float(self.beta), V) if self._growing else super()._function(V)

    @cached_property
    def _K(self) -> Array:
        if not self._growing:
            return super()._K
        K = self._function(np.eye(len(self.graph)))
        return np.asarray((K + K.T) / 2)

    def squared_norms(self, a: Encoded) -> Array:
        if not (self._large and self._growing):
            return super().squared_norms(a)
        (i,), norms = a, np.empty(len(a))
        for first in range(0, len(i), AT_ONCE):
            some = i[first : first + AT_ONCE]
            halves = self._S.exponential(float(self.beta) / 2, self._units(some))  # ‖exp(βS/2) e‖²: no term is negative
            norms[first : first + len(some)] = np.square(halves).sum(axis=0)
        return norms

    @property
    def _never_negative(self) -> bool:
        return self.beta >= 0 and bool(self.graph.non_negative)


class VonNeumannDiffusion(Diffusion):
    """The von Neumann diffusion kernel, K = (I − βS)⁻¹; on ``of="laplacian"`` the regularized Laplacian (I + βL)⁻¹.

    Parameters
    ----------
    graph : Graph, matrix, NetworkX graph or edge list
        Anything that `Graph` takes. The objects are the names of its nodes, 0 … n − 1 for a matrix.
    beta : float
        β, such that 1 − βλ > 0 for every eigenvalue λ of S; the range is in the message otherwise.
    of : "adjacency", "laplacian" or "normalized"
        S = A, A − Δ, or Δ^(−½) A Δ^(−½). "normalized" admits every β between −1 and 1, "laplacian" every β ≥ 0.

    Raises
    ------
    ValueError
        If the graph is refused, `of` is unknown, or β is outside the range in which all eigenvalues are positive.

    See Also
    --------
    ExponentialDiffusion : paths of all lengths, weighted by 1/l!
    PowerDiffusion : paths of one length
    Graph : nodes and weighted edges

    Notes
    -----
    Cost: O(n³) operations and O(n²) memory up to n = 3,000 nodes; beyond, Chebyshev polynomials, O(edges) a column and
    step.

    Examples
    --------
    >>> import gramian as gm
    >>> edges = [(0, 2), (0, 3), (1, 2), (1, 4), (2, 3), (3, 4)]        # seed 003, Example 5.15
    >>> k = gm.VonNeumannDiffusion(edges, beta=0.2, of="laplacian")
    >>> k([0, 1, 2, 3, 4])[0].round(2)
    array([0.75, 0.02, 0.11, 0.11, 0.02])
    >>> gm.VonNeumannDiffusion(edges, beta=0.5)
    Traceback (most recent call last):
        ...
    ValueError: beta is 0.5; between -0.5 and 0.403032 expected, ...
    """

    beta: float
    word = Word(
        "graph nodes",
        "K = (I − βS)⁻¹",
        "Paths of all lengths, those of length l with weight β^l.",
        "von_neumann_diffusion(0.1, of=normalized)",
    )
    kept = _kept({"beta": NUMBER})

    def _check(self) -> None:
        beta = as_number(self.beta, "beta")
        if all(1 - beta * bound > NEAR for bound in self._S.bounds):
            return
        least, largest = self._S.extremes
        if min(1 - beta * least, 1 - beta * largest) <= NEAR:
            lowest, highest = (1 / least if least < 0 else -math.inf), (1 / largest if largest > 0 else math.inf)
            raise ValueError(
                f"beta is {self.beta}; between {lowest:.6g} and {highest:.6g} expected, because the eigenvalues of S "
                f"lie between {least:.6g} and {largest:.6g}, and 1 − beta λ must be positive for all of them"
            )

    @cached_property
    def _interval(self) -> tuple[float, float]:
        pole = 1 / self.beta if self.beta else math.inf
        return self._S.interval(pole if pole < 0 else -math.inf, pole if pole > 0 else math.inf)

    def profile(self, lam: Array) -> Array:
        with np.errstate(over="ignore"):  # 1 / ∞ is 0
            return np.asarray(1 / (1 - float(self.beta) * lam))

    @property
    def _never_negative(self) -> bool:
        return self.beta >= 0 and bool(self.graph.non_negative)
