"""The iris flowers in three feature spaces: what the inner products alone tell of them.

python examples/three_spaces.py [picture.png]
"""

import sys
from itertools import combinations
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gramian as gm

COLORS = ("#0072b2", "#e69f00", "#009e73")
MARKERS = ("o", "s", "^")


def main(picture: Path) -> None:
    iris = gm.load_iris()
    X, species = iris.data, iris.target
    gaussian = gm.Gaussian(bandwidth="median").fit(X)
    kernels = {
        "as measured": (gm.Linear(), "xᵀz"),
        "products of pairs": (gm.Polynomial(degree=2, offset=1.0), "(xᵀz + 1)²"),
        "neighbourhoods": (gaussian, f"Gaussian, σ = {gaussian.bandwidth:.2f}"),
    }
    print(f"{len(X)} iris flowers of 3 species, {X.shape[1]} measurements each, in three feature spaces\n")
    rows = [{"kernel": formula} | describe(gm.FeatureSpace(kernel), iris) for kernel, formula in kernels.values()]
    table(list(kernels), rows)
    print("\nReading it: every number comes from inner products alone. The linear space is the one you measured;")
    print("the polynomial one has every product of two measurements as a coordinate; the Gaussian one has infinitely")
    print("many, and there the flowers lie in the most directions. A p-value of 0.001 says that of 999 random")
    print("relabellings of the two species none put their centres as far apart as they are. The smallest eigenvalue")
    print("is zero up to rounding: no combination of the flowers has a negative squared length, as it must be.")
    draw({title: kernel for title, (kernel, _) in kernels.items()}, X, species, iris.target_names, picture)
    print(f"\nPicture: {picture.resolve()}")


def describe(phi: gm.FeatureSpace, iris) -> dict[str, str]:
    """The numbers a person wants of a sample in one feature space."""
    S = phi(iris.data)
    distances = S.distances(S.mean())
    far = int(np.argmax(distances))
    facts = {
        "dimensions spanned, to 1e-12": str(S.rank(tol=1e-12)),
        "mean distance to origin": f"{S.norms().mean():.3f}",
        "centre's distance to origin": f"{S.mean().norm():.3f}",
        "mean distance to centre": f"{distances.mean():.3f}",
        "total variance": f"{S.total_variance():.4g}",
        "directions for 95 % of it": str(S.dimension(0.95)),
        "farthest flower": f"#{far} {iris.target_names[iris.target[far]]}, {distances[far]:.3f}",
        "smallest eigenvalue of K": f"{gm.is_psd(S.gram()).smallest:.1e}",
    }
    for a, b in combinations(range(3), 2):
        test = gm.mean_test(phi(iris.data[iris.target == a]), phi(iris.data[iris.target == b]), rng=0)
        facts[f"{iris.target_names[a]} – {iris.target_names[b]}"] = f"{test.distance:.3f} (p = {test.p_value:.3f})"
    return facts


def table(titles: list[str], rows: list[dict[str, str]]) -> None:
    label = max(map(len, rows[0]))
    width = max(len(text) for facts in rows for text in facts.values()) + 2
    print(" " * label + "".join(title.rjust(width) for title in titles))
    for key in rows[0]:
        print(key.ljust(label) + "".join(facts[key].rjust(width) for facts in rows))


def draw(kernels: dict[str, gm.Kernel], X, species, names, picture: Path) -> None:
    figure, axes = plt.subplots(2, 3, figsize=(12, 7.2), height_ratios=(2, 1), layout="constrained")
    for (title, kernel), (top, bottom) in zip(kernels.items(), axes.T, strict=True):
        S = gm.FeatureSpace(kernel)(X).center()
        spectrum = gm.eigen(S.gram())
        share = np.cumsum(spectrum.values) / spectrum.values.sum()
        coordinates = S.subspace("eigen", rank=2).coordinates(X)
        for k, name in enumerate(names):
            cloud = coordinates[species == k]
            top.scatter(*cloud.T, s=22, c=COLORS[k], marker=MARKERS[k], alpha=0.75, linewidths=0, label=name)
            top.scatter(*cloud.mean(axis=0), s=140, c=COLORS[k], marker=MARKERS[k], edgecolors="black", linewidths=1.2)
        top.set_title(f"{title}\n{share[1]:.0%} of the variance shown")
        top.set_xlabel("first principal direction")
        top.set_ylabel("second")
        bottom.plot(np.arange(1, 16), share[:15], "o-", color="#444444", markersize=4)
        bottom.axhline(0.95, color="#cc3311", linewidth=1, linestyle="--")
        bottom.set_ylim(0, 1.05)
        bottom.set_xticks(range(1, 16, 2))
        bottom.set_xlabel("number of directions")
        bottom.set_ylabel("share of variance")
    axes[0, 0].legend(title="species (large: centre)", frameon=False)
    axes[1, 0].text(15, 0.9, "95 %", color="#cc3311", ha="right", va="top")
    figure.suptitle("Iris in three feature spaces", fontsize=15)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/three_spaces.png"))
