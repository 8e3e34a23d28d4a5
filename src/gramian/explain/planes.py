"""The clearest valley in any plane of the first three principal components of a cloud.

Half of the objects cannot place a boundary and the other half confirm it where groups are small, or touch. So all of
them do both here, and what chance makes of the choice is known from clouds instead. With w the p-value of `valleys` for
the clearest of all windows in all directions of the planes,

    S = max (−log w),        P(S > s) ≤ exp(−(s − 3.65) / 0.9)

where there is one cloud. The bound was measured: of 250 draws each of uniform cubes and balls and of spherical t in
10 dimensions, of 24 to 1,500 objects, it held for all quantiles from 80 % on (`benchmarks/clusters.py --null`). Flat
clouds of some 90 objects come near it, others stay far below. Components are those of all objects, and know nothing of
valleys.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from gramian.checks import Array
from gramian.explain.valleys import Windows, deepest

COMPONENTS = 3
TURNS = 24  # directions of a plane
FROM, STEP = 3.65, 0.9  # where the bound on chance begins, and in what steps it falls by e
FLAT = 1e-9  # of the largest variance: a component without any


class Valley(NamedTuple):
    """The clearest valley: how often chance makes one as clear, the numbers along which it lies, and its windows."""

    p_value: float
    values: Array
    windows: Windows | None

    @property
    def depth(self) -> float:
        """How densely objects lie in it, as a share of the less dense side."""
        if self.windows is None:
            return 1.0
        left, valley, right = self.windows.counts(self.values)
        return float(valley / max(min(left, right), 1))


def clearest(D: Array) -> Valley:
    """Return the clearest valley in the planes of the first components of objects with these distances."""
    best, found, most = 1.0, None, np.zeros(len(D))
    for values in _turned(principal(D)):
        low, high = np.quantile(values, [0.05, 0.95])
        p, windows = deepest(values, float(high - low) / 2)
        if windows is not None and p < best:
            best, found, most = p, windows, values
    return Valley(float(min(1.0, np.exp((FROM + np.log(best)) / STEP))), most, found)


def principal(D: Array, most: int = COMPONENTS) -> Array:
    """Return coordinates along the first principal components: eigenvectors of −½ D² less its means, n × most."""
    n, squares = len(D), np.square(D)
    means = squares.mean(axis=0)
    inner = -(squares - means - means[:, None] + means.mean()) / 2
    values, U = scipy.linalg.eigh(inner, subset_by_index=(max(n - most, 0), n - 1))
    kept = values > FLAT * max(float(values[-1]), np.finfo(float).tiny)
    return np.asarray((U[:, kept] * np.sqrt(values[kept]))[:, ::-1])


def _turned(T: Array) -> list[Array]:
    """Return the coordinates of objects along the directions of all planes."""
    m = T.shape[1]
    if m < 2:
        return list(T.T)
    angles = np.pi * np.arange(TURNS) / TURNS
    planes = [(i, j) for i in range(m) for j in range(i + 1, m)]
    return [T[:, i] * np.cos(angle) + T[:, j] * np.sin(angle) for i, j in planes for angle in angles]
