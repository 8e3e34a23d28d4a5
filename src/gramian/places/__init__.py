"""Who evaluates formulas: the cores of this machine (`cores`); others need a folder of their own beside it.

A place is chosen by the data: `place_of` looks at encodings and says who has them.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from gramian.checks import Array
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula
from gramian.places.cores.fused import Fused, fused
from gramian.places.cores.interpret import Plan


class Prepared(Protocol):
    """An expression that a place is ready to evaluate."""

    @property
    def scratch(self) -> int:
        """How many arrays of the size of a tile it takes besides the answer."""

    def write(self, a: Encoded, b: Encoded, out: Array) -> None:
        """Write the values between the objects of a and those of b into out[i, j]."""

    def norms(self, a: Encoded) -> Array:
        """Return the values between each object and itself."""

    def of(self, values: Array) -> Array:
        """Replace values by this function of them, in place: an expression in `Given` alone."""


class Place(Protocol):
    """Who evaluates expressions, and on whose arrays."""

    name: str

    def prepare(self, formula: Formula) -> Prepared:
        """Return an expression ready to be evaluated many times."""

    def fuse(self, formula: Formula, rows: Encoded, cols: Encoded, dtype: np.dtype[Any]) -> Fused | None:
        """Return it between so many objects that to compile it is worth its time; None where it cannot be compiled."""


class Cores:
    """The cores of this machine, on NumPy arrays and sparse ones."""

    name = "cores"

    def prepare(self, formula: Formula) -> Prepared:
        return Plan(formula)

    def fuse(self, formula: Formula, rows: Encoded, cols: Encoded, dtype: np.dtype[Any]) -> Fused | None:
        return fused(formula, rows, cols, dtype)


CORES = Cores()


def place_of(a: Any) -> Place:
    """Return the place that has these encodings, or this array of values."""
    return CORES
