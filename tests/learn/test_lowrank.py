"""Learning through landmarks: the same as learning in the explicit features of `Nystrom`, which is the oracle here."""

import pickle
import warnings
from itertools import product

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

import gramian as gm
from gramian.factor import solve as solve_module
from gramian.learn import lowrank as lowrank_module
from gramian.learn import novelty as novelty_module

from .conftest import answers, assert_equal_answers, assert_same_answers, few_objects

N, RANK = 80, 12
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
X[1::2] += 1.5
Z = RNG.normal(size=(9, 3)) + 0.7
Y = np.column_stack([np.sin(X).sum(axis=1) + 3, X[:, 0] * X[:, 1]])
W = RNG.uniform(0.2, 3.0, size=N)
LABELS = np.array(["a", "b"])[np.arange(N) % 2]
THREE = np.array([4, 7, 9])[np.arange(N) % 3]
WORDS = ["".join(RNG.choice(list("abcd"), RNG.integers(3, 8))) for _ in range(N)]
RING = gm.Graph([(k, (k + 1) % N) for k in range(N)] + [(k, (3 * k) % N) for k in range(1, N, 4)])
ROWS = [{"age": float(x[0]), "name": word} for x, word in zip(X, WORDS, strict=True)]
KERNEL = gm.Gaussian("median")

OBJECTS = {
    "vectors": (gm.Gaussian(1.0), X),
    "unsettled": (KERNEL, X),
    "single precision": (gm.Gaussian(1.0), X.astype(np.float32)),
    "sparse rows": (gm.Gaussian(1.0), scipy.sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))),
    "explicit": (gm.Polynomial(2, 1.0), X),
    "strings": (gm.Subsequences(2, 0.5).normalize(), WORDS),
    "counts": (gm.Spectrum(2), WORDS),
    "nodes": (gm.ExponentialDiffusion(RING, 0.5, of="laplacian"), list(range(N))),
    "records": (gm.Gaussian(1.0).on("age") + gm.Spectrum(2).on("name").normalize(), ROWS),
    "precomputed": (gm.Precomputed(gm.Gaussian(1.0)(X)), np.arange(N)),
}
every_object = pytest.mark.parametrize("name", OBJECTS)
LOW = {
    "ridge": (lambda k, **more: gm.KernelRidge(k, 0.3, **more), Y[:, 0]),
    "classifier": (lambda k, **more: gm.KernelClassifier(k, 0.3, **more), THREE),
    "fisher": (lambda k, **more: gm.FisherDiscriminant(k, 0.1, **more), THREE),
    "parzen": (lambda k, **more: gm.ParzenClassifier(k, **more), THREE),
    "novelty": (lambda k, **more: gm.NoveltyDetector(k, calibration="bound", **more), None),
    "pca": (lambda k, **more: gm.KernelPCA(3, k, **more), None),
}
every_learner = pytest.mark.parametrize("which", LOW)


def features(kernel=KERNEL, objects=X, rank=RANK):
    """The map φ̃ of the landmarks that a learner of this rank chooses."""
    return gm.Nystrom(kernel, rank).fit(objects).features


def close(found, expected, tol=1e-9):
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=0, atol=tol * max(np.abs(expected).max(), 1e-300))


# Ridge regression

RIDGES = [0.3, "loo", "gcv", [0.01, 0.3, 4.0]]


