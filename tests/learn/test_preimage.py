"""Pre-images: `KernelPCA.inverse_transform`, exact where it can be, nearer and cleaner where it cannot."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import gramian as gm
from gramian.learn import preimage as module
from gramian.learn.preimage import PreImages


def gaussian_matrix(X, Z, sigma):
    squares = (X**2).sum(axis=1)[:, None] + (Z**2).sum(axis=1) - 2 * X @ Z.T
    return np.exp(-np.maximum(squares, 0) / (2 * sigma**2))


def expansion(model, T, n):
    """γ with Σᵢ γᵢ φ(xᵢ) the point of the plane with coordinates t: the components times t, and the centre of mass."""
    centering = np.eye(n) - 1 / n
    return T @ (centering @ model.dual_coef_).T + 1 / n


def feature_distances(Z, gamma, X, sigma):
    """‖φ(z) − Σ γᵢ φ(xᵢ)‖ from dense matrices."""
    K, k = gaussian_matrix(X, X, sigma), gaussian_matrix(Z, X, sigma)
    squares = 1 - 2 * (gamma * k).sum(axis=1) + np.einsum("mi,ij,mj->m", gamma, K, gamma)
    return np.sqrt(np.maximum(squares, 0))


def circle(n, noise, seed):
    """Points of the unit circle, and the same with noise."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    clean = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return clean, clean + noise * rng.normal(size=(n, 2))


@pytest.fixture(scope="module")
def ring():
    return circle(150, 0.12, 0)


# Linear


@pytest.mark.parametrize("count", [1, 2, 4])
def test_linear_pre_image_is_the_projection_onto_the_plane_of_the_components(count):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(30, 4)) + 5.0, rng.normal(size=(7, 4))
    model, other = gm.KernelPCA(count, gm.Linear()).fit(X), PCA(count).fit(X)
    expected = other.inverse_transform(other.transform(Z))
    np.testing.assert_allclose(model.inverse_transform(model.transform(Z)), expected, atol=1e-10)
    if count == 4:
        np.testing.assert_allclose(expected, Z, atol=1e-10)


def test_linear_pre_image_of_the_origin_of_the_plane_is_the_mean():
    X = np.random.default_rng(0).normal(size=(20, 3)) + 2.0
    model = gm.KernelPCA(2, gm.Linear()).fit(X)
    np.testing.assert_allclose(model.inverse_transform(np.zeros((1, 2))), X.mean(axis=0)[None], atol=1e-12)


# Gaussian


@pytest.mark.parametrize("sigma", [0.5, 1.0, 2.0])
def test_gaussian_pre_images_of_training_points_are_the_points_when_all_components_are_kept(sigma):
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = gm.KernelPCA(kernel=gm.Gaussian(sigma)).fit(X)
    found = model.inverse_transform(model.transform(X))
    # Steps end where they come nearer by less than 1e-12 of κ = 1, which is a movement of 1e-6 σ
    assert np.abs(found - X).max() < 1e-5 * sigma
    # What no component says of the images is no more than their rounding errors
    assert np.abs(model.dual_coef_.sum(axis=0)).max() < 1e-6 * np.abs(model.dual_coef_).sum(axis=0).max()


@pytest.mark.parametrize("count", [2, 4, 8])
def test_gaussian_pre_images_are_no_farther_in_feature_space_than_the_regression_they_start_from(count, ring):
    _, X = ring
    sigma = 0.7
    model = gm.KernelPCA(count, gm.Gaussian(sigma)).fit(X)
    _, Z = circle(40, 0.2, 1)
    T = model.transform(Z)
    guess = gm.KernelRidge(ridge="loo", fit_intercept=True).fit(model.transform(X), X).predict(T)
    gamma = expansion(model, T, len(X))
    before = feature_distances(guess, gamma, X, sigma)
    after = feature_distances(model.inverse_transform(T), gamma, X, sigma)
    assert (after <= before + 1e-7).all()
    assert after.mean() < before.mean() - 1e-5


def test_gaussian_pre_images_are_where_no_small_step_comes_nearer(ring):
    _, X = ring
    sigma = 0.7
    model = gm.KernelPCA(4, gm.Gaussian(sigma)).fit(X)
    T = model.transform(circle(40, 0.2, 1)[1])
    gamma = expansion(model, T, len(X))
    found = model.inverse_transform(T)
    best = feature_distances(found, gamma, X, sigma)
    for angle in np.arange(8) * np.pi / 4:
        moved = found + 0.02 * np.array([np.cos(angle), np.sin(angle)])
        assert (feature_distances(moved, gamma, X, sigma) >= best - 1e-9).all()


def test_gaussian_pre_images_that_come_to_rest_together_are_found(ring):
    # A single point comes to rest at some step, and then none is left to move.
    _, X = ring
    model = gm.KernelPCA(4, gm.Gaussian(0.7)).fit(X)
    T = model.transform(X)
    together = model.inverse_transform(T)
    alone = np.vstack([model.inverse_transform(t[None]) for t in T[:20]])
    np.testing.assert_allclose(alone, together[:20], atol=1e-5)


# Denoising


def test_projection_of_a_noisy_circle_is_nearer_to_the_circle_than_the_noisy_points(ring):
    clean, X = ring
    model = gm.KernelPCA(5, gm.Gaussian(0.7)).fit(X)
    found = model.inverse_transform(model.transform(X))

    def off(points):
        return np.abs(np.linalg.norm(points, axis=1) - 1).mean()

    assert off(found) < 0.6 * off(X)
    assert np.linalg.norm(found - clean, axis=1).mean() < np.linalg.norm(X - clean, axis=1).mean()


