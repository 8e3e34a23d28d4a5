"""The border: what comes from the user is checked once, here, and nowhere else.

Every message says what was received, what was expected and what to do about it. Behind this line the code trusts its
arguments.
"""

from __future__ import annotations

import numbers
import re
import sys
import warnings
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]

LARGEST_POINT = 0x10FFFF  # of Unicode

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def is_sparse(X: Any) -> bool:
    """Tell whether X is a SciPy sparse array or matrix, without importing SciPy."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def as_vectors(X: Any, name: str = "X", *, sparse: bool = False) -> Any:
    """Return X as a finite real two-dimensional array, one sample per row.

    float32 and float64 are kept as they are (no copy); float16 becomes float32; integers and booleans become
    float64. With `sparse=True` a SciPy sparse array is accepted and returned in CSR form.

    Raises
    ------
    TypeError
        If X holds anything but real numbers, or is sparse where that is not supported.
    ValueError
        If X is not two-dimensional, is empty or ragged, or holds NaN or infinity.
    """
    if is_sparse(X):
        if not sparse:
            raise TypeError(
                f"{name} is a sparse array, and this kernel needs a dense one: pass {name}.toarray(), or use a kernel "
                "that takes sparse input as it is (Linear, Polynomial, Bilinear, Gaussian, Matern)"
            )
        X = X.tocsr()
        _check_real(X.dtype, name)
        _check_finite(X.data, name)
    else:
        X = _dense(X, name)
    check_shape(X.shape, name)
    found = X.astype(_float_type(X.dtype), copy=False)
    if X.dtype.itemsize > found.dtype.itemsize:
        _check_finite(found.data if is_sparse(found) else found, name)
    return found


def check_shape(shape: tuple[int, ...], name: str) -> None:
    """Refuse what is not two-dimensional, or empty."""
    if len(shape) != 2 and 0 not in shape:
        hint = (
            f"reshape it with {name}.reshape(-1, 1) if it is one feature, {name}.reshape(1, -1) if it is one sample"
            if len(shape) == 1
            else "one row per sample and one column per feature"
        )
        raise ValueError(f"{name} has {len(shape)} dimension(s), 2 expected: {hint}")
    if 0 in shape:
        raise ValueError(f"{name} is empty: its shape is {shape}; at least one sample and one feature expected")


def at_hand(X: Any) -> Any:
    """Return what is given, unless it is a collection whose parts are elsewhere: none is brought here unasked.

    Raises
    ------
    TypeError
        If it is a collection of Dask.
    """
    if type(X).__module__.partition(".")[0] == "dask":
        raise TypeError(
            f"this takes data at hand, and was given a {type(X).__name__} of Dask, which is not gathered unasked: "
            "learners with a rank take collections as they are; elsewhere pass a part that fits, such as "
            "X[:10_000].compute()"
        )
    return X


def from_device(X: Any) -> Any:
    """Return a tensor, or an array of CuPy, wherever it is, as one that NumPy can read; anything else as it is."""
    at_hand(X)
    if hasattr(X, "__cuda_array_interface__") and hasattr(X, "get"):
        return X.get()
    if hasattr(X, "detach") and hasattr(X, "cpu"):
        X = X.detach().cpu()
        return X.numpy() if X.element_size() > 2 or not X.is_floating_point() else X.float().numpy()
    return X


def _dense(X: Any, name: str) -> Array:
    X = from_device(X)
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError(f"{name} has masked entries; drop or impute those samples first")
    try:
        A = np.asarray(X)
    except ValueError as error:
        raise ValueError(
            f"{name} is not rectangular: every row must have the same number of features ({error})"
        ) from None
    _check_real(A.dtype, name)
    _check_finite(A, name)
    return A


def _check_real(dtype: np.dtype[Any], name: str) -> None:
    if dtype.kind == "c":
        raise TypeError(f"{name} is complex ({dtype}); real numbers expected: pass {name}.real, or |{name}|")
    if dtype.kind not in "fiub":
        raise TypeError(
            f"{name} has dtype {dtype}; real numbers expected: convert or drop the columns that are not numeric"
        )


def _check_finite(values: Array, name: str) -> None:
    if values.dtype.kind != "f" or bool(np.isfinite(values).all()):
        return
    where = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
    raise ValueError(
        f"{name} holds {values[where]} (first at index {where}); finite numbers expected: "
        "drop or impute those samples first"
    )


def _float_type(dtype: np.dtype[Any]) -> type[np.floating[Any]]:
    if dtype.kind == "f" and dtype.itemsize <= 4:
        return np.float32
    return np.float64


def check_characters(texts: Array, name: str) -> None:
    """Refuse an array of texts in which a number stands for no character: Python cannot work with such texts."""
    if texts.dtype.kind == "U" and texts.size and texts.dtype.itemsize:
        points = np.ascontiguousarray(texts).reshape(-1).view(np.uint32)
        if texts.dtype.byteorder == ">":
            points = points.byteswap()
        if points.max() > LARGEST_POINT:
            raise ValueError(f"{name}: a text holds the number {int(points.max())}, which is no character")


def as_matrix(K: Any, name: str) -> Array:
    """Return K as a finite, square, exactly shaped real matrix that is symmetric up to rounding."""
    K = as_vectors(K, name)
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"{name} has shape {K.shape}; a square matrix expected")
    scale = float(np.max(np.abs(np.diagonal(K)))) or float(np.max(np.abs(K)))
    tolerance = 1e3 * float(np.finfo(K.dtype).eps) * scale
    for start in range(0, len(K), 1024):
        stripe = slice(start, start + 1024)
        gap = np.abs(K[stripe] - K[:, stripe].T)
        if gap.size and gap.max() > tolerance:
            i, j = np.unravel_index(int(np.argmax(gap)), gap.shape)
            raise ValueError(
                f"{name} is not symmetric: {name}[{start + i}, {j}] = {K[start + i, j]:.6g} but "
                f"{name}[{j}, {start + i}] = {K[j, start + i]:.6g}; if that is rounding, pass ({name} + {name}.T) / 2"
            )
    return np.asarray(K)


def as_indices(X: Any, size: int, name: str = "X") -> Array:
    """Return X as a flat array of sample indices in [0, size)."""
    at_hand(X)
    try:
        indices = np.asarray(X)
    except ValueError:
        raise ValueError(f"{name} is ragged; a flat list of sample indices expected") from None
    if indices.ndim == 2 and indices.shape[1] == 1:
        indices = indices[:, 0]
    if indices.ndim != 1 or indices.size == 0:
        raise ValueError(
            f"{name} has shape {indices.shape}; a non-empty list of indices expected, such as range({size})"
        )
    if indices.dtype.kind not in "iu":
        if indices.dtype.kind != "f" or not bool((np.isfinite(indices) & (indices == np.round(indices))).all()):
            raise TypeError(
                f"{name} has dtype {indices.dtype}; integer sample indices between 0 and {size - 1} expected"
            )
        indices = indices.astype(np.intp)
    if int(indices.min()) < 0 or int(indices.max()) >= size:
        raise ValueError(
            f"{name} holds index {int(indices.min()) if indices.min() < 0 else int(indices.max())}; "
            f"indices between 0 and {size - 1} expected"
        )
    return indices.astype(np.intp, copy=False)


def as_array(values: Any, name: str) -> Array:
    """Return values as a real array of any shape; ragged and non-numeric ones are refused."""
    try:
        found = np.asarray(from_device(values))
    except ValueError:
        raise ValueError(f"{name} are ragged; a rectangular array of numbers expected") from None
    if found.dtype.kind not in "fiub":
        raise TypeError(f"{name} have dtype {found.dtype}; real numbers expected")
    return found


def as_selection(index: Any, size: int) -> Array:
    """Return the positions that an integer, a slice, a mask or a list selects among `size`; a scalar for an integer."""
    if isinstance(index, bool | np.bool_) or index is None:
        raise TypeError(f"the index is {index!r}; an integer, a slice or a list of integers expected")
    chosen = np.arange(size)[index]
    if chosen.ndim > 1:
        raise ValueError(f"the index has {chosen.ndim} dimensions; an integer, a slice or a flat list expected")
    return np.asarray(chosen)


def as_number(value: Any, name: str) -> float:
    """Return value as a finite float; booleans and strings are refused."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real | np.floating | np.integer):
        raise TypeError(f"{name} is {value!r} ({type(value).__name__}); a real number expected")
    try:
        number = float(value)
    except OverflowError:  # an integer or a fraction may be as large as it likes
        raise ValueError(f"{name} is beyond the largest float, 1.8e308; a smaller number expected") from None
    if not np.isfinite(number):
        raise ValueError(f"{name} is {value}; a finite number expected")
    return number


