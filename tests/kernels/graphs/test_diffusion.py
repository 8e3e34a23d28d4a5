"""Diffusion kernels are what seed 003, section 5.4.2, defines, and are refused exactly where they are no kernels."""

import math
import re
from itertools import product

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import gramian as gm

SIMILARITIES = ("adjacency", "laplacian", "normalized")
SEED = np.array([[0, 0, 1, 1, 0], [0, 0, 1, 0, 1], [1, 1, 0, 1, 0], [1, 0, 1, 0, 1], [0, 1, 0, 1, 0]], dtype=float)
every_similarity = pytest.mark.parametrize("of", SIMILARITIES)


def exponential(A, beta, of="adjacency"):
    return gm.ExponentialDiffusion(A, beta=beta, of=of)


def von_neumann(A, beta, of="adjacency"):
    return gm.VonNeumannDiffusion(A, beta=beta, of=of)


def power(A, length, of="adjacency"):
    return gm.PowerDiffusion(A, length=length, of=of)


def matrix(kernel):
    return kernel(kernel.graph.names())


def similarity(A, of):
    """S from its definition, entry by entry."""
    n, degrees = len(A), A.sum(axis=1)
    S = np.zeros((n, n))
    for i, j in product(range(n), repeat=2):
        if of == "adjacency":
            S[i, j] = A[i, j]
        elif of == "laplacian":
            S[i, j] = A[i, j] - (degrees[i] if i == j else 0)
        elif A[i, j]:
            S[i, j] = A[i, j] / math.sqrt(degrees[i] * degrees[j])
    return S


def series(S, coefficient, terms):
    """Σ_l c_l S^l, term by term."""
    total, term = np.zeros_like(S), np.eye(len(S))
    for length in range(terms):
        total += coefficient(length) * term
        term = term @ S
    return total


@st.composite
def graphs(draw, least=1, negative=False):
    """Symmetric weights with loops, many of them 0: nodes without edges and several components are common."""
    n = draw(st.integers(least, 7))
    weights = st.floats(0.05, 3) | (st.floats(-3, -0.05) if negative else st.just(1.0))
    upper = np.triu(draw(npst.arrays(np.float64, (n, n), elements=st.just(0.0) | weights)))
    return upper + np.triu(upper, 1).T


signed_graphs = graphs(negative=True)


def graphs_for(of):
    return graphs(negative=of != "normalized")


similar = st.sampled_from(SIMILARITIES).flatmap(lambda of: st.tuples(graphs_for(of), st.just(of)))


# Seed 003, Example 5.15


def test_eigenvalues_of_the_seeds_graph_are_those_printed():
    values = gm.Graph(SEED).similarity("laplacian").eigen[0][::-1]
    np.testing.assert_array_equal(values.round(2) + 0.0, [0, -1.38, -2.38, -3.62, -4.62])


def test_exponential_kernel_of_the_seed_is_the_printed_one():
    K = matrix(exponential(SEED, 0.2, "laplacian"))
    printed = [
        [0.70, 0.01, 0.14, 0.14, 0.01],
        [0.01, 0.70, 0.13, 0.03, 0.14],
        [0.14, 0.13, 0.59, 0.13, 0.03],
        [0.14, 0.03, 0.13, 0.59, 0.13],
        [0.01, 0.14, 0.03, 0.13, 0.70],
    ]
    np.testing.assert_array_equal(K.round(2), printed)


def test_von_neumann_kernel_of_the_seed_is_the_printed_one():
    kernel = von_neumann(SEED, 0.2, "laplacian")
    printed = [
        [0.75, 0.02, 0.11, 0.11, 0.02],
        [0.02, 0.74, 0.10, 0.03, 0.11],
        [0.11, 0.10, 0.66, 0.10, 0.03],
        [0.11, 0.03, 0.10, 0.66, 0.10],
        [0.02, 0.11, 0.03, 0.10, 0.74],
    ]
    np.testing.assert_array_equal(matrix(kernel).round(2), printed)
    np.testing.assert_array_equal(np.linalg.eigvalsh(matrix(kernel))[::-1].round(2), [1, 0.78, 0.68, 0.58, 0.52])


