"""KernelSearch against brute force: every kernel, every ridge, every object left out in turn."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import GroupKFold, ParameterGrid

import gramian as gm
from gramian.factor import solve as solve_module
from gramian.kernels.columns import Columns
from gramian.learn import confirming
from gramian.learn.folds import Question

KERNELS = [gm.Linear(), gm.Gaussian(0.4), gm.Gaussian(2.0), gm.Polynomial(2, 1.0)]
RIDGES = [0.01, 0.1, 1.0, 10.0]


@pytest.fixture(scope="module")
def regression():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(22, 2))
    return X, np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=22)


@pytest.fixture(scope="module")
def classification():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(26, 2))
    return X, (np.square(X).sum(axis=1) + 0.3 * rng.normal(size=26) > 1.5).astype(int)


def ridge_error(kernel, X, y, lam):
    errors = []
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        alpha = np.linalg.solve(kernel(X[rest]) + lam * np.eye(rest.sum()), y[rest])
        errors.append((y[i] - kernel(X[i : i + 1], X[rest])[0] @ alpha) ** 2)
    return float(np.mean(errors))


def fisher_error(kernel, X, y, lam):
    """(BK + λI) α = t with B the centring within classes, t the difference of means: Fisher's direction in the dual."""
    mistakes = 0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        K, labels = kernel(X[rest]), y[rest]
        BK = np.empty_like(K)
        t = np.empty(len(labels))
        for c in (0, 1):
            members = labels == c
            BK[members] = (K[members] - K[members].mean(axis=0)) / members.sum()
            t[members] = (2 * c - 1) / members.sum()
        alpha = np.linalg.solve(BK + lam * np.eye(len(labels)), t)
        values = K @ alpha
        offset = (values[labels == 0].mean() + values[labels == 1].mean()) / 2
        mistakes += (kernel(X[i : i + 1], X[rest])[0] @ alpha > offset) != (y[i] == 1)
    return mistakes / len(y)


def test_the_search_finds_the_kernel_and_the_ridge_that_brute_force_finds(regression):
    X, y = regression
    table = np.array([[ridge_error(kernel, X, y, lam) for lam in RIDGES] for kernel in KERNELS])
    search = gm.KernelSearch(gm.KernelRidge(ridge=RIDGES), KERNELS).fit(X, y)
    k, r = np.unravel_index(table.argmin(), table.shape)
    assert search.best_index_ == k
    assert search.best_estimator_.kernel_ == KERNELS[k]
    assert search.best_estimator_.ridge_ == RIDGES[r]
    assert search.best_score_ == pytest.approx(-table.min(), rel=1e-7)
    np.testing.assert_allclose([found.score for found in search.results_], -table.min(axis=1), rtol=1e-7)
    assert [found.ridge for found in search.results_] == [RIDGES[i] for i in table.argmin(axis=1)]


def test_the_search_counts_the_mistakes_that_brute_force_counts(classification):
    X, y = classification
    table = np.array([[fisher_error(kernel, X, y, lam) for lam in RIDGES] for kernel in KERNELS])
    assert len(set(table.min(axis=1))) > 1, "some kernels are better than others"
    search = gm.KernelSearch(gm.FisherDiscriminant(ridge=RIDGES), KERNELS).fit(X, y)
    np.testing.assert_allclose([found.score for found in search.results_], -table.min(axis=1), atol=1e-12)
    assert search.best_index_ == table.min(axis=1).argmin()


def test_results_stand_in_the_order_given_with_what_was_tried(regression):
    X, y = regression
    search = gm.KernelSearch(gm.KernelRidge(ridge=0.1), [*KERNELS, gm.Gaussian("median")]).fit(X, y)
    assert [found.params for found in search.results_[:-1]] == [{"kernel": kernel} for kernel in KERNELS]
    assert [found.kernel for found in search.results_[:-1]] == KERNELS
    assert search.results_[-1].kernel == gm.Gaussian("median").fit(X)
    assert {found.ridge for found in search.results_} == {0.1}
    expected = [-ridge_error(found.kernel, X, y, 0.1) for found in search.results_]
    np.testing.assert_allclose([found.score for found in search.results_], expected, rtol=1e-7)
    assert search.best_params_ == search.results_[int(np.argmax(expected))].params


