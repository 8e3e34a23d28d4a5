r"""Large tables in text, taken apart by Arrow: the same columns as the careful reader finds, ten times faster.

The file is cut, between two rows, into pieces of a few megabytes, so that a table larger than memory is met by the
budget and not by the system. Each piece is looked at before Arrow sees it: fields must be plain, or in quotes from end
to end. Wherever the two readers could differ (a quote in the middle of a field, a lone carriage return, a zero byte, a
row of another width, bytes that are not UTF-8) this one steps aside, and the careful one has the word. Numbers are
taken from Arrow only if they are finite; all other notations are those of `numbers_of`.

A quote opens at the start of a field and closes at its end, or is doubled. So if every quote at an even place (counted
from 0, outside of which nothing is quoted) stands behind a mark, a line end or another quote, and every one at an odd
place before one of these, both readers agree on where the fields are.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.intake.openings import Opening
from gramian.intake.sources import load_arrow
from gramian.intake.table import EXACT, MISSING, marks_among, may_be_codes, numbers_of, rounds, texts_of
from gramian.intake.textfile import TextFile, opened

SMALLEST = 2**20  # bytes of a file from which on Arrow is worth being loaded
_PIECE = 2**22
_TRIES = 8  # to read a piece with numbers, after which all of its columns are texts at first
_COLUMN = 2**10  # bytes of a piece that a column should have: Arrow's work begins anew with each, however short it is
_LONGEST = 2**26  # bytes without a line end outside of quotes, from which on nothing is plain
_QUOTE = ord('"')  # the blanks and line ends are below it
_PADDED = r"^[ \t]*0[0-9]{2,}[ \t]*$"
_CONVERSION = re.compile(r"In CSV column #(\d+): ")


class StepAside(Exception):
    """A file that is not plain enough, or not sound; the careful reader knows."""


def fits(file: TextFile, opening: Opening) -> bool:
    """Tell whether a file is large enough, its columns too, and of a kind that can be cut in pieces."""
    size = file.path.stat().st_size
    large = size >= SMALLEST and min(size, _PIECE) >= _COLUMN * len(opening.head.names)
    return large and file.is_utf8 and opening.mark != " "


def runs(
    file: TextFile, opening: Opening, lines: int, only: set[int] | None, as_text: set[int]
) -> Iterator[dict[int, _Column]]:
    """Go through runs of the rows that stand below so many lines, as columns by their places.

    Columns that held plain numbers in the first piece, but for those wanted as text, are asked for as numbers in the
    others, which spares their texts; where that fails they are texts again.
    """
    names = [str(place) for place in range(len(opening.head.names))]
    chosen = names if only is None else [names[place] for place in sorted(only)]
    plain: set[str] = set()
    for number, piece in enumerate(_pieces(file, opening.mark, lines)):
        found, tries = None, 0
        while found is None:
            try:
                found = _parsed(piece, opening.mark, names, chosen, plain)
            except _NoNumber as error:
                tries += 1
                plain = plain - {error.column} if error.column in plain and tries < _TRIES else set()
        padded = len(plain) < len(chosen) and _has_padding(piece, opening.mark)
        columns = {int(name): _Column(column, padded) for name, column in zip(chosen, found.columns, strict=True)}
        if not number:
            plain = {str(place) for place, column in columns.items() if place not in as_text and column.is_plain()}
        if found.num_rows:
            yield columns


class _NoNumber(Exception):
    """A field that is no number, in a column where numbers stood before."""

    def __init__(self, column: str) -> None:
        self.column = column


def _parsed(piece: bytes, mark: str, names: list[str], chosen: list[str], plain: set[str]) -> Any:
    """Return a piece as a table of Arrow, in which some columns are numbers and the others texts."""
    arrow = load_arrow()
    number, text = arrow.float64(), arrow.string()
    try:
        found = arrow.csv.read_csv(
            arrow.py_buffer(piece),
            arrow.csv.ReadOptions(column_names=names),
            arrow.csv.ParseOptions(delimiter=mark, newlines_in_values=b'"' in piece),
            arrow.csv.ConvertOptions(
                column_types={name: number if name in plain else text for name in names},
                include_columns=chosen,
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except arrow.ArrowInvalid as error:
        if plain and (said := _CONVERSION.search(str(error))):
            raise _NoNumber(said[1]) from None
        raise StepAside from None
    whole = False
    for name in plain:
        numbers = found[name].to_numpy()
        if len(numbers) and not (numbers.max() < EXACT and numbers.min() > -EXACT):  # or not finite
            raise _NoNumber(name)
        whole = whole or bool(len(numbers) and numbers[0] == np.floor(numbers[0]))
    if whole and _has_padding(piece, mark):
        raise _NoNumber("")
    return found


def _has_padding(piece: bytes, mark: str) -> bool:
    """Tell whether a field may begin with a zero before two more digits."""
    letters = np.frombuffer(b"\n" + piece + b"\n\n", dtype=np.uint8)
    before = letters[:-3]
    zeros = np.flatnonzero((letters[1:-2] == ord("0")) & ((before == ord(mark)) | (before <= _QUOTE)))
    return bool((_is_digit(letters[zeros + 2]) & _is_digit(letters[zeros + 3])).any())


def _is_digit(letters: Array) -> Array:
    found: Array = letters - np.uint8(ord("0")) < 10
    return found


@dataclass(frozen=True)
class _Column:
    """The fields of one column, as an array of Arrow: texts, or numbers that were plain."""

    fields: Any
    padded: bool = False  # whether some field of the piece may begin with a zero that no number begins with

    def is_plain(self) -> bool:
        """Tell whether all fields are numbers."""
        return self.numbers() is not None

    def numbers(self) -> Array | None:
        found = _numbers(self.fields, numbers_of)
        return None if found is None or self._may_be_codes(found) else found

    def _may_be_codes(self, numbers: Array) -> bool:
        if str(self.fields.type) != "string" or not len(numbers):
            return False
        arrow = load_arrow()
        if self.padded and arrow.compute.any(arrow.compute.match_substring_regex(self.fields, _PADDED)).as_py():
            return True
        with np.errstate(invalid="ignore"):
            large = np.flatnonzero(np.abs(numbers) >= EXACT)
        return rounds(self.fields.take(large).to_pylist(), numbers[large]) or may_be_codes(
            [self.fields[0].as_py()], numbers[:1]
        )

    def decimal_commas(self) -> Array | None:
        compute = load_arrow().compute
        pointed = compute.replace_substring(self.fields, ",", ".", max_replacements=1)
        return _numbers(pointed, lambda _: numbers_of(with_points(self.fields.to_pylist())))

    def texts(self) -> Array:
        found = self.fields.combine_chunks().dictionary_encode()
        values: Array = texts_of(found.dictionary.to_pylist())[found.indices.to_numpy(zero_copy_only=False)]
        return values

    def marks(self, numbers: Array) -> Counter[str]:
        """Return how often each mark of a missing value is met."""
        missing = np.flatnonzero(np.isnan(numbers))
        return marks_among(self.fields.take(missing).to_pylist(), numbers[missing]) if len(missing) else Counter()


def _numbers(fields: Any, otherwise: Callable[[list[str]], Array | None]) -> Array | None:
    """Return fields as numbers if all are finite and plain, or mark a missing value; else what the slow way finds."""
    for prepared in (_as_they_are, _without_marks):
        try:
            cast = prepared(fields).cast("float64")
        except load_arrow().ArrowInvalid:
            continue
        found = np.asarray(cast.to_numpy(), dtype=np.float64)
        if int(np.isfinite(found).sum()) == len(found) - cast.null_count:
            return found
    return otherwise(fields.to_pylist())


def _as_they_are(fields: Any) -> Any:
    return fields


def _without_marks(fields: Any) -> Any:
    arrow = load_arrow()
    marks = arrow.compute.is_in(fields, value_set=arrow.array(sorted(MISSING)))
    return arrow.compute.if_else(marks, None, fields)


def with_points(fields: Sequence[str]) -> list[str]:
    """Return numbers with decimal commas, as the tables have that use semicolons for this reason, with points."""
    return [field if "." in field or field.count(",") > 1 else field.replace(",", ".") for field in fields]


def _pieces(file: TextFile, mark: str, lines: int) -> Iterator[bytes]:
    """Cut what stands below so many lines into pieces that begin and end with a row, and look at each."""
    with opened(file.path) as stream:
        rest = _below(stream, lines)
        while block := stream.read(_PIECE):
            rest += block + stream.readline(_LONGEST)
            cut = _end_of_rows(rest)
            if not cut and len(rest) > min(_LONGEST, file.budget.longest):
                raise StepAside
            if cut == len(rest):
                yield _plain(rest, mark)
                rest = b""
            elif cut:
                yield _plain(rest[:cut], mark)
                rest = rest[cut:]
        if rest:
            yield _plain(rest, mark)


def _below(stream: Any, lines: int) -> bytes:
    """Return what of the first piece stands below so many lines."""
    first: bytes = stream.read(_PIECE).removeprefix(codecs.BOM_UTF8)
    start = 0
    for _ in range(lines):
        start = first.find(b"\n", start) + 1
        if not start:
            raise StepAside
    above = first[:start]
    if above.count(b"\r") != above.count(b"\r\n"):
        raise StepAside
    return first[start:]


def _end_of_rows(rest: bytes) -> int:
    """Return where the last line ends that does not end within quotes."""
    cut = rest.rfind(b"\n")
    if b'"' in rest:
        quotes = _places(rest)
        before = int(np.searchsorted(quotes, cut))
        while cut >= 0 and before % 2:
            cut = rest.rfind(b"\n", 0, int(quotes[before - 1]))
            before = int(np.searchsorted(quotes, cut))
    return cut + 1


def _places(piece: bytes) -> Array:
    return np.flatnonzero(np.frombuffer(piece, dtype=np.uint8) == _QUOTE)


def _plain(piece: bytes, mark: str) -> bytes:
    """Return a piece in which both readers find the same fields, or step aside."""
    if b"\0" in piece or (b"\r" in piece and piece.count(b"\r") != piece.count(b"\r\n")):
        raise StepAside
    if b'"' not in piece:
        return piece
    quotes = _places(piece)
    if len(quotes) % 2:
        raise StepAside
    letters = np.frombuffer(b"\n" + piece + b"\n", dtype=np.uint8)
    around = np.array([_QUOTE, *b"\r\n", ord(mark)], dtype=np.uint8)
    before, after = letters[quotes[::2]], letters[quotes[1::2] + 2]
    if not np.isin(before, around).all() or not np.isin(after, around).all():
        raise StepAside
    return piece
