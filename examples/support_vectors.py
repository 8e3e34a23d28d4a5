"""Support vector machines on strings, nodes of a graph and rows of a table, through the rows of a Gram.

python examples/support_vectors.py
"""

import numpy as np
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR, OneClassSVM

import gramian as gm


def promoters() -> None:
    """Classify pieces of DNA, the length of the substrings chosen inside the training folds."""
    dna = gm.load_promoters()
    model = make_pipeline(gm.GramRows(gm.FullSpectrum(2, 5).normalize()), SVC(kernel="precomputed", C=10))
    kernels = [gm.Spectrum(4).normalize(), gm.FullSpectrum(2, 5).normalize(), gm.Composition(length=5).normalize()]
    search = GridSearchCV(model, {"gramrows__kernel": kernels}, cv=5)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    print(f"promoters, SVC: {100 * cross_val_score(search, dna.data, dna.target, cv=folds).mean():.1f} % right")

    known = [x for x, kind in zip(dna.data, dna.target, strict=True) if kind == 1]
    others = [x for x, kind in zip(dna.data, dna.target, strict=True) if kind == 0]
    single = make_pipeline(gm.GramRows(gm.FullSpectrum(2, 5).normalize()), OneClassSVM(kernel="precomputed", nu=0.2))
    single.fit(known[::2])
    kept, passed = (np.mean(single.predict(some) == 1) for some in (known[1::2], others))
    print(f"promoters, OneClassSVM: {100 * kept:.0f} % of other promoters accepted, {100 * passed:.0f} % of the rest")


def football() -> None:
    """Find the conference of a team by whom it played; the time of diffusion by a grid search."""
    league = gm.load_football()
    heat = gm.ExponentialDiffusion(league.graph, beta=0.5, of="laplacian")
    model = make_pipeline(gm.GramRows(heat), SVC(kernel="precomputed", C=100))
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(model, {"gramrows__kernel__beta": [0.1, 0.3, 0.5, 1.0]}, cv=folds)
    search.fit(league.data, league.target)
    beta = search.best_params_["gramrows__kernel__beta"]
    print(f"football, SVC: {100 * search.best_score_:.1f} % right, with beta = {beta}")


def cars() -> None:
    """Predict miles per gallon from numbers, a category and a name."""
    data = gm.load_cars()
    numbers = gm.Gaussian("median").pullback(gm.Standardize()).on("weight", "horsepower", "year", "displacement")
    kernel = numbers * (gm.Equality().on("origin") + 1) + 0.1 * gm.Spectrum(3).normalize().on("name")
    model = make_pipeline(gm.GramRows(kernel), SVR(kernel="precomputed", C=100))
    folds = KFold(5, shuffle=True, random_state=0)
    print(f"cars, SVR: R² = {cross_val_score(model, data.data, data.target, cv=folds).mean():.2f}")


if __name__ == "__main__":
    promoters()
    football()
    cars()
