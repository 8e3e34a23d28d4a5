"""How a table in text begins: what stands before its headings, what separates its fields, and what its columns are.

Programs put more into a file than a table. All of this is understood, and said:

    sep=;               a first line that names the mark, as spreadsheets write it
    # made by …         comments before the headings; the last one may be the headings themselves
    Sales of May        a title: one field, before rows of many
    "","a","b"          a first column without a name, as R and pandas write names of rows
    "a" "b"             headings that are one fewer than the fields, as R writes them: names of rows again
    "1" 2020-01-01 9:30 a date and a time of day between blanks that have one heading, as R writes them
    Mazda RX4 21 6      names of rows that hold blanks and stand in no quotes, between blanks
    a,b,                columns at the end without a name, if they are empty
    ,0,1                names that are numbers, above those of rows or, if they are 0, 1, 2, …, above fractions
    2020,2021,2022,2023 names that count on by one, or years that rise, if no row below does
    5.1,3.5,setosa      no headings at all, where this line is like those below it
    km,s                units below the headings, above numbers
    a,a,b / x,y,x       headings in two rows, as pandas writes columns of two levels
    a,b,a               a name that comes again; the later ones are called a_2, a_3, …
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain, count, groupby, islice, pairwise

from gramian.intake.blanks import (
    LEAST,
    are_numbers,
    between_blanks,
    doubt,
    fields_of,
    have_both,
    is_plain,
    of_one_column,
    untabbed,
)
from gramian.intake.errors import DataError, counted, shortened
from gramian.intake.notations import UNITS
from gramian.intake.rows import listed
from gramian.intake.table import ERRORS, MISSING, is_number, numbers_of
from gramian.intake.textfile import TextFile
from gramian.intake.unquoted import Unquoted, unquoted

MARKS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
ROW = "row"  # the column of the names of rows, where it has no name itself
_SAMPLE = 100  # lines looked at to find the mark
_LONGEST = 2**27  # characters of one field
_SEP = re.compile(r'"?sep=([,;|\t:^~ ])"?\s*', re.IGNORECASE)
_ERROR = re.compile(r"#[^,;\t| \r\n]+")
_QUOTED = re.compile(r'(?:^|[,;\t|]) *"(?:[^"]|"")*("?)')  # a field in quotes, and the quote at its end
_IN_QUOTES = re.compile(r'"(?:[^"]|"")*"')
_WORD = re.compile(r"[^,;\t| ]+")
_MOMENT = re.compile(r'("(?:\\"|""|[^"])*")|(?<![^ ])(-?\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?= |\s*$)')
_ALIKE = 0.8  # of rows that are as wide as the first, if that one holds values
_MORE = 8  # rows of words only, of which the first holds values; names of rows that are numbers
_COUNTED = 5  # names of rows that count 1, 2, 3, …
_RUN = 4  # numbers that count on, and are names of columns
_DIGITS = 16  # of such a number, at most
_YEARS = range(1500, 2101)  # whole numbers that columns are called by, too
_UNITS_SAMPLE = 20  # rows looked at to tell a row of units
_NO_UNIT = frozenset(["", "-", "--", "[-]", "(-)", "[]", "()"])
_BRACKETED = re.compile(r"\[[^\[\]]{0,15}\]|\([^()]{0,15}\)")
NUMBERED = "The first line holds numbers, which are taken as the names of columns."
VALUES = "The first line holds values, like those below it: the columns have no names and are called x1, x2, …"
HEADLESS = "The first line holds numbers only: the columns have no names and are called x1, x2, …"


@dataclass(frozen=True)
class Headings:
    """The names of all fields of a row; the `blank` last of them have none, and must be empty."""

    names: tuple[str, ...]
    headless: bool = False  # there are no names, and they were made up
    rowed: bool = False  # the first column holds the names of rows
    unheaded: bool = False  # and has no heading at all, so that its values must differ
    blank: int = 0
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that are taken."""
        return self.names[: len(self.names) - self.blank]


@dataclass(frozen=True)
class Opening:
    """What is known of a file before its rows are read.

    `skip` lines stand before the first row; `headings` rows, of the names of columns and of their units, stand before
    the values.
    """

    mark: str
    skip: int
    head: Headings
    headings: int = 1
    escaped: bool = False  # quotes in quotes are written as \\"
    cut: bool = False  # a date and a time of day between blanks are one field
    unquoted: Unquoted | None = None  # the place of the field that holds blanks, between blanks
    both: bool = False  # tabs stand among the blanks

    def line(self, line: str) -> str:
        """Return a line in which fields that hold blanks are one field each."""
        if self.unquoted is not None:
            return self.unquoted.joined(line)
        line = untabbed(line) if self.both else line
        return joined_moments(line) if self.cut else line


