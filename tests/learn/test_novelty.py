"""Novelty detection (seed 000, Algorithm 5.4): distances, thresholds and warnings, recomputed pair by pair."""

import re
import warnings
from fractions import Fraction
from math import ceil, exp, inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

import gramian as gm

FAR = 1e9  # so far away that every radial kernel underflows to 0


def dot(x, z):
    return sum(float(p) * float(q) for p, q in zip(x, z, strict=True))


def gauss(x, z):
    return exp(-sum((float(p) - float(q)) ** 2 for p, q in zip(x, z, strict=True)) / (2 * 1.3**2))


def laplace(x, z):
    return exp(-sum(abs(float(p) - float(q)) for p, q in zip(x, z, strict=True)) / 2.0)


def cosine(x, z):
    return dot(x, z) / sqrt(dot(x, x) * dot(z, z))


# Kernel, the same for one pair, and R where the kernel vouches for it.
CASES = [
    pytest.param(gm.Gaussian(1.3), gauss, 1.0, id="gaussian"),
    pytest.param(gm.Laplacian(2.0), laplace, 1.0, id="laplacian"),
    pytest.param(4 * gm.Gaussian(1.3), lambda x, z: 4 * gauss(x, z), 2.0, id="scaled gaussian"),
    pytest.param(gm.Linear().normalize(), cosine, 1.0, id="cosine"),
    pytest.param(gm.Linear(), dot, None, id="linear"),
    pytest.param(gm.Polynomial(2, 1.0), lambda x, z: (dot(x, z) + 1) ** 2, None, id="polynomial"),
]


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(3).normal(loc=(1.0, -0.5), size=(14, 2))


@pytest.fixture(scope="module")
def Z():
    return np.random.default_rng(4).normal(size=(6, 2)) * 3


