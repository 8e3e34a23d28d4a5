"""Kernel k-means: clusters about centres of mass in feature space.

With z the weights of a cluster's mean (1/ℓ on its members), the squared distance of a point from it is

    ‖φ(xᵢ) − φ_z‖² = κ(xᵢ, xᵢ) − 2 (K z)ᵢ + zᵀ K z,

so one product K Z gives the distances of all points from all centres, and Lloyd's iteration needs nothing else. All
starts are iterated together, as far as memory goes: their centres are columns of one Z, and K is gone through once for
all of them. In a large sample they are iterated in low rank, K ≈ F Fᵀ, and the best of them then with K itself until
nothing moves.

With a rank the centres are combinations of landmarks. The starts are iterated on some objects, and the best of them on
all: each iteration is one pass, in which the moments of the objects nearest to each centre are summed up.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any, Self, cast

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from gramian.checks import Array, warn, whole
from gramian.factor.cholesky import cholesky
from gramian.formula.encoded import Encoded
from gramian.gram.gram import Gram, features_on_host
from gramian.intake.batches import Batches
from gramian.intake.draws import drawn
from gramian.kernels.algebra import Kernel
from gramian.kernels.dotproduct import Linear
from gramian.kernels.nystrom import Nystrom
from gramian.learn.base import MEDIAN_GAUSSIAN, as_given
from gramian.learn.discriminant import class_means
from gramian.learn.lowrank import HEAD, Rank, Reducible, landmark_coefficients
from gramian.learn.ways import Summed
from gramian.runtime.progress import task
from gramian.space.moments import Chunk, Moments, Summary, dense
from gramian.space.vectors import Vectors

EXACT_STARTS = 600  # objects up to which every start is iterated with all of K
LANDMARKS = 256  # directions in which the starts of larger samples are iterated
FINISHED = 2  # of these starts, the best, are iterated to the end with all of K
AT_ONCE = 2**27  # numbers of the Z of starts that are iterated together


class KernelKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Reducible):  # type: ignore[misc]
    """k-means in feature space, for clusters of any shape and objects of any kind.

    Parameters
    ----------
    n_clusters : int
        k.
    kernel : Kernel
        By default the Gaussian with the median distance as bandwidth. A smaller bandwidth finds clusters that are not
        round.
    n_init : int
        Number of starts, each by k-means++ in feature space; the best result is kept.
    max_iter : int
        Most iterations of a start.
    random_state : int, RandomState instance or None
        For the starts.
    rank : int, "exact" or None
        Number of landmarks through which the objects are seen (`Nystrom`): some passes over the data and O(rank)
        memory, for any n, with an error that `trace_error_` tells. By default the answer is exact wherever that takes
        reasonable time, and of rank 1000 beyond.

    Attributes
    ----------
    kernel_, sample_
        The settled kernel and the images of the training objects; in low rank those of the landmarks.
    labels_ : array of shape (n,)
        The cluster of each training object; of `Batches` and collections in low rank there is none: `predict` tells.
    inertia_ : float
        Sum of the squared distances of the training images from their centres.
    dual_coef_ : array of shape (n, k)
        The weights of the centres.
    centers_ : Vectors
        The centres of mass of the clusters.
    n_iter_ : int
        Iterations of the best start, in a large sample those with all of K.
    solver_ : str
        How the starts were iterated.

    Raises
    ------
    ValueError
        In `fit`: if there are fewer objects than clusters.

    See Also
    --------
    find_clusters : how many clusters, if any
    KernelPCA : principal components in feature space
    profiles : what sets classes apart

    Notes
    -----
    Cost: O(n²) kernel values, and O(n² k) operations an iteration for k clusters; with a rank r O(n r) kernel values
    and O(n r k) operations an iteration.

    Examples
    --------
    >>> import gramian as gm
    >>> model = gm.KernelKMeans(n_clusters=2, random_state=0).fit([[0.0], [1.0], [9.0], [10.0]])
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2])
    True
    >>> model.predict([[0.4]]) == model.labels_[:1]
    array([ True])
    """

    probe = 1000
    products = 30

    rank: Rank = None  # of models that were saved before there was one
    labels_: Array
    inertia_: float
    dual_coef_: Array
    centers_: Vectors
    n_iter_: int
    solver_: str

    def __init__(
        self,
        n_clusters: int = 8,
        kernel: Kernel = MEDIAN_GAUSSIAN,
        n_init: int = 10,
        max_iter: int = 300,
        random_state: Any = None,
        rank: Rank = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.rank = rank

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the clusters; y is ignored.

        Parameters
        ----------
        X : objects that the kernel accepts, their symmetric Gram, or `Batches` of objects
        """
        k, starts = whole(self.n_clusters, "n_clusters"), whole(self.n_init, "n_init")
        most = whole(self.max_iter, "max_iter")
        X, _, reduced = self._prepared(X, None)
        if reduced:
            self._fit_in_low_rank(X, k, starts, most)
            self._warn_if_automatic()
            return self._keep_names(X)
        self._begin_exactly()
        sample = self._learn_sample(X)
        if k > len(sample):
            raise ValueError(f"n_clusters is {k}, and n_samples={len(sample)} only: at most so many clusters expected")
        rng = check_random_state(self.random_state)
        gram = sample.gram().center()  # distances do not change, and fewer digits cancel in them
        coarse = _coarse(gram, k)
        if coarse is None:
            with gram.held():
                best = _best_starts(gram, k, starts, most, rng)[0]
            self.solver_ = f"{starts} starts, each with all of K"
        else:  # a few starts are worth an iteration with all of K
            seeds = [start.labels for start in _best_starts(coarse, k, starts, most, rng)]
            with gram.held():
                best = min(_lloyd(gram, seeds, most), key=lambda start: start.inertia)
            self.solver_ = f"{starts} starts in rank {coarse.rows.width}, {len(seeds)} of them finished with all of K"
        if not best.converged:
            warn(f"KernelKMeans did not converge in {most} iterations: raise max_iter", ConvergenceWarning)
        self.labels_, self.inertia_, self.n_iter_ = best.labels, best.inertia, best.iterations
        self.dual_coef_ = class_means(best.labels, k)
        self.centers_ = sample.combine(self.dual_coef_)
        return self

    def _fit_in_low_rank(self, X: Any, k: int, starts: int, most: int) -> None:
        """Find the clusters among the combinations of the landmarks, pass by pass over all objects."""
        self._forget("labels_")
        self._start(X, scatter=False)
        low = cast(Nystrom, self._landmarks)
        phi = dense(features_on_host(low, self._some(X))).astype(np.float64)
        if k > len(phi):
            raise ValueError(f"n_clusters is {k}, and n_samples={len(phi)} only: at most so many clusters expected")
        seeds = _best_starts(Linear().gram(phi), k, starts, most, check_random_state(self.random_state))
        means = class_means(seeds[0].labels, k).T @ phi
        before, steps, converged = -np.inf, 0, False
        while steps < most and not converged:
            self._keep_centers(means)
            self._begin(low, scatter=False)
            self._sum_up(X)
            means, weights = _moved(means, self._summed.moments(), phi)
            inside = float(weights @ np.square(means).sum(axis=1))
            converged, before = bool(inside <= before and weights.all()), inside
            steps += 1
        if not converged:
            warn(f"KernelKMeans did not converge in {most} iterations: raise max_iter", ConvergenceWarning)
        self._keep_centers(means)
        self.n_iter_, self.inertia_ = steps, max(self._summed.summary.trace - before, 0.0)
        passes = "one pass" if steps == 1 else f"{steps} passes"
        self.solver_ = f"{starts} starts with {len(phi):,} objects; " + self._summed.described().replace(
            "one pass", passes
        )
        self._way = Summed(self.kernel, self.rank, summary=Summary(low, False), trace_error=self._summed.trace_error)
        if not isinstance(X, Batches):
            self.labels_ = self.predict(X)

    def _some(self, X: Any) -> Encoded:
        """Return the objects with which starts are iterated: all of them, or some that are drawn."""
        if isinstance(X, Batches):
            return self.kernel_.encoded(self._checked(X.sample(HEAD, 0)[0], self.kernel_, False))
        points = X.rows if isinstance(X, Gram) else self.kernel_.encoded(self._checked(X, self.kernel_, False))
        return points[drawn(len(points), HEAD, np.random.default_rng(0))]

    def _keep_centers(self, means: Array) -> None:
        self.dual_coef_ = landmark_coefficients(cast(Nystrom, self._landmarks), means.T)
        self.centers_ = self.sample_.combine(self.dual_coef_)
        self._squares = np.square(means).sum(axis=1)

    def _helper(self) -> Self:
        found = super()._helper()
        found.centers_, found._squares = self.centers_, self._squares
        return found

    def _chunk(self, way: Summed, points: Encoded, some: Any, weights: Array | None) -> Chunk:
        inner = Vectors(self.sample_.space, points).inner(self.centers_)
        return Chunk(points, groups=(2 * inner - self._squares).argmax(axis=1))

    @property
    def _n_features_out(self) -> int:
        return len(self.centers_)

    def transform(self, X: Any) -> Array:
        """Return the distance of each object from each centre, m × k."""
        vectors = self._images(X)
        return as_given(vectors, vectors.distances(self.centers_))

    def predict(self, X: Any) -> Array:
        """Return the cluster with the nearest centre."""
        return np.asarray(self._images(X).distances(self.centers_).argmin(axis=1))

    def score(self, X: Any, y: Any = None) -> float:
        """Return minus the sum of squared distances from the nearest centres."""
        return -float(np.square(self._images(X).distances(self.centers_).min(axis=1)).sum())


