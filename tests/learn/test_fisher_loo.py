"""Leaving one object out of Fisher's discriminant: the closed form against refitting in explicit coordinates."""

import warnings

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.factor import solve as solve_module
from gramian.factor import spectrum as spectrum_module
from gramian.learn import fisher as fisher_module
from gramian.learn.fisher_loo import LeaveOneOut

KERNELS = [gm.Linear(), gm.Polynomial(2, 1.0), gm.Gaussian(2.0)]
SIZES = [(9, 14), (2, 2), (2, 9), (6, 7, 8), (2, 3, 9), (2, 2, 2)]


def sample(sizes, d=3, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return rng.normal(size=(len(y), d)) + rng.normal(size=(len(sizes), d))[y] + shift, y


def coordinates(kernel, X):
    if kernel == gm.Gaussian(2.0):
        values, vectors = np.linalg.eigh(kernel(X))
        return vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(kernel.features(X))


def discriminants(Phi, y, point, lam, count):
    """g_c of one point: w_c = M⁻¹(φ_c − φ̄) and an offset half-way between φ_c and φ̄. One member has no variance."""
    classes = [Phi[y == c] for c in range(count)]
    means = np.array([members.mean(axis=0) for members in classes])
    M = lam * np.eye(Phi.shape[1])
    for members, mean in zip(classes, means, strict=True):
        M += (members - mean).T @ (members - mean) / len(members)
    centre = means.mean(axis=0)
    W = np.linalg.solve(M, (means - centre).T)
    return np.array([(point - (means[c] + centre) / 2) @ W[:, c] for c in range(count)])


def refitted(Phi, y, lam):
    """Discriminant functions of each object in a model without it, one model after another."""
    count = int(y.max()) + 1
    rest = ~np.eye(len(y), dtype=bool)
    return np.array([discriminants(Phi[rest[i]], y[rest[i]], Phi[i], lam, count) for i in range(len(y))])


def close(found, expected, tol):
    assert np.shape(found) == np.shape(expected)
    assert np.abs(np.asarray(found) - expected).max() <= tol * np.abs(expected).max()


@pytest.mark.parametrize("lam", [1e-5, 1e-2, 1.0, 100.0])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("sizes", [s for s in SIZES if len(s) == 2], ids=str)
def test_leave_one_out_decisions_of_two_classes_are_those_of_refitting(sizes, kernel, lam):
    X, y = sample(sizes)
    expected = refitted(coordinates(kernel, X), y, lam)
    close(gm.FisherDiscriminant(kernel, ridge=lam).fit(X, y).loo_decision_, expected[:, 1] - expected[:, 0], 1e-8)


@pytest.mark.parametrize("lam", [1e-5, 1e-2, 1.0, 100.0])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("sizes", [s for s in SIZES if len(s) == 3], ids=str)
def test_leave_one_out_decisions_of_three_classes_differ_as_those_of_refitting(sizes, kernel, lam):
    X, y = sample(sizes)
    expected = refitted(coordinates(kernel, X), y, lam)
    found = gm.FisherDiscriminant(kernel, ridge=lam).fit(X, y).loo_decision_
    close(found - found[:, :1], expected - expected[:, :1], 1e-8)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_leave_one_out_decisions_of_three_classes_are_the_decision_function_without_the_object(kernel):
    X, y = sample((6, 7, 8))
    found = gm.FisherDiscriminant(kernel, ridge=0.3).fit(X, y).loo_decision_
    model = gm.FisherDiscriminant(kernel, ridge=0.3)
    rest = ~np.eye(len(y), dtype=bool)
    expected = [model.fit(X[rest[i]], y[rest[i]]).decision_function(X[i : i + 1])[0] for i in range(len(y))]
    close(np.array(expected), refitted(coordinates(kernel, X), y, 0.3), 1e-8)
    close(found, np.array(expected), 1e-8)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    sizes=st.lists(st.integers(2, 6), min_size=2, max_size=4),
    d=st.integers(1, 5),
    lam=st.sampled_from([1e-3, 0.1, 1.0, 50.0]),
    shift=st.sampled_from([0.0, 100.0]),
)
def test_leave_one_out_equals_refitting_on_any_small_sample(seed, sizes, d, lam, shift):
    X, y = sample(sizes, d=d, seed=seed, shift=shift)
    expected = refitted(X, y, lam)
    found = gm.FisherDiscriminant(gm.Linear(), ridge=lam).fit(X, y).loo_decision_
    if len(sizes) == 2:
        found = np.column_stack([np.zeros(len(y)), found])
    # K of points at a distance of 100 √d is rounded at 1e-11, and leaving out may leave a scatter of λ = 1e-3
    close(found - found[:, :1], expected - expected[:, :1], 1e-7)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("sizes", [(9, 14), (2, 9), (6, 7, 8), (2, 3, 9)], ids=str)
