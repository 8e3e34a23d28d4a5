"""What all sections share: the data, the kernel settled on them, and how much can be afforded.

Up to `EXACT` objects everything is exact. Beyond, principal components, novelty and predictions are computed through
landmarks (`Nystrom`), whose error every figure names, in one pass over all the data; pictures show a sample, drawn
evenly at random.

What objects look like is one question, and what tells the target another: the geometry is that of a kernel on all
columns but those that only number rows, though predictions may do best by a few of them. Objects without a value in any
column are left out, for what stands in for missing values would make them the most usual of all.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.intake.dataset import Dataset
from gramian.intake.errors import DataError
from gramian.intake.guesses import NUMERIC
from gramian.kernels.algebra import Kernel
from gramian.learn.candidates import candidates
from gramian.learn.pca import KernelPCA
from gramian.learn.sklearn_private import take_rows
from gramian.reporting.blocks import bounded, drawn, number
from gramian.reporting.candidates import SAMPLE, WALKED, Choice, choose
from gramian.reporting.fitting import as_records, columns_of, dated, fitting
from gramian.reporting.numbering import numbering
from gramian.reporting.splits import Splits
from gramian.space.vectors import FeatureSpace, Vectors

EXACT = 2000  # objects up to which K is decomposed
RANK = 500  # landmarks beyond
DRAWN = 2000  # points of a picture
LISTED = 4  # fields of an object in a table
DIRECT = 60_000  # objects up to which all n² likenesses are computed, once
DIRECT_EXPENSIVE = 3000  # where each of them takes long
DIRECT_WALKS = 500  # where each needs a walk through a large graph
ROUNDING = 1e-10  # of all squared lengths: landmarks that leave out no more see everything
MOST_COMPONENTS = 100  # of a kernel whose products need no matrix, and which has no landmarks


@dataclass(frozen=True, eq=False)
class Study:
    """A data set under a kernel.

    Attributes
    ----------
    data : Dataset
        The objects, without those that have no value at all.
    choice : Choice
        The kernel by which the target is predicted, and the others that were tried.
    kernel, whole : Kernel
        The kernel of the geometry, which compares all columns, settled on the objects, and before that.
    candidates, given, seed :
        What there was to choose from, what was asked for, and the seed of all that is drawn.
    splits : Splits
        Which objects belong together, and when each one was.
    origin : array of int
        Where each object stands in the data as they were given.
    empty : tuple of str
        The names of objects without a value.
    apart : tuple of str
        The columns that only number rows, and have no part in the geometry.
    """

    data: Dataset
    choice: Choice
    kernel: Kernel
    candidates: tuple[Kernel, ...] = ()
    given: Kernel | None = None
    seed: int = 0
    whole: Kernel = field(kw_only=True)
    splits: Splits = field(kw_only=True)
    origin: Array = field(kw_only=True)
    empty: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: Dataset, given: Kernel | None, seed: int = 0, quick: bool = False) -> Study:
        """Choose a kernel for the data, or take the one given, and settle it on them; a quick choice looks at fewer."""
        origin = np.flatnonzero(~data.empty)
        empty = tuple(data.names[row] for row in np.flatnonzero(data.empty).tolist())
        if empty:
            data = data.take(origin)
        if len(data) < 2:
            raise DataError(
                f"{data.source}: fewer than two objects with a value; at least two expected, to be compared"
            )
        data = dated(data) if given is None else fitting(given, data)
        splits = Splits.of(data)
        known = _distinct(data, splits)
        rng = np.random.default_rng(seed)
        apart = numbering(data) if given is None else ()
        every, others = _with_and_without(data, apart) if given is None else ((), ())
        data = (as_records(data) or data) if apart else data
        walks = len(data) > EXACT and all(one.matrix_free for one in (*every, *filter(None, [given])))
        few = np.sort(rng.permutation(known)[: WALKED if walks or quick else SAMPLE])
        y = None if data.y is None else target_of(data, few)
        choice = choose(data, every, given, few, y, splits.of_rows(few))
        whole = choice.kernel if given is not None else _of_all_columns(data, choice)
        if apart:
            whole = others[every.index(whole)] if len(others) == len(every) else others[0]
        return cls(
            data,
            choice,
            whole.fit(data.X),
            every,
            given,
            seed,
            whole=whole,
            splits=splits,
            origin=origin,
            empty=empty,
            apart=apart,
        )

    @property
    def n(self) -> int:
        return len(self.data)

    @property
    def exact(self) -> bool:
        return self.n <= EXACT

    @property
    def walks(self) -> bool:
        """Whether every likeness needs a walk through a large graph: products with K are cheap, its entries are not."""
        return self.kernel.matrix_free and not self.exact

    @property
    def rank(self) -> Any:
        """What learners are told: landmarks for many objects, unless products are cheap without them."""
        return "exact" if self.exact or self.kernel.matrix_free else RANK

    @property
    def _looked_at(self) -> int:
        return DIRECT_WALKS if self.walks else DIRECT_EXPENSIVE if self.kernel.traits.expensive else DIRECT

    def some(self, most: int, of: Array | None = None) -> Array:
        """Return at most so many rows, of these or of all: every one if there are no more, else drawn at random."""
        rows = np.arange(self.n) if of is None else of
        if len(rows) <= most:
            return rows
        return np.sort(np.random.default_rng(self.seed).choice(rows, most, replace=False))

    def compared(self, of: Array | None = None) -> Array:
        """Return the rows, of these or of all, that are compared pair by pair with K in memory."""
        return self.some(DIRECT_WALKS if self.walks else EXACT, of)

    def objects(self, rows: Array) -> Any:
        """Return the objects of some rows, as the kernel takes them."""
        return take_rows(self.data.X, rows)

    def as_they_came(self, rows: Array) -> Any:
        """Return the objects of some rows with NaN in the place of numbers and dates that stand in for missing ones."""
        X, names = self.objects(rows), self.data.recipe.columns
        missing = {name: gap[rows] for name, gap in self.data.gaps.items() if self.data.recipe.kinds[name] in NUMERIC}
        if not missing or self.data.kind not in ("vectors", "records"):
            return X
        X = X.copy()
        for name, gap in missing.items():
            if self.data.kind == "vectors":
                X[gap, names.index(name)] = np.nan
            else:
                X[name][gap] = np.nan
        return X

    def target(self, rows: Array) -> Array:
        """Return the target of rows that have one."""
        return target_of(self.data, rows)

    @cached_property
    def labelled(self) -> Array:
        """The rows whose target is known."""
        return labelled(self.data)

    @cached_property
    def distinct(self) -> Array:
        """The rows whose target is known, with one of each set of copies."""
        return _distinct(self.data, self.splits)

    @cached_property
    def shown(self) -> Array:
        """The rows that pictures show."""
        return self.some(DRAWN)

    @cached_property
    def images(self) -> Vectors:
        """φ(x) of the objects whose geometry is looked at: all of them, or a sample."""
        rows = self.some(self._looked_at)
        return FeatureSpace(self.kernel)(self.data.X if len(rows) == self.n else self.objects(rows))

    @cached_property
    def pca(self) -> KernelPCA:
        """Principal components: all of them, or the leading ones."""
        most = None if self.exact else MOST_COMPONENTS
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the objects may span fewer directions than are asked for
            return KernelPCA(most, self.kernel, rank=self.rank).fit(self.data.X)

    @cached_property
    def left_out(self) -> float:
        """The share of the variance that landmarks do not see, at most; 0 without landmarks, or where they see all."""
        return self.of_variance(float(getattr(self.pca, "trace_error_", 0.0)))

    def of_variance(self, trace_error: float) -> float:
        """Return a share of all squared lengths as one of the variance, which is what they exceed the centre's by."""
        variance = self.images.total_variance()
        if trace_error < ROUNDING or variance <= 0:
            return 0.0
        return min(trace_error * float(np.square(self.images.norms()).mean()) / variance, 1.0)

    @property
    def error(self) -> str | None:
        """The badge of figures that landmarks have made, or of shares of a rough total; None for exact ones."""
        if self.walks:
            return "estimate: shares of a total variance that is known to about 2 %"
        if not self.left_out:
            return None
        return f"estimate: {RANK} landmarks leave out at most {bounded(self.left_out, above=True)} of the variance"

    @property
    def sample_note(self) -> str | None:
        """The badge of figures that show a sample."""
        return None if len(self.shown) == self.n else f"{len(self.shown):,} of {self.n:,} objects, drawn at random"

    def drawn(self, m: int, error: float | None = None) -> str | None:
        """Return the badge of a figure of m objects, with its standard error; None where they are all."""
        return drawn(m, self.n, None if error is None else number(error, 2))

    @cached_property
    def map(self) -> Array:
        """Two coordinates of the rows that are shown."""
        T = self.pca.transform(self.objects(self.shown))[:, :2]
        return T if T.shape[1] == 2 else np.column_stack([T, np.zeros((len(T), 2 - T.shape[1]))])

    @cached_property
    def from_center(self) -> Array:
        """How far the images lie from their centre of mass."""
        distances: Array = self.images.distances(self.images.mean())
        return distances

    @cached_property
    def held(self) -> Array | None:
        """The share of its squared distance from the centre that the map shows of each row: cos² of the angle to it.

        Objects that a kernel cannot tell apart fall on the middle of every map, however far they are; of them it holds
        next to nothing. None where the centre is known by a small sample only.
        """
        if self.walks:
            return None
        if len(self.images) == self.n:
            far = self.from_center[self.shown]
        else:
            far = FeatureSpace(self.kernel)(self.objects(self.shown)).distances(self.images.mean())
        squares = np.square(self.map).sum(axis=1)
        held: Array = np.divide(squares, far**2, out=np.ones(len(far)), where=far**2 > squares)
        return held

    def in_short(self, row: int, *fields: int) -> str:
        """Return an object's name, and the object itself by its first fields, so many at most."""
        name, what = self.data.names[row], self.data.shown(row, *fields)
        return what if not name or what.startswith(name) else f"{name}: {what}"

    def listed(self, rows: Array) -> list[str]:
        """Return what stands in a table that says more of each object: its name, and a few of its fields."""
        return [self.in_short(row, LISTED) for row in rows.tolist()]

    def hover(self, rows: Array) -> list[str]:
        """Return what stands beside a point: the object's name, the object itself, and its target."""
        found, known = [], set(np.intersect1d(rows, self.labelled).tolist())
        for row in rows.tolist():
            line = self.in_short(row)
            if self.data.y is not None and row in known:
                value = self.data.y[row]
                line += f" · {self.data.target} = {number(value, 6) if self.data.task == 'numbers' else value}"
            found.append(line)
        return found


