"""How far long work has come, and how long it still takes: one line that rewrites itself.

Work tells of itself whether anybody watches or not; without `progress` nothing is kept and nothing is drawn:

    with task("conjugate gradients") as t:
        for step in …:
            …
            t.advance(step, step + steps_left(residuals, goal), f"step {step}, residual {residuals[-1]:.0e}")

Tasks inside tasks form a stack. With `done` of `total` steps finished, the share done of a task is

    (done + share done of the task inside its current step) / total,

and the time left is what is still to be done, divided by what was done in a second of late; or since the task began,
where its steps are shares of the time (`timed`).
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from shutil import get_terminal_size
from types import TracebackType
from typing import IO, Any, Protocol, Self, TypeVar

PATIENCE = 2.0  # seconds of work that pass without a word
PAUSE = 0.2  # seconds between two states of the line on a terminal
PLAIN_PAUSE = 10.0  # seconds between two lines in a file
RECENT = 20.0  # seconds of work by which the rest is judged
SLOPE = 10  # residuals by which the rest of an iteration is judged

clock = time.monotonic

Item = TypeVar("Item")


class Task(Protocol):
    """What work says about itself."""

    def __enter__(self) -> Self:
        """Begin the task, inside the one that is under way."""

    def __exit__(self, *error: Any) -> None:
        """End the task."""

    def advance(self, done: float, total: float | None = None, note: str = "", stride: float = 1) -> None:
        """Say that `done` of `total` steps are finished; the task inside, if any, is the next `stride` steps."""

    def step(self) -> None:
        """Say that one step more is finished."""


class _Unwatched:
    """A task that nobody looks at."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def advance(self, done: float, total: float | None = None, note: str = "", stride: float = 1) -> None:
        pass

    def step(self) -> None:
        pass