def test_mistakes_along_a_grid_are_those_of_refitting(sizes, kernel):
    X, y = sample(sizes, seed=3)
    grid = np.geomspace(1e-4, 1e2, 13)
    fit = gm.FisherDiscriminant(kernel, ridge=grid[::-1]).fit(X, y)
    Phi = coordinates(kernel, X)
    errors = np.array([np.mean(refitted(Phi, y, lam).argmax(axis=1) != y) for lam in grid])
    np.testing.assert_array_equal(fit.ridges_, grid)
    np.testing.assert_allclose(fit.loo_errors_, errors, atol=1e-12)
    assert fit.ridge_ == grid[errors == errors.min()].max(), "of equals the most regularised"
    assert fit.loo_error_ == pytest.approx(errors.min(), abs=1e-12)


@pytest.mark.parametrize("sizes", [(9, 14), (6, 7, 8)], ids=str)
def test_the_error_of_a_given_ridge_is_that_of_the_grid_and_of_refitting(sizes):
    X, y = sample(sizes, seed=3)
    expected = np.mean(refitted(coordinates(gm.Gaussian(2.0), X), y, 0.1).argmax(axis=1) != y)
    given = gm.FisherDiscriminant(gm.Gaussian(2.0), ridge=0.1).fit(X, y)
    chosen = gm.FisherDiscriminant(gm.Gaussian(2.0), ridge=[0.1]).fit(X, y)
    assert given.loo_error_ == chosen.loo_error_ == pytest.approx(expected)
    close(given.loo_decision_, chosen.loo_decision_, 1e-12)


def test_a_second_fit_forgets_the_decisions_of_the_first():
    X, y = sample((9, 14))
    other = X[::-1] * [1.0, 2.0, 3.0]
    model = gm.FisherDiscriminant(gm.Linear(), ridge=[0.1, 1.0]).fit(X, y)
    model.set_params(ridge=0.1).fit(other, y)
    assert not hasattr(model, "loo_errors_")
    expected = refitted(other, y, 0.1)
    close(model.loo_decision_, expected[:, 1] - expected[:, 0], 1e-8)


def test_labels_may_be_strings():
    X, y = sample((6, 7, 8))
    named = gm.FisherDiscriminant(gm.Linear(), ridge=[0.1, 1.0]).fit(X, np.array(["x", "y", "z"])[y])
    numbered = gm.FisherDiscriminant(gm.Linear(), ridge=[0.1, 1.0]).fit(X, y)
    np.testing.assert_array_equal(named.loo_decision_, numbered.loo_decision_)
    np.testing.assert_array_equal(named.loo_errors_, numbered.loo_errors_)


@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Gaussian(2.0)], ids=str)
def test_any_number_of_ridges_needs_one_decomposition_a_class(kernel, monkeypatch):
    X, y = sample((9, 14, 8))
    calls = []
    for module, name in ((scipy.linalg, "eigh"), (scipy.linalg, "svd"), (np.linalg, "eigh")):
        real = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *args, _name=name, _real=real, **kw: calls.append(_name) or _real(*args, **kw)
        )

    def decompositions(count):
        calls.clear()
        fit = gm.FisherDiscriminant(kernel, ridge=np.geomspace(1e-3, 10, count).tolist()).fit(X, y)
        assert len(fit.loo_errors_) == count
        return len(calls)

    # One for each class, and one of the c × c matrix of the axes
    assert 1 < decompositions(100) == decompositions(1000) <= 3 + 1


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    sizes=st.lists(st.integers(2, 12), min_size=2, max_size=4),
    d=st.integers(1, 8),
    ridge=st.sampled_from([1e-6, 1e-3, 0.1, 10.0]),
)
def test_both_ways_of_leaving_out_agree(seed, sizes, d, ridge):
    points, labels = sample(sizes, d=d, seed=seed)
    found = LeaveOneOut.of_points(points, labels)
    for c in range(len(sizes)):
        ways = found._from_covariance(c, np.array([ridge])), found._from_members(c, np.array([ridge]))
        for covariance, members in zip(*ways, strict=True):
            for one, other in zip(covariance, members, strict=True):
                # numbers of up to ‖δ‖²/λ, from systems of the condition λ₁/λ
                scale = np.square(points - points.mean(axis=0)).sum(axis=1).max() / ridge
                condition = 1 + found.largest / ridge
                assert np.abs(one - other).max() <= np.finfo(float).eps * len(points) * condition * scale


