"""Rows split once, at encoding, into two half-precision parts, so that tensor cores compare them in single precision.

    x ≈ h + l        xᵀz ≈ (h, h, l)ᵀ(h′, l′, h′)

h is x rounded to a half-precision number, and l is what that leaves, rounded too: 22 digits of x between them. One
product of three times the width gives xᵀz to about 2⁻²³ |x||z|. What belongs to a row, −½ xᵀx, is taken with the same
products left out, so that rows that are equal are at a distance of 0. Where the width that tensor cores take leaves
room it is among the numbers of the row, in two parts too, beside ones on the other side: there it costs nothing to add.
"""

from __future__ import annotations

import torch
from torch import Tensor

MULTIPLE = 16  # numbers that tensor cores take up at a time
WIDEST = 256  # numbers of a row beyond which they are taken up in a loop, WIDE at a time
WIDE = 64
NEAREST = 32.0  # squared bandwidths from the centre up to which 22 digits of a coordinate are enough


def width_of(d: int) -> int:
    """Return how many half-precision numbers a row of d coordinates becomes."""
    least = 3 * d
    return -(-least // MULTIPLE) * MULTIPLE if least <= WIDEST else -(-least // WIDE) * WIDE


def norms_within(d: int) -> int:
    """Return of how many sides −½ xᵀx fits among the numbers of rows: of none, of the right one, or of both."""
    return min(2, (width_of(d) - 3 * d) // 2)


def pieces(width: int) -> list[tuple[int, int]]:
    """Return where pieces of a row start, and their widths, powers of two.

    >>> pieces(160)
    [(0, 128), (128, 32)]
    """
    found, start = [], 0
    while start < width:
        size = min(128, 1 << ((width - start).bit_length() - 1))
        found.append((start, size))
        start += size
    return found


def halves_of(values: Tensor) -> tuple[Tensor, Tensor]:
    """Return numbers in double precision as the sum of two in half precision."""
    high = values.half()
    return high, (values - high.double()).half()


def split(points: Tensor, rows: int, right: bool, sides: int = 0) -> tuple[Tensor, Tensor]:
    """Return rows as halves, and −½ xᵀx of each; filled up with copies of the last one to so many rows.

    `points` is in double precision; `right` is for the right-hand side of products. −½ xᵀx is among the halves of the
    right-hand side where `sides` is 1, and of both where it is 2.
    """
    n, d = points.shape
    high, low = halves_of(points)
    halves = torch.zeros(rows, width_of(d), dtype=torch.half, device=points.device)
    for k, part in enumerate((high, low, high) if right else (high, high, low)):
        halves[:n, k * d : (k + 1) * d] = part
    high, low = high.double(), low.double()
    exact = -0.5 * (high * (high + 2 * low)).sum(1)
    norms = torch.empty(rows, dtype=torch.float32, device=points.device)
    norms[:n] = exact
    for k in range(sides):  # of the right-hand side first
        place = slice(3 * d + 2 * k, 3 * d + 2 * k + 2)
        halves[:n, place] = torch.stack(halves_of(exact), 1) if right == (k == 0) else 1.0
    halves[n:], norms[n:] = halves[n - 1], norms[n - 1]
    return halves, norms
