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

import torch

import gramian as gm
from gramian.formula.encoded import Encoded
from gramian.places.torch import interpret

SAMPLE = 256
ROWS = {  # name: objects, goal in seconds
    "ridge 100,000": (100_000, None),
    "ridge 1,000,000": (1_000_000, 20),
    "ridge 200,000 double": (200_000, None),
    "pca 1,000,000": (1_000_000, 30),
    "fisher 1,000,000": (1_000_000, 60),
    "low rank 1,000,000": (1_000_000, None),
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


def run(name):
    n, goal = ROWS[name]
    X = points(n, torch.float64 if "double" in name else torch.float32)
    y, kernel = target(X), gm.Gaussian(1.0)
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    begun, said = time.perf_counter(), {}
    if name.startswith("ridge"):
        model = gm.KernelRidge(kernel, ridge=1.0).fit(X, y)
        said = {"method": model.solver_}
    elif name.startswith("pca"):
        model = gm.KernelPCA(10, kernel).fit(X)
    elif name.startswith("fisher"):
        labels = (10 * X[:, 0]).long().clamp(0, 9)
        model = gm.FisherDiscriminant(kernel, ridge=1.0).fit(X, labels)
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
        print(results[-1], flush=True)
        if chosen.json:
            chosen.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