# The definitions


@settings(max_examples=60, deadline=None)
@given(similar, st.integers(1, 4))
def test_power_kernel_is_the_product_of_so_many_similarities(graph, half):
    A, of = graph
    S = similarity(A, of)
    expected = np.eye(len(A))
    for _ in range(2 * half):
        expected = expected @ S
    np.testing.assert_allclose(
        matrix(power(A, 2 * half, of)), expected, rtol=0, atol=1e-12 * max(1, abs(expected).max())
    )


@settings(max_examples=80, deadline=None)
@given(similar, st.floats(-1.5, 1.5))
def test_exponential_kernel_is_its_series_and_the_matrix_exponential(graph, beta):
    A, of = graph
    S = similarity(A, of)
    K = matrix(exponential(A, beta, of))
    expected = scipy.linalg.expm(beta * S)
    np.testing.assert_allclose(K, expected, rtol=0, atol=1e-11 * abs(expected).max())
    reach = abs(beta) * np.linalg.norm(S, 2)
    if reach <= 8:  # a longer series of terms of both signs cancels
        terms = series(beta * S, lambda length: 1 / math.factorial(length), 60)
        np.testing.assert_allclose(K, terms, rtol=0, atol=1e-12 * math.exp(reach))


def inverse_error(M):
    """What an entry of the inverse of a symmetric matrix is good to: n ε times its condition and its size."""
    values = np.abs(np.linalg.eigvalsh(M))
    return 16 * len(M) * np.finfo(float).eps * values.max() / values.min() ** 2


@settings(max_examples=80, deadline=None)
@given(similar, st.floats(-0.95, 0.95))
def test_von_neumann_kernel_is_its_series_and_the_inverse(graph, share):
    A, of = graph
    S = similarity(A, of)
    radius = np.linalg.norm(S, 2)
    beta = share / max(radius, 1.0)
    K = matrix(von_neumann(A, beta, of))
    M = np.eye(len(S)) - beta * S
    np.testing.assert_allclose(K, np.linalg.inv(M), rtol=0, atol=inverse_error(M))
    terms = series(beta * S, lambda _: 1.0, 800)
    np.testing.assert_allclose(K, terms, rtol=0, atol=1e-11 * abs(K).max())


@settings(max_examples=60, deadline=None)
@given(graphs(), st.sampled_from([0.0, 1e-3, 1.0, 30.0, 1e4]))
def test_every_beta_from_zero_on_makes_a_von_neumann_kernel_of_the_laplacian(A, beta):
    """Exercise Q4: no eigenvalue of A − Δ is positive, so that β < 1/λ for all λ is no condition (ERRATA 20)."""
    K = matrix(von_neumann(A, beta, "laplacian"))
    M = np.eye(len(A)) - beta * similarity(A, "laplacian")
    np.testing.assert_allclose(K, np.linalg.inv(M), rtol=0, atol=inverse_error(M))
    assert np.linalg.eigvalsh(K).min() >= -inverse_error(M)
    np.testing.assert_allclose(K.sum(axis=1), 1, rtol=0, atol=len(A) * inverse_error(M))


def test_odd_powers_of_a_similarity_that_is_no_graph_are_taken_as_they_are():
    F = np.random.default_rng(0).normal(size=(6, 3))
    S = F @ F.T
    for length in (1, 3, 5):
        np.testing.assert_allclose(matrix(power(S, length)), np.linalg.matrix_power(S, length), rtol=1e-12)


def paths(A, length, start, end):
    """The number of paths, by walking them all."""
    if length == 0:
        return int(start == end)
    return sum(int(A[start, k]) * paths(A, length - 1, k, end) for k in range(len(A)))


@settings(max_examples=40, deadline=None)
@given(
    npst.arrays(np.int64, st.integers(1, 5).map(lambda n: (n, n)), elements=st.integers(0, 1)), st.sampled_from([2, 4])
)
def test_power_kernel_counts_paths(B, length):
    A = np.triu(B) + np.triu(B, 1).T
    counted = [[paths(A, length, i, j) for j in range(len(A))] for i in range(len(A))]
    np.testing.assert_array_equal(matrix(power(A, length)), counted)


