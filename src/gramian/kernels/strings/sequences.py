"""Sequences at the border: strings, bytes or lists of tokens become runs of small integers.

A collection of n sequences is held as one array of codes, n + 1 places where each begins, and the alphabet that says
which symbol a code stands for. Everything behind this line works on integers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gramian.checks import Array, at_hand, check_characters

LONGEST = 2**31 - 1  # symbols of a sequence, or of a piece of one


@dataclass(frozen=True, eq=False)
class Sequences:
    """n sequences of codes; codes[starts[i] : starts[i + 1]] is the i-th, and alphabet[code] its symbol."""

    codes: Array
    starts: Array
    alphabet: tuple[Hashable, ...]
    kind: str  # "strings", "bytes" or "token lists"

    def describe(self) -> str:
        """Say how many there are, and of what kind."""
        return f"{len(self)} {self.kind}"

    @property
    def shape(self) -> tuple[int]:
        """Number of sequences."""
        return (len(self.starts) - 1,)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Array:
        """Number of symbols of each sequence."""
        return np.diff(self.starts)

    def __getitem__(self, index: Any) -> Sequences:
        """Select sequences by a slice or an index array."""
        chosen = np.arange(len(self))[index]
        if len(chosen) and np.array_equal(chosen, np.arange(chosen[0], chosen[0] + len(chosen))):
            first, last = self.starts[chosen[0]], self.starts[chosen[-1] + 1]
            starts = self.starts[chosen[0] : chosen[-1] + 2] - first
            return replace(self, codes=self.codes[first:last], starts=starts)
        lengths = self.lengths[chosen]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(starts[-1]) + np.repeat(self.starts[chosen] - starts[:-1], lengths)
        return replace(self, codes=self.codes[places], starts=starts)

    def copy(self) -> Sequences:
        """Return sequences that share no memory with these."""
        return replace(self, codes=self.codes.copy(), starts=self.starts.copy())

    def concat(self, other: Sequences) -> Sequences:
        """Put other sequences after these, in one alphabet."""
        known = {symbol: code for code, symbol in enumerate(self.alphabet)}
        new = tuple(symbol for symbol in other.alphabet if symbol not in known)
        known |= {symbol: len(self.alphabet) + k for k, symbol in enumerate(new)}
        table = np.array([known[symbol] for symbol in other.alphabet], dtype=np.int32)
        codes = np.concatenate([self.codes, table[other.codes]])
        starts = np.concatenate([self.starts, self.starts[-1] + other.starts[1:]])
        return replace(self, codes=codes, starts=starts, alphabet=self.alphabet + new)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequences):
            return NotImplemented
        same_starts = np.array_equal(self.starts, other.starts)
        same = self.kind == other.kind and self.alphabet == other.alphabet
        return same_starts and same and np.array_equal(self.codes, other.codes)

    def __hash__(self) -> int:
        return hash((len(self), len(self.codes), self.alphabet))


def ordered(X: Any, what: str) -> None:
    """Refuse what is iterable but no list of objects, as dictionaries, sets and tables, and texts that are none."""
    at_hand(X)
    if isinstance(X, Mapping | set | frozenset) or hasattr(X, "columns"):
        raise TypeError(f"X is a {type(X).__name__}; a list of {what} expected (of a table, a column: kernel.on(name))")
    if isinstance(X, np.ndarray):
        check_characters(X, "X")


def as_alphabet(given: Any) -> Any:
    """Return symbols, each once: a string or bytes as they are, other symbols as a tuple."""
    if not isinstance(given, Iterable):
        raise TypeError(f"alphabet is {given!r}; symbols such as 'ACGT' expected")
    symbols = given if isinstance(given, str | bytes) else tuple(given)
    if not symbols:
        raise ValueError(f"alphabet is {given!r}; symbols such as 'ACGT' expected")
    try:
        different = len(set(symbols))
    except TypeError as error:
        raise TypeError(f"alphabet is {given!r}, and its symbols cannot be hashed ({error})") from None
    if different < len(symbols):
        raise ValueError(f"alphabet is {given!r}, in which a symbol stands twice; each once expected")
    return symbols


def kind_of(alphabet: Any) -> str:
    """Return what kind of sequences an alphabet belongs to."""
    if isinstance(alphabet, str):
        return "strings"
    return "bytes" if isinstance(alphabet, bytes) else "token lists"


def comparable(kind: str, other: str) -> None:
    """Refuse to compare strings with bytes, whose symbols are numbers and equal no character."""
    if {kind, other} == {"strings", "bytes"}:
        raise TypeError(f"{kind} are compared with {other}, which have no symbol in common: decode the bytes first")


def as_sequences(X: Any) -> Sequences:
    """Return strings, bytes, or sequences of hashable tokens as codes.

    Raises
    ------
    TypeError
        If X is a single string, or holds anything but sequences of one kind.
    ValueError
        If X is empty, or holds missing values.
    """
    if isinstance(X, str | bytes):
        raise TypeError(f"X is a single {type(X).__name__}; a list of them expected: pass [X] if it is one object")
    ordered(X, "strings or token lists")
    if not isinstance(X, Iterable):
        raise TypeError(f"X is {X!r}; a list of strings, or a list of token lists, expected")
    if (dimensions := getattr(X, "ndim", 1)) != 1:
        raise TypeError(f"X has {dimensions} dimensions; a flat list of strings, or a list of token lists, expected")
    items = X.tolist() if isinstance(X, np.ndarray) else list(X)
    if not items:
        raise ValueError("X is empty; at least one sequence expected")
    for place, item in enumerate(items):
        if is_missing(item):
            raise ValueError(f"X holds {item!r} (at index {place}), a missing value; drop it or put an empty string")
    kinds = {_kind(item, place) for place, item in enumerate(items)}
    if len(kinds) > 1:
        raise TypeError(f"X mixes {' and '.join(sorted(kinds))}; sequences of one kind expected")
    readers: dict[str, Callable[[list[Any]], Sequences]]
    readers = {"strings": _strings, "bytes": _bytes, "token lists": _tokens}
    return readers[kinds.pop()](items)


def is_missing(item: Any) -> bool:
    """Tell None, NaN and pandas' NA from sequences, whose comparison with themselves may be anything."""
    if item is None or type(item).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(item, float | np.datetime64 | np.timedelta64) and bool(item != item)


