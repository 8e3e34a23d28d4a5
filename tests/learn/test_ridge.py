"""Kernel ridge regression against scikit-learn, dense bordered systems, and refitting object by object."""

import warnings
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import sklearn.kernel_ridge
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score

import gramian as gm
from gramian.factor import solve as solve_module
from gramian.factor import spectrum as spectrum_module
from gramian.learn import ridge as ridge_module

MEMBERS = 26


@dataclass(frozen=True)
class Case:
    """A kernel, and scikit-learn's words for it."""

    name: str
    kernel: gm.Kernel
    params: dict


CASES = [
    Case("linear", gm.Linear(), {"kernel": "linear"}),
    Case("quadratic", gm.Polynomial(2, 1.0), {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0}),
    Case("gaussian", gm.Gaussian(0.2), {"kernel": "rbf", "gamma": 1 / (2 * 0.2**2)}),
    Case("laplacian", gm.Laplacian(0.5), {"kernel": "laplacian", "gamma": 2.0}),
]
KERNELS = {
    "linear": gm.Linear(),
    "quadratic": gm.Polynomial(2, 1.0),
    "smooth": gm.Gaussian(1.5),
    "nearly the identity": gm.Gaussian(0.3),
}
ALL_KERNELS = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)


@cache
def diabetes():
    data = load_diabetes()
    return data.data, (data.target - data.target.mean()) / data.target.std()


@cache
def digits():
    """300 images with entries in [0, 1], and an indicator column for each class."""
    data = load_digits()
    return data.data[:300] / 16, np.equal.outer(data.target[:300], np.arange(10)).astype(float)


@cache
def problem(targets=2):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(MEMBERS, 3))
    Y = np.sin(X[:, [0]]) + X[:, [1]] ** 2 + 3.0 + 0.2 * rng.normal(size=(MEMBERS, targets))
    return X, Y, rng.uniform(0.2, 3.0, size=MEMBERS)


def close(found, expected, tol):
    """Whether arrays agree to `tol` in units of the largest entry."""
    assert np.shape(found) == np.shape(expected)
    assert np.abs(np.asarray(found) - expected).max() <= tol * max(np.abs(expected).max(), 1e-300)


def coordinates(kernel, X):
    """Φ with K = ΦΦᵀ: the features written out, or the root of K where there are none."""
    if kernel in (KERNELS["linear"], KERNELS["quadratic"]):
        return np.asarray(kernel.features(X))
    values, vectors = np.linalg.eigh(kernel(X))
    return vectors * np.sqrt(np.maximum(values, 0.0))


def least_squares(Phi, Y, lam, w, intercept):
    """(β, b) by orthogonal factorization of [√w(Φ 1); √λ(I 0)]: as stable as can be, and no kernel in it."""
    m = Phi.shape[1]
    root = np.sqrt(w)[:, None]
    top = np.hstack([Phi, np.ones((len(Phi), 1))]) * root
    bottom = np.hstack([np.sqrt(lam) * np.eye(m), np.zeros((m, 1))])
    A = np.vstack([top, bottom])[:, : m + intercept]
    Z = np.vstack([root * Y, np.zeros((m, Y.shape[1]))])
    Q, R = np.linalg.qr(A)
    beta = scipy.linalg.solve_triangular(R, Q.T @ Z)
    return beta[:m], beta[m] if intercept else np.zeros(Y.shape[1])


def refitted(Phi, Y, lam, w, intercept):
    """Leave-one-out residuals, one least-squares problem for each object."""
    found = np.empty_like(Y)
    for i in range(len(Y)):
        rest = np.arange(len(Y)) != i
        beta, b = least_squares(Phi[rest], Y[rest], lam, w[rest], intercept)
        found[i] = Y[i] - Phi[i] @ beta - b
    return found


def hat(K, lam, intercept=False):
    """The matrix that turns targets into fitted values, from the bordered system."""
    n = len(K)
    M = np.zeros((n + 1, n + 1))
    M[:n, :n] = K + lam * np.eye(n)
    M[:n, n] = M[n, :n] = 1.0
    size = n + intercept
    inverse = np.linalg.inv(M[:size, :size])
    return np.eye(n) - lam * inverse[:n, :n]


def bordered(K, Y, lam, w):
    """(a, b) with an intercept from the bordered system: (K + λW⁻¹) a + b1 = y, Σa = 0."""
    n = len(K)
    M = np.zeros((n + 1, n + 1))
    M[:n, :n] = K + lam * np.diag(1 / w)
    M[:n, n] = M[n, :n] = 1.0
    found = np.linalg.solve(M, np.vstack([Y, np.zeros((1, Y.shape[1]))]))
    return found[:n], found[n]


# Agreement with scikit-learn


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_predictions_on_diabetes_are_those_of_scikit_learn(case, alpha, weighted):
    X, y = diabetes()
    w = np.random.default_rng(1).uniform(0.1, 3.0, size=300) if weighted else None
    theirs = sklearn.kernel_ridge.KernelRidge(alpha=alpha, **case.params).fit(X[:300], y[:300], sample_weight=w)
    ours = gm.KernelRidge(case.kernel, ridge=alpha).fit(X[:300], y[:300], sample_weight=w)
    close(ours.predict(X[300:]), theirs.predict(X[300:]), 1e-8)
    close(ours.dual_coef_, theirs.dual_coef_, 1e-8)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [0.1, 10.0])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_ten_targets_of_digits_are_predicted_as_by_scikit_learn(case, alpha, weighted):
    X, Y = digits()
    w = np.random.default_rng(2).uniform(0.1, 3.0, size=200) if weighted else None
    theirs = sklearn.kernel_ridge.KernelRidge(alpha=alpha, **case.params).fit(X[:200], Y[:200], sample_weight=w)
    ours = gm.KernelRidge(case.kernel, ridge=alpha).fit(X[:200], Y[:200], sample_weight=w)
    assert ours.dual_coef_.shape == (200, 10)
    close(ours.predict(X[200:]), theirs.predict(X[200:]), 1e-8)