def test_a_dict_is_a_grid_of_parameters(regression):
    X, y = regression
    grid = {"kernel__bandwidth": [0.3, 1.0, 3.0], "fit_intercept": [False, True]}
    search = gm.KernelSearch(gm.KernelRidge(gm.Gaussian(1.0), ridge=0.1), grid).fit(X, y)
    assert [found.params for found in search.results_] == list(ParameterGrid(grid))
    for found in search.results_:
        assert found.kernel == gm.Gaussian(found.params["kernel__bandwidth"])
        if not found.params["fit_intercept"]:
            assert found.score == pytest.approx(-ridge_error(found.kernel, X, y, 0.1), rel=1e-7)
    assert search.best_estimator_.kernel_.bandwidth == search.best_params_["kernel__bandwidth"]
    assert search.best_estimator_.fit_intercept == search.best_params_["fit_intercept"]


def aligned(K, T):
    H = np.eye(len(K)) - 1 / len(K)
    K, T = H @ K @ H, H @ T @ H
    return (K * T).sum() / np.linalg.norm(K) / np.linalg.norm(T)


def test_alignment_takes_the_kernel_most_like_the_target(regression, classification):
    X, y = regression
    search = gm.KernelSearch(gm.KernelRidge(ridge=0.1), KERNELS, criterion="alignment").fit(X, y)
    expected = [aligned(kernel(X), np.outer(y, y)) for kernel in KERNELS]
    np.testing.assert_allclose([found.score for found in search.results_], expected, rtol=1e-8)
    assert search.best_index_ == int(np.argmax(expected))
    np.testing.assert_array_equal(
        search.predict(X), gm.KernelRidge(KERNELS[search.best_index_], ridge=0.1).fit(X, y).predict(X)
    )
    X, y = classification
    search = gm.KernelSearch(gm.FisherDiscriminant(ridge=0.1), KERNELS, criterion="alignment").fit(X, y)
    sign = 2.0 * y - 1  # of two classes the signs and the indicators are the same, centred
    expected = [aligned(kernel(X), np.outer(sign, sign)) for kernel in KERNELS]
    np.testing.assert_allclose([found.score for found in search.results_], expected, rtol=1e-8)


def test_whole_numbers_are_numbers_to_a_regressor_and_classes_to_a_classifier(classification):
    X, _ = classification
    y = np.arange(26) % 4
    grams = [gm.Linear(), gm.Gaussian(1.0)]
    regressor = gm.KernelSearch(gm.KernelRidge(ridge=0.1), grams, criterion="alignment").fit(X, y)
    expected = [aligned(kernel(X), np.outer(y, y)) for kernel in grams]
    np.testing.assert_allclose([found.score for found in regressor.results_], expected, rtol=1e-8)
    indicator = np.equal.outer(y, np.arange(4)).astype(float)
    classifier = gm.KernelSearch(gm.FisherDiscriminant(ridge=0.1), grams, criterion="alignment").fit(X, y)
    expected = [aligned(kernel(X), indicator @ indicator.T) for kernel in grams]
    np.testing.assert_allclose([found.score for found in classifier.results_], expected, rtol=1e-8)


def test_the_search_answers_as_its_winner(regression, classification):
    X, y = regression
    search = gm.KernelSearch(gm.KernelRidge(ridge=RIDGES), KERNELS).fit(X, y)
    np.testing.assert_array_equal(search.predict(X + 0.1), search.best_estimator_.predict(X + 0.1))
    assert search.score(X, y) == search.best_estimator_.score(X, y)
    assert not hasattr(search, "decision_function")
    X, y = classification
    search = gm.KernelSearch(gm.FisherDiscriminant(ridge=RIDGES), KERNELS).fit(X, y)
    np.testing.assert_array_equal(search.predict(X + 0.1), search.best_estimator_.predict(X + 0.1))
    np.testing.assert_array_equal(search.decision_function(X), search.best_estimator_.decision_function(X))
    np.testing.assert_array_equal(search.classes_, [0, 1])


def test_the_winner_is_fitted_to_all_the_data_and_the_estimator_given_is_left_alone(regression):
    X, y = regression
    given = gm.KernelRidge(gm.Linear(), ridge=RIDGES)
    search = gm.KernelSearch(given, KERNELS).fit(X, y)
    alone = gm.KernelRidge(search.best_estimator_.kernel_, ridge=search.best_estimator_.ridge_).fit(X, y)
    np.testing.assert_allclose(search.predict(X), alone.predict(X), rtol=1e-8)
    assert given.kernel == gm.Linear()
    assert not hasattr(given, "kernel_")


def test_weights_are_passed_on(regression):
    X, y = regression
    w = np.where(np.arange(22) < 11, 1.0, 0.0)
    weighted = gm.KernelSearch(gm.KernelRidge(ridge=0.1), KERNELS).fit(X, y, sample_weight=w)
    expected = [-ridge_error(kernel, X[:11], y[:11], 0.1) for kernel in KERNELS]
    np.testing.assert_allclose([found.score for found in weighted.results_], expected, rtol=1e-7)


