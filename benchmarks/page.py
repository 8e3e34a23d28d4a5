"""The page BENCHMARKS.md, from what was measured: short sections, each with a table and a picture.

    python benchmarks/page.py FOLDER        the page and its pictures under a folder, from the JSON files beside it

Nothing is measured. The manual is built with it, so that its figures are those of the files.
"""

import math
import sys
from dataclasses import dataclass, field
from pathlib import Path

import claims
import cluster_page
import engine
import gpu_page
import growth
import learners
import objects
import ordinary
import pictures
import reports
import scale
import sweep
from record import Claim, Contender, Record

GONE = "–"


@dataclass(frozen=True)
class Section:
    """Some claims that belong together; `wide` ones have a table and a picture each."""

    title: str
    text: str
    claims: dict
    wide: bool = False
    name: str = field(default="")


SECTIONS = (
    Section(
        "Exact answers without the matrix",
        """The matrix K of n = 100,000 objects takes 80 GB. These learners never hold it: they compute its entries anew
for every product, in single precision while that is good enough, and check the answer in double precision. The
residual in the table is recomputed from the answer alone, with a product in double precision.""",
        scale.EXACT,
        wide=True,
    ),
    Section(
        "Low rank, and data on disk",
        """With `rank=m` a learner sees the objects through m landmarks, in one pass and in memory that does not grow
with n. The objects may come from a file, batch by batch.""",
        scale.LOW_RANK,
        wide=True,
    ),
    Section("Strings and graphs", "The same learners on objects that are no vectors.", scale.STRUCTURED, wide=True),
    Section(
        "From a file to a report",
        """Everything of `gramian report` is measured: reading, the choice of a kernel, the geometry, the spectrum, the
map, clusters, novelty, a cross-validation with the kernel chosen anew in every fold, baselines, and the page.""",
        reports.REPORTS,
        wide=True,
    ),
    Section(
        "The Gram matrix and its factors",
        """A round Gaussian cloud is the best case for uniform landmarks, for no point matters more than another there:
random pivots are then a few per cent behind. Where the data has structure they are ahead, the more the more unequal
it is.""",
        claims.CLAIMS,
        name="gram",
    ),
    Section(
        "What compiled formulas brought",
        """Large products and matrices run through passes that are compiled from the formula of the kernel. Each job
under this engine and under the one before it, in turns. What is wanted are the ratios for a processor with AVX-512.""",
        engine.ENGINE,
        name="engine",
    ),
    Section("Learners at n = 10,000", "Small enough for K to be held by everyone.", learners.LEARNERS, name="learners"),
    Section("Kernels of strings and nodes", "The kernels alone.", objects.OBJECTS, name="objects"),
)
CLAIMS = {name: make for section in SECTIONS for name, make in section.claims.items()}
SCALED = {name for section in SECTIONS if section.wide for name in section.claims}


def number(value: float, digits: int = 3) -> str:
    return GONE if math.isnan(value) else f"{value:,.0f}" if value >= 1000 else f"{value:.{digits}g}"


def row(claim: Claim) -> str:
    cells = [
        claim.what,
        number(claim.ours_s),
        number(claim.ours_mb),
        claim.peer,
        number(claim.peer_s),
        number(claim.peer_mb),
        GONE if math.isnan(claim.ratio) else f"{claim.ratio:.2f} ×",
        claim.wanted,
        "yes" if claim.holds else "**no**",
        claim.note,
    ]
    return "| " + " | ".join(cells) + " |"


HEAD = "| what | ours (s) | ours (MB) | peer | peer (s) | peer (MB) | ratio | wanted | holds | note |"


def table(found: list[Claim]) -> str:
    return "\n".join([HEAD, "|" + "---|" * 10, *map(row, found)])


def contest(claim: Claim) -> str:
    """The table of one claim: a row for each contender."""
    ours = {one.n: one for one in claim.contenders[::-1] if one.ours}  # the first of each size

    def times(one: Contender, key: str) -> str:
        base = ours.get(one.n)
        return GONE if one.ours or base is None else f"{getattr(one, key) / getattr(base, key):.2f} ×"

    def line(one: Contender) -> str:
        cells = [GONE] * 4
        if not one.cannot:
            cells = [number(one.seconds), times(one, "seconds"), number(one.megabytes), times(one, "megabytes")]
        return f"| {one.name} | {one.n:,} | {' | '.join(cells)} | {one.cannot or one.answer} |"

    head = "| who | n | time (s) | times ours | peak memory (MB) | times ours | answer |"
    lines = [head, "|" + "---|" * 7]
    return "\n".join(lines + [line(one) for one in claim.contenders])


