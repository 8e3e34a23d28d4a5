"""Scores and weights of collections: the numbers of one machine, with the same bits whoever works."""

import dask
import dask.array as da
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pytest

import gramian as gm

RNG = np.random.default_rng(11)
N, ROWS = 600, 70
X = RNG.normal(size=(N, 3))
Y = X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * RNG.normal(size=N)
LABELS = np.array(["hare", "fox", "owl"])[np.digitize(Y, np.quantile(Y, [0.3, 0.6]))]
WEIGHTS = RNG.integers(0, 4, N) / 2.0
KERNEL = gm.Gaussian("median")
WEIGHED = {
    "ridge": (lambda rank: gm.KernelRidge(KERNEL, 0.1, rank=rank), Y),
    "two targets": (lambda rank: gm.KernelRidge(KERNEL, 0.1, rank=rank), np.column_stack([Y, Y**2])),
    "huge targets": (lambda rank: gm.KernelRidge(KERNEL, 0.1, rank=rank), 1e200 * Y),
    "chosen ridge": (lambda rank: gm.KernelRidge(KERNEL, [0.1, 1.0], rank=rank), Y),
    "classifier": (lambda rank: gm.KernelClassifier(KERNEL, 0.1, rank=rank), LABELS),
}
TOL = 1e-7  # of sums in another order, beside a ridge of 0.1 in a K of trace N


