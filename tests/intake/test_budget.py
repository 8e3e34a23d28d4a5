"""Small files that unpack to more than the budget are refused, by what they need, before they take it."""

import gzip
import io
import json
import struct
import subprocess
import sys
import time
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


def streamed(path):
    """A stream of Arrow, of which nothing says how many rows there are, with a dictionary that is compressed."""
    import pyarrow

    values = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 0], "int32"), pyarrow.array(["a" * 3 * 10**8]))
    batch = pyarrow.record_batch({"a": values})
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_stream(file, batch.schema, options=options) as writer:
        writer.write_batch(batch)


def one_batch(path):
    """A column of texts without letters: few rows, one long text."""
    import pyarrow

    table = pyarrow.table({"a": ["a" * 6 * 10**8], "b": [1.0]})
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_file(file, table.schema, options=options) as writer:
        writer.write_table(table)


def open_quote(path):
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b'a,b\n1,"x\n')
        packed(file.write, b"1,2\n" * 10**6, 60)


def open_quotes(path):
    """One row of many fields, of which none is long."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"a,b\n")
        packed(file.write, b'"\n",' * 10**6, 40)


def long_rows(path):
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"a,b\n")
        for number in range(400):
            file.write(b"x" * 10**6 + b"%d,1\n" % number)


def lying(path):
    """Parquet whose footer says that its column unpacks to a thousand bytes; its page says what it does."""
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({"a": ["a" * 6 * 10**8]})
    pyarrow.parquet.write_table(table, path, compression="zstd", use_dictionary=False, write_statistics=False)
    column = pyarrow.parquet.read_metadata(path).row_group(0).column(0)
    said, footer = zigzag(column.total_uncompressed_size), path.read_bytes()
    start = len(footer) - 8 - int.from_bytes(footer[-8:-4], "little")
    forged = footer[start:].replace(said, zigzag(1000, len(said)))
    assert forged != footer[start:]
    path.write_bytes(footer[:start] + forged)
    assert pyarrow.parquet.read_metadata(path).row_group(0).column(0).total_uncompressed_size == 1000


def zigzag(number, width=0):
    """Return a number as Thrift writes it, in at least so many bytes."""
    number, found = 2 * number, []
    while number > 127 or len(found) + 1 < width:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


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


def many_computed_cells(path):
    import sqlite3

    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE t (a, b GENERATED ALWAYS AS (hex(zeroblob(900000))) VIRTUAL)")
        base.executemany("INSERT INTO t VALUES (?)", [(k,) for k in range(500)])
    base.close()


def twins(path):
    """Two arrays that NumPy calls by one name: the small one to be measured, the large one to be read."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("X.npy", npy("<f8", (3, 1)) + bytes(24))
        with file.open("X", "w") as member:
            member.write(npy("<f8", (6 * 10**7, 1)))
            packed(member.write, bytes(10**7), 48)


def one_list(path):
    import pyarrow
    import pyarrow.parquet

    lists = pyarrow.ListArray.from_arrays(pyarrow.array([0, 3 * 10**7], "int32"), np.zeros(3 * 10**7))
    pyarrow.parquet.write_table(pyarrow.table({"a": lists}), path, compression="zstd")


def one_text(path):
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({"a": ["a" * 10**8]})
    pyarrow.parquet.write_table(table, path, compression="zstd", use_dictionary=False)


def sheet_elsewhere(path):
    """A sheet under the name of a picture."""
    far_cells(path.with_suffix(".plain"))
    place = "worksheets/sheet1.xml"
    with zipfile.ZipFile(path.with_suffix(".plain")) as plain, zipfile.ZipFile(path, "w") as file:
        for name in plain.namelist():
            content = plain.read(name).replace(place.encode(), b"media/a.png")
            file.writestr(name.replace(place, "media/a.png"), content)


def far_zeros(path):
    write_xlsx(path, {"one": '<row><c r="A1"><v>1</v></c></row><row><c r="XFD000000020000"><v>1</v></c></row>'})


def four_letters(path):
    write_xlsx(path, {"one": '<row><c r="A1"><v>1</v></c></row><row><c r="AXFD20000"><v>1</v></c></row>'})


def broken_sheet(path):
    """XML that is broken before the cells: a forgiving reader gets to them."""
    sheet_elsewhere(path)
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w") as file:
        for name, content in parts.items():
            file.writestr(name, b"</b>" + content if name.endswith(".png") else content)


def repeated_with_signs(path):
    inside = '<table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="+0009999">'
    rows = f'<table:table-row table:number-rows-repeated="0000000000099999">{inside}<text:p>1</text:p>'
    write_ods(path, f"{rows}</table:table-cell></table:table-row>")