class Page:
    """Writes the page and its pictures under a folder, again and again as claims come in."""

    def __init__(self, root: Path, record: Record) -> None:
        self.root, self.record = root, record

    def draw(self, name: str) -> None:
        """Draw the picture that a claim, or a curve, is in."""
        for section in SECTIONS:
            if name in section.claims and section.wide:
                pictures.bars(self.record.claims[name], self._picture(name))
            elif name in section.claims:
                pictures.ratios(self._found(section), section.title, self._picture(section.name))
        if name.startswith("sweep."):
            pictures.sweep(self.record.sweep, self._picture("sweep"))
        for picture, (title, paths) in growth.PICTURES.items():
            if name.removeprefix("growth.") in paths and name.startswith("growth."):
                pictures.curves(title, paths, self.record.growth, self._picture(picture))

    def draw_all(self) -> None:
        """Draw every picture for which something was measured."""
        for section in SECTIONS:
            found = [name for name in section.claims if name in self.record.claims]
            for name in found if section.wide else found[:1]:
                self.draw(name)
        for _, paths in growth.PICTURES.values():
            if measured := [name for name in paths if name in self.record.growth]:
                self.draw(f"growth.{measured[0]}")
        if self.record.sweep:
            self.draw("sweep.")

    def write(self) -> None:
        parts = [
            self._top(),
            self._sweep(),
            *map(self._section, SECTIONS),
            gpu_page.section(),
            cluster_page.section(),
            self._limits(),
            self._growth(),
        ]
        self.root.mkdir(parents=True, exist_ok=True)
        (self.root / "BENCHMARKS.md").write_text("\n\n".join(filter(None, parts)) + "\n", encoding="utf-8")

    def _picture(self, name: str) -> Path:
        return self.root / "docs" / "bench" / f"{name}.png"

    def _image(self, name: str, text: str) -> str:
        return f"![{text}](docs/bench/{name}.png)" if self._picture(name).exists() else ""

    def _found(self, section: Section) -> list[Claim]:
        return [self.record.claims[name] for name in section.claims if name in self.record.claims]

    def _top(self) -> str:
        found = list(self.record.claims.values())
        missed = [claim.what for claim in found if not claim.holds]
        verdict = f"{len(found) - len(missed)} of {len(found)} claims hold."
        verdict += f" Missed: {'; '.join(missed)}." if missed else ""
        return f"""# Benchmarks

Written by `make bench`, which takes its numbers from this machine: {self.record.machine}.

Only ratios mean anything on a shared machine: both sides of each are measured in turn in the same run. A ratio above 1
means that gramian is faster. Memory is the peak of the whole process, data and libraries included. Where a peer cannot
do a job the page says what it would need. {verdict}"""

    def _section(self, section: Section) -> str:
        found = self._found(section)
        if not found:
            return ""
        parts = [f"## {section.title}", section.text, table(found)]
        if not section.wide:
            return "\n\n".join([*parts, self._image(section.name, section.title)])
        for name in section.claims:
            if (claim := self.record.claims.get(name)) and claim.contenders:
                parts += [f"### {claim.what}", contest(claim), self._image(name, claim.what)]
        return "\n\n".join(filter(None, parts))

    def _sweep(self) -> str:
        found = {name: self.record.sweep[name] for name in ordinary.ROWS if name in self.record.sweep}
        if not found:
            return ""
        machines = "; ".join(sorted({one["machine"] for one in found.values()}))
        return "\n\n".join(
            [
                "## Ordinary sizes, with the defaults",
                "What a user types first, at the sizes where most stay: seconds of one fit, a chosen regulariser and "
                "bandwidth included, and in brackets how many times as long the peer takes. "
                f"{sweep.verdict(found)} Measured on: {machines}. Rows with a star are processor seconds of one core "
                "of a machine that had other work, those without it seconds on two cores.",
                sweep.table(found),
                self._image("sweep", "Time against n for every learner and its peer"),
            ]
        )

    def _limits(self) -> str:
        bound = [claim for claim in self.record.claims.values() if claim.floor_s > 0]
        if not bound:
            return ""
        lines = [
            f"| {claim.what} | {number(claim.ours_s)} | {number(claim.floor_s)} | "
            f"{claim.ours_s / claim.floor_s:.1f} × | {claim.floor} |"
            for claim in bound
        ]
        head = [
            "| what | measured (s) | floor (s) | measured / floor | the floor is made of |",
            "|---|---|---|---|---|",
        ]
        return "\n\n".join(
            [
                "## Distance from the hardware's limit",
                "The floor is what the products and the exponentials alone take at the rates of this machine, measured "
                "on it, if all cores work without loss. The rest is memory traffic (writing tiles, reading them again "
                "for the product), the factorization that a solver starts from, and what is done once.",
                "\n".join(head + lines),
            ]
        )

    def _growth(self) -> str:
        parts = [
            "## How cost grows",
            "Fitted over the three largest sizes. Where an exponent is worse than that of theory, the line says why.",
        ]
        for picture, (title, paths) in growth.PICTURES.items():
            lines = [
                growth.described(name, path, self.record.growth[name])
                for name, path in paths.items()
                if name in self.record.growth
            ]
            if lines:
                parts += [f"### {title}", self._image(picture, title), "\n".join(lines)]
        return "\n\n".join(filter(None, parts)) if len(parts) > 2 else ""


if __name__ == "__main__":
    page = Page(Path(sys.argv[1]), Record(Path(__file__).parent / "measured.json"))
    page.draw_all()
    page.write()
