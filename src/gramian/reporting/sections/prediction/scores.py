"""The scores of all models, who took part, and what is an estimate."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.reporting.blocks import Block, number, share, table, times
from gramian.reporting.contest import JUDGED, LEAST, Contest
from gramian.reporting.study import Study


def scores(study: Study, contest: Contest) -> Block:
    """Return the table of all models, the best first."""
    classes = study.data.task == "classes"
    order = np.argsort([-float(scores.mean()) for scores in contest.scores], kind="stable")
    spread = float(np.std(contest.y)) if not classes else 1.0

    def row(k: int) -> list[Any]:
        one, scores = contest.entrants[k], contest.scores[k]
        mean, deviation = abs(float(scores.mean())), float(scores.std())
        kind = "kernel" if one.formula else "baseline"
        if classes:
            return [one.name, kind, mean, f"{share(mean)} ± {share(deviation)}"]
        explained = max(0.0, 1 - (mean / spread) ** 2) if spread > 0 else 0.0
        return [one.name, kind, explained, f"{number(mean)} ± {number(deviation)}"]

    how = f", repeated {times(contest.repeats)}" if contest.repeats > 1 else ""
    return table(
        f"All models on the same {contest.folds} folds of a cross-validation{how}; ± is the deviation over folds.",
        (
            ("model", "text"),
            ("kind", "text"),
            ("right" if classes else "variance explained", "bar"),
            ("share right" if classes else "root mean squared error", "text"),
        ),
        [row(int(k)) for k in order],
        int(np.flatnonzero(order == contest.best)[0]),
        contest.entrants[contest.best].formula,
    )


def best_baseline(contest: Contest) -> int:
    """Return which of the baselines did best."""
    plain = [k for k, one in enumerate(contest.entrants) if one.formula is None]
    return max(plain, key=lambda k: float(contest.scores[k].mean()))


def remarks(study: Study, contest: Contest) -> list[str]:
    """Say who took part, and what is an estimate."""
    found = []
    if contest.aside:
        few = ", ".join(contest.aside[:5]) + (" …" if len(contest.aside) > 5 else "")
        found.append(f"Classes of fewer than {LEAST} objects took no part: {few}.")
    if len(study.labelled) > JUDGED:
        found.append(f"{len(contest.rows):,} of {len(study.labelled):,} objects took part, drawn at random.")
    if contest.landmarks:
        found.append(
            f"So many objects were seen through {contest.landmarks:,} landmarks: an exact fit, which `gramian fit` "
            "makes where it can, is usually a little better."
        )
    return found


def badge(study: Study, contest: Contest) -> str | None:
    """Return the badge of what the winner predicts: who took part, and through how many landmarks."""
    seen = f"through {contest.landmarks:,} landmarks" if contest.landmarks else None
    some = f"{len(contest.rows):,} of {len(study.labelled):,} objects" if len(study.labelled) > JUDGED else None
    return f"estimate: {', '.join(filter(None, (some, seen)))}" if some or seen else None
