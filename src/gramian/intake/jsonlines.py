"""JSON: one object a line, or an array of objects; their keys are the columns, and one that lacks is a missing value.

An array is read object by object, so that no more of it than one object lies in memory twice. A single object that
holds a table is read as well, in all the ways that pandas writes one (see `orients`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import IO, Any

import numpy as np

from gramian.intake.budget import OBJECT, RECORD
from gramian.intake.errors import DataError, shortened
from gramian.intake.openings import ROW, free_name, made_up
from gramian.intake.orients import Rows, rows_of
from gramian.intake.table import Table, column_of, texts_of
from gramian.intake.textfile import TextFile

_PIECE = 2**16
_BLANK = re.compile(r"[ \t\r\n]*")
_BETWEEN = re.compile(r"[ \t\r\n]*([,\]])[ \t\r\n]*")
_HALF = re.compile("[\ud800-\udfff]")
_COST = 25  # bytes at most that a character of JSON takes once it is an object of Python


class _Twice(ValueError):
    """A key that comes again in one object, of which the last would win in silence."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise _Twice(key)
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)


def is_lines(file: TextFile) -> bool:
    """Tell whether the first line that is not blank is a whole object, and no object of columns that stands alone."""
    lines = (line for line in file.lines() if line.strip())
    first, more = next(lines, ""), next(lines, None) is not None
    if not first.lstrip().startswith("{"):
        return False
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        return more and first.rstrip().endswith("}")
    return more or not _are_columns(found)


def _are_columns(found: Any) -> bool:
    return isinstance(found, dict) and bool(found) and all(isinstance(value, dict | list) for value in found.values())


def read_jsonlines(file: TextFile, text: frozenset[str] = frozenset(), wanted: frozenset[str] | None = None) -> Table:
    """Return the table of a file; columns named in `text` may mix numbers and strings, and become strings.

    Where some columns are wanted, nested values in others are passed by, and no column.
    """
    found = _Gathered(file, "line", "one object a line", wanted)
    for number, line in enumerate(file.lines(), start=1):
        if line.strip():
            found.add(number, _decoded(found, number, line))
    return found.table("jsonl", text)


def read_json(file: TextFile, text: frozenset[str] = frozenset(), wanted: frozenset[str] | None = None) -> Table:
    """Return the table of an array of objects, or of arrays, or of one object that holds a table."""
    with file.text() as stream:
        start = _BLANK.sub("", stream.read(_PIECE), count=1)
        if start.startswith("{"):
            return _of_object(file, start, stream, text, wanted)
        if not start.startswith("["):
            raise DataError(
                f"{file.path}: JSON that begins with {shortened(start, 20)!r}; an array of objects expected, such as "
                '[{"age": 30}]'
            )
        found = _Gathered(file, "object", "an array of objects", wanted)
        for number, record in enumerate(_elements(found, start[1:], stream), start=1):
            found.add(number, found.of_list(number, record) if isinstance(record, list) else record)
    table = found.table("json", text)
    if not found.width:
        return table
    note = "The file is an array of arrays, which are rows: the columns have no names and are called x1, x2, …"
    return replace(table, headless=True, notes=(note,))


class _Gathered:
    """The objects met so far, as columns, with the places they stand at."""

    def __init__(self, file: TextFile, unit: str, expected: str, wanted: frozenset[str] | None = None) -> None:
        self.file, self.unit, self.expected, self.wanted = file, unit, expected, wanted
        self.places: list[int] = []
        self.columns: dict[str, list[Any]] = {}
        self.width = 0  # of rows that are arrays

    def error(self, number: int, message: str) -> DataError:
        """Return the error of one object."""
        return DataError(f"{self.file.path}, {self.unit} {number:,}: {message}")

    def add(self, number: int, found: Any) -> None:
        """Add an object that stands at a place; refuse what is none, and values that are nested."""
        if not isinstance(found, dict):
            raise self.error(
                number,
                f"{shortened(json.dumps(found), 30)!r} is no JSON object; {self.expected} expected, such as "
                '{"age": 30}',
            )
        size = OBJECT
        for name, value in found.items():
            if not name.strip():
                raise self.error(number, "a key without a name; every column needs one")
            if isinstance(value, dict | list):
                if self.wanted is not None and name not in self.wanted:
                    continue
                nested = shortened(json.dumps(value), 30)
                raise self.error(
                    number,
                    f"column {name!r} holds {nested}, a nested value; a number, a text, true, false or null expected: "
                    "leave the column out by naming the others (--columns, columns= in Python), or flatten it",
                )
            if (isinstance(value, str) and _HALF.search(value)) or _HALF.search(name):
                raise self.error(number, f"column {name!a} holds half of a letter (a lone surrogate); texts expected")
            column = self.columns.get(name)
            if column is None:
                column = self.columns[name] = []
                size += RECORD + len(name)
            size += (1 + len(self.places) - len(column)) * OBJECT + (len(value) if isinstance(value, str) else 0)
            self.file.budget.claim(size, self.file.path)
            column.extend([None] * (len(self.places) - len(column)))
            column.append(value)
            size = 0
        self.places.append(number)

    def of_list(self, number: int, found: list[Any]) -> dict[str, Any]:
        """Return an array as an object whose keys are x1, x2, …; all must be as long as the first."""
        if number == 1:
            self.width = len(found)
        if not found or len(found) != self.width:
            wanted = f"{self.width:,}, as in the first one" if self.width else "an object"
            raise self.error(number, f"an array of {len(found):,} values; {wanted}, expected")
        return dict(zip(made_up(self.width), found, strict=True))

    def table(self, format: str, text: frozenset[str]) -> Table:
        """Return the columns of all objects."""
        places, path = self.places, self.file.path
        if not places:
            raise DataError(f"{path}: an empty file; {self.expected.replace('one', 'one JSON', 1)} expected")
        if not self.columns:
            raise DataError(f"{path}: objects without a key; keys expected, which name the columns")

        def error(row: int, name: str, message: str) -> DataError:
            return DataError(f"{path}, {self.unit} {places[row]:,}, column {name!r}: {message}")

        self.file.budget.claim(len(places) * len(self.columns) * OBJECT, path)
        columns = {
            name: column_of(column + [None] * (len(places) - len(column)), name, error, text=name in text)
            for name, column in self.columns.items()
        }
        return Table(str(path), format, columns, place=lambda row: f"{self.unit} {places[row]:,}")