def test_numbers_of_paths_are_whole_up_to_the_last_that_a_double_holds():
    K = matrix(power(SEED, 30))
    exact = np.linalg.matrix_power(SEED.astype(int).astype(object), 30)
    assert 10**10 < exact.max() < 2**53
    np.testing.assert_array_equal(K, exact.astype(float))


# What is refused, and what is not


def test_odd_power_is_refused_where_an_eigenvalue_is_negative():
    message = (
        r"length is 3, an odd number, and S has the eigenvalue -2: .*take an even length, or an S without negative"
    )
    with pytest.raises(ValueError, match=message):
        power(SEED, 3)
    with pytest.raises(ValueError, match="S has the eigenvalue -4.61803"):
        power(SEED, 1, "laplacian")
    with pytest.raises(ValueError, match="an odd number"):
        power(SEED, 5, "normalized")


@settings(max_examples=60, deadline=None)
@given(similar, st.sampled_from([1, 3]))
def test_odd_power_is_refused_exactly_where_similarity_is_not_positive_semidefinite(graph, length):
    A, of = graph
    values = np.linalg.eigvalsh(similarity(A, of))
    if values[0] < -1e-8:
        with pytest.raises(ValueError, match="an odd number"):
            power(A, length, of)
    elif values[0] >= -1e-14:
        assert np.linalg.eigvalsh(matrix(power(A, length, of))).min() >= -1e-10 * max(1, values[-1] ** length)


def test_odd_power_of_a_matrix_without_negative_eigenvalues_is_accepted_though_its_discs_reach_below_zero():
    A = np.ones((4, 4))  # of rank one
    assert gm.Graph(A).similarity("adjacency").bounds[0] < 0
    np.testing.assert_array_equal(matrix(power(A, 3)), np.full((4, 4), 16.0))
    np.testing.assert_array_equal(matrix(power(np.zeros((2, 2)), 3)), np.zeros((2, 2)))
    np.testing.assert_array_equal(matrix(power([[2.0]], 3)), [[8.0]])


@settings(max_examples=100, deadline=None)
@given(similar, st.floats(1e-9, 3) | st.just(1.0 + 1e-9), st.booleans())
def test_von_neumann_kernel_is_refused_exactly_outside_its_range(graph, share, above):
    A, of = graph
    values = np.linalg.eigvalsh(similarity(A, of))
    end = values[-1] if above else values[0]
    if abs(end) < 1e-3 or (end > 0) != above:
        return  # no limit on this side
    beta = share / end
    others = values[0] if above else values[-1]
    if 1 - beta * others <= 1e-9:
        return
    if share < 1 - 1e-6:
        K = matrix(von_neumann(A, beta, of))
        assert np.linalg.eigvalsh(K).min() > 0
        expected = np.linalg.inv(np.eye(len(A)) - beta * similarity(A, of))
        np.testing.assert_allclose(K, expected, rtol=0, atol=1e-12 * abs(expected).max() / (1 - share))
    elif share > 1 + 1e-12:
        with pytest.raises(ValueError, match=re.escape(f"beta is {beta}; between ")):
            von_neumann(A, beta, of)


def test_range_of_the_von_neumann_kernel_is_in_the_message():
    message = r"between -0.5 and 0.403032 expected, because the eigenvalues of S lie between -2 and 2.48119"
    with pytest.raises(ValueError, match=message):
        von_neumann(SEED, 0.5)
    with pytest.raises(ValueError, match="beta is -0.6; between -0.5 and 0.403032 expected"):
        von_neumann(SEED, -0.6)
    with pytest.raises(ValueError, match="beta is 1; between -1.2.* and 1 expected"):
        von_neumann(SEED, 1, "normalized")
    with pytest.raises(
        ValueError, match=r"beta is -3.0; between -inf and inf expected|beta is -3.0; between -0.5 and "
    ):
        von_neumann(np.diag([0.0, -2.0]), -3.0)
    with pytest.raises(ValueError, match=r"beta is 3.0; between -inf and 0.5 expected"):
        von_neumann(np.diag([0.0, 2.0]), 3.0)


