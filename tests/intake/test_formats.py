"""Every format gives the objects that were written, whatever the file is called."""

import gzip

import numpy as np
import pytest

import gramian as gm
from gramian.intake.errors import DataError
from gramian.intake.reading import from_objects, load_example, read_data

CSV = "a,b\n1,2\n3,5\n4,4\n"
GRAPHML = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="club" attr.type="string"/>
  <key id="d1" for="node" attr.name="age" attr.type="double"><default>30</default></key>
  <key id="d2" for="edge" attr.name="weight" attr.type="double"/>
  <graph edgedefault="undirected">
    <node id="n0"><data key="d0">red</data></node>
    <node id="n1"><data key="d0">blue</data><data key="d1">40</data></node>
    <node id="n2"><data key="d0">red</data></node>
    <node id="n3"/>
    <edge source="n0" target="n1"><data key="d2">2.5</data></edge>
    <edge source="n1" target="n2"/>
    <edge source="n2" target="n1"/>
  </graph>
</graphml>
"""


@pytest.mark.parametrize("mark", [",", "\t", ";", "|"])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt", "t", "t.csv.gz"])
def test_the_separator_is_found(write, mark, name):
    text = CSV.replace(",", mark)
    data = read_data(write(gzip.compress(text.encode()) if name.endswith(".gz") else text, name))
    assert data.X.tolist() == [[1, 2], [3, 5], [4, 4]]
    assert (data.kind, data.recipe.columns) == ("vectors", ("a", "b"))


def test_a_separator_in_quotes_does_not_count(write):
    data = read_data(write('a;b\n"x,1;y";2\n"x,2";3\n"x,1;y";5\n'))
    assert data.X["a"].tolist() == ["x,1;y", "x,2", "x,1;y"]
    assert "Fields are separated by semicolons." in data.notes


def test_decimal_commas_are_read_where_semicolons_separate(write):
    data = read_data(write("a;b;c\n1,5;2;x,1\n-3,25;5;y,2\n;1;x,1\n"))
    assert data.X["a"].tolist() == [1.5, -3.25, -0.875]
    assert data.X["c"].tolist() == ["x,1", "y,2", "x,1"]
    assert "1 column has numbers with a decimal comma: 'a'." in data.notes


def test_numbers_between_blanks_are_a_table_and_words_are_not(write):
    data = read_data(write(" a   b\n1.5  2\n 3 5\n", "t.dat"))
    assert data.X.tolist() == [[1.5, 2], [3, 5]]
    assert "Fields are separated by blanks." in data.notes
    assert read_data(write("1 2\n2 4\n", "t.txt")).X.tolist() == [[1, 2], [2, 4]]
    assert read_data(write("a\nx y\nz w\nu v\n", "t.csv")).X == ["x y", "z w", "u v"]


def test_a_table_without_headings_gets_names(write):
    data = read_data(write("1,2\n3,5\n4,4\n"))
    assert data.recipe.columns == ("x1", "x2")
    assert len(data) == 3
    assert "The first line holds numbers only: the columns have no names and are called x1, x2, …" in data.notes


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_line_ends_and_encodings_of_any_system_are_read(write, end, encoding):
    text = CSV.replace("a", "é").replace("\n", end)
    data = read_data(write(text.encode(encoding)), encoding=encoding)
    assert data.recipe.columns == ("é", "b")
    assert data.X.shape == (3, 2)


def test_quotes_hold_line_ends_and_blank_lines_are_skipped(write):
    data = read_data(write('a,b\n\n"one\ntwo, three",1\n\n"four ""five""",2\n'), kinds={"a": "text"}, columns=["a"])
    assert data.kind == "documents"
    assert data.X == ["one\ntwo, three", 'four "five"']


