"""What exactness buys: error against the number of examples, exact and in low rank, on data that anybody can make.

    PYTHONPATH=src python benchmarks/gpu_data.py [--json FILE] [--seconds 240] [--device cuda] [--most 1000000]

arm     how far the tip of a robot arm of ten joints is from a point in space: the angles of its joints are uniform in
        ±90°, joints turn about z and y in turn, links become shorter from the shoulder on. The kin family of Delve
        (Ghahramani, 1996) asks the same of an arm of eight joints. There is no noise: only examples are wanting.
friedman  10 sin(π x₁x₂) + 20 (x₃ − ½)² + 10 x₄ + 5 x₅ + noise N(0, 1), x uniform in ten dimensions, of which five say
        nothing (Friedman, 1991). No method has a root mean square error below 1.

The bandwidth is chosen at 20,000 examples, by the error on others; so is the ridge of each fit, among a few.
"""

import argparse
import json
import math
import time
from pathlib import Path

import torch

import gramian as gm

TEST, CHOOSING = 50_000, 20_000
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
RANKS = (1_000, 10_000)
LARGE = (100_000, 1_000_000)  # sizes at which the larger rank is tried
TOL = 1e-4  # of residuals: predictions see no more
BANDWIDTHS = {"arm": (1.0, 1.5, 2.5, 4.0), "friedman": (0.6, 1.0, 1.7, 3.0)}
RIDGES = (1e-3, 1e-2, 1e-1, 1.0)


def ridges_for(n, rank):
    """Ridges of which the best is taken, by the error on others: fewer where a fit takes long."""
    if rank != "exact":
        return RIDGES[:1] if rank > 1_000 else (RIDGES[0], RIDGES[2])
    return RIDGES[1:3] if n <= 100_000 else RIDGES[2:3]


def arm(n, generator):
    """Angles, and the distance of the tip from a point."""
    angles = (torch.rand(n, 10, generator=generator, device=generator.device, dtype=torch.float64) - 0.5) * math.pi
    tip = torch.zeros(n, 3, device=generator.device, dtype=torch.float64)
    for joint in range(9, -1, -1):  # from the hand to the shoulder: move along the link, then turn
        tip[:, 0] += 1.0 / (1 + 0.25 * joint)
        other = 1 if joint % 2 == 0 else 2
        c, s = angles[:, joint].cos(), angles[:, joint].sin()
        tip[:, 0], tip[:, other] = c * tip[:, 0] - s * tip[:, other], s * tip[:, 0] + c * tip[:, other]
    goal = torch.tensor([1.0, 1.0, 1.0], device=generator.device, dtype=torch.float64)
    return angles, (tip - goal).norm(dim=1)


def friedman(n, generator):
    """Ten numbers, of which five matter, and noise."""
    x = torch.rand(n, 10, generator=generator, device=generator.device, dtype=torch.float64)
    y = 10 * torch.sin(math.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5).square() + 10 * x[:, 3] + 5 * x[:, 4]
    return x, y + torch.randn(n, generator=generator, device=generator.device, dtype=torch.float64)


def data(make, n, seed, device):
    X, y = make(n, torch.Generator(device).manual_seed(seed))
    return X.float(), y


def rmse(model, X, y):
    found = torch.cat([model.predict(X[k : k + 10_000]) for k in range(0, len(X), 10_000)])
    return float((found - y).square().mean().sqrt())


def learn(sigma, ridge, rank, X, y):
    begun = time.perf_counter()
    mean = float(y.mean())
    tol = TOL if rank == "exact" else None
    model = gm.KernelRidge(gm.Gaussian(sigma), ridge=ridge, rank=rank, tol=tol).fit(X, y - mean)
    return model, mean, time.perf_counter() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--most", type=int, default=SIZES[-1])
    chosen = parser.parse_args()
    stop, results = time.monotonic() + chosen.seconds, []
    for make in (arm, friedman):
        name, device = make.__name__, chosen.device
        X, y = data(make, min(CHOOSING, chosen.most), 1, device)
        V, v = data(make, min(TEST, chosen.most), 2, device)
        grid = {}
        for sigma in BANDWIDTHS[name]:
            for ridge in RIDGES:
                model, mean, _ = learn(sigma, ridge, "exact", X, y)
                grid[sigma, ridge] = rmse(model, V, v - mean)
        sigma, ridge = min(grid, key=grid.get)
        print(f"{name}: sigma {sigma}, ridge {ridge}, error {grid[sigma, ridge]:.4g} at {len(X):,}", flush=True)
        T, t = data(make, min(TEST, chosen.most), 3, device)
        spread = float(t.std())
        for n in (n for n in SIZES if n <= chosen.most):
            X, y = data(make, n, 1, device)
            for rank in ("exact", *RANKS):
                if time.monotonic() > stop or (rank == RANKS[-1] and n not in LARGE):
                    continue
                tried = {}
                for ridge in ridges_for(n, rank):
                    try:
                        model, mean, taken = learn(sigma, ridge, rank, X, y)
                        tried[rmse(model, V, v - mean)] = model, mean, taken, ridge
                    except Exception as fault:
                        print(f"{name} {n} {rank}: {type(fault).__name__}: {str(fault)[:200]}", flush=True)
                if not tried:
                    continue
                model, mean, taken, ridge = tried[min(tried)]
                error = rmse(model, T, t - mean)
                one = {"data": name, "n": n, "rank": rank, "error": error, "seconds": taken, "sigma": sigma}
                one |= {"ridge": ridge, "spread": spread, "method": model.solver_}
                results.append(one)
                how = f"{taken:6.1f} s  ridge {ridge:g}  {model.solver_[:60]}"
                print(f"{name:9}{n:>10,}{rank!s:>8}  error {error:.4f} of {spread:.2f}  {how}", flush=True)
                del model, tried
                if chosen.json:
                    chosen.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
