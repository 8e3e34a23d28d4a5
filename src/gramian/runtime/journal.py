"""The journal: long computations that were done before are not done again.

Inside ``with keeping(directory):`` whatever takes long is stored under the fingerprint of all it depends on, and sums
over many steps are stored half-way too. So a fit that was killed is simply started again: it goes through the same
computation, finds what is there, and goes on from where it was, to an answer that is the same to the last bit.

    remember(things, compute)     the array that these things determine, from the journal or computed
    stages(sums, steps, go)       given to `compute`: do all steps, from where an earlier run has left them

One file a value. It is written under another name, forced to the disk and renamed, so that no moment of a kill leaves
half a file behind; and a checksum in front tells what was damaged otherwise:

    magic, version, BLAKE2b of the key and of what follows, names of the arrays, the arrays as `numpy.save` writes them

The directory may hold anything else besides. No file is replaced or removed, whatever it is called, unless it is a
plain one that begins with the magic: what a killed program left half-written has it from its first moment on.
"""

from __future__ import annotations

import math
import os
import re
import secrets
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Protocol, TypeAlias

import numpy as np

from gramian.checks import Array
from gramian.runtime.fingerprint import NoFingerprintError, fingerprint
from gramian.runtime.progress import task
from gramian.writing import open_plain

PATIENCE = 1.0  # seconds that a value must have taken to be stored
INTERVAL = 5.0  # seconds of work between two states that are stored
WORTH = 20e6  # bytes that are stored for a second of work, at most
STALE = 600.0  # seconds after which a file that nobody goes on writing is left over from a killed program

MAGIC = b"gramian\n"
VERSION = 1
HEAD = MAGIC + VERSION.to_bytes(4, "little")
LEFT_OVER = re.compile(r"[0-9a-z]{1,64}\.[0-9a-f]{16}\.gramian-half")
CHECKSUM = 32  # bytes
PIECE = 2**22  # bytes that are read at a time

clock = time.monotonic
Go: TypeAlias = Callable[[int, int], None]


class Stages(Protocol):
    """What does the steps of a sum, ``go(start, stop)`` several of them at a time."""

    def __call__(self, sums: Array, steps: int, go: Go, plan: tuple[int, ...] = ()) -> None:
        """Do all steps."""


def at_once(sums: Array, steps: int, go: Go, plan: tuple[int, ...] = ()) -> None:
    """Do all steps, without a journal: `stages` that keep nothing."""
    go(0, steps)


@contextmanager
def keeping(directory: str | os.PathLike[str] | None) -> Iterator[None]:
    """Keep what takes long inside a ``with`` block in a directory, and look there first; None keeps nothing.

    Several programs may share a directory.

    Raises
    ------
    OSError
        If the directory cannot be made or written to.

    Examples
    --------
    >>> import tempfile
    >>> import gramian as gm
    >>> K = gm.Gaussian().gram([[0.0], [1.0]])
    >>> with tempfile.TemporaryDirectory() as directory, keeping(directory):
    ...     round(K.mean(), 3)
    0.803
    """
    if directory is None:
        yield
        return
    if not os.fspath(directory):
        raise ValueError("checkpoint is empty; the name of a directory expected, or None")
    before = _current.set(Journal(Path(directory)))
    try:
        yield
    finally:
        _current.reset(before)


def kept_in() -> Path | None:
    """Return the directory that is kept now, for those who work elsewhere; None where there is none."""
    journal = _current.get()
    return None if journal is None else journal.directory.absolute()


def is_kept() -> bool:
    """Tell whether a journal is kept."""
    return _current.get() is not None


def remember(things: Callable[[], tuple[Any, ...]], compute: Callable[[Stages], Array]) -> Array:
    """Return the array that `things` determine: from the journal, or computed, and stored where that took long.

    Parameters
    ----------
    things : callable
        Returns all that the array depends on, and what it is, in words; called only where a journal is kept.
    compute : callable
        Given `stages`, returns the array. A sum over many steps is best made by ``stages(sums, steps, go, plan)``:
        `go(start, stop)` adds the steps from `start` to `stop` to `sums` in place, and `plan`, a few integers, says
        how it does so; what was stored under another plan is not taken up. Without a journal this is ``go(0, steps)``.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(6.0).reshape(3, 2)
    >>> def moments(stages):
    ...     sums = np.zeros((2, 2))
    ...     def go(start, stop):
    ...         sums[...] += X[start:stop].T @ X[start:stop]
    ...     stages(sums, len(X), go)
    ...     return sums
    >>> remember(lambda: ("moments", X), moments)
    array([[20., 26.],
           [26., 35.]])
    """
    journal = _current.get()
    if journal is None:
        return compute(at_once)
    try:
        key = fingerprint(VERSION, import_module("gramian").__version__, *things())
    except NoFingerprintError as error:
        journal.warn(f"no checkpoints are possible for this kernel, because it cannot be pickled ({error})")
        return compute(at_once)
    return journal.remember(key, compute)


