"""Spreadsheets, data bases, JSON, Arrow and archives give the tables that were written into them."""

import datetime
import json
import sqlite3
import string
import zipfile
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.cli.main import main
from gramian.intake.endings import REMARK
from gramian.intake.errors import DataError
from gramian.intake.formats import read_raw
from gramian.intake.reading import read_data

from .sheets import write_ods, write_xlsx

quick = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
words = (
    st.text(string.ascii_letters + " äß☃", min_size=1, max_size=8)
    .map(str.strip)
    .filter(lambda word: len(word) > 4 and not REMARK.match(word))  # a last row of a word such as Notes is a remark
)
numbers = st.floats(-1e9, 1e9)


@st.composite
def tables(draw):
    """Return columns of numbers or words, some missing, but no row or column without any value."""
    size = draw(st.integers(2, 6))
    names = draw(st.lists(words, min_size=2, max_size=4, unique=True))
    kinds = [draw(st.sampled_from([numbers, words])) for _ in names]
    return {
        name: [draw(kind), *draw(st.lists(kind | st.none() if place else kind, min_size=size - 1, max_size=size - 1))]
        for place, (name, kind) in enumerate(zip(names, kinds, strict=True))
    }


def rows_of(table):
    return [list(row) for row in zip(*table.values(), strict=True)]


def write_sqlite(path, table, name="t"):
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as base:
        base.execute(f'CREATE TABLE "{name}" ({", ".join(chr(34) + column + chr(34) for column in table)})')
        base.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(table))})', rows_of(table))
    base.close()


def write_arrow(path, table):
    import pyarrow

    found = pyarrow.table(table)
    with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_file(file, found.schema) as writer:
        writer.write_table(found)


def write_zip(path, table):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("__MACOSX/._t.jsonl", "junk")
        file.writestr("inner/", "")
        file.writestr(
            "inner/t.jsonl", "".join(json.dumps(dict(zip(table, row, strict=True))) + "\n" for row in rows_of(table))
        )


WRITERS = {
    "t.xlsx": lambda path, table: write_xlsx(path, {"one": [list(table), *rows_of(table)]}),
    "t.ods": lambda path, table: write_ods(path, [list(table), *rows_of(table)]),
    "t.db": write_sqlite,
    "t.feather": write_arrow,
    "t.zip": write_zip,
    "records.json": lambda path, table: path.write_text(
        json.dumps([dict(zip(table, row, strict=True)) for row in rows_of(table)], indent=1)
    ),
    "columns.json": lambda path, table: path.write_text(json.dumps(table)),
    "pandas.json": lambda path, table: path.write_text(
        json.dumps({name: {str(row): value for row, value in enumerate(column)} for name, column in table.items()})
    ),
}


@pytest.mark.parametrize("name", WRITERS)
@quick
@given(table=tables())
def test_a_table_comes_back_as_it_was_written(tmp_path, name, table):
    path = tmp_path / name
    WRITERS[name](path, table)
    unnamed = tmp_path / "unnamed"
    unnamed.write_bytes(path.read_bytes())
    for file in (path, unnamed):
        found = read_raw(file)
        for column, values in table.items():
            if isinstance(values[0], float):
                expected = [np.nan if value is None else value for value in values]
                np.testing.assert_allclose(found.columns[column], expected, rtol=1e-15)
            else:
                assert found.columns[column].tolist() == values
        assert list(found.columns) == list(table)


