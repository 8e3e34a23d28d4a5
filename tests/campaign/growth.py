"""A thousand fits in one process, without growth of memory, open files or threads."""

from __future__ import annotations

import ctypes
import gc
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from gramian.models import load, save

from .attack import Attack, Case, require
from .inputs import _folder, answers
from .threads import KERNELS, LEARNERS

WARM, FITS = 60, 250
ROOM = 4 * 2**20  # bytes that the memory of a process may go up and down by


def make(rng: np.random.Generator) -> Case:
    """Return a case: many fits of all learners on all kernels in turn, saved and loaded."""
    n = int(rng.integers(10, 25))
    X: Any = rng.normal(size=(n, 3))
    words = ["".join(rng.choice(list("abcd"), 9)) for _ in range(n)]
    targets = {None: None, "labels": np.arange(n) % 2, "numbers": np.sin(X).sum(axis=1)}
    order = rng.permutation(len(LEARNERS) * len(KERNELS))

    def one(turn: int) -> None:
        place = int(order[turn % len(order)])
        make_learner, target = list(LEARNERS.values())[place % len(LEARNERS)]
        name, kernel = list(KERNELS.items())[place // len(LEARNERS)]
        objects = X if name in ("gaussian", "polynomial", "sum") else words
        model = make_learner(kernel).fit(objects, targets[target])
        path = Path(_folder(), f"growth-{os.getpid()}.gramian")
        save(model, path, overwrite=True)
        answers(load(path), objects[:5])
        if turn % 10 == 0:
            with suppress(ValueError, TypeError):
                make_learner(kernel).fit(None, targets[target])

    def action() -> None:
        for turn in range(len(order) + WARM):
            one(turn)
        before = resources()
        for turn in range(FITS):
            one(turn)
        after = resources()
        require(after[0] - before[0] <= ROOM, f"{FITS} fits took {(after[0] - before[0]) / 2**20:.1f} MiB")
        require(after[1] <= before[1], f"{after[1] - before[1]} files more are open")
        require(after[2] <= before[2], f"{after[2] - before[2]} threads more are there")

    return Case(f"{FITS} fits on {n} objects", action)


def resources() -> tuple[int, int, int]:
    """Return the bytes in memory, the number of open files, and that of threads."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir("/proc/self/fd")), threading.active_count()


ATTACK = Attack("growth", 4, make, seconds=600.0, wall=6000.0)