def fitted(detector, X):
    """Fit, and return the detector and the messages of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        detector.fit(X)
    return detector, [str(w.message) for w in caught]


def squared_distance(kappa, z, S):
    """‖φ(z) − φ_S‖² by (5.6), every kernel value on its own."""
    ell = len(S)
    within = sum(kappa(a, b) for a in S for b in S) / ell**2
    return kappa(z, z) + within - 2 / ell * sum(kappa(z, a) for a in S)


def oracle(kappa, points, S):
    return np.array([sqrt(max(squared_distance(kappa, z, S), 0)) for z in points])


def slack(ell, R, delta):
    """2 √(2R²/ℓ) (√2 + √ln(1/δ)), the term of (5.7)."""
    return 2 * sqrt(2 * R**2 / ell) * (sqrt(2) + sqrt(log(1 / delta)))


# The bound


@pytest.mark.parametrize(("kernel", "kappa", "R"), CASES)
def test_distances_are_the_double_sums_of_kernel_values(kernel, kappa, R, X, Z):
    detector, _ = fitted(gm.NoveltyDetector(kernel, calibration="bound"), X)
    np.testing.assert_allclose(detector.distances_, oracle(kappa, X, X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(-detector.score_samples(Z), oracle(kappa, Z, X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("delta", [0.001, 0.3])
@pytest.mark.parametrize(("kernel", "kappa", "R"), CASES)
def test_threshold_is_the_largest_distance_and_twice_the_estimation_error(kernel, kappa, R, delta, X):
    detector, _ = fitted(gm.NoveltyDetector(kernel, delta=delta, calibration="bound"), X)
    radius = max(sqrt(kappa(x, x)) for x in X) if R is None else R
    assert detector.radius_ == pytest.approx(radius, rel=1e-12)
    assert detector.radius_is_exact_ is (R is not None)
    expected = oracle(kappa, X, X).max() + slack(len(X), radius, delta)
    assert detector.threshold_ == pytest.approx(expected, rel=1e-10)


def test_false_alarm_bound_is_one_in_the_sample_size_and_one(X):
    for ell in (2, 7, 14):
        detector, _ = fitted(gm.NoveltyDetector(gm.Linear(), calibration="bound"), X[:ell])
        assert detector.false_alarm_bound_ == pytest.approx(1 / (ell + 1), rel=1e-14)


def test_radius_of_a_precomputed_kernel_is_that_of_all_its_objects_and_not_of_the_sample():
    K = np.diag([1.0, 4.0, 9.0, 25.0])
    detector, _ = fitted(gm.NoveltyDetector(gm.Precomputed(K), calibration="bound"), [0, 1, 2])
    assert detector.radius_is_exact_
    assert detector.radius_ == pytest.approx(5.0)
    # d_i² = K_ii (1 − 2/3) + (1 + 4 + 9)/9
    assert detector.threshold_ == pytest.approx(sqrt(9 / 3 + 14 / 9) + slack(3, 5.0, 0.01), rel=1e-12)


@pytest.mark.parametrize("calibration", ["bound", "conformal"])
def test_scores_decisions_and_predictions_say_the_same(calibration, X, Z):
    detector, _ = fitted(
        gm.NoveltyDetector(gm.Linear(), delta=0.9, calibration=calibration, alpha=0.3, random_state=0), X
    )
    points = np.vstack([X, Z, [[40.0, 40.0]]])
    d = -detector.score_samples(points)
    assert detector.offset_ == -detector.threshold_
    np.testing.assert_allclose(detector.decision_function(points), detector.threshold_ - d, rtol=1e-9, atol=1e-9)
    predicted = detector.predict(points)
    clear = np.abs(d - detector.threshold_) > 1e-9
    np.testing.assert_array_equal(predicted[clear], np.where(d > detector.threshold_, -1, 1)[clear])
    np.testing.assert_array_equal(predicted, np.where(detector.decision_function(points) < 0, -1, 1))
    assert set(predicted) == {-1, 1}
    assert predicted[-1] == -1


def test_no_training_object_is_novel_under_the_bound(X):
    for kernel in (gm.Linear(), gm.Gaussian(0.1), gm.Polynomial(3, 0.0)):
        detector, _ = fitted(gm.NoveltyDetector(kernel, delta=0.99, calibration="bound"), X)
        assert (detector.predict(X) == 1).all()


# A detector that can never fire


@pytest.mark.parametrize(
    ("n", "spread", "delta", "silent"),
    [
        (10, 0.05, 0.01, True),
        (40, 0.05, 0.01, True),
        (120, 0.05, 0.01, False),
        (40, 0.05, 0.5, False),
        (300, 0.05, 1e-6, False),
        (300, 5.0, 0.5, True),
    ],
)
def test_gaussian_detector_warns_exactly_when_a_point_at_infinity_is_not_novel(n, spread, delta, silent):
    X = np.random.default_rng(n).normal(scale=spread, size=(n, 2))
    detector, messages = fitted(gm.NoveltyDetector(gm.Gaussian(1.0), delta=delta, calibration="bound"), X)
    c2 = np.exp(-np.square(X[:, None] - X[None]).sum(-1) / 2).mean()
    beyond = np.array([[FAR, 0.0], [0.0, -FAR]])
    np.testing.assert_allclose(-detector.score_samples(beyond), sqrt(1 + c2), rtol=1e-9)
    assert (detector.predict(beyond) == 1).all() == silent
    assert any("never fire" in m for m in messages) == silent
    assert len(messages) == silent


@pytest.mark.parametrize(("n", "silent"), [(20, True), (25, True), (30, False), (200, False)])
def test_cosine_detector_warns_exactly_when_the_point_opposite_the_centre_is_not_novel(n, silent):
    # For a kernel with negative values the farthest point is −c/‖c‖, at distance 1 + ‖c‖.
    X = np.random.default_rng(0).normal(loc=(5.0, 5.0), scale=0.1, size=(n, 2))
    detector, messages = fitted(gm.NoveltyDetector(gm.Linear().normalize(), delta=0.01, calibration="bound"), X)
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    opposite = -U.mean(axis=0, keepdims=True)
    assert -detector.score_samples(opposite)[0] == pytest.approx(1 + np.linalg.norm(U.mean(axis=0)), rel=1e-9)
    assert (detector.predict(opposite)[0] == 1) == silent
    assert bool(messages) == silent


@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Polynomial(2, 1.0), gm.Linear() + gm.Gaussian(1.0)])
def test_unbounded_kernel_never_warns_for_far_points_are_always_novel(kernel, X):
    for n in (1, 2, 14):
        detector, messages = fitted(gm.NoveltyDetector(kernel, delta=1e-9, calibration="bound"), X[:n])
        assert messages == []
        assert detector.predict([[1e6, 1e6]])[0] == -1


@pytest.mark.parametrize("seed", range(20))
def test_warned_of_precomputed_kernel_has_no_object_that_is_novel(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(12, 3)) * 10.0 ** rng.integers(-1, 2, size=(12, 1))
    detector, messages = fitted(
        gm.NoveltyDetector(gm.Precomputed(A @ A.T), delta=0.9, calibration="bound"), np.arange(4)
    )
    found = detector.predict(np.arange(12))
    assert not (messages and (found == -1).any())


@pytest.mark.parametrize("delta", [0.01, 0.2])
@pytest.mark.parametrize("spread", [0.05, 0.3, 0.6])
def test_as_many_objects_as_the_warning_names_are_enough_and_hardly_more_than_needed(spread, delta):
    # Repeating a sample changes neither its centre nor its distances: "objects like these" in the strictest sense.
    X = np.random.default_rng(1).normal(scale=spread, size=(5, 2))
    _, (message,) = fitted(gm.NoveltyDetector(gm.Gaussian(1.0), delta=delta, calibration="bound"), X)
    enough = int(re.search(r"about ([\d,]+) objects", message)[1].replace(",", ""))
    assert "instead of 5" in message
    above, below = ceil(enough / 5), (enough - 1) // 5
    assert (
        fitted(gm.NoveltyDetector(gm.Gaussian(1.0), delta=delta, calibration="bound"), np.tile(X, (above, 1)))[1] == []
    )
    assert (
        fitted(gm.NoveltyDetector(gm.Gaussian(1.0), delta=delta, calibration="bound"), np.tile(X, (below, 1)))[1] != []
    )


def test_warning_names_every_remedy_and_each_of_them_works():
    X = np.random.default_rng(2).normal(scale=0.05, size=(40, 2))
    kernel = gm.Gaussian(1.0)
    with pytest.warns(UserWarning, match="can never fire") as record:
        gm.NoveltyDetector(kernel, delta=0.01, calibration="bound").fit(X)
    assert len(record) == 1
    assert record[0].filename == __file__  # the warning points at the call of fit
    message = str(record[0].message)
    for remedy in ("objects", "delta", 'calibration="conformal"'):
        assert remedy in message
    more = np.random.default_rng(2).normal(scale=0.05, size=(120, 2))
    for detector, sample in (
        (gm.NoveltyDetector(kernel, delta=0.01, calibration="bound"), more),
        (gm.NoveltyDetector(kernel, delta=0.5, calibration="bound"), X),
        (gm.NoveltyDetector(kernel, calibration="conformal", random_state=0), X),
    ):
        assert detector.fit(sample).predict([[FAR, FAR]])[0] == -1


def test_warning_gives_no_number_where_none_is_enough():
    # The centre of ±1 is the origin, every image is at distance 1, and nothing can be farther.
    _, (message,) = fitted(gm.NoveltyDetector(gm.Linear().normalize(), calibration="bound"), [[-1.0], [1.0]])
    assert "can never fire" in message
    assert not re.search(r"about [\d,]+ objects", message)


# Conformal


def split_of(detector, X):
    """Return the rows that make the centre and the others, found by their values."""
    train = detector.sample_.points.parts[0]
    train = train if isinstance(train, np.ndarray) else train.parts[0]
    held_out = np.array([x for x in X if not (train == x).all(axis=1).any()])
    assert len(train) + len(held_out) == len(X)
    return train, held_out


@pytest.mark.parametrize(("kernel", "kappa", "R"), CASES)
def test_conformal_distances_are_those_of_the_held_out_part_from_the_centre_of_the_rest(kernel, kappa, R, X):
    detector = gm.NoveltyDetector(kernel, calibration="conformal", alpha=0.3, calibration_size=0.4, random_state=5)
    train, held_out = split_of(detector.fit(X), X)
    assert len(held_out) == 6  # ⌈0.4 · 14⌉
    expected = np.sort(oracle(kappa, held_out, train))
    np.testing.assert_allclose(detector.distances_, expected, rtol=1e-9)
    assert detector.threshold_ == pytest.approx(expected[ceil(7 * 0.7) - 1], rel=1e-9)


# α as a float, and the number it stands for: rounding must not move the rank.
LEVELS = [(a, Fraction(str(a))) for a in (0.05, 0.1, 0.2, 0.15, 0.3, 0.35, 0.6, 0.7, 0.9, 0.95)] + [
    (1 / 3, Fraction(1, 3)),
    (2 / 3, Fraction(2, 3)),
    (1 / 7, Fraction(1, 7)),
]


@pytest.mark.parametrize(("alpha", "exact"), LEVELS)
def test_conformal_rank_is_exact_where_the_level_is_a_multiple_of_one_in_m_and_one(alpha, exact):
    X = np.random.default_rng(0).normal(size=(240, 1))
    for count in (1, 2, 3, 5):
        m = count * exact.denominator - 1
        detector = gm.NoveltyDetector(gm.Linear(), calibration="conformal", alpha=alpha, random_state=0)
        detector.fit(X[: 2 * m])
        rank = ceil((m + 1) * (1 - exact))
        assert len(detector.distances_) == m
        assert detector.threshold_ == pytest.approx(np.sort(detector.distances_)[rank - 1], rel=1e-9)
        assert detector.false_alarm_bound_ == float(exact)
        assert np.count_nonzero(detector.distances_ > detector.threshold_) == m - rank


@pytest.mark.parametrize("m", [4, 9, 19, 20, 23, 50])
@pytest.mark.parametrize(("alpha", "exact"), LEVELS)
def test_conformal_bound_is_the_largest_attainable_rate_of_at_most_alpha(alpha, exact, m):
    X = np.random.default_rng(1).normal(size=(2 * m, 1))
    detector, messages = fitted(
        gm.NoveltyDetector(gm.Linear(), calibration="conformal", alpha=alpha, random_state=0), X
    )
    attainable = (exact * (m + 1)).__floor__()
    assert detector.false_alarm_bound_ == pytest.approx(attainable / (m + 1), rel=1e-14)
    assert bool(messages) == (attainable == 0) == (detector.threshold_ == inf)


def test_p_values_count_the_calibration_distances_at_least_as_large(X, Z):
    detector = gm.NoveltyDetector(gm.Gaussian(1.3), calibration="conformal", alpha=0.5, random_state=1).fit(X)
    train, held_out = split_of(detector, X)
    calibration = oracle(gauss, held_out, train)
    expected = [(1 + np.count_nonzero(calibration >= d)) / (len(held_out) + 1) for d in oracle(gauss, Z, train)]
    np.testing.assert_allclose(detector.p_values(Z), expected, rtol=1e-14)
    assert detector.p_values([[FAR, FAR]])[0] == 1 / 8
    assert detector.p_values(train.mean(axis=0, keepdims=True))[0] == 1.0


def test_p_values_are_offered_in_conformal_mode_only(X):
    assert not hasattr(gm.NoveltyDetector(gm.Linear(), calibration="bound").fit(X), "p_values")
    assert hasattr(gm.NoveltyDetector(gm.Linear(), calibration="conformal"), "p_values")


@settings(deadline=None, max_examples=60)
@given(
    n=st.integers(4, 60),
    level=st.integers(1, 999),
    size=st.sampled_from([0.25, 0.5, 0.7]),
    grid=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_novel_means_a_p_value_of_at_most_alpha(n, level, size, grid, seed):
    alpha = level / 1000
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(n, 2)), rng.normal(size=(30, 2)) * 2
    if grid:  # many ties
        X, Z = np.round(X), np.round(Z)
    detector, _ = fitted(
        gm.NoveltyDetector(
            gm.Polynomial(2, 1.0), calibration="conformal", alpha=alpha, calibration_size=size, random_state=seed
        ),
        X,
    )
    np.testing.assert_array_equal(detector.predict(Z) == -1, detector.p_values(Z) <= alpha)


@pytest.mark.parametrize("alpha", [0.3, 0.1, 0.05, 0.07])
def test_too_few_calibration_objects_give_a_warning_and_no_alarm(alpha):
    X = np.random.default_rng(0).normal(size=(4, 2))
    detector = gm.NoveltyDetector(gm.Linear(), calibration="conformal", alpha=alpha, random_state=0)
    with pytest.warns(UserWarning, match="can never fire: with 2 objects set aside") as record:
        detector.fit(X)
    assert record[0].filename == __file__
    assert detector.threshold_ == inf
    assert detector.false_alarm_bound_ == 0
    assert detector.predict([[1e150, 0.0]])[0] == 1
    assert detector.decision_function([[1e150, 0.0]])[0] == inf


@pytest.mark.parametrize("alpha", [0.3, 0.1, 0.05, 0.07, 0.15, *(1 / k for k in (3, 7, 10, 29, 49, 57, 98, 99))])
def test_calibration_size_named_in_the_warning_is_enough_and_one_less_is_not(alpha):
    X = np.random.default_rng(0).normal(size=(300, 1))

    def messages(m):
        detector = gm.NoveltyDetector(gm.Linear(), calibration="conformal", alpha=alpha, random_state=0)
        return fitted(detector, X[: 2 * m])[1]

    (message,) = messages(1)
    enough = int(re.search(r"at least ([\d,]+) objects", message)[1].replace(",", ""))
    assert messages(enough) == []
    assert messages(enough - 1) != []


def test_median_bandwidth_is_taken_from_the_part_that_makes_the_centre():
    X = np.random.default_rng(0).normal(size=(21, 2))
    detector = gm.NoveltyDetector(calibration="conformal", alpha=0.2, random_state=3).fit(X)
    train, _ = split_of(detector, X)
    assert detector.kernel_.bandwidth == pytest.approx(np.median(pdist(train)), rel=1e-12)
    assert detector.kernel_.bandwidth != pytest.approx(np.median(pdist(X)), rel=1e-6)


def test_held_out_objects_do_not_move_the_centre():
    X = np.random.default_rng(0).normal(size=(20, 2))
    first = gm.NoveltyDetector(calibration="conformal", alpha=0.2, random_state=3).fit(X)
    _, held_out = split_of(first, X)
    moved = X.copy()
    for row in held_out:
        moved[np.equal(X, row).all(axis=1)] += 100.0
    second = gm.NoveltyDetector(calibration="conformal", alpha=0.2, random_state=3).fit(moved)
    assert second.kernel_ == first.kernel_
    np.testing.assert_array_equal(second.score_samples(X[:5]), first.score_samples(X[:5]))
    assert second.threshold_ > first.threshold_


def test_same_seed_gives_the_same_split_and_another_seed_another():
    X = np.random.default_rng(0).normal(size=(40, 2))

    def threshold(seed):
        return gm.NoveltyDetector(gm.Linear(), calibration="conformal", random_state=seed).fit(X).threshold_

    assert threshold(0) == threshold(0)
    assert len({threshold(seed) for seed in range(5)}) > 1


@pytest.mark.parametrize("company", [0, 1, 30])
def test_object_that_ties_with_the_threshold_is_not_novel_whatever_it_is_scored_with(company):
    # Distances of one object differ in their last digit with the number of objects that they are computed for. That
    # must not decide: alone or among others, an object like the calibration object at the threshold is at it.
    ties = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        atoms = rng.normal(size=(2, 3))
        X = atoms[rng.integers(2, size=78)]
        detector = gm.NoveltyDetector(gm.Gaussian(0.7), calibration="conformal", random_state=seed).fit(X)
        for atom in atoms:
            batch = np.vstack([atom, X[:company]])
            if abs(detector.decision_function(batch)[0]) < 1e-8:
                ties += 1
                assert detector.predict(batch)[0] == 1
                assert detector.p_values(batch)[0] > 0.05
    assert ties >= 30


# Objects of other kinds


def letters(words):
    return np.array([[word.count(c) for c in "abcdefghij"] for word in words], dtype=float)


@pytest.mark.parametrize("calibration", ["bound", "conformal"])
def test_words_gram_and_matrix_give_the_detector_of_their_vectors(calibration):
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefghij"), size=8)) for _ in range(30)]
    others = ["aaaaaaaa", "abcdefgh", "j"]
    V, W = letters(words), letters(others)
    K = np.vstack([V, W]) @ np.vstack([V, W]).T
    options = {"calibration": calibration, "alpha": 0.2, "random_state": 0}
    reference = gm.NoveltyDetector(gm.Linear(), **options).fit(V)
    spoken = gm.Linear().pullback(letters)
    given_words = gm.NoveltyDetector(spoken, **options).fit(words)
    given_gram = gm.NoveltyDetector(gm.Gaussian(), **options).fit(spoken.gram(words))
    given_matrix, _ = fitted(gm.NoveltyDetector(gm.Precomputed(K), **options), list(range(30)))
    for detector, objects in ((given_words, others), (given_gram, others), (given_matrix, [30, 31, 32])):
        np.testing.assert_allclose(detector.score_samples(objects), reference.score_samples(W), rtol=1e-10)
        np.testing.assert_allclose(detector.distances_, reference.distances_, rtol=1e-10)
    assert given_gram.threshold_ == pytest.approx(reference.threshold_, rel=1e-12)
    assert given_gram.kernel_ == spoken


# As it comes


def test_a_detector_as_it_comes_is_able_to_fire_on_150_flowers():
    X = gm.load_iris().data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        detector = gm.NoveltyDetector(random_state=0).fit(X)
    assert detector.get_params()["calibration"] == "conformal"
    assert detector.get_params()["alpha"] == 0.05
    assert 0 < detector.false_alarm_bound_ <= 0.05
    assert (detector.predict([[50.0, -9.0, 1.0, 20.0], *X[:3]]) == [-1, 1, 1, 1]).all()


def test_as_it_comes_the_rate_of_false_alarms_is_kept():
    rng = np.random.default_rng(0)
    draws = 300
    rates = [
        np.mean(gm.NoveltyDetector().fit(rng.normal(size=(60, 2))).predict(rng.normal(size=(50, 2))) == -1)
        for _ in range(draws)
    ]
    # 30 calibration objects, so a rate of 1/31, with a standard deviation of about 0.031 over samples and 0.025 in each
    assert np.mean(rates) == pytest.approx(1 / 31, abs=4 * 0.04 / np.sqrt(draws))


@pytest.mark.parametrize("n", [4, 10, 37, 38, 39, 60])
def test_too_few_objects_for_any_alarm_are_told_of_and_seen_in_the_attributes(n):
    detector, messages = fitted(gm.NoveltyDetector(random_state=0), np.random.default_rng(n).normal(size=(n, 2)))
    held_out = -(-n // 2)
    if held_out < 19:  # 1 / alpha − 1
        assert len(messages) == 1
        assert "can never fire" in messages[0]
        assert "at least 19 objects for calibration" in messages[0]
        assert detector.threshold_ == np.inf
        assert detector.false_alarm_bound_ == 0.0
        assert (detector.predict([[1e9, 0.0]]) == 1).all()
    else:
        assert messages == []
        assert detector.threshold_ < np.inf


def test_two_objects_are_too_few_for_a_bandwidth_from_the_half_that_makes_the_centre():
    with pytest.raises(
        ValueError, match=r"of n_samples=2, one makes the centre: bandwidth='median' needs at least two"
    ):
        gm.NoveltyDetector().fit([[0.0], [1.0]])
    assert fitted(gm.NoveltyDetector(gm.Gaussian(1.0)), [[0.0], [1.0]])[0].threshold_ == np.inf


def test_by_the_bound_a_clique_beside_a_ring_is_noticed():
    ring, clique = range(900), range(900, 912)
    edges = [(i, (i + 1) % 900) for i in ring] + [(i, j) for i in clique for j in clique if i < j]
    kernel = gm.ExponentialDiffusion(edges, beta=0.3)
    detector, messages = fitted(gm.NoveltyDetector(kernel, calibration="bound"), list(ring))
    assert messages == []
    assert detector.radius_is_exact_
    assert (detector.predict(list(clique)) == -1).all()
    assert (detector.predict(list(ring)) == 1).all()


def test_advice_is_given_as_long_as_objects_can_be_counted():
    X = np.array([[0.0], [1.0]])
    with pytest.warns(UserWarning, match="can never fire") as told:
        gm.NoveltyDetector(gm.Gaussian(1e-3), calibration="bound").fit(X)
    assert "objects like these instead of 2" in str(told[0].message)
    K = np.array([[1.0, -1.0], [-1.0, 1.0]])
    for gap in (0.0, 1e-16, 1e-12):
        with pytest.warns(UserWarning, match="can never fire"):
            gm.NoveltyDetector(gm.Precomputed(K + gap * np.eye(2)), calibration="bound").fit([0, 1])


@pytest.mark.parametrize("rank", [None, 3])
def test_a_conformal_detector_is_not_taught_on_by_another_name(rank):
    X = np.random.default_rng(0).normal(size=(40, 2))
    detector = gm.NoveltyDetector(gm.Gaussian(1.0), alpha=0.2, rank=rank, random_state=0).fit(X)
    with pytest.raises(ValueError, match="cannot go on from"):
        detector.set_params(calibration="bound").partial_fit(X)
