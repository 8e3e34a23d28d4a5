"""Draws that belong to the places of objects: the same whoever holds them, in whatever parts they come."""

from __future__ import annotations

import numpy as np

from gramian.checks import Array

AT_ONCE = 2**20  # places that draw at a time
GOLDEN, FIRST, SECOND = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def drawn(count: int, n: int, rng: np.random.Generator) -> Array:
    """Return n of so many places, sorted: every place draws a number, and the least of them win. O(n) memory.

    A sample without replacement that does not depend on how the places are cut into parts.

    >>> drawn(1000, 5, np.random.default_rng(0))
    array([ 11, 269, 850, 855, 921])
    """
    keys, places = np.empty(0), np.empty(0, np.intp)
    for start in range(0, count, AT_ONCE):
        fresh = rng.random(min(AT_ONCE, count - start))
        low = np.flatnonzero(fresh < (keys.max() if len(keys) == n else np.inf))
        keys, places = np.append(keys, fresh[low]), np.append(places, start + low)
        kept = np.sort(np.argsort(keys, kind="stable")[:n])
        keys, places = keys[kept], places[kept]
    return places


def lots(places: Array, seed: int) -> Array:
    """Return a number in [0, 1) for each place, drawn by lot: SplitMix64 of the seed and the place.

    >>> lots(np.arange(3), seed=0).round(3)
    array([0.883, 0.432, 0.026])
    """
    with np.errstate(over="ignore"):
        z = (np.asarray(places, np.uint64) + np.uint64(1)) * GOLDEN + np.uint64(seed) * SECOND
        z = (z ^ (z >> np.uint64(30))) * FIRST
        z = (z ^ (z >> np.uint64(27))) * SECOND
        z = z ^ (z >> np.uint64(31))
    return np.asarray((z >> np.uint64(11)) * 2.0**-53)
