"""Four studies on data that ships with the package, each against the obvious baseline by the same cross-validation.

python examples/studies.py [picture.png]
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.patheffects import withStroke
from scipy.sparse.csgraph import shortest_path
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import GroupKFold, RepeatedKFold, RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import LinearSVC

import gramian as gm


def show(title: str, rows: dict[str, np.ndarray], unit: str, scale: float) -> None:
    """Print a table: the mean of each row's scores, and the standard deviation over the folds or draws."""
    print(f"\n{title}\n")
    for name, scores in rows.items():
        print(f"  {name:<58}{scale * np.mean(scores):6.2f} ± {scale * np.std(scores):.2f} {unit}")


def promoters() -> None:
    """Sequences: which pieces of DNA are promoters?"""
    data = gm.load_promoters()
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=5, random_state=0)

    def scores(model) -> np.ndarray:
        return cross_val_score(model, np.array(data.data), data.target, cv=folds)

    def counts(shortest: int, longest: int) -> CountVectorizer:
        return CountVectorizer(analyzer="char", ngram_range=(shortest, longest))

    kernels = {
        "Spectrum(4)": gm.Spectrum(4),
        "Mismatch(5, 1)": gm.Mismatch(5, 1, alphabet="acgt"),
        "FullSpectrum(2, 5)": gm.FullSpectrum(2, 5),
    }
    rows = {f"FisherDiscriminant, {name}": scores(gm.FisherDiscriminant(k.normalize())) for name, k in kernels.items()}
    logistic = LogisticRegression(max_iter=5000)
    rows["counts of length 4 + LogisticRegression"] = scores(make_pipeline(counts(4, 4), logistic))
    rows["counts of lengths 2 to 5 + LogisticRegression"] = scores(make_pipeline(counts(2, 5), logistic))
    show("Promoters: accuracy, ten folds five times", rows, "%", 100)


def addresses() -> tuple[gm.KernelPCA, np.ndarray, np.ndarray]:
    """Documents: from which period is a passage, when its president was never seen?"""
    data = gm.load_addresses()
    folds, president = GroupKFold(10), data.details["president"]

    def scores(model) -> np.ndarray:
        texts = np.array(data.data, dtype=object)
        return cross_val_score(model, texts, data.target, groups=president, cv=folds)

    kernel = gm.BagOfWords("tf-idf").normalize()
    rows = {
        "FisherDiscriminant, BagOfWords('tf-idf').normalize()": scores(gm.FisherDiscriminant(kernel)),
        "ParzenClassifier, the same": scores(gm.ParzenClassifier(kernel)),
        "TfidfVectorizer + LogisticRegression": scores(
            make_pipeline(TfidfVectorizer(), LogisticRegression(C=10, max_iter=5000))
        ),
        "TfidfVectorizer + LinearSVC": scores(make_pipeline(TfidfVectorizer(), LinearSVC())),
    }
    show("Annual messages: accuracy on four periods, ten folds of whole presidents", rows, "%", 100)
    pca = gm.KernelPCA(2, kernel).fit(data.data)
    return pca, pca.transform(data.data), data.details["year"]


