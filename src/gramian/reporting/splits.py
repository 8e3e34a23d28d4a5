"""How objects are divided, so that a model is judged by objects it has truly not seen.

    copies      rows whose compared columns are all equal stay in one fold
    groups      so do rows that share a value of the column that the reader names
    time        where the reader names a column that orders them, models learn from the past and predict what follows

Whatever is chosen within a fold, a kernel or a ridge, is chosen by the same rule. Where all objects stand alone, one is
left out at a time; else a whole unit is, whose residuals follow from one fit as those of a single object do (`path`).

Rows of a table of few columns with few values each are equal by nature, and then equal rows are no copies: two
passengers of one class, age and sex are two passengers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import connected_components
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from gramian.checks import Array, is_sparse
from gramian.factor.spectrum import Spectrum
from gramian.intake.dataset import Dataset
from gramian.intake.table import absent
from gramian.kernels.algebra import Kernel
from gramian.learn.path import Smoother, without_groups
from gramian.runtime.threads import aside

LOOKED_AT = 200_000  # rows that are compared with each other
FEW_VALUES = 20  # different values up to which those of a column may well be equal
ROOM = 100  # different rows that are possible for each one that is there, from which on equal ones are copies
RIDGES = np.logspace(-9, 2, 34)  # in units of the largest eigenvalue
INNER = 3  # blocks of time by which what happens within a fold is chosen


class Fold(NamedTuple):
    """One division: which repetition it belongs to, and the places of the objects to learn from and to predict."""

    repeat: int
    train: Array
    test: Array


class LeftOut(NamedTuple):
    """Residuals of a ridge regression at objects it has not seen, at the best ridge, and where they stand."""

    ridge: float
    residuals: Array
    kept: Array


@dataclass(frozen=True, eq=False)
class Splits:
    """Which objects belong together, and when each one was.

    Attributes
    ----------
    unit : array of int
        Objects with the same number stay together.
    time : array of float, or None
        What orders them.
    copies : int
        How many objects are equal to an earlier one.
    by_nature : bool
        Whether they are equal because few different ones are possible, and so are not held together.
    grouped : bool
        Whether a column holds objects together, too.
    """

    unit: Array
    time: Array | None
    copies: int
    by_nature: bool
    grouped: bool = False

    @classmethod
    def of(cls, data: Dataset) -> Splits:
        """Look for copies, and take up the groups and the order that were asked for."""
        same = _equal(data)
        copies, by_nature = len(same) - len(np.unique(same)), _coincide(data)
        unit = np.arange(len(data)) if by_nature else same
        if data.group is not None:
            groups = _groups(data.column(data.group))
            joined = _joined(unit, groups)
            chained = joined.max() < groups.max() and 2 * np.bincount(joined).max() > len(data)
            unit = groups if chained else joined  # by copies that are there by chance
        return cls(
            np.unique(unit, return_inverse=True)[1],
            data.times,
            copies,
            by_nature and copies > 0,
            data.group is not None,
        )

    def of_rows(self, rows: Array) -> Splits:
        """Return how some of the objects are divided."""
        unit = np.unique(self.unit[rows], return_inverse=True)[1]
        return Splits(unit, None if self.time is None else self.time[rows], self.copies, self.by_nature, self.grouped)

    @property
    def alone(self) -> bool:
        """Whether every object may be divided from every other, in any order."""
        return self.time is None and len(np.unique(self.unit)) == len(self.unit)

    @property
    def first(self) -> Array:
        """The first row of each unit."""
        return np.sort(np.unique(self.unit, return_index=True)[1])

    def distinct(self, rows: Array, y: Array | None = None) -> Array:
        """Return the rows with one of each set of copies, by which may be chosen as if no object were there twice.

        Which one is drawn: copies may differ in their target, and rows be sorted by it. Where those that are drawn
        would all have the same target `y`, every row is returned.
        """
        if self.grouped or self.time is not None:
            return rows
        order = np.random.default_rng(0).permutation(len(rows))
        one = np.sort(order[np.unique(self.unit[rows][order], return_index=True)[1]])
        return rows if y is not None and np.all(y[one] == y[one[0]]) else rows[one]

    def cut(self, y: Array, folds: int, repeats: int, seed: int) -> Iterator[Fold]:
        """Divide the objects, classes evenly; forward in time where they are ordered."""
        classes = y.dtype.kind != "f"
        if self.time is not None:
            yield from self._forward(folds)
        elif self.alone:
            how: Any = RepeatedStratifiedKFold if classes else RepeatedKFold
            divided = how(n_splits=folds, n_repeats=repeats, random_state=seed).split(y, y)
            for k, (train, test) in enumerate(divided):
                yield Fold(k // folds, train, test)
        else:
            rng = np.random.default_rng(seed)
            label = np.unique(y, return_inverse=True)[1] if classes else np.zeros(len(y), dtype=np.intp)
            for repeat in range(repeats):
                fold = _dealt(self.unit, label, folds, rng)
                for k in range(folds):
                    yield Fold(repeat, np.flatnonzero(fold != k), np.flatnonzero(fold == k))

    def _forward(self, folds: int) -> Iterator[Fold]:
        """Cut time into blocks; each but the first is predicted from all before, units that reach into it left out."""
        assert self.time is not None
        edges = np.unique(np.quantile(self.time, np.arange(1, folds + 1) / (folds + 1), method="higher"))
        block = np.searchsorted(edges, self.time, side="right")
        for k in range(1, int(block.max()) + 1):
            test = np.flatnonzero(block == k)
            train = np.flatnonzero((block < k) & ~np.isin(self.unit, self.unit[test]))
            if len(test) and len(train):
                yield Fold(0, train, test)

    def left_out(self, kernel: Kernel, X: Any, targets: Array) -> LeftOut:
        """Return the residuals of ridge regression at objects of which neither they nor their unit were learnt from."""
        Y = targets.reshape(len(targets), -1)
        K = np.asarray(kernel.gram(X).dense(), dtype=np.float64)
        if self.time is None:
            ridges, residuals, kept = *_units_out(K, Y, self.unit), np.arange(len(Y))
        else:
            parts = [(*_ahead(K, Y, one), one.test) for one in self._forward(INNER)]
            ridges = parts[-1][0]
            residuals = np.concatenate([part[1] for part in parts], axis=1)
            kept = np.concatenate([part[2] for part in parts])
        best = int(np.argmin(np.square(residuals).mean(axis=(1, 2))))
        return LeftOut(float(ridges[best]), residuals[best].reshape(len(kept), *targets.shape[1:]), kept)


def _equal(data: Dataset) -> Array:
    """Return a number for each object, the same for those that are equal; all different where that is not looked at.

    What stands in for a missing value is no value: who has a gap equals who has it there, too.
    """
    X = data.X
    if len(data) > LOOKED_AT:
        return np.arange(len(data))
    if is_sparse(X):
        rows = scipy.sparse.csr_array(X)
        parts = [slice(*pair) for pair in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)]
        keys: Any = ((rows.indices[one].tobytes(), rows.data[one].tobytes()) for one in parts)
    elif isinstance(X, list):
        keys = X
    else:
        keys = ((row + 0.0).tobytes() if X.dtype.kind == "f" else row.item() for row in X)  # −0 is 0
    if data.gaps:
        missing = np.column_stack(list(data.gaps.values()))
        keys = ((key, gap.tobytes()) for key, gap in zip(keys, missing, strict=True))
    seen: dict[Any, int] = {}
    return np.fromiter((seen.setdefault(key, len(seen)) for key in keys), dtype=np.intp, count=len(data))


def _coincide(data: Dataset) -> bool:
    """Tell whether so few different objects are possible that equal ones are bound to be there."""
    used = [one for one in data.columns if one.used]
    if data.kind not in ("vectors", "records") or not used:
        return False
    possible = 1.0
    for one in used:
        if one.kind != "category" and one.distinct > FEW_VALUES:
            return False
        possible *= one.distinct + bool(one.missing)
    return possible < ROOM * len(data)


def _groups(values: Array) -> Array:
    """Return the number of each value's group; what has no value stands alone."""
    unknown = absent(values) if values.dtype.kind in "fO" else np.zeros(len(values), dtype=bool)
    seen: dict[Any, int] = {}
    keys = [
        ("alone", k) if none else value for k, (value, none) in enumerate(zip(values.tolist(), unknown, strict=True))
    ]
    return np.array([seen.setdefault(key, len(seen)) for key in keys], dtype=np.intp)


