"""Tables between blanks in which one column holds blanks itself, and stands in no quotes: ``write.table(quote=FALSE)``.

    mpg cyl disp                 below k headings without a number, each row ends in k fields that go together,
    Mazda RX4 21 6 160           and what stands before them is the name of the row; or one of the k columns
    Valiant 18.1 6 225           is the one with blanks, wherever it stands
    Mazda RX4 21 6 160           without headings: each row ends in as many numbers

Fields go together where they are numbers, or words that come again and again. Lines of prose end in no such columns.
Where more than one column could be the one with blanks, or two hold some, nothing is guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gramian.intake.blanks import ENDS, LEAST, MORE, are_numbers, hold_numbers, is_plain
from gramian.intake.errors import counted

_MARK = re.compile("[,;|]")
_ENOUGH = 2  # columns of numbers that make a table of a few rows; with fewer it takes more rows
_NAME = 4  # words of a name, on average, at most, where there is one column of numbers: sentences have more
_CLEAR = 3  # the same where there are no headings
_SEVERAL = 6  # rows in which one word stands beside another, so that they are rather one name
_OFTEN = 8  # times that a word comes again, on average, in a column of its own


@dataclass(frozen=True)
class Unquoted:
    """How many plain fields stand in a row before the one that holds blanks, and how many after it."""

    before: int
    after: int
    headed: bool = True

    def joined(self, line: str) -> str:
        """Return a line with that field in quotes; one that is too short for it as it is.

        Examples
        --------
        >>> Unquoted(0, 2).joined("Mazda RX4 21 6"), Unquoted(0, 2).joined("mpg cyl")
        ('"Mazda RX4" 21 6', 'mpg cyl')
        """
        words = line.split()
        end = len(words) - self.after
        if end <= self.before:
            return line
        field = " ".join(words[self.before : end]).replace('"', '""')
        return " ".join([*words[: self.before], f'"{field}"', *words[end:]])

    @property
    def note(self) -> str:
        """What was guessed, as a sentence."""
        if not self.before:
            what = f"what stands before the last {counted(self.after, 'field')}"
        elif not self.after:
            what = f"what stands after the first {counted(self.before, 'field')}"
        else:
            what = f"what stands after the first {self.before} and before the last {counted(self.after, 'field')}"
        return f"Column {self.before + 1} holds blanks and stands in no quotes: {what} of a row is taken as one."


def unquoted(lines: list[str]) -> Unquoted | None:
    """Return where the one column stands that holds blanks without quotes, or None where lines are no such table.

    Examples
    --------
    >>> unquoted(["mpg cyl", "Mazda RX4 21 6", "Mazda RX4 Wag 21 6", "Datsun 710 22.8 4", "Valiant 18.1 6"])
    Unquoted(before=0, after=2, headed=True)
    >>> unquoted(["we saw 3 cats", "you saw 2 dogs there", "they saw 9 cows", "I had 3 birds"]) is None
    True
    """
    if any('"' in line or "\t" in line for line in lines):
        return None
    head, *body = [line.split() for line in lines if line.strip()] or [[]]
    if len(body) < LEAST:
        return None
    if any(map(is_plain, head)):
        return _headless([head, *body])
    if len(set(head)) < len(head) or any(name.endswith(ENDS) or _MARK.search(name) for name in head):
        return None
    return _best(body, _places(body, len(head) + 1, named=True) or _places(body, len(head)))


def _places(body: list[list[str]], width: int, named: bool = False) -> dict[Unquoted, int]:
    """Return where the column with blanks may stand in rows of so many fields, and how many others hold numbers.

    Where rows are `named` all fields of the first column differ; else there may be a name of the row before them.
    """
    first = int(_counts([row[0] for row in body]))  # what counts the rows is a field of its own
    places = [Unquoted(place, width - 1 - place) for place in range(first, width)]
    found = {place: _numbers(body, place) for place in places if not named or _differ(body, place)}
    return {place: numbers for place, numbers in found.items() if numbers and (named or not _may_be_two(body, place))}


def _best(body: list[list[str]], places: dict[Unquoted, int]) -> Unquoted | None:
    """Return the place that leaves most numbers, or None where there is none, or several."""
    most = max(places.values(), default=0)
    best = [place for place, numbers in places.items() if numbers == most]
    return best[0] if len(best) == 1 and not _parted(body, best[0]) else None


def _differ(body: list[list[str]], place: Unquoted) -> bool:
    """Tell whether no field of the first column comes twice."""
    first = [row[0] if place.before else " ".join(row[: len(row) - place.after]) for row in body]
    return len(set(first)) == len(first)


def _may_be_two(body: list[list[str]], place: Unquoted) -> bool:
    """Tell whether a field with blanks may be two: none is a single word, or all begin or end with a number."""
    rest = place.before + place.after
    numbers = any(all(is_plain(row[at]) for row in body) for at in (place.before, -place.after - 1))
    return numbers or min(map(len, body)) > rest + 1


def _numbers(body: list[list[str]], place: Unquoted) -> int:
    """Return how many columns beside the one with blanks hold numbers; 0 where they do not go together."""
    before, after = place.before, place.after
    if not before + after or any(len(row) <= before + after for row in body):
        return 0
    columns = _beside(body, before, after)
    numbers = [hold_numbers(column) for column in columns]
    counts = bool(before) and _counts(columns[0])
    sound = all(number or _come_again(column) for number, column in zip(numbers, columns, strict=True))
    if not sound or any(field.endswith(ENDS) for column in columns for field in column):
        return 0
    evidence = sum(numbers) - counts
    words = sum(map(len, body)) / len(body) - len(columns)
    return evidence if evidence >= _ENOUGH or (len(body) >= MORE and words <= _NAME) else 0


def _beside(body: list[list[str]], before: int, after: int) -> list[list[str]]:
    return [list(column) for column in zip(*(row[:before] + row[len(row) - after :] for row in body), strict=True)]


def _come_again(column: list[str]) -> bool:
    """Tell whether a column holds words, and these are there twice or more on average."""
    return len(set(column)) <= len(column) / 2 and not any(map(is_plain, column))


def _parted(body: list[list[str]], place: Unquoted) -> bool:
    """Tell whether a cut beside the column with blanks goes through another one: "Latin" before each "America"."""
    before, after = place.before, place.after
    pairs = [("after", row[-after], row[-after - 1]) for row in body if after]
    pairs += [("before", row[before - 1], row[before]) for row in body if before]
    beside: dict[tuple[str, str], list[str]] = {}
    for side, word, other in pairs:
        if not is_plain(word):
            beside.setdefault((side, word), []).append(other)
    return any(len(words) >= _SEVERAL and len(set(words)) == 1 for words in beside.values())


def _counts(column: list[str]) -> bool:
    """Tell whether a column numbers the rows."""
    given = [field.rstrip(".):") for field in column]
    return given in ([str(row) for row in range(first, first + len(column))] for first in (0, 1))


def _headless(rows: list[list[str]]) -> Unquoted | None:
    """Return the same for rows that all end in as many numbers, below no headings."""
    after = min(map(_at_the_end, rows))
    before = min(map(_at_the_end, (row[::-1] for row in rows)))
    enough = after >= _CLEAR or (after >= _ENOUGH and len(rows) >= MORE)
    if not enough or len({len(row) for row in rows}) == 1 or any(len(row) <= before + after for row in rows):
        return None
    if not all(map(hold_numbers, _beside(rows, 0, after))) or any(row[-1].endswith(ENDS) for row in rows):
        return None
    while all(len(row) > before + after + 1 for row in rows) and _are_few([row[-after - 1] for row in rows]):
        after += 1
    found = Unquoted(before, after, headed=False)
    return None if _parted(rows, found) else found


def _are_few(column: list[str]) -> bool:
    """Tell whether words come again so often that they are a column of their own, and no ends of names."""
    return _OFTEN * len(set(column)) <= len(column)


def _at_the_end(row: list[str]) -> int:
    """Return how many numbers, or missing ones, stand at the end of a row."""
    return next(
        (place for place, field in enumerate(reversed(row)) if not (are_numbers([field]) or field == "NA")), len(row)
    )
