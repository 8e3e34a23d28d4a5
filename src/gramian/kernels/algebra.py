"""The algebra: what is made of kernels is a kernel.

Kernels are closed under (seed 002, "Constructing kernels"; seed 004, "Composition of kernels")

    κ₁ + κ₂    κ₁ κ₂    c κ (c > 0)    κ + c (c ≥ 0)    κ^q (q ≥ 1)    exp κ    p(κ) with coefficients ≥ 0
    κ(f(x), f(z))    f(x) κ(x, z) f(z)    κ(x, z) / √(κ(x, x) κ(z, z))    κ about the centre of mass of a sample

Each result is a kernel again, not a copy of a matrix, and treats new objects as it treated the first ones. Differences,
negative factors and exp(−κ) are not kernels (linear κ on x = 1, 2 already shows the last) and are refused.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar, Self, cast

import numpy as np

from gramian.checks import Array, as_array, is_sparse, non_negative, positive, whole
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula, Given, OfColumn, OfRow, Opaque
from gramian.formula.gaps import gap
from gramian.gram.gram import Gram, features, finite_norms
from gramian.gram.traits import Traits
from gramian.kernels.base import BaseKernel
from gramian.kernels.capabilities import (
    NOTHING,
    Capabilities,
    Estimate,
    Features,
    Logarithms,
    MatrixFree,
    Norms,
    Pairs,
    Profile,
    both,
)
from gramian.kernels.columns import Columns
from gramian.kernels.declared import ARRAY, INTEGER, NUMBER, Kept
from gramian.kernels.standardize import Standardize
from gramian.kernels.value import ATOM, Value, derived, inside, text
from gramian.places import CORES, place_of

SUM, PRODUCT, POWER = 1, 2, 3  # how tightly the operators bind
MOST_DEGREE = 10**9  # beyond, what rounding has added to 1 overflows
MOST_COEFFICIENTS = 10_000  # of a polynomial, each of which is one more pass over K


class Kernel(BaseKernel):
    """Base class of all kernels: the protocol and its algebra.

    A kernel says how alike two objects are: κ(x, z) = ⟨φ(x), φ(z)⟩, the inner product of their images in a feature
    space. Call it on objects to get the matrix of all pairs, ``k(X)`` or ``k(X, Z)``. Kernels never change, print as
    the expression that made them, and can be added, multiplied and transformed (``k.normalize()``, ``k.center(X)``,
    ``k.on("column")``). ``k.fit(X)`` returns a kernel with what it takes from data filled in.

    A new kernel writes `encode` and `formula`, or `encode`, `block` and `squared_norms`: ARCHITECTURE.md has one.

    See Also
    --------
    Gram : the Gram matrix as an operator
    Gaussian : similarity by distance
    Precomputed : a matrix that you have

    Notes
    -----
    Cost: a kernel holds its parameters. Of n vectors of d numbers `encode` is O(n d), `k(X)` O(n² d) and n² numbers;
    sums and products cost what their parts cost.

    Examples
    --------
    >>> import gramian as gm
    >>> k = gm.Gaussian(bandwidth=1.0) + 0.5 * gm.Polynomial(degree=2, offset=1.0)
    >>> k
    Gaussian(bandwidth=1.0) + 0.5 * Polynomial(degree=2, offset=1.0)
    >>> k([[0.0], [1.0]]).round(4)
    array([[1.5   , 1.1065],
           [1.1065, 3.    ]])
    """

    __array_ufunc__ = None  # so that ``np.float64(2) * kernel`` comes to __rmul__

    def __add__(self, other: Any) -> Kernel:
        if isinstance(other, Kernel):
            return Sum(self, other)
        return Shifted(self, other) if non_negative(other, "the constant added to a kernel") else self

    __radd__ = __add__

    def __mul__(self, other: Any) -> Kernel:
        return Product(self, other) if isinstance(other, Kernel) else Scaled(self, other)

    def __rmul__(self, other: Any) -> Kernel:
        return Scaled(self, other)

    def __truediv__(self, other: Any) -> Kernel:
        return Scaled(self, 1 / positive(other, "the divisor of a kernel"))

    def __pow__(self, degree: Any) -> Kernel:
        return Power(self, degree)

    def __sub__(self, other: Any) -> Kernel:
        raise TypeError(
            "a difference of kernels is not a kernel, because it can have negative eigenvalues: subtract the dense "
            "matrices if you need the numbers, or remove directions with center() or FeatureSpace's deflate()"
        )

    __rsub__ = __sub__

    def __neg__(self) -> Kernel:
        raise TypeError("−κ is not a kernel: none of its eigenvalues is positive")

    def exp(self) -> Kernel:
        """Return exp κ(x, z)."""
        return Exponential(self)

    def polynomial(self, coefficients: Sequence[float]) -> Kernel:
        """Return c₀ + c₁ κ + c₂ κ² + …, all cᵢ ≥ 0."""
        if not isinstance(coefficients, Sequence | np.ndarray):
            raise TypeError(f"coefficients are {coefficients!r}; a sequence c₀, c₁, c₂, … expected")
        return Series(self, tuple(coefficients))

    def pullback(self, f: Callable[[Any], Any]) -> Kernel:
        """Return κ(f(x), f(z)); f is given the whole collection and returns another of the same length."""
        return Pullback(self, f)

    def on(self, *columns: Any) -> Kernel:
        """Return this kernel on some columns of a data frame, fields of records, or columns of a matrix by position.

        >>> import gramian as gm
        >>> k = gm.Gaussian(bandwidth=10.0).on("age") * gm.Spectrum(length=2).on("name")
        >>> k
        Gaussian(bandwidth=10.0).on('age') * Spectrum(length=2).on('name')
        >>> k([{"age": 31.0, "name": "Ann"}, {"age": 41.0, "name": "Hanna"}]).round(2)
        array([[2.  , 0.61],
               [0.61, 4.  ]])
        >>> (gm.Gaussian().on(0) * gm.Gaussian().on(1, 2)).gram([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]).dense().round(2)
        array([[1., 1.],
               [1., 1.]])
        """
        return Pullback(self, Columns(columns, numeric=self.on_vectors))

    def reweight(self, f: Callable[[Any], Any]) -> Kernel:
        """Return f(x) κ(x, z) f(z); f is given the whole collection and returns one number for each object."""
        return Reweighted(self, f)

    def normalize(self) -> Normalized:
        """Return κ(x, z) / √(κ(x, x) κ(z, z)), the cosine in feature space (seed 000, (5.1))."""
        return Normalized(self) if self.capabilities.logarithms is None else NormalizedLogarithms(self)

    def center(self, X: Any) -> Centered:
        """Return the kernel of φ(x) − φ_S, φ_S the centre of mass of the sample X (seed 000, Algorithm 5.3)."""
        if isinstance(X, Gram):
            X = X.here
            if X.kernel != self or not X.symmetric or X.diagonal:
                raise ValueError(f"to centre {self!r}, the symmetric Gram of a sample under it is needed, not {X!r}")
            return _about_centre(cast(Kernel, X.kernel), X)
        settled = self.fit(X)
        return _about_centre(settled, Gram(settled, settled.encoded(X).copy()))


class Pair(Kernel):
    """Two kernels on the same objects, their values combined entry by entry."""

    left: Kernel
    right: Kernel
    combine: ClassVar[np.ufunc]
    combine_logarithms: ClassVar[np.ufunc]

    def encode(self, X: Any) -> Encoded:
        return Encoded((self.left.encode(X), self.right.encode(X)))

    @property
    def _sides(self) -> tuple[Formula, Formula]:
        return self.left.formula.under(0), self.right.formula.under(1)

    def squared_norms(self, a: Encoded) -> Array:
        a1, a2 = a
        return np.asarray(self.combine(self.left.squared_norms(a1), self.right.squared_norms(a2)))

    def scale(self, a: Encoded) -> float:
        a1, a2 = a
        with np.errstate(over="ignore"):
            scale = float(self.combine(self.left.scale(a1), self.right.scale(a2)))
        return scale if math.isfinite(scale) else super().scale(a)

    def _in_logarithms(self) -> Logarithms | None:
        if all(k.capabilities.logarithms is None for k in (self.left, self.right)) or not self.non_negative:
            return None
        left, right = self.left.in_logarithms().under(0), self.right.in_logarithms().under(1)
        return left.combined(right, self.combine_logarithms)

    def _estimated(self) -> Estimate | None:
        if all(k.capabilities.estimate is None for k in (self.left, self.right)):
            return None
        left, right = Estimate(self.left.rough_norms).under(0), Estimate(self.right.rough_norms).under(1)
        return left.combined(right, self.combine)


class Sum(Pair):
    """κ₁(x, z) + κ₂(x, z): the features of both, side by side."""

    precedence = SUM
    combine = np.add
    combine_logarithms = np.logaddexp
    kept = Kept({"left": (Kernel,), "right": (Kernel,)})

    @property
    def formula(self) -> Formula:
        left, right = self._sides
        return left + right

    @derived
    def traits(self) -> Traits:
        return self.left.traits.plus(self.right.traits)

    @derived
    def capabilities(self) -> Capabilities:
        left, right = self.left.capabilities.under(0), self.right.capabilities.under(1)
        return Capabilities(
            features=both(left.features, right.features, Features.beside),
            product=both(left.product, right.product, MatrixFree.plus),
            logarithms=self._in_logarithms(),
            estimate=self._estimated(),
            pairs=None,
        )

    def __repr__(self) -> str:
        return f"{inside(self.left, SUM)} + {inside(self.right, SUM + 1)}"


class Product(Pair):
    """κ₁(x, z) κ₂(x, z): all products of a feature of one and a feature of the other."""

    precedence = PRODUCT
    combine = np.multiply
    combine_logarithms = np.add
    kept = Kept({"left": (Kernel,), "right": (Kernel,)})

    @property
    def formula(self) -> Formula:
        left, right = self._sides
        return left * right

    @derived
    def traits(self) -> Traits:
        return self.left.traits.times(self.right.traits)

    @derived
    def capabilities(self) -> Capabilities:
        return replace(NOTHING, logarithms=self._in_logarithms(), estimate=self._estimated())

    def __repr__(self) -> str:
        return f"{inside(self.left, PRODUCT)} * {inside(self.right, PRODUCT + 1)}"


class Pointwise(Kernel):
    """A function of the values of one kernel, written once in `of`."""

    base: Kernel

    @abstractmethod
    def of(self, kappa: Formula) -> Formula:
        """Return this kernel as an expression in the values of the base kernel."""

    @property
    def formula(self) -> Formula:
        return self.of(self.base.formula)

    @derived
    def profile(self) -> Profile:
        """Replaces the base kernel's values s by this kernel's, in place, wherever they come from."""
        of_values = self.of(Given())
        return lambda s: place_of(s).prepare(of_values).of(s)

    @property
    def never_negative(self) -> bool:
        """Whether values are not negative."""
        return self.base.non_negative

    @derived
    def traits(self) -> Traits:
        return self.base.traits.mapped(self.profile, non_negative=self.never_negative)

    @derived
    def capabilities(self) -> Capabilities:
        estimate = self.base.capabilities.estimate
        return replace(NOTHING, estimate=estimate and estimate.mapped(self.profile))

    def encode(self, X: Any) -> Encoded:
        return self.base.encode(X)

    def lift(self, base: Encoded) -> Encoded:
        """Encodings of the base kernel serve as they are."""
        return base

    def squared_norms(self, a: Encoded) -> Array:
        return self.profile(self.base.squared_norms(a))

    def scale(self, a: Encoded) -> float:
        # Profiles are convex on s ≥ 0 and not negative at 0: a rounding of s is one of profile(its scale) at most.
        with np.errstate(over="ignore"):
            scale = float(self.profile(np.array([self.base.scale(a)]))[0])
        return scale if math.isfinite(scale) else super().scale(a)


class PolynomialOf(Pointwise):
    """A polynomial of κ with coefficients ≥ 0: where κ has logarithms, log κ gives those of this kernel."""

    @abstractmethod
    def log_profile(self, t: Array) -> Array:
        """Replace the logarithms t of the base kernel's values by those of this kernel's, in place."""

    @derived
    def capabilities(self) -> Capabilities:
        return self._offered()

    def _offered(
        self, features: Features | None = None, product: MatrixFree | None = None, pairs: Pairs | None = None
    ) -> Capabilities:
        base = self.base.capabilities
        return Capabilities(
            features=features,
            product=product,
            logarithms=base.logarithms and base.logarithms.mapped(self.log_profile),
            estimate=base.estimate and base.estimate.mapped(self.profile),
            pairs=pairs,
        )


class Scaled(PolynomialOf):
    """c κ(x, z), c > 0: every feature times √c."""

    factor: float
    precedence = PRODUCT
    kept = Kept({"base": (Kernel,), "factor": NUMBER})

    def __post_init__(self) -> None:
        positive(self.factor, "the factor of a kernel")

    def of(self, kappa: Formula) -> Formula:
        return kappa * float(self.factor)

    def log_profile(self, t: Array) -> Array:
        t += math.log(self.factor)
        return t

    @derived
    def capabilities(self) -> Capabilities:
        base, c = self.base.capabilities, float(self.factor)
        return self._offered(
            base.features and base.features.scaled(c),
            base.product and base.product.scaled(c),
            base.pairs and base.pairs.scaled(c),
        )

    def __repr__(self) -> str:
        return f"{text(self.factor)} * {inside(self.base, PRODUCT + 1)}"


class Shifted(PolynomialOf):
    """κ(x, z) + c, c ≥ 0: one more feature, √c for every object."""

    constant: float
    precedence = SUM
    kept = Kept({"base": (Kernel,), "constant": NUMBER})

    def __post_init__(self) -> None:
        non_negative(self.constant, "the constant added to a kernel")

    def of(self, kappa: Formula) -> Formula:
        return kappa + float(self.constant)

    def log_profile(self, t: Array) -> Array:
        return np.logaddexp(t, math.log(self.constant), out=t) if self.constant else t

    @derived
    def capabilities(self) -> Capabilities:
        features, product = self.base.capabilities.features, self.base.capabilities.product
        return self._offered(
            features and features.with_constant(float(self.constant)),
            product and product.with_constant(float(self.constant)),
        )

    def __repr__(self) -> str:
        return f"{inside(self.base, SUM)} + {text(self.constant)}"


class Power(PolynomialOf):
    """κ(x, z)^q, q ≥ 1 an integer."""

    degree: int
    precedence = POWER
    kept = Kept({"base": (Kernel,), "degree": INTEGER})

    def __post_init__(self) -> None:
        whole(self.degree, "the power of a kernel", most=MOST_DEGREE)

    def of(self, kappa: Formula) -> Formula:
        return kappa ** int(self.degree)

    def log_profile(self, t: Array) -> Array:
        t *= int(self.degree)
        return t

    @property
    def never_negative(self) -> bool:
        return self.base.non_negative or self.degree % 2 == 0

    def __repr__(self) -> str:
        return f"{inside(self.base, ATOM)} ** {self.degree}"


class Exponential(Pointwise):
    """exp κ(x, z)."""

    never_negative = True
    kept = Kept({"base": (Kernel,)})

    def of(self, kappa: Formula) -> Formula:
        return kappa.exp()

    def __repr__(self) -> str:
        return f"{inside(self.base, ATOM)}.exp()"


class Series(PolynomialOf):
    """c₀ + c₁ κ + c₂ κ² + …, a polynomial in κ with coefficients ≥ 0."""

    coefficients: tuple[float, ...]
    kept = Kept({"base": (Kernel,), "coefficients": (tuple,)})

    def __post_init__(self) -> None:
        what = "coefficient {} of a polynomial in a kernel"
        if len(self.coefficients) > MOST_COEFFICIENTS:
            raise ValueError(
                f"the polynomial in a kernel has {len(self.coefficients):,} coefficients; at most "
                f"{MOST_COEFFICIENTS:,} expected"
            )
        checked = (non_negative(c, what.format(i)) for i, c in enumerate(self.coefficients))
        self._settle(coefficients=tuple(checked))
        if not any(self.coefficients):
            raise ValueError("the polynomial in a kernel is zero; at least one coefficient above 0 expected")

    def of(self, kappa: Formula) -> Formula:
        return kappa.polynomial(self.coefficients)

    def log_profile(self, t: Array) -> Array:
        terms = [(i, math.log(c)) for i, c in enumerate(self.coefficients) if c]
        logs = t.copy()
        t[...] = -math.inf
        for i, log_c in terms:
            np.logaddexp(t, i * logs + log_c if i else log_c, out=t)
        return t

    def __repr__(self) -> str:
        return f"{inside(self.base, ATOM)}.polynomial({self.coefficients})"


class Pullback(Kernel):
    """κ(f(x), f(z)): the base kernel on transformed objects. f must be a module-level function to be pickled."""

    base: Kernel
    f: Callable[[Any], Any]
    kept = Kept({"base": (Kernel,), "f": (Columns, Standardize)})

    def __post_init__(self) -> None:
        _check_callable(self.f, "pullback")

    @derived
    def traits(self) -> Traits:
        numeric = bool(getattr(self.f, "on_vectors", False))  # a plain function takes anything
        base = self.base.traits
        return base.pulled_back(on_vectors=numeric and base.on_vectors, by_name=isinstance(self.f, Columns))

    @derived
    def capabilities(self) -> Capabilities:
        base = self.base.capabilities
        return replace(base, features=base.features and self._renamed(base.features))

    def _renamed(self, features: Features) -> Features:
        """Return features of the base kernel by the names of the columns that f takes."""
        f = self.f
        if isinstance(f, Columns):
            columns = [str(name) for name in f.names]
            return features.of_columns(columns) if f.numeric else features.of_column(columns[0], partial(image, f))
        kept = not self.base.on_vectors or isinstance(f, Value)  # a plain function may make any columns
        return replace(features, names=None, named=features.named if kept else None)

    @property
    def formula(self) -> Formula:
        return self.base.formula

    def fit(self, X: Any) -> Self:
        f = self.f.fit(X) if isinstance(self.f, Value) and hasattr(self.f, "fit") else self.f
        mapped = self if f is self.f else self.with_params(f=f)
        settled = mapped.base.fit(image(mapped.f, X))
        return mapped if settled is mapped.base else mapped.with_params(base=settled)

    def encode(self, X: Any) -> Encoded:
        return self.base.encode(image(self.f, X))

    def squared_norms(self, a: Encoded) -> Array:
        return self.base.squared_norms(a)

    def scale(self, a: Encoded) -> float:
        return self.base.scale(a)

    def __repr__(self) -> str:
        way = repr(self.f) if isinstance(self.f, Columns) else f"pullback({text(self.f)})"
        return f"{inside(self.base, ATOM)}.{way}"


def image(f: Callable[[Any], Any], X: Any) -> Any:
    """Return what f makes of a collection, with one object for each."""
    images = f(X)
    if not hasattr(images, "__len__"):
        raise TypeError(f"f returned {images!r}; a collection with one object for each of those given expected")
    if _length(images) != _length(X):
        raise ValueError(
            f"f returned {_length(images)} objects for {_length(X)}; one for each expected, in the same order"
        )
    return images


class Rowwise(Kernel):
    """A number g(x) for every object, and g(x) κ(x, z) g(z): encodings are the base's and those numbers."""

    base: Kernel

    @property
    def formula(self) -> Formula:
        return self.base.formula.under(0) * OfRow(part=(1,)) * OfColumn(part=(1,))

    def squared_norms(self, a: Encoded) -> Array:
        base, g = a
        return np.asarray(self.base.squared_norms(base) * g * g)

    @derived
    def capabilities(self) -> Capabilities:
        base = self.base.capabilities.under(0)
        return Capabilities(
            features=base.features and base.features.weighted(1),
            product=base.product and base.product.weighted(1),
            logarithms=None,  # numbers may be negative, and those of a normalized kernel are not too large
            estimate=base.estimate and base.estimate.weighted(1),
            pairs=None,
        )


