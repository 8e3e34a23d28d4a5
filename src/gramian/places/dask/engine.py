"""The engine: what is done with the partitions of a collection, by Dask, and in which order it is put together.

Tasks go to the client in force, as anything of Dask does; where there is none, Dask's own scheduler runs them on this
machine. Each works on one core with one thread of BLAS, for there are as many of them as there are cores, and sums are
made in a fixed binary tree (`runtime.tree`): whoever works, and whoever is through first, the answer has the same bits.
Dask sees to what is lost with a worker: it is computed anew, from the collection on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any, NoReturn, TypeVar
from uuid import uuid4

import dask
from dask.base import compute
from dask.delayed import Delayed, delayed

from gramian.places import ClusterError
from gramian.runtime.journal import keeping, kept_in
from gramian.runtime.progress import task as told_task
from gramian.runtime.threads import alone
from gramian.runtime.tree import rows

T = TypeVar("T")

PAUSE = 0.2  # seconds after which a waiting program looks whether it was interrupted
WHOSE = 2.0  # seconds in which it should be known which partition has failed
LONELY = 120.0  # seconds that work waits for a worker where there is none
CHECKED = ("gramian", "numpy")  # libraries that must be the same everywhere
QUIET = {"distributed.admin.large-graph-warning-threshold": "1GB"}  # a model is sent once, and is no mistake

_checked: dict[str, frozenset[str]] = {}  # the workers whose versions were looked at, by the id of a client


def client_in_force() -> Any | None:
    """Return the client that `dask.distributed` works with now; None where there is none."""
    if "distributed" not in sys.modules:
        return None
    try:
        client = import_module("distributed").get_client()
    except ValueError:
        return None
    return None if client.status in ("closed", "closing") else client


def require_client(what: str) -> Any:
    """Return the client in force, its workers checked; refuse where there is none."""
    client = client_in_force()
    if client is None:
        raise ValueError(
            f"{what} needs workers, and no client of Dask is in force: start one first, "
            "client = dask.distributed.Client() or Client('tcp://scheduler:8786')"
        )
    check_versions(client)
    return client


def check_versions(client: Any) -> None:
    """Refuse workers that run another Python, NumPy or gramian; those that were looked at are not looked at again."""
    workers = frozenset(client.scheduler_info(n_workers=-1).get("workers", ()))  # none of a scheduler that is lost
    if workers <= _checked.get(client.id, frozenset()):
        return
    found = client.get_versions(packages=list(CHECKED))
    mine = _versions(found["client"])
    for address, said in sorted(found["workers"].items()):
        theirs = _versions(said)
        for name, version in mine.items():
            if theirs.get(name) != version:
                raise ClusterError(
                    f"the worker {address} has {name} {theirs.get(name) or '(none)'}, and this program has {version}: "
                    "install the same versions everywhere"
                )
    _checked[client.id] = workers


def _versions(said: Any) -> dict[str, str | None]:
    packages = said["packages"]
    python = ".".join(packages["python"].split(".")[:2])
    return {"Python": python} | {name: packages.get(name) for name in CHECKED}


def named(what: str) -> str:
    """Return a name for a task that no other has."""
    return f"gramian-{what}-{uuid4().hex}"


def constant(thing: Any, what: str = "model") -> Delayed:
    """Return a thing as a task of its own, sent to the workers once however many tasks take it."""
    found: Delayed = delayed(thing, name=named(what), traverse=False, pure=False)
    return found


def mapped(function: Callable[..., Any], *columns: Sequence[Any], what: str) -> list[Delayed]:
    """Return tasks that call a function on the partitions of one or several collections, side by side."""
    call = constant((function, kept_in()), "function")
    return [delayed(_call)(call, *row, dask_key_name=named(what), pure=False) for row in zip(*columns, strict=True)]


def _call(called: tuple[Callable[..., T], Path | None], *arguments: Any) -> T:
    """Call a function as a task: alone on its core, with the checkpoints of who has asked."""
    function, directory = called
    with alone(), keeping(directory):
        return function(*arguments)


def summed(parts: Sequence[Delayed], merge: Callable[[T, T], T], what: str, numbers: Sequence[int] | None = None) -> T:
    """Return the sum of parts, merged two and two on the workers; `merge` must leave both as they were."""
    add = constant((merge, None), "merge")
    top = list(parts)
    for row in rows(top, lambda a, b: delayed(_call)(add, a, b, dask_key_name=named("merge"), pure=False)):
        top = row
    found: T = computed(top, parts, what, numbers)[0]
    return found


def gathered(parts: Sequence[Delayed], what: str, numbers: Sequence[int] | None = None) -> list[Any]:
    """Return what all parts are, which must be small."""
    return computed(list(parts), parts, what, numbers)


def computed(
    wanted: list[Delayed], parts: Sequence[Delayed], what: str, numbers: Sequence[int] | None = None
) -> list[Any]:
    """Return what tasks give that are made of parts, one for each partition; an error says which partition it was.

    `numbers` are those of the partitions, where the parts are not of all of them.
    """
    numbers = range(len(parts)) if numbers is None else numbers
    client = client_in_force()
    if client is not None:
        check_versions(client)
        return _Work(client, wanted, parts, what, numbers).done()
    with told_task(what):
        try:
            return list(compute(*wanted, traverse=False))
        except Exception:
            for number, part in zip(numbers, parts, strict=True):  # which one was it?
                try:
                    compute(part)
                except Exception as error:
                    refuse(error, number)
            raise


class _Work:
    """Tasks on their way, and what is heard of them."""

    def __init__(
        self, client: Any, wanted: list[Delayed], parts: Sequence[Delayed], what: str, numbers: Sequence[int]
    ) -> None:
        self._client, self._what, self._numbers = client, what, numbers
        self._address = client.scheduler_info(n_workers=0).get("address", "of the client")
        seen = [delayed(_seen)(part, dask_key_name=named("seen"), pure=False) for part in parts]
        try:
            with dask.config.set(QUIET):
                futures = client.compute([*wanted, *seen])
        except Exception as error:
            if client.status == "running":
                raise
            raise self._lost() from error
        self._wanted, self._seen = futures[: len(wanted)], futures[len(wanted) :]
        self._heard: SimpleQueue[tuple[int | None, Any]] = SimpleQueue()

    def done(self) -> list[Any]:
        """Wait for everything, and return what was wanted; at the first error, or Ctrl-C, cancel what is left."""
        try:
            for number, future in zip(self._numbers, self._seen, strict=True):
                future.add_done_callback(partial(self._hear, number))
            for future in self._wanted:
                future.add_done_callback(partial(self._hear, None))
            with told_task(self._what, len(self._seen)) as told:
                self._listen(told)
            found: list[Any] = self._client.gather(self._wanted)
            return found
        except BaseException:
            if self._client.status == "running":
                self._client.cancel([*self._wanted, *self._seen], force=True)
            raise

    def _hear(self, number: int | None, future: Any) -> None:
        self._heard.put((number, future))

    def _listen(self, told: Any) -> None:
        left = len(self._seen) + len(self._wanted)
        lonely = None
        while left:
            try:
                number, future = self._heard.get(timeout=PAUSE)
            except Empty:
                lonely = self._look(lonely)
                continue
            left -= 1
            self._check(number, future)
            if number is not None:
                told.step()

    def _check(self, number: int | None, future: Any) -> None:
        """Refuse to go on where a task has failed."""
        if future.cancelled():
            raise self._lost()
        if future.status == "error":
            refuse(future.exception(), self._whose() if number is None else number)

    def _whose(self) -> int | None:
        """Return the partition that has failed, which may be heard of a moment after what is made of it."""
        until = monotonic() + WHOSE
        while monotonic() < until:
            for number, future in zip(self._numbers, self._seen, strict=True):
                if future.status == "error":
                    return number
            sleep(PAUSE)
        return None

    def _look(self, lonely: float | None) -> float | None:
        """Look whether anybody works, and return since when nobody does."""
        if self._client.status not in ("running", "connecting"):
            raise self._lost()
        if self._client.scheduler_info(n_workers=0).get("n_workers", 1):
            return None
        if lonely is not None and monotonic() - lonely > LONELY:
            raise TimeoutError(f"{self._what}: for {LONELY:g} s no worker has been there: start workers, and fit again")
        return monotonic() if lonely is None else lonely

    def _lost(self) -> ConnectionError:
        return ConnectionError(
            f"{self._what}: the connection to the scheduler {self._address} is lost, or the work was cancelled there; "
            "nothing was kept but checkpoints: start again, on this cluster or another one"
        )


def _seen(part: Any) -> None:
    """Say that a part is there, without holding it."""


def refuse(error: BaseException, number: int | None) -> NoReturn:
    """Raise what a task has raised, with the partition that it was about."""
    where = "" if number is None else f"partition {number}: "
    if type(error).__name__ == "KilledWorker":
        raise ClusterError(
            f"{where}the workers that took it on were killed, one after the other, most likely for want of memory: "
            "make partitions smaller, or give the workers more memory"
        ) from error
    if isinstance(error, MemoryError):
        raise MemoryError(
            f"{where}the worker has no memory left ({error}): make partitions smaller, or give the workers more memory"
        ) from error
    if not where or not isinstance(error, Exception):
        raise error
    kind = next((kind for kind in (TypeError, ValueError, OSError) if isinstance(error, kind)), RuntimeError)
    said = str(error) if kind is not RuntimeError else f"{type(error).__name__}: {error}"
    raise kind(f"{where}{said}") from error
