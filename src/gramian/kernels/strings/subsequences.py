"""Kernels of subsequences, pieces with gaps: all of them, and those of one length (seed 004).

    all subsequences     φ_u(x) = number of ways in which u is a subsequence of x, for every u, the empty one included
    of length p          φ_u(x) = Σ over those ways of decay^(span), for |u| = p; the span counts gaps

The feature spaces are huge and κ is computed pair by pair by dynamic programming, O(|x| |z|) and O(p |x| |z|).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from gramian.checks import Array, positive, whole
from gramian.gram.encoded import Encoded
from gramian.kernels.algebra import Kernel, Normalized
from gramian.kernels.strings.bags import Vocabulary
from gramian.kernels.strings.sequences import Sequences, as_sequences, comparable
from gramian.kernels.value import ATOM, inside

MOST_FEATURES = 2**20  # columns of an explicit map


class Pairwise(Kernel):
    """A kernel of sequences that is computed pair by pair."""

    dear = True

    @property
    def non_negative(self) -> bool:
        return True

    @staticmethod
    def _compiled(name: str) -> Any:
        """Load a module of compiled functions, and Numba with it, when the first value is asked for."""
        return import_module(f"gramian.kernels.strings.{name}")

    def encode(self, X: Any) -> Encoded:
        return Encoded((as_sequences(X),))


def in_alphabet(sequences: Sequences, other: Sequences) -> Array:
    """Return the codes of sequences in the alphabet of others; symbols unknown there get codes of their own."""
    comparable(sequences.kind, other.kind)
    if sequences.alphabet is other.alphabet or sequences.alphabet == other.alphabet:
        return sequences.codes
    known = {symbol: code for code, symbol in enumerate(other.alphabet)}
    table = [known.get(symbol, len(known) + place) for place, symbol in enumerate(sequences.alphabet)]
    return np.asarray(np.array(table, dtype=np.int32)[sequences.codes])


class AllSubsequences(Pairwise):
    """The all-subsequences kernel: the number of pairs of equal subsequences, the empty one included (seed 004).

    Values grow like 2ⁿ with the length n and leave double precision beyond some thousand symbols, which is refused;
    ``AllSubsequences().normalize()`` is computed from logarithms and has no such limit.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.AllSubsequences()(["bar", "baa", "car", "cat"])
    array([[ 8.,  6.,  4.,  2.],
           [ 6., 12.,  3.,  3.],
           [ 4.,  3.,  8.,  4.],
           [ 2.,  3.,  4.,  8.]])
    """

    too_large: ClassVar[str] = "take AllSubsequences().normalize(), which is computed without overflow"

    def _write(self, A: Sequences, B: Sequences, out: Array, *, diagonal: bool, logarithms: bool) -> None:
        given = (in_alphabet(A, B), A.starts, B.codes, B.starts)
        self._compiled("dynamic").all_subsequences_table(*given, diagonal, logarithms, out)

    def logarithms(self, a: Encoded, b: Encoded, out: Array) -> None:
        """Write log κ into out."""
        (A,), (B,) = a, b
        self._write(A, B, out, diagonal=False, logarithms=True)

    def log_norms(self, a: Encoded) -> Array:
        """Return log κ(x, x)."""
        (A,) = a
        out = np.empty((len(A), 1))
        self._write(A, A, out, diagonal=True, logarithms=True)
        return np.ascontiguousarray(out[:, 0])

    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        (A,), (B,) = a, b
        self._write(A, B, out, diagonal=False, logarithms=False)

    def squared_norms(self, a: Encoded) -> Array:
        (A,) = a
        out = np.empty((len(A), 1))
        self._write(A, A, out, diagonal=True, logarithms=False)
        return np.ascontiguousarray(out[:, 0])

    def normalize(self) -> Normalized:
        """Return κ(x, z) / √(κ(x, x) κ(z, z)), from logarithms: no length is too great."""
        return NormalizedLogarithms(self)


class NormalizedLogarithms(Normalized):
    """exp(log κ(x, z) − ½ log κ(x, x) − ½ log κ(z, z)), for a kernel whose values may be too large for a number."""

    def lift(self, base: Encoded) -> Encoded:
        """Add log ‖φ(x)‖ to the encodings of the base kernel."""
        return Encoded((base, self.base.log_norms(base) / 2))  # type: ignore[attr-defined]

    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        (base_a, log_a), (base_b, log_b) = a, b
        self.base.logarithms(base_a, base_b, out)  # type: ignore[attr-defined]
        out -= log_a[:, None]
        out -= log_b
        np.exp(out, out=out)

    def __repr__(self) -> str:
        return f"{inside(self.base, ATOM)}.normalize()"


class Subsequences(Pairwise):
    """The fixed-length subsequence kernel, gap-weighted where decay < 1.

    Parameters
    ----------
    length : int
        p, the number of symbols of a subsequence.
    decay : float
        λ > 0. A subsequence that spans ℓ symbols of x, gaps included, has weight λ^ℓ. With 1 gaps cost nothing and κ
        counts pairs of equal subsequences.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.Subsequences(length=2, decay=0.5)(["cat", "car"]).round(4)     # λ⁴ of "ca"; 2λ⁴ + λ⁶ with itself
    array([[0.1406, 0.0625],
           [0.0625, 0.1406]])
    >>> gm.Subsequences(length=2)(["bar", "baa"])
    array([[3., 2.],
           [2., 5.]])
    >>> k = gm.Subsequences(length=2)
    >>> k.feature_names(["bar", "baa"]), k.features(["bar", "baa"])
    (['aa', 'ar', 'ba', 'br'], array([[0., 1., 1., 1.],
           [1., 0., 2., 0.]]))
    """

    length: int = 3
    decay: float = 1.0

    def __post_init__(self) -> None:
        whole(self.length, "length")
        if positive(self.decay, "decay") > 1:
            raise ValueError(f"decay is {self.decay}; a number above 0 and at most 1 expected")

    def _explicit(self, X: Any) -> tuple[Array, list[str]]:
        """Return φ and its names, for the subsequences that occur, from sums over all strings of up to p symbols.

        before[q] holds, for every string of q symbols, the weight of its matches so far, prolonged to this place.
        """
        sequences, length, decay = as_sequences(X), int(self.length), float(self.decay)
        symbols = max(len(sequences.alphabet), 1)
        if length * math.log(symbols) > math.log(MOST_FEATURES):
            raise TypeError(f"the explicit map has {symbols}^{length} features, too many; work with inner products")
        Phi = np.zeros((len(sequences), symbols**length))
        for row, (first, last) in zip(Phi, pairwise(sequences.starts), strict=True):
            before = [np.ones(1), *(np.zeros(symbols**q) for q in range(1, length)), row]
            for symbol in sequences.codes[first:last]:
                for q in range(length, 0, -1):
                    if q < length:
                        before[q] *= decay
                    before[q].reshape(-1, symbols)[:, symbol] += decay * before[q - 1]
        found = np.flatnonzero(Phi.any(axis=0))
        digits = [found // symbols**q % symbols for q in range(length - 1, -1, -1)]
        names = Vocabulary(np.stack(digits, axis=1), sequences.alphabet).names() if sequences.alphabet else []
        return Phi[:, found], names

    def features(self, X: Any) -> Array:
        """Return Σ decay^(span) over the ways in which u is a subsequence, a column for every u that occurs in X."""
        return self._explicit(X)[0]

    def feature_names(self, inputs: Sequence[Any]) -> list[str]:
        """Return the subsequences that occur in these objects, in the order of the columns of ``features(inputs)``."""
        return self._explicit(inputs)[1]

    def _write(self, A: Sequences, B: Sequences, out: Array, *, diagonal: bool) -> None:
        given = (in_alphabet(A, B), A.starts, B.codes, B.starts, int(self.length), float(self.decay))
        self._compiled("dynamic").subsequences_table(*given, diagonal, out)

    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        (A,), (B,) = a, b
        self._write(A, B, out, diagonal=False)

    def squared_norms(self, a: Encoded) -> Array:
        (A,) = a
        out = np.empty((len(A), 1))
        self._write(A, A, out, diagonal=True)
        return np.ascontiguousarray(out[:, 0])
