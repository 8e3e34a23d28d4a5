"""The pictures of the page: bars of time and memory for each claim, ratios for each group, and curves of growth."""

import math
import re
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import growth
import matplotlib.pyplot as plt
from matplotlib.ticker import NullFormatter
from ordinary import ROWS
from record import Claim, Contender

OURS, PEER, MISSING = "#0072b2", "#e69f00", "#a33b00"
COLORS, MARKERS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7"), "os^D"
WIDTH = 9.0  # inches: the width of a page


def compact(value: float, unit: str) -> str:
    """Three digits of seconds, or of megabytes, in the unit that suits them."""
    if unit == "MB":
        return f"{value / 1000:.2g} GB" if value >= 1000 else f"{value:.0f} MB"
    return f"{value:.3g} s" if value < 1000 else f"{value:.0f} s"


def bars(claim: Claim, picture: Path) -> None:
    """Time and memory of every contender; for those that have none, why."""
    contenders = claim.contenders[::-1]
    mixed = len({one.n for one in contenders}) > 1
    height = 1.0 + 0.42 * len(contenders)
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, height), layout="constrained", sharey=True)
    for axis, key, unit, label in zip(
        axes, ("seconds", "megabytes"), ("s", "MB"), ("time", "peak memory of the process"), strict=True
    ):
        values = [getattr(one, key) for one in contenders]
        given_up = [one.stopped for one in contenders] if key == "seconds" else []
        most = max((v for v in [*values, *given_up] if v > 0), default=1.0)
        for place, (one, value) in enumerate(zip(contenders, values, strict=True)):
            if value > 0:
                axis.barh(place, value, color=OURS if one.ours else PEER, height=0.62)
                axis.text(value + 0.015 * most, place, compact(value, unit), va="center", fontsize=9)
            elif key == "seconds" and one.stopped > 0:
                axis.barh(place, one.stopped, color="white", edgecolor=PEER, hatch="///", height=0.62)
                text = f"> {one.stopped:.0f} s"
                axis.text(one.stopped + 0.015 * most, place, text, va="center", fontsize=9, color=MISSING)
            elif key == "seconds":
                axis.text(0.015 * most, place, short(one), va="center", fontsize=9, color=MISSING, style="italic")
        axis.set_xlim(0, 1.22 * most)
        axis.set_xlabel(f"{label} ({'s' if unit == 's' else 'MB'})", fontsize=9)
        axis.tick_params(labelsize=9)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks(
        range(len(contenders)), [wrapped(one.label if mixed else one.name) for one in contenders], fontsize=9
    )
    axes[0].set_ylim(-0.6, len(contenders) - 0.4)
    figure.suptitle(claim.what, fontsize=10)
    _save(figure, picture)


def short(one: Contender) -> str:
    return re.split(r" \(|, and|;", one.cannot)[0]


def wrapped(name: str) -> str:
    """Break a long name near its middle, at a comma if there is one."""
    if len(name) <= 34:
        return name
    places = [i for i, c in enumerate(name) if c == " "]
    place = min(places, key=lambda i: abs(i - len(name) / 2) - (4 if name[i - 1] == "," else 0))
    return f"{name[:place]}\n{name[place + 1 :]}"


def ratios(claims: list[Claim], title: str, picture: Path) -> None:
    """How many times faster than its peer each claim is, on a logarithmic scale about 1."""
    compared = [claim for claim in claims if claim.ratio > 0][::-1]
    figure, axis = plt.subplots(figsize=(WIDTH, 1.0 + 0.42 * len(compared)), layout="constrained")
    for place, claim in enumerate(compared):
        axis.barh(place, math.log10(claim.ratio), color=OURS if claim.ratio >= 1 else PEER, height=0.62)
        right = claim.ratio >= 1
        axis.annotate(
            f"{claim.ratio:.3g} ×",
            (math.log10(claim.ratio), place),
            xytext=(4 if right else -4, 0),
            textcoords="offset points",
            va="center",
            ha="left" if right else "right",
            fontsize=9,
        )
    ends = [math.log10(claim.ratio) for claim in compared] or [0.0]
    low, high = min(0.0, math.floor(min(ends))), max(1.0, math.ceil(max(ends)))
    ticks = range(int(low), int(high) + 1)
    axis.set_xticks(list(ticks), [f"{10.0**t:g} ×" for t in ticks], fontsize=9)
    axis.set_xlim(low, high + 0.12 * (high - low))
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set_yticks(range(len(compared)), [wrapped(f"{claim.what}") for claim in compared], fontsize=8)
    axis.set_xlabel("times as fast as the peer", fontsize=9)
    axis.spines[["top", "right"]].set_visible(False)
    figure.suptitle(title, fontsize=10)
    _save(figure, picture)


def curves(title: str, paths: dict[str, growth.Path], measured: dict[str, Any], picture: Path) -> None:
    """Time and memory against n, on logarithmic scales, with the exponents."""
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH + 1, 4.4), layout="constrained")
    for axis, key, label in zip(
        axes, ("seconds", "megabytes"), ("time (s)", "memory beyond the data (MB)"), strict=True
    ):
        for (name, path), color, marker in zip(paths.items(), COLORS, MARKERS, strict=False):
            if name not in measured:
                continue
            found = measured[name]
            values = [max(value, 1e-3) for value in found[key]]
            exponent = max(growth.slope(found["sizes"], values), 0.0)
            axis.loglog(found["sizes"], values, marker + "-", color=color, label=f"{path.label}: n^{exponent:.1f}")
        axis.set_xlabel("n")
        axis.set_ylabel(label)
        axis.grid(True, which="major", alpha=0.3)
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.set_ylim(top=axis.get_ylim()[1] * 10 ** (0.35 * len(paths)))  # room for the legend
        axis.legend(frameon=False, fontsize=8, loc="upper left")
    figure.suptitle(title, fontsize=10)
    _save(figure, picture)


def sweep(swept: dict[str, Any], picture: Path) -> None:
    """Time against n of every learner with its defaults, and of what one would pick instead."""
    columns = 4
    figure, axes = plt.subplots(
        -(-len(swept) // columns), columns, figsize=(WIDTH + 3, 2.3 * -(-len(swept) // columns)), layout="constrained"
    )
    for axis in axes.flat[len(swept) :]:
        axis.axis("off")
    for axis, (name, found) in zip(axes.flat, swept.items(), strict=False):
        row = ROWS[name]
        for key, label, color, marker in (("ours", "gramian", OURS, "o"), ("peer", row.peer, PEER, "s")):
            timed = [(n, s) for n, s in zip(found["sizes"], found[key], strict=True) if s is not None]
            if timed:
                axis.loglog(*zip(*timed, strict=True), marker + "-", color=color, label=wrapped(label), markersize=3.5)
        axis.set_title(wrapped(row.what), fontsize=8)
        axis.grid(True, which="major", alpha=0.3)
        axis.tick_params(labelsize=7)
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.legend(frameon=False, fontsize=6.5, loc="upper left")
        axis.set_ylim(top=axis.get_ylim()[1] * 8)  # room for the legend
    figure.supxlabel("n", fontsize=9)
    figure.supylabel("seconds of one fit", fontsize=9)
    _save(figure, picture)


def _save(figure: Any, picture: Path) -> None:
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=120)
    plt.close(figure)
