"""What counts as missing depends on the column; what texts mean is settled once, said, and kept for new data."""

import datetime
import json

import numpy as np
import pytest

import gramian as gm
from gramian.intake.errors import DataError
from gramian.intake.meanings import NUMBER_MARKS, WORD_MARKS, marks_of
from gramian.intake.reading import from_objects, read_data
from gramian.intake.recipe import Recipe
from gramian.intake.table import MISSING

PRICES = ["$1,234.50", "$3.00", "$12.25", "$7.00", "$1,000.00", "$2.50"]


def table(**columns):
    """Return the text of a CSV file of columns, whose fields stand in quotes."""
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(f'"{field}"' for field in row) for row in rows)]) + "\n"


def column(data, name):
    return next(each for each in data.columns if each.name == name)


def test_plus_and_minus_are_classes(write):
    data = read_data(write(table(y="+-+--+", a="123456")), target="y")
    assert data.y.tolist() == list("+-+--+")
    assert "Column 'y': 3 entries '-' are values, not missing ones (to change that: --missing=\"-\")." in data.notes


def test_none_is_a_value_among_words_and_a_mark_among_numbers(write):
    bags = ["None", "Driver", "None", "Both", "Driver", "Both"]
    data = read_data(write(table(bags=bags, doors=["2", "None", "4", "2", "4", "none"], a="123456")))
    assert data.X["bags"].tolist() == bags
    assert data.X["doors"].tolist() == [2, 3, 4, 2, 4, 3]
    assert column(data, "bags").missing == 0
    assert column(data, "doors").missing == 2
    assert (
        "Column 'bags': 2 entries 'None' are values, not missing ones (to change that: --missing=\"None\")."
        in data.notes
    )
    assert "Column 'doors': 1 entry 'None' and 1 'none' are taken as missing." in data.notes


def test_counts_of_marks_are_said_the_most_frequent_first(write):
    data = read_data(write(table(x=["-", "1", "unknown", "2", "unknown", "5"], a="123456")))
    assert "Column 'x': 2 entries 'unknown' and 1 '-' are taken as missing." in data.notes


def test_what_programs_write_is_missing_among_words_too(write):
    values = [*sorted(WORD_MARKS), "u", "v", "u", "v"]
    data = read_data(write(table(c=values, a=range(len(values)))))
    assert column(data, "c").missing == len(WORD_MARKS)
    assert set(data.X["c"]) == {"missing", "u", "v"}


def test_marks_alone_are_no_values(write):
    data = read_data(write("a,b\n1,?\n2,-\n3,\n"))
    assert column(data, "b").kind == "empty"


@pytest.mark.parametrize("mark", sorted(NUMBER_MARKS - {"nan"}))  # which is a number to programs
def test_a_mark_among_numbers_of_memory_is_missing_as_in_a_file(write, mark):
    rows = [{"x": 1.5, "a": 1}, {"x": mark, "a": 2}, {"x": 2.5, "a": 4}]
    path = write("".join(json.dumps(row) + "\n" for row in rows), "t.jsonl")
    for data in (from_objects(rows), read_data(path), read_data(write(table(x=["1.5", mark, "2.5"], a="124")))):
        assert data.X.tolist() == [[1.5, 1], [2, 2], [2.5, 4]]
        assert f"Column 'x': 1 entry {mark!r} is taken as missing." in data.notes


def test_marks_that_are_given_are_the_only_ones(write):
    path = write(table(x=["1", "-999", "2", "4"] * 2, c=["u", "x", "v", "NA"] * 2, d=["?", *"1357924"]))
    data = read_data(path, missing=["-999", "x"])
    assert column(data, "x").missing == 2
    assert column(data, "c").missing == 2
    assert column(data, "d").kind == "id"
    assert "Column 'x': 2 entries '-999' are taken as missing." in data.notes
    new = write(table(x=["-999", "3"], c=["x", "NA"], d=["1", "2"]), "new.csv")
    X, _, notes = data.recipe.apply(new)
    assert X["x"].tolist() == [2, 3]
    assert X["c"].tolist() == ["missing", "NA"]
    assert "Column 'x': 1 entry '-999' is taken as missing." in notes


