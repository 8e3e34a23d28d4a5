"""The two ways of learning from a sample: `Exact`, all objects being at hand, and `Summed`, by moments of features.

A learner holds one of them, what its last `fit` or `partial_fit` has learnt from, and asks it what is left out, through
which landmarks objects were seen, and whether more objects can be added under the settings of now.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from gramian.checks import Array
from gramian.gram.gram import Gram, features_on_host
from gramian.kernels.algebra import Kernel
from gramian.kernels.nystrom import Nystrom
from gramian.runtime.sizes import Sized
from gramian.space.moments import Chunk, Moments, Summary

LARGEST_SCATTER = 1e290  # of features that are learnt from
LEAST_FOR_MEAN = 1000  # objects from which the part of the mean that landmarks leave out is estimated


@dataclass(eq=False)
class Way(ABC):
    """What was learnt from.

    Attributes
    ----------
    kernel, rank
        The settings of the learner when it began.
    labels : dict
        The number of each label of a class, in the order in which they came.
    """

    kernel: Kernel
    rank: Any
    labels: dict[Any, int] = field(default_factory=dict)

    @property
    @abstractmethod
    def landmarks(self) -> Nystrom | None:
        """The landmarks through which the objects were seen, where they were."""

    def __copy__(self) -> Self:
        """Return the same, to which more can be added without this one taking note."""
        return replace(self, labels=dict(self.labels))

    @property
    def in_low_rank(self) -> bool:
        """Whether the objects were seen through landmarks."""
        return self.landmarks is not None

    def is_under(self, kernel: Kernel, rank: Any) -> bool:
        """Tell whether it began with these settings."""
        return bool((self.kernel, self.rank) == (kernel, rank))

    def require_same(self, kernel: Kernel, rank: Any, in_low_rank: bool) -> None:
        """Refuse to go on in another way."""
        if not self.is_under(kernel, rank) or self.in_low_rank != in_low_rank:
            what = "in low rank" if self.in_low_rank else "exactly"
            raise ValueError(
                f"this model has learnt {what}, with {self.kernel!r} and rank={self.rank!r}, and partial_fit cannot go "
                "on with other settings: call fit, or partial_fit on a clone"
            )


@dataclass(eq=False)
class Exact(Way):
    """All objects are at hand, and so is their Gram."""

    trace_error: ClassVar[float] = 0.0

    @property
    def landmarks(self) -> None:
        """None."""
        return


@dataclass(eq=False, kw_only=True)
class Summed(Way):
    """Objects were added up, and some of them kept: what is learnt comes from the moments of their explicit features.

    Attributes
    ----------
    summary : Summary
        The moments.
    probe : Chunk or None
        Some objects drawn at random, at which leave-one-out errors are looked at; None before the first.
    draws : array
        The number that each of them has drawn; the smallest are kept.
    trace_error : float
        The share of the trace of K that the features leave out, when `moments` was last asked for.
    """

    summary: Summary
    probe: Chunk | None = None
    draws: Array = field(default_factory=lambda: np.empty(0))
    trace_error: float = 0.0

    @property
    def landmarks(self) -> Nystrom | None:
        """The landmarks; None where the kernel has few explicit features of its own."""
        return self.summary.landmarks

    def __copy__(self) -> Self:
        """Return the same, to which more can be added without this one taking note."""
        return replace(self, labels=dict(self.labels), summary=copy(self.summary))

    @property
    def probed(self) -> Chunk:
        """The objects that were kept."""
        if self.probe is None:
            raise ValueError("no objects were learnt from yet")
        return self.probe

    def begun_anew(self) -> Summed:
        """Return the same way with no objects."""
        summary = Summary(self.summary.kernel, self.summary.scatter)
        return Summed(self.kernel, self.rank, summary=summary)

    def joined(self, other: Summed, most: int) -> Summed:
        """Return what both have summed up, `other` what came after, and leave them as they are.

        The probe is that of the smallest draws of both, `most` in all.
        """
        labels = dict(self.labels)
        places = [labels.setdefault(label, len(labels)) for label in other.labels]
        require_one_kind(labels)
        found = replace(self, labels=labels, summary=self.summary.joined(other.summary, places or None))
        if other.probe is not None:
            some = other.probe
            if places:
                some = replace(some, groups=np.array(places)[some.groups])
            found._keep_probe(some, other.draws, most)
        return found

    def add(self, chunk: Chunk, most: int, start: int | None = None) -> None:
        """Add objects to the moments, and to the probe those of the smallest draws, `most` in all.

        `start` is the place of the first of them among all objects; by default they come after those that are here.
        """
        start = self.summary.count if start is None else start
        numbers = np.random.PCG64(0).advance(start)  # a draw belongs to the place of an object
        draws = np.random.Generator(numbers).random(len(chunk.points))
        self.summary.add(chunk)
        chosen = np.flatnonzero(draws < (self.draws.max() if len(self.draws) == most else 1.0))
        if len(chosen) > most:
            chosen = np.sort(chosen[np.argpartition(draws[chosen], most)[:most]])
        if len(chosen):
            self._keep_probe(chunk[chosen].copy(), draws[chosen], most)

    def _keep_probe(self, some: Chunk, drawn: Array, most: int) -> None:
        """Take objects to the probe, and keep those of the smallest draws."""
        draws = np.append(self.draws, drawn)
        joint = some if self.probe is None else self.probe.concat(some)
        kept = np.sort(np.argsort(draws, kind="stable")[:most])
        self.probe, self.draws = joint[kept], draws[kept]

    def scale_numbers(self, factor: float) -> None:
        """Multiply the numbers that belong to the objects."""
        self.summary.scale_numbers(factor)
        self.probe = self.probed.scaled(factor)

    def moments(self) -> list[Moments]:
        """Return the moments of all groups, and keep what the features leave out of the trace.

        Where there is no scatter, that is estimated from some objects.
        """
        groups, low = self.summary.groups, self.landmarks
        if self.summary.scatter or low is None:
            require_scatter(groups, LARGEST_SCATTER)
            self.trace_error = self.summary.left_out(groups)
        else:
            points = self.probed.points
            self.trace_error = max(0.0, 1 - float(low.squared_norms(points).sum() / low.base.rough_norms(points).sum()))
        return groups

    def mean_left_out(self) -> float:
        """Return ‖φ_S − Pφ_S‖², the part of the centre of mass that landmarks leave out, of objects without weights.

        With r = φ(x) − Pφ(x) it is ‖r̄‖² = (1/n) mean ‖rᵢ‖² + (1 − 1/n) mean ⟨rᵢ, rⱼ⟩ over pairs i ≠ j: exact for few
        objects, estimated without bias from some of many, whose pairs cost no more than the landmarks did.
        """
        low, count, points = self.landmarks, self.summary.count, self.probed.points
        if low is None:
            return 0.0
        affordable = min(len(points), max(LEAST_FOR_MEAN, int((2.0 * count * len(low.basis[0])) ** 0.5)))
        if affordable < len(points):
            points = points[np.sort(np.random.default_rng(0).choice(len(points), affordable, replace=False))]
        mean = self.trace_error * self.summary.trace / count
        m, phi = len(points), features_on_host(low, points).astype(np.float64)
        squares = low.base.rough_norms(points).sum(dtype=np.float64) - np.square(phi).sum()
        pairs = m * m * Gram(low.base, points).mean() - np.square(phi.sum(axis=0)).sum() - squares
        apart = pairs / max(m * (m - 1), 1)
        return float(np.clip(mean / count + (1 - 1 / count) * apart, 0.0, mean))

    def described(self) -> str:
        """Say what was done, for `solver_`."""
        count = self.summary.count
        if self.landmarks is None:
            return f"primal, {self.summary.dim} features of {count:,} objects summed up in one pass"
        return (
            f"low rank: {len(self.landmarks.basis[0])} landmarks, {count:,} objects in one pass; "
            f"{self.trace_error:.1e} of the trace left out"
        )


@dataclass(eq=False)
class Part(Sized):
    """What a learner makes of some objects by themselves, and what all of them add up to.

    Attributes
    ----------
    way : Summed
        The objects, summed up.
    unit : float
        A power of two by which their numbers were divided; 0 where all are 0, or there are none.
    shape : tuple
        Of the numbers of one object, as they were given.
    beside : object
        What else a learner adds up.
    """

    way: Summed
    unit: float = 0.0
    shape: tuple[int, ...] | None = None
    beside: Any = None

    def joined(self, other: Part, most: int) -> Part:
        """Return both together, `other` being what came after; they stay as they are."""
        if self.shape is not None and other.shape is not None and self.shape != other.shape:
            raise ValueError(
                f"y has shape {('n', *other.shape)}; {('n', *self.shape)} expected, as the targets before".replace(
                    "'", ""
                )
            )
        unit = max(self.unit, other.unit)
        way = self._in(unit).joined(other._in(unit), most)
        return Part(way, unit, other.shape if self.shape is None else self.shape)

    def _in(self, unit: float) -> Summed:
        """Return what was summed up, with numbers in another unit."""
        if self.unit in (0.0, unit):
            return self.way
        way = copy(self.way)
        way.scale_numbers(self.unit / unit)
        return way


def require_one_kind(labels: dict[Any, int]) -> None:
    """Refuse labels of different types, which nobody could sort."""
    if len(kinds := {type(label).__name__ for label in labels}) > 1:
        raise TypeError(f"y holds labels of different types ({', '.join(sorted(kinds))}) in different batches")


def require_scatter(groups: list[Moments], most: float) -> None:
    """Refuse features whose scatter, or what is made of it, overflows."""
    largest = float(np.max([group.largest for group in groups], initial=0.0))  # NaN, where one is
    if not largest < most:
        raise ValueError(
            f"the scatter of the features reaches {largest:.1g}, and what is made of it overflows: rescale the data, "
            "or normalize the kernel"
        )
