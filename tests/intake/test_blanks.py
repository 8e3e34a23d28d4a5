"""Tables between blanks, and tables without headings, are read as R reads them; texts of one line each stay texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gramian.intake.formats import read_raw
from gramian.intake.table import Table

WORDS = ["setosa", "virginica", "Quebec", "chilled", "horsebean", "VC", "OJ", "Male", "Child", "low", "dense", "t1"]
NOUNS = ["cat", "river", "engine", "letter", "garden", "window", "teacher", "market", "signal", "copper"]
VERBS = ["sees", "crosses", "follows", "builds", "remembers", "paints", "needs", "carries"]
OTHERS = ["the", "a", "every", "no", "old", "quiet", "often", "slowly", "with", "beside", "under", "again", "7", "12"]


def table(rng: np.random.Generator) -> tuple[list[str], list[list[str]]]:
    """Return names of columns and rows of words that come again, and of numbers."""
    n = int(rng.integers(12, 60))
    words, numbers = int(rng.integers(0, 3)), int(rng.integers(1, 4))
    columns = [rng.choice(rng.choice(WORDS, 3, replace=False), n).tolist() for _ in range(words)]
    for _ in range(numbers):
        values = rng.normal(50, 20, n).round(int(rng.integers(0, 3)))
        columns.append([f"{value:g}" if rng.random() > 0.05 else "NA" for value in values])
    order = rng.permutation(len(columns))
    names = [f"v.{place}" for place in range(len(columns))]
    return names, [[columns[place][row] for place in order] for row in range(n)]


def written(rng: np.random.Generator, names: list[str], rows: list[list[str]]) -> tuple[str, bool, bool]:
    """Return what R writes, and whether it has names of rows and headings."""
    named, headed, quote = (bool(rng.random() < 0.5) for _ in range(3))
    mark = " " if len(rows[0]) + named > 1 and rng.random() < 0.8 else "\t"

    def field(text: str) -> str:
        number = text == "NA" or text.lstrip("-").replace(".", "").isdecimal()
        return f'"{text}"' if quote and not number else text

    def name(text: str) -> str:
        return f'"{text}"' if quote else text

    lines = [mark.join(map(name, names))] if headed else []
    lines += [mark.join([name(str(place))] * named + list(map(field, row))) for place, row in enumerate(rows, 1)]
    return "\n".join(lines) + "\n", named, headed


def raw(write: Callable[..., Any], text: str) -> Table:
    found = read_raw(write(text, "t.txt"))
    assert isinstance(found, Table)
    return found


@pytest.mark.parametrize("seed", range(200))
def test_tables_of_r_are_tables_with_every_row_and_number(write: Callable[..., Any], seed: int) -> None:
    rng = np.random.default_rng(seed)
    names, rows = table(rng)
    text, named, headed = written(rng, names, rows)
    if len(rows[0]) + named == 1:
        return  # a single column is one word a line
    found = raw(write, text)
    assert (found.format, len(found)) == ("csv", len(rows)), text[:200]
    columns = list(found.columns.values())[named:]
    assert len(columns) == len(names)
    if headed:
        assert list(found.columns)[named:] == names
    for place, column in enumerate(columns):
        given = [row[place] for row in rows]
        if column.dtype.kind == "f":
            assert np.array_equal(
                column, [np.nan if value == "NA" else float(value) for value in given], equal_nan=True
            )
        else:
            assert column.tolist() == [None if value == "NA" else value for value in given]


def sentence(rng: np.random.Generator, width: int | None) -> str:
    """Return a line of prose, of so many words if that is said, which may have a number in it."""
    words = [rng.choice(OTHERS), rng.choice(NOUNS), rng.choice(VERBS), rng.choice(OTHERS), rng.choice(NOUNS)]
    more = int(rng.integers(0, 6)) if width is None else max(width - 5, 0)
    words += [str(rng.choice([*OTHERS, *NOUNS, *VERBS])) for _ in range(more)]
    return " ".join(map(str, words[:width])) + str(rng.choice([".", "", "!", "?"]))


@pytest.mark.parametrize("seed", range(200))
def test_sentences_are_texts_even_if_all_have_as_many_words(write: Callable[..., Any], seed: int) -> None:
    rng = np.random.default_rng(seed)
    width = None if seed % 2 else int(rng.integers(4, 10))
    lines = [sentence(rng, width) for _ in range(int(rng.integers(4, 80)))]
    found = raw(write, "\n".join(lines) + "\n")
    assert (found.format, len(found)) == ("lines", len(lines))
    doubts = [note for note in found.notes if "taken as a text of its own" in note]
    assert len(doubts) == (width is not None and len(lines) >= 8)


@pytest.mark.parametrize("seed", range(40))
def test_rows_whose_names_hold_blanks_are_taken_for_texts_and_that_is_said(
    write: Callable[..., Any], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    names = [" ".join(rng.choice(NOUNS, int(rng.integers(1, 4)))) for _ in range(30)]
    numbers = rng.normal(size=(30, int(rng.integers(2, 6)))).round(3)
    rows = [f"{name} {' '.join(map(str, row))}" for name, row in zip(names, numbers.tolist(), strict=True)]
    head = [" ".join(f"v{k}" for k in range(numbers.shape[1]))] * (seed % 2)
    found = raw(write, "\n".join([*head, *rows]) + "\n")
    assert found.format == "lines"
    assert sum("whose first field holds blanks: if it is one, write it with commas" in note for note in found.notes)


@pytest.mark.parametrize("mark", [",", ";", "\t", "|", " "])
@pytest.mark.parametrize("seed", range(20))
def test_a_first_line_of_values_is_no_line_of_headings(write: Callable[..., Any], mark: str, seed: int) -> None:
    """As in the files of UCI: numbers and the name of a class, or letters only."""
    rng = np.random.default_rng(seed)
    if seed % 2:
        numbers = rng.normal(5, 2, (20, 3)).round(1)
        rows = [[*map(str, row), str(name)] for row, name in zip(numbers, rng.choice(WORDS[:2], 20), strict=True)]
    else:
        rows = rng.choice(list("xyz"), (40, 4)).tolist()
        if mark == " ":
            return  # letters between blanks are no table
    found = read_raw(write("\n".join(map(mark.join, rows)) + "\n", "t.data"))
    assert isinstance(found, Table)
    assert list(found.columns) == ["x1", "x2", "x3", "x4"]
    assert len(found) == len(rows)
    assert any("The first line holds values, like those below it" in note for note in found.notes)


@pytest.mark.parametrize(
    "text",
    [
        "land,1990,2000\nA,1,2\nB,3,5\nC,4,4\nD,1,7\n",
        "land,0.5,1.5\nA,1.5,2\nB,3,5\nC,4,4\nD,1,7\n",
        "class,size\nx,1\ny,2\nclass,3\nz,4\n",
        "a,b,c\nb,a,c\nc,b,a\na,b,b\n",
    ],
)
def test_headings_stay_headings(write: Callable[..., Any], text: str) -> None:
    found = read_raw(write(text, "t.csv"))
    assert isinstance(found, Table)
    assert list(found.columns) == text.splitlines()[0].split(",")


def test_one_number_a_line_below_a_word_is_a_column(write: Callable[..., Any]) -> None:
    found = raw(write, "miles\n412\n480\n683\n1052\n")
    assert found.columns["miles"].tolist() == [412, 480, 683, 1052]
    found = raw(write, "miles\n1937 412\n1938 480\n1939 683\n1940 1052\n")
    assert found.columns["miles"].tolist() == [412, 480, 683, 1052]


def test_a_format_that_is_given_is_taken_at_its_word(write: Callable[..., Any]) -> None:
    path = write("bob saw 3 cats\nann had 2 dogs\njoe met 9 cows\n", "t.txt")
    assert read_raw(path).format == "lines"
    found = read_raw(path, format="csv")
    assert isinstance(found, Table)
    assert (len(found.columns), found.format) == (4, "csv")
