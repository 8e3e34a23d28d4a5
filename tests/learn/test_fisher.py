"""Fisher's discriminant against its definition (5.11), scikit-learn's LDA, and the printed formula.

φ is written out (or is a root of K where it cannot be), scatter and means are computed from it, and J is evaluated as
it is printed.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import gramian as gm

EXPLICIT = [gm.Linear(), gm.Polynomial(2, 1.0), gm.Polynomial(3, 0.0)]
LAMBDAS = [1e-3, 0.1, 10.0]


def two_classes(positive, negative, shift=0.0, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(positive + negative, d)) @ rng.normal(size=(d, d)) + shift
    y = np.repeat([0, 1], [negative, positive])
    X[y == 1] += rng.normal(size=d)
    order = rng.permutation(len(y))
    return X[order], y[order]


def unlike_classes(positive, negative, seed=0):
    """Classes of different, well-conditioned covariance."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], [negative, positive]))
    spread = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]])
    return rng.normal(size=(len(y), 3)) * spread[y] + np.outer(y, [1.0, -1.0, 2.0]) + 1.0, y


def three_classes(sizes=(8, 12, 5), shift=0.0, d=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return rng.normal(size=(len(y), d)) * np.arange(1, d + 1) + rng.normal(size=(len(sizes), d))[y] * 2 + shift, y


def coordinates(kernel, X):
    """Φ with K = ΦΦᵀ."""
    if kernel in EXPLICIT:
        return np.asarray(kernel.features(X))
    values, vectors = np.linalg.eigh(kernel(X))
    return vectors * np.sqrt(np.maximum(values, 0.0))


def quotient(W, Phi, y, lam):
    """J of every column of W: squared distances of projected means over all pairs, over variances and λ‖w‖²."""
    projected = [Phi[y == c] @ W for c in np.unique(y)]
    means = np.array([p.mean(axis=0) for p in projected])
    above = sum((means[i] - means[j]) ** 2 for i in range(len(means)) for j in range(i))
    return above / (sum(p.var(axis=0) for p in projected) + lam * np.square(W).sum(axis=0))


def scatter(Phi, y, lam):
    """M = S_w + λI and the class means, S_w being the sum of the covariances of the classes."""
    parts = [Phi[y == c] for c in np.unique(y)]
    within = sum(np.cov(p.T, bias=True).reshape(Phi.shape[1], -1) for p in parts)
    return within + lam * np.eye(Phi.shape[1]), np.array([p.mean(axis=0) for p in parts])


def cosine(u, v):
    return float(u @ v / np.linalg.norm(u) / np.linalg.norm(v))


def close(found, expected, tol):
    """Whether arrays agree to `tol` in units of the largest entry."""
    assert np.shape(found) == np.shape(expected)
    assert np.abs(np.asarray(found) - expected).max() <= tol * np.abs(expected).max()


# The maximum of J


def assert_unbeaten(kernel, X, y, lam, count):
    Phi = coordinates(kernel, X)
    w = Phi.T @ gm.FisherDiscriminant(kernel, ridge=lam).fit(X, y).dual_coef_
    best = quotient(w[:, None], Phi, y, lam)[0]
    rng = np.random.default_rng(0)
    away = rng.normal(size=(len(w), count))
    # The rounding of J itself: projections about an origin that is far away lose digits
    slack = 1e-12 + 1e-15 * np.square(Phi).sum() / np.square(Phi - Phi.mean(axis=0)).sum()
    assert quotient(away, Phi, y, lam).max() <= best * (1 + slack)
    away *= np.linalg.norm(w) / np.linalg.norm(away, axis=0)
    for step in (1e-1, 1e-2, 1e-3):
        assert quotient(w[:, None] + step * away[:, : count // 10], Phi, y, lam).max() <= best * (1 + slack)


@pytest.mark.parametrize("shift", [0.0, 20.0])
@pytest.mark.parametrize("sizes", [(15, 15), (10, 20), (35, 4)])
@pytest.mark.parametrize("lam", LAMBDAS)
@pytest.mark.parametrize("kernel", EXPLICIT, ids=str)
def test_no_direction_has_a_larger_quotient_than_the_one_found(kernel, lam, sizes, shift):
    if kernel != EXPLICIT[0]:
        shift /= 10  # the cube of 20 is far enough
    X, y = two_classes(*sizes, shift=shift)
    assert_unbeaten(kernel, X, y, lam, 10_000)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    sizes=st.tuples(st.integers(2, 9), st.integers(2, 9)),
    d=st.integers(1, 4),
    lam=st.sampled_from([1e-3, 0.1, 1.0, 50.0]),
    shift=st.sampled_from([0.0, 1.0, 30.0]),
)
def test_no_direction_beats_the_one_found_on_any_small_sample(seed, sizes, d, lam, shift):
    X, y = two_classes(*sizes, shift=shift, d=d, seed=seed)
    assert_unbeaten(gm.Linear(), X, y, lam, 300)


@pytest.mark.parametrize("lam", LAMBDAS)
@pytest.mark.parametrize("kernel", [*EXPLICIT, gm.Gaussian(2.0), gm.Laplacian(3.0)], ids=str)
def test_the_decision_function_is_the_analytic_one(kernel, lam):
    X, y = two_classes(9, 17, shift=0.5)
    Phi = coordinates(kernel, X)
    M, means = scatter(Phi, y, lam)
    w = np.linalg.solve(M, means[1] - means[0])
    fit = gm.FisherDiscriminant(kernel, ridge=lam).fit(X, y)
    close(Phi.T @ fit.dual_coef_, w, 1e-8)
    close(fit.decision_function(X), Phi @ w - w @ (means[0] + means[1]) / 2, 1e-8)


@pytest.mark.parametrize("shift", [0.0, 3.0])
@pytest.mark.parametrize("kernel", [*EXPLICIT, gm.Gaussian(2.0)], ids=str)
def test_the_quotient_is_j_of_the_projected_means_and_variances(kernel, shift):
    X, y = two_classes(9, 17, shift=shift)
    fit = gm.FisherDiscriminant(kernel, ridge=0.2).fit(X, y)
    projected = fit.transform(X)[:, 0]
    w = coordinates(kernel, X).T @ fit.axes_.weights[:, 0]
    spread = projected[y == 0].var() + projected[y == 1].var()
    gap = projected[y == 1].mean() - projected[y == 0].mean()
    assert fit.quotient_ == pytest.approx(gap**2 / (spread + 0.2 * w @ w), rel=1e-8)
    assert fit.quotient_ == pytest.approx(quotient(w[:, None], coordinates(kernel, X), y, 0.2)[0], rel=1e-8)


@pytest.mark.parametrize("shift", [0.0, 1e2, 1e6])
@pytest.mark.parametrize("make", [lambda s: two_classes(9, 17, shift=s), lambda s: three_classes(shift=s)])
def test_projected_means_and_variances_are_those_of_the_transformed_sample(make, shift):
    X, y = make(shift)
    fit = gm.FisherDiscriminant(gm.Linear(), ridge=0.2).fit(X, y)
    projected = fit.transform(X)
    classes = [projected[y == c] for c in np.unique(y)]
    close(fit.projected_means_, np.array([p.mean(axis=0) for p in classes]), 1e-9 + 1e-14 * shift)
    # A coordinate of the size of the shift has an error of ε · shift, and the variance, about 1, little more
    close(fit.projected_variances_, np.array([p.var(axis=0) for p in classes]), 1e-9 + 1e-14 * shift)


@pytest.mark.parametrize("shift", [0.0, 50.0])
@pytest.mark.parametrize("kernel", EXPLICIT[:2], ids=str)
def test_the_boundary_bisects_the_line_between_the_class_means(kernel, shift):
    X, y = two_classes(9, 17, shift=shift)
    fit = gm.FisherDiscriminant(kernel, ridge=0.2).fit(X, y)
    scores = fit.decision_function(X)
    low, high = scores[y == 0].mean(), scores[y == 1].mean()
    assert low < 0 < high
    assert low + high == pytest.approx(0.0, abs=1e-7 * (high - low))
    if kernel == gm.Linear():
        middle = (X[y == 0].mean(axis=0) + X[y == 1].mean(axis=0)) / 2
        assert fit.decision_function(middle[None])[0] == pytest.approx(0.0, abs=1e-8 * (high - low))


def test_the_offset_is_half_of_alpha_k_t():
    """(5.20) and (5.21); ERRATA 2."""
    X, y = two_classes(9, 17, shift=1.0)
    fit = gm.FisherDiscriminant(gm.Gaussian(2.0), ridge=0.2).fit(X, y)
    t = np.where(y == 1, 1 / 9, 1 / 17)
    assert fit.offset_ == pytest.approx(0.5 * fit.dual_coef_ @ gm.Gaussian(2.0)(X) @ t, rel=1e-9)


# The printed formula


def printed(K, y, lam):
    """α = (BK + λI)⁻¹ y with B of (5.12)–(5.15) and y = ±1."""
    sign = np.where(y == 1, 1.0, -1.0)
    n, plus, minus = len(y), int((y == 1).sum()), int((y == 0).sum())
    B = np.diag(np.where(y == 1, 2 * minus / n, 2 * plus / n))
    B -= 2 * minus / (n * plus) * np.outer(y == 1, y == 1) + 2 * plus / (n * minus) * np.outer(y == 0, y == 0)
    return np.linalg.solve(B @ K + lam * np.eye(n), sign)


@pytest.mark.parametrize("lam", LAMBDAS)
def test_the_printed_formula_is_the_maximiser_on_centred_data_only(lam):
    """ERRATA 3: λ of the linear system is 2ℓ₊ℓ₋/ℓ times that of J."""
    X, y = two_classes(10, 20, shift=2.0)
    system = lam * 2 * 10 * 20 / 30
    fit = gm.FisherDiscriminant(gm.Linear(), ridge=lam).fit(X, y)
    w = X.T @ fit.dual_coef_
    assert cosine(X.T @ printed(X @ X.T, y, system), w) < 1 - 1e-4
    centred = X - X.mean(axis=0)
    assert cosine(centred.T @ printed(centred @ centred.T, y, system), w) == pytest.approx(1.0, abs=1e-10)
    on_centred = gm.FisherDiscriminant(gm.Linear(), ridge=lam).fit(centred, y)
    close(centred.T @ on_centred.dual_coef_, w, 1e-8)


def test_the_printed_formula_without_the_conversion_of_the_ridge_is_another_direction():
    X, y = two_classes(10, 20)
    centred = X - X.mean(axis=0)
    w = centred.T @ gm.FisherDiscriminant(gm.Linear(), ridge=1.0).fit(centred, y).dual_coef_
    assert cosine(centred.T @ printed(centred @ centred.T, y, 1.0), w) < 1 - 1e-6


# Linear discriminant analysis


@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
def test_balanced_classes_without_a_ridge_have_the_direction_of_lda(solver):
    X, y = unlike_classes(25, 25)
    theirs = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    ours = gm.FisherDiscriminant(gm.Linear(), ridge=1e-6).fit(X, y)
    assert cosine(X.T @ ours.dual_coef_, theirs.coef_[0]) == pytest.approx(1.0, abs=1e-10)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_unbalanced_classes_without_a_ridge_have_the_direction_of_the_summed_covariances():
    X, y = unlike_classes(6, 30)
    ours = X.T @ gm.FisherDiscriminant(gm.Linear(), ridge=1e-6).fit(X, y).dual_coef_
    M, means = scatter(X, y, 0.0)
    assert cosine(ours, np.linalg.solve(M, means[1] - means[0])) == pytest.approx(1.0, abs=1e-10)
    pooled = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).coef_[0]
    assert cosine(ours, pooled) < 1 - 1e-4


# Labels


@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Gaussian(2.0)], ids=str)
def test_swapping_the_labels_turns_the_sign(kernel):
    X, y = two_classes(9, 17)
    fit = gm.FisherDiscriminant(kernel, ridge=0.2).fit(X, y)
    swapped = gm.FisherDiscriminant(kernel, ridge=0.2).fit(X, 1 - y)
    close(swapped.decision_function(X), -fit.decision_function(X), 1e-10)
    assert swapped.quotient_ == pytest.approx(fit.quotient_, rel=1e-10)
    np.testing.assert_array_equal(swapped.predict(X), 1 - fit.predict(X))


