"""What is known of the nodes of a graph, from a table beside it."""

from pathlib import Path

import numpy as np
import pytest

from gramian.intake.errors import DataError
from gramian.intake.reading import read_data

EDGES = "a b\nb c\nc a\nc d\n"


def test_a_table_labels_some_of_the_nodes(write):
    table = write("node,club,size\nd,y,4\na,x,1\nb,x,\nz,y,9\n", "n.csv")
    data = read_data(write(EDGES, "t.edges"), nodes=table, target="club")
    assert data.X == ["a", "b", "c", "d"]
    assert data.y.tolist() == ["x", "x", None, "y"]
    assert [(one.name, one.missing) for one in data.columns] == [("club", 1), ("size", 2)]
    assert f"{Path(table).name} describes 3 of 4 nodes." in data.notes
    assert "1 row names no node of the graph: left out." in data.notes


def test_numbers_of_nodes_are_matched_as_they_are_written(write):
    data = read_data(write("1 2\n2 3\n", "t.edges"), nodes=write("id,y\n3,0.5\n1,1.5\n", "n.csv"), target="y")
    np.testing.assert_array_equal(data.y, [1.5, np.nan, 0.5])
    assert data.task == "numbers"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("node,y\na,1\na,2\n", "line 3, column 'node': the node 'a' again, after line 2; keep one of the two"),
        ("node,y\nq,1\nr,2\n", "column 'node' names no node of"),
        ("node,y\n,1\nb,2\n", "line 2, column 'node': no value; the name of a node expected"),
        ("node\na\nb\n", "a single column; the names of nodes and something about each expected"),
    ],
)
def test_tables_of_other_nodes_are_refused(write, table, words):
    edges, path = write(EDGES, "t.edges"), write(table, "n.csv")
    with pytest.raises(DataError) as error:
        read_data(edges, nodes=path)
    assert words in str(error.value)
    assert str(path) in str(error.value)


def test_only_a_graph_has_nodes_and_only_a_table_describes_them(write):
    edges, table = write(EDGES, "t.edges"), write("node,y\na,1\nb,2\n", "n.csv")
    with pytest.raises(DataError, match="no graph, so that .* has no nodes to describe"):
        read_data(table, nodes=table)
    with pytest.raises(DataError, match="a graph; a table whose first column names the nodes"):
        read_data(edges, nodes=edges)


def test_an_attribute_that_is_in_both_files_is_refused(write):
    graph = write(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="k" for="node" attr.name="y" '
        'attr.type="string"/><graph edgedefault="undirected"><node id="a"><data key="k">1</data></node><node id="b"/>'
        '<edge source="a" target="b"/></graph></graphml>',
        "t.graphml",
    )
    with pytest.raises(DataError, match="column 'y' is in .* too; rename one of the two"):
        read_data(graph, nodes=write("node,y\na,1\n", "n.csv"))


def test_names_of_nodes_are_taken_as_they_are_written(write):
    edges = "".join(f"{k:02d} {k + 1:02d}\n" for k in range(9)) + "9007199254740993 01\n9007199254740992 02\n"
    table = "node,y\n01,a\n05,b\n9007199254740993,b\n"
    data = read_data(write(edges, "t.edges"), nodes=write(table, "n.csv"), target="y")
    known = {node: label for node, label in zip(data.X, data.y.tolist(), strict=True) if label}
    assert known == {"01": "a", "05": "b", "9007199254740993": "b"}
