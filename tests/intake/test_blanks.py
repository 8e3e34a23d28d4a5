"""Tables between blanks, and tables without headings, are read as R reads them; texts of one line each stay texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gramian.intake.errors import DataError
from gramian.intake.formats import read_raw
from gramian.intake.reading import read_data
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


NAMES = [f"{first}{second}" for first in ("New ", "Old ", "", "Port of ") for second in NOUNS]


@pytest.mark.parametrize("seed", range(80))
def test_names_of_rows_may_hold_blanks_without_quotes(write: Callable[..., Any], seed: int) -> None:
    """As by ``write.table(mtcars, quote=FALSE)``, with headings or without, and a column of words among the numbers."""
    rng = np.random.default_rng(seed)
    n, width, headed = int(rng.integers(8, 40)), int(rng.integers(2, 6)), bool(seed % 2)
    names = [str(name) for name in rng.permutation(NAMES)[:n]]
    numbers = rng.normal(50, 20, (n, width)).round(int(rng.integers(0, 3)))
    columns = [[f"{number:g}" for number in column] for column in numbers.T]
    words = bool(headed and rng.random() < 0.5)
    if words:
        columns.insert(int(rng.integers(0, width + 1)), rng.choice(["low", "high"], n).tolist())
    head = " ".join(f"v{place}" for place in range(len(columns)))
    lines = [" ".join(row) for row in zip(names, *columns, strict=True)]
    found = raw(write, "\n".join([head] * headed + lines) + "\n")
    assert (found.format, len(found)) == ("csv", n), lines[:3]
    first, *others = found.columns.values()
    assert first.tolist() == names
    assert [column.tolist() for column in others if column.dtype.kind == "f"] == [
        list(map(float, column)) for column in columns if column[0] not in ("low", "high")
    ]
    assert (next(iter(found.columns)) in found.settled) == headed
    assert any(note.startswith("Column 1 holds blanks and stands in no quotes: what stands be") for note in found.notes)


@pytest.mark.parametrize("seed", range(80))
def test_any_column_may_hold_blanks_without_quotes(write: Callable[..., Any], seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, width, place, counted = int(rng.integers(10, 40)), int(rng.integers(3, 6)), int(rng.integers(0, 6)), seed % 2
    place = min(place, width - 1)
    names = [str(name) for name in rng.permutation(NAMES)[:n]]
    columns = [[f"{number:g}" for number in rng.normal(50, 20, n).round(1)] for _ in range(width)]
    columns[place] = names
    rows = [list(row) for row in zip(*columns, strict=True)]
    lines = [" ".join([str(row)] * counted + fields) for row, fields in enumerate(rows, 1)]
    found = raw(write, "\n".join([" ".join(f"v{k}" for k in range(width)), *lines]) + "\n")
    assert (found.format, len(found), len(found.columns)) == ("csv", n, width + counted), lines[:3]
    for name, column in zip([f"v{k}" for k in range(width)], columns, strict=True):
        assert found.columns[name].tolist() == (column if column is names else list(map(float, column)))


@pytest.mark.parametrize(
    "lines",
    [
        ["v3", *(f"{k % 5} {name} {NAMES[~k]} {k % 7}" for k, name in enumerate(NAMES))],
        [f"{name} {['Latin America', 'Africa'][k % 2]} {k} {k % 7}" for k, name in enumerate(NAMES)],
        [f"{name} {k % 3} {k % 4} {k % 7}" for k, name in enumerate([*NAMES[15:25], *NAMES[15:25]])],
    ],
    ids=["two columns with blanks", "a column cut in two", "names twice"],
)
def test_where_it_is_not_clear_which_column_holds_blanks_nothing_is_guessed(
    write: Callable[..., Any], lines: list[str]
) -> None:
    text = "v0 v1 v2" + " \n"[lines[0] != "v3"] + "\n".join(lines) + "\n"
    found = raw(write, text)
    assert (found.format, len(found)) == ("lines", len(text.splitlines()))


@pytest.mark.parametrize("seed", range(60))
def test_texts_that_begin_or_end_with_numbers_are_texts(write: Callable[..., Any], seed: int) -> None:
    """Numbered lines, lines that end in a year, in a price or in a number of pages; with a title above them or not."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(8, 40))
    lines = [sentence(rng, None).rstrip(".!?") for _ in range(count)]
    kind = seed % 4
    if kind == 0:
        lines = [f"{k}. {line}" for k, line in enumerate(lines, 1)]
    elif kind == 1:
        lines = [f"{k} {line}" for k, line in enumerate(lines, 1)]
    elif kind == 2:
        lines = [f"{line} in {year}." for line, year in zip(lines, rng.integers(1900, 2020, count), strict=True)]
    else:
        lines = [
            f"{line} {page}" if k % 3 else line for k, (line, page) in enumerate(zip(lines, range(count), strict=True))
        ]
    title = [["Notes"], ["What I saw"], ["Things and people of the year"], []][int(rng.integers(0, 4))]
    found = raw(write, "\n".join([*title, *lines]) + "\n")
    assert (found.format, len(found)) == ("lines", count + len(title))


