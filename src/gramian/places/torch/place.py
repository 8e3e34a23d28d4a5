"""The place of tensors: one for each device, found by `place_of` when it sees a tensor for the first time.

Tiles, K, factors and bases are tensors; vectors are kept by the host, which takes one step of an iteration for each
product, so that they cross once in n² evaluations.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gramian.checks import Array, check_shape
from gramian.formula import encoded
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula
from gramian.places import CORES, on_host, register, there
from gramian.places.protocol import Asked, Defaults, Place, Prepared, Remember
from gramian.places.torch import engine, interpret
from gramian.places.torch.arrays import NAMES, Arrays, dtype_of
from gramian.places.torch.memory import ON_CORES, budget, release
from gramian.places.torch.parts import check_devices, device_of
from gramian.places.torch.passes import available
from gramian.runtime.journal import at_once

# Said of the first product of a thread, which goes on as if nothing had been.
warnings.filterwarnings("ignore", message="Attempting to run cuBLAS, but there was no current CUDA context")

LANES = 4  # threads that keep a GPU busy while one of them waits for it
KEPT = 2**30  # bytes of K that are kept in the memory of the machine itself; a quarter of what is free on a GPU


class Torch(Arrays, Defaults):
    """One device of torch."""

    answers = True

    def __init__(self, device: torch.device) -> None:
        super().__init__(device)
        self.name = f"torch:{device}"

    @property
    def title(self) -> str:
        named = self.device.type == "cuda"
        return f"{torch.cuda.get_device_name(self.device)} ({self.device})" if named else f"torch ({self.device})"

    @property
    def lanes(self) -> int:
        return 1 if self.device.type == "cpu" else LANES

    @property
    def memory(self) -> int:
        return ON_CORES if self.device.type == "cpu" else budget(self.device)

    @property
    def speed(self) -> float:
        return 1.0 if self.device.type == "cpu" else 1000.0 if available(self.device) else 20.0

    @property
    def hold(self) -> int:
        return KEPT if self.device.type == "cpu" else budget(self.device) // 4

    @property
    def full(self) -> tuple[type[Exception], ...]:
        return (MemoryError, torch.OutOfMemoryError)

    def release(self) -> None:
        release(self.device)

    def encoded(self, kernel: Any, X: Any) -> Encoded:
        return there(kernel.encode(X), self)

    def features(self, phi: Callable[[Encoded], Any], a: Encoded, in_place: bool) -> Any:
        return phi(a) if in_place else self.array(phi(on_host(a)))

    def prepare(self, formula: Formula) -> Prepared:
        return Plan(formula)

    def entries(self, asked: Asked) -> Entries:
        return Entries(self, asked)

    def vectors(self, X: Any, name: str) -> Tensor:
        """Return what a user gave as rows of finite numbers, where they are."""
        if X.is_complex() or X.layout != torch.strided:
            raise TypeError(f"{name} is a tensor of {X.dtype} ({X.layout}); a dense one of real numbers expected")
        check_shape(tuple(X.shape), name)
        X = X.detach()
        found: Tensor = X.double() if not X.is_floating_point() else X
        found = found if found.dtype in NAMES else found.float()
        bad = torch.nonzero(~torch.isfinite(found))
        if len(bad):
            where = tuple(bad[0].tolist())
            raise ValueError(
                f"{name} holds {float(found[where])} (first at index {where}); finite numbers expected: "
                "drop or impute those samples first"
            )
        return found


class Plan:
    """An expression, evaluated where the objects are."""

    scratch = interpret.TILES

    def __init__(self, formula: Formula) -> None:
        self.formula = formula

    def write(self, a: Encoded, b: Encoded, out: Tensor | Array) -> None:
        """Write values into a tensor, or into an array of the host that a kernel made of others has."""
        check_devices(self.formula, a, b)
        if isinstance(out, Tensor):
            interpret.fill(self.formula, a, b, out)
            return
        values = torch.empty(out.shape, dtype=dtype_of(out.dtype), device=device_of(a, b))
        out[...] = interpret.fill(self.formula, a, b, values).cpu().numpy()

    def norms(self, a: Encoded) -> Array:
        return np.asarray(interpret.norms(self.formula, a).cpu().numpy())

    def of(self, values: Array) -> Array:
        return CORES.prepare(self.formula).of(values)


class Entries:
    """The entries of K, by compiled passes where there is a GPU, and by torch's operations."""

    def __init__(self, place: Torch, asked: Asked) -> None:
        self.place, self.asked = place, asked
        check_devices(asked.plan.formula, asked.rows, asked.cols)

    @cached_property
    def _between(self) -> engine.Between:
        a = self.asked
        return engine.prepare(a.plan.formula, a.rows, a.cols, memory=a.memory)

    def matrix(self, remember: Remember) -> Tensor:
        a = self.asked
        out = self._between.fill(self.place.empty(a.shape, a.dtype), a.symmetric)
        if a.symmetric:
            out.diagonal().copy_(self.place.array(a.diagonal(), a.dtype) if a.diagonal else out.new_zeros(len(out)))
        return out

    def block(self, rows: Any, cols: Any, remember: Remember) -> Tensor:
        a, b = self.asked.rows[rows], self.asked.cols[cols]
        return interpret.fill(self.asked.plan.formula, a, b, self.place.empty((len(a), len(b)), self.asked.dtype))

    def multiply(self, V: Array, remember: Remember) -> Array:
        def work(_: Any) -> Array:
            return self.place.host(self._between.multiply(self.place.array(V, self.asked.dtype)))

        return remember(("product", V), work)

    def both(self, V: Array, W: Array) -> tuple[Array, Array]:
        a, place = self.asked, self.place
        if self._between.passes is not None:  # to compute values twice takes less time than to write them
            turned = Entries(place, replace(a, rows=a.cols, cols=a.rows))._between
            given = place.array(V, a.dtype), place.array(W, a.dtype)
            return place.host(self._between.multiply(given[0])), place.host(turned.multiply(given[1]))
        n, m = a.shape
        found, back = np.empty((n, V.shape[1])), np.zeros((m, W.shape[1]))
        for rows in place.stripes(n, max(1, a.memory // (a.dtype.itemsize * (1 + a.plan.scratch) * m))):
            tile = self.block(rows, slice(None), _computed)
            found[rows] = place.times(tile, V.astype(np.float64))
            back += place.times(tile.T, W[rows].astype(np.float64))
        return found, back

    def can_hold(self, dtype: np.dtype[Any]) -> bool:
        return len(self.asked.rows) ** 2 * dtype.itemsize <= self.place.hold

    def hold(self, dtype: np.dtype[Any], remember: Remember) -> Held:
        return Held(self.place, self.place.cast(self.matrix(remember), dtype))


def _computed(what: tuple[Any, ...], compute: Callable[..., Array]) -> Array:
    """Compute what is not to be remembered."""
    return compute(at_once)


class Held:
    """K, kept."""

    def __init__(self, place: Torch, K: Tensor) -> None:
        self._place, self._K = place, K

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._place.dtype(self._K)

    def multiply(self, V: Array, remember: Remember) -> Array:
        product = remember(
            ("held", self.dtype.str, V), lambda _: self._place.times(self._K, V.astype(self.dtype, copy=False))
        )
        return product.astype(np.float64, copy=False)

    def matrix(self, dtype: Any = None, factor: float = 1.0) -> Tensor:
        return self._place.cast(self._K * factor, dtype or self.dtype)


def on(device: torch.device) -> Place:
    """Return the place of the tensors on a device."""
    if device.type == "cuda" and device.index is None:
        device = torch.device("cuda", torch.cuda.current_device())
    return _place(device)


@cache
def _place(device: torch.device) -> Place:
    return Torch(device)


register(Tensor, lambda tensor: on(tensor.device))
encoded.copied.register(Tensor, lambda part: part.clone())
encoded.joined.register(Tensor, lambda p, q: torch.cat((p, q)))


@encoded.in_precision.register(Tensor)
def _in_precision(part: Tensor, dtype: np.dtype[Any]) -> Tensor:
    return part.to(dtype_of(dtype)) if part.is_floating_point() else part
