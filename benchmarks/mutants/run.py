"""make mutants: how many small changes of the source do the tests notice?

    python benchmarks/mutants/run.py                    500 mutants of kernels/, factor/, space/ and learn/
    python benchmarks/mutants/run.py --size 50 --seed 1 others, and fewer
    python benchmarks/mutants/run.py --again            those that survived the last time, after tests were added

A mutant is the source with one sign, number or condition changed (`sample.py`); it is killed when a test fails. The
tests are recorded once for each state of the source (`record.py`: which of them run which line), and each mutant
meets those that run the line it changes (`selection.py`), first for a few seconds, and once more for longer, in a
fresh process, if it survives them (`trials.py`). `equivalent.txt` lists the mutants that no test can kill, as judged
by hand. All is kept in build/mutants.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from sample import FOLDERS, Mutant, sampled
from selection import COMPILED, Recorded, placed

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "mutants"
TREE = BUILD / "tree"
PACKAGE = TREE / "src" / "gramian"
SURVIVED = ("survived", "no test", "not tried")


class Pass(NamedTuple):
    """What a mutant meets at a time: seconds of tests, files of them in a fresh process, and whether always in one."""

    seconds: float
    files: int
    fresh: bool


PASSES = (Pass(10.0, 3, fresh=False), Pass(30.0, 12, fresh=True))


def main() -> int:
    given = arguments()
    if given.again:
        mutants = [Mutant(**one) for one in json.loads((BUILD / "survivors.json").read_text())]
        renewed(mutants)
    else:
        renewed()
        mutants = sampled(PACKAGE, given.size, given.seed)
    begun = time.monotonic()
    record(given.workers)
    print(f"tests recorded after {time.monotonic() - begun:.0f} s", flush=True)
    ends = ["survived"] * len(mutants)
    for kind in PASSES:
        left = [number for number, end in enumerate(ends) if end in SURVIVED]
        for number, end in tried(mutants, left, kind, given.workers).items():
            ends[number] = end
        print(f"{Counter(ends)} after {time.monotonic() - begun:.0f} s", flush=True)
    told(mutants, ends)
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=500, help="mutants")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--again", action="store_true", help="the survivors of the last time only")
    return parser.parse_args()


def renewed(mutants: Sequence[Mutant] = ()) -> None:
    """Copy the source and its tests to where they are changed."""
    changed = [one.module for one in mutants if (ROOT / "src" / "gramian" / one.module).read_text() != original(one)]
    if changed:
        sys.exit(f"{changed[0]} has changed since; make mutants draws anew")
    copied(ROOT, TREE)


def original(mutant: Mutant) -> str:
    return (PACKAGE / mutant.module).read_text()


def copied(source: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    for folder in ("src", "tests"):
        shutil.copytree(source / folder, target / folder)
    for name in ("pyproject.toml", "README.md", "ARCHITECTURE.md"):
        shutil.copy(source / name, target)


def started(script: str, *arguments: str, tree: Path) -> subprocess.Popen[bytes]:
    """Start one of the programs beside this one, where the tests are, in no one's way."""
    paths = os.pathsep.join([str(tree / "src"), str(HERE)])
    settings = {"PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(
        ["nice", "-n", "19", sys.executable, str(HERE / script), *arguments],
        cwd=tree,
        env=os.environ | settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
    )


def record(workers: int) -> None:
    """Record the tests, unless this state of them has been recorded before."""
    folder, state = BUILD / "recorded", fingerprint()
    if (folder / "state").exists() and (folder / "state").read_text() == state:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    running: list[subprocess.Popen[bytes]] = []
    for name in FOLDERS:
        if len(running) >= workers:
            running.pop(0).wait()
        running.append(started("record.py", str(folder / name), f"tests/{name}", f"src/gramian/{name}", tree=TREE))
    for one in running:
        one.wait()
    (folder / "state").write_text(state)


def fingerprint() -> str:
    """Return what changes with any source or test."""
    files = sorted(path for path in TREE.rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def tried(mutants: list[Mutant], numbers: list[int], kind: Pass, workers: int) -> dict[int, str]:
    """Put mutants before the tests, and return how each of them ended."""
    recorded = Recorded(BUILD / "recorded", PACKAGE)
    orders = [ordered(number, mutants[number], recorded, kind) for number in numbers]
    ends = {order["number"]: "not tried" if order["tests"] else "no test" for order in orders}
    orders = sorted((order for order in orders if order["tests"]), key=lambda order: order["loaded"])
    running = []
    for worker in range(workers):
        tree, results = BUILD / f"tree-{worker}", BUILD / f"results-{worker}.jsonl"
        copied(TREE, tree)
        results.write_text("")
        (BUILD / f"orders-{worker}.json").write_text(json.dumps(orders[worker::workers]))
        running.append(started("trials.py", str(BUILD / f"orders-{worker}.json"), str(results), tree=tree))
    for worker, one in enumerate(running):
        one.wait()
        for line in (BUILD / f"results-{worker}.jsonl").read_text().splitlines():
            result = json.loads(line)
            ends[result["number"]] = result["ended"]
    return ends


def ordered(number: int, mutant: Mutant, recorded: Recorded, kind: Pass) -> dict[str, object]:
    outside = mutant.module in COMPILED or placed(ast.parse(original(mutant)), mutant.line) is None
    loaded = kind.fresh or outside
    tests = recorded.tests(mutant, kind.seconds, kind.files if loaded else None)
    return {
        "number": number,
        "path": f"src/gramian/{mutant.module}",
        "text": mutant.text,
        "tests": tests,
        "seconds": sum(recorded.seconds[test] for test in tests),
        "loaded": loaded,
    }


def told(mutants: list[Mutant], ends: list[str]) -> None:
    """Print the score, and who survived."""
    known = {tuple(line.split("\t")[:3]) for line in (HERE / "equivalent.txt").read_text().splitlines()}
    ends = [
        "equivalent" if end in SURVIVED and (one.module, one.before, one.after) in known else end
        for one, end in zip(mutants, ends, strict=True)
    ]
    survivors = [one for one, end in zip(mutants, ends, strict=True) if end in SURVIVED]
    for one in survivors:
        print(f"\n{one.name}\n  - {one.before}\n  + {one.after}")
    (BUILD / "survivors.json").write_text(json.dumps([asdict(one) for one in survivors]))
    count = Counter(ends)
    noticed = count["killed"] + count["timed out"]
    print(f"\n{len(mutants)} mutants: " + ", ".join(f"{number} {end}" for end, number in count.most_common()))
    print(f"score: {noticed} of {len(mutants) - count['equivalent']} that can be killed")


if __name__ == "__main__":
    sys.exit(main())
