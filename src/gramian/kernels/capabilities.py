"""What a kernel can do besides filling tiles: capabilities, each an object that a kernel offers or does not.

    features      an explicit φ, K = Φ Φᵀ, whose columns may have names
    product       K V that does not go through the entries of K
    logarithms    log κ, where κ may be too large for a number
    estimate      an estimate of κ(x, x), where κ(x, x) itself is expensive
    pairs         leading eigenpairs of K, where there is a way to them that is shorter than products with K

A kernel that is made of no others offers what it has methods for (`written`). What is made of kernels offers what
follows from theirs: `Capabilities` has no defaults, so that every operation says something of each. The rules are
methods of the objects here, and `under` is what it is for formulas: the same, of encodings that are a part of others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
import scipy.sparse

from gramian.checks import Array, is_sparse
from gramian.formula.encoded import Encoded

MANY_FEATURES = 2**62  # beyond which it does not matter how many there are, and a float may not hold it

Names: TypeAlias = Callable[[Sequence[str]], list[str]]
Named: TypeAlias = Callable[[Encoded, Sequence[str]], list[str]]
Norms: TypeAlias = Callable[[Encoded], Array]
Profile: TypeAlias = Callable[[Array], Array]  # a function of values, in place
S = TypeVar("S")
T = TypeVar("T")


def both(left: S | None, right: S | None, make: Callable[[S, S], T]) -> T | None:
    """Return what is made of two things, if both are there."""
    return None if left is None or right is None else make(left, right)


def maybe(thing: S | None, make: Callable[[S], T]) -> T | None:
    """Return what is made of a thing, if it is there."""
    return None if thing is None else make(thing)


@dataclass(frozen=True, eq=False)
class Features:
    """An explicit φ, as functions of encodings.

    Attributes
    ----------
    phi : function
        Φ, one row for each object, dense or sparse.
    dim : function
        How many columns it has; None where there are too many to work with.
    load : function
        How many numbers φ(x) takes on the average.
    names, named : function, optional
        What the columns are called, by the names of the input columns (or by the objects, where features are what
        occurs in these); and of encoded objects.
    """

    phi: Callable[[Encoded], Any]
    dim: Callable[[Encoded], int | None]
    load: Callable[[Encoded], float]
    names: Names | None = None
    named: Named | None = None

    def under(self, place: int) -> Features:
        """Return these of encodings that are the part at `place` of larger ones."""
        return replace(
            self,
            phi=lambda a: self.phi(a.parts[place]),
            dim=lambda a: self.dim(a.parts[place]),
            load=lambda a: self.load(a.parts[place]),
            named=maybe(self.named, lambda named: lambda a, columns: named(a.parts[place], columns)),
        )

    def beside(self, other: Features) -> Features:
        """Return those of κ₁ + κ₂: the features of both, side by side."""
        return Features(
            phi=lambda a: side_by_side(self.phi(a), other.phi(a)),
            dim=lambda a: both(self.dim(a), other.dim(a), int.__add__),
            load=lambda a: self.load(a) + other.load(a),
            names=both(self.names, other.names, lambda f, g: lambda columns: f(columns) + g(columns)),
            named=both(self.named, other.named, lambda f, g: lambda a, columns: f(a, columns) + g(a, columns)),
        )

    def with_constant(self, constant: float) -> Features:
        """Return those of κ + c: one more feature, √c for every object."""

        def phi(a: Encoded) -> Any:
            rest = self.phi(a)
            return side_by_side(rest, np.full((len(a), 1), np.sqrt(constant), rest.dtype))

        return Features(
            phi=phi,
            dim=lambda a: maybe(self.dim(a), lambda dim: dim + 1),
            load=lambda a: self.load(a) + 1,
            names=maybe(self.names, lambda f: lambda columns: [*f(columns), "1"]),
            named=maybe(self.named, lambda f: lambda a, columns: [*f(a, columns), "1"]),
        )

    def scaled(self, factor: float) -> Features:
        """Return those of c κ: every feature times √c."""
        root = float(np.sqrt(factor))
        return replace(self, phi=lambda a: root * self.phi(a))

    def weighted(self, place: int) -> Features:
        """Return those of g(x) κ(x, z) g(z): rows times the numbers that are the part at `place` of encodings."""

        def phi(a: Encoded) -> Any:
            features, g = self.phi(a), a.parts[place]
            return scipy.sparse.diags_array(g) @ features if is_sparse(features) else features * g[:, None]

        return replace(self, phi=phi)

    def of_columns(self, columns: Sequence[str]) -> Features:
        """Return these of some columns of a table, which have names of their own."""
        return replace(
            self,
            names=maybe(self.names, lambda f: lambda _: f(columns)),
            named=maybe(self.named, lambda f: lambda a, _: f(a, columns)),
        )

    def of_column(self, column: str, image: Callable[[Any], Any]) -> Features:
        """Return these of one column of a table, which is named before each of them."""
        return replace(
            self,
            names=maybe(self.names, lambda f: lambda X: [f"{column}: {name}" for name in f(image(X))]),
            named=maybe(self.named, lambda f: lambda a, _: [f"{column}: {name}" for name in f(a, ())]),
        )


def side_by_side(left: Any, right: Any) -> Any:
    """Return the columns of two arrays, dense or sparse, in one."""
    if is_sparse(left) or is_sparse(right):
        return scipy.sparse.hstack([left, right], format="csr")
    return np.hstack([left, right])


@dataclass(frozen=True, eq=False)
class MatrixFree:
    """K V in float64, K the values between two collections, that does not go through the entries of K."""

    multiply: Callable[[Encoded, Encoded, Array], Array]

    def under(self, place: int) -> MatrixFree:
        """Return this of encodings that are the part at `place` of larger ones."""
        return MatrixFree(lambda a, b, V: self.multiply(a.parts[place], b.parts[place], V))

    def plus(self, other: MatrixFree) -> MatrixFree:
        """Return that of κ₁ + κ₂."""
        return MatrixFree(lambda a, b, V: self.multiply(a, b, V) + other.multiply(a, b, V))

    def with_constant(self, constant: float) -> MatrixFree:
        """Return that of κ + c."""
        return MatrixFree(lambda a, b, V: self.multiply(a, b, V) + constant * V.sum(axis=0))

    def scaled(self, factor: float) -> MatrixFree:
        """Return that of c κ."""
        return MatrixFree(lambda a, b, V: factor * self.multiply(a, b, V))

    def weighted(self, place: int) -> MatrixFree:
        """Return that of g(x) κ(x, z) g(z)."""
        return MatrixFree(
            lambda a, b, V: self.multiply(a, b, V * b.parts[place][:, None]) * a.parts[place][:, None],
        )

    def without(self, place: int) -> MatrixFree:
        """Return that of κ(x, z) − g(x)ᵀ g(z), with the rows g that are the part at `place` of encodings."""
        return MatrixFree(lambda a, b, V: self.multiply(a, b, V) - a.parts[place] @ (b.parts[place].T @ V))


@dataclass(frozen=True, eq=False)
class Logarithms:
    """log κ, of a kernel that is not negative; −∞ for 0.

    Attributes
    ----------
    block : function
        Writes log κ(xᵢ, zⱼ) into an array.
    norms : function
        Returns log κ(x, x) of each object.
    """

    block: Callable[[Encoded, Encoded, Array], None]
    norms: Norms

    @classmethod
    def of_values(cls, block: Callable[[Encoded, Encoded, Array], None], norms: Norms) -> Logarithms:
        """Return the logarithms of values that are computed first."""

        def logarithms(a: Encoded, b: Encoded, out: Array) -> None:
            block(a, b, out)
            with np.errstate(divide="ignore"):
                np.log(out, out=out)

        def of_norms(a: Encoded) -> Array:
            with np.errstate(divide="ignore", over="ignore"):
                return np.log(norms(a))

        return cls(logarithms, of_norms)

    def under(self, place: int) -> Logarithms:
        """Return these of encodings that are the part at `place` of larger ones."""
        return Logarithms(
            lambda a, b, out: self.block(a.parts[place], b.parts[place], out), lambda a: self.norms(a.parts[place])
        )

    def combined(self, other: Logarithms, combine: np.ufunc) -> Logarithms:
        """Return those of κ₁ + κ₂ or κ₁ κ₂, as a function of the logarithms of both."""

        def block(a: Encoded, b: Encoded, out: Array) -> None:
            self.block(a, b, out)
            right = np.empty_like(out)
            other.block(a, b, right)
            combine(out, right, out=out)

        return Logarithms(block, lambda a: np.asarray(combine(self.norms(a), other.norms(a))))

    def mapped(self, profile: Profile) -> Logarithms:
        """Return those of a function of κ, as a function of log κ."""

        def block(a: Encoded, b: Encoded, out: Array) -> None:
            self.block(a, b, out)
            profile(out)

        return Logarithms(block, lambda a: profile(self.norms(a)))


@dataclass(frozen=True, eq=False)
class Estimate:
    """An estimate of κ(x, x), good for choosing objects by it.

    Attributes
    ----------
    norms : function
        The estimate for each object.
    mean : function, optional
        An estimate of the mean over objects, where one is known that is cheaper than those of all of them.
    """

    norms: Norms
    mean: Callable[[Encoded], float] | None = None

    def under(self, place: int) -> Estimate:
        """Return this of encodings that are the part at `place` of larger ones."""
        mean = maybe(self.mean, lambda mean: lambda a: mean(a.parts[place]))
        return Estimate(lambda a: self.norms(a.parts[place]), mean)

    def combined(self, other: Estimate, combine: np.ufunc) -> Estimate:
        """Return that of κ₁ + κ₂ or κ₁ κ₂."""
        return Estimate(lambda a: np.asarray(combine(self.norms(a), other.norms(a))))

    def mapped(self, profile: Profile) -> Estimate:
        """Return that of a function of κ."""
        return Estimate(lambda a: profile(self.norms(a)))

    def weighted(self, place: int) -> Estimate:
        """Return that of g(x) κ(x, z) g(z)."""
        return Estimate(lambda a: self.norms(a) * np.square(a.parts[place]))


@dataclass(frozen=True, eq=False)
class Pairs:
    """Some eigenvalues of K, the `count` largest among them, and eigenvectors in columns, both nearly exact.

    None for objects of which they cannot be had.
    """

    leading: Callable[[Encoded, int], tuple[Array, Array] | None]

    def under(self, place: int) -> Pairs:
        """Return these of encodings that are the part at `place` of larger ones."""
        return Pairs(lambda a, count: self.leading(a.parts[place], count))

    def scaled(self, factor: float) -> Pairs:
        """Return those of c κ."""

        def leading(a: Encoded, count: int) -> tuple[Array, Array] | None:
            return maybe(self.leading(a, count), lambda found: (factor * found[0], found[1]))

        return Pairs(leading)


@dataclass(frozen=True, eq=False)
class Capabilities:
    """What a kernel offers, and None for what it does not."""

    features: Features | None
    product: MatrixFree | None
    logarithms: Logarithms | None
    estimate: Estimate | None
    pairs: Pairs | None

    def under(self, place: int) -> Capabilities:
        """Return these of encodings that are the part at `place` of larger ones."""
        offered = ((f.name, getattr(self, f.name)) for f in fields(self))
        return Capabilities(**{name: one and one.under(place) for name, one in offered})


NOTHING = Capabilities(features=None, product=None, logarithms=None, estimate=None, pairs=None)


def written(kernel: Any, base: type[Any]) -> Capabilities:
    """Return what a kernel offers by the methods that its class writes and the base class of all kernels does not."""

    def own(method: str) -> Any:
        mine = getattr(type(kernel), method, None)
        return None if mine is getattr(base, method, None) else getattr(kernel, method)

    features, dim, names = own("phi"), own("feature_dim") or (lambda a: None), own("feature_names")
    by_names = maybe(names, lambda names: lambda a, columns: names(columns))
    return Capabilities(
        features=features
        and Features(features, dim, own("feature_load") or _load(dim), names, own("named") or by_names),
        product=maybe(own("multiply"), MatrixFree),
        logarithms=both(own("logarithms"), own("log_norms"), Logarithms),
        estimate=maybe(own("rough_norms"), lambda norms: Estimate(norms, own("rough_mean"))),
        pairs=maybe(own("leading_pairs"), Pairs),
    )


def _load(dim: Callable[[Encoded], int | None]) -> Callable[[Encoded], float]:
    """Return how many numbers φ(x) takes: all, or those of encodings that are φ(x) already."""

    def load(a: Encoded) -> float:
        count = dim(a) or 0
        return a.load if a.sparse and count <= a.width else float(min(count, MANY_FEATURES))

    return load
