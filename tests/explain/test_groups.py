"""Clusters are found where they stand apart, and nowhere else: over many draws, by benchmarks/clusters.py 100 of each.

Here fewer are drawn. Were the share of false claims 5 %, more than six of 40 would come in one run out of 300; it is
far smaller, so that none of the bounds below is near.
"""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

import gramian as gm
from gramian.explain.groups import LEAST

STANDARDIZED = gm.Gaussian("median").pullback(gm.Standardize())
DIMENSIONS = (1, 2, 10, 50)

CLOUDS = {
    "uniform": lambda rng, d: rng.random((200, d)),
    "Gaussian": lambda rng, d: rng.standard_normal((200, d)),
    "heavy tails": lambda rng, d: rng.standard_t(3, (200, d)),
    "lognormal": lambda rng, d: rng.lognormal(size=(200, d)),
    "exponential": lambda rng, d: rng.exponential(size=(200, d)),
    "whole numbers": lambda rng, d: rng.poisson(4, (200, d)).astype(float),
    "outliers": lambda rng, d: np.vstack([rng.standard_normal((195, d)), 10 * rng.standard_normal((5, d))]),
}


def groups(rng, sizes, d, apart=8.0):
    """Gaussian groups, any two at least so many standard deviations from each other, in all columns alike."""
    spreads, centers, box = rng.uniform(0.5, 1.5, len(sizes)), [], 1.0
    while len(centers) < len(sizes):
        new, k = rng.uniform(-box, box, d), len(centers)
        if all(np.linalg.norm(new - c) >= apart * (s + spreads[k]) / 2 for c, s in zip(centers, spreads, strict=False)):
            centers.append(new)
        box *= 1.01
    X = [c + s * rng.standard_normal((m, d)) for c, s, m in zip(centers, spreads, sizes, strict=True)]
    return np.vstack(X), np.repeat(np.arange(len(sizes)), sizes)


@pytest.mark.parametrize("name", CLOUDS)
def test_one_cloud_is_one_cloud(name):
    counts = [
        gm.find_clusters(CLOUDS[name](np.random.default_rng([seed, d]), d), STANDARDIZED, rng=seed).count
        for d in DIMENSIONS
        for seed in range(10)
    ]
    assert sum(count > 1 for count in counts) <= 6


@pytest.mark.parametrize("sizes", [(150, 50), (90, 70, 40), (50, 40, 60, 30, 20), (40, 25, 60, 30, 50, 35, 45, 25)])
def test_groups_that_stand_apart_are_found_in_the_right_number(sizes):
    right = 0
    for d in DIMENSIONS:
        for seed in range(5):
            X, label = groups(np.random.default_rng([seed, d]), sizes, d)
            found = gm.find_clusters(X, STANDARDIZED, rng=seed)
            right += found.count == len(sizes) and adjusted_rand_score(label, found.labels) > 0.95
    assert right >= 18


@pytest.mark.parametrize(("d", "telling", "k"), [(10, 1, 2), (10, 2, 3), (30, 1, 2)])
def test_groups_that_differ_in_few_of_many_columns_are_found(d, telling, k):
    right = 0
    for seed in range(10):
        rng, label = np.random.default_rng([seed, d]), np.arange(200) % k
        X = rng.standard_normal((200, d))
        X[:, :telling] += 9 * np.linspace(0, k - 1, k)[label, None]
        found = gm.find_clusters(X, STANDARDIZED, rng=seed)
        right += found.count == k and adjusted_rand_score(label, found.labels) > 0.95
    assert right >= 9


def ages(rng):
    exact = rng.integers(20, 60, 1000)
    return np.where(rng.random(1000) < 0.5, 5 * np.round(exact / 5), exact)[:, None].astype(float)


