"""Lines over linear or logarithmic axes, with upright marks where something is to be noticed."""

from __future__ import annotations

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
    shape_of,
)
from gramian.reporting.figures.scale import date_of, in_calendar, present, span

MOST_DOTS = 24  # points of a line whose markers are always seen


def lines(data: dict[str, Any]) -> Drawing:
    """Return one line for each series; values that a logarithmic axis cannot show stand in the table alone.

    With `x_dates` the values of x are days since 1970-01-01, and the axis shows dates.
    """
    x_log, y_log, series = bool(data.get("x_log")), bool(data.get("y_log")), data["series"]
    several = len(series) > 1
    columns = ["series"] * several + [data["x_label"], data["y_label"]]
    points = [(g, x, y) for g, one in enumerate(series) for x, y in zip(one["x"], one["y"], strict=True)]
    drawn = [p for p in points if present(p[1:2], log=x_log) and present(p[2:], log=y_log)]
    lost = [p for p in points if p not in set(drawn)]
    dates = bool(data.get("x_dates")) and in_calendar(x for _, x, _ in points)
    rows = [[str(series[g]["name"])] * several + [date_of(x) if dates else x, y] for g, x, y in drawn + lost]
    if not drawn:
        return nothing(columns, rows)
    marks = data.get("marks") or []
    frame = framed(
        span([x for _, x, _ in drawn] + [m["x"] for m in marks], log=x_log, room=0.02),
        span([y for *_, y in drawn], log=y_log),
        x_log=x_log,
        y_log=y_log,
        height=380 + flag_room(marks) * bool(marks),
        top=10 + flag_room(marks) * bool(marks),
        dates=dates,
    )
    *_, bottom = frame.field
    body = frame.body + flags(marks, frame.x, 18, bottom) + _paths(data, frame, x_log, y_log)
    body += f'<g class="marks">{_dots(drawn, frame)}</g>'
    return Drawing(
        body,
        frame.height,
        columns,
        rows,
        range(len(columns)),
        labelled(data["x_label"], frame.x.exponent()),
        labelled(data["y_label"], frame.y.exponent()),
        [Entry(str(one["name"]), color_of(g), shape_of(g)) for g, one in enumerate(series)] if several else [],
        remark=f"{len(lost):,} of {len(points):,} values cannot be drawn and are in the table only." * bool(lost),
        attributes={} if several else {"named": ""},
    )


def _paths(data: dict[str, Any], frame: Axes, x_log: bool, y_log: bool) -> str:
    drawn = ""
    for g, one in enumerate(data["series"]):
        path, pen = "", "M"
        for x, y in zip(one["x"], one["y"], strict=True):
            if present([x], log=x_log) and present([y], log=y_log):
                path, pen = f"{path}{pen}{f(frame.x(x))} {f(frame.y(y))}", "L"
            else:
                pen = "M"
        dashed = " dashed" * bool(one.get("dashed"))
        drawn += f'<path class="line {color_of(g)}{dashed}" data-g="{g}" d="{path}"/>' * bool(path)
    return drawn


def _dots(drawn: list[tuple[int, float, float]], frame: Axes) -> str:
    counts = [g for g, *_ in drawn]
    quiet = {g for g in set(counts) if counts.count(g) > MOST_DOTS}
    return "".join(
        f'<use class="{color_of(g)}{" quiet" * (g in quiet)}" data-g="{g}" href="#{shape_of(g)}" '
        f'x="{f(frame.x(x))}" y="{f(frame.y(y))}"/>'
        for g, x, y in drawn
    )