@pytest.mark.parametrize("weights", [None, W], ids=["", "weights"])
@pytest.mark.parametrize("smoother", ["shrinkage", "projection"])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("ridge", RIDGES, ids=str)
def test_ridge_regression_is_that_on_the_features(ridge, intercept, smoother, weights):
    phi = features()
    settings = {"ridge": ridge, "fit_intercept": intercept, "smoother": smoother}
    low = gm.KernelRidge(KERNEL, rank=RANK, **settings).fit(X, Y, weights)
    # The grid of "loo" ends where rounding errors of K begin, which are other ones: the oracle is given the same grid
    if isinstance(ridge, str):
        settings["ridge"] = low.ridge_
        grid = gm.KernelRidge(gm.Linear(), **{**settings, "ridge": low.path_.ridges}).fit(phi(X), Y, weights)
        # A ridge that is the largest eigenvalue itself, up to rounding, may or may not leave that direction
        tie = np.isclose(low.path_.ridges, low._of_moments.values[0], rtol=1e-9)
        for name in ("loo", "gcv", "dof"):
            close(getattr(low.path_, name)[~tie], getattr(grid.path_, name)[~tie], 1e-6)
        assert low.ridge_ == low.path_.ridges[np.argmin(low.path_.loo if ridge == "loo" else low.path_.gcv)]
    oracle = gm.KernelRidge(gm.Linear(), **settings).fit(phi(X), Y, weights)
    assert low.ridge_ == oracle.ridge_
    close(low.predict(Z), oracle.predict(phi(Z)), 1e-8)
    close(low.intercept_, oracle.intercept_, 1e-8)
    assert low.effective_dof_ == pytest.approx(oracle.effective_dof_, rel=1e-8)
    assert low.loo_error_ == pytest.approx(oracle.loo_error_, rel=1e-7)
    kept = oracle.shrinkage_[: len(low.shrinkage_)]
    close(low.shrinkage_, kept, 1e-8)
    close(low.function_.inner(low.function_), oracle.function_.inner(oracle.function_), 1e-7)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(3, 30),
    rank=st.integers(1, 30),
    ridge=st.sampled_from([1e-3, 0.1, 10.0]),
    intercept=st.booleans(),
)
def test_any_sample_is_learnt_as_its_features_are(seed, n, rank, ridge, intercept):
    rng = np.random.default_rng(seed)
    points, y, new = rng.normal(size=(n, 2)), rng.normal(size=n), rng.normal(size=(4, 2))
    phi = features(gm.Laplacian(1.0), points, rank)
    low = gm.KernelRidge(gm.Laplacian(1.0), ridge, intercept, rank=rank).fit(points, y)
    F, centre = phi(points), int(intercept)
    moved, target = F - centre * F.mean(axis=0), y - centre * y.mean()
    beta = np.linalg.solve(moved.T @ moved + ridge * np.eye(F.shape[1]), moved.T @ target)
    expected = (phi(new) - centre * F.mean(axis=0)) @ beta + centre * y.mean()
    np.testing.assert_allclose(low.predict(new), expected, atol=1e-8 * max(1, np.abs(y).max()) / min(ridge, 1))


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_generalized_cross_validation_is_told_where_the_features_leave_no_room(seed, intercept):
    """Residuals and room both vanish with the ridge then, and their quotient does not."""
    rng = np.random.default_rng(seed)
    points, noise, weights = rng.normal(size=(50, 3)), rng.normal(size=50), rng.uniform(0.5, 2, 50)
    low = gm.KernelRidge(gm.Laplacian(1.0), "gcv", intercept, rank=50).fit(points, noise, weights)
    exact = gm.KernelRidge(gm.Laplacian(1.0), low.path_.ridges, intercept).fit(points, noise, weights)
    np.testing.assert_allclose(low.path_.gcv, exact.path_.gcv, rtol=1e-6)
    assert low.ridge_ == low.path_.ridges[np.argmin(exact.path_.gcv)]


def test_zero_weights_do_what_leaving_out_does():
    w = W * (np.arange(N) % 3 > 0)
    # Something strange without weight: it takes no part in the bandwidth, the landmarks or the moments
    odd = np.where((w > 0)[:, None], X, 1000 * X)
    low = gm.KernelRidge(KERNEL, 0.3, rank=RANK).fit(odd, Y, w)
    without = gm.KernelRidge(KERNEL, 0.3, rank=RANK).fit(X[w > 0], Y[w > 0], w[w > 0])
    assert low.kernel_ == without.kernel_
    close(low.predict(Z), without.predict(Z))


def test_targets_far_from_zero_are_learnt_in_single_precision_too():
    single = X.astype(np.float32)
    exact, low = (gm.KernelRidge(gm.Gaussian(1.0), 0.3, True, rank=r).fit(single, Y + 1e6) for r in ("exact", N))
    np.testing.assert_allclose(low.predict(Z) - 1e6, exact.predict(Z) - 1e6, atol=1e-2)


def test_a_constant_target_is_refused_in_low_rank_too():
    for value in (1.0, 0.1, -1e7 / 3):
        with pytest.raises(ValueError, match="y is constant .* there is nothing to learn"):
            gm.KernelRidge(gm.Gaussian(1.0), 0.3, rank=5).fit(X, np.full(N, value))


def test_a_second_fit_forgets_the_first():
    model = gm.KernelRidge(gm.Gaussian(1.0), "loo", rank=5).fit(X, Y)
    model.set_params(ridge=0.5).fit(X, Y)
    assert not hasattr(model, "path_")
    model.set_params(rank=None, ridge="loo").fit(X, Y)
    assert model.trace_error_ == 0.0
    assert len(model.sample_) == N
    assert len(model.loo_residuals_) == N
    again = gm.KernelRidge(gm.Gaussian(1.0), "loo").fit(X, Y)
    np.testing.assert_array_equal(model.predict(Z), again.predict(Z))


# Fisher's discriminant


@pytest.mark.parametrize("labels", [LABELS, THREE], ids=["two", "three"])
@pytest.mark.parametrize("ridge", [1e-3, 0.1, 10.0])
def test_fishers_discriminant_is_that_on_the_features(ridge, labels):
    phi = features()
    low = gm.FisherDiscriminant(KERNEL, ridge, rank=RANK).fit(X, labels)
    oracle = gm.FisherDiscriminant(gm.Linear(), ridge).fit(phi(X), labels)
    close(low.decision_function(Z), oracle.decision_function(phi(Z)), 1e-8)
    np.testing.assert_array_equal(low.predict(Z), oracle.predict(phi(Z)))
    close(low.quotients_, oracle.quotients_, 1e-8)
    assert low.quotient_ == low.quotients_[0]
    close(low.projected_means_, oracle.projected_means_, 1e-7)
    close(low.projected_variances_, oracle.projected_variances_, 1e-7)
    close(low.transform(Z), oracle.transform(phi(Z)), 1e-7)
    close(low.axes_.inner(low.axes_), oracle.axes_.inner(oracle.axes_), 1e-7)
    close(low.offset_, oracle.offset_, 1e-7)


