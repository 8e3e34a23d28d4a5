"""Histograms laid over each other, one translucent shape for each series."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from gramian.reporting.figures.drawing import (
    Axes,
    Drawing,
    Entry,
    color_of,
    f,
    flag_room,
    flags,
    framed,
    labelled,
    nothing,
)
from gramian.reporting.figures.scale import span
from gramian.reporting.markup import number


def histogram(data: dict[str, Any]) -> Drawing:
    """Return the counts between the edges; beside the pointer stand those of all series at once."""
    edges, series, marks = data["edges"], data["series"], data.get("marks") or []
    names = [str(one["name"]) for one in series]
    columns = [data["x_label"], *names]
    bins = [f"{number(a)} to {number(b)}" for a, b in pairwise(edges)]
    rows = [list(row) for row in zip(bins, *(one["counts"] for one in series), strict=True)]
    most = max((count or 0 for one in series for count in one["counts"]), default=0)
    if not most:
        return nothing(columns, rows)
    frame = framed(
        span([edges[0], edges[-1], *(m["x"] for m in marks)], room=0.01),
        (0.0, 1.04 * most),
        height=340 + flag_room(marks) * bool(marks),
        top=10 + flag_room(marks) * bool(marks),
    )
    *_, bottom = frame.field
    shapes = "".join(_shape(g, one["counts"], edges, frame) for g, one in enumerate(series))
    body = f'{frame.body}{shapes}{flags(marks, frame.x, 18, bottom)}<g class="marks">{_columns(edges, frame)}</g>'
    return Drawing(
        body,
        frame.height,
        columns,
        rows,
        range(len(columns)),
        labelled(data["x_label"], frame.x.exponent()),
        labelled("how many", frame.y.exponent()),
        [_entry(g, name, series[g]["counts"]) for g, name in enumerate(names)] if len(series) > 1 else [],
        attributes={"named": ""},
    )


def _entry(g: int, name: str, counts: list[int | None]) -> Entry:
    return Entry(name, color_of(g), "m1", sum(count or 0 for count in counts))


def _shape(g: int, counts: list[int | None], edges: list[float], frame: Axes) -> str:
    floor = f(frame.y(0.0))
    path = f"M{f(frame.x(edges[0]))} {floor}"
    for right, count in zip(edges[1:], counts, strict=True):
        path += f"V{f(frame.y(count or 0))}H{f(frame.x(right))}"
    return f'<path class="shape {color_of(g)} dash{g % 4}" data-g="{g}" d="{path}V{floor}"/>'


def _columns(edges: list[float], frame: Axes) -> str:
    _, top, _, bottom = frame.field
    return "".join(
        f'<rect class="column" x="{f(frame.x(a))}" y="{f(top)}" width="{f(frame.x(b) - frame.x(a))}" '
        f'height="{f(bottom - top)}"/>'
        for a, b in pairwise(edges)
    )
