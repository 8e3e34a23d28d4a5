"""Tensors as a place's arrays: conversion, and dense linear algebra where they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gramian.checks import Array
from gramian.places.torch import linear
from gramian.places.torch.parts import in_two_places
from gramian.runtime.ahead import ahead

TYPES: dict[np.dtype[Any], torch.dtype] = {
    np.dtype(np.float32): torch.float32,
    np.dtype(np.float64): torch.float64,
    np.dtype(np.int64): torch.int64,
}
NAMES: dict[torch.dtype, np.dtype[Any]] = {there: here for here, there in TYPES.items()}
WIDENED = 128  # columns that are taken to double precision at a time
STRIPE = {"cpu": 1024, "cuda": 2**16}  # rows of a tall matrix that are worked on at a time, at least
ACROSS = 2048  # columns of a scatter that are worked on at a time
LONGEST = 2**30  # bytes of temporary arrays


def dtype_of(dtype: Any) -> torch.dtype | None:
    """Return what torch calls a type of NumPy's."""
    return None if dtype is None else TYPES[np.dtype(dtype)]


class Arrays:
    """Tensors on one device."""

    def __init__(self, device: torch.device) -> None:
        self.device = device

    def exact(self) -> AbstractContextManager[None]:
        return linear.full_precision()

    def stripes(self, n: int, size: int) -> list[slice]:
        size = max(size, STRIPE.get(self.device.type, 1))
        return [slice(start, min(start + size, n)) for start in range(0, n, size)]

    def array(self, values: Any, dtype: Any = None) -> Tensor:
        if isinstance(values, np.ndarray) and not values.flags.writeable:
            values = values.copy()  # torch knows no numbers that are not to be written
        given = values if isinstance(values, Tensor) else torch.from_numpy(np.ascontiguousarray(values))
        return given.to(self.device, dtype_of(dtype))

    def host(self, A: Tensor) -> Array:
        return np.asarray(A.detach().cpu().numpy())

    def empty(self, shape: tuple[int, int], dtype: Any) -> Tensor:
        return torch.empty(shape, dtype=dtype_of(dtype), device=self.device)

    def zeros(self, side: int) -> Tensor:
        return torch.zeros((side, side), dtype=torch.float64, device=self.device)

    def stream(self, batches: Iterator[Any]) -> Iterator[Any]:
        if self.device.type != "cuda":
            yield from ahead(batches, lambda batch: (self._sent(batch[0]), batch[1]))
            return
        made: Any = torch.cuda.Stream  # it has no types
        aside = made(self.device)

        def sent(batch: Any) -> tuple[Any, Any, Any]:
            with torch.cuda.stream(aside):
                X = self._sent(batch[0])
                return X, batch[1], aside.record_event()

        for X, y, arrived in ahead(batches, sent):
            if isinstance(X, Tensor):
                here = torch.cuda.current_stream(self.device)
                here.wait_event(arrived)
                X.record_stream(here)  # its memory is not used again before this stream is through with it
            yield X, y

    def _sent(self, X: Any) -> Any:
        """Return a matrix of numbers here, by memory that a GPU reads by itself; other objects as they are."""
        if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype not in TYPES:
            return X
        given = torch.from_numpy(X if X.flags.writeable and X.flags.c_contiguous else X.copy())
        return (given.pin_memory() if self.device.type == "cuda" else given).to(self.device, non_blocking=True)

    def compact(self, A: Tensor) -> Tensor:
        whole = A.is_contiguous() and A.untyped_storage().nbytes() == A.numel() * A.element_size()
        return A if whole else A.clone(memory_format=torch.contiguous_format)

    def cast(self, A: Tensor, dtype: Any) -> Tensor:
        return A.to(dtype_of(dtype))

    def dtype(self, A: Tensor) -> np.dtype[Any]:
        if not isinstance(A, Tensor):
            raise in_two_places(self.device)
        return NAMES[A.dtype]

    def beside(self, A: Tensor, V: Array) -> Tensor:
        return torch.cat((A, self.array(V, self.dtype(A))), 1)

    def times(self, A: Tensor, V: Array) -> Array:
        dtype = np.result_type(self.dtype(A), V.dtype)
        return self.host(linear.product(self.cast(A, dtype), self.array(V, dtype)))

    def squares(self, A: Tensor) -> tuple[Array, Array]:
        squares = A.square()
        return self.host(squares.sum(0, dtype=torch.float64)), self.host(squares.sum(1, dtype=torch.float64))

    def lengths(self, A: Tensor) -> Array:
        return self.host(A.square().sum(1))

    def mean(self, A: Tensor, weights: Array | None = None) -> Array:
        if weights is None:
            return self.host(A.mean(0, dtype=torch.float64))
        w = self.array(weights, np.float64)
        return self.host((w / w.sum()) @ A.double())

    def look_through(self, A: Tensor, d: Array, L: Array, R: Array) -> None:
        scales, left, right = (self.array(part) for part in (d, L, R))
        for start in range(0, A.shape[1], WIDENED):
            span = slice(start, start + WIDENED)
            wide = self.cast(A[:, span], np.float64)
            A[:, span] = self.cast(wide * scales - left @ (right.T @ wide), self.dtype(A))

    def moved(self, A: Tensor, mean: Array, weights: Array | None = None) -> Tensor:
        moved = A - self.array(mean, self.dtype(A))
        return moved if weights is None else moved.mul_(self.array(np.sqrt(weights), self.dtype(A))[:, None])

    def finite(self, A: Tensor) -> bool:
        return bool(torch.isfinite(A.sum(dtype=torch.float64)))

    def add_at(self, A: Tensor, i: Array, j: Array, value: float) -> None:
        A[self.array(i), self.array(j)] += float(value)

    def syrk(self, rows: Tensor, lower: Tensor | None = None) -> Tensor:
        if lower is None:
            return linear.product(rows.T, rows)
        for start in range(0, rows.shape[1], ACROSS):  # half of it, in strips
            stop = min(start + ACROSS, rows.shape[1])
            lower[start:stop, :stop] += linear.product(rows[:, start:stop].T, rows[:, :stop])
        return lower

    def syr(self, factor: float, v: Array, lower: Tensor) -> Tensor:
        w = self.array(v, self.dtype(lower))
        return lower.addr_(w, w, alpha=factor)

    def trsm(self, L: Tensor, B: Tensor) -> Tensor:
        return linear.trsm(L, B)

    def substitute(self, L: Tensor, rows: Tensor) -> Tensor:
        triangle = L.to(rows.dtype)
        for some in self.stripes(len(rows), LONGEST // (rows.element_size() * max(1, rows.shape[1]))):
            rows[some] = linear.trsm(triangle, rows[some].T).T
        return rows

    def cholesky(self, A: Tensor) -> Cholesky:
        L = linear.cholesky(A)
        if L is None:
            raise np.linalg.LinAlgError("the matrix is not positive definite")
        return Cholesky(self, A, L)

    def eigh(self, A: Tensor) -> tuple[Array, Tensor]:
        values, vectors = linear.eigh(A)
        return self.host(values), vectors

    def svd(self, A: Tensor) -> tuple[Tensor, Array, Tensor]:
        with linear.full_precision():
            U, sigma, Vt = torch.linalg.svd(A, full_matrices=False)
        return U, self.host(sigma), Vt


class Cholesky:
    """A factor beside its matrix."""

    def __init__(self, arrays: Arrays, A: Tensor, L: Tensor) -> None:
        self._arrays, self._A, self._L = arrays, A, L

    def solve(self, B: Array) -> Array:
        right = self._arrays.array(B.reshape(len(B), -1), self._arrays.dtype(self._L))
        half = linear.trsm(self._L, right)
        return self._arrays.host(linear.trsm(self._L, half, transposed=True)).reshape(B.shape)

    def times(self, X: Array) -> Array:
        return self._arrays.times(self._A, X)

    def inverse_diagonal(self) -> Array:
        ones = torch.eye(len(self._L), dtype=self._L.dtype, device=self._L.device)
        return self._arrays.squares(linear.trsm(self._L, ones))[0]
