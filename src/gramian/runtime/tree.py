"""Sums in a fixed binary tree: the same to the last bit, whoever makes the parts and whenever they are through.

Parts 0, 1, 2 … are merged in pairs (0, 1), (2, 3), …, these in pairs again, and what is left over at the end of a row
goes up as it is. Where parts come one by one, `Tree` keeps one sum for each binary digit of how many there were; where
all are known, `rows` lists the pairs. Both merge the same pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Tree(Generic[T]):
    """The sum of parts that come one by one.

    Examples
    --------
    >>> tree = Tree(lambda a, b: f"({a} {b})")
    >>> for part in "abcde":
    ...     tree.push(part)
    >>> tree.total()
    '(((a b) (c d)) e)'
    """

    def __init__(self, merge: Callable[[T, T], T]) -> None:
        self._merge = merge
        self._held: list[tuple[int, T]] = []  # sums of 2^level parts, the largest first

    def push(self, part: T) -> None:
        """Take in the next part."""
        level = 0
        while self._held and self._held[-1][0] == level:
            part = self._merge(self._held.pop()[1], part)
            level += 1
        self._held.append((level, part))

    def total(self) -> T:
        """Return the sum of all parts; at least one must have come."""
        parts = [part for _, part in self._held]
        found = parts.pop()
        while parts:
            found = self._merge(parts.pop(), found)
        return found


def rows(parts: list[T], merge: Callable[[T, T], T]) -> Iterator[list[T]]:
    """Go through the rows of the tree above the parts, up to the one that holds the sum of all.

    >>> list(rows(list("abcde"), lambda a, b: a + b))
    [['ab', 'cd', 'e'], ['abcd', 'e'], ['abcde']]
    """
    while len(parts) > 1:
        odd = parts[-1:] if len(parts) % 2 else []
        parts = [merge(a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)] + odd
        yield parts
