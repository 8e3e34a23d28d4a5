"""Spreadsheets (.xlsx, .xlsm, .xlsb, .xls, .ods): one sheet as a table; its name may follow the file, as FILE::SHEET.

The first row holds the headings, with the same exceptions as in text. Python-calamine takes the file apart; before it
does, the parts of the archive are unpacked once to see how large they are, and how far apart their cells lie: a sheet
of two cells may claim to be as wide as a million columns.
"""

from __future__ import annotations

import datetime
import re
import zipfile
from typing import Any
from xml.parsers import expat

from gramian.intake.archives import ZIP, reading_zip
from gramian.intake.budget import OBJECT
from gramian.intake.errors import DataError, counted, unknown
from gramian.intake.inputs import Input
from gramian.intake.openings import HEADLESS, Headings, all_numbers, headings, made_up, titles
from gramian.intake.table import Table, column_of
from gramian.tables import listed

_PIECE = 2**16
_SAMPLE = 100  # rows looked at to find the headings
_XML = 4  # bytes held for a byte of XML: shared texts, styles
_CELL = 3 * OBJECT  # bytes of a cell, empty or not, in the library and here
_PLACE = re.compile(r"([A-Za-z]{0,3})(\d{1,7})")


def read_sheet(file: Input) -> Table:
    """Return a sheet: the one asked for, or the first that is not empty."""
    with file.path.open("rb") as stream:
        packed = stream.read(len(ZIP)) == ZIP
    if packed:
        _check_size(file)
    name, numbers, rows = _rows(file)
    texts = [[_written(value) for value in row] for row in rows[:_SAMPLE]]
    skip = titles(texts)
    head = _head(file, texts[skip:])
    body = rows[skip + (not head.headless) :]
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
    notes = [f"The sheet is {name!r}."]
    if skip:
        number = counted(skip, "row")
        notes.append(f"{number} before the headings, {texts[0][0]!r}, {'is' if skip == 1 else 'are'} skipped.")
    return Table(
        str(file.path),
        "excel",
        dict(zip(head.columns, columns, strict=False)),
        place,
        settled={head.names[0]: "id"} if head.rowed else {},
        headless=head.headless,
        notes=(*notes, *head.notes),
    )


def _head(file: Input, texts: list[list[str]]) -> Headings:
    if all_numbers(texts[0]):
        return Headings(made_up(len(texts[0])), headless=True, notes=(HEADLESS,))
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
    return str(value) if isinstance(value, datetime.time | datetime.timedelta) else value


def _written(value: Any) -> str:
    return str(value).strip()


def _check_size(file: Input) -> None:
    """Unpack the parts of a spreadsheet once, and refuse it if they, or the rectangle of its cells, are too large."""
    with reading_zip(file.path) as archive:
        for info in archive.infolist():
            if info.filename.endswith((".xml", ".rels", ".bin")):
                extent = _Extent(file)
                extent.measure(archive, info)
                file.budget.claim(extent.cells * _CELL, file.path)


class _Extent:
    """The rectangle that the cells of a sheet span, from its XML; none for other parts of an archive."""

    def __init__(self, file: Input) -> None:
        self.file, self.rows, self.columns = file, 0, 0
        self._row = self._column = 0
        self._repeated = 1

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    def measure(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self._start
        parser.StartDoctypeDeclHandler = self._refuse
        sheet = info.filename.endswith(".xml") and ("sheet" in info.filename or info.filename == "content.xml")
        with archive.open(info) as stream:
            while piece := stream.read(_PIECE):
                self.file.budget.claim(_XML * len(piece), self.file.path)
                if sheet:
                    try:
                        parser.Parse(piece, False)
                    except expat.ExpatError as error:
                        raise DataError(f"{self.file.path}: a spreadsheet with broken XML ({error})") from None

    def _refuse(self, *_: Any) -> None:
        raise DataError(f"{self.file.path}: a spreadsheet with a document type definition, which is not read")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        if name == "row":
            self._row = self._given(attributes, self._row + 1)[1]
            self._column = 0
        elif name == "c":
            self._column, self._row = self._given(attributes, self._row, self._column + 1)
        elif name == "table":
            self._row = self._column = 0
        elif name == "table-row":
            self._row += self._repeats(attributes, "number-rows-repeated")
            self._column = 0
            return
        elif name in ("table-cell", "covered-table-cell"):
            self._column += self._repeats(attributes, "number-columns-repeated")
            if not any(key.endswith(("value-type", "formula")) for key in attributes):
                return  # an empty one, which matters only before another
        else:
            return
        self.rows, self.columns = max(self.rows, self._row), max(self.columns, self._column)

    def _given(self, attributes: dict[str, str], row: int, column: int = 0) -> tuple[int, int]:
        match = _PLACE.fullmatch(attributes.get("r", ""))
        if match is None:
            return column, row
        number = 0
        for letter in match[1].upper():
            number = 26 * number + ord(letter) - 64
        return number or column, int(match[2])

    def _repeats(self, attributes: dict[str, str], what: str) -> int:
        text = next((value for key, value in attributes.items() if key.endswith(what)), "1")
        return int(text) if text.isdecimal() and len(text) < 10 else 1
