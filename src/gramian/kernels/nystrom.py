"""The Nyström kernel: κ as far as a few landmarks see it, with an explicit map of as many features.

    κ̃(x, z) = k(x)ᵀ K⁻¹ k(z) = ⟨φ̃(x), φ̃(z)⟩,        φ̃(x) = L⁻¹ k(x),        K = L Lᵀ,

K the matrix of the landmarks and k(x) the values of x with them. It is the kernel of the projections of φ(x) on the
span of the landmarks' images: never larger than κ on the diagonal, and equal to κ where one of the two objects is a
landmark. What it leaves of the trace, Σ κ(x, x) − κ̃(x, x), bounds what any learner can lose by it.

Because φ̃ is explicit and small, learners work in its space, in memory that does not grow with n². It asks for nothing
but values of κ, so it serves strings and the nodes of a graph as it does vectors.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self, cast

import numpy as np
from scipy.linalg import lapack

from gramian.checks import Array, whole
from gramian.factor.cholesky import pivoted
from gramian.formula.encoded import Encoded
from gramian.gram.gram import Gram, finite_norms, require_range
from gramian.gram.traits import Traits
from gramian.kernels.algebra import Kernel
from gramian.kernels.declared import INTEGER, NONE, SPARSE, Kept, Word
from gramian.kernels.value import derived, text
from gramian.places import CORES, Matrix, on_host, place_of, there

ROOM = 2**28  # bytes for the factor from which landmarks are chosen; of more objects a part is drawn
STEADY = 1e-9  # rounding errors of sums of features that are tolerated, relative to the largest of them
FEATURE_ROWS = 1024  # objects whose features are worked out at a time, so that they stay in the cache


class Nystrom(Kernel):
    """A kernel seen from `rank` landmarks, with as many explicit features: κ in low rank, for any kind of object.

    It takes its landmarks from the sample it is fitted on: by randomly pivoted Cholesky, each with a probability
    proportional to the part of ‖φ(x)‖² that the ones before it leave. Learners do that by themselves when they are
    given a `rank`.

    Parameters
    ----------
    base : Kernel
        κ.
    rank : int
        Number of landmarks. Those that depend on others, up to rounding, are left out.
    landmarks : objects, optional
        Landmarks of your own, used instead of chosen ones; `rank` is then not used.

    Raises
    ------
    ValueError
        If `rank` is below 1.
    TypeError
        If `rank` is no whole number.

    See Also
    --------
    RandomFourier : a shift-invariant kernel by random waves
    cholesky : K ≈ F Fᵀ, completely or in low rank
    GramSchmidt : partial Gram–Schmidt features for linear models

    Notes
    -----
    A feature vector costs `rank` values of κ and O(rank²) operations.

    Examples
    --------
    >>> import gramian as gm
    >>> import numpy as np
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> k = gm.Gaussian(bandwidth=1.0)
    >>> low = gm.Nystrom(k, rank=12).fit(X)
    >>> low.features(X).shape
    (200, 12)
    >>> bool(np.abs(low(X) - k(X)).max() < 1e-3)
    True
    >>> gm.Nystrom(k, landmarks=[[0.0], [3.0], [6.0]])([[0.0]], [[1.0]]).round(4)      # κ itself at a landmark
    array([[0.6065]])
    """

    base: Kernel
    rank: int = 500
    landmarks: Any = None
    word = Word(
        "any objects",
        "κ̃(x, z) = k(x)ᵀ K⁻¹ k(z) over landmarks",
        "A kernel as far as a few landmarks see it, for large samples.",
        "nystrom(gaussian(median), rank=100)",
    )
    kept = Kept(
        {"base": (Kernel,), "rank": INTEGER, "landmarks": (Gram, np.ndarray, *SPARSE, tuple, list, NONE)},
        {"basis": (tuple,)},
    )

    def __post_init__(self) -> None:
        if not isinstance(self.base, Kernel):
            raise TypeError(f"base is {self.base!r}; a kernel expected, such as gm.Gaussian()")
        whole(self.rank, "rank")
        if isinstance(self.landmarks, list):
            numeric = all(isinstance(row, list | tuple | np.ndarray) for row in self.landmarks)
            self._settle(landmarks=np.array(self.landmarks) if numeric else tuple(self.landmarks))

    @derived
    def traits(self) -> Traits:
        return self.base.traits.projected(norms_checked=True)

    def fit(self, X: Any) -> Self:
        if isinstance(self.landmarks, Gram):
            return self
        base = self.base.fit(X)
        if self.landmarks is None:
            return cast(Self, self.seen_from(base, base.encoded(X), int(self.rank)))
        return self.with_params(base=base, landmarks=base.gram(self.landmarks).here)

    @classmethod
    def seen_from(cls, base: Kernel, points: Encoded, rank: int) -> Nystrom:
        """Choose landmarks among encoded objects; where these are many, among a part drawn at random."""
        most = max(ROOM // (8 * rank), 2 * rank)
        if len(points) > most and not base.traits.whole_columns:
            points = points[np.sort(np.random.default_rng(0).choice(len(points), most, replace=False))]
        require_range(base, points)
        pivots = pivoted(Gram(base, points), rank, pivoting="random", rng=0).pivots
        if len(pivots) == 0:
            raise ValueError("every object has the image φ(x) = 0: there is nothing to choose landmarks by")
        return cls(base, rank, Gram(base, points[pivots].copy()))

    def encode(self, X: Any) -> Encoded:
        if self.landmarks is None:
            raise ValueError("this Nyström kernel has no landmarks yet: k = k.fit(X) takes them from a sample")
        encoded = self.base.encode(X)
        finite_norms(self.base, encoded)
        return encoded

    @cached_property
    def basis(self) -> tuple[Encoded, Array]:
        """The landmarks that depend on no others, in the order of a pivoted Cholesky factorization, and its L."""
        gram = self.landmarks if isinstance(self.landmarks, Gram) else self.base.gram(self.landmarks).here
        rows = on_host(gram.rows)
        wide = Gram(gram.kernel, rows.astype(np.float64), memory=gram.memory).dense().astype(np.float64)
        rounding = max(len(wide) * float(np.finfo(gram.dtype).eps), gram.kernel.accuracy(gram.dtype))
        lengths = np.sqrt(wide.diagonal())
        if not lengths.any():
            raise ValueError("all landmarks have the image φ(x) = 0: choose others")
        unit = np.where(lengths > 0, lengths, 1.0)  # dependence is judged between unit vectors
        factor, order, rank, _ = lapack.dpstrf(wide / unit / unit[:, None], tol=rounding, lower=True)
        chosen = order[:rank] - 1
        return gram.rows[chosen], np.asfortranarray(unit[chosen, None] * np.tril(factor[:rank, :rank]))

    def steady(self, dtype: np.dtype[Any]) -> bool:
        """Tell whether L is so well-conditioned that sums of values can be turned into sums of features afterwards."""
        pivots = np.square(np.diagonal(self.basis[1]))
        return bool(np.finfo(dtype).eps * pivots.max() <= STEADY * pivots.min())

    def values(self, a: Encoded) -> Matrix:
        """Return k(x), the values of κ between objects and the landmarks of the basis."""
        landmarks, L = self.basis
        if a.signature != landmarks.signature:
            raise ValueError(
                f"X and the landmarks do not fit together: {a.describe()} against {landmarks.describe()}; both must "
                "have the same features, in the same order"
            )
        place = place_of(a)
        landmarks = landmarks if place_of(landmarks) is place else there(on_host(landmarks), place)
        write = self.base.block if place is CORES else self.base.prepared(place).write
        out = place.empty((len(a), len(L)), self.base.value_type(a))
        for span in place.stripes(len(a), len(a) if self.base.traits.whole_columns else FEATURE_ROWS):
            write(a[span], landmarks, out[span])
        return out

    phi_in_place = True

    def phi(self, a: Encoded) -> Matrix:
        place = place_of(a)
        if place.name not in self._triangles:
            self._triangles[place.name] = place.array(self.basis[1])
        return place.substitute(self._triangles[place.name], self.values(a))

    @derived
    def _triangles(self) -> dict[str, Matrix]:
        """L in every place that it was asked for in."""
        return {}

    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        out[...] = self.phi(a) @ self.phi(b).T

    def squared_norms(self, a: Encoded) -> Array:
        place = place_of(a)
        spans = place.stripes(len(a), len(a) if self.base.traits.whole_columns else FEATURE_ROWS)
        return np.concatenate([place.lengths(self.phi(a[span])) for span in spans])

    def value_type(self, a: Encoded) -> np.dtype[Any]:
        return self.base.value_type(a)

    def feature_dim(self, a: Encoded) -> int | None:
        return len(self.basis[1])

    def feature_load(self, a: Encoded) -> float:
        return float(len(self.basis[1]))

    def __repr__(self) -> str:
        seen = f"rank={self.rank}" if self.landmarks is None else f"landmarks={self._landmarks_text()}"
        return f"Nystrom({self.base!r}, {seen})"

    def _landmarks_text(self) -> str:
        return text(self.landmarks) if isinstance(self.landmarks, Gram) else f"<{len(self.landmarks)} objects>"
