"""What a column holds is guessed from its values, said in a sentence, and overridden by what is asked for."""

import numpy as np
import pytest

from gramian.intake.errors import DataError
from gramian.intake.reading import from_objects, read_data

GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "omicron",
    "pi",
    "rho",
    "sigma",
    "tau",
    "phi",
    "psi",
]
ROWS = 40


def kind_of(values, name="c", **more):
    """Return the kind of a column that stands beside a column of numbers."""
    rows = [{"other": i % 7 + 0.5, name: value} for i, value in enumerate(values)]
    data = from_objects(rows, **more)
    return next(column for column in data.columns if column.name == name)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([i / 3 for i in range(ROWS)], "number"),
        ([i % 2 for i in range(ROWS)], "number"),
        ([i % 2 == 0 for i in range(ROWS)], "category"),
        (["f", "m"] * (ROWS // 2), "category"),
        (GREEK[:20] * 2, "category"),
        ([f"w{i % 25}" for i in range(1000)], "category"),
        (["acgt" * 5 + "acgt"[i % 4] * (i // 4) for i in range(ROWS)], "string"),
        ([GREEK[i % 21] + GREEK[i % 2] for i in range(90)], "string"),
        ([f"some words and {i}" for i in range(ROWS)], "text"),
        ([f"key{i}" for i in range(ROWS)], "id"),
        ([f"2024-01-{i % 28 + 1:02d}" for i in range(ROWS)], "date"),
        ([f"2024-01-{i % 28 + 1:02d}T10:30:00+02:00" for i in range(ROWS)], "date"),
        ([f"2024-02-{i % 30 + 1:02d}" for i in range(ROWS)], "string"),
        ([3.5] * ROWS, "constant"),
        (["x", None] * (ROWS // 2), "constant"),
        ([None] * ROWS, "empty"),
        (["NA", "?", "-", "", " null "] * 8, "empty"),
    ],
)
def test_the_kind_follows_the_values(values, kind):
    found = kind_of(values)
    assert found.kind == kind
    assert found.used == (kind not in ("id", "constant", "empty"))


@pytest.mark.parametrize("name", ["id", "Index", "customer_id", "row"])
def test_whole_numbers_of_their_own_name_the_rows_only_under_such_a_name(name):
    values = list(range(100, 100 + ROWS))
    assert kind_of(values, name).kind == "id"
    assert kind_of(values, "height").kind == "number"


def test_names_of_rows_come_from_the_column_of_names():
    data = from_objects([{"id": f"n{i}", "x": i % 3} for i in range(5)])
    assert list(data.names) == ["n0", "n1", "n2", "n3", "n4"]
    assert data.X.shape == (5, 1)


def test_names_in_words_are_preferred_to_numbers():
    data = from_objects([{"id": i, "name": f"n{i}", "x": i % 3} for i in range(5)])
    assert list(data.names) == ["n0", "n1", "n2", "n3", "n4"]


def test_a_column_of_names_is_taken_as_objects_where_there_is_nothing_else():
    data = from_objects([{"word": word} for word in GREEK])
    assert (data.kind, data.X) == ("strings", GREEK)
    assert "Column 'word' has a value of its own in every row, and is taken as string." in data.notes


def test_a_column_of_names_is_a_feature_where_it_is_asked_for():
    data = from_objects([{"id": i, "x": i % 3} for i in range(5)], columns=["id"])
    assert data.X.ravel().tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("kinds", "kind"),
    [({"zip": "category"}, "records"), ({"zip": "number"}, "vectors"), ({"zip": "string"}, "records")],
)
def test_kinds_override_the_guess(write, kinds, kind):
    data = read_data(write("zip,x\n01234,1\n01235,2\n01234,4\n"), kinds=kinds)
    assert data.kind == kind
    assert "Column 'zip' is taken as" in " ".join(data.notes)
    if kind == "records":
        assert data.X["zip"].tolist() == ["01234", "01235", "01234"]


def test_a_category_may_mix_numbers_and_words_where_it_is_asked_for():
    rows = [{"a": 1, "x": 0.5}, {"a": "b", "x": 2}, {"a": 1.0, "x": 3}]
    assert from_objects(rows, kinds={"a": "category"}).X["a"].tolist() == ["1", "b", "1"]
    with pytest.raises(DataError, match=r"^X, row 2, column 'a': 'b' after numbers; one kind expected, unless the"):
        from_objects(rows)


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (["a", "b"] * 10, "classes"),
        ([0, 1, 2, 3] * 5, "classes"),
        ([True, False] * 10, "classes"),
        ([0.5, 1] * 10, "numbers"),
        (list(range(20)), "numbers"),
        ([i % 21 for i in range(100)], "numbers"),
        ([f"2020-01-{i + 1:02d}" for i in range(20)], "numbers"),
    ],
)
def test_the_task_follows_the_target(y, task):
    data = from_objects(np.arange(float(2 * len(y))).reshape(-1, 2), y)
    assert data.task == task
    assert data.y.dtype.kind == ("U" if task == "classes" else "f")


@pytest.mark.parametrize("asked", ["numbers", "number"])
def test_classes_can_be_asked_to_be_numbers(asked):
    X = np.arange(16.0).reshape(-1, 2)
    assert from_objects(X, [0, 1] * 4).y.tolist() == ["0", "1"] * 4
    assert from_objects(X, [0, 1] * 4, kinds={"y": asked}).y.tolist() == [0.0, 1.0] * 4


def test_missing_values_are_filled_and_said(write):
    data = read_data(write("a,sex,note,s\n1,m,one two,0.5\n?,f,,1\n3,,three four,2\n8,m,five six,4\n9,f,six one,5\n"))
    assert data.X["a"].tolist() == [1, 5.5, 3, 8, 9]
    assert data.X["sex"].tolist() == ["m", "f", "missing", "m", "f"]
    assert data.X["note"].tolist() == ["one two", "", "three four", "five six", "six one"]
    assert {
        "Column 'a': 1 entry '?' is taken as missing.",
        "Column 'a' has no value in 1 of 5 rows; the median, 5.5, stands there.",
        "Column 'sex' has 2 different values and is taken as a category.",
        "Column 'sex' has no value in 1 of 5 rows; the category 'missing' stands there.",
        "Column 'note' holds words and is taken as text.",
        "Column 'note' has no value in 1 of 5 rows; no words stand there.",
        "2 columns hold numbers.",
    } == set(data.notes)


def test_rows_without_a_target_are_left_out_and_keep_their_numbers(write):
    data = read_data(write("a,y\n1,u\n2,\n3,v\n4,NA\n5,u\n6,v\n"), target="y")
    assert data.X.ravel().tolist() == [1, 3, 5, 6]
    assert data.y.tolist() == ["u", "v", "u", "v"]
    assert list(data.names) == ["1", "3", "5", "6"]
    assert "2 of 6 rows have no value in the target 'y' and were left out." in data.notes


def test_constant_and_empty_columns_are_left_out_and_said(write):
    data = read_data(write("a,b,c\n1,7,\n2,7,\n3,7,?\n"))
    assert [column.used for column in data.columns] == [True, False, False]
    assert "Column 'b' has the same value, 7, in every row and is left out." in data.notes
    assert "Column 'c' has no value in any row and is left out." in data.notes


def test_dates_become_days_and_are_shown_as_dates(write):
    data = read_data(write("day,a\n1970-01-02,1\n1970-01-11,2\n2024-02-29 12:00,4\n"))
    assert data.X[:, 0].tolist() == [1, 10, 19782.5]
    assert data.shown(0) == "day: 1970-01-02; a: 1"
    assert data.shown(2) == "day: 2024-02-29 12:00:00; a: 4"


def test_a_stray_word_among_numbers_is_pointed_at(write):
    body = "".join(f"{i * 37 % 101}.5,{i % 5}\n" for i in range(60))
    data = read_data(write("a,b\n" + body + "oops,3\n"))
    assert any("But for 1 entry, such as 'oops' in line 62, it holds numbers." in note for note in data.notes)


def test_a_class_of_one_is_pointed_at(write):
    data = read_data(write("a,y\n1,u\n2,u\n3,v\n"), target="y")
    assert "1 class has a single object: 'v'." in data.notes
