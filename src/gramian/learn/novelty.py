"""Novelty detection by the distance to the centre of mass, with a guarantee (seed 000, Algorithm 5.4).

    d(x) = ‖φ(x) − φ_S‖,        φ_S = (1/ℓ) Σᵢ φ(xᵢ)

An object is called novel when d(x) exceeds a threshold. Two thresholds come with a proof, for data drawn independently
from one distribution:

- The bound (Proposition 5.5). max d(xᵢ) + 2 √(2R²/ℓ) (√2 + √ln(1/δ)): but for an event of probability δ the centre of
  mass is so near the true mean that a new object exceeds this only if it is the farthest of ℓ + 1 objects from that
  mean, which has probability 1/(ℓ + 1). So over samples and new objects together the rate of false alarms is at most
  1/(ℓ + 1) + δ. (The text reads as if nearly every sample had the rate 1/(ℓ + 1). That is more than the argument gives,
  and false: a sample may by chance lack a small far part of the distribution.) R is the radius of the distribution's
  support in feature space, known exactly where the kernel bounds κ(x, x), estimated by the largest norm of the sample
  otherwise. The kernel has to be fixed before the data is seen.
- Split conformal. The centre is taken from one part of the sample; of the m distances of the other part the
  ⌈(m + 1)(1 − α)⌉-th smallest is the threshold. A new object exceeds it with probability at most α, exactly, whatever
  the distribution and the kernel, and however small the sample.
"""

from __future__ import annotations

import warnings
from math import ceil, inf, log, sqrt
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import _num_samples

from gramian.checks import Array, fraction
from gramian.gram.gram import Gram
from gramian.kernels.algebra import Kernel
from gramian.learn.base import MEDIAN_GAUSSIAN, KernelEstimator, offered_if
from gramian.space.means import stability_bound
from gramian.space.vectors import Vectors


