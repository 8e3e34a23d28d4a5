"""The same jobs as in jobs.py, done by other libraries."""

import warnings

import numpy as np
from jobs import (
    bandwidth,
    cloud,
    csv_file,
    dna,
    judged,
    motifs,
    recovered,
    system,
    task_of,
    test_error,
    unseen,
    wave,
    waves,
)


def rbf_gram(n: int, dtype: str):
    from sklearn.metrics.pairwise import rbf_kernel

    X = cloud(n, 50, np.dtype(dtype).type)
    return lambda: rbf_kernel(X, gamma=1 / 50)


def keops_kernel(X: np.ndarray, sigma: float):
    import pykeops

    pykeops.set_verbose(False)
    from pykeops.numpy import LazyTensor

    Y = np.ascontiguousarray(X / X.dtype.type(sigma))
    difference = LazyTensor(Y[:, None, :]) - LazyTensor(Y[None, :, :])
    return (-(difference**2).sum(-1) / 2).exp()


def keops_product(n: int, dtype: str = "float32"):
    X = cloud(n, 10, np.dtype(dtype).type)
    v = np.ones((n, 1), X.dtype)
    return lambda: keops_kernel(X, 3.0) @ v


def nystroem(n: int, rank: str):
    from sklearn.kernel_approximation import Nystroem

    X = cloud(n, 20, np.float64)
    gamma = 1 / (2 * bandwidth(X) ** 2)
    return lambda: Nystroem(n_components=min(int(rank), n), gamma=gamma, random_state=0).fit_transform(X)


# (K + λI) a = y


def ridge_sklearn(n: int, ridge: str):
    from sklearn.kernel_ridge import KernelRidge

    X, y, sigma = system(n)
    model = KernelRidge(kernel="rbf", gamma=1 / (2 * sigma**2), alpha=float(ridge))
    return lambda: model.fit(X, y).dual_coef_, judged(X, y, sigma, float(ridge))


def ridge_himalaya(n: int, ridge: str):
    from himalaya.kernel_ridge import KernelRidge

    X, y, sigma = system(n)
    model = KernelRidge(alpha=float(ridge), kernel="rbf", kernel_params={"gamma": 1 / (2 * sigma**2)})
    return lambda: model.fit(X, y).dual_coef_, judged(X, y, sigma, float(ridge))


def ridge_gpytorch(n: int, ridge: str, preconditioner: str = "15"):
    """The mean of a Gaussian process, by conjugate gradients: its lengthscale and noise are given, not trained."""
    import gpytorch
    import torch

    X, y, sigma = system(n)
    points, targets = torch.as_tensor(X), torch.as_tensor(y)

    class Process(gpytorch.models.ExactGP):
        def __init__(self) -> None:
            super().__init__(points, targets, gpytorch.likelihoods.GaussianLikelihood())
            self.mean_module = gpytorch.means.ZeroMean()
            self.covar_module = gpytorch.kernels.RBFKernel()
            self.double()
            self.covar_module.lengthscale = sigma
            self.likelihood.noise = float(ridge)
            self.eval()

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    def run():
        settings = gpytorch.settings
        with (
            torch.no_grad(),
            warnings.catch_warnings(),
            settings.max_cholesky_size(1),
            settings.eval_cg_tolerance(1e-6),
            settings.max_cg_iterations(20_000),
            settings.max_preconditioner_size(int(preconditioner)),
            settings.skip_posterior_variances(True),
        ):
            warnings.simplefilter("ignore")
            process = Process()
            process(points[:1]).mean  # noqa: B018  computes and keeps the coefficients
            return process.prediction_strategy.mean_cache.numpy()

    return run, judged(X, y, sigma, float(ridge))


def ridge_keops(n: int, ridge: str):
    X, y, sigma = system(n)

    def run():
        return keops_kernel(X, sigma).solve(y[:, None].copy(), alpha=float(ridge), eps=1e-6)

    return run, judged(X, y, sigma, float(ridge))


# Components


