"""python benchmarks/quality.py: how good the learners are, by the same cross-validation as what one would use instead.

Prints the table of the README. Every model sees standardized features; those that are tuned are tuned inside the
training folds. Repeated folds, the same for all; the spread is over repetitions.
"""

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.decomposition import KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, OneClassSVM

import gramian as gm

ROOT = Path(__file__).parent.parent
SEEDS = (0, 1)
SCALES = (0.5, 1.0, 2.0, 4.0)
SPLITS = 50
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
    for part in (classification, regression, novelty):
        print("\n".join(part()), end="\n\n", flush=True)
