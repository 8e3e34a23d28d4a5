"""Fields between blanks, as R writes and prints tables: told from prose, line by line.

A line of prose and a row of a table without marks are both words with blanks between them. Rows are a table where the
evidence is strong:

    all fields are numbers              in equally many on every line
    "Mazda RX4" 21 6                    words in quotes, all else numbers, dates or NA; tabs may stand among the blanks
    headings, and a column of numbers   below headings without a number
    5.1 3.5 setosa                      no headings, and at least half of the columns hold numbers, two or more
    1 Male Child No 35                  no headings, and words that come again and again beside a column of numbers

What falls short of it is one text a line, and `doubt` says what speaks against that.
"""

from __future__ import annotations

import re
from collections import Counter

from gramian.intake.errors import counted
from gramian.intake.table import MISSING, numbers_of

FIELD = r'(?:"(?:\\"|""|[^"])*"|[^\s"]+)'
LINE = re.compile(rf"{FIELD}(?: +{FIELD})*\s*")
_TAB = re.compile(r'("(?:\\"|""|[^"])*")|\t')
LEAST = 3  # rows below headings that make a table
MORE = 8  # rows without headings and with words in most columns that make one
_OFTEN = 3  # times that a word of such comes again, on average
_MOST = 0.9  # of lines that speak for a table
_TOGETHER = 3  # numbers with blanks between them, between two tabs, which are no field
_WORDS = frozenset(["NA", "TRUE", "FALSE", "NaN", "Inf", "-Inf"])
_DATE = re.compile(
    r"-?\d{4}-\d\d-\d\d|(?:-?\d{4}-\d\d-\d\dT)?\d\d:\d\d(?::\d\d(?:\.\d+)?)?"
)  # which R does not put in quotes
ENDS = (".", "!", "?", ",", ";", ":")  # of a sentence, or a part of it


def is_plain(field: str) -> bool:
    """Tell whether a field is a number, and no mark of a missing one."""
    return field.strip() not in MISSING and numbers_of([field]) is not None


def are_numbers(fields: list[str]) -> bool:
    """Tell whether a column holds numbers, but for missing ones."""
    given = [field for field in map(str.strip, fields) if field not in MISSING]
    return bool(given) and numbers_of(given) is not None


def fields_of(line: str) -> list[str]:
    """Return the fields of a line between blanks, in quotes where they hold one.

    >>> fields_of('1.5   2 "Mazda RX4"')
    ['1.5', '2', '"Mazda RX4"']
    """
    return re.findall(FIELD, line) if LINE.fullmatch(line) else line.split()


def untabbed(line: str) -> str:
    """Return a line with blanks for tabs, but for those within quotes."""
    return _TAB.sub(lambda found: found[1] or " ", line)


def have_both(lines: list[str]) -> bool:
    r"""Tell whether tabs stand among the blanks of a table: numbers between blanks are no field between tabs.

    Examples
    --------
    >>> have_both(['18   8  307\t"ford torino"', '15   8  350\t"buick skylark 320"', '16   8  304\t"amc rebel"'])
    True
    >>> have_both(["48.1 11.6\tMunich", "52.5 13.4\tBerlin", "53.6 10.0\tHamburg"])
    False
    """
    if sum("\t" in line for line in lines) < _MOST * len(lines) or len(lines) < LEAST:
        return False
    head, *body = map(untabbed, lines)
    rows = [fields_of(line) for line in body]
    columns = [list(column) for column in zip(*rows, strict=True)] if len({len(row) for row in rows}) == 1 else []
    if not columns or len(fields_of(head)) != len(columns):
        return False
    together = all(any(_numbers_in(field) >= _TOGETHER for field in line.split("\t")) for line in lines[1:])
    return together and all(column[0].startswith('"') or hold_numbers(column) for column in columns)


def _numbers_in(field: str) -> int:
    """Return how many numbers a field holds, if it holds nothing else."""
    words = field.split()
    return len(words) if are_numbers(words) else 0


def between_blanks(lines: list[str]) -> bool:
    """Tell whether lines are a table with blanks between the fields.

    Examples
    --------
    >>> between_blanks(["5.1 3.5 setosa", "4.9 3.0 setosa", "7.0 3.2 versicolor"])
    True
    >>> between_blanks(["we saw 3 cats", "you saw 2 dogs", "they saw 9 cows"])
    False
    """
    rows = [fields_of(line) for line in lines if line.strip()]
    even = len({len(row) for row in rows}) == 1 and len(rows) > 1 and len(rows[0]) > 1
    if even and all(numbers_of(row) is not None for row in rows[1:]) and not any(line[-2:-1] == " " for line in lines):
        return True
    if _of_r(lines):
        return True
    tabs = any("\t" in line for line in lines)
    return not tabs and (_of_words(rows) or (even and _of_values(rows)) or of_one_column(rows))


