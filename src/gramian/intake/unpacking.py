"""What compressed tables unpack to, by their own headers, before anything of them is unpacked.

Arrow believes what these headers say: it sets memory of that size aside, and refuses a buffer that turns out to be of
another one. So the sizes below are bounds, in a forged file, too. Two formats are walked through, header by header:

    Arrow      each buffer of a compressed batch begins with the number of bytes that it unpacks to (Flatbuffers tell
               where the buffers are)
    Parquet    each page has a header with that number (in Thrift's compact protocol); the sums in the footer, which
               go before, are only what the writer says
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gramian.intake.errors import DataError
from gramian.intake.sources import Chunk

_ARROW = b"ARROW1"
_CONTINUED = 0xFFFFFFFF  # stands before the size of a message, but for those of old versions
_DICTIONARY, _RECORDS = 2, 3  # kinds of messages
_BLOCK = 24  # bytes of an entry in the footer, and
_BUFFER = 16  # in the list of the buffers of a batch
_OLD = b"ARROW:experimental_compression"  # how compression was told of before it had a field
COPIES = 5  # of a dictionary that Arrow holds as it reads a group of rows: its page, its texts, and a table of these
_DEEP = 16  # levels of nested structs; the headers of pages have three
_BROKEN = (struct.error, IndexError, ValueError, RecursionError)


@dataclass(frozen=True)
class _Table:
    """A table of Flatbuffers: it begins with the way back to a list of where its fields are."""

    data: Any
    at: int

    def field(self, number: int) -> int:
        """Return where a field lies; 0 if it is not there."""
        fields = self.at - _int32(self.data, self.at)
        (size,) = struct.unpack_from("<H", self.data, fields)
        if 4 + 2 * number >= size:
            return 0
        (offset,) = struct.unpack_from("<H", self.data, fields + 4 + 2 * number)
        return self.at + offset if offset else 0

    def table(self, number: int) -> _Table | None:
        at = self.field(number)
        return _Table(self.data, at + _uint32(self.data, at)) if at else None

    def structs(self, number: int, size: int) -> Iterator[int]:
        """Go through the places of the structs of a vector."""
        if at := self.field(number):
            first = at + _uint32(self.data, at)
            yield from range(first + 4, first + 4 + size * _uint32(self.data, first), size)


def batches(path: Path) -> Iterator[int]:
    """Go through the batches of an Arrow file or stream: the bytes that each unpacks to, with dictionaries before it.

    What is not compressed is mapped into memory, and counts nothing.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            yield from _of_file(data) if data[: len(_ARROW)] == _ARROW else _of_stream(data)
        except _BROKEN as error:
            raise DataError(f"{path}: a broken file of Arrow ({error}); write it again") from None


def _of_file(data: mmap.mmap) -> Iterator[int]:
    end = len(data) - len(_ARROW) - 4
    start = end - _int32(data, end)
    footer = _Table(data, start + _uint32(data, start))
    before = sum(_unpacked(data, _int64(data, block))[0] for block in footer.structs(2, _BLOCK))
    for block in footer.structs(3, _BLOCK):
        yield before + _unpacked(data, _int64(data, block))[0]
        before = 0


def _of_stream(data: mmap.mmap) -> Iterator[int]:
    at, before = 0, 0
    while at + 4 <= len(data):
        size, kind, end = _unpacked(data, at)
        if not kind:
            return
        before += size
        if kind == _RECORDS:
            yield before
            before = 0
        at = end


def _unpacked(data: mmap.mmap, at: int) -> tuple[int, int, int]:
    """Return the bytes that a message unpacks to, its kind (0 for the end of a stream), and where the next begins."""
    size = _uint32(data, at)
    at += 4
    if size == _CONTINUED:
        size = _uint32(data, at)
        at += 4
    if not size:
        return 0, 0, at
    body = at + size
    message = _Table(data, at + _uint32(data, at))
    (kind,) = struct.unpack_from("<B", data, message.field(1))
    length = _int64(data, place) if (place := message.field(3)) else 0
    if not 0 <= length <= len(data) - body:
        raise ValueError("a message that is longer than the file")
    batch = message.table(2)
    if kind == _DICTIONARY and batch is not None:
        batch = batch.table(1)
    if kind not in (_DICTIONARY, _RECORDS) or batch is None:
        return 0, kind, body + length
    if batch.field(3) or _OLD in data[at:body]:
        return sum(_buffer(data, body, place) for place in batch.structs(2, _BUFFER)), kind, body + length
    return 0, kind, body + length