@pytest.mark.parametrize("ridge", [1e-4, 0.1, 10.0])
def test_a_shared_decomposition_makes_squared_lengths_less_by_at_most_one_part_in_the_size_of_a_class(ridge):
    points, labels = sample((60, 90, 70), d=40)
    exact, shared = LeaveOneOut.of_points(points, labels), LeaveOneOut.of_points(points, labels, shared=True)
    assert exact.is_exact
    assert not shared.is_exact
    for c, size in enumerate([60, 90, 70]):
        (r, _, g), (near_r, _, near_g) = (next(way._from_covariance(c, np.array([ridge]))) for way in (exact, shared))
        for true, near in ((r, near_r), (g[g > 0], near_g[g > 0])):
            assert (near <= true * (1 + 1e-9)).all()
            assert (true <= near * size / (size - 1) * (1 + 1e-9)).all()
    assert np.abs(exact.scores(np.array([ridge])) - shared.scores(np.array([ridge]))).max() > 0


def test_decisions_are_exact_though_the_ridge_was_chosen_by_a_shared_decomposition():
    X, y = sample((70, 80), d=5)
    chosen = gm.FisherDiscriminant(gm.Gaussian(2.0)).fit(X, y)
    given = gm.FisherDiscriminant(gm.Gaussian(2.0), ridge=chosen.ridge_).fit(X, y)
    np.testing.assert_array_equal(chosen.loo_decision_, given.loo_decision_)


def test_leave_one_out_of_many_objects_is_exact_or_says_that_it_is_not(monkeypatch):
    for module in (solve_module, spectrum_module):
        monkeypatch.setattr(module, "DENSE", 40)
    monkeypatch.setattr(spectrum_module, "LARGEST_RANK", 20)
    X, y = sample((25, 35), d=5)
    X = 2 * X  # the bandwidth is small, and K far from being of rank 20
    expected = refitted(coordinates(gm.Gaussian(2.0), X), y, 0.1)
    fit = gm.FisherDiscriminant(gm.Gaussian(2.0), ridge=0.1).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = fit.loo_decision_
        except (ValueError, UserWarning):
            return
    close(found, expected[:, 1] - expected[:, 0], 1e-6)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_directions_of_single_objects_act_as_a_ridge_in_the_others(classes, seed):
    rng = np.random.default_rng(seed)
    size, lam, rho = 8, 10 ** rng.uniform(-4, 1), 10 ** rng.uniform(-4, 0)
    F, y = sample((size,) * classes, d=4, seed=seed)
    whole = np.hstack([F, np.sqrt(rho) * np.eye(len(F))])
    new = rng.normal(size=(20, 4))
    unseen = np.hstack([new, np.zeros((20, len(F)))])
    expected = np.array([discriminants(whole, y, point, lam, classes) for point in unseen])

    def scores(ridges):
        return np.array([[discriminants(F, y, point, ridge, classes) for point in new] for ridge in ridges])

    gram = gm.Linear().gram(whole)
    acting = fisher_module.unseen_ridge(gram, len(F) * rho / gram.trace(), classes)
    found = fisher_module.seen_in_part(scores, np.array([lam]), acting)[0]
    close(found - found.mean(axis=1, keepdims=True), expected - expected.mean(axis=1, keepdims=True), 1e-8)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ridge", [1e-6, 1e-4, 1e-2])
