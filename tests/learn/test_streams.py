"""Samples that come in batches: the answer is that of all objects at once, however they are cut, wherever they lie."""

import pickle
import subprocess
import sys
import textwrap
import warnings
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import gramian as gm
from gramian.learn import lowrank as lowrank_module

from .conftest import answers, assert_equal_answers, assert_same_answers, few_objects

pytestmark = few_objects

N, RANK = 90, 10
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
X[1::2] += 1.5
Z = RNG.normal(size=(9, 3)) + 0.7
Y = np.sin(X).sum(axis=1) + 3
LABELS = np.array([4, 7, 9])[RNG.integers(3, size=N)]
WORDS = ["".join(RNG.choice(list("abcd"), RNG.integers(3, 8))) for _ in range(N)]
KERNEL = gm.Gaussian("median")

LEARNERS = {
    "ridge": (lambda k, **more: gm.KernelRidge(k, 0.3, True, **more), Y),
    "ridge-loo": (lambda k, **more: gm.KernelRidge(k, "loo", **more), Y),
    "ridge-projection": (lambda k, **more: gm.KernelRidge(k, 0.3, smoother="projection", **more), Y),
    "fisher": (lambda k, **more: gm.FisherDiscriminant(k, 0.1, **more), LABELS),
    "fisher-loo": (lambda k, **more: gm.FisherDiscriminant(k, "loo", **more), LABELS),
    "parzen": (lambda k, **more: gm.ParzenClassifier(k, **more), LABELS),
    "novelty": (lambda k, **more: gm.NoveltyDetector(k, calibration="bound", **more), None),
    "pca": (lambda k, **more: gm.KernelPCA(3, k, **more), None),
}
every_learner = pytest.mark.parametrize("which", LEARNERS)
PARTIAL = [name for name in LEARNERS if name != "pca"]
every_partial = pytest.mark.parametrize("which", PARTIAL)


def parts(X, y, size):
    """Batches as a user makes them."""
    for i in range(0, len(X), size):
        yield (X[i : i + size], y[i : i + size]) if y is not None else X[i : i + size]


def in_parts(model, X, y, sizes, weights=None):
    """Return a model that has learnt piece by piece."""
    start = 0
    for size in sizes:
        span = slice(start, start + size)
        more = {} if weights is None else {"sample_weight": weights[span]}
        model.partial_fit(X[span], None if y is None else y[span], **more)
        start += size
    assert start == len(X)
    return model


# fit


@every_learner
@pytest.mark.parametrize("rank", [None, RANK])
@pytest.mark.parametrize("rows", [7, 45, 64, N, 1000])
def test_batches_of_any_size_give_what_the_array_gives(rows, rank, which):
    make, y = LEARNERS[which]
    whole = make(KERNEL, rank=rank).fit(X, y)
    found = make(KERNEL, rank=rank).fit(gm.Batches(X, target=y, rows=rows))
    assert found.kernel_ == whole.kernel_
    assert_same_answers(whole, found, Z, tol=1e-9)
    if hasattr(whole, "threshold_"):
        assert found.threshold_ == pytest.approx(whole.threshold_, rel=1e-9)


def sources(folder, y):
    np.save(folder / "X.npy", X)
    if y is not None:
        np.save(folder / "y.npy", y)
    table = pa.table({f"x{i}": X[:, i] for i in range(3)} | ({} if y is None else {"y": y}))
    pq.write_table(table, folder / "X.parquet", row_group_size=30)
    target = None if y is None else folder / "y.npy"
    return {
        "array": gm.Batches(X, target=y, rows=40),
        "file": gm.Batches(folder / "X.npy", target=target, rows=40),
        "mapped": gm.Batches(np.load(folder / "X.npy", mmap_mode="r"), target=y, rows=40),
        "parquet": gm.Batches(folder / "X.parquet", target=None if y is None else "y", rows=40),
        "function": gm.Batches(lambda: parts(X, y, 25), rows=40),
        "generator": parts(X, y, 25),
        "batches of a generator": gm.Batches(parts(X, y, 25), rows=40),
        "list of one": iter([(X, y) if y is not None else X]),
    }


