"""The data that ship with the package, taken in as if they were a user's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gramian.intake import datasets
from gramian.intake.assembly import of_table
from gramian.intake.dataset import Dataset
from gramian.intake.nodes import nodes_of
from gramian.intake.table import Network, Table, objects
from gramian.kernels.graphs.graph import as_graph


def _bundled(found: datasets.Dataset, made: Dataset) -> Dataset:
    return replace(made, notes=(f"Bundled data: {found.source}.", *made.notes))


def _labels(found: datasets.Dataset) -> list[str]:
    return [found.target_names[number] for number in found.target.tolist()]


def _iris() -> Dataset:
    found = datasets.load_iris()
    columns = dict(zip(found.feature_names, found.data.T.copy(), strict=True))
    table = Table(found.name, "example", {**columns, "species": objects(_labels(found))})
    return _bundled(found, of_table(table, "species", {}, None))


def _promoters() -> Dataset:
    found = datasets.load_promoters()
    columns = {"name": objects(found.details["name"].tolist()), "sequence": objects(found.data)}
    settled = {"name": "id", "sequence": "string"}
    table = Table(
        found.name, "example", columns | {"function": objects(_labels(found))}, settled=settled, alone="sequence"
    )
    return _bundled(found, of_table(table, "function", {}, None))


def _addresses() -> Dataset:
    found = datasets.load_addresses()
    names = [
        f"{president} {year}" for president, year in zip(found.details["president"], found.details["year"], strict=True)
    ]
    columns = {"address": objects(names), "text": objects(found.data), "period": objects(_labels(found))}
    table = Table(found.name, "example", columns, settled={"address": "id", "text": "text"}, alone="text")
    return _bundled(found, of_table(table, "period", {}, None))


def _football() -> Dataset:
    found = datasets.load_football()
    conference = dict(zip(found.data, _labels(found), strict=True))
    graph = as_graph(found.graph)
    column = objects([conference[team] for team in graph.names()])
    return _bundled(found, nodes_of(Network(found.name, "example", graph, {"conference": column}), "conference"))


def _cars() -> Dataset:
    found = datasets.load_cars()
    columns = {name: [record[name] for record in found.data] for name in found.feature_names}
    raw = {
        name: objects(values) if isinstance(values[0], str) else np.array(values) for name, values in columns.items()
    }
    table = Table(found.name, "example", raw | {"mpg": found.target})
    return _bundled(found, of_table(table, "mpg", {}, None))


EXAMPLES: dict[str, Callable[[], Dataset]] = {
    "iris": _iris,
    "promoters": _promoters,
    "addresses": _addresses,
    "football": _football,
    "cars": _cars,
}