def test_a_column_that_turns_to_text_late_is_read_again_as_it_is_written(write, monkeypatch):
    monkeypatch.setattr("gramian.intake.delimited._RUN", 2)
    data = read_data(write("a,b,c\n01,1,1\n1.50,2,x\n7,3,1\nx,4,1\n01,5,x\n"), kinds={"a": "category"})
    assert data.X["a"].tolist() == ["01", "1.50", "7", "x", "01"]
    guessed = read_data(write("a,b\n01,1\n1.50,2\n01,3\nx,4\n01,5\nx,6\n"))
    assert guessed.X["a"].tolist() == ["01", "1.50", "01", "x", "01", "x"]


def test_numbers_with_underscores_are_words(write):
    assert read_data(write("a,b\n1_0,1\n2_0,2\n1_0,3\n2_0,3\n")).recipe.kinds["a"] == "category"


def test_json_lines_may_lack_keys(write):
    lines = (
        '{"a": 1, "b": true}\n\n{"b": false, "c": "x y"}\n{"a": null, "c": "z w"}\n{"a": 4, "b": false, "c": "u v"}\n'
    )
    data = read_data(write(lines, "t.jsonl"))
    assert data.X["a"].tolist() == [1, 2.5, 2.5, 4]
    assert data.X["b"].tolist() == ["true", "false", "missing", "false"]
    assert data.X["c"].tolist() == ["", "x y", "z w", "u v"]
    assert read_data(write(lines, "unnamed")).format == "jsonl"


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, bool])
def test_npy_keeps_the_precision(tmp_path, dtype):
    X = np.array([[0, 1], [1, 0], [1, 1]]).astype(dtype)
    np.save(tmp_path / "t.npy", X)
    data = read_data(tmp_path / "t.npy")
    assert data.X.dtype == (np.float32 if dtype is np.float32 else np.float64)
    np.testing.assert_array_equal(data.X, X)


def test_npz_has_objects_and_a_target(tmp_path):
    X = np.arange(12.0).reshape(6, 2)
    X[1, 1] = np.nan
    np.savez(tmp_path / "t.npz", X=X, y=np.array(["u", "v"] * 3))
    data = read_data(tmp_path / "t.npz")
    assert data.X[1].tolist() == [2, 7]
    assert (data.task, data.target, data.y.tolist()) == ("classes", "y", ["u", "v"] * 3)
    (tmp_path / "t.npz").rename(tmp_path / "unnamed")
    assert read_data(tmp_path / "unnamed").format == "npz"


def test_structured_arrays_are_tables_and_string_arrays_are_objects(tmp_path):
    np.save(tmp_path / "r.npy", np.array([(1, "u"), (2, "v"), (3, "u")], dtype=[("n", "i4"), ("c", "U3")]))
    data = read_data(tmp_path / "r.npy")
    assert data.X.tolist() == [(1.0, "u"), (2.0, "v"), (3.0, "u")]
    np.save(tmp_path / "s.npy", np.array(["bar", "bat"]))
    assert read_data(tmp_path / "s.npy").X == ["bar", "bat"]


@pytest.mark.parametrize("name", ["t.fasta", "t.fa.gz", "unnamed"])
def test_fasta_gives_strings_with_names(write, name):
    text = b">s1 u\nACGT\nAC\n>s2 v\nTTT\n>s3 u\nGG\n>s4 v\nG\n"
    path = write(gzip.compress(text) if name.endswith(".gz") else text, name)
    data = read_data(path)
    assert (data.kind, data.X, data.names, data.y) == (
        "strings",
        ["ACGTAC", "TTT", "GG", "G"],
        ("s1", "s2", "s3", "s4"),
        None,
    )
    assert read_data(path, target="description").y.tolist() == ["u", "v", "u", "v"]


