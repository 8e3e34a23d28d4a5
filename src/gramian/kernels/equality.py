"""The kernel of categories: 1 where two objects are equal, 0 where they are not.

φ is one feature for each value that occurs, 1 for the objects that have it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gramian.formula.encoded import Encoded
from gramian.gram.traits import Traits
from gramian.kernels.declared import Kept, Word
from gramian.kernels.strings.bags import Bags
from gramian.kernels.strings.counting import Counting, grams
from gramian.kernels.strings.sequences import Sequences, as_sequences, is_missing, ordered


class Equality(Counting):
    """κ(x, z) = 1 if x = z, else 0, for categories and other hashable objects.

    See Also
    --------
    Kernel : the base class and its algebra
    Precomputed : a matrix that you have

    Notes
    -----
    Cost: O(n m) comparisons of numbers for a tile of n × m values.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.Equality()(["red", "blue", "red"])
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """

    traits = Traits(radius=1.0, non_negative=True)
    word = Word(
        "categories",
        "κ(x, z) = 1 if x = z, else 0",
        "Whether two values are the same.",
        "equality on colour",
    )
    kept = Kept()

    def count(self, sequences: Sequences) -> Bags:
        return grams(sequences, 1)

    def encode(self, X: Any) -> Encoded:
        if isinstance(X, str | bytes) or not isinstance(X, Iterable):
            raise TypeError(f"X is {X!r}; a list of categories expected: pass [X] if it is one object")
        ordered(X, "categories")
        if (dimensions := getattr(X, "ndim", 1)) != 1:
            raise TypeError(f"X has {dimensions} dimensions; a flat list of categories expected")
        items = X.tolist() if isinstance(X, np.ndarray) else list(X)
        return Encoded((self.count(as_sequences([_single(item, place) for place, item in enumerate(items)])),))


def _single(item: Any, place: int) -> tuple[Any, ...]:
    if is_missing(item):
        raise ValueError(f"X holds {item!r} (at index {place}), a missing value; drop it or give it a name of its own")
    return (item,)
