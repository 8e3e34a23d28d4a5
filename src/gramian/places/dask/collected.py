"""Collections encoded: what a kernel keeps of each object, made where the object is.

The encodings of a collection look like those of objects on the client: a tree of parts, with an array in partitions
where those have an array. What parts say of themselves (their width, their load) is asked of the workers once.
"""

from __future__ import annotations

from functools import partial
from itertools import accumulate
from typing import Any
from weakref import ref

import numpy as np

from gramian.checks import is_sparse
from gramian.formula.encoded import Encoded, joined
from gramian.places import place_of
from gramian.places.dask import collections, engine
from gramian.places.dask.blocks import in_columns_of
from gramian.places.dask.matrices import Parted, Rows
from gramian.places.dask.work import Work

SAID = ("signature", "width", "load", "sparse")  # of encodings, by what is no array
BROUGHT = 2**24  # bytes of objects that a kernel is settled on as they are; of more, a sample
SAMPLE = 2**16  # objects of that sample

_last: list[Any] = []  # the collection that was asked for last, and its partitions where they are


def partitions(X: Any) -> Parted:
    """Return the objects of a collection in its partitions, computed once."""
    if _last and _last[0]() is X and _last[1].work.client.status == "running":
        found: Parted = _last[1]
        return found
    parts = X if isinstance(X, collections.Partitions) else collections.of(X)
    work = Work(engine.require_client("a Gram of a collection"))
    cuts = list(accumulate(parts.lengths, initial=0))
    found = Parted(Rows(work, cuts, parts.persisted(), parts.width, parts.dtype))
    _last[:] = [ref(X, lambda _: _last.clear()), found]
    return found


def encoded(kernel: Any, X: Any) -> Encoded:
    """Return what a kernel makes of the objects of a collection, partition by partition."""
    given = partitions(X)
    work = given.work
    made = work.each(partial(encode, kernel), given.rows.blocks)
    outlines = work.answers(work.each(outline, made), what="encode", numbered=True)
    forms = [form for form, _ in outlines]
    for number, (form, said) in enumerate(outlines):
        if form != forms[0] or [one["tail"] for one in said] != [one["tail"] for one in outlines[0][1]]:
            raise ValueError(
                f"partition {number} and partition 0 do not fit together: rows of {_shapes(said)} against "
                f"{_shapes(outlines[0][1])} numbers; the same columns expected everywhere"
            )
    leaves: list[Any] = []
    for k, path in enumerate(_paths(forms[0])):
        said = [of_partition[k] for _, of_partition in outlines]
        dtype = None if said[0]["dtype"] is None else np.result_type(*(one["dtype"] for one in said))
        blocks = work.each(partial(leaf, path), made)
        if dtype is not None and said[0]["tail"] == ():  # numbers of objects are kept by the client
            leaves.append(np.concatenate(work.answers(blocks)))
            continue
        extra = {name: said[0][name] for name in SAID if name in said[0]}
        if dtype is None:
            blocks, extra["none"] = _in_one(work, blocks)
            extra |= {name: getattr(extra["none"], name) for name in ("signature", "width") if name in extra}
        rows = Rows(work, given.cuts, blocks, said[0]["tail"], dtype)
        if "load" in extra:
            extra["load"] = float(np.average([one["load"] for one in said], weights=np.diff(given.cuts)))
        leaves.append(Parted(rows, **extra))
    found: Encoded = _built(forms[0], iter(leaves))
    return found


def _in_one(work: Work, blocks: list[Any]) -> tuple[list[Any], Any]:
    """Return parts of partitions that are no arrays in columns that all share, and what they share, without a row."""
    nones = work.answers(work.each(none_of, blocks))
    none = nones[0]
    if not hasattr(none, "like"):
        return blocks, none
    for other in nones[1:]:
        none = joined(none, other)
    return work.each(partial(in_columns_of, none), blocks), none


class NeededError(Exception):
    """Raised where a kernel looks at the objects it is settled on."""


class Unseen:
    """Objects that are not brought here unless somebody looks at them."""

    def _needed(self, *_: Any, **__: Any) -> Any:
        raise NeededError

    __getattr__ = __getitem__ = __len__ = __iter__ = __array__ = _needed


def settled(kernel: Any, X: Any) -> Any:
    """Return a kernel with what it takes from objects, of which a sample is brought here if it looks at them."""
    try:
        return kernel.fit(Unseen())
    except NeededError:
        return kernel.fit(some(X))


def some(X: Any) -> Any:
    """Return objects that a kernel may take a parameter from: all of them, or a sample drawn over all partitions."""
    given = partitions(X)
    n = len(given)
    if n <= SAMPLE or n * given._bytes <= BROUGHT:
        return given.host()
    return given[np.sort(np.random.default_rng(0).choice(n, SAMPLE, replace=False, shuffle=False))]


def _shapes(said: list[dict[str, Any]]) -> str:
    return " and ".join(str(one["tail"]) for one in said)


def _paths(form: Any) -> list[tuple[int, ...]]:
    if form is None:
        return [()]
    return [(k, *path) for k, inner in enumerate(form) for path in _paths(inner)]


def _built(form: Any, leaves: Any) -> Any:
    return next(leaves) if form is None else Encoded(tuple(_built(inner, leaves) for inner in form))


# What is done on workers


def encode(kernel: Any, X: Any) -> Encoded:
    """Return what a kernel makes of the objects of a partition."""
    found: Encoded = kernel.encoded(X)
    return found


def outline(part: Any) -> tuple[Any, list[dict[str, Any]]]:
    """Return how encodings are made up, and what each part of them says of itself."""
    if isinstance(part, Encoded):
        inner = [outline(one) for one in part.parts]
        return tuple(form for form, _ in inner), [said for _, all_said in inner for said in all_said]
    said: dict[str, Any] = {"tail": tuple(getattr(part, "shape", (0,))[1:]), "dtype": getattr(part, "dtype", None)}
    if said["dtype"] is not None and not isinstance(said["dtype"], np.dtype):  # that of another place
        said["dtype"] = place_of(part).dtype(part)
    if is_sparse(part):
        said |= {"sparse": True, "load": part.nnz / max(1, part.shape[0])}
    elif not hasattr(part, "__array__"):
        said |= {name: getattr(part, name) for name in SAID if hasattr(part, name)}
    return None, [said]


def none_of(part: Any) -> Any:
    """Return what parts of objects share, without an object."""
    return part[:0]


def leaf(path: tuple[int, ...], a: Any) -> Any:
    """Return a part of encodings."""
    for k in path:
        a = a.parts[k]
    return a
