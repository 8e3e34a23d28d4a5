"""What a place is asked for, and what it is asked with: all that another place has to write.

The host keeps vectors, the place keeps matrices. Whatever has one row for each object and few columns (targets,
coefficients, means, norms, products K V) is a NumPy array, which the place takes in when it is asked and gives back.
Whatever is larger (tiles, K, low-rank factors, features, scatters, bases of eigenvectors) is an array of the place.
Those have `shape`, `len`, `T`, slices and rows by index, read and written, and + − * / @ among themselves and with
numbers; anything else goes through the place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from gramian.checks import Array
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula
from gramian.runtime.journal import Stages

Matrix: TypeAlias = Any  # an array of a place
Write: TypeAlias = Callable[[Encoded, Encoded, Matrix], None]
Remember: TypeAlias = Callable[[tuple[Any, ...], Callable[[Stages], Array]], Array]  # what a journal has, or computed


class Prepared(Protocol):
    """An expression that a place is ready to evaluate."""

    @property
    def formula(self) -> Formula:
        """The expression."""

    @property
    def scratch(self) -> int:
        """How many arrays of the size of a tile it takes besides the answer."""

    def write(self, a: Encoded, b: Encoded, out: Matrix) -> None:
        """Write the values between the objects of a and those of b into out[i, j]."""

    def norms(self, a: Encoded) -> Array:
        """Return the values between each object and itself."""

    def of(self, values: Array) -> Array:
        """Replace values by this function of them, in place: an expression in `Given` alone."""


@dataclass(frozen=True, eq=False)
class Asked:
    """What entries are asked for: those of an expression between two runs of objects, and what is known of it.

    Attributes
    ----------
    plan : Prepared
        The expression.
    rows, cols : Encoded
        The objects; a symmetric K has the same twice.
    dtype : dtype
        Of the values.
    memory : int
        Bytes that working arrays of one operation may take.
    write : callable, optional
        Writes the values between some objects; `plan.write` by default.
    diagonal : callable, optional
        Returns the diagonal of a symmetric K.
    expensive : bool
        Whether a single entry takes long, so that tiles are small and a Ctrl-C is heard inside them.
    whole_columns : bool
        Whether part of a column costs as much as all of it.
    among : int
        How many entries all of K has, where these are a part of it: what is worth while is judged by that.
    """

    plan: Prepared
    rows: Encoded
    cols: Encoded
    symmetric: bool
    dtype: np.dtype[Any]
    memory: int
    write: Write | None = None
    diagonal: Callable[[], Array] | None = None
    expensive: bool = False
    whole_columns: bool = False
    among: int = 0

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return len(self.rows), len(self.cols)


class Held(Protocol):
    """Half of a symmetric K that is kept, for many products."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values that are kept."""

    def multiply(self, V: Array, remember: Remember) -> Array:
        """Return K V in double precision."""

    def matrix(self, dtype: Any = None, factor: float = 1.0) -> Matrix:
        """Return all of K, or a multiple of it, in its own or another precision."""


class Entries(Protocol):
    """The entries of K, none of which is computed before it is asked for."""

    def matrix(self, remember: Remember) -> Matrix:
        """Return K; a symmetric one exactly symmetric, with the diagonal that was given."""

    def block(self, rows: Any, cols: Any, remember: Remember) -> Matrix:
        """Return the entries of some rows and columns, slices or arrays of places."""

    def multiply(self, V: Array, remember: Remember) -> Array:
        """Return K V in double precision, sums of which are made in the same order on every run."""

    def both(self, V: Array, W: Array) -> tuple[Array, Array]:
        """Return K V and Kᵀ W in double precision, each value of a K that is not symmetric computed once."""

    def can_hold(self, dtype: np.dtype[Any]) -> bool:
        """Tell whether half of a symmetric K may be kept in such numbers."""

    def hold(self, dtype: np.dtype[Any], remember: Remember) -> Held:
        """Keep half of a symmetric K, computed in its own precision and kept in another one."""


