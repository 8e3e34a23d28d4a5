"""An expression written as code, whatever the language of the place: what compiled passes of all places share.

Constant factors are moved inwards, up to a parameter that takes them for nothing. Numbers of the expression become
arguments of the pass, and so does what belongs to rows or to columns alone: kernels of one form share a source,
whatever their parameters.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from gramian.formula import expression as ex
from gramian.formula.expression import Formula

LOG2E = math.log2(math.e)
LARGEST_POWER, LONGEST_POLYNOMIAL, MOST_PARTS = 64, 32, 64  # beyond, an expression is not compiled
SINGLE_EXPONENT, DOUBLE_EXPONENT = 125, 1021  # of powers of two up to which their inverses have all digits
NEAR = 2.0**16  # bandwidths further apart than this have units of their own, so that no square leaves its range


class NoSourceError(TypeError):
    """Raised for an expression that has no compiled form."""


class Writer(ABC):
    """Writes an expression line by line; a place says how its language compares points, and takes exponentials."""

    bounded: ClassVar[tuple[str, str]]  # the larger and the smaller of two, in the language of the place

    formula: Formula
    in_single: bool
    numbers: list[float]
    of_rows: list[Formula]
    of_columns: list[Formula]

    def _begin(self) -> None:
        if sum(1 for _ in self.formula.walk()) > MOST_PARTS:
            raise NoSourceError("the expression is too large to be compiled")
        self._lines: list[str] = []
        self._known: dict[tuple[Formula, float], str] = {}

    @abstractmethod
    def _own(self, f: Formula, times: float) -> str | None:
        """Return `times` · f where the place knows how, as of leaves that compare points; None elsewhere."""

    @abstractmethod
    def _function(self, f: Formula) -> str | None:
        """Return an exponential or a root; None for anything else."""

    def _emit(self, f: Formula, times: float) -> str:
        """Return the name of `times` · f, after writing the lines that compute it."""
        key = f, times
        if key not in self._known:
            code = self._code(f, times)
            self._known[key] = f"u{len(self._known)}"
            self._lines.append(f"{self._known[key]} = {code}")
        return self._known[key]

    def _number(self, value: float) -> str:
        limits = np.finfo(np.float32 if self.in_single else np.float64)
        if value and not float(limits.tiny) <= abs(value) <= float(limits.max):
            raise NoSourceError(f"{value:g} has no place among numbers of this precision")
        self.numbers.append(value)
        return f"p{len(self.numbers) - 1}"

    def _code(self, f: Formula, times: float) -> str:
        if times == 1 and not f.of_pairs:
            leaves = {type(one) for one in f.walk()} & {ex.OfRow, ex.OfColumn}
            if leaves == {ex.OfRow}:
                return f"r{_place(self.of_rows, f)}"
            if leaves == {ex.OfColumn}:
                return f"c{_place(self.of_columns, f)}"
        if (code := self._own(f, times)) is not None:
            return code
        match f:
            case ex.Number(value):
                return self._number(times * value)
            case ex.Plus(left, right) if times == 1 or _takes_factors(f):
                return f"{self._emit(left, times)} + {self._emit(right, times)}"
            case ex.Times(left, ex.Number(value)) | ex.Times(ex.Number(value), left):
                return self._emit(left, times * value)
            case ex.Times(left, right) if times == 1:
                return f"{self._emit(left, 1.0)} * {self._emit(right, 1.0)}"
            case ex.AtLeast(value, bound) | ex.AtMost(value, bound) if times == 1 or (times > 0 and _takes_factors(f)):
                larger, smaller = self.bounded
                of_two = larger if isinstance(f, ex.AtLeast) else smaller
                return f"{of_two}({self._emit(value, times)}, {self._number(times * bound)})"
        if times != 1:
            return f"{self._emit(f, 1.0)} * {self._number(times)}"
        return self._alone(f)

    def _alone(self, f: Formula) -> str:
        if (code := self._function(f)) is not None:
            return code
        match f:
            case ex.Power(base, degree) if degree <= LARGEST_POWER:
                return self._power(self._emit(base, 1.0), degree)
            case ex.Polynomial(base, coefficients) if len(coefficients) <= LONGEST_POLYNOMIAL:
                variable = self._emit(base, 1.0)
                code = self._number(coefficients[-1])
                for c in reversed(coefficients[:-1]):
                    code = f"({code} * {variable} + {self._number(c)})"
                return code
        raise NoSourceError(f"{f!r} has no compiled form")

    def _power(self, base: str, degree: int) -> str:
        """Square and multiply."""
        code = base
        for bit in bin(degree)[3:]:
            name = f"w{len(self._lines)}"
            self._lines.append(f"{name} = {code}")
            code = f"{name} * {name}" + (f" * {base}" if bit == "1" else "")
        return code

    def _unit(self, sigma: float) -> float:
        """Return the power of two next to a bandwidth, by which points are divided without an error."""
        exponent = round(math.log2(sigma))
        if abs(exponent) > (SINGLE_EXPONENT if self.in_single else DOUBLE_EXPONENT):
            raise NoSourceError(f"{sigma} has no inverse in this precision")
        return math.ldexp(1.0, exponent)


def _takes_factors(f: Formula) -> bool:
    """Tell whether a constant factor can be moved into parameters of f, which takes no time and rounds nothing twice.

    Factors of anything else stay outside: c (κ₁ κ₂) may have a place among numbers where (c κ₁) κ₂ has none.
    """
    match f:
        case ex.Number() | ex.SquaredDistance() | ex.CityBlock():
            return True
        case ex.Times(inner, ex.Number()) | ex.Times(ex.Number(), inner) | ex.AtLeast(inner, _) | ex.AtMost(inner, _):
            return _takes_factors(inner)
        case ex.Plus(left, right):
            return _takes_factors(left) and _takes_factors(right)
    return False


def _place(known: list[Any], wanted: Any) -> int:
    if wanted not in known:
        known.append(wanted)
    return known.index(wanted)
