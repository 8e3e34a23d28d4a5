"""The map: the two directions in which the objects differ most."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from gramian.checks import Array
from gramian.reporting.blocks import Section, bounded, figure, share
from gramian.reporting.numbering import left_apart
from gramian.reporting.study import Study

MOST_EDGES = 1500  # of a graph that are drawn


def section(study: Study) -> Section:
    """Return the map, coloured by the target where there is one."""
    T, shares = study.map, study.pca.explained_variance_ratio_
    first, second = (float(shares[k]) if len(shares) > k else 0.0 for k in (0, 1))
    data = scatter(study, T) | _colours(study) | {"lines": _edges(study, T)}
    badge = " · ".join(filter(None, (study.sample_note, study.error))) or None
    held = f"at least {bounded(first + second, above=False)}" if study.left_out else share(first + second)
    reading = f"Objects that are alike lie close together; the picture holds {held} of all variance."
    if study.data.task == "classes":
        reading += " Where colours mix, this picture does not tell the classes apart."
    return Section(
        "map",
        "The map",
        "The two directions in which the objects differ most. Point at one to see the object itself."
        + f" {left_apart(study.apart)}".rstrip(),
        [figure("map", "Kernel principal components", "scatter", data, reading, "pca", badge)],
        {"rows": study.origin[study.shown], "coordinates": T, "shares": [first, second], "held": study.held},
    )


def scatter(study: Study, T: Array) -> dict[str, Any]:
    """Return the map without colours."""
    return {
        "x": T[:, 0],
        "y": T[:, 1],
        "x_label": "first component",
        "y_label": "second component",
        "group": None,
        "groups": None,
        "value": None,
        "value_label": None,
        "hover": study.hover(study.shown),
        "held": study.held,
        "marked": [],
        "lines": [],
    }


def _colours(study: Study) -> dict[str, Any]:
    data = study.data
    if data.y is None:
        return {}
    of_shown = data.y[study.shown]
    if data.task == "numbers":
        return {"value": of_shown.astype(np.float64), "value_label": data.target}
    groups = sorted({str(one) for one in data.y if one is not None})
    place = {name: k for k, name in enumerate(groups)}
    return {"group": [None if one is None else place[str(one)] for one in of_shown], "groups": groups}


def _edges(study: Study, T: Array) -> list[list[float]]:
    """Return the edges of a small graph as lines of the map."""
    graph = study.data.graph
    if graph is None or study.n > len(study.shown):
        return []
    matrix = scipy.sparse.coo_array(graph.matrix)
    place = np.full(len(graph), -1)
    place[graph.indices(study.data.X)] = np.arange(study.n)
    u, v = place[matrix.row], place[matrix.col]
    drawn = (u < v) & (u >= 0) & (matrix.data != 0)
    if drawn.sum() > MOST_EDGES:
        return []
    return [[*T[a].tolist(), *T[b].tolist()] for a, b in zip(u[drawn], v[drawn], strict=True)]