def discriminants(Phi, y, point, lam, classes):
    """g_c of one point in a model of the others, from the definition of Fisher's discriminant."""
    members = [Phi[y == c] for c in classes]
    means = np.array([some.mean(axis=0) for some in members])
    M = lam * np.eye(Phi.shape[1])
    for some, mean in zip(members, means, strict=True):
        M += (some - mean).T @ (some - mean) / len(some)
    centre = means.mean(axis=0)
    w = np.linalg.solve(M, (means - centre).T)
    return np.array([(point - (means[c] + centre) / 2) @ w[:, c] for c in range(len(classes))])


@pytest.mark.parametrize("ridge", [1e-2, 1.0])
@pytest.mark.parametrize("labels", [LABELS, THREE, np.r_[np.zeros(2), np.ones(N - 2)]], ids=["two", "three", "few"])
def test_leaving_one_out_is_refitting_without_it_in_the_features(labels, ridge):
    Phi, classes = features()(X), np.unique(labels)
    rest = ~np.eye(N, dtype=bool)
    expected = np.array([discriminants(Phi[rest[i]], labels[rest[i]], Phi[i], ridge, classes) for i in range(N)])
    low = gm.FisherDiscriminant(KERNEL, ridge, rank=RANK).fit(X, labels)
    close(low.loo_decision_, expected if len(classes) > 2 else expected[:, 1] - expected[:, 0], 1e-7)
    assert low.loo_error_ == np.mean(classes[expected.argmax(axis=1)] != labels)


def test_the_ridge_with_the_fewest_leave_one_out_mistakes_is_taken():
    grid = [1e-3, 0.1, 10.0]
    low = gm.FisherDiscriminant(KERNEL, grid, rank=RANK).fit(X, THREE)
    errors = [gm.FisherDiscriminant(KERNEL, lam, rank=RANK).fit(X, THREE).loo_error_ for lam in grid]
    np.testing.assert_array_equal(low.loo_errors_, errors)
    assert low.ridge_ in np.array(grid)[np.array(errors) == min(errors)]
    assert low.loo_error_ == min(errors)
    auto = gm.FisherDiscriminant(KERNEL, "loo", rank=RANK).fit(X, THREE)
    assert auto.loo_error_ == auto.loo_errors_.min()


def test_leave_one_out_errors_are_estimated_from_all_classes_however_the_objects_are_sorted(monkeypatch):
    monkeypatch.setattr(gm.FisherDiscriminant, "probe", 20)
    order = np.argsort(LABELS, kind="stable")
    for index in (np.arange(N), order):
        model = gm.FisherDiscriminant(KERNEL, 0.1, rank=RANK).fit(X[index], LABELS[index])
        assert set(model._labels) == {0, 1}


# Centres of mass


@few_objects
def test_centres_and_distances_are_those_of_the_projected_means():
    phi = features()
    parzen = gm.ParzenClassifier(KERNEL, rank=RANK).fit(X, THREE)
    oracle = gm.ParzenClassifier(gm.Linear()).fit(phi(X), THREE)
    close(parzen.decision_function(Z), oracle.decision_function(phi(Z)))
    close(parzen.centers_.inner(parzen.centers_), oracle.centers_.inner(oracle.centers_))
    novelty = gm.NoveltyDetector(KERNEL, rank=RANK, calibration="bound").fit(X)
    mean = phi(X).mean(axis=0)
    # ‖φ(x) − μ‖² with φ(x) itself, and not what landmarks see of it
    kernel = novelty.kernel_
    expected = np.sqrt(kernel.diag(Z) - 2 * phi(Z) @ mean + mean @ mean)
    close(-novelty.score_samples(Z), expected)
    close(novelty.center_.norm(), np.linalg.norm(mean))


def test_objects_far_from_all_landmarks_are_novel():
    model = gm.NoveltyDetector(gm.Gaussian(1.0), calibration="conformal", rank=RANK, random_state=0).fit(X)
    far = np.array([[50.0, 0.0, 0.0], [0.0, -80.0, 3.0]])
    assert (model.predict(far) == -1).all()
    assert (model.p_values(far) <= 1 / 41).all()
    assert (-model.score_samples(far) >= 1.0).all()


def test_the_conformal_threshold_keeps_its_promise_in_low_rank():
    rng = np.random.default_rng(5)
    alarms = []
    for seed in range(80):
        model = gm.NoveltyDetector(gm.Gaussian(1.0), calibration="conformal", alpha=0.2, random_state=seed, rank=6)
        model.fit(rng.normal(size=(38, 2)))
        alarms.append(np.mean(model.predict(rng.normal(size=(40, 2))) == -1))
        assert model.false_alarm_bound_ <= 0.2
    # 19 calibration objects: the expected rate is 0.2, with a standard deviation of 0.11 / √80
    assert np.mean(alarms) == pytest.approx(0.2, abs=4 * 0.11 / np.sqrt(80))


