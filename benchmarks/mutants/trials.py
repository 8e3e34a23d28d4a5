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
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

SLACK = 5.0  # times the seconds that the tests took when they were recorded, and
START = 20.0  # seconds more, of the processor: a mutant that takes longer is stopped
LOADING = 30.0  # seconds of tests that starting a fresh process may stand for
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
            noted(order, self.results, *forked(session, items, order))
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


def forked(session: pytest.Session, items: dict[str, pytest.Item], order: Order) -> tuple[str, str]:
    """Run the tests on a mutant in a process of its own, with all modules loaded."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.setsid()
        limits(order["seconds"])
        try:
            exchange(order["path"], order["text"])
            os.write(writing, first_failure(session, [items[test] for test in order["tests"] if test in items]))
        except BaseException as error:
            os.write(writing, f"broke: {error!r}".encode())
        os._exit(0)
    os.close(writing)
    _, ended = waited(child, order["seconds"])
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what the tests had started
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    return ended or ("survived" if said == NONE else "killed"), said


def waited(child: int, seconds: float) -> tuple[int, str]:
    """Wait for a process, ten times what it may use of the processor; return its exit code, and how it failed."""
    deadline = time.monotonic() + 10 * (SLACK * seconds + START)
    while not (done := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return 1, "timed out"
        time.sleep(0.01)
    code = os.waitstatus_to_exitcode(done[1])
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return code, "timed out"
    return code, "killed" if code else ""


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


def first_failure(session: pytest.Session, items: list[pytest.Item]) -> bytes:
    """Run tests until one fails; return its id."""
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return item.nodeid.encode()
    return NONE.encode()


def tried(order: Order) -> tuple[str, str]:
    """Run the tests on a mutant written into the source, in a fresh process."""
    path, report = Path(order["path"]), Path("trial.log")
    source = path.read_text()
    path.write_text(order["text"])
    seconds = order["seconds"] + LOADING
    try:
        with report.open("w") as log:
            run = subprocess.Popen(
                [sys.executable, "-m", "pytest", *OPTIONS, "-x", "--tb=line", *order["tests"]],
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=lambda: limits(seconds),
            )
            run.returncode, ended = waited(run.pid, seconds)
    finally:
        path.write_text(source)
    return ended or "survived", report.read_text()[-500:]


def main(orders: list[Order], results: Path) -> None:
    exchanged = [order for order in orders if not order["loaded"]]
    if exchanged:
        files = sorted({test.split("::")[0] for order in exchanged for test in order["tests"]})
        pytest.main([*OPTIONS, *files], plugins=[Trials(exchanged, results)])
    for order in orders:
        if order["loaded"]:
            noted(order, results, *tried(order))


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
