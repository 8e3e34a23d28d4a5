"""Small files that unpack to more than the budget are refused, by what they need, before they take it."""

import gzip
import io
import json
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from gramian.intake.budget import Budget, free_memory, sized
from gramian.intake.errors import DataError
from gramian.intake.formats import read_raw
from gramian.intake.reading import read_data

from .sheets import write_ods, write_xlsx

BUDGET = 64_000_000  # bytes; every bomb below takes several times as much
SLACK = 150_000_000  # what libraries take once they are loaded


def npy(descr, shape):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": descr, "fortran_order": False, "shape": shape})
    return header.getvalue()


def packed(write, piece, times):
    """Write a compressed file, of which only a piece lies in memory."""
    for _ in range(times):
        write(piece)


def empty_texts(path):
    path.write_bytes(npy("|S0", (10**8,)))


def zeros(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file, file.open("X.npy", "w") as member:
        member.write(npy("<f8", (6 * 10**7, 1)))
        packed(member.write, bytes(10**7), 48)


def line(path):
    with gzip.open(path, "wb", compresslevel=1) as file:
        packed(file.write, b"a" * 10**7, 50)


def many_lines(path):
    with gzip.open(path, "wb", compresslevel=1) as file:
        packed(file.write, b"a b\n" * 10**6, 40)


def numbers(path):
    with gzip.open(path, "wb", compresslevel=1) as file:
        packed(file.write, b"1,2\n" * 10**6, 30)


def records(path):
    with gzip.open(path, "wb", compresslevel=1) as file:
        packed(file.write, b'{"a": 1}\n' * 10**5, 50)


def sequence(path):
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b">a\n")
        packed(file.write, b"acgt" * 10**6 + b"\n", 100)


def archive(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file, file.open("t.csv", "w") as member:
        packed(member.write, b"1,2\n" * 10**6, 40)


def columns(path):
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({"a": np.zeros(2 * 10**7, np.int8), "b": np.zeros(2 * 10**7, np.int8)})
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path, compression="zstd")
        return
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_file(file, table.schema, options=options) as writer:
        writer.write_table(table)


def far_cells(path):
    far = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    write_xlsx(path, {"one": far})


def long_text(path):
    write_xlsx(path, {"one": f'<row><c t="inlineStr"><is><t>{"a" * 10**8}</t></is></c></row>'})


def shared_text(path):
    cells = '<c t="s"><v>0</v></c>' * 100
    write_xlsx(path, {"one": f"<row>{cells}</row>" * 20}, shared=["a" * 10**6])


def repeated_text(path):
    inside = '<table:table-cell office:value-type="string" table:number-columns-repeated="40">'
    rows = f'<table:table-row table:number-rows-repeated="50">{inside}<text:p>{"a" * 10**6}</text:p></table:table-cell>'
    write_ods(path, f"{rows}</table:table-row>")


def repeated_cells(path):
    inside = '<table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="9999">'
    rows = f'<table:table-row table:number-rows-repeated="99999">{inside}<text:p>1</text:p></table:table-cell>'
    write_ods(path, f"{rows}</table:table-row>")


def computed_cells(path):
    import sqlite3

    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE t (a, b GENERATED ALWAYS AS (hex(zeroblob(200000000))) VIRTUAL)")
        base.executemany("INSERT INTO t VALUES (?)", [(1,), (2,)])
    base.close()


BOMBS = {
    "texts.npy": empty_texts,
    "zeros.npz": zeros,
    "line.csv.gz": line,
    "line.lines.gz": line,
    "line.edges.gz": line,
    "lines.lines.gz": many_lines,
    "numbers.csv.gz": numbers,
    "records.jsonl.gz": records,
    "sequence.fasta.gz": sequence,
    "archive.zip": archive,
    "columns.parquet": columns,
    "columns.arrow": columns,
    "far.xlsx": far_cells,
    "text.xlsx": long_text,
    "shared.xlsx": shared_text,
    "repeated.ods": repeated_cells,
    "text.ods": repeated_text,
    "computed.db": computed_cells,
}


READER = """
import os, resource, sys
from gramian.intake.errors import DataError
from gramian.intake.reading import read_data
for line in sys.stdin:
    path = line.rstrip("\\n")
    if os.fork():
        os.wait()
        continue
    before, words = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, "read"
    try:
        read_data(path, memory=int(sys.argv[1]))
    except DataError as error:
        words = str(error)
    print(words, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, sep="\\t", flush=True)
    os._exit(0)
"""


@pytest.fixture(scope="module")
def reader():
    """Return a function that reads a file in a process of its own, and says what came of it and what memory it took."""
    pytest.importorskip("resource")
    command = [sys.executable, "-c", READER, str(BUDGET)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def read(path):
            process.stdin.write(f"{path}\n")
            process.stdin.flush()
            words, _, grown = process.stdout.readline().rpartition("\t")
            return words, int(grown) * (1 if sys.platform == "darwin" else 1024)

        yield read


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_within_the_budget(tmp_path, reader, name):
    BOMBS[name](tmp_path / name)
    words, grown = reader(tmp_path / name)
    assert words.startswith(str(tmp_path / name))
    assert ("string or blob too big" if name == "computed.db" else "the budget is 64 MB; raise it with --mem") in words
    assert grown < BUDGET + SLACK


@pytest.mark.parametrize("text", ["[" * 10**6, '[{"a":' * 10**5, '{"a":' * 10**6, '{"a":[' + "[" * 10**6])
@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
def test_json_that_is_nested_deeply_is_refused(write, text, name):
    with pytest.raises(DataError):
        read_data(write(text, name))


def test_what_fits_the_budget_is_read(write):
    text = "a,b\n" + "1,2\n3,5\n" * 1000
    assert len(read_data(write(text), memory="1 MB")) == 2000
    with pytest.raises(
        DataError, match=r"takes more than \S+ kB of memory, and the budget is 50 kB; raise it with --mem"
    ):
        read_data(write(text), memory="50 kB")
    with pytest.raises(ValueError, match="memory is 'much'"):
        read_data(write(text), memory="much")


def test_a_budget_counts_what_is_read_and_starts_again(write):
    path = write("a,b\n" + "1,2\n3,5\n" * 1000)
    for _ in range(3):
        read_raw(path, memory="100 kB")


def test_code_points_that_are_no_letters_are_told_as_such(tmp_path):
    for wrong in (0x7FFFFFFF, 0x110000, 0xD800):
        np.save(tmp_path / "t.npy", np.array(["ab", "cd"]))
        content = (tmp_path / "t.npy").read_bytes()
        (tmp_path / "t.npy").write_bytes(content[:-4] + struct.pack("<I", wrong))
        with pytest.raises(DataError, match=rf"a text with the code point 0x{wrong:x}, which is no letter"):
            read_data(tmp_path / "t.npy")
    (tmp_path / "t.jsonl").write_text(json.dumps({"a": "\ud800"}) + "\n" + json.dumps({"a": "b"}) + "\n")
    with pytest.raises(DataError, match=r"line 1: .*half of a letter"):
        read_data(tmp_path / "t.jsonl")


def test_the_budget_is_half_of_what_is_free():
    assert 0.3 * free_memory() < Budget().limit < 0.7 * free_memory()
    assert [sized(number) for number in (0, 999, 1000, 123456, 10**9, 5 * 10**18)] == [
        "0 bytes", "999 bytes", "1 kB", "123 kB", "1 GB", "5 EB",
    ]  # fmt: skip
