"""What the command line writes does no harm: no formulas in tables, no bytes that are no text, no None in a message."""

import csv
import errno
import io
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from gramian import writing
from gramian.cli.commands import _harmless
from gramian.cli.main import main

FIT = ["fit", "--kernel", "gaussian(2)", "--learner", "parzen"]
COMMAND = "=cmd|'/c calc'!A1"
HARMFUL = [
    *(COMMAND, "=1+1", "+1+1", "-1-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "＋1+1", "－1", "＠A1", " =1+1"),
    *(
        "-2+3+cmd|' /C calc'!A0",
        '=HYPERLINK("http://x")',
        "+a",
        "-a",
        "%0A=1",
        "|calc",
        "-1.5.2",
        "+1e",
        "=-1",
        "\ufeff=1",
    ),
]
HARMLESS = ["", "a", "a=b", "+", "-", "=", "-1", "-1.5", "+3", "-1e-3", "+.5", "1", "a@b", "a-b", "ä", "'=1", "-  "]
NUMBERS = [-1.5, -1, 0, float("-inf"), True, None]


@pytest.mark.parametrize("text", HARMFUL)
def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe(text):
    assert _harmless(text) == f"'{text}" if text[0] not in "\t\r\n" else f"'{text[0]}'{text[1:]}"


@pytest.mark.parametrize("mark", [";", "\t", "\n", "\r\n"])
@pytest.mark.parametrize("text", [text for text in HARMFUL if text[0] not in "\t\r\n"])
def test_so_does_one_after_a_mark_that_cuts_cells_or_rows_elsewhere(mark, text):
    assert _harmless(f"a{mark}{text}{mark}b") == f"a{mark}'{text}{mark}b"
    assert _harmless(f"{text}{mark}{text}") == f"'{text}{mark}'{text}"


def test_numbers_after_such_a_mark_stay_as_they_are():
    for cell in ("1;-2;+3", "a;b", ";;", "x\n-1.5"):
        assert _harmless(cell) is cell


@pytest.mark.parametrize("cell", [*HARMLESS, *NUMBERS])
def test_numbers_signs_and_ordinary_texts_stay_as_they_are(cell):
    assert _harmless(cell) is cell


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open("d.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "=y()"])
        writer.writerows([k, (k * 7) % 5, [COMMAND, "fine"][k > 15]] for k in range(30))
    return tmp_path


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


def test_predictions_hold_no_formula_unless_they_are_wanted_raw(table, capsys):
    assert main([*FIT, "d.csv", "--target", "=y()", "-o", "m.gramian", "-q"]) == 0
    assert main(["predict", "m.gramian", "d.csv"]) == 0
    said = capsys.readouterr()
    head, *rows = rows_of(said.out)
    assert head == ["object", "'=y()", f"probability of {COMMAND}", "probability of fine"]  # no cell begins with it
    assert {row[1] for row in rows} == {f"'{COMMAND}", "fine"}
    changed = 1 + sum(row[1] != "fine" for row in rows)
    assert (
        f"{changed} texts begin with ' now, for a spreadsheet would run them; --raw writes them as they are" in said.err
    )

    assert main(["predict", "m.gramian", "d.csv", "--raw"]) == 0
    said = capsys.readouterr()
    assert rows_of(said.out)[0][:2] == ["object", "=y()"]
    assert {row[1] for row in rows_of(said.out)[1:]} == {COMMAND, "fine"}
    assert "spreadsheet" not in said.err

    assert main(["predict", "m.gramian", "d.csv", "-o", "p.csv"]) == 0
    assert rows_of((table / "p.csv").read_text()) == [head, *rows]


def test_names_of_objects_in_the_table_of_novelties_hold_no_formula(table, capsys):
    with open("n.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "x", "z"])
        writer.writerows([f"=cmd|{k}", k, (k * 7) % 5] for k in range(40))
    assert main(["fit", "--kernel", "gaussian(2)", "n.csv", "--kind", "name=id", "-o", "m.gramian", "-q"]) == 0
    assert main(["novelty", "m.gramian", "n.csv", "-q"]) == 0
    rows = rows_of(capsys.readouterr().out)[1:]
    assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row)
    assert all(float(row[1]) >= 0 for row in rows)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.met = []

    def handle_starttag(self, tag, attrs):
        self.met.append((tag, dict(attrs)))


def test_names_of_columns_and_classes_are_no_markup_in_a_report(table):
    evil = "<script>alert(1)</script>"
    with open("h.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([evil, '"><img src=x onerror=alert(1)>', "y"])
        writer.writerows([k, (k * 7) % 5, [evil, "</svg><b>"][k > 15]] for k in range(30))
    assert main(["report", "h.csv", "--target", "y", "--kernel", "gaussian(2)", "-o", "r.html", "-q"]) == 0
    page = (table / "r.html").read_text()
    tags = Tags()
    tags.feed(page)
    assert not [attrs for tag, attrs in tags.met if tag == "img" or any(name.startswith("on") for name in attrs)]
    assert evil not in page
    assert main(["report", "h.csv", "--target", "y", "--kernel", "gaussian(2)", "--json", "-o", "r.json", "-q"]) == 0
    json.loads((table / "r.json").read_text(), parse_constant=lambda name: pytest.fail(name))


# Characters that UTF-8 does not have


@pytest.fixture
def halves(table):
    """Records with halves of surrogate pairs as values, classes and the name of a column."""
    lines = [{"a": k, "t\ud800": f"x\ud800y{k % 3}", "y": ["\ud800p", "q\udfff"][k > 15]} for k in range(30)]
    (table / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return "s.jsonl"


def run(*arguments, **more):
    return subprocess.run([sys.executable, "-m", "gramian", *arguments], capture_output=True, check=False, **more)


def test_halves_of_surrogate_pairs_are_refused_in_words(halves, table):
    for command in (["fit", "-o", "m.gramian"], ["report", "-o", "r.html"], ["gram", "-o", "k.npy"]):
        found = run(command[0], halves, *command[1:])
        assert found.returncode == 3
        assert b"holds half of a letter (a lone surrogate)" in found.stderr
        assert b"Traceback" not in found.stderr
        assert not (table / command[-1]).exists()


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files are texts there")
def test_names_that_are_no_text_are_read_written_and_told(table):
    name, model = os.fsdecode(b"na\xffme.csv"), os.fsdecode(b"m\xff.gramian")
    os.rename("d.csv", name)
    assert main([*FIT, name, "--target", "=y()", "-o", model, "-q"]) == 0
    assert main(["predict", model, name, "-q"]) == 0
    for wrong in (["fit", name, "--columns", "a,\udcff"], ["fit", "\udcff"]):
        found = run(*wrong, "-o", "other.gramian")
        assert found.returncode == 3
        assert b"\\udcff" in found.stderr
        assert b"memory" not in found.stderr


@pytest.mark.parametrize("point", [0x110000, 0x7FFFFFFF, 0xFFFFFFFF])
def test_numbers_that_are_no_character_are_called_so(point, table, capsys):
    texts = np.full(90, point, np.uint32).view("<U3").copy()
    np.save("t.npy", texts)
    np.save("b.npy", np.full(90, point, ">u4").view(">U3"))
    np.savez("t.npz", X=np.arange(60.0).reshape(30, 2), y=texts)
    records = np.zeros(30, dtype=[("a", "f8"), ("t", "U3")])
    records["t"] = texts
    np.save("r.npy", records)
    for file in ("t.npy", "b.npy", "t.npz", "r.npy"):
        assert main(["fit", file, "-o", "m.gramian", "-q"]) == 3
        assert re.search(r"a text with the code point 0x[0-9a-f]+, which is no letter", capsys.readouterr().err)


# A full disk


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("step", ["fsync", "replace", "write"])
def test_a_full_disk_is_told_with_the_name_of_the_file_and_nothing_else(step, table, capsys, monkeypatch):
    assert main([*FIT, "d.csv", "--target", "=y()", "-o", "m.gramian", "-q"]) == 0
    if step == "write":
        opened = open

        class Full(io.BytesIO):
            write = full

        def open_full(handle, mode):
            file = opened(handle, mode)
            if mode != "w+b":
                return file
            file.close()
            return Full()

        monkeypatch.setattr(writing, "open", open_full, raising=False)
    else:
        monkeypatch.setattr(os, step, full)
    before = sorted(path.name for path in table.iterdir())
    for command in (["predict", "m.gramian", "d.csv", "-o", "p.csv"], ["fit", "d.csv", "-o", "n.gramian"]):
        assert main([*command, "-q"]) == 4
        said = capsys.readouterr().err
        assert re.fullmatch(r"gramian: .*(p\.csv|n\.gramian): No space left on device\n", said)
    with pytest.raises(OSError, match="No space left") as caught:
        writing.write_text("x.txt", "x")
    assert "None" not in str(caught.value)
    assert str(table / "x.txt") in str(caught.value)
    assert sorted(path.name for path in table.iterdir()) == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device here")
def test_a_full_pipe_is_told_too(table):
    assert main([*FIT, "d.csv", "--target", "=y()", "-o", "m.gramian", "-q"]) == 0
    with open("/dev/full", "w") as nowhere:
        found = subprocess.run(
            [sys.executable, "-m", "gramian", "predict", "m.gramian", "d.csv"],
            stdout=nowhere,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert found.returncode == 4
    assert found.stderr.splitlines()[-1] == "gramian: the output: No space left on device"


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("room", [0, 700])
def test_an_output_that_there_is_room_for_a_part_of_is_told(room, unbuffered, table):
    """Without a buffer a write of a part was taken for one of all: a table was cut in the middle, with exit code 0."""
    resource = pytest.importorskip("resource")
    assert main([*FIT, "d.csv", "--target", "=y()", "-o", "m.gramian", "-q"]) == 0
    with open("p.csv", "wb") as output:
        found = subprocess.run(
            [sys.executable, "-m", "gramian", "predict", "m.gramian", "d.csv", "-q"],
            stdout=output,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered, "PYTHONDONTWRITEBYTECODE": "1"},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY)),
            text=True,
            check=False,
        )
    assert (found.returncode, found.stderr) == (4, "gramian: the output: File too large\n")
    assert (table / "p.csv").stat().st_size == room
