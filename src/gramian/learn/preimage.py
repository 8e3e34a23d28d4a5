"""Pre-images: a vector z whose image φ(z) is near a given point of feature space.

A point of the plane of the principal components is p = Σᵢ γᵢ φ(xᵢ), and ‖φ(z) − p‖² = κ(z, z) − 2 Σᵢ γᵢ κ(xᵢ, z) +
const. For the linear kernel the minimum is z = Σ γᵢ xᵢ. For the Gaussian, setting the gradient to zero gives the
fixed point

    z = Σᵢ γᵢ κ(xᵢ, z) xᵢ / Σᵢ γᵢ κ(xᵢ, z),

iterated from a first guess: a map learnt by kernel ridge regression from the coordinates of the training vectors to the
vectors. For every other kernel the guess is the answer.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gramian.checks import Array
from gramian.kernels.algebra import Kernel
from gramian.kernels.dotproduct import Linear
from gramian.kernels.radial import Gaussian
from gramian.learn.lowrank import DEFAULT_RANK
from gramian.learn.ridge import KernelRidge

STEPS = 100
START = 256  # landmarks that a first guess is learnt through, where an iteration follows
POINTS_AT_A_TIME = 512  # points whose similarities to the sample are held at a time


class PreImages:
    """The way back from coordinates to vectors, learnt from a sample of both.

    Parameters
    ----------
    kernel : Kernel
    X : array of shape (n, d)
        The training vectors.
    dual : array of shape (n, k)
        The components as combinations of the centred images; each column sums to zero, so that of the images, too.
    eigenvalues : array of shape (k,)
        λ, so that the coordinates of the training vectors are dual · λ.
    """

    def __init__(self, kernel: Kernel, X: Array, dual: Array, eigenvalues: Array) -> None:
        self._kernel = kernel
        self._X = X
        self._dual = dual
        if not isinstance(kernel, Linear):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # it is a guess
                most = START if isinstance(kernel, Gaussian) else DEFAULT_RANK
                rank = most if len(X) > 2 * most else None
                self._guess = KernelRidge(ridge="loo", fit_intercept=True, rank=rank).fit(dual * eigenvalues, X)

    def __call__(self, T: Array) -> Array:
        """Return one vector for each row of coordinates."""
        chunks = [self._find(T[start : start + POINTS_AT_A_TIME]) for start in range(0, len(T), POINTS_AT_A_TIME)]
        return np.concatenate(chunks).astype(self._X.dtype, copy=False)

    def _find(self, T: Array) -> Array:
        if isinstance(self._kernel, Linear):
            mean = self._X.mean(axis=0, dtype=np.float64)
            return np.asarray(mean + (T @ self._dual.T) @ (self._X - mean))
        gamma = T @ self._dual.T + 1 / len(self._X)
        guess = np.asarray(self._guess.predict(T)).reshape(len(T), -1)
        return self._iterate(guess, gamma) if isinstance(self._kernel, Gaussian) else guess

    def _iterate(self, Z: Array, gamma: Array) -> Array:
        """Follow the fixed point as long as it comes closer, point by point."""
        best, moving = Z, np.arange(len(Z))
        weights = self._kernel(Z, self._X) * gamma
        closest = weights.sum(axis=1)  # Σ γᵢ κ(xᵢ, z), which is to grow
        for _ in range(STEPS):
            pulled = closest[moving] > 0
            moving, weights = moving[pulled], weights[pulled]
            if len(moving) == 0:
                break
            step = ((weights @ self._X) / closest[moving, None]).astype(self._X.dtype)
            weights = self._kernel(step, self._X) * gamma[moving]
            reached = weights.sum(axis=1)
            nearer = reached > closest[moving] * (1 + 1e-12)
            moving, weights = moving[nearer], weights[nearer]
            best[moving], closest[moving] = step[nearer], reached[nearer]
        return best
