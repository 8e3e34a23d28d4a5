r"""What the texts of a column mean, settled for the column as a whole: numbers, dates, words, and what is missing.

A column holds numbers if all of its entries but marks of missing values are numbers in one notation (see `notations`),
or dates in one (see `dates`), and there is at least one. In such a column "-", "?", "unknown" and the like are marks.
In a column of words they are words, as the + and - of two classes are, and "None" where a car has no air bags; there
only what programs write for a missing value is one: nothing, NA, N/A, NaN, null, <NA>, #N/A and \N. All of this is
said, with counts. Marks that are given are the only ones, besides nothing at all, and hold for every column.

Strings of nothing but digits stay words where the source could have said that they are numbers: they are codes. So are,
in any source, digits with zeros ahead (01067), those of telephones (+49891234567), and whole numbers of which floating
point would not keep all digits. Numbers such as 20240229 are days, if all of a column are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from gramian.checks import Array
from gramian.intake import dates
from gramian.intake.dates import iso_of
from gramian.intake.errors import counted, shortened
from gramian.intake.guesses import HINTS, are_classes, quoted
from gramian.intake.notations import (
    COMMAS_FIRST,
    COMMAS_ONLY,
    STYLES,
    Notation,
    could_have_decimal_commas,
    is_padded,
    number_notation,
)
from gramian.intake.rows import listed
from gramian.intake.table import (
    ERRORS,
    MISSING,
    Meaning,
    Table,
    absent,
    are_codes,
    digits,
    numbers_of,
    objects,
    plain_numbers,
)

WORD_MARKS = frozenset(["NA", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "Null", "<NA>", "#N/A", "\\N"])
_AMONG_NUMBERS = (
    "na n/a n.a. n.a nan nat null nil none missing unknown <na> \\n "
    "1.#qnan -1.#ind 1.#ind n/d k.a. : "
    "? ?? ??? - -- --- \u2013 \u2014 . .. ..."
)
NUMBER_MARKS = ERRORS.union(_AMONG_NUMBERS.split())
_WORDS = ("category", "string", "text", "id", "classes")
_WRITTEN = ("csv", "tsv")  # formats without types, where a number cannot be told from its digits
_LONGEST = max(map(len, NUMBER_MARKS))
_SAMPLE = 100  # entries among which one is shown
_SHOWN = 5  # marks that are named one by one
_COLUMNS = 8  # whose marks are
_DAYS = 3  # different numbers that look like days, from which on they are


class _Read(NamedTuple):
    """The numbers that entries are, their notation if it is not the usual one, and whether there is another reading."""

    numbers: Array
    notation: Notation | None = None
    doubtful: bool = False


@dataclass(frozen=True)
class Marks:
    """What marks a missing value: what was given or, by default, what is usual in words and in numbers."""

    given: frozenset[str] | None = None

    def among(self, entries: Iterable[str], *, numbers: bool) -> set[str]:
        """Return the entries that mark a missing value."""
        if self.given is not None:
            return set(self.given.intersection(entries))
        if not numbers:
            return set(WORD_MARKS.intersection(entries))
        return {entry for entry in entries if len(entry) <= _LONGEST and entry.casefold() in NUMBER_MARKS}


def marks_of(missing: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the marks that were given, each once, after a look at whether they are texts."""
    if missing is None:
        return None
    if not isinstance(missing, Iterable):
        raise TypeError(f"missing is {missing!r} ({type(missing).__name__}); texts expected, such as ['?', '-999']")
    given = [missing] if isinstance(missing, str) else list(missing)
    for mark in given:
        if not isinstance(mark, str):
            raise TypeError(f"missing holds {mark!r} ({type(mark).__name__}); texts expected, such as '?' or '-999'")
    return tuple(dict.fromkeys(mark.strip() for mark in given if mark.strip()))


