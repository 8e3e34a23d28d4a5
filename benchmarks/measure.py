"""Measuring on a noisy machine: two programs in turn, the best of each; memory in a process of its own."""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def best(run: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest of some runs."""
    return min(_seconds(run) for _ in range(repeats))


def duel(ours: Callable[[], object], theirs: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Seconds of the fastest run of each, run in turn so that both see the same machine."""
    times = [(_seconds(ours), _seconds(theirs)) for _ in range(repeats)]
    return min(t for t, _ in times), min(t for _, t in times)


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def alone(job: str, *arguments: object) -> dict[str, float]:
    """Run a job of jobs.py in a fresh process; its seconds, and its peak memory beyond data and imports in MB."""
    command = [sys.executable, str(HERE / "jobs.py"), job, *map(str, arguments)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(answer.stdout.splitlines()[-1])


def peak_memory() -> int:
    """High-water mark of this process's memory in bytes (Linux)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    raise OSError("VmHWM is not reported here")


def forget_peak() -> None:
    """Set the high-water mark back to what the process holds now."""
    Path("/proc/self/clear_refs").write_text("5")


def machine() -> str:
    """One line on where this ran."""
    model = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.processor(),
    )
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, NumPy {np.__version__}"


def limits(dtype: type, width: int) -> dict[str, float]:
    """What the hardware can do: nanoseconds per entry and core of a product of that width, and of exp."""
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((2, 768, width)).astype(dtype)
    exponents, out = -rng.random((768, 768)).astype(dtype), np.empty((768, 768), dtype)
    with threadpool_limits(1):
        product = best(lambda: np.matmul(A, B.T, out=out), 200)
    exponential = best(lambda: np.exp(exponents, out=out), 200)
    return {"product": product / out.size * 1e9, "exp": exponential / out.size * 1e9}
