"""Learners in low rank on collections: the answer has the bits of one machine on the same chunks, whoever works."""

import dask
import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pytest

import gramian as gm
from gramian.learn import lowrank
from gramian.runtime import threads

RNG = np.random.default_rng(3)
N, ROWS = 700, 90
X = RNG.normal(size=(N, 3)) + np.array([0.0, 5.0, -1.0])
Y = X[:, 0] + np.sin(3 * X[:, 1]) + 0.1 * RNG.normal(size=N)
LABELS = np.array(["hare", "fox", "owl"])[np.digitize(Y, np.quantile(Y, [0.3, 0.6]))]
KERNEL = gm.Gaussian(2.0)
LEARNERS = {
    "ridge": (lambda: gm.KernelRidge(KERNEL, rank=30), Y, "predict"),
    "ridge, two targets": (lambda: gm.KernelRidge(KERNEL, rank=30), np.column_stack([Y, -2 * Y]), "predict"),
    "ridge, huge targets": (lambda: gm.KernelRidge(KERNEL, rank=30), Y * 1e200, "predict"),
    "classifier": (lambda: gm.KernelClassifier(KERNEL, rank=30), LABELS, "decision_function"),
    "Fisher": (lambda: gm.FisherDiscriminant(KERNEL, rank=30), LABELS, "decision_function"),
    "components": (lambda: gm.KernelPCA(3, KERNEL, rank=30), None, "transform"),
    "novelty": (lambda: gm.NoveltyDetector(KERNEL, rank=30, random_state=1), None, "score_samples"),
    "novelty, bound": (lambda: gm.NoveltyDetector(KERNEL, rank=30, calibration="bound"), None, "score_samples"),
    "Parzen": (lambda: gm.ParzenClassifier(KERNEL, rank=30), LABELS, "decision_function"),
    "clusters": (lambda: gm.KernelKMeans(4, KERNEL, rank=30, random_state=0), None, "transform"),
    "Gram-Schmidt": (lambda: gm.GramSchmidt(KERNEL, rank=12), None, "transform"),
    "settled": (lambda: gm.KernelRidge(gm.Gaussian("median"), rank=30), Y, "predict"),
    "unsteady": (lambda: gm.KernelRidge(gm.Gaussian(30.0), rank=30), Y, "predict"),
}
pytestmark = pytest.mark.filterwarnings("ignore:.*can never fire")


def chunked(array, rows=ROWS):
    return None if array is None else da.from_array(array, chunks=(rows, *array.shape[1:]))


def learnt(name, X=X, rows=ROWS):
    make, y, _ = LEARNERS[name]
    return make().fit(chunked(X, rows), chunked(y, rows))


def answer(name, model, Z=X):
    return getattr(model, LEARNERS[name][2])(Z)


@pytest.fixture(scope="module")
def of_one_machine():
    def fitted(name):
        make, y, _ = LEARNERS[name]
        return answer(name, make().fit(gm.Batches(X, target=y, rows=ROWS)))

    return {name: fitted(name) for name in LEARNERS}


@pytest.mark.parametrize("name", LEARNERS)
def test_a_collection_teaches_what_batches_of_the_same_rows_do_to_the_last_bit(name, of_one_machine, client):
    model = learnt(name)
    np.testing.assert_array_equal(answer(name, model), of_one_machine[name])
    lazy = answer(name, model, chunked(X))
    assert isinstance(lazy, da.Array)
    assert lazy.chunks[0] == chunked(X).chunks[0]
    here = np.concatenate([answer(name, model, X[start : start + ROWS]) for start in range(0, N, ROWS)])
    np.testing.assert_array_equal(lazy.compute(), here)
    assert (lazy.dtype, lazy.shape) == (here.dtype, here.shape)