class Reweighted(Rowwise):
    """f(x) κ(x, z) f(z): every φ(x) times the number f(x)."""

    f: Callable[[Any], Any]
    kept = Kept({"base": (Kernel,), "f": (Columns, Standardize)})

    def __post_init__(self) -> None:
        _check_callable(self.f, "reweight")

    @derived
    def traits(self) -> Traits:
        return self.base.traits.reweighted()

    def encode(self, X: Any) -> Encoded:
        base = self.base.encode(X)
        dtype = self.base.value_type(base)
        given = as_array(self.f(X), "the numbers that f returned")
        if given.shape != (len(base),):
            raise ValueError(
                f"f returned an array of shape {given.shape}; one finite number for each of {len(base)} objects needed"
            )
        with np.errstate(over="ignore"):
            g = given.astype(dtype)
        if not np.isfinite(g).all():
            raise ValueError(f"f returned {given[~np.isfinite(g)][0]}; finite {dtype} numbers expected")
        return Encoded((base, g))

    def __repr__(self) -> str:
        return f"{inside(self.base, ATOM)}.reweight({text(self.f)})"


class Normalized(Rowwise):
    """κ(x, z) / √(κ(x, x) κ(z, z)): every φ(x) scaled to norm one (seed 000, Algorithm 5.1)."""

    kept = Kept({"base": (Kernel,)})

    @derived
    def traits(self) -> Traits:
        return self.base.traits.normalized()

    def encode(self, X: Any) -> Encoded:
        return self.lift(self.base.encoded(X))

    def lift(self, base: Encoded) -> Encoded:
        """Add 1/‖φ(x)‖ to the encodings of the base kernel."""
        squares = finite_norms(self.base, base)
        zero = np.flatnonzero(squares < np.finfo(squares.dtype).tiny)  # below, digits of the norm are lost
        _require_direction(zero)
        return Encoded((base, 1 / np.sqrt(squares)))

    def squared_norms(self, a: Encoded) -> Array:
        return np.ones_like(a.parts[1])

    def __repr__(self) -> str:
        return f"{inside(self.base, ATOM)}.normalize()"


