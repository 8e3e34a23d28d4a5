"""What an attack is, and how what comes of a case is judged.

An attack is a function from luck (a seeded generator) to a case: a description, and an action to be tried. The action
returns if all is well, and raises `Wrong` where an answer is not what it must be. A case then

    passes      if the action returns;
    is refused  if gramian raises one of the errors that the attack allows, in words of its own;
    is a finding in every other case: another exception, a wrong answer, an empty message or one that NumPy wrote, a
                warning that is not one of gramian's, too much processor time or memory, a wait without end, a crash.
"""

from __future__ import annotations

import linecache
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any
from zlib import crc32

import numpy as np

Action = Callable[[], None]

# scikit-learn lets NumPy say that words are no numbers; its own texts are those its users know.
BORROWED = ("could not convert string to float", "inhomogeneous shape")
# scikit-learn's contract asks for this warning.
CONTRACT = ("A column-vector y was passed when a 1d array was expected",)
INTERNAL = re.compile(
    r"ufunc|broadcast|subscriptable|unsupported operand|cannot reshape|setting an array element|infs or NaNs|"
    r"object has no attribute|too many values|zero-size|not supported between|illegal value|truth value of an array"
)


class Wrong(AssertionError):
    """An answer that is not what it must be."""


@dataclass(frozen=True)
class Case:
    """What is tried, in words and as an action."""

    description: str
    action: Action


@dataclass(frozen=True)
class Attack:
    """An attack: how many cases there are in a whole campaign, how one is made, and what may come of it."""

    name: str
    cases: int
    make: Callable[[np.random.Generator], Case]
    refusals: tuple[type[Exception], ...] = ()
    seconds: float = 60.0  # of the processor that a case may take in its own process, however busy the machine is
    wall: float = 600.0  # seconds that it may wait, for other programs or for its turn
    memory: int | None = 8 * 2**30  # bytes of addresses that the process may have

    def case(self, seed: int, number: int) -> Case:
        """Return a case; it depends on the seed and on its number alone."""
        return self.make(np.random.default_rng([seed, crc32(self.name.encode()), number]))


@dataclass(frozen=True)
class Outcome:
    """What came of a case: "passed", "refused" or "finding"; the kind of error, or what is wrong and where."""

    verdict: str
    kind: str = ""
    description: str = ""
    trace: str = ""


def judged(attack: Attack, seed: int, number: int) -> Outcome:
    """Try a case and judge it."""
    description = "the case could not be made"
    try:
        with _only_our_warnings() as foreign:
            case = attack.case(seed, number)
            description = case.description
            case.action()
    except attack.refusals as error:
        fault = _fault_of_refusal(error)
        if fault:
            return Outcome("finding", fault, description, traceback.format_exc())
        return Outcome("refused", type(error).__name__)
    except Exception as error:
        return Outcome("finding", _kind(error), description, traceback.format_exc())
    if foreign:
        return Outcome("finding", f"foreign warning: {foreign[0]}", description)
    return Outcome("passed")


@contextmanager
def _only_our_warnings() -> Iterator[list[str]]:
    """Collect the warnings that gramian has not given itself."""
    foreign: list[str] = []
    plain = warnings.warn

    def warn(message: Any, category: Any = None, stacklevel: int = 1, **more: Any) -> None:
        name = sys._getframe(1).f_globals.get("__name__", "")
        if name.partition(".")[0] != "gramian" or not issubclass(category or UserWarning, UserWarning):
            plain(message, category, stacklevel + 1, **more)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn = warn
        try:
            yield foreign
        finally:
            warnings.warn = plain
            for one in caught:
                if not str(one.message).startswith(CONTRACT):
                    place = re.sub(r".*/(?=gramian/|site-packages/|tests/)", "", one.filename)
                    foreign.append(f"{one.category.__name__}: {one.message} ({place}:{one.lineno})")


def _fault_of_refusal(error: BaseException) -> str:
    """Return what is wrong with an error as an answer to a user, if anything is."""
    words = str(error).strip()
    if len(words) < 12:
        return f"says too little: {_kind(error)}"
    if any(text in words for text in BORROWED):
        return ""
    if INTERNAL.search(words) or not _was_raised_on_purpose(error):
        return f"not in words of its own: {_kind(error)}"
    return ""


def _was_raised_on_purpose(error: BaseException) -> bool:
    """Tell whether a line of gramian or scikit-learn says `raise`: NumPy's errors come from lines that compute."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    name = _module(trace.tb_frame)
    line = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip()
    return name.partition(".")[0] in ("gramian", "sklearn") and (line.startswith("raise ") or line == "raise")


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _kind(error: BaseException) -> str:
    """Return an error in short: its type, the last line of gramian that it passed, its words without the numbers."""
    frames = [(_module(frame), line) for frame, line in traceback.walk_tb(error.__traceback__)]
    ours = [f"{name}:{line}" for name, line in frames if name.startswith("gramian")]
    words = re.sub(r"/\S+/|[-+]?\d[\d.e+-]*", "#", str(error).strip().partition("\n")[0])[:110]
    place = f" at {ours[-1]}" if ours else ""
    return f"{type(error).__name__}{place}: {words}"


def require(holds: Any, words: str) -> None:
    """Raise `Wrong` unless a claim holds."""
    if not holds:
        raise Wrong(words)


def require_finite(values: Any, words: str) -> None:
    """Raise `Wrong` if numbers hold NaN or infinity."""
    found = np.asarray(values)
    if found.dtype.kind in "fc" and not np.isfinite(found).all():
        raise Wrong(f"{words} {'NaN' if np.isnan(found).any() else 'infinite'}")


def require_close(found: Any, expected: Any, tolerance: float, words: str) -> None:
    """Raise `Wrong` unless numbers agree up to a tolerance relative to the largest."""
    found, expected = np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    require(found.shape == expected.shape, f"{words}: another shape")
    if expected.size:
        gap = float(np.abs(found - expected).max())
        scale = float(np.abs(expected).max())
        require(gap <= tolerance * scale, f"{words}: off by {gap:.2g} of {scale:.2g}")


def require_same(found: Any, expected: Any, words: str) -> None:
    """Raise `Wrong` unless arrays are the same to the last bit."""
    found, expected = np.asarray(found), np.asarray(expected)
    require(found.dtype == expected.dtype and found.shape == expected.shape, f"{words}: another type or shape")
    same = found.tolist() == expected.tolist() if found.dtype == object else found.tobytes() == expected.tobytes()
    require(same, f"{words}: other bits")


def one_of(rng: np.random.Generator, things: Any) -> Any:
    """Return one of several things, of whatever types."""
    things = list(things)
    return things[int(rng.integers(len(things)))]


def seldom(rng: np.random.Generator, usual: Any, odd: Any) -> Any:
    """Return one of the usual things, and now and then an odd one."""
    return one_of(rng, odd if chance(rng, 0.05) else usual)


def chance(rng: np.random.Generator, probability: float) -> bool:
    """Return True with a probability."""
    return bool(rng.random() < probability)
