"""Batches of files with a client in force: workers read their batches, and nobody else reads more than a sample."""

import itertools

import distributed
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gramian as gm
from gramian.intake.batches import Batches

RNG = np.random.default_rng(5)
N = 500
X = RNG.normal(size=(N, 3))
Y = X[:, 0] + np.sin(3 * X[:, 1])
KERNEL = gm.Gaussian(2.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Parquet files of unequal size with several groups of rows each, an Arrow file, and arrays."""
    folder = tmp_path_factory.mktemp("files")
    table = pd.DataFrame(X, columns=list("abc")).assign(y=Y)
    (folder / "many").mkdir()
    cuts = [0, 7, 130, 131, 390, N]
    for number, (start, stop) in enumerate(itertools.pairwise(cuts)):
        part = pa.Table.from_pandas(table[start:stop], preserve_index=False)
        pq.write_table(part, folder / "many" / f"part-{number}.parquet", row_group_size=50)
    pq.write_table(pa.Table.from_pandas(table, preserve_index=False), folder / "one.parquet", row_group_size=N)
    with pa.OSFile(str(folder / "one.arrow"), "wb") as file:
        whole = pa.Table.from_pandas(table, preserve_index=False)
        with pa.ipc.new_file(file, whole.schema) as writer:
            for batch in whole.to_batches(max_chunksize=64):
                writer.write_batch(batch)
    (folder / "tables").mkdir()
    for number, (start, stop) in enumerate(itertools.pairwise(cuts)):
        table[start:stop].to_csv(folder / "tables" / f"part-{number}.csv", index=False)
    table.to_csv(folder / "one.csv", index=False)
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", Y)
    return folder


SOURCES = {
    "many": lambda folder, rows: gm.Batches(folder / "many", target="y", rows=rows),
    "one": lambda folder, rows: gm.Batches(folder / "one.parquet", target="y", rows=rows),
    "columns": lambda folder, rows: gm.Batches(folder / "many", target="y", columns=["c", "a"], rows=rows),
    "arrow": lambda folder, rows: gm.Batches(str(folder / "one.arrow"), target="y", rows=rows),
    "tables in text": lambda folder, rows: gm.Batches(folder / "tables", target="y", rows=rows),
    "one in text": lambda folder, rows: gm.Batches(folder / "one.csv", target="y", rows=rows),
    "arrays": lambda folder, rows: gm.Batches(folder / "X.npy", target=folder / "y.npy", rows=rows),
    "target at hand": lambda folder, rows: gm.Batches(folder / "X.npy", target=Y, rows=rows),
}


@pytest.mark.parametrize("rows", [1, 50, 64, 99, 499, 500, 10_000])
@pytest.mark.parametrize("name", SOURCES)
def test_a_batch_read_by_itself_is_the_batch_that_comes_in_turn(name, rows, folder):
    batches = SOURCES[name](folder, rows)
    for number, (objects, targets) in enumerate(batches):
        if rows == 1 and number % 61:
            continue
        mine, told = batches.piece(number)
        np.testing.assert_array_equal(mine, objects)
        np.testing.assert_array_equal(told, targets)


@pytest.mark.parametrize("name", SOURCES)
def test_files_that_workers_read_teach_the_same_to_the_last_bit(name, folder, cluster, monkeypatch):
    here = SOURCES[name](folder, 64)
    assert not here.is_spread
    expected = gm.KernelRidge(KERNEL, rank=25).fit(here)
    with distributed.Client(cluster):
        monkeypatch.setattr(Batches, "__iter__", lambda self: pytest.fail("the client has read the file"))
        found = gm.KernelRidge(KERNEL, rank=25).fit(SOURCES[name](folder, 64))
    objects = X[:, [2, 0]] if name == "columns" else X
    np.testing.assert_array_equal(found.predict(objects), expected.predict(objects))
    assert getattr(found, "feature_names_in_", np.array([])).tolist() == list(here.feature_names or [])


@pytest.mark.parametrize("kind", ["lines", "files"])
def test_texts_are_read_by_workers_too(kind, tmp_path, cluster, monkeypatch):
    texts = [f"the {a} and the {b}" for a in ("cat", "dog", "owl", "hen") for b in ("sea", "sky", "hill")] * 3
    if kind == "lines":
        (tmp_path / "texts.txt").write_text("\n".join(texts))
    for number, text in enumerate(texts if kind == "files" else []):
        (tmp_path / f"{number:02}.txt").write_text(text)
    source = tmp_path / "texts.txt" if kind == "lines" else tmp_path
    expected = gm.KernelPCA(2, gm.Spectrum(2), rank=8).fit(gm.Batches(source, rows=9))
    with distributed.Client(cluster):
        monkeypatch.setattr(Batches, "__iter__", lambda self: pytest.fail("the client has read the file"))
        found = gm.KernelPCA(2, gm.Spectrum(2), rank=8).fit(gm.Batches(source, rows=9))
    np.testing.assert_array_equal(found.transform(texts), expected.transform(texts))


def test_a_table_in_text_that_breaks_is_named_with_its_partition(client, tmp_path, monkeypatch):
    monkeypatch.setattr("gramian.intake.sources.SETTLING", 1)
    monkeypatch.setattr("gramian.learn.lowrank.HEAD", 20)
    rows = ["1.0,2.0"] * 600
    rows[431] = "1.0,two"
    (tmp_path / "t.csv").write_text("\n".join(["a,b", *rows]))
    with pytest.raises(ValueError, match=r"partition 4: .*t\.csv"):
        gm.KernelPCA(1, KERNEL, rank=5).fit(gm.Batches(tmp_path / "t.csv", rows=100))
    (tmp_path / "u.csv").write_text("a,c\n1.0,2.0\n")
    with pytest.raises(ValueError, match=r"partition 1: .*u\.csv: it begins with 'a,c'"):
        gm.Batches(tmp_path, rows=100).head(1)


def test_a_relative_name_is_found_by_workers_elsewhere(folder, client, monkeypatch):
    monkeypatch.chdir(folder)
    found = gm.KernelPCA(2, KERNEL, rank=10).fit(gm.Batches("X.npy", rows=100))
    assert found._summed.summary.count == N


def test_arrays_at_hand_stay_at_hand(client):
    assert not gm.Batches(X).is_spread
    assert not gm.Batches(lambda: iter([X])).is_spread


def test_a_file_that_breaks_is_named_with_its_partition(folder, client, tmp_path):
    for number in range(5):
        table = pd.DataFrame(X[:100] + number, columns=list("abc"))
        pq.write_table(pa.Table.from_pandas(table), tmp_path / f"{number}.parquet")
    batches = gm.Batches(tmp_path, rows=100)
    assert batches.count == N
    broken = tmp_path / "3.parquet"
    held = bytearray(broken.read_bytes())
    held[4:200] = b"\xff" * 196
    broken.write_bytes(held)
    with pytest.raises(ValueError, match=r"partition 3: .*3\.parquet"):
        gm.KernelPCA(2, KERNEL, rank=10).fit(batches)


def test_files_are_learnt_from_exactly_too(folder, client):
    found = gm.KernelRidge(KERNEL, 0.1).fit(gm.Batches(folder / "many", target="y", rows=100))
    here = gm.KernelRidge(KERNEL, 0.1).fit(X, Y)
    np.testing.assert_allclose(found.predict(X[:9]), here.predict(X[:9]), atol=1e-6 * np.abs(Y).max())