HEAPED = {
    "ages of which half are rounded to five": ages,
    "multiples of five": lambda rng: 5 * np.round(rng.normal(10, 3, (300, 1))),
    "many zeros": lambda rng: np.where(rng.random((200, 1)) < 0.4, 0, rng.lognormal(1, 0.5, (200, 1))),
    "many zeros beside other columns": lambda rng: np.column_stack(
        [np.where(rng.random(200) < 0.4, 0, rng.lognormal(1, 0.5, 200)), rng.normal(size=(200, 2))]
    ),
    "yes and no beside other columns": lambda rng: np.column_stack([rng.random(200) < 0.3, rng.normal(size=(200, 3))]),
    "answers from 1 to 5": lambda rng: rng.integers(1, 6, (200, 6)).astype(float),
    "4, 6 or 8": lambda rng: np.column_stack([rng.choice([4, 6, 8], 200), rng.normal(size=(200, 2))]),
}


@pytest.mark.parametrize("name", HEAPED)
def test_values_written_down_coarsely_are_no_clusters(name):
    counts = [gm.find_clusters(HEAPED[name](np.random.default_rng(s)), STANDARDIZED, rng=s).count for s in range(10)]
    assert sum(count > 1 for count in counts) <= 2


def rings(rng):
    angle, radius = rng.uniform(0, 2 * np.pi, 400), np.repeat([1.0, 3.0], 200)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]) + 0.15 * rng.standard_normal((400, 2))


def moons(rng):
    return make_moons(400, noise=0.06, shuffle=False, random_state=int(rng.integers(1000)))[0]


@pytest.mark.parametrize("shape", [rings, moons])
def test_rings_and_moons_are_two(shape):
    label = np.repeat([0, 1], 200)
    scores = []
    for seed in range(10):
        found = gm.find_clusters(shape(np.random.default_rng(seed)), gm.Gaussian(0.3), rng=seed)
        scores.append(found.count == 2 and adjusted_rand_score(label, found.labels) > 0.95)
    assert sum(scores) >= 9


def test_the_answer_does_not_depend_on_the_bandwidth():
    X, _ = groups(np.random.default_rng(0), (60, 40), 3)
    labels = [gm.find_clusters(X, gm.Gaussian(width), rng=0).labels for width in (0.25, 1.0, 16.0)]
    assert (labels[0] == labels[1]).all()
    assert (labels[0] == labels[2]).all()


def test_the_evidence_belongs_to_the_answer():
    X, _ = groups(np.random.default_rng(1), (80, 60, 40), 2)
    found = gm.find_clusters(X, STANDARDIZED, rng=0)
    assert found.count == 3 == len(found.boundaries) + 1 == len(found.p_within)
    assert found.p_value == found.boundaries[0].p_value
    assert all(one.p_value <= 0.02 < inside for one in found.boundaries for inside in found.p_within)
    assert all(0 <= one.depth < 2 / 3 for one in found.boundaries)
    assert sum(found.boundaries[0].sizes) == len(X)
    assert np.abs(np.bincount(found.labels) - [80, 60, 40]).max() <= 2


