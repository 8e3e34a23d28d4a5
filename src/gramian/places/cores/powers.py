"""Integer powers and polynomials of an array, in place.

``s ** q`` calls a general power function for every entry; repeated squaring needs about 2 log₂ q multiplications.
"""

from __future__ import annotations

from collections.abc import Sequence

from gramian.checks import Array


def power(s: Array, q: int) -> Array:
    """Raise s to the integer power q ≥ 1 in place.

    >>> import numpy as np
    >>> power(np.array([1.0, 2.0, -3.0]), 5)
    array([   1.,   32., -243.])
    """
    if q > 1:
        base = s.copy()
        for bit in bin(q)[3:]:
            s *= s
            if bit == "1":
                s *= base
    return s


def horner(s: Array, coefficients: Sequence[float]) -> Array:
    """Replace s by c₀ + c₁ s + c₂ s² + … in place.

    >>> import numpy as np
    >>> horner(np.array([0.0, 1.0, 2.0]), (1.0, 0.0, 3.0))
    array([ 1.,  4., 13.])
    """
    variable = s.copy()
    s[...] = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        s *= variable
        s += c
    return s
