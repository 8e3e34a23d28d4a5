"""Kernels of subsequences, pieces with gaps: all of them, and those of one length (seed 004).

    all subsequences     φ_u(x) = number of ways in which u is a subsequence of x, for every u, the empty one included
    of length p          φ_u(x) = Σ over those ways of decay^(span), for |u| = p; the span counts gaps

The feature spaces are huge and κ is computed pair by pair by dynamic programming, O(|x| |z|) and O(p |x| |z|). Over a
small alphabet Σ there are only |Σ|^p subsequences of length p; where the weights of all of them cost less than two
pairs do, they are worked out once for each object, O(|x| |Σ|^(p−1)), and κ is their inner product.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from gramian.checks import Array, positive, whole
from gramian.formula.encoded import Encoded
from gramian.gram.traits import Traits
from gramian.kernels.algebra import Kernel
from gramian.kernels.declared import INTEGER, NUMBER, Kept, Word
from gramian.kernels.strings.bags import DENSE_BYTES, Bags, Vocabulary
from gramian.kernels.strings.sequences import LONGEST, Sequences, as_sequences, comparable

MOST_BYTES = 2**33  # of the tables for one comparison
MOST_FEATURES = 2**20  # columns of an explicit map
SMALLEST = math.log(1e-290)  # weight of a pair, as a logarithm


def compiled(name: str) -> Any:
    """Load a module of compiled functions, and Numba with it, when the first value is asked for."""
    return import_module(f"gramian.kernels.strings.{name}")


class Pairwise(Kernel, ABC):
    """A kernel of sequences that is computed pair by pair."""

    traits = Traits(non_negative=True, expensive=True)

    def encode(self, X: Any) -> Encoded:
        return Encoded((as_sequences(X),))

    @abstractmethod
    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        """Write κ of all pairs into out."""

    @abstractmethod
    def squared_norms(self, a: Encoded) -> Array:
        """Return κ(x, x) of each sequence."""


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
    ``AllSubsequences().normalize()`` is computed from logarithms and has no such limit; nor have sums, products and
    powers of it that are normalized, as ``(AllSubsequences() + 1).normalize()``.

    Raises
    ------
    ValueError
        If κ(x, x) is too large for a number, and the kernel is not normalized.

    See Also
    --------
    Subsequences : subsequences of one length, gaps weighted
    FullSpectrum : substrings of all lengths
    Spectrum : substrings of one length

    Notes
    -----
    Cost: O(n m) for a pair of sequences of lengths n and m, by dynamic programming.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.AllSubsequences()(["bar", "baa", "car", "cat"])
    array([[ 8.,  6.,  4.,  2.],
           [ 6., 12.,  3.,  3.],
           [ 4.,  3.,  8.,  4.],
           [ 2.,  3.,  4.,  8.]])
    """

    word = Word(
        "strings",
        "κ(x, z) = Σ_u (number of ways u is a subsequence of x) (the same of z)",
        "Shared subsequences of all lengths, gaps for free; best normalized.",
        "normalize(all_subsequences)",
    )
    kept = Kept()

    def _write(self, A: Sequences, B: Sequences, out: Array, *, diagonal: bool, logarithms: bool) -> None:
        given = (in_alphabet(A, B), A.starts, B.codes, B.starts)
        compiled("dynamic").all_subsequences_table(*given, diagonal, logarithms, out)

    def logarithms(self, a: Encoded, b: Encoded, out: Array) -> None:
        """Write log κ(xᵢ, zⱼ) into out."""
        (A,), (B,) = a, b
        self._write(A, B, out, diagonal=False, logarithms=True)

    def log_norms(self, a: Encoded) -> Array:
        """Return log κ(x, x) of each sequence."""
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


