"""make bench: measure every claim against its peer in one run; write BENCHMARKS.md and the pictures of growth."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import growth
from claims import CLAIMS, Claim
from learners import LEARNERS
from measure import limits, machine
from objects import OBJECTS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def row(claim: Claim) -> str:
    ratio = "" if np.isnan(claim.ratio) else f"{claim.ratio:.2f} ×"
    peer = "" if np.isnan(claim.peer_s) else f"{claim.peer_s:.3g}"
    cells = [
        claim.what,
        f"{claim.ours_s:.3g}",
        claim.peer,
        peer,
        ratio,
        claim.wanted,
        "yes" if claim.holds else "**no**",
        claim.note,
    ]
    return "| " + " | ".join(cells) + " |"


SETTINGS = ((np.float64, 10_000, 50), (np.float32, 10_000, 50), (np.float32, 50_000, 10))


def rates_of_this_machine() -> list[dict[str, float]]:
    return [limits(dtype, d + 2) for dtype, _, d in SETTINGS]


def physical_limits(claims: list[Claim], before: list[dict[str, float]]) -> list[str]:
    """How far the Gram and the product are from what product and exponential alone would take on these cores."""
    lines = []
    for claim, (_, n, d), first, last in zip(claims[:3], SETTINGS, before, rates_of_this_machine(), strict=True):
        rates = {key: min(first[key], last[key]) for key in first}
        floor = n * n / 2 * (rates["product"] + rates["exp"]) * 1e-9 / 2
        lines.append(
            f"- {claim.what}: on one core a product of width {d + 2} takes {rates['product']:.2f} ns an entry and exp "
            f"{rates['exp']:.2f} ns, so half the matrix on two cores takes at least {floor:.2f} s; measured "
            f"{claim.ours_s:.2f} s, {claim.ours_s / floor:.1f} × that."
        )
    return lines


def main() -> int:
    claims: list[Claim] = []
    before = rates_of_this_machine()
    for make in [*CLAIMS, *LEARNERS, *OBJECTS]:
        claims.append(make())
        print(row(claims[-1]), flush=True)
    print("growth …", flush=True)
    points, objects = growth.measure(growth.POINTS), growth.measure(growth.OBJECTS)
    growth.draw(
        points, "Gaussian kernel, d = 10, float32: how cost grows with the number of points", DOCS / "growth.png"
    )
    growth.draw(objects, "Strings and graph nodes: how cost grows with their number", DOCS / "growth_objects.png")
    (ROOT / "BENCHMARKS.md").write_text(page(claims, points, objects, before), encoding="utf-8")
    print("written: BENCHMARKS.md, docs/growth.png, docs/growth_objects.png")
    return 0 if all(claim.holds for claim in claims) else 1


def slopes(measured: growth.Measured) -> str:
    return "\n".join(
        f"- {label}: time n^{growth.slope(sizes, [a['seconds'] for a in answers]):.2f}, at n = {sizes[-1]:,} "
        f"{answers[-1]['seconds']:.2f} s and {answers[-1]['megabytes']:.0f} MB beyond the data"
        for label, sizes, answers in measured.values()
    )


def page(claims: list[Claim], points: growth.Measured, objects: growth.Measured, before: list[dict[str, float]]) -> str:
    head = "| what | ours (s) | peer | peer (s) | ratio | wanted | holds | |"
    table = [head, "|---|---|---|---|---|---|---|---|", *map(row, claims)]
    return f"""# Benchmarks

Written by `make bench`. {machine()}.
Only ratios mean anything on a shared machine: both sides of each are measured in turn in the same run, and the best of
each counts. A ratio above 1 means gramian is faster.

{chr(10).join(table)}

A round Gaussian cloud is the best case for uniform landmarks, for no point matters more than another there: random
pivots are then a few per cent behind. Where the data has structure they are ahead, the more the more unequal it is.

## Distance from the hardware's limit

{chr(10).join(physical_limits(claims, before))}

The rest is memory traffic: writing the answer, mirroring tiles, and reading them again for the product.

## How cost grows

![time and memory against n](docs/growth.png)

{slopes(points)}

![time and memory against the length of strings and the nodes of a graph](docs/growth_objects.png)

{slopes(objects)}

A suffix automaton is linear in the length of the string; where it leaves the caches each symbol costs more, which the
slope shows. The heat kernel's columns need a number of products with S that does not depend on n.
"""


if __name__ == "__main__":
    sys.exit(main())