def test_several_targets_are_solved_as_one_after_another():
    X, Y, _ = problem()
    both = gm.KernelRidge(gm.Gaussian(1.0), ridge=0.1, fit_intercept=True).fit(X, Y)
    for k in range(2):
        one = gm.KernelRidge(gm.Gaussian(1.0), ridge=0.1, fit_intercept=True).fit(X, Y[:, k])
        close(one.predict(X), both.predict(X)[:, k], 1e-12)
        assert one.intercept_ == pytest.approx(both.intercept_[k], rel=1e-12)


def test_a_gram_is_fitted_as_the_objects_are():
    X, Y, w = problem()
    kernel = gm.Gaussian(1.0)
    direct = gm.KernelRidge(kernel, ridge=0.1).fit(X, Y, sample_weight=w)
    close(gm.KernelRidge(ridge=0.1).fit(kernel.gram(X), Y, sample_weight=w).predict(X), direct.predict(X), 1e-12)


# Primal and dual


@pytest.mark.parametrize("ridge", [1e-2, 1.0, "loo", [0.1, 1.0, 10.0]], ids=str)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Polynomial(2, 1.0), gm.Polynomial(3, 0.0)], ids=str)
def test_primal_and_dual_give_the_same_answer(kernel, intercept, ridge):
    X, Y, w = problem()
    fits = {
        solver: gm.KernelRidge(kernel, ridge=ridge, fit_intercept=intercept, solver=solver).fit(X, Y, sample_weight=w)
        for solver in ("primal", "dual", "auto")
    }
    fresh = np.random.default_rng(0).normal(size=(10, 3))
    for fit in fits.values():
        assert fit.ridge_ == pytest.approx(fits["dual"].ridge_, rel=1e-9)
        # cond(K + λI) is at most 1e7 here: eight digits remain
        close(fit.predict(fresh), fits["dual"].predict(fresh), 1e-8)
        assert fit.effective_dof_ == pytest.approx(fits["dual"].effective_dof_, rel=1e-8)


def test_auto_takes_the_side_that_is_smaller():
    X, Y, _ = problem()
    assert "primal, 3 features" in gm.KernelRidge(gm.Linear(), ridge=1.0).fit(X, Y).solver_
    assert "primal" not in gm.KernelRidge(gm.Linear(), ridge=1.0).fit(X[:3], Y[:3]).solver_
    assert "primal" not in gm.KernelRidge(gm.Linear(), ridge=1.0, solver="dual").fit(X, Y).solver_
    assert "primal" not in gm.KernelRidge(gm.Polynomial(5, 1.0), ridge=1.0).fit(X, Y).solver_


def test_the_primal_side_of_a_kernel_without_features_is_refused():
    X, Y, _ = problem()
    with pytest.raises(TypeError, match="no explicit feature map"):
        gm.KernelRidge(gm.Gaussian(1.0), ridge=1.0, solver="primal").fit(X, Y)


# The exact minimiser


@pytest.mark.parametrize("lam", [1e-3, 1.0, 1e3])
@ALL_KERNELS
def test_the_intercept_and_the_function_minimise_the_penalised_problem_together(kernel, lam):
    X, Y, w = problem()
    fit = gm.KernelRidge(kernel, ridge=lam, fit_intercept=True).fit(X, Y, sample_weight=w)
    K = kernel(X)
    E = Y - K @ fit.dual_coef_ - fit.intercept_
    scale = np.abs(w[:, None] * Y).sum()
    assert np.abs((w[:, None] * E).sum(axis=0)).max() <= 1e-10 * scale, "derivative by b"
    gradient = K @ (w[:, None] * E - lam * fit.dual_coef_)
    assert np.abs(gradient).max() <= 1e-8 * np.abs(K @ (w[:, None] * Y)).max(), "derivative by a"
    a, b = bordered(K, Y, lam, w)
    close(fit.predict(X), K @ a + b, 1e-8)
    close(fit.intercept_, b, 1e-8)


@ALL_KERNELS
def test_no_step_away_from_the_fit_makes_the_objective_smaller(kernel):
    X, Y, w = problem()
    y, K, lam, rng = Y[:, 0], kernel(X), 0.3, np.random.default_rng(0)
    fit = gm.KernelRidge(kernel, ridge=lam, fit_intercept=True).fit(X, y, sample_weight=w)

    def objective(a, b):
        return w @ (y - K @ a - b) ** 2 + lam * a @ K @ a

    least = objective(fit.dual_coef_, fit.intercept_)
    for size in (1e-1, 1e-3, 1e-5):
        for _ in range(50):
            step = size * rng.normal(size=MEMBERS + 1)
            assert objective(fit.dual_coef_ + step[1:], fit.intercept_ + step[0]) >= least * (1 - 1e-12)


def test_without_an_intercept_there_is_none():
    X, Y, _ = problem()
    assert gm.KernelRidge(ridge=1.0).fit(X, Y[:, 0]).intercept_ == 0.0
    assert (gm.KernelRidge(ridge=1.0).fit(X, Y).intercept_ == 0.0).all()


