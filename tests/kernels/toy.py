"""A second place, as slow and as plain as can be: Python's own arithmetic, one pair of objects after the other.

It is the oracle of every other place, and the proof that an expression says all there is to say of a kernel. And it is
the proof of the seam: its arrays are no arrays of NumPy, and refuse to be taken for some, so that whatever is done with
them goes through the operations of a place. `TOY.encoded` moves encodings there.
"""

import math
import operator
from contextlib import nullcontext

import numpy as np
import scipy.linalg

from gramian.formula import expression as ex
from gramian.formula.encoded import Encoded, copied, in_precision, joined
from gramian.places import CORES, on_host, register
from gramian.places.protocol import Defaults


class ToyArray:
    """A matrix of the toy place: what a place's arrays can do, and nothing else."""

    __array_ufunc__ = None  # NumPy leaves it alone

    def __init__(self, numbers):
        self._numbers = numbers

    def __array__(self, *_, **__):
        raise TypeError("an array of the toy place was taken for one of NumPy")

    shape = property(lambda self: self._numbers.shape)
    T = property(lambda self: ToyArray(self._numbers.T))

    def __len__(self):
        return len(self._numbers)

    def __getitem__(self, index):
        return ToyArray(self._numbers[index])

    def __setitem__(self, index, values):
        self._numbers[index] = own(values)


def own(value):
    """The numbers of a toy array, or a number: nothing else may be mixed with its arrays."""
    if isinstance(value, ToyArray):
        return value._numbers
    if np.ndim(value) == 0:
        return value
    raise TypeError(f"{type(value).__name__} beside an array of the toy place")


def _operation(name, in_place):
    function = getattr(operator, name.strip("_"))

    def done(self, other):
        if in_place:
            self._numbers = function(self._numbers, own(other))
            return self
        return ToyArray(function(self._numbers, own(other)))

    return done


for _name in ("add", "sub", "mul", "truediv", "matmul", "iadd", "isub", "imul", "itruediv"):
    setattr(ToyArray, f"__{_name}__", _operation(f"__{_name}__", _name.startswith("i")))


class Plan:
    """An expression, evaluated pair by pair."""

    scratch = 0

    def __init__(self, formula):
        self.formula = formula

    def write(self, a, b, out):
        values = matrix(self.formula, a, b).reshape(out.shape)
        out[...] = ToyArray(values) if isinstance(out, ToyArray) else values

    def norms(self, a):
        found = [value(self.formula, a, a, i, i) for i in range(len(a))]
        return np.array(found, CORES.prepare(self.formula).norms(on_host(a)).dtype)

    def of(self, values):
        return CORES.prepare(self.formula).of(values)


class Whole:
    """The entries of K: all of them, whenever one is asked for."""

    def __init__(self, asked):
        self._asked = asked

    def matrix(self, remember):
        asked = self._asked
        K = matrix(asked.plan.formula, asked.rows, asked.cols).reshape(asked.shape).astype(asked.dtype)
        if asked.symmetric:
            K = np.tril(K) + np.tril(K, -1).T
            np.fill_diagonal(K, asked.diagonal() if asked.diagonal else 0.0)
        return ToyArray(K)

    def block(self, rows, cols, remember):
        a, b = self._asked.rows[rows], self._asked.cols[cols]
        return ToyArray(matrix(self._asked.plan.formula, a, b).astype(self._asked.dtype))

    def multiply(self, V, remember):
        return self.hold(self._asked.dtype, remember).multiply(V, remember)

    def can_hold(self, dtype):
        return True

    def hold(self, dtype, remember):
        return Kept(TOY.cast(self.matrix(remember), dtype))


class Kept:
    """K, kept."""

    def __init__(self, K):
        self._K, self.dtype = K, own(K).dtype

    def multiply(self, V, remember):
        return own(self._K).astype(np.float64) @ V

    def matrix(self, dtype=None, factor=1.0):
        return TOY.cast(TOY.compact(self._K), dtype or self.dtype) * factor


class Factor:
    """A Cholesky factor, and the matrix itself."""

    def __init__(self, A):
        self._A, self._L = A.copy(), np.linalg.cholesky(A)

    def solve(self, B):
        half = scipy.linalg.solve_triangular(self._L, B, lower=True)
        return scipy.linalg.solve_triangular(self._L.T, half)

    def times(self, X):
        return self._A @ X

    def inverse_diagonal(self):
        return np.diagonal(np.linalg.inv(self._A))


