"""Arrays of NumPy as tables: the columns of a matrix are x1, x2, …, those of a structured array its fields.

No array of objects is read from a file, for that would mean to run what the file says.
"""

from __future__ import annotations

import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.intake.budget import OBJECT
from gramian.intake.errors import DataError
from gramian.intake.inputs import Input
from gramian.intake.rows import listed
from gramian.intake.sources import load_npy
from gramian.intake.table import Table, column_of, objects

_BROKEN = (
    ValueError,
    EOFError,
    OSError,
    KeyError,
    TypeError,
    MemoryError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    SyntaxError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)

_LAST = 0x10FFFF  # of the code points of Unicode
_SURROGATES = 0xD800 >> 11  # halves of letters, which stand for nothing alone


def read_npy(file: Input) -> Table:
    """Return the array of a .npy file as a table."""
    path = file.path
    with _numpy(path):
        A = load_npy(path)
    file.budget.claim(_cost(A.shape, A.dtype), path, exact=True)
    return table_of(A, str(path), "npy")


def read_npz(file: Input) -> Table:
    """Return the array X of a .npz file, or the only one, as a table; an array y is its target."""
    path = file.path
    with _numpy(path), path.open("rb") as stream, np.load(stream, allow_pickle=False) as found:
        if isinstance(found, np.ndarray):
            raise DataError(f"{path}: a .npy file under the name of a .npz file; read it as npy")
        names = list(found.files)
        if len(set(names)) < len(names):  # of X and X.npy one would be measured, and the other read
            raise DataError(f"{path}: two arrays of one name among {listed(names)}; different names expected")
        rest = [name for name in names if name != "y"]
        name = "X" if "X" in rest else rest[0] if len(rest) == 1 else None
        if name is None:
            raise DataError(
                f"{path}: no array X; one array X and, if there is a target, y expected"
                + (f", not {listed(names)}" if names else ", and there is none at all")
            )
        for array in (name, "y") if "y" in names else (name,):
            file.budget.claim(_declared(found.zip, array), path, exact=True)
        X, y = found[name], found["y"] if "y" in names else None
    table = table_of(X, str(path), "npz")
    return table if y is None else with_target(table, y)


def _declared(archive: zipfile.ZipFile, name: str) -> int:
    """Return what an array of an archive takes, by its header: nothing of it has been unpacked yet."""
    member = f"{name}.npy" if f"{name}.npy" in archive.namelist() else name
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(stream)
    return _cost(shape, dtype)


