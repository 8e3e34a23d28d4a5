"""JSON lines: one object a line, whose keys are the columns; a key that a line lacks is a missing value there."""

from __future__ import annotations

import json
from typing import Any

from gramian.intake.errors import DataError, shortened
from gramian.intake.table import Table, column_of
from gramian.intake.textfile import TextFile


def read_jsonlines(file: TextFile, text: frozenset[str] = frozenset()) -> Table:
    """Return the table of a file; columns named in `text` may mix numbers and strings, and become strings."""
    places: list[int] = []
    columns: dict[str, list[Any]] = {}
    for number, line in enumerate(file.lines(), start=1):
        if not line.strip():
            continue
        for name, value in _object(file, number, line).items():
            column = columns.setdefault(name, [])
            column.extend([None] * (len(places) - len(column)))
            column.append(value)
        places.append(number)
    if not places:
        raise DataError(f"{file.path}: an empty file; one JSON object a line expected")
    if not columns:
        raise DataError(f"{file.path}: objects without a key; keys expected, which name the columns")

    def error(row: int, name: str, message: str) -> DataError:
        return DataError(f"{file.path}, line {places[row]:,}, column {name!r}: {message}")

    found = {
        name: column_of(column + [None] * (len(places) - len(column)), name, error, text=name in text)
        for name, column in columns.items()
    }
    return Table(str(file.path), "jsonl", found, place=lambda row: f"line {places[row]:,}")


def _object(file: TextFile, number: int, line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        raise file.error(
            number, f"no JSON object, {error.msg} at character {error.pos + 1}; one object a line expected"
        ) from None
    except (ValueError, RecursionError):
        raise file.error(
            number, "JSON that is nested too deeply, or has a number of thousands of digits; one flat object expected"
        ) from None
    if not isinstance(found, dict):
        raise file.error(
            number,
            f'{shortened(line.strip(), 30)!r} is no JSON object; one object a line expected, such as {{"age": 30}}',
        )
    for name, value in found.items():
        if not name.strip():
            raise file.error(number, "a key without a name; every column needs one")
        if isinstance(value, dict | list):
            nested = shortened(json.dumps(value), 30)
            raise file.error(
                number,
                f"column {name!r} holds {nested}, a nested value; a number, a text, true, false or null expected",
            )
    return found
