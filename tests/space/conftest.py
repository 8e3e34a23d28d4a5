"""Kernels whose geometry is known: κ written pair by pair, and φ written out where it is finite."""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, sqrt
from typing import Any

import numpy as np
import pytest

import gramian as gm


@dataclass(frozen=True)
class Known:
    """A kernel, its definition for one pair of points, and its explicit features in plain NumPy."""

    name: str
    kernel: gm.Kernel
    kappa: Callable[[Any, Any], float]
    features: Callable[[Any], np.ndarray] | None

    def space(self, X):
        return gm.FeatureSpace(self.kernel)(X)

    def loop(self, X, Z):
        """K by a double loop over the definition."""
        return np.array([[self.kappa(x, z) for z in Z] for x in X])


def dot(x, z):
    return sum(float(p) * float(q) for p, q in zip(x, z, strict=True))


def products(A):
    """All ordered products of two coordinates."""
    return np.einsum("ni,nj->nij", A, A).reshape(len(A), -1)


def with_one(A):
    return np.hstack([A, np.ones((len(A), 1))])


KNOWN = [
    Known("linear", gm.Linear(), dot, lambda X: np.asarray(X, dtype=float)),
    Known(
        "quadratic", gm.Polynomial(2, 0.0), lambda x, z: dot(x, z) ** 2, lambda X: products(np.asarray(X, dtype=float))
    ),
    Known(
        "quadratic with offset",
        gm.Polynomial(2, 1.0),
        lambda x, z: (dot(x, z) + 1) ** 2,
        lambda X: products(with_one(np.asarray(X, dtype=float))),
    ),
    Known(
        "sum",
        gm.Linear() + 2.0 * gm.Polynomial(2, 0.0),
        lambda x, z: dot(x, z) + 2 * dot(x, z) ** 2,
        lambda X: np.hstack([np.asarray(X, dtype=float), sqrt(2) * products(np.asarray(X, dtype=float))]),
    ),
    Known(
        "gaussian",
        gm.Gaussian(1.5),
        lambda x, z: exp(-sum((float(p) - float(q)) ** 2 for p, q in zip(x, z, strict=True)) / (2 * 1.5**2)),
        None,
    ),
    Known(
        "laplacian",
        gm.Laplacian(2.0),
        lambda x, z: exp(-sum(abs(float(p) - float(q)) for p, q in zip(x, z, strict=True)) / 2.0),
        None,
    ),
]


@pytest.fixture(params=KNOWN, ids=lambda k: k.name, scope="session")
def known(request):
    """Every kernel with a pair-by-pair definition."""
    return request.param


@pytest.fixture(params=[k for k in KNOWN if k.features], ids=lambda k: k.name, scope="session")
def explicit(request):
    """Every kernel with explicit features."""
    return request.param


@pytest.fixture(scope="session")
def X():
    points = np.random.default_rng(7).normal(loc=(0.5, -0.3), size=(9, 2))
    points.flags.writeable = False
    return points


@pytest.fixture(scope="session")
def Z():
    points = np.random.default_rng(8).normal(size=(5, 2)) * 1.5
    points.flags.writeable = False
    return points


@pytest.fixture(scope="session")
def five():
    """The five points of seed 003, Example 5.3."""
    return np.array([[5.9, 3.0], [6.9, 3.1], [6.6, 2.9], [4.6, 3.2], [6.0, 2.2]])