class NormalizedLogarithms(Normalized):
    """exp(log κ(x, z) − ½ log κ(x, x) − ½ log κ(z, z)), for a kernel whose values may be too large for a number."""

    kept = Kept({"base": (Kernel,)})

    def lift(self, base: Encoded) -> Encoded:
        """Add log ‖φ(x)‖ to the encodings of the base kernel."""
        logarithms = self._base.norms(base)
        _require_direction(np.flatnonzero(logarithms == -math.inf))
        if not np.isfinite(logarithms).all():
            finite_norms(self.base, base)  # says so
        return Encoded((base, logarithms / 2))

    @property
    def _base(self) -> Logarithms:
        return self.base.in_logarithms()

    @property
    def formula(self) -> Formula:
        block, norms = self._base.block, self._base.norms
        logarithm = Opaque(block=block, norms=norms, scratch=self.base.formula, part=(0,))
        return (logarithm - OfRow(part=(1,)) - OfColumn(part=(1,))).exp()


FOUND = ("_reference_products", "_mean", "_mean_features")  # of the sample that a kernel is about


class Anchored(Kernel):
    """A kernel about elements w₁…w_r spanned by a reference sample: encodings are the base's and ⟨φ(x), wⱼ⟩.

    `reference` is the Gram of the sample under `base`: its objects, its memory budget, and its means once known.
    """

    base: Kernel
    reference: Gram

    def __getstate__(self) -> dict[str, Any]:
        """Keep what was found of the sample: where this is read there may be no way to one that is elsewhere."""
        return super().__getstate__() | {name: self.__dict__[name] for name in FOUND if name in self.__dict__}

    @abstractmethod
    def _products(self, gram: Gram) -> Array:
        """Return ⟨φ(x), wⱼ⟩, n × r, from the Gram of n objects with the reference sample."""

    @cached_property
    def _reference_products(self) -> Array:
        return self._products(self.reference)

    def scale(self, a: Encoded) -> float:
        return self.base.scale(a.parts[0])

    def encode(self, X: Any) -> Encoded:
        return self.lift(self.base.encoded(X))

    def lift(self, base: Encoded) -> Encoded:
        """Add ⟨φ(x), wⱼ⟩ to the encodings of the base kernel; those of the reference sample are computed once."""
        if base is self.reference.rows:
            return Encoded((base, self._reference_products))
        return Encoded((base, self._products(Gram(self.base, base, self.reference.rows, memory=self.reference.memory))))


