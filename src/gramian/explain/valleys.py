"""Is there a valley between two heaps of numbers?

Take three windows of one width on the line: one in the left heap, one in the valley, one in the right heap. Where the
density has a single peak, the valley holds at least as much as one of the heaps. Two heaps *stand apart* where it
holds less than two thirds of what either holds. Of c_V numbers in the valley and c in the smaller heap, all together,
at least two in five are expected in the valley unless it is so deep; so

    p = P(Bin(c_V + c, 2/5) ≤ c_V)

is the p-value of "no such valley", exact for windows that were placed without looking at these numbers. Nothing is
assumed of the shape of the heaps, and a small one beside a large one is seen, for only the smaller is counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from gramian.checks import Array

DEPTH = 2 / 3  # of the density of the less dense heap: a valley is lower
SHARE = DEPTH / (1 + DEPTH)  # of valley and smaller heap together, in a valley of that depth
WIDTHS = np.geomspace(0.25, 4, 8)  # of the windows, in units of the narrower heap


def p_value(counts: Array) -> Array:
    """Return the p-values of (left, valley, right) counts, one for each column."""
    left, valley, right = counts
    return np.asarray(bdtr(valley, valley + np.minimum(left, right), SHARE))


@dataclass(frozen=True)
class Windows:
    """Three windows of one width, by where they begin."""

    left: float
    valley: float
    right: float
    width: float

    @property
    def bottom(self) -> float:
        """The middle of the valley."""
        return self.valley + self.width / 2

    def counts(self, values: Array) -> Array:
        """Return how many numbers lie in the left heap, the valley and the right heap."""
        begins = np.array([self.left, self.valley, self.right])[:, None]
        return np.asarray(((values >= begins) & (values <= begins + self.width)).sum(axis=1))


def deepest(values: Array, unit: float) -> tuple[float, Windows | None]:
    """Place the windows where these numbers have the clearest valley; of equal ones the widest.

    All windows are tried that begin at one of the numbers, or just after it: O(n log n) for each width.
    """
    values = np.sort(values)
    found: tuple[float, Windows | None] = (1.0, None)
    for width in unit * WIDTHS:
        one = _deepest(values, float(width))
        if one[1] is not None and one[0] <= found[0]:
            found = one
    return found


def _deepest(values: Array, width: float) -> tuple[float, Windows | None]:
    n, places = len(values), np.arange(len(values))
    ends = np.searchsorted(values, values + width, side="right")
    within = ends - places  # in the window that begins at each number
    after = np.searchsorted(values, values + width, side="left") - places - 1  # in the one that begins just after it
    before, beyond = np.searchsorted(values, values - width, side="right") - 1, np.searchsorted(values, values + width)
    at = np.flatnonzero((before >= 0) & (beyond < n))  # there is room for a window on either side
    if not len(at):
        return 1.0, None
    left = np.maximum.accumulate(within)[before[at]]
    right = np.maximum.accumulate(within[::-1])[::-1][beyond[at]]
    p = p_value(np.array([left, after[at], right]))
    best = int(p.argmin())
    i = int(at[best])
    spare = values[i + 1 + after[i]] - values[i] - width
    valley = float(values[i] + max(spare, 0) / 2)  # in the middle between its neighbors

    def begin(j: int) -> float:
        """Return where a window begins whose numbers, from the j-th on, lie in its middle."""
        return float(values[j] + values[ends[j] - 1] - width) / 2

    heaps = int(within[: before[i] + 1].argmax()), int(beyond[i] + within[beyond[i] :].argmax())
    return float(p[best]), Windows(
        min(begin(heaps[0]), valley - width), valley, max(begin(heaps[1]), valley + width), width
    )