@pytest.fixture(scope="module")
def cluster():
    """Workers in this process, which start at once: what processes do is tested elsewhere."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0", silence_logs=50
    ) as cluster:
        yield cluster


def chunked(array, rows=ROWS):
    return da.from_array(array, chunks=(rows, *array.shape[1:]))


@pytest.mark.parametrize("rank", [30, None])
@pytest.mark.parametrize("name", WEIGHED)
def test_weights_of_a_collection_count_as_they_do_on_one_machine(name, rank, client):
    make, y = WEIGHED[name]
    here = make(rank).fit(X, y, sample_weight=WEIGHTS)
    there = make(rank).fit(chunked(X), chunked(y), sample_weight=chunked(WEIGHTS))
    scale = np.abs(here.dual_coef_).max()
    assert there.kernel_ == here.kernel_
    assert there.ridge_ == here.ridge_
    np.testing.assert_allclose(there.dual_coef_, here.dual_coef_, atol=TOL * scale)
    plain = make(rank).fit(X, y)
    assert np.abs(plain.predict(X) != here.predict(X)).any()  # they do count
    expected = here.score(X, y, sample_weight=WEIGHTS)
    assert there.score(chunked(X), chunked(y), chunked(WEIGHTS)) == pytest.approx(expected, rel=1e-9)
    assert there.score(chunked(X, 91), y, sample_weight=list(WEIGHTS)) == pytest.approx(expected, rel=1e-9)
    assert there.score(chunked(X), chunked(y)) == pytest.approx(here.score(X, y), rel=1e-9)


@pytest.mark.parametrize("name", ["ridge", "classifier"])
def test_weighted_sums_and_scores_have_the_same_bits_whoever_works(name, cluster):
    make, y = WEIGHED[name]
    given = chunked(X), chunked(y), chunked(WEIGHTS)
    with dask.config.set(scheduler="synchronous"):
        here = make(30).fit(*given)
        score = here.score(*given)
    with distributed.Client(cluster):
        there = make(30).fit(*given)
        np.testing.assert_array_equal(there.dual_coef_, here.dual_coef_)
        assert there.score(*given) == score


def test_a_weight_of_nothing_is_an_object_that_is_not_there(client):
    held = WEIGHTS > 0
    model = gm.KernelRidge(gm.Gaussian("median"), 0.1, rank=30)
    part = model.fit(chunked(X), chunked(Y), sample_weight=chunked(held.astype(float))).predict(X)
    alone = gm.KernelRidge(gm.Gaussian("median"), 0.1, rank=30).fit(X[held], Y[held]).predict(X)
    np.testing.assert_allclose(part, alone, atol=TOL * np.abs(Y).max())


def test_learning_goes_on_with_weights(client):
    half = N // 2
    model, here = (gm.KernelRidge(gm.Gaussian(1.5), 0.1, rank=30) for _ in range(2))
    for some in (slice(half), slice(half, N)):
        model.partial_fit(chunked(X[some]), chunked(Y[some]), sample_weight=chunked(WEIGHTS[some]))
        here.partial_fit(X[some], Y[some], sample_weight=WEIGHTS[some])
    np.testing.assert_allclose(model.predict(X), here.predict(X), atol=TOL * np.abs(Y).max())


@pytest.mark.parametrize("rank", [20, None])
@pytest.mark.parametrize("make", [gm.FisherDiscriminant, gm.ParzenClassifier], ids=lambda kind: kind.__name__)
def test_classifiers_are_scored_on_collections(make, rank, client):
    model = make(gm.Gaussian(1.5), rank=rank).fit(chunked(X), chunked(LABELS))
    assert model.score(chunked(X), chunked(LABELS)) == model.score(X, LABELS)
    weighted = model.score(X, LABELS, sample_weight=WEIGHTS)
    assert model.score(chunked(X), chunked(LABELS), sample_weight=chunked(WEIGHTS)) == pytest.approx(weighted)


def test_clusters_frames_and_searches_are_scored_too(client):
    clusters = gm.KernelKMeans(3, gm.Gaussian(1.0), rank=25, random_state=0).fit(chunked(X))
    assert clusters.score(chunked(X)) == pytest.approx(clusters.score(X), rel=1e-12)
    assert -clusters.score(X) == pytest.approx(clusters.inertia_, rel=1e-9)
    table = pd.DataFrame(X, columns=list("abc")).assign(y=Y)
    parts = dd.from_pandas(table, npartitions=4)
    model = gm.KernelRidge(gm.Gaussian(1.0), rank=20).fit(table[["a", "b", "c"]], table.y)
    expected = model.score(table[["a", "b", "c"]], table.y)
    assert model.score(parts[["a", "b", "c"]], parts.y) == pytest.approx(expected)
    with pytest.raises(ValueError, match="columns 'b', 'a', 'c', and KernelRidge has learnt from 'a', 'b', 'c'"):
        model.predict(parts[["b", "a", "c"]])
    search = gm.KernelSearch(gm.KernelRidge(rank=20), [gm.Gaussian(1.0), gm.Linear()]).fit(X, Y)
    assert search.score(chunked(X), chunked(Y)) == pytest.approx(search.score(X, Y))


def test_scores_at_the_edge_are_those_of_one_machine(client):
    model = gm.KernelRidge(gm.Linear(), 0.1, rank=3).fit(X, Y)
    constant = np.full(N, 2.0)
    assert model.score(chunked(X), chunked(constant)) == model.score(X, constant) == 0.0
    with pytest.warns(UserWarning, match="fewer than two"):
        assert np.isnan(model.score(chunked(X[:1]), chunked(Y[:1])))
    with pytest.raises(ValueError, match=r"score\(X, y\)"):
        model.score(chunked(X), None)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (-WEIGHTS, r"partition \d: sample_weight is -1.5 in row \d+"),
        (WEIGHTS * np.nan, r"partition \d: .*sample_weight holds nan in row \d+"),
        (WEIGHTS * 0, "at least one non-zero|zero for every object"),
        (WEIGHTS[:90], "sample_weight has 90 values"),
        (np.ones((N, 2)), "a number for each object"),
        (WEIGHTS * 1e150, "divide the weights"),
    ],
)
@pytest.mark.parametrize("lazy", [True, False])
def test_weights_that_are_none_are_refused(weights, message, lazy, client):
    given = chunked(weights) if lazy else weights
    with pytest.raises(ValueError, match=message):
        gm.KernelRidge(gm.Gaussian(1.0), rank=10).fit(chunked(X), chunked(Y), sample_weight=given)


def test_classes_that_weigh_nothing_do_not_count(client):
    only = (LABELS == "fox").astype(float)
    with pytest.raises(ValueError, match="objects of one class only, 'fox', have a weight above 0"):
        gm.KernelClassifier(gm.Gaussian(1.0), rank=10).fit(chunked(X), chunked(LABELS), sample_weight=chunked(only))