class Centered(Anchored):
    """The kernel of φ(x) − φ_S, with φ_S the centre of mass of a reference sample (seed 000, Algorithm 5.3).

    κ̂(x, z) = κ(x, z) − (1/ℓ) Σᵢ κ(x, xᵢ) − (1/ℓ) Σᵢ κ(z, xᵢ) + (1/ℓ²) Σᵢⱼ κ(xᵢ, xⱼ)
    """

    kept = Kept(
        {"base": (Kernel,), "reference": (Gram,)},
        {"_reference_products": ARRAY, "_mean": (float,), "_mean_features": ARRAY},
    )

    def _products(self, gram: Gram) -> Array:
        return gram.row_means()[:, None]

    def with_centre(self, base: Encoded) -> Array:
        """Return ⟨φ(x), φ_S⟩ of encodings of the base kernel, as a column."""
        return np.asarray(self.lift(base).parts[1])

    @cached_property
    def _mean(self) -> float:
        return float(self._reference_products.mean())

    @property
    def traits(self) -> Traits:
        return self.base.traits.moved(lambda: math.sqrt(max(self._mean, 0.0)))

    @property
    def capabilities(self) -> Capabilities:
        base = self.base.capabilities.under(0)
        return Capabilities(
            features=base.features and self._about_mean(base.features),
            product=base.product and MatrixFree(partial(self._product, base.product)),
            logarithms=None,  # values may be negative
            estimate=base.estimate and self._estimate_about(base.estimate),
            pairs=None,
        )

    def _about_mean(self, features: Features) -> Features | None:
        if self.reference.rows.open:  # what is counted in some objects has no columns for what the centre has besides
            return None
        return replace(features, phi=self._features_about, load=lambda a: float(features.dim(a) or 0))

    def _product(self, base: MatrixFree, a: Encoded, b: Encoded, V: Array) -> Array:
        (_, m_a), (_, m_b) = a, b
        return np.asarray(base.multiply(a, b, V) - m_b[:, 0] @ V - (m_a - self._mean) * V.sum(axis=0))

    def scale(self, a: Encoded) -> float:
        return float(self.squared_norms(a).max()) if self.explicit(a) else super().scale(a)

    @property
    def formula(self) -> Formula:
        of_row, of_column = OfRow(part=(1,)) - self._mean, OfColumn(part=(1,))
        about_means = self.base.formula.under(0) - of_row - of_column
        if not self.explicit(Encoded((self.reference.rows[:1], self._reference_products[:1]))):
            return about_means
        return Opaque(block=self._between_features, norms=self.squared_norms, scratch=self.base.formula)

    def _between_features(self, a: Encoded, b: Encoded, out: Array) -> None:
        np.matmul(self.phi(a), self.phi(b).T, out=out)

    def squared_norms(self, a: Encoded) -> Array:
        if self.explicit(a):
            phi = features(self, a)
            return place_of(phi).lengths(phi)
        return self._norms(lambda a: self.base.squared_norms(a.parts[0]), a)

    def _estimate_about(self, base: Estimate) -> Estimate:
        return Estimate(partial(self._norms, base.norms), base.mean and partial(self._mean_norm, base.mean))

    def _mean_norm(self, of_base: Callable[[Encoded], float], a: Encoded) -> float:
        norm = of_base(a)
        left = norm + self._mean - 2 * float(a.parts[1].mean())
        return float(remainder(np.array(left), np.array(norm + abs(self._mean))))

    def _norms(self, of_base: Norms, a: Encoded) -> Array:
        norms, m = of_base(a), a.parts[1]
        return remainder(norms + (self._mean - 2 * m[:, 0]), norms + abs(self._mean))

    @cached_property
    def _mean_features(self) -> Array:
        n, rows = len(self.reference), self.reference.rows
        spans = self.reference.spans(n, features(self.base, rows[:1]).shape[1])
        sums = sum(_sum(features(self.base, rows[span])) for span in spans)
        return np.asarray(sums / n).reshape(1, -1)

    def _features_about(self, a: Encoded) -> Array:
        features = self.base.phi(a.parts[0])
        dense = features.toarray() if is_sparse(features) else features
        centered = (dense - self._mean_features).astype(dense.dtype)
        left = remainder(_squares(centered), self.base.squared_norms(a.parts[0]), digits=2)
        centered[left == 0] = 0  # rounding is no direction, and must not have inner products
        return np.asarray(centered)

    def __repr__(self) -> str:
        return f"{inside(self.base, ATOM)}.center(<{len(self.reference)} objects>)"


