"""A model that was saved and loaded is the model: the same answers to the last bit, and what was shared is shared."""

from __future__ import annotations

import os
import warnings
from inspect import isabstract
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import BaseEstimator

import gramian as gm
from gramian.kernels.value import Value
from gramian.models import load, save
from gramian.models.registry import ENTRIES

from ..kernels import cases  # noqa: TID252
from ..learn import conftest as learn  # noqa: TID252
from ..learn.conftest import LEARNERS, answers  # noqa: TID252
from . import forging

X, Y, LABELS = learn.vectors(), learn.numbers(), learn.labels()
WORDS = learn.words()
NEW = learn.more_vectors()


@pytest.fixture
def again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Save and load; the disk is not waited for."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)

    def through(model: Any) -> Any:
        path = tmp_path / "model.gramian"
        save(model, path, overwrite=True)
        return load(path)

    return through


def first(objects: Any, stop: int, start: int = 0) -> Any:
    return objects.iloc[start:stop] if isinstance(objects, pd.DataFrame) else objects[start:stop]


def assert_identical(found: Any, expected: Any) -> None:
    """Require the same answers, of the same types, to the last bit."""
    assert found.keys() == expected.keys()
    for name in expected:
        assert found[name].dtype == expected[name].dtype, name
        assert found[name].tobytes() == expected[name].tobytes(), name


SAMPLES: dict[str, tuple[Any, gm.Kernel]] = {
    "vectors": (X, gm.Gaussian("median")),
    "vectors-explicit": (X, gm.Linear()),
    "vectors-single": (X.astype(np.float32), gm.Polynomial(degree=2)),
    "sparse": (scipy.sparse.csr_array(X * (np.abs(X) > 0.5)), gm.Linear()),
    "frame": (pd.DataFrame(X, columns=["a", "b", "c"]), gm.Gaussian("median")),
    "standardized": (X, gm.Gaussian("median").pullback(gm.Standardize())),
    "centered": (X, gm.Gaussian(bandwidth=1.5).center(X)),
    "normalized": (X, gm.Polynomial(degree=2).normalize()),
    "fourier": (X, gm.RandomFourier(gm.Gaussian(bandwidth=1.5), rank=10)),
    "precomputed": (np.arange(len(X)), gm.Precomputed(gm.Gaussian()(X))),
    "strings": (WORDS, gm.Spectrum(length=2)),
    "strings-pairwise": (WORDS, gm.Subsequences(length=3, decay=0.5)),
    "strings-spelled": (["".join("ab"[ord(c) % 2] for c in w) * 3 for w in WORDS], gm.Subsequences(length=2)),
    "strings-logarithms": (WORDS, gm.AllSubsequences().normalize()),
    "strings-full": (WORDS, gm.FullSpectrum()),
    "strings-words": (WORDS, gm.Composition(length=3) + gm.FullSpectrum(min_length=0)),
    "bytes": ([w.encode() for w in WORDS], gm.Spectrum(length=2)),
    "tokens": ([[(c, k % 2) for k, c in enumerate(w)] for w in WORDS], gm.Mismatch(length=2, mismatches=1)),
    "documents": ([f"{' '.join(w)} the cat {w}" for w in WORDS], gm.BagOfWords("tf-idf", analyzer="char").normalize()),
    "nodes": ((cases.walk() * 2)[: len(X)], cases.HEAT),
    "records": ((cases.records() * 2)[: len(X)], cases.RECORDS["sum-of-products"](None)),
    "records-frame": (pd.DataFrame((cases.records() * 2)[: len(X)]), cases.RECORDS["sum"](None)),
}
every_sample = pytest.mark.parametrize("sample", SAMPLES)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("sample", ["vectors", "frame", "sparse", "strings", "documents", "nodes", "records"])
@learn.every_learner
def test_every_learner_answers_to_the_last_bit_as_before(learner: Any, sample: str, again: Any) -> None:
    objects, kernel = SAMPLES[sample]
    model = learner.fitted(kernel, objects)
    assert_identical(answers(again(model), objects), answers(model, objects))


