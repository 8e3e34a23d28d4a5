"""What was planted in a table, and whether the report says so: whole reports over many draws.

    python benchmarks/planted.py [--draws 30] [--only table|leak|nothing]

Each table has 150 rows, five numbers, a category and a date for each row. In `table` the target is twice the product
of two of the numbers plus noise, so that neither of them tells anything alone; one row is an outlier in one number, ten
rows are copies, two are empty. In `leak` one more column is the target with a little noise, or, in every other draw, a
code of the class. In `nothing` the target is noise. A line says in how many draws each thing was right.
"""

import argparse
from collections import Counter
from typing import Any

import numpy as np

import gramian as gm

ROWS, COPIES = 150, 10
AT = 6.0  # standard deviations from the middle, of the outlier
NUMBERS = ("pressure", "flow", "heat", "load", "speed")


def table(rng: np.random.Generator) -> tuple[list[dict[str, Any]], dict[str, np.ndarray]]:
    """Rows without anything planted but the time, in order."""
    columns = {name: rng.standard_normal(ROWS) for name in NUMBERS}
    rows = [
        {
            **{name: float(columns[name][k]) for name in NUMBERS},
            "plant": "ABC"[rng.integers(3)],
            "day": str(np.datetime64("2024-01-01") + k),
        }
        for k in range(ROWS)
    ]
    return rows, columns


def told(rows: list[dict[str, Any]], y: Any, seed: int) -> dict[str, dict[str, Any]]:
    found = gm.report([{**row, "y": one} for row, one in zip(rows, y, strict=True)], "y", random_state=seed)
    return {one["id"]: one for one in found.data["sections"]}


def in_table(seed: int) -> dict[str, bool]:
    rng = np.random.default_rng(seed)
    rows, columns = table(rng)
    one, other, spoilt = rng.permutation(NUMBERS)[:3].tolist()
    y = 2 * columns[one] * columns[other] + 0.3 * rng.standard_normal(ROWS)
    outlier, *copied = rng.permutation(ROWS)[: 1 + COPIES].tolist()
    spoilt_row = rows[outlier]
    spoilt_row[spoilt] = AT * float(rng.choice([-1, 1]))
    rows += [dict(rows[k]) for k in copied]
    y = [*y.tolist(), *y[copied].tolist()]
    empty = rng.permutation(len(rows))[:2].tolist()
    for k in sorted(empty):
        rows.insert(k, dict.fromkeys(rows[0]))
        y.insert(k, 0.0)
    sections = told(rows, y, seed)
    verdict, novelty = sections["verdict"]["numbers"], sections["novelty"]["numbers"]
    first = [column["column"] for column in verdict["important"]]
    reasons = {row["row"]: row["because"] for row in novelty["most_unusual"]}
    place = next(k for k, row in enumerate(rows) if row is spoilt_row)
    return {
        "signal found": verdict["signal"] != "none",
        "the pair first among what matters": set(first[:2]) == {one, other},
        "the outlier's column first": [why["column"] for why in reasons.get(place, [])][:1] == [spoilt],
        "copies counted": verdict["copies"] == COPIES,
        "empty rows left out": len(verdict["empty"]) == len(empty),
        "time noticed": verdict["ordered_by"] == "day",
        "one cloud": sections["clusters"]["numbers"]["clusters"] == 1,
        "no leak said": not verdict["leaks"],
    }


def in_leak(seed: int) -> dict[str, bool]:
    rng = np.random.default_rng([seed, 1])
    rows, columns = table(rng)
    y = columns["heat"] + columns["load"] + rng.standard_normal(ROWS)
    if seed % 2:
        target: Any = np.where(y > 0, "pass", "fail").tolist()
        known = [f"{one[0]}{rng.integers(3)}" for one in target]
    else:
        target, known = y.tolist(), (3 * y + 0.05 * rng.standard_normal(ROWS)).tolist()
    rows = [{**row, "after": one} for row, one in zip(rows, known, strict=True)]
    verdict = told(rows, target, seed)["verdict"]
    named = any("“after”" in block["text"] for block in verdict["blocks"] if "text" in block)
    return {"the leak and nothing else": verdict["numbers"]["leaks"] == ["after"], "said at the top": named}


def in_nothing(seed: int) -> dict[str, bool]:
    rng = np.random.default_rng([seed, 2])
    rows, _ = table(rng)
    target: Any = rng.standard_normal(ROWS).tolist() if seed % 2 else rng.choice(["pass", "fail"], ROWS).tolist()
    verdict = told(rows, target, seed)["verdict"]["numbers"]
    return {
        "no signal": verdict["signal"] == "none",
        "no badge": verdict["best"] is None,
        "no leak said": not verdict["leaks"],
        "no copies": verdict["copies"] == 0,
        "no empty rows": not verdict["empty"],
    }


PLANTED = {"table": in_table, "leak": in_leak, "nothing": in_nothing}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=30)
    parser.add_argument("--only", choices=list(PLANTED))
    chosen = parser.parse_args()
    for name, planted in PLANTED.items():
        if chosen.only in (None, name):
            found: Counter[str] = Counter()
            for seed in range(chosen.draws):
                found.update({what: int(right) for what, right in planted(seed).items()})
            print(
                f"{name}, right of {chosen.draws}: " + ", ".join(f"{what} {n}" for what, n in found.items()), flush=True
            )


if __name__ == "__main__":
    main()
