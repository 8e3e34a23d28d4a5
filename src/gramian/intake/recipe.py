"""How columns become objects, written down: what was settled on one table is done to every other in the same way.

A recipe says which columns are taken, in which order and as what, and how their numbers are written; what stands in for
a value that is missing: the median of a number, no words, the category "missing"; and which categories are known. A
category that is not keeps its name, and so equals none of the known ones. Data that lack a column, or hold something
else in it, are refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple, overload

import numpy as np

from gramian.checks import Array, as_vectors, is_sparse
from gramian.intake.dates import iso_of
from gramian.intake.delimited import renamed
from gramian.intake.errors import DataError, counted, shortened, unknown
from gramian.intake.formats import read_raw
from gramian.intake.guesses import NUMERIC, days_of, lowered
from gramian.intake.inputs import at_hand
from gramian.intake.meanings import settle_like, wanted_as_text
from gramian.intake.memory import raw_of
from gramian.intake.notations import Notation
from gramian.intake.rows import is_table, listed, names_of
from gramian.intake.table import MISSING, Network, Table, absent, check_range, numeric, objects, written

MISSING_CATEGORY = "missing"
_BOOLEANS = frozenset(["true", "false"])
_KINDS = ("vectors", "strings", "documents", "nodes", "records")


class Applied(NamedTuple):
    """Objects made by a recipe, a short name of each, and sentences on what was done."""

    X: Any
    names: Sequence[str]
    notes: tuple[str, ...]


class RowNumbers(Sequence[str]):
    """The names of rows that have none: their numbers, from 1 on.

    Examples
    --------
    >>> list(RowNumbers(np.array([0, 2])))
    ['1', '3']
    """

    def __init__(self, rows: Array) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice | Array) -> RowNumbers: ...
    def __getitem__(self, index: int | slice | Array) -> str | RowNumbers:
        if isinstance(index, slice | np.ndarray):
            return RowNumbers(self._rows[index])
        return str(int(self._rows[index]) + 1)

    def __iter__(self) -> Iterator[str]:
        return (str(row + 1) for row in self._rows.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and not isinstance(other, str) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"RowNumbers({len(self)})"


@dataclass(frozen=True)
class Recipe:
    """What turns new data into objects exactly as the first were made; plain values throughout.

    Attributes
    ----------
    kind : str
        What the objects are: "vectors", "strings", "documents", "nodes" or "records".
    columns : tuple of str
        The columns that are taken, in order.
    kinds : dict of str to str
        What each of them holds: "number", "date", "category", "string" or "text".
    fill : dict of str to float or str
        What stands for a missing value.
    categories : dict of str to tuple of str
        The values of each category that are known.
    names : str or None
        The column that names the rows.
    target : str or None
        The column that is to be learnt, which new data need not have.
    ignored : tuple of str
        Other columns that were there and are not taken.
    header : tuple of str
        All columns, in order, of data without headings; empty where there were any.
    alone : bool
        Whether the data were a list of objects, of which a column is only the name.
    dtype : str
        The type of the numbers, "float32" or "float64".
    nodes : str
        What names the nodes of a graph: "int", "str" or, for objects of other kinds, nothing.
    width : int
        The number of columns of a sparse array, whose columns have no names; 0 for all other data.
    notations : dict of str to Notation
        How the numbers and dates of a column are written, where they did not come as numbers.
    missing : tuple of str or None
        The only texts that mark a missing value; None for those that are usual.

    Examples
    --------
    >>> from gramian.intake.reading import from_objects
    >>> rows = [{"age": 30, "sex": "f"}, {"age": None, "sex": "m"}, {"age": 50, "sex": "f"}, {"age": 41, "sex": "m"}]
    >>> recipe = from_objects(rows).recipe
    >>> recipe.fill["age"]
    41.0
    >>> X, names, notes = recipe.apply([{"age": 20, "sex": "d", "town": "Ulm"}])
    >>> X.tolist(), names[0]
    ([(20.0, 'd')], '1')
    >>> for note in notes:
    ...     print(note)
    1 more column is ignored: 'town'.
    Column 'sex' has 1 value never seen before, 'd', which equals no known category.
    >>> recipe == Recipe.from_plain(recipe.plain())
    True
    """

    kind: str
    columns: tuple[str, ...] = ()
    kinds: dict[str, str] = field(default_factory=dict)
    fill: dict[str, float | str] = field(default_factory=dict)
    categories: dict[str, tuple[str, ...]] = field(default_factory=dict)
    names: str | None = None
    target: str | None = None
    ignored: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    alone: bool = False
    dtype: str = "float64"
    nodes: str = ""
    width: int = 0
    notations: dict[str, Notation] = field(default_factory=dict)
    missing: tuple[str, ...] | None = None

    def plain(self) -> dict[str, Any]:
        """Return the recipe as a dictionary of plain values, which JSON can write."""
        found: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        found["categories"] = {name: list(known) for name, known in self.categories.items()}
        found["notations"] = {name: notation.plain() for name, notation in self.notations.items()}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}

    @classmethod
    def from_plain(cls, tree: Any) -> Recipe:
        """Return the recipe of such a dictionary, and refuse one that is none."""
        if isinstance(tree, Mapping) and not {"notations", "missing"} & set(tree):  # of a version without them
            tree = {**tree, "notations": {}, "missing": sorted(MISSING - {""})}
        if not isinstance(tree, Mapping) or set(tree) != {each.name for each in fields(cls)}:
            raise DataError("a recipe of other fields than this version knows; make the model again")
        found = dict(tree)
        found["missing"] = None if found["missing"] is None else _strings(found["missing"])
        found["notations"] = {
            name: Notation.from_plain(found["notations"][name]) for name in _strings(found["notations"])
        }
        found.update({name: _strings(found[name]) for name in ("columns", "ignored", "header")})
        found["kinds"] = dict(zip(_strings(found["kinds"]), _strings(list(found["kinds"].values())), strict=True))
        found["categories"] = {name: _strings(found["categories"][name]) for name in _strings(found["categories"])}
        found["fill"] = {name: found["fill"][name] for name in _strings(found["fill"])}
        _check_plain(recipe := cls(**found))
        return recipe

    def apply(self, data: Any, *, format: str | None = None, encoding: str = "utf-8") -> Applied:
        """Return the objects that new data hold, with their names and notes on what was done.

        Parameters
        ----------
        data : str, path, array, list, data frame or table
            A file of any format, or data in memory.
        format, encoding : str
            As for `read_data`, if data is the name of a file.

        Raises
        ------
        DataError
            If a column is missing, or holds something else than in the data that the recipe was made on.
        """
        return self.apply_with_target(data, "classes", format=format, encoding=encoding)[0]

    def apply_with_target(
        self, data: Any, task: str, *, format: str | None = None, encoding: str = "utf-8"
    ) -> tuple[Applied, Array | None]:
        """Return the same, and what is to be predicted of each object, as "classes" or "numbers", where data hold it.

        It is None, or NaN among numbers, for an object of which it is not known; None in all where no column can be
        read so.
        """
        if self.width:
            return self._sparse(data), None
        raw = self._raw(data, format, encoding)
        if self.kind == "nodes":
            return self._nodes(raw), None
        if isinstance(raw, Network):
            raise DataError(f"{raw.where}: a graph; {self._expected()} expected")
        table, notes = self._fitting(raw)
        table = settle_like(replace(table, notes=()), self._read_as(), self.notations, self.missing, self.fill)
        notes += table.notes
        X, rows, done = self.objects(table)
        known = self._known(table, task)
        return Applied(X, self.labels(table, rows), (*raw.notes, *notes, *done)), None if known is None else known[rows]

    def _known(self, table: Table, task: str) -> Array | None:
        """Return the target of all rows, where there is such a column and it can be read."""
        if self.target is None or self.target not in table.columns:
            return None
        kind = "number" if task == "numbers" else "category"
        with suppress(DataError):
            found = settle_like(table, {self.target: kind}, {}, self.missing)
            return numeric(found, self.target) if task == "numbers" else lowered(written(found.columns[self.target]))
        return None

    def _raw(self, data: Any, format: str | None, encoding: str) -> Table | Network:
        if not isinstance(data, str | os.PathLike):
            known = {str(name) for name in names_of(data)} & {self.target} if is_table(data) else set()
            return raw_of(data, frozenset(self._worded()), frozenset(self._read_as()) | known)
        text, data, wanted = frozenset(self._worded()), at_hand(data), frozenset(self._read_as())
        raw = read_raw(data, format=format, encoding=encoding, text=text, wanted=wanted)
        if isinstance(raw, Table) and (more := wanted_as_text(raw, self.missing)):
            raw = read_raw(data, format=format, encoding=encoding, text=text | more, wanted=wanted)
        return raw

    def _worded(self) -> list[str]:
        """Return the columns that are needed as they are written; with decimal commas, 1.234 is above 1000."""
        commas = [name for name, notation in self.notations.items() if notation.style.startswith(",")]
        return [*(name for name, kind in self._read_as().items() if kind not in NUMERIC), *commas]

    def _read_as(self) -> dict[str, str]:
        return {**self.kinds, **({} if self.names is None or self.names in self.kinds else {self.names: "id"})}

    def _expected(self) -> str:
        return f"data with the {'column' if len(self.columns) == 1 else 'columns'} {listed(self.columns)}"

    def _sparse(self, data: Any) -> Applied:
        try:
            X = as_vectors(data, "X", sparse=is_sparse(data))
        except (TypeError, ValueError) as error:
            raise DataError(str(error)) from None
        if X.shape[1] != self.width:
            raise DataError(f"X has {X.shape[1]:,} columns; {self.width:,} expected")
        return Applied(X, RowNumbers(np.arange(X.shape[0])), ())

    def _nodes(self, raw: Table | Network) -> Applied:
        if isinstance(raw, Network):
            found = raw.graph.names()
        elif len(raw.columns) == 1:
            found = list(written(next(iter(raw.columns.values()))))
        else:
            raise DataError(
                f"{raw.where}: {len(raw.columns)} columns; a graph or the names of nodes, one a line, expected"
            )
        try:
            nodes = [int(node) if self.nodes == "int" else node for node in found]
        except (TypeError, ValueError):
            raise DataError(f"{raw.where}: names of nodes that are no integers; those of the graph are") from None
        return Applied(nodes, tuple(map(str, nodes)), raw.notes)

    def _fitting(self, table: Table) -> tuple[Table, list[str]]:
        """Return the table under the names that are known, and refuse it if it lacks a column."""
        notes: list[str] = []
        (lone, *more) = self.columns
        if table.headless and self.header:
            without = tuple(name for name in self.header if name != self.target)
            if len(table.columns) == len(without) < len(self.header):
                table = renamed(table, without)
                notes.append(
                    f"The data have one column less than before: the target {self.target!r} is taken to be absent."
                )
        if self.kind in ("strings", "documents") and not more and lone not in table.columns and table.alone:
            columns = {lone if name == table.alone else name: column for name, column in table.columns.items()}
            table = Table(
                table.where, table.format, columns, table.place, hidden=table.hidden, alone=lone, notes=table.notes
            )
        known = tuple(table.columns)
        for name in self.columns:
            if name not in table.columns:
                raise unknown(table.where, "column", name, known)
        others = {*self.columns, *self.ignored, self.names, self.target, *table.hidden}
        extra = [name for name in known if name not in others and table.settled.get(name) != "id"]
        if extra:
            notes.append(f"{counted(len(extra), 'more column is', 'more columns are')} ignored: {listed(extra)}.")
        return table, notes

    def objects(self, table: Table) -> tuple[Any, Array, list[str]]:
        """Return the objects of a table that has all columns, the rows they stand in, and what was done."""
        notes: list[str] = []
        if self.kind in ("strings", "documents"):
            values = written(table.columns[self.columns[0]])
            rows = np.flatnonzero(~absent(values))
            if not len(rows):
                raise DataError(f"{table.where}: column {self.columns[0]!r} has no value in any row")
            if len(rows) < len(values):
                notes.append(left_out(len(values) - len(rows), len(values), f"column {self.columns[0]!r}"))
            return values[rows].tolist(), rows, notes
        rows = np.arange(len(table))
        if self.kind == "vectors":
            X = np.empty((len(table), len(self.columns)), dtype=self.dtype)
            for place, name in enumerate(self.columns):
                X[:, place] = self._column(table, name, notes)
            return X, rows, notes
        kinds = [(name, self.dtype if self.kinds[name] in NUMERIC else "O") for name in self.columns]
        records = np.empty(len(table), dtype=kinds)
        for name in self.columns:
            records[name] = self._column(table, name, notes)
        return records, rows, notes

    def _column(self, table: Table, name: str, notes: list[str]) -> Array:
        kind = self.kinds[name]
        if kind in NUMERIC:
            values = days_of(table, name) if kind == "date" else numeric(table, name)
            check_range(table, name, values)
        else:
            values = written(table.columns[name])
            if kind == "category":
                values = self._category(name, values, notes)
        gaps = absent(values)
        if gaps.any():
            fill = self.fill[name]
            put = f"the category {fill!r} stands" if kind == "category" else "no words stand"
            if not isinstance(fill, str):
                put = f"the median, {iso_of(fill) if kind == 'date' else f'{fill:g}'}, stands"
            number = f"{int(gaps.sum()):,} of {counted(len(gaps), 'row')}"
            notes.append(f"Column {name!r} has no value in {number}; {put} there.")
            values = values.copy()
            values[gaps] = fill
        return values

    def _category(self, name: str, values: Array, notes: list[str]) -> Array:
        known = set(self.categories[name])
        if known <= _BOOLEANS:
            values = objects([value.lower() if value and value.lower() in _BOOLEANS else value for value in values])
        new = sorted({value for value in values if value is not None} - known)
        if new:
            some = ", ".join(repr(shortened(value, 20)) for value in new[:3]) + (" …" if len(new) > 3 else "")
            equal = "which equals" if len(new) == 1 else "which equal"
            number = counted(len(new), "value")
            notes.append(f"Column {name!r} has {number} never seen before, {some}, {equal} no known category.")
        return values

    def labels(self, table: Table, rows: Array) -> Sequence[str]:
        """Return a short name for each of some rows: that of the column of names, else the number of the row."""
        named = (
            self.names
            if self.names in table.columns
            else next((name for name, kind in table.settled.items() if kind == "id"), None)
        )
        if named is None:
            return RowNumbers(rows)
        values = written(table.columns[named])
        return tuple(values[row] if values[row] is not None else str(row + 1) for row in rows.tolist())


def left_out(number: int, total: int, what: str) -> str:
    """Return the note on rows without a value that cannot be filled in."""
    have, were = ("has", "was") if number == 1 else ("have", "were")
    return f"{number:,} of {counted(total, 'row')} {have} no value in {what} and {were} left out."


def _strings(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list | tuple | Mapping) or not all(isinstance(value, str) for value in values):
        raise DataError("a recipe with names that are no texts; make the model again")
    return tuple(values)


def _check_plain(recipe: Recipe) -> None:
    known = set(recipe.columns)
    numbers = {name for name in known if recipe.kinds.get(name) in NUMERIC}
    sound = (
        recipe.kind in _KINDS
        and set(recipe.kinds) == known == set(recipe.fill)
        and {name for name, kind in recipe.kinds.items() if kind == "category"} == set(recipe.categories)
        and all(isinstance(recipe.fill[name], float if name in numbers else str) for name in known)
        and all(isinstance(name, str | None) for name in (recipe.names, recipe.target))
        and recipe.dtype in ("float32", "float64")
        and recipe.nodes in ("", "int", "str")
        and isinstance(recipe.alone, bool)
        and set(recipe.notations) <= numbers
        and isinstance(recipe.width, int)
        and (bool(known) or recipe.kind == "nodes" or recipe.width > 0)
    )
    if not sound:
        raise DataError("a recipe whose parts do not fit each other; make the model again")
