"""What is piped is read once and to its end, however slowly it comes; what has no end is refused."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import numpy as np
import pytest

import gramian as gm
from gramian.cli.main import main
from gramian.intake.errors import DataError
from gramian.intake.reading import read_data

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs")

ROWS = 3000


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    lines = [f"{x:.3f},{y:.3f},{'uv'[int(x > 0)]}" for x, y in rng.standard_normal((ROWS, 2))]
    return "\n".join(["a,b,c", *lines]) + "\n"


def as_lines(table):
    names, *rows = [line.split(",") for line in table.splitlines()]
    found = (dict(zip(names, [float(row[0]), float(row[1]), row[2]], strict=True)) for row in rows)
    return "".join(json.dumps(row) + "\n" for row in found)


def gramian(*arguments, **more):
    return subprocess.Popen(
        [sys.executable, "-m", "gramian", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **more,
    )


def fed(content, path):
    """Write to a FIFO from a thread, in pieces, with pauses."""

    def write():
        with suppress(BrokenPipeError), open(path, "wb", buffering=0) as file:
            for start in range(0, len(content), 20_000):
                file.write(content[start : start + 20_000])
                time.sleep(0.002)

    os.mkfifo(path)
    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("name", ["pipe", "pipe.csv", "pipe.jsonl"])
def test_a_fifo_is_read_to_its_end(tmp_path, table, name):
    content = as_lines(table) if name.endswith("jsonl") else table
    writer = fed(content.encode(), tmp_path / name)
    data = read_data(tmp_path / name, target="c")
    writer.join()
    assert len(data) == ROWS
    assert data.source == str(tmp_path / name)
    assert data.format == ("jsonl" if name.endswith("jsonl") else "csv")


def test_errors_in_a_fifo_name_it_and_the_line(tmp_path, table):
    lines = table.splitlines()
    lines[1234] = "x,1,u"
    fed("\n".join(lines).encode(), tmp_path / "pipe")
    with pytest.raises(DataError) as caught:
        read_data(tmp_path / "pipe", kinds={"a": "number"})
    assert str(caught.value) == f"{tmp_path / 'pipe'}, line 1,235, column 'a': 'x'; a number expected"
    fed(b"a,b\n1,2\n3\n", tmp_path / "other.csv")
    with pytest.raises(DataError, match=rf"^{tmp_path / 'other.csv'}, line 3: 1 field, and 2 expected"):
        read_data(tmp_path / "other.csv")


def test_copies_of_pipes_are_deleted(tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    fed(b"a,b\n1,2\n3,5\n", tmp_path / "pipe")
    assert len(read_data(tmp_path / "pipe")) == 2
    fed(b"a,b\n1,2\n3\n", tmp_path / "broken.csv")
    with pytest.raises(DataError):
        read_data(tmp_path / "broken.csv")
    assert list((tmp_path / "temporary").iterdir()) == []


def test_the_table_of_nodes_may_be_a_pipe(tmp_path):
    (tmp_path / "t.edges").write_text("01 02\n02 03\n")
    fed(b"id,c\n01,u\n02,v\n03,u\n", tmp_path / "nodes")
    data = read_data(tmp_path / "t.edges", nodes=tmp_path / "nodes", target="c")
    assert data.y.tolist() == ["u", "v", "u"]
    with pytest.raises(DataError, match="standard input is asked for twice"):
        read_data("-", nodes="-")


def test_devices_and_addresses_are_refused_at_once(tmp_path):
    with pytest.raises(DataError, match=r"^/dev/zero: a device, which is no data and may have no end"):
        read_data("/dev/zero")
    for address in ("http://example.org/a.csv", "s3://bucket/a.parquet", "HTTPS://example.org/a.csv"):
        with pytest.raises(DataError, match=r"an address, and nothing is read from the network; download it"):
            read_data(address)
    for read in (gm.read_lines, gm.read_fasta, gm.read_edges):
        with pytest.raises(ValueError, match="a device"):
            read("/dev/zero")
    os.mkfifo(tmp_path / "x.npy")
    with pytest.raises(ValueError, match="a pipe or a device"):
        gm.Batches(tmp_path / "x.npy")
    os.mkfifo(tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="a folder with no Parquet file"):
        gm.Batches(tmp_path)


def test_a_pipe_without_end_meets_the_budget(tmp_path):
    writer = fed(b"1,2\n" * 10**6, tmp_path / "pipe")
    with pytest.raises(DataError, match=r"pipe: reading it takes more than .* and the budget is 1 MB; raise it with"):
        read_data(tmp_path / "pipe", memory="1 MB")
    writer.join(timeout=600)


def test_a_slow_pipe_is_not_cut(tmp_path, table):
    _model(tmp_path, table)
    lines = as_lines(table).encode()
    run = gramian("predict", tmp_path / "m.gramian", "/dev/stdin", "--format", "jsonl", "-q")
    for start in range(0, len(lines), 50_000):
        run.stdin.write(lines[start : start + 50_000])
        run.stdin.flush()
        time.sleep(0.01)
    out, err = run.communicate()
    assert (run.returncode, err) == (0, b"")
    assert out.count(b"\n") == ROWS + 1


def _model(folder, table):
    (folder / "t.csv").write_text(table[: table.index("\n", 4000) + 1])
    name = str(folder / "m.gramian")
    assert main(["fit", str(folder / "t.csv"), "--target", "c", "--kernel", "linear", "-o", name, "-q"]) == 0


@pytest.fixture
def piped(monkeypatch):
    """Put text on standard input, written by a thread."""

    opened = []

    def put(text):
        reading, writing = os.pipe()

        def write():
            with open(writing, "w") as file:
                file.write(text)

        threading.Thread(target=write, daemon=True).start()
        opened.append(open(reading))  # noqa: SIM115
        monkeypatch.setattr(sys, "stdin", opened[-1])

    yield put
    for file in opened:
        file.close()


def test_every_command_takes_standard_input(tmp_path, table, piped, capsys):
    few = table[: table.index("\n", 1000) + 1]
    _model(tmp_path, table)
    for command in ("predict", "novelty"):
        piped(table)
        assert main([command, str(tmp_path / "m.gramian"), "-", "-q"]) == 0
        assert capsys.readouterr().out.count("\n") == ROWS + 1
    piped(few)
    assert main(["fit", "-", "--target", "c", "--kernel", "linear", "-o", str(tmp_path / "n.gramian"), "-q"]) == 0
    piped(few)
    assert main(["gram", "-", "--columns", "a,b", "--kernel", "linear", "-o", str(tmp_path / "K.npy"), "-q"]) == 0
    assert np.load(tmp_path / "K.npy").shape == (few.count("\n") - 1,) * 2
    piped(few)
    assert main(["report", "-", "--target", "c", "--kernel", "linear", "--json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["sections"][0]["numbers"]["objects"] == few.count("\n") - 1
    (tmp_path / "t.edges").write_text("1 2\n2 3\n3 4\n4 1\n1 3\n")
    piped("id,c\n1,u\n2,v\n3,u\n4,v\n")
    graph = ["fit", str(tmp_path / "t.edges"), "--nodes", "-", "--target", "c", "-o", str(tmp_path / "g.gramian"), "-q"]
    assert main(graph) == 0


def test_standard_input_that_is_no_data_is_refused(tmp_path):
    run = gramian("gram", "-", "-o", tmp_path / "K.npy")
    _, err = run.communicate(b"")
    assert (run.returncode, err.decode()) == (3, "gramian: standard input: an empty file; data expected\n")
    code = [sys.executable, "-m", "gramian", "gram", "-", "-o", str(tmp_path / "K.npy")]
    with open("/dev/zero", "rb") as zero:
        done = subprocess.run(code, stdin=zero, capture_output=True, timeout=600, check=False)
    assert done.returncode == 3
    assert b"standard input is a device, which is no data" in done.stderr


def test_a_fifo_that_nobody_writes_to_is_waited_for_with_a_word_and_ctrl_c_ends_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    run = gramian("gram", tmp_path / "pipe", "--format", "csv", "-o", tmp_path / "K.npy")
    waiting = run.stderr.readline()
    assert f"reading what is written to {tmp_path / 'pipe'}".encode() in waiting
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=600)
    assert run.returncode == 130
    assert b"stopped; nothing was written" in err
