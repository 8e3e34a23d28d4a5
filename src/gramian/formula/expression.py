"""A kernel as an expression in two objects, x and z: what is compared, and what is made of it.

    leaves        xᵀz    ‖x − z‖²/σ²    ‖x − z‖₁/σ    a number that belongs to x, or to z    a block of a kernel's own
    operations    + − ×    integer powers    polynomials    exp    √    bounds    any function of the values

A leaf names a part of the encodings by its path: (1, 0) is the first part of the second part. The expression is written
once, by the kernel; the diagonal, a tile, a product with K and the scratch memory it takes follow from it, and a place
(`gramian.places`) may evaluate it in its own way.

    >>> gaussian = SquaredDistance(bandwidth=2.0, factor=-0.5).exp()
    >>> gaussian * 3 + Dot()
    exp(-0.5 ‖x − z‖²/2.0²) * 3 + xᵀz
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, TypeAlias

Path: TypeAlias = tuple[int, ...]


class Formula:
    """An expression in two objects. What is the same object in several places is computed once."""

    operands: ClassVar[dict[str, Formula]]  # the expressions that this one is made of, by name
    of_pairs: ClassVar[bool]  # whether values differ from pair to pair, not only from row to row or column to column

    def __post_init__(self) -> None:
        values = ((f.name, getattr(self, f.name)) for f in fields(self))  # type: ignore[arg-type]
        operands = {name: value for name, value in values if isinstance(value, Formula) and name != "scratch"}
        object.__setattr__(self, "operands", operands)
        object.__setattr__(self, "of_pairs", any(f.of_pairs for f in operands.values()))

    def __add__(self, other: Formula | float) -> Formula:
        return Plus(self, as_formula(other))

    def __sub__(self, other: Formula | float) -> Formula:
        return Plus(self, -as_formula(other))

    def __mul__(self, other: Formula | float) -> Formula:
        return Times(self, as_formula(other))

    def __neg__(self) -> Formula:
        return Number(-self.value) if isinstance(self, Number) else Times(self, Number(-1.0))

    def __pow__(self, degree: int) -> Formula:
        return Power(self, int(degree))

    def exp(self) -> Formula:
        """Return its exponential."""
        return Exp(self)

    def expm1(self) -> Formula:
        """Return its exponential less 1, which keeps its digits near 0."""
        return Expm1(self)

    def sqrt(self) -> Formula:
        """Return its square root."""
        return Sqrt(self)

    def at_least(self, bound: float) -> Formula:
        """Return the larger of it and a number."""
        return AtLeast(self, float(bound))

    def at_most(self, bound: float) -> Formula:
        """Return the smaller of it and a number."""
        return AtMost(self, float(bound))

    def polynomial(self, coefficients: tuple[float, ...]) -> Formula:
        """Return c₀ + c₁ f + c₂ f² + …"""
        return Polynomial(self, tuple(map(float, coefficients)))

    def apply(self, function: Callable[[Any], Any]) -> Formula:
        """Return a function of its values, given them as an array of any shape in double precision."""
        return Apply(self, function)

    def under(self, place: int) -> Formula:
        """Return this expression of encodings that are the part at `place` of larger ones.

        >>> Dot().under(1)
        xᵀz of (1, 0)
        """
        leaves = [f for f in self.walk() if isinstance(f, Leaf)]
        return self.replaced({leaf: replace(leaf, part=(place, *leaf.part)) for leaf in leaves})

    def replaced(self, others: dict[Any, Any]) -> Formula:
        """Return this expression with parts of it replaced by others."""
        done: dict[Formula, Formula] = dict(others)
        for f in self.walk():
            if f not in done:
                inner = {name: done[g] for name, g in f.operands.items()}
                done[f] = replace(f, **inner) if inner else f  # type: ignore[type-var]
        return done[self]

    def walk(self) -> Iterator[Formula]:
        """Give every different part of the expression once, what it is made of before it itself."""
        seen: set[Formula] = set()
        waiting: list[tuple[Formula, bool]] = [(self, False)]  # no recursion, as expressions may be deep
        while waiting:
            f, ready = waiting.pop()
            if ready:
                yield f
            elif f not in seen:
                seen.add(f)
                waiting.append((f, True))
                waiting.extend((inner, False) for inner in reversed(f.operands.values()))


def as_formula(value: Formula | float) -> Formula:
    """Return an expression as it is, and a number as a constant one."""
    return value if isinstance(value, Formula) else Number(float(value))


@dataclass(frozen=True, eq=False, repr=False)
class Number(Formula):
    """The same for every pair."""

    value: float

    def __repr__(self) -> str:
        return f"{self.value:g}"


@dataclass(frozen=True, eq=False, repr=False)
class Given(Formula):
    """A value that is put in later: what a function of κ is written of."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "of_pairs", True)

    def __repr__(self) -> str:
        return "κ"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Leaf(Formula):
    """What is read off the encodings; `part` is the path to the part of them that it is read off."""

    part: Path = (0,)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "of_pairs", not isinstance(self, OfRow | OfColumn))

    def _of(self) -> str:
        return "" if self.part == (0,) else f" of {self.part}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OfRow(Leaf):
    """A number that belongs to x: the part is a vector of them, or an array of one column."""

    def __repr__(self) -> str:
        return f"number of x{self._of()}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OfColumn(Leaf):
    """A number that belongs to z."""

    def __repr__(self) -> str:
        return f"number of z{self._of()}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Dot(Leaf):
    """xᵀz, of dense or sparse rows."""

    def __repr__(self) -> str:
        return f"xᵀz{self._of()}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SquaredDistance(Leaf):
    """factor · ‖x − z‖²/σ², of dense or sparse rows; |factor| is a power of two.

    With `smooth` what is made of it has a bounded slope at 0, so that an absolute error is as good as a relative one.
    """

    bandwidth: float
    factor: float = 1.0
    smooth: bool = True

    def __repr__(self) -> str:
        factor = "" if self.factor == 1 else f"{self.factor:g} "
        return f"{factor}‖x − z‖²/{self.bandwidth}²{self._of()}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CityBlock(Leaf):
    """The sum of absolute differences over the bandwidth, ‖x − z‖₁/σ, of dense rows."""

    bandwidth: float

    def __repr__(self) -> str:
        return f"‖x − z‖₁/{self.bandwidth}{self._of()}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Opaque(Leaf):
    """What has no expression: `block` writes a tile of it, `norms` gives the values of objects with themselves.

    Both are given encodings of the host: those at `part`, all of them by default. `scratch` says how many arrays of the
    size of a tile the block takes besides it, or which expression it evaluates.
    """

    block: Callable[[Any, Any, Any], None]
    norms: Callable[[Any], Any]
    scratch: int | Formula = 1
    part: Path = ()

    def __repr__(self) -> str:
        return f"<block of {getattr(self.block, '__self__', self.block)!r}>{self._of() if self.part else ''}"