@dataclass(frozen=True, eq=False)
class _Column:
    """The entries of a column of texts, and the different ones in the order in which they are met."""

    table: Table
    name: str
    values: list[str | None]
    different: list[str]
    mixed: bool

    @classmethod
    def of(cls, table: Table, name: str) -> _Column:
        values = table.columns[name].tolist()
        different = [value for value in dict.fromkeys(values) if value is not None]
        mixed = any(isinstance(value, float) for value in different)
        if mixed:
            values = [digits(value) if isinstance(value, float) else value for value in values]
            different = [value for value in dict.fromkeys(values) if value is not None]
        return cls(table, name, values, different, mixed)

    def without(self, marks: set[str]) -> Array:
        """Return the texts, None where one is a mark."""
        return objects([None if value in marks else value for value in self.values] if marks else self.values)

    def numbers(self, entries: Sequence[str], numbers: Array) -> Array:
        """Return the column of numbers that its different entries are; all others are missing."""
        number_of: dict[str | None, float] = dict(zip(entries, numbers.tolist(), strict=True))
        look = number_of.get
        return np.fromiter((look(value, np.nan) for value in self.values), dtype=np.float64, count=len(self.values))

    def counts(self, marks: set[str]) -> list[tuple[str, int]]:
        """Return how often each of some entries is met, the most frequent first."""
        return Counter(value for value in self.values if value in marks).most_common() if marks else []

    def refuse_mixture(self) -> None:
        """Refuse numbers among texts that turned out to be none."""
        if not self.mixed:
            return
        given = self.table.columns[self.name]
        first = next(value for value in given if value is not None)
        row = next(row for row, value in enumerate(given) if value is not None and type(value) is not type(first))
        before = "numbers" if isinstance(first, float) else "texts"
        shown = self.values[row] if isinstance(given[row], float) else repr(given[row])
        raise self.table.error(
            row,
            self.name,
            f"{shortened(str(shown), 40)} after {before}; one kind expected, unless the column is taken as a category",
        )


class _Settled(NamedTuple):
    """A settled column, the marks that were taken as missing, what else there is to say, and what it means."""

    values: Array
    gone: Sequence[tuple[str, int]] = ()
    notes: tuple[str, ...] = ()
    meaning: Meaning | None = None
    notation: Notation | None = None  # of new data


def settle(
    table: Table, asked: Mapping[str, str], missing: Sequence[str] | None = None, target: str | None = None
) -> Table:
    """Return a table whose texts are settled: numbers and dates are numbers, and what is missing is gone.

    `asked` are kinds of columns that were asked for, `missing` the only marks of missing values, if they were given.
    Classes keep their names: a target of few whole numbers in some notation stays as it is written.

    Examples
    --------
    >>> from gramian.intake.table import texts_of
    >>> table = Table("X", "csv", {"price": texts_of(["$3", "-", "$1,250.5"]), "sign": texts_of(["+", "-", "+"])})
    >>> table = settle(table, {})
    >>> table.columns["price"].tolist(), table.columns["sign"].tolist()
    ([3.0, nan, 1250.5], ['+', '-', '+'])
    >>> for note in (*table.notes, table.meanings["price"].note):
    ...     print(note)
    Column 'price': 1 entry '-' is taken as missing.
    Column 'sign': 1 entry '-' is a value, not a missing one (to change that: --missing="-").
    Column 'price' is read as numbers: '$1,250.5' is 1250.5.
    """
    marks = Marks(None if missing is None else frozenset(missing))
    return _with(table, {name: _settled(table, name, asked.get(name), marks, name == target) for name in table.columns})


def wanted_as_text(table: Table, missing: Sequence[str] | None, target: str | None = None) -> set[str]:
    """Return the columns whose reader has taken as missing what may be none: marks that are not among those given.

    A target of a single number is one, too: of the classes 1 and - only one would be left.
    """
    marked = [name for name, marks in table.marks.items() if missing is not None and not set(marks) <= set(missing)]
    if target is not None and target in table.marks and missing is None:
        values = table.columns[target]
        marked += [target] if len(np.unique(values[~np.isnan(values)])) == 1 else []
    return set(marked)


def settle_like(
    table: Table,
    kinds: Mapping[str, str],
    notations: Mapping[str, Notation],
    missing: Sequence[str] | None,
    usual: Mapping[str, float | str] | None = None,
) -> Table:
    """Return a table of new data, some columns of which are read as the first data were.

    `usual` are values in the middle of the first data, which tell fractions from percentages.
    """
    marks = Marks(None if missing is None else frozenset(missing))
    here = [name for name in kinds if name in table.columns]
    done = {name: _like(table, name, kinds[name], notations.get(name), marks) for name in here}
    for name, one in done.items():
        if kinds[name] == "number" and isinstance(middle := (usual or {}).get(name), float):
            _check_percentages(table, name, one, notations.get(name), middle)
    return _with(table, done)


