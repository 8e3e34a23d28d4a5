"""Dates are compared by how long ago they are, and by the time of year, week and day, where these can be seen."""

import datetime
import re

import numpy as np
import pandas as pd
import pytest

import gramian as gm
from gramian.cli.main import main
from gramian.explain.groups import find_clusters
from gramian.intake.dates import DAY, WEEK, YEAR, cycles
from gramian.intake.reading import from_objects
from gramian.kernels.periodic import Periodic
from gramian.learn.candidates import candidates
from gramian.learn.ridge import KernelRidge
from gramian.reporting.candidates import choose
from gramian.reporting.contest import hold
from gramian.reporting.figures.scale import date_labels, date_of, date_ticks
from gramian.reporting.fitting import dated
from gramian.reporting.leaks import ROW, in_time, leaks
from gramian.reporting.splits import Splits
from gramian.reporting.study import Study
from gramian.reporting.words import in_words

FIRST = 15_000  # a day in 2011


def months(start: str, stop: str) -> np.ndarray:
    return np.arange(start, stop, dtype="datetime64[M]").astype("datetime64[D]").astype(float)


@pytest.mark.parametrize(
    ("days", "found"),
    [
        (np.arange(800.0), (YEAR, WEEK)),  # daily
        (np.arange(300.0), (WEEK,)),  # less than one year and a half
        (np.arange(0, 20, 1 / 24), (WEEK, DAY)),  # hourly
        (np.arange(0.25, 800.0), (YEAR, WEEK)),  # always at six in the morning
        (np.arange(0, 2000, 7.0), (YEAR,)),  # always the same day of the week
        (months("2000-01", "2010-01"), (YEAR,)),  # whose days of the week are chance
        (months("2000-01", "2010-01")[::3], (YEAR,)),  # quarters
        (months("2000-01", "2010-01") - 1, (YEAR,)),  # ends of months
        (months("1950-01", "2010-01")[::12], ()),  # years
        (np.arange(5.0), ()),
        (np.array([3.0, 3.0, np.nan]), ()),
        (np.array([]), ()),
        (np.array([1e12, 2e12, 3e12, 5e12]), ()),
    ],
)
def test_a_cycle_is_seen_where_dates_span_it_and_lie_at_several_places_in_it(days, found):
    assert cycles(days) == found


def series(seed: int, season: float, trend: float = 0.0) -> tuple[pd.DataFrame, np.ndarray]:
    """Return days at random out of four years, with a number beside, and a target."""
    rng = np.random.default_rng(seed)
    days = np.sort(rng.choice(1461, 240, replace=False))
    wind, phase = rng.normal(size=240), rng.uniform(0, YEAR)
    y = season * np.sin(2 * np.pi * (days - phase) / YEAR) + trend * days / 1461 + 0.5 * wind
    frame = pd.DataFrame({"day": pd.to_datetime(FIRST + days, unit="D"), "wind": wind})
    return frame, y + 0.3 * rng.normal(size=240)


def left_out_next_year(frame: pd.DataFrame, y: np.ndarray, periodic: bool) -> float:
    """Return the error in the last year of a kernel that is chosen, as the report does, by the years before."""
    data = dated(from_objects(frame, y, order="day"))
    every = [one for one in candidates(data) if periodic or "Periodic" not in repr(one)]
    past = np.flatnonzero(data.times < FIRST + 3 * YEAR)
    future = np.setdiff1d(np.arange(len(data)), past)
    kernel = choose(data, every, None, past, y[past], Splits.of(data).of_rows(past)).kernel
    model = KernelRidge(kernel, ridge="loo", fit_intercept=True).fit(data.X[past], y[past])
    return float(np.sqrt(np.square(model.predict(data.X[future]) - y[future]).mean()))


def test_seasons_of_the_next_year_are_told_from_those_before():
    """Without periodic kernels the error is about that of the season itself, 2/√2; noise alone has 0.3."""
    with_cycles = [left_out_next_year(*series(seed, season=2.0), periodic=True) for seed in range(12)]
    without = [left_out_next_year(*series(seed, season=2.0), periodic=False) for seed in range(12)]
    assert np.median(with_cycles) < 0.45
    assert sum(one < 0.5 * other for one, other in zip(with_cycles, without, strict=True)) >= 11


def test_where_there_are_no_seasons_to_look_for_them_costs_little():
    with_cycles = [left_out_next_year(*series(seed, season=0.0), periodic=True) for seed in range(12)]
    without = [left_out_next_year(*series(seed, season=0.0), periodic=False) for seed in range(12)]
    assert np.median(with_cycles) < 1.15 * np.median(without)


