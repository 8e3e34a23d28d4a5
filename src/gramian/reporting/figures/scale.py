"""From values to places on paper: spans with some room, round ticks, logarithmic ticks.

    linear   place = start + (end − start) · (v − low) / (high − low)
    log      the same of log v

Ticks stand at multiples of 1, 2 or 5 times a power of ten, as few as are needed to read the axis. Labels share one
power of ten, which the axis shows once, so that they stay short whatever the unit of the data is.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gramian.reporting.markup import MINUS, number, power

_FLAT = 1e-12  # a span this small against its values holds one value and rounding
_SMALLEST = 1e-280
_EPOCH = datetime.date(1970, 1, 1)
_FIRST, _LAST = -719_162, 2_932_896  # days of the calendar
_YEAR, _MONTH = 365.2425, 30.436875  # days
_MONTHS = (1, 2, 3, 6)  # between ticks of less than a year
_LEAST = 1e-290  # positive values below this are zero to a logarithmic axis


def present(values: Iterable[float | None], *, log: bool = False) -> list[float]:
    """Return the values that can be drawn."""
    return [float(v) for v in values if v is not None and math.isfinite(v) and (v > _LEAST or not log)]


def span(values: Iterable[float | None], *, log: bool = False, room: float = 0.05) -> tuple[float, float]:
    """Return an interval around the values with some room on both sides, of positive length even for one value or none.

    Examples
    --------
    >>> span([0.0, 10.0], room=0.1), span([3.0]), span([])
    ((-1.0, 11.0), (2.7, 3.3), (0.0, 1.0))
    """
    found = present(values, log=log)
    if not found:
        return (1.0, 10.0) if log else (0.0, 1.0)
    low, high = min(found), max(found)
    if log:
        low, high = math.log10(low), math.log10(high)
        margin = room * (high - low) if high - low > _FLAT else 0.5
        return 10 ** max(low - margin, -300), 10 ** min(high + margin, 300)
    size = max(abs(low), abs(high))
    if size < _SMALLEST:
        return -0.5, 0.5
    margin = room * (high - low) if high - low > _FLAT * size else 0.1 * size
    return low - margin, high + margin


def linear_ticks(low: float, high: float, most: int = 8) -> list[float]:
    """Return round values from low to high, at most so many.

    Examples
    --------
    >>> linear_ticks(-0.3, 1.1)
    [-0.2, 0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]
    """
    least = (high - low) / most
    if least < _SMALLEST:
        return [low]
    step = round_step(least)
    return [i * step for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def round_step(least: float) -> float:
    """Return the smallest of 1, 2, 5 times a power of ten that is not below this."""
    unit = 10.0 ** math.floor(math.log10(least))
    return next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= least * (1 - 1e-9))


def log_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Return powers of ten from low to high; between them 2 and 5 where there are few, only some where there are many.

    Examples
    --------
    >>> log_ticks(0.5, 2000.0)
    [1.0, 10.0, 100.0, 1000.0]
    >>> log_ticks(3.0, 60.0)
    [5.0, 10.0, 20.0, 50.0]
    """
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first >= 2:
        stride = math.ceil((last - first + 1) / most)
        return [10.0**e for e in range(first, last + 1) if e % stride == 0]
    fine = [f * 10.0**e for e in range(first - 1, last + 1) for f in (1, 2, 5)]
    inside = [v for v in fine if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]
    return inside if len(inside) >= 2 else [v for v in linear_ticks(low, high, most) if v > 0]


def in_calendar(values: Iterable[float | None]) -> bool:
    """Tell whether days since 1970-01-01 are dates that have a name."""
    return all(_FIRST <= v <= _LAST for v in present(values))


def date_of(days: float) -> str:
    """Return the date of a number of days since 1970-01-01.

    Examples
    --------
    >>> date_of(0.0), date_of(15340.5)
    ('1970-01-01', '2012-01-01')
    """
    return (_EPOCH + datetime.timedelta(days=math.floor(days))).isoformat()


def date_ticks(low: float, high: float, most: int = 8) -> list[float]:
    """Return round dates: beginnings of years or months, or days where there are few.

    Examples
    --------
    >>> date_labels(date_ticks(15340.0, 17000.0)), date_labels(date_ticks(15340.0, 15500.0))
    (['2012', '2013', '2014', '2015', '2016'], ['2012-01', '2012-02', '2012-03', '2012-04', '2012-05', '2012-06'])
    """
    least = (high - low) / most
    if least > _YEAR / 2:
        step = max(round(round_step(least / _YEAR)), 1)
        starts = ((year, 1) for year in range(step, 10_000, step))
    elif least > _MONTH / 4:
        step = next((months for months in _MONTHS if months * _MONTH >= least), 6)
        starts = ((year, month) for year in range(1, 10_000) for month in range(1, 13, step))
    else:
        return linear_ticks(low, high, most)
    ticks = (float((datetime.date(*start, 1) - _EPOCH).days) for start in starts)
    return [tick for tick in ticks if low <= tick <= high]


def date_labels(ticks: Sequence[float]) -> list[str]:
    """Return the labels of ticks at dates, without what is the same by the calendar."""
    dates = [date_of(tick) for tick in ticks]
    if any(tick % 1 for tick in ticks):
        return linear_labels(ticks, 0)
    end = 4 if all(one.endswith("-01-01") for one in dates) else 7 if all(one.endswith("-01") for one in dates) else 10
    return [one[:end] for one in dates]


def shared_exponent(ticks: Sequence[float]) -> int:
    """Return the power of ten that all labels of an axis leave out: none where values are of ordinary size."""
    size = max((abs(v) for v in ticks), default=0.0)
    if size == 0 or 1e-3 <= size < 1e5:
        return 0
    return 3 * math.floor(math.log10(size) / 3 + 1e-9)


def linear_labels(ticks: Sequence[float], exponent: int) -> list[str]:
    """Return the labels of evenly spaced ticks, with just the digits that tell them apart."""
    if len(ticks) < 2:
        return [number(v / 10.0**exponent) for v in ticks]
    step = (ticks[1] - ticks[0]) / 10.0**exponent
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return [f"{v / 10.0**exponent + 0.0:,.{decimals}f}".replace("-", MINUS) for v in ticks]


def log_label(value: float) -> str:
    """Return the label of a tick on a logarithmic axis.

    Examples
    --------
    >>> log_label(0.01), log_label(1e-7), log_label(2e6)
    ('0.01', '10⁻⁷', '2×10⁶')
    """
    exponent = math.floor(math.log10(value) + 1e-9)
    if -3 <= exponent <= 3:
        return number(value)
    mantissa = value / 10.0**exponent
    return power(exponent) if abs(mantissa - 1) < 1e-6 else f"{number(mantissa)}×{power(exponent)}"


@dataclass(frozen=True)
class Scale:
    """One axis: values from `low` to `high` at places from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    dates: bool = False  # whether values are days since 1970-01-01

    def __call__(self, value: float) -> float:
        low, high = (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)
        share = ((math.log10(value) if self.log else value) - low) / (high - low)
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int = 8) -> list[float]:
        return (date_ticks if self.dates else log_ticks if self.log else linear_ticks)(self.low, self.high, most)

    def exponent(self, most: int = 8) -> int:
        return 0 if self.log or self.dates else shared_exponent(self.ticks(most))

    def labels(self, most: int = 8) -> list[str]:
        ticks = self.ticks(most)
        if self.dates:
            return date_labels(ticks)
        return [log_label(v) for v in ticks] if self.log else linear_labels(ticks, self.exponent(most))