def _check_percentages(table: Table, name: str, done: _Settled, first: Notation | None, middle: float) -> None:
    """Refuse fractions where percentages stood before, and percentages where there were fractions."""
    before, after = ("" if notation is None else notation.unit for notation in (first, done.notation))
    given = np.flatnonzero(~absent(done.values))
    if not len(given) or done.values.dtype.kind != "f":
        return
    small = bool(np.all(np.abs(done.values[given]) <= 1)) and bool(np.any(done.values[given] != 0))
    shown = shortened(str(table.columns[name][given[0]]), 40)
    if before == "%" and not after and small and abs(middle) > 1:
        raise table.error(
            int(given[0]),
            name,
            f"{shown} without a unit, as all numbers here, none of them above 1; percentages such as '{middle:g}%' "
            "stood in the first data, and these may be fractions: write them with the sign %",
        )
    if after == "%" and not before and abs(middle) <= 1:
        raise table.error(
            int(given[0]),
            name,
            f"{shown!r}, a percentage; numbers around {middle:g} without a unit stood in the first data, which may be "
            "fractions: write these numbers in the same way",
        )


def _with(table: Table, done: Mapping[str, _Settled]) -> Table:
    return replace(
        table,
        columns={**table.columns, **{name: one.values for name, one in done.items()}},
        notes=(*table.notes, *_said(done)),
        meanings={name: one.meaning for name, one in done.items() if one.meaning is not None},
    )


def _settled(table: Table, name: str, kind: str | None, marks: Marks, learnt: bool) -> _Settled:
    """Return a column as what it means, by the kind that was asked for, or by a guess."""
    if table.columns[name].dtype.kind == "f":
        done = _floats(table, name, marks)
        return done if learnt or kind not in (None, "date") else _days(name, done, kind)
    if kind in _WORDS or (kind is None and _as_it_is(table, name)):
        return _words(table, name, marks)
    column = _Column.of(table, name)
    gone = marks.among(column.different, numbers=True)
    entries = [entry for entry in column.different if entry not in gone]
    if not entries and kind is None:
        return _Settled(column.without(gone), column.counts(gone))
    found = _guess(column, entries, gone) if kind is None else _read(entries, kind, table.comma)
    if found is None:
        column.refuse_mixture()
        return _guessed_words(column, marks) if kind is None else _Settled(column.without(gone), column.counts(gone))
    if learnt and kind is None and len(np.unique(found.numbers)) == 1:  # of 1 and - the one would be left
        return _guessed_words(column, marks)
    values = column.numbers(entries, found.numbers)
    if learnt and kind is None and _named_classes(column, found, values):
        return _Settled(column.without(gone), column.counts(gone))
    if found.notation is not None:
        return _Settled(values, column.counts(gone), meaning=_meaning(name, found.notation, entries, found))
    said = () if gone or column.mixed or kind else (_read_note(name, entries, found),)
    return _Settled(values, column.counts(gone), said)


def _days(name: str, done: _Settled, kind: str | None) -> _Settled:
    """Return a column of numbers as days where all are such as 20240229, and not by chance."""
    days = dates.days_in(done.values)
    given = done.values[~np.isnan(done.values)]
    if days is None or (kind is None and len(np.unique(given)) < _DAYS):
        return done
    notation = Notation("date", "ymd")
    known = days[~np.isnan(days)]
    return done._replace(
        values=days, meaning=_meaning(name, notation, [digits(float(given[0]))], _Read(known[:1], notation))
    )


def _named_classes(column: _Column, found: _Read, values: Array) -> bool:
    """Tell whether numbers of a target are names of classes, which stay as they are written: "10%" or "4 doors"."""
    if found.notation is None:
        named = column.table.format not in _WRITTEN and not column.mixed
    else:
        named = found.notation.kind != "date"
    return named and are_classes(values[~np.isnan(values)])


