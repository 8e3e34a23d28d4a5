"""Eight threads at once ask one fitted model and fit others: the answers are those of one thread, to the bit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np

import gramian as gm

from .attack import Attack, Case, one_of, require_same
from .inputs import answers

THREADS = 8
TURNS = 3

LEARNERS: dict[str, Any] = {
    "novelty": (lambda k: gm.NoveltyDetector(k, calibration="conformal", random_state=0), None),
    "parzen": (lambda k: gm.ParzenClassifier(k), "labels"),
    "fisher": (lambda k: gm.FisherDiscriminant(k, 0.1), "labels"),
    "fisher, chosen": (lambda k: gm.FisherDiscriminant(k), "labels"),
    "ridge": (lambda k: gm.KernelRidge(k, 0.1, fit_intercept=True), "numbers"),
    "ridge, chosen": (lambda k: gm.KernelRidge(k), "numbers"),
    "ridge, low rank": (lambda k: gm.KernelRidge(k, rank=10), "numbers"),
    "pca": (lambda k: gm.KernelPCA(2, k), None),
    "gram-schmidt": (lambda k: gm.GramSchmidt(k, rank=4), None),
    "k-means": (lambda k: gm.KernelKMeans(3, k, n_init=2, random_state=0), None),
    "search": (lambda k: gm.KernelSearch(gm.KernelRidge(k), {"ridge": [0.1, 1.0]}), "numbers"),
}
KERNELS: dict[str, gm.Kernel] = {
    "gaussian": gm.Gaussian("median"),
    "polynomial": gm.Polynomial(2),
    "sum": gm.Laplacian(1.0) + 0.5 * gm.Linear(),
    "spectrum": gm.Spectrum(2),
    "subsequences": gm.Subsequences(2, 0.5),
    "full spectrum": gm.FullSpectrum().normalize(),
    "bag of words": gm.BagOfWords("tf-idf", analyzer="char"),
}


def make(rng: np.random.Generator) -> Case:
    """Return a case: a model that all threads share, and one that each of them fits anew."""
    learner, kernel, n = one_of(rng, LEARNERS), one_of(rng, KERNELS), int(one_of(rng, (30, 300)))
    X: Any = rng.normal(size=(n, 3))
    numbers = np.sin(X).sum(axis=1)
    if kernel not in ("gaussian", "polynomial", "sum"):
        X = ["".join(rng.choice(list("abcd"), 9)) for _ in range(n)]
    y = {None: None, "labels": np.arange(n) % 2, "numbers": numbers}[LEARNERS[learner][1]]

    def action() -> None:
        def fitted() -> Any:
            return LEARNERS[learner][0](KERNELS[kernel]).fit(X, y)

        shared, start = fitted(), Barrier(THREADS)
        truth = answers(shared, X[:20])

        def work(thread: int) -> list[dict[str, Any]]:
            start.wait()
            return [answers(shared if thread % 2 else fitted(), X[:20]) for _ in range(TURNS)]

        with ThreadPoolExecutor(THREADS) as pool:
            for found in pool.map(work, range(THREADS)):
                for one in found:
                    for name, values in one.items():
                        require_same(values, truth[name], f"{name} from a thread")

    return Case(f"{learner} with {kernel} on {n} objects", action)


ATTACK = Attack("threads", 100, make, seconds=240.0, wall=1200.0)