@few_objects
def test_the_bound_in_low_rank_never_fires_on_its_own_sample():
    model = gm.NoveltyDetector(gm.Gaussian(1.0), rank=5, calibration="bound").fit(X)
    assert (model.predict(X) == 1).all()
    assert model.distances_.shape == (N,)
    close(model.distances_, -model.score_samples(X))


@few_objects
@pytest.mark.parametrize("kernel", [gm.Gaussian(0.5), gm.Laplacian(1.0), gm.Polynomial(3, 1.0)], ids=str)
def test_the_bound_in_low_rank_allows_for_what_the_landmarks_leave_out_of_the_centre(kernel, monkeypatch):
    monkeypatch.setattr(novelty_module, "SHORTEST_RUN", 16)  # several runs, the last one unfinished
    for seed in range(6):
        rng = np.random.default_rng(seed)
        points = rng.normal(size=(71, 2)) + seed
        for rank in (1, 3, 20, 71):
            low = gm.NoveltyDetector(kernel, rank=rank, calibration="bound").fit(points)
            phi = gm.Nystrom(low.kernel_, landmarks=low.sample_.gram())
            mean = phi.features(points).mean(axis=0)
            astray = np.sqrt(max(low.kernel_(points).mean() - mean @ mean, 0.0))  # ‖φ_S − Pφ_S‖, pair by pair
            bound = low.distances_.max() + 2 * gm.stability_bound(71, low.radius_, low.delta)
            assert low.threshold_ >= bound + 2 * astray - 1e-6 * low.radius_
            every = np.sqrt(np.mean(low.kernel_.diag(points) - np.square(phi.features(points)).sum(axis=1)).clip(0))
            assert low.threshold_ <= bound + 2 * every + 1e-6 * low.radius_, "not above the mean length of what is lost"
            # so that no object is called novel by landmarks that the bound would not call novel at the exact centre
            exact = gm.NoveltyDetector(kernel, calibration="bound").fit(points)
            assert low.threshold_ >= exact.threshold_ - astray - 1e-6 * low.radius_


@few_objects
def test_the_bound_of_one_run_is_exact():
    low = gm.NoveltyDetector(gm.Gaussian(0.5), rank=3, calibration="bound").fit(X)
    phi = gm.Nystrom(low.kernel_, landmarks=low.sample_.gram())
    mean = phi.features(X).mean(axis=0)
    astray = np.sqrt(low.kernel_(X).mean() - mean @ mean)
    bound = low.distances_.max() + 2 * gm.stability_bound(N, 1.0, low.delta)
    assert astray > 0.01
    assert low.threshold_ == pytest.approx(bound + 2 * astray, rel=1e-9)


def test_a_detector_that_is_mute_for_want_of_landmarks_says_so():
    with pytest.warns(UserWarning, match="can never fire.*a larger rank"):
        gm.NoveltyDetector(gm.Gaussian(0.3), rank=1, calibration="bound").fit(X)


# Principal components


@few_objects
@pytest.mark.parametrize("far", [0.0, 3.0])
@pytest.mark.parametrize("kernel", [gm.Gaussian(0.5), gm.Laplacian(1.0), gm.Polynomial(2, 1.0)], ids=str)
def test_the_total_variance_is_that_of_the_objects_whatever_the_landmarks_see(kernel, far):
    for seed in range(5):
        points = np.random.default_rng(seed).normal(size=(60, 2)) + far
        total = gm.FeatureSpace(kernel)(points).total_variance()
        for rank in (1, 2, 5, 30, 60):
            low = gm.KernelPCA(kernel=kernel, rank=rank).fit(points)
            assert low.total_variance_ == pytest.approx(total, rel=1e-8)
            phi = gm.Nystrom(kernel, landmarks=low.sample_.gram()).features(points)
            unseen = 1 - phi.var(axis=0).sum() / total
            assert low.variance_error_ == pytest.approx(unseen, abs=1e-8)
            assert low.explained_variance_ratio_.sum() == pytest.approx(1 - unseen, abs=1e-8)
            detector = gm.NoveltyDetector(kernel, rank=rank, calibration="bound").fit(points)
            assert detector.variance_error_ == pytest.approx(unseen, abs=1e-8)


def test_of_many_objects_the_total_variance_is_estimated_from_some(monkeypatch):
    monkeypatch.setattr(gm.KernelPCA, "probe", 300)
    for seed in range(4):
        points = np.random.default_rng(seed).normal(size=(1500, 2))
        total = gm.FeatureSpace(gm.Gaussian(0.5))(points).total_variance()
        low = gm.KernelPCA(3, gm.Gaussian(0.5), rank=3).fit(points)
        assert low.total_variance_ == pytest.approx(total, rel=0.03)  # 300 objects, some standard errors
        seen = gm.Nystrom(low.kernel_, landmarks=low.sample_.gram()).features(points).mean(axis=0)
        assert 1 - seen @ seen > 1.05 * total, "what the landmarks see of the centre is too little of it"


