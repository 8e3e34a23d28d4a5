"""A graph is the same however it is given, its nodes may have any name, and what is not a graph is refused."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import gramian as gm

NAMES = ["a", "b", "c", "d"]
A = np.array([[0.0, 1.0, 0.0, 2.5], [1.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [2.5, 0.0, 0.0, 0.0]])
EDGES = [("a", "b"), ("a", "d", 2.5), ("b", "b", 0.5)]  # c has none


def weights_of(graph):
    return graph.matrix.toarray()


# Every kind of input

MATRICES = {
    "dense": A,
    "float32": A.astype(np.float32),
    "fortran": np.asfortranarray(A),
    "nested lists": A.tolist(),
    "list of rows": list(A),
    "csr array": scipy.sparse.csr_array(A),
    "csc array": scipy.sparse.csc_array(A),
    "coo array": scipy.sparse.coo_array(A),
    "lil array": scipy.sparse.lil_array(A),
    "csr matrix": scipy.sparse.csr_matrix(A),
    "coo matrix": scipy.sparse.coo_matrix(A),
    "graph": gm.Graph(A),
}


@pytest.mark.parametrize("kind", MATRICES)
def test_matrices_of_every_kind_give_the_same_graph(kind):
    graph = gm.Graph(MATRICES[kind])
    np.testing.assert_array_equal(weights_of(graph), A)
    assert graph.matrix.dtype == np.float64
    assert graph.names() == [0, 1, 2, 3]
    assert graph == gm.Graph(A)
    assert hash(graph) == hash(gm.Graph(A))


@pytest.mark.parametrize("kind", MATRICES)
def test_matrices_of_every_kind_take_names(kind):
    graph = gm.Graph(MATRICES[kind], nodes=NAMES)
    assert graph.names() == NAMES
    assert graph == gm.Graph(A, nodes=tuple(NAMES))
    assert graph.indices(["d", "a", "d"]).tolist() == [3, 0, 3]


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, bool])
def test_integers_and_booleans_are_weights(dtype):
    graph = gm.Graph(np.array([[0, 1], [1, 0]], dtype=dtype))
    np.testing.assert_array_equal(weights_of(graph), [[0.0, 1.0], [1.0, 0.0]])


NAMED = {
    "edges": lambda: gm.Graph.from_edges(EDGES, nodes=NAMES),
    "edges turned round": lambda: gm.Graph.from_edges([(v, u, *w) for u, v, *w in EDGES], nodes=NAMES),
    "edges with all weights": lambda: gm.Graph.from_edges([(u, v, *(w or [1])) for u, v, *w in EDGES], nodes=NAMES),
    "edges from a generator": lambda: gm.Graph.from_edges((edge for edge in EDGES), nodes=iter(NAMES)),
    "edges as lists": lambda: gm.Graph.from_edges([list(edge) for edge in EDGES], nodes=NAMES),
    "edges twice": lambda: gm.Graph.from_edges(EDGES + [(v, u, *w) for u, v, *w in EDGES], nodes=NAMES),
    "matrix": lambda: gm.Graph(A, nodes=NAMES),
    "data frame": lambda: gm.Graph(pd.DataFrame(A, index=NAMES, columns=NAMES)),
    "data frame of integers and floats": lambda: gm.Graph(
        pd.DataFrame({"a": [0, 1, 0, 2.5], "b": [1, 0.5, 0, 0], "c": [0, 0, 0, 0], "d": [2.5, 0, 0, 0]}, index=NAMES)
    ),
    "networkx": lambda: gm.Graph(networkx_graph()),
    "networkx multigraph": lambda: gm.Graph(networkx_multigraph()),
}


def networkx_graph():
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_nodes_from(NAMES)
    graph.add_edge("b", "a")  # without a weight, which is then 1
    graph.add_edge("a", "d", weight=2.5)
    graph.add_edge("b", "b", weight=0.5)
    return graph


def networkx_multigraph():
    networkx = pytest.importorskip("networkx")
    graph = networkx.MultiGraph()
    graph.add_nodes_from(NAMES)
    for u, v, weight in [("a", "b", 1.0), ("a", "d", 1.5), ("d", "a", 1.0), ("b", "b", 0.25), ("b", "b", 0.25)]:
        graph.add_edge(u, v, weight=weight)
    return graph


@pytest.mark.parametrize("kind", NAMED)
def test_named_nodes_and_weights_are_the_same_from_everything_that_has_them(kind):
    graph = NAMED[kind]()
    assert graph.names() == NAMES
    np.testing.assert_array_equal(weights_of(graph), A)
    assert graph == NAMED["matrix"]()
    assert hash(graph) == hash(NAMED["matrix"]())
    assert repr(graph) == "Graph(<4 nodes, 3 edges>)"
    assert len(graph) == 4


def test_edge_list_is_a_graph_whose_nodes_come_in_the_order_of_their_appearance():
    graph = gm.Graph([("x", "y"), ("z", "x", 3)])
    assert graph.names() == ["x", "y", "z"]
    np.testing.assert_array_equal(weights_of(graph), [[0, 1, 3], [1, 0, 0], [3, 0, 0]])
    assert gm.Graph(edge for edge in [("x", "y"), ("z", "x", 3)]) == graph
    assert gm.Graph((("x", "y"), ("z", "x", 3))) == graph


def test_nodes_given_with_edges_come_first_and_others_follow():
    graph = gm.Graph.from_edges([("x", "y"), ("z", "x")], nodes=["alone", "z"])
    assert graph.names() == ["alone", "z", "x", "y"]
    np.testing.assert_array_equal(weights_of(graph).sum(axis=1), [0, 1, 2, 1])


def test_nodes_without_any_edge_make_a_graph():
    graph = gm.Graph.from_edges([], nodes=["x", "y"])
    np.testing.assert_array_equal(weights_of(graph), np.zeros((2, 2)))
    assert repr(graph) == "Graph(<2 nodes, 0 edges>)"
    assert gm.Graph([[0.0]]).names() == [0]


@pytest.mark.parametrize("weight", [0, 0.0, -0.0])
def test_edge_of_weight_zero_is_none(weight):
    graph = gm.Graph([("x", "y", weight), ("y", "z")])
    assert repr(graph) == "Graph(<3 nodes, 1 edges>)"
    assert graph == gm.Graph.from_edges([("y", "z")], nodes=["x", "y", "z"])


def test_kernels_take_whatever_a_graph_is_made_of():
    K = gm.PowerDiffusion(gm.Graph(A))([0, 1, 2, 3])
    for given in MATRICES.values():
        np.testing.assert_array_equal(gm.PowerDiffusion(given)([0, 1, 2, 3]), K)
    for make in (networkx_graph, lambda: pd.DataFrame(A, index=NAMES, columns=NAMES)):
        np.testing.assert_array_equal(gm.PowerDiffusion(make())(NAMES), K)
    np.testing.assert_array_equal(gm.PowerDiffusion(EDGES)(["a", "b", "d"]), K[np.ix_([0, 1, 3], [0, 1, 3])])


def test_networkx_nodes_of_any_kind_are_names():
    networkx = pytest.importorskip("networkx")
    grid = networkx.grid_2d_graph(2, 3)
    graph = gm.Graph(grid)
    assert graph.names() == list(grid.nodes)
    np.testing.assert_array_equal(weights_of(graph), networkx.to_numpy_array(grid))


# Duplicates and asymmetry


def test_entries_of_a_sparse_matrix_given_twice_add_up():
    twice = scipy.sparse.coo_array(([1.0, 2.0, 3.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert gm.Graph(twice) == gm.Graph([[0, 3], [3, 0]])


def test_stored_zeros_are_no_edges():
    A = scipy.sparse.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    A.data[:] = 0
    assert repr(gm.Graph(A)) == "Graph(<2 nodes, 0 edges>)"


def test_what_rounding_makes_of_a_symmetric_matrix_is_made_symmetric_again():
    B = A.copy()
    B[0, 1] += 1e-14
    found = weights_of(gm.Graph(B))
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_allclose(found, A, rtol=1e-13)


def test_asymmetry_is_judged_by_the_largest_weight_and_not_by_the_entry():
    assert weights_of(gm.Graph([[1e12, 1.0], [1.0 + 1e-4, 0]]))[0, 1] == pytest.approx(1 + 0.5e-4)
    with pytest.raises(ValueError, match="not symmetric"):
        gm.Graph([[1.0, 1e-8], [0.0, 1.0]])


def test_the_given_matrix_is_left_alone():
    dense, sparse = A.copy(), scipy.sparse.coo_array(([1.0, 1.0, 2.0, 0.0], ([0, 0, 1, 1], [1, 1, 0, 1])), shape=(2, 2))
    compressed = scipy.sparse.csr_array(([1.0, 1.0, 0.0, 2.0], [1, 1, 0, 0], [0, 3, 4]), shape=(2, 2))
    dense.flags.writeable = compressed.data.flags.writeable = False
    assert gm.Graph(sparse) == gm.Graph(compressed) == gm.Graph([[0, 2], [2, 0]])
    gm.Graph(dense)
    assert sparse.nnz == compressed.nnz == 4


def test_graph_does_not_follow_later_changes_of_the_matrix():
    for given in (A.copy(), scipy.sparse.csr_array(A)):
        graph = gm.Graph(given)
        given[[0, 1], [1, 0]] = 7.0
        np.testing.assert_array_equal(weights_of(graph), A)


# Names

ANY_NAMES = {
    "tuples": [(0, 0), (0, 1), (1, 0), ()],
    "integers": [10, -3, 2, 0],
    "of every kind": ["a", 1, (2, "b"), frozenset("xy")],
    "sets": [frozenset(), frozenset("a"), frozenset("ab"), frozenset("b")],
    "numbers": [0.5, 1.5, 2.5, -1.0],
    "bytes": [b"a", b"b", b"", b"c"],
    "timestamps": list(pd.date_range("2020-01-01", periods=4)),
}


@pytest.mark.parametrize("kind", ANY_NAMES)
def test_names_of_any_hashable_kind_find_their_nodes(kind):
    names = ANY_NAMES[kind]
    graph = gm.Graph(A, nodes=names)
    assert graph.names() == names
    assert graph.indices([names[2], names[0], names[2]]).tolist() == [2, 0, 2]
    by_edges = gm.Graph.from_edges([(names[0], names[1]), (names[0], names[3], 2.5), (names[1], names[1], 0.5)], names)
    assert by_edges == graph
    np.testing.assert_array_equal(gm.PowerDiffusion(graph)(names), A @ A)


@pytest.mark.parametrize("given", [list, tuple, np.array, pd.Series, pd.Index, iter], ids=lambda kind: kind.__name__)
def test_nodes_may_come_in_any_flat_collection(given):
    assert gm.Graph(A, nodes=NAMES).indices(given(["d", "a"])).tolist() == [3, 0]
    assert gm.Graph(A).indices(given([3, 0])).tolist() == [3, 0]


def test_nodes_may_come_as_a_column():
    assert gm.Graph(A).indices(np.array([[3], [0]])).tolist() == [3, 0]
    assert gm.Graph(A, nodes=NAMES).indices(np.array([["d"], ["a"]])).tolist() == [3, 0]


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.float64, object])
def test_nodes_of_a_matrix_are_numbers_of_any_type(dtype):
    assert gm.Graph(A).indices(np.array([3, 0, 3], dtype=dtype)).tolist() == [3, 0, 3]
    assert gm.Graph(A).indices(list(np.array([3, 0], dtype=dtype))).tolist() == [3, 0]
    assert gm.Graph(A).indices(range(1, 3)).tolist() == [1, 2]


def test_named_nodes_are_not_found_by_number():
    with pytest.raises(ValueError, match="X holds 0, which is not a node"):
        gm.Graph(A, nodes=NAMES).indices([0])
    assert gm.Graph(A, nodes=[3, 2, 1, 0]).indices(np.array([3, 0])).tolist() == [0, 3]


# A graph is a value


def test_graphs_are_pickled():
    for graph in (gm.Graph(A), gm.Graph(A, nodes=ANY_NAMES["of every kind"]), gm.Graph(EDGES)):
        graph.similarity("laplacian")
        copy = pickle.loads(pickle.dumps(graph))
        assert copy == graph
        assert hash(copy) == hash(graph)
        assert copy.names() == graph.names()
        assert copy.indices(graph.names()).tolist() == list(range(len(graph)))


def test_graphs_differ_by_weights_edges_names_and_their_order():
    graph = gm.Graph(A, nodes=NAMES)
    assert graph != gm.Graph(A)
    assert graph != gm.Graph(A, nodes=["a", "b", "c", "e"])
    assert graph != gm.Graph(A, nodes=["b", "a", "c", "d"])
    assert graph != gm.Graph(2 * A, nodes=NAMES)
    assert graph != gm.Graph(A[:3, :3], nodes=NAMES[:3])
    assert graph != "graph"
    assert len({graph, gm.Graph(A, nodes=NAMES), gm.Graph(A)}) == 2


def test_kernels_of_equal_graphs_are_equal():
    first, second = (gm.ExponentialDiffusion(gm.Graph(A, nodes=NAMES), beta=0.5) for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    assert first != gm.ExponentialDiffusion(gm.Graph(A), beta=0.5)
    assert first != gm.ExponentialDiffusion(gm.Graph(A, nodes=NAMES), beta=0.6)
    assert first != gm.ExponentialDiffusion(gm.Graph(A, nodes=NAMES), beta=0.5, of="laplacian")
    assert first != gm.VonNeumannDiffusion(gm.Graph(A, nodes=NAMES), beta=0.1)
    assert first.with_params(beta=0.6) == gm.ExponentialDiffusion(gm.Graph(A, nodes=NAMES), beta=0.6)


def test_similarities_are_what_their_names_say():
    degrees = A.sum(axis=1)
    graph = gm.Graph(A)
    np.testing.assert_array_equal(graph.similarity("adjacency").S.toarray(), A)
    np.testing.assert_array_equal(graph.similarity("laplacian").S.toarray(), A - np.diag(degrees))
    roots = np.sqrt(np.where(degrees > 0, degrees, 1))
    expected = A / np.outer(roots, roots)
    np.testing.assert_allclose(graph.similarity("normalized").S.toarray(), expected, rtol=8 * np.finfo(float).eps)


def test_a_loop_cancels_in_the_laplacian():
    without = A - np.diag(np.diagonal(A))
    np.testing.assert_array_equal(
        gm.Graph(A).similarity("laplacian").S.toarray(), gm.Graph(without).similarity("laplacian").S.toarray()
    )


# Bad input

BAD_GRAPHS = {
    "non-square": (np.ones((2, 3)), ValueError, r"matrix of shape \(2, 3\); a square one expected, or a list of"),
    "non-symmetric": (
        [[0, 1, 0], [1, 0, 2], [0, 5, 0]],
        ValueError,
        r"not symmetric: entry \[1, 2\] is 2 and \[2, 1\] is 5; for a directed graph pass \(A \+ A.T\) / 2",
    ),
    "non-symmetric, sparse": (
        scipy.sparse.coo_array(([3.0], ([0], [2])), shape=(3, 3)),
        ValueError,
        r"not symmetric: entry \[0, 2\] is 3 and \[2, 0\] is 0",
    ),
    "NaN": ([[0, np.nan], [np.nan, 0]], ValueError, r"the graph holds nan \(first at index \(0, 1\)\); finite"),
    "inf": (np.array([[np.inf]]), ValueError, r"the graph holds inf .*finite numbers expected"),
    "NaN, sparse": (scipy.sparse.csr_array([[np.nan]]), ValueError, "the graph holds nan .*finite numbers expected"),
    "complex": (A * 1j, TypeError, "the graph is complex .complex128.; real numbers expected"),
    "complex, sparse": (scipy.sparse.csr_array(A * 1j), TypeError, "the graph is complex"),
    "words": ([["a", "b"], ["b", "a"]], TypeError, "edges are tuples"),
    "ragged": ([[0, 1], [1]], ValueError, "the graph is not rectangular"),
    "a vector": ([0.0, 1.0], ValueError, r"the graph has 1 dimension\(s\), 2 expected"),
    "a number": (3, TypeError, "the graph is 3; a matrix, an edge list or a NetworkX graph expected"),
    "None": (None, TypeError, "the graph"),
    "a path": ("edges.txt", TypeError, "the graph is 'edges.txt'; a matrix, an edge list or a NetworkX graph expected"),
    "an empty list": ([], ValueError, "the graph is empty"),
    "an empty matrix": (np.zeros((0, 0)), ValueError, "the graph is empty"),
    "an empty sparse matrix": (scipy.sparse.csr_array((0, 0)), ValueError, "the graph is empty"),
    "an empty data frame": (pd.DataFrame(), ValueError, "the graph is empty"),
    "edges of one end": ([("a", "b"), ("a",)], ValueError, r"edge 1 is \('a',\); \(u, v\) or \(u, v, weight\) exp"),
    "edges of four parts": ([("a", "b", 1, 2)], ValueError, "edge 0 is .*expected"),
    "unhashable ends": ([(["a"], "b")], TypeError, r"edge 0 is \(\['a'\], 'b'\), whose ends cannot be hashed"),
    "conflicting edges": (
        [("a", "b", 1), ("c", "b"), ("b", "a", 2.5)],
        ValueError,
        "edge 2, 'b' – 'a', has the weight 2.5, and 1 before",
    ),
    "conflicting loops": ([("a", "a", 1), ("a", "a", 2)], ValueError, "edge 1, 'a' – 'a', has the weight 2, and 1"),
    "weight that is a word": ([("a", "b", "c")], TypeError, "the edge 'a' – 'b' has the weight 'c'; a number expected"),
    "weight None": ([("a", "b", None)], TypeError, "the edge 'a' – 'b' has the weight None; a number expected"),
    "weight complex": ([("a", "b", 1j)], TypeError, "the edge 'a' – 'b' has the weight 1j; a number expected"),
    "weight NaN": ([("a", "b", np.nan)], ValueError, "the edge 'a' – 'b' has the weight nan; a finite number"),
    "weight inf": ([("a", "b", -np.inf)], ValueError, "the edge 'a' – 'b' has the weight -inf; a finite number"),
    "frame of other columns": (
        pd.DataFrame(A, index=NAMES, columns=NAMES[::-1]),
        ValueError,
        "the data frame's index and columns differ; the same nodes in the same order expected",
    ),
    "frame that is not square": (pd.DataFrame(A, index=NAMES).iloc[:2], ValueError, "index and columns differ"),
    "frame of repeated names": (
        pd.DataFrame(A, index=list("abca"), columns=list("abca")),
        ValueError,
        "nodes holds 'a' more than once",
    ),
    "frame of words": (pd.DataFrame([["x"]]), TypeError, "the graph has dtype .*; real numbers expected"),
    "frame with a gap": (pd.DataFrame([[np.nan]]), ValueError, "the graph holds nan"),
}


@pytest.mark.parametrize("what", BAD_GRAPHS)
def test_what_is_not_a_graph_is_refused_with_what_came(what):
    given, error, message = BAD_GRAPHS[what]
    for make in (gm.Graph, gm.PowerDiffusion, lambda graph: gm.ExponentialDiffusion(graph, beta=1.0, of="laplacian")):
        with pytest.raises(error, match=message):
            make(given)


def test_directed_networkx_graphs_are_refused():
    networkx = pytest.importorskip("networkx")
    for kind in (networkx.DiGraph, networkx.MultiDiGraph):
        with pytest.raises(ValueError, match=r"the graph is directed.*pass graph.to_undirected\(\)"):
            gm.Graph(kind([("a", "b")]))
    assert gm.Graph(networkx.DiGraph([("a", "b")]).to_undirected()) == gm.Graph([("a", "b")])


def test_bad_networkx_graphs_are_refused():
    networkx = pytest.importorskip("networkx")
    with pytest.raises(ValueError, match="the graph has no nodes; at least one expected"):
        gm.Graph(networkx.Graph())
    for weight, error in (("heavy", TypeError), (None, TypeError), (np.nan, ValueError)):
        with pytest.raises(error, match=f"the edge 'a' – 'b' has the weight {weight!r}"):
            gm.Graph(networkx.Graph([("a", "b", {"weight": weight})]))


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["a", "b", "c"], ValueError, "nodes names 3 nodes, and the graph has 4; one name each needed"),
        ([], ValueError, "nodes names 0 nodes, and the graph has 4; one name each needed"),
        (["a", "b", "c", "a"], ValueError, "nodes holds 'a' more than once; a name of its own for every node needed"),
        ([1, 2, 3, 1.0], ValueError, "nodes holds 1.0 more than once"),
        ([["a"], ["b"], ["c"], ["d"]], TypeError, "unhashable|hashed"),
    ],
    ids=repr,
)
def test_bad_names_are_refused(names, error, message):
    with pytest.raises(error, match=message):
        gm.Graph(A, nodes=names)


def test_edges_without_nodes_are_refused():
    with pytest.raises(ValueError, match="the graph has no nodes; at least one expected"):
        gm.Graph.from_edges([])
    with pytest.raises(ValueError, match="edge 0 is 'ab'; .*expected"):
        gm.Graph.from_edges(["ab"])


BAD_NODES = {
    "unknown": (
        ["a", "z"],
        ValueError,
        "X holds 'z', which is not a node of this graph; its 4 nodes are 'a', 'b', 'c' …",
    ),
    "a number": ([0], ValueError, "X holds 0, which is not a node of this graph"),
    "None": ([None], ValueError, "X holds None, which is not a node"),
    "NaN": (np.array([np.nan]), ValueError, "X holds nan, which is not a node"),
    "unhashable": ([["a"]], TypeError, r"X holds \['a'\], which cannot be .* a node, because it is not hashable"),
    "two columns": (np.array([["a", "b"]]), TypeError, r"X holds \['a', 'b'\], which cannot be the name of a node"),
    "one str": ("a", TypeError, r"X is 'a'; a list of nodes expected: pass \[X\] if it is one node"),
    "one str of many nodes": ("abcd", TypeError, r"X is 'abcd'; a list of nodes expected"),
    "one numpy str": (np.str_("a"), TypeError, r"a list of nodes expected: pass \[X\]"),
    "bytes": (b"a", TypeError, r"X is b'a'; a list of nodes expected"),
    "one number": (1, TypeError, r"X is 1; a list of nodes expected: pass \[X\] if it is one node"),
    "empty": ([], ValueError, "X is empty; at least one node expected"),
    "empty array": (np.array([], dtype=str), ValueError, "X is empty; at least one node expected"),
    "empty column": (np.zeros((0, 1)), ValueError, "X is empty; at least one node expected"),
}


@pytest.mark.parametrize("what", BAD_NODES)
def test_what_is_not_a_list_of_nodes_is_refused(what):
    data, error, message = BAD_NODES[what]
    k = gm.ExponentialDiffusion(gm.Graph(A, nodes=NAMES), beta=0.5, of="laplacian")
    calls = (lambda: k(data), lambda: k.diag(data), lambda: k(NAMES, data), lambda: k(data, NAMES))
    for call in (*calls, lambda: (k + k)(data), lambda: k.center(data), lambda: k.center(NAMES)(data)):
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize("node", [-1, 4, 1.5, np.nan, np.inf, True, None, "0", 1j, [1], (1,)], ids=repr)
def test_what_is_not_the_number_of_a_node_is_refused(node):
    for data in ([0, node], (0, node)):
        with pytest.raises(ValueError, match="which is not a node of this graph; its 4 nodes are 0, 1, 2 …"):
            gm.Graph(A).indices(data)
    if isinstance(node, int | float):
        with pytest.raises(ValueError, match="which is not a node of this graph"):
            gm.Graph(A).indices(np.array([node]))


# A single array or a table is no list of nodes, whatever it holds

NOT_LISTS = {
    "an array of one number": (gm.Graph(A), np.array(2), TypeError),
    "an array of the number 0": (gm.Graph(A), np.array(0), TypeError),
    "an array of one name": (gm.Graph(A, nodes=NAMES), np.array("a"), TypeError),
    "masked nodes": (gm.Graph(A), np.ma.array([0, 1], mask=[0, 1]), ValueError),
    "a table with a node for a heading": (gm.Graph(A, nodes=NAMES), pd.DataFrame({"a": ["b"], "c": ["a"]}), ValueError),
}


@pytest.mark.parametrize("what", NOT_LISTS)
def test_what_is_no_flat_list_is_refused(what):
    graph, X, error = NOT_LISTS[what]
    with pytest.raises(error, match="X "):
        graph.indices(X)


def test_weight_that_is_a_text_is_refused_though_it_reads_as_a_number():
    with pytest.raises(TypeError, match="the edge 'a' – 'b' has the weight '1'; a number expected"):
        gm.Graph([("a", "b", "1")])


@pytest.mark.parametrize("of", ["adjacency", "laplacian", "normalized"])
def test_weights_whose_sums_overflow_are_refused(of):
    with pytest.raises(ValueError, match="overflow"):
        gm.ExponentialDiffusion(np.full((3, 3), 1e308), beta=1.0, of=of)


def test_parallel_edges_of_a_multigraph_add_up_as_in_networkx_and_repeated_ones_of_a_list_count_once():
    networkx = pytest.importorskip("networkx")
    rng = np.random.default_rng(0)
    for _ in range(30):
        n, edges = int(rng.integers(1, 7)), int(rng.integers(0, 15))
        ends = [tuple(int(v) for v in pair) for pair in rng.integers(n, size=(edges, 2))]
        weights = rng.integers(1, 5, size=edges).tolist()
        multi = networkx.MultiGraph()
        multi.add_nodes_from(range(n))
        for (u, v), weight in zip(ends, weights, strict=True):
            multi.add_edge(u, v, **({} if weight == 1 else {"weight": weight}))
        np.testing.assert_array_equal(weights_of(gm.Graph(multi)), networkx.to_numpy_array(multi))
        once = networkx.Graph(ends)
        once.add_nodes_from(range(n))
        listed = gm.Graph.from_edges(ends + [(v, u) for u, v in ends], nodes=range(n))
        np.testing.assert_array_equal(weights_of(listed), networkx.to_numpy_array(once, nodelist=range(n)))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint16])
def test_an_array_of_numbers_beyond_the_last_node_is_refused_by_however_much(dtype):
    for node in (4, 5, 14, np.iinfo(dtype).max):
        with pytest.raises(ValueError, match=f"X holds {node}, which is not a node of this graph"):
            gm.Graph(A).indices(np.array([0, node], dtype=dtype))


@pytest.mark.parametrize("count", [3, 5, 9])
def test_neither_too_few_names_nor_too_many_are_taken(count):
    with pytest.raises(ValueError, match=f"nodes names {count} nodes, and the graph has 4"):
        gm.Graph(A, nodes=range(count))


def test_numbers_in_two_columns_are_no_list_of_nodes():
    for X in (np.array([[0, 1]]), np.array([[0, 1], [2, 3]])):
        with pytest.raises(ValueError, match=r"X holds \[0, 1\], which is not a node"):
            gm.Graph(A).indices(X)


def test_an_edge_that_is_a_list_is_shown():
    with pytest.raises(TypeError, match=r"the graph holds \['a', 'b'\]; edges are tuples"):
        gm.Graph([["a", "b"], ["b", "c"]])