def _joined(one: Array, other: Array) -> Array:
    """Return the finest division that parts neither the units of one nor those of another."""
    n = int(one.max()) + 1
    size = n + int(other.max()) + 1
    edges = scipy.sparse.coo_array((np.ones(len(one)), (one, n + other)), shape=(size, size))
    return np.asarray(connected_components(edges, directed=False)[1][one])


def _dealt(unit: Array, label: Array, folds: int, rng: np.random.Generator) -> Array:
    """Deal units to folds, the largest first, each to the fold that has fewest of its class and then of all."""
    units, first, sizes = np.unique(unit, return_index=True, return_counts=True)
    order = rng.permutation(len(units))
    order = order[np.argsort(-sizes[order], kind="stable")]
    have = np.zeros((int(label.max()) + 1, folds))
    total, fold = np.zeros(folds), np.empty(len(units), dtype=np.intp)
    of_unit = label[first]  # of a unit of several classes, that of its first object
    for k in order.tolist():
        best = int(np.lexsort((total, have[of_unit[k]]))[0])
        fold[k] = best
        have[of_unit[k], best] += sizes[k]
        total[best] += sizes[k]
    return fold[np.searchsorted(units, unit)]


def _centred(K: Array) -> tuple[Array, Array, Array]:
    """Return eigenvalues and vectors of a centred matrix, and the ridges that are tried."""
    means = K.mean(axis=0)
    values, U = aside(lambda: np.linalg.eigh(K - means - means[:, None] + means.mean()))
    values = values.clip(0)
    return values, U, RIDGES * (float(values[-1]) or 1.0)


def _units_out(K: Array, Y: Array, unit: Array) -> tuple[Array, Array]:
    """Return the residuals at each ridge of objects whose unit is left out, by the closed form."""
    values, U, ridges = _centred(K)
    border, found = np.full(len(K), len(K) ** -0.5), Spectrum(values[::-1], U[:, ::-1], 0.0)
    smoother = Smoother(found, Y - Y.mean(axis=0), border, "shrinkage")
    return ridges, without_groups(smoother, unit, ridges)


def _ahead(K: Array, Y: Array, fold: Fold) -> tuple[Array, Array]:
    """Return the residuals at each ridge of objects that follow those learnt from."""
    train, test = fold.train, fold.test
    inner = K[np.ix_(train, train)]
    values, U, ridges = _centred(inner)
    means, mean = inner.mean(axis=0), Y[train].mean(axis=0)
    across = K[np.ix_(test, train)]
    across = (across - across.mean(axis=1)[:, None] - means + means.mean()) @ U
    UY = U.T @ (Y[train] - mean)
    return ridges, np.stack([Y[test] - mean - across @ (UY / (values + ridge)[:, None]) for ridge in ridges])
