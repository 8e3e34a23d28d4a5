"""Measuring on a noisy machine: two programs in turn, the best of each; memory in a process of its own."""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
PEERS = ("scikit-learn", "gpytorch", "torch", "pykeops", "himalaya", "strkernels", "scipy")

QUIET = os.environ | {"PYTHONWARNINGS": "ignore"}  # peers warn of much

Answer = dict[str, Any]


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


def alone(job: str, *arguments: object, limit: float | None = None) -> Answer:
    """Run a job in a fresh process; its seconds, its peak memory in MB, and what it says of its answer.

    `megabytes` is the peak beyond data and imports, `peak` that of the whole process. A job that takes longer than the
    limit is stopped, and that is its answer; so is the error of one that fails.
    """
    command = [sys.executable, str(HERE / "process.py"), job, *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False, env=QUIET)
    except subprocess.TimeoutExpired:
        return {"stopped": limit}
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        return {"failed": "out of memory" if done.returncode == -9 else lines[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def must(job: str, *arguments: object) -> Answer:
    """Run a job that has to succeed."""
    answer = alone(job, *arguments)
    if "failed" in answer:
        raise RuntimeError(f"{job} {arguments}: {answer['failed']}")
    return answer


def peak_memory() -> int:
    """High-water mark of this process's memory in bytes (Linux)."""
    return _kilobytes("/proc/self/status", "VmHWM") * 1024


def forget_peak() -> None:
    """Set the high-water mark back to what the process holds now."""
    Path("/proc/self/clear_refs").write_text("5")


def total_memory() -> int:
    """Bytes of memory of this machine."""
    return _kilobytes("/proc/meminfo", "MemTotal") * 1024


def free_memory() -> int:
    """Bytes of memory that a new process can have."""
    return _kilobytes("/proc/meminfo", "MemAvailable") * 1024


def _kilobytes(file: str, name: str) -> int:
    for line in Path(file).read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    raise OSError(f"{name} is not reported here")


def cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def machine() -> str:
    """One line on where this ran, and against what."""
    model = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.processor(),
    )
    peers = ", ".join(filter(None, map(_with_version, PEERS)))
    return (
        f"{model}, {cores()} cores, {total_memory() / 2**30:.0f} GiB of memory, Python "
        f"{platform.python_version()}, NumPy {np.__version__}; {peers}"
    )


def _with_version(name: str) -> str:
    """Name and version of a peer; nothing where it is not installed."""
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return ""


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


def syrk_rate(columns: int, dtype: type = np.float64) -> float:
    """Operations a second, on all cores, of the product AᵀA of a tall matrix, of which half is computed."""
    from scipy.linalg import blas

    A = np.asfortranarray(np.random.default_rng(0).standard_normal((columns, 4096)).astype(dtype))
    (syrk,) = blas.get_blas_funcs(("syrk",), (A,))
    return 4096 * columns**2 / best(lambda: syrk(1.0, A), 5)
