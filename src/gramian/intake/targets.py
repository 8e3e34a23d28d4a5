"""What is to be learnt: the target among the columns, as classes or as numbers, for the rows that have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.intake.errors import DataError, counted, shortened
from gramian.intake.guesses import KINDS, target_of, task_of
from gramian.intake.recipe import left_out
from gramian.intake.table import Table, absent, check_range, objects, written

AIMS = ("classes", "numbers")
_SMALLEST = 1e-150  # difference of numbers whose square is one
_LABEL = 200  # characters of the name of a class


def asked_kinds(kinds: Mapping[str, str] | None, target: str | None) -> dict[str, str]:
    """Return the kinds that columns are said to have, after a look at whether there are such kinds."""
    asked = dict(kinds or {})
    for name, kind in asked.items():
        allowed = (*KINDS, *AIMS) if name == target or target is None else KINDS
        if kind not in allowed:
            raise DataError(f"kinds: column {name!r} is said to be {kind!r}; one of {', '.join(allowed)} expected")
    return asked


def given_values(y: Any) -> Array:
    """Return a target in memory as a flat array, None where it is not known."""
    if hasattr(y, "to_list"):
        y = y.to_list()
    if isinstance(y, np.ndarray) and y.dtype.kind != "O":
        return y
    try:
        return objects(list(y))
    except TypeError:
        raise DataError(
            f"y is a {type(y).__name__}; one value for each object, or the name of a column expected"
        ) from None


def rows_with_target(table: Table, target: str) -> tuple[Table, Array, list[str]]:
    """Return the rows that have a value in the target, and where they stood."""
    gaps = absent(table.columns[target])
    rows = np.flatnonzero(~gaps)
    if not len(rows):
        raise DataError(f"{table.where}: the target {target!r} has no value in any row; another column expected")
    if len(rows) == len(table):
        return table, rows, []
    return table.take(rows), rows, [left_out(len(gaps) - len(rows), len(gaps), f"the target {target!r}")]


def learnt_of(table: Table, target: str, kind: str | None) -> tuple[Array, str, list[str]]:
    """Return what is to be learnt of rows that all have it, as classes or numbers, and notes on that."""
    task = task_of(table, target, kind)
    y = target_of(table, target, task)
    if task == "numbers":
        check_range(table, target, y)
        if 0 < np.ptp(y) < _SMALLEST:
            raise DataError(
                f"{table.where}: the numbers of the target {target!r} differ by less than {_SMALLEST:g}, and their "
                "squares vanish; other units expected"
            )
    distinct = len(np.unique(y))
    if distinct == 1:
        value = shortened(written(y[:1])[0] if task == "numbers" else str(y[0]), 40)
        raise DataError(f"{table.where}: the target {target!r} is {value} in every row; at least two values expected")
    said = ", as asked for" if kind else ""
    if task == "numbers":
        return y, task, [f"The target {target!r} is taken as numbers{said}."]
    if distinct == len(y):
        raise DataError(
            f"{table.where}: the target {target!r} has a value of its own in every row, so there are no classes to "
            "learn; another target expected"
        )
    if max(map(len, y.tolist())) > _LABEL:
        raise DataError(
            f"{table.where}: the target {target!r} holds texts of more than {_LABEL} letters; names of classes expected"
        )
    notes = [f"The target {target!r} has {distinct:,} different values, which are taken as classes{said}."]
    if single := [label for label, number in Counter(y.tolist()).items() if number == 1]:
        some = ", ".join(repr(label) for label in single[:3]) + (" …" if len(single) > 3 else "")
        notes.append(f"{counted(len(single), 'class has', 'classes have')} a single object: {some}.")
    return y, task, notes
