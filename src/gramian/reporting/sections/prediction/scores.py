"""The scores of all models, who took part, and what is an estimate."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.reporting.blocks import Block, bounded, count, number, plus_minus, share, table, times
from gramian.reporting.contest import LEAST, Contest, called, unseen, verb
from gramian.reporting.study import Study

MOST_CLASSES = 30  # that are told one by one


def scores(study: Study, contest: Contest) -> Block:
    """Return the table of all models, the best first; a badge only for one that is better than all others."""
    spread = float(np.var(contest.y)) if contest.numbers else 1.0

    def row(k: int) -> list[Any]:
        one, found = contest.entrants[k], contest.scores[k]
        kind = "kernel" if one.formula else "baseline"
        if contest.numbers:
            told = [1 - found.value**2 / spread, plus_minus(found.value, found.error)]
        else:
            told = [found.value, plus_minus(found.value, found.error, shares=True)]
            told += [share(contest.balanced(k).value)] * contest.unequal
        return [one.name, kind, *told, _standing(contest, k)]

    how = f", repeated {times(contest.repeats)}" if contest.repeats > 1 else ""
    folds = f"{contest.folds} blocks of time, each from all before" if study.splits.time is not None else ""
    columns: list[tuple[str, Any]] = [
        ("model", "text"),
        ("kind", "text"),
        ("variance explained" if contest.numbers else "right", "bar"),
        ("root mean squared error" if contest.numbers else "share right", "text"),
        *([("balanced accuracy", "text")] if contest.unequal else []),
        ("against the best", "text"),
    ]
    return table(
        f"All models, on the same {folds or f'{contest.folds} folds of a cross-validation'}{how}.",
        columns,
        [row(k) for k in contest.order],
        None if contest.winner is None else 0,
        None if contest.winner is None else contest.entrants[contest.winner].formula,
        badge(study, contest),
    )


def _standing(contest: Contest, k: int) -> str:
    """Return how an entrant stands against the best, object by object."""
    if k == contest.first:
        return "the best" if contest.winner is not None else "the first of equals"
    if k in contest.ties:
        return "as good"
    if contest.numbers:
        return "worse"
    found = contest.worse(k, contest.first)
    return f"{plus_minus(found.value, found.error, shares=True)} worse"


def told(contest: Contest) -> str:
    """Return in a sentence or two who won, or that nobody did."""
    first = contest.first
    name, score = contest.entrants[first].name, contest.scores[first].value
    trivial = contest.entrants[contest.trivial].name
    if contest.signal.level == "none":
        return f"Nothing predicts better than “{trivial}” beyond the error of the comparison: no signal was found."
    if first == contest.trivial:
        return f"Nothing predicts better than “{trivial}” on average, though there is a weak signal."
    words = f"{verb(name, 'is', 'are')} right for {share(score)} of the {unseen(name)}"
    words = f"{words[0].upper()}{words[1:]}"
    if contest.numbers:
        words = f"The error of {called(name)} at {unseen(name)} is {number(score)}"
    others = [contest.entrants[k].name for k in contest.ties if k != first]
    if not others:
        kind = "" if contest.entrants[first].formula else " No kernel learner reaches that."
        return f"{words}; that is better than all others.{kind}"
    return f"{words}; as good within the error of the comparison: {', '.join(others)}."


def by_class(contest: Contest) -> list[Block]:
    """Return which share of each class is found, and which share of what is called so is right."""
    if contest.numbers:
        return []
    k = contest.best
    said, names = contest.predicted[k], np.unique(contest.y)[:MOST_CLASSES]
    rows = []
    for name in names:
        called = said == name
        right = float((called & (contest.y == name)).sum())
        rows.append(
            [
                str(name),
                int((contest.y == name).sum()),
                share(right / (called.shape[0] * max(int((contest.y == name).sum()), 1))),
                share(right / called.sum()) if called.any() else "never said",
            ]
        )
    columns = (
        ("class", "text"),
        ("objects", "number"),
        ("found (recall)", "text"),
        ("right (precision)", "text"),
    )
    what = f"{contest.entrants[k].name}, class by class: balanced accuracy {share(contest.balanced(k).value)}."
    return [table(f"{what[0].upper()}{what[1:]}", columns, rows)]  # type: ignore[arg-type]


def remarks(study: Study, contest: Contest) -> list[str]:
    """Say who took part, and what is an estimate."""
    found = []
    data, splits = study.data, study.splits
    if splits.time is not None:
        found.append(
            f"The folds go forward in time, by “{data.order}”: each block is predicted from all before it, and the "
            "first is only learnt from."
        )
    if data.group is not None:
        found.append(f"Rows with the same “{data.group}” stay in one fold.")
    if splits.copies and not splits.by_nature:
        found.append(
            f"Copies of a row stay in one fold; {count(splits.copies, 'row equals', 'rows equal')} an earlier one."
        )
    if not splits.of_rows(contest.rows).alone:
        found.append("Kernels and ridges were chosen within each fold by the same rule.")
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