def positive(value: Any, name: str) -> float:
    """Return value as a float above zero."""
    number = as_number(value, name)
    if number <= 0:
        raise ValueError(f"{name} is {value}; a number above 0 expected")
    return number


def non_negative(value: Any, name: str) -> float:
    """Return value as a float of at least zero."""
    number = as_number(value, name)
    if number < 0:
        raise ValueError(f"{name} is {value}; a number of at least 0 expected")
    return number


def fraction(value: Any, name: str) -> float:
    """Return value as a float strictly between 0 and 1."""
    number = as_number(value, name)
    if not 0 < number < 1:
        raise ValueError(f"{name} is {value}; a number strictly between 0 and 1 expected")
    return number


def whole(value: Any, name: str, least: int = 1, most: int | None = None) -> int:
    """Return value as an integer of at least `least` and at most `most`; 3.0 is refused as 2.5 is."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral | np.integer):
        raise TypeError(f"{name} is {value!r} ({type(value).__name__}); an integer expected")
    if value < least:
        raise ValueError(f"{name} is {value}; an integer of at least {least} expected")
    if most is not None and int(value) > most:
        raise ValueError(f"{name} is {value}; an integer of at most {most:,} expected")
    return int(value)


def flag(value: Any, name: str) -> bool:
    """Return value, True or False; 1 and "yes" are refused."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} is {value!r} ({type(value).__name__}); True or False expected")
    return bool(value)


