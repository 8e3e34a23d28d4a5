"""The envelope of a model file: what stands around its contents, and stays the same in every format to come.

    12 bytes    magic
     4          format of what follows the envelope
    16          version of gramian that wrote it, in ASCII, filled up with zeros
     8          length of the whole file
     8          length of the head
    32          SHA-256 of all other bytes of the file
     …          the head, JSON in ASCII
     …          the arrays, each at a multiple of 64 bytes

Numbers are little-endian. Because the length and the checksum come before the format, a file that was cut or damaged is
told from one of a format that is not known here. Files are written whole or not at all (`gramian.writing`).
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from io import BufferedReader
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from gramian import __version__
from gramian.writing import open_plain, replacing

MAGIC = b"\x8fgramian\r\n\x1a\n"
FORMAT = 1
ALIGNMENT = 64
PIECE = 2**20  # bytes that are read or written at a time

_ENVELOPE = struct.Struct("<12sI16sQQ32s")
_SEALED = _ENVELOPE.size - 32  # where the checksum begins


class ModelFileError(ValueError):
    """A file that is no model file, or one that cannot be trusted; says which file, and why.

    Parameters
    ----------
    path : str
        The file.
    reason : str
        What is wrong with it.

    Attributes
    ----------
    path : str
        The file.
    reason : str
        What is wrong with it.

    See Also
    --------
    load : read a model file
    save : write a model file
    DataError : data that cannot be read

    Examples
    --------
    >>> str(ModelFileError("model.gramian", "it is empty"))
    'model.gramian cannot be loaded: it is empty'
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"{self.path} cannot be loaded: {self.reason}"


@dataclass(frozen=True, eq=False)
class Envelope:
    """What the first bytes of a model file say of the rest."""

    format: int
    writer: str
    length: int
    head: int
    checksum: bytes

    @property
    def data(self) -> int:
        """Where the arrays begin."""
        return aligned(_ENVELOPE.size + self.head)


def aligned(place: int) -> int:
    """Return the next multiple of 64."""
    return -(-place // ALIGNMENT) * ALIGNMENT


# Writing


def write(path: Path, head: bytes, arrays: Iterable[tuple[int, Callable[[], Any]]]) -> None:
    """Write an envelope, a head, and arrays, given by their size in bytes and a function that returns the bytes."""
    arrays = list(arrays)
    length = place = aligned(_ENVELOPE.size + len(head))
    for size, _ in arrays:
        length, place = place + size, aligned(place + size)
    if not arrays:
        length = _ENVELOPE.size + len(head)
    before = _ENVELOPE.pack(MAGIC, FORMAT, __version__.encode("ascii")[:16], length, len(head), bytes(32))[:_SEALED]
    with replacing(path) as file:
        digest = sha256(before)

        def put(data: Any) -> None:
            view = memoryview(data)
            for start in range(0, len(view), PIECE):
                digest.update(view[start : start + PIECE])
                file.write(view[start : start + PIECE])

        file.write(before + bytes(32))
        put(head)
        place = _ENVELOPE.size + len(head)
        for size, contents in arrays:
            put(bytes(aligned(place) - place))
            put(contents())
            place = aligned(place) + size
        file.seek(_SEALED)
        file.write(digest.digest())


# Reading


def open_file(path: str | PathLike[str]) -> BufferedReader:
    """Open a file to be read; a pipe, which would be waited for, is refused."""
    try:
        return open_plain(path)
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise ModelFileError(str(path), error.strerror or str(error)) from None
        raise


def read_envelope(file: BinaryIO, path: str) -> Envelope:
    """Read the envelope, and compare what it says with the length of the file."""
    size, first = os.fstat(file.fileno()).st_size, file.read(_ENVELOPE.size)
    if not first:
        raise ModelFileError(path, "it is empty")
    if first[: len(MAGIC)] != MAGIC[: len(first)]:
        raise ModelFileError(path, "it is not a model file, as `gramian fit` and gramian.save write them")
    if len(first) < _ENVELOPE.size:
        raise ModelFileError(path, f"it is truncated: it ends at byte {size}, before its length is even said")
    _, version, writer, length, head, checksum = _ENVELOPE.unpack(first)
    if size < length:
        raise ModelFileError(path, f"it is truncated: {length - size:,} of its {length:,} bytes are missing")
    if size > length:
        raise ModelFileError(path, f"it is damaged: {size - length:,} bytes follow where it should end")
    if head > length - _ENVELOPE.size:
        raise ModelFileError(path, "it is damaged: its head is longer than the file")
    return Envelope(version, writer.rstrip(b"\0").decode("ascii", "replace"), length, head, checksum)


def check_sum(file: BinaryIO, envelope: Envelope, path: str) -> None:
    """Compare the checksum with the bytes of the file, and leave the file at its head."""
    file.seek(0)
    digest = sha256(file.read(_SEALED))
    file.seek(_ENVELOPE.size)
    while piece := file.read(PIECE):
        digest.update(piece)
    if digest.digest() != envelope.checksum:
        raise ModelFileError(path, "it is damaged: its contents do not fit its checksum; get it again, or save it anew")
    file.seek(_ENVELOPE.size)


def check_format(envelope: Envelope, path: str) -> None:
    """Refuse a format that is not known here, and say which gramian knows it."""
    if envelope.format > FORMAT:
        raise ModelFileError(
            path,
            f"it has format {envelope.format}, written by gramian {envelope.writer}, and this is gramian "
            f"{__version__}, which reads formats up to {FORMAT}: install gramian {envelope.writer} or newer",
        )
    if envelope.format < 1:
        raise ModelFileError(path, f"it has format {envelope.format}, which there never was")