MANY = np.random.default_rng(7).normal(size=(4_500, 3))
TARGETS = {"numbers": np.sin(MANY[:, 0]) + MANY[:, 1], "classes": (MANY[:, 0] > 0).astype(int), None: None}
AS_THEY_COME: dict[str, tuple[Any, str | None]] = {
    "ridge": (gm.KernelRidge, "numbers"),
    "ridge-gcv": (lambda: gm.KernelRidge(ridge="gcv"), "numbers"),
    "ridge-intercept": (lambda: gm.KernelRidge(fit_intercept=True), "numbers"),
    "ridge-explicit": (lambda: gm.KernelRidge(gm.Polynomial(2)), "numbers"),
    "classifier": (gm.KernelClassifier, "classes"),
    "fisher": (gm.FisherDiscriminant, "classes"),
    "parzen": (gm.ParzenClassifier, "classes"),
    "novelty": (gm.NoveltyDetector, None),
    "pca": (lambda: gm.KernelPCA(2), None),
    "kmeans": (lambda: gm.KernelKMeans(3, random_state=0), None),
    "gram-schmidt": (lambda: gm.GramSchmidt(rank=20), None),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("n", [300, 1_300, 4_500])  # with more of them a learner goes other ways
@pytest.mark.parametrize("name", AS_THEY_COME)
def test_learners_as_they_come_are_kept_at_every_size(name: str, n: int, again: Any) -> None:
    make, target = AS_THEY_COME[name]
    y = TARGETS[target]
    model = make().fit(MANY[:n], *([] if y is None else [y[:n]]))
    assert_identical(answers(again(model), MANY[:50]), answers(model, MANY[:50]))


LOW_RANK: dict[str, tuple[Any, Any]] = {
    "novelty": (lambda k, r: gm.NoveltyDetector(k, rank=r, calibration="bound"), None),
    "parzen": (lambda k, r: gm.ParzenClassifier(k, rank=r), LABELS),
    "fisher": (lambda k, r: gm.FisherDiscriminant(k, rank=r), LABELS),
    "ridge": (lambda k, r: gm.KernelRidge(k, rank=r, fit_intercept=True), Y),
    "pca": (lambda k, r: gm.KernelPCA(2, k, rank=r), None),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "sample", ["vectors", "vectors-single", "sparse", "frame", "strings-spelled", "nodes", "records"]
)
@pytest.mark.parametrize("rank", [5, None])
@pytest.mark.parametrize("name", LOW_RANK)
def test_a_model_goes_on_learning_after_loading_as_if_nothing_had_happened(
    name: str, rank: int | None, sample: str, again: Any
) -> None:
    (make, target), (objects, kernel) = LOW_RANK[name], SAMPLES[sample]
    parts = [(first(objects, 20), slice(0, 20)), (first(objects, 40, 20), slice(20, 40))]
    model = make(kernel, rank)
    for some, place in parts[:1]:
        model.partial_fit(some, *([] if target is None else [target[place]]))
    loaded = again(model)
    for some, place in parts[1:]:
        for one in (model, loaded):
            one.partial_fit(some, *([] if target is None else [target[place]]))
    last = again(loaded)
    expected = answers(model, objects)
    assert_identical(answers(loaded, objects), expected)
    assert_identical(answers(last, objects), expected)


@pytest.mark.filterwarnings("ignore::UserWarning")
@every_sample
def test_a_model_in_low_rank_answers_to_the_last_bit_as_before(sample: str, again: Any) -> None:
    objects, kernel = SAMPLES[sample]
    for make, target in (LOW_RANK["ridge"], LOW_RANK["pca"]):
        model = make(kernel, 6).fit(objects, target)
        assert_identical(answers(again(model), objects), answers(model, objects))


@pytest.mark.filterwarnings("ignore::UserWarning")
@every_sample
def test_conformal_p_values_and_what_was_asked_before_stay(sample: str, again: Any) -> None:
    objects, kernel = SAMPLES[sample]
    model = gm.NoveltyDetector(kernel, calibration="conformal", alpha=0.2, random_state=0).fit(objects)
    expected = answers(model, objects)  # the model now keeps what it has worked out
    assert_identical(answers(again(model), objects), expected)


def holds_a_function(kernel: Any) -> bool:
    parameters = kernel.params().values()
    return any(holds_a_function(v) if isinstance(v, Value) else callable(v) for v in parameters)


STORABLE = [case for case in cases.CASES if not holds_a_function(case.kernel)]


def test_most_kernels_can_be_stored() -> None:
    assert len(STORABLE) > 0.9 * len(cases.CASES)


@pytest.mark.parametrize("case", [case for case in STORABLE if "float32" not in case.name], ids=repr)
def test_every_kernel_is_the_same_kernel_after_loading(case: cases.Case, again: Any) -> None:
    kernel = case.kernel.fit(case.data)
    found = again(kernel)
    assert found == kernel
    assert repr(found) == repr(kernel)
    assert hash(found) == hash(kernel)
    K = kernel(case.data)
    # The same numbers; where they lie in memory, and so in which order BLAS adds, may differ
    rounding = 0.0 if "nystrom" not in case.name else len(K) * np.finfo(K.dtype).eps * np.abs(K).max()
    assert np.abs(found(case.data) - K).max() <= rounding


def test_a_kernel_that_is_not_settled_yet_is_stored_as_it_is(again: Any) -> None:
    kernel = gm.Gaussian("median").pullback(gm.Standardize()) + gm.Nystrom(gm.Laplacian("median"), rank=4)
    assert again(kernel) == kernel


def test_every_public_learner_and_kernel_is_in_the_registry() -> None:
    public = [getattr(gm, name) for name in gm.__all__ if not name.startswith("__")]
    classes = {one for one in public if isinstance(one, type) and issubclass(one, BaseEstimator | gm.Kernel)}
    missing = {one.__name__ for one in classes - {gm.Kernel} if ENTRIES.get(one.__name__) is None}
    assert not missing


def test_all_kernels_of_the_package_are_in_the_registry() -> None:
    def below(cls: type) -> set[type]:
        return {cls}.union(*map(below, cls.__subclasses__()))

    own = {one for one in below(gm.Kernel) if one.__module__.startswith("gramian.") and not isabstract(one)}
    assert {one.__name__ for one in own} - ENTRIES.keys() == {"Pair"}


PLAIN: dict[str, Any] = {
    "nothing": None,
    "truth": True,
    "integers": [0, -1, 2**70, -(2**3000)],
    "numbers": [0.1, -0.0, 5e-324, 1.7976931348623157e308, float("inf"), float("-inf")],
    "texts": ["", "é😀", "\x00\n", "\ud83d\ude00", "\udc80", '"\\'],
    "bytes": [b"", b"\x00\xff"],
    "tuples": ((), (1,), (1, (2, [3, ()]))),
    "dict": {"a": 1, 2: "b", (1, "x"): None, 2.5: [], True: {}, b"k": {"deep": {"er": ()}}},
    "scalars": [np.float64(0.1), np.float32(0.1), np.int8(-3), np.uint64(2**64 - 1), np.bool_(True), np.str_("né")],
    "more scalars": [np.datetime64("2020-01-01"), np.timedelta64(3, "s"), np.complex128(1 + 2j), np.bytes_(b"ab")],
    "empty scalars": [np.str_(""), np.bytes_(b"")],
    "types": [np.dtype(np.float32), np.dtype("U3")],
}


def alike(found: Any, expected: Any) -> bool:
    if type(found) is not type(expected):
        return False
    if isinstance(expected, list | tuple):
        return len(found) == len(expected) and all(map(alike, found, expected))
    if isinstance(expected, dict):
        return alike(list(found.items()), list(expected.items()))
    return bool(found == expected) and repr(found) == repr(expected)


@pytest.mark.parametrize("name", PLAIN)
def test_plain_values_come_back_equal_and_of_the_same_type(name: str, again: Any) -> None:
    assert alike(again(PLAIN[name]), PLAIN[name])


def test_not_a_number_comes_back(again: Any) -> None:
    assert np.isnan(again(float("nan")))


ARRAYS: dict[str, np.ndarray] = {
    "floats": np.linspace(0, 1, 12).reshape(3, 4),
    "column order": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "backwards": np.arange(12.0).reshape(3, 4)[::-1, ::-1],
    "columns backwards": np.asfortranarray(np.arange(12.0).reshape(3, 4))[:, ::-1],
    "steps": np.arange(24).reshape(4, 6)[::2, ::3],
    "three axes": np.arange(24, dtype=np.int16).reshape(2, 3, 4).transpose(1, 2, 0)[:, ::-1],
    "one": np.array(3.5),
    "none": np.empty((0, 3), np.float32),
    "none of many": np.empty((1000, 0)),
    "truth": np.array([True, False]),
    "texts": np.array(["a", "né", ""]),
    "bytes": np.array([b"a", b"bcd"]),
    "dates": np.array(["2020-01-01", "NaT"], dtype="datetime64[ms]"),
    "big-endian": np.array([1.5, 2.5], dtype=">f8"),
    "complex": np.array([1j, 2.0]),
    "broadcast": np.broadcast_to(np.arange(3.0), (4, 3)),
    "objects": np.array(["a", "bb", None, 1, 2.5, ("x", 1)], dtype=object),
    "objects in a table": np.array([["a", "b"], ["c", None]], dtype=object),
    "records": np.array([(1, 2.5, "x"), (3, 4.5, "yz")], dtype=[("n", "i4"), ("x", "f8"), ("s", "U4")]),
    "padded records": np.zeros(2, dtype=np.dtype([("n", "i1"), ("x", "f8", (2, 3))], align=True)),
    "records in records": np.zeros(2, dtype=[("a", [("b", "?"), ("c", "S3")]), ("d", "<M8[D]")]),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_come_back_with_their_values_shape_and_order(name: str, again: Any) -> None:
    array = ARRAYS[name]
    found = again(array)
    assert type(found) is np.ndarray
    assert found.shape == array.shape
    np.testing.assert_array_equal(found, array)
    if not array.dtype.hasobject and array.dtype.names is None:
        assert found.dtype == array.dtype.newbyteorder("<")
        assert np.argsort(np.abs(found.strides)).tolist() == np.argsort(np.abs(array.strides), kind="stable").tolist()
        assert all(a * b >= 0 for a, b in zip(found.strides, array.strides, strict=True))


def test_a_memory_map_comes_back_as_an_array(again: Any, tmp_path: Path) -> None:
    mapped = np.memmap(tmp_path / "numbers", dtype=np.float64, mode="w+", shape=(3, 2))
    mapped[:] = 1.5
    found = again(mapped)
    assert type(found) is np.ndarray
    assert (found == 1.5).all()


@pytest.mark.parametrize("kind", ["csr_array", "csr_matrix", "csc_array", "csc_matrix"])
def test_sparse_arrays_come_back_of_the_same_kind(kind: str, again: Any) -> None:
    given = getattr(scipy.sparse, kind)(np.array([[0.0, 1.5, 0.0], [2.0, 0.0, 0.0]]))
    found = again({"X": given})["X"]
    assert type(found) is type(given)
    assert found.dtype == given.dtype
    assert (found.toarray() == given.toarray()).all()


def test_what_is_shared_is_stored_once_and_comes_back_shared(tmp_path: Path) -> None:
    numbers = np.random.default_rng(0).normal(size=(500, 4))
    save([numbers, numbers, {"again": numbers}], tmp_path / "shared.gramian")
    assert (tmp_path / "shared.gramian").stat().st_size < 1.1 * numbers.nbytes
    one, two, held = load(tmp_path / "shared.gramian")
    assert one is two is held["again"]


def test_a_loaded_learner_shares_what_the_learner_shared(again: Any) -> None:
    model = again(gm.NoveltyDetector(gm.Gaussian(), calibration="conformal", alpha=0.2).fit(X))
    assert model.kernel_ is model.sample_.space.kernel
    assert model.center_.points is model.sample_.points
    assert model.center_._mean_of is model.sample_
    assert model.sample_.gram().rows is model.sample_.points
    ridge = again(gm.KernelRidge(gm.Gaussian(), rank=5).fit(X, Y))
    assert ridge.sample_.points is ridge._landmarks.basis[0]


def test_a_loaded_model_can_be_written_to(again: Any) -> None:
    assert again(np.arange(3.0)).flags.writeable
    model = again(gm.KernelRidge().fit(X, Y))
    assert model.fit(X, 2 * Y).predict(X).shape == Y.shape


def test_maps_into_coordinates_are_stored_too(again: Any) -> None:
    for made in (gm.EmpiricalMap(gm.Gaussian()), gm.MercerMap(gm.Gaussian()), gm.CholeskyMap(gm.Gaussian(), rank=5)):
        fitted = made.fit(X)
        assert again(fitted).transform(NEW).tobytes() == fitted.transform(NEW).tobytes()


def test_pre_images_and_leave_one_out_residuals_stay(again: Any) -> None:
    components = gm.KernelPCA(2).fit(X)
    coordinates = components.transform(NEW)
    expected = components.inverse_transform(coordinates)
    assert again(components).inverse_transform(coordinates).tobytes() == expected.tobytes()
    ridge = gm.KernelRidge(ridge=0.5).fit(X, np.column_stack([Y, -Y]), sample_weight=np.arange(1.0, 41.0))
    assert again(ridge).loo_residuals_.tobytes() == ridge.loo_residuals_.tobytes()
    fisher = gm.FisherDiscriminant().fit(X, np.arange(len(X)) % 3)
    assert again(fisher).loo_error_ == fisher.loo_error_


def test_a_model_fitted_on_a_gram_or_on_batches_is_stored(again: Any, tmp_path: Path) -> None:
    K = gm.Gaussian(bandwidth=2.0).gram(X, memory="1 MB")
    model = gm.KernelRidge(rank="exact").fit(K, Y)
    assert again(model).predict(NEW).tobytes() == model.predict(NEW).tobytes()
    pd.DataFrame(np.column_stack([X, Y]), columns=["a", "b", "c", "y"]).to_parquet(tmp_path / "table.parquet")
    batches = gm.Batches(tmp_path / "table.parquet", target="y")
    streamed = gm.KernelRidge(gm.Gaussian(bandwidth=1.0), rank=5).fit(batches)
    loaded = again(streamed)
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c"]
    assert loaded.predict(NEW).tobytes() == streamed.predict(NEW).tobytes()


def test_a_checkpoint_directory_stays_behind(again: Any, tmp_path: Path) -> None:
    model = gm.KernelRidge(checkpoint=tmp_path / "journal").fit(X, Y)
    assert again(model).checkpoint is None


def test_a_sum_of_many_kernels_is_no_problem(again: Any) -> None:
    terms: list[gm.Kernel] = [gm.Gaussian(bandwidth=float(width)) for width in range(1, 513)]
    while len(terms) > 1:
        terms = [a + b for a, b in zip(terms[::2], terms[1::2], strict=True)]
    found = again(terms[0])
    assert found == terms[0]
    assert np.array_equal(found(X), terms[0](X))


def test_the_kind_of_output_that_was_set_stays(again: Any) -> None:
    model = gm.KernelPCA(2).set_output(transform="pandas").fit(X)
    assert list(again(model).transform(NEW).columns) == list(model.transform(NEW).columns)


def test_the_whole_of_what_a_command_stores_comes_back(again: Any) -> None:
    held = {
        "model": gm.FisherDiscriminant().fit(X, LABELS),
        "novelty": gm.NoveltyDetector(calibration="conformal", alpha=0.2).fit(X),
        "recipe": {"columns": [("a", "number"), ("b", "number")], "missing": {"a": 0.5}, "target": "kind"},
    }
    found = again(held)
    assert found["recipe"] == held["recipe"]
    assert_identical(answers(found["model"], NEW), answers(held["model"], NEW))
    assert_identical(answers(found["novelty"], NEW), answers(held["novelty"], NEW))


def test_unfitted_learners_are_stored(again: Any) -> None:
    for learner in LEARNERS:
        model = learner.make(gm.Gaussian("median"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert repr(again(model)) == repr(model)


@pytest.mark.parametrize("name", ["power-2-adjacency", "exponential-laplacian", "von-neumann-normalized"])
def test_what_a_kernel_on_nodes_has_worked_out_of_itself_is_kept(name: str, again: Any) -> None:
    kernel = cases.NODES[name](None)
    radius = kernel.radius
    found = again(gm.ParzenClassifier(kernel).fit(cases.walk(), np.arange(cases.N) % 2)).kernel_
    assert found == kernel
    assert found.radius == radius


@pytest.mark.filterwarnings("ignore:this detector can never fire")
@pytest.mark.parametrize("seed", range(12))
def test_a_learner_that_is_taught_may_be_saved_at_any_time_and_goes_on_to_the_same_bits(
    tmp_path: Path, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 2)), np.repeat([0, 1, 2], [10, 15, 15])
    rank = int(rng.integers(2, 6))
    make, targets = [
        (lambda: gm.FisherDiscriminant(gm.Gaussian(1.0), ridge=0.1, rank=rank), y),
        (lambda: gm.ParzenClassifier(gm.Gaussian(1.0), rank=rank), y),
        (lambda: gm.ParzenClassifier(gm.Gaussian(1.0)), y),
        (lambda: gm.KernelRidge(gm.Gaussian(1.0), ridge=0.1, rank=rank), X[:, 0]),
        (lambda: gm.NoveltyDetector(gm.Gaussian(1.0), calibration="bound", rank=rank), None),
        (lambda: gm.KernelPCA(1, gm.Gaussian(1.0), rank=rank), None),
    ][seed % 6]
    one, other = make(), make()
    cuts = [0, *sorted(rng.choice(np.arange(3, 38), 3, replace=False)), 40]
    for start, end in pairwise(cuts):
        part = (X[start:end], None if targets is None else targets[start:end])
        one.partial_fit(*part)
        other.partial_fit(*part)
        save(other, tmp_path / "m.gramian", overwrite=True)
        other = load(tmp_path / "m.gramian")
    ask = "transform" if isinstance(one, gm.KernelPCA) else "predict"
    assert np.array_equal(getattr(one, ask)(X), getattr(other, ask)(X))


def as_kept_before(path: Path) -> None:
    """Rewrite a file as versions did that kept the way of learning in attributes of the learner itself."""
    tree, arrays = forging.taken_apart(path.read_bytes())
    for part in tree["parts"]:
        if part.get("class") == "Residuals":
            part["class"] = "Fit"
        held = part.get("set", {}).pop("_way", None)
        if held is None:
            continue
        way = tree["parts"][held["ref"]]
        low = way["class"] == "Summed" and tree["parts"][way["set"]["summary"]["ref"]]["set"]["landmarks"] is not None
        old = {"_begun": {"tuple": [way["set"]["kernel"], way["set"]["rank"], low]}, "_turned_up": way["set"]["labels"]}
        if way["class"] == "Summed":
            names = {"summary": "_summary", "probe": "_probe", "draws": "_lots", "trace_error": "_trace_error"}
            old |= {"_automatic": False} | {name: way["set"][now] for now, name in names.items()}
        part["set"].update(old)
    path.write_bytes(forging.put_together(tree, arrays))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("rank", [5, None])
@pytest.mark.parametrize("name", LOW_RANK)
def test_a_file_that_keeps_the_way_of_learning_as_before_is_loaded_and_goes_on(
    name: str, rank: int | None, tmp_path: Path
) -> None:
    make, target = LOW_RANK[name]
    model = make(gm.Gaussian("median"), rank)
    model.partial_fit(X[:20], *([] if target is None else [target[:20]]))
    save(model, tmp_path / "m")
    as_kept_before(tmp_path / "m")
    assert b"_begun" in (tmp_path / "m").read_bytes()
    loaded = load(tmp_path / "m")
    for one in (model, loaded):
        one.partial_fit(X[20:], *([] if target is None else [target[20:]]))
    assert_identical(answers(loaded, X), answers(model, X))


@pytest.mark.parametrize("ridge", [0, 0.1, "loo"])
def test_a_file_with_the_former_name_of_a_class_is_loaded(ridge: Any, tmp_path: Path) -> None:
    model = gm.KernelRidge(gm.Gaussian(0.3), ridge=ridge).fit(X, Y)
    assert model.loo_error_ > 0  # what it is worked out from is stored
    save(model, tmp_path / "m")
    as_kept_before(tmp_path / "m")
    assert b'"Fit"' in (tmp_path / "m").read_bytes()
    assert_identical(answers(load(tmp_path / "m"), X), answers(model, X))
