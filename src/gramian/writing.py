"""Files written whole or not at all, and opened without waiting.

What is written goes to a file of another name in the same directory, is forced to the disk, and takes the place of the
old one in a single step: whatever happens, there is the old file or the new one, never half of one, and after an error
or Ctrl-C nothing is left behind. What is read is opened as a plain file: a pipe or a device in its place, which would
be waited for, is refused.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from os import PathLike
from pathlib import Path
from typing import BinaryIO


def may_write(path: str | PathLike[str], overwrite: bool) -> Path:
    """Return the file that a path means, links followed, or say why nothing can be written there.

    Asked before work is spent on what goes there.
    """
    if not isinstance(path, str | PathLike) or isinstance(os.fspath(path), bytes):
        raise TypeError(f"path is {path!r}; the name of a file expected, such as 'model.gramian'")
    if not os.fspath(path):
        raise FileNotFoundError("the name of the output is empty; the name of a file expected")
    found = Path(os.path.realpath(path))
    if found.is_dir():
        raise IsADirectoryError(f"{path} is a directory; the name of a file in it expected")
    if not found.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no directory {found.parent}")
    if found.exists():
        if not found.is_file():
            raise FileExistsError(f"{path} is a device or a pipe, which a file cannot replace")
        if not overwrite:
            raise FileExistsError(f"{path} exists already: pass overwrite=True to replace it, or take another name")
    return found


def open_plain(path: str | PathLike[str], *, follow: bool = True) -> BufferedReader:
    """Open a plain file to be read; what else a name may stand for is refused, and never waited for.

    The look is taken at what was opened, not at the name before: between the two another file may take its place.

    Parameters
    ----------
    path : str or path
        The file.
    follow : bool
        Whether a symbolic link may lead to it.

    Raises
    ------
    OSError
        If there is no such file, or it is a directory, a pipe, a socket or a device (or a link, with `follow=False`).

    Examples
    --------
    >>> open_plain("/dev/null")
    Traceback (most recent call last):
    ...
    OSError: [Errno 22] it is a device or a pipe, and no file: '/dev/null'
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    if not follow:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.ENODEV):  # a socket, a device without its driver
            raise OSError(errno.EINVAL, "it is a device or a pipe, and no file", os.fspath(path)) from None
        if error.errno == errno.ELOOP and not follow:
            raise OSError(errno.ELOOP, "it is a link, and no file", os.fspath(path)) from None
        raise
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is a device or a pipe, and no file", os.fspath(path))
        return open(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written that takes the place of `path` once it is whole, and vanishes otherwise.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.txt")
    ...     with replacing(path) as file:
    ...         _ = file.write(b"whole")
    ...         there_before = path.exists()
    ...     there_before, path.read_text()
    (False, 'whole')
    """
    name = path.parent / f".gramian-{secrets.token_hex(8)}.tmp"
    try:
        handle = os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as error:  # nothing of ours is there yet that could be removed
        raise type(error)(error.errno, error.strerror, str(path)) from error
    try:
        with open(handle, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            os.chmod(name, stat.S_IMODE(path.stat().st_mode))
        os.replace(name, path)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(name)
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, str(name)):
            raise type(error)(error.errno, error.strerror, str(path)) from error
        raise
    _force_name(path.parent)


def _force_name(directory: Path) -> None:
    """Force the renaming to the disk, where directories can be forced; the file itself is there already."""
    if os.name == "nt":
        return
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_text(path: str | PathLike[str], text: str, *, overwrite: bool = False) -> None:
    """Write a text as UTF-8, whole or not at all; half a surrogate pair, which UTF-8 does not have, as an escape."""
    with replacing(may_write(path, overwrite)) as file:
        file.write(text.encode("utf-8", "backslashreplace"))