def test_several_tables_are_named_or_listed(tmp_path):
    table = {"a": [1.0, 2.0], "b": ["u", "v"]}
    write_sqlite(tmp_path / "t.db", table, "one")
    with sqlite3.connect(tmp_path / "t.db") as base:
        base.execute("CREATE TABLE two (c, d)")
        base.execute("INSERT INTO two VALUES (5, 'x')")
        base.execute("CREATE VIEW seen AS SELECT a FROM one")
    base.close()
    path = tmp_path / "t.db"
    with pytest.raises(DataError, match=r"t\.db: a data base of 2 tables, 'one', 'two'; name one, as in .*t\.db::one$"):
        read_raw(path)
    assert read_raw(f"{path}::two").columns["c"].tolist() == [5]
    assert read_raw(f"{path}::seen").columns["a"].tolist() == [1, 2]
    with pytest.raises(DataError, match=r"no table 'tow'; did you mean 'two'\?"):
        read_raw(f"{path}::tow")
    write_xlsx(tmp_path / "t.xlsx", {"empty": [], "first": [["a", "b"], [1, 2]], "second": [["c", "d"], [3, 4]]})
    assert list(read_raw(tmp_path / "t.xlsx").columns) == ["a", "b"]
    assert list(read_raw(f"{tmp_path / 't.xlsx'}::second").columns) == ["c", "d"]
    with pytest.raises(DataError, match=r"no sheet 'third'; there is 'empty', 'first', 'second'"):
        read_raw(f"{tmp_path / 't.xlsx'}::third")
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as file:
        file.writestr("a.csv", "a,b\n1,2\n")
        file.writestr("b.csv", "c,d\n1,2\n")
    with pytest.raises(DataError, match=r"an archive of 2 files, 'a.csv', 'b.csv'; one expected, or its name as in"):
        read_raw(tmp_path / "t.zip")
    assert list(read_raw(f"{tmp_path / 't.zip'}::b.csv").columns) == ["c", "d"]
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="a file of the format csv, which has no part 'x' to look for"):
        read_raw(f"{tmp_path / 't.csv'}::x")


@pytest.mark.parametrize("suffix", ["xlsx", "ods"])
@pytest.mark.parametrize("row", [None, "who"])
def test_headings_of_a_sheet_may_be_numbers(tmp_path, suffix, row):
    rows = [[row, 2019, 2020.5], [0, 1.5, 2], [1, 3, 5], [2, 4, 4]]
    path = tmp_path / f"t.{suffix}"
    if suffix == "ods":
        write_ods(path, rows)
    else:
        write_xlsx(path, {"one": rows})
    data = read_data(path, columns=["2019", "2020.5"])
    assert data.X.tolist() == [[1.5, 2], [3, 5], [4, 4]]


def test_errors_in_an_archive_name_the_file_in_it(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as file:
        file.writestr("a.csv", "a,b\n1,2\n3\n")
    with pytest.raises(DataError, match=r"t\.zip::a\.csv, line 3: 1 field, and 2 expected"):
        read_data(tmp_path / "t.zip")


def test_a_sheet_has_titles_names_of_rows_and_mixed_columns(tmp_path):
    write_xlsx(
        tmp_path / "t.xlsx",
        {
            "one": [
                ["Sales", None, None],
                [None, "a", "b"],
                ["x", 1, 5],
                ["y", 2, "n/k"],
                ["z", 4, 7],
                [None, None, None],
            ]
        },
    )
    found = read_raw(tmp_path / "t.xlsx")
    assert found.columns["a"].tolist() == [1, 2, 4]
    assert found.columns["b"].tolist() == ["5", "n/k", "7"]
    assert found.settled == {"row": "id"}
    assert "1 row before the headings, 'Sales', is skipped." in found.notes
    with pytest.raises(DataError, match=r"row 4, column 'b': 'n/k'; a number expected"):
        read_data(tmp_path / "t.xlsx", kinds={"b": "number"})


def test_numbers_and_marks_of_missing_values_in_a_sheet_are_numbers(tmp_path):
    write_xlsx(tmp_path / "t.xlsx", {"one": [["a", "b"], [1, 5], ["?", 2], [4, 7], [2.5, 8]]})
    assert read_data(tmp_path / "t.xlsx").X.tolist() == [[1, 5], [2.5, 2], [4, 7], [2.5, 8]]


def test_cells_may_share_texts(tmp_path):
    rows = '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row><row><c t="s"><v>2</v></c><c><v>5</v></c></row>'
    write_xlsx(tmp_path / "t.xlsx", {"one": rows}, shared=["a", "b", "word"])
    found = read_raw(tmp_path / "t.xlsx")
    assert found.columns["a"].tolist() == ["word"]
    assert found.columns["b"].tolist() == [5]


def test_the_index_of_a_data_frame_is_no_feature(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2, 4], "b": [2.0, 5, 4]}, index=[7, 5, 11])
    for index, name in ((frame.index, "__index_level_0__"), (frame.index.rename("key"), "key")):
        frame.set_index(index).to_parquet(tmp_path / "t.parquet")
        data = read_data(tmp_path / "t.parquet")
        assert data.recipe.columns == ("a", "b")
        assert list(data.names) == ["7", "5", "11"]
        assert f"{name!r} is the index of a data frame, and is not taken as a feature." in data.notes
        assert data.recipe.apply(tmp_path / "t.parquet").X.tolist() == data.X.tolist()
        assert gm.Batches(tmp_path / "t.parquet").feature_names == ("a", "b")
        assert gm.Batches(tmp_path / "t.parquet", target="b").feature_names == ("a",)
        assert gm.Batches(tmp_path / "t.parquet", columns=["a", name]).feature_names == ("a", name)
    frame.reset_index(drop=True).to_parquet(tmp_path / "t.parquet")
    assert read_data(tmp_path / "t.parquet").recipe.columns == ("a", "b")
    frame.to_json(tmp_path / "t.json")
    assert list(read_data(tmp_path / "t.json").names) == ["7", "5", "11"]
    frame.to_csv(tmp_path / "t.csv")
    assert list(read_data(tmp_path / "t.csv").names) == ["7", "5", "11"]


