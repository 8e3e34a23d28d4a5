"""Every learner keeps scikit-learn's contract, on arrays of every kind and on lazy Grams."""

import copy
import importlib
import inspect
import pickle
import pkgutil

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks

import gramian as gm
import gramian.learn

from .conftest import (
    CLASSIFIERS,
    LEARN,
    LEARNERS,
    NOT_SEARCHES,
    REGRESSORS,
    SEARCHES,
    TRANSFORMERS,
    D,
    N,
    answers,
    assert_equal_answers,
    assert_same_answers,
    every_learner,
    few_objects,
    halves,
    labels,
    more_vectors,
    vectors,
)

pytestmark = few_objects

GAUSSIAN = gm.Gaussian(bandwidth=1.5)
MEDIAN = gm.Gaussian(bandwidth="median")

every_transformer = pytest.mark.parametrize("learner", TRANSFORMERS, ids=repr)
no_search = pytest.mark.parametrize("learner", NOT_SEARCHES, ids=repr)


# scikit-learn's own checks

NO_ALARM = "the bound never raises an alarm on the sample it was made from, so −1 is not among the predictions"
BY_OBJECT = "leave-one-out leaves an object out with all its weight, whereas a repeated row is an object of its own"

CHECKED = [
    (gm.NoveltyDetector(), {}),
    (gm.NoveltyDetector(gm.Linear(), random_state=0), {}),
    (
        gm.NoveltyDetector(calibration="bound"),
        {"check_outliers_train": NO_ALARM, "check_outliers_fit_predict": NO_ALARM},
    ),
    (gm.ParzenClassifier(), {}),
    (gm.ParzenClassifier(gm.Linear()), {}),
    (gm.FisherDiscriminant(), {}),
    (gm.FisherDiscriminant(ridge=1e-3), {}),
    (gm.FisherDiscriminant(gm.Polynomial(degree=2), ridge=1e-2), {}),
    (gm.KernelRidge(ridge=1.0), {}),
    (gm.KernelRidge(ridge=1.0, fit_intercept=True), {}),
    (gm.KernelRidge(ridge=0.5, smoother="projection"), {}),
    (gm.KernelRidge(gm.Linear(), ridge=1.0), {}),
    (gm.KernelRidge(gm.Polynomial(degree=2), ridge=1.0), {}),
    (
        gm.KernelRidge(ridge="loo"),
        {f"check_sample_weight_equivalence_on_{kind}_data": BY_OBJECT for kind in ("dense", "sparse")},
    ),
    (gm.KernelRidge(gm.Linear(), ridge=0, fit_intercept=True), {}),
    *(
        (model, {f"check_sample_weight_equivalence_on_{kind}_data": BY_OBJECT for kind in ("dense", "sparse")})
        for model in (
            gm.KernelClassifier(ridge=1.0),
            gm.KernelClassifier(gm.Linear(), ridge=1e-3, fit_intercept=False),
            gm.KernelClassifier(),
        )
    ),
    (gm.KernelPCA(n_components=2), {}),
    (gm.KernelPCA(), {}),
    (gm.KernelPCA(n_components=2, kernel=gm.Linear()), {}),
    (gm.GramSchmidt(), {}),
    (gm.GramSchmidt(rank=5, pivoting="random", random_state=0), {}),
    (gm.GramSchmidt(gm.Polynomial(degree=2), rank=5), {}),
    (gm.GramRows(), {}),
    (gm.GramRows(gm.Polynomial(degree=2)), {}),
    (gm.KernelKMeans(n_clusters=3, n_init=2), {}),
    (gm.KernelKMeans(n_clusters=3, kernel=gm.Linear(), n_init=2), {}),
    (gm.KernelSearch(gm.KernelRidge(), [gm.Linear(), gm.Polynomial(degree=2)]), {}),
    (gm.KernelSearch(gm.FisherDiscriminant(ridge=0.1), [gm.Linear(), gm.Polynomial(degree=2)]), {}),
    (gm.KernelSearch(gm.ParzenClassifier(), [gm.Linear(), MEDIAN], criterion="alignment"), {}),
]

# scikit-learn skips this one unless SCIPY_ARRAY_API is set before SciPy is imported; no learner takes such arrays.
NOT_RUN = {"check_array_api_input"}

