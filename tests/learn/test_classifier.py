"""Classification by least squares on −1 and +1: against the regression itself, scikit-learn, and refitting."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import cross_val_score

import gramian as gm

from .conftest import labels, more_vectors, vectors, words

THREE = np.array(["a", "b", "c"])[np.digitize(vectors()[:, 0], [0.0, 1.5])]
KERNELS = [gm.Gaussian(1.5), gm.Linear(), gm.Polynomial(2)]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)
with_and_without = pytest.mark.parametrize("intercept", [False, True])


def codes(y):
    classes, places = np.unique(y, return_inverse=True)
    return 2.0 * places - 1 if len(classes) == 2 else np.eye(len(classes))[places]


def weights(seed=0):
    return np.random.default_rng(seed).integers(0, 4, 40).astype(float)


@every_kernel
@with_and_without
@pytest.mark.parametrize("ridge", [0.3, "loo", "gcv", [0.1, 1.0]], ids=repr)
@pytest.mark.parametrize("y", [labels(), THREE], ids=["two", "three"])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_the_regression_on_signs_or_indicators(kernel, intercept, ridge, y, weighted):
    w = weights() if weighted else None
    model = gm.KernelClassifier(kernel, ridge, intercept).fit(vectors(), y, sample_weight=w)
    plain = gm.KernelRidge(kernel, ridge, intercept).fit(vectors(), codes(y), sample_weight=w)
    assert model.ridge_ == plain.ridge_
    decisions = plain.predict(more_vectors())
    np.testing.assert_array_equal(model.decision_function(more_vectors()), decisions)
    places = (decisions > 0).astype(int) if decisions.ndim == 1 else decisions.argmax(axis=1)
    np.testing.assert_array_equal(model.predict(more_vectors()), np.unique(y)[places])
    assert model.effective_dof_ == plain.effective_dof_
    np.testing.assert_array_equal(model.loo_decision_, codes(y) - plain.loo_residuals_)
    np.testing.assert_array_equal(model.hat_matrix(), plain.hat_matrix())


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31), classes=st.sampled_from([2, 3, 5]), alpha=st.floats(1e-3, 100.0))
def test_with_a_linear_kernel_it_decides_as_scikit_learns_ridge_classifier_does(seed, classes, alpha):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)), rng.permutation(np.arange(30) % classes)
    X += y[:, None] * rng.normal(size=3)
    model, theirs = gm.KernelClassifier(gm.Linear(), ridge=alpha).fit(X, y), RidgeClassifier(alpha=alpha).fit(X, y)
    Z = rng.normal(size=(20, 3))
    found, expected = model.decision_function(Z), theirs.decision_function(Z)
    if classes > 2:
        expected = (expected + 1) / 2  # theirs are fitted to −1 and +1 for each class
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("y", [labels(), THREE], ids=["two", "three"])
def test_leaving_out_is_refitting_and_its_error_counts_mistakes(y):
    X, w = vectors(), weights(1)
    for weighted in (None, w):
        model = gm.KernelClassifier(gm.Gaussian(1.5), ridge=0.5).fit(X, y, sample_weight=weighted)
        wrong = np.empty(len(X))
        for i in range(len(X)):
            kept = np.arange(len(X)) != i
            one = gm.KernelClassifier(gm.Gaussian(1.5), ridge=0.5)
            one.fit(X[kept], y[kept], sample_weight=None if weighted is None else w[kept])
            np.testing.assert_allclose(model.loo_decision_[i], one.decision_function(X[[i]])[0], atol=1e-9)
            wrong[i] = one.predict(X[[i]])[0] != y[i]
        assert model.loo_error_ == pytest.approx(np.average(wrong, weights=weighted))


def test_two_classes_of_one_size_have_the_direction_of_fisher():
    X, y = vectors(), labels()
    least = gm.KernelClassifier(gm.Gaussian(1.5), ridge=0.8).fit(X, y).decision_function(X)
    fisher = gm.FisherDiscriminant(gm.Gaussian(1.5), ridge=2 * 0.8 / 40).fit(X, y).decision_function(X)
    assert abs(np.corrcoef(least, fisher)[0, 1]) == pytest.approx(1.0, abs=1e-12)


def test_it_is_a_classifier_and_no_regression():
    model = gm.KernelClassifier()
    assert is_classifier(model)
    assert not is_regressor(model)
    assert not isinstance(model, gm.KernelRidge)


def test_strings_are_classified_and_a_kernel_chosen_by_leave_one_out():
    search = gm.KernelSearch(gm.KernelClassifier(), [gm.Spectrum(1), gm.Spectrum(2).normalize()]).fit(words(), labels())
    assert search.best_score_ == -search.best_estimator_.loo_error_
    assert cross_val_score(gm.KernelClassifier(gm.Spectrum(1)), words(), labels(), cv=4).mean() > 0.9


# Large samples


@pytest.mark.parametrize("y", [labels(), THREE], ids=["two", "three"])
@pytest.mark.parametrize("ridge", [0.3, "loo", 0.0])
def test_low_rank_of_full_rank_is_the_exact_answer(y, ridge):
    exact = gm.KernelClassifier(gm.Linear(), ridge).fit(vectors(), y)
    low = gm.KernelClassifier(gm.Linear(), ridge, rank=10).fit(vectors(), y)
    low.set_params(ridge=exact.ridge_).fit(vectors(), y)
    np.testing.assert_allclose(low.decision_function(vectors()), exact.decision_function(vectors()), atol=1e-6)
    assert low.loo_error_ == pytest.approx(exact.loo_error_)
    assert not hasattr(low, "loo_residuals_")


@pytest.mark.parametrize("y", [labels(), THREE], ids=["two", "three"])
@pytest.mark.parametrize("rank", [None, 20])
def test_batches_and_parts_give_what_the_whole_gives(y, rank):
    make = lambda: gm.KernelClassifier(gm.Gaussian(1.5), 0.3, rank=rank)  # noqa: E731
    whole = make().fit(vectors(), y)
    streamed = make().fit(gm.Batches(vectors(), target=y, rows=7))
    np.testing.assert_allclose(streamed.decision_function(vectors()), whole.decision_function(vectors()), atol=1e-7)
    once = make().fit((vectors()[i : i + 10], y[i : i + 10]) for i in range(0, 40, 10))
    np.testing.assert_array_equal(once.classes_, whole.classes_)
    parts = make()
    parts.partial_fit(vectors()[:20], y[:20], classes=np.unique(y))
    parts.partial_fit(vectors()[20:], y[20:], sample_weight=np.ones(20))
    np.testing.assert_array_equal(parts.classes_, whole.classes_)
    assert (parts.predict(vectors()) == whole.predict(vectors())).mean() > 0.8


def test_one_class_so_far_is_nothing_to_predict_yet():
    X, y = vectors(), labels()
    even, odd = np.flatnonzero(y == "even"), np.flatnonzero(y == "odd")
    model = gm.KernelClassifier(gm.Gaussian(1.5), 0.3, rank=20).partial_fit(X[even], y[even], classes=["odd", "even"])
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.partial_fit(X[odd], y[odd])
    assert model.score(X, y) > 0.8


def test_labels_that_were_not_named_are_refused():
    X, y = vectors(), THREE
    model = gm.KernelClassifier(gm.Gaussian(1.5), 0.3, rank=20).partial_fit(X, labels())
    with pytest.raises(
        ValueError, match=r"y holds the label '[abc]', and the classes so far are \['even' 'odd'\]: name all"
    ):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match="classes are .*, and those of the first call were"):
        model.partial_fit(X, labels(), classes=["even", "odd", "third"])
    with pytest.raises(ValueError, match="y has one class only, 'even'"):
        gm.KernelClassifier(rank=20).partial_fit(X[:1], ["even"])


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (None, ValueError, "requires y to be passed"),
        (np.zeros(40), ValueError, "y has one class only"),
        (np.linspace(0, 1, 40), ValueError, "Unknown label type"),
        ([None] * 40, ValueError, "y holds missing values"),
        (labels()[:-1], ValueError, "inconsistent numbers of samples"),
        (np.eye(40), ValueError, "y should be a 1d array"),
    ],
    ids=str,
)
def test_bad_labels_are_refused(y, error, message):
    with pytest.raises(error, match=message):
        gm.KernelClassifier().fit(vectors(), y)


def test_a_batch_of_words_after_one_of_numbers_is_refused():
    parts = [(vectors()[:20], np.arange(20) % 2), (vectors()[20:], labels()[20:])]
    with pytest.raises(ValueError, match="with a target of str, and batch 0 was .*; make them alike"):
        gm.KernelClassifier(rank=10).fit(gm.Batches(lambda: iter(parts)))


def test_decision_regions_are_drawn():
    X = vectors()[:, :2]
    ax = gm.plot.decision_regions(gm.KernelClassifier(ridge=0.1).fit(X, labels()), X, labels())
    assert ax.get_title().startswith("KernelClassifier, ")


def test_the_ridge_path_of_a_classifier_is_drawn():
    assert gm.plot.ridge_path(gm.KernelClassifier().fit(vectors(), labels())).get_title() == "Ridge path"


def test_weights_that_leave_one_class_are_refused():
    w = (labels() == "odd").astype(float)
    with pytest.raises(ValueError, match="objects of one class only, 'odd', have a weight above 0; two expected"):
        gm.KernelClassifier(rank=10).fit(vectors(), labels(), sample_weight=w)
