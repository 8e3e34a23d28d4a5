"""A table is the same in whatever format it was written, and no bytes whatever do more than raise a DataError."""

import csv
import json
import string
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from gramian.intake.dataset import Dataset
from gramian.intake.errors import DataError
from gramian.intake.formats import FORMATS
from gramian.intake.reading import from_objects, read_data
from gramian.intake.table import MISSING, numbers_of

quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

words = (
    st.text(string.ascii_letters + string.punctuation + " äß\n☃", min_size=1, max_size=12)
    .map(str.strip)
    .filter(lambda word: word not in MISSING and numbers_of([word]) is None)
)
numbers = st.floats(-1e100, 1e100) | st.integers(-(2**60), 2**60)
columns = st.sampled_from([numbers, words, st.sampled_from(["u", "v"]), st.booleans(), st.dates().map(str)])


@st.composite
def tables(draw):
    """Return a dictionary of columns, some of whose values are missing."""
    rows = draw(st.integers(2, 12))
    names = draw(st.lists(words.filter(lambda name: len(name) < 9), min_size=1, max_size=5, unique=True))
    return {name: draw(st.lists(draw(columns) | st.none(), min_size=rows, max_size=rows)) for name in names}


def fields(table):
    return zip(*([("" if value is None else str(value)) for value in column] for column in table.values()), strict=True)


def write_delimited(table, path, mark):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=mark, quoting=csv.QUOTE_ALL)
        writer.writerow(table)
        writer.writerows(fields(table))


def write_json(table, path):
    rows = ({name: table[name][row] for name in table} for row in range(len(next(iter(table.values())))))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_parquet(table, path):
    import pyarrow
    import pyarrow.parquet

    def column(values):
        floats = any(isinstance(value, float) for value in values)
        return [None if value is None else float(value) if floats else value for value in values]

    pyarrow.parquet.write_table(pyarrow.table({name: column(values) for name, values in table.items()}), path)


WRITERS = {
    "t.csv": lambda table, path: write_delimited(table, path, ","),
    "t.tsv": lambda table, path: write_delimited(table, path, "\t"),
    "bars.csv": lambda table, path: write_delimited(table, path, "|"),
    "t.jsonl": write_json,
    "t.parquet": write_parquet,
}


def outcome(take):
    """Return all that matters of a data set, or that the data were refused."""
    try:
        data = take()
    except DataError:
        return "refused"
    taken = data.X.tolist() if isinstance(data.X, np.ndarray) else data.X
    facts = [(column.name, column.kind, column.missing, column.distinct, column.used) for column in data.columns]
    y = None if data.y is None else data.y.tolist()
    return data.kind, taken, data.task, y, facts, list(data.names), data.recipe.plain() | {"header": []}


@quick
@given(tables(), st.data())
def test_a_table_is_the_same_in_every_format(tmp_path, table, data):
    pytest.importorskip("pyarrow")
    target = data.draw(st.none() | st.sampled_from(list(table)))
    rows = [{name: table[name][row] for name in table} for row in range(len(next(iter(table.values()))))]
    assume(any(value is not None for value in rows[-1].values()))  # texts leave out rows of nothing at the end
    expected = outcome(lambda: from_objects(rows, target))
    for name, write in WRITERS.items():
        write(table, tmp_path / name)
        if len(table) > 1 or name != "bars.csv":
            assert outcome(lambda: read_data(tmp_path / name, target=target)) == expected, name  # noqa: B023


@quick
@given(tables())
def test_a_recipe_gives_the_same_objects_again(tmp_path, table):
    write_json(table, tmp_path / "t.jsonl")
    try:
        data = read_data(tmp_path / "t.jsonl")
    except DataError:
        return
    again = data.recipe.apply(tmp_path / "t.jsonl")
    assert list(again.X) == list(data.X) if isinstance(data.X, list) else again.X.tolist() == data.X.tolist()
    assert list(again.names) == list(data.names)


def taken_or_refused(path, **more):
    try:
        found = read_data(path, **more)
    except DataError:
        return
    assert isinstance(found, Dataset)
    assert len(found.names) == len(found) == (found.X.shape[0] if hasattr(found.X, "shape") else len(found.X))
    assert found.shown(0) is not None


marks = st.lists(
    st.sampled_from(
        [
            b",",
            b"\n",
            b'"',
            b"a",
            b"1",
            b"-",
            b"{",
            b"}",
            b":",
            b"[",
            b"\r",
            b"\t",
            b" ",
            b">",
            b"<",
            b"\xff",
            b"\0",
            b";",
        ]
    )
).map(b"".join)


@pytest.mark.parametrize("format", [None, *FORMATS])
@quick
@given(st.binary(max_size=200) | marks, st.sampled_from(["utf-8", "latin-1", "utf-16"]))
@example(b"\x1f\x8b", "utf-8")
def test_any_bytes_are_taken_or_refused(tmp_path, format, content, encoding):
    path = tmp_path / "data"
    path.write_bytes(content)
    taken_or_refused(path, format=format, encoding=encoding)


SOUND = {
    "csv": b'a,b,c\n1,"x y",2024-01-01\n2,"z w",2024-01-02\n3,"x y",2024-01-09\n',
    "jsonl": b'{"a": 1, "b": "x"}\n{"a": 2.5, "b": null}\n{"a": 3e4, "b": "y"}\n',
    "fasta": b">a one\nACGT\n>b two\nGG\n",
    "edges": b"1 2 0.5\n2 3 1.5\n",
    "graphml": b'<graphml><key id="w" for="edge" attr.name="weight"/><graph><node id="a"/><node id="b"/>'
    b'<edge source="a" target="b"><data key="w">2</data></edge></graph></graphml>',
}


def sound(format, folder):
    """Return the bytes of a sound file."""
    path = folder / f"sound.{format}"
    if format == "npy":
        np.save(path, np.arange(6.0).reshape(3, 2))
    elif format == "npz":
        np.savez_compressed(path, X=np.arange(6.0).reshape(3, 2), y=np.array(["u", "v", "u"]))
    elif format == "parquet":
        write_parquet({"a": [1.5, 2.5, None], "b": ["u", "v", "u"]}, path)
    else:
        path.write_bytes(SOUND[format])
    return path.read_bytes()


@pytest.mark.parametrize("format", [*SOUND, "npy", "npz", "parquet"])
@quick
@given(st.data())
def test_a_damaged_file_is_taken_or_refused(tmp_path, format, data):
    if format == "parquet":
        pytest.importorskip("pyarrow")
    content = bytearray(sound(format, tmp_path))
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / f"damaged.{format}"
    path.write_bytes(content[: data.draw(st.sampled_from([len(content), len(content), len(content) // 2]))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        taken_or_refused(path)