class CenteredNear(Centered):
    """The same where all images are so near one another that their differences are lost in the rounding of κ.

    What centring takes away may have ½κ(x, x) + ½κ(z, z) taken away before. Of κ(x, z) that leaves −g(x, z), g(x, z) =
    ½‖φ(x) − φ(z)‖² the gap, which keeps its digits: κ̂(x, z) = ḡ(x) + ḡ(z) − ḡ − g(x, z), with means over the sample.
    """

    kept = Kept({"base": (Kernel,), "reference": (Gram,)}, {"_reference_products": ARRAY, "_mean": (float,)})

    def _products(self, gram: Gram) -> Array:
        return -gram.mean_gaps()[:, None].astype(gram.dtype)

    def with_centre(self, base: Encoded) -> Array:
        sample = self.reference
        gram = sample if base is sample.rows else Gram(self.base, base, sample.rows, memory=sample.memory)
        return gram.row_means()[:, None]

    @property
    def traits(self) -> Traits:
        return self.base.traits.moved(lambda: math.sqrt(float(self.base.squared_norms(self.reference.rows).mean())))

    @property
    def capabilities(self) -> Capabilities:
        return NOTHING

    @property
    def formula(self) -> Formula:
        small = gap(self.base.formula)
        if small is None:
            raise ValueError(f"no form of 1 − κ is known for {self.base!r}")
        return -small.under(0) - (OfRow(part=(1,)) - self._mean) - OfColumn(part=(1,))

    def squared_norms(self, a: Encoded) -> Array:
        m = a.parts[1][:, 0]
        return remainder(self._mean - 2 * m, abs(self._mean) + 2 * np.abs(m))

    def scale(self, a: Encoded) -> float:
        return float(self.squared_norms(a).max())


