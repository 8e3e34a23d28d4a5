"""Eigenpairs of a function of S about the mean, from those of S, against the decomposition of the whole matrix."""

import numpy as np
import pytest
import scipy.sparse

import gramian as gm
from gramian.factor import eigen
from gramian.kernels.graphs import diffusion, functions

NODES = 400


@pytest.fixture(autouse=True)
def large(monkeypatch):
    """Let small graphs be treated as large ones."""
    monkeypatch.setattr(diffusion, "SMALL", 50)
    monkeypatch.setattr(functions, "DECOMPOSED", 50)
    monkeypatch.setattr(functions, "SPARSE", 1.0)
    monkeypatch.setattr(eigen, "DENSE", 100)


def joined(rng, kind):
    """The adjacency matrix of a random graph."""
    n = NODES
    if kind == "bipartite":
        i, j = rng.integers(0, n // 2, 3 * n), rng.integers(n // 2, n, 3 * n)
    elif kind == "ring":
        i, j = np.arange(n), np.roll(np.arange(n), 1)
    else:
        groups = rng.integers(0, 4, n)
        i, j = rng.integers(0, n, (2, 12 * n))
        kept = (groups[i] == groups[j]) | (rng.random(len(i)) < 0.2)
        i, j = i[kept], j[kept]
        if kind == "stars":
            i = np.where(rng.random(len(i)) < 0.2, rng.integers(0, 3, len(i)), i)
    A = scipy.sparse.csr_array((rng.uniform(0.5, 1.5, len(i)), (i, j)), shape=(n, n))
    A = (A + A.T) / 2
    A.setdiag(0)
    A.eliminate_zeros()
    return A


KERNELS = {
    "heat": lambda A: gm.ExponentialDiffusion(A, 1.0, of="laplacian"),
    "exponential": lambda A: gm.ExponentialDiffusion(A, 3.0, of="normalized"),
    "backwards": lambda A: gm.ExponentialDiffusion(A, -2.0, of="normalized"),
    "power": lambda A: gm.PowerDiffusion(A, 4, of="normalized"),
    "regularized": lambda A: gm.VonNeumannDiffusion(A, 2.0, of="laplacian"),
    "alternating": lambda A: gm.VonNeumannDiffusion(A, -0.9, of="normalized"),
}


@pytest.mark.parametrize("kind", ["groups", "stars", "bipartite", "ring"])
@pytest.mark.parametrize("name", KERNELS)
def test_pairs_of_diffusion_about_the_mean_are_those_of_the_whole_matrix(kind, name):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        kernel, order = KERNELS[name](joined(rng, kind)), rng.permutation(NODES)
        gram = kernel.gram(order)
        pairs = eigen.centered_eigen(gram, 4)
        K = gram.dense()
        K = K - K.mean(axis=0)
        K = K - K.mean(axis=1)[:, None]
        values = np.linalg.eigvalsh(K)[::-1][:4]
        assert np.abs(pairs.values - values).max() <= 1e-10 * values[0]
        assert np.linalg.norm(K @ pairs.vectors - pairs.vectors * pairs.values, axis=0).max() <= 2e-7 * values[0]
        assert np.abs(pairs.vectors.T @ pairs.vectors - np.eye(4)).max() <= 1e-9


def test_a_few_of_the_nodes_are_decomposed_by_products():
    kernel = KERNELS["heat"](joined(np.random.default_rng(0), "groups"))
    some = np.arange(0, NODES, 2)
    assert kernel.leading_pairs(kernel.encode(some), 3) is None
    gram = kernel.gram(some)
    K = gram.dense()
    K = K - K.mean(axis=0)
    values = np.linalg.eigvalsh(K - K.mean(axis=1)[:, None])[::-1][:3]
    assert np.abs(eigen.centered_eigen(gram, 3).values - values).max() <= 1e-10 * values[0]


@pytest.mark.parametrize("name", KERNELS)
def test_pairs_of_diffusion_include_the_largest_ones(name):
    kernel = KERNELS[name](joined(np.random.default_rng(1), "stars"))
    found = kernel.leading_pairs(kernel.encode(np.arange(NODES)), 5)
    assert found is not None
    largest = np.linalg.eigvalsh(kernel(np.arange(NODES)))[::-1][:5]
    assert np.abs(np.sort(found[0])[::-1][:5] - largest).max() <= 1e-9 * largest[0]


def test_the_rough_mean_of_norms_is_as_near_to_their_mean_as_its_draws_allow():
    nodes = np.arange(NODES)
    for name, make in KERNELS.items():
        kernel = make(joined(np.random.default_rng(2), "groups"))
        K = kernel(nodes)
        deviation = np.sqrt(2 * (np.square(K).sum() - np.square(K.diagonal()).sum()) / diffusion.PROBES) / NODES
        assert abs(kernel.rough_mean(kernel.encode(nodes)) - K.diagonal().mean()) <= 4 * deviation, name
