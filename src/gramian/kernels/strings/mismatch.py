"""The mismatch kernel: substrings of one length, counted with a few wrong symbols.

    φ_u(x) = number of places of x whose substring of length p differs from u in at most m symbols,

for every string u of length p over an alphabet. It forgives point mutations, which the p-spectrum does not. Each
substring that occurs is spread over its neighbours once, and the rest is counting.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import comb, log
from typing import Any, Self

import numpy as np
import scipy.sparse

from gramian.checks import Array, whole
from gramian.kernels.declared import INTEGER, SYMBOLS, Kept, Word
from gramian.kernels.strings.bags import LARGEST, Bags, Vocabulary, compact
from gramian.kernels.strings.counting import Counting, grams
from gramian.kernels.strings.sequences import LONGEST, Sequences, as_alphabet, as_sequences, comparable, kind_of

MOST_NEIGHBOURS = 2**27


class Mismatch(Counting):
    """The mismatch kernel: pairs of substrings of length p, counted by the strings within m symbols of both.

    Parameters
    ----------
    length : int
        p.
    mismatches : int
        m, below p. With 0 it is the p-spectrum kernel.
    alphabet : str, bytes or sequence of tokens, optional
        The symbols that may replace a wrong one, such as "ACGT". By default those of the sample the
        kernel is fitted on. A symbol outside of it matches nothing, as an unknown base N should.

    Raises
    ------
    ValueError
        If `mismatches` is not below `length`, or the alphabet is empty.

    See Also
    --------
    Spectrum : substrings of one length
    FullSpectrum : substrings of all lengths

    Notes
    -----
    Cost: O(p n) to cut a sequence of length n into pieces, and for each piece about C(p, m) (s − 1)^m words that are
    near it, s the number of symbols.

    Examples
    --------
    >>> import gramian as gm
    >>> k = gm.Mismatch(length=2, mismatches=1, alphabet="ACGT")
    >>> k(["AA", "AC", "CC"])                      # AA and AC have AA, AC, AG and AT within one symbol of both
    array([[7., 4., 2.],
           [4., 7., 4.],
           [2., 4., 7.]])
    """

    length: int = 3
    mismatches: int = 1
    alphabet: Any = None
    word = Word(
        "strings",
        "κ(x, z) = Σ_{|u| = p} (number of pieces of x within m symbols of u) (the same of z)",
        "Shared substrings of p symbols, up to m wrong ones.",
        "mismatch(length=5, mismatches=1, alphabet=ACGT)",
    )
    kept = Kept({"length": INTEGER, "mismatches": INTEGER, "alphabet": SYMBOLS})

    def __post_init__(self) -> None:
        if whole(self.mismatches, "mismatches", least=0) >= whole(self.length, "length", most=LONGEST):
            raise ValueError(f"mismatches is {self.mismatches}; fewer than length = {self.length} expected")
        if self.alphabet is None:
            return
        given = as_alphabet(self.alphabet)
        self._settle(alphabet=given)
        if int(self.length) * log(max(len(given), 1)) >= log(LARGEST) * (1 - 1e-12):
            raise ValueError(
                f"there are {len(given)}^{self.length} strings of length {self.length}, too many to tell apart: take a "
                "smaller length"
            )

    def fit(self, X: Any) -> Self:
        if self.alphabet is not None:
            return self
        sequences = as_sequences(X)
        symbols: Any = sequences.alphabet
        if not symbols:
            raise ValueError("all sequences are empty, and so is the alphabet; pass alphabet=")
        if sequences.kind == "strings":
            symbols = "".join(symbols)
        return self.with_params(alphabet=bytes(symbols) if sequences.kind == "bytes" else symbols)

    def count(self, sequences: Sequences) -> Bags:
        if self.alphabet is None:
            raise ValueError("Mismatch() has no alphabet yet: pass alphabet='ACGT', say, or k = k.fit(X)")
        comparable(kind_of(self.alphabet), sequences.kind)
        alphabet = tuple(self.alphabet)
        known = {symbol: code for code, symbol in enumerate(alphabet)}
        table = np.array([known.get(symbol, len(known)) for symbol in sequences.alphabet], dtype=np.int32)
        codes = table[sequences.codes] if len(table) else sequences.codes
        exact = grams(Sequences(codes, sequences.starts, (*alphabet, None), sequences.kind), int(self.length))
        spread, numbers = self._neighbours(exact.vocabulary.pieces, len(alphabet))
        counts = compact(scipy.sparse.csr_array(scipy.sparse.csr_array(exact.counts) @ spread))
        weights = len(alphabet) ** np.arange(int(self.length) - 1, -1, -1)
        pieces = (numbers[:, None] // weights % len(alphabet)).astype(np.int32)
        return Bags(counts, Vocabulary(pieces, alphabet, sequences.kind))

    def _neighbours(self, pieces: Array, symbols: int) -> tuple[Any, Array]:
        """Return which strings are within m symbols of which piece, and the numbers of those strings, ascending."""
        length, m = int(self.length), int(self.mismatches)
        each = sum(comb(length, wrong) * (symbols - 1) ** wrong for wrong in range(m + 1))
        if each * len(pieces) > MOST_NEIGHBOURS:
            raise ValueError(
                f"{len(pieces)} substrings with {each} neighbours each are too many: take fewer mismatches or a "
                "smaller length"
            )
        neighbours = list(_within(pieces, symbols, m))
        rows, numbers = (np.concatenate(side) for side in zip(*neighbours, strict=True))
        strings, columns = np.unique(numbers, return_inverse=True)
        ones = np.ones(len(rows))
        return scipy.sparse.csr_array((ones, (rows, columns)), shape=(len(pieces), len(strings))), strings


def _within(pieces: Array, symbols: int, mismatches: int) -> Iterator[tuple[Array, Array]]:
    """Yield pieces, and the numbers of strings that differ from them in exactly some places by some symbols."""
    length = pieces.shape[1]
    weights = symbols ** np.arange(length - 1, -1, -1)
    unknown = pieces == symbols
    values = np.where(unknown, 0, pieces) * weights
    for wrong in range(mismatches + 1):
        for places in combinations(range(length), wrong):
            at = list(places)
            kept = np.delete(np.arange(length), at)
            possible = ~unknown[:, kept].any(axis=1)
            rest = values[:, kept].sum(axis=1)
            for others in product(range(symbols), repeat=wrong):
                rows = np.flatnonzero(possible & (pieces[:, at] != others).all(axis=1))
                yield rows, rest[rows] + int(np.dot(others, weights[at]))
