"""What the same work takes on the cores of a machine with a GPU: scikit-learn, and gramian itself.

    PYTHONPATH=src python benchmarks/gpu_peers.py [--json FILE] [--seconds 300]

scikit-learn multiplies blocks of its own matrix with V, for a share of the rows, and the time is that of all rows. Its
KernelRidge holds K, and gets as many objects as have room. Fits of arrays of NumPy are timed through `--device auto`,
`cpu` and `cuda` on the command line: what a user waits for, with all that is loaded, sent and compiled.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.gaussian_process.kernels import Matern
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

import gramian as gm

N, SHARE, BLOCK = 200_000, 50, 1000
HELD = 20_000
FITS = (5_000, 20_000, 50_000)


def gaussian(d):
    return lambda X, Z: rbf_kernel(X, Z, 0.5 / (0.7**2 * d))


def mixed(d):
    near, far = gaussian(d), gaussian(4 * d)
    return lambda X, Z: (near(X, Z) + far(X, Z)) * polynomial_kernel(X, Z, 2, gamma=1.0, coef0=1.0)


PRODUCTS = {
    "gaussian d=3": (gaussian(3), 3, 1),
    "gaussian d=10": (gaussian(10), 10, 1),
    "gaussian d=20": (gaussian(20), 20, 1),
    "gaussian d=50": (gaussian(50), 50, 1),
    "16 columns d=10": (gaussian(10), 10, 16),
    "64 columns d=10": (gaussian(10), 10, 64),
    "matern 3/2 d=10": (Matern(0.7 * 10**0.5, nu=1.5), 10, 1),
    "sum x polynomial d=10": (mixed(10), 10, 1),
}


def product(kernel, d, columns):
    """Milliseconds of K V by scikit-learn, from every SHARE-th of the rows."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, d), dtype=np.float32)
    V = rng.standard_normal((N, columns), dtype=np.float32)
    kernel(X[:BLOCK], X) @ V
    begun = time.perf_counter()
    for start in range(0, N // SHARE, BLOCK):
        kernel(X[start : start + BLOCK], X) @ V
    return (time.perf_counter() - begun) * SHARE * 1e3


def ridge(n):
    """Seconds of an exact kernel ridge by scikit-learn, and by gramian on the cores and on the GPU."""
    X = np.random.default_rng(0).random((n, 10))
    y = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]
    there, t = gm.to_device(X, "cuda"), gm.to_device(y, "cuda")

    def ours(X, y):
        return gm.KernelRidge(gm.Gaussian(1.0), ridge=1.0, rank="exact").fit(X, y)

    ours(there, t)
    found = {"n": n}
    for name, work in (
        ("scikit-learn", lambda: KernelRidge(alpha=1.0, kernel="rbf", gamma=0.5).fit(X, y)),
        ("cores", lambda: ours(X, y)),
        ("gpu", lambda: ours(there, t)),
    ):
        begun = time.perf_counter()
        work()
        torch.cuda.synchronize()
        found[name] = time.perf_counter() - begun
    return found


def fits(n, stop):
    """Seconds of `gramian fit` by device, the better of two; None where no time was left."""
    with tempfile.TemporaryDirectory() as folder:
        X = np.random.default_rng(0).random((n, 11))
        X[:, 10] = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]
        table, found = Path(folder) / "table.npz", {"n": n}
        np.savez(table, X=X[:, :10], y=X[:, 10])
        for device in ("cpu", "auto", "cuda"):
            command = [sys.executable, "-m", "gramian", "fit", str(table), "--target", "y", "--learner", "ridge"]
            command += ["--kernel", "gaussian(1.0)", "--device", device, "--force", "--output", f"{folder}/m.gramian"]
            times = []
            while len(times) < 2 and time.monotonic() < stop:
                begun = time.perf_counter()
                heard = subprocess.run(command, capture_output=True, text=True, check=False)
                times.append(time.perf_counter() - begun)
                if heard.returncode:
                    raise RuntimeError(heard.stderr[-500:])
            found[device] = min(times, default=None)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--seconds", type=float, default=300)
    chosen = parser.parse_args()
    stop = time.monotonic() + chosen.seconds
    found = {"cores": os.cpu_count(), "products": {}, "ridge": None, "fits": []}

    def keep():
        if chosen.json:
            chosen.json.write_text(json.dumps(found, indent=1))

    for name, (kernel, d, columns) in PRODUCTS.items():
        if time.monotonic() < stop:
            found["products"][name] = product(kernel, d, columns)
            print(f"{name:24} {found['products'][name]:10,.0f} ms", flush=True)
            keep()
    found["ridge"] = ridge(HELD)
    print(found["ridge"], flush=True)
    keep()
    for n in FITS:
        found["fits"].append(fits(n, stop))
        print(found["fits"][-1], flush=True)
        keep()


if __name__ == "__main__":
    main()