def _kind(item: Any, place: int) -> str:
    if isinstance(item, str):
        return "strings"
    if isinstance(item, bytes | bytearray):
        return "bytes"
    if isinstance(item, set | frozenset | dict):
        raise TypeError(
            f"X holds a {type(item).__name__} (at index {place}), which has no order; strings, bytes or token lists "
            "expected"
        )
    if isinstance(item, Iterable):
        return "token lists"
    raise TypeError(
        f"X holds {item!r} of type {type(item).__name__} (at index {place}); strings, bytes or token lists expected"
    )


def _strings(items: list[str]) -> Sequences:
    joined = "".join(items)
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    codes, symbols = _ranked(points)
    return Sequences(codes, _starts(map(len, items), len(items)), tuple(map(chr, symbols.tolist())), "strings")


def _bytes(items: list[bytes]) -> Sequences:
    codes, symbols = _ranked(np.frombuffer(b"".join(items), dtype=np.uint8))
    return Sequences(codes, _starts(map(len, items), len(items)), tuple(symbols.tolist()), "bytes")


def _tokens(items: list[Iterable[Hashable]]) -> Sequences:
    lists = [list(item) for item in items]
    table: dict[Hashable, int] = {}
    try:
        codes = [table.setdefault(token, len(table)) for tokens in lists for token in tokens]
        for token in table:
            if is_missing(token):
                raise ValueError(f"X holds {token!r} among the tokens, a missing value; drop it or give it a name")
    except TypeError as error:
        raise TypeError(f"tokens must be hashable, as strings and numbers are ({error})") from None
    return Sequences(np.array(codes, dtype=np.int32), _starts(map(len, lists), len(lists)), tuple(table), "token lists")


def _starts(lengths: Iterable[int], n: int) -> Array:
    return np.concatenate([[0], np.cumsum(np.fromiter(lengths, dtype=np.int64, count=n))])


def _ranked(points: Array) -> tuple[Array, Array]:
    """Return the rank of each code point among those that occur, and these in ascending order."""
    if points.size == 0:
        return np.empty(0, np.int32), np.empty(0, np.int64)
    present = np.zeros(int(points.max()) + 1, dtype=bool)
    present[points] = True
    symbols = np.flatnonzero(present)
    ranks = np.zeros(len(present), dtype=np.int32)
    ranks[symbols] = np.arange(len(symbols), dtype=np.int32)
    return ranks[points], symbols