# Checks that scikit-learn runs on its own transformers only, and that hold here too.
OF_TRANSFORMERS = [
    estimator_checks.check_set_output_transform,
    estimator_checks.check_set_output_transform_pandas,
    estimator_checks.check_global_output_transform_pandas,
    estimator_checks.check_transformer_get_feature_names_out,
    estimator_checks.check_transformer_get_feature_names_out_pandas,
]


def name_of(check):
    return getattr(check, "func", check).__name__


def in_one_line(estimator):
    return " ".join(repr(estimator).split())


def scikit_learns_checks():
    for estimator, expected in CHECKED:
        found = estimator_checks.estimator_checks_generator(estimator, expected_failed_checks=expected, mark="xfail")
        for case in found:
            one, check = getattr(case, "values", case)
            if name_of(check) not in NOT_RUN:
                id = f"{in_one_line(estimator)}-{name_of(check)}"
                yield pytest.param(one, check, marks=getattr(case, "marks", ()), id=id)


@pytest.mark.parametrize(("estimator", "check"), list(scikit_learns_checks()))
def test_scikit_learns_check_passes(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", OF_TRANSFORMERS, ids=name_of)
@pytest.mark.parametrize("learner", TRANSFORMERS, ids=repr)
@pytest.mark.filterwarnings("ignore:X .* feature names, but .* was fitted with:UserWarning")  # as the checks mean it
def test_a_check_that_scikit_learn_keeps_for_its_own_transformers_passes_too(learner, check):
    estimator = learner.make(MEDIAN)
    check(type(estimator).__name__, estimator)


@every_learner
def test_the_names_of_columns_are_kept_and_checked_as_scikit_learns_own_estimators_do(learner):
    estimator = learner.make(gm.Gaussian(bandwidth=3.0))
    estimator_checks.check_dataframe_column_names_consistency(type(estimator).__name__, estimator)


def learner_classes():
    """The public names that are estimators, and the final classes of gramian.learn."""
    for module in pkgutil.walk_packages(gramian.learn.__path__, "gramian.learn."):
        importlib.import_module(module.name)
    return {cls for name in gm.__all__ if inspect.isclass(cls := getattr(gm, name)) and issubclass(cls, BaseEstimator)}


def test_every_public_learner_is_among_the_checked_ones_and_among_the_cases():
    classes = learner_classes()
    assert len(classes) >= 8
    assert classes <= {type(estimator) for estimator, _ in CHECKED}
    assert classes <= {type(learner.make(GAUSSIAN)) for learner in LEARNERS}


# Parameters


@every_learner
def test_a_clone_has_the_same_parameters_and_has_learnt_nothing(learner):
    model = learner.fitted(GAUSSIAN, vectors())
    twin = clone(model)
    assert twin is not model
    assert twin.get_params().keys() == model.get_params().keys()
    assert twin.get_params()[learner.path] == GAUSSIAN
    assert not [name for name in vars(twin) if name.endswith("_") and not name.startswith("_")]


@every_learner
def test_the_parameters_of_a_kernel_are_parameters_of_the_learner_however_deep(learner):
    assert learner.make(GAUSSIAN).get_params()[f"{learner.path}__bandwidth"] == 1.5
    params = learner.make(GAUSSIAN + gm.Polynomial(degree=3)).get_params()
    assert params[f"{learner.path}__left__bandwidth"] == 1.5
    assert params[f"{learner.path}__right__degree"] == 3
    assert f"{learner.path}__bandwidth" not in params


@every_learner
def test_without_deep_the_parameters_are_those_of_the_constructor(learner):
    model = learner.make(GAUSSIAN)
    assert list(model.get_params(deep=False)) == sorted(inspect.signature(type(model)).parameters)


@every_learner
def test_setting_a_kernel_parameter_puts_another_kernel_in_place_and_leaves_the_old_one_alone(learner):
    kernel = gm.Gaussian(bandwidth=1.5) + gm.Polynomial(degree=3)
    model = learner.make(kernel)
    assert model.set_params(**{f"{learner.path}__left__bandwidth": 0.25}) is model
    assert model.get_params()[learner.path] == gm.Gaussian(bandwidth=0.25) + gm.Polynomial(degree=3)
    assert kernel == gm.Gaussian(bandwidth=1.5) + gm.Polynomial(degree=3)


def test_setting_a_kernel_parameter_of_one_default_learner_leaves_the_next_as_it_was():
    gm.KernelRidge().set_params(kernel__bandwidth=2.0)
    assert gm.KernelRidge().kernel == gm.KernelPCA().kernel == MEDIAN


@every_learner
def test_a_kernel_and_its_parameters_can_be_set_at_once_in_any_order(learner):
    changes = {f"{learner.path}__nu": 2.5, learner.path: gm.Matern(bandwidth=3.0)}
    for ordered in (changes, dict(reversed(changes.items()))):
        model = learner.make(GAUSSIAN).set_params(**ordered)
        assert model.get_params()[learner.path] == gm.Matern(bandwidth=3.0, nu=2.5)


@every_learner
def test_setting_a_kernel_parameter_changes_what_is_learnt(learner):
    X = vectors()
    model = learner.make(gm.Gaussian(bandwidth=5.0)).set_params(**{f"{learner.path}__bandwidth": 1.5})
    model.fit(X, learner.y())
    assert_same_answers(model, learner.fitted(GAUSSIAN, X), more_vectors())


@every_learner
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bandwith", "Invalid parameter 'bandwith'"),
        ("kernel__width", r"Gaussian has no parameter 'width'; it has \['bandwidth'\]"),
        ("kernel__left__bandwidth", "Gaussian has no parameter 'left'"),
        ("kernel__bandwidth__x", "bandwidth of Gaussian is 1.5, which has no parameters of its own"),
    ],
)
def test_an_unknown_parameter_is_refused_by_name(learner, name, message):
    model = learner.make(GAUSSIAN)
    with pytest.raises(ValueError, match=message):
        model.set_params(**{name.replace("kernel", learner.path): 1.0})
    assert model.get_params()[learner.path] == GAUSSIAN