@pytest.mark.parametrize("rows", [6, 50_000])
def test_marks_of_a_reader_are_counted_over_all_runs(write, rows):
    values = ["NA" if k % 3 == 0 else "?" if k % 6 == 1 else f"{k}.5" for k in range(rows)]
    data = read_data(write(table(x=values, a=range(rows))))
    total, some = values.count("NA"), values.count("?")
    assert f"Column 'x': {total:,} entries 'NA' and {some:,} '?' are taken as missing." in data.notes
    np.testing.assert_array_equal(data.gaps["x"], [value in ("NA", "?") for value in values])
    only = read_data(write(table(x=values, a=range(rows))), missing="NA")
    assert column(only, "x").kind != "number"
    assert column(only, "x").missing == total


def test_marks_of_many_columns_are_said_at_once(write):
    columns = {f"c{place}": ["1", "NA", "3", "-" if place else "4", "6"] for place in range(9)}
    notes = read_data(write(table(**columns))).notes
    assert (
        "9 entries 'NA' and 8 '-' are taken as missing, in 9 columns: 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', " in notes[0]
    )
    assert sum("taken as missing" in note for note in notes) == 1
    del columns["c0"]
    assert sum("taken as missing" in note for note in read_data(write(table(**columns))).notes) == 8


def test_marks_that_are_given_reach_every_kind_of_data(write):
    X = np.array([[1.0, -9], [2, 3], [4, 5]])
    assert from_objects(X, missing="-9").X.tolist() == [[1, 4], [2, 3], [4, 5]]
    assert from_objects([{"a": 1.5}, {"a": "refused"}, {"a": 2.5}], missing="refused").X.ravel().tolist() == [
        1.5,
        2,
        2.5,
    ]
    scipy = pytest.importorskip("scipy.sparse")
    assert from_objects(scipy.csr_array(np.eye(4)), ["u", "x", "v", "u"], missing=["x"]).y.tolist() == ["u", "v", "u"]
    graph = gm.Graph([("a", "b"), ("b", "c"), ("c", "d")])
    assert from_objects(graph, ["u", "x", "v", "u"], missing="x").y.tolist() == ["u", None, "v", "u"]
    assert from_objects(graph, ["+", "-", "-", "+"]).y.tolist() == ["+", "-", "-", "+"]
    lines = write("acgt\nx\nggtt\n", "t.lines")
    assert read_data(lines, missing="x").X == ["acgt", "ggtt"]
    assert read_data(lines).X == ["acgt", "x", "ggtt"]


def test_marks_are_texts():
    assert marks_of(None) is None
    assert marks_of("") == ()
    assert marks_of(["?", " ? ", "-"]) == ("?", "-")
    with pytest.raises(TypeError, match=r"^missing is 3 \(int\); texts expected, such as \['\?', '-999'\]$"):
        from_objects([[1.0], [2.0]], missing=3)
    with pytest.raises(TypeError, match=r"^missing holds -999 \(int\); texts expected, such as '\?' or '-999'$"):
        from_objects([[1.0], [2.0]], missing=[-999])


def test_a_report_of_memory_knows_marks():
    rows = [{"a": i % 7, "b": "x" if i % 5 == 0 else i / 3} for i in range(40)]
    found = gm.report(rows, missing="x", kernel="gaussian")
    assert "8 of 40 rows" in found.to_json()


def test_kinds_override_the_guess_and_decide_what_is_missing(write):
    path = write(table(c=["1", "-", "2", "-", "1"], a="12345"))
    assert read_data(path).X[:, 0].tolist() == [1, 1, 2, 1, 1]
    assert read_data(path, kinds={"c": "category"}).X["c"].tolist() == ["1", "-", "2", "-", "1"]


