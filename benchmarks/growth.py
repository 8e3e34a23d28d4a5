"""How time and memory grow: with the number of points, with the length of strings, with the nodes of a graph.

Every path through the library has a curve, the exponents that theory gives it, and, where the measured one is worse,
a remark that says why.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from measure import must


@dataclass(frozen=True)
class Path:
    """One way through the library: the job, its sizes, and the exponents of n that theory gives time and memory."""

    label: str
    job: str
    sizes: tuple[int, ...]
    time: float
    memory: float
    arguments: tuple[str, ...] = ()
    least: int = 256  # size below which it would not be this path


MATRIX = {
    "gram_dense": Path("Gram, dense()", "dense", (1000, 2000, 4000, 8000, 16_000), 2, 2),
    "gram_product": Path("gram @ v", "product", (4000, 8000, 16_000, 32_000, 64_000), 2, 0),
    "cholesky": Path("Cholesky, rank 200", "cholesky", (8000, 16_000, 32_000, 64_000, 128_000), 1, 1),
}
EXACT = {
    "ridge_factored": Path("ridge, K factored (n ≤ 3,000)", "exact_ridge", (750, 1500, 3000), 3, 2, ("0.01",)),
    "ridge_held": Path("ridge, K in memory", "exact_ridge", (3500, 5000, 7000, 10_000), 2, 2, ("0.01",), least=3100),
    "ridge_free": Path(
        "ridge, matrix-free", "exact_ridge", (12_000, 20_000, 32_000, 50_000), 2, 1.5, ("0.01",), least=11_700
    ),
    "pca_free": Path("PCA(10), matrix-free", "exact_pca", (17_000, 24_000, 34_000, 48_000), 2, 1, least=16_500),
}
LARGE = {
    "low_rank": Path(
        "ridge, rank 500", "low_rank_ridge", (62_500, 125_000, 250_000, 500_000, 1_000_000), 1, 0, ("500", "1.0")
    ),
    "stream": Path(
        "Parzen, rank 500, from a file",
        "stream",
        (125_000, 250_000, 500_000, 1_000_000, 2_000_000),
        1,
        0,
        ("parzen", "npy", "500"),
    ),
}
OBJECTS = {
    "strings": Path("Spectrum(5) and ridge, n strings", "string_ridge", (12_500, 25_000, 50_000, 100_000), 1, 1),
    "nodes": Path("node PCA(3), n nodes", "node_pca", (12_500, 25_000, 50_000, 100_000), 1, 1, least=3100),
    "long_strings": Path(
        "FullSpectrum, 2 strings of n characters",
        "long_strings",
        (125_000, 250_000, 500_000, 1_000_000, 2_000_000),
        1,
        1,
        least=70_000,
    ),
    "heat_columns": Path(
        "10 columns of the heat kernel", "heat_columns", (25_000, 50_000, 100_000, 200_000, 400_000), 1, 1
    ),
}
PICTURES = {
    "growth_matrix": ("The matrix: Gaussian kernel, d = 10, float32", MATRIX),
    "growth_exact": ("Exact learners: Gaussian kernel, d = 10, float64", EXACT),
    "growth_large": ("Low rank and streams: d = 10", LARGE),
    "growth_objects": ("Strings and the nodes of graphs", OBJECTS),
}
SLACK = 0.15  # by which a measured exponent may exceed that of theory without a remark

# Why an exponent is worse than that of theory. To be looked at after every full run.
GATHERED = "as many products with the graph whatever n; the columns that they gather at random leave the caches"
REMARKS = {
    "strings": "up to 32,768 strings the features are held and decomposed at once, beyond they are summed up in parts",
    "nodes": GATHERED,
    "long_strings": "sorting suffixes is linear in the length; outside the caches each symbol costs a little more",
    "heat_columns": GATHERED,
}


def measure(path: Path, scale: float = 1.0) -> dict[str, Any]:
    sizes = [max(int(n * scale), path.least) for n in path.sizes]
    sizes = sorted({max(n, path.least) for n in sizes})
    if len(sizes) < 3:
        sizes = [int(sizes[-1] * f) for f in (1, 1.2, 1.5)]
    answers = [must(path.job, n, *path.arguments) for n in sizes]
    return {
        "sizes": sizes,
        "seconds": [a["seconds"] for a in answers],
        "megabytes": [a["megabytes"] for a in answers],
    }


def slope(sizes: list[int], values: list[float]) -> float:
    """Exponent of growth over the three largest sizes, where fixed costs no longer show."""
    return float(np.polyfit(np.log(sizes[-3:]), np.log(np.maximum(values[-3:], 1e-3)), 1)[0])


def described(name: str, path: Path, found: dict[str, Any]) -> str:
    """One line on a curve: its exponents beside those of theory, and the remark where it is worse."""
    time, memory = slope(found["sizes"], found["seconds"]), slope(found["sizes"], found["megabytes"])
    text = (
        f"- {path.label}: time n^{time:.2f} (theory {path.time:g}), memory n^{max(memory, 0):.2f} (theory "
        f"{path.memory:g}); at n = {found['sizes'][-1]:,} {found['seconds'][-1]:.2f} s and "
        f"{found['megabytes'][-1]:.0f} MB beyond the data"
    )
    if time > path.time + SLACK:
        text += f". More than in theory: {REMARKS.get(name, '**not explained yet**')}"
    return text
