"""What R, pandas and spreadsheets write around a table is understood, and said."""

import csv
import io
import string

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gramian.intake.errors import DataError
from gramian.intake.formats import read_raw
from gramian.intake.openings import distinct
from gramian.intake.reading import read_data

quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
BODY = "1,2\n3,5\n4,4\n"


def said(data, words):
    assert any(words in note for note in data.notes), data.notes


@pytest.mark.parametrize(
    ("text", "names", "words"),
    [
        ("sep=;\na;b\n1;2\n3;5\n4;4\n", ["a", "b"], "The first line says that semicolons separate the fields."),
        ("# made by R\n# on Monday\na,b\n" + BODY, ["a", "b"], "2 lines before the headings, such as '# made by R'"),
        (
            "# made by R, on Monday\na,b\n" + BODY,
            ["a", "b"],
            "1 line before the headings, '# made by R, on Monday'",
        ),
        ("# x\n# a,b\n" + BODY, ["a", "b"], "The headings are those of the comment '# a,b'."),
        ("#a\tb\n1\t2\n3\t5\n4\t4\n", ["a", "b"], "The headings are those of the comment"),
        ("Sales of May\na,b\n" + BODY, ["a", "b"], "1 line before the headings, 'Sales of May', is skipped."),
        ("Sales\n\nof May\n\na,b\n" + BODY, ["a", "b"], "2 lines before the headings"),
        ("Sales,\na,b\n" + BODY, ["a", "b"], "1 line before the headings, 'Sales,', is skipped."),
        ("a,b,\n1,2,\n3,5,\n4,4,\n", ["a", "b"], "The last column has no name and no value, and is left out."),
        ("a,b\n1,2,\n3,5,\n4,4,\n", ["a", "b"], "The last column has no name and no value, and is left out."),
        ("a,b,,\n1,2,,\n3,5,,\n4,4,,\n", ["a", "b"], "The last 2 columns have no name and no value"),
        ("a,a\n" + BODY, ["a", "a_2"], "2 columns are called 'a': the later ones are named 'a_2'."),
    ],
)
def test_what_stands_around_a_table_is_skipped_and_said(write, text, names, words):
    data = read_data(write(text))
    assert list(data.recipe.columns) == names
    assert data.X.tolist() == [[1, 2], [3, 5], [4, 4]]
    said(data, words)
    again = data.recipe.apply(write(text, "again.csv"))
    assert again.X.tolist() == data.X.tolist()


def test_lines_are_counted_from_the_top_of_the_file(write):
    path = write("# one\n# two\na,b\n1,2\n3,x\n")
    with pytest.raises(DataError, match=r"line 5, column 'b': 'x'; a number expected"):
        read_data(path, kinds={"b": "number"})
    with pytest.raises(DataError, match=r"line 5: 3 fields, and 2 expected"):
        read_data(write("# one\n# two\na,b\n1,2\n3,4,5\n6,7\n"))
    with pytest.raises(DataError, match=r"line 4: a quote that opens here is never closed"):
        read_data(write('# one\n\na,b\n"3,4\n'))


def test_names_of_rows_need_no_quotes_between_tabs(write):
    data = read_data(write("a\tb\nx\t1\t2\ny\t3\t5\nz\t4\t4\n", "t.tsv"))
    assert (data.recipe.columns, data.names) == (("a", "b"), ("x", "y", "z"))
    assert data.X.tolist() == [[1, 2], [3, 5], [4, 4]]
    said(data, "'row', is taken as the names of rows, not as a feature.")
    for text, name in (
        ("a\tb\n1\t1\t2\n2\t3\t5\n3\t4\t4\n", "t.tsv"),  # no words
        ("a\tb\nx\t1\t2\nx\t3\t5\ny\t4\t4\n", "t.tsv"),  # no names
        ("city,people\nx,1,200\ny,3,500\nz,4,400\n", "t.csv"),  # rather thousands
    ):
        with pytest.raises(DataError, match="line 2: 3 fields, and 2 expected"):
            read_data(write(text, name))


