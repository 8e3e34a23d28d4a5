"""Bad input: one error for each mistake, which says what came and what was expected."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import gramian as gm

from .conftest import (
    CLASSIFIERS,
    LEARN,
    METHODS,
    NOT_SEARCHES,
    REGRESSORS,
    D,
    N,
    SharedPieces,
    answers,
    every_learner,
    few_objects,
    labels,
    more_vectors,
    numbers,
    vectors,
    words,
)

pytestmark = few_objects

GAUSSIAN = gm.Gaussian(bandwidth=1.5)

every_classifier = pytest.mark.parametrize("learner", CLASSIFIERS, ids=repr)
every_regressor = pytest.mark.parametrize("learner", REGRESSORS, ids=repr)
every_supervised = pytest.mark.parametrize("learner", CLASSIFIERS + REGRESSORS, ids=repr)


def with_one(value, array, row=2):
    """Return a copy of an array of floats, or of an array of objects, with one value changed."""
    changed = np.array(array, dtype=array.dtype if isinstance(value, float) else object)
    changed[row] = value
    return changed


# X

X = vectors()
BAD_X = {
    "NaN": (with_one(np.nan, X), ValueError, "contains NaN|holds nan"),
    "infinity": (with_one(np.inf, X), ValueError, "contains infinity|holds inf"),
    "sparse NaN": (scipy.sparse.csr_array(with_one(np.nan, X)), ValueError, "contains NaN|holds nan"),
    "missing": (with_one(None, X), (ValueError, TypeError), "contains NaN|real numbers expected"),
    "no rows": (X[:0], ValueError, r"0 sample|n_samples=0|is empty: its shape is \(0, 3\)"),
    "no columns": (X[:, :0], ValueError, "0 feature|is empty: its shape is"),
    "one dimension": (X[:, 0], ValueError, r"2D array, got 1D array(?s:.*)reshape|1 dimension.*2 expected.*reshape"),
    "three dimensions": (X[:, :, None], ValueError, "dim 3|3 dimension.*2 expected"),
    "complex": (X + 1j, (ValueError, TypeError), "Complex data not supported|is complex.*real numbers expected"),
    "text among numbers": (with_one("three", X), (ValueError, TypeError), "'three'|real numbers expected"),
    "words": (words(), (ValueError, TypeError), f"{words()[0]}|to float: '[a-f]+'|real numbers expected"),
    "ragged": ([[1.0, 2.0], [3.0]] * (N // 2), ValueError, "inhomogeneous|not rectangular"),
}


@every_learner
@pytest.mark.parametrize("what", BAD_X)
def test_bad_objects_are_refused_in_fit(learner, what):
    bad, error, message = BAD_X[what]
    with pytest.raises(error, match=message):
        learner.make(GAUSSIAN).fit(bad, learner.y())


@every_learner
@pytest.mark.parametrize("what", BAD_X)
def test_bad_objects_are_refused_by_every_method_of_a_fitted_learner(learner, what):
    bad, error, message = BAD_X[what]
    model = learner.fitted(GAUSSIAN, vectors())
    for method in answers(model, vectors()):
        with pytest.raises(error, match=message):
            getattr(model, method)(bad)


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (np.ma.array(X, mask=X > 2), ValueError, "masked entries; drop or impute"),
        (np.full((N, D), "2020-01-01", "M8[D]"), TypeError, "datetime64.*real numbers expected"),
        (np.zeros(N, dtype=[("a", "f8"), ("b", "i4")]), TypeError, "X has dtype .*real numbers expected"),
        (np.zeros((N, D), dtype="V8"), TypeError, "X has dtype .V8; real numbers expected"),
        ({1.0, 2.0}, TypeError, "X has dtype object; real numbers expected"),
        ({"a": [1.0]}, TypeError, "X has dtype object; real numbers expected"),
    ],
    ids=["masked", "dates", "fields", "void", "a set", "a dict"],
)
def test_what_a_kernel_refuses_a_learner_refuses(bad, error, message):
    with pytest.raises(error, match=message):
        GAUSSIAN.gram(bad)
    model = gm.KernelPCA(2, GAUSSIAN).fit(vectors())
    for method in (model.fit, model.transform):
        with pytest.raises(error, match=message):
            method(bad)


@every_learner
@pytest.mark.parametrize("fitted_on", [np.array, scipy.sparse.csr_array], ids=["dense", "sparse"])
def test_new_objects_of_another_width_are_refused_with_both_widths(learner, fitted_on):
    model = learner.make(GAUSSIAN).fit(fitted_on(vectors()), learner.y())
    for method in answers(model, vectors()):
        for Z in (more_vectors()[:, :2], np.ones((4, 5)), scipy.sparse.csr_array(np.ones((4, 5)))):
            with pytest.raises(ValueError, match=f"{Z.shape[1]} features, but .* is expecting {D} features"):
                getattr(model, method)(Z)


@pytest.mark.parametrize("learner", NOT_SEARCHES, ids=repr)
def test_after_a_gram_new_objects_of_another_width_are_refused_with_both_widths(learner):
    model = learner.fitted(GAUSSIAN, GAUSSIAN.gram(vectors()))
    for method in answers(model, vectors()):
        with pytest.raises(ValueError, match=f"do not fit together: 7 objects with 2 features against .* {D} features"):
            getattr(model, method)(more_vectors()[:, :2])


@every_learner
def test_vectors_are_refused_by_a_learner_of_words_in_the_words_of_its_kernel(learner):
    with pytest.raises(TypeError, match="a list of words expected"):
        learner.make(SharedPieces()).fit(vectors(), learner.y())
    model = learner.fitted(SharedPieces(), words())
    for method in answers(model, words()):
        with pytest.raises(TypeError, match="X holds numbers, and .* was fitted on strings"):
            getattr(model, method)(more_vectors())


@every_learner
def test_an_empty_list_of_words_is_refused_as_empty(learner):
    with pytest.raises(ValueError, match="0 objects|0 sample|n_samples=0|empty"):
        learner.make(SharedPieces()).fit([], None if learner.target is None else [])
    model = learner.fitted(SharedPieces(), words())
    for method in answers(model, words()):
        with pytest.raises(ValueError, match="0 objects|0 sample|empty"):
            getattr(model, method)([])


@every_learner
def test_indices_that_a_matrix_does_not_have_are_refused(learner):
    kernel = gm.Precomputed(GAUSSIAN(vectors()))
    model = learner.fitted(kernel, np.arange(N))
    for method in answers(model, np.arange(N)):
        with pytest.raises(ValueError, match=f"index {N}; indices between 0 and {N - 1} expected"):
            getattr(model, method)([0, N])
    with pytest.raises(ValueError, match=r"a non-empty list of indices expected, such as range\(40\)"):
        learner.make(kernel).fit(kernel.K, learner.y())


@every_learner
def test_sparse_objects_are_refused_where_the_kernel_needs_dense_ones(learner):
    with pytest.raises(TypeError, match=r"pass X.toarray\(\), or use a kernel that takes sparse input"):
        learner.make(gm.Laplacian(bandwidth=1.0)).fit(scipy.sparse.csr_array(vectors()), learner.y())


@every_learner
def test_a_learner_that_is_not_fitted_says_so(learner):
    model = learner.make(GAUSSIAN)
    asked = [method for method in METHODS if hasattr(model, method)]
    assert asked
    for method in asked:
        with pytest.raises(NotFittedError, match=r"is not fitted yet. Call 'fit'"):
            getattr(model, method)(vectors())


def test_what_is_computed_when_asked_for_says_that_the_learner_is_not_fitted():
    for model, name in [
        (gm.KernelRidge(), "loo_residuals_"),
        (gm.KernelRidge(), "loo_error_"),
        (gm.KernelRidge(), "effective_dof_"),
        (gm.KernelRidge(), "shrinkage_"),
        (gm.FisherDiscriminant(), "loo_decision_"),
        (gm.FisherDiscriminant(), "loo_error_"),
        (gm.FisherDiscriminant(), "quotient_"),
    ]:
        with pytest.raises(NotFittedError, match=r"is not fitted yet. Call 'fit'"):
            getattr(model, name)
    with pytest.raises(NotFittedError, match=r"is not fitted yet. Call 'fit'"):
        gm.KernelPCA().inverse_transform([[1.0]])


# The kernel


@every_learner
@pytest.mark.parametrize("kernel", [None, "rbf", gm.Gaussian, max, 2.0, [gm.Linear()]], ids=repr)
def test_what_is_not_a_kernel_is_refused_with_an_example_of_one(learner, kernel):
    with pytest.raises(TypeError, match=r"kernel is .*; a kernel expected, such as gm\.Gaussian"):
        learner.make(kernel).fit(vectors(), learner.y())


def test_a_parameter_of_what_is_not_a_kernel_cannot_be_set():
    with pytest.raises(TypeError, match=r"kernel is 'rbf'; a kernel expected, such as gm\.Gaussian"):
        gm.KernelRidge("rbf").set_params(kernel__bandwidth=2.0)


# y


@every_supervised
def test_a_missing_y_is_asked_for(learner):
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        learner.make(GAUSSIAN).fit(vectors(), None)


@every_supervised
@pytest.mark.parametrize("change", [-1, 1], ids=["short", "long"])
def test_a_y_of_another_length_is_refused_with_both_lengths(learner, change):
    y = np.resize(learner.y(), N + change)
    with pytest.raises(ValueError, match=rf"inconsistent numbers of samples: \[{N}, {N + change}\]|{N + change}.*{N}"):
        learner.make(GAUSSIAN).fit(vectors(), y)


@every_supervised
@pytest.mark.parametrize(
    ("value", "message"), [(np.nan, "contains NaN"), (np.inf, "contains infinity"), (-np.inf, "contains infinity")]
)
def test_a_y_with_a_number_that_is_none_is_refused(learner, value, message):
    y = (np.arange(N) % 2).astype(float)
    with pytest.raises(ValueError, match=message):
        learner.make(GAUSSIAN).fit(vectors(), with_one(value, y))


@every_supervised
@pytest.mark.parametrize("missing", [None, np.nan], ids=repr)
def test_a_y_with_something_missing_is_refused_as_such(learner, missing):
    y = learner.y().astype(object)
    y[3] = missing
    with pytest.raises(ValueError, match="NaN|None|missing"):
        learner.make(GAUSSIAN).fit(vectors(), y)


@every_supervised
def test_a_complex_y_is_refused(learner):
    with pytest.raises(ValueError, match="Complex data not supported"):
        learner.make(GAUSSIAN).fit(vectors(), numbers() + 1j)


@every_regressor
def test_a_y_beyond_all_floats_is_refused(learner):
    with pytest.raises(ValueError, match=r"y holds an integer beyond the largest float, 1\.8e308: rescale y"):
        learner.make(GAUSSIAN).fit(vectors(), [10**400 + i for i in range(N)])


@every_classifier
def test_one_class_is_refused_with_the_label_and_the_learner_for_it(learner):
    with pytest.raises(ValueError, match=r"y has one class only, .*'setosa'.*at least two expected.*NoveltyDetector"):
        learner.make(GAUSSIAN).fit(vectors(), ["setosa"] * N)


@every_classifier
def test_numbers_are_not_classes(learner):
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        learner.make(GAUSSIAN).fit(vectors(), numbers())


@every_classifier
def test_several_labels_an_object_are_refused(learner):
    with pytest.raises(ValueError, match=r"y should be a 1d array, got an array of shape \(40, 3\)"):
        learner.make(GAUSSIAN).fit(vectors(), np.eye(3, dtype=int)[np.arange(N) % 3])


@every_regressor
def test_labels_are_not_numbers(learner):
    with pytest.raises(ValueError, match="could not convert string to float"):
        learner.make(GAUSSIAN).fit(vectors(), labels())


@pytest.mark.parametrize("ridge", ["loo", 0.1])
def test_a_class_of_one_member_is_refused_by_name(ridge):
    y = labels().astype(object)
    y[5] = "alone"
    with pytest.raises(ValueError, match="class 'alone' has one member only; at least two expected, for the variance"):
        gm.FisherDiscriminant(GAUSSIAN, ridge=ridge).fit(vectors(), y)


def test_a_class_is_named_as_the_user_wrote_it():
    with pytest.raises(ValueError, match="class 1 has one member only"):
        gm.FisherDiscriminant(GAUSSIAN).fit(vectors(), [0] * (N - 1) + [1])
    with pytest.raises(ValueError, match="one class only, 7;"):
        gm.ParzenClassifier(GAUSSIAN).fit(vectors(), [7] * N)


@pytest.mark.parametrize("ridge", ["loo", 0.1, [0.1, 1.0]], ids=repr)
@pytest.mark.parametrize("value", [0.0, 0.1, 1e6])
def test_a_constant_y_is_refused_by_a_regression(ridge, value):
    with pytest.raises(ValueError, match="y is constant .* over n_samples=40: there is nothing to learn"):
        gm.KernelRidge(GAUSSIAN, ridge=ridge, fit_intercept=True).fit(vectors(), np.full(N, value))


def test_one_constant_target_among_others_is_learnt():
    Y = np.column_stack([np.full(N, 5.0), vectors()[:, 0]])
    found = gm.KernelRidge(GAUSSIAN, ridge=0.1, fit_intercept=True).fit(vectors(), Y).predict(more_vectors())
    np.testing.assert_allclose(found[:, 0], 5.0, rtol=1e-9)


# Parameters: what is refused, and what is said

UNIT = [
    (0, ValueError, "is 0; a number strictly between 0 and 1 expected"),
    (1, ValueError, "is 1; a number strictly between 0 and 1 expected"),
    (-0.1, ValueError, "is -0.1; a number strictly between 0 and 1 expected"),
    (1.5, ValueError, "is 1.5; a number strictly between 0 and 1 expected"),
    (np.nan, ValueError, "is nan; a finite number expected"),
    (np.inf, ValueError, "is inf; a finite number expected"),
    ("0.1", TypeError, r"is '0.1' \(str\); a real number expected"),
    (True, TypeError, r"is True \(bool\); a real number expected"),
    (None, TypeError, r"is None \(NoneType\); a real number expected"),
]
WHOLE = [
    (0, ValueError, "is 0; an integer of at least 1 expected"),
    (-1, ValueError, "is -1; an integer of at least 1 expected"),
    (2.5, TypeError, r"is 2.5 \(float\); an integer expected"),
    (2.0, TypeError, r"is 2.0 \(float\); an integer expected"),
    (np.nan, TypeError, r"is nan \(float\); an integer expected"),
    ("2", TypeError, r"is '2' \(str\); an integer expected"),
    (True, TypeError, r"is True \(bool\); an integer expected"),
]
WHOLE_OR_SHARE = [case for case in WHOLE if not isinstance(case[0], float)] + [
    (1.5, ValueError, "given as a share of the variance, is 1.5; a number strictly between 0 and 1 expected"),
    (0.0, ValueError, "given as a share of the variance, is 0.0; a number strictly between 0 and 1 expected"),
    (np.nan, ValueError, "given as a share of the variance, is nan; a finite number expected"),
]


def one_of(expected):
    return [(value, ValueError, f"is {value!r}; {expected} expected") for value in ("foo", None, 1)]


CONFORMAL = {"calibration": "conformal", "random_state": 0}

PARAMETERS = [
    (gm.NoveltyDetector, {}, "delta", UNIT),
    (gm.NoveltyDetector, CONFORMAL, "alpha", UNIT),
    (gm.NoveltyDetector, CONFORMAL, "calibration_size", UNIT),
    (gm.NoveltyDetector, {}, "calibration", one_of("'conformal' or 'bound'")),
    (gm.KernelKMeans, {}, "n_clusters", WHOLE),
    (gm.KernelKMeans, {"n_clusters": 2}, "n_init", WHOLE),
    (gm.KernelKMeans, {"n_clusters": 2}, "max_iter", WHOLE),
    (gm.GramSchmidt, {}, "rank", WHOLE),
    (gm.GramSchmidt, {}, "pivoting", one_of("'greedy' or 'random'")),
    (gm.KernelPCA, {}, "n_components", WHOLE_OR_SHARE),
    (gm.FisherDiscriminant, {}, "n_components", WHOLE),
    (gm.KernelRidge, {}, "smoother", one_of("'shrinkage' or 'projection'")),
    (gm.KernelRidge, {}, "solver", one_of("'auto', 'primal' or 'dual'")),
]
PARAMETER_CASES = [
    pytest.param(cls, given, name, *case, id=f"{cls.__name__}-{name}-{case[0]!r}")
    for cls, given, name, cases in PARAMETERS
    for case in cases
]


def by_first(cases):
    """Name cases by the first of their values, and number them, for texts of different things may be the same."""
    return [pytest.param(*case, id=f"{number}-{' '.join(repr(case[0]).split())}") for number, case in enumerate(cases)]


def y_for(cls):
    return numbers() if cls is gm.KernelRidge else labels() if cls is gm.FisherDiscriminant else None


@pytest.mark.parametrize(("cls", "given", "name", "value", "error", "message"), PARAMETER_CASES)
def test_a_bad_parameter_is_refused_with_its_name_and_what_was_expected(cls, given, name, value, error, message):
    model = cls(kernel=GAUSSIAN, **given, **{name: value})  # the constructor stores, fit checks
    with pytest.raises(error, match=f"{name},? {message}"):
        model.fit(vectors(), y_for(cls))


@pytest.mark.parametrize("cls", [gm.KernelRidge, gm.FisherDiscriminant])
@pytest.mark.parametrize(
    ("ridge", "error", "message"),
    by_first(
        [
            (-0.5, ValueError, "ridge is -0.5; a number of at least 0 expected"),
            (-1.0, ValueError, "ridge is -1.0; a number of at least 0 expected"),
            (np.nan, ValueError, "ridge is nan; a finite number expected"),
            (np.inf, ValueError, "ridge is inf; a finite number expected"),
            ("foo", ValueError, "ridge is 'foo'; a number of at least 0, 'loo'.* or a grid expected"),
            ("1.0", ValueError, "ridge is '1.0'; a number of at least 0, 'loo'.* or a grid expected"),
            (None, TypeError, r"ridge is None \(NoneType\); a real number expected"),
            (True, TypeError, r"ridge is True \(bool\); a real number expected"),
            ({}, TypeError, r"ridge is \{\} \(dict\); a real number expected"),
            ([], ValueError, r"ridge is \[\]; a grid is a flat, non-empty list of numbers above 0"),
            ([0, 1], ValueError, r"ridge is \[0, 1\]; a grid is a flat, non-empty list of numbers above 0"),
            ([1.0, -1.0], ValueError, "a grid is a flat, non-empty list of numbers above 0"),
            ([1.0, np.nan], ValueError, "a grid is a flat, non-empty list of numbers above 0"),
            ([1.0, np.inf], ValueError, "a grid is a flat, non-empty list of numbers above 0"),
            ([[1.0, 2.0]], ValueError, "a grid is a flat, non-empty list of numbers above 0"),
            ([[1.0], [1.0, 2.0]], ValueError, "ridge.*(ragged|a grid is a flat, non-empty list)"),
            (["a", "b"], TypeError, "ridge .*real numbers expected"),
            ([True], (TypeError, ValueError), "ridge .*numbers"),
        ]
    ),
)
def test_a_bad_ridge_is_refused_with_what_was_expected(cls, ridge, error, message):
    with pytest.raises(error, match=message):
        cls(GAUSSIAN, ridge=ridge).fit(vectors(), y_for(cls))


def test_a_discriminant_has_no_generalized_cross_validation():
    with pytest.raises(ValueError, match="ridge is 'gcv'; a number of at least 0, 'loo', or a grid expected"):
        gm.FisherDiscriminant(GAUSSIAN, ridge="gcv").fit(vectors(), labels())


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (gm.KernelKMeans(N + 1, GAUSSIAN), f"n_clusters is {N + 1}, and n_samples={N} only"),
        (gm.KernelPCA(N + 1, GAUSSIAN), f"n_components is {N + 1}, and n_samples={N} only"),
        (gm.GramSchmidt(GAUSSIAN, rank=N + 1), f"rank is {N + 1}, and n_samples={N} only"),
        (gm.FisherDiscriminant(GAUSSIAN, n_components=2), "n_components is 2; at most 1 expected, one less than the"),
    ],
    ids=["n_clusters", "n_components", "rank", "directions"],
)
def test_more_than_the_data_can_give_is_refused_with_how_much_it_can(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(vectors(), labels())


@pytest.mark.parametrize(
    ("tol", "error", "message"),
    [
        (-1, ValueError, "tol is -1; a number of at least 0 expected"),
        (np.nan, ValueError, "tol is nan; a finite number expected"),
        ("small", TypeError, r"tol is 'small' \(str\); a real number expected"),
        (True, TypeError, r"tol is True \(bool\); a real number expected"),
        (1.0, ValueError, r"\btol\b"),
    ],
)
def test_a_bad_tolerance_is_refused_by_name(tol, error, message):
    with pytest.raises(error, match=message):
        gm.GramSchmidt(GAUSSIAN, tol=tol).fit(vectors())


@pytest.mark.parametrize("fit_intercept", [2, 1.5, "yes", None], ids=repr)
def test_an_intercept_is_there_or_it_is_not(fit_intercept):
    """Either fit_intercept is refused by name, or it means what its truth value means."""
    model = gm.KernelRidge(GAUSSIAN, ridge=1.0, fit_intercept=fit_intercept)
    plain = gm.KernelRidge(GAUSSIAN, ridge=1.0, fit_intercept=bool(fit_intercept)).fit(vectors(), numbers() + 100)
    try:
        model.fit(vectors(), numbers() + 100)
    except (TypeError, ValueError) as error:
        assert "fit_intercept is" in str(error)  # noqa: PT017 - either way will do
    else:
        assert model.intercept_ == plain.intercept_


@pytest.mark.parametrize(
    "model",
    [
        gm.KernelKMeans(2, GAUSSIAN),
        gm.GramSchmidt(GAUSSIAN, pivoting="random"),
        gm.GramSchmidt(GAUSSIAN),
        gm.NoveltyDetector(GAUSSIAN, calibration="conformal"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("state", ["abc", 1.5, -1, [1, 2], np.random.default_rng(0)], ids=lambda v: type(v).__name__)
def test_a_bad_random_state_is_refused(model, state):
    with pytest.raises(ValueError, match="RandomState|Seed must be between"):
        model.set_params(random_state=state).fit(vectors())


def test_a_primal_system_is_refused_where_the_kernel_has_no_features():
    with pytest.raises(TypeError, match=r"Gaussian\(bandwidth=1.5\) has no explicit feature map"):
        gm.KernelRidge(GAUSSIAN, ridge=1.0, solver="primal").fit(vectors(), numbers())


@pytest.mark.parametrize("model", [gm.KernelPCA(2, gm.Linear()), gm.KernelPCA(kernel=GAUSSIAN)], ids=repr)
def test_objects_without_variance_have_no_components(model):
    with pytest.raises(ValueError, match="there is no variance: all n_samples=5 objects"):
        model.fit(np.ones((5, 2)))


def test_images_that_are_all_zero_span_nothing():
    with pytest.raises(ValueError, match=r"every object has the image 0 under Linear\(\): there is nothing to span"):
        gm.GramSchmidt(gm.Linear()).fit(np.zeros((5, 2)))


@every_learner
def test_a_median_of_coinciding_points_is_refused_with_a_way_out(learner):
    with pytest.raises(ValueError, match="needs at least two different points, .*coincide: give a number"):
        learner.make(gm.Gaussian("median")).fit(np.ones((N, 2)), learner.y())


# Weights


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(N - 1), rf"sample_weight.shape == \({N - 1},\), expected \({N},\)"),
        (np.ones((N, 2)), "must be 1D array or scalar"),
        (with_one(-1.0, np.ones(N)), "Negative values in data passed to `sample_weight`"),
        (np.zeros(N), "at least one non-zero number|zero for every object; at least one positive weight"),
        (with_one(np.nan, np.ones(N)), "sample_weight contains NaN"),
        (with_one(np.inf, np.ones(N)), "sample_weight contains infinity"),
        (["heavy"] * N, "could not convert string to float"),
        (np.ones(N) + 1j, "Complex data not supported"),
    ],
    ids=["short", "two columns", "negative", "all zero", "NaN", "infinity", "words", "complex"],
)
@pytest.mark.parametrize("given", [np.array, GAUSSIAN.gram, pd.DataFrame], ids=["array", "gram", "frame"])
def test_bad_weights_are_refused(weights, message, given):
    data = given(vectors())
    with pytest.raises(ValueError, match=message):
        gm.KernelRidge(GAUSSIAN, ridge=1.0).fit(data, numbers(), sample_weight=weights)


def test_bad_weights_are_refused_through_a_search():
    with pytest.raises(ValueError, match="zero"):
        gm.KernelSearch(gm.KernelRidge(), [GAUSSIAN]).fit(vectors(), numbers(), sample_weight=np.zeros(N))


# Pre-images and p-values


@pytest.mark.parametrize("kernel", [gm.Linear(), GAUSSIAN, gm.Polynomial(degree=2)], ids=repr)
def test_coordinates_of_another_number_are_refused_with_both_numbers(kernel):
    model = gm.KernelPCA(2, kernel).fit(vectors())
    for width in (1, 3):
        with pytest.raises(ValueError, match=f"T has {width} columns; 2 expected, one for each component"):
            model.inverse_transform(np.ones((4, width)))
    with pytest.raises(ValueError, match="2D array, got 1D array"):
        model.inverse_transform(np.ones(2))
    with pytest.raises(ValueError, match="contains NaN"):
        model.inverse_transform([[np.nan, 1.0]])


@pytest.mark.parametrize(
    ("kernel", "data"),
    [
        (SharedPieces(), words()),
        (gm.Precomputed(GAUSSIAN(vectors())), np.arange(N)),
        (GAUSSIAN, GAUSSIAN.gram(vectors())),
        (GAUSSIAN, scipy.sparse.csr_array(vectors())),
    ],
    ids=["words", "indices", "gram", "sparse"],
)
def test_there_are_no_pre_images_where_there_were_no_dense_vectors(kernel, data):
    model = gm.KernelPCA(2, kernel).fit(data)
    with pytest.raises(TypeError, match=r"inverse_transform gives vectors.*fit\(X\) on a dense array"):
        model.inverse_transform(np.ones((1, 2)))


def test_a_bound_offers_no_p_values_and_a_conformal_threshold_does():
    bound, conformal = LEARN["novelty-bound"].make(GAUSSIAN), LEARN["novelty-conformal"].make(GAUSSIAN)
    assert not hasattr(bound, "p_values")
    assert hasattr(conformal, "p_values")
    with pytest.raises(AttributeError, match="'NoveltyDetector' has no attribute 'p_values'"):
        _ = bound.fit(vectors()).p_values


@pytest.mark.parametrize("n", [1, 2, 3])
def test_too_few_objects_to_split_are_refused_or_said_to_be_too_few(n):
    model = gm.NoveltyDetector(GAUSSIAN, calibration="conformal", alpha=0.05, random_state=0)
    if n == 1:
        with pytest.raises(ValueError, match="n_samples=1"):
            model.fit(vectors()[:1])
        return
    with pytest.warns(UserWarning, match="can never fire: with .* set aside for calibration.*at least 19 objects"):
        model.fit(vectors()[:n])
    assert model.predict(1e3 + vectors()).tolist() == [1] * N


# Searching

CRITERIA = pytest.mark.parametrize("criterion", ["loo", "alignment"])
LIST_OR_GRID = "candidates are a non-empty list of kernels, or a dict such as"


@CRITERIA
@pytest.mark.parametrize(
    ("candidates", "error", "message"),
    by_first(
        [
            ([], ValueError, LIST_OR_GRID),
            ((), ValueError, LIST_OR_GRID),
            ({}, ValueError, LIST_OR_GRID),
            (gm.Linear(), ValueError, LIST_OR_GRID),
            (3, (TypeError, ValueError), "candidates"),
            (gm.Gaussian, (TypeError, ValueError), "candidates"),
            (["rbf"], TypeError, r"kernel is 'rbf'; a kernel expected, such as gm\.Gaussian"),
            ([gm.Linear(), None], TypeError, r"kernel is None; a kernel expected, such as gm\.Gaussian"),
            ({"kernel__bandwidth": []}, ValueError, "'kernel__bandwidth' need to be a non-empty sequence"),
            ({"kernel__bandwidth": 2.0}, TypeError, "'kernel__bandwidth' needs to be a list"),
            ({"kernel__width": [1.0]}, ValueError, r"Gaussian has no parameter 'width'; it has \['bandwidth'\]"),
        ]
    ),
)
def test_bad_candidates_are_refused(criterion, candidates, error, message):
    search = gm.KernelSearch(gm.KernelRidge(GAUSSIAN), candidates, criterion=criterion)
    with pytest.raises(error, match=message):
        search.fit(vectors(), numbers())


@pytest.mark.parametrize("criterion", ["foo", None, 1], ids=repr)
def test_a_bad_criterion_is_refused(criterion):
    with pytest.raises(ValueError, match=f"criterion is {criterion!r}; 'loo' or 'alignment' expected"):
        gm.KernelSearch(gm.KernelRidge(), [GAUSSIAN], criterion=criterion).fit(vectors(), numbers())


@pytest.mark.parametrize("estimator", [gm.KernelKMeans(2), gm.KernelPCA(2)], ids=repr)
def test_a_learner_without_leave_one_out_is_refused_with_what_to_take(estimator):
    search = gm.KernelSearch(estimator, [GAUSSIAN])
    with pytest.raises(
        TypeError,
        match=r"has no leave-one-out error.*KernelRidge, .*FisherDiscriminant or ParzenClassifier, or criterion='al",
    ):
        search.fit(vectors(), labels())


@CRITERIA
@pytest.mark.parametrize("estimator", [Ridge(), make_pipeline(StandardScaler(), gm.KernelRidge())], ids=repr)
def test_a_search_with_an_estimator_that_has_no_kernel_is_refused(criterion, estimator):
    with pytest.raises(ValueError, match="Invalid parameter 'kernel' for estimator"):
        gm.KernelSearch(estimator, [GAUSSIAN], criterion=criterion).fit(vectors(), numbers())


@CRITERIA
@pytest.mark.parametrize("estimator", [None, "ridge", gm.KernelRidge], ids=repr)
def test_a_search_without_an_estimator_is_refused(criterion, estimator):
    with pytest.raises(TypeError, match="Cannot clone object"):
        gm.KernelSearch(estimator, [GAUSSIAN], criterion=criterion).fit(vectors(), numbers())


@pytest.mark.parametrize("target", [np.full(N, 3), np.full(N, 0.1), ["same"] * N], ids=["classes", "numbers", "words"])
def test_alignment_with_a_constant_is_said_to_be_undefined(target):
    with pytest.raises(ValueError, match="alignment is not defined for a constant"):
        gm.alignment(GAUSSIAN.gram(vectors()), target)


def test_a_search_by_alignment_with_a_constant_is_said_to_be_undefined():
    search = gm.KernelSearch(gm.KernelRidge(), [GAUSSIAN], criterion="alignment")
    with pytest.raises(ValueError, match="alignment is not defined for a constant"):
        search.fit(vectors(), np.full(N, 0.1))


@pytest.mark.parametrize(
    ("target", "task", "message"),
    [
        (numbers()[:-1], "auto", rf"the target has shape \({N - 1},\); one label or number for each of {N} objects"),
        (None, "auto", r"the target has shape \(\); one label or number"),
        (with_one(np.nan, numbers()), "auto", "not a finite number"),
        (with_one(np.nan, numbers()), "numbers", "not a finite number"),
        (labels(), "numbers", "not a finite number; pass task='classes' for labels"),
        (numbers(), "foo", "task is 'foo'; 'auto', 'classes' or 'numbers' expected"),
        (np.c_[labels(), labels()], "classes", r"the target has shape \(40, 2\)"),
    ],
    ids=["short", "none", "NaN", "NaN among numbers", "labels as numbers", "task", "two labels each"],
)
def test_alignment_with_a_bad_target_is_refused(target, task, message):
    with pytest.raises(ValueError, match=message):
        gm.alignment(GAUSSIAN.gram(vectors()), target, task)


def test_alignment_of_a_matrix_is_refused_with_how_to_make_a_gram():
    with pytest.raises(TypeError, match=r"alignment takes a Gram, and got ndarray: make one of data with kernel\.gram"):
        gm.alignment(GAUSSIAN(vectors()), numbers())


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 0.0]])
def test_a_mapping_is_no_collection_of_objects(weights):
    with pytest.raises(TypeError, match="dict"):
        gm.KernelRidge(gm.Composition(), 0.1).fit({"a": 1, "b": 2, "c": 3}, [0.0, 1.0, 2.0], sample_weight=weights)
