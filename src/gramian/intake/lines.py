"""Text files that can be entered anywhere: where their rows are, found in one pass over the bytes.

A row of a table in text ends with the first line end outside of quotes, and blank lines are none; a row of a file of
texts is a line that is not blank. Of every file the place of each `STEP`-th row is kept, so that any run of rows is
read by itself, by whoever needs it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.places import made_of, workers_are_there

MARKS = (",", ";", "\t", "|")
STEP = 1024  # rows from one place that is kept to the next
AT_ONCE = 2**22  # bytes that are looked through at a time
LONGEST = 2**27  # bytes of a row, beyond which its quotes are not even

_END, _RETURN, _QUOTE = b'\n\r"'


@dataclass(frozen=True)
class Lines:
    """Some rows of a text file, below the lines of its headings."""

    path: Path
    head: bytes
    rows: tuple[bytes, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, rows: Any) -> Lines:
        """Return some of the rows."""
        return replace(self, rows=tuple(self.rows[row] for row in np.asarray(rows).tolist()))

    def concat(self, others: Sequence[Lines]) -> Lines:
        """Return these rows and those of others."""
        return replace(self, rows=tuple(row for some in (self, *others) for row in some.rows))

    def text(self) -> bytes:
        """Return the headings and the rows as a file has them."""
        return self.head + b"".join(row if row.endswith((b"\n", b"\r")) else row + b"\n" for row in self.rows)

    @contextmanager
    def file(self) -> Iterator[Path]:
        """Write them into a file of its own, which is deleted afterwards."""
        with NamedTemporaryFile(suffix=self.path.suffix) as file:
            file.write(self.text())
            file.flush()
            yield Path(file.name)


@dataclass(frozen=True)
class Places:
    """Where the rows of one file are: the first byte of every `STEP`-th, the end of all, and how many there are."""

    starts: Array
    end: int
    count: int


@dataclass(frozen=True)
class TextRows:
    """The rows of text files, one after the other.

    Attributes
    ----------
    path : Path
        What was asked for: a file, or a folder of them.
    files : tuple of Path
        The files, which all begin with the same headings.
    head : bytes
        The lines above the rows of each of them.
    mark : str
        What parts the fields of a table; nothing where each line is a text.
    names : tuple of str or None
        The columns of a table.
    """

    path: Path
    files: tuple[Path, ...]
    head: bytes = b""
    mark: str = ""
    names: tuple[str, ...] | None = None
    _known: dict[str, list[Places]] = field(default_factory=dict, compare=False)

    @property
    def places(self) -> list[Places]:
        """Where the rows of each file are: looked up by the workers, where there are some."""
        if "places" not in self._known:
            look = [(file, self.head, bool(self.mark)) for file in self.files]
            if workers_are_there():
                parts = made_of(_looked_up, [1] * len(look), look)
                found = parts.gathered(parts.mapped(_itself, "places"), "rows, counted")
            else:
                found = [places_in(*one) for one in look]
            self._known["places"] = found
        return self._known["places"]

    def count(self) -> int:
        """Return the number of rows."""
        return sum(places.count for places in self.places)

    def some(self, start: int, stop: int) -> Lines:
        """Return some rows, as they are written."""
        rows: list[bytes] = []
        firsts = list(accumulate((places.count for places in self.places), initial=0))
        for file, places, first in zip(self.files, self.places, firsts[:-1], strict=True):
            low, high = max(start - first, 0), min(stop - first, places.count)
            if low < high:
                rows.extend(_between(file, places, low, high, bool(self.mark)))
        return Lines(self.files[0], self.head, tuple(rows))


def of_table(path: Path, files: Sequence[Path]) -> TextRows:
    """Return the rows of tables in text that begin with a line of headings, which is that of the first."""
    with files[0].open("rb") as file:
        head = file.readline(LONGEST)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{files[0]}: UTF-16, in which rows cannot be entered in between; write it as UTF-8")
    line = decoded(head, files[0])
    mark = "\t" if files[0].suffix.lower() == ".tsv" else max(MARKS, key=line.count)
    names = tuple(name.strip() for name in next(csv.reader([line], delimiter=mark), []))
    if not names or not all(names) or len(set(names)) < len(names) or any(map(_is_number, names)):
        raise ValueError(
            f"{files[0]}: it begins with {_shown(head)[:80]}; a line of headings expected, each of them once: write "
            "one, or read the file by gm.read_data"
        )
    return TextRows(path, tuple(files), head, mark, names)


def of_rows(path: Path, files: Sequence[Path], above: int) -> TextRows:
    """Return the rows of tables in text below so many lines, as they are written."""
    with files[0].open("rb") as file:
        head = b"".join(file.readline() for _ in range(above))
    return TextRows(path, tuple(files), head, MARKS[0])


def of_texts(path: Path) -> TextRows:
    """Return the lines of a file, each of which is a text."""
    return TextRows(path, (path,))


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def require_same(found: int, counted: int, path: Path) -> None:
    """Refuse rows that are not as many as were counted."""
    if found != counted:
        raise ValueError(
            f"{path}: {found:,} rows where {counted:,} were counted, as with quotes in the midst of fields; write the "
            "data as Parquet"
        )


def places_in(path: Path, head: bytes, quoted: bool) -> Places:
    """Return where the rows of a file are, below its headings."""
    kept: list[Array] = []
    with path.open("rb") as file:
        above = b"".join(file.readline() for _ in range(head.count(b"\n")))
        if _shown(above) != _shown(head):
            raise ValueError(
                f"{path}: it begins with {_shown(above)[:80]}, and the first file with {_shown(head)[:80]}; the same "
                "headings expected in all"
            )
        count, begun, at, odd = 0, len(above), len(above), False
        carried = b"\n"
        while block := file.read(AT_ONCE):
            letters = np.frombuffer(block, np.uint8)
            ends = np.flatnonzero(letters == _END)
            if quoted:
                quotes = np.flatnonzero(letters == _QUOTE)
                ends = ends[(np.searchsorted(quotes, ends) + odd) % 2 == 0]
                odd = bool((len(quotes) + odd) % 2)
            before = np.concatenate([[begun], at + ends[:-1] + 1])[: len(ends)]
            sizes = at + ends - before
            last = np.where(ends > 0, letters[ends - 1], carried[-1])
            held = np.flatnonzero((sizes > 1) | ((sizes == 1) & (last != _RETURN)))
            kept.append(before[held[-count % STEP :: STEP]])
            count += len(held)
            if len(ends):
                begun = at + int(ends[-1]) + 1
            at += len(block)
            carried = block[-1:]
            if at - begun > LONGEST:
                raise ValueError(f"{path}: a row of more than {LONGEST >> 20} MiB; quotes that are not closed?")
        if odd:
            raise ValueError(f"{path}: a quote that is opened and never closed; write the file again")
        if at > begun:  # a last line without an end
            kept.append(np.array([begun] if count % STEP == 0 else [], dtype=np.int64))
            count += 1
    starts = np.concatenate(kept).astype(np.int64) if kept else np.empty(0, np.int64)
    return Places(starts, at, count)


def _between(path: Path, places: Places, start: int, stop: int, quoted: bool) -> list[bytes]:
    """Return some rows of a file, each with its line end."""
    first, beyond = start // STEP, -(-stop // STEP)
    end = int(places.starts[beyond]) if beyond < len(places.starts) else places.end
    with path.open("rb") as file:
        file.seek(int(places.starts[first]))
        block = file.read(end - int(places.starts[first]))
    rows: list[bytes] = []
    held: list[bytes] = []
    odd = False
    for line in block.split(b"\n"):
        held.append(line + b"\n")
        odd = quoted and bool((line.count(b'"') + odd) % 2)
        if not odd:
            row = b"".join(held)
            held = []
            if row not in (b"\n", b"\r\n"):
                rows.append(row)
    if held:
        rows.append(b"".join(held))
    return rows[start - first * STEP : stop - first * STEP]


def decoded(row: bytes, path: Path) -> str:
    """Return a line as text, without its end."""
    try:
        return row.decode("utf-8-sig").strip("\r\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: bytes that are no UTF-8 ({error.reason}); write it again as UTF-8") from None


def _shown(head: bytes) -> str:
    return repr(head.decode("utf-8-sig", "replace").replace("\r\n", "\n").strip())


def _looked_up(number: int, look: tuple[Path, bytes, bool]) -> Places:
    return places_in(*look)


def _itself(places: Places, start: int) -> Places:
    return places
