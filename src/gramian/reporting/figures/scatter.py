"""Points in the plane, coloured by group or by a value, the object itself beside the pointer.

A plane is a shadow of a larger space. Where the data say which share of its distance from the middle is seen of each
point, those of which hardly anything is seen are hollow: they may lie anywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from gramian.reporting.figures.drawing import (
    COLORS,
    SHAPES,
    Axes,
    Drawing,
    Entry,
    Ramp,
    color_of,
    f,
    framed,
    labelled,
    nothing,
    shape_of,
)
from gramian.reporting.figures.palette import level
from gramian.reporting.figures.scale import present, span
from gramian.reporting.markup import cut, escape

LONGEST = 500  # characters of an object that appear beside the pointer
WHOLE = 600_000  # bytes that the objects of one figure may take in the page
POOR = 0.1  # of the squared distance from the middle: of less too little is seen
OTHERS = SHAPES * COLORS - 1  # groups with a colour and a shape of their own, where there are more than marks
SQUARE, FLAT = 580.0, 470.0  # heights


def scatter(data: dict[str, Any]) -> Drawing:
    """Return points; where a coordinate is missing, the object stands in the table alone."""
    data = _with_marks(data)
    table = _table(data)
    drawn = [i for i, (x, y) in enumerate(zip(data["x"], data["y"], strict=True)) if x is not None and y is not None]
    lost = sorted(set(range(len(data["x"]))) - set(drawn))
    rows = [table[i] for i in (*drawn, *lost)]
    columns = ["object", data["x_label"], data["y_label"], *_extra_columns(data)]
    if not drawn:
        return nothing(columns, rows)
    frame = _frame(data, drawn)
    left, top, right, bottom = frame.field
    ramp = _ramp(data, drawn)
    body = (
        f'{frame.body}<svg class="field" x="{f(left)}" y="{f(top)}" width="{f(right - left)}" '
        f'height="{f(bottom - top)}" viewBox="{f(left)} {f(top)} {f(right - left)} {f(bottom - top)}">'
        f'{_edges(data, frame)}<g class="marks {_size(len(drawn), ramp is not None)}">'
        f"{_points(data, drawn, ramp, frame)}</g>"
        f'<g class="rings">{_rings(data, set(drawn), frame)}</g></svg>'
    )
    hollow = _poorly_seen(data, drawn)
    exponents = frame.x.exponent(), frame.y.exponent()
    return Drawing(
        body,
        frame.height,
        columns,
        rows,
        (0, *range(3, len(columns))),
        labelled(data["x_label"], exponents[0]),
        labelled(data["y_label"], exponents[1]),
        _legend(data, drawn),
        ramp,
        _remark(len(hollow), len(drawn), len(lost)),
        {
            "zoom": " ".join(map(f, frame.field)),
            "x": f"{frame.x.low!r} {frame.x.high!r} {exponents[0]}",
            "y": f"{frame.y.low!r} {frame.y.high!r} {exponents[1]}",
        },
    )


def _with_marks(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data with no more groups than there are marks: the largest, and all others as one."""
    groups, group = data.get("groups"), data.get("group")
    if group is None or groups is None or len(groups) <= OTHERS + 1:
        return data
    sizes = Counter(g for g in group if g is not None)
    kept = sorted(sorted(range(len(groups)), key=lambda g: -sizes[g])[:OTHERS])
    place = {g: k for k, g in enumerate(kept)}
    return data | {
        "groups": [*(groups[g] for g in kept), f"{len(groups) - OTHERS:,} others"],
        "group": [None if g is None else place.get(g, OTHERS) for g in group],
        "names": [None if g is None else str(groups[g]) for g in group],
    }


def _frame(data: dict[str, Any], drawn: list[int]) -> Axes:
    x, y = ([data[axis][i] for i in drawn] for axis in "xy")
    if data.get("equal"):  # one unit is as long in both directions
        return framed(span([*x, *y]), span([*x, *y]), height=SQUARE, square=True)
    return framed(span(x), span(y), height=FLAT)


def _poorly_seen(data: dict[str, Any], drawn: Iterable[int]) -> set[int]:
    held = data.get("held")
    return set() if held is None else {i for i in drawn if held[i] is not None and held[i] < POOR}