def opening(file: TextFile, format: str, sample: int = _SAMPLE) -> Opening:
    """Return how a file begins, by so many lines of it."""
    start = _start(file, sample)
    if escaped := _are_escaped(start, format):
        start = replace(start, sample=[line.replace('\\"', '""') for line in start.sample])
    both = not start.mark and have_both(_uncommented(start.sample))
    if both:
        start = replace(start, sample=list(map(untabbed, start.sample)))
    cut = _has_cut_moments(file, start)
    if cut:
        start = replace(start, sample=list(map(joined_moments, start.sample)))
    loose = None if cut or start.mark else _unquoted(start.sample)
    if loose is not None:
        start = replace(start, sample=list(map(loose.joined, start.sample)))
    mark = start.mark or (" " if loose is not None else separator(start.sample, format))
    before = _lines_of_titles(start.sample, mark)
    rows = _rows(start.sample[before:], mark)
    if not rows:
        raise DataError(f"{file.path}: an empty file; a line of headings and rows of values expected")
    heading = None if before or not start.comments else _commented(start.comments[-1], mark, rows)
    skip, notes = start.skip + before, _skipped(start, before, heading is not None)
    notes += [] if loose is None else [loose.note]
    bare = not loose.headed if loose is not None else without_headings(rows, *_quotes(file, skip))
    if heading is None and bare:
        names = made_up(len(rows[0]))
        notes.append(HEADLESS if are_numbers(rows[0]) else VALUES)
        return Opening(mark, skip, Headings(names, headless=True, notes=tuple(notes)), 0, escaped, cut, loose, both)
    first, body = (rows[0], rows[1:]) if heading is None else (heading, rows)
    by_r = heading is None and (_quotes(file, skip)[0] or mark == " " or (_named(body) and _is_no_comma(mark, body)))
    second = heading is None and are_headings(first, body)
    if second:
        notes.append(said_twice(first, body[0]))
        first, body = under(first, body[0]), body[1:]
    found = headings(first, body, quoted=by_r)
    if isinstance(found, int):
        raise nameless(file, mark, skip, found)
    units = heading is None and not second and are_units(body)
    if units:
        notes.append(said_units(body[0]))
    if cut:
        notes.append("A date and a time of day with a blank between them have one heading, and are taken as one value.")
    lines = (heading is None) + second + units
    return Opening(mark, skip, replace(found, notes=(*notes, *found.notes)), lines, escaped, cut, loose, both)


def _unquoted(sample: list[str]) -> Unquoted | None:
    """Return where a column stands that holds blanks without quotes, if no mark cuts lines into even fields."""
    lines = _uncommented(sample)
    if between_blanks(lines) or any(_all_alike(_widths(sample, mark)) for mark in MARKS):
        return None
    return unquoted(lines)


def are_headings(first: list[str], body: list[list[str]]) -> bool:
    """Tell whether the first row below the headings holds more of them, as pandas writes columns of two levels.

    Above all columns but the first, which may be blank in both, stand words, of which no pair comes twice though some
    of the first row do; below them stand numbers.

    Examples
    --------
    >>> are_headings(["", "a", "a"], [["", "x", "y"], ["0", "1.5", "2"], ["1", "3", "4"], ["2", "7", "1"]])
    True
    >>> are_headings(["a", "b"], [["x", "y"], ["1", "2"], ["3", "4"], ["5", "6"]])
    False
    """
    second, rest = body[0] if body else [], body[1:]
    if len(rest) < LEAST or any(len(row) != len(first) for row in body) or len(first) < 2:
        return False
    pairs = list(zip(*([field.strip() for field in row] for row in (first, second)), strict=True))
    named = [place for place, pair in enumerate(pairs) if any(pair)]
    words = all(all(pairs[place]) and not any(map(is_plain, pairs[place])) for place in named)
    if not words or {0, *named} != set(range(len(pairs))) or len(named) < 2:
        return False
    again = len({pairs[place][0] for place in named}) < len(named) == len({pairs[place] for place in named})
    return again and all(are_numbers([row[place] for row in rest]) for place in named)


def under(first: list[str], second: list[str]) -> list[str]:
    """Return headings of two rows as one.

    >>> under(["", "a", "a"], ["", "x", "y"])
    ['', 'a_x', 'a_y']
    """
    return [f"{a.strip()}_{b.strip()}" if a.strip() else "" for a, b in zip(first, second, strict=True)]


