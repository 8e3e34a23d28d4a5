"""Tables in text: fields between commas, tabs, semicolons or bars, in quotes where they hold such a mark themselves.

There are two readers, which give the same table. `quick` lets Arrow take a large file apart; it steps aside where a
file is not as plain as that asks for. The careful one, here, goes by Python's csv module, reads whatever can be read,
and tells what is wrong, with its line. Lines are counted only then, by reading the file again up to that place.

A file that turns out uneven may hold more than a table, and is read once more: as one with a column that holds blanks
beyond the first lines, with comments among its rows, with quotes behind backslashes (R writes them so, if asked to), or
with a few lines below the table.

Either gives runs of rows, and each run becomes typed columns at once, so that a table of numbers never lies in memory
as text. A column that holds numbers at first and text later on is read a second time, as text. Where semicolons
separate, numbers may have a decimal comma. A table whose first line holds nothing but numbers has no headings; its
columns are x1, x2, …
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, Protocol, TypeAlias

import numpy as np

from gramian.checks import Array
from gramian.intake import quick
from gramian.intake.budget import OBJECT
from gramian.intake.endings import REMARK, trimmed
from gramian.intake.errors import DataError, counted, shortened
from gramian.intake.openings import Opening, is_error, long_fields, named, nameless, opening, usual
from gramian.intake.rows import listed
from gramian.intake.table import ERRORS, Table, absent, marks_among, may_be_codes, numbers_of, texts_of
from gramian.intake.textfile import TextFile

_RUN = 20_000  # rows
_Columns: TypeAlias = tuple[list[Array], list[str], dict[str, Counter[str]]]
_COMMENTS = ("#", "%", "//")  # what lines of comments begin with
_MANY = 20_000  # lines by which a table between blanks is looked at again
_BELOW = 30  # lines below a table that are no part of it
_INDEX = 5  # rows, at least, that a first column counts
_NUMBER = 16  # bytes of a number: in its column, and in the objects that are made of it


def read_delimited(file: TextFile, format: str, text: frozenset[str] = frozenset()) -> Table:
    """Return the table of a file; columns named in `text` are kept as they are written."""
    begin = opening(file, format)
    with long_fields():
        layout, (columns, commas, marks) = _columns(Layout(file, begin, escaped=begin.escaped), text)
    begin, head = layout.opening, layout.opening.head
    if not len(columns[0]):
        raise DataError(f"{file.path}: headings only, and no row; at least one row of values expected")
    for place, column in enumerate(columns[len(head.columns) :], start=len(head.columns)):
        if not absent(column).all():
            raise nameless(file, begin.mark, begin.skip, place)
    if head.unheaded and len(set(columns[0].tolist())) < len(columns[0]):
        raise layout.uneven(0, len(head.names), len(head.names) - 1)
    notes = []
    if begin.mark != usual(format) and len(columns) > 1:
        notes.append(f"Fields are separated by {named(begin.mark)}.")
    if commas:
        notes.append(
            f"{counted(len(commas), 'column has', 'columns have')} numbers with a decimal comma: {listed(commas)}."
        )
    found = Table(
        where=str(file.path),
        format=format,
        columns=dict(zip(head.columns, columns, strict=False)),
        place=lambda row: f"line {layout.line_of(row + begin.headings):,}",
        settled={head.names[0]: "id"} if head.rowed else {},
        headless=head.headless,
        notes=(*notes, *head.notes, *_beside(layout)),
        comma=begin.mark == ";",
        marks=marks,
    )
    return _with_index(trimmed(found))


def _with_index(table: Table) -> Table:
    """Return a table without headings whose first column, if that counts the rows, names them and is no feature."""
    name, column = next(iter(table.columns.items()))
    if not table.headless or len(table.columns) < 2 or len(column) < _INDEX or column.dtype.kind != "f":
        return table
    first = next((first for first in (0, 1) if np.array_equal(column, np.arange(first, first + len(column)))), None)
    if first is None:
        return table
    note = (
        f"Column {name!r} counts the rows from {first} to {first + len(column) - 1:,}, and is taken as their index, "
        f"not as a feature (to change that: --kind {name}=number)."
    )
    return replace(table, settled={name: "id"}, notes=(*table.notes, note))


class Uneven(DataError):
    """A line that does not fall into the fields of the table, as it is understood so far."""

    line = 0


class _Lines:
    """The lines that a reader of rows takes, counted, a row at a time: none may be longer than the budget allows."""

    def __init__(self, layout: Layout, skip: int = 0) -> None:
        self.layout, self.number = layout, layout.opening.skip + skip
        self.room = self.longest = layout.file.budget.longest
        self.comments, self.first = 0, ""
        self.begins = True

    def __iter__(self) -> Iterator[str]:
        layout = self.layout
        comments, escaped = layout.comments, layout.escaped
        for line in islice(layout.file.lines(), self.number, None):
            self.number += 1
            if comments and self.begins and line.startswith(comments) and not is_error(line):
                self.comments += 1
                self.first = self.first or line
                continue
            self.begins = False
            self.room -= len(line)
            if self.room < 0:
                raise layout.file.error(
                    self.number,
                    f"a row of more than {self.longest:,} characters, more than the budget of memory is good for; is "
                    "a quote left open? (if not: --memory, memory= in Python)",
                )
            line = layout.opening.line(line)
            yield line.replace('\\"', '""') if escaped else line

    def end(self) -> int:
        """Begin with another row, and return how many characters the last one had."""
        size, self.room, self.begins = self.longest - self.room, self.longest, True
        return size


@dataclass(frozen=True)
class Layout:
    """A file and how it begins, and what else than rows is expected in it.

    Lines that begin with a sign may be `comments`, quotes in quotes be `escaped` by backslashes, and lines of another
    kind stand below the table, from row number `end` on.
    """

    file: TextFile
    opening: Opening
    comments: str = ""
    escaped: bool = False
    end: int | None = None

    @cached_property
    def options(self) -> dict[str, Any]:
        # a tab is white space, and would be skipped as such
        return {"delimiter": self.opening.mark, "strict": True, "skipinitialspace": self.opening.mark != "\t"}

    @property
    def is_plain(self) -> bool:
        """Whether nothing but rows is expected."""
        return not self.comments and not self.escaped and self.end is None

    def rows(self) -> Iterator[list[str]]:
        """Go through the rows, but for blank lines."""
        return (row for row, _, _ in self.numbered() if row)

    def runs(self) -> Iterator[list[list[str]]]:
        """Go through the rows of values, many at once, but only as many as can be held."""
        head = self.opening.headings
        stop = None if self.end is None else head + self.end
        run, room = list[list[str]](), self.file.budget.longest
        for row, _, size in islice((found for found in self.numbered() if found[0]), head, stop):
            run.append(row)
            room -= size
            if len(run) == _RUN or room < 0:
                yield run
                run, room = [], self.file.budget.longest
        if run:
            yield run

    def numbered(self, lines: _Lines | None = None) -> Iterator[tuple[list[str], int, int]]:
        """Go through the rows, each with the line it ends in and its length; blank lines are rows without a field."""
        lines = _Lines(self) if lines is None else lines
        before = lines.number
        try:
            for row in csv.reader(lines, **self.options):
                before = lines.number
                yield row, before, lines.end()
        except csv.Error as error:
            raise self._broken(before, lines.number, str(error)) from None

    @cached_property
    def above(self) -> int:
        """The number of lines above the first row of values."""
        return self.line_of(self.opening.headings - 1) if self.opening.headings else self.opening.skip

    def line_of(self, row: int) -> int:
        """Return the line in which a row ends, the headings being row 0."""
        with long_fields():
            return next(islice((line for fields, line, _ in self.numbered() if fields), row, None))

    def uneven(self, row: int, found: int, width: int) -> Uneven:
        """Return the error of a row of values that has another number of fields."""
        return self._uneven(
            self.line_of(row + self.opening.headings),
            f"{counted(found, 'field')}, and {width} expected (separated by {named(self.opening.mark)}); mend the "
            "line, or put a field that holds such a mark in quotes",
        )

    def _uneven(self, line: int, message: str) -> Uneven:
        error = Uneven(str(self.file.error(line, message)))
        error.line = line
        return error

    def _broken(self, before: int, line: int, reason: str) -> DataError:
        if "unexpected end of data" in reason:
            return self._uneven(
                self._opening(before), "a quote that opens here is never closed; close it, or double it"
            )
        if "field larger" in reason:
            longest = csv.field_size_limit()
            return self.file.error(before + 1, f"a field of more than {longest:,} characters; is a quote left open?")
        return self._uneven(line, f"{reason}; in a field in quotes, a quote is written twice")

    def _opening(self, before: int) -> int:
        """Return the line of the last quote that opens a field after so many lines of the file."""
        line, quoted, fresh, opening = before, False, True, before + 1
        for text in islice(self.file.lines(), before, None):
            line += 1
            fresh = fresh or not quoted
            for letter in text:
                if quoted:
                    quoted, fresh = letter != '"', False
                elif letter == '"' and fresh:
                    quoted, opening = True, line
                else:  # a doubled quote closes and opens again
                    fresh = letter == self.opening.mark or letter == '"' or (fresh and letter == " ")
        return opening


class Fields(Protocol):
    """The fields of one column in a run of rows."""

    def numbers(self) -> Array | None:
        """Return them as numbers, NaN where one is missing, or None where a field is no number, or may be a code."""

    def decimal_commas(self) -> Array | None:
        """Return them as numbers where a comma may stand for the point, or None."""

    def texts(self) -> Array:
        """Return them as texts."""

    def marks(self, numbers: Array) -> Counter[str]:
        """Return how often each mark of a missing value is met among them, where they are numbers."""


@dataclass(frozen=True)
class _Written:
    fields: Sequence[str]

    def numbers(self) -> Array | None:
        found = numbers_of(self.fields)
        return None if found is None or may_be_codes(self.fields, found) else found

    def decimal_commas(self) -> Array | None:
        return numbers_of(quick.with_points(self.fields))

    def texts(self) -> Array:
        return texts_of(self.fields)

    def marks(self, numbers: Array) -> Counter[str]:
        return marks_among(self.fields, numbers)


def _careful(layout: Layout, only: set[int] | None) -> Iterator[dict[int, _Written]]:
    """Go through runs of rows by the csv module, as columns by their places."""
    width, done = len(layout.opening.head.names), 0
    for run in layout.runs():
        if {len(row) for row in run} != {width}:
            place = next(place for place, row in enumerate(run) if len(row) != width)
            raise layout.uneven(done + place, len(run[place]), width)
        done += len(run)
        columns = enumerate(zip(*run, strict=True))
        yield {place: _Written(fields) for place, fields in columns if only is None or place in only}


def _runs(layout: Layout, only: set[int] | None, as_text: set[int], careful: bool) -> Iterator[Mapping[int, Fields]]:
    if careful:
        return _careful(layout, only)
    return quick.runs(layout.file, layout.opening, layout.above, only, as_text)


def _columns(layout: Layout, text: frozenset[str]) -> tuple[Layout, _Columns]:
    """Return the layout that proves right, and its columns.

    These go with a list of which of them have decimal commas, and the marks of missing values in those of numbers.
    """
    held = layout.file.budget.held
    layout, found = _even(layout, text)
    if not _is_commented(layout, found[0][0]):
        return layout, found
    layout.file.budget.held = held
    layout = replace(layout, comments=_COMMENTS[0])
    return layout, _typed_columns(layout, text, careful=True)


def _even(layout: Layout, text: frozenset[str]) -> tuple[Layout, _Columns]:
    """Return the layout in which all rows are equally wide, and its columns."""
    budget = layout.file.budget
    held = budget.held
    if layout.is_plain and quick.fits(layout.file, layout.opening):
        try:
            return layout, _typed_columns(layout, text, careful=False)
        except (quick.StepAside, csv.Error):
            budget.held = held
    try:
        return layout, _typed_columns(layout, text, careful=True)
    except Uneven as error:
        farthest = error
    for other in _second_thoughts(layout):
        budget.held = held
        try:
            return other, _typed_columns(other, text, careful=True)
        except Uneven as error:
            farthest = max(farthest, error, key=lambda one: one.line)
    try:
        raise farthest
    finally:
        del farthest  # whose traceback refers to this frame, and so to the file


def _is_commented(layout: Layout, column: Array) -> bool:
    """Tell whether rows begin with #, though all others begin with a number: they are rows that were taken out."""
    if not layout.is_plain or column.dtype.kind != "O":
        return False
    given = [text for text in column.tolist() if text is not None and text.strip().lower() not in ERRORS]
    rest = [text for text in given if not text.startswith("#")]
    if len(rest) == len(given):
        return False
    return 2 * len(rest) > len(column) and numbers_of(rest) is not None


