"""Moments of rows against NumPy in one shot, however the rows are cut, merged, weighted and placed."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.kernels.nystrom import Nystrom
from gramian.space import moments as moments_module
from gramian.space.moments import Chunk, Moments, Summary


def one_shot(rows, weights=None):
    """Weight, mean and scatter, straight from the definition, in extended precision."""
    rows = np.asarray(rows, dtype=np.longdouble)
    w = np.ones(len(rows), np.longdouble) if weights is None else np.asarray(weights, dtype=np.longdouble)
    mean = (w[:, None] * rows).sum(axis=0) / w.sum()
    moved = rows - mean
    return float(w.sum()), mean.astype(float), ((w[:, None] * moved).T @ moved).astype(float)


def assert_moments(found, expected, tol=1e-12, spread=None):
    weight, mean, scatter = expected
    spread = np.abs(scatter).max() if spread is None else spread
    assert found.weight == pytest.approx(weight, rel=1e-13)
    np.testing.assert_allclose(found.mean, mean, rtol=tol, atol=tol * max(np.abs(mean).max(), 1e-300))
    if found.lower is not None:
        np.testing.assert_allclose(found.scatter, scatter, rtol=0, atol=tol * max(spread, 1e-300))
        np.testing.assert_array_equal(found.scatter, found.scatter.T)


def gathered(rows, cuts, weights=None, **settings):
    """Return moments of rows cut at the given places."""
    found = Moments(rows.shape[1], **settings)
    for span in map(slice, [0, *cuts], [*cuts, len(rows)]):
        found.add(rows[span], None if weights is None else weights[span])
    return found


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 40),
    width=st.integers(1, 5),
    cuts=st.lists(st.integers(0, 40), max_size=6),
    offset=st.sampled_from([0.0, -3.0, 1e6]),
    weighted=st.booleans(),
)
def test_any_cut_gives_the_moments_of_all(seed, n, width, cuts, offset, weighted):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, width)) + offset
    weights = rng.choice([0.0, 0.3, 1.0, 7.0], size=n) if weighted else None
    if weights is not None and not weights.any():
        weights[0] = 1.0
    found = gathered(rows, sorted(min(cut, n) for cut in cuts), weights)
    # Rows about 1e6 are known to 1e-10 each, and so are differences of them
    assert_moments(found, one_shot(rows, weights), tol=1e-12 if abs(offset) < 10 else 1e-9, spread=10.0 * n)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), parts=st.integers(1, 7), data=st.data())
def test_any_order_of_merging_gives_the_same(seed, parts, data):
    rng = np.random.default_rng(seed)
    rows = [rng.normal(size=(int(size), 3)) + 5 for size in rng.integers(0, 9, size=parts)]
    rows[0] = rng.normal(size=(4, 3))
    left = []
    for part in rows:
        left.append(Moments(3))
        left[-1].add(part)
    while len(left) > 1:
        i = data.draw(st.integers(0, len(left) - 1))
        taken = left.pop(i)
        left[data.draw(st.integers(0, len(left) - 1))].absorb(taken)
    assert_moments(left[0], one_shot(np.vstack(rows)))


def test_nothing_cancels_far_from_the_origin():
    rows = np.random.default_rng(0).normal(size=(5000, 3)) * [1e-3, 1.0, 30.0] + [1e6, -1e6, 1e8]
    found = gathered(rows, range(0, 5000, 70))
    expected = one_shot(rows)[2]
    scale = np.sqrt(np.outer(expected.diagonal(), expected.diagonal()))
    # An entry of 1e6 is known to 1e-10, a tenth of a millionth of the spread of the first column
    assert (np.abs(found.scatter - expected) <= 1e-6 * scale).all()


def test_a_weight_of_two_does_what_having_the_row_twice_does():
    rows = np.random.default_rng(0).normal(size=(6, 2))
    weights = np.array([2.0, 1.0, 0.0, 3.0, 1.0, 0.0])
    assert_moments(gathered(rows, [4], weights), one_shot(np.repeat(rows, weights.astype(int), axis=0)))


def test_nothing_and_rows_without_weight_change_nothing():
    found = Moments(2)
    found.add(np.empty((0, 2)))
    found.add(np.full((3, 2), 9.0), np.zeros(3))
    found.absorb(Moments(2))
    assert found.weight == 0
    assert not found.scatter.any()
    found.add(np.array([[1.0, 2.0]]))
    assert_moments(found, (1.0, np.array([1.0, 2.0]), np.zeros((2, 2))))


@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_single_precision_rows_are_summed_in_double(offset):
    rows = (np.random.default_rng(0).normal(size=(20_000, 4)) + offset).astype(np.float32)
    found = gathered(rows, range(0, 20_000, 1000))
    assert found.scatter.dtype == np.float64
    weight, mean, scatter = one_shot(rows)
    eps = np.finfo(np.float32).eps
    assert found.weight == weight
    np.testing.assert_allclose(found.mean, mean, rtol=0, atol=16 * np.finfo(float).eps * np.abs(rows).max())
    np.testing.assert_allclose(found.scatter, scatter, rtol=0, atol=64 * eps * np.abs(scatter).max())


def test_moments_without_a_scatter_know_weight_and_mean():
    rows = np.random.default_rng(0).normal(size=(30, 4))
    found = gathered(rows, [7, 12], scatter=False)
    assert found.lower is None
    assert_moments(found, one_shot(rows))


def test_sums_about_the_origin_are_those_of_the_rows_as_they_are():
    rows = np.random.default_rng(0).normal(size=(30, 4)) + 2
    np.testing.assert_allclose(gathered(rows, [11]).about_origin(), rows.T @ rows, rtol=1e-12)


@pytest.mark.parametrize("scatter", [True, False])
def test_what_is_packed_is_unpacked_as_it_was(scatter):
    found = gathered(np.random.default_rng(0).normal(size=(9, 3)), [4], scatter=scatter)
    again = Moments.unpacked(found.packed(), 3)
    assert again.weight == found.weight
    np.testing.assert_array_equal(again.mean, found.mean)
    assert (again.lower is None) == (not scatter)
    if scatter:
        np.testing.assert_array_equal(again.scatter, found.scatter)
    again.add(np.ones((2, 3)))  # it can go on
    assert again.weight == 11


@pytest.mark.parametrize("beside", [0, 2])
def test_solved_moments_are_those_of_the_solved_rows(beside):
    rows = np.random.default_rng(0).normal(size=(50, 4 + beside)) + 1
    L = np.tril(np.random.default_rng(0).normal(size=(4, 4))) + 4 * np.eye(4)
    features = rows.copy()
    features[:, :4] = np.linalg.solve(L, rows[:, :4].T).T
    assert_moments(gathered(rows, [20]).solved(L), one_shot(features), tol=1e-11)


# Features of objects


def chunk(n=300, groups=None, weights=None, numbers=1, dtype=float, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(dtype)
    parts = {
        "numbers": rng.normal(size=(n, numbers)) + 40 if numbers else None,
        "weights": rng.uniform(0, 2, size=n) if weights else None,
        "groups": rng.integers(groups, size=n) if groups else None,
    }
    return X, parts


def summarized(kernel, X, parts, cuts=(), scatter=True):
    found = Summary(kernel, scatter)
    whole = Chunk(kernel.encode(X), **parts)
    for span in map(slice, [0, *cuts], [*cuts, len(whole.points)]):
        found.add(whole[span])
    return found


KERNELS = {
    "landmarks": lambda X: Nystrom(gm.Gaussian(1.0), 12).fit(X),
    "landmarks near each other": lambda X: Nystrom(gm.Gaussian(3.0), 25).fit(X),
    "given": lambda X: gm.Polynomial(2, 1.0),
    "waves": lambda X: gm.RandomFourier(gm.Gaussian(1.0), 10),
}


@pytest.mark.parametrize("scatter", [True, False])
@pytest.mark.parametrize("weights", [None, True])
@pytest.mark.parametrize("groups", [None, 3])
@pytest.mark.parametrize("name", KERNELS)
def test_a_summary_holds_the_moments_of_features_and_numbers_of_every_group(name, groups, weights, scatter):
    X, parts = chunk(groups=groups, weights=weights)
    kernel = KERNELS[name](X)
    found = summarized(kernel, X, parts, cuts=[90, 100, 230], scatter=scatter)
    rows = np.hstack([kernel.features(X), parts["numbers"]])
    assert found.dim == rows.shape[1] - 1
    assert (found.count, found.present) == (300, 300 if weights is None else np.count_nonzero(parts["weights"]))
    for number, group in enumerate(found.groups):
        chosen = np.ones(300, bool) if groups is None else parts["groups"] == number
        w = None if weights is None else parts["weights"][chosen]
        assert_moments(group, one_shot(rows[chosen], w), tol=1e-8)
    assert len(found.groups) == (groups or 1)


@settings(max_examples=30, deadline=None)
@given(cuts=st.lists(st.integers(0, 300), max_size=5), seed=st.integers(0, 1000))
def test_any_cut_of_the_objects_gives_the_same_summary(cuts, seed):
    X, parts = chunk(groups=2, weights=True, seed=seed)
    kernel = Nystrom(gm.Gaussian(1.0), 6).fit(X)
    cuts = sorted({cut for cut in cuts if 0 < cut < 300})
    whole, cut = (summarized(kernel, X, parts, at) for at in ([], cuts))
    for one, other in zip(whole.groups, cut.groups, strict=True):
        assert_moments(other, (one.weight, one.mean, one.scatter), tol=1e-10)
    assert cut.trace == pytest.approx(whole.trace, rel=1e-12)
    assert cut.largest == whole.largest


def test_objects_shared_among_cores_give_what_one_core_gives(monkeypatch):
    X, parts = chunk(n=2000, groups=2)
    kernel = Nystrom(gm.Gaussian(1.0), 8).fit(X)
    monkeypatch.setattr(moments_module, "MOMENT_ROWS", 64)
    found = {}
    for cores in (1, 2, 5):
        monkeypatch.setattr("gramian.places.cores.place.cores", lambda cores=cores: cores)
        found[cores] = summarized(kernel, X, parts).groups
        again = summarized(kernel, X, parts).groups
        assert all(np.array_equal(a.packed(), b.packed()) for a, b in zip(found[cores], again, strict=True))
    for cores in (2, 5):
        for one, other in zip(found[1], found[cores], strict=True):
            assert_moments(other, (one.weight, one.mean, one.scatter), tol=1e-11)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_of_values_turned_into_features_are_sums_of_features(dtype, monkeypatch):
    X, parts = chunk(groups=2, dtype=dtype)
    kernel = Nystrom(gm.Gaussian(0.7), 15).fit(X)
    found = {}
    for steady in (True, False):
        monkeypatch.setattr(Nystrom, "steady", lambda self, dtype, steady=steady: steady)
        found[steady] = summarized(kernel, X, parts).groups
    for raw, made in zip(found[True], found[False], strict=True):
        assert_moments(raw, (made.weight, made.mean, made.scatter), tol=1e-9 if dtype is np.float64 else 1e-4)


@pytest.mark.parametrize("groups", [None, 3])
@pytest.mark.parametrize("weights", [None, True])
def test_what_is_left_out_is_the_share_of_the_trace(groups, weights):
    X, parts = chunk(groups=groups, weights=weights)
    kernel = Nystrom(gm.Gaussian(1.0) + gm.Linear(), 5).fit(X)
    found = summarized(kernel, X, parts, cuts=[77])
    w = np.ones(300) if weights is None else parts["weights"]
    phi = kernel.features(X)
    expected = 1 - (w @ np.square(phi).sum(axis=1)) / (w @ kernel.base.diag(X))
    assert found.left_out(found.groups) == pytest.approx(expected, rel=1e-9)
    assert found.largest == pytest.approx(np.sqrt(kernel.base.diag(X).max()), rel=1e-12)
    assert 0.01 < expected < 0.9


def test_features_that_are_the_kernel_itself_leave_nothing_out():
    X, parts = chunk()
    found = summarized(gm.Linear(), X, parts)
    assert found.left_out(found.groups) == 0.0


def test_a_group_that_turns_up_late_is_begun_then():
    X, parts = chunk(numbers=0)
    kernel = Nystrom(gm.Gaussian(1.0), 6).fit(X)
    parts["groups"] = np.repeat([0, 2, 1], 100)
    found = summarized(kernel, X, parts, cuts=[100, 200])
    phi = kernel.features(X)
    for number, group in enumerate(found.groups):
        assert_moments(group, one_shot(phi[parts["groups"] == number]), tol=1e-9)


def test_targets_of_objects_in_single_precision_keep_their_digits():
    """A year, or a price in cents, is not to be rounded because the features are."""
    X, parts = chunk(dtype=np.float32)
    parts["numbers"] = np.random.default_rng(0).normal(size=(300, 1)) + 1e7
    found = summarized(Nystrom(gm.Gaussian(1.0), 6).fit(X), X, parts).groups[0]
    expected = one_shot(parts["numbers"])
    assert found.mean[-1] == pytest.approx(expected[1][0], rel=1e-12)
    assert found.scatter[-1, -1] == pytest.approx(expected[2][0, 0], rel=1e-4)


def test_sparse_features_are_summed_as_dense_ones_are():
    X, parts = chunk()
    sparse = scipy.sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
    found = summarized(gm.Linear(), sparse, parts).groups[0]
    assert_moments(found, one_shot(np.hstack([sparse.toarray(), parts["numbers"]])))


def test_chunks_are_cut_and_joined_with_all_that_belongs_to_their_objects():
    X, parts = chunk(n=20, groups=2, weights=True)
    whole = Chunk(gm.Linear().encode(X), **parts)
    again = whole[:7].concat(whole[7:])
    np.testing.assert_array_equal(again.points.parts[0], X)
    for one, other in zip(again.rest, whole.rest, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(whole[[3, 1]].weights, parts["weights"][[3, 1]])


def test_explicit_features_leave_out_exactly_nothing():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        kernel, X = gm.Polynomial(2, 1.0), rng.normal(size=(25, 2)) + rng.normal()
        summary = Summary(kernel)
        summary.add(Chunk(kernel.encode(X)))
        assert summary.left_out(summary.groups) == 0


def test_objects_without_any_image_are_not_said_to_be_left_out():
    kernel = Nystrom(gm.Linear(), landmarks=np.eye(2))
    summary = Summary(kernel)
    summary.add(Chunk(kernel.encode(np.zeros((5, 2)))))
    assert summary.trace == 0
    assert summary.left_out(summary.groups) == 0


@pytest.mark.parametrize("seed", range(12))
def test_moments_of_whole_numbers_are_exact_to_a_rounding(seed):
    """Sparse counts go another way, with nothing lost: the oracle is arithmetic in whole numbers of any length."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 400)), int(rng.integers(1, 30))
    most = int(rng.integers(1, 1 + int((moments_module.EXACT / n) ** 0.5)))
    table = np.minimum(rng.poisson(rng.choice([0.2, 2.0, 50.0], m), (n, m)), most - 1) * (rng.random((n, m)) < 0.8)
    table[0, 0] = 1
    numbers = 1e6 + rng.normal(size=(n, 2))
    rows = scipy.sparse.csr_array(table.astype(float))
    assert moments_module._exact(rows)
    found = Moments(m + 2)
    for part in np.array_split(np.arange(n), 3):
        if len(part):
            found.add_counts(rows[part], numbers[part])
    counts = table.astype(object)
    exact = n * (counts.T @ counts) - np.outer(counts.sum(axis=0), counts.sum(axis=0))
    scale = np.sqrt(np.outer(*[(table**2).sum(axis=0)] * 2))
    assert (np.abs(found.scatter[:m, :m] - (exact / n).astype(float)) <= 1e-14 * scale).all()
    dense = Moments(m + 2)
    dense.add(np.hstack([table, numbers]))
    assert np.allclose(found.scatter, dense.scatter, rtol=1e-9, atol=1e-9 * np.abs(dense.scatter).max())
    assert np.allclose(found.mean, dense.mean, rtol=1e-13)