def test_an_intercept_follows_a_shift_of_the_targets_exactly():
    X, Y, w = problem()
    low = gm.KernelRidge(gm.Gaussian(1.0), ridge=0.1, fit_intercept=True).fit(X, Y, sample_weight=w)
    high = gm.KernelRidge(gm.Gaussian(1.0), ridge=0.1, fit_intercept=True).fit(X, Y + 100.0, sample_weight=w)
    close(high.predict(X), low.predict(X) + 100.0, 1e-12)


# Weights


@pytest.mark.parametrize("intercept", [False, True])
@ALL_KERNELS
def test_a_weight_does_what_repetition_does(kernel, intercept):
    X, Y, _ = problem()
    times = np.arange(MEMBERS) % 4
    repeated = np.repeat(np.arange(MEMBERS), times)
    weighted = gm.KernelRidge(kernel, ridge=0.3, fit_intercept=intercept).fit(X, Y, sample_weight=times)
    copied = gm.KernelRidge(kernel, ridge=0.3, fit_intercept=intercept).fit(X[repeated], Y[repeated])
    close(weighted.predict(X), copied.predict(X), 1e-9)
    close(np.asarray(weighted.intercept_) + 1.0, np.asarray(copied.intercept_) + 1.0, 1e-9)


@pytest.mark.parametrize("ridge", [0.3, "loo", "gcv"])
@pytest.mark.parametrize("intercept", [False, True])
def test_an_object_of_weight_zero_might_as_well_be_absent(intercept, ridge):
    X, Y, w = problem()
    w = np.where(np.arange(MEMBERS) % 5 == 0, 0.0, w)
    present = w > 0
    wild = np.where(present[:, None], Y, 1e6)
    kernel = gm.Gaussian("median")
    with_them = gm.KernelRidge(kernel, ridge=ridge, fit_intercept=intercept).fit(X, wild, sample_weight=w)
    without = gm.KernelRidge(kernel, ridge=ridge, fit_intercept=intercept)
    without.fit(X[present], Y[present], sample_weight=w[present])
    assert with_them.kernel_ == without.kernel_
    assert with_them.ridge_ == pytest.approx(without.ridge_, rel=1e-9)
    close(with_them.predict(X), without.predict(X), 1e-8)
    assert not with_them.dual_coef_[~present].any()
    assert with_them.effective_dof_ == pytest.approx(without.effective_dof_, rel=1e-8)
    assert with_them.loo_error_ == pytest.approx(without.loo_error_, rel=1e-8)
    close(with_them.loo_residuals_[~present], (wild - with_them.predict(X))[~present], 1e-12)


def test_equal_weights_are_the_same_as_a_ridge_divided_by_them():
    X, Y, _ = problem()
    weighted = gm.KernelRidge(gm.Gaussian(1.0), ridge=0.8).fit(X, Y, sample_weight=np.full(MEMBERS, 4.0))
    close(weighted.predict(X), gm.KernelRidge(gm.Gaussian(1.0), ridge=0.2).fit(X, Y).predict(X), 1e-12)


# Leave-one-out


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of α at λ = 1e-9, not of the residuals
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("lam", [1e-9, 1e-5, 1e-2, 1.0, 1e5])
@ALL_KERNELS
def test_leave_one_out_residuals_are_those_of_refitting(kernel, lam, intercept, weighted):
    # Refitting is as stable as can be, and the residuals themselves are well conditioned wherever K is of full rank
    # with room to spare, or Φ has full column rank. A smooth K has eigenvalues of all sizes: not below λ = 1e-5 there.
    lam = max(lam, 1e-5) if kernel == KERNELS["smooth"] else lam
    X, Y, w = problem()
    w = w if weighted else np.ones(MEMBERS)
    fit = gm.KernelRidge(kernel, ridge=lam, fit_intercept=intercept).fit(X, Y, sample_weight=w if weighted else None)
    close(fit.loo_residuals_, refitted(coordinates(kernel, X), Y, lam, w, intercept), 1e-8)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(3, 12),
    d=st.integers(1, 4),
    lam=st.sampled_from([1e-3, 0.1, 1.0, 100.0]),
    intercept=st.booleans(),
)
def test_leave_one_out_equals_refitting_on_any_small_sample(seed, n, d, lam, intercept):
    rng = np.random.default_rng(seed)
    X, Y, w = rng.normal(size=(n, d)), rng.normal(size=(n, 1)), rng.uniform(0.1, 2.0, size=n)
    for kernel in (gm.Linear(), gm.Gaussian(1.5)):
        fit = gm.KernelRidge(kernel, ridge=lam, fit_intercept=intercept).fit(X, Y, sample_weight=w)
        close(fit.loo_residuals_, refitted(coordinates(kernel, X), Y, lam, w, intercept), 1e-8)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 8])
def test_the_direction_of_the_intercept_is_counted_once_however_few_the_objects(n):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y, w = rng.normal(size=(n, 3)), rng.normal(size=n), rng.uniform(0.1, 2.0, size=n)
        fit = gm.KernelRidge(gm.Gaussian(0.5), ridge=1e-3, fit_intercept=True).fit(X, y, sample_weight=w)
        A = gm.Gaussian(0.5)(X) + 1e-3 * np.diag(1 / w)
        inverse = np.linalg.inv(np.block([[A, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]]))
        assert fit.effective_dof_ == pytest.approx((1 - 1e-3 / w * np.diag(inverse)[:n]).sum(), rel=1e-8)
        assert len(fit.shrinkage_) == n - 1


