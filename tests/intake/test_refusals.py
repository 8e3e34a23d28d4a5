"""What cannot be taken in is refused in one sentence, with the file, the line and the column where that helps."""

import gzip
import re
import sys

import numpy as np
import pytest

import gramian as gm
from gramian.intake.errors import DataError
from gramian.intake.reading import from_objects, load_example, read_data


def refused(path, message, **more):
    """Check that reading fails with exactly this message, in which {} is the file."""
    with pytest.raises(DataError) as caught:
        read_data(path, **more)
    assert str(caught.value) == message.replace("{}", str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "{}: an empty file; data expected"),
        (b"\n\n", "{}: an empty file; a line of headings and rows of values expected"),
        (b"a,b\n", "{}: headings only, and no row; at least one row of values expected"),
        (
            b"a,b\n1,2\n\n3,4,5\n",
            "{}, line 4: 3 fields, and 2 expected (separated by commas); mend the line, or put a field that "
            "holds such a "
            "mark in quotes",
        ),
        (
            b'a,b\n"1\n1",2\n3\n',
            "{}, line 4: 1 field, and 2 expected (separated by commas); mend the line, or put a field that "
            "holds such a "
            "mark in quotes",
        ),
        (b"a,,c\n1,2,3\n", "{}, line 1: column 2 has no name; give it one, or delete the column"),
        (b'a,b\n1,2\n"3,4\n5,6\n', "{}, line 3: a quote that opens here is never closed; close it, or double it"),
        (b'a,b\n"1""\n2","3\n4\n', "{}, line 3: a quote that opens here is never closed; close it, or double it"),
        (
            b'a,b\n1,2\n"3"4,5\n',
            "{}, line 3: ',' expected after '\"'; in a field in quotes, a quote is written twice",
        ),
        (
            b"a,b\n1,2\n3,\xe9\n",
            "{}, line 3: byte 10 of the file, 0xe9, is not utf-8; another encoding expected, such as 'cp1252'",
        ),
        (
            b"\xff\xfe\x00\x00" + b"\xff\xff\xff\x7f" * 9,
            "{}, line 1: byte 4 of the file, 0xff, is not utf-32; another encoding expected, such as 'cp1252'",
        ),
        (
            b"a,b\n1,\x002\n",
            "{}: a binary file (byte 6 is zero); text in utf-8 or one of parquet, arrow, excel, sqlite, npy, npz "
            "expected",
        ),
        (
            b"a,b\n" + b"1,2\n" * 3000 + b"\0,2\n",
            "{}, line 3,002: a zero byte, as binary files have; a text file expected",
        ),
        (
            b"a,b\n1,2\n3,inf\n",
            "{}, line 3, column 'b': inf is infinite, or too large for a floating point number; numbers up "
            "to 1e+150 "
            "expected: mend it, or leave it empty",
        ),
        (
            b"a,b\n1,2\n3,-1e999\n",
            "{}, line 3, column 'b': -inf is infinite, or too large for a floating point number; numbers up "
            "to 1e+150 "
            "expected: mend it, or leave it empty",
        ),
        (
            b"a,b\n1,2\n3,1e200\n",
            "{}, line 3, column 'b': 1e+200 is too large; numbers up to 1e+150 expected: mend it, or leave it empty",
        ),
        (b"a,b\nNA,\n?,-\n", "{}: nothing to make objects of; all that was found is 2 columns without any value"),
        (
            b"a,b\n1,\n1,\n",
            "{}: nothing to make objects of; all that was found is 1 column with the same value everywhere, 1 "
            "column without any "
            "value",
        ),
        (
            b"a,b\n1,2\n",
            "{}: nothing to make objects of; there is a single row, in which nothing differs from anything",
        ),
        (
            b"\x89PNG\r\n\x1a\n0000",
            "{}: a binary file, an image; one of csv, tsv, parquet, arrow, excel, sqlite, json, jsonl, npy, npz, "
            "fasta, lines, texts, edges, graphml expected",
        ),
        (b"\x1f\x8b\x08garbage", "{}: a broken gzip file (Unknown flags or truncated); copy or compress it again"),
    ],
)
def test_tables_say_what_is_wrong_and_where(write, text, message):
    path = write(text)
    if text.startswith(b"\x1f\x8b"):
        with pytest.raises(DataError, match=f"^{re.escape(str(path))}: a broken gzip file"):
            read_data(path)
    else:
        refused(path, message)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"target": "specis"}, "{}: no target 'specis'; did you mean 'species'?"),
        ({"target": "SPECIES"}, "{}: no target 'SPECIES'; did you mean 'species'?"),
        ({"target": "weight"}, "{}: no target 'weight'; there is 'a', 'b', 'species', 'same', 'key'"),
        ({"target": "same"}, "{}: the target 'same' is 5 in every row; at least two values expected"),
        (
            {"target": "key"},
            "{}: the target 'key' has a value of its own in every row, so there are no classes to learn; "
            "another target "
            "expected",
        ),
        ({"columns": ["c"]}, "{}: no column 'c'; there is 'a', 'b', 'species', 'same', 'key'"),
        (
            {"target": "a", "columns": ["a", "b"]},
            "{}: the target 'a' is among the columns; leave it out of one of the two",
        ),
        ({"columns": ["a", "a"]}, "{}: the column 'a' is asked for more than once; name it once"),
        ({"kinds": {"d": "number"}}, "{}: no column 'd'; there is 'a', 'b', 'species', 'same', 'key'"),
        (
            {"kinds": {"a": "float"}, "target": "b"},
            "kinds: column 'a' is said to be 'float'; one of number, category, string, text, id, date, day-first, "
            "month-first, decimal-comma expected",
        ),
        (
            {"kinds": {"a": "classes"}},
            "{}: column 'a' is said to be 'classes', and is not the target; one of number, category, "
            "string, text, id, "
            "date, day-first, month-first, decimal-comma expected",
        ),
        ({"kinds": {"species": "number"}}, "{}, line 2, column 'species': 'u'; a number expected"),
        ({"kinds": {"species": "date"}}, "{}, line 2, column 'species': 'u'; a date such as 2024-02-29 expected"),
        (
            {"target": "species", "kinds": {"species": "numbers"}},
            "{}, line 2, column 'species': 'u'; a number expected",
        ),
        (
            {"columns": ["same"]},
            "{}: nothing to make objects of; all that was found is 1 column with the same value everywhere",
        ),
        ({"encoding": "utf-9"}, "{}: the encoding 'utf-9' is unknown (unknown encoding: utf-9)"),
        ({"format": "cvs"}, "format: no format 'cvs'; did you mean 'csv'?"),
    ],
)
def test_what_is_asked_for_must_be_there(write, more, message):
    refused(write("a,b,species,same,key\n1,2,u,5,k1\n2,3,v,5,k2\n3,5,u,5,k3\n"), message, **more)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1, 2]", "{}, line 2: '[1, 2]' is no JSON object; one object a line expected, such as {\"age\": 30}"),
        (
            "{'a': 1}",
            "{}, line 2: no JSON object, Expecting property name enclosed in double quotes at character 2; "
            "one object a line expected",
        ),
        (
            '{"a": {"b": 1}}',
            "{}, line 2: column 'a' holds {\"b\": 1}, a nested value; a number, a text, true, false or null expected: "
            "leave the column out by naming the others (--columns, columns= in Python), or flatten it",
        ),
        (
            '{"a": "b"}',
            "{}, line 2, column 'a': 'b' after numbers; one kind expected, unless the column is taken as a category",
        ),
        ('{" ": "b"}', "{}, line 2: a key without a name; every column needs one"),
        (
            '{"a": Infinity}',
            "{}, line 2, column 'a': inf is infinite, or too large for a floating point number; numbers up "
            "to 1e+150 expected: mend it, or leave it empty",
        ),
    ],
)
def test_json_lines_say_what_is_wrong_and_where(write, line, message):
    path = write('{"a": 1}\n' + line + "\n", "t.jsonl")
    with pytest.raises(DataError) as caught:
        read_data(path)
    assert str(caught.value) == message.replace("{}", str(path), 1)