@every_learner
@pytest.mark.parametrize("rank", [None, RANK])
def test_every_source_gives_what_the_array_gives(rank, which, tmp_path):
    make, y = LEARNERS[which]
    whole = make(KERNEL, rank=rank).fit(X, y)
    for name, source in sources(tmp_path, y).items():
        found = make(KERNEL, rank=rank).fit(source)
        expected, given_answers = answers(whole, Z), answers(found, Z)
        if which == "novelty" and rank is not None and "generator" in name:
            # Seen once: the threshold is a bound
            assert found.threshold_ >= whole.threshold_ - 1e-12
            expected, given_answers = ({"d": a["score_samples"]} for a in (expected, given_answers))
        assert_equal_answers(expected, given_answers, tol=1e-9)


@every_learner
@pytest.mark.parametrize("rank", [None, RANK])
@pytest.mark.parametrize("kernel", [gm.Spectrum(2), gm.Subsequences(2, 0.5)], ids=str)
def test_strings_come_in_batches_too(kernel, rank, which):
    make, y = LEARNERS[which]
    whole = make(kernel, rank=rank).fit(WORDS, y)
    found = make(kernel, rank=rank).fit(gm.Batches(WORDS, target=y, rows=20))
    assert_same_answers(whole, found, WORDS[:9], tol=1e-8)


@pytest.mark.parametrize("rank", [None, RANK])
def test_records_come_in_batches_too(rank, tmp_path):
    pq.write_table(pa.table({"age": X[:, 0], "name": WORDS, "y": Y}), tmp_path / "t.parquet")
    kernel = gm.Gaussian(1.0).on("age") + gm.Spectrum(2).on("name").normalize()
    rows = [{"age": float(a), "name": w} for a, w in zip(X[:, 0], WORDS, strict=True)]
    whole = gm.KernelRidge(kernel, 0.3, rank=rank).fit(rows, Y)
    found = gm.KernelRidge(kernel, 0.3, rank=rank).fit(gm.Batches(tmp_path / "t.parquet", target="y", rows=25))
    np.testing.assert_allclose(found.predict(rows[:9]), whole.predict(rows[:9]), atol=1e-9)


def test_several_targets_come_in_batches():
    both = np.column_stack([Y, X[:, 0]])
    whole = gm.KernelRidge(KERNEL, 0.3, rank=RANK).fit(X, both)
    found = gm.KernelRidge(KERNEL, 0.3, rank=RANK).fit(gm.Batches(X, target=both, rows=31))
    np.testing.assert_allclose(found.predict(Z), whole.predict(Z), atol=1e-10)


def test_single_precision_comes_in_batches():
    single = X.astype(np.float32)
    whole = gm.KernelRidge(gm.Gaussian(1.0), 0.3, rank=RANK).fit(single, Y)
    found = gm.KernelRidge(gm.Gaussian(1.0), 0.3, rank=RANK).fit(gm.Batches(single, target=Y, rows=31))
    np.testing.assert_allclose(found.predict(Z), whole.predict(Z), atol=2e-3)


def test_the_kernel_is_settled_and_landmarks_are_chosen_on_a_part_of_a_long_stream(monkeypatch):
    monkeypatch.setattr(lowrank_module, "HEAD", 40)
    seen = []
    fit = gm.Nystrom.fit
    monkeypatch.setattr(gm.Nystrom, "fit", lambda self, X: seen.append(len(X)) or fit(self, X))
    model = gm.KernelRidge(KERNEL, 0.3, rank=RANK).fit(gm.Batches(X, target=Y, rows=30))
    assert seen == [40]
    low = gm.Nystrom(model.kernel_, landmarks=model.sample_.points.parts[0])
    F = low.features(X)
    beta = np.linalg.solve(F.T @ F + 0.3 * np.eye(F.shape[1]), F.T @ Y)
    np.testing.assert_allclose(model.predict(Z), low.features(Z) @ beta, atol=1e-8)


@every_learner
def test_a_long_stream_of_known_length_is_reduced_with_a_warning(which, monkeypatch):
    monkeypatch.setattr(lowrank_module, "AFFORDABLE", 1000.0)
    monkeypatch.setattr(lowrank_module, "DEFAULT_RANK", RANK)
    make, y = LEARNERS[which]
    with pytest.warns(UserWarning, match=f"{N} objects cannot be worked through exactly"):
        found = make(KERNEL).fit(gm.Batches(X, target=y, rows=30))
    assert_same_answers(make(KERNEL, rank=RANK).fit(X, y), found, Z, tol=1e-9)