def _like(table: Table, name: str, kind: str, notation: Notation | None, marks: Marks) -> _Settled:
    """Return a column of new data as the first data were read or, where it is not so written, in another notation."""
    if table.columns[name].dtype.kind == "f":
        return _floats_like(table, name, notation, marks)
    if kind in _WORDS:
        return _words(table, name, marks)
    column = _Column.of(table, name)
    gone = marks.among(column.different, numbers=True)
    entries = [entry for entry in column.different if entry not in gone]
    numbers = None if notation is None else notation.numbers(entries)
    if numbers is not None:
        return _Settled(column.numbers(entries, numbers), column.counts(gone), notation=notation)
    first = {"dmy": "day", "mdy": "month"}.get("" if notation is None else notation.style[:3], "")
    found = _read(entries, kind, table.comma, first)
    if found is None:
        column.refuse_mixture()
        return _Settled(column.without(gone), column.counts(gone))
    notes = _in_unit(table, name, notation, found.notation, column.values.index(entries[0]))
    if found.notation is not None and found.notation != Notation("date", "iso"):
        notes = (_meaning(name, found.notation, entries, found).note, *notes)
    return _Settled(column.numbers(entries, found.numbers), column.counts(gone), notes, notation=found.notation)


def _floats_like(table: Table, name: str, notation: Notation | None, marks: Marks) -> _Settled:
    """Return a column of new data that holds numbers: in the unit of the first data, and no dates."""
    done = _floats(table, name, marks)
    given = np.flatnonzero(~np.isnan(done.values))
    if notation is None or not len(given):
        return done
    if notation.style == "ymd" and (days := dates.days_in(done.values)) is not None:
        return done._replace(values=days)
    if notation.kind == "date":
        shown = digits(float(done.values[given[0]]))
        raise table.error(int(given[0]), name, f"{shown}; a date such as 2024-02-29 expected, as in the first data")
    return done._replace(notes=_in_unit(table, name, notation, None, int(given[0])))


def _in_unit(table: Table, name: str, first: Notation | None, now: Notation | None, row: int) -> tuple[str, ...]:
    """Say that a unit is not written any more, and refuse another one."""
    before, after = ("" if notation is None else notation.unit for notation in (first, now))
    if not before or before.casefold() == after.casefold():
        return ()
    if after:
        wanted = f"numbers in {before!r}, as in the first data, expected; convert them, or leave the unit out"
        raise table.error(row, name, f"{shortened(str(table.columns[name][row]), 40)!r}; {wanted}")
    return (f"Column {name!r} has no unit here, and its numbers are taken to be in {before!r}, as in the first data.",)


def _as_it_is(table: Table, name: str) -> bool:
    """Tell whether the format itself says that a column holds words."""
    return name in table.settled or name == table.alone


def _guess(column: _Column, entries: list[str], gone: set[str]) -> _Read | None:
    """Return the numbers that entries are, unless they are rather codes."""
    found = _read(entries, None, column.table.comma)
    if found is None or found.notation is not None or column.mixed:
        return found
    typed = column.table.format not in _WRITTEN
    padded = (is_padded(entries) and (typed or not gone <= MISSING)) or are_codes(entries, found.numbers)
    bare = not gone and all(map(str.isdecimal, entries))
    words = typed and not np.isfinite(found.numbers).all()  # such as "inf"
    return None if padded or bare or words else found


def _read(entries: list[str], kind: str | None, comma: bool, first: str = "") -> _Read | None:
    """Return the numbers that entries are, of a kind where it was asked for; and their notation, None for the usual."""
    if not entries:
        return None
    if HINTS.get(kind or "", kind) != "date":
        if kind != "decimal-comma" and (plain := plain_numbers(entries)) is not None:
            return _Read(plain)
        styles = COMMAS_ONLY if kind == "decimal-comma" else COMMAS_FIRST if comma else STYLES
        if found := number_notation(entries, styles):
            return _Read(found[1], found[0], kind is None and could_have_decimal_commas(found[0], entries))
        for style in dates.HOURS:
            if (hours := dates.numbers_in(style, entries)) is not None:
                return _Read(hours, Notation("time", style))
        if kind in ("number", "decimal-comma"):
            return None
    if kind in ("day-first", "month-first"):
        first = kind.removesuffix("-first")
    if (dated := dates.dates_of(entries, first)) is None:
        return None
    style, days, exchangeable = dated
    return _Read(days, Notation("date", style), exchangeable)


