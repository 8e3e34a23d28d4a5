"""The claims on reports, from a CSV file with a target to the page."""

import tempfile
from pathlib import Path

from measure import alone, duel, must
from record import NOT, Claim, Contender, contender, demands
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


def _table(sizes: Sizes, what: str) -> Claim:
    n = sizes.report
    rows, by_hand = [_ours(n, what), _ours(n, what, "quick")], _by_hand(n, what, sizes.limit)
    wanted, holds = demands(
        a=("< 60 s", rows[0].seconds < 60),
        b=("--quick < 20 s", rows[1].seconds < 60 * THIRD),
        c=("< 2 GB", rows[0].megabytes < 2 * GB),
    )
    return Claim(
        f"gramian report of a CSV file of {n:,} × 20, with a target of {what}",
        NOTEBOOK,
        rows[0].seconds,
        by_hand.seconds,
        wanted,
        holds,
        "the notebook draws nothing and has no guarantees, leave-one-out errors or checks of the data",
        rows[0].megabytes,
        by_hand.megabytes,
        [*rows, by_hand],
    )


def report(sizes: Sizes) -> Claim:
    return _table(sizes, "numbers")


def report_classes(sizes: Sizes) -> Claim:
    return _table(sizes, "classes")


def report_many(sizes: Sizes) -> Claim:
    n = sizes.report_many
    ours = _ours(n, "numbers")
    wanted, holds = demands(a=("< 120 s", ours.seconds < 120), b=("< 2 GB", ours.megabytes < 2 * GB))
    return Claim(
        f"gramian report of a CSV file of {n:,} × 20, with a target of numbers",
        "(no peer was run)",
        ours.seconds,
        NOT,
        wanted,
        holds,
        ours_mb=ours.megabytes,
        contenders=[ours],
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


REPORTS = {
    "report": report,
    "report_classes": report_classes,
    "report_many": report_many,
    "small_reports": small_reports,
    "reading": reading,
}
