"""Jobs to be measured in a process of their own: python jobs.py NAME ARGUMENTS prints seconds and peak memory."""

import json
import sys
import time

import numpy as np
from measure import forget_peak, peak_memory

import gramian as gm


def cloud(n: int, d: int, dtype: type = np.float32) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, d)).astype(dtype)


def dense(n: int):
    gram = gm.Gaussian(3.0).gram(cloud(n, 10))
    return gram.dense


def product(n: int):
    gram = gm.Gaussian(3.0).gram(cloud(n, 10))
    v = np.ones(n, np.float32)
    return lambda: gram @ v


def cholesky(n: int):
    gram = gm.Gaussian(3.0).gram(cloud(n, 10))
    return lambda: gm.cholesky(gram, rank=200, pivoting="random", rng=0)


def spread(n: int):
    S = gm.FeatureSpace(gm.Gaussian(3.0))(cloud(n, 10))
    return lambda: (S.total_variance(), S.distances(S.mean()))


def long_strings(n: int):
    letters = np.random.default_rng(0).choice(list("ACGT"), (2, n))
    s, t = ("".join(row) for row in letters)
    kernel = gm.FullSpectrum()
    return lambda: kernel([s], [t])


def heat_columns(n: int):
    from objects import random_graph

    A, nodes = random_graph(n), np.arange(10)
    return lambda: gm.ExponentialDiffusion(gm.Graph(A), beta=1.0, of="laplacian")(np.arange(n), nodes)


if __name__ == "__main__":
    job, n = globals()[sys.argv[1]], int(sys.argv[2])
    job(256)()  # imports and first-call costs are not what is measured
    run = job(n)
    forget_peak()
    before = peak_memory()
    seconds = []
    while len(seconds) < 3 and sum(seconds) < 5:
        run = run if not seconds else job(n)  # what a run leaves behind must not help the next one
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds": min(seconds), "megabytes": (peak_memory() - before) / 1e6}))
