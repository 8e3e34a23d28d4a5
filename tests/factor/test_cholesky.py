"""Cholesky factors of a Gram against Code Fragment 5.4 written out in plain Python."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.factor import cholesky as module
from gramian.kernels.graphs import diffusion

rng = np.random.default_rng(0)
X = rng.standard_normal((40, 3))
every_pivoting = pytest.mark.parametrize("pivoting", ["greedy", "random", None])


def fragment_5_4(K, eta=0.0, most=None):
    """Code Fragment 5.4, line by line: R (T × ell), the pivots I and the residual norms nu."""
    ell = len(K)
    most = ell if most is None else most
    R, index, nu = [], [], []
    d = [K[i][i] for i in range(ell)]
    a = max(d)
    while a > eta and len(index) < most:
        pivot = d.index(a)
        index.append(pivot)
        nu.append(math.sqrt(a))
        row = [(K[pivot][i] - sum(r[i] * r[pivot] for r in R)) / nu[-1] for i in range(ell)]
        R.append(row)
        d = [d[i] - row[i] ** 2 for i in range(ell)]
        d[pivot] = 0.0  # exactly, where rounding might leave a trace of either sign
        a = max(d)
    return np.array(R), index, nu


def fragment_5_4_new_point(k, R, index, nu):
    """The second half of the fragment: features of a new example from its inner products k."""
    r = []
    for j, pivot in enumerate(index):
        r.append((k[pivot] - sum(r[t] * R[t][pivot] for t in range(j))) / nu[j])
    return np.array(r)


def given_matrix(K):
    return gm.Precomputed(K).gram(range(len(K)))


KERNELS = [
    gm.Gaussian(bandwidth=0.7),
    gm.Laplacian(),
    gm.Linear(),
    gm.Polynomial(degree=2),
    gm.Gaussian() + gm.Linear(),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@every_pivoting
def test_a_complete_factor_reproduces_the_matrix(kernel, pivoting):
    K = kernel.gram(X)
    low = gm.cholesky(K, pivoting=pivoting, rng=0)
    np.testing.assert_allclose(low.factor @ low.factor.T, K.dense(), atol=1e-12 * K.diag().max())
    assert low.factor.shape == (40, low.rank)
    assert low.relative_error == 0
    assert len(set(low.pivots.tolist())) == low.rank


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@every_pivoting
@pytest.mark.parametrize("rank", [1, 2, 5, 17])
def test_an_incomplete_factor_knows_what_it_leaves_out(kernel, pivoting, rank):
    K = kernel.gram(X)
    low = gm.cholesky(K, rank=rank, pivoting=pivoting, rng=0)
    error = K.dense() - low.factor @ low.factor.T
    scale = K.diag().max()
    assert low.rank <= rank
    np.testing.assert_allclose(low.residual, np.diag(error), atol=1e-11 * scale)
    assert (low.residual >= 0).all()
    assert low.trace == pytest.approx(K.trace())
    assert low.relative_error == pytest.approx(np.trace(error) / K.trace(), abs=1e-12)
    np.testing.assert_allclose(error[low.pivots], 0, atol=1e-12 * scale)  # pivots' rows are reproduced
    assert np.linalg.eigvalsh(error)[0] >= -1e-11 * scale  # what is left is a Gram too


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("rank", [1, 3, 9])
def test_greedy_pivots_and_features_are_those_of_code_fragment_5_4(kernel, rank):
    K = kernel.gram(X)
    low = gm.cholesky(K, rank=rank)
    R, index, _ = fragment_5_4(K.dense().tolist(), eta=1e-9, most=rank)
    assert low.pivots.tolist() == index
    np.testing.assert_allclose(low.factor, R.T, atol=1e-10 * math.sqrt(K.diag().max()))


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 15), d=st.integers(1, 4), seed=st.integers(0, 10**6), rank=st.integers(1, 6))
def test_greedy_follows_the_fragment_on_any_data(n, d, seed, rank):
    points = np.random.default_rng(seed).standard_normal((n, d))
    K = gm.Laplacian(bandwidth=2.0).gram(points)
    R, index, _ = fragment_5_4(K.dense().tolist(), most=rank)
    low = gm.cholesky(K, rank=rank)
    assert low.pivots.tolist() == index
    np.testing.assert_allclose(low.factor, R.T, atol=1e-10)


@pytest.mark.parametrize("rank", [1, 4, 12])
def test_coordinates_of_new_points_are_those_of_the_fragment(rank):
    kernel = gm.Gaussian(bandwidth=0.7)
    Z = rng.standard_normal((6, 3))
    K = kernel.gram(X)
    low = gm.cholesky(K, rank=rank)
    found = low.coordinates(kernel(Z, X[low.pivots]))
    R, index, nu = fragment_5_4(K.dense().tolist(), most=rank)
    expected = [fragment_5_4_new_point(k, R, index, nu) for k in kernel(Z, X).tolist()]
    assert found.shape == (6, rank)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@every_pivoting
def test_coordinates_of_the_sample_are_its_rows_of_the_factor(pivoting):
    K = gm.Gaussian(bandwidth=0.7).gram(X)
    low = gm.cholesky(K, rank=10, pivoting=pivoting, rng=1)
    np.testing.assert_allclose(low.coordinates(K.columns(low.pivots)), low.factor, atol=1e-10)


@every_pivoting
def test_the_triangle_is_the_factor_of_the_pivots_alone(pivoting):
    K = gm.Gaussian(bandwidth=0.7).gram(X)
    low = gm.cholesky(K, rank=10, pivoting=pivoting, rng=1)
    block = K.block(low.pivots, low.pivots)
    np.testing.assert_allclose(low.triangle @ low.triangle.T, block, atol=1e-13)
    np.testing.assert_allclose(low.triangle, np.linalg.cholesky(block), atol=1e-12)
    assert (np.diag(low.triangle) > 0).all()


def test_the_given_order_is_the_cholesky_of_numpy():
    K = gm.Gaussian(bandwidth=0.5).gram(X).ridge(0.1)
    low = gm.cholesky(K, pivoting=None)
    assert low.pivots.tolist() == list(range(40))
    np.testing.assert_allclose(low.factor, np.linalg.cholesky(K.dense()), atol=1e-12)


@pytest.mark.parametrize("batch", [1, 2, 7, 128])
def test_the_given_order_leaves_out_points_that_depend_on_earlier_ones(monkeypatch, batch):
    monkeypatch.setattr(module, "BATCH", batch)
    points = np.array([[1.0, 0, 0], [2, 0, 0], [0, 0, 0], [1, 1, 0], [3, -5, 0], [0, 0, 2], [1, 2, 3]])
    low = gm.cholesky(gm.Linear().gram(points), pivoting=None)
    assert low.pivots.tolist() == [0, 3, 5]
    np.testing.assert_allclose(low.factor @ low.factor.T, points @ points.T, atol=1e-13)


@pytest.mark.parametrize("batch", [1, 3, 16])
@every_pivoting
def test_the_size_of_a_batch_does_not_change_what_is_factored(monkeypatch, batch, pivoting):
    monkeypatch.setattr(module, "BATCH", batch)
    monkeypatch.setattr(module, "FACTOR_ROWS", 7)
    K = gm.Gaussian(bandwidth=0.5).gram(X)
    low = gm.cholesky(K, pivoting=pivoting, rng=0)
    np.testing.assert_allclose(low.factor @ low.factor.T, K.dense(), atol=1e-12)
    if pivoting is None:
        np.testing.assert_allclose(low.factor, np.linalg.cholesky(K.dense()), atol=1e-10)


@settings(max_examples=25, deadline=None)
@given(n=st.integers(1, 8), extra=st.integers(0, 4), seed=st.integers(0, 10**6))
def test_the_linear_factor_is_the_triangle_of_gram_schmidt(n, extra, seed):
    # X' = Q R with the points as columns of X' (section 5.2): K = R'R, R with a positive diagonal.
    points = np.random.default_rng(seed).standard_normal((n, n + extra)) + np.eye(n, n + extra) * 4
    low = gm.cholesky(gm.Linear().gram(points), pivoting=None)
    Q, R = np.linalg.qr(points.T)
    signs = np.sign(np.diag(R))
    assert low.pivots.tolist() == list(range(n))
    np.testing.assert_allclose(low.factor.T, signs[:, None] * R, atol=1e-9)
    np.testing.assert_allclose((Q * signs) @ low.factor.T, points.T, atol=1e-9)


# Where it stops


@settings(max_examples=30, deadline=None)
@given(tol=st.floats(1e-10, 0.9), seed=st.integers(0, 1000))
def test_greedy_stops_as_soon_as_the_error_is_at_most_tol_and_not_before(tol, seed):
    K = gm.Gaussian().gram(np.random.default_rng(seed).standard_normal((30, 2)))
    low = gm.cholesky(K, tol=tol)
    assert low.residual.sum() <= tol * K.trace()
    if low.rank > 1:
        before = gm.cholesky(K, rank=low.rank - 1)
        assert before.residual.sum() > tol * K.trace()


@every_pivoting
@pytest.mark.parametrize("tol", [0.5, 1e-2, 1e-6])
def test_the_error_asked_for_is_reached_and_bounds_every_residual_norm(pivoting, tol):
    K = gm.Gaussian().gram(X)
    low = gm.cholesky(K, tol=tol, pivoting=pivoting, rng=0)
    assert low.relative_error <= tol
    error = np.diag(K.dense() - low.factor @ low.factor.T)
    assert np.sqrt(np.maximum(error, 0)).max() <= math.sqrt(tol * K.trace()) + 1e-12


def test_the_first_of_rank_and_tol_stops_it():
    K = gm.Gaussian().gram(X)
    assert gm.cholesky(K, rank=2, tol=1e-8).rank == 2
    assert gm.cholesky(K, rank=40, tol=0.5).rank < 40


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("share", [0.9, 0.3, 1e-2, 1e-5])
def test_eta_is_that_of_code_fragment_5_4_a_squared_norm(kernel, share):
    K = kernel.gram(X)
    eta = share * K.diag().max()
    low = gm.cholesky(K, residual=eta)
    R, index, nu = fragment_5_4(K.dense().tolist(), eta)
    assert low.pivots.tolist() == index
    assert low.residual.max() <= eta < nu[-1] ** 2
    np.testing.assert_allclose(low.factor, R.T, atol=1e-10 * math.sqrt(K.diag().max()))


@pytest.mark.parametrize("batch", [1, 7, 128])
@every_pivoting
@pytest.mark.parametrize("eta", [0.9, 0.3, 1e-2, 1e-5])
def test_no_pivot_is_taken_beyond_the_one_that_brings_every_residual_to_eta(monkeypatch, batch, pivoting, eta):
    monkeypatch.setattr(module, "BATCH", batch)
    K = gm.Gaussian().gram(X)
    low = gm.cholesky(K, residual=eta, pivoting=pivoting, rng=0)
    assert low.rank > 0
    left = np.diag(K.dense() - low.factor @ low.factor.T)
    assert left.max() <= eta + 1e-14 * K.trace()
    np.testing.assert_allclose(low.residual, left, atol=1e-12)
    before = 1 - (low.factor[:, :-1] ** 2).sum(axis=1)
    assert before.max() > eta


def test_in_the_given_order_points_within_eta_of_the_earlier_ones_are_left_out():
    points = np.array([[1.0, 0.0], [1.0, 0.3], [0.0, 1.0], [1.0, 0.4]])
    assert gm.cholesky(gm.Linear().gram(points), residual=0.1, pivoting=None).pivots.tolist() == [0, 2]
    assert gm.cholesky(gm.Linear().gram(points), residual=0.08, pivoting=None).pivots.tolist() == [0, 1]


def test_the_first_of_tol_and_eta_stops_it():
    K = gm.Gaussian().gram(X)
    by_tol, by_eta = gm.cholesky(K, tol=0.2), gm.cholesky(K, residual=0.05)
    both = gm.cholesky(K, tol=0.2, residual=0.05)
    assert by_tol.rank != by_eta.rank
    assert both.rank == min(by_tol.rank, by_eta.rank)


@every_pivoting
def test_an_eta_of_the_largest_norm_takes_no_pivot(pivoting):
    assert gm.cholesky(gm.Gaussian().gram(X), residual=1.0, pivoting=pivoting, rng=0).rank == 0


@pytest.mark.parametrize("eta", [-1e-9, float("nan"), float("inf"), "small", None, True])
def test_an_eta_that_is_no_number_of_at_least_zero_is_refused(eta):
    with pytest.raises((TypeError, ValueError), match="residual"):
        gm.cholesky(gm.Gaussian().gram(X), residual=eta)


@pytest.mark.parametrize("batch", [1, 7, 128])
@every_pivoting
@pytest.mark.parametrize("tol", [0.5, 0.1, 1e-3, 1e-6])
def test_no_pivot_is_taken_beyond_the_one_that_reaches_the_error(monkeypatch, batch, pivoting, tol):
    monkeypatch.setattr(module, "BATCH", batch)
    K = gm.Gaussian().gram(X)
    low = gm.cholesky(K, tol=tol, pivoting=pivoting, rng=0)
    assert low.rank > 0
    before = low.factor[:, :-1]
    assert low.residual.sum() <= tol * K.trace()
    assert K.trace() - (before**2).sum() > tol * K.trace()
    np.testing.assert_allclose(low.residual, np.diag(K.dense() - low.factor @ low.factor.T), atol=1e-12)


@every_pivoting
@pytest.mark.parametrize("tol", [1.0, 2.0])
def test_an_error_of_the_whole_trace_takes_no_pivot(pivoting, tol):
    low = gm.cholesky(gm.Gaussian().gram(X), tol=tol, pivoting=pivoting, rng=0)
    assert low.rank == 0
    assert low.factor.shape == (40, 0)
    assert low.relative_error == 1.0


@every_pivoting
def test_a_tolerance_without_a_rank_takes_memory_for_the_columns_it_needs(pivoting):
    n = 20_000
    K = gm.Gaussian(bandwidth=1.0).gram(np.random.default_rng(5).standard_normal((n, 2)), memory="8 MB")
    tracemalloc.start()
    try:
        low = gm.cholesky(K, tol=0.05, pivoting=pivoting, rng=0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert low.relative_error <= 0.05
    assert peak <= 80 * 10**6 < n * n * 8 / 10


# The given order


@pytest.mark.parametrize("bandwidth", [1.0, 10.0])
@every_pivoting
def test_nearly_dependent_points_leave_residuals_that_are_true(bandwidth, pivoting):
    K = gm.Gaussian(bandwidth).gram(np.linspace(0, 100, 300)[:, None])
    low = gm.cholesky(K, pivoting=pivoting, rng=0)
    error = K.dense() - low.factor @ low.factor.T
    np.testing.assert_allclose(low.residual, np.diag(error), rtol=0, atol=1e-8)
    assert np.abs(error).max() <= low.residual.max() + 1e-8  # |eᵢⱼ|² ≤ eᵢᵢ eⱼⱼ for what is left of a Gram
    assert (low.residual >= 0).all()


# Rank (Proposition 5.11)


@pytest.mark.parametrize("pivoting", ["greedy", "random"])
@settings(max_examples=30, deadline=None)
@given(
    n=st.integers(1, 30),
    d=st.integers(1, 4),
    r=st.integers(1, 4),
    scale=st.sampled_from([1e-6, 1.0, 1e6]),
    seed=st.integers(0, 999),
)
def test_the_rank_of_the_linear_factor_is_that_of_the_data(pivoting, n, d, r, scale, seed):
    generator = np.random.default_rng(seed)
    points = generator.integers(-3, 4, (n, r)) @ generator.integers(-3, 4, (r, d)) * scale
    low = gm.cholesky(gm.Linear().gram(points), pivoting=pivoting, rng=0)
    assert low.rank == np.linalg.matrix_rank(points)


@every_pivoting
def test_the_rank_of_a_polynomial_gram_is_the_number_of_monomials(pivoting):
    points = rng.standard_normal((60, 2))
    assert gm.cholesky(gm.Polynomial(degree=2).gram(points), pivoting=pivoting, rng=0).rank == 6
    assert gm.cholesky(gm.Polynomial(degree=2, offset=0.0).gram(points), pivoting=pivoting, rng=0).rank == 3


@pytest.mark.parametrize("pivoting", ["greedy", "random"])
@pytest.mark.parametrize(("degree", "monomials"), [(3, 10), (4, 15)])
def test_pivots_chosen_by_residual_find_the_rank_of_higher_degrees(pivoting, degree, monomials):
    points = np.random.default_rng(8).standard_normal((60, 2))
    assert gm.cholesky(gm.Polynomial(degree=degree).gram(points), pivoting=pivoting, rng=0).rank == monomials


@every_pivoting
def test_duplicates_add_nothing_to_the_rank(pivoting):
    points = np.repeat(rng.standard_normal((9, 2)) * 3, 5, axis=0)
    low = gm.cholesky(gm.Gaussian().gram(points), pivoting=pivoting, rng=0)
    assert low.rank == 9
    assert sorted(p // 5 for p in low.pivots.tolist()) == list(range(9))


@every_pivoting
def test_distinct_points_are_independent_under_a_gaussian(pivoting):
    assert gm.cholesky(gm.Gaussian(bandwidth=0.3).gram(X), pivoting=pivoting, rng=0).rank == 40


@every_pivoting
def test_centering_takes_one_dimension_from_independent_points(pivoting):
    assert gm.cholesky(gm.Gaussian(bandwidth=0.3).gram(X).center(), pivoting=pivoting, rng=0).rank == 39


# The smallest cases


@every_pivoting
def test_one_point_has_a_factor(pivoting):
    low = gm.cholesky(gm.Linear().gram([[3.0, 4.0]]), pivoting=pivoting, rng=0)
    assert low.factor.tolist() == [[5.0]]
    assert low.pivots.tolist() == [0]
    assert low.coordinates(np.array([[10.0], [5.0]])).tolist() == [[2.0], [1.0]]


@every_pivoting
def test_the_zero_matrix_has_rank_zero(pivoting):
    low = gm.cholesky(gm.Linear().gram(np.zeros((4, 2))), pivoting=pivoting, rng=0)
    assert low.rank == 0
    assert low.factor.shape == (4, 0)
    assert low.triangle.shape == (0, 0)
    assert low.relative_error == 0.0
    assert low.coordinates(np.zeros((3, 0))).shape == (3, 0)
    assert repr(low) == "LowRank(rank=0, n=4, relative_error=0)"


def test_a_rank_larger_than_n_is_n():
    assert gm.cholesky(gm.Gaussian(bandwidth=0.3).gram(X), rank=1000).rank == 40


@every_pivoting
def test_ridge_makes_every_matrix_complete(pivoting):
    low = gm.cholesky(gm.Linear().gram(X).ridge(0.5), pivoting=pivoting, rng=0)
    assert low.rank == 40
    np.testing.assert_allclose(low.factor @ low.factor.T, X @ X.T + 0.5 * np.eye(40), atol=1e-12)


@every_pivoting
def test_float32_data_give_a_float32_factor_of_that_accuracy(pivoting):
    K = gm.Gaussian(bandwidth=0.7).gram(X.astype(np.float32))
    low = gm.cholesky(K, pivoting=pivoting, rng=0)
    assert low.factor.dtype == np.float32
    np.testing.assert_allclose(low.factor @ low.factor.T, gm.Gaussian(bandwidth=0.7)(X), atol=2e-5)
    points = X.astype(np.float32)
    assert gm.cholesky(gm.Linear().gram(points), pivoting=pivoting, rng=0).rank == 3


# What it asks of the Gram


class Frugal:
    """What a Gram must offer to be factored, and nothing else; kernel values are counted."""

    symmetric = True

    def __init__(self, gram):
        self._gram = gram
        self.kernel, self.place, self.here = gram.kernel, gram.place, self
        self.dtype = gram.dtype
        self.entries = 0

    def __len__(self):
        return len(self._gram)

    def part(self, rows, cols):
        count = len(self) if isinstance(rows, slice) else len(rows)
        self.entries += count * len(cols)
        return self._gram.part(rows, cols)

    def columns(self, indices):
        raise AssertionError("columns are asked for as arrays of the place")

    def rough_diag(self):
        return self._gram.diag()

    def scale(self):
        return self._gram.scale()


@pytest.mark.parametrize("pivoting", ["greedy", "random", None])
def test_only_the_diagonal_small_blocks_and_the_pivots_columns_are_asked_for(monkeypatch, pivoting):
    monkeypatch.setattr(module, "BATCH", 10)
    n, k = 2000, 15
    frugal = Frugal(gm.Gaussian().gram(np.random.default_rng(3).standard_normal((n, 2))))
    low = gm.cholesky(frugal, rank=k, pivoting=pivoting, rng=0)
    assert low.rank == k
    assert n * k <= frugal.entries <= 1.2 * n * k


# What is refused


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"rank": 0}, ValueError, "rank is 0; an integer of at least 1"),
        ({"rank": 2.0}, TypeError, "rank is 2.0"),
        ({"rank": True}, TypeError, "rank is True"),
        ({"tol": -1e-3}, ValueError, "tol is -0.001"),
        ({"tol": np.nan}, ValueError, "tol is nan"),
        ({"tol": "small"}, TypeError, "tol is 'small'"),
        ({"pivoting": "best"}, ValueError, "pivoting is 'best'; 'greedy', 'random' or None expected"),
        ({"pivoting": "random", "rng": "seed"}, TypeError, "rng is 'seed'"),
        ({"pivoting": "random", "rng": -1}, ValueError, "rng is -1"),
    ],
)
def test_a_bad_argument_is_refused_by_name(arguments, error, message):
    with pytest.raises(error, match=message):
        gm.cholesky(gm.Gaussian().gram(X), **arguments)


@pytest.mark.parametrize("pivoting", ["greedy", "random"])
@pytest.mark.parametrize("n", [3, 4, 9])
def test_an_indefinite_matrix_is_refused_with_advice(pivoting, n):
    K = np.eye(n) + 0.9 * np.eye(n, k=1) + 0.9 * np.eye(n, k=-1)
    with pytest.raises(ValueError, match="K is not positive semidefinite: object .*; gm.is_psd tells more"):
        gm.cholesky(given_matrix(np.array(K)), pivoting=pivoting, rng=0)


def test_a_rectangular_gram_is_refused():
    with pytest.raises(ValueError, match=r"cholesky needs a symmetric Gram: make it with kernel.gram\(X\)"):
        gm.cholesky(gm.Gaussian().gram(X, X[:5]))


def test_a_matrix_with_a_chosen_spectrum_is_factored_with_the_error_of_its_tail():
    # The greedy error cannot be less than the sum of the eigenvalues beyond k, the best any rank k can do.
    values = 2.0 ** -np.arange(20)
    Q, _ = np.linalg.qr(np.random.default_rng(4).standard_normal((20, 20)))
    K = (Q * values) @ Q.T
    K = (K + K.T) / 2
    for k in (1, 5, 10):
        for pivoting in ("greedy", "random", None):
            low = gm.cholesky(given_matrix(K), rank=k, pivoting=pivoting, rng=0)
            assert low.residual.sum() >= values[k:].sum() - 1e-14
            assert low.residual.sum() <= 50 * values[k:].sum()


@pytest.mark.parametrize("seed", range(6))
def test_the_given_order_finds_the_rank_of_cubic_monomials(seed):
    points = np.random.default_rng(seed).standard_normal((60, 2))
    assert gm.cholesky(gm.Polynomial(degree=3).gram(points), pivoting=None).rank == 10


@pytest.mark.parametrize("kernel", [gm.Matern(), gm.Gaussian(), gm.Laplacian(20.0)], ids=repr)
@pytest.mark.parametrize("shape", [(50, 20), (3, 50), (50, 3)])
@pytest.mark.parametrize("seed", range(3))
def test_centering_leaves_at_most_n_minus_1_dimensions(kernel, shape, seed):
    points = np.random.default_rng(seed).standard_normal(shape)
    assert gm.cholesky(kernel.gram(points).center()).rank <= shape[0] - 1


@pytest.mark.parametrize("factorize", [gm.cholesky, gm.eigen])
def test_a_matrix_in_place_of_a_gram_is_refused_with_advice(factorize):
    with pytest.raises(TypeError, match=r"takes a Gram, and got ndarray: .* gm.Precomputed\(K\)"):
        factorize(np.eye(2))


@pytest.mark.parametrize("pivoting", ["greedy", "random", None])
@pytest.mark.parametrize(
    ("n", "offset", "dtype"),
    [(300, 300, np.float32), (300, 1e3, np.float64), (400, 1e6, np.float64), (300, 1e7, float)],
)
def test_centred_vectors_have_their_rank_wherever_they_lie(pivoting, n, offset, dtype):
    points = (np.random.default_rng(0).standard_normal((n, 3)) + offset).astype(dtype)
    low = gm.cholesky(gm.Linear().gram(points).center(), pivoting=pivoting, rng=0)
    assert low.rank == 3
    assert low.relative_error < 1e-3


@pytest.mark.parametrize("seed", range(5))
def test_float32_vectors_of_the_plane_have_rank_2_in_any_order(seed):
    points = np.random.default_rng(seed).standard_normal((90, 2)).astype(np.float32)
    low = gm.cholesky(gm.Linear().gram(points), pivoting=None)
    assert low.rank == 2
    assert low.relative_error < 1e-5


@pytest.mark.parametrize("method", ["eigen", "gram-schmidt"])
@pytest.mark.parametrize("seed", range(3))
def test_deflation_takes_its_dimensions_from_the_rank_in_float32(method, seed):
    points = np.random.default_rng(seed).standard_normal((90, 2)).astype(np.float32)
    S = gm.FeatureSpace(gm.Polynomial(degree=2))(points)
    assert S.deflate(S.subspace(method, rank=2)).rank() == 4


@pytest.mark.parametrize("pivoting", ["greedy", "random"])
def test_a_complete_factor_takes_every_direction_that_stands_out_of_rounding(pivoting):
    # φ(xᵢ) = e₀ + δᵢ eᵢ: once one is taken, the others keep δᵢ² and less, which an error of nε does not reach.
    lengths = 10.0 ** -np.array([4.0, 4.5, 5.0, 5.5])
    X = np.hstack([np.ones((4, 1)), np.diag(lengths)])
    low = gm.cholesky(gm.Linear().gram(X), pivoting=pivoting, rng=0)
    assert (lengths**2 > 100 * 32 * 4 * np.finfo(float).eps).all()
    assert low.rank == 4
    np.testing.assert_allclose(low.factor @ low.factor.T, X @ X.T, rtol=8 * np.finfo(float).eps)


# Several greedy pivots at a time


@pytest.mark.parametrize(
    "kernel", [gm.Gaussian(2.0), gm.Matern(3.0, nu=0.5), gm.Polynomial(degree=4), gm.Laplacian(2.0)], ids=repr
)
@pytest.mark.parametrize("stop", [{"tol": 1e-3}, {"residual": 1e-2}, {"rank": 150}], ids=str)
def test_greedy_pivots_taken_together_are_those_taken_one_by_one(monkeypatch, kernel, stop):
    K = kernel.gram(np.random.default_rng(6).standard_normal((600, 4)))
    together = gm.cholesky(K, **stop)
    monkeypatch.setattr(module, "BATCH", 1)
    alone = gm.cholesky(K, **stop)
    assert together.pivots.tolist() == alone.pivots.tolist()
    unit = np.sqrt(K.diag().max())
    np.testing.assert_allclose(together.factor, alone.factor, rtol=0, atol=1e-9 * unit)
    np.testing.assert_allclose(together.residual, alone.residual, rtol=0, atol=1e-9 * unit**2)


@pytest.mark.parametrize("K", [np.eye(50), np.diag(np.repeat([1.0, 4.0, 2.0], 20))], ids=len)
def test_of_points_equally_far_the_first_is_the_greedy_pivot(K):
    low = gm.cholesky(given_matrix(K))
    _, index, _ = fragment_5_4(K.tolist(), eta=1e-9)
    assert low.pivots.tolist() == index


def test_columns_of_greedy_pivots_are_asked_for_together_and_hardly_any_in_vain():
    n = 2000
    frugal = Frugal(gm.Gaussian(2.0).gram(np.random.default_rng(3).standard_normal((n, 6))))
    asked = []
    columns = frugal.columns
    frugal.columns = lambda indices: asked.append(len(indices)) or columns(indices)
    low = gm.cholesky(frugal, tol=1e-3)
    assert low.rank > 400
    assert len(asked) < low.rank / 8
    assert sum(asked) <= low.rank + module.BATCH
    assert frugal.entries <= 1.2 * n * low.rank


@pytest.mark.parametrize("pivoting", ["greedy", "random"])
@pytest.mark.parametrize("factor", [1.5, 3.0, 1e6])
def test_residuals_that_are_estimates_are_corrected_by_columns(monkeypatch, pivoting, factor):
    """However far too large the diagonal of a large graph is estimated, all pivots are found."""
    monkeypatch.setattr(diffusion, "SMALL", 10)
    n = 60
    ring = gm.Graph([(k, (k + 1) % n) for k in range(n)])
    kernel = gm.ExponentialDiffusion(ring, beta=0.7, of="laplacian")
    scales = np.where(np.random.default_rng(1).random(n) < 0.5, factor, 1.0)
    kernel.__dict__["_rough"] = scales * kernel._rough
    low = gm.cholesky(kernel.gram(range(n)), rank=n, pivoting=pivoting, rng=0)
    K = kernel(range(n))
    np.testing.assert_allclose(low.factor @ low.factor.T, K, atol=1e-6)


@pytest.mark.parametrize("pivoting", ["greedy", "random"])
@pytest.mark.parametrize("number", [np.nan, 1e12])
def test_a_diagonal_that_its_columns_do_not_bear_out_ends_the_search_for_pivots(pivoting, number):
    class Forged(gm.Gaussian):
        def squared_norms(self, a):
            return np.where(np.arange(len(a)) == 3, 1e12, 1.0) if number > 0 else np.ones(len(a))

        rough_norms = squared_norms

        def block(self, a, b, out):
            super().block(a, b, out)
            if not number > 0:
                out[...] = np.nan

        def scale(self, a):
            return 1.0

    gram = Forged(1.0).gram(X)
    if pivoting == "greedy" and number > 0:
        assert gm.cholesky(gram, pivoting=pivoting).rank <= len(X)
    else:
        with np.errstate(invalid="ignore"), pytest.raises(ValueError, match="K is no kernel matrix"):
            gm.cholesky(gram, pivoting=pivoting, rng=0)
