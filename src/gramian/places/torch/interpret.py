"""Expressions through torch's operations: one pass over a tile for each, on any device.

This is how work is done where there is no Triton (on the cores, on a Mac, on other makers' GPUs), and what has no
compiled form: blocks of a kernel's own, which the host fills and sends over, and functions that are no expression.
What belongs to rows or to columns alone is computed for these alone, in double precision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import reduce
from math import isqrt
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gramian.formula import expression as ex
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula
from gramian.places.cores.interpret import Plan
from gramian.places.torch.distances import city_blocks, inner_products, squared_distances
from gramian.places.torch.linear import product
from gramian.places.torch.memory import budget, with_smaller
from gramian.places.torch.parts import at, device_of, on_host, precision_of

LARGEST_TILE = 2**26  # entries, beyond which a tile is not multiplied any faster
TILES = 6  # tiles that are held at a time: distances, their second look, operands


def evaluate(formula: Formula, leaf: Callable[[ex.Leaf | ex.Given], Tensor]) -> Any:
    """Return the values of an expression from those of its leaves, as arrays that broadcast: a number if it is one."""
    uses = Counter(inner for f in formula.walk() for inner in f.operands.values())
    values: dict[Formula, Any] = {}
    for f in formula.walk():
        given = [values[inner] for inner in f.operands.values()]
        values[f] = leaf(f) if isinstance(f, ex.Leaf | ex.Given) else _operation(f, _alike(f, given))
        uses.subtract(f.operands.values())
        for inner in set(f.operands.values()):
            if not uses[inner]:
                del values[inner]  # tiles are large
    return values[formula]


def _alike(f: Formula, given: list[Any]) -> list[Any]:
    """Return operands in the precision of those that belong to pairs."""
    pairs = [values for inner, values in zip(f.operands.values(), given, strict=True) if inner.of_pairs]
    return [v.to(pairs[0].dtype) if isinstance(v, Tensor) else v for v in given] if pairs else given


def _operation(f: Formula, given: list[Any]) -> Any:
    match f:
        case ex.Number(value):
            return value
        case ex.Plus():
            return given[0] + given[1]
        case ex.Times():
            return given[0] * given[1]
        case ex.Power(_, degree):
            return _power(given[0], degree)
        case ex.Polynomial(_, coefficients):
            return reduce(lambda sums, c: sums * given[0] + c, reversed(coefficients[:-1]), coefficients[-1])
        case ex.Apply(_, function):
            return _applied(function, given[0])
    values = torch.as_tensor(given[0], dtype=None if isinstance(given[0], Tensor) else torch.float64)
    match f:
        case ex.Exp():
            return values.exp()
        case ex.Expm1():
            return values.expm1()
        case ex.Sqrt():
            return values.sqrt()
        case ex.AtLeast(_, bound):
            return values.clamp(min=bound)
        case ex.AtMost(_, bound):
            return values.clamp(max=bound)
    raise TypeError(f"{f!r} has no values of its own")


def _power(base: Any, degree: int) -> Any:
    """Square and multiply."""
    value = base
    for bit in bin(degree)[3:]:
        value = value * value
        if bit == "1":
            value = value * base
    return value


def _applied(function: Callable[[Any], Any], values: Any) -> Any:
    if not isinstance(values, Tensor):
        return float(function(np.array([values]))[0])
    found = np.asarray(function(values.double().cpu().numpy()))
    return torch.from_numpy(found).to(values.device, values.dtype)


def values_between(formula: Formula, a: Encoded, b: Encoded, dtype: torch.dtype) -> Tensor:
    """Return all values between the objects of a and those of b."""
    device = device_of(a, b)

    def leaf(f: ex.Leaf | ex.Given) -> Tensor:
        assert isinstance(f, ex.Leaf)
        if isinstance(f, ex.OfRow | ex.OfColumn):
            numbers = torch.as_tensor(at(a if isinstance(f, ex.OfRow) else b, f.part), device=device).double()
            return numbers.reshape((-1, 1) if isinstance(f, ex.OfRow) else (1, -1))
        if not _has_tensors(f, a):
            return _by_host(f, a, b, dtype).to(device)
        return _between(f, at(a, f.part), at(b, f.part), dtype)

    values = torch.as_tensor(evaluate(formula, leaf), dtype=dtype, device=device)
    return values.expand(len(a), len(b))


def _has_tensors(f: ex.Leaf, a: Encoded) -> bool:
    return not isinstance(f, ex.Opaque) and isinstance(at(a, f.part), Tensor)


def _by_host(f: ex.Leaf, a: Encoded, b: Encoded, dtype: torch.dtype) -> Tensor:
    """Return what the cores make of strings, nodes, sparse rows: a block that is sent over."""
    out = np.empty((len(a), len(b)), np.float32 if dtype == torch.float32 else np.float64)
    Plan(f).write(on_host(a), on_host(b), out)
    return torch.from_numpy(out)


def _between(f: ex.Leaf, A: Tensor, B: Tensor, dtype: torch.dtype) -> Tensor:
    match f:
        case ex.Dot():
            return inner_products(A, B, dtype)
        case ex.SquaredDistance(bandwidth=sigma, factor=factor, smooth=smooth):
            return squared_distances(A, B, sigma, dtype, smooth).mul_(factor)
        case ex.CityBlock(bandwidth=sigma):
            return city_blocks(A, B, sigma, dtype)
    raise TypeError(f"{f!r} is no leaf that is known here")


def norms(formula: Formula, a: Encoded) -> Tensor:
    """Return the values between each object and itself."""
    device, dtype = device_of(a), precision_of(formula, a, a)

    def leaf(f: ex.Leaf | ex.Given) -> Tensor:
        assert isinstance(f, ex.Leaf)
        if not f.of_pairs:
            return torch.as_tensor(at(a, f.part), device=device).double().reshape(-1)
        if not _has_tensors(f, a):
            return torch.as_tensor(Plan(f).norms(on_host(a)), device=device, dtype=dtype)
        if isinstance(f, ex.Dot):
            return torch.as_tensor(at(a, f.part).double().square().sum(1), dtype=dtype)
        return torch.zeros(len(a), device=device, dtype=dtype)

    return torch.as_tensor(evaluate(formula, leaf), device=device, dtype=dtype).expand(len(a)).clone()


def function_of(formula: Formula, values: Tensor) -> Tensor:
    """Return this function of values: an expression in `Given` alone."""
    return torch.as_tensor(evaluate(formula, lambda f: values), dtype=values.dtype, device=values.device)


def numbers_of(formula: Formula, a: Encoded) -> Tensor:
    """Return what belongs to the rows alone, or to the columns alone, in double precision."""
    device = device_of(a)

    def leaf(f: ex.Leaf | ex.Given) -> Tensor:
        assert isinstance(f, ex.Leaf)
        return torch.as_tensor(at(a, f.part), device=device).double().reshape(-1)

    return torch.as_tensor(evaluate(formula, leaf), dtype=torch.float64, device=device).expand(len(a))


def fill(formula: Formula, a: Encoded, b: Encoded, out: Tensor, memory: int | None = None) -> Tensor:
    """Write the values between the objects of a and those of b into out[i, j], some rows at a time."""

    def work(entries: int) -> None:
        for i in _spans(len(a), max(1, entries // max(len(b), 1))):
            out[i] = values_between(formula, a[i], b, out.dtype)

    with_smaller(work, _entries(out, memory))
    return out


def multiply(
    formula: Formula, a: Encoded, b: Encoded, V: Tensor, dtype: torch.dtype, memory: int | None = None
) -> Tensor:
    """Return K V in double precision, V of shape (m, c). O(tile) memory."""
    sums = torch.empty(len(a), V.shape[1], dtype=torch.float64, device=V.device)
    V = V.to(dtype)

    def work(entries: int) -> None:
        rows = max(1, min(len(a), isqrt(entries)))
        sums.zero_()
        for i in _spans(len(a), rows):
            for j in _spans(len(b), max(1, entries // rows)):
                sums[i] += product(values_between(formula, a[i], b[j], dtype), V[j]).double()

    with_smaller(work, _entries(V, memory))
    return sums


def _spans(n: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def _entries(like: Tensor, memory: int | None) -> int:
    """Return how many entries a tile may have."""
    held = budget(like.device) if memory is None else memory
    return int(max(1, min(LARGEST_TILE, held // (TILES * like.element_size()))))
