"""Objects as a table: what their columns are called, what each holds, and the same objects with one column changed.

A matrix, a data frame (pandas, polars), an array of records or a list of them (dictionaries, named tuples, tuples,
dataclasses) answers the same four questions here, so that whoever asks what a column matters to need not know which of
them it is. What is handed back is of the kind that came in, for the model that is asked about it.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import scipy.sparse

from gramian.checks import Array, at_hand, is_sparse
from gramian.intake.guesses import few_different
from gramian.kernels.strings.sequences import is_missing
from gramian.learn.sklearn_private import count_objects, take_rows

Kind: TypeAlias = Literal["number", "category", "text"]


class Fields(ABC):
    """Objects with columns: `names` of these, their `values`, and the objects with other values `put` in one."""

    X: Any
    names: tuple[Hashable, ...]

    def __init__(self, X: Any) -> None:
        self.X = X
        self.names = self._names()
        if len(set(self.names)) < len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise ValueError(f"X has several columns {twice!r}; one expected: rename them")

    def __len__(self) -> int:
        return count_objects(self.X)

    @abstractmethod
    def _names(self) -> tuple[Hashable, ...]:
        """Return what the columns are called."""

    @abstractmethod
    def values(self, name: Hashable) -> Array:
        """Return one column: numbers, or an array of objects."""

    @abstractmethod
    def put(self, name: Hashable, values: Array) -> Any:
        """Return the objects with these values in one column."""

    def take(self, rows: Array) -> Fields:
        """Return the objects at the given places, some perhaps several times."""
        return type(self)(take_rows(self.X, rows))

    def called(self, given: Sequence[str] | None = None) -> dict[Hashable, str]:
        """Return what a person is told of each column: names that were given, its own, or its number."""
        if given is not None and len(given) != len(self.names):
            raise ValueError(f"names are {len(given)}, and X has {len(self.names)} columns: one for each expected")
        own = [f"column {name}" if isinstance(name, int) else str(name) for name in self.names]
        return dict(zip(self.names, own if given is None else map(str, given), strict=True))

    def named(self, column: Any) -> Hashable:
        """Return the name of a column that a user has asked for, by its name or its place."""
        if column in self.names:
            return cast(Hashable, column)
        if isinstance(column, int | np.integer) and -len(self.names) <= column < len(self.names):
            return self.names[int(column)]
        known = ", ".join(repr(name) for name in self.names[:12]) + (" …" if len(self.names) > 12 else "")
        raise ValueError(f"X has no column {column!r}; it has {known}")

    def kind(self, name: Hashable) -> Kind:
        """Tell whether a column holds numbers, categories or texts."""
        return kind_of(self.values(name))


def kind_of(values: Array) -> Kind:
    """Tell whether values are numbers; if not, whether few of them differ, as those of categories do.

    >>> kind_of(np.array([1.5, 2.0])), kind_of(np.array(["a", "b"] * 9, object))
    ('number', 'category')
    """
    if values.dtype.kind in "fiu":
        return "number"
    if values.dtype.kind == "b":
        return "category"
    try:
        different = len(set(values.tolist()))
    except TypeError:  # lists of tokens
        return "text"
    return "category" if few_different(different, len(values)) else "text"


class Matrix(Fields):
    """A two-dimensional array, whose columns are called by their places."""

    def _names(self) -> tuple[Hashable, ...]:
        return tuple(range(self.X.shape[1]))

    def values(self, name: Hashable) -> Array:
        return as_column(self.X[:, name].tolist()) if self.X.dtype == object else self.X[:, name]

    def put(self, name: Hashable, values: Array) -> Any:
        changed = self.X.copy()
        changed[:, name] = values
        return changed


class Sparse(Matrix):
    """A sparse array."""

    def values(self, name: Hashable) -> Array:
        return np.asarray(self.X[:, [name]].toarray()).ravel()

    def put(self, name: Hashable, values: Array) -> Any:
        place = cast(int, name)
        column = type(self.X.tocsc())(np.asarray(values)[:, None])
        parts = [self.X[:, :place], column, self.X[:, place + 1 :]]
        return type(self.X.tocsr())(scipy.sparse.hstack(parts, format="csr"))


class Structured(Fields):
    """An array of records."""

    def _names(self) -> tuple[Hashable, ...]:
        return tuple(self.X.dtype.names)

    def values(self, name: Hashable) -> Array:
        return as_column(self.X[name].tolist()) if self.X.dtype[name].kind == "O" else np.asarray(self.X[name])

    def put(self, name: Hashable, values: Array) -> Any:
        changed = self.X.copy()
        changed[name] = values
        return changed


class Frame(Fields):
    """A data frame, of pandas or polars."""

    def _names(self) -> tuple[Hashable, ...]:
        return tuple(self.X.columns)

    def values(self, name: Hashable) -> Array:
        column = self.X[name]
        return as_column(column.to_list() if hasattr(column, "to_list") else list(column))

    def put(self, name: Hashable, values: Array) -> Any:
        column = self.X[name]
        if hasattr(self.X, "with_columns"):
            return self.X.with_columns(type(column)(name, values.tolist(), dtype=column.dtype, strict=False))
        changed = self.X.copy()
        changed[name] = values
        if not isinstance(column.dtype, np.dtype):  # categories stay categories
            changed[name] = changed[name].astype(column.dtype)
        return changed


class Records(Fields):
    """A list of records: dictionaries, named tuples, tuples or lists of one length, dataclasses."""

    def _names(self) -> tuple[Hashable, ...]:
        first = self.X[0]
        if isinstance(first, Mapping):
            return tuple(first)
        if dataclasses.is_dataclass(first):
            return tuple(field.name for field in dataclasses.fields(first))
        return getattr(first, "_fields", tuple(range(len(first))))

    def values(self, name: Hashable) -> Array:
        return as_column([_get(record, name) for record in self.X])

    def put(self, name: Hashable, values: Array) -> Any:
        return [_set(record, name, value) for record, value in zip(self.X, values.tolist(), strict=True)]


def _get(record: Any, name: Any) -> Any:
    if isinstance(record, Mapping):
        return record[name]
    return record[name] if isinstance(name, int) else getattr(record, name)


def _set(record: Any, name: Any, value: Any) -> Any:
    if isinstance(record, Mapping):
        return {**record, name: value}
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        return dataclasses.replace(record, **{name: value})
    if hasattr(record, "_replace"):
        return record._replace(**{name: value})
    return type(record)([*record[:name], value, *record[name + 1 :]])


def as_column(items: Sequence[Any]) -> Array:
    """Return a column as numbers where it holds nothing else, as an array of objects otherwise."""
    if all(isinstance(item, bool | np.bool_) for item in items):
        return np.array(items, dtype=bool)
    if all(isinstance(item, int | float | np.number) and not isinstance(item, bool) for item in items):
        return np.asarray(items)
    column = np.empty(len(items), dtype=object)
    for place, item in enumerate(items):
        column[place] = None if is_missing(item) else item
    return column


def fields_of(X: Any, model: Any = None) -> Fields:
    """Return objects as a table, and refuse those that have no columns.

    Parameters
    ----------
    X : array, data frame or records
    model : estimator, optional
        Whose kernel says whether objects that may be anything, such as lists, are records or sequences.
    """
    at_hand(X)
    traits = getattr(getattr(model, "kernel", None), "traits", None)
    sequences = traits is not None and not traits.on_vectors and not traits.by_name
    if not sequences:
        if is_sparse(X):
            return Sparse(X.tocsr())
        if hasattr(X, "columns") and hasattr(X, "__getitem__") and hasattr(X, "__len__"):
            return Frame(X)
        if isinstance(X, np.ndarray) and X.ndim == 2:
            return Matrix(X)
        if isinstance(X, np.ndarray) and X.dtype.names:
            return Structured(X)
        if isinstance(X, list | tuple) and len(X) and _are_records(X):
            return Records(X)
    what = type(X[0]).__name__ if isinstance(X, list | tuple) and len(X) else type(X).__name__
    raise TypeError(
        f"X holds objects without columns ({what}), and an answer in columns was asked for; an array, a data frame or "
        "records expected. Of strings and documents model.feature_weights() tells which substrings or words speak for "
        "what"
    )


def _are_records(X: Sequence[Any]) -> bool:
    first = X[0]
    if isinstance(first, Mapping) or dataclasses.is_dataclass(first):
        return True
    return isinstance(first, tuple | list) and len({len(record) for record in X}) == 1
