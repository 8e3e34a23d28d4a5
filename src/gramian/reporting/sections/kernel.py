"""The kernel: what it is, why it was taken, and how the other candidates did."""

from __future__ import annotations

from gramian.reporting.blocks import Block, Section, note, number, plus_minus, table, text
from gramian.reporting.candidates import Judged
from gramian.reporting.fitting import written
from gramian.reporting.study import Study


def section(study: Study) -> Section:
    """Return the kernel with its reasons."""
    choice = study.choice
    blocks = [text(choice.reason), _tried(study)]
    if choice.sampled < len(study.labelled):
        words = f"These are estimates, from {choice.sampled:,} of {len(study.labelled):,} objects drawn at random"
        blocks.append(note(words + ("; ± is one standard error." if study.data.y is not None else ".")))
    return Section(
        "kernel",
        "The kernel, and why",
        f"Objects are compared by {written(choice.kernel)}.",
        blocks,
        {
            "kernel": written(choice.kernel),
            "settled": repr(study.kernel),
            "reason": choice.reason,
            "candidates": [_numbers(one) for one in choice.judged],
            "judged_on": choice.sampled,
        },
    )


def _tried(study: Study) -> Block:
    """Return the table of candidates: how each does at the target or, where there is none, how it sees the objects."""
    judged = sorted(
        study.choice.judged, key=lambda one: (one.error, one.squares) if study.data.y is not None else (0, 0)
    )
    alone = len(judged) == 1
    best = None if alone else next((k for k, one in enumerate(judged) if one.kernel == study.choice.kernel), None)
    what = "The kernel" if alone else "Candidates"
    if study.data.y is None:
        return table(
            f"{what}: over how many directions the objects spread, and how much of their variance a flat map shows",
            (("kernel", "text"), ("effective dimension", "text"), ("in a flat map", "bar")),
            [[written(one.kernel), number(one.dimension), one.flat] for one in judged],
            best,
            "dimension",
        )
    classes = study.data.task == "classes"

    def error(one: Judged) -> str:
        return plus_minus(one.error, one.deviation, shares=classes)

    return table(
        f"{what}: how often each object is mistaken when predicted from all others"
        if classes
        else f"{what}: root mean squared error when each object is predicted from all others",
        (
            ("kernel", "text"),
            ("mistakes" if classes else "error", "text"),
            ("alignment", "bar"),
            ("effective dimension", "text"),
        ),
        [[written(one.kernel), error(one), one.alignment, number(one.dimension)] for one in judged],
        best,
        "loo",
    )


def _numbers(one: Judged) -> dict[str, float | str]:
    return {
        "kernel": written(one.kernel),
        "effective_dimension": one.dimension,
        "share_of_two_directions": one.flat,
        "loo_error": one.error,
        "loo_error_deviation": one.deviation,
        "loo_mean_square": one.squares,
        "alignment": one.alignment,
    }
