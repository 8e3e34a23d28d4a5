"""What the learners see: eight pictures in one.

python examples/learners.py [picture.png]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gramian as gm


def moons(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two half circles that reach into each other."""
    angle = np.pi * rng.random(n)
    lower = rng.random(n) < 0.5
    x = np.where(lower, 1 - np.cos(angle), np.cos(angle))
    y = np.where(lower, 0.5 - np.sin(angle), np.sin(angle))
    return np.column_stack([x, y]) + 0.18 * rng.standard_normal((n, 2)), np.where(lower, "lower", "upper")


def main(picture: Path) -> None:
    rng = np.random.default_rng(0)
    iris = gm.load_iris()
    X, species = iris.data, np.array(iris.target_names)[iris.target]
    figure, axes = plt.subplots(2, 4, figsize=(19, 8.6), layout="constrained")

    points, half = moons(300, rng)
    fisher = gm.FisherDiscriminant(gm.Gaussian(bandwidth=0.5)).fit(points, half)
    gm.plot.decision_regions(fisher, points, half, ax=axes[0, 0])

    two = species != "setosa"
    fisher = gm.FisherDiscriminant().fit(X[two], species[two])
    gm.plot.fisher_projection(fisher, X[two], species[two], ax=axes[0, 1])

    pca = gm.KernelPCA(n_components=8).fit(X)
    gm.plot.components(pca, X, species, ax=axes[0, 2])
    gm.plot.scree(pca, ax=axes[0, 3])

    usual = np.vstack([rng.normal((-2, 0), 0.5, (200, 2)), rng.normal((1.5, 1), (0.3, 0.9), (200, 2))])
    detector = gm.NoveltyDetector(gm.Gaussian(1.0), calibration="conformal", alpha=0.05, random_state=0).fit(usual)
    seen = np.vstack([usual, rng.uniform(-4, 4, (25, 2))])
    gm.plot.novelty_sphere(detector, seen, ax=axes[1, 0])
    gm.plot.novelty_distances(detector, seen, ax=axes[1, 1])

    ridge = gm.KernelRidge(ridge="loo", fit_intercept=True).fit(X[:, :3], X[:, 3])
    gm.plot.ridge_path(ridge, ax=axes[1, 2])

    clusters = gm.KernelKMeans(n_clusters=3, random_state=0).fit(X)
    gm.plot.gram_heatmap(clusters.kernel_.gram(X), clusters.labels_, ax=axes[1, 3])

    figure.savefig(picture, dpi=75)
    print(f"Picture: {picture.resolve()}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("learners.png"))
