"""Figures as SVG: each kind is one function from plain data to a `Drawing`, with no library and no script.

scatter    points in a plane        bars       one value for each name      lines    values along an axis
histogram  how values are spread    ridges   the same, a row for each group    heatmap    a matrix in colours
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gramian.reporting.figures.bars import bars
from gramian.reporting.figures.drawing import Drawing
from gramian.reporting.figures.heatmap import heatmap
from gramian.reporting.figures.histogram import histogram
from gramian.reporting.figures.lines import lines
from gramian.reporting.figures.ridges import ridges
from gramian.reporting.figures.scatter import scatter

KINDS: dict[str, Callable[[dict[str, Any]], Drawing]] = {
    "scatter": scatter,
    "bars": bars,
    "lines": lines,
    "histogram": histogram,
    "ridges": ridges,
    "heatmap": heatmap,
}


def draw(kind: str, data: dict[str, Any]) -> Drawing:
    """Return the drawing of a figure's data.

    Examples
    --------
    >>> drawn = draw("bars", {"labels": ["iris", "rose"], "values": [3.0, 4.0], "x_label": "petals"})
    >>> [*drawn.columns], drawn.rows
    (['name', 'petals'], [['iris', 3.0], ['rose', 4.0]])
    """
    if kind not in KINDS:
        raise ValueError(f"no figure of kind {kind!r}; there are {', '.join(KINDS)}")
    return KINDS[kind](data)