def test_the_leave_one_out_error_is_the_weighted_mean_square_over_objects_and_targets():
    X, Y, w = problem()
    fit = gm.KernelRidge(gm.Gaussian(1.0), ridge=0.2).fit(X, Y, sample_weight=w)
    residuals = refitted(coordinates(gm.Gaussian(1.0), X), Y, 0.2, w, False)
    assert fit.loo_error_ == pytest.approx((w @ residuals**2).sum() / w.sum() / 2, rel=1e-8)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Gaussian(1.0)], ids=str)
def test_loo_takes_the_ridge_that_refitting_finds_best_on_the_same_grid(kernel, intercept, weighted):
    X, Y, w = problem()
    w = w if weighted else np.ones(MEMBERS)
    grid = np.geomspace(1e-3, 1e3, 25)
    fit = gm.KernelRidge(kernel, ridge=grid[::-1].tolist(), fit_intercept=intercept).fit(X, Y, sample_weight=w)
    Phi = coordinates(kernel, X)
    errors = [(w @ refitted(Phi, Y, lam, w, intercept) ** 2).sum() / w.sum() / 2 for lam in grid]
    np.testing.assert_allclose(fit.path_.loo, errors, rtol=1e-7)
    assert fit.ridge_ == grid[int(np.argmin(errors))]


@pytest.mark.parametrize("kind", [tuple, list, np.array])
def test_a_grid_may_be_any_sequence(kind):
    X, Y, _ = problem()
    fit = gm.KernelRidge(gm.Gaussian(1.0), ridge=kind([10.0, 0.1, 1.0])).fit(X, Y)
    np.testing.assert_array_equal(fit.path_.ridges, [0.1, 1.0, 10.0])


def test_loo_of_the_default_grid_is_the_smallest_of_its_path():
    X, y = diabetes()
    fit = gm.KernelRidge(gm.Gaussian(0.3), ridge="loo").fit(X[:150], y[:150])
    assert fit.loo_error_ == pytest.approx(fit.path_.loo.min(), rel=1e-8)
    assert fit.ridge_ == fit.path_.ridges[np.argmin(fit.path_.loo)]
    largest = np.linalg.eigvalsh(gm.Gaussian(0.3)(X[:150]))[-1]
    assert fit.path_.ridges[0] < 1e-6 * largest
    assert fit.path_.ridges[-1] > largest


# The path, degrees of freedom, generalized cross-validation


@pytest.mark.parametrize("smoother", ["shrinkage", "projection"])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Polynomial(2, 1.0), gm.Gaussian(1.0)], ids=str)
def test_the_path_is_what_each_ridge_gives_alone(kernel, intercept, smoother):
    X, Y, w = problem()
    grid = [0.01, 0.3, 2.0, 50.0]
    common = {"fit_intercept": intercept, "smoother": smoother}
    path = gm.KernelRidge(kernel, ridge=grid, **common).fit(X, Y, sample_weight=w).path_
    np.testing.assert_array_equal(path.ridges, grid)
    for k, lam in enumerate(grid):
        alone = gm.KernelRidge(kernel, ridge=lam, **common).fit(X, Y, sample_weight=w)
        assert path.loo[k] == pytest.approx(alone.loo_error_, rel=1e-8)
        assert path.dof[k] == pytest.approx(alone.effective_dof_, rel=1e-8)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("lam", [1e-2, 1.0, 100.0])
@ALL_KERNELS
def test_effective_dof_is_the_trace_of_the_hat_matrix(kernel, lam, intercept):
    X, Y, _ = problem()
    H = hat(kernel(X), lam, intercept)
    fit = gm.KernelRidge(kernel, ridge=lam, fit_intercept=intercept).fit(X, Y)
    assert fit.effective_dof_ == pytest.approx(np.trace(H), rel=1e-8)
    close(fit.predict(X), H @ Y, 1e-8)


@pytest.mark.parametrize("dense", [3000, 100])
@pytest.mark.parametrize("seed", range(6))
def test_single_precision_costs_degrees_of_freedom_and_errors_no_digits(seed, dense, monkeypatch):
    """Vectors in single precision are exact numbers: only the targets' own digits are lost, down to the least ridge.

    Beyond `dense` objects K is factored, up to there it is decomposed. Eigenvalues below the rounding of single
    precision were left out there, a tenth of the degrees of freedom.
    """
    for module in (ridge_module, spectrum_module, solve_module):
        monkeypatch.setattr(module, "DENSE", dense)
    rng = np.random.default_rng(seed)
    n = int(rng.integers(150, 400))
    X = rng.standard_normal((n, 3)).astype(np.float32)
    y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(n)
    kernel = [gm.Gaussian(1.5), gm.Polynomial(5), gm.Matern(2.0)][seed % 3]
    scale = float(kernel.gram(X).diag().max())
    for share in (64 * n**0.5, 16 * n**0.5, 1e5):  # the first is the least ridge that is looked at by "loo"
        lam = share * float(np.finfo(np.float32).eps) * scale
        fits = [gm.KernelRidge(kernel, ridge=lam).fit(some, y) for some in (X, X.astype(np.float64))]
        values = np.linalg.eigvalsh(kernel(X.astype(np.float64)))
        rounding = 16 * n * np.finfo(np.float64).eps * values[-1] / lam  # of each eigenvalue, beside the ridge
        assert fits[0].effective_dof_ == pytest.approx(float((values / (values + lam)).sum()), abs=n * rounding)
        close(fits[0].loo_residuals_, fits[1].loo_residuals_, 1e-9 + n * rounding)
    path, exact = (gm.KernelRidge(kernel).fit(some, y).path_ for some in (X, X.astype(np.float64)))
    dof = np.interp(np.log(path.ridges), np.log(exact.ridges), exact.dof)
    if dense == 3000:  # beyond, the path is looked at in low rank
        assert path.dof == pytest.approx(dof, rel=0.02)


