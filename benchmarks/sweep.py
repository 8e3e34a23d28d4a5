"""The sweep: every learner with its defaults at sizes from 100 to 40,000, beside what one would pick instead.

    python benchmarks/run.py sweep                  all rows
    python benchmarks/run.py sweep.fisher2          one
    python benchmarks/sweep.py fisher2 --out F      one, into a file of its own (to measure several side by side)
    python benchmarks/sweep.py fisher2 --out F --sizes 20000 40000      some sizes of it, added to those in the file
    python benchmarks/sweep.py --take F …           put such files into measured.json

Two things are looked for: a **cliff**, a size that takes longer than 1.2 × some larger one, and the **ratio** to the
peer at each size. A side that takes longer than the limit at one size is not asked for larger ones.
"""

import argparse
import json
import math
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from measure import alone, machine
from ordinary import ROWS, ordinary
from record import Record

HERE = Path(__file__).parent
SIZES = (100, 300, 1_000, 3_000, 5_000, 10_000, 20_000, 40_000)
CLIFF = 1.2  # times the seconds of a larger size that a smaller one may take
BRIEF = 0.05  # seconds below which a size is not compared: one switch of a process is as long
GROWTH = 4.0  # times the seconds of a size that the next one is expected to take, at least
PROCESSOR = "processor seconds"
LIMIT = 120.0  # seconds of one side, with its repetitions

Swept = dict[str, Any]


def measure(name: str, sizes: tuple[int, ...] = SIZES, limit: float = LIMIT, before: Swept | None = None) -> Swept:
    """Measure one row, both sides in turn at each size, beyond the smaller ones that were measured before."""
    row = ROWS[name]
    found = before or {"machine": machine(), "sizes": [], "ours": [], "peer": [], "cannot": {}}
    given_up = {side.split()[0] for side in found["cannot"]}
    for n in (n for n in sizes if n not in found["sizes"]):
        found["sizes"].append(n)
        for side in ("ours", "peer"):
            if side in given_up or (side == "ours" and n > row.most):
                found[side].append(None)
                continue
            answer = alone("ordinary", n, name, side, limit=limit)
            found[side].append(answer.get("seconds"))
            if "seconds" not in answer:
                given_up.add(side)
                why = f"> {answer['stopped']:.0f} s" if "stopped" in answer else answer["failed"][:80]
                found["cannot"][f"{side} {n}"] = why
    return found


def together(
    name: str, sizes: tuple[int, ...], limit: float, before: Swept | None = None, by_processor: bool = False
) -> Swept:
    """Measure one row in this process, all sizes of it: quickly, by a guess of what will take longer than the limit.

    `by_processor` counts processor seconds: for a machine that is not ours alone, on one core.
    """
    row, clock = ROWS[name], time.process_time if by_processor else time.perf_counter
    words = f"one core, {PROCESSOR}" if by_processor else "all sizes of a row in one process"
    found = before or {"machine": f"{machine()} ({words})", "sizes": [], "ours": [], "peer": []}
    found.setdefault("cannot", {})
    for n in (n for n in sizes if n not in found["sizes"]):
        found["sizes"].append(n)
        for side in ("ours", "peer"):
            last = found[side][-1] if found[side] else 0.0
            if last is None or GROWTH * last > limit or (side == "ours" and n > row.most):
                found[side].append(None)
                found["cannot"].setdefault(f"{side} {n}", "not measured")
                continue
            ordinary(256, name, side)()
            taken: list[float] = []
            while len(taken) < 3 and sum(taken) < 2:
                run = ordinary(n, name, side)
                start = clock()
                run()
                taken.append(clock() - start)
            found[side].append(min(taken))
    return found


def cliffs(found: Swept) -> list[str]:
    """Say at which sizes our side takes longer than at a larger one."""
    timed = [(n, s) for n, s in zip(found["sizes"], found["ours"], strict=True) if s is not None]
    return [
        f"{n:,} takes {seconds:.2g} s, {larger:,} {later:.2g} s"
        for k, (n, seconds) in enumerate(timed)
        for larger, later in timed[k + 1 :]
        if seconds > max(CLIFF * later, BRIEF)
    ]


