"""Centres of mass: how far apart two are, whether that is chance, and how well one is known (seed 000, section 5.1).

‖φ_S − φ_T‖² = mean κ(s, s′) − 2 mean κ(s, t) + mean κ(t, t′), the squared distance between the centres of two samples,
known as the (biased) maximum mean discrepancy.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np

from gramian.checks import Array, as_generator, fraction, non_negative, whole
from gramian.gram.gram import Gram
from gramian.kernels.algebra import Centered
from gramian.runtime.progress import task
from gramian.space.vectors import Vectors, require_vectors

CHUNK = 64  # permutations multiplied at a time


def mean_distance(S: Vectors, T: Vectors) -> float:
    """Return the distance between the centres of mass of two samples, ‖φ_S − φ_T‖.

    Parameters
    ----------
    S, T : Vectors
        Two samples in one feature space.

    Returns
    -------
    float
        The distance between their means.

    Raises
    ------
    TypeError
        If S or T are no vectors of a feature space.
    ValueError
        If they lie in different spaces.

    See Also
    --------
    mean_test : whether two centres of mass differ
    stability_bound : how well a sample knows its centre
    ParzenClassifier : the nearest centre of mass

    Notes
    -----
    Cost: O((n + m)²) kernel values for samples of n and m points; O((n + m) d) in explicit features.

    Examples
    --------
    >>> import gramian as gm
    >>> phi = gm.FeatureSpace(gm.Linear())
    >>> gm.mean_distance(phi([[0.0], [2.0]]), phi([[4.0], [6.0]]))
    4.0
    """
    _check_samples(S, T)
    return float(S.mean().distances(T.mean()))


@dataclass(frozen=True)
class MeanTest:
    """The answer of `mean_test`.

    Attributes
    ----------
    distance : float
        ‖φ_S − φ_T‖.
    p_value : float
        Share of the relabellings, the observed one included, whose distance is at least as large.
    permutations : int
        Number of random relabellings.

    See Also
    --------
    mean_test : whether two centres of mass differ
    mean_distance : distance between two centres of mass

    Notes
    -----
    Cost: memory for three numbers.

    Examples
    --------
    >>> import gramian as gm
    >>> phi = gm.FeatureSpace(gm.Linear())
    >>> gm.mean_test(phi([[0.0], [2.0]]), phi([[0.0], [2.0]]), rng=0)
    MeanTest(distance=0.0, p_value=1.0, permutations=999)
    """

    distance: float
    p_value: float
    permutations: int


def mean_test(S: Vectors, T: Vectors, permutations: int = 999, rng: Any = None) -> MeanTest:
    """Test by permutation whether two samples have the same centre of mass.

    Under the hypothesis that both come from one distribution every relabelling of the pooled sample is equally
    likely, so the p-value is exact for any sample size. All relabellings share one pass over the pooled Gram for each
    64 of them.

    Parameters
    ----------
    S, T : Vectors
        Two samples in one feature space.
    permutations : int
        How many random relabellings the observed one is compared with.
    rng : numpy Generator, int or None
        For the relabellings.

    Returns
    -------
    MeanTest
        The distance and its p-value, at least 1 / (permutations + 1).

    Raises
    ------
    TypeError
        If S or T are no vectors of a feature space.
    ValueError
        If they lie in different spaces.

    See Also
    --------
    MeanTest : what `mean_test` answers
    mean_distance : distance between two centres of mass

    Notes
    -----
    Cost: O((n + m)² · permutations / 64) kernel values for samples of n and m points.

    Examples
    --------
    >>> import gramian as gm, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> phi = gm.FeatureSpace(gm.Gaussian(bandwidth=1.0))
    >>> S, T = phi(rng.normal(size=(40, 2))), phi(rng.normal(size=(40, 2)) + 1)
    >>> gm.mean_test(S, T, rng=0).p_value
    0.001
    """
    permutations = whole(permutations, "permutations")
    generator = as_generator(rng)
    _check_samples(S, T)
    S._require_points("mean_test")
    T._require_points("mean_test")
    n, m = len(S), len(T)
    labels = np.concatenate([np.full(n, 1 / n), np.full(m, -1 / m)])
    pooled = Vectors(S.space, S.points.concat(T.points))
    gram = pooled.gram().center()  # differences of means do not change, and fewer digits cancel in them
    observed = float(_squares(gram, labels[:, None])[0])
    tie = _rounding(gram, float(pooled.norms().max()) ** 2)  # relabellings that differ by less are the same
    more = 0
    with task("permutations", permutations) as told:
        for start in range(0, permutations, CHUNK):
            count = min(CHUNK, permutations - start)
            relabelled = generator.permuted(np.tile(labels, (count, 1)), axis=1).T
            more += int(np.count_nonzero(_squares(gram, relabelled) >= observed - tie))
            told.advance(start + count)
    return MeanTest(sqrt(max(observed, 0.0)), (1 + more) / (1 + permutations), permutations)


def _check_samples(S: Vectors, T: Vectors) -> None:
    require_vectors(S)
    S._require_same_space(T)


def _rounding(gram: Gram, largest: float) -> float:
    """Return what rounding makes of equal distances: that of the centred values and what centring them lost."""
    eps = 64 * float(np.finfo(gram.dtype).eps)
    lost = eps if isinstance(gram.kernel, Centered) and gram.kernel.explicit(gram.rows) else 1.0
    return eps * (float(gram.diag().max()) + lost * largest)


def _squares(gram: Gram, weights: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->j", weights, gram.apply(weights)))


def stability_bound(n: int, radius: float, delta: float = 0.01) -> float:
    """Return how far the centre of mass of n points can be from the true mean, with probability 1 − δ (5.5).

    ‖φ_S − E φ(x)‖ ≤ √(2R²/n) (√2 + √ln(1/δ)), whatever the dimension of the feature space.

    Parameters
    ----------
    n : int
        Sample size.
    radius : float
        R, the radius about the origin of a ball that holds the *distribution* in feature space: 1 for a kernel with
        κ(x, x) = 1. The largest norm of the sample is only an estimate of it unless κ(x, x) is constant.
    delta : float
        δ, the probability that the bound fails.

    Returns
    -------
    float
        A bound on ‖φ_S − E φ‖ that holds with probability 1 − δ.

    Raises
    ------
    ValueError
        If n is not above 0, the radius is negative, or δ is not between 0 and 1.

    See Also
    --------
    NoveltyDetector : objects unlike the sample, with a bound on false alarms
    mean_distance : distance between two centres of mass

    Notes
    -----
    Cost: O(1).

    Examples
    --------
    >>> import gramian as gm
    >>> round(gm.stability_bound(n=1000, radius=1.0, delta=0.01), 4)
    0.1592
    """
    n, radius, delta = whole(n, "n"), non_negative(radius, "radius"), fraction(delta, "delta")
    return sqrt(2 * radius**2 / n) * (sqrt(2) + sqrt(log(1 / delta)))
