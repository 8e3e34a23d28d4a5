"""New data become objects exactly as the first did, or are refused."""

import json
import re

import numpy as np
import pytest

from gramian.intake.errors import DataError
from gramian.intake.reading import from_objects, load_example, read_data
from gramian.intake.recipe import Recipe

MIXED = (
    "age,sex,day,note,y\n31,m,2024-01-01,one two,1.5\n"
    ",f,2024-01-09,three four,2.5\n45,m,,five six,2\n52,f,2024-01-03,,9\n"
)


@pytest.mark.parametrize("name", ["iris", "promoters", "addresses", "football", "cars"])
def test_a_recipe_is_plain_and_comes_back_from_json(name):
    recipe = load_example(name).recipe
    assert Recipe.from_plain(json.loads(json.dumps(recipe.plain()))) == recipe


@pytest.mark.parametrize("target", [None, "y", "age", "sex"])
def test_the_same_file_gives_the_same_objects(write, target):
    path = write(MIXED)
    data = read_data(path, target=target)
    X, names, _ = data.recipe.apply(path)
    rows = [int(name) - 1 for name in data.names]
    assert X.dtype == data.X.dtype
    assert X[rows].tolist() == data.X.tolist()
    assert len(names) == 4


def test_new_rows_are_filled_from_the_first_data(write):
    recipe = read_data(write(MIXED), target="y").recipe
    X, names, notes = recipe.apply(write("day,note,sex,age\n,a b,x,\n1970-01-02,,,7\n", "new.csv"))
    assert X.tolist() == [(45.0, "x", 19725.0, "a b"), (7.0, "missing", 1.0, "")]
    assert list(names) == ["1", "2"]
    assert notes == (
        "Column 'age' has no value in 1 of 2 rows; the median, 45, stands there.",
        "Column 'sex' has 1 value never seen before, 'x', which equals no known category.",
        "Column 'sex' has no value in 1 of 2 rows; the category 'missing' stands there.",
        "Column 'day' has no value in 1 of 2 rows; the median, 2024-01-03, stands there.",
        "Column 'note' has no value in 1 of 2 rows; no words stand there.",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("age,sex,day\n1,m,2024-01-01\n", "{}: no column 'note'; there is 'age', 'sex', 'day'"),
        ("Age,sex,day,note\n1,m,2024-01-01,x\n", "{}: no column 'age'; did you mean 'Age'?"),
        (
            "age,sex,day,note\n1,m,2024-01-01,x\nold,m,2024-01-01,x\n",
            "{}, line 3, column 'age': 'old'; a number expected",
        ),
        ("age,sex,day,note\n1,m,May,x\n", "{}, line 2, column 'day': 'May'; a date such as 2024-02-29 expected"),
        (
            "age,sex,day,note\ninf,m,2024-01-01,x\n",
            "{}, line 2, column 'age': inf is infinite, or too large for a floating point number; numbers "
            "up to 1e+150 "
            "expected: mend it, or leave it empty",
        ),
    ],
)
def test_data_of_another_shape_are_refused_by_their_column(write, text, message):
    recipe = read_data(write(MIXED), target="y").recipe
    path = write(text, "new.csv")
    with pytest.raises(DataError) as caught:
        recipe.apply(path)
    assert str(caught.value) == message.replace("{}", str(path))


def test_columns_that_were_not_there_are_ignored_and_said(write):
    recipe = read_data(write("a,b,c\n1,2,5\n3,4,5\n"), target="b").recipe
    X, _, notes = recipe.apply(write("z,a,c,y\n1,7,8,9\n", "new.csv"))
    assert X.tolist() == [[7]]
    assert notes == ("2 more columns are ignored: 'z', 'y'.",)


def test_categories_keep_their_spelling_in_new_data(write):
    recipe = read_data(write("c,d,x\n01,True,1\n02,False,2\nx,True,3\n01,False,4\n")).recipe
    assert recipe.categories == {"c": ("01", "02", "x"), "d": ("false", "true")}
    X, _, notes = recipe.apply(write("c,d,x\n01,TRUE,1\n02,TRUE,1\n", "new.csv"))
    assert X.tolist() == [("01", "true", 1.0), ("02", "true", 1.0)]
    assert notes == ()


def test_a_table_without_headings_may_come_without_its_target(write):
    recipe = read_data(write("1,2,0.5\n3,5,7\n5,1,6\n"), target="x1").recipe
    assert recipe.apply(write("9,8,7\n", "same.csv")).X.tolist() == [[8, 7]]
    X, _, notes = recipe.apply(write("8,7\n", "less.csv"))
    assert X.tolist() == [[8, 7]]
    assert "The data have one column less than before: the target 'x1' is taken to be absent." in notes
    notes = recipe.apply(write("8,?\n", "gap.csv")).notes
    assert "Column 'x3': 1 entry '?' is taken as missing." in notes
    with pytest.raises(DataError, match=r"no column 'x2'; there is 'x1'$"):
        recipe.apply(write("8\n", "none.csv"))