def test_mtcars_without_quotes(write: Callable[..., Any]) -> None:
    text = (
        "mpg cyl disp\nMazda RX4 21 6 160\nMazda RX4 Wag 21 6 160\nDatsun 710 22.8 4 108\nHornet 4 Drive 21.4 6 258\n"
        "Hornet Sportabout 18.7 8 360\nValiant 18.1 6 225\n"
    )
    data = read_data(write(text, "mtcars.txt"))
    assert data.recipe.columns == ("mpg", "cyl", "disp")
    assert data.X[3].tolist() == [21.4, 6, 258]
    assert list(data.names)[3] == "Hornet 4 Drive"
    aligned = "\n".join(f"{line[: -len(end)].strip():20}{end:>12}" for line, end in _ends(text)) + "\n"
    printed = read_data(write(aligned, "printed.txt"))
    assert np.array_equal(printed.X, data.X)
    bare = read_data(write(text.partition("\n")[2], "bare.txt"), columns=["x2", "x3", "x4"])
    assert np.array_equal(bare.X, data.X)


def _ends(text: str) -> list[tuple[str, str]]:
    return [(line, " ".join(line.split()[-3:])) for line in text.splitlines()]


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


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("mark", [",", " ", "\t"])
def test_a_first_column_without_heading_that_counts_the_rows_is_their_index(
    write: Callable[..., Any], mark: str, first: int
) -> None:
    rng = np.random.default_rng(first)
    rows = [[str(k + first), *map(str, row)] for k, row in enumerate(rng.normal(5, 2, (30, 3)).round(1).tolist())]
    path = write("\n".join(map(mark.join, rows)) + "\n", "t.data")
    data = read_data(path)
    assert data.recipe.columns == ("x2", "x3", "x4")
    assert list(data.names)[:2] == [str(first), str(first + 1)]
    assert any(f"counts the rows from {first} to {29 + first}, and is taken as their index" in n for n in data.notes)
    assert read_data(path, kinds={"x1": "number"}).recipe.columns == ("x1", "x2", "x3", "x4")
    new = write("\n".join(map(mark.join, rows[5:9])) + "\n", "new.data")  # whose rows count from elsewhere
    assert np.array_equal(data.recipe.apply(new).X, data.X[5:9])
    rows[3], rows[4] = rows[4], rows[3]
    path = write("\n".join(map(mark.join, rows)) + "\n", "mixed.data")
    assert read_data(path).recipe.columns == ("x1", "x2", "x3", "x4")


@pytest.mark.parametrize(
    "text",
    [
        '"Quebec" 46 10\n"Ontario" 50 60\n"Alberta" 40 9\n"Yukon" 3 80\n',  # R puts all headings in quotes
        "Quebec,46,10,7\nOntario,50,60,8\nAlberta,40,9,5\nYukon,3,80,9\n",  # numbers that neither rise nor fall
        "Quebec,4.5\nOntario,5.5\nAlberta,9.5\nYukon,8\n",  # a fraction alone
        "Quebec,20,30\nOntario,15,40\nAlberta,25,20\nYukon,22,31\n",  # numbers among those below them
        "Quebec,20,,30\nOntario,15,1,40\nAlberta,25,,2000\nYukon,2,3,31\n",  # a heading is not blank
    ],
)
def test_a_first_row_of_values_none_of_which_comes_again_is_kept(write: Callable[..., Any], text: str) -> None:
    found = raw(write, text)
    assert (len(found), found.headless) == (4, True)
    assert found.columns["x1"][0] == "Quebec"


@pytest.mark.parametrize(
    "text",
    [
        "land,1990,2000\nA,1985,2010\nB,1995,1990\nC,2020,2005\nD,1990,1990\n",  # years, even among years
        "drug,10,20\nA,1.5,2\nB,2.5,1\nC,3,2\nD,1,7\n",  # doses
        "1990,1995,2000,2010\n1,2,3,4\n5,6,7,9\n5,6,7,8\n",  # years that leave some out
        '"land",1990,2000\n"A",1,2\n"B",3,4\n"C",4,3\n"D",8,1\n',
    ],
)
def test_numbers_that_name_columns_stay_headings(write: Callable[..., Any], text: str) -> None:
    found = raw(write, text)
    assert not found.headless
    assert list(found.columns)[-1] == text.splitlines()[0].split(",")[-1]


@pytest.mark.parametrize("mark", [",", "\t", ";", "|"])
def test_headings_of_r_are_one_short_without_quotes_too(write: Callable[..., Any], mark: str) -> None:
    for names in (
        ["Ann, Eve", "Bob", "Cid"] if mark != "," else ["Ann", "Bob", "Cid"],
        ["2", "3", "5", "6", "8", "9", "11", "14"],
    ):
        rows = [[name, f"{k}.5", str(7 - k)] for k, name in enumerate(names)]
        found = raw(write, "\n".join(map(mark.join, [["a", "b"], *rows])) + "\n")
        assert list(found.columns) == ["row", "a", "b"]
        assert found.columns["row"].tolist() == names
        assert found.columns["b"].tolist() == [7 - k for k in range(len(names))]
    with pytest.raises(DataError, match="3 fields, and 2 expected"):  # which may be decimal commas
        raw(write, "name,price\nApple,1,50\nPear,2,30\nPlum,3,20\n")