@pytest.mark.parametrize("name", ["price", "id", "key", "no", "price index"])
def test_amounts_that_are_all_different_are_never_names_of_rows(write, name):
    for values in (PRICES, ["1%", "2%", "3%", "4%", "5%", "6%"], ["1,001", "1,002", "1,003", "9", "8", "7"]):
        data = read_data(write(table(**{name: values, "a": "112233"})))
        assert column(data, name).kind == "number"
        assert f"Column {name!r} is read as numbers: " in column(data, name).note


def test_dates_and_times_that_are_all_different_are_never_names_of_rows(write):
    days, hours = [f"{day}/3/2020" for day in range(11, 17)], [f"{hour}:30" for hour in range(6)]
    data = read_data(write(table(id=days, key=hours)))
    assert [each.kind for each in data.columns] == ["date", "number"]
    assert data.X.tolist() == [[18332.0 + place, place + 0.5] for place in range(6)]


def test_new_data_are_read_as_the_first_were(write):
    first = read_data(write(table(x=["1.234,5", "2,25", "7"], day=["3/4/2020", "13/4/2020", "5/4/2020"], c="+-+")))
    recipe = Recipe.from_plain(json.loads(json.dumps(first.recipe.plain())))
    assert recipe == first.recipe
    X = recipe.apply(write(table(x=["1.234"], day=["1/2/2020"], c="-"), "new.csv")).X
    assert X.tolist() == [(1234.0, 18293.0, "-")]
    X = recipe.apply([{"x": 1.234, "day": datetime.date(2020, 2, 1), "c": "-"}]).X
    assert X.tolist() == [(1.234, 18293.0, "-")]
    assert recipe.apply(write(table(x=["?"], day=["-"], c="?"), "gaps.csv")).X.tolist() == [(7.0, 18357.0, "?")]


def test_new_data_in_another_notation_are_read_and_that_is_said(write):
    recipe = read_data(write(table(x=["1.5", "2.5"], a="12"))).recipe
    X, _, notes = recipe.apply(write(table(x=["$1,250.00", "$3"], a="12"), "new.csv"))
    assert X[:, 0].tolist() == [1250, 3]
    assert notes == ("Column 'x' is read as numbers: '$1,250.00' is 1250.",)


def test_new_dates_in_the_other_order_are_refused(write):
    recipe = read_data(write(table(day=["3/4/2020", "13/4/2020"], a="12"))).recipe
    with pytest.raises(DataError, match=r"line 2, column 'day': '4/13/2020'; a date such as 2024-02-29 expected"):
        recipe.apply(write(table(day=["4/13/2020", "4/3/2020"], a="12"), "new.csv"))


def test_a_number_of_new_data_must_be_one(write):
    recipe = read_data(write(table(x=PRICES, a="123456"))).recipe
    with pytest.raises(DataError, match=r"line 3, column 'x': 'cheap'; a number expected"):
        recipe.apply(write(table(x=["$5.00", "cheap"], a="12"), "new.csv"))


def test_a_recipe_of_an_earlier_version_still_loads_and_keeps_its_marks(write):
    plain = read_data(write("x,c\n1,u\n2,v\n3,u\n4,v\n")).recipe.plain()
    del plain["notations"], plain["missing"]
    recipe = Recipe.from_plain(plain)
    assert set(recipe.missing) == MISSING - {""}
    assert recipe.apply(write("x,c\n?,-\n", "new.csv")).X.tolist() == [(2.5, "missing")]
    with pytest.raises(DataError, match="a recipe of other fields than this version knows"):
        Recipe.from_plain(plain | {"missing": None})


@pytest.mark.parametrize(
    "change",
    [
        {"notations": {"b": {"kind": "number", "style": ".", "before": "", "after": ""}}},
        {"notations": {"a": {"kind": "number", "style": "?", "before": "", "after": ""}}},
        {"notations": {"a": "number"}},
        {"notations": 3},
        {"missing": [1]},
        {"missing": "?"},
    ],
)
def test_forged_meanings_are_refused(change):
    plain = from_objects([{"a": 1}, {"a": 2}]).recipe.plain()
    with pytest.raises(DataError, match=r"make the model again$"):
        Recipe.from_plain(plain | change)


