"""Columns as they came in, before anything is guessed: the one shape that every reader of objects makes.

A column is an array of floats, NaN where a value is missing, or an array of strings as they are written, None where
there is nothing. What else marks a missing value, and which strings are numbers or dates, depends on the column as a
whole, and is settled in `meanings`, for all formats alike.
"""

from __future__ import annotations

import datetime
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.intake.errors import DataError, shortened
from gramian.intake.notations import Notation, number_notation
from gramian.kernels.graphs.graph import Graph
from gramian.kernels.strings.sequences import is_missing

MISSING = frozenset(["", "NA", "N/A", "n/a", "nan", "NaN", "NAN", "null", "NULL", "None", "?", "-"])
ERRORS = frozenset(
    ["#n/a", "#na", "#value!", "#div/0!", "#ref!", "#num!", "#name?", "#null!", "#spill!", "#calc!"]
)  # of spreadsheets
LARGEST = {"float64": 1e150, "float32": 1e18}  # squares of larger numbers overflow, and kernels square
_POOL = 1000  # different values of a column up to which equal ones share one string
_SAMPLE = 100
EXACT = 2.0**53  # whole numbers up to which floating point holds all
_PHONE = 8  # digits of the number of a telephone, at least
_BITS = 1024  # of a whole number, beyond which it is infinite
_WIDE = 400  # digits, beyond which a number is none
_CODE = re.compile(r"0[0-9]{2}")
_PADDED = re.compile(r"\n[ \t]*0[0-9]{2,}[ \t]*(?=\n|$)")
_JUNK = 0.1  # of the values, up to which what is no number is worth a word


def _row(row: int) -> str:
    return f"row {row + 1:,}"


@dataclass(frozen=True)
class Meaning:
    """What the texts of a column turned out to be: numbers or dates, in which notation, and the sentence on that."""

    kind: str
    notation: Notation
    note: str


@dataclass(frozen=True, eq=False)
class Table:
    """Raw columns, what the format itself says of them, and where in the source a row stands.

    `settled` are kinds that need no guess, `target` is the column that the format itself sets apart, `hidden` those
    that no feature is made of unless they are asked for. `alone` is the column of a source with one object a row.
    `comma` says that a comma is likely a decimal one, as where semicolons separate. `marks` counts those of missing
    values in columns of numbers, where a reader has met them. `meanings` are those of columns of numbers that came as
    texts, once they are settled.
    """

    where: str
    format: str
    columns: Mapping[str, Array]
    place: Callable[[int], str] = _row
    settled: Mapping[str, str] = field(default_factory=dict)
    target: str | None = None
    hidden: tuple[str, ...] = ()
    alone: str | None = None
    headless: bool = False
    notes: tuple[str, ...] = ()
    comma: bool = False
    marks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    meanings: Mapping[str, Meaning] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def error(self, row: int, name: str, message: str) -> DataError:
        """Return the error of one value."""
        return DataError(f"{self.where}, {self.place(row)}, column {name!r}: {message}")

    def readings(self, name: str) -> list[str]:
        """Return the sentence on how the texts of a column were read as numbers, if they were."""
        return [self.meanings[name].note] if name in self.meanings else []

    def take(self, rows: Array) -> Table:
        """Return the table of some rows, which keep their places."""
        place = self.place
        return replace(
            self,
            columns={name: column[rows] for name, column in self.columns.items()},
            place=lambda row: place(int(rows[row])),
        )


@dataclass(frozen=True, eq=False)
class Network:
    """A graph as it came in; `attributes` are raw columns with one row for each node, in the order of the graph."""

    where: str
    format: str
    graph: Graph
    attributes: Mapping[str, Array] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def absent(column: Array) -> Array:
    """Tell where a column has no value."""
    if column.dtype.kind == "f":
        return np.isnan(column)
    return np.fromiter((value is None for value in column), dtype=bool, count=len(column))


