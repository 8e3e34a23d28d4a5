"""A ridge that was chosen in low rank, confirmed by exact errors at it and at its neighbours.

What low rank leaves out of K acts as one more ridge, and is a little different for every object: the errors seen
through it are lowest near the best ridge, not always at it. One factorization of K + λI and the diagonal of its inverse
give the exact leave-one-out errors at one ridge. So from the ridge that was chosen one walks along the grid while these
errors fall, as far as the time goes that may be spent on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from gramian.checks import Array
from gramian.factor.machine import TYPICAL
from gramian.gram.gram import Gram

CONFIRMING = 0.4  # seconds, by the model of times, that exact errors may take
APART = 3.0  # ratio of neighbours: the errors of closer ridges hardly differ


def confirmations(gram: Gram) -> int:
    """Return at how many ridges exact errors can be afforded."""
    if gram.kernel.matrix_free or not gram.can_hold():
        return 0
    n, time = len(gram), CONFIRMING * gram.place.speed
    if gram.through_features():  # K is not held then, and computed for this alone
        time -= TYPICAL.multiplied(n, gram.kernel.feature_load(gram.rows))
    return max(0, int(time / TYPICAL.inverted(n)))


def walked(
    ridges: Array, place: int, error: Callable[[float], float], most: int, as_good: float = 1.0
) -> tuple[int, dict[int, float]]:
    """Walk along an ascending grid while the error falls; return the place where it ends, and all errors seen.

    `most` errors are computed at most, and none where there is no room for two. Of two errors whose ratio is at most
    `as_good` the one of the larger ridge is taken.

    >>> walked(np.geomspace(1e-3, 1e3, 7), 5, lambda lam: round(abs(np.log10(lam) - 0.2), 3), 9)
    (3, {5: 1.8, 4: 0.8, 3: 0.2, 2: 1.2})
    """
    known: dict[int, float] = {}

    def at(k: int) -> float:
        if k not in known:
            known[k] = float(error(float(ridges[k])))
        return known[k]

    for smaller in (True, False) if most > 1 else ():
        while len(known) < most and (following := _neighbour(ridges, place, smaller)) is not None:
            low, high = (following, place) if smaller else (place, following)
            if (at(high) <= as_good * at(low)) == smaller:
                break
            place = following
    return place, known


def _neighbour(ridges: Array, place: int, smaller: bool) -> int | None:
    """Return the place of the next ridge that is clearly smaller, or larger, or the end of the grid."""
    far = np.flatnonzero(ridges * APART <= ridges[place] if smaller else ridges >= APART * ridges[place])
    end = 0 if smaller else len(ridges) - 1
    if len(far):
        return int(far[-1] if smaller else far[0])
    return end if end != place else None


def confirmed(method: str, errors: Mapping[int, float]) -> str:
    """Say of how many ridges the exact errors were compared."""
    return f"{method}; ridge by exact errors at {len(errors)} of the grid" if errors else method
