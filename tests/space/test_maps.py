"""Kernel maps: coordinates whose inner products are κ (seed 003, section 5.1; seed 000, section 5.2)."""

import numpy as np
import pytest

import gramian as gm

MAPS = [gm.EmpiricalMap, gm.MercerMap, gm.CholeskyMap]


@pytest.mark.parametrize("kind", MAPS)
def test_coordinates_of_the_sample_reproduce_kappa(known, X, kind):
    K = known.loop(X, X)
    coordinates = kind(known.kernel).fit_transform(X)
    np.testing.assert_allclose(coordinates @ coordinates.T, K, atol=1e-9 * K.max())
    np.testing.assert_array_equal(kind(known.kernel).fit(X).transform(X), coordinates)


@pytest.mark.parametrize("kind", MAPS)
def test_new_points_are_projected_onto_the_span_of_the_sample(explicit, X, Z, kind):
    few = X[:2]
    P, Q = explicit.features(few), explicit.features(Z)
    M = np.linalg.pinv(P) @ P
    fitted = kind(explicit.kernel).fit(few)
    C, D = fitted.transform(few), fitted.transform(Z)
    scale = np.abs(Q @ Q.T).max()
    np.testing.assert_allclose(D @ D.T, Q @ M @ Q.T, atol=1e-9 * scale)
    np.testing.assert_allclose(C @ D.T, P @ Q.T, atol=1e-9 * scale)
    assert (np.linalg.norm(D, axis=1) <= np.linalg.norm(Q, axis=1) * (1 + 1e-9)).all()


@pytest.mark.parametrize("kind", MAPS)
def test_coordinates_of_a_new_point_have_its_inner_products_with_the_sample(known, X, Z, kind):
    fitted = kind(known.kernel).fit(X)
    scale = known.space(np.vstack([X, Z])).norms().max() ** 2
    np.testing.assert_allclose(fitted.transform(X) @ fitted.transform(Z).T, known.loop(X, Z), atol=1e-8 * scale)


def test_empirical_map_is_the_inverse_root_of_K_times_k(known, X, Z):
    K = known.loop(X, X)
    values, vectors = np.linalg.eigh(K)
    kept = values > 1e-10 * values[-1]
    root = (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T
    found = gm.EmpiricalMap(known.kernel).fit(X).transform(Z)
    assert found.shape == (len(Z), len(X))
    np.testing.assert_allclose(found, known.loop(Z, X) @ root, atol=1e-8 * known.space(Z).norms().max())


def test_mercer_map_is_the_root_of_the_eigenvalue_times_the_eigenvector(known, X):
    values, vectors = np.linalg.eigh(known.loop(X, X))
    kept = values > 1e-10 * values[-1]
    expected = (vectors[:, kept] * np.sqrt(values[kept]))[:, ::-1]
    found = gm.MercerMap(known.kernel).fit_transform(X)
    assert found.shape == expected.shape
    signs = np.sign((found * expected).sum(axis=0))
    np.testing.assert_allclose(found, expected * signs, atol=1e-8 * np.sqrt(values[-1]))


def test_cholesky_map_in_order_is_the_transposed_triangle_of_the_textbook(X):
    k = gm.Gaussian(1.5)
    found = gm.CholeskyMap(k, pivoting=None).fit_transform(X)
    np.testing.assert_allclose(found, np.linalg.cholesky(k(X)), atol=1e-9)


def test_cholesky_map_of_a_new_point_is_the_forward_substitution_of_the_seed(X, Z):
    k = gm.Gaussian(1.5)
    R = np.linalg.cholesky(k(X)).T  # K = R′R
    found = gm.CholeskyMap(k, pivoting=None).fit(X).transform(Z)
    for z, coordinates in zip(Z, found, strict=True):
        values, r = k(X, [z])[:, 0], np.zeros(len(X))
        for j in range(len(X)):
            r[j] = (values[j] - R[:j, j] @ r[:j]) / R[j, j]
        np.testing.assert_allclose(coordinates, r, atol=1e-8)


@pytest.mark.parametrize("kind", MAPS)
def test_a_singular_matrix_gives_coordinates_of_its_rank(kind):
    A = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0], [2.0, -1.0], [3.0, 1.0]])
    fitted = kind(gm.Linear()).fit(A)
    C = fitted.transform(A)
    assert C.shape[1] == (5 if kind is gm.EmpiricalMap else 2)
    assert np.linalg.matrix_rank(C) == 2
    np.testing.assert_allclose(C @ C.T, A @ A.T, atol=1e-10)
    np.testing.assert_allclose(C[0], C[1], atol=1e-12)
    np.testing.assert_allclose(C[2], 0.0, atol=1e-12)


@pytest.mark.parametrize("kind", MAPS)
def test_one_point_maps_to_its_norm(kind):
    assert np.abs(kind(gm.Linear()).fit_transform([[3.0, 4.0]])) == pytest.approx(np.array([[5.0]]))