def _moved(means: Array, groups: list[Moments], phi: Array) -> tuple[Array, Array]:
    """Return the means of the objects nearest to each centre, and how many these are.

    A centre that has none goes to the object, among some, that is farthest from all others.
    """
    found, weights = means.copy(), np.zeros(len(means))
    for number, group in enumerate(groups):
        if group.weight:
            found[number], weights[number] = group.mean, group.weight
    for empty in np.flatnonzero(weights == 0):
        others = np.delete(found, empty, axis=0)
        squares = np.square(phi).sum(axis=1)[:, None] - 2 * phi @ others.T + np.square(others).sum(axis=1)
        found[empty] = phi[int(squares.min(axis=1).argmax())]
    return found, weights


def _coarse(gram: Gram, k: int) -> Gram | None:
    """Return the points of a large sample in low rank, in which starts are iterated quickly; None for a small one."""
    if len(gram) <= EXACT_STARTS or gram.through_features() or gram.kernel.matrix_free:
        return None
    low = cholesky(gram, max(LANDMARKS, 8 * k), pivoting="random", rng=0)
    return Linear().gram(low.factor)


@dataclass(eq=False)
class _Start:
    """One start on its way: labels, and what they have led to."""

    labels: Array
    inertia: float = np.inf
    iterations: int = 0
    converged: bool = False


