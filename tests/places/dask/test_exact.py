"""The exact side of the cluster place: whatever is made of products with K says what it says on the cores."""

import warnings
from importlib.util import find_spec

import dask.array as da
import dask.bag
import numpy as np
import pytest

import gramian as gm
from gramian.gram.gram import Gram
from gramian.places import CORES, place_of

from .clusters import collection

RNG = np.random.default_rng(1)
X = RNG.normal(size=(90, 3))
Z = RNG.normal(size=(17, 3))
Y = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=90)
CLASSES = np.digitize(X[:, 1], [-0.4, 0.5])
KERNELS = {
    "gaussian": gm.Gaussian(bandwidth=1.5),
    "settled": gm.Gaussian(bandwidth="median"),
    "sum times a number": 0.5 * (gm.Gaussian(bandwidth=1.0) + gm.Matern(bandwidth=1.2, nu=1.5)),
    "normalized polynomial": gm.Polynomial(degree=3, offset=1.0).normalize(),
    "linear": gm.Linear(),
    "a block of its own": gm.AllSubsets(),
}
TOL = 1e-8


def grams(name, chunks=40):
    kernel = KERNELS[name]
    return kernel.gram(X), kernel.gram(collection(X, chunks))


def close(found, expected, tol=TOL):
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= tol * max(1.0, np.abs(expected).max())


@pytest.fixture(autouse=True)
def small_bands(client, monkeypatch):
    monkeypatch.setattr("gramian.places.dask.pairs.BAND", 16)


@pytest.mark.parametrize("name", KERNELS)
def test_grams_are_those_of_the_cores(name):
    here, there = grams(name)
    V = RNG.normal(size=(90, 2))
    assert there.place is not CORES
    assert there.kernel == here.kernel
    close(there @ V, here @ V)
    close(there @ V[:, 0], here @ V[:, 0])
    close(there.dense(), here.dense())
    close(there.diag(), here.diag())
    close(there.row_means(), here.row_means())
    close(there.center() @ V, here.center() @ V)
    close(there.normalize() @ V, here.normalize() @ V)
    close(there.block([2, 80, 0], slice(1, 3)), here.block([2, 80, 0], slice(1, 3)))
    close(there.columns([70, 3]), here.columns([70, 3]))
    close(there.take(np.arange(5, 60)) @ V[5:60], here.take(np.arange(5, 60)) @ V[5:60])
    close(there.ridge(0.5) @ V, here.ridge(0.5) @ V)
    kernel = here.kernel
    mixed = kernel.gram(collection(X, 40), collection(Z, 10))
    close(mixed @ V[:17], kernel.gram(X, Z) @ V[:17])
    close(mixed.T @ V, kernel.gram(Z, X) @ V)
    close(kernel.gram(Z, collection(X, 40)) @ V, kernel.gram(Z, X) @ V)
    close(kernel.gram(collection(X, 40), Z).dense(), kernel(X, Z))


@pytest.mark.parametrize("name", ["gaussian", "linear"])
@pytest.mark.parametrize("pivoting", ["greedy", "random", None])
def test_cholesky_factors_are_those_of_the_cores(name, pivoting):
    low, expected = (gm.cholesky(K, 6, pivoting=pivoting, rng=3) for K in reversed(grams(name)))
    assert np.array_equal(low.pivots, expected.pivots)
    close(low.residual, expected.residual)
    close(place_of(low.factor).host(low.factor), expected.factor)


@pytest.mark.parametrize(("name", "dense"), [("gaussian", False), ("gaussian", True), ("linear", False)])
def test_solutions_eigenpairs_and_certificates_are_those_of_the_cores(name, dense, monkeypatch):
    here, there = grams(name)
    if not dense:
        for module in ("eigen", "solve", "psd", "spectrum"):
            monkeypatch.setattr(f"gramian.factor.{module}.DENSE", 10)
    close(gm.solve(there, Y, 0.3).value, gm.solve(here, Y, 0.3).value, 1e-5)
    close(gm.solve(there, Y, [0.3, 1.0]).value, gm.solve(here, Y, [0.3, 1.0]).value, 1e-5)
    found, expected = gm.eigen(there, 2), gm.eigen(here, 2)
    close(found.values, expected.values)
    close(np.abs(found.vectors), np.abs(expected.vectors), 1e-5)
    assert gm.is_psd(there).psd == gm.is_psd(here).psd


