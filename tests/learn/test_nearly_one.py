"""Samples of which all images are nearly one: the digits of 1 − κ are kept, and components are those of the line."""

import decimal
import pickle
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import gramian as gm

SLOPES = [  # of κ: 1 − κ(x, z) = ½ s ‖x − z‖² to first order, times the norm
    (gm.Gaussian(1.0), 1.0),
    (3 * gm.Gaussian(1.0) * gm.Gaussian(2.0), 3 * 1.25),
    (gm.Gaussian(0.5) + gm.Linear(), 5.0),
    (gm.Gaussian(1.0) + 7.0, 1.0),
]
DIGITS = 1e-8  # squared distances are good to 1e-9
IN_SINGLE = 16 * float(np.finfo(np.float32).eps)  # the same, kept in single precision


def cloud(seed: int, n: int, dtype: type, offset: float = 0.0) -> np.ndarray:
    """Points 1e-8 apart."""
    rng = np.random.default_rng(seed)
    return (offset + 1e-8 * rng.normal(size=(n, 3)) * [3, 2, 1]).astype(dtype)


def line(X: np.ndarray, Z: np.ndarray, slope: float, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the eigenvalues and coordinates of ordinary components, to which those of near points tend."""
    X, Z = (A.astype(np.longdouble) for A in (X, Z))
    mean = X.mean(axis=0)
    _, s, V = np.linalg.svd((X - mean).astype(float), full_matrices=False)
    return slope * s[:k] ** 2, np.sqrt(slope) * (Z - mean).astype(float) @ V[:k].T


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("kernel", "slope"), SLOPES, ids=str)
@pytest.mark.parametrize(("dtype", "offset"), [(np.float64, 0.0), (np.float64, 0.3), (np.float32, 0.0)])
def test_components_of_near_points_are_those_of_the_line(kernel, slope, dtype, offset, seed):
    X, Z = cloud(seed, 40, dtype, offset), cloud(seed + 100, 9, dtype, offset)
    digits = IN_SINGLE if dtype is np.float32 else DIGITS
    model = gm.KernelPCA(3, kernel).fit(X)
    values, along = line(X, Z, slope, 3)
    assert_allclose(model.eigenvalues_, values, rtol=digits)
    found = model.transform(Z)
    signs = np.sign((found * along).sum(axis=0))
    assert_allclose(found, along * signs, rtol=0, atol=digits * np.abs(along).max())
    assert np.all(model.reconstruction_error(Z) <= 1e-3 * np.abs(along).max())
    assert_allclose(
        pickle.loads(pickle.dumps(model)).transform(Z), found, rtol=digits, atol=digits * np.abs(along).max()
    )


def test_components_that_are_iterated_are_those_of_the_line(tmp_path):
    X = cloud(1, 700, np.float64)
    model = gm.KernelPCA(2, gm.Gaussian(1.0)).fit(X)
    values, along = line(X, X, 1.0, 2)
    assert_allclose(model.eigenvalues_, values, rtol=DIGITS)
    gm.save(model, tmp_path / "model.gm")
    again = gm.load(tmp_path / "model.gm").transform(X)
    assert_allclose(np.abs(again), np.abs(along), rtol=0, atol=DIGITS * np.abs(along).max())


@pytest.mark.parametrize("seed", range(5))
def test_a_centred_gram_of_near_points_is_that_of_the_line(seed):
    X = cloud(seed, 30, np.float64)
    K = gm.Gaussian(1.0).gram(X).center().dense()
    centred = X - X.mean(axis=0)
    assert_allclose(K, centred @ centred.T, rtol=0, atol=DIGITS * K.max())
    assert_allclose(K.sum(axis=0), 0, atol=DIGITS * K.max())


def test_points_that_are_not_near_are_centred_by_their_values():
    X = np.random.default_rng(0).normal(size=(30, 3))
    assert not gm.Gaussian(1.0).gram(X).is_nearly_one
    assert not gm.Gaussian(1.0).gram(1e-3 * X).is_nearly_one
    assert gm.Gaussian(1.0).gram(1e-6 * X).is_nearly_one
    assert not gm.Linear().gram(1e-8 * X + 1).is_nearly_one  # φ itself is better still


@pytest.mark.parametrize("kernel", [gm.Gaussian(1.0), gm.Linear(), gm.Laplacian(1.0)], ids=str)
def test_a_pickled_model_keeps_what_it_knows_of_the_sample(kernel):
    X = np.random.default_rng(0).normal(size=(30, 3))
    model = gm.KernelPCA(2, kernel).fit(X)
    before = vars(model.components_.space.kernel)
    after = vars(pickle.loads(pickle.dumps(model)).components_.space.kernel)
    assert "_reference_products" in before
    for name in {"_reference_products", "_mean", "_mean_features"} & before.keys():
        assert np.array_equal(after[name], before[name])


@pytest.mark.parametrize("apart", [0.0, 1e-9])
def test_the_centre_of_near_points_is_one_of_length_one(apart):
    S = gm.FeatureSpace(gm.Gaussian(1.5))(apart * np.random.default_rng(0).normal(size=(5, 2)))
    origin = S.combine(np.zeros(5))
    assert_allclose(S.mean().norm(), 1, rtol=1e-12)
    assert_allclose(origin.distances(S.mean()), 1, rtol=1e-12)
    assert S.total_variance() <= 2 * apart**2


def gaussian(sigma):
    return lambda x, z: (-sum((a - b) ** 2 for a, b in zip(x, z, strict=True)) / (2 * sigma**2)).exp()


def laplacian(x, z):
    return (-sum(abs(a - b) for a, b in zip(x, z, strict=True))).exp()


DEFINED = [
    (gm.Gaussian(1.0), gaussian(1)),
    (gm.Laplacian(1.0), laplacian),
    (3 * gm.Gaussian(1.0) * gm.Gaussian(2.0), lambda x, z: 3 * gaussian(1)(x, z) * gaussian(2)(x, z)),
    (gm.Gaussian(0.5) + gm.Gaussian(2.0) + 7.0, lambda x, z: gaussian(Decimal("0.5"))(x, z) + gaussian(2)(x, z) + 7),
]


def centred(kappa, X, Z):
    """Return κ̂ between the rows of Z and those of X about the centre of X, in decimal numbers of sixty digits."""
    with decimal.localcontext(prec=60):
        X, Z = ([[Decimal(float(a)) for a in row] for row in A] for A in (X, Z))
        K, beside = (np.array([[kappa(a, x) for x in X] for a in A]) for A in (X, Z))
        return beside - beside.mean(axis=1)[:, None] - K.mean(axis=0) + K.mean()


@pytest.mark.parametrize(("kernel", "kappa"), DEFINED, ids=[str(kernel) for kernel, _ in DEFINED])
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 7), scale=st.floats(-13, -9), offset=st.sampled_from([0, 0.3]))
def test_values_about_the_centre_have_the_digits_of_their_definition(kernel, kappa, seed, n, scale, offset):
    rng = np.random.default_rng(seed)
    X, Z = (offset + 10**scale * rng.normal(size=(k, 2)) for k in (n, 3))
    expected = centred(kappa, X, Z).astype(np.float64)
    about = kernel.center(X)
    assert_allclose(about.gram(Z, X).dense(), expected, rtol=0, atol=DIGITS * np.abs(expected).max())
    own = np.diagonal(centred(kappa, X, X)).astype(np.float64)
    assert_allclose(about.gram(X).diag(), own, rtol=0, atol=DIGITS * own.max())
