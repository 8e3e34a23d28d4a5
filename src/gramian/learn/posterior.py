"""The ridge as noise: kernel ridge regression read as a Gaussian process.

Suppose that f is drawn from a Gaussian process with the covariance s² κ, b from anywhere, and that yᵢ is f(xᵢ) + b plus
noise of the variance σ²/wᵢ. Then the mean of f(x) + b given the targets is the prediction of kernel ridge regression
with λ = σ²/s², and its variance is

    s² (κ̄(x, x) − k̄(x)ᵀ Sᵀ (S K Sᵀ + λI)⁻¹ S k̄(x) + λ/Σw)   =   s² λ (φ̄(x)ᵀ (A + λI)⁻¹ φ̄(x) + 1/Σw),

a bar for what is taken about the weighted mean of the sample, A the scatter of explicit features; without an intercept
nothing is moved, and the last term falls away. λ is given by then, and of s² the most likely value is

    s² = yᵀa / n,    one less than n with an intercept,    σ² = λ s².

It is what this model says of itself. It tells where objects are far from what was learnt, but no share of new targets
is promised to lie within it: for that there are `intervals`.
"""

from __future__ import annotations

import numpy as np

from gramian.checks import Array
from gramian.factor.solve import Lens, System
from gramian.gram.gram import features_on_host
from gramian.kernels.algebra import Kernel
from gramian.kernels.nystrom import Nystrom
from gramian.learn.lowrank import RidgeOfMoments
from gramian.space.moments import dense
from gramian.space.vectors import Vectors

ROOM = 2**22  # numbers of a tile


def variances(sample: Vectors, images: Vectors, system: System, lens: Lens, mean: Array | None) -> Array:
    """Return the variances of the values at new objects, in units of s² and less that of a constant, in dual form.

    `mean` are the weights of the sample's mean, where there is an intercept.
    """
    space, n = sample.space, len(sample)
    of_mean = None if mean is None else sample.gram().apply(mean[:, None])[:, 0]
    found = space.kernel.squared_norms(images.points).astype(np.float64)
    step = max(1, ROOM // n)
    for start in range(0, len(images), step):
        span = slice(start, start + step)
        k = space.gram(images.points[span], sample.points).block(slice(None), slice(None)).astype(np.float64)
        if mean is not None and of_mean is not None:
            found[span] += mean @ of_mean - 2 * (k @ mean)
            k -= of_mean
        B = lens.S(np.ascontiguousarray(k.T))
        found[span] -= np.einsum("ij,ij->j", B, system.solve(B).value)
    return np.maximum(found, 0.0)


def variances_of_moments(ridge: RidgeOfMoments, kernel: Kernel, images: Vectors, lam: float) -> Array:
    """Return the same from the moments of explicit features.

    Of objects seen through landmarks it is the variance of the model of these, and what they leave of κ(x, x).
    """
    found = np.empty(len(images))
    step = max(1, ROOM // max(len(ridge.A), 1))
    for start in range(0, len(images), step):
        span = slice(start, start + step)
        points = images.points[span]
        moved = dense(features_on_host(kernel, points)).astype(np.float64)
        left_out = 0.0
        if isinstance(kernel, Nystrom):
            norms = kernel.base.squared_norms(points).astype(np.float64)
            left_out = np.maximum(norms - np.square(moved).sum(axis=1), 0.0)
        if ridge.intercept:
            moved = moved - ridge.mean
        inside = np.square(moved @ ridge.axes)
        outside = np.maximum(np.square(moved).sum(axis=1) - inside.sum(axis=1), 0.0)
        found[span] = inside @ (lam / (ridge.values + lam)) + outside + left_out
    return found