def test_linear_components_cannot_clean_a_circle(ring):
    # Two linear components are the whole plane, so the test above says something of the kernel.
    _, X = ring
    model = gm.KernelPCA(2, gm.Linear()).fit(X)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-10)


def test_pre_images_of_noisy_digits_are_nearer_to_the_clean_ones():
    digits = load_digits().data[:400] / 16
    noisy = digits + 0.3 * np.random.default_rng(0).normal(size=digits.shape)
    train, new = np.arange(400) < 340, np.arange(400) >= 340
    model = gm.KernelPCA(20, gm.Gaussian(4.0)).fit(noisy[train])
    found = model.inverse_transform(model.transform(noisy[new]))
    error, noise = np.mean((found - digits[new]) ** 2), np.mean((noisy[new] - digits[new]) ** 2)
    assert error < 0.6 * noise


# Other kernels


@pytest.mark.parametrize("kernel", [gm.Polynomial(2, 1.0), gm.Laplacian(3.0), 2.0 * gm.Linear()], ids=repr)
def test_learnt_map_brings_new_points_back(kernel):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(120, 2)), 0.7 * rng.normal(size=(30, 2))
    model = gm.KernelPCA(kernel=kernel).fit(X)
    found = model.inverse_transform(model.transform(Z))
    assert np.mean((found - Z) ** 2) < 0.02 * Z.var()


# Shapes and precision


@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Gaussian(1.0), gm.Polynomial(2, 1.0)], ids=repr)
def test_pre_images_are_one_vector_for_each_row_in_the_width_of_the_data(kernel):
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = gm.KernelPCA(2, kernel).fit(X)
    T = model.transform(X)
    kept = T.copy()
    assert model.inverse_transform(T).shape == (40, 3)
    assert model.inverse_transform(T[:1]).shape == (1, 3)
    assert model.inverse_transform(T[:7].tolist()).shape == (7, 3)
    np.testing.assert_array_equal(T, kept)


@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Gaussian(1.0), gm.Polynomial(2, 1.0)], ids=repr)
def test_more_points_than_one_chunk_come_back_as_the_same_points_in_two(kernel):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(50, 2)), rng.normal(size=(700, 2))
    model = gm.KernelPCA(3, kernel).fit(X) if kernel != gm.Linear() else gm.KernelPCA(2, kernel).fit(X)
    T = model.transform(Z)
    parts = np.vstack([model.inverse_transform(T[:350]), model.inverse_transform(T[350:])])
    np.testing.assert_allclose(model.inverse_transform(T), parts, atol=1e-6)


@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Gaussian(2.0), gm.Polynomial(2, 1.0)], ids=repr)
def test_single_precision_data_has_single_precision_pre_images_near_the_others(kernel):
    X = np.random.default_rng(0).normal(size=(40, 3))
    model, single = gm.KernelPCA(3, kernel).fit(X), gm.KernelPCA(3, kernel).fit(X.astype(np.float32))
    T = model.transform(X)
    found = single.inverse_transform(T.astype(np.float32))
    assert found.dtype == np.float32
    # The ridge of the learnt map is chosen at a flat minimum: another choice is as good, which is what is compared
    off, expected = (np.sqrt(np.mean((points - X) ** 2)) for points in (found, model.inverse_transform(T)))
    assert off < 1.1 * expected + 10 * np.finfo(np.float32).eps * np.abs(X).max()


@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Gaussian(1.0), gm.Polynomial(2, 1.0)], ids=repr)
def test_pre_images_follow_a_new_fit_and_not_the_array_that_was_fitted(kernel):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 10.0
    model = gm.KernelPCA(2, kernel).fit(X)
    T = model.transform(X[:5])
    first = model.inverse_transform(T)
    data = X.copy()
    again = gm.KernelPCA(2, kernel).fit(data)
    data += 100.0
    np.testing.assert_allclose(again.inverse_transform(T), first, atol=1e-8)
    moved = model.fit(Y).inverse_transform(model.transform(Y[:5]))
    assert np.abs(moved - 10.0).max() < 6.0


def test_pre_images_under_a_gram_or_a_sparse_sample_are_refused():
    X = np.random.default_rng(0).normal(size=(10, 2))
    model = gm.KernelPCA(2).fit(gm.Gaussian(1.0).gram(X))
    with pytest.raises(TypeError, match="fit\\(X\\) on a dense array"):
        model.inverse_transform(np.zeros((1, 2)))


def test_pre_images_do_not_depend_on_how_the_first_guess_was_learnt(monkeypatch):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(40, 5))[rng.integers(0, 40, 600)] * 2 + rng.normal(size=(600, 5)) / 2
    model = gm.KernelPCA(n_components=8).fit(X)
    T = model.transform(X[:30])
    found = PreImages(model.kernel_, X, model.dual_coef_, model.eigenvalues_)
    assert found._guess.get_params()["rank"] == module.START
    monkeypatch.setattr(module, "START", 10**6)
    exact = PreImages(model.kernel_, X, model.dual_coef_, model.eigenvalues_)
    assert exact._guess.get_params()["rank"] is None
    np.testing.assert_allclose(found(T), exact(T), rtol=0, atol=1e-4)