def said_twice(first: list[str], second: list[str]) -> str:
    """Return the sentence on headings in two rows."""
    names = [name for name in under(first, second) if name]
    return f"Two lines of headings are put together: {shortened(', '.join(names), 40)!r}."


def are_units(body: list[list[str]]) -> bool:
    """Tell whether the first row below the headings holds the units of the columns, and no values.

    All of its fields are units, or nothing; and below a unit stand numbers, unless it is in brackets.

    Examples
    --------
    >>> are_units([["", "°C", "m/s"], ["2024-01-01", "3.5", "2"], ["2024-01-02", "4", "1"]])
    True
    >>> are_units([["kg", "3"], ["lb", "4"], ["kg", "5"]])
    False
    """
    first, rest = [field.strip() for field in body[0]] if body else [], body[1:_UNITS_SAMPLE]
    if len(rest) < 2 or not all(map(_is_unit, first)):
        return False
    columns = zip(*(row for row in rest if len(row) == len(first)), strict=True)
    given = [[field for field in map(str.strip, column) if field not in MISSING] for column in columns]
    numbered = [bool(fields) and all(map(is_number, fields)) for fields in given]
    named = [(unit, number) for unit, number in zip(first, numbered, strict=False) if unit not in _NO_UNIT]
    return any(number for _, number in named) and all(number or _BRACKETED.fullmatch(unit) for unit, number in named)


def _is_unit(field: str) -> bool:
    return field in _NO_UNIT or field in UNITS or _BRACKETED.fullmatch(field) is not None


def said_units(fields: list[str]) -> str:
    """Return the sentence on a row of units."""
    return (
        f"The line below the headings holds units, {shortened(', '.join(filter(None, fields)), 40)!r}, and is skipped."
    )


def joined_moments(line: str) -> str:
    """Return a line in which a date and a time of day between blanks are one field, but for those within quotes.

    >>> joined_moments('"1" 2020-01-01 12:34:56 "on 2020-01-01 12:34" 7')
    '"1" 2020-01-01T12:34:56 "on 2020-01-01 12:34" 7'
    """
    return _MOMENT.sub(lambda found: found[1] or f"{found[2]}T{found[3]}", line)


def _has_cut_moments(file: TextFile, start: _Start) -> bool:
    """Tell whether dates and times of day between blanks have one heading; refuse a file that can be read either way.

    They have one where headings fit by that, and do not else. Where both would do, the first column holds the names of
    rows and has no heading, or else a date and a time have one.
    """
    lines = [line for line in _uncommented(start.sample) if line.strip()]
    joined = list(map(joined_moments, lines))
    if start.mark not in ("", " ") or joined[1:] == lines[1:] or joined[:1] != lines[:1]:
        return False
    head, *body = map(fields_of, joined)
    widths, plain = {len(row) for row in body}, {len(fields_of(line)) for line in lines[1:]}
    quoted = lines[0].startswith('"')
    sound = len(widths) == 1 and (quoted or len(body) >= LEAST) and not any(map(is_plain, head))
    if not sound or plain == {len(head)} or any(_all_alike(_widths(lines, mark)) for mark in MARKS):
        return False
    width = max(widths)
    if width == len(head) + 1:
        return True
    if width != len(head) or width == 1:
        return False
    names = [row[0] for row in body]
    if (
        head[0] == '""'
        or plain != {width + 1}
        or len(set(names)) < len(names)
        or (quoted and not names[0].startswith('"'))
    ):
        return True
    raise file.error(
        start.skip + 1,
        f"{len(head)} headings above {width + 1} fields between blanks, of which a date and a time of day may be one, "
        "or the first one the name of a row: write the table with commas (in R by write.csv), or with dates in quotes",
    )


def _are_escaped(start: _Start, format: str) -> bool:
    """Tell whether quotes in quotes are written as R does if it is told to: rows are even by that, and else not."""
    if not any('\\"' in line for line in start.sample):
        return False
    lines = [line.replace('\\"', '""') for line in start.sample]
    before, after = (separator(some, format) if not start.mark else start.mark for some in (start.sample, lines))
    return not _even(_widths(start.sample, before, strict=True)) and _even(_widths(lines, after, strict=True))


def _even(widths: list[int]) -> bool:
    """Tell whether rows are equally wide, but perhaps for headings that are one short."""
    return len(widths) > 1 and len(set(widths[1:])) == 1 and widths[1] > 1 and widths[1] - widths[0] in (0, 1)


