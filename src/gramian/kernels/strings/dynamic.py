"""Dynamic programs on pairs of sequences, compiled.

Values of the all-subsequences kernel grow like 2ⁿ. They are carried as a number and a power of two, so that what is
normalized afterwards never leaves the range of double precision.
"""

from __future__ import annotations

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
    """Return log κ(s, t), κ the number of pairs of equal subsequences, the empty one included; O(|s| |t|).

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
    return np.log(row[m]) + limbs[m] * LIMB * np.log(2.0)


@njit(cache=True, nogil=True)
def subsequences(s, t, length, decay, now, before):  # type: ignore[no-untyped-def]
    """Return κ(s, t) = Σ over equal subsequences of the given length of decay^(span in s + span in t); O(p |s| |t|).

    `before` holds the weight of the matches of q − 1 symbols that reach up to (i, j), each with its spans prolonged to
    i and to j; a match of one more symbol at (i, j) ends them there.
    """
    n, m = len(s), len(t)
    before[: n + 1, : m + 1] = 1.0
    total = 0.0
    for _ in range(length):
        now[: n + 1, : m + 1] = 0.0
        total = 0.0
        for i in range(1, n + 1):
            along = 0.0
            for j in range(1, m + 1):
                along *= decay
                if s[i - 1] == t[j - 1]:
                    ended = decay * decay * before[i - 1, j - 1]
                    along += ended
                    total += ended
                now[i, j] = decay * now[i - 1, j] + along
        before[: n + 1, : m + 1] = now[: n + 1, : m + 1]
    return total


@njit(cache=True, nogil=True)
def all_subsequences_table(a, a_starts, b, b_starts, out):  # type: ignore[no-untyped-def]
    """Write log κ of every pair of two runs of sequences into out."""
    width = np.diff(b_starts).max() + 1
    row, limbs = np.empty(width), np.empty(width, np.int64)
    for i in range(len(a_starts) - 1):
        for j in range(len(b_starts) - 1):
            out[i, j] = all_subsequences(a[a_starts[i] : a_starts[i + 1]], b[b_starts[j] : b_starts[j + 1]], row, limbs)


@njit(cache=True, nogil=True)
def subsequences_table(a, a_starts, b, b_starts, length, decay, out):  # type: ignore[no-untyped-def]
    """Write κ of every pair of two runs of sequences into out."""
    shape = (np.diff(a_starts).max() + 1, np.diff(b_starts).max() + 1)
    now, before = np.empty(shape), np.empty(shape)
    for i in range(len(a_starts) - 1):
        for j in range(len(b_starts) - 1):
            s, t = a[a_starts[i] : a_starts[i + 1]], b[b_starts[j] : b_starts[j + 1]]
            out[i, j] = subsequences(s, t, length, decay, now, before)


@njit(cache=True, nogil=True)
def all_subsequences_diagonal(a, starts, out):  # type: ignore[no-untyped-def]
    """Write log κ of every sequence with itself into out."""
    width = np.diff(starts).max() + 1
    row, limbs = np.empty(width), np.empty(width, np.int64)
    for i in range(len(starts) - 1):
        s = a[starts[i] : starts[i + 1]]
        out[i] = all_subsequences(s, s, row, limbs)


@njit(cache=True, nogil=True)
def subsequences_diagonal(a, starts, length, decay, out):  # type: ignore[no-untyped-def]
    """Write κ of every sequence with itself into out."""
    side = np.diff(starts).max() + 1
    now, before = np.empty((side, side)), np.empty((side, side))
    for i in range(len(starts) - 1):
        s = a[starts[i] : starts[i + 1]]
        out[i] = subsequences(s, s, length, decay, now, before)