def test_how_a_column_is_written_can_be_said(write):
    path = write(table(x=["1.234", "2.500"], y=["3,750", "1,250"], day=["3/4/2020", "5/6/2020"]))
    X = read_data(path).X
    assert X.tolist() == [[1.234, 3750, 18355], [2.5, 1250, 18418]]
    X = read_data(path, kinds={"x": "decimal-comma", "y": "decimal-comma", "day": "month-first"}).X
    assert X.tolist() == [[1234, 3.75, 18325], [2500, 1.25, 18387 + 1]]
    said = read_data(path, kinds={"day": "day-first"})
    assert said.X[:, 2].tolist() == [18355, 18418]
    assert "month-first" in " ".join(read_data(path).notes)
    assert "month-first" not in " ".join(said.notes)


def test_classes_keep_their_names(write):
    path = write(table(y=["10%", "20%", "10%", "20%", "10%", "-"], a="123456"))
    assert read_data(path, target="y").y.tolist() == ["10%", "20%", "10%", "20%", "10%"]
    assert read_data(path, target="y", kinds={"y": "numbers"}).y.tolist() == [10, 20, 10, 20, 10]
    X = np.arange(12.0).reshape(6, 2)
    assert from_objects(X, ["1.0", "2.0"] * 3).y.tolist() == ["1.0", "2.0"] * 3
    assert from_objects(X, PRICES).y.tolist() == [1234.5, 3, 12.25, 7, 1000, 2.5]


def test_a_target_of_one_number_and_a_mark_has_two_classes(write):
    path = write(table(y="1--1-1", a="123456"))
    assert read_data(path, target="y").y.tolist() == list("1--1-1")
    with pytest.raises(DataError, match="the target 'y' is 1 in every row"):
        read_data(path, target="y", missing="-")


def test_targets_in_notations_are_numbers_and_said(write):
    data = read_data(write(table(y=PRICES, a="123456")), target="y")
    assert data.task == "numbers"
    assert "Column 'y' is read as numbers: '$1,234.50' is 1234.5." in data.notes
    dated = read_data(write(table(y=["13/2/2020", "14/2/2020"] * 3, a="123456")), target="y")
    assert dated.task == "numbers"
    assert sorted(set(dated.y)) == [18305, 18306]


def test_digits_in_texts_of_a_typed_source_are_codes_and_that_is_said():
    rows = [{"zip": code, "a": i} for i, code in enumerate(["90210", "10001", "90210", "10001"])]
    data = from_objects(rows)
    assert data.X["zip"].tolist() == ["90210", "10001"] * 2
    assert "Its texts are numbers; to take them as such: --kind zip=number." in column(data, "zip").note
    assert from_objects(rows, kinds={"zip": "number"}).X[:, 0].tolist() == [90210, 10001] * 2
    decimals = from_objects([{"x": text, "a": i} for i, text in enumerate(["1.5", "-2", "1e3"])])
    assert decimals.X[:, 0].tolist() == [1.5, -2, 1000]
    assert any(note.startswith("Column 'x' is read as numbers: ") for note in decimals.notes)


def test_data_frames_are_settled_as_files_are():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {"x": [*PRICES[:5], "n.a."], "c": ["None", "a", "None", "a", "?", "?"], "t": ["1:30"] * 3 + ["2:15"] * 3}
    expected = [1234.5, 3, 12.25, 7, 1000, 12.25]
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns)):
        data = from_objects(frame)
        assert data.X["x"].tolist() == expected
        assert data.X["c"].tolist() == columns["c"]
        assert data.X["t"].tolist() == [1.5] * 3 + [2.25] * 3
    mixed = from_objects(pandas.DataFrame({"x": [1.5, "?", 2, 4.5], "a": range(4)}))
    assert mixed.X[:, 0].tolist() == [1.5, 2, 2, 4.5]