@every_learner
def test_a_bad_value_of_a_kernel_parameter_is_refused_when_it_is_set(learner):
    with pytest.raises(ValueError, match="bandwidth is -1"):
        learner.make(GAUSSIAN).set_params(**{f"{learner.path}__bandwidth": -1.0})


# Text


@every_learner
def test_the_text_of_a_fitted_learner_is_short_and_names_its_kernel(learner):
    model = learner.fitted(GAUSSIAN, vectors())
    assert type(model).__name__ in repr(model)
    assert "Gaussian(bandwidth=1.5)" in repr(model)
    assert len(repr(model)) < 300


@every_learner
def test_a_notebook_shows_a_learner_before_and_after_it_is_fitted(learner):
    model = learner.make(GAUSSIAN)
    before = model._repr_html_()
    after = model.fit(vectors(), learner.y())._repr_html_()
    for shown in (before, after):
        assert type(model).__name__ in shown
        assert "Gaussian(bandwidth=1.5)" in shown
    assert "Not fitted" in before
    assert "Not fitted" not in after


# In company


@every_learner
def test_a_grid_search_in_a_pipeline_reaches_the_bandwidth(learner):
    model = make_pipeline(StandardScaler(), learner.make(GAUSSIAN))
    step = model.steps[-1][0]
    grid = {f"{step}__{learner.path}__bandwidth": [0.5, 2.0]}
    search = GridSearchCV(model, grid, cv=3, scoring=spread, error_score="raise").fit(vectors(), learner.y())
    scores = search.cv_results_["mean_test_score"]
    assert scores[0] != scores[1]
    assert search.best_estimator_.get_params()[f"{step}__{learner.path}"] == gm.Gaussian(
        bandwidth=[0.5, 2.0][np.argmax(scores)]
    )


def spread(model, X, y=None):
    """A score for learners that have none: how far apart their answers are."""
    found = answers(model, X)
    return float(sum(np.ptp(values.astype(float)) for values in found.values() if values.dtype.kind == "f"))


@pytest.mark.parametrize("learner", CLASSIFIERS, ids=repr)
def test_classifiers_score_well_on_held_out_objects(learner):
    scores = cross_val_score(learner.make(MEDIAN), vectors(), learner.y(), cv=4)
    assert len(scores) == 4
    assert scores.mean() > 0.85


@pytest.mark.parametrize("learner", REGRESSORS, ids=repr)
def test_regressors_score_better_than_the_mean_on_held_out_objects(learner):
    scores = cross_val_score(learner.make(gm.Gaussian(bandwidth=2.0)), vectors(), learner.y(), cv=4)
    assert len(scores) == 4
    assert scores.mean() > 0.3