@pytest.mark.parametrize("line", ["[" * 100_000, '{"a": ' + "1" * 5000 + "}", '{"a": 1' + "0" * 400 + "}"])
def test_json_lines_without_end_are_refused(write, line):
    with pytest.raises(DataError, match=r", line 2"):
        read_data(write('{"a": 1}\n' + line + "\n", "t.jsonl"))


def test_missing_files_and_folders_without_texts(tmp_path):
    with pytest.raises(
        DataError, match=r"nowhere\.csv: no such file or folder; check the name, which is " r"relative to "
    ):
        read_data(tmp_path / "nowhere.csv")
    refused(tmp_path, "{}: a folder without texts; files *.txt, *.txt.gz, *.text, *.md expected in it or below")
    with pytest.raises(DataError, match="a name with a zero byte"):
        read_data("a\0b")
    with pytest.raises(TypeError, match=r"^path is 3 \(int\); the name of a file or folder expected$"):
        read_data(3)


def test_a_folder_is_no_table_and_a_table_no_folder(write, tmp_path):
    with pytest.raises(DataError, match=re.escape(f"{tmp_path}: cannot be read (Is a directory)")):
        read_data(tmp_path, format="csv")
    with pytest.raises(DataError, match="a file; a folder of texts expected"):
        read_data(write("a"), format="texts")


