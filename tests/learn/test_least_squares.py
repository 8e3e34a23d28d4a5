"""Plain least squares, λ = 0, against pseudo-inverses of explicit features and refitting; the hat matrix (seed 004)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import gramian as gm
from gramian.factor import solve as solve_module
from gramian.factor import spectrum as spectrum_module
from gramian.learn import ridge as ridge_module


def quadratic(X):
    """φ of (xᵀz + 1)²."""
    return np.array([np.concatenate([[1.0], np.sqrt(2) * x, np.outer(x, x).ravel()]) for x in X])


MAPS = {gm.Linear(): lambda X: X, gm.Polynomial(2, 1.0): quadratic}
every_kernel = pytest.mark.parametrize("kernel", MAPS, ids=repr)
every_side = pytest.mark.parametrize("solver", ["auto", "primal", "dual"])
with_and_without = pytest.mark.parametrize("intercept", [False, True])


def pseudo_inverse(P, Y, weights, intercept):
    """Return the least-squares solution of minimum norm, as a function of features."""
    w = np.ones(len(P)) if weights is None else weights
    root = np.sqrt(w)[:, None]
    mean, target = ((w @ P) / w.sum(), (w @ Y) / w.sum()) if intercept else (0.0, 0.0)
    W = np.linalg.pinv(root * (P - mean), rcond=1e-10) @ (root * (Y - target))
    return lambda Q: (Q - mean) @ W + target


def drawn(seed, n, d):
    rng = np.random.default_rng(seed)
    X = rng.normal(loc=1.0, size=(n, d))
    X[:, -1] = X[:, 0]  # never of full column rank
    return X, rng.normal(size=(n, 2)), rng.normal(size=(7, d)), rng.integers(0, 4, n).astype(float)


@with_and_without
@every_side
@every_kernel
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**31), shape=st.sampled_from([(30, 4), (10, 20), (14, 14)]), weighted=st.booleans())
def test_without_a_ridge_the_solution_is_that_of_the_pseudo_inverse(kernel, solver, intercept, seed, shape, weighted):
    X, Y, Z, w = drawn(seed, *shape)
    w = w + (w.sum() < 8) if weighted else None
    model = gm.KernelRidge(kernel, ridge=0, fit_intercept=intercept, solver=solver).fit(X, Y, sample_weight=w)
    expected = pseudo_inverse(MAPS[kernel](X), Y, w, intercept)
    scale = np.abs(expected(MAPS[kernel](Z))).max() + 1
    np.testing.assert_allclose(model.predict(Z), expected(MAPS[kernel](Z)), atol=1e-7 * scale)
    H = model.hat_matrix()
    np.testing.assert_allclose(H @ Y, model.predict(X), atol=1e-8 * scale)
    assert np.trace(H) == pytest.approx(model.effective_dof_, abs=1e-8)
    assert model.effective_dof_ == pytest.approx(round(model.effective_dof_), abs=1e-8)
    assert model.solver_.endswith(f"least squares of minimum norm, rank {len(model.shrinkage_)}")
    np.testing.assert_array_equal(model.shrinkage_, 1.0)


@with_and_without
@every_side
@pytest.mark.parametrize("shape", [(20, 4), (12, 20)])
@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_residuals_without_a_ridge_are_those_of_refitting(shape, weighted, solver, intercept):
    X, Y, _, w = drawn(3, *shape)
    X[0], X[0, 1] = 0.0, 5.0  # in most draws nothing else tells about this object
    w = w + 1 if weighted else None
    make = gm.KernelRidge(gm.Linear(), ridge=0, fit_intercept=intercept, solver=solver)
    found = make.fit(X, Y, sample_weight=w).loo_residuals_
    for i in range(len(X)):
        kept = np.arange(len(X)) != i
        one = gm.KernelRidge(gm.Linear(), ridge=0, fit_intercept=intercept, solver=solver)
        one.fit(X[kept], Y[kept], sample_weight=None if w is None else w[kept])
        np.testing.assert_allclose(found[i], Y[i] - one.predict(X[[i]])[0], atol=1e-7)


@pytest.mark.parametrize("smoother", ["shrinkage", "projection"])
@pytest.mark.parametrize("ridge", [0, 1e-3, 0.5, 20.0])
@with_and_without
def test_the_hat_matrix_gives_the_fitted_values_and_the_degrees_of_freedom(ridge, intercept, smoother):
    X, Y, _, w = drawn(5, 25, 4)
    for kernel in (gm.Linear(), gm.Gaussian(2.0)):
        for weights in (None, w):
            model = gm.KernelRidge(kernel, ridge, intercept, smoother).fit(X, Y, sample_weight=weights)
            H = model.hat_matrix()
            np.testing.assert_allclose(H @ Y, model.predict(X), atol=1e-6)
            assert np.trace(H) == pytest.approx(model.effective_dof_, abs=1e-6)
            if intercept:
                np.testing.assert_allclose(H.sum(axis=1), 1.0, atol=1e-6)


def test_the_hat_matrix_is_that_of_the_textbook_and_at_zero_a_projection():
    X, Y, _, _ = drawn(6, 20, 3)
    for ridge in (0.7, 0.0):
        H = gm.KernelRidge(gm.Linear(), ridge=ridge).fit(X, Y).hat_matrix()
        np.testing.assert_allclose(H, X @ np.linalg.pinv(X.T @ X + ridge * np.eye(3), rcond=1e-12) @ X.T, atol=1e-12)
    np.testing.assert_allclose(H @ H, H, atol=1e-12)
    assert np.trace(H) == pytest.approx(2.0)  # not the number of columns: one of them is there twice


def test_df_at_zero_is_the_number_of_columns_where_these_are_independent():
    X = np.random.default_rng(0).normal(size=(20, 5))
    model = gm.KernelRidge(gm.Linear(), ridge=0).fit(X, X[:, 0] ** 2)
    assert model.effective_dof_ == pytest.approx(5.0)
    np.testing.assert_allclose(model.predict(X), X @ np.linalg.lstsq(X, X[:, 0] ** 2)[0], atol=1e-12)


def test_a_kernel_of_full_rank_goes_through_every_target():
    X = np.random.default_rng(1).normal(size=(40, 2))
    y = np.random.default_rng(2).normal(size=40)
    model = gm.KernelRidge(gm.Laplacian(1.0), ridge=0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-10)
    np.testing.assert_allclose(model.dual_coef_, np.linalg.solve(gm.Laplacian(1.0)(X), y), atol=1e-8)
    assert model.effective_dof_ == 40
    np.testing.assert_allclose(model.loo_residuals_, model.dual_coef_ / np.diag(np.linalg.inv(gm.Laplacian(1.0)(X))))


def test_features_of_very_different_sizes_are_all_used():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(50, 3)) * [1.0, 1e-5, 1e5]
    y = X @ [1.0, 1e5, 1e-5]
    with pytest.warns(ConvergenceWarning, match="predictions, are accurate .* but dual_coef_ is not"):
        model = gm.KernelRidge(gm.Linear(), ridge=0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-5)
    assert model.solver_.endswith("rank 3")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_constant_column_far_from_zero_is_no_direction_beside_an_intercept(dtype):
    X = np.column_stack([np.linspace(-1, 1, 30), np.full(30, 1e6)]).astype(dtype)
    model = gm.KernelRidge(gm.Linear(), ridge=0, fit_intercept=True).fit(X, np.linspace(0, 1, 30))
    assert model.effective_dof_ <= 2 + 1e-6
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("intercept", [False, True])
def test_features_summed_up_in_one_pass_give_the_same_least_squares(monkeypatch, intercept):
    X, Y, Z, w = drawn(7, 60, 6)
    X[0] = 0.0
    X[0, 1] = 3.0
    for weights in (None, w + 1):
        at_once = gm.KernelRidge(gm.Linear(), ridge=0, fit_intercept=intercept).fit(X, Y, sample_weight=weights)
        with monkeypatch.context() as patch:
            patch.setattr(solve_module, "ROOM", 0)
            summed = gm.KernelRidge(gm.Linear(), ridge=0, fit_intercept=intercept).fit(X, Y, sample_weight=weights)
        assert "summed up in one pass; least squares of minimum norm, rank 5" in summed.solver_
        np.testing.assert_allclose(summed.predict(Z), at_once.predict(Z), atol=1e-9)
        np.testing.assert_allclose(summed.loo_residuals_, at_once.loo_residuals_, atol=1e-8)
        assert summed.loo_error_ == pytest.approx(at_once.loo_error_)
        assert summed.effective_dof_ == pytest.approx(at_once.effective_dof_)
        values = summed.sample_.gram() @ summed.dual_coef_ + summed.intercept_
        np.testing.assert_allclose(values, summed.predict(X), atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("bandwidth", [0.5, 1.5, 5.0, 50.0])
@with_and_without
def test_least_squares_through_landmarks_stay_close_to_what_they_learn_from(bandwidth, dtype, intercept):
    X = np.random.default_rng(8).normal(size=(600, 2))
    y = np.sin(X[:, 0]) + X[:, 1]
    model = gm.KernelRidge(gm.Gaussian(bandwidth), 0, intercept, rank=60).fit(X.astype(dtype), y)
    assert "least squares of minimum norm" in model.solver_
    assert np.abs(model.predict(X.astype(dtype)) - y).mean() < 0.35
    assert np.abs(model.predict(X.astype(dtype))).max() < 2 * np.abs(y).max()
    with pytest.raises(ValueError, match="in low rank the objects are not kept, and there is no hat matrix"):
        model.hat_matrix()


def test_the_hat_matrix_of_many_objects_is_refused(monkeypatch):
    X, Y, _, _ = drawn(9, 30, 3)
    model = gm.KernelRidge(gm.Linear(), ridge=1.0).fit(X, Y)
    monkeypatch.setattr(ridge_module, "DENSE", 29)
    with pytest.raises(
        ValueError, match="the hat matrix of 30 objects is too large: at most 29 expected; effective_dof_"
    ):
        model.hat_matrix()


def test_a_large_gram_of_high_rank_is_refused_without_a_ridge_and_one_of_low_rank_is_not(monkeypatch):
    X = np.random.default_rng(10).normal(size=(80, 3))
    for module in (spectrum_module, solve_module):
        monkeypatch.setattr(module, "DENSE", 40)
    monkeypatch.setattr(spectrum_module, "LARGEST_RANK", 20)
    with pytest.raises(ValueError, match="without a ridge all of K has to be decomposed, and with 80 objects"):
        gm.KernelRidge(gm.Gaussian(0.5), ridge=0).fit(X, X[:, 0])
    model = gm.KernelRidge(gm.Linear(), ridge=0, solver="dual").fit(X, X[:, 0])
    assert model.solver_.endswith("rank 3")
    np.testing.assert_allclose(model.predict(X), X[:, 0], atol=1e-10)


def test_least_squares_of_strings_and_a_model_file(tmp_path):
    words = ["bar", "bat", "car", "cat", "tar", "rat"]
    model = gm.KernelRidge(gm.Spectrum(2), ridge=0).fit(words, [1.0, 2.0, 1.0, 2.0, 1.0, 2.0])
    gm.save(model, tmp_path / "m.gramian")
    again = gm.load(tmp_path / "m.gramian")
    np.testing.assert_array_equal(again.predict(words), model.predict(words))
    np.testing.assert_array_equal(again.loo_residuals_, model.loo_residuals_)
    np.testing.assert_array_equal(again.hat_matrix(), model.hat_matrix())
