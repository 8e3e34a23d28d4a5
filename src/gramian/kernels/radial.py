"""Kernels of the distance between two vectors: Gaussian, Matérn, Laplacian.

A radial kernel is one expression in the squared distance in units of the bandwidth; it takes sparse input as it is. φ
is infinite-dimensional; the Gaussian's expansion (seed 003, section 5.2) truncated at a degree is given by
`Gaussian.features`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import gammaln, kve

from gramian.checks import Array, as_vectors, is_sparse, positive, whole
from gramian.formula.encoded import Encoded
from gramian.formula.expression import CityBlock, Formula, SquaredDistance
from gramian.gram.traits import Traits
from gramian.kernels import monomials
from gramian.kernels.algebra import Kernel
from gramian.kernels.bandwidth import check_bandwidth, median_distance, settled
from gramian.kernels.declared import NUMBER, Kept, Word
from gramian.places import vectors
from gramian.places.cores.distances import distance_accuracy

FAR = 1e4  # beyond this t every Matérn kernel is 0 in double precision
LARGEST_NU = 100.0


class Distance(Kernel):
    """A kernel of x − z with κ(x, x) = 1 and a bandwidth."""

    bandwidth: float | str
    metric: ClassVar[Literal["euclidean", "cityblock"]] = "euclidean"
    traits = Traits(radius=1.0, non_negative=True, on_vectors=True)

    def __post_init__(self) -> None:
        check_bandwidth(self.bandwidth)

    def fit(self, X: Any) -> Self:
        if self.bandwidth != "median":
            return self
        return self.with_params(bandwidth=median_distance(X, self.metric))

    @property
    @abstractmethod
    def formula(self) -> Formula:
        """κ as an expression in distances, in units of the bandwidth."""

    def accuracy(self, dtype: np.dtype[Any]) -> float:
        return distance_accuracy(dtype)

    def encode(self, X: Any) -> Encoded:
        settled(self.bandwidth)
        return Encoded((vectors(X, sparse=self.metric == "euclidean"),))


class Gaussian(Distance):
    """The Gaussian kernel, κ(x, z) = exp(−‖x − z‖² / 2σ²) (seed 003, (5.10)).

    It is 1 for equal points and falls to 0 with their distance; points much farther apart than σ are not alike at
    all.

    Parameters
    ----------
    bandwidth : float or "median"
        σ. "median" is the median distance between the points of the sample it is fitted on. In scikit-learn's terms
        ``gamma = 1 / (2 * bandwidth**2)``.

    Raises
    ------
    ValueError
        If `bandwidth` is not above 0, or no bandwidth can be taken from the sample.

    See Also
    --------
    Laplacian : exp(−‖x − z‖₁ / σ)
    Matern : smoothness between exp(−r/σ) and the Gaussian
    RandomFourier : a shift-invariant kernel by random waves
    Periodic : numbers that come again, such as hours

    Notes
    -----
    Entries are correct to 3e-5 in float32 and 1e-9 in float64 wherever the points lie; usually far better.
    A tile of n × m entries costs O(n m d) multiplications and n m exponentials.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.Gaussian(bandwidth=1.0)([[5.9, 3.0]], [[6.9, 3.1]]).round(4)
    array([[0.6035]])
    """

    bandwidth: float | str = 1.0
    word = Word(
        "vectors",
        "κ(x, z) = exp(−‖x − z‖²/2σ²)",
        'Nearness, smooth at every scale; σ is the bandwidth, "median" takes it from the data.',
        "gaussian(median)",
    )
    kept = Kept({"bandwidth": (*NUMBER, str)})

    @property
    def formula(self) -> Formula:
        return SquaredDistance(bandwidth=settled(self.bandwidth), factor=-0.5).exp()

    def features(self, X: Any, degree: int | None = None) -> Any:
        """Return the explicit map truncated at the given degree; its inner products tend to κ as the degree grows.

        The features are exp(−‖u‖²/2) ∏ₖ uₖ^nₖ / √(∏ₖ nₖ!) with u = x/σ, for all n with n₁ + … + n_d ≤ degree: C(d +
        degree, degree) of them. The error grows with ‖x‖/σ: centre the data first.
        """
        if degree is None:
            raise TypeError("the Gaussian's feature space is infinite-dimensional: features(X, degree=3) truncates it")
        A = as_vectors(X, sparse=True)
        u = (A.toarray() if is_sparse(A) else A) / settled(self.bandwidth)
        choices = monomials.choices(u.shape[1], whole(degree, "degree", least=0), constant=True)
        with np.errstate(over="ignore", invalid="ignore"):
            damping = np.exp(-np.einsum("ij,ij->i", u, u) / 2)[:, None]
            values = monomials.evaluate(u, choices, constant=1.0)
            weight = np.exp(-monomials.log_factorials(choices, u.shape[1]) / 2)
            return np.where(damping > 0, values * weight.astype(u.dtype) * damping, 0)

    def feature_names(self, inputs: Sequence[str], degree: int | None = None) -> list[str]:
        """Return the names of the truncated map's features, without the damping factor they all share."""
        if degree is None:
            raise TypeError("the Gaussian's feature space is infinite-dimensional: feature_names(inputs, degree=3)")
        chosen = monomials.choices(len(inputs), whole(degree, "degree", least=0), constant=True)
        return monomials.names(inputs, chosen)


