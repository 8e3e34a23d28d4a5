"""A short share of the campaign, with luck that changes from commit to commit; and whether the judge can be trusted."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.campaign.attack import Attack, Case, Wrong, judged, require_close, require_finite, require_same
from tests.campaign.run import ATTACKS, attacked, load, table

from gramian.checks import as_number, warn

ROOT = Path(__file__).resolve().parents[2]


SEED = 0  # the same cases on every machine and at every commit: what luck finds is found by `make campaign`
SHARES = {"inputs": 0.015, "models": 0.05, "files": 0.02, "kills": 0.02, "threads": 0.04, "growth": 0.25}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_share_of_the_campaign_finds_nothing(name: str) -> None:
    command = [sys.executable, "-m", "tests.campaign", "--only", name, "--share", str(SHARES[name]), "--jobs", "1"]
    source = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [*command, "--seed", str(SEED), "--minutes", "4"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": source},
    )
    print(done.stdout)
    assert done.returncode == 0, f"{done.stdout[-4000:]}{done.stderr[-2000:]}"
    assert f"seed {SEED}" in done.stdout


# The judge


def attack_of(action: Any, **more: Any) -> Attack:
    return Attack("inputs", 10, lambda rng: Case("a try", action), refusals=(ValueError, TypeError), **more)


def raising(error: BaseException) -> Any:
    def action() -> None:
        raise error

    return action


def numpy_error() -> None:
    np.ones(3) @ np.ones(4)


def refused() -> None:
    as_number("three", "bandwidth")


def of_our_own() -> None:
    exec("from gramian.checks import warn; warn('of our own')", {"__name__": "gramian.learn.somewhere"})


ACTIONS: dict[str, tuple[Any, str, str]] = {
    "an answer": (lambda: None, "passed", ""),
    "a refusal": (refused, "refused", "TypeError"),
    "a wrong answer": (raising(Wrong("other bits")), "finding", "other bits"),
    "another exception": (raising(IndexError("7")), "finding", "IndexError"),
    "an error of NumPy": (numpy_error, "finding", "not in words of its own"),
    "an empty message": (raising(ValueError("")), "finding", "says too little"),
    "an error from nowhere": (raising(ValueError("this was not raised by gramian")), "finding", "words of its own"),
    "a warning of ours": (of_our_own, "passed", ""),
    "a warning of NumPy": (lambda: np.float64(1e308) * np.ones(1) * 10, "finding", "overflow"),
    "a warning of others": (lambda: warnings.warn("old", FutureWarning, stacklevel=1), "finding", "FutureWarning: old"),
    "NaN": (lambda: require_finite([1.0, np.nan], "the answer is"), "finding", "the answer is NaN"),
    "infinity": (lambda: require_finite([1.0, np.inf], "the answer is"), "finding", "the answer is infinite"),
    "far off": (lambda: require_close([1.0], [1.1], 1e-3, "the answer"), "finding", "off by"),
    "near": (lambda: require_close([1.0], [1.1], 0.1, "the answer"), "passed", ""),
    "another bit": (lambda: require_same([1.0], [np.nextafter(1.0, 2.0)], "the answer"), "finding", "other bits"),
    "another type": (lambda: require_same(np.float32([1]), np.float64([1]), "it"), "finding", "another type"),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_the_judge_tells_an_answer_from_a_refusal_and_a_finding(name: str) -> None:
    action, verdict, words = ACTIONS[name]
    found = judged(attack_of(action), 0, 0)
    assert found.verdict == verdict
    assert words in found.kind
    assert warnings.warn is not None
    assert warn.__module__ == "gramian.checks"


def test_a_case_depends_on_the_seed_and_its_number_alone() -> None:
    inputs = load("inputs")
    first = [inputs.case(3, number).description for number in range(50)]
    assert [inputs.case(3, number).description for number in reversed(range(50))] == first[::-1]
    assert [inputs.case(4, number).description for number in range(50)] != first
    assert len(set(first)) > 45


# The runner: it loads attacks by name in other processes, so that these are attacks of a module of their own

SEVERAL = """
import os, time
from tests.campaign.attack import Attack, Case

def make(rng):
    number = int(rng.integers(5))
    return Case(f"number {number}", lambda: {0: lambda: None, 1: lambda: time.sleep(6000), 2: lambda: os._exit(9),
                                             3: lambda: 1 / 0, 4: spin}[number]())

def spin():
    while True:
        pass

ATTACK = Attack("several", 12, make, seconds=0.5, wall=20.0)
"""


def test_a_case_that_hangs_or_ends_the_process_is_a_finding_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "driver.py").write_text(
        "import sys, types\n"
        f"module = types.ModuleType('tests.campaign.several')\nexec({SEVERAL!r}, module.__dict__)\n"
        "sys.modules['tests.campaign.several'] = module\n"
        "from tests.campaign.run import attacked, table\nimport time\n"
        "if __name__ == '__main__':\n"
        "    tally = attacked(module.ATTACK, 2, range(12), 2, time.monotonic() + 1000)\n"
        "    print(table({'several': tally}, 1))\n"
    )
    done = subprocess.run(
        [sys.executable, str(tmp_path / "driver.py")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        timeout=2000,
    )
    assert done.returncode == 0, done.stderr
    attack = {}
    exec(SEVERAL, attack)
    numbers = [attack["ATTACK"].case(2, number).description for number in range(12)]
    assert set(numbers) == {f"number {k}" for k in range(5)}
    reasons = {
        1: "did not end within 20 s",
        2: "the process died (exit code 9)",
        3: "ZeroDivisionError",
        4: "took more than 0.5 s of the processor",
    }
    for k, words in reasons.items():
        assert f"several, {numbers.count(f'number {k}')} times: {words}" in done.stdout, done.stdout
    assert f"{12:>9}{12:>9}{numbers.count('number 0'):>9}{0:>9}" in done.stdout


def test_cases_that_the_time_is_too_short_for_are_counted_as_not_run() -> None:
    tally = attacked(load("threads"), 0, range(5), 1, time.monotonic() - 1)
    assert (tally.done, tally.planned) == (0, 5)
    assert "5 cases were not run: the time was up" in table({"threads": tally}, 0)
