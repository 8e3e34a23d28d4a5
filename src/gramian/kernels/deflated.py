"""Deflation: a kernel without its part along some directions (seed 000, "Projections and deflations", (5.8))."""

from __future__ import annotations

import numpy as np

from gramian.checks import Array
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Dot, Formula
from gramian.gram.gram import Gram
from gramian.kernels.algebra import Anchored, remainder
from gramian.kernels.value import ATOM, inside


class Deflated(Anchored):
    """The kernel of (I − W Wᵀ) φ(x): κ less its part along orthonormal w₁…w_r (seed 000, "Projections and deflations").

    κ̃(x, z) = κ(x, z) − Σⱼ ⟨wⱼ, φ(x)⟩ ⟨wⱼ, φ(z)⟩, with wⱼ = Σᵢ A[i, j] φ(xᵢ) over the reference sample.
    """

    coefficients: Array

    @property
    def radius(self) -> float:
        return self.base.radius

    def _products(self, gram: Gram) -> Array:
        return gram.apply(self.coefficients)

    @property
    def formula(self) -> Formula:
        return self.base.formula.under(0) - Dot(part=(1,))

    def squared_norms(self, a: Encoded) -> Array:
        base, G = a
        norms = self.base.squared_norms(base)
        return remainder(norms - np.einsum("ij,ij->i", G, G), norms)

    def __repr__(self) -> str:
        return f"{inside(self.base, ATOM)}.deflate(<{self.coefficients.shape[1]} directions>)"