def pca_sklearn(n: int, k: str = "10"):
    from sklearn.decomposition import KernelPCA

    import gramian as gm

    X, _ = waves(n)
    sigma = bandwidth(X)
    model = KernelPCA(
        int(k), kernel="rbf", gamma=1 / (2 * sigma**2), eigen_solver="randomized", random_state=0, copy_X=False
    )

    def judge(model):
        V, values = model.eigenvectors_, model.eigenvalues_
        rest = gm.Gaussian(sigma).gram(X).center() @ V - V * values
        return {"residual": float(np.linalg.norm(rest, axis=0).max() / values[0])}

    return lambda: model.fit(X), judge


# Low rank


def low_rank_sklearn(n: int, rank: str, alpha: str, dtype: str = "float64"):
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    X, y = waves(n, np.dtype(dtype).type)
    y = y.astype(dtype)
    model = make_pipeline(
        Nystroem(n_components=min(int(rank), n), gamma=1 / (2 * bandwidth(X) ** 2), random_state=0),
        Ridge(alpha=float(alpha)),
    )

    def judge(model):
        new = unseen(dtype=np.dtype(dtype).type)
        return {"error": test_error(model.predict(new), wave(new))}

    return lambda: model.fit(X, y), judge


def centroid_sklearn(n: int, rank: str):
    """The nearest centre of mass in Nyström features, all of them in memory."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.neighbors import NearestCentroid
    from sklearn.pipeline import make_pipeline

    X = cloud(n, 10)
    labels = wave(X) > 0.5
    model = make_pipeline(
        Nystroem(n_components=min(int(rank), n), gamma=1 / (2 * 4.0**2), random_state=0), NearestCentroid()
    )

    def judge(model):
        new = unseen(1000, np.float32)
        return {"accuracy": float(np.mean(model.predict(new) == (wave(new) > 0.5)))}

    return lambda: model.fit(X, labels), judge


# Strings and nodes


def string_sklearn(n: int):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    X, y = motifs(n)
    y = y + 0.3 * np.random.default_rng(1).standard_normal(n)
    model = make_pipeline(
        CountVectorizer(analyzer="char", ngram_range=(5, 5), lowercase=False, dtype=np.float64), Ridge(alpha=1.0)
    )

    def judge(model):
        new, expected = motifs(2000, seed=2)
        return {"error": test_error(model.predict(new), expected)}

    return lambda: model.fit(X, y), judge


def string_pairs_strkernels(n: int):
    from strkernels import SpectrumStringKernel

    X = dna(min(n, 32), 100)
    return lambda: SpectrumStringKernel(order=5)(X, X), lambda K: {"pairs": K.size}


def counted_gram(n: int, lengths: str):
    from objects import counted

    X = dna(n, 300)
    return lambda: counted(X, (5, 5) if lengths == "5" else (1, 10))


def subsequences_strkernels(n: int):
    from strkernels import SubsequenceStringKernel

    X = dna(min(n, 40), 300)
    return lambda: SubsequenceStringKernel(maxlen=4, ssk_lambda=0.5)(X, X)


def expm_columns(n: int):
    from objects import random_graph
    from scipy.sparse.linalg import expm_multiply

    import gramian as gm

    S = gm.Graph(random_graph(n)).similarity("laplacian").S
    units = np.zeros((n, 10))
    units[np.arange(10), np.arange(10)] = 1.0
    return lambda: expm_multiply(S, units)


def node_eigsh(n: int):
    import scipy.sparse
    from objects import planted_graph
    from scipy.sparse.linalg import eigsh

    A, groups = planted_graph(n)

    def run():
        root = 1 / np.sqrt(np.maximum(np.asarray(A.sum(axis=1)).ravel(), 1))
        S = scipy.sparse.diags_array(root) @ A @ scipy.sparse.diags_array(root)
        return eigsh(S, k=4, which="LA")[1]

    return run, lambda V: {"recovered": recovered(V[:, :3], groups)}


def table_ridge_sklearn(n: int):
    from learners import table
    from sklearn.kernel_ridge import KernelRidge

    X, y = table(n)
    return lambda: KernelRidge(kernel="rbf", gamma=1 / (2 * bandwidth(X) ** 2), alpha=1.0).fit(X, y)


def table_pca_sklearn(n: int):
    from learners import table
    from sklearn.decomposition import KernelPCA

    X, _ = table(n)
    gamma = 1 / (2 * bandwidth(X) ** 2)
    return lambda: KernelPCA(10, kernel="rbf", gamma=gamma, eigen_solver="randomized", random_state=0).fit(X)


def notebook(n: int, what: str):
    """The computations of a report as a notebook of scikit-learn does them, on Nystroem features.

    A kernel by a grid search, components, clusters by silhouettes, unusual rows; the same folds for the kernel model
    and the plain ones, then for the best of the plain ones permutation importance, the effect of a column, a learning
    curve, and intervals or calibrated probabilities.
    """
    import pandas
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.decomposition import PCA
    from sklearn.ensemble import (
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from sklearn.inspection import partial_dependence, permutation_importance
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression, RidgeCV, SGDOneClassSVM
    from sklearn.metrics import silhouette_score
    from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score, learning_curve
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    path, task = csv_file(n, what), task_of(what)
    rank = min(500, n // 2)

    def run():
        table = pandas.read_csv(path)
        X, y = table.drop(columns="y").to_numpy(), table["y"].to_numpy()
        of_numbers = task == "numbers"
        scoring = "neg_root_mean_squared_error" if of_numbers else "accuracy"
        last = RidgeCV(np.logspace(-6, 1, 8)) if of_numbers else LogisticRegression(max_iter=200)
        rng = np.random.default_rng(0)
        few = rng.permutation(len(y))[:1000]
        gamma = 1 / (2 * bandwidth(X[few]) ** 2)
        model = make_pipeline(StandardScaler(), Nystroem(n_components=rank, random_state=0), last)
        small = make_pipeline(StandardScaler(), Nystroem(n_components=min(rank, 200), random_state=0), last)
        grid = {"nystroem__gamma": [gamma * f for f in (0.0625, 0.25, 1, 4, 16)]}
        search = GridSearchCV(small, grid, scoring=scoring, cv=3).fit(X[few], y[few])
        model.set_params(**search.best_params_)
        F = model[:2].fit_transform(X)
        PCA(min(100, rank), random_state=0).fit(F).transform(F)
        some = rng.permutation(len(y))[:1500]
        for k in range(2, 13):
            silhouette_score(F[some], MiniBatchKMeans(k, n_init=3, random_state=0).fit_predict(F[some]))
        SGDOneClassSVM(nu=0.05, random_state=0).fit(F).score_samples(F)
        judged = rng.permutation(len(y))[:50_000]
        X, y = X[judged], y[judged]
        folds = (KFold if of_numbers else StratifiedKFold)(5, shuffle=True, random_state=0)
        scores = cross_val_score(model, X, y, scoring=scoring, cv=folds)
        trees = HistGradientBoostingRegressor() if of_numbers else HistGradientBoostingClassifier()
        plain = [
            make_pipeline(StandardScaler(), last),
            trees,
            (RandomForestRegressor if of_numbers else RandomForestClassifier)(100, n_jobs=-1),
            make_pipeline(StandardScaler(), (KNeighborsRegressor if of_numbers else KNeighborsClassifier)()),
        ]
        for one in plain:
            cross_val_score(one, X, y, scoring=scoring, cv=folds)
        few = slice(8000)
        for train, test in folds.split(X[few], y[few]):
            fitted = trees.fit(X[train], y[train])
            permutation_importance(fitted, X[test], y[test], scoring=scoring, n_repeats=3, random_state=0)
        for column in range(3):
            partial_dependence(trees.fit(X[few], y[few]), X[:1000], [column])
        learning_curve(trees, X[:6000], y[:6000], train_sizes=[1 / 8, 1 / 4, 1 / 2, 1.0], scoring=scoring, cv=folds)
        if of_numbers:
            for quantile in (0.05, 0.95):
                HistGradientBoostingRegressor(loss="quantile", quantile=quantile).fit(X[:1500], y[:1500])
        else:
            CalibratedClassifierCV(HistGradientBoostingClassifier(), cv=folds).fit(X[:1500], y[:1500])
        return scores

    return run, lambda scores: {"score": float(abs(scores.mean()))}