def test_a_mark_that_names_hold_does_not_separate_where_tabs_or_quotes_do(write: Callable[..., Any]) -> None:
    people = ["Allen, Ann", "Bird, Bob", "Cook, Cid", "Dean, Dora"]
    numbers = [(5, 4), (3, 9), (8, 1), (4, 6)]
    rows = [f"{name}\t{a}\t{b}" for name, (a, b) in zip(people, numbers, strict=True)]
    found = raw(write, "\n".join(rows) + "\n")
    assert found.columns["x1"].tolist() == people
    found = raw(write, "\n".join(f'"{k}" "{name}" {k * k} {k}.5' for k, name in enumerate(people, 3)) + "\n")
    assert found.columns["x2"].tolist() == people


def test_quotes_behind_backslashes_make_a_table_of_an_unknown_suffix(write: Callable[..., Any]) -> None:
    rows = "".join(f'"{k}","{k} days ago","6 feet {k}\\"",{k}\n' for k in range(12))
    found = raw(write, '"when","tall","n"\n' + rows)
    assert found.columns["tall"].tolist() == [f'6 feet {k}"' for k in range(12)]


def test_blanks_that_a_column_holds_beyond_the_first_lines_are_found_when_they_come(write: Callable[..., Any]) -> None:
    rng = np.random.default_rng(0)
    names = [*(f"place{k}" for k in range(150)), *(f"place {k}" for k in range(150, 200))]
    numbers = rng.normal(size=(200, 2)).round(2).tolist()
    rows = [f"{name} {a} {b}" for name, (a, b) in zip(names, numbers, strict=True)]
    found = raw(write, "\n".join(["a b", *rows]) + "\n")
    assert found.columns["row"].tolist() == names
    assert found.columns["b"].tolist() == [b for _, b in numbers]
    assert any("holds blanks and stands in no quotes" in note for note in found.notes)


CAR = "{}   8   {}      130.0      3504.      12.0   70  1{}"
CARS = [
    (f"{18 + k}.0", "?" if k in (3, 9) else f"{307 + k % 4}.0", ["ford torino", "amc rebel sst"][k % 2])
    for k in range(12)
]


@pytest.mark.parametrize("before", ["\t", "  \t "])
@pytest.mark.parametrize(
    "headings", ["", "mpg\tcylinders displacement\thorsepower weight acceleration\tyear origin\tname\n"]
)
def test_tabs_among_the_blanks_of_a_table_of_numbers_and_quoted_words(
    write: Callable[..., Any], before: str, headings: str
) -> None:
    lines = [CAR.format(mpg, size, f'{before}"{name}"') for mpg, size, name in CARS]
    data = read_data(write(headings + "\n".join(lines) + "\n", "auto-mpg.data"))
    assert len(data) == len(CARS)
    assert len(data.columns) == 9
    first, third, last = data.columns[0], data.columns[2], data.columns[-1]
    np.testing.assert_array_equal(data.X[first.name].astype(float), [float(mpg) for mpg, _, _ in CARS])
    assert third.missing == 2
    assert third.kind == "number"
    assert data.X[last.name].tolist() == [name for _, _, name in CARS]
    again = data.recipe.apply(write(headings + "\n".join(lines[::-1]) + "\n", "new.data"))
    np.testing.assert_array_equal(again.X[first.name], data.X[first.name][::-1])


def test_places_of_two_numbers_between_tabs_stay_one_field(write: Callable[..., Any]) -> None:
    data = read_data(write("place\ttown\n" + "".join(f"48.{k} 11.{k}\ttown {k % 3}\n" for k in range(12)), "towns.tsv"))
    assert [column.name for column in data.columns] == ["place", "town"]


def test_counted_rows_of_whole_numbers_between_commas_have_names(write: Callable[..., Any]) -> None:
    rows = [f"{k + 1},{296 + 7 * k},{['I', 'II', 'III'][k % 3]},{k // 3},{296 + 5 * k}" for k in range(20)]
    found = raw(write, "\n".join(["yield,block,variety,grams", *rows]) + "\n")
    assert list(found.columns) == ["row", "yield", "block", "variety", "grams"]
    assert found.columns["yield"].tolist() == [296 + 7 * k for k in range(20)]
    others = [f"{(7 * k) % 20},{296 + 7 * k},{['I', 'II', 'III'][k % 3]},{k // 3},{296 + 5 * k}" for k in range(20)]
    with pytest.raises(DataError, match="5 fields, and 4 expected"):  # decimal commas, perhaps
        raw(write, "\n".join(["yield,block,variety,grams", *others]) + "\n")