@dataclass(frozen=True, eq=False, repr=False)
class Plus(Formula):
    """A sum."""

    left: Formula
    right: Formula

    def __repr__(self) -> str:
        return f"{self.left!r} + {self.right!r}"


@dataclass(frozen=True, eq=False, repr=False)
class Times(Formula):
    """A product."""

    left: Formula
    right: Formula

    def __repr__(self) -> str:
        return f"{_factor(self.left)} * {_factor(self.right)}"


@dataclass(frozen=True, eq=False, repr=False)
class Power(Formula):
    """An integer power, at least the first."""

    base: Formula
    degree: int

    def __repr__(self) -> str:
        return f"({self.base!r}) ** {self.degree}"


@dataclass(frozen=True, eq=False, repr=False)
class Polynomial(Formula):
    """c₀ + c₁ f + c₂ f² + …"""

    base: Formula
    coefficients: tuple[float, ...]

    def __repr__(self) -> str:
        return f"polynomial{self.coefficients} of ({self.base!r})"


@dataclass(frozen=True, eq=False, repr=False)
class Exp(Formula):
    """An exponential."""

    exponent: Formula

    def __repr__(self) -> str:
        return f"exp({self.exponent!r})"


@dataclass(frozen=True, eq=False, repr=False)
class Expm1(Formula):
    """An exponential less 1."""

    exponent: Formula

    def __repr__(self) -> str:
        return f"expm1({self.exponent!r})"


@dataclass(frozen=True, eq=False, repr=False)
class Sqrt(Formula):
    """A square root."""

    square: Formula

    def __repr__(self) -> str:
        return f"√({self.square!r})"


@dataclass(frozen=True, eq=False, repr=False)
class AtLeast(Formula):
    """The larger of a value and a bound."""

    value: Formula
    bound: float

    def __repr__(self) -> str:
        return f"max({self.value!r}, {self.bound:g})"


@dataclass(frozen=True, eq=False, repr=False)
class AtMost(Formula):
    """The smaller of a value and a bound."""

    value: Formula
    bound: float

    def __repr__(self) -> str:
        return f"min({self.value!r}, {self.bound:g})"


@dataclass(frozen=True, eq=False, repr=False)
class Apply(Formula):
    """A function of the values that has no expression: it is given them in double precision."""

    argument: Formula
    function: Callable[[Any], Any]

    def __repr__(self) -> str:
        return f"{getattr(self.function, '__name__', self.function)!s}({self.argument!r})"


def _factor(f: Formula) -> str:
    return f"({f!r})" if isinstance(f, Plus) else repr(f)
