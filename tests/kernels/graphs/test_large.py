"""Graphs of more than 3,000 nodes: nothing of the size of their matrix is computed, and every answer is the same."""

import tracemalloc
from functools import lru_cache

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy.sparse.linalg import expm_multiply, splu

import gramian as gm
from gramian.gram.gram import Gram
from gramian.kernels.graphs import diffusion, functions
from gramian.kernels.graphs.functions import SymmetricMatrix, chebyshev
from gramian.testing import check_gram, check_kernel

from ..cases import NODES, walk  # noqa: TID252

SIMILARITIES = ("adjacency", "laplacian", "normalized")
every_similarity = pytest.mark.parametrize("of", SIMILARITIES)
N = 3150


# Graphs


@lru_cache
def hubs():
    """A connected graph in which new nodes have joined well-connected ones: degrees from 1 to about 100."""
    rng = np.random.default_rng(1)
    ends = [0, 1]
    edges = [(0, 1)]
    for node in range(2, N):
        for other in {ends[k] for k in rng.integers(len(ends), size=1 + node % 2)}:
            edges.append((node, other))
            ends += [node, other]
    i, j = np.array(edges).T
    A = scipy.sparse.coo_array((0.2 + rng.random(len(edges)), (i, j)), shape=(N, N)).tocsr()
    return gm.Graph(A + A.T)


@lru_cache
def islands():
    """Some 100 components in no order, nodes without edges, loops; and the components, as lists of nodes."""
    rng = np.random.default_rng(2)
    order, parts, start = rng.permutation(N), [], 0
    A = scipy.sparse.lil_array((N, N))
    while start < N:
        size = int(rng.integers(1, 60))
        nodes = order[start : start + size]
        B = np.triu(rng.random((len(nodes),) * 2) * (rng.random((len(nodes),) * 2) < 3 / len(nodes)))
        A[np.ix_(nodes, nodes)] = B + np.triu(B, 1).T
        parts.append(nodes)
        start += size
    return gm.Graph(A.tocsr()), parts


def similarity(graph, of):
    A = graph.matrix
    degrees = A.sum(axis=1)
    if of == "laplacian":
        return (A - scipy.sparse.diags_array(degrees)).tocsc()
    roots = scipy.sparse.diags_array(1 / np.sqrt(np.where(degrees > 0, degrees, 1)))
    return (A if of == "adjacency" else roots @ A @ roots).tocsc()


@lru_cache
def largest(graph, of):
    return float(scipy.sparse.linalg.eigsh(similarity(graph, of), k=1, which="LA", return_eigenvectors=False)[0])


# The formulas, once for some columns of any graph and once for the whole matrix of the islands


class Formula:
    def __init__(self, kernel, columns, whole):
        self.kernel, self.columns, self.whole = kernel, columns, whole


def power(length):
    def columns(S, V):
        for _ in range(length):
            V = S @ V
        return V

    return Formula(
        lambda graph, of: gm.PowerDiffusion(graph, length=length, of=of),
        columns,
        lambda S: np.linalg.matrix_power(S, length),
    )


def exponential(beta):
    return Formula(
        lambda graph, of: gm.ExponentialDiffusion(graph, beta=beta, of=of),
        lambda S, V: expm_multiply(beta * S, V),
        lambda S: scipy.linalg.expm(beta * S),
    )


def von_neumann(beta):
    return Formula(
        lambda graph, of: gm.VonNeumannDiffusion(graph, beta=beta, of=of),
        lambda S, V: splu((scipy.sparse.eye_array(S.shape[0]) - beta * S).tocsc()).solve(V),
        lambda S: np.linalg.inv(np.eye(len(S)) - beta * S),
    )


FORMULAS = {
    "power 6": lambda graph, of: power(6),
    "exponential": lambda graph, of: exponential(0.8),
    "exponential, backwards": lambda graph, of: exponential(-0.2),
    "von Neumann": lambda graph, of: von_neumann(0.9 / max(1.0, largest(graph, of))),
    "von Neumann, near its limit": lambda graph, of: von_neumann(0.999 / max(1.0, largest(graph, of))),
    "von Neumann, negative": lambda graph, of: von_neumann(-0.5 / -_least(graph, of)),
}
every_formula = pytest.mark.parametrize("formula", FORMULAS)
SOME = np.array([0, 1, 17, 1500, 1500, N - 1])


@lru_cache
def _least(graph, of):
    return float(scipy.sparse.linalg.eigsh(similarity(graph, of), k=1, which="SA", return_eigenvectors=False)[0])


def units(indices, n=N):
    V = np.zeros((n, len(indices)))
    V[indices, np.arange(len(indices))] = 1
    return V


