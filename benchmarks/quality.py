"""python benchmarks/quality.py: how good the learners are, by the same cross-validation as what one would use instead.

Prints the table of the README. Every model sees standardized features; those that are tuned are tuned inside the
training folds. Repeated folds, the same for all; the spread is over repetitions.

With a folder, `python benchmarks/quality.py --data DIR`, the table of larger sets instead: satellite.csv, letter.csv
and shuttle.csv as `write.csv` writes them of R's package mlbench (the class in the last column), and spam.csv of
kernlab. Names of sets behind it ask for these alone. The seconds of that table are those of all cores together.
"""

import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.decomposition import KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, OneClassSVM

import gramian as gm

ROOT = Path(__file__).parent.parent
SEEDS = (0, 1)
SCALES = (0.5, 1.0, 2.0, 4.0)
SPLITS = 50
LARGER = ("satellite", "letter", "spam", "shuttle")
STANDARDIZING = gm.Gaussian("median").pullback(gm.Standardize())  # by the part of the sample that makes the centre


def scaled(model):
    return make_pipeline(StandardScaler(), model)


def gaussians(d: int) -> list[gm.Kernel]:
    """Bandwidths about √(2d), the typical distance of standardized points."""
    return [gm.Gaussian(bandwidth=float(s * np.sqrt(2 * d) / 2)) for s in SCALES]


def gammas(d: int) -> list[float]:
    return [1 / (2 * k.bandwidth**2) for k in gaussians(d)]


def classifiers(d: int) -> dict[str, object]:
    return {
        "**ParzenClassifier()**": gm.ParzenClassifier(),
        "**FisherDiscriminant()**": gm.FisherDiscriminant(),
        "**KernelSearch(FisherDiscriminant())**": gm.KernelSearch(gm.FisherDiscriminant(), gaussians(d)),
        "**KernelPCA(20)** + LogisticRegression": make_pipeline(gm.KernelPCA(20), LogisticRegression(max_iter=2000)),
        "**GramSchmidt(rank=100)** + LogisticRegression": make_pipeline(
            gm.GramSchmidt(rank=100), LogisticRegression(max_iter=2000)
        ),
        "SVC()": SVC(),
        "SVC tuned by GridSearchCV": GridSearchCV(SVC(), {"C": [1, 10, 100], "gamma": gammas(d)}),
        "LDA": LinearDiscriminantAnalysis(),
        "KNN(5)": KNeighborsClassifier(),
        "scikit-learn KernelPCA(20) + LogisticRegression": make_pipeline(
            KernelPCA(20, kernel="rbf"), LogisticRegression(max_iter=2000)
        ),
    }


def regressors(d: int) -> dict[str, object]:
    return {
        "**KernelRidge(fit_intercept=True)**": gm.KernelRidge(fit_intercept=True),
        "**KernelSearch(KernelRidge(fit_intercept=True))**": gm.KernelSearch(
            gm.KernelRidge(fit_intercept=True), gaussians(d)
        ),
        "scikit-learn KernelRidge(kernel='rbf')": KernelRidge(kernel="rbf"),
        "scikit-learn KernelRidge tuned by GridSearchCV": GridSearchCV(
            KernelRidge(kernel="rbf"), {"alpha": np.geomspace(1e-3, 10, 9), "gamma": gammas(d)}
        ),
        "RidgeCV (linear)": RidgeCV(np.geomspace(1e-3, 1e3, 25)),
    }


