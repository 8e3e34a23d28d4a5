"""Text files in any encoding, plain or compressed by gzip, line by line; what is not text is told by byte and line."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from gramian.intake.budget import Budget
from gramian.intake.errors import DataError
from gramian.intake.inputs import Input

GZIP = b"\x1f\x8b"
_PIECE = 2**16
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True)
class TextFile:
    """The name of a text file and how its bytes are read."""

    path: Path
    encoding: str = "utf-8"
    budget: Budget = field(default_factory=Budget)

    @classmethod
    def of(cls, file: Input, encoding: str) -> TextFile:
        """Return the text file of an input; a byte order mark of UTF-16 or UTF-32 says more than the usual encoding."""
        if encoding.lower() in ("utf-8", "utf8") and (marked := marked_encoding(file.path)):
            encoding = marked
        return cls(file.path, encoding, file.budget)

    @property
    def is_utf8(self) -> bool:
        """Whether its bytes are UTF-8, with or without a byte order mark."""
        return codecs.lookup(self.encoding).name in ("utf-8", "utf-8-sig", "ascii")

    def error(self, line: int, message: str) -> DataError:
        """Return the error of one line."""
        return DataError(f"{self.path}, line {line:,}: {message}")

    @contextmanager
    def text(self) -> Iterator[IO[str]]:
        """Open the file for its characters; line ends are left as they are."""
        with opened(self.path) as raw:
            try:
                stream = io.TextIOWrapper(raw, encoding=self._codec(), newline="")
            except LookupError as error:
                raise DataError(f"{self.path}: the encoding {self.encoding!r} is unknown ({error})") from None
            try:
                yield stream
            except UnicodeError as error:
                raise self._undecodable(error) from None
            finally:
                stream.detach()

    def lines(self) -> Iterator[str]:
        """Go through the lines with their ends, which are those of any system."""
        longest = self.budget.longest
        with self.text() as stream:
            number = 1
            while line := stream.readline(longest):
                if "\0" in line:
                    raise self.error(number, "a zero byte, as binary files have; a text file expected")
                if len(line) == longest and line[-1] not in "\r\n":
                    raise self.budget.exceeded(32 * longest, f"{self.path}, line {number:,}")
                yield line
                number += 1

    def _codec(self) -> str:
        return "utf-8-sig" if codecs.lookup(self.encoding).name == "utf-8" else self.encoding

    def _undecodable(self, error: UnicodeError) -> DataError:
        """Find the first byte that the encoding does not know; the stream that met it reads ahead and cannot say."""
        decoder = codecs.getincrementaldecoder(self._codec())()
        offset, line = 0, 1
        with opened(self.path) as raw:
            start = raw.read(4)
            usual = "latin-1" if self.encoding == "cp1252" else "cp1252"  # which differs by marks such as the euro's
            marked = next((name for mark, name in _MARKS.items() if start.startswith(mark)), usual)
            hint = usual if marked == self.encoding else marked
        with opened(self.path) as raw:
            while True:
                piece = raw.read(_PIECE)
                try:
                    line += decoder.decode(piece, final=not piece).count("\n")
                except UnicodeDecodeError as found:
                    place = offset - (len(found.object) - len(piece)) + found.start
                    line += found.object[: found.start].count(b"\n")
                    byte = found.object[found.start]
                    return self.error(
                        line,
                        f"byte {place:,} of the file, 0x{byte:02x}, is not {self.encoding}; another encoding "
                        f"expected, such as {hint!r}",
                    )
                except UnicodeError:
                    break
                if not piece:
                    break
                offset += len(piece)
        return self.error(line, f"not {self.encoding} ({error}); another encoding expected, such as {hint!r}")


def marked_encoding(path: Path) -> str:
    """Return the encoding that a byte order mark says, "" if there is none but that of UTF-8."""
    with opened(path) as raw:
        start = raw.read(4)
    return next((name for mark, name in _MARKS.items() if start.startswith(mark)), "")


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for its bytes, unpacked if it is compressed by gzip."""
    with path.open("rb") as plain:
        packed = plain.peek(2)[:2] == GZIP
        try:
            yield gzip.GzipFile(fileobj=plain) if packed else plain  # type: ignore[misc]
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DataError(f"{path}: a broken gzip file ({error}); copy or compress it again") from None
