"""What columns, words and values do to an answer: importance, effects, weights, profiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.checks import whole
from gramian.explain.effects import ColumnEffect
from gramian.explain.importance import ColumnImportance
from gramian.explain.profiles import Profile
from gramian.learn.weights import FeatureWeights
from gramian.plot.canvas import COLORS, INK, axes_for, class_legend, color_of, short

ROW = 0.22  # inches of a bar with its name
TALLEST = 12.0
BAND = 2.0  # standard errors to either side
BROAD = "#999999"


def importance(found: Any, ax: Any = None, top: int = 20) -> Any:
    """Draw how much each column matters: a bar for what the loss grows by, and two standard errors to either side.

    Parameters
    ----------
    found : ColumnImportance
        What `gm.importance` returned.
    ax : Axes, optional
    top : int
        How many columns; clusters of related columns are drawn below them.

    Returns
    -------
    Axes

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError
        If `found` is not what `gm.importance` returned.

    See Also
    --------
    importance : how much each column matters

    Notes
    -----
    Cost: O(d): the numbers are there.

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> found = gm.importance(gm.ParzenClassifier(), flowers.data, flowers.target, repeats=2)
    >>> ax = gm.plot.importance(found)
    >>> ax.get_xlabel()
    'share of mistakes, added to 0.0667'
    """
    if not isinstance(found, ColumnImportance):
        raise TypeError(f"importance draws what gm.importance returns, and got {type(found).__name__}")
    shown = whole(top, "top")
    names = [short(name) for name in found.columns[:shown]] + [_together(c.columns) for c in found.clusters]
    values = [*found.importances[:shown], *(c.importance for c in found.clusters)]
    errors = [*found.errors[:shown], *(c.error for c in found.clusters)]
    colors = [COLORS[0]] * min(shown, len(found)) + [COLORS[5]] * len(found.clusters)
    ax = _rows(ax, len(names))
    ax.barh(range(len(names)), values, xerr=BAND * np.array(errors), color=colors, error_kw=_WHISKERS)
    _name_rows(ax, names)
    ax.set_xlabel(f"{found.loss}, added to {found.baseline:.3g}")
    ax.set_title("What permuting a column costs")
    return ax


_WHISKERS = {"ecolor": INK, "elinewidth": 1.0, "capsize": 2.0}


def effects(found: Any, ax: Any = None) -> Any:
    """Draw how an answer changes with one column: a curve with a band of two standard errors, or a point a category.

    Parameters
    ----------
    found : ColumnEffect
        What `gm.effects` returned.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError
        If `found` is not what `gm.effects` returned.

    See Also
    --------
    effects : how an answer changes with one column

    Notes
    -----
    Cost: O(1): the numbers are there.

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> model = gm.KernelClassifier(ridge=1.0).fit(flowers.data, flowers.target)
    >>> ax = gm.plot.effects(gm.effects(model, flowers.data, 2))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('column 2', 'probability, less its mean')
    """
    if not isinstance(found, ColumnEffect):
        raise TypeError(f"effects draws what gm.effects returns, and got {type(found).__name__}")
    ax = axes_for(ax)
    numbers = found.kind == "number"
    x = found.values.astype(float) if numbers else np.arange(len(found.values), dtype=float)
    count = found.effects.shape[1]
    for place in range(count):
        curve, error, color = found.effects[:, place], BAND * found.errors[:, place], color_of(place)
        label = short(found.outputs[place])
        if numbers:
            ax.fill_between(x, curve - error, curve + error, color=color, alpha=0.2, linewidth=0)
            ax.plot(x, curve, color=color, linewidth=1.6, marker="o", markersize=3, label=label)
        else:
            aside = (place - (count - 1) / 2) * 0.6 / count
            ax.errorbar(x + aside, curve, error, fmt="o", color=color, ecolor=color, capsize=3, label=label)
    ax.axhline(0, color=BROAD, linewidth=0.8, linestyle=":", zorder=0)
    if numbers:
        ax.plot(x, np.zeros_like(x), "|", color=INK, markersize=7, transform=ax.get_xaxis_transform(), clip_on=False)
    else:
        ax.set_xticks(x, [short(value) for value in found.values], rotation=30 if len(x) > 5 else 0)
    ax.set_xlabel(short(found.column))
    ax.set_ylabel(f"{found.scale}, less its mean")
    if count > 1 or found.scale != "prediction":
        class_legend(ax, np.array(found.outputs, dtype=object))
    ax.set_title(f"Effect of {short(found.column)}")
    return ax


def feature_weights(found: Any, function: Any = None, ax: Any = None, top: int = 20) -> Any:
    """Draw the weightiest features of a learnt function: words, substrings, columns, and what they speak for.

    Parameters
    ----------
    found : FeatureWeights
        What `model.feature_weights()` returned.
    function : object, optional
        The class, target or component; needed where there are several.
    ax : Axes, optional
    top : int
        How many features.

    Returns
    -------
    Axes

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError
        If `found` is not what `feature_weights` returned.
    ValueError
        If there are several functions and none is named.

    See Also
    --------
    FeatureWeights : weights of explicit features in a learnt function

    Notes
    -----
    Cost: O(m log m) for m features.

    Examples
    --------
    >>> import gramian as gm
    >>> model = gm.KernelClassifier(gm.Spectrum(1), ridge=1.0).fit(["aab", "aa", "bcb", "bb"], [1, 1, 0, 0])
    >>> ax = gm.plot.feature_weights(model.feature_weights())
    >>> ax.get_title()
    'What speaks for 1 (right) and for 0 (left)'
    """
    if not isinstance(found, FeatureWeights):
        raise TypeError(f"feature_weights draws what model.feature_weights() returns, and got {type(found).__name__}")
    pairs = sorted(found.ranked(function, whole(top, "top")), key=lambda pair: -pair[1])
    ax = _rows(ax, len(pairs))
    ax.barh(range(len(pairs)), [w for _, w in pairs], color=[COLORS[0] if w > 0 else COLORS[1] for _, w in pairs])
    ax.axvline(0, color=INK, linewidth=0.8)
    _name_rows(ax, [short(name) for name, _ in pairs])
    speaks_for = found.functions[0] if function is None else function
    against = "" if found.against is None else f" (right) and for {short(found.against)} (left)"
    ax.set_title(f"What speaks for {short(speaks_for)}{against}")
    ax.set_xlabel("weight")
    return ax


def profile(found: Any, ax: Any = None) -> Any:
    """Draw what sets a class apart: a bar for each trait, in standard deviations, with two standard errors.

    Parameters
    ----------
    found : Profile
        One of those that `gm.profiles` returned.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError
        If `found` is not one of what `gm.profiles` returned.

    See Also
    --------
    profiles : what sets classes apart

    Notes
    -----
    Cost: O(1): the numbers are there.

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> ax = gm.plot.profile(gm.profiles(flowers.data, flowers.target)[0])
    >>> ax.get_title()
    'What sets 0 apart (50 objects)'
    """
    if not isinstance(found, Profile):
        raise TypeError(f"profile draws one of what gm.profiles returns, and got {type(found).__name__}")
    ax = _rows(ax, len(found.traits))
    values, errors = [t.effect for t in found.traits], [BAND * t.error for t in found.traits]
    colors = [COLORS[0] if value > 0 else COLORS[1] for value in values]
    ax.barh(range(len(values)), values, xerr=errors, color=colors, error_kw=_WHISKERS)
    ax.axvline(0, color=INK, linewidth=0.8)
    names = [t.column if t.value is None else " ".join(filter(None, [t.column, str(t.value)])) for t in found.traits]
    _name_rows(ax, [short(name) for name in names])
    ax.set_xlabel("standard deviations above or below the others")
    ax.set_title(f"What sets {short(found.label)} apart ({found.count:,} objects)")
    return ax


def _rows(ax: Any, count: int) -> Any:
    """Return axes that are tall enough for so many bars, where they are new."""
    new = ax is None
    ax = axes_for(ax)
    if new:
        ax.figure.set_size_inches(6.0, min(max(2.2, 1.2 + ROW * count), TALLEST))
    return ax


def _name_rows(ax: Any, names: list[str]) -> None:
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.margins(y=0.02)


def _together(columns: tuple[str, ...]) -> str:
    return short(" + ".join(columns))
