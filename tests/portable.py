"""Run the numerical tests as other machines would: `make portable`.

A processor is known to a test by three things: the routines that OpenBLAS picks for it (OPENBLAS_CORETYPE), the vector
instructions that NumPy finds (NPY_DISABLE_CPU_FEATURES), and how many cores there are. Each configuration here changes
one of them, and one changes the order of the tests and the seed of hashes. A test that passes on one machine by luck
fails in one of these.

    python tests/portable.py                  all configurations, all numerical tests
    python tests/portable.py haswell prescott these two
    python tests/portable.py --share WORD     one configuration and a third of the files, chosen by any word
    python tests/portable.py --list           what there is, and what this machine cannot do
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "portable"
FOLDERS = ("formula", "places", "runtime", "gram", "kernels", "factor", "space", "learn", "models", "testing")
LIBRARIES = {"torch": ("torch",), "dask": ("dask", "distributed")}  # without which a place is left out
PARTS = 3  # a share is one file in so many: two to three minutes on two cores
SEED = 1
ASKED = """
import json, threadpoolctl, numpy, scipy.linalg
extensions = numpy.show_config(mode="dicts").get("SIMD Extensions", {})
cores = [i["architecture"] for i in threadpoolctl.threadpool_info() if i["internal_api"] == "openblas"]
print(json.dumps({"vectors": extensions.get("found", []), "openblas": cores}))
"""


@dataclass(frozen=True)
class Configuration:
    """What is set before the tests are run, and what the machine must have for it."""

    name: str
    what: str
    core: str | None = None  # a processor of OpenBLAS
    needs: str | None = None  # the flag of the processor without which its routines cannot run
    vectors: bool = True
    cores: int | None = None
    seed: int | None = None
    marks: str = "not alone"
    known_as: tuple[str, ...] = field(default=())

    def environment(self, vectors: Sequence[str]) -> dict[str, str]:
        """Return what is added to the environment; `vectors` are the instructions that NumPy has found here."""
        found = {"OPENBLAS_NUM_THREADS": "1"} if self.cores is None else {}  # a core to each of those side by side
        if self.core is not None:
            found["OPENBLAS_CORETYPE"] = self.core
        if not self.vectors:
            found["NPY_DISABLE_CPU_FEATURES"] = " ".join(vectors)
        if self.seed is not None:
            found["PYTHONHASHSEED"] = str(self.seed)
        return found

    def arguments(self) -> list[str]:
        """Return the arguments of pytest."""
        side_by_side = ["--numprocesses", "auto", "--maxprocesses", "4", "--dist", "worksteal"]
        shuffle = [] if self.seed is None else ["--shuffle", str(self.seed)]
        return [*(side_by_side if self.cores is None else []), *shuffle, "-m", self.marks]


CONFIGURATIONS = (
    Configuration("haswell", "OpenBLAS as on Haswell and Zen", core="Haswell", needs="avx2"),
    Configuration("skylakex", "OpenBLAS as on Skylake-X", core="SkylakeX", needs="avx512f"),
    Configuration("nehalem", "OpenBLAS as on Nehalem", core="Nehalem", needs="sse4_2"),
    # Its routines carry the name of the first processor that has the same ones
    Configuration("prescott", "OpenBLAS as on Prescott", core="Prescott", needs="sse2", known_as=("Katmai",)),
    Configuration("scalar", "NumPy without vector extensions", vectors=False),
    Configuration("one-core", "one core, and the tests that measure time", cores=1, marks="alone or not alone"),
    Configuration("shuffled", "another order, and another seed of hashes", seed=SEED),
)
PLAIN = Configuration("plain", "the machine as it is")


def numerical_tests() -> list[str]:
    """Return the files of the numerical tests, and the folders of modules whose examples are run as such."""
    absent = {place for place, needed in LIBRARIES.items() if not all(map(find_spec, needed))}
    tests = (path for name in FOLDERS for path in (ROOT / "tests" / name).rglob("test_*.py"))
    tests = (path for path in tests if path.parent.name not in absent)
    modules = (path for name in FOLDERS for path in [ROOT / "src" / "gramian" / name])
    return sorted(path.relative_to(ROOT).as_posix() for path in (*tests, *modules, ROOT / "README.md"))


def share(word: str, possible: Sequence[Configuration], files: Sequence[str]) -> tuple[Configuration, list[str]]:
    """Choose one configuration and one file in three; the same word chooses the same."""
    luck = random.Random(word)
    chosen = luck.choice(possible)
    return chosen, sorted(luck.sample(files, -(-len(files) // PARTS)))


def processor_flags() -> set[str]:
    """Return what the processor says of itself, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return set(next((line.partition(":")[2] for line in lines if line.startswith("flags")), "").split())


