"""What is to be read, at hand: a file or folder that can be opened again and again, under the name it was given.

Readers look at a file more than once: what it is, what separates its fields, then its rows, and again up to the line
of an error. A pipe can be read once only, so it is first copied, whole, to a temporary file, which is deleted when
nothing refers to it any more. "-" is standard input. Devices have no end, and are refused.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from gramian.intake.budget import Budget
from gramian.intake.errors import DataError, refusing, shortened
from gramian.runtime.progress import task

STDIN = "-"
_STDIN_NAME = "standard input"
_PIECE = 2**20
_PATIENCE = 2.1  # seconds until somebody is told what is waited for
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+://")
_PART = "::"  # between a file and the table in it


class Temporary:
    """A file of our own, deleted when nothing refers to it any more, or when the program ends."""

    def __init__(self, suffix: str = "") -> None:
        handle, name = tempfile.mkstemp(prefix="gramian-", suffix=suffix)
        os.close(handle)
        self.path = Path(name)
        self._end = weakref.finalize(self, _delete, self.path)


def _delete(path: Path) -> None:
    path.unlink(missing_ok=True)


@dataclass(frozen=True)
class Input:
    """A file or folder, the name that messages call it by, the table in it that was asked for, and the budget."""

    path: Path
    name: str
    budget: Budget = field(default_factory=Budget)
    part: str | None = None
    kept: Any = None  # what must not be deleted before the last look at the file

    def __fspath__(self) -> str:
        return str(self.path)


def at_hand(path: str | os.PathLike[str], memory: Any = None) -> Input:
    """Return what can be read again and again in place of a name; what stands behind a pipe is read here, once."""
    if isinstance(path, Input):
        return path
    if not isinstance(path, str | os.PathLike):
        given = f"{shortened(repr(path), 60)} ({type(path).__name__})"
        raise TypeError(f"path is {given}; the name of a file or folder expected")
    name, budget = os.fspath(path), Budget(memory)
    if "\0" in name:
        raise DataError(f"{name!r}: a name with a zero byte in it; no file can be called so")
    if name == STDIN:
        return _spooled_stdin(budget)
    if _ADDRESS.match(name):
        raise DataError(f"{name}: an address, and nothing is read from the network; download it, and give the file")
    file, part = file_of(name)
    with refusing(file, str(file)):
        return _opened(file, part, budget)


def file_of(name: str) -> tuple[Path, str | None]:
    """Return the file of a name such as base.db::table, and the table in it; None if no table is named."""
    if _PART in name and not os.path.lexists(name):
        before, _, part = name.rpartition(_PART)
        return Path(before), part
    return Path(name), None


def _opened(file: Path, part: str | None, budget: Budget) -> Input:
    if not file.exists():
        raise DataError(f"{file}: no such file or folder; check the name, which is relative to {Path.cwd()}")
    mode = file.stat().st_mode
    if stat.S_ISFIFO(mode):
        with _waiting(f"reading what is written to {file}"), file.open("rb", buffering=0) as stream:
            return _spooled(stream, str(file), budget, part, suffix="".join(file.suffixes[-2:])[:20])
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise DataError(f"{file}: a device, which is no data and may have no end; a file, a folder or a pipe expected")
    return Input(file, str(file), budget, part)


def _spooled_stdin(budget: Budget) -> Input:
    try:
        stream = open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)  # noqa: SIM115
    except (AttributeError, OSError, ValueError):
        raise DataError(f"{_STDIN_NAME} is closed, and - reads it; pipe data into it, or name a file") from None
    with stream:
        if stream.isatty():
            raise DataError(
                f"{_STDIN_NAME} is the terminal, and - reads data that are piped: pipe them, or name a file"
            )
        mode = os.fstat(stream.fileno()).st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            raise DataError(f"{_STDIN_NAME} is a device, which is no data and may have no end; pipe data into it")
        with _waiting(f"reading {_STDIN_NAME}"):
            return _spooled(stream, _STDIN_NAME, budget)


def _spooled(stream: IO[bytes], name: str, budget: Budget, part: str | None = None, suffix: str = "") -> Input:
    """Copy all that comes, whatever pauses its writer makes, as much as the budget has of memory."""
    kept = Temporary(suffix)
    size = 0
    with kept.path.open("wb") as copy:
        while piece := stream.read(_PIECE):
            size += len(piece)
            if size > budget.limit:
                raise budget.exceeded(size, name)
            copy.write(piece)
    return Input(kept.path, name, budget, part, kept)


@contextmanager
def _waiting(words: str) -> Iterator[None]:
    """Tell whoever watches what is waited for, if it takes long; the wait itself ends with Ctrl-C."""
    with task(words) as wait:
        timer = threading.Timer(_PATIENCE, wait.advance, (0, None, "until it ends"))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
