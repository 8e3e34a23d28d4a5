"""Files as R, pandas, spreadsheets, data bases, loggers and portals write them, read as a careful person would."""

import gzip
import json
import os

import numpy as np
import pandas as pd
import pytest

import gramian as gm
from gramian.intake.errors import DataError
from gramian.intake.formats import read_raw
from gramian.intake.reading import from_objects, read_data

from .sheets import write_xlsx

ROWS = range(12)


def table(row, heading="", end="\n"):
    return heading + end.join(map(row, ROWS)) + end


NUMBERS = {
    "accounting": (table(lambda i: f'"{f"(1,2{i:02d})" if i % 2 else f"1,3{i:02d}"}",{i}', "p,v\n"), 0, 1300, -1201),
    "SAP": (table(lambda i: f"{i}.50{'-' if i % 2 else ''},{i}", "p,v\n"), 0, 0.5, -1.5),
    "currency": (table(lambda i: f"{i}.50 USD,{i}", "p,v\n"), 0, 0.5, 1.5),
    "percent": (table(lambda i: f"{3 * i} %,{i}", "p,v\n"), 0, 0, 3),
    "French": (table(lambda i: f"1\u202f2{i:02d},50 €;{i}", "montant;v\n"), 0, 1200.5, 1201.5),
    "scaled": (table(lambda i: f"{['950', '1.2k', '3.4M', '2bn'][i % 4]},{i}", "p,v\n"), 0, 950, 1200),
    "thousands with a part": (table(lambda i: f"{i}.{i % 7}k,{i}", "p,v\n"), 0, 0, 1100),
    "dollars": (table(lambda i: f"{['$1.2K', '$3.4M'][i % 2]},{i}", "p,v\n"), 0, 1200, 3.4e6),
    "month": (table(lambda i: f"2023-{i + 1:02d},{i}", "m,v\n"), 0, 19358, 19389),
    "month last": (table(lambda i: f"{i + 1:02d}/2023,{i}", "m,v\n"), 0, 19358, 19389),
    "quarter": (table(lambda i: f"{2020 + i // 4}Q{i % 4 + 1},{i}", "q,v\n"), 0, 18262, 18353),
    "quarter with hyphen": (table(lambda i: f"{2020 + i // 4}-Q{i % 4 + 1},{i}", "q,v\n"), 0, 18262, 18353),
    "quarter first": (table(lambda i: f"Q{i % 4 + 1} {2020 + i // 4},{i}", "q,v\n"), 0, 18262, 18353),
    "week": (table(lambda i: f"2023-W{i + 1:02d},{i}", "w,v\n"), 0, 19359, 19366),
    "compact days": (table(lambda i: f"202301{i + 1:02d},{i}", "d,v\n"), 0, 19358, 19359),
    "German day": (table(lambda i: f"{i + 1:02d}.01.23;{i}", "d;v\n"), 0, 19358, 19359),
    "German month": (table(lambda i: f"{i + 1}. März 2023;{i}", "d;v\n"), 0, 19417, 19418),
    "zone by name": (table(lambda i: f"2023-01-{i + 1:02d} 12:00:00 UTC,{i}", "d,v\n"), 0, 19358.5, 19359.5),
    "duration": (table(lambda i: f"{23 + i}:30:00,{i}", "t,v\n"), 0, 23.5, 24.5),
    "pandas' duration": (table(lambda i: f"{i} days 01:30:00,{i}", "t,v\n"), 0, 1.5, 25.5),
    "not available": (table(lambda i: f"{'k.A.' if i == 5 else i + 0.5},{i}", "t,v\n"), 0, 0.5, 1.5),
    "UTF-16": (table(lambda i: f"{i}.5\t{i}", "a\tb\n").encode("utf-16"), 0, 0.5, 1.5),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_and_dates_are_what_they_say(write, name):
    content, place, first, second = NUMBERS[name]
    data = read_data(write(content))
    assert data.X.shape == (len(ROWS), 2)
    np.testing.assert_allclose(data.X[:2, place], [first, second])
    again = data.recipe.apply(write(content, "new.csv"))
    np.testing.assert_array_equal(again.X, data.X)


CODES = {
    "postal codes": [["01067", "80331", "10115", "20095"][i % 4] for i in ROWS],
    "telephones": [f"+4989123{456 + i % 4}" for i in ROWS],
    "long numbers": [str(9007199254740993 + i % 4) for i in ROWS],
    "article numbers": [f"{i % 4:06d}" for i in ROWS],
    "seasons": [f"20{10 + i % 4}-{11 + i % 4}" for i in ROWS],
    "karats": [f"{[14, 18, 22, 24][i % 4]}k" for i in ROWS],
    "bust sizes": [f"{[32, 34, 36, 38][i % 4]}B" for i in ROWS],
}


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("padding", [0, 60_000])  # small for the careful reader, large for the quick one
def test_codes_keep_all_their_signs(write, name, padding):
    codes = CODES[name] + CODES[name][:4] * (padding // 4)
    text = "code,v,name\n" + "".join(f"{code},{row},aaaaaaaaaaaa\n" for row, code in enumerate(codes))
    data = read_data(write(text), kinds={"code": "category"}, target="code")
    assert data.y.tolist() == codes
    assert "number" not in {column.kind for column in read_data(write(text)).columns if column.name == "code"}


def test_two_digits_with_a_zero_are_numbers_and_codes_are_numbers_on_request(write):
    path = write(table(lambda i: f"{i + 1:02d},{i * i}", "month,v\n"))
    assert read_data(path).X[:, 0].tolist() == [1.0 + i for i in ROWS]
    path = write(table(lambda i: f"{i + 1:03d},{i * i}", "nr,v\n"))
    assert read_data(path, kinds={"nr": "number"}).X[:, 0].tolist() == [1.0 + i for i in ROWS]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather", "jsonl", "json", "db", "frame"])
def test_whole_numbers_that_floating_point_would_round_are_names(tmp_path, suffix):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"tweet": [9007199254740993 + i for i in ROWS], "v": [i / 2 for i in ROWS]})
    path = tmp_path / f"t.{suffix}"
    if suffix == "db":
        import sqlite3

        base = sqlite3.connect(path)
        frame.to_sql("t", base, index=False)
        base.close()
    elif suffix.startswith("json"):
        frame.to_json(path, orient="records", lines=suffix == "jsonl")
    elif suffix != "frame":
        getattr(frame, f"to_{suffix}")(path, **({"index": False} if suffix == "csv" else {}))
    data = from_objects(frame) if suffix == "frame" else read_data(path)
    assert data.recipe.columns == ("v",)
    assert list(data.names) == [str(9007199254740993 + i) for i in ROWS]