def test_vectors_stay_vectors_where_dates_have_no_cycle_or_a_kernel_is_given():
    frame, y = series(0, 1.0)
    short = frame.assign(day=pd.to_datetime(FIRST + 7 * (np.arange(240) % 40), unit="D"))
    assert dated(from_objects(frame, y)).kind == "records"
    assert dated(from_objects(short, y)).kind == "vectors"
    assert dated(from_objects(frame[["wind"]], y)).kind == "vectors"
    assert "Periodic" in repr(candidates(dated(from_objects(frame, y))))
    assert "Periodic" not in repr(candidates(dated(from_objects(short, y))))
    given = gm.report(frame, y, kernel="standardize(gaussian(2))", quick=True)
    assert given.data["sections"][1]["numbers"]["kind"] == "vectors"


def test_the_page_speaks_of_dates_as_dates():
    frame, y = series(3, season=2.0)
    found = gm.report(frame, np.where(y > 0, "warm", "cold"))
    sections = {section["id"]: section for section in found.data["sections"]}
    assert "time of year of day" in str(sections["kernel"])
    (effect,) = (
        one for one in sections["columns_that_matter"]["blocks"] if one.get("title") == "How it goes with “day”"
    )
    low, high = (datetime.date.fromisoformat(word) for word in re.findall(r"20\d\d-\d\d-\d\d", effect["reading"]))
    assert low != high
    assert effect["data"]["x_dates"]
    assert ">2012<" in found.html
    assert "15,0" not in found.html  # days since 1970


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (Periodic(YEAR, 0.5), "the time of year of when within about 29 days"),
        (Periodic(YEAR, 3.0), "the time of year of when (loosely)"),
        (Periodic(WEEK, 0.5), "the day of the week of when within about 0.56 days"),
        (Periodic(DAY, 1.0), "the time of day of when within about 4 hours"),
        (Periodic(12.0, 1.0), "the place within 12 of when within about 2"),
        (Periodic(DAY, "median"), "the time of day of when"),
    ],
)
def test_periodic_kernels_have_words(kernel, words):
    assert in_words(kernel.on("when")) == words


def test_ticks_of_dates_are_round_few_and_within_the_axis():
    rng = np.random.default_rng(0)
    for _ in range(300):
        low = rng.uniform(-100_000, 100_000)
        high = low + 10 ** rng.uniform(0.5, 5)
        ticks = date_ticks(low, high)
        labels = date_labels(ticks)
        assert 1 <= len(ticks) <= 14, (low, high, labels)
        assert low <= min(ticks) <= max(ticks) <= high
        assert len(set(labels)) == len(labels)
        assert all(
            date_of(tick).startswith(label) for tick, label in zip(ticks, labels, strict=True) if high - low > 60
        )


def test_days_that_follow_each_other_are_time_and_neither_number_nor_leak():
    rng = np.random.default_rng(0)
    days = np.arange(400)
    y = np.sin(2 * np.pi * days / YEAR) + 0.3 * rng.standard_normal(400)
    frame = pd.DataFrame({"day": pd.to_datetime(FIRST + days, unit="D"), "wind": rng.standard_normal(400)})
    study = Study.of(from_objects(frame, y), gm.parse_kernel("standardize(gaussian(1)) on day, wind"))
    assert in_time(study.data) == "day"
    assert not any(one.why == "place" for one in leaks(study, hold(study, quick=True)))
    order = rng.permutation(400)
    apart = Study.of(from_objects(frame.iloc[order], y[order]), study.given)
    assert not any(one.why == "place" for one in leaks(apart, hold(apart, quick=True)))
    sorted_by_target = frame.assign(day=frame["day"].sample(frac=1, random_state=1).to_numpy())
    numbered = Study.of(from_objects(sorted_by_target, days / 9.0), study.given)
    assert [one.column for one in leaks(numbered, hold(numbered, quick=True))] == [ROW]


def test_dates_around_the_year_are_one_cloud():
    claimed = 0
    for seed in range(10):
        frame, y = series(seed, season=1.0)
        data = dated(from_objects(frame, y))
        kernel = candidates(data)[0]
        assert "Periodic" in repr(kernel)
        found = find_clusters(data.X, kernel, rng=seed)
        claimed += found.count > 1
        assert found.columns == ("day", "wind")
        assert not found.left_out
    assert claimed <= 1


def test_a_model_of_seasons_is_kept_in_a_file_and_predicts_new_days(tmp_path):
    frame, y = series(1, season=2.0)
    table = frame.assign(day=frame["day"].dt.strftime("%Y-%m-%d"), y=y)
    table[:180].to_csv(tmp_path / "past.csv", index=False)
    table[180:].to_csv(tmp_path / "future.csv", index=False)
    past, model, said = (str(tmp_path / name) for name in ("past.csv", "days.gramian", "said.csv"))
    assert main(["fit", past, "--target", "y", "-o", model, "--quiet"]) == 0
    assert "Periodic" in repr(gm.load(model)["model"])
    assert main(["predict", model, str(tmp_path / "future.csv"), "-o", said, "--quiet"]) == 0
    assert len(pd.read_csv(said)) == 60
