"""Hostile data files, as the command line reads them: a `Dataset` or one `DataError`, in bounded time and memory."""

from __future__ import annotations

import contextlib
import gzip
import inspect
import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

import gramian as gm
from gramian.cli.main import main
from gramian.intake.formats import FORMATS

from .attack import Attack, Case, chance, one_of, require
from .inputs import _folder

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".npy", ".npz", ".parquet", ".fasta", ".lines", ".edges", ".graphml")
SUFFIXES += (".txt", ".csv.gz", ".xlsx", ".db", ".zip", ".feather", ".ods", "", ".exe", ".gz")
SMALL = 20_000  # bytes of a file that is also given to a whole command
BUDGET = {"memory": "200 MB"} if "memory" in inspect.signature(gm.read_data).parameters else {}
Luck = np.random.Generator


@cache
def sound() -> dict[str, bytes]:
    """Return a sound file of each suffix for which one is easily made."""
    rows = [(i, i * 0.5 - 3, "abc"[i % 3], f"w{i % 5} and {i}") for i in range(30)]
    table = "a,b,c,d\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in rows)
    lines = "".join(json.dumps(dict(zip("abcd", row, strict=True))) + "\n" for row in rows)
    nodes = "".join(f'<node id="n{i}"/>' for i in range(9))
    links = "".join(f'<edge source="n{i}" target="n{i + 1}"/>' for i in range(8))
    graphml = f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">{nodes}{links}'
    array, arrays, parquet = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.save(array, np.random.default_rng(0).normal(size=(20, 3)))
    np.savez_compressed(arrays, X=np.ones((20, 3)), y=np.arange(20) % 2)
    import pandas as pd

    pd.DataFrame(rows, columns=list("abcd")).to_parquet(parquet)
    return {
        ".csv": table.encode(),
        ".tsv": table.replace(",", "\t").encode(),
        ".jsonl": lines.encode(),
        ".json": lines.encode(),
        ".npy": array.getvalue(),
        ".npz": arrays.getvalue(),
        ".parquet": parquet.getvalue(),
        ".fasta": "".join(f">s{i} of {i % 2}\nacgt{'ac' * i}\n" for i in range(9)).encode(),
        ".lines": "\n".join("abc"[i % 3] * i for i in range(20)).encode(),
        ".edges": "\n".join(f"{i} {(i * 7) % 11} {i / 3}" for i in range(20)).encode(),
        ".graphml": f"{graphml}</graph></graphml>".encode(),
        ".txt": b"one line\nand another\n" * 5,
        ".csv.gz": gzip.compress(table.encode()),
    }


# Damage to sound files


def flipped(rng: Luck, data: bytes) -> bytes:
    found = bytearray(data)
    for place in rng.integers(len(found), size=int(rng.integers(1, 6))):
        found[place] = int(rng.integers(256))
    return bytes(found)


def inserted(rng: Luck, data: bytes) -> bytes:
    place = int(rng.integers(len(data)))
    return data[:place] + one_of(rng, PIECES) + data[place:]


PIECES = (b"\x00", b"\x00" * 500, b"\xff\xfe", b"\xed\xa0\x80", b'"', b'"""', b"\r", b"\r\r\n", b",,,,,,", b"\n\n\n")
PIECES += (b"\x1a", b"\x0c", b"\xe2\x80\xa8", b"1e999", b"-inf", b"nan", b"9" * 5000, b"=cmd|'/c calc'!A0", b"\xc2")
PIECES += (b"x" * 200_000, b"<!-- -->", b"&lol;", b"{", b"}" * 50, b"[" * 3000, b"\\u0000", b"\xef\xbb\xbf", b"\xe9")

DAMAGES: dict[str, Callable[[Luck, bytes], bytes]] = {
    "cut": lambda rng, data: data[: int(rng.integers(len(data)))],
    "flipped": flipped,
    "inserted": inserted,
    "utf-16": lambda rng, data: data.decode("latin-1").encode("utf-16"),
    "utf-32": lambda rng, data: data.decode("latin-1").encode("utf-32-le"),
    "mixed line ends": lambda rng, data: data.replace(b"\n", b"\r\n", 3).replace(b"\n", b"\r", 5),
    "shuffled": lambda rng, data: bytes(rng.permutation(np.frombuffer(data, np.uint8))),
    "doubled": lambda rng, data: data + data,
    "compressed": lambda rng, data: gzip.compress(data),
    "compressed and cut": lambda rng, data: gzip.compress(data)[: -int(rng.integers(1, 20))],
    "compressed twice": lambda rng, data: gzip.compress(gzip.compress(data)),
    "with a mark": lambda rng, data: b"\xef\xbb\xbf" + data,
}


# Whole files


def junk(rng: Luck) -> tuple[str, bytes]:
    return one_of(rng, SUFFIXES), rng.bytes(int(one_of(rng, (0, 1, 7, 300, 5000, 300_000))))


