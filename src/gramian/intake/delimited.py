"""Tables in text: fields between commas, tabs, semicolons or bars, in quotes where they hold such a mark themselves.

There are two readers, which give the same table. `quick` lets Arrow take a large file apart; it steps aside where a
file is not as plain as that asks for. The careful one, here, goes by Python's csv module, reads whatever can be read,
and tells what is wrong, with its line. Lines are counted only then, by reading the file again up to that place.

Either gives runs of rows, and each run becomes typed columns at once, so that a table of numbers never lies in memory
as text. A column that holds numbers at first and text later on is read a second time, as text. Where semicolons
separate, numbers may have a decimal comma. A table whose first line holds nothing but numbers has no headings; its
columns are x1, x2, …
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, Protocol, TypeAlias

import numpy as np

from gramian.checks import Array
from gramian.intake import quick
from gramian.intake.budget import OBJECT
from gramian.intake.errors import DataError, counted
from gramian.intake.openings import Opening, long_fields, named, nameless, opening, usual
from gramian.intake.table import Table, absent, marks_among, numbers_of, texts_of
from gramian.intake.textfile import TextFile
from gramian.tables import listed

_RUN = 20_000  # rows
_Columns: TypeAlias = tuple[list[Array], list[str], dict[str, Counter[str]]]
_NUMBER = 16  # bytes of a number: in its column, and in the objects that are made of it


def read_delimited(file: TextFile, format: str, text: frozenset[str] = frozenset()) -> Table:
    """Return the table of a file; columns named in `text` are kept as they are written."""
    begin = opening(file, format)
    layout, head = Layout(file, begin), begin.head
    with long_fields():
        columns, commas, marks = _columns(layout, text)
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
    return Table(
        where=str(file.path),
        format=format,
        columns=dict(zip(head.columns, columns, strict=False)),
        place=lambda row: f"line {layout.line_of(row + begin.headings):,}",
        settled={head.names[0]: "id"} if head.rowed else {},
        headless=head.headless,
        notes=(*notes, *head.notes),
        comma=begin.mark == ";",
        marks=marks,
    )


@dataclass(frozen=True)
class Layout:
    """A file and how it begins."""

    file: TextFile
    opening: Opening

    @cached_property
    def options(self) -> dict[str, Any]:
        # a tab is white space, and would be skipped as such
        return {"delimiter": self.opening.mark, "strict": True, "skipinitialspace": self.opening.mark != "\t"}

    def _lines(self, skip: int = 0) -> Iterator[str]:
        return islice(self.file.lines(), self.opening.skip + skip, None)

    def rows(self) -> Iterator[list[str]]:
        """Go through the rows, but for blank lines."""
        reader = csv.reader(self._lines(), **self.options)
        before = 0
        try:
            for row in reader:
                before = reader.line_num
                if row:
                    yield row
        except csv.Error as error:
            raise self._broken(before, reader.line_num, str(error)) from None

    @cached_property
    def above(self) -> int:
        """The number of lines above the first row of values."""
        return self.line_of(0) if self.opening.headings else self.opening.skip

    def line_of(self, row: int) -> int:
        """Return the line in which a row ends, the headings being row 0."""
        reader = csv.reader(self._lines(), **self.options)
        found = (reader.line_num for fields in reader if fields)
        with long_fields():
            return self.opening.skip + next(islice(found, row, None))

    def uneven(self, row: int, found: int, width: int) -> DataError:
        """Return the error of a row of values that has another number of fields."""
        return self.file.error(
            self.line_of(row + self.opening.headings),
            f"{counted(found, 'field')}, and {width} expected (separated by {named(self.opening.mark)}); mend the "
            "line, or put a field that holds such a mark in quotes",
        )

    def _broken(self, before: int, line: int, reason: str) -> DataError:
        skip = self.opening.skip
        if "unexpected end of data" in reason:
            return self.file.error(
                skip + self._opening(before), "a quote that opens here is never closed; close it, or double it"
            )
        if "field larger" in reason:
            longest = csv.field_size_limit()
            return self.file.error(
                skip + before + 1, f"a field of more than {longest:,} characters; is a quote left open?"
            )
        return self.file.error(skip + line, f"{reason}; in a field in quotes, a quote is written twice")

    def _opening(self, before: int) -> int:
        """Return the line of the last quote that opens a field after so many lines."""
        line, quoted, fresh, opening = before, False, True, before + 1
        for text in self._lines(before):
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
        """Return them as numbers, NaN where one is missing, or None where a field is no number."""

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
        return numbers_of(self.fields)

    def decimal_commas(self) -> Array | None:
        return numbers_of(quick.with_points(self.fields))

    def texts(self) -> Array:
        return texts_of(self.fields)

    def marks(self, numbers: Array) -> Counter[str]:
        return marks_among(self.fields, numbers)


def _careful(layout: Layout, only: set[int] | None) -> Iterator[dict[int, _Written]]:
    """Go through runs of rows by the csv module, as columns by their places."""
    rows = layout.rows()
    width = len(layout.opening.head.names)
    next(islice(rows, layout.opening.headings, layout.opening.headings), None)
    done = 0
    while run := list(islice(rows, _RUN)):
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


def _columns(layout: Layout, text: frozenset[str]) -> _Columns:
    """Return the columns, which of them have decimal commas, and the marks of missing values in those of numbers."""
    if quick.fits(layout.file, layout.opening):
        held = layout.file.budget.held
        try:
            return _typed_columns(layout, text, careful=False)
        except (quick.StepAside, csv.Error):
            layout.file.budget.held = held
    return _typed_columns(layout, text, careful=True)


def _typed_columns(layout: Layout, text: frozenset[str], careful: bool) -> _Columns:
    head = layout.opening.head
    names, taken = head.names, len(head.columns)
    asked = {place for place, name in enumerate(names) if name in text or place >= taken or (head.rowed and not place)}
    parts, late, commas, marks = _typed(layout, asked, None, careful)
    if late:
        again, *_ = _typed(layout, late, late, careful)
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
                budget.claim(len(found) * (_NUMBER if found.dtype.kind == "f" else OBJECT), where)
                parts[place].append(found)
    return parts, late, commas, marks


def renamed(table: Table, names: tuple[str, ...]) -> Table:
    """Return a table without headings under the names of the data it is like."""
    known = dict(zip(table.columns, names, strict=True))
    return replace(
        table,
        columns={known[name]: column for name, column in table.columns.items()},
        marks={known[name]: marks for name, marks in table.marks.items()},
    )
