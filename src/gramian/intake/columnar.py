"""Tables that know their types: Parquet and Arrow files, and data frames in memory."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.intake import unpacking
from gramian.intake.budget import OBJECT
from gramian.intake.errors import DataError
from gramian.intake.guesses import may_name_rows
from gramian.intake.inputs import Input
from gramian.intake.rows import listed, names_of
from gramian.intake.sources import Source, of_path
from gramian.intake.table import Table, column_of, objects, texts_of, whole_column, written

_RUN = 50_000  # rows
_SHARE = 16  # part of the budget that a run may take, and
_CELL = 128  # bytes of a value in it
_NUMBER = 16  # bytes of a number: in its column, and in the objects that are made of it
_NUMBERS = ("int", "uint", "float", "double", "halffloat")
_TEXTS = ("string", "large_string", "string_view")
_SHOWN = 20  # columns that an advice names
_CAST = ("date", "time", "bool")  # timestamps among them
_DURATION = "duration"


def read_columns(file: Input, format: str, wanted: frozenset[str] | None = None) -> Table:
    """Return the table of a Parquet or Arrow file, or of a folder of Parquet files.

    Where some columns are wanted, only these are read, and others that may name the rows.
    """
    path, budget = file.path, file.budget
    source = of_path(path, format, shared=True)
    known = _checked(str(path), source.columns or ())
    types = dict(zip(known, source.types, strict=True))
    # before values are unpacked: one may be a list of millions
    names = taken(known, wanted, lambda name: _is_flat(types[name]), source.index)
    others = [name for name in known if _is_flat(types[name]) and name not in source.index]
    for name in names:
        _check_type(types[name], name, str(path), others)
    values = unpacking.least(source.chunks(tuple(names)))
    if (least := max((source.count or 0) * len(names) * _NUMBER, values)) > budget.limit:
        raise budget.exceeded(least, path)
    unpacking.pages(source.chunks(tuple(names)), lambda size: budget.check(size, path))
    rows = max(1, min(_RUN, budget.limit // (_SHARE * _CELL * len(names))))
    parts: dict[str, list[Array]] = {name: [] for name in names}
    pools: dict[str, dict[Any, Any]] = {name: {} for name in names}
    for batch in _batches(source, rows, names, file, format):
        budget.claim(_cost(batch), path)
        budget.check(2 * sum(map(_shared, batch.columns)), path)  # as texts of Arrow, and of Python
        batch.validate(full=True)  # Arrow itself trusts what it maps into memory
        for name, part in parts.items():
            before = len(pools[name])
            part.append(_of_arrow(batch[name], name, str(path), pools[name]))
            budget.claim(sum(OBJECT + len(str(text)) for text in islice(pools[name], before, None)), path)
    if not next(iter(parts.values())):
        raise DataError(f"{path}: columns, and no row; at least one row expected")
    found = _table({name: _joined(part) for name, part in parts.items()}, str(path), format)
    return _with_index(found, tuple(name for name in source.index if name in found.columns))


def taken(
    known: Sequence[str],
    wanted: frozenset[str] | None,
    flat: Callable[[str], bool],
    index: Sequence[str] = (),
) -> list[str]:
    """Return the columns to read: those wanted, and others that may name the rows if they are flat.

    All are where none are named, or one that is not there, of which others know what to say.
    """
    if wanted is not None and wanted <= set(known):
        needed = wanted.union(index)
        return [name for name in known if name in needed or (may_name_rows(name) and flat(name))]
    return [name for name in known if wanted is None or flat(name)]


def _batches(source: Source, rows: int, names: Sequence[str], file: Input, format: str) -> Iterator[Any]:
    """Go through the batches of a source; the budget is asked before one is unpacked."""
    found = source.open(rows, tuple(names))
    for size in unpacking.batches(file.path) if format == "arrow" else ():
        file.budget.check(size, file.path)
        if (batch := next(found, None)) is None:
            return
        yield batch
    yield from found


def _cost(batch: Any) -> int:
    """Return the bytes that a batch of Arrow takes as columns and objects: texts are objects of Python.

    What a dictionary holds is counted apart, for batches share it.
    """
    return sum(
        len(column) * (_NUMBER if str(column.type).startswith(_NUMBERS) else OBJECT) + int(column.nbytes)
        for column in batch.columns
    ) - sum(map(_shared, batch.columns))


def _shared(column: Any) -> int:
    """Return the bytes of the dictionary of a column."""
    return int(column.dictionary.nbytes) if str(column.type).startswith("dictionary") else 0


def _with_index(table: Table, index: tuple[str, ...]) -> Table:
    """Return a table of which some columns are the index of a data frame, which names rows and is no feature."""
    if not index:
        return table
    what = "is the index" if len(index) == 1 else "are the index"
    note = f"{listed(index)} {what} of a data frame, and {'is' if len(index) == 1 else 'are'} not taken as a feature."
    return replace(table, settled=dict.fromkeys(index, "id"), notes=(note,))


def frame_table(
    frame: Any, where: str, text: frozenset[str] = frozenset(), wanted: frozenset[str] | None = None
) -> Table:
    """Return a data frame (pandas, polars) or an Arrow table as a table; of others than those wanted what is flat."""
    if hasattr(frame, "collect"):
        raise DataError(f"{where} holds no rows yet; pass what its collect() returns")
    if hasattr(frame, "column_names") and hasattr(frame, "combine_chunks"):
        names = _checked(where, frame.column_names)
        types = dict(zip(names, frame.schema.types, strict=True))
        names = taken(names, wanted, lambda name: _is_flat(types[name]))
        return _table({name: _of_arrow(frame[name].combine_chunks(), name, where) for name in names}, where, "frame")
    names = _checked(where, [str(name) for name in names_of(frame)])
    series = {name: frame[key] for name, key in zip(names, names_of(frame), strict=True)}
    columns = flat_columns(names, wanted, lambda name: _of_series(series[name], name, where, name in text))
    return _table(columns, where, "frame")


def flat_columns(
    names: Sequence[str], wanted: frozenset[str] | None, column: Callable[[str], Array]
) -> dict[str, Array]:
    """Return columns by their names, but for those that are not wanted and hold no single values."""
    found = {}
    for name in names:
        try:
            found[name] = column(name)
        except DataError:
            if wanted is None or name in wanted or not wanted <= set(names):
                raise
    return found


def _table(columns: dict[str, Array], where: str, format: str) -> Table:
    found = Table(where, format, columns)
    if not len(found):
        raise DataError(f"{where}: columns, and no row; at least one row expected")
    return found


def _checked(where: str, names: Any) -> list[str]:
    known = [str(name) for name in names]
    if not known:
        raise DataError(f"{where}: no column; at least one expected")
    for name, number in Counter(known).items():
        if not name.strip():
            raise DataError(f"{where}: a column without a name; give it one, or drop the column")
        if number > 1:
            raise DataError(f"{where}: {number} columns are called {name!r}; rename them")
    return known


def _joined(parts: list[Array]) -> Array:
    if len({part.dtype.kind for part in parts}) > 1:  # a run of missing values, or of numbers that floats can hold
        parts = [written(part) for part in parts]
    return np.concatenate(parts)


def _is_flat(kind: Any) -> bool:
    """Tell whether a column of a type of Arrow holds numbers, texts, or what is written as such."""
    kind = str(getattr(kind, "value_type", kind) if str(kind).startswith("dictionary") else kind)
    return kind.startswith((*_NUMBERS, "decimal", *_CAST, _DURATION)) or kind == "null" or kind in _TEXTS


def _check_type(kind: Any, name: str, where: str, others: Sequence[str] = ()) -> None:
    """Refuse a column of values that are neither numbers nor texts."""
    if not _is_flat(kind):
        raise DataError(
            f"{where}, column {name!r}: values of the type {kind}; numbers, texts, dates, true and false expected: "
            f"leave the column out{naming(others)}, or convert it"
        )


def naming(columns: Sequence[str]) -> str:
    """Say how to take some columns only."""
    if not 0 < len(columns) <= _SHOWN or any("," in name for name in columns):
        return " by naming the others (--columns, columns= in Python)"
    return f" by naming the others: --columns {shlex.quote(','.join(columns))} (columns={list(columns)!r} in Python)"


def _of_arrow(column: Any, name: str, where: str, pool: dict[Any, Any] | None = None) -> Array:
    if str(column.type).startswith("dictionary"):
        return _of_dictionary(column, name, where, {} if pool is None else pool)
    kind = str(column.type)
    if kind.startswith(("int", "uint")):
        whole = column.drop_null() if column.null_count else column
        if whole_column(whole.to_numpy(zero_copy_only=False)).dtype.kind == "O":
            return texts_of(column.cast("string").to_pylist())
    if kind.startswith(_NUMBERS):
        found = column.to_numpy(zero_copy_only=False)
        return np.asarray(found, dtype=np.float32 if kind in ("float", "halffloat") else np.float64)
    if kind.startswith("decimal"):
        return np.asarray(column.cast("float64").to_numpy(zero_copy_only=False), dtype=np.float64)
    if kind == "null":
        return np.full(len(column), np.nan)
    _check_type(column.type, name, where)
    return texts_of(_as_pandas_writes(column) if kind.startswith(_DURATION) else column.cast("string").to_pylist())


def _as_pandas_writes(durations: Any) -> list[str | None]:
    """Return durations as texts such as '-1 days +22:30:00', as they stand in a CSV file, too."""
    found: list[str | None] = []
    for value in durations.to_numpy(zero_copy_only=False).astype("timedelta64[us]").astype(object):
        if value is None:
            found.append(None)
            continue
        minutes, seconds = divmod(value.seconds, 60)
        clock = f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}.{value.microseconds:06}"
        found.append(f"{value.days} days {'+' if value.days < 0 else ''}{clock}")
    return found


def _of_dictionary(column: Any, name: str, where: str, pool: dict[Any, Any]) -> Array:
    """Return values of which equal ones are stored once; they stay shared, with those of other batches in the pool."""
    if hasattr(column, "chunks"):
        return _joined([_of_dictionary(chunk, name, where, pool) for chunk in column.chunks])
    places = column.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    values = _of_arrow(column.dictionary, name, where)
    if values.dtype.kind == "O":
        values = objects([pool.setdefault(value, value) for value in values])
    gap = np.full(1, np.nan, values.dtype) if values.dtype.kind == "f" else np.full(1, None, dtype=object)
    found: Array = np.concatenate([values, gap])[places]
    return found


def _of_series(series: Any, name: str, where: str, text: bool) -> Array:
    dtype = getattr(series, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "iu":
        return whole_column(np.asarray(series))
    if isinstance(dtype, np.dtype) and dtype.kind == "f":
        return np.array(series, dtype=np.float32 if dtype.kind == "f" and dtype.itemsize <= 4 else np.float64)
    values = series.to_list() if hasattr(series, "to_list") else list(series)

    def error(row: int, name: str, message: str) -> DataError:
        return DataError(f"{where}, row {row + 1:,}, column {name!r}: {message}")

    return column_of(values, name, error, text=text)
