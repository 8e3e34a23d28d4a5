"""The suffix automaton of a sequence: all its contiguous pieces, in linear time and memory. Compiled.

Its states are classes of pieces that end at the same places. State v holds the pieces of lengths len(link v) + 1 …
len v, each of which occurs count(v) times, and its link leads to the next shorter class. With W(ℓ) = Σ_{k ≤ ℓ} w(k),
w the weight of a piece by its length, the pieces that end at a place and belong to v or to any class along its links
weigh

    S(v) = S(link v) + count(v) (W(len v) − W(len link v)).

To compare with another sequence t, follow t through the automaton: at each place of t the longest piece that ends there
and is known, of length ℓ in state v, adds S(link v) + count(v) (W(ℓ) − W(len link v)), and the sum over places is
κ = Σ_u w(|u|) count_s(u) count_t(u).

Long sequences keep their transitions as lists, three a symbol at most: about 90 bytes a symbol in all. For short ones
a table of all transitions is faster, the missing ones filled in: from v by a symbol that v does not know one comes to
where its link comes to, with no more than len(link v) symbols still matched.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _find(head, symbol_of, after, state, symbol):  # type: ignore[no-untyped-def]
    """Return the number of the transition of a state by a symbol, −1 where there is none."""
    edge = head[state]
    while edge >= 0 and symbol_of[edge] != symbol:
        edge = after[edge]
    return edge


@njit(cache=True, nogil=True)
def build(s, length, link, head, symbol_of, target, after, count, order):  # type: ignore[no-untyped-def]
    """Build the automaton of s in the arrays given; return the number of its states. State 0 is the empty piece."""
    length[0], link[0], head[0], count[0] = 0, -1, -1, 0
    states, edges, last = 1, 0, 0
    for symbol in s:
        current = states
        states += 1
        length[current], head[current], count[current] = length[last] + 1, -1, 1
        p = last
        while p >= 0 and _find(head, symbol_of, after, p, symbol) < 0:
            symbol_of[edges], target[edges], after[edges] = symbol, current, head[p]
            head[p] = edges
            edges += 1
            p = link[p]
        if p < 0:
            link[current] = 0
        else:
            q = target[_find(head, symbol_of, after, p, symbol)]
            if length[p] + 1 == length[q]:
                link[current] = q
            else:
                clone = states
                states += 1
                length[clone], link[clone], head[clone], count[clone] = length[p] + 1, link[q], -1, 0
                edge = head[q]
                while edge >= 0:
                    symbol_of[edges], target[edges], after[edges] = symbol_of[edge], target[edge], head[clone]
                    head[clone] = edges
                    edges += 1
                    edge = after[edge]
                while p >= 0:
                    edge = _find(head, symbol_of, after, p, symbol)
                    if edge < 0 or target[edge] != q:
                        break
                    target[edge] = clone
                    p = link[p]
                link[q] = clone
                link[current] = clone
        last = current
    _add_up(states, len(s), length, link, count, order)
    return states


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
def _follow(t, length, link, head, symbol_of, target, after, count, W, total):  # type: ignore[no-untyped-def]
    """Follow t through an automaton and return κ."""
    value, v, matched = 0.0, 0, 0
    for symbol in t:
        edge = _find(head, symbol_of, after, v, symbol)
        while edge < 0 and v > 0:
            v = link[v]
            matched = length[v]
            edge = _find(head, symbol_of, after, v, symbol)
        if edge >= 0:
            v = target[edge]
            matched += 1
            value += total[link[v]] + count[v] * (W[matched] - W[length[link[v]]])
    return value


@njit(cache=True, nogil=True)
def full_spectrum_by_lists(a, a_starts, b, b_starts, W, diagonal, out):  # type: ignore[no-untyped-def]
    """Write κ of all pairs of two runs of sequences into out; with `diagonal`, of each of a with itself in column 0."""
    longest = 0
    for i in range(len(a_starts) - 1):
        longest = max(longest, a_starts[i + 1] - a_starts[i])
    room = max(2 * longest, 2)
    length, link, head = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    count, order, total = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room)
    edges = 3 * longest + 3
    symbol_of, target, after = np.empty(edges, np.int32), np.empty(edges, np.int32), np.empty(edges, np.int32)
    for i in range(len(a_starts) - 1):
        s = a[a_starts[i] : a_starts[i + 1]]
        states = build(s, length, link, head, symbol_of, target, after, count, order)
        _weigh(states, length, link, count, order, W, total)
        if diagonal:
            out[i, 0] = _follow(s, length, link, head, symbol_of, target, after, count, W, total)
        else:
            for j in range(len(b_starts) - 1):
                t = b[b_starts[j] : b_starts[j + 1]]
                out[i, j] = _follow(t, length, link, head, symbol_of, target, after, count, W, total)


@njit(cache=True, nogil=True)
def build_table(s, step, length, link, count, order):  # type: ignore[no-untyped-def]
    """Build the automaton of s with a table of transitions, −1 for those that are missing; return how many states."""
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
def _follow_table(t, step, matched, count, rest, W):  # type: ignore[no-untyped-def]
    """Follow t through an automaton with all transitions and return κ."""
    value, v, known = 0.0, 0, 0
    for symbol in t:
        if symbol >= step.shape[1]:
            v, known = 0, 0
            continue
        known = min(known, matched[v, symbol]) + 1
        v = step[v, symbol]
        value += rest[v] + count[v] * W[known]
    return value


@njit(cache=True, nogil=True)
def full_spectrum_by_tables(a, a_starts, b, b_starts, symbols, W, diagonal, out):  # type: ignore[no-untyped-def]
    """Do what `full_spectrum_by_lists` does with tables of transitions, for an alphabet of so many symbols."""
    longest = 0
    for i in range(len(a_starts) - 1):
        longest = max(longest, a_starts[i + 1] - a_starts[i])
    room = max(2 * longest, 2)
    step, matched = np.empty((room, symbols), np.int32), np.empty((room, symbols), np.int32)
    length, link, order = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    count, total, rest = np.empty(room, np.int32), np.empty(room), np.zeros(room)
    for i in range(len(a_starts) - 1):
        s = a[a_starts[i] : a_starts[i + 1]]
        states = build_table(s, step, length, link, count, order)
        _weigh(states, length, link, count, order, W, total)
        _complete(states, step, matched, length, link, order)
        for v in range(1, states):
            rest[v] = total[link[v]] - count[v] * W[length[link[v]]]
        count[0] = 0
        if diagonal:
            out[i, 0] = _follow_table(s, step, matched, count, rest, W)
        else:
            for j in range(len(b_starts) - 1):
                out[i, j] = _follow_table(b[b_starts[j] : b_starts[j + 1]], step, matched, count, rest, W)
