"""Which columns matter to the model that won, those that matter together, and how the answer goes with the foremost."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.explain.effects import ColumnEffect
from gramian.explain.importance import ColumnImportance
from gramian.intake.dates import iso_of
from gramian.learn.weights import FeatureWeights
from gramian.reporting.blocks import Block, Section, count, figure, number, plus_minus, share, table, text
from gramian.reporting.contest import called
from gramian.reporting.matters import CURVES, Matters
from gramian.reporting.study import Study

SHOWN = 15  # columns that are drawn
LINES = 4  # classes whose curves are drawn
SPOKEN = 8  # words or substrings that are named for each class
MOST_DIGITS = 12  # of two values that differ little
ROUNDED = 1e-12  # of the largest, up to which a number is 0
NOISE = 1e-3  # of the largest weight: what says nothing
BANDS = {
    "rows": "what the choice of the objects leaves open, the model taken as it is",
    "refits": "what the choice of the objects to learn from leaves open",
}


def section(study: Study, found: Matters | None) -> Section | None:
    """Return what the winner goes by; None where it finds nothing, or has no columns or words."""
    if found is None or (found.importance is None and found.weights is None):
        return None
    blocks: list[Block] = []
    if found.importance is not None:
        blocks += [_bars(found, found.importance), *_together(found.importance)]
        kinds, target = study.data.recipe.kinds, study.data.target or "the target"
        blocks += [_curve(k, one, target, kinds.get(one.column) == "date") for k, one in enumerate(found.effects)]
    if found.weights is not None:
        blocks += [text(_exactly(found)), _words(found.weights)]
    return Section("columns_that_matter", _title(found), sentence(found), blocks, _numbers(found))


def _title(found: Matters) -> str:
    return "Which columns matter" if found.weights is None else "What speaks for what"


def sentence(found: Matters | None) -> str:
    """Say what matters above all, if that is more than chance; an empty sentence where nothing was asked."""
    if found is None:
        return ""
    if found.weights is not None:
        return f"{_foremost(found.weights)}."
    if found.importance is None:
        return ""
    what = found.outstanding[:CURVES]
    if not what:
        words = "No single column stands out: to exchange the values of any one of them costs no more than chance would"
        together = [f"{_and(names)} together do" for names in found.together[:1]]
        return f"{words}{f'; {together[0]}' if together else ''}."
    names = [one["column"] for one in found.columns]
    unsure = names[: names.index(what[0])]
    cost = _cost(found.importance, found.columns[len(unsure)])
    if not unsure:
        between = [name for name in names[: names.index(what[-1])] if name not in what][:CURVES]
        perhaps = f", and perhaps {_and(between)}" if between else ""
        return f"What matters above all: {_and(what)}{perhaps} ({cost})."
    seem = "seems" if len(unsure) == 1 else "seem"
    more = f"{_and(unsure[:CURVES])} {seem} to matter more, but so unevenly that it may be chance"
    return f"What matters beyond chance: {_and(what)} ({cost}); {more}."


def _cost(found: ColumnImportance, first: dict[str, Any]) -> str:
    """Say what it costs not to know the first column that stands out: how much more, as the folds are others."""
    name, grown = first["column"], first["importance"]
    if found.loss == "share of mistakes":
        words = f"another {share(grown)} of them are mistaken"
    else:
        words = f"the error grows by {number(grown)}"
    return f"with the values of “{name}” exchanged among the objects, {words}"


def _and(names: Any) -> str:
    quoted = [f"“{name}”" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def no_rounding(values: Array) -> Array:
    """Return numbers of which those that rounding makes, beside the largest, are 0.

    Examples
    --------
    >>> no_rounding(np.array([0.25, -5.6e-18, -0.003])).tolist()
    [0.25, 0.0, -0.003]
    """
    return np.where(np.abs(values) > ROUNDED * np.abs(values).max(initial=0.0), values, 0.0)


def _bars(found: Matters, importance: ColumnImportance) -> Block:
    names = importance.columns[:SHOWN]
    what = "mistakes more" if importance.loss == "share of mistakes" else "error more"
    more = len(importance) - SHOWN
    less = count(more, "column that matters less is", "columns that matter less are")
    rest = f"; {less} left out" if more > 0 else ""
    standing = set(found.outstanding)
    return figure(
        "importance",
        f"Which columns matter to {called(found.model)}",
        "bars",
        {
            "labels": list(names),
            "values": no_rounding(importance.importances[:SHOWN]),
            "errors": importance.errors[:SHOWN],
            "highlight": [k for k, name in enumerate(names) if name in standing],
            "x_label": what,
        },
        "What a model loses that is told a column's values for the wrong objects, at objects it has not seen; "
        f"whiskers are one standard error over {importance.folds} folds{rest}. A column stands out beyond "
        f"{number(found.needed, 2)} of them.",
        "importance",
    )


def _together(found: ColumnImportance) -> list[Block]:
    if not found.clusters:
        return []
    rows = [
        [", ".join(one.columns), plus_minus(one.importance, one.error, shares=found.loss == "share of mistakes")]
        for one in found.clusters
    ]
    return [
        table(
            "Columns that say nearly the same, exchanged together: each alone may look as if it did not matter.",
            (("columns", "text"), ("loss more", "text")),
            rows,
        )
    ]


def _curve(place: int, one: ColumnEffect, target: str, dates: bool = False) -> Block:
    """Return the effect of a column: a line for each class, or a bar for each category."""
    moved = np.argsort(-np.ptp(one.effects, axis=0), kind="stable")
    most = one.effects[:, moved[0]]
    of = f"{one.scale}" if one.scale == "prediction" else f"{one.scale} of “{one.outputs[moved[0]]}”"
    low, high = told_apart(one.values[int(np.argmin(most))], one.values[int(np.argmax(most))], dates)
    reading = (
        f"All other columns kept, the {of} is lowest at {low} and highest at {high}, "
        f"{number(float(np.ptp(most)))} apart (± {number(float(one.errors[:, moved[0]].max()), 2)} at most: "
        f"{BANDS[one.band]})."
    )
    label = one.scale if one.scale != "prediction" else f"predicted {target}"
    if one.kind == "category":
        data: dict[str, Any] = {
            "labels": [str(value) for value in one.values],
            "values": most,
            "errors": one.errors[:, moved[0]],
            "x_label": f"{of if one.scale != 'prediction' else label}, less its mean",
        }
        return figure(f"effect-{place}", f"How it goes with “{one.column}”", "bars", data, reading, "effects")
    data = {
        "x_label": one.column,
        "y_label": f"{label}, less its mean",
        "x_log": False,
        "x_dates": dates,
        "y_log": False,
        "series": _series(one, np.sort(moved[:LINES])),
        "marks": [],
    }
    return figure(f"effect-{place}", f"How it goes with “{one.column}”", "lines", data, reading, "effects")


def _series(one: ColumnEffect, places: Any) -> list[dict[str, Any]]:
    """Return the curves with their bands; those of a lone curve are lines of their own, too."""
    found = []
    for k in places.tolist():
        effect, spread = one.effects[:, k], 2 * one.errors[:, k]
        name = "effect" if one.scale == "prediction" else str(one.outputs[k])
        curve = {"name": name, "x": one.values, "y": effect, "dashed": False}
        found.append({**curve, "low": effect - spread, "high": effect + spread})
        if len(places) == 1:
            found += [
                {"name": f"two errors {side}", "x": one.values, "y": bound, "dashed": True}
                for side, bound in (("below", effect - spread), ("above", effect + spread))
            ]
    return found


def told_apart(one: Any, other: Any, dates: bool = False) -> tuple[str, str]:
    """Return two values in words, numbers with so many digits that they differ.

    Examples
    --------
    >>> told_apart(1.5151, 1.5194), told_apart(2, 10)
    (('1.515', '1.519'), ('2', '10'))
    """
    for digits in range(3, MOST_DIGITS):
        told = _told(one, dates, digits), _told(other, dates, digits)
        if told[0] != told[1]:
            return told
    return _told(one, dates, MOST_DIGITS), _told(other, dates, MOST_DIGITS)


def _told(value: Any, date: bool, digits: int) -> str:
    if date:
        return iso_of(float(value))
    return number(float(value), digits) if isinstance(value, int | float | np.number) else f"“{value}”"


def _exactly(found: Matters) -> str:
    return (
        "The answer of kernel ridge regression is a weighted sum of features; these are the weightiest of them. A "
        "positive weight speaks for the class, or raises the number."
    )


def spoken(found: FeatureWeights) -> list[tuple[str, list[tuple[str, float]]]]:
    """Return for each class, or each direction of a number, the features that speak for it, the loudest first."""
    sides = []
    for k, name in enumerate(found.functions):
        lone = len(found.functions) == 1
        if found.against is not None or not lone:
            called = [str(name)] + ([str(found.against)] if found.against is not None else [])
        else:
            called = ["higher", "lower"]
        sides += [(one, found.weights[:, k] * sign) for one, sign in zip(called, (1, -1), strict=False)]
    told = []
    for name, w in sides:
        noise = NOISE * float(np.abs(found.weights).max(initial=0.0))
        order = [u for u in np.argsort(-w, kind="stable")[:SPOKEN].tolist() if w[u] > noise]
        told.append((name, [(found.features[u], float(w[u])) for u in order]))
    return told


def _foremost(found: FeatureWeights) -> str:
    parts = [f"for “{name}”: {_and([one for one, _ in words[:3]])}" for name, words in spoken(found)[:3] if words]
    return f"What speaks {'; '.join(parts)}" if parts else "No feature speaks for anything"


def _words(found: FeatureWeights) -> Block:
    rows = [
        [name, ", ".join(f"{word} {number(w, 2)}" for word, w in words) or "nothing"] for name, words in spoken(found)
    ]
    return table("What speaks for what, and how loudly.", (("for", "text"), ("features", "text")), rows)


def _numbers(found: Matters) -> dict[str, Any]:
    standing = set(found.outstanding)
    importance = found.importance
    return {
        "model": found.model,
        "loss": None if importance is None else importance.loss,
        "baseline": None if importance is None else importance.baseline,
        "folds": None if importance is None else importance.folds,
        "columns": [{**one, "stands_out": one["column"] in standing} for one in found.columns],
        "clusters": []
        if importance is None
        else [
            {"columns": one.columns, "importance": one.importance, "error": one.error} for one in importance.clusters
        ],
        "effects": [
            {
                "column": one.column,
                "scale": one.scale,
                "outputs": one.outputs,
                "values": one.values,
                "effects": one.effects,
                "errors": one.errors,
                "band": one.band,
            }
            for one in found.effects
        ],
        "features": []
        if found.weights is None
        else [
            {"speaks_for": name, "feature": word, "weight": w}
            for name, words in spoken(found.weights)
            for word, w in words
        ],
    }
