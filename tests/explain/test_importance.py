"""Permutation importance: what is known of a target is found, with errors that hold, for columns of every kind."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import gramian as gm
from gramian.explain.related import association, clusters_of, rank_correlations
from gramian.learn.fields import fields_of


class Known(RegressorMixin, BaseEstimator):
    """A model that knows the answer and needs no training."""

    fits = 0
    calls = 0

    def fit(self, X, y):
        Known.fits += 1
        self.fitted_ = True
        return self

    def predict(self, X):
        Known.calls += 1
        return 3 * X[:, 0] + X[:, 1]


def sample(seed=0, n=120):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, 3 * X[:, 0] + X[:, 1] + rng.normal(size=n)


def test_it_is_the_growth_of_the_loss_written_out():
    X, y = sample()
    folds = list(KFold(3).split(X))
    found = gm.importance(Known(), X, y, cv=folds, repeats=2, random_state=7)
    rng = np.random.default_rng(7)
    expected = np.zeros((3, 3))
    for fold, (_, test) in enumerate(folds):
        seen = np.sort(rng.permutation(test))
        base = np.sqrt(np.mean((Known().predict(X[seen]) - y[seen]) ** 2))
        for column in range(3):
            for order in [rng.permutation(len(seen)) for _ in range(2)]:
                Z = X[seen].copy()
                Z[:, column] = Z[order, column]
                expected[fold, column] += np.sqrt(np.mean((Known().predict(Z) - y[seen]) ** 2)) / 2
            expected[fold, column] -= base
    order = [int(name.removeprefix("column ")) for name in found.columns]
    assert order == [0, 1, 2]
    np.testing.assert_allclose(found.importances, expected.mean(axis=0), rtol=1e-12)
    spread = expected.std(axis=0, ddof=1) * np.sqrt(1 / 3 + 40 / 80)
    np.testing.assert_allclose(found.errors, spread, rtol=1e-10, atol=1e-15)


def test_there_is_one_fit_a_fold_and_one_prediction_a_column():
    X, y = sample()
    Known.fits = Known.calls = 0
    gm.importance(Known(), X, y, cv=4, repeats=6)
    assert (Known.fits, Known.calls) == (4, 4 * (1 + 3))


def test_a_column_that_the_model_does_not_use_has_importance_zero_exactly():
    X, y = sample()
    found = gm.importance(Known(), X, y)
    assert (found.columns[-1], found.importances[-1], found.errors[-1]) == ("column 2", 0.0, 0.0)


def test_noise_is_within_its_error_of_zero_and_signal_is_not_over_many_draws():
    missed = false = 0
    for seed in range(60):
        X, y = sample(seed)
        found = gm.importance(LinearRegression(), X, y, random_state=seed)
        by_name = dict(zip(found.columns, found.importances / found.errors, strict=True))
        missed += by_name["column 1"] < 2
        false += by_name["column 2"] > 2.8
    assert missed <= 3
    assert false <= 6


def test_errors_hold_the_importance_over_many_draws():
    draws = [gm.importance(LogisticRegression(), X, y > 0, random_state=s) for s in range(60) for X, y in [sample(s)]]
    first = np.array([[r.importances[k], r.errors[k]] for r in draws for k in [r.columns.index("column 0")]])
    truth = first[:, 0].mean()
    assert np.mean(np.abs(first[:, 0] - truth) <= 2.8 * first[:, 1]) >= 0.9


@dataclass(frozen=True)
class Person:
    age: float
    sex: str
    note: str


Row = namedtuple("Row", "age sex note")


def people(n=80, seed=0):
    rng = np.random.default_rng(seed)
    age, sex = rng.normal(40, 10, n), rng.choice(["f", "m"], n)
    words = rng.choice(["cat", "dog"], n)
    notes = [f"saw a {w} on day {d}" for w, d in zip(words, rng.integers(0, 50, n), strict=True)]
    y = np.where((words == "cat") ^ (rng.uniform(size=n) < 0.05), "yes", "no")
    return age, sex, notes, y


def tables():
    age, sex, notes, _ = people()
    rows = list(zip(age.tolist(), sex.tolist(), notes, strict=True))
    frame = pd.DataFrame({"age": age, "sex": pd.Categorical(sex), "note": notes})
    records = np.array(rows, dtype=[("age", float), ("sex", object), ("note", object)])
    return {
        "frame": frame,
        "dictionaries": frame.to_dict("records"),
        "named tuples": [Row(*row) for row in rows],
        "dataclasses": [Person(*row) for row in rows],
        "structured": records,
    }


@pytest.mark.parametrize("name", tables())
def test_every_kind_of_table_and_of_column_gives_the_same_answer(name):
    y = people()[-1]
    k = gm.Gaussian(10.0).on("age") + gm.Equality().on("sex") + gm.BagOfWords("tf").on("note").normalize()
    expected = gm.importance(gm.KernelClassifier(k, ridge=1.0), tables()["dictionaries"], y)
    found = gm.importance(gm.KernelClassifier(k, ridge=1.0), tables()[name], y)
    assert found.columns[0] == "note"
    assert found.importances[0] > 3 * found.errors[0] > 0
    assert found.columns == expected.columns
    np.testing.assert_array_equal(found.importances, expected.importances)


def test_polars_frames_and_plain_tuples_are_tables_too():
    pl = pytest.importorskip("polars")
    age, sex, notes, y = people()
    k = gm.Gaussian(10.0).on("age") + gm.Equality().on("sex") + gm.BagOfWords("tf").on("note").normalize()
    frame = pl.DataFrame({"age": age, "sex": sex, "note": notes})
    assert gm.importance(gm.KernelClassifier(k, ridge=1.0), frame, y).columns[0] == "note"
    rows = list(zip(age.tolist(), sex.tolist(), notes, strict=True))
    k = gm.Gaussian(10.0).on(0) + gm.BagOfWords("tf").on(2).normalize()
    assert gm.importance(gm.KernelClassifier(k, ridge=1.0), rows, y).columns[0] == "column 2"


def test_sequences_in_a_column_count_as_one_column():
    rng = np.random.default_rng(0)
    dna = ["".join(rng.choice(list("ACGT"), 12)) for _ in range(60)]
    rows = [{"dna": d, "noise": float(z)} for d, z in zip(dna, rng.normal(size=60), strict=True)]
    y = ["AA" in d for d in dna]
    k = gm.Spectrum(2).on("dna").normalize() + gm.Gaussian(1.0).on("noise")
    found = gm.importance(gm.KernelClassifier(k, ridge=0.1), rows, y)
    assert found.columns[0] == "dna"
    assert found.importances[0] > 0.1


def test_a_pipeline_of_scikit_learn_is_asked_in_its_own_columns():
    age, sex, _, _ = people(200)
    frame = pd.DataFrame({"age": age, "sex": pd.Categorical(sex)})
    y = (sex == "f") * 5.0 + age / 100
    prepare = make_column_transformer((StandardScaler(), ["age"]), (OneHotEncoder(), ["sex"]))
    found = gm.importance(make_pipeline(prepare, LinearRegression()), frame, y)
    assert found.columns == ("sex", "age")
    assert found.loss == "root mean squared error"


def test_sparse_arrays_and_dense_ones_agree():
    X, y = sample()
    X[np.abs(X) < 0.5] = 0
    dense = gm.importance(gm.KernelRidge(gm.Linear(), ridge=1.0), X, y)
    sparse = gm.importance(gm.KernelRidge(gm.Linear(), ridge=1.0), scipy.sparse.csr_array(X), y)
    assert dense.columns == sparse.columns
    np.testing.assert_allclose(dense.importances, sparse.importances, rtol=1e-9)


def test_copies_of_a_column_look_unimportant_alone_and_are_told_together():
    X, y = sample()
    X = np.column_stack([X[:, 0], X[:, 0] + 1e-3 * X[:, 2], X[:, 0] * 2, X[:, 1], X[:, 2]])
    found = gm.importance(gm.KernelRidge(gm.Linear(), ridge=1.0), X, y, names=list("abcde"))
    (cluster,) = found.clusters
    assert cluster.columns == ("a", "b", "c")
    alone = dict(zip(found.columns, found.importances, strict=True))
    assert cluster.importance > 1.5 * max(alone[name] for name in "abc")
    assert cluster.importance > 3 * cluster.error
    assert "a + b + c together" in repr(found)


def test_related_columns_are_found_among_numbers_and_among_categories():
    rng = np.random.default_rng(0)
    a, c = rng.normal(size=200), rng.choice(["x", "y", "z"], 200)
    frame = pd.DataFrame(
        {
            "a": a,
            "c": c,
            "cubed": a**3,
            "free": rng.normal(size=200),
            "same": [{"x": "1", "y": "2", "z": "3"}[v] for v in c],
        }
    )
    frame["other"] = rng.choice(["u", "v"], 200)
    assert clusters_of(fields_of(frame)) == [("a", "cubed"), ("c", "same")]


def test_rank_correlations_are_those_of_scipy_and_independent_codes_have_no_association():
    from scipy.stats import spearmanr

    rng = np.random.default_rng(0)
    table = rng.integers(0, 6, size=(50, 4)).astype(float)
    np.testing.assert_allclose(rank_correlations(table), spearmanr(table).statistic, atol=1e-12)
    strengths = [association(rng.integers(0, 5, 200), rng.integers(0, 5, 200)) for _ in range(100)]
    assert np.mean(strengths) < 0.06


def test_rows_of_one_group_stay_in_one_fold():
    X = sample(n=40)[0]
    copies, groups = np.repeat(X, 4, axis=0), np.repeat(np.arange(40), 4)
    noise = np.repeat(np.random.default_rng(1).normal(size=40), 4)
    nearest = gm.KernelRidge(gm.Gaussian(0.05), ridge=1e-3)
    apart = gm.importance(nearest, copies, noise, groups=groups)
    mixed = gm.importance(nearest, copies, noise)
    assert mixed.baseline < 0.2 < apart.baseline


def test_the_same_seed_gives_the_same_answer_and_the_order_is_that_of_importance():
    X, y = sample()
    one, two = (gm.importance(LinearRegression(), X, y, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(one.importances, two.importances)
    assert (np.diff(one.importances) <= 0).all()


def test_several_targets_and_labels_of_text_are_measured():
    X, y = sample()
    both = gm.importance(gm.KernelRidge(gm.Linear(), ridge=1.0), X, np.column_stack([y, -y]))
    assert both.columns[0] == "column 0"
    labels = np.where(y > 0, "high", "low")
    assert gm.importance(LogisticRegression(), X, labels).loss == "share of mistakes"


@pytest.mark.parametrize(
    ("X", "model"),
    [
        (["abc", "abd"] * 10, gm.KernelClassifier(gm.Spectrum(2))),
        ([["a", "b"], ["b", "c"]] * 10, gm.KernelClassifier(gm.Spectrum(2))),
        (np.array(["a", "b"] * 10), gm.KernelClassifier(gm.Equality())),
        (list(range(20)), LogisticRegression()),
    ],
    ids=["strings", "tokens", "categories", "nodes"],
)
def test_objects_without_columns_are_refused_with_a_way_to_go(X, model):
    with pytest.raises(TypeError, match=r"without columns .*model.feature_weights\(\)"):
        gm.importance(model, X, ["u", "v"] * 10)


def test_other_wrong_input_is_said():
    X, y = sample()
    with pytest.raises(ValueError, match="X has 120 objects and y 119"):
        gm.importance(LinearRegression(), X, y[1:])
    with pytest.raises(ValueError, match="at least two expected"):
        gm.importance(LinearRegression(), X, y, cv=[(np.arange(100), np.arange(100, 120))])
    with pytest.raises(TypeError, match="columns cannot be permuted"):
        gm.importance(gm.KernelRidge(), gm.Gaussian(1.0).gram(X), y)
    with pytest.raises(ValueError, match="several columns 'a'"):
        gm.importance(LinearRegression(), pd.DataFrame(X, columns=["a", "a", "b"]), y)
    with pytest.raises(ValueError, match="names are 2, and X has 3 columns"):
        gm.importance(LinearRegression(), X, y, names=["a", "b"])


def test_of_many_held_out_objects_some_are_looked_at():
    X, y = sample(n=300)

    class Counting(ClassifierMixin, BaseEstimator):
        seen = 0

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            Counting.seen = max(Counting.seen, len(X))
            return self.classes_[(X[:, 0] > 0).astype(int)]

    gm.importance(Counting(), X, y > 0, probe=10, repeats=3)
    assert Counting.seen == 30