def _remark(hollow: int, drawn: int, lost: int) -> str:
    told = []
    if hollow:
        which = (
            "All points are" if hollow == drawn else f"{hollow:,} of {drawn:,} points {'is' if hollow == 1 else 'are'}"
        )
        told.append(
            f"{which} hollow: less than a tenth of what sets them apart from the middle is seen in this plane, so that "
            "their place says little."
        )
    if lost:
        told.append(f"{lost:,} of {lost + drawn:,} have no place in this plane and are in the table only.")
    return " ".join(told)


def _table(data: dict[str, Any]) -> list[list[Any]]:
    held = data.get("held")
    seen = None if held is None else [None if one is None else f"{100 * one:.0f} %" for one in held]
    extra = [column for column in (_group_names(data), data.get("value"), seen) if column is not None]
    return [list(row) for row in zip(_objects(data["hover"]), data["x"], data["y"], *extra, strict=True)]


def _extra_columns(data: dict[str, Any]) -> list[str]:
    grouped = ["group"] if data.get("group") is not None else []
    valued = [data.get("value_label") or "value"] if data.get("value") is not None else []
    return grouped + valued + ["seen in this plane"] * (data.get("held") is not None)


def _objects(hover: Sequence[str]) -> list[str]:
    most = LONGEST
    while most > 30 and sum(len(escape(cut(text, most)).encode()) for text in hover) > WHOLE:
        most = 3 * most // 4
    return [cut(text, most) for text in hover]


def _group_names(data: dict[str, Any]) -> list[str | None] | None:
    if data.get("group") is None:
        return None
    if (names := data.get("names")) is not None:
        return list(names)
    return [None if g is None else str(data["groups"][g]) for g in data["group"]]


def _legend(data: dict[str, Any], drawn: list[int]) -> list[Entry]:
    if data.get("group") is None:
        return []
    inside = [data["group"][i] for i in drawn]
    entries = [Entry(str(name), color_of(g), shape_of(g), inside.count(g)) for g, name in enumerate(data["groups"])]
    return entries + [Entry("no group", "cn", "mn", inside.count(None))] * (None in inside)


def _ramp(data: dict[str, Any], drawn: list[int]) -> Ramp | None:
    found = present(data["value"][i] for i in drawn) if data.get("value") is not None else []
    if not found or data.get("group") is not None:
        return None
    return Ramp(data.get("value_label") or "value", min(found), max(found))


def _points(data: dict[str, Any], drawn: list[int], ramp: Ramp | None, frame: Axes) -> str:
    group, hollow = data.get("group"), _poorly_seen(data, drawn)

    def style(i: int) -> str:
        poor = " hollow" * (i in hollow)
        if group is not None:
            g = group[i]
            return (
                f'class="{color_of(g)}{poor}" data-g="{len(data["groups"]) if g is None else g}" href="#{shape_of(g)}"'
            )
        if ramp is not None:
            value = data["value"][i]
            return (
                'class="cn" href="#mn"'
                if value is None
                else f'class="v{level(value, ramp.low, ramp.high)}{poor}" href="#m0"'
            )
        return f'class="c0{poor}" href="#m0"'

    return "".join(f'<use {style(i)} x="{f(frame.x(data["x"][i]))}" y="{f(frame.y(data["y"][i]))}"/>' for i in drawn)


def _size(n: int, valued: bool) -> str:
    return ("few" if n <= 400 else "many" if n <= 1500 else "crowd") + " valued" * valued


def _rings(data: dict[str, Any], drawn: set[int], frame: Axes) -> str:
    return "".join(
        f'<use href="#ring" x="{f(frame.x(data["x"][i]))}" y="{f(frame.y(data["y"][i]))}"/>'
        for i in data.get("marked") or ()
        if i in drawn
    )


def _edges(data: dict[str, Any], frame: Axes) -> str:
    path = "".join(
        f"M{f(frame.x(x0))} {f(frame.y(y0))}L{f(frame.x(x1))} {f(frame.y(y1))}"
        for x0, y0, x1, y1 in data.get("lines") or ()
    )
    return f'<path class="edges" d="{path}"/>' * bool(path)
