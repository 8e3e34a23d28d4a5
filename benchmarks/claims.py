"""The claims: each a ratio against a peer, measured in the same run."""

import subprocess
import sys
from dataclasses import dataclass

import numpy as np
from measure import alone, best, duel

import gramian as gm


@dataclass
class Claim:
    what: str
    peer: str
    ours_s: float
    peer_s: float
    wanted: str
    holds: bool
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.peer_s / self.ours_s


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
    )


def matrix_free_product() -> Claim:
    X = np.random.default_rng(0).standard_normal((50_000, 10)).astype(np.float32)
    v = np.random.default_rng(1).standard_normal((50_000, 1)).astype(np.float32)
    gram = gm.Gaussian(3.0).gram(X)
    ours = best(lambda: gram @ v, 3)
    theirs, gap = _keops(X, v, gram @ v)
    memory = alone("product", 50_000)["megabytes"]
    return Claim(
        "gram @ v, n = 50,000, d = 10, float32",
        "pykeops on the CPU",
        ours,
        theirs,
        "≥ 4 × faster, < 300 MB",
        theirs / ours >= 4 and memory < 300,
        f"{memory:.0f} MB beyond the data; the two agree to {gap:.0e}",
    )


def _keops(X: np.ndarray, v: np.ndarray, ours: np.ndarray) -> tuple[float, float]:
    import pykeops

    pykeops.set_verbose(False)
    from pykeops.numpy import LazyTensor

    def kernel(Y: np.ndarray) -> LazyTensor:
        Y = np.ascontiguousarray(Y / np.float32(3.0))
        difference = LazyTensor(Y[:, None, :]) - LazyTensor(Y[None, :, :])
        return (-(difference**2).sum(-1) / 2).exp()

    kernel(X[:100]) @ v[:100]  # compiles
    theirs = kernel(X) @ v
    return best(lambda: kernel(X) @ v, 2), float(np.abs(theirs - ours).max() / np.abs(theirs).max())


def spread() -> Claim:
    answer = alone("spread", 100_000)
    return Claim(
        "total variance and all distances to the centre, n = 100,000, d = 10, float32",
        "(the 40 GB matrix)",
        answer["seconds"],
        float("nan"),
        "< 300 MB",
        answer["megabytes"] < 300,
        f"{answer['megabytes']:.0f} MB beyond the data",
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
    )


def import_time() -> Claim:
    def seconds(module: str) -> float:
        return best(lambda: subprocess.run([sys.executable, "-c", f"import {module}"], check=True), 5)

    bare = seconds("sys")
    ours, theirs = seconds("gramian") - bare, seconds("sklearn") - bare
    return Claim("import gramian", "import sklearn", ours, theirs, "at most a quarter of its time", ours <= theirs / 4)


CLAIMS = [
    lambda: gaussian_gram(np.float64, 2.3),
    lambda: gaussian_gram(np.float32, 4.0),
    matrix_free_product,
    spread,
    lambda: random_pivots(clusters, "30 unequal clusters", must_win=True),
    lambda: random_pivots(isotropic, "one round Gaussian cloud", must_win=False),
    import_time,
]
