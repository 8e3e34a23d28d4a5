"""Work on partitions: a future for each, made by the client in force, and answers that are waited for.

Tasks are pure, and name what they are made of; what a worker had when it was lost is made again, from the collection
on. Numbers of the client go with the tasks that take them, for what is only scattered would be lost with a worker.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

import dask
from distributed import Client

from gramian.places.dask import engine
from gramian.runtime.progress import task as told_task
from gramian.runtime.threads import alone

PAUSE = 0.2  # seconds after which a waiting program looks whether the cluster is still there
LOOK = 10  # pauses after which it looks who works

shipping: ContextVar[bool] = ContextVar("shipping", default=False)  # whether what is pickled goes to workers


class EverybodyLostError(Exception):
    """Raised where none of the workers is left that work was meant for.

    Dask forgets tasks that it meant for certain workers when all of these are gone, though others might do them.
    """


class Heard:
    """Futures that were told of, and are not held: their answers are let go where nobody else wants them."""

    def __init__(self) -> None:
        self.count = 0
        self._queue: SimpleQueue[tuple[int | None, Any]] = SimpleQueue()

    def of(self, futures: Sequence[Any], numbered: bool = False) -> None:
        """Hear of some futures when they are done."""
        self.count += len(futures)
        for number, future in enumerate(futures):
            future.add_done_callback(partial(self._hear, number if numbered else None))

    def _hear(self, number: int | None, future: Any) -> None:
        self._queue.put((number, future))

    def next(self) -> tuple[int | None, Any] | None:
        """Return a future that is done, and its number; None where none is for a while."""
        try:
            return self._queue.get(timeout=PAUSE)
        except Empty:
            return None


class Work:
    """A client, and what it is asked to do."""

    def __init__(self, client: Client) -> None:
        self.client: Any = client

    def each(
        self, function: Callable[..., Any], *columns: Sequence[Any], workers: list[str] | None = None
    ) -> list[Any]:
        """Return futures of the calls of a function, side by side; by some workers, as long as they are there."""
        if not len(columns[0]):
            return []
        where: dict[str, Any] = {} if workers is None else {"workers": workers, "allow_other_workers": True}
        before = shipping.set(True)
        try:
            with dask.config.set(engine.QUIET):
                found: list[Any] = self.client.map(partial(called, function), *columns, pure=False, **where)
        finally:
            shipping.reset(before)
        return found

    def placed(self, function: Callable[..., Any], addresses: Sequence[str], *columns: Sequence[Any]) -> list[Any]:
        """Return what `each` does, with a worker for each call; no address is any worker."""
        found: dict[int, Any] = {}
        for address in dict.fromkeys(addresses):
            mine = [k for k, to in enumerate(addresses) if to == address]
            some = ([column[k] for k in mine] for column in columns)
            found |= dict(zip(mine, self.each(function, *some, workers=[address] if address else None), strict=True))
        return [found[k] for k in range(len(addresses))]

    def answers(
        self,
        futures: Sequence[Any],
        heard: Heard | None = None,
        what: str = "",
        numbered: bool = False,
        meant_for: Sequence[str] = (),
    ) -> list[Any]:
        """Return what futures give, on the client; those that were `heard` of before are steps of it.

        At the first error, or Ctrl-C, what is left is cancelled. An error is said to be of a partition where the
        futures are `numbered` as these are; and an `EverybodyLostError` is raised where none is left of the workers
        that they were `meant_for`.
        """
        heard = heard or Heard()
        steps = heard.count
        try:
            heard.of(futures, numbered)
            with told_task(what, steps or None) as told:
                self._listen(heard, told.step if steps else lambda: None, what, meant_for)
            found: list[Any] = self.client.gather(list(futures))
            return found
        except BaseException:
            with suppress(Exception):
                self.client.cancel(list(futures), force=True)
            raise

    def _listen(self, heard: Heard, step: Callable[[], None], what: str, meant_for: Sequence[str]) -> None:
        left, quiet = heard.count, 0
        while left:
            if (met := heard.next()) is None:
                quiet += 1
                self._look(quiet, what, meant_for)
                continue
            number, future = met
            left, quiet = left - 1, 0
            if future.status == "error":
                engine.refuse(future.exception(), number)
            if future.cancelled():
                raise self._lost(what)
            step()

    def _look(self, quiet: int, what: str, meant_for: Sequence[str]) -> None:
        """Look whether anybody works, after so many pauses in which nothing was heard."""
        if self.client.status not in ("running", "connecting"):
            raise self._lost(what)
        if quiet % LOOK:
            return
        there = self.workers()
        if there and meant_for and not there.keys() & set(meant_for):
            raise EverybodyLostError
        if not there and quiet * PAUSE > engine.LONELY:
            raise TimeoutError(f"{what or 'the work'}: for {engine.LONELY:g} s no worker has been there: start workers")

    def _lost(self, what: str) -> ConnectionError:
        return ConnectionError(
            f"{what or 'the work'}: the connection to the scheduler is lost, or the work was cancelled there; start "
            "again, on this cluster or another one: what checkpoints have kept is not done again"
        )

    def workers(self) -> dict[str, int]:
        """Return the addresses of the workers, and how many tasks each of them does at a time."""
        known = self.client.scheduler_info(n_workers=-1)["workers"]
        return {address: known[address]["nthreads"] for address in sorted(known)}


def called(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function as a task: alone on its core, so that its answer has the same bits on every worker."""
    with alone():
        return function(*arguments)
