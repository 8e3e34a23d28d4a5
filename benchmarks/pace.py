"""Reports as a reader waits for them: how long each takes, how much --quick saves, and whether the time left was told.

    python benchmarks/pace.py [iris spam digits numbers classes million] [--quick | --whole] [--states]

Each report is a command line of its own, on a terminal that is read as it rewrites its line. From the first tenth of
the time on, every state that tells the time left is held against what was really left. Times are written in whole
seconds, rounded up; the factor is the least that any time so written allows.
"""

import argparse
import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jobs import csv_file, task_of

STATE = re.compile(r"(\d+) %(?:   (?:(\d+):)?(\d+):(\d\d) left)?")
FIRST = 0.1  # of the time, from which on the time left is told rightly
FACTOR = 2.0


class State(NamedTuple):
    """What stood on the line: when, the share done, the seconds left if they were told."""

    time: float
    share: float
    left: int | None


class Run(NamedTuple):
    """A report: its seconds, its megabytes, and the states of the line."""

    seconds: float
    megabytes: float
    states: list[State]

    def factors(self) -> list[float]:
        """By what factor each state after the first tenth was wrong about the time left."""
        wrong = []
        for state in self.states:
            if state.left is not None and state.time >= FIRST * self.seconds:
                left = max(self.seconds - state.time, 1e-3)
                least, most = max(state.left - 1, 1e-3), max(state.left, 1e-3)  # rounded up, one of these was meant
                wrong.append(max(1.0, least / left, left / most))
        return wrong

    def shares(self) -> float:
        """By how much the share shown was farthest from that of the time."""
        return max((abs(state.share - state.time / self.seconds) for state in self.states), default=0.0)


SIZES = {
    "iris": (150, "iris"),
    "spam": (4600, "spam"),
    "digits": (1797, "digits"),
    "numbers": (50_000, "numbers"),
    "classes": (50_000, "classes"),
    "million": (1_000_000, "numbers"),
}


def watched(path: Path, task: str, quick: bool) -> Run:
    """Return how a report of a file went, as it was seen on a terminal."""
    command = [sys.executable, "-m", "gramian", "report", str(path), "--target", "y", "--kind", f"y={task}", "--force"]
    command += ["-o", str(path.with_suffix(".html")), *(["--quick"] if quick else [])]
    master, slave = pty.openpty()
    begun = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    states = []
    while True:
        try:
            seen = os.read(master, 4096).decode(errors="replace")
        except OSError:  # the other end is closed
            break
        if not seen:
            break
        now = time.perf_counter() - begun
        for share, hours, minutes, rest in STATE.findall(seen):
            left = 3600 * int(hours or 0) + 60 * int(minutes) + int(rest) if rest else None
            states.append(State(now, int(share) / 100, left))
    _, status, used = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begun
    os.close(master)
    if status:
        raise RuntimeError(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return Run(seconds, used.ru_maxrss / 1000, states)


def told(name: str, run: Run) -> str:
    wrong = run.factors()
    line = f"{name}: {run.seconds:.1f} s, {run.megabytes:,.0f} MB"
    if not wrong:
        return f"{line}; no time left was told after the first tenth"
    beyond = np.mean(np.array(wrong) > FACTOR)
    return (
        f"{line}; the time left was off by a factor of {max(wrong):.2f} at most ({np.median(wrong):.2f} in the middle, "
        f"beyond {FACTOR:g} in {beyond:.0%} of {len(wrong)} states); the share by {run.shares():.0%} at most"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["iris", "spam", "digits", "numbers", "classes"])
    parser.add_argument("--quick", action="store_true", help="quick reports only")
    parser.add_argument("--whole", action="store_true", help="whole reports only")
    parser.add_argument("--states", action="store_true", help="print every state")
    chosen = parser.parse_args()
    for name in chosen.names:
        n, what = SIZES[name]
        path, task = csv_file(n, what), task_of(what)
        whole = None if chosen.quick else watched(path, task, quick=False)
        quick = None if chosen.whole else watched(path, task, quick=True)
        for called, run in ((name, whole), (f"{name} --quick", quick)):
            if run is not None:
                print(told(called, run), flush=True)
                for state in run.states if chosen.states else []:
                    left = "" if state.left is None else f"{state.left} s left, really {run.seconds - state.time:.1f}"
                    print(f"    {state.time:6.1f} s  {state.share:4.0%}  {left}", flush=True)
        if whole is not None and quick is not None:
            print(f"{name} --quick takes {quick.seconds / whole.seconds:.2f} of the time", flush=True)


if __name__ == "__main__":
    main()
