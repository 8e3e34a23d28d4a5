"""GraphML: a graph in XML, whose nodes have attributes.

Edges have the weight of their attribute "weight", or 1. Directions are dropped, and edges between the same two nodes
add up. A document with a type definition is refused: such can name other files, and swell without end when it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from gramian.checks import Array
from gramian.intake.budget import RECORD, Budget
from gramian.intake.errors import DataError, counted, shortened
from gramian.intake.inputs import Input
from gramian.intake.table import Network, numbers_of, texts_of
from gramian.intake.textfile import opened
from gramian.kernels.graphs.graph import Graph

_PIECE = 2**16
_NUMBERS = ("int", "long", "float", "double")
_ENDS = ("source", "target")


def read_graphml(file: Input) -> Network:
    """Return the graph of a file with the attributes of its nodes."""
    path = file.path
    found = _Reader(path, file.budget)
    with opened(path) as stream:
        found.read(stream)
    if not found.nodes:
        raise DataError(f"{path}: no node; a GraphML file with nodes and edges expected")
    for edge, line in found.lines.items():
        for end in edge:
            if end not in found.nodes:
                raise DataError(f"{path}, line {line:,}: an edge to {end!r}, which is no node of the graph")
    graph = Graph.from_edges(((u, v, weight) for (u, v), weight in found.weights.items()), nodes=list(found.nodes))
    return Network(str(path), "graphml", graph, _attributes(found), tuple(_notes(found)))


@dataclass
class _Key:
    name: str
    type: str
    default: str | None = None


@dataclass
class _Reader:
    """What has been met so far in a file that is read from top to bottom."""

    path: Path
    budget: Budget
    keys: dict[tuple[str, str], _Key] = field(default_factory=dict)
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    weights: dict[tuple[str, str], float] = field(default_factory=dict)
    lines: dict[tuple[str, str], int] = field(default_factory=dict)
    directed: bool = False
    parallel: int = 0
    _open: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    _owner: list[tuple[str, Any]] = field(default_factory=list)
    _text: list[str] = field(default_factory=list)
    _parser: Any = None

    def read(self, stream: Any) -> None:
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        try:
            while piece := stream.read(_PIECE):
                self._parser.Parse(piece, False)
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise DataError(
                f"{self.path}, line {error.lineno:,}: no well-formed XML ({expat.ErrorString(error.code)})"
            ) from None
        except LookupError as error:
            raise DataError(f"{self.path}: no well-formed XML ({error})") from None

    def _characters(self, text: str) -> None:
        self.budget.claim(len(text), self.path)
        self._text.append(text)

    def _error(self, message: str) -> DataError:
        return DataError(f"{self.path}, line {self._parser.CurrentLineNumber:,}: {message}")

    def _refuse(self, *_: Any) -> None:
        raise self._error("a document type definition, which can name other files and is not read; delete it")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.budget.claim(RECORD + sum(map(len, attributes.values())), self.path)
        name = tag.rpartition(" ")[2]
        if not self._open and name != "graphml":
            raise self._error(f"the document is a <{shortened(name, 30)}>; <graphml> expected")
        if name == "graph":
            self.directed = self.directed or attributes.get("edgedefault") == "directed"
        elif name == "hyperedge":
            raise self._error("a hyperedge, which joins more than two nodes; edges of two expected")
        elif name == "key":
            known = self._given(attributes, "id", "key")
            self.keys[attributes.get("for", "all"), known] = _Key(
                attributes.get("attr.name", known).strip() or known, attributes.get("attr.type", "string")
            )
        elif name == "node":
            node = self._given(attributes, "id", "node")
            if node in self.nodes:
                raise self._error(f"the node {node!r} again; every node needs an id of its own")
            self.nodes[node] = {}
            self._owner.append(("node", node))
        elif name == "edge":
            ends = self._given(attributes, "source", "edge"), self._given(attributes, "target", "edge")
            self.directed = self.directed or attributes.get("directed") == "true"
            self._owner.append(("edge", [*ends, 1.0]))
        self._open.append((name, attributes))
        self._text.clear()

    def _given(self, attributes: Mapping[str, str], wanted: str, what: str) -> str:
        if wanted not in attributes:
            raise self._error(f"<{what}> without {wanted!r}")
        return attributes[wanted]

    def _end(self, tag: str) -> None:
        name, attributes = self._open.pop()
        text = "".join(self._text).strip()
        self._text.clear()
        if name == "default" and self._open and self._open[-1][0] == "key":
            key = self._open[-1][1]
            self.keys[key.get("for", "all"), key["id"]].default = text
        elif name == "data" and self._owner:
            self._set(self._given(attributes, "key", "data"), text)
        elif name == "node":
            self._owner.pop()
        elif name == "edge":
            u, v, weight = self._owner.pop()[1]
            pair = (v, u) if (v, u) in self.weights else (u, v)
            self.parallel += pair in self.weights
            self.weights[pair] = self.weights.get(pair, 0.0) + weight
            self.lines.setdefault(pair, self._parser.CurrentLineNumber)

    def _set(self, key: str, text: str) -> None:
        kind, owner = self._owner[-1]
        found = self.keys.get((kind, key)) or self.keys.get(("all", key)) or _Key(key, "string")
        if kind == "node":
            self.nodes[owner][found.name] = text
        elif found.name == "weight":
            weight = numbers_of([text])
            if weight is None or not np.isfinite(weight[0]):
                raise self._error(f"the weight {shortened(text, 30)!r}; a finite number expected")
            owner[2] = float(weight[0])


def _attributes(found: _Reader) -> dict[str, Array]:
    """Return the attributes of the nodes as columns; numbers by their declared type, or where nothing is declared."""
    declared = {key.name: key for (kind, _), key in found.keys.items() if kind in ("node", "all")}
    names = dict.fromkeys(name for attributes in found.nodes.values() for name in attributes)
    columns = {}
    for name in names:
        key = declared.get(name, _Key(name, "string"))
        texts = [attributes.get(name, key.default or "") for attributes in found.nodes.values()]
        numbers = numbers_of(texts) if key.type in _NUMBERS else None
        columns[name] = texts_of(texts) if numbers is None else numbers
    return columns


def _notes(found: _Reader) -> list[str]:
    notes = []
    if found.directed:
        notes.append("The graph is directed; the directions of its edges were dropped.")
    if found.parallel:
        notes.append(f"{counted(found.parallel, 'edge')} between nodes that are joined already: their weights add up.")
    return notes
