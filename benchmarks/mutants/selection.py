"""The tests that can notice a mutant, the most telling ones first.

These are the tests that run the statement that is changed. What runs when a module is loaded (constants, defaults of
parameters, decorators), and what runs compiled, is not seen line by line: there it is the tests that run anything of
the module, or of the modules that use the compiled one.
"""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from functools import cache
from pathlib import Path

from coverage import CoverageData
from sample import FOLDERS, Mutant

COMPILED = {
    f"kernels/strings/{name}.py": ("kernels/strings/subsequences.py", "kernels/strings/full_spectrum.py")
    for name in ("automaton", "dynamic", "suffixes")
}


class Recorded:
    """What `record.py` has seen of the tests of each folder."""

    def __init__(self, where: Path, package: Path) -> None:
        self.package = package
        self.data: list[CoverageData] = []
        self.seconds: dict[str, float] = {}
        for folder in FOLDERS:
            if (where / f"{folder}.seconds").exists():
                self.data.append(CoverageData(str(where / folder)))
                self.data[-1].read()
                self.seconds |= json.loads((where / f"{folder}.seconds").read_text())
        self.tests_of_lines = cache(self._tests_of_lines)

    def _tests_of_lines(self, module: str) -> dict[int, set[str]]:
        lines: dict[int, set[str]] = defaultdict(set)
        for data in self.data:
            for line, tests in data.contexts_by_lineno(str(self.package / module)).items():
                lines[line].update(test for test in tests if test in self.seconds)
        return lines

    def tests(self, mutant: Mutant, budget: float, files: int | None = None) -> list[str]:
        """Return the tests for a mutant, as many as take so many seconds, from so many files."""
        lines = self.tests_of_lines(mutant.module)
        place = placed(ast.parse((self.package / mutant.module).read_text()), mutant.line)
        if mutant.module in COMPILED:
            lines, place = self._inside(*COMPILED[mutant.module]), None
        elif place is None:
            lines = self._inside(mutant.module)
        seen = set().union(*(lines[line] for line in place or lines if line in lines))
        folder = mutant.module.split("/")[0]
        return self._in_turn(_of_files(seen, folder, files), folder, budget)

    def _inside(self, *modules: str) -> dict[int, set[str]]:
        """Return the tests of the lines inside functions."""
        found = {}
        for number, module in enumerate(modules):
            tree = ast.parse((self.package / module).read_text())
            for line, tests in self.tests_of_lines(module).items():
                if placed(tree, line) is not None:
                    found[number * 10**6 + line] = tests
        return found

    def _in_turn(self, tests: set[str], folder: str, budget: float) -> list[str]:
        """Order tests: one of each function before the second of any, those of the folder first, quick ones first."""
        functions = defaultdict(list)
        for test in sorted(tests, key=lambda test: (self.seconds[test], test)):
            functions[test.split("[")[0]].append(test)
        ranked = []
        for function, cases in functions.items():
            away = 0 if folder in function.split("/") else 2
            cases = [cases[0], *cases[:0:-1]]  # after the quickest those that do most
            ranked += [(away + turn, self.seconds[test], test) for turn, test in enumerate(cases)]
        chosen, total = [], 0.0
        for turn, seconds, test in sorted(ranked):
            if total + seconds <= budget or not chosen:
                chosen.append((turn, test.split("::")[0], seconds, test))
                total += seconds + 0.003
        return [test for *_, test in sorted(chosen)]


def _of_files(tests: set[str], folder: str, most: int | None) -> set[str]:
    """Return the tests of the files that have most to say of a mutant: those of its folder, with many functions."""
    files = defaultdict(set)
    for test in tests:
        files[test.split("::")[0]].add(test.split("[")[0])
    order = sorted(files, key=lambda file: (folder not in file.split("/"), -len(files[file]), file))
    return {test for test in tests if test.split("::")[0] in order[:most]}


def placed(tree: ast.Module, line: int) -> range | None:
    """Return the lines of the innermost statement in a function's body that holds a line; None outside of functions."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.body[0].lineno <= line <= function.body[-1].end_lineno:
            break
    else:
        return None
    holding = [
        node for node in ast.walk(function) if isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno
    ]
    innermost = min(holding, key=lambda node: node.end_lineno - node.lineno)
    body = getattr(innermost, "body", None)
    return range(innermost.lineno, body[0].lineno if body else innermost.end_lineno + 1)