def _second_thoughts(layout: Layout) -> Iterator[Layout]:
    """Go through what an uneven file may hold: blanks in a column, comments, escaped quotes, lines below the table."""
    if layout.opening.mark == " " and layout.opening.unquoted is None:
        with suppress(DataError):
            begin = opening(layout.file, "csv", _MANY)
            if begin.unquoted is not None:
                yield Layout(layout.file, begin)
    commented = [sign for sign in _COMMENTS if any(line.startswith(sign) for line in layout.file.lines())]
    escaped = layout.escaped or any('\\"' in line for line in layout.file.lines())
    others = [
        replace(layout, comments=one, escaped=two)
        for one in ("", *commented)
        for two in dict.fromkeys((layout.escaped, escaped))
    ]
    yield from others[1:]
    for other in others:
        with suppress(Uneven):
            if (end := _end(other)) is not None:
                yield replace(other, end=end)


def _end(layout: Layout) -> int | None:
    """Return how many rows of values stand above a few lines of words, which are no part of a table.

    What is cut off at the end of a file is none: words stand below a blank line, or look like a remark.
    """
    width, blank, count = len(layout.opening.head.names), False, 0
    below: list[list[str]] = []
    for row, _, _ in layout.numbered():
        if below:
            below.append(row)
        elif row and len(row) != width and count:
            if not (blank or _is_remark(row)):
                return None
            below.append(row)
        else:
            count += bool(row)
        blank = not row
        if len(below) > _BELOW:
            return None
    fits = all(len(row) < width and (not row or numbers_of(row[:1], ()) is None) for row in below)
    return count - layout.opening.headings if below and fits else None