def test_an_exact_answer_leaves_out_no_variance():
    assert gm.KernelPCA(2, KERNEL).fit(X).variance_error_ == 0.0
    assert gm.NoveltyDetector(KERNEL).fit(X).variance_error_ == 0.0


def test_principal_components_are_those_of_the_features():
    phi = features()
    low = gm.KernelPCA(4, KERNEL, rank=RANK).fit(X)
    F = phi(X)
    moved = F - F.mean(axis=0)
    values, axes = np.linalg.eigh(moved.T @ moved)
    values, axes = values[::-1][:4], axes[:, ::-1][:, :4]
    close(low.eigenvalues_, values)
    close(low.explained_variance_, values / N)
    close(low.explained_variance_ratio_, values / N / low.total_variance_)
    assert low.total_variance_ == pytest.approx(1 - low.kernel_(X).mean(), rel=1e-10)  # of φ(x), not of its projections
    along = (phi(Z) - F.mean(axis=0)) @ axes
    found = low.transform(Z)
    close(found * np.sign((found * along).sum(axis=0)), along, 1e-8)
    close(low.components_.inner(low.components_), np.eye(4), 1e-8)
    assert (np.take_along_axis(low.dual_coef_, np.abs(low.dual_coef_).argmax(axis=0)[None], axis=0) > 0).all()
    mean = F.mean(axis=0)
    squares = 1 - 2 * phi(Z) @ mean + mean @ mean - np.square(along).sum(axis=1)
    close(low.reconstruction_error(Z), np.sqrt(squares), 1e-8)


def test_so_many_components_are_kept_as_hold_the_share_of_the_variance():
    low = gm.KernelPCA(0.6, KERNEL, rank=40).fit(X)
    held = np.cumsum(low.explained_variance_ratio_)
    assert held[-1] >= 0.6 > held[-2]
    every = gm.KernelPCA(None, KERNEL, rank=RANK).fit(X)
    assert len(every.eigenvalues_) == RANK


def test_a_share_of_the_variance_that_the_landmarks_do_not_hold_is_not_passed_over_in_silence():
    with pytest.warns(UserWarning, match="variance"):
        gm.KernelPCA(0.99, gm.Gaussian(0.3), rank=4).fit(X)


def test_components_beyond_the_rank_are_warned_of():
    with pytest.warns(UserWarning, match="n_components is 9, and the sample spans 5 dimensions"):
        model = gm.KernelPCA(9, KERNEL, rank=5).fit(X)
    assert model.transform(Z).shape == (9, 5)


# All of them


@few_objects
@every_learner
def test_as_many_landmarks_as_objects_give_the_exact_learner(which):
    make, y = LOW[which]
    low, exact = (make(gm.Laplacian(1.0), rank=r).fit(X, y) for r in (N + 5, "exact"))
    assert len(low.sample_) == N
    assert low.trace_error_ == pytest.approx(0.0, abs=1e-12)
    # Distances in feature space are roots of differences, of which rounding takes half of the digits near 0
    found, expected = answers(low, Z), answers(exact, Z)
    if which == "parzen":
        expected.pop("p_values")  # which are of objects, and those are not kept
    assert_equal_answers(expected, found, tol=1e-8)


@few_objects
@every_learner
@every_object
def test_every_kind_of_object_is_learnt_through_landmarks(name, which):
    kernel, objects = OBJECTS[name]
    make, y = LOW[which]
    model = make(kernel, rank=RANK).fit(objects, y)
    assert len(model.sample_) <= RANK
    assert 0 < model.trace_error_ < 1 or name == "explicit"
    new = objects[:7]
    found = answers(model, new)
    phi = features(kernel, objects)
    if which in ("ridge", "fisher", "parzen"):
        make_oracle = {"ridge": gm.KernelRidge, "fisher": gm.FisherDiscriminant, "parzen": gm.ParzenClassifier}[which]
        params = {"ridge": 0.3 if which == "ridge" else 0.1} if which != "parzen" else {}
        F = phi(objects).astype(float)
        oracle = make_oracle(gm.Linear(), **params).fit(F, y)
        tol = 1e-3 if name == "single precision" else 1e-7
        name_of = "predict" if which == "ridge" else "decision_function"
        close(found[name_of], getattr(oracle, name_of)(F[:7]), tol)


@few_objects
@every_learner
def test_a_lazy_gram_in_the_place_of_objects_gives_the_same(which):
    make, y = LOW[which]
    gram = gm.Gaussian(1.0).gram(X)
    low, of_gram = (make(gm.Gaussian(1.0), rank=RANK).fit(given, y) for given in (X, gram))
    assert_same_answers(low, of_gram, Z, tol=1e-12)
    with pytest.raises(ValueError, match="ridge on its diagonal"):
        make(gm.Gaussian(1.0), rank=RANK).fit(gram.ridge(1.0), y)


