"""Problems at the edge of what can be computed: the answer is right, or there is a word about it. Never neither.

What is right is judged by systems and eigenvalues in NumPy, in double precision, from kernel values made here.
"""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import gramian as gm
from gramian.factor import eigen as eigen_module
from gramian.factor import solve as solve_module
from gramian.gram import gram as gram_module
from gramian.learn import fisher as fisher_module
from gramian.learn import pca as pca_module
from gramian.learn import ridge as ridge_module

N = 120
RNG = np.random.default_rng(0)
PLAIN = RNG.normal(size=(N, 3))
NEARLY = np.column_stack([PLAIN[:, 0], PLAIN[:, 0] + 1e-7 * PLAIN[:, 1], PLAIN[:, 2]])
Y = np.sin(PLAIN).sum(axis=1) + 0.1 * RNG.normal(size=N)
LABELS = (PLAIN[:, 0] + 0.5 * RNG.normal(size=N) > 0).astype(int)

# Data, bandwidth of a Gaussian, ridge
PROBLEMS = {
    "tiny ridge": (PLAIN, 1.0, 1e-9),
    "tiniest ridge": (PLAIN, 1.0, 1e-15),
    "duplicates": (np.repeat(PLAIN[: N // 4], 4, axis=0), 1.0, 1e-8),
    "all but one the same": (np.vstack([PLAIN[:1], np.repeat(PLAIN[1:2], N - 1, axis=0)]), 1.0, 1e-6),
    "huge bandwidth": (PLAIN, 1e4, 1e-6),
    "huge bandwidth, tiny ridge": (PLAIN, 1e4, 1e-13),
    "tiny bandwidth": (PLAIN, 1e-3, 1e-6),
    "nearly collinear": (NEARLY, 1.0, 1e-7),
    "constant feature": (np.column_stack([PLAIN, np.full(N, 7.0)]), 1.0, 1e-7),
    "features of very different size": (PLAIN * [1e-6, 1.0, 1e6], 1.0, 1e-7),
    "far from the origin": (PLAIN + 1e5, 1.0, 1e-3),
    "farther from the origin": (PLAIN + 1e7, 1.0, 1e-3),
    "huge": (1e30 * PLAIN, 1e30, 1e-3),
    "minute": (1e-30 * PLAIN, 1e-30, 1e-3),
}
every_problem = pytest.mark.parametrize("name", PROBLEMS)


def gaussian(A, B, bandwidth):
    """κ from differences, pair by pair, scaled before they are squared."""
    gaps = (A[:, None, :] - B[None, :, :]) / bandwidth
    return np.exp(-0.5 * np.square(gaps).sum(axis=2))


def dense(monkeypatch):
    """Nothing: so few objects are factored."""


def matrix_free(monkeypatch):
    """Conjugate gradients and Krylov iterations, with values that are computed for every product."""
    monkeypatch.setattr("gramian.places.cores.entries.HOLD", 0)
    for module in (solve_module, eigen_module, pca_module, fisher_module, ridge_module):
        monkeypatch.setattr(module, "DENSE", 20)


def held(monkeypatch):
    """The same with K kept in memory."""
    matrix_free(monkeypatch)
    monkeypatch.setattr("gramian.places.cores.entries.HOLD", 2**30)


every_route = pytest.mark.parametrize("route", [dense, held, matrix_free], ids=lambda route: route.__name__)


def attempted(work):
    """Return an answer, and what was said of it; a refusal has to give a reason."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = work()
        except ValueError as error:
            if "ridge" in str(error) or "precision" in str(error):
                return None, [str(error)]
            raise
    for warning in caught:
        if issubclass(warning.category, ConvergenceWarning):
            assert "relative residual of" in str(warning.message)
    return found, [str(w.message) for w in caught]


@every_problem
@every_route
@pytest.mark.parametrize("intercept", [False, True])
def test_a_ridge_system_is_solved_or_doubted(intercept, route, name, monkeypatch):
    X, bandwidth, ridge = PROBLEMS[name]
    route(monkeypatch)
    model, said = attempted(lambda: gm.KernelRidge(gm.Gaussian(bandwidth), ridge, intercept, rank="exact").fit(X, Y))
    if model is None:
        return
    K = gaussian(X, X, bandwidth)
    left = K @ model.dual_coef_ + ridge * model.dual_coef_ + model.intercept_ - Y
    residual = np.linalg.norm(left) / np.linalg.norm(Y)
    # Values of κ are good to 1e-9 each, so that no residual can be known better than that times ‖a‖
    unknown = 1e-9 * np.sqrt(N) * np.linalg.norm(model.dual_coef_) / np.linalg.norm(Y)
    if said:
        assert any("relative residual" in message for message in said)
    else:
        assert residual <= 2e-5 + unknown
    if intercept:
        assert abs(model.dual_coef_.sum()) <= 1e-6 * np.abs(model.dual_coef_).sum()
    else:
        assert model.residual_ == pytest.approx(residual, rel=0.1, abs=1e-9 + unknown)
    assert np.isfinite(model.predict(X)).all()


@every_problem
@pytest.mark.parametrize("rank", [10, N])
def test_a_ridge_system_in_low_rank_is_solved_or_doubted(rank, name):
    X, bandwidth, ridge = PROBLEMS[name]
    model, said = attempted(lambda: gm.KernelRidge(gm.Gaussian(bandwidth), ridge, rank=rank).fit(X, Y))
    if model is None:
        return
    F = gm.Nystrom(gm.Gaussian(bandwidth), rank).fit(X).features(X)
    # The best that any weights can do, by an orthogonal factorization
    A = np.vstack([F, np.sqrt(ridge) * np.eye(F.shape[1])])
    target = np.r_[Y, np.zeros(F.shape[1])]
    beta = np.linalg.lstsq(A, target, rcond=None)[0]
    best = np.square(A @ beta - target).sum()
    predicted = model.predict(X)
    loss = np.square(predicted - Y).sum() + ridge * float(np.square(model.function_.norm()))
    assert said or loss <= best * (1 + 1e-4) + 1e-8 * np.square(Y).sum()
    assert np.isfinite(predicted).all()


@every_problem
@every_route
def test_fishers_direction_is_stationary_or_doubted(route, name, monkeypatch):
    X, bandwidth, ridge = PROBLEMS[name]
    labels = LABELS if name != "all but one the same" else np.arange(N) % 2
    route(monkeypatch)
    model, said = attempted(lambda: gm.FisherDiscriminant(gm.Gaussian(bandwidth), ridge, rank="exact").fit(X, labels))
    if model is None or said:
        return
    K = gaussian(X, X, bandwidth)
    T = np.where(labels == 1, 1 / (labels == 1).sum(), -1 / (labels == 0).sum())
    values = K @ model.dual_coef_
    within = np.zeros(N)
    for c in (0, 1):
        members = labels == c
        within[members] = (values[members] - values[members].mean()) / members.sum()
    # λ α + S² K α = T: the maximiser, from its definition in the dual
    rest = np.linalg.norm(ridge * model.dual_coef_ + within - T) / np.linalg.norm(T)
    unknown = 1e-9 * np.sqrt(N) * np.linalg.norm(model.dual_coef_) / np.linalg.norm(T)
    assert rest <= 2e-5 + unknown


@every_problem
@every_route
def test_principal_components_are_those_of_numpy_or_doubted(route, name, monkeypatch):
    X, bandwidth, _ = PROBLEMS[name]
    route(monkeypatch)
    model, said = attempted(lambda: gm.KernelPCA(3, gm.Gaussian(bandwidth), rank="exact").fit(X))
    if model is None or any("residual" in message for message in said):
        return
    K = gaussian(X, X, bandwidth)
    centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    values = np.linalg.eigvalsh((centred + centred.T) / 2)[::-1]
    found = model.eigenvalues_
    # Values of κ are good to 1e-9 each in exact ways, and to a few roundings in single precision in iterations
    rounding = 8 * np.finfo(np.float32).eps
    np.testing.assert_allclose(found, values[: len(found)], rtol=0, atol=rounding * values[0] + 1e-9 * N)


@every_problem
def test_principal_components_in_low_rank_are_those_of_the_features(name):
    X, bandwidth, _ = PROBLEMS[name]
    model, _ = attempted(lambda: gm.KernelPCA(3, gm.Gaussian(bandwidth), rank=40).fit(X))
    if model is None:
        return
    F = gm.Nystrom(gm.Gaussian(bandwidth), 40).fit(X).features(X)
    values = np.square(np.linalg.svd(F - F.mean(axis=0), compute_uv=False))
    np.testing.assert_allclose(model.eigenvalues_, values[: len(model.eigenvalues_)], rtol=0, atol=1e-8 * N)


def test_components_of_few_distinct_objects_hold_no_more_than_all_of_the_variance():
    """n objects of which 20 are distinct span 19 dimensions: a Krylov space is full after a block or two."""
    rng = np.random.default_rng(0)
    distinct, index = rng.normal(size=(20, 3)), rng.integers(20, size=3100)
    model = gm.KernelPCA(3, gm.Gaussian(1.0)).fit(distinct[index])
    counts = np.bincount(index, minlength=20)
    P = np.eye(20) - np.outer(np.ones(20), counts) / 3100
    small = np.sqrt(np.outer(counts, counts)) * (P @ gaussian(distinct, distinct, 1.0) @ P.T)
    np.testing.assert_allclose(model.eigenvalues_, np.linalg.eigvalsh(small)[::-1][:3], rtol=1e-5)
    assert model.explained_variance_ratio_.sum() <= 1


@every_route
@pytest.mark.parametrize("scale", [1e3, 1e8])
def test_values_beyond_single_precision_are_worked_through_in_double(scale, route, monkeypatch):
    """κ is finite in double precision, where the data is, and need not be in single."""
    X = scale * PLAIN
    kernel = gm.Polynomial(7, 1.0) + gm.Gaussian(1.0)
    K = (X @ X.T + 1) ** 7 + gaussian(X, X, 1.0)
    ridge = 1e-3 * float(np.abs(K).max())
    route(monkeypatch)
    model = gm.KernelRidge(kernel, ridge, rank="exact").fit(X, Y)  # a warning would be an error
    residual = np.linalg.norm(K @ model.dual_coef_ + ridge * model.dual_coef_ - Y) / np.linalg.norm(Y)
    assert residual <= 2e-5
    pca = gm.KernelPCA(2, kernel, rank="exact").fit(X)
    centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    np.testing.assert_allclose(pca.eigenvalues_, np.linalg.eigvalsh(centred)[::-1][:2], rtol=1e-5)


def test_a_tolerance_that_was_asked_for_is_not_doubted(monkeypatch):
    """The residual is what the user wanted: there is nothing wrong with the ridge."""
    matrix_free(monkeypatch)
    model = gm.KernelRidge(gm.Gaussian(1.0), 1e-3, tol=1e-3, rank="exact").fit(PLAIN, Y)  # a warning would be an error
    assert 1e-8 < model.residual_ <= 1e-3


@pytest.mark.parametrize("tol", [1e-4, 1e-7, 1e-11])
def test_the_tolerance_asked_for_is_reached(tol, monkeypatch):
    matrix_free(monkeypatch)
    K = gaussian(PLAIN, PLAIN, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        a = gm.KernelRidge(gm.Gaussian(1.0), 0.1, tol=tol, rank="exact").fit(PLAIN, Y).dual_coef_
    assert np.linalg.norm(K @ a + 0.1 * a - Y) / np.linalg.norm(Y) <= tol


@pytest.mark.parametrize("tol", [0, -1e-3, np.nan, "fine", True])
def test_a_tolerance_that_is_none_is_refused(tol):
    for learner in (gm.KernelRidge, gm.FisherDiscriminant):
        model = learner(gm.Gaussian(1.0), 0.1, tol=tol)
        with pytest.raises((ValueError, TypeError), match="tol is .* expected"):
            model.fit(PLAIN, LABELS)


# Steps by values in single precision


def test_steps_go_by_single_precision_and_the_answer_is_good_to_double(monkeypatch):
    matrix_free(monkeypatch)
    seen = []
    apply = gram_module.Gram.apply
    monkeypatch.setattr(gram_module.Gram, "apply", lambda self, V: seen.append(self.dtype.itemsize) or apply(self, V))
    found = gm.solve(gm.Gaussian(1.0).gram(PLAIN), Y, ridge=0.1, tol=1e-12)
    assert found.converged
    left = gaussian(PLAIN, PLAIN, 1.0) @ found.value + 0.1 * found.value - Y
    assert np.linalg.norm(left) <= 1e-11 * np.linalg.norm(Y)
    assert seen.count(4) > seen.count(8) > 1


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e6, 1e8])
def test_single_precision_that_leads_nowhere_is_given_up(offset, monkeypatch):
    matrix_free(monkeypatch)
    X = PLAIN + offset
    found = gm.solve(gm.Gaussian(1.0).gram(X), Y, ridge=0.5)
    residual = np.linalg.norm(gaussian(X, X, 1.0) @ found.value + 0.5 * found.value - Y) / np.linalg.norm(Y)
    assert found.residual == pytest.approx(residual, rel=0.1, abs=1e-8)
    assert found.converged == (found.residual <= 1e-6)
    assert found.converged


def test_a_gram_in_single_precision_is_another_one_only_where_that_changes_something():
    gram = gm.Gaussian(1.0).gram(PLAIN)
    assert gram.rounded().dtype == np.float32
    np.testing.assert_allclose(
        gram.rounded().dense(), gram.dense(), rtol=0, atol=gram.kernel.accuracy(np.float32(0).dtype)
    )
    already = gm.Gaussian(1.0).gram(PLAIN.astype(np.float32))
    assert already.rounded() is already
    words = gm.Subsequences(2, 0.5).gram(["ab", "abc", "b"])
    assert words.rounded() is words  # values of strings are not made of floating point numbers
    assert gram.ridge(2.0).rounded().diagonal == 2.0
    assert gram.dtype == np.float64


def test_what_can_be_held_is_what_fits(monkeypatch):
    gram = gm.Gaussian(1.0).gram(PLAIN)
    assert gram.can_hold()
    room = next(2**k for k in range(40) if _can_hold(gram, 2**k, monkeypatch))
    assert room >= 8 * N * N // 2
    monkeypatch.setattr("gramian.places.cores.entries.HOLD", room // 2)
    assert not gram.can_hold()
    assert gram.can_hold(np.float32)


def _can_hold(gram, room, monkeypatch):
    monkeypatch.setattr("gramian.places.cores.entries.HOLD", room)
    return gram.can_hold()


def test_a_ridge_chosen_near_the_rounding_errors_solves_its_system_all_the_same():
    for seed in range(100):  # any warning of an unsolved system is an error here
        rng = np.random.default_rng([seed, 30])
        X = rng.uniform(-3, 3, (30, 1))
        y = np.sin(X[:, 0]) + (0.05 + 0.3 * np.abs(X[:, 0])) * rng.standard_normal(30)
        assert gm.KernelRidge(fit_intercept=True).fit(X, y).residual_ < 1e-6
