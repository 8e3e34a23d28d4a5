"""What sets each class apart from the others, in a sentence each."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gramian.checks import is_sparse
from gramian.explain.profiles import Profile, Trait, profiles
from gramian.intake.dates import iso_of
from gramian.reporting.blocks import Block, number, table
from gramian.reporting.study import Study

MOST = 5000  # objects by which classes are compared
MOST_CLASSES = 30
WIDE = 2000  # columns
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
            found = profiles(study.objects(rows), study.target(rows), names=names)
        except (TypeError, ValueError):  # objects without columns or words
            return [], []
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
    return [block], numbers


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
