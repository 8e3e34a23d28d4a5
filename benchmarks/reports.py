"""The claims on reports: a table of twenty columns with a target, from a CSV file to the page."""

from measure import alone, must
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
        a=(f"{n:,} rows < 180 s", max(one.seconds for one in rows[:2]) < 180),
        b=("< 2 GB", max(one.megabytes for one in rows[:2]) < 2 * GB),
        c=(f"{many:,} rows < 2 GB", rows[2].megabytes < 2 * GB),
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


REPORTS = {"report": report}
