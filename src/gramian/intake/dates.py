"""Dates and times as people write them, and the numbers they are: days since 1970-01-01, hours since midnight.

    iso       2020-02-13, 2020-02-13 13:45, 2020-02-13T13:45:00+01:00
    ymd/      2020/02/13; with points or hyphens ymd. and ymd-
    dmy/      13/02/2020, 13/2/20; likewise dmy. and dmy-
    mdy/      02/13/2020; likewise mdy. and mdy-
    dby       13 Feb 2020, 13-Feb-20, Thu, 13th February 2020
    bdy       Feb 13, 2020
    time      13:45, 13:45:30, 1:45 pm

All but the last may have a time behind them. A column is read as a whole: one entry such as 13/02/2020 tells that the
day comes first in all of them. Years of two digits are those from 1969 to 2068.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence

import numpy as np

from gramian.checks import Array

TIME = "time"
_EPOCH = datetime.datetime(1970, 1, 1)
_DAY = datetime.timedelta(days=1)
_HOUR = datetime.timedelta(hours=1)
_PIVOT = 69  # the first year of two digits that is one of the last century

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?")
_CLOCK = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.(?P<part>\d{1,9}))?)?(?: ?(?P<half>[ap])\.?m\.?)?"
)
_THEN = rf"(?:(?:,? |T){_CLOCK})?"
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? )?"
_MONTH = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {name: number for number, name in enumerate(_NAMES.split(), start=1)}
_NTH = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern + _THEN, re.IGNORECASE | re.ASCII)


def _year_first(mark: str) -> re.Pattern[str]:
    return _compiled(rf"(?P<year>\d{{4}}){mark}(?P<month>\d{{1,2}}){mark}(?P<day>\d{{1,2}})")


def _year_last(first: str, second: str, mark: str) -> re.Pattern[str]:
    """Return the pattern of a date whose year comes last, with two digits between slashes only: 1.2.20 is a version."""
    year = r"\d{4}|\d{2}" if mark == "/" else r"\d{4}"
    return _compiled(rf"(?P<{first}>\d{{1,2}}){mark}(?P<{second}>\d{{1,2}}){mark}(?P<year>{year})")


_PATTERNS = {
    **{f"ymd{mark}": _year_first(re.escape(mark)) for mark in "/.-"},
    **{f"dmy{mark}": _year_last("day", "month", re.escape(mark)) for mark in "/.-"},
    **{f"mdy{mark}": _year_last("month", "day", re.escape(mark)) for mark in "/.-"},
    "dby": _compiled(rf"{_WEEKDAY}{_NTH}(?P<mark>[ /-]?){_MONTH}(?P=mark),? ?(?P<year>\d{{4}}|(?<=[-/])\d{{2}})"),
    "bdy": _compiled(rf"{_WEEKDAY}{_MONTH} {_NTH},? (?P<year>\d{{4}})"),
}
_TIME = re.compile(_CLOCK, re.IGNORECASE | re.ASCII)


def numbers_in(style: str, texts: Sequence[str]) -> Array | None:
    """Return the numbers that dates or times of one style are, or None where a text is none of that style.

    Examples
    --------
    >>> numbers_in("dmy/", ["13/02/2020", "01/03/2020"])
    array([18305., 18322.])
    >>> numbers_in("mdy/", ["13/02/2020"]) is None
    True
    >>> numbers_in("time", ["13:45", "1:45 am"])
    array([13.75,  1.75])
    """
    read = _READERS[style]
    found = np.empty(len(texts))
    for place, text in enumerate(texts):
        value = read(text)
        if value is None:
            return None
        found[place] = value
    return found


def style_of(texts: Sequence[str], first: str = "") -> tuple[str, bool] | None:
    """Return the style in which all texts are dates, and whether the day and the month could be exchanged.

    `first` says which comes first, "day" or "month", where that is known; else the day does unless an entry tells.

    Examples
    --------
    >>> style_of(["13/02/2020", "01/02/2020"]), style_of(["02/13/2020", "01/02/2020"])
    (('dmy/', False), ('mdy/', False))
    >>> style_of(["03/02/2020", "01/02/2020"]), style_of(["03/02/2020", "2020-02-01"])
    (('dmy/', True), None)
    """
    if not texts or not any(letter.isdigit() for letter in texts[0]):
        return None
    style = next((style for style in _READERS if _fits(style, texts, first)), None)
    if style is None or style == TIME:
        return None
    turned = f"mdy{style[3:]}"
    exchanged = numbers_in(turned, texts) if style.startswith("dmy") and not first else None
    return style, exchanged is not None and bool((exchanged != numbers_in(style, texts)).any())


def _fits(style: str, texts: Sequence[str], first: str) -> bool:
    if (first == "day" and style.startswith("mdy")) or (first == "month" and style.startswith("dmy")):
        return False
    read = _READERS[style]
    return all(read(text) is not None for text in texts)


def iso_of(days: float) -> str:
    """Return a number of days as a date, with the time if it is not midnight."""
    try:
        found = _EPOCH + days * _DAY
    except OverflowError:
        return f"day {days:g}"
    return found.date().isoformat() if found.time() == datetime.time() else found.isoformat(timespec="seconds", sep=" ")


def _iso_day(text: str) -> float | None:
    if not _ISO.fullmatch(text):
        return None
    try:
        found = datetime.datetime.fromisoformat(text)
        if found.tzinfo is not None:
            found = found.astimezone(datetime.UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
    return (found - _EPOCH) / _DAY


def _day_of(style: str, text: str) -> float | None:
    found = _PATTERNS[style].fullmatch(text)
    if found is None:
        return None
    parts = found.groupdict()
    month = _MONTHS[parts["name"][:3].lower()] if "name" in parts else int(parts["month"])
    try:
        day = datetime.datetime(_full_year(parts["year"]), month, int(parts["day"]))
    except ValueError:
        return None
    hours = 0.0 if parts["hour"] is None else _hours(found)
    return None if hours is None else (day - _EPOCH) / _DAY + hours / 24


def _full_year(digits: str) -> int:
    year = int(digits)
    return year if len(digits) == 4 else year + (1900 if year >= _PIVOT else 2000)


def _hours(found: re.Match[str]) -> float | None:
    """Return the time of day that a pattern has found, in hours."""
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    half = (found["half"] or "").lower()
    if (half and not 1 <= hour <= 12) or hour > 23 or minute > 59 or second > 59:
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    part = float(f"0.{found['part']}") if found["part"] else 0.0
    return datetime.timedelta(hours=hour, minutes=minute, seconds=second + part) / _HOUR


def _hours_of(text: str) -> float | None:
    found = _TIME.fullmatch(text)
    return None if found is None else _hours(found)


def _reader(style: str) -> Callable[[str], float | None]:
    return lambda text: _day_of(style, text)


_READERS: dict[str, Callable[[str], float | None]] = {
    "iso": _iso_day,
    TIME: _hours_of,
    **{style: _reader(style) for style in _PATTERNS},
}
STYLES = tuple(_READERS)
