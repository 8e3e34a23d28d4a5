"""What sets each class apart from the others, in a sentence each."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gramian.checks import is_sparse
from gramian.explain.profiles import Profile, Trait, profiles
from gramian.intake.dates import iso_of
from gramian.reporting.blocks import Block, figure, number, table
from gramian.reporting.study import Study

MOST = 5000  # objects by which classes are compared
MOST_CLASSES = 30
WIDE = 2000  # columns
TOLD, MANY = 3, 200  # traits of a class in words, and those among which are the drawn ones
DRAWN = 12  # classes, and traits, of a picture
LEAST = 3  # objects of a class


def apart(study: Study) -> tuple[list[Block], list[dict[str, Any]]]:
    """Return the profiles of the classes, for people and for programs; nothing where objects have no columns."""
    data = study.data
    if data.task != "classes" or data.kind == "nodes" or is_sparse(data.X) or len(data.recipe.columns) > WIDE:
        return [], []
    rows = study.some(MOST, study.labelled)
    y = study.target(rows)
    known, counts = np.unique(y, return_counts=True)
    kept = np.sort(known[np.argsort(-counts, kind="stable")][:MOST_CLASSES])
    kept = kept[np.isin(kept, known[counts >= LEAST])]
    rows = rows[np.isin(y, kept)]
    if len(kept) < 2:
        return [], []
    names = list(data.recipe.columns) if data.kind == "vectors" and data.recipe.columns else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            every = profiles(study.as_they_came(rows), study.target(rows), names=names, top=MANY)
        except (TypeError, ValueError):  # objects without columns or words
            return [], []
    found = [replace(one, traits=one.traits[:TOLD]) for one in every]
    dates = frozenset(name for name, kind in data.recipe.kinds.items() if kind == "date")
    block = table(
        "What sets each class apart from all others, the largest difference first.",
        (("class", "text"), ("objects", "number"), ("what sets it apart", "text")),
        [[str(one.label), one.count, told(one, dates)] for one in found],
    )
    numbers = [
        {
            "class": one.label,
            "objects": one.count,
            "traits": [
                {
                    "column": trait.column,
                    "value": trait.value,
                    "effect": trait.effect,
                    "error": trait.error,
                    "inside": trait.inside,
                    "outside": trait.outside,
                }
                for trait in one.traits
            ],
        }
        for one in found
    ]
    return [block, *picture("profiles", [str(one.label) for one in every], every)], numbers


def picture(id: str, names: list[str], every: Sequence[Profile]) -> list[Block]:
    """Return the effects of what sets classes or clusters apart as a small matrix; nothing where there are none."""
    heads = list(dict.fromkeys(_head(trait) for one in every for trait in one.traits[:TOLD]))[:DRAWN]
    if not heads:
        return []
    effects = [{_head(trait): trait.effect for trait in one.traits} for one in every[:DRAWN]]
    data = {
        "rows": names[:DRAWN],
        "columns": heads,
        "values": [[one.get(head) for head in heads] for one in effects],
        "value_label": "standard deviations",
        "text": True,
    }
    reading = (
        "How much higher or lower than elsewhere, in standard deviations; where a cell is empty, the difference is no "
        "more than chance would make it."
    )
    return [figure(id, "What sets them apart", "heatmap", data, reading, "apart")]


def _head(trait: Trait) -> str:
    """Return what a trait is about, without its direction."""
    return " ".join(filter(None, [trait.column, "" if trait.value is None else f"“{trait.value}”"]))


def told(one: Profile, dates: frozenset[str] = frozenset()) -> str:
    """Return a profile in words, the means of numbers and of dates with it."""
    return ", ".join(_trait(trait, trait.column in dates) for trait in one.traits) or "nothing beyond chance"


def _trait(trait: Trait, date: bool) -> str:
    if trait.value is not None:
        return str(trait)
    if date:
        inside, outside = (iso_of(round(days)) for days in (trait.inside, trait.outside))
        return f"{'later' if trait.effect > 0 else 'earlier'} {trait.column} (on average {inside} against {outside})"
    return f"{trait} ({number(trait.inside)} against {number(trait.outside)})"
