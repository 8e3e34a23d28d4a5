"""Folds left out in closed form against plain fits without them."""

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)

import gramian as gm
from gramian.learn.fisher_folds import _anew, _Whole

N = 40
KERNELS = {
    "gaussian": gm.Gaussian(1.1),
    "laplacian": gm.Laplacian(2.0),
    "linear, in two features": gm.Linear(),
    "polynomial, in ten features": gm.Polynomial(3, 1.0),
    "median": gm.Gaussian("median"),
}
UNEVEN = np.repeat(np.arange(6), [1, 1, 3, 5, 12, 18])
FOLDS = {
    "five": KFold(5, shuffle=True, random_state=0),
    "folds of one": LeaveOneOut(),
    "halves": KFold(2),
    "uneven": [(np.flatnonzero(g != UNEVEN), np.flatnonzero(g == UNEVEN)) for g in range(6)],
}
RIDGES = [1e-3, 0.1, 3.0]


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(N, 2))
    return X, np.column_stack([np.sin(2 * X[:, 0]), X[:, 0] * X[:, 1]]) + 5 + 0.2 * rng.normal(size=(N, 2))


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, 2))
    return X, np.array(["few", "more", "most"])[
        np.digitize(np.square(X).sum(axis=1) + 0.3 * rng.normal(size=N), [1, 2])
    ]


def ridge_without(K, Y, w, lam, intercept, fold):
    """Solve the normal equations of Σ wᵢ (yᵢ − Kᵢ a − b)² + λ aᵀKa over the others, and predict the fold."""
    rest = np.setdiff1d(np.arange(len(K)), fold)
    rest = rest[w[rest] > 0]
    m = len(rest)
    system = np.zeros((m + 1, m + 1))
    system[:m, :m] = K[np.ix_(rest, rest)] + lam * np.diag(1 / w[rest])
    system[:m, m] = system[m, :m] = 1.0 if intercept else 0.0
    system[m, m] = 0.0 if intercept else 1.0
    found = np.linalg.solve(system, np.vstack([Y[rest], np.zeros((1, Y.shape[1]))]))
    return K[np.ix_(fold, rest)] @ found[:m] + (found[m] if intercept else 0.0)


def cut(cv, n=N):
    return [test for _, test in (cv if isinstance(cv, list) else cv.split(np.zeros(n)))]


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("cv", FOLDS.values(), ids=FOLDS)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_ridge_regression_says_of_a_fold_what_a_fit_to_the_others_says(numbers, kernel, cv, intercept, weighted):
    X, Y = numbers
    w = np.random.default_rng(2).integers(0, 4, N).astype(float) if weighted else np.ones(N)
    settled = kernel.fit(X[w > 0])
    K = settled(X)
    expected = np.empty((len(RIDGES), *Y.shape))
    for fold in cut(cv):
        for k, lam in enumerate(RIDGES):
            expected[k, fold] = ridge_without(K, Y, w, lam, intercept, fold)
    errors = np.array([np.average(np.square(one - Y).mean(axis=1), weights=w) for one in expected])
    found = gm.leave_fold_out(
        gm.KernelRidge(kernel, ridge=RIDGES, fit_intercept=intercept), X, Y, cv, sample_weight=w if weighted else None
    )
    tol = 64 * N * np.finfo(float).eps * (np.linalg.norm(K, 2) * w.max() / RIDGES[0]) * np.abs(Y).max()
    np.testing.assert_allclose(found.errors, errors, rtol=tol)
    assert found.ridge == RIDGES[errors.argmin()]
    np.testing.assert_allclose(found.decision, expected[errors.argmin()], atol=tol)
    assert found.error == pytest.approx(errors.min(), rel=tol)
    assert found.left_out == 0


