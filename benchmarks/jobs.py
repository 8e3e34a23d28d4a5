"""Jobs to be measured in a process of their own, by process.py.

A job prepares its data and returns what is to be measured, alone or with a function that judges the answer afterwards:
that costs neither time nor memory of the job. The same jobs done by other libraries are in peers.py.
"""

import re
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets

import gramian as gm

SCRATCH = tempfile.TemporaryDirectory(prefix="gramian-bench-")


# Data


def cloud(n: int, d: int, dtype: type = np.float32, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d)).astype(dtype)


def wave(X: np.ndarray) -> np.ndarray:
    """A smooth function of five of the features."""
    return np.sin(X[:, 0]) + 0.5 * X[:, 1] * X[:, 2] + np.cos(X[:, 3] + X[:, 4])


def waves(n: int, dtype: type = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Ten features and a smooth target with noise."""
    X = cloud(n, 10, np.float64)
    return X.astype(dtype), wave(X) + 0.3 * np.random.default_rng(1).standard_normal(n)


def unseen(n: int = 10_000, dtype: type = np.float64) -> np.ndarray:
    return cloud(n, 10, dtype, seed=2)


def bandwidth(X: np.ndarray) -> float:
    return float(gm.Gaussian("median").fit(X).bandwidth)


def test_error(predicted: np.ndarray, expected: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(np.ravel(predicted) - expected))))


def products_of(solver: str) -> int:
    found = re.search(r"(\d+) products", solver)
    return int(found[1]) if found else 0


# The Gram


def dense(n: int):
    gram = gm.Gaussian(3.0).gram(cloud(n, 10))
    return gram.dense


def gaussian_gram(n: int, dtype: str):
    X = cloud(n, 50, np.dtype(dtype).type)
    return lambda: gm.Gaussian(5.0).gram(X).dense()


def product(n: int):
    gram = gm.Gaussian(3.0).gram(cloud(n, 10))
    v = np.ones(n, np.float32)
    return lambda: gram @ v


def cholesky(n: int):
    gram = gm.Gaussian(3.0).gram(cloud(n, 10))
    return lambda: gm.cholesky(gram, rank=200, pivoting="random", rng=0)


def pivots(n: int, rank: str):
    X = cloud(n, 20, np.float64)
    gram = gm.Gaussian("median").fit(X).gram(X)
    return lambda: gm.cholesky(gram, rank=int(rank), pivoting="random", rng=0)


def spread(n: int):
    S = gm.FeatureSpace(gm.Gaussian(3.0))(cloud(n, 10))
    return lambda: (S.total_variance(), S.distances(S.mean()))


# Exact learners


def exact_ridge(n: int, ridge: str, checkpoint: str = ""):
    X, y = waves(n)
    kept = tempfile.mkdtemp(dir=SCRATCH.name) if checkpoint else None
    model = gm.KernelRidge(ridge=float(ridge), fit_intercept=True, rank="exact", checkpoint=kept)

    def judge(model):
        rest = model.kernel_.gram(X) @ model.dual_coef_ + model.ridge_ * model.dual_coef_ + model.intercept_ - y
        new = unseen()
        return {
            "residual": float(np.linalg.norm(rest) / np.linalg.norm(y - y.mean())),
            "products": products_of(model.solver_),
            "solver": model.solver_,
            "error": test_error(model.predict(new), wave(new)),
        }

    return lambda: model.fit(X, y), judge


def system(n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Features, centred targets and bandwidth of the linear system that all peers are given."""
    X, y = waves(n)
    return X, y - y.mean(), bandwidth(X)


def judged(X: np.ndarray, y: np.ndarray, sigma: float, ridge: float):
    """Judge the coefficients of a ridge regression by one product in double precision, which does not use theirs."""

    def judge(a):
        a = np.asarray(a, dtype=np.float64).ravel()
        rest = gm.Gaussian(sigma).gram(X) @ a + ridge * a - y
        return {"residual": float(np.linalg.norm(rest) / np.linalg.norm(y))}

    return judge


def plain_ridge(n: int, ridge: str):
    X, y, sigma = system(n)
    model = gm.KernelRidge(gm.Gaussian(sigma), ridge=float(ridge), rank="exact", tol=1e-6)  # as the peers
    return lambda: model.fit(X, y).dual_coef_, judged(X, y, sigma, float(ridge))


def exact_pca(n: int, k: str = "10"):
    X, _ = waves(n)
    model = gm.KernelPCA(int(k), rank="exact")
    columns = counted_products()

    def run():
        columns.clear()
        return model.fit(X)

    def judge(model):
        found = {"products": len(columns), "columns": sum(columns)}
        return found | {"residual": float(model.residuals_.max() / model.eigenvalues_[0]), "solver": model.solver_}

    return run, judge


def counted_products() -> list[int]:
    """Have the products with a square Gram counted: the list gets the number of columns of each."""
    columns: list[int] = []
    apply = gm.Gram.apply

    def counting(self, V):
        if self.shape[0] == self.shape[1]:
            columns.append(V.shape[1])
        return apply(self, V)

    gm.Gram.apply = counting
    return columns


def exact_fisher(n: int, ridge: str):
    X, y = waves(n)
    labels = y > np.median(y)
    model = gm.FisherDiscriminant(ridge=float(ridge), rank="exact")
    warned: list[str] = []

    def run():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, labels)
        warned[:] = [str(w.message) for w in caught]
        return model

    def judge(model):
        # (D K + λI) α ∝ 1₊/n₊ − 1₋/n₋, D centring within each class and dividing by its size
        alpha = model.dual_coef_
        values = gm.Gram.apply(model.kernel_.gram(X), alpha[:, None])[:, 0]
        t, inside = np.empty(n), np.empty(n)
        for label, sign in ((True, 1.0), (False, -1.0)):
            own = labels == label
            t[own] = sign / own.sum()
            inside[own] = (values[own] - values[own].mean()) / own.sum()
        found = inside + float(ridge) * alpha
        rest = found - t * (t @ found) / (t @ t)
        new = unseen()
        return {
            "residual": float(np.linalg.norm(rest) / np.linalg.norm(found)),
            "products": products_of(model.solver_),
            "solver": model.solver_,
            "warned": warned,
            "accuracy": float(np.mean(model.predict(new) == (wave(new) > np.median(y)))),
        }

    return run, judge


