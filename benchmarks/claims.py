"""The claims on the Gram and its factors, each a ratio against a peer, measured in the same run."""

import subprocess
import sys
from functools import partial

import numpy as np
from floors import of_gram
from measure import best, duel, must
from peers import keops_kernel
from record import Claim

import gramian as gm


def gaussian_gram(dtype: type, wanted: float) -> Claim:
    from sklearn.metrics.pairwise import rbf_kernel

    X = np.random.default_rng(0).standard_normal((10_000, 50)).astype(dtype)
    sigma = 5.0
    ours, theirs = duel(
        lambda: gm.Gaussian(sigma).gram(X).dense(), lambda: rbf_kernel(X, gamma=1 / (2 * sigma**2)), repeats=7
    )
    return Claim(
        f"Gaussian Gram, n = 10,000, d = 50, {np.dtype(dtype).name}",
        "scikit-learn rbf_kernel",
        ours,
        theirs,
        f"≥ {wanted} × faster",
        theirs / ours >= wanted,
        "",
        must("gaussian_gram", 10_000, np.dtype(dtype).name)["peak"],
        must("rbf_gram", 10_000, np.dtype(dtype).name)["peak"],
        [],
        *of_gram(10_000, 50, dtype),
    )


def matrix_free_product() -> Claim:
    X = np.random.default_rng(0).standard_normal((50_000, 10)).astype(np.float32)
    v = np.random.default_rng(1).standard_normal((50_000, 1)).astype(np.float32)
    gram = gm.Gaussian(3.0).gram(X)
    ours = best(lambda: gram @ v, 3)
    theirs, gap = _keops(X, v, gram @ v)
    memory = must("product", 50_000)
    return Claim(
        "gram @ v, n = 50,000, d = 10, float32",
        "pykeops on the CPU",
        ours,
        theirs,
        "≥ 4 × faster, < 300 MB beyond the data",
        theirs / ours >= 4 and memory["megabytes"] < 300,
        f"{memory['megabytes']:.0f} MB beyond the data; the two agree to {gap:.0e}",
        memory["peak"],
        must("keops_product", 50_000)["peak"],
        [],
        *of_gram(50_000, 10, np.float32),
    )


def _keops(X: np.ndarray, v: np.ndarray, ours: np.ndarray) -> tuple[float, float]:
    keops_kernel(X[:100], 3.0) @ v[:100]  # compiles
    theirs = keops_kernel(X, 3.0) @ v
    return best(lambda: keops_kernel(X, 3.0) @ v, 2), float(np.abs(theirs - ours).max() / np.abs(theirs).max())


def spread() -> Claim:
    answer = must("spread", 100_000)
    return Claim(
        "total variance and all distances to the centre, n = 100,000, d = 10, float32",
        "(the 40 GB matrix)",
        answer["seconds"],
        float("nan"),
        "< 300 MB beyond the data",
        answer["megabytes"] < 300,
        f"{answer['megabytes']:.0f} MB beyond the data",
        answer["peak"],
    )


def clusters(n: int, d: int) -> np.ndarray:
    """Thirty clusters of very different sizes, as real data tends to have."""
    rng = np.random.default_rng(0)
    centers, sizes = 3 * rng.standard_normal((30, d)), rng.dirichlet(np.full(30, 0.5))
    return centers[rng.choice(30, n, p=sizes)] + 0.5 * rng.standard_normal((n, d))


def isotropic(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, d))


def random_pivots(data, name: str, must_win: bool) -> Claim:
    from sklearn.kernel_approximation import Nystroem

    X = data(100_000, 20)
    kernel = gm.Gaussian("median").fit(X)
    nystroem = Nystroem(n_components=500, gamma=1 / (2 * kernel.bandwidth**2), random_state=0)
    ours, theirs = duel(
        lambda: gm.cholesky(kernel.gram(X), rank=500, pivoting="random", rng=0),
        lambda: nystroem.fit_transform(X),
        repeats=3,
    )
    error = gm.cholesky(kernel.gram(X), rank=500, pivoting="random", rng=0).relative_error
    uniform = 1 - float((nystroem.fit_transform(X) ** 2).sum()) / len(X)
    return Claim(
        f"randomly pivoted Cholesky, n = 100,000, d = 20, rank 500, {name}",
        "scikit-learn Nystroem, 500 uniform landmarks",
        ours,
        theirs,
        "within 2.5 × of its time" + (", smaller trace residual" if must_win else ""),
        ours <= 2.5 * theirs and (error < uniform or not must_win),
        f"trace residual {error:.2e} against {uniform:.2e}",
        must("pivots", 100_000, 500)["peak"],
        must("nystroem", 100_000, 500)["peak"],
    )


def import_time() -> Claim:
    def seconds(module: str) -> float:
        return best(lambda: subprocess.run([sys.executable, "-c", f"import {module}"], check=True), 5)

    bare = seconds("sys")
    ours, theirs = seconds("gramian") - bare, seconds("sklearn") - bare
    return Claim("import gramian", "import sklearn", ours, theirs, "at most a quarter of its time", ours <= theirs / 4)


CLAIMS = {
    "gram64": partial(gaussian_gram, np.float64, 2.3),
    "gram32": partial(gaussian_gram, np.float32, 4.0),
    "product": matrix_free_product,
    "spread": spread,
    "pivots_clusters": partial(random_pivots, clusters, "30 unequal clusters", must_win=True),
    "pivots_cloud": partial(random_pivots, isotropic, "one round Gaussian cloud", must_win=False),
    "import": import_time,
}