def test_folds_of_one_are_leave_one_out(numbers):
    X, Y = numbers
    model = gm.KernelRidge(gm.Gaussian(1.0), fit_intercept=True).fit(X, Y)
    found = gm.leave_fold_out(gm.KernelRidge(gm.Gaussian(1.0), fit_intercept=True), X, Y, LeaveOneOut())
    np.testing.assert_allclose(found.errors, model.path_.loo, rtol=1e-6)
    assert found.ridge == model.ridge_
    np.testing.assert_allclose(Y - found.decision, model.loo_residuals_, atol=1e-7)


def test_single_precision_tells_the_same_to_its_digits(numbers):
    X, Y = numbers
    model = gm.KernelRidge(gm.Gaussian(1.1), ridge=0.1, fit_intercept=True)
    single = gm.leave_fold_out(model, X.astype(np.float32), Y, 4)
    np.testing.assert_allclose(single.decision, gm.leave_fold_out(model, X, Y, 4).decision, rtol=1e-4)
    labels = (Y[:, 0] > Y[:, 0].mean()).astype(int)
    model = gm.FisherDiscriminant(gm.Gaussian(1.1), ridge=0.1)
    single = gm.leave_fold_out(model, X.astype(np.float32), labels, 4)
    np.testing.assert_allclose(single.decision, gm.leave_fold_out(model, X, labels, 4).decision, atol=1e-3)


@pytest.mark.parametrize("make", [gm.KernelClassifier, gm.FisherDiscriminant], ids=lambda make: make.__name__)
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("two", [True, False], ids=["two classes", "three classes"])
@pytest.mark.parametrize("cv", [StratifiedKFold(4), StratifiedKFold(2), LeaveOneOut()], ids=["four", "two", "ones"])
def test_a_classifier_says_of_a_fold_what_a_fit_to_the_others_says(classes, make, kernel, two, cv):
    X, y = classes
    y = np.where(y == "few", "few", "many") if two else y
    settled = kernel.fit(X)
    for lam in RIDGES:
        found = gm.leave_fold_out(make(kernel, ridge=lam), X, y, cv)
        for train, test in cv.split(X, y):
            one = make(settled, ridge=lam).fit(X[train], y[train])
            expected = one.decision_function(X[test])
            np.testing.assert_allclose(found.decision[test], expected, atol=1e-6 * max(1, np.abs(expected).max()))
            assert (found.predicted[test] == one.predict(X[test])).all() or np.abs(expected).min() < 1e-6
        assert found.error == np.mean(found.predicted != y)


@pytest.mark.parametrize("pays", [True, False], ids=["one decomposition", "one for each fold"])
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("cv", [StratifiedKFold(4), LeaveOneOut(), GroupKFold(9)], ids=["four", "ones", "groups"])
def test_both_ways_to_leave_folds_out_of_fishers_are_fits_without_them(classes, pays, kernel, cv, monkeypatch):
    monkeypatch.setattr("gramian.learn.fisher_folds._pays", lambda *_: pays)
    X, y = classes
    groups = np.arange(N) % 13 if isinstance(cv, GroupKFold) else None
    settled = kernel.fit(X)
    for lam in RIDGES:
        found = gm.leave_fold_out(gm.FisherDiscriminant(kernel, ridge=lam), X, y, cv, groups)
        for fold in found.folds:
            rest = np.setdiff1d(np.arange(N), fold)
            expected = gm.FisherDiscriminant(settled, ridge=lam).fit(X[rest], y[rest]).decision_function(X[fold])
            np.testing.assert_allclose(found.decision[fold], expected, atol=1e-6 * max(1, np.abs(expected).max()))


def test_folds_alike_in_their_classes_share_a_decomposition(classes, monkeypatch):
    X, y = classes
    asked = []
    monkeypatch.setattr("gramian.learn.fisher_folds._Whole", lambda *given: asked.append("whole") or _Whole(*given))
    monkeypatch.setattr("gramian.learn.fisher_folds._anew", lambda *given: asked.append("anew") or _anew(*given))
    model = gm.FisherDiscriminant(gm.Gaussian(1.0), ridge=RIDGES)
    gm.leave_fold_out(model, X, y, LeaveOneOut())
    assert asked == ["whole"] * 3, "one for each class"
    asked.clear()
    gm.leave_fold_out(model, X, y, StratifiedKFold(2))
    assert "anew" in asked, "two large folds are not worth it"


