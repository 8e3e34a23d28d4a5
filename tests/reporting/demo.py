"""A report with every kind of block and figure, on the data that ships with the package."""

from __future__ import annotations

from typing import Any

import numpy as np

import gramian as gm


def demo_report() -> dict[str, Any]:
    """Return a report such as a good analyst would write about the irises."""
    return {
        "title": "150 irises, seen in the feature space of a Gaussian kernel",
        "subtitle": "iris.csv: 150 flowers of 3 species, 4 measures each. The kernel was chosen among 6 by closed-form "
        "leave-one-out; all figures are exact unless they say otherwise.",
        "version": "0.1.0",
        "seconds": 2.34,
        "sections": [_came_in(), _kernel(), _geometry(), _spectrum(), _map(), _novelty(), _target()],
        "formulas": _formulas(),
    }


def _came_in() -> dict[str, Any]:
    return {
        "id": "came-in",
        "title": "What came in",
        "lead": "A table of 150 rows and 5 columns: four numbers and the species, which is taken as the target.",
        "blocks": [
            {
                "type": "facts",
                "items": [
                    _fact("objects", "150", "one flower each"),
                    _fact("columns", "5", "4 numbers, 1 of classes"),
                    _fact("missing values", "2", "rows 17 and 88: filled by the median"),
                    _fact("task", "classes", "3 species of 50 flowers each"),
                ],
            },
            {
                "type": "table",
                "caption": "Columns",
                "columns": [
                    {"name": "column", "kind": "text"},
                    {"name": "taken as", "kind": "text"},
                    {"name": "missing", "kind": "number"},
                    {"name": "mean", "kind": "number"},
                    {"name": "spread", "kind": "bar"},
                ],
                "rows": [
                    ["sepal length (cm)", "number", 0, 5.8433, 0.8281],
                    ["sepal width (cm)", "number", 2, 3.0573, 0.4359],
                    ["petal length (cm)", "number", 0, 3.758, 1.7653],
                    ["petal width (cm)", "number", 0, 1.1993, 0.7622],
                    ["species", "target, 3 classes", 0, None, None],
                ],
                "best": None,
                "formula": None,
            },
            {
                "type": "note",
                "level": "info",
                "text": "Columns have equal spread now, so that none rules by its unit.",
            },
            {
                "type": "note",
                "level": "warning",
                "text": "Three flowers occur twice. They were kept; leave-one-out errors may look a little too good.",
            },
        ],
    }


def _kernel() -> dict[str, Any]:
    names = [
        "0.5 * Gaussian(bandwidth=1.7) + Polynomial(degree=2)", "Gaussian(bandwidth='median')", "Polynomial(degree=2)",
        "Polynomial(degree=3)", "Laplacian(bandwidth='median')", "Matern(bandwidth='median')", "Linear()",
        *(f"Gaussian(bandwidth={w:g})" for w in (0.1, 0.2, 0.5, 1, 2, 5, 10)),
    ]  # fmt: skip
    rng = np.random.default_rng(0)
    rows = [[name, 0.967 - 0.02 * k, 0.5 - 0.03 * k, float(rng.uniform(0.01, 2))] for k, name in enumerate(names)]
    return {
        "id": "kernel",
        "title": "The kernel, and why",
        "lead": "A Gaussian as wide as the median distance separates the species best.",
        "blocks": [
            {"type": "text", "text": "Fourteen kernels were tried. What counts is how well each predicts a flower that "
             "it has not seen.\n\nThe winner is simple: flowers are alike when their measures are close."},
            {
                "type": "table",
                "caption": "Candidates, by accuracy on flowers left out",
                "columns": [
                    {"name": "kernel", "kind": "text"},
                    {"name": "left-out accuracy", "kind": "bar"},
                    {"name": "alignment", "kind": "number"},
                    {"name": "seconds", "kind": "number"},
                ],
                "rows": rows,
                "best": 0,
                "formula": "alignment",
            },
        ],
    }  # fmt: skip