def test_targets_come_with_the_batches_and_from_nowhere_else():
    for rank in (None, RANK):
        with pytest.raises(ValueError, match="requires y|target"):
            gm.KernelRidge(KERNEL, 0.3, rank=rank).fit(gm.Batches(X, rows=30))
        for model in (gm.KernelRidge(KERNEL, 0.3, rank=rank), gm.ParzenClassifier(KERNEL, rank=rank)):
            with pytest.raises((TypeError, ValueError), match="y"):
                model.fit(gm.Batches(X, target=LABELS, rows=30), LABELS[::-1])


@pytest.mark.parametrize("rank", [None, RANK])
def test_weights_of_a_stream_are_refused_with_a_reason_or_used(rank):
    w = RNG.uniform(0.1, 3.0, size=N)
    whole = gm.KernelRidge(gm.Gaussian(1.0), 0.3, rank=rank).fit(X, Y, w)
    try:
        found = gm.KernelRidge(gm.Gaussian(1.0), 0.3, rank=rank).fit(gm.Batches(X, target=Y, rows=40), sample_weight=w)
    except (TypeError, ValueError) as error:
        assert "sample_weight" in str(error)  # noqa: PT017
    else:
        np.testing.assert_allclose(found.predict(Z), whole.predict(Z), atol=1e-9)


def test_a_bad_batch_is_named_by_its_row():
    bad = X.copy()
    bad[70, 1] = np.nan
    for rank in (None, RANK):
        with pytest.raises(ValueError, match="70"):
            gm.KernelRidge(KERNEL, 0.3, rank=rank).fit(gm.Batches(bad, target=Y, rows=30))
    with pytest.raises(ValueError, match="batch 1 is 2 columns"):
        gm.NoveltyDetector(KERNEL, rank=RANK, calibration="bound").fit(iter([X, X[:, :2]]))
    with pytest.raises(ValueError, match="no objects"):
        gm.NoveltyDetector(KERNEL, rank=RANK, calibration="bound").fit(iter([]))


def test_empty_batches_are_passed_over():
    found = gm.NoveltyDetector(gm.Gaussian(1.0), rank=RANK, calibration="bound").fit(
        gm.Batches(lambda: iter([X[:0], X[:50], X[:0], X[50:]]))
    )
    whole = gm.NoveltyDetector(gm.Gaussian(1.0), rank=RANK, calibration="bound").fit(X)
    assert found.threshold_ == pytest.approx(whole.threshold_, rel=1e-12)


@pytest.mark.parametrize("rows", [30, 44, 89])
def test_conformal_detectors_take_batches_whatever_is_left_for_the_last(rows):
    model = gm.NoveltyDetector(gm.Gaussian(1.0), calibration="conformal", alpha=0.2, random_state=0, rank=RANK)
    model.fit(gm.Batches(X, rows=rows))
    assert 0.3 * N <= len(model.distances_) <= 0.6 * N
    assert np.isfinite(model.threshold_)
    assert (model.predict(X + 40.0) == -1).all()


def test_conformal_detectors_from_streams_keep_their_promise():
    rng = np.random.default_rng(5)
    alarms = []
    for seed in range(60):
        model = gm.NoveltyDetector(gm.Gaussian(1.0), calibration="conformal", alpha=0.2, random_state=seed, rank=6)
        model.fit(gm.Batches(rng.normal(size=(36, 2)), rows=12))
        alarms.append(np.mean(model.predict(rng.normal(size=(40, 2))) == -1))
    assert np.mean(alarms) <= 0.2 + 4 * 0.11 / np.sqrt(60)


# partial_fit


def sizes_of(data, most=5):
    """Draw sizes of batches that make N; the first has enough for every landmark and class."""
    first = data.draw(st.integers(30, 60))
    cuts = sorted({data.draw(st.integers(first, N)) for _ in range(data.draw(st.integers(0, most)))} | {first, N})
    return [first, *np.diff(cuts)] if cuts[0] == first else [first]


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=st.data())
@pytest.mark.parametrize("which", ["parzen", "novelty"])
def test_exact_learners_learn_from_pieces_what_they_learn_from_all(which, data):
    make, y = LEARNERS[which]
    sizes = sizes_of(data)
    found = in_parts(make(gm.Gaussian(1.0)), X, y, sizes)
    whole = make(gm.Gaussian(1.0)).fit(X, y)
    assert_same_answers(whole, found, Z, tol=1e-12)
    if which == "novelty":
        assert found.threshold_ == pytest.approx(whole.threshold_, rel=1e-12)
        np.testing.assert_allclose(found.distances_, whole.distances_, rtol=1e-12)
        assert found.false_alarm_bound_ == whole.false_alarm_bound_
    else:
        np.testing.assert_allclose(found.dual_coef_, whole.dual_coef_, rtol=1e-12)
        np.testing.assert_allclose(found.offset_, whole.offset_, rtol=1e-11)


