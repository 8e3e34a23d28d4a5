"""Clusters that stand apart, each with what sets it apart; or one cloud, where no boundary can be shown."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import numpy as np

from gramian.checks import Array
from gramian.explain.groups import LEAST, TESTED, Clusters, find_clusters
from gramian.explain.profiles import Profiles, profiles
from gramian.explain.straight import Names
from gramian.reporting.blocks import Block, Section, count, fact, facts, figure, note, number, share, table
from gramian.reporting.measures import silhouettes
from gramian.reporting.numbering import left_apart
from gramian.reporting.sections.chart import scatter
from gramian.reporting.sections.prediction.apart import told as told_apart
from gramian.reporting.study import Study
from gramian.space.vectors import FeatureSpace, Vectors

ALPHA = 0.02  # the largest p-value at which a boundary is claimed
TESTABLE = 2 * LEAST  # objects, below which nothing can be tested
GAP = 0.1  # the depth of a boundary along which next to nothing lies
SELDOM = 20  # objects of a group, below which it is often overlooked
WIDE = 1000  # columns, beyond which clusters get no profile
NAMED = 8  # columns that a sentence names
LEFT_OUT = (
    "Left out here: {}. Categories part any table into their values, and a column in which one value holds more than a "
    "quarter of the objects parts it into these and the others."
)


def section(study: Study) -> Section:
    """Return the clusters, or say that there is one cloud, or that there are too few objects to tell."""
    if study.n < TESTABLE:
        few = f"There are too few objects for clusters: {TESTABLE} at least are needed to test for them."
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
    looked_at, left_out = (_called(study, names) for names in (found.columns, found.left_out))
    blocks = _one_cloud(study, found) if found.count == 1 else _several(study, found, rows, X)
    if left_out:
        blocks.append(note(LEFT_OUT.format(_listed(left_out))))
    many = count(len(looked_at), "column")
    if left_out:
        every = count(len(looked_at) + len(left_out), "column")
        many = f"{len(looked_at):,} of {every}"
    rest = "; the others are left out, as is said below" if left_out else ""
    where = f" Looked at {many}: {_listed(looked_at)}{rest}." if looked_at else ""
    where += f" {left_apart(study.apart)}".rstrip()
    numbers |= {"columns": looked_at, "left_out": left_out}
    return Section("clusters", "Clusters", told(found, bool(left_out)) + where, blocks, numbers)


def _called(study: Study, names: Names) -> list[str]:
    """Return what columns are called, of which those of an array go by their places."""
    own = study.data.recipe.columns
    return [own[name] if isinstance(name, int) and name < len(own) else str(name) for name in names]


def _listed(names: list[str]) -> str:
    """Return names for a sentence, the first few of many."""
    rest = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {count(rest, 'other')}" if rest > 0 else "")


def told(found: Clusters, partly: bool = False) -> str:
    """Return what was found in a sentence or two, by all columns or a part of them."""
    if len(found.tested) < TESTABLE:
        return (
            f"There are too few different objects for clusters: {len(found.tested)} of those looked at, and {TESTABLE} "
            "at least are needed to test for them."
        )
    if found.count == 1:
        where = " in the columns that were looked at" if partly else ""
        return (
            f"No clusters{where}: one cloud. No boundary could be shown in it (p = {number(found.p_value, 2)}), which "
            f"rules out neither groups that overlap nor groups of fewer than about {SELDOM}."
        )
    depth = max(one.depth for one in found.boundaries)
    apart = (
        "they stand well apart" if depth < GAP else "objects lie between some of them, but fewer than on either side"
    )
    return (
        f"There are {count(found.count, 'cluster')}; {apart}. Groups of fewer than about {SELDOM} within them would "
        "often be overlooked."
    )


def _evidence(found: Clusters) -> str:
    kept = "" if found.count == 1 else f" ({count(len(found.boundaries), 'boundary', 'boundaries')} stood)"
    return (
        "Boundaries are proposed by one half of the objects: by two trees of distances, and along single columns and "
        "principal components of numbers. One is claimed where the other half lies less than two thirds as densely "
        f"along it as on either side, with p ≤ {ALPHA:g}{kept}. Where there are so many dimensions that the nearest "
        "objects are hardly nearer than others, the clearest valley in the planes of the first principal components "
        f"of all objects counts as well, where chance makes none so clear. Groups of fewer than {LEAST} objects are "
        f"never claimed, of fewer than about {SELDOM} often overlooked, and groups that run into each other are not "
        "told apart."
    )


def _one_cloud(study: Study, found: Clusters) -> list[Block]:
    if len(found.tested) < TESTABLE:
        return []
    sampled = _sampled(study, found)
    meaning = f"of “one cloud”; clusters would be claimed at {ALPHA:g} or less"
    return [facts(fact("p-value", number(found.p_value, 2), meaning, "valley", sampled)), note(_evidence(found))]


def _sampled(study: Study, found: Clusters) -> str | None:
    """Return the badge of what was tested: of copies one, and of many objects a sample."""
    if study.n > TESTED or len(study.compared()) < study.n:
        return study.drawn(len(found.tested))
    one = "one of each set of those that are equal"
    return None if len(found.tested) == study.n else f"{len(found.tested):,} of {study.n:,} objects, {one}"


def _several(study: Study, found: Clusters, rows: Array, X: object) -> list[Block]:
    images = FeatureSpace(study.kernel)(X)
    apart = float(silhouettes(images.distances(), found.labels).mean())
    sampled = _sampled(study, found)
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
        _members(study, found, rows, X, images),
        note(_evidence(found)),
    ]


def _members(study: Study, found: Clusters, rows: Array, X: object, images: Vectors) -> Block:
    """Return a table of the clusters: how large they are, what sets them apart, and which classes are in them."""
    classes = study.data.y if study.data.task == "classes" else None
    profile = _profiles(study, found, study.as_they_came(rows))
    dates = frozenset(name for name, kind in study.data.recipe.kinds.items() if kind == "date")
    lines = []
    for k in range(found.count):
        members = np.flatnonzero(found.labels == k)
        own = images[members]
        typical = rows[members[np.argsort(own.distances(own.mean()), kind="stable")[:2]]]
        line = [f"cluster {k + 1}", share(len(members) / len(rows))]
        if profile is not None:
            line.append(told_apart(profile[k], dates) if profile[k].traits else "nothing in a single column")
        line.append(" | ".join(study.hover(typical)))
        if classes is not None:
            common = Counter(str(y) for y in classes[rows[members]] if y is not None).most_common(3)
            line.append(", ".join(f"{name} ({many})" for name, many in common))
        lines.append(line)
    heads = ["cluster", "share", *(["what sets it apart"] if profile is not None else []), "most typical"]
    heads += [f"{study.data.target} in it"] if classes is not None else []
    columns: list[tuple[str, Literal["text"]]] = [(head, "text") for head in heads]
    caption = "The clusters, what sets each apart from the others, and their most typical objects."
    return table(caption, columns, lines, None, "valley", study.drawn(len(rows)))


def _profiles(study: Study, found: Clusters, X: object) -> Profiles | None:
    """Return what sets each cluster apart; None of nodes, which have no columns, and of very many columns."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if study.data.kind == "nodes" or (len(shape) > 1 and shape[1] > WIDE):
        return None
    own = study.data.recipe.columns
    return profiles(X, found.labels, names=own if len(shape) > 1 and shape[1] == len(own) else None)
