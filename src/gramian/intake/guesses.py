"""What a column holds, guessed from its values, and each guess put into a sentence.

    number      numbers
    date        dates as ISO 8601 writes them, which become days
    category    true and false; few different values; values of which each is there many times
    string      sequences such as DNA: few different letters, no blanks; other words that hardly repeat
    text        words with blanks between them
    id          a value of its own for every row, which names the row and says nothing of it
    constant    the same value everywhere
    empty       no value at all

Objects are made of the first five; the others are left out.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

import numpy as np

from gramian.checks import Array
from gramian.intake.errors import counted, shortened
from gramian.intake.table import Table, absent, numeric, stray, written

KINDS = ("number", "category", "string", "text", "id", "date")
NUMERIC = ("number", "date")

_FEW = 20  # different values that make a category, or classes
_OFTEN = 0.05  # different values, as a part of all, that make a category whatever their number
_ALPHABET = 25
_LONG = 10  # letters on average that make a sequence
_BOOLEANS = frozenset(["true", "false"])
_NAMES = re.compile(r"(.*[_\-. ])?(id|index|idx|key|uuid|name|row|nr|no)", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?")
_EPOCH = datetime.datetime(1970, 1, 1)
_DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Found:
    """A guess of what a column holds, with what was counted on the way."""

    kind: str
    missing: int
    distinct: int
    note: str


def look(table: Table, name: str, kind: str | None = None, why: str = "") -> Found:
    """Return what a column holds: `kind` if that is settled, and why, else a guess."""
    column = table.columns[name]
    gaps = absent(column)
    missing = int(gaps.sum())
    present = column[~gaps]
    distinct = len(np.unique(present)) if present.dtype.kind == "f" else len(set(present.tolist()))
    if not len(present):
        return Found("empty", missing, 0, f"Column {name!r} has no value in any row and is left out.")
    if kind is not None:
        return Found(kind, missing, distinct, f"Column {name!r} is taken as {_TAKEN[kind]}{why}." if why else "")
    if distinct == 1:
        value = shortened(written(present[:1])[0], 40)
        return Found(
            "constant", missing, 1, f"Column {name!r} has the same value, {value}, in every row and is left out."
        )
    guess, reason = _number(name, present, missing) if present.dtype.kind == "f" else _words(name, present, distinct)
    note = f"Column {name!r} {reason} and is taken as {_TAKEN[guess]}." if reason else ""
    if column.dtype.kind == "O" and guess in ("string", "text", "id") and (junk := stray(column)):
        number, first = junk
        note += (
            f" But for {counted(number, 'entry', 'entries')}, such as {shortened(column[first], 30)!r} in "
            f"{table.place(first)}, it holds numbers."
        )
    return Found(guess, missing, distinct, note)


_TAKEN = {
    "number": "a number",
    "date": "a number, in days since 1970-01-01",
    "category": "a category",
    "string": "strings",
    "text": "text",
    "id": "the name of a row, not as a feature",
}


def _number(name: str, present: Array, missing: int) -> tuple[str, str]:
    whole = bool(np.all(present == np.floor(present)))
    if (
        whole
        and not missing
        and _NAMES.fullmatch(name)
        and len(present) > 2
        and len(np.unique(present)) == len(present)
    ):
        return "id", "has a whole number of its own in every row"
    return "number", ""


def _words(name: str, present: Array, distinct: int) -> tuple[str, str]:
    values: list[str] = present.tolist()
    different = set(values)
    unique = distinct == len(values)
    if {value.lower() for value in different} <= _BOOLEANS:
        return "category", "holds true and false"
    if are_dates(different):
        return "date", "holds dates"
    if unique and _NAMES.fullmatch(name):
        return "id", "has a value of its own in every row"
    if distinct <= max(_OFTEN * len(values), min(_FEW, len(values) / 2)):
        return "category", f"has {distinct:,} different values"
    if is_sequence(values):
        return "string", f"holds sequences of the letters {shortened(''.join(sorted(set().union(*different))), 30)}"
    if has_blanks(values):
        return "text", "holds words"
    if unique:
        return "id", "has a value of its own in every row"
    if distinct <= _FEW:
        return "category", f"has {distinct:,} different values"
    return "string", f"holds {distinct:,} different words"


def is_sequence(values: list[str]) -> bool:
    """Tell whether strings are sequences over a small alphabet."""
    if sum(map(len, values)) < _LONG * len(values):
        return False
    letters: set[str] = set()
    for value in values:
        letters |= set(value)
        if len(letters) > _ALPHABET or " " in letters or "\t" in letters:
            return False
    return True


def has_blanks(values: list[str]) -> bool:
    """Tell whether at least half of the strings are of several words."""
    return 2 * sum(len(value.split(maxsplit=1)) > 1 for value in values) >= len(values)


def are_dates(values: set[str]) -> bool:
    """Tell whether all strings are dates, or dates with a time, as ISO 8601 writes them."""
    return all(_DATE.fullmatch(value) and _day(value) is not None for value in values)


def days_of(table: Table, name: str) -> Array:
    """Return a column of dates, or of numbers of days, as numbers of days since 1970-01-01."""
    column = table.columns[name]
    if column.dtype.kind == "f":
        return column
    found = np.full(len(column), np.nan)
    for row, value in enumerate(column):
        if value is not None:
            day = _day(value)
            if day is None:
                raise table.error(row, name, f"{shortened(value, 40)!r}; a date such as 2024-02-29 expected")
            found[row] = day
    return found


def iso_of(days: float) -> str:
    """Return a number of days as a date, with the time if it is not midnight."""
    try:
        found = _EPOCH + days * _DAY
    except OverflowError:
        return f"day {days:g}"
    return found.date().isoformat() if found.time() == datetime.time() else found.isoformat(timespec="seconds", sep=" ")


def _day(value: str) -> float | None:
    try:
        found = datetime.datetime.fromisoformat(value)
        if found.tzinfo is not None:
            found = found.astimezone(datetime.UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
    return (found - _EPOCH) / _DAY


def task_of(table: Table, name: str, asked: str | None) -> str:
    """Return what is to be learnt of a target without missing values: "classes" or "numbers"."""
    values = table.columns[name]
    if asked is not None:
        return "numbers" if asked in ("numbers", "number", "date") else "classes"
    if values.dtype.kind == "f":
        distinct = len(np.unique(values))
        few = distinct <= min(_FEW, len(values) / 2) and bool(np.all(values == np.floor(values)))
        return "classes" if few else "numbers"
    return "numbers" if are_dates(set(values.tolist())) else "classes"


def target_of(table: Table, name: str, task: str) -> Array:
    """Return a target without missing values as numbers, or as an array of strings."""
    values = table.columns[name]
    if task == "classes":
        return np.array(lowered(written(values)).tolist(), dtype=str)
    if values.dtype.kind == "O" and are_dates(set(values.tolist())):
        return days_of(table, name)
    return numeric(table, name).astype(np.float64)


def lowered(values: Array) -> Array:
    """Return "true" and "false" for all spellings of them, if a column holds nothing else."""
    different = {value for value in values.tolist() if value is not None}
    if not different or not {value.lower() for value in different} <= _BOOLEANS or different <= _BOOLEANS:
        return values
    return np.array([None if value is None else value.lower() for value in values], dtype=object)
