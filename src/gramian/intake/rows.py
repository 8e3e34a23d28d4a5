"""Columns of a table as what kernels take, and the target beside them.

A table is an Arrow table or record batch, or a data frame (pandas, polars): anything that gives a column by name, says
its columns and has a length.

    all columns hold numbers      →  array of floats, rows × columns: float32 if all are, else float64
    one column of other objects   →  list of those objects
    columns of several kinds      →  array of records whose fields are the columns, for kernels `.on("column")`

Missing values are refused where they are met, with the column and the row: behind this line there are none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from gramian.checks import Array, as_vectors

Objects: TypeAlias = Array | list[Any]
Rows: TypeAlias = range | Array  # where the objects at hand stand in the whole source


def is_table(X: Any) -> bool:
    """Tell whether X has named columns, without importing the library it comes from."""
    return not isinstance(X, np.ndarray) and all(hasattr(X, name) for name in ("__len__", "__getitem__", "columns"))


def names_of(table: Any) -> tuple[str, ...]:
    """Return the names of the columns; Arrow's `columns` are the columns themselves."""
    return tuple(table.column_names if hasattr(table, "column_names") else table.columns)


def listed(names: Sequence[Any]) -> str:
    """Return names for a message, a dozen at most."""
    return ", ".join(map(repr, names[:12])) + (" …" if len(names) > 12 else "")


def wanted(known: tuple[str, ...], columns: tuple[str, ...] | None, target: str | None, where: str) -> tuple[str, ...]:
    """Return the columns that make X: those named, or all but the target."""
    times = Counter(known)
    for name in (*(columns or ()), *([] if target is None else [target])):
        if name not in times:
            raise ValueError(f"{where}: no column {name!r}; it has {listed(known)}")
    if columns is not None and target in columns:
        raise ValueError(f"{where}: the target {target!r} is among the columns of X; leave it out of one of the two")
    found = tuple(name for name in known if name != target) if columns is None else columns
    if not found:
        raise ValueError(f"{where}: no column but the target {target!r}; at least one more expected")
    for name, number in Counter(found).items():
        if number > 1 or times[name] > 1:
            raise ValueError(f"{where}: the column {name!r} more than once; rename one of them, or name it once")
    return found


def objects_of(table: Any, names: tuple[str, ...], rows: Rows, where: str) -> Objects:
    """Return the columns of these names as numbers, as a list of objects, or as records."""
    columns = [column_of(table, name, rows, where) for name in names]
    if all(column.dtype.kind in "fiub" for column in columns):
        return _side_by_side(columns)
    if len(columns) == 1:
        return list(columns[0].tolist())
    records = np.empty(
        len(table), dtype=[(str(name), column.dtype) for name, column in zip(names, columns, strict=True)]
    )
    for name, column in zip(names, columns, strict=True):
        records[str(name)] = column
    return records


def column_of(table: Any, name: str, rows: Rows, where: str) -> Array:
    """Return one column without missing values: numbers, or objects of any kind."""
    column = table[name]
    missing = np.asarray(column.isna() if hasattr(column, "isna") else column.is_null())
    if missing.any():
        raise ValueError(
            f"{where}: column {name!r} has no value in row {rows[int(missing.argmax())]:,}; drop such rows first, or "
            "fill them"
        )
    if "decimal" in str(getattr(column, "type", "")):
        column = column.cast("float64")
    found = np.asarray(column).copy()  # np.array(column) would trust Arrow to copy, and it does not always
    if found.dtype.kind in "mMc":
        raise TypeError(f"{where}: column {name!r} holds {found.dtype}; convert it to real numbers, or name the others")
    check_finite(found, rows, where, f"column {name!r}")
    return found if found.dtype.kind in "fiub" else found.astype(object)


def check_finite(values: Array, rows: Rows, where: str, what: str = "") -> None:
    """Refuse NaN and infinity, by the row of the whole source."""
    if values.dtype.kind != "f" or bool((finite := np.isfinite(values)).all()):
        return
    row, *column = np.argwhere(~finite)[0].tolist()
    raise ValueError(
        f"{where}: {what or f'column {column[0]}'} holds {values[row, *column]} in row {rows[row]:,}; finite numbers "
        "expected: drop or impute those rows first"
    )


def float_type(*dtypes: np.dtype[Any]) -> np.dtype[Any]:
    """Return what numbers of these types become at the border: float32 where none has more digits, else float64."""
    return np.result_type(*(as_vectors(np.ones((1, 1), dtype)).dtype for dtype in dtypes))


def _side_by_side(columns: list[Array]) -> Array:
    X = np.empty((len(columns[0]), len(columns)), float_type(*(column.dtype for column in columns)))
    for place, column in enumerate(columns):
        X[:, place] = column
    return X