def _decoded(gathered: _Gathered, number: int, text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise _refused(gathered, number, error) from None


def _refused(gathered: _Gathered, number: int, error: Exception) -> DataError:
    if isinstance(error, _Twice):
        return gathered.error(number, f"the key {str(error)!r} comes twice in one object; keep one of the two")
    if isinstance(error, json.JSONDecodeError):
        return gathered.error(
            number, f"no JSON object, {error.msg} at character {error.pos + 1}; {gathered.expected} expected"
        )
    return gathered.error(
        number, "JSON that is nested too deeply, or has a number of thousands of digits; one flat object expected"
    )


def _elements(gathered: _Gathered, buffer: str, stream: IO[str]) -> Iterator[Any]:
    """Go through the elements of an array; the bracket that opens it has been read."""
    file, number, step, at = gathered.file, 1, _PIECE, 0
    buffer, more = buffer + stream.read(step), True
    if (first := _BLANK.match(buffer)) and buffer[first.end() : first.end() + 1] == "]":
        return
    while True:
        at = _BLANK.match(buffer, at).end()  # type: ignore[union-attr]
        try:
            found, end = _DECODER.raw_decode(buffer, at)
            between = _BETWEEN.match(buffer, end)
            if between is None and not more:
                raise gathered.error(number, "no comma, and no bracket that closes the array, after it")
            ready = between is not None
        except (ValueError, RecursionError) as error:
            if not more or not isinstance(error, json.JSONDecodeError) or isinstance(error, DataError):
                raise error if isinstance(error, DataError) else _refused(gathered, number, error) from None
            ready = False
        if not ready:
            if len(buffer) - at > file.budget.longest:
                raise file.budget.exceeded(_COST * (len(buffer) - at), f"{file.path}, object {number:,}")
            piece = stream.read(max(step, len(buffer) - at))
            buffer, at, more = buffer[at:] + piece, 0, bool(piece)
            continue
        yield found
        number += 1
        if between is not None and between[1] == "]":
            if rest := (buffer[between.end() :] + stream.read(_PIECE)).strip():
                raise DataError(f"{file.path}: {shortened(rest, 30)!r} after the end of the array; nothing expected")
            return
        at = between.end() if between is not None else end


def _of_object(
    file: TextFile, start: str, stream: IO[str], text: frozenset[str], wanted: frozenset[str] | None
) -> Table:
    """Return the table of one object: of columns, of rows, or as pandas writes a table with what it is made of."""
    pieces = [start]
    for piece in iter(lambda: stream.read(_PIECE), ""):
        file.budget.claim(_COST * len(piece), file.path)
        pieces.append(piece)
    whole = _Gathered(file, "object", "one object a line, an array of objects or an object of columns", wanted)
    found = _decoded(whole, 1, "".join(pieces))
    del pieces
    if not _are_columns(found):
        whole.add(1, found)
        return whole.table("json", text)
    rows = rows_of(found, str(file.path))
    gathered = _Gathered(file, "row", rows.expected, wanted)
    for number, record in enumerate(rows.records, start=1):
        gathered.add(number, record)
    return _named(gathered.table("json", text), rows)


def _named(table: Table, rows: Rows) -> Table:
    """Return a table with the names of its rows, unless these only count, and with what was read."""
    if rows.key is not None and rows.key in table.columns:
        names = table.columns[rows.key]
        counts = names.dtype.kind == "f" and np.array_equal(names, np.arange(len(names)))
        others = {name: column for name, column in table.columns.items() if name != rows.key}
        columns, settled = (others, {}) if counts and others else (dict(table.columns), {rows.key: "id"})
        said = "" if counts and others else f" {rows.key!r} is taken as the names of rows, not as a feature."
        return replace(table, columns=columns, settled=settled, notes=(rows.note + said,))
    if not rows.names or list(rows.names) == [str(row) for row in range(len(rows.names))]:
        return replace(table, notes=(rows.note,))
    name = free_name(ROW, table.columns)
    note = f"{rows.note} {rows.named} are taken as {name!r}, the names of rows, not as a feature."
    columns = {name: texts_of(rows.names), **table.columns}
    return replace(table, columns=columns, settled={name: "id"}, notes=(note,))