def test_the_second_class_in_order_is_the_positive_one_and_lies_above_on_the_axis():
    X, y = two_classes(9, 17)
    fit = gm.FisherDiscriminant(gm.Linear(), ridge=0.2).fit(X, y)
    assert fit.decision_function(X)[y == 1].mean() > 0
    assert fit.projected_means_[1, 0] > fit.projected_means_[0, 0]


@pytest.mark.parametrize("make", [lambda: two_classes(9, 17), three_classes])
def test_names_of_classes_do_not_matter(make):
    X, y = make()
    names = np.array(["ape", "bee", "cat"])
    numbers = gm.FisherDiscriminant(gm.Gaussian(3.0), ridge="loo").fit(X, y)
    named = gm.FisherDiscriminant(gm.Gaussian(3.0), ridge="loo").fit(X, names[y])
    np.testing.assert_array_equal(named.predict(X), names[numbers.predict(X)])
    np.testing.assert_array_equal(named.decision_function(X), numbers.decision_function(X))
    assert named.loo_error_ == numbers.loo_error_


def test_a_class_of_one_member_is_refused():
    with pytest.raises(ValueError, match="'b' has one member only"):
        gm.FisherDiscriminant(gm.Linear(), ridge=1.0).fit([[0.0], [1.0], [2.0]], ["a", "a", "b"])