def test_a_kernel_for_the_nearest_centre_is_chosen_by_its_mistakes():
    X = np.random.default_rng(0).standard_normal((60, 2))
    y = (np.linalg.norm(X, axis=1) > 1.2).astype(int)
    search = gm.KernelSearch(gm.ParzenClassifier(), [gm.Linear(), gm.Gaussian(bandwidth=0.5)]).fit(X, y)
    assert search.best_estimator_.kernel_ == gm.Gaussian(bandwidth=0.5)
    assert search.best_score_ == -search.best_estimator_.loo_error_
    assert search.results_[0].ridge is None


def test_bad_searches_are_refused(regression):
    X, y = regression
    with pytest.raises(ValueError, match="'cv'"):
        gm.KernelSearch(gm.KernelRidge(), KERNELS, criterion="cv").fit(X, y)
    with pytest.raises(ValueError, match="non-empty list of kernels"):
        gm.KernelSearch(gm.KernelRidge(), []).fit(X, y)
    with pytest.raises(ValueError, match="non-empty list of kernels"):
        gm.KernelSearch(gm.KernelRidge(), gm.Linear()).fit(X, y)
    with pytest.raises(TypeError, match="Gram has one kernel"):
        gm.KernelSearch(gm.KernelRidge(), KERNELS).fit(gm.Linear().gram(X), y)
    with pytest.raises(TypeError, match="no leave-one-out error"):
        gm.KernelSearch(gm.KernelPCA(), KERNELS).fit(X, y)


@pytest.mark.parametrize("learner", [gm.KernelRidge, gm.FisherDiscriminant, gm.KernelPCA, gm.GramSchmidt], ids=str)
def test_a_search_can_do_what_its_learner_can_and_nothing_else(learner):
    search = gm.KernelSearch(learner(), KERNELS)
    for method in ("predict", "decision_function", "predict_proba", "predict_interval", "score"):
        assert hasattr(search, method) == hasattr(learner(), method)


@pytest.mark.parametrize("make", [gm.KernelRidge, gm.KernelClassifier, gm.FisherDiscriminant], ids=lambda m: m.__name__)
def test_folds_choose_the_kernel_and_the_ridge(make, regression, classification):
    X, y = regression if make is gm.KernelRidge else classification
    groups = np.arange(len(y)) // 3
    search = gm.KernelSearch(make(ridge=RIDGES), KERNELS, cv=GroupKFold(4)).fit(X, y, groups=groups)
    each = [gm.leave_fold_out(make(kernel, ridge=RIDGES), X, y, GroupKFold(4), groups) for kernel in KERNELS]
    assert [found.score for found in search.results_] == pytest.approx([-one.error for one in each])
    assert [found.ridge for found in search.results_] == [one.ridge for one in each]
    assert search.best_index_ == int(np.argmin([one.error for one in each]))
    best = each[search.best_index_]
    assert search.best_estimator_.ridge == search.best_estimator_.ridge_ == best.ridge
    plain = make(KERNELS[search.best_index_], ridge=best.ridge).fit(X, y)
    np.testing.assert_allclose(search.predict(X), plain.predict(X), rtol=1e-8)


def test_folds_take_weights(regression):
    X, y = regression
    w = np.where(np.arange(22) < 11, 1.0, 2.0)
    search = gm.KernelSearch(gm.KernelRidge(ridge=0.1), KERNELS, cv=2).fit(X, y, sample_weight=w)
    twice = np.r_[np.arange(11), np.arange(11, 22), np.arange(11, 22)]
    halves = [(twice >= 11, twice < 11), (twice < 11, twice >= 11)]
    again = gm.KernelSearch(gm.KernelRidge(ridge=0.1), KERNELS, cv=halves).fit(X[twice], y[twice])
    assert [one.score for one in search.results_] == pytest.approx([one.score for one in again.results_], rel=1e-7)


def test_folds_and_alignment_do_not_go_together(regression):
    with pytest.raises(ValueError, match="alignment learns nothing"):
        gm.KernelSearch(gm.KernelRidge(), KERNELS, criterion="alignment", cv=3).fit(*regression)


def test_groups_are_not_passed_over_in_silence(regression):
    with pytest.raises(ValueError, match="groups are for folds"):
        gm.KernelSearch(gm.KernelRidge(), KERNELS).fit(*regression, groups=np.arange(22))


