"""Commands on a cluster: what they learn and answer is what they do on one machine, from a file that workers read."""

import csv
import json
import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest

import gramian as gm
from gramian.cli import spread
from gramian.cli.main import main
from gramian.intake import pieces
from gramian.models import load

RNG = np.random.default_rng(4)
N = 900
KERNEL = "gaussian(2) on a, b + equality on c"


@pytest.fixture(scope="module")
def table():
    table = pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.normal(size=N), "c": RNG.choice(["x", "y", "z"], N)})
    table["y"] = table.a + np.sin(3 * table.b) + (table.c == "x")
    table["k"] = np.where(table.y > 0.5, "high", "low")
    table.loc[5, "a"] = np.nan
    table.loc[[7, 250], ["y", "k"]] = None
    return table


@pytest.fixture
def here(tmp_path, monkeypatch, table):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(spread, "RANK", 60)
    monkeypatch.setattr(pieces.Pieces.__init__, "__defaults__", (200,))
    table.drop(columns="k").to_parquet("numbers.parquet", index=False)
    table.drop(columns="y").to_parquet("classes.parquet", index=False)
    table.drop(columns="k").to_csv("numbers.csv", index=False)
    (tmp_path / "tables").mkdir()
    for number, start in enumerate(range(0, N, 260)):
        table[start : start + 260].drop(columns="y").to_csv(tmp_path / "tables" / f"{number}.csv", index=False)
    return tmp_path


SOURCES = [("numbers.parquet", "y"), ("classes.parquet", "k"), ("numbers.csv", "y"), ("tables", "k")]


@pytest.mark.parametrize(("source", "target"), SOURCES)
def test_a_cluster_learns_and_answers_as_one_machine_does(source, target, here, cluster, capsys, table):
    there = ["--cluster", cluster.scheduler_address]
    name = source.partition(".")[0]
    new = "classes.parquet" if source == "tables" else source  # one machine reads no folder of tables in text
    fit = ["fit", source, "--target", target, "--kernel", KERNEL]
    assert main([*fit, "-o", "there.gramian", *there]) == 0
    said = capsys.readouterr().err
    assert f"2 workers at {cluster.scheduler_address}; to be watched at http://" in said
    assert f"from {N - 2} objects" in said
    assert load("there.gramian")["novelty"]._summed.summary.count < N  # the others were set aside
    assert main(["predict", "there.gramian", source, "-o", "there.csv", *there]) == 0
    assert main(["predict", "there.gramian", new, "-o", "here.csv"]) == 0
    mine, theirs = (list(csv.reader((here / f"{one}.csv").read_text().splitlines())) for one in ("here", "there"))
    assert mine[0] == theirs[0]
    assert [row[0] for row in mine] == [row[0] for row in theirs] == ["object", *map(str, range(1, N + 1))]
    if name == "numbers":
        np.testing.assert_allclose(*(np.array(rows[1:], float) for rows in (theirs, mine)), rtol=1e-6, atol=1e-6)
        known = table.y.notna().to_numpy()
        answers = np.array([row[1] for row in theirs[1:]], float)
        assert np.sqrt(np.mean((answers - table.y)[known] ** 2)) < 0.3 * table.y.std()
    else:
        assert [row[1] for row in mine] == [row[1] for row in theirs]


def test_a_report_is_one_of_rows_from_everywhere(here, cluster, capsys, monkeypatch):
    monkeypatch.setattr(pieces, "LOOKED_AT", 120)
    asked = ["report", "numbers.parquet", "--target", "y", "--kernel", KERNEL, "--json", "--quick"]
    assert main([*asked, "--cluster", cluster.scheduler_address]) == 0
    said = capsys.readouterr()
    assert "120 rows of 900, drawn from all of them, were looked at." in said.err
    assert 110 <= json.loads(said.out)["sections"][0]["numbers"]["objects"] <= 120


def test_workers_are_started_where_they_are_asked_for(here, capsys):
    assert main(["fit", "numbers.parquet", "--kernel", "gaussian(1) on a", "-o", "a.gramian", "--workers", "1"]) == 0
    assert "1 worker at tcp://127.0.0.1" in capsys.readouterr().err
    assert isinstance(load("a.gramian")["novelty"], gm.NoveltyDetector)


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (["--cluster", "tcp://127.0.0.1:9", "--workers", "2"], 2, "not allowed with"),
        (["--workers", "0"], 2, "no number of workers"),
        (["--cluster", "nonsense://"], 3, "no scheduler of Dask answers at nonsense://"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(more, code, message, here, capsys):
    assert main(["fit", "numbers.parquet", "-o", "a.gramian", *more]) == code
    assert message in capsys.readouterr().err
    assert not (here / "a.gramian").exists()


def test_what_is_no_file_of_pieces_is_refused(here, cluster, capsys):
    (here / "a.xyz").write_text("a,b\n1,2\n")
    assert main(["fit", "a.xyz", "-o", "a.gramian", "--cluster", cluster.scheduler_address]) == 3
    assert ".parquet" in capsys.readouterr().err
    assert main(["fit", "-", "-o", "a.gramian", "--cluster", cluster.scheduler_address]) == 2


def test_a_ctrl_c_ends_the_work_there_and_writes_nothing(here, cluster, capsys, monkeypatch):
    monkeypatch.setattr(spread, "learn", lambda *_: [time.sleep(0.05) for _ in range(400)])
    threading.Timer(3.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    asked = ["fit", "numbers.parquet", "--target", "y", "--kernel", KERNEL, "-o", "a.gramian"]
    assert main([*asked, "--cluster", cluster.scheduler_address]) == 130
    assert "stopped; nothing was written" in capsys.readouterr().err
    assert not list(here.glob("*.gramian*"))