def test_a_table_of_r_with_quotes_inside_is_no_prose(write):
    text = '"a" "b"\n"1" "so \\"called\\"" 1.5\n"2" "y" 2.5\n"3" "z" 3.5\n'
    data = read_data(write(text, "t.txt"), kinds={"a": "category"})
    assert data.X["a"].tolist() == ['so "called"', "y", "z"]
    assert 'Quotes in quotes are written as \\", and read as quotes.' in data.notes
    assert data.recipe.apply(write(text, "u.txt")).X.tolist() == data.X.tolist()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (",0,1\n0,1,2\n1,3,5\n2,4,4\n", ["0", "1"]),
        (",0,1\na,1,2\nb,3,5\nc,4,4\n", ["0", "1"]),
        ('"","1940","1945.5"\n"9.4",1,2\n"9.5",3,5\n"9.6",4,4\n', ["1940", "1945.5"]),
        ('"1940" "1945"\n"1" 1 2\n"2" 3 5\n"3" 4 4\n', ["1940", "1945"]),
    ],
)
def test_numbers_above_names_of_rows_are_headings(write, text, names):
    data = read_data(write(text))
    assert list(data.recipe.columns) == names
    assert data.X.tolist() == [[1, 2], [3, 5], [4, 4]]
    said(data, "The first line holds numbers, which are taken as the names of columns.")
    said(data, "'row', is taken as the names of rows, not as a feature.")


def test_the_numbers_of_columns_are_headings_above_fractions_only(write):
    data = read_data(write("0,1,2\n0.5,2,1\n1.5,3,2\n2,1,4\n"))
    assert list(data.recipe.columns) == ["0", "1", "2"]
    assert len(data) == 3
    said(data, "The first line holds numbers, which are taken as the names of columns.")


@given(first=st.integers(-5, 3000), columns=st.integers(4, 12), seed=st.integers(0, 2**32 - 1))
@quick
def test_numbers_that_count_on_are_headings_above_whole_numbers(write, first, columns, seed):
    rng = np.random.default_rng(seed)
    names = [str(first + place) for place in range(columns)]
    body = rng.permuted(np.tile(np.arange(columns), (30, 1)), axis=1) * 2  # steps of 2: none counts on by one
    data = read_data(write("\n".join([",".join(names), *(",".join(map(str, row)) for row in body)]) + "\n"))
    assert list(data.recipe.columns) == names
    assert data.X.tolist() == body.tolist()
    said(data, "The first line holds numbers, which are taken as the names of columns.")
    lagged = [",".join(str(first + place + row) for place in range(columns)) for row in range(9)]
    said(read_data(write("\n".join(lagged) + "\n")), "The first line holds numbers only")


def test_dates_and_times_of_r_are_in_no_quotes(write):
    rows = ['"1" "so it is" 1953-01-20 10:30:00', '"2" "so be it" 1961-01-20 NA', '"3" "so" NA 07:15:10']
    data = read_data(write("\n".join(['"name" "start" "at"', *rows]) + "\n", "t.txt"), kinds={"name": "category"})
    assert (data.format, data.kind, list(data.recipe.columns)) == ("csv", "records", ["name", "start", "at"])
    assert {column.name: column.missing for column in data.columns} == {"row": 0, "name": 0, "start": 1, "at": 1}
    prose = '"It was" 1953-01-20 said he\n"No" 1954-01-20 said she\n'
    assert read_data(write(prose, "u.txt")).kind != "records"


MOMENTS = ["2020-01-01 12:34:56", "2020-01-02 00:00:00", "2021-12-31 23:59:59.25", "1999-07-01 07:00"]
WHEN = "A date and a time of day with a blank between them have one heading, and are taken as one value."


