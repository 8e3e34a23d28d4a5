"""Profiles: what sets a class apart is said, and chance is not."""

import numpy as np
import pandas as pd
import pytest

import gramian as gm


def test_the_effect_of_a_number_is_cohens_d():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(100, 1)), np.array(["a"] * 40 + ["b"] * 60)
    X[:40] += 3
    one, other = gm.profiles(X, labels)
    a, b = X[:40, 0], X[40:, 0]
    d = (a.mean() - b.mean()) / np.sqrt((40 * a.var() + 60 * b.var()) / 100)
    assert one.traits[0].effect == pytest.approx(d)
    assert other.traits[0].effect == pytest.approx(-d)
    assert (one.traits[0].inside, one.traits[0].outside) == (pytest.approx(a.mean()), pytest.approx(b.mean()))
    assert (one.sentence, one.count) == ("a: higher column 0", 40)


def test_numbers_categories_and_words_are_ranked_together_by_effect():
    rng = np.random.default_rng(0)
    n = 200
    kind = rng.choice(["gentoo", "adelie"], n)
    inside = kind == "gentoo"
    frame = pd.DataFrame(
        {
            "flipper": 190 + 30 * inside + rng.normal(0, 5, n),
            "island": np.where(inside, "Biscoe", rng.choice(["Dream", "Biscoe"], n)),
            "noise": rng.normal(size=n),
            "note": [
                f"seen {'swimming' if k and rng.uniform() < 0.9 else 'alone'} by {w}"
                for k, w in zip(inside, rng.integers(0, 1000, n).astype(str), strict=True)
            ],
        }
    )
    adelie, gentoo = gm.profiles(frame, kind, top=4)
    assert gentoo.sentence.startswith("gentoo: higher flipper, ")
    assert "more often note 'swimming'" in gentoo.sentence
    assert "noise" not in gentoo.sentence
    assert any(
        t.column == "island" and t.value == "Biscoe" and t.effect > 0 for t in gm.profiles(frame, kind, top=9)[1].traits
    )
    assert "lower flipper" in adelie.sentence
    effects = [abs(trait.effect) for trait in gentoo.traits]
    assert effects == sorted(effects, reverse=True)


def test_chance_sets_nothing_apart_in_nineteen_draws_of_twenty():
    false = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(rng.normal(size=(90, 6)), columns=list("abcdef"))
        frame["color"] = rng.choice(["red", "blue", "green"], 90)
        false += any(profile.traits for profile in gm.profiles(frame, rng.choice(["u", "v", "w"], 90)))
    assert false / 200 <= 0.08
    assert repr(gm.profiles(frame[["a"]], ["u", "v"] * 45)).startswith("u: nothing sets it apart\nv: ")


def test_sequences_are_told_apart_by_their_substrings():
    rng = np.random.default_rng(0)
    X = ["".join(rng.choice(list("ACGT"), 20)) for _ in range(80)]
    X = [x[:8] + "AAA" + x[11:] if k % 2 else x.replace("AAA", "CAC") for k, x in enumerate(X)]
    found = gm.profiles(X, ["without", "with"] * 40)
    assert found[0].label == "with"
    assert str(found[0].traits[0]).startswith("more often 'AAA' (100 % against 0 %)")


@pytest.mark.parametrize("seed", range(20))
def test_missing_values_are_left_out_of_a_profile(seed):
    """The effect of a column with gaps is that of the rows that have a value, be they none of a class."""
    rng = np.random.default_rng(seed)
    label, gap = np.arange(200) % 2, rng.random(200) < 0.5
    size, color = rng.standard_normal(200) + 3 * label, np.where(rng.random(200) < 0.2 + 0.6 * label, "blue", "red")
    records = [
        {"size": np.nan if none else float(a), "color": None if none else str(c)}
        for none, a, c in zip(gap, size, color, strict=True)
    ]
    whole = [{"size": float(a), "color": str(c)} for a, c in zip(size[~gap], color[~gap], strict=True)]
    assert [one.traits for one in gm.profiles(records, label)] == [
        one.traits for one in gm.profiles(whole, label[~gap])
    ]
    nothing = gm.profiles([{"size": np.nan if k else 1.0, "width": 5.0 * k} for k in label], label)
    assert [trait.column for one in nothing for trait in one.traits] == ["width", "width"]


def test_of_two_categories_one_is_told_and_of_three_two_may_be():
    labels = np.repeat(["x", "y"], 60)
    two = [{"edge": "yes" if one == "x" else "no"} for one in labels]
    assert [[(trait.value, trait.effect > 0) for trait in one.traits] for one in gm.profiles(two, labels)] == [
        [("yes", True)],
        [("no", True)],
    ]
    three = [{"edge": "yes" if one == "x" else "no" if k % 3 else "perhaps"} for k, one in enumerate(labels)]
    assert [trait.value for trait in gm.profiles(three, labels)[1].traits] == ["yes", "no"]


def test_wrong_labels_are_refused():
    with pytest.raises(ValueError, match="at least two classes"):
        gm.profiles(np.ones((3, 1)), ["a"] * 3)
    with pytest.raises(ValueError, match="X has 3 objects and labels 4"):
        gm.profiles(np.ones((3, 1)), ["a", "b", "a", "b"])
    with pytest.raises(TypeError, match="without columns"):
        gm.profiles([1, 2, 3], ["a", "b", "a"])