def as_bytes(memory: Any) -> int:
    """Return a memory budget in bytes from a number or a text such as "256 MB" or "1GiB".

    >>> as_bytes("256 MB"), as_bytes("1KiB"), as_bytes(5e6)
    (256000000, 1024, 5000000)
    """
    if isinstance(memory, str):
        match = re.fullmatch(r"\s*([0-9.]+)\s*([A-Za-z]*)\s*", memory)
        if match is None or match[2].upper() not in _UNITS or match[1].count(".") > 1 or match[1] == ".":
            raise ValueError(f"memory is {memory!r}; a size such as '256 MB', '1 GiB' or 256e6 expected")
        memory = float(match[1]) * _UNITS[match[2].upper()]
    return int(positive(memory, "memory"))


def as_generator(rng: Any) -> np.random.Generator:
    """Return a NumPy generator from a generator, a seed, or None (fresh entropy)."""
    if isinstance(rng, np.random.Generator):
        return rng
    if rng is None or isinstance(rng, np.random.SeedSequence):
        return np.random.default_rng(rng)
    if isinstance(rng, numbers.Integral) and not isinstance(rng, bool):
        return np.random.default_rng(whole(rng, "rng", least=0))
    raise TypeError(f"rng is {rng!r} ({type(rng).__name__}); an integer seed, a numpy Generator or None expected")


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, and name the line outside this package that the call came from."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "gramian":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
