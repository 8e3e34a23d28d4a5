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
  otherwise. The kernel has to be fixed before the data is seen. In low rank the centre is not φ_S but its projection
  Pφ_S on the span of the landmarks. Both ways from there to the true mean μ, of the sample and of the new object, may
  be longer by ‖φ_S − Pφ_S‖, for ‖Pφ_S − μ‖ ≤ ‖φ_S − μ‖ + ‖φ_S − Pφ_S‖: the threshold is max d(xᵢ) + 2 ‖φ_S − Pφ_S‖ +
  2 √(2R²/ℓ) (√2 + √ln(1/δ)).
- Split conformal. The centre is taken from one part of the sample; of the m distances of the other part the
  ⌈(m + 1)(1 − α)⌉-th smallest is the threshold. A new object exceeds it with probability at most α, exactly, whatever
  the distribution and the kernel, and however small the sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, inf, log, sqrt
from typing import Any, Literal, Self, cast

import numpy as np
import scipy.linalg
from sklearn.base import OutlierMixin
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from gramian.checks import Array, fraction, warn, whole
from gramian.formula.encoded import Encoded
from gramian.gram.gram import Gram
from gramian.intake.batches import Batches
from gramian.intake.collections import Collection
from gramian.intake.draws import lots
from gramian.kernels.algebra import Kernel, remainder
from gramian.kernels.nystrom import Nystrom
from gramian.learn.base import MEDIAN_GAUSSIAN, offered_if, undone_if_refused
from gramian.learn.lowrank import HEAD, Rank, Reducible, given_rank, landmark_coefficients
from gramian.learn.sklearn_private import count_objects, take_rows
from gramian.learn.unusual import Explanation, explained
from gramian.learn.ways import Part
from gramian.runtime.journal import keeping
from gramian.space.means import stability_bound
from gramian.space.moments import Chunk
from gramian.space.vectors import Vectors

COUNTABLE = 1e15  # objects: to ask for more of them is no advice
CALIBRATING = 2**17  # objects of a stream that are set aside, roughly and at most: they tell a rate to three digits
SHORTEST_RUN = 512  # objects, at least, whose mean is compared with its projection at a time


