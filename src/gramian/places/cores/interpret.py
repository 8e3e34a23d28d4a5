"""Expressions through NumPy: one pass over a tile for each operation.

This is how small work is done, and work that has no compiled form: sparse rows, blocks of a kernel's own, functions
that are no expression. What belongs to rows or to columns alone is computed for these alone, in double precision; what
occurs in an expression several times is computed once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from gramian.checks import Array, is_sparse
from gramian.formula import expression as ex
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula, Path
from gramian.places.cores.distances import squared_distances
from gramian.places.cores.powers import horner, power
from gramian.places.cores.products import inner_products, squared_lengths

Fill = Callable[[Formula, Array], None]  # writes the values of a leaf into an array
DISTANCES = 4  # tiles that squared distances take besides the answer: doubtful entries, and their second look
CITY_BLOCKS = 4  # distances in double precision, whatever the precision of the answer


def at(a: Encoded, path: Path) -> Any:
    """Return the part of encodings at a path, all of them for the empty one."""
    for place in path:
        a = a.parts[place]
    return a


@dataclass(frozen=True)
class Plan:
    """An expression, ready to be evaluated."""

    formula: Formula

    @cached_property
    def shared(self) -> frozenset[Formula]:
        """What occurs in the expression several times, and takes a pass over a tile."""
        uses: Counter[Formula] = Counter()
        for f in self.formula.walk():
            uses.update(f.operands().values())
        return frozenset(f for f, times in uses.items() if times > 1 and f.of_pairs)

    @cached_property
    def scratch(self) -> int:
        """How many arrays of the size of a tile it takes besides the answer."""
        return max(1, len(self.shared) + _depth(self.formula))

    def write(self, a: Encoded, b: Encoded, out: Array) -> None:
        """Write the values between the objects of a and those of b into out[i, j]."""

        def number(leaf: ex.Leaf) -> Array:
            numbers = at(a if isinstance(leaf, ex.OfRow) else b, leaf.part)
            return np.reshape(numbers, (-1, 1) if isinstance(leaf, ex.OfRow) else (1, -1))

        _Evaluation(self.shared, lambda leaf, tile: _write_leaf(leaf, a, b, tile), number).into(self.formula, out)

    def norms(self, a: Encoded) -> Array:
        """Return the values between each object and itself."""

        def fill(leaf: Formula, out: Array) -> None:
            out[...] = _norms_of_leaf(leaf, a)

        types = [_norms_of_leaf(f, a[:1]).dtype for f in self.formula.walk() if isinstance(f, ex.Leaf) and f.of_pairs]
        out = np.empty(len(a), np.result_type(*types))
        _Evaluation(self.shared, fill, lambda leaf: np.reshape(at(a, leaf.part), -1)).into(self.formula, out)
        return out

    def of(self, values: Array) -> Array:
        """Replace values by this function of them, in place: an expression in `Given` alone."""
        kept = values.copy() if self.shared or not _is_a_chain(self.formula) else values

        def fill(leaf: Formula, out: Array) -> None:
            if out is not kept:
                np.copyto(out, kept)

        _Evaluation(self.shared, fill, lambda leaf: np.empty(0)).into(self.formula, values)
        return values


def _is_a_chain(f: Formula) -> bool:
    """Tell whether one operation follows the other on the same values."""
    return sum(isinstance(one, ex.Given) for one in f.walk()) == 1


class _Evaluation:
    """One evaluation of an expression on a tile, or on a vector."""

    def __init__(self, shared: frozenset[Formula], fill: Fill, number: Callable[[Any], Array]) -> None:
        self.shared, self.fill, self.number = shared, fill, number
        self.kept: dict[Formula, Array] = {}

    def into(self, f: Formula, out: Array) -> None:
        """Write the values of an expression in pairs into `out`."""
        match f:
            case ex.Plus(left, right):
                self._combined(np.add, left, right, out)
            case ex.Times(left, right):
                self._combined(np.multiply, left, right, out)
            case ex.Power(base, degree):
                self._copied(base, out)
                power(out, degree)
            case ex.Polynomial(base, coefficients):
                self._copied(base, out)
                horner(out, coefficients)
            case ex.Exp(exponent):
                np.exp(self._values(exponent, out), out=out)
            case ex.Sqrt(square):
                np.sqrt(self._values(square, out), out=out)
            case ex.AtLeast(value, bound):
                np.maximum(self._values(value, out), bound, out=out)
            case ex.AtMost(value, bound):
                np.minimum(self._values(value, out), bound, out=out)
            case ex.Apply(argument, function):
                out[...] = function(self._values(argument, out).astype(np.float64))
            case _:
                self.fill(f, out)

    def _combined(self, operation: np.ufunc, left: Formula, right: Formula, out: Array) -> None:
        if not left.of_pairs:
            left, right = right, left
        if not right.of_pairs:
            numbers = self._numbers(right)
            operation(
                self._values(left, out), numbers if isinstance(numbers, float) else numbers.astype(out.dtype), out=out
            )
            return
        first = self._values(left, out)
        operation(first, self._values(right, None if first is out else out, out), out=out)

    def _values(self, f: Formula, out: Array | None, like: Array | None = None) -> Array:
        """Return the values of an expression, in `out` if they can be written there; what is shared is not changed."""
        room = like if out is None else out
        if f in self.shared:
            if f not in self.kept:
                kept = np.empty_like(room)
                self.into(f, kept)
                self.kept[f] = kept
            return self.kept[f]
        target = np.empty_like(room) if out is None else out
        self.into(f, target)
        return target

    def _copied(self, f: Formula, out: Array) -> None:
        values = self._values(f, out)
        if values is not out:
            np.copyto(out, values)

    def _numbers(self, f: Formula) -> Array | float:
        """Return what belongs to rows, to columns or to none, in double precision."""
        match f:
            case ex.Number(value):
                return value
            case ex.OfRow() | ex.OfColumn():
                return self.number(f)
            case ex.Plus(left, right):
                return self._numbers(left) + self._numbers(right)
            case ex.Times(left, right):
                return self._numbers(left) * self._numbers(right)
        raise TypeError(f"{f!r} is no sum or product of numbers of rows and columns")


def _write_leaf(leaf: Formula, a: Encoded, b: Encoded, out: Array) -> None:
    assert isinstance(leaf, ex.Leaf)
    A, B = at(a, leaf.part), at(b, leaf.part)
    match leaf:
        case ex.Dot():
            _products(A, B, out)
        case ex.SquaredDistance(bandwidth=sigma, factor=factor, smooth=smooth):
            squared_distances(A, B, sigma, out, factor=factor, smooth=smooth)
        case ex.CityBlock(bandwidth=sigma):
            with np.errstate(over="ignore"):
                np.divide(cdist(A, B, "cityblock"), sigma, out=out, casting="same_kind")
        case ex.Opaque(block=block):
            block(A, B, out)


def _products(A: Any, B: Any, out: Array) -> None:
    if is_sparse(A) or is_sparse(B):
        out[...] = inner_products(A, B)
    elif out.dtype == np.result_type(A, B):
        np.matmul(A, B.T, out=out)
    else:
        out[...] = A @ B.T


def _norms_of_leaf(leaf: Formula, a: Encoded) -> Array:
    assert isinstance(leaf, ex.Leaf)
    A = at(a, leaf.part)
    match leaf:
        case ex.Dot():
            return squared_lengths(A)
        case ex.Opaque(norms=norms):
            return np.asarray(norms(A))
    return np.zeros(A.shape[0], A.dtype)


def _depth(f: Formula) -> int:
    """Return how many tiles are taken at most beside the answer while an expression is evaluated."""
    match f:
        case ex.SquaredDistance():
            return DISTANCES
        case ex.CityBlock():
            return CITY_BLOCKS
        case ex.Opaque(scratch=scratch):
            return scratch
        case ex.Plus(left, right) | ex.Times(left, right) if left.of_pairs and right.of_pairs:
            return max(_depth(left), 1 + _depth(right))
    return max([int(isinstance(f, ex.Power | ex.Polynomial | ex.Apply)), *map(_depth, f.operands().values())])
