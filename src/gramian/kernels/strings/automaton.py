"""The suffix automaton of a sequence: all its contiguous pieces, in linear time and memory. Compiled.

Its states are classes of pieces that end at the same places. State v holds the pieces of lengths len(link v) + 1 …
len v, each of which occurs count(v) times, and its link leads to the next shorter class. With W(ℓ) = Σ_{k ≤ ℓ} w(k),
w the weight of a piece by its length, the pieces that end at a place and belong to v or to any class along its links
weigh

    S(v) = S(link v) + count(v) (W(len v) − W(len link v)).

To compare with another sequence t, follow t through the automaton: at each place of t the longest piece that ends there
and is known, of length ℓ in state v, adds S(link v) + count(v) (W(ℓ) − W(len link v)), and the sum over places is
κ = Σ_u w(|u|) count_s(u) count_t(u).

All transitions stand in a table, the missing ones filled in: from v by a symbol that v does not know one comes to where
its link comes to, with no more than len(link v) symbols still matched. Fast while the table fits a cache; `suffixes` is
for longer sequences.
"""

from __future__ import annotations

import numpy as np
from numba import njit

LANES = 4  # sequences that are followed at once


@njit(cache=True, nogil=True)
def _add_up(states, longest, length, link, count, order):  # type: ignore[no-untyped-def]
    """Sort the states by length, in linear time, and let each pass its count on to its link."""
    place = np.zeros(longest + 2, np.int32)
    for state in range(states):
        place[length[state] + 1] += 1
    for k in range(1, longest + 2):
        place[k] += place[k - 1]
    for state in range(states):
        order[place[length[state]]] = state
        place[length[state]] += 1
    for k in range(states - 1, 0, -1):
        count[link[order[k]]] += count[order[k]]


@njit(cache=True, nogil=True)
def _weigh(states, length, link, count, order, W, total):  # type: ignore[no-untyped-def]
    """Write S of every state into total."""
    total[0] = 0.0
    for k in range(1, states):
        v = order[k]
        total[v] = total[link[v]] + count[v] * (W[length[v]] - W[length[link[v]]])


@njit(cache=True, nogil=True)
def build_table(s, step, length, link, count, order):  # type: ignore[no-untyped-def]
    """Build the automaton of s, −1 for transitions that are missing; return the number of states. State 0 is empty."""
    length[0], link[0], count[0] = 0, -1, 0
    step[0] = -1
    states, last = 1, 0
    for symbol in s:
        current = states
        states += 1
        length[current], count[current] = length[last] + 1, 1
        step[current] = -1
        p = last
        while p >= 0 and step[p, symbol] < 0:
            step[p, symbol] = current
            p = link[p]
        if p < 0:
            link[current] = 0
        else:
            q = step[p, symbol]
            if length[p] + 1 == length[q]:
                link[current] = q
            else:
                clone = states
                states += 1
                length[clone], link[clone], count[clone] = length[p] + 1, link[q], 0
                step[clone] = step[q]
                while p >= 0 and step[p, symbol] == q:
                    step[p, symbol] = clone
                    p = link[p]
                link[q] = clone
                link[current] = clone
        last = current
    _add_up(states, len(s), length, link, count, order)
    return states


@njit(cache=True, nogil=True)
def _complete(states, step, matched, length, link, order):  # type: ignore[no-untyped-def]
    """Fill in the missing transitions, shorter states first; `matched` bounds how many symbols stay matched."""
    for k in range(states):
        v = order[k]
        for symbol in range(step.shape[1]):
            if step[v, symbol] >= 0:
                matched[v, symbol] = length[v]
            elif v == 0:
                step[v, symbol], matched[v, symbol] = 0, -1
            else:
                step[v, symbol], matched[v, symbol] = step[link[v], symbol], matched[link[v], symbol]