@dataclass(frozen=True)
class _Start:
    skip: int
    comments: tuple[str, ...]
    sample: list[str]
    mark: str = ""


def _start(file: TextFile, number: int = _SAMPLE) -> _Start:
    """Return what stands at the top of a file: a line that names the mark, comments, and the first lines after them."""
    lines = file.lines()
    skip, mark = 0, ""
    comments: list[str] = []
    first = next(lines, "")
    if said := _SEP.fullmatch(first):
        skip, mark = 1, said[1]
        first = next(lines, "")
    while (first.startswith(("#", "% ", "%%")) and not is_error(first)) or (comments and first and not first.strip()):
        skip += 1
        if first.strip():
            comments.append(first)
        first = next(lines, "")
    sample = _few(chain([first] if first else [], lines), file.budget.longest, number)
    if comments and not any(line.strip() for line in sample):  # nothing else: then they are no comments
        return _Start(0, (), _few(file.lines(), file.budget.longest, number))
    return _Start(skip, tuple(comments), sample, mark)


def _few(lines: Iterable[str], longest: int, number: int) -> list[str]:
    """Return so many of the first lines, and fewer of them where they are long."""
    found, room = list[str](), longest
    for line in islice(lines, number):
        found.append(line)
        room -= len(line)
        if room < 0:
            break
    return found


def _skipped(start: _Start, titles: int, headings: bool) -> list[str]:
    notes = []
    if start.mark:
        notes.append(f"The first line says that {named(start.mark)} separate the fields.")
    if headings:
        notes.append(f"The headings are those of the comment {shortened(start.comments[-1].strip(), 40)!r}.")
    left = [
        *start.comments[: len(start.comments) - headings],
        *(line for line in start.sample[:titles] if line.strip()),
    ]
    if left:
        number = counted(len(left), "line")
        is_are = "is" if len(left) == 1 else "are"
        some = f"{shortened(left[0].strip(), 40)!r}"
        notes.append(f"{number} before the headings, {'such as ' if len(left) > 1 else ''}{some}, {is_are} skipped.")
    return notes


def _rows(lines: list[str], mark: str) -> list[list[str]]:
    """Return the rows of some lines, but for a last one that may be cut within quotes, and for what is broken."""
    rows: list[list[str]] = []
    with long_fields(), suppress(csv.Error):
        reader = csv.reader(_uncommented(lines), delimiter=mark, skipinitialspace=mark != "\t")
        rows.extend(row for row in reader if row)
    return rows[:-1] if len(lines) == _SAMPLE and len(rows) > 1 else rows


def _between_words(lines: list[str]) -> bool:
    """Tell whether a table stands between blank lines, and a few lines of words before or below it."""
    blocks = [list(block) for filled, block in groupby(lines, key=lambda line: bool(line.strip())) if filled]
    tables = [block for block in blocks if len(block) > LEAST and any(_even(_widths(block, mark)) for mark in MARKS)]
    if len(tables) != 1 or len(blocks) < 2:
        return False
    table = tables[0]
    mark = next(mark for mark in MARKS if _even(_widths(table, mark)))
    few = all(len(block) <= LEAST for block in blocks if block != table)
    lone = all(set(_widths(block, mark)) == {1} for block in blocks[: blocks.index(table)])
    return few and lone and _like_headings(_rows(table, mark))


def _lines_of_titles(lines: list[str], mark: str) -> int:
    """Return how many lines stand before the table, blank ones among them."""
    number = titles(_rows(lines, mark))
    kept = set(_uncommented(lines))
    return [place for place, line in enumerate(lines) if line.strip() and line in kept][number] if number else 0


def titles(rows: list[list[str]]) -> int:
    """Return how many rows before the table hold one field, or one and nothing else, where all others hold many."""
    lone = next((place for place, row in enumerate(rows) if len(row) > 1 and all(row[1:])), 0)
    before, rest = rows[:lone], _upper(rows[lone:])
    if not before or len(rest) < 2 or len({len(row) for row in rest}) > 1:
        return 0
    if not all(row[0].strip() and not any(row[1:]) and "\n" not in row[0] for row in before):
        return 0
    width, wide = len(rest[0]), max(map(len, before))
    return 0 if wide not in (1, width) or ((width == 2 or wide > 1) and not _like_headings(rest)) else lone


