"""Moments: what is left of any number of objects once their features are explicit and few.

    weight  Σ wᵢ        mean  μ = Σ wᵢ rᵢ / Σ wᵢ        scatter  Σ wᵢ (rᵢ − μ)(rᵢ − μ)ᵀ

of rows r = φ(x), or φ(x) and the targets y side by side: ΦᵀΦ, Φᵀy and yᵀy are then blocks of one matrix. Ridge
regression, Fisher's discriminant, principal components and centres of mass follow from them, in one pass over the data
and memory O(features²), whatever n is.

Each run of objects is taken about its own mean and two such summaries are merged exactly (Chan, Golub and LeVeque), so
that nothing cancels however far from the origin the data lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from scipy.linalg import blas, solve_triangular

from gramian.checks import Array, is_sparse
from gramian.formula.encoded import Encoded
from gramian.gram.gram import features
from gramian.kernels.algebra import Kernel
from gramian.kernels.nystrom import Nystrom
from gramian.places import CORES, Matrix, Place, on_host, place_of
from gramian.runtime.journal import is_kept, remember
from gramian.runtime.threads import one_blas_thread, run
from gramian.runtime.tree import Tree

EXACT = 2**24  # whole numbers below this have a place in single precision
MOMENT_ROWS = 2048  # objects whose features are held at a time by each core
SHARES = 16  # of a chunk, at most: each is summed up by one core, and all of them in a fixed tree


class Moments:
    """Weight, mean and scatter of rows of numbers, as more and more of them come in.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]])
    >>> m = Moments(2)
    >>> m.add(rows[:2])
    >>> m.add(rows[2:])
    >>> m.weight, m.mean, m.scatter
    (3.0, array([3., 5.]), array([[ 8., 14.],
           [14., 26.]]))
    """

    def __init__(self, width: int, scatter: bool = True, place: Place = CORES) -> None:
        self.weight = 0.0
        self.mean = np.zeros(width)
        # The scatter, where it is wanted; of its upper triangle nothing is known.
        self.lower: Matrix = place.zeros(width) if scatter else None

    @property
    def scatter(self) -> Array:
        """Σ wᵢ (rᵢ − μ)(rᵢ − μ)ᵀ."""
        lower = np.tril(place_of(self.lower).host(self.lower))
        return np.ascontiguousarray(lower + np.tril(lower, -1).T)

    @property
    def largest(self) -> float:
        """The largest magnitude in the scatter; NaN, where one is; 0 where there is no scatter."""
        return 0.0 if self.lower is None else float(np.abs(place_of(self.lower).host(self.lower)).max(initial=0.0))

    def about_origin(self) -> Array:
        """Return Σ wᵢ rᵢ rᵢᵀ."""
        return np.asarray(self.scatter + self.weight * np.outer(self.mean, self.mean))

    def add(self, rows: Matrix, weights: Array | None = None, numbers: Array | None = None) -> None:
        """Take in rows, and numbers beside them; products of rows are made in their own precision, summed in double."""
        total = float(len(rows) if weights is None else weights.sum())
        if total == 0:
            return
        place = place_of(rows)
        if numbers is not None and place.dtype(rows) == np.float64:
            rows, numbers = place.beside(rows, numbers), None
        parts = [rows] if numbers is None else [rows, place.array(numbers)]
        means = [place.mean(part, weights) for part in parts]
        if self.lower is not None:
            self._scatter([place.moved(part, mean, weights) for part, mean in zip(parts, means, strict=True)])
        self._shift(total, np.concatenate(means))

    def add_counts(self, rows: Any, numbers: Array | None = None) -> None:
        """Take in sparse rows of whole numbers that `_exact` has looked at, and numbers beside them.

        In single precision BLAS multiplies them without an error, and their scatter has one rounding:
        n ΦᵀΦ − (Φᵀ1)(Φᵀ1)ᵀ is a whole number.
        """
        n, m = rows.shape
        sums = np.asarray(rows.sum(axis=0)).reshape(-1)
        means = [sums / n] if numbers is None else [sums / n, numbers.mean(axis=0, dtype=np.float64)]
        if self.lower is not None:
            table = blas.ssyrk(1.0, rows.astype(np.float32).toarray().T, lower=1).astype(np.float64)
            table *= n
            table = blas.dsyr(-1.0, sums, lower=1, a=table, overwrite_a=1)
            table /= n
            self.lower[:m, :m] += table
            if numbers is not None:
                moved = numbers - means[1]
                self.lower[m:, :m] += (rows.T @ moved).T
                self.lower[m:, m:] += moved.T @ moved
        self._shift(float(n), np.concatenate(means))

    def _scatter(self, parts: list[Matrix]) -> None:
        place, lower, rows, m = place_of(self.lower), self.lower, parts[0], parts[0].shape[1]
        if place.dtype(rows) == np.float64:
            self.lower = place.syrk(rows, lower)
            return
        place.syrk(rows, lower[:m, :m])
        for numbers in parts[1:]:
            lower[m:, :m] += numbers.T @ place.cast(rows, np.float64)
            lower[m:, m:] += numbers.T @ numbers

    def solved(self, L: Array) -> Moments:
        """Return the moments of the rows (L⁻¹ c, y), where those here are of rows (c, y)."""
        m, found = len(L), Moments(len(self.mean), self.lower is not None)
        found.weight, found.mean = self.weight, self.mean.copy()
        found.mean[:m] = solve_triangular(L, self.mean[:m], lower=True, check_finite=False)
        if self.lower is not None:
            place = place_of(self.lower)
            table, triangle = place.array(self.scatter), place.array(L)
            table[:m] = place.trsm(triangle, table[:m])
            table[:, :m] = place.trsm(triangle, table[:, :m].T).T
            found.lower = place.array(np.asfortranarray(place.host((table + table.T) / 2)))
        return found

    def scale_from(self, place: int, factor: float) -> None:
        """Multiply the numbers of all rows from a place on."""
        self.mean = np.concatenate([self.mean[:place], factor * self.mean[place:]])
        if self.lower is not None:
            self.lower[place:, :] *= factor
            self.lower[:, place:] *= factor

    def copy(self) -> Moments:
        """Return moments that share no memory with these."""
        found = Moments(len(self.mean), scatter=False)
        found.weight, found.mean = self.weight, self.mean.copy()
        found.lower = None if self.lower is None else self.lower * 1
        return found

    def packed(self) -> Array:
        """Return all of it as one row of numbers."""
        return np.concatenate([[self.weight], self.mean, *self._numbers()])

    def _numbers(self) -> list[Array]:
        return [] if self.lower is None else [place_of(self.lower).host(self.lower).ravel(order="F")]

    @classmethod
    def unpacked(cls, row: Array, width: int, place: Place = CORES) -> Moments:
        """Return what `packed` has made a row of."""
        found = cls(width, scatter=False, place=place)
        found.weight, found.mean = float(row[0]), row[1 : width + 1]
        if len(row) > width + 1:
            found.lower = place.array(row[width + 1 :].reshape(width, width, order="F"))
        return found

    def absorb(self, other: Moments) -> None:
        """Take in the rows that `other` has seen."""
        if other.weight:
            if self.lower is not None:
                self.lower += other.lower
            self._shift(other.weight, other.mean)

    def joined(self, other: Moments) -> Moments:
        """Return the moments of the rows of both, which stay as they are."""
        found = self.copy()
        found.absorb(other)
        return found

    def _shift(self, weight: float, mean: Array) -> None:
        """Put together two means, and add what their distance contributes to the scatter."""
        total = self.weight + weight
        gap = mean - self.mean
        if self.lower is not None:
            self.lower = place_of(self.lower).syr(self.weight * weight / total, gap, self.lower)
        self.mean = self.mean + weight / total * gap
        self.weight = total


@dataclass(eq=False)
class Chunk:
    """Some encoded objects, with what belongs to each of them: numbers, a weight, the number of its group."""

    points: Encoded
    numbers: Array | None = None
    weights: Array | None = None
    groups: Array | None = None

    @property
    def rest(self) -> tuple[Array | None, Array | None, Array | None]:
        """What belongs to the objects."""
        return self.numbers, self.weights, self.groups

    def __getitem__(self, index: Any) -> Chunk:
        """Select objects by a slice or an index array."""
        return Chunk(self.points[index], *(None if part is None else part[index] for part in self.rest))

    def copy(self) -> Chunk:
        """Return objects that share no memory with these."""
        return Chunk(self.points.copy(), *(None if part is None else part.copy() for part in self.rest))

    def scaled(self, factor: float) -> Chunk:
        """Return these with their numbers multiplied."""
        return replace(self, numbers=None if self.numbers is None else factor * self.numbers)

    def concat(self, other: Chunk) -> Chunk:
        """Put other objects after these."""
        pairs = zip(self._weighted(other).rest, other._weighted(self).rest, strict=True)
        rest = (None if p is None or q is None else np.concatenate([p, q]) for p, q in pairs)
        return Chunk(self.points.concat(other.points), *rest)

    def _weighted(self, other: Chunk) -> Chunk:
        """Return these with weights where others have them: without one, an object counts as one."""
        missing = self.weights is None and other.weights is not None
        return replace(self, weights=np.ones(len(self.points))) if missing else self


class Summary:
    """The moments of explicit features of objects that come in chunks, group by group.

    Values with landmarks are summed up as they are wherever no digits are lost by that, and turned into features once,
    at the end: Φ = C L⁻ᵀ gives ΦᵀΦ = L⁻¹ CᵀC L⁻ᵀ, which saves half of the work.

    Attributes
    ----------
    kernel : Kernel
        Whose features these are: a `Nystrom` one, or one that has them.
    dim : int
        Number of features.
    count, present : int
        Number of objects, and of those with a weight above 0.
    trace, largest : float
        Σ wᵢ κ(xᵢ, xᵢ), and the largest √κ(x, x), under the kernel that landmarks look at.
    """

    def __init__(self, kernel: Kernel, scatter: bool = True) -> None:
        self.kernel = kernel
        self.landmarks = kernel if isinstance(kernel, Nystrom) else None
        self.scatter = scatter
        self.trace = self.largest = 0.0
        self.dim = self.count = self.present = 0
        self._sums: list[Moments] = []

    def __copy__(self) -> Summary:
        """Return the same sums, to which more can be added without these taking note."""
        found = object.__new__(Summary)
        vars(found).update(vars(self), _sums=[sums.copy() for sums in self._sums])
        return found

    @property
    def groups(self) -> list[Moments]:
        """The moments of the rows (φ(x), numbers) of each group; one group where none are told apart."""
        low = self.landmarks
        return [sums.solved(low.basis[1]) for sums in self._sums] if low and self._raw(self._dtype) else self._sums

    @property
    def weights(self) -> list[float]:
        """The weight of each group."""
        return [sums.weight for sums in self._sums]

    def rounding(self) -> float:
        """Return what rounding errors may be in eigenvalues of the scatter, as a share of the largest.

        Errors of values with landmarks are magnified by L⁻¹; where sums of values were turned into those of features
        that goes into the eigenvalues themselves, and otherwise only into their roots.
        """
        ratio, eps = 1.0, float(np.finfo(self._dtype).eps)
        if self.landmarks is not None:
            pivots = np.square(np.diagonal(self.landmarks.basis[1]))
            ratio = float(pivots.max() / pivots.min()) * (1.0 if self._raw(self._dtype) else eps)
        return float(16 * self.dim**0.5 * eps * max(ratio, 1.0))

    def left_out(self, groups: list[Moments]) -> float:
        """Return the share of the trace of K that the features leave out, given the moments of all groups."""
        if self.trace == 0:  # as it is without landmarks, which alone leave anything out
            return 0.0
        seen = sum(float(np.trace(found.about_origin()[: self.dim, : self.dim])) for found in groups)
        return max(0.0, 1 - seen / self.trace)

    def scale_numbers(self, factor: float) -> None:
        """Multiply the numbers beside the features of all objects so far."""
        for sums in self._sums:
            sums.scale_from(self.dim, factor)

    def joined(self, other: Summary, places: Sequence[int] | None = None) -> Summary:
        """Return the sums over the objects of both, which stay as they are.

        `places` are the numbers that the groups of the other have here, where they are not the same.
        """
        found = copy(self)
        if not other.count:
            return found
        found.dim, found._dtype = other.dim, other._dtype
        for number, sums in enumerate(other._sums):
            place = number if places is None else places[number]
            while len(found._sums) <= place:
                found._sums.append(_none_of(sums))
            found._sums[place].absorb(sums)
        found.count, found.present = self.count + other.count, self.present + other.present
        found.trace, found.largest = self.trace + other.trace, max(self.largest, other.largest)
        return found

    def _raw(self, dtype: np.dtype[Any]) -> bool:
        return self.landmarks is not None and (not self.scatter or self.landmarks.steady(dtype))

    def add(self, chunk: Chunk) -> None:
        """Take in a chunk, on all cores, a run of objects at a time."""
        chunk = self._wide_enough(chunk)
        self.dim = cast(int, self.kernel.feature_dim(chunk.points))
        self._dtype = self.kernel.value_type(chunk.points)
        width = self.dim + (0 if chunk.numbers is None else chunk.numbers.shape[1])
        count = 1 if chunk.groups is None else int(chunk.groups.max()) + 1
        place = place_of(chunk.points)
        self._sums += [Moments(width, self.scatter, place) for _ in range(count - len(self._sums))]
        for group, found in zip(self._sums, self._remembered(chunk, width, count), strict=False):
            group.absorb(found)
        n = len(chunk.points)
        self.count += n
        self.present += n if chunk.weights is None else int(np.count_nonzero(chunk.weights))
        if self.landmarks is not None:
            norms = self.landmarks.base.rough_norms(chunk.points).astype(np.float64)
            self.trace += float(norms.sum() if chunk.weights is None else chunk.weights @ norms)
            self.largest = max(self.largest, float(np.sqrt(norms.max())))

    def _wide_enough(self, chunk: Chunk) -> Chunk:
        """Return a chunk in double precision where a device then sums values, and need not solve for each object.

        Devices multiply matrices in double precision as fast as in single; to solve takes as long as to sum.
        """
        low, dtype = self.landmarks, self.kernel.value_type(chunk.points)
        wide = np.dtype(np.float64)
        if low is None or not self.scatter or place_of(chunk.points) is CORES or dtype == wide:
            return chunk
        return chunk if low.steady(dtype) or not low.steady(wide) else replace(chunk, points=chunk.points.astype(wide))

    def _remembered(self, chunk: Chunk, width: int, count: int) -> list[Moments]:
        """Return the moments of the groups of one chunk, from the journal where one is kept."""
        if not is_kept():
            return self._moments(chunk, width, count)
        table = remember(
            lambda: ("moments", self.kernel, self.scatter, on_host(chunk.points), *chunk.rest),
            lambda _: np.stack([found.packed() for found in self._moments(chunk, width, count)]),
        )
        return [Moments.unpacked(row, width, place_of(chunk.points)) for row in table]

    def _moments(self, chunk: Chunk, width: int, count: int) -> list[Moments]:
        """Return the moments of the groups of one chunk."""
        n, place = len(chunk.points), place_of(chunk.points)
        spans = place.stripes(n, n if self.kernel.traits.whole_columns else MOMENT_ROWS)
        size = -(-len(spans) // SHARES)
        shares = [spans[start : start + size] for start in range(0, len(spans), size)]
        lanes = min(place.lanes, len(shares))
        tree: Tree[list[Moments]] = Tree(_absorbed)

        sums: list[list[Moments]] = []

        def work(lane: int, share: list[slice]) -> None:
            for span in share:
                self._take(chunk[span], sums[lane])

        with one_blas_thread():
            for first in range(0, len(shares), lanes):  # no more than one share for each lane has sums at a time
                some = shares[first : first + lanes]
                sums[:] = [[Moments(width, self.scatter, place) for _ in range(count)] for _ in some]
                run(work, some, lanes)
                for found in sums:
                    tree.push(found)
        return tree.total()

    def _take(self, chunk: Chunk, sums: list[Moments]) -> None:
        low = self.landmarks
        rows = low.values(chunk.points) if low and self._raw(self._dtype) else features(self.kernel, chunk.points)
        if chunk.weights is None and chunk.groups is None and _exact(rows):
            sums[0].add_counts(rows, chunk.numbers)
            return
        rows = dense(rows)
        for number, group in enumerate(sums):
            chosen = slice(None) if chunk.groups is None else np.flatnonzero(chunk.groups == number)
            weights, numbers = (None if p is None else p[chosen] for p in (chunk.weights, chunk.numbers))
            group.add(rows[chosen], weights, numbers)


def _absorbed(groups: list[Moments], others: list[Moments]) -> list[Moments]:
    for group, other in zip(groups, others, strict=True):
        group.absorb(other)
    return groups


def _none_of(sums: Moments) -> Moments:
    """Return the moments of no rows, in the place of others."""
    return Moments(len(sums.mean), sums.lower is not None, CORES if sums.lower is None else place_of(sums.lower))


def _exact(rows: Any) -> bool:
    """Tell whether rows are sparse and hold whole numbers, so small that sums of their products are exact in single."""
    if not is_sparse(rows) or rows.dtype != np.float64 or not rows.nnz:
        return False
    largest = float(np.abs(rows.data).max())
    return bool(largest**2 * rows.shape[0] < EXACT and (rows.data == np.rint(rows.data)).all())


def dense(phi: Any) -> Any:
    """Return features as a dense array."""
    return phi.toarray() if is_sparse(phi) else phi
