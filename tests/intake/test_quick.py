"""Arrow takes tables apart as the careful reader does, or steps aside; large files are read by it."""

import gzip
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gramian.intake import quick
from gramian.intake.errors import DataError
from gramian.intake.formats import read_raw
from gramian.intake.reading import read_data

many = settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

numbers = st.sampled_from([
    "1", "-2.5", "007", "1e5", "1E-3", ".5", "5.", "+3", " 4", "4 ", "9007199254740993", "1e999", "-0", "0.1", "inf",
    "-Infinity", "nan", "NaN", "NA", "", "?", "1_0", "nan(1)", "0x10", "1,5", "1e", "٣", "1e-320", "--1",
]) | st.floats(allow_nan=False).map(repr)  # fmt: skip
words = st.sampled_from([
    "a", "b c", " d ", "", "None", "true", '"q"', '"a,b"', '"a""b"', '"two\nlines"', '"x" ', ' "y"', 'z"z', '"', '""',
    '"1"', '" 2 "', "#", "é", "\x0b", "\u2028", "a\rb", '"\r\n"', "\t", " ", "'", "\\", '"\\"',
])  # fmt: skip
marks = st.sampled_from([",", ";", "\t", "|"])
ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n \n"])


@st.composite
def files(draw):
    """Return the text of a table of which some columns are numbers, with all that can go wrong in one."""
    width, mark, end = draw(st.integers(1, 4)), draw(marks), draw(ends)
    kinds = [draw(st.sampled_from([numbers, words, st.sampled_from(["1", "2", "3.5"])])) for _ in range(width)]
    heads = draw(st.lists(st.sampled_from(["a", "b", '"c"', "d e", ""]), min_size=width, max_size=width))
    rows = [heads, *([draw(kind) for kind in kinds] for _ in range(draw(st.integers(1, 12))))]
    if draw(st.integers(0, 9)) == 0:
        rows[-1] = rows[-1][:-1] or ["x", "y"]
    text = end.join(mark.join(row) for row in rows)
    return text + draw(st.sampled_from(["", end]))


def outcome(path, **more):
    """Return the columns of a table with their notes, or the words of the refusal."""
    try:
        table = read_raw(path, format="csv", **more)
    except DataError as error:
        return str(error)
    columns = [
        (name, column.dtype.kind, [None if value != value else value for value in column.tolist()])
        for name, column in table.columns.items()
    ]
    marks = {name: dict(met) for name, met in table.marks.items()}
    return columns, table.notes, dict(table.settled), table.headless, marks, table.place(len(table) - 1)


@pytest.fixture
def small(monkeypatch):
    """Let any file be taken apart by Arrow, in pieces of a few bytes, and note when it was."""
    done = []
    monkeypatch.setattr(quick, "SMALLEST", 0)
    monkeypatch.setattr(quick, "_COLUMN", 0)
    monkeypatch.setattr(quick, "_LONGEST", 60)
    original = quick.runs

    def runs(*given):
        yield from original(*given)
        done.append(1)

    monkeypatch.setattr(quick, "runs", runs)
    return done


@many
@given(text=files(), piece=st.sampled_from([1, 7, 40, 4096]), kept=st.booleans())
@example('a,b\n"x"y,1\n', 4096, False)
@example('a,b\n"1",2\nnan(1),3\n', 7, False)
@example("a\n1\n\n2\n \n3\n", 1, False)
@example('a,b\n"x\n', 4096, False)
@example("a,b\n1,2\n3\n", 4096, False)
@example("a,b\n1,2\n3,nan\n4,inf\n5,x\n", 1, False)
@example("a,b\n01,2\n02,4\n", 7, True)
def test_the_quick_reader_finds_what_the_careful_one_finds(tmp_path, monkeypatch, small, text, piece, kept):
    monkeypatch.setattr(quick, "_PIECE", piece)
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    more = {"text": frozenset("a")} if kept else {}
    found = outcome(path, **more)
    with monkeypatch.context() as careful:
        careful.setattr(quick, "SMALLEST", math.inf)
        assert found == outcome(path, **more)


def test_plain_tables_are_taken_apart_by_arrow(write, monkeypatch, small):
    rng = np.random.default_rng(0)
    for mark in ",;\t|":
        rows = [mark.join([f"{x:.17g}", "NA", f'"w{mark}{k}""\n"', "u"]) for k, x in enumerate(rng.standard_normal(50))]
        monkeypatch.setattr(quick, "_PIECE", 200)
        small.clear()
        table = read_raw(write("\n".join([mark.join("abcd"), *rows]) + "\n"))
        assert small, mark
        np.testing.assert_array_equal(table.columns["a"], np.random.default_rng(0).standard_normal(50)[: len(table)])
        assert table.columns["c"][1] == f'w{mark}1"'
        rng = np.random.default_rng(0)


def test_a_table_of_many_short_columns_is_left_to_the_careful_reader(write, monkeypatch, small):
    monkeypatch.setattr(quick, "_COLUMN", 100)
    for width, rows in ((2, 200), (200, 2)):
        lines = [",".join(f"{k % 7}.5" for k in range(row, row + width)) for row in range(rows)]
        small.clear()
        read_raw(write("\n".join([",".join(f"c{k}" for k in range(width)), *lines])))
        assert bool(small) == (width == 2)


def test_columns_that_turn_to_words_one_after_another_cost_a_few_tries_in_all(write, monkeypatch, small):
    width, tried = 60, []
    lines = [",".join(["1"] * width)] * 60 + [",".join(["x"] * k + ["1"] * (width - k)) for k in range(width)]
    original = quick._parsed
    monkeypatch.setattr(quick, "_PIECE", 25 * len(lines[0]))
    monkeypatch.setattr(quick, "_LONGEST", 2**20)
    monkeypatch.setattr(quick, "_parsed", lambda *given: tried.append(1) or original(*given))
    table = read_raw(write("\n".join([",".join(f"c{k}" for k in range(width)), *lines])))
    assert small
    assert table.columns["c0"].tolist() == ["1"] * 61 + ["x"] * (width - 1)
    assert table.columns[f"c{width - 1}"].dtype.kind == "f"
    assert len(tried) < width / 2


@pytest.mark.parametrize("packed", [False, True])
def test_a_large_file_is_read_by_arrow_and_its_errors_by_line(write, monkeypatch, packed):
    monkeypatch.setattr(quick, "SMALLEST", 2**10)
    monkeypatch.setattr(quick, "_PIECE", 2**12)
    lines = [f"{k},{k / 7!r},{'uv'[k % 2]}" for k in range(5000)]
    text = "\n".join(["a,b,c", *lines]) + "\n"
    path = write(gzip.compress(text.encode()) if packed else text)
    data = read_data(path, target="c")
    assert data.X[:, 1].tolist() == [k / 7 for k in range(5000)]
    lines[4321] += ",more"
    text = "\n".join(["a,b,c", *lines]) + "\n"
    with pytest.raises(DataError, match=r"line 4,323: 4 fields, and 3 expected"):
        read_data(write(gzip.compress(text.encode()) if packed else text))
    lines[4321] = "x,1,u"
    text = "\n".join(["a,b,c", *lines]) + "\n"
    with pytest.raises(DataError, match=r"line 4,323, column 'a': 'x'; a number expected"):
        read_data(write(text), kinds={"a": "number"})
    assert read_raw(write(text)).columns["a"][:2].tolist() == ["0", "1"]