def _upper(rows: list[list[str]]) -> list[list[str]]:
    """Return rows without the last ones that are narrower, as remarks below a table are."""
    width = max(map(len, rows), default=0)
    last = next((place for place, row in enumerate(reversed(rows)) if len(row) == width), 0)
    return rows[: len(rows) - last] if len(rows) - last > LEAST else rows


def _like_headings(rows: list[list[str]]) -> bool:
    """Tell whether the first row holds words only, and a later one a number."""
    return not any(map(is_plain, rows[0])) and any(is_plain(field) for row in rows[1:] for field in row)


def _commented(comment: str, mark: str, rows: list[list[str]]) -> list[str] | None:
    """Return the headings that a comment holds: as many as there are fields, before a row with numbers."""
    found = next(iter(_rows([comment.lstrip("# ")], mark)), [])
    fits = len(found) == len(rows[0]) > 1 and (any(map(is_plain, rows[0])) or len(rows) == 1)
    return found if fits and all(name.strip() for name in found) else None


def headings(first: list[str], body: list[list[str]], quoted: bool = False) -> Headings | int:
    """Return what the headings of a table say, given the first rows below them; or the place of one that is missing.

    Headings that are one short and in quotes are those of R, which writes none for the names of rows.
    """
    names, notes, unheaded = _unquoted_names(first), [NUMBERED] if are_numbers(first) else [], False
    if len(body) > 1 and {len(row) for row in body} == {len(names) + 1}:
        if not any(row[-1].strip() for row in body):
            names.append("")
        elif quoted:
            names.insert(0, "")
            unheaded = True
    if rowed := len(names) > 1 and not names[0] and any(names[1:]):
        names[0] = free_name(ROW, names)
        why = "The headings are one fewer than the fields" if unheaded else "The first column has no name"
        notes.append(f"{why}: the first column, {names[0]!r}, is taken as the names of rows, not as a feature.")
    blank = next((place for place, name in enumerate(reversed(names)) if name), 0)
    if blank:
        what = "The last column has" if blank == 1 else f"The last {blank} columns have"
        notes.append(f"{what} no name and no value, and {'is' if blank == 1 else 'are'} left out.")
    kept = names[: len(names) - blank]
    if "" in kept:
        return kept.index("")
    kept, repeated = distinct(kept)
    return Headings((*kept, *[""] * blank), False, rowed, unheaded, blank, (*notes, *repeated))


def _unquoted_names(first: list[str]) -> list[str]:
    """Return names without the single quotes that stand around each of them, as some programs write them."""
    names = [name.strip() for name in first]
    around = all(len(name) > 2 and name[0] == name[-1] == "'" for name in names)
    return [name[1:-1] for name in names] if around else names


def nameless(file: TextFile, mark: str, skip: int, place: int) -> DataError:
    """Return the error of a column without a name that is not empty."""
    reader = csv.reader(islice(file.lines(), skip, None), delimiter=mark, skipinitialspace=mark != "\t")
    next(row for row in reader if row)
    return file.error(skip + reader.line_num, f"column {place + 1} has no name; give it one, or delete the column")


