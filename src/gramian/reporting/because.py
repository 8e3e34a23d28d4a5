"""Why an object is unusual, in the words of its columns: what it has, and what objects like it usually have.

The reasons are those of `NoveltyDetector.explain`: the columns whose replacement brings the object nearest to the
centre, given all others; of strings and documents the features that are the largest terms of its distance. A value that
stands in for a missing one is told as missing, and dates are told as dates.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gramian.checks import Array, is_sparse
from gramian.intake.dates import iso_of
from gramian.intake.errors import shortened
from gramian.learn.novelty import NoveltyDetector
from gramian.learn.unusual import Reason
from gramian.reporting.blocks import alike, number
from gramian.reporting.study import Study

TYPICAL = 2000  # objects by which is told what is usual
WIDE = 500  # columns up to which each is replaced
LONGEST = 30  # letters of a value that are told
DIGITS = 4


class Because(NamedTuple):
    """A column in which an object is unusual: its value, and the range or the values that are usual there."""

    column: str
    value: Any
    usual: list[Any]


def because(study: Study, detector: NoveltyDetector, rows: Array) -> list[list[Because]]:
    """Return for each row the two or three columns, or features, that make it unusual; nothing where none can be told.

    Nodes of a graph have neither, and vectors of very many columns would take too long.
    """
    data = study.data
    names = data.recipe.columns if data.kind in ("vectors", "records") else ()
    if data.kind == "nodes" or is_sparse(data.X) or len(names) > WIDE or not len(rows):
        return [[] for _ in rows]
    named = list(names) if names else None
    sample = study.objects(study.some(TYPICAL)) if names else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = detector.explain(study.objects(rows), 3, sample, named)
        except (TypeError, ValueError):  # a kernel whose features have no names
            return [[] for _ in rows]
    return [
        [_told(study, row, one) for one in explained.reasons]
        for row, explained in zip(rows.tolist(), found, strict=True)
    ]


def _told(study: Study, row: int, reason: Reason) -> Because:
    data = study.data
    if reason.column in data.gaps and data.gaps[reason.column][row]:
        return Because(reason.column, None, list(reason.usual))
    if data.recipe.kinds.get(reason.column) == "date":
        return Because(reason.column, iso_of(reason.value), dates_like(reason.value, reason.usual))
    return Because(reason.column, reason.value, list(reason.usual))


def dates_like(value: float, days: Sequence[float]) -> list[str]:
    """Return days as dates, with the time of day only where a value has one."""
    return [iso_of(float(np.round(day)) if value % 1 == 0 else day) for day in days]


def wording(reasons: list[Because]) -> str:
    """Return reasons that are words or substrings, of which an object has too many, too few or none.

    Examples
    --------
    >>> wording([Because("gattaca", 0.26, [0.0, 0.0]), Because("union", 0.0, [0.1, 0.3])])
    'has “gattaca”, as few do; lacks “union”'
    >>> wording([Because("war", 3.0, [0.0, 1.0])])
    'more “war” than usual'
    """
    told = []
    for one in reasons:
        value, least, most = float(one.value), float(min(one.usual, default=0)), float(max(one.usual, default=0))
        much = "more" if value > most else "less" if value < least else "much" if value else "no"
        how = f"{much} “{one.column}”{' than usual' if much in ('more', 'less') else ''}"
        how = f"has “{one.column}”, as few do" if most == 0 < value else how
        told.append(f"lacks “{one.column}”" if value == 0 < least else how)
    return "; ".join(told)


def phrase(reasons: list[Because], within: str = "rare with the rest, though within") -> str:
    """Return reasons in words; `within` is what is said of a number that is as usual by itself.

    Examples
    --------
    >>> phrase([Because("petal length", 6.9, [1.3, 1.7]), Because("color", "blue", ["red"])])
    'petal length 6.9, usual 1.3 to 1.7; color “blue”, usual “red”'
    >>> phrase([Because("day", "2012-01-08", ["2012-06-05", "2015-08-27"])])
    'day 2012-01-08, usual 2012-06-05 to 2015-08-27'
    """
    return "; ".join(_phrase(one, within) for one in reasons)


def _phrase(one: Because, within: str) -> str:
    value = "missing" if one.value is None else _short(one.value)
    ends = list(map(_short, one.usual))
    if _is_number(one.value) and all(map(_is_number, one.usual)):
        value, *ends = alike([one.value, *one.usual], DIGITS)
    dates = len(one.usual) == 2 and all(map(_is_date, one.usual))
    if dates or (len(one.usual) == 2 and all(map(_is_number, one.usual))):
        low, high = one.usual
        usual = ends[0] if low == high else " to ".join(ends)
        if not (_is_date if dates else _is_number)(one.value) or not low <= one.value <= high:
            return f"{one.column} {value}, usual {usual}"
        where = "at the edge of" if one.value in (low, high) else within
        return f"{one.column} {value}, {where} the usual {usual}"
    others = [other for other in one.usual if other != one.value]
    if len(others) < len(one.usual):
        return f"{one.column} {value}, rare with the rest{f', where {_listed(others)} is as usual' if others else ''}"
    return (
        f"{one.column} {value}, usual {_listed(others)}"
        if others
        else f"{one.column} {value}, which nothing like it has"
    )


def _listed(values: list[Any]) -> str:
    return " or ".join(map(_short, values))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _is_date(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?", value) is not None


def _short(value: Any) -> str:
    if _is_date(value):
        return str(value)
    return number(float(value), DIGITS) if _is_number(value) else f"“{shortened(str(value), LONGEST)}”"
