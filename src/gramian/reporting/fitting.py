"""Whether a kernel and data go together: which columns it names, what it compares, and what is said if it does not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from gramian.expressions import format_kernel
from gramian.intake.dataset import Dataset
from gramian.intake.dates import cycles
from gramian.intake.errors import DataError, unknown
from gramian.intake.recipe import Recipe
from gramian.intake.rows import listed
from gramian.intake.table import digits
from gramian.kernels.algebra import Kernel, Pullback
from gramian.kernels.columns import Columns
from gramian.kernels.equality import Equality
from gramian.kernels.graphs.graph import Graph
from gramian.kernels.strings.counting import Counting
from gramian.kernels.strings.subsequences import Pairwise
from gramian.learn.candidates import graph_of
from gramian.learn.sklearn_private import take_rows


def fitting(kernel: Kernel, data: Dataset) -> Dataset:
    """Return the data as the kernel takes them; refuse a kernel that does not, in words that name both.

    A kernel that names columns needs records, also where all columns are of one kind.
    """
    if (graph := graph_of(kernel)) is not None and data.kind in ("vectors", "strings", "documents"):
        return _as_nodes(kernel, graph, data)
    names = columns_of(kernel)
    if names:
        for name in sorted(names - set(data.recipe.columns)):
            raise unknown(f"the kernel {written(kernel)}", "column", name, data.recipe.columns)
        records = as_records(data)
        with suppress(TypeError, ValueError):
            if records is not None:
                _encode_a_few(kernel, records)
                return records
    try:
        if data.kind in ("vectors", "records") and any(map(_of_strings, _leaves(kernel))):
            raise ValueError("it compares strings")
        _encode_a_few(kernel, data)
    except (TypeError, ValueError) as error:
        reason = str(error)
        if data.kind == "records" and not names:
            reason = f"name the columns that it compares with `on`, out of {listed(data.recipe.columns)}"
        raise DataError(
            f"the kernel {written(kernel)} does not take these data, which are {data.kind}: {reason}"
        ) from None
    return data


def _as_nodes(kernel: Kernel, graph: Graph, data: Dataset) -> Dataset:
    """Return nodes that came as numbers or texts as what they are to the graph of a kernel."""
    known = {str(node): node for node in graph.names()}
    called = data.X if isinstance(data.X, list) else [digits(float(one)) for one in np.ravel(data.X)]
    for name in called:
        if name not in known:
            raise DataError(
                f"the kernel {written(kernel)} compares the nodes of a graph, and {name!r} is none of them; nodes such "
                f"as {next(iter(known.values()))!r} expected, or the graph in place of the objects"
            )
    nodes = [known[name] for name in called]
    whole = all(isinstance(node, int | np.integer) for node in nodes)
    recipe = Recipe("nodes", target=data.recipe.target, nodes="int" if whole else "str")
    about = tuple(one for one in data.columns if one.name == data.target)
    return replace(data, kind="nodes", X=nodes, graph=graph, columns=about, recipe=recipe, gaps={})


def columns_of(kernel: Kernel) -> set[str]:
    """Return the columns that a kernel names; none for one that takes whole objects."""
    if isinstance(kernel, Pullback) and isinstance(kernel.f, Columns):
        return {name for name in kernel.f.names if isinstance(name, str)}
    return set[str]().union(*map(columns_of, _inner(kernel)))


def _inner(kernel: Kernel) -> list[Kernel]:
    return [one for one in kernel.params().values() if isinstance(one, Kernel)]


def _leaves(kernel: Kernel) -> Iterator[Kernel]:
    """Go through the kernels that meet the objects themselves."""
    if isinstance(kernel, Pullback) and not getattr(kernel.f, "on_vectors", False):
        return
    inner = _inner(kernel)
    if not inner:
        yield kernel
    for one in inner:
        yield from _leaves(one)


def _of_strings(kernel: Kernel) -> bool:
    return isinstance(kernel, Counting | Pairwise) and not isinstance(kernel, Equality)


def _encode_a_few(kernel: Kernel, data: Dataset) -> None:
    kernel.fit(data.X).encode(take_rows(data.X, np.arange(min(len(data), 2))))


def as_records(data: Dataset) -> Dataset | None:
    """Return vectors, strings or documents as records that kernels can name columns of; None for other data."""
    names = data.recipe.columns
    if data.kind not in ("vectors", "strings", "documents") or not names:
        return None
    X = np.empty(len(data), dtype=[(name, data.X.dtype if data.kind == "vectors" else object) for name in names])
    for k, name in enumerate(names):
        X[name] = data.X[:, k] if data.kind == "vectors" else data.X
    return replace(data, kind="records", X=X, recipe=replace(data.recipe, kind="records"))


def dated(data: Dataset) -> Dataset:
    """Return vectors in which years, weeks or days come again as records, whose dates are compared by these, too."""
    kinds = data.recipe.kinds
    if data.kind != "vectors" or not any(kinds.get(name) == "date" for name in data.recipe.columns):
        return data
    records = as_records(data)
    assert records is not None
    return records if any(cycles(records.X[name]) for name in records.recipe.columns if kinds[name] == "date") else data


def written(kernel: Kernel) -> str:
    """Return a kernel as its expression, or as it prints itself where the language cannot say it."""
    try:
        return format_kernel(kernel)
    except TypeError:
        return repr(kernel)
