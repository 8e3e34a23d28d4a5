"""Periodic kernels: nearness of what comes again, such as hours of the day or days of the year.

A number x becomes a point on a circle, u(x) = (cos 2πx/p, sin 2πx/p), once around in each period p, and points on
circles are compared by a Gaussian. As ‖u(x) − u(z)‖² = 4 sin²(π(x − z)/p), this is

    κ(x, z) = exp(−2 sin²(π (x − z)/p) / σ²),

and of vectors the product over their coordinates.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from gramian.checks import Array, as_vectors, positive
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula
from gramian.gram.traits import Traits
from gramian.kernels.algebra import Kernel
from gramian.kernels.bandwidth import check_bandwidth, median_distance, settled
from gramian.kernels.declared import NUMBER, Kept, Word
from gramian.kernels.radial import Gaussian


class Periodic(Kernel):
    """The periodic kernel, κ(x, z) = exp(−2 sin²(π (x − z)/p) / σ²), for vectors the product over their coordinates.

    Parameters
    ----------
    period : float
        p, after which everything comes again: 24 for hours, 7 for days of the week, 365.2425 for days of the year.
    bandwidth : float or "median"
        σ, on circles of radius 1: points half a period apart have distance 2. "median" is the median distance between
        the points of the sample it is fitted on. In scikit-learn's terms this is the `length_scale` of
        ``ExpSineSquared``, and p its `periodicity`.

    Raises
    ------
    ValueError
        If `period` or `bandwidth` is not above 0.

    See Also
    --------
    Gaussian : exp(−‖x − z‖² / 2σ²)
    Standardize : columns with mean 0 and deviation 1

    Notes
    -----
    What is not only periodic is compared by a sum or a product of kernels: days of ``gm.Gaussian(1000) *
    gm.Periodic(365.2425)`` are alike at the same time of years that are near each other. The remainder of x/p is exact,
    so that only the digits of x count.

    Cost: O(n m d) operations for a tile of n × m values.

    Examples
    --------
    >>> import gramian as gm
    >>> hours = [[23.0], [1.0], [12.0]]
    >>> gm.Periodic(24)(hours).round(2)
    array([[1.  , 0.87, 0.14],
           [0.87, 1.  , 0.14],
           [0.14, 0.14, 1.  ]])
    """

    period: float
    bandwidth: float | str = 1.0
    traits = Traits(radius=1.0, non_negative=True, on_vectors=True)
    word = Word(
        "vectors",
        "κ(x, z) = ∏ᵢ exp(−2 sin²(π(xᵢ − zᵢ)/p)/σ²)",
        "Nearness of what comes again after a period p, as hours of the day do: 24, or days of the year: 365.2425.",
        "periodic(24)",
    )
    kept = Kept({"period": NUMBER, "bandwidth": (*NUMBER, str)})

    def __post_init__(self) -> None:
        positive(self.period, "period")
        check_bandwidth(self.bandwidth)

    def fit(self, X: Any) -> Self:
        if self.bandwidth != "median":
            return self
        return self.with_params(bandwidth=median_distance(self.circles(X), "euclidean"))

    @property
    def _gaussian(self) -> Gaussian:
        return Gaussian(self.bandwidth)

    def accuracy(self, dtype: np.dtype[Any]) -> float:
        return self._gaussian.accuracy(dtype)

    def circles(self, X: Any) -> Array:
        """Return the points on circles, a cosine and a sine for each coordinate."""
        A = as_vectors(X)
        angle = np.remainder(A.astype(np.float64), self.period) / self.period * (2 * np.pi)
        return np.hstack([np.cos(angle), np.sin(angle)]).astype(A.dtype)

    def encode(self, X: Any) -> Encoded:
        settled(self.bandwidth)
        return Encoded((self.circles(X),))

    @property
    def formula(self) -> Formula:
        return self._gaussian.formula
