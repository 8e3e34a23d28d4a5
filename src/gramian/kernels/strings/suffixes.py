"""The suffix array of sequences set end to end: what they have in common, in linear time and memory. Compiled.

Every piece of s begins a suffix of s, so with W(ℓ) = Σ_{k ≤ ℓ} w(k), w the weight of a piece by its length,

    κ(s, t) = Σ_u w(|u|) count_s(u) count_t(u) = Σ_{suffixes i of s, j of t} W(lcp(i, j)),

lcp the length of the longest common beginning. In sorted order the lcp of two suffixes is the smallest of those between
neighbours, so a sweep up through the order and one down add up κ of s with all the others.

Suffixes are sorted by induction (Nong, Zhang and Chan 2009). A suffix is *rising* if it is smaller than the one that
begins a place later. Once the rising ones that follow a falling one, the *valleys*, are in order, one sweep up puts the
falling suffixes in their places and one sweep down the rising ones. The valleys, no more than half of all, are sorted
by naming the pieces from one to the next and sorting the sequence of names in the same way.

It takes about 30 bytes a symbol and walks most of them in order, so that it stays fast when nothing fits the caches.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _valley(marked, p):  # type: ignore[no-untyped-def]
    """Tell whether the suffix at p rises and the one before it falls."""
    return p > 0 and marked[p] & 1 == 1 and marked[p - 1] & 1 == 0


@njit(cache=True, nogil=True)
def _induced(marked, starts, falling, valleys):  # type: ignore[no-untyped-def]
    """Return all suffixes in order, given the valleys in order.

    Each symbol has a stretch of the order, from ``starts`` on: first its falling suffixes, so many, then the rising.
    """
    n = len(marked)
    order = np.full(n, -1, np.int32)
    room = starts[:-1].copy()
    for symbol in range(len(falling)):
        room[symbol] += falling[symbol]
    for p in valleys:
        symbol = marked[p] >> 1
        order[room[symbol]] = p
        room[symbol] += 1
    room[:] = starts[:-1]
    symbol = marked[n - 1] >> 1
    order[room[symbol]] = n - 1
    room[symbol] += 1
    for k in range(n):
        p = order[k] - 1
        if p >= 0 and marked[p] & 1 == 0:
            symbol = marked[p] >> 1
            order[room[symbol]] = p
            room[symbol] += 1
    room[:] = starts[1:]
    for k in range(n - 1, -1, -1):
        p = order[k] - 1
        if p >= 0 and marked[p] & 1 == 1:
            symbol = marked[p] >> 1
            room[symbol] -= 1
            order[room[symbol]] = p
    return order


@njit(cache=True, nogil=True)
def _same(marked, p, q):  # type: ignore[no-untyped-def]
    """Tell whether the pieces from two valleys to the next ones are equal; the last piece has none that follows."""
    for k in range(len(marked) - max(p, q)):
        if marked[p + k] != marked[q + k]:
            return False
        if k > 0 and _valley(marked, p + k):
            return True
    return False


@njit(cache=True, nogil=True)
def _named(marked, order, valleys):  # type: ignore[no-untyped-def]
    """Return the sequence of names of the pieces between valleys, equal for equal pieces, and how many names it has.

    The pieces stand in order; valleys are at least two places apart, so that p // 2 tells them apart.
    """
    name_at = np.empty(len(marked) // 2 + 1, np.int32)
    before, name = -1, -1
    for p in order:
        if _valley(marked, p):
            if before < 0 or not _same(marked, before, p):
                name += 1
            name_at[p >> 1] = name
            before = p
    names = np.empty(len(valleys), np.int32)
    for k in range(len(valleys)):
        names[k] = name_at[valleys[k] >> 1]
    return names, name + 1


@njit(cache=True, nogil=True)
def _described(s, symbols):  # type: ignore[no-untyped-def]
    """Return what sorting needs to know of s: its symbols with marks, where stretches start, falling ones, valleys."""
    n = len(s)
    marked = np.empty_like(s)  # twice the symbol, and one more where the suffix rises
    starts, falling = np.zeros(symbols + 1, np.int32), np.zeros(symbols, np.int32)
    rises, count = 0, 0
    for p in range(n - 1, -1, -1):
        rose = rises
        if p < n - 1 and s[p] != s[p + 1]:
            rises = 1 if s[p] < s[p + 1] else 0
        count += rose & (1 - rises)
        marked[p] = 2 * s[p] + rises
        starts[s[p] + 1] += 1
        falling[s[p]] += 1 - rises
    for symbol in range(symbols):
        starts[symbol + 1] += starts[symbol]
    valleys = np.empty(count, np.int32)
    k = 0
    for p in range(n):
        if _valley(marked, p):
            valleys[k] = p
            k += 1
    return marked, starts, falling, valleys


@njit(cache=True, nogil=True)
def _sorted_names(names, many):  # type: ignore[no-untyped-def]
    """Return the suffix array of a sequence of names: down through ever shorter ones until all differ, and up again."""
    levels = []
    while many < len(names):
        level = _described(names, many)
        names, many = _named(level[0], _induced(*level), level[3])
        levels.append(level)
    order = np.empty(len(names), np.int32)
    for p in range(len(names)):
        order[names[p]] = p
    while len(levels) > 0:
        marked, starts, falling, valleys = levels.pop()
        order = _induced(marked, starts, falling, valleys[order])
    return order


@njit(cache=True, nogil=True)
def suffix_array(s, symbols):  # type: ignore[no-untyped-def]
    """Return where the suffixes of s begin, in sorted order; s has symbols 0 … symbols − 1, twice which its type holds.

    A suffix comes before those that it begins.
    """
    if len(s) == 0:
        return np.empty(0, np.int32)
    marked, starts, falling, valleys = _described(s, symbols)
    names, many = _named(marked, _induced(marked, starts, falling, valleys), valleys)
    return _induced(marked, starts, falling, valleys[_sorted_names(names, many)])


@njit(cache=True, nogil=True)
def common_beginnings(s, order, border):  # type: ignore[no-untyped-def]
    """Return the lcp of each suffix with the one before it in order, up to the border (Kasai et al. 2001)."""
    n = len(s)
    at = np.empty(n, np.int32)  # the place of the suffix before, then the lcp with it
    at[order[0]] = -1
    for k in range(1, n):
        at[order[k]] = order[k - 1]
    common = 0
    for p in range(n):
        q = at[p]
        if q < 0:
            common = 0
        else:
            most = n - max(p, q)
            while common < most and s[p + common] == s[q + common] and s[p + common] != border:
                common += 1
        at[p] = common
        common = max(common - 1, 0)
    lcp = np.empty(n + 1, np.int32)
    for k in range(n):
        lcp[k] = at[order[k]]
    lcp[n] = 0
    return lcp


@njit(cache=True, nogil=True)
def _sweep(mine, owner, lcp, up, W, height, count, total, out):  # type: ignore[no-untyped-def]
    """Add to out[j], for every suffix of a sequence j, Σ W(lcp) over the suffixes of `mine` passed before it.

    Up through the order or down. A stack holds those passed, all of one lcp with the present suffix together: that lcp,
    how many they are, and Σ W over them and all below in the stack.
    """
    n, top, passed = len(owner), 0, 0
    height[0], total[0] = -1, 0.0
    for step in range(n):
        k = step if up else n - 1 - step
        shared = lcp[k] if up else lcp[k + 1]
        if passed > 0 or height[top] > shared:
            while height[top] >= shared:
                passed += count[top]
                top -= 1
            if shared > 0:
                top += 1
                height[top], count[top] = shared, passed
                total[top] = total[top - 1] + passed * W[shared]
            passed = 0
        out[owner[k]] += total[top]
        if owner[k] == mine:
            passed = 1


@njit(cache=True, nogil=True)
def full_spectrum(s, symbols, starts, rows, W, out):  # type: ignore[no-untyped-def]
    """Write κ of the first sequences of s, so many rows, with all of them into out.

    Sequence j begins at starts[j] and ends a place before the next one begins, with a border: the largest symbol.
    """
    order = suffix_array(s, symbols)
    lcp = common_beginnings(s, order, symbols - 1)
    sequence = np.empty(len(s), np.int32)
    for j in range(len(starts) - 1):
        sequence[starts[j] : starts[j + 1]] = j
    owner, longest = np.empty(len(s), np.int32), len(W)
    for k in range(len(s)):
        owner[k] = sequence[order[k]]
    height, count, total = np.empty(longest, np.int32), np.empty(longest, np.int32), np.empty(longest)
    for i in range(rows):
        out[i] = 0.0
        _sweep(i, owner, lcp, True, W, height, count, total, out[i])
        _sweep(i, owner, lcp, False, W, height, count, total, out[i])
        for length in range(1, starts[i + 1] - starts[i]):  # a suffix with itself
            out[i, i] += W[length]