def _with_and_without(data: Dataset, apart: tuple[str, ...]) -> tuple[tuple[Kernel, ...], tuple[Kernel, ...]]:
    """Return the candidates for the data, and those for what is left without some columns."""
    every = tuple(candidates(data))
    if not apart:
        return every, every
    kept = [name for name in data.recipe.columns if name not in apart]
    columns = tuple(replace(one, used=one.used and one.name not in apart) for one in data.columns)
    if data.kind != "vectors":
        return every, tuple(candidates(replace(data, columns=columns)))
    places = [data.recipe.columns.index(name) for name in kept]
    others = candidates(replace(data, X=data.X[:, places]))
    return tuple(one.on(*data.recipe.columns) for one in every), tuple(one.on(*kept) for one in others)


def _of_all_columns(data: Dataset, choice: Choice) -> Kernel:
    """Return the best of the candidates that compare all columns."""
    used = set(data.recipe.columns)

    def whole(kernel: Kernel) -> bool:
        return not (named := columns_of(kernel)) or named >= used

    if whole(choice.kernel) or data.kind != "records":
        return choice.kernel
    fit = [one for one in choice.judged if whole(one.kernel)]
    return min(fit, key=lambda one: (one.error, one.squares)).kernel if fit else choice.kernel


def labelled(data: Dataset) -> Array:
    """Return the rows whose target is known; all of them where there is no target."""
    if data.y is None:
        return np.arange(len(data))
    return np.flatnonzero(np.isfinite(data.y) if data.y.dtype.kind == "f" else [one is not None for one in data.y])


def _distinct(data: Dataset, splits: Splits) -> Array:
    rows = labelled(data)
    return splits.distinct(rows, None if data.y is None else target_of(data, rows))


def target_of(data: Dataset, rows: Array) -> Array:
    """Return the target of rows that have one: strings for classes, else floats."""
    assert data.y is not None
    return np.asarray(data.y[rows].tolist())
