"""The kernel: what it is, why it was taken, and how the other candidates did."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gramian.kernels.algebra import Kernel
from gramian.reporting.blocks import Block, Section, count, note, number, plus_minus, spelled, table, text
from gramian.reporting.candidates import Judged
from gramian.reporting.fitting import columns_of, written
from gramian.reporting.measures import effective_dimension, leading_shares
from gramian.reporting.study import Study
from gramian.reporting.words import in_words


def section(study: Study) -> Section:
    """Return the kernel with its reasons."""
    choice = study.choice
    seen = [(one, *_spread(study, one.kernel)) for one in choice.judged]
    blocks = [*_apart(study), text(choice.reason, written(choice.kernel)), _tried(study, seen)]
    if len(choice.rows) < study.n:
        how = (
            "those whose target is known" if len(study.distinct) == len(study.labelled) else "one of each set of copies"
        )
        how = how if len(choice.rows) == len(study.distinct) else "drawn at random"
        words = f"These are estimates, from {len(choice.rows):,} of {study.n:,} objects, {how}"
        blocks.append(note(words + ("; ± is one standard error." if study.data.y is not None else ".")))
    return Section(
        "kernel",
        "The kernel, and why",
        f"How alike two objects are: {in_words(study.whole)}.",
        blocks,
        {
            "kernel": written(choice.kernel),
            "geometry": written(study.whole),
            "ties": [written(one) for one in choice.ties],
            "settled": repr(study.kernel),
            "reason": choice.reason,
            "candidates": [_numbers(*one) for one in seen],
            "judged_on": len(choice.rows),
        },
    )


def _apart(study: Study) -> list[Block]:
    """Say that the target is predicted by fewer columns than are looked at, where that is so."""
    if study.whole == study.choice.kernel:
        return []
    names = columns_of(study.choice.kernel)
    left = [name for name in study.data.recipe.columns if name not in names]
    fewer = f"by fewer: {in_words(study.choice.kernel)}. That leaves out {', '.join(left)}."
    return [
        text(
            f"Geometry, map, clusters and unusual objects look at all {_all(study)}.",
            written(study.whole),
        ),
        text(f"The target is predicted best {fewer if left else f'by all: {in_words(study.choice.kernel)}.'}"),
    ]


def _all(study: Study) -> str:
    """Return how many columns the geometry looks at."""
    many = count(len(study.data.recipe.columns) - len(study.apart), "column")
    return f"{many} but those that only number rows" if study.apart else many


def _spread(study: Study, kernel: Kernel) -> tuple[float, float]:
    """Return the effective dimension of the objects under a kernel, and the share of variance in two directions.

    Both are NaN where the kernel cannot take these objects.
    """
    X = study.objects(study.choice.rows)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            K = np.asarray(kernel.fit(X).gram(X).center().dense(), dtype=np.float64)
    except (ValueError, ArithmeticError):
        return float("nan"), float("nan")
    return effective_dimension(K, study.n), leading_shares(K)


def _tried(study: Study, seen: list[tuple[Judged, float, float]]) -> Block:
    """Return the table of candidates: how each does at the target or, where there is none, how it sees the objects."""
    known = study.data.y is not None
    if known:
        seen = sorted(seen, key=lambda one: (one[0].error, one[0].squares))
    alone = len(seen) == 1
    best = (
        None
        if alone or study.choice.ties
        else next((k for k, one in enumerate(seen) if one[0].kernel == study.choice.kernel), None)
    )
    what = "The kernel" if alone else "Candidates"
    if not known:
        return table(
            f"{what}: over how many directions the objects spread, and how much of their variance a flat map shows",
            (("what makes objects alike", "text"), ("directions", "text"), ("in a flat map", "bar")),
            [[_spelled(one.kernel), number(dimension), flat] for one, dimension, flat in seen],
            best,
            "dimension",
        )
    classes = study.data.task == "classes"
    return table(
        f"{what}: how often each object is mistaken when predicted from all others"
        if classes
        else f"{what}: root mean squared error when each object is predicted from all others",
        (
            ("what makes objects alike", "text"),
            ("mistakes" if classes else "error", "text"),
            ("against the best", "text"),
            ("alignment", "bar"),
            ("directions", "text"),
        ),
        [
            [
                _spelled(one.kernel),
                plus_minus(one.error, one.deviation, shares=classes),
                _standing(study, one),
                one.alignment,
                number(dimension),
            ]
            for one, dimension, _ in seen
        ],
        best,
        "loo",
    )


def _spelled(kernel: Kernel) -> dict[str, str]:
    return spelled(in_words(kernel), written(kernel))


def _standing(study: Study, one: Judged) -> str:
    if one.kernel == study.choice.kernel:
        return "the first of equals" if study.choice.ties else "the best" if len(study.choice.judged) > 1 else "–"
    return "as good" if one.kernel in study.choice.ties else "worse"


def _numbers(one: Judged, dimension: float, flat: float) -> dict[str, Any]:
    return {
        "kernel": written(one.kernel),
        "effective_dimension": dimension,
        "share_of_two_directions": flat,
        "loo_error": one.error,
        "loo_error_deviation": one.deviation,
        "loo_mean_square": one.squares,
        "alignment": one.alignment,
    }