class Defaults:
    """What a place does where it has nothing of its own to do."""

    def release(self) -> None:
        """Give back memory that is kept for later: none."""

    def encoded(self, kernel: Any, X: Any) -> Encoded:
        """Return what a kernel makes of objects."""
        made: Encoded = kernel.encode(X)
        return made

    def settled(self, kernel: Any, X: Any) -> Any:
        """Return a kernel with what it takes from objects."""
        return kernel.fit(X)

    def numbers(self, of: Callable[[Encoded], Array], a: Encoded) -> Array:
        """Return a number for each object."""
        return of(a)

    def stream(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Return batches as they come."""
        return batches


class Factor(Protocol):
    """The Cholesky factor of a positive definite A."""

    def solve(self, B: Array) -> Array:
        """Return A⁻¹ B, for few columns."""

    def times(self, X: Array) -> Array:
        """Return A X, for few columns."""

    def inverse_diagonal(self) -> Array:
        """Return the diagonal of A⁻¹."""


class Place(Protocol):
    """Who evaluates expressions, and on whose arrays."""

    name: str
    answers: bool  # whether its users want arrays of its own for an answer, and not those of NumPy

    @property
    def title(self) -> str:
        """What it is called before people."""

    @property
    def memory(self) -> int:
        """Bytes that working arrays of one operation may take where nothing is said."""

    @property
    def lanes(self) -> int:
        """How many runs of rows are worked on side by side, each with working arrays of its own."""

    @property
    def speed(self) -> float:
        """How many times as many values of κ as the cores it computes in the same time, roughly."""

    @property
    def hold(self) -> int:
        """Bytes of K that may be kept for the time of an iteration."""

    @property
    def full(self) -> tuple[type[Exception], ...]:
        """What is raised where its memory has no room: `release` and something smaller are then worth a try."""

    def release(self) -> None:
        """Give back memory that is kept for later."""

    # Encodings

    def encoded(self, kernel: Any, X: Any) -> Encoded:
        """Return what a kernel makes of objects that a user gave here, with their vectors here."""

    def settled(self, kernel: Any, X: Any) -> Any:
        """Return a kernel with what it takes from objects that a user gave here: from all of them, or from a sample."""

    def numbers(self, of: Callable[[Encoded], Array], a: Encoded) -> Array:
        """Return a number for each object, by a function that works on the arrays of the host, or on those here."""

    def features(self, phi: Callable[[Encoded], Any], a: Encoded, in_place: bool) -> Matrix:
        """Return explicit features, of a map that works on the arrays of the host, or `in_place` on those here."""

    # Expressions

    def prepare(self, formula: Formula) -> Prepared:
        """Return an expression ready to be evaluated many times."""

    def entries(self, asked: Asked) -> Entries:
        """Return the entries of K; refuse a budget that is too small for the smallest tile."""

    def exact(self) -> AbstractContextManager[None]:
        """Multiply in full precision meanwhile, whatever the library of the arrays was told for the process."""

    # Arrays

    def stripes(self, n: int, size: int) -> list[slice]:
        """Return the rows of a tall matrix in runs that are worked on at a time: of a size on the cores."""

    def vectors(self, X: Any, name: str) -> Matrix:
        """Return rows of numbers that a user gave here: finite, in single or double precision."""

    def array(self, values: Any, dtype: Any = None) -> Matrix:
        """Return numbers of the host, or of this place, as an array of this place."""

    def host(self, A: Matrix) -> Array:
        """Return an array of this place as one of NumPy."""

    def empty(self, shape: tuple[int, int], dtype: Any) -> Matrix:
        """Return an array whose numbers are still to be written."""

    def zeros(self, side: int) -> Matrix:
        """Return a square matrix of zeros in double precision."""

    def stream(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Return pairs (X, y) whose X, if it is a matrix of numbers, is here: the next is sent while this is used."""

    def compact(self, A: Matrix) -> Matrix:
        """Return an array that takes no more memory than its numbers do: a copy of a part of a larger one."""

    def cast(self, A: Matrix, dtype: Any) -> Matrix:
        """Return an array in a precision, itself where it has that."""

    def dtype(self, A: Matrix) -> np.dtype[Any]:
        """Return the precision of an array, as NumPy calls it."""

    # What is seen of matrices on the host

    def beside(self, A: Matrix, V: Array) -> Matrix:
        """Return the columns of a matrix, and few of the host after them."""

    def times(self, A: Matrix, V: Array) -> Array:
        """Return A V on the host, V few columns of it."""

    def squares(self, A: Matrix) -> tuple[Array, Array]:
        """Return the sums of squares of its columns and of its rows, in double precision."""

    def lengths(self, A: Matrix) -> Array:
        """Return the squared lengths of its rows, in its own precision."""

    def mean(self, A: Matrix, weights: Array | None = None) -> Array:
        """Return the mean of rows, in double precision."""

    def moved(self, A: Matrix, mean: Array, weights: Array | None = None) -> Matrix:
        """Return √wᵢ (rᵢ − mean) of rows rᵢ, in their precision."""

    def look_through(self, A: Matrix, d: Array, L: Array, R: Array) -> None:
        """Write d ∘ A − L Rᵀ A over A, for columns d ≥ 0, L and R of the host."""

    def finite(self, A: Matrix) -> bool:
        """Tell whether no number is infinite, or none, and neither is their sum."""

    # Dense linear algebra

    def add_at(self, A: Matrix, i: Array, j: Array, value: float) -> None:
        """Add a number to A[i, j], in place; no pair comes twice."""

    def syrk(self, rows: Matrix, lower: Matrix | None = None) -> Matrix:
        """Return RᵀR, or add it to the lower triangle of a matrix, in place; of the upper one nothing is known."""

    def syr(self, factor: float, v: Array, lower: Matrix) -> Matrix:
        """Add factor · v vᵀ to the lower triangle of a matrix, in place."""

    def trsm(self, L: Matrix, B: Matrix) -> Matrix:
        """Return L⁻¹ B for a lower triangular L."""

    def substitute(self, L: Matrix, rows: Matrix) -> Matrix:
        """Return R L⁻ᵀ, written over the rows: forward substitution for each of them."""

    def cholesky(self, A: Matrix) -> Factor:
        """Return the Cholesky factor of a symmetric A, which may be written over; LinAlgError where it has none."""

    def eigh(self, A: Matrix) -> tuple[Array, Matrix]:
        """Return eigenvalues, the smallest first, and eigenvectors."""

    def svd(self, A: Matrix) -> tuple[Matrix, Array, Matrix]:
        """Return U, the singular values, the largest first, and Vᵀ, of as many as the smaller side."""
