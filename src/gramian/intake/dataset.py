"""Data as they are taken in: the objects, what is to be learnt of them, and all that was guessed and done with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.intake.dates import iso_of
from gramian.intake.errors import DataError, counted, shortened, unknown
from gramian.intake.recipe import Recipe, RowNumbers
from gramian.kernels.graphs.graph import Graph

_WIDE = 80  # characters of an object that are shown
_FIELD = 40
_FIELDS = 12


@dataclass(frozen=True)
class Column:
    """A column of the data: what it holds, and whether the objects are made of it.

    Attributes
    ----------
    name : str
        Its heading.
    kind : str
        "number", "category", "string", "text", "id", "date", "constant" or "empty".
    missing, distinct : int
        How many rows have no value in it, and how many different values the others have.
    used : bool
        Whether it is part of the objects.
    note : str
        A sentence on how it was taken; empty if there is nothing to say.

    Examples
    --------
    >>> from gramian.intake.reading import load_example
    >>> load_example("iris").columns[0]
    Column(name='sepal length', kind='number', missing=0, distinct=35, used=True, note='')
    """

    name: str
    kind: str
    missing: int
    distinct: int
    used: bool
    note: str = ""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Objects for a kernel, and what may be learnt of them.

    Attributes
    ----------
    source, format : str
        Where the data come from, and in what form.
    kind : str
        What the objects are: "vectors", "strings", "documents", "nodes" or "records".
    X : array, list of str, list of nodes, or array of records
        The objects: kernels take them as they are, those of columns of records by `kernel.on("column")`.
    y : array or None
        The class of each object as a string, or the number to predict. For nodes of a graph some may be unknown: None
        among classes, NaN among numbers.
    task : str
        "none", "classes" or "numbers".
    target : str or None
        What y is called.
    columns : tuple of Column
        The columns as they came in, the target among them.
    names : sequence of str
        A short name of each object.
    graph : Graph or None
        The graph whose nodes the objects are.
    recipe : Recipe
        What turns new data into X in the same way.
    notes : tuple of str
        Sentences on every guess and on all that was done.
    gaps : mapping of str to array of bool
        Where a column of X had no value, and something stands in for it; columns without gaps are left out.
    others : mapping of str to array
        The columns that no object is made of, the target aside, as they came: names of rows, constants, and those that
        were not asked for.
    places : array or None
        Where each object stood among the rows of the source; None where there were none.
    group, order : str or None
        The columns whose equal values belong together, and by which the objects are ordered in time.

    Examples
    --------
    >>> from gramian.intake.reading import load_example
    >>> iris = load_example("iris")
    >>> iris
    Dataset(iris: 150 vectors, 4 columns, 3 classes of 'species')
    >>> iris.shown(0)
    'sepal length: 5.1; sepal width: 3.5; petal length: 1.4; petal width: 0.2'
    """

    source: str
    format: str
    kind: str
    X: Any
    y: Array | None
    task: str
    target: str | None
    columns: tuple[Column, ...]
    names: Sequence[str]
    graph: Graph | None
    recipe: Recipe
    notes: tuple[str, ...]
    gaps: Mapping[str, Array] = field(default_factory=dict)
    others: Mapping[str, Array] = field(default_factory=dict)
    places: Array | None = None
    group: str | None = None
    order: str | None = None

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        used = sum(column.used for column in self.columns)
        parts = [counted(len(self), self.kind.removesuffix("s"))]
        if self.kind in ("vectors", "records") and used:
            parts.append(counted(used, "column"))
        if self.task == "classes" and self.y is not None:
            parts.append(f"{len({label for label in self.y.tolist() if label is not None})} classes of {self.target!r}")
        if self.task == "numbers":
            parts.append(f"numbers of {self.target!r}")
        return f"Dataset({self.source}: {', '.join(parts)})"

    def divided(self, group: str | None = None, order: str | None = None) -> Dataset:
        """Return the data with the columns whose equal values belong together, and by which time orders the objects.

        Examples
        --------
        >>> from gramian.intake.reading import load_example
        >>> load_example("cars").divided(order="year").order
        'year'
        """
        if self.kind == "nodes" and (group or order):
            raise DataError(f"{self.source}: a graph, whose nodes are neither grouped nor ordered by a column")
        found = replace(self, group=group or self.group, order=order or self.order)
        for name in filter(None, (group, order)):
            found.column(name)
        if found.order is not None:
            found._times(found.order)
        return found

    def column(self, name: str) -> Array:
        """Return a column other than the target, used or not; NaN or None where it has no value."""
        if name in self.others:
            return np.asarray(self.others[name])
        names = self.recipe.columns
        if name not in names:
            raise unknown(self.source, "column", name, (*names, *self.others))
        if self.kind in ("strings", "documents"):
            return np.array(self.X, dtype=object)
        values = np.array(self.X[:, names.index(name)] if self.kind == "vectors" else self.X[name])
        if name in self.gaps:
            values[self.gaps[name]] = np.nan if values.dtype.kind == "f" else None
        return values

    @property
    def times(self) -> Array | None:
        """The numbers by which time orders the objects; None where no column does."""
        return None if self.order is None else self._times(self.order)

    def _times(self, name: str) -> Array:
        values = self.column(name)
        if values.dtype.kind != "f":
            raise DataError(f"{self.source}: column {name!r} orders nothing in time; numbers or dates expected")
        if missing := int(np.isnan(values).sum()):
            raise DataError(
                f"{self.source}: column {name!r}, which is to order the rows, has no value in {missing:,} of them; "
                "leave them out"
            )
        return values

    @property
    def empty(self) -> Array:
        """Tell which objects have no value in any of their columns: what stands in for one says nothing of them."""
        if not self.gaps or set(self.gaps) != set(self.recipe.columns):
            return np.zeros(len(self), dtype=bool)
        return np.asarray(np.logical_and.reduce([self.gaps[name] for name in self.recipe.columns]))

    def take(self, rows: Array) -> Dataset:
        """Return the data set of some of the objects, which keep their names."""
        names = self.names
        return replace(
            self,
            X=[self.X[row] for row in rows.tolist()] if isinstance(self.X, list) else self.X[rows],
            y=None if self.y is None else self.y[rows],
            names=names[rows] if isinstance(names, RowNumbers) else tuple(names[row] for row in rows.tolist()),
            gaps={name: gap[rows] for name, gap in self.gaps.items()},
            others={name: column[rows] for name, column in self.others.items()},
            places=None if self.places is None else self.places[rows],
        )

    def shown(self, i: int, most: int = _FIELDS) -> str:
        """Return object number i itself, in short: its first fields, so many at most."""
        if self.kind == "nodes":
            return str(self.names[i])
        if self.kind in ("strings", "documents"):
            return shortened(self.X[i], _WIDE)
        names = self.recipe.columns
        if not names:
            row = self.X[[i]].tocoo()
            pairs = [f"x{column + 1}: {value:g}" for column, value in zip(row.coords[1], row.data, strict=True)]
        else:
            values = self.X[i].tolist()
            pairs = [f"{name}: {self._field(i, name, value)}" for name, value in zip(names, values, strict=True)]
        return "; ".join(pairs[:most]) + ("; …" if len(pairs) > most else "")

    def _field(self, i: int, name: str, value: Any) -> str:
        if name in self.gaps and self.gaps[name][i]:
            return "missing"
        if self.recipe.kinds[name] == "date":
            return iso_of(value)
        return f"{value:.6g}" if isinstance(value, float) else shortened(value, _FIELD)