@few_objects
@every_learner
def test_single_precision_gives_single_precision_and_nearly_the_same(which):
    make, y = LOW[which]
    single, double = (make(gm.Gaussian(1.0), rank=RANK).fit(X.astype(t), y) for t in (np.float32, np.float64))
    first, second = answers(single, Z.astype(np.float32)), answers(double, Z)
    if which != "pca":  # whose signs may turn
        for key, values in second.items():
            if values.dtype.kind == "f":
                close(first[key], values, 2e-3)
    if which == "pca":
        assert first["transform"].dtype == np.float32
        close(np.abs(first["transform"]), np.abs(second["transform"]), 2e-3)


@few_objects
@every_learner
def test_the_error_told_is_the_share_of_the_trace_left_out(which):
    make, y = LOW[which]
    for rank in (3, RANK, 40):
        model = make(gm.Gaussian(1.0), rank=rank).fit(X, y)
        left_out = 1 - np.square(features(gm.Gaussian(1.0), X, rank)(X)).sum() / N
        assert model.trace_error_ == pytest.approx(left_out, rel=1e-8)
    if hasattr(model, "solver_"):
        assert model.solver_.startswith(f"low rank: 40 landmarks, {N} objects in one pass; ")
        assert f"{left_out:.1e} of the trace left out" in model.solver_


@few_objects
@every_learner
def test_a_sample_too_large_for_an_exact_answer_is_reduced_with_a_warning(which, monkeypatch):
    monkeypatch.setattr(lowrank_module, "AFFORDABLE", 1000.0)
    monkeypatch.setattr(lowrank_module, "DEFAULT_RANK", RANK)
    make, y = LOW[which]
    with pytest.warns(UserWarning, match="in reasonable time") as caught:
        model = make(gm.Gaussian(1.0)).fit(X, y)
    message = next(str(w.message) for w in caught if "landmarks" in str(w.message))
    assert f"{N} objects cannot be worked through exactly in reasonable time" in message
    assert f"{RANK} landmarks" in message
    assert f"{model.trace_error_:.1e} of the trace" in message
    assert 'rank="exact"' in message
    assert {w.filename for w in caught} == {__file__}
    assert_same_answers(make(gm.Gaussian(1.0), rank=RANK).fit(X, y), model, Z, tol=1e-12)
    exact = make(gm.Gaussian(1.0), rank="exact").fit(X, y)
    assert len(exact.sample_) == N
    assert exact.trace_error_ == 0.0


@every_learner
@pytest.mark.parametrize("kernel", [gm.Linear(), gm.RandomFourier(gm.Gaussian(1.0), 20)], ids=["linear", "waves"])
@few_objects
def test_kernels_with_few_explicit_features_need_no_landmarks(kernel, which, monkeypatch):
    """Products through Φ cost n · features, and not n²: any n can be worked through exactly."""
    make, y = LOW[which]
    exact = make(kernel).fit(X, y)
    monkeypatch.setattr(lowrank_module, "AFFORDABLE", 1000.0)  # a warning would be an error
    found = make(kernel).fit(X, y)
    assert found.trace_error_ == 0.0
    assert_same_answers(exact, found, Z, tol=1e-10)


def test_dear_kernels_are_reduced_earlier(monkeypatch):
    monkeypatch.setattr(lowrank_module, "AFFORDABLE_EXPENSIVE", 10.0)
    monkeypatch.setattr(lowrank_module, "DEFAULT_RANK", RANK)
    assert gm.FullSpectrum().traits.expensive
    with pytest.warns(UserWarning, match=f"{RANK} landmarks"):
        gm.ParzenClassifier(gm.FullSpectrum()).fit(WORDS, LABELS)
    gm.ParzenClassifier(gm.Gaussian(1.0)).fit(X, LABELS)  # a warning would be an error


@every_learner
@pytest.mark.parametrize(
    ("rank", "error"),
    [(0, ValueError), (-1, ValueError), (2.5, TypeError), ("low", TypeError), (True, TypeError), ([3], TypeError)],
)
def test_a_rank_that_is_none_is_refused(rank, error, which):
    make, y = LOW[which]
    with pytest.raises(error, match="rank is .* expected"):
        make(gm.Gaussian(1.0), rank=rank).fit(X, y)
    if which != "pca":
        with pytest.raises(error, match="rank is .* expected"):
            make(gm.Gaussian(1.0), rank=rank).partial_fit(X, y)


@few_objects
@every_learner
def test_an_integer_of_numpy_is_a_rank(which):
    make, y = LOW[which]
    for rank in (np.int64(7), np.int32(7)):
        assert len(make(gm.Gaussian(1.0), rank=rank).fit(X, y).sample_) == 7
        if which != "pca":
            assert len(make(gm.Gaussian(1.0), rank=rank).partial_fit(X, y).sample_) == 7


def test_what_low_rank_cannot_give_is_said_to_be_missing():
    ridge = gm.KernelRidge(gm.Gaussian(1.0), 0.3, rank=5).fit(X, Y)
    with pytest.raises(AttributeError, match="in low rank the objects are not kept"):
        _ = ridge.loo_residuals_
    pca = gm.KernelPCA(2, gm.Gaussian(1.0), rank=5).fit(X)
    with pytest.raises(AttributeError, match="in low rank the objects are not kept"):
        _ = pca.residuals_
    with pytest.raises(TypeError, match="in low rank"):
        pca.inverse_transform(pca.transform(X))
    assert not hasattr(ridge, "loo_residuals_")


