"""What the models get wrong, and what the best of them says of objects whose target is not known."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.reporting.amiss import amiss
from gramian.reporting.because import Because, phrase
from gramian.reporting.blocks import Block, drawn, fact, facts, figure, note, number, table, times
from gramian.reporting.contest import Contest
from gramian.reporting.sections.prediction.scores import badge
from gramian.reporting.study import DRAWN, Study

LISTED = 10
SHOWN = 200  # of the objects without a label
MOST_CLASSES = 30  # of a confusion matrix


def confusion(study: Study, contest: Contest) -> Block:
    """Return how often the winner takes each class for each other one."""
    every, counts = np.unique(contest.y, return_counts=True)
    names = np.sort(every[np.argsort(-counts, kind="stable")[:MOST_CLASSES]])
    predicted = contest.predicted[contest.best]
    matrix = [[int(np.sum((contest.y == true) & (predicted == said))) for said in names] for true in names]
    off = [(matrix[i][j], str(names[i]), str(names[j])) for i in range(len(names)) for j in range(len(names)) if i != j]
    worst = max(off, default=(0, "", ""))
    tied = sum(one[0] == worst[0] for one in off) > 1
    reading = (
        f"{'One of the commonest mistakes' if tied else 'The commonest mistake'} takes “{worst[1]}” for “{worst[2]}”, "
        f"{times(worst[0])}{f' in {contest.repeats} repetitions' if contest.repeats > 1 else ''}."
        if worst[0]
        else "Not one object is mistaken: all stand on the diagonal."
        if not np.any(predicted != contest.y)
        else "Among the classes shown none is taken for another."
    )
    if len(names) < len(every):
        reading = f"{len(names)} of {len(every)} classes, none of which is rarer than the others. {reading}"
    return figure(
        "confusion",
        f"Confusion matrix: {contest.entrants[contest.best].name}",
        "heatmap",
        {
            "rows": [str(one) for one in names],
            "columns": [str(one) for one in names],
            "values": matrix,
            "value_label": "objects" if contest.repeats == 1 else "predictions",
            "text": True,
            "x_label": "predicted",
            "y_label": "true",
        },
        reading,
        contest.entrants[contest.best].formula,
        badge(study, contest),
    )


def against_truth(study: Study, contest: Contest) -> Block:
    """Return what the winner predicts, against what is true."""
    rows = study.some(DRAWN, np.arange(len(contest.rows)))
    predicted = contest.predicted[contest.best].mean(axis=0)[rows]
    true = contest.y[rows]
    low, high = float(min(true.min(), predicted.min())), float(max(true.max(), predicted.max()))
    return figure(
        "truth",
        "Predicted against true",
        "scatter",
        {
            "x": true,
            "y": predicted,
            "equal": True,
            "x_label": f"true {study.data.target}",
            "y_label": f"predicted {study.data.target}",
            "group": None,
            "groups": None,
            "value": np.abs(true - predicted),
            "value_label": "error",
            "hover": study.hover(contest.rows[rows]),
            "marked": [],
            "lines": [[low, low, high, high]],
        },
        "Points on the line are predicted exactly; each was predicted by a model that had not seen it.",
        "ridge",
        " · ".join(filter(None, (drawn(len(rows), len(contest.rows)), badge(study, contest)))) or None,
    )


def mistaken(study: Study, contest: Contest) -> Block:
    """Return the objects that kernel learners get wrong most often, or by most."""
    ours = [contest.predicted[k] for k, one in enumerate(contest.entrants) if one.formula]
    if study.data.task == "numbers":
        errors = np.abs(ours[0] - contest.y).mean(axis=0)
        worst = np.argsort(-errors, kind="stable")[:LISTED]
        rows = [
            [what, number(float(contest.y[k])), number(float(ours[0][:, k].mean())), float(errors[k])]
            for what, k in zip(study.listed(contest.rows[worst]), worst.tolist(), strict=True)
        ]
        columns = [("object", "text"), ("true", "text"), ("predicted", "text"), ("error", "bar")]
        return _with_reasons("The objects whose target is hardest to tell", columns, rows, amiss(study, contest, worst))
    said = np.concatenate(ours)
    wrong = (said != contest.y).mean(axis=0)
    worst = np.argsort(-wrong, kind="stable")[:LISTED]
    worst = worst[wrong[worst] > 0]
    rows = [
        [what, str(contest.y[k]), str(commonest(said[:, k][said[:, k] != contest.y[k]])[0][0]), float(wrong[k])]
        for what, k in zip(study.listed(contest.rows[worst]), worst.tolist(), strict=True)
    ]
    if not rows:
        return note("No object was ever mistaken by a kernel learner.")
    how = f"over {len(said)} predictions each, by {len(ours)} learners"
    columns = [("object", "text"), ("true", "text"), ("taken for", "text"), ("how often", "bar")]
    return _with_reasons(f"The objects most often mistaken, {how}", columns, rows, amiss(study, contest, worst))


def _with_reasons(caption: str, columns: list[Any], rows: list[list[Any]], reasons: list[list[Because]]) -> Block:
    """Return a table of mistaken objects, with what is unlike others of their target where that can be told."""
    if not any(reasons):
        return table(f"{caption}.", columns, rows)
    rows = [
        [*row, phrase(why, "which tips the scale, though within") or "no single column"]
        for row, why in zip(rows, reasons, strict=True)
    ]
    usual = "“usual” is what others of the same class, or of such a number, have"
    return table(f"{caption}, and what speaks against them: {usual}.", [*columns, ("because", "text")], rows)


def unknown(study: Study, contest: Contest) -> tuple[list[Block], list[dict[str, Any]]]:
    """Return what the best learner says of objects whose target is not known, for people and for programs."""
    unknown = np.setdiff1d(np.arange(study.n), study.labelled)
    if not len(unknown):
        return [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = (
            contest.entrants[contest.best]
            .predict(study.choice.kernel, contest.learnt, study.target(contest.learnt), unknown)
            .predicted
        )
    numbers = [
        {"row": int(study.origin[row]), "name": study.data.names[row], "predicted": label}
        for row, label in zip(unknown.tolist(), said.tolist(), strict=True)
    ]
    rows = [[what, str(label)] for what, label in zip(study.listed(unknown[:SHOWN]), said.tolist(), strict=False)]
    some = f"; {SHOWN} of them are shown" if len(unknown) > SHOWN else ""
    return [
        facts(fact("objects without a label", f"{len(unknown):,}", "predicted from the others")),
        table(
            f"What {contest.entrants[contest.best].name} says of them{some}.",
            (("object", "text"), ("predicted", "text")),
            rows,
        ),
    ], numbers


def commonest(y: Array) -> list[tuple[Any, int]]:
    """Return all values with their numbers, the most frequent first."""
    names, counts = np.unique(y, return_counts=True)
    return sorted(zip(names.tolist(), counts.tolist(), strict=True), key=lambda one: -one[1])