def _buffer(data: mmap.mmap, body: int, place: int) -> int:
    """Return the bytes that a buffer unpacks to; -1 before its bytes says that they are as they are."""
    offset, length = struct.unpack_from("<qq", data, place)
    if length <= 0:
        return 0
    said = _int64(data, body + offset)
    return length if said == -1 else abs(said)


def pages(chunks: Iterable[Chunk], check: Callable[[int], None]) -> None:
    """Ask for each group of rows of Parquet files whether the largest page of each of its columns may be unpacked.

    Pages are unpacked one after the other, a dictionary stays beside them.
    """
    group: tuple[str, int] | None = None
    needed = 0
    for chunk in chunks:
        if (chunk.path, chunk.group) != group:
            group, needed = (chunk.path, chunk.group), 0
        needed += _largest(chunk)
        check(needed)


def least(chunks: Iterable[Chunk]) -> int:
    """Return the bytes that the values of Parquet files unpack to, as far as their footers say.

    A dictionary stands in each group of rows again, and is counted once: equal texts are held once, too.
    """
    values, dictionaries = 0, dict[str, int]()
    for chunk in chunks:
        size = _dictionary(chunk)
        values += max(chunk.unpacked - size, 0)
        dictionaries[chunk.column] = max(size, dictionaries.get(chunk.column, 0))
    return values + sum(dictionaries.values())


def _dictionary(chunk: Chunk) -> int:
    """Return the bytes of the dictionary at the beginning of a chunk, if there is one."""
    with _opened(chunk) as data:
        found = _Header(data, chunk.start).numbers()
    return max(found.get(2, 0), 0) if found.get(1) == 2 else 0


@contextmanager
def _opened(chunk: Chunk) -> Iterator[mmap.mmap]:
    """Open the file of a chunk, and say which file is broken if it is."""
    with open(chunk.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            yield data
        except _BROKEN as error:
            raise DataError(f"{chunk.path}: a broken file of Parquet ({error}); write it again") from None


def _largest(chunk: Chunk) -> int:
    dictionary = largest = 0
    with _opened(chunk) as data:
        at, end = chunk.start, min(chunk.start + chunk.size, len(data))
        while at < end:
            header = _Header(data, at)
            found = header.numbers()
            dictionary += found.get(2, 0) if found.get(1) == 2 else 0
            largest = max(largest, found.get(2, 0))
            if found.get(3, 0) < 0:
                raise ValueError("a page of less than nothing")
            at = header.at + found.get(3, 0)
    return COPIES * dictionary + largest


class _Header:
    """The header of a page, read value by value."""

    def __init__(self, data: mmap.mmap, at: int) -> None:
        self.data, self.at = data, at

    def numbers(self, deep: int = 0) -> dict[int, int]:
        """Read a struct, and return its fields that are whole numbers."""
        if deep > _DEEP:
            raise ValueError("a header that is nested deeply")
        found: dict[int, int] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            if head & 15 in (4, 5, 6):
                found[number] = self._signed()
            else:
                self._skip(head & 15, deep)
        return found

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _whole(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError("a number of more than 64 bits")

    def _signed(self) -> int:
        value = self._whole()
        return (value >> 1) ^ -(value & 1)

    def _skip(self, kind: int, deep: int, inside: bool = False) -> None:
        """Pass a value by, of which only the length matters."""
        if kind in (1, 2):  # true and false, which a list writes in a byte each
            self.at += inside
        elif kind == 3:
            self.at += 1
        elif kind in (4, 5, 6):
            self._whole()
        elif kind == 7:
            self.at += 8
        elif kind == 8:
            length = self._whole()
            self.at += length
        elif kind in (9, 10):
            head = self._byte()
            for _ in range(self._whole() if head >> 4 == 15 else head >> 4):
                self._skip(head & 15, deep, inside=True)
        elif kind == 12:
            self.numbers(deep + 1)
        else:
            raise ValueError(f"a value of the unknown kind {kind}")


def _int32(data: Any, at: int) -> int:
    (value,) = struct.unpack_from("<i", data, at)
    return int(value)


def _uint32(data: Any, at: int) -> int:
    (value,) = struct.unpack_from("<I", data, at)
    return int(value)


def _int64(data: Any, at: int) -> int:
    (value,) = struct.unpack_from("<q", data, at)
    return int(value)