def whole(formula, graph_and_parts, of):
    """K of the islands, component by component."""
    graph, parts = graph_and_parts
    S = similarity(graph, of).tocsr()
    K = np.zeros((N, N))
    for nodes in parts:
        K[np.ix_(nodes, nodes)] = formula.whole(S[nodes][:, nodes].toarray())
    return K


def close(found, expected, digits=1e-12, scale=None):
    np.testing.assert_allclose(found, expected, rtol=0, atol=digits * (abs(expected).max() if scale is None else scale))


# Entries, columns, products


@every_similarity
@every_formula
def test_columns_blocks_and_products_of_a_connected_graph_are_those_of_the_formula(formula, of):
    graph = hubs()
    formula = FORMULAS[formula](graph, of)
    kernel = formula.kernel(graph, of)
    assert kernel.matrix_free
    gram, S = kernel.gram(range(N)), similarity(graph, of)
    K = formula.columns(S, units(SOME))
    scale = kernel._largest * (10 if kernel._largest > 400 else 1)  # near the limit f is steep
    close(gram.columns(SOME), K, scale=scale)
    close(gram.block([5, 7, 7], SOME), K[[5, 7, 7]], scale=scale)
    close(gram.block(SOME, slice(0, 40)), K[:40].T, scale=scale)
    close(gram.take(SOME).dense(), K[SOME], scale=scale)
    close(gram.take(SOME).diag(), K[SOME, np.arange(len(SOME))], scale=scale)
    V = np.random.default_rng(0).normal(size=(N, 3))
    close(gram @ V, formula.columns(S, V), scale=30 * scale)
    close(gram @ V[:, 0], formula.columns(S, V[:, :1])[:, 0], scale=30 * scale)
    close(gram.ridge(0.5) @ V, formula.columns(S, V) + 0.5 * V, scale=30 * scale)


@every_similarity
@pytest.mark.parametrize("formula", ["power 6", "exponential", "von Neumann"])
def test_rectangular_grams_with_repeated_nodes_are_those_of_the_formula(formula, of):
    graph = hubs()
    formula = FORMULAS[formula](graph, of)
    kernel = formula.kernel(graph, of)
    rows, cols = np.random.default_rng(0).integers(N, size=(2, 50))
    rows = np.concatenate([rows, rows[:9]])
    K = formula.columns(similarity(graph, of), units(cols))[rows]
    gram = kernel.gram(rows, cols)
    V = np.random.default_rng(1).normal(size=(50, 2))
    scale = kernel._largest
    close(gram.dense(), K, scale=scale)
    close(kernel.gram(cols, rows).dense(), K.T, scale=scale)
    close(gram @ V, K @ V, scale=10 * scale)
    close(V.T @ gram.T, V.T @ K.T, scale=10 * scale)
    close(
        kernel.gram(rows) @ np.ones(len(rows)),
        formula.columns(similarity(graph, of), units(rows))[rows].sum(axis=1),
        scale=60 * scale,
    )


@pytest.mark.parametrize(("formula", "of"), [("exponential", "laplacian"), ("power 6", "adjacency")])
def test_whole_matrix_and_its_diagonal_are_those_of_the_formula(formula, of):
    formula = FORMULAS[formula](islands()[0], of)
    kernel = formula.kernel(islands()[0], of)
    K = whole(formula, islands(), of)
    gram = kernel.gram(range(N))
    close(gram.diag(), np.diagonal(K))
    assert gram.trace() == pytest.approx(np.trace(K), rel=1e-12)
    dense = gram.dense()
    close(dense, K)
    np.testing.assert_array_equal(dense, dense.T)
    close(gram.row_means(), K.mean(axis=1), scale=K.max())
    assert gram.mean() == pytest.approx(K.mean(), rel=1e-10)


# Kernels made of them


@pytest.fixture(scope="module")
def heat():
    formula = exponential(0.8)
    return formula.kernel(islands()[0], "laplacian"), whole(formula, islands(), "laplacian")


@pytest.fixture(scope="module")
def walks():
    formula = FORMULAS["von Neumann"](islands()[0], "adjacency")
    return formula.kernel(islands()[0], "adjacency"), whole(formula, islands(), "adjacency")


def near(X):
    """A pullback of 3,150 nodes to the ten of a small graph."""
    return np.asarray(X) % 10


RING = np.roll(np.eye(10), 1, axis=0) + np.roll(np.eye(10), -1, axis=0)
SMALL = gm.ExponentialDiffusion(RING, beta=0.3)


def loudness(X):
    return np.sin(np.asarray(X))


def about(K):
    return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()


