"""Kernels on columns: tables of every form, the combination of kernels that it stands for, learners, and bad tables."""

import pickle
import re
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline

import gramian as gm

N = 40
NAMES = ("age", "weight", "promoter", "note", "colour")
Row = namedtuple("Row", NAMES)


@dataclass
class Patient:
    age: float
    weight: int
    promoter: str
    note: str
    colour: str


def rows(n=N, seed=0) -> list[dict[str, Any]]:
    """Patients of two kinds in turn, who differ a little in everything."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(n):
        odd = i % 2
        words = rng.choice(["fever", "cough"] if odd else ["cough", "rash"], 4)
        found.append(
            {
                "age": float(rng.normal(40 + 15 * odd, 10)),
                "weight": int(rng.integers(50, 90)),
                "promoter": "".join(
                    rng.choice(list("ACGT"), 12, p=[0.4, 0.2, 0.2, 0.2] if odd else [0.2, 0.2, 0.2, 0.4])
                ),
                "note": " ".join(["patient", *words]),
                "colour": ("red", "blue")[int(rng.integers(2))],
            }
        )
    return found


X, NEW = rows(), rows(9, seed=1)
y, labels = np.array([row["age"] + 5 * row["note"].count("fever") for row in X]), np.array(["a", "b"])[np.arange(N) % 2]
KERNEL = gm.Gaussian("median").on("age", "weight") + gm.Spectrum(3).on("promoter") * gm.BagOfWords().on("note")


def columns(table, *names):
    return np.array([[row[name] for name in names] for row in table], dtype=float)


def column(table, name):
    return [row[name] for row in table]


def structured(table):
    types = [("age", float), ("weight", int), ("promoter", "U20"), ("note", "U80"), ("colour", "U9")]
    return np.array([tuple(row.values()) for row in table], dtype=types)


def polars(table):
    return pytest.importorskip("polars").DataFrame(table)


FORMS = {
    "dicts": lambda table: table,
    "tuple of dicts": tuple,
    "pandas": pd.DataFrame,
    "pandas with an index": lambda table: pd.DataFrame(table, index=range(100, 100 + len(table))),
    "polars": polars,
    "named tuples": lambda table: [Row(**row) for row in table],
    "objects": lambda table: [Patient(**row) for row in table],
    "structured array": structured,
    "records array": lambda table: structured(table).view(np.recarray),
    "array of dicts": lambda table: np.array(table, dtype=object),
}
every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
ALL = KERNEL + gm.Equality().on("colour") + gm.Mismatch(2, 1).on("promoter")


# Tables


@every_form
def test_every_form_of_table_gives_the_same_matrix(form):
    K = ALL.fit(X)
    assert ALL.fit(form(X)) == K
    np.testing.assert_array_equal(ALL(form(X)), ALL(X))
    np.testing.assert_array_equal(K(form(NEW), form(X)), K(NEW, X))
    np.testing.assert_array_equal(K(NEW, form(X)), K(NEW, X))
    np.testing.assert_array_equal(K.diag(form(NEW)), K.diag(NEW))


def test_plain_tuples_and_lists_are_read_by_position():
    by_place = gm.Gaussian("median").on(0, 1) + gm.Spectrum(3).on(2) * gm.BagOfWords().on(-2) + gm.Equality().on(4)
    by_name = KERNEL + gm.Equality().on("colour")
    tuples, lists = [tuple(row.values()) for row in X], [list(row.values()) for row in X]
    np.testing.assert_array_equal(by_place(tuples), by_name(X))
    np.testing.assert_array_equal(by_place(lists), by_name(X))
    np.testing.assert_array_equal(by_place([Row(**row) for row in X]), by_name(X))
    np.testing.assert_array_equal(gm.Gaussian(9.0).on(1)(columns(X, "age", "weight")), gm.Gaussian(9.0).on("weight")(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, bool])
def test_columns_of_a_matrix_are_named_by_position(dtype):
    X = (np.random.default_rng(4).normal(size=(9, 5)) * 3).astype(dtype)
    k = gm.Gaussian(2.0).on(0, 3) * gm.Matern(1.5, 1.5).on(-1) + gm.Linear().on(2, 1)
    K = k.gram(X)
    expected = gm.Gaussian(2.0)(X[:, [0, 3]]) * gm.Matern(1.5, 1.5)(X[:, [4]]) + gm.Linear()(X[:, [2, 1]])
    assert K.dtype == (np.float32 if dtype == np.float32 else np.float64)
    assert np.abs(K.dense() - expected).max() <= 64 * np.finfo(K.dtype).eps * np.abs(expected).max()
    assert np.abs(k(X.astype(float).tolist()) - expected).max() <= 1e-5 * np.abs(expected).max()


@pytest.mark.parametrize("name", ["a", 5, -6, slice(0, 2), 1.0, (0, 1)])
def test_a_column_that_a_matrix_has_not_is_named(name):
    with pytest.raises(ValueError, match=f"no column {re.escape(repr(name))}.* it has 5"):
        gm.Gaussian(1.0).on(name).gram(np.ones((4, 5)))


def test_a_frame_may_have_columns_that_are_not_strings():
    frame = pd.DataFrame({0: [1.0, 2.0], ("b", 1): ["ab", "abb"]})
    k = gm.Linear().on(0) + gm.Spectrum(1).on(("b", 1))
    np.testing.assert_array_equal(k(frame), [[1 + 2, 2 + 3], [2 + 3, 4 + 5]])


def test_the_kernel_is_the_combination_of_kernels_on_the_columns_taken_by_hand():
    numbers, others = columns(X, "age", "weight"), columns(NEW, "age", "weight")
    g, b = gm.Gaussian("median").fit(numbers), gm.BagOfWords().fit(column(X, "note"))
    s, e = gm.Spectrum(3), gm.Equality()
    by_hand = g(numbers) + s(column(X, "promoter")) * b(column(X, "note"))
    np.testing.assert_allclose(KERNEL(X), by_hand, rtol=1e-14)
    across = g(others, numbers) + s(column(NEW, "promoter"), column(X, "promoter")) * b(
        column(NEW, "note"), column(X, "note")
    )
    np.testing.assert_allclose(KERNEL.fit(X)(NEW, X), across, rtol=1e-14)
    weighed = (3 * gm.Equality().on("colour") + 1) * KERNEL
    np.testing.assert_allclose(weighed(X), (3 * e(column(X, "colour")) + 1) * by_hand, rtol=1e-14)


def test_fit_settles_what_each_group_of_columns_takes_from_the_sample():
    k = (gm.Gaussian("median").on("age") + gm.Laplacian("median").on("age", "weight")).fit(X)
    assert k.left.base == gm.Gaussian("median").fit(columns(X, "age"))
    assert k.right.base == gm.Laplacian("median").fit(columns(X, "age", "weight"))
    assert k.left.base.bandwidth != k.right.base.bandwidth
    assert k.fit(NEW) is k
    s = gm.Gaussian(1.0).pullback(gm.Standardize()).on("age", "weight").fit(X)
    np.testing.assert_allclose(s.base.f.mean, columns(X, "age", "weight").mean(axis=0))
    assert gm.BagOfWords("tf-idf").on("note").fit(X).base == gm.BagOfWords("tf-idf").fit(column(X, "note"))
    with pytest.raises(ValueError, match="not settled yet"):
        KERNEL(X, NEW)


def test_the_order_of_columns_and_columns_that_are_not_used_do_not_matter():
    frame = pd.DataFrame(X)
    turned = frame[["note", "weight", "colour", "age", "promoter"]].assign(more=None)
    np.testing.assert_array_equal(KERNEL(turned), KERNEL(X))
    np.testing.assert_array_equal(KERNEL([dict(reversed(row.items())) | {"more": []} for row in X]), KERNEL(X))
    np.testing.assert_array_equal(KERNEL.fit(frame)(turned[:5], frame), KERNEL.fit(X)(X[:5], X))


def test_the_order_of_names_matters_no_more_than_it_does_to_the_kernel():
    np.testing.assert_allclose(gm.Linear().on("age", "weight")(X), gm.Linear().on("weight", "age")(X), rtol=1e-14)
    k = gm.Bilinear(np.diag([1.0, 2.0]))
    np.testing.assert_allclose(k.on("weight", "age")(X), k(columns(X, "weight", "age")), rtol=1e-14)
    assert abs(k.on("weight", "age")(X) - k.on("age", "weight")(X)).max() > 1


def test_numbers_of_every_kind_are_taken():
    expected = gm.Linear()([[1.0], [0.0]])
    for values in ([1, 0], [True, False], [np.float32(1), np.int8(0)], pd.array([1, 0], dtype="Int64")):
        np.testing.assert_array_equal(gm.Linear().on("a")([{"a": v} for v in values]), expected)
        np.testing.assert_array_equal(gm.Linear().on("a")(pd.DataFrame({"a": values})), expected)


def test_a_record_inside_a_record_is_reached_by_two_steps():
    nested = [{"who": row} for row in X]
    np.testing.assert_array_equal(gm.Spectrum(2).on("promoter").on("who")(nested), gm.Spectrum(2).on("promoter")(X))


def test_the_table_is_left_alone():
    frame, table = pd.DataFrame(X), structured(X)
    table.flags.writeable = False
    before = frame.copy()
    KERNEL(frame)
    KERNEL(table)
    pd.testing.assert_frame_equal(frame, before)


# Values and names


def test_kernels_on_columns_are_values_and_print_as_they_were_written():
    assert repr(KERNEL) == (
        "Gaussian(bandwidth='median').on('age', 'weight') + "
        "Spectrum(length=3).on('promoter') * BagOfWords(weighting='tf').on('note')"
    )
    assert repr((gm.Spectrum(1) + 1).on("a").normalize()) == "(Spectrum(length=1) + 1).on('a').normalize()"
    for k in (KERNEL, KERNEL.fit(X), KERNEL.center(X)):
        twin = pickle.loads(pickle.dumps(k))
        assert twin == k
        assert hash(twin) == hash(k)
        np.testing.assert_array_equal(twin.fit(X)(NEW, X), k.fit(X)(NEW, X))
    assert gm.Linear().on("a", "b") != gm.Linear().on("b", "a")
    assert gm.Linear().on("a") != gm.Linear()


def test_inner_parameters_are_reached():
    k = KERNEL.with_params(left__base__bandwidth=2.0, right__left__base__length=1, left__f__names=("age",))
    assert k == gm.Gaussian(2.0).on("age") + gm.Spectrum(1).on("promoter") * gm.BagOfWords().on("note")
    assert KERNEL.get_params()["right__right__base__weighting"] == "tf"


def test_features_stand_side_by_side_and_are_named_by_column():
    k = gm.Linear().on("age", "weight") + gm.Spectrum(1).on("promoter") + gm.Equality().on("colour")
    found = [{"age": 1.0, "weight": 2, "promoter": "AAC", "colour": "red"}, X[0] | {"colour": "blue"}]
    assert k.feature_names(found)[:3] == ["age", "weight", "promoter: A"]
    assert k.feature_names(found)[-2:] == ["colour: red", "colour: blue"]
    Phi = k.features(found)
    assert Phi.shape[1] == len(k.feature_names(found))
    np.testing.assert_array_equal(Phi[0], [1, 2, 2, 1, *[0] * (Phi.shape[1] - 6), 1, 0])
    np.testing.assert_allclose(Phi @ Phi.T, k(found), rtol=1e-14)
    assert gm.BagOfWords().on("note").fit(X).feature_names(X)[0] == "note: cough"
    assert gm.Polynomial(2).on("age", "weight").feature_names(X)[-1] == "weight^2"


def test_kernels_on_columns_do_not_take_vectors():
    for k in (KERNEL, gm.Gaussian(1.0).on("age"), gm.Linear().on("age", "weight") + 1):
        assert not k.on_vectors
    assert gm.Gaussian(1.0).on("age").radius == 1
    assert (gm.Equality().on("colour") * gm.Spectrum(1).on("promoter")).non_negative


# Learners

LEARNERS = {
    "ridge": (lambda k: gm.KernelRidge(k, ridge=0.5), y),
    "ridge-loo": (lambda k: gm.KernelRidge(k), y),
    "fisher": (lambda k: gm.FisherDiscriminant(k, ridge=0.1), labels),
    "pca": (lambda k: gm.KernelPCA(2, k), None),
    "novelty": (lambda k: gm.NoveltyDetector(k, calibration="conformal", alpha=0.2, random_state=0), None),
    "parzen": (lambda k: gm.ParzenClassifier(k), labels),
    "kmeans": (lambda k: gm.KernelKMeans(2, k, n_init=2, random_state=0), None),
    "gram-schmidt": (lambda k: gm.GramSchmidt(k, rank=3), None),
}
METHODS = ("predict", "decision_function", "transform", "score_samples")


def answers(model, table):
    """What a fitted learner says of new objects; coordinates without their sign, which is arbitrary."""
    found = {name: getattr(model, name)(table) for name in METHODS if hasattr(model, name)}
    return {name: abs(values) if name == "transform" else values for name, values in found.items()}


def assert_same(found, expected, tol=0.0):
    assert found.keys() == expected.keys() != set()
    for name, values in expected.items():
        if values.dtype.kind == "f":
            np.testing.assert_allclose(found[name], values, atol=tol * abs(values).max(), rtol=tol, err_msg=name)
        else:
            np.testing.assert_array_equal(found[name], values, err_msg=name)


@pytest.mark.parametrize("learner", LEARNERS)
def test_learners_learn_from_records_what_they_learn_from_their_matrix(learner):
    make, target = LEARNERS[learner]
    model = make(KERNEL).fit(X, target)
    assert model.kernel is KERNEL
    assert model.kernel_ == KERNEL.fit(X) or learner == "novelty"  # which keeps some objects apart
    found = answers(model, NEW)
    K = model.kernel_(X + NEW)
    plain = make(gm.Precomputed((K + K.T) / 2)).fit(np.arange(N), target)
    assert_same(found, answers(plain, np.arange(N, N + 9)), 1e-7)
    assert_same(answers(make(KERNEL).fit(pd.DataFrame(X), target), pd.DataFrame(NEW)), found)
    assert_same(answers(pickle.loads(pickle.dumps(model)), NEW), found)
    assert_same(answers(clone(model).fit(X, target), NEW), found)


@every_form
def test_a_learner_takes_every_form_of_table(form):
    expected = gm.KernelRidge(KERNEL, ridge=0.5).fit(X, y).predict(NEW)
    model = gm.KernelRidge(KERNEL, ridge=0.5).fit(form(X), y)
    np.testing.assert_array_equal(model.predict(form(NEW)), expected)
    np.testing.assert_array_equal(model.predict(NEW), expected)


@pytest.mark.parametrize("change", [lambda f: f[f.columns[::-1]], lambda f: f.assign(more=1)], ids=["order", "more"])
def test_a_learner_does_not_mind_the_order_of_columns_nor_columns_that_its_kernel_does_not_use(change):
    frame = pd.DataFrame(X)
    model = gm.KernelRidge(KERNEL, ridge=0.5).fit(frame, y)
    np.testing.assert_array_equal(model.predict(change(frame)), model.predict(frame))


def test_a_learner_of_records_takes_a_frame_later_without_a_warning():
    model = gm.KernelRidge(KERNEL, ridge=0.5).fit(X, y)
    np.testing.assert_array_equal(model.predict(pd.DataFrame(NEW)), model.predict(NEW))


@pytest.mark.parametrize("form", [FORMS["dicts"], FORMS["pandas"], FORMS["polars"]], ids=["dicts", "pandas", "polars"])
def test_records_are_cross_validated(form):
    model = gm.FisherDiscriminant(KERNEL, ridge=0.1)
    halves = [(np.arange(0, 20), np.arange(20, 40)), (np.arange(20, 40), np.arange(0, 20))]
    found = cross_val_predict(model, form(X), labels, cv=halves)
    for train, test in halves:
        fitted = clone(model).fit([X[i] for i in train], labels[train])
        np.testing.assert_array_equal(found[test], fitted.predict([X[i] for i in test]))
    assert cross_val_score(model, form(X), labels, cv=4).mean() > 0.75


@pytest.mark.parametrize("form", [FORMS["dicts"], FORMS["pandas"]], ids=["dicts", "pandas"])
def test_a_grid_search_reaches_the_kernels_of_columns(form):
    grid = {"kernel__right__left__base__length": [1, 2], "kernel__left__base__bandwidth": [5.0, 50.0]}
    search = GridSearchCV(gm.KernelRidge(KERNEL, ridge=1.0), grid, cv=3, error_score="raise").fit(form(X), y)
    assert len(set(search.cv_results_["mean_test_score"])) == 4
    best = search.best_estimator_.kernel
    assert best.left.base == gm.Gaussian(search.best_params_["kernel__left__base__bandwidth"])
    assert best.right.left.base == gm.Spectrum(search.best_params_["kernel__right__left__base__length"])


def test_a_kernel_search_chooses_among_columns():
    kernels = [gm.Equality().on("colour"), gm.Gaussian("median").on("age")]
    search = gm.KernelSearch(gm.KernelRidge(), {"kernel": kernels, "ridge": [0.01, 0.1, 1.0]}).fit(X, y)
    assert search.best_params_["kernel"] == kernels[1]
    best = gm.KernelRidge(kernels[1], ridge=search.best_params_["ridge"]).fit(X, y)
    np.testing.assert_allclose(search.predict(NEW), best.predict(NEW), rtol=1e-12)


def test_a_pipeline_starts_from_records():
    model = make_pipeline(gm.KernelPCA(4, KERNEL), LogisticRegression())
    assert cross_val_score(model, X, labels, cv=4).mean() > 0.7
    assert model.fit(pd.DataFrame(X), labels).predict(pd.DataFrame(NEW)).shape == (9,)


def test_cars_are_learnt_from_their_records():
    cars = gm.load_cars()
    X, y = cars.data[::3], cars.target[::3]
    kernel = gm.Gaussian("median").pullback(gm.Standardize()).on("weight", "horsepower", "year")
    kernel = kernel * (1 + gm.Equality().on("origin")) + 0.01 * gm.BagOfWords().on("name")
    assert (
        cross_val_score(
            gm.KernelRidge(kernel, fit_intercept=True), X, y, cv=KFold(3, shuffle=True, random_state=0)
        ).mean()
        > 0.8
    )


# Bad tables

NUMBER, TEXT = gm.Gaussian(1.0).on("age"), gm.Spectrum(2).on("promoter")


@pytest.mark.parametrize("form", [FORMS["pandas"], FORMS["polars"], FORMS["structured array"]])
@pytest.mark.parametrize("kernel", [gm.Gaussian(1.0).on("height"), gm.Spectrum(2).on("height")], ids=repr)
def test_unknown_column_is_refused_with_those_there_are(form, kernel):
    with pytest.raises(
        ValueError, match="X has no column 'height'; it has 'age', 'weight', 'promoter', 'note', 'colour'"
    ):
        kernel(form(X))


@pytest.mark.parametrize("form", [FORMS["dicts"], FORMS["named tuples"], FORMS["objects"]])
def test_record_without_the_field_is_refused_with_those_it_has(form):
    with pytest.raises(
        ValueError, match="record 0 of X has no field 'height'; it has 'age', 'weight', 'promoter', 'note'"
    ):
        gm.Equality().on("height")(form(X))


def test_record_that_lacks_a_field_is_named():
    with pytest.raises(ValueError, match="record 2 of X has no field 'age'; it has 'weight'"):
        NUMBER([*X[:2], {"weight": 1}, *X[2:]])
    with pytest.raises(ValueError, match=r"record 1 of X has no field 5; it is \(1, 2\), a tuple"):
        gm.Equality().on(5)([tuple(range(6)), (1, 2)])


def test_a_long_list_of_columns_is_cut_short():
    frame = pd.DataFrame(np.eye(30), columns=[f"c{i}" for i in range(30)])
    with pytest.raises(ValueError, match="X has no column 'x'; it has 'c0', .*'c11' …$"):
        gm.Linear().on("x")(frame)


def test_no_column_and_several_for_one_object_are_refused():
    with pytest.raises(ValueError, match=r"on\(\) was given no column; name one at least"):
        gm.Gaussian(1.0).on()
    for kernel in (gm.Spectrum(2), gm.BagOfWords(), gm.Equality(), gm.Spectrum(1) + gm.Linear()):
        with pytest.raises(
            ValueError, match=r"given 2 columns for a kernel that takes one object.*k.on\('a'\) \+ k.on"
        ):
            kernel.on("a", "b")


@pytest.mark.parametrize("value", ["12", "tall", [1, 2], 1 + 2j, {"a": 1}, pd.Timestamp("2020-01-01")], ids=repr)
def test_what_is_not_a_number_is_refused_in_a_numeric_column(value):
    message = r"column 'age' holds .*, and a kernel of vectors needs numbers: use a kernel for such objects"
    tables = [[{"age": 1.0}, {"age": value}], pd.DataFrame({"age": [1.0, value]})]
    if not isinstance(value, pd.Timestamp):  # where all are dates they are days
        tables.append([{"age": value}] * 2)
    for table in tables:
        with pytest.raises(TypeError, match=message):
            NUMBER(table)


def test_text_that_could_be_read_as_a_number_is_not():
    with pytest.raises(TypeError, match="column 'age' holds .*, and a kernel of vectors needs numbers"):
        NUMBER([{"age": 10**30}, {"age": "12"}])  # an array of objects, whose text would be converted


def test_a_method_of_a_string_is_not_a_field():
    with pytest.raises(ValueError, match="record 0 of X has no field 'title'; it is 'a', a str"):
        gm.Equality().on("title")(["a", "b"])


@pytest.mark.parametrize("value", [None, float("nan"), np.nan, np.inf, -np.inf], ids=repr)
def test_missing_number_is_refused_with_its_column_and_row(value):
    tables = [[{"age": 1.0}, {"age": 2}, {"age": value}], pd.DataFrame({"age": [1.0, 2.0, value]})]
    tables.append(polars([{"age": 1.0}, {"age": 2.0}, {"age": value}]))
    for table in tables:
        with pytest.raises(ValueError, match="column 'age' holds .* in row 2; finite numbers expected: drop or impute"):
            NUMBER(table)


def test_pandas_own_missing_number_is_refused_with_its_column_and_row():
    with pytest.raises((TypeError, ValueError), match="column 'age' holds <NA>.* in row 1"):
        NUMBER(pd.DataFrame({"age": pd.array([1, None], dtype="Int64")}))


@pytest.mark.parametrize("kernel", [gm.Spectrum(2), gm.BagOfWords(), gm.Equality()], ids=repr)
@pytest.mark.parametrize("value", [None, float("nan"), pd.NA], ids=repr)
def test_missing_object_is_refused_with_its_row(kernel, value):
    for table in ([{"note": "the cat"}, {"note": value}], pd.DataFrame({"note": ["the cat", value]}, dtype=object)):
        with pytest.raises(ValueError, match=r"column 'note' holds .* in row 1, a missing value: drop such rows"):
            kernel.on("note")(table)


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        ({"age": [1.0, 2.0]}, TypeError, "X is a dict; a data frame or a list of records expected"),
        ("age", TypeError, "X is a str; a data frame or a list of records expected"),
        (b"age", TypeError, "X is a bytes; a data frame or a list of records expected"),
        (None, TypeError, "X is a NoneType; a data frame or a list of records expected"),
        (7, TypeError, "X is a int; a data frame or a list of records expected"),
        ([], ValueError, "X is empty; at least one record expected"),
        ([1.0, 2.0], ValueError, "record 0 of X has no field 'age'; it is 1.0, a float"),
        (["age", "title"], ValueError, "record 0 of X has no field 'age'; it is 'age', a str"),
        (np.eye(2), ValueError, "X has no column 'age': it has 2"),
        (pd.Series([1.0, 2.0]), ValueError, "record 0 of X has no field 'age'; it is 1.0, a float"),
        (pd.DataFrame({"age": [], "promoter": []}), ValueError, "X is empty"),
    ],
    ids=lambda given: repr(given)[:20],
)
def test_what_is_not_a_table_is_refused(table, error, message):
    for kernel in (NUMBER, NUMBER + TEXT, NUMBER.normalize()):
        with pytest.raises(error, match=message):
            kernel(table)
        with pytest.raises(error, match=message):
            kernel.center(table)


@pytest.mark.parametrize(
    ("kernel", "table"),
    [
        (gm.Equality().on("count"), [(1, 2), (1, 2)]),
        (gm.Linear().on("size"), np.eye(3)),
    ],
)
def test_a_method_of_a_record_is_not_its_field(kernel, table):
    with pytest.raises(ValueError, match="has no (field|column)"):
        kernel(table)


def test_two_columns_of_the_same_name_are_refused():
    frame = pd.DataFrame([["x", "y"], ["z", "y"]], columns=["a", "a"])
    with pytest.raises((TypeError, ValueError), match="two columns|twice|several"):
        gm.Equality().on("a")(frame)


def test_number_beyond_floating_point_is_refused_with_its_column():
    with pytest.raises((TypeError, ValueError), match="column 'age'"):
        NUMBER([{"age": 10**400}])