@pytest.mark.parametrize("learner", [one for one in LEARNERS if hasattr(one.make(GAUSSIAN), "predict")], ids=repr)
def test_held_out_predictions_are_those_of_a_model_fitted_to_the_other_folds(learner):
    X, y = vectors(), learner.y()
    found = cross_val_predict(learner.make(MEDIAN), X, y, cv=halves())
    assert found.shape == (N,)
    for train, test in halves():
        model = learner.make(MEDIAN).fit(X[train], None if y is None else y[train])
        np.testing.assert_array_equal(found[test], model.predict(X[test]))


def test_two_processes_find_what_one_finds():
    X, y = vectors(), LEARN["ridge-loo"].y()
    search = GridSearchCV(gm.KernelRidge(), {"kernel__bandwidth": [0.5, 1.0, 2.0]}, cv=2, error_score="raise")
    alone = clone(search).fit(X, y)
    with joblib.parallel_config("loky", n_jobs=2):
        together = clone(search).fit(X, y)
    np.testing.assert_allclose(
        together.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"], rtol=1e-12
    )


# Transformers


@every_transformer
def test_a_data_frame_comes_out_with_names_and_the_index_it_came_with(learner):
    X = pd.DataFrame(vectors(), columns=["a", "b", "c"], index=[f"row {i}" for i in range(N)])
    model = learner.make(GAUSSIAN).set_output(transform="pandas").fit(X, learner.y())
    found = model.transform(X)
    assert isinstance(found, pd.DataFrame)
    assert list(found.index) == list(X.index)
    prefix = type(model).__name__.lower()
    assert list(found.columns) == [f"{prefix}{i}" for i in range(found.shape[1])]
    np.testing.assert_array_equal(found, learner.fitted(GAUSSIAN, vectors()).transform(vectors()))


@every_transformer
def test_feature_names_are_as_many_as_columns_and_survive_a_pipeline(learner):
    X = vectors()
    model = make_pipeline(StandardScaler(), learner.make(GAUSSIAN)).fit(X, learner.y())
    names = model.get_feature_names_out()
    prefix = type(model[-1]).__name__.lower()
    assert names.tolist() == [f"{prefix}{i}" for i in range(model.transform(X).shape[1])]


@every_transformer
def test_fit_transform_is_fit_and_then_transform(learner):
    X, y = vectors(), learner.y()
    found = learner.make(GAUSSIAN).fit_transform(X, y)
    rounding = 16 * np.finfo(float).eps if learner.name == "gram-rows" else 0  # K itself is symmetric to the last bit
    np.testing.assert_allclose(found, learner.fitted(GAUSSIAN, X).transform(X), rtol=rounding, atol=rounding)


@every_transformer
@pytest.mark.parametrize("kernel", [MEDIAN, gm.Linear(), gm.Polynomial(degree=2)], ids=repr)
def test_single_precision_comes_out_as_it_went_in(learner, kernel):
    X = vectors()
    model = learner.fitted(kernel, X)
    single = learner.fitted(kernel, X.astype(np.float32))
    for fitted in (model, single):
        assert fitted.transform(X).dtype == np.float64
        assert fitted.transform(X.astype(np.float32)).dtype == np.float32
    scale = np.abs(model.transform(X)).max()
    np.testing.assert_allclose(single.transform(X.astype(np.float32)), model.transform(X), atol=1e-3 * scale)


@pytest.mark.parametrize("ridge", [1e-1, 1e-3, 1e-5])
@pytest.mark.parametrize("kernel", [GAUSSIAN, gm.Linear(), gm.Polynomial(degree=2)], ids=repr)
def test_in_single_precision_a_discriminant_keeps_its_digits_at_every_ridge(kernel, ridge):
    X = vectors().astype(np.float32)
    exact = gm.FisherDiscriminant(kernel, ridge=ridge).fit(X.astype(np.float64), labels())
    single = gm.FisherDiscriminant(kernel, ridge=ridge).fit(X, labels())
    expected = exact.transform(X.astype(np.float64))
    np.testing.assert_allclose(single.transform(X), expected, atol=1e-3 * np.abs(expected).max())


def test_pre_images_come_in_the_precision_of_the_training_vectors():
    X = vectors().astype(np.float32)
    for kernel in (gm.Linear(), GAUSSIAN, gm.Polynomial(degree=2)):
        model = gm.KernelPCA(2, kernel).fit(X)
        assert model.inverse_transform(model.transform(X)).dtype == np.float32


