"""What is known of a kernel whatever the objects: one small record, and one rule for every way to make kernels of it.

A kernel declares what it knows, ``traits = Traits(radius=1.0, non_negative=True)``. Of what is made of it the rules
here tell as much as follows, and not more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gramian.checks import Array


@dataclass(frozen=True, kw_only=True)
class Traits:
    """What is known of κ.

    Attributes
    ----------
    radius : float or function
        A bound on ‖φ(x)‖ = √κ(x, x) over all objects there can be, infinite if there is none; a function that returns
        it where it takes long to compute. `longest` is the number.
    non_negative : bool
        Whether κ(x, z) ≥ 0 for every pair of objects.
    on_vectors : bool
        Whether the objects are rows of numbers.
    by_name : bool
        Whether the objects are records whose fields are taken by name, so that their order does not matter.
    expensive : bool
        Whether a single entry takes long, so that even a small matrix is worth sharing out among the cores.
    whole_columns : bool
        Whether a few columns of K cost as much in part as in whole, so that tiles are best cut tall.
    norms_checked : bool
        Whether `encode` has seen to it that κ(x, x) is finite, so that a Gram need not look.

    Examples
    --------
    >>> half = Traits(radius=0.5, non_negative=True)
    >>> half.plus(Traits(radius=1.2)).longest, half.times(half).longest, half.plus(Traits()).longest
    (1.3, 0.25, inf)
    """

    radius: float | Callable[[], float] = math.inf
    non_negative: bool = False
    on_vectors: bool = False
    by_name: bool = False
    expensive: bool = False
    whole_columns: bool = False
    norms_checked: bool = False

    @cached_property
    def longest(self) -> float:
        """The radius, computed once."""
        return float(self.radius() if callable(self.radius) else self.radius)

    @classmethod
    def of_parts(cls, parts: Iterable[Traits]) -> Traits:
        """Return what holds of any kernel that is made of others: what the objects are, and what an entry takes."""
        known = list(parts)
        return cls(
            on_vectors=bool(known) and all(t.on_vectors for t in known),
            by_name=bool(known) and all(t.by_name for t in known),
            expensive=any(t.expensive for t in known),
            whole_columns=any(t.whole_columns for t in known),
        )

    def plus(self, other: Traits) -> Traits:
        """Return those of κ₁ + κ₂."""
        return self._combined(other, np.add)

    def times(self, other: Traits) -> Traits:
        """Return those of κ₁ κ₂."""
        return self._combined(other, np.multiply)

    def _combined(self, other: Traits, combine: np.ufunc) -> Traits:
        def radius() -> float:
            if math.inf in (self.longest, other.longest):
                return math.inf
            return _root(lambda: combine(*np.square([self.longest, other.longest])))

        both = self.non_negative and other.non_negative
        return replace(Traits.of_parts([self, other]), radius=radius, non_negative=both)

    def mapped(self, profile: Callable[[Array], Array], *, non_negative: bool) -> Traits:
        """Return those of a function of κ that grows on κ ≥ 0: its largest κ(x, x) comes from the largest one here."""

        def radius() -> float:
            r = self.longest
            return r if math.isinf(r) else _root(lambda: profile(np.square([r]))[0])

        return replace(Traits.of_parts([self]), radius=radius, non_negative=non_negative)

    def pulled_back(self, *, on_vectors: bool, by_name: bool) -> Traits:
        """Return those of κ(f(x), f(z)): the same values, of other objects."""
        return replace(self, on_vectors=on_vectors, by_name=by_name)

    def reweighted(self) -> Traits:
        """Return those of f(x) κ(x, z) f(z), of which f may be anything."""
        return Traits.of_parts([self])

    def normalized(self) -> Traits:
        """Return those of κ(x, z) / √(κ(x, x) κ(z, z))."""
        return replace(Traits.of_parts([self]), radius=1.0, non_negative=self.non_negative)

    def moved(self, distance: Callable[[], float]) -> Traits:
        """Return those of the kernel about another origin, at a distance from the first: ‖φ(x) − w‖ ≤ ‖φ(x)‖ + ‖w‖."""
        return replace(Traits.of_parts([self]), radius=lambda: self.longest + distance())

    def projected(self, *, norms_checked: bool = False) -> Traits:
        """Return those of the kernel of a projection of φ(x), which is no longer than φ(x)."""
        return replace(Traits.of_parts([self]), radius=lambda: self.longest, norms_checked=norms_checked)


def _root(square: Callable[[], float]) -> float:
    with np.errstate(over="ignore"):
        return float(np.sqrt(square()))
