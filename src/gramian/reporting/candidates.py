"""Which kernel: candidates for each kind of data, and the choice among them.

With a target each candidate is judged by the closed-form leave-one-out errors of ridge regression, for classes on their
indicators, with the ridge chosen anew for each: all ridges from one decomposition. Without a target nothing says that
one kernel is better than another: the first candidate is taken, and how the others see the objects is shown beside it.
Large data are judged by a sample.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
import scipy.sparse.linalg

from gramian.checks import Array, is_sparse
from gramian.intake.dataset import Dataset
from gramian.kernels.algebra import Kernel
from gramian.kernels.dotproduct import Linear, Polynomial
from gramian.kernels.equality import Equality
from gramian.kernels.graphs.diffusion import ExponentialDiffusion, VonNeumannDiffusion
from gramian.kernels.radial import Gaussian, Laplacian
from gramian.kernels.standardize import Standardize
from gramian.kernels.strings.full_spectrum import FullSpectrum
from gramian.kernels.strings.mismatch import Mismatch
from gramian.kernels.strings.spectrum import Composition, Spectrum
from gramian.kernels.text.bag_of_words import BagOfWords
from gramian.learn.alignment import alignment
from gramian.learn.ridge import KernelRidge
from gramian.learn.sklearn_private import take_rows
from gramian.reporting.measures import beyond, paired, root_mean_square, standard_error
from gramian.reporting.splits import Splits

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


def candidates(data: Dataset) -> list[Kernel]:
    """Return the kernels that make sense for this kind of data, the safest first."""
    if data.kind == "vectors":
        return _of_vectors(data.X)
    if data.kind == "strings":
        return [_unit(kernel) for kernel in _of_strings(data.X)]
    if data.kind == "documents":
        return [_unit(kernel) for kernel in (BagOfWords("tf-idf"), BagOfWords("tf"))]
    if data.kind == "nodes":
        return _of_nodes(data)
    return _of_records(data)


def _of_vectors(X: Array) -> list[Kernel]:
    if is_sparse(X):
        return [Linear(), _unit(Linear()), Polynomial(2), Gaussian("median")]
    sigma = _scale(X)
    radial: list[Kernel] = [Gaussian(_rounded(sigma * factor)) for factor in (1.0, 0.5, 0.25, 2.0, 4.0)]
    others: list[Kernel] = [Laplacian(_rounded(sigma)), Linear(), Polynomial(2)]
    return [kernel.pullback(Standardize()) for kernel in (*radial, *others)]


def _scale(X: Array) -> float:
    """Return the median distance between standardized rows."""
    return float(Gaussian("median").fit(Standardize.of(X)(X)).bandwidth)


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def _of_strings(X: Any) -> list[Kernel]:
    longest = max(map(len, X), default=0)
    lengths = [length for length in (3, 2, 4, 5, 6) if length <= max(longest, 2)]
    found: list[Kernel] = [*(Spectrum(length) for length in lengths), Composition(), FullSpectrum(decay=0.5)]
    if longest >= 4 and len({symbol for one in X[:SAMPLE] for symbol in one}) <= 25:
        found.append(Mismatch(4, 1))
    return found


def _unit(kernel: Kernel) -> Kernel:
    """Return the kernel with images of length 1; a constant feature gives objects a direction that would have none."""
    return (kernel + 1).normalize()


def _of_nodes(data: Dataset) -> list[Kernel]:
    assert data.graph is not None
    if not data.graph.non_negative:
        radius = float(scipy.sparse.linalg.norm(scipy.sparse.csr_array(data.graph.matrix), np.inf)) or 1.0
        return [ExponentialDiffusion(data.graph, _rounded(beta / radius), of="adjacency") for beta in (2.0, 0.5, 5.0)]
    normalized: list[Kernel] = [
        ExponentialDiffusion(data.graph, beta, of="normalized") for beta in (2.0, 0.5, 1.0, 5.0)
    ]
    return [*normalized, VonNeumannDiffusion(data.graph, 0.9, of="normalized")]


def _of_records(data: Dataset) -> list[Kernel]:
    """Return sums and products of a kernel for the numbers, at several bandwidths, and those for other columns."""
    others, numbers = _of_columns(data), _of_numbers(data)
    found: list[Kernel] = []
    for parts in [[one, *others] for one in numbers] or [others]:
        found.append(sum(parts[1:], parts[0]))
        if len(parts) > 1:
            found.append(prod((part + 1 for part in parts[1:]), start=parts[0]))
            found.append(parts[0])
    return [*found, *(others if len(found) > 1 else [])]


def _used(data: Dataset, *kinds: str) -> list[str]:
    return [one.name for one in data.columns if one.used and one.name != data.target and one.kind in kinds]


def _of_numbers(data: Dataset) -> list[Kernel]:
    names = _used(data, "number", "date")
    if not names:
        return []
    sigma = _scale(np.column_stack([np.asarray(data.X[name], dtype=np.float64) for name in names]))
    return [Gaussian(_rounded(sigma * f)).pullback(Standardize()).on(*names) for f in (1.0, 0.5, 2.0)]


def _of_columns(data: Dataset) -> list[Kernel]:
    """Return a kernel for the categories together, and one for every column of strings or texts."""
    found: list[Kernel] = []
    if categories := _used(data, "category"):
        found.append(sum((Equality().on(name) for name in categories[1:]), Equality().on(categories[0])).normalize())
    found += [_unit(Spectrum(3)).on(name) for name in _used(data, "string")]
    found += [_unit(BagOfWords("tf-idf")).on(name) for name in _used(data, "text")]
    return found


def judge(kernel: Kernel, X: Any, y: Array | None, task: str, splits: Splits | None = None) -> Judged:
    """Return how a kernel does at the target of some objects; those that belong together are left out together."""
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
        try:
            aligned = alignment(settled.gram(X), targets, task="numbers")
        except (ValueError, ArithmeticError):  # all images are one, or the target is too small to be squared
            aligned = float("nan")
    if classes is None:
        error, deviation = root_mean_square(left)
        losses = np.square(left).reshape(len(kept), -1).mean(axis=1)
    else:
        losses = (classes[np.argmax(targets[kept] - left, axis=1)] != y[kept]).astype(np.float64)
        error, deviation = float(losses.mean()), standard_error(losses)
    return Judged(kernel, error, deviation, float(np.square(left).mean()), aligned, losses)


def _judged(
    every: Sequence[Kernel], data: Dataset, X: Any, y: Array | None, splits: Splits | None = None
) -> list[Judged]:
    """Return all candidates with how they do, but those that cannot take these objects."""
    found, refused = [], ValueError("no kernel is known for data of this kind")
    for kernel in every:
        try:
            found.append(judge(kernel, X, y, data.task, splits))
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
) -> Choice:
    """Return the kernel to use for the data: the one given, or the best of all candidates.

    `rows` are the objects by which they are judged, y the target of these, `splits` which of them belong together.
    """
    X = take_rows(data.X, rows)
    if given is not None:
        alone = judge(given, X, y, data.task, splits)
        return Choice(given, "It is the kernel that was asked for.", (alone,), rows)
    tried = _judged(every, data, X, y, splits)
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