def test_an_unreadable_file_is_a_data_error(write, monkeypatch):
    path = write("a\n1\n")

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    refused(path, "{}: cannot be read (Permission denied)")


def test_arrays_say_what_is_wrong(tmp_path):
    path = tmp_path / "t.npy"
    np.save(path, np.array([{"a": 1}, None], dtype=object), allow_pickle=True)
    refused(path, "{}: an array of objects, which only code in the file could restore; numbers or strings expected")
    np.savez(tmp_path / "t.npz", X=np.array([{"a": 1}], dtype=object))
    refused(
        tmp_path / "t.npz",
        "{}: an array of objects, which only code in the file could restore; numbers or strings expected",
    )
    np.savez(tmp_path / "u.npz", A=np.ones(3), B=np.ones(3))
    refused(tmp_path / "u.npz", "{}: no array X; one array X and, if there is a target, y expected, not 'A', 'B'")
    np.savez(tmp_path / "v.npz", X=np.ones((3, 2)), y=np.ones(4))
    refused(tmp_path / "v.npz", "{}: the target y has shape (4,), and there are 3 objects; one value for each expected")
    np.save(path, np.ones((2, 2, 2)))
    refused(path, "{}: an array of shape (2, 2, 2); rows and columns expected, at least one of each")
    np.save(path, np.ones((2, 2), dtype=complex))
    refused(path, "{}, column 'x1': complex numbers; real numbers expected")
    np.save(path, np.array([[1, 2], [3, np.inf]]))
    refused(
        path,
        "{}, row 2, column 'x2': inf is infinite, or too large for a floating point number; numbers up to 1e+150 "
        "expected: mend it, or leave it empty",
    )
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(DataError, match=r"t\.npy: "):
        read_data(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "<!DOCTYPE x [<!ENTITY a 'b'>]><graphml/>",
            "{}, line 1: a document type definition, which can name other files and is not read; delete it",
        ),
        ("<graphml><graph>", "{}, line 1: no well-formed XML (no element found)"),
        ("<html/>", "{}, line 1: the document is a <html>; <graphml> expected"),
        ("<graphml/>", "{}: no node; a GraphML file with nodes and edges expected"),
        ("<graphml><node/></graphml>", "{}, line 1: <node> without 'id'"),
        (
            "<graphml><node id='a'/>\n<node id='a'/></graphml>",
            "{}, line 2: the node 'a' again; every node needs an id of its own",
        ),
        (
            "<graphml><node id='a'/>\n<edge source='a' target='b'/></graphml>",
            "{}, line 2: an edge to 'b', which is no node of the graph",
        ),
        (
            "<graphml><node id='a'/>\n<edge source='a' target='a'><data key='weight'>x</data></edge></graphml>",
            "{}, line 2: the weight 'x'; a finite number expected",
        ),
        (
            "<graphml><hyperedge/></graphml>",
            "{}, line 1: a hyperedge, which joins more than two nodes; edges of two expected",
        ),
    ],
)
def test_graphml_says_what_is_wrong_and_where(write, text, message):
    refused(write(text, "t.graphml"), message)


def test_graphs_have_attributes_as_targets_only(write):
    path = write("1 2\n2 3\n", "t.edges")
    refused(path, "{}: no attribute of the nodes 'club'; there is none", target="club")
    refused(
        path, "{}: columns are asked for, and the objects of a graph are its nodes; leave columns out", columns=["a"]
    )