@pytest.fixture
def many(monkeypatch):
    """Enough objects for a comparison in low rank, which begins at 150 of them here."""
    monkeypatch.setattr("gramian.learn.search.compares_exactly", lambda n: n <= 150)
    monkeypatch.setattr("gramian.learn.folds.compares_exactly", lambda n: n <= 150)
    monkeypatch.setattr("gramian.learn.search.COMPARED", 40)
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(400, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=400)


@pytest.mark.parametrize("make", [gm.KernelRidge, gm.KernelClassifier, gm.FisherDiscriminant], ids=lambda m: m.__name__)
@pytest.mark.parametrize("cv", [None, 4])
def test_of_many_objects_the_winner_in_low_rank_is_the_winner(make, cv, many, monkeypatch):
    X, y = many
    y = y if make is gm.KernelRidge else (y > 0).astype(int)
    kernels = [gm.Gaussian(0.05), gm.Gaussian(1.0), gm.Linear(), gm.Laplacian(2.0)]
    search = gm.KernelSearch(make(), kernels, cv=cv).fit(X, y)
    assert search.results_[2].left_out == 0, "few explicit features leave nothing out"
    assert search.results_[0].left_out > 0.5
    monkeypatch.undo()
    exact = gm.KernelSearch(make(), kernels, cv=cv).fit(X, y)
    assert {found.left_out for found in exact.results_} == {0}
    best = exact.results_[search.best_index_].score
    assert best >= exact.best_score_ - 2 * np.sqrt(max(-exact.best_score_, 1e-3) / 400), "but for chance"
    for found, true in zip(search.results_, exact.results_, strict=True):
        assert found.left_out > 0 or found.score == pytest.approx(true.score, rel=0.1, abs=0.01)
    assert np.mean(search.predict(X) == search.best_estimator_.predict(X)) == 1


def test_a_kernel_that_low_rank_puts_at_a_disadvantage_is_compared_exactly(many, monkeypatch):
    """A narrow kernel that is best, and is not seen to be so through few landmarks."""
    X, _ = many
    rng = np.random.default_rng(1)
    y = gm.Laplacian(1.0)(X) @ rng.normal(size=400)
    kernels = [gm.Gaussian(6.0), gm.Laplacian(1.0)]
    coarse = [Question.of(gm.KernelRidge(kernel), X, y, None).judged(40) for kernel in kernels]
    assert coarse[0].error < coarse[1].error, "low rank alone would choose the other one"
    search = gm.KernelSearch(gm.KernelRidge(), kernels).fit(X, y)
    monkeypatch.undo()
    exact = gm.KernelSearch(gm.KernelRidge(), kernels).fit(X, y)
    assert search.best_index_ == exact.best_index_ == 1
    assert [found.left_out for found in search.results_] == [0, 0]


def test_doubtful_candidates_are_confirmed_and_clear_ones_are_not(many):
    X, y = many
    search = gm.KernelSearch(gm.KernelRidge(), [gm.Gaussian(1.0), gm.Gaussian(1.1), gm.Gaussian(30.0)]).fit(X, y)
    close = [found.left_out for found in search.results_[:2]]
    assert close == [0, 0] or min(close) > 0, "both are confirmed, or neither"
    assert search.results_[2].score < search.best_score_


@pytest.mark.parametrize(
    ("make", "weighted"),
    [(gm.KernelRidge, False), (gm.KernelRidge, True), (gm.KernelClassifier, False), (gm.KernelClassifier, True),
     (gm.FisherDiscriminant, False)],
)  # fmt: skip
def test_close_candidates_are_compared_by_a_factor_that_the_fit_goes_on_with(make, weighted, many, monkeypatch):
    """Their errors are those that the learner itself gives, from a factor in double precision, or a decomposition."""
    for module in ("ridge", "fisher"):
        monkeypatch.setattr(f"gramian.learn.{module}.compares_exactly", lambda n: n <= 150)
    monkeypatch.setattr(confirming, "CONFIRMING", 0.0)
    monkeypatch.setattr(solve_module, "DENSE", 100)
    factored, plain = [], solve_module.Ridged._made
    monkeypatch.setattr(solve_module.Ridged, "_made", lambda self, lam: factored.append(lam) or plain(self, lam))
    monkeypatch.setattr(solve_module, "_factor_in_single", lambda *given: factored.append("once more"))
    X, y = many
    y = 1e3 * y if make is gm.KernelRidge else (y > 0).astype(int)
    given = {"sample_weight": np.random.default_rng(2).choice([0.0, 0.5, 3.0], 400)} if weighted else {}
    kernels = [gm.Gaussian(1.0), gm.Laplacian(3.0), gm.Gaussian(1.3), gm.Gaussian(30.0)]
    search = gm.KernelSearch(make(), kernels).fit(X, y, **given)
    compared = [found for found in search.results_ if found.left_out == 0]
    assert len(compared) > 1
    assert len(factored) == len(compared), "one factor for the error and for the system"
    best = search.best_estimator_
    assert not {"_compared", "_compared_error"} & set(vars(best)), "the winner is a plain fit"
    assert "Cholesky factorization" in best.solver_
    monkeypatch.undo()
    for found in compared:
        alone = make(found.kernel, ridge=found.ridge).fit(X, y, **given)
        assert -found.score == pytest.approx(alone.loo_error_, rel=0.01, abs=0.0 if make is gm.KernelRidge else 3 / 400)


