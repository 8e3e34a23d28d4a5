"""Tables in one JSON object are read as pandas reads what it has written itself, whatever the orientation."""

import io
import json

import numpy as np
import pytest

from gramian.intake.errors import DataError
from gramian.intake.formats import read_raw
from gramian.intake.reading import read_data

ORIENTS = ["records", "index", "columns", "split", "table", "values"]
TOWNS = ["Ulm", "Rom", "Bern", "Lyon", "Graz"]


def frame(rng):
    """Return a data frame of numbers, words and truth values, with rows that count, have numbers, or have names."""
    pandas = pytest.importorskip("pandas")
    n, width = int(rng.integers(6, 30)), int(rng.integers(1, 4))
    found = {f"v{k}": rng.normal(size=n).round(int(rng.integers(0, 4))) for k in range(width)}
    found["town"] = rng.choice(TOWNS, n)
    found["open"] = rng.random(n) < 0.5
    if rng.random() < 0.5:
        found["v0"][rng.integers(n)] = np.nan
    index = [None, rng.permutation(1000)[:n], [f"row {k}" for k in rng.permutation(n)]][int(rng.integers(3))]
    return pandas.DataFrame(found, index=index)


@pytest.mark.parametrize("orient", ORIENTS)
@pytest.mark.parametrize("seed", range(30))
def test_every_orientation_of_pandas_gives_the_same_table(write, orient, seed):
    rng = np.random.default_rng(seed)
    given = frame(rng)
    indent = [None, 2][seed % 2]
    found = read_raw(write(given.to_json(orient=orient, double_precision=15, indent=indent), "t.json"))
    assert (found.format, len(found)) == ("json", len(given))
    named = orient in ("index", "columns", "split", "table") and given.index.dtype != "int64"
    numbered = given.index.dtype == "int64" and list(given.index) != list(range(len(given)))
    names = [name for name, kind in found.settled.items() if kind == "id"]
    if orient not in ("records", "values"):
        assert len(names) == int(named or numbered)
        for name in names:
            assert [str(value).removesuffix(".0") for value in found.columns[name]] == list(map(str, given.index))
        assert any("orient=" in note for note in found.notes)
    columns = [column for name, column in found.columns.items() if name not in names]
    assert orient == "values" or [name for name in found.columns if name not in names] == list(given.columns)
    for column, name in zip(columns, given.columns, strict=True):
        if given[name].dtype.kind == "f":
            np.testing.assert_array_equal(column, given[name])
        else:
            assert column.tolist() == [
                str(value).replace("True", "true").replace("False", "false") for value in given[name]
            ]


@pytest.mark.parametrize("seed", range(20))
def test_what_is_read_is_what_pandas_reads(write, seed):
    """Of pandas' own reader too, where it is told the orientation that is guessed here."""
    pandas = pytest.importorskip("pandas")
    given = frame(np.random.default_rng(seed))
    for orient in ("index", "columns", "split"):
        text = given.to_json(orient=orient)
        other = pandas.read_json(io.StringIO(text), orient=orient)
        data = read_data(write(text, "t.json"), columns=["v0", "town"])
        assert sorted(data.X["town"]) == sorted(other["town"])
        assert np.nansum(data.column("v0")) == pytest.approx(other["v0"].sum(), abs=1e-9)


def test_objects_by_name_may_lack_values(write):
    text = json.dumps({"ann": {"age": 31, "sex": "f"}, "bob": {"age": 45}, "eve": {"sex": "f"}, "ian": {"age": 5}})
    found = read_raw(write(text, "t.json"))
    assert found.columns["row"].tolist() == ["ann", "bob", "eve", "ian"]
    assert np.array_equal(found.columns["age"], [31, 45, np.nan, 5], equal_nan=True)
    assert found.columns["sex"].tolist() == ["f", None, "f", None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"columns": ["a", "b"], "index": [0, 1], "data": [[1, 2], [3]]}', "row 2 below 'data' has 1 values, and"),
        ('{"columns": ["a"], "index": [0], "data": [[1], [3]]}', "'index' does not have one value for each of 2 rows"),
        ('{"columns": ["a"], "index": {"a": 1}, "data": [[1], [3]]}', "'index' does not have one value for each of 2"),
        ('{"columns": {"a": 1}, "data": [[1], [3]]}', "columns of 1 to 2 values; equally many expected"),
        ('{"schema": {"primaryKey": ["k"]}, "data": [3]}', "is no JSON object"),
        ('{"schema": {"primaryKey": ["k"]}, "data": []}', "records below 'data' expected"),
        ("[[1, 2], [3]]", "object 2: an array of 1 values; 2, as in the first one, expected"),
        ("[[], []]", "object 1: an array of 0 values; an object, expected"),
        ('[[1, 2], {"a": 3}, [4]]', "object 3: an array of 1 values"),
        ('[{"a": 3}, [4]]', "object 2: an array of 1 values; an object, expected"),
        ('{"a": {"x": 1, "y": 2}, "b": {"x": 1}}', "has other rows|values; equally many expected"),
    ],
)
def test_what_does_not_fit_is_refused(write, text, message):
    with pytest.raises(DataError, match=message):
        read_raw(write(text, "t.json"))
