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
from typing import Literal

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
    values, widths = np.sort(values), unit * WIDTHS
    n, places = len(values), np.arange(len(values))
    ends, beyond = (_place(values, values + widths[:, None], side) for side in ("right", "left"))
    before = _place(values, values - widths[:, None], "right") - 1
    within = ends - places  # in the window of each width that begins at each number
    after = beyond - places - 1  # in the one that begins just after it
    room = (before >= 0) & (beyond < n)  # for a window on either side
    room &= ~(room & (after < 0)).any(axis=1, keepdims=True)  # a width that vanishes beside the numbers is none
    if not room.any():
        return 1.0, None
    width, at = np.nonzero(room)
    left = np.maximum.accumulate(within, axis=1)[width, before[room]]
    right = np.maximum.accumulate(within[:, ::-1], axis=1)[:, ::-1][width, beyond[room]]
    p, clearest = _least(np.minimum(left, right), after[room])
    best = clearest[np.argmax(width[clearest])]  # the widest
    k, i = int(width[best]), int(at[best])
    return p, _windows(values, float(widths[k]), i, within[k], (int(before[k, i]), int(beyond[k, i])))


def _least(heaps: Array, valleys: Array) -> tuple[float, Array]:
    """Return the least p-value of smaller heaps and valleys, and where it is found.

    Beside valleys of one size the largest heap has the least, so that few p-values are computed.
    """
    largest = np.zeros(valleys.max() + 1, dtype=np.intp)
    np.maximum.at(largest, valleys, heaps)
    p = p_value(np.array([largest, np.arange(len(largest)), largest]))
    return float(p.min()), np.flatnonzero((p == p.min())[valleys] & (heaps == largest[valleys]))


def _place(values: Array, of: Array, side: Literal["left", "right"]) -> Array:
    """Return where numbers stand among sorted values."""
    return np.searchsorted(values, of.ravel(), side=side).reshape(of.shape)


def _windows(values: Array, width: float, i: int, within: Array, others: tuple[int, int]) -> Windows:
    """Return the windows whose valley begins just after the i-th number.

    `within` says how many numbers lie in the window that begins at each, `others` which are the last that may begin the
    left one, and the first that may begin the right one.
    """
    before, beyond = others
    spare = values[beyond] - values[i] - width
    valley = float(values[i] + max(spare, 0) / 2)  # in the middle between its neighbors

    def begin(j: int) -> float:
        """Return where a window begins whose numbers, from the j-th on, lie in its middle."""
        return float(values[j] + values[j + within[j] - 1] - width) / 2

    heaps = int(within[: before + 1].argmax()), int(beyond + within[beyond:].argmax())
    return Windows(min(begin(heaps[0]), valley - width), valley, max(begin(heaps[1]), valley + width), width)
