"""The median bandwidth: of distinct points, in whatever order and however often they come, dense or sparse."""

import numpy as np
import pytest
import scipy.sparse
from scipy.spatial.distance import pdist

import gramian as gm
from gramian.kernels.bandwidth import SAMPLE, median_distance

METRICS = pytest.mark.parametrize("metric", ["euclidean", "cityblock"])


def points(n, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@METRICS
@pytest.mark.parametrize("n", [2, 30, SAMPLE])
def test_repeated_points_count_once(metric, n):
    X = points(n)
    rng = np.random.default_rng(1)
    repeated = rng.permutation(np.vstack([X, X[rng.integers(0, n, 2 * n)], X[:1], X[:1]]))
    assert len(repeated) > n
    assert median_distance(repeated, metric) == median_distance(X, metric)


@METRICS
def test_order_of_points_is_irrelevant(metric):
    X = points(200) + 1e3
    for seed in range(5):
        shuffled = np.random.default_rng(seed).permutation(X)
        assert median_distance(shuffled, metric) == median_distance(X, metric)


def test_one_frequent_point_does_not_draw_the_median_to_its_own_distances():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [100.0]])
    often = np.vstack([X, np.tile(X[-1:], (50, 1))])
    assert median_distance(often, "euclidean") == 2.5  # of 1, 1, 1, 2, 2, 3, 97, 98, 99, 100


def test_zero_and_minus_zero_are_the_same_point():
    assert median_distance([[0.0, 1.0], [-0.0, 1.0], [3.0, 1.0], [4.0, 1.0]], "euclidean") == 3.0


@METRICS
def test_more_distinct_points_than_are_used_give_the_same_answer_on_every_call(metric):
    X = points(3 * SAMPLE)
    all_of_them = np.median(scipy.spatial.distance.pdist(X, metric))
    assert median_distance(X, metric) == median_distance(X.copy(), metric) == pytest.approx(all_of_them, rel=0.05)


def sparse_points(n, d, density, dtype=np.float64, seed=0):
    X = points(n, d, seed) * (np.random.default_rng(seed + 1).random((n, d)) < density)
    return X.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d", "density"), [(40, 6, 0.1), (40, 60, 0.3), (40, 5, 1.0), (1500, 30, 0.2)])
def test_sparse_and_dense_points_have_the_same_median(n, d, density, dtype):
    X = sparse_points(n, d, density, dtype)  # thin rows repeat: many are empty
    expected = median_distance(X, "euclidean")
    for form in (scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array):
        assert median_distance(form(X), "euclidean") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
def test_sparse_median_scales_with_the_points(scale):
    X = sparse_points(30, 5, 0.5)
    found = median_distance(scipy.sparse.csr_array(scale * X), "euclidean")
    assert found == pytest.approx(scale * median_distance(X, "euclidean"), rel=1e-12)


def test_sparse_points_far_from_the_origin_have_the_median_of_their_differences():
    X = sparse_points(40, 3, 0.5) + 1e6
    assert median_distance(scipy.sparse.csr_array(X), "euclidean") == pytest.approx(
        median_distance(X, "euclidean"), rel=1e-9
    )


def test_repeated_sparse_points_count_once_in_any_order_and_form():
    X = sparse_points(60, 5, 0.4)
    X = np.unique(X, axis=0)
    expected = median_distance(scipy.sparse.csr_array(X), "euclidean")
    rows = np.random.default_rng(0).permutation(np.r_[np.arange(len(X)), np.arange(0, len(X), 2), [3, 3, 3]])
    assert median_distance(scipy.sparse.csr_array(X)[rows], "euclidean") == expected


def test_sparse_rows_that_are_written_differently_are_the_same_point():
    # The rows (1, 2), twice: once unsorted, with 2 in two parts and a stored zero; then (0, 0) and (4, 6).
    data = [1.0, 2.0, 0.5, 1.0, 1.5, 0.0, 0.0, 4.0, 6.0]
    indices, indptr = [0, 1, 1, 0, 1, 2, 2, 0, 1], [0, 2, 6, 7, 9]
    X = scipy.sparse.csr_array((data, indices, indptr), shape=(4, 3))
    before = X.data.copy(), X.indices.copy(), X.indptr.copy()
    assert median_distance(X, "euclidean") == pytest.approx(5.0, rel=1e-12)  # of √5, 5, √52
    for found, expected in zip((X.data, X.indices, X.indptr), before, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_stored_zeros_make_no_new_point():
    data, indices, indptr = [1.0, 2.0, 3.0, 100.0, 100.0, 0.0], [0, 0, 0, 0, 0, 1], [0, 0, 1, 2, 3, 4, 6]
    X = scipy.sparse.csr_array((data, indices, indptr), shape=(6, 2))
    assert X.has_canonical_format
    assert median_distance(X, "euclidean") == pytest.approx(2.5, rel=1e-12)  # as above


@pytest.mark.parametrize("value", [0.0, 2.0])
def test_sparse_points_that_all_coincide_are_refused(value):
    X = scipy.sparse.csr_array(np.full((4, 2), value))
    with pytest.raises(ValueError, match="at least two different points, and all 4 coincide"):
        gm.Gaussian("median").fit(X)


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_wide_points_have_the_median_of_their_distances(shift):
    X = np.random.default_rng(0).normal(size=(60, 150)) + shift
    expected = np.median(scipy.spatial.distance.pdist(X))
    # Squared distances to 1e-9, of points that are rounded where they lie
    assert median_distance(X, "euclidean") == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("kernel", [gm.Gaussian, gm.Laplacian, gm.Matern])
def test_a_bandwidth_too_small_to_divide_by_tells_points_apart(kernel):
    X = np.array([[0.0], [1.0]])
    for bandwidth in (5e-324, 1e-310, 1e-307):
        assert np.array_equal(kernel(bandwidth=bandwidth)(X, X.copy()), np.eye(2))


@pytest.mark.parametrize("exponent", [2, 9, 16, 40, 140])
@pytest.mark.parametrize("columns", [3, 120])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_points_far_away_and_constant_columns_take_no_digits_from_the_median(metric, columns, exponent):
    rng = np.random.default_rng(exponent)
    for sign in (-1, 1):
        points = rng.normal(size=(41, columns))
        points[0] = sign * np.abs(points[0]) * 10.0**exponent
        true = np.median(pdist(points, metric))
        assert median_distance(points, metric) == pytest.approx(true, rel=1e-9)
        wider = np.hstack([points, np.full((41, 1), 1e300)])
        assert median_distance(wider, metric) == pytest.approx(true, rel=1e-9)


@METRICS
@pytest.mark.parametrize("first", [0.0, None])
def test_the_points_themselves_are_left_as_they_are(metric, first):
    X = points(60, d=4)
    X[:, 0] = X[:, 0] if first is None else first  # told apart by one column, or by all of them
    before = X.copy()
    median_distance(X, metric)
    np.testing.assert_array_equal(X, before)


@METRICS
def test_points_are_the_same_only_if_all_their_columns_are(metric):
    X = points(50)
    Y = X.copy()
    Y[:, 0] = 0.0
    assert median_distance(Y, metric) == pytest.approx(np.median(pdist(Y, metric)))
    assert median_distance(X, metric) == pytest.approx(np.median(pdist(X, metric)))