# Low rank and streams


def low_rank_ridge(n: int, rank: str, ridge: str = "loo"):
    X, y = waves(n)
    model = gm.KernelRidge(ridge=ridge if ridge == "loo" else float(ridge), fit_intercept=True, rank=int(rank))

    def judge(model):
        new = unseen()
        return {
            "error": test_error(model.predict(new), wave(new)),
            "ridge": model.ridge_,
            "solver": model.solver_,
        }

    return lambda: model.fit(X, y), judge


def stored(n: int, form: str) -> gm.Batches:
    """Ten features in single precision and a label, on disk."""
    X = cloud(n, 10)
    labels = (wave(X) > 0.5).astype(np.int64)
    folder = Path(tempfile.mkdtemp(dir=SCRATCH.name))
    if form == "npy":
        np.save(folder / "X.npy", X)
        np.save(folder / "y.npy", labels)
        return gm.Batches(folder / "X.npy", target=folder / "y.npy")
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])} | {"label": labels})
    pq.write_table(table, folder / "X.parquet")
    return gm.Batches(folder / "X.parquet", target="label")


def stream(n: int, learner: str, form: str, rank: str):
    """A learner that goes through a file; where n is small, it is compared with the exact answer from an array."""
    batches = stored(n, form)
    kernel = gm.Gaussian(4.0)
    which = rank if rank == "exact" else int(rank)
    model = _of_stream(learner, kernel, which)

    def judge(model):
        new = unseen(1000, np.float32)
        found = {"trace_error": model.trace_error_}
        if learner == "parzen":
            found["accuracy"] = float(np.mean(model.predict(new) == (wave(new) > 0.5)))
        if n <= 100_000:
            X = cloud(n, 10)
            exact = _of_stream(learner, kernel, "exact").fit(X, (wave(X) > 0.5).astype(np.int64))
            scores = exact.decision_function(new)
            found["gap"] = float(np.abs(model.decision_function(new) - scores).max() / np.abs(scores).max())
        return found

    def run():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a detector that cannot fire says so
            return model.fit(batches)

    return run, judge


def _of_stream(learner: str, kernel: gm.Kernel, rank):
    if learner == "parzen":
        return gm.ParzenClassifier(kernel, rank=rank)
    return gm.NoveltyDetector(kernel, rank=rank, calibration="bound")


# Strings and nodes


def dna(n: int, length: int, seed: int = 0) -> list[str]:
    letters = np.random.default_rng(seed).choice(list("ACGT"), (n, length))
    return ["".join(row) for row in letters]


def motifs(n: int, seed: int = 0) -> tuple[list[str], np.ndarray]:
    """DNA of length 100, and how often two motifs are in it."""
    X = dna(n, 100, seed)
    return X, np.array([float(s.count("GATTA") + 0.5 * s.count("CGC")) for s in X])


def string_ridge(n: int):
    X, y = motifs(n)
    y = y + 0.3 * np.random.default_rng(1).standard_normal(n)
    model = gm.KernelRidge(gm.Spectrum(5), ridge=1.0, fit_intercept=True)

    def judge(model):
        new, expected = motifs(2000, seed=2)
        return {
            "error": test_error(model.predict(new), expected),
            "solver": model.solver_,
        }

    return lambda: model.fit(X, y), judge


def spectrum_gram(n: int):
    X = dna(n, 300)
    return lambda: gm.Spectrum(5)(X)


def full_spectrum_gram(n: int):
    X = dna(n, 300)
    return lambda: gm.FullSpectrum()(X)


