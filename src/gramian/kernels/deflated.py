"""Deflation: a kernel without its part along some directions (seed 000, "Projections and deflations", (5.8))."""

from __future__ import annotations

from functools import partial

import numpy as np

from gramian.checks import Array
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Dot, Formula
from gramian.gram.gram import Gram
from gramian.gram.traits import Traits
from gramian.kernels.algebra import Anchored, Kernel, remainder
from gramian.kernels.capabilities import Capabilities, Estimate, Norms
from gramian.kernels.declared import ARRAY, Kept
from gramian.kernels.value import ATOM, inside


class Deflated(Anchored):
    """The kernel of (I − W Wᵀ) φ(x): κ less its part along orthonormal w₁…w_r (seed 000, "Projections and deflations").

    κ̃(x, z) = κ(x, z) − Σⱼ ⟨wⱼ, φ(x)⟩ ⟨wⱼ, φ(z)⟩, with wⱼ = Σᵢ A[i, j] φ(xᵢ) over the reference sample.
    """

    coefficients: Array
    kept = Kept({"base": (Kernel,), "reference": (Gram,), "coefficients": ARRAY}, {"_reference_products": ARRAY})

    @property
    def traits(self) -> Traits:
        return self.base.traits.projected()

    @property
    def capabilities(self) -> Capabilities:
        base = self.base.capabilities.under(0)
        return Capabilities(
            features=None,
            product=base.product and base.product.without(1),
            logarithms=None,  # values may be negative
            estimate=base.estimate and Estimate(partial(_left, base.estimate.norms)),
            pairs=None,
        )

    def _products(self, gram: Gram) -> Array:
        return gram.apply(self.coefficients)

    @property
    def formula(self) -> Formula:
        return self.base.formula.under(0) - Dot(part=(1,))

    def squared_norms(self, a: Encoded) -> Array:
        return _left(lambda a: self.base.squared_norms(a.parts[0]), a)

    def __repr__(self) -> str:
        return f"{inside(self.base, ATOM)}.deflate(<{self.coefficients.shape[1]} directions>)"


def _left(of_base: Norms, a: Encoded) -> Array:
    """Return the squared norms that are left of those of the base kernel."""
    norms, G = of_base(a), a.parts[1]
    return remainder(norms - np.einsum("ij,ij->i", G, G), norms)
