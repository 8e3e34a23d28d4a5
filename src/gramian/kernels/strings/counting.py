"""Kernels that count pieces: κ(x, z) = Σ_u φ_u(x) φ_u(z), φ_u(x) how often the piece u occurs in x.

A counting kernel is one method, `count`: sequences to bags, or to several of them, side by side, where pieces of
different lengths count. The explicit map is the table of counts itself, so Grams, products and learners can go through
it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse

from gramian.checks import Array, is_sparse
from gramian.formula.encoded import Encoded
from gramian.gram.traits import Traits
from gramian.kernels.algebra import Kernel
from gramian.kernels.strings.bags import DENSE_BYTES, EXACT, Bags, Vocabulary, compact, row_numbers
from gramian.kernels.strings.sequences import Sequences, as_sequences

BITS = 62  # of the number of a piece
NUMBERED = 2**16  # pieces that an alphabet allows, of which a table is made to rank those that occur
SPACIOUS = 16  # places for each piece, up to which rows are written out to be counted
AT_ONCE = 2**20  # places of rows that are written out at a time


class Counting(Kernel):
    """κ(x, z) = Σ_u φ_u(x) φ_u(z) over the pieces u that occur."""

    traits = Traits(non_negative=True)

    @abstractmethod
    def count(self, sequences: Sequences) -> Bags | tuple[Bags, ...]:
        """Count the pieces of each sequence; those of different lengths in bags of their own."""

    def encode(self, X: Any) -> Encoded:
        counts = self.count(as_sequences(X))
        return Encoded(counts if isinstance(counts, tuple) else (counts,))

    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        (A, *more), (B, *others) = a, b
        A.inner(B, out)
        product = np.empty_like(out) if more else out
        for C, D in zip(more, others, strict=True):
            C.inner(D, product)
            out += product

    def squared_norms(self, a: Encoded) -> Array:
        return np.asarray(np.sum([bags.squares() for bags in a], axis=0))

    def feature_dim(self, a: Encoded) -> int | None:
        return sum(len(bags.vocabulary) for bags in a)

    def phi(self, a: Encoded) -> Any:
        """Return the counts, one column for each piece that occurs in the collection; `feature_names` tells which."""
        tables = [bags.counts.astype(np.float64) for bags in a]
        if len(tables) == 1:
            return tables[0]
        sparse = any(map(is_sparse, tables))
        return scipy.sparse.hstack(tables, format="csr") if sparse else np.hstack(tables)

    def feature_names(self, inputs: Sequence[Any]) -> list[str]:
        """Return the pieces that occur in these objects, in the order of the columns of ``features(inputs)``."""
        return self.named(self.encode(inputs))

    def named(self, a: Encoded, columns: Sequence[str] = ()) -> list[str]:
        return [name for bags in a for name in bags.vocabulary.names()]


def grams(sequences: Sequences, length: int) -> Bags:
    """Count the contiguous pieces of a given length in each sequence, in time linear in their total length."""
    counts = np.maximum(sequences.lengths - length + 1, 0)
    total = int(counts.sum())
    before = np.concatenate([[0], np.cumsum(counts)])
    places = np.arange(total) + np.repeat(sequences.starts[:-1] - before[:-1], counts)
    base = max(len(sequences.alphabet), 1)
    few = min(max(256, 4 * total // max(len(sequences), 1)), DENSE_BYTES // (8 * max(len(sequences), 1)))
    if length < 64 and base**length <= few:
        return _counted_in_a_table(sequences, length, places, counts, base)
    if total and length * np.log2(base) <= BITS and base**length <= max(NUMBERED, total):
        numbers = _numbered(sequences.codes, length, base)[places]
        found, columns = _ranked(numbers, base**length)
        pieces = _digits(found, length, base)
    else:
        windows = np.lib.stride_tricks.sliding_window_view(sequences.codes, length) if total else None
        numbers = row_numbers(windows[places], base) if windows is not None else np.empty(0, np.int64)
        _, first, columns = np.unique(numbers, return_index=True, return_inverse=True)
        pieces = windows[places[first]] if windows is not None else np.empty((0, length), np.int32)
    table = _counted(columns, before, len(pieces))
    return Bags(compact(table), Vocabulary(np.ascontiguousarray(pieces), sequences.alphabet, sequences.kind))


def _numbered(codes: Array, length: int, base: int) -> Array:
    """Return the number of the piece that begins at each place, in the order of pieces."""
    count = len(codes) - length + 1
    numbers = np.zeros(count, np.int64)
    for k in range(length):
        numbers *= base
        numbers += codes[k : k + count]
    return numbers


def _ranked(numbers: Array, most: int) -> tuple[Array, Array]:
    """Return the numbers below `most` that occur, in ascending order, and the rank among them of each."""
    present = np.zeros(most, bool)
    present[numbers] = True
    ranks = np.cumsum(present)
    ranks -= 1
    return np.flatnonzero(present), ranks[numbers]


def _digits(numbers: Array, length: int, base: int) -> Array:
    """Return the pieces that have these numbers."""
    digits = [(numbers // base**k) % base for k in range(length - 1, -1, -1)]
    return np.stack(digits, axis=1).astype(np.int32)


def _counted(columns: Array, before: Array, width: int) -> scipy.sparse.csr_array:
    """Return how often each column occurs in each row, rows one after the other, row i from before[i] on."""
    n, total = len(before) - 1, len(columns)
    if not total or width * n > SPACIOUS * total:
        table = scipy.sparse.csr_array((np.ones(total), columns, before), shape=(n, width))
        table.sum_duplicates()
        return table
    step = max(1, AT_ONCE // max(width, 1))  # rows whose counts are written out, where most places hold one anyway
    kept, data, ends = [], [], [np.zeros(1, np.int64)]
    for start in range(0, n, step):
        rows = before[start : start + step + 1]
        shifted = columns[rows[0] : rows[-1]] + np.repeat(np.arange(len(rows) - 1) * width, np.diff(rows))
        counts = np.bincount(shifted, minlength=(len(rows) - 1) * width)
        places = np.flatnonzero(counts)
        kept.append(places % width)
        data.append(counts[places].astype(np.float64))
        ends.append(np.searchsorted(places, np.arange(1, len(rows)) * width) + ends[-1][-1])
    return scipy.sparse.csr_array((np.concatenate(data), np.concatenate(kept), np.concatenate(ends)), shape=(n, width))


def _counted_in_a_table(sequences: Sequences, length: int, places: Array, counts: Array, base: int) -> Bags:
    """Count in a dense table of all pieces that the alphabet allows, where these are few."""
    numbers = np.zeros(len(places), dtype=np.int64)
    for k in range(length):
        numbers *= base
        numbers += sequences.codes[places + k]
    width = base**length
    numbers += np.repeat(np.arange(len(sequences)) * width, counts)
    table = np.bincount(numbers, minlength=len(sequences) * width).reshape(len(sequences), width)
    present = np.flatnonzero(table.any(axis=0))
    pieces = _digits(present, length, base)
    table = table if len(present) == width else table[:, present]
    exact = float(np.einsum("ij,ij->i", table, table).max(initial=0)) < EXACT
    return Bags(
        table.astype(np.float32 if exact else np.float64), Vocabulary(pieces, sequences.alphabet, sequences.kind)
    )