def ask(environment: dict[str, str]) -> dict[str, list[str]]:
    """Return what NumPy and OpenBLAS take this machine for."""
    answer = subprocess.run(
        [sys.executable, "-c", ASKED], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return json.loads(answer.stdout)


def impossible(configuration: Configuration, flags: set[str]) -> str | None:
    """Say why this machine cannot run a configuration; None where it can."""
    if configuration.core is not None and configuration.needs not in flags:
        return f"the processor has no {configuration.needs}"
    if configuration.cores is not None and not hasattr(os, "sched_setaffinity"):
        return f"{platform.system()} does not pin a process to a core"
    return None


def without_effect(configuration: Configuration, found: dict[str, list[str]]) -> str | None:
    """Say why a configuration would test nothing, from what the libraries say under it; None where it does."""
    if configuration.core is not None:
        names = {configuration.core, *configuration.known_as}
        if not found["openblas"] or not set(found["openblas"]) <= names:
            return f"BLAS takes the processor for {', '.join(found['openblas']) or 'no one (it is not OpenBLAS)'}"
    if not configuration.vectors and found["vectors"]:
        return f"NumPy still uses {' '.join(found['vectors'])}"
    return None


def counts(output: str) -> str:
    """Return the numbers of the last line of pytest: "3 failed, 120 passed"."""
    found = re.findall(r"^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s", output, flags=re.MULTILINE)
    return found[-1] if found else "no tests were run to the end"


def run(configuration: Configuration, files: Iterable[str], vectors: Sequence[str]) -> bool:
    """Run the tests in a configuration, print one line, and tell whether all passed or there was nothing to test."""
    environment = configuration.environment(vectors)
    reason = without_effect(configuration, ask(environment))
    if reason is not None:
        print(f"{configuration.name:10} left out: {reason}", flush=True)
        return True
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{configuration.name}.log"
    command = [sys.executable, "-m", "pytest", "--quiet", "--no-header", *configuration.arguments(), *files]
    begun = time.monotonic()
    with log.open("w", encoding="utf-8") as out:
        code = subprocess.run(
            pinned(command, configuration.cores), cwd=ROOT, env=os.environ | environment, stdout=out, stderr=out
        ).returncode
    output = log.read_text(encoding="utf-8")
    print(f"{configuration.name:10} {counts(output)} in {time.monotonic() - begun:.0f} s", flush=True)
    if code != 0:
        settings = " ".join(f"{name}='{value}'" for name, value in environment.items())
        failed = re.findall(r"^(?:FAILED|ERROR) .*", output, flags=re.MULTILINE)
        print("\n".join(failed) or output[-2000:])
        print(f"under {settings}; all of it in {log.relative_to(ROOT)}", flush=True)
    return code == 0


def pinned(command: list[str], cores: int | None) -> list[str]:
    """Return a command that runs on so many cores only."""
    if cores is None:
        return command
    code = f"import os; os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-{cores}:]); "
    return [sys.executable, "-c", f"{code}os.execv({command[0]!r}, {command!r})"]


def main() -> int:
    """Read the arguments, run what they ask for and return the exit code."""
    known = {c.name: c for c in (*CONFIGURATIONS, PLAIN)}
    parser = argparse.ArgumentParser(description="Run the numerical tests as other machines would.")
    parser.add_argument("names", nargs="*", metavar="configuration", help=f"some of {', '.join(known)}")
    parser.add_argument("--files", nargs="+", help="these files of tests only")
    parser.add_argument("--share", metavar="WORD", help="one configuration and a third of the files, chosen by WORD")
    parser.add_argument("--list", action="store_true", help="list the configurations")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in known]
    if unknown:
        parser.error(f"no configuration is called {unknown[0]}; there are {', '.join(known)}")
    flags = processor_flags()
    possible = []
    for configuration in [known[name] for name in given.names] or CONFIGURATIONS:
        reason = impossible(configuration, flags)
        if reason is None:
            possible.append(configuration)
        if given.list or reason is not None:
            print(f"{configuration.name:10} {configuration.what if reason is None else f'left out: {reason}'}")
    if given.list:
        return 0
    files = given.files or numerical_tests()
    if given.share is not None:
        chosen, files = share(given.share, possible, files)
        possible = [chosen]
        print(f"--share {given.share}: {chosen.what}, {len(files)} files")
    vectors = ask({})["vectors"]
    passed = [run(configuration, files, vectors) for configuration in possible]
    print("all passed" if all(passed) else f"{passed.count(False)} of {len(passed)} configurations failed")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