@pytest.mark.parametrize("share", [0.9, 1 - 1e-6, 1 - 1e-9])
def test_beta_just_inside_its_range_is_accepted(share):
    """Both ends of (1/λ_min, 1/λ_max), the negative one too (Q4)."""
    values, U = np.linalg.eigh(SEED)
    for end in (values[0], values[-1]):
        beta = share / end
        K = matrix(von_neumann(SEED, beta))
        expected = (U / (1 - beta * values)) @ U.T
        np.testing.assert_allclose(K, expected, rtol=1e-14 / (1 - share) + 1e-12)
        for outside in (1.0, 1 + 1e-9, 2.0):
            with pytest.raises(ValueError, match="between -0.5 and 0.403032 expected"):
                von_neumann(SEED, outside / end)


def test_beta_beyond_the_spectral_radius_is_accepted_where_only_the_other_end_is_near():
    """|β| < 1/ρ(S) is sufficient and not needed: a triangle has the eigenvalues −1, −1 and 2 (Q4)."""
    triangle = np.ones((3, 3)) - np.eye(3)
    np.testing.assert_allclose(
        matrix(von_neumann(triangle, -0.9)), np.linalg.inv(np.eye(3) + 0.9 * triangle), rtol=1e-12
    )
    with pytest.raises(ValueError, match="between -1 and 0.5 expected"):
        von_neumann(triangle, 0.9)
    with pytest.raises(ValueError, match="between -1 and 0.5 expected"):
        von_neumann(triangle, -1.0)


def test_range_on_the_laplacian_has_no_upper_end():
    path = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]])
    with pytest.raises(ValueError, match="beta is -1; between -0.211325 and inf expected"):
        von_neumann(path, -1, "laplacian")


def test_the_largest_betas_on_the_laplacian_average_over_a_component():
    path = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]])
    for beta in (1e12, 1e16, 1e30, 1e300):
        np.testing.assert_allclose(matrix(von_neumann(path, beta, "laplacian")), np.full((3, 3), 1 / 3), rtol=1e-3)


def test_beta_at_the_end_of_the_range_is_refused_though_rounding_puts_it_inside():
    with pytest.raises(ValueError, match="beta is 1.0; between"):
        von_neumann(np.ones((7, 7)), 1.0, "normalized")


@pytest.mark.parametrize("beta", [-0.2, -0.01])
def test_negative_beta_inside_the_range_is_accepted_on_the_laplacian(beta):
    S = similarity(SEED, "laplacian")
    K = matrix(von_neumann(SEED, beta, "laplacian"))
    M = np.eye(5) - beta * S
    np.testing.assert_allclose(K, np.linalg.inv(M), rtol=0, atol=inverse_error(M))
    with pytest.raises(ValueError, match="beta is -0.22; between -0.216542 and "):
        von_neumann(SEED, -0.22, "laplacian")


def test_heat_put_backwards_is_a_kernel_too():
    K = matrix(exponential(SEED, -2.0, "laplacian"))
    np.testing.assert_allclose(K, scipy.linalg.expm(-2.0 * similarity(SEED, "laplacian")), rtol=1e-12)
    assert np.linalg.eigvalsh(K).min() > 0


@pytest.mark.parametrize(
    "make",
    [
        lambda: exponential(SEED, 300.0),
        lambda: exponential(SEED, -400.0),
        lambda: exponential(SEED, -200.0, "laplacian"),
        lambda: exponential(SEED, 710.0, "normalized"),
        lambda: power(SEED, 1000),
        lambda: power(SEED, 10**9 + 1000, "laplacian"),
    ],
)
def test_overflow_is_refused(make):
    with pytest.raises(
        ValueError, match=r"overflows: the eigenvalues of S lie between -?[\d.]+ and [\d.]+; take a smaller"
    ):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: exponential(SEED, 250.0),
        lambda: exponential(SEED, 1e6, "laplacian"),
        lambda: exponential(SEED, 690.0, "normalized"),
        lambda: power(SEED, 700),
        lambda: power(SEED, 10**6, "normalized"),
    ],
)
def test_what_does_not_overflow_is_accepted_and_finite(make):
    assert np.isfinite(matrix(make())).all()


