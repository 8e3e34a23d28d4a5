"""What benchmarks/gpu.py and benchmarks/gpu_learn.py measured on a GPU, as a section of BENCHMARKS.md."""

import json
from pathlib import Path

HERE = Path(__file__).parent
ROWS = ["| what | ms | wanted | torch's operations (ms) | error |", "|---|---|---|---|---|"]
DENSE = ["| what | ms | wanted | torch's operations (ms) |", "|---|---|---|---|"]
LIMITS = {"ridge 1e6": {"residual": 1e-6, "gigabytes": 40}, "ridge 1e6 double": {"residual": 1e-6, "gigabytes": 40}}
LEARNT = ["| what | s | wanted | GB on the device | answer |", "|---|---|---|---|---|"]


def section() -> str:
    """The section, empty where nothing was measured."""
    passes, learnt = (read(HERE / name) for name in ("gpu.json", "gpu_learn.json"))
    errors, beside = read(HERE / "gpu_data.json"), read(HERE / "gpu_peers.json")
    parts = [
        products(passes) if passes else "",
        learners(learnt) if learnt else "",
        peers(beside) if beside else "",
        exactness(errors) if errors else "",
    ]
    found = "\n\n".join(filter(None, parts))
    return f"## On a GPU\n\n{found}" if found else ""


def peers(beside: dict) -> str:
    """What the same work takes on the cores of that machine."""
    text = f"""On the {beside["cores"]} cores of the same machine: K V by scikit-learn's kernels, block by block,
timed on a share of the rows; and `gramian fit` of arrays of NumPy from the command line, all that is loaded, sent and
compiled included."""
    lines = ["| K V, n = 200,000 | scikit-learn (s) |", "|---|---|"]
    lines += [f"| {name} | {ms / 1e3:,.0f} |" for name, ms in beside["products"].items()]
    parts = [text, "\n".join(lines)]
    if one := beside["ridge"]:
        held = ", ".join(f"{name} {one[name]:.1f} s" for name in ("scikit-learn", "cores", "gpu"))
        parts.append(f"Exact kernel ridge, n = {one['n']:,}, which scikit-learn can hold: {held}.")
    if fits := [one for one in beside["fits"] if any(one.get(key) for key in ("cpu", "auto", "cuda"))]:
        rows = ["| `gramian fit`, n | `--device cpu` (s) | `auto` (s) | `cuda` (s) |", "|---|---|---|---|"]
        for one in fits:
            cells = (f"{one[key]:.1f}" if one.get(key) else "–" for key in ("cpu", "auto", "cuda"))
            rows.append(f"| {one['n']:,} | " + " | ".join(cells) + " |")
        parts.append("\n".join(rows))
    return "\n\n".join(parts)


def exactness(errors: list[dict]) -> str:
    """What is gained by working exactly, as n grows."""
    names, ranks = (list(dict.fromkeys(one[key] for one in errors)) for key in ("data", "rank"))
    head = ["| data | examples | " + " | ".join(str(r) if r == "exact" else f"rank {r:,}" for r in ranks) + " |"]
    lines = [*head, "|---" * (2 + len(ranks)) + "|"]
    for name in names:
        for n in dict.fromkeys(one["n"] for one in errors if one["data"] == name):
            found = {one["rank"]: one for one in errors if (one["data"], one["n"]) == (name, n)}
            cells = [f"{found[r]['error']:.4f} ({found[r]['seconds']:.1f} s)" if r in found else "–" for r in ranks]
            lines.append(f"| {name} | {n:,} | " + " | ".join(cells) + " |")
    text = """What exactness buys: the root mean square error on new examples, and the time of the fit, in two
regressions that anybody can make (`benchmarks/gpu_data.py`): how far the tip of a robot arm of ten joints is from a
point (no noise), and Friedman's function of ten numbers (noise of standard deviation 1, below which no error can fall).
The Gaussian kernel; its bandwidth is chosen at 20,000 examples, the ridge of each fit among a few, by the error on
others, one beyond 100,000. Landmarks end where K has no more digits: at some 800 for Friedman's function."""
    return "\n\n".join((text, "\n".join(lines)))


def read(path: Path) -> object:
    return json.loads(path.read_text()) if path.exists() else None


def products(passes: dict) -> str:
    ok = sum(" ok " in line for line in passes["checks"])
    text = f"""Data that lies on a GPU is worked on there. K V with n = 200,000 objects in single precision on an
{passes["device"]}, against the same formula through torch's own operations, tile by tile; exponentials alone, and
nothing else, take {passes["floor"]:.1f} ms. The error is the largest of a sample of rows, in double precision, relative
to Σ|terms|. {ok} of {len(passes["checks"])} checks of compiled formulas hold."""
    lines = [
        f"| {one['name']} | {one['ms']:.1f} | {wanted(one['ms'], one['goal'])} "
        f"| {one['torch']:,.0f} | {one['error']:.0e} |"
        for one in passes["rows"]
    ]
    dense = passes["dense"]
    written = []
    for symmetric, name in ((False, "between 30,000 and 30,000"), (True, "of 30,000, symmetric")):
        best = min(ms for how, _, ms in dense["times"] if how == symmetric)
        limit = 1.5 * dense["write"]
        written.append(f"| K {name}, written | {best:.2f} | {wanted(best, limit)} | {dense['torch']:.1f} |")
    return "\n\n".join((text, "\n".join(ROWS + lines), "\n".join(DENSE + written)))


def wanted(found: float, goal: float | None) -> str:
    return "–" if goal is None else f"{goal:.3g}" if found <= goal else f"{goal:.3g}, **missed**"


def learners(learnt: list[dict]) -> str:
    lines = []
    for one in learnt:
        if "differences" in one:
            continue
        if "failed" in one:
            lines.append(f"| {one['name']} | – | – | – | it did not end |")
            continue
        said = [one.get("method", "")] + [f"{name} {one[name]:.4g}" for name in ("residual", "r2") if name in one]
        said.append(one.get("note", ""))
        missed = [
            f"wanted: {name} {most:g}, **missed**"
            for name, most in LIMITS.get(one["name"], {}).items()
            if one[name] > most
        ]
        limit, note = wanted(one["seconds"], one["goal"]), "; ".join(filter(None, said + missed))
        lines.append(f"| {one['name']} | {one['seconds']:.1f} | {limit} | {one['gigabytes']:.1f} | {note} |")
    text = """Learners on ten columns, uniform in a cube; σ = 1, ridge 1. Residuals are in double precision, on a
sample of rows of K."""
    return "\n\n".join((text, "\n".join(LEARNT + lines)))
