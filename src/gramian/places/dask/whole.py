"""What holds arrays on workers, as a task: put together where it is asked for, whenever that is.

A learner that has learnt from all pairs of objects has these in its sample, and is a task that takes their partitions:
who answers a question gets it with them at hand, once, and nothing of it passes through the client.
"""

from __future__ import annotations

import pickle
from io import BytesIO
from typing import Any

from cloudpickle import CloudPickler
from dask.delayed import Delayed, delayed

from gramian.places.dask import engine
from gramian.places.dask.blocks import brought, put_together
from gramian.places.dask.matrices import Parted


class _Apart(CloudPickler):  # type: ignore[misc]
    """Writes all but the arrays on workers, which are numbered."""

    def __init__(self, file: BytesIO) -> None:
        super().__init__(file)
        self.arrays: list[Parted] = []

    def persistent_id(self, thing: Any) -> int | None:
        if not isinstance(thing, Parted):
            return None
        for number, known in enumerate(self.arrays):
            if known is thing:
                return number
        self.arrays.append(thing)
        return len(self.arrays) - 1


class _Together(pickle.Unpickler):
    """Reads what `_Apart` has written, given the arrays."""

    def __init__(self, file: BytesIO, arrays: tuple[Any, ...]) -> None:
        super().__init__(file)
        self._arrays = arrays

    def persistent_load(self, number: int) -> Any:
        return self._arrays[number]


def at_hand(thing: Any) -> Delayed:
    """Return a thing as a task, the arrays in it that lie on workers put together."""
    file = BytesIO()
    writer = _Apart(file)
    writer.dump(thing)
    arrays = [
        delayed(_array)(part.turned, part.mapped(brought), dask_key_name=engine.named("array"), pure=False)
        for part in writer.arrays
    ]
    found: Delayed = delayed(_made)(
        engine.constant(file.getvalue()), *arrays, dask_key_name=engine.named("whole"), pure=False
    )
    return found


def _array(turned: bool, blocks: list[Any]) -> Any:
    found = put_together(blocks)
    return found.T if turned else found


def _made(written: bytes, *arrays: Any) -> Any:
    return _Together(BytesIO(written), arrays).load()
