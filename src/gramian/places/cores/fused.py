"""Expressions compiled: a tile is compared, evaluated and multiplied in one pass, without being written to memory.

Points are compared by the differences of their coordinates, in the registers of the processor, so that squared
distances keep their digits wherever the points lie. Coordinates are taken in units of a power of two near the
bandwidth, which rounds nothing and keeps squares in range.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from gramian.checks import Array
from gramian.formula import expression as ex
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula, Path
from gramian.places.cores.interpret import at, numbers_of
from gramian.places.cores.source import ABREAST, Points, Source
from gramian.places.writing import NoSourceError

MOST_COORDINATES = 64  # beyond which those of a run of columns leave the caches next to a core
FAR = {np.dtype(np.float32): 1e15, np.dtype(np.float64): 1e150}  # bandwidths whose squares have a place


@dataclass(frozen=True)
class Fused:
    """An expression between two runs of encodings, ready to be multiplied and to be written."""

    source: Source
    rows: Encoded
    cols: Encoded
    dtype: np.dtype[Any]

    def product(self, i: slice, j: slice, V: Array, W: Array, sums: Array, mirrored: Array | None) -> None:
        """Add the tile times V[j] to `sums`, and W[i] times the tile to `mirrored`, both in double precision."""
        arguments = self._arguments(i, j)
        rows = arguments[0][0].shape[0]
        w, added = np.zeros(rows, self.dtype), np.zeros(rows)
        back = np.zeros(j.stop - j.start) if mirrored is None else mirrored
        if mirrored is not None:
            w[: len(sums)] = W[i, 0]
        self._call("product", *arguments, V[j, 0], w, added, back)
        sums += added[: len(sums)]

    def fill(self, i: slice, j: slice, out: Array, mirrored: Array | None = None) -> None:
        """Write the tile, and its transpose."""
        back = (np.empty(0, self.dtype), 0) if mirrored is None else _flat(mirrored)
        self._call("fill", *self._arguments(i, j), *out.shape, *_flat(out), *back)

    def _call(self, name: str, *arguments: Any) -> None:
        from gramian.places.cores.compiled import call  # loads Numba, which small work is to do without

        call(self.source.text, name, *arguments)

    def _arguments(self, i: slice, j: slice) -> tuple[Any, ...]:
        a, b, source = self.rows[i], self.cols[j], self.source
        left = tuple(self._in_units(a, points, ABREAST) for points in source.points)
        right = tuple(np.ascontiguousarray(self._in_units(b, points, 1).T) for points in source.points)
        of_rows, of_columns = self._numbers(source.of_rows, a, ABREAST), self._numbers(source.of_columns, b, 1)
        return left, right, self._parameters, of_rows, of_columns

    def _in_units(self, a: Encoded, points: Points, abreast: int) -> Array:
        """Return points in units of a power of two, filled up with copies of the last one.

        Copies, for a value between other points may be infinite, and infinity times 0 is no number.
        """
        given = at(a, points.part)
        rows = np.empty((_up(len(given), abreast), given.shape[1]), self.dtype)
        np.multiply(given, 1 / points.unit, out=rows[: len(given)], dtype=self.dtype)
        rows[len(given) :] = rows[len(given) - 1]
        return rows

    def _numbers(self, wanted: list[Formula], a: Encoded, abreast: int) -> Array:
        numbers = np.zeros((len(wanted), _up(len(a), abreast)), self.dtype)
        for k, f in enumerate(wanted):
            numbers[k, : len(a)] = numbers_of(f, lambda leaf: np.reshape(at(a, leaf.part), -1))
        numbers[:, len(a) :] = numbers[:, len(a) - 1 : len(a)]
        return numbers

    @cached_property
    def _parameters(self) -> Array:
        return np.array(self.source.numbers, self.dtype)


def fused(formula: Formula, rows: Encoded, cols: Encoded, dtype: np.dtype[Any]) -> Fused | None:
    """Return the expression between such objects as compiled passes, None where it has none that are as good."""
    if dtype not in FAR:
        return None
    formula = _merged(formula, rows, cols)
    try:
        source = Source(formula, dtype.itemsize == 4)
    except NoSourceError:
        return None
    fits = bool(source.points) and all(_fits(at(a, p.part), p, dtype) for p in source.points for a in (rows, cols))
    return Fused(source, rows, cols, dtype) if fits else None


def _flat(out: Array) -> tuple[Array, int]:
    """Return the numbers of a tile with those between its rows, and how far the rows are apart."""
    (rows, cols), apart = out.shape, out.strides[0] // out.itemsize
    return as_strided(out, ((rows - 1) * apart + cols,), (out.itemsize,)), apart


def _up(n: int, multiple: int) -> int:
    return -(-n // multiple) * multiple


def _merged(formula: Formula, rows: Encoded, cols: Encoded) -> Formula:
    """Return the expression with one path for parts that are the same array: kernels of a sum see the same points."""
    first: dict[tuple[int, int], Path] = {}
    moved = {}
    for leaf in formula.walk():
        if isinstance(leaf, ex.Dot | ex.SquaredDistance | ex.CityBlock):
            part = first.setdefault((id(at(rows, leaf.part)), id(at(cols, leaf.part))), leaf.part)
            moved[leaf] = replace(leaf, part=part)
    return formula.replaced(moved)


def _fits(points: Any, compared: Points, dtype: np.dtype[Any]) -> bool:
    """Tell whether points are dense, not too wide, and near enough for their squares to have a place."""
    if not isinstance(points, np.ndarray) or points.ndim != 2 or not 0 < points.shape[1] <= MOST_COORDINATES:
        return False
    if compared.how == "products_of":
        return True
    largest = max(float(points.max()), -float(points.min()))
    return largest / compared.unit <= FAR[dtype]