class Toy(Defaults):
    """The place."""

    name = title = "toy"
    answers = True
    memory = hold = 2**28
    speed = 1.0
    lanes = 1
    full = (MemoryError,)

    def encoded(self, a):
        """Return encodings whose dense vectors are here; numbers that were found beside others stay on the host."""
        beside = any(isinstance(part, Encoded) for part in a.parts)
        return Encoded(tuple(self._moved(part, beside) for part in a.parts))

    def _moved(self, part, beside):
        if isinstance(part, Encoded):
            return self.encoded(part)
        dense = isinstance(part, np.ndarray) and part.ndim == 2 and part.dtype.kind == "f"
        return ToyArray(part) if dense and not beside else part

    def features(self, phi, a, in_place):
        return phi(a) if in_place else self.array(phi(on_host(a)))

    def prepare(self, formula):
        return Plan(formula)

    def entries(self, asked):
        return Whole(asked)

    def stripes(self, n, size):
        return [slice(0, n)]

    def exact(self):
        return nullcontext()

    def vectors(self, X, name):
        return X

    def array(self, values, dtype=None):
        if not isinstance(values, ToyArray | np.ndarray):
            raise TypeError(f"{type(values).__name__} is no array")
        return ToyArray(np.array(own(values) if isinstance(values, ToyArray) else values, dtype))

    def host(self, A):
        return own(A).copy()

    def empty(self, shape, dtype):
        return ToyArray(np.full(shape, np.nan, dtype))

    def zeros(self, side):
        return ToyArray(np.zeros((side, side)))

    def stream(self, batches):
        return ((ToyArray(X), y) for X, y in batches)

    def compact(self, A):
        return ToyArray(own(A).copy())

    def cast(self, A, dtype):
        return ToyArray(own(A).astype(dtype))

    def dtype(self, A):
        return own(A).dtype

    def beside(self, A, V):
        return ToyArray(np.hstack([own(A), V]))

    def times(self, A, V):
        assert isinstance(A, ToyArray)
        return own(A) @ V

    def squares(self, A):
        squares = own(A).astype(np.float64) ** 2
        return squares.sum(axis=0), squares.sum(axis=1)

    def lengths(self, A):
        return (own(A) ** 2).sum(axis=1)

    def mean(self, A, weights=None):
        return np.average(own(A).astype(np.float64), axis=0, weights=weights)

    def moved(self, A, mean, weights=None):
        roots = np.ones(len(A)) if weights is None else np.sqrt(weights)
        return ToyArray(((own(A) - mean) * roots[:, None]).astype(own(A).dtype))

    def look_through(self, A, d, L, R):
        numbers = own(A)
        numbers[...] = d * numbers - L @ (R.T @ numbers)

    def finite(self, A):
        return bool(np.isfinite(own(A)).all())

    def add_at(self, A, i, j, value):
        for row, column in zip(i, j, strict=True):
            own(A)[row, column] += value

    def syrk(self, rows, lower=None):
        if lower is None:
            return ToyArray(own(rows).T @ own(rows))
        lower[...] = ToyArray(own(lower) + own(rows).T @ own(rows))
        return lower

    def syr(self, factor, v, lower):
        return ToyArray(own(lower) + factor * np.outer(v, v))

    def trsm(self, L, B):
        return ToyArray(scipy.linalg.solve_triangular(own(L), own(B), lower=True))

    def substitute(self, L, rows):
        rows[...] = self.trsm(L, rows.T).T
        return rows

    def cholesky(self, A):
        return Factor(own(A))

    def eigh(self, A):
        values, vectors = np.linalg.eigh(own(A))
        return values, ToyArray(vectors)

    def svd(self, A):
        U, sigma, Vt = np.linalg.svd(own(A), full_matrices=False)
        return ToyArray(U), sigma, ToyArray(Vt)


TOY = Toy()
register(ToyArray, TOY)
copied.register(ToyArray, TOY.compact)
in_precision.register(ToyArray, TOY.cast)
joined.register(ToyArray, lambda p, q: ToyArray(np.concatenate([own(p), own(q)])))


def value(f, a, b, i, j):
    """The value of an expression between object i of a and object j of b."""

    def of(g):
        return value(g, a, b, i, j)

    match f:
        case ex.Number(number):
            return number
        case ex.OfRow(part=part):
            return float(np.ravel(part_of(a, part)[i])[0])
        case ex.OfColumn(part=part):
            return float(np.ravel(part_of(b, part)[j])[0])
        case ex.Dot(part=part):
            return math.fsum(s * t for s, t in pairs(a, b, part, i, j))
        case ex.SquaredDistance(part=part, bandwidth=sigma, factor=factor):
            return factor * math.fsum((s - t) ** 2 for s, t in pairs(a, b, part, i, j)) / sigma**2
        case ex.CityBlock(part=part, bandwidth=sigma):
            return math.fsum(abs(s - t) for s, t in pairs(a, b, part, i, j)) / sigma
        case ex.Opaque(block=block, part=part):
            x, z = (on_host(part_of(side, part)[k : k + 1]) for side, k in ((a, i), (b, j)))
            out = np.empty((1, 1))
            block(x, z, out)
            return float(out[0, 0])
        case ex.Plus(left, right):
            return of(left) + of(right)
        case ex.Times(left, right):
            return of(left) * of(right)
        case ex.Power(base, degree):
            return of(base) ** degree
        case ex.Polynomial(base, coefficients):
            return math.fsum(c * of(base) ** k for k, c in enumerate(coefficients))
        case ex.Exp(exponent):
            return math.exp(of(exponent))
        case ex.Expm1(exponent):
            return math.expm1(of(exponent))
        case ex.Sqrt(square):
            return math.sqrt(of(square))
        case ex.AtLeast(inner, bound):
            return max(of(inner), bound)
        case ex.AtMost(inner, bound):
            return min(of(inner), bound)
        case ex.Apply(argument, function):
            return float(function(np.array([of(argument)]))[0])
    raise TypeError(f"{f!r} is no expression")


def matrix(f, a, b):
    """All values between the objects of a and those of b."""
    return np.array([[value(f, a, b, i, j) for j in range(len(b))] for i in range(len(a))])


def part_of(a, path):
    for place in path:
        a = a.parts[place]
    return a


def pairs(a, b, part, i, j):
    """The coordinates of one object beside those of the other, as Python's floats."""
    x, z = (part_of(side, part)[k : k + 1] for side, k in ((a, i), (b, j)))
    x, z = (own(row) if isinstance(row, ToyArray) else row for row in (x, z))
    x, z = (np.ravel(row.toarray() if hasattr(row, "toarray") else row) for row in (x, z))
    return zip(map(float, x), map(float, z), strict=True)
