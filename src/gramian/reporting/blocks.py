"""What a section of a report is made of: plain values that a page can draw and a program can read.

    text      a paragraph                     note      a remark, or a warning
    facts     key figures                     table     rows and columns
    figure    scatter, bars, lines, histogram, ridges, heatmap, each with a sentence that reads it

Figures and facts name the formula they show, and say what they are where they are no exact answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10
from typing import Any, Literal, TypeAlias

import numpy as np

from gramian.reporting import markup

GAP = "\u00a0"  # a blank at which no line is broken
SMALLEST = 1e-4  # share that is told
Block: TypeAlias = dict[str, Any]
Kind: TypeAlias = Literal["scatter", "bars", "lines", "histogram", "ridges", "heatmap"]


@dataclass(frozen=True)
class Section:
    """A part of the report: its blocks for people, and the same numbers for programs."""

    id: str
    title: str
    lead: str
    blocks: list[Block]
    numbers: dict[str, Any] = field(default_factory=dict)
    folded: bool = False  # whether a page shows the lead alone until it is asked for more

    def plain(self) -> dict[str, Any]:
        """Return the section as values of JSON."""
        return {
            "id": self.id,
            "title": self.title,
            "lead": self.lead,
            "blocks": [plain(block) for block in self.blocks],
            "numbers": plain(self.numbers),
            "folded": self.folded,
        }


def plain(value: Any) -> Any:
    """Return a value as JSON has it: lists for arrays, None for what is no finite number."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def text(words: str, expression: str | None = None) -> Block:
    """Return a paragraph, with the expression that stands behind its words one click away."""
    return {"type": "text", "text": words, "expression": expression}


def spelled(words: str, expression: str) -> dict[str, str]:
    """Return the entry of a table that is read in words, with an expression one click away."""
    return {"words": words, "expression": expression}


def note(words: str, level: Literal["info", "warning"] = "info") -> Block:
    """Return a remark that stands out."""
    return {"type": "note", "level": level, "text": words}


def fact(name: str, value: str, meaning: str = "", formula: str | None = None, estimate: str | None = None) -> Block:
    """Return one key figure and what it means."""
    return {"name": name, "value": value, "note": meaning, "formula": formula, "estimate": estimate}


def facts(*items: Block) -> Block:
    """Return key figures side by side."""
    return {"type": "facts", "items": list(items)}


def table(
    caption: str,
    columns: Sequence[tuple[str, Literal["text", "number", "bar", "drawn"]]],
    rows: Sequence[Sequence[Any]],
    best: int | None = None,
    formula: str | None = None,
    estimate: str | None = None,
) -> Block:
    """Return a table; `best` is the row to be seen first."""
    return {
        "type": "table",
        "caption": caption,
        "columns": [{"name": name, "kind": kind} for name, kind in columns],
        "rows": [list(row) for row in rows],
        "best": best,
        "formula": formula,
        "estimate": estimate,
    }


def figure(
    id: str,
    title: str,
    kind: Kind,
    data: dict[str, Any],
    reading: str,
    formula: str | None = None,
    estimate: str | None = None,
) -> Block:
    """Return a picture with the sentence that reads it."""
    return {
        "type": "figure",
        "id": id,
        "title": title,
        "kind": kind,
        "data": data,
        "reading": reading,
        "formula": formula,
        "estimate": estimate,
    }


def histogram_of(values: dict[str, Any], x_label: str, marks: Sequence[tuple[float, str]] = ()) -> dict[str, Any]:
    """Return the data of a histogram of several series over the same bins."""
    everything = np.concatenate([np.asarray(one, dtype=np.float64) for one in values.values()])
    low, high = float(everything.min()), float(everything.max())
    if high - low <= 1e-9 * max(abs(low), abs(high)):  # all are equal but for rounding
        spare = 0.1 * abs(high) or 1.0
        low, high = low - spare, high + spare
    edges = np.linspace(low, high, min(40, max(8, int(2 * len(everything) ** (1 / 3)))) + 1)
    return {
        "edges": edges,
        "series": [{"name": name, "counts": np.histogram(one, edges)[0]} for name, one in values.items()],
        "x_label": x_label,
        "marks": [{"x": x, "label": label} for x, label in marks],
    }


def number(value: float, digits: int = 3) -> str:
    """Return a number with a few digits, as the page writes it."""
    return markup.number(float(value), digits)


def alike(values: Iterable[float], digits: int = 3) -> list[str]:
    """Return numbers of one kind; those that may all be years are written as years are.

    Examples
    --------
    >>> alike([1969, 1988]), alike([969, 1988])
    (['1969', '1988'], ['969', '1,988'])
    """
    numbers = [float(value) for value in values]
    years = all(value % 1 == 0 and 1000 <= value < 3000 for value in numbers)
    return [f"{value:.0f}" if years else number(value, digits) for value in numbers]


def plus_minus(value: float, error: float, *, shares: bool = False) -> str:
    """Return a number, or a share, and its standard error."""
    told = (share(value), share(error)) if shares else (number(value), number(error, 2))
    return f"{GAP}±{GAP}".join(told)


def share(value: float) -> str:
    """Return a share in percent."""
    if not np.isfinite(value):
        return "–"
    if value < -1e-12:
        return f"−{share(-value)}"
    if abs(value) < 1e-12:
        return f"0{GAP}%"
    if value < 5e-4:
        return f"<{GAP}0.05{GAP}%"
    if 0.9995 <= value < 1:
        return f"{100 * value:.4g}{GAP}%" if value < 0.99995 else f">{GAP}99.99{GAP}%"
    return f"{markup.number(100 * float(value), 3)}{GAP}%"


def bounded(value: float, *, above: bool) -> str:
    """Return a share in percent as a bound: three digits, rounded up if it lies above, else down."""
    if not 0 < value < 1:
        return share(value)
    if value < SMALLEST:
        return f"0.01{GAP}%" if above else f"0{GAP}%"
    return f"{_to_one_side(100 * value, 3, above)}{GAP}%"


def at_most(value: float) -> str:
    """Return how many in 100 a share is, with two digits, rounded up; what is too little to be told, as a bound."""
    return _to_one_side(100 * max(value, SMALLEST), 2, True) if value > 0 else "0"


def _to_one_side(value: float, digits: int, up: bool) -> str:
    """Return a positive number with so many digits, rounded up or down."""
    step = 10.0 ** (floor(log10(value)) - digits + 1)
    steps = ceil(value / step - 1e-9) if up else floor(value / step + 1e-9)
    return markup.number(float(steps * step), digits)


def drawn(m: int, n: int, error: str | None = None) -> str | None:
    """Return the badge of a figure of m objects out of n, with its standard error; None where they are all."""
    if m == n:
        return None
    return f"estimate{f', ± {error}' if error else ''}: from {m:,} of {n:,} objects, drawn at random"


def count(n: int, what: str, plural: str = "") -> str:
    """Return a number of things, in words that agree."""
    return f"{n:,} {what if n == 1 else plural or what + 's'}"


def times(n: int) -> str:
    """Return how often, in words."""
    return {1: "once", 2: "twice"}.get(n, f"{n:,} times")
