"""What lies in memory as raw columns, or as a graph: arrays, lists, records, data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gramian.checks import Array, at_hand, is_sparse
from gramian.intake.arrays import lone_objects, table_of
from gramian.intake.columnar import flat_columns, frame_table
from gramian.intake.errors import DataError, shortened
from gramian.intake.rows import is_table
from gramian.intake.table import Network, Table, column_of
from gramian.kernels.graphs.graph import Graph

_WHERE = "X"


def raw_of(X: Any, text: frozenset[str] = frozenset(), wanted: frozenset[str] | None = None) -> Table | Network:
    """Return a collection of objects as a table, or a graph as the network of its nodes.

    Columns named in `text` may mix numbers and strings, and become strings. Where some are wanted, others may hold
    what is no single value, and are left out then.
    """
    at_hand(X)
    if isinstance(X, Graph) or (hasattr(X, "is_directed") and hasattr(X, "edges")):
        return _network(X)
    if is_sparse(X):
        raise DataError(f"{_WHERE} is a sparse array; a dense one expected: pass {_WHERE}.toarray()")
    if is_table(X):
        return frame_table(X, _WHERE, text, wanted)
    if isinstance(X, np.ndarray):
        return table_of(_unmasked(X), _WHERE, "array") if X.dtype.kind != "O" else _listed(X.tolist(), text, wanted)
    if hasattr(X, "to_list") and hasattr(X, "dtype"):
        return _listed(X.to_list(), text, wanted)
    if isinstance(X, Sequence) and not isinstance(X, str | bytes):
        return _listed(list(X), text, wanted)
    raise DataError(
        f"{_WHERE} is a {type(X).__name__}; an array, a list of strings or records, a data frame or a graph expected"
    )


def _unmasked(X: Array) -> Array:
    if not isinstance(X, np.ma.MaskedArray):
        return X
    if X.dtype.kind not in "fiub":
        raise DataError(f"{_WHERE} is a masked array of {X.dtype}; numbers expected where entries are masked")
    return np.where(np.ma.getmaskarray(X), np.nan, X.data.astype(np.float64))


def _network(X: Any) -> Network:
    try:
        graph = X if isinstance(X, Graph) else Graph(X)
    except (TypeError, ValueError) as error:
        raise DataError(f"{_WHERE}: {error}") from None
    return Network(_WHERE, "graph", graph)


def _listed(items: list[Any], text: frozenset[str], wanted: frozenset[str] | None) -> Table:
    if not items:
        raise DataError(f"{_WHERE} is empty; at least one object expected")
    if all(isinstance(item, str) for item in items):
        return lone_objects(items, _WHERE, "list")
    records = [_record(item) for item in items]
    if all(record is not None for record in records):
        return _of_records([record for record in records if record is not None], text, wanted)
    try:
        A = np.asarray(items, dtype=np.float64)
    except (TypeError, ValueError):
        wrong = next((item for item in items if not isinstance(item, str)), items[0])
        raise DataError(
            f"{_WHERE} holds {shortened(repr(wrong), 40)}, a {type(wrong).__name__}; strings, records or "
            "rows of numbers, all of one kind, expected"
        ) from None
    return table_of(A, _WHERE, "list")


def _record(item: Any) -> Mapping[str, Any] | None:
    if isinstance(item, Mapping):
        return item
    if isinstance(item, tuple) and hasattr(item, "_asdict"):
        return dict(item._asdict())
    return None


def _of_records(records: list[Mapping[str, Any]], text: frozenset[str], wanted: frozenset[str] | None) -> Table:
    names = list(dict.fromkeys(str(name) for record in records for name in record))
    if not names:
        raise DataError(f"{_WHERE} holds records without fields; at least one field expected")

    def error(row: int, name: str, message: str) -> DataError:
        return DataError(f"{_WHERE}, row {row + 1:,}, column {name!r}: {message}")

    plain = [{str(name): value for name, value in record.items()} for record in records]

    def column(name: str) -> Array:
        return column_of([record.get(name) for record in plain], name, error, text=name in text)

    return Table(_WHERE, "list", flat_columns(names, wanted, column))
