"""What the torch place offers: K V, K itself and its diagonal, through Triton where it can, else through torch.

K = prepare(formula, rows, cols)      what belongs to one object is done here, once
K.multiply(V)                         in double precision
K.fill(out)
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula
from gramian.places.torch import interpret
from gramian.places.torch.fused import Fused, fused
from gramian.places.torch.memory import release
from gramian.places.torch.parts import device_of, precision_of
from gramian.places.torch.passes import MISSING, triton

MIRRORED = 4096  # rows of a triangle that are copied at a time
NO_ROOM = "the device has no memory left for a compiled pass: products with K go tile by tile, which takes longer"
WORTH = 10**6  # entries of K from which a pass is worth being compiled


@dataclass(frozen=True)
class Between:
    """An expression between two runs of encodings, on the device they are on."""

    formula: Formula
    rows: Encoded
    cols: Encoded
    dtype: torch.dtype
    passes: Fused | None
    memory: int | None = None

    @property
    def through(self) -> str:
        """What evaluates the expression: "triton" or "torch"."""
        return "torch" if self.passes is None else "triton"

    def multiply(self, V: Tensor) -> Tensor:
        """Return K V in double precision, V of shape (m, c)."""
        if self.passes is not None:
            try:
                return self.passes.multiply(V)
            except torch.OutOfMemoryError:  # a pass keeps points and sums of all rows; tiles need less
                _said(NO_ROOM)
            release(V.device)
        return interpret.multiply(self.formula, self.rows, self.cols, V, self.dtype, self.memory)

    def fill(self, out: Tensor | None = None, symmetric: bool = False) -> Tensor:
        """Return K, written into `out` if that is given; `symmetric` says that rows and columns are the same."""
        if out is None:
            device = device_of(self.rows, self.cols)
            out = torch.empty(len(self.rows), len(self.cols), dtype=self.dtype, device=device)
        if not self._passed(out, symmetric):
            interpret.fill(self.formula, self.rows, self.cols, out, self.memory)
            if symmetric:
                mirror(out)
        if symmetric:
            out.diagonal().copy_(interpret.norms(self.formula, self.rows))
        return out

    def _passed(self, out: Tensor, symmetric: bool) -> bool:
        """Write K by a compiled pass, if there is one that fits the array and the memory."""
        if self.passes is None or out.dtype != self.dtype or out.stride(1) != 1:
            return False
        try:
            self.passes.fill(out, symmetric)
        except torch.OutOfMemoryError:
            _said(NO_ROOM)
        else:
            return True
        release(out.device)
        return False


def mirror(A: Tensor) -> None:
    """Write the upper triangle of a square matrix over the lower one, some rows at a time."""
    for start in range(0, len(A), MIRRORED):
        rows = slice(start, start + MIRRORED)
        A[rows, :start] = A[:start, rows].T
        A[rows, rows] = A[rows, rows].triu() + A[rows, rows].triu(1).T


def prepare(
    formula: Formula, rows: Encoded, cols: Encoded, *, memory: int | None = None, worth: int | None = None
) -> Between:
    """Return an expression between two runs of encodings, ready to be multiplied and filled many times."""
    dtype = precision_of(formula, rows, cols)
    passes = fused(formula, rows, cols, dtype) if len(rows) * len(cols) >= (WORTH if worth is None else worth) else None
    if device_of(rows, cols).type == "cuda" and triton() is None:
        _said(MISSING)
    return Between(formula, rows, cols, dtype, passes, memory)


def multiply(formula: Formula, rows: Encoded, cols: Encoded, V: Tensor, **how: int) -> Tensor:
    """Return K V in double precision, V of shape (m, c)."""
    return prepare(formula, rows, cols, **how).multiply(V)


def norms(formula: Formula, a: Encoded) -> Tensor:
    """Return the values between each object and itself."""
    return interpret.norms(formula, a)


@cache
def _said(what: str) -> None:
    """Say something once in a process."""
    logging.getLogger("gramian").info(what)