def _geometry() -> dict[str, Any]:
    X = _standard()
    distances = np.linalg.norm(X - X.mean(axis=0), axis=1)
    edges = np.linspace(0, distances.max(), 25)
    labels = gm.load_iris().target
    counts = [np.histogram(distances[labels == k], edges)[0].tolist() for k in range(3)]
    return {
        "id": "geometry",
        "title": "The geometry",
        "lead": "The cloud is round but for one group that lies apart.",
        "blocks": [
            {
                "type": "facts",
                "items": [
                    _fact("total variance", "0.613", "mean squared distance to the centre", "variance"),
                    _fact("effective dimension", "4.8", "as many directions matter", "variance", "estimate ± 0.3 %"),
                    _fact("positive semi-definite", "yes", "least eigenvalue −2.1×10⁻¹⁶, zero up to rounding"),
                ],
            },
            _figure(
                "centre-distances",
                "Distance to the centre",
                "histogram",
                {
                    "edges": edges.tolist(),
                    "series": [
                        {"name": name, "counts": c} for name, c in zip(gm.load_iris().target_names, counts, strict=True)
                    ],
                    "x_label": "distance to the centre of mass",
                    "marks": [{"x": 2.0, "label": "median"}, {"x": 3.4, "label": "99 % of flowers"}],
                },
                "Setosa keeps further from the centre than the other two species, which overlap.",
                "variance",
            ),
        ],
    }


def _spectrum() -> dict[str, Any]:
    values = 40 * np.exp(-0.35 * np.arange(60)) + 1e-7
    return {
        "id": "spectrum",
        "title": "The spectrum",
        "lead": "Eigenvalues fall fast: few directions hold nearly all of the variance.",
        "blocks": [
            _figure(
                "spectrum",
                "Eigenvalues of the centred Gram matrix",
                "lines",
                {
                    "x_label": "component",
                    "y_label": "eigenvalue",
                    "x_log": False,
                    "y_log": True,
                    "series": [{"name": "eigenvalue", "x": list(range(1, 61)), "y": values.tolist(), "dashed": False}],
                    "marks": [{"x": 6, "label": "90 % of variance"}, {"x": 14, "label": "99 %"}],
                },
                "Six components hold 90 % of the variance, fourteen 99 %.",
                "variance",
                "estimate ± 0.1 %",
            ),
            _figure(
                "gram",
                "The Gram matrix, rows in order of clusters",
                "heatmap",
                {
                    "rows": [f"flower {k}" for k in range(0, 150, 3)],
                    "columns": [f"flower {k}" for k in range(0, 150, 3)],
                    "values": gm.Gaussian(1.7)(_standard()[::3]).tolist(),
                    "value_label": "similarity",
                    "text": False,
                    "x_label": "flowers",
                    "y_label": "flowers",
                },
                "Three blocks on the diagonal: the species, and two of them share their border.",
            ),
        ],
    }


def _map() -> dict[str, Any]:
    iris = gm.load_iris()
    points = _plane()
    return {
        "id": "map",
        "title": "The map",
        "lead": "Two directions are enough to see the species.",
        "blocks": [
            _figure(
                "map",
                "Kernel principal components",
                "scatter",
                {
                    "x": points[:, 0].tolist(),
                    "y": points[:, 1].tolist(),
                    "x_label": "first component (58 % of variance)",
                    "y_label": "second component (17 %)",
                    "group": iris.target.tolist(),
                    "groups": list(iris.target_names),
                    "value": None,
                    "value_label": None,
                    "hover": [f"flower {k}: sepals {a:g} × {b:g}, petals {c:g} × {d:g} cm"
                              for k, (a, b, c, d) in enumerate(iris.data)],
                    "marked": [15, 41, 117, 131],
                },
                "Setosa stands apart; versicolor and virginica touch. Rings mark the most unusual flowers.",
                "kpca",
            ),
            _figure(
                "map-by-value",
                "The same map, by petal length",
                "scatter",
                {
                    "x": points[:, 0].tolist(),
                    "y": points[:, 1].tolist(),
                    "x_label": "first component",
                    "y_label": "second component",
                    "group": None,
                    "groups": None,
                    "value": iris.data[:, 2].tolist(),
                    "value_label": "petal length (cm)",
                    "hover": [f"flower {k}" for k in range(150)],
                    "marked": [],
                    "lines": [[*points[k], *points[k + 1]] for k in range(0, 148, 5)],
                },
                "The first component is, nearly, the length of the petals.",
                "kpca",
                "estimate ± 0.3 %",
            ),
        ],
    }  # fmt: skip