MADE = {
    "sum": (lambda h, w: h + w, lambda H, W: H + W, True),
    "scaled": (lambda h, w: 0.3 * h, lambda H, W: 0.3 * H, True),
    "shifted": (lambda h, w: h + 2.5, lambda H, W: H + 2.5, True),
    "reweighted": (
        lambda h, w: h.reweight(loudness),
        lambda H, W: np.outer(loudness(range(N)), loudness(range(N))) * H,
        True,
    ),
    "centered": (lambda h, w: h.center(range(N)), lambda H, W: about(H), True),
    "centered on others": (lambda h, w: w.center(range(0, N, 7)), lambda H, W: _about_others(W), True),
    "normalized": (
        lambda h, w: w.normalize(),
        lambda H, W: W / np.sqrt(np.outer(np.diagonal(W), np.diagonal(W))),
        True,
    ),
    "product": (lambda h, w: h * w, lambda H, W: H * W, False),
    "sum with a small graph": (lambda h, w: h + SMALL.pullback(near), lambda H, W: H + _of_small(), False),
    "all together": (
        lambda h, w: (2 * (h + w).center(range(N)) + 1) * w,
        lambda H, W: (2 * about(H + W) + 1) * W,
        False,
    ),
}


def _about_others(K):
    others = np.arange(0, N, 7)
    means = K[:, others].mean(axis=1)
    return K - means - means[:, None] + K[np.ix_(others, others)].mean()


def _of_small():
    return SMALL(range(10))[np.ix_(near(range(N)), near(range(N)))]


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_of_large_node_kernels_is_made_of_their_matrices(name, heat, walks):
    make, formula, free = MADE[name]
    kernel, K = make(heat[0], walks[0]), formula(heat[1], walks[1])
    assert kernel.matrix_free == free
    gram = kernel.gram(range(N))
    scale = abs(K).max()
    close(gram.columns(SOME), K[:, SOME])
    close(gram.block(SOME, [3, 4]), K[np.ix_(SOME, [3, 4])], scale=scale)
    close(kernel.gram(SOME, range(100)).dense(), K[SOME, :100], scale=scale)
    close(kernel.diag(SOME), np.diagonal(K)[SOME], digits=1e-11, scale=scale)
    V = np.random.default_rng(0).normal(size=(N, 2))
    close(kernel.gram(SOME, range(N)) @ V, K[SOME] @ V, digits=1e-11, scale=scale * 100)
    if free or name == "product":
        close(gram @ V, K @ V, digits=1e-11, scale=scale * 100)


def test_grams_made_of_grams_are_those_of_the_kernels(heat):
    kernel, K = heat
    gram = kernel.gram(range(N))
    v = np.random.default_rng(0).normal(size=N)
    close(gram.center() @ v, about(K) @ v)
    close((3 * gram + 1) @ v, (3 * K + 1) @ v, scale=100)
    roots = np.sqrt(np.diagonal(K))
    close(gram.normalize() @ v, K / np.outer(roots, roots) @ v)


# Far betas


def ring(n):
    i = np.arange(n)
    return scipy.sparse.coo_array((np.ones(2 * n), (np.r_[i, (i + 1) % n], np.r_[(i + 1) % n, i])), shape=(n, n))


@pytest.mark.parametrize("beta", [1.0, 300.0, 2500.0])
def test_heat_of_a_long_time_on_a_ring_is_its_fourier_series(beta):
    angles = 2 * np.pi * np.arange(N) / N
    for f, kernel in (
        (np.exp(beta * (2 * np.cos(angles) - 2)), gm.ExponentialDiffusion(ring(N), beta=beta, of="laplacian")),
        (1 / (1 + beta * (2 - 2 * np.cos(angles))), gm.VonNeumannDiffusion(ring(N), beta=beta, of="laplacian")),
    ):
        expected = np.fft.fft(f).real / N
        column = kernel.gram(range(N)).columns([0])[:, 0]
        close(column, expected, digits=1e-12)
        assert column.sum() == pytest.approx(1, rel=1e-11)
        assert kernel.diag([7])[0] == pytest.approx(expected[0], rel=1e-11)


@pytest.mark.parametrize("beta", [1e3, 1e4])
def test_heat_of_a_long_time_is_right_on_islands_too(beta):
    graph, parts = islands()
    S = similarity(graph, "laplacian").tocsr()
    reach = beta / -_least(graph, "laplacian")
    kernel = gm.ExponentialDiffusion(graph, beta=reach, of="laplacian")
    nodes = max(parts, key=len)
    values, U = np.linalg.eigh(S[nodes][:, nodes].toarray())
    expected = (U * np.exp(reach * values)) @ U.T
    found = kernel.gram(range(N)).columns(nodes[:3])
    close(found[nodes], expected[:, :3], digits=1e-11)
    close(found.sum(axis=0), np.ones(3), digits=1e-10)


