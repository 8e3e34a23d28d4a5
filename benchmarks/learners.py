"""The learners' claims: fits against scikit-learn's, at n = 10,000, in one run."""

import numpy as np
from measure import best, duel, must
from record import Claim

import gramian as gm

N, D = 10_000, 50


def table(n: int = N) -> tuple[np.ndarray, np.ndarray]:
    """Features of falling variance, as standardized and rotated real data has, and a smooth target with noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, D)) / np.sqrt(1 + np.arange(D))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.standard_normal(n)


def residual(kernel: gm.Kernel, X: np.ndarray, a: np.ndarray, ridge: float, y: np.ndarray) -> float:
    return float(np.linalg.norm(kernel.gram(X) @ a + ridge * a - y) / np.linalg.norm(y))


def ridge_fit() -> Claim:
    from sklearn.kernel_ridge import KernelRidge

    X, y = table()
    kernel = gm.Gaussian("median").fit(X)
    model = gm.KernelRidge(kernel, ridge=1.0)
    peer = KernelRidge(kernel="rbf", gamma=1 / (2 * kernel.bandwidth**2), alpha=1.0)
    ours, theirs = duel(lambda: model.fit(X, y), lambda: peer.fit(X, y), repeats=2)
    left = residual(kernel, X, model.dual_coef_, 1.0, y)
    gap = float(np.abs(model.dual_coef_ - peer.dual_coef_).max() / np.abs(peer.dual_coef_).max())
    return Claim(
        f"KernelRidge.fit, n = {N:,}, d = {D}, ridge 1",
        "scikit-learn KernelRidge",
        ours,
        theirs,
        "≥ 4 × faster, residual ≤ 1e-8",
        theirs / ours >= 4 and left <= 1e-8,
        f"residual {left:.0e}; the two agree to {gap:.0e}; {model.solver_}",
        must("table_ridge", N)["peak"],
        must("table_ridge_sklearn", N)["peak"],
    )


def pca_fit() -> Claim:
    from sklearn.decomposition import KernelPCA

    X, _ = table()
    kernel = gm.Gaussian("median").fit(X)
    model = gm.KernelPCA(10, kernel)
    peer = KernelPCA(10, kernel="rbf", gamma=1 / (2 * kernel.bandwidth**2), eigen_solver="randomized", random_state=0)
    ours, theirs = duel(lambda: model.fit(X), lambda: peer.fit(X), repeats=3)
    centered = kernel.gram(X).center()

    def error(values: np.ndarray, vectors: np.ndarray) -> float:
        return float((np.linalg.norm(centered @ vectors - vectors * values, axis=0) / values[0]).max())

    own = error(model.eigenvalues_, model.dual_coef_ * np.sqrt(model.eigenvalues_))
    other = error(peer.eigenvalues_, peer.eigenvectors_)
    return Claim(
        f"KernelPCA(10).fit, n = {N:,}, d = {D}",
        'scikit-learn KernelPCA, eigen_solver="randomized"',
        ours,
        theirs,
        "≥ 4 × faster, at least as accurate",
        theirs / ours >= 4 and own <= other,
        f"largest residual ‖K̂v − λv‖ / λ₁: {own:.0e} against {other:.0e}",
        must("table_pca", N)["peak"],
        must("table_pca_sklearn", N)["peak"],
    )


def fisher_fit() -> Claim:
    X, y = table()
    labels = y > np.median(y)
    kernel = gm.Gaussian("median").fit(X)
    # λ of J is a variance; 2/n makes it the ridge 1 of the linear system that KernelRidge solves
    fisher, ridge = gm.FisherDiscriminant(kernel, ridge=2 / N), gm.KernelRidge(kernel, ridge=1.0)
    ours, theirs = duel(lambda: fisher.fit(X, labels), lambda: ridge.fit(X, np.where(labels, 1.0, -1.0)), repeats=5)
    return Claim(
        f"FisherDiscriminant.fit, n = {N:,}, d = {D}, as much regularised",
        "gm.KernelRidge.fit",
        ours,
        theirs,
        "no slower (within 10 %)",
        ours <= 1.1 * theirs,
        fisher.solver_,
        must("table_fisher", N)["peak"],
        must("table_ridge", N)["peak"],
    )


def leave_one_out_path() -> Claim:
    X, y = table()
    X, y = X[:2000], y[:2000]
    kernel = gm.Gaussian("median").fit(X)
    grid = np.geomspace(1e-4, 1e2, 100)
    ours, theirs = duel(
        lambda: gm.KernelRidge(kernel, ridge=grid).fit(X, y),
        lambda: gm.KernelRidge(kernel, ridge=grid[:1]).fit(X, y),
        repeats=3,
    )
    single = best(lambda: gm.KernelRidge(kernel, ridge=1.0).fit(X, y), 3)
    return Claim(
        "KernelRidge with leave-one-out at 100 ridges, n = 2,000",
        "the same with 1 ridge",
        ours,
        theirs,
        "≤ 1.5 × its time",
        ours <= 1.5 * theirs,
        f"a fit with a given ridge, without leave-one-out, takes {single:.2g} s",
    )


LEARNERS = {"ridge": ridge_fit, "pca": pca_fit, "fisher": fisher_fit, "loo": leave_one_out_path}