def test_lines_are_strings_or_documents_by_their_blanks(write):
    assert read_data(write("bar\n\nbat\nNA\n", "t.txt")).X == ["bar", "bat", "NA"]
    data = read_data(write("to be or not\nto be\nthat, is\n", "u.txt"))
    assert (data.kind, data.X) == ("documents", ["to be or not", "to be", "that, is"])
    assert "Column 'line' is taken as text, for most have blanks." in data.notes
    assert read_data(write("to be or not\nto be\n", "u.txt"), kinds={"line": "string"}).kind == "strings"
    assert read_data(write("Hello, you\nHello, me\n", "v.txt")).kind == "documents"
    assert read_data(write("1.5\n2.5\n", "w.txt")).kind == "vectors"


def test_subfolders_of_texts_are_classes(write, tmp_path):
    for name in ("ham/a.txt", "ham/b.txt", "spam/a.txt", "spam/c.txt"):
        write(f"words of {name}\n", f"mail/{name}")
    data = read_data(tmp_path / "mail")
    assert (data.kind, data.task, data.target) == ("documents", "classes", "folder")
    assert data.y.tolist() == ["ham", "ham", "spam", "spam"]
    assert data.names[0] == "ham/a.txt"
    alone = read_data(tmp_path / "mail" / "ham")
    assert (alone.task, len(alone)) == ("none", 2)
    write("in no folder", "mail/root.txt")
    write("  \n", "mail/ham/empty.txt")
    data = read_data(tmp_path / "mail")
    assert len(data) == len(data.y) == 4
    assert "1 of 6 rows has no value in the target 'folder' and was left out." in data.notes
    assert "1 of 5 rows has no value in column 'text' and was left out." in data.notes


def test_edges_give_the_nodes_of_a_graph(write):
    data = read_data(write("1 2\n2 3\n", "t.edges"))
    assert (data.kind, data.X, data.names) == ("nodes", [1, 2, 3], ("1", "2", "3"))
    assert data.recipe.nodes == "int"
    assert gm.PowerDiffusion(data.graph)(data.X).shape == (3, 3)


def test_graphml_gives_nodes_attributes_and_weights(write):
    data = read_data(write(GRAPHML, "t.graphml"), target="club")
    assert data.X == ["n0", "n1", "n2", "n3"]
    assert data.y.tolist() == ["red", "blue", "red", None]
    assert data.graph.matrix.toarray()[1].tolist() == [2.5, 0, 2, 0]
    assert [column.name for column in data.columns] == ["club", "age"]
    assert "1 of 4 nodes have no value in the target 'club'." in data.notes
    assert read_data(write(GRAPHML, "unnamed")).task == "none"
    assert read_data(write(GRAPHML, "t.graphml"), target="age", kinds={"age": "numbers"}).y.tolist() == [30, 40, 30, 30]


def test_graphml_of_networkx_is_read(tmp_path):
    networkx = pytest.importorskip("networkx")
    graph = networkx.karate_club_graph()
    networkx.write_graphml(graph, tmp_path / "karate.graphml")
    data = read_data(tmp_path / "karate.graphml", target="club")
    assert len(data) == 34
    assert data.y.tolist() == [graph.nodes[node]["club"] for node in graph]
    np.testing.assert_array_equal(data.graph.matrix.toarray(), networkx.to_numpy_array(graph))


@pytest.mark.parametrize(
    ("name", "kind", "task", "size", "target"),
    [
        ("iris", "vectors", "classes", 150, "species"),
        ("promoters", "strings", "classes", 106, "function"),
        ("addresses", "documents", "classes", 233, "period"),
        ("football", "nodes", "classes", 115, "conference"),
        ("cars", "records", "numbers", 392, "mpg"),
    ],
)
def test_examples_are_the_bundled_data(name, kind, task, size, target):
    data = load_example(name)
    bundled = getattr(gm, f"load_{name}")()
    assert (data.kind, data.task, len(data), data.target) == (kind, task, size, target)
    expected = bundled.target if task == "numbers" else [bundled.target_names[i] for i in bundled.target]
    if name != "football":
        np.testing.assert_array_equal(data.y, expected)
    else:
        assert dict(zip(data.X, data.y.tolist(), strict=True)) == dict(zip(bundled.data, expected, strict=True))
    if kind in ("strings", "documents"):
        assert bundled.data == data.X
    if name == "iris":
        np.testing.assert_array_equal(data.X, bundled.data)