@pytest.mark.parametrize("gap", [1e-2, 1e-4])
def test_von_neumann_kernel_close_to_its_limit_is_the_inverse(gap):
    graph = hubs()
    beta = (1 - gap) / largest(graph, "adjacency")
    formula = von_neumann(beta)
    kernel = formula.kernel(graph, "adjacency")
    expected = formula.columns(similarity(graph, "adjacency"), units([0, 9]))
    close(kernel.gram(range(N)).columns([0, 9]), expected, digits=1e-13 / gap)


@every_similarity
def test_von_neumann_range_of_a_large_graph_is_known(of):
    graph = hubs()
    high, low = largest(graph, of), _least(graph, of)
    if of != "laplacian":
        gm.VonNeumannDiffusion(graph, beta=(1 - 1e-9) / high, of=of)
        with pytest.raises(ValueError, match=f"between {1 / low:.6g} and {1 / high:.6g} expected"):
            gm.VonNeumannDiffusion(graph, beta=(1 + 1e-9) / high, of=of)
    gm.VonNeumannDiffusion(graph, beta=(1 - 1e-9) / low, of=of)
    with pytest.raises(ValueError, match=f"between {1 / low:.6g} and "):
        gm.VonNeumannDiffusion(graph, beta=(1 + 1e-9) / low, of=of)


def test_von_neumann_kernel_too_close_to_its_limit_says_so():
    k = gm.VonNeumannDiffusion(hubs(), beta=(1 - 1e-11) / largest(hubs(), "adjacency"))
    with pytest.raises(ValueError, match="varies too fast.*take a smaller beta, or one further from the ends"):
        k.gram(range(N)).columns([0])


def test_odd_power_of_a_large_graph_is_refused_where_an_eigenvalue_is_negative():
    with pytest.raises(ValueError, match=f"S has the eigenvalue {_least(hubs(), 'adjacency'):.4g}"):
        gm.PowerDiffusion(hubs(), length=3)
    column = gm.PowerDiffusion(ring(N) + 2 * scipy.sparse.eye_array(N), length=3).gram(range(N)).columns([4])
    np.testing.assert_allclose(column[[4, 5, 6, 7, 8], 0], [20, 15, 6, 1, 0], atol=1e-12)  # (2 + z + 1/z)³


@pytest.mark.parametrize("length", [1000, 4000, 100_000])
def test_long_paths_on_the_normalized_similarity_settle_on_the_degrees(length):
    """S^l → u uᵀ, u the root of the degrees, for a connected graph that is not bipartite."""
    loops = hubs().matrix + scipy.sparse.eye_array(N)
    u = np.sqrt(loops.sum(axis=1))
    u /= np.linalg.norm(u)
    kernel = gm.PowerDiffusion(loops, length=length, of="normalized")
    assert kernel.radius <= 1 + 1e-9
    close(kernel.gram(range(N)).columns([0, 5]), np.outer(u, u[[0, 5]]), digits=1e-6 if length == 1000 else 1e-8)


def test_large_beta_on_the_normalized_similarity_settles_on_the_degrees():
    loops = hubs().matrix + scipy.sparse.eye_array(N)
    u = np.sqrt(loops.sum(axis=1))
    u /= np.linalg.norm(u)
    column = gm.ExponentialDiffusion(loops, beta=700.0, of="normalized").gram(range(N)).columns([0])
    close(column[:, 0] / np.exp(700.0), u * u[0], digits=1e-9)


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (lambda A: gm.VonNeumannDiffusion(A, beta=2.0), 1.0),
        (lambda A: gm.VonNeumannDiffusion(A, beta=-3.0, of="laplacian"), 1.0),
        (lambda A: gm.ExponentialDiffusion(A, beta=1000.0, of="laplacian"), 1.0),
        (lambda A: gm.VonNeumannDiffusion(A + 0.01 * scipy.sparse.eye_array(N), beta=50.0), 2.0),
    ],
)
def test_large_graph_without_edges_is_the_identity(kernel, expected):
    k = kernel(scipy.sparse.csr_array((N, N)))
    close(k.gram(range(N)).columns([3, 8]), expected * units([3, 8]))


# Functions of a matrix


