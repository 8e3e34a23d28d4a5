"""The tile engine: every entry once, symmetric work once, the same answer however K is cut."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.places.cores import tiles
from gramian.places.cores.distances import SLAB
from gramian.places.cores.tiles import Tiling, cut

sides = st.integers(1, 60)
F64 = np.dtype(np.float64)


def visits(tiling):
    """How often each entry of K is written or used, a tile above the diagonal serving its mirror image too."""
    seen = np.zeros(tiling.shape, int)
    for i, j in tiling.spans():
        seen[i, j] += 1
        if tiling.symmetric and i != j:
            seen[j, i] += 1
    return seen


@settings(deadline=None)
@given(n=sides, m=sides, rows=sides, cols=sides)
def test_tiles_of_a_rectangle_cover_every_entry_exactly_once(n, m, rows, cols):
    assert (visits(Tiling((n, m), rows, cols, 1, False)) == 1).all()


@settings(deadline=None)
@given(n=sides, side=sides)
def test_tiles_of_a_symmetric_matrix_cover_every_entry_exactly_once(n, side):
    assert (visits(Tiling((n, n), side, side, 1, True)) == 1).all()


@settings(deadline=None)
@given(n=sides, side=sides)
def test_symmetric_tiles_hold_little_more_than_half_of_the_entries(n, side):
    spans = Tiling((n, n), side, side, 1, True).spans()
    held = sum((i.stop - i.start) * (j.stop - j.start) for i, j in spans)
    assert held <= n * (n + side) / 2


@settings(deadline=None)
@given(
    n=st.integers(1, 5000),
    m=st.integers(1, 5000),
    itemsize=st.sampled_from([4, 8]),
    scratch=st.integers(0, 6),
    memory=st.integers(1, 10**9),
    lanes=st.integers(1, 64),
    symmetric=st.booleans(),
)
def test_tiles_of_all_lanes_together_fit_the_memory_or_are_refused(n, m, itemsize, scratch, memory, lanes, symmetric):
    shape = (n, n) if symmetric else (n, m)
    smallest = min(32, shape[0]) * min(32, shape[1]) * itemsize * (1 + scratch)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiles, "cores", lambda: lanes)
        if memory < smallest:
            with pytest.raises(ValueError, match=f"memory is {memory} bytes.*at least {smallest} bytes"):
                cut(shape, np.dtype(f"f{itemsize}"), scratch, memory, symmetric)
            return
        tiling = cut(shape, np.dtype(f"f{itemsize}"), scratch, memory, symmetric)
    assert tiling.rows >= 1
    assert tiling.cols >= 1
    assert 1 <= tiling.lanes <= lanes
    assert tiling.lanes * tiling.rows * tiling.cols * itemsize * (1 + scratch) <= memory


@settings(deadline=None)
@given(
    n=st.integers(1, 5000),
    m=st.integers(1, 5000),
    width=st.integers(0, 20_000),
    memory=st.integers(10**5, 10**9),
    lanes=st.integers(1, 64),
    symmetric=st.booleans(),
)
def test_copies_of_wide_objects_fit_the_memory_of_several_lanes(n, m, width, memory, lanes, symmetric):
    shape = (n, n) if symmetric else (n, m)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiles, "cores", lambda: lanes)
        tiling = cut(shape, F64, 1, memory, symmetric, width)
    taken = 16 * tiling.rows * tiling.cols + tiles.COPIES * 8 * min(width, SLAB) * (tiling.rows + tiling.cols)
    assert tiling.lanes == 1 or tiling.lanes * taken <= memory
    if tiling.lanes > 1:  # nor are there so many of them that their list takes more
        assert min(tiling.rows, tiling.cols) >= min(tiles.SMALLEST_SIDE, *shape) or tiling.rows * tiling.cols >= 1024


@settings(deadline=None)
@given(n=st.integers(1, 300), m=st.integers(1, 300), memory=st.integers(8192, 10**6), symmetric=st.booleans())
def test_a_plan_chosen_for_a_budget_covers_every_entry_exactly_once(n, m, memory, symmetric):
    assert (visits(cut((n, n) if symmetric else (n, m), F64, 0, memory, symmetric)) == 1).all()


def entries_asked_of(monkeypatch, kernel_class):
    """Count the kernel values that `block` of this class is asked for."""
    counts = []
    block = kernel_class.block
    monkeypatch.setattr(
        kernel_class, "block", lambda self, a, b, out: (counts.append(len(a) * len(b)), block(self, a, b, out))[1]
    )
    return counts


@pytest.mark.parametrize("operation", ["product", "dense", "row_means"])
def test_symmetric_work_is_done_once(monkeypatch, operation):
    n = 1000
    K = gm.Gaussian().gram(np.random.default_rng(0).standard_normal((n, 2)), memory="400 kB")
    counts = entries_asked_of(monkeypatch, gm.Gaussian)
    {"product": lambda: K @ np.ones(n), "dense": K.dense, "row_means": K.row_means}[operation]()
    assert 0.5 * n**2 <= sum(counts) <= 0.6 * n**2


def test_a_rectangular_product_computes_every_entry_once(monkeypatch):
    rng = np.random.default_rng(0)
    K = gm.Gaussian().gram(rng.standard_normal((300, 2)), rng.standard_normal((500, 2)), memory="400 kB")
    counts = entries_asked_of(monkeypatch, gm.Gaussian)
    assert (K @ np.ones(500)).shape == (300,)
    assert sum(counts) == 300 * 500
    assert len(counts) > 1


def test_row_means_are_computed_once(monkeypatch):
    K = gm.Gaussian().gram(np.random.default_rng(0).standard_normal((50, 2)))
    counts = entries_asked_of(monkeypatch, gm.Gaussian)
    first = K.row_means()
    work = sum(counts)
    first[:] = 0
    assert K.row_means().min() > 0  # the caller's copy is his own
    assert K.mean() == pytest.approx(K.row_means().mean())
    assert sum(counts) == work


@settings(max_examples=30, deadline=None)
@given(
    n=st.integers(1, 90),
    m=st.integers(1, 90),
    side=st.integers(1, 90),
    lanes=st.integers(1, 5),
    symmetric=st.booleans(),
    columns=st.integers(1, 3),
)
def test_any_tile_size_and_any_number_of_lanes_give_the_same_answer(n, m, side, lanes, symmetric, columns):
    rng = np.random.default_rng(n + 100 * m)
    X = rng.standard_normal((n, 2))
    Z = X if symmetric else rng.standard_normal((m, 2))
    truth = np.exp(-((X[:, None] - Z[None]) ** 2).sum(axis=-1) / 2)
    V = rng.standard_normal((len(Z), columns))
    k = gm.Gaussian()
    a, b = k.encode(X), k.encode(Z)
    plan = Tiling((len(X), len(Z)), side, side, lanes, symmetric)

    def block(i, j, out):
        k.block(a[i], b[j], out)

    filled = np.full(plan.shape, np.nan)
    tiles.fill(block, plan, np.ones(n) if symmetric else None, filled)
    np.testing.assert_allclose(filled, truth, atol=1e-13)
    np.testing.assert_allclose(tiles.multiply(block, plan, V), truth @ V, atol=1e-12)


@pytest.mark.parametrize("lanes", [1, 2, 3, 7])
def test_the_number_of_cores_does_not_change_the_answer(monkeypatch, lanes):
    X = np.random.default_rng(1).standard_normal((700, 3))
    monkeypatch.setattr(tiles, "cores", lambda: lanes)
    K = gm.Gaussian().gram(X)
    truth = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=-1) / 2)
    np.testing.assert_allclose(K.dense(), truth, atol=1e-13)
    np.testing.assert_allclose(K @ X, truth @ X, atol=1e-11)


def test_results_are_bitwise_the_same_from_run_to_run(monkeypatch):
    X = np.random.default_rng(2).standard_normal((900, 3))
    monkeypatch.setattr(tiles, "cores", lambda: 4)
    first = gm.Gaussian().gram(X)
    for _ in range(4):
        again = gm.Gaussian().gram(X)
        assert np.array_equal(again.dense(), first.dense())
        assert np.array_equal(again @ X, first @ X)
        assert np.array_equal(again.row_means(), first.row_means())


@given(n=st.integers(1, 80), side=st.integers(1, 80))
@settings(max_examples=30, deadline=None)
def test_fill_makes_an_exactly_symmetric_matrix_with_the_given_diagonal(n, side):
    K = np.random.default_rng(n).standard_normal((n, n))  # not symmetric: what is below the diagonal must not be used
    diagonal = np.arange(n) + 0.5
    out = np.full((n, n), np.nan)
    tiles.fill(lambda i, j, tile: np.copyto(tile, K[i, j]), Tiling((n, n), side, side, 2, True), diagonal, out)
    expected = np.triu(K, 1)
    assert np.array_equal(out, expected + expected.T + np.diag(diagonal))


def test_sums_of_float32_tiles_are_accumulated_in_float64(monkeypatch):
    # 2²⁴ + 1 is not a float32: summed in float32, the tail of ones would be lost.
    n = 2000
    monkeypatch.setattr(tiles, "cores", lambda: 1)
    ones = np.ones((n, 1), np.float32)

    def block(i, j, out):
        out[...] = 2.0**24 if j.start == 0 else 1.0

    total = tiles.multiply(block, Tiling((n, n), n, 1, 1, False), ones)
    assert total.dtype == np.float64
    assert (total == 2.0**24 + n - 1).all()


def test_a_second_lane_is_started_only_where_there_is_work_for_it(monkeypatch):
    monkeypatch.setattr(tiles, "cores", lambda: 4)
    number = np.dtype(np.float64)

    def lanes(n, width=0, expensive=False):
        return tiles.cut((n, n), number, 1, tiles.DEFAULT_MEMORY, True, width, expensive).lanes

    assert lanes(150) == lanes(150, width=100) == 1
    assert lanes(150, width=10_000) == lanes(1000) == 2
    assert lanes(10_000) == lanes(2_000, width=1_000) == lanes(150, expensive=True) == 4


@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16, 64])
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("n", [2_000, 20_000, 100_000])
def test_many_lanes_have_enough_tiles_and_not_many_more(n, symmetric, lanes, monkeypatch):
    monkeypatch.setattr(tiles, "cores", lambda: lanes)
    largest = tiles.LARGEST_FUSED_SIDE
    tiling = cut((n, n), F64, 0, 2**40, symmetric, largest=largest)
    count = len(tiling.spans())
    assert count >= 6 * tiling.lanes or tiling.rows == tiles.PARALLEL_SIDE  # so that none waits long for the others
    fewest = 1.5 * (-(-n // largest) + 1) ** 2  # of the largest tiles
    assert count <= max(16 * tiling.lanes, fewest)  # between tiles all lanes wait for one interpreter
    assert tiling.rows >= min(tiles.PARALLEL_SIDE, n)
