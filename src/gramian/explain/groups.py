"""Are there groups at all, and how many? Clusters that are tested against one cloud before they are claimed.

Every method of clustering cuts whatever it is given. Here a cut is claimed only where objects that had no say in
placing it confirm it. One half of the objects, drawn at random, proposes a cut A | B: branches of two trees, Ward's for
round groups and that of single linkage about dense points for rings and moons. Each object x of the other half gets one
number,

    s(x) = min_{a ∈ A} d(x, a) − min_{b ∈ B} d(x, b),

negative on the side of A; beside the boundary it is the distance from it, up to sign and a constant. Where noise in
many dimensions drowns the nearest objects, the mean of d² over all of A and B takes their place: the projection on the
line between two centers of mass. Groups that differ in one or two of many columns are drowned in all distances; so the
columns themselves and the first principal components are numbers s(x) as well. All these are proposals: the first half
picks the one with the clearest valley, and only that one is tested. If the objects are one cloud, s has a single heap;
if they are two, there is a valley between two heaps, and `valleys` tests for it with windows that the first half has
placed. Then the halves change places, and their counts are added up. Several halvings are made, and the median of
their p-values counts.

Halves are too few to confirm what lies between small groups, or groups that touch, in many dimensions. So where the
nearest objects are drowned, all objects are asked as well for the clearest valley in the planes of their first
principal components, held against what chance makes of such a search in one cloud (`planes`), and the smaller of the
two p-values counts, twice. Where they are not, rings and moons are to be seen, of which a plane makes two heaps each.
What a cut leaves on either side is tested in the same way until no cut stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from gramian.checks import Array, as_generator, fraction
from gramian.explain.planes import clearest
from gramian.explain.straight import Names, Straight, distinct
from gramian.explain.valleys import Windows, deepest, p_value
from gramian.kernels.algebra import Kernel
from gramian.learn.base import MEDIAN_GAUSSIAN
from gramian.learn.sklearn_private import count_objects

LEAST = 8  # objects of a group
TESTED = 1500  # objects, of more drawn at random
HALVINGS = 5
BRANCHES = 4  # of each tree that are tried as one side of a cut
COMPONENTS = 5  # principal ones, which with the columns are
DIRECTIONS = 6  # of which so many are tried
DROWNED = 0.3  # of the median distance, beyond which the nearest objects tell nothing of shapes
CHUNK = 1000  # objects whose nearest neighbors are found at a time

Score: TypeAlias = "Callable[[_Cloud], Array]"


@dataclass(frozen=True)
class Boundary:
    """A boundary between groups that stands.

    Attributes
    ----------
    sizes : tuple of two int
        How many of the tested objects lie on its two sides.
    p_value : float
        Of "there is no valley along it, less than two thirds as dense as either side".
    depth : float
        How densely objects lie along the boundary, as a share of the less dense side; 0 is a gap.
    """

    sizes: tuple[int, int]
    p_value: float
    depth: float


@dataclass(frozen=True, eq=False)
class Clusters:
    """The answer of `find_clusters`.

    Attributes
    ----------
    count : int
        Number of clusters; 1 is one cloud.
    labels : array of shape (n,)
        The cluster of each object, the largest first.
    p_value : float
        Of "this is one cloud": small where there are clusters; 1 where there are too few objects to tell.
    boundaries : tuple of Boundary
        The cuts that made the clusters, in the order in which they were found.
    p_within : tuple of float
        For each cluster the p-value of "this is one cloud"; 1 where it is too small to be tested.
    tested : array
        The rows that were tested: distinct ones, and a sample where there are many. The others take the label of
        the nearest.
    columns : tuple
        The columns looked at, by their names or places; empty where objects are no table.
    left_out : tuple
        The columns left out beside others: of categories, which part any table into their values, and those in which
        one value, such as zero, holds more than a quarter of the objects.
    kernel : Kernel
        The kernel, settled on the objects.

    See Also
    --------
    find_clusters : how many clusters, if any
    KernelKMeans : clusters around centres in feature space
    profiles : what sets classes apart

    Notes
    -----
    Cost: memory for O(n) numbers, besides the settled kernel.

    Examples
    --------
    >>> import gramian as gm
    >>> found = gm.find_clusters(gm.load_iris().data, rng=0)      # setosa, and the two species that overlap
    >>> found.count, found.boundaries[0].sizes
    (2, (99, 50))
    """

    count: int
    labels: Array
    p_value: float
    boundaries: tuple[Boundary, ...]
    p_within: tuple[float, ...]
    tested: Array
    columns: Names
    left_out: Names
    kernel: Kernel


def find_clusters(X: Any, kernel: Kernel = MEDIAN_GAUSSIAN, *, alpha: float = 0.02, rng: Any = None) -> Clusters:
    """Find clusters that stand apart, or find that there is one cloud.

    Of more than 1,500 objects a sample is tested: O(n) distances to it, and a few seconds. Groups of fewer than 8
    objects are never claimed, because outliers are no cluster, and groups of fewer than about 20 are often overlooked.
    Copies of an object count once. Whole numbers and rounded ones are spread over the steps in which they were written
    down, so that groups which are values of a coarse column only (4, 6 or 8 cylinders) are not claimed. A long and
    thin group, such as the arm of a spiral, may be cut where it is sparse.

    Parameters
    ----------
    X : objects that the kernel accepts
    kernel : Kernel
        What is compared. Distances are straight: the bandwidth of a Gaussian has no influence, scales of columns have.
    alpha : float
        The largest p-value at which a cut stands.
    rng : numpy Generator, int or None
        For halvings and samples.

    Returns
    -------
    Clusters

    Raises
    ------
    ValueError
        If `alpha` is not between 0 and 1.

    See Also
    --------
    Clusters : what `find_clusters` answers
    KernelKMeans : clusters around centres in feature space
    profiles : what sets classes apart

    Notes
    -----
    Cost: O(m²) distances among the m ≤ 1,500 objects that are tested.

    Examples
    --------
    >>> import gramian as gm, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> cloud = rng.normal(size=(100, 2))
    >>> gm.find_clusters(cloud, rng=0).count
    1
    >>> found = gm.find_clusters(np.vstack([cloud, cloud[:50] + 9]), rng=0)
    >>> found.count, np.bincount(found.labels)
    (2, array([100,  50]))
    """
    alpha, generator = fraction(alpha, "alpha"), as_generator(rng)
    settled, n = kernel.fit(X), count_objects(X)
    points, looked_at, left_out = Straight.of(settled, X)
    rows = np.arange(n) if n <= TESTED else np.sort(generator.choice(n, TESTED, replace=False))
    sample = points[rows]
    first, same = (np.arange(len(rows)),) * 2 if points.one_column else distinct(sample.distances(sample))
    tested = sample[first].smeared(generator)
    groups, boundaries, within = _fall_apart(tested, alpha, generator)
    labels = np.empty(len(first), dtype=np.intp)
    order = sorted(range(len(groups)), key=lambda k: -len(groups[k]))
    for label, k in enumerate(order):
        labels[groups[k]] = label
    labels = labels[same] if n == len(rows) else labels[same][_nearest(points, sample)]
    return Clusters(
        len(groups),
        labels,
        boundaries[0].p_value if boundaries else within[0],
        tuple(boundaries),
        tuple(within[k] for k in order),
        rows[first],
        looked_at,
        left_out,
        settled,
    )


def _nearest(points: Straight, sample: Straight) -> Array:
    """Return for each object the nearest one of the sample."""
    n = len(points.parts[0])
    chunks = (np.arange(start, min(start + CHUNK, n)) for start in range(0, n, CHUNK))
    return np.concatenate([points[chunk].distances(sample).argmin(axis=1) for chunk in chunks])


def _fall_apart(
    points: Straight, alpha: float, rng: np.random.Generator
) -> tuple[list[Array], list[Boundary], list[float]]:
    """Cut until no cut stands; return the groups, the boundaries, and the p-value of each group as one cloud."""
    every = _Cloud(points.distances(points), points.coordinates)
    groups, boundaries, within, waiting = [], [], [], [np.arange(len(every))]
    while waiting:
        rows = waiting.pop()
        p, depth, sides = _cut_by_evidence(every.seen_by(rows, rows), alpha, rng)
        if sides is None:
            groups.append(rows)
            within.append(p)
        else:
            boundaries.append(Boundary((int(sides.sum()), int((~sides).sum())), p, depth))
            waiting += [rows[~sides], rows[sides]]
    return groups, boundaries, within


@dataclass(frozen=True, eq=False)
class _Cloud:
    D: Array  # distances, of each object to those of which cuts are made
    X: Array  # coordinates

    def __len__(self) -> int:
        return len(self.D)

    def seen_by(self, rows: Array, others: Array) -> _Cloud:
        """Return some objects with their distances to others."""
        return _Cloud(self.D[np.ix_(rows, others)], self.X[rows])

    def to_others(self) -> _Cloud:
        """Return the objects with no distance from one to itself."""
        D = self.D.copy()
        np.fill_diagonal(D, np.inf)
        return _Cloud(D, self.X)


def _cut_by_evidence(cloud: _Cloud, alpha: float, rng: np.random.Generator) -> tuple[float, float, Array | None]:
    """Return the p-value of "one cloud", how deep the valley is, and which objects lie before it if one stands."""
    if len(cloud) < 2 * LEAST:
        return 1.0, 1.0, None
    halves, depth = _test(cloud, rng)
    if not _drowned(cloud):
        return halves, depth, _sides(cloud) if halves <= alpha else None
    valley = clearest(cloud.D)
    p = min(1.0, 2 * min(halves, valley.p_value))
    if p > alpha:
        return p, depth, None
    if valley.p_value < halves and valley.windows is not None:
        before = valley.values < valley.windows.bottom
        if LEAST <= before.sum() <= len(cloud) - LEAST:
            return p, valley.depth, before
    p = min(1.0, 2 * halves)
    return p, depth, _sides(cloud) if p <= alpha else None


def _drowned(cloud: _Cloud) -> bool:
    """Tell whether the nearest objects are hardly nearer than others, as where there are many dimensions."""
    nearest = cloud.to_others().D.min(axis=1)
    return bool(np.median(nearest) > DROWNED * np.median(cloud.D))


def _test(cloud: _Cloud, rng: np.random.Generator) -> tuple[float, float]:
    """Return the p-value of "one cloud", the median over halvings, and how deep the valleys were."""
    n = len(cloud)
    counts = np.zeros((3, HALVINGS), dtype=np.intp)
    for k in range(HALVINGS):
        halves = np.array_split(rng.permutation(n), 2)
        for fitted, held_out in (halves, halves[::-1]):
            cut = _best_cut(cloud.seen_by(fitted, fitted), LEAST // 2 - 1)
            if cut is not None:
                counts[:, k] += cut.windows.counts(cut.score(cloud.seen_by(held_out, fitted)))
    heaps = np.minimum(counts[0], counts[2])
    return float(np.median(p_value(counts))), float(np.median(counts[1] / np.maximum(heaps, 1)))


def _sides(cloud: _Cloud) -> Array | None:
    """Return which objects lie before the clearest valley of them all; None where one side is too small."""
    cut = _best_cut(cloud, LEAST)
    if cut is None:
        return None
    before = cut.score(cloud.to_others()) < cut.windows.bottom
    return before if LEAST <= before.sum() <= len(cloud) - LEAST else None


@dataclass(frozen=True, eq=False)
class _Cut:
    score: Score
    windows: Windows


def _best_cut(cloud: _Cloud, least: int) -> _Cut | None:
    """Return the cut with the clearest valley among these objects themselves."""
    best, found, others = np.inf, None, cloud.to_others()
    for score, sides in _scores(cloud, least):
        values = score(others)
        p, windows = deepest(values, min(_spread(values[rows]) for rows in sides))
        if windows is not None and p < best:
            best, found = p, _Cut(score, windows)
    return found


def _scores(cloud: _Cloud, least: int) -> Iterator[tuple[Score, tuple[Array, Array]]]:
    """Yield numbers along which objects may fall apart, each with two sides whose spreads are its unit."""
    for members in _branches(cloud.D, least):
        yield partial(_by_nearest, members), (members, ~members)
        yield partial(_by_centers, members), (members, ~members)
    for direction, low in _directions(cloud.X, least):
        yield partial(_along, direction), (low, ~low)


def _by_nearest(members: Array, cloud: _Cloud) -> Array:
    """Return s(x): how much nearer the nearest member is than the nearest other one."""
    return np.asarray(cloud.D[:, members].min(axis=1) - cloud.D[:, ~members].min(axis=1))


def _by_centers(members: Array, cloud: _Cloud) -> Array:
    """Return where objects lie on the line between the two centers of mass, up to its unit."""
    squares = np.where(np.isfinite(cloud.D), np.square(cloud.D), 0.0)  # an object is at distance 0 from itself
    return np.asarray(squares[:, members].mean(axis=1) - squares[:, ~members].mean(axis=1))


def _along(direction: Array, cloud: _Cloud) -> Array:
    """Return where objects lie along a column or a principal component."""
    return np.asarray(cloud.X @ direction)


def _directions(X: Array, least: int) -> list[tuple[Array, Array]]:
    """Return the columns and principal components that two sides explain best, each with the first of these sides.

    Two sides of m and n − m objects explain m (n − m) (mean − mean)² / n² of the variance along a direction.
    """
    n, d = X.shape
    if d == 0:
        return []
    components = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][: COMPONENTS if d > 1 else 0]
    values = np.hstack([X, X @ components.T])
    order, m = np.sort(values, axis=0), np.arange(least, n - least + 1)[:, None]
    sums, variance = np.cumsum(order, axis=0), values.var(axis=0)
    low = sums[m[:, 0] - 1]
    between = m * (n - m) * np.square(low / m - (sums[-1] - low) / (n - m)) / n**2
    splits = between.argmax(axis=0)
    explained = between.max(axis=0) / np.where(variance > 0, variance, np.inf)
    found = []
    for k in np.argsort(-explained, kind="stable")[:DIRECTIONS]:
        sides = values[:, k] <= order[splits[k] + least - 1, k]
        if not sides.all():  # all values may be equal
            found.append((np.eye(1, d, k)[0] if k < d else components[k - d], sides))
    return found


def _spread(values: Array) -> float:
    low, high = np.quantile(values, [0.05, 0.95])
    return float(high - low)


def _branches(D: Array, least: int) -> list[Array]:
    """Return the branches that keep to themselves longest in two trees, as masks of objects."""
    near = max(2, least // 2)
    core = np.partition(D, near, axis=1)[:, near]  # how far the objects around each one reach
    robust = np.maximum(D, np.maximum.outer(core, core))
    np.fill_diagonal(robust, 0.0)
    trees = [linkage(squareform(A, checks=False), method) for A, method in ((D, "ward"), (robust, "single"))]
    return [members for tree in trees for members in _lasting(tree, least)]


def _lasting(tree: Array, least: int) -> list[Array]:
    """Return the branches of a tree that persist longest, from where they form to where they join another."""
    n = len(tree) + 1
    children, heights = tree[:, :2].astype(np.intp), np.concatenate([np.zeros(n), tree[:, 2]])
    sizes = np.concatenate([np.ones(n), tree[:, 3]])
    joined = np.empty(2 * n - 1)
    joined[children] = tree[:, 2, None]
    possible = np.flatnonzero((sizes >= least) & (sizes <= n - least))
    longest = possible[np.argsort(heights[possible] - joined[possible], kind="stable")[:BRANCHES]]
    return [_members(children, int(node)) for node in longest]


def _members(children: Array, node: int) -> Array:
    """Return the mask of the objects under a node."""
    n = len(children) + 1
    mask, waiting = np.zeros(n, dtype=bool), [node]
    while waiting:
        node = waiting.pop()
        if node < n:
            mask[node] = True
        else:
            waiting += children[node - n].tolist()
    return mask
