"""Random Fourier features: a shift-invariant kernel as an average of waves (Bochner's theorem).

    κ(x − z) = E[cos wᵀ(x − z)] ≈ (1/m) Σⱼ cos wⱼᵀ(x − z) = ⟨φ̃(x), φ̃(z)⟩,
    φ̃(x) = (cos wⱼᵀx, sin wⱼᵀx)ⱼ / √m,

the wⱼ drawn from the Fourier transform of κ. An entry has a standard deviation of at most 1/√(2m). No landmarks are
needed, so the map can be written down before any data is seen; where data is at hand the `Nystrom` kernel, which adapts
to it, is nearly always closer to κ at the same number of features.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self, cast

import numpy as np

from gramian.checks import Array, whole
from gramian.formula.encoded import Encoded
from gramian.gram.traits import Traits
from gramian.kernels.algebra import Kernel
from gramian.kernels.bandwidth import settled
from gramian.kernels.declared import INTEGER, Kept, Word
from gramian.kernels.radial import Distance, Gaussian, Laplacian, Matern
from gramian.runtime.progress import task
from gramian.runtime.threads import check_interrupt

MOST_FEATURES = 1_000_000  # beyond, the features of a thousand objects take 8 GB
MOST_BYTES = 2**32  # of the waves themselves
AT_ONCE = 2**24  # numbers that are drawn, or features that are held, at a time


class RandomFourier(Kernel):
    """A Gaussian, Laplacian or Matérn kernel by random waves, a cosine and a sine each: `rank` explicit features.

    Parameters
    ----------
    base : Gaussian, Laplacian or Matern
        κ.
    rank : int
        Number of features, even.
    seed : int
        Of the waves. The same seed gives the same kernel.

    Raises
    ------
    TypeError
        If `base` is no Gaussian, Laplacian or Matérn kernel.
    ValueError
        If `rank` is odd or not above 0.

    See Also
    --------
    Nystrom : any kernel in low rank, by landmarks
    Gaussian : exp(−‖x − z‖² / 2σ²)

    Notes
    -----
    For the Gaussian the waves are drawn orthogonal to each other as far as the dimension allows, which makes the error
    smaller at no cost. ‖φ̃(x)‖ = 1 exactly.

    Cost: O(n d · rank) for the features of n objects.

    Examples
    --------
    >>> import gramian as gm
    >>> k = gm.RandomFourier(gm.Gaussian(bandwidth=1.0), rank=2000)
    >>> k.features([[0.0, 0.0], [1.0, 0.0]]).shape
    (2, 2000)
    >>> bool(abs(k([[0.0, 0.0]], [[1.0, 0.0]]).item() - 0.6065) < 0.05)
    True
    """

    base: Kernel
    rank: int = 500
    seed: int = 0
    traits = Traits(radius=1.0, on_vectors=True)
    word = Word(
        "vectors",
        "κ(x, z) ≈ (1/m) Σⱼ cos wⱼᵀ(x − z), m = rank/2",
        "A Gaussian, Laplacian or Matérn kernel by random waves, as fast as a linear one.",
        "random_fourier(gaussian(2), rank=200)",
    )
    kept = Kept({"base": (Kernel,), "rank": INTEGER, "seed": INTEGER}, forgotten=frozenset({"_drawn"}))

    def __post_init__(self) -> None:
        if not isinstance(self.base, Gaussian | Laplacian | Matern):
            raise TypeError(f"base is {self.base!r}; gm.Gaussian, gm.Laplacian or gm.Matern expected")
        if whole(self.rank, "rank", least=2, most=MOST_FEATURES) % 2:
            raise ValueError(f"rank is {self.rank}; an even number expected, because a wave is a cosine and a sine")
        whole(self.seed, "seed", least=0)

    def fit(self, X: Any) -> Self:
        base = self.base.fit(X)
        return self if base is self.base else self.with_params(base=base)

    def encode(self, X: Any) -> Encoded:
        return self.base.encode(X)

    @cached_property
    def _drawn(self) -> dict[int, Array]:
        return {}

    def _waves(self, d: int) -> Array:
        """Return the wⱼ for vectors of d numbers, one a column."""
        if d not in self._drawn:
            if 8 * d * (self.rank // 2) > MOST_BYTES:
                raise ValueError(
                    f"rank is {self.rank:,}, and waves for vectors of {d:,} numbers take "
                    f"{4 * d * self.rank / 1e9:.3g} GB; at most {MOST_BYTES // (4 * d):,} features expected for these"
                )
            self._drawn[d] = _draw(cast(Distance, self.base), d, self.rank // 2, np.random.default_rng(self.seed))
        return self._drawn[d]

    def phi(self, a: Encoded) -> Array:
        return self._features(a, slice(None))

    def _features(self, a: Encoded, waves: slice) -> Array:
        """Return the cosines and the sines of some of the waves."""
        (A,) = a
        with np.errstate(over="ignore", invalid="ignore"):
            turns = np.asarray(A @ self._waves(A.shape[1])[:, waves].astype(A.dtype, copy=False))
        if not np.isfinite(turns).all():
            raise ValueError(f"xᵀw overflows {turns.dtype}: rescale the data, or give a larger bandwidth")
        m = turns.shape[1]
        out = np.empty((len(turns), 2 * m), turns.dtype)
        np.cos(turns, out=out[:, :m])
        np.sin(turns, out=out[:, m:])
        out /= np.sqrt(self.rank // 2)
        return out

    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        count, step = self.rank // 2, max(1, AT_ONCE // (2 * (len(a) + len(b))))
        if step >= count:
            np.matmul(self.phi(a), self.phi(b).T, out=out, casting="same_kind")
            return
        out[...] = 0
        for start in range(0, count, step):  # all features at once would take more memory than the tile
            some = slice(start, start + step)
            out += self._features(a, some) @ self._features(b, some).T
            check_interrupt()

    def squared_norms(self, a: Encoded) -> Array:
        return self.base.squared_norms(a)

    def feature_dim(self, a: Encoded) -> int | None:
        return self.rank

    def feature_load(self, a: Encoded) -> float:
        return float(self.rank)

    def accuracy(self, dtype: np.dtype[Any]) -> float:
        return 64 * float(np.finfo(dtype).eps)

    def __repr__(self) -> str:
        return f"RandomFourier({self.base!r}, rank={self.rank}, seed={self.seed})"


def _draw(base: Distance, d: int, count: int, rng: np.random.Generator) -> Array:
    """Draw waves from the Fourier transform of κ, d × count."""
    sigma = settled(base.bandwidth)
    if isinstance(base, Laplacian):
        return rng.standard_cauchy((d, count)) / sigma
    if isinstance(base, Matern):
        spread = np.sqrt(2 * base.nu / rng.chisquare(2 * base.nu, count))
        return rng.standard_normal((d, count)) * spread / sigma
    waves = _orthogonal(d, count, rng)
    waves *= np.sqrt(rng.chisquare(d, count))
    waves /= sigma
    return waves


def _orthogonal(d: int, count: int, rng: np.random.Generator) -> Array:
    """Draw unit vectors, d × count, that are orthogonal d by d; many small groups at once."""
    waves = np.empty((d, count))
    groups, rest = divmod(count, d)
    step = max(1, AT_ONCE // d**2)
    with task("random waves", groups) as told:
        for start in range(0, groups, step):
            stop = min(start + step, groups)
            some = np.linalg.qr(rng.standard_normal((stop - start, d, d)))[0]
            waves[:, start * d : stop * d] = some.transpose(1, 0, 2).reshape(d, -1)
            told.advance(stop)
    if rest:
        waves[:, groups * d :] = np.linalg.qr(rng.standard_normal((d, rest)))[0]
    return waves
