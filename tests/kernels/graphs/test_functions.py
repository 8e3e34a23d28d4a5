"""Functions of a symmetric matrix against its eigenvectors, by every route."""

import numpy as np
import pytest
import scipy.sparse

import gramian as gm
from gramian.kernels.graphs import functions
from gramian.kernels.graphs.functions import Polynomial, SymmetricMatrix, TooSteep, chebyshev

EPS = np.finfo(float).eps


@pytest.fixture
def large(monkeypatch):
    """Let every matrix be too large to be decomposed."""
    monkeypatch.setattr(functions, "DECOMPOSED", 0)
    monkeypatch.setattr(functions, "SPARSE", 1.0)


def random_matrix(rng, n, shift=0.0):
    A = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.2)
    return A + A.T + shift * np.eye(n)


@pytest.mark.parametrize("shift", [0.0, 50.0, -50.0, 500.0])
def test_extremes_are_the_outermost_eigenvalues_on_whichever_side_of_zero_they_lie(large, shift):
    for seed in range(5):
        A = random_matrix(np.random.default_rng(seed), 40, shift)
        least, largest = SymmetricMatrix(scipy.sparse.csr_array(A)).extremes
        values = np.linalg.eigvalsh(A)
        # The iteration promises 1e-8 of its distance from the far bound, which Gershgorin's discs put some way off.
        allowed = 1e-7 * np.abs(A).sum(axis=1).max()
        assert abs(least - values[0]) <= allowed
        assert abs(largest - values[-1]) <= allowed


def test_a_function_too_steep_for_a_polynomial_is_taken_from_the_eigenvectors(large):
    A = random_matrix(np.random.default_rng(0), 30)
    S = SymmetricMatrix(scipy.sparse.csr_array(A))
    values, U = np.linalg.eigh(A)
    middle = (values[14] + values[15]) / 2

    def step(t):
        return np.where(t > middle, 1.0, 0.0)

    with pytest.raises(TooSteep):
        chebyshev(step, *S.bounds)
    gap = values[15] - values[14]
    np.testing.assert_allclose(S.dense(step), (U * step(values)) @ U.T, atol=1e3 * EPS * np.abs(values).max() / gap)


def test_an_exponential_is_not_cut_off_before_its_largest_terms():
    # Every node of one side joined to every one of the other, and V in the null space but for the last bit of an entry.
    # The first terms vanish beside V; the later ones grow by e^(βm) and are all there is to see in the end.
    m, beta, bit = 300, 0.2, EPS / 2
    A = np.kron([[0.0, 1.0], [1.0, 0.0]], np.ones((m, m)))
    V = np.resize([1.0, -1.0], (2 * m, 1))
    V[0] -= bit
    true = np.resize([1.0, -1.0], (2 * m, 1)) - bit * np.repeat([np.cosh(beta * m), np.sinh(beta * m)], m)[:, None] / m
    assert np.abs(true).max() > 1e6
    found = SymmetricMatrix(scipy.sparse.csr_array(A)).exponential(beta, V)
    np.testing.assert_allclose(found, true, rtol=1e-10)


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 5, 8, 9])
def test_a_polynomial_and_its_diagonal_are_those_of_its_matrix_for_odd_and_even_degrees(degree):
    rng = np.random.default_rng(degree)
    A = random_matrix(rng, 25)
    A /= np.abs(np.linalg.eigvalsh(A)).max()
    c = rng.normal(size=degree + 1)
    values, U = np.linalg.eigh(A)
    true = (U * np.polynomial.chebyshev.chebval(values, c)) @ U.T
    found = Polynomial(scipy.sparse.csr_array(2 * A), c)
    allowed = 100 * degree**2 * EPS * np.abs(c).sum()
    V = rng.normal(size=(25, 3))
    np.testing.assert_allclose(found.times(V), true @ V, atol=allowed * np.abs(V).sum(axis=0).max())
    nodes = np.array([3, 3, 0, 24])
    np.testing.assert_allclose(found.diagonal(nodes), np.diag(true)[nodes], atol=allowed)


def test_the_far_end_of_a_path_does_not_drown_in_the_clique_it_hangs_on():
    # Similarities in the clique are e^(1.5 · 39), and rounding in its leading eigenvector reaches to the end of a path.
    # A series of terms none of which is negative loses nothing.
    n, beta = 52, 1.5
    A = np.zeros((n, n))
    A[:40, :40] = 1 - np.eye(40)
    for i in range(39, n - 1):
        A[i, i + 1] = A[i + 1, i] = 1.0
    true, term = np.eye(n), np.eye(n)
    for k in range(1, 300):
        term = beta / k * (A @ term)
        true += term
    K = gm.ExponentialDiffusion(A, beta=beta)(range(n))
    assert K[0, 0] > 1e20 * K[-1, -1]
    np.testing.assert_allclose(K, true, rtol=1e-12)
