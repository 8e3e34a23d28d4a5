"""Bags: how often each of many pieces occurs in each object, and a way to compare bags that were counted apart.

Two collections know only their own pieces. A piece is a row of symbols, so the pieces of one are found among those of
the other symbol by symbol, exactly, and once for a pair of collections.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse

from gramian.checks import Array, is_sparse
from gramian.kernels.strings.sequences import comparable

LARGEST = 2**62
EXACT = 2**24  # integers below this are exact in single precision
DENSE_SHARE = 0.1  # of counts above 0, from which a dense table is faster than a sparse one
DENSE_BYTES = 2**28


def row_numbers(rows: Array, base: int) -> Array:
    """Return one integer for each row of codes below `base`, equal for equal rows and in the order of the rows."""
    numbers, span = np.zeros(len(rows), dtype=np.int64), 1
    for column in rows.T:
        if span * base >= LARGEST:
            _, numbers = np.unique(numbers, return_inverse=True)
            span = int(numbers.max(initial=0)) + 1
        numbers = numbers * base + column
        span *= base
    return numbers


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The pieces of a collection: rows of codes in ascending order, over an alphabet."""

    pieces: Array
    alphabet: tuple[Hashable, ...]
    kind: str = "strings"
    _found: WeakKeyDictionary[Vocabulary, Array] = field(default_factory=WeakKeyDictionary, repr=False)

    def __len__(self) -> int:
        return len(self.pieces)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return self is other or (self.alphabet == other.alphabet and np.array_equal(self.pieces, other.pieces))

    def __hash__(self) -> int:
        return hash((self.pieces.shape, self.alphabet))

    def __getstate__(self) -> dict[str, Any]:
        return {"pieces": self.pieces, "alphabet": self.alphabet, "kind": self.kind}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _found=WeakKeyDictionary())

    def places(self, other: Vocabulary) -> Array:
        """Return where the pieces of another vocabulary stand in this one, −1 for those it has not."""
        if other not in self._found:
            self._found[other] = self._search(other)
        return self._found[other]

    def _search(self, other: Vocabulary) -> Array:
        comparable(self.kind, other.kind)
        if not len(self) or not len(other) or self.pieces.shape[1] != other.pieces.shape[1]:
            return np.full(len(other), -1)
        codes = {symbol: code for code, symbol in enumerate(self.alphabet)}
        table = np.array([codes.get(symbol, len(codes)) for symbol in other.alphabet], dtype=np.int32)
        numbers = row_numbers(np.vstack([self.pieces, table[other.pieces]]), len(codes) + 1)
        own, foreign = numbers[: len(self)], numbers[len(self) :]
        places = np.minimum(np.searchsorted(own, foreign), len(own) - 1)
        return np.where(own[places] == foreign, places, -1)

    def names(self) -> list[str]:
        """Return the pieces as text: characters side by side, other tokens with spaces between them."""
        between = "" if all(isinstance(symbol, str) and len(symbol) == 1 for symbol in self.alphabet) else " "
        return [between.join(str(self.alphabet[code]) for code in piece) for piece in self.pieces]


