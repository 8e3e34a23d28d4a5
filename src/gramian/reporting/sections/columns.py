"""The columns themselves: what each holds, how it is spread, and what is odd about it.

    capped           many rows have exactly the largest or the smallest value, as where values beyond it were cut off
    rounded          most rows have a value on a coarse grid, and others lie between
    near-constant    nearly all rows have one value
    duplicate        another column says the same, value by value, or puts the rows in the same order

Correlations are Spearman's among numbers and Cramér's V among categories, as for clusters of columns.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gramian.checks import Array, is_sparse
from gramian.explain.related import association, rank_correlations
from gramian.intake.dates import iso_of
from gramian.intake.errors import shortened
from gramian.intake.table import absent
from gramian.reporting.blocks import Block, Section, alike, number, share, table, text
from gramian.reporting.study import Study

LOOKED_AT = 20_000  # rows
MOST = 100  # columns that are told
BINS = 12
LEVELS = "▁▂▃▄▅▆▇█"
LEAST = 20  # rows from which on something may be odd
CAPPED = 5  # rows at least that are exactly at the end
PILED = 4  # times as many as at the commonest other value
BESIDE = 10  # different values at least, of a column that is capped
CONSTANT = 0.99  # of the rows
ROUND = 0.9  # of the rows on the coarser grid
ON_GRID = 1e-6  # of a step
STRONG = 0.5  # a correlation that is told
LONGEST = 24
NAMED = 3  # columns in the lead


class Told(NamedTuple):
    """A column: its range or commonest values, the counts of its histogram, and what is odd about it."""

    name: str
    kind: str
    range: str
    counts: list[int]
    distinct: int
    missing: float
    related: str | None
    correlation: float
    odd: list[str]


def section(study: Study) -> Section | None:
    """Return a row for each column; None where there are none."""
    data = study.data
    names = list(data.recipe.columns)
    if data.kind not in ("vectors", "records") or not names or is_sparse(data.X):
        return None
    told = columns(study)
    odd = [one for one in told if one.odd]
    rows = [
        [
            one.name,
            one.range,
            drawn(one.counts),
            one.distinct,
            share(one.missing),
            f"{one.related} {number(one.correlation, 2)}" if one.related and abs(one.correlation) >= STRONG else "–",
            "; ".join(one.odd) or "–",
        ]
        for one in told
    ]
    kinds: Any = ("text", "text", "drawn", "number", "text", "text", "text")
    heads = ("column", "range", "spread", "different values", "missing", "goes with", "to notice")
    left = len(names) + (data.target is not None) - len(told)
    blocks: list[Block] = [
        table("Each column by itself, and the one that it goes with most.", list(zip(heads, kinds, strict=True)), rows)
    ]
    if left > 0:
        blocks.append(text(f"The first {MOST} columns are told, {left:,} more are not."))
    if odd:
        more = [f"{len(odd) - NAMED:,} more"] if len(odd) > NAMED else []
        named = [f"“{one.name}” ({'; '.join(one.odd)})" for one in odd[:NAMED]] + more
        lead = f"Look at {', '.join(named[:-1])}{' and ' if len(named) > 1 else ''}{named[-1]}."
    else:
        lead = "Nothing is odd about any of them: none is capped, rounded, nearly constant or there twice."
    return Section(
        "columns", "The columns themselves", lead, blocks, {"columns": [one._asdict() for one in told], "left": left}
    )


def columns(study: Study) -> list[Told]:
    """Return what there is to tell of each column and of the target."""
    data = study.data
    rows = study.some(LOOKED_AT)
    names = list(data.recipe.columns)[: MOST - 1]
    values = {name: data.column(name)[rows] for name in names}
    kinds = {name: data.recipe.kinds.get(name, "number") for name in names}
    if data.y is not None and data.target is not None and data.target not in values:
        values[data.target] = data.y[rows]
        kinds[data.target] = "number" if data.task == "numbers" else "category"
    related = _related(values, kinds)
    twice = _duplicates(values)
    return [_told(name, one, kinds[name], related.get(name), twice.get(name, [])) for name, one in values.items()]


def _told(name: str, values: Array, kind: str, related: tuple[str, float] | None, twice: list[str]) -> Told:
    present = values[~absent(values)] if values.dtype.kind in "fO" else values
    odd = [f"says the same as “{other}”" for other in twice]
    if values.dtype.kind == "f":
        numbers = present.astype(np.float64)
        counts = np.histogram(numbers, BINS)[0].tolist() if len(numbers) and np.isfinite(numbers).all() else []
        least_most = [float(numbers.min()), float(numbers.max())] if len(numbers) else []
        ends = " to ".join(map(iso_of, least_most) if kind == "date" else alike(least_most, 4)) or "no value"
        distinct = len(np.unique(numbers))
        if kind == "number":
            odd = [*capped(numbers), *rounded(numbers), *odd]
    else:
        known, sizes = np.unique(np.array([str(one) for one in present.tolist()]), return_counts=True)
        order = np.argsort(-sizes, kind="stable")
        counts, distinct = sizes[order][:BINS].tolist(), len(known)
        ends = ", ".join(shortened(str(known[k]), LONGEST) for k in order[:3]) + (" …" if distinct > 3 else "")
        if kind not in ("category", "number"):
            counts = []
    odd = [*constant(present), *odd]
    other, strength = related or (None, 0.0)
    missing = 1 - len(present) / len(values)
    return Told(name, kind, ends, counts, distinct, missing, other, strength, odd)


def drawn(counts: list[int]) -> str:
    """Return counts as a histogram in one line of text.

    Examples
    --------
    >>> drawn([0, 1, 4, 8])
    ' ▁▄█'
    """
    most = max(counts, default=0)
    return "".join(LEVELS[max(int(np.ceil(len(LEVELS) * count / most)) - 1, 0)] if count else " " for count in counts)


def capped(values: Array) -> list[str]:
    """Say at which end values were cut off: many are exactly there, and few equal each other elsewhere.

    A least value of 0 may be what is not there.
    """
    if len(values) < LEAST:
        return []
    known, counts = np.unique(values, return_counts=True)
    if len(known) < BESIDE:
        return []
    found = []
    for end, inner, what in ((-1, counts[1:-1], "largest"), (0, counts[1:-1], "smallest")):
        beside = counts[-3:-1] if end else counts[1:3]
        if counts[end] >= CAPPED and counts[end] > PILED * max(float(np.median(inner)), float(beside.max())):
            perhaps = "perhaps capped" if known[end] else "perhaps nothing there, or capped"
            found.append(f"{counts[end]:,} values of exactly {number(float(known[end]))}, the {what}: {perhaps}")
    return found


def rounded(values: Array) -> list[str]:
    """Say to which number most values were rounded, where others are finer."""
    values = values[np.isfinite(values) & (values != 0)]
    if len(values) < LEAST:
        return []
    scale = 10.0 ** np.floor(np.log10(float(np.median(np.abs(values)))))
    for step in (scale, scale / 2, scale / 10, scale / 20, scale / 100):
        on = np.abs(values / step - np.round(values / step)) < ON_GRID
        if ROUND <= on.mean() < 1 and len(np.unique(values[on])) >= BESIDE:
            return [f"{share(float(on.mean()))} are rounded to {number(float(step))}, the others are not"]
    return []


def constant(values: Array) -> list[str]:
    """Say that nearly all rows have one value."""
    if len(values) < LEAST:
        return []
    known, counts = np.unique(np.array([str(one) for one in values.tolist()]), return_counts=True)
    most = float(counts.max() / len(values))
    if most < CONSTANT or len(known) == 1:
        return ["always the same"] if len(known) == 1 else []
    value = known[np.argmax(counts)]
    said = number(float(value)) if values.dtype.kind == "f" else shortened(str(value), LONGEST)
    return [f"{share(most)} are {said}"]


def _duplicates(values: dict[str, Array]) -> dict[str, list[str]]:
    """Return for each column the earlier one that says the same.

    Numbers do that put the rows in the same order, or in the reverse; other values that go with each other one by one,
    where they are not all different, as names are.
    """
    seen: dict[bytes, str] = {}
    found: dict[str, list[str]] = {}
    for name, one in values.items():
        if one.dtype.kind == "f":
            codes = np.unique(one, return_inverse=True)[1]
            key = b"n" + min(codes.tobytes(), (codes.max(initial=0) - codes).tobytes())
        else:
            codes = _codes(one)
            key = b"c" + codes.tobytes()
        many = int(codes.max(initial=0)) + 1
        if many == 1 or (one.dtype.kind != "f" and 2 * many > len(one)):
            continue
        earlier = seen.setdefault(key, name)
        if earlier != name:
            found[name] = [earlier]
    return found


def _codes(values: Array) -> Array:
    """Return the number of each value in the order in which values are first met."""
    known: dict[Any, int] = {}
    items = values.tolist()
    return np.array([known.setdefault("missing" if one != one else one, len(known)) for one in items], dtype=np.int64)


def _related(values: dict[str, Array], kinds: dict[str, str]) -> dict[str, tuple[str, float]]:
    """Return for each column the other one of its kind that it goes with most, and how closely."""
    found: dict[str, tuple[str, float]] = {}
    numbers = [name for name in values if kinds[name] in ("number", "date") and values[name].dtype.kind == "f"]
    if len(numbers) > 1:
        table = np.column_stack([values[name] for name in numbers])
        table = np.where(np.isfinite(table), table, np.nanmedian(np.where(np.isfinite(table), table, np.nan), axis=0))
        found |= _strongest(numbers, rank_correlations(table))
    categories = [name for name in values if kinds[name] == "category"]
    if len(categories) > 1:
        codes = [_codes(values[name]) for name in categories]
        strength = np.array([[association(a, b) if a is not b else 0.0 for b in codes] for a in codes])
        found |= _strongest(categories, strength)
    return found


def _strongest(names: list[str], strength: Array) -> dict[str, tuple[str, float]]:
    strength = strength - np.diag(np.diagonal(strength))
    best = np.argmax(np.abs(strength), axis=1)
    return {name: (names[k], float(strength[i, k])) for i, (name, k) in enumerate(zip(names, best, strict=True))}
