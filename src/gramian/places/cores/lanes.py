"""Exponentials for compiled passes.

They are put into the loops that call them, and have neither calls nor branches, so that the compiler turns these loops
into vector instructions, a lane for each pair of points.
"""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

EXACT = {"contract", "nsz"}  # what the compiler may do where the order of operations matters
SUMS = {"contract", "nsz", "reassoc"}  # and where sums may be taken in any fixed order


def _fitted(degree: int) -> list[float]:
    """Return the coefficients, the highest first, of a polynomial that is 2^r for |r| ≤ ½, by Chebyshev's series.

    The series of exp(a x) has twice the Bessel functions I_k(a) for coefficients, each of them a series of its own
    with all digits.
    """
    half = np.log(2) / 4
    bessel = [
        sum(half ** (2 * m + k) / (factorial(m) * factorial(m + k)) for m in range(12)) for k in range(degree + 1)
    ]
    powers = np.polynomial.chebyshev.cheb2poly([bessel[0], *(2 * one for one in bessel[1:])])
    return [float(np.ldexp(c, k)) for k, c in enumerate(powers)][::-1]


# The errors of these degrees are below a twentieth of a rounding.
_A6, _A5, _A4, _A3, _A2, _A1, _A0 = (np.float32(c) for c in _fitted(6))
_B11, _B10, _B9, _B8, _B7, _B6, _B5, _B4, _B3, _B2, _B1, _B0 = _fitted(11)
_LEAST32, _MOST32 = np.float32(-125), np.float32(128)
_ZERO32, _INFINITE32 = np.float32(0), np.float32(np.inf)
# Added to a number, these round it to an integer, which then stands in the last bits of the sum: no conversion is
# needed, for which AVX2 has no instruction in double precision.
_ROUNDS32, _ROUNDS64 = np.float32(1.5 * 2**23), 1.5 * 2.0**52


def _reinterpreted(given: Any, wanted: Any, as_ir: Any) -> Any:
    """Return a function that takes the bits of one type of numbers for another type."""

    @intrinsic
    def taken(typing: Any, bits: Any) -> Any:
        return wanted(given), lambda context, builder, signature, args: builder.bitcast(args[0], as_ir)

    return taken


_single_of_bits = _reinterpreted(types.int32, types.float32, ir.FloatType())
_bits_of_single = _reinterpreted(types.float32, types.int32, ir.IntType(32))
_double_of_bits = _reinterpreted(types.int64, types.float64, ir.DoubleType())
_bits_of_double = _reinterpreted(types.float64, types.int64, ir.IntType(64))


@njit(fastmath=EXACT, inline="always")
def _within_single(t):  # type: ignore[no-untyped-def]
    """Return 2^t in single precision for −125 ≤ t ≤ 128, where the last of them need not be finite."""
    shifted = t + _ROUNDS32
    r = t - (shifted - _ROUNDS32)
    p = (((((_A6 * r + _A5) * r + _A4) * r + _A3) * r + _A2) * r + _A1) * r + _A0
    return _single_of_bits(_bits_of_single(p) + (_bits_of_single(shifted) << np.int32(23)))


@njit(fastmath=EXACT, inline="always")
def _within_double(t):  # type: ignore[no-untyped-def]
    """Return 2^t in double precision for −1021 ≤ t ≤ 1024, where the last of them need not be finite."""
    shifted = t + _ROUNDS64
    r = t - (shifted - _ROUNDS64)
    p = (((((_B11 * r + _B10) * r + _B9) * r + _B8) * r + _B7) * r + _B6) * r + _B5
    p = ((((p * r + _B4) * r + _B3) * r + _B2) * r + _B1) * r + _B0
    return _double_of_bits(_bits_of_double(p) + (_bits_of_double(shifted) << np.int64(52)))


@njit(fastmath=EXACT, inline="always")
def fall2_single(t):  # type: ignore[no-untyped-def]
    """Return 2^t in single precision for t ≤ 0, without a look at the upper end: 0 below 2⁻¹²⁵."""
    p = _within_single(max(t, _LEAST32))
    return p if t >= _LEAST32 else _ZERO32


@njit(fastmath=EXACT, inline="always")
def fall2_double(t):  # type: ignore[no-untyped-def]
    """Return 2^t in double precision for t ≤ 0, without a look at the upper end: 0 below 2⁻¹⁰²¹."""
    p = _within_double(max(t, -1021.0))
    return p if t >= -1021.0 else 0.0


@njit(fastmath=EXACT, inline="always")
def exp2_single(t):  # type: ignore[no-untyped-def]
    """Return 2^t in single precision: 0 below 2⁻¹²⁵, infinity from 2¹²⁸ on."""
    p = _within_single(min(max(t, _LEAST32), _MOST32))
    p = p if t >= _LEAST32 else _ZERO32
    return p if t < _MOST32 else _INFINITE32


@njit(fastmath=EXACT, inline="always")
def exp2_double(t):  # type: ignore[no-untyped-def]
    """Return 2^t in double precision: 0 below 2⁻¹⁰²¹, infinity from 2¹⁰²⁴ on."""
    p = _within_double(min(max(t, -1021.0), 1024.0))
    p = p if t >= -1021.0 else 0.0
    return p if t < 1024.0 else np.inf
