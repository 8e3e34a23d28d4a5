"""How time and memory grow: with the number of points, with the length of strings, with the nodes of a graph."""

from pathlib import Path

import numpy as np
from measure import alone

POINTS = {
    "dense": ("Gram, dense()", [1000, 2000, 4000, 8000, 16000]),
    "product": ("gram @ v", [4000, 8000, 16000, 32000, 64000]),
    "cholesky": ("Cholesky, rank 200", [4000, 8000, 16000, 32000, 64000, 128000]),
}
OBJECTS = {
    "long_strings": ("FullSpectrum of two strings of n characters", [62_500, 125_000, 250_000, 500_000, 1_000_000]),
    "heat_columns": ("ten columns of the heat kernel of n nodes", [25_000, 50_000, 100_000, 200_000, 400_000]),
}

Measured = dict[str, tuple[str, list[int], list[dict[str, float]]]]


def measure(jobs: dict[str, tuple[str, list[int]]]) -> Measured:
    return {job: (label, sizes, [alone(job, n) for n in sizes]) for job, (label, sizes) in jobs.items()}


def slope(sizes: list[int], values: list[float]) -> float:
    """Exponent of growth over the three largest sizes, where fixed costs no longer show."""
    return float(np.polyfit(np.log(sizes[-3:]), np.log(values[-3:]), 1)[0])


def draw(measured: Measured, title: str, picture: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    for axis, key, unit in zip(
        axes, ("seconds", "megabytes"), ("time (s)", "peak memory beyond the data (MB)"), strict=True
    ):
        for (label, sizes, answers), color, marker in zip(
            measured.values(), ("#0072b2", "#e69f00", "#009e73"), "os^", strict=False
        ):
            values = [max(a[key], 1e-3) for a in answers]
            text = f"{label}: n^{slope(sizes, values):.1f}"
            axis.loglog(sizes, values, marker + "-", color=color, label=text)
        axis.set_xlabel("n")
        axis.set_ylabel(unit)
        axis.grid(True, which="major", alpha=0.3)
        axis.legend(frameon=False)
    figure.suptitle(title)
    figure.savefig(picture, dpi=110)
