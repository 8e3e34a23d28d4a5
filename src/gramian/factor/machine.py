"""What the steps of a solver take, so that of several ways to an answer the quickest is taken.

Seconds are predicted from the operations and bytes of a step and three rates of a machine. Those of `TYPICAL` are of
two cores of today; what is decided by them are ratios, of arithmetic to memory, which differ little from machine to
machine. They are not measured while a fit runs, so that the same data give the same digits on every run.
"""

from __future__ import annotations

from dataclasses import dataclass

DENSE = 3000  # objects up to which all of K may be decomposed: 4 s by the rates below
PIVOTING = 4  # a pivoted factorization, narrow products between choices, runs at this part of the speed of a large one
EIGEN = 10  # operations of an eigenvalue decomposition, in units of n³
ENTRY = 5e-9  # seconds for a value of κ that is computed alone, not in a large tile
FEATURE = 3e-10  # seconds for a feature that two objects may share, where κ is a product of sparse ones
TOGETHER = 5e-10  # and of one that is computed among many, in a large tile
PASSES = 8  # over a matrix that is computed, centered, scaled and checked before it is factored


@dataclass(frozen=True)
class Machine:
    """Rates of a machine: operations a second of matrix products in both precisions, and bytes a second from memory."""

    single: float
    double: float
    memory: float

    def factored(self, n: int) -> float:
        """Return the time of a Cholesky factorization of all of K in single precision."""
        return n**3 / 3 / self.single + PASSES * 4 * n * n / self.memory

    def inverted(self, n: int) -> float:
        """Return the time of a factor of all of K in single precision and of the diagonal of the inverse."""
        return self.factored(n) + n**3 / 3 / self.single

    def decomposed(self, n: int) -> float:
        """Return the time of an eigenvalue decomposition of all of K."""
        return EIGEN * n**3 / self.double

    def product(self, n: int, columns: int, itemsize: int) -> float:
        """Return the time of a product of so many columns with a symmetric K that is held."""
        return n * n * (itemsize / 2 / self.memory + 2 * columns / (self.single if itemsize <= 4 else self.double))

    def computed(self, n: int) -> float:
        """Return the time in which all of K is computed, half of it being the other half."""
        return n * n * TOGETHER / 2

    def multiplied(self, n: int, load: float) -> float:
        """Return the time in which all of K is computed from sparse features, so many an object."""
        return n * n * load * FEATURE

    def pivoted(self, n: int, rank: int, single: bool) -> float:
        """Return the time of a randomly pivoted factor of so many columns."""
        return rank * n * (ENTRY + PIVOTING * rank / (self.single if single else self.double))

    def prepared(self, n: int, rank: int) -> float:
        """Return the time in which a preconditioner is made of such a factor."""
        return (n + EIGEN * rank) * rank * rank / self.double

    def preconditioned(self, n: int, rank: int, columns: int) -> float:
        """Return the time of a step of such a preconditioner."""
        return n * rank * (2 * 8 / self.memory + 4 * columns / self.double)


TYPICAL = Machine(single=1.5e11, double=7e10, memory=2e10)