def test_large_numbers_that_are_kept_exactly_are_numbers(write):
    path = write(table(lambda i: f"{2**60 + 2**10 * i},{i}.5e300" if i else "1e200,0.5", "a,v\n"))
    with pytest.raises(DataError, match=r"1e\+200 is too large"):
        read_data(path)
    assert read_data(write(table(lambda i: f"{2**60 + 2**10 * i},{i}", "a,v\n"))).X[1, 0] == 2**60 + 2**10


def test_batches_of_parquet_with_and_without_long_numbers_are_one_column(tmp_path, monkeypatch):
    import pyarrow
    import pyarrow.parquet

    monkeypatch.setattr("gramian.intake.columnar._RUN", 3)
    values = [*range(6), 9007199254740993, None, None, None, 3, 4]
    pyarrow.parquet.write_table(pyarrow.table({"id": values, "v": [i / 2 for i in ROWS]}), tmp_path / "t.parquet")
    data = read_data(tmp_path / "t.parquet", kinds={"id": "category"})
    assert data.X["id"].tolist() == [*"012345", "9007199254740993", *["missing"] * 3, "3", "4"]


# What stands beside the table

TABLES = {
    "comments": "a,b\n1,2\n# sensor restarted\n3,4\n5,6\n#7,8\n9,1\n",
    "rows taken out": "a,b\n1,2\n#7,8\n3,4\n5,6\n# 0,0\n9,1\n",
    "comments with per cent": "a,b\n1,2\n% sensor restarted\n3,4\n5,6\n%7,8,9\n9,1\n",
    "comments with slashes": "a,b\n1,2\n// sensor restarted\n3,4\n5,6\n//7,8,9\n9,1\n",
    "a comment at the end": "a,b\n1,2\n3,4\n5,6\n9,1\n# end, of, data\n",
    "comments of Octave": "% made by octave\n% x\na,b\n1,2\n3,4\n5,6\n9,1\n",
    "a source": "a,b\n1,2\n3,4\n5,6\n9,1\nSource: Bureau of Statistics\n",
    "a source below a blank line": "a,b\n1,2\n3,4\n5,6\n9,1\n\nAll rights reserved.\nSee the web site.\n",
    "a title and a source": "People of May\n\na,b\n1,2\n3,4\n5,6\n9,1\n\nSource: Bureau\n",
    "a source in a row": '"a","b"\n1,2\n3,4\n5,6\n9,1\n"Source: Bureau",\n',
    "the end of a file of DOS": "a,b\n1,2\n3,4\n5,6\n9,1\n\x1a",
    "rows of nothing": "a,b\n1,2\n3,4\n5,6\n9,1\n,\n,\n",
    "units": "a,b\nkg,m/s\n1,2\n3,4\n5,6\n9,1\n",
    "units in brackets": "a,b\n[-],[degC]\n1,2\n3,4\n5,6\n9,1\n",
    "aligned by blanks": "\n\n  a    b\n  1    2\n  3    4\n  5    6\n  9    1\n\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_what_stands_beside_a_table_is_left_out_and_said(write, name):
    data = read_data(write(TABLES[name]))
    if name == "a source in a row":
        data = read_data(write(TABLES[name]), kinds={"a": "number"})
    assert data.recipe.columns == ("a", "b")
    assert data.X.tolist() == [[1, 2], [3, 4], [5, 6], [9, 1]]
    if name not in ("the end of a file of DOS", "aligned by blanks"):
        assert any("skipped" in note or "left out" in note for note in data.notes)
    assert data.recipe.apply(write(TABLES[name], "new.csv")).X.tolist() == data.X.tolist()


def test_errors_below_comments_name_the_line_of_the_file(write):
    with pytest.raises(DataError, match=r"line 6, column 'a': 'x'; a number expected"):
        read_data(write("a,b\n1,2\n# one, two, three\n3,4\n\nx,6\n9,1\n"), kinds={"a": "number"})
    with pytest.raises(DataError, match=r"line 5: 3 fields, and 2 expected"):
        read_data(write("a,b\n1,2\n# one\n3,4\n5,6,7\n9,1\n"))


def test_a_hash_is_a_value_where_all_rows_are_whole(write):
    data = read_data(write(table(lambda i: f"#{'ff0000' if i % 2 else '00ff00'},{i}", "color,v\n")))
    assert data.X["color"].tolist()[:2] == ["#00ff00", "#ff0000"]


@pytest.mark.parametrize("end", ["5", "5,eve", "5,\n6,x,y,z\n", "x\n1,2,3,4\n"])
def test_a_table_that_is_cut_is_no_table_with_a_remark(write, end):
    with pytest.raises(DataError, match=r"line 4: .* 3 expected"):
        read_data(write(f"a,b,c\n1,2,3\n3,4,5\n{end}"))


def test_a_row_of_totals_is_left_out_where_it_adds_up(write):
    rows = table(lambda i: f"c{i},{10 * i},{11 * i}", "city,2019,2020\n")
    data = read_data(write(f"{rows}Total,660,726\n"))
    assert len(data) == len(ROWS)
    assert "The last row, 'Total', holds sums of the others, and is left out." in data.notes
    assert len(read_data(write(f"{rows}Total,5,7\n"))) == len(ROWS) + 1
    assert len(read_data(write(f"{rows}Ulm,660,726\n"))) == len(ROWS) + 1


def test_a_sheet_may_have_units_and_totals(tmp_path):
    rows = [["city", "mass"], [None, "kg"], *([f"c{i}", i + 0.5] for i in ROWS), ["Total:", 72]]
    write_xlsx(tmp_path / "t.xlsx", {"one": rows})
    data = read_data(tmp_path / "t.xlsx")
    assert data.X[:, 0].tolist() == [i + 0.5 for i in ROWS]
    assert any("units" in note for note in data.notes)


def test_a_category_of_units_is_no_row_of_units(write):
    data = read_data(write("unit,v\nkg,1\nlb,2\nkg,3\nlb,4\nkg,5\n"))
    assert data.X["unit"].tolist() == ["kg", "lb", "kg", "lb", "kg"]


@pytest.mark.parametrize("sep", [",", " "])
def test_quotes_behind_backslashes_are_those_of_r(write, sep):
    head = '"","a","say"' if sep == "," else '"a" "say"'
    text = head + "\n" + table(lambda i: sep.join([f'"{i}"', f"{i / 2}", f'"he said \\"hi{i % 3}\\", and left"']))
    data = read_data(write(text))
    assert data.X["say"][0] == 'he said "hi0", and left'
    assert data.X["a"].tolist() == [i / 2 for i in ROWS]
    late = "".join(f"{i},plain,{i % 3}\n" for i in range(300)) + '300,"so \\"called\\", here",1\n'
    assert read_data(write(f"a,b,c\n{late}"), kinds={"b": "string"}).X["b"][-1] == 'so "called", here'


def test_words_between_blanks_with_numbers_among_them_are_a_table(write):
    tables = [
        "\nname age town\n\nbob 31 ulm\nann 45 rom\n\neve 52 ulm\nian 23 rom\n",
        "age town\n1 31 ulm\n2 45 rom\n3 52 ulm\n4 23 rom\n",
        "People\n\nname,age,town\nbob,31,ulm\nann,45,rom\neve,52,ulm\nian,23,rom\n\nAll rights reserved.\n",
    ]
    for text in tables:
        data = read_data(write(text, "t.txt"))
        assert data.X["age"].tolist() == [31, 45, 52, 23]
        assert data.X["town"].tolist() == ["ulm", "rom", "ulm", "rom"]
    for text in (
        "the cat sat\non the mat\nwith a hat\nand a bat\n",
        "Chapter one, the\nking was 3 years\nold, and he\n",
    ):
        assert read_data(write(text, "t.txt")).format == "lines"


# Percentages and fractions


def test_fractions_are_not_taken_for_percentages_nor_the_other_way(write):
    percentages = read_data(write(table(lambda i: f"{i + 2}%,{i}", "p,v\n"))).recipe
    fractions = read_data(write(table(lambda i: f"{(i + 2) / 100},{i}", "p,v\n"))).recipe
    with pytest.raises(DataError, match=r"line 2, column 'p': 0\.02 without a unit, .* write them with the sign %"):
        percentages.apply(write(table(lambda i: f"{(i + 2) / 100},{i}", "p,v\n")))
    with pytest.raises(DataError, match=r"line 2, column 'p': '2%', a percentage; numbers around 0\.075"):
        fractions.apply(write(table(lambda i: f"{i + 2}%,{i}", "p,v\n")))
    assert percentages.apply(write("p,v\n7,1\n12,2\n")).X[:, 0].tolist() == [7, 12]
    assert percentages.apply(write("p,v\n0.5%,1\n0.2%,2\n")).X[:, 0].tolist() == [0.5, 0.2]
    assert fractions.apply(write("p,v\n0.5,1\n0.2,2\n")).X[:, 0].tolist() == [0.5, 0.2]


# Nested columns


def nested(path):
    rows = [{"age": i + 0.5, "group": "ab"[i % 2], "tags": ["x"] * i, "more": {"a": 1}} for i in ROWS]
    if path.suffix == ".json":
        path.write_text(json.dumps(rows))
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        import pyarrow
        import pyarrow.feather
        import pyarrow.parquet

        write = pyarrow.parquet.write_table if path.suffix == ".parquet" else pyarrow.feather.write_feather
        write(pyarrow.Table.from_pylist(rows), path)
    return rows


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".parquet", ".feather"])
def test_nested_columns_are_passed_by_where_others_are_named(tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    nested(path)
    data = read_data(path, columns=["age"], target="group")
    assert data.X[:, 0].tolist() == [i + 0.5 for i in ROWS]
    assert data.recipe.apply(path).X.tolist() == data.X.tolist()
    with pytest.raises(DataError, match=r"column 'tags'.*leave the column out by naming the others"):
        read_data(path)
    with pytest.raises(DataError, match="column 'tags'"):
        read_data(path, columns=["age", "tags"])
    with pytest.raises(DataError, match="no column 'agge'; did you mean 'age'"):
        read_data(path, columns=["agge"])


def test_nested_columns_in_memory_are_passed_by_likewise(tmp_path):
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    rows = nested(tmp_path / "t.json")
    for given in (rows, pandas.DataFrame(rows), pyarrow.Table.from_pylist(rows)):
        data = from_objects(given, "group", columns=["age"])
        assert data.X[:, 0].tolist() == [i + 0.5 for i in ROWS]
        assert data.recipe.apply(given).X.tolist() == data.X.tolist()
        with pytest.raises(DataError, match="column 'tags'"):
            from_objects(given)


# Links


def test_links_lead_to_files_of_the_folder_only(tmp_path):
    folder, secret = tmp_path / "texts", tmp_path / "secret.txt"
    (folder / "one").mkdir(parents=True)
    (folder / "one" / "a.txt").write_text("to be or not")
    secret.write_text("the password")
    (folder / "one" / "b.txt").symlink_to(folder / "one" / "a.txt")
    assert gm.read_texts(folder).texts == ["to be or not", "to be or not"]
    assert len(read_data(folder)) == 2
    (tmp_path / "also").symlink_to(folder)  # a link that was named is followed
    assert len(read_data(tmp_path / "also")) == 2
    (folder / "one" / "c.txt").symlink_to(os.path.relpath(secret, folder / "one"))
    for read in (gm.read_texts, read_data):
        with pytest.raises(ValueError, match=r"c\.txt: a link to .*secret\.txt, which is not in the folder") as caught:
            read(folder)
        assert "password" not in str(caught.value)


def test_links_out_of_a_folder_of_parquet_are_refused(tmp_path):
    import pyarrow
    import pyarrow.parquet

    (tmp_path / "parts").mkdir()
    pyarrow.parquet.write_table(pyarrow.table({"a": [1.0, 2.0]}), tmp_path / "secret.parquet")
    pyarrow.parquet.write_table(pyarrow.table({"a": [1.0, 2.0]}), tmp_path / "parts" / "a.parquet")
    (tmp_path / "parts" / "b.parquet").symlink_to(tmp_path / "secret.parquet")
    with pytest.raises(DataError, match="a link to .* which is not in the folder"):
        read_data(tmp_path / "parts")
    with pytest.raises(ValueError, match="a link to .* which is not in the folder"):
        gm.Batches(tmp_path / "parts")


def test_a_quote_that_is_left_open_in_a_long_file_is_told_by_its_line(tmp_path):
    with gzip.open(tmp_path / "t.csv.gz", "wb", compresslevel=1) as file:
        file.write(b'a,b\n1,2\n3,"x\n' + b"5,6\n" * 300_000)
    with pytest.raises(DataError, match=r"a row of more than \S+ characters.* is a quote left open\?"):
        read_data(tmp_path / "t.csv.gz", memory="16 MB")


@pytest.mark.parametrize("seed", range(12))
def test_columns_of_two_levels_have_two_lines_of_headings(write, seed):
    rng = np.random.default_rng(seed)
    n, groups = (40_000 if seed < 2 else 25), int(rng.integers(2, 4))
    columns = pd.MultiIndex.from_product([["height", "weight", "age"][:groups], ["min", "max"]])
    frame = pd.DataFrame(rng.normal(size=(n, 2 * groups)).round(3), columns=columns)
    found = read_raw(write(frame.to_csv(index=bool(seed % 2)), "t.csv"))
    assert list(found.columns)[seed % 2 :] == [f"{a}_{b}" for a, b in columns]
    for name, (a, b) in zip(list(found.columns)[seed % 2 :], columns, strict=True):
        assert np.array_equal(found.columns[name], frame[a][b])
    assert any("Two lines of headings are put together" in note for note in found.notes)


def test_a_frame_of_two_levels_is_named_by_both_and_answered_in_any_form(tmp_path):
    rng = np.random.default_rng(0)
    columns = pd.MultiIndex.from_product([["a", "b"], ["x", "y"]])
    frame = pd.DataFrame(rng.normal(size=(30, 4)), columns=columns)
    data = from_objects(frame)
    names = [str(pair) for pair in columns]
    assert list(data.recipe.columns) == names == ["('a', 'x')", "('a', 'y')", "('b', 'x')", "('b', 'y')"]
    assert np.array_equal(data.X, frame.to_numpy())
    frame.to_parquet(tmp_path / "t.parquet")
    again = read_data(tmp_path / "t.parquet")
    assert list(again.recipe.columns) == names
    assert np.array_equal(again.X, data.X)
    assert np.array_equal(data.recipe.apply(frame[[("b", "y"), ("a", "x"), ("a", "y"), ("b", "x")]]).X, data.X)
    with pytest.raises(TypeError, match=r"\(DataFrame\); the name of a file or folder expected"):
        read_data(frame)


@pytest.mark.parametrize("text", ["<!DOCTYPE html>\n<p>a</p>\n", "<table>\n<tr>\n</tr>\n</table>\n", "<html>\na\n"])
def test_pages_are_no_texts_of_one_line_each(write, text):
    with pytest.raises(DataError, match="a page of HTML; save the table in it as CSV"):
        read_raw(write(text, "t.html"))
    assert len(read_raw(write(text, "t.html"), format="lines")) > 1


@pytest.mark.parametrize("rows", [10, 60_000])
def test_units_are_skipped_in_files_of_any_size(write, rows):
    numbers = np.random.default_rng(rows).normal(size=(rows, 2)).round(3)
    found = read_raw(write("a,b\nkm,s\n" + "".join(f"{x},{y}\n" for x, y in numbers.tolist()), "t.csv"))
    assert np.array_equal(np.stack(list(found.columns.values()), axis=1), numbers)
