"""The nodes of a graph as a data set, of which some may have no class or number yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.intake.dataset import Column, Dataset
from gramian.intake.errors import DataError, counted, unknown
from gramian.intake.guesses import HINTS, look
from gramian.intake.meanings import marks_of, settle
from gramian.intake.recipe import Recipe
from gramian.intake.table import Network, Table, absent, column_of, digits, objects, written
from gramian.intake.targets import asked_kinds, given_values, learnt_of


def of_network(
    raw: Network,
    target: str | None,
    asked: dict[str, str],
    columns: Iterable[str] | None,
    missing: str | Iterable[str] | None = None,
) -> Dataset:
    """Return the nodes of a graph of a file, with an attribute of theirs as the target."""
    attributes = tuple(raw.attributes)
    if columns is not None:
        raise DataError(
            f"{raw.where}: columns are asked for, and the objects of a graph are its nodes; leave columns out"
        )
    for name in asked:
        if name not in attributes:
            raise unknown(raw.where, "attribute of the nodes", name, attributes)
    if target is not None and target not in attributes:
        raise unknown(raw.where, "attribute of the nodes", target, attributes)
    return nodes_of(raw, target, asked, missing)


def described(raw: Table | Network, nodes: Table | Network) -> Network:
    """Return a graph whose nodes have the attributes that a table of them holds, by the names in its first column."""
    if not isinstance(raw, Network):
        raise DataError(f"{raw.where}: no graph, so that {nodes.where} has no nodes to describe")
    if isinstance(nodes, Network):
        raise DataError(f"{nodes.where}: a graph; a table whose first column names the nodes of {raw.where} expected")
    named, *others = nodes.columns
    if not others:
        raise DataError(f"{nodes.where}: a single column; the names of nodes and something about each expected")
    place = {str(node): row for row, node in enumerate(raw.graph.names())}
    names = written(nodes.columns[named])
    met: dict[str, int] = {}
    for row, name in enumerate(digits(name) if isinstance(name, float) else name for name in names):
        if name is None:
            raise nodes.error(row, named, "no value; the name of a node expected")
        if name in met:
            raise nodes.error(
                row, named, f"the node {name!r} again, after {nodes.place(met[name])}; keep one of the two"
            )
        met[name] = row
    known = [name for name in met if name in place]
    if not known:
        raise DataError(
            f"{nodes.where}: column {named!r} names no node of {raw.where}, such as {next(iter(place))!r}; the first "
            "column must name the nodes"
        )
    if twice := [name for name in others if name in raw.attributes]:
        raise DataError(f"{nodes.where}: column {twice[0]!r} is in {raw.where} too; rename one of the two")
    to, at = np.array([place[name] for name in known]), np.array([met[name] for name in known])
    added = {name: _spread(nodes.columns[name], to, at, len(place)) for name in others}
    notes = [f"{PurePath(nodes.where).name} describes {len(known):,} of {counted(len(place), 'node')}."]
    if left := len(met) - len(known):
        notes.append(f"{counted(left, 'row names', 'rows name')} no node of the graph: left out.")
    return replace(raw, attributes={**raw.attributes, **added}, notes=(*raw.notes, *nodes.notes, *notes))


def _spread(column: Array, to: Array, at: Array, n: int) -> Array:
    """Return a column with one row for each node, empty for nodes that are not described."""
    found = np.full(n, np.nan) if column.dtype.kind == "f" else objects([None] * n)
    found[to] = column[at]
    return found


def of_graph(
    raw: Network, y: Any, kinds: Mapping[str, str] | None, missing: str | Iterable[str] | None = None
) -> Dataset:
    """Return the nodes of a graph in memory, with values for all or some of them."""
    if y is None:
        return nodes_of(raw, None)
    nodes = raw.graph.names()
    if isinstance(y, Mapping):
        if strange := [node for node in y if node not in set(nodes)]:
            raise DataError(f"y names {strange[0]!r}, which is no node of the graph")
        y = [y.get(node) for node in nodes]
    values = given_values(y)
    if values.ndim != 1 or len(values) != len(nodes):
        raise DataError(
            f"y has shape {values.shape}, and the graph has {len(nodes):,} nodes; one value for each expected"
        )
    column = column_of(
        values.tolist(), "y", lambda row, name, text: DataError(f"{raw.where}, row {row + 1}, y: {text}"), text=False
    )
    return nodes_of(replace(raw, attributes={"y": column}), "y", asked_kinds(kinds, "y"), missing)


def nodes_of(
    raw: Network,
    target: str | None,
    asked: Mapping[str, str] | None = None,
    missing: str | Iterable[str] | None = None,
) -> Dataset:
    """Return the nodes of a graph as a data set, with what is known of each."""
    nodes = raw.graph.names()
    kinds = asked or {}
    y: Array | None = None
    task = "none"
    table = Table(raw.where, raw.format, raw.attributes, place=lambda row: f"node {nodes[row]!r}", notes=raw.notes)
    table = settle(table, kinds, marks_of(missing), target)
    notes = [f"The objects are the {counted(len(nodes), 'node')} of the graph.", *table.notes]
    if target is not None:
        kind = HINTS.get(kinds.get(target, ""), kinds.get(target))
        gaps = absent(table.columns[target])
        known = np.flatnonzero(~gaps)
        if not len(known):
            raise DataError(f"{raw.where}: the target {target!r} has no value for any node; another attribute expected")
        labels, task, done = learnt_of(table.take(known), target, kind)
        y = np.full(len(nodes), None, dtype=object) if task == "classes" else np.full(len(nodes), np.nan)
        if task == "classes" and not gaps.any():
            y = labels
        else:
            y[known] = labels.tolist()
            if gaps.any():
                notes.append(
                    f"{int(gaps.sum()):,} of {counted(len(nodes), 'node')} have no value in the target {target!r}."
                )
        notes += done + table.readings(target)
    whole = all(isinstance(node, int | np.integer) for node in nodes)
    return Dataset(
        source=raw.where,
        format=raw.format,
        kind="nodes",
        X=nodes,
        y=y,
        task=task,
        target=target,
        columns=tuple(
            replace(_seen(table, name), note="The target." if name == target else "An attribute of the nodes.")
            for name in raw.attributes
        ),
        names=_node_names(raw, nodes),
        graph=raw.graph,
        recipe=Recipe("nodes", target=target, nodes="int" if whole else "str"),
        notes=tuple(notes),
    )


def _seen(table: Table, name: str) -> Column:
    found = look(table, name)
    return Column(name, found.kind, found.missing, found.distinct, used=False)


def _node_names(raw: Network, nodes: list[Any]) -> tuple[str, ...]:
    """Return the labels of the nodes, if each has one of its own, else what identifies them."""
    for name in ("label", "name"):
        labels = written(raw.attributes[name]).tolist() if name in raw.attributes else []
        if labels and None not in labels and len(set(labels)) == len(labels):
            return tuple(labels)
    return tuple(map(str, nodes))