@st.composite
def matrices(draw):
    """Symmetric matrices of the kinds on which a bound may fail."""
    n = draw(st.integers(1, 12))
    kind = draw(st.sampled_from(["any", "star", "bipartite", "zero", "diagonal", "blocks", "path", "laplacian"]))
    weight = st.floats(-5, 5) if draw(st.booleans()) else st.floats(0, 5)
    B = draw(npst.arrays(np.float64, (n, n), elements=st.just(0.0) | weight))
    B[abs(B) < 1e-6] = 0
    i, j = np.indices((n, n))
    keep = {
        "any": i <= j,
        "star": (i == 0) & (j > 0),
        "bipartite": (i < n // 2) & (j >= n // 2),
        "zero": i < 0,
        "diagonal": i == j,
        "blocks": (i <= j) & (i % 3 == j % 3),
        "path": i + 1 == j,
        "laplacian": i < j,
    }[kind]
    upper = np.where(keep, B, 0)
    A = upper + np.triu(upper, 1).T
    return A - np.diag(A.sum(axis=1)) if kind == "laplacian" else A


@settings(max_examples=300, deadline=None)
@given(matrices())
def test_bounds_contain_every_eigenvalue(A):
    lo, hi = SymmetricMatrix(scipy.sparse.csr_array(A)).bounds
    values = np.linalg.eigvalsh(A)
    slack = 1e-14 * len(A) * abs(A).max()
    assert lo - slack <= values[0]
    assert values[-1] <= hi + slack
    assert hi - lo <= 2 * abs(A).sum(axis=1).max() * (1 + 1e-9)


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1.0, 1e8, 1e150])
def test_bounds_are_close_on_stars_paths_and_rings_of_any_scale(scale):
    star = np.zeros((400, 400))
    star[0, 1:] = star[1:, 0] = scale
    path = np.diag(np.full(399, scale), 1)
    for A, radius in ((star, np.sqrt(399)), (path + path.T, 2.0), (ring(400).toarray() * scale, 2.0)):
        lo, hi = SymmetricMatrix(scipy.sparse.csr_array(A)).bounds
        assert radius * scale * (1 - 1e-4) <= hi <= 1.05 * radius * scale
        assert -1.05 * radius * scale <= lo <= -radius * scale * (1 - 1e-4)


FUNCTIONS = {
    "exponential": lambda t: np.exp(3 * t),
    "steep exponential": lambda t: np.exp(40 * t),
    "falling exponential": lambda t: np.exp(-40 * t),
    "inverse": lambda t: 1 / (6.5 - t),
    "power": lambda t: t**8,
    "odd power": lambda t: t**5,
    "constant": lambda t: np.full_like(t, 2.5),
    "zero": lambda t: 0 * t,
    "identity": lambda t: t + 0.0,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=30, deadline=None)
@given(ends=st.tuples(st.floats(-5, 5), st.floats(0.01, 10)))
def test_chebyshev_series_are_the_functions(name, ends):
    lo, hi = ends[0], min(ends[0] + ends[1], 6.0)
    f = FUNCTIONS[name]
    c = chebyshev(f, lo, hi)
    x = np.linspace(-1, 1, 301)
    t = hi * (1 + x) / 2 + lo * (1 - x) / 2
    scale = abs(f(t)).max()
    # where f is steep, to move t by its rounding moves f too
    steep = np.abs(np.gradient(f(t), t)).max() * max(abs(lo), abs(hi)) if hi > lo else 0
    close(np.polynomial.chebyshev.chebval(x, c), f(t), digits=1e-13, scale=scale + steep)


def test_chebyshev_series_end_where_rounding_begins():
    assert len(chebyshev(lambda t: t**3, -1.0, 1.0)) == 4
    assert len(chebyshev(np.ones_like, 0.0, 2.0)) == 2
    assert len(chebyshev(np.exp, -1.0, 1.0)) < 20


def test_chebyshev_series_of_a_pole_are_refused():
    with pytest.raises(
        ValueError, match="varies too fast on the spectrum, between -1 and 1, for a polynomial of degree"
    ):
        chebyshev(lambda t: 1 / (1 + 1e-9 - t), -1.0, 1.0)


# The same way through the code on small graphs


def without_matrices(monkeypatch):
    """Treat all graphs as large and sparse ones."""
    monkeypatch.setattr(diffusion, "SMALL", 0)
    monkeypatch.setattr(functions, "DECOMPOSED", 0)
    monkeypatch.setattr(functions, "SPARSE", 2.0)
    monkeypatch.setattr(functions, "cores", lambda: 1)  # threads cost more than so small a graph


@pytest.mark.parametrize("name", NODES)
def test_kernels_on_nodes_are_the_same_and_conform_without_their_matrix(name, monkeypatch):
    X = walk()
    K = NODES[name](X)(X)
    without_matrices(monkeypatch)
    kernel = NODES[name](X)
    close(kernel(X), K, digits=1e-9 if "normalized" in name else 1e-11)
    check_kernel(kernel, X[3:8])
    check_gram(kernel.gram(X[:9]))
    check_gram(kernel.gram(X[:5], X[:9]))