TEXTS = ["".join(word) for word in RNG.choice(list("abcd"), (40, 9))]
ON_TEXTS = [gm.Spectrum(length=2), gm.Spectrum(length=2).normalize() + 1, gm.Subsequences(length=2), gm.BagOfWords()]


@pytest.mark.parametrize("kernel", ON_TEXTS, ids=repr)
def test_texts_in_partitions_are_compared_as_those_at_hand(kernel):
    here, there = kernel.gram(TEXTS), kernel.gram(dask.bag.from_sequence(TEXTS, npartitions=3))
    V = RNG.normal(size=(40, 2))
    close(there @ V, here @ V)
    close(there.center() @ V, here.center() @ V)
    close(there.diag(), here.diag())
    close(there.columns([30, 2]), here.columns([30, 2]))
    learnt, expected = (gm.KernelRidge(kernel, ridge=0.3) for _ in range(2))
    learnt.fit(dask.bag.from_sequence(TEXTS, npartitions=3), V[:, 0])
    close(learnt.predict(TEXTS[:5]), expected.fit(TEXTS, V[:, 0]).predict(TEXTS[:5]))


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_partitions_of_tensors_are_worked_on_by_their_place(client):
    import torch

    kernel = gm.Gaussian(bandwidth=1.5)
    there = kernel.gram(collection(X, 40).map_blocks(torch.from_numpy, dtype=float, meta=X[:0]))
    kinds = there.rows.parts[0].mapped(type)
    assert client.gather(kinds) == [torch.Tensor] * 3
    V = RNG.normal(size=(90, 2))
    close(there @ V, kernel.gram(X) @ V)
    close(there.columns([70, 3]), kernel.gram(X).columns([70, 3]))
    close(gm.solve(there, Y, 0.3).value, gm.solve(kernel.gram(X), Y, 0.3).value)


LEARNERS = {
    "ridge": lambda k: gm.KernelRidge(k, ridge=0.1),
    "ridge, chosen": lambda k: gm.KernelRidge(k, ridge=[0.01, 0.1, 1.0], fit_intercept=True),
    "pca": lambda k: gm.KernelPCA(2, k),
    "fisher": lambda k: gm.FisherDiscriminant(k, ridge=0.1),
    "novelty": lambda k: gm.NoveltyDetector(k),
    "parzen": lambda k: gm.ParzenClassifier(k),
    "clusters": lambda k: gm.KernelKMeans(2, k, random_state=0),
}


def answers(learner, K, new):
    target = CLASSES if isinstance(learner, gm.FisherDiscriminant | gm.ParzenClassifier) else Y
    np.random.seed(0)  # noqa: NPY002 (what scikit-learn draws from where no random_state is given)
    learner.fit(K, target)
    for method in ("transform", "decision_function", "score_samples", "predict"):
        if hasattr(learner, method):
            found = getattr(learner, method)(new)
            return np.abs(found) if method == "transform" else found
    raise AssertionError("it says nothing")


@pytest.mark.parametrize(("name", "dense"), [("gaussian", False), ("gaussian", True), ("normalized polynomial", True)])
@pytest.mark.parametrize("way", LEARNERS)
def test_learners_say_what_they_say_on_the_cores(way, name, dense, monkeypatch):
    here, there = grams(name)
    if not dense:
        for module in ("eigen", "solve", "psd", "spectrum"):
            monkeypatch.setattr(f"gramian.factor.{module}.DENSE", 10)
    kernel = here.kernel
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = answers(LEARNERS[way](kernel), here, Gram(kernel, kernel.encoded(Z)))
        found = answers(LEARNERS[way](kernel), there, Gram(kernel, kernel.encoded(collection(Z, 9))))
    close(found, expected, 1e-5)


