"""Every learner learns from any object that a kernel can compare, alone and in cross-validation."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline

import gramian as gm

from .conftest import (
    CLASSIFIERS,
    LEARN,
    LEARNERS,
    N,
    SharedPieces,
    answers,
    assert_same_answers,
    every_learner,
    few_objects,
    halves,
    labels,
    more_vectors,
    vectors,
    words,
)

pytestmark = few_objects

GAUSSIAN = gm.Gaussian(bandwidth=1.5)
PREDICTORS = [learner for learner in LEARNERS if hasattr(learner.make(GAUSSIAN), "predict")]
COORDINATES = [LEARN[name] for name in ("pca-number", "gram-schmidt-greedy", "gram-schmidt-random", "kmeans")]

# Two ways to compute K differ by rounding, which a tiny ridge, where leave-one-out chooses one, magnifies.
ROUNDING = 1e-4

every_predictor = pytest.mark.parametrize("learner", PREDICTORS, ids=repr)


def held_out_spread(model, X, y=None):
    """A score that any learner has: how far apart its answers about held-out objects are."""
    return float(sum(np.ptp(found) for found in answers(model, X).values() if found.dtype.kind == "f"))


def searched(learner, model, grid, X):
    """Search a grid by three folds, on all objects of X, and return the search."""
    search = GridSearchCV(model, grid, cv=3, scoring=held_out_spread, error_score="raise")
    return search.fit(X, learner.y())


def test_the_kernel_of_these_tests_is_a_kernel():
    for length in (1, 2):
        gm.testing.check_kernel(SharedPieces(length), words())


# Words


@every_learner
def test_words_are_learnt_from_as_their_counts_are(learner):
    kernel, new = SharedPieces(), words(N + 6)[N:]
    counts = kernel.encode(words()).parts[0]
    from_words, from_counts = learner.fitted(kernel, words()), learner.fitted(gm.Linear(), counts)
    assert_same_answers(from_counts, from_words, kernel.encode(new).parts[0], new, tol=1e-7)


@every_learner
@pytest.mark.parametrize(
    "given",
    [tuple, np.array, lambda w: np.array(w, dtype=object), pd.Series],
    ids=["tuple", "array", "objects", "series"],
)
def test_words_may_come_in_any_flat_collection(learner, given):
    new = words(N + 6)[N:]
    model = learner.fitted(SharedPieces(), words())
    assert_same_answers(model, learner.fitted(SharedPieces(), given(words())), new, given(new))


@every_predictor
def test_words_are_cross_validated(learner):
    X, y = words(), learner.y()
    found = cross_val_predict(learner.make(SharedPieces()), X, y, cv=halves())
    for train, test in halves():
        model = learner.make(SharedPieces()).fit([X[i] for i in train], None if y is None else y[train])
        np.testing.assert_array_equal(found[test], model.predict([X[i] for i in test]))


@pytest.mark.parametrize("learner", CLASSIFIERS, ids=repr)
def test_the_languages_of_unseen_words_are_told_apart(learner):
    scores = cross_val_score(learner.make(SharedPieces()), words(), labels(), cv=4)
    assert scores.mean() > 0.85


@pytest.mark.parametrize("learner", COORDINATES, ids=repr)
def test_a_linear_model_learns_the_languages_from_coordinates_of_words(learner):
    model = make_pipeline(learner.make(SharedPieces()), LogisticRegression())
    assert cross_val_score(model, words(), labels(), cv=4).mean() > 0.8


@every_learner
def test_a_grid_search_reaches_the_parameter_of_a_kernel_on_words(learner):
    grid = {f"{learner.path}__length": [1, 2]}
    search = searched(learner, learner.make(SharedPieces()), grid, words())
    scores = search.cv_results_["mean_test_score"]
    assert scores[0] != scores[1]
    assert search.best_estimator_.get_params()[learner.path] == SharedPieces([1, 2][np.argmax(scores)])


@every_learner
def test_a_grid_search_chooses_among_kernels_on_words(learner):
    kernels = [SharedPieces(1), SharedPieces(2), SharedPieces(1).normalize(), SharedPieces(1) + SharedPieces(2)]
    search = searched(learner, learner.make(SharedPieces()), {learner.path: kernels}, words())
    assert len(set(search.cv_results_["mean_test_score"])) == len(kernels)
    assert search.best_estimator_.get_params()[learner.path] == kernels[search.best_index_]
    answers(search.best_estimator_, words(N + 6)[N:])


@every_learner
def test_learners_of_words_are_cloned_pickled_and_copied(learner):
    model = learner.fitted(SharedPieces(2).normalize() + SharedPieces(), words())
    new = words(N + 6)[N:]
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), clone(model).fit(words(), learner.y())):
        assert_same_answers(model, twin, new)
    assert "SharedPieces" in model._repr_html_()


@every_learner
def test_words_have_no_number_of_features(learner):
    model = learner.fitted(SharedPieces(), words())
    assert not hasattr(model, "n_features_in_")
    assert not model.__sklearn_tags__().input_tags.two_d_array


@every_learner
def test_a_learner_of_vectors_becomes_one_of_words_and_back(learner):
    X, y = vectors(), learner.y()
    model = learner.make(GAUSSIAN).fit(X, y)
    model.set_params(**{learner.path: SharedPieces()}).fit(words(), y)
    assert_same_answers(learner.fitted(SharedPieces(), words()), model, words())
    model.set_params(**{learner.path: GAUSSIAN}).fit(X, y)
    assert_same_answers(learner.fitted(GAUSSIAN, X), model, X)


def test_the_width_and_names_of_vectors_are_forgotten_when_words_are_learnt():
    frame = pd.DataFrame(vectors(), columns=["a", "b", "c"])
    model = gm.KernelPCA(2, GAUSSIAN).fit(frame).set_params(kernel=SharedPieces()).fit(words())
    assert not hasattr(model, "n_features_in_")
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize("name", ["pca-number", "gram-schmidt-greedy", "kmeans", "fisher-loo"])
def test_coordinates_of_words_come_as_a_named_data_frame(name):
    model = LEARN[name].make(SharedPieces()).set_output(transform="pandas").fit(words(), LEARN[name].y())
    found = model.transform(words())
    assert isinstance(found, pd.DataFrame)
    assert list(found.columns) == list(model.get_feature_names_out())
    assert len(found) == N


# A matrix that is there already


@every_learner
@pytest.mark.parametrize("given", [np.arange, lambda n: list(range(n)), range], ids=["array", "list", "range"])
def test_indices_into_a_matrix_are_learnt_from_as_the_objects_are(learner, given):
    X, new = vectors(), more_vectors()
    K = GAUSSIAN(np.vstack([X, new]))
    model = learner.fitted(gm.Precomputed(K), given(N))
    assert_same_answers(learner.fitted(GAUSSIAN, X), model, new, N + np.arange(len(new)), tol=ROUNDING)


@every_predictor
@pytest.mark.parametrize("given", [np.arange, lambda n: list(range(n))], ids=["array", "list"])
def test_indices_are_cross_validated_as_the_objects_are(learner, given):
    X, y = vectors(), learner.y()
    expected = cross_val_predict(learner.make(GAUSSIAN), X, y, cv=halves())
    found = cross_val_predict(learner.make(gm.Precomputed(GAUSSIAN(X))), given(N), y, cv=halves())
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, atol=ROUNDING)
    else:
        np.testing.assert_array_equal(found, expected)


@every_learner
def test_a_grid_search_chooses_among_matrices(learner):
    X = vectors()
    kernels = [gm.Precomputed(gm.Gaussian(bandwidth=b)(X)) for b in (0.5, 2.0)]
    kernels.append(kernels[0] + kernels[1])
    search = searched(learner, learner.make(kernels[0]), {learner.path: kernels}, np.arange(N))
    assert len(set(search.cv_results_["mean_test_score"])) == len(kernels)
    assert search.best_estimator_.get_params()[learner.path] == kernels[search.best_index_]


# Vectors, by kernels of every making


@every_learner
def test_a_grid_search_chooses_among_bandwidths_and_among_kernels_of_vectors(learner):
    by_bandwidth = searched(
        learner, learner.make(gm.Gaussian("median")), {f"{learner.path}__bandwidth": [0.5, 2.0]}, vectors()
    )
    by_kernel = searched(
        learner, learner.make(gm.Linear()), {learner.path: [gm.Gaussian(0.5), gm.Gaussian(2.0)]}, vectors()
    )
    np.testing.assert_array_equal(by_bandwidth.cv_results_["mean_test_score"], by_kernel.cv_results_["mean_test_score"])
    assert_same_answers(by_bandwidth.best_estimator_, by_kernel.best_estimator_, more_vectors())


def composed(X):
    """Kernels made of others, each with a formula of its own for the same κ."""
    linear, standard = gm.Linear(), gm.Standardize.of(X)
    return {
        "sum": (GAUSSIAN + 0.5 * linear, lambda A, B: GAUSSIAN(A, B) + 0.5 * A @ B.T),
        "product": (GAUSSIAN * (linear + 1), lambda A, B: GAUSSIAN(A, B) * (A @ B.T + 1)),
        "normalized": ((linear + 1).normalize() + 0.1 * linear, lambda A, B: cosines(A, B) + 0.1 * A @ B.T),
        "pullback": (linear.pullback(standard), lambda A, B: standard(A) @ standard(B).T),
        "centered": (linear.center(X), lambda A, B: (A - X.mean(axis=0)) @ (B - X.mean(axis=0)).T),
        "power": ((linear + 1) ** 2, lambda A, B: (A @ B.T + 1) ** 2),
    }


def cosines(A, B):
    norms = [np.sqrt((P * P).sum(axis=1) + 1) for P in (A, B)]
    return (A @ B.T + 1) / np.outer(*norms)


@every_learner
@pytest.mark.parametrize("name", composed(np.eye(3)))
def test_composed_kernels_are_learnt_from_as_their_matrices_are(learner, name):
    X, new = vectors(), more_vectors()
    kernel, formula = composed(X)[name]
    both = np.vstack([X, new])
    K = formula(both, both)
    expected = learner.fitted(gm.Precomputed((K + K.T) / 2), np.arange(N))
    assert_same_answers(expected, learner.fitted(kernel, X), N + np.arange(len(new)), new, tol=ROUNDING)


@every_learner
def test_a_median_inside_a_composed_kernel_is_settled_on_the_sample(learner):
    X = vectors()
    kernel = gm.Gaussian("median") * gm.Polynomial(degree=2).normalize()
    model = learner.fitted(kernel, X)
    model = getattr(model, "best_estimator_", model)
    sample = X
    if learner.name == "novelty-conformal":
        sample = model.sample_.points.parts[0].parts[0]
        assert len(sample) == N // 2
    assert model.kernel_ == kernel.fit(sample)
    assert model.kernel.left.bandwidth == "median"


# Searching without folds


def test_a_search_among_kernels_on_words_takes_the_smallest_leave_one_out_error():
    kernels = [SharedPieces(1), SharedPieces(2), SharedPieces(1).normalize()]
    for estimator, y in ((gm.FisherDiscriminant(), labels()), (gm.KernelRidge(), LEARN["ridge-loo"].y())):
        search = gm.KernelSearch(estimator, kernels).fit(words(), y)
        errors = [clone(estimator).set_params(kernel=kernel).fit(words(), y).loo_error_ for kernel in kernels]
        assert [-found.score for found in search.results_] == errors
        assert search.best_params_ == {"kernel": kernels[int(np.argmin(errors))]}
        assert search.best_estimator_.kernel == search.best_params_["kernel"]


def test_a_search_by_alignment_among_kernels_on_words_takes_the_best_aligned():
    grid = {"kernel__length": [1, 2, 3]}
    search = gm.KernelSearch(gm.ParzenClassifier(SharedPieces()), grid, criterion="alignment").fit(words(), labels())
    expected = [gm.alignment(SharedPieces(length).gram(words()), labels()) for length in (1, 2, 3)]
    np.testing.assert_allclose([found.score for found in search.results_], expected)
    assert search.best_params_ == {"kernel__length": 1 + int(np.argmax(expected))}


def test_a_search_is_cross_validated_and_searched_in_turn():
    search = gm.KernelSearch(gm.FisherDiscriminant(), [SharedPieces(1), SharedPieces(2)])
    assert cross_val_score(search, words(), labels(), cv=4).mean() > 0.85
    outer = GridSearchCV(search, {"candidates": [[SharedPieces(1)], [SharedPieces(2)]]}, cv=2, error_score="raise")
    outer.fit(words(), labels())
    assert outer.best_estimator_.best_estimator_.kernel in (SharedPieces(1), SharedPieces(2))


def test_a_search_passes_weights_to_its_estimator():
    X, y = vectors(), LEARN["ridge-loo"].y()
    weights = np.arange(N) % 3 + 1.0
    search = gm.KernelSearch(gm.KernelRidge(ridge=0.5), [GAUSSIAN]).fit(X, y, sample_weight=weights)
    alone = gm.KernelRidge(GAUSSIAN, ridge=0.5).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(search.predict(X), alone.predict(X))
    assert not np.allclose(search.predict(X), gm.KernelRidge(GAUSSIAN, ridge=0.5).fit(X, y).predict(X))