def test_times_of_memory_are_hours():
    times = [datetime.time(13, 45), None, datetime.time(1, 15)]
    assert from_objects([{"t": time, "a": i} for i, time in enumerate(times)]).X[:, 0].tolist() == [13.75, 7.5, 1.25]


def test_a_stray_word_among_dates_is_pointed_at(write):
    days = [str(datetime.date(2020, 1, 1) + datetime.timedelta(days=i)) for i in range(40)]
    data = read_data(write(table(day=[*days, "soon"], a=range(41))))
    assert "But for 1 entry, such as 'soon' in line 42, it holds dates." in column(data, "day").note


def test_a_constant_date_is_shown_as_one(write):
    data = read_data(write(table(day=["13/2/2020"] * 3, a="123")))
    assert "Column 'day' has the same value, 2020-02-13, in every row and is left out." in data.notes


def test_objects_that_stand_alone_are_never_marks_nor_numbers(write):
    lines = write("$5\n$6\nNA\n", "t.lines")
    data = read_data(lines)
    assert (data.kind, data.X) == ("strings", ["$5", "$6", "NA"])
    assert read_data(lines, kinds={"line": "string"}).X == ["$5", "$6", "NA"]
    assert data.recipe.apply(["NA", "$7"]).X == ["NA", "$7"]
    fasta = read_data(write(">a\nNA\n>b\nAN\n", "t.fasta"))
    assert fasta.X == ["NA", "AN"]
    assert fasta.recipe.apply(write(">c\nNA\n", "new.fasta")).X == ["NA"]
    assert fasta.recipe.apply(["NA"]).X == ["NA"]


def test_nodes_may_be_called_by_marks(write):
    edges, nodes = write("- ?\n? a\n", "t.edges"), write("node,y\n-,1.5\n?,-\na,2.5\n", "n.csv")
    data = read_data(edges, nodes=nodes, target="y")
    np.testing.assert_array_equal(data.y, [1.5, np.nan, 2.5])
    assert "Column 'y': 1 entry '-' is taken as missing." in data.notes


def test_the_entry_that_tells_is_shown_wherever_it_stands(write):
    entries = [*map(str, range(1000, 1200)), '"1,5"']
    data = read_data(write("a,b\n" + "".join(f"{entry},{place}\n" for place, entry in enumerate(entries))))
    assert "Column 'a' is read as numbers: '1,5' is 1.5." in data.notes
    assert data.X[-1].tolist() == [1.5, 200]


@pytest.mark.parametrize(("different", "said"), [(30, True), (5, False)])
def test_a_slip_among_numbers_that_come_again_is_pointed_at(write, different, said):
    entries = [*(str(place % different) for place in range(1000)), "l2"]
    data = read_data(write("a,b\n" + "".join(f"{entry},{place}\n" for place, entry in enumerate(entries))))
    assert data.recipe.kinds["a"] == "category"
    assert any("But for 1 entry, such as 'l2' in line 1,002, it holds numbers." in note for note in data.notes) == said


@pytest.mark.parametrize("error", ["#N/A", "#VALUE!", "#DIV/0!", "#REF!", "#NAME?", "#NUM!", "#NULL!"])
@pytest.mark.parametrize(("heading", "row"), [("v,w\n", 0), ("v,w\n", 4), ("", 4)])
def test_an_error_of_a_spreadsheet_in_the_first_column_is_no_comment(write, error, heading, row):
    lines = [f"{error if k == row else k * 1.5},{k % 3}.5\n" for k in range(20)]
    data = read_data(write(heading + "".join(lines)))
    assert len(data) == 20
    assert [column.missing for column in data.columns] == [1, 0]
    assert data.gaps[data.columns[0].name].nonzero()[0].tolist() == [row]
    assert any(f"entry {error!r} is taken as missing" in note for note in data.notes)
    without = read_data(write(heading + "".join([*lines[:7], "#10.5,0.5\n", *lines[8:]]), "other.csv"))
    assert len(without) == 19
    assert without.columns[0].missing == 1
