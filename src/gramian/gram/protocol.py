"""What the Gram operator asks of a kernel, and nothing more."""

from __future__ import annotations

from typing import Any, Protocol

from gramian.checks import Array
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula
from gramian.gram.traits import Traits
from gramian.places import Place, Prepared


class Similarity(Protocol):
    """The part of a kernel that works on encodings."""

    @property
    def too_large(self) -> str:
        """What to do where κ(x, x) overflows."""

    @property
    def formula(self) -> Formula:
        """κ as an expression in the parts of encodings."""

    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        """Write κ(xᵢ, zⱼ) into out[i, j]."""

    def prepared(self, place: Place) -> Prepared:
        """Return the formula as a place has prepared it."""

    def squared_norms(self, a: Encoded) -> Array:
        """κ(x, x) = ‖φ(x)‖² of each object."""

    def value_type(self, a: Encoded) -> Any:
        """Return the type of the numbers κ(x, z)."""

    def rough_norms(self, a: Encoded) -> Array:
        """κ(x, x), or an estimate of it where it is expensive."""

    @property
    def traits(self) -> Traits:
        """What is known of κ whatever the objects."""

    def rough_mean(self, a: Encoded) -> float:
        """The mean of `rough_norms`."""

    def leading_pairs(self, a: Encoded, count: int) -> tuple[Array, Array] | None:
        """Eigenpairs of K for its largest eigenvalues, where there is a way to them that is shorter than products."""

    @property
    def radius(self) -> float:
        """A bound on √κ(x, x) over all objects there can be, or infinity."""

    @property
    def matrix_free(self) -> bool:
        """Whether `multiply` is there."""

    @property
    def few_products(self) -> bool:
        """Whether few products with K are all that will be asked for, so that it need not be kept."""

    def multiply(self, a: Encoded, b: Encoded, V: Array) -> Array:
        """Return K V, without going through the entries of K."""

    def feature_dim(self, a: Encoded) -> int | None:
        """Dimension of the explicit map φ, None where it is infinite or of no use."""

    def feature_load(self, a: Encoded) -> float:
        """How many numbers φ(x) takes on the average."""

    def explicit(self, a: Encoded) -> bool:
        """Tell whether φ is so small that φ(x) itself is worked with, and no Gram is made."""

    @property
    def phi_in_place(self) -> bool:
        """Whether `phi` works on the arrays of whatever place has the objects."""

    def phi(self, a: Encoded) -> Any:
        """Return the explicit features Φ, one row per object, dense or sparse."""

    def scale(self, a: Encoded) -> float:
        """Return the largest κ(x, x) that values between these objects are computed from."""

    def accuracy(self, dtype: Any) -> float:
        """Return the error of an entry relative to κ(x, x)."""

    def center(self, reference: Any) -> Derived:
        """Return the kernel whose origin is the centre of mass of `reference`."""

    def normalize(self) -> Derived:
        """Return the kernel with every φ(x) scaled to norm one."""

    def __mul__(self, other: Any) -> Any:
        """Return the kernel with every value multiplied by a constant."""

    def __add__(self, other: Any) -> Any:
        """Return the kernel with a constant added to every value."""


class Derived(Similarity, Protocol):
    """A kernel made from another one, whose encodings it can take over."""

    def lift(self, base: Encoded) -> Encoded:
        """Turn encodings of the base kernel into encodings of this one."""
