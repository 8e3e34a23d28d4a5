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
            uses.update(f.operands.values())
        return frozenset(f for f, times in uses.items() if times > 1 and f.of_pairs)

    @cached_property
    def scratch(self) -> int:
        """How many arrays of the size of a tile it takes besides the answer."""
        return max(1, len(self.shared) + _tiles(self.formula))

    def write(self, a: Encoded, b: Encoded, out: Array) -> None:
        """Write the values between the objects of a and those of b into out[i, j]."""

        def number(leaf: ex.Leaf) -> Array:
            numbers = at(a if isinstance(leaf, ex.OfRow) else b, leaf.part)
            return np.reshape(numbers, (-1, 1) if isinstance(leaf, ex.OfRow) else (1, -1))

        _Evaluation(self.shared, lambda leaf, tile: _write_leaf(leaf, a, b, tile), number).into(self.formula, out)

    def norms(self, a: Encoded) -> Array:
        """Return the values between each object and itself."""
        if self._of_distances:
            dtype = np.result_type(*(at(a, leaf.part).dtype for leaf in self._leaves))
            if dtype not in self._norm:
                self._norm[dtype] = self._evaluated(a[:1], np.empty(1, dtype))[0]
            return np.full(len(a), self._norm[dtype], dtype)
        types = (_norms_of_leaf(leaf, a[:1]).dtype for leaf in self._leaves if leaf.of_pairs)
        return self._evaluated(a, np.empty(len(a), np.result_type(*types)))

    def _evaluated(self, a: Encoded, out: Array) -> Array:
        def fill(leaf: Formula, norms: Array) -> None:
            norms[...] = _norms_of_leaf(leaf, a)

        _Evaluation(self.shared, fill, lambda leaf: np.reshape(at(a, leaf.part), -1)).into(self.formula, out)
        return out

    @cached_property
    def _leaves(self) -> list[ex.Leaf]:
        return [f for f in self.formula.walk() if isinstance(f, ex.Leaf)]

    @cached_property
    def _norm(self) -> dict[np.dtype[Any], Any]:
        """The value of an object with itself, where it is the same for all, by the precision of the points."""
        return {}

    @cached_property
    def _of_distances(self) -> bool:
        """Whether every object has the same value with itself, since only distances are looked at."""
        return all(isinstance(leaf, ex.SquaredDistance | ex.CityBlock) for leaf in self._leaves)

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
        """Write the values of an expression in pairs into `out`.

        Most operations change what one expression has written: these are undone one by one down to a leaf, and then
        done in the other order, for expressions may be deeper than Python goes.
        """
        waiting = []
        while (inner := _inner(f)) is not None:
            waiting.append(f)
            f = inner
            if f in self.shared:
                break
        values = self._kept(f, out) if waiting and f in self.shared else self._leaf(f, out)
        for operation in reversed(waiting):
            values = self._done(operation, values, out)

    def _leaf(self, f: Formula, out: Array) -> Array:
        self.fill(f, out)
        return out

    def _kept(self, f: Formula, like: Array) -> Array:
        """Return the values of what is shared, which are not to be changed."""
        if f not in self.kept:
            self.kept[f] = np.empty_like(like)
            self.into(f, self.kept[f])
        return self.kept[f]

    def _done(self, f: Formula, values: Array, out: Array) -> Array:
        """Write into `out` what an operation makes of the values of its first expression in pairs."""
        if isinstance(f, ex.Plus | ex.Times):
            return np.asarray(OPERATIONS[type(f)](f, out, values, self._other(f.left, f.right, out)))
        return np.asarray(OPERATIONS[type(f)](f, out, values))

    def _other(self, left: Formula, right: Formula, like: Array) -> Array | float:
        """Return the values of the other operand: numbers of rows, of columns or of none in the precision of pairs."""
        other = right if left.of_pairs else left
        if not other.of_pairs:
            numbers = numbers_of(other, self.number)
            return float(numbers) if isinstance(numbers, float) else np.asarray(numbers.astype(like.dtype))
        if other in self.shared:
            return self._kept(other, like)
        values = np.empty_like(like)
        self.into(other, values)
        return values


def _inner(f: Formula) -> Formula | None:
    """Return the first operand in pairs of an operation, None for a leaf."""
    return next((inner for inner in f.operands.values() if inner.of_pairs), None)


def _copied(values: Any, out: Array | None) -> Array:
    """Return values that may be changed: in `out`, or a copy where there is none."""
    if out is None:
        return np.array(values, np.result_type(values, np.float32))
    if values is not out:
        np.copyto(out, values)
    return out


def _applied(f: Any, out: Array | None, values: Any) -> Any:
    result = f.function(np.asarray(values, np.float64))
    if out is None:
        return result
    out[...] = result
    return out


# What every operation makes of the values of its operands: of a tile, written into `out`; without one, of numbers of
# rows, of columns or of none, as they are.
OPERATIONS: dict[type[Formula], Callable[..., Any]] = {
    ex.Plus: lambda f, out, left, right: np.add(left, right, out=out),
    ex.Times: lambda f, out, left, right: np.multiply(left, right, out=out),
    ex.Power: lambda f, out, base: power(_copied(base, out), f.degree),
    ex.Polynomial: lambda f, out, base: horner(_copied(base, out), f.coefficients),
    ex.Exp: lambda f, out, exponent: np.exp(exponent, out=out),
    ex.Expm1: lambda f, out, exponent: np.expm1(exponent, out=out),
    ex.Sqrt: lambda f, out, square: np.sqrt(square, out=out),
    ex.AtLeast: lambda f, out, value: np.maximum(value, f.bound, out=out),
    ex.AtMost: lambda f, out, value: np.minimum(value, f.bound, out=out),
    ex.Apply: _applied,
}


def numbers_of(f: Formula, number: Callable[[Any], Array]) -> Any:
    """Return what belongs to rows, to columns or to none; `number` gives the numbers of a leaf."""
    if isinstance(f, ex.Number):
        return f.value
    if isinstance(f, ex.OfRow | ex.OfColumn):
        return number(f)
    if type(f) not in OPERATIONS:
        raise TypeError(f"{f!r} belongs to pairs")
    return OPERATIONS[type(f)](f, None, *(numbers_of(g, number) for g in f.operands.values()))


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


def _tiles(formula: Formula) -> int:
    """Return how many tiles are taken at most beside the answer while an expression is evaluated."""
    taken: dict[Formula, int] = {}
    for f in formula.walk():
        inner = [taken[g] for g in f.operands.values() if g.of_pairs]
        match f:
            case ex.SquaredDistance():
                taken[f] = DISTANCES
            case ex.CityBlock():
                taken[f] = CITY_BLOCKS
            case ex.Opaque(scratch=scratch):
                taken[f] = scratch if isinstance(scratch, int) else Plan(scratch).scratch
            case ex.Power() | ex.Polynomial() | ex.Apply():
                taken[f] = max(1, *inner)
            case _:
                taken[f] = max([k + number for k, number in enumerate(inner)], default=0)
    return taken[formula]
