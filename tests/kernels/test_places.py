"""Every kernel says the same in every place: NumPy, compiled passes, and plain Python, which is the oracle."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.formula import expression as ex
from gramian.formula.encoded import Encoded
from gramian.places import place_of
from gramian.places.cores import tiles
from gramian.places.cores.fused import fused

from . import toy
from .cases import CASES, loudness

CACHE = Path(__file__).parents[2] / ".pytest_cache" / "passes"  # so that what was compiled is compiled once
EPS = {np.dtype(t): float(np.finfo(t).eps) for t in (np.float32, np.float64)}
SOME = np.array([0, 3, 7, 8, 4, 10, 12, 20])  # equal objects and opposite ones among them


@pytest.fixture(autouse=True)
def _cache(monkeypatch):
    monkeypatch.setenv("GRAMIAN_CACHE", str(CACHE))


def encoded(case):
    kernel = case.kernel.fit(case.data)
    return kernel, kernel.encode(case.data)


def error_allowed(kernel, a, dtype):
    return (kernel.accuracy(dtype) + 64 * EPS[dtype]) * max(kernel.scale(a), 1e-300)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_numpy_and_plain_python_agree_on_every_kernel(case):
    kernel, a = encoded(case)
    some = a[SOME[len(a) > SOME]]
    out = np.empty((len(some), len(some)), kernel.value_type(a))
    place_of(a).prepare(kernel.formula).write(some, some, out)
    expected = toy.matrix(kernel.formula, some, some)
    assert np.abs(out - expected).max() <= error_allowed(kernel, a, out.dtype)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_the_values_of_objects_with_themselves_are_those_of_the_expression(case):
    kernel, a = encoded(case)
    some = a[SOME[len(a) > SOME]]
    norms = place_of(a).prepare(kernel.formula).norms(some)
    expected = np.diagonal(toy.matrix(kernel.formula, some, some))
    assert np.abs(norms - expected).max() <= error_allowed(kernel, a, kernel.value_type(a))


GAUSSIAN, LINEAR = gm.Gaussian(bandwidth=1.3), gm.Linear()
COMPILED = {
    "gaussian": GAUSSIAN,
    "matern-1/2": gm.Matern(bandwidth=0.8, nu=0.5),
    "matern-3/2": gm.Matern(bandwidth=0.8, nu=1.5),
    "matern-5/2": gm.Matern(bandwidth=0.8, nu=2.5),
    "laplacian": gm.Laplacian(bandwidth=2.5),
    "polynomial": gm.Polynomial(degree=5, offset=0.5),
    "sum times a third": (GAUSSIAN + gm.Gaussian(bandwidth=0.4)) * gm.Polynomial(degree=2, offset=1.0),
    "series of a sum": (0.3 * (LINEAR + 1)).polynomial([0.5, 0.0, 0.25, 1.0]).normalize(),
    "exponential, re-weighted": (0.1 * LINEAR).exp().reweight(loudness),
}


def points(n, d, dtype, far=0.0, seed=0):
    return (np.random.default_rng(seed).normal(size=(n, d)) + far).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", COMPILED)
def test_compiled_passes_and_plain_python_agree(name, dtype):
    kernel = COMPILED[name]
    for n, m, d in ((1, 1, 1), (5, 3, 2), (7, 9, 4), (6, 2, 11)):
        a, b = kernel.encode(points(n, d, dtype)), kernel.encode(points(m, d, dtype, seed=1))
        found = fused(kernel.formula, a, b, np.dtype(dtype))
        assert found is not None
        expected = toy.matrix(kernel.formula, a, b)
        # A rounding of the exponent t is one of |t| roundings of exp t; a sum of d products loses up to d.
        allowed = (64 + 8 * d) * EPS[np.dtype(dtype)] * max(kernel.scale(a), kernel.scale(b))
        wide = np.full((n + 2, m + 3), np.nan, dtype)
        found.fill(slice(0, n), slice(0, m), wide[1 : n + 1, 2 : m + 2])
        assert np.abs(wide[1 : n + 1, 2 : m + 2] - expected).max() <= allowed
        assert np.isnan(wide[0]).all()
        assert np.isnan(wide[:, :2]).all()
        assert np.isnan(wide[:, m + 2 :]).all()
        V = np.random.default_rng(2).normal(size=(max(n, m), 1)).astype(dtype)
        sums, mirrored = np.zeros(n), np.zeros(m)
        found.product(slice(0, n), slice(0, m), V, V, sums, mirrored)
        assert np.abs(sums - expected @ V[:m, 0]).max() <= allowed * np.abs(V).sum()
        assert np.abs(mirrored - expected.T @ V[:n, 0]).max() <= allowed * np.abs(V).sum()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (8, 8), (9, 17), (24, 523)])
def test_a_tile_and_its_transpose_are_written_and_nothing_beside_them(n, m, dtype):
    a, b = (GAUSSIAN.encode(points(k, 3, dtype, seed=k)) for k in (n, m))
    found = fused(GAUSSIAN.formula, a, b, np.dtype(dtype))
    assert found is not None
    wide, mirrored = np.full((n + 2, m + 3), -1, dtype), np.full((m + 1, n + 5), -1, dtype)
    found.fill(slice(0, n), slice(0, m), wide[1 : n + 1, 2 : m + 2], mirrored[:m, 3 : n + 3])
    tile = np.empty((n, m), dtype)
    found.fill(slice(0, n), slice(0, m), tile)
    assert np.array_equal(wide[1 : n + 1, 2 : m + 2], tile)
    assert np.array_equal(mirrored[:m, 3 : n + 3], tile.T)
    assert (wide == -1).sum() == wide.size - n * m
    assert (mirrored == -1).sum() == mirrored.size - n * m


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_points_of_fifty_coordinates_keep_their_digits(monkeypatch, dtype):
    monkeypatch.setattr("gramian.places.cores.entries.WORTH", 0)
    X, v = points(700, 50, dtype), np.random.default_rng(1).normal(size=700).astype(dtype)
    K = gm.Gaussian(bandwidth=7.0)(X.astype(np.float64))
    error = np.abs(gm.Gaussian(bandwidth=7.0).gram(X).apply(v[:, None])[:, 0] - K @ v.astype(np.float64))
    assert (error <= (1e-6 if dtype == np.float32 else 1e-13) * (K @ np.abs(v.astype(np.float64)))).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("symmetric", [True, False])
def test_products_of_many_tiles_and_runs_are_those_of_numpy(monkeypatch, dtype, columns, symmetric):
    X, Z = points(1300, 5, dtype), points(701, 5, dtype, seed=1)
    V = np.random.default_rng(3).normal(size=(1300 if symmetric else 701, columns))
    products = []
    for worth in (10**18, 0):
        monkeypatch.setattr("gramian.places.cores.entries.WORTH", worth)
        monkeypatch.setattr(tiles, "LARGEST_FUSED_SIDE", 600)
        K = GAUSSIAN.gram(X) if symmetric else GAUSSIAN.gram(X, Z)
        products.append(K.apply(V))
        again = GAUSSIAN.gram(X) if symmetric else GAUSSIAN.gram(X, Z)
        assert np.array_equal(products[-1], again.apply(V))  # to the last bit
    K = GAUSSIAN.gram(X.astype(np.float64), None if symmetric else Z.astype(np.float64)).dense()
    sizes = np.abs(K) @ np.abs(V)
    exact = K @ V.astype(dtype)
    assert (np.abs(products[1] - exact) <= (1e-6 if dtype == np.float32 else 1e-13) * sizes).all()
    assert (np.abs(products[0] - products[1]) <= (1e-5 if dtype == np.float32 else 1e-9) * sizes).all()


@pytest.mark.parametrize(
    "kernel", [GAUSSIAN, gm.Matern(bandwidth=0.8, nu=1.5).center(points(40, 3, np.float64))], ids=repr
)
def test_whole_matrices_are_symmetric_with_the_diagonal_of_the_kernel(monkeypatch, kernel):
    X = points(801, 3, np.float64)
    expected = kernel(X)
    monkeypatch.setattr("gramian.places.cores.entries.WORTH", 0)
    K = kernel.gram(X)
    dense = K.dense()
    assert np.array_equal(dense, dense.T)
    assert np.array_equal(np.diagonal(dense), K.diag())
    assert np.abs(dense - expected).max() <= 2 * kernel.accuracy(np.dtype(np.float64))
    with K.held() as held:
        assert held
        assert np.abs(K.apply(np.eye(801)[:, :2]) - dense[:, :2]).max() <= 1e-14


@pytest.mark.parametrize("far", [1e4, 1e8])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_keep_their_digits_far_from_the_origin(monkeypatch, far, dtype):
    monkeypatch.setattr("gramian.places.cores.entries.WORTH", 0)
    step = float(np.spacing(dtype(far)))  # what tells points apart that far away
    X = (far + step * np.random.default_rng(0).integers(0, 50, (300, 3))).astype(dtype)
    kernel = gm.Gaussian(bandwidth=20 * step)
    v = np.random.default_rng(1).normal(size=300).astype(dtype)
    exact = X.astype(np.float64)
    squares = ((exact[:, None] - exact[None]) ** 2).sum(axis=-1)
    K = np.exp(-squares / (2 * (20 * step) ** 2))
    error = np.abs(kernel.gram(X).apply(v[:, None])[:, 0] - K @ v)
    assert (error <= (1e-6 if dtype == np.float32 else 1e-13) * (K @ np.abs(v))).all()


def test_points_too_far_for_their_squares_are_left_to_numpy():
    X = np.array([[0.0, 1.0], [1e200, 0.0]])
    a = GAUSSIAN.encode(X)
    assert fused(GAUSSIAN.formula, a, a, np.dtype(np.float64)) is None
    assert np.array_equal(GAUSSIAN(X), np.eye(2))


def first(X):
    return X[:, :1]


def second(X):
    return X[:, 1:2]


def apart(sizes, dtype=np.float32, n=301):
    """Points whose columns are of different sizes."""
    return points(n, len(sizes), dtype) * np.array(sizes, dtype)


ONE, OTHER = gm.Linear().pullback(first), gm.Linear().pullback(second)
FAR_AWAY = (1000 + 5 * np.random.default_rng(8).normal(size=(1301, 1))).astype(np.float64)
HARD = {
    "bandwidths 20 orders apart": lambda: (GAUSSIAN + gm.Gaussian(1e-20)).gram(apart([1.0, 1.0])),
    "and points as near as the smaller": lambda: (GAUSSIAN + gm.Gaussian(1e-25)).gram(apart([1e-25, 1e-25])),
    "bandwidths 200 orders apart": lambda: (GAUSSIAN + gm.Gaussian(1e-200)).gram(apart([1.0, 1e-200], np.float64)),
    "a bandwidth near the largest number": lambda: gm.Gaussian(1.7e308).gram(apart([1e300], np.float64)),
    "a bandwidth without an inverse": lambda: gm.Gaussian(1e-310).gram(np.zeros((5, 2))),
    "one without an inverse in single precision": lambda: gm.Gaussian(1e-40).gram(apart([1e-40])),
    "one that is 0 in single precision": lambda: gm.Laplacian(1e-300).gram(np.zeros((5, 2), np.float32)),
    "vectors in two precisions": lambda: gm.Gaussian(1e-20).gram(apart([1e25]), apart([1e25]).astype(np.float64)),
    "exponentials near the largest number": lambda: (1e-20 * gm.Linear().exp()).gram(np.full((5, 1), 709.7**0.5)),
    "and in single precision": lambda: (1e-20 * gm.Linear().exp()).gram(np.full((5, 1), 88.6**0.5, np.float32)),
    "a product with large factors": lambda: (1e20 * (ONE * OTHER)).gram(apart([1e10, 1e-15])),
    "a product with small factors": lambda: (1e-15 * (ONE * OTHER)).gram(apart([1e-15, 1e10])),
    "a sum of products with large factors": lambda: (1e20 * (ONE * OTHER + ONE * OTHER)).gram(apart([1e10, 1e-15])),
    "large values, made small by object": lambda: gm.Linear().reweight(small).gram(apart([1e18, 1e18])),
    "a centre far from points that are not there": lambda: (
        (0.1 * (gm.Linear() * gm.Gaussian(1e6)).center(FAR_AWAY[:50])).exp().gram(FAR_AWAY)
    ),
}


def small(X):
    return np.linspace(1e-25, 2e-25, len(X))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", HARD)
def test_where_numbers_are_near_the_end_of_their_range_products_are_those_of_numpy(monkeypatch, case):
    found = []
    for worth in (10**18, 0):
        monkeypatch.setattr("gramian.places.cores.entries.WORTH", worth)
        K = HARD[case]()
        v = np.random.default_rng(5).normal(size=(K.shape[1], 1))
        found.append((K.dense().astype(np.float64), K.apply(v)))
    (dense, product), (compiled, other) = found
    assert np.isfinite(dense).all()
    assert np.abs(compiled - dense).max() <= 1e-5 * np.abs(dense).max()
    assert (np.abs(other - product) <= 1e-5 * (np.abs(dense) @ np.abs(v))).all()


@pytest.mark.parametrize(
    "kernel",
    [gm.Matern(nu=0.7), gm.AllSubsets(), gm.Polynomial(degree=100), gm.Linear().polynomial([1.0] * 40)],
    ids=repr,
)
def test_what_has_no_compiled_form_is_left_to_numpy(kernel):
    a = kernel.encode(points(4, 2, np.float64))
    assert fused(kernel.formula, a, a, np.dtype(np.float64)) is None


def test_kernels_of_one_form_share_a_source_whatever_their_parameters():
    a = gm.Linear().encode(points(4, 2, np.float64))
    texts = {
        fused(gm.Matern(bandwidth=s, nu=1.5).formula, a, a, np.dtype(np.float64)).source.text for s in (0.1, 1.0, 7.0)
    }
    assert len(texts) == 1


def test_kernels_of_a_sum_that_see_the_same_points_compare_them_once():
    k = GAUSSIAN + gm.Gaussian(bandwidth=5.0) * gm.Laplacian(bandwidth=1.0)
    a = k.encode(points(4, 2, np.float64))
    found = fused(k.formula, a, a, np.dtype(np.float64))
    assert [p.how for p in found.source.points] == ["squares_of", "lengths_of"]


LEAVES = st.sampled_from(
    [ex.Dot(), ex.SquaredDistance(bandwidth=1.5), ex.CityBlock(bandwidth=0.7), ex.OfRow(part=(1,))]
)
FORMULAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda f, g: f + g, inner, inner),
        st.builds(lambda f, g: f * g, inner, inner),
        st.builds(lambda f, c: f * c + 0.5, inner, st.floats(-2, 2)),
        st.builds(lambda f: f.at_most(2.0).at_least(-3.0).exp(), inner),
        st.builds(lambda f, q: f.at_most(2.0).at_least(-2.0) ** q, inner, st.integers(1, 5)),
        st.builds(lambda f: f.at_least(0.25).sqrt(), inner),
    ),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None)
@given(FORMULAS)
def test_numpy_evaluates_any_expression_as_plain_python_does(formula):
    formula = formula + ex.Dot() * 0.1  # of pairs, whatever was drawn
    rng = np.random.default_rng(4)
    a, b = (Encoded((rng.normal(size=(n, 3)), rng.normal(size=n))) for n in (5, 4))
    out = np.empty((5, 4))
    place_of(a).prepare(formula).write(a, b, out)
    expected = toy.matrix(formula, a, b)
    assert np.allclose(out, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())


@settings(max_examples=4, deadline=None)  # each is compiled, which takes seconds
@given(FORMULAS)
def test_any_expression_compiles_to_the_same(formula):
    formula = formula + ex.Dot() * 0.1
    rng = np.random.default_rng(4)
    a, b = (Encoded((rng.normal(size=(n, 3)), rng.normal(size=n))) for n in (5, 4))
    found = fused(formula, a, b, np.dtype(np.float64))
    out = np.empty((5, 4))
    found.fill(slice(0, 5), slice(0, 4), out)
    expected = toy.matrix(formula, a, b)
    assert np.allclose(out, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
