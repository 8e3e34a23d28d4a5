"""Every command of the README, run."""

import csv
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import gramian as gm
from gramian.cli.main import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    gramian (.+?)(?: +#.*)?$", README, re.MULTILINE)
DATA = ROOT / "src" / "gramian" / "data"
MADE_BY = {found.group(1): words for words in COMMANDS if (found := re.search(r"(?:-o|--output) (\S+)", words))}
TARGETS = re.findall(r"^    make (\w+)", README, re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readme")
    iris = gm.load_iris()
    rows = [[*row, iris.target_names[k]] for row, k in zip(iris.data.tolist(), iris.target, strict=True)]
    heading = [*iris.feature_names, "species"]
    rng = np.random.default_rng(0)
    numbers = [[f"{age:.0f}", f"{dose:.2f}"] for age, dose in rng.uniform((18, 0), (80, 5), (60, 2))]
    genes = [[*pair, "".join(rng.choice(list("ACGT"), 12))] for pair in numbers]
    people = [[*pair, str(code)] for pair, code in zip(numbers, rng.choice([89073, 89077, 10115], 60), strict=True)]
    visits = [[*pair, f"p{k // 3}", ["ill", "well"][k // 3 % 2]] for k, pair in enumerate(numbers)]
    sales = [[f"2024-{1 + k // 28:02d}-{1 + k % 28:02d}", *pair] for k, pair in enumerate(numbers)]
    teams = csv.reader((DATA / "football.csv").read_text().splitlines()[1:])
    shutil.copy(DATA / "football.edges", folder / "web.edges")
    for name, lines in (
        ("flowers.csv", [heading, *rows]),
        ("new.csv", [heading, *rows[::10]]),
        ("people.csv", [["age", "weight", "zip"], *people]),
        ("visits.csv", [["age", "dose", "patient", "outcome"], *visits]),
        ("large.csv", [["age", "dose", "patient", "outcome"], *visits]),
        ("sales.csv", [["day", "visitors", "turnover"], *sales]),
        ("genes.csv", [["age", "dose", "promoter"], *genes]),
        ("pages.csv", [["page", "topic", "published"], *list(teams)[::3]]),
    ):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows(lines)
    return folder


def test_the_readme_shows_every_command():
    assert {words.split()[0] for words in COMMANDS} == {"report", "fit", "predict", "novelty", "gram", "kernels"}


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_of_the_readme_runs(words, folder, tmp_path, monkeypatch, capsys):
    here = shutil.copytree(folder, tmp_path / "here")  # what one test writes is in no other's way, in whatever order
    monkeypatch.chdir(here)
    for made_first in (MADE_BY[name] for name in words.split() if MADE_BY.get(name, words) != words):
        assert main(shlex.split(made_first)) == 0, capsys.readouterr().err
    assert main(shlex.split(words)) == 0, capsys.readouterr().err
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    wanted = re.search(r"(?:-o|--output) (\S+)", words)
    if "--json" in words or words.split()[0] in ("predict", "novelty", "kernels"):
        assert said.out
    else:
        assert (here / (wanted.group(1) if wanted else "report.html")).stat().st_size > 1000


def test_what_is_made_is_known_to_make_and_run_before_anything_lands():
    assert TARGETS == ["demo", "test"]
    checks = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    for target in TARGETS:
        assert f"make {target}" in checks
        subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True)