@every_learner
def test_before_fit_there_is_no_error_to_tell(which):
    model = LOW[which][0](gm.Gaussian(1.0), rank=5)
    with pytest.raises(NotFittedError):
        _ = model.trace_error_


@few_objects
@every_learner
def test_a_learner_in_low_rank_is_cloned_and_pickled(which):
    make, y = LOW[which]
    model = make(KERNEL, rank=RANK).fit(X, y)
    assert_same_answers(model, pickle.loads(pickle.dumps(model)), Z)
    copy = clone(model)
    assert copy.rank == RANK
    assert_same_answers(model, copy.fit(X, y), Z)


def test_the_rank_can_be_searched_for():
    search = GridSearchCV(gm.KernelRidge(gm.Gaussian(1.0), 0.1), {"rank": [1, 5, None]}, cv=3).fit(X, Y[:, 0])
    scores = search.cv_results_["mean_test_score"]
    assert scores[0] < scores[1] < scores[2]
    assert search.best_params_ == {"rank": None}
    scores = cross_val_score(gm.FisherDiscriminant(gm.Gaussian(1.0), 0.1, rank=10), X, LABELS, cv=4)
    assert np.mean(scores) > 0.7
    array = GridSearchCV(gm.KernelRidge(gm.Gaussian(1.0), 0.1), {"rank": np.array([1, 5])}, cv=3).fit(X, Y[:, 0])
    assert len(array.best_estimator_.sample_) == 5


def test_landmarks_are_chosen_in_a_large_array_as_in_its_features_and_all_objects_are_summed(monkeypatch):
    monkeypatch.setattr(lowrank_module, "OBJECTS_AT_A_TIME", 17)
    low = gm.KernelRidge(gm.Gaussian(1.0), 0.3, rank=RANK).fit(X, Y, W)
    monkeypatch.undo()
    assert_same_answers(low, gm.KernelRidge(gm.Gaussian(1.0), 0.3, rank=RANK).fit(X, Y, W), Z, tol=1e-9)


def test_leave_one_out_errors_are_those_of_objects_drawn_at_random_where_there_are_many(monkeypatch):
    monkeypatch.setattr(gm.KernelRidge, "probe", 30)
    monkeypatch.setattr(lowrank_module, "OBJECTS_AT_A_TIME", 13)
    phi = features()
    low = gm.KernelRidge(KERNEL, 0.3, rank=RANK).fit(X, Y, W)
    place = {tuple(x): i for i, x in enumerate(X)}
    drawn = [place[tuple(x)] for x in low._summed.probed.points.parts[0]]
    assert len(set(drawn)) == 30
    assert max(drawn) > N / 2 > min(drawn)
    oracle = gm.KernelRidge(gm.Linear(), 0.3).fit(phi(X), Y, W)
    expected = np.average(np.square(oracle.loo_residuals_[drawn]).mean(axis=1), weights=W[drawn])
    assert low.loo_error_ == pytest.approx(expected, rel=1e-8)
    assert gm.KernelRidge(KERNEL, 0.3, rank=RANK).fit(X, Y, W).loo_error_ == low.loo_error_


# Kernels that have explicit features of their own, too many to be held for all objects at once

EXPLICIT = {
    "linear": (gm.Linear() + 1, X),
    "quadratic": (gm.Polynomial(2, 1.0), X),
    "waves": (gm.RandomFourier(gm.Gaussian(1.0), 20), X),
    "counts": (gm.Spectrum(2), WORDS),
    "sparse rows": (gm.Linear() + 1, scipy.sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))),
    "words": (gm.BagOfWords(), [" ".join(word) * 2 for word in WORDS]),
    "single precision": (gm.Polynomial(2, 1.0), X.astype(np.float32)),
}
every_explicit = pytest.mark.parametrize("name", EXPLICIT)


def least_error(model):
    """The least error on the path of ridges, by the criterion that the ridge was chosen by, and where it is."""
    errors = model.path_.gcv if model.ridge == "gcv" else model.path_.loo
    assert model.path_.ridges[np.argmin(errors)] == model.ridge_
    return errors.min()


