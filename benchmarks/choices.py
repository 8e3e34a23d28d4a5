"""python benchmarks/choices.py: what it costs, and gains, to confirm a ridge that was chosen in low rank.

Each set is fitted three times to 3,000 objects: with the ridge as low rank chooses it, as exact errors confirm it (as
`fit` does), and as a decomposition of all of K chooses it. Prints errors at up to 3,000 other objects, and
processor seconds of the fit. With `--data DIR` the sets of quality.py are among them.
"""

import sys
import time
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy as np
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

import gramian as gm
from gramian.learn import confirming

N = 3_000
REAL = ("letter", "satellite", "spam", "shuttle")
MODULES = ("gramian.learn.fisher", "gramian.learn.ridge")


def classes(folder: Path | None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Sets with labels."""
    import pandas as pd

    rng = np.random.default_rng(0)
    found = {
        f"{c} classes": datasets.make_classification(6000, 30, n_informative=10, n_classes=c, random_state=0)
        for c in (2, 6)
    }
    points, labels = 4 * rng.random((6000, 2)), rng.random(6000) < 0.05
    found["checkerboard"] = points, (points.astype(int).sum(axis=1) % 2) ^ labels
    shells, inner = rng.standard_normal((6000, 20)), rng.integers(0, 2, 6000)
    found["two clouds"] = shells * (2 - inner[:, None]) + inner[:, None] * 2 / np.sqrt(20), inner
    for name in REAL if folder else ():
        table = pd.read_csv(folder / f"{name}.csv")
        found[name] = table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].astype("category").cat.codes.to_numpy()
    return found


def numbers() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Sets with targets."""
    rng = np.random.default_rng(0)
    plane, cube, space = rng.random((6000, 2)), rng.random((6000, 3)), rng.standard_normal((6000, 30))
    noise = rng.standard_normal(6000)
    return {
        "friedman 1": datasets.make_friedman1(6000, noise=1, random_state=0),
        "friedman 2": datasets.make_friedman2(6000, noise=100, random_state=0),
        "friedman 3": datasets.make_friedman3(6000, noise=0.1, random_state=0),
        "smooth": (space, space[:, 0] * space[:, 1] + np.sin(space[:, 2]) + 0.1 * noise),
        "waves": (plane, np.sin(20 * plane[:, 0]) * np.cos(20 * plane[:, 1]) + 0.1 * noise),
        "steps": (cube, (5 * cube).astype(int).sum(axis=1) % 3 + 0.2 * noise),
    }


def compared(X: np.ndarray, y: np.ndarray, labels: bool) -> str:
    """The cells of a row: error and seconds of each way."""
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[:N], order[N : 2 * N]
    if labels:
        usual = np.flatnonzero(np.bincount(y[train], minlength=int(y.max()) + 1) >= 8)
        train, test = (some[np.isin(y[some], usual)] for some in (train, test))
    scaler = StandardScaler().fit(X[train])
    cells = []
    for affordable, exactly in ((0.0, False), (confirming.CONFIRMING, False), (0.0, True)):
        model = gm.FisherDiscriminant() if labels else gm.KernelRidge(fit_intercept=True)
        with patch.object(confirming, "CONFIRMING", affordable):
            patched = [patch(f"{module}.compares_exactly", lambda n: True) for module in MODULES] if exactly else []
            for one in patched:
                one.start()
            start = time.process_time()
            model.fit(scaler.transform(X[train]), y[train])
            seconds = time.process_time() - start
            for one in patched:
                one.stop()
        score = model.score(scaler.transform(X[test]), y[test])
        cells.append(f"{100 * (1 - score):.2f} ({seconds:.1f} s)")
    return " | ".join(cells)


def main() -> None:
    folder = Path(sys.argv[sys.argv.index("--data") + 1]) if "--data" in sys.argv else None
    print("| error, % (processor seconds) | low rank | confirmed | all of K decomposed |\n|---|---|---|---|")
    for labels, sets in ((True, classes(folder)), (False, numbers())):
        for name, (X, y) in sets.items():
            print(f"| {name} | {compared(X, y.astype(int) if labels else y, labels)} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
