"""The claims on reports: a table of twenty columns with a target, from a CSV file to the page."""

import tempfile
from pathlib import Path

from measure import alone, duel, must
from record import Claim, Contender, contender, demands
from sizes import Sizes

GB = 1000.0  # megabytes


def report(sizes: Sizes) -> Claim:
    n, many = sizes.report, sizes.report_many
    right, error = "{score:.1%} of new ones right", "error {score:.3f} at new ones"

    def ours(n: int, task: str) -> Contender:
        text = right if task == "classes" else error
        return contender(f"gramian, {task}", n, must("report", n, task), text, ours=True)

    rows = [ours(n, "numbers"), ours(n, "classes"), ours(many, "numbers")]
    by_hand = contender(
        "a notebook of scikit-learn, numbers", n, alone("notebook", n, "numbers", limit=sizes.limit), error
    )
    wanted, holds = demands(
        a=(f"{n:,} rows < 60 s", max(one.seconds for one in rows[:2]) < 60),
        b=(f"{many:,} rows < 120 s", rows[2].seconds < 120),
        c=("all < 2 GB", max(one.megabytes for one in rows) < 2 * GB),
    )
    return Claim(
        f"gramian report of a CSV file of {n:,} × 20, with a target",
        "the same computations in scikit-learn, on Nystroem features",
        rows[0].seconds,
        by_hand.seconds,
        wanted,
        holds,
        f"{many:,} rows: {rows[2].seconds:.0f} s, {rows[2].megabytes:,.0f} MB; the notebook draws nothing and has no "
        "guarantees, leave-one-out errors or baselines",
        rows[0].megabytes,
        by_hand.megabytes,
        [*rows, by_hand],
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


REPORTS = {"report": report, "reading": reading}