def test_folds_of_one_are_the_leave_one_out_of_fishers(classes):
    X, y = classes
    model = gm.FisherDiscriminant(gm.Gaussian(1.0)).fit(X, y)
    found = gm.leave_fold_out(gm.FisherDiscriminant(gm.Gaussian(1.0)), X, y, LeaveOneOut())
    np.testing.assert_array_equal(found.errors, model.loo_errors_)
    assert found.ridge == model.ridge_
    np.testing.assert_allclose(found.decision, model.loo_decision_, rtol=1e-6, atol=1e-8)


def test_the_ridge_of_a_classifier_is_the_one_with_the_smallest_error_of_folds(classes):
    X, y = classes
    cv = StratifiedKFold(4)
    for make in (gm.KernelClassifier, gm.FisherDiscriminant):
        found = gm.leave_fold_out(make(gm.Gaussian(1.0), ridge=RIDGES), X, y, cv)
        each = [gm.leave_fold_out(make(gm.Gaussian(1.0), ridge=lam), X, y, cv) for lam in RIDGES]
        np.testing.assert_allclose(found.errors, [one.errors[0] for one in each], rtol=1e-9)
        assert found.errors[RIDGES.index(found.ridge)] == found.errors.min()
        np.testing.assert_allclose(found.decision, each[RIDGES.index(found.ridge)].decision, rtol=1e-7, atol=1e-9)


def test_groups_are_left_out_together(numbers):
    X, Y = numbers
    groups = np.arange(N) % 7
    for cv in (LeaveOneGroupOut(), GroupKFold(7)):
        found = gm.leave_fold_out(gm.KernelRidge(gm.Gaussian(1.0), ridge=0.1), X, Y[:, 0], cv, groups)
        assert sorted(map(tuple, found.folds)) == [tuple(np.flatnonzero(groups == g)) for g in range(7)]
        one = gm.KernelRidge(gm.Gaussian(1.0), ridge=0.1).fit(X[groups != 3], Y[groups != 3, 0])
        np.testing.assert_allclose(found.decision[groups == 3], one.predict(X[groups == 3]), rtol=1e-9)


def test_companions_make_leave_one_out_look_better_than_it_is():
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(30, 3))
    X = np.repeat(centers, 4, axis=0) + 0.01 * rng.normal(size=(120, 3))
    y = np.repeat(rng.normal(size=30), 4)
    model = gm.KernelRidge(gm.Gaussian(1.0))
    alone = gm.leave_fold_out(model, X, y, LeaveOneOut())
    together = gm.leave_fold_out(model, X, y, LeaveOneGroupOut(), np.repeat(np.arange(30), 4))
    assert together.error > 5 * alone.error
    assert together.ridge > alone.ridge


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("count", [2, 8])
def test_a_kernel_that_is_zero_says_the_mean_of_the_others(intercept, count):
    X, y = np.zeros((8, 1)), np.arange(8.0)
    found = gm.leave_fold_out(gm.KernelRidge(gm.Linear(), ridge=[0.1, 1.0], fit_intercept=intercept), X, y, count)
    for fold in found.folds:
        np.testing.assert_allclose(found.decision[fold], np.delete(y, fold).mean() if intercept else 0.0)


def test_strings_and_grams_have_folds_too():
    words = ["abab", "abba", "baba", "cdcd", "dcdc", "cddc", "abac", "cdca"]
    y = np.array([0, 0, 0, 1, 1, 1, 0, 1])
    kernel = gm.Spectrum(2).normalize()
    for make in (gm.KernelClassifier, gm.FisherDiscriminant):
        found = gm.leave_fold_out(make(kernel, ridge=0.1), words, y, StratifiedKFold(2))
        of_gram = gm.leave_fold_out(make(kernel, ridge=0.1), kernel.gram(words), y, StratifiedKFold(2))
        np.testing.assert_allclose(found.decision, of_gram.decision, atol=1e-12)


