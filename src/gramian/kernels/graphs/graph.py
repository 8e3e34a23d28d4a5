"""Graphs at the border: matrices, NetworkX graphs and edge lists become one symmetric sparse matrix with named nodes.

A graph is what node kernels are made of: A, the weights of its edges, and a name for every row. Its objects are the
names, so that a sample is a list of nodes. What a kernel does with A is decided by the similarity it is asked for,

    adjacency     S = A, which may as well be any symmetric similarity
    laplacian     S = A − Δ = −L, Δ the diagonal of the degrees (seed 003, section 5.4.2)
    normalized    S = Δ^(−½) A Δ^(−½), with eigenvalues between −1 and 1; a node without edges has a row of zeros

(Seed 003 calls A − Δ the Laplacian; the usual one is L = Δ − A. A self-loop cancels in it.)
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse

from gramian.checks import Array, as_vectors, is_sparse
from gramian.kernels.graphs.functions import SymmetricMatrix
from gramian.kernels.strings.sequences import is_missing
from gramian.kernels.value import Value

SIMILARITIES = ("adjacency", "laplacian", "normalized")
LARGEST_WEIGHT = 1e150
ASYMMETRY = 1e-10  # relative to the largest weight, what passes for rounding


class Graph(Value):
    """An undirected graph with named nodes and weighted edges.

    Parameters
    ----------
    matrix : array, sparse array, NetworkX graph, list of (u, v) or (u, v, weight) tuples, or data frame
        The symmetric matrix of weights, or something that says the same. Edges are undirected. In a list, an edge
        that comes again, in either direction, is the same edge: it counts once, and must have the same weight. The
        parallel edges of a NetworkX multigraph are edges of their own, and their weights add up, as in NetworkX's
        adjacency matrix. NetworkX nodes, the ends of edges and the index of a data frame name the nodes.
    nodes : sequence of hashable, optional
        Names of the rows of a matrix, 0 … n − 1 by default. With edges, the order of the nodes, and those without any.

    Raises
    ------
    ValueError
        If the matrix is not square or not symmetric, an edge comes with two weights, or a name comes twice.
    TypeError
        If the matrix is nothing that is understood.

    See Also
    --------
    read_edges : a graph from a list of edges
    ExponentialDiffusion : paths of all lengths, weighted by 1/l!
    VonNeumannDiffusion : paths of all lengths, weighted by βˡ
    PowerDiffusion : paths of one length

    Notes
    -----
    Cost: O(nodes + edges) memory.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.Graph([("a", "b"), ("b", "c", 0.5)])
    Graph(<3 nodes, 2 edges>)
    >>> gm.Graph([[0, 1], [1, 0]], nodes=["left", "right"]).indices(["right"])
    array([1])
    """

    matrix: Any
    nodes: Any = None

    def __post_init__(self) -> None:
        matrix, names = _read(self.matrix, _as_names(self.nodes))
        if names is not None and len(names) != matrix.shape[0]:
            raise ValueError(
                f"nodes names {len(names)} nodes, and the graph has {matrix.shape[0]}; one name each needed"
            )
        self._settle(matrix=matrix, nodes=names)

    @classmethod
    def from_edges(cls, edges: Iterable[tuple[Any, ...]], nodes: Any = None) -> Self:
        """Return the graph of edges (u, v) or (u, v, weight); `nodes` adds nodes without edges and sets their order."""
        return cls(*_of_edges(edges, _as_names(nodes) or ()))

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def __repr__(self) -> str:
        return f"Graph(<{len(self)} nodes, {self._edges} edges>)"

    @property
    def _edges(self) -> int:
        loops = int(np.count_nonzero(self.matrix.diagonal()))
        return int(self.matrix.nnz - loops) // 2 + loops

    @property
    def non_negative(self) -> bool:
        """Whether no weight is below 0."""
        return bool(self.matrix.data.min(initial=0.0) >= 0)

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {name: place for place, name in enumerate(self.nodes)}

    def names(self) -> list[Any]:
        """Return the names of the nodes, in the order of the matrix."""
        return list(range(len(self))) if self.nodes is None else list(self.nodes)

    def indices(self, X: Any) -> Array:
        """Return the rows of the named nodes.

        Raises
        ------
        TypeError
            If X is a single name, or names cannot be hashed.
        ValueError
            If X is empty, or a node is unknown.
        """
        if isinstance(X, str | bytes) or not isinstance(X, Iterable) or getattr(X, "ndim", 1) == 0:
            raise TypeError(f"X is {X!r}; a list of nodes expected: pass [X] if it is one node")
        if isinstance(X, Mapping | set | frozenset):
            raise TypeError(f"X is a {type(X).__name__}; a list of nodes expected")
        if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
            raise ValueError("X has masked entries; a node for each object expected")
        if hasattr(X, "columns") and hasattr(X, "shape"):
            if X.shape[1] != 1:
                raise ValueError(f"X has {X.shape[1]} columns; one expected, of nodes: select it with kernel.on(name)")
            X = np.asarray(X, dtype=object).ravel()
        if isinstance(X, range) or (isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 1):
            X = np.asarray(X).ravel()
        items = X.tolist() if isinstance(X, np.ndarray) else list(X)
        if not items:
            raise ValueError("X is empty; at least one node expected")
        numbers = np.asarray(X) if self.nodes is None and isinstance(X, np.ndarray) else np.empty(0)
        if numbers.ndim == 1 and numbers.dtype.kind in "iu" and 0 <= numbers.min() <= numbers.max() < len(self):
            return numbers.astype(np.intp)
        return np.fromiter((self._place(item) for item in items), dtype=np.intp, count=len(items))

    def _place(self, node: Any) -> int:
        try:
            if self.nodes is not None:
                return self._places[node]
            if math.isfinite(node) and 0 <= node < len(self) and int(node) == node and not isinstance(node, bool):
                return int(node)
        except (KeyError, OverflowError):
            pass
        except TypeError:
            if self.nodes is not None:
                raise TypeError(
                    f"X holds {node!r}, which cannot be the name of a node, because it is not hashable"
                ) from None
        names = self.names()
        some = ", ".join(repr(name) for name in names[:3]) + (" …" if len(names) > 3 else "")
        raise ValueError(f"X holds {node!r}, which is not a node of this graph; its {len(names)} nodes are {some}")

    @cached_property
    def _similarities(self) -> dict[str, SymmetricMatrix]:
        return {}

    def similarity(self, of: str) -> SymmetricMatrix:
        """Return S, made once for all kernels of this graph: "adjacency", "laplacian" or "normalized"."""
        if of not in SIMILARITIES:
            raise ValueError(f"of is {of!r}; one of {', '.join(map(repr, SIMILARITIES))} expected")
        if of not in self._similarities:
            self._similarities[of] = self._make(of)
        return self._similarities[of]

    def _make(self, of: str) -> SymmetricMatrix:
        A = self.matrix
        if of == "adjacency":
            return SymmetricMatrix(A)
        degrees = np.asarray(A.sum(axis=1)).ravel()
        if of == "laplacian":
            return SymmetricMatrix((A - scipy.sparse.diags_array(degrees)).tocsr())
        if A.data.min(initial=0.0) < 0:
            raise ValueError(f"of is 'normalized', and an edge has the weight {A.data.min():g}; weights ≥ 0 needed")
        roots = np.sqrt(np.where(degrees > 0, degrees, 1.0))
        scale = scipy.sparse.diags_array(1 / roots)
        return SymmetricMatrix((scale @ A @ scale).tocsr(), start=roots)  # S √d = √d


def as_graph(given: Any) -> Graph:
    """Return a graph from anything that describes one."""
    return given if isinstance(given, Graph) else Graph(given)


def _as_names(nodes: Any) -> tuple[Hashable, ...] | None:
    if nodes is None:
        return None
    if isinstance(nodes, str | bytes) or not isinstance(nodes, Iterable):
        raise TypeError(f"nodes is {nodes!r}; a list of names expected")
    names = tuple(nodes)
    try:
        different = len(set(names))
    except TypeError as error:
        raise TypeError(f"nodes holds a name that cannot be hashed ({error})") from None
    if different < len(names):
        seen: set[Hashable] = set()
        twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"nodes holds {twice!r} more than once; a name of its own for every node needed")
    return names


def _read(given: Any, names: tuple[Hashable, ...] | None) -> tuple[Any, tuple[Hashable, ...] | None]:
    if isinstance(given, Graph):
        return given.matrix, names or given.nodes
    if hasattr(given, "is_directed") and hasattr(given, "edges"):
        return _of_networkx(given, names)
    if hasattr(given, "index") and hasattr(given, "columns") and hasattr(given, "iloc"):
        matrix, index = _of_frame(given)
        return matrix, names or _as_names(index)
    if isinstance(given, str | bytes | dict) or not isinstance(given, Iterable):
        raise TypeError(
            f"the graph is {given!r}; a matrix, an edge list or a NetworkX graph expected (a file: read_edges)"
        )
    if hasattr(given, "columns"):
        raise TypeError(
            f"the graph is a {type(given).__name__}; a matrix, a NetworkX graph or a list of edges (u, v) expected: "
            "list(table.rows()) or list(table.itertuples(index=False, name=None)) makes one of a table of edges"
        )
    if not is_sparse(given) and not isinstance(given, np.ndarray):
        given = list(given)
        if given and any(isinstance(item, tuple) for item in given):
            return _of_edges(given, names or ())
        if any(isinstance(item, list) and any(isinstance(end, str) for end in item) for item in given):
            raise TypeError(f"the graph holds {given[0]!r}; edges are tuples, (u, v) or (u, v, weight), not lists")
    return _of_matrix(given), names


def _of_matrix(given: Any) -> Any:
    A = as_vectors(given, "the graph", sparse=True).astype(np.float64)
    if abs(A).max() > LARGEST_WEIGHT:
        raise ValueError(
            f"the graph has a weight of {abs(A).max():g}, too large: sums of such overflow; rescale the weights"
        )
    if A.shape[0] != A.shape[1]:
        raise ValueError(
            f"the graph is a matrix of shape {A.shape}; a square one expected, or a list of (u, v) or (u, v, weight) "
            "tuples"
        )
    A = scipy.sparse.csr_array(A)
    A.sum_duplicates()
    A.eliminate_zeros()
    gap = abs(A - A.T).tocoo()
    if gap.nnz and gap.data.max() > ASYMMETRY * abs(A.data).max():
        i, j = (int(c[np.argmax(gap.data)]) for c in gap.coords)
        raise ValueError(
            f"the graph is not symmetric: entry [{i}, {j}] is {A[i, j]:g} and [{j}, {i}] is {A[j, i]:g}; for a "
            "directed graph pass (A + A.T) / 2, or another symmetric similarity of its nodes"
        )
    return A if gap.nnz == 0 else ((A + A.T) / 2).tocsr()


def _of_frame(frame: Any) -> tuple[Any, tuple[Hashable, ...]]:
    if list(frame.index) != list(frame.columns):
        raise ValueError(
            "the data frame's index and columns differ; the same nodes in the same order expected (a table of edges: "
            "list(frame.itertuples(index=False, name=None)))"
        )
    return _of_matrix(frame.to_numpy()), tuple(frame.index)


def _of_networkx(graph: Any, names: tuple[Hashable, ...] | None) -> tuple[Any, tuple[Hashable, ...]]:
    if graph.is_directed():
        raise ValueError("the graph is directed, and node kernels need a symmetric one: pass graph.to_undirected()")
    weights: dict[tuple[Any, Any], float] = {}
    for u, v, weight in graph.edges(data="weight", default=1):  # parallel edges of a multigraph add up
        weights[u, v] = weights.get((u, v), 0) + _weight(weight, u, v)
    return _assembled(weights, tuple(dict.fromkeys([*(names or ()), *graph.nodes])))


def _of_edges(edges: Iterable[tuple[Any, ...]], nodes: tuple[Hashable, ...]) -> tuple[Any, tuple[Hashable, ...]]:
    weights: dict[tuple[Any, Any], float] = {}
    known = dict.fromkeys(nodes)
    for place, edge in enumerate(edges):
        if not isinstance(edge, tuple | list) or len(edge) not in (2, 3):
            raise ValueError(f"edge {place} is {edge!r}; (u, v) or (u, v, weight) expected")
        u, v = edge[:2]
        if is_missing(u) or is_missing(v):
            raise ValueError(f"edge {place} is {edge!r}, with a missing end; two nodes expected")
        weight = _weight(edge[2] if len(edge) == 3 else 1.0, u, v)
        try:
            known |= {u: None, v: None}
        except TypeError:
            raise TypeError(
                f"edge {place} is {edge!r}, whose ends cannot be hashed and so not be names of nodes"
            ) from None
        key = (v, u) if (v, u) in weights else (u, v)
        if weights.setdefault(key, weight) != weight:
            raise ValueError(
                f"edge {place}, {u!r} – {v!r}, has the weight {weight:g}, and {weights[key]:g} before; one weight for "
                "each pair of nodes expected: add up the weights of parallel edges first, as a NetworkX MultiGraph does"
            )
    return _assembled(weights, tuple(known))


def _weight(weight: Any, u: Any, v: Any) -> float:
    try:
        number = float(weight) if not isinstance(weight, str | bytes) else None
    except (TypeError, ValueError):
        number = None
    if number is None:
        raise TypeError(f"the edge {u!r} – {v!r} has the weight {weight!r}; a number expected")
    if not abs(number) <= LARGEST_WEIGHT:
        raise ValueError(f"the edge {u!r} – {v!r} has the weight {weight!r}; a finite number expected")
    return number


def _assembled(weights: dict[tuple[Any, Any], float], nodes: tuple[Hashable, ...]) -> tuple[Any, tuple[Hashable, ...]]:
    if not nodes:
        raise ValueError("the graph has no nodes; at least one expected")
    places = {node: place for place, node in enumerate(nodes)}
    ends = np.array([(places[u], places[v]) for u, v in weights], dtype=np.intp).reshape(-1, 2)
    values = np.fromiter(weights.values(), dtype=np.float64, count=len(weights))
    apart = ends[:, 0] != ends[:, 1]
    rows = np.concatenate([ends[:, 0], ends[apart, 1]])
    cols = np.concatenate([ends[:, 1], ends[apart, 0]])
    entries = np.concatenate([values, values[apart]])
    A = scipy.sparse.csr_array((entries, (rows, cols)), shape=(len(nodes), len(nodes)))
    A.eliminate_zeros()
    return A, nodes
