"""Dates and times as people write them, and the numbers they are: days since 1970-01-01, hours since midnight.

    iso       2020-02-13, 2020-02-13 13:45, 2020-02-13T13:45:00+01:00
    ymd/      2020/02/13; with points or hyphens ymd. and ymd-
    dmy/      13/02/2020, 13/2/20; likewise dmy. and dmy-
    mdy/      02/13/2020; likewise mdy. and mdy-
    dby       13 Feb 2020, 13-Feb-20, Thu, 13th February 2020
    bdy       Feb 13, 2020
    ymd       20200213, where all of a column are such days
    ym-       2020-02, which is its first day; likewise ym/, and my/ and my. for 02/2020
    by        Feb 2020, February-2020
    quarter   2020Q1, 2020-Q1, Q1 2020, which is its first day
    week      2020-W07, which is its Monday
    time      13:45, 13:45:30, 1:45 pm, 2 pm, 36:10:00
    delta     1 days 02:30:00

Names of months may be English, German or French. Those of days may have a time behind them. A column is read as a
whole: one entry such as 13/02/2020 tells that the day comes first in all of them. Years of two digits are those from
1930 to 2029, as spreadsheets take them.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

import numpy as np

from gramian.checks import Array

TIME, DELTA = "time", "delta"
YEAR, WEEK, DAY = 365.2425, 7.0, 1.0
_REPEATED = 1.5  # periods that dates span, from which on a cycle can be told from the course of time
_PLACES, _FEW_PLACES = 12, 3  # into which a cycle is divided, and at how many of them dates lie at least
_FEW_DAYS = 8  # of the month, at least, for days of the week to tell anything
_MOST_DAYS = 1e8  # from 1970, beyond which there is no calendar
_EPOCH = datetime.datetime(1970, 1, 1)
_DAY = datetime.timedelta(days=1)
_MICROSECONDS = 86_400_000_000  # of a day
_FIRST, _LAST = 19_000_101, 21_001_231  # days written as one number that are taken for such
_MOST_HOURS = 999  # of a duration
_PIVOT = 30  # the first year of two digits that is one of the last century

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?")
_ZONE = re.compile(r" ?(UTC|GMT)$")
_PLAIN_ISO = re.compile(r"(?!0000)\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?", re.ASCII)
_CLOCK = (
    r"(?P<hour>\d{1,3})(?::(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.(?P<part>\d{1,9}))?)?|(?= ?[ap]\.?m))"
    r"(?: ?(?P<half>[ap])\.?m\.?)?"
)
_THEN = rf"(?:(?:,? |T){_CLOCK})?"
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? )?"
_NAMES = (
    "jan january januar janvier janv",
    "feb february februar février févr fév",
    "mar march märz mär mrz mars",
    "apr april avril avr",
    "may mai",
    "jun june juni juin",
    "jul july juli juillet juil",
    "aug august août",
    "sep sept september septembre",
    "oct october okt oktober octobre",
    "nov november novembre",
    "dec december dez dezember décembre déc",
)
_MONTHS = {name: number for number, names in enumerate(_NAMES, start=1) for name in names.split()}
_MONTH = rf"(?P<name>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_YEAR = r"(?P<year>(?:1[5-9]|2[01])\d{2})"
_NTH = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern + _THEN, re.IGNORECASE | re.ASCII)


def _year_first(mark: str) -> re.Pattern[str]:
    return _compiled(rf"(?P<year>\d{{4}}){mark}(?P<month>\d{{1,2}}){mark}(?P<day>\d{{1,2}})")


def _year_last(first: str, second: str, mark: str) -> re.Pattern[str]:
    """Return the pattern of a date whose year comes last, with two digits between slashes only: 1.2.20 is a version."""
    year = r"\d{4}|\d{2}" if mark == "/" else r"\d{4}"
    return _compiled(rf"(?P<{first}>\d{{1,2}}){mark}(?P<{second}>\d{{1,2}}){mark}(?P<year>{year})")


def _alone(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


_PATTERNS = {
    **{f"ymd{mark}": _year_first(re.escape(mark)) for mark in "/.-"},
    **{f"dmy{mark}": _year_last("day", "month", re.escape(mark)) for mark in "/.-"},
    **{f"mdy{mark}": _year_last("month", "day", re.escape(mark)) for mark in "/.-"},
    "dby": _compiled(rf"{_WEEKDAY}{_NTH}(?P<mark>[ /-]?){_MONTH}(?P=mark),? ?(?P<year>\d{{4}}|(?<=[-/])\d{{2}})"),
    "bdy": _compiled(rf"{_WEEKDAY}{_MONTH} {_NTH},? (?P<year>\d{{4}})"),
    "dmy2": _compiled(r"(?P<day>\d{2})\.(?P<month>\d{2})\.(?P<year>\d{2})"),
    "ymd": _alone(rf"{_YEAR}(?P<month>\d{{2}})(?P<day>\d{{2}})"),
    "ym-": _alone(rf"{_YEAR}-(?P<month>\d{{2}})"),
    "ym/": _alone(rf"{_YEAR}/(?P<month>\d{{1,2}})"),
    "my/": _alone(rf"(?P<month>\d{{1,2}})/{_YEAR}"),
    "my.": _alone(rf"(?P<month>\d{{2}})\.{_YEAR}"),
    "by": _alone(rf"{_MONTH}[ -/]{_YEAR}"),
    "quarter": _alone(rf"(?=.*{_YEAR})(?:\d{{4}}[ -]?Q(?P<quarter>[1-4])|Q(?P<before>[1-4])[ /-]\d{{4}})"),
    "week": _alone(rf"{_YEAR}-?W(?P<week>\d{{2}})"),
    TIME: _alone(_CLOCK),
    DELTA: _alone(rf"(?P<days>-?\d{{1,6}}) days?,? \+?{_CLOCK}"),
}
HOURS = (TIME, DELTA)  # styles of which the numbers are hours


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
    if not texts:
        return np.empty(0)
    if style == "iso":
        return _iso(texts)
    parts = _parts(_PATTERNS[style], texts)
    if parts is None:
        return None
    if style in HOURS:
        return _hours(parts, _MOST_HOURS)
    if style == "ym-" and _are_seasons(parts):
        return None
    hours = _hours(parts, 23)
    days = _weeks(parts) if style == "week" else _days(parts)
    return None if hours is None or days is None else days + hours / 24


def _are_seasons(parts: dict[str, tuple[str | None, ...]]) -> bool:
    """Tell whether what looks like months are years and the ones after them, as 2010-11."""
    return bool(np.all((_numbers(parts["year"]) + 1) % 100 == _numbers(parts["month"])))


def days_in(numbers: Array) -> Array | None:
    """Return whole numbers such as 20240229 as days since 1970-01-01, or None where one is no such day.

    Examples
    --------
    >>> days_in(np.array([20200213.0, np.nan])), days_in(np.array([20200231.0]))
    (array([18305.,    nan]), None)
    """
    given = numbers[~np.isnan(numbers)]
    if not len(given) or not (given.min() >= _FIRST and given.max() <= _LAST and np.all(given == np.floor(given))):
        return None
    whole = given.astype(np.int64)
    days = _days_of(whole // 10_000, whole // 100 % 100, whole % 100)
    if days is None:
        return None
    found = np.full(len(numbers), np.nan)
    found[~np.isnan(numbers)] = days
    return found


def dates_of(texts: Sequence[str], first: str = "") -> tuple[str, Array, bool] | None:
    """Return the style in which all texts are dates, these dates, and whether day and month could be exchanged.

    `first` says which comes first, "day" or "month", where that is known; else the day does unless an entry tells.

    Examples
    --------
    >>> dates_of(["13/02/2020", "01/02/2020"])[::2], dates_of(["02/13/2020", "01/02/2020"])[::2]
    (('dmy/', False), ('mdy/', False))
    >>> dates_of(["03/02/2020", "01/02/2020"])[::2], dates_of(["03/02/2020", "2020-02-01"])
    (('dmy/', True), None)
    """
    if not texts or not any(letter.isdigit() for letter in texts[0]):
        return None
    against = {"day": "mdy", "month": "dmy"}.get(first, TIME)
    for style in STYLES:
        if style not in HOURS and not style.startswith(against) and (days := numbers_in(style, texts)) is not None:
            other = f"mdy{style[3:]}"
            turned = numbers_in(other, texts) if style.startswith("dmy") and other in _PATTERNS and not first else None
            return style, days, turned is not None and bool((turned != days).any())
    return None


def is_date(text: str) -> bool:
    """Tell whether a text alone is a date."""
    return dates_of([text]) is not None


def iso_of(days: float) -> str:
    """Return a number of days as a date, with the time if it is not midnight."""
    try:
        found = _EPOCH + days * _DAY
    except OverflowError:
        return f"day {days:g}"
    return found.date().isoformat() if found.time() == datetime.time() else found.isoformat(timespec="seconds", sep=" ")


def cycles(days: Array) -> tuple[float, ...]:
    """Return the periods, in days, after which dates may say the same again: the year, the week, the day.

    A cycle can be seen where dates span one and a half of it and lie at several places within it. Those of months and
    quarters lie at all days of the week by the calendar, which tells nothing.

    Examples
    --------
    >>> cycles(np.arange(730.0)), cycles(np.arange(0.0, 20.0, 0.25)), cycles(np.arange(0.0, 300.0, 7.0))
    ((365.2425, 7.0), (7.0, 1.0), ())
    """
    known = np.unique(days[np.isfinite(days)])
    if len(known) < 2 or np.abs(known).max() > _MOST_DAYS:
        return ()
    found = [period for period in (YEAR, WEEK, DAY) if _returns(known, period)]
    return tuple(period for period in found if period != WEEK or _on_many_days(known))


def _returns(days: Array, period: float) -> bool:
    """Tell whether different days span a period and more, and lie at several places within it."""
    places = np.unique(np.floor(np.remainder(days, period) / period * _PLACES) % _PLACES)
    return bool(np.ptp(days) >= _REPEATED * period and len(places) >= _FEW_PLACES)


def _on_many_days(days: Array) -> bool:
    """Tell whether dates lie at several days of the month."""
    date = np.floor(days).astype("datetime64[D]")
    return len(np.unique(date - date.astype("datetime64[M]"))) >= _FEW_DAYS


def _iso(texts: Sequence[str]) -> Array | None:
    """Return dates of ISO 8601: all at once where they are plain, else one by one."""
    if all(map(_PLAIN_ISO.fullmatch, texts)):
        try:
            found = np.array(texts, dtype="datetime64[us]").astype(np.int64)
        except ValueError:
            return None
        return np.asarray(found / _MICROSECONDS)
    days = np.empty(len(texts))
    for place, text in enumerate(texts):
        day = _iso_day(text)
        if day is None:
            return None
        days[place] = day
    return days


def _iso_day(text: str) -> float | None:
    if not _ISO.fullmatch(text):
        return None
    try:
        found = datetime.datetime.fromisoformat(_ZONE.sub("+00:00", text))
        if found.tzinfo is not None:
            found = found.astimezone(datetime.UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
    return (found - _EPOCH) / _DAY


def _parts(pattern: re.Pattern[str], texts: Sequence[str]) -> dict[str, tuple[str | None, ...]] | None:
    """Return what the named groups of a pattern hold, text by text, or None where it does not fit one."""
    found = []
    for match in map(pattern.fullmatch, texts):
        if match is None:
            return None
        found.append(match.groups())
    return dict(zip(pattern.groupindex, zip(*found, strict=True), strict=True))


def _numbers(parts: Sequence[str | None]) -> Array:
    if not any(parts):
        return np.zeros(len(parts), dtype=np.int64)
    return np.fromiter((int(part or 0) for part in parts), dtype=np.int64, count=len(parts))


def _days(parts: dict[str, tuple[str | None, ...]]) -> Array | None:
    """Return days since 1970-01-01, or None where there is no such day."""
    year = _numbers(parts["year"])
    day = _numbers(parts["day"]) if "day" in parts else np.ones(len(year), dtype=np.int64)
    short = np.fromiter((len(part or "") == 2 for part in parts["year"]), dtype=bool, count=len(year))
    year = np.where(short, year + np.where(year >= _PIVOT, 1900, 2000), year)
    if "name" in parts:
        month = np.array([_MONTHS[(name or "").lower()] for name in parts["name"]])
    elif "quarter" in parts:
        month = 3 * (_numbers(parts["quarter"]) + _numbers(parts["before"])) - 2
    else:
        month = _numbers(parts["month"])
    return _days_of(year, month, day)


def _days_of(year: Array, month: Array, day: Array) -> Array | None:
    if np.any((month < 1) | (month > 12) | (year < 1) | (day < 1)):
        return None
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    begin, end = (each.astype("datetime64[D]").astype(np.int64) for each in (months, months + np.timedelta64(1, "M")))
    return None if np.any(begin + day > end) else np.asarray(begin + day - 1.0)


def _weeks(parts: dict[str, tuple[str | None, ...]]) -> Array | None:
    """Return the Mondays of weeks of ISO 8601, or None where a year has no such week."""
    try:
        mondays = [
            datetime.date.fromisocalendar(int(year or 0), int(week or 0), 1)
            for year, week in zip(parts["year"], parts["week"], strict=True)
        ]
    except ValueError:
        return None
    return np.array([float((monday - _EPOCH.date()).days) for monday in mondays])


def _hours(parts: dict[str, tuple[str | None, ...]], most: int) -> Array | None:
    """Return times in hours, midnight where there is none, or None where there is no such time."""
    if "hour" not in parts:
        return np.zeros(len(parts["year"]))
    hour, minute, second = (_numbers(parts[name]) for name in ("hour", "minute", "second"))
    short = np.fromiter((part is None for part in parts["second"]), dtype=bool, count=len(hour))
    if np.any((hour > np.where(short, 23, most)) | (minute > 59) | (second > 59)):
        return None
    if any(parts["half"]):
        half = np.array([(part or "").lower() for part in parts["half"]])
        if np.any((half != "") & ((hour < 1) | (hour > 12))):
            return None
        hour = np.where(half == "", hour, hour % 12 + 12 * (half == "p"))
    if "days" in parts:
        hour = hour + 24 * _numbers(parts["days"])
    seconds = 3600.0 * hour + 60 * minute + second
    if any(parts["part"]):
        seconds += np.array([float(f"0.{part or 0}") for part in parts["part"]])
    return np.asarray(seconds / 3600)


STYLES = ("iso", *_PATTERNS)
