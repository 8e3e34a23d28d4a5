"""Kernels of contiguous pieces: symbols, and substrings of one length (seed 003, section 5.4; seed 004).

    composition     φ_s(x) = (number of times the symbol s occurs in x) / |x|
    p-spectrum      φ_u(x) = number of times the string u of length p occurs in x, as a contiguous piece

Both are tables of counts; a string shorter than the pieces, or empty, has φ = 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.checks import is_sparse, whole
from gramian.kernels.strings.bags import Bags, Vocabulary
from gramian.kernels.strings.counting import Counting, grams
from gramian.kernels.strings.sequences import LONGEST, Sequences, as_alphabet, comparable, kind_of


class Composition(Counting):
    """The composition of a sequence: the share of each symbol (seed 003, Example 5.1). An empty sequence has none.

    Parameters
    ----------
    alphabet : str, bytes or sequence of tokens, optional
        The symbols that count, and the order of the columns of the explicit map; others only take their share of the
        length. By default all symbols that occur.

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
    """

    alphabet: Any = None

    def __post_init__(self) -> None:
        if self.alphabet is not None:
            self._settle(alphabet=as_alphabet(self.alphabet))

    @property
    def radius(self) -> float:
        return 1.0

    def count(self, sequences: Sequences) -> Bags:
        bags = grams(sequences, 1)
        if self.alphabet is not None:
            comparable(kind_of(self.alphabet), sequences.kind)
            symbols = np.arange(len(self.alphabet), dtype=np.int32)[:, None]
            bags = bags.like(Bags(bags.counts[:0], Vocabulary(symbols, tuple(self.alphabet), sequences.kind)))
        lengths = np.maximum(sequences.lengths, 1).astype(np.float64)[:, None]
        if is_sparse(bags.counts):
            return Bags(bags.counts.astype(np.float64).multiply(1 / lengths).tocsr(), bags.vocabulary)
        return Bags(bags.counts / lengths, bags.vocabulary)


class Spectrum(Counting):
    """The p-spectrum kernel: the number of pairs of equal substrings of length p (seed 004).

    Parameters
    ----------
    length : int
        p. Strings shorter than that have no such piece, and φ = 0.

    Notes
    -----
    Counting is linear in the total length of the strings; a Gram is one product of the tables of counts, sparse or
    dense, in single precision as long as that is exact.

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

    def __post_init__(self) -> None:
        whole(self.length, "length", most=LONGEST)

    def count(self, sequences: Sequences) -> Bags:
        return grams(sequences, int(self.length))