@every_transformer
def test_a_linear_model_learns_from_the_coordinates(learner):
    model = make_pipeline(learner.make(MEDIAN), LogisticRegression())
    assert cross_val_score(model, vectors(), labels(), cv=4).mean() > 0.85


# Arrays of every kind


@every_learner
def test_pickled_and_copied_learners_give_the_same_answers(learner):
    X, Z = vectors(), more_vectors()
    model = learner.fitted(MEDIAN, X)
    answers(model, Z)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        assert_same_answers(model, twin, Z)
        assert twin.get_params()[learner.path] == model.get_params()[learner.path]


@pytest.mark.parametrize(
    "name", ["ridge-number", "ridge-loo", "ridge-gcv", "projection", "fisher-loo", "fisher-number"]
)
def test_what_a_fit_is_worth_survives_pickling_whether_it_was_asked_for_or_not(name):
    model = LEARN[name].fitted(MEDIAN, vectors())
    before = pickle.loads(pickle.dumps(model))
    error = model.loo_error_
    after = pickle.loads(pickle.dumps(model))
    assert before.loo_error_ == after.loo_error_ == error


SPARSE = {
    "csr_array": scipy.sparse.csr_array,
    "csc_array": scipy.sparse.csc_array,
    "csr_matrix": scipy.sparse.csr_matrix,
    "csc_matrix": scipy.sparse.csc_matrix,
}


@every_learner
@pytest.mark.parametrize("form", SPARSE)
@pytest.mark.parametrize("kernel", [MEDIAN, gm.Linear()], ids=repr)
def test_sparse_input_gives_the_answers_of_dense_input(learner, kernel, form):
    X, Z = vectors(), more_vectors()
    X[np.abs(X) < 0.4] = 0
    Z[np.abs(Z) < 0.4] = 0
    dense, sparse = learner.fitted(kernel, X), learner.fitted(kernel, SPARSE[form](X))
    assert_same_answers(dense, sparse, Z, SPARSE[form](Z), tol=1e-6)
    assert_same_answers(dense, sparse, Z, Z, tol=1e-6)
    assert_same_answers(dense, dense, Z, SPARSE[form](Z), tol=1e-6)


@every_learner
def test_integers_and_lists_count_as_the_numbers_they_are(learner):
    X = np.round(3 * vectors())
    model = learner.fitted(MEDIAN, X)
    for same in (X.astype(int), X.astype(np.int8), X.tolist(), np.asfortranarray(X), X[::-1][::-1], X.astype(object)):
        assert_same_answers(model, learner.make(MEDIAN).fit(same, learner.y()), X, same)


@every_learner
def test_input_is_left_as_it_was_and_may_be_read_only(learner):
    X, Z, y = vectors(), more_vectors(), learner.y()
    kept = X.copy(), Z.copy()
    for array in (X, Z, *([] if y is None else [y])):
        array.setflags(write=False)
    answers(learner.make(MEDIAN).fit(X, y), Z)
    np.testing.assert_array_equal(X, kept[0])
    np.testing.assert_array_equal(Z, kept[1])


@every_learner
@pytest.mark.parametrize("kernel", [MEDIAN, gm.Linear(), GAUSSIAN.normalize()], ids=repr)
@pytest.mark.parametrize("make", [np.array, scipy.sparse.csr_array], ids=["dense", "sparse"])
def test_data_changed_after_fitting_changes_no_answer(learner, kernel, make):
    X, Z, y = make(vectors()), more_vectors(), learner.y()
    model = learner.make(kernel).fit(X, y)
    before = answers(model, Z)
    (X.data if scipy.sparse.issparse(X) else X)[...] = 7.0
    if learner.target == "numbers":
        y[...] = 0.0
    assert_equal_answers(before, answers(model, Z))


def test_pre_images_do_not_depend_on_data_changed_after_fitting():
    X, Z = vectors(), more_vectors()
    for kernel in (gm.Linear(), GAUSSIAN, gm.Polynomial(degree=2), GAUSSIAN + gm.Linear()):
        given = X.copy()
        model, untouched = gm.KernelPCA(2, kernel).fit(given), gm.KernelPCA(2, kernel).fit(X)
        given[...] = 7.0
        T = untouched.transform(Z)
        np.testing.assert_array_equal(model.inverse_transform(T), untouched.inverse_transform(T))


# Fitting again


