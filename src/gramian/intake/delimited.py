"""Tables in text: fields between commas, tabs, semicolons or bars, in quotes where they hold such a mark themselves.

The file is read in runs of rows, and each run becomes typed columns at once, so that a table of numbers never lies in
memory as text. A column that holds numbers at first and text later on is read a second time, as text. Where semicolons
separate, numbers may have a decimal comma. A table whose first line holds nothing but numbers has no headings; its
columns are x1, x2, …

What is wrong is told with its line. Lines are counted only then, by reading the file again up to that place.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.intake.errors import DataError, counted
from gramian.intake.table import MISSING, Table, marks_among, numbers_of, texts_of
from gramian.intake.textfile import TextFile
from gramian.tables import listed

MARKS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
_RUN = 20_000  # rows
_SAMPLE = 100  # lines looked at to find the mark
_LONGEST = 2**27  # characters of one field


def read_delimited(file: TextFile, format: str, text: frozenset[str] = frozenset()) -> Table:
    """Return the table of a file; columns named in `text` are kept as they are written."""
    with _long_fields():
        layout = Layout(file, separator(file, format))
        names, headless = layout.header()
        columns, commas, marks = _columns(layout, names, headless, text)
    if not len(columns[0]):
        raise DataError(f"{file.path}: headings only, and no row; at least one row of values expected")
    notes = (
        [f"Fields are separated by {named(layout.mark)}."] if layout.mark != _usual(format) and len(names) > 1 else []
    )
    if commas:
        notes.append(
            f"{counted(len(commas), 'column has', 'columns have')} numbers with a decimal comma: {listed(commas)}."
        )
    if headless:
        notes.append("The first line holds numbers only: the columns have no names and are called x1, x2, …")
    return Table(
        where=str(file.path),
        format=format,
        columns=dict(zip(names, columns, strict=True)),
        place=lambda row: f"line {layout.line_of(row + (not headless)):,}",
        headless=headless,
        notes=tuple(notes),
        comma=layout.mark == ";",
        marks=marks,
    )


def separator(file: TextFile, format: str) -> str:
    """Return the mark that cuts all of the first lines into equally many fields, more than one; else the usual one."""
    lines = list(islice(file.lines(), _SAMPLE))
    marks = sorted(MARKS, key=lambda mark: mark != _usual(format))
    widths = {mark: _widths(lines, mark) for mark in marks}
    even = next((mark for mark in marks if len(set(widths[mark])) == 1 and widths[mark][0] > 1), None)
    if even is None and _numbers_between_blanks(lines):
        return " "
    return even or max(marks, key=lambda mark: widths[mark][0] if widths[mark] else 0)


def _numbers_between_blanks(lines: list[str]) -> bool:
    """Tell whether all lines, but perhaps the first, are equally many numbers with blanks between them."""
    rows = [line.split() for line in lines if line.strip()]
    even = len({len(row) for row in rows}) == 1 and len(rows) > 1 and len(rows[0]) > 1
    return (
        even and all(numbers_of(row) is not None for row in rows[1:]) and not any(line[-2:-1] == " " for line in lines)
    )


def named(mark: str) -> str:
    """Return the name of a mark, in the plural."""
    return MARKS.get(mark, "blanks")


def _usual(format: str) -> str:
    return "\t" if format == "tsv" else ","


def _widths(lines: list[str], mark: str) -> list[int]:
    try:
        widths = [len(row) for row in csv.reader(lines, delimiter=mark, skipinitialspace=mark != "\t") if row]
    except csv.Error:
        return []
    return widths[:-1] if len(lines) == _SAMPLE else widths  # the last may be cut within quotes


@contextmanager
def _long_fields() -> Iterator[None]:
    before = csv.field_size_limit(_LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


@dataclass(frozen=True)
class Layout:
    """A file and the mark between its fields."""

    file: TextFile
    mark: str

    @cached_property
    def options(self) -> dict[str, Any]:
        # a tab is white space, and would be skipped as such
        return {"delimiter": self.mark, "strict": True, "skipinitialspace": self.mark != "\t"}

    def rows(self) -> Iterator[list[str]]:
        """Go through the rows, but for blank lines."""
        reader = csv.reader(self.file.lines(), **self.options)
        before = 0
        try:
            for row in reader:
                before = reader.line_num
                if row:
                    yield row
        except csv.Error as error:
            raise self._broken(before, reader.line_num, str(error)) from None

    def header(self) -> tuple[list[str], bool]:
        """Return the names of the columns, and whether they had to be made up."""
        first = next(self.rows(), None)
        if first is None:
            raise DataError(f"{self.file.path}: an empty file; a line of headings and rows of values expected")
        names = [name.strip() for name in first]
        if _all_numbers(names):
            return [f"x{place}" for place in range(1, len(names) + 1)], True
        line = self.line_of(0)
        first_place: dict[str, int] = {}
        for place, name in enumerate(names, start=1):
            if not name:
                raise self.file.error(line, f"column {place} has no name; give it one, or delete the column")
            if (before := first_place.setdefault(name, place)) < place:
                raise self.file.error(
                    line, f"columns {before} and {place} are both called {name!r}; rename one of them"
                )
        return names, False

    def line_of(self, row: int) -> int:
        """Return the line in which a row ends, the headings being row 0."""
        reader = csv.reader(self.file.lines(), **self.options)
        found = (reader.line_num for fields in reader if fields)
        with _long_fields():
            return next(islice(found, row, None))

    def _broken(self, before: int, line: int, reason: str) -> DataError:
        if "unexpected end of data" in reason:
            return self.file.error(
                self._opening(before), "a quote that opens here is never closed; close it, or double it"
            )
        if "field larger" in reason:
            return self.file.error(before + 1, f"a field of more than {_LONGEST:,} characters; is a quote left open?")
        return self.file.error(line, f"{reason}; in a field in quotes, a quote is written twice")

    def _opening(self, before: int) -> int:
        """Return the line of the last quote that opens a field after so many lines."""
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
                    fresh = letter == self.mark or letter == '"' or (fresh and letter == " ")
        return opening


def _all_numbers(fields: list[str]) -> bool:
    given = [field for field in fields if field not in MISSING]
    return bool(given) and numbers_of(given) is not None


def _columns(
    layout: Layout, names: list[str], headless: bool, text: frozenset[str]
) -> tuple[list[Array], list[str], dict[str, Counter[str]]]:
    """Return the columns, which of them have decimal commas, and the marks of missing values in those of numbers."""
    asked = {place for place, name in enumerate(names) if name in text}
    parts, late, commas, marks = _typed(layout, len(names), headless, asked)
    if late:
        again, *_ = _typed(layout, len(names), headless, set(range(len(names))), only=late)
        parts = [again[place] if place in late else part for place, part in enumerate(parts)]
    columns = []
    for place in range(len(names)):
        columns.append(np.concatenate(parts[place]) if parts[place] else np.empty(0))
        parts[place] = []
    numbers = [(place, name) for place, name in enumerate(names) if columns[place].dtype.kind == "f"]
    return (
        columns,
        [name for place, name in enumerate(names) if place in commas - late],
        {name: marks[place] for place, name in numbers if marks[place]},
    )


def _typed(
    layout: Layout, width: int, headless: bool, asked: set[int], only: set[int] | None = None
) -> tuple[list[list[Array]], set[int], set[int], list[Counter[str]]]:
    """Return the runs of each column; which turned to text late, which have commas, and which marks each has."""
    as_text, late, commas = set(asked), set[int](), set[int]()
    parts: list[list[Array]] = [[] for _ in range(width)]
    marks: list[Counter[str]] = [Counter() for _ in range(width)]
    rows = layout.rows()
    before = len(list(islice(rows, 0 if headless else 1)))
    while run := list(islice(rows, _RUN)):
        _check_widths(layout, run, width, before)
        before += len(run)
        for place, fields in enumerate(zip(*run, strict=True)):
            if place in late or (only is not None and place not in only):
                continue
            found = None if place in as_text else numbers_of(fields)
            if found is None and place not in as_text and layout.mark == ";":
                found = numbers_of(_with_points(fields))
                commas |= set() if found is None else {place}
            if found is None and place not in as_text:
                (late if parts[place] else as_text).add(place)
            if found is not None:
                marks[place].update(marks_among(fields, found))
            if place not in late:
                parts[place].append(texts_of(fields) if found is None else found)
    return parts, late, commas, marks


def _with_points(fields: tuple[str, ...]) -> list[str]:
    """Return numbers with decimal commas, as the tables have that use semicolons for this reason, with points."""
    return [field if "." in field or field.count(",") > 1 else field.replace(",", ".") for field in fields]


def _check_widths(layout: Layout, run: list[list[str]], width: int, before: int) -> None:
    if {len(row) for row in run} <= {width}:
        return
    place = next(place for place, row in enumerate(run) if len(row) != width)
    raise layout.file.error(
        layout.line_of(before + place),
        f"{counted(len(run[place]), 'field')}, and {width} expected (separated by {named(layout.mark)}); mend the "
        "line, or put a field that holds such a mark in quotes",
    )


def looks_delimited(file: TextFile) -> bool:
    """Tell whether a file of an unknown kind is a table: its lines fall into equally many fields, or are numbers."""
    lines = [line for line in islice(file.lines(), _SAMPLE) if line.strip()]
    if lines and all(numbers_of([line.strip()]) is not None for line in lines):
        return True
    if len(lines) < 2:
        return False
    if _numbers_between_blanks(lines):
        return True
    for mark in MARKS:
        widths = _widths(lines, mark)
        prose = mark == "," and all(", " in line for line in lines)
        if len(set(widths)) == 1 and widths[0] > 1 and not prose:
            return True
    return False


def renamed(table: Table, names: tuple[str, ...]) -> Table:
    """Return a table without headings under the names of the data it is like."""
    known = dict(zip(table.columns, names, strict=True))
    return replace(
        table,
        columns={known[name]: column for name, column in table.columns.items()},
        marks={known[name]: marks for name, marks in table.marks.items()},
    )
