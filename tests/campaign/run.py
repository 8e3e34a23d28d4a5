"""The runner: cases in processes of their own, each under limits of time, and a table at the end.

A case is limited by the processor time that it takes, which the system measures, so that a busy machine changes no
verdict; and, much more widely, by the clock, for what waits or hangs.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from tests.campaign.attack import Attack, Outcome, judged

ATTACKS = ("inputs", "models", "files", "kills", "threads", "growth")
BATCH = 250
START = 600.0  # seconds a process may take to be there, compiled functions and all


def load(name: str) -> Attack:
    """Return an attack by its name, which is that of its module."""
    from importlib import import_module

    found: Attack = import_module(f"tests.campaign.{name}").ATTACK
    return found


@dataclass
class Tally:
    """What came of the cases of one attack."""

    planned: int
    passed: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    findings: dict[str, list[tuple[int, Outcome]]] = field(default_factory=lambda: defaultdict(list))
    seconds: float = 0.0

    def add(self, number: int, outcome: Outcome) -> None:
        if outcome.verdict == "passed":
            self.passed += 1
        elif outcome.verdict == "refused":
            self.refused[outcome.kind] += 1
        else:
            self.findings[outcome.kind].append((number, outcome))

    @property
    def found(self) -> int:
        return sum(map(len, self.findings.values()))

    @property
    def done(self) -> int:
        return self.passed + self.refused.total() + self.found


# The processes


def work(name: str, seed: int, pipe: Connection) -> None:
    """Judge the cases whose numbers come in, and send what came of them."""
    attack = load(name)
    if attack.memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (attack.memory, attack.memory))
    pipe.send("ready")
    while (numbers := pipe.recv()) is not None:
        for number in numbers:
            signal.setitimer(signal.ITIMER_PROF, attack.seconds)  # SIGPROF, which ends the process
            pipe.send((number, judged(attack, seed, number)))
        signal.setitimer(signal.ITIMER_PROF, 0)


class Worker:
    """A process that judges cases; one that hangs or dies is replaced, and the case it was at is a finding."""

    def __init__(self, attack: Attack, seed: int) -> None:
        self.attack, self.seed = attack, seed
        self.left: list[int] = []
        self._begin()

    def _begin(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, end = context.Pipe()
        self.process = context.Process(target=work, args=(self.attack.name, self.seed, end), daemon=False)
        self.process.start()
        end.close()
        self.ready, self.since = False, time.monotonic()

    def give(self, numbers: Sequence[int]) -> None:
        self.left, self.since = list(numbers), time.monotonic()
        self.pipe.send(self.left)

    def heard(self) -> tuple[int, Outcome] | None:
        """Return what came of the next case; None for word that the process is ready."""
        try:
            message = self.pipe.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            if self.process.exitcode == -signal.SIGPROF:
                return self._lost(f"took more than {self.attack.seconds:g} s of the processor")
            return self._lost(f"the process died (exit code {self.process.exitcode})")
        self.since = time.monotonic()
        if message == "ready":
            self.ready = True
            return None
        number, outcome = message
        self.left.remove(number)
        return number, outcome

    def overdue(self) -> tuple[int, Outcome] | None:
        """Return a finding if the case under way takes too long."""
        limit = self.attack.wall if self.ready else START
        if not self.left or time.monotonic() - self.since < limit:
            return None
        return self._lost(f"did not end within {limit:g} s")

    def finish(self) -> None:
        """Begin no other case; one that is under way is waited for, so that none hangs unnoticed."""
        self.left = self.left[: int(self.ready)]

    def _lost(self, what: str) -> tuple[int, Outcome]:
        number, rest = self.left[0], self.left[1:]
        self.stop()
        self._begin()
        self.give(rest)
        description = self.attack.case(self.seed, number).description
        return number, Outcome("finding", what, description)

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def attacked(attack: Attack, seed: int, numbers: Sequence[int], jobs: int, until: float) -> Tally:
    """Try cases on several processes until they are through, and begin none when the time is up."""
    tally, began = Tally(len(numbers)), time.monotonic()
    size = max(1, min(BATCH, len(numbers) // (4 * jobs)))
    batches = [numbers[start : start + size] for start in range(0, len(numbers), size)][::-1]
    if time.monotonic() >= until:
        return tally
    workers = [Worker(attack, seed) for _ in range(min(jobs, len(batches)))]
    for worker in workers:
        worker.give(batches.pop())
    said = 0.0
    while busy := [worker for worker in workers if worker.left]:
        heard = wait([worker.pipe for worker in busy], timeout=1.0)
        for worker in busy:
            found = worker.heard() if worker.pipe in heard else worker.overdue()
            if found is not None:
                _say_once(attack.name, tally, *found)
                tally.add(*found)
                if not worker.left and batches:
                    worker.give(batches.pop())
            if time.monotonic() >= until:
                batches.clear()
                worker.finish()
        if time.monotonic() - said > (2 if sys.stderr.isatty() else 30):
            said = time.monotonic()
            _progress(attack.name, tally, said - began)
    for worker in workers:
        worker.stop()
    tally.seconds = time.monotonic() - began
    _progress(attack.name, tally, tally.seconds)
    return tally


def _say_once(name: str, tally: Tally, number: int, outcome: Outcome) -> None:
    if outcome.verdict == "finding" and outcome.kind not in tally.findings:
        print(f"{name}, case {number}: {outcome.kind}", file=sys.stderr, flush=True)


def _progress(name: str, tally: Tally, seconds: float) -> None:
    line = f"{name}: {tally.done:,} of {tally.planned:,} cases, {tally.found} findings, {seconds:.0f} s"
    print(line, file=sys.stderr, end="\r" if sys.stderr.isatty() else "\n", flush=True)


# What is said


def table(tallies: dict[str, Tally], seed: int) -> str:
    """Return the summary: counts for each attack, then each kind of finding with the cases that reproduce it."""
    lines = [f"seed {seed}, commit {_commit()}, Python {sys.version.split()[0]}, {os.cpu_count()} cores", ""]
    lines.append(f"{'attack':<10}{'cases':>9}{'run':>9}{'passed':>9}{'refused':>9}{'findings':>10}{'seconds':>9}")
    for name, tally in tallies.items():
        counts = f"{tally.planned:>9,}{tally.done:>9,}{tally.passed:>9,}{tally.refused.total():>9,}"
        lines.append(f"{name:<10}{counts}{tally.found:>10,}{tally.seconds:>9.0f}")
        if tally.refused:
            lines.append("          refused by " + ", ".join(f"{k} {v:,}" for k, v in tally.refused.most_common()))
        if tally.done < tally.planned:
            lines.append(f"          {tally.planned - tally.done:,} cases were not run: the time was up")
    for name, tally in tallies.items():
        for kind, found in sorted(tally.findings.items(), key=lambda item: -len(item[1])):
            lines += ["", f"{name}, {len(found)} times: {kind}"]
            for number, outcome in found[:3]:
                again = f"python -m tests.campaign --seed {seed} --only {name} --case {number}"
                lines += [f"    {again}", f"        {outcome.description}"]
    return "\n".join(lines)


def _commit() -> str:
    try:
        found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found.stdout.strip()


def once(name: str, seed: int, number: int) -> int:
    """Try a single case here, and show everything of it."""
    attack = load(name)
    print(attack.case(seed, number).description)
    outcome = judged(attack, seed, number)
    print(outcome.verdict, outcome.kind, outcome.trace, sep="\n")
    return int(outcome.verdict == "finding")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a campaign; return 1 if it has found anything."""
    given = _parser().parse_args(arguments)
    names = given.only or list(ATTACKS)
    if given.case is not None:
        return max(once(names[0], given.seed, number) for number in given.case)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    print(f"campaign with seed {given.seed}", file=sys.stderr, flush=True)
    until = time.monotonic() + 60 * given.minutes
    tallies: dict[str, Any] = {}
    for name in names:
        attack = load(name)
        numbers = range(given.start, given.start + max(1, round(given.share * attack.cases)))
        tallies[name] = attacked(attack, given.seed, numbers, given.jobs, until)
    print(table(tallies, given.seed))
    return int(any(tally.found for tally in tallies.values()))


def _parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m tests.campaign", description="Attack gramian; exit 1 on findings.")
    found.add_argument("--seed", type=int, default=0, help="of all cases (0)")
    found.add_argument("--share", type=float, default=1.0, help="of the cases of a whole campaign (1)")
    found.add_argument("--start", type=int, default=0, help="number of the first case (0)")
    found.add_argument("--only", action="append", choices=ATTACKS, help="one attack; may be repeated")
    found.add_argument("--case", type=int, action="append", help="a single case, with its traceback; needs --only")
    found.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes side by side (one a core)")
    found.add_argument("--minutes", type=float, default=90.0, help="after which no case is begun (90)")
    return found
