"""What a column holds, guessed from its values, and each guess put into a sentence.

    number      numbers
    date        dates, which become days
    category    true and false; few different values; values of which each is there many times
    string      sequences such as DNA: few different letters, no blanks; other words that hardly repeat
    text        words with blanks between them
    id          a value of its own for every row, which names the row and says nothing of it
    constant    the same value everywhere
    empty       no value at all

Objects are made of the first five; the others are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from gramian.checks import Array
from gramian.intake.dates import is_date, iso_of
from gramian.intake.errors import counted, shortened
from gramian.intake.table import Table, absent, is_number, numeric, plain_numbers, rounds, stray, written

HINTS = {"day-first": "date", "month-first": "date", "decimal-comma": "number"}  # what says how a kind is written
KINDS = ("number", "category", "string", "text", "id", "date", *HINTS)
NUMERIC = ("number", "date")

_FEW = 20  # different values that make a category, or classes
_OFTEN = 0.05  # different values, as a part of all, that make a category whatever their number
_ALPHABET = 25
_DIGITS = frozenset("+-0123456789")
_CODED = 6  # different digits that make codes, and no sequences of few letters, of texts of nothing but digits
_LONG = 10  # letters on average that make a sequence
_BOOLEANS = frozenset(["true", "false"])
_NAMES = re.compile(
    r"(.*[_\-. ])?(id|index|idx|key|uuid|name|row|nr|no)|row[_\-. ]?(names?|num|number|id|nr|no)|unnamed: ?\d+",
    re.IGNORECASE,
)


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
    meaning = table.meanings.get(name)
    if kind is not None:
        notes = [f"Column {name!r} is taken as {_TAKEN[kind]}{why}."] if why else []
        return Found(kind, missing, distinct, " ".join(notes + table.readings(name)))
    if distinct == 1:
        dated = meaning is not None and meaning.kind == "date"
        value = iso_of(float(present[0])) if dated else shortened(written(present[:1])[0], 40)
        return Found(
            "constant", missing, 1, f"Column {name!r} has the same value, {value}, in every row and is left out."
        )
    if meaning is not None:
        return Found(meaning.kind, missing, distinct, meaning.note)
    guess, reason = _number(name, present, missing) if present.dtype.kind == "f" else _words(name, present, distinct)
    note = f"Column {name!r} {reason} and is taken as {_TAKEN[guess]}." if reason else ""
    return Found(guess, missing, distinct, note + _numbers_inside(table, name, guess))


def _numbers_inside(table: Table, name: str, guess: str) -> str:
    """Return a sentence on numbers in a column of words: all of them are, or nearly all."""
    column = table.columns[name]
    if column.dtype.kind == "f":
        return ""
    present = column[~absent(column)].tolist()
    if (numbers := plain_numbers(present)) is not None:
        what = "whole numbers of more digits than floating point keeps" if rounds(present, numbers) else "numbers"
        return f" Its texts are {what}; to take them as such: --kind {quoted(name)}=number."
    different = set(present)
    if guess == "category" and len(different) <= _FEW:
        return ""
    for what, sound in (("numbers", is_number), ("dates", is_date)):
        known = {value: sound(value) for value in different} if guess == "category" else {}  # few: each looked at once
        if junk := stray(column, known.__getitem__ if known else sound):
            number, first = junk
            return (
                f" But for {counted(number, 'entry', 'entries')}, such as {shortened(column[first], 30)!r} in "
                f"{table.place(first)}, it holds {what}."
            )
    return ""


def quoted(name: str) -> str:
    """Return the name of a column as a shell takes it."""
    return name if name.isidentifier() else f'"{name}"'


_TAKEN = {
    "number": "a number",
    "date": "a number, in days since 1970-01-01",
    "category": "a category",
    "string": "strings",
    "text": "text",
    "id": "the name of a row, not as a feature",
}


def may_name_rows(name: str) -> bool:
    """Tell whether a column is called as those that name rows are."""
    return _NAMES.fullmatch(name) is not None


def _number(name: str, present: Array, missing: int) -> tuple[str, str]:
    whole = bool(np.all(present == np.floor(present)))
    if whole and not missing and may_name_rows(name) and len(present) > 2 and len(np.unique(present)) == len(present):
        return "id", "has a whole number of its own in every row"
    return "number", ""


def _words(name: str, present: Array, distinct: int) -> tuple[str, str]:
    values: list[str] = present.tolist()
    different = set(values)
    unique = distinct == len(values)
    if {value.lower() for value in different} <= _BOOLEANS:
        return "category", "holds true and false"
    if unique and may_name_rows(name):
        return "id", "has a value of its own in every row"
    if few_different(distinct, len(values)):
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


def few_different(distinct: int, count: int) -> bool:
    """Tell whether so many different values among `count` are few enough to be categories."""
    return distinct <= max(_OFTEN * count, min(_FEW, count / 2))


def is_sequence(values: list[str]) -> bool:
    """Tell whether strings are sequences over a small alphabet."""
    if sum(map(len, values)) < _LONG * len(values):
        return False
    letters: set[str] = set()
    for value in values:
        letters |= set(value)
        if len(letters) > _ALPHABET or " " in letters or "\t" in letters:
            return False
    return len(letters & _DIGITS) < _CODED or not letters <= _DIGITS


def has_blanks(values: list[str]) -> bool:
    """Tell whether at least half of the strings are of several words."""
    return 2 * sum(len(value.split(maxsplit=1)) > 1 for value in values) >= len(values)


def days_of(table: Table, name: str) -> Array:
    """Return a column of dates, which are numbers of days since 1970-01-01, and refuse the first text that is none."""
    column = table.columns[name]
    if column.dtype.kind == "f":
        return column
    rows = [row for row, value in enumerate(column) if value is not None]
    if not rows:
        return np.full(len(column), np.nan)
    row = next((row for row in rows if not is_date(column[row])), rows[0])
    raise table.error(row, name, f"{shortened(column[row], 40)!r}; a date such as 2024-02-29 expected")


def task_of(table: Table, name: str, asked: str | None) -> str:
    """Return what is to be learnt of a target without missing values: "classes" or "numbers"."""
    values = table.columns[name]
    if asked is not None:
        return "numbers" if asked in ("numbers", "number", "date") else "classes"
    if name in table.meanings:
        return "numbers"
    return "numbers" if values.dtype.kind == "f" and not are_classes(values) else "classes"


def are_classes(values: Array) -> bool:
    """Tell whether numbers of a target are rather names of classes: few different ones, all whole."""
    return len(np.unique(values)) <= min(_FEW, len(values) / 2) and bool(np.all(values == np.floor(values)))


def target_of(table: Table, name: str, task: str) -> Array:
    """Return a target without missing values as numbers, or as an array of strings."""
    values = table.columns[name]
    if task == "classes":
        return np.array(lowered(written(values)).tolist(), dtype=str)
    return numeric(table, name).astype(np.float64)


def lowered(values: Array) -> Array:
    """Return "true" and "false" for all spellings of them, if a column holds nothing else."""
    different = {value for value in values.tolist() if value is not None}
    if not different or not {value.lower() for value in different} <= _BOOLEANS or different <= _BOOLEANS:
        return values
    return np.array([None if value is None else value.lower() for value in values], dtype=object)
