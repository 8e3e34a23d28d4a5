"""Dynamic programs on pairs of sequences, compiled.

Values of the all-subsequences kernel grow like 2ⁿ. They are carried as a number and a power of two, so that what is
normalized afterwards never leaves the range of double precision.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

LIMB = 512  # a value is number × 2^(LIMB × limbs), the number kept between 2^−256 and 2^256
SHRINK, LARGE = 2.0**-LIMB, 2.0 ** (LIMB // 2)


@njit(cache=True, nogil=True)
def _plus(x, x_limbs, y, y_limbs):  # type: ignore[no-untyped-def]
    """Return the sum of two values, each a number and how many limbs it is scaled by."""
    if x_limbs < y_limbs:
        x, x_limbs, y, y_limbs = y, y_limbs, x, x_limbs
    if x_limbs == y_limbs:
        x += y
    elif x_limbs == y_limbs + 1:
        x += y * SHRINK
    if x > LARGE:
        x *= SHRINK
        x_limbs += 1
    return x, x_limbs


@njit(cache=True, nogil=True)
def all_subsequences(s, t, row, limbs):  # type: ignore[no-untyped-def]
    """Return κ(s, t), the number of pairs of equal subsequences, the empty one included, and its limbs; O(|s| |t|).

    K(i, j) = K(i − 1, j) + Σ_{k ≤ j, t_k = s_i} K(i − 1, k − 1), held one row at a time. The entries of a row are of
    very different sizes, and the small ones matter later, so each has a scale of its own.
    """
    m = len(t)
    row[: m + 1] = 1.0
    limbs[: m + 1] = 0
    for symbol in s:
        matched, matched_limbs = 0.0, 0
        left, left_limbs = row[0], limbs[0]
        for j in range(1, m + 1):
            above, above_limbs = row[j], limbs[j]
            if t[j - 1] == symbol:
                matched, matched_limbs = _plus(matched, matched_limbs, left, left_limbs)
            row[j], limbs[j] = _plus(above, above_limbs, matched, matched_limbs)
            left, left_limbs = above, above_limbs
    return row[m], limbs[m]


@njit(cache=True, nogil=True)
def subsequences(s, t, length, decay, rows):  # type: ignore[no-untyped-def]
    """Return κ(s, t) = Σ over equal subsequences of the given length of decay^(span in s + span in t); O(p |s| |t|).

    rows[q, j] is the weight of the matches of q symbols that reach up to here, at symbol i of s and j of t, each with
    its spans prolonged to i and to j; a match of one more symbol ends them. Longer matches are updated first, for they
    need the shorter ones as they were one symbol of s before.
    """
    m = len(t)
    rows[0, : m + 1] = 1.0
    rows[1 : length + 1, : m + 1] = 0.0
    total = 0.0
    for symbol in s:
        for q in range(length, 0, -1):
            along = 0.0
            for j in range(1, m + 1):
                along *= decay
                if symbol == t[j - 1]:
                    ended = decay * decay * rows[q - 1, j - 1]
                    along += ended
                    if q == length:
                        total += ended
                rows[q, j] = decay * rows[q, j] + along
    return total


@njit(cache=True, nogil=True)
def all_subsequences_table(a, a_starts, b, b_starts, diagonal, logarithms, out):  # type: ignore[no-untyped-def]
    """Write κ of every pair of two runs, or its logarithm, into out; with `diagonal`, of each of a with itself."""
    width = np.diff(b_starts).max() + 1
    row, limbs = np.empty(width), np.empty(width, np.int64)
    for i in range(len(a_starts) - 1):
        s = a[a_starts[i] : a_starts[i + 1]]
        for j in range(1 if diagonal else len(b_starts) - 1):
            t = s if diagonal else b[b_starts[j] : b_starts[j + 1]]
            number, scale = all_subsequences(s, t, row, limbs)
            out[i, j] = np.log(number) + scale * LIMB * np.log(2.0) if logarithms else math.ldexp(number, LIMB * scale)


@njit(cache=True, nogil=True)
def subsequences_table(a, a_starts, b, b_starts, length, decay, diagonal, out):  # type: ignore[no-untyped-def]
    """Write κ of every pair of two runs of sequences into out; with `diagonal`, of each of a with itself."""
    rows = np.empty((length + 1, np.diff(b_starts).max() + 1))
    for i in range(len(a_starts) - 1):
        s = a[a_starts[i] : a_starts[i + 1]]
        for j in range(1 if diagonal else len(b_starts) - 1):
            t = s if diagonal else b[b_starts[j] : b_starts[j + 1]]
            out[i, j] = 0.0 if min(len(s), len(t)) < length else subsequences(s, t, length, decay, rows)
