"""What the plots share: axes, colours, a grid over the plane, points coloured by their target."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.checks import Array, at_hand

# Okabe and Ito's colours, which people with any kind of colour vision can tell apart, and twelve more.
COLORS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#8C6D31",
    "#5B5B5B",
    "#332288",
    "#88CCEE",
    "#117733",
    "#DDCC77",
    "#CC6677",
    "#882255",
    "#44AA99",
    "#AA4499",
    "#661100",
    "#999933",
    "#6699CC",
    "#000000",
)
LONGEST_NAME = 24
MOST_INSIDE = 6  # classes whose legend may stand in the picture
INK = "#333333"
POINTS_PER_SIDE = 200


def axes_for(ax: Any) -> Any:
    """Return the axes given, or those of a new figure, without the frame above and to the right."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError('plots need Matplotlib: pip install "gramian[plot]"') from None
        ax = pyplot.figure(figsize=(6.0, 4.2), layout="constrained").add_subplot()
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def color_of(number: int) -> str:
    """Return the colour of a class; there are twenty, and then they begin again."""
    return COLORS[number % len(COLORS)]


def short(name: Any) -> str:
    """Return a label that fits into a legend."""
    text = str(name)
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def like(X: Any, grid: Array) -> Any:
    """Return points of a grid as the kind of table that X is, so that its columns keep their names."""
    return type(X)(grid, columns=X.columns) if hasattr(X, "columns") else grid


def in_plane(X: Any, what: str) -> Array:
    """Return X as points of the plane, or say that it is not."""
    points = np.asarray(at_hand(X), dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"{what} draws vectors of two features, and X has shape {points.shape}: fit on two columns")
    return points


def plane_around(points: Array) -> tuple[Array, Array, Array]:
    """Return a grid over the points with some room: x and y as matrices, and the grid points one to a row."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.12 * np.where(high > low, high - low, 1.0)
    axes = [np.linspace(a, b, POINTS_PER_SIDE) for a, b in zip(low - room, high + room, strict=True)]
    x, y = np.meshgrid(*axes)
    return x, y, np.column_stack([x.ravel(), y.ravel()])


def labels_among(y: Any, classes: Array) -> Array:
    """Return labels as an array; those that a classifier has not learnt are refused."""
    labels = np.asarray(y)
    unknown = labels[~np.isin(labels, classes)]
    if unknown.size:
        known = ", ".join(repr(name) for name in np.asarray(classes).tolist()[:6])
        raise ValueError(f"y holds {unknown.tolist()[0]!r}, which is not one of the classes learnt: {known}")
    return labels


def class_legend(ax: Any, classes: Array) -> None:
    """Draw the legend of the classes, beside the picture where it would cover it."""
    beside = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)} if len(classes) > MOST_INSIDE else {}
    ax.legend(frameon=False, fontsize="small", **beside)


def scatter_classes(ax: Any, points: Array, y: Any, classes: Array) -> None:
    """Draw points of the plane, one colour for each class, with a legend."""
    labels = labels_among(y, classes)
    for number, name in enumerate(classes):
        chosen = points[labels == name]
        ax.scatter(
            *chosen.T, s=18, color=color_of(number), edgecolor="white", linewidth=0.5, label=short(name), zorder=3
        )
    class_legend(ax, classes)


def name_axes(ax: Any, estimator: Any) -> None:
    """Write the names of the two features under the axes, where the estimator knows them."""
    names = getattr(estimator, "feature_names_in_", ("feature 1", "feature 2"))
    ax.set_xlabel(str(names[0]))
    ax.set_ylabel(str(names[1]))