def test_the_hat_matrix_of_single_precision_is_that_of_double():
    X, Y, _ = problem()
    X = X.astype(np.float32)
    for lam in (1e-3, 1e-2, 1.0):
        single, double = (gm.KernelRidge(gm.Gaussian(0.5), ridge=lam).fit(some, Y) for some in (X, X.astype(float)))
        close(single.hat_matrix(), double.hat_matrix(), 1e-9)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("lam", [1e-2, 1.0, 100.0])
@ALL_KERNELS
def test_shrinkage_scales_each_eigenvalue_by_its_share(kernel, lam, intercept):
    X, Y, _ = problem()
    K = kernel(X)
    if intercept:
        K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    values = np.linalg.eigvalsh(K)[::-1]
    found = gm.KernelRidge(kernel, ridge=lam, fit_intercept=intercept).fit(X, Y).shrinkage_
    rank = int((values > 1e-12 * values[0]).sum())
    np.testing.assert_allclose(found[:rank], (values / (values + lam))[:rank], rtol=1e-9)
    assert found[rank:].sum() <= 1e-10


def test_gcv_is_the_mean_square_over_the_squared_mean_room():
    X, Y, _ = problem()
    for kernel in KERNELS.values():
        for intercept in (False, True):
            fit = gm.KernelRidge(kernel, ridge=list(np.geomspace(0.01, 100, 9)), fit_intercept=intercept)
            fit.fit(X, Y)
            for lam, gcv in zip(fit.path_.ridges, fit.path_.gcv, strict=True):
                H = hat(kernel(X), lam, intercept)
                expected = np.square(Y - H @ Y).mean() / (1 - np.trace(H) / MEMBERS) ** 2
                assert gcv == pytest.approx(expected, rel=1e-7)


def test_gcv_stays_right_where_the_smoother_nearly_interpolates():
    # Far apart, K = I: residuals λ/(1+λ) y and room λ/(1+λ), so that GCV is the mean of y² at every λ
    X, y = 100.0 * np.arange(12.0)[:, None], np.random.default_rng(0).normal(size=12)
    path = gm.KernelRidge(gm.Gaussian(1.0), ridge=[1e-10, 1e-5, 1.0]).fit(X, y).path_
    np.testing.assert_allclose(path.gcv, np.mean(y**2), rtol=1e-8)
    np.testing.assert_allclose(path.loo, np.mean(y**2), rtol=1e-8)


def test_gcv_takes_the_smallest_of_its_own_column():
    X, y = diabetes()
    fit = gm.KernelRidge(gm.Gaussian(0.3), ridge="gcv").fit(X[:120], y[:120])
    K = gm.Gaussian(0.3)(X[:120])
    errors = []
    for lam in fit.path_.ridges:
        H = hat(K, lam)
        errors.append(np.square(y[:120] - H @ y[:120]).mean() / (1 - np.trace(H) / 120) ** 2)
    assert fit.ridge_ == fit.path_.ridges[int(np.argmin(errors))]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of α at λ = 1e-8
