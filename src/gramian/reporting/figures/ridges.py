"""Histograms one above the other, a row for each series, so that many of them can be told apart.

Every row has its own height, so that small groups are seen as well as large ones; the rows stand in the order of their
medians, so that groups which lie beside each other in the data do so in the picture.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from gramian.reporting.figures.drawing import NARROW, WIDTH, Drawing, axis_below, f, flag_room, flags, labelled, nothing
from gramian.reporting.figures.scale import Scale, span
from gramian.reporting.markup import ems, escape, fitted, number

ROW = 44.0
HILL = 0.86  # of a row
WIDEST_NAME = 9.0  # ems


def ridges(data: dict[str, Any]) -> Drawing:
    """Return the counts of each series between the edges as a row of its own."""
    edges = [float(edge) for edge in data["edges"]]
    series = sorted(data["series"], key=lambda one: _quantile(edges, one["counts"], 0.5))
    columns = ["group", "how many", "median, about", *(f"{number(a)} to {number(b)}" for a, b in pairwise(edges))]
    rows = [
        [str(one["name"]), sum(map(_size, one["counts"])), _quantile(edges, one["counts"], 0.5), *one["counts"]]
        for one in series
    ]
    if not any(row[1] for row in rows):
        return nothing(columns, rows)
    marks = data.get("marks") or []
    top = 14 + flag_room(marks) * bool(marks)
    names = [fitted(one["name"], WIDEST_NAME) for one in series]
    low, high = span([edges[0], edges[-1], *(m["x"] for m in marks)], room=0.01)
    x = Scale(low, high, 18 + NARROW * max(map(ems, names)), WIDTH - 14)
    bottom = top + ROW * len(series)
    body = places = ""
    for k, (one, name) in enumerate(zip(series, names, strict=True)):
        floor = top + ROW * (k + 1)
        body += _hill(one["counts"], edges, x, floor) + (
            f'<text class="name" x="{f(x.start - 10)}" y="{f(floor - 6)}" text-anchor="end">{escape(name)}</text>'
        )
        places += (
            f'<rect class="column" x="{f(x.start)}" y="{f(floor - ROW)}" width="{f(x.end - x.start)}" '
            f'height="{f(ROW)}"/>'
        )
    return Drawing(
        f'{axis_below(x, bottom, top - 8)}{body}{flags(marks, x, 18, bottom)}<g class="marks">{places}</g>',
        bottom + 34,
        columns,
        rows,
        (0, 1, 2),
        labelled(data["x_label"], x.exponent()),
        attributes={"rows": "", "named": ""},
    )


def _size(count: int | None) -> int:
    return count or 0


def _quantile(edges: list[float], counts: list[int | None], part: float) -> float:
    """Return about where this part of the counts is reached: within its bin they are taken as evenly spread.

    Examples
    --------
    >>> _quantile([0.0, 1.0, 2.0], [2, 2], 0.5), _quantile([0.0, 1.0, 2.0], [0, 4], 0.5)
    (1.0, 1.5)
    """
    goal, seen = part * sum(map(_size, counts)), 0
    for (a, b), count in zip(pairwise(edges), map(_size, counts), strict=True):
        if count and seen + count >= goal:
            return a + (b - a) * (goal - seen) / count
        seen += count
    return edges[0]


def _hill(counts: list[int | None], edges: list[float], x: Scale, floor: float) -> str:
    most = max(map(_size, counts)) or 1
    path = f"M{f(x(edges[0]))} {f(floor)}"
    for right, count in zip(edges[1:], counts, strict=True):
        path += f"V{f(floor - HILL * ROW * _size(count) / most)}H{f(x(right))}"
    return f'<path class="shape c0" d="{path}V{f(floor)}"/><path class="axis" d="M{f(x.start)} {f(floor)}H{f(x.end)}"/>'