def texts_of(values: Iterable[str | None]) -> Array:
    """Return strings as a column: stripped, None where nothing is left, equal ones shared."""
    pool: dict[str, str] = {}

    def cleaned(value: str | None) -> str | None:
        if value is None or not (value := value.strip()):
            return None
        return pool.setdefault(value, value) if len(pool) < _POOL else pool.get(value, value)

    return objects([cleaned(value) for value in values])


def objects(values: Sequence[Any]) -> Array:
    """Return a flat array of objects, whatever they are."""
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def numbers_of(texts: Sequence[str], marks: Collection[str] = MISSING) -> Array | None:
    """Return numbers written as programs do, NaN where a text is one of some marks, or None where one is no number."""
    if "_" in "".join(texts):  # which Python takes in numbers
        return None
    try:
        return np.fromiter(map(float, texts), dtype=np.float64, count=len(texts))
    except ValueError:
        pass
    try:
        filled = ("nan" if text.strip() in marks else text for text in texts)
        return np.fromiter(map(float, filled), dtype=np.float64, count=len(texts))
    except ValueError:
        return None


def are_codes(texts: Sequence[str], numbers: Array) -> bool:
    """Tell whether texts that are numbers are rather codes: all of them digits, and one with more than a number keeps.

    That are zeros ahead, in three digits or more, or so many digits that floating point rounds; and all of them begin
    with + and have eight digits or more, as those of telephones.

    Examples
    --------
    >>> [are_codes(texts, numbers_of(texts)) for texts in (["01067", "80331"], ["9007199254740993"], ["+4930123456"])]
    [True, True, True]
    >>> [are_codes(texts, numbers_of(texts)) for texts in (["01", "12"], ["1.5", "007"], ["9007199254740992"])]
    [False, False, False]
    """
    given = [text.strip() for text in texts if text.strip() not in MISSING]
    if given and all(len(text) > _PHONE and text[0] == "+" and text[1:].isdecimal() for text in given):
        return True
    whole = all(text.lstrip("+-").isdecimal() for text in given)
    return whole and (any(_CODE.match(text) for text in given) or rounds(texts, numbers))


def may_be_codes(texts: Sequence[str], numbers: Array) -> bool:
    """Tell whether some of texts that are numbers are worth being kept as they are written."""
    every = "\n" + "\n".join(texts)
    padded = "0" in every and _PADDED.search(every) is not None
    return padded or rounds(texts, numbers) or texts[0].lstrip().startswith("+")


def rounds(texts: Sequence[str], numbers: Array) -> bool:
    """Tell whether a text holds a whole number that floating point does not."""
    with np.errstate(invalid="ignore"):
        large = np.flatnonzero(np.abs(numbers) >= EXACT).tolist()
    return any(
        (text := texts[row].strip()).lstrip("+-").isdecimal() and len(text) < _WIDE and int(text) != float(text)
        for row in large
    )


def marks_among(texts: Sequence[str], numbers: Array) -> Counter[str]:
    """Return how often each mark is met in texts that are numbers, or NaN where they mark a missing one."""
    marks = (texts[row].strip() for row in np.flatnonzero(np.isnan(numbers)).tolist())
    return Counter(mark for mark in marks if mark)


def written(column: Array) -> Array:
    """Return a column as texts: whole numbers without a point, others with all their digits."""
    if column.dtype.kind != "f":
        return column
    return objects([None if value != value else digits(value) for value in column.tolist()])


def digits(value: float) -> str:
    """Return a number as text: a whole one without a point, others with all their digits."""
    return str(int(value)) if math.isfinite(value) and value == int(value) else repr(value)


def numeric(table: Table, name: str) -> Array:
    """Return a column as numbers, and refuse the first text that is none."""
    column = table.columns[name]
    if column.dtype.kind == "f":
        return column
    found = numbers_of(["" if value is None else value for value in column])
    if found is None:
        wrong = (row for row, value in enumerate(column) if value is not None and not is_number(value))
        row = next(wrong, next(row for row, value in enumerate(column) if value and numbers_of([value]) is None))
        raise table.error(row, name, f"{shortened(column[row], 40)!r}; a number expected")
    return found