@given(
    values=st.lists(st.timedeltas(-datetime.timedelta(99_999), datetime.timedelta(99_999)), min_size=3, max_size=9),
    unit=st.sampled_from(["s", "ms", "us", "ns"]),
)
@quick
def test_durations_are_hours_as_in_text(tmp_path, values, unit):
    column = pa.array([*values, None], "duration[us]").cast(f"duration[{unit}]", safe=False)
    table = pa.table({"long": column, "b": pa.array(np.arange(len(column)) % 3, "int64")})
    pq.write_table(table, tmp_path / "t.parquet")
    data = read_data(tmp_path / "t.parquet", kinds={"long": "number"})
    steps = {"s": 10**6, "ms": 10**3}.get(unit, 1)
    hours = [int(value / datetime.timedelta(microseconds=1) / steps) * steps / 3.6e9 for value in values]
    np.testing.assert_allclose(data.X[: len(values), 0], hours, rtol=1e-12, atol=steps / 3.6e9)
    assert data.columns[0].missing == 1


def test_the_advice_to_leave_a_column_out_does_not_make_a_feature_of_the_index(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2], "b": [[1], [2, 3]], "c": [2.0, 5]}, index=[7, 5])
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"by naming the others: --columns a,c \("):
        read_data(tmp_path / "t.parquet")


def test_dictionaries_and_missing_values_of_arrow_are_texts(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    column = pyarrow.array(["u", None, "v", "u"]).dictionary_encode()
    wide = pyarrow.array([1, None, 2, 1], "uint8").dictionary_encode()
    table = pyarrow.table({"a": column, "b": wide, "c": pyarrow.array([1.5, None, 2, 3], "float32")})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    with pyarrow.OSFile(str(tmp_path / "t.arrow"), "wb") as file, pyarrow.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    for name in ("t.parquet", "t.arrow"):
        found = read_raw(tmp_path / name)
        assert found.columns["a"].tolist() == ["u", None, "v", "u"]
        np.testing.assert_array_equal(found.columns["b"], [1, np.nan, 2, 1])
        assert found.columns["c"].dtype == np.float32


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"a": 1}, {"a": 2, "a": 3}]', "{}, object 2: the key 'a' comes twice in one object; keep one of the two"),
        ('[{"a": 1}, 5]', "{}, object 2: '5' is no JSON object; an array of objects expected, such as {\"age\": 30}"),
        ('[{"a": 1} {"a": 2}]', "{}, object 1: no comma, and no bracket that closes the array, after it"),
        ('[{"a": 1}', "{}, object 1: no comma, and no bracket that closes the array, after it"),
        ('[{"a": 1}] more', "{}: 'more' after the end of the array; nothing expected"),
        ('{"a": [1, 2], "b": [1]}', "{}: columns of 1 to 2 values; equally many expected"),
        ('{"a": {"0": 1}, "b": {"1": 1}}', "{}: column 'b' has other rows than the first one; the same expected"),
        ("[]", "{}: an empty file; an array of objects expected"),
        ('[{"a": [1]}]', "{}, object 1: column 'a' holds [1], a nested value; a number, a text, true, false or null "
         "expected: leave the column out by naming the others (--columns, columns= in Python), or flatten it"),
        ('5', "{}: JSON that begins with '5'; an array of objects expected, such as [{\"age\": 30}]"),
    ],
)  # fmt: skip
def test_json_says_what_is_wrong_and_where(write, text, message):
    path = write(text, "t.json")
    with pytest.raises(DataError) as caught:
        read_data(path)
    assert str(caught.value) == message.replace("{}", str(path), 1)


