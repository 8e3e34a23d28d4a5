"""What kind of file this is, by its suffix or, where that says nothing, by how it begins; and its content, raw.

    csv, tsv    fields between commas or tabs; semicolons and bars are found out
    parquet     a file of Apache Parquet, or a folder of them
    arrow       a file of Apache Arrow, which is also called Feather, or a stream of it
    excel       a sheet of a spreadsheet: .xlsx, .xlsm, .ods (the first, or FILE::SHEET)
    sqlite      a table of a data base of SQLite (the only one, or FILE::TABLE)
    json        an array of JSON objects, or an object of columns
    jsonl       one JSON object a line
    npy, npz    arrays of NumPy
    fasta       named sequences
    lines       one object a line
    texts       a folder of texts; its subfolders are classes
    edges       an edge list: lines "u v" or "u v weight"
    graphml     a graph in XML

Text may be compressed by gzip, and any file may lie alone in a ZIP archive. "-" is standard input.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from gramian.intake.archives import kind_of_zip, unpacked
from gramian.intake.arrays import lone_objects, read_npy, read_npz
from gramian.intake.budget import OBJECT
from gramian.intake.columnar import read_columns
from gramian.intake.databases import read_sqlite
from gramian.intake.delimited import read_delimited
from gramian.intake.errors import DataError, refusing, unknown
from gramian.intake.graphml import read_graphml
from gramian.intake.inputs import Input, at_hand
from gramian.intake.jsonlines import is_lines, read_json, read_jsonlines
from gramian.intake.openings import doubtful, looks_delimited
from gramian.intake.readers import edges, fasta, texts
from gramian.intake.spreadsheets import read_sheet
from gramian.intake.table import Network, Table, objects, texts_of
from gramian.intake.textfile import TextFile, opened

FORMATS = (
    "csv", "tsv", "parquet", "arrow", "excel", "sqlite", "json", "jsonl", "npy", "npz", "fasta", "lines", "texts",
    "edges", "graphml",
)  # fmt: skip
FOLDER = "folder"  # the column of the classes that subfolders make

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xls": "excel",
    ".ods": "excel",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".npy": "npy",
    ".npz": "npz",
    ".fasta": "fasta",
    ".fa": "fasta",
    ".fna": "fasta",
    ".faa": "fasta",
    ".lines": "lines",
    ".edges": "edges",
    ".edgelist": "edges",
    ".graphml": "graphml",
}
_MAGIC = {
    b"\x93NUMPY": "npy",
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"SQLite format 3\0": "sqlite",
    b"\xd0\xcf\x11\xe0": "excel",
}
_FOREIGN = {
    b"PK\x03\x04": "a ZIP archive or a spreadsheet; unpack it, or leave the format to be found",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet or document; save the table as CSV",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"%PDF": "a PDF document",
    b"\x89HDF": "an HDF5 file",
    b"FEA1": "a Feather file of the first version; write it again with a newer one",
    b"SQLite format 3": "a data base of SQLite",
    b"BZh": "a file compressed by bzip2; unpack it first",
    b"\xfd7zXZ": "a file compressed by xz; unpack it first",
    b"\x28\xb5\x2f\xfd": "a file compressed by zstd; unpack it first",
    b"\x7fELF": "a program",
}
_TEXTS = ("*.txt", "*.txt.gz", "*.text", "*.md")
_BINARY = ("parquet", "arrow", "excel", "sqlite", "npy", "npz")
_PARTS = ("excel", "sqlite")  # formats that hold several tables
_WIDE = ("utf-16", "utf16", "utf-32", "utf32", "utf_16", "utf_32")
_PAGES = (b"<!doctype html", b"<html", b"<table")
_ARRAY = re.compile(rb"\[\s*(\{|\])")
_HEAD = 4096


class _Asked(NamedTuple):
    """What a reader is given: a file, its encoding, the columns that are kept as written, and those that are wanted."""

    file: Input
    encoding: str
    text: frozenset[str]
    wanted: frozenset[str] | None = None

    @property
    def path(self) -> Path:
        return self.file.path

    @property
    def lines(self) -> TextFile:
        return TextFile.of(self.file, self.encoding)

    def claim(self, size: int) -> None:
        self.file.budget.claim(size, self.path)


def read_raw(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    encoding: str = "utf-8",
    text: frozenset[str] = frozenset(),
    memory: Any = None,
    wanted: frozenset[str] | None = None,
) -> Table | Network:
    """Return the content of a file or folder; columns named in `text` are kept as they are written.

    Where some columns are `wanted`, others may be left out: those of large files, and those that hold nested values.
    """
    if format is not None and format not in FORMATS:
        raise unknown("format", "format", format, FORMATS)
    given = at_hand(path, memory)
    given.budget.held = 0
    file = given
    with refusing(given.path, given.name):
        file = unpacked(given)
    with refusing(file.path, file.name):
        found = format or guess_format(file, encoding)
        if found not in _BINARY and not file.path.is_dir():
            _check_text(file.path, encoding)
        if file.part is not None and found not in _PARTS:
            raise DataError(f"{file.name}: a file of the format {found}, which has no part {file.part!r} to look for")
        table = _READERS[found](_Asked(file, encoding, text, wanted))
        return _kept(table if format or found != "lines" else _doubted(table, file, encoding), file)


def _doubted(table: Table | Network, file: Input, encoding: str) -> Table | Network:
    """Return lines that nobody called texts, with a note on what speaks against it."""
    why = doubtful(TextFile.of(file, encoding))
    return replace(table, notes=(*table.notes, why)) if why and isinstance(table, Table) else table


def _kept(found: Table | Network, file: Input) -> Table | Network:
    """Return what was read under the name that was given; a copy is kept until the last line is counted in it."""
    if str(file.path) == file.name:
        return found
    if isinstance(found, Network):
        return replace(found, where=file.name)
    place = found.place
    return replace(found, where=file.name, place=lambda row, _=file: place(row))  # type: ignore[misc]


def guess_format(file: Input, encoding: str = "utf-8") -> str:
    """Return the format of a file by its suffix or, where that says nothing, by how it begins."""
    path = file.path
    if path.is_dir():
        return (
            "texts"
            if any(next(path.rglob(pattern), None) for pattern in _TEXTS) or not _has_parquet(path)
            else "parquet"
        )
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if suffixes and suffixes[-1] in _SUFFIXES:
        return _SUFFIXES[suffixes[-1]]
    head = _head(path)
    for mark, format in _MAGIC.items():
        if head.startswith(mark):
            return format
    if kind := kind_of_zip(path):
        return kind
    _check_text(path, encoding)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b">"):
        return "fasta"
    if start[: len("<!doctype html")].lower().startswith(_PAGES):
        raise DataError(f"{path}: a page of HTML; save the table in it as CSV, or give the format 'lines'")
    named_json = suffixes[-1:] == [".json"]
    if _ARRAY.match(start) or (named_json and start.startswith(b"[")):
        return "json"
    if start.startswith(b"{") or named_json:
        return "jsonl" if is_lines(TextFile.of(file, encoding)) else "json"
    if start.startswith(b"<") and b"<graphml" in head:
        return "graphml"
    return "csv" if looks_delimited(TextFile.of(file, encoding)) else "lines"


def _has_parquet(folder: Path) -> bool:
    return any(next(folder.rglob(pattern), None) for pattern in ("*.parquet", "*.pq"))


def _head(path: Path) -> bytes:
    with opened(path) as stream:
        return stream.read(_HEAD)


def _check_text(path: Path, encoding: str) -> None:
    head = _head(path)
    if not head:
        raise DataError(f"{path}: an empty file; data expected")
    for mark, what in _FOREIGN.items():
        if head.startswith(mark):
            raise DataError(f"{path}: a binary file, {what}; one of {', '.join(FORMATS)} expected")
    if b"\0" in head and not encoding.lower().startswith(_WIDE) and head[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(
            f"{path}: a binary file (byte {head.index(0):,} is zero); text in {encoding} or one of "
            f"{', '.join(_BINARY)} expected"
        )


def _fasta(asked: _Asked) -> Table:
    _only_utf8(asked, "FASTA files")
    found = fasta(asked.path, asked.claim)
    columns = {
        "name": objects(found.names),
        "sequence": objects(found.sequences),
        "description": texts_of(found.descriptions),
    }
    settled = {"name": "id", "sequence": "string"}
    return Table(str(asked.path), "fasta", columns, settled=settled, hidden=("description",), alone="sequence")


def _lines(asked: _Asked) -> Table:
    path, budget = asked.path, asked.file.budget
    numbered: list[tuple[int, str]] = []
    for number, line in enumerate(asked.lines.lines(), start=1):
        if line.strip():
            budget.claim(4 * OBJECT + len(line), path)
            numbered.append((number, line.strip("\r\n")))
    if not numbered:
        raise DataError(f"{path}: no line that is not blank; one object a line expected")
    table = lone_objects([line for _, line in numbered], str(path), "lines")
    return replace(table, place=lambda row: f"line {numbered[row][0]:,}")


def _texts(asked: _Asked) -> Table:
    path = asked.path
    if not path.is_dir():
        raise DataError(f"{path}: a file; a folder of texts expected (for one object a line: the format 'lines')")
    pattern = next((pattern for pattern in _TEXTS if next(path.rglob(pattern), None)), None)
    if pattern is None:
        raise DataError(f"{path}: a folder without texts; files {', '.join(_TEXTS)} expected in it or below")
    found = texts(path, pattern, asked.encoding, asked.claim)
    labels = objects([label or None for label in found.labels])
    columns = {"file": objects(found.names), "text": objects([each.strip() or None for each in found.texts])}
    labelled = len(set(found.labels) - {""})
    if labelled:
        columns[FOLDER] = labels
    return Table(
        str(path),
        "texts",
        columns,
        settled={"file": "id", "text": "text"},
        target=FOLDER if labelled > 1 else None,
        hidden=(FOLDER,),
        alone="text",
    )


def _edges(asked: _Asked) -> Network:
    _only_utf8(asked, "edge lists")
    return Network(str(asked.path), "edges", edges(asked.path, claim=asked.claim))


def _only_utf8(asked: _Asked, what: str) -> None:
    if asked.encoding.lower().replace("_", "-") not in ("utf-8", "utf8", "utf-8-sig", "ascii"):
        raise DataError(f"{asked.path}: {what} are read as UTF-8 only, not as {asked.encoding}; convert them first")


_READERS: dict[str, Callable[[_Asked], Table | Network]] = {
    "csv": lambda asked: read_delimited(asked.lines, "csv", asked.text),
    "tsv": lambda asked: read_delimited(asked.lines, "tsv", asked.text),
    "parquet": lambda asked: read_columns(asked.file, "parquet", asked.wanted),
    "arrow": lambda asked: read_columns(asked.file, "arrow", asked.wanted),
    "excel": lambda asked: read_sheet(asked.file),
    "sqlite": lambda asked: read_sqlite(asked.file, asked.wanted),
    "json": lambda asked: read_json(asked.lines, asked.text, asked.wanted),
    "jsonl": lambda asked: read_jsonlines(asked.lines, asked.text, asked.wanted),
    "npy": lambda asked: read_npy(asked.file),
    "npz": lambda asked: read_npz(asked.file),
    "fasta": _fasta,
    "lines": _lines,
    "texts": _texts,
    "edges": _edges,
    "graphml": lambda asked: read_graphml(asked.file),
}
