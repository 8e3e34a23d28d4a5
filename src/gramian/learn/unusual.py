"""Why an object is unusual: what would bring it back inside.

An object lies far from the centre of mass, at the distance d(x), for a reason that a person can be told in one of three
ways.

- It has columns. The value of one column is replaced by one that objects have which are like x in the other columns,
  and the column is named whose replacement brings d down most; then the next one. So a value is unusual given the
  others, not only by itself. Where no single replacement helps (an object so strange in several columns that a kernel
  tells it from nothing) the column comes first that would make the most of its like unusual, too.
- It has explicit features with names: words, substrings. d² = Σ_u (φ_u(x) − c_u)² is a sum, and its largest terms are
  named, exactly.
- Otherwise it is told which objects it is most like, and how little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gramian.checks import Array, is_sparse
from gramian.gram.gram import features_on_host
from gramian.kernels.algebra import Kernel, Pullback
from gramian.kernels.standardize import Standardize
from gramian.learn.fields import Fields, fields_of, kind_of
from gramian.space.vectors import Vectors

if TYPE_CHECKING:
    from gramian.learn.novelty import NoveltyDetector

MOST_TYPICAL = 2000  # objects among which those like an unusual one are looked for
LIKE = (20, 50)  # of them, a tenth but so many at least and at most, by which the usual values are told
DONORS = 3  # of them that are given its values, where no replacement of one value helps
SHARES = (0.5, 0.3, 0.7, 0.1, 0.9)  # quantiles that are tried in the place of a number
OTHERS = 4  # categories that are
HELPS = 0.1  # the share of what d is too large by that a replacement must take away to be a help
NOTABLE = 0.1  # of what d is beyond the most typical object that the next replacement must take away to be told
FAR = 0.25  # of the width of the usual range, beyond which a value is told of an object that is inside by now
ALSO = 0.05  # of d that a value takes away which is out of its range, to be told of an object that is inside by now
AS_USUAL = 0.5  # what a fall counts where the value that is replaced is usual
AS_ALL = 0.1  # what it counts where all values differ, as names do
LARGE = 0.02  # of d that the next word must take away to be told
USUAL = (0.05, 0.95)
DIGITS = 9  # of likeness that count


@dataclass(frozen=True)
class Reason:
    """One column, word or substring that makes an object unusual.

    Attributes
    ----------
    column : str
        Its name; where objects have neither columns nor features, the object that this one is most like.
    value : object
        What the object has: its value in the column, its count or weight of the word, the cosine with the neighbour.
    usual : tuple
        The range of a number from the 5 % to the 95 % quantile, or the most frequent categories, among objects that
        are like this one otherwise; of a word among all.
    instead : object
        The value of the column that brings it nearest to the centre; None where nothing is replaced.
    fall : float
        By how much the distance falls if this is mended, after the reasons before; 0 where nothing is.
    """

    column: str
    value: Any
    usual: tuple[Any, ...]
    instead: Any
    fall: float

    def __str__(self) -> str:
        between = " to " if len(self.usual) == 2 and _is_number(self.value) else ", "
        return f"{self.column} {_short(self.value)} (usually {between.join(map(_short, self.usual)) or 'not there'})"


@dataclass(frozen=True)
class Explanation:
    """Why one object is where it is.

    Attributes
    ----------
    distance, threshold : float
        Its distance from the centre, and the one beyond which it is novel.
    reasons : tuple of Reason
        What makes it unusual, the most important first.
    mended : float
        Its distance if all of these were mended.

    See Also
    --------
    NoveltyDetector : objects unlike the sample, with a bound on false alarms
    profiles : what sets classes apart

    Notes
    -----
    Cost: memory for a few numbers for each reason.

    Examples
    --------
    >>> import gramian as gm
    >>> detector = gm.NoveltyDetector(gm.Spectrum(1), alpha=0.1, random_state=0).fit(["abab", "abba", "aab"] * 10)
    >>> detector.explain(["abbzzz"])
    [<3.17, beyond 0.867: z 3 (usually 0 to 0); a 1 (usually 2 to 2); b 2 (usually 1 to 2)>]
    """

    distance: float
    threshold: float
    reasons: tuple[Reason, ...]
    mended: float

    @property
    def novel(self) -> bool:
        """Whether the detector calls it novel."""
        return self.distance > self.threshold

    @property
    def inside(self) -> bool:
        """Whether mending the reasons brings it inside."""
        return self.mended <= self.threshold

    def __repr__(self) -> str:
        side = "beyond" if self.novel else "within"
        why = "; ".join(map(str, self.reasons)) or "nothing stands out"
        return f"<{self.distance:.3g}, {side} {self.threshold:.3g}: {why}>"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _short(value: Any) -> str:
    text = f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)
    return text if len(text) <= 30 else text[:29] + "…"


def explained(
    detector: NoveltyDetector, X: Any, top: int, sample: Any, names: Sequence[str] | None
) -> list[Explanation]:
    """Return why each object is unusual, by its columns, its features or its neighbours."""
    kernel = detector.kernel_
    try:
        fields = fields_of(X, detector)
    except TypeError:
        return _by_features(detector, X, top, sample, names)
    typical = _like(X, _training_vectors(detector)) if sample is None and kernel.on_vectors else sample
    if typical is not None:
        return _by_columns(detector, fields, fields_of(typical, detector), top, names)
    try:
        return _by_features(detector, X, top, sample, names)
    except TypeError as error:
        raise TypeError(
            "a detector keeps no columns of the objects it was fitted on, and an object with columns is explained by "
            "the values that typical ones have: pass them, detector.explain(X, sample=X_train)"
        ) from error


def _training_vectors(detector: NoveltyDetector) -> Array | None:
    """Return the training vectors where the encodings are these, or their standard scores; else None."""
    kernel, points = detector.kernel_, detector.sample_.points
    plain = len(points.parts) == 1 and isinstance(points.parts[0], np.ndarray) and points.parts[0].ndim == 2
    if not plain or points.parts[0].shape[1] != getattr(detector, "n_features_in_", 0):
        return None
    if not isinstance(kernel, Pullback):
        return points.parts[0] if _keeps_vectors(kernel, points.parts[0]) else None
    f = kernel.f
    if isinstance(f, Standardize) and f.mean is not None and _keeps_vectors(kernel.base, points.parts[0]):
        return np.asarray(points.parts[0] * f.scale + f.mean)
    return None


def _like(X: Any, vectors: Array | None) -> Any:
    """Return vectors as a data frame with the columns of X, where X is one."""
    if vectors is None or not hasattr(X, "columns"):
        return vectors
    return type(X)(vectors, **{"schema" if hasattr(X, "with_columns") else "columns": list(X.columns)})


def _keeps_vectors(kernel: Kernel, vectors: Array) -> bool:
    return bool(kernel.on_vectors) and np.array_equal(kernel.encode(vectors[:1]).parts[0], vectors[:1])


# By columns


def _by_columns(
    detector: NoveltyDetector, fields: Fields, typical: Fields, top: int, names: Sequence[str] | None
) -> list[Explanation]:
    if fields.names != typical.names:
        raise ValueError(f"X has the columns {list(fields.names)[:12]} and the sample {list(typical.names)[:12]}")
    # In an order by lot, so that of objects equally alike not those are looked at that happen to come first
    typical = typical.take(np.random.default_rng(0).permutation(len(typical))[:MOST_TYPICAL])
    names = getattr(detector, "feature_names_in_", None) if names is None else names
    called, likeness = fields.called(names), _Likeness(typical)
    own = {name: fields.values(name) for name in fields.names}
    return [
        _Mending(detector, fields.take(np.array([i])), typical, likeness.to({n: v[i] for n, v in own.items()})).explain(
            top, called
        )
        for i in range(len(fields))
    ]


class _Likeness:
    """How far typical objects are from a given one, column by column: Gower's distance.

    Of numbers the difference over the range from 5 to 95 %, at most 1: so that a single wild value makes an object
    equally far from all, and those that are like it in the rest are found. Of texts the share of their words that they
    do not share, of categories 0 or 1.
    """

    def __init__(self, typical: Fields) -> None:
        self.values = {name: typical.values(name) for name in typical.names}
        self.ranges = {name: _range(v) for name, v in self.values.items() if v.dtype.kind in "fiu"}
        self.words = {
            name: [set(text.split()) for text in values.tolist()]
            for name, values in self.values.items()
            if kind_of(values) == "text" and all(isinstance(text, str) for text in values.tolist())
        }

    def to(self, own: dict[Hashable, Any]) -> dict[Hashable, Array]:
        """Return for each column the typical objects that are most like this one in the other columns.

        It may be one of the sample, and must not be asked about itself: one that equals it is left out.
        """
        apart = np.stack([self._apart(name, value) for name, value in own.items()])
        total, count = apart.sum(axis=0), int(np.clip(apart.shape[1] // 10, *LIKE))
        others = np.delete(np.arange(len(total)), np.flatnonzero(total == 0)[: len(total) > 1])
        rest = np.round(total - apart, DIGITS)  # rounding must not tell by the column itself which are more alike
        return {
            name: others[np.argsort(row[others], kind="stable")[:count]] for name, row in zip(own, rest, strict=True)
        }

    def _apart(self, name: Hashable, value: Any) -> Array:
        values = self.values[name]
        if name in self.ranges and _is_number(value):
            return np.minimum(np.abs(values - float(value)) / self.ranges[name], 1.0)
        if name in self.words and isinstance(value, str):
            own = set(value.split())
            return np.array([1 - len(own & other) / max(len(own | other), 1) for other in self.words[name]])
        return np.array([1.0 if other != value else 0.0 for other in values.tolist()])


def _range(values: Array) -> float:
    low, high = np.quantile(values, USUAL)
    return float(high - low) or float(np.ptp(values)) or 1.0


@dataclass
class _Mending:
    """One object whose values are replaced, column by column, until it is inside."""

    detector: NoveltyDetector
    fields: Fields  # the object, one row
    typical: Fields
    alike: dict[Hashable, Array]

    def __post_init__(self) -> None:
        self.candidates = {name: self._candidates(name) for name in self.fields.names}

    def _candidates(self, name: Hashable) -> Array:
        """Return values that objects like this one have in a column, the most usual first."""
        values = self.typical.values(name)[self.alike[name]]
        if values.dtype.kind in "fiu":
            found = np.quantile(values, SHARES, method="inverted_cdf")
            return found[np.sort(np.unique(found, return_index=True)[1])]
        common = [value for value, _ in Counter(values.tolist()).most_common(OTHERS)]
        return _objects(common, values.dtype)

    def usual(self, name: Hashable) -> tuple[Any, ...]:
        """Return what objects like this one have in a column."""
        values = self.typical.values(name)[self.alike[name]]
        if values.dtype.kind in "fiu":
            low, high = USUAL
            return (
                _plain(np.quantile(values, low, method="lower")),
                _plain(np.quantile(values, high, method="higher")),
            )
        return tuple(_plain(value) for value, count in Counter(values.tolist()).most_common(3) if count > 1)

    def explain(self, top: int, called: dict[Hashable, str]) -> Explanation:
        """Name up to `top` columns, and replace their values by the best ones."""
        distance = first = float(-self.detector.score_samples(self.fields.X)[0])
        threshold, left = float(self.detector.threshold_), list(self.fields.names)
        reasons: list[Reason] = []
        typical, least = np.quantile(self.detector.distances_, (0.5, 0.0)).tolist()
        rises: dict[Hashable, float] = {}
        while left and len(reasons) < top:
            found = self._best(left)
            if reasons and first > threshold >= distance:  # inside: what is told now is as strange by itself
                left = [name for name in left if self._strange(name) and distance - found[name][0] > ALSO * first]
                if not left:
                    break
            name = max(left, key=lambda column: self._weight(column) * (distance - found[column][0]))
            if distance - found[name][0] < HELPS * (distance - typical):
                rises = rises or self._rises()
                strangest = max(left, key=rises.__getitem__)
                name = strangest if rises[strangest] > max(distance - found[name][0], 0) else name
            if reasons and distance <= threshold and self._weight(name) < 1:  # what is usual is no further reason
                break
            after, instead = found[name]
            helped = rises.get(name, 0.0) if after > threshold else 0.0
            least_helped = 0.0 if first > threshold and not reasons else NOTABLE * max(distance - least, 0.0)
            if max(distance - after, helped) <= least_helped:
                break
            value = self.fields.values(name)[0]
            reasons.append(Reason(called[name], _plain(value), self.usual(name), _plain(instead), distance - after))
            self.fields = type(self.fields)(self.fields.put(name, _objects([instead], self.candidates[name].dtype)))
            distance = after
            left.remove(name)
        return Explanation(first, threshold, tuple(reasons), distance)

    def _weight(self, name: Hashable) -> float:
        """Return how much a fall counts: less where the value is usual, or where all differ, so that none is."""
        value, usual = self.fields.values(name)[0], self.usual(name)
        if self.candidates[name].dtype.kind in "fiu" and _is_number(value):
            return AS_USUAL if usual[0] <= value <= usual[1] else 1.0
        if not usual:
            return AS_ALL
        return AS_USUAL if value in usual else 1.0

    def _strange(self, name: Hashable) -> bool:
        """Tell whether a value is strange by itself: one in ten is out of the usual range, but few far out."""
        value, usual = self.fields.values(name)[0], self.usual(name)
        if self.candidates[name].dtype.kind in "fiu" and _is_number(value):
            margin = FAR * (usual[1] - usual[0])
            return not usual[0] - margin <= value <= usual[1] + margin
        return bool(usual) and value not in usual

    def _best(self, left: list[Hashable]) -> dict[Hashable, tuple[float, Any]]:
        """Return for each column the least distance that another value in it gives, and that value."""
        counts = [len(self.candidates[name]) for name in left]
        starts = np.cumsum([0, *counts])
        batch = self.fields.take(np.zeros(starts[-1], dtype=int))
        for name, start, count in zip(left, starts, counts, strict=False):
            values = batch.values(name)
            values = values.astype(np.result_type(values, self.candidates[name]), copy=True)
            values[start : start + count] = self.candidates[name]
            batch = type(batch)(batch.put(name, values))
        distances = -self.detector.score_samples(batch.X)
        best = [start + int(np.argmin(distances[start : start + n])) for start, n in zip(starts, counts, strict=False)]
        return {
            name: (float(distances[k]), self.candidates[name][k - start])
            for name, k, start in zip(left, best, starts, strict=False)
        }

    def _rises(self) -> dict[Hashable, float]:
        """Return how much farther objects like this one would be if they had its value in a column."""
        names = self.fields.names
        found = {}
        for name in names:
            donors = self.typical.take(self.alike[name][:DONORS])
            given = donors.put(name, np.repeat(self.fields.values(name), len(donors)))
            before, after = (-self.detector.score_samples(X) for X in (donors.X, given))
            found[name] = float((after - before).mean())
        return found


def _objects(items: list[Any], dtype: Any) -> Array:
    found = np.empty(len(items), dtype=dtype)
    for place, item in enumerate(items):
        found[place] = item
    return found


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


# By features, or by neighbours


def _by_features(
    detector: NoveltyDetector, X: Any, top: int, sample: Any, names: Sequence[str] | None
) -> list[Explanation]:
    """Name the largest terms of d² = Σ_u (φ_u(x) − c_u)², c the centre."""
    kernel, center, images = detector.kernel_, detector.center_, detector._images(X)
    joint = center.points.concat(images.points)  # in columns that both have
    columns = list(getattr(detector, "feature_names_in_", ())) if names is None else list(names)
    columns = columns or [f"column {j}" for j in range(getattr(detector, "n_features_in_", 0))]
    try:
        phi, features = features_on_host(kernel, joint), kernel.named(joint, columns)
    except TypeError as error:
        if sample is None:
            raise TypeError(
                f"objects under {kernel!r} have no columns, and no features that could be named ({error}): pass "
                "typical objects, detector.explain(X, sample=X_train), and the ones they are most like are told"
            ) from error
        return _by_neighbours(detector, images, top, sample)
    n = len(center.points)
    phi = phi.tocsc() if is_sparse(phi) else phi
    middle = np.asarray(phi[:n].T @ np.asarray(center.weights)).ravel()
    distances = -detector.score_samples(X)
    found = []
    for place, distance in enumerate(distances.tolist()):
        row = phi[[n + place]]
        own = row.toarray().ravel() if is_sparse(row) else row.ravel()
        terms = np.square(own - middle)
        order = np.argsort(-terms, kind="stable")[:top]
        left = np.sqrt(np.maximum(distance**2 - np.cumsum(terms[order]), 0.0))
        falls = -np.diff(np.append(distance, left))
        reasons = tuple(
            Reason(features[u], float(own[u]), _usual(phi, n, u), float(middle[u]), float(fall))
            for u, fall in zip(order, falls, strict=True)
            if fall > LARGE * distance
        )
        mended = float(left[len(reasons) - 1]) if reasons else distance
        found.append(Explanation(distance, float(detector.threshold_), reasons, mended))
    return found


def _usual(phi: Any, n: int, u: int) -> tuple[float, float]:
    column = phi[:n, [u]].toarray().ravel() if is_sparse(phi) else phi[:n, u]
    low, high = np.quantile(column, USUAL, method="inverted_cdf")
    return float(low), float(high)


def _by_neighbours(detector: NoveltyDetector, images: Vectors, top: int, sample: Any) -> list[Explanation]:
    """Name the typical objects that each is most like, by the cosine in feature space."""
    typical = detector._images(sample)
    called = [str(one) for one in sample]
    among = typical.cosines()
    np.fill_diagonal(among, -np.inf)
    nearest = np.sort(among, axis=1)[:, ::-1][:, :top]
    cosines, distances = images.cosines(typical), images.distances(detector.center_)
    found = []
    for row, distance in zip(cosines, distances.tolist(), strict=True):
        order = np.argsort(-row, kind="stable")[:top]
        usual = [tuple(np.quantile(nearest[:, rank], USUAL).tolist()) for rank in range(nearest.shape[1])]
        reasons = tuple(
            Reason(f"most like {called[k]},", float(row[k]), usual[rank], None, 0.0)
            for rank, k in enumerate(order[: len(usual)])
        )
        found.append(Explanation(distance, float(detector.threshold_), reasons, distance))
    return found