def _example(entries: list[str], found: _Read) -> tuple[str, float]:
    """Return the longest of the first entries, of those that are no plain numbers if there are any, and its number."""
    telling = (place for place, entry in enumerate(entries) if plain_numbers([entry]) is None)
    places = list(islice(telling, _SAMPLE)) or range(min(len(entries), _SAMPLE))
    place = max(places, key=lambda place: len(entries[place]))
    return shortened(entries[place], 40), float(found.numbers[place])


def _read_note(name: str, entries: list[str], found: _Read) -> str:
    shown, number = _example(entries, found)
    unit = " (hours)" if found.notation is not None and found.notation.kind == "time" else ""
    return f"Column {name!r} is read as numbers: {shown!r} is {number:.12g}{unit}."


def _meaning(name: str, notation: Notation, entries: list[str], found: _Read) -> Meaning:
    """Return what a notation makes of a column, with a sentence that shows one entry."""
    if notation.kind != "date":
        note = _read_note(name, entries, found)
        if found.doubtful:
            note += f" If the comma is a decimal one: --kind {quoted(name)}=decimal-comma."
        return Meaning("number", notation, note)
    shown, number = _example(entries, found)
    such = "" if notation.style == "iso" else f", such as {shown!r}, which is {iso_of(number)},"
    note = f"Column {name!r} holds dates{such} and is taken as a number, in days since 1970-01-01."
    if found.doubtful:
        note += (
            " No entry tells whether the day or the month comes first, and the day is taken to; if it is the month: "
            f"--kind {quoted(name)}=month-first."
        )
    return Meaning("date", notation, note)


def _words(table: Table, name: str, marks: Marks) -> _Settled:
    """Return a column of words without marks; what the format says to be words has none but those that were given."""
    column = _Column.of(table, name)
    if _as_it_is(table, name):
        marks = Marks(marks.given or frozenset())
    gone = marks.among(column.different, numbers=False)
    return _Settled(column.without(gone), column.counts(gone))


def _guessed_words(column: _Column, marks: Marks) -> _Settled:
    """Return a column of words without marks, with a sentence on words that would be marks among numbers."""
    gone = marks.among(column.different, numbers=False)
    notes: tuple[str, ...] = ()
    kept = column.counts(marks.among(column.different, numbers=True) - gone)
    if kept:
        one = sum(number for _, number in kept) == 1
        what = "is a value, not a missing one" if one else "are values, not missing ones"
        marked = ",".join(mark for mark, _ in kept[:_SHOWN])
        notes = (f'Column {column.name!r}: {_named(kept)} {what} (to change that: --missing="{marked}").',)
    return _Settled(column.without(gone), column.counts(gone), notes)


def _said(done: Mapping[str, _Settled]) -> list[str]:
    """Return what there is to say of columns, in one sentence on marks where many columns have some."""
    marked = {name: one.gone for name, one in done.items() if one.gone}
    notes: list[str] = []
    if many := len(marked) > _COLUMNS:
        total: Counter[str] = Counter()
        for gone in marked.values():
            total.update(dict(gone))
        notes.append(
            f"{_named(total.most_common())} are taken as missing, in {len(marked)} columns: {listed(list(marked))}."
        )
    for name, one in done.items():
        if one.gone and not many:
            are = "is" if sum(number for _, number in one.gone) == 1 else "are"
            notes.append(f"Column {name!r}: {_named(one.gone)} {are} taken as missing.")
        notes += one.notes
    return notes


def _named(counts: Sequence[tuple[str, int]]) -> str:
    """Return how often each of some entries is met: 12 entries 'unknown' and 3 '-'."""
    (entry, number), *others = counts[:_SHOWN]
    said = [f"{counted(number, 'entry', 'entries')} {entry!r}", *(f"{number:,} {entry!r}" for entry, number in others)]
    if more := sum(number for _, number in counts[_SHOWN:]):
        said.append(f"{more:,} others")
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def _floats(table: Table, name: str, marks: Marks) -> _Settled:
    """Return a column of numbers, NaN where one is given as a mark, such as -999."""
    values = table.columns[name]
    met, gone = Counter(table.marks.get(name, {})), np.zeros(len(values), dtype=bool)
    for mark in sorted(marks.given or ()):
        number = numbers_of([mark], ())
        if number is not None and (same := values == number[0]).any():
            gone |= same
            met[mark] += int(same.sum())
    if gone.any():
        values = values.copy()
        values[gone] = np.nan
    return _Settled(values, met.most_common())
