"""SQLite: a table of a data base, which is only read; the name of the table may follow the file, as FILE::TABLE.

Numbers among texts are texts, as in CSV: what such a column means is settled later.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from typing import Any

from gramian.intake.budget import OBJECT
from gramian.intake.columnar import flat_columns
from gramian.intake.errors import DataError, unknown
from gramian.intake.inputs import Input
from gramian.intake.rows import listed
from gramian.intake.table import Table, column_of

_RUN = 2_000  # rows
_COMPUTED = 2  # what SQLite calls a column that is worked out from others, and takes no room in the file
_STEPS = 100_000  # of SQLite's machine


def read_sqlite(file: Input, wanted: frozenset[str] | None = None) -> Table:
    """Return a table of a data base: the one asked for, or the only one; blobs are passed by in unwanted columns."""
    try:
        with closing(sqlite3.connect(f"{file.path.resolve().as_uri()}?mode=ro", uri=True)) as base:
            base.execute("PRAGMA trusted_schema = OFF")
            base.set_progress_handler(lambda: 0, _STEPS)  # lets Ctrl-C in
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(file.budget.longest, 10**9))
            return _table(base, file, wanted)
    except sqlite3.Error as error:
        raise DataError(f"{file.path}: no data base of SQLite, or a broken one ({error}); write it again") from None


def _table(base: sqlite3.Connection, file: Input, wanted: frozenset[str] | None) -> Table:
    name = _chosen(base, file)
    quoted = '"' + name.replace('"', '""') + '"'
    if computed := sum(column[6] == _COMPUTED for column in base.execute(f"PRAGMA table_xinfo({quoted})")):
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(file.budget.longest, 10**9) // computed)
    found = base.execute(f"SELECT * FROM {quoted}")
    names = [str(column[0]) for column in found.description]
    columns: list[list[Any]] = [[] for _ in names]
    rows = _claimed(found, file)
    while run := list(islice(rows, _RUN)):
        for column, values in zip(columns, zip(*run, strict=True), strict=True):
            column.extend(values)
    if not columns[0]:
        raise DataError(f"{file.path}: the table {name!r} has columns, and no row; at least one row expected")

    def error(row: int, column: str, message: str) -> DataError:
        return DataError(f"{file.path}, row {row + 1:,} of {name!r}, column {column!r}: {message}")

    given = dict(zip(names, columns, strict=True))
    return Table(
        str(file.path),
        "sqlite",
        flat_columns(list(given), wanted, lambda column: column_of(given[column], column, error, text=True)),
        notes=(f"The table is {name!r}.",),
    )


def _claimed(rows: Iterable[tuple[Any, ...]], file: Input) -> Iterator[tuple[Any, ...]]:
    """Go through rows, each counted as it comes: columns that are computed may be as long as the file says."""
    for row in rows:
        file.budget.claim(sum(map(_size, row)), file.path)
        yield row


def _size(value: Any) -> int:
    return 2 * OBJECT + (len(value) if isinstance(value, str | bytes) else 0)


def _chosen(base: sqlite3.Connection, file: Input) -> str:
    """Return the table to read; views are read only when they are asked for, as they may compute without end."""
    kinds = dict(base.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')").fetchall())
    known = sorted(name for name in kinds if not name.startswith("sqlite_"))
    tables: list[str] = [name for name in known if kinds[name] == "table"]
    if file.part is not None:
        if file.part not in known:
            raise unknown(str(file.path), "table", file.part, known)
        return file.part
    if len(tables) != 1:
        raise DataError(
            f"{file.path}: a data base of {len(tables):,} tables, {listed(tables)}; name one, as in "
            f"{file.name}::{tables[0]}"
            if tables
            else f"{file.path}: a data base without a table; one expected"
        )
    return tables[0]
