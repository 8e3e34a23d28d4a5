"""What the page says of columns, unusual objects and its own sureness: sentences on both sides of their conditions."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from threadpoolctl import threadpool_info

import gramian as gm
from gramian.explain.importance import Cluster, ColumnImportance
from gramian.intake.reading import from_objects
from gramian.learn.weights import FeatureWeights
from gramian.reporting import blocks, plain
from gramian.reporting import contest as contests
from gramian.reporting.amiss import amiss
from gramian.reporting.because import Because, because, phrase, wording
from gramian.reporting.build import build
from gramian.reporting.contest import hold
from gramian.reporting.matters import Matters, asked, matters
from gramian.reporting.measures import Difference
from gramian.reporting.sections import columns as columns_section
from gramian.reporting.sections.columns import capped, constant, drawn, rounded
from gramian.reporting.sections.columns_that_matter import sentence, spoken, told_apart
from gramian.reporting.sections.prediction.apart import apart
from gramian.reporting.sections.uncertainty import Learning, Promise, _meaning, _more, _sure, held, learning
from gramian.reporting.study import Study
from gramian.runtime.threads import beside


@pytest.fixture(autouse=True)
def once(monkeypatch):
    """One repetition and few trees suffice for what is claimed here."""
    monkeypatch.setattr(contests, "REPEATS", 1)
    monkeypatch.setattr(plain, "FEWER", 40)


def study_of(X, y=None, kernel=None, **how):
    return Study.of(from_objects(X, y, **how), kernel or gm.Gaussian(1.5))


def table(n=200, d=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng


def section(report, name):
    return next((one for one in report.data["sections"] if one["id"] == name), None)


def importance(values, errors, clusters=(), folds=5):
    names = tuple("abcdef"[: len(values)])
    return ColumnImportance(
        names, np.array(values), np.array(errors), "share of mistakes", 0.1, 0.01, clusters, folds, 3
    )


# Why something was mistaken


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_the_column_that_was_spoilt_is_why_an_object_is_mistaken(task):
    """Two columns tell the target, two are noise; in ten objects one of the former was exchanged for a wrong value."""
    named, noise = 0, 0
    for seed in range(10):
        X, rng = table(160, 4, seed)
        classes = task == "classes"
        side = np.sign(X[:, 0])
        if classes:  # both columns tell the class
            X[:, :2] = np.abs(X[:, :2]) * side[:, None] + side[:, None]
        y = np.where(side > 0, "up", "down") if classes else X[:, 0] + X[:, 1]
        spoilt, column = rng.choice(160, 10, replace=False), rng.integers(0, 2, 10)
        X[spoilt, column] -= 6 * (side[spoilt] if classes else np.sign(X[spoilt, column]))
        study = study_of(X, y, gm.Linear())
        contest = hold(study)
        told = amiss(study, contest, np.searchsorted(contest.rows, spoilt))
        names = study.data.recipe.columns
        named += sum(bool(one) and one[0].column == names[k] for one, k in zip(told, column, strict=True))
        noise += sum(reason.column in names[2:] for one in told for reason in one)
    assert named >= 95
    assert noise <= 5


def test_what_was_missing_is_told_as_missing_and_the_page_says_why():
    rng = np.random.default_rng(0)
    height = np.where(np.arange(120) % 2, 180.0, 165.0) + rng.normal(scale=3, size=120)
    records = [{"height": float(h), "noise": float(rng.normal())} for h in height]
    records[7]["height"] = None
    found = gm.report(
        records, ["male" if k % 2 else "female" for k in range(120)], "standardize(linear) on height, noise"
    )
    rows = next(b for b in section(found, "prediction")["blocks"] if "speaks against" in b.get("caption", ""))["rows"]
    why = next(row[-1] for row in rows if row[0].startswith("8:"))
    assert why.startswith("height missing, usual 1")


# What sets classes apart


def test_the_picture_of_profiles_shows_what_the_sentences_say():
    X, _ = table(200)
    X[:100, 2] += 3
    found = section(gm.report(X, ["first"] * 100 + ["then"] * 100, "gaussian(1.5)"), "prediction")
    drawn = next(block for block in found["blocks"] if block.get("id") == "profiles")["data"]
    assert drawn["rows"] == ["first", "then"]
    assert len(drawn["columns"]) == 1
    (up,), (down,) = drawn["values"]
    assert up == pytest.approx(3, abs=0.5)
    assert down == pytest.approx(-up)
    nothing = section(gm.report(X[:, :2], ["a", "b"] * 100, "gaussian(1.5)"), "prediction")
    assert not any(block.get("id") == "profiles" for block in nothing["blocks"])


# Which columns matter


def test_the_column_that_makes_the_target_is_the_most_important_and_noise_does_not_stand_out():
    X, rng = table()
    study = study_of(X, 2 * X[:, 2] + 0.3 * rng.standard_normal(200), gm.Linear())
    found = matters(study, hold(study))
    name = study.data.recipe.columns[2]
    assert found.columns[0]["column"] == name
    assert found.outstanding == [name]
    assert [one.column for one in found.effects] == [name]
    effect = found.effects[0]
    slope = np.polyfit(effect.values, effect.effects[:, 0], 1)[0]
    assert slope == pytest.approx(2, abs=0.25)


def test_nothing_is_asked_where_there_is_no_signal():
    X, rng = table(100)
    study = study_of(X, rng.standard_normal(100))
    assert matters(study, hold(study)) is None
    assert sentence(None) == ""


def test_importance_keeps_rows_that_belong_together_in_one_fold():
    X, rng = table(120)
    unit = np.repeat(np.arange(30), 4)
    study = study_of(X, X[:, 0] + 0.1 * rng.standard_normal(120), group=unit.tolist())
    contest = hold(study)
    for fold in contest.cut:
        assert not set(unit[contest.learnt[fold.train]]) & set(unit[contest.learnt[fold.test]])
    assert matters(study, contest).importance.folds == len(contest.cut) == 5


def test_the_model_that_is_asked_is_a_kernel_learner_only_if_none_is_better():
    X, rng = table(400, 6)
    smooth = study_of(X[:, :2], np.sin(X[:, 0] + X[:, 1]) + 0.1 * rng.standard_normal(400))
    assert asked(hold(smooth)).formula == "ridge"
    steps = study_of(X, np.where((X[:, 0] > 0) & (X[:, 1] > 0), "in", "out"), gm.Linear())
    contest = hold(steps)
    assert contest.best not in contest.ties
    assert asked(contest).family == "trees"
    found = matters(steps, contest)
    assert {one["column"] for one in found.columns[:2]} == set(steps.data.recipe.columns[:2])


def test_a_column_stands_out_beyond_2_8_errors_of_five_folds_only():
    assert Matters("m", importance([0.29, 0.27], [0.1, 0.1])).outstanding == ["a"]
    assert "What matters above all: “a” (with" in sentence(Matters("m", importance([0.29, 0.27], [0.1, 0.1])))
    between = sentence(Matters("m", importance([0.9, 0.6, 0.5, 0.1], [0.1, 0.5, 0.1, 0.1])))
    assert "What matters above all: “a” and “c”, and perhaps “b” (with" in between
    assert "perhaps" not in sentence(Matters("m", importance([0.9, 0.5, 0.4], [0.1, 0.1, 0.4])))
    unsure = sentence(Matters("m", importance([0.4, 0.29], [0.3, 0.1])))
    assert "What matters beyond chance: “b” (with the values of “b”" in unsure
    assert "“a” seems to matter more, but so unevenly" in unsure
    none = Matters("m", importance([0.27, 0.1], [0.1, 0.1]))
    assert "No single column stands out" in sentence(none)
    assert "together" not in sentence(none)
    joint = Matters("m", importance([0.27, 0.1], [0.1, 0.1], (Cluster(("a", "b"), 0.5, 0.1),)))
    assert "“a” and “b” together do" in sentence(joint)


@pytest.mark.parametrize("kind", ["category", "text"])
def test_names_that_are_all_different_do_not_spoil_the_plain_models(kind):
    """Their indicators, or the weights of their words, would outweigh every number, were they scaled as numbers are."""
    worse = {"linear": [], "neighbours": []}
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, color = rng.standard_normal((90, 3)), rng.choice(list("rgb"), 90).tolist()
        y = X @ [3.0, 2.0, 1.0] + 0.5 * rng.standard_normal(90)
        rows = [dict(zip("abc", row, strict=True), color=one) for row, one in zip(X.tolist(), color, strict=True)]
        named = [{**row, "name": f"maker{k % 30} model{k}"} for k, row in enumerate(rows)]
        without = errors(from_objects(rows, y, kinds={"color": "category"}), worse)
        found = errors(from_objects(named, y, kinds={"color": "category", "name": kind}), worse)
        for family, ratios in worse.items():
            ratios.append(found[family] / without[family])
    assert np.median(worse["linear"]) < 1.5
    assert np.median(worse["neighbours"]) < 1.5


def errors(data, families):
    """The squared errors of plain models at the last third of the objects."""
    kept, left = np.split(np.arange(len(data)), [2 * len(data) // 3])
    models = [one for one in plain.baselines(data) if one.family in families]
    return {one.family: np.square(one.predict(kept, data.y[kept], left) - data.y[left]).mean() for one in models}


def test_a_line_sees_many_words_of_few_texts():
    """Of 250 words all speak for the target; the hundred commonest would tell two fifths of it at most."""
    told = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        drawn, weight = rng.integers(250, size=(400, 40)), rng.standard_normal(250)
        y = weight[drawn].sum(axis=1)
        rows = [{"size": rng.normal(), "words": " ".join(f"w{k}" for k in one)} for one in drawn.tolist()]
        data = from_objects(rows, y, kinds={"words": "text"})
        (line,) = (one for one in plain.baselines(data) if one.family == "linear")
        said = line.predict(np.arange(350), y[:350], np.arange(350, 400))
        told.append(1 - np.square(said - y[350:]).mean() / y.var())
    assert np.median(told) > 0.6


def test_columns_of_all_kinds_are_asked_also_by_plain_models():
    rng = np.random.default_rng(0)
    color = rng.choice(["red", "blue"], 200)
    size = rng.standard_normal(200)
    records = [{"color": c, "size": s} for c, s in zip(color.tolist(), size.tolist(), strict=True)]
    data = from_objects(records, np.where((color == "red") ^ (rng.random(200) < 0.05), "yes", "no"))
    made = plain.baselines(data)
    for one in made:
        model = plain.of_objects(data, one.model(200, data.y)).fit(data.X, data.y.astype(str))
        assert np.mean(model.predict(data.X) == data.y) > 0.9
        swapped = data.X.copy()
        swapped["color"] = swapped["color"][::-1]
        assert np.mean(model.predict(swapped) == data.y) < 0.8


def test_the_verdict_and_the_section_tell_the_same_columns():
    X, _ = table(150)
    found = gm.report(X, np.where(X[:, 1] > 0, "high", "low"), "gaussian(1.5)")
    verdict, told = section(found, "verdict"), section(found, "columns_that_matter")
    important = verdict["numbers"]["important"]
    assert [set(one) for one in important] == [{"column", "importance", "error"}] * 4
    values = [one["importance"] for one in important]
    assert values == sorted(values, reverse=True)
    assert [one["column"] for one in told["numbers"]["columns"]] == [one["column"] for one in important]
    assert told["lead"] in verdict["lead"]
    assert "Which columns matter" in found.html
    json.dumps(found.data, allow_nan=False)


def test_words_that_speak_for_a_class_are_named_on_its_side():
    weights = FeatureWeights(
        ("good", "bad", "film"), np.array([[0.6], [-0.5], [0.0]]), ("praise",), np.zeros(1), "blame"
    )
    assert spoken(weights) == [("praise", [("good", 0.6)]), ("blame", [("bad", 0.5)])]
    rng = np.random.default_rng(0)
    texts = [
        f"{rng.choice(['a', 'the'])} {rng.choice(['film', 'book'])} {w} n{k}"
        for k, w in enumerate(["good", "bad"] * 40)
    ]
    study = study_of(texts, ["praise", "blame"] * 40, gm.BagOfWords(weighting="tf"))
    found = matters(study, hold(study))
    assert {name: words[0][0] for name, words in spoken(found.weights)} == {"praise": "good", "blame": "bad"}
    assert "for “praise”: “good”" in sentence(found)


# Why an object is unusual


def test_each_unusual_object_is_told_by_the_column_that_was_changed():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3)) * 0.3 + [5.0, 3.0, 1.0]
    X[7, 2] = 9.0
    found = build(from_objects(X), gm.Gaussian(2.0))
    most = section(found, "novelty")["numbers"]["most_unusual"]
    assert all(set(one) >= {"row", "name", "distance", "because"} for one in most)
    first = most[0]
    assert first["row"] == 7
    reason = first["because"][0]
    assert reason["column"] == section(found, "columns")["numbers"]["columns"][2]["name"]
    assert reason["value"] == 9.0
    low, high = reason["usual"]
    assert 0 < low < high < 2.5
    assert f"{reason['column']} 9, usual" in found.html


def test_years_are_written_as_years_and_other_numbers_are_not():
    assert phrase([Because("year", 1987, [1972, 1984])]) == "year 1987, usual 1972 to 1984"
    assert phrase([Because("sodium", 1987, [510, 1984])]) == "sodium 1,987, usual 510 to 1,984"
    assert blocks.alike([1790.0, 2021.0]) == ["1790", "2021"]
    assert blocks.alike([1790.5, 2021.0]) == ["1,790", "2,021"]


def test_words_that_make_an_object_unusual_are_told_as_words():
    reasons = [Because("war", 3.0, [0.0, 1.0]), Because("tax", 1.0, [2.0, 3.0]), Because("peace", 0.0, [1.0, 2.0])]
    assert wording(reasons) == "more “war” than usual; less “tax” than usual; lacks “peace”"
    assert (
        wording([Because("zinc", 2.0, [0.0, 0.0]), Because("lead", 1.0, [])])
        == "has “zinc”, as few do; has “lead”, as few do"
    )


def test_a_graph_has_no_columns_to_blame():
    study = SimpleNamespace(data=SimpleNamespace(kind="nodes", recipe=SimpleNamespace(columns=()), X=[]))
    assert because(study, None, np.arange(2)) == [[], []]


def test_reasons_are_told_apart_by_whether_the_value_is_within_the_usual_range():
    assert phrase([Because("pl", 6.9, [1.3, 1.7])]) == "pl 6.9, usual 1.3 to 1.7"
    assert phrase([Because("pl", 1.7, [1.3, 1.7])]) == "pl 1.7, at the edge of the usual 1.3 to 1.7"
    assert "though within the usual" in phrase([Because("pl", 1.5, [1.3, 1.7])])
    assert phrase([Because("color", "blue", ["red", "green"])]) == "color “blue”, usual “red” or “green”"
    assert (
        phrase([Because("color", "blue", ["blue", "red"])])
        == "color “blue”, rare with the rest, where “red” is as usual"
    )
    assert phrase([Because("dose", None, [1.0, 2.0])]) == "dose missing, usual 1 to 2"
    assert phrase([Because("day", None, ["2012-01-01", "2013-01-01"])]) == "day missing, usual 2012-01-01 to 2013-01-01"
    assert "though within" in phrase([Because("day", "2012-06-05", ["2012-01-01", "2013-01-01"])])
    assert phrase([Because("dose", "high", [1.0, 2.0])]) == "dose “high”, usual 1 to 2"


# Profiles


def test_every_class_has_a_profile_and_noise_sets_none_apart():
    X, _ = table(200)
    label = np.where(np.arange(200) % 2 == 0, "even", "odd")
    shifted = X.copy()
    shifted[::2, 1] += 3
    told = section(gm.report(shifted, label, "gaussian(1.5)"), "prediction")["numbers"]["profiles"]
    assert [one["class"] for one in told] == ["even", "odd"]
    assert [len(one["traits"]) for one in told] == [1, 1]
    assert told[0]["traits"][0]["effect"] > 2 > -2 > told[1]["traits"][0]["effect"]
    plain_noise = section(gm.report(X, label, "gaussian(1.5)"), "prediction")["numbers"]["profiles"]
    assert sum(len(one["traits"]) for one in plain_noise) == 0


# The columns themselves


def test_the_ends_of_an_effect_are_told_apart_however_near_they_are():
    for seed in range(100):
        rng = np.random.default_rng(seed)
        low = 10 ** rng.uniform(-3, 3)
        one, other = told_apart(low, low * (1 + 10 ** rng.uniform(-6, 1)))
        assert one != other
    assert told_apart("red", "blue") == ("“red”", "“blue”")
    assert told_apart(0.0, 365.0, dates=True) == ("1970-01-01", "1971-01-01")


def test_values_that_were_cut_off_are_noticed_and_others_are_not():
    rng = np.random.default_rng(0)
    prices = rng.gamma(3, 8, 500).round(1)
    assert "exactly 50, the largest: perhaps capped" in capped(np.minimum(prices, 50))[0]
    assert "exactly 9, the smallest: perhaps capped" in capped(np.maximum(prices, 9))[0]
    assert "perhaps nothing there, or capped" in capped(np.where(prices < 9, 0, prices))[0]
    for seed in range(50):
        rng = np.random.default_rng(seed)
        for values in (rng.standard_normal(500).round(1), rng.poisson(3, 500) * 1.0, rng.uniform(size=500).round(2)):
            assert not capped(values)
    assert not capped(np.minimum(prices, 50)[:10])


def test_rounded_values_are_noticed_only_where_others_lie_between():
    rng = np.random.default_rng(0)
    tens = rng.integers(20, 200, 300) * 10.0
    some = np.where(rng.random(300) < 0.95, tens, tens + 3)
    assert "rounded to 10" in rounded(some)[0]
    assert not rounded(tens)
    assert not rounded(rng.standard_normal(300))


def test_constant_and_duplicate_columns_are_noticed():
    assert constant(np.array([1.0] * 199 + [2.0])) == ["99.5\xa0% are 1"]
    assert constant(np.array([1.0] * 190 + [2.0] * 10)) == []
    X, _ = table(60, 3)
    X[:, 2] = 3 * X[:, 0] + 1
    told = columns_section.columns(study_of(X))
    assert [bool(one.odd) for one in told] == [False, False, True]
    assert told[2].related == told[0].name
    assert told[2].correlation == pytest.approx(1)


def test_a_table_without_oddities_says_so():
    X, _ = table(60, 3)
    assert "Nothing is odd" in columns_section.section(study_of(X)).lead
    X[:, 2] = X[:, 0]
    assert "says the same as" in columns_section.section(study_of(X)).lead


def test_a_drawn_histogram_is_as_high_as_its_counts():
    assert drawn([0, 1, 4, 8]) == " ▁▄█"
    assert drawn([]) == ""


# How sure that is


def test_intervals_hold_what_they_promise_for_new_objects():
    X, rng = table(300)
    study = study_of(X, X[:, 0] + rng.standard_normal(300))
    found = held(study, hold(study))
    assert found.kept
    assert found.found == pytest.approx(0.9, abs=0.06)
    assert found.width == pytest.approx(2 * 1.645, rel=0.2)


def of_people(seed):
    """Six rows each of thirty people who have a level of their own."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(30), 6)
    X = rng.standard_normal((30, 2))[person] + 0.3 * rng.standard_normal((180, 2))
    y = 3 * X[:, 0] + rng.standard_normal(30)[person] + rng.standard_normal(180)
    return study_of(X, y, group=person.tolist())


