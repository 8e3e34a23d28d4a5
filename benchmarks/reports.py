"""The claims on reports, from a CSV file with a target to the page."""

import tempfile
from pathlib import Path

from measure import alone, duel, must
from record import Claim, Contender, contender, demands
from sizes import Sizes

GB = 1000.0  # megabytes
NOTEBOOK = "the same work in scikit-learn, on Nystroem features"


RIGHT, ERROR = "{score:.1%} of new ones right", "error {score:.3f} at new ones"
TABLES = (("iris", 150, 6), ("digits", 1797, 35), ("spam", 4600, 60))  # with their rows, and the seconds allowed
THIRD = 1 / 3  # of the seconds allowed, for a quick report


def _ours(n: int, what: str, how: str = "whole") -> Contender:
    text = ERROR if what == "numbers" else RIGHT
    name = f"gramian, {what}" if how == "whole" else f"gramian --quick, {what}"
    return contender(name, n, must("report", n, what, how), text, ours=True)


def _by_hand(n: int, what: str, limit: float) -> Contender:
    text = ERROR if what == "numbers" else RIGHT
    return contender(f"a notebook of scikit-learn, {what}", n, alone("notebook", n, what, limit=limit), text)


def report(sizes: Sizes) -> Claim:
    n, many = sizes.report, sizes.report_many
    rows = [_ours(n, "numbers"), _ours(n, "classes"), _ours(many, "numbers"), _ours(n, "numbers", "quick")]
    by_hand = [_by_hand(n, what, sizes.limit) for what in ("numbers", "classes")]
    wanted, holds = demands(
        a=(f"{n:,} rows < 60 s", max(one.seconds for one in rows[:2]) < 60),
        b=(f"{many:,} rows < 120 s", rows[2].seconds < 120),
        c=("all < 2 GB", max(one.megabytes for one in rows) < 2 * GB),
        d=(f"{n:,} rows --quick < 20 s", rows[3].seconds < 60 * THIRD),
    )
    return Claim(
        f"gramian report of a CSV file of {n:,} × 20, with a target",
        NOTEBOOK,
        rows[0].seconds,
        by_hand[0].seconds,
        wanted,
        holds,
        f"{many:,} rows: {rows[2].seconds:.0f} s, {rows[2].megabytes:,.0f} MB; the notebook draws nothing and has no "
        "guarantees, leave-one-out errors or checks of the data",
        rows[0].megabytes,
        by_hand[0].megabytes,
        [*rows, *by_hand],
    )


def small_reports(sizes: Sizes) -> Claim:
    rows, quick, by_hand = [], [], []
    for what, n, _ in TABLES:
        rows.append(_ours(n, what))
        quick.append(_ours(n, what, "quick"))
        by_hand.append(_by_hand(n, what, sizes.limit))
    each = list(zip(TABLES, rows, quick, strict=True))
    wanted, holds = demands(
        **{what: (f"{what} < {most} s", one.seconds < most) for (what, _, most), one, _ in each},
        quick=("--quick in a third of that", all(one.seconds < most * THIRD for (_, _, most), _, one in each)),
    )
    return Claim(
        "gramian report of iris, digits, and 4,600 × 57 columns like spam, with classes",
        NOTEBOOK,
        sum(one.seconds for one in rows),
        sum(one.seconds for one in by_hand),
        wanted,
        holds,
        "seconds of all three",
        max(one.megabytes for one in rows),
        max(one.megabytes for one in by_hand),
        [*rows, *quick, *by_hand],
    )


def reading(sizes: Sizes) -> Claim:
    """Read a CSV file of numbers, with every guess, against polars, which reads it and guesses nothing."""
    import numpy as np
    import polars

    from gramian.intake.reading import read_data

    n = sizes.reading
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "numbers.csv")
        X = np.random.default_rng(0).standard_normal((n, 20))
        polars.DataFrame(X, schema=[f"x{column}" for column in range(20)]).write_csv(path)
        del X
        ours, theirs = duel(lambda: read_data(path), lambda: polars.read_csv(path), repeats=5)
    return Claim(
        f"a CSV file of {n:,} × 20 numbers, read and made into objects",
        "polars.read_csv alone",
        ours,
        theirs,
        "≤ 3 × the time",
        ours <= 3 * theirs,
        f"{ours / theirs:.1f} × the time",
    )


REPORTS = {"report": report, "small_reports": small_reports, "reading": reading}