@pytest.mark.parametrize("which", ["parzen", "novelty"])
@pytest.mark.parametrize("kernel", [gm.Spectrum(2), gm.Subsequences(2, 0.5), gm.Linear()], ids=str)
def test_exact_learners_of_any_kernel_learn_from_pieces(kernel, which):
    make, y = LEARNERS[which]
    objects = X if kernel == gm.Linear() else WORDS
    found = in_parts(make(kernel), objects, y, [30, 1, 39, 20])
    assert_same_answers(make(kernel).fit(objects, y), found, objects[:9], tol=1e-11)


def in_features(which, F, y):
    """The learner on explicit features of all objects."""
    make = {
        "ridge": lambda: gm.KernelRidge(gm.Linear(), 0.3, True),
        "fisher": lambda: gm.FisherDiscriminant(gm.Linear(), 0.1),
        "parzen": lambda: gm.ParzenClassifier(gm.Linear()),
        "ridge-projection": lambda: gm.KernelRidge(gm.Linear(), 0.3, smoother="projection"),
    }[which]
    return make().fit(F, y)


@settings(max_examples=15, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("which", ["ridge", "ridge-projection", "fisher", "parzen"])
def test_pieces_in_low_rank_give_the_moments_of_all_in_the_landmarks_of_the_first(which, data):
    make, y = LEARNERS[which]
    sizes = sizes_of(data)
    found = in_parts(make(KERNEL, rank=RANK), X, y, sizes)
    low = gm.Nystrom(KERNEL, RANK).fit(X[: sizes[0]])
    assert found.kernel_ == low.base
    oracle = in_features(which, low.features(X), y)
    name = "predict" if which.startswith("ridge") else "decision_function"
    expected = getattr(oracle, name)(low.features(Z))
    np.testing.assert_allclose(getattr(found, name)(Z), expected, rtol=0, atol=1e-7 * np.abs(expected).max())
    left_out = 1 - np.square(low.features(X)).sum() / N
    assert found.trace_error_ == pytest.approx(left_out, rel=1e-7)


@every_partial
def test_one_piece_is_what_fit_takes(which):
    make, y = LEARNERS[which]
    found, whole = make(KERNEL, rank=RANK).partial_fit(X, y), make(KERNEL, rank=RANK).fit(X, y)
    assert_same_answers(whole, found, Z, tol=1e-12)


@every_partial
def test_pieces_after_a_fit_are_added_to_it(which):
    make, y = LEARNERS[which]
    first, second = (X[:50], None if y is None else y[:50]), (X[50:], None if y is None else y[50:])
    found = make(KERNEL, rank=RANK).fit(*first).partial_fit(*second)
    pieces = make(KERNEL, rank=RANK).partial_fit(*first).partial_fit(*second)
    assert_same_answers(pieces, found, Z, tol=1e-10)


@every_partial
def test_fit_after_pieces_starts_afresh(which):
    make, y = LEARNERS[which]
    for rank in (RANK, None):
        used = make(KERNEL, rank=RANK if which not in ("parzen", "novelty") else rank)
        used.partial_fit(X + 5, None if y is None else np.roll(y, 1)).set_params(rank=rank)
        assert_same_answers(make(KERNEL, rank=rank).fit(X, y), used.fit(X, y), Z, tol=1e-12)


@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("size", [5, 10, 30])
def test_the_threshold_of_objects_seen_once_is_never_too_small(size, fitted):
    rng = np.random.default_rng(size)
    for trial in range(4):
        points = rng.normal(size=(60, 2))
        points[rng.integers(40)] = 6.0  # far away, and early
        if trial % 2:
            points[30:] *= 0.1
        kernel = gm.Gaussian(1.0)
        model = gm.NoveltyDetector(kernel, rank=60, calibration="bound")
        if fitted:
            model.fit(points[:40])
        for i in range(40 if fitted else 0, 60, size):
            model.partial_fit(points[i : i + size])
        exact = -gm.NoveltyDetector(kernel, rank=60, calibration="bound").fit(points).score_samples(points)
        # Distances from the centre as it is: none of the objects seen may be called novel
        distances = -model.score_samples(points)
        margin = model.threshold_ - distances.max()
        bound = 2 * gm.NoveltyDetector(kernel, calibration="bound").fit(points).threshold_ - 2 * exact.max()
        assert margin >= bound / 2 - 1e-9
        assert model.false_alarm_bound_ == pytest.approx(1 / 61)


def test_a_stream_seen_once_has_a_threshold_that_is_not_too_small():
    for seed in range(5):
        points = np.random.default_rng(seed).normal(size=(80, 2)) * np.linspace(3, 0.1, 80)[:, None]
        once, whole = (gm.NoveltyDetector(gm.Gaussian(1.0), rank=80, calibration="bound") for _ in range(2))
        once.fit(gm.Batches(iter([points[:40], points[40:]]), rows=16))
        whole.fit(points)
        assert once.threshold_ >= whole.threshold_ - 1e-9
        assert once.threshold_ <= whole.threshold_ + 2.0


# Classes


@pytest.mark.parametrize("rank", [None, RANK])
@pytest.mark.parametrize("which", ["parzen", "fisher"])
def test_a_class_may_turn_up_late(which, rank):
    if which == "fisher" and rank is None:
        rank = 60  # there partial_fit is always in low rank
    make, y = LEARNERS[which]
    order = np.argsort(y, kind="stable")[::-1]  # the last class first
    model = make(gm.Gaussian(1.0), rank=rank)
    seen = []
    for index in np.array_split(order, 6):
        model.partial_fit(X[index], y[index])
        seen.extend(y[index])
        if len(set(seen)) > 1 and min(np.unique(seen, return_counts=True)[1]) > 1:
            np.testing.assert_array_equal(model.classes_, np.unique(seen))
            assert set(model.predict(Z)) <= set(seen)
    if rank is None:
        assert_same_answers(make(gm.Gaussian(1.0)).fit(X, y), model, Z, tol=1e-11)
    else:
        low = gm.Nystrom(gm.Gaussian(1.0), rank).fit(X[np.array_split(order, 6)[0]])
        oracle = in_features(which, low.features(X), y)
        expected = oracle.decision_function(low.features(Z))
        np.testing.assert_allclose(model.decision_function(Z), expected, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("which", ["parzen", "fisher"])
def test_one_class_so_far_is_not_enough_to_predict_and_no_mistake(which):
    make, _ = LEARNERS[which]
    labels = np.repeat([0, 1], N // 2)
    for rank in (RANK, None):
        model = make(gm.Gaussian(1.0), rank=rank)
        model.partial_fit(X[: N // 2], labels[: N // 2])
        with pytest.raises(NotFittedError):
            model.predict(Z)
        model.partial_fit(X[N // 2 :], labels[N // 2 :])
        assert set(model.predict(X)) == {0, 1}


def test_one_member_of_a_class_so_far_is_not_enough_for_a_variance_and_no_mistake():
    labels = np.r_[np.zeros(40, int), [1], np.ones(49, int)]
    model = gm.FisherDiscriminant(gm.Gaussian(1.0), 0.1, rank=RANK).partial_fit(X[:41], labels[:41])
    with pytest.raises(NotFittedError):
        model.predict(Z)
    model.partial_fit(X[41:], labels[41:])
    low = gm.Nystrom(gm.Gaussian(1.0), RANK).fit(X[:41])
    oracle = in_features("fisher", low.features(X), labels)
    np.testing.assert_allclose(model.decision_function(Z), oracle.decision_function(low.features(Z)), atol=1e-7)


@pytest.mark.parametrize("rank", [None, RANK])
def test_labels_of_different_types_are_refused(rank):
    model = gm.ParzenClassifier(gm.Gaussian(1.0), rank=rank).partial_fit(X[:40], LABELS[:40])
    with pytest.raises(TypeError, match="labels of different types"):
        model.partial_fit(X[40:], LABELS[40:].astype(str))
    with pytest.raises(ValueError, match="batch 1 is"):
        gm.ParzenClassifier(gm.Gaussian(1.0), rank=rank).fit(
            iter([(X[:40], LABELS[:40]), (X[40:], LABELS[40:].astype(str))])
        )


@pytest.mark.parametrize("kind", [str, float, bool, object])
def test_labels_of_every_kind_are_kept(kind):
    labels = (LABELS > 4) if kind is bool else LABELS.astype(str if kind is object else kind).astype(kind)
    for rank in (None, RANK):
        found = in_parts(gm.ParzenClassifier(gm.Gaussian(1.0), rank=rank), X, labels, [45, 45])
        np.testing.assert_array_equal(found.classes_, np.unique(labels))
        assert set(found.predict(X)) <= set(labels)


def test_the_classes_that_scikit_learn_asks_for_are_not_needed():
    for which in ("parzen", "fisher"):
        make, y = LEARNERS[which]
        a = make(KERNEL, rank=RANK).partial_fit(X, y, classes=[4, 7, 9])
        assert_same_answers(make(KERNEL, rank=RANK).partial_fit(X, y), a, Z)


# Weights


def test_weights_come_with_every_piece_or_count_as_one():
    w = RNG.uniform(0.1, 5.0, size=N)
    found = in_parts(gm.KernelRidge(gm.Gaussian(1.0), 0.3, rank=RANK), X, Y, [40, 50], w)
    low = gm.Nystrom(gm.Gaussian(1.0), RANK).fit(X[:40])
    oracle = gm.KernelRidge(gm.Linear(), 0.3).fit(low.features(X), Y, w)
    np.testing.assert_allclose(found.predict(Z), oracle.predict(low.features(Z)), atol=1e-8)
    assert found.loo_error_ == pytest.approx(oracle.loo_error_, rel=1e-7)
    for first, second in ((w[:40], None), (None, w[40:])):
        some = gm.KernelRidge(gm.Gaussian(1.0), 0.3, rank=RANK)
        some.partial_fit(X[:40], Y[:40], first).partial_fit(X[40:], Y[40:], second)
        all_weights = np.r_[np.ones(40) if first is None else first, np.ones(50) if second is None else second]
        oracle = gm.KernelRidge(gm.Linear(), 0.3).fit(low.features(X), Y, all_weights)
        np.testing.assert_allclose(some.predict(Z), oracle.predict(low.features(Z)), atol=1e-8)
        assert some.loo_error_ == pytest.approx(oracle.loo_error_, rel=1e-7)
        assert some.effective_dof_ == pytest.approx(oracle.effective_dof_, rel=1e-7)


# What is refused, and what a refused piece leaves behind


def bad_pieces(y):
    short = None if y is None else y[:20]
    broken = X[:20].copy()
    broken[3, 1] = np.nan
    yield "wide", X[:20, :2], short, "X has 2 features"
    yield "missing", broken, short, "NaN"
    yield "empty", X[:0], None if y is None else y[:0], "0 sample"
    yield "strings", ["abc"] * 20, short, "could not convert|dtype|numbers|numeric|1D array"
    if y is not None:
        yield "length", X[:20], y[:19], "inconsistent numbers of samples"
        yield "no target", X[:20], None, "requires y"


@pytest.mark.parametrize("which", ["ridge", "fisher", "parzen", "novelty"])
@pytest.mark.parametrize("rank", [None, RANK])
def test_a_piece_that_is_refused_changes_nothing(rank, which):
    make, y = LEARNERS[which]
    for name, objects, targets, message in bad_pieces(y):
        model = make(gm.Gaussian(1.0), rank=rank).partial_fit(X, y)
        before = answers(model, Z)
        with pytest.raises((ValueError, TypeError), match=message):
            model.partial_fit(objects, targets)
        after = answers(model, Z)
        assert all(np.array_equal(before[key], after[key]) for key in before), name
        good = None if y is None else y[:20]
        model.partial_fit(X[:20], good)
        twice = make(gm.Gaussian(1.0), rank=rank).partial_fit(X, y).partial_fit(X[:20], good)
        assert_same_answers(twice, model, Z, tol=1e-12)


def test_another_number_of_targets_is_refused_in_words():
    model = gm.KernelRidge(gm.Gaussian(1.0), 0.3, rank=RANK).partial_fit(X, Y)
    with pytest.raises(ValueError, match="target"):
        model.partial_fit(X, np.column_stack([Y, Y]))
    np.testing.assert_array_equal(
        model.predict(Z), gm.KernelRidge(gm.Gaussian(1.0), 0.3, rank=RANK).partial_fit(X, Y).predict(Z)
    )


def test_an_exact_rank_cannot_be_learnt_from_pieces_by_solvers():
    for which in ("ridge", "fisher"):
        make, y = LEARNERS[which]
        with pytest.raises((ValueError, AttributeError), match="exact"):
            make(gm.Gaussian(1.0), rank="exact").partial_fit(X, y)


def test_pieces_are_not_taken_by_a_conformal_detector():
    assert not hasattr(gm.NoveltyDetector(calibration="conformal"), "partial_fit")


@every_partial
def test_a_learner_in_the_midst_of_pieces_is_pickled_and_goes_on(which):
    make, y = LEARNERS[which]
    first, second = (X[:50], None if y is None else y[:50]), (X[50:], None if y is None else y[50:])
    for rank in (RANK, None):
        model = make(gm.Gaussian(1.0), rank=rank).partial_fit(*first)
        copy = pickle.loads(pickle.dumps(model))
        assert_same_answers(model.partial_fit(*second), copy.partial_fit(*second), Z)
        assert not hasattr(clone(model), "sample_")


# Memory

SCRIPT = """
    import sys
    import warnings
    from pathlib import Path
    import numpy as np
    import gramian as gm

    folder, which = sys.argv[1:]
    k = gm.Gaussian(3.0)
    if which == "parzen":
        batches = gm.Batches(folder + "/X.npy", target=folder + "/y.npy")
        model = gm.ParzenClassifier(k, rank=50).fit(batches)
        assert model.score(np.load(folder + "/X.npy", mmap_mode="r")[:1000], np.load(folder + "/y.npy")[:1000]) > 0.8
    else:
        warnings.filterwarnings("ignore", "this detector can never fire")  # 50 landmarks leave out much of the centre
        model = gm.NoveltyDetector(k, rank=50, calibration="bound").fit(gm.Batches(folder + "/X.npy"))
        assert model.false_alarm_bound_ == 1 / 1_000_001
    lines = Path("/proc/self/status").read_text().splitlines()  # ru_maxrss counts what the parent had
    print(1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is there on Linux only")
def test_a_million_objects_are_streamed_in_a_gigabyte(tmp_path):
    n = 1_000_000
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    rows = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float64, (n, 10))
    for start in range(0, n, 100_000):
        rows[start : start + 100_000] = rng.normal(size=(100_000, 10)) + 0.7 * y[start : start + 100_000, None]
    rows.flush()
    np.save(tmp_path / "y.npy", y)
    for which in ("parzen", "novelty"):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", textwrap.dedent(SCRIPT), str(tmp_path), which],
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) < 1e9


def test_nothing_is_warned_of_where_nothing_is_wrong():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        in_parts(gm.KernelRidge(gm.Gaussian(1.0), 0.3, rank=RANK), X, Y, [30, 30, 30])


# Found by others


@pytest.mark.parametrize("rows", [3000, 1000, 99])
def test_the_ridge_that_is_chosen_does_not_depend_on_how_the_data_is_cut(rows):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(3000, 2))
    labels = (A[:, 0] * A[:, 1] > 0).astype(int)
    model = gm.FisherDiscriminant(gm.Gaussian(1.0), rank=30)
    whole = gm.FisherDiscriminant(gm.Gaussian(1.0), rank=30).fit(A, labels)
    assert model.fit(gm.Batches(A, target=labels, rows=rows)).ridge_ == whole.ridge_


def test_names_of_columns_that_came_in_batches_are_kept():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=list("abc"))
    y = table["a"].to_numpy() ** 2
    for rank in (10, None):
        model = gm.KernelRidge(gm.Gaussian(1.0), ridge=0.1, rank=rank).fit(gm.Batches(table, target=y, rows=25))
        assert model.feature_names_in_.tolist() == ["a", "b", "c"]
        assert model.predict(table).shape == (60,)  # a warning would be an error
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(table[["c", "b", "a"]])


@pytest.mark.parametrize(
    "make",
    [gm.KernelRidge, gm.FisherDiscriminant, gm.ParzenClassifier, partial(gm.NoveltyDetector, calibration="bound")],
    ids=["ridge", "fisher", "parzen", "novelty"],
)
@pytest.mark.filterwarnings("ignore:this detector can never fire")
def test_what_was_learnt_in_another_way_is_not_forgotten_but_refused(make):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 2))
    y = np.arange(60) % 2
    model = make(gm.Gaussian(1.0)).fit(A, y)
    with pytest.raises(ValueError, match="cannot go on with other settings"):
        model.set_params(rank=10).partial_fit(A, y)
    low = make(gm.Gaussian(1.0), rank=10).fit(A, y).partial_fit(A, y)
    with pytest.raises(ValueError, match=r"has learnt in low rank, with Gaussian\(bandwidth=1.0\) and rank=10"):
        low.set_params(kernel__bandwidth=2.0).partial_fit(A, y)


def test_a_first_batch_that_is_refused_leaves_nothing_behind():
    A = np.random.default_rng(0).normal(size=(80, 2))
    y = A[:, 0] ** 2
    model = gm.KernelRidge(gm.Gaussian(1.0), ridge=0.1, rank=10)
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(A[:40], np.full(40, np.nan))
    fresh = gm.KernelRidge(gm.Gaussian(1.0), ridge=0.1, rank=10).partial_fit(A[40:], y[40:])
    np.testing.assert_array_equal(model.partial_fit(A[40:], y[40:]).predict(A), fresh.predict(A))


def test_new_objects_in_batches_and_names_of_files_are_answered_in_words():
    A = np.random.default_rng(0).normal(size=(20, 2))
    model = gm.KernelRidge(gm.Gaussian(1.0), ridge=0.1).fit(A, A[:, 0])
    with pytest.raises(TypeError, match="batch by batch"):
        model.predict(gm.Batches(A))
    with pytest.raises(TypeError, match=r"gm.Batches\('big.parquet'"):
        model.fit("big.parquet", A[:, 0])


@pytest.mark.parametrize("make", [lambda: gm.KernelRidge(gm.Gaussian(1.0), 0.1), gm.FisherDiscriminant, gm.KernelPCA])
def test_what_was_learnt_exactly_is_seen_through_landmarks_when_more_comes(make):
    A = np.random.default_rng(0).normal(size=(90, 2))
    y = (A[:, 0] > 0).astype(int)
    model = make().set_params(kernel=gm.Gaussian(1.0)).fit(A[:60], y[:60]).partial_fit(A[60:], y[60:])
    assert "90 objects" in model.solver_
    exact = make().set_params(kernel=gm.Gaussian(1.0)).fit(A, y)
    if hasattr(exact, "transform") and not hasattr(exact, "predict"):
        np.testing.assert_allclose(model.eigenvalues_[:5], exact.eigenvalues_[:5], rtol=1e-2)
    else:
        assert np.mean(np.abs(model.predict(A) - exact.predict(A))) < 0.05


BAD = {
    "nan": (np.full((5, 3), np.nan), None),
    "columns": (X[:5, :2], None),
    "empty": (X[:0], None),
    "targets too few": (X[:5], 4),
    "targets of another shape": (X[:5], (5, 2)),
    "targets without a number": (X[:5], np.nan),
}


@pytest.mark.parametrize("rank", [None, 10])
@pytest.mark.parametrize(
    ("which", "bad"),
    [
        (which, bad)
        for which, (_, y) in LEARNERS.items()
        for bad, (_, some) in BAD.items()
        if some is None or y is not None
    ],
)
def test_a_refused_batch_changes_nothing(which, rank, bad, tmp_path):
    """An exact model that is to learn more is seen through landmarks first, and was left like that by an error."""
    make, y = LEARNERS[which]
    objects, targets = BAD[bad]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make(KERNEL, rank=rank).fit(X, y)
        if y is not None:
            some = y[: targets if isinstance(targets, int) else len(objects)]
            if isinstance(targets, tuple):
                some = np.zeros(targets)
            elif isinstance(targets, float):
                some = np.full(5, targets)
        before, kept = answers(model, Z), dict(vars(model))
        with pytest.raises((ValueError, TypeError)):
            model.partial_fit(objects) if y is None else model.partial_fit(objects, some)
        assert vars(model).keys() == kept.keys()
        assert_equal_answers(answers(model, Z), before)
        gm.save(model, tmp_path / "model.gramian")
        assert_equal_answers(answers(gm.load(tmp_path / "model.gramian"), Z), before)
