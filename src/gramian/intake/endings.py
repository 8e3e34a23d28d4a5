"""What stands at the end of a table and is no row of it: rows of nothing, remarks, and a row of totals.

Spreadsheets write rows of nothing but marks below a table, and people name its source and add it up there. A last row
is one of totals if it is called so, and at least one of its numbers is the sum of those above it. All of this is left
out, and it is said.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from gramian.checks import Array
from gramian.intake.errors import counted, shortened
from gramian.intake.table import Table, absent

_TOTALS = frozenset([
    "total", "totals", "grand total", "overall total", "all", "sum", "summe", "gesamt", "insgesamt", "gesamtsumme",
    "somme", "ensemble", "totale", "suma",
])  # fmt: skip
REMARK = re.compile(
    r"\s*([*\u00a9\u2020\u2021]|\(c\)|(sources?|notes?|footnotes?|remarks?|quelle|anmerkung|fonte|fuente|legend|"
    r"copyright|data from|last updated?|stand)\b)",
    re.IGNORECASE,
)
_ROUNDING = 0.02  # of a sum, relative to the largest number in it: parts may be rounded
_LEAST = 3  # rows above one of totals


def trimmed(table: Table) -> Table:
    """Return a table without rows of nothing, and of totals, at its end.

    Examples
    --------
    >>> from gramian.intake.table import texts_of
    >>> cities = texts_of(["a", "b", "c", "Total", None])
    >>> people = np.array([1.0, 2.0, 4.0, 7.0, np.nan])
    >>> table = trimmed(Table("t.csv", "csv", {"city": cities, "people": people}))
    >>> len(table), table.notes[1]
    (3, "The last row, 'Total', holds sums of the others, and is left out.")
    """
    rows = len(table)
    filled = rows
    while filled > 1 and not table.marks and all(_is_missing(column[filled - 1]) for column in table.columns.values()):
        filled -= 1
    notes = []
    if filled < rows:
        what = "row at the end holds" if rows - filled == 1 else f"{counted(rows - filled, 'row')} at the end hold"
        notes.append(f"{'A ' if rows - filled == 1 else ''}{what} nothing, and {_are(rows - filled)} left out.")
    while (remark := _remark(table, filled)) is not None:
        filled -= 1
        notes.append(f"The last row, {shortened(remark, 40)!r}, is a remark, and is left out.")
    if (name := _totals(table, filled)) is not None:
        filled -= 1
        notes.append(f"The last row, {shortened(name, 40)!r}, holds sums of the others, and is left out.")
    if filled == rows:
        return table
    shorter = {name: column[:filled] for name, column in table.columns.items()}
    return replace(table, columns=shorter, notes=(*table.notes, *notes))


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _is_missing(value: object) -> bool:
    return value is None or value != value


def _remark(table: Table, rows: int) -> str | None:
    """Return the remark that fills the first field of the last of so many rows, if nothing else does."""
    first, *others = (column[rows - 1] for column in table.columns.values())
    if rows <= _LEAST or not others or not isinstance(first, str) or not all(map(_is_missing, others)):
        return None
    return first if REMARK.match(first) else None


def _totals(table: Table, rows: int) -> str | None:
    """Return what the last of so many rows is called, if it holds totals."""
    if rows <= _LEAST:
        return None
    texts = [column[rows - 1] for column in table.columns.values() if column.dtype.kind == "O"]
    name = next((text for text in texts if isinstance(text, str)), None)
    if name is None or " ".join(name.casefold().split()).strip(" :*") not in _TOTALS:
        return None
    numbers = [column[:rows] for column in table.columns.values() if column.dtype.kind == "f"]
    return name if any(map(_adds_up, numbers)) else None


def _adds_up(values: Array) -> bool:
    above, total = values[:-1][~absent(values[:-1])], values[-1]
    if len(above) < _LEAST or not np.isfinite(total) or not total:
        return False
    return bool(abs(above.sum() - total) <= _ROUNDING * np.abs(above).max(initial=0.0))
