"""Matrices as coloured cells: with their values where there are few, as one small image where there are many."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

from gramian.reporting.figures.drawing import NARROW, WIDTH, Drawing, Ramp, f, nothing
from gramian.reporting.figures.palette import DARK, LEVELS, LIGHT, level
from gramian.reporting.figures.scale import present
from gramian.reporting.markup import ems, escape, fitted, number

MOST_NAMED = 30  # rows or columns that still have their names beside them
WIDEST_NAME = 9.0  # ems
LARGEST_CELL = 180.0


def heatmap(data: dict[str, Any]) -> Drawing:
    """Return a matrix, its first row on top."""
    rows, columns = [str(name) for name in data["rows"]], [str(name) for name in data["columns"]]
    values = data["values"]
    table = [[name, *line] for name, line in zip(rows, values, strict=True)]
    found = present(v for line in values for v in line)
    if not found:
        return nothing(["row", *columns], table)
    ramp = Ramp(data["value_label"], min(found), max(found))
    named = max(len(rows), len(columns)) <= MOST_NAMED
    left = 12 + NARROW * min(WIDEST_NAME, max(map(ems, rows))) if named else 0.0
    cell = min(LARGEST_CELL, (WIDTH - left - 4) / len(columns))
    tall = min(cell, 60.0) if named else cell
    bottom = 4 + tall * len(rows)
    body = _cells(values, ramp, left, cell, tall, bool(data.get("text"))) if named else _image(values, ramp, cell)
    height = bottom + 4
    if named:
        turned = any(NARROW * ems(name) > cell - 4 for name in columns)
        body += _names(rows, columns, left, cell, tall, bottom, turned)
        height += 12 + NARROW * (min(WIDEST_NAME, max(map(ems, columns))) if turned else 1)
    grid = f"{len(rows)} {len(columns)} {f(left)} 4 {cell!r} {tall!r}"
    return Drawing(
        body,
        height,
        ["row", *columns],
        table,
        (),
        data.get("x_label", ""),
        data.get("y_label", ""),
        ramp=ramp,
        attributes={"grid": grid, "value": data["value_label"]},
    )


def _cells(values: list[list[float | None]], ramp: Ramp, left: float, cell: float, tall: float, text: bool) -> str:
    drawn = ""
    texts = [[number(value, 3) for value in line] for line in values]
    text = text and NARROW * max(ems(one) for line in texts for one in line) < cell + 3
    for r, line in enumerate(values):
        for c, value in enumerate(line):
            x, y = left + cell * c, 4 + tall * r
            shade = "missing" if value is None else f"v{level(value, ramp.low, ramp.high)}"
            place = f'x="{f(x + cell / 2)}" y="{f(y + tall / 2)}"'
            drawn += f'<rect class="cell {shade}" x="{f(x)}" y="{f(y)}" width="{f(cell)}" height="{f(tall)}"/>'
            if text and value is not None:
                drawn += (
                    f'<text class="in {shade.replace("v", "t")}" {place} dy=".35em" '
                    f'text-anchor="middle">{texts[r][c]}</text>'
                )
    return drawn


def _names(
    rows: list[str], columns: list[str], left: float, cell: float, tall: float, bottom: float, turned: bool
) -> str:
    drawn = "".join(
        f'<text x="{f(left - 8)}" y="{f(4 + tall * (r + 0.5))}" dy=".35em" text-anchor="end">'
        f"{escape(fitted(name, WIDEST_NAME))}</text>"
        for r, name in enumerate(rows)
    )
    for c, name in enumerate(columns):
        x, y = f(left + cell * (c + 0.5)), f(bottom + 8)
        place = (
            f'text-anchor="end" dy=".35em" transform="translate({x} {y}) rotate(-90)"'
            if turned
            else f'text-anchor="middle" dy=".8em" x="{x}" y="{y}"'
        )
        drawn += f"<text {place}>{escape(fitted(name, WIDEST_NAME))}</text>"
    return f'<g class="ticks">{drawn}</g>'


def _image(values: list[list[float | None]], ramp: Ramp, cell: float) -> str:
    pixels = [[LEVELS if v is None else level(v, ramp.low, ramp.high) for v in line] for line in values]
    size = f'x="0" y="4" width="{f(cell * len(pixels[0]))}" height="{f(cell * len(pixels))}" preserveAspectRatio="none"'
    return "".join(
        f'<image class="{theme}" {size} href="data:image/png;base64,'
        f'{base64.b64encode(png(pixels, [*colors.ramp, colors.paper])).decode()}"/>'
        for theme, colors in (("by-day", LIGHT), ("by-night", DARK))
    )


def png(pixels: list[list[int]], colors: list[str]) -> bytes:
    """Return an image of indexed colours in the PNG format.

    Examples
    --------
    >>> png([[0, 1]], ["#000000", "#ffffff"])[1:4]
    b'PNG'
    """
    header = struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 8, 3, 0, 0, 0)
    palette = b"".join(bytes.fromhex(color[1:]) for color in colors)
    lines = zlib.compress(b"".join(b"\0" + bytes(line) for line in pixels), 9)
    parts = ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", lines), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part)) + name + part + struct.pack(">I", zlib.crc32(name + part)) for name, part in parts
    )