class Journal:
    """Arrays under keys, one file each, in a directory that is made if it is missing."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._full = False
        self._said: set[str] = set()
        try:
            directory.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=directory):
                pass
        except OSError as error:
            raise type(error)(
                error.errno, f"checkpoints need a directory that can be written to ({error.strerror})", str(directory)
            ) from None
        self._sweep()

    def _sweep(self) -> None:
        """Remove what killed programs left half-written; a living one writes too often to look so old."""
        for path in self.directory.iterdir():
            with suppress(OSError):
                old = time.time() - path.lstat().st_mtime > STALE
                if old and LEFT_OVER.fullmatch(path.name) and _is_ours(path):
                    path.unlink()

    def warn(self, message: str) -> None:
        """Say something once."""
        if message not in self._said:
            self._said.add(message)
            warnings.warn(message, UserWarning, stacklevel=3)

    def path(self, key: str) -> Path:
        """Return the file of a key."""
        return self.directory / f"{key}.gramian"

    def resume(self, key: str) -> dict[str, Array] | None:
        """Return the arrays stored under a key, None where there are none, or a file that cannot be trusted."""
        try:
            with open_plain(self.path(key), follow=False) as file:
                return _read(file, key)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            self.warn(f"{self.path(key)} is no checkpoint that can be used, and is computed anew: {reason}")
            return None

    def save(self, key: str, arrays: Mapping[str, Array]) -> None:
        """Store arrays under a key, whole or not at all; where the disk is full, say so once and store no more."""
        if self._full:
            return
        try:
            self._replace(key, arrays)
        except OSError as error:
            self._full = True
            self.warn(f"no more checkpoints in {self.directory}, the work goes on without: {error}")

    def _replace(self, key: str, arrays: Mapping[str, Array]) -> None:
        path = self.path(key)
        if os.path.lexists(path) and not _is_ours(path):
            self.warn(f"{path} is none of the checkpoints' own files and stays as it is; this part is not stored")
            return
        half = self.directory / f"{key}.{secrets.token_hex(8)}.gramian-half"
        file = open(half, "x+b")  # noqa: SIM115 - where this fails, nothing of ours is there that could be removed
        try:
            with file:
                file.write(HEAD)
                file.flush()
                _write(file, key, arrays)
                file.flush()
                os.fsync(file.fileno())
            os.replace(half, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(half)
            raise
        _sync(self.directory)

    def remember(self, key: str, compute: Callable[[Stages], Array]) -> Array:
        """Return what is stored under a key, or compute it from its last stage on, and store it if it took long."""
        stored = self.resume(key)
        if stored is not None and "value" in stored:
            return stored["value"]
        begun = clock()
        value = compute(partial(self._stages, key, stored))
        if clock() - begun > PATIENCE + value.nbytes / WORTH or self.path(key).exists():
            self.save(key, {"value": value})
        return value

    def _stages(
        self, key: str, stored: dict[str, Array] | None, sums: Array, steps: int, go: Go, plan: tuple[int, ...] = ()
    ) -> None:
        """Do the steps that are left in runs of about `INTERVAL` seconds, and store the sums after each."""
        plan = (steps, *sums.shape, *plan)
        done, interval, last, length = 0, INTERVAL + sums.nbytes / WORTH, clock(), 1
        if stored is not None and stored.keys() == {"sums", "plan", "done"} and tuple(stored["plan"]) == plan:
            np.copyto(sums, stored["sums"], casting="no")
            done = int(stored["done"])
        with task("", steps, done) as told:
            while done < steps:
                begun = clock()
                stop = min(steps, done + length)
                told.advance(done, stride=stop - done)
                go(done, stop)
                now = clock()
                if now - last >= interval and stop < steps:
                    self.save(key, {"sums": sums, "plan": np.array(plan), "done": np.array(stop)})
                    now = last = clock()
                rate = (stop - done) / max(now - begun, 1e-9)
                length = max(1, min(8 * length, int(rate * (last + interval - now))))
                done = stop


_current: ContextVar[Journal | None] = ContextVar("journal", default=None)


class _Sealed:
    """A file whose bytes are hashed as they are written or read."""

    def __init__(self, file: IO[bytes], key: str) -> None:
        self._file = file
        self._hash = blake2b(key.encode(), digest_size=CHECKSUM)

    def write(self, data: Any) -> int:
        self._hash.update(data)
        return self._file.write(data)

    def drain(self) -> None:
        while piece := self._file.read(PIECE):
            self._hash.update(piece)

    def checksum(self) -> bytes:
        return self._hash.digest()


def _is_ours(path: Path) -> bool:
    """Tell whether a file is a plain one that this module has written, or begun to write."""
    try:
        with open_plain(path, follow=False) as file:
            head = file.read(len(HEAD))
            return head.startswith(MAGIC) and 0 in head[len(MAGIC) :]  # a version below 2²⁴, and no text
    except OSError:
        return False


def _write(file: IO[bytes], key: str, arrays: Mapping[str, Array]) -> None:
    """Write what follows the head."""
    file.write(bytes(CHECKSUM))
    sealed = _Sealed(file, key)
    for array in (np.array(list(arrays)), *arrays.values()):
        np.save(sealed, array, allow_pickle=False)
    file.seek(len(HEAD))
    file.write(sealed.checksum())


def _read(file: IO[bytes], key: str) -> dict[str, Array]:
    if file.read(len(MAGIC)) != MAGIC:
        raise ValueError("it does not begin as one")
    version = int.from_bytes(file.read(4), "little")
    if version != VERSION:
        raise ValueError(f"it has format {version}, and this program reads format {VERSION}")
    expected = file.read(CHECKSUM)
    begin = file.tell()
    sealed = _Sealed(file, key)
    sealed.drain()
    if sealed.checksum() != expected:
        raise ValueError("it is damaged, or belongs under another name")
    end = file.tell()
    file.seek(begin)
    names = _read_array(file, end).ravel().tolist()
    return {str(name): _read_array(file, end) for name in names}


def _read_array(file: IO[bytes], end: int) -> Array:
    """Read the next array, unless it claims to be larger than what is left of the file."""
    begin = file.tell()
    np.lib.format.read_magic(file)
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    if math.prod(shape) * max(dtype.itemsize, 1) > end - file.tell():
        raise ValueError("it holds less than it says")
    file.seek(begin)
    return np.asarray(np.load(file, allow_pickle=False))


def _sync(directory: Path) -> None:
    """Force the renaming to the disk, where directories can be forced."""
    if os.name == "nt":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
