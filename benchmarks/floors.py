"""The physical limit: the least time that this machine's products and exponentials alone would take.

Rates are measured here and now, on one core each, and all cores are taken to work at them without loss. What a floor
leaves out is memory traffic, the sums between steps, and everything that is done once.
"""

import numpy as np
from measure import cores, limits, syrk_rate

Floor = tuple[float, str]  # seconds, and what they are made of


def of_gram(n: int, d: int, dtype: type) -> Floor:
    """Half the matrix of a Gaussian kernel: a product of width d + 2 and an exponential an entry."""
    rates = limits(dtype, d + 2)
    seconds = n * n / 2 * (rates["product"] + rates["exp"]) * 1e-9 / cores()
    return seconds, f"half of the {n:,}² entries, {_entry(rates, d, dtype)}"


def of_products(n: int, d: int, columns: int, products: int) -> Floor:
    """Products with K, whose entries are computed anew for each, in single precision: half of them, K is symmetric."""
    rates = limits(np.float32, d + 2)
    flop = limits(np.float32, 768)["product"] / 768  # a multiplication and an addition, in a large product
    per_entry = rates["product"] + rates["exp"] + 2 * columns / max(products, 1) * flop
    seconds = products * n * n / 2 * per_entry * 1e-9 / cores()
    return seconds, (
        f"{products} products with K, for each half of the {n:,}² entries in single precision, "
        f"{_entry(rates, d, np.float32)}, and {columns} columns in all to be multiplied with them"
    )


def of_moments(n: int, rank: int, d: int) -> Floor:
    """The second moments of n feature vectors, and the values of the kernel they are made of."""
    rates, syrk = limits(np.float64, d + 2), syrk_rate(rank)
    seconds = n * rank**2 / syrk + n * rank * (rates["product"] + rates["exp"]) * 1e-9 / cores()
    return seconds, (
        f"n · m² = {n * rank**2:.0e} operations of the moments at {syrk / 1e9:.0f} GFlop/s (dsyrk on all cores), and "
        f"n · m values of the kernel, {_entry(rates, d, np.float64)}"
    )


def _entry(rates: dict[str, float], d: int, dtype: type) -> str:
    return (
        f"{rates['product']:.2f} ns a product of width {d + 2} and {rates['exp']:.2f} ns an exp "
        f"({np.dtype(dtype).name}) on one of {cores()} cores"
    )
