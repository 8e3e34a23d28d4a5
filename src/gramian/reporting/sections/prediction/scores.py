"""The scores of all models, who took part, and what is an estimate."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.reporting.blocks import Block, bounded, plus_minus, table, times
from gramian.reporting.contest import LEAST, Contest
from gramian.reporting.study import Study


def scores(study: Study, contest: Contest) -> Block:
    """Return the table of all models, the best first."""
    classes = study.data.task == "classes"
    spread = 1.0 if classes else float(np.var(contest.y))

    def row(k: int) -> list[Any]:
        one, found = contest.entrants[k], contest.scores[k]
        kind = "kernel" if one.formula else "baseline"
        if classes:
            return [one.name, kind, found.value, plus_minus(found.value, found.error, shares=True)]
        return [one.name, kind, 1 - found.value**2 / spread, plus_minus(found.value, found.error)]

    how = f", repeated {times(contest.repeats)}" if contest.repeats > 1 else ""
    return table(
        f"All models, on the same {contest.folds} folds of a cross-validation{how}.",
        (
            ("model", "text"),
            ("kind", "text"),
            ("right" if classes else "variance explained", "bar"),
            ("share right" if classes else "root mean squared error", "text"),
        ),
        [row(k) for k in contest.order],
        contest.order.index(contest.best),
        contest.entrants[contest.best].formula,
        badge(study, contest),
    )


def remarks(study: Study, contest: Contest) -> list[str]:
    """Say who took part, and what is an estimate."""
    found = []
    if contest.aside:
        few = ", ".join(contest.aside[:5]) + (" …" if len(contest.aside) > 5 else "")
        found.append(f"Classes of fewer than {LEAST} objects took no part: {few}.")
    if study.walks and study.given is None:
        found.append(
            "The kernel was chosen once, not anew in every fold: its likenesses take long in so large a graph."
        )
    if _some(study, contest):
        found.append(f"{len(contest.rows):,} of {len(study.labelled):,} objects took part, drawn at random.")
    if contest.landmarks:
        found.append(
            f"So many objects were seen through {contest.landmarks:,} landmarks, which leave out at most "
            f"{bounded(contest.left_out, above=True)} of all squared lengths: an exact fit, which `gramian fit` makes "
            "where it can, may be better."
        )
    return found


def badge(study: Study, contest: Contest) -> str | None:
    """Return the badge of what the winner predicts: who took part, and through how many landmarks."""
    seen = f"through {contest.landmarks:,} landmarks" if contest.landmarks else None
    some = f"{len(contest.rows):,} of {len(study.labelled):,} objects" if _some(study, contest) else None
    return f"estimate: {', '.join(filter(None, (some, seen)))}" if some or seen else None


def _some(study: Study, contest: Contest) -> bool:
    """Tell whether objects were left out that might have taken part."""
    aside = np.isin(study.target(study.labelled).astype(str), contest.aside).sum() if contest.aside else 0
    return len(contest.rows) + int(aside) < len(study.labelled)