@pytest.mark.parametrize(("n", "d", "rank"), [(40, 6, 6), (40, 6, 4), (5, 8, 5), (5, 8, 3)])
def test_degrees_of_freedom_tend_to_the_rank_and_to_the_number_of_columns_only_if_that_is_full(n, d, rank):
    """ERRATA 26."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d))
    dof = [gm.KernelRidge(gm.Linear(), ridge=[lam]).fit(X, X[:, 0]).effective_dof_ for lam in (1e2, 1.0, 1e-8)]
    assert dof[0] < dof[1] < dof[2]
    assert dof[2] == pytest.approx(rank, abs=1e-6)


def test_the_whole_path_costs_one_decomposition_and_no_linear_system(monkeypatch):
    X, Y, w = problem()
    calls = []
    names = ("eigh", "eigvalsh", "svd", "cho_factor", "cholesky", "solve", "inv", "qr")
    for module, name in product((np.linalg, scipy.linalg), names):
        if (real := getattr(module, name, None)) is not None:
            monkeypatch.setattr(
                module, name, lambda *args, _name=name, _real=real, **kw: calls.append(_name) or _real(*args, **kw)
            )
    assert spectrum_module.scipy.linalg.svd is scipy.linalg.svd
    for kernel, expected in ((gm.Gaussian(1.0), ["eigh"]), (gm.Linear(), ["svd"])):
        calls.clear()
        grid = np.geomspace(1e-4, 1e4, 100).tolist()
        fit = gm.KernelRidge(kernel, ridge=grid, fit_intercept=True).fit(X, Y, sample_weight=w)
        assert len(fit.path_.loo) == 100
        assert np.isfinite([fit.loo_error_, fit.effective_dof_]).all()
        assert calls == expected


# Projections


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("lam", [0.5, 2.0, 5.0])
def test_a_projection_uses_the_directions_above_the_ridge_fully_and_no_other(lam, intercept):
    X, Y, _ = problem()
    K = gm.Gaussian(1.5)(X)
    centre = np.eye(MEMBERS) - intercept / MEMBERS
    values, U = np.linalg.eigh(centre @ K @ centre)
    assert np.abs(values - lam).min() > 1e-6, "no eigenvalue on the threshold itself"
    used = U[:, values >= lam]
    H = used @ used.T + intercept / MEMBERS
    fit = gm.KernelRidge(gm.Gaussian(1.5), ridge=lam, smoother="projection", fit_intercept=intercept).fit(X, Y)
    close(fit.predict(X), H @ Y, 1e-9)
    close(H @ H, H, 1e-12)
    assert fit.effective_dof_ == pytest.approx(used.shape[1] + intercept, abs=1e-9)
    assert fit.shrinkage_.sum() == used.shape[1]
    close(fit.loo_residuals_, (Y - H @ Y) / (1 - np.diag(H))[:, None], 1e-8)


def test_a_projection_on_the_threshold_counts_the_direction_in():
    K = np.diag([4.0, 2.0, 1.0])
    fit = gm.KernelRidge(gm.Precomputed(K), ridge=2.0, smoother="projection").fit(range(3), [1.0, 1.0, 2.0])
    np.testing.assert_allclose(fit.predict(range(3)), [1.0, 1.0, 0.0], atol=1e-14)
    assert fit.effective_dof_ == 2


@pytest.mark.parametrize("seed", range(20))
def test_rounding_does_not_move_a_direction_on_the_threshold(seed):
    """The eigenvalue is the ridge but for the rounding errors of a rotation, whatever their sign."""
    Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(6, 6)))
    K = (Q * [5.0, 3.0, 2.0, 1.0, 0.5, 0.1]) @ Q.T
    fit = gm.KernelRidge(gm.Precomputed((K + K.T) / 2), ridge=2.0, smoother="projection").fit(range(6), Q[:, 2])
    assert fit.effective_dof_ == pytest.approx(3.0)
    np.testing.assert_allclose(fit.predict(range(6)), Q[:, 2], rtol=0, atol=1e-13)


# Beyond the size of dense decompositions


LARGE = 3050


@pytest.fixture(scope="module")
def large():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(LARGE, 5))
    Y = np.column_stack([np.sin(X[:, 0]) + 0.1 * rng.normal(size=LARGE), 2.0 + X[:, 1] ** 2])
    w = rng.uniform(0.5, 2.0, size=LARGE)
    fit = gm.KernelRidge(gm.Gaussian(2.0), ridge=0.1, fit_intercept=True).fit(X, Y, sample_weight=w)
    M = np.zeros((LARGE + 1, LARGE + 1))
    M[:-1, :-1] = gm.Gaussian(2.0)(X) + 0.1 * np.diag(1 / w)
    M[:-1, -1] = M[-1, :-1] = 1.0
    return fit, Y, w, np.linalg.inv(M)


def test_conjugate_gradients_beyond_3000_objects_agree_with_a_dense_solve(large):
    fit, Y, _, inverse = large
    assert fit.solver_.startswith("conjugate gradients")
    assert fit.residual_ <= 1e-8
    # Residual 1e-10 of a system with condition number 1e4
    close(fit.dual_coef_, inverse[:-1, :-1] @ Y, 1e-7)
    close(fit.intercept_, inverse[-1, :-1] @ Y, 1e-7)


def test_leave_one_out_beyond_3000_objects_agrees_with_a_dense_inverse(large):
    fit, Y, w, inverse = large
    diagonal = np.diag(inverse)[:-1]
    close(fit.loo_residuals_, (inverse[:-1, :-1] @ Y) / diagonal[:, None], 1e-8)
    assert fit.effective_dof_ == pytest.approx((1 - 0.1 * diagonal / w).sum(), rel=1e-8)


@pytest.fixture
def small_limits(monkeypatch):
    """Let 60 objects be many: dense decompositions up to 40 objects, low-rank ones up to rank 20."""
    for module in (solve_module, spectrum_module, ridge_module):
        monkeypatch.setattr(module, "DENSE", 40)
    monkeypatch.setattr(spectrum_module, "LARGEST_RANK", 20)


def many():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    return X, np.sin(X[:, 0]) + 0.3 * rng.normal(size=60)


def test_the_ridge_chosen_on_a_low_rank_approximation_is_used_exactly(small_limits):
    X, y = many()
    fit = gm.KernelRidge(gm.Gaussian(0.8), ridge=[0.1, 1.0]).fit(X, y)
    K = gm.Gaussian(0.8)(X)
    close(fit.predict(X), K @ np.linalg.solve(K + fit.ridge_ * np.eye(60), y), 1e-8)
    inverse = np.linalg.inv(K + fit.ridge_ * np.eye(60))
    close(fit.loo_residuals_, inverse @ y / np.diag(inverse), 1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_a_firm_ridge_needs_no_decomposition_for_leave_one_out_and_a_weak_one_has_it(seed, monkeypatch):
    rng, (X, y) = np.random.default_rng(seed), many()
    weights, decomposed = rng.uniform(0.5, 2, 60), []
    whole = ridge_module.spectrum
    monkeypatch.setattr(ridge_module, "spectrum", lambda *args: (decomposed.append(1), whole(*args))[1])
    for ridge in (10 ** rng.uniform(-4, 1), 1e-13):
        found, counted = [], []
        for least in (40, 60):
            monkeypatch.setattr(ridge_module, "compares_exactly", lambda n, least=least: n <= least)
            fit = gm.KernelRidge(gm.Gaussian(0.8), ridge=ridge, fit_intercept=seed % 2 == 0)
            decomposed.clear()
            fit.fit(X, y, sample_weight=weights if seed % 3 else None)
            found.append((fit.loo_residuals_, fit.effective_dof_))
            counted.append(len(decomposed))
        assert counted == ([0, 1] if ridge > 1e-5 else [1, 1])
        rounding = 64 * 60 * 60 * np.finfo(float).eps / ridge if ridge > 1e-5 else 1e-12
        close(found[0][0], found[1][0], rounding)
        assert found[0][1] == pytest.approx(found[1][1], rel=rounding)


def outcome(action):
    """What an action gives, or None where it says aloud, by an error or a warning, that it cannot."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return action()
        except (ValueError, UserWarning):
            return None