@pytest.mark.parametrize("name", LEARNERS)
def test_without_a_client_the_scheduler_of_dask_gives_the_same_bits(name, of_one_machine):
    with dask.config.set(scheduler="synchronous"):
        np.testing.assert_array_equal(answer(name, learnt(name)), of_one_machine[name])
    with dask.config.set(scheduler="threads", num_workers=3):
        np.testing.assert_array_equal(answer(name, learnt(name)), of_one_machine[name])


@pytest.mark.parametrize("name", ["ridge", "classifier", "novelty", "clusters", "Gram-Schmidt"])
def test_one_worker_and_three_give_the_same_bits(name, of_one_machine):
    for workers, at_once in [(1, 1), (1, 2), (3, 1)]:
        with (
            distributed.LocalCluster(
                n_workers=workers, threads_per_worker=at_once, processes=False, dashboard_address=":0", silence_logs=50
            ) as cluster,
            distributed.Client(cluster),
        ):
            np.testing.assert_array_equal(answer(name, learnt(name)), of_one_machine[name])


@pytest.mark.parametrize("lanes", [1, 2, 5])
def test_sums_do_not_depend_on_how_many_cores_there_are(lanes, of_one_machine, monkeypatch):
    monkeypatch.setattr("gramian.places.cores.place.cores", lambda: lanes)
    monkeypatch.setattr("gramian.space.moments.MOMENT_ROWS", 16)
    seen = []
    for count in (1, lanes):
        monkeypatch.setattr("gramian.places.cores.place.cores", lambda count=count: count)
        seen.append(answer("ridge", LEARNERS["ridge"][0]().fit(X, Y)))
    np.testing.assert_array_equal(*seen)


def test_work_done_alone_has_one_core():
    with threads.alone():
        assert threads.cores() == 1
    assert threads.cores() >= 1


@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "ridge, huge targets"])
def test_the_chunks_do_not_matter_but_for_rounding(name):
    few, many = learnt(name, rows=350), learnt(name, rows=61)
    tolerance = 1e-6 * np.abs(answer(name, few)).max()
    np.testing.assert_allclose(answer(name, many), answer(name, few), atol=tolerance)


def test_learning_goes_on_with_more_of_a_collection():
    half = N // 2
    model = gm.KernelRidge(KERNEL, 0.1, rank=30).fit(chunked(X[:half]), chunked(Y[:half]))
    model.partial_fit(chunked(X[half:]), chunked(Y[half:]))
    here = gm.KernelRidge(KERNEL, 0.1, rank=30).fit(gm.Batches(X[:half], target=Y[:half], rows=ROWS))
    here.partial_fit(gm.Batches(X[half:], target=Y[half:], rows=ROWS))
    np.testing.assert_array_equal(model.predict(X), here.predict(X))


def test_landmarks_come_from_all_partitions(monkeypatch):
    monkeypatch.setattr(lowrank, "HEAD", 200)
    sorted_rows = X[np.argsort(X[:, 0])]
    model = gm.KernelPCA(2, gm.Gaussian(0.5), rank=40).fit(chunked(sorted_rows, 50))
    found = model.sample_.points.parts[0]
    quarters = np.digitize(found[:, 0], np.quantile(X[:, 0], [0.25, 0.5, 0.75]))
    assert np.bincount(quarters, minlength=4).min() >= 3


# Collections of other kinds


def frame():
    names = RNG.choice(["red", "green", "blue"], N)
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "name": names})