def distinct(names: list[str]) -> tuple[list[str], list[str]]:
    """Return names of which none comes twice, and notes on those that did.

    >>> distinct(["a", "b", "a"])
    (['a', 'b', 'a_2'], ["2 columns are called 'a': the later ones are named 'a_2'."])
    """
    found: list[str] = []
    again: dict[str, list[str]] = {}
    numbers: dict[str, Iterator[int]] = {}
    taken = set(names)
    for name in names:
        if name not in numbers:
            numbers[name] = count(2)
            found.append(name)
            continue
        later = again.setdefault(name, [])
        later.append(next(made for k in numbers[name] if (made := f"{name}_{k}") not in taken))
        taken.add(later[-1])
        found.append(later[-1])
    notes = [
        f"{len(later) + 1} columns are called {name!r}: the later ones are named {listed(later)}."
        for name, later in again.items()
    ]
    return found, notes


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name that is not taken."""
    known = frozenset(taken)
    while name in known:
        name += "_"
    return name


def made_up(width: int) -> tuple[str, ...]:
    """Return names for so many columns that have none."""
    return tuple(f"x{place}" for place in range(1, width + 1))


def _quotes(file: TextFile, skip: int) -> tuple[bool, bool]:
    """Tell whether the first row begins with a quote, and whether numbers follow in none, as no headings of R do."""
    line = next((line for line in islice(file.lines(), skip, None) if line.strip()), "").lstrip()
    quoted = line.startswith('"')
    return quoted, quoted and any(map(is_plain, _WORD.findall(_IN_QUOTES.sub('""', line))))


def _is_no_comma(mark: str, rows: list[list[str]]) -> bool:
    """Tell whether a mark stands between fields and not before decimals.

    It does if it is no comma, beside decimal points, and after whole numbers that count the rows.
    """
    numbered = len(rows) >= _MORE and [row[0].strip() for row in rows] == [str(k) for k in range(1, len(rows) + 1)]
    return mark != "," or numbered or any(is_plain(field) and not _is_whole(field) for row in rows for field in row)


def separator(lines: list[str], format: str) -> str:
    """Return the mark that cuts all of the first lines into equally many fields, more than one; else the usual one.

    A mark by which every quote is closed goes before one that leaves all lines to a field whose quote stays open, and
    tabs before others, which names of people hold, too.
    """
    marks = sorted(MARKS, key=lambda mark: mark != usual(format))
    tabs_first = sorted(marks, key=lambda mark: mark != "\t")
    if sound := next((mark for mark in tabs_first if _all_alike(_widths(lines, mark, strict=True))), None):
        return sound
    if any('"' in line for line in lines) and between_blanks(_uncommented(lines)):
        return " "
    widths = {mark: _widths(lines, mark) for mark in marks}
    even = next((mark for mark in tabs_first if len(widths[mark]) > 1 and _all_alike(widths[mark])), None)
    even = even or next((mark for mark in tabs_first if _nearly_even(widths[mark]) and widths[mark][0] > 1), None)
    if even is None and between_blanks(_uncommented(lines)):
        return " "
    even = even or next((mark for mark in tabs_first if _nearly_even(widths[mark])), None)
    if even is None and all(set(found) == {1} for found in widths.values()) and _have_numbers(lines):
        return " "
    return even or max(marks, key=lambda mark: widths[mark][0] if widths[mark] else 0)


def _have_numbers(lines: list[str]) -> bool:
    """Tell whether lines have equally many fields between blanks, and a column of numbers among them."""
    rows = [line.split() for line in _uncommented(lines) if line.strip()]
    columns = zip(*rows[1:], strict=True) if _all_alike([len(row) for row in rows]) else []
    return any(are_numbers(list(column)) for column in columns)


def _all_alike(widths: list[int]) -> bool:
    """Tell whether rows are equally wide, and wider than one field."""
    return len(set(widths)) == 1 and widths[0] > 1


def _nearly_even(widths: list[int]) -> bool:
    """Tell whether rows are equally wide but for titles before them, or headings that are one short."""
    lone = next((place for place, width in enumerate(widths) if width > 1), len(widths))
    if lone:
        return len(widths) > lone + 1 and len(set(widths[lone:])) == 1
    return len(widths) > 2 and len(set(widths[1:])) == 1 and widths[1] - widths[0] == 1


def named(mark: str) -> str:
    """Return the name of a mark, in the plural."""
    return MARKS.get(mark, "blanks" if mark == " " else repr(mark))


def usual(format: str) -> str:
    """Return the mark that a format has its name from."""
    return "\t" if format == "tsv" else ","


def _uncommented(lines: list[str]) -> list[str]:
    """Return lines without those that may be comments, unless nearly all may; within quotes there is no comment."""
    rest: list[str] = []
    quoted = False
    for line in lines:
        if quoted or not line.startswith("#") or is_error(line):
            rest.append(line)
            quoted = _left_open(line, quoted)
    return rest if len(rest) > 1 else lines


def is_error(line: str) -> bool:
    """Tell whether a line begins with an error of a spreadsheet, which is a field and no comment.

    >>> is_error("#DIV/0!,3"), is_error("# made by hand")
    (True, False)
    """
    found = _ERROR.match(line)
    return found is not None and found[0].lower() in ERRORS


def _left_open(line: str, quoted: bool) -> bool:
    """Tell whether a line ends within quotes, given whether it begins so."""
    return any(not end for end in _QUOTED.findall('"' + line if quoted else line))


def _widths(lines: list[str], mark: str, strict: bool = False) -> list[int]:
    """Return the numbers of fields in rows, or none where a row is broken; the last may be cut within quotes."""
    widths: list[int] = []
    cut = len(lines) == _SAMPLE
    try:
        with long_fields():
            reader = csv.reader(_uncommented(lines), delimiter=mark, skipinitialspace=mark != "\t", strict=strict)
            widths.extend(len(row) for row in reader if row)
    except csv.Error as error:
        return widths if cut and "unexpected end of data" in str(error) else []
    return widths[:-1] if cut else widths


@contextmanager
def long_fields() -> Iterator[None]:
    """Let fields be long in a ``with`` block."""
    before = csv.field_size_limit(_LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def without_headings(rows: list[list[str]], quoted: bool = False, mixed: bool = False) -> bool:
    """Tell whether a table begins with its values: the first row holds numbers, which are no headings.

    They are headings if nothing stands above the names of rows; if they are 0, 1, 2, … above fractions, as pandas calls
    the columns of an array; and if four or more count on by one, or are years that rise, as no row below them does.
    Names may be fractions where the headings are in quotes, as R writes them; where those are `mixed` with numbers in
    none, they are values.

    Examples
    --------
    >>> without_headings([["", "1940", "1945"], ["Food", "22.2", "44.5"], ["Care", "3.5", "5.7"]])
    False
    >>> without_headings([["", "1.5", "2.5"], ["0.1", "0.7", "0.4"]])
    True
    >>> without_headings([["0", "1", "2"], ["0.3", "0.1", "0.9"]]), without_headings([["0", "1", "2"], ["1", "1", "0"]])
    (False, True)
    >>> years = ["2020", "2021", "2022", "2023"]
    >>> without_headings([years, ["7", "9", "8", "8"]]), without_headings([years, ["2021", "2022", "2023", "2024"]])
    (False, True)
    """
    first, body = [field.strip() for field in rows[0]], [row for row in rows[1:] if row]
    if not are_numbers(first):
        return _like_below(first, body, mixed)
    if quoted and body and {len(row) for row in body} == {len(first) + 1}:
        return False
    blank = next(place for place, field in enumerate(first) if field)
    given = first[blank:]
    if blank and all(given) and len(set(given)) == len(given):
        return not _are_names([[field.strip() for field in row[:blank]] for row in body], quoted)
    if _count_on(first) and body and not any(map(_count_on, body)):
        return False
    if _rising_years(first) and body and not any(map(_rising_years, body)):
        return False
    by_place = len(first) > 2 and first == [str(place) for place in range(len(first))]
    return not (by_place and any(is_plain(field) and not _is_whole(field) for row in body for field in row))


def _like_below(first: list[str], body: list[list[str]], mixed: bool = False) -> bool:
    """Tell whether a first row of words is one of values: numbers stand where numbers do below, and words come again.

    Where no word comes again its numbers must be none that columns are called by. A blank field among others is no
    heading either, unless nothing stands below it.

    >>> _like_below(["5.1", "setosa"], [["4.9", "setosa"], ["4.7", "setosa"], ["6.4", "virginica"]])
    True
    >>> _like_below(["land", "1990", "2000"], [["A", "1", "2"], ["B", "2", "3"], ["C", "3", "5"]])
    False
    """
    rows = [fields for row in body if (fields := [field.strip() for field in row]) != first and len(row) == len(first)]
    if len(rows) < LEAST or len(rows) < _ALIKE * len(body) or len(first) < 2 or not first[0]:
        return False
    columns = [list(column) for column in zip(*rows, strict=True)]
    of_numbers = [are_numbers(column) for column in columns]
    given = {field: column for field, column, n in zip(first, columns, of_numbers, strict=True) if n}
    words = [(field, column) for field, column, n in zip(first, columns, of_numbers, strict=True) if not n and field]
    if not all(field in MISSING or is_plain(field) for field in given):
        return False
    again = sum(field in column for field, column in words)
    if not given:
        return all(first) and len(words) >= LEAST and len(rows) >= _MORE and again == len(words)
    plain = [float(field) for field, n in zip(first, of_numbers, strict=True) if n and is_plain(field)]
    unnamed = any(not field and any(column) for field, column in zip(first, columns, strict=True))
    inside = mixed or all(_is_inside(float(field), column) for field, column in given.items() if is_plain(field))
    return bool(plain) and (again > 0 or unnamed or not _may_be_names(plain, inside))


def _is_inside(number: float, column: list[str]) -> bool:
    """Tell whether a number lies among those of a column."""
    numbers = [float(field) for field in column if field not in MISSING]
    return min(numbers) <= number <= max(numbers)


def _may_be_names(numbers: list[float], inside: bool) -> bool:
    """Tell whether numbers may be names of columns, below which stand others; `inside` if they are among those.

    Names do not come twice, and rise, as years and doses do, or fall. A fraction alone is none, and fractions do not
    fall. Others than years that lie among those below them are rather values.

    Examples
    --------
    >>> _may_be_names([1990, 2000], inside=True), _may_be_names([10, 20, 50], inside=False)
    (True, True)
    >>> _may_be_names([10, 20, 50], inside=True), _may_be_names([4, 7, 5], inside=False), _may_be_names([2.5], False)
    (False, False, False)
    """
    rising = all(a < b for a, b in pairwise(numbers))
    if any(number % 1 for number in numbers):
        return rising and len(numbers) > 1 and not inside
    falling = all(a > b for a, b in pairwise(numbers))
    return (rising or falling) and (not inside or _are_years(numbers))


def _are_years(numbers: list[float]) -> bool:
    return all(number in _YEARS for number in numbers)


def _are_names(rows: list[list[str]], quoted: bool) -> bool:
    """Tell whether fields could be the names of rows: none is blank, or a fraction, or alone in its row and twice."""
    sound = quoted or all(_is_whole(field) or not is_plain(field) for row in rows for field in row)
    lone = {row[0] for row in rows if len(row) == 1}
    return sound and bool(rows) and all(map(any, rows)) and len(lone) in (0, len(rows))


def _named(rows: list[list[str]]) -> bool:
    """Tell whether rows begin with words, none of them twice, or with numbers that rise, as R names rows."""
    names = [row[0].strip() for row in rows]
    if len(names) >= _COUNTED and names == [str(place) for place in range(1, len(names) + 1)]:
        return True
    if len(names) >= _MORE and all(map(is_plain, names)):
        return all(a < b for a, b in pairwise(map(float, names)))
    return len(set(names)) == len(names) and all(names) and not any(map(is_plain, names))


def _count_on(fields: list[str]) -> bool:
    """Tell whether fields are whole numbers of which each is one more than the one before, by which columns go."""
    if len(fields) < _RUN or not all(_is_whole(field) and len(field) < _DIGITS for field in fields):
        return False
    numbers = [int(field) for field in fields]
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _rising_years(fields: list[str]) -> bool:
    """Tell whether fields are years, of which each is later than the one before."""
    if len(fields) < _RUN or not all(_is_whole(field) and len(field) < _DIGITS for field in fields):
        return False
    years = [float(field) for field in fields]
    return _are_years(years) and all(a < b for a, b in pairwise(years))


def _is_whole(field: str) -> bool:
    return field.strip().removeprefix("-").isdecimal()


def looks_delimited(file: TextFile) -> bool:
    """Tell whether a file of an unknown kind is a table: its lines fall into equally many fields, or are numbers."""
    start = _start(file)
    if _has_cut_moments(file, start) or _are_escaped(start, "csv"):
        return True
    lines = [line for line in start.sample if line.strip()]
    if start.mark or (lines and all(numbers_of([line.strip()]) is not None for line in lines[_heading(lines) :])):
        return True
    if len(lines) < 2:
        return False
    if between_blanks(_uncommented(lines)) or have_both(_uncommented(lines)):
        return True
    if _unquoted(start.sample) is not None or _between_words(start.sample):
        return True
    if of_one_column([line.split("\t") for line in lines]):
        return True
    for mark in MARKS:
        widths = _widths(lines, mark)
        prose = mark == "," and all(", " in line for line in lines)
        if (_all_alike(widths) or (len(widths) > LEAST and _nearly_even(widths) and widths[0] > 1)) and not prose:
            return True
    _require_fit(file, start)
    return False


def _heading(lines: list[str]) -> int:
    """Return 1 where a single word stands above more lines, which may be its column, else 0."""
    return int(len(lines) > LEAST and len(lines[0].split()) == 1)


def doubtful(file: TextFile) -> str:
    """Return a sentence on lines that are taken as texts, but are like a table; nothing where they are not."""
    why = doubt(_uncommented(_start(file).sample))
    return f"Each line is taken as a text of its own, though {why}." if why else ""


def _require_fit(file: TextFile, start: _Start) -> None:
    """Refuse a table of words and numbers between blanks whose headings are too few or too many: it is no text."""
    head, *body = [fields_of(line) for line in _uncommented(start.sample) if line.strip()]
    widths = {len(row) for row in body}
    if len(body) < LEAST or len(widths) > 1 or max(widths) < 2 or len(head) < 2 or len(head) == max(widths):
        return
    if not any(map(is_plain, head)) and any(all(map(is_plain, column)) for column in zip(*body, strict=True)):
        raise file.error(
            start.skip + 1,
            f"{counted(len(head), 'heading')} above {max(widths)} fields between blanks: write the table with commas "
            "(in R by write.csv), or put what holds a blank in quotes; if it is no table, the format is 'lines'",
        )
