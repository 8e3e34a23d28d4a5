"""What is done with a partition on a worker: blocks of rows in, blocks of rows or parts of sums out.

None of these writes over what it is given: a task may be repeated on it, and other tasks have it too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.formula import encoded
from gramian.places import place_of


def seen(function: Callable[..., Any], kinds: tuple[Any, ...], *blocks: Any) -> Any:
    """Return what a function makes of blocks, of each of which some columns are looked at in a precision."""
    return function(*(b if kind is None else looked(b, *kind) for b, kind in zip(blocks, kinds, strict=True)))


def looked(block: Any, columns: slice, dtype: np.dtype[Any] | None) -> Any:
    """Return some columns of a block in a precision."""
    if columns != slice(None):
        block = block[:, columns]
    return block if dtype is None else encoded.in_precision(block, dtype)


def itself(block: Any) -> Any:
    """Return a block of its own, which does not keep a larger one alive."""
    return np.ascontiguousarray(block) if isinstance(block, np.ndarray) else block


def brought(block: Any) -> Any:
    """Return a block as the client has it: an array of NumPy, whichever place has the block."""
    return itself(place_of(block).host(block))


def pieced(look: tuple[Any, ...], blocks: list[Any], some: list[slice]) -> Any:
    """Return rows of several blocks as one."""
    return put_together([looked(block, *look)[rows] for block, rows in zip(blocks, some, strict=True)])


def put_together(parts: list[Any]) -> Any:
    """Return blocks, one after the other, as one."""
    found = parts[0]
    if len(parts) > 1 and isinstance(found, np.ndarray):
        return np.concatenate(parts)
    if isinstance(found, list):
        return [one for part in parts for one in part]
    for part in parts[1:]:
        found = encoded.joined(found, part)
    return found


def some_of(look: tuple[Any, ...], block: Any, rows: Array) -> Any:
    """Return rows of a block."""
    return [block[i] for i in rows] if isinstance(block, list) else brought(looked(block, *look)[rows])


def drawn(look: tuple[Any, ...], blocks: list[Any], places: tuple[Array, Array]) -> Any:
    """Return rows of several blocks in an order: which block, and which row of it."""
    home, row = places
    order = np.argsort(home, kind="stable")
    parts = [looked(block, *look)[row[home == k]] for k, block in enumerate(blocks)]
    return put_together(parts)[np.argsort(order, kind="stable")]


def taken(columns: Array, block: Array) -> Array:
    """Return columns of a block."""
    return np.ascontiguousarray(block[:, columns])


def written(columns: slice, block: Array, values: Array) -> Array:
    """Return a block with other numbers in some of its columns."""
    found = block.copy()
    found[:, columns] = values
    return found


def beside_number(function: Callable[..., Any], number: Any, block: Array) -> Array:
    """Return an operation on a block and a number."""
    return np.asarray(function(block, block.dtype.type(number)))


def product_by(B: Array, block: Array) -> Array:
    """Return block · B."""
    return np.asarray(block @ B)


def product_with_rows(block: Array, values: Array) -> Array:
    """Return blockᵀ · values."""
    return np.asarray(block.T @ values)


def added(parts: list[Any]) -> Any:
    """Return the sum of parts, from the first to the last; of tuples, of each of their members."""
    found = parts[0]
    for part in parts[1:]:
        found = tuple(map(operator.add, found, part)) if isinstance(found, tuple) else found + part
    return found


def in_columns_of(none: Any, block: Any) -> Any:
    """Return a block in the columns that others have, of which there is none."""
    return block.like(none)


def itself_given(block: Any) -> Any:
    """Return what was sent."""
    return block
