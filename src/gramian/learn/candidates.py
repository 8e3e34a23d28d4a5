"""Which kernels make sense for objects of a kind: what a search tries when it is given nothing to try.

Vectors are standardized and compared at several widths around their median distance, and without any; strings by
subsequences of several lengths; documents by their words; the nodes of a graph by diffusions of several lengths; mixed
records by sums and products of a kernel for each kind of column. Dates are numbers, for what is long ago is
unlike what is new, and points on circles, for summers are like summers and Sundays like Sundays: each cycle that can be
seen in them counts as one more column. The safest comes first.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import scipy.sparse.linalg

from gramian.checks import Array, is_sparse
from gramian.intake.dataset import Dataset
from gramian.intake.dates import cycles
from gramian.intake.errors import DataError
from gramian.intake.reading import from_objects
from gramian.kernels.algebra import Kernel
from gramian.kernels.dotproduct import Linear, Polynomial
from gramian.kernels.equality import Equality
from gramian.kernels.graphs.diffusion import ExponentialDiffusion, VonNeumannDiffusion
from gramian.kernels.graphs.graph import Graph
from gramian.kernels.periodic import Periodic
from gramian.kernels.radial import Gaussian, Laplacian
from gramian.kernels.standardize import Standardize
from gramian.kernels.strings.full_spectrum import FullSpectrum
from gramian.kernels.strings.mismatch import Mismatch
from gramian.kernels.strings.sequences import as_sequences
from gramian.kernels.strings.spectrum import Composition, Spectrum
from gramian.kernels.text.bag_of_words import BagOfWords

SEASON = 0.5  # bandwidth on circles, of cycles that stand for themselves: a month of the year, half a day of the week
LOOKED_AT = 1000  # strings by whose letters an alphabet is judged


def candidates_for(X: Any, kernel: Any = None) -> list[Kernel]:
    """Return the kernels to try on objects in memory; where `kernel` is one of the nodes of a graph, others of these.

    Examples
    --------
    >>> candidates_for(["acgt", "acct", "tgca"])[:2]
    [(Spectrum(length=3) + 1).normalize(), (Spectrum(length=2) + 1).normalize()]
    """
    if (graph := graph_of(kernel)) is not None:
        return _of_nodes(graph)
    try:
        return candidates(_by_name(from_objects(X), X))
    except DataError as refused:
        try:
            as_sequences(X)  # bytes and lists of tokens, which are in no file
        except (TypeError, ValueError):
            raise refused from None
        return [_unit(one) for one in _of_strings(X)]


def _by_name(data: Dataset, X: Any) -> Dataset:
    """Return vectors that came as a frame with dates as columns with names, for such a frame is no matrix."""
    if data.kind != "vectors" or not hasattr(X, "columns") or "date" not in data.recipe.kinds.values():
        return data
    columns = {name: data.X[:, place] for place, name in enumerate(data.recipe.columns)}
    return replace(data, kind="records", X=columns)


def graph_of(kernel: Any) -> Graph | None:
    """Return the graph whose nodes a kernel, or one that it is made of, compares."""
    if not isinstance(kernel, Kernel):
        return None
    if isinstance(graph := getattr(kernel, "graph", None), Graph):
        return graph
    return next(filter(None, map(graph_of, kernel._inner().values())), None)


def candidates(data: Dataset) -> list[Kernel]:
    """Return the kernels that make sense for this kind of data, the safest first."""
    if data.kind == "vectors":
        return _of_vectors(data.X)
    if data.kind == "strings":
        return [_unit(kernel) for kernel in _of_strings(data.X)]
    if data.kind == "documents":
        return [_unit(kernel) for kernel in (BagOfWords("tf-idf"), BagOfWords("tf"))]
    if data.graph is not None:
        return _of_nodes(data.graph)
    return _of_records(data)


def _of_vectors(X: Array) -> list[Kernel]:
    if is_sparse(X):
        return [Linear(), _unit(Linear()), Polynomial(2), Gaussian("median")]
    sigma = _scale(X)
    radial: list[Kernel] = [Gaussian(_rounded(sigma * factor)) for factor in (1.0, 0.5, 0.25, 2.0, 4.0)]
    others: list[Kernel] = [Laplacian(_rounded(sigma)), Linear(), Polynomial(2)]
    return [kernel.pullback(Standardize()) for kernel in (*radial, *others)]


def _scale(X: Array) -> float:
    """Return the median distance between standardized rows."""
    return float(Gaussian("median").fit(Standardize.of(X)(X)).bandwidth)


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def _of_strings(X: Any) -> list[Kernel]:
    longest = max(map(len, X), default=0)
    lengths = [length for length in (3, 2, 4, 5, 6) if length <= max(longest, 2)]
    found: list[Kernel] = [*(Spectrum(length) for length in lengths), Composition(), FullSpectrum(decay=0.5)]
    if longest >= 4 and len({symbol for one in X[:LOOKED_AT] for symbol in one}) <= 25:
        found.append(Mismatch(4, 1))
    return found


def _unit(kernel: Kernel) -> Kernel:
    """Return the kernel with images of length 1; a constant feature gives objects a direction that would have none."""
    return (kernel + 1).normalize()


def _of_nodes(graph: Graph) -> list[Kernel]:
    if not graph.non_negative:
        radius = float(scipy.sparse.linalg.norm(scipy.sparse.csr_array(graph.matrix), np.inf)) or 1.0
        return [ExponentialDiffusion(graph, _rounded(beta / radius), of="adjacency") for beta in (2.0, 0.5, 5.0)]
    normalized: list[Kernel] = [ExponentialDiffusion(graph, beta, of="normalized") for beta in (2.0, 0.5, 1.0, 5.0)]
    return [*normalized, VonNeumannDiffusion(graph, 0.9, of="normalized")]


def _of_records(data: Dataset) -> list[Kernel]:
    """Return sums and products of a kernel for the numbers, at several bandwidths, and those for other columns."""
    others, numbers, season = _of_columns(data), _of_numbers(data), _season(data)
    if not others and season is not None:
        return _of_dated(data, _used(data, "number", "date"), season)
    found: list[Kernel] = []
    for parts in [[one, *others] for one in numbers] or [others]:
        found.append(sum(parts[1:], parts[0]))
        if len(parts) > 1:
            found.append(prod((part + 1 for part in parts[1:]), start=parts[0]))
            found.append(parts[0])
    return [*found, *(others if len(found) > 1 else [])]


def _used(data: Dataset, *kinds: str) -> list[str]:
    return [one.name for one in data.columns if one.used and one.name != data.target and one.kind in kinds]


def _of_numbers(data: Dataset) -> list[Kernel]:
    """Return kernels of numbers and dates at several widths; where dates have cycles, some that know of these."""
    names = _used(data, "number", "date")
    if not names:
        return []
    sigma, season = _scale_of(data, names), _season(data)
    near = [_together(data, names, Gaussian(_rounded(sigma * factor))) for factor in (1.0, 0.5, 2.0)]
    if season is None:
        return near
    return [*near[:2], _of(names, Gaussian(_rounded(sigma))), _of(names, Linear()) + season]


def _of_dated(data: Dataset, names: list[str], season: Kernel) -> list[Kernel]:
    """Return kernels of numbers and dates: all in one, and the course of time and its cycles apart.

    What will be can only be told from cycles and straight lines, for the future is near nothing.
    """
    sigma, (near, nearer, plain, line) = _scale_of(data, names), _of_numbers(data)
    wide = _together(data, names, Gaussian(_rounded(2 * sigma)))
    rough = _together(data, names, Laplacian(_rounded(sigma)))
    return [near, nearer, wide, rough, plain, plain + season, line, season, _of(names, Linear())]


def _season(data: Dataset) -> Kernel | None:
    """Return what compares dates by their cycles alone; None where they have none."""
    cyclic = _circles(data, SEASON)
    return sum(cyclic[1:], cyclic[0]) if cyclic else None


def _scale_of(data: Dataset, names: list[str]) -> float:
    return _scale(np.column_stack([np.asarray(data.X[name], dtype=np.float64) for name in names]))


def _of(names: list[str], kernel: Kernel) -> Kernel:
    return kernel.pullback(Standardize()).on(*names)


def _together(data: Dataset, names: list[str], kernel: Gaussian | Laplacian) -> Kernel:
    """Return a kernel of columns of which each cycle of a date is one more, as wide as they are."""
    return prod(_circles(data, float(kernel.bandwidth)), start=_of(names, kernel))


def _circles(data: Dataset, bandwidth: float) -> list[Kernel]:
    """Return a kernel for each cycle that can be seen in a column of dates."""
    return [Periodic(period, bandwidth).on(name) for name in _used(data, "date") for period in cycles(data.X[name])]


def _of_columns(data: Dataset) -> list[Kernel]:
    """Return a kernel for the categories together, and one for every column of strings or texts."""
    found: list[Kernel] = []
    if categories := _used(data, "category"):
        found.append(sum((Equality().on(name) for name in categories[1:]), Equality().on(categories[0])).normalize())
    found += [_unit(Spectrum(3)).on(name) for name in _used(data, "string")]
    found += [_unit(BagOfWords("tf-idf")).on(name) for name in _used(data, "text")]
    return found
