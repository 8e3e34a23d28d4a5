"""Which kernel: the choice among the candidates for data of a kind (`learn.candidates`).

With a target each candidate is judged by the closed-form leave-one-out errors of ridge regression, for classes on their
indicators, with the ridge chosen anew for each: all ridges from one decomposition. Without a target nothing says that
one kernel is better than another: the first candidate is taken, and how the others see the objects is shown beside it.
Large data are judged by a sample.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.intake.dataset import Dataset
from gramian.kernels.algebra import Kernel
from gramian.learn.alignment import alignment
from gramian.learn.ridge import KernelRidge
from gramian.learn.sklearn_private import take_rows
from gramian.reporting.measures import root_mean_square, standard_error

SAMPLE = 1000  # objects by which candidates are judged
FEW = 300  # of those whose likenesses each need a walk through a large graph


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
    """

    kernel: Kernel
    error: float = float("nan")
    deviation: float = float("nan")
    squares: float = float("nan")
    alignment: float = float("nan")


@dataclass(frozen=True, eq=False)
class Choice:
    """The kernel that is used, why, and all that were tried on some rows."""

    kernel: Kernel
    reason: str
    judged: tuple[Judged, ...]
    rows: Array


def judge(kernel: Kernel, X: Any, y: Array | None, task: str) -> Judged:
    """Return how a kernel does at the target of some objects."""
    if y is None:
        return Judged(kernel)
    targets, classes = indicators(y) if task == "classes" else (y, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settled = kernel.fit(X)
        left = KernelRidge(settled, ridge="loo", fit_intercept=True).fit(X, targets).loo_residuals_
        try:
            aligned = alignment(settled.gram(X), targets, task="numbers")
        except (ValueError, ArithmeticError):  # all images are one, or the target is too small to be squared
            aligned = float("nan")
    if classes is None:
        error, deviation = root_mean_square(left)
    else:
        wrong = classes[np.argmax(targets - left, axis=1)] != y
        error, deviation = float(wrong.mean()), standard_error(wrong)
    return Judged(kernel, error, deviation, float(np.square(left).mean()), aligned)


def _judged(every: Sequence[Kernel], data: Dataset, X: Any, y: Array | None) -> list[Judged]:
    """Return all candidates with how they do, but those that cannot take these objects."""
    found, refused = [], ValueError("no kernel is known for data of this kind")
    for kernel in every:
        try:
            found.append(judge(kernel, X, y, data.task))
        except (ValueError, ArithmeticError) as error:  # numbers overflow, or an image has no length
            refused = ValueError(str(error))
    if not found:
        raise refused
    return found


def indicators(y: Array) -> tuple[Array, Array]:
    """Return a column for each class, 1 where an object belongs to it, and the classes."""
    classes, label = np.unique(y, return_inverse=True)
    return np.equal.outer(label, np.arange(len(classes))).astype(np.float64), classes


def choose(data: Dataset, every: Sequence[Kernel], given: Kernel | None, rows: Array, y: Array | None) -> Choice:
    """Return the kernel to use for the data: the one given, or the best of all candidates.

    `rows` are the objects by which they are judged, y the target of these.
    """
    X = take_rows(data.X, rows)
    if given is not None:
        alone = judge(given, X, y, data.task)
        return Choice(given, "It is the kernel that was asked for.", (alone,), rows)
    tried = _judged(every, data, X, y)
    if y is None:
        return Choice(
            tried[0].kernel,
            "There is no target by which kernels could be compared, so this is the usual one for data of this kind.",
            tuple(tried),
            rows,
        )
    best = min(tried, key=lambda one: (one.error, one.squares))
    what = "makes the fewest mistakes" if data.task == "classes" else "has the smallest error"
    return Choice(
        best.kernel,
        f"Of {len(tried)} candidates it {what} when each object is predicted from all the others.",
        tuple(tried),
        rows,
    )