@pytest.mark.parametrize("quote", ['"', ""])
@pytest.mark.parametrize(
    ("columns", "named"),
    [
        (["t", "a", "y"], True),
        (["a", "t", "y"], True),
        (["t", "a", "u"], True),
        (["t"], True),
        (["y", "a", "t"], False),
    ],
)
@pytest.mark.parametrize("missing", [False, True])
def test_moments_of_r_are_one_value(write, quote, columns, named, missing):
    """R puts none of them in quotes, whatever it is told, and their blank would make two fields of one."""
    if columns == ["t"] and not quote:
        return  # no heading of two words, as those of a table in no quotes are
    moments = [*MOMENTS[:2], "NA", *MOMENTS[2:]] if missing else MOMENTS
    values = {
        "t": moments,
        "u": moments,
        "a": ["1.5", "-2", "1.5", "4", "7"],
        "y": [f"{quote}{c}{quote}" for c in "vwvww"],
    }
    rows = [" ".join([f"{quote}{i + 1}{quote}"] * named + [values[c][i] for c in columns]) for i in range(len(moments))]
    path = write("\n".join([" ".join(f"{quote}{c}{quote}" for c in columns), *rows]) + "\n", "t.txt")
    data = read_data(path, columns=columns)
    again = (
        ",".join(columns)
        + "\n"
        + "".join(",".join(values[c][i].strip('"') for c in columns) + "\n" for i in range(len(moments)))
    )
    plain = read_data(write(again, "t.csv"), columns=columns)
    assert (data.kind, data.recipe.columns) == (plain.kind, plain.recipe.columns)
    for name in columns if data.kind == "records" else ():
        assert data.X[name].tolist() == plain.X[name].tolist()
    if data.kind != "records":
        assert np.array_equal(data.X, plain.X)
    assert WHEN in data.notes
    if named:
        assert data.names == tuple(str(i + 1) for i in range(len(moments)))
    assert len(data.recipe.apply(path).X) == len(moments)


@pytest.mark.parametrize("suffix", ["txt", "csv", "dat", "tsv"])
@pytest.mark.parametrize(
    "text",
    [
        "id t a\n" + "".join(f"k{i} {moment} {i}\n" for i, moment in enumerate(MOMENTS)),
        '"id" "t"\n' + "".join(f'"k{i}" {moment}\n' for i, moment in enumerate(MOMENTS)),
        "t a\n" + "".join(f"{moment} {i}\n" for i, moment in enumerate(MOMENTS)),
    ],
)
def test_moments_that_may_be_two_columns_are_refused_with_advice(write, text, suffix):
    with pytest.raises(DataError, match=r"line 1: \d headings above \d fields between blanks.*write\.csv"):
        read_data(write(text, f"t.{suffix}"))


def test_dates_and_times_that_have_headings_of_their_own_are_two_columns(write):
    for head, number in (("day time a", ""), ('"day" "time" "a"', '"{}" ')):
        rows = "".join(f"{number.format(i)}{moment} {i}\n" for i, moment in enumerate(MOMENTS))
        if number:
            with pytest.raises(DataError, match="may be one"):
                read_data(write(f"{head}\n{rows}", "t.txt"))
        else:
            assert read_data(write(f"{head}\n{rows}", "t.txt")).recipe.columns == ("day", "time", "a")
    rows = "".join(f'"{i}",{moment},{i}\n' for i, moment in enumerate(MOMENTS))
    assert WHEN not in read_data(write(f'"t","a"\n{rows}', "t.txt")).notes


