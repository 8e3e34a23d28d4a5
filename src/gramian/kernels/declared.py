"""What a kernel declares of itself to the layers above: its word in expressions, and what of it a model file may hold.

A kernel is shipped by these two, beside its formula, and by its name among the public names:

    class Gaussian(Distance):
        bandwidth: float | str = 1.0
        word = Word("vectors", "κ(x, z) = exp(−‖x − z‖²/2σ²)", "Nearness, smooth at every scale.", "gaussian(median)")
        kept = Kept({"bandwidth": (*NUMBER, str)})
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import scipy.sparse

Types: TypeAlias = tuple[type, ...]

NONE = type(None)
ARRAY: Types = (np.ndarray,)
MAYBE_ARRAY: Types = (np.ndarray, NONE)
INTEGER: Types = (int, np.integer)
NUMBER: Types = (int, float, np.number)
FLAG: Types = (bool, np.bool_)
TEXT: Types = (str,)
SYMBOLS: Types = (str, bytes, tuple, NONE)
SPARSE: Types = (scipy.sparse.csr_array, scipy.sparse.csr_matrix)


@dataclass(frozen=True)
class Word:
    """A kernel in the language of expressions, where it goes by the name of its class.

    Attributes
    ----------
    objects : str
        What it compares: "vectors", "strings", "documents", "categories", "graph nodes" or "any objects".
    formula, description, example : str
        What a reader of the list of all kernels is told, the last as an expression.
    """

    objects: str
    formula: str
    description: str
    example: str


@dataclass(frozen=True)
class Kept:
    """What a model file may hold of a kernel, by name and type.

    Attributes
    ----------
    needed : dict
        The types that each attribute may be of; without a needed one there is no kernel.
    other : dict
        The same, of attributes that may be missing.
    forgotten : frozenset of str
        Attributes that are not stored.
    constructed : bool
        Whether the needed attributes are the arguments of the constructor, and it is called.
    """

    needed: Mapping[str, Types] = field(default_factory=dict)
    other: Mapping[str, Types] = field(default_factory=dict)
    forgotten: frozenset[str] = frozenset()
    constructed: bool = True
