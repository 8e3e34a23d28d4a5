"""Spreadsheets (.xlsx, .xlsm, .ods): one sheet as a table; its name may follow the file, as FILE::SHEET.

The first row holds the headings, with the same exceptions as in text, and numbers among texts are texts.
Python-calamine takes the file apart; before it does, the parts of the archive are unpacked once to see how large they
are, and how far apart their cells lie: a sheet of two cells may claim to be as wide as a million columns.
"""

from __future__ import annotations

import datetime
import re
from typing import IO, Any
from xml.parsers import expat

from gramian.intake.archives import ZIP, reading_zip
from gramian.intake.blanks import are_numbers
from gramian.intake.budget import OBJECT
from gramian.intake.endings import trimmed
from gramian.intake.errors import DataError, counted, unknown
from gramian.intake.inputs import Input
from gramian.intake.openings import (
    HEADLESS,
    VALUES,
    Headings,
    are_units,
    headings,
    made_up,
    said_units,
    titles,
    without_headings,
)
from gramian.intake.rows import listed
from gramian.intake.table import Table, column_of, digits

_OLD = bytes.fromhex("d0cf11e0a1b11ae1")  # what files of old Office begin with
_PIECE = 2**16
_SAMPLE = 100  # rows looked at to find the headings
_XML = 4  # bytes held for a byte of XML: shared texts, styles
_CELL = 3 * OBJECT  # bytes of a cell, empty or not, in the library and here
_DIGITS = 10
_MOST = 10**_DIGITS  # of rows or columns: beyond what any machine holds
_NAMED = re.compile(r"([A-Za-z]{0,9})(\d+)")
_COUNT = re.compile(r"\s*\+?(\d+)\s*")
_CELLS = b"sheetData"  # the element that cells stand in


def read_sheet(file: Input) -> Table:
    """Return a sheet: the one asked for, or the first that is not empty."""
    with file.path.open("rb") as stream:
        start = stream.read(len(_OLD))
    if start == _OLD:  # its cells can be anywhere, and nothing tells how far apart before they are read
        raise DataError(f"{file.path}: a spreadsheet of before 2007 (.xls); save it as .xlsx")
    if start.startswith(ZIP):
        _check_size(file)
    name, numbers, rows = _rows(file)
    texts = [[_written(value) for value in row] for row in rows[:_SAMPLE]]
    skip = titles(texts)
    head = _head(file, texts[skip:])
    units = not head.headless and are_units(texts[skip + 1 :])
    body = rows[skip + (not head.headless) + units :]
    if not body:
        raise DataError(f"{file.path}: headings only, and no row; at least one row of values expected")
    above = len(rows) - len(body)

    def place(row: int) -> str:
        return f"row {numbers[above + row]:,}"

    def error(row: int, column: str, message: str) -> DataError:
        return DataError(f"{file.path}, {place(row)}, column {column!r}: {message}")

    columns = [
        column_of([_plain(row[at]) for row in body], column, error, text=True) for at, column in enumerate(head.names)
    ]
    for at in range(len(head.columns), len(columns)):
        if any(_written(row[at]) for row in body):
            raise DataError(f"{file.path}: column {at + 1} has no name; give it one, or delete the column")
    notes = [f"The sheet is {name!r}.", *([said_units(texts[skip + 1])] if units else [])]
    if skip:
        number = counted(skip, "row")
        notes.append(f"{number} before the headings, {texts[0][0]!r}, {'is' if skip == 1 else 'are'} skipped.")
    found = Table(
        str(file.path),
        "excel",
        dict(zip(head.columns, columns, strict=False)),
        place,
        settled={head.names[0]: "id"} if head.rowed else {},
        headless=head.headless,
        notes=(*notes, *head.notes),
    )
    return trimmed(found)


def _head(file: Input, texts: list[list[str]]) -> Headings:
    if without_headings(texts):
        return Headings(made_up(len(texts[0])), headless=True, notes=(HEADLESS if are_numbers(texts[0]) else VALUES,))
    found = headings(texts[0], texts[1:])
    if isinstance(found, int):
        raise DataError(f"{file.path}: column {found + 1} has no name; give it one, or delete the column")
    return found