@pytest.mark.parametrize("make", [gm.KernelRidge, gm.KernelClassifier, gm.FisherDiscriminant], ids=lambda m: m.__name__)
def test_beyond_what_is_compared_exactly_the_answer_is_exact_at_the_ridge_chosen(make, monkeypatch):
    monkeypatch.setattr("gramian.learn.folds.compares_exactly", lambda n: n <= 100)
    monkeypatch.setattr("gramian.learn.folds.DEFAULT_RANK", 60)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=200)
    y = y if make is gm.KernelRidge else (y > 0).astype(int)
    found = gm.leave_fold_out(make(gm.Gaussian(1.0)), X, y, 4)
    monkeypatch.undo()
    exact = gm.leave_fold_out(make(gm.Gaussian(1.0), ridge=found.ridge), X, y, 4)
    np.testing.assert_allclose(found.decision, exact.decision, atol=1e-5 * np.abs(exact.decision).max())
    assert found.error == pytest.approx(exact.error)
    best = gm.leave_fold_out(make(gm.Gaussian(1.0)), X, y, 4)
    assert found.error <= 1.1 * best.error + 1.5 / 200, "the ridge is about as good as the best"


def test_folds_through_landmarks_say_what_is_left_out(numbers):
    X, Y = numbers
    for lam in (0.01, 1.0):
        found = gm.leave_fold_out(gm.KernelRidge(gm.Laplacian(1.0), ridge=lam, rank=20), X, Y[:, 0], 4)
        assert 0.01 < found.left_out < 0.9
        assert gm.leave_fold_out(gm.KernelRidge(gm.Laplacian(1.0), ridge=lam), X, Y[:, 0], 4).left_out == 0


def test_what_has_no_closed_form_is_refused(numbers, classes):
    X, Y = numbers
    y = Y[:, 0]
    with pytest.raises(ValueError, match="give a ridge above 0"):
        gm.leave_fold_out(gm.KernelRidge(ridge=0), X, y)
    with pytest.raises(ValueError, match="chooses its directions anew"):
        gm.leave_fold_out(gm.KernelRidge(smoother="projection"), X, y)
    with pytest.raises(TypeError, match="ParzenClassifier has no errors"):
        gm.leave_fold_out(gm.ParzenClassifier(), *classes)
    with pytest.raises(TypeError, match="takes no sample_weight"):
        gm.leave_fold_out(gm.FisherDiscriminant(), *classes, sample_weight=np.ones(N))
    with pytest.raises(TypeError, match="batches cannot be put into folds"):
        gm.leave_fold_out(gm.KernelRidge(), gm.Batches(X, y), y)
    for cv, said in (
        (TimeSeriesSplit(3), "all others are learnt from"),
        (ShuffleSplit(3, train_size=0.5, test_size=0.2), "all others are learnt from"),
        (RepeatedKFold(n_splits=2, n_repeats=2), "is left out 2 times"),
    ):
        with pytest.raises(ValueError, match=said):
            gm.leave_fold_out(gm.KernelRidge(), X, y, cv)
    with pytest.raises(ValueError, match="outside of a fold has a weight"):
        gm.leave_fold_out(gm.KernelRidge(), X, y, KFold(2), sample_weight=np.arange(N) < N // 2)


def test_a_class_must_be_learnt_without_the_fold():
    X, y = np.random.default_rng(0).normal(size=(9, 2)), np.array([0, 0, 0, 0, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match="class 1 has 0 members outside of fold 2; at least 1"):
        gm.leave_fold_out(gm.KernelClassifier(ridge=1.0), X, y, KFold(3))
    parts = [([0, 1, 2, 7, 8], [3, 4, 5, 6]), ([3, 4, 5, 6], [0, 1, 2, 7, 8])]
    with pytest.raises(ValueError, match="class 1 has 1 member outside of fold 1; at least 2"):
        gm.leave_fold_out(gm.FisherDiscriminant(ridge=1.0), X, y, parts)