@settings(max_examples=60, deadline=None)
@given(matrices(), st.floats(-0.99, 0.99))
def test_polynomials_of_any_matrix_are_the_functions_of_its_eigenvalues(A, share):
    assume(abs(A).max() > 0)
    S = SymmetricMatrix(scipy.sparse.csr_array(A))
    values, U = np.linalg.eigh(A)
    lo, hi = S.bounds
    assume(lo < hi)
    reach = max(abs(lo), abs(hi))
    for f in (
        lambda t: np.exp(5 * share * t / reach),
        lambda t: 1 / (1 - share * t / reach),
        lambda t: (t / reach) ** 4,
    ):
        expected = (U * f(values)) @ U.T
        scale = f(np.array([lo, hi])).max()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(functions, "cores", lambda: 1)
            polynomial = S._polynomial(f, (lo, hi))
        close(polynomial.times(np.eye(len(A))), expected, scale=scale)
        close(polynomial.diagonal(np.arange(len(A))), np.diagonal(expected), scale=scale)


@pytest.mark.parametrize("lanes", [1, 2, 3, 5])
def test_polynomials_do_not_depend_on_the_number_of_cores(lanes, monkeypatch):
    monkeypatch.setattr(functions, "cores", lambda: lanes)
    S = SymmetricMatrix(hubs().matrix)
    V = np.random.default_rng(0).normal(size=(N, 2))
    close(S.function(np.exp, V), expm_multiply(hubs().matrix.tocsc(), V), scale=np.exp(S.bounds[1]) * 50)
    close(
        S.diagonal(np.exp, SOME),
        expm_multiply(hubs().matrix.tocsc(), units(SOME))[SOME, range(len(SOME))],
        scale=np.exp(S.bounds[1]),
    )


def test_an_error_in_one_lane_reaches_the_caller_and_does_not_hang():
    polynomial = SymmetricMatrix(hubs().matrix)._polynomial(np.exp, None)
    with pytest.raises(ValueError, match="dimension|broadcast|shape"):
        polynomial.times(np.ones((7, 2)))


# Estimates of the diagonal


@every_similarity
@pytest.mark.parametrize("formula", ["power 6", "exponential", "von Neumann"])
def test_rough_diagonal_is_near_the_diagonal(formula, of):
    formula = FORMULAS[formula](islands()[0], of)
    kernel = formula.kernel(islands()[0], of)
    rough = kernel.gram(range(N)).rough_diag()
    diagonal = np.diagonal(whole(formula, islands(), of))
    assert rough.min() >= 0
    held = diagonal > 1e-6 * diagonal.max()
    assert np.abs(rough[held] / diagonal[held] - 1).mean() < 0.25
    assert rough.sum() == pytest.approx(diagonal.sum(), rel=0.05)
    if not isinstance(kernel, gm.PowerDiffusion):
        assert np.abs(rough / diagonal - 1).max() < 0.6


def test_rough_diagonal_is_the_same_every_time_and_exact_on_small_graphs():
    first, second = (gm.ExponentialDiffusion(hubs(), beta=0.3).gram(range(N)).rough_diag() for _ in range(2))
    np.testing.assert_array_equal(first, second)
    small = gm.ExponentialDiffusion(RING, beta=0.3).gram(range(10))
    np.testing.assert_array_equal(small.rough_diag(), small.diag())


# Factors and learners


@pytest.mark.parametrize("pivoting", ["random", "greedy"])
def test_factor_is_exact_on_the_columns_of_its_pivots(pivoting, walks):
    kernel, K = walks
    low = gm.cholesky(kernel.gram(range(N)), rank=60, pivoting=pivoting, rng=0)
    F, p = low.factor, low.pivots
    assert low.rank == 60 == len(set(p.tolist()))
    close(F @ F[p].T, K[:, p], digits=1e-10)
    np.testing.assert_array_equal(low.residual[p], 0)
    assert low.trace == pytest.approx(np.trace(K), rel=0.01)
    assert low.relative_error == pytest.approx((np.trace(K) - (F**2).sum()) / np.trace(K), abs=0.02)


@pytest.mark.parametrize("make", [lambda h, w: h * w, lambda h, w: h**2], ids=["product", "power"])
def test_products_of_large_node_kernels_are_factored_as_kernels_that_they_are(make, heat, walks):
    kernel = make(heat[0], walks[0])
    low = gm.cholesky(kernel.gram(range(N)), rank=400, pivoting="random", rng=0)
    close(low.factor[:9] @ low.factor[low.pivots].T, kernel(range(9), low.pivots), digits=1e-9)


