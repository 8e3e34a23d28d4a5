"""Inner products and distances of the rows of tensors, with the accuracy that the cores give them.

Squared distances go through one matrix product, ‖a‖² − 2aᵀb + ‖b‖², in double precision and after the origin was moved
into the tile; entries in which too few digits are left are taken again from the differences.
"""

from __future__ import annotations

import torch
from torch import Tensor

from gramian.places.torch.linear import product

ROUNDING = 4.0  # the expansion's error in units of ε (‖a‖² + ‖b‖²)
RELATIVE = {torch.float32: 1e-6, torch.float64: 1e-13}  # error allowed in a squared distance
PATCH = 0.05  # share of a tile up to which single entries are taken again; beyond it the whole tile is


def inner_products(A: Tensor, B: Tensor, dtype: torch.dtype) -> Tensor:
    """Return A Bᵀ. O(n m d)."""
    return product(A.to(dtype), B.to(dtype).T)


def city_blocks(A: Tensor, B: Tensor, sigma: float, dtype: torch.dtype) -> Tensor:
    """Return ‖a − b‖₁ / σ, from differences in double precision. O(n m d)."""
    return (torch.cdist(A.double(), B.double(), p=1.0) / sigma).to(dtype)


def squared_distances(A: Tensor, B: Tensor, sigma: float, dtype: torch.dtype, smooth: bool) -> Tensor:
    """Return ‖a − b‖²/σ²; with `smooth` an absolute error is as good as a relative one. O(n m d)."""
    origin = B.double().mean(0)
    a, b = ((P.double() - origin).div_(sigma) for P in (A, B))
    norms_a, norms_b = (p.square().sum(1) for p in (a, b))
    error = ROUNDING * torch.finfo(torch.float64).eps * float(norms_a.max() + norms_b.max())
    if not error < float("inf"):
        return _by_difference(A, B, sigma).to(dtype)
    squares = product(a, b.T).mul_(-2).add_(norms_a[:, None]).add_(norms_b[None, :]).to(dtype)
    if smooth and error <= RELATIVE[dtype]:
        return squares
    i, j = torch.nonzero(squares < error / RELATIVE[dtype], as_tuple=True)
    if len(i) > PATCH * squares.numel() and squares.numel() > 64:
        return _by_difference(A, B, sigma).to(dtype)
    if len(i):
        squares[i, j] = ((A[i].double() - B[j].double()) / sigma).square_().sum(1).to(dtype)
    return squares


def _by_difference(A: Tensor, B: Tensor, sigma: float) -> Tensor:
    a, b = (P.double() / sigma for P in (A, B))
    return torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist").square_()
