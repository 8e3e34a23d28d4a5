"""What all sections share: the data, the kernel settled on them, and how much can be afforded.

Up to `DENSE` objects everything is exact. Beyond, principal components, novelty and predictions are computed through
landmarks (`Nystrom`), whose error every figure names, in one pass over all the data; pictures show a sample, drawn
evenly at random.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from gramian.checks import Array
from gramian.expressions import format_kernel
from gramian.intake.dataset import Dataset
from gramian.kernels.algebra import Kernel
from gramian.learn.pca import KernelPCA
from gramian.reporting.blocks import drawn, number, share
from gramian.reporting.candidates import SAMPLE, Choice, choose
from gramian.space.vectors import FeatureSpace, Vectors

DENSE = 2000  # objects up to which K is decomposed
RANK = 500  # landmarks beyond
DRAWN = 2000  # points of a picture
DIRECT = 60_000  # objects up to which all n² likenesses are computed, once
DIRECT_DEAR = 3000  # where each of them takes long
MOST_COMPONENTS = 100  # of a kernel whose products need no matrix, and which has no landmarks


@dataclass(frozen=True, eq=False)
class Study:
    """A data set under a kernel."""

    data: Dataset
    choice: Choice
    kernel: Kernel
    given: Kernel | None = None
    seed: int = 0

    @classmethod
    def of(cls, data: Dataset, given: Kernel | None, seed: int = 0) -> Study:
        """Choose a kernel for the data, or take the one given, and settle it on them."""
        if given is not None:
            data = _fitting(given, data)
        known = labelled(data)
        rng = np.random.default_rng(seed)
        few = np.sort(rng.permutation(known)[:SAMPLE])
        y = None if data.y is None else target_of(data, few)
        choice = choose(data, given, few, y)
        return cls(data, choice, choice.kernel.fit(data.X), given, seed)

    @property
    def n(self) -> int:
        return len(self.data)

    @property
    def exact(self) -> bool:
        return self.n <= DENSE

    @property
    def rank(self) -> Any:
        """What learners are told: landmarks for many objects, unless products are cheap without them."""
        return "exact" if self.exact or self.kernel.matrix_free else RANK

    @property
    def direct(self) -> bool:
        """Whether κ of all pairs can be computed once in a few seconds."""
        return self.kernel.matrix_free or self.n <= (DIRECT_DEAR if self.kernel.dear else DIRECT)

    def some(self, most: int, of: Array | None = None) -> Array:
        """Return at most so many rows, of these or of all: every one if there are no more, else drawn at random."""
        rows = np.arange(self.n) if of is None else of
        if len(rows) <= most:
            return rows
        return np.sort(np.random.default_rng(self.seed).choice(rows, most, replace=False))

    def compared(self, of: Array | None = None) -> Array:
        """Return the rows, of these or of all, that are compared pair by pair with K in memory."""
        return self.some(DENSE, of)

    def objects(self, rows: Array) -> Any:
        """Return the objects of some rows, as the kernel takes them."""
        return _safe_indexing(self.data.X, rows)

    def target(self, rows: Array) -> Array:
        """Return the target of rows that have one."""
        return target_of(self.data, rows)

    @cached_property
    def labelled(self) -> Array:
        """The rows whose target is known."""
        return labelled(self.data)

    @cached_property
    def shown(self) -> Array:
        """The rows that pictures show."""
        return self.some(DRAWN)

    @cached_property
    def images(self) -> Vectors:
        """φ(x) of the objects whose geometry is looked at: all of them, or a sample."""
        rows = np.arange(self.n) if self.direct else self.some(DIRECT_DEAR if self.kernel.dear else DIRECT)
        return FeatureSpace(self.kernel)(self.data.X if len(rows) == self.n else self.objects(rows))

    @cached_property
    def pca(self) -> KernelPCA:
        """Principal components: all of them, or the leading ones."""
        most = None if self.exact else MOST_COMPONENTS
        return KernelPCA(most, self.kernel, rank=self.rank).fit(self.data.X)

    @property
    def error(self) -> str | None:
        """The badge of figures that landmarks have made; None for exact ones."""
        left = float(getattr(self.pca, "trace_error_", 0.0))
        return f"estimate: {RANK} landmarks leave out {share(left)}" if left > 0 else None

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

    def hover(self, rows: Array) -> list[str]:
        """Return what stands beside a point: the object's name, the object itself, and its target."""
        found, known = [], set(np.intersect1d(rows, self.labelled).tolist())
        for row in rows.tolist():
            name, what = self.data.names[row], self.data.shown(row)
            line = what if not name or what.startswith(name) else f"{name}: {what}"
            if self.data.y is not None and row in known:
                line += f" · {self.data.target} = {self.data.y[row]}"
            found.append(line)
        return found


def _fitting(kernel: Kernel, data: Dataset) -> Dataset:
    """Return the data as the kernel takes them; refuse a kernel that does not, in words that name both.

    A kernel that names columns needs records, also where all columns are of one kind.
    """
    try:
        _encode_a_few(kernel, data)
    except (TypeError, ValueError) as error:
        records = as_records(data)
        if records is not None:
            with suppress(TypeError, ValueError):
                _encode_a_few(kernel, records)
                return records
        shown = written(kernel)
        raise ValueError(f"the kernel {shown} does not take these data, which are {data.kind}: {error}") from None
    return data


def _encode_a_few(kernel: Kernel, data: Dataset) -> None:
    kernel.fit(data.X).encode(_safe_indexing(data.X, np.arange(min(len(data), 2))))


def as_records(data: Dataset) -> Dataset | None:
    """Return vectors, strings or documents as records that kernels can name columns of; None for other data."""
    names = data.recipe.columns
    if data.kind not in ("vectors", "strings", "documents") or not names:
        return None
    X = np.empty(len(data), dtype=[(name, data.X.dtype if data.kind == "vectors" else object) for name in names])
    for k, name in enumerate(names):
        X[name] = data.X[:, k] if data.kind == "vectors" else data.X
    return replace(data, kind="records", X=X, recipe=replace(data.recipe, kind="records"))


def written(kernel: Kernel) -> str:
    """Return a kernel as its expression, or as it prints itself where the language cannot say it."""
    try:
        return format_kernel(kernel)
    except TypeError:
        return repr(kernel)


def labelled(data: Dataset) -> Array:
    """Return the rows whose target is known; all of them where there is no target."""
    if data.y is None:
        return np.arange(len(data))
    return np.flatnonzero(np.isfinite(data.y) if data.y.dtype.kind == "f" else [one is not None for one in data.y])


def target_of(data: Dataset, rows: Array) -> Array:
    """Return the target of rows that have one: strings for classes, else floats."""
    assert data.y is not None
    return np.asarray(data.y[rows].tolist())