@pytest.mark.parametrize(
    ("smoother", "name"),
    # Projections on words of single documents leave these no room, and their errors are infinite.
    [pair for pair in product(["shrinkage", "projection"], EXPLICIT) if pair != ("projection", "words")],
)
@pytest.mark.parametrize("ridge", [0.3, "loo", "gcv", [0.1, 3.0]], ids=str)
def test_ridge_regression_from_moments_is_that_from_all_features_at_once(ridge, smoother, name, monkeypatch):
    kernel, objects = EXPLICIT[name]
    tol = 1e-3 if name == "single precision" else 1e-8
    model = gm.KernelRidge(kernel, ridge, fit_intercept=True, smoother=smoother)
    at_once = clone(model).fit(objects, Y, W)
    monkeypatch.setattr(solve_module, "ROOM", 64)
    if ridge != 0.3:  # the errors of neighbouring ridges can agree to the last digit: then either is the right choice
        least, expected = (least_error(fit) for fit in (clone(model).fit(objects, Y, W), at_once))
        assert least == pytest.approx(expected, rel=10 * tol)
    summed = clone(model).set_params(ridge=at_once.ridge_).fit(objects, Y, W)
    assert "summed up in one pass" in summed.solver_
    assert "landmarks" not in summed.solver_
    assert summed.trace_error_ == 0.0
    assert summed.ridge_ == at_once.ridge_
    close(summed.predict(objects[:7]), at_once.predict(objects[:7]), tol)
    if not (smoother == "projection" and name == "single precision"):
        close(summed.loo_residuals_, at_once.loo_residuals_, 10 * tol)
        assert summed.loo_error_ == pytest.approx(at_once.loo_error_, rel=10 * tol)
        assert summed.effective_dof_ == pytest.approx(at_once.effective_dof_, rel=tol)
    assert len(summed.sample_) == N


@every_explicit
def test_coefficients_of_objects_from_moments_give_the_same_function(name, monkeypatch):
    kernel, objects = EXPLICIT[name]
    monkeypatch.setattr(solve_module, "ROOM", 64)
    for smoother in ("shrinkage", "projection"):
        model = gm.KernelRidge(kernel, 0.3, smoother=smoother).fit(objects, Y)
        values = np.asarray(model.kernel_(objects), dtype=float) @ model.dual_coef_
        close(values, model.predict(objects), 1e-2 if name == "single precision" else 1e-7)


@every_explicit
@pytest.mark.parametrize("ridge", [0.1, "loo"])
def test_fishers_discriminant_from_moments_is_that_from_all_features_at_once(ridge, name, monkeypatch):
    kernel, objects = EXPLICIT[name]
    tol = 1e-3 if name == "single precision" else 1e-7
    at_once = gm.FisherDiscriminant(kernel, ridge).fit(objects, THREE)
    monkeypatch.setattr(solve_module, "ROOM", 64)
    summed = gm.FisherDiscriminant(kernel, at_once.ridge_).fit(objects, THREE)
    assert "summed up in one pass" in summed.solver_
    close(summed.decision_function(objects[:7]), at_once.decision_function(objects[:7]), tol)
    close(summed.quotients_, at_once.quotients_, tol)
    close(summed.projected_variances_, at_once.projected_variances_, tol)
    close(summed.loo_decision_, at_once.loo_decision_, 10 * tol)
    values, expected = (m.kernel_(objects).astype(float) @ m.dual_coef_ for m in (summed, at_once))
    close(values, expected, tol)
    chosen = gm.FisherDiscriminant(kernel, ridge).fit(objects, THREE)
    assert chosen.loo_error_ == pytest.approx(at_once.loo_error_, abs=2 / N)


def test_a_warning_names_the_line_of_the_user():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gm.KernelPCA(9, KERNEL, rank=5).fit(X)
    (warning,) = caught
    assert warning.filename == __file__


# Found by others


@pytest.mark.filterwarnings("ignore:KernelRidge. the weights of the features, and so predictions, are accurate")
@pytest.mark.parametrize("far", [30.0, 100.0])
def test_one_object_far_away_does_not_hide_the_others_from_the_landmarks(far):
    A = np.random.default_rng(0).normal(size=(500, 3))
    t = A[:, 0] + A[:, 1]
    A[-1], t[-1] = far, 0.0
    kernel = gm.Polynomial(degree=3, offset=1.0)
    low = gm.KernelRidge(kernel, ridge=1e-3, rank=30).fit(A, t)
    assert len(low.sample_) == 20  # all that a polynomial of degree 3 has
    exact = gm.KernelRidge(kernel, ridge=1e-3).fit(A, t)
    np.testing.assert_allclose(low.predict(A[:-1]), exact.predict(A[:-1]), atol=1e-4)


def test_features_of_very_different_sizes_are_no_reason_to_doubt_predictions():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(300, 3)) * [1e3, 1.0, 1e-2] + [2000.0, 5.0, 1.0]
    t = A[:, 1] + 0.1 * rng.normal(size=300)
    kernel = gm.Polynomial(degree=2, offset=1.0)
    with pytest.warns(ConvergenceWarning, match="predictions, are accurate .* but dual_coef_ is not"):
        model = gm.KernelRidge(kernel, ridge=1e-3).fit(A, t)
    assert "primal" in model.solver_
    assert np.sqrt(np.mean((model.predict(A) - t) ** 2)) < 0.11


def test_landmarks_given_as_a_list_make_a_value_like_any_other():
    for landmarks, kernel in (([[0.0, 0.0], [1.0, 0.0]], gm.Gaussian(1.0)), (["ab", "ba"], gm.Spectrum(1))):
        one, two = gm.Nystrom(kernel, landmarks=landmarks), gm.Nystrom(kernel, landmarks=list(landmarks))
        assert one == two
        assert hash(one) == hash(two)