def test_strings_may_come_in_another_form(write):
    recipe = read_data(write(">a\nACGT\n>b\nGG\n", "t.fasta")).recipe
    assert recipe.apply(["AC", "TT"]).X == ["AC", "TT"]
    found = recipe.apply(write("AC\n\nTT\n", "t.lines"))
    assert (found.X, list(found.names)) == (["AC", "TT"], ["1", "2"])
    found = recipe.apply(write(">u x\nAC\n>v y\nTT\n", "new.fasta"))
    assert (found.X, found.names, found.notes) == (["AC", "TT"], ("u", "v"), ())


def test_objects_without_a_value_are_left_out_of_new_data_too(write):
    recipe = read_data(write("s,t\nto be,0\nor not,1\n"), columns=["s"], kinds={"s": "text"}).recipe
    X, names, notes = recipe.apply(write("s\nthat is\nNA\nthe question\n", "new.csv"))
    assert (X, list(names)) == (["that is", "the question"], ["1", "3"])
    assert notes == (
        "Column 's': 1 entry 'NA' is taken as missing.",
        "1 of 3 rows has no value in column 's' and was left out.",
    )


def test_nodes_come_as_a_graph_or_by_name(write):
    recipe = read_data(write("1 2\n2 3\n", "t.edges")).recipe
    assert recipe.apply(write("2 3\n", "u.edges")).X == [2, 3]
    assert recipe.apply([3, 1]).X == [3, 1]
    with pytest.raises(DataError, match="names of nodes that are no integers"):
        recipe.apply(["a", "b"])
    with pytest.raises(DataError, match="a graph; data with the columns 'sepal length', "):
        load_example("iris").recipe.apply(write("2 3\n", "u.edges"))


def test_float32_stays_float32():
    X = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
    recipe = from_objects(X).recipe
    assert recipe.apply(X.astype(np.float64)).X.dtype == np.float32
    np.testing.assert_array_equal(recipe.apply(X).X, X)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "code"},
        {"columns": [1]},
        {"columns": []},
        {"kinds": {"a": "number", "b": "number"}},
        {"fill": {"a": "x"}},
        {"fill": None},
        {"kinds": None},
        {"dtype": "object"},
        {"names": 3},
        {"width": "3"},
        {"categories": {"a": 3}},
        {"more": 1},
    ],
)
def test_a_tree_that_is_no_recipe_is_refused(change):
    plain = from_objects([{"a": 1}, {"a": 2}]).recipe.plain()
    with pytest.raises(DataError, match=r"^a recipe .*; make the model again$"):
        Recipe.from_plain(plain | change)


@pytest.mark.parametrize(
    ("first", "same", "other", "unit"),
    [
        (["12 kg", "13.5 kg", "9 kg"], ["12 KG", "13.5 KG", "9 KG"], ["12 lb", "13.5 lb", "9 lb"], "kg"),
        (["$12", "$13.5", "$9"], ["12$", "13.5$", "9$"], ["€12", "€13.5", "€9"], "$"),
        (["12%", "13.5%", "9%"], ["12 %", "13.5 %", "9 %"], ["12 kg", "13.5 kg", "9 kg"], "%"),
        (["12:00", "13:30", "09:00"], ["12 pm", "1:30 pm", "9 am"], ["12 kg", "13.5 kg", "9 kg"], "hours"),
    ],
)
def test_numbers_of_another_unit_are_refused_and_a_unit_that_is_gone_is_said(write, first, same, other, unit):
    def table(entries, name):
        return write("a,b\n" + "".join(f"{entry},{place % 2}\n" for place, entry in enumerate(entries)), name)

    recipe = read_data(table(first, "first.csv")).recipe
    for entries in (first, same):
        applied = recipe.apply(table(entries, "same.csv"))
        assert applied.X[:, 0].tolist() == [12, 13.5, 9]
        assert not any("no unit" in note for note in applied.notes)
    for entries in (["12", "13.5", "9"], ["12,0", "13,5", "9,0"]):
        applied = recipe.apply(table([f'"{entry}"' for entry in entries], "bare.csv"))
        assert applied.X[:, 0].tolist() == [12, 13.5, 9]
        assert f"Column 'a' has no unit here, and its numbers are taken to be in '{unit}', as in the first data." in (
            applied.notes
        )
    with pytest.raises(DataError, match=rf"line 2, column 'a': '{other[0]}'; numbers in '{re.escape(unit)}', as in"):
        recipe.apply(table(other, "other.csv"))


def test_numbers_in_place_of_dates_are_refused(write):
    recipe = read_data(write("a,b\n2020-01-31,1\n2020-02-13,3\n2020-03-01,2\n")).recipe
    with pytest.raises(DataError, match=r"line 3, column 'a': 20200131; a date such as 2024-02-29 expected, as in the"):
        recipe.apply(write("a,b\n,2\n20200131,2\n", "new.csv"))
    applied = recipe.apply(write("a,b\n,2\n,3\n", "gone.csv"))
    assert applied.X[:, 0].tolist() == [18305.0, 18305.0]
