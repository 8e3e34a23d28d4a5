"""How far a report has come, as a share of the time: what passed, and what each step is still expected to take.

The first guess goes by the size and kind of the data; the seconds in it were measured on tables, strings, texts and
graphs. Once a kernel is chosen, its time tells what it will take in the folds, the first folds tell what the others
take, and once predictions are judged, their time tells what comes after: the error of one guess is not carried to the
end.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from gramian.intake.dataset import Dataset
from gramian.reporting.candidates import SAMPLE, WALKED
from gramian.reporting.contest import (
    EXACT,
    FOLDS,
    JUDGED,
    QUICK,
    QUICK_FOLDS,
    REPEATED,
    REPEATS,
    Contest,
    landmarks,
)
from gramian.reporting.matters import ANSWERS, DRAWN, ENTRIES, REFITTED, asked
from gramian.reporting.matters import LEARNT as MOST_ASKED
from gramian.reporting.plain import SMALL
from gramian.reporting.sections.uncertainty import LEARNT
from gramian.reporting.sections.uncertainty import MOST as HELD
from gramian.reporting.study import EXACT as COMPARED
from gramian.runtime.progress import Task
from gramian.runtime.threads import cores

CHOOSING, PREDICTING, SHOWING, ASKING, SURE, LAST = (
    "a kernel",
    "prediction",
    "mistakes",
    "what matters",
    "how sure",
    "verdict",
)
SLOW = {"strings": 5.0, "documents": 1.5, "records": 1.5}  # times what the comparison of numbers takes
MANY = 1.7  # times what one column takes to be predicted, where it holds classes
ALIKE = 2.5  # times what was expected, that a choice may take for its data's sake
TESTED = 1500  # objects among which clusters are looked for

clock = time.perf_counter


class Pace:
    """Steps in their order, with what each is expected to take; it tells a task of progress where the work is."""

    def __init__(self, told: Task, steps: list[str], expected: Mapping[str, float]) -> None:
        self._told, self._steps, self._expected = told, steps, dict(expected)
        self._start = self._begun = clock()
        self._step, self._words = steps[0], ""
        self.reached = 0.0

    def begin(self, step: str, words: str = "") -> None:
        """End the step under way, and begin the next one."""
        self._begun, self._step, self._words = clock(), step, words or step
        self._tell(self._of(step))

    def within(self, share: float) -> None:
        """Take the time that a share of the step under way has taken as what tells of the rest of it."""
        self._tell(self.took / share)

    def _tell(self, own: float) -> None:
        passed = self._begun - self._start
        later = sum(map(self._of, self._steps[self._steps.index(self._step) + 1 :]))
        whole = passed + own + later
        self.reached = passed / whole
        self._told.advance(self.reached, 1.0, self._words, own / whole)

    @property
    def took(self) -> float:
        """The seconds of the step under way."""
        return clock() - self._begun

    def expect(self, seconds: Mapping[str, float]) -> None:
        """Take new guesses for the steps to come."""
        self._expected.update(seconds)

    def _of(self, step: str) -> float:
        return self._expected.get(step, 0.05)


def at_first(data: Dataset, quick: bool = False) -> dict[str, float]:
    """Return the seconds that the steps may take, by what the data are."""
    choosing = _choosing(data, quick)
    return {CHOOSING: choosing, **by_choice(data, choosing, quick)}


def _choosing(data: Dataset, quick: bool) -> float:
    """Return the seconds of the choice of a kernel, and of what is asked of all rows before it."""
    sample = min(len(data), WALKED if quick else SAMPLE)
    chosen = SLOW.get(data.kind, 1.0) * (0.03 + 1e-6 * sample**2) * (1 if data.task != "none" else 0.1)
    return chosen + 1.4e-5 * len(data)


def by_choice(data: Dataset, choosing: float, quick: bool = False) -> dict[str, float]:
    """Return the seconds that the steps after the choice of a kernel may take, by those that it took."""
    n, near, size = len(data), min(len(data), TESTED) / 1000, min(len(data), COMPARED) / 1000
    sample = min(n, WALKED if quick else SAMPLE)
    slower = choosing / _choosing(data, quick)  # by much more than data differ: the machine is, or it is busy
    slower = max(slower / ALIKE, 1.0) if data.task != "none" else 1.0
    choosing = max(choosing - 1.4e-5 * n * slower, 0.5 * choosing)
    per = SLOW.get(data.kind, 1.0)
    spectrum = 0.1 * size**3 + 7e-6 * min(n, 100_000)
    found = {
        "kernel": 0.4 * choosing if data.task != "none" else 0.5 * per * near**2,
        "geometry": 0.1 * size**3 + 1e-10 * n**2 * (n < 60_000),
        "spectrum": spectrum,
        "chart": 0.05 * near + 2e-6 * n + spectrum * quick,  # the first of the two decomposes
        "clusters": 0.1 + 0.4 * per * near**2,
        "novelty": 0.05 + 3.5e-6 * n,
    }
    found = {step: seconds * (1 if step == "kernel" else slower) for step, seconds in found.items()}
    if data.task == "none":
        return {**found, PREDICTING: 0.0, SHOWING: 0.0, ASKING: 0.0, SURE: 0.0, LAST: 0.01}
    judged = min(n, QUICK if quick else JUDGED)
    repeats = REPEATS if n <= REPEATED and not quick and data.kind != "documents" else 1
    folds = QUICK_FOLDS if quick else FOLDS
    train = (1 - 1 / folds) * judged
    chosen = (0.3 if data.kind == "strings" else 0.75) * choosing * (min(train, sample) / sample) ** 2
    learners = slower * (7e-11 * train**3 if train <= EXACT else 1.5) * (MANY if data.task == "classes" else 1)
    others = slower * _plain(train, data)
    both = train >= SMALL and cores() > 1  # they are learnt at the same time
    judging = repeats * folds * (max(chosen + learners, others) if both else chosen + learners + others)
    showing = slower * _showing(data)
    return {**found, PREDICTING: judging, SHOWING: showing, **_guessed(data, judging, slower, quick)}


def _showing(data: Dataset) -> float:
    """Return the seconds of the pictures of what is predicted, and of the mistakes."""
    size = min(len(data), COMPARED) / 1000
    two = data.y is not None and len(set(data.y.tolist()) - {None}) == 2  # of which each object is left out
    return 0.05 + (0.1 if data.task == "numbers" else 0.4 if two else 0.2) * size**3


def by_fold(data: Dataset, judging: float, quick: bool = False) -> dict[str, float]:
    """Return the seconds that the steps after the contest may take, by those that it seems to take."""
    return _guessed(data, judging, 1.0, quick)


def by_judging(data: Dataset, contest: Contest | None, quick: bool = False) -> dict[str, float]:
    """Return the seconds that the steps after the contest may take, by those that its models took.

    What the winner goes by, and how sure it is, takes a few fits of it for each fold, and answers for each column.
    """
    if contest is None or quick:
        return {ASKING: 0.0, SURE: 0.0, LAST: 0.01}
    words = data.kind in ("documents", "strings")
    learnt, folds, columns = len(contest.learnt), len(contest.cut), len(data.recipe.columns)
    one = contest.entrants.index(asked(contest))
    fit, by_kernel = contest.seconds[one], contest.entrants[one].formula is not None
    points = landmarks(learnt) or learnt
    answers = min(3.0 * columns * learnt, ANSWERS)
    answered = min(answers * points, ENTRIES) * (1e-8 + 2e-10 * columns) if by_kernel else 5e-6 * answers
    refitted = 30 * fit if learnt <= REFITTED and by_kernel else fit * min(1.0, DRAWN / learnt)
    parts = 1.5 if learnt <= EXACT else 2.5  # of all that is learnt from, in the time of a fit to all of it
    return {
        ASKING: 0.05 + 3 * fit if words else 0.05 + folds * fit * min(1.0, MOST_ASKED / learnt) + refitted + answered,
        SURE: 0.1 + folds * (parts * fit * min(1.0, LEARNT / learnt) + _held(learnt)),
        LAST: 0.05 * sum(contest.seconds) * folds if columns and not words else 0.02,
    }


def _held(learnt: int) -> float:
    """Return the seconds of the intervals or probabilities of a fold."""
    return 0.02 + 0.5 * (min(HELD, learnt) / HELD) ** 3


def _guessed(data: Dataset, judging: float, slower: float, quick: bool) -> dict[str, float]:
    """Return the seconds of what comes after the contest before it is known who wins."""
    if quick:
        return {ASKING: 0.0, SURE: 0.0, LAST: 0.01}
    repeated = len(data) <= REPEATED and data.kind != "documents"
    after = judging * (0.25 if repeated else 0.4) * min(1.0, MOST_ASKED / len(data))
    after *= 0.5 if data.kind == "strings" else 1.0
    return {ASKING: 0.5 * after, SURE: 0.5 * after + slower * FOLDS * _held(len(data)), LAST: 0.05 * judging}


def _plain(train: float, data: Dataset) -> float:
    """Return the seconds of the plain models of a fold."""
    if data.kind == "nodes":
        return 0.01
    wide = float(np.clip(len(data.recipe.columns) / 20, 0.5, 1.3))
    return 0.08 + wide * (3e-4 * min(train, 5000) + 6e-5 * max(train - 5000, 0))