def plain_numbers(texts: Sequence[str]) -> Array | None:
    """Return numbers if all texts are such as programs write; a few are tried before all are."""
    return None if numbers_of(texts[:_SAMPLE], ()) is None else numbers_of(texts, ())


def is_number(text: str) -> bool:
    """Tell whether a text alone is a number in any notation."""
    return numbers_of([text], ()) is not None or number_notation([text]) is not None


def check_range(table: Table, name: str, values: Array) -> None:
    """Refuse infinite numbers, and those so large that kernels of them overflow."""
    limit = LARGEST["float32" if values.dtype == np.float32 else "float64"]
    with np.errstate(invalid="ignore"):
        wrong = np.abs(values) > limit
    if wrong.any():
        row = int(wrong.argmax())
        what = "infinite, or too large for a floating point number" if np.isinf(values[row]) else "too large"
        raise table.error(
            row, name, f"{values[row]:g} is {what}; numbers up to {limit:g} expected: mend it, or leave it empty"
        )


def column_of(values: Sequence[Any], name: str, error: Callable[[int, str, str], DataError], *, text: bool) -> Array:
    """Return values of Python as a column: numbers if all are, strings otherwise; `text` asks for strings.

    True and False become "true" and "false", dates what ISO 8601 makes of them. Numbers among strings stay what they
    are, until it is settled whether the strings are numbers, too. Whole numbers of which floating point would not keep
    all digits are names of something, and become strings with all others, unless fractions are among them. Values that
    are neither are refused.
    """
    plain = [_plain(value) for value in values]
    kinds = {type(value) for value in plain if value is not None}
    for row, value in enumerate(plain):
        if not isinstance(value, float | str | None):
            what = shortened(repr(value), 40)
            raise error(
                row, name, f"{what} is a {type(value).__name__}; a number, a text, true, false or null expected"
            )
    if any(map(_is_rounded, values)) and not any(isinstance(value, float) for value in values):
        plain = [str(value) if _is_rounded(value) else one for value, one in zip(values, plain, strict=True)]
        return texts_of([digits(value) if isinstance(value, float) else value for value in plain])
    if kinds == {float}:
        return np.array([math.nan if value is None else value for value in plain], dtype=np.float64)
    if kinds == {float, str} and not text:
        return objects([(value.strip() or None) if isinstance(value, str) else value for value in plain])
    return texts_of([digits(value) if isinstance(value, float) else value for value in plain])


def _is_rounded(value: Any) -> bool:
    return isinstance(value, int) and abs(value) >= EXACT and value.bit_length() < _BITS and float(value) != value


def whole_column(values: Array) -> Array:
    """Return whole numbers as a column: as floats if these hold them all, else as strings."""
    found = values.astype(np.float64)
    if len(values) and max(abs(found.max()), abs(found.min())) >= EXACT and any(map(_is_rounded, values.tolist())):
        return texts_of(map(str, values.tolist()))
    return found


def _plain(value: Any) -> Any:
    """Return a value as a float, a string or None; what is none of these as it is."""
    if value is None or is_missing(value):
        return None
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, np.datetime64):
        return str(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    try:
        return float(value) if hasattr(value, "__float__") and getattr(value, "ndim", 0) == 0 else value
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        return value


def stray(values: Array, sound: Callable[[str], bool] = is_number) -> tuple[int, int] | None:
    """Return how many texts of a column are not sound, and the row of the first, where nearly all are."""
    wrong: list[int] = []
    for row, value in enumerate(values):
        if value is not None and not sound(value):
            wrong.append(row)
            if len(wrong) > _JUNK * len(values):
                return None
    return (len(wrong), wrong[0]) if wrong else None
