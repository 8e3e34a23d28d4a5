"""Which columns say nearly the same: numbers by Spearman's rank correlation, categories by Cramér's V.

    ρ = the correlation of ranks,        V² = (χ²/n − (r − 1)(c − 1)/(n − 1)) / (min(r̃, c̃) − 1),

V with the correction for chance of Bergsma (2013), r̃ = r − (r − 1)²/(n − 1). Columns above a threshold are joined, and
those that are joined by a chain are one cluster. Texts are not compared.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import scipy.sparse
from scipy.stats import rankdata

from gramian.checks import Array
from gramian.learn.fields import Fields

STRONG = 0.8  # from which columns are told together
MOST_ROWS = 20_000  # by which columns are compared
MOST_CATEGORIES = 100


def clusters_of(fields: Fields, strong: float = STRONG) -> list[tuple[Hashable, ...]]:
    """Return groups of columns that are strongly correlated, each in the order of the table.

    >>> from gramian.learn.fields import fields_of
    >>> clusters_of(fields_of(np.array([[1.0, 10.0, 3.0], [2.0, 30.0, 1.0], [3.0, 40.0, 5.0], [4.0, 90.0, 2.0]])))
    [(0, 1)]
    """
    if len(fields) > MOST_ROWS:
        fields = fields.take(np.linspace(0, len(fields) - 1, MOST_ROWS).astype(int))
    columns = {name: fields.values(name) for name in fields.names}
    kinds = {name: fields.kind(name) for name in fields.names}
    found: list[tuple[Hashable, ...]] = []
    numbers = [name for name in fields.names if kinds[name] == "number"]
    categories = [name for name in fields.names if kinds[name] == "category"]
    if len(numbers) > 1:
        found += _joined(
            numbers, np.abs(rank_correlations(np.column_stack([columns[name] for name in numbers]))), strong
        )
    if len(categories) > 1:
        codes = [np.unique([str(v) for v in columns[name].tolist()], return_inverse=True)[1] for name in categories]
        V = np.array([[association(a, b) if j < i else 0.0 for j, b in enumerate(codes)] for i, a in enumerate(codes)])
        found += _joined(categories, V + V.T, strong)
    return found


def _joined(names: list[Hashable], strength: Array, strong: float) -> list[tuple[Hashable, ...]]:
    count, label = scipy.sparse.csgraph.connected_components(scipy.sparse.csr_array(strength > strong), directed=False)
    groups = [tuple(name for name, of in zip(names, label, strict=True) if of == k) for k in range(count)]
    return [group for group in groups if len(group) > 1]


def rank_correlations(table: Array) -> Array:
    """Return Spearman's correlations between the columns of a table; 0 with a constant one."""
    ranks = rankdata(table, axis=0)
    ranks -= ranks.mean(axis=0)
    norms = np.sqrt(np.einsum("ij,ij->j", ranks, ranks))
    ranks /= np.where(norms > 0, norms, 1.0)
    return np.asarray(ranks.T @ ranks)


def association(a: Array, b: Array) -> float:
    """Return Cramér's V of two columns of codes, less what chance alone would give; 0 of constant ones.

    >>> a = np.array([0, 1, 2] * 20)
    >>> round(association(a, (a + 1) % 3), 3), association(a, np.arange(60) // 30)
    (1.0, 0.0)
    """
    n, r, c = len(a), int(a.max()) + 1, int(b.max()) + 1
    if min(r, c) < 2 or max(r, c) > MOST_CATEGORIES or n < 2:
        return 0.0
    counts = np.bincount(a * c + b, minlength=r * c).reshape(r, c).astype(np.float64)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    excess = np.sum(np.square(counts - expected) / expected) / n - (r - 1) * (c - 1) / (n - 1)
    least = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    return float(np.sqrt(max(excess, 0.0) / least)) if least > 0 else 0.0
