"""The valley between two heaps of numbers: its windows by a slow search, its p-value by its definition."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from gramian.explain import valleys
from gramian.explain.valleys import DEPTH, WIDTHS, Windows, deepest, p_value


def slow_p(values, left, valley, right):
    """The p-value of three sets of numbers, counted one by one."""
    inside = [sum(low <= x <= high for x in values) for low, high in (left, valley, right)]
    heap = min(inside[0], inside[2])
    return binom.cdf(inside[1], inside[1] + heap, DEPTH / (1 + DEPTH))


def slow_deepest(values, width):
    """The smallest p-value over all windows that begin at a number, the valley just after one."""
    values, best = np.sort(values), 1.0
    for i, j, k in product(range(len(values)), repeat=3):
        left, valley, right = values[j], values[i], values[k]
        if left + width <= valley and valley + width <= right:
            within = [sum(x <= y <= x + width for y in values) for x in (left, right)]
            between = sum(valley < y < valley + width for y in values[i + 1 :])
            best = min(best, binom.cdf(between, between + min(within), DEPTH / (1 + DEPTH)))
    return best


@settings(deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=14, unique=True), st.floats(0.02, 1))
def test_the_windows_are_the_best_of_all(values, unit):
    values = np.round(values, 3) + np.arange(len(values)) * 1e-7  # no two windows end at nearly the same number
    found, _ = deepest(values, unit)
    assert found == pytest.approx(min(slow_deepest(values, unit * width) for width in WIDTHS), rel=1e-6)


@settings(deadline=None)
@given(st.tuples(*[st.integers(0, 40)] * 3))
def test_the_p_value_is_that_of_the_sparser_side(counts):
    left, valley, right = counts
    expected = binom.cdf(valley, valley + min(left, right), 0.4)
    assert p_value(np.array(counts)) == pytest.approx(expected, rel=1e-9)


def test_the_windows_count_what_lies_in_them():
    values = np.random.default_rng(0).uniform(0, 10, 200)
    windows = Windows(1.0, 4.0, 7.5, 2.0)
    expected = slow_p(values, (1, 3), (4, 6), (7.5, 9.5))
    assert p_value(windows.counts(values)) == pytest.approx(expected, rel=1e-9)


def test_windows_lie_beside_each_other_and_the_bottom_between_the_heaps():
    rng = np.random.default_rng(1)
    _, windows = deepest(np.concatenate([rng.normal(0, 1, 50), rng.normal(12, 2, 30)]), 3.0)
    assert windows.left + windows.width <= windows.valley
    assert windows.valley + windows.width <= windows.right
    assert 2 < windows.bottom < 8


@pytest.mark.parametrize("draw", ["uniform", "standard_normal", "standard_exponential"])
def test_fixed_windows_seldom_see_a_valley_in_one_heap(draw):
    windows, draws = Windows(0.2, 0.4, 0.6, 0.15), 2000
    samples = getattr(np.random.default_rng(2), draw)(size=(draws, 60))
    p = np.array([p_value(windows.counts(one)) for one in samples])
    assert (p <= 0.05).sum() <= binom.ppf(1 - 1e-6, draws, 0.05)


def test_too_few_numbers_have_no_valley():
    assert deepest(np.array([1.0, 2.0]), 5.0) == (1.0, None)


def test_the_least_p_value_is_found_from_few(monkeypatch):
    rng, asked = np.random.default_rng(3), []
    monkeypatch.setattr(valleys, "p_value", lambda counts: (asked.append(counts.shape[1]), p_value(counts))[1])
    for _ in range(300):
        heaps, between = rng.integers(1, 30, 200), rng.integers(0, 20, 200)
        least, places = valleys._least(heaps, between)
        every = p_value(np.array([heaps, between, heaps]))
        assert least == every.min()
        assert places.tolist() == np.flatnonzero(every == every.min()).tolist()
    assert max(asked) <= 20


@pytest.mark.parametrize("unit", [0.0, 1e-300])
def test_windows_that_vanish_beside_equal_numbers_see_no_valley(unit):
    assert deepest(np.repeat([1.0, 2.0, 3.0], [30, 1, 30]), unit) == (1.0, None)