def test_a_projection_of_many_objects_is_exact_or_says_that_it_is_not(small_limits):
    X, y = many()
    values, U = np.linalg.eigh(gm.Gaussian(0.8)(X))
    used = U[:, values >= 0.1]
    model = gm.KernelRidge(gm.Gaussian(0.8), ridge=0.1, smoother="projection")
    found = outcome(lambda: model.fit(X, y).predict(X))
    if found is not None:
        close(found, used @ (used.T @ y), 1e-6)


def test_leave_one_out_without_room_to_hold_k_is_exact_or_says_that_it_is_not(small_limits, monkeypatch):
    monkeypatch.setattr("gramian.places.cores.entries.HOLD", 0)
    X, y = many()
    inverse = np.linalg.inv(gm.Gaussian(0.8)(X) + 0.1 * np.eye(60))
    fit = gm.KernelRidge(gm.Gaussian(0.8), ridge=0.1).fit(X, y)
    found = outcome(lambda: fit.loo_residuals_)
    if found is not None:
        close(found, inverse @ y / np.diag(inverse), 1e-6)


def test_shrinkage_of_many_objects_has_every_direction_or_says_that_it_has_not(small_limits):
    X, y = many()
    values = np.linalg.eigvalsh(gm.Gaussian(0.8)(X))[::-1]
    fit = gm.KernelRidge(gm.Gaussian(0.8), ridge=0.1).fit(X, y)
    found = outcome(lambda: fit.shrinkage_)
    if found is not None:
        close(found, values / (values + 0.1), 1e-6)


# Hard problems


def hard():
    rng = np.random.default_rng(4)
    line = rng.uniform(-1, 1, size=(60, 1))
    columns = rng.normal(size=(60, 3))
    twice = np.repeat(rng.normal(size=(30, 2)), 2, axis=0)
    return {
        "smooth kernel": (gm.Gaussian(0.5), line),
        "duplicate points": (gm.Gaussian(1.0), twice),
        "duplicate columns": (gm.Linear(), np.hstack([columns, columns])),
    }


@pytest.mark.parametrize("as_grid", [False, True], ids=["number", "grid"])
@pytest.mark.parametrize("lam", [1e-6, 1e-9, 1e-11, 1e-13, 1e-15, 1e-18])
@pytest.mark.parametrize("name", hard())
def test_a_tiny_ridge_is_solved_or_complained_of_and_never_silently_wrong(name, lam, as_grid):
    kernel, X = hard()[name]
    y = np.sin(3 * X[:, 0]) + 0.1 * np.random.default_rng(5).normal(size=len(X))
    model = gm.KernelRidge(kernel, ridge=[lam] if as_grid else lam)
    complaint = ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(X, y)
        except ValueError as error:
            complaint = str(error)
    if complaint:
        assert "ridge" in complaint, f"it does not say what to do: {complaint}"
        return
    a = model.dual_coef_
    residual = np.linalg.norm(kernel(X) @ a + lam * a - y) / np.linalg.norm(y)
    if residual > 1e-5:
        assert any(issubclass(w.category, ConvergenceWarning) for w in caught), f"silent residual of {residual:.0e}"
    # What is reported may differ by the rounding of another way to compute K a, not by an order of magnitude
    assert model.residual_ == pytest.approx(residual, rel=10, abs=1e-8)


@pytest.mark.parametrize("ridge", ["loo", [0.1], 0.1], ids=str)
def test_an_indefinite_matrix_is_refused_or_solved_but_not_replaced(ridge):
    rng = np.random.default_rng(1)
    A = rng.uniform(-0.9, 0.9, size=(30, 30))
    A = (A + A.T) / 2
    np.fill_diagonal(A, 1.0)
    y = rng.normal(size=30)
    model = gm.KernelRidge(gm.Precomputed(A), ridge=ridge)
    complaint = ""
    try:
        model.fit(range(30), y)
    except (ValueError, UserWarning) as error:
        complaint = str(error)
    if complaint:
        assert "positive" in complaint or "residual" in complaint
        return
    a = model.dual_coef_
    assert np.linalg.norm(A @ a + model.ridge_ * a - y) <= 1e-6 * np.linalg.norm(y)