def dictionary(path):
    """Texts of which each comes often: Arrow holds them several times over while it reads the first rows."""
    import pyarrow
    import pyarrow.parquet

    texts = [f"{place:06}" + "x" * 3000 for place in range(20_000)]
    places = np.random.default_rng(0).integers(0, len(texts), 100_000).astype(np.int32)
    table = pyarrow.table({"a": pyarrow.DictionaryArray.from_arrays(places, texts), "y": np.arange(100_000.0)})
    pyarrow.parquet.write_table(table, path, compression="zstd")


def own_keys(path):
    """Objects each of which has a key of its own, so that rows times columns are many."""
    objects = [{f"k{place}": place} for place in range(12_000)]
    text = json.dumps(objects) if path.suffix == ".json" else "\n".join(map(json.dumps, objects))
    path.write_text(text)


BOMBS = {
    "dictionary.parquet": dictionary,
    "keys.jsonl": own_keys,
    "keys.json": own_keys,
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
    "stream.arrow": streamed,
    "batch.feather": one_batch,
    "quote.csv.gz": open_quote,
    "quotes.csv.gz": open_quotes,
    "rows.csv.gz": long_rows,
    "lying.parquet": lying,
    "far.xlsx": far_cells,
    "text.xlsx": long_text,
    "shared.xlsx": shared_text,
    "repeated.ods": repeated_cells,
    "text.ods": repeated_text,
    "computed.db": computed_cells,
    "computed-often.db": many_computed_cells,
    "twins.npz": twins,
    "list.parquet": one_list,
    "text.parquet": one_text,
    "elsewhere.xlsx": sheet_elsewhere,
    "zeros.xlsx": far_zeros,
    "letters.xlsx": four_letters,
    "broken.xlsx": broken_sheet,
    "signs.ods": repeated_with_signs,
}
REASONS = {
    "computed.db": "string or blob too big",
    "twins.npz": "two arrays of one name",
    "list.parquet": "values of the type list",
    "broken.xlsx": "broken XML",
    "quote.csv.gz": "is a quote left open? (if not: --memory",
    "quotes.csv.gz": "is a quote left open? (if not: --memory",
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
    assert REASONS.get(name, "the budget is 64 MB; raise it with --mem") in words
    assert grown < BUDGET + SLACK


@pytest.mark.parametrize("text", ["[" * 10**6, '[{"a":' * 10**5, '{"a":' * 10**6, '{"a":[' + "[" * 10**6])
@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
def test_json_that_is_nested_deeply_is_refused(write, text, name):
    with pytest.raises(DataError):
        read_data(write(text, name))


def test_a_key_that_comes_twice_among_many_is_found_at_once(write):
    keys = ",".join(f'"k{k}":1' for k in range(100_000))
    begun = time.process_time()
    with pytest.raises(DataError, match="the key 'k99999' comes twice"):
        read_data(write(f'{{{keys},"k99999":2}}\n', "t.jsonl"))
    assert time.process_time() - begun < 10


def test_old_declarations_beside_a_sheet_are_no_harm_and_within_it_refused(tmp_path):
    write_ods(tmp_path / "a.ods", [["a", "b"], [1, 2], [3, 5]])
    with zipfile.ZipFile(tmp_path / "a.ods", "a") as file:
        file.writestr("META-INF/old.xml", '<!DOCTYPE m PUBLIC "x" "y.dtd"><m/>')
        file.writestr("Pictures/a.png", b"\x89PNG\r\n<c r='XFD99999'/>")
    assert len(read_data(tmp_path / "a.ods")) == 2
    with zipfile.ZipFile(tmp_path / "b.ods", "w") as new, zipfile.ZipFile(tmp_path / "a.ods") as old:
        for name in old.namelist():
            content = old.read(name).replace(b"<office:document-content", b"<!DOCTYPE d><office:document-content")
            new.writestr(name, content)
    with pytest.raises(DataError, match="a document type definition"):
        read_data(tmp_path / "b.ods")


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


@pytest.mark.parametrize("rows", [20_000, 200])
def test_a_dictionary_that_stands_in_each_group_of_rows_is_counted_once(tmp_path, rows):
    import pyarrow
    import pyarrow.parquet

    words = np.array([f"{place:04}" * 500 for place in range(200)])  # 0.4 MB
    table = pyarrow.table({"w": words[np.arange(20_000) % 200], "v": np.arange(20_000) / 2})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet", row_group_size=rows)
    found = read_raw(tmp_path / "t.parquet", memory="10 MB")  # in 100 groups 40 MB of texts
    assert found.columns["w"].tolist() == table["w"].to_pylist()
    with pytest.raises(DataError, match="and the budget is 2 MB"):
        read_raw(tmp_path / "t.parquet", memory="2 MB")
