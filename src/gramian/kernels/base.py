"""The protocol of a kernel, κ(x, z) = ⟨φ(x), φ(z)⟩: encode once, multiply tile by tile.

A kernel answers two questions. What can be worked out of each object alone (`encode`)? What is κ, as an expression in
what was worked out (`formula`)? Tiles, diagonals, dense matrices, lazy Grams, products, centring and geometry are
derived from these two. Where κ has no expression the kernel fills tiles itself (`block`) and gives the diagonal
(`squared_norms`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from functools import partial, wraps
from typing import Any, ClassVar, Self, cast

import numpy as np

from gramian.checks import Array
from gramian.formula.encoded import Encoded
from gramian.formula.expression import CityBlock, Dot, Formula, Opaque, SquaredDistance
from gramian.gram.gram import Gram, features, finite_norms
from gramian.gram.protocol import Derived
from gramian.gram.there import gram_of
from gramian.gram.traits import Traits
from gramian.kernels.capabilities import Capabilities, Features, Logarithms, maybe, written
from gramian.kernels.declared import Kept, Word
from gramian.kernels.value import ATOM, Value, derived, inside
from gramian.places import CORES, Place, Prepared, place_of, received, there, working

FEW_FEATURES = 64
TRAITS = [f.name for f in fields(Traits)]


class BaseKernel(Value, ABC):
    """The protocol: two methods to write, or three, and what follows from them."""

    word: ClassVar[Word | None] = None  # in the language of expressions
    kept: ClassVar[Kept | None] = None  # in model files

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "squared_norms" in vars(cls):
            cls.squared_norms = _where_they_are(cls.squared_norms)  # type: ignore[assignment,method-assign]

    @abstractmethod
    def encode(self, X: Any) -> Encoded:
        """Validate objects and do the work that belongs to each of them alone, in O(n)."""

    def encoded(self, X: Any) -> Encoded:
        """Return what `encode` does, vectors in the place that has the objects."""
        X = received(X)
        place = place_of(X)
        if place is not CORES:
            return place.encoded(self, X)
        return there(self.encode(X), working() if self.compares else CORES)

    @derived
    def compares(self) -> bool:
        """Whether vectors are compared: products and distances, which every place knows."""
        return any(isinstance(f, Dot | SquaredDistance | CityBlock) for f in self.formula.walk())

    @property
    def formula(self) -> Formula:
        """κ as an expression in the parts of encodings; where a kernel does not say, a block that it fills itself."""
        if type(self).block is BaseKernel.block or type(self).squared_norms is BaseKernel.squared_norms:
            raise TypeError(f"{type(self).__name__} says nothing of κ: write formula, or block and squared_norms")
        return Opaque(block=self.block, norms=self.squared_norms, scratch=self.scratch)

    @derived
    def _plans(self) -> dict[str, Prepared]:
        return {}

    def prepared(self, place: Place) -> Prepared:
        """Return the formula as a place has prepared it, once."""
        if (plan := self._plans.get(place.name)) is None:
            plan = self._plans[place.name] = place.prepare(self.formula)
        return plan

    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        """Write κ(xᵢ, zⱼ) into out[i, j]; `out` has the dtype of `squared_norms` and may be a strided view."""
        self.prepared(place_of(a)).write(a, b, out)

    def squared_norms(self, a: Encoded) -> Array:
        """Return κ(x, x) = ‖φ(x)‖² of each object, a new array."""
        return self.prepared(place_of(a)).norms(a)

    @abstractmethod
    def normalize(self) -> Derived:
        """Return the kernel of φ(x) / ‖φ(x)‖."""

    @abstractmethod
    def center(self, X: Any) -> Derived:
        """Return the kernel of φ(x) less the centre of mass of the sample X."""

    @abstractmethod
    def __mul__(self, other: Any) -> Any:
        """Return the product with another kernel or with a positive number."""

    @abstractmethod
    def __add__(self, other: Any) -> Any:
        """Return the sum with another kernel or with a constant."""

    @property
    def too_large(self) -> str:
        """What to do where κ(x, x) overflows."""
        if self.capabilities.logarithms is not None:
            return f"take {inside(self, ATOM)}.normalize(), which is computed without overflow"
        if self._of_numbers:
            return "rescale the data, or normalize the kernel's input"
        return "normalize the kernels that it is made of first, or leave out the objects that are too long or too large"

    @property
    def _of_numbers(self) -> bool:
        inner = self._inner().values()
        return all(k._of_numbers for k in inner) if inner else self.on_vectors

    @derived
    def traits(self) -> Traits:
        """What is known of κ: nothing of its values, unless a kernel says so, here or by attributes of these names."""
        own = [name for name in TRAITS if getattr(type(self), name, None) is not getattr(BaseKernel, name, None)]
        shared = Traits.of_parts(k.traits for k in self._inner().values())
        return replace(shared, **{name: getattr(self, name) for name in own})

    @property
    def radius(self) -> float:
        """A bound on ‖φ(x)‖ = √κ(x, x) over all objects there can be, the least one known; infinite if there is none.

        >>> import gramian as gm
        >>> (4 * gm.Gaussian()).radius, gm.Linear().radius
        (2.0, inf)
        """
        return self.traits.longest

    @property
    def non_negative(self) -> bool:
        """Whether κ(x, z) ≥ 0 is known for every pair of objects.

        >>> import gramian as gm
        >>> gm.Gaussian().non_negative, gm.Linear().non_negative
        (True, False)
        """
        return self.traits.non_negative

    @property
    def on_vectors(self) -> bool:
        """Whether the objects are rows of numbers: known of the package's kernels, and of what is made of them."""
        return self.traits.on_vectors

    def _inner(self) -> dict[str, BaseKernel]:
        """Return the kernels this one is made of, by the names of its parameters."""
        return {name: k for name, k in self.params().items() if isinstance(k, BaseKernel)}

    @property
    def scratch(self) -> int:
        """How many arrays of the size of `out` a `block` of its own needs besides it, for the memory budget."""
        return 1

    @derived
    def capabilities(self) -> Capabilities:
        """What this kernel can do besides filling tiles."""
        return written(self, BaseKernel)

    @property
    def matrix_free(self) -> bool:
        """Whether `multiply` gives products with K that do not go through its entries."""
        return self.capabilities.product is not None

    def multiply(self, a: Encoded, b: Encoded, V: Array) -> Array:
        """Return K V in float64, K the values between the objects of a and of b; where `matrix_free` says so."""
        if (product := self.capabilities.product) is None:
            raise TypeError(f"{self!r} is multiplied through its entries")
        return product.multiply(a, b, V)

    def rough_norms(self, a: Encoded) -> Array:
        """Return `squared_norms`, or where these are expensive an estimate, good for choosing objects by it."""
        estimate = self.capabilities.estimate
        return self.squared_norms(a) if estimate is None else estimate.norms(a)

    def rough_mean(self, a: Encoded) -> float:
        """Return the mean of `rough_norms`, which is good to far more digits than each of them."""
        estimate = self.capabilities.estimate
        if estimate is not None and estimate.mean is not None:
            return estimate.mean(a)
        return float(self.rough_norms(a).mean(dtype=np.float64))

    def leading_pairs(self, a: Encoded, count: int) -> tuple[Array, Array] | None:
        """Return some eigenvalues of K, the `count` largest among them, and eigenvectors in columns, both nearly exact.

        None where no way is known that is shorter than products with K.
        """
        pairs = self.capabilities.pairs
        return None if pairs is None else pairs.leading(a, count)

    def by_products(self) -> Self:
        """Return the same kernel in the form in which few products with K are quickest, if there is another."""
        return self

    @property
    def few_products(self) -> bool:
        """Whether this is that form."""
        return False

    def in_logarithms(self) -> Logarithms:
        """Return log κ, of values that are computed first where nothing better is known."""
        return self.capabilities.logarithms or Logarithms.of_values(self.block, self.squared_norms)

    def value_type(self, a: Encoded) -> np.dtype[Any]:
        """Return the type of the numbers κ(x, z) of such objects."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.dtype(self.squared_norms(a[:1]).dtype)

    def scale(self, a: Encoded) -> float:
        """Return the largest κ(x, x) that values between these objects are computed from."""
        return float((self.rough_norms(a) if self.traits.whole_columns else self.squared_norms(a)).max())

    def accuracy(self, dtype: np.dtype[Any]) -> float:
        """Return the error of an entry relative to κ(x, x): rounding, or that of the least accurate inner kernel."""
        return max((k.accuracy(dtype) for k in self._inner().values()), default=float(np.finfo(dtype).eps))

    def fit(self, X: Any) -> Self:
        """Return this kernel with what it takes from data (``bandwidth="median"``) settled on the sample X.

        A kernel is a value: this returns another kernel, and one with nothing to settle returns itself.

        >>> import gramian as gm
        >>> gm.Gaussian(bandwidth="median").fit([[0.0], [3.0], [4.0]])
        Gaussian(bandwidth=3.0)
        """
        inner = self._inner()
        settled = {name: k.fit(X) for name, k in inner.items()}
        return self.with_params(**settled) if any(settled[n] is not k for n, k in inner.items()) else self

    def gram(self, X: Any, Z: Any = None, *, memory: int | str | None = None) -> Gram:
        """Return K[i, j] = κ(xᵢ, zⱼ) as an operator; without Z the symmetric Gram of X.

        Parameters
        ----------
        X, Z : collections of objects
            Z defaults to X. A kernel that takes something from data settles it on X when there is no Z; with Z, call
            ``k = k.fit(X)`` first, so that ``k.gram(X, Z)`` and ``k.gram(Z, X)`` mean the same κ.
        memory : int or str, optional
            Budget in bytes for working arrays, 256 MiB by default; "1 GB" and the like are understood.
        """
        if isinstance(X, Iterator):
            X = list(X)
        if Z is None or Z is X:
            kernel: Self = place_of(X).settled(self, X)
            return gram_of(kernel, kernel.encoded(X), memory=memory)
        return gram_of(self, self.encoded(X), self.encoded(Z), memory=memory)

    def __call__(self, X: Any, Z: Any = None) -> Array:
        """Return the dense matrix κ(xᵢ, zⱼ), n × m."""
        return self.gram(X, Z).dense()

    def diag(self, X: Any) -> Array:
        """Return κ(x, x) for every object of X, in O(n)."""
        return self.gram(X).diag()

    @property
    def _explicit(self) -> Features:
        if (features := self.capabilities.features) is None:
            raise TypeError(
                f"{self!r} has no explicit feature map: work with inner products (gram), or with the coordinates "
                "that EmpiricalMap, MercerMap and CholeskyMap give"
            )
        return features

    def feature_dim(self, a: Encoded) -> int | None:
        """Return the dimension of the explicit map for such objects, None where there is none to use."""
        return maybe(self.capabilities.features, lambda features: features.dim(a))

    def feature_load(self, a: Encoded) -> float:
        """Return how many numbers φ(x) takes on the average."""
        return self._explicit.load(a)

    def phi(self, a: Encoded) -> Any:
        """Return the explicit features of encoded objects, one row each."""
        return self._explicit.phi(a)

    def explicit(self, a: Encoded) -> bool:
        """Tell whether φ is so small, and objects so dense, that φ(x) itself is as good to work with as κ.

        Far from the origin it is better: differences of φ keep digits that differences of κ cancel.
        """
        dim = self.feature_dim(a)
        return dim is not None and dim <= max(FEW_FEATURES, a.width) and not a.sparse and not a.open

    @property
    def phi_in_place(self) -> bool:
        """Whether `phi` works on the arrays of whatever place has the objects, and not on those of the host alone."""
        return False

    def features(self, X: Any) -> Any:
        """Return the explicit map Φ, one row per object, with κ(x, z) = φ(x)ᵀφ(z).

        Raises
        ------
        TypeError
            If the kernel has no finite explicit map.
        """
        a = self.encoded(X)
        finite_norms(self, a)
        return features(self, a)

    def feature_names(self, inputs: Sequence[str]) -> list[str]:
        """Return the names of the explicit features, given those of the input columns."""
        return self._naming("names")(inputs)

    def named(self, a: Encoded, columns: Sequence[str] = ()) -> list[str]:
        """Return the names of the columns of ``phi(a)``, given those of the input columns where objects are vectors.

        `feature_names` answers the same of objects; here they are encoded, as a learner keeps them.

        >>> import gramian as gm
        >>> k = gm.Spectrum(length=2) + 1
        >>> k.named(k.encode(["bar", "bat"]))
        ['ar', 'at', 'ba', '1']
        """
        return self._naming("named")(a, columns)

    def _naming(self, how: str) -> Callable[..., list[str]]:
        if (naming := getattr(self.capabilities.features, how, None)) is None:
            raise TypeError(f"the features of {self!r} have no names")
        return cast(Callable[..., list[str]], naming)


def _where_they_are(norms: Callable[[Any, Encoded], Array]) -> Callable[[Any, Encoded], Array]:
    """Return a method that gives a number for each object, asked of the place that has the objects."""

    @wraps(norms)
    def asked(self: Any, a: Encoded) -> Array:
        return place_of(a).numbers(partial(norms, self), a)

    return asked