def test_a_stricter_level_finds_no_more():
    X, _ = groups(np.random.default_rng(2), (30, 25, 20), 2)
    counts = [gm.find_clusters(X, STANDARDIZED, alpha=alpha, rng=0).count for alpha in (0.1, 0.05, 1e-30)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 1


def test_values_of_a_category_are_no_clusters():
    colors = np.random.default_rng(0).choice(["red", "green", "blue"], 200).tolist()
    found = gm.find_clusters(colors, gm.Equality(), rng=0)
    assert (found.count, len(found.tested), found.p_value) == (1, 3, 1.0)
    rows = [{"x": x, "color": c} for x, c in zip(np.random.default_rng(1).normal(size=200), colors, strict=True)]
    mixed = gm.find_clusters(rows, gm.Gaussian(1.0).on("x") + gm.Equality().on("color"), rng=0)
    assert (mixed.count, mixed.columns, mixed.left_out) == (1, ("x",), ("color",))


def test_copies_of_rows_are_no_clusters_and_share_their_label():
    X, label = groups(np.random.default_rng(3), (40, 30), 3)
    found = gm.find_clusters(np.repeat(X, 3, axis=0), STANDARDIZED, rng=0)
    assert found.count == 2
    assert adjusted_rand_score(np.repeat(label, 3), found.labels) == 1
    cloud = np.repeat(np.random.default_rng(4).normal(size=(25, 3)), 12, axis=0)
    assert gm.find_clusters(cloud, STANDARDIZED, rng=0).count == 1


def test_few_objects_and_equal_ones_are_one_cloud():
    for X in (np.zeros((1, 2)), np.zeros((50, 2)), np.repeat([[0.0], [9.0]], LEAST - 1, axis=0)):
        found = gm.find_clusters(X, gm.Gaussian(1.0), rng=0)
        assert (found.count, found.p_value, found.labels.tolist()) == (1, 1.0, [0] * len(X))


def test_many_objects_take_the_label_of_the_nearest_that_was_tested():
    X, label = groups(np.random.default_rng(5), (3000, 1500, 500), 4)
    found = gm.find_clusters(X, STANDARDIZED, rng=0)
    assert len(found.tested) == 1500
    assert found.count == 3
    assert adjusted_rand_score(label, found.labels) > 0.999


def test_strings_of_two_kinds_are_two_clusters():
    rng = np.random.default_rng(6)
    words = ["".join(rng.choice(list(letters), 30)) for letters in ("aab", "ccd") for _ in range(40)]
    found = gm.find_clusters(words, gm.Spectrum(2).normalize(), rng=0)
    assert found.count == 2
    assert adjusted_rand_score(np.repeat([0, 1], 40), found.labels) == 1


def test_the_same_seed_gives_the_same_answer_and_order_does_not_matter_to_the_groups():
    X, label = groups(np.random.default_rng(7), (50, 40, 30), 2)
    order = np.random.default_rng(8).permutation(len(X))
    first, again, other = (gm.find_clusters(A, STANDARDIZED, rng=3) for A in (X, X, X[order]))
    assert (first.labels == again.labels).all()
    assert first.p_within == again.p_within
    assert adjusted_rand_score(label[order], other.labels) == 1


def test_the_given_objects_are_left_alone():
    X = np.random.default_rng(9).integers(0, 5, (60, 2)).astype(float)
    X.setflags(write=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gm.find_clusters(X, gm.Gaussian(1.0), rng=0)


@pytest.mark.parametrize("alpha", [0, 1, "often"])
def test_a_level_that_is_none_is_refused(alpha):
    with pytest.raises((TypeError, ValueError), match="alpha"):
        gm.find_clusters([[0.0], [1.0]], gm.Gaussian(1.0), alpha=alpha)


# Categories alone


def answers(seed, how, n=240, d=12):
    """Return answers to yes and no questions: of chance, of one opinion that all have more or less, or of two camps."""
    rng = np.random.default_rng(seed)
    camp = np.arange(n) % 2
    said = {
        "chance": lambda: rng.random((n, d)) < 0.5,
        "uneven chance": lambda: rng.random((n, d)) < rng.uniform(0.1, 0.9, d),
        "one opinion": lambda: rng.standard_normal((n, d)) + rng.standard_normal((n, 1)) > 0,
        "two camps": lambda: (rng.random((n, d)) < 0.85) == camp[:, None].astype(bool),
    }[how]()
    names = [f"q{k}" for k in range(d)]
    rows = [dict(zip(names, np.where(line, "yes", "no").tolist(), strict=True)) for line in said]
    kernel = sum((gm.Equality().on(name) for name in names[1:]), gm.Equality().on(names[0])).normalize()
    return gm.find_clusters(rows, kernel, rng=seed), camp


@pytest.mark.parametrize("how", ["chance", "uneven chance", "one opinion"])
def test_answers_by_chance_or_of_one_opinion_are_one_cloud(how):
    assert sum(answers(seed, how)[0].count > 1 for seed in range(20)) <= 1


def test_two_camps_are_found_by_their_answers():
    right = 0
    for seed in range(20):
        found, camp = answers(seed, "two camps")
        same = np.mean(found.labels == camp)
        right += found.count == 2 and max(same, 1 - same) > 0.95
        assert found.columns == tuple(f"q{k}" for k in range(12))
    assert right >= 19
