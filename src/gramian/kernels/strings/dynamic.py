"""Dynamic programs on pairs of sequences, compiled.

Values of the all-subsequences kernel grow like 2ⁿ. They are carried as a number and a power of two, so that what is
normalized afterwards never leaves the range of double precision.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

LANES = 32  # pairs of sequences that are worked on at once
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
def subsequences(S, T, length, decay, rows, weights, along, total):  # type: ignore[no-untyped-def]
    """Write κ(s, t) of many pairs at once into total, O(p |s| |t|) each.

    κ is the sum over equal subsequences of p symbols of decay^(span in s + span in t). The sequences of S and of T
    stand in columns, a lane for each pair, with symbols that match nothing beyond their ends. rows[q, j] is the weight
    of the matches of q symbols that reach up to here, at symbol i of s and j of t, each with its spans prolonged to i
    and to j; one symbol more ends them, and starts to be prolonged itself. Longer matches are updated first, for they
    need the shorter ones as they were one symbol of s before.
    """
    m, lanes = T.shape
    square = decay * decay
    rows[0, : m + 1] = 1.0
    rows[1:length, : m + 1] = 0.0
    total[:] = 0.0
    longest = rows[length - 1]
    for i in range(len(S)):
        for j in range(m):
            for lane in range(lanes):
                weights[j, lane] = square if S[i, lane] == T[j, lane] else 0.0
            for lane in range(lanes):
                total[lane] += weights[j, lane] * longest[j, lane]
        for q in range(length - 1, 0, -1):
            shorter, longer = rows[q - 1], rows[q]
            along[:] = 0.0
            for j in range(m):
                for lane in range(lanes):
                    reached = decay * along[lane] + weights[j, lane] * shorter[j, lane]
                    along[lane] = reached
                    longer[j + 1, lane] = decay * longer[j + 1, lane] + reached


@njit(cache=True, nogil=True)
def subsequence_weights(codes, starts, symbols, length, decay, Phi):  # type: ignore[no-untyped-def]
    """Write Σ decay^(span) over the ways in which u is a subsequence into Phi, for every u of `length` symbols.

    The number of u is Σₖ uₖ symbols^k: the strings that end with a given symbol stand side by side. before[q] holds,
    for every string of q symbols, the weight of its matches so far, prolonged to this place. Codes of `symbols` or
    more match nothing.
    """
    first = np.zeros(length + 1, np.int64)  # where the strings of q symbols begin
    for q in range(length):
        first[q + 1] = first[q] + symbols**q
    before = np.empty(first[length])
    for row in range(len(starts) - 1):
        before[0] = 1.0
        before[1:] = 0.0
        Phi[row] = 0.0
        for place in range(starts[row], starts[row + 1]):
            code = codes[place]
            known = code < symbols
            if known:
                shift = code * symbols ** (length - 1)
                for k in range(first[length] - first[length - 1]):
                    Phi[row, shift + k] += decay * before[first[length - 1] + k]
            for q in range(length - 1, 0, -1):
                for k in range(first[q], first[q + 1]):
                    before[k] *= decay
                if known:
                    shift = first[q] + code * symbols ** (q - 1)
                    for k in range(first[q] - first[q - 1]):
                        before[shift + k] += decay * before[first[q - 1] + k]


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
    long_a, long_b = np.diff(a_starts).max(), np.diff(b_starts).max()
    n, width = len(a_starts) - 1, 1 if diagonal else len(b_starts) - 1
    most = min(LANES, n * width)
    S, T = np.empty((long_a, most), np.int32), np.empty((long_b, most), np.int32)
    rows, weights = np.empty((length, long_b + 1, most)), np.empty((long_b, most))
    along, total = np.empty(most), np.empty(most)
    for first in range(0, n * width, most):
        lanes = min(most, n * width - first)
        S[:], T[:] = -1, -2
        used_a, used_b = 0, 0
        for lane in range(lanes):
            i, j = (first + lane) // width, (first + lane) % width
            used_a = max(used_a, _copy(a, a_starts, i, S[:, lane]))
            used_b = max(used_b, _copy(b, b_starts, i if diagonal else j, T[:, lane]))
        subsequences(S[:used_a], T[:used_b], length, decay, rows, weights, along, total)
        for lane in range(lanes):
            out[(first + lane) // width, (first + lane) % width] = total[lane]


@njit(cache=True, nogil=True)
def _copy(codes, starts, which, column):  # type: ignore[no-untyped-def]
    """Write a sequence into a column and return its length."""
    n = starts[which + 1] - starts[which]
    for place in range(n):
        column[place] = codes[starts[which] + place]
    return n