def test_texts_with_moments_in_them_are_texts(write):
    logs = "".join(f"{moment} the server said {i}\n" for i, moment in enumerate(MOMENTS))
    for text in (logs, "What was said, and when\n" + logs.replace("said", "said that it had got")[:-2] + "and left\n"):
        assert read_data(write(text, "t.txt")).kind == "documents"
    text = '"w" "t"\n"1" "on 2020-01-01 12:34:56" 2020-01-01 12:00:00\n"2" "x" NA\n"3" "on 2020-01-01 12:34:56" NA\n'
    assert "on 2020-01-01 12:34:56" in read_data(write(text, "u.txt"), kinds={"w": "category"}).X["w"].tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x a\n1 new york 1 2\n2 san jose 3 4\n3 los gatos 5 6\n", "2 headings above 5 fields between blanks"),
        ("first name of it\nbob 1\nann 2\neve 3\n", "4 headings above 2 fields between blanks"),
        ("a\tb\n1\t1\t2\n2\t3\t5\n3\t4\t4\n", "3 fields, and 2 expected .separated by tabs"),
        ("a,b\n1,1,2\n2,3,5\n3,4,4\n", "3 fields, and 2 expected .separated by commas"),
    ],
)
def test_tables_whose_headings_do_not_fit_are_no_documents(write, text, message):
    with pytest.raises(DataError, match=message):
        read_data(write(text, "t.txt"))


@pytest.mark.parametrize(
    "text",
    [
        "0,1,2\n1,2,0\n2,0,1\n",  # whole numbers all over
        "1,2,3,4\n2,3,4,5\n9,4,1,0\n",  # a row below counts on as well
        "1,2,3\n7,2,1\n9,4,1\n",  # too few
        "4,3,2,1\n7,2,1,8\n9,4,1,0\n",  # back
        "0,1\n0.5,1\n0.2,0\n",  # too few to tell
        "0,1,3\n0.5,2,1\n1.5,3,2\n",
        ",1.5,2\n0.5,2,1\n1.5,3,2\n",  # fractions name no rows
        ",1,2\n7,2,1\n7,3,2\n",  # nor does what comes twice
        ",1,2\n,2,1\n8,3,2\n",
        ",1,1\n7,2,1\n8,3,2\n",
    ],
)
def test_other_numbers_in_the_first_line_are_values(write, text):
    data = read_data(write(text))
    assert (len(data), data.recipe.header[0]) == (3, "x1")


def test_names_of_rows_are_no_features(write):
    by_r = write('"","a","b"\n"1",1,2\n"2",3,5\n"007",4,4\n')
    by_pandas = write(",a,b\n1,1,2\n2,3,5\n007,4,4\n", "pandas.csv")
    table = write('"a" "b"\n"1" 1 2\n"2" 3 5\n"007" 4 4\n', "table.txt")
    short = write('"a","b"\n"1",1,2\n"2",3,5\n"007",4,4\n', "short.csv")
    for path in (by_r, by_pandas, table, short):
        data = read_data(path)
        assert data.recipe.columns == ("a", "b"), path
        assert data.X.tolist() == [[1, 2], [3, 5], [4, 4]]
        assert data.names == ("1", "2", "007")
        said(data, "'row', is taken as the names of rows, not as a feature.")
        assert data.recipe.apply(path).names == data.names
    assert read_data(by_r, kinds={"row": "number"}).X.tolist() == [[1, 1, 2], [2, 3, 5], [7, 4, 4]]


def test_words_and_missing_values_of_r_are_read(write):
    data = read_data(write('"a" "b" "c"\n"1" NA "x y" TRUE\n"2" 2.5 "z" FALSE\n"3" 4 "x y" TRUE\n', "t.txt"))
    assert data.X["a"].tolist() == [3.25, 2.5, 4]
    assert data.X["b"].tolist() == ["x y", "z", "x y"]
    quoted = read_data(write('"a","b"\n"NA",1\n"2",3\n"5",4\n'))
    assert quoted.X.tolist() == [[3.5, 1], [2, 3], [5, 4]]


def test_headings_one_short_are_those_of_r_only_in_quotes_and_before_names_of_their_own(write):
    for text in ("a,b\n1,5,2\n2,7,3\n", '"a","b"\n1,5,2\n1,7,3\n'):
        with pytest.raises(DataError, match=r"line 2: 3 fields, and 2 expected"):
            read_data(write(text))


def test_a_column_without_a_name_must_be_the_first_or_empty(write):
    for text in ("a,b,\n1,2,3\n4,5,6\n", "a,b,\n1,2,\n4,5,6\n"):
        with pytest.raises(DataError, match=r"line 1: column 3 has no name; give it one, or delete the column"):
            read_data(write(text))


