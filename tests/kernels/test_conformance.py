"""Every kernel of the package keeps the contract of a kernel, and every Gram that of a Gram."""

import importlib
import pickle
import pkgutil

import numpy as np
import pytest

import gramian as gm
import gramian.kernels
from gramian.kernels.algebra import Centered, Normalized
from gramian.testing import check_gram, check_kernel

from .cases import CASES

every_case = pytest.mark.parametrize("case", CASES, ids=repr)
OBJECTS = ("strings", "nodes", "text", "records", "categories")


def subclasses(cls):
    for child in cls.__subclasses__():
        yield child
        yield from subclasses(child)


def kernel_classes():
    """The kernels of the package: public ones, classes of gramian.kernels without a subclass, Normalized, Centered."""
    for module in pkgutil.walk_packages(gramian.kernels.__path__, "gramian.kernels."):
        importlib.import_module(module.name)
    ours = [cls for cls in subclasses(gm.Kernel) if cls.__module__.startswith("gramian.")]
    final = {cls for cls in ours if not any(other.__module__.startswith("gramian.") for other in subclasses(cls))}
    public = {getattr(gm, name) for name in gm.__all__}
    return final | {cls for cls in ours if cls in public or cls in (Normalized, Centered)}


def test_every_kernel_class_is_among_the_cases():
    missing = kernel_classes() - {type(case.kernel) for case in CASES}
    assert not missing, f"add a case for {sorted(cls.__name__ for cls in missing)}"


def test_every_public_kernel_and_node_of_the_algebra_is_found_by_the_walk():
    found = {cls.__name__ for cls in kernel_classes()}
    assert found >= {
        *("Linear", "Polynomial", "Gaussian", "Laplacian", "Matern", "Periodic", "Bilinear", "AllSubsets"),
        *("Anova", "Precomputed"),
        *("Composition", "Spectrum", "FullSpectrum", "AllSubsequences", "Subsequences", "NormalizedLogarithms"),
        *("Mismatch", "BagOfWords", "Equality"),
        *("PowerDiffusion", "ExponentialDiffusion", "VonNeumannDiffusion"),
        *("Sum", "Product", "Scaled", "Shifted", "Power", "Exponential", "Series"),
        *("Pullback", "Reweighted", "Normalized", "Centered", "Deflated"),
        *("Nystrom", "RandomFourier"),
    }


def test_case_names_are_unique():
    assert len({case.name for case in CASES}) == len(CASES)


@every_case
def test_kernel_conforms(case):
    check_kernel(case.kernel, case.data)


@every_case
def test_symmetric_gram_conforms(case):
    check_gram(case.kernel.gram(case.data))


@every_case
def test_rectangular_gram_conforms(case):
    kernel = case.kernel.fit(case.data)
    check_gram(kernel.gram(case.data[:3], case.data))
    check_gram(kernel.gram(case.data, case.data[1:4]))


@every_case
def test_float32_stays_float32_and_float64_stays_float64(case):
    kernel = case.kernel.fit(case.data)
    assert kernel(case.data).dtype == case.dtype
    assert kernel(case.data, case.data[:2]).dtype == case.dtype
    assert kernel.diag(case.data).dtype == case.dtype
    gram = kernel.gram(case.data)
    assert gram.dtype == case.dtype
    assert (gram @ np.ones(gram.shape[1])).dtype == case.dtype
    if kernel.feature_dim(kernel.encode(case.data)) is not None:
        assert kernel.features(case.data).dtype == case.dtype


@every_case
def test_values_are_finite_and_new_objects_are_treated_as_the_old_ones(case):
    kernel = case.kernel.fit(case.data)
    K = kernel(case.data)
    assert np.isfinite(K).all()
    tolerance = 1e-5 if case.dtype == np.float32 else 1e-8
    np.testing.assert_allclose(kernel(case.data[:4], case.data), K[:4], rtol=0, atol=tolerance * abs(K).max())


@every_case
def test_pickled_kernel_gives_the_same_matrix(case):
    kernel = case.kernel.fit(case.data)
    copy = pickle.loads(pickle.dumps(kernel))
    assert copy == kernel
    assert hash(copy) == hash(kernel)
    K = kernel(case.data)
    rounding = 8 * np.finfo(K.dtype).eps * np.abs(K).max()  # the last bit may depend on where an array lies in memory
    np.testing.assert_allclose(copy(case.data), K, rtol=0, atol=rounding)


@every_case
def test_kernel_is_not_equal_to_a_different_one(case):
    assert case.kernel != 2 * case.kernel
    assert case.kernel != gm.Gaussian(bandwidth=123.0)
    assert case.kernel != "kernel"


@pytest.mark.parametrize("case", [c for c in CASES if isinstance(c.data, np.ndarray)], ids=repr)
def test_read_only_and_non_contiguous_input_is_accepted(case):
    kernel = case.kernel.fit(case.data)
    frozen = case.data.copy()
    frozen.flags.writeable = False
    strided = np.repeat(case.data, 2, axis=0)[::2]
    K = kernel(case.data)
    np.testing.assert_array_equal(kernel(frozen), K)
    np.testing.assert_allclose(kernel(strided), K, rtol=1e-5, atol=1e-6 * abs(K).max())
    np.testing.assert_allclose(kernel(np.asfortranarray(case.data)), K, rtol=1e-5, atol=1e-5 * abs(K).max())


@pytest.mark.parametrize(
    "case", [c for c in CASES if getattr(c.data, "ndim", 1) == 2 or c.name.startswith(OBJECTS)], ids=repr
)
def test_equal_objects_have_equal_rows(case):
    K = case.kernel(case.data)
    tolerance = 4e-5 if case.dtype == np.float32 else 1e-9
    np.testing.assert_allclose(K[7], K[3], rtol=0, atol=tolerance * abs(K).max())


@pytest.mark.parametrize("value", [[[1, 2], [3, 4]], [[True, False], [False, False]], np.eye(2, dtype=np.int8)])
def test_integers_and_booleans_become_float64(value):
    K = gm.Linear()(value)
    assert K.dtype == np.float64
    np.testing.assert_array_equal(K, np.asarray(value, float) @ np.asarray(value, float).T)


def test_float16_becomes_float32():
    assert gm.Gaussian()(np.ones((2, 2), np.float16)).dtype == np.float32


@every_case
def test_every_column_of_the_explicit_map_has_a_name_or_the_kernel_says_that_they_have_none(case):
    kernel = case.kernel.fit(case.data)
    a = kernel.encode(case.data)
    columns = [f"x{j}" for j in range(case.data.shape[1])] if getattr(case.data, "ndim", 1) == 2 else []
    try:
        phi, names = kernel.phi(a), kernel.named(a, columns)
    except TypeError:
        return  # there is no map, or its features have no names
    assert len(names) == phi.shape[1]
    assert all(isinstance(name, str) for name in names)
