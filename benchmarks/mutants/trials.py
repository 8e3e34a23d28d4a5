"""Put mutants before the tests.

    python trials.py ORDERS RESULTS

where ORDERS is JSON, a list of {"number", "path", "text", "tests", "seconds"}, and RESULTS gets a line of JSON for
each. Run it where the tests are. pytest collects all tests once; then a process is forked for each mutant, in which
the functions of the module get the code of the mutant, and the chosen tests run until one fails. That costs what the
tests cost. What runs when a module is loaded, and what is compiled, cannot be exchanged so: such a mutant ("loaded":
true) is written into the source and tried in a fresh process.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

SLACK = 5.0  # times the seconds that the tests took when they were recorded, and
START = 40.0  # seconds more, of the processor: a mutant that takes longer is stopped
HEAVY = (
    "numba",
    "numpy",
    "pandas",
    "scipy.linalg",
    "scipy.sparse.linalg",
    "scipy.spatial",
    "scipy.stats",
    "sklearn.base",
)
MEMORY = 8 * 2**30
OPTIONS = ["-q", "--no-header", "-p", "no:cacheprovider", "-p", "steady", "-m", "not alone"]
NONE = "no test has failed"

Order = dict[str, Any]


class Trials:
    """A plugin of pytest that, in place of running the tests, runs some of them for each mutant."""

    def __init__(self, orders: list[Order], results: Path) -> None:
        self.orders = orders
        self.results = results

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for order in self.orders:
            importlib.import_module(module_name(order["path"]))
        items = {item.nodeid: item for item in session.items}
        for order in self.orders:
            chosen = [items[test] for test in order["tests"] if test in items]
            noted(order, self.results, *forked(order, partial(exchanged, order, session, chosen)))
        return True


def noted(order: Order, results: Path, ended: str, killer: str) -> None:
    with results.open("a") as file:
        file.write(json.dumps({"number": order["number"], "ended": ended, "killer": killer}) + "\n")


def module_name(path: str) -> str:
    return path.removeprefix("src/").removesuffix(".py").replace("/", ".")


def limits(seconds: float) -> None:
    allowed = int(SLACK * seconds + START)
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, allowed + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def forked(order: Order, judge: Callable[[], str]) -> tuple[str, str]:
    """Have a mutant judged in a process of its own: return how it ended, and the test that failed."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.setsid()
        limits(order["seconds"])
        try:
            os.write(writing, judge().encode())
        except BaseException as error:
            os.write(writing, repr(error).encode())
        os._exit(0)
    os.close(writing)
    ended = waited(child, order["seconds"])
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what the tests had started
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    return ended or ("survived" if said == NONE else "killed"), said


def waited(child: int, seconds: float) -> str:
    """Wait for a process, ten times what it may use of the processor; return how it failed, or nothing."""
    deadline = time.monotonic() + 10 * (SLACK * seconds + START)
    while not (done := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "timed out"
        time.sleep(0.01)
    code = os.waitstatus_to_exitcode(done[1])
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return "timed out"
    return "killed" if code else ""


def exchanged(order: Order, session: pytest.Session, items: list[pytest.Item]) -> str:
    """Judge a mutant where all modules are loaded."""
    exchange(order["path"], order["text"])
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return item.nodeid
    return NONE


def afresh(order: Order) -> str:
    """Judge a mutant that stands in the source, where no module is loaded."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    failed = Failures()
    code = pytest.main([*OPTIONS, "-x", *order["tests"]], plugins=[failed])
    return NONE if code == pytest.ExitCode.OK else f"{failed.test or code!r}"


class Failures:
    """A plugin of pytest that keeps the test that failed."""

    test = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.test = report.nodeid


def exchange(path: str, text: str) -> None:
    """Give the loaded functions of a module the code of its mutant."""
    full = str(Path(path).resolve())
    codes = {(code.co_qualname, code.co_firstlineno): code for code in codes_in(compile(text, full, "exec"))}
    for function in [one for one in gc.get_objects() if isinstance(one, FunctionType)]:
        code = function.__code__
        if code.co_filename == full and (found := codes.get((code.co_qualname, code.co_firstlineno))) is not None:
            function.__code__ = found


def codes_in(code: CodeType) -> list[CodeType]:
    inner = [one for const in code.co_consts if isinstance(const, CodeType) for one in codes_in(const)]
    return [code, *inner]


def main(orders: list[Order], results: Path) -> None:
    for name in HEAVY:
        importlib.import_module(name)
    for order in orders:
        if order["loaded"]:
            path = Path(order["path"])
            source = path.read_text()
            path.write_text(order["text"])
            try:
                noted(order, results, *forked(order, partial(afresh, order)))
            finally:
                path.write_text(source)
    rest = [order for order in orders if not order["loaded"]]
    if rest:
        files = sorted({test.split("::")[0] for order in rest for test in order["tests"]})
        pytest.main([*OPTIONS, *files], plugins=[Trials(rest, results)])


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
