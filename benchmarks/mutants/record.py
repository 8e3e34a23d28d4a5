"""Which tests run which line, and how long each of them takes.

    python record.py DATA TESTS...

runs the tests once under coverage, a context for each test, and writes DATA (SQLite, as coverage writes it) and
DATA.seconds (JSON: a test's id to its seconds). Run it where the tests are.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import coverage
import pytest
from sample import FOLDERS

QUIET = ["-q", "--no-header", "-p", "no:cacheprovider", "-p", "steady", "-m", "not alone"]


class Recorder:
    """A plugin of pytest that tells coverage which test is running."""

    def __init__(self, lines: coverage.Coverage) -> None:
        self.lines = lines
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self.lines.switch_context(item.nodeid)
        start = time.process_time()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.process_time() - start

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed or report.skipped:
            self.failed.add(report.nodeid)


def main(data: str, tests: list[str]) -> None:
    lines = coverage.Coverage(data_file=data, include=[f"*/gramian/{folder}/*" for folder in FOLDERS])
    lines.start()
    recorder = Recorder(lines)
    pytest.main([*QUIET, *tests], plugins=[recorder])
    lines.stop()
    lines.save()
    seconds = {test: took for test, took in recorder.seconds.items() if test not in recorder.failed}
    Path(f"{data}.seconds").write_text(json.dumps(seconds))
    print(f"{len(seconds)} tests in {sum(seconds.values()):.0f} s; left out: {sorted(recorder.failed)}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
