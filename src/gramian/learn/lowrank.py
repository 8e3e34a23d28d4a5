"""Learning in a few explicit features: samples of any size, in one pass and in memory that does not grow with them.

A learner that is given a `rank`, or a sample that cannot be worked through exactly in reasonable time, sees its objects
through `rank` landmarks: projected on the span of their images (`kernels.nystrom`). What it needs of the objects are
then the moments of their features (`space.moments`), and what it learns is an element of that span: `sample_` are the
landmarks, and `dual_coef_` their coefficients.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from os import PathLike
from typing import Any, Literal, Self, TypeAlias, cast

import numpy as np
import scipy.linalg
from sklearn.utils.validation import check_is_fitted

from gramian.checks import Array, warn, whole
from gramian.factor.machine import DENSE, TYPICAL
from gramian.factor.solve import ridged_factor
from gramian.formula.encoded import Encoded
from gramian.gram.gram import Gram, features_on_host
from gramian.intake.batches import Batches
from gramian.intake.collections import Collection
from gramian.kernels.algebra import Kernel
from gramian.kernels.nystrom import Nystrom
from gramian.learn.base import KernelEstimator
from gramian.learn.path import Kind, Residuals, RidgePath, factors
from gramian.learn.sklearn_private import count_objects, take_rows
from gramian.learn.ways import Exact, Part, Summed
from gramian.places import CORES, Place
from gramian.runtime.progress import task
from gramian.runtime.tree import Tree
from gramian.space.moments import Chunk, Moments, Summary, dense
from gramian.space.vectors import FeatureSpace, Vectors

Rank: TypeAlias = int | Literal["exact"] | None

DEFAULT_RANK = 1000
AFFORDABLE = 2e12  # values of κ, about an hour's work of the cores
AFFORDABLE_EXPENSIVE = 1e8  # where each of them takes long
HEAD = 20_000  # objects of a stream from which a kernel is settled and landmarks are chosen
TELLING = 1000  # objects by which a kernel tells whether it has explicit features
OBJECTS_AT_A_TIME = 2**16  # objects of an array that are taken at a time
SETTLED = {
    "kernel_",
    "sample_",
    "classes_",
    "n_features_in_",
    "feature_names_in_",
    "_kind",
    "_lot",
}  # before objects are summed


def given_rank(rank: Any) -> int | None:
    """Return the number of landmarks that was given, None where there was none; refuse anything but "exact" else."""
    if rank is None or (isinstance(rank, str) and rank == "exact"):
        return None
    return whole(rank, "rank")


def compares_exactly(n: int) -> bool:
    """Tell whether all of K is decomposed for the errors at many ridges, because low rank would take longer."""
    low = TYPICAL.pivoted(n, DEFAULT_RANK, single=True) + TYPICAL.prepared(n, DEFAULT_RANK)
    return n <= DEFAULT_RANK or TYPICAL.decomposed(n) <= low


def reasonable(kernel: Kernel, n: int, products: int, place: Place = CORES) -> bool:
    """Tell whether so many products with the K of n objects can be computed in reasonable time by a place.

    The values of a K that can be held are computed once for all of them.
    """
    if kernel.matrix_free:
        return True
    products = 1 if 8 * n * n / 2 <= place.hold else products
    return products * n * n / 2 <= (AFFORDABLE_EXPENSIVE if kernel.traits.expensive else AFFORDABLE * place.speed)


def landmark_coefficients(kernel: Nystrom, weights: Array) -> Array:
    """Return β with Σⱼ βⱼ φ̃(landmark j) = w, for weights w of the explicit features."""
    return np.asarray(scipy.linalg.solve_triangular(kernel.basis[1], weights, lower=True, trans="T"))


class Reducible(KernelEstimator):
    """An estimator that can learn from a sample through a few explicit features."""

    rank: Rank
    products = 1  # with K that an exact answer takes, roughly
    probe = 10_000  # objects at which leave-one-out errors are looked at

    _way: Exact | Summed | None = None

    @staticmethod
    def _source(X: Any) -> Any:
        """Return what is gone through batch by batch as `Batches`: iterators, and readers of Arrow."""
        if isinstance(X, str | PathLike):
            raise TypeError(f"X is a name, {X!r}: a file is read by gm.Batches({X!r}, target=...)")
        return Batches(X) if isinstance(X, Iterator) else X

    def _reduces(self, X: Any) -> bool:
        """Tell whether this sample is to be seen through a few landmarks."""
        if given_rank(self.rank) is not None or self.rank == "exact":
            return self.rank != "exact"
        kernel = cast(Kernel, X.kernel) if isinstance(X, Gram) else self._require_kernel()
        n = X.count if isinstance(X, Batches) else count_objects(X)
        place = X.place if isinstance(X, Gram | Batches) else CORES
        return n is not None and not reasonable(kernel, n, self.products, place) and not self._has_features(X)

    def _has_features(self, X: Any) -> bool:
        """Tell whether the kernel has few explicit features for such objects, and needs no landmarks."""
        if isinstance(X, Gram):
            dim = X.kernel.feature_dim(X.rows)
        else:
            if isinstance(X, Batches):
                some = X.head(TELLING)[0]
            else:
                some = take_rows(X, np.arange(min(TELLING, count_objects(X))))
            kernel = self.kernel.fit(self._checked(some, self.kernel, True))
            dim = kernel.feature_dim(kernel.encoded(some))
        return dim is not None and dim <= DENSE

    def _start(self, X: Any, scatter: bool = True, present: Array | None = None) -> None:
        """Settle the kernel on a sample (those that are `present`), choose landmarks in it, and begin a summary."""
        rank = given_rank(self.rank) or DEFAULT_RANK
        if isinstance(X, Gram):
            self._learn_sample(X)
            low = Nystrom.seen_from(self.kernel_, X.rows if present is None else X.rows[np.flatnonzero(present)], rank)
        else:
            sample = self._checked(X.sample(HEAD, 0)[0] if isinstance(X, Batches) else X, self._require_kernel(), True)
            sample = sample if present is None else take_rows(sample, np.flatnonzero(present))
            low = Nystrom(self.kernel, rank).fit(sample)
        self.kernel_ = low.base
        self.sample_ = Vectors(FeatureSpace(self.kernel_), low.basis[0])
        self._begin(low, scatter)

    def _goes_on(self) -> bool:
        """Tell whether there are moments, seen through landmarks, that more objects can be added to."""
        given_rank(self.rank)
        if self.rank == "exact":
            raise ValueError('rank is "exact", and partial_fit learns in low rank; give the number of landmarks')
        way = self._way
        if way is not None and not way.in_low_rank and way.is_under(self.kernel, self.rank):
            if hasattr(self, "dual_coef_"):
                self._turn_to_low_rank(self._learnt_from())
            else:
                self._way = None
        self._require_same_way(in_low_rank=True)
        return self._landmarks is not None

    def _learnt_from(self) -> Chunk:
        """Return the objects that an exact fit has learnt from, with what belongs to them."""
        return Chunk(self.sample_.points)

    def _turn_to_low_rank(self, chunk: Chunk) -> None:
        """Look at what was learnt exactly through landmarks, so that more can be added to it."""
        labels = {} if self._way is None else self._way.labels
        low = Nystrom.seen_from(self.kernel_, chunk.points, given_rank(self.rank) or DEFAULT_RANK)
        self.sample_ = Vectors(FeatureSpace(self.kernel_), low.basis[0])
        self._begin(low).labels = labels
        for some in pieces(chunk):
            self._add(some)

    def _require_same_way(self, in_low_rank: bool) -> None:
        """Refuse to go on where what was learnt before was learnt in another way."""
        if self._way is not None:
            self._way.require_same(self.kernel, self.rank, in_low_rank)

    def _begin(self, kernel: Kernel, scatter: bool = True) -> Summed:
        """Begin a summary of explicit features: of landmarks, or of a kernel that has them."""
        self._way = Summed(self.kernel, self.rank, summary=Summary(kernel, scatter))
        return self._way

    def _begin_exactly(self) -> None:
        """Begin to learn with all objects at hand."""
        self._way = Exact(self.kernel, self.rank)

    @property
    def _summed(self) -> Summed:
        """What was summed up, of a learner that has learnt so."""
        return cast(Summed, self._way)

    @property
    def _is_summed(self) -> bool:
        """Whether what was learnt comes from moments."""
        return isinstance(self._way, Summed)

    @property
    def _landmarks(self) -> Nystrom | None:
        """The landmarks through which the objects were seen, where they were."""
        return None if self._way is None else self._way.landmarks

    def _forget(self, *names: str) -> None:
        """Forget what was worked out from an earlier sample."""
        for name in names:
            self.__dict__.pop(name, None)

    def _keep_names(self, X: Any) -> Self:
        """Keep the names of the columns that came in batches, so that new tables are checked by them."""
        if isinstance(X, Batches) and X.feature_names is not None and self.kernel_.on_vectors:
            self.feature_names_in_ = np.array(X.feature_names, dtype=object)
            self.n_features_in_ = len(X.feature_names)
            self._came_in_batches = True
        return self

    def _prepared(self, X: Any, y: Any) -> tuple[Any, Any, bool]:
        """Return a sample as it is to be learnt from, and whether through landmarks; an exact answer needs it whole."""
        X = self._source(X)
        if isinstance(X, Batches) and y is not None:
            raise ValueError("y is given beside batches, which have targets of their own: gm.Batches(X, target=y)")
        reduced = self._reduces(X)
        if isinstance(X, Batches) and not reduced:
            X, y = self._gathered(X)
            reduced = self._reduces(X)
        return X, y, reduced

    def _gathered(self, batches: Batches) -> tuple[Gram, Array | None]:
        """Return the Gram of all objects of a stream, which an exact answer needs, and their targets."""
        sample = self._checked(batches.sample(HEAD, 0)[0], self._require_kernel(), True)
        kernel = self.kernel.fit(sample)
        parts = [(kernel.encoded(self._checked(X, kernel, False)), y) for X, y in batches]
        targets = None if parts[0][1] is None else np.concatenate([y for _, y in parts])
        return Gram(kernel, joined([points for points, _ in parts])), targets

    def _chunks(self, X: Any, y: Any, weights: Array | None) -> Iterator[tuple[Encoded, Any, Array | None]]:
        """Go through a sample: encoded objects, their targets, their weights."""
        if isinstance(X, Batches):
            total = None if X.count is None else -(-X.count // X.rows)
            with task("objects, batch by batch", total) as told:
                for some, targets in X:
                    yield self.kernel_.encoded(self._checked(some, self.kernel_, False)), targets, None
                    told.step()
            return
        points = X.rows if isinstance(X, Gram) else self.kernel_.encoded(self._checked(X, self.kernel_, False))
        with task("objects, in low rank", -(-len(points) // OBJECTS_AT_A_TIME)) as told:
            for chunk in pieces(Chunk(points, y, weights)):
                yield chunk.points, chunk.numbers, chunk.weights
                told.step()

    def _add(self, chunk: Chunk) -> None:
        """Add objects to what is summed up."""
        self._summed.add(chunk, self.probe)

    def _sum_up(self, X: Any, y: Any = None, weights: Array | None = None) -> None:
        """Add all objects of a sample to what is summed up: chunk by chunk, in a fixed tree.

        The chunks of a collection are worked on where they are. Those of `Batches` and collections bring targets of
        their own, which are looked at with them; `y` was looked at before.
        """
        before = self._so_far()
        start = before.way.summary.count
        if isinstance(X, Collection):
            there = self._helper()
            total = X.summed(partial(part_of, there, start), partial(join_of, there), "objects, in low rank")
        else:
            tree: Tree[Part] = Tree(self._join)
            for part in self._parts(X, y, weights, start):
                tree.push(part)
            total = tree.total()
        self._keep_sums(self._join(before, total))

    def _parts(self, X: Any, y: Any, weights: Array | None, start: int) -> Iterator[Part]:
        """Go through a sample, and sum up each chunk by itself."""
        if not isinstance(X, Batches):
            for points, some, w in self._chunks(X, y, weights):
                yield self._part(points, some, w, start)
                start += len(points)
            return
        with task("objects, batch by batch", None if X.count is None else -(-X.count // X.rows)) as told:
            for objects, targets in X:
                yield self._part_of(objects, targets, start)
                told.step()
                start += count_objects(objects)

    def _part_of(self, X: Any, y: Any, start: int, weights: Array | None = None) -> Part:
        """Return some objects of a stream, as they come, summed up by themselves."""
        if not count_objects(X):
            return Part(self._summed.begun_anew())
        points = self.kernel_.encoded(self._checked(X, self.kernel_, False))
        return self._part(points, self._told(y, points), weights, start)

    def _so_far(self) -> Part:
        """Return what was summed up before."""
        return Part(self._summed)

    def _keep_sums(self, part: Part) -> None:
        """Keep what is summed up now."""
        self._way = part.way

    def _part(self, points: Encoded, some: Any, weights: Array | None, start: int) -> Part:
        """Return some objects summed up by themselves; `start` is the place of the first among all of them."""
        way = self._summed.begun_anew()
        way.add(self._chunk(way, points, some, weights), self.probe, start)
        return Part(way)

    def _join(self, part: Part, other: Part) -> Part:
        """Return two parts together, `other` being what came after; they stay as they are."""
        return part.joined(other, self.probe)

    def _chunk(self, way: Summed, points: Encoded, some: Any, weights: Array | None) -> Chunk:
        """Return objects with what is summed up beside them."""
        return Chunk(points)

    def _told(self, some: Any, points: Encoded) -> Any:
        """Return checked targets of some objects of a stream, where they count."""
        return None

    def _helper(self) -> Self:
        """Return what it takes to sum up objects elsewhere: the settings, and what was settled so far."""
        settled = self.get_params(deep=False) | {name: held for name, held in vars(self).items() if name in SETTLED}
        found = object.__new__(type(self))
        way = None if self._way is None else self._summed.begun_anew()
        found.__dict__.update(settled, _way=way, _came_in_batches=True)
        return found

    def _warn_if_automatic(self) -> None:
        """Say so where a sample was too large to be worked through exactly, and how much is lost by that."""
        if self.rank is None:
            warn(
                f"{type(self).__name__}: {self._summed.summary.count:,} objects cannot be worked through exactly in "
                f"reasonable time, and were seen through {len(self.sample_)} landmarks instead, which leave out "
                f'{self.trace_error_:.1e} of the trace of K; give a larger rank for a smaller error, or rank="exact"'
            )

    @property
    def trace_error_(self) -> float:
        """The share of the trace of K that the landmarks leave out; 0 for an exact answer."""
        check_is_fitted(self)
        return 0.0 if self._way is None else self._way.trace_error


def part_of(learner: Reducible, before: int, X: Any, y: Any, start: int, *weights: Array) -> Part:
    """Return some objects of a collection as a learner sums them up; `before` came before all of it."""
    return learner._part_of(X, y, before + start, *weights)


def join_of(learner: Reducible, part: Part, other: Part) -> Part:
    """Return two parts together, as a learner sums them up."""
    return learner._join(part, other)


def pieces(chunk: Chunk, size: int | None = None) -> Iterator[Chunk]:
    """Cut a chunk into smaller ones."""
    size = OBJECTS_AT_A_TIME if size is None else size
    for start in range(0, len(chunk.points), size):
        yield chunk[start : start + size]


def joined(parts: list[Encoded]) -> Encoded:
    """Put encodings one after the other, two and two, so that each is copied few times."""
    while len(parts) > 1:
        parts = [a.concat(b) for a, b in zip(parts[::2], parts[1::2], strict=False)] + parts[len(parts) // 2 * 2 :]
    return parts[0]


class RidgeOfMoments:
    """Ridge regression at any λ, from the moments of explicit features and targets side by side.

    With A = Φᵀ W Φ = V diag(σ²) Vᵀ (about the means where there is an intercept) and B = Φᵀ W Y the weights of the
    features are V f/σ² Vᵀ B, f the factors of the smoother.

    `floor` is the share of the largest σ² below which one is a rounding error, where that decides the answer.
    """

    floor = 0.0

    def __init__(self, moments: Moments, dim: int, intercept: bool, kind: Kind, count: int, floor: float = 0.0) -> None:
        table = moments.scatter if intercept else moments.about_origin()
        self.A, self.B = table[:dim, :dim], table[:dim, dim:]
        self.intercept, self.kind, self.count = intercept, kind, count
        self.floor = floor
        self.weight, self.mean, self.target = moments.weight, moments.mean[:dim], moments.mean[dim:]
        self._squares = float(np.trace(table[dim:, dim:]))

    @cached_property
    def _spectrum(self) -> tuple[Array, Array]:
        values, axes = scipy.linalg.eigh(self.A, check_finite=False)
        noise = max(len(values) * float(np.finfo(np.float64).eps), self.floor) * max(float(values[-1]), 0.0)
        kept = values > noise
        return values[kept][::-1], axes[:, kept][:, ::-1]

    @property
    def values(self) -> Array:
        """σ², the largest first; those that are rounding errors are left out."""
        return self._spectrum[0]

    @property
    def axes(self) -> Array:
        """V."""
        return self._spectrum[1]

    @cached_property
    def inside(self) -> Array:
        """Vᵀ B."""
        return np.asarray(self.axes.T @ self.B)

    def weights(self, lam: float) -> Array:
        """Return the weights of the explicit features; at a single ridge without a decomposition."""
        if self.kind == "shrinkage" and lam > 0 and "_spectrum" not in self.__dict__:
            factor = ridged_factor(self.A.copy(), lam)
            W = scipy.linalg.cho_solve(factor, self.B, check_finite=False)
            return np.asarray(W + scipy.linalg.cho_solve(factor, self.B - self.A @ W - lam * W, check_finite=False))
        scaled = factors(self.values, lam, self.kind)[0] / self.values
        return np.asarray(self.axes @ (scaled[:, None] * self.inside))

    def constant(self, W: Array) -> Array:
        """Return the intercept that belongs to weights."""
        return np.asarray(self.target - self.at_mean(W) if self.intercept else np.zeros_like(self.target))

    def residual(self, lam: float, W: Array) -> float:
        """Return ‖(A + λI) W − B‖ / ‖B‖."""
        unit = float(np.abs(self.B).max(initial=0.0))  # so that no square overflows
        left = self.A @ W + lam * W - self.B
        return float(np.linalg.norm(left / unit) / np.linalg.norm(self.B / unit)) if unit > 0 else 0.0

    def within(self, W: Array) -> Array:
        """Return A⁻¹ W, for weights in the span of the data."""
        return np.asarray(self.axes @ ((self.axes.T @ W) / self.values[:, None]))

    def at_mean(self, W: Array) -> Array:
        """Return the value at the origin of the features, their mean where there is an intercept."""
        return np.asarray(self.mean @ W if self.intercept else np.zeros(W.shape[1]))

    def dof(self, lam: float) -> float:
        """Return the trace of the smoother."""
        return float(factors(self.values, lam, self.kind)[0].sum()) + self.intercept

    def path(self, ridges: Array, probe: Chunk, kernel: Kernel, left_out: float) -> RidgePath:
        """Return the errors at all ridges; leave-one-out errors are those of the objects of the probe."""
        targets = self.B.shape[1]
        energy = np.square(self.inside).sum(axis=1) / self.values
        missing = self.count - len(self.values) - self.intercept  # directions of the objects that the features lack
        outside = max(self._squares - float(energy.sum()), 0.0) if missing > 0 else 0.0
        weights = np.ones(len(probe.points)) if probe.weights is None else probe.weights
        loo, gcv, dof = np.empty(len(ridges)), np.full(len(ridges), np.inf), np.empty(len(ridges))
        seen = Seen(self, probe, kernel)
        for k, lam in enumerate(ridges):
            f, left = factors(self.values, lam, self.kind)
            dof[k] = f.sum() + self.intercept
            room = (left.sum() + missing) / self.count
            if room > 0:
                gcv[k] = (outside + energy @ np.square(left)) / (self.weight * targets) / room**2
            loo[k] = np.square(seen.at(f, lam == 0).loo).sum() / (weights.sum() * targets)
        return RidgePath(ridges, loo, gcv, dof, left_out)


class Seen:
    """Objects of the sample in the principal directions, in which every ridge costs O(n · directions)."""

    def __init__(self, ridge: RidgeOfMoments, chunk: Chunk, kernel: Kernel) -> None:
        self._ridge, self._weights, self._kernel = ridge, chunk.weights, kernel
        self._P = self._along(chunk.points)
        self._Y = np.asarray(chunk.numbers) - (ridge.target if ridge.intercept else 0.0)

    def _along(self, points: Encoded) -> Array:
        """Return the coordinates of objects along the principal directions."""
        phi, ridge = dense(features_on_host(self._kernel, points)), self._ridge
        return np.asarray((phi.astype(np.float64) - (ridge.mean if ridge.intercept else 0.0)) @ ridge.axes)

    def influences(self, points: Encoded, f: Array) -> Array:
        """Return how much the target of each of these objects weighs in the predictions of others."""
        influence = (
            self._along(points) * (f / self._ridge.values)
        ) @ self._P.T + self._ridge.intercept / self._ridge.weight
        return influence if self._weights is None else influence * self._weights

    def at(self, f: Array, unridged: bool = False) -> Residuals:
        """Return residuals and room for the factors of a ridge, as seen through the weights of the objects.

        Without any ridge, f = 1, also how they begin to grow with one.
        """
        scaled = f / self._ridge.values
        E = self._Y - self._P @ (scaled[:, None] * self._ridge.inside)
        h = np.square(self._P) @ scaled + self._ridge.intercept / self._ridge.weight
        rounding = 16 * self._P.shape[1] * float(np.finfo(np.float64).eps)
        slope = None
        if unridged:
            steep = 1 / np.square(self._ridge.values)
            change = self._P @ (steep[:, None] * self._ridge.inside)
            slope = Residuals(self._weighted(change), self._weighted(np.square(self._P) @ steep, squared=True))
        E, room = self._weighted(E), 1 - self._weighted(h, squared=True)
        return Residuals(E, np.where(room > rounding, room, 0.0), slope)

    def _weighted(self, values: Array, squared: bool = False) -> Array:
        """Return residuals, or squares, as they are seen through the weights of the objects."""
        if self._weights is None:
            return values
        return self._weights * values if squared else np.sqrt(self._weights)[:, None] * values
