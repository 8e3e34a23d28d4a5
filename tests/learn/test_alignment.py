"""Centred alignment against centring matrices written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm


def dense(K, T):
    """⟨HKH, HTH⟩ / (‖HKH‖ ‖HTH‖) with H = I − 11ᵀ/n."""
    n = len(K)
    H = np.eye(n) - np.full((n, n), 1 / n)
    K, T = H @ K @ H, H @ T @ H
    return float((K * T).sum() / np.linalg.norm(K) / np.linalg.norm(T))


def indicators(y):
    return np.equal.outer(y, np.unique(y)).astype(float)


def of_matrix(K, **options):
    return gm.Precomputed(K).gram(range(len(K)), **options)


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(23, 3)) + 1.0


@pytest.fixture(scope="module")
def numbers():
    return np.random.default_rng(1).normal(size=23)


KERNELS = [gm.Linear(), gm.Polynomial(2, 1.0), gm.Gaussian(1.5), gm.Laplacian(1.0)]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_alignment_with_numbers_is_that_of_the_dense_matrices(kernel, X, numbers):
    expected = dense(kernel(X), np.outer(numbers, numbers))
    assert gm.alignment(kernel.gram(X), numbers) == pytest.approx(expected, rel=1e-10)
    several = np.column_stack([numbers, numbers**2])
    assert gm.alignment(kernel.gram(X), several) == pytest.approx(dense(kernel(X), several @ several.T), rel=1e-10)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_alignment_with_classes_is_that_with_their_indicators(kernel, classes, X):
    y = np.arange(23) % classes
    expected = dense(kernel(X), indicators(y) @ indicators(y).T)
    assert gm.alignment(kernel.gram(X), y) == pytest.approx(expected, rel=1e-10)
    assert gm.alignment(kernel.gram(X), np.array(list("abcde"))[y]) == pytest.approx(expected, rel=1e-10)
    assert gm.alignment(kernel.gram(X), y.astype(float), "classes") == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("other", KERNELS, ids=str)
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_alignment_of_two_grams_is_that_of_their_matrices(kernel, other, X):
    found = gm.alignment(kernel.gram(X), other.gram(X))
    assert found == pytest.approx(dense(kernel(X), other(X)), rel=1e-10)
    assert found == pytest.approx(gm.alignment(other.gram(X), kernel.gram(X)), rel=1e-12)


def test_a_gram_is_aligned_with_itself_and_with_its_multiples(X):
    gram = gm.Gaussian(1.0).gram(X)
    assert gm.alignment(gram, gram) == pytest.approx(1.0, abs=1e-12)
    assert gm.alignment(gram, (3.0 * gm.Gaussian(1.0) + 7.0).gram(X)) == pytest.approx(1.0, abs=1e-10)


def test_the_gram_of_the_target_itself_has_alignment_one(numbers):
    assert gm.alignment(of_matrix(np.outer(numbers, numbers)), numbers) == pytest.approx(1.0, abs=1e-12)
    y = np.arange(23) % 3
    assert gm.alignment(of_matrix(indicators(y) @ indicators(y).T), y) == pytest.approx(1.0, abs=1e-12)


def test_signs_of_two_classes_and_their_indicators_are_the_same_target(X):
    sign = np.where(np.arange(23) % 3 == 0, 1.0, -1.0)
    gram = gm.Gaussian(1.0).gram(X)
    assert gm.alignment(gram, sign, "numbers") == pytest.approx(gm.alignment(gram, sign, "classes"), rel=1e-12)


def test_whole_numbers_are_classes_unless_told_otherwise(X):
    gram, y = gm.Linear().gram(X), np.arange(23) % 4
    assert gm.alignment(gram, y) == gm.alignment(gram, y, "classes")
    assert gm.alignment(gram, y, "numbers") == pytest.approx(dense(X @ X.T, np.outer(y, y)), rel=1e-10)
    assert abs(gm.alignment(gram, y, "numbers") - gm.alignment(gram, y)) > 1e-3


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_alignment_is_blind_to_scale_and_to_a_constant(kernel, X, numbers):
    plain = gm.alignment(kernel.gram(X), numbers)
    assert gm.alignment((5.0 * kernel).gram(X), numbers) == pytest.approx(plain, rel=1e-10)
    assert gm.alignment((kernel + 4.0).gram(X), numbers) == pytest.approx(plain, rel=1e-10)
    assert gm.alignment(kernel.gram(X), 3.0 * numbers + 10.0) == pytest.approx(plain, rel=1e-10)


def test_alignment_does_not_depend_on_how_k_is_cut(X, numbers):
    for kernel in KERNELS:
        whole = gm.alignment(kernel.gram(X), numbers)
        assert gm.alignment(kernel.gram(X, memory=32 * 1024), numbers) == pytest.approx(whole, rel=1e-12)
        assert gm.alignment(kernel.gram(X, memory=32 * 1024), gm.Gaussian(0.5).gram(X)) == pytest.approx(
            gm.alignment(kernel.gram(X), gm.Gaussian(0.5).gram(X)), rel=1e-12
        )


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(3, 20), rank=st.integers(1, 5))
def test_alignment_lies_between_zero_and_one_and_is_the_dense_one(seed, n, rank):
    rng = np.random.default_rng(seed)
    F, y = rng.normal(size=(n, rank)), rng.normal(size=n)
    found = gm.alignment(gm.Linear().gram(F), y)
    assert found == pytest.approx(dense(F @ F.T, np.outer(y, y)), rel=1e-8, abs=1e-12)
    assert -1e-12 <= found <= 1 + 1e-12


def test_alignment_in_single_precision_is_that_of_double_precision(X, numbers):
    single = gm.alignment(gm.Gaussian(1.0).gram(X.astype(np.float32)), numbers)
    assert single == pytest.approx(gm.alignment(gm.Gaussian(1.0).gram(X), numbers), rel=1e-5)


@pytest.mark.parametrize("value", [0.1, 0.3, 1.0, 1e5])
@pytest.mark.parametrize("n", [5, 7, 13])
def test_a_kernel_that_is_the_same_for_all_objects_has_no_alignment(n, value):
    with pytest.raises(ValueError, match="not defined"):
        gm.alignment(of_matrix(np.full((n, n), value)), np.arange(n) * 1.1)
    with pytest.raises(ValueError, match="not defined"):
        gm.alignment(gm.Linear().gram(np.full((n, 3), value)), np.arange(n) * 1.1)


@pytest.mark.parametrize("value", [0.1, 0.3, 1.0, 1e5])
@pytest.mark.parametrize("n", [5, 7, 13])
def test_a_target_that_is_the_same_for_all_objects_has_no_alignment(n, value):
    gram = gm.Gaussian(1.0).gram(np.random.default_rng(0).normal(size=(n, 2)))
    with pytest.raises(ValueError, match="not defined"):
        gm.alignment(gram, np.full(n, value), "numbers")
    with pytest.raises(ValueError, match="not defined"):
        gm.alignment(gram, ["a"] * n)


@pytest.mark.parametrize(
    ("target", "task", "message"),
    [
        (np.arange(22), "auto", "shape .22,."),
        (np.zeros((23, 2, 2)), "auto", "shape"),
        (5.0, "auto", "shape"),
        (np.arange(23), "ranks", "'ranks'"),
        (np.array(["a", "b"] * 11 + ["c"]), "numbers", "not a finite number"),
        (np.where(np.arange(23) == 3, np.nan, 0.5), "numbers", "not a finite number"),
        (np.where(np.arange(23) == 3, np.inf, 0.5), "auto", "finite|infinity"),
        (np.arange(46).reshape(23, 2) % 3, "classes", "one label"),
    ],
    ids=["short", "3-d", "scalar", "task", "text as numbers", "nan", "inf", "two columns of labels"],
)
def test_bad_targets_are_refused_with_what_was_received(target, task, message, X):
    with pytest.raises(ValueError, match=message):
        gm.alignment(gm.Linear().gram(X), target, task)


def test_bad_grams_are_refused(X, numbers):
    with pytest.raises(TypeError, match="takes a Gram"):
        gm.alignment(X @ X.T, numbers)
    with pytest.raises(ValueError, match="symmetric"):
        gm.alignment(gm.Linear().gram(X, X[:5]), numbers)
    with pytest.raises(ValueError, match="symmetric"):
        gm.alignment(gm.Linear().gram(X), gm.Linear().gram(X, X[:5]))
    with pytest.raises(ValueError, match="23 and 22 objects"):
        gm.alignment(gm.Linear().gram(X), gm.Linear().gram(X[:22]))
