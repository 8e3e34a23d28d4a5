"""Tables in one JSON object, in the ways that pandas writes them: what its keys stand for, and so what the rows are.

    {"age": {"ann": 31, "bob": 45}, …}                  columns: what is inside are the rows
    {"age": [31, 45], …}                                columns: lists
    {"ann": {"age": 31, "sex": "f"}, …}                 index: what is outside are the rows
    {"columns": […], "index": […], "data": [[…], …]}    split: three lists
    {"schema": {…}, "data": [{…}, …]}                   table: records below a description

Columns and rows look alike, an object of objects. Which is which is told by what tells it best: keys that count 0, 1,
2, … are rows; where some lack a key, what they lack are columns; a column holds values of one type;
and where all of that goes both ways there are more rows than columns. It is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gramian.intake.errors import DataError
from gramian.intake.openings import distinct

_SPLIT = {"columns", "index", "data"}
_TIGHT = _SPLIT | {"index_names", "column_names"}
_SCHEMA = {"schema", "data"}


@dataclass(frozen=True)
class Rows:
    """The records of a table, their names where they have any, and what was read.

    `key` is the column of the names where they stand in the records; else they are `names`, which `named` calls.
    """

    records: Iterable[Any]
    note: str
    expected: str
    names: Sequence[str] = ()
    named: str = ""
    key: str | None = None


def rows_of(found: Mapping[str, Any], where: str) -> Rows:
    """Return the rows of an object whose values are objects or lists."""
    keys = set(found)
    if keys >= _SCHEMA and isinstance(found["schema"], dict) and isinstance(found["data"], list):
        return _of_schema(found)
    if keys <= _TIGHT and _are_lists(found.get("data")) and isinstance(found.get("columns"), list):
        return _of_split(found, where)
    if all(isinstance(value, dict) for value in found.values()) and _are_rows(found):
        return Rows(
            found.values(),
            f"The keys of the object are rows, and those within them columns (in pandas: orient='index').{_OTHERWISE}",
            "an object of rows",
            tuple(found),
            "The keys of the object",
        )
    return _of_columns(found, where)


_OTHERWISE = " If it is the other way round, write it as records (orient='records')."


def _of_schema(found: Mapping[str, Any]) -> Rows:
    keys = found["schema"].get("primaryKey")
    key = keys[0] if isinstance(keys, list) and len(keys) == 1 else keys
    note = "The records below 'data' are read, and their description left out (in pandas: orient='table')."
    return Rows(found["data"], note, "records below 'data'", key=key if isinstance(key, str) else None)


def _are_lists(rows: Any) -> bool:
    return isinstance(rows, list) and all(isinstance(row, list) for row in rows)


def _of_split(found: Mapping[str, Any], where: str) -> Rows:
    names, more = distinct([_name(name) for name in found["columns"]])
    data, index = found["data"], found.get("index", [])
    wrong = next((row for row in data if len(row) != len(names)), None)
    if wrong is not None:
        raise DataError(
            f"{where}: row {data.index(wrong) + 1:,} below 'data' has {len(wrong):,} values, and 'columns' "
            f"{len(names):,}; as many expected"
        )
    if not isinstance(index, list) or (index and len(index) != len(data)):
        raise DataError(f"{where}: 'index' does not have one value for each of {len(data):,} rows; as many expected")
    note = " ".join(["'columns', 'index' and 'data' are read as one table (in pandas: orient='split').", *more])
    records = (dict(zip(names, row, strict=True)) for row in data)
    return Rows(records, note, "rows below 'data'", [_name(row) for row in index], "The values of 'index'")


def _name(label: Any) -> str:
    """Return a label of pandas as a text; one of several levels in one."""
    return "_".join(map(str, label)) if isinstance(label, list) else str(label)


def _are_rows(found: Mapping[str, Mapping[str, Any]]) -> bool:
    """Tell whether the outer keys of an object of objects are rows, and the inner ones columns."""
    inner = list(dict.fromkeys(key for value in found.values() for key in value))
    even = all(list(value) == inner for value in found.values())
    outside, inside = _count(found), _count(inner)
    if outside != inside:
        return outside
    if not even:
        return len(found) > len(inner)
    of_columns = all(_are_alike(value.values()) for value in found.values())
    of_rows = all(_are_alike(column) for column in zip(*(value.values() for value in found.values()), strict=True))
    return of_rows if of_columns != of_rows else len(found) > len(inner)


def _count(keys: Iterable[str]) -> bool:
    """Tell whether keys are 0, 1, 2, … or 1, 2, 3, …"""
    given = list(keys)
    return given in ([str(place) for place in range(first, first + len(given))] for first in (0, 1))


def _are_alike(values: Iterable[Any]) -> bool:
    """Tell whether values are of one type: texts, numbers, or true and false, or missing."""
    return len({float if isinstance(value, int | float) and not isinstance(value, bool) else type(value)
                for value in values if value is not None}) <= 1  # fmt: skip


def _of_columns(found: Mapping[str, Any], where: str) -> Rows:
    sizes = {len(column) for column in found.values()}
    if len(sizes) > 1:
        raise DataError(f"{where}: columns of {min(sizes):,} to {max(sizes):,} values; equally many expected")
    rows: list[str] = next((list(column) for column in found.values() if isinstance(column, dict)), [])
    for name, column in found.items():
        if isinstance(column, dict) and list(column) != rows:
            raise DataError(f"{where}: column {name!r} has other rows than the first one; the same expected")
    columns = [list(column.values()) if isinstance(column, dict) else column for column in found.values()]
    return Rows(
        (dict(zip(found, values, strict=True)) for values in zip(*columns, strict=True)),
        f"The keys of the object are columns (in pandas: orient='columns').{_OTHERWISE if rows else ''}",
        "an object of columns",
        rows,
        "The keys within the columns",
    )