def test_ridge_regression_on_all_nodes_is_that_of_the_matrix(heat):
    kernel, K = heat
    y = np.cos(np.arange(N))
    for ridge in (0.01, 1.0):
        model = gm.KernelRidge(kernel, ridge=ridge).fit(range(N), y)
        a = np.zeros(N)
        for nodes in islands()[1]:
            a[nodes] = np.linalg.solve(K[np.ix_(nodes, nodes)] + ridge * np.eye(len(nodes)), y[nodes])
        close(model.dual_coef_, a, digits=1e-8)
        close(model.predict(range(N)), K @ a, digits=1e-8)
        close(model.predict([5, 5, 9]), (K @ a)[[5, 5, 9]], digits=1e-8)


def test_learners_on_all_nodes_are_those_of_the_precomputed_matrix(walks):
    kernel, K = walks
    precomputed = gm.Precomputed(K)
    y = np.sin(np.arange(N))
    labels = np.where(y > 0.2, "up", "down")
    nodes = np.arange(N)
    free, dense = (gm.KernelRidge(k, ridge=0.1, fit_intercept=True).fit(nodes, y) for k in (kernel, precomputed))
    close(free.predict(nodes), dense.predict(nodes), digits=1e-7)
    free, dense = (gm.FisherDiscriminant(k, ridge=0.1).fit(nodes, labels) for k in (kernel, precomputed))
    close(free.decision_function(nodes), dense.decision_function(nodes), digits=1e-6)
    free, dense = (gm.ParzenClassifier(k).fit(nodes, labels) for k in (kernel, precomputed))
    close(free.decision_function(nodes), dense.decision_function(nodes), digits=1e-10)


def test_principal_components_of_all_nodes_are_those_of_the_precomputed_matrix(walks):
    kernel, K = walks
    nodes = np.arange(N)
    free, dense = (gm.KernelPCA(3, k).fit(nodes) for k in (kernel, gm.Precomputed(K)))
    close(free.eigenvalues_, dense.eigenvalues_, digits=1e-6)
    assert free.total_variance_ == pytest.approx(dense.total_variance_, rel=0.01)  # from a rough diagonal
    close(np.abs(free.transform(nodes[:500])), np.abs(dense.transform(nodes[:500])), digits=1e-4)


def test_learners_on_some_nodes_of_a_large_graph_predict_the_others(walks):
    kernel, K = walks
    nodes = np.random.default_rng(0).permutation(N)
    known, new = nodes[:300], nodes[300:700]
    y = np.sin(known)
    model = gm.KernelRidge(kernel, ridge=0.1).fit(known, y)
    a = np.linalg.solve(K[np.ix_(known, known)] + 0.1 * np.eye(300), y)
    close(model.predict(new), K[np.ix_(new, known)] @ a, digits=1e-9)


# Memory


def test_nothing_of_the_size_of_the_matrix_is_allocated(monkeypatch):
    def refuse(gram):
        raise AssertionError("the matrix was asked for")

    monkeypatch.setattr(Gram, "matrix", refuse)
    nodes, y = np.arange(N), np.cos(np.arange(N))
    kernel = gm.ExponentialDiffusion(hubs(), beta=0.4, of="laplacian")
    tracemalloc.start()
    try:
        gram = kernel.gram(nodes)
        gram @ np.ones((N, 5))
        gram.columns([1, 2, 3])
        gram.row_means()
        (gram + 1).center() @ y
        gm.cholesky(gram, rank=50, pivoting="random", rng=0)
        gm.KernelRidge(kernel, ridge=0.1).fit(nodes, y).predict(nodes)
        gm.FisherDiscriminant(kernel, ridge=0.1).fit(nodes, y > 0).predict(nodes)
        gram.diag()
        gm.KernelPCA(2, kernel).fit(nodes).transform(nodes)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.75 * 8 * N * N


def test_products_and_columns_of_a_graph_whose_matrix_fits_nowhere():
    n = 200_000
    kernel = gm.ExponentialDiffusion(ring(n), beta=0.5, of="laplacian")
    tracemalloc.start()
    try:
        gram = kernel.gram(np.arange(n))
        close(gram @ np.ones(n), np.ones(n))
        column = gram.columns([0])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2**28
    close(
        column[[0, 1, 2, -1], 0],
        gm.ExponentialDiffusion(ring(N), beta=0.5, of="laplacian")([0, 1, 2, N - 1], [0])[:, 0],
    )


def star(n):
    return [(0, i) for i in range(1, n)]