def _rows(file: Input) -> tuple[str, list[int], list[list[Any]]]:
    """Return the name of a sheet and its rows that are not empty, with their numbers."""
    calamine = _calamine()
    try:
        with calamine.CalamineWorkbook.from_path(str(file.path)) as book:
            known = list(book.sheet_names)
            if file.part is not None and file.part not in known:
                raise unknown(str(file.path), "sheet", file.part, known)
            for name in known if file.part is None else [file.part]:
                sheet = book.get_sheet_by_name(name)
                file.budget.claim(sheet.height * sheet.width * _CELL, file.path, exact=True)
                rows = sheet.to_python()
                filled = [place for place, row in enumerate(rows) if any(value != "" for value in row)]
                if filled:
                    first = sheet.start[0] + 1 if sheet.start else 1
                    return name, [first + place for place in filled], [rows[place] for place in filled]
    except (calamine.CalamineError, OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{file.path}: no spreadsheet, or a broken one ({error}); write it again") from None
    raise DataError(f"{file.path}: nothing in {listed(known)}; a sheet with headings and rows expected")


def _calamine() -> Any:
    try:
        import python_calamine
    except ImportError:
        raise ImportError("spreadsheets need python-calamine: pip install python-calamine") from None
    return python_calamine


def _plain(value: Any) -> Any:
    """Return the value of a cell as numbers, texts, dates and so on; an empty one is missing."""
    if value == "":
        return None
    return str(value) if isinstance(value, datetime.timedelta) else value


def _written(value: Any) -> str:
    return digits(value) if isinstance(value, float) else str(value).strip()


def _check_size(file: Input) -> None:
    """Unpack the parts of a spreadsheet once, and refuse it if they, or what its cells become, are too large."""
    with reading_zip(file.path) as archive:
        every = archive.infolist()
        if any(info.filename.lower().endswith("workbook.bin") for info in every):
            raise DataError(f"{file.path}: a binary spreadsheet (.xlsb); save it as .xlsx")
        measured = _Measured(file)
        for info in sorted(every, key=lambda info: not _is_shared(info.filename)):
            with archive.open(info) as stream:
                measured.read(stream, "shared" if _is_shared(info.filename) else "other")


def _is_shared(name: str) -> bool:
    return "sharedstrings" in name.lower()


class _Measured:
    """What the cells of a spreadsheet take once they are read, from its XML.

    A sheet is held as the whole rectangle that its cells span, and a text that cells share, or that is repeated, once
    for each of them. A sheet may lie anywhere in the archive, so that it is told by what is in it, not by its name.
    """

    def __init__(self, file: Input) -> None:
        self.file = file
        self._shared: list[int] = []  # the lengths of texts
        self._rows = self._columns = self._row = self._column = 0
        self._row_repeats = self._repeats = 1
        self._kind, self._length, self._digits, self._by_number = "", 0, "", False
        self._inside = self._typed = False

    def read(self, stream: IO[bytes], kind: str) -> None:
        """Go through one part of the archive."""
        self._kind, self._rows, self._columns, self._row, self._column = kind, 0, 0, 0, 0
        self._inside, self._typed, broken, before = False, False, "", b""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._declare
        while piece := stream.read(_PIECE):
            self._claim(_XML * len(piece))
            try:
                if not broken:
                    parser.Parse(piece, False)
            except expat.ExpatError as error:  # pictures and the like; calamine reads on where XML is broken
                broken = str(error)
            if broken and (self._inside or kind == "shared" or _CELLS in before + piece):
                raise DataError(f"{self.file.path}: a spreadsheet with broken XML ({broken})")
            before = piece[-len(_CELLS) :]
        self._claim(self._rows * self._columns * _CELL)

    def _claim(self, size: int) -> None:
        self.file.budget.claim(size, self.file.path)

    def _declare(self, *_: Any) -> None:
        self._typed = True

    def _enter(self) -> None:
        """Begin with the cells of a sheet."""
        if self._typed:
            raise DataError(f"{self.file.path}: a spreadsheet with a document type definition, which is not read")
        self._row, self._column, self._inside = 0, 0, True

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        if name in ("sheetData", "table"):
            self._enter()
        elif name == "row":
            self._row, self._column = _place(attributes, self._row + 1, 0)[0], 0
        elif name == "c" and self._inside:
            self._row, self._column = _place(attributes, self._row, self._column + 1)
            self._by_number, self._digits = attributes.get("t") == "s", ""
            self._reach()
        elif name == "table-row":
            self._row_repeats = _repeats(attributes, "number-rows-repeated")
            self._row, self._column = self._row + self._row_repeats, 0
        elif name in ("table-cell", "covered-table-cell"):
            self._repeats = _repeats(attributes, "number-columns-repeated")
            self._column += self._repeats
            if any(key.endswith(("value-type", "formula")) for key in attributes):  # not empty
                self._reach()
        elif name == "si":
            self._length = 0

    def _reach(self) -> None:
        self._rows, self._columns = max(self._rows, self._row), max(self._columns, self._column)

    def _characters(self, text: str) -> None:
        if self._kind == "shared":
            self._length += len(text)
        elif self._by_number:
            self._digits += text[:_DIGITS]
        else:
            self._claim(self._repeats * self._row_repeats * len(text))

    def _end(self, tag: str) -> None:
        name = tag.rpartition(" ")[2]
        if name == "si":
            self._shared.append(self._length)
        elif name == "c" and self._by_number:
            number = int(self._digits) if self._digits.isdecimal() and len(self._digits) <= _DIGITS else -1
            self._claim(self._shared[number] if 0 <= number < len(self._shared) else 0)
            self._by_number = False


def _place(attributes: dict[str, str], row: int, column: int) -> tuple[int, int]:
    """Return the row and the column that a cell or a row names, such as B7, or else the next ones."""
    match = _NAMED.fullmatch(attributes.get("r", ""))
    if match is None:
        return row, column
    number = 0
    for letter in match[1].upper():
        number = 26 * number + ord(letter) - 64
    return _whole(match[2]), number or column


def _repeats(attributes: dict[str, str], what: str) -> int:
    match = _COUNT.fullmatch(next((value for key, value in attributes.items() if key.endswith(what)), "1"))
    return 1 if match is None else _whole(match[1])


def _whole(digits: str) -> int:
    """Return a number of rows or columns, however it is written; one beyond all bounds as the largest.

    >>> _whole("0007"), _whole("9" * 5000)
    (7, 10000000000)
    """
    digits = digits.lstrip("0")
    return _MOST if len(digits) > _DIGITS else int(digits or 0)
