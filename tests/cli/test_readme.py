"""Every command of the README, run."""

import csv
import re
import shlex
from pathlib import Path

import pytest

import gramian as gm
from gramian.cli.main import main

README = Path(__file__).parents[2] / "README.md"
COMMANDS = re.findall(r"^    gramian (.+?)(?: +#.*)?$", README.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readme")
    iris = gm.load_iris()
    rows = [[*row, iris.target_names[k]] for row, k in zip(iris.data.tolist(), iris.target, strict=True)]
    for name, some in (("flowers.csv", rows), ("new.csv", rows[::10])):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows([[*iris.feature_names, "species"], *some])
    return folder


def test_the_readme_shows_every_command():
    assert {words.split()[0] for words in COMMANDS} == {"report", "fit", "predict", "novelty", "gram", "kernels"}


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_of_the_readme_runs(words, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(shlex.split(words)) == 0, capsys.readouterr().err
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    wanted = {"report": "report.html", "fit": "flowers.gramian", "gram": "K.npy"}.get(words.split()[0])
    if wanted and "--json" not in words:
        assert (folder / wanted).stat().st_size > 1000
    else:
        assert said.out
