"""Rows of the Gram for estimators with a precomputed kernel: support vector machines on every kind of object."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR, OneClassSVM
from sklearn.utils import get_tags

import gramian as gm

from ..kernels import cases  # noqa: TID252
from .conftest import labels, more_vectors, numbers, vectors, words

SHUFFLED = StratifiedKFold(4, shuffle=True, random_state=0)
KERNELS = [gm.Gaussian(1.5), gm.Laplacian(2.0), gm.Linear(), gm.Polynomial(2), gm.Gaussian(1.0) + gm.Linear()]

OBJECTS = {
    "vectors": (vectors(), gm.Gaussian("median")),
    "frame": (pd.DataFrame(vectors(), columns=list("abc")), gm.Gaussian("median").on("a", "c")),
    "strings": (words(), gm.Spectrum(2).normalize()),
    "nodes": ((cases.walk() * 2)[:40], cases.HEAT),
    "records": ((cases.records() * 2)[:40], cases.RECORDS["sum"](None)),
    "documents": ((cases.documents() * 4)[:40], gm.BagOfWords("tf-idf")),
    "indices": (np.arange(40), gm.Precomputed(gm.Gaussian(1.5)(vectors()))),
}


def some(X, places):
    if isinstance(X, pd.DataFrame):
        return X.iloc[places]
    return X[places] if isinstance(X, np.ndarray) else [X[i] for i in places]


@pytest.mark.parametrize("name", OBJECTS)
def test_rows_are_the_values_of_the_kernel_with_the_training_objects(name):
    X, kernel = OBJECTS[name]
    train, test = np.arange(30), np.arange(25, 40)
    model = gm.GramRows(kernel)
    K = model.fit_transform(some(X, train))
    settled = kernel.fit(some(X, train))
    assert model.kernel_ == settled
    np.testing.assert_allclose(K, settled(some(X, train)), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(K, K.T)
    expected = settled(some(X, test), some(X, train))
    np.testing.assert_allclose(model.transform(some(X, test)), expected, rtol=1e-12, atol=1e-12)
    assert model.get_feature_names_out().tolist() == [f"gramrows{i}" for i in range(30)]


@pytest.mark.parametrize("name", OBJECTS)
def test_a_pipeline_with_a_support_vector_machine_is_cut_by_objects_in_every_fold(name):
    X, kernel = OBJECTS[name]
    y = labels()
    model = make_pipeline(gm.GramRows(kernel), SVC(kernel="precomputed"))
    found = cross_val_predict(model, X, y, cv=SHUFFLED)
    for train, test in SHUFFLED.split(np.zeros(len(y)), y):
        settled = kernel.fit(some(X, train))  # on the training part alone
        by_hand = SVC(kernel="precomputed").fit(settled(some(X, train)), y[train])
        decided = by_hand.decision_function(settled(some(X, test), some(X, train)))
        clear = np.abs(decided) > 1e-9
        np.testing.assert_array_equal(found[test][clear], by_hand.classes_[(decided > 0).astype(int)][clear])


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_on_vectors_it_is_a_support_vector_machine_with_the_kernel_as_a_function(kernel):
    X, y = vectors(), labels()
    rows = make_pipeline(gm.GramRows(kernel), SVC(kernel="precomputed")).fit(X, y)
    function = SVC(kernel=lambda A, B: kernel(A, B)).fit(X, y)
    found, expected = rows.decision_function(more_vectors()), function.decision_function(more_vectors())
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())
    scores = [cross_val_score(model, X, y, cv=SHUFFLED) for model in (rows, function)]
    np.testing.assert_array_equal(*scores)


def test_regression_and_one_class_machines_are_those_of_the_same_kernel():
    X = vectors()
    kernel, gamma = gm.Gaussian(1.5), 1 / (2 * 1.5**2)
    for rows, plain, y in (
        (SVR(kernel="precomputed"), SVR(kernel="rbf", gamma=gamma), numbers()),
        (OneClassSVM(kernel="precomputed", nu=0.2), OneClassSVM(kernel="rbf", gamma=gamma, nu=0.2), None),
    ):
        found = make_pipeline(gm.GramRows(kernel), rows).fit(X, y)
        ask = "predict" if y is not None else "decision_function"
        expected = getattr(plain.fit(X, y), ask)(more_vectors())
        np.testing.assert_allclose(getattr(found, ask)(more_vectors()), expected, atol=1e-3 * np.abs(expected).max())


def test_a_grid_search_over_the_kernel_finds_what_folds_by_hand_find():
    X, y = vectors(), labels()
    model = make_pipeline(gm.GramRows(gm.Gaussian()), SVC(kernel="precomputed"))
    bandwidths = [0.05, 0.5, 2.0, 50.0]
    grid = {"gramrows__kernel__bandwidth": bandwidths, "svc__C": [1.0, 10.0]}
    search = GridSearchCV(model, grid, cv=SHUFFLED, error_score="raise").fit(X, y)
    plain = SVC(kernel="rbf")
    expected = GridSearchCV(plain, {"C": [1.0, 10.0], "gamma": [1 / (2 * b * b) for b in bandwidths]}, cv=SHUFFLED)
    expected.fit(X, y)
    ours, theirs = search.cv_results_["mean_test_score"].reshape(4, 2), expected.cv_results_["mean_test_score"]
    np.testing.assert_allclose(ours, theirs.reshape(2, 4).T, atol=1e-12)
    assert search.best_estimator_[0].kernel.bandwidth in bandwidths


def test_a_grid_search_may_try_kernels_of_different_families_on_strings():
    model = make_pipeline(gm.GramRows(), SVC(kernel="precomputed"))
    kernels = [gm.Spectrum(1), gm.Spectrum(2).normalize(), gm.Composition(length=2)]
    search = GridSearchCV(model, {"gramrows__kernel": kernels}, cv=SHUFFLED, error_score="raise").fit(words(), labels())
    assert search.best_params_["gramrows__kernel"] in kernels
    assert search.best_score_ > 0.8


def test_neither_the_transformer_nor_a_pipeline_that_begins_with_it_is_pairwise():
    model = make_pipeline(gm.GramRows(gm.Gaussian()), SVC(kernel="precomputed"))
    assert get_tags(model[1]).input_tags.pairwise
    assert not get_tags(model[0]).input_tags.pairwise
    assert not get_tags(model).input_tags.pairwise
    assert not get_tags(GridSearchCV(model, {})).input_tags.pairwise


def test_a_lazy_gram_is_taken_in_place_of_the_objects():
    X, kernel = vectors(), gm.Gaussian(1.5)
    model = gm.GramRows(gm.Linear())
    np.testing.assert_array_equal(model.fit_transform(kernel.gram(X)), kernel(X))
    assert model.kernel_ == kernel
    np.testing.assert_allclose(model.transform(more_vectors()), kernel(more_vectors(), X), rtol=1e-13)


def test_single_precision_and_frames_come_out_as_asked_for():
    X = vectors().astype(np.float32)
    model = gm.GramRows(gm.Gaussian(1.5))
    assert model.fit_transform(X).dtype == np.float32
    frame = clone(model).set_output(transform="pandas").fit_transform(pd.DataFrame(X, index=range(5, 45)))
    assert frame.shape == (40, 40)
    assert list(frame.index) == list(range(5, 45))
    by_distance = make_pipeline(gm.GramRows(gm.Linear()), KNeighborsClassifier(3))
    assert cross_val_score(by_distance, vectors(), labels(), cv=SHUFFLED).mean() > 0.8


def test_objects_of_another_kind_are_refused():
    model = gm.GramRows(gm.Spectrum(2)).fit(words())
    with pytest.raises(TypeError, match="X is a single str; a list expected"):
        model.transform("abc")
    with pytest.raises((TypeError, ValueError)):
        model.transform(vectors())


# The data that ships with the package


def test_promoters_are_told_apart_by_a_support_vector_machine():
    dna = gm.load_promoters()
    model = make_pipeline(gm.GramRows(gm.FullSpectrum(2, 5).normalize()), SVC(kernel="precomputed", C=10))
    assert cross_val_score(model, dna.data, dna.target, cv=SHUFFLED).mean() > 0.9
    one = make_pipeline(gm.GramRows(gm.Spectrum(3).normalize()), OneClassSVM(kernel="precomputed", nu=0.1))
    promoters = [x for x, c in zip(dna.data, dna.target, strict=True) if c == 1]
    assert (one.fit(promoters).predict(promoters) == -1).mean() < 0.3


def test_cars_consume_what_a_support_vector_regression_says():
    cars = gm.load_cars()
    numbers = gm.Gaussian("median").pullback(gm.Standardize()).on("weight", "horsepower", "year", "displacement")
    kernel = numbers * (gm.Equality().on("origin") + 1) + 0.1 * gm.Spectrum(3).normalize().on("name")
    model = make_pipeline(gm.GramRows(kernel), SVR(kernel="precomputed", C=100))
    folds = KFold(5, shuffle=True, random_state=0)
    assert cross_val_score(model, cars.data, cars.target, cv=folds).mean() > 0.8


def test_football_teams_are_placed_in_their_conferences_and_the_time_of_diffusion_is_searched_for():
    league = gm.load_football()
    heat = gm.ExponentialDiffusion(league.graph, beta=0.5, of="laplacian")
    model = make_pipeline(gm.GramRows(heat), SVC(kernel="precomputed", C=100))
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(model, {"gramrows__kernel__beta": [0.01, 0.5]}, cv=folds, error_score="raise")
    search.fit(league.data, league.target)
    assert search.best_params_ == {"gramrows__kernel__beta": 0.5}
    assert search.best_score_ > 0.9
