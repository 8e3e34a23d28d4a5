"""The bandwidth of a kernel: a number, or "median", settled on data.

The median heuristic takes the median distance between two points of the sample as the unit of length. On more than
`SAMPLE` points a fixed random subset is used, so that the answer does not change from run to run.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import pdist

from gramian.checks import as_vectors, positive

SAMPLE = 1000


def check_bandwidth(bandwidth: Any) -> None:
    """Accept a positive number or "median"."""
    if isinstance(bandwidth, str):
        if bandwidth != "median":
            raise ValueError(f"bandwidth is {bandwidth!r}; a number above 0 or 'median' expected")
        return
    positive(bandwidth, "bandwidth")


def settled(bandwidth: Any) -> float:
    """Return the number, or say how to get one."""
    if isinstance(bandwidth, str):
        raise ValueError("bandwidth='median' is not settled yet: k = k.fit(X) takes it from the sample X")
    return float(bandwidth)


def median_distance(X: Any, metric: Literal["euclidean", "cityblock"]) -> float:
    """Return the median distance between two distinct points of X; O(min(n, 1000)² d).

    Raises
    ------
    ValueError
        If all points coincide.

    Examples
    --------
    >>> median_distance([[0.0], [3.0], [4.0]], "euclidean")
    3.0
    """
    points = as_vectors(X)
    if len(points) > SAMPLE:
        chosen = np.random.default_rng(0).choice(len(points), SAMPLE, replace=False)
        points = points[np.sort(chosen)]
    # Measured in units of the largest deviation, squares can neither overflow nor vanish.
    points = points.astype(np.float64) / 2
    points = points - points[0]
    unit = float(np.abs(points).max())
    distances = pdist(points / unit, metric) if unit > 0 else np.zeros(1)
    apart = distances[distances > 0]
    if apart.size == 0:
        raise ValueError(
            f"bandwidth='median' needs at least two different points, and all {len(points)} coincide: give a number"
        )
    return float(2 * unit * np.median(apart))
