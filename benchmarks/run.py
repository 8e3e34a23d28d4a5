"""make bench: measure every claim against its peers; write BENCHMARKS.md and its pictures as it goes.

    python benchmarks/run.py                        everything
    python benchmarks/run.py exact_pca growth       only these; the other rows stay as they were measured before
    python benchmarks/run.py --list                 the names
    python benchmarks/run.py --small …              small sizes, to try the programs out
    python benchmarks/run.py exact_pca pca=80000    another size (see sizes.py)

With other sizes than those of the page everything is written under build/bench instead; limit=, the seconds after which
a peer is stopped, is no such size. The measured values are kept in measured.json, from which the page is made.
"""

import argparse
import sys
import time
import traceback
from dataclasses import fields, replace
from pathlib import Path

import growth
import ordinary
import sweep
from measure import machine
from page import CLAIMS, SCALED, Page, row
from record import NOT, Claim, Record
from sizes import SMALL, Sizes

HERE = Path(__file__).parent
ROOT = HERE.parent
CURVES = {name: path for _, paths in growth.PICTURES.values() for name, path in paths.items()}


def arguments() -> tuple[list[str], Sizes]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="claims, curves, 'growth' for all curves, 'sweep'; or size=value")
    parser.add_argument("--small", action="store_true", help="small sizes")
    parser.add_argument("--list", action="store_true", help="print the names")
    given = parser.parse_args()
    if given.list:
        print("claims:", *CLAIMS, "\ncurves:", *(f"growth.{name}" for name in CURVES))
        print("sweep:", *(f"sweep.{name}" for name in ordinary.ROWS))
        print("sizes:", *(f"{one.name}={one.default}" for one in fields(Sizes)))
        sys.exit()
    known = {one.name for one in fields(Sizes)}
    changed = dict(name.split("=", 1) for name in given.names if "=" in name)
    if unknown := set(changed) - known:
        parser.error(f"no such size: {', '.join(sorted(unknown))}; these are: {', '.join(sorted(known))}")
    sizes = replace(
        SMALL if given.small else Sizes(),
        **{name: float(value) if name in ("growth", "sweep") else int(value) for name, value in changed.items()},
    )
    every = [*CLAIMS, *(f"sweep.{name}" for name in ordinary.ROWS), *(f"growth.{name}" for name in CURVES)]
    names = [name for name in given.names if "=" not in name]
    chosen = [
        one for one in every if not names or one in names or one.partition(".")[0] in {"growth", "sweep"} & set(names)
    ]
    if missing := set(names) - set(chosen) - {"growth", "sweep"}:
        parser.error(f"no such claim: {', '.join(sorted(missing))}; --list prints the names")
    return chosen, sizes


def claimed(name: str, sizes: Sizes) -> Claim:
    """Measure a claim; one that breaks down does not hold, and the others go on."""
    try:
        return CLAIMS[name](sizes) if name in SCALED else CLAIMS[name]()
    except Exception as error:
        traceback.print_exc()
        return Claim(name, "", NOT, NOT, "", False, f"failed: {error}".replace("|", "/").replace("\n", " "))


def main() -> int:
    chosen, sizes = arguments()
    root = ROOT if replace(sizes, limit=Sizes.limit) == Sizes() else ROOT / "build" / "bench"
    record = Record((HERE if root == ROOT else root) / "measured.json")
    record.machine = machine()
    page = Page(root, record)
    begun = time.perf_counter()
    for name in chosen:
        start = time.perf_counter()
        if name.startswith("growth."):
            curve = name.removeprefix("growth.")
            record.growth[curve] = growth.measure(CURVES[curve], sizes.growth)
            text = growth.described(curve, CURVES[curve], record.growth[curve])
        elif name.startswith("sweep."):
            learner = name.removeprefix("sweep.")
            record.sweep[learner] = sweep.measure(
                learner, tuple(int(n * sizes.sweep) for n in sweep.SIZES), sizes.limit
            )
            text = sweep.table({learner: record.sweep[learner]})
        else:
            record.claims[name] = claimed(name, sizes)
            text = row(record.claims[name])
        record.save()
        page.draw(name)
        page.write()
        now = time.perf_counter()
        print(f"{text}\n    [{name}: {now - start:.0f} s; {(now - begun) / 60:.1f} min so far]", flush=True)
    print(f"written: {root / 'BENCHMARKS.md'}, and its pictures")
    return 0 if all(claim.holds for claim in record.claims.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