@every_learner
def test_fitting_twice_is_fitting_once(learner):
    X, Z, y = vectors(), more_vectors(), learner.y()
    model = learner.make(MEDIAN)
    assert model.fit(X, y) is model
    once = answers(model, Z)
    assert_equal_answers(once, answers(model.fit(X, y), Z))


@every_learner
def test_nothing_of_an_earlier_fit_to_other_data_is_left(learner):
    X, Z, y = vectors(), more_vectors(), learner.y()
    model = learner.make(MEDIAN).fit(np.hstack([10 * X, X])[::-1], None if y is None else y[::-1])
    learnt = set(vars(model))
    model.fit(X, y)
    fresh = learner.fitted(MEDIAN, X)
    assert set(vars(model)) == set(vars(fresh)) == learnt
    assert model.n_features_in_ == D
    assert_same_answers(fresh, model, Z)


def test_what_belongs_to_a_chosen_ridge_goes_when_the_ridge_is_given():
    X = vectors()
    ridge = LEARN["ridge-loo"].fitted(GAUSSIAN, X)
    assert hasattr(ridge, "path_")
    assert not hasattr(ridge.set_params(ridge=0.5).fit(X, LEARN["ridge-loo"].y()), "path_")
    fisher = LEARN["fisher-loo"].fitted(GAUSSIAN, X)
    assert hasattr(fisher, "loo_errors_")
    error = LEARN["fisher-number"].fitted(GAUSSIAN, X).loo_error_
    fisher.set_params(ridge=0.1).fit(X, labels())
    assert not hasattr(fisher, "loo_errors_")
    assert fisher.loo_error_ == error


def test_quality_is_that_of_the_last_fit():
    X, y = vectors(), LEARN["ridge-number"].y()
    model = gm.KernelRidge(GAUSSIAN, ridge=0.5).fit(X, y)
    first = model.loo_error_, model.effective_dof_
    model.fit(X[::2], y[::2])
    fresh = gm.KernelRidge(GAUSSIAN, ridge=0.5).fit(X[::2], y[::2])
    assert (model.loo_error_, model.effective_dof_) == (fresh.loo_error_, fresh.effective_dof_) != first


@every_learner
def test_the_same_random_state_gives_the_same_answers(learner):
    X, Z, y = vectors(), more_vectors(), learner.y()
    model = learner.make(MEDIAN)
    if "random_state" not in model.get_params():
        assert_same_answers(model.fit(X, y), learner.make(MEDIAN).fit(X, y), Z)
        return
    for seed in (7, np.random.RandomState(7)):
        first, second = (clone(model).set_params(random_state=copy.deepcopy(seed)).fit(X, y) for _ in range(2))
        assert_same_answers(first, second, Z)


@pytest.mark.parametrize("name", ["novelty-conformal", "gram-schmidt-random", "kmeans"])
def test_random_states_make_a_difference(name):
    X, Z = vectors(), more_vectors()
    model = LEARN[name].make(MEDIAN)
    if name == "kmeans":
        model.set_params(n_init=1, n_clusters=8)
    found = [answers(clone(model).set_params(random_state=seed).fit(X), Z) for seed in range(4)]
    compared = "transform" if "transform" in found[0] else "score_samples"
    assert any(not np.array_equal(found[0][compared], other[compared]) for other in found[1:])


# Data frames


def frame():
    return pd.DataFrame(vectors(), columns=["a", "b", "c"])


@every_learner
def test_a_data_frame_gives_the_answers_of_its_array_and_its_names_are_kept(learner):
    model = learner.make(GAUSSIAN).fit(frame(), learner.y())
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.n_features_in_ == D
    Z = pd.DataFrame(more_vectors(), columns=["a", "b", "c"])
    assert_same_answers(learner.fitted(GAUSSIAN, vectors()), model, more_vectors(), Z)


@every_learner
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["b", "a", "c"], "must be in the same order as they were in fit"),
        (["a", "b"], "seen at fit time, yet now missing:\n- c"),
        (["a", "b", "z"], "unseen at fit time:\n- z"),
    ],
)
def test_columns_that_are_not_those_of_the_fit_are_refused(learner, columns, message):
    model = learner.make(GAUSSIAN).fit(frame(), learner.y())
    Z = pd.DataFrame(more_vectors()[:, : len(columns)], columns=columns)
    for method in answers(model, frame()):
        with pytest.raises(ValueError, match=message):
            getattr(model, method)(Z)


