"""What a drawn figure is: the picture, the same data as a table, and what stands around the picture.

The table is the one place where the values are written out: it is the figure's alternative for those who cannot see the
picture, and the script of the page reads from it what it shows beside the pointer. So mark number k of the picture
belongs to row number k of the table.

Pictures are 640 units wide. On a phone they are drawn at half that size and their letters at twice theirs, so room
is kept for letters of `NARROW` units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from gramian.reporting.figures.scale import Scale
from gramian.reporting.markup import ems, escape, fitted, power

WIDTH = 640.0
NARROW = 21.0  # size of letters on a phone, in units of the picture
LONGEST_FLAG = 14.0  # ems of a name beside an upright line
SHAPES = 8
COLORS = 8


@dataclass(frozen=True)
class Entry:
    """One line of a legend: a group, its colour and shape, and how many objects it has."""

    name: str
    color: str
    shape: str
    count: int | None = None


@dataclass(frozen=True)
class Ramp:
    """What the colours of a sequential scale mean."""

    label: str
    low: float
    high: float


@dataclass(frozen=True)
class Drawing:
    """A picture and its data. `shown` are the columns that appear beside the pointer, the first of them as title."""

    body: str
    height: float
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    shown: Sequence[int]
    x_label: str = ""
    y_label: str = ""
    legend: Sequence[Entry] = ()
    ramp: Ramp | None = None
    remark: str = ""
    attributes: dict[str, str] = field(default_factory=dict)


def nothing(columns: Sequence[str], rows: Sequence[Sequence[Any]] = ()) -> Drawing:
    """Return the picture of no data: a sentence that says so."""
    body = f'<text class="empty" x="{WIDTH / 2:g}" y="66" text-anchor="middle">There is nothing to draw here.</text>'
    return Drawing(body, 120, columns, rows, ())


def color_of(group: int | None) -> str:
    """Return the class of a group's colour; there are eight, and then they begin again with other shapes."""
    return "cn" if group is None else f"c{group % COLORS}"


def shape_of(group: int | None) -> str:
    """Return the id of a group's marker, such that no two of the first 64 groups share colour and shape."""
    return "mn" if group is None else f"m{(group + group // COLORS) % SHAPES}"


def f(place: float) -> str:
    """Return a place in the picture, to a tenth of a unit."""
    return f"{place:.1f}".removesuffix(".0")


def labelled(label: str, exponent: int) -> str:
    """Return the title of an axis with the power of ten that its labels leave out."""
    return f"{label} (×{power(exponent)})" if exponent else label


@dataclass(frozen=True)
class Axes:
    """Axes around a field: grid lines, ticks and their labels."""

    x: Scale
    y: Scale
    height: float
    body: str

    @property
    def field(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the field."""
        return self.x.start, self.y.end, self.x.end, self.y.start


def framed(
    x: tuple[float, float],
    y: tuple[float, float],
    *,
    x_log: bool = False,
    y_log: bool = False,
    height: float = 400.0,
    top: float = 10.0,
    dates: bool = False,
    square: bool = False,
) -> Axes:
    """Return axes for these spans, with room for the labels at the size they have on a phone.

    The field is as wide as the picture or, if `square`, as wide as it is high. The values of x may be dates.
    """
    bottom = height - 34
    across = Scale(*y, bottom, top, y_log)
    left = 16 + NARROW * max((ems(label) for label in across.labels()), default=0)
    right = left + bottom - top if square else WIDTH - 14
    along = Scale(*x, left, right, x_log, dates)
    lines = "".join(
        f'<path d="M{f(left)} {f(across(v))}H{f(right)}"/>' for v in across.ticks() if across.low <= v <= across.high
    )
    ticks = "".join(
        f'<text x="{f(left - 10)}" y="{f(across(v))}" dy=".35em" text-anchor="end">{escape(label)}</text>'
        for v, label in zip(across.ticks(), across.labels(), strict=True)
    )
    body = f'<g class="grid y">{lines}</g><g class="ticks y">{ticks}</g>{axis_below(along, bottom)}'
    return Axes(along, across, height, body)


def axis_below(scale: Scale, bottom: float, top: float | None = None) -> str:
    """Return the axis under a picture; with `top`, grid lines up to there as well."""
    lines = "".join(
        f'<path d="M{f(scale(v))} {f(bottom)}{"v5" if top is None else f"V{f(top)}"}"/>' for v in scale.ticks()
    )
    places = _spread([scale(v) for v in scale.ticks()], scale.labels())
    texts = "".join(
        f'<text x="{f(place)}" y="{f(bottom + 10)}" dy=".8em" text-anchor="middle">{escape(label)}</text>'
        for place, label in places
    )
    rule = "" if top is not None else f'<path class="axis" d="M{f(scale.start)} {f(bottom)}H{f(scale.end)}"/>'
    return f'<g class="grid x">{lines}</g>{rule}<g class="ticks x">{texts}</g>'


def _spread(places: list[float], labels: list[str]) -> list[tuple[float, str]]:
    """Leave out labels until those that remain do not touch at the size they have on a phone."""
    both = list(zip(places, labels, strict=True))
    for stride in range(1, len(both) + 1):
        kept = both[::stride]
        ends = [(place - NARROW * ems(label) / 2, place + NARROW * ems(label) / 2) for place, label in kept]
        if all(b[0] > a[1] + 6 for a, b in pairwise(ends)):
            return kept
    return both[:1]


def flags(marks: Sequence[dict[str, Any]], x: Scale, top: float, bottom: float) -> str:
    """Return upright lines with their names at the top, in as many rows as keep the names apart."""
    drawn, taken = "", list[float]()
    for mark in sorted((m for m in marks if _inside(m["x"], x)), key=lambda m: m["x"]):
        place, label = x(mark["x"]), fitted(mark["label"], LONGEST_FLAG)
        width = NARROW * ems(label)
        to_left = place + width > WIDTH - 4 and place - width > 4
        begin = place - width if to_left else place
        row = next((i for i, end in enumerate(taken) if end < begin - 8), len(taken))
        taken[row : row + 1] = [place if to_left else place + width]
        drawn += (
            f'<path d="M{f(place)} {f(top - 12 + 24 * row)}V{f(bottom)}"/>'
            f'<text x="{f(place + (-6 if to_left else 6))}" y="{f(top + 24 * row)}" '
            f'text-anchor="{"end" if to_left else "start"}">{escape(label)}</text>'
        )
    return f'<g class="flags">{drawn}</g>' * bool(drawn)


def flag_room(marks: Sequence[dict[str, Any]]) -> float:
    """Return the height that is kept free above a field for the names of these marks."""
    return 12 + 24 * min(len(marks), 3)


def _inside(value: float | None, scale: Scale) -> bool:
    return value is not None and scale.low <= value <= scale.high
