"""The full spectrum kernel: substrings of all lengths at once, in linear time (seed 003, Example 5.14).

    φ_u(x) = decay^|u| × (number of times u occurs in x), for every string u of a length between two bounds,

κ(x, z) = Σ_u decay^(2|u|) count_x(u) count_z(u). With an upper bound it is the blended spectrum. A suffix automaton
of x answers in O(|x| + |z|), whatever the lengths. The empty string is not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse

from gramian.checks import Array, positive, whole
from gramian.gram.encoded import Encoded
from gramian.kernels.strings.bags import Bags
from gramian.kernels.strings.counting import grams
from gramian.kernels.strings.sequences import Sequences, as_sequences
from gramian.kernels.strings.subsequences import Pairwise, compiled, in_alphabet

MOST_LENGTHS = 64  # of substrings in the explicit map, unless max_length asks for more
LONG_LISTS = 32  # symbols of an alphabet from which on transitions are found by hashing
TABLE = 2**18  # symbols of a sequence times symbols of the alphabet up to which a table of transitions fits a cache


class FullSpectrum(Pairwise):
    """The full spectrum kernel, all common substrings counted, by a suffix automaton in linear time.

    Parameters
    ----------
    min_length, max_length : int, int or None
        Lengths of the substrings that count; no upper bound by default.
    decay : float
        λ, 0 < λ ≤ 1: a substring of length ℓ has the weight λ^ℓ in φ, λ^(2ℓ) in κ.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.FullSpectrum()(["ACAGCAGTA"], ["AGCAAGCGAG"])
    array([[42.]])
    >>> gm.FullSpectrum(min_length=2, max_length=3)(["ACAGCAGTA"], ["AGCAAGCGAG"])
    array([[13.]])
    >>> k = gm.FullSpectrum(max_length=2)
    >>> k.feature_names(["AGA"]), k.features(["AGA"]).toarray()
    (['A', 'G', 'AG', 'GA'], array([[2., 1., 1., 1.]]))
    """

    min_length: int = 1
    max_length: int | None = None
    decay: float = 1.0

    def __post_init__(self) -> None:
        whole(self.min_length, "min_length")
        if self.max_length is not None and whole(self.max_length, "max_length") < self.min_length:
            raise ValueError(f"max_length is {self.max_length}; at least min_length = {self.min_length} expected")
        if positive(self.decay, "decay") > 1:
            raise ValueError(f"decay is {self.decay}; a number above 0 and at most 1 expected")

    def _weights(self, sequences: Sequences) -> Array:
        """Return W(ℓ) = Σ_{k ≤ ℓ} w(k) for every length that occurs."""
        lengths = np.arange(int(sequences.lengths.max(initial=0)) + 1)
        inside = (lengths >= self.min_length) & (lengths <= (self.max_length or lengths[-1]))
        return np.cumsum(np.where(inside, float(self.decay) ** (2.0 * lengths), 0.0))

    def _pieces(self, X: Any) -> list[tuple[int, Bags]]:
        """Return the counts of the substrings of every length that counts, with the length."""
        sequences = as_sequences(X)
        longest = int(sequences.lengths.max(initial=0))
        last = min(longest, self.max_length or longest)
        if self.max_length is None and last - self.min_length >= MOST_LENGTHS:
            raise TypeError(
                f"the explicit map has a feature for every substring of up to {longest} symbols; bound it with "
                "max_length"
            )
        return [(length, grams(sequences, length)) for length in range(int(self.min_length), last + 1)]

    def features(self, X: Any) -> Any:
        """Return decay^|u| × (number of times u occurs), a sparse column for every substring u that occurs in X."""
        parts = [bags.counts.astype(np.float64) * float(self.decay) ** length for length, bags in self._pieces(X)]
        empty = scipy.sparse.csr_array((len(as_sequences(X)), 0))
        return scipy.sparse.hstack([empty, *map(scipy.sparse.csr_array, parts)], format="csr", dtype=np.float64)

    def feature_names(self, inputs: Sequence[Any]) -> list[str]:
        """Return the substrings that occur in these objects, in the order of the columns of ``features(inputs)``."""
        return [name for _, bags in self._pieces(inputs) for name in bags.vocabulary.names()]

    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        (A,), (B,) = a, b
        self._follow(A, in_alphabet(B, A), B.starts, out, diagonal=False)

    def squared_norms(self, a: Encoded) -> Array:
        (A,) = a
        out = np.empty((len(A), 1))
        self._follow(A, A.codes, A.starts, out, diagonal=True)
        return np.ascontiguousarray(out[:, 0])

    def _follow(self, A: Sequences, codes: Array, starts: Array, out: Array, diagonal: bool) -> None:
        """Follow sequences through the automata of A, with tables of transitions where these are small."""
        automaton, symbols = compiled("automaton"), max(len(A.alphabet), 1)
        given, weights = (A.codes, A.starts, codes, starts), self._weights(A)
        if int(A.lengths.max(initial=0)) * symbols <= TABLE:
            automaton.full_spectrum_by_tables(*given, symbols, weights, diagonal, out)
        else:
            edges = 3 * int(A.lengths.max(initial=0)) + 3  # an automaton has no more transitions
            hashed = symbols > LONG_LISTS
            owner = np.empty(edges, np.int32) if hashed else None
            places = np.empty(1 << (2 * edges).bit_length(), np.int32) if hashed else None
            automaton.full_spectrum_by_lists(*given, owner, places, weights, diagonal, out)