@njit(cache=True, nogil=True)
def _pack(states, step, matched, shift, table):  # type: ignore[no-untyped-def]
    """Put the transitions into one number each: where the next state's row begins, and how many symbols may be matched.

    A row has 2^shift columns; that of a symbol which the alphabet has not leads back to the empty piece.
    """
    for v in range(states):
        for symbol in range(1 << shift):
            table[(v << shift) + symbol] = 0
        for symbol in range(step.shape[1]):
            row = np.uint64(step[v, symbol] << shift)
            table[(v << shift) + symbol] = (row << np.uint64(32)) | np.uint64(matched[v, symbol] + 1)


@njit(cache=True, nogil=True)
def _follow_table(T, used, table, shift, count, rest, W, row, known, value):  # type: ignore[no-untyped-def]
    """Follow a few sequences at once, a symbol of each in a row of T, and write κ of each into value.

    One waits for memory while the others go on.
    """
    row[:], known[:], value[:] = 0, 0, 0.0
    for place in range(used):
        for lane in range(LANES):
            entry = table[row[lane] + T[place, lane]]
            row[lane] = np.uint32(entry >> np.uint64(32))
            known[lane] = min(known[lane] + np.uint32(1), np.uint32(entry & np.uint64(0xFFFFFFFF)))
            v = row[lane] >> shift
            value[lane] += rest[v] + count[v] * W[known[lane]]


@njit(cache=True, nogil=True)
def _side_by_side(codes, starts, chosen, symbols, T):  # type: ignore[no-untyped-def]
    """Write some sequences into the columns of T, what is not in the alphabet as one more symbol; return the length."""
    T[:] = symbols
    used = 0
    for lane in range(len(chosen)):
        first, last = starts[chosen[lane]], starts[chosen[lane] + 1]
        used = max(used, last - first)
        for place in range(last - first):
            T[place, lane] = min(codes[first + place], symbols)
    return used


@njit(cache=True, nogil=True)
def full_spectrum_by_tables(a, a_starts, b, b_starts, by_length, symbols, W, diagonal, out):  # type: ignore[no-untyped-def]
    """Write κ of all pairs of two runs of sequences into out; with `diagonal`, of each of a with itself in column 0.

    The alphabet has so many symbols, and no sequence of a more than len(W) − 1; `by_length` sorts b, so that those
    followed together are about equally long.
    """
    n, m = len(a_starts) - 1, len(b_starts) - 1
    room, shift = max(2 * len(W), 2), 1
    while (1 << shift) < symbols + 1:
        shift += 1
    step, matched = np.empty((room, symbols), np.int32), np.empty((room, symbols), np.int32)
    length, link, order = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    count, total, rest = np.empty(room, np.int32), np.empty(room), np.zeros(room)
    table = np.empty(room << shift, np.uint64)
    row, known, value = np.empty(LANES, np.uint32), np.empty(LANES, np.uint32), np.empty(LANES)
    longest = 0
    for j in range(m):
        longest = max(longest, b_starts[j + 1] - b_starts[j])
    groups = 1 if diagonal else (m + LANES - 1) // LANES
    T, used = np.empty((groups, longest, LANES), np.uint32), np.empty(groups, np.int64)
    if not diagonal:
        for g in range(groups):
            used[g] = _side_by_side(b, b_starts, by_length[g * LANES : (g + 1) * LANES], symbols, T[g])
    for i in range(n):
        states = build_table(a[a_starts[i] : a_starts[i + 1]], step, length, link, count, order)
        _weigh(states, length, link, count, order, W, total)
        _complete(states, step, matched, length, link, order)
        _pack(states, step, matched, shift, table)
        for v in range(1, states):
            rest[v] = total[link[v]] - count[v] * W[length[link[v]]]
        count[0] = 0
        if diagonal:
            used[0] = _side_by_side(a, a_starts, np.array([i]), symbols, T[0])
        for g in range(groups):
            _follow_table(T[g], used[g], table, shift, count, rest, W, row, known, value)
            if diagonal:
                out[i, 0] = value[0]
            else:
                for lane in range(min(LANES, m - g * LANES)):
                    out[i, by_length[g * LANES + lane]] = value[lane]