def _is_remark(row: list[str]) -> bool:
    """Tell whether a row is no part of a table by its looks: a source, a footnote, the end of a file of DOS."""
    return row == ["\x1a"] or (
        REMARK.match(row[0]) is not None and not any(numbers_of([field], ()) is not None for field in row)
    )


def _beside(layout: Layout) -> list[str]:
    """Return what there is to say of a file that holds more than a table."""
    notes = []
    if layout.escaped:
        notes.append('Quotes in quotes are written as \\", and read as quotes.')
    if layout.comments:
        lines = _Lines(layout)
        for _ in layout.numbered(lines):
            pass
        sign = layout.comments
        number = counted(lines.comments, f"line that begins with {sign}", f"lines that begin with {sign}")
        notes.append(f"{number}, such as {shortened(lines.first, 40)!r}, {_are(lines.comments)} skipped.")
    if layout.end is not None:
        below = list(islice(layout.rows(), layout.opening.headings + layout.end, None))
        first = shortened(layout.opening.mark.join(below[0]), 40)
        if first != "\x1a":
            notes.append(
                f"{counted(len(below), 'line')} below the table, {'such as ' if len(below) > 1 else ''}{first!r}, "
                f"{_are(len(below))} left out."
            )
    return notes


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _typed_columns(layout: Layout, text: frozenset[str], careful: bool) -> _Columns:
    head = layout.opening.head
    names, taken = head.names, len(head.columns)
    asked = {place for place, name in enumerate(names) if name in text or place >= taken or (head.rowed and not place)}
    parts, late, commas, marks = _typed(layout, asked, None, careful)
    if late:
        again, *_ = _typed(layout, late, late, careful)
        parts = [again[place] if place in late else part for place, part in enumerate(parts)]
        commas -= late
    columns = []
    for place in range(len(names)):
        columns.append(np.concatenate(parts[place]) if parts[place] else np.empty(0))
        parts[place] = []
    numbers = [(place, name) for place, name in enumerate(names) if columns[place].dtype.kind == "f"]
    return (
        columns,
        [name for place, name in enumerate(names) if place in commas],
        {name: marks[place] for place, name in numbers if marks[place]},
    )


