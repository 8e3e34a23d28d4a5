"""Which kernel: the choice among the candidates for data of a kind (`learn.candidates`).

With a target each candidate is judged by the closed-form leave-one-out errors of ridge regression, for classes on their
indicators, with the ridge chosen anew for each: all ridges from one decomposition. Without a target nothing says that
one kernel is better than another: the first candidate is taken, and how the others see the objects is shown beside it.
Large data are judged by a sample.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.intake.dataset import Dataset
from gramian.kernels.algebra import Kernel
from gramian.learn.alignment import alignment
from gramian.learn.ridge import KernelRidge
from gramian.learn.sklearn_private import take_rows
from gramian.reporting.measures import beyond, paired, root_mean_square, standard_error
from gramian.reporting.splits import Splits
from gramian.runtime.progress import each

SAMPLE = 1000  # objects by which candidates are judged
WALKED = 300  # of those whose likenesses each need a walk through a large graph


@dataclass(frozen=True)
class Judged:
    """A candidate and how it did at the target of some objects; NaN where there is none.

    Attributes
    ----------
    kernel : Kernel
        The candidate.
    error, deviation : float
        Leave-one-out error, the share of mistakes for classes and the root mean square for numbers, and its standard
        error.
    squares, alignment : float
        Mean squared leave-one-out residual, and the alignment with the target.
    losses : array
        Whether each object was mistaken, or its squared residual; empty without a target.
    """

    kernel: Kernel
    error: float = float("nan")
    deviation: float = float("nan")
    squares: float = float("nan")
    alignment: float = float("nan")
    losses: Array = field(default_factory=lambda: np.empty(0), compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class Choice:
    """The kernel that is used, why, and all that were tried on some rows; `ties` are others that do as well."""

    kernel: Kernel
    reason: str
    judged: tuple[Judged, ...]
    rows: Array
    ties: tuple[Kernel, ...] = ()


def judge(
    kernel: Kernel, X: Any, y: Array | None, task: str, splits: Splits | None = None, aligned: bool = True
) -> Judged:
    """Return how a kernel does at the target of some objects; those that belong together are left out together.

    The alignment is for readers, and has no say in a choice: without `aligned` it is not computed.
    """
    if y is None:
        return Judged(kernel)
    targets, classes = indicators(y) if task == "classes" else (y, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settled = kernel.fit(X)
        if splits is None or splits.alone:
            left = KernelRidge(settled, ridge="loo", fit_intercept=True).fit(X, targets).loo_residuals_
            kept = np.arange(len(y))
        else:
            _, left, kept = splits.left_out(settled, X, targets)
        shown = _alignment(settled, X, targets) if aligned else float("nan")
    if classes is None:
        error, deviation = root_mean_square(left)
        losses = np.square(left).reshape(len(kept), -1).mean(axis=1)
    else:
        losses = (classes[np.argmax(targets[kept] - left, axis=1)] != y[kept]).astype(np.float64)
        error, deviation = float(losses.mean()), standard_error(losses)
    return Judged(kernel, error, deviation, float(np.square(left).mean()), shown, losses)


def _alignment(kernel: Kernel, X: Any, targets: Array) -> float:
    """Return the alignment with the target; NaN where all images are one, or the target is too small to be squared."""
    try:
        return alignment(kernel.gram(X), targets, task="numbers")
    except (ValueError, ArithmeticError):
        return float("nan")


def _judged(
    every: Sequence[Kernel], data: Dataset, X: Any, y: Array | None, splits: Splits | None, aligned: bool
) -> list[Judged]:
    """Return all candidates with how they do, but those that cannot take these objects."""
    found, refused = [], ValueError("no kernel is known for data of this kind")
    for kernel in each(every):
        try:
            found.append(judge(kernel, X, y, data.task, splits, aligned))
        except (ValueError, ArithmeticError) as error:  # numbers overflow, or an image has no length
            refused = ValueError(str(error))
    if not found:
        raise refused
    return found


def indicators(y: Array) -> tuple[Array, Array]:
    """Return a column for each class, 1 where an object belongs to it, and the classes."""
    classes, label = np.unique(y, return_inverse=True)
    return np.equal.outer(label, np.arange(len(classes))).astype(np.float64), classes


def choose(
    data: Dataset,
    every: Sequence[Kernel],
    given: Kernel | None,
    rows: Array,
    y: Array | None,
    splits: Splits | None = None,
    aligned: bool = True,
) -> Choice:
    """Return the kernel to use for the data: the one given, or the best of all candidates.

    `rows` are the objects by which they are judged, y the target of these, `splits` which of them belong together;
    without `aligned` the alignments are left out, which are shown and have no say.
    """
    X = take_rows(data.X, rows)
    if given is not None:
        alone = judge(given, X, y, data.task, splits, aligned)
        return Choice(given, "It is the kernel that was asked for.", (alone,), rows)
    tried = _judged(every, data, X, y, splits, aligned)
    if y is None:
        return Choice(
            tried[0].kernel,
            "There is no target by which kernels could be compared, so this is the usual one for data of this kind.",
            tuple(tried),
            rows,
        )
    best = min(tried, key=lambda one: (one.error, one.squares))
    ties = tuple(one.kernel for one in tried if one is not best and _as_good(one, best))
    what = "makes the fewest mistakes" if data.task == "classes" else "has the smallest error"
    others = "the past" if splits is not None and splits.time is not None else "all that it does not belong with"
    others = "all the others" if splits is None or splits.alone else others
    reason = f"Of {len(tried)} candidates it {what} when each object is predicted from {others}"
    if ties:
        as_good = (
            "all others are" if len(ties) == len(tried) - 1 else "another is" if len(ties) == 1 else "{} others are"
        )
        reason += f", though {as_good.format(len(ties))} as good within the error of the comparison"
    return Choice(best.kernel, f"{reason}.", tuple(tried), rows, ties)


def _as_good(one: Judged, best: Judged) -> bool:
    """Tell whether the losses of two candidates at the same objects differ by no more than chance would make them."""
    return len(one.losses) == len(best.losses) and not beyond(paired(one.losses, best.losses, 2.0))