class Matern(Distance):
    """The Matérn kernel, κ = 2^(1−ν)/Γ(ν) · t^ν K_ν(t) with t = √(2ν) ‖x − z‖/σ, between exp(−r/σ) and the Gaussian.

    Parameters
    ----------
    bandwidth : float or "median"
        σ, scikit-learn's `length_scale`.
    nu : float
        Smoothness ν; ½, 3/2 and 5/2 have closed forms and are fast.

    Raises
    ------
    ValueError
        If `bandwidth` or `nu` is not above 0.

    See Also
    --------
    Gaussian : exp(−‖x − z‖² / 2σ²)
    Laplacian : exp(−‖x − z‖₁ / σ)
    RandomFourier : a shift-invariant kernel by random waves

    Notes
    -----
    Cost: O(n m d) operations for a tile of n × m values, and n m Bessel functions unless ν is ½, 3/2 or 5/2.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.Matern(bandwidth=1.0, nu=0.5)([[0.0]], [[1.0]]).round(4)
    array([[0.3679]])
    """

    bandwidth: float | str = 1.0
    nu: float = 1.5
    word = Word(
        "vectors",
        "κ(x, z) = 2^(1−ν)/Γ(ν) · t^ν K_ν(t), t = √(2ν) ‖x − z‖/σ",
        "Nearness of a chosen smoothness ν, between the exponential and the Gaussian.",
        "matern(median, nu=5/2)",
    )
    kept = Kept({"bandwidth": (*NUMBER, str), "nu": NUMBER})

    def __post_init__(self) -> None:
        check_bandwidth(self.bandwidth)
        if positive(self.nu, "nu") > LARGEST_NU:
            raise ValueError(f"nu is {self.nu}; at most {LARGEST_NU:g} expected: the limit of large nu is gm.Gaussian")

    @property
    def formula(self) -> Formula:
        nu = float(self.nu)
        squares = SquaredDistance(bandwidth=settled(self.bandwidth), smooth=nu > 1).at_least(0)
        t = (squares * (2 * nu)).sqrt().at_most(FAR)
        if nu == 0.5:
            return (-t).exp()
        if nu == 1.5:
            return (-t).exp() * (t + 1)
        if nu == 2.5:
            return (-t).exp() * t.polynomial((1, 1, 1 / 3))
        return t.apply(partial(_matern, nu=nu))


def _matern(t: Array, nu: float) -> Array:
    # In logarithms, for t^ν vanishes and K_ν(t) overflows long before their product leaves [0, 1]. Where even the
    # logarithm of K_ν is lost, t is so small that the first terms of the series are exact: 1 − t²/4(ν − 1) + …
    with np.errstate(all="ignore"):
        bessel = kve(nu, t)
        logarithm = (1 - nu) * np.log(2) - gammaln(nu) + nu * np.log(t) + np.log(bessel) - t
        near = np.exp(-t * t / (4 * (nu - 1))) if nu > 1 else np.ones_like(t)
        return np.minimum(np.where(np.isfinite(bessel) & (t > 0), np.exp(logarithm), near), 1.0)


class Laplacian(Distance):
    """The Laplacian kernel, κ(x, z) = exp(−‖x − z‖₁ / σ); scikit-learn's ``gamma = 1 / bandwidth``.

    The distance is the sum of absolute differences; for exp(−‖x − z‖₂/σ) take ``Matern(nu=0.5)``.

    Parameters
    ----------
    bandwidth : float or "median"
        σ. "median" is the median distance between the points of the sample it is fitted on.

    Raises
    ------
    ValueError
        If `bandwidth` is not above 0, or no bandwidth can be taken from the sample.

    See Also
    --------
    Gaussian : exp(−‖x − z‖² / 2σ²)
    Matern : smoothness between exp(−r/σ) and the Gaussian
    RandomFourier : a shift-invariant kernel by random waves

    Notes
    -----
    Cost: O(n m d) operations for a tile of n × m values.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.Laplacian(bandwidth=2.0)([[0.0, 0.0]], [[1.0, 1.0]]).round(4)
    array([[0.3679]])
    """

    bandwidth: float | str = 1.0
    metric = "cityblock"
    word = Word(
        "vectors",
        "κ(x, z) = exp(−‖x − z‖₁/σ)",
        "Nearness by the sum of absolute differences; rougher than the Gaussian, and kinder to outliers.",
        "laplacian(bandwidth=2)",
    )
    kept = Kept({"bandwidth": (*NUMBER, str)})

    @property
    def formula(self) -> Formula:
        return (-CityBlock(bandwidth=settled(self.bandwidth))).exp()