def of_time(seed):
    """A course that turns as slowly as a random walk does."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((240, 2))
    y = 2 * X[:, 0] + 0.05 * np.cumsum(rng.standard_normal(240)) + rng.standard_normal(240)
    return study_of(X, y, order=np.arange(240.0).tolist())


@pytest.mark.parametrize(("draw", "words"), [(of_people, "for rows of a new “group”"), (of_time, "first two thirds")])
def test_intervals_hold_what_they_promise_for_new_groups_and_for_what_follows(draw, words):
    """On average over draws, of which each holds a few points more or less."""
    shares = []
    for seed in range(12):
        study = draw(seed)
        contest = hold(study)
        if contest.signal.level != "none":
            shares.append(held(study, contest).found)
    assert len(shares) >= 8
    assert 0.87 <= np.mean(shares) <= 0.95
    assert words in _meaning(study, True)
    assert words not in _meaning(study_of(table(60)[0]), True)


def test_probabilities_of_overlapping_classes_are_calibrated():
    X, rng = table(300)
    y = np.where(X[:, 0] + rng.standard_normal(300) > 0, "a", "b")
    study = study_of(X, y)
    found = held(study, hold(study))
    assert found.kept
    assert 0.6 < found.promised < 0.9


def test_a_promise_is_kept_within_two_errors_only():
    assert "that was promised" in _sure(Promise(0.9, 0.88, 0.011, 2.0), True)
    assert "fewer than that" in _sure(Promise(0.9, 0.88, 0.009, 2.0), True)
    assert "more than that" in _sure(Promise(0.9, 0.92, 0.009, 2.0), True)
    assert "at their word" in _sure(Promise(0.9, 0.88, 0.011), False)
    assert "too sure of itself" in _sure(Promise(0.9, 0.88, 0.009), False)
    assert "surer than it says" in _sure(Promise(0.9, 0.92, 0.009), False)


def test_more_objects_help_where_the_curve_still_falls_and_are_not_said_to_where_it_is_flat():
    X, rng = table(400, 6)
    steep = study_of(X, np.sin(2 * X[:, 0]) * np.cos(2 * X[:, 1]) + 0.01 * rng.standard_normal(400))
    found = learning(steep, hold(steep))
    assert found.helps
    assert list(found.values) == sorted(found.values, reverse=True)
    flat = study_of(X, X[:, 0] + rng.standard_normal(400), gm.Linear())
    assert not learning(flat, hold(flat)).helps
    assert "would probably help" in _more(found)
    same = Learning("m", (0.5, 1.0), (0.2, 0.2), (0.1, 0.1), Difference(0.0, 0.1, 99), True)
    assert "does not show" in _more(same)


@pytest.mark.parametrize(("n", "threads"), [(200, 1), (plain.SMALL - 1, 1), (plain.SMALL, None)])
def test_a_baseline_has_one_thread_where_there_are_few_objects(n, threads):
    def openmp_threads():
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "openmp"}

    class Asked(DummyRegressor):
        def fit(self, X, y):
            seen.append(openmp_threads())
            return super().fit(X, y)

    seen, before, X, y = [], openmp_threads(), np.zeros((n, 1)), np.arange(n, dtype=float)
    plain._fitted("asked", "trees", X, lambda n, y: Asked()).predict(np.arange(n), y, np.arange(2))
    assert seen == [before if threads is None else {threads}]
    assert openmp_threads() == before


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_plain_models_beside_kernel_learners_say_what_they_say_after_them(task, monkeypatch):
    X, rng = table(120)
    y = X[:, 0] + rng.standard_normal(120)
    study = study_of(X, np.where(y > 0, "a", "b") if task == "classes" else y)
    after = hold(study).predicted
    started = []
    monkeypatch.setattr(plain, "SMALL", 50)
    monkeypatch.setattr(contests, "cores", lambda: 2)
    monkeypatch.setattr(plain, "cores", lambda: 3)
    monkeypatch.setattr(contests, "beside", lambda action: started.append(action) or beside(action))
    again = hold(study).predicted
    assert len(started) == contests.FOLDS
    assert all(np.array_equal(one, other) for one, other in zip(after, again, strict=True))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("mixed", [False, True])
def test_medians_that_stand_in_for_missing_values_say_nothing_of_a_class(seed, mixed):
    """Those of one class who were asked are as far from the others as ever, though most of them were not asked."""
    rng = np.random.default_rng(seed)
    label = np.repeat(["asked", "seldom asked"], 100)
    gap = (label == "seldom asked") & (rng.random(200) < 0.7)
    dose = rng.standard_normal(200) + 2.0 * (label == "seldom asked")
    other = rng.choice(["x", "y"], 200) if mixed else rng.standard_normal(200)
    frame = {"dose": np.where(gap, np.nan, dose), "other": other}
    records = [
        dict(zip(frame, row, strict=True)) for row in zip(*(one.tolist() for one in frame.values()), strict=True)
    ]
    study = Study.of(from_objects(records, label), None)
    _, told = apart(study)
    means = {one["class"]: one["traits"][0]["inside"] for one in told}
    known = ~gap & (label == "seldom asked")
    assert means["seldom asked"] == pytest.approx(dose[known].mean())
    assert means["asked"] == pytest.approx(dose[label == "asked"].mean())
