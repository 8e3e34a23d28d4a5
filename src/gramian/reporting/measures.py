"""Numbers of a geometry from its matrices, and how far those of a sample may be off.

The error of a figure that is computed from m objects drawn at random is one standard error: in two of three samples the
figure of all objects lies within it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import scipy.special
from scipy.stats import rankdata

from gramian.checks import Array
from gramian.gram.threads import aside

PARTS = 10  # into which a sample is cut, to see how far the dimension of one differs from that of another


def effective_dimension(K: Array, n: int) -> float:
    """Return (Σλ)² / Σλ² of n objects from the centred matrix of all, or of some drawn at random.

    Σλ² = ‖K‖² is estimated by the mean squares on and off the diagonal, which a sample tells without bias.
    """
    scale = float(np.abs(np.diagonal(K)).max())
    if scale == 0:
        return 0.0
    K = K / scale  # whose squares do not overflow
    m, diagonal = len(K), np.diagonal(K)
    on = float(np.square(diagonal).mean())
    off = float((np.square(K).sum() - np.square(diagonal).sum()) / max(m * (m - 1), 1))
    squares = (1 - 1 / n) * off + on / n
    return min(float(diagonal.mean() ** 2 / squares), n - 1.0) if squares > 0 else 0.0


def dimension_error(K: Array, n: int) -> float:
    """Return the standard error of the effective dimension that a sample tells, from its parts."""
    parts = np.array_split(np.random.default_rng(0).permutation(len(K)), PARTS)  # rows may be sorted
    return standard_error(np.array([effective_dimension(K[np.ix_(part, part)], n) for part in parts]))


def nearest_cosine(K: Array) -> float:
    """Return the cosine of the angle, from 0 to 1, that half of the objects have with the one they are most like."""
    lengths = np.sqrt(np.diagonal(K).clip(0))
    lengths[lengths == 0] = np.inf
    cosines = np.abs(K / lengths[:, None] / lengths)
    np.fill_diagonal(cosines, 0.0)
    return min(float(np.median(cosines.max(axis=1))), 1.0)


def leading_shares(K: Array, k: int = 2) -> float:
    """Return the share of the trace of a centred matrix that its k largest eigenvalues hold; 0 if there is none."""
    trace, n = float(np.trace(K)), len(K)
    if trace <= 0:
        return 0.0
    largest = aside(lambda: np.linalg.eigvalsh(K / (trace / n)))[-k:] * (trace / n)
    return min(float(largest.clip(0).sum()) / trace, 1.0)


class Difference(NamedTuple):
    """A mean difference of losses, its standard error, and the degrees of freedom of that."""

    value: float
    error: float
    freedom: int


def paired(one: Array, other: Array, factor: float, unit: Array | None = None) -> Difference:
    """Return by how much the losses of one model exceed those of another at the same objects.

    Differences are taken object by object, and summed over units of objects that belong together. `factor` is what the
    variance is larger by than that of independent differences because the models of a cross-validation learn from
    much the same objects: 1 + J m / ℓ for J folds with m objects to predict and ℓ to learn from (Nadeau & Bengio 2003).
    """
    difference = one - other
    scale = float(np.abs(difference).max(initial=0.0)) or 1.0
    difference = difference / scale
    unit = np.arange(len(difference)) if unit is None else np.unique(unit, return_inverse=True)[1]
    sizes, sums = np.bincount(unit), np.bincount(unit, difference)
    mean, many = float(difference.mean()), len(sums)
    if many < 2:
        return Difference(mean * scale, float("inf"), 1)
    squares = float(np.square(sums - mean * sizes).sum()) * many / (many - 1)
    return Difference(mean * scale, scale * sqrt(factor * squares) / len(difference), many - 1)


def oftener(one: Array, other: Array, factor: float, unit: Array | None = None) -> Difference:
    """Return by how much the losses of one model exceed those of another in signed ranks, which no outlier sways."""
    difference = one - other
    ranks = np.sign(difference) * rankdata(np.abs(difference)) / max(len(difference), 1)
    return paired(ranks, np.zeros(len(ranks)), factor, unit)


def associated(y: Array, predicted: Array, folds: Sequence[Array], unit: Array) -> Difference:
    """Return by how much predictions of objects not seen go with the truth: the mean product of their ranks.

    Ranks are taken about their means within each fold, so that a model which has learnt nothing is right by chance,
    however heavy the tails of y are. Products are summed over units of objects that belong together. The sum over
    folds is a quadratic form of y in which most pairs of objects occur twice, for they learn from each other: that
    doubles the variance.
    """
    ranks, products = (rankdata(y) - 0.5) / len(y), np.zeros(len(y))
    for test in folds:
        said = rankdata(predicted[test]) / len(test)
        products[test] = (ranks[test] - ranks[test].mean()) * (said - said.mean())
    sums = np.bincount(np.unique(unit, return_inverse=True)[1], products)
    return Difference(
        float(sums.sum()) / len(y), sqrt(2 * float(np.square(sums).sum())) / len(y), max(len(sums) - 1, 1)
    )


def beyond(found: Difference, alpha: float = 0.025) -> bool:
    """Tell whether a difference is larger than chance would make it but in a share alpha of cases."""
    return found.value > quantile(found, alpha) * found.error


def quantile(found: Difference, alpha: float) -> float:
    """Return how many standard errors chance exceeds in a share alpha of cases (Student's t)."""
    return float(scipy.special.stdtrit(found.freedom, 1 - alpha))


def silhouettes(D: Array, labels: Array) -> Array:
    """Return the silhouette of each object of a clustering from all distances; 0 for one alone in its cluster."""
    present, label = np.unique(labels, return_inverse=True)
    if len(present) < 2:
        return np.zeros(len(D))
    member = np.equal.outer(label, np.arange(len(present))).astype(np.float64)
    sizes = member.sum(axis=0)
    sums = D @ member
    own, n = sizes[label], len(D)
    a = sums[np.arange(n), label] / np.maximum(own - 1, 1)
    means = sums / sizes
    means[np.arange(n), label] = np.inf
    b = means.min(axis=1)
    larger = np.maximum(a, b)
    return np.where((own > 1) & (larger > 0), (b - a) / np.where(larger > 0, larger, 1.0), 0.0)


def standard_error(values: Array) -> float:
    """Return the standard error of the mean of values drawn at random."""
    if len(values) < 2:
        return float("nan")
    scale = float(np.abs(values).max()) or 1.0  # the squares of large values would overflow
    return scale * float(np.std(values / scale, ddof=1)) / sqrt(len(values))


def root_mean_square(residuals: Array) -> tuple[float, float]:
    """Return the root mean square of residuals and its standard error; those of an object stand in a row."""
    squares = np.square(residuals).reshape(len(residuals), -1).mean(axis=1)
    root = sqrt(float(squares.mean()))
    return root, standard_error(squares) / (2 * root) if root > 0 else 0.0
