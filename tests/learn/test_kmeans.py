"""Kernel k-means: inertia and assignments by brute force, against scikit-learn, and where plain k-means fails."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs, make_circles
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

import gramian as gm
from gramian.learn import kmeans as kmeans_module
from gramian.learn.kmeans import _lloyd
from gramian.space.moments import Moments


def squared_distances(K, labels, k):
    """‖φ(xᵢ) − φ_c‖², n × k, from the dense matrix and one cluster at a time."""
    columns = []
    for c in range(k):
        members = labels == c
        columns.append(np.diagonal(K) - 2 * K[:, members].mean(axis=1) + K[np.ix_(members, members)].mean())
    return np.array(columns).T


def inertia(K, labels):
    k = labels.max() + 1
    return squared_distances(K, labels, k)[np.arange(len(labels)), labels].sum()


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(150, centers=4, cluster_std=1.8, random_state=0)[0]


KERNELS = [gm.Linear(), gm.Gaussian(2.0), gm.Polynomial(2, 1.0), gm.Laplacian(3.0)]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)


# What a result is


@every_kernel
def test_inertia_is_the_sum_of_the_squared_distances_from_the_means_of_the_clusters(kernel, blobs):
    model = gm.KernelKMeans(4, kernel, random_state=0).fit(blobs)
    assert model.inertia_ == pytest.approx(inertia(kernel(blobs), model.labels_), rel=1e-9)


@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_inertia_is_that_of_the_labels_when_stopped_early_too(max_iter, blobs):
    model = gm.KernelKMeans(4, gm.Linear(), n_init=1, max_iter=max_iter, random_state=3)
    with pytest.warns(ConvergenceWarning):
        model.fit(blobs)
    assert model.inertia_ == pytest.approx(inertia(blobs @ blobs.T, model.labels_), rel=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
def test_inertia_does_not_depend_on_where_the_data_lies(offset, blobs):
    model = gm.KernelKMeans(4, gm.Linear(), random_state=0).fit(blobs + offset)
    centers = np.array([blobs[model.labels_ == c].mean(axis=0) for c in range(4)])
    expected = np.square(blobs - centers[model.labels_]).sum()
    assert model.inertia_ == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
@every_kernel
def test_every_point_is_in_the_cluster_of_its_nearest_centre(kernel, seed, blobs):
    model = gm.KernelKMeans(4, kernel, n_init=1, random_state=seed).fit(blobs)
    K = kernel(blobs)
    squares = squared_distances(K, model.labels_, 4)
    own = squares[np.arange(len(blobs)), model.labels_]
    assert (own <= squares.min(axis=1) + 1e-9 * np.diagonal(K).max()).all()


@every_kernel
def test_centres_are_the_means_of_the_clusters(kernel, blobs):
    model = gm.KernelKMeans(4, kernel, random_state=0).fit(blobs)
    sizes = np.bincount(model.labels_)
    for c in range(4):
        np.testing.assert_allclose(model.dual_coef_[:, c], (model.labels_ == c) / sizes[c], rtol=1e-14)
    np.testing.assert_allclose(
        model.centers_.inner(model.centers_), model.dual_coef_.T @ kernel(blobs) @ model.dual_coef_
    )


@every_kernel
def test_transform_predict_and_score_agree_with_brute_force(kernel, blobs):
    train, new = blobs[:100], blobs[100:]
    model = gm.KernelKMeans(4, kernel, random_state=0).fit(train)
    K, cross, norms = kernel(train), kernel(new, train), np.array([kernel(x[None])[0, 0] for x in new])
    expected = np.array(
        [
            norms - 2 * cross[:, members].mean(axis=1) + K[np.ix_(members, members)].mean()
            for members in (model.labels_ == c for c in range(4))
        ]
    ).T
    np.testing.assert_allclose(model.transform(new) ** 2, expected, rtol=1e-8, atol=1e-9 * norms.max())
    np.testing.assert_array_equal(model.predict(new), expected.argmin(axis=1))
    assert model.score(new) == pytest.approx(-expected.min(axis=1).sum(), rel=1e-8)
    assert model.score(train) == pytest.approx(-model.inertia_, rel=1e-8)
    np.testing.assert_array_equal(model.predict(train), model.labels_)
    np.testing.assert_array_equal(gm.KernelKMeans(4, kernel, random_state=0).fit_predict(train), model.labels_)


# Against scikit-learn


@pytest.mark.parametrize(
    ("data", "k", "worse"),
    [
        pytest.param(load_iris().data, 3, 1e-6, id="iris"),
        pytest.param(make_blobs(300, centers=5, random_state=0)[0], 5, 1e-6, id="blobs"),
        pytest.param(make_blobs(120, centers=3, n_features=10, random_state=1)[0] - 30.0, 3, 1e-6, id="far blobs"),
        # These have many local minima within a per cent of each other.
        pytest.param(scale(load_wine().data), 3, 0.01, id="wine"),
        pytest.param(load_digits().data[:400], 10, 0.01, id="digits"),
        pytest.param(np.random.default_rng(0).random((200, 2)), 8, 0.01, id="uniform"),
    ],
)
def test_linear_kernel_reaches_the_inertia_of_scikit_learn(data, k, worse):
    model = gm.KernelKMeans(k, gm.Linear(), n_init=10, random_state=0).fit(data)
    other = KMeans(k, n_init=10, tol=0, random_state=0).fit(data)
    assert model.inertia_ <= other.inertia_ * (1 + worse)
    if worse < 1e-3:
        assert adjusted_rand_score(model.labels_, other.labels_) == 1.0


@pytest.mark.parametrize("kernel", [gm.Gaussian(0.3), gm.Laplacian(0.3)], ids=repr)
def test_rings_that_plain_k_means_cuts_in_half_are_told_apart(kernel):
    X, y = make_circles(300, factor=0.3, noise=0.05, random_state=0)
    assert abs(adjusted_rand_score(y, KMeans(2, n_init=10, random_state=0).fit_predict(X))) < 0.05
    model = gm.KernelKMeans(2, kernel, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    Z, truth = make_circles(100, factor=0.3, noise=0.05, random_state=1)
    assert adjusted_rand_score(truth, model.predict(Z)) == 1.0


# Few points


@every_kernel
def test_as_many_clusters_as_points_leave_no_inertia(kernel, blobs):
    X = blobs[:9]
    model = gm.KernelKMeans(9, kernel, random_state=0).fit(X)
    assert sorted(model.labels_) == list(range(9))
    assert model.inertia_ == pytest.approx(0, abs=1e-10 * kernel(X).max())


def test_one_cluster_is_the_centre_of_mass(blobs):
    model = gm.KernelKMeans(1, gm.Gaussian(2.0), random_state=0).fit(blobs)
    assert set(model.labels_) == {0}
    assert model.inertia_ / len(blobs) == pytest.approx(
        gm.FeatureSpace(gm.Gaussian(2.0))(blobs).total_variance(), rel=1e-10
    )


@pytest.mark.parametrize("seed", range(6))
@every_kernel
def test_fewer_distinct_points_than_clusters_leave_no_cluster_empty(kernel, seed):
    distinct = np.random.default_rng(seed).normal(size=(3, 2))
    X = distinct[np.random.default_rng(seed).integers(3, size=12)]
    X[:3] = distinct
    for k in (3, 4, 7, 12):
        model = gm.KernelKMeans(k, kernel, n_init=2, random_state=seed).fit(X)
        assert sorted(set(model.labels_)) == list(range(k))
        assert model.inertia_ == pytest.approx(0, abs=1e-10)
        assert np.isfinite(model.transform(X)).all()


def test_points_that_all_coincide_are_spread_over_all_clusters():
    model = gm.KernelKMeans(3, gm.Linear(), random_state=0).fit(np.ones((5, 2)))
    assert set(model.labels_) == {0, 1, 2}
    assert model.inertia_ == 0


def test_cluster_that_loses_all_its_points_is_given_the_one_farthest_from_its_centre():
    # k-means++ hardly ever starts so poorly: the mean 0 of −10 and 10 is nearer to neither than the clusters 1 and 2
    # are, so cluster 0 is left empty after a step. The point farthest from its centre is 15.
    X = np.array([[-10.0], [10.0], [-9.0], [9.0], [9.5], [15.0], [30.0]])
    start = np.array([0, 0, 1, 2, 2, 2, 3])
    (once,) = _lloyd(gm.Linear().gram(X), [start], 1)
    np.testing.assert_array_equal(once.labels, [1, 2, 1, 2, 2, 0, 3])
    (found,) = _lloyd(gm.Linear().gram(X), [start], 20)
    assert found.converged
    assert set(found.labels) == {0, 1, 2, 3}
    assert found.inertia == pytest.approx(1.0)  # {−10, −9}, {9, 9.5, 10}, {15}, {30}


# The iteration


@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Gaussian(2.0)], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_inertia_never_grows_from_one_iteration_to_the_next(kernel, seed):
    X = np.random.default_rng(seed).normal(size=(120, 2)) * 2
    K = kernel(X)
    found = []
    for max_iter in range(1, 12):
        model = gm.KernelKMeans(6, kernel, n_init=1, max_iter=max_iter, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X)
        assert model.n_iter_ <= max_iter
        found.append(inertia(K, model.labels_))
    assert (np.diff(found) <= 1e-9 * found[0]).all()
    assert found[-1] < found[0] - 1e-3 * found[0]


def test_warning_tells_that_the_iteration_was_stopped(blobs):
    with pytest.warns(ConvergenceWarning, match="did not converge in 2 iterations: raise max_iter") as record:
        model = gm.KernelKMeans(4, gm.Linear(), n_init=1, max_iter=2, random_state=3).fit(blobs)
    assert record[0].filename == __file__
    assert model.n_iter_ == 2
    settled = gm.KernelKMeans(4, gm.Linear(), n_init=1, random_state=3).fit(blobs)  # and none without the limit
    assert 2 < settled.n_iter_ < 300


def test_best_of_the_starts_is_kept(blobs):
    rng = np.random.RandomState(0)
    alone = [gm.KernelKMeans(6, gm.Linear(), n_init=1, random_state=rng).fit(blobs).inertia_ for _ in range(8)]
    together = gm.KernelKMeans(6, gm.Linear(), n_init=8, random_state=0).fit(blobs).inertia_
    assert len({round(value, 6) for value in alone}) > 1
    assert together == pytest.approx(min(alone), rel=1e-9)


def test_same_seed_gives_the_same_clusters_and_other_seeds_other_starts(blobs):
    def labels(seed):
        return gm.KernelKMeans(6, gm.Linear(), n_init=1, random_state=seed).fit(blobs).labels_

    np.testing.assert_array_equal(labels(4), labels(4))
    assert any((labels(seed) != labels(4)).any() for seed in range(4))


# Other input


def letters(words):
    return np.array([[word.count(c) for c in "abcdxyz"] for word in words], dtype=float)


def test_words_gram_and_matrix_are_clustered_as_their_vectors():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcd" if i % 2 else "xyz"), size=6)) for i in range(24)]
    spoken = gm.Linear().pullback(letters)
    options = {"n_clusters": 2, "random_state": 0}
    expected = gm.KernelKMeans(kernel=gm.Linear(), **options).fit(letters(words)).labels_
    assert adjusted_rand_score(expected, np.arange(24) % 2) == 1.0
    K = letters(words) @ letters(words).T
    matrix = gm.KernelKMeans(kernel=gm.Precomputed(K), **options).fit(range(24))
    np.testing.assert_array_equal(matrix.labels_, expected)
    np.testing.assert_array_equal(matrix.predict([3, 0]), expected[[3, 0]])
    np.testing.assert_array_equal(gm.KernelKMeans(kernel=spoken, **options).fit(words).labels_, expected)
    np.testing.assert_array_equal(gm.KernelKMeans(**options).fit(spoken.gram(words)).labels_, expected)


def test_single_precision_gives_the_clusters_of_double_precision():
    X = make_blobs(100, centers=3, random_state=2)[0]
    double = gm.KernelKMeans(3, gm.Gaussian(5.0), random_state=0).fit(X)
    single = gm.KernelKMeans(3, gm.Gaussian(5.0), random_state=0).fit(X.astype(np.float32))
    assert adjusted_rand_score(single.labels_, double.labels_) == 1.0
    assert single.inertia_ == pytest.approx(double.inertia_, rel=1e-4)
    assert single.transform(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("seed", range(8))
def test_starts_in_low_rank_end_where_nothing_moves_under_the_whole_matrix(seed, monkeypatch):
    monkeypatch.setattr(kmeans_module, "EXACT_STARTS", 50)
    monkeypatch.setattr(kmeans_module, "LANDMARKS", 8)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4)) + 3 * rng.normal(size=(4, 4))[rng.integers(4, size=300)]
    model = gm.KernelKMeans(4, gm.Gaussian(2.0), n_init=4, random_state=seed).fit(X)
    squares = np.square(model.transform(X))
    own = squares[np.arange(300), model.labels_]
    assert own.sum() == pytest.approx(model.inertia_, rel=1e-9)
    assert (own <= squares.min(axis=1) * (1 + 1e-9)).all()
    monkeypatch.undo()
    exact = gm.KernelKMeans(4, gm.Gaussian(2.0), n_init=4, random_state=seed).fit(X)
    assert model.inertia_ <= 1.05 * exact.inertia_


def test_another_number_of_clusters_does_not_change_what_was_found():
    model = gm.KernelKMeans(3, random_state=0).fit(np.arange(30.0)[:, None])
    model.set_params(n_clusters=2**40)  # for the next fit; not a list of so many names
    assert len(model.get_feature_names_out()) == model.transform([[0.0]]).shape[1] == 3


def test_solver_tells_whether_the_starts_were_iterated_in_low_rank(monkeypatch):
    X = np.random.default_rng(0).normal(size=(80, 3))
    for limit, kernel, said in [
        (80, gm.Gaussian(), "5 starts, each with all of K"),
        (79, gm.Linear(), "5 starts, each with all of K"),  # through three features, which is quicker yet
        (79, gm.Gaussian(), "5 starts in rank 40, 2 of them finished with all of K"),
    ]:
        monkeypatch.setattr(kmeans_module, "EXACT_STARTS", limit)
        monkeypatch.setattr(kmeans_module, "LANDMARKS", 40)
        assert gm.KernelKMeans(2, kernel, n_init=5, random_state=0).fit(X).solver_ == said


# In low rank

BLOBS = np.vstack([c + 0.5 * np.random.default_rng(5).normal(size=(120, 2)) for c in ((0, 0), (6, 0), (0, 7), (7, 7))])


@pytest.mark.parametrize("way", ["array", "batches", "Gram"])
def test_low_rank_finds_the_clusters_that_all_of_k_finds(way, tmp_path):
    kernel = gm.Gaussian(bandwidth=3.0)
    exact = gm.KernelKMeans(4, kernel, random_state=0).fit(BLOBS)
    given = {"array": BLOBS, "batches": gm.Batches(BLOBS, rows=70), "Gram": kernel.gram(BLOBS)}[way]
    low = gm.KernelKMeans(4, kernel, random_state=0, rank=60).fit(given)
    names = low.predict(BLOBS)
    pairs = set(zip(exact.labels_.tolist(), names.tolist(), strict=True))
    assert len(pairs) == 4
    assert low.trace_error_ < 1e-4
    # What landmarks leave out of an object is no farther from any centre of theirs: Pythagoras
    assert low.inertia_ == pytest.approx(exact.inertia_, rel=1e-3)
    assert -low.score(BLOBS) == pytest.approx(low.inertia_, rel=1e-9)
    assert hasattr(low, "labels_") == (way != "batches")
    if way != "batches":
        assert low.labels_.tolist() == names.tolist()
    gm.save(low, tmp_path / "model")
    np.testing.assert_array_equal(gm.load(tmp_path / "model").transform(BLOBS), low.transform(BLOBS))


def test_each_pass_in_low_rank_brings_the_centres_nearer():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(600, 2))
    kernel = gm.Gaussian(bandwidth=0.3)
    found = []
    for most in (1, 2, 4, 50):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = gm.KernelKMeans(9, kernel, n_init=1, max_iter=most, random_state=3, rank=100).fit(X)
        found.append(model.inertia_)
        assert model.n_iter_ <= most
    assert all(after <= before * (1 + 1e-12) for before, after in itertools.pairwise(found))


def test_a_centre_without_objects_moves_to_one_that_is_far_from_all():
    phi = np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 9.0]])
    groups = [Moments(2, scatter=False) for _ in range(2)]
    groups[0].add(phi[:2])
    means, weights = kmeans_module._moved(np.zeros((3, 2)), groups, phi)
    np.testing.assert_array_equal(weights, [2, 0, 0])
    np.testing.assert_array_equal(means[0], [0.5, 0])
    np.testing.assert_array_equal(means[1], [9, 9])
    assert means[2].tolist() in phi.tolist()


def test_more_clusters_than_objects_are_refused_in_low_rank():
    with pytest.raises(ValueError, match="n_clusters is 5, and n_samples=3 only"):
        gm.KernelKMeans(5, gm.Gaussian(1.0), rank=2).fit(BLOBS[:3])
