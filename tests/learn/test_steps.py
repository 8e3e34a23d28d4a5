"""Inside of learners: one step of k-means, of a pre-image, of a walk through a sample; and what is said of it."""

from contextlib import contextmanager

import numpy as np
import pytest

import gramian as gm
from gramian.factor import solve as solve_module
from gramian.factor.machine import Machine
from gramian.learn import kmeans, lowrank, pca
from gramian.learn.alignment import frobenius
from gramian.learn.preimage import PreImages

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 2))
Y = X[:, 0] + RNG.normal(size=90)
GAUSSIAN = gm.Gaussian(1.0)


def test_a_point_as_near_to_its_own_centre_as_to_another_stays():
    start = kmeans._Start(np.array([1, 1, 0, 1]))
    kmeans._move(start, np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [0.5, 9.0]]))
    np.testing.assert_array_equal(start.labels, [1, 1, 0, 0])


def test_empty_clusters_take_the_farthest_points_as_long_as_a_cluster_keeps_one():
    labels = np.array([0, 0, 0, 1])
    squares = np.array([[9.0], [5.0], [1.0], [7.0]]) * np.ones(4)
    kmeans._fill_empty(labels, squares)
    np.testing.assert_array_equal(labels, [2, 3, 0, 1])


def test_a_pre_image_is_never_farther_off_than_the_guess_it_came_from():
    model = gm.KernelPCA(5, GAUSSIAN).fit(X)
    found = PreImages(GAUSSIAN, X, model.dual_coef_, model.eigenvalues_)
    for noise in (0.3, 3.0, 3.0, 3.0):  # among the sample, and where no vector has such an image
        T = model.transform(X) + noise * RNG.normal(size=(90, 5))
        gamma = T @ model.dual_coef_.T + 1 / len(X)
        guess = np.asarray(found._guess.predict(T))
        near = [(GAUSSIAN(Z, X) * gamma).sum(axis=1) for Z in (guess, found(T))]
        assert (near[1] >= near[0] - 1e-12 * np.abs(near[0]).max()).all()


@pytest.mark.parametrize("rows", [7, 30, 45, 90])
def test_as_many_steps_are_announced_as_are_taken(rows, monkeypatch):
    announced = []

    @contextmanager
    def listening(what, total=None):
        announced.append([total, 0])

        class Told:
            def step(self):
                announced[-1][1] += 1

        yield Told()

    monkeypatch.setattr(lowrank, "task", listening)
    monkeypatch.setattr(lowrank, "OBJECTS_AT_A_TIME", rows)
    monkeypatch.setattr(lowrank.pieces, "__defaults__", (rows,))
    gm.KernelRidge(GAUSSIAN, 0.3, rank=20).fit(X, Y)
    gm.KernelRidge(GAUSSIAN, 0.3, rank=20).fit(gm.Batches(X, target=Y, rows=rows))
    assert len(announced) == 2
    assert announced == [[-(-90 // rows)] * 2] * 2


@pytest.mark.parametrize("weight", [0.25, 1.0, 3.0])
def test_a_kernel_takes_its_bandwidth_from_every_object_with_any_weight(weight):
    w = np.where(np.arange(90) < 60, weight, 0.0)
    model = gm.KernelRidge(gm.Gaussian("median"), 0.1).fit(X, Y, sample_weight=w)
    assert model.kernel_ == gm.Gaussian("median").fit(X[:60])


@pytest.mark.parametrize("memory", [2000, 32 * 90, 32 * 90 * 7, 10**6])
def test_an_inner_product_of_matrices_does_not_depend_on_the_memory_it_may_take(memory, monkeypatch):
    K, L = GAUSSIAN.gram(X), gm.Laplacian(2.0).gram(X)
    expected, held = float((K.dense() * L.dense()).sum()), []
    K.memory = memory
    block = gm.Gram.block
    monkeypatch.setattr(gm.Gram, "block", lambda self, *at: held.append(block(self, *at).nbytes) or block(self, *at))
    assert frobenius(K, L) == pytest.approx(expected, rel=90 * 90 * np.finfo(float).eps)
    assert max(held) <= max(memory, 8 * 90)  # a row at least


@pytest.mark.parametrize(("limit", "method"), [(89, "block Krylov iteration"), (90, "eigenvalue decomposition")])
def test_components_say_how_they_were_found(limit, method, monkeypatch):
    monkeypatch.setattr(pca, "DENSE", limit)
    assert gm.KernelPCA(2, GAUSSIAN).fit(X).solver_ == method


def test_a_discriminant_counts_the_products_with_k_that_it_took(monkeypatch):
    monkeypatch.setattr(solve_module, "DENSE", 10)
    made = []
    apply = gm.Gram.apply
    monkeypatch.setattr(gm.Gram, "apply", lambda self, V: made.append(1) or apply(self, V))
    model = gm.FisherDiscriminant(GAUSSIAN, 0.1).fit(X, Y > 0)
    assert model.solver_.startswith("Cholesky factorization in single precision")
    assert model.solver_.endswith(f"refined by {len(made)} products with K")
    made.clear()
    monkeypatch.setattr(Machine, "factored", lambda self, n: np.inf)
    model = gm.FisherDiscriminant(GAUSSIAN, 0.1).fit(X, Y > 0)
    assert model.solver_.startswith(f"conjugate gradients, {len(made)} products with K")
