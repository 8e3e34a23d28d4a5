"""K V and Kᵀ W from one computation of K, in every place that has one."""

from importlib.util import find_spec

import numpy as np
import pytest

import gramian as gm
from gramian.places import CORES, Asked, place_of, there
from gramian.places.cores.entries import WORTH

RNG = np.random.default_rng(2)
KERNELS = [gm.Gaussian(bandwidth=1.3), gm.Gaussian(1.0) * gm.Linear() + gm.Matern(2.0), gm.AllSubsets()]


def asked(kernel, place, n, m, dtype, among):
    a, b = (there(kernel.encode(RNG.normal(size=(k, 3)).astype(dtype)), place) for k in (n, m))
    plan = kernel.prepared(place)
    return Asked(plan, a, b, False, np.dtype(dtype), 2**22, among=among)


def check(place, kernel, columns, dtype, among):
    n, m = 90, 141
    entries = place.entries(asked(kernel, place, n, m, dtype, among))
    V, W = RNG.normal(size=(m, columns)).astype(dtype), RNG.normal(size=(n, columns)).astype(dtype)
    K = place.host(entries.matrix(lambda what, compute: compute(lambda sums, steps, go, plan=(): go(0, steps))))
    found, back = entries.both(V, W)
    assert found.dtype == back.dtype == np.float64
    tol = 64 * float(np.finfo(dtype).eps) * np.abs(K).max() * (n + m)
    assert np.abs(found - K.astype(float) @ V).max() <= tol * np.abs(V).max()
    assert np.abs(back - K.astype(float).T @ W).max() <= tol * np.abs(W).max()


@pytest.mark.parametrize("among", [0, WORTH], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_cores_give_both_products(kernel, columns, dtype, among):
    check(CORES, kernel, columns, dtype, among)


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", KERNELS[:2], ids=repr)
def test_a_device_gives_both_products(kernel, dtype):
    import torch

    check(place_of(torch.zeros(1)), kernel, 2, dtype, 0)
