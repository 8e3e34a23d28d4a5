"""Kernels of contiguous pieces: symbols, and substrings of one length (seed 003, section 5.4; seed 004).

    composition     φ_u(x) = (number of times the word u occurs in x) / (number of words in x), for |u| = 1, or |u| ≤ k
    p-spectrum      φ_u(x) = number of times the string u of length p occurs in x, as a contiguous piece

Both are tables of counts; a string shorter than the pieces, or empty, has φ = 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.checks import Array, is_sparse, whole
from gramian.gram.traits import Traits
from gramian.kernels.declared import INTEGER, SYMBOLS, Kept, Word
from gramian.kernels.strings.bags import Bags, Vocabulary, row_numbers
from gramian.kernels.strings.counting import Counting, grams
from gramian.kernels.strings.sequences import LONGEST, Sequences, as_alphabet, comparable, kind_of

MOST_LENGTHS = 64  # of the words of a composition


class Composition(Counting):
    """The composition of a sequence: the share of each symbol, or of each word (seed 003, Example 5.1).

    With ``length=k`` it is the distribution of all words of up to k symbols, of which a sequence of m symbols has
    m + (m − 1) + … + (m − k + 1): a word's share is that of a contiguous piece drawn at random among these. An empty
    sequence has none, and φ = 0.

    Parameters
    ----------
    alphabet : str, bytes or sequence of tokens, optional
        The symbols that count, and the order of the columns of the explicit map; words with any other symbol only take
        their share. By default all symbols that occur. Of single symbols each has a column; of longer words those that
        occur.
    length : int
        k, the length of the longest words, at most 64; 1 for symbols alone. Every length is a table of its own: for
        pieces of any length take `FullSpectrum`.

    Raises
    ------
    ValueError
        If `length` is out of range, or the alphabet is empty or has a symbol twice.

    See Also
    --------
    Spectrum : substrings of one length
    FullSpectrum : substrings of all lengths

    Notes
    -----
    Cost: O(total length · length) to count the words, and one product of the tables of shares for K.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.Composition().features(["ACAGCAGTA", "AGCAAGCGAG"]).round(2)
    array([[0.44, 0.22, 0.22, 0.11],
           [0.4 , 0.2 , 0.4 , 0.  ]])
    >>> gm.Composition().feature_names(["ACAGCAGTA", "AGCAAGCGAG"])
    ['A', 'C', 'G', 'T']
    >>> gm.Composition(alphabet="TC").features(["ACAGCAGTA"]).round(2)
    array([[0.11, 0.22]])
    >>> words = gm.Composition(length=2)
    >>> words.feature_names(["AAC"]), words.features(["AAC"])
    (['A', 'C', 'AA', 'AC'], array([[0.4, 0.2, 0.2, 0.2]]))
    """

    alphabet: Any = None
    length: int = 1
    traits = Traits(radius=1.0, non_negative=True)
    word = Word(
        "strings",
        "κ(x, z) = Σ_{|u| ≤ k} (share of u in x) (share of u in z)",
        "How often each word of up to k symbols occurs, for k = 1 each symbol; an alphabet restricts the symbols.",
        "composition(alphabet=ACGT, length=2)",
    )
    kept = Kept({"alphabet": SYMBOLS}, {"length": INTEGER})

    def __post_init__(self) -> None:
        if self.alphabet is not None:
            self._settle(alphabet=as_alphabet(self.alphabet))
        whole(self.length, "length", most=MOST_LENGTHS)

    def count(self, sequences: Sequences) -> tuple[Bags, ...]:
        lengths = range(1, int(self.length) + 1)
        total = sum(np.maximum(sequences.lengths - length + 1, 0) for length in lengths)
        shares = 1 / np.maximum(total, 1).astype(np.float64)[:, None]
        every = [self._known(grams(sequences, length)) for length in lengths]
        return tuple(Bags(_scaled(bags.counts, shares), bags.vocabulary) for bags in every)

    def _known(self, bags: Bags) -> Bags:
        """Return the words that are made of symbols that count, in the order of the alphabet."""
        if self.alphabet is None:
            return bags
        comparable(kind_of(self.alphabet), bags.vocabulary.kind)
        return bags.like(Bags(bags.counts[:0], self._vocabulary(bags.vocabulary)))

    def _vocabulary(self, found: Vocabulary) -> Vocabulary:
        alphabet = tuple(self.alphabet)
        if found.pieces.shape[1] == 1:
            pieces = np.arange(len(alphabet), dtype=np.int32)[:, None]
        else:
            codes = {symbol: code for code, symbol in enumerate(alphabet)}
            known = np.array([codes.get(symbol, -1) for symbol in found.alphabet], dtype=np.int32)[found.pieces]
            known = known[(known >= 0).all(axis=1)]
            pieces = known[np.argsort(row_numbers(known, len(alphabet)), kind="stable")]
        return Vocabulary(pieces, alphabet, found.kind)


def _scaled(counts: Any, by: Array) -> Any:
    if is_sparse(counts):
        return counts.astype(np.float64).multiply(by).tocsr()
    return counts * by


class Spectrum(Counting):
    """The p-spectrum kernel: the number of pairs of equal substrings of length p (seed 004).

    Two strings are alike if they share substrings of that length.

    Parameters
    ----------
    length : int
        p. Strings shorter than that have no such piece, and φ = 0.

    Raises
    ------
    ValueError
        If `length` is below 1.
    TypeError
        If `length` is no whole number.

    See Also
    --------
    FullSpectrum : substrings of all lengths
    Mismatch : substrings with a few wrong symbols
    Subsequences : subsequences of one length, gaps weighted

    Notes
    -----
    Counting is linear in the total length of the strings; a Gram is one product of the tables of counts, sparse or
    dense, in single precision as long as that is exact.

    Cost: O(n + m) for a pair of sequences of lengths n and m.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.Spectrum(length=2)(["bar", "bat", "car", "cat"])
    array([[2., 1., 1., 0.],
           [1., 2., 0., 1.],
           [1., 0., 2., 1.],
           [0., 1., 1., 2.]])
    """

    length: int = 3
    word = Word(
        "strings",
        "κ(x, z) = Σ_{|u| = p} (number of u in x) (number of u in z)",
        "Shared substrings of p symbols; p is the length.",
        "spectrum(3)",
    )
    kept = Kept({"length": INTEGER})

    def __post_init__(self) -> None:
        whole(self.length, "length", most=LONGEST)

    def count(self, sequences: Sequences) -> Bags:
        return grams(sequences, int(self.length))
