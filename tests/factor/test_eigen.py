"""Eigenpairs of a Gram: matrices with a chosen spectrum, the relation to the covariance, the worked examples."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.factor import krylov
from gramian.factor.eigen import centered_eigen

FIVE_POINTS = [[5.9, 3.0], [6.9, 3.1], [6.6, 2.9], [4.6, 3.2], [6.0, 2.2]]  # seed 003, Figure 5.1


def with_spectrum(values, seed=0):
    """A Gram whose eigenvalues are known, and its eigenvectors."""
    n = len(values)
    Q, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))
    K = (Q * values) @ Q.T
    return gm.Precomputed((K + K.T) / 2).gram(range(n)), Q


@pytest.fixture
def matrix_free(monkeypatch):
    """Decompose small matrices by the method of the large ones, and let nobody form the dense matrix."""
    monkeypatch.setattr("gramian.factor.eigen.DENSE", 0)
    monkeypatch.setattr(gm.Gram, "matrix", lambda self: pytest.fail("the dense matrix was formed"))


@settings(max_examples=30, deadline=None)
@given(
    values=st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=12),
    zeros=st.integers(0, 4),
    rank=st.integers(1, 20),
)
def test_the_leading_eigenvalues_are_found_largest_first(values, zeros, rank):
    truth = np.sort(np.array(values + [0.0] * zeros))[::-1]
    gram, _ = with_spectrum(truth)
    pairs = gm.eigen(gram, rank)
    k = min(rank, len(truth))
    assert pairs.values.shape == (k,)
    assert pairs.vectors.shape == (len(truth), k)
    np.testing.assert_allclose(pairs.values, truth[:k], atol=1e-12 * truth[0])
    assert (np.diff(pairs.values) <= 0).all()
    np.testing.assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(k), atol=1e-12)
    assert (pairs.residuals <= 1e-12 * truth[0]).all()


def test_the_eigenvectors_are_those_the_matrix_was_made_of():
    gram, Q = with_spectrum(np.array([8.0, 5.0, 3.0, 1.0, 0.5]))
    pairs = gm.eigen(gram)
    np.testing.assert_allclose(np.abs(pairs.vectors.T @ Q), np.eye(5), atol=1e-12)


def test_the_matrix_free_pairs_are_those_the_matrix_was_made_of(matrix_free):
    values = np.concatenate([[50.0, 20.0, 19.0, 7.0], np.linspace(1, 0, 196)])
    gram, Q = with_spectrum(values)
    pairs = gm.eigen(gram, 4)
    np.testing.assert_allclose(pairs.values, values[:4], rtol=1e-10)
    np.testing.assert_allclose(np.abs(pairs.vectors.T @ Q[:, :4]), np.eye(4), atol=1e-7)
    assert (pairs.residuals <= 1e-8).all()


SPECTRA = {
    "geometric": 0.7 ** np.arange(300),
    "algebraic": 1 / np.arange(1, 301.0) ** 2,
    "clustered": np.concatenate([1 - 1e-6 * np.arange(8), np.full(292, 0.5)]),
    "degenerate": np.concatenate([np.ones(5), np.full(20, 0.5), np.zeros(275)]),
    "more equal ones than a block holds": np.concatenate([np.full(60, 2.0), np.linspace(1, 0, 240)]),
    "low rank": np.concatenate([[3.0, 2.0, 1.0], np.zeros(297)]),
    "quartic": np.linspace(1, 0, 300) ** 4,
    "identity": np.ones(300),
    "zero": np.zeros(300),
}
each_spectrum = pytest.mark.parametrize("spectrum", SPECTRA)


@each_spectrum
@pytest.mark.parametrize("rank", [1, 6, 20])
def test_matrix_free_pairs_have_small_residuals_whatever_the_spectrum(matrix_free, spectrum, rank):
    values = SPECTRA[spectrum]
    gram, Q = with_spectrum(values)
    pairs = gm.eigen(gram, rank)
    scale = values[0]
    exact = (Q * values) @ (Q.T @ pairs.vectors) - pairs.vectors * pairs.values
    assert (pairs.residuals <= 1e-8 * scale).all()
    np.testing.assert_allclose(np.linalg.norm(exact, axis=0), pairs.residuals, atol=1e-12)
    np.testing.assert_allclose(pairs.values, values[:rank], rtol=0, atol=1e-8 * scale)
    np.testing.assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(rank), atol=1e-11)


@each_spectrum
@pytest.mark.parametrize("shift", [0.0, -0.75])
def test_block_lanczos_finds_the_largest_entries_of_a_diagonal(spectrum, shift):
    diagonal = np.random.default_rng(1).permutation(SPECTRA[spectrum] + shift)
    found = krylov.leading(lambda V: diagonal[:, None] * V, 300, 6, tol=1e-10, most=200)
    scale = np.abs(diagonal).max()
    np.testing.assert_allclose(found.values, np.sort(diagonal)[::-1][:6], rtol=0, atol=1e-9 * scale)
    exact = np.linalg.norm(diagonal[:, None] * found.vectors - found.vectors * found.values, axis=0)
    np.testing.assert_allclose(found.residuals, exact, atol=1e-12)
    assert (exact <= 1e-9 * scale).all()
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(6), atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 7, 9, 20])
def test_block_lanczos_of_a_small_operator_is_its_whole_spectrum(n):
    diagonal = np.random.default_rng(2).standard_normal(n)
    found = krylov.leading(lambda V: diagonal[:, None] * V, n, n, tol=1e-12, most=200)
    np.testing.assert_allclose(found.values, np.sort(diagonal)[::-1], atol=1e-12)


def test_block_lanczos_stops_after_the_products_it_is_allowed():
    products = []
    diagonal = np.linspace(1, 0, 2000)
    found = krylov.leading(lambda V: (products.append(1), diagonal[:, None] * V)[1], 2000, 3, tol=0.0, most=12)
    assert found.products == len(products) == 12


@pytest.mark.parametrize("noise", [1e-9, 1e-6])
def test_block_lanczos_ends_where_rounding_errors_of_the_products_are_all_that_is_left(noise):
    """No number of products comes below the errors that they are made with, here ten times the tolerance."""
    rng, diagonal = np.random.default_rng(0), 0.5 ** np.arange(400)

    def rough(V):
        return diagonal[:, None] * V + noise * rng.standard_normal(V.shape) / np.sqrt(len(V))

    found = krylov.leading(rough, 400, 3, tol=noise / 10, most=200, noise=16 * noise)
    assert found.products < 12
    assert found.residuals.max() < 16 * noise
    np.testing.assert_allclose(found.values, diagonal[:3], rtol=0, atol=10 * noise)


def test_a_slow_iteration_is_not_taken_for_one_that_has_ended():
    diagonal = np.linspace(1, 0, 2000)  # residuals fall by little at a time
    found = krylov.leading(lambda V: diagonal[:, None] * V, 2000, 3, tol=1e-6, most=200, noise=1e-8)
    assert found.residuals.max() <= 1e-6


def test_values_that_are_multiplied_have_the_precision_they_are_held_in():
    gram = gm.Gaussian().gram(np.random.default_rng(0).normal(size=(50, 2)))
    assert gram.precision == np.float64
    with gram.held(in_single=True):
        assert gram.precision == np.float32
    assert gram.precision == np.float64
    assert gram.rounded().precision == np.float32


@pytest.mark.parametrize("kernel", [gm.Gaussian(), gm.Laplacian(), gm.Polynomial(degree=2)], ids=repr)
@pytest.mark.parametrize("rank", [1, 5, 30])
def test_dense_and_matrix_free_agree(monkeypatch, kernel, rank):
    K = kernel.gram(np.random.default_rng(1).standard_normal((200, 4)))
    dense = gm.eigen(K, rank)
    monkeypatch.setattr("gramian.factor.eigen.DENSE", 0)
    monkeypatch.setattr(gm.Gram, "matrix", lambda self: pytest.fail("the dense matrix was formed"))
    free = gm.eigen(K, rank)
    scale = dense.values[0]
    np.testing.assert_allclose(free.values, dense.values, atol=1e-10 * scale)
    known = dense.values > 1e-6 * scale
    gaps = np.abs(np.diff(dense.values, append=0)) > 1e-6 * scale
    kept = known & gaps & np.concatenate([[True], gaps[:-1]])
    assert kept.any()
    np.testing.assert_allclose(free.vectors[:, kept], dense.vectors[:, kept], atol=1e-6)  # signs too


def test_more_than_a_fifth_of_the_spectrum_is_found_by_the_dense_method(monkeypatch):
    monkeypatch.setattr("gramian.factor.eigen.DENSE", 0)
    K = gm.Gaussian().gram(np.random.default_rng(1).standard_normal((30, 4)))
    np.testing.assert_allclose(gm.eigen(K).values, np.linalg.eigvalsh(K.dense())[::-1], atol=1e-13)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_residuals_are_the_norms_they_say_they_are_and_small(monkeypatch, free, dtype):
    K = gm.Gaussian().gram(np.random.default_rng(2).standard_normal((150, 3)).astype(dtype))
    dense = K.dense().astype(np.float64)
    if free:
        monkeypatch.setattr("gramian.factor.eigen.DENSE", 0)
    pairs = gm.eigen(K, 5)
    exact = np.linalg.norm(dense @ pairs.vectors - pairs.vectors * pairs.values, axis=0)
    unit = float(np.finfo(dtype).eps) * pairs.values[0]
    np.testing.assert_allclose(pairs.residuals, exact, atol=20 * unit)
    allowed = 32 * float(np.finfo(dtype).eps) ** 0.75 * pairs.values[0] if free else 200 * unit
    assert (pairs.residuals <= allowed).all()
    assert pairs.values.dtype == pairs.vectors.dtype == dtype


def test_the_residual_tells_that_an_eigenpair_is_wrong(monkeypatch):
    gram, Q = with_spectrum(np.array([4.0, 2.0, 1.0]))
    turned = Q.copy()
    turned[:, 0] = (Q[:, 0] + Q[:, 1]) / np.sqrt(2)
    monkeypatch.setattr("gramian.factor.eigen._dense", lambda gram, k: (np.array([3.0, 2.0, 1.0]), turned))
    pairs = gm.eigen(gram)
    np.testing.assert_allclose(pairs.residuals, [1.0, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("free", [False, True])
def test_signs_and_values_are_the_same_every_time_with_the_largest_entry_positive(monkeypatch, free):
    if free:
        monkeypatch.setattr("gramian.factor.eigen.DENSE", 0)
    K = gm.Gaussian().gram(np.random.default_rng(3).standard_normal((120, 2)))
    first, second = gm.eigen(K, 6), gm.eigen(K, 6)
    assert np.array_equal(first.vectors, second.vectors)
    assert np.array_equal(first.values, second.values)
    peaks = np.abs(first.vectors).argmax(axis=0)
    assert (first.vectors[peaks, np.arange(6)] > 0).all()


def test_an_iteration_cut_short_says_so_in_its_residuals(monkeypatch, matrix_free):
    gram, Q = with_spectrum(np.linspace(1, 0, 100))
    K = Q * np.linspace(1, 0, 100) @ Q.T
    monkeypatch.setattr("gramian.factor.eigen.MOST_PRODUCTS", 2)
    pairs = gm.eigen(gram, 5)
    exact = np.linalg.norm(K @ pairs.vectors - pairs.vectors * pairs.values, axis=0)
    np.testing.assert_allclose(pairs.residuals, exact, atol=1e-12)
    assert pairs.residuals.max() > 1e-3
    errors = np.abs(pairs.values[:, None] - np.linspace(1, 0, 100)).min(axis=1)
    assert (errors <= pairs.residuals + 1e-12).all()  # an eigenvalue lies within the residual of each


def test_a_ridge_moves_the_spectrum_and_leaves_the_vectors():
    K = gm.Gaussian().gram(np.random.default_rng(4).standard_normal((20, 2)))
    plain, moved = gm.eigen(K, 4), gm.eigen(K.ridge(3.0), 4)
    np.testing.assert_allclose(moved.values, plain.values + 3, rtol=1e-13)
    np.testing.assert_allclose(moved.vectors, plain.vectors, atol=1e-10)


# The covariance (seed 002)


@pytest.fixture
def covariance():
    """Centred features Φ (one column for each point, as the seed has them), C, and the centred Gram."""
    kernel = gm.Polynomial(degree=2)
    X = np.random.default_rng(5).standard_normal((30, 2)) + 1
    Phi = (kernel.features(X) - kernel.features(X).mean(axis=0)).T
    return Phi, Phi @ Phi.T / 30, kernel.gram(X).center()


def test_variances_along_principal_directions_are_the_eigenvalues_over_n(covariance):
    _, C, K = covariance
    mu = np.sort(np.linalg.eigvalsh(C))[::-1]
    pairs = gm.eigen(K).positive()
    assert len(pairs.values) == 5  # six monomials, one of them constant
    np.testing.assert_allclose(pairs.covariance_values, mu[:5], rtol=1e-9)


def test_covariance_and_kernel_eigenvectors_are_made_of_each_other(covariance):
    Phi, C, K = covariance
    pairs = gm.eigen(K).positive()
    U = Phi @ pairs.vectors / np.sqrt(pairs.values)  # u = λ^(−½) Φ v
    np.testing.assert_allclose(C @ U, U * pairs.covariance_values, atol=1e-10 * pairs.values[0])
    np.testing.assert_allclose(U.T @ U, np.eye(5), atol=1e-9)
    np.testing.assert_allclose(Phi.T @ U / np.sqrt(pairs.values), pairs.vectors, atol=1e-9)  # v = λ^(−½) Φᵀ u
    np.testing.assert_allclose(Phi @ gm.eigen(K).dual(), U, atol=1e-9)


def test_directions_without_variance_are_dropped(covariance):
    _, _, K = covariance
    pairs = gm.eigen(K)
    assert len(pairs.values) == 30
    assert pairs.dual().shape == (30, 5)
    assert np.isfinite(pairs.dual()).all()
    assert pairs.positive().vectors.shape == (30, 5)
    assert pairs.positive().residuals.shape == (5,)


def test_the_trace_over_n_is_the_total_variance_for_a_centered_gram_only():
    X = np.random.default_rng(6).standard_normal((25, 3)) + 10
    variance = ((X - X.mean(axis=0)) ** 2).sum(axis=1).mean()
    centered, raw = gm.Linear().gram(X).center(), gm.Linear().gram(X)
    assert gm.eigen(centered).covariance_values.sum() == pytest.approx(variance)
    assert centered.trace() / 25 == pytest.approx(variance)
    assert gm.eigen(raw).values.sum() == pytest.approx(raw.trace())
    assert raw.trace() / 25 > 50 * variance


def test_the_zero_matrix_has_no_direction():
    pairs = gm.eigen(gm.Linear().gram(np.zeros((4, 2))))
    assert pairs.values.tolist() == [0.0] * 4
    assert pairs.positive().values.size == 0
    assert pairs.dual().shape == (4, 0)


def test_one_point_is_its_own_eigenvector():
    pairs = gm.eigen(gm.Linear().gram([[3.0, 4.0]]))
    assert pairs.values.tolist() == [25.0]
    assert pairs.vectors.tolist() == [[1.0]]


# Seed 003


def test_example_5_5():
    pairs = gm.eigen(gm.Linear().gram(FIVE_POINTS))
    np.testing.assert_allclose(pairs.values, [223.95, 1.29, 0, 0, 0], atol=5e-3)
    printed = np.array([[-0.442, -0.505, -0.482, -0.369, -0.425], [0.163, -0.134, -0.181, 0.813, -0.512]]).T
    signs = np.sign((pairs.vectors[:, :2] * printed).sum(axis=0))
    np.testing.assert_allclose(pairs.vectors[:, :2] * signs, printed, atol=6e-4)
    kept = pairs.positive()
    assert len(kept.values) == 2
    phi = np.sqrt(kept.values) * kept.vectors * signs
    np.testing.assert_allclose(np.sqrt(kept.values), [14.965, 1.135], atol=1e-3)
    np.testing.assert_allclose(phi[:2], [[-6.616, 0.185], [-7.563, -0.153]], atol=3e-3)
    assert phi[0] @ phi[1] == pytest.approx(50.01)


def test_exercise_5c():
    # K = [[1, a, b], [a, 1, c], [b, c, 1]]: its eigenvalues are 1 + t with t³ − (a² + b² + c²) t − 2abc = 0.
    a, b, c = np.exp(-np.array([10.0, 1.46, 5.86]) / 10)
    dominant = 1 + max(np.roots([1, 0, -(a**2 + b**2 + c**2), -2 * a * b * c]).real)
    pairs = gm.eigen(gm.Gaussian(bandwidth=5**0.5).gram([[2.5, 1.0], [3.5, 4.0], [2.0, 2.1]]), 1)
    assert pairs.values[0] == pytest.approx(dominant)
    assert pairs.values[0] == pytest.approx(2.2176, abs=5e-5)
    u = np.array([a * c + b * (dominant - 1), a * b + c * (dominant - 1), (dominant - 1) ** 2 - a**2])
    np.testing.assert_allclose(pairs.vectors[:, 0], u / np.linalg.norm(u), atol=1e-12)


# What is refused


def test_a_rectangular_gram_is_refused():
    with pytest.raises(ValueError, match="eigen needs a symmetric Gram"):
        gm.eigen(gm.Linear().gram(FIVE_POINTS, FIVE_POINTS[:2]))


@pytest.mark.parametrize(("rank", "error"), [(0, ValueError), (-1, ValueError), (1.0, TypeError), ("2", TypeError)])
def test_a_bad_rank_is_refused(rank, error):
    with pytest.raises(error, match="rank is .*expected"):
        gm.eigen(gm.Linear().gram(FIVE_POINTS), rank)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_zero_matrix_has_zero_residuals(dtype):
    pairs = gm.eigen(gm.Linear().gram(np.zeros((3, 2), dtype)))
    np.testing.assert_array_equal(pairs.residuals, np.zeros(3))


def test_centred_sparse_features_are_multiplied_as_they_are_and_no_tile_of_K_is_computed(monkeypatch):
    n, d = 3200, 400
    weights = scipy.sparse.diags_array(np.random.default_rng(2).uniform(0.1, 1, d) ** 4)
    X = scipy.sparse.random_array((n, d), density=0.05, rng=np.random.default_rng(1)).tocsr() @ weights
    monkeypatch.setattr(
        "gramian.places.cores.entries.Tiled.write", lambda *tile: pytest.fail("a tile of K was computed")
    )
    monkeypatch.setattr(gm.Gram, "center", lambda self: pytest.fail("the zeros of the features were filled"))
    pairs = centered_eigen(gm.Linear().gram(X), 4)
    centred = X.toarray() - X.toarray().mean(axis=0)
    expected = np.linalg.eigvalsh(centred.T @ centred)[::-1][:4]
    np.testing.assert_allclose(pairs.values, expected, rtol=1e-6)
    along = centred.T @ pairs.vectors
    np.testing.assert_allclose(along.T @ along, np.diag(expected), rtol=0, atol=1e-6 * expected[0])
