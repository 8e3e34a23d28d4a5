"""The full spectrum kernel: substrings of all lengths at once, in linear time (seed 003, Example 5.14).

    φ_u(x) = decay^|u| × (number of times u occurs in x), for every string u of a length between two bounds,

κ(x, z) = Σ_u decay^(2|u|) count_x(u) count_z(u). With an upper bound it is the blended spectrum. The empty string
counts where the lower bound is 0: once in every string. Both ways take O(|x| + |z|), whatever the lengths: short
strings are followed through the suffix automaton of x, long ones sorted together in a suffix array.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse

from gramian.checks import Array, positive, whole
from gramian.formula.encoded import Encoded
from gramian.kernels.declared import INTEGER, NONE, NUMBER, Kept, Word
from gramian.kernels.strings.bags import Bags
from gramian.kernels.strings.counting import grams
from gramian.kernels.strings.sequences import LONGEST, Sequences
from gramian.kernels.strings.subsequences import Pairwise, compiled, in_alphabet

MOST_LENGTHS = 64  # of substrings in the explicit map, unless max_length asks for more
TABLE = 2**18  # symbols of a sequence times symbols of the alphabet up to which a table of transitions fits a cache
GROUP = 2**22  # symbols of a side that are sorted together, unless a single sequence has more
SMALL = 127  # largest symbol that can be sorted as a byte, with a bit beside it


class FullSpectrum(Pairwise):
    """The full spectrum kernel, all common substrings counted, in linear time.

    Parameters
    ----------
    min_length, max_length : int, int or None
        Lengths of the substrings that count; no upper bound by default. From 0 on the empty string counts too: once in
        every string, which adds 1 to κ.
    decay : float
        λ, 0 < λ ≤ 1: a substring of length ℓ has the weight λ^ℓ in φ, λ^(2ℓ) in κ.

    Raises
    ------
    ValueError
        If the lengths or `decay` are out of range.

    See Also
    --------
    Spectrum : substrings of one length
    Mismatch : substrings with a few wrong symbols
    AllSubsequences : subsequences of all lengths

    Notes
    -----
    Cost: O(n + m) for a pair of sequences of lengths n and m, however long the substrings are.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.FullSpectrum()(["ACAGCAGTA"], ["AGCAAGCGAG"])
    array([[42.]])
    >>> gm.FullSpectrum(min_length=2, max_length=3)(["ACAGCAGTA"], ["AGCAAGCGAG"])
    array([[13.]])
    >>> gm.FullSpectrum(min_length=0)(["ACAGCAGTA", ""], ["AGCAAGCGAG"])
    array([[43.],
           [ 1.]])
    >>> k = gm.FullSpectrum(max_length=2)
    >>> k.feature_names(["AGA"]), k.features(["AGA"]).toarray()
    (['A', 'G', 'AG', 'GA'], array([[2., 1., 1., 1.]]))
    """

    min_length: int = 1
    max_length: int | None = None
    decay: float = 1.0
    word = Word(
        "strings",
        "κ(x, z) = Σ_u λ^(2|u|) (number of u in x) (number of u in z)",
        "Shared substrings of all lengths between two bounds, from 0 on the empty one too; λ is the decay.",
        "normalize(full_spectrum(max_length=5))",
    )
    kept = Kept({"min_length": INTEGER, "max_length": (*INTEGER, NONE), "decay": NUMBER})

    def __post_init__(self) -> None:
        whole(self.min_length, "min_length", least=0, most=LONGEST)
        if self.max_length is not None and whole(self.max_length, "max_length", most=LONGEST) < self.min_length:
            raise ValueError(f"max_length is {self.max_length}; at least min_length = {self.min_length} expected")
        if positive(self.decay, "decay") > 1:
            raise ValueError(f"decay is {self.decay}; a number above 0 and at most 1 expected")

    def _weights(self, sequences: Sequences) -> Array:
        """Return W(ℓ) = Σ_{1 ≤ k ≤ ℓ} w(k) for every length that occurs."""
        lengths = np.arange(int(sequences.lengths.max(initial=0)) + 1)
        inside = (lengths >= max(self.min_length, 1)) & (lengths <= (self.max_length or lengths[-1]))
        return np.cumsum(np.where(inside, float(self.decay) ** (2.0 * lengths), 0.0))

    def _pieces(self, sequences: Sequences) -> list[tuple[int, Bags]]:
        """Return the counts of the substrings of every length that counts, with the length."""
        longest = int(sequences.lengths.max(initial=0))
        last = min(longest, self.max_length or longest)
        first = max(int(self.min_length), 1)
        if self.max_length is None and last - first >= MOST_LENGTHS:
            raise TypeError(
                f"the explicit map has a feature for every substring of up to {longest} symbols; bound it with "
                "max_length"
            )
        return [(length, grams(sequences, length)) for length in range(first, last + 1)]

    @property
    def _empty(self) -> int:
        """How often the empty string counts in every string."""
        return int(self.min_length == 0)

    def phi(self, a: Encoded) -> Any:
        """Return decay^|u| × (number of times u occurs), a sparse column for every substring u that occurs.

        There are so many of them that nothing is computed this way (`feature_dim` is None), but a person can be told.
        """
        (A,) = a
        parts = [bags.counts.astype(np.float64) * float(self.decay) ** length for length, bags in self._pieces(A)]
        empty = scipy.sparse.csr_array(np.ones((len(A), self._empty)))
        return scipy.sparse.hstack([empty, *map(scipy.sparse.csr_array, parts)], format="csr", dtype=np.float64)

    def feature_names(self, inputs: Sequence[Any]) -> list[str]:
        """Return the substrings that occur in these objects, in the order of the columns of ``features(inputs)``."""
        return self.named(self.encode(inputs))

    def named(self, a: Encoded, columns: Sequence[str] = ()) -> list[str]:
        (A,) = a
        return [""] * self._empty + [name for _, bags in self._pieces(A) for name in bags.vocabulary.names()]

    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        (A,), (B,) = a, b
        self._compare(A, in_alphabet(B, A), B.starts, out, diagonal=False)
        out += self._empty

    def squared_norms(self, a: Encoded) -> Array:
        (A,) = a
        out = np.empty((len(A), 1))
        self._compare(A, A.codes, A.starts, out, diagonal=True)
        return np.ascontiguousarray(out[:, 0]) + self._empty

    def _compare(self, A: Sequences, codes: Array, starts: Array, out: Array, diagonal: bool) -> None:
        """Compare sequences with those of A: through tables of transitions where these are small, or by sorting."""
        symbols, weights = max(len(A.alphabet), 1), self._weights(A)
        if int(A.lengths.max(initial=0)) * symbols <= TABLE:
            given = (A.codes, A.starts, codes, starts, np.argsort(np.diff(starts)))
            compiled("automaton").full_spectrum_by_tables(*given, symbols, weights, diagonal, out)
            return
        mine = [A.codes[start:end] for start, end in pairwise(A.starts)]
        others = [codes[start:end] for start, end in pairwise(starts)]
        if diagonal:
            for i, one in enumerate(mine):
                out[i] = _by_sorting([one], [], symbols, weights)
            return
        for first, last in pairwise(_groups(mine)):
            for left, right in pairwise(_groups(others)):
                values = _by_sorting(mine[first:last], others[left:right], symbols, weights)
                out[first:last, left:right] = values[:, last - first :]


def _groups(sequences: list[Array]) -> list[int]:
    """Return where to divide a list of sequences so that each part has few symbols, or is a single sequence."""
    bounds, used = [0], 0
    for place, one in enumerate(sequences):
        if used + len(one) > GROUP and place > bounds[-1]:
            bounds.append(place)
            used = 0
        used += len(one)
    return [*bounds, len(sequences)]


def _by_sorting(mine: list[Array], others: list[Array], symbols: int, weights: Array) -> Array:
    """Return κ of some sequences with themselves and with others, all of them sorted together."""
    unknown, border, all_of_them = symbols, symbols + 1, [*mine, *others]
    starts = np.cumsum([0, *(len(one) + 1 for one in all_of_them)])
    joined = np.full(starts[-1], border, np.uint8 if border <= SMALL else np.int32)
    for one, start in zip(all_of_them, starts[:-1], strict=True):
        np.minimum(one, unknown, out=joined[start : start + len(one)], casting="unsafe")
    if border >= len(joined):  # few of the symbols can be there
        joined = np.unique(joined, return_inverse=True)[1].astype(np.int32)
        border = int(joined[-1])
    out = np.empty((len(mine), len(all_of_them)))
    compiled("suffixes").full_spectrum(joined, border + 1, starts, len(mine), weights, out)
    return out