def test_readers_of_other_formats_keep_their_words(write):
    refused(
        write(">a\nA1\n", "t.fasta"),
        "{}, line 2: the character '1' in a sequence; letters A to Z or a to z, gaps (- .) and stops (*) expected",
    )
    refused(
        write("1 2 3 4\n", "t.edges"),
        "{}, line 1: '1 2 3 4' has 4 fields (separated by white space); 'u v' or 'u v weight' expected: "
        "mend the line, or say what else separates the fields",
    )
    refused(write("\n\n", "t.lines"), "{}: no line that is not blank; one object a line expected")
    refused(
        write(">a\nAC\n", "t.fasta"),
        "{}: FASTA files are read as UTF-8 only, not as latin-1; convert them first",
        encoding="latin-1",
    )
    refused(write("bar\nbat\n", "t.lines"), "{}: no target 'y'; there is 'line'", target="y")


def test_parquet_says_what_is_wrong(tmp_path):
    pytest.importorskip("pyarrow")
    import pyarrow
    import pyarrow.parquet

    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"a": [[1], [2]]}), path)
    with pytest.raises(
        DataError, match=r"column 'a': values of the type list<.*>; numbers, texts, dates, true and false"
    ):
        read_data(path)
    pyarrow.parquet.write_table(pyarrow.table({"a": pyarrow.array([], "int32")}), path)
    refused(path, "{}: columns, and no row; at least one row expected")
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(DataError, match="broken, or of another kind than its name says"):
        read_data(path)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (3, None, "X is a int; an array, a list of strings or records, a data frame or a graph expected"),
        ([], None, "X is empty; at least one object expected"),
        ([[1, 2], [3]], None, "X holds [1, 2], a list; strings, records or rows of numbers, all of one kind, expected"),
        (["a", 3], None, "X holds 3, a int; strings, records or rows of numbers, all of one kind, expected"),
        (np.ones((2, 2, 2)), None, "X: an array of shape (2, 2, 2); rows and columns expected, at least one of each"),
        (
            [[1, 2], [3, 4]],
            [1, 2, 3],
            "X: the target y has shape (3,), and there are 2 objects; one value for each expected",
        ),
        ([[1, 2], [3, 4]], 3, "y is a int; one value for each object, or the name of a column expected"),
        (
            [{"a": [1]}, {"a": [2]}],
            None,
            "X, row 1, column 'a': [1] is a list; a number, a text, true, false or null expected",
        ),
        (gm.Graph([(0, 1)]), {5: "u"}, "y names 5, which is no node of the graph"),
        (gm.Graph([(0, 1)]), ["u"], "y has shape (1,), and the graph has 2 nodes; one value for each expected"),
    ],
)
def test_objects_in_memory_say_what_is_wrong(X, y, message):
    with pytest.raises(DataError) as caught:
        from_objects(X, y)
    assert str(caught.value) == message


def test_parquet_without_pyarrow_says_what_to_install(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    refused(write(b"PAR1", "t.parquet"), "{}: Parquet, Arrow and large CSV files need pyarrow: pip install pyarrow")


def test_an_unknown_example_names_those_there_are():
    with pytest.raises(DataError, match=r"^example: no data set 'irsi'; did you mean 'iris'\?$"):
        load_example("irsi")


def test_a_compressed_file_is_told_by_its_lines_too(write):
    refused(
        write(gzip.compress(b"a,b\n1\n"), "t.csv.gz"),
        "{}, line 2: 1 field, and 2 expected (separated by commas); mend the line, or put a field that "
        "holds such a mark "
        "in quotes",
    )


def test_another_encoding_than_the_one_that_failed_is_proposed(write):
    path = write(b"a,b\n1,\x81\n2,x\n")
    for encoding, other in (("utf-8", "cp1252"), ("cp1252", "latin-1")):
        with pytest.raises(DataError, match=f"line 2: byte 6 .*, 0x81, is not {encoding}; .* such as '{other}'"):
            read_data(path, encoding=encoding)


def test_old_spreadsheets_whose_cells_nobody_can_measure_are_refused(tmp_path):
    (tmp_path / "t.xls").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600))
    with pytest.raises(DataError, match=r"before 2007 \(\.xls\); save it as \.xlsx"):
        read_data(tmp_path / "t.xls")