@dataclass(frozen=True, eq=False)
class Bags:
    """Counts (or weights) of the pieces of a vocabulary in n objects, one row each, dense or sparse."""

    counts: Any
    vocabulary: Vocabulary

    @property
    def shape(self) -> tuple[int]:
        """Number of objects."""
        return (int(self.counts.shape[0]),)

    def describe(self) -> str:
        """Say how many objects there are, and of what kind."""
        return f"{len(self)} {self.vocabulary.kind}"

    @property
    def width(self) -> int:
        """Number of pieces."""
        return len(self.vocabulary)

    @property
    def sparse(self) -> bool:
        """Whether the counts are."""
        return is_sparse(self.counts)

    @property
    def load(self) -> float:
        """Number of counts that are stored for an object."""
        return float(self.counts.nnz / max(len(self), 1) if self.sparse else self.width)

    def __len__(self) -> int:
        return int(self.counts.shape[0])

    def __getitem__(self, index: Any) -> Bags:
        """Select objects by a slice or an index array."""
        return Bags(self.counts[index], self.vocabulary)

    def copy(self) -> Bags:
        """Return bags that share no counts with these."""
        return Bags(self.counts.copy(), self.vocabulary)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bags) or self.vocabulary != other.vocabulary:
            return NotImplemented if not isinstance(other, Bags) else False
        if is_sparse(self.counts) and is_sparse(other.counts):
            return bool(self.counts.shape == other.counts.shape and (self.counts != other.counts).nnz == 0)
        return is_sparse(self.counts) == is_sparse(other.counts) and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash((self.counts.shape, self.vocabulary))

    def like(self, other: Bags) -> Bags:
        """Return these bags in the vocabulary of others; pieces that it has not are left out."""
        return Bags(self._in(other.vocabulary), other.vocabulary)

    def _in(self, vocabulary: Vocabulary) -> Any:
        if vocabulary is self.vocabulary:
            return self.counts
        places = vocabulary.places(self.vocabulary)
        kept = np.flatnonzero(places >= 0)
        if not is_sparse(self.counts):
            table = np.zeros((len(self), len(vocabulary)), self.counts.dtype)
            table[:, places[kept]] = self.counts[:, kept]
            return table
        chooser = scipy.sparse.csr_array(
            (np.ones(len(kept), self.counts.dtype), (kept, places[kept])), shape=(len(places), len(vocabulary))
        )
        return self.counts @ chooser

    def concat(self, other: Bags) -> Bags:
        """Put the objects of `other` after these, in one vocabulary."""
        alphabet = self.vocabulary.alphabet
        codes = {symbol: code for code, symbol in enumerate(alphabet)}
        alphabet += tuple(symbol for symbol in other.vocabulary.alphabet if symbol not in codes)
        codes = {symbol: code for code, symbol in enumerate(alphabet)}
        table = np.array([codes[symbol] for symbol in other.vocabulary.alphabet], dtype=np.int32)
        pieces = np.vstack([self.vocabulary.pieces, table[other.vocabulary.pieces]])
        _, first = np.unique(row_numbers(pieces, len(alphabet) + 1), return_index=True)
        joint = Vocabulary(pieces[first], alphabet, self.vocabulary.kind)
        parts = [scipy.sparse.csr_array(bags._in(joint)) for bags in (self, other)]
        return Bags(compact(scipy.sparse.vstack(parts, format="csr")), joint)

    def inner(self, other: Bags, out: Array) -> None:
        """Write the inner products of all bags here with all of `other` into out."""
        A, B = self._in(other.vocabulary), other.counts
        if is_sparse(A) or is_sparse(B):
            product = scipy.sparse.csr_array(A) @ scipy.sparse.csr_array(B).T
            out[...] = product.toarray()
        else:
            np.matmul(A, B.T, out=out) if out.dtype == A.dtype == B.dtype else np.copyto(out, A @ B.T)

    def squares(self) -> Array:
        """Return the sum of the squares of each bag's counts."""
        if is_sparse(self.counts):
            return np.asarray(self.counts.multiply(self.counts).sum(axis=1), dtype=np.float64).reshape(-1)
        return np.asarray(np.einsum("ij,ij->i", self.counts, self.counts, dtype=np.float64))


def compact(counts: Any) -> Any:
    """Return counts as a dense table where many are above 0, in single precision where that is exact."""
    n, width = counts.shape
    squares = counts.multiply(counts).sum(axis=1)
    whole = bool((counts.data == np.rint(counts.data)).all())
    exact = whole and float(np.max(squares, initial=0.0)) < EXACT
    counts = counts.astype(np.float32 if exact else np.float64)
    dense = counts.nnz > DENSE_SHARE * n * width and n * width * counts.dtype.itemsize <= DENSE_BYTES
    return counts.toarray() if dense else counts
