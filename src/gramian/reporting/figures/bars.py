"""Horizontal bars with their values at the end, errors as whiskers, a dashed line for what to compare with."""

from __future__ import annotations

from typing import Any

from gramian.reporting.figures.drawing import NARROW, WIDTH, Drawing, axis_below, f, labelled, nothing
from gramian.reporting.figures.scale import Scale, present, span
from gramian.reporting.markup import aligned, ems, escape, fitted, number

LONGEST_BESIDE = 9.5  # ems of a label that still stands to the left of its bar; longer ones stand above
DIGITS = 4


def bars(data: dict[str, Any]) -> Drawing:
    """Return one bar for each label, from zero to its value."""
    labels, values = [str(label) for label in data["labels"]], list(data["values"])
    errors, baseline = data.get("errors"), data.get("baseline")
    columns = ["name", data["x_label"]] + ["±"] * (errors is not None)
    rows = [list(row) for row in zip(labels, values, *([] if errors is None else [errors]), strict=True)]
    if not present(values):
        return nothing(columns, rows)
    texts = aligned(values, DIGITS)
    above = max(map(ems, labels)) > LONGEST_BESIDE
    left = 8.0 if above else 18 + NARROW * max(map(ems, labels))
    room = NARROW * max(map(ems, texts)) + 12
    low, high = _span(values, errors, baseline)
    scale = Scale(low, high, left + (room if low < 0 else 0), WIDTH - 8 - room)
    step, thick = (52.0, 18.0) if above else (34.0, 20.0)
    bottom = 10 + step * len(rows)
    marks = letters = ""
    for k, (label, value, text) in enumerate(zip(labels, values, texts, strict=True)):
        middle = 10 + step * k + step / 2 + (11 if above else 0)
        error = (errors[k] or 0.0) if errors is not None and value is not None else 0.0
        marks += _bar(value or 0.0, middle, thick, scale, k in (data.get("highlight") or ()))
        letters += _label(label, left, middle, above) + _value(value or 0.0, text, error, middle, scale)
        letters += _whisker(value, error, middle, scale) if error else ""
    zero = f'<path class="axis" d="M{f(scale(0.0))} 4V{f(bottom)}"/>'
    line = "" if baseline is None else f'<path class="baseline" d="M{f(scale(baseline))} 4V{f(bottom)}"/>'
    return Drawing(
        f'{axis_below(scale, bottom, 4)}<g class="marks">{marks}</g>{zero}{line}{letters}',
        bottom + 34,
        columns,
        rows,
        range(len(columns)),
        labelled(data["x_label"], scale.exponent()),
        remark="" if baseline is None else f"The dashed line stands at {number(baseline, DIGITS)}.",
        attributes={"rows": ""},
    )


def _span(values: list[float | None], errors: list[float | None] | None, baseline: float | None) -> tuple[float, float]:
    spread = errors or [0.0] * len(values)
    ends = [v + s * (e or 0.0) for v, e in zip(values, spread, strict=True) if v is not None for s in (-1, 1)]
    low, high = min(0.0, *ends, baseline or 0.0), max(0.0, *ends, baseline or 0.0)
    return (low, high) if high > low else span([0.0, 1.0], room=0)


def _bar(value: float, middle: float, thick: float, scale: Scale, strong: bool) -> str:
    a, b = sorted((scale(0.0), scale(value)))
    place = f'x="{f(a)}" y="{f(middle - thick / 2)}" width="{f(b - a)}" height="{f(thick)}"'
    return f'<rect class="bar{" strong" * strong}" {place}/>'


def _label(label: str, left: float, middle: float, above: bool) -> str:
    if above:
        text = escape(fitted(label, (WIDTH - 56) / NARROW))
        return f'<text class="name" x="{f(left + 5)}" y="{f(middle - 15)}">{text}</text>'
    return f'<text class="name" x="{f(left - 10)}" y="{f(middle)}" dy=".35em" text-anchor="end">{escape(label)}</text>'


def _value(value: float, text: str, error: float, middle: float, scale: Scale) -> str:
    side, anchor = (-1, "end") if value < 0 else (1, "start")
    x = scale(value + side * error) + 6 * side
    return f'<text class="value" x="{f(x)}" y="{f(middle)}" dy=".35em" text-anchor="{anchor}">{text}</text>'


def _whisker(value: float, error: float, middle: float, scale: Scale) -> str:
    a, b = f(scale(value - error)), f(scale(value + error))
    return f'<path class="whisker" d="M{a} {f(middle - 5)}v10M{a} {f(middle)}H{b}M{b} {f(middle - 5)}v10"/>'