def _cost(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    """Return the bytes that an array takes with the columns and the objects that are made of it."""
    entries, fields = math.prod(shape), len(dtype.names or ())
    if dtype.names is None and dtype.kind in "fiub":
        return entries * (dtype.itemsize + 16)
    return entries * (dtype.itemsize + (fields or 1) * OBJECT)


def with_target(table: Table, y: Any) -> Table:
    """Return a table with one more column, the target: "y", or the next name that is free."""
    name, column = _beside(table, y, "y", "the target y")
    return Table(
        table.where, table.format, {**table.columns, name: column}, table.place, table.settled, name, table.hidden,
        table.alone, table.headless, table.notes,
    )  # fmt: skip


def with_hidden(table: Table, values: Any, name: str) -> tuple[Table, str | None]:
    """Return a table with one more column that no feature is made of, and its name; one that is there by name only."""
    if values is None or isinstance(values, str):
        return table, values
    free, column = _beside(table, values if hasattr(values, "__array__") else objects(list(values)), name, name)
    return replace(table, columns={**table.columns, free: column}, hidden=(*table.hidden, free)), free


def _beside(table: Table, values: Any, name: str, what: str) -> tuple[str, Array]:
    """Return one value for each object as a column, under a name that is free."""
    while name in table.columns:
        name += "_"
    values = np.asarray(values)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or len(values) != len(table):
        raise DataError(
            f"{table.where}: {what} has shape {values.shape}, and there are {len(table):,} objects; one value for each "
            "expected"
        )
    _check_letters(values, table.where)
    return name, _column(values, name, table.where)


def table_of(A: Array, where: str, format: str) -> Table:
    """Return an array of one or two dimensions, or a structured one, as a table."""
    _check_letters(A, where)
    if A.ndim not in (1, 2) or 0 in A.shape:
        raise DataError(f"{where}: an array of shape {A.shape}; rows and columns expected, at least one of each")
    if A.dtype.names:
        if A.ndim == 2:
            raise DataError(f"{where}: records in {A.shape[1]} columns; one dimension expected")
        return Table(where, format, {name: _column(A[name], name, where) for name in A.dtype.names})
    if A.dtype.kind in "US" and A.ndim == 1:
        return lone_objects(
            [str(item) for item in A.tolist()] if A.dtype.kind == "U" else _decoded(A, where), where, format
        )
    columns = A.reshape(len(A), -1).T.astype(np.float64 if A.dtype.kind == "b" else A.dtype, copy=False)
    names = [f"x{place}" for place in range(1, len(columns) + 1)]
    return Table(
        where, format, {name: _column(column, name, where) for name, column in zip(names, columns, strict=True)},
        headless=True,
    )  # fmt: skip


def _check_letters(A: Array, where: str) -> None:
    """Refuse texts with numbers in them that stand for no letter, which no later step could print or compare."""
    for part in [A[name] for name in A.dtype.names] if A.dtype.names else [A]:
        if part.dtype.kind != "U" or not part.dtype.itemsize:
            continue
        native = np.ascontiguousarray(part).astype(part.dtype.newbyteorder("="), copy=False)
        letters = native.view(np.uint32)
        wrong = (letters > _LAST) | ((letters >> 11) == _SURROGATES)
        if wrong.any():
            raise DataError(
                f"{where}: a text with the code point 0x{letters[wrong].flat[0]:x}, which is no letter; texts expected"
            )


def lone_objects(values: list[str], where: str, format: str, name: str = "line") -> Table:
    """Return strings, one object each, as a table of one column; an empty one is missing."""
    return Table(where, format, {name: objects([value or None for value in values])}, alone=name)


def _decoded(A: Array, where: str) -> list[str]:
    try:
        return [item.decode("utf-8") for item in A.tolist()]
    except UnicodeDecodeError:
        raise DataError(f"{where}: an array of bytes that are not UTF-8; an array of strings expected") from None


def _column(values: Array, name: str, where: str) -> Array:
    if values.ndim != 1:
        raise DataError(f"{where}, column {name!r}: arrays of shape {values.shape[1:]} in each row; one value expected")
    if values.dtype.kind == "c":
        raise DataError(f"{where}, column {name!r}: complex numbers; real numbers expected")
    if values.dtype.kind == "f" and values.dtype.itemsize <= 4:
        return values.astype(np.float32)
    if values.dtype.kind in "fiu":
        return values.astype(np.float64)
    if values.dtype.kind in "SV":
        raise DataError(f"{where}, column {name!r}: bytes ({values.dtype}); numbers or strings expected")
    plain = values.astype(str).tolist() if values.dtype.kind in "mM" else values.tolist()
    if values.dtype.kind in "mM":
        plain = [None if text == "NaT" else text for text in plain]

    def error(row: int, name: str, message: str) -> DataError:
        return DataError(f"{where}, row {row + 1:,}, column {name!r}: {message}")

    return column_of(plain, name, error, text=False)


@contextmanager
def _numpy(path: Path) -> Iterator[None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except DataError:
        raise
    except _BROKEN as error:
        if "Object arrays" in str(error) or "allow_pickle" in str(error) or "Python objects" in str(error):
            raise DataError(
                f"{path}: an array of objects, which only code in the file could restore; numbers or strings expected"
            ) from None
        raise DataError(f"{path}: a broken file, or none of NumPy; write it again") from None