# More classes


@pytest.mark.parametrize("lam", LAMBDAS)
@pytest.mark.parametrize("kernel", [*EXPLICIT, gm.Gaussian(4.0)], ids=str)
@pytest.mark.parametrize("sizes", [(9, 17), (8, 12, 5), (3, 9, 2, 11)], ids=str)
def test_prediction_is_the_nearest_class_mean_in_the_metric_of_the_scatter(sizes, kernel, lam):
    X, y = three_classes(sizes)
    X = X / 3
    Phi = coordinates(kernel, X)
    M, means = scatter(Phi, y, lam)
    away = Phi[:, None, :] - means
    squared = np.einsum("ncd,ncd->nc", away, np.linalg.solve(M, away.reshape(-1, Phi.shape[1]).T).T.reshape(away.shape))
    fit = gm.FisherDiscriminant(kernel, ridge=lam).fit(X, y)
    np.testing.assert_array_equal(fit.predict(X), squared.argmin(axis=1))
    scores = fit.decision_function(X)
    if len(sizes) == 2:
        close(scores, (squared[:, 0] - squared[:, 1]) / 2, 1e-7)
    else:
        # The decision function holds −½ the squared distances, up to a number common to all classes
        expected = -squared / 2
        close(scores - scores[:, :1], expected - expected[:, :1], 1e-7)