class NoveltyDetector(OutlierMixin, Reducible):  # type: ignore[misc]
    """Tell objects that are unlike the sample, with a bound on the rate of false alarms (Algorithm 5.4).

    The centre of the sample's images is computed, and an object that is farther from it than a threshold is called
    novel.

    Parameters
    ----------
    kernel : Kernel
        By default the Gaussian with the median distance as bandwidth.
    delta : float
        δ, the probability with which the bound may fail (``calibration="bound"``).
    calibration : "conformal" or "bound"
        Where the threshold comes from. The conformal one gives the rate of false alarms you ask for, from 2 / alpha
        objects on (40 by default). The bound of Proposition 5.5 never raises an alarm on the sample itself and needs
        thousands of objects to be of use.
    alpha : float
        The rate of false alarms wanted (``calibration="conformal"``).
    calibration_size : float
        Share of the sample that the conformal threshold is taken from; the rest makes the centre.
    random_state : int, RandomState instance or None
        How the sample is split.
    rank : int, "exact" or None
        Number of landmarks from which the centre of mass is combined (`Nystrom`): one pass over the data and O(rank)
        memory, for any n. Distances from that centre are exact; how near it is to the true one `trace_error_` tells,
        and the bound allows for it.
        By default the centre is exact wherever that takes reasonable time (some million vectors), and of rank 1000
        beyond.
    checkpoint : path, optional
        A directory in which long work is kept as it goes on: after a crash the same call continues from there, and
        gives the same answer. It can be deleted when the fit is done.

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
        −`threshold_`: ``decision_function = score_samples − offset_``.
    false_alarm_bound_ : float
        1/(ℓ + 1), which the rate of false alarms exceeds by no more than δ, averaged over samples; or the conformal
        rate, the largest multiple of 1/(m + 1) that is at most α.
    trace_error_, variance_error_ : float
        The shares of the trace of K, and of the variance about the centre of mass, that landmarks leave out; 0 for an
        exact centre.
    distances_ : array
        Distances from the centre: of the sample, or in the conformal mode of its calibration part.

    Raises
    ------
    ValueError
        In `fit`: if `alpha`, `delta` or `calibration_size` is not between 0 and 1, or `calibration` is unknown.

    Warns
    -----
    UserWarning
        If no object can ever be called novel: there are fewer than 1/alpha − 1 objects to calibrate with (`threshold_`
        is then infinite, and `false_alarm_bound_` 0), or the bound is larger than any distance that the kernel allows.

    See Also
    --------
    stability_bound : how well a sample knows its centre
    Explanation : why one object is unusual
    ParzenClassifier : the nearest centre of mass

    Notes
    -----
    This is not the `nu` of scikit-learn's OneClassSVM, which bounds the share of *training* points left outside and
    says nothing with certainty about new ones.

    Cost: O(n²) kernel values and O(n) memory; O(n · rank) with a rank. O(n) kernel values for a new object.

    Examples
    --------
    >>> import gramian as gm
    >>> setosa = gm.load_iris().data[:50]
    >>> detector = gm.NoveltyDetector(alpha=0.1, random_state=0).fit(setosa)
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
    _mute: str | None = None
    _mean: Array | None = None
    _ordered: Array | None = None
    _reach: float
    _astray: float = 0.0
    _unfinished: Encoded | None = None
    _lot: tuple[int, float] | None = None

    def __init__(
        self,
        kernel: Kernel = MEDIAN_GAUSSIAN,
        delta: float = 0.01,
        calibration: Literal["conformal", "bound"] = "conformal",
        alpha: float = 0.05,
        calibration_size: float = 0.5,
        random_state: Any = None,
        rank: Rank = None,
        checkpoint: Any = None,
    ) -> None:
        self.kernel = kernel
        self.delta = delta
        self.calibration = calibration
        self.alpha = alpha
        self.calibration_size = calibration_size
        self.random_state = random_state
        self.rank = rank
        self.checkpoint = checkpoint

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the centre and the threshold; y is ignored.

        Parameters
        ----------
        X : objects that the kernel accepts, their symmetric Gram, or `Batches` of objects
            In the conformal mode a kernel that takes something from data takes it from the part that makes the centre.
        """
        if self.calibration not in ("bound", "conformal"):
            raise ValueError(f"calibration is {self.calibration!r}; 'conformal' or 'bound' expected")
        for name in ("delta", "alpha", "calibration_size"):
            fraction(getattr(self, name), name)
        self._forget("_ordered", "_reach", "_astray", "_unfinished", "_mean")
        source = self._source(X)
        with keeping(self.checkpoint):
            X, _, reduced = self._prepared(source, None)
            if self.calibration == "bound":
                self._fit_bound(X, reduced)
                self._warn_if_mute()
            else:
                self._fit_conformal(X, reduced)
        if reduced:
            self._warn_if_automatic()
        self.offset_ = -self.threshold_
        return self._keep_names(source)

    @offered_if(lambda self: self.calibration == "bound")
    @undone_if_refused
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn from more objects; y is ignored. Only with ``calibration="bound"``.

        With ``rank=None`` exactly, by comparing them with all so far. With a `rank` the first call chooses the
        landmarks, and since earlier objects are not kept, their largest distance is bounded by what it was plus the way
        the centre has gone since: the threshold is never too small. `distances_` are then those of the last objects.
        That there are too few objects yet for any alarm is said by `predict`.
        """
        X = self._source(X)
        low = given_rank(self.rank) is not None
        self._require_same_way(low)
        if self._ordered is not None:
            raise ValueError(
                'this model was fitted with calibration="conformal", which partial_fit cannot go on from: call fit, or '
                "partial_fit on a clone"
            )
        if low:
            if self._landmarks is None:
                self._start(X, scatter=False)
                self._reach, self._astray, self._unfinished = 0.0, 0.0, None
            self._stretch(X)
        else:
            begun = hasattr(self, "threshold_")
            self._begin_exactly()
            for some in (batch for batch, _ in X) if isinstance(X, Batches) else [X]:
                self.sample_ = self.sample_.extend(self._new_images(some)) if begun else self._learn_sample(some)
                begun = True
            self._center(self.sample_)
            self._set_bound(len(self.sample_), self.sample_.distances(self.center_))
        self.offset_ = -self.threshold_
        return self

    def _warn_if_mute(self) -> None:
        """Say so, once, where no object can be called novel."""
        if self._mute is not None:
            warn(self._mute)
        self._mute = None

    def _fit_bound(self, X: Any, reduced: bool) -> None:
        fraction(self.delta, "delta")
        if not reduced:
            self._begin_exactly()
            sample = self._learn_sample(X)
            self._center(sample)
            self._set_bound(len(sample), sample.distances(self.center_))
            return
        self._start(X, scatter=False)
        self._reach, self._astray, self._unfinished = 0.0, 0.0, None
        if isinstance(X, Batches) and X.once:
            self._stretch(X)
            return
        self._sum_up(X)
        self._center_of_moments()
        if isinstance(X, Collection):
            self._reach = max(X.gathered(partial(farthest, self._helper(), self.center_), "objects, once more"))
            distances = self._distances(self._summed.probed.points)
        else:
            distances = np.concatenate([self._distances(points) for points, _, _ in self._chunks(X, None, None)])
            self._reach = float(distances.max())
        self._set_bound(self._summed.summary.count, distances, self._reach_from_mean())

    def _part(self, points: Encoded, some: Any, weights: Array | None, start: int) -> Part:
        """Return some objects summed up, and beside them how far their runs stray from the span of the landmarks."""
        found = super()._part(points, some, weights, start)
        if self.calibration == "bound":
            size = max(SHORTEST_RUN, len(self.sample_))
            first, last = min(-start % size, len(points)), (start + len(points)) // size * size - start
            whole = sum(self._strayed(points[begin : begin + size]) for begin in range(first, last, size))
            found.beside = Runs(points[:first].copy(), whole, None if last < first else points[last:].copy())
        return found

    def _join(self, part: Part, other: Part) -> Part:
        found = super()._join(part, other)
        if isinstance(part.beside, Runs) and isinstance(other.beside, Runs):
            found.beside = part.beside.joined(other.beside, self._strayed)
        else:
            found.beside = part.beside or other.beside
        return found

    def _keep_sums(self, part: Part) -> None:
        super()._keep_sums(part)
        if part.beside is not None:
            self._astray, self._unfinished = part.beside.whole, part.beside.tail

    def _stretch(self, X: Any) -> None:
        """Take in objects that are seen once: the reach grows by what the centre moves, and to the farthest of them."""
        for points, _, _ in self._chunks(X, None, None):
            before = self._mean
            self._add(Chunk(points))
            self._stray(points)
            self._center_of_moments()
            way = 0.0 if before is None else float(np.linalg.norm(self._mean - before))
            distances = self._distances(points)
            self._reach = max(self._reach + way, float(distances.max()))
        self._set_bound(self._summed.summary.count, distances, self._reach_from_mean())

    def _stray(self, points: Encoded) -> None:
        """Add up a bound on n ‖φ_S − Pφ_S‖, run by run: ‖Σ r‖ is at most the sum of that over the runs, r = φ − Pφ.

        Runs are cut from the sequence of all objects, however these come in; the last, unfinished one is kept.
        """
        points = points if self._unfinished is None else self._unfinished.concat(points)
        size = max(SHORTEST_RUN, len(self.sample_))
        whole = len(points) // size * size
        self._astray += sum(self._strayed(points[start : start + size]) for start in range(0, whole, size))
        self._unfinished = points[whole:].copy() if whole < len(points) else None

    def _strayed(self, run: Encoded) -> float:
        """Return m ‖r̄‖ of m objects, ‖r̄‖² = ‖φ̄‖² − ‖Pφ̄‖²: small where the r point in all directions."""
        low = cast(Nystrom, self._landmarks)
        means = low.values(run).mean(axis=0, dtype=np.float64)
        projected = scipy.linalg.solve_triangular(low.basis[1], means, lower=True)
        whole = np.array([Gram(self.kernel_, run).mean()], self.kernel_.value_type(run))
        return len(run) * float(np.sqrt(remainder(whole - projected @ projected, np.abs(whole)))[0])

    def _reach_from_mean(self) -> float:
        """Return how far the objects are from the centre at most, and twice how far that is from the mean."""
        left = self._unfinished
        astray = self._astray + (self._strayed(left) if left is not None and len(left) else 0.0)
        return self._reach + 2 * astray / self._summed.summary.count

    def _set_bound(self, n: int, distances: Array, reach: float | None = None) -> None:
        """Keep the threshold of n objects, given how far they are, or at most are, from the centre."""
        delta = fraction(self.delta, "delta")
        self.distances_ = distances
        reach = float(distances.max()) if reach is None else reach
        self.threshold_ = reach + 2 * stability_bound(n, self.radius_, delta)
        self.false_alarm_bound_ = 1 / (n + 1)
        farthest = self._farthest()
        self._mute = None
        if self.threshold_ >= farthest:
            room = (2 * sqrt(2) * self.radius_ * (sqrt(2) + sqrt(log(1 / delta)))) ** 2
            remedies = 'calibration="conformal", for which some 2 / alpha objects are enough'
            if self._landmarks is not None:
                remedies = f"a larger rank; {remedies}"
            if room < COUNTABLE * (farthest - reach) ** 2 and farthest > reach:
                enough = ceil(room / (farthest - reach) ** 2)
                remedies = f"about {enough:,} objects like these instead of {n:,}; a larger delta; or {remedies}"
            self._mute = (
                f"this detector can never fire: its threshold is {self.threshold_:.3g}, and no object is farther than "
                f"{farthest:.3g} from the centre under {self.kernel_!r}. What would change that: {remedies}"
            )

    def _fit_conformal(self, X: Any, reduced: bool) -> None:
        alpha = fraction(self.alpha, "alpha")
        if reduced:
            distances = self._calibrate_reduced(X)
        else:
            self._begin_exactly()
            train, held_out = self._split(X)
            try:
                self._center(self._learn_sample(train))
            except ValueError as error:
                if count_objects(train) > 1:
                    raise
                raise ValueError(f"of n_samples={count_objects(X)}, one makes the centre: {error}") from error
            distances = self._images(held_out).distances(self.center_)
        self.distances_ = np.sort(distances)
        self._ordered = np.square(self.distances_)
        m = len(self.distances_)
        rank = ceil(round((m + 1) * (1 - alpha), 9))  # the digits of 1 − α beyond the ninth are rounding
        self.false_alarm_bound_ = max(m + 1 - rank, 0) / (m + 1)
        self.threshold_ = sqrt(self._ordered[rank - 1] + self._rounding()) if rank <= m else inf
        if rank > m:
            warn(
                f"this detector can never fire: with {m} objects set aside for calibration the rate of false alarms "
                f"can be 1/{m + 1} = {1 / (m + 1):.3g} or more, and alpha is {alpha:g}. What would change that: at "
                f"least {ceil(round(1 / max(alpha, 1 / COUNTABLE), 9)) - 1:,} objects for calibration, or a larger "
                "alpha"
            )

    def _calibrate_reduced(self, X: Any) -> Array:
        """Take the landmarks and the centre from one part of the sample, and return the distances of the other."""
        if isinstance(X, Batches) and not X.once:
            return self._calibrate_by_lot(X)
        held_out: list[Encoded] = []
        begun = False
        for train, rest in self._splits(X) if isinstance(X, Batches) else [self._split(X)]:
            if count_objects(train) and not begun:
                self._start(train, scatter=False)
                begun = True
            if count_objects(train):
                self._sum_up(train)
            held_out += (
                [points.copy() for points, _, _ in self._chunks(rest, None, None)] if count_objects(rest) else []
            )
        if not begun or not held_out:
            raise too_few()
        self._center_of_moments()
        return np.concatenate([self._distances(points) for points in held_out])

    def _calibrate_by_lot(self, X: Batches) -> Array:
        """Set objects aside by the lots of their places, and return how far these are from the centre of the others."""
        share = fraction(self.calibration_size, "calibration_size")
        seed = int(check_random_state(self.random_state).randint(2**31))
        self._lot = seed, min(share, CALIBRATING / X.count) if X.count else share
        try:
            (some, _), places = X.drawn(HEAD, 0)
            train = take_rows(some, np.flatnonzero(~self._aside(places)))
            if not count_objects(train):
                raise too_few()
            self._start(train, scatter=False)
            self._sum_up(X)
            self._center_of_moments()
            found = X.gathered(partial(distances_aside, self._helper(), self.center_), "objects set aside")
        finally:
            self._forget("_lot")
        distances = np.concatenate(found)
        if not len(distances):
            raise too_few()
        return distances

    def _aside(self, places: Array) -> Array:
        """Tell which objects are set aside, by their places among all of them."""
        seed, share = cast(tuple[int, float], self._lot)
        return np.asarray(lots(places, seed) < share)

    def _part_of(self, X: Any, y: Any, start: int, weights: Array | None = None) -> Part:
        if self._lot is None:
            return super()._part_of(X, y, start)
        train = np.flatnonzero(~self._aside(start + np.arange(count_objects(X))))
        return super()._part_of(take_rows(X, train), None, start) if len(train) else Part(self._summed.begun_anew())

    def _splits(self, batches: Batches) -> Iterator[tuple[Any, Any]]:
        """Split every batch by lot."""
        share, rng = fraction(self.calibration_size, "calibration_size"), check_random_state(self.random_state)
        for some, _ in batches:
            aside = rng.uniform(size=count_objects(some)) < share
            yield tuple(take_rows(some, np.flatnonzero(chosen)) for chosen in (~aside, aside))

    def _center_of_moments(self) -> None:
        """Combine the centre of mass from the landmarks."""
        low = cast(Nystrom, self._landmarks)
        self._mean = self._summed.moments()[0].mean
        self.center_ = self.sample_.combine(landmark_coefficients(low, self._mean))
        self._keep_radius(self._summed.summary.largest)

    @property
    def variance_error_(self) -> float:
        """The share of the variance about the centre of mass that landmarks leave out; 0 for an exact centre."""
        check_is_fitted(self)
        if self._landmarks is None:
            return 0.0
        way, mean = self._summed, cast(Array, self._mean)
        trace, lost = way.summary.trace / way.summary.count, way.mean_left_out()
        variance = trace - float(mean @ mean) - lost
        unseen = way.trace_error * trace - lost
        return min(unseen / variance, 1.0) if variance > unseen > 0 else float(unseen > 0)

    def _distances(self, points: Encoded) -> Array:
        return np.asarray(Vectors(self.sample_.space, points).distances(self.center_))

    def _split(self, X: Any) -> tuple[Any, Any]:
        share = fraction(self.calibration_size, "calibration_size")
        n = count_objects(X)
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
        self._keep_radius(inf if self.kernel_.radius < inf else float(sample.norms().max()))

    def _keep_radius(self, largest: float) -> None:
        """Keep R: what the kernel vouches for, or the largest norm seen."""
        bound = self.kernel_.radius
        self.radius_is_exact_ = bound < inf
        self.radius_ = bound if self.radius_is_exact_ else largest

    def _rounding(self) -> float:
        """Return by how much equal squared distances may differ: an object is scored alone or in company."""
        kernel, points = self.kernel_, self.sample_.points
        if kernel.explicit(points):
            return 64 * float(np.finfo(np.float64).eps) * float(cast(Array, self._ordered).max())
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
        decisions = self.decision_function(X)
        if self.calibration == "bound":
            self._warn_if_mute()  # what partial_fit has not said, for more objects might have come
        return np.where(decisions < 0, -1, 1)

    def explain(
        self, X: Any, top: int = 3, sample: Any = None, names: Sequence[str] | None = None
    ) -> list[Explanation]:
        """Return for each object the two or three columns, words or substrings that make it unusual.

        Parameters
        ----------
        X : objects that the kernel accepts
        top : int
            How many reasons at most; of an object with columns so many as bring it back inside.
        sample : objects, optional
            Typical objects, such as those of the training, whose values are put in the place of unusual ones. A
            detector keeps encodings only, so this is needed for records and data frames; vectors are known to it under
            a plain kernel or a standardized one, and words and substrings need none. Nodes of a graph are told which
            of the sample they are most like.
        names : sequence of str, optional
            What to call the columns of an array.

        Returns
        -------
        list of Explanation
            Each with its `reasons` (column, value, usual range, the value that would mend it, how far the distance
            falls) and whether these bring it `inside`.

        Notes
        -----
        For each object and reason some 5 · columns distances are computed, and of the sample 2,000 objects are looked
        at. Columns are chosen one after another, the one first that brings the distance down most.

        In simulations a value was moved by 6 standard deviations in one of 20 columns of 200 objects, in eight kinds of
        clouds (independent, correlated, in groups, on a curve, skewed, with heavy tails). Of the objects that this
        brought outside, the column was the first reason in 92 to 100 %, and among the reasons in all; of those who
        missed, most had another value as far out of a skewed column. By 4 standard deviations it was the first in 96 to
        100 % of the clouds without heavy tails, and in 64 to 85 % of the others.

        Examples
        --------
        >>> import gramian as gm
        >>> setosa = gm.load_iris().data[:50]
        >>> detector = gm.NoveltyDetector(alpha=0.1, random_state=0).fit(setosa)
        >>> (found,) = detector.explain([[5.0, 3.4, 4.5, 0.2]], names=["sl", "sw", "pl", "pw"])
        >>> found.novel, found.inside, [reason.column for reason in found.reasons]
        (True, True, ['pl'])
        >>> print(found.reasons[0])
        pl 4.5 (usually 1.3 to 1.9)
        """
        check_is_fitted(self)
        return explained(self, X, whole(top, "top"), sample, names)

    @offered_if(lambda self: self.calibration == "conformal")
    def p_values(self, X: Any) -> Array:
        """Return (1 + #{calibration distances ≥ d(x)}) / (m + 1): valid p-values of "x is of the same distribution".

        For such an x the probability of a p-value of at most α is at most α. Only with ``calibration="conformal"``.
        """
        squares = np.square(self.score_samples(X))
        if self._ordered is None:
            raise ValueError('this detector was fitted with calibration="bound": fit it again')
        m = len(self._ordered)
        return np.asarray((1 + m - np.searchsorted(self._ordered, squares - self._rounding(), side="left")) / (m + 1))


@dataclass(frozen=True, eq=False)
class Runs:
    """How far the runs of some objects stray, which are cut from the sequence of all objects however these come in.

    Attributes
    ----------
    head : Encoded
        The end of a run that others have begun, or objects in the midst of one.
    whole : float
        What the runs add up to that are all here.
    tail : Encoded or None
        The beginning of a run that goes on elsewhere; None where no run begins here.
    """

    head: Encoded
    whole: float
    tail: Encoded | None

    def joined(self, other: Runs, strayed: Callable[[Encoded], float]) -> Runs:
        """Return the runs of these objects and of those after them."""
        if self.tail is None:
            return Runs(put_together(self.head, other.head), self.whole + other.whole, other.tail)
        run = put_together(self.tail, other.head)
        if other.tail is None:
            return Runs(self.head, self.whole + other.whole, run)
        return Runs(self.head, self.whole + (strayed(run) if len(run) else 0.0) + other.whole, other.tail)


def put_together(a: Encoded, b: Encoded) -> Encoded:
    """Return the objects of both."""
    return a.concat(b) if len(a) and len(b) else a if len(a) else b


def farthest(learner: NoveltyDetector, center: Vectors, X: Any, y: Any, start: int) -> float:
    """Return how far the farthest of some objects is from a centre."""
    return float(distances_from(learner, center, X).max())


def distances_aside(learner: NoveltyDetector, center: Vectors, X: Any, y: Any, start: int) -> Array:
    """Return how far those of some objects that are set aside are from the centre of the others."""
    aside = np.flatnonzero(learner._aside(start + np.arange(count_objects(X))))
    return distances_from(learner, center, take_rows(X, aside)) if len(aside) else np.empty(0)


def distances_from(learner: NoveltyDetector, center: Vectors, X: Any) -> Array:
    """Return the distances of objects from a centre, under the settings of a learner."""
    points = learner.kernel_.encoded(learner._checked(X, learner.kernel_, False))
    return np.asarray(Vectors(center.space, points).distances(center))


def too_few() -> ValueError:
    """Return the error of a sample that cannot be parted in two."""
    return ValueError("too few objects: at least one expected for the centre, and one for the calibration")