def test_estimated_decisions_are_of_the_size_of_exact_ones(ridge, seed, monkeypatch):
    F, y = sample((70, 70, 70), d=6, seed=seed)
    X = np.hstack([F, 0.1 * np.eye(len(F))])
    expected = gm.FisherDiscriminant(gm.Linear(), ridge=ridge).fit(X, y).loo_decision_
    for module in (solve_module, spectrum_module):
        monkeypatch.setattr(module, "DENSE", 40)
    monkeypatch.setattr(spectrum_module, "LARGEST_RANK", 30)
    with pytest.warns(UserWarning, match="the leave-one-out decisions"):
        found = gm.FisherDiscriminant(gm.Linear(), ridge=ridge).fit(X, y).loo_decision_
    near, true = (scores - scores.mean(axis=1, keepdims=True) for scores in (found, expected))
    assert np.corrcoef(near.ravel(), true.ravel())[0, 1] > 0.95
    assert 0.8 < np.linalg.norm(near) / np.linalg.norm(true) < 1.25


def test_of_ridges_that_cannot_be_told_apart_beside_what_is_left_out_the_largest_is_taken():
    ridges = np.array([1e-6, 1e-3, 1.0, 10.0])
    tied, best = np.array([0.1, 0.11, 0.1, 0.2]), np.array([0.1, 0.11, 0.2, 0.2])
    assert fisher_module.place_of_best(ridges, tied, 0.0) == 2
    assert fisher_module.place_of_best(ridges, best, 0.0) == 0
    assert fisher_module.place_of_best(ridges, best, 0.01) == 1


@pytest.mark.parametrize("probe", [2000, 30])
@pytest.mark.parametrize("sizes", [(40, 50), (30, 35, 25)], ids=str)
def test_a_sample_too_large_to_be_left_out_as_it_is_is_left_out_in_low_rank(sizes, probe, monkeypatch):
    X, y = sample(sizes)
    exact = gm.FisherDiscriminant(gm.Gaussian(2.0), ridge=0.1).fit(X, y)
    chosen = gm.FisherDiscriminant(gm.Gaussian(2.0), ridge=[0.01, 0.1, 1.0]).fit(X, y)
    monkeypatch.setattr(fisher_module, "MOST_LEFT_OUT", 80)
    monkeypatch.setattr(gm.FisherDiscriminant, "probe", probe)
    monkeypatch.setattr(LeaveOneOut, "of_points", None)  # which is for small samples
    large = gm.FisherDiscriminant(gm.Gaussian(2.0), ridge=0.1).fit(X, y)
    in_low_rank = gm.FisherDiscriminant(gm.Gaussian(2.0), ridge=[0.01, 0.1, 1.0]).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as many landmarks as objects leave out next to nothing
        close(large.loo_decision_, exact.loo_decision_, 1e-7)
    # Of a part of the objects, the share of mistakes is known to a standard error of √(p(1 − p)/m) at most.
    part = min(probe, len(y))
    allowed = 0 if part == len(y) else 4 * np.sqrt(0.25 / part)
    assert np.abs(in_low_rank.loo_errors_ - chosen.loo_errors_).max() <= allowed


def test_signs_make_the_entry_of_largest_magnitude_positive_and_of_equal_ones_the_last():
    rng = np.random.default_rng(0)
    for scale in (1e-9, 1e-3, 1.0, 1e3):
        u = scale * rng.normal(size=(6, 50))
        turned = u * fisher_module._signs(u)
        assert (np.take_along_axis(turned, np.abs(u).argmax(axis=0)[None], axis=0) > 0).all()
        pair = scale * np.array([[0.7, -0.7], [0.1, 0.1], [-0.7, 0.7]])
        np.testing.assert_array_equal(np.sign(pair * fisher_module._signs(pair))[2], 1)


@pytest.mark.parametrize("ridge", [0.5, [0.1, 1.0], "loo"])
def test_points_without_a_single_feature_are_left_out_like_others(ridge):
    """Strings too short for any substring, whose features are none, are all the same point."""
    y = np.arange(13) % 2
    model = gm.FisherDiscriminant(gm.Spectrum(2), ridge=ridge).fit([""] * 13, y)
    assert model.loo_error_ == pytest.approx(6 / 13)
    assert set(model.predict(["", "ab"])) <= {0, 1}