@pytest.mark.parametrize("lam", LAMBDAS)
@pytest.mark.parametrize("kernel", [*EXPLICIT, gm.Gaussian(4.0)], ids=str)
@pytest.mark.parametrize("sizes", [(9, 17), (8, 12, 5), (3, 9, 2, 11)], ids=str)
def test_axes_are_orthonormal_in_the_scatter_and_have_the_quotients_they_claim(sizes, kernel, lam):
    X, y = three_classes(sizes)
    X = X / 3
    Phi = coordinates(kernel, X)
    M, means = scatter(Phi, y, lam)
    fit = gm.FisherDiscriminant(kernel, ridge=lam).fit(X, y)
    W = Phi.T @ fit.axes_.weights
    assert W.shape[1] == len(sizes) - 1
    np.testing.assert_allclose(W.T @ M @ W, np.eye(len(sizes) - 1), atol=1e-8)
    np.testing.assert_allclose(quotient(W, Phi, y, lam), fit.quotients_, rtol=1e-7)
    assert (np.diff(fit.quotients_) <= 0).all()
    # They are the generalized eigenvalues of all pairs against the scatter
    pairs = sum(np.outer(p - q, p - q) for i, p in enumerate(means) for q in means[:i])
    expected = np.sort(np.linalg.eigvals(np.linalg.solve(M, pairs)).real)[::-1][: len(sizes) - 1]
    np.testing.assert_allclose(fit.quotients_, expected, rtol=1e-7, atol=1e-7 * expected[0])
    close(fit.transform(X), Phi @ W, 1e-7)


@pytest.mark.parametrize("components", [1, 2])
def test_transform_has_as_many_dimensions_as_asked_for_the_best_first(components):
    X, y = three_classes()
    whole = gm.FisherDiscriminant(gm.Linear(), ridge=0.1).fit(X, y).transform(X)
    part = gm.FisherDiscriminant(gm.Linear(), ridge=0.1, n_components=components).fit(X, y).transform(X)
    assert whole.shape == (25, 2)
    np.testing.assert_array_equal(part, whole[:, :components])


def test_more_components_than_classes_allow_are_refused():
    X, y = three_classes()
    with pytest.raises(ValueError, match="at most 2 expected"):
        gm.FisherDiscriminant(gm.Linear(), ridge=0.1, n_components=3).fit(X, y)