@pytest.mark.parametrize("way", LEARNERS)
def test_learners_take_collections_and_answer_with_collections(way):
    target = CLASSES if way in ("fisher", "parzen") else Y
    # A detector settles its kernel on all of a collection, and of data at hand on what it does not set aside.
    kernel = gm.Gaussian(bandwidth=1.5 if way == "novelty" else "median")
    there, here = (LEARNERS[way](kernel) for _ in range(2))
    np.random.seed(0)  # noqa: NPY002
    here.fit(X, target)
    np.random.seed(0)  # noqa: NPY002
    there.fit(collection(X, 40), da.from_array(target, chunks=40))
    assert there.kernel_ == here.kernel_
    for method in ("transform", "decision_function", "predict"):
        if hasattr(here, method):
            found, expected = getattr(there, method)(collection(Z, 9)), getattr(here, method)(Z)
            assert found.numblocks[0] == 2
            assert found.dtype == expected.dtype
            assert not computed(found)  # it is worked out when it is wanted
            close(np.abs(found.compute()), np.abs(expected), 1e-5)


def computed(lazy):
    """Return the numbers of objects that are in the graph of a collection already."""
    return [value for value in dict(lazy.__dask_graph__()).values() if isinstance(value, np.ndarray)]


def test_all_questions_of_exact_models_are_answered_lazily(client):
    ridge = gm.KernelRidge(gm.Gaussian(1.5), 0.1).fit(collection(X, 40), Y)
    low, high = ridge.predict_interval(collection(Z, 9))
    close(np.array([low.compute(), high.compute()]), np.array(ridge.predict_interval(Z)), 1e-5)
    components = gm.KernelPCA(2, gm.Gaussian(1.5)).fit(collection(X, 40))
    close(components.reconstruction_error(collection(Z, 9)).compute(), components.reconstruction_error(Z), 1e-6)
    parzen = gm.ParzenClassifier(gm.Gaussian(1.5)).fit(collection(X, 40), da.from_array(CLASSES, chunks=40))
    close(parzen.p_values(collection(Z, 9)).compute(), parzen.p_values(Z))


def test_a_lazy_answer_survives_its_model(client):
    model = gm.KernelRidge(gm.Gaussian(1.5), 0.1).fit(collection(X, 40), Y)
    expected, lazy = model.predict(Z), model.predict(collection(Z, 9))
    del model
    close(lazy.compute(), expected)


@pytest.mark.parametrize("name", ["gaussian", "normalized polynomial", "linear"])
def test_geometry_is_that_of_the_cores(name):
    kernel = KERNELS[name].fit(X)
    here, there = (gm.FeatureSpace(kernel)(data) for data in (X, collection(X, 40)))
    close(there.mean().norm(), here.mean().norm())
    close(there.total_variance(), here.total_variance())
    close(there.distances(there.mean()), here.distances(here.mean()), 1e-6)
    close(there.norms(), here.norms())
    w = RNG.normal(size=90)
    close(there.variance_along(there.combine(w)), here.variance_along(here.combine(w)))
    close(there.combine(w)(Z), here.combine(w)(Z))
    close(there.inner(there.combine(w)), here.inner(here.combine(w)))


def test_components_of_points_that_are_nearly_one_are_those_of_the_cores():
    near = 1e-8 * X
    for rank in ("exact", None):
        here, there = (
            gm.KernelPCA(2, gm.Gaussian(1.0), rank=rank).fit(given) for given in (near, collection(near, 40))
        )
        assert np.abs(np.asarray(there.eigenvalues_) / here.eigenvalues_ - 1).max() <= TOL
        expected = np.abs(here.transform(near))
        assert np.abs(np.abs(np.asarray(there.transform(near))) - expected).max() <= TOL * expected.max()
