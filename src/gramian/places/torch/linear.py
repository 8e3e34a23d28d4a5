"""Dense linear algebra on tensors, in the precision they are in: no product is rounded to TF32.

torch multiplies float32 in TF32, good to three digits, where somebody has allowed that for the whole process. Here it
is switched off around every product and put back afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor


@contextmanager
def full_precision() -> Iterator[None]:
    """Multiply float32 in float32, whatever was allowed before."""
    before = torch.get_float32_matmul_precision()
    if before == "highest":
        yield
        return
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def product(A: Tensor, B: Tensor) -> Tensor:
    """Return A B."""
    with full_precision():
        return A @ B


def syrk(F: Tensor) -> Tensor:
    """Return Fᵀ F, exactly symmetric."""
    with full_precision():
        G = F.T @ F
    return (G + G.T).div_(2)


def trsm(L: Tensor, B: Tensor, *, transposed: bool = False) -> Tensor:
    """Return L⁻¹ B, or L⁻ᵀ B, for a lower triangular L."""
    with full_precision():
        found: Tensor = torch.linalg.solve_triangular(L.T if transposed else L, B, upper=transposed)
    return found


def cholesky(A: Tensor) -> Tensor | None:
    """Return the lower triangular L with L Lᵀ = A, None where A is not positive definite in this precision."""
    with full_precision():
        L, failed = torch.linalg.cholesky_ex(A)
    return None if int(failed) else L


def eigh(A: Tensor) -> tuple[Tensor, Tensor]:
    """Return the eigenvalues of a symmetric A, smallest first, and orthonormal eigenvectors."""
    with full_precision():
        values, vectors = torch.linalg.eigh(A)
    return values, vectors


def qr(A: Tensor) -> tuple[Tensor, Tensor]:
    """Return Q with orthonormal columns and an upper triangular R, Q R = A."""
    with full_precision():
        Q, R = torch.linalg.qr(A)
    return Q, R
