"""Columns that say where a row stands rather than what it is: names and running numbers, groups, and time.

    numbers the rows     whole numbers, one after the other, each once
    runs on              whole numbers from 0 or 1 that stay or grow by one from row to row
    is called an id      whole numbers with many values, in a column that is called as names of rows are
    names a group        equal whole numbers of it go with equal values of many other columns

None of these makes two objects alike, so that what objects look like is asked without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gramian.checks import Array
from gramian.intake.dataset import Dataset
from gramian.intake.guesses import may_name_rows

LEAST = 20  # objects
WIDE = 60  # columns among which groups are looked for
TIMES = 8  # different dates or numbers, at least, that order rows
GROUPED = 20_000  # rows by which groups are looked for
AGREE = 3  # columns, and a third of all, that never differ within a group
CHANCE = 1e-6  # that a column never does though it has nothing to do with the groups
SHARED = 10  # rows a value at most, of an id that names what several rows are of


def numbering(data: Dataset) -> tuple[str, ...]:
    """Return the columns of numbers that only number or name rows, or what these are of; none if there is no other."""
    if data.kind not in ("vectors", "records") or len(data) < LEAST:
        return ()
    names = [name for name in data.recipe.columns if data.recipe.kinds[name] == "number"]
    whole = [name for name in names if _whole(data.column(name))]
    if not whole:
        return ()
    group = in_groups(data, np.arange(len(data)))
    found = [
        name
        for name in whole
        if numbered(data, name)
        or _counts_on(data.column(name))
        or _is_called_id(name, data.column(name))
        or (group is not None and group.column == name)
    ]
    return tuple(found) if len(found) < len(data.recipe.columns) else ()


def _whole(values: Array) -> bool:
    return bool(np.isfinite(values).all() and not np.any(values % 1))


def _counts_on(values: Array) -> bool:
    steps = np.diff(values)
    return bool(values[0] in (0, 1) and np.isin(steps, (0, 1)).all() and steps.sum() >= TIMES)


def _is_called_id(name: str, values: Array) -> bool:
    many = len(np.unique(values))
    return (
        may_name_rows(name)
        and not name.lower().endswith((" index", "_index"))
        and many >= max(TIMES, len(values) / SHARED)
    )


def left_apart(names: Sequence[str]) -> str:
    """Say which columns have no part in what objects look like; an empty sentence where all have."""
    if not names:
        return ""
    called = [f"“{name}”" for name in names]
    what = called[0] if len(names) == 1 else f"{', '.join(called[:-1])} and {called[-1]}"
    one = len(names) == 1
    return (
        f"{what} only {'numbers' if one else 'number'} rows, or what they are of, and {'has' if one else 'have'} no "
        "part in this."
    )


def numbered(data: Dataset, name: str) -> bool:
    """Tell whether a column of whole numbers counts the rows; the days of dates that follow each other do not."""
    values = data.column(name)
    if (
        data.recipe.kinds.get(name) == "date"
        or values.dtype.kind != "f"
        or len(values) < LEAST
        or np.isnan(values).any()
    ):
        return False
    if data.places is not None and np.ptp(values - data.places) == 0:  # though some rows may be left out
        return True
    return bool(np.ptp(values) == len(values) - 1 and len(np.unique(values)) == len(values) and not np.any(values % 1))


class Group(NamedTuple):
    """A column whose equal values seem to name one and the same thing, and the columns that never differ within one."""

    column: str
    agree: tuple[str, ...]


def in_groups(data: Dataset, distinct: Array) -> Group | None:
    """Return what the objects seem to belong to: patients seen several times, say, who keep their sex and age.

    Equal values of it go with equal ones of many other columns, by more than chance. Copies would always do that, so
    that `distinct` rows are asked.
    """
    if data.group is not None or data.kind not in ("vectors", "records") or not data.columns:
        return None
    rows = distinct[:GROUPED]
    names = [name for name in (*data.recipe.columns, *data.others) if name != data.target][:WIDE]
    codes = {name: _codes(data.column(name)[rows]) for name in names}
    found = [Group(name, _agreeing(name, codes)) for name in names if _may_name(data.column(name)[rows], codes[name])]
    best = max(found, key=lambda one: len(one.agree), default=None)
    return best if best is not None and len(best.agree) >= max(AGREE, (len(names) - 1) / 3) else None


def _codes(values: Array) -> Array:
    words = values if values.dtype.kind == "f" else np.array([str(one) for one in values.tolist()])
    return np.asarray(np.unique(words, return_inverse=True)[1])


def _may_name(values: Array, codes: Array) -> bool:
    """Tell whether a column may name things: some values, not fractions, are there again and again."""
    many = int(codes.max(initial=0)) + 1
    whole = values.dtype.kind != "f" or not np.any(values[np.isfinite(values)] % 1)
    return whole and many >= TIMES and len(codes) - many >= max(TIMES, len(codes) / 20)


def _agreeing(name: str, codes: dict[str, Array]) -> tuple[str, ...]:
    """Return the columns that never differ where one has equal values, though chance would let them differ."""
    own = codes[name]
    first = np.unique(own, return_index=True)[1][own]
    again = len(own) - int(own.max()) - 1
    agree = []
    for other, values in codes.items():
        alike = float(np.square(np.bincount(values) / len(values)).sum())  # how often two rows agree by chance
        if other != name and again * np.log(alike) < np.log(CHANCE) and np.array_equal(values[first], values):
            agree.append(other)
    return tuple(agree)


def in_time(data: Dataset) -> str | None:
    """Return the column by which time seems to order the objects: dates, or numbers that the rows are sorted by."""
    if data.kind == "nodes" or not data.columns:
        return None
    known = {*data.recipe.columns, *data.others} - {data.group}
    dates = [one.name for one in data.columns if one.kind == "date" and one.distinct >= TIMES and one.name in known]
    return next(iter(dates), None) or next(
        (one.name for one in data.columns if one.name in known and runs_on(data, one.name)), None
    )


def rows_a_value(data: Dataset, name: str) -> float:
    """Return how many rows a value of a running number has, as a rule; 1 of dates, which many things may share."""
    if data.recipe.kinds.get(name) == "date" or any(one.name == name and one.kind == "date" for one in data.columns):
        return 1.0
    return float(np.median(np.unique(data.column(name), return_counts=True)[1]))


def runs_on(data: Dataset, name: str) -> bool:
    """Tell whether the rows are sorted by the numbers of a column."""
    values = data.column(name)
    if values.dtype.kind != "f" or np.isnan(values).any() or len(np.unique(values)) < TIMES:
        return False
    steps = np.diff(values)
    return bool(np.all(steps >= 0) or np.all(steps <= 0))