@pytest.mark.parametrize("kind", MAPS)
def test_the_median_bandwidth_is_settled_on_the_sample(X, Z, kind):
    k = gm.Gaussian("median")
    fitted = kind(k).fit(X)
    assert fitted.kernel == k
    assert fitted.kernel_ == k.fit(X)
    np.testing.assert_allclose(fitted.transform(Z), kind(k.fit(X)).fit(X).transform(Z))


@pytest.mark.parametrize("kind", MAPS)
def test_fitting_again_forgets_the_first_sample(X, Z, kind):
    fitted = kind(gm.Gaussian("median")).fit(X).fit(Z)
    np.testing.assert_array_equal(fitted.transform(X), kind(gm.Gaussian("median")).fit(Z).transform(X))


@pytest.mark.parametrize("kind", MAPS)
def test_transform_before_fit_says_to_fit(X, kind):
    with pytest.raises(ValueError, match=rf"{kind.__name__} has no sample yet: call fit"):
        kind(gm.Linear()).transform(X)


@pytest.mark.parametrize("kind", MAPS)
def test_float32_reproduces_kappa_to_single_precision(X, kind):
    A = X.astype(np.float32)
    C = kind(gm.Gaussian(1.0)).fit_transform(A)
    np.testing.assert_allclose(C @ C.T, gm.Gaussian(1.0)(X), atol=1e-3)


@pytest.mark.parametrize("kind", MAPS)
def test_float32_data_have_float32_coordinates(X, Z, kind):
    fitted = kind(gm.Gaussian(1.0)).fit(X.astype(np.float32))
    assert fitted.transform(Z.astype(np.float32)).dtype == np.float32
    assert fitted.fit_transform(X.astype(np.float32)).dtype == np.float32
    assert kind(gm.Gaussian(1.0)).fit_transform(X).dtype == np.float64


@pytest.mark.parametrize("kind", MAPS)
def test_zero_vectors_map_every_point_to_zero(kind):
    fitted = kind(gm.Linear()).fit(np.zeros((3, 2)))
    C = fitted.transform([[1.0, 2.0], [0.0, 0.0]])
    assert C.shape == (2, 3 if kind is gm.EmpiricalMap else 0)
    np.testing.assert_array_equal(C, 0.0)


@pytest.mark.parametrize("kind", MAPS)
def test_nearly_dependent_points_do_not_spoil_the_reproduction(kind):
    A = np.linspace(0, 1, 60)[:, None]
    k = gm.Gaussian(1.0)
    C = kind(k).fit_transform(A)
    np.testing.assert_allclose(C @ C.T, k(A), atol=1e-7)


def test_objects_need_not_be_vectors():
    K = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 3.0]])
    for kind in MAPS:
        C = kind(gm.Precomputed(K)).fit_transform([0, 1, 2])
        np.testing.assert_allclose(C @ C.T, K, atol=1e-12)


def test_a_rank_limits_the_cholesky_map_and_the_error_is_what_it_says(X):
    k = gm.Gaussian(1.5)
    low = gm.cholesky(k.gram(X), rank=4)
    C = gm.CholeskyMap(k, rank=4).fit_transform(X)
    assert C.shape == (9, 4)
    np.testing.assert_allclose(C, low.factor, atol=1e-10)
    np.testing.assert_allclose(np.diagonal(k(X) - C @ C.T), low.residual, atol=1e-10)


def test_a_centered_kernel_centres_new_points_on_its_own_sample(explicit, X, Z):
    P, Q = explicit.features(X), explicit.features(Z)
    P, Q = P - P.mean(axis=0), Q - P.mean(axis=0)
    fitted = gm.MercerMap(explicit.kernel.center(X)).fit(X)
    C, D = fitted.transform(X), fitted.transform(Z)
    np.testing.assert_allclose(C.sum(axis=0), 0.0, atol=1e-6 * np.abs(P).max())
    np.testing.assert_allclose(C @ D.T, P @ Q.T, atol=1e-8 * np.abs(P @ Q.T).max())


def test_new_objects_must_have_the_features_of_the_sample(X):
    for kind in MAPS:
        with pytest.raises(ValueError, match="do not fit together"):
            kind(gm.Linear()).fit(X).transform([[1.0, 2.0, 3.0]])


@pytest.mark.parametrize("kind", [gm.EmpiricalMap, gm.MercerMap])
def test_a_matrix_that_is_no_kernel_is_refused_with_its_smallest_eigenvalue(kind):
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    K = 3 * np.eye(6) + (Q * [0.0, 1, 1, 1, 1, -3.5]) @ Q.T
    K = np.round(K, 6)
    assert np.linalg.eigvalsh(K)[0] < -0.4
    with pytest.raises(ValueError, match=f"its smallest eigenvalue is {np.linalg.eigvalsh(K)[0]:.3g}, and no coord"):
        kind(gm.Precomputed(K)).fit(range(6))
