"""Many objects: what is said of tensors is what the cores say in double precision.

On a GPU (GRAMIAN_TEST_DEVICE=cuda) there are 100,000 of them, through compiled passes; on the cores fewer.
"""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from tests.places.torch.device import DEVICE, host  # noqa: E402

import gramian as gm  # noqa: E402

N = 700 if DEVICE == "cpu" else 100_000
SAMPLE = 200
RNG = np.random.default_rng(18)
LOOKED_AT = np.sort(RNG.choice(N, SAMPLE, replace=False))
BOUNDS = {np.float32: 1e-6, np.float64: 1e-13}  # of Σ|terms|
KERNELS = {
    "gaussian": gm.Gaussian(2.2),
    "laplacian": gm.Laplacian(4.0),
    "matern": gm.Matern(2.5, 1.5),
    "sum times polynomial": (gm.Gaussian(2.0) + gm.Gaussian(4.0)) * gm.Polynomial(2, offset=1.0),
    "normalized": gm.Polynomial(3, offset=1.0).normalize(),
    "some columns": gm.Gaussian(1.0).on(0, 1, 2) * gm.Matern(1.5, 2.5).on(*range(3, 10)),
}


def points(dtype, d=10, n=N):
    return np.random.default_rng(d).normal(size=(n, d)).astype(dtype)


def there(A):
    return torch.from_numpy(np.ascontiguousarray(A)).to(DEVICE)


@pytest.mark.parametrize("columns", [1, 5, 16, 64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", KERNELS)
def test_products_with_many_objects_are_those_of_the_cores(name, dtype, columns):
    X, kernel = points(dtype), KERNELS[name]
    V = RNG.normal(size=(N, columns)).astype(dtype)
    K = kernel.gram(there(X))
    found = host(K @ there(V))[LOOKED_AT].astype(float)
    exact = X.astype(float)
    rows = kernel.fit(exact)(exact[LOOKED_AT], exact)
    terms = np.abs(rows) @ np.abs(V.astype(float))
    assert np.abs(found - rows @ V.astype(float)).max(0).max() <= BOUNDS[dtype] * terms.max()
    assert (np.abs(found - rows @ V.astype(float)) / terms).max() <= BOUNDS[dtype]
    assert np.array_equal(host(K @ there(V))[LOOKED_AT], found)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("tol", [1e-5, 1e-9])
def test_a_ridge_of_many_objects_solves_the_system_of_the_cores(dtype, tol):
    X, kernel, ridge = points(dtype, 4), gm.Gaussian(1.5), 1.0
    y = np.sin(X[:, 0].astype(float)) + X[:, 1]
    model = gm.KernelRidge(kernel, ridge=ridge, rank="exact", tol=tol, fit_intercept=False).fit(there(X), there(y))
    exact = X.astype(float)
    weights = np.asarray(model.dual_coef_, dtype=float).reshape(N)
    rest = kernel(exact[LOOKED_AT], exact) @ weights + ridge * weights[LOOKED_AT] - y[LOOKED_AT]
    assert np.linalg.norm(rest) <= 10 * tol * np.linalg.norm(y[LOOKED_AT])
    new = points(dtype, 4, 300)
    here = gm.to_device(model, "cpu")
    answers = kernel(new.astype(float), exact) @ weights
    bound = BOUNDS[dtype] * (kernel(new.astype(float), exact) @ np.abs(weights)).max()
    for found in (host(model.predict(there(new))), here.predict(new)):
        assert np.abs(found - answers).max() <= bound + 1e-6 * np.abs(answers).max() * (dtype == np.float32)


def test_components_of_many_objects_are_eigenvectors_of_the_matrix_of_the_cores():
    X, kernel = points(np.float64, 4), gm.Gaussian(2.0)
    found = gm.eigen(kernel.gram(there(X)), 5)
    values, vectors = host(found.values), host(found.vectors)
    rest = kernel(X[LOOKED_AT], X) @ vectors - vectors[LOOKED_AT] * values
    assert np.abs(vectors.T @ vectors - np.eye(5)).max() <= 1e-8
    assert np.linalg.norm(rest, axis=0).max() <= 1e-6 * values[0]


@pytest.mark.parametrize("rank", [100, "exact"])
@pytest.mark.parametrize("what", ["fisher", "parzen", "novelty", "pca"])
def test_models_of_many_objects_say_the_same_on_the_cores(what, rank):
    X = points(np.float64, 4)
    classes = np.digitize(X[:, 0] + 0.3 * X[:, 1], [-0.7, 0.7])
    kernel = gm.Gaussian(1.5)
    model = {
        "fisher": lambda: gm.FisherDiscriminant(kernel, ridge=1.0, rank=rank),
        "parzen": lambda: gm.ParzenClassifier(kernel, rank=rank),
        "novelty": lambda: gm.NoveltyDetector(kernel, rank=rank, random_state=0),
        "pca": lambda: gm.KernelPCA(3, kernel, rank=rank),
    }[what]()
    model.fit(there(X), *([classes] if what in ("fisher", "parzen") else []))
    new = points(np.float64, 4, 50) * 1.5
    ask = next(name for name in ("transform", "score_samples", "decision_function") if hasattr(model, name))
    found = host(getattr(model, ask)(there(new)))
    expected = getattr(gm.to_device(model, "cpu"), ask)(new)
    assert np.abs(found - expected).max() <= 1e-9 * max(1.0, np.abs(expected).max())
    if what == "fisher":
        assert (host(model.predict(there(X[LOOKED_AT]))) == classes[LOOKED_AT]).mean() > 0.9