def larger_classifiers() -> dict[str, object]:
    """What one would try on some thousand rows; the tuned SVC chooses among six pairs."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

    tuned = GridSearchCV(SVC(), {"C": [1, 10, 100], "gamma": ["scale", 0.1]}, cv=3)
    return {
        "**ParzenClassifier()**": gm.ParzenClassifier(),
        "**FisherDiscriminant()**": gm.FisherDiscriminant(),
        "**KernelClassifier()**": gm.KernelClassifier(),
        "SVC()": SVC(),
        "SVC tuned by GridSearchCV": tuned,
        "RandomForestClassifier(500)": RandomForestClassifier(500, n_jobs=-1, random_state=0),
        "HistGradientBoostingClassifier()": HistGradientBoostingClassifier(random_state=0),
        "LogisticRegression": LogisticRegression(max_iter=2000),
        "KNN(5)": KNeighborsClassifier(),
    }


def larger(folder: Path, *names: str) -> list[str]:
    """Three quarters to learn from, a quarter to be judged by; of shuttle 20,000 rows."""
    import pandas as pd

    sets = {}
    for name in names or LARGER:
        found = pd.read_csv(folder / f"{name}.csv")
        if name == "shuttle":
            found = found.sample(20_000, random_state=0)
        y = found.iloc[:, -1].astype("category").cat.codes.to_numpy()
        X = found.iloc[:, :-1].to_numpy(float)
        kept = np.isin(y, np.flatnonzero(np.bincount(y) >= 8))
        sets[name] = train_test_split(X[kept], y[kept], test_size=0.25, random_state=0, stratify=y[kept])
    heads = [f"{name} ({len(X):,} × {X.shape[1]}, {len(np.unique(y))})" for name, (X, _, y, _) in sets.items()]
    lines = [f"| accuracy, % (processor seconds of the fit) | {' | '.join(heads)} |", "|---|" + "---|" * len(sets)]
    for name in larger_classifiers():
        cells = []
        for X, Z, y, t in sets.values():
            model = scaled(larger_classifiers()[name])
            start = time.process_time()
            model.fit(X, y)
            seconds = time.process_time() - start
            cells.append(f"{100 * model.score(Z, t):.2f} ({seconds:.2g})")
        lines.append(f"| {name} | {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return lines


def cross_validated(model, X, y, folds) -> tuple[float, float]:
    start = time.perf_counter()
    means = [cross_val_score(clone(model), X, y, cv=folds(5, shuffle=True, random_state=s)).mean() for s in SEEDS]
    return float(np.mean(means)), (time.perf_counter() - start) / len(SEEDS) / 5


def classification() -> list[str]:
    data = {"digits": load_digits, "breast cancer": load_breast_cancer, "wine": load_wine}
    sets = {name: load(return_X_y=True) for name, load in data.items()}
    names = list(classifiers(4))
    lines = [f"| accuracy, % (seconds a fit) | {' | '.join(sets)} |", "|---|" + "---|" * len(sets)]
    for name in names:
        cells = []
        for X, y in sets.values():
            score, seconds = cross_validated(scaled(classifiers(X.shape[1])[name]), X, y, StratifiedKFold)
            cells.append(f"{100 * score:.1f} ({seconds:.2g})")
        lines.append(f"| {name} | {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return lines


def regression() -> list[str]:
    X, y = load_diabetes(return_X_y=True)
    lines = ["| R² | diabetes (seconds a fit) |", "|---|---|"]
    for name, model in regressors(X.shape[1]).items():
        score, seconds = cross_validated(scaled(model), X, y, KFold)
        lines.append(f"| {name} | {score:.3f} ({seconds:.2g}) |")
    return lines


def novelty() -> list[str]:
    """Train on half of one class; false alarms on the other half, alarms on the other classes."""
    detectors = {
        '**NoveltyDetector(calibration="conformal", alpha=0.05)**': lambda s: gm.NoveltyDetector(
            STANDARDIZING, calibration="conformal", alpha=0.05, random_state=s
        ),
        "OneClassSVM(nu=0.05)": lambda s: scaled(OneClassSVM(nu=0.05)),
    }
    sets = {
        "digits (0 to 9 in turn)": load_digits(return_X_y=True),
        "breast cancer (benign)": load_breast_cancer(return_X_y=True),
    }
    lines = ["| asked for 5 % false alarms: false alarms, detected, AUC, % | " + " | ".join(sets) + " |"]
    lines.append("|---|" + "---|" * len(sets))
    for name, make in detectors.items():
        cells = []
        for (X, y), usual in zip(sets.values(), (range(10), [1]), strict=True):
            found = np.array([_one_class(make, X, y, label, seed) for label in usual for seed in range(SPLITS)])
            cells.append(" / ".join(f"{100 * v:.1f}" for v in found.mean(axis=0)))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _one_class(make, X, y, label, seed) -> tuple[float, float, float]:
    inside = np.random.default_rng(seed).permutation(np.flatnonzero(y == label))
    train, test = np.array_split(inside, 2)
    model = make(seed).fit(X[train])
    values = model.decision_function(X)
    other = values[y != label]
    auc = roc_auc_score(np.r_[np.zeros(len(test)), np.ones(len(other))], -np.r_[values[test], other])
    return float(np.mean(values[test] < 0)), float(np.mean(other < 0)), float(auc)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    given = sys.argv[sys.argv.index("--data") + 1 :] if "--data" in sys.argv else []
    tables = [partial(larger, Path(given[0]), *given[1:])] if given else [classification, regression, novelty]
    for part in tables:
        print("\n".join(part()), end="\n\n", flush=True)
