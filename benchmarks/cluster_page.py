"""What benchmarks/cluster.py and benchmarks/cluster_pairs.py measured, as a section of BENCHMARKS.md."""

import json
from pathlib import Path

KEPT = Path(__file__).with_name("cluster.json")


def section() -> str:
    """The section, empty where nothing was measured."""
    if not KEPT.exists():
        return ""
    known = json.loads(KEPT.read_text())
    parts = [write(known[name]) for name, write in PARTS.items() if name in known]
    text = """Workers are processes of one machine with one thread each, and the cores those of the same machine: two of
either (`benchmarks/cluster.py`, `benchmarks/cluster_pairs.py`)."""
    return "\n\n".join(["## On a cluster", text, *parts])


def of_ridge(found: dict) -> str:
    return (
        f"Ridge regression of rank 300, n = {found['n']:,}, data in memory: {found['cores']:.1f} s by the cores, "
        f"{found['2 workers']:.1f} s by two workers ({found['2 workers'] / found['cores']:.2f} ×), "
        f"{found['1 workers']:.1f} s by one ({found['1 workers'] / found['2 workers']:.2f} × as long as two)."
    )


def of_pairs(found: dict) -> str:
    two, one = found["2 workers"], found["1 workers"]
    sent = found["traffic"]["2"]
    return (
        f"K V, n = {found['n']:,}, float64: {found['cores']:.2f} s by both cores, {two:.2f} s by two workers "
        f"({two / found['cores']:.2f} ×), {one:.2f} s by one ({one / two:.2f} × as long as two; a single core takes "
        f"{found['one core'] / found['cores']:.2f} × as long as both). Workers sent {sent['product']:.2f} MB for a "
        f"product, by theory {sent['theory']:.2f}."
    )


def of_traffic(found: dict) -> str:
    return (
        f"A fit of rank 300 with n = {found['n']:,} in {found['partitions']} partitions made workers send "
        f"{found['megabytes']:.1f} MB, by theory at most {found['theory']:.1f}."
    )


def of_memory(found: list) -> str:
    head = ["| rows of a Parquet file | peak MB of a worker | of the client |", "|---|---|---|"]
    rows = [f"| {r['n']:,} | {r['workers']:.0f} | {r['client']:.0f} |" for r in found]
    return "\n".join([*head, *rows])


def of_kills(found: dict) -> str:
    return (
        f"Of {found['times']} fits of ten learners in whose midst one or both workers were killed, {found['same']} "
        f"gave the same answer to the last bit; the longest took {found['longest']:.0f} s."
    )


def of_start(found: dict) -> str:
    return (
        f"On a cluster that runs already it takes {found['connect']:.2f} s to connect, {found['first']:.2f} s to the "
        f"first answer of workers that have loaded nothing yet, and {found['later']:.2f} s to a later one."
    )


def of_peers(found: dict) -> str:
    lines = ["| job | by | s | error |", "|---|---|---|---|"]
    for r in found["rows"]:
        told = f"it fails: {r['failed']} | –" if "failed" in r else f"{r['seconds']:.1f} | {r['error']:.2g}"
        lines.append(f"| {r['job']}, n = {r['n']:,} | {r['who']} | {told} |")
    said = """The error is the root mean square on new data; of clusters it is 1 less the adjusted Rand index. The
regression of scikit-learn is an average of two models, each of half of the data; that of dask-ml is one pass of
stochastic gradients."""
    return "\n".join(lines) + "\n\n" + said


def of_table(found: dict) -> str:
    head = [
        "| n | workers | computing | network, 10 Gbit/s each | scheduler, 1 ms a task | objects, once |",
        "|---|---|---|---|---|---|",
    ]
    rows = [
        f"| {n:,} | {workers:,} | {compute:,.0f} s | {wire:.2f} s | {tasks:.0f} s | {once:.2f} s |"
        for n, workers, compute, wire, tasks, once in found["rows"]
    ]
    most = max((wire + once) / compute for _, _, compute, wire, _, once in found["rows"])
    text = f"""On paper, one product with K by {found["rate"] / 1e6:,.0f} million values of K a second and worker,
d = {found["d"]}, and the bytes of theory. The network takes {most:.1%} of the time at most; the scheduler would be
the limit beyond {beyond(found["rows"], 10**7):,.0f} workers at n = 10⁷, and beyond
{beyond(found["rows"], 10**8):,.0f} at n = 10⁸:"""
    return text + "\n\n" + "\n".join([*head, *rows])


def beyond(rows: list, size: int) -> float:
    """From how many workers on the scheduler takes longer than they do."""
    return next(workers * compute / tasks for n, workers, compute, _, tasks, _ in rows if n == size)


PARTS = {
    "ridge": of_ridge,
    "pairs": of_pairs,
    "traffic": of_traffic,
    "memory": of_memory,
    "kills": of_kills,
    "start": of_start,
    "peers": of_peers,
    "table": of_table,
}