def _about_centre(base: Kernel, sample: Gram) -> Centered:
    """Return the kernel about the centre of a sample, in the way that keeps its digits."""
    return (CenteredNear if sample.is_nearly_one else Centered)(base, sample)


def _squares(features: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", features, features))


def _sum(phi: Any) -> Array:
    """Return the sum of rows in double precision, wherever they are."""
    place = place_of(phi)
    if place is CORES:
        return np.asarray(phi.sum(axis=0, dtype=np.float64)).reshape(-1)
    return place.mean(phi) * len(phi)


def remainder(squares: Array, scale: Array, digits: int = 1) -> Array:
    """Return squared norms that are what is left of larger ones, 0 where that is only rounding."""
    noise = (8 * np.finfo(scale.dtype).eps) ** digits
    return np.where(squares > noise * scale, squares, 0).astype(scale.dtype)


def _require_direction(zero: Array) -> None:
    """Refuse objects with φ(x) = 0, of which the places are given."""
    if zero.size:
        raise ValueError(
            f"φ(x) = 0 for {zero.size} object(s), first at index {zero[0]}: it has no direction and cannot be "
            "normalized; leave such objects out, or add a constant to the kernel first"
        )


def _check_callable(f: Any, what: str) -> None:
    if not callable(f):
        raise TypeError(f"{what} takes a function of the whole collection, and got {f!r}")


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)