class Subsequences(Pairwise):
    """The fixed-length subsequence kernel, gap-weighted where decay < 1.

    Parameters
    ----------
    length : int
        p, the number of symbols of a subsequence.
    decay : float
        λ, 0 < λ ≤ 1. A subsequence that spans ℓ symbols of x, gaps included, has weight λ^ℓ. With 1 gaps cost nothing
        and κ counts pairs of equal subsequences.

    Raises
    ------
    ValueError
        If `length` is below 1, or `decay` is not above 0 and at most 1.
    TypeError
        If `length` is no whole number.

    See Also
    --------
    AllSubsequences : subsequences of all lengths
    Spectrum : substrings of one length

    Notes
    -----
    Cost: O(p n m) for a pair of sequences of lengths n and m, by dynamic programming.

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
    word = Word(
        "strings",
        "κ(x, z) = Σ_{|u| = p} (Σ λ^span over the places of u in x) (the same in z)",
        "Shared subsequences of p symbols with gaps, which cost λ, the decay, for each symbol they span.",
        "subsequences(length=3, decay=0.5)",
    )
    kept = Kept({"length": INTEGER, "decay": NUMBER})

    def __post_init__(self) -> None:
        whole(self.length, "length", most=LONGEST)
        if positive(self.decay, "decay") > 1:
            raise ValueError(f"decay is {self.decay}; a number above 0 and at most 1 expected")
        if 2 * int(self.length) * math.log(self.decay) < SMALLEST:
            raise ValueError(
                f"decay is {self.decay}, and its power 2 × {self.length} vanishes in double precision, as would all "
                "values: take a decay nearer to 1"
            )

    def encode(self, X: Any) -> Encoded:
        weighed = Weighed(as_sequences(X), int(self.length), float(self.decay))
        return Encoded((weighed.spelled() if weighed.few else weighed,))

    def block(self, a: Encoded, b: Encoded, out: Array) -> None:
        (A,), (B,) = a, b
        if A.bags is None and B.bags is None:
            self._write(A.sequences, B.sequences, out, diagonal=False)
        else:
            (A, B) = (A.like(B), B) if A.bags is None else (A, B.like(A) if B.bags is None else B)
            A.bags.inner(B.bags, out)

    def squared_norms(self, a: Encoded) -> Array:
        (A,) = a
        if A.bags is not None:
            return np.asarray(A.bags.squares())
        out = np.empty((len(A), 1))
        self._write(A.sequences, A.sequences, out, diagonal=True)
        return np.ascontiguousarray(out[:, 0])

    def _write(self, A: Sequences, B: Sequences, out: Array, *, diagonal: bool) -> None:
        longest = [int(one.lengths.max(initial=0)) for one in (A, B)]
        if self.length > min(longest):  # no sequence is as long as that
            out[...] = 0.0
            return
        size = 8 * compiled("dynamic").LANES * int(self.length) * (longest[1] + 1)
        if size > MOST_BYTES:
            raise ValueError(
                f"length is {self.length:,}, and a sequence has {longest[1]:,} symbols: the tables of such a "
                f"comparison take {size / 1e9:.3g} GB; take a smaller length, or shorter sequences"
            )
        given = (in_alphabet(A, B), A.starts, B.codes, B.starts, int(self.length), float(self.decay))
        compiled("dynamic").subsequences_table(*given, diagonal, out)

    def feature_dim(self, a: Encoded) -> int | None:
        (A,) = a
        return None if A.bags is None else len(A.bags.vocabulary)

    def phi(self, a: Encoded) -> Array:
        (A,) = a
        return np.asarray(A.spelled().bags.counts)

    def feature_names(self, inputs: Sequence[Any]) -> list[str]:
        """Return the subsequences that occur in these objects, in the order of the columns of ``features(inputs)``."""
        return self.named(self.encode(inputs))

    def named(self, a: Encoded, columns: Sequence[str] = ()) -> list[str]:
        (A,) = a
        return list(A.spelled().bags.vocabulary.names())


@dataclass(frozen=True, eq=False)
class Weighed:
    """Sequences and, once they are spelled out, the weights of their subsequences of `length` symbols."""

    sequences: Sequences
    length: int
    decay: float
    bags: Bags | None = None

    @property
    def few(self) -> bool:
        """Whether the weights of an object cost no more than about two pairs of objects, and all of them fit memory."""
        symbols, n = max(len(self.sequences.alphabet), 1), len(self)
        if self.length > self.sequences.lengths.max(initial=0):  # there is nothing to be spelled
            return False
        shorter = (self.length - 1) * math.log(symbols)  # the logarithm of |Σ|^(p−1), which may be enormous
        worth = shorter <= math.log(max(1.0, self.length * len(self.sequences.codes) / n))
        return worth and n * symbols**self.length * 8 <= DENSE_BYTES

    def spelled(self) -> Weighed:
        """Return these with their weights, those of all subsequences that occur.

        Raises
        ------
        TypeError
            If the alphabet allows too many.
        """
        if self.bags is not None:
            return self
        symbols = max(len(self.sequences.alphabet), 1)
        if self.length * math.log(symbols) > math.log(MOST_FEATURES) or self.length > MOST_FEATURES:
            raise TypeError(
                f"the explicit map has {symbols}^{self.length} features, too many; work with inner products"
            )
        Phi = self._weights(self.sequences.codes, symbols)
        occurring = np.flatnonzero(Phi.any(axis=0))
        digits = [occurring // symbols**q % symbols for q in range(self.length - 1, -1, -1)]
        pieces = np.stack(digits, axis=1).astype(np.int32)
        vocabulary = Vocabulary(pieces, self.sequences.alphabet, self.sequences.kind)
        return replace(self, bags=Bags(Phi if len(occurring) == Phi.shape[1] else Phi[:, occurring], vocabulary))

    def _weights(self, codes: Array, symbols: int) -> Array:
        """Return the weight of every string over the alphabet in every object; codes beyond it match nothing."""
        Phi = np.empty((len(self), symbols**self.length))
        compiled("dynamic").subsequence_weights(codes, self.sequences.starts, symbols, self.length, self.decay, Phi)
        rest, places = np.arange(Phi.shape[1]), np.zeros(Phi.shape[1], dtype=np.int64)
        for _ in range(self.length):  # the last symbol is the first digit there
            places = places * symbols + rest % symbols
            rest //= symbols
        return Phi[:, places]

    def like(self, other: Weighed) -> Weighed:
        """Return these with the weights of the subsequences that others are spelled out in, if they are."""
        if other.bags is None:
            return self
        if self.bags is not None:
            return replace(self, bags=self.bags.like(other.bags))
        symbols = max(len(other.sequences.alphabet), 1)
        Phi = self._weights(in_alphabet(self.sequences, other.sequences), symbols)
        powers = symbols ** np.arange(self.length - 1, -1, -1)
        return replace(self, bags=Bags(Phi[:, other.bags.vocabulary.pieces @ powers], other.bags.vocabulary))

    def describe(self) -> str:
        """Say how many there are, and of what kind."""
        return self.sequences.describe()

    @property
    def shape(self) -> tuple[int]:
        """Number of sequences."""
        return self.sequences.shape

    @property
    def width(self) -> int:
        """How many weights an object has."""
        return 0 if self.bags is None else self.bags.width

    def __len__(self) -> int:
        return len(self.sequences)

    def __getitem__(self, index: Any) -> Weighed:
        """Select objects by a slice or an index array."""
        return replace(self, sequences=self.sequences[index], bags=None if self.bags is None else self.bags[index])

    def copy(self) -> Weighed:
        """Return objects that share no memory with these."""
        return replace(self, sequences=self.sequences.copy(), bags=None if self.bags is None else self.bags.copy())

    def concat(self, other: Weighed) -> Weighed:
        """Put other objects after these; both are spelled out, or neither."""
        bags = None if self.bags is None or other.bags is None else self.bags.concat(other.bags)
        return replace(self, sequences=self.sequences.concat(other.sequences), bags=bags)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weighed):
            return NotImplemented
        return (self.sequences, self.length, self.decay) == (other.sequences, other.length, other.decay)

    def __hash__(self) -> int:
        return hash((self.sequences, self.length, self.decay))
