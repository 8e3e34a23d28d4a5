"""The memory budget: understood, kept, and refused where it is too small."""

import tracemalloc

import numpy as np
import pytest

import gramian as gm
from gramian.checks import as_bytes
from gramian.places.cores import tiles

N = 6000
SQUARE = N * N * 8


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).standard_normal((N, 4))


def peak(operation):
    """The most memory, in bytes, that NumPy and Python held at one time during an operation, beyond what was held."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        operation()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def test_the_measurement_sees_a_dense_matrix(X):
    assert peak(lambda: gm.Gaussian().gram(X[:1000]).dense()) >= 1000 * 1000 * 8


KERNELS = [gm.Gaussian(), gm.Gaussian() + gm.Laplacian(), gm.Matern(nu=2.5), gm.Gaussian().normalize()]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_a_product_keeps_within_its_budget(X, kernel):
    budget = 8 * 10**6
    K = kernel.gram(X, memory=budget)
    v = np.ones(N)
    vectors = 20 * N * 8  # the answer, a sum for each lane and their total
    assert peak(lambda: K @ v) <= budget + vectors < SQUARE / 20


@pytest.mark.parametrize("operation", ["row_means", "mean", "diag", "product", "few columns"])
def test_no_temporary_of_size_n_by_n_is_taken(X, operation):
    K = gm.Gaussian().gram(X, memory="4 MB")
    run = {
        "row_means": K.row_means,
        "mean": K.mean,
        "diag": K.diag,
        "product": lambda: K @ X,
        "few columns": lambda: K.columns([0, 5]),
    }[operation]
    assert peak(run) <= SQUARE / 40


def test_a_rectangular_product_keeps_within_its_budget(X):
    budget = 4 * 10**6
    K = gm.Gaussian().gram(X[:3000], X, memory=budget)
    assert peak(lambda: K @ np.ones(N)) <= budget + 20 * N * 8


def test_the_explicit_map_is_taken_a_piece_at_a_time(X):
    K = gm.Polynomial(degree=4).gram(X, memory="1 MB")  # 70 features: Φ whole would take 3.4 MB
    assert peak(lambda: K @ np.ones(N)) <= 2 * 10**6


@pytest.mark.parametrize("kernel", [gm.Gaussian(), gm.Polynomial(degree=4)], ids=repr)
def test_centering_keeps_within_its_budget(monkeypatch, kernel):
    monkeypatch.setattr(tiles, "cores", lambda: 2)
    points = np.random.default_rng(0).standard_normal((N, 9))  # Φ of the polynomial whole would take 34 MB
    K = kernel.gram(points, memory="1 MB")
    vectors = 20 * N * 8
    assert peak(K.center) <= 10**6 + vectors
    assert peak(lambda: K.center().row_means()) <= 10**6 + vectors


def test_a_wide_factor_is_taken_a_few_columns_at_a_time(monkeypatch):
    n, memory = 1000, 10**5
    X, V = np.random.default_rng(1).standard_normal((n, 2)), np.random.default_rng(2).standard_normal((n, 40))
    monkeypatch.setattr(tiles, "cores", lambda: 2)
    widths = []
    multiply = tiles.multiply
    monkeypatch.setattr(
        tiles,
        "multiply",
        lambda block, tiling, W, *rest: (widths.append(W.shape[1]), multiply(block, tiling, W, *rest))[1],
    )
    product = gm.Gaussian().gram(X, memory=memory) @ V
    assert sum(widths) == 40
    assert max(widths) > 1
    assert max(widths) * 2 * n * 8 <= memory
    np.testing.assert_allclose(product, gm.Gaussian().gram(X).dense() @ V, atol=1e-11)


def test_a_larger_budget_gives_larger_tiles():
    sizes = [tiles.cut((5000, 5000), np.dtype(float), 1, memory, True).rows for memory in (10**5, 10**6, 10**7)]
    assert sizes == sorted(set(sizes))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("256 MB", 256 * 10**6),
        ("256MiB", 256 * 2**20),
        (" 1 gib ", 2**30),
        ("1.5 kB", 1500),
        ("2KiB", 2048),
        ("100", 100),
        ("64 B", 64),
        ("2 TB", 2 * 10**12),
        (5e6, 5 * 10**6),
        (np.int64(7), 7),
    ],
)
def test_a_budget_is_understood(text, size):
    assert as_bytes(text) == size


@pytest.mark.parametrize("bad", ["", "MB", "1 XB", "1.2.3 MB", ".", "-5 MB", "1e6", "five", "0 MB", 0, -1, np.inf])
def test_a_budget_that_makes_no_sense_is_refused(bad):
    with pytest.raises(ValueError, match="memory is"):
        gm.Gaussian().gram([[0.0], [1.0]], memory=bad)


@pytest.mark.parametrize("bad", [True, [1], (1, "MB")])
def test_a_budget_that_is_no_size_is_refused(bad):
    with pytest.raises(TypeError, match="memory is"):
        gm.Gaussian().gram([[0.0], [1.0]], memory=bad)


def test_a_budget_too_small_for_one_tile_is_refused_where_it_is_given(X):
    with pytest.raises(ValueError, match="memory is 1000 bytes, too small for one tile: at least ") as refusal:
        gm.Gaussian().gram(X, memory=1000)
    least = int(str(refusal.value).split("at least ")[1].split(" bytes")[0])
    assert gm.Gaussian().gram(X[:100], memory=least).dense().shape == (100, 100)
    with pytest.raises(ValueError, match="too small"):
        gm.Gaussian().gram(X, memory=least - 1)


def test_few_objects_need_little_memory():
    assert gm.Linear().gram([[1.0], [2.0]], memory=64).dense().tolist() == [[1.0, 2.0], [2.0, 4.0]]


def test_the_budget_is_handed_on():
    K = gm.Gaussian().gram(np.eye(3), memory="1 MB")
    for derived in (
        K.center(),
        K.normalize(),
        K + 1.0,
        K.ridge(1.0),
        K.take([0]),
        gm.Linear().gram(np.eye(3), memory="1 MB").T,
    ):
        assert derived.memory == 10**6


def test_the_default_budget_is_256_mib():
    assert gm.Gaussian().gram(np.eye(3)).memory == 256 * 2**20


@pytest.mark.parametrize(
    "kernel", [gm.Gaussian(100.0), gm.Laplacian(1e4), gm.Matern(100.0)], ids=lambda k: type(k).__name__
)
@pytest.mark.parametrize("lanes", [2, 16, 64])
def test_wide_objects_count_against_the_budget(kernel, lanes, monkeypatch):
    monkeypatch.setattr(tiles, "cores", lambda: lanes)
    points = np.random.default_rng(0).standard_normal((400, 4000))
    K = kernel.gram(points, memory="4 MB")
    v = np.ones(400)
    tracemalloc.start()
    K @ v
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6e6
