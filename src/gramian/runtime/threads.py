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
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from gramian.runtime.progress import task

Job = TypeVar("Job")
Answer = TypeVar("Answer")

PAUSE = 0.2  # seconds after which a waiting program looks whether it was interrupted

BRING_BLAS = {"scipy.linalg", "sklearn", "torch"}  # modules that load a BLAS of their own


_alone: ContextVar[bool] = ContextVar("alone", default=False)


@contextmanager
def alone() -> Iterator[None]:
    """Work on one core, with one thread of BLAS: others work beside it, and bits must not depend on where it runs."""
    before = _alone.set(True)
    try:
        with one_blas_thread():
            yield
    finally:
        _alone.reset(before)


def cores() -> int:
    """Return the number of cores this process may use, or one for work that is done alone."""
    if _alone.get():
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Stopped(Exception):
    """Raised by `check_interrupt` inside a lane, and caught by `run`."""


_lane = threading.local()


def check_interrupt() -> None:
    """Leave a job half done where its lanes were told to stop; a long job calls this several times a second."""
    stop = getattr(_lane, "stop", None)
    if stop is not None and stop.is_set():
        raise Stopped


def run(
    work: Callable[[int, Job], None], jobs: Sequence[Job], lanes: int, *, in_turn: bool = True, what: str = ""
) -> None:
    """Call ``work(lane, job)`` for every job; stop all lanes at the first error or Ctrl-C.

    With `in_turn` a lane has a fixed share of the jobs, in a fixed order, so that what it sums is the same on every
    run. Otherwise a lane that is free takes the next job, which is faster where cores are not equally free. Every job
    is a step of a task that `progress` shows, under the name `what` if it has one.
    """
    lanes = min(lanes, len(jobs))
    with task(what, len(jobs)) as told:
        if lanes <= 1:
            for job in jobs:
                work(0, job)
                told.step()
            return
        _run_lanes(work, jobs, lanes, in_turn, told.step)


def _run_lanes(
    work: Callable[[int, Job], None], jobs: Sequence[Job], lanes: int, in_turn: bool, step: Callable[[], None]
) -> None:
    stop = threading.Event()
    turn = itertools.count()

    def share(lane: int) -> Iterator[Job]:
        if in_turn:
            yield from jobs[lane::lanes]
        else:
            while (number := next(turn)) < len(jobs):
                yield jobs[number]

    def walk(lane: int) -> None:
        _lane.stop = stop
        for job in share(lane):
            if stop.is_set():
                return
            with suppress(Stopped):
                work(lane, job)
            step()

    futures = []
    with one_blas_thread(), ThreadPoolExecutor(lanes, thread_name_prefix="gramian") as pool:
        try:  # around the starting of lanes too: one that works already must hear of a Ctrl-C
            futures += [pool.submit(walk, lane) for lane in range(lanes)]
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            stop.set()
    for future in futures:
        future.result()


def beside(action: Callable[[], Answer]) -> Callable[[], Answer]:
    """Start an action in a thread of its own, and return what waits for its answer.

    For work that releases the interpreter lock, on a core that would be idle. What it gives must not depend on what
    goes on meanwhile. A Ctrl-C need not wait for it: an action that is left alone goes on in the background until it is
    through.
    """
    answers: list[Answer] = []
    errors: list[BaseException] = []

    def act() -> None:
        try:
            answers.append(action())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=act, name="gramian aside", daemon=True)
    thread.start()

    def wait_for() -> Answer:
        while thread.is_alive():
            thread.join(PAUSE)
        if errors:
            raise errors[0]
        return answers[0]

    return wait_for


def aside(action: Callable[[], Answer]) -> Answer:
    """Return what an action gives, in a thread of its own, so that a Ctrl-C need not wait for the end of it.

    For single calls of seconds that release the interpreter lock and cannot be stopped.
    """
    return beside(action)()


class _OneBlasThread:
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
        came = False
        try:  # a Ctrl-C that arrives while the limit is being set must not leave it behind
            with self._lock:
                self._inside, came = self._inside + 1, True
                if self._inside == 1:
                    _aside(self._limit_blas)
            yield
        finally:
            if came:
                with self._lock:
                    self._inside -= 1
                    if self._inside == 0:
                        _aside(self._restore)

    def _limit_blas(self) -> None:
        loaded = BRING_BLAS & sys.modules.keys()
        if self._controller is None or loaded != self._known:  # to look for BLAS libraries takes a millisecond
            self._controller, self._known = ThreadpoolController(), frozenset(loaded)
        self._limit = self._controller.limit(limits=1, user_api="blas")

    def _restore(self) -> None:
        limit, self._limit = self._limit, None
        if limit is not None:
            limit.restore_original_limits()


def _aside(action: Callable[[], None]) -> None:
    """Act in a thread of its own: only the thread that set a limit may change it, or anybody once that one is gone.

    The action is finished when this returns or raises, even if a Ctrl-C arrives meanwhile.
    """
    finished = threading.Event()

    def act() -> None:
        try:
            action()
        finally:
            finished.set()

    thread = threading.Thread(target=act)
    try:
        thread.start()
        thread.join()
    except KeyboardInterrupt:
        finished.wait(1.0)
        with suppress(RuntimeError):  # a thread that has not begun cannot be joined
            thread.join()
        raise


one_blas_thread = _OneBlasThread()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=one_blas_thread.__init__)  # type: ignore[misc]
