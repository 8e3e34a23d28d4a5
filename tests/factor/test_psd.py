"""The certificate: a verdict that anybody can check."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm

Q2 = np.array([[4.0, 2.9], [2.5, 1.0], [3.5, 4.0], [2.0, 2.1]])  # seed 003, Table 5.1


def squared_distances(X):
    return ((X[:, None] - X[None]) ** 2).sum(axis=-1)


def with_spectrum(values, seed=0):
    n = len(values)
    Q, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))
    K = (Q * np.asarray(values, float)) @ Q.T
    return (K + K.T) / 2


@pytest.fixture
def matrix_free(monkeypatch):
    monkeypatch.setattr("gramian.factor.psd.DENSE", 0)
    monkeypatch.setattr(gm.Gram, "matrix", lambda self: pytest.fail("the dense matrix was formed"))


def rounding(K):
    """What an eigenvalue of K is good to, where K was multiplied together from its spectrum."""
    return 32 * len(K) * np.finfo(float).eps * np.linalg.norm(K, 2)


def assert_refuted(certificate, K):
    a = certificate.witness
    assert not certificate
    assert not certificate.psd
    assert np.linalg.norm(a) == pytest.approx(1)
    assert a @ K @ a < 0
    assert a @ K @ a == pytest.approx(certificate.smallest, rel=1e-5, abs=rounding(K))
    assert certificate.smallest < -certificate.tolerance


def test_squared_distance_is_not_a_kernel():
    K = squared_distances(Q2)
    assert K[0].tolist() == pytest.approx([0.0, 5.86, 1.46, 4.64])
    assert_refuted(gm.is_psd(K), K)
    with pytest.raises(ValueError, match=r"K\[0, 1\] is 5.86, but .* = 0: K is not a kernel matrix; gm.is_psd\(K\)"):
        gm.Precomputed(K)
    assert "not positive semidefinite, smallest eigenvalue -" in repr(gm.is_psd(K))


def test_squared_distance_is_refuted_without_forming_the_matrix(matrix_free):
    K = squared_distances(np.random.default_rng(0).standard_normal((200, 2)))
    np.fill_diagonal(K, K.max())  # so that no single pair gives it away
    assert_refuted(gm.is_psd(gm.Precomputed(K).gram(range(200))), K)


def test_exp_of_minus_a_linear_kernel_is_not_a_kernel():
    # ERRATA 22: x = 1, 2 already shows it.
    K = np.exp(-np.outer([1.0, 2.0], [1.0, 2.0]))
    assert_refuted(gm.is_psd(K), K)
    assert gm.is_psd(np.exp(np.outer([1.0, 2.0], [1.0, 2.0])))


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=10),
    negative=st.floats(-1e3, -1e-9),
)
def test_one_negative_eigenvalue_is_found_whatever_the_others(values, negative):
    K = with_spectrum([negative, *values])
    certificate = gm.is_psd(K)
    assert certificate.smallest == pytest.approx(negative, abs=rounding(K))
    if certificate.smallest < -certificate.tolerance:
        a = certificate.witness
        assert a @ K @ a < 0
    assert_refuted(certificate, K)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 20), r=st.integers(1, 5), exponent=st.integers(-8, 8), seed=st.integers(0, 10**6))
def test_zero_eigenvalues_are_not_held_against_a_matrix(n, r, exponent, seed):
    F = np.random.default_rng(seed).integers(-3, 4, (n, r)) * 2.0**exponent  # F Fᵀ without rounding, rank ≤ r
    certificate = gm.is_psd(F @ F.T)
    assert certificate
    assert certificate.psd
    assert certificate.witness is None
    assert abs(certificate.smallest) <= certificate.tolerance or r >= n


@pytest.mark.parametrize(
    "kernel", [gm.Gaussian(), gm.Linear(), gm.Polynomial(degree=3), gm.Laplacian(), gm.Linear().exp()]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_kernel_passes_also_with_duplicates(kernel, dtype):
    X = np.random.default_rng(1).standard_normal((40, 2)).astype(dtype)
    K = kernel.gram(np.vstack([X, X]))
    assert gm.is_psd(K)
    assert gm.is_psd(K.center())
    assert gm.is_psd(K.ridge(1.0)).smallest == pytest.approx(1.0, abs=100 * gm.is_psd(K).tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("spread", [1e-6, 1e-3, 1e-1])
@pytest.mark.parametrize("kernel", [gm.Gaussian(), gm.Matern(), 2 * gm.Gaussian() + 1], ids=repr)
def test_tight_clusters_far_apart_pass(kernel, spread, dtype):
    generator = np.random.default_rng(0)
    centres = ([0.0, 0.0], [1e4, 1e4], [-1e4, 1e4])
    points = np.concatenate([c + spread * generator.standard_normal((40, 2)) for c in centres]).astype(dtype)
    assert gm.is_psd(kernel.gram(points))
    assert gm.is_psd(kernel.gram(points).center())


def test_a_low_rank_gram_passes_without_forming_the_matrix(matrix_free):
    certificate = gm.is_psd(gm.Linear().gram(np.random.default_rng(2).standard_normal((200, 4))))
    assert certificate
    assert certificate.witness is None


def test_the_smallest_eigenvalue_is_found_without_forming_the_matrix(matrix_free):
    values = np.concatenate([[0.5], np.linspace(2, 9, 99)])
    certificate = gm.is_psd(gm.Precomputed(with_spectrum(values)).gram(range(100)))
    assert certificate
    assert certificate.smallest == pytest.approx(0.5, rel=1e-5)
    assert certificate.tolerance == pytest.approx(
        100 * np.finfo(float).eps * (4 * 9 + np.diag(with_spectrum(values)).max()), rel=1e-2
    )


def test_one_negative_eigenvalue_is_found_without_forming_the_matrix(matrix_free):
    values = np.concatenate([[-0.5], np.linspace(1, 9, 99)])
    K = with_spectrum(values)
    K += np.diag(np.maximum(-np.diag(K), 0))
    assert np.linalg.eigvalsh(K)[0] < 0
    assert_refuted(gm.is_psd(gm.Precomputed(K).gram(range(100))), K)


def test_smallest_and_tolerance_are_those_of_the_spectrum():
    certificate = gm.is_psd(with_spectrum([4.0, 1.0, 0.25]))
    assert certificate.smallest == pytest.approx(0.25)
    assert certificate.tolerance == pytest.approx(4 * 3 * np.finfo(float).eps * 4)
    assert gm.is_psd([[1.0]])
    assert gm.is_psd(np.zeros((3, 3)))


@pytest.mark.parametrize(
    ("K", "message"),
    [
        ([[1.0, 2.0], [0.0, 1.0]], r"K is not symmetric: K\[0, 1\] = 2 but K\[1, 0\] = 0"),
        ([[0.0, 1.0], [-1.0, 0.0]], "K is not symmetric"),
        (np.ones((2, 3)), r"K has shape \(2, 3\); a square matrix expected"),
        ([1.0, 2.0], "2 expected"),
        ([[np.nan]], "finite numbers expected"),
    ],
)
def test_what_is_no_symmetric_matrix_is_refused(K, message):
    with pytest.raises(ValueError, match=message):
        gm.is_psd(K)


def test_a_rectangular_gram_is_refused():
    with pytest.raises(ValueError, match="is_psd needs a symmetric Gram"):
        gm.is_psd(gm.Linear().gram(Q2, Q2[:2]))