class _Watched:
    """A task on the stack of a watch."""

    def __init__(self, watch: _Watch, what: str, total: float | None, done: float, timed: bool) -> None:
        self.what, self.total, self.done, self.note, self.stride = what, total, done, "", 1.0
        self.timed = timed
        self._watch = watch
        self._inside = 0.0  # the largest share of the current step that a task inside it has reached

    def __enter__(self) -> Self:
        self._watch.begin(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._watch.end(self)

    def advance(self, done: float, total: float | None = None, note: str = "", stride: float = 1) -> None:
        with self._watch.lock:
            self.done, self.note, self.stride, self._inside = done, note, stride, 0.0
            self.total = self.total if total is None else total
            self._watch.look()

    def step(self) -> None:
        with self._watch.lock:
            self.done += 1
            self._inside = 0.0
            self._watch.look()

    @property
    def counts(self) -> bool:
        """Whether it has steps of its own, and is not just the name of what goes on inside it."""
        return self.total is not None or bool(self.done) or bool(self.note)

    def reached(self, inner: Sequence[_Watched]) -> float:
        """Return the steps done, with the part of the current one that the tasks inside it have done."""
        if inner and inner[0].total:
            self._inside = max(self._inside, min(1.0, inner[0].reached(inner[1:]) / inner[0].total))
        return self.done + self.stride * self._inside


class _Line:
    """Where the state is written: a line that rewrites itself on a terminal, elsewhere a plain line now and then."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream, self._shown = stream, 0
        self._terminal = bool(getattr(stream, "isatty", lambda: False)())
        self.pause = PAUSE if self._terminal else PLAIN_PAUSE

    def show(self, what: str, when: str) -> None:
        if not self._terminal:
            self._write(f"{what}   {when}\n")
            return
        room = get_terminal_size().columns - 1
        text = f"{what[: max(0, room - len(when) - 3)]}   {when}"[:room]
        self._write("\r" + text.ljust(self._shown))
        self._shown = len(text)

    def clear(self) -> None:
        if self._shown:
            self._write("\r" + " " * self._shown + "\r")
            self._shown = 0

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # a pipe that was closed must not stop the work
            self.pause = math.inf


class _Watch:
    """The tasks under way in the thread that asked for progress, and the line that tells of them."""

    def __init__(self, stream: IO[str]) -> None:
        self.lock = threading.RLock()  # lanes step at the same time
        self.owner = threading.get_ident()
        self._stack: list[_Watched] = []
        self._line = _Line(stream)
        self._begun = self._due = 0.0
        self._past: deque[tuple[float, float]] = deque()  # times, and steps that the task shown had reached
        self._judged: _Watched | None = None

    def begin(self, task: _Watched) -> None:
        with self.lock:
            if not self._stack:
                self._begun = clock()
                self._due = self._begun + PATIENCE
            self._stack.append(task)
            self.look()

    def end(self, task: _Watched) -> None:
        with self.lock:
            del self._stack[self._stack.index(task) :]
            if not self._stack:
                self.close()

    def close(self) -> None:
        """Leave nothing on the terminal."""
        self._judged = None
        self._line.clear()

    def look(self) -> None:
        """Note where the work stands, and show it where that is due."""
        now = clock()
        place = next((k for k, task in enumerate(self._stack) if task.counts), None)
        if place is None:
            return
        task = self._stack[place]
        if self._judged is not task:
            self._judged = task
            self._past.clear()
        if not self._past or now >= self._past[-1][0] + PAUSE or now >= self._due:
            self._past.append((now, task.reached(self._stack[place + 1 :])))
            while len(self._past) > 2 and (task.timed or self._past[0][0] < now - RECENT):
                del self._past[1 if task.timed else 0]
        if now >= self._due:
            self._due = now + self._line.pause
            self._line.show(self._names(), self._times(now, task.total))

    def _names(self) -> str:
        """Name the two outermost tasks that have a name; what is inside them is detail."""
        named = [f"{t.what}, {t.note}" if t.note else t.what for t in self._stack if t.what]
        return "  ".join(named[:2])

    def _times(self, now: float, total: float | None) -> str:
        (then, before), (_, reached) = self._past[0], self._past[-1]
        if not total:
            return f"{spell(now - self._begun)} so far"
        share = f"{min(99, int(100 * reached / total))} %"
        if reached <= before:
            return share
        return f"{share}   {spell((now - then) * max(0.0, total - reached) / (reached - before))} left"


_UNWATCHED = _Unwatched()
_watch: _Watch | None = None


def task(what: str, total: float | None = None, done: float = 0, timed: bool = False) -> Task:
    """Return a task, to be used in a ``with`` statement; it costs next to nothing where nobody watches.

    Parameters
    ----------
    what : str
        What is done, in words; tasks without a name count, but are not shown.
    total : float, optional
        How many steps there are. Where this is not known, or only later, `advance` may say it.
    done : float
        Steps that were done before, such as those an earlier run has left.
    timed : bool
        Whether steps are shares of the time, by guesses that may change: then the time left goes by all that has
        passed, and the guess of now.

    Examples
    --------
    >>> with task("counting", total=3) as t:
    ...     for k in range(3):
    ...         t.advance(k + 1, note=f"at {k}")
    """
    watch = _watch
    if watch is None or watch.owner != threading.get_ident():  # what lanes do inside a task is part of it
        return _UNWATCHED
    return _Watched(watch, what, total, done, timed)


def each(items: Sequence[Item], what: str = "") -> Iterator[Item]:
    """Yield items of which each is a step of a task.

    >>> list(each("abc"))
    ['a', 'b', 'c']
    """
    with task(what, len(items)) as told:
        for item in items:
            yield item
            told.step()


@contextmanager
def progress(stream: IO[str] | None = None) -> Iterator[None]:
    """Show how far the work inside a ``with`` block has come, and the time left, on one line that rewrites itself.

    Work of less than two seconds passes without a word, and nothing is left on the terminal at the end. Where the
    stream is a file, a plain line is written every ten seconds. Work that the block does in other threads is not shown.

    Parameters
    ----------
    stream : file, optional
        Where to write, standard error by default.

    See Also
    --------
    KernelRidge : ridge regression
    Batches : data that come in batches

    Notes
    -----
    Cost: a line at most ten times a second, and nothing where the work takes less than two.

    Examples
    --------
    >>> import gramian as gm
    >>> K = gm.Gaussian().gram([[0.0], [1.0]])
    >>> with gm.progress():
    ...     round(K.mean(), 3)
    0.803
    """
    global _watch
    before, _watch = _watch, _Watch(sys.stderr if stream is None else stream)
    mine = _watch
    try:
        yield
    finally:
        _watch = before
        with mine.lock:
            mine.close()


def _forget() -> None:
    """Let the parent alone tell of the work: a forked child would write over its line."""
    global _watch
    _watch = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def steps_left(residuals: Sequence[float], goal: float) -> float | None:
    """Estimate how many more steps bring the residual down to the goal, by the slope of its logarithm of late.

    None where this cannot be said, because there are too few residuals or they do not fall.

    >>> steps_left([1.0, 0.1, 0.01], goal=1e-5)
    3.0
    """
    recent = [math.log(r) for r in residuals[-SLOPE:] if r > 0]
    if len(recent) < 3 or goal <= 0:
        return None
    middle = (len(recent) - 1) / 2
    mean = sum(recent) / len(recent)
    rise = sum((k - middle) * (y - mean) for k, y in enumerate(recent))
    slope = rise / sum((k - middle) ** 2 for k in range(len(recent)))
    distance = recent[-1] - math.log(goal)
    if distance <= 0:
        return 0.0
    return math.ceil(round(-distance / slope, 6)) * 1.0 if slope < 0 else None


def spell(seconds: float) -> str:
    """Write a time as minutes and seconds, or hours, minutes and seconds.

    >>> spell(31.2), spell(3700)
    ('0:32', '1:01:40')
    """
    minutes, rest = divmod(math.ceil(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
