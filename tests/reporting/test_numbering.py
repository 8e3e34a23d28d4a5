"""Columns that only number or name rows have no part in map, clusters and outliers, and all others have."""

import numpy as np
import pytest

from gramian.intake.reading import from_objects
from gramian.reporting.fitting import columns_of
from gramian.reporting.numbering import left_apart, numbering
from gramian.reporting.sections import came_in, chart, clusters, kernel, novelty, verdict
from gramian.reporting.study import Study

N = 120


def data_of(seed, mixed=False, **more):
    rng = np.random.default_rng(seed)
    columns = {name: rng.standard_normal(N) for name in ("a", "b", "c")}
    columns |= {"kind": rng.choice(["x", "y"], N)} if mixed else {}
    columns |= {name: make(rng) for name, make in more.items()}
    return from_objects(
        [dict(zip(columns, row, strict=True)) for row in zip(*(one.tolist() for one in columns.values()), strict=True)],
        rng.choice(["u", "v"], N),
    )


NUMBERS = {
    "case": lambda rng: np.arange(N) + 7.0,
    "shuffled": lambda rng: rng.permutation(N) + 1.0,
    "person": lambda rng: np.repeat(np.arange(30), 4) + 1.0,
    "patient_id": lambda rng: rng.permutation(np.repeat(rng.choice(9999, 60, replace=False), 2)).astype(float),
}
OTHERS = {
    "year": lambda rng: np.repeat(np.arange(30), 4) + 1970.0,  # as many rows a value, and no count of rows
    "age": lambda rng: rng.integers(20, 80, N).astype(float),
    "children": lambda rng: rng.poisson(2, N).astype(float),
    "length": lambda rng: np.sort(rng.standard_normal(N)),
    "body mass index": lambda rng: rng.integers(15, 50, N).astype(float),
}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("mixed", [False, True])
def test_what_numbers_or_names_rows_is_left_out_of_what_they_look_like(name, mixed, seed):
    study = Study.of(data_of(seed, mixed, **{name: NUMBERS[name]}), None)
    assert study.apart == (name,)
    assert columns_of(study.whole) == {"a", "b", "c", *(["kind"] if mixed else [])}
    assert f"“{name}” only numbers rows" in chart.section(study).lead


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", OTHERS)
def test_numbers_that_say_something_stay(name, seed):
    assert numbering(data_of(seed, **{name: OTHERS[name]})) == ()


def test_what_is_left_out_is_neither_counted_nor_said_to_be_looked_at():
    study = Study.of(data_of(0, case=NUMBERS["case"]), None)
    assert verdict.describe(study).startswith(f"These are {N} objects with 3 columns of numbers")
    notes = " ".join(str(block.text) for block in came_in.section(study).blocks if hasattr(block, "text"))
    told = " ".join(str(block) for block in came_in.section(study).blocks)
    assert "“case” only numbers rows, or what they are of, and has no part in this" in notes + told
    assert "kernel that was asked for" not in notes + told
    assert "look at all 3 columns but those that only number rows" in str(kernel.section(study).blocks)


def test_an_extreme_number_of_a_row_makes_no_outlier_and_its_ranges_no_clusters():
    study = Study.of(data_of(0, person=NUMBERS["person"]), None)
    said = [clusters.section(study), novelty.section(study)]
    assert all("“person” only numbers rows, or what they are of, and has no part in this." in one.lead for one in said)
    assert "person" not in said[0].numbers["columns"]
    reasons = [why["column"] for row in said[1].numbers["most_unusual"] for why in row["because"]]
    assert reasons
    assert "person" not in reasons


def test_rows_of_nothing_but_numbers_keep_them():
    assert numbering(from_objects([{"case": float(k)} for k in range(N)], ["u", "v"] * (N // 2))) == ()


def test_columns_are_named_in_the_singular_and_the_plural():
    assert left_apart(()) == ""
    assert left_apart(("a",)).startswith("“a” only numbers rows")
    assert left_apart(("a", "b")).startswith("“a” and “b” only number rows")


def test_a_column_called_index_counts_and_a_body_mass_index_measures():
    again = np.tile(np.arange(30), 4) + 1.0
    assert numbering(data_of(0, index=lambda rng: again)) == ("index",)
    assert numbering(data_of(0, **{"mass index": lambda rng: again})) == ()
