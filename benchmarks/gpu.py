"""Products with K on a CUDA device: correct for every form of a kernel, and how far from the floor of its exponentials.

    PYTHONPATH=src python benchmarks/gpu.py [--check] [--rows TEXT,…] [--json FILE] [--seconds 220]

Passes are checked and compiled by several processes side by side, then measured alone: every row of the table is the
best of several tiles and shares of exponentials on the arithmetic units, beside the goal and torch's operations. The
error is the largest, over a sample of rows, of |found − exact| / Σ|terms|, exact being in double precision.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import torch

import gramian as gm
from gramian.formula import expression as ex
from gramian.formula.encoded import Encoded
from gramian.places.torch import interpret
from gramian.places.torch.fused import Fused, fused
from gramian.places.torch.launch import Tile
from gramian.places.torch.passes import load
from gramian.places.torch.source import Share

N, DENSE, SAMPLE = 200_000, 30_000, 64
WORKERS = max(1, min(14, (os.cpu_count() or 2) - 2))
NONE, EIGHTH, QUARTER, THREE, HALF = Share(0, 4), Share(1, 8), Share(1, 4), Share(3, 8), Share(1, 2)
TILES = [Tile(*t) for t in ((64, 64, 4, 3), (64, 128, 4, 3), (128, 64, 4, 3), (128, 32, 4, 3))]
ROOTS = [Tile(*t) for t in ((64, 32, 4, 3), (64, 64, 4, 3), (64, 128, 4, 3), (128, 64, 4, 3))]
MANY = [Tile(*t) for t in ((64, 64, 4, 3), (64, 128, 4, 2), (64, 128, 4, 3))]
MOST = [Tile(*t) for t in ((64, 64, 4, 3, 168), (128, 64, 8, 3, 128), (128, 64, 8, 4, 128), (128, 64, 4, 3))]


def gaussian(sigma):
    return ex.SquaredDistance(bandwidth=sigma, factor=-0.5).exp()


def wide(d):
    return 0.7 * math.sqrt(d)


def mixed(sigma):
    return (gaussian(sigma) + gaussian(2 * sigma)) * (ex.Dot() + 1.0) ** 2


DOUBLE = [Tile(*t) for t in ((32, 64, 4, 2), (16, 256, 4, 2))]
DOUBLES = [Tile(*t) for t in ((32, 64, 4, 2), (64, 32, 4, 2), (32, 32, 4, 2), (64, 64, 8, 2))]

# name, formula of the bandwidth, coordinates, columns of V, tiles, shares, goal in ms
ROWS = [
    ("gaussian d=3", gaussian, 3, 1, TILES, (NONE, EIGHTH, THREE), 13.0),
    ("gaussian d=10", gaussian, 10, 1, TILES, (NONE, EIGHTH, QUARTER), 13.5),
    ("gaussian d=20", gaussian, 20, 1, TILES, (NONE, EIGHTH), 16.0),
    ("gaussian d=50", gaussian, 50, 1, TILES, (NONE, EIGHTH), 35.0),
    ("16 columns d=10", gaussian, 10, 16, MANY, (NONE,), 22.0),
    ("64 columns d=10", gaussian, 10, 64, MOST, (NONE,), 34.0),
    ("matern 3/2 d=10", lambda s: gm.Matern(s, 1.5).formula, 10, 1, ROOTS, (NONE, EIGHTH, HALF), 25.0),
    ("sum x polynomial d=10", mixed, 10, 1, TILES, (NONE, EIGHTH), 32.0),
    ("double d=10", gaussian, 10, 1, DOUBLE, (NONE,), None),
    ("double, 9 columns d=10", gaussian, 10, 9, DOUBLES, (NONE,), None),
]
FILLS = [Tile(*t) for t in ((64, 64, 4, 1), (128, 128, 8, 1), (64, 128, 4, 1), (128, 64, 4, 1), (32, 128, 4, 1))]


class Watched(Fused):
    """One that remembers what Triton made of its last pass."""

    def _launch(self, ready, name, *arguments, **constants):
        super()._launch(ready, name, *arguments, **constants)
        kernel = load(ready.source.text)[name]
        object.__setattr__(self, "compiled", _latest(kernel))


def _latest(kernel):
    try:
        cache = next(iter(kernel.device_caches.values()))[0]
        return list(cache.values())[-1]
    except Exception:
        return None


def watched(found, **changes):
    fields = {name: getattr(found, name) for name in Fused.__dataclass_fields__} | changes
    return Watched(**fields)


def points(n, d, dtype=torch.float32, seed=0):
    generator = torch.Generator(device="cuda").manual_seed(seed)
    return torch.randn(n, d, device="cuda", dtype=dtype, generator=generator)


def row_of(name, formula, d, columns, n=N, dtype=torch.float32):
    a = Encoded((points(n, d, dtype),))
    return formula(wide(d)), a, points(n, columns, dtype, seed=1)


def error_of(formula, a, V, found):
    """The largest |found − exact| / Σ|terms| over a sample of rows."""
    rows = torch.randint(0, len(a), (SAMPLE,), device="cuda", generator=torch.Generator("cuda").manual_seed(3))
    exact = Encoded(tuple(p.double() for p in a.parts))
    K = torch.cat(
        [interpret.values_between(formula, exact[rows[k : k + 16]], exact, torch.float64) for k in range(0, SAMPLE, 16)]
    )
    return float(((found[rows] - K @ V.double()).abs() / (K.abs() @ V.double().abs())).max())


def seconds(work, repeats=5):
    work()
    torch.cuda.synchronize()
    times = []
    for _ in range(repeats):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def short(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if "error" in line.lower()] or lines[-1:] or [""]
    return f"{type(error).__name__}: {told[0][:160]}"


def chosen_rows(texts):
    return [row for row in ROWS if not texts or any(text in row[0] for text in texts.split(","))]


def compile_part(part, parts, texts):
    """Compile every `parts`-th variant, which Triton keeps on the disk."""
    variants = [(row, tile, share) for row in chosen_rows(texts) for share in row[5] for tile in row[4]]
    for row, tile, share in variants[part::parts]:
        try:
            dtype = torch.float64 if row[0].startswith("double") else torch.float32
            formula, a, V = row_of(*row[:4], n=1024, dtype=dtype)
            watched(fused(formula, a, a, share=share), tile=tile).multiply(V)
            torch.cuda.synchronize()
        except Exception as error:
            print(f"COMPILE {row[0]} {tuple(tile)} {tuple(share)}: {short(error)}", flush=True)


def checks():
    """Formulas that passes are checked on: name, formula, coordinates."""
    g, dot, number = gaussian(1.3), ex.Dot(), ex.OfRow(part=(1,))
    column = ex.OfColumn(part=(1,))
    t = ex.SquaredDistance(bandwidth=0.9, smooth=False)
    return {
        "gaussian": (g, 3),
        "gaussian d=1": (g, 1),
        "gaussian d=10": (gaussian(2.2), 10),
        "gaussian d=50": (gaussian(5.0), 50),
        "gaussian d=100": (gaussian(7.0), 100),
        "gaussian d=300": (gaussian(12.0), 300),
        "gaussian narrow": (gaussian(0.3), 4),
        "scaled, re-weighted": (g * 0.3 * number * column, 5),
        "centred": (g - number - column, 5),
        "matern 1/2": (gm.Matern(0.8, 0.5).formula, 4),
        "matern 3/2": (gm.Matern(2.0, 1.5).formula, 10),
        "matern 5/2": (gm.Matern(1.5, 2.5).formula, 6),
        "laplacian": (gm.Laplacian(2.5).formula, 6),
        "linear": (dot, 7),
        "polynomial": ((dot * 0.2 + 0.5) ** 5, 4),
        "sum x polynomial": (mixed(2.0), 10),
        "sum x laplacian": ((g + gaussian(0.6)) * gm.Laplacian(1.0).formula, 3),
        "series": ((dot * 0.1 + 0.3).polynomial((0.5, 0.0, 0.25, 1.0)), 8),
        "exponential": ((dot * 0.1).exp(), 5),
        "expm1": ((t * -0.5).expm1() * -1, 3),
        "normalized": ((dot + 1.0) ** 2 * number * column, 5),
        "power of a matern": (gm.Matern(2.0, 1.5).formula ** 3, 10),
    }


def check(name, formula, d, dtype, far=0.0):
    """Say whether K v, K V and K are right, the same every time, and symmetric."""
    X, Z = (points(n, d, dtype, seed) + far for n, seed in ((1300, 1), (2111, 2)))
    a, b = (
        Encoded((P, P[:, 0].double().abs() * 0 + torch.linspace(0.5, 2, len(P), device="cuda").double()))
        for P in (X, Z)
    )
    found = fused(formula, a, b)
    if found is None:
        return "ok  none: through torch"
    exact = [Encoded(tuple(p.double() for p in e.parts)) for e in (a, b)]
    K = interpret.values_between(formula, *exact, torch.float64)
    errors = []
    for columns in (1, 2, 16, 64, 70):
        V = points(len(Z), columns, dtype, 5)
        product = found.multiply(V)
        if not torch.equal(product, fused(formula, a, b).multiply(V)):
            return "different bits"
        errors.append(float(((product - K @ V.double()).abs() / (K.abs() @ V.double().abs())).max()))
    out = torch.full(K.shape, torch.nan, dtype=found.dtype, device="cuda")
    errors.append(float((found.fill(out).double() - K).abs().max() / K.abs().max()))
    square = torch.full((len(X), len(X)), torch.nan, dtype=found.dtype, device="cuda")
    fused(formula, a, a).fill(square, symmetric=True)
    reference = interpret.values_between(formula, exact[0], exact[0], torch.float64)
    square.diagonal().copy_(interpret.norms(formula, a))
    errors.append(float((square.double() - reference).abs().max() / reference.abs().max()))
    if not torch.equal(square, square.T):
        return "not symmetric"
    allowed = 2e-6 if dtype == torch.float32 else 1e-13 * max(1, far)
    how = "".join("h" if p.halved else "c" for p in found._whole.points)
    said = " ".join(f"{e:.1e}" for e in errors)
    return f"{'ok ' if max(errors) <= allowed else 'OFF'} {how} {said}"


def check_part(part, parts):
    jobs = [
        (name, f, d, dtype, far)
        for name, (f, d) in checks().items()
        for dtype, far in ((torch.float32, 0.0), (torch.float64, 0.0))
    ]
    jobs += [("far gaussian", gaussian(1.3), 3, dtype, 1e4) for dtype in (torch.float32, torch.float64)]
    jobs += [("far gaussian", gaussian(2.2), 10, dtype, 1e4) for dtype in (torch.float32, torch.float64)]
    for name, formula, d, dtype, far in jobs[part::parts]:
        try:
            said = check(name, formula, d, dtype, far)
        except Exception as error:
            said = short(error)
        print(f"CHECK {name:20} {str(dtype)[-2:]} {said}", flush=True)


def side_by_side(what, stop):
    """Run a part of the work in each of several processes, and return what they said."""
    command = [sys.executable, __file__, *what, "--part"]
    heard = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    running = [subprocess.Popen([*command, str(k), str(WORKERS)], **heard) for k in range(WORKERS)]
    said = []
    for process in running:
        try:
            told, _ = process.communicate(timeout=max(1, stop - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            told, _ = process.communicate()
            told += "STOPPED a process for want of time\n"
        said += [
            line
            for line in told.splitlines()
            if line.startswith(("CHECK", "COMPILE", "STOPPED", "Traceback", "ImportError", "ModuleNotFound"))
        ]
    return said


EXPONENTIALS = """
import triton
import triton.language as tl


