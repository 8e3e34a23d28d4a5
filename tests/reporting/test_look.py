"""How the report reads and looks: rules that hold for every data set, over many draws."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.intake.reading import from_objects, load_example
from gramian.kernels.radial import Matern
from gramian.learn.candidates import candidates
from gramian.reporting import blocks, markup, pace
from gramian.reporting.build import AT_THE_END, SECTIONS, build, ordered
from gramian.reporting.contest import hold
from gramian.reporting.figures import draw
from gramian.reporting.figures.drawing import COLORS, SHAPES
from gramian.reporting.figures.scatter import POOR
from gramian.reporting.fitting import written
from gramian.reporting.study import Study
from gramian.reporting.words import in_words


@settings(deadline=None, max_examples=500)
@given(st.floats(-1e12, 1e12) | st.floats(-1, 1) | st.floats(0, 1e-3))
def test_no_share_is_written_with_an_e(value):
    told = [blocks.share(value), blocks.plus_minus(value, abs(value), shares=True)]
    if value >= 0:
        told += [blocks.at_most(min(value, 1)), blocks.bounded(min(value, 1), above=True)]
    assert not any(re.search(r"\de", words) for words in told)


@pytest.mark.parametrize("name", ["iris", "cars", "promoters", "football", "addresses"])
def test_candidates_are_told_apart_in_words_without_their_expression(name):
    every = candidates(load_example(name))
    words = [in_words(kernel) for kernel in every]
    assert len(set(words)) == len(words)
    assert not any(re.search(r"[=*_]|gaussian|normalize", one) for one in words)
    assert max(map(len, words)) < 130


def test_a_kernel_is_described_by_what_it_compares():
    assert in_words(gm.Gaussian(2.5).pullback(gm.Standardize())) == "numbers within about 2.5 standard deviations"
    assert in_words(gm.Equality().on("a") + gm.Equality().on("b")) == "the same a and b"
    assert in_words(gm.Spectrum(2).on("dna") * gm.Equality().on("town")) == (
        "common pieces of 2 letters in dna, and the same town"
    )
    assert in_words(gm.Gaussian("median")) == "numbers within the median distance"
    assert in_words(Matern(2.0)) != in_words(gm.Gaussian(2.0))


def test_a_kernel_without_words_is_called_by_its_expression():
    assert in_words(gm.AllSubsets()) == written(gm.AllSubsets())


def seen(X, kernel):
    study = Study.of(from_objects(X), kernel)
    return study, study.held


@pytest.mark.parametrize("seed", range(20))
def test_points_that_no_kernel_value_ties_to_others_are_hollow_and_the_rest_is_not(seed):
    rng = np.random.default_rng(seed)
    groups = [rng.normal(middle, 0.2, (40, 2)) for middle in ([-2, 0], [2, 0], [0, 3])]
    study, held = seen(np.concatenate([*groups, np.eye(2) * (100 + seed)]), gm.Gaussian(1.0))
    assert np.all(held[-2:] < POOR)
    assert np.median(held[:-2]) > 5 * POOR
    far = np.linalg.norm(study.map, axis=1)
    assert far[-2:].max() < np.median(far)  # though they fall nearer to the middle than typical objects


@pytest.mark.parametrize("seed", range(10))
def test_the_share_held_is_the_squared_cosine_between_image_and_plane(seed):
    X = np.random.default_rng(seed).normal(size=(30, 4))
    Z = X - X.mean(axis=0)
    plane = np.linalg.svd(Z)[2][:2]
    _, held = seen(X, gm.Linear())
    np.testing.assert_allclose(held, np.square(Z @ plane.T).sum(axis=1) / np.square(Z).sum(axis=1), rtol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_a_plane_holds_flat_data_whole(seed):
    _, held = seen(np.random.default_rng(seed).normal(size=(30, 2)), gm.Linear())
    np.testing.assert_allclose(held, 1, rtol=1e-8)


def points(n, groups):
    return {
        "x": list(range(n)),
        "y": list(range(n)),
        "x_label": "x",
        "y_label": "y",
        "hover": [""] * n,
        "group": [k % groups for k in range(n)],
        "groups": [f"group {k}" for k in range(groups)],
    }


@pytest.mark.parametrize("groups", [3, 8, 19, 64, 65, 200])
def test_no_two_groups_share_colour_and_shape_and_the_legend_counts_every_point(groups):
    drawn = draw("scatter", points(400, groups))
    marks = [(one.color, one.shape) for one in drawn.legend]
    assert len(set(marks)) == len(marks) == min(groups, COLORS * SHAPES)
    assert sum(one.count for one in drawn.legend) == 400
    assert {row[3] for row in drawn.rows} == {f"group {k}" for k in range(groups)}


def test_hollow_points_are_those_of_which_little_is_seen_and_are_counted():
    drawn = draw("scatter", points(4, 2) | {"held": [0.5, 0.02, None, 0.1]})
    assert drawn.body.count("hollow") == 1
    assert "1 of 4 points is hollow" in drawn.remark
    assert [row[-1] for row in drawn.rows] == ["50 %", "2 %", None, "10 %"]
    assert "hollow" not in draw("scatter", points(4, 2)).body


@pytest.mark.parametrize("seed", range(10))
def test_equal_axes_give_a_unit_the_same_length(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0, 10, 50).tolist(), rng.normal(5, 1, 50).tolist()
    drawn = draw("scatter", points(50, 1) | {"x": a, "y": b, "equal": True})
    left, top, right, bottom = map(float, drawn.attributes["zoom"].split())
    (x0, x1, _), (y0, y1, _) = (map(float, drawn.attributes[axis].split()) for axis in "xy")
    assert (right - left) / (x1 - x0) == pytest.approx((bottom - top) / (y1 - y0), rel=1e-3)


@pytest.mark.parametrize("classes", [4, 8, 19])
def test_each_class_has_a_row_of_its_own_in_the_order_of_the_medians(classes):
    rng = np.random.default_rng(classes)
    shown = {f"class {k}": rng.normal(rng.permutation(classes)[0], 0.3, 30) for k in range(classes)}
    drawn = draw("ridges", blocks.plain(blocks.histogram_of(shown, "projection")))
    assert len(drawn.rows) == classes == drawn.body.count('class="column"')
    assert [row[2] for row in drawn.rows] == sorted(row[2] for row in drawn.rows)
    floors = [float(y) for y in re.findall(r'class="column" x="[^"]*" y="([^"]*)"', drawn.body)]
    assert min(b - a for a, b in pairwise(floors)) > 2 * 12.5  # letters do not touch


def test_sections_on_feature_spaces_come_last_and_folded():
    made = [blocks.Section(name, "", "", []) for name in ("verdict", "kernel", "new", "spectrum", "map", "geometry")]
    found = ordered(made)
    assert [one.id for one in found] == ["verdict", "map", "new", *AT_THE_END]
    assert [one.folded for one in found] == [False, False, False, True, True, True]


def test_in_a_table_an_object_is_told_by_a_few_fields_and_beside_a_point_by_more():
    rng = np.random.default_rng(0)
    study = Study.of(from_objects(rng.standard_normal((30, 20)), rng.choice(["u", "v"], 30)), gm.Gaussian(2.0))
    (listed,), (hover,) = study.listed(np.array([3])), study.hover(np.array([3]))
    assert listed.startswith("4: x1: ")
    assert (listed.count(": "), hover.count(": ")) == (5, 13)
    assert listed.endswith("…")
    assert "y = " in hover


@pytest.mark.parametrize(
    ("text", "made"), [("mean_red_val", "mean_<wbr>red_<wbr>val"), ("_x_", "_x_"), ("<b>_a", "&lt;b&gt;_a")]
)
def test_a_long_name_may_be_broken_where_it_has_an_underscore(text, made):
    assert markup.cell(text) == made


class Told:
    """A task of progress that remembers what it was told."""

    def __init__(self):
        self.states = []

    def advance(self, done, total=None, note="", stride=1):
        self.states.append((done / total, stride / total))


def paced(monkeypatch, took, expected):
    """The states of a task whose steps took so many seconds and were expected to take others."""
    now = [0.0]
    monkeypatch.setattr(pace, "clock", lambda: now[0])
    told = Told()
    made = pace.Pace(told, list(took), expected)
    for step, seconds in took.items():
        made.begin(step)
        now[0] += seconds
        assert made.took == pytest.approx(seconds)
    return told.states


def test_where_every_step_takes_what_was_expected_the_share_is_that_of_the_time(monkeypatch):
    took = {"a": 1.0, "b": 2.0, "c": 7.0}
    assert paced(monkeypatch, took, took) == [pytest.approx(state) for state in ((0, 0.1), (0.1, 0.2), (0.3, 0.7))]


@pytest.mark.parametrize("seed", range(20))
def test_the_time_left_is_off_by_no_more_than_the_guesses_are(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    took = {step: float(rng.exponential()) for step in "abcdef"}
    guessed = {step: seconds * rng.uniform(1 / 2, 2) for step, seconds in took.items()}
    passed = 0.0
    for (reached, _), seconds in zip(paced(monkeypatch, took, guessed), took.values(), strict=True):
        left = sum(took.values()) - passed
        said = passed * (1 - reached) / reached if passed else left
        assert left / 2 <= said * (1 + 1e-9)
        assert said <= 2 * left * (1 + 1e-9)
        passed += seconds


@pytest.mark.parametrize("off", [0.1, 10])
def test_a_step_that_takes_another_time_than_guessed_is_told_by_a_share_of_it(monkeypatch, off):
    now = [0.0]
    monkeypatch.setattr(pace, "clock", lambda: now[0])
    told = Told()
    made = pace.Pace(told, ["a", "b", "c"], {"a": 1.0, "b": 10.0 * off, "c": 5.0})
    made.begin("a")
    now[0] = 1.0
    made.begin("b")
    now[0] = 3.0  # a fifth of ten seconds
    made.within(0.2)
    reached, stride = told.states[-1]
    assert (reached, stride) == pytest.approx((1 / 16, 10 / 16))  # of the whole step, of which a fifth is done
    assert reached + 0.2 * stride == pytest.approx(3 / 16)
    now[0] = 11.0
    made.begin("c")
    assert told.states[-1] == pytest.approx((11 / 16, 5 / 16))


def test_the_first_fold_sets_the_guess_of_the_others_and_of_what_follows():
    data = load_example("iris")
    slow, fast = pace.by_fold(data, 200.0), pace.by_fold(data, 20.0)
    assert all(slow[step] > fast[step] for step in (pace.ASKING, pace.LAST))
    shares = []
    hold(Study.of(data, gm.Gaussian(2.0)), True, shares.append)
    assert shares == pytest.approx([1 / 3, 2 / 3, 1])


def steps_of(sections):
    return {one.__name__.rpartition(".")[2].replace("_", " ") for one in sections}


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", ["iris", "promoters", "addresses", "football"])
def test_every_step_that_takes_long_has_a_guess_and_prediction_the_largest(name, quick):
    data = load_example(name)
    guessed = pace.at_first(data, quick)
    assert {pace.CHOOSING, pace.PREDICTING, pace.SHOWING, pace.ASKING, pace.SURE, pace.LAST} <= set(guessed)
    assert steps_of(SECTIONS) - {"came in", "columns"} <= set(guessed)
    assert quick or max(guessed, key=guessed.__getitem__) == pace.PREDICTING
    assert min(guessed.values()) >= 0


def test_a_machine_that_is_ten_times_slower_is_told_by_the_first_step():
    data = load_example("iris")
    first = pace.at_first(data)
    slow = pace.by_choice(data, 10 * pace.ALIKE * first[pace.CHOOSING])
    assert 10 <= slow[pace.PREDICTING] / first[pace.PREDICTING] <= 10 * pace.ALIKE
    assert pace.by_choice(data, first[pace.CHOOSING])[pace.PREDICTING] == first[pace.PREDICTING]


def test_where_nothing_is_predicted_no_time_is_kept_for_it():
    data = from_objects(np.random.default_rng(0).standard_normal((50, 2)))
    guessed = pace.at_first(data)
    assert guessed[pace.PREDICTING] == guessed[pace.ASKING] == guessed[pace.SURE] == 0


def test_a_quick_report_has_verdict_map_and_prediction_and_says_that_it_is_one():
    found = build(load_example("iris"), "gaussian(1.5)", quick=True).data["sections"]
    assert [one["id"] for one in found] == ["verdict", "input", "prediction", "map"]
    assert "quick look" in str(found[0]["blocks"])
    assert found[0]["numbers"]["signal"] == "clear"