def test_a_key_that_comes_twice_in_a_line_is_refused(write):
    with pytest.raises(DataError, match=r"line 2: the key 'b' comes twice in one object; keep one of the two"):
        read_data(write('{"a": 1, "b": 2}\n{"a": 1, "b": 2, "b": 3}\n', "t.jsonl"))


def test_a_long_array_is_read_in_pieces(write, monkeypatch):
    monkeypatch.setattr("gramian.intake.jsonlines._PIECE", 16)
    records = [{"a": k, "b": "x" * (k % 40) + "y", "c": None} for k in range(300)]
    found = read_raw(write(json.dumps(records), "t.json"))
    assert found.columns["a"].tolist() == list(range(300))
    assert found.columns["b"].tolist() == [record["b"] for record in records]


@pytest.mark.parametrize("name", ["t.xlsx", "t.ods", "t.db", "t.feather", "t.zip"])
@quick
@given(st.data())
def test_a_damaged_file_is_taken_or_refused(tmp_path, name, data):
    WRITERS[name](tmp_path / name, {"a": [1.5, 2.5, 4.0], "b": ["u", "v", "u"]})
    content = bytearray((tmp_path / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (tmp_path / name).write_bytes(
        content[: data.draw(st.sampled_from([len(content), len(content), len(content) // 2]))]
    )
    with suppress(DataError):
        read_data(tmp_path / name)


def test_the_command_line_takes_them(tmp_path, capsys):
    rng = np.random.default_rng(0)
    table = {"a": rng.standard_normal(30).tolist(), "b": rng.standard_normal(30).tolist(), "c": ["u", "v"] * 15}
    for name, write in WRITERS.items():
        write(tmp_path / name, table)
        model = tmp_path / f"{name}.gramian"
        assert main(["fit", str(tmp_path / name), "--target", "c", "--kernel", "linear", "-o", str(model), "-q"]) == 0
        assert main(["predict", str(model), str(tmp_path / name), "--memory", "1GB", "-q"]) == 0
        assert capsys.readouterr().out.count("\n") == 31
    assert main(["predict", str(model), str(tmp_path / name), "--memory", "1kB", "-q"]) == 3
    assert "the budget is 1 kB; raise it with --memory" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")])
def test_times_of_day_in_parquet_are_hours(tmp_path, kind):
    times = [datetime.time(1, 30), None, datetime.time(23, 59, 30), datetime.time(0)]
    column = pa.array(times, pa.time64("us")).cast(kind)
    pq.write_table(pa.table({"a": [1.5, 2.5, 3.5, 4.5], "t": column}), tmp_path / "t.parquet")
    data = read_data(tmp_path / "t.parquet")
    np.testing.assert_allclose(data.X[:, 1], [1.5, 1.5, 86370 / 3600, 0], rtol=4 * np.finfo(float).eps)
    assert data.gaps["t"].tolist() == [False, True, False, False]
