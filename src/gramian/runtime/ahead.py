"""One step ahead: what comes next is made ready by a thread of its own while this is worked on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import copy_context
from queue import Empty, Full, Queue
from typing import Any, TypeVar

Item = TypeVar("Item")
Ready = TypeVar("Ready")

AHEAD = 1  # items that are ready and wait, besides the one that is being made ready
PATIENCE = 0.2  # seconds after which a thread that waits looks whether it is still wanted


def ahead(items: Iterable[Item], prepare: Callable[[Item], Ready]) -> Iterator[Ready]:
    """Go through ``prepare(item)`` in order, the next of them prepared meanwhile; its errors are raised here.

    Examples
    --------
    >>> list(ahead([1, 2, 3], lambda k: k * k))
    [1, 4, 9]
    """
    waiting: Queue[tuple[str, Any]] = Queue(AHEAD)
    left = threading.Event()

    def put(kind: str, thing: Any) -> bool:
        while not left.is_set():
            try:
                waiting.put((kind, thing), timeout=PATIENCE)
            except Full:
                continue
            return True
        return False

    def work() -> None:
        try:
            for item in items:
                if not put("ready", prepare(item)):
                    return
        except BaseException as error:
            put("error", error)
        else:
            put("end", None)

    thread = threading.Thread(target=copy_context().run, args=(work,), name="ahead", daemon=True)
    thread.start()
    try:
        while True:
            try:
                kind, thing = waiting.get(timeout=PATIENCE)
            except Empty:  # a Ctrl-C is heard between two looks
                continue
            if kind == "ready":
                yield thing
                continue
            if kind == "error":
                raise thing
            return
    finally:
        left.set()
        thread.join()