def subsequences_gram(n: int):
    X = dna(n, 300)
    return lambda: gm.Subsequences(4, decay=0.5)(X)


def long_strings(n: int):
    n = max(n, 70_000)  # shorter ones are compared in another way
    letters = np.random.default_rng(0).choice(list("ACGT"), (2, n))
    s, t = ("".join(row) for row in letters)
    kernel = gm.FullSpectrum()
    return lambda: kernel([s], [t])


def heat_columns(n: int):
    from objects import random_graph

    A, nodes = random_graph(n), np.arange(10)
    return lambda: gm.ExponentialDiffusion(gm.Graph(A), beta=1.0, of="laplacian")(np.arange(n), nodes)


def recovered(coordinates: np.ndarray, groups: np.ndarray) -> float:
    """How well clusters of the nodes' coordinates agree with the planted groups: 1 is perfect, 0 is chance."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_rand_score

    scaled = coordinates / coordinates.std(axis=0)
    found = KMeans(int(groups.max()) + 1, n_init=4, random_state=0).fit(scaled).labels_
    return float(adjusted_rand_score(groups, found))


def node_pca(n: int):
    from objects import planted_graph

    A, groups = planted_graph(n)

    def run():
        kernel = gm.ExponentialDiffusion(gm.Graph(A), beta=4.0, of="normalized")
        return gm.KernelPCA(3, kernel, rank="exact").fit(np.arange(n))

    def judge(model):
        return {
            "residual": float(model.residuals_.max() / model.eigenvalues_[0]),
            "recovered": recovered(model.dual_coef_, groups),
            "solver": model.solver_,
        }

    return run, judge


def table_ridge(n: int):
    from learners import table

    X, y = table(n)
    return lambda: gm.KernelRidge(ridge=1.0).fit(X, y)


def table_pca(n: int):
    from learners import table

    X, _ = table(n)
    return lambda: gm.KernelPCA(10).fit(X)


def table_fisher(n: int):
    from learners import table

    X, y = table(n)
    return lambda: gm.FisherDiscriminant(ridge=2 / n).fit(X, y > np.median(y))


# Reports


def numbers(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Twenty columns, and numbers that depend on five of them."""
    X = cloud(n, 20, np.float64)
    return X, wave(X) + 0.3 * np.random.default_rng(1).standard_normal(n)


def classes(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The same in three classes of equal size."""
    X, y = numbers(n)
    return X, np.digitize(y, np.quantile(y, (1 / 3, 2 / 3)))


def spam(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes by 57 columns, mostly zeros and skewed, like the frequencies of words in e-mails."""
    rng, d = np.random.default_rng(7), 57
    y = rng.random(n) < 0.394
    rate, shift = rng.uniform(0.05, 0.6, d), rng.normal(0, 0.9, d) * (rng.random(d) < 0.6)
    odds = np.log(rate / (1 - rate)) + np.outer(y - 0.4, shift) + 0.5 * rng.standard_normal((n, 1))
    X = (rng.random((n, d)) < 1 / (1 + np.exp(-odds))) * rng.lognormal(-0.7, 1.0, (n, d))
    X[:, 54:] = rng.lognormal(2, 1, (n, 3)) * (1 + 0.7 * y[:, None])
    return X, y


def iris(n: int) -> tuple[np.ndarray, np.ndarray]:
    return _shuffled(n, datasets.load_iris())


def digits(n: int) -> tuple[np.ndarray, np.ndarray]:
    return _shuffled(n, datasets.load_digits())


def _shuffled(n: int, found: Any) -> tuple[np.ndarray, np.ndarray]:
    some = np.random.default_rng(0).permutation(len(found.target))[:n]
    return found.data[some], found.target[some]


TABLES = {made.__name__: made for made in (numbers, classes, spam, iris, digits)}


def task_of(what: str) -> str:
    return "numbers" if what == "numbers" else "classes"


def csv_file(n: int, what: str) -> Path:
    """A table with a target y, numbers or classes, as CSV."""
    X, y = TABLES[what](n)
    path = Path(SCRATCH.name, f"{what}-{n}.csv")
    heading = ",".join([*(f"x{k}" for k in range(X.shape[1])), "y"])
    np.savetxt(path, np.column_stack([X, y]), "%.6g", ",", header=heading, comments="")
    return path


def score_of(found: gm.Report) -> dict[str, float]:
    """The best score of a kernel learner at objects that it has not seen."""
    judged = next(one for one in found.data["sections"] if one["id"] == "prediction")
    scores = [one for one in judged["numbers"]["scores"] if one["kernel"]]
    if "rmse" in scores[0]:
        return {"score": min(one["rmse"] for one in scores)}
    return {"score": max(one["accuracy"] for one in scores)}


def report(n: int, what: str, how: str = "whole"):
    path = csv_file(n, what)

    def run():
        found = gm.report(gm.read_data(path, target="y", kinds={"y": task_of(what)}), quick=how == "quick")
        found.save(path.with_suffix(".html"), overwrite=True)
        return found

    return run, score_of