@pytest.mark.parametrize("make", [exponential, von_neumann])
@pytest.mark.parametrize(
    ("beta", "error", "message"),
    [
        (np.nan, ValueError, "beta is nan; a finite number expected"),
        (np.inf, ValueError, "beta is inf; a finite number expected"),
        ("0.5", TypeError, r"beta is '0.5' \(str\); a real number expected"),
        (None, TypeError, r"beta is None \(NoneType\); a real number expected"),
        (True, TypeError, r"beta is True \(bool\); a real number expected"),
        (0.1j, TypeError, r"beta is 0.1j \(complex\); a real number expected"),
        ([0.1], TypeError, r"beta is \[0.1\] \(list\); a real number expected"),
    ],
    ids=repr,
)
def test_beta_that_is_not_a_finite_number_is_refused(make, beta, error, message):
    with pytest.raises(error, match=message):
        make(SEED, beta)


@pytest.mark.parametrize(
    ("length", "error", "message"),
    [
        (0, ValueError, "length is 0; an integer of at least 1 expected"),
        (-2, ValueError, "length is -2; an integer of at least 1 expected"),
        (2.5, TypeError, r"length is 2.5 \(float\); an integer expected"),
        (10**40, ValueError, "length is 10+; an integer of at most 2,147,483,647 expected"),
        (2.0, TypeError, r"length is 2.0 \(float\); an integer expected"),
        (True, TypeError, r"length is True \(bool\); an integer expected"),
        ("2", TypeError, r"length is '2' \(str\); an integer expected"),
        (None, TypeError, r"length is None \(NoneType\); an integer expected"),
        (np.nan, TypeError, r"length is nan \(float\); an integer expected"),
    ],
    ids=repr,
)
def test_length_that_is_not_a_positive_integer_is_refused(length, error, message):
    with pytest.raises(error, match=message):
        power(SEED, length)


@pytest.mark.parametrize("of", ["Laplacian", "", None, 1, ["adjacency"]], ids=repr)
def test_unknown_similarity_is_refused(of):
    for make in (lambda: power(SEED, 2, of), lambda: exponential(SEED, 0.1, of), lambda: von_neumann(SEED, 0.1, of)):
        with pytest.raises(ValueError, match=r"of is .*; one of 'adjacency', 'laplacian', 'normalized' expected"):
            make()


def test_negative_weights_are_refused_where_degrees_are_divided_by():
    A = SEED.copy()
    A[0, 2] = A[2, 0] = -0.25
    for make in (lambda of: power(A, 2, of), lambda of: exponential(A, 0.1, of), lambda of: von_neumann(A, 0.1, of)):
        with pytest.raises(
            ValueError, match="of is 'normalized', and an edge has the weight -0.25; weights ≥ 0 needed"
        ):
            make("normalized")
        make("adjacency")
        make("laplacian")


def test_beta_and_length_are_named_and_the_similarity_is_given_by_name_only():
    with pytest.raises(TypeError, match="beta"):
        gm.ExponentialDiffusion(SEED)
    with pytest.raises(TypeError):
        gm.ExponentialDiffusion(SEED, 0.2, "laplacian")
    assert gm.ExponentialDiffusion(SEED, 0.2) == exponential(SEED, 0.2)
    assert gm.PowerDiffusion(SEED) == power(SEED, 2)


@pytest.mark.parametrize("number", [np.float32, np.float64, int, np.int64])
def test_numbers_of_every_kind_are_betas(number):
    for make in (exponential, von_neumann):
        np.testing.assert_allclose(matrix(make(SEED, number(0))), np.eye(5), atol=1e-14)
    np.testing.assert_array_equal(matrix(exponential(SEED, number(1))), matrix(exponential(SEED, 1.0)))
    np.testing.assert_array_equal(matrix(power(SEED, np.int32(2))), matrix(power(SEED, 2)))