def cell(found: Swept, k: int) -> str:
    """Our seconds, and how many times as long the peer takes."""
    if k >= len(found["sizes"]):
        return "–"
    ours, peer, n = found["ours"][k], found["peer"][k], found["sizes"][k]
    if ours is None:
        return found["cannot"].get(f"ours {n}", "–")
    taken = f"{ours:.2g} s" if ours >= 0.1 else f"{1000 * ours:.2g} ms"
    if peer is None:
        why = found["cannot"].get(f"peer {n}", "")
        return f"{taken} (peer {why})" if why else taken
    return f"{taken} ({peer / ours:.2g} ×)"


def table(swept: dict[str, Swept]) -> str:
    """One line a row: our seconds at each size, and in brackets the seconds of the peer over ours."""
    sizes = max((one["sizes"] for one in swept.values()), key=len)
    lines = [
        f"| learner | instead | {' | '.join(f'{n:,}' for n in sizes)} |",
        "|---|---|" + "---|" * len(sizes),
    ]
    for name, found in swept.items():
        cells = " | ".join(cell(found, k) for k in range(len(sizes)))
        mark = "\\*" if PROCESSOR in found["machine"] else ""
        lines.append(f"| {ROWS[name].what}{mark} | {ROWS[name].peer} | {cells} |")
    return "\n".join(lines)


def verdict(swept: dict[str, Swept]) -> str:
    """Say whether there is a cliff, and how often which side is faster."""
    bad = [f"{ROWS[name].what}: {'; '.join(found)}" for name, one in swept.items() if (found := cliffs(one))]
    ratios = [
        peer / ours
        for one in swept.values()
        for ours, peer in zip(one["ours"], one["peer"], strict=True)
        if ours is not None and peer is not None
    ]
    missing = [name for name in ROWS if name not in swept]
    partly = [name for name, one in swept.items() if one["sizes"][-1] < SIZES[-1] and name not in missing]
    slower = sum(r < 1 for r in ratios)
    middle = math.exp(sorted(map(math.log, ratios))[len(ratios) // 2]) if ratios else float("nan")
    text = "No size measured takes longer than 1.2 × a larger one." if not bad else f"**Cliffs**: {'. '.join(bad)}."
    return (
        f"{text} Of {len(ratios)} comparisons the peer is faster in {slower}; in the middle one it takes "
        f"{middle:.2g} × our time. A number below 1 × means that the peer is faster."
        + (f" Not measured at all: {', '.join(missing)}." if missing else "")
        + (f" Not up to {SIZES[-1]:,}: {', '.join(partly)}." if partly else "")
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="rows, or files with --take")
    parser.add_argument("--out", type=Path, help="a file for what is measured")
    parser.add_argument("--take", action="store_true", help="put what the files hold into measured.json")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds of one side")
    parser.add_argument("--processor", action="store_true", help="by processor seconds, in this process")
    parser.add_argument("--together", action="store_true", help="all sizes of a row in this process")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="ascending")
    given = parser.parse_args()
    if given.take:
        record = Record(HERE / "measured.json")
        for file in given.names:
            record.sweep |= json.loads(Path(file).read_text(encoding="utf-8"))
        record.sweep = {name: record.sweep[name] for name in ROWS if name in record.sweep}
        record.save()
        print(table(record.sweep), verdict(record.sweep), sep="\n\n")
        return 0
    warnings.simplefilter("ignore")
    kept = given.out is not None and given.out.exists()
    found: dict[str, Swept] = json.loads(given.out.read_text(encoding="utf-8")) if kept else {}
    for name in given.names or ROWS:
        for n in given.sizes:
            if given.together or given.processor:
                found[name] = together(name, (n,), given.limit, found.get(name), given.processor)
            else:
                found[name] = measure(name, (n,), given.limit, found.get(name))
            if given.out is not None:
                given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(table({name: found[name]}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
