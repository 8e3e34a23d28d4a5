"""The ways of learning: what is kept of objects that come piece by piece, and when more may be added."""

from copy import copy

import numpy as np
import pytest

import gramian as gm
from gramian.learn.ways import Exact, Summed, require_scatter
from gramian.space.moments import Chunk, Moments, Summary

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 2))
KERNEL = gm.Gaussian(1.0)
LOW = gm.Nystrom(KERNEL, rank=8).fit(X)


def chunk(places):
    return Chunk(LOW.encode(X[places]))


def summed(cuts, most, scatter=True):
    way = Summed(KERNEL, 8, summary=Summary(LOW, scatter))
    for start, stop in zip([0, *cuts], [*cuts, len(X)], strict=True):
        way.add(chunk(slice(start, stop)), most)
    return way


@pytest.mark.parametrize("most", [1, 7, 299, 300, 1000])
@pytest.mark.parametrize("cuts", [[1], [100, 200], [7, 8, 9, 250], list(range(50, 300, 50))])
def test_the_objects_that_are_kept_do_not_depend_on_the_cuts(cuts, most):
    whole, cut = summed([], most), summed(cuts, most)
    assert len(whole.probed.points) == len(whole.draws) == min(most, len(X))
    np.testing.assert_array_equal(cut.draws, whole.draws)
    np.testing.assert_array_equal(cut.probed.points.parts[0], whole.probed.points.parts[0])


def test_each_object_is_kept_equally_often():
    """A draw belongs to the place of an object: over many places all eighths of a long stream have their share."""
    way = Summed(KERNEL, 8, summary=Summary(LOW, scatter=False))
    for _ in range(16):
        way.add(chunk(slice(None)), 400)
    numbers = np.random.Generator(np.random.PCG64(0)).random(16 * len(X))
    np.testing.assert_array_equal(way.draws, numbers[np.sort(np.argsort(numbers)[:400])])


@pytest.mark.parametrize("scatter", [True, False])
def test_what_is_left_out_is_the_share_of_the_trace(scatter):
    way = summed([100], 1000, scatter)
    way.moments()
    expected = 1 - LOW.squared_norms(LOW.encode(X)).sum() / len(X)
    assert way.trace_error == pytest.approx(expected, rel=1e-9)
    assert 0 < way.trace_error < 1
    assert Exact(KERNEL, 8).trace_error == 0


def test_a_copy_takes_no_note_of_what_is_added():
    way = summed([100], 50)
    before = way.summary.groups[0].scatter
    other = copy(way)
    other.add(chunk(slice(0, 100)), 50)
    other.labels["a"] = 0
    assert (way.summary.count, way.labels, len(way.probed.points)) == (300, {}, 50)
    np.testing.assert_array_equal(way.summary.groups[0].scatter, before)
    assert other.summary.count == 400


@pytest.mark.parametrize(
    ("way", "said"),
    [(Exact(KERNEL, None), "has learnt exactly"), (summed([], 5), "has learnt in low rank")],
    ids=["exact", "summed"],
)
def test_another_way_or_other_settings_are_refused(way, said):
    way.require_same(KERNEL, way.rank, way.in_low_rank)
    for kernel, rank, low in [
        (gm.Gaussian(2.0), way.rank, way.in_low_rank),
        (KERNEL, 9, way.in_low_rank),
        (KERNEL, way.rank, not way.in_low_rank),
    ]:
        with pytest.raises(ValueError, match=said):
            way.require_same(kernel, rank, low)


def test_sums_of_a_kernel_with_features_of_its_own_are_not_in_low_rank():
    way = Summed(gm.Linear(), None, summary=Summary(gm.Linear()))
    way.add(Chunk(gm.Linear().encode(X)), 10)
    assert not way.in_low_rank
    assert way.mean_left_out() == 0
    assert way.described() == "primal, 2 features of 300 objects summed up in one pass"


def test_nothing_is_known_before_the_first_object():
    with pytest.raises(ValueError, match="no objects were learnt from yet"):
        Summed(KERNEL, 8, summary=Summary(LOW)).probed  # noqa: B018


@pytest.mark.parametrize("most", [60, 300])
def test_the_part_of_the_mean_that_landmarks_leave_out_is_that_of_all_objects(most):
    way = summed([100], most)
    way.moments()
    K, phi = KERNEL(X), np.asarray(LOW.features(X))
    expected = K.mean() - np.square(phi.mean(axis=0)).sum()
    spread = 0.0 if most == len(X) else 0.5 * way.trace_error
    assert way.mean_left_out() == pytest.approx(expected, rel=1e-6, abs=spread)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_scatter_that_is_no_number_is_refused_in_any_group(place):
    groups = [Moments(2) for _ in range(3)]
    groups[place].lower = np.full((2, 2), np.nan)
    with pytest.raises(ValueError, match="the scatter of the features reaches nan"):
        require_scatter(groups, 1e290)
    require_scatter([Moments(2)], 1e290)
    require_scatter([Moments(2, scatter=False)], 1e290)