def test_a_lone_heading_before_pairs_is_no_title_unless_headings_follow(write):
    with pytest.raises(DataError, match=r"line 2: 2 fields, and 1 expected"):
        read_data(write("a\n1,2\n3,4\n5,6\n"))
    assert read_data(write("Title\n1,2,3\n4,5,7\n")).recipe.columns == ("x1", "x2", "x3")


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "a_2", "a_3", "b_2"]), max_size=12))
def test_names_become_different_and_those_that_were_stay(names):
    found, notes = distinct(names)
    assert len(set(found)) == len(found) == len(names)
    assert [new for new, old in zip(found, names, strict=True) if new == old] == list(dict.fromkeys(names))
    assert len(notes) == sum(names.count(name) > 1 for name in set(names))


def test_names_that_come_again_pass_by_those_that_are_taken():
    found, _ = distinct(["a", "{}", "a_2", "a", "{}", "a_4", "a", "a"])
    assert found == ["a", "{}", "a_2", "a_3", "{}_2", "a_4", "a_5", "a_6"]


values = (
    st.text(string.ascii_letters + ' ,;"', min_size=1, max_size=6).map(str.strip).filter(lambda word: len(word) > 1)
)


@quick
@given(st.data())
def test_a_table_is_the_same_with_and_without_what_surrounds_it(tmp_path, data):
    width = data.draw(st.integers(2, 4))
    rows = data.draw(
        st.lists(st.lists(values, min_size=width - 1, max_size=width - 1).map(lambda row: [*row, "1.5"]), min_size=2)
    )
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([[f"name {k}" for k in range(width)], *rows])
    plain, path = tmp_path / "plain.csv", tmp_path / "t.csv"
    plain.write_text(text.getvalue(), newline="")
    before = data.draw(
        st.sampled_from(["sep=,\r\n", "# comment\r\n", "# a\r\n\r\n# b\r\n", '"A title"\r\n', "Title\n\n"])
    )
    path.write_text(before + text.getvalue(), newline="")
    expected, found = read_raw(plain), read_raw(path)
    if width > 2 or "itle" not in before:
        np.testing.assert_equal(dict(found.columns), dict(expected.columns))
        assert found.notes


@quick
@example(("p", '"q;'), [0, 1, 0, 0, 0, 0], "|")  # cut by ; a quote opens that ends nowhere, and there is one row
@given(
    st.tuples(
        *(
            st.builds(
                lambda *text: "".join(text), st.text('#",;\n', max_size=3), st.just(name), st.text('#",;\n', max_size=3)
            )
            for name in "pq"
        )
    ),
    st.lists(st.integers(0, 9), min_size=6, max_size=12).filter(lambda numbers: len(set(numbers)) > 1),
    st.sampled_from([",", "\t", ";", "|"]),
)
@example(('p;"', "q"), [0, 0, 0, 0, 0, 1], "|")  # by semicolons all is one row, whose last quote stays open
@example(('p;"', "q"), [0, 1] * 60, "|")  # and longer than what is looked at
def test_a_line_within_quotes_is_no_comment(tmp_path, names, numbers, mark):
    with open(tmp_path / "t.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=mark, lineterminator="\n").writerows(
            [["x", *names], *([n, n + 1, n] for n in numbers)]
        )
    data = read_data(tmp_path / "t.csv", format="tsv" if mark == "\t" else "csv")
    np.testing.assert_array_equal(data.X[:, 0], numbers)
    assert len(data.columns) == 3


def test_headings_in_single_quotes_are_called_by_what_is_within(write):
    assert list(read_raw(write("'age'\t'my town'\n1\t2\n3\t4\n5\t6\n")).columns) == ["age", "my town"]
    assert list(read_raw(write("'age',town\n1,2\n3,4\n5,6\n")).columns) == ["'age'", "town"]