@pytest.mark.parametrize("ridge", [0.5, "loo"])
@pytest.mark.parametrize("intercept", [False, True])
def test_single_precision_gives_the_answer_of_double_precision_to_its_own_accuracy(intercept, ridge):
    X, Y, w = problem()
    X32 = X.astype(np.float32)
    for kernel in (gm.Linear(), gm.Gaussian(1.0)):
        single = gm.KernelRidge(kernel, ridge=ridge, fit_intercept=intercept).fit(X32, Y, sample_weight=w)
        double = gm.KernelRidge(kernel, ridge=single.ridge_, fit_intercept=intercept)
        double.fit(X32.astype(float), Y, sample_weight=w)
        # ε of single precision times ‖K‖/λ, which is below 1e3 here
        close(single.predict(X32), double.predict(X), 1e-4)
        assert single.loo_error_ == pytest.approx(double.loo_error_, rel=1e-3)


@pytest.mark.parametrize("ridge", [0.5, "loo", "gcv"])
@pytest.mark.parametrize("intercept", [False, True])
def test_a_kernel_that_is_zero_predicts_the_intercept(intercept, ridge):
    y = np.array([1.0, 2.0, 6.0])
    fit = gm.KernelRidge(gm.Linear(), ridge=ridge, fit_intercept=intercept).fit(np.zeros((3, 2)), y)
    np.testing.assert_allclose(fit.predict(np.ones((2, 2))), 3.0 * intercept, atol=1e-14)
    expected = y - (y.sum() - y) / 2 if intercept else y
    np.testing.assert_allclose(fit.loo_residuals_, expected, rtol=1e-12)


@pytest.mark.parametrize("ridge", ["loo", "gcv", [0.1, 1.0]], ids=str)
def test_two_objects_far_from_the_origin_can_be_learnt_from(ridge):
    X, y = np.array([[100.0], [101.0]]), np.array([1.0, 2.0])
    model = gm.KernelRidge(gm.Linear() + 1, ridge=ridge, fit_intercept=True).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def test_features_that_are_not_spelled_out_are_no_primal_side():
    words = ["abcdef", "ghijkl", "mnopqr", "stuvwx"]  # more symbols than it pays to spell out
    with pytest.raises(TypeError, match="solver='dual'"):
        gm.KernelRidge(gm.Subsequences(2), 0.1, solver="primal").fit(words, [0.0, 1.0, 2.0, 3.0])


@pytest.mark.parametrize("seed", range(24))
def test_scores_and_errors_of_targets_of_any_size_are_those_of_the_same_targets_in_another_unit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 2))
    y = X @ rng.normal(size=2) + 0.3 * rng.normal(size=30)
    power = int(rng.integers(520, 1000) if seed % 2 else -rng.integers(520, 950))
    scale = 2.0**power
    settings: dict[str, Any] = [{}, {"ridge": 0.3}, {"ridge": "gcv"}, {"rank": 4}, {"ridge": 0.1, "rank": 4}][seed % 5]
    usual, scaled = (gm.KernelRidge(gm.Gaussian(1.5), **settings).fit(X, targets) for targets in (y, y * scale))
    assert scaled.score(X, y * scale) == pytest.approx(usual.score(X, y), rel=1e-9)
    assert scaled.ridge_ == pytest.approx(usual.ridge_, rel=1e-9)
    with pytest.warns(UserWarning, match="beyond floating point") as said:
        assert scaled.loo_error_ == (np.inf if power > 0 else 0.0)
    root = float(str(said[0].message).split("its root is ")[1].split(":")[0])
    assert root / scale == pytest.approx(usual.loo_error_**0.5, rel=1e-3)


@pytest.mark.parametrize("y", [None, [10**400] * 12, ["a"] * 12, [np.nan] * 12, [[1], [1, 2]]])
def test_targets_that_are_none_are_not_scored(y: Any) -> None:
    X = np.random.default_rng(0).normal(size=(12, 2))
    model = gm.KernelRidge(gm.Gaussian(1.0), ridge=0.1).fit(X, X[:, 0])
    with pytest.raises((TypeError, ValueError)):
        model.score(X, y)


def test_the_score_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(40, 2)), rng.uniform(size=40)
    for y in (X[:, 0], np.stack([X[:, 1], X[:, 0] ** 2], axis=1), X[:, 0].astype(np.float32)):
        model = gm.KernelRidge(gm.Gaussian(1.0), ridge=0.5).fit(X, y)
        assert model.score(X, y, w) == pytest.approx(r2_score(y, model.predict(X), sample_weight=w), rel=1e-12)
        assert model.score(X, y.tolist()) == pytest.approx(r2_score(y, model.predict(X)), rel=1e-6)


@pytest.mark.parametrize("ridge", ["loo", "gcv", 1e-6])
@pytest.mark.parametrize("offset", [0.0, 1e2, 1e3])
@pytest.mark.parametrize("n", [2, 3, 6])
def test_points_close_together_and_far_from_zero_are_learnt_about_their_mean(n, offset, ridge):
    """The intercept takes the offset away; K has it, and entries beside which those of the centred K are tiny."""
    rng = np.random.default_rng(n)
    Z = 5e-4 * rng.normal(size=(n, 1))
    y = 600 * Z[:, 0] + 0.1 * rng.normal(size=n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = gm.KernelRidge(gm.Linear() + 1, ridge=ridge, fit_intercept=True).fit(Z + offset, y)
        predicted = model.predict(Z + offset)
    z = Z[:, 0] - Z.mean()
    wanted = y.mean() + z * (z @ (y - y.mean())) / (z @ z + model.ridge_)
    noise = np.finfo(float).eps * n * (1 + offset**2) / (z @ z)  # of the entries of K, beside the variance
    np.testing.assert_allclose(predicted, wanted, rtol=0, atol=64 * (noise + 1e-12) * np.abs(y).max())
