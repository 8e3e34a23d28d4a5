"""Clusters by kernel k-means, their number by the silhouette, each with its most typical objects."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from gramian.checks import Array
from gramian.learn.kmeans import KernelKMeans
from gramian.reporting.blocks import Block, Section, count, fact, facts, figure, number, share, table
from gramian.reporting.measures import silhouettes, standard_error
from gramian.reporting.sections.chart import scatter
from gramian.reporting.study import Study
from gramian.space.vectors import FeatureSpace

LEAST = 6  # objects
MOST = 12  # clusters that are tried
FEW = 20  # objects, whose silhouettes say little
LOOKED_AT = 1500  # objects by which the number of clusters is found


@dataclass(frozen=True, eq=False)
class Clustering:
    """The best number of clusters, with the silhouettes of all that were tried."""

    model: KernelKMeans
    rows: Array
    silhouettes: dict[int, float]
    error: float


def section(study: Study) -> Section:
    """Return the clusters, or say that there are too few objects."""
    if study.n < LEAST:
        return Section(
            "clusters", "Clusters", f"There are too few objects for clusters: {LEAST} at least are needed.", []
        )
    found = _cluster(study)
    model, rows = found.model, found.rows
    labels = np.asarray(model.labels_) if len(rows) == study.n else model.predict(study.objects(study.shown))
    shown = labels[study.shown] if len(rows) == study.n else labels
    k = int(model.n_clusters)
    best = found.silhouettes[k]
    sampled = study.drawn(len(rows))
    names = [f"cluster {c + 1}" for c in range(k)]
    verdict = "stand well apart" if best > 0.5 else "can be told apart" if best > 0.25 else "run into each other"
    most = ", the most that were tried," if k == MOST else ""
    lead = f"{count(k, 'cluster')}{most} fit best; they {verdict}."
    if study.n < FEW:
        lead = f"{count(k, 'cluster')} fit best; of so few objects that says little."
    elif best < 0.1:
        lead = f"There are no clear clusters: even the best division, into {k}, hardly stands apart."
    data = scatter(study, study.map) | {"group": shown, "groups": names}
    return Section(
        "clusters",
        "Clusters",
        lead,
        [
            facts(
                fact("clusters", str(k), f"of 2 to {max(found.silhouettes)} tried", "kmeans", sampled),
                fact(
                    "silhouette",
                    number(best),
                    "1 is far apart, 0 is touching",
                    "silhouette",
                    study.drawn(len(rows), found.error),
                ),
            ),
            figure(
                "clusters-map",
                "The clusters on the map",
                "scatter",
                data,
                "Each colour is one cluster; they are found in the whole feature space, of which this is a flat "
                "picture.",
                "kmeans",
                sampled,
            ),
            _members(study, found),
        ],
        {
            "clusters": k,
            "silhouettes": found.silhouettes,
            "silhouette_error": found.error if sampled else 0.0,
            "rows": rows,
            "labels": np.asarray(model.labels_),
            "inertia": model.inertia_,
        },
    )


def _cluster(study: Study) -> Clustering:
    rows = study.compared() if study.walks else study.some(LOOKED_AT)
    X = study.data.X if len(rows) == study.n else study.objects(rows)
    D = FeatureSpace(study.kernel)(X).distances()
    models, each = {}, {}
    for k in range(2, min(MOST, len(rows) - 1) + 1):
        models[k] = KernelKMeans(k, study.kernel, n_init=3, random_state=study.seed).fit(X)
        each[k] = silhouettes(D, np.asarray(models[k].labels_))
    means = {k: float(values.mean()) for k, values in each.items()}
    best = max(means, key=means.__getitem__)
    return Clustering(models[best], rows, means, standard_error(each[best]))


def _members(study: Study, found: Clustering) -> Block:
    """Return a table of the clusters: how large they are, what is typical, and which classes are in them."""
    labels = np.asarray(found.model.labels_)
    distances = found.model.transform(study.objects(found.rows))
    classes = study.data.task == "classes" and study.data.y is not None
    rows = []
    for c in range(int(found.model.n_clusters)):
        members = np.flatnonzero(labels == c)
        if not len(members):
            continue
        typical = found.rows[members[np.argsort(distances[members, c], kind="stable")[:2]]]
        row = [f"cluster {c + 1}", share(len(members) / len(labels)), " | ".join(study.hover(typical))]
        if classes:
            assert study.data.y is not None
            common = Counter(str(y) for y in study.data.y[found.rows[members]] if y is not None).most_common(3)
            row.append(", ".join(f"{name} ({many})" for name, many in common))
        rows.append(row)
    columns = [("cluster", "text"), ("share", "text"), ("most typical", "text")]
    if classes:
        columns.append((f"{study.data.target} in it", "text"))
    sampled = study.drawn(len(found.rows))
    return table("The clusters and their most typical objects.", columns, rows, None, "kmeans", sampled)  # type: ignore[arg-type]