@pytest.mark.parametrize("n", [600, 5001])
def test_heat_of_a_very_long_time_on_a_star_is_spread_evenly(n):
    k = gm.ExponentialDiffusion(star(n), beta=600.0, of="laplacian")
    np.testing.assert_allclose(k([0, 1, n - 1]), 1 / n, rtol=1e-7)
    np.testing.assert_allclose(k.gram(range(n)) @ np.ones(n), 1, rtol=1e-7)


def test_chebyshev_does_not_miss_a_function_that_lives_at_one_end():
    c = chebyshev(lambda lam: np.exp(1e5 * lam), -4.0, 0.0)
    assert c.sum() == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("leaves", [100, 1500, 4000])
def test_a_hub_does_not_drown_what_is_far_from_it(leaves):
    edges = [("hub", i) for i in range(leaves)] + [("a", "b"), ("b", "c")]
    k = gm.ExponentialDiffusion(edges, beta=0.5 if leaves > 2000 else 1.0)
    alone = gm.ExponentialDiffusion([("a", "b"), ("b", "c")], beta=k.beta)
    abc = ["a", "b", "c"]
    np.testing.assert_allclose(k(abc), alone(abc), rtol=1e-12)
    np.testing.assert_allclose(k.diag(abc), alone.diag(abc), rtol=1e-12)
    np.testing.assert_allclose(k.normalize()(abc), alone.normalize()(abc), rtol=1e-12)
    np.testing.assert_allclose(k.gram(abc) @ np.eye(3), alone(abc), rtol=1e-12)
    powers, few = (gm.PowerDiffusion(graph, length=30) for graph in (edges, [("a", "b"), ("b", "c")]))
    np.testing.assert_allclose(powers(abc), few(abc), rtol=1e-12)


def test_von_neumann_of_middling_graphs_takes_every_beta_it_admits():
    k = gm.VonNeumannDiffusion(star(600), beta=1000.0, of="laplacian")
    L = -k.graph.similarity("laplacian").S.toarray()
    np.testing.assert_allclose(k([0, 1, 2]), np.linalg.inv(np.eye(600) + 1000 * L)[:3, :3], rtol=1e-8)


# The radius: the objects there can be are the nodes


def random_graph(rng, n):
    """A sparse graph with a clique in it, which lies farther out than the rest."""
    A = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 3 / n), 1)
    A[:6, :6] = np.triu(np.ones((6, 6)), 1)
    return gm.Graph(A + A.T)


@every_similarity
def test_no_node_lies_outside_the_radius_which_is_at_most_that_of_all_combinations(of, monkeypatch):
    monkeypatch.setattr(diffusion, "SMALL", 10)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        graph = random_graph(rng, int(rng.integers(70, 300)))
        for kernel in (
            gm.PowerDiffusion(graph, length=2 + 2 * (seed % 2), of=of),
            gm.ExponentialDiffusion(graph, beta=0.8, of=of),
            gm.ExponentialDiffusion(graph, beta=-0.3, of=of),
            gm.VonNeumannDiffusion(graph, beta=0.1, of=of),
        ):
            longest = np.sqrt(kernel._K.diagonal().max())
            assert kernel.whole_columns
            assert longest * (1 - 1e-9) <= kernel.radius <= min(np.sqrt(kernel._largest), 1.7 * longest) * (1 + 1e-9)


def test_few_nodes_far_out_are_found_by_their_exact_lengths(monkeypatch):
    monkeypatch.setattr(diffusion, "SMALL", 10)
    for seed in range(5):
        kernel = gm.ExponentialDiffusion(random_graph(np.random.default_rng(seed), 200), beta=2.0)
        assert kernel.radius == pytest.approx(np.sqrt(kernel._K.diagonal().max()), rel=1e-9)


def test_an_odd_power_has_a_radius_from_its_neighbours(monkeypatch):
    monkeypatch.setattr(diffusion, "SMALL", 10)
    B = np.random.default_rng(0).normal(size=(150, 4))
    kernel = gm.PowerDiffusion(B @ B.T, length=3)
    longest = np.sqrt(kernel._K.diagonal().max())
    assert longest * (1 - 1e-9) <= kernel.radius <= 1.7 * longest


def test_a_gram_of_a_large_graph_does_not_ask_for_the_radius(monkeypatch):
    monkeypatch.setattr(diffusion.Diffusion, "_squares_above", lambda self: pytest.fail("that takes long"))
    kernel = gm.ExponentialDiffusion(hubs(), beta=0.3)
    for derived in (kernel, kernel.on("node"), kernel.normalize()):
        assert derived.norms_checked or derived.radius == 1
    kernel.gram([0, 1, 2]).dense()