class NoveltyDetector(OutlierMixin, KernelEstimator):  # type: ignore[misc]
    """Tell objects that are unlike the sample, with a bound on the rate of false alarms (Algorithm 5.4).

    Parameters
    ----------
    kernel : Kernel
        By default the Gaussian with the median distance as bandwidth.
    delta : float
        δ, the probability with which the bound may fail (``calibration="bound"``).
    calibration : "bound" or "conformal"
        Where the threshold comes from. The bound never raises an alarm on the sample itself and needs thousands of
        objects to be of use. The conformal threshold gives the rate of false alarms you ask for.
    alpha : float
        The rate of false alarms wanted (``calibration="conformal"``).
    calibration_size : float
        Share of the sample that the conformal threshold is taken from; the rest makes the centre.
    random_state : int, RandomState instance or None
        How the sample is split.

    Attributes
    ----------
    kernel_, sample_
        The settled kernel and the images of the objects that make the centre.
    center_ : Vectors
        φ_S, the centre of mass.
    radius_ : float
        R. `radius_is_exact_` tells whether the kernel vouches for it or the sample suggests it.
    threshold_ : float
        Objects farther than this from the centre are novel.
    offset_ : float
        −`threshold_`: decision_function = score_samples − offset_.
    false_alarm_bound_ : float
        1/(ℓ + 1), which the rate of false alarms exceeds by no more than δ, averaged over samples; or the conformal
        rate, the largest multiple of 1/(m + 1) that is at most α.
    distances_ : array
        Distances from the centre: of the sample, or in the conformal mode of its calibration part.

    Warns
    -----
    UserWarning
        If the threshold is larger than any distance that the kernel allows, so that no object can ever be called novel.

    Notes
    -----
    This is not the `nu` of scikit-learn's OneClassSVM, which bounds the share of *training* points left outside and
    says nothing with certainty about new ones.

    Examples
    --------
    >>> import gramian as gm
    >>> setosa = gm.load_iris().data[:50]
    >>> detector = gm.NoveltyDetector(calibration="conformal", alpha=0.1, random_state=0).fit(setosa)
    >>> detector.predict([[5.0, 3.4, 1.5, 0.2], [6.0, 2.9, 4.5, 1.5]])      # a setosa, a versicolor
    array([ 1, -1])
    >>> detector.p_values([[6.0, 2.9, 4.5, 1.5]]).round(3)
    array([0.038])
    """

    center_: Vectors
    radius_: float
    radius_is_exact_: bool
    threshold_: float
    offset_: float
    false_alarm_bound_: float
    distances_: Array

    def __init__(
        self,
        kernel: Kernel = MEDIAN_GAUSSIAN,
        delta: float = 0.01,
        calibration: Literal["bound", "conformal"] = "bound",
        alpha: float = 0.05,
        calibration_size: float = 0.5,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.delta = delta
        self.calibration = calibration
        self.alpha = alpha
        self.calibration_size = calibration_size
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the centre and the threshold; y is ignored.

        Parameters
        ----------
        X : objects that the kernel accepts, or their symmetric Gram
            In the conformal mode a kernel that takes something from data takes it from the part that makes the centre.
        """
        if self.calibration not in ("bound", "conformal"):
            raise ValueError(f"calibration is {self.calibration!r}; 'bound' or 'conformal' expected")
        self.__dict__.pop("_ordered", None)
        if self.calibration == "bound":
            self._fit_bound(X)
        else:
            self._fit_conformal(X)
        self.offset_ = -self.threshold_
        return self

    def _fit_bound(self, X: Any) -> None:
        delta = fraction(self.delta, "delta")
        sample = self._learn_sample(X)
        self._center(sample)
        self.distances_ = sample.distances(self.center_)
        reach = float(self.distances_.max())
        self.threshold_ = reach + 2 * stability_bound(len(sample), self.radius_, delta)
        self.false_alarm_bound_ = 1 / (len(sample) + 1)
        farthest = self._farthest()
        if self.threshold_ >= farthest:
            room = (2 * sqrt(2) * self.radius_ * (sqrt(2) + sqrt(log(1 / delta)))) ** 2
            remedies = 'calibration="conformal", for which some 2 / alpha objects are enough'
            if farthest > reach:
                enough = ceil(room / (farthest - reach) ** 2)
                remedies = (
                    f"about {enough:,} objects like these instead of {len(sample):,}; a larger delta; or {remedies}"
                )
            warnings.warn(
                f"this detector can never fire: its threshold is {self.threshold_:.3g}, and no object is farther than "
                f"{farthest:.3g} from the centre under {self.kernel_!r}. What would change that: {remedies}",
                UserWarning,
                stacklevel=3,
            )

    def _fit_conformal(self, X: Any) -> None:
        alpha = fraction(self.alpha, "alpha")
        train, held_out = self._split(X)
        self._center(self._learn_sample(train))
        self.distances_ = np.sort(self._images(held_out).distances(self.center_))
        self._ordered = np.square(self.distances_)
        m = len(self.distances_)
        rank = ceil(round((m + 1) * (1 - alpha), 9))  # the digits of 1 − α beyond the ninth are rounding
        self.false_alarm_bound_ = max(m + 1 - rank, 0) / (m + 1)
        self.threshold_ = sqrt(self._ordered[rank - 1] + self._rounding()) if rank <= m else inf
        if rank > m:
            warnings.warn(
                f"this detector can never fire: with {m} objects set aside for calibration the rate of false alarms "
                f"can be 1/{m + 1} = {1 / (m + 1):.3g} or more, and alpha is {alpha:g}. What would change that: at "
                f"least {ceil(round(1 / alpha, 9)) - 1:,} objects for calibration, or a larger alpha",
                UserWarning,
                stacklevel=3,
            )

    def _split(self, X: Any) -> tuple[Any, Any]:
        share = fraction(self.calibration_size, "calibration_size")
        n = _num_samples(X)
        if not 1 <= ceil(share * n) <= n - 1:
            raise ValueError(
                f"calibration_size is {share:g}, and n_samples={n} only: at least one object expected for the "
                "centre, and one for the calibration"
            )
        if isinstance(X, Gram):
            train, held_out = train_test_split(np.arange(len(X)), test_size=share, random_state=self.random_state)
            return X.take(train), X.take(held_out)
        train, held_out = train_test_split(X, test_size=share, random_state=self.random_state)
        return train, held_out

    def _center(self, sample: Vectors) -> None:
        self.center_ = sample.mean()
        bound = self.kernel_.radius
        self.radius_is_exact_ = bound < inf
        self.radius_ = bound if self.radius_is_exact_ else float(sample.norms().max())

    def _rounding(self) -> float:
        """Return by how much equal squared distances may differ: an object is scored alone or in company."""
        kernel, points = self.kernel_, self.sample_.points
        if kernel.explicit(points):
            return 64 * float(np.finfo(np.float64).eps) * float(self._ordered.max())
        norms = kernel.squared_norms(points)
        return max(kernel.accuracy(norms.dtype), 64 * float(np.finfo(norms.dtype).eps)) * float(norms.max())

    def _farthest(self) -> float:
        """Return a distance from the centre that no object can exceed: R² − 2 ⟨φ(x), φ_S⟩ + ‖φ_S‖² at its largest."""
        if not self.radius_is_exact_:
            return inf
        norm = self.center_.norm()
        return sqrt(self.radius_**2 + norm**2) if self.kernel_.non_negative else self.radius_ + norm

    def score_samples(self, X: Any) -> Array:
        """Return −d(x): the larger, the more normal."""
        return np.asarray(-self._images(X).distances(self.center_))

    def decision_function(self, X: Any) -> Array:
        """Return `threshold_` − d(x): negative for novel objects."""
        return np.asarray(self.score_samples(X) - self.offset_)

    def predict(self, X: Any) -> Array:
        """Return −1 for novel objects, +1 for the others."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    @offered_if(lambda self: self.calibration == "conformal")
    def p_values(self, X: Any) -> Array:
        """Return (1 + #{calibration distances ≥ d(x)}) / (m + 1): valid p-values of "x is of the same distribution".

        For such an x the probability of a p-value of at most α is at most α. Only with ``calibration="conformal"``.
        """
        squares = np.square(self.score_samples(X))
        if not hasattr(self, "_ordered"):
            raise ValueError('this detector was fitted with calibration="bound": fit it again')
        m = len(self._ordered)
        return np.asarray((1 + m - np.searchsorted(self._ordered, squares - self._rounding(), side="left")) / (m + 1))
