"""ZIP archives: some are files of a format of their own; one that holds a single file stands for that file.

A member is unpacked, up to the budget, to a temporary file. What an archive says of the sizes in it is not believed.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from gramian.intake.errors import DataError, unknown
from gramian.intake.inputs import Input, Temporary
from gramian.intake.rows import listed

ZIP = b"PK\x03\x04"
_PIECE = 2**20
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, KeyError, ValueError)


def kind_of_zip(path: Path) -> str | None:
    """Return the format of a file that is a ZIP archive underneath; "" for a plain archive, None for other files."""
    with path.open("rb") as file:
        if file.read(len(ZIP)) != ZIP:
            return None
    names = _members(path)
    if any(name.startswith("xl/") for name in names) or "content.xml" in names:
        return "excel"
    return "npz" if names and all(name.endswith(".npy") for name in names) else ""


def unpacked(file: Input) -> Input:
    """Return the file that lies alone in an archive, or that is asked for by its name; other files as they are."""
    if file.path.is_dir() or file.path.suffix.lower() in (".npz", ".xlsx", ".xlsm", ".ods"):
        return file
    if kind_of_zip(file.path) != "":
        return file
    names = _members(file.path)
    if file.part is not None and file.part not in names:
        raise unknown(file.name, "file", file.part, names)
    if file.part is None and len(names) != 1:
        raise DataError(
            f"{file.name}: an archive of {len(names):,} files, {listed(names)}; one expected, or its name as in "
            f"{file.name}::{names[0]}"
            if names
            else f"{file.name}: an archive without a file in it; one table expected"
        )
    name = names[0] if file.part is None else file.part
    kept = Temporary("".join(PurePosixPath(name).suffixes[-2:])[-20:])
    size = 0
    with reading_zip(file.path) as archive, archive.open(name) as packed, kept.path.open("wb") as copy:
        while piece := packed.read(_PIECE):
            size += len(piece)
            if size > file.budget.limit:
                raise file.budget.exceeded(size, file.name)
            copy.write(piece)
    return Input(kept.path, f"{file.name}::{name}", file.budget, kept=(kept, file.kept))


def _members(path: Path) -> list[str]:
    """Return the files in an archive, without those that systems add."""
    with reading_zip(path) as archive:
        names = [info.filename for info in archive.infolist() if not info.is_dir()]
    parts = {name: PurePosixPath(name).parts for name in names}
    return [
        name for name in names if parts[name] and not any(part.startswith((".", "__MACOSX")) for part in parts[name])
    ]


@contextmanager
def reading_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive; what is broken in it is a DataError."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except DataError:
        raise
    except BROKEN as error:
        raise DataError(f"{path}: a broken ZIP archive, or one with a password ({error}); write it again") from None
