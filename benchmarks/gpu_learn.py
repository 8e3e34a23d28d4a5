"""Learners on a CUDA device, at sizes at which a matrix of all pairs has no room: how long they take, and how exact.

    PYTHONPATH=src python benchmarks/gpu_learn.py [--json FILE] [--seconds 240] [--rows TEXT,…]

A regression is judged by its true residual, ‖(K + λI) α − y‖ / ‖y‖ in double precision on a sample of rows of K;
components by ‖K v − λ v‖ / λ₁. Each row runs in a process of its own, so that one that fails takes nothing with it.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch

import gramian as gm
from gramian.formula.encoded import Encoded
from gramian.places.torch import interpret

SAMPLE = 256
ROWS = {  # name: objects, goal in seconds
    "agreement with the cores": (2000, None),
    "ridge 1e5": (100_000, None),
    "ridge 1e5 to 1e-10": (100_000, None),
    "ridge 1e6": (1_000_000, 20),
    "ridge 4e6": (4_000_000, 420),
    "ridge 1e6 double": (1_000_000, 20),
    "ridge 2e5 double": (200_000, None),
    "ridge 2e5 double to 1e-10": (200_000, None),
    "pca 1e6": (1_000_000, 30),
    "fisher 1e6": (1_000_000, 60),
    "low rank 1e6": (1_000_000, None),
    "low rank 1e7 from the host": (10_000_000, 60),
}


def points(n, dtype=torch.float32):
    return torch.rand(n, 10, device="cuda", generator=torch.Generator("cuda").manual_seed(0), dtype=dtype)


def target(X):
    return torch.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] - X[:, 3].square()


def residual(model, X, y, ridge):
    """The relative residual of the system in double precision, on a sample of rows."""
    some = torch.randint(0, len(X), (SAMPLE,), device="cuda", generator=torch.Generator("cuda").manual_seed(1))
    weights = torch.as_tensor(model.function_.weights[:, 0], device="cuda").double()
    a = Encoded((X.double(),))
    left = torch.cat(
        [
            interpret.values_between(model.kernel_.formula, a[some[k : k + 8]], a, torch.float64) @ weights
            for k in range(0, SAMPLE, 8)
        ]
    )
    left += ridge * weights[some] - y[some].double()
    return float(left.norm() / y[some].double().norm())


def agreement(n):
    """The largest relative difference between what is said of tensors and of arrays, by what was asked."""
    found = {}

    def compare(what, there, here):
        there = there.cpu().numpy() if isinstance(there, torch.Tensor) else np.asarray(there)
        if what.startswith(("pca", "fisher")):
            there, here = np.abs(there), np.abs(here)
        found[what] = float(np.abs(there - here).max() / np.abs(here).max())

    for dtype in (torch.float32, torch.float64):
        X = points(n, dtype)
        A, v, y = X.cpu().numpy(), points(n, dtype)[:, 0], target(X)
        name = str(dtype)[-2:]
        for kernel in (gm.Gaussian(1.0), gm.Gaussian(1.0) + gm.Periodic(2.0), gm.Polynomial(2), gm.Matern(1.0, 1.5)):
            K, expected, said = kernel.gram(X), kernel.gram(A), f"{kernel} {name}"
            compare(f"product {said}", K @ v, expected @ v.cpu().numpy())
            compare(f"dense {said}", K.dense(), expected.dense())
            compare(f"centred {said}", K.center().dense(), expected.center().dense())
            compare(f"cholesky {said}", gm.cholesky(K, 20).residual, gm.cholesky(expected, 20).residual)
            compare(f"eigen {said}", gm.eigen(K, 3).values, gm.eigen(expected, 3).values)
            compare(f"solve {said}", gm.solve(K, y, 1.0).value, gm.solve(expected, y.cpu().numpy(), 1.0).value)
        labels = (3 * X[:, 0]).long().clamp(0, 2)
        for what, make, t in (
            ("ridge", lambda: gm.KernelRidge(gm.Gaussian("median"), ridge=1.0), y),
            ("ridge low", lambda: gm.KernelRidge(gm.Gaussian(1.0), ridge=1.0, rank=50), y),
            ("pca", lambda: gm.KernelPCA(2, gm.Gaussian(1.0)), None),
            ("fisher", lambda: gm.FisherDiscriminant(gm.Gaussian(1.0), ridge=1.0), labels),
            ("parzen", lambda: gm.ParzenClassifier(gm.Gaussian(1.0)), labels),
            ("novelty", lambda: gm.NoveltyDetector(gm.Gaussian(1.0), random_state=0), None),
        ):
            here = make().fit(A, None if t is None else t.cpu().numpy())
            there, method = (
                make().fit(X, t),
                next(m for m in ("transform", "score_samples", "predict") if hasattr(here, m)),
            )
            compare(f"{what} {name}", getattr(there, method)(X[:50]), getattr(here, method)(A[:50]))
    return found


def from_host(name, n, goal):
    """Learn from objects in the memory of the machine, which are sent over while the GPU works."""
    X = np.random.default_rng(0).random((n, 10), dtype=np.float32)
    y = target(torch.from_numpy(X)).numpy()
    torch.zeros(1, device="cuda")
    torch.cuda.reset_peak_memory_stats()
    begun = time.perf_counter()
    batches = gm.to_device(gm.Batches(X, target=y), "cuda")
    model = gm.KernelRidge(gm.Gaussian(0.6), ridge=1.0, rank=10_000).fit(batches)
    said = {"seconds": time.perf_counter() - begun, "method": model.solver_}
    new = np.random.default_rng(1).random((5000, 10), dtype=np.float32)
    said |= {"r2": float(model.score(torch.from_numpy(new).cuda(), target(torch.from_numpy(new))))}
    said["note"] = "σ = 0.6, by which K has digits enough for so many landmarks"
    return said | {"name": name, "goal": goal, "gigabytes": torch.cuda.max_memory_allocated() / 1e9}


def run(name):
    n, goal = ROWS[name]
    if name.startswith("agreement"):
        found = agreement(n)
        print("RESULT " + json.dumps({"name": name, "differences": found, "largest": max(found.values())}), flush=True)
        return
    if "host" in name:
        print("RESULT " + json.dumps(from_host(name, n, goal), default=str), flush=True)
        return
    X = points(n, torch.float64 if "double" in name else torch.float32)
    y, kernel = target(X), gm.Gaussian(1.0)
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    begun, said = time.perf_counter(), {}
    if name.startswith("ridge"):
        tol = 1e-10 if "1e-10" in name else {1_000_000: 1e-6, 4_000_000: 1e-5}.get(n)
        model = gm.KernelRidge(kernel, ridge=1.0, rank="exact", tol=tol).fit(X, y)
        said = {"method": model.solver_}
    elif name.startswith("pca"):
        model = gm.KernelPCA(10, kernel, rank="exact").fit(X)
    elif name.startswith("fisher"):
        labels = (10 * X[:, 0]).long().clamp(0, 9)
        model = gm.FisherDiscriminant(kernel, ridge=1.0, rank="exact").fit(X, labels)
        said = {"accuracy": float((model.predict(X[:5000]) == labels[:5000].cpu().numpy()).mean())}
    else:
        model = gm.KernelRidge(kernel, ridge=1.0, rank=min(10_000, n // 10)).fit(X, y)
    taken = time.perf_counter() - begun
    if name.startswith("ridge"):
        said |= {"residual": residual(model, X, y, 1.0)}
    if name.startswith(("ridge", "low")):
        said |= {"r2": float(model.score(X[:5000], y[:5000]))}
    said |= {"name": name, "seconds": taken, "goal": goal, "gigabytes": torch.cuda.max_memory_allocated() / 1e9}
    print("RESULT " + json.dumps(said, default=str), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--rows", default="")
    parser.add_argument("--seconds", type=float, default=240, help="after which a row is stopped")
    parser.add_argument("--row", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.row:
        run(chosen.row)
        return
    stop, results = time.monotonic() + chosen.seconds, []
    for name in ROWS:
        if chosen.rows and not any(text in name for text in chosen.rows.split(",")):
            continue
        left = stop - time.monotonic()
        try:
            heard = subprocess.run(
                [sys.executable, __file__, "--row", name],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=max(1, left), check=False,
            ).stdout  # fmt: skip
        except subprocess.TimeoutExpired as late:
            heard = f"stopped after {left:.0f} s\n" + (late.stdout or b"").decode()[-500:]
        found = [line.removeprefix("RESULT ") for line in heard.splitlines() if line.startswith("RESULT ")]
        results.append(json.loads(found[0]) if found else {"name": name, "failed": heard[-1500:]})
        print({name: said for name, said in results[-1].items() if name != "differences"}, flush=True)
        if chosen.json:
            chosen.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