def test_three_means_on_a_line_leave_the_second_axis_without_a_quotient():
    base = np.random.default_rng(0).normal(size=(10, 3))
    step = np.array([1.0, 0.0, 0.0])
    X, y = np.vstack([base, base + step, base + 2 * step]), np.repeat([0, 1, 2], 10)
    fit = gm.FisherDiscriminant(gm.Linear(), ridge=0.1).fit(X, y)
    assert fit.quotients_[1] <= 1e-10 * fit.quotients_[0]
    assert np.isfinite(fit.transform(X)).all()
    assert np.abs(fit.transform(X)[:, 1]).max() <= 1e3 * np.abs(fit.transform(X)[:, 0]).max()


@pytest.mark.parametrize("make", [lambda: two_classes(9, 17), three_classes])
def test_the_discriminant_does_not_move_with_the_origin_of_a_linear_kernel(make):
    X, y = make()
    near = gm.FisherDiscriminant(gm.Linear(), ridge=0.1).fit(X, y)
    far = gm.FisherDiscriminant(gm.Linear(), ridge=0.1).fit(X + 1e4, y)
    # ε (1e4)², the rounding of K
    close(far.decision_function(X + 1e4), near.decision_function(X), 1e-6)


def test_a_gram_is_fitted_as_the_objects_are():
    X, y = three_classes()
    direct = gm.FisherDiscriminant(gm.Gaussian(2.0), ridge=0.1).fit(X, y)
    through = gm.FisherDiscriminant(ridge=0.1).fit(gm.Gaussian(2.0).gram(X), y)
    close(through.decision_function(X), direct.decision_function(X), 1e-12)


def test_single_precision_gives_the_answer_of_double_precision_to_its_own_accuracy():
    X, y = three_classes()
    X = X.astype(np.float32)
    for kernel in (gm.Linear(), gm.Gaussian(3.0)):
        single = gm.FisherDiscriminant(kernel, ridge=0.1).fit(X, y)
        double = gm.FisherDiscriminant(kernel, ridge=0.1).fit(X.astype(float), y)
        close(single.decision_function(X), double.decision_function(X.astype(float)), 1e-3)


@pytest.mark.parametrize("lam", [1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-15, 1e-18])
def test_a_tiny_ridge_is_solved_or_complained_of(lam):
    """In three dimensions, with plenty of objects, the direction is well determined without any ridge."""
    X, y = unlike_classes(20, 30)
    M, means = scatter(X, y, lam)
    expected = np.linalg.solve(M, means[1] - means[0])
    complaint = ""
    try:
        fit = gm.FisherDiscriminant(gm.Linear(), ridge=lam).fit(X, y)
    except (ValueError, UserWarning) as error:
        complaint = str(error)
    if complaint:
        assert "ridge" in complaint
        return
    # A relative residual of 1e-6 is accepted without a warning
    close(fit.decision_function(X), X @ expected - expected @ means.sum(axis=0) / 2, 1e-4)


# Beyond the size of dense decompositions


def test_conjugate_gradients_beyond_3000_objects_agree_with_a_dense_solve():
    rng = np.random.default_rng(0)
    n, lam = 3050, 0.01
    X = rng.normal(size=(n, 5))
    y = (X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=n) > 1.5).astype(int)
    fit = gm.FisherDiscriminant(gm.Gaussian(2.0), ridge=lam).fit(X, y)
    assert fit.solver_.startswith("conjugate gradients")
    # (S_w in weights of the objects, K) + λI on the difference of means: not symmetric, as printed
    K = gm.Gaussian(2.0)(X)
    BK = np.empty_like(K)
    for c in (0, 1):
        BK[y == c] = (K[y == c] - K[y == c].mean(axis=0)) / (y == c).sum()
    t = np.where(y == 1, 1 / (y == 1).sum(), -1 / (y == 0).sum())
    alpha = np.linalg.solve(BK + lam * np.eye(n), t)
    values = K @ alpha
    close(fit.dual_coef_, alpha, 1e-7)
    expected = values - (values[y == 0].mean() + values[y == 1].mean()) / 2
    close(fit.decision_function(X[:200]), expected[:200], 1e-7)
    assert fit.quotient_ == pytest.approx(t @ values, rel=1e-7)