def foreign(rng: Luck) -> tuple[str, bytes]:
    starts = (b"PK\x03\x04", b"\x89PNG\r\n", b"PAR1", b"\x93NUMPY\x01\x00", b"SQLite format 3\x00", b"\x1f\x8b\x08\x00")
    return one_of(rng, SUFFIXES), one_of(rng, (*starts, b"%PDF-1.4", b"\x7fELF", b"ARROW1")) + rng.bytes(300)


def mislabelled(rng: Luck) -> tuple[str, bytes]:
    return one_of(rng, SUFFIXES), sound()[one_of(rng, sound())]


def ragged(rng: Luck) -> tuple[str, bytes]:
    rows = [",".join(["1"] * int(rng.integers(1, 9))) for _ in range(40)]
    return ".csv", "\n".join(rows).encode()


def headers(rng: Luck) -> tuple[str, bytes]:
    head = one_of(rng, ("a,a,a,a", ",,,", "a,b,a,b", "1,2,3,4", '"a\nb",c,d,e', " a ,a,A,a", "\x00,b,c,d", "é,é,é,é"))
    return ".csv", (head + "\n" + "1,2,3,4\n" * 9 + "5,6,7,8\n").encode()


def wide(rng: Luck) -> tuple[str, bytes]:
    n, mark, quote = int(one_of(rng, (20_000, 100_000))), one_of(rng, (b",", b"\t", b";", b"|", b" ")), chance(rng, 0.3)
    name = one_of(rng, (b"%d", b"x%d", b"x", b"kg", b"", b"a_%d", b"1,%d"))
    rows = [[name % i if b"%" in name else name for i in range(n)]]
    field = one_of(rng, (b"%d", b"%d,5", b"w %d", b"00%d", b"2024-01-0%d"))
    rows += [[field % (i * j % 7) for i in range(n)] for j in range(one_of(rng, (0, 1, 4, 12)))]
    lines = (mark.join(b'"%b"' % field for field in row) if quote else mark.join(row) for row in rows)
    return one_of(rng, (".csv", ".tsv", ".txt")), b"\n".join(lines)


def tall(rng: Luck) -> tuple[str, bytes]:
    return one_of(rng, (".csv", ".lines", ".edges", ".txt")), b"1 2\n" * 300_000


def huge_field(rng: Luck) -> tuple[str, bytes]:
    size = int(one_of(rng, (200_000, 5_000_000, 30_000_000)))
    letter = one_of(rng, (b"x", b"9", b'"', b" ", b",", b"\t", b"[", b"<"))
    return one_of(rng, (".csv", ".tsv", ".jsonl", ".lines", ".fasta", ".edges", ".graphml")), b"a,b\n1," + letter * size


def deep(rng: Luck) -> tuple[str, bytes]:
    depth = int(one_of(rng, (50, 990, 5000, 200_000)))
    if chance(rng, 0.5):
        return ".jsonl", b'{"a":' * depth + b"1" + b"}" * depth
    return ".graphml", b"<graphml>" + b"<graph>" * depth + b"</graph>" * depth + b"</graphml>"


def odd_json(rng: Luck) -> tuple[str, bytes]:
    values = ("1", "[]", "[1,2]", "null", '"a"', '{"a":1,"a":2}', '{"a":NaN}', '{"a":1e999}', '{"a":[1]}', "{}")
    values += ('{"":1}', '{"a":{"b":1}}', '{"a":"\\ud800"}', '{"a":' + "9" * 5000 + "}", '{"a":true}', '{"a":null}')
    return one_of(rng, (".jsonl", ".json")), "\n".join(one_of(rng, values) for _ in range(6)).encode()


def laughs(rng: Luck) -> tuple[str, bytes]:
    names = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    return ".graphml", f'<?xml version="1.0"?><!DOCTYPE g [<!ENTITY l0 "ha">{names}]><graphml>&l9;</graphml>'.encode()


def entity(rng: Luck) -> tuple[str, bytes]:
    what = one_of(rng, ("file:///etc/passwd", "/dev/zero", "http://localhost:9/x"))
    node = '<graphml><graph><node id="&e;"/></graph></graphml>'
    return ".graphml", f'<?xml version="1.0"?><!DOCTYPE g [<!ENTITY e SYSTEM "{what}">]>{node}'.encode()


def forged_array(rng: Luck) -> tuple[str, bytes]:
    type_ = one_of(rng, ("|S0", "<f8", "|O", "<U0", "|V0", "<c16", "f8,O", "<M8[ns]", "|b1", "<f2", "|S1000000", ">i8"))
    shape = one_of(rng, ((2**40,), (1000, 1000, 1000), (-1,), (10**9,), (3, 2), (2**62, 8), (0, 3), (), (2**20, 0)))
    order = one_of(rng, ("False", "True", "None"))
    head = f"{{'descr': {type_!r}, 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    whole = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + rng.bytes(int(one_of(rng, (0, 48, 999))))
    return ".npy", whole


