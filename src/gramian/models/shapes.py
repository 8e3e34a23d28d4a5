"""Shapes of arrays, written with letters, and what else can be said of an attribute by itself.

    "n k"     two axes; a letter means the same length wherever it stands in one object
    "n *t"    one axis, and then as many as `t` stands for
    "n <c"    places below c: one axis n, of integers from 0 to c − 1
    ""        a number

Numbers are finite.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gramian.checks import Array

Sizes = dict[str, Any]


def require(fits: Any, what: str) -> None:
    """Refuse what does not fit."""
    if not fits:
        raise ValueError(what)


def is_simple(key: Any) -> bool:
    """Tell whether a thing is a text, a number, or a tuple of these, as keys, symbols and names of columns are."""
    if type(key) is tuple:
        return all(map(is_simple, key))
    return key is None or type(key) in (bool, int, float, str, bytes) or isinstance(key, np.generic)


def check_shapes(thing: Any, shapes: Mapping[str, str], sizes: Sizes) -> Sizes:
    """Compare the arrays and numbers of an object with their shapes; return what the letters stand for."""
    owner, kept = type(thing).__name__, vars(thing)
    for name, spelled in shapes.items():
        if kept.get(name) is not None:
            check_shape(kept[name], spelled, sizes, f"{owner}.{name}")
    return sizes


def check_shape(given: Any, spelled: str, sizes: Sizes, what: str) -> None:
    """Compare an array with a shape; letters that mean nothing yet take their meaning from it."""
    require(isinstance(given, np.ndarray | np.number | int | float), f"{what} is no array of numbers")
    array = np.asarray(given)
    *axes, last = spelled.split() or [""]
    bound = last[1:] if last.startswith("<") else None
    words = [*axes, last] if bound is None and last else axes
    _check_numbers(array, bound, sizes, what)
    shape = list(array.shape)
    for word in words:
        if word.startswith("*"):
            fits = sizes.setdefault(word, tuple(shape)) == tuple(shape)
            shape = []
        else:
            fits = bool(shape) and sizes.setdefault(word, shape[0]) == shape[0]
            shape = shape[1:]
        require(fits, f"{what} has shape {array.shape}, which does not fit the rest")
    require(not shape, f"{what} has shape {array.shape}, which does not fit the rest")


def _check_numbers(array: Array, bound: str | None, sizes: Sizes, what: str) -> None:
    if bound is not None:
        inside = array.dtype.kind in "iu" and (array.size == 0 or (array.min() >= 0 and array.max() < sizes[bound]))
        require(inside, f"{what} holds numbers that stand for nothing")
        return
    require(array.dtype.kind == "f" or (array.ndim == 0 and array.dtype.kind in "iu"), f"{what} is no array of numbers")
    require(array.dtype.kind != "f" or bool(np.isfinite(array).all()), f"{what} holds numbers that are not finite")