def test_objects_in_memory_pass_the_same_way():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rows = [
        (1, "u", True, "2024-01-01"),
        (2, "v", False, "2024-01-03"),
        (None, "u", False, None),
        (7, "v", True, "2024-03-01"),
    ]
    records = [dict(zip("abcd", row, strict=True)) for row in rows]
    expected = from_objects(records).X
    frame = pandas.DataFrame(records)
    for table in (
        frame,
        frame.astype({"a": "Int64"}),
        polars.DataFrame(records),
        frame.assign(d=pandas.to_datetime(frame.d)),
    ):
        found = from_objects(table)
        assert found.kind == "records"
        assert found.X.tolist() == expected.tolist()
    assert from_objects(frame, "b").y.tolist() == ["u", "v", "u", "v"]
    pyarrow = pytest.importorskip("pyarrow")
    assert from_objects(pyarrow.Table.from_pylist(records)).X.tolist() == expected.tolist()


def test_arrays_lists_and_graphs_in_memory():
    X = np.array([[1.0, np.nan], [2, 4], [3, 8]], dtype=np.float32)
    assert from_objects(X).X.tolist() == [[1, 6], [2, 4], [3, 8]]
    assert from_objects(X).X.dtype == np.float32
    assert from_objects([1, 2, 4]).X.shape == (3, 1)
    assert from_objects(["bar", "bat"]).kind == "strings"
    assert from_objects(np.ma.masked_array([1.0, 2, 3, 9], [0, 0, 0, 1])).X.ravel().tolist() == [1, 2, 3, 2]
    graph = gm.Graph([("a", "b"), ("b", "c"), ("c", "d")])
    data = from_objects(graph, {"a": "u", "b": "u", "d": "v"})
    assert data.y.tolist() == ["u", "u", None, "v"]
    assert from_objects(graph, [1.5, 2, None, 4]).y[[0, 1, 3]].tolist() == [1.5, 2, 4]


def test_sparse_arrays_stay_sparse():
    scipy = pytest.importorskip("scipy.sparse")
    X = scipy.csr_array(np.eye(4))
    data = from_objects(X, ["u", None, "v", "u"])
    assert data.X.shape == (3, 4)
    assert data.y.tolist() == ["u", "v", "u"]
    assert list(data.names) == ["1", "3", "4"]
    assert data.shown(1) == "x3: 1"
    with pytest.raises(DataError, match=r"^X has 2 columns; 4 expected$"):
        data.recipe.apply(scipy.csr_array(np.eye(2)))


def test_objects_are_shown_in_short(write):
    long = read_data(write("word " * 100 + "\nmore words\n", "t.txt"))
    assert len(long.shown(0)) == 80
    assert long.shown(0).endswith("…")
    wide = from_objects(np.random.default_rng(0).standard_normal((5, 30)))
    assert wide.shown(0).endswith("; …")
    assert repr(wide) == "Dataset(X: 5 vectors, 30 columns)"


def test_kernels_take_what_comes_out(write):
    data = read_data(write("age,sex,dna\n1,m,acgtacgtacgt\n2,f,acgtacgtaccc\n4,m,ggggacgtaccc\n"))
    kernel = gm.Gaussian().on("age") + gm.Equality().on("sex") + gm.Spectrum(3).on("dna")
    assert kernel(data.X).shape == (3, 3)


def test_a_wide_table_has_few_notes_and_takes_no_time():
    X = np.random.default_rng(0).standard_normal((4, 5000))
    X[0] = np.nan
    data = from_objects(X)
    assert data.X.shape == (4, 5000)
    assert len(data.notes) < 100
    assert data.notes[-1].endswith("more notes of this kind are left out.")
