"""Columns of a table as a map to pull a kernel back by, so that kernels of different columns make one kernel.

A table is a data frame (pandas, polars, or anything else that gives a column by name and says its columns), or a list
of records: dictionaries, named tuples, objects with attributes. A kernel of vectors gets its columns side by side as
numbers, dates and times among them as days since 1970-01-01; any other kernel gets one column as a list of objects.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from gramian.checks import Array, at_hand
from gramian.kernels.strings.sequences import is_missing
from gramian.kernels.value import Value
from gramian.places import CORES, place_of

EPOCH, DAY = np.datetime64("1970-01-01", "us"), np.timedelta64(1, "D")


class Columns(Value):
    """The map from a table to some of its columns; `Kernel.on` makes it.

    Parameters
    ----------
    names : tuple of hashable
        Names of columns, or positions in plain tuples.
    numeric : bool
        Whether the columns are wanted as one array of numbers, or as the objects they hold.
    """

    names: tuple[Hashable, ...]
    numeric: bool = False

    def __post_init__(self) -> None:
        self._settle(names=tuple(self.names))
        if not self.names:
            raise ValueError("on() was given no column; name one at least, such as k.on('age')")
        if len(self.names) > 1 and not self.numeric:
            raise ValueError(
                f"on() was given {len(self.names)} columns for a kernel that takes one object, not a vector: restrict "
                "it to one column at a time and add the kernels up, k.on('a') + k.on('b')"
            )

    def __repr__(self) -> str:
        return f"on({', '.join(map(repr, self.names))})"

    def __call__(self, X: Any) -> Any:
        at_hand(X)
        if self.numeric and (numbers := _positions(X, self.names)) is not None:
            return numbers
        if self.numeric and (numbers := _fields(X, self.names)) is not None:
            return numbers
        columns = [_column(X, name) for name in self.names]
        if self.numeric:
            return np.stack([_numbers(column, name) for column, name in zip(columns, self.names, strict=True)], axis=1)
        for row, entry in enumerate(columns[0]):
            if is_missing(entry):
                raise ValueError(
                    f"column {self.names[0]!r} holds {entry!r} in row {row}, a missing value: drop such rows first, or "
                    "put an empty text or a category of its own there"
                )
        return columns[0]


def _positions(X: Any, names: tuple[Hashable, ...]) -> Any:
    """Return columns of a matrix of numbers by their positions, in its precision and where it is; None of all else."""
    if (
        getattr(X, "ndim", 0) != 2
        or hasattr(X, "columns")
        or not (isinstance(X, np.ndarray) or place_of(X) is not CORES)
    ):
        return None
    if isinstance(X, np.ndarray) and X.dtype.kind not in "fiub":
        return None
    for name in names:
        if not isinstance(name, int | np.integer) or not -X.shape[1] <= name < X.shape[1]:
            raise ValueError(f"X has no column {name!r}: it has {X.shape[1]}, known by their positions from 0 on")
    return X[:, list(names)]


def _fields(X: Any, names: tuple[Hashable, ...]) -> Array | None:
    """Return numbers side by side from an array of records, all at once; None where one is missing or is no number."""
    dtype = getattr(X, "dtype", None)
    fields = getattr(dtype, "fields", None)
    if not fields or any(name not in fields or fields[name][0].kind not in "fiu" for name in names):
        return None
    table = np.stack([X[name].astype(np.float64) for name in names], axis=1)
    return table if np.isfinite(table).all() else None


def _column(X: Any, name: Hashable) -> list[Any]:
    """Return one column as a list."""
    if hasattr(X, "columns"):
        if hasattr(X, "collect"):
            raise TypeError(f"X is a {type(X).__name__}, which holds no rows yet: pass X.collect()")
        if name not in (known := list(X.columns)):
            raise ValueError(f"X has no column {name!r}; it has {_listed(known)}")
        if known.count(name) > 1:
            raise ValueError(f"X has several columns {name!r}; one expected: rename them")
        column = X[name]
        return list(column.to_list() if hasattr(column, "to_list") else column)
    if isinstance(X, Mapping | str | bytes) or not hasattr(X, "__iter__"):
        raise TypeError(f"X is a {type(X).__name__}; a data frame or a list of records expected")
    if getattr(getattr(X, "dtype", None), "names", None):
        if name not in X.dtype.names:
            raise ValueError(f"X has no column {name!r}; it has {_listed(X.dtype.names)}")
        return list(X[name].tolist())
    if not (records := list(X)):
        raise ValueError("X is empty; at least one record expected")
    return [_field(record, name, place) for place, record in enumerate(records)]


def _field(record: Any, name: Hashable, place: int) -> Any:
    if isinstance(record, Mapping):
        if name in record:
            return record[name]
        known: Sequence[Any] = list(record)
    elif name in _names(record):
        return getattr(record, str(name))
    elif isinstance(name, int) and isinstance(record, tuple | list | np.ndarray) and -len(record) <= name < len(record):
        return record[name]
    else:
        known = _names(record)
    has = f"it has {_listed(known)}" if known else f"it is {record!r}, a {type(record).__name__}"
    raise ValueError(f"record {place} of X has no field {name!r}; {has}")


def _names(record: Any) -> Sequence[Any]:
    """Return the fields of a named tuple, or the attributes of an object."""
    if isinstance(record, tuple):
        return list(getattr(record, "_fields", ()))
    return [*getattr(record, "__dict__", ()), *getattr(type(record), "__slots__", ())]


def _listed(names: Sequence[Any]) -> str:
    return ", ".join(map(repr, list(names)[:12])) + (" …" if len(names) > 12 else "")


def _numbers(column: list[Any], name: Hashable) -> Array:
    """Return a column as floating point numbers, all finite."""
    for row, entry in enumerate(column):
        if is_missing(entry):
            raise _not_finite(name, entry, row)
    if column and all(isinstance(entry, date | np.datetime64) for entry in column):
        return np.array([_days(entry) for entry in column])
    try:
        values = np.asarray(column)
        numbers = values.astype(np.float64) if values.dtype.kind in "fiubO" else None
    except (TypeError, ValueError, OverflowError):
        numbers = None
    if numbers is None or numbers.ndim != 1 or any(isinstance(entry, str) for entry in column):
        wrong = next((entry for entry in column if not isinstance(entry, int | float | np.number)), column[0])
        raise TypeError(
            f"column {name!r} holds {wrong!r}, and a kernel of vectors needs numbers: use a kernel for such objects, "
            "such as Equality for categories or BagOfWords for texts, or drop the rows where it is missing"
        )
    for row in np.flatnonzero(~np.isfinite(numbers)).tolist():
        raise _not_finite(name, column[row], row)
    return np.asarray(numbers)


def _days(entry: date | np.datetime64) -> float:
    """Return a date, or a time, as days since 1970-01-01; one with a zone as it is in Greenwich."""
    if isinstance(entry, datetime) and entry.tzinfo is not None:
        entry = entry.astimezone(UTC).replace(tzinfo=None)
    return float((np.asarray(entry).astype("M8[us]") - EPOCH) / DAY)


def _not_finite(name: Hashable, entry: Any, row: int) -> ValueError:
    return ValueError(
        f"column {name!r} holds {entry!r} in row {row}; finite numbers expected: drop or impute those rows first"
    )