def _novelty() -> dict[str, Any]:
    return {
        "id": "novelty",
        "title": "The unusual",
        "lead": "Of 100 new flowers like these, at most 5 will be called unusual by mistake.",
        "blocks": [
            _figure(
                "novelty",
                "The most unusual flowers",
                "bars",
                {
                    "labels": ["flower 41", "flower 117", "flower 131", "flower 15", "flower 106", "flower 108"],
                    "values": [0.93, 0.91, 0.9, 0.88, 0.71, 0.66],
                    "x_label": "distance to the centre",
                    "highlight": [0, 1, 2, 3],
                    "baseline": 0.85,
                    "errors": None,
                },
                "Four flowers lie beyond the threshold.",
                "novelty",
            ),
        ],
    }


def _target() -> dict[str, Any]:
    ridges = np.logspace(-6, 3, 37)
    dof = 60 / (1 + (ridges / 0.003) ** 0.5)
    error = 0.04 + 0.02 * (np.log10(ridges) + 1.5) ** 2 / 4
    return {
        "id": "target",
        "title": "What can be predicted",
        "lead": "Fisher's discriminant is right on 146 of 150 flowers that it has not seen.",
        "blocks": [
            _figure(
                "methods",
                "Accuracy by ten-fold cross-validation",
                "bars",
                {
                    "labels": [
                        "Fisher's discriminant, kernel chosen within the folds", "Ridge regression on class indicators",
                        "Parzen: the nearest centre of mass", "Logistic regression (a plain baseline)",
                        "always the most frequent class",
                    ],
                    "values": [0.973, 0.967, 0.92, 0.953, 0.333],
                    "x_label": "share of flowers predicted correctly",
                    "highlight": [0],
                    "baseline": 0.333,
                    "errors": [0.012, 0.015, 0.02, 0.018, 0.0],
                },
                "The best method is six points better than Parzen; whiskers are standard errors.",
                "fisher",
            ),
            _figure(
                "confusion",
                "Where it is wrong",
                "heatmap",
                {
                    "rows": ["setosa", "versicolor", "virginica"],
                    "columns": ["setosa", "versicolor", "virginica"],
                    "values": [[50, 0, 0], [0, 48, 2], [0, 2, 48]],
                    "value_label": "flowers",
                    "text": True,
                    "x_label": "predicted species",
                    "y_label": "true species",
                },
                "All four mistakes are between versicolor and virginica.",
                "fisher",
            ),
            _figure(
                "path",
                "The ridge path",
                "lines",
                {
                    "x_label": "ridge λ",
                    "y_label": "degrees of freedom, and error × 100",
                    "x_log": True,
                    "y_log": False,
                    "series": [
                        {"name": "degrees of freedom", "x": ridges.tolist(), "y": dof.tolist(), "dashed": False},
                        {"name": "error × 100", "x": ridges.tolist(), "y": (100 * error).tolist(), "dashed": True},
                    ],
                    "marks": [{"x": 0.03, "label": "chosen"}],
                },
                "At the chosen ridge the model uses about 14 degrees of freedom.",
                "ridge",
            ),
        ],
    }  # fmt: skip


