"""Clusters that stand apart, each with its most typical objects; or one cloud, where no boundary can be shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np

from gramian.checks import Array
from gramian.explain.groups import LEAST, Clusters, find_clusters
from gramian.reporting.blocks import Block, Section, count, fact, facts, figure, note, number, share, table
from gramian.reporting.measures import silhouettes
from gramian.reporting.sections.chart import scatter
from gramian.reporting.study import Study
from gramian.space.vectors import FeatureSpace, Vectors

ALPHA = 0.02  # the largest p-value at which a boundary is claimed
FEW = 2 * LEAST  # objects, below which nothing can be tested
GAP = 0.1  # the depth of a boundary along which next to nothing lies
WITHOUT_CATEGORIES = (
    "Columns of categories were left out here: they part any table into their values. Clusters are looked for in the "
    "other columns."
)


def section(study: Study) -> Section:
    """Return the clusters, or say that there is one cloud, or that there are too few objects to tell."""
    if study.n < FEW:
        few = f"There are too few objects for clusters: {FEW} at least are needed to test for them."
        return Section("clusters", "Clusters", few, [], {"clusters": None})
    rows = study.compared()
    X = study.data.X if len(rows) == study.n else study.objects(rows)
    found = find_clusters(X, study.kernel, alpha=ALPHA, rng=study.seed)
    numbers = {
        "clusters": found.count,
        "p_value": found.p_value,
        "boundaries": [{"sizes": one.sizes, "p_value": one.p_value, "depth": one.depth} for one in found.boundaries],
        "rows": rows,
        "labels": found.labels,
    }
    blocks = _one_cloud(study, found) if found.count == 1 else _several(study, found, rows, X)
    if found.without_categories:
        blocks.append(note(WITHOUT_CATEGORIES))
    return Section("clusters", "Clusters", told(found), blocks, numbers)


def told(found: Clusters) -> str:
    """Return what was found in a sentence or two."""
    if len(found.tested) < FEW:
        return (
            f"There are too few different objects for clusters: {len(found.tested)} of those looked at, and {FEW} at "
            "least are needed to test for them."
        )
    if found.count == 1:
        return f"No clusters: one cloud. No boundary could be shown in it (p = {number(found.p_value, 2)})."
    depth = max(one.depth for one in found.boundaries)
    apart = (
        "they stand well apart" if depth < GAP else "objects lie between some of them, but fewer than on either side"
    )
    return f"There are {count(found.count, 'cluster')}; {apart}."


def _evidence(found: Clusters) -> str:
    kept = "" if found.count == 1 else f" ({count(len(found.boundaries), 'boundary', 'boundaries')} stood)"
    return (
        "A boundary is claimed where objects that had no say in placing it lie less than two thirds as densely along "
        f"it as on either side, with p ≤ {ALPHA:g}{kept}. Groups of fewer than {LEAST} objects are never claimed, and "
        "groups that run into each other are not told apart."
    )


def _one_cloud(study: Study, found: Clusters) -> list[Block]:
    if len(found.tested) < FEW:
        return []
    sampled = study.drawn(len(found.tested))
    meaning = f"of “one cloud”; clusters would be claimed at {ALPHA:g} or less"
    return [facts(fact("p-value", number(found.p_value, 2), meaning, "valley", sampled)), note(_evidence(found))]


def _several(study: Study, found: Clusters, rows: Array, X: object) -> list[Block]:
    images = FeatureSpace(study.kernel)(X)
    apart = float(silhouettes(images.distances(), found.labels).mean())
    sampled = study.drawn(len(found.tested))
    label = dict(zip(rows.tolist(), found.labels.tolist(), strict=True))
    data = scatter(study, study.map) | {
        "group": [label.get(row) for row in study.shown.tolist()],
        "groups": [f"cluster {k + 1}" for k in range(found.count)],
    }
    weakest = max(one.p_value for one in found.boundaries)
    deepest = max(one.depth for one in found.boundaries)
    return [
        facts(
            fact("clusters", str(found.count), f"each boundary with p ≤ {number(weakest, 2)}", "valley", sampled),
            fact("between them", share(deepest), "as densely as in the sparser neighbor, at most", "valley", sampled),
            fact("silhouette", number(apart), "1 is far apart, 0 is touching", "silhouette", study.drawn(len(rows))),
        ),
        figure(
            "clusters-map",
            "The clusters on the map",
            "scatter",
            data,
            "Each colour is one cluster; they are found by all distances, of which this is a flat picture.",
            "valley",
            sampled,
        ),
        _members(study, found, rows, images),
        note(_evidence(found)),
    ]


def _members(study: Study, found: Clusters, rows: Array, images: Vectors) -> Block:
    """Return a table of the clusters: how large they are, what is typical, and which classes are in them."""
    classes = study.data.y if study.data.task == "classes" else None
    lines = []
    for k in range(found.count):
        members = np.flatnonzero(found.labels == k)
        own = images[members]
        typical = rows[members[np.argsort(own.distances(own.mean()), kind="stable")[:2]]]
        line = [f"cluster {k + 1}", share(len(members) / len(rows)), " | ".join(study.hover(typical))]
        if classes is not None:
            common = Counter(str(y) for y in classes[rows[members]] if y is not None).most_common(3)
            line.append(", ".join(f"{name} ({many})" for name, many in common))
        lines.append(line)
    columns: Sequence[tuple[str, Literal["text"]]] = [("cluster", "text"), ("share", "text"), ("most typical", "text")]
    if classes is not None:
        columns = [*columns, (f"{study.data.target} in it", "text")]
    drawn = study.drawn(len(rows))
    return table("The clusters and their most typical objects.", columns, lines, None, "valley", drawn)