@triton.jit
def exponentials(out, m, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    x = (i % 7).to(tl.float32) * 0.1
    y = tl.arange(0, BN).to(tl.float32) * 0.01
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, m, BN):
        e = x[:, None] - y[None, :] - s * 1e-6
        acc += tl.inline_asm_elementwise("ex2.approx.ftz.f32 $0, $1;", "=f,f", [e], tl.float32, True, 1)
    tl.store(out + i, tl.sum(acc, 1))
"""


def floor():
    """Milliseconds for the exponentials alone, and one multiplication each."""
    exponentials, out = load(EXPONENTIALS)["exponentials"], torch.empty(N + 256, device="cuda")
    sizes = ((64, 4), (128, 4), (128, 8))
    return min(seconds(lambda b=b, w=w: exponentials[(-(-N // b),)](out, N, b, 64, num_warps=w)) for b, w in sizes)


def measure_row(row, folder, stop):
    name, formula, d, columns, tiles, shares, goal = row
    dtype = torch.float64 if name.startswith("double") else torch.float32
    f, a, V = row_of(name, formula, d, columns, dtype=dtype)
    times, failed, best = [], [], None
    for share in shares:
        base = fused(f, a, a, share=share)
        for tile in tiles:
            if best and time.monotonic() > stop:
                failed.append("out of time")
                break
            try:
                found = watched(base, tile=tile)
                ms = seconds(lambda found=found: found.multiply(V), 3)
                times.append(
                    (
                        ms,
                        tuple(tile),
                        tuple(share),
                        getattr(found.compiled, "n_regs", None),
                        getattr(found.compiled, "n_spills", None),
                    )
                )
                if ms == min(t[0] for t in times):
                    best = found
            except Exception as error:
                failed.append(f"{tuple(tile)}: {short(error)}")
    if best is None:
        raise RuntimeError("; ".join(failed[:2]))
    times.sort()
    ms = seconds(lambda: best.multiply(V), 9)
    product = best.multiply(V)
    error = error_of(f, a, V, product)
    same = torch.equal(product, best.multiply(V))
    if folder and best.compiled is not None:
        stem = "".join(c if c.isalnum() else "-" for c in name)
        for kind in ("ptx", "cubin"):
            data = best.compiled.asm.get(kind)
            if data is not None:
                (folder / f"{stem}.{kind}").write_bytes(data if isinstance(data, bytes) else data.encode())
    others = seconds(lambda: interpret.multiply(f, a, a, V, dtype), 1)
    result = {"name": name, "ms": ms, "goal": goal, "error": error, "torch": others, "same": same}
    result |= {"times": times, "failed": failed}  # the best first: milliseconds, tile, share, registers, spills
    _, tile, share, registers, spills = times[0]
    by_share = {tuple(s): min((t[0] for t in times if t[2] == tuple(s)), default=math.nan) for s in shares}
    following = " ".join(f"{t[0]:.1f}@{','.join(map(str, t[1]))}/{t[2][0]}" for t in times[1:5])
    print(
        f"{name:22} {ms:7.2f} ms  goal {goal or '-'}  error {error:.1e}  torch {others:7.1f}  {tile} share {share}",
        f"regs {registers} spills {spills} {'same bits' if same else 'OTHER BITS'}\n     ",
        *(f"{k[0]}/{k[1]}:{v:.1f}" for k, v in by_share.items()),
        f" next {following}",
        f" failed {len(failed)}: {failed[0]}" if failed else "",
        flush=True,
    )
    return result


def measure_fill():
    f, X = gaussian(wide(10)), points(DENSE, 10)
    a = Encoded((X,))
    out = torch.empty(DENSE, DENSE, device="cuda")
    write = seconds(lambda: out.fill_(1.0))
    results = {}
    for symmetric in (False, True):
        for tile in FILLS:
            try:
                found = watched(fused(f, a, a), tile=tile)
                results[symmetric, tuple(tile)] = seconds(lambda found=found, s=symmetric: found.fill(out, s))
            except Exception as error:
                print(f"fill {tuple(tile)}: {short(error)}")
    others = seconds(lambda: interpret.fill(f, a, a, out), 2)
    for symmetric in (False, True):
        some = sorted((ms, tile) for (s, tile), ms in results.items() if s == symmetric)
        said = " ".join(f"{ms:.2f}@{','.join(map(str, t))}" for ms, t in some)
        name = "dense 30,000" + (" symmetric" if symmetric else "")
        print(f"{name:22} write {write:.2f} ms, torch {others:.1f}: {said}")
    return {"write": write, "torch": others, "times": [[s, t, ms] for (s, t), ms in results.items()]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only check that passes are right")
    parser.add_argument("--rows", default="", help="only rows whose names contain one of these, between commas")
    parser.add_argument("--json", type=Path, help="where all figures are to be written")
    parser.add_argument("--seconds", type=float, default=220, help="after which nothing new is begun")
    parser.add_argument("--part", nargs=2, type=int, help=argparse.SUPPRESS)
    parser.add_argument("--compile", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.part:
        if chosen.compile:
            compile_part(*chosen.part, chosen.rows)
        else:
            check_part(*chosen.part)
        return
    begun = time.monotonic()
    stop = begun + chosen.seconds
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}, {WORKERS} workers", flush=True)
    said = side_by_side(["--check"], begun + 0.4 * chosen.seconds)
    bad = [line for line in said if " ok " not in line]
    print(f"checks: {sum(' ok ' in line for line in said)} ok of {len(said)}, {time.monotonic() - begun:.0f} s")
    print("\n".join(sorted(said) if chosen.check else bad), flush=True)
    if chosen.check:
        return
    failed = side_by_side(["--compile", "--rows", chosen.rows], begun + 0.65 * chosen.seconds)
    print(
        f"compiled, {len(failed)} failed, {time.monotonic() - begun:.0f} s",
        *failed[:6],
        sep="\n",
    )
    results = {"device": torch.cuda.get_device_name(), "checks": said, "failed": failed, "rows": []}
    folder = chosen.json.parent if chosen.json else None
    steps = [
        ("floor", lambda: print(f"exponentials alone      {results.setdefault('floor', floor()):.2f} ms", flush=True))
    ]
    rows = chosen_rows(chosen.rows)
    steps += [(row[0], lambda row=row: results["rows"].append(measure_row(row, folder, stop))) for row in rows]
    steps += [("dense", lambda: results.setdefault("dense", measure_fill()))] if not chosen.rows else []
    for name, work in steps:
        try:
            work()
        except Exception as error:
            print(f"{name}: FAILED {short(error)}", flush=True)
        if chosen.json:
            chosen.json.write_text(json.dumps(results, indent=1, default=str))
    print(f"{time.monotonic() - begun:.0f} s in all")


if __name__ == "__main__":
    main()