def _formulas() -> list[dict[str, str]]:
    rows = [
        ("variance", "Total variance", "V = (1/n) Σᵢ κ(xᵢ, xᵢ) − (1/n²) Σᵢⱼ κ(xᵢ, xⱼ)",
         "The mean squared distance of the images to their centre of mass.", "Section 5.1", "gramian.FeatureSpace"),
        ("alignment", "Alignment", "A = ⟨K, yyᵀ⟩ / (‖K‖ ‖yyᵀ‖)", "The cosine between the kernel and the target.",
         "Definition 5.30", "gramian.alignment"),
        ("kpca", "Kernel principal components", "uⱼᵀφ(x) = λⱼ^(−1/2) Σᵢ vⱼᵢ κ(xᵢ, x)",
         "Coordinates along the directions of largest variance.", "Section 6.2", "gramian.KernelPCA"),
        ("novelty", "Novelty bound", "‖φ(x) − φ_S‖ > max ‖φ(xᵢ) − φ_S‖ + 2 √(2R²/n) (√2 + √ln(1/δ))",
         "With probability 1 − δ a new object of the same kind is called unusual at most once in n + 1.",
         "Shawe-Taylor & Cristianini, Proposition 5.2", "gramian.NoveltyDetector"),
        ("fisher", "Fisher's discriminant", "max_w (wᵀ(μ₊ − μ₋))² / (σ₊² + σ₋² + λ‖w‖²)",
         "The direction in which the classes lie furthest apart, by their spread.", "Section 5.4",
         "gramian.FisherDiscriminant"),
        ("ridge", "Kernel ridge regression", "α = (K + λI)⁻¹ y, df(λ) = tr K(K + λI)⁻¹",
         "The smoothest function that still follows the data.", "Section 2.2", "gramian.KernelRidge"),
    ]  # fmt: skip
    return [dict(zip(("id", "name", "formula", "text", "source", "code"), row, strict=True)) for row in rows]


def many_points(n: int = 5000, groups: int = 3, length: int = 60) -> dict[str, Any]:
    """Return the data of a crowded scatter."""
    rng = np.random.default_rng(1)
    group = rng.integers(groups, size=n)
    points = rng.normal(size=(n, 2)) + 3 * np.c_[np.cos(group), np.sin(group)]
    return {
        "x": points[:, 0].tolist(),
        "y": points[:, 1].tolist(),
        "x_label": "first",
        "y_label": "second",
        "group": group.tolist(),
        "groups": [f"group {k}" for k in range(groups)],
        "value": None,
        "value_label": None,
        "hover": [f"object {k} ".ljust(length, "x") for k in range(n)],
        "marked": [],
    }


def report_of(
    *blocks: dict[str, Any], title: str = "title", formulas: tuple[dict[str, str], ...] = ()
) -> dict[str, Any]:
    """Return a report of one section."""
    section = {"id": "one", "title": "One", "lead": "lead", "blocks": list(blocks)}
    return {
        "title": title,
        "subtitle": "subtitle",
        "version": "0.1.0",
        "seconds": 1.0,
        "sections": [section],
        "formulas": list(formulas),
    }


def figure_of(kind: str, data: dict[str, Any], title: str = "title") -> dict[str, Any]:
    """Return a figure block of this data."""
    return _figure("figure", title, kind, data, "reading")


def _figure(
    name: str, title: str, kind: str, data: dict[str, Any], reading: str, formula: str | None = None,
    estimate: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    return {
        "type": "figure",
        "id": name,
        "title": title,
        "kind": kind,
        "data": data,
        "reading": reading,
        "formula": formula,
        "estimate": estimate,
    }


def _fact(name: str, value: str, note: str, formula: str | None = None, estimate: str | None = None) -> dict[str, Any]:
    return {"name": name, "value": value, "note": note, "formula": formula, "estimate": estimate}


def _standard() -> Any:
    X = gm.load_iris().data
    return (X - X.mean(axis=0)) / X.std(axis=0)


def _plane() -> Any:
    return gm.KernelPCA(2, kernel=gm.Gaussian(1.7)).fit_transform(_standard())