def test_a_data_frame_of_numbers_and_categories_is_learnt_from_as_its_batches_are():
    table = frame()
    parts = dd.from_pandas(table, npartitions=7)
    kernel = gm.Gaussian(1.0).on("a", "b") + gm.Equality().on("name")
    model = gm.KernelRidge(kernel, rank=30).fit(parts, dd.from_pandas(pd.Series(Y), npartitions=7))
    one = gm.KernelRidge(kernel, rank=30).fit(gm.Batches(table, target=Y, rows=N // 7))
    np.testing.assert_array_equal(model.predict(table), one.predict(table))
    np.testing.assert_allclose(model.predict(parts).compute(), one.predict(table), rtol=1e-12)


def test_names_of_columns_are_kept_and_asked_for():
    parts = dd.from_pandas(frame()[["a", "b"]], npartitions=3)
    model = gm.KernelPCA(2, KERNEL, rank=20).fit(parts)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.transform(parts).compute().shape == (N, 2)


@pytest.mark.parametrize("kind", ["bag", "column"])
def test_texts_are_learnt_from_in_a_bag_or_a_column(kind):
    texts = [f"the {a} and the {b}" for a in ("cat", "dog", "owl", "hen") for b in ("sea", "sky", "hill")] * 3
    parts = db.from_sequence(texts, npartitions=4) if kind == "bag" else None
    parts = dd.from_pandas(pd.Series(texts), npartitions=4) if kind == "column" else parts
    model = gm.KernelPCA(2, gm.Spectrum(2), rank=8).fit(parts)
    one = gm.KernelPCA(2, gm.Spectrum(2), rank=8).fit(gm.Batches(texts, rows=9))
    np.testing.assert_array_equal(model.transform(texts), one.transform(texts))
    np.testing.assert_allclose(model.transform(parts).compute(), one.transform(texts), atol=1e-12)


def test_chunks_of_unknown_length_are_counted_and_empty_ones_left_out():
    rows = chunked(X)[chunked(X)[:, 0] > 1.5]
    held = X[X[:, 0] > 1.5]
    model = gm.KernelPCA(2, KERNEL, rank=20).fit(rows)
    assert model._summed.summary.count == len(held)
    answers = model.transform(rows).compute()
    np.testing.assert_allclose(answers, model.transform(held), atol=1e-12)


def test_columns_that_are_in_several_chunks_are_brought_together():
    cut = da.from_array(X, chunks=(ROWS, 2))
    np.testing.assert_array_equal(
        gm.KernelPCA(2, KERNEL, rank=20).fit(cut).transform(X),
        gm.KernelPCA(2, KERNEL, rank=20).fit(chunked(X)).transform(X),
    )


def test_targets_may_be_in_other_chunks_or_at_hand():
    wanted = gm.KernelRidge(KERNEL, 0.1, rank=20).fit(chunked(X), chunked(Y)).predict(X)
    for y in (chunked(Y, 200), Y, list(Y)):
        found = gm.KernelRidge(KERNEL, 0.1, rank=20).fit(chunked(X), y).predict(X)
        np.testing.assert_array_equal(found, wanted)


def test_single_precision_stays_single():
    model = gm.KernelPCA(2, KERNEL, rank=20).fit(chunked(X.astype(np.float32)))
    lazy = model.transform(chunked(X.astype(np.float32)))
    assert lazy.dtype == lazy.compute().dtype == np.float32


def test_the_conformal_guarantee_holds_of_a_collection():
    rng = np.random.default_rng(8)
    points = rng.normal(size=(3000, 2))
    detector = gm.NoveltyDetector(gm.Gaussian(1.0), rank=20, alpha=0.1, calibration_size=0.3, random_state=0)
    detector.fit(chunked(points, 250))
    assert 700 < len(detector.distances_) < 1100
    alarms = detector.predict(rng.normal(size=(4000, 2))) == -1
    # A binomial rate given the threshold, which itself is known from some 900 objects
    spread = np.sqrt(0.1 * 0.9 * (1 / 4000 + 1 / len(detector.distances_)))
    assert abs(alarms.mean() - 0.1) < 5 * spread
    assert detector.false_alarm_bound_ <= 0.1


def test_a_cluster_behind_tls_works_as_any(of_one_machine):
    pytest.importorskip("cryptography", reason="cryptography is not installed, which makes certificates")
    security = distributed.Security.temporary()
    with (
        distributed.LocalCluster(
            n_workers=1, processes=False, protocol="tls://", security=security, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster.scheduler_address, security=security) as client,
    ):
        assert client.scheduler.address.startswith("tls://")
        np.testing.assert_array_equal(answer("ridge", learnt("ridge")), of_one_machine["ridge"])
