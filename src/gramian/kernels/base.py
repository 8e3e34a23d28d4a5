"""The protocol of a kernel, κ(x, z) = ⟨φ(x), φ(z)⟩: encode once, multiply tile by tile.

A kernel answers two questions. What can be worked out of each object alone (`encode`)? What is κ, as an expression in
what was worked out (`formula`)? Tiles, diagonals, dense matrices, lazy Grams, products, centring and geometry are
derived from these two. Where κ has no expression the kernel fills tiles itself (`block`) and gives the diagonal
(`squared_norms`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from gramian.checks import Array
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula, Opaque
from gramian.gram.gram import Gram, features, finite_norms
from gramian.gram.protocol import Derived
from gramian.gram.there import gram_of
from gramian.kernels.value import ATOM, Value, inside
from gramian.places import Place, Prepared, place_of, there

FEW_FEATURES = 64
MANY_FEATURES = 2**62  # beyond which it does not matter how many there are, and a float may not hold it


class BaseKernel(Value, ABC):
    """The protocol: two methods to write, or three, and what follows from them."""

    @abstractmethod
    def encode(self, X: Any) -> Encoded:
        """Validate objects and do the work that belongs to each of them alone, in O(n)."""

    def encoded(self, X: Any) -> Encoded:
        """Return what `encode` does, vectors in the place that has the objects."""
        return there(self.encode(X), place_of(X))

    @property
    def formula(self) -> Formula:
        """κ as an expression in the parts of encodings; where a kernel does not say, a block that it fills itself."""
        if type(self).block is BaseKernel.block or type(self).squared_norms is BaseKernel.squared_norms:
            raise TypeError(f"{type(self).__name__} says nothing of κ: write formula, or block and squared_norms")
        return Opaque(block=self.block, norms=self.squared_norms, scratch=self.scratch)

    def prepared(self, place: Place) -> Prepared:
        """Return the formula as a place has prepared it, once."""
        plans: dict[str, Prepared] = getattr(self, "_plans", {})
        if place.name not in plans:
            plans = {**plans, place.name: place.prepare(self.formula)}
            object.__setattr__(self, "_plans", plans)
        return plans[place.name]

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
        if self.by_logarithms:
            return f"take {inside(self, ATOM)}.normalize(), which is computed without overflow"
        if self._of_numbers:
            return "rescale the data, or normalize the kernel's input"
        return "normalize the kernels that it is made of first, or leave out the objects that are too long or too large"

    @property
    def _of_numbers(self) -> bool:
        inner = self._inner().values()
        return all(k._of_numbers for k in inner) if inner else self.on_vectors

    @property
    def on_vectors(self) -> bool:
        """Whether the objects are rows of numbers: known of the package's kernels, and of what is made of them."""
        inner = self._inner().values()
        return bool(inner) and all(k.on_vectors for k in inner)

    @property
    def by_name(self) -> bool:
        """Whether the objects are records whose fields are taken by name, so that their order does not matter."""
        inner = self._inner().values()
        return bool(inner) and all(k.by_name for k in inner)

    @property
    def radius(self) -> float:
        """A bound on ‖φ(x)‖ = √κ(x, x) over all objects there can be, the least one known; infinite if there is none.

        >>> import gramian as gm
        >>> (4 * gm.Gaussian()).radius, gm.Linear().radius
        (2.0, inf)
        """
        return math.inf

    @property
    def norms_checked(self) -> bool:
        """Whether `encode` has seen to it that κ(x, x) is finite, so that a Gram need not look."""
        return False

    @property
    def non_negative(self) -> bool:
        """Whether κ(x, z) ≥ 0 is known for every pair of objects.

        >>> import gramian as gm
        >>> gm.Gaussian().non_negative, gm.Linear().non_negative
        (True, False)
        """
        return False

    def _inner(self) -> dict[str, BaseKernel]:
        """Return the kernels this one is made of, by the names of its parameters."""
        return {name: k for name, k in self.params().items() if isinstance(k, BaseKernel)}

    @property
    def scratch(self) -> int:
        """How many arrays of the size of `out` a `block` of its own needs besides it, for the memory budget."""
        return 1

    @property
    def dear(self) -> bool:
        """Whether a single entry takes long, so that even a small matrix is worth sharing out among the cores."""
        return any(k.dear for k in self._inner().values())

    @property
    def matrix_free(self) -> bool:
        """Whether `multiply` gives products with K that do not go through its entries."""
        return False

    def multiply(self, a: Encoded, b: Encoded, V: Array) -> Array:
        """Return K V in float64, K the values between the objects of a and of b; where `matrix_free` says so."""
        raise TypeError(f"{self!r} is multiplied through its entries")

    @property
    def by_logarithms(self) -> bool:
        """Whether values may be too large for a number, and `logarithms` and `log_norms` give log κ instead."""
        return False

    def logarithms(self, a: Encoded, b: Encoded, out: Array) -> None:
        """Write log κ(xᵢ, zⱼ) into out, for a kernel that is `non_negative`; −∞ for 0."""
        self.block(a, b, out)
        with np.errstate(divide="ignore"):
            np.log(out, out=out)

    def log_norms(self, a: Encoded) -> Array:
        """Return log κ(x, x) of each object; −∞ for 0."""
        with np.errstate(divide="ignore", over="ignore"):
            return np.log(self.squared_norms(a))

    @property
    def whole_columns(self) -> bool:
        """Whether a few columns of K cost as much in part as in whole, so that `block` is best asked for all rows."""
        return any(k.whole_columns for k in self._inner().values())

    def value_type(self, a: Encoded) -> np.dtype[Any]:
        """Return the type of the numbers κ(x, z) of such objects."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.dtype(self.squared_norms(a[:1]).dtype)

    def rough_norms(self, a: Encoded) -> Array:
        """Return `squared_norms`, or where these are dear an unbiased estimate, good for choosing objects by it."""
        return self.squared_norms(a)

    def scale(self, a: Encoded) -> float:
        """Return the largest κ(x, x) that values between these objects are computed from."""
        return float((self.rough_norms(a) if self.whole_columns else self.squared_norms(a)).max())

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
            kernel = self.fit(X)
            return gram_of(kernel, kernel.encoded(X), memory=memory)
        return gram_of(self, self.encoded(X), self.encoded(Z), memory=memory)

    def __call__(self, X: Any, Z: Any = None) -> Array:
        """Return the dense matrix κ(xᵢ, zⱼ), n × m."""
        return self.gram(X, Z).dense()

    def diag(self, X: Any) -> Array:
        """Return κ(x, x) for every object of X, in O(n)."""
        return self.gram(X).diag()

    def feature_dim(self, a: Encoded) -> int | None:
        """Return the dimension of the explicit map for such objects, None where there is none to use."""
        return None

    def explicit(self, a: Encoded) -> bool:
        """Tell whether φ is so small, and objects so dense, that φ(x) itself is as good to work with as κ.

        Far from the origin it is better: differences of φ keep digits that differences of κ cancel.
        """
        dim = self.feature_dim(a)
        return dim is not None and dim <= max(FEW_FEATURES, a.width) and not a.sparse and not a.open

    def feature_load(self, a: Encoded) -> float:
        """Return how many numbers φ(x) takes on the average: all, or those of encodings that are φ(x) already."""
        dim = self.feature_dim(a) or 0
        return a.load if a.sparse and dim <= a.width else float(min(dim, MANY_FEATURES))

    @property
    def phi_in_place(self) -> bool:
        """Whether `phi` works on the arrays of whatever place has the objects, and not on those of the host alone."""
        return False

    def phi(self, a: Encoded) -> Any:
        """Return the explicit features of encoded objects, one row each."""
        raise TypeError(
            f"{self!r} has no explicit feature map: work with inner products (gram), or with the coordinates "
            "that EmpiricalMap, MercerMap and CholeskyMap give"
        )

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
        raise TypeError(f"the features of {self!r} have no names")

    def named(self, a: Encoded, columns: Sequence[str] = ()) -> list[str]:
        """Return the names of the columns of ``phi(a)``, given those of the input columns where objects are vectors.

        `feature_names` answers the same of objects; here they are encoded, as a learner keeps them.

        >>> import gramian as gm
        >>> k = gm.Spectrum(length=2) + 1
        >>> k.named(k.encode(["bar", "bat"]))
        ['ar', 'at', 'ba', '1']
        """
        return self.feature_names(columns)
