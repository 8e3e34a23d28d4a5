"""Distances in which one cloud stays one cloud."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import gramian as gm
from gramian.explain.straight import Straight, distinct

rng = np.random.default_rng(0)
X = rng.normal(size=(12, 3))
WORDS = ["abab", "abba", "bbab", "aaab", "abab"]


@pytest.mark.parametrize(
    ("kernel", "unit"),
    [
        (gm.Gaussian(0.3), 0.3),
        (gm.Matern(2.0), 2.0),
        (gm.Laplacian(5.0), 5.0),
        (gm.Linear(), 1.0),
        (gm.Polynomial(3), 1.0),
        (2 * gm.Gaussian(0.3), 0.3),
        (gm.Gaussian(0.3).normalize(), 0.3),
    ],
)
def test_kernels_of_vectors_compare_by_the_distance_of_the_vectors(kernel, unit):
    points, *_ = Straight.of(kernel, X)
    assert points.distances(points) == pytest.approx(cdist(X, X) / unit, rel=1e-12, abs=1e-7)


def test_other_kernels_compare_by_the_distance_in_feature_space():
    kernel = gm.Spectrum(2).normalize()
    points, *_ = Straight.of(kernel, WORDS)
    assert points.distances(points) == pytest.approx(gm.FeatureSpace(kernel)(WORDS).distances(), abs=1e-12)


@pytest.mark.parametrize("combine", [lambda a, b: a + b, lambda a, b: a * (b + 1)])
def test_squares_of_parts_add_up(combine):
    rows = [{"x": x, "z": z, "word": word} for (x, z, _), word in zip(X, WORDS, strict=False)]
    numbers, words = gm.Gaussian(2.0).on("x", "z"), gm.Spectrum(2).on("word")
    found = Straight.of(combine(numbers, words), rows)[0]
    parts = [Straight.of(kernel, rows)[0] for kernel in (numbers, words)]
    squares = sum(np.square(one.distances(one)) for one in parts)
    assert found.distances(found) == pytest.approx(np.sqrt(squares), abs=1e-7)


def test_categories_are_left_out_beside_other_columns_only():
    rows = [{"x": x, "color": "red" if x > 0 else "blue"} for x in X[:, 0]]
    numbers, color = gm.Gaussian(1.0).on("x"), gm.Equality().on("color")
    mixed, *names = Straight.of(numbers + color, rows)
    alone = Straight.of(numbers, rows)[0]
    assert names == [("x",), ("color",)]
    assert mixed.distances(mixed) == pytest.approx(alone.distances(alone))
    assert Straight.of(color, rows)[1:] == (("color",), ())


def test_columns_of_many_zeros_are_left_out_and_few_whole_numbers_are_not():
    table = np.column_stack(
        [
            rng.normal(size=200),
            np.where(rng.random(200) < 0.4, 0, rng.lognormal(size=200)),
            rng.integers(0, 2, 200),
            rng.poisson(1, 200),
            np.where(rng.random(200) < 0.2, 0, rng.lognormal(size=200)),
        ]
    )
    points, looked_at, left_out = Straight.of(gm.Gaussian(1.0), table)
    assert (looked_at, left_out) == ((0, 2, 3, 4), (1,))
    assert points.coordinates.shape == (200, 4)
    assert Straight.of(gm.Gaussian(1.0), table[:, [1]])[1:] == ((0,), ())


def test_values_of_which_many_are_multiples_are_smeared_over_these():
    ages = rng.integers(20, 60, 1000)
    heaped = np.where(rng.random(1000) < 0.5, 5 * np.round(ages / 5), ages)
    points, *_ = Straight.of(gm.Linear(), np.column_stack([ages, heaped]).astype(float))
    moved = np.abs(points.smeared(np.random.default_rng(0)).parts[0] - points.parts[0]).max(axis=0)
    assert 0.45 < moved[0] <= 0.5
    assert 2.4 < moved[1] <= 2.5


def test_copies_count_once():
    doubled = np.vstack([X, X[[3, 3]]])
    points, *_ = Straight.of(gm.Linear(), doubled)
    first, same = distinct(points.distances(points))
    assert first.tolist() == list(range(12))
    assert same.tolist() == [*range(12), 3, 3]


def test_whole_numbers_are_smeared_over_a_step_and_others_hardly():
    whole = np.column_stack([rng.integers(0, 6, 500), rng.normal(size=500)]).astype(float)
    points, *_ = Straight.of(gm.Linear(), whole)
    moved = points.smeared(np.random.default_rng(0)).parts[0] - points.parts[0]
    largest = np.abs(moved).max(axis=0)
    assert 0.45 < largest[0] <= 0.5
    assert largest[1] < 0.05


def test_vectors_too_large_to_be_squared_are_compared_in_feature_space():
    points, *_ = Straight.of(gm.Gaussian(1e200), X * 1e200)
    assert np.isfinite(points.distances(points)).all()