def football() -> None:
    """Graph nodes: in which conference does a team play, when a few teams of each are known?"""
    data = gm.load_football()
    teams, graph = np.array(data.data, dtype=object), data.graph
    member = np.flatnonzero(np.array(data.target_names)[data.target] != "Independent")
    A, hops = graph.matrix.toarray(), shortest_path(graph.matrix, unweighted=True)

    def draws(known: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        rng = np.random.default_rng(0)
        for _ in range(100):
            by_class = [member[data.target[member] == c] for c in np.unique(data.target[member])]
            train = np.concatenate([rng.choice(some, known, replace=False) for some in by_class])
            yield train, np.setdiff1d(member, train)

    def scores(predict: Callable[[np.ndarray, np.ndarray], np.ndarray], known: int) -> np.ndarray:
        return np.array([np.mean(predict(a, b) == data.target[b]) for a, b in draws(known)])

    def nearest(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        return data.target[train][hops[np.ix_(test, train)].argmin(axis=1)]

    def rows_of_matrix(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        return LogisticRegression(max_iter=1000).fit(A[train], data.target[train]).predict(A[test])

    def spreading(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        labels = np.full(len(teams), -1)
        labels[train] = data.target[train]
        model = LabelSpreading(kernel=lambda X, Z: A, alpha=0.8, max_iter=300)
        return model.fit(np.arange(len(teams))[:, None], labels).transduction_[test]

    def parzen(kernel: gm.Kernel) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
        return lambda train, test: (
            gm.ParzenClassifier(kernel).fit(teams[train], data.target[train]).predict(teams[test])
        )

    for known in (1, 2):
        rows = {
            "ParzenClassifier, heat kernel (beta=0.5)": scores(
                parzen(gm.ExponentialDiffusion(graph, beta=0.5, of="laplacian")), known
            ),
            "ParzenClassifier, VonNeumannDiffusion(beta=0.9), normalized": scores(
                parzen(gm.VonNeumannDiffusion(graph, beta=0.9, of="normalized").normalize()), known
            ),
            "nearest known team by number of games": scores(nearest, known),
            "rows of the adjacency matrix + LogisticRegression": scores(rows_of_matrix, known),
            "LabelSpreading on the adjacency matrix": scores(spreading, known),
        }
        teams_known = "one known team" if known == 1 else f"{known} known teams"
        show(f"Football: accuracy with {teams_known} a conference, 100 draws", rows, "%", 100)


def cars() -> None:
    """A mixed table: how far does a car go on a gallon?"""
    data = gm.load_cars()
    table, measured = pd.DataFrame(data.data), [name for name in data.feature_names if name not in ("origin", "name")]
    folds = RepeatedKFold(n_splits=5, n_repeats=3, random_state=0)

    def scores(model) -> np.ndarray:
        return -cross_val_score(model, table, data.target, cv=folds, scoring="neg_mean_absolute_error")

    numbers = gm.Gaussian("median").pullback(gm.Standardize()).on(*measured)
    names, origin = gm.Spectrum(3).normalize().on("name"), gm.Equality().on("origin")
    kernels = {
        "numbers": numbers,
        "numbers * (origin + 1)": numbers * (origin + 1),
        "numbers * (origin + 1) + 0.1 * names": numbers * (origin + 1) + 0.1 * names,
    }
    rows = {f"KernelRidge, {name}": scores(gm.KernelRidge(k, fit_intercept=True)) for name, k in kernels.items()}
    everything = make_column_transformer(
        (StandardScaler(), measured), (OneHotEncoder(), ["origin"]), (TfidfVectorizer(), "name")
    )
    rows["numbers, one-hot origin, tf-idf of the name + RidgeCV"] = scores(
        make_pipeline(everything, RidgeCV(np.logspace(-3, 3, 13)))
    )
    plain = make_column_transformer(("passthrough", measured), (OneHotEncoder(), ["origin"]))
    rows["numbers, one-hot origin + RandomForestRegressor"] = scores(
        make_pipeline(plain, RandomForestRegressor(200, random_state=0))
    )
    show("Cars: mean absolute error, five folds three times", rows, "miles per gallon", 1)


def draw(points: np.ndarray, year: np.ndarray, shares: np.ndarray, picture: Path) -> None:
    """The messages in the plane of their first two kernel principal components."""
    figure, ax = plt.subplots(figsize=(8.6, 5.6), layout="constrained")
    dots = ax.scatter(*points.T, c=year, cmap="viridis", s=26, edgecolor="white", linewidth=0.4)
    centers = np.array([1800, 1840, 1880, 1910, 1940, 1960, 1980, 2005])
    path = np.array([points[np.abs(year - center) <= 10].mean(axis=0) for center in centers])
    ax.plot(*path.T, color="0.35", linewidth=1.2, zorder=0)
    outline = [withStroke(linewidth=3, foreground="white")]
    for center, place in zip(centers, path, strict=True):
        ax.annotate(str(center), place, fontsize=11, weight="bold", ha="center", va="center", path_effects=outline)
    figure.colorbar(dots, label="year")
    ax.set_xlabel(f"first component ({shares[0]:.1%} of the variance)")
    ax.set_ylabel(f"second component ({shares[1]:.1%})")
    ax.set_title(
        "Annual messages of U.S. presidents: kernel PCA of their words\n"
        "the map is not told the years; the line joins means over twenty years"
    )
    figure.savefig(picture, dpi=100)
    print(f"\nPicture: {picture.resolve()}")


def main(picture: Path) -> None:
    promoters()
    pca, points, year = addresses()
    football()
    cars()
    draw(points, year, pca.explained_variance_ratio_, picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("addresses.png"))