# What diffusion does


@settings(max_examples=60, deadline=None)
@given(graphs(), st.floats(0, 20))
def test_heat_is_neither_made_nor_lost(A, beta):
    K = matrix(exponential(A, beta, "laplacian"))
    np.testing.assert_allclose(K.sum(axis=1), 1, rtol=0, atol=1e-11)
    assert K.min() >= -1e-13


def test_heat_comes_to_rest_evenly_over_each_component():
    A = scipy.linalg.block_diag(SEED, np.ones((2, 2)), 0)
    K = matrix(exponential(A, 100.0, "laplacian"))
    np.testing.assert_allclose(
        K, scipy.linalg.block_diag(np.full((5, 5), 1 / 5), np.full((2, 2), 1 / 2), 1), atol=1e-12
    )


KINDS = {
    "power": lambda A, of: power(A, 4, of),
    "exponential": lambda A, of: exponential(A, 0.4, of),
    "von Neumann": lambda A, of: von_neumann(A, 0.9 / max(1.0, np.linalg.eigvalsh(similarity(A, of))[-1]), of),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
@settings(max_examples=30, deadline=None)
@given(graph=similar, data=st.data())
def test_components_do_not_know_of_each_other(kind, graph, data):
    A, of = graph
    B = data.draw(graphs_for(of))
    both = KINDS[kind](scipy.linalg.block_diag(A, B), of)
    alone = [matrix(both.with_params(graph=gm.Graph(part))) for part in (A, B)]
    np.testing.assert_allclose(
        matrix(both), scipy.linalg.block_diag(*alone), rtol=0, atol=1e-11 * abs(matrix(both)).max()
    )


@every_kind
@every_similarity
def test_node_without_edges_has_the_function_at_zero_and_nothing_else(kind, of):
    A = scipy.linalg.block_diag(SEED, 0)
    K = matrix(KINDS[kind](A, of))
    assert K[5, 5] == pytest.approx(0 if kind == "power" else 1, abs=1e-14)
    np.testing.assert_allclose(K[5, :5], 0, atol=1e-14)


@every_kind
@settings(max_examples=30, deadline=None)
@given(graph=similar, data=st.data())
def test_order_of_the_nodes_is_irrelevant(kind, graph, data):
    A, of = graph
    order = np.array(data.draw(st.permutations(range(len(A)))), dtype=int)
    kernel = KINDS[kind](A, of)
    K = matrix(kernel)
    permuted = kernel.with_params(graph=gm.Graph(A[np.ix_(order, order)]))
    np.testing.assert_allclose(matrix(permuted), K[np.ix_(order, order)], rtol=0, atol=1e-11 * abs(K).max())
    np.testing.assert_array_equal(kernel(order, order[:1]), K[np.ix_(order, order[:1])])
    named = kernel.with_params(graph=gm.Graph(A[np.ix_(order, order)], nodes=[f"n{i}" for i in order]))
    found = named([f"n{i}" for i in range(len(A))])
    np.testing.assert_allclose(found, K, rtol=0, atol=1e-11 * abs(K).max())


@every_kind
@every_similarity
def test_names_do_not_matter(kind, of):
    names = ["a", ("b", 1), 3, None, b"x"]
    plain = KINDS[kind](SEED, of)
    named = plain.with_params(graph=gm.Graph(SEED, nodes=names))
    np.testing.assert_array_equal(matrix(named), matrix(plain))
    np.testing.assert_array_equal(named([None, "a", None], [3]), plain([3, 0, 3], [2]))


@every_kind
@settings(max_examples=40, deadline=None)
@given(graph=similar)
def test_matrix_is_exactly_symmetric_and_without_negative_eigenvalues(kind, graph):
    K = matrix(KINDS[kind](*graph))
    np.testing.assert_array_equal(K, K.T)
    assert np.linalg.eigvalsh(K).min() >= -1e-12 * max(1, abs(K).max())


@settings(max_examples=150, deadline=None)
@given(similar, st.floats(-0.99, 0.99), st.sampled_from(["power", "exponential", "von Neumann"]))
def test_radius_and_sign_that_a_kernel_claims_are_true(graph, share, kind):
    A, of = graph
    values = np.linalg.eigvalsh(similarity(A, of))
    if kind == "von Neumann":
        end = values[-1] if share > 0 else -values[0]
        kernel = von_neumann(A, share / end if end > 0.01 else 5 * share, of)
    else:
        kernel = exponential(A, 3 * share, of) if kind == "exponential" else power(A, 2 + 2 * (share > 0), of)
    K = matrix(kernel)
    assert kernel.diag(kernel.graph.names()).max() <= kernel.radius**2 * (1 + 1e-9) + 1e-12
    if kernel.non_negative:
        assert K.min() >= -1e-11 * K.max()


@every_similarity
def test_kernels_of_weights_from_zero_on_know_that_they_are_not_negative(of):
    assert power(SEED, 2, of).non_negative == (of != "laplacian")
    assert exponential(SEED, 0.3, of).non_negative
    assert von_neumann(SEED, 0.3, of).non_negative
    assert not exponential(SEED, -0.3, of).non_negative
    assert not von_neumann(SEED, -0.1, of).non_negative
    if of != "normalized":
        assert not any(kernel.non_negative for kernel in (power(-SEED, 2, of), exponential(-SEED, 0.3, of)))


@pytest.mark.parametrize("n", [300, 520])
@every_similarity
def test_decomposition_and_polynomial_of_a_middling_graph_agree(n, of):
    """Sparse graphs of more than 500 nodes are not decomposed; the values must not show it."""
    rng = np.random.default_rng(n)
    i, j = np.arange(n), rng.integers(n, size=n)
    A = np.zeros((n, n))
    A[i, j] = 1 + rng.random(n)
    A = A + A.T
    graph = gm.Graph(A)
    S = similarity_of_many(A, of)
    assert graph.similarity(of).decomposed == (n <= 500)
    values, U = np.linalg.eigh(S)
    checks = {
        power(graph, 4, of): values**4,
        exponential(graph, 0.7, of): np.exp(0.7 * values),
        von_neumann(graph, 0.9 / max(values[-1], 1), of): 1 / (1 - 0.9 / max(values[-1], 1) * values),
    }
    for kernel, f in checks.items():
        expected = (U * f) @ U.T
        np.testing.assert_allclose(matrix(kernel), expected, rtol=0, atol=1e-12 * f.max())


def similarity_of_many(A, of):
    degrees = A.sum(axis=1)
    roots = np.sqrt(degrees)
    return {"adjacency": A, "laplacian": A - np.diag(degrees), "normalized": A / np.outer(roots, roots)}[of]


@pytest.mark.parametrize("of", ["adjacency", "laplacian", "normalized"])
def test_the_radius_is_the_length_of_the_longest_node(of):
    rng = np.random.default_rng(0)
    for _ in range(10):
        n = int(rng.integers(2, 30))
        A = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.3), 1)
        A[0, 1] = 1.0
        for kernel in (
            gm.PowerDiffusion(A + A.T, length=2, of=of),
            gm.ExponentialDiffusion(A + A.T, beta=0.7, of=of),
            gm.VonNeumannDiffusion(A + A.T, beta=0.05, of=of),
        ):
            assert kernel.radius == pytest.approx(np.sqrt(kernel.diag(range(n)).max()), rel=1e-12)
            assert (4 * kernel).radius == pytest.approx(2 * kernel.radius, rel=1e-12)


def test_the_radius_of_football_is_that_of_its_teams():
    graph = gm.load_football().graph
    assert gm.ExponentialDiffusion(graph, beta=0.5).radius == pytest.approx(3.172, abs=5e-4)


@pytest.mark.parametrize("weight", [1.0, 1e5, 1e100])
def test_steps_without_end_along_a_laplacian_lead_to_the_components(weight):
    K = gm.VonNeumannDiffusion(weight * np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0.0]]), beta=1.7e308, of="laplacian")
    np.testing.assert_allclose(K([0, 1, 2]), [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]], atol=1e-12)
