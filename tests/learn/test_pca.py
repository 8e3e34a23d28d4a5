"""Kernel PCA (seed 002): against scikit-learn, dense NumPy and explicit features."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import load_diabetes, load_digits
from sklearn.decomposition import PCA
from sklearn.decomposition import KernelPCA as TheirPCA

import gramian as gm
from gramian.factor import eigen as eigen_module


def quadratic_features(X):
    """φ of (xᵀz + 1)²: all ordered products of two of the coordinates and 1."""
    A = np.hstack([X, np.ones((len(X), 1))])
    return np.einsum("ni,nj->nij", A, A).reshape(len(A), -1)


def centered(K):
    return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()


def gaussian_matrix(X, Z, sigma):
    return np.exp(-np.square(X[:, None] - Z[None]).sum(-1) / (2 * sigma**2))


def assert_same_up_to_sign(found, expected, tol):
    """Columns agree up to sign, to `tol` of the largest entry."""
    signs = np.sign((found * expected).sum(axis=0))
    np.testing.assert_allclose(found * signs, expected, rtol=0, atol=tol * np.abs(expected).max())


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(loc=(1.0, -2.0, 0.5), scale=(1.0, 2.0, 0.5), size=(40, 3))


@pytest.fixture(scope="module")
def Z():
    return np.random.default_rng(1).normal(loc=(1.0, -2.0, 0.5), size=(11, 3))


# Against scikit-learn

DIGITS, DIABETES = load_digits().data, load_diabetes().data
EQUIVALENT = [
    pytest.param(DIGITS, gm.Gaussian(25.0), {"kernel": "rbf", "gamma": 1 / (2 * 25.0**2)}, id="digits-gaussian"),
    pytest.param(DIGITS, gm.Linear(), {"kernel": "linear"}, id="digits-linear"),
    pytest.param(DIABETES, gm.Gaussian(0.1), {"kernel": "rbf", "gamma": 1 / (2 * 0.1**2)}, id="diabetes-gaussian"),
    pytest.param(
        DIABETES,
        gm.Polynomial(3, 1.0),
        {"kernel": "poly", "degree": 3, "gamma": 1.0, "coef0": 1.0},
        id="diabetes-cubic",
    ),
]


@pytest.mark.parametrize("everything", [False, True], ids=["subset", "all"])
@pytest.mark.parametrize(("data", "kernel", "theirs"), EQUIVALENT)
def test_components_and_eigenvalues_are_those_of_scikit_learn(data, kernel, theirs, everything):
    train = data if everything else data[:150]
    new = data[-60:] + 0.1 * data.std() * np.random.default_rng(0).normal(size=(60, data.shape[1]))
    model = gm.KernelPCA(8, kernel).fit(train)
    other = TheirPCA(8, eigen_solver="arpack" if everything else "dense", random_state=0, **theirs).fit(train)
    np.testing.assert_allclose(model.eigenvalues_, other.eigenvalues_, rtol=1e-8)
    assert_same_up_to_sign(model.transform(train), other.transform(train), 1e-8)
    assert_same_up_to_sign(model.transform(new), other.transform(new), 1e-8)


def test_linear_kernel_is_principal_component_analysis(X, Z):
    model, other = gm.KernelPCA(3, gm.Linear()).fit(X), PCA(3).fit(X)
    np.testing.assert_allclose(model.explained_variance_ratio_, other.explained_variance_ratio_, rtol=1e-10)
    # scikit-learn divides by n − 1, this package by n.
    np.testing.assert_allclose(model.explained_variance_, other.explained_variance_ * 39 / 40, rtol=1e-10)
    np.testing.assert_allclose(model.explained_variance_.sum(), X.var(axis=0).sum(), rtol=1e-12)
    assert_same_up_to_sign(model.transform(Z), other.transform(Z), 1e-10)


# Against explicit features


def test_coordinates_are_those_of_principal_component_analysis_on_the_features(X, Z):
    F, G = quadratic_features(X), quadratic_features(Z)
    mean = F.mean(axis=0)
    _, s, V = np.linalg.svd(F - mean, full_matrices=False)
    model = gm.KernelPCA(4, gm.Polynomial(2, 1.0)).fit(X)
    np.testing.assert_allclose(model.eigenvalues_, s[:4] ** 2, rtol=1e-10)
    np.testing.assert_allclose(model.explained_variance_, s[:4] ** 2 / 40, rtol=1e-10)
    np.testing.assert_allclose(model.explained_variance_ratio_, s[:4] ** 2 / (s**2).sum(), rtol=1e-10)
    assert_same_up_to_sign(model.transform(X), (F - mean) @ V[:4].T, 1e-9)
    assert_same_up_to_sign(model.transform(Z), (G - mean) @ V[:4].T, 1e-9)


def test_new_points_are_centred_against_the_training_sample(X, Z):
    # The slide of seed 002 projects with raw κ(xᵢ, z); that differs by a constant of each component (erratum 12).
    model = gm.KernelPCA(4, gm.Gaussian(2.0)).fit(X)
    K, k = gaussian_matrix(X, X, 2.0), gaussian_matrix(Z, X, 2.0)
    raw = k @ model.dual_coef_
    right = (k - k.mean(axis=1)[:, None] - K.mean(axis=0) + K.mean()) @ model.dual_coef_
    np.testing.assert_allclose(model.transform(Z), right, atol=1e-10)
    assert np.abs(raw - right).max() > 0.05
    np.testing.assert_allclose(model.transform(X).mean(axis=0), 0, atol=1e-12)


def test_variance_of_the_coordinates_is_the_explained_variance(X):
    model = gm.KernelPCA(6, gm.Gaussian(2.0)).fit(X)
    T = model.transform(X)
    np.testing.assert_allclose(np.cov(T.T, bias=True), np.diag(model.explained_variance_), atol=1e-13)
    np.testing.assert_allclose(T, model.dual_coef_ * model.eigenvalues_, atol=1e-12)


@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Polynomial(2, 1.0), gm.Gaussian(2.0)], ids=repr)
def test_components_are_orthonormal_in_feature_space(kernel, X):
    model = gm.KernelPCA(3, kernel).fit(X)
    np.testing.assert_allclose(model.components_.inner(model.components_), np.eye(3), atol=1e-10)


@pytest.mark.parametrize("count", [1, 3, 6])
def test_reconstruction_error_is_the_residual_of_the_features(count, X, Z):
    F, G = quadratic_features(X), quadratic_features(Z)
    mean = F.mean(axis=0)
    V = np.linalg.svd(F - mean, full_matrices=False)[2][:count]
    for points, features in ((X, F), (Z, G)):
        D = features - mean
        expected = np.linalg.norm(D - D @ V.T @ V, axis=1)
        found = gm.KernelPCA(count, gm.Polynomial(2, 1.0)).fit(X).reconstruction_error(points)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_mean_squared_reconstruction_error_is_the_variance_not_explained(X):
    model = gm.KernelPCA(5, gm.Gaussian(2.0)).fit(X)
    left = np.mean(model.reconstruction_error(X) ** 2)
    assert left == pytest.approx(model.total_variance_ - model.explained_variance_.sum(), rel=1e-9)


@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Polynomial(2, 1.0), gm.Gaussian(2.0)], ids=repr)
def test_total_variance_is_that_of_the_images(kernel, X):
    model = gm.KernelPCA(2, kernel).fit(X)
    assert model.total_variance_ == pytest.approx(gm.FeatureSpace(kernel)(X).total_variance(), rel=1e-12)
    assert model.total_variance_ == pytest.approx(np.trace(centered(kernel(X))) / 40, rel=1e-10)


# How many components


@pytest.mark.parametrize(
    ("kernel", "data", "rank"),
    [
        (gm.Linear(), np.random.default_rng(0).normal(size=(30, 4)), 4),
        (gm.Linear(), np.random.default_rng(0).normal(size=(30, 4)) + 1e3, 4),
        (gm.Polynomial(2, 1.0), np.random.default_rng(0).normal(size=(30, 2)), 5),
        (gm.Gaussian(1.0), np.random.default_rng(0).normal(size=(12, 2)), 11),
        (gm.Gaussian(1.0), np.repeat(np.random.default_rng(0).normal(size=(7, 2)), 4, axis=0), 6),
    ],
)
def test_directions_without_variance_are_left_out(kernel, data, rank):
    # λ^(−½) is meaningless for λ ≈ 0 (erratum 13). Without a number all that exist are kept; one that is too large is
    # answered with a warning.
    assert gm.KernelPCA(kernel=kernel).fit(data).transform(data).shape == (len(data), rank)
    with pytest.warns(UserWarning, match=f"the sample spans {rank} dimensions") as record:
        model = gm.KernelPCA(rank + 1, kernel).fit(data)
    assert record[0].filename == __file__
    assert len(model.eigenvalues_) == rank
    assert np.isfinite(model.dual_coef_).all()
    assert len(gm.KernelPCA(rank, kernel).fit(data).eigenvalues_) == rank  # and no warning


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.9, 0.99, 0.9999])
@pytest.mark.parametrize("kernel", [gm.Gaussian(2.0), gm.Polynomial(2, 1.0)], ids=repr)
def test_share_of_the_variance_takes_the_fewest_components_that_hold_it(kernel, share, X):
    values = np.linalg.eigvalsh(centered(kernel(X)))[::-1]
    held = np.array([values[: k + 1].sum() for k in range(40)]) / values.sum()
    expected = next(k + 1 for k in range(40) if held[k] >= share)
    model = gm.KernelPCA(share, kernel).fit(X)
    assert len(model.eigenvalues_) == expected
    assert model.explained_variance_ratio_.sum() >= share


def test_all_components_hold_all_the_variance(X):
    model = gm.KernelPCA(kernel=gm.Gaussian(1.0)).fit(X)
    assert model.explained_variance_ratio_.sum() == pytest.approx(1.0, rel=1e-10)
    T = model.transform(X)
    np.testing.assert_allclose(T @ T.T, centered(gaussian_matrix(X, X, 1.0)), atol=1e-9)


@pytest.mark.parametrize("n_components", [None, 1, 0.5])
@pytest.mark.parametrize("kernel", [gm.Gaussian(1.0), gm.Linear()], ids=repr)
def test_objects_with_one_image_are_refused(kernel, n_components):
    with pytest.raises(ValueError, match="there is no variance"):
        gm.KernelPCA(n_components, kernel).fit(np.full((5, 2), 0.1))


# Signs


def test_each_component_has_its_largest_weight_positive(X):
    dual = gm.KernelPCA(8, gm.Gaussian(2.0)).fit(X).dual_coef_
    assert (dual[np.abs(dual).argmax(axis=0), np.arange(8)] > 0).all()


def test_order_of_the_objects_does_not_change_the_signs(X, Z):
    model = gm.KernelPCA(6, gm.Gaussian(2.0)).fit(X)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(X))
        other = gm.KernelPCA(6, gm.Gaussian(2.0)).fit(X[order])
        np.testing.assert_allclose(other.transform(Z), model.transform(Z), atol=1e-10)


def test_fitting_again_gives_the_same_numbers(X, Z):
    model = gm.KernelPCA(6)
    first = model.fit(X).transform(Z)
    np.testing.assert_array_equal(model.fit(X).transform(Z), first)


# Large samples: the matrix is not decomposed


COPIES = 20
EPS32 = float(np.finfo(np.float32).eps)


@pytest.fixture(scope="module")
def large():
    """151 points twenty times each, five components, and the dense centred matrix of NumPy."""
    X = np.tile(np.random.default_rng(0).normal(size=(151, 3)) * [2.0, 1.0, 0.5], (COPIES, 1))
    squares = (X**2).sum(axis=1)
    K = np.exp(-(squares[:, None] + squares - 2 * X @ X.T) / (2 * 1.5**2))
    return X, gm.KernelPCA(5, gm.Gaussian(1.5)).fit(X), centered(K)


def test_leading_eigenvalues_of_a_large_sample_are_those_of_the_dense_matrix(large):
    # With every point repeated c times K̂ is c times that of the points, in blocks, and so are its eigenvalues.
    X, model, K = large
    small = centered(gaussian_matrix(X[:151], X[:151], 1.5))
    expected = COPIES * np.linalg.eigvalsh(small)[::-1][:5]
    np.testing.assert_allclose(model.eigenvalues_, expected, rtol=8 * EPS32)  # K is kept in single precision
    assert model.total_variance_ == pytest.approx(np.trace(K) / len(X), rel=8 * EPS32)
    np.testing.assert_allclose(model.explained_variance_ratio_, expected / np.trace(K), rtol=8 * EPS32)
    few = gm.KernelPCA(5, gm.Gaussian(1.5)).fit(X[:151])
    Z = np.random.default_rng(1).normal(size=(20, 3))
    assert_same_up_to_sign(model.transform(Z), few.transform(Z), 1e-6)


def test_residuals_of_a_large_sample_are_honest_and_small(large):
    _, model, K = large
    V = model.dual_coef_ * np.sqrt(model.eigenvalues_)
    np.testing.assert_allclose(V.T @ V, np.eye(5), atol=1e-10)
    true = np.linalg.norm(K @ V - V * model.eigenvalues_, axis=0)
    # They are those of K kept in single precision, whose rounding errors add up as a random walk
    np.testing.assert_allclose(model.residuals_, true, rtol=0.05, atol=0.1 * EPS32 * model.eigenvalues_[0])
    assert model.residuals_.max() <= 16 * EPS32 * model.eigenvalues_[0]
    assert (V[np.abs(V).argmax(axis=0), np.arange(5)] > 0).all()


def test_new_points_of_a_large_sample_are_centred_as_of_a_small_one(large):
    X, model, K = large
    # The means that centre them are those of K kept in single precision: at most 1, and each to ε
    tol = EPS32 * np.abs(model.dual_coef_).sum(axis=0).max()
    np.testing.assert_allclose(model.transform(X[:50]), (K @ model.dual_coef_)[:50], rtol=0, atol=tol)


def test_share_of_the_variance_of_a_large_sample_takes_the_fewest_components():
    # A centred matrix whose spectrum is known: 0.8^0, 0.8^1, …
    n, rank = 3010, 45
    basis = np.random.default_rng(0).normal(size=(n, rank))
    Q = np.linalg.qr(basis - basis.mean(axis=0))[0]
    values = 0.8 ** np.arange(rank)
    K = (Q * values) @ Q.T
    kernel = gm.Precomputed((K + K.T) / 2)
    model = gm.KernelPCA(0.95, kernel).fit(np.arange(n))
    held = np.cumsum(values) / values.sum()
    assert len(model.eigenvalues_) == np.count_nonzero(held < 0.95) + 1
    np.testing.assert_allclose(model.eigenvalues_, values[: len(model.eigenvalues_)], rtol=1e-7)
    more = gm.KernelPCA(0.9999, gm.Precomputed((K + K.T) / 2)).fit(
        np.arange(n)
    )  # more than the 32 of the first attempt
    assert len(more.eigenvalues_) == np.count_nonzero(held < 0.9999) + 1 > 32


# Other input


def test_single_precision_gives_single_precision_coordinates_near_the_others(X, Z):
    model, single = gm.KernelPCA(4, gm.Gaussian(2.0)).fit(X), gm.KernelPCA(4, gm.Gaussian(2.0)).fit(X.astype("f4"))
    found = single.transform(Z.astype("f4"))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, model.transform(Z), atol=1e-4)
    np.testing.assert_allclose(single.eigenvalues_, model.eigenvalues_, rtol=1e-4)


def test_single_precision_directions_that_are_rounding_errors_are_left_out():
    X = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32)
    assert len(gm.KernelPCA(kernel=gm.Linear()).fit(X).eigenvalues_) == 3


def test_gram_and_matrix_give_the_same_components_as_the_data(X, Z):
    kernel = gm.Gaussian(2.0)
    expected = gm.KernelPCA(4, kernel).fit(X).transform(Z)
    np.testing.assert_allclose(gm.KernelPCA(4).fit(kernel.gram(X)).transform(Z), expected, atol=1e-12)
    matrix = gm.KernelPCA(4, gm.Precomputed(kernel(np.vstack([X, Z])))).fit(range(40))
    np.testing.assert_allclose(matrix.transform(range(40, 51)), expected, atol=1e-10)


def test_no_warning_is_given_for_as_many_components_as_exist(X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gm.KernelPCA(39, gm.Gaussian(1.0)).fit(X)


def test_few_components_of_some_hundred_objects_are_iterated_as_exactly_as_decomposed():
    X = np.random.default_rng(0).normal(size=(600, 6))
    model = gm.KernelPCA(n_components=10, kernel=gm.Gaussian(2.0)).fit(X)
    assert model.solver_ == "block Krylov iteration"
    values, vectors = np.linalg.eigh(centered(gaussian_matrix(X, X, 2.0)))
    np.testing.assert_allclose(model.eigenvalues_, values[::-1][:10], rtol=1e-12)
    # Residuals of 1e-10 of the largest eigenvalue turn a vector by so much over the gap to the next
    gap = np.abs(np.diff(values[::-1][:11])).min() / values[-1]
    assert_same_up_to_sign(model.transform(X), (vectors * np.sqrt(np.abs(values)))[:, ::-1][:, :10], 1e-9 / gap)


@pytest.mark.parametrize("n", [300, 3200])
def test_a_pickled_model_gives_the_same_bits(n):
    """Row means of a sample of more than 3,000 come from tiles that were held, and in another order from others."""
    for seed in range(3):
        X = np.random.default_rng(seed).normal(size=(n, 3))
        model = gm.KernelPCA(2, gm.Gaussian(1.0)).fit(X)
        assert np.array_equal(pickle.loads(pickle.dumps(model)).transform(X[:50]), model.transform(X[:50]))


def test_the_fingerprint_of_a_centred_kernel_does_not_tell_whether_its_means_are_known():
    from gramian.runtime.fingerprint import fingerprint

    kernel = gm.Gaussian(1.0).center(np.random.default_rng(0).normal(size=(20, 2)))
    before = fingerprint(kernel)
    kernel.reference.row_means()
    assert fingerprint(kernel) == before


def groups_of_nodes(n):
    """A graph of ten groups whose nodes have about eight neighbours each, most of them in their own group."""
    rng = np.random.default_rng(0)
    heads = np.repeat(np.arange(n), 4)
    near = rng.integers(0, n // 10, heads.size) * 10 + heads % 10
    tails = np.where(rng.random(heads.size) < 0.75, near, rng.integers(0, n, heads.size))
    A = scipy.sparse.coo_array((np.ones(heads.size), (heads, tails)), shape=(n, n)).tocsr()
    A = (A + A.T).tocsr()
    A.setdiag(0.0)
    A.eliminate_zeros()
    A.data[:] = 1.0
    return gm.Graph(A)


def test_few_components_of_nodes_are_found_by_products_and_not_by_their_matrix(tmp_path):
    graph = groups_of_nodes(600)
    kernel = gm.ExponentialDiffusion(graph, beta=0.5)
    model = gm.KernelPCA(3, kernel).fit(np.arange(600))
    assert "_K" not in vars(model.kernel_)
    assert model.kernel_ == kernel, "the form in which a kernel is worked with is none of its parameters"
    exact = gm.KernelPCA(kernel=kernel).fit(np.arange(600))
    assert "_K" in vars(exact.kernel_)
    np.testing.assert_allclose(model.eigenvalues_, exact.eigenvalues_[:3], rtol=1e-12)
    np.testing.assert_allclose(model.transform(range(9)), exact.transform(range(9))[:, :3], atol=1e-10)
    assert model.residuals_.max() <= 2e-13 * model.eigenvalues_[0]
    assert model.total_variance_ == pytest.approx(exact.total_variance_, rel=0.02)
    gm.save(model, tmp_path / "nodes.gramian")
    again = gm.load(tmp_path / "nodes.gramian")
    np.testing.assert_allclose(again.transform(range(9)), model.transform(range(9)), atol=1e-12)


@pytest.mark.parametrize("n", [600, 1200])
def test_few_components_of_sparse_features_have_the_digits_of_a_decomposition(n, monkeypatch):
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{k}" for k in rng.zipf(1.5, 20) % 2000) for _ in range(n)]
    kernel = gm.BagOfWords("tf-idf").normalize()
    model = gm.KernelPCA(2, kernel).fit(texts)
    assert model.solver_ == "block Krylov iteration"
    assert model.residuals_.max() <= 2e-13 * model.eigenvalues_[0]
    monkeypatch.setattr(eigen_module, "ITERATED_FROM", n)
    exact = gm.KernelPCA(2, kernel).fit(texts)
    assert exact.solver_ == "eigenvalue decomposition"
    gap = float(np.diff(gm.KernelPCA(3, kernel).fit(texts).eigenvalues_).max())
    np.testing.assert_allclose(model.eigenvalues_, exact.eigenvalues_, rtol=1e-12)
    found, expected = model.transform(texts[:50]), exact.transform(texts[:50])
    allowed = 4e-13 * exact.eigenvalues_[0] / abs(gap) * np.sqrt(exact.eigenvalues_[0])
    np.testing.assert_allclose(found, expected, atol=allowed)