@every_learner
def test_names_are_forgotten_when_an_array_is_fitted(learner):
    model = learner.make(GAUSSIAN).fit(frame(), learner.y()).fit(vectors(), learner.y())
    assert not hasattr(model, "feature_names_in_")
    answers(model, more_vectors())


# Lazy Grams


@no_search
@pytest.mark.parametrize("kernel", [GAUSSIAN, gm.Linear(), GAUSSIAN + gm.Polynomial(degree=2)], ids=repr)
def test_a_gram_is_as_good_as_its_objects(learner, kernel):
    X, Z = vectors(), more_vectors()
    model, from_gram = learner.fitted(kernel, X), learner.fitted(kernel, kernel.gram(X))
    assert from_gram.kernel_ == kernel
    for asked in (Z, kernel.gram(Z), kernel.gram(Z, X)):
        assert_same_answers(model, from_gram, Z, asked, tol=1e-9)
        assert_same_answers(model, model, Z, asked, tol=1e-9)


@no_search
def test_the_kernel_of_a_gram_counts_and_not_that_of_the_learner(learner):
    X, Z = vectors(), more_vectors()
    model = learner.fitted(gm.Linear(), GAUSSIAN.gram(X))
    assert model.kernel == gm.Linear()
    assert_same_answers(learner.fitted(GAUSSIAN, X), model, Z, tol=1e-9)


@no_search
def test_from_a_gram_to_an_array_and_back_nothing_is_left(learner):
    X, Z, y = vectors(), more_vectors(), learner.y()
    model = learner.make(GAUSSIAN).fit(frame(), y)
    model.fit(GAUSSIAN.gram(X), y)
    assert not hasattr(model, "n_features_in_")
    assert not hasattr(model, "feature_names_in_")
    assert set(vars(model)) == set(vars(learner.fitted(GAUSSIAN, GAUSSIAN.gram(X))))
    model.fit(X, y)
    assert set(vars(model)) == set(vars(learner.fitted(GAUSSIAN, X)))
    assert_same_answers(learner.fitted(GAUSSIAN, X), model, Z)


# A conformal detector settles the kernel on the part of the objects that makes the centre.
@pytest.mark.parametrize("learner", [one for one in NOT_SEARCHES if one.name != "novelty-conformal"], ids=repr)
def test_a_median_kernel_is_settled_by_the_gram(learner):
    X = vectors()
    model = learner.fitted(MEDIAN, MEDIAN.gram(X))
    assert model.kernel_ == MEDIAN.fit(X)
    assert_same_answers(learner.fitted(MEDIAN, X), model, more_vectors(), tol=1e-9)


@no_search
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda X: GAUSSIAN.gram(X).ridge(0.1), "has a ridge on its diagonal: pass the Gram without it"),
        (lambda X: GAUSSIAN.gram(X, X.copy()), "symmetric"),
        (lambda X: GAUSSIAN.gram(X, X[:5]), "symmetric"),
    ],
    ids=["ridge", "twice the same objects", "other objects"],
)
def test_a_gram_that_is_not_that_of_a_sample_is_refused(learner, spoil, message):
    with pytest.raises(ValueError, match=message):
        learner.fitted(GAUSSIAN, spoil(vectors()))


@no_search
def test_a_gram_under_another_kernel_is_refused_for_new_objects(learner):
    model = learner.fitted(GAUSSIAN, vectors())
    for method in answers(model, more_vectors()):
        with pytest.raises(ValueError, match=r"Gram is one of Linear\(\), and this learner was fitted under Gaussian"):
            getattr(model, method)(gm.Linear().gram(more_vectors()))


@pytest.mark.parametrize("learner", SEARCHES, ids=repr)
def test_a_search_refuses_a_gram_for_there_is_nothing_to_choose(learner):
    with pytest.raises(TypeError, match="a Gram has one kernel, and there is nothing to choose: pass the objects"):
        learner.fitted(GAUSSIAN, GAUSSIAN.gram(vectors()))


@no_search
def test_a_gram_is_left_as_it_was(learner):
    X = vectors()
    gram = GAUSSIAN.gram(X)
    before = gram.dense()
    answers(learner.fitted(GAUSSIAN, gram), gram)
    np.testing.assert_array_equal(gram.dense(), before)
    np.testing.assert_array_equal(X, vectors())