@pytest.mark.parametrize("scale", [1e155, 1e200, 1e300, 1e-150, 1e-200, 1e-300])
@pytest.mark.parametrize("cv", [None, 3])
def test_targets_whose_squares_are_beyond_floating_point_are_refused(scale: float, cv: int | None) -> None:
    X = np.random.default_rng(0).normal(size=(20, 2))
    search = gm.KernelSearch(gm.KernelRidge(gm.Gaussian(1.0)), {"ridge": [0.1, 1.0]}, cv=cv)
    with pytest.raises(ValueError, match="divide y by a constant"):
        search.fit(X, X[:, 0] * scale)


@pytest.mark.parametrize("seed", range(8))
def test_the_winner_does_not_depend_on_the_unit_of_the_targets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, 2))
    y = np.sin(3 * X[:, 0]) + 0.2 * rng.normal(size=24)
    grid = {"kernel": [gm.Linear(), gm.Gaussian(0.3), gm.Gaussian(2.0)]}
    found = [
        gm.KernelSearch(gm.KernelRidge(), grid, cv=(None, 3)[seed % 2]).fit(X, y * 2.0**power)
        for power in (0, 450, -440, 300, -300)
    ]
    assert len({search.best_index_ for search in found}) == 1
    assert all(np.isfinite(search.best_score_) and search.best_score_ < 0 for search in found)


# Frames with dates


def dated(library, seed, *others):
    """Two years of days, whose season is the target, beside columns that have nothing to do with it."""
    rng, days = np.random.default_rng(seed), np.arange(0, 730, 6)
    when = [datetime(2020, 1, 1) + timedelta(days=int(day)) for day in days]
    columns = {"number": rng.standard_normal(len(days)), "kind": rng.choice(["x", "y"], len(days))}
    y = np.sin(2 * np.pi * days / 365.25) + 0.1 * rng.standard_normal(len(days))
    return library.DataFrame({"when": when, **{name: columns[name].tolist() for name in others}}), y


@pytest.mark.parametrize("others", [(), ("number",), ("kind",), ("number", "kind")])
@pytest.mark.parametrize("library", [pd, pl])
def test_a_search_finds_seasons_in_frames_of_any_library(library, others):
    for seed in range(3):
        X, y = dated(library, seed, *others)
        known = np.arange(len(y)) % 3 > 0
        train, test = (X[known], X[~known]) if library is pd else (X.filter(known), X.filter(~known))
        found = gm.KernelSearch(gm.KernelRidge()).fit(train, y[known])
        assert np.mean(np.square(found.predict(test) - y[~known])) < 0.3 * np.var(y)


def test_dates_of_a_column_are_days_since_1970_whatever_holds_them():
    days = [date(1970, 1, 2), date(2000, 3, 1), date(1969, 12, 31)]
    times = [datetime(1970, 1, 2), datetime(2000, 3, 1), datetime(1969, 12, 31)]
    aware = [one.replace(tzinfo=UTC) for one in times]
    expected = [[1.0], [11017.0], [-1.0]]
    columns = Columns(("d",), numeric=True)
    for X in (
        [{"d": one} for one in days],
        [{"d": one} for one in aware],
        pd.DataFrame({"d": times}),
        pl.DataFrame({"d": days}),
        pd.DataFrame({"d": pd.to_datetime(aware)}),
        np.array([(one,) for one in times], dtype=[("d", "M8[s]")]),
    ):
        assert columns(X).tolist() == expected
    with pytest.raises(ValueError, match="missing|finite"):
        columns(pd.DataFrame({"d": [times[0], pd.NaT]}))
    with pytest.raises(TypeError, match="needs numbers"):
        columns([{"d": days[0]}, {"d": 3.0}])
