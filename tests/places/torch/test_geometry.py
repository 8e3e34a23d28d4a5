"""Geometry of tensors: what was asked of arrays is answered in tensors, with the same numbers."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from tests.places.torch.device import DEVICE, host  # noqa: E402

import gramian as gm  # noqa: E402
from gramian.gram.there import GramThere  # noqa: E402

RNG = np.random.default_rng(4)
X, Z = RNG.normal(size=(40, 3)), RNG.normal(size=(7, 3))
ALPHA = RNG.normal(size=(40, 2))
KERNELS = [gm.Gaussian(1.5), gm.Linear(), gm.Polynomial(2), gm.Matern(1.2, 1.5) + gm.Periodic(3.0)]


def there(A):
    return torch.from_numpy(np.ascontiguousarray(A)).to(DEVICE, copy=True)


def same(found, expected, tol=1e-9):
    if isinstance(expected, np.ndarray):
        assert isinstance(found, torch.Tensor)
        assert found.device.type == DEVICE
    assert np.shape(host(found)) == np.shape(expected)
    assert np.abs(host(found) - expected).max() <= tol * max(1.0, np.abs(expected).max())


ASKED = {
    "inner": lambda S, T, a, to: S.inner(T),
    "inner of one": lambda S, T, a, to: S.inner(T[0]),
    "norms": lambda S, T, a, to: S.norms(),
    "distances": lambda S, T, a, to: S.distances(T),
    "distances among them": lambda S, T, a, to: S.distances(),
    "distances from the mean": lambda S, T, a, to: S.distances(S.mean()),
    "cosines": lambda S, T, a, to: S.cosines(T),
    "correlations": lambda S, T, a, to: S.correlations(),
    "correlations with others": lambda S, T, a, to: S.correlations(to(Z)),
    "functions": lambda S, T, a, to: S.combine(a)(to(Z)),
    "a function": lambda S, T, a, to: (2.0 * S.combine(a[:, 0]) - S[3] / 2.0)(to(Z)),
    "combinations": lambda S, T, a, to: S.combine(a).inner(T.mean()),
    "units": lambda S, T, a, to: S.combine(a).unit().norms(),
    "projections": lambda S, T, a, to: S.project(S.mean()),
    "residuals": lambda S, T, a, to: S.residuals(S[2]) ** 2,
    "centred": lambda S, T, a, to: S.center().gram().dense(),
    "normalized": lambda S, T, a, to: S.normalize().distances(),
    "deflated": lambda S, T, a, to: S.deflate(S.mean()).norms() ** 2,
    "variance": lambda S, T, a, to: S.total_variance(),
    "variance along": lambda S, T, a, to: S.variance_along(S[1]),
    "dimension": lambda S, T, a, to: S.dimension(0.9),
    "rank": lambda S, T, a, to: S.rank(1e-6),
    "extended": lambda S, T, a, to: S.extend(T).mean().norm(),
    "coordinates": lambda S, T, a, to: abs(S.subspace("eigen", rank=3).coordinates(to(Z))),
    "pivots": lambda S, T, a, to: S.subspace(rank=4).coordinates(T),
    "outside": lambda S, T, a, to: S.subspace(rank=4).residuals(to(Z)) ** 2,
    "basis": lambda S, T, a, to: S.subspace(rank=4).basis.inner(T),
    "inside": lambda S, T, a, to: S.subspace(rank=4).project(to(Z)).norms(),
    "means": lambda S, T, a, to: gm.mean_distance(S, T),
    "test of means": lambda S, T, a, to: gm.mean_test(S, T, permutations=50, rng=0).p_value,
}


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("what", ASKED)
def test_geometry_of_tensors_is_that_of_arrays(what, kernel):
    phi = gm.FeatureSpace(kernel)
    asked = ASKED[what]
    expected = asked(phi(X), phi(Z), ALPHA, lambda A: A)
    same(asked(phi(there(X)), phi(there(Z)), there(ALPHA), there), expected)
    same(asked(phi(there(X)), phi(there(Z)), ALPHA, there), expected)


def test_grams_of_vectors_are_grams_of_tensors():
    S = gm.FeatureSpace(gm.Gaussian(1.0))(there(X))
    assert isinstance(S.gram(), GramThere)
    same(S.gram() @ there(ALPHA), gm.Gaussian(1.0).gram(X) @ ALPHA)
    assert repr(S) == repr(gm.FeatureSpace(gm.Gaussian(1.0))(X))
    assert len(S) == 40
    with pytest.raises(ValueError, match="NumPy"):
        S.inner(gm.FeatureSpace(gm.Gaussian(1.0))(Z))


@pytest.mark.parametrize("make", [gm.MercerMap, gm.EmpiricalMap, gm.CholeskyMap], ids=lambda m: m.__name__)
def test_maps_of_tensors_are_those_of_arrays(make):
    found, expected = make(gm.Gaussian(1.5)).fit(there(X)), make(gm.Gaussian(1.5)).fit(X)
    same(abs(found.transform(there(Z))), abs(expected.transform(Z)), 1e-6)


@pytest.mark.parametrize("kernel", [gm.Gaussian(1.5), gm.Linear(), gm.Polynomial(2)], ids=repr)
def test_pre_images_of_tensors_are_those_of_arrays(kernel):
    found, expected = (gm.KernelPCA(3, kernel, rank="exact") for _ in range(2))
    T, expected_T = found.fit_transform(there(X)), expected.fit_transform(X)
    same(abs(T), abs(expected_T), 1e-8)
    same(found.inverse_transform(T[:5]), expected.inverse_transform(expected_T[:5]), 1e-6)


def test_novelty_and_clusters_of_tensors_are_those_of_arrays():
    kernel = gm.Gaussian(1.5)
    make = lambda: gm.NoveltyDetector(kernel, calibration="conformal", random_state=0)  # noqa: E731
    same(make().fit(there(X)).p_values(there(Z)), make().fit(X).p_values(Z))
    make = lambda: gm.KernelKMeans(3, kernel, random_state=0)  # noqa: E731
    assert np.array_equal(host(make().fit_predict(there(X))), make().fit_predict(X))
    assert make().fit(there(X)).n_features_in_ == 3
    with pytest.raises(ValueError, match="2 features"):
        make().fit(there(X)).predict(there(Z[:, :2]))
