"""How an answer changes with one column: accumulated local effects (Apley and Zhu, 2020).

Cut the range of a column at quantiles z₀ < z₁ < … < z_K. In each interval the model is asked about the objects that
lie in it, moved to either end with all their other columns kept, and the mean differences are added up,

    g(z_k) = Σ_{j ≤ k} (1/n_j) Σ_{i in interval j} [f(z_j, xᵢ without the column) − f(z_{j−1}, xᵢ without it)],

straight in between, less a constant that makes the mean of g over the objects 0. No object is moved farther than to the
next quantile, so that the model is not asked about rows that cannot be, as partial dependence asks where columns are
correlated; and what other columns do is not put down to this one. Of an additive function g is the column's own part,
up to a constant.

Categories are put in an order in which neighbours are alike in the other columns, and each step between two of them is
taken by the objects of both.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import check_is_fitted

from gramian.checks import Array, as_generator, whole
from gramian.learn.fields import Fields, fields_of
from gramian.runtime.progress import task

PARTS = 10  # of the objects, each of which is left out once for the band


@dataclass(frozen=True, eq=False)
class ColumnEffect:
    """How the answers of a model change with one column, all others kept.

    Attributes
    ----------
    column : str
        Its name.
    kind : "number" or "category"
    values : array of shape (m,)
        Where the effect is told: quantiles of the column, or its categories in their order of likeness.
    effects, errors : arrays of shape (m, outputs)
        The effect, of mean 0 over the objects, and its standard error.
    outputs : tuple
        What the answers are: a target, or the classes that they speak for.
    scale : str
        What is told: "prediction", "probability" or "decision function".
    counts : array of shape (m,)
        How many objects have the category; of a number how many lie between the value before and this one.
    band : "rows" or "refits"
        What the errors hold: the choice of the rows only, the model taken as it is; or that of the training objects
        too, as the model was fitted anew with a tenth of them left out at a time.

    See Also
    --------
    effects : how an answer changes with one column
    importance : how much each column matters

    Notes
    -----
    Cost: memory for a few dozen numbers, whatever n is.

    Examples
    --------
    >>> import gramian as gm
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    >>> gm.effects(gm.KernelRidge(gm.Linear(), ridge=0).fit(X, [0.0, 2.0, 4.0, 6.0]), X, 0)
    prediction by column 0, less its mean (± from the rows, the model as it is)
        0: -3 ± 0
        1: -1 ± 0
        2: +1 ± 0
        3: +3 ± 0
    """

    column: str
    kind: Literal["number", "category"]
    values: Array
    effects: Array
    errors: Array
    outputs: tuple[Any, ...]
    scale: str
    counts: Array
    band: Literal["rows", "refits"]

    def __repr__(self) -> str:
        shown = np.unique(np.linspace(0, len(self.values) - 1, min(len(self.values), 9)).astype(int))
        if self.kind == "category":
            shown = np.arange(min(len(self.values), 20))
        lines = [f"{self.scale} by {self.column}, less its mean ({_BANDS[self.band]})"]
        for place, output in enumerate(self.outputs[:8]):
            lines += [f"  {output!r}:"] if len(self.outputs) > 1 or self.scale != "prediction" else []
            lines += [
                f"    {_short(self.values[k])}: {self.effects[k, place]:+.3g} ± {self.errors[k, place]:.2g}"
                for k in shown
            ]
        return "\n".join(lines)


_BANDS = {"rows": "± from the rows, the model as it is", "refits": "± from fitting it without a tenth at a time"}


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)


def effects(
    model: Any,
    X: Any,
    column: Any,
    y: Any = None,
    *,
    names: Sequence[str] | None = None,
    intervals: int = 20,
    random_state: Any = 0,
) -> ColumnEffect:
    """Return how the answers of a fitted model change with one column: accumulated local effects, with errors.

    Parameters
    ----------
    model : fitted estimator
        A regression (its predictions), or a classifier (its probabilities, where it has any, else its decision
        function; of two classes for the second).
    X : array, data frame or records
        Objects to ask about, such as those of the training.
    column : name or place
        A column of numbers or of categories.
    y : array of shape (n,), optional
        Targets. With them the model is fitted anew without a tenth of the objects at a time, and the errors tell how
        far the curve depends on the sample; without, only how much the objects differ, the model taken as it is.
    names : sequence of str, optional
        What to call the columns of an array.
    intervals : int
        Between how many quantiles of a column of numbers.
    random_state : int or Generator
        Which tenths.

    Returns
    -------
    ColumnEffect

    Raises
    ------
    TypeError
        If the model cannot predict.
    ValueError
        If the column is constant or has missing values.

    See Also
    --------
    ColumnEffect : what `effects` answers
    importance : how much each column matters

    Notes
    -----
    Cost: 2 n answers of the model, and eleven times so many with `y`.

    Without `y` the variance of g is that of a sum of means of independent objects, Σ_j a_j² s_j² / n_j, in closed
    form; with it the jackknife that leaves out groups, (9/10) Σ (g₍ₖ₎ − ḡ)². (A bootstrap would draw objects twice,
    and a ridge chosen by leaving one out falls for that.)

    Examples
    --------
    >>> import gramian as gm
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = gm.KernelRidge(ridge=0.1).fit(X, X[:, 0] ** 2 + 5 * X[:, 1])
    >>> found = gm.effects(model, X, 0)
    >>> bool(found.effects[0, 0] > 1 and found.effects[-1, 0] > 1 and found.effects[10, 0] < 0)
    True
    """
    check_is_fitted(model)
    fields, intervals = fields_of(X, model), whole(intervals, "intervals")
    name = fields.named(list(names).index(column) if names is not None and column in names else column)
    kind = fields.kind(name)
    if kind == "text":
        raise TypeError(
            f"column {column!r} holds texts, and an effect is told of numbers and categories: gm.importance tells "
            "whether it matters, and model.feature_weights() which words do"
        )
    steps = _of_numbers(fields, name, intervals) if kind == "number" else _of_categories(fields, name)
    answers, outputs, scale = _answers_of(model)
    found = steps.accumulate(fields, answers)
    curve, errors, band = found.curve, found.errors(), "rows"
    if y is not None:
        errors, band = _by_refits(model, fields, np.asarray(y), steps, as_generator(random_state)), "refits"
    return ColumnEffect(
        fields.called(names)[name],
        kind,
        steps.values,
        curve,
        errors,
        outputs if outputs else tuple(["prediction"] if curve.shape[1] == 1 else range(curve.shape[1])),
        scale,
        steps.counts(fields.values(name)),
        "refits" if band == "refits" else "rows",
    )


def _answers_of(model: Any) -> tuple[Callable[[Any], Array], tuple[Any, ...], str]:
    """Return what is asked of a model, as a table of one column for each output, and what these are."""

    def table(values: Any) -> Array:
        found = np.asarray(values, dtype=np.float64)
        return found if found.ndim > 1 else found[:, None]

    if not is_classifier(model):
        return lambda X: table(model.predict(X)), (), "prediction"
    classes = tuple(np.asarray(model.classes_).tolist())
    outputs = classes[1:] if len(classes) == 2 else classes
    if hasattr(model, "predict_proba"):
        return lambda X: table(model.predict_proba(X))[:, -len(outputs) :], outputs, "probability"
    if hasattr(model, "decision_function"):
        return lambda X: table(model.decision_function(X)), outputs, "decision function"
    raise TypeError(
        f"{type(model).__name__} has neither predict_proba nor decision_function, and a label has no effect curve: "
        "take a classifier that has one of them"
    )


@dataclass(frozen=True, eq=False)
class _Found:
    """Mean differences over the steps, their variances and the weights with which they make the curve."""

    means: Array
    variances: Array
    shape: Array  # curve = shape @ means

    @property
    def curve(self) -> Array:
        return np.asarray(self.shape @ self.means)

    def errors(self) -> Array:
        return np.asarray(np.sqrt(np.square(self.shape) @ self.variances))


@dataclass(frozen=True, eq=False)
class _Steps:
    """Steps from each value to the next: which objects take them, and how the objects are spread over the values."""

    column: Hashable
    values: Array
    of: Callable[[Array], list[Array]]  # a column to the places of those that take each step
    spread: Callable[[Array], Array]  # a column to the share of each value, for the mean of the curve
    counts: Callable[[Array], Array]

    def accumulate(self, fields: Fields, answers: Callable[[Any], Array]) -> _Found:
        column = fields.values(self.column)
        takers = self.of(column)
        steps = np.repeat(np.arange(len(takers)), [len(rows) for rows in takers])
        moved = fields.take(np.concatenate(takers))
        low, high = (answers(moved.put(self.column, self.values[steps + end])) for end in (0, 1))
        difference = high - low
        count = np.bincount(steps, minlength=len(takers))[:, None]
        shape = np.vstack([np.zeros(len(takers)), np.tril(np.ones((len(takers), len(takers))))])
        shape -= self.spread(column) @ shape
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.array([difference[steps == k].mean(axis=0) for k in range(len(takers))])
            squares = np.array([np.square(difference[steps == k] - means[k]).sum(axis=0) for k in range(len(takers))])
            return _Found(means, squares / np.maximum(count - 1, 1) / count, shape)


def _of_numbers(fields: Fields, name: Hashable, intervals: int) -> _Steps:
    column = fields.values(name)
    if not np.isfinite(column.astype(np.float64)).all():
        raise ValueError(f"column {name!r} holds missing values; leave these rows out, or fill them")
    shares = np.linspace(0, 1, intervals + 1)
    edges = np.unique(np.quantile(column, shares, method="inverted_cdf"))
    if len(edges) < 2:
        raise ValueError(f"column {name!r} holds {edges[0]:g} only: it has no effect to be told")

    def interval(column: Array) -> Array:
        return np.clip(np.searchsorted(edges, column, side="left") - 1, 0, len(edges) - 2)

    def takers(column: Array) -> list[Array]:
        inside = interval(column)
        found = [np.flatnonzero(inside == k) for k in range(len(edges) - 1)]
        near = [np.argsort(np.abs(column - edges[k : k + 2].mean()))[:1] for k in range(len(edges) - 1)]
        return [rows if len(rows) else nearest for rows, nearest in zip(found, near, strict=True)]

    def spread(column: Array) -> Array:
        inside = interval(column)  # between two values the curve is straight
        share = np.clip((column - edges[inside]) / (edges[inside + 1] - edges[inside]), 0, 1)
        found = np.bincount(inside, 1 - share, len(edges)) + np.bincount(inside + 1, share, len(edges))
        return np.asarray(found / len(column))

    def counts(column: Array) -> Array:
        lowest = column <= edges[0]
        return np.append(lowest.sum(), np.bincount(interval(column)[~lowest], minlength=len(edges) - 1))

    return _Steps(name, edges, takers, spread, counts)


def _of_categories(fields: Fields, name: Hashable) -> _Steps:
    column = fields.values(name)
    known = list(dict.fromkeys(column.tolist()))
    if len(known) < 2:
        raise ValueError(f"column {name!r} holds {known[0]!r} only: it has no effect to be told")
    categories = np.array([known[k] for k in _by_likeness(fields, name, known)], dtype=column.dtype)

    def members(column: Array) -> list[Array]:
        return [np.flatnonzero(column == category) for category in categories]

    def takers(column: Array) -> list[Array]:
        found = members(column)
        joined = [np.concatenate(pair) for pair in pairwise(found)]
        return [rows if len(rows) else np.arange(1) for rows in joined]

    def counts(column: Array) -> Array:
        return np.array([len(rows) for rows in members(column)])

    return _Steps(name, categories, takers, lambda column: counts(column) / len(column), counts)


def _by_likeness(fields: Fields, name: Hashable, known: list[Any]) -> Array:
    """Return the order of categories in which neighbours have much the same values in the other columns.

    The distance of two categories is the sum over the other columns of the area between their distribution functions,
    over ranks (numbers), or half the sum of the differences of shares (categories); the order is that of the first
    coordinate of classical scaling.
    """
    label = np.array([known.index(value) for value in fields.values(name).tolist()])
    distances = np.zeros((len(known), len(known)))
    for other in fields.names:
        kind = fields.kind(other)
        if other == name or kind == "text":
            continue
        values = fields.values(other)
        numbers = values if kind == "number" else np.array([str(v) for v in values.tolist()])
        present, place = np.unique(numbers, return_inverse=True)
        table = np.zeros((len(known), len(present)))
        np.add.at(table, (label, place), 1)
        share = table.sum(axis=0) / len(label)
        table /= table.sum(axis=1, keepdims=True)
        if kind == "number":
            below = np.cumsum(table, axis=1)
            apart = np.array([np.abs(below - one) @ share for one in below])
        else:
            apart = np.array([np.abs(table - one).sum(axis=1) / 2 for one in table])
        distances += apart
    squares = -np.square(distances) / 2
    squares -= squares.mean(axis=0)
    squares -= squares.mean(axis=1, keepdims=True)
    first = np.linalg.eigh((squares + squares.T) / 2)[1][:, -1]
    return np.argsort(first * (1 if first[0] <= 0 else -1), kind="stable")


def _by_refits(model: Any, fields: Fields, y: Array, steps: _Steps, rng: np.random.Generator) -> Array:
    """Return standard errors of the curve by the jackknife that leaves out a part of the objects at a time."""
    if len(y) != len(fields):
        raise ValueError(f"X has {len(fields)} objects and y {len(y)}; one target for each expected")
    parts = np.array_split(_dealt(y, rng) if is_classifier(model) else rng.permutation(len(y)), min(PARTS, len(y)))
    curves = []
    with task("effects", total=len(parts)) as t:
        for part in parts:
            kept = np.setdiff1d(np.arange(len(y)), part)
            some = fields.take(kept)
            fitted = clone(model).fit(some.X, y[kept])
            curves.append(steps.accumulate(some, _answers_of(fitted)[0]).curve)
            t.step()
    count = len(parts)
    return np.asarray(np.sqrt((count - 1) / count * np.square(np.array(curves) - np.mean(curves, axis=0)).sum(axis=0)))


def _dealt(y: Array, rng: np.random.Generator) -> Array:
    """Return objects in an order of which consecutive parts hold the classes in nearly equal shares."""
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    return np.concatenate([order[start :: min(PARTS, len(y))] for start in range(min(PARTS, len(y)))])
