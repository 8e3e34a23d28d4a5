"""Clusters in noise: how often `find_clusters` claims what is not there, and finds what is.

    python benchmarks/clusters.py [--draws 100] [--sizes 50 200 1000] [--dimensions 1 2 10 50]
                                  [--only clouds|groups|shapes|null] [--clouds uniform Gaussian …]

Clouds are single, of many shapes; a claim of more than one cluster is false. Groups stand apart: their centres lie at
least eight times the mean of their two standard deviations from each other, the largest has up to three times the
spread and three times the objects of the smallest. Shapes are rings, moons and spirals. Columns are standardized, as
in a report without a target. A line shows, for each size and dimension, how many of the draws went wrong.
"""

import argparse
from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons

import gramian as gm
from gramian.explain.planes import clearest

KERNEL = gm.Gaussian("median").pullback(gm.Standardize())
SEPARATION = 8.0  # in units of the mean standard deviation of two groups
Draw = Callable[[np.random.Generator, int, int], np.ndarray]


def tilted(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """A Gaussian cloud whose longest axis is 100 times its shortest, turned at random."""
    turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
    return rng.standard_normal((n, d)) * np.geomspace(1, 100, d) @ turn


def with_outliers(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    X = rng.standard_normal((n, d))
    X[:4] += 10 * rng.standard_normal((4, d))
    return X


CLOUDS: dict[str, Draw] = {
    "uniform": lambda rng, n, d: rng.random((n, d)),
    "Gaussian": lambda rng, n, d: rng.standard_normal((n, d)),
    "Gaussian, condition 100": tilted,
    "Gaussian and 4 outliers": with_outliers,
    "Gaussian, rounded": lambda rng, n, d: np.round(rng.standard_normal((n, d)), 1),
    "Poisson": lambda rng, n, d: rng.poisson(4, (n, d)).astype(float),
    "t(3), columns": lambda rng, n, d: rng.standard_t(3, (n, d)),
    "t(5), spherical": lambda rng, n, d: rng.standard_normal((n, d)) / np.sqrt(rng.chisquare(5, (n, 1)) / 5),
    "lognormal": lambda rng, n, d: rng.lognormal(size=(n, d)),
    "exponential": lambda rng, n, d: rng.exponential(size=(n, d)),
    "chi-squared(3)": lambda rng, n, d: rng.chisquare(3, (n, d)),
}


def groups(rng: np.random.Generator, n: int, d: int, k: int) -> np.ndarray:
    """Gaussian groups that stand apart, of unequal sizes and spreads."""
    spreads, weights = rng.uniform(0.5, 1.5, k), rng.uniform(1, 3, k)
    sizes = np.round(n * weights / weights.sum()).astype(int)
    centres: list[np.ndarray] = []
    box = 1.0
    while len(centres) < k:  # in a box that grows until they have room
        new = rng.uniform(-box, box, d)
        apart = [np.linalg.norm(new - old) for old in centres]
        least = SEPARATION * (spreads[: len(centres)] + spreads[len(centres)]) / 2
        if (np.array(apart) >= least).all():
            centres.append(new)
        box *= 1.01
    return np.vstack([c + s * rng.standard_normal((m, d)) for c, s, m in zip(centres, spreads, sizes, strict=True)])


def rings(rng: np.random.Generator, n: int) -> np.ndarray:
    angle, radius = rng.uniform(0, 2 * np.pi, n), np.where(np.arange(n) % 3 == 0, 1.0, 3.0)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]) + 0.15 * rng.standard_normal((n, 2))


def moons(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.asarray(make_moons(n, noise=0.06, random_state=int(rng.integers(2**31)))[0])


def spirals(rng: np.random.Generator, n: int) -> np.ndarray:
    turn = 3 * np.pi * np.sqrt(rng.uniform(0.05, 1, n))
    arm = np.where(np.arange(n) % 2, 1.0, -1.0)
    return np.column_stack([arm * turn * np.cos(turn), arm * turn * np.sin(turn)]) + 0.2 * rng.standard_normal((n, 2))


SHAPES = {"two rings": rings, "two moons": moons, "two spirals": spirals}


def ball(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    X = rng.standard_normal((n, d))
    return np.asarray(X / np.linalg.norm(X, axis=1)[:, None] * rng.random((n, 1)) ** (1 / d))


def spherical(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return np.asarray(rng.standard_normal((n, d)) / np.sqrt(rng.chisquare(5, (n, 1)) / 5))


FLAT: dict[str, tuple[Draw, int]] = {
    "cube": (CLOUDS["uniform"], 3),
    "ball": (ball, 3),
    "square": (CLOUDS["uniform"], 2),
    "t(5)": (spherical, 10),
}


def chances(name: str, n: int, draws: int) -> np.ndarray:
    """Return the p-values of the clearest valley in clouds that have none."""
    draw, d = FLAT[name]
    clouds = (draw(np.random.default_rng([i, n, d]), n, d) for i in range(draws))
    return np.array([clearest(cdist(X, X)).p_value for X in clouds])


def count(X: np.ndarray, seed: int) -> int:
    return gm.find_clusters(X, KERNEL, rng=seed).count


def false_claims(name: str, n: int, d: int, draws: int) -> int:
    return sum(count(CLOUDS[name](np.random.default_rng([i, n, d]), n, d), i) > 1 for i in range(draws))


def found(k: int, n: int, d: int, draws: int) -> int:
    return sum(count(groups(np.random.default_rng([i, n, d, k]), n, d, k), i) == k for i in range(draws))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--sizes", type=int, nargs="+", default=[50, 200, 1000])
    parser.add_argument("--dimensions", type=int, nargs="+", default=[1, 2, 10, 50])
    parser.add_argument("--only", choices=["clouds", "groups", "shapes", "null"])
    parser.add_argument("--clouds", choices=list(CLOUDS), nargs="+", default=list(CLOUDS), metavar="CLOUD")
    chosen = parser.parse_args()
    if chosen.only in (None, "clouds"):
        for n in chosen.sizes:
            for d in chosen.dimensions:
                claims = {name: false_claims(name, n, d, chosen.draws) for name in chosen.clouds}
                told = ", ".join(f"{name} {many}" for name, many in claims.items())
                print(f"false claims of {chosen.draws}, n = {n}, d = {d}: {told}", flush=True)
    if chosen.only in (None, "null"):
        for n in (24, 45, 90, 180, 360, 750, 1500):
            for name in FLAT:
                p = chances(name, n, chosen.draws)
                told = ", ".join(f"{np.mean(p <= level):.1%} at {level:.0%}" for level in (0.05, 0.02, 0.01))
                print(f"no valley in a {name} of {n}: {told}", flush=True)
    if chosen.only in (None, "groups"):
        for k, n in ((2, 200), (3, 200), (5, 200), (8, 320)):
            right = {d: found(k, n, d, chosen.draws) for d in chosen.dimensions}
            told = ", ".join(f"{many} in {d} dimensions" for d, many in right.items())
            print(f"{k} groups found of {chosen.draws}, n = {n}: {told}", flush=True)
    if chosen.only in (None, "shapes"):
        for name, shape in SHAPES.items():
            right = sum(count(shape(np.random.default_rng(i), 400), i) == 2 for i in range(chosen.draws))
            print(f"{name} found of {chosen.draws}, n = 400: {right}", flush=True)


if __name__ == "__main__":
    main()
