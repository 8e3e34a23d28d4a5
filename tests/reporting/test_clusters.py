"""The sentences of the section on clusters, each on both sides of its condition."""

import numpy as np
import pytest

import gramian as gm
from gramian.intake.reading import from_objects, load_example
from gramian.reporting.sections import clusters
from gramian.reporting.study import Study


def section(X, y=None):
    return clusters.section(Study.of(from_objects(X, y), gm.Gaussian("median").pullback(gm.Standardize())))


def words(found, kind="note"):
    return " ".join(block["text"] for block in found.blocks if block["type"] == kind)


def two(apart, n=120, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    X[: n // 2, 1] += apart
    return X


def test_one_cloud_is_said_to_be_one_and_two_groups_are_not():
    cloud, groups = section(two(0)), section(two(12))
    assert cloud.lead.startswith("No clusters: one cloud.")
    assert cloud.numbers["clusters"] == 1
    assert groups.lead.startswith("There are 2 clusters; they stand well apart.")
    assert groups.numbers["clusters"] == 2


def test_clusters_stand_well_apart_only_where_next_to_nothing_lies_between():
    bridged = np.vstack([two(12, 400), np.column_stack([np.zeros(60), np.linspace(2, 10, 60), np.zeros(60)])])
    found = section(bridged)
    assert found.numbers["clusters"] == 2
    assert max(one["depth"] for one in found.numbers["boundaries"]) > clusters.GAP
    assert "objects lie between some of them" in found.lead


def test_few_objects_are_too_few_and_one_more_is_not():
    rng = np.random.default_rng(1)
    few, enough = (section(rng.normal(size=(n, 2))) for n in (clusters.TESTABLE - 1, clusters.TESTABLE))
    assert "too few objects" in few.lead
    assert few.numbers["clusters"] is None
    assert "too few" not in enough.lead


def test_copies_of_few_objects_are_too_few():
    X = np.repeat(np.random.default_rng(2).normal(size=(8, 2)), 5, axis=0)
    assert "too few different objects for clusters: 8" in section(X).lead


def test_copies_that_count_once_are_no_random_sample():
    X = two(0)
    found = section(np.vstack([X, X[:9]]))
    assert f"{len(X)} of {len(X) + 9} objects, one of each set of those that are equal" in str(found.blocks)
    assert "drawn at random" not in str(found.blocks)
    assert "one of each set" not in str(section(X).blocks)


def test_the_columns_looked_at_and_those_left_out_are_named():
    rng = np.random.default_rng(3)
    zeros = np.where(rng.random(120) < 0.5, 0, rng.lognormal(size=120))
    found = section(np.column_stack([two(0), zeros]))
    assert len(found.numbers["columns"]) == 3
    assert len(found.numbers["left_out"]) == 1
    assert f"Left out here: {found.numbers['left_out'][0]}." in words(found)
    assert "Looked at 3 of 4 columns: " in found.lead
    assert found.lead.endswith("; the others are left out, as is said below.")
    assert "Looked at 3 columns: " in section(two(0)).lead
    assert "the others" not in section(two(0)).lead
    assert "Left out" not in words(section(two(0)))


def test_profiles_say_in_which_column_clusters_differ():
    found = section(two(12), ["a", "b"] * 60)
    table = next(block for block in found.blocks if block["type"] == "table")
    heads = [one["name"] for one in table["columns"]]
    told = [row[heads.index("what sets it apart")] for row in table["rows"]]
    name = found.numbers["columns"][1]
    assert [one.partition(" (")[0] for one in sorted(told)] == [f"higher {name}", f"lower {name}"]


@pytest.mark.parametrize("draw", ["normal", "uniform", "exponential", "standard_t"])
def test_noise_is_called_one_cloud(draw):
    options = {"df": 3} if draw == "standard_t" else {}
    leads = [section(getattr(np.random.default_rng(s), draw)(size=(100, 2), **options)).lead for s in range(5)]
    assert sum(not lead.startswith("No clusters: one cloud.") for lead in leads) <= 1


def of_words(rng, kind):
    return " ".join(rng.choice(["cat", "dog", "bird"] if kind else ["car", "bus", "train"], 6).tolist())


def of_letters(rng, kind):
    return "".join(rng.choice(list("aacg") if kind else list("ttgg"), 40).tolist())


@pytest.mark.parametrize("draw", [of_words, of_letters])
def test_clusters_of_texts_and_sequences_are_told_by_words_and_substrings(draw):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        found = clusters.section(Study.of(from_objects([draw(rng, k % 2) for k in range(80)]), None))
        assert found.numbers["clusters"] == 2
        table = next(block for block in found.blocks if block["type"] == "table")
        place = [one["name"] for one in table["columns"]].index("what sets it apart")
        assert all("more often" in row[place] or "less often" in row[place] for row in table["rows"])


def test_clusters_of_nodes_have_no_columns_and_are_shown_by_their_most_typical_ones():
    found = clusters.section(Study.of(load_example("football"), None))
    assert found.numbers["clusters"] > 1
    table = next(block for block in found.blocks if block["type"] == "table")
    assert [one["name"] for one in table["columns"]] == ["cluster", "share", "most typical", "conference in it"]