def _of_words(rows: list[list[str]]) -> bool:
    """Tell whether fields between blanks are a table of words and numbers, and no prose.

    Below headings without a number all rows are equally wide, and a number stands in the same place of all of them.
    """
    head, body = (rows[0], rows[1:]) if rows else ([], [])
    widths = {len(row) for row in body}
    if len(body) < LEAST or len(widths) > 1 or max(widths) - len(head) not in (0, 1) or len(head) < 2:
        return False
    if len(set(head)) < len(head) or any(map(is_plain, head)):
        return False
    return any(hold_numbers(list(column)) for column in zip(*body, strict=True))


def of_one_column(rows: list[list[str]]) -> bool:
    """Tell whether a single heading stands above pairs, each of which is the name of a row and a number."""
    head, *body = [[field.strip('"') for field in row] for row in rows] or [[]]
    single = len(head) == 1 and not is_plain(head[0]) and len(body) >= LEAST and {len(row) for row in body} == {2}
    return single and hold_numbers([row[1] for row in body]) and len({row[0] for row in body}) == len(body)


def _of_values(rows: list[list[str]]) -> bool:
    """Tell whether even rows without headings are a table: numbers in many columns, or words that come again."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    words = [column for column in columns if not hold_numbers(column)]
    numbers = len(columns) - len(words)
    if numbers > 1 and numbers >= len(words):
        return len(rows) >= LEAST
    if len(rows) < MORE or not numbers or any(field.endswith(ENDS) for field in columns[-1]):
        return False
    return all(1 < len(set(column)) <= len(rows) / _OFTEN for column in words)


def hold_numbers(column: list[str]) -> bool:
    """Tell whether a column between blanks holds numbers, and few missing ones, for these are words of prose, too."""
    return are_numbers(column) and 2 * sum(field in MISSING for field in column) <= len(column)


def _of_r(lines: list[str]) -> bool:
    """Tell whether lines are as R writes a table: blanks between fields, and all words in quotes."""
    whole = [line for line in lines if line.strip()]
    if len(whole) < 2 or not all(map(LINE.fullmatch, whole)):
        return False
    fields = [re.findall(FIELD, line) for line in whole]
    widths = {len(row) for row in fields[1:]}
    if len(widths) > 1 or max(widths) < 2:
        return False
    plain = [[field for field in row if not field.startswith('"')] for row in fields]
    if not whole[0].startswith('"') and (len(whole) < LEAST or not all(0 < len(p) < max(widths) for p in plain)):
        return False
    short = max(widths) - len(fields[0])
    if short not in (0, int(not plain[0])):
        return False
    body = fields[bool(short) or all(field.startswith('"') for field in fields[0]) :]
    return all(_all_unquoted(list(column)) for column in zip(*body, strict=True))


def _all_unquoted(column: list[str]) -> bool:
    """Tell whether R, or who writes words in quotes as it does, leaves out those that some fields lack."""
    plain = [field for field in column if not field.startswith('"')]
    return all(map(_unquoted, plain)) or (len(plain) == len(column) and hold_numbers(plain))


def _unquoted(field: str) -> bool:
    """Tell whether R writes a field without quotes."""
    return field in _WORDS or _DATE.fullmatch(field) is not None or numbers_of([field]) is not None


def doubt(lines: list[str]) -> str:
    """Return what speaks for a table in lines that are taken as texts, as a part of a sentence, or nothing.

    Examples
    --------
    >>> doubt(["Mazda RX4 21 6", "Mazda RX4 Wag 21 6", "Datsun 710 22.8 4", "Valiant 18.1 6"])
    '4 of 4 lines end in 2 numbers, as rows of a table do whose first field holds blanks: if it is one, write ...
    >>> doubt(["a cat sat on a mat", "a dog ran", "all of 3 birds flew away"])
    ''
    """
    rows = [line.split() for line in lines if line.strip()]
    if len(rows) < LEAST:
        return ""
    for verb, which, side in (("end in", "first", rows), ("begin with", "last", [row[::-1] for row in rows])):
        ends = [numbers_at_the_end(row) for row in side]
        usual, _ = Counter(ends).most_common(1)[0]
        like = sum(end >= usual for end in ends)
        if usual > 1 and like >= _MOST * len(rows):
            return (
                f"{like} of {counted(len(rows), 'line')} {verb} {usual} numbers, as rows of a table do whose {which} "
                "field holds blanks: if it is one, write it with commas (in R by write.csv), or what holds a blank in "
                "quotes"
            )
    width, even = Counter(map(len, rows)).most_common(1)[0]
    if width > 1 and len(rows) >= MORE and even >= _MOST * len(rows):
        return (
            f"{even} of {counted(len(rows), 'line')} have {width} fields between blanks, as rows of a table have: "
            f"if it is one, {'--format csv (format= in Python)' if even == len(rows) else 'mend the others'}"
        )
    return ""


def numbers_at_the_end(row: list[str]) -> int:
    """Return how many numbers stand at the end of a row."""
    return next((place for place, field in enumerate(reversed(row)) if not are_numbers([field])), len(row))
