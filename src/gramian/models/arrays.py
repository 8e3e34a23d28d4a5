"""Arrays as bytes: the type, the shape and the order in memory stand in the head of a file, the numbers behind it.

A type is one of a short list: numbers of fixed size, texts and bytes of fixed length, dates, and records of these. The
order in memory is kept, for the last bit of a product can depend on it: the axes from the slowest to the fastest,
those that run backwards marked. On the way back every size is compared with the bytes that are there before memory is
taken, and values that NumPy trusts without looking (truth values, code points) are looked at.
"""

from __future__ import annotations

import math
import re
from io import BufferedReader
from typing import Any

import numpy as np

from gramian.checks import Array, check_characters
from gramian.models.container import aligned

MOST_AXES = 32
MOST_FIELDS = 10_000
MOST_LEVELS = 8  # of records in records
LONG = 2**31  # a side of an array without entries, such as the (0, length) of pieces that occur nowhere
_UNITS = "Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as"
_PLAIN = re.compile(
    rf"\|[biu]1|<[iu][248]|<f[248]|<c(8|16)|\|S[1-9]\d{{0,8}}|<U[1-9]\d{{0,7}}|<[mM]8(\[\d{{0,6}}({_UNITS})\])?"
)


# Types


def spell_type(dtype: np.dtype[Any]) -> Any:
    """Return a type as JSON; of records the names, types and shapes of the fields.

    Raises
    ------
    TypeError
        If numbers of that type mean something on one kind of machine only, or are references to objects.
    """
    if dtype.names is not None:
        fields = [(name, dtype[name].subdtype or (dtype[name], ())) for name in dtype.names]
        return [[name, spell_type(inner), list(shape)] for name, (inner, shape) in fields]
    if dtype.kind in "SU" and dtype.itemsize == 0:
        dtype = np.dtype(f"{dtype.kind}1")
    text = dtype.newbyteorder("<").str
    if not _PLAIN.fullmatch(text):
        raise TypeError(f"an array of type {dtype}")
    return text


def read_type(given: Any, level: int = 0) -> np.dtype[Any]:
    """Return the type that `spell_type` has spelled."""
    if isinstance(given, str):
        if not _PLAIN.fullmatch(given):
            raise ValueError(f"{given[:40]!r} is no type of numbers that a model file holds")
        return np.dtype(given)
    if not isinstance(given, list) or not 0 < len(given) <= MOST_FIELDS or level > MOST_LEVELS:
        raise ValueError("a type is neither a text nor a list of fields")
    return np.dtype([_field(entry, level + 1) for entry in given])


def _field(entry: Any, level: int) -> tuple[str, np.dtype[Any], tuple[int, ...]]:
    if not isinstance(entry, list) or len(entry) != 3 or not isinstance(entry[0], str) or not entry[0]:
        raise ValueError("a field of a record has not a name, a type and a shape")
    return entry[0], read_type(entry[1], level), read_shape(entry[2])


def read_shape(given: Any) -> tuple[int, ...]:
    """Return a shape: a list of integers of at least 0."""
    fits = isinstance(given, list) and len(given) <= MOST_AXES
    if not fits or not all(type(side) is int and 0 <= side < 2**48 for side in given):
        raise ValueError(f"{str(given)[:40]} is no shape of an array")
    return tuple(given)


# Arrays


def spell_array(array: Array) -> dict[str, Any]:
    """Return what has to be known of an array besides its bytes."""
    spelled: dict[str, Any] = {"type": spell_type(array.dtype), "shape": list(array.shape)}
    axes = _axes(array)
    if axes != list(range(1, array.ndim + 1)):
        spelled["axes"] = axes
    return spelled


def size_of(array: Array) -> int:
    """Return how many bytes an array takes in a file."""
    return array.size * read_type(spell_type(array.dtype)).itemsize


def bytes_of(array: Array) -> Array:
    """Return the bytes of an array, little-endian, in the order of its axes in memory."""
    straight = _straightened(array, _axes(array))
    packed = np.ascontiguousarray(straight, dtype=read_type(spell_type(array.dtype)))
    return packed.reshape(-1).view(np.uint8)


def read_arrays(file: BufferedReader, spelled: list[Any], start: int, length: int) -> list[Array]:
    """Read arrays that stand one after the other between two places of a file, and fill all that is there."""
    found, place = [], start
    for entry in spelled:
        if not isinstance(entry, dict) or not {"type", "shape"} <= entry.keys() <= {"type", "shape", "axes"}:
            raise ValueError("an array is not told by its type and shape")
        dtype, shape = read_type(entry["type"]), read_shape(entry["shape"])
        axes = _read_axes(entry.get("axes"), len(shape))
        place = aligned(place)
        size = math.prod(shape) * dtype.itemsize
        if max(shape, default=0) > max(length, LONG):  # (0, 2**40) takes no bytes here, and many elsewhere
            raise ValueError(f"an array of shape {shape} has a longer side than there are bytes")
        if place + size > length:
            raise ValueError(
                f"an array of shape {shape} takes {size:,} bytes, and {max(length - place, 0):,} are there"
            )
        file.seek(place)
        found.append(_read(file, dtype, shape, axes, size))
        place += size
    if spelled and place != length:
        raise ValueError(f"{length - place:,} bytes belong to no array")
    return found


def _read(file: BufferedReader, dtype: np.dtype[Any], shape: tuple[int, ...], axes: list[int], size: int) -> Array:
    order = [abs(axis) - 1 for axis in axes]
    straight = np.empty([shape[axis] for axis in order], dtype)
    if size and file.readinto(straight.reshape(-1).view(np.uint8).data) != size:
        raise ValueError("the file ended while it was read")
    _check_values(straight)
    back = straight.transpose(np.argsort(order)) if order else straight
    return _turned(back, axes)


def _check_values(array: Array) -> None:
    if array.dtype.names is not None:
        for name in array.dtype.names:
            _check_values(array[name])
    elif array.dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
        raise ValueError("a truth value is neither 0 nor 1")
    else:
        check_characters(array, "an array of texts")


def _axes(array: Array) -> list[int]:
    """Return the axes from the slowest to the fastest, counted from 1, and negative where they run backwards."""
    axes = list(range(1, array.ndim + 1))
    if array.size == 0 or array.flags.c_contiguous:
        return axes
    long = [axis for axis in range(array.ndim) if array.shape[axis] > 1]
    for place, axis in zip(long, sorted(long, key=lambda axis: -abs(array.strides[axis])), strict=True):
        axes[place] = -(axis + 1) if array.strides[axis] < 0 else axis + 1
    return axes


def _straightened(array: Array, axes: list[int]) -> Array:
    return _turned(array, axes).transpose([abs(axis) - 1 for axis in axes])


def _turned(array: Array, axes: list[int]) -> Array:
    """Return an array with those axes turned round that are marked."""
    backwards = tuple(-axis - 1 for axis in axes if axis < 0)
    return np.flip(array, backwards) if backwards else array


def _read_axes(given: Any, count: int) -> list[int]:
    if given is None:
        return list(range(1, count + 1))
    if not isinstance(given, list) or not all(type(axis) is int for axis in given):
        raise ValueError("the axes of an array are no list of integers")
    if sorted(map(abs, given)) != list(range(1, count + 1)):
        raise ValueError(f"{str(given)[:40]} are not the {count} axes of an array")
    return given