def _typed(
    layout: Layout, asked: set[int], only: set[int] | None, careful: bool
) -> tuple[list[list[Array]], set[int], set[int], list[Counter[str]]]:
    """Return the runs of each column; which turned to text late, which have commas, and which marks each has."""
    as_text, late, commas = set(asked), set[int](), set[int]()
    parts: list[list[Array]] = [[] for _ in layout.opening.head.names]
    marks: list[Counter[str]] = [Counter() for _ in parts]
    budget, where = layout.file.budget, layout.file.path
    for run in _runs(layout, only, as_text, careful):
        for place, fields in run.items():
            if place in late:
                continue
            found = None if place in as_text else fields.numbers()
            if found is None and place not in as_text and layout.opening.mark == ";":
                found = fields.decimal_commas()
                commas |= set() if found is None else {place}
            if found is None and place not in as_text:
                (late if parts[place] else as_text).add(place)
            if found is not None:
                marks[place].update(fields.marks(found))
            if place not in late:
                found = fields.texts() if found is None else found
                budget.claim(_cost(found), where)
                parts[place].append(found)
    return parts, late, commas, marks


def _cost(column: Array) -> int:
    """Return the bytes that a column takes with the objects that are made of it; equal texts are shared."""
    if column.dtype.kind == "f":
        return len(column) * _NUMBER
    return len(column) * OBJECT + 2 * sum(map(len, set(column.tolist()) - {None}))


def renamed(table: Table, names: tuple[str, ...]) -> Table:
    """Return a table without headings under the names of the data it is like."""
    known = dict(zip(table.columns, names, strict=True))
    return replace(
        table,
        columns={known[name]: column for name, column in table.columns.items()},
        marks={known[name]: marks for name, marks in table.marks.items()},
    )