def pickled(rng: Luck) -> tuple[str, bytes]:
    found = io.BytesIO()
    np.save(found, np.array([{"a": 1}, print], dtype=object), allow_pickle=True)
    return one_of(rng, (".npy", ".csv", ".npz")), found.getvalue()


def bomb(rng: Luck) -> tuple[str, bytes]:
    """Return a file of some megabytes that unpacks to half a gigabyte and more."""
    suffix = one_of(rng, (".csv.gz", ".lines.gz", ".npz", ".zip", ".jsonl.gz", ".fasta.gz", ".edges.gz"))
    found = io.BytesIO()
    piece, many = one_of(rng, (b"\0", b"a", b"1,", b"1\n", b"0 ", b">a\n")) * 2**19, 1000
    if suffix.endswith(".gz"):
        with gzip.GzipFile(fileobj=found, mode="wb", compresslevel=1) as file:
            for _ in range(many):
                file.write(piece)
        return suffix, found.getvalue()
    name = "X.npy" if suffix == ".npz" else "table.csv"
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (2**20, 125)})
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive, archive.open(name, "w") as file:
        if suffix == ".npz":
            file.write(head.getvalue())
        for _ in range(many):
            file.write(bytes(2**20) if suffix == ".npz" else piece)
    return suffix, found.getvalue()


WHOLE = (junk, foreign, mislabelled, ragged, headers, wide, tall, huge_field, deep, odd_json, laughs, entity)
WHOLE += (forged_array, pickled)


# What is no file


def fifo(path: Path) -> None:
    """Put a pipe that another program writes a table into, once somebody reads it."""
    os.mkfifo(path)

    def write() -> None:
        with contextlib.suppress(OSError), open(path, "wb") as pipe:
            pipe.write(sound()[".csv"])

    Thread(target=write, daemon=True).start()


def link(path: Path) -> None:
    path.symlink_to("/dev/zero")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def folder(path: Path) -> None:
    path.mkdir()
    (path / "a.txt").write_bytes(b"\xff\x00")


STRANGE: tuple[Callable[[Path], None], ...] = (fifo, link, loop, folder)


def make(rng: Luck) -> Case:
    """Return a case: a file, read by `read_data` and, if it is small, by a whole command too."""
    asked = {"format": one_of(rng, FORMATS)} if chance(rng, 0.15) else {}
    if chance(rng, 0.06):
        strange, suffix = one_of(rng, STRANGE), one_of(rng, SUFFIXES)
        return Case(
            f"{strange.__name__} called data{suffix}, {asked}",
            lambda: _read(suffix, strange, asked, strange is not fifo),
        )
    if chance(rng, 0.02):
        words, (suffix, data) = "bomb", bomb(rng)
    elif chance(rng, 0.5):
        suffix, how = one_of(rng, sound()), one_of(rng, DAMAGES)
        words, data = how, DAMAGES[how](rng, sound()[suffix])
    else:
        whole = one_of(rng, WHOLE)
        words, (suffix, data) = whole.__name__, whole(rng)
    small = len(data) < SMALL and chance(rng, 0.5)
    return Case(
        f"{words} data{suffix} of {len(data):,} bytes, {asked}",
        lambda: _read(suffix, lambda path: path.write_bytes(data), asked, small),
    )


def _read(suffix: str, put: Callable[[Path], Any], asked: dict[str, str], command: bool) -> None:
    place = Path(_folder(), f"files-{os.getpid()}")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    path = place / f"data{suffix}"
    put(path)
    try:
        if command:
            run_command(path, place / "K.npy", asked)
        found: Any = gm.read_data(path, **asked, **BUDGET)
        require(len(found) >= 0 and found.kind and found.notes is not None, "no data set")
    finally:
        with contextlib.suppress(OSError):  # a pipe that nobody has read lets its writer go
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
        shutil.rmtree(place, ignore_errors=True)


def run_command(path: Path, output: Path, asked: dict[str, str]) -> None:
    """Write a Gram by the command line: done, or one sentence and nothing written."""
    said = io.StringIO()
    words = ["gram", str(path), "-o", str(output), "--quiet", *(x for k, v in asked.items() for x in (f"--{k}", v))]
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        code = main(words)
    text = said.getvalue()
    require(code in (0, 3), f"exit code {code}: {text[:200]}")
    require("Traceback" not in text, "a traceback")
    require((code == 0) == output.exists(), f"exit code {code}, and output: {output.exists()}")
    require(code == 0 or text.startswith("gramian: "), f"no sentence: {text[:200]}")
    output.unlink(missing_ok=True)


ATTACK = Attack("files", 500, make, refusals=(gm.DataError,), memory=5 * 2**30)
