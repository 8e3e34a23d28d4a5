"""The NumPy place: tiles on all cores of this machine.

A lane is one thread. Where sums are made, each lane works through its own fixed share of the tiles, in a fixed order,
so that they are accumulated in the same order on every run. NumPy releases the interpreter lock inside matrix
products and ufuncs; the BLAS underneath is held to one thread meanwhile, for two layers of threads would fight over
the same cores.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

Job = TypeVar("Job")

BRING_BLAS = {"scipy.linalg", "sklearn", "torch"}  # modules that load a BLAS of their own


def cores() -> int:
    """Return the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run(work: Callable[[int, Job], None], jobs: Sequence[Job], lanes: int, *, in_turn: bool = True) -> None:
    """Call ``work(lane, job)`` for every job; stop all lanes at the first error or Ctrl-C.

    With `in_turn` a lane has a fixed share of the jobs, in a fixed order, so that what it sums is the same on every
    run. Otherwise a lane that is free takes the next job, which is faster where cores are not equally free.
    """
    lanes = min(lanes, len(jobs))
    if lanes <= 1:
        for job in jobs:
            work(0, job)
        return
    stop = threading.Event()
    turn = itertools.count()

    def share(lane: int) -> Iterator[Job]:
        if in_turn:
            yield from jobs[lane::lanes]
        else:
            while (number := next(turn)) < len(jobs):
                yield jobs[number]

    def walk(lane: int) -> None:
        for job in share(lane):
            if stop.is_set():
                return
            work(lane, job)

    with single_blas(), ThreadPoolExecutor(lanes, thread_name_prefix="gramian") as pool:
        futures = [pool.submit(walk, lane) for lane in range(lanes)]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            stop.set()
    for future in futures:
        future.result()


class _SingleBlas:
    """Hold BLAS to one thread while anybody is inside; the last one out restores what was there.

    An iteration that takes turns between tiles and small matrix products is best held so as a whole: the threads of
    BLAS go on spinning for a while after each product, on the cores that the tiles need.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._controller: ThreadpoolController | None = None
        self._known: frozenset[str] = frozenset()
        self._limit: Any = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            if self._inside == 0:
                _aside(self._enter)
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if self._inside == 0:
                    _aside(self._limit.restore_original_limits)

    def _enter(self) -> None:
        loaded = BRING_BLAS & sys.modules.keys()
        if self._controller is None or loaded != self._known:  # to look for BLAS libraries takes a millisecond
            self._controller, self._known = ThreadpoolController(), frozenset(loaded)
        self._limit = self._controller.limit(limits=1, user_api="blas")


def _aside(action: Callable[[], None]) -> None:
    """Act in a thread of its own: only the thread that set a limit may change it, or anybody once that one is gone."""
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()


single_blas = _SingleBlas()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=single_blas.__init__)  # type: ignore[misc]
