"""Text files entered anywhere: rows are where the careful reader finds them, however they are cut."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.intake import lines
from gramian.intake.lines import of_table, of_texts, places_in

FIELDS = st.text(alphabet='ab," \n', max_size=5)
TABLES = st.lists(st.lists(FIELDS, min_size=2, max_size=2), min_size=1, max_size=40)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(lines, "STEP", 3)
    monkeypatch.setattr(lines, "AT_ONCE", 7)


def parsed(some):
    return list(csv.reader(io.StringIO(some.text().decode(), newline="")))[1:]


@settings(max_examples=150, deadline=None)
@given(TABLES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.integers(1, 9), st.integers(1, 40))
def test_any_run_of_rows_is_what_a_reader_of_all_finds(tmp_path_factory, rows, end, ended, step, at_once):
    path = tmp_path_factory.mktemp("rows") / "table.csv"
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator=end)
    writer.writerows([["x", "y"], *rows])
    text = stream.getvalue()
    path.write_bytes((text if ended else text.removesuffix(end)).encode())
    before = lines.STEP, lines.AT_ONCE
    lines.STEP, lines.AT_ONCE = step, at_once
    try:
        found = of_table(path, [path])
        assert found.count() == len(rows)
        assert parsed(found.some(0, len(rows))) == rows
        for start in range(0, len(rows), 4):
            assert parsed(found.some(start, start + 4)) == rows[start : start + 4]
    finally:
        lines.STEP, lines.AT_ONCE = before


def test_blank_lines_are_no_rows(tmp_path, small):
    path = tmp_path / "a.csv"
    path.write_bytes(b"x,y\n\n1,2\n\r\n3,4\r\n\n\n5,6")
    found = of_table(path, [path])
    assert found.count() == 3
    assert [parsed(found.some(k, k + 1))[0] for k in range(3)] == [["1", "2"], ["3", "4"], ["5", "6"]]
    path.write_text("x,y\n")
    assert of_table(path, [path]).count() == 0


def test_files_of_a_folder_follow_each_other_and_begin_alike(tmp_path):
    for number, end in enumerate(["\n", "\r\n", "\n"]):
        pd.DataFrame({"a": [number, 1.5], "b": ["x", "y, z"]}).to_csv(
            tmp_path / f"{number}.csv", index=False, lineterminator=end
        )
    batches = gm.Batches(tmp_path, rows=4)
    assert batches.feature_names == ("a", "b")
    X = np.concatenate([some for some, _ in batches])
    assert X["a"].tolist() == [0, 1.5, 1, 1.5, 2, 1.5]
    assert X["b"].tolist() == ["x", "y, z"] * 3
    (tmp_path / "1.csv").write_text("b,a\nx,1\n")
    with pytest.raises(ValueError, match=r"1\.csv: it begins with 'b,a', and the first file with 'a,b'"):
        gm.Batches(tmp_path).head(5)


@pytest.mark.parametrize(("suffix", "mark"), [(".csv", ","), (".csv", ";"), (".csv", "|"), (".tsv", "\t")])
def test_batches_of_a_table_in_text_are_those_of_the_table(suffix, mark, tmp_path, small):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=50), "n": rng.integers(0, 9, 50), "c": rng.choice(["u", 'v"w'], 50)})
    table.to_csv(tmp_path / f"t{suffix}", sep=mark, index=False)
    for rows in (1, 7, 50, 99):
        for columns in (None, ["a"], ["n", "a"]):
            found = gm.Batches(tmp_path / f"t{suffix}", target="c", columns=columns, rows=rows)
            expected = gm.Batches(table, target="c", columns=columns, rows=rows)
            for (X, y), (Z, t) in zip(found, expected, strict=True):
                np.testing.assert_array_equal(X, Z)
                assert y.tolist() == t.tolist()
    assert found.sample(20, 0)[1].tolist() == expected.sample(20, 0)[1].tolist()


def test_what_a_column_holds_is_settled_once_by_rows_from_everywhere(tmp_path, monkeypatch):
    path = tmp_path / "late.csv"
    path.write_text("a,b\n" + "1,1\n" * 3000 + "1.5,z\n" * 3000)
    first = gm.Batches(path, rows=100).head(1)[0]
    assert first.dtype["a"] == np.float64
    assert first["b"].tolist() == ["1"]
    monkeypatch.setattr("gramian.intake.sources.SETTLING", 1)
    path.write_text("a\n" + "1\n" * 3000 + "x\n" + "1\n" * 3000)  # a word that nobody has looked at
    with pytest.raises(ValueError, match=r"late\.csv: .*(int64|'x')"):
        list(gm.Batches(path, rows=100))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.5,2\n3,4\n", "a line of headings expected"),
        ("a,a\n3,4\n", "a line of headings expected"),
        ("a,\n3,4\n", "a line of headings expected"),
        ("", "a line of headings expected"),
        ("\xff\xfea\x00", "UTF-16"),
        ("a,b\n1,2\n3\n", "t.csv"),
        ('a,b\n1,"x\n3,4\n', "t.csv"),
        ("a,b\n1,\n2,3\n", "no value in row 0"),
    ],
)
def test_what_is_no_table_is_refused(text, message, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=message):
        list(gm.Batches(path))


def test_a_quote_that_is_never_closed_is_not_waited_for(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,"x\n' + "3,4\n" * 100)
    monkeypatch.setattr(lines, "LONGEST", 100)
    monkeypatch.setattr(lines, "AT_ONCE", 50)
    with pytest.raises(ValueError, match="quotes that are not closed"):
        places_in(path, b"a,b\n", True)


def test_lines_of_a_file_and_files_of_a_folder_are_texts(tmp_path, small):
    path = tmp_path / "lines.txt"
    path.write_text('a "quote\n\nand\r\nthe "end')
    assert [X for X, _ in gm.Batches(path, rows=2)] == [['a "quote', "and"], ['the "end']]
    assert of_texts(path).count() == 3
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("b", "a", "c"):
        (folder / f"{name}.txt").write_text(f"{name}\n{name}")
    batches = gm.Batches(folder, rows=2)
    assert batches.count == 3
    assert [X for X, _ in batches] == [["a\na", "b\nb"], ["c\nc"]]
    (folder / "b.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"b\.txt: bytes that are no UTF-8"):
        list(batches)