def _best_starts(gram: Gram, k: int, starts: int, most: int, rng: np.random.RandomState) -> list[_Start]:
    """Return the best starts, the best first, iterated as many at once as memory allows."""
    best: list[_Start] = []
    at_once = max(1, AT_ONCE // (len(gram) * k))
    with task("starts", starts) as told:
        for done in range(0, starts, at_once):
            seeds = [_plus_plus(gram, k, rng) for _ in range(min(at_once, starts - done))]
            best = sorted([*best, *_lloyd(gram, seeds, most)], key=lambda start: start.inertia)[:FINISHED]
            told.advance(done + len(seeds))
    return best


def _plus_plus(gram: Gram, k: int, rng: np.random.RandomState) -> Array:
    """Return a first labelling by k-means++: centres drawn with probability proportional to the squared distance.

    Of a few candidates each time the one is taken that lowers the sum of squared distances most.
    """
    norms = gram.diag().astype(np.float64)
    n, trials = len(norms), 2 + int(log(k))

    def squared_distances(points: Array) -> Array:
        columns = gram.columns(points).astype(np.float64)
        return np.maximum(norms[:, None] - 2 * columns + norms[points], 0)

    first = int(rng.randint(n))
    nearest = squared_distances(np.array([first]))[:, 0]
    nearest[first] = 0.0
    labels = np.zeros(n, dtype=np.intp)
    taken = [first]
    for cluster in range(1, k):
        total = nearest.sum()
        if total > 0:
            candidates = rng.choice(n, size=trials, p=nearest / total)
        else:  # fewer distinct points than clusters: any other point will do
            candidates = rng.permutation(np.setdiff1d(np.arange(n), taken))[:1]
        distances = squared_distances(candidates)
        best = int(np.minimum(distances, nearest[:, None]).sum(axis=0).argmin())
        taken.append(int(candidates[best]))
        closer = distances[:, best] < nearest
        closer[taken[-1]] = True
        labels[closer] = cluster
        nearest = np.minimum(nearest, distances[:, best])
        nearest[taken] = 0.0
    return labels


def _lloyd(gram: Gram, seeds: list[Array], most: int) -> list[_Start]:
    """Iterate all starts together until their labels no longer change."""
    norms = gram.diag().astype(np.float64)
    k = int(max(labels.max() for labels in seeds)) + 1
    starts = [_Start(labels) for labels in seeds]
    for _ in range(most):
        running = [start for start in starts if not start.converged]
        if not running:
            break
        for start, squares in zip(running, _squared_distances(gram, norms, running, k), strict=True):
            _move(start, squares)
    stopped = [start for start in starts if not start.converged]
    for start, squares in zip(stopped, _squared_distances(gram, norms, stopped, k), strict=True):
        start.inertia = _inertia(start.labels, squares)
    return starts


def _squared_distances(gram: Gram, norms: Array, starts: list[_Start], k: int) -> list[Array]:
    """Return the squared distances of all points from the centres of each start, by one product with K."""
    if not starts:
        return []
    Z = np.hstack([class_means(start.labels, k) for start in starts])
    KZ = gram.apply(Z)
    squares = np.maximum(norms[:, None] - 2 * KZ + np.einsum("ij,ij->j", Z, KZ), 0)
    return [squares[:, number * k : (number + 1) * k] for number in range(len(starts))]


def _inertia(labels: Array, squares: Array) -> float:
    return float(squares[np.arange(len(labels)), labels].sum())


def _move(start: _Start, squares: Array) -> None:
    rows = np.arange(len(squares))
    inertia = _inertia(start.labels, squares)
    labels = squares.argmin(axis=1)
    stay = squares[rows, labels] >= squares[rows, start.labels] * (1 - 1e-12)  # a tie is no reason to move
    labels[stay] = start.labels[stay]
    _fill_empty(labels, squares)
    start.iterations += 1
    start.converged = bool((labels == start.labels).all()) or inertia >= start.inertia
    start.inertia = min(inertia, start.inertia)
    if not start.converged:
        start.labels = labels


def _fill_empty(labels: Array, squares: Array) -> None:
    """Give every empty cluster the point farthest from its centre, of those that are not alone in theirs."""
    sizes = np.bincount(labels, minlength=squares.shape[1])
    for empty in np.flatnonzero(sizes == 0):
        own = squares[np.arange(len(labels)), labels]
        own[sizes[labels] < 2] = -1.0
        farthest = int(own.argmax())
        sizes[labels[farthest]] -= 1
        labels[farthest], sizes[empty] = empty, 1
