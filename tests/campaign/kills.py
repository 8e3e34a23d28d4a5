"""Programs killed at any moment: fits with checkpoints, and commands that write.

A fit that is killed and started again gets to the same bits as one that never was. What a command writes is there whole
or not at all, and the same command, given again, writes the same bytes.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .attack import Attack, Case, chance, one_of, require

N = 900
FITS = ("ridge", "fisher", "pca", "low ridge", "low fisher")


# The victims


def fit(which: str, checkpoint: str | None) -> tuple[Any, ...]:
    """Fit a learner with everything stored that can be."""
    import gramian as gm
    from gramian.factor import eigen, solve
    from gramian.learn import fisher, lowrank, pca
    from gramian.places.cores import entries
    from gramian.runtime import journal

    journal.PATIENCE, journal.INTERVAL, journal.WORTH, entries.HOLD = -1.0, 0.0, np.inf, 0
    for module in (solve, eigen, pca, fisher):
        if hasattr(module, "DENSE"):
            module.DENSE = 200
    lowrank.OBJECTS_AT_A_TIME = 64
    X = np.random.default_rng(0).standard_normal((N, 3))
    y, labels, Z = np.sin(X).sum(axis=1), (X[:, 0] > 0).astype(int), X[:9] + 0.1
    k = gm.Gaussian(0.7)
    if which == "pca":
        found = gm.KernelPCA(4, k, rank="exact", checkpoint=checkpoint).fit(X)
        return found.dual_coef_, found.eigenvalues_
    rank = 30 if which.startswith("low") else "exact"
    if which.endswith("ridge"):
        ridge = gm.KernelRidge(k, 0.3, rank=rank, checkpoint=checkpoint).fit(X, y)
        return ridge.dual_coef_, ridge.predict(Z)
    discriminant = gm.FisherDiscriminant(k, 0.01, rank=rank, checkpoint=checkpoint).fit(X, labels)
    return discriminant.dual_coef_, discriminant.decision_function(Z)


def command_of_fit(which: str) -> list[str]:
    return [sys.executable, "-m", "tests.campaign.kills", which, "journal", "found.npz"]


COMMANDS: dict[str, list[str]] = {
    "fit": ["fit", "--target", "c", "-o", "out.gramian"],
    "gram": ["gram", "--columns", "a,b", "-o", "out.npy"],
    "predict": ["predict", "-o", "out.csv"],
}


def command_of(which: str) -> list[str]:
    name, *more = COMMANDS[which]
    model = ["model.gramian"] if which == "predict" else []
    return [sys.executable, "-m", "gramian", name, *model, "data.csv", *more, "--quiet"]


# How they are killed


def killed(command: list[str], place: Path, after: float | None, then: float) -> bool:
    """Start a program and kill it: `after` seconds, or soon after it has made a file. Tell whether it was in time."""
    before = _files(place)
    began = time.monotonic()
    child = subprocess.Popen(command, cwd=place, env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        while child.poll() is None:
            if time.monotonic() - began > after if after is not None else _files(place) != before:
                time.sleep(then)
                break
            time.sleep(0.001)
        child.send_signal(signal.SIGKILL)
    finally:
        _, said = child.communicate()
    require(child.returncode in (0, -signal.SIGKILL), f"exit code {child.returncode}: {said[-300:].decode()}")
    return child.returncode != 0


def _files(place: Path) -> set[str]:
    return {str(path) for path in place.rglob("*")}


def _environment() -> dict[str, str]:
    """Return the environment of a program that runs elsewhere and finds the same packages."""
    here = [str(Path(path).resolve()) for path in (*os.environ.get("PYTHONPATH", "").split(os.pathsep), ".")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(here)}


def finished(command: list[str], place: Path) -> None:
    done = subprocess.run(command, cwd=place, env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    require(done.returncode == 0, f"exit code {done.returncode}: {done.stderr[-300:].decode()}")


@cache
def truth(which: str) -> tuple[Any, float]:
    """Return what a program that is not killed gives, and the seconds it takes."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        began = time.monotonic()
        if which in FITS:
            finished([sys.executable, "-m", "tests.campaign.kills", which, "", "found.npz"], place)
            with np.load(place / "found.npz") as found:
                return [found[key] for key in found.files], time.monotonic() - began
        _put_data(which, place)
        finished(command_of(which), place)
        (out,) = place.glob("out.*")
        return out.read_bytes(), time.monotonic() - began


def _put_data(which: str, place: Path) -> None:
    X = np.random.default_rng(1).normal(size=(150, 3)).round(6)
    rows = [f"{a},{b},{'xy'[int(c > 0)]}" for a, b, c in X.tolist()]
    (place / "data.csv").write_text("a,b,c\n" + "\n".join(rows) + "\n")
    if which == "predict":
        (place / "model.gramian").write_bytes(truth("fit")[0])


def make(rng: np.random.Generator) -> Case:
    """Return a case: one kill, and what is there afterwards."""
    fits = chance(rng, 0.5)
    which = one_of(rng, FITS if fits else COMMANDS)
    blind, when, then = chance(rng, 0.4), float(rng.uniform(0.3, 1.0)), float(rng.exponential(0.02))

    def action() -> None:
        expected, seconds = truth(which)
        place = Path(tempfile.mkdtemp(prefix="gramian-kills-"))
        try:
            (of_fit if fits else of_command)(which, place, expected, when * seconds if blind else None, then)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    moment = f"after {when:.0%} of its time" if blind else f"{then:.3f} s after its first file"
    return Case(f"{'fit of' if fits else 'gramian'} {which}, killed {moment}", action)


def of_fit(which: str, place: Path, expected: Any, after: float | None, then: float) -> None:
    command = command_of_fit(which)
    killed(command, place, after, then)
    (place / "found.npz").unlink(missing_ok=True)
    finished(command, place)
    with np.load(place / "found.npz") as found:
        require(
            all(np.array_equal(found[key], one) for key, one in zip(found.files, expected, strict=True)), "other bits"
        )


def of_command(which: str, place: Path, expected: bytes, after: float | None, then: float) -> None:
    _put_data(which, place)
    killed(command_of(which), place, after, then)
    outputs = list(place.glob("out.*"))
    require(not outputs or outputs[0].read_bytes() == expected, "half an output")
    strange = [
        path.name for path in place.iterdir() if not path.name.startswith(("out.", "data.", "model.", ".gramian-"))
    ]
    require(not strange, f"left behind: {strange}")
    finished([*command_of(which), "--force"], place)
    require(next(place.glob("out.*")).read_bytes() == expected, "other bytes after a second run")


ATTACK = Attack("kills", 100, make, wall=1800.0, memory=None)

if __name__ == "__main__":
    np.savez(sys.argv[3] + ".part.npz", *fit(sys.argv[1], sys.argv[2] or None))
    os.replace(sys.argv[3] + ".part.npz", sys.argv[3])
