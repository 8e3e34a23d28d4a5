"""What kind of file this is, by its suffix or, where that says nothing, by how it begins; and its content, raw.

    csv, tsv    fields between commas or tabs; semicolons and bars are found out
    parquet     a file of Apache Parquet, or a folder of them (needs pyarrow)
    jsonl       one JSON object a line
    npy, npz    arrays of NumPy
    fasta       named sequences
    lines       one object a line
    texts       a folder of texts; its subfolders are classes
    edges       an edge list: lines "u v" or "u v weight"
    graphml     a graph in XML

Text may be compressed by gzip.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from gramian.intake.arrays import lone_objects, read_npy, read_npz
from gramian.intake.columnar import read_parquet
from gramian.intake.delimited import looks_delimited, read_delimited
from gramian.intake.errors import DataError, refusing, unknown
from gramian.intake.graphml import read_graphml
from gramian.intake.jsonlines import read_jsonlines
from gramian.intake.table import Network, Table, objects, texts_of
from gramian.intake.textfile import TextFile, opened
from gramian.readers import read_edges, read_fasta, read_texts

FORMATS = ("csv", "tsv", "parquet", "jsonl", "npy", "npz", "fasta", "lines", "texts", "edges", "graphml")
FOLDER = "folder"  # the column of the classes that subfolders make

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
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
_MAGIC = {b"\x93NUMPY": "npy", b"PAR1": "parquet"}
_FOREIGN = {
    b"PK\x03\x04": "a ZIP archive or a spreadsheet; save the table as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet or document; save the table as CSV",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"%PDF": "a PDF document",
    b"\x89HDF": "an HDF5 file",
    b"SQLite format 3": "a data base of SQLite",
    b"\x7fELF": "a program",
}
_TEXTS = ("*.txt", "*.txt.gz", "*.text", "*.md")
_BINARY = ("parquet", "npy", "npz")
_WIDE = ("utf-16", "utf16", "utf-32", "utf32", "utf_16", "utf_32")
_HEAD = 4096


def read_raw(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    encoding: str = "utf-8",
    text: frozenset[str] = frozenset(),
) -> Table | Network:
    """Return the content of a file or folder; columns named in `text` are kept as they are written."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path is {path!r} ({type(path).__name__}); the name of a file or folder expected")
    if format is not None and format not in FORMATS:
        raise unknown("format", "format", format, FORMATS)
    if "\0" in os.fspath(path):
        raise DataError(f"{os.fspath(path)!r}: a name with a zero byte in it; no file can be called so")
    file = Path(path)
    with refusing(file):
        if not file.exists():
            raise DataError(f"{file}: no such file or folder; check the name, which is relative to {Path.cwd()}")
        found = format or guess_format(file, encoding)
        if found not in _BINARY and not file.is_dir():
            _check_text(file, encoding)
        read = _READERS[found]
        return read(file, encoding, text)


def guess_format(path: Path, encoding: str = "utf-8") -> str:
    """Return the format of a file by its suffix or, where that says nothing, by how it begins."""
    if path.is_dir():
        return (
            "texts"
            if any(next(path.rglob(pattern), None) for pattern in _TEXTS) or not _has_parquet(path)
            else "parquet"
        )
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if suffixes and suffixes[-1] in _SUFFIXES:
        return _SUFFIXES[suffixes[-1]]
    with opened(path) as stream:
        head = stream.read(_HEAD)
    for mark, format in _MAGIC.items():
        if head.startswith(mark):
            return format
    if head.startswith(b"PK\x03\x04") and b".npy" in head:
        return "npz"
    _check_text(path, encoding)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b">"):
        return "fasta"
    if start.startswith(b"{"):
        return "jsonl"
    if start.startswith(b"<") and b"<graphml" in head:
        return "graphml"
    return "csv" if looks_delimited(TextFile(path, encoding)) else "lines"


def _has_parquet(folder: Path) -> bool:
    return any(next(folder.rglob(pattern), None) for pattern in ("*.parquet", "*.pq"))


def _check_text(path: Path, encoding: str) -> None:
    with opened(path) as stream:
        head = stream.read(_HEAD)
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


def _fasta(path: Path, encoding: str, text: frozenset[str]) -> Table:
    _only_utf8(path, encoding, "FASTA files")
    found = read_fasta(path)
    columns = {
        "name": objects(found.names),
        "sequence": objects(found.sequences),
        "description": texts_of(found.descriptions),
    }
    settled = {"name": "id", "sequence": "string"}
    return Table(str(path), "fasta", columns, settled=settled, hidden=("description",), alone="sequence")


def _lines(path: Path, encoding: str, text: frozenset[str]) -> Table:
    numbered = [
        (number, line.strip("\r\n"))
        for number, line in enumerate(TextFile(path, encoding).lines(), start=1)
        if line.strip()
    ]
    if not numbered:
        raise DataError(f"{path}: no line that is not blank; one object a line expected")
    table = lone_objects([line for _, line in numbered], str(path), "lines")
    return Table(table.where, table.format, table.columns, lambda row: f"line {numbered[row][0]:,}", alone=table.alone)


def _texts(path: Path, encoding: str, text: frozenset[str]) -> Table:
    if not path.is_dir():
        raise DataError(f"{path}: a file; a folder of texts expected (for one object a line: the format 'lines')")
    pattern = next((pattern for pattern in _TEXTS if next(path.rglob(pattern), None)), None)
    if pattern is None:
        raise DataError(f"{path}: a folder without texts; files {', '.join(_TEXTS)} expected in it or below")
    found = read_texts(path, pattern=pattern, encoding=encoding)
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


def _edges(path: Path, encoding: str, text: frozenset[str]) -> Network:
    _only_utf8(path, encoding, "edge lists")
    return Network(str(path), "edges", read_edges(path))


def _graphml(path: Path, encoding: str, text: frozenset[str]) -> Network:
    return read_graphml(path)


def _only_utf8(path: Path, encoding: str, what: str) -> None:
    if encoding.lower().replace("_", "-") not in ("utf-8", "utf8", "utf-8-sig", "ascii"):
        raise DataError(f"{path}: {what} are read as UTF-8 only, not as {encoding}; convert them first")


_READERS: dict[str, Callable[[Path, str, frozenset[str]], Table | Network]] = {
    "csv": lambda path, encoding, text: read_delimited(TextFile(path, encoding), "csv", text),
    "tsv": lambda path, encoding, text: read_delimited(TextFile(path, encoding), "tsv", text),
    "jsonl": lambda path, encoding, text: read_jsonlines(TextFile(path, encoding), text),
    "parquet": lambda path, encoding, text: read_parquet(path),
    "npy": lambda path, encoding, text: read_npy(path),
    "npz": lambda path, encoding, text: read_npz(path),
    "fasta": _fasta,
    "lines": _lines,
    "texts": _texts,
    "edges": _edges,
    "graphml": _graphml,
}
