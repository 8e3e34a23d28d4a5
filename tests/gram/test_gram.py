"""The Gram operator against dense formulas written out from the text."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import aslinearoperator, cg, eigsh, minres, svds

import gramian as gm
from gramian.kernels.dotproduct import DotProduct
from gramian.places.cores import tiles
from gramian.testing import check_gram

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 3)) + 0.5
Z = rng.standard_normal((25, 3))
KERNELS = [
    gm.Gaussian(bandwidth=1.5),
    gm.Linear(),
    gm.Polynomial(degree=2),
    gm.Laplacian(),
    gm.Gaussian() + 0.5 * gm.Linear(),
    gm.Gaussian() * gm.Polynomial(degree=2),
]
each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)


def gaussian_by_pairs(X, Z, sigma=1.0):
    """κ(x, z) pair by pair, straight from (5.10)."""
    return np.array(
        [[np.exp(-sum((p - q) ** 2 for p, q in zip(x, z, strict=True)) / (2 * sigma**2)) for z in Z] for x in X]
    )


def normalized(K):
    """Code Fragment 5.1."""
    D = np.diag(1 / np.sqrt(np.diag(K)))
    return D @ K @ D


def centered(K):
    """Code Fragment 5.2."""
    ell = len(K)
    D = K.sum(axis=0) / ell
    E = D.sum() / ell
    J = np.ones((ell, 1)) * D
    return K - J - J.T + E * np.ones((ell, ell))


@each_kernel
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_gram_keeps_the_contract(kernel, dtype):
    check_gram(kernel.gram(X.astype(dtype)))
    check_gram(kernel.gram(X.astype(dtype), Z.astype(dtype)))


@each_kernel
def test_a_transformed_gram_keeps_the_contract(kernel):
    K = kernel.gram(X)
    for derived in (K.center(), K.normalize(), K + 2.0, K.ridge(0.5), K.center().normalize(), K.take(slice(0, 40, 3))):
        check_gram(derived)


def test_entries_are_the_kernel_of_each_pair():
    K = gm.Gaussian(bandwidth=1.5).gram(X, Z)
    np.testing.assert_allclose(K.dense(), gaussian_by_pairs(X, Z, 1.5), atol=1e-13)


@each_kernel
def test_normalize_is_code_fragment_5_1(kernel):
    K = kernel.gram(X)
    np.testing.assert_allclose(K.normalize().dense(), normalized(K.dense()), atol=1e-12)
    assert (K.normalize().diag() == 1).all()


@each_kernel
def test_center_is_code_fragment_5_2(kernel):
    K = kernel.gram(X)
    expected = centered(K.dense())
    scale = np.abs(K.dense()).max()
    np.testing.assert_allclose(K.center().dense(), expected, atol=1e-13 * scale)
    np.testing.assert_allclose(K.center().row_means(), 0, atol=1e-13 * scale)
    np.testing.assert_allclose(K.center() @ X, expected @ X, atol=1e-11 * scale)


@each_kernel
def test_centering_twice_changes_nothing(kernel):
    once = kernel.gram(X).center()
    np.testing.assert_allclose(once.center().dense(), once.dense(), atol=1e-13 * kernel.gram(X).trace())


@each_kernel
def test_a_constant_added_to_every_entry_is_gone_after_centering(kernel):
    K = kernel.gram(X)
    np.testing.assert_allclose((K + 3.0).dense(), K.dense() + 3.0, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose((K + 3.0).center().dense(), K.center().dense(), atol=1e-12 * K.diag().max())


@settings(max_examples=25, deadline=None)
@given(n=st.integers(1, 40), lam=st.floats(0, 1e3), again=st.floats(0, 10))
def test_ridge_adds_a_constant_to_the_diagonal_alone_and_adds_up(n, lam, again):
    points = np.random.default_rng(n).standard_normal((n, 2))
    K = gm.Gaussian().gram(points)
    R = K.ridge(lam).ridge(again)
    dense = K.dense() + (lam + again) * np.eye(n)
    np.testing.assert_allclose(R.dense(), dense, rtol=1e-14)
    np.testing.assert_allclose(R.diag(), np.diag(dense), rtol=1e-14)
    np.testing.assert_allclose(R @ points, dense @ points, rtol=1e-12, atol=1e-12 * (1 + lam))
    np.testing.assert_allclose(R.columns([0]), dense[:, [0]], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(R.row_means(), dense.mean(axis=1), rtol=1e-12)
    assert R.trace() == pytest.approx(np.trace(dense))


def test_ridge_appears_in_a_block_where_row_and_column_are_the_same_object():
    R = gm.Gaussian().gram(X).ridge(2.0)
    rows, cols = [5, 3, 5, -1], [3, 59, 5]
    np.testing.assert_allclose(R.block(rows, cols), R.dense()[np.ix_(rows, cols)], atol=1e-14)


def test_trace_and_diagonal_are_those_of_the_dense_matrix():
    K = gm.Polynomial(degree=3).gram(X)
    np.testing.assert_allclose(K.diag(), np.diag((X @ X.T + 1) ** 3), rtol=1e-12)
    assert K.trace() == pytest.approx(np.trace((X @ X.T + 1) ** 3))


indices = st.one_of(
    st.lists(st.integers(-60, 59), min_size=1, max_size=10).map(np.array),
    st.slices(60).filter(lambda s: len(range(60)[s])),
    st.lists(st.booleans(), min_size=60, max_size=60).filter(any).map(np.array),
)


@settings(max_examples=50, deadline=None)
@given(rows=indices, cols=indices)
def test_block_columns_and_take_select_like_numpy(rows, cols):
    K = gm.Gaussian().gram(X)
    dense = K.dense()
    np.testing.assert_allclose(K.block(rows, cols), dense[rows][:, cols], atol=1e-14)
    np.testing.assert_allclose(K.columns(cols), dense[:, cols], atol=1e-14)
    np.testing.assert_allclose(K.take(rows).dense(), dense[rows][:, rows], atol=1e-14)
    np.testing.assert_allclose(K.take(rows, cols).dense(), dense[rows][:, cols], atol=1e-14)
    np.testing.assert_allclose(gm.Gaussian().gram(X, X[::-1]).take(rows).dense(), dense[rows][:, ::-1], atol=1e-14)


def test_take_stays_symmetric_and_keeps_ridge_and_budget():
    K = gm.Gaussian().gram(X, memory="1 MB").ridge(1.0).take([4, 2])
    assert K.symmetric
    assert K.diagonal == 1.0
    assert K.memory == 10**6


def test_only_the_columns_asked_for_are_computed(monkeypatch):
    K = gm.Gaussian().gram(X)
    counts = []
    block = gm.Gaussian.block
    monkeypatch.setattr(
        gm.Gaussian, "block", lambda self, a, b, out: (counts.append(len(a) * len(b)), block(self, a, b, out))[1]
    )
    K.columns([3, 7])
    assert sum(counts) == 2 * 60


# Products


def test_products_from_either_side_transposes_and_scipy_names_agree():
    K = gm.Gaussian().gram(X, Z)
    dense = gaussian_by_pairs(X, Z)
    v, w, V, W = (
        rng.standard_normal(25),
        rng.standard_normal(60),
        rng.standard_normal((25, 4)),
        rng.standard_normal((60, 2)),
    )
    for found, expected in [
        (K @ v, dense @ v),
        (K @ V, dense @ V),
        (w @ K, w @ dense),
        (W.T @ K, W.T @ dense),
        (K.T @ w, dense.T @ w),
        (K.T.dense(), dense.T),
        (K.matvec(v), dense @ v),
        (K.matvec(v[:, None]), (dense @ v)[:, None]),
        (K.matmat(V), dense @ V),
        (K.rmatvec(w), dense.T @ w),
        (K.rmatmat(W), dense.T @ W),
    ]:
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_symmetric_gram_is_its_own_transpose():
    K = gm.Gaussian().gram(X)
    assert K.T is K


@pytest.mark.parametrize("V", [np.ones(59), np.ones((59, 2)), np.ones((60, 2, 2)), np.float64(2.0), np.ones((2, 60))])
def test_a_factor_of_the_wrong_shape_is_refused(V):
    K = gm.Gaussian().gram(X)
    with pytest.raises(ValueError, match=r"cannot multiply a Gram of shape \(60, 60\) by an array of shape"):
        K @ V


def test_a_factor_from_the_left_of_the_wrong_shape_is_refused():
    with pytest.raises(ValueError, match="cannot multiply"):
        np.ones(25) @ gm.Gaussian().gram(X, Z)


@given(scale=st.floats(-1e3, 1e3))
@settings(max_examples=20, deadline=None)
def test_the_product_is_linear(scale):
    K = gm.Gaussian().gram(X)
    V, W = X, X[::-1]
    np.testing.assert_allclose(K @ (V + scale * W), K @ V + scale * (K @ W), atol=1e-10 * (1 + abs(scale)))


def test_integers_lists_and_fortran_order_can_be_multiplied():
    K = gm.Gaussian().gram(X)
    dense = K.dense()
    np.testing.assert_allclose(K @ list(range(60)), dense @ np.arange(60), rtol=1e-12)
    np.testing.assert_allclose(K @ np.asfortranarray(X), dense @ X, atol=1e-12)
    np.testing.assert_allclose(K @ np.repeat(X, 2, axis=0)[::2], dense @ X, atol=1e-12)


def test_scipy_solvers_take_a_gram_as_it_is():
    K = gm.Gaussian(bandwidth=0.5).gram(X)
    A, b = K.ridge(0.1), X[:, 0]
    expected = np.linalg.solve(K.dense() + 0.1 * np.eye(60), b)
    for solver in (cg, minres):
        found, failed = solver(A, b, rtol=1e-12)
        assert not failed
        np.testing.assert_allclose(found, expected, atol=1e-8)
    values = eigsh(K, k=3, return_eigenvectors=False, v0=np.ones(60))
    np.testing.assert_allclose(np.sort(values), np.linalg.eigvalsh(K.dense())[-3:], rtol=1e-10)
    cross = gm.Gaussian().gram(X, Z)
    singular = svds(aslinearoperator(cross), k=2, return_singular_vectors=False, v0=np.ones(25))
    np.testing.assert_allclose(np.sort(singular)[::-1], np.linalg.svd(cross.dense())[1][:2], rtol=1e-8)


def test_operator_arithmetic_of_scipy_applies():
    K, cross = aslinearoperator(gm.Gaussian().gram(X)), aslinearoperator(gm.Gaussian().gram(X, Z))
    dense, rectangle = gaussian_by_pairs(X, X), gaussian_by_pairs(X, Z)
    combined = 2 * K + cross @ cross.H - K**2
    expected = 2 * dense + rectangle @ rectangle.T - dense @ dense
    np.testing.assert_allclose(combined @ X, expected @ X, atol=1e-10)
    np.testing.assert_allclose(cross.T @ X[:, 0], rectangle.T @ X[:, 0], atol=1e-12)


# The explicit map


@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Polynomial(degree=2), 2.0 * gm.Linear(), gm.Linear().normalize()])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_go_through_the_explicit_map_where_it_is_small(monkeypatch, kernel, dtype):
    X, Z = np.random.default_rng(5).standard_normal((2, 400, 3)).astype(dtype)
    K, cross = kernel.gram(X), kernel.gram(X, Z)
    expected = K.dense() @ X, cross.dense() @ Z, K.dense().mean(axis=1)

    def refuse(self, a, b, out):
        pytest.fail("a tile was computed")

    monkeypatch.setattr(DotProduct, "block", refuse)
    rtol = 1e-4 if dtype == np.float32 else 1e-12
    scale = float(K.diag().max())
    np.testing.assert_allclose(K @ X, expected[0], rtol=rtol, atol=rtol * scale)
    np.testing.assert_allclose(cross @ Z, expected[1], rtol=rtol, atol=rtol * scale)
    np.testing.assert_allclose(K.row_means(), expected[2], rtol=rtol, atol=rtol * scale)


def test_the_centered_map_serves_products_too(monkeypatch):
    K = gm.Polynomial(degree=2).gram(X)
    expected = centered(K.dense()) @ X
    C = K.center()
    monkeypatch.setattr(DotProduct, "block", lambda self, a, b, out: pytest.fail("a tile was computed"))
    np.testing.assert_allclose(C @ X, expected, atol=1e-10 * np.abs(expected).max())


@settings(max_examples=30, deadline=None)
@given(
    n=st.integers(1, 40),
    m=st.integers(1, 40),
    d=st.integers(1, 5),
    memory=st.integers(16_400, 40_000),
    symmetric=st.booleans(),
    kernel=st.sampled_from([gm.Linear(), gm.Polynomial(degree=2, offset=0.5), gm.Polynomial(degree=1, offset=0.0)]),
)
def test_the_explicit_map_and_the_tiles_give_the_same_product(n, m, d, memory, symmetric, kernel):
    generator = np.random.default_rng(n + 50 * m)
    points, others = generator.standard_normal((n, d)), generator.standard_normal((m, d))
    K = kernel.gram(points, memory=memory) if symmetric else kernel.gram(points, others, memory=memory)
    V = generator.standard_normal((K.shape[1], 2))
    product = K @ V
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(kernel), "feature_dim", lambda self, a: None)
        np.testing.assert_allclose(product, K @ V, atol=1e-10)


def test_a_map_larger_than_the_sample_is_not_used(monkeypatch):
    monkeypatch.setattr(gm.Polynomial, "phi", lambda self, a: pytest.fail("the map was used"))
    K = gm.Polynomial(degree=6).gram(X)  # C(9, 6) = 84 features for 60 points
    np.testing.assert_allclose(K @ X, (X @ X.T + 1) ** 6 @ X, rtol=1e-9)


# Sparse


@pytest.mark.parametrize("form", [scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Polynomial(degree=2), gm.Linear().normalize()], ids=repr)
def test_sparse_and_dense_data_have_the_same_gram(form, kernel):
    sparse_rng = np.random.default_rng(5)
    A = np.where(sparse_rng.random((80, 12)) < 0.3, sparse_rng.standard_normal((80, 12)), 0.0) + np.eye(80, 12)
    A[12:, 0] = 1.0
    K, D = kernel.gram(form(A)), kernel.gram(A)
    V = sparse_rng.standard_normal((80, 3))
    for found, expected in [
        (K.dense(), D.dense()),
        (K @ V, D @ V),
        (K.diag(), D.diag()),
        (K.columns([3, 5]), D.columns([3, 5])),
        (K.row_means(), D.row_means()),
        (K.center().dense(), D.center().dense()),
        (K.center() @ V, D.center() @ V),
        (K.take([5, 1]).dense(), D.take([5, 1]).dense()),
        (kernel.gram(form(A), A[:7]).dense(), D.dense()[:, :7]),
        (kernel.gram(A[:7], form(A)) @ V, D.dense()[:7] @ V),
    ]:
        assert isinstance(found, np.ndarray)
        np.testing.assert_allclose(found, expected, atol=1e-10)


# Types


@each_kernel
def test_float32_data_gives_float32_answers_and_float64_means(kernel):
    K = kernel.gram(X.astype(np.float32))
    truth = kernel.gram(X).dense()
    scale = np.abs(truth).max()
    assert K.dtype == np.float32
    for found, expected in [
        (K.dense(), truth),
        (K @ X, truth @ X),
        (K @ X.astype(np.float32), truth @ X),
        (X.T @ K, X.T @ truth),
        (K.diag(), np.diag(truth)),
        (K.columns([1]), truth[:, [1]]),
        (K.ridge(1.0).dense(), truth + np.eye(60)),
        (K.ridge(1.0) @ X, truth @ X + X),
        (K.center().dense(), centered(truth)),
        (K.normalize().dense(), normalized(truth)),
        ((K + 1.0).dense(), truth + 1),
    ]:
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, atol=1e-4 * max(scale, 1))
    assert K.row_means().dtype == np.float64
    assert isinstance(K.mean(), float)
    assert isinstance(K.trace(), float)


@pytest.mark.parametrize("given_type", [np.int64, np.uint8, bool, np.float64])
def test_integers_and_booleans_give_float64(given_type):
    data = np.array([[1, 0], [0, 1], [1, 1]], dtype=given_type)
    K = gm.Linear().gram(data)
    assert K.dtype == np.float64
    assert np.array_equal(K.dense(), [[1, 0, 1], [0, 1, 1], [1, 1, 2]])


def test_float16_is_computed_in_float32():
    assert gm.Linear().gram(np.ones((2, 2), np.float16)).dtype == np.float32


# What is refused


def test_operations_of_symmetric_grams_are_refused_on_others_with_advice():
    K = gm.Gaussian().gram(X, Z)
    for name, operation in [
        ("diag", K.diag),
        ("diag", K.trace),
        ("center", K.center),
        ("ridge", lambda: K.ridge(1.0)),
    ]:
        with pytest.raises(ValueError, match=f"{name} needs a symmetric Gram.*60 objects with 25.*kernel.gram"):
            operation()


def test_transformations_after_ridge_are_refused_with_advice():
    K = gm.Gaussian().gram(X).ridge(1.0)
    for operation in (K.center, K.normalize, lambda: K + 1.0, lambda: K.take([0], [1])):
        with pytest.raises(ValueError, match=r"after ridge\(\) is ambiguous: transform the Gram first"):
            operation()


def test_a_ridge_of_zero_is_no_ridge():
    np.testing.assert_allclose(gm.Linear().gram(X).ridge(0.0).center().dense(), centered(X @ X.T), atol=1e-12)


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_a_negative_or_infinite_constant_is_refused(bad):
    K = gm.Gaussian().gram(X)
    with pytest.raises(ValueError, match="expected"):
        K.ridge(bad)
    with pytest.raises(ValueError, match="expected"):
        K + bad


@pytest.mark.parametrize("bad", ["1", True, None])
def test_a_constant_that_is_no_number_is_refused(bad):
    with pytest.raises(TypeError, match="lam is .*a real number expected"):
        gm.Gaussian().gram(X).ridge(bad)


@pytest.mark.parametrize(
    ("kernel", "data"),
    [
        (gm.Linear(), np.array([[1.0], [1e200]])),
        (gm.Polynomial(degree=3), np.array([[1.0], [1e60]])),
        (gm.Linear(), np.array([[1.0], [1e25]], np.float32)),
        (gm.Linear().exp(), np.array([[1.0], [40.0]])),
    ],
    ids=repr,
)
def test_overflow_of_a_squared_norm_is_refused_with_its_place(kernel, data):
    for make in (lambda: kernel.gram(data), lambda: kernel.gram(data[:1], data[::-1])):
        with pytest.raises(ValueError, match=rf"κ\(x, x\) overflows {data.dtype} for 1 object.*rescale"):
            make()
    with pytest.raises(ValueError, match="first at index 1"):
        kernel.gram(data)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_data_that_is_not_finite_is_refused(bad):
    with pytest.raises(ValueError, match=r"finite numbers expected"):
        gm.Gaussian().gram([[0.0], [bad]])


def test_a_zero_vector_has_no_direction():
    with pytest.raises(ValueError, match="φ\\(x\\) = 0 for 1 object.*first at index 1"):
        gm.Linear().gram([[1.0], [0.0]]).normalize()


def test_a_gram_is_not_turned_into_an_array_by_accident():
    K = gm.Gaussian().gram(X)
    for operation in (lambda: np.add(X, K), lambda: X * K, lambda: np.exp(K), lambda: K - 1.0):
        with pytest.raises(TypeError):
            operation()


def test_a_single_object_has_a_gram():
    K = gm.Gaussian().gram([[1.0, 2.0]])
    assert K.dense().tolist() == [[1.0]]
    assert (K @ [3.0]).tolist() == [3.0]
    assert K.mean() == 1.0
    assert K.center().dense().tolist() == [[0.0]]


def test_the_text_tells_kernel_shape_type_and_ridge():
    K = gm.Gaussian(bandwidth=2.0).gram(X.astype(np.float32))
    assert repr(K.ridge(0.5)) == "Gram of Gaussian(bandwidth=2.0) + 0.5 I, 60 × 60, float32"
    assert len(K) == 60
    assert K.shape == (60, 60)
    assert K.ndim == 2


def test_the_mean_is_the_squared_norm_of_the_centre_of_mass():
    # Seed 003, Example 5.4: 1107.36 / 25 = 44.29.
    points = [[5.9, 3.0], [6.9, 3.1], [6.6, 2.9], [4.6, 3.2], [6.0, 2.2]]
    assert gm.Linear().gram(points).mean() == pytest.approx(1107.36 / 25, abs=1e-3)


def test_data_are_left_alone_even_when_read_only():
    data = X.copy()
    data.setflags(write=False)
    K = gm.Polynomial(degree=2).gram(data)
    K.dense()
    K @ data
    K.center().normalize().dense()
    assert np.array_equal(data, X)


def test_many_lanes_for_few_objects_change_nothing(monkeypatch):
    monkeypatch.setattr(tiles, "cores", lambda: 64)
    check_gram(gm.Gaussian().gram(X))


# Indices and vectors at the border


def test_a_gram_of_no_objects_is_refused():
    K = gm.Gaussian().gram(X)
    for operation in (
        lambda: K.take([]),
        lambda: K.take([0], []),
        lambda: K.take([], [0]),
        lambda: K.take(slice(0, 0)),
    ):
        with pytest.raises(ValueError, match="a Gram of no objects was asked for; at least one index expected"):
            operation()


def test_a_number_selects_one_object():
    K = gm.Gaussian().gram(X)
    dense = K.dense()
    assert K.take(3).dense().tolist() == [[1.0]]
    np.testing.assert_allclose(K.block(3, 4), dense[3:4, 4:5], atol=1e-13)
    np.testing.assert_allclose(K.block(-1, [4, 5]), dense[-1:, 4:6], atol=1e-13)
    np.testing.assert_allclose(K.columns(7), dense[:, 7:8], atol=1e-13)
    assert K.block([], [1]).shape == (0, 1)


@pytest.mark.parametrize("kernel", [gm.Gaussian(), gm.Linear()], ids=repr)
@pytest.mark.parametrize("entry", [1j, "a", None], ids=repr)
def test_vectors_that_are_not_real_are_refused(kernel, entry):
    K, v = kernel.gram(X), np.array([entry] * 60)
    for operation in (lambda: K @ v, lambda: v @ K, lambda: K.rmatvec(v), lambda: K @ np.stack([v, v], axis=1)):
        with pytest.raises(TypeError, match="the numbers to multiply a Gram by have dtype .*; real numbers expected"):
            operation()


@pytest.mark.parametrize("kernel", [gm.Gaussian(), gm.Gaussian() + 0.5 * gm.Laplacian()], ids=repr)
def test_float32_clusters_far_apart_are_centered_accurately(kernel):
    points = np.concatenate([c + rng.standard_normal((30, 2)) for c in (-1e4, 0.0, 1e4)]).astype(np.float32)
    found = kernel.gram(points).center()
    exact = centered(kernel(points.astype(np.float64)))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.dense(), exact, rtol=0, atol=1e-4)
    np.testing.assert_allclose(found.diag(), np.diag(exact), rtol=0, atol=1e-4)


@pytest.mark.parametrize("index", [True, None, [[0, 1], [2, 3]]])
def test_an_index_that_selects_no_list_of_objects_is_refused(index):
    K = gm.Linear().gram(X)
    for operation in (K.take, K.columns):
        with pytest.raises((TypeError, ValueError), match="the index (is|has) "):
            operation(index)


def test_a_gram_can_be_scaled_and_shifted_from_either_side():
    K = gm.Gaussian().gram(X)
    np.testing.assert_allclose((2.0 * K).dense(), 2 * K.dense())
    np.testing.assert_allclose((0.5 + K * 3.0).dense(), 0.5 + 3 * K.dense())
    with pytest.raises(ValueError, match="factor is -1"):
        -1.0 * K


def test_a_gram_does_not_turn_into_a_matrix_by_itself():
    with pytest.raises(TypeError, match=r"gram.dense\(\) makes the matrix"):
        np.asarray(gm.Gaussian().gram(X))


def test_a_kernel_is_centred_only_on_a_gram_of_its_own():
    for other in (gm.Linear().gram(X), gm.Gaussian().gram(X, X[:5]), gm.Gaussian().gram(X).ridge(1.0)):
        with pytest.raises(ValueError, match="the symmetric Gram of a sample under it is needed"):
            gm.Gaussian().center(other)
