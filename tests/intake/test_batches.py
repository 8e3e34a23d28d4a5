"""Every source gives the same objects in the same order, whatever the batches; and a bad one is told by its name."""

import re
import subprocess
import sys
from functools import partial
from importlib.util import find_spec

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.stats import chi2

import gramian as gm

needs_arrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed")
quick = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
sizes = st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any)


def chunks(n, sizes):
    """Cut range(n) into runs of these lengths, again and again."""
    start = 0
    while start < n:
        for size in sizes:
            yield slice(start, start + size)
            start += size


def numbers(n):
    """Return n rows of two numbers, and a target, all different."""
    return np.arange(2.0 * n).reshape(n, 2), np.arange(n) + 0.5


def arrow_table(n):
    import pyarrow as pa

    X, y = numbers(n)
    return pa.table({"a": X[:, 0], "b": X[:, 1], "y": y})


def write_parquet(table, path, rows=3):
    import pyarrow.parquet as pq

    path.parent.mkdir(exist_ok=True)
    pq.write_table(table, path, row_group_size=rows)
    return path


def from_array(folder, n, sizes):
    X, y = numbers(n)
    return X, y


def from_npy(folder, n, sizes):
    for name, array in zip(("X.npy", "y.npy"), numbers(n), strict=True):
        np.save(folder / name, array)
    return folder / "X.npy", str(folder / "y.npy")


def from_memmap(folder, n, sizes):
    source, target = from_npy(folder, n, sizes)
    return np.load(source, mmap_mode="r"), np.load(target, mmap_mode="r")


def from_function(folder, n, sizes):
    X, y = numbers(n)
    return (lambda: ((X[part], y[part]) for part in chunks(n, sizes))), None


def from_iterator(folder, n, sizes):
    return from_function(folder, n, sizes)[0](), None


def from_function_of_frames(folder, n, sizes):
    frame = from_pandas(folder, n, sizes)[0]
    return (lambda: (frame.iloc[part] for part in chunks(n, sizes))), "y"


def from_pandas(folder, n, sizes):
    X, y = numbers(n)
    return pd.DataFrame({"a": X[:, 0], "y": y, "b": X[:, 1]}, index=np.arange(n)[::-1]), "y"


def from_polars(folder, n, sizes):
    return pl.DataFrame(from_pandas(folder, n, sizes)[0].to_dict("list")), "y"


def from_table(folder, n, sizes):
    return arrow_table(n), "y"


def from_record_batch(folder, n, sizes):
    return arrow_table(n).combine_chunks().to_batches()[0], "y"


def from_reader(folder, n, sizes):
    return arrow_table(n).to_reader(max_chunksize=max(sizes)), "y"


def from_parquet(folder, n, sizes):
    return write_parquet(arrow_table(n), folder / "one.parquet", rows=max(sizes)), "y"


def from_folder(folder, n, sizes):
    table = arrow_table(n)
    for old in folder.glob("many/*"):
        old.unlink()
    for place, part in enumerate(chunks(n, sizes)):
        write_parquet(table[part.start : part.stop], folder / "many" / f"{place:03}.parquet")
    (folder / "many" / "_SUCCESS").touch()
    return folder / "many", "y"


def from_dataset(folder, n, sizes):
    from pyarrow import dataset

    return dataset.dataset(from_folder(folder, n, sizes)[0], format="parquet"), "y"


def from_feather(folder, n, sizes):
    from pyarrow import feather

    feather.write_feather(arrow_table(n), folder / "one.feather", chunksize=max(sizes))
    return folder / "one.feather", "y"


def from_arrow_stream(folder, n, sizes):
    import pyarrow as pa

    table = arrow_table(n)
    with pa.OSFile(str(folder / "one.arrow"), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=max(sizes))
    return folder / "one.arrow", "y"


PLAIN = [
    from_array,
    from_npy,
    from_memmap,
    from_function,
    from_iterator,
    from_function_of_frames,
    from_pandas,
    from_polars,
]
ARROW = [from_table, from_record_batch, from_reader, from_parquet, from_folder, from_dataset, from_feather]
ARROW = [pytest.param(make, marks=needs_arrow) for make in [*ARROW, from_arrow_stream]]
ONCE = (from_iterator, from_reader)
NAMELESS = (from_array, from_npy, from_memmap, from_function, from_iterator)
COUNTLESS = (*ONCE, from_function, from_function_of_frames, from_dataset, from_arrow_stream)
every_source = pytest.mark.parametrize("make", [*PLAIN, *ARROW], ids=lambda make: make.__name__)


def together(batches):
    Xs, ys = zip(*batches, strict=True)
    return np.concatenate(Xs), np.concatenate(ys)


@every_source
@quick
@given(n=st.integers(1, 40), sizes=sizes, rows=st.integers(1, 50))
def test_every_source_gives_the_same_objects_in_batches_of_the_same_size(tmp_path, make, n, sizes, rows):
    source, target = make(tmp_path, n, sizes)
    found = list(gm.Batches(source, target, rows=rows))
    X, y = together(found)
    assert np.array_equal(X, numbers(n)[0])
    assert np.array_equal(y, numbers(n)[1])
    assert X.dtype == np.float64
    assert [len(X) for X, _ in found] == [len(y) for _, y in found]
    assert [len(X) for X, _ in found] == [rows] * (n // rows) + [n % rows] * (n % rows > 0)


@every_source
@quick
@given(n=st.integers(1, 40), sizes=sizes, asked=st.lists(st.integers(1, 50), max_size=3))
def test_head_gives_the_first_objects_and_loses_none(tmp_path, make, n, sizes, asked):
    source, target = make(tmp_path, n, sizes)
    batches = gm.Batches(source, target, rows=4)
    for k in asked:
        X, y = batches.head(k)
        assert np.array_equal(X, numbers(n)[0][:k])
        assert np.array_equal(y, numbers(n)[1][:k])
    assert np.array_equal(together(batches)[0], numbers(n)[0])


@every_source
def test_what_is_known_without_reading_is_said(tmp_path, make):
    batches = gm.Batches(*make(tmp_path, 9, [4]), rows=2)
    assert batches.once == (make in ONCE)
    assert batches.count == (None if make in COUNTLESS else 9)
    assert batches.feature_names == (None if make in NAMELESS else ("a", "b"))
    assert len(list(batches)) == 5


@every_source
def test_only_an_iterator_cannot_be_gone_through_again(tmp_path, make):
    batches = gm.Batches(*make(tmp_path, 9, [4]))
    first = together(batches)[0]
    if make in ONCE:
        for again in (partial(iter, batches), partial(batches.head, 1), partial(batches.sample, 1)):
            with pytest.raises(RuntimeError, match="once only: pass a function that returns a new one"):
                again()
    else:
        assert np.array_equal(together(batches)[0], first)


@every_source
@pytest.mark.parametrize("n", [1, 7, 30, 99])
def test_a_sample_has_other_objects_with_their_targets_in_ascending_order(tmp_path, make, n):
    batches = gm.Batches(*make(tmp_path, 30, [4, 0, 2]), rows=5)
    X, y = batches.sample(n, rng=0)
    places = X[:, 0] / 2
    assert len(X) == len(y) == min(n, 30)
    assert np.all(np.diff(places) > 0)
    assert np.array_equal(y, places + 0.5)
    if make in ONCE:
        assert np.array_equal(places, np.arange(min(n, 30)))
        assert np.array_equal(together(batches)[0], numbers(30)[0])
    else:
        assert np.array_equal(X, batches.sample(n, rng=0)[0])


@pytest.mark.parametrize("make", [from_array, from_function])
@pytest.mark.parametrize("n", [1, 5, 25])
def test_a_sample_is_uniform(tmp_path, make, n):
    N, draws, rng = 40, 1500, np.random.default_rng(7)
    batches = gm.Batches(*make(tmp_path, N, [3]), rows=6)
    hits = np.zeros(N)
    for _ in range(draws):
        hits[(batches.sample(n, rng)[0][:, 0] / 2).astype(int)] += 1
    expected = draws * n / N
    # Draws without replacement vary less, by (N − n) / (N − 1).
    statistic = np.sum((hits - expected) ** 2) / expected * (N - 1) / (N - n)
    assert chi2.ppf(0.001, N - 1) < statistic < chi2.ppf(0.999, N - 1)


def test_a_sample_in_one_pass_does_not_depend_on_the_batches():
    found = [gm.Batches(from_function(None, 200, [k])[0]).sample(10, rng=3)[0] for k in (1, 7, 200)]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


@quick
@given(words=st.lists(st.text(max_size=3), min_size=1), sizes=sizes, rows=st.integers(1, 9))
def test_objects_come_in_lists(words, sizes, rows):
    for source in (words, tuple(words), lambda: (words[part] for part in chunks(len(words), sizes))):
        found = [X for X, y in gm.Batches(source, rows=rows)]
        assert found == [words[i : i + rows] for i in range(0, len(words), rows)]


def test_arrays_of_objects_stay_arrays():
    words = np.array(["a", "bc", "d"], dtype=object)
    found = [X for X, _ in gm.Batches(words, rows=2)]
    assert [X.tolist() for X in found] == [["a", "bc"], ["d"]]
    assert gm.Batches(words).sample(3, 0)[0].tolist() == ["a", "bc", "d"]
    nodes = np.arange(5)
    assert [X.dtype for X, _ in gm.Batches(nodes)] == [nodes.dtype]


@pytest.mark.parametrize(
    ("given", "found"),
    [("f4", "f4"), ("f2", "f4"), ("f8", "f8"), ("i4", "f8"), ("u1", "f8"), ("?", "f8")],
)
def test_numbers_become_floats_and_float32_stays(given, found):
    X = np.ones((3, 2), given)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    for source in (X, frame, lambda: iter([X, X]), lambda: iter([frame])):
        assert [batch.dtype for batch, _ in gm.Batches(source)] == [np.dtype(found)]
    mixed = pd.DataFrame({"a": X[:, 0], "b": np.ones(3)})
    assert gm.Batches(mixed).head(1)[0].dtype == np.float64


def test_batches_of_an_array_in_memory_are_views_and_those_of_a_mapped_one_are_not(tmp_path):
    X = from_array(tmp_path, 6, [])[0]
    mapped = from_memmap(tmp_path, 6, [])[0]
    assert all(np.shares_memory(X, found) for found, _ in gm.Batches(X, rows=4))
    for found, _ in gm.Batches(mapped, rows=4):
        assert type(found) is np.ndarray
        assert not np.shares_memory(mapped, found)


def test_a_stream_may_use_its_memory_again():
    def stream():
        memory = np.empty((3, 1))
        for start in range(0, 12, 3):
            memory[:] = np.arange(start, start + 3)[:, None]
            yield memory, memory[:, 0]

    batches = gm.Batches(stream(), rows=5)
    batches.head(7)
    X, y = together(batches)
    assert X[:, 0].tolist() == y.tolist() == list(range(12))


def test_the_first_batch_of_a_stream_is_read_when_it_is_asked_for_and_not_before():
    read = []

    def stream():
        for start in range(0, 9, 3):
            read.append(start)
            yield [str(start)] * 3

    batches = gm.Batches(stream(), rows=3)
    assert read == []
    batches.head(2)
    assert read == [0]
    next(iter(batches))
    assert read == [0]


def test_any_other_iterable_is_one_of_batches():
    class Loader:
        def __iter__(self):
            return iter([(["a"], [0]), (["b", "c"], [1, 2])])

    batches = gm.Batches(Loader())
    assert not batches.once
    for _ in range(2):
        ((X, y),) = batches
        assert (X, y.tolist()) == (["a", "b", "c"], [0, 1, 2])


def test_a_pair_may_have_no_target():
    assert list(gm.Batches(lambda: iter([(["a"], None), (["b"], None)]))) == [(["a", "b"], None)]


@pytest.mark.parametrize("make", [from_function_of_frames, from_pandas, from_polars, *ARROW])
def test_columns_make_X_in_the_order_they_are_named(tmp_path, make):
    X, y = gm.Batches(make(tmp_path, 5, [2])[0], "a", columns=["y", "b"]).head(5)
    assert np.array_equal(X, np.column_stack([numbers(5)[1], numbers(5)[0][:, 1]]))
    assert np.array_equal(y, numbers(5)[0][:, 0])
    assert y.flags.writeable
    alone = gm.Batches(make(tmp_path, 5, [2])[0], columns="b")
    assert np.array_equal(alone.head(5)[0], numbers(5)[0][:, 1:])
    assert alone.feature_names == ("b",)


TABLES = [pd.DataFrame, pl.DataFrame]


def mixed(kind):
    columns = {"a": [1.0, 2.5, 3.0], "n": [2**60, 2**60 + 1, 3], "s": ["ACGT", "CGT", "AA"], "y": ["u", "v", "u"]}
    if kind == "arrow":
        import pyarrow as pa

        table = pa.table(columns)
        return table.set_column(3, "y", table["y"].dictionary_encode())
    return kind(columns)


every_table = pytest.mark.parametrize("kind", [*TABLES, pytest.param("arrow", marks=needs_arrow)])


@every_table
def test_one_column_of_texts_is_a_list_of_strings(kind):
    found = list(gm.Batches(mixed(kind), "y", columns="s", rows=2))
    assert [X for X, _ in found] == [["ACGT", "CGT"], ["AA"]]
    assert [y.tolist() for _, y in found] == [["u", "v"], ["u"]]


@every_table
def test_columns_of_several_kinds_are_what_kernels_on_columns_take(kind):
    kernel = gm.Gaussian().on("a") + gm.Spectrum(2).on("s") + gm.Equality().on("n")
    batches = gm.Batches(mixed(kind), "y", rows=2)
    X, _ = batches.head(3)
    assert np.array_equal(kernel(X), kernel(mixed(kind).to_pandas() if kind == "arrow" else mixed(kind)))
    assert [len(X) for X, _ in batches] == [2, 1]
    assert np.array_equal(kernel(X), kernel(np.concatenate([X for X, _ in batches])))
    assert np.array_equal(kernel(X), kernel(batches.sample(9, 0)[0]))
    assert batches.feature_names == X.dtype.names == ("a", "n", "s")


@needs_arrow
def test_the_names_of_folders_are_columns(tmp_path):
    table = arrow_table(2)
    for key in (3, 1):
        (tmp_path / "all" / f"key={key}").mkdir(parents=True)
        write_parquet(table, tmp_path / "all" / f"key={key}" / "part.parquet")
    X, y = gm.Batches(tmp_path / "all", "y", columns=["key", "b"]).head(9)
    assert X.tolist() == [[1, 1], [1, 3], [3, 1], [3, 3]]
    assert y.tolist() == [0.5, 1.5, 0.5, 1.5]


@needs_arrow
def test_files_of_a_folder_may_have_other_types_and_orders_of_columns(tmp_path):
    import pyarrow as pa

    write_parquet(pa.table({"a": [1.5], "b": [2]}), tmp_path / "all" / "1.parquet")
    write_parquet(pa.table({"b": pa.array([4], pa.int8()), "a": pa.array([3], pa.int32())}), tmp_path / "all" / "2.pq")
    assert gm.Batches(tmp_path / "all").head(9)[0].tolist() == [[1.5, 2], [3, 4]]
    write_parquet(pa.table({"a": [5.0]}), tmp_path / "all" / "3.parquet")
    refused("column 'b' has no value in row 2", lambda: list(gm.Batches(tmp_path / "all")))


@needs_arrow
def test_the_filter_of_a_dataset_is_kept(tmp_path):
    from pyarrow import dataset

    chosen = dataset.dataset(write_parquet(arrow_table(9), tmp_path / "x.parquet")).filter(dataset.field("a") > 7)
    assert gm.Batches(chosen, "y").head(9)[1].tolist() == [4.5, 5.5, 6.5, 7.5, 8.5]


@needs_arrow
def test_decimals_are_numbers():
    import pyarrow as pa

    table = pa.table({"a": pa.array([1.5, 2.5]).cast(pa.decimal128(9, 2)), "b": [1, 2]})
    assert gm.Batches(table).head(2)[0].tolist() == [[1.5, 1], [2.5, 2]]


def test_it_is_printed_by_its_source(tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, np.zeros((1200, 1)))
    assert repr(gm.Batches(path)) == f"Batches of {str(path)!r}, 1,200 objects, 65,536 at a time"
    assert repr(gm.Batches(["a"], rows=3)) == "Batches of the list, 1 object, 3 at a time"
    assert repr(gm.Batches(iter([["a"]]))) == "Batches of the iterator, 65,536 at a time"
    assert repr(gm.Batches(lambda: iter([["a"]]))) == "Batches of the function, 65,536 at a time"


# Memory

READ = """
import sys, tracemalloc
import gramian as gm
batches = gm.Batches(sys.argv[1], rows=8192)
tracemalloc.start()
total = sum(len(X) for X, _ in batches)
arrow = sys.modules.get("pyarrow")
print(total, tracemalloc.get_traced_memory()[1], arrow.default_memory_pool().max_memory() if arrow else 0)
"""


def peak(path):
    """Return how many objects a process of its own has read, and the most bytes NumPy and Arrow held."""
    ran = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True)
    count, numpy_bytes, arrow_bytes = map(int, ran.stdout.split())
    return count, numpy_bytes + arrow_bytes


def test_a_mapped_array_is_never_in_memory_as_a_whole(tmp_path):
    array = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float64, (1_000_000, 25))
    array.flush()
    assert (tmp_path / "X.npy").stat().st_size > 200e6
    count, most = peak(tmp_path / "X.npy")
    assert count == 1_000_000
    assert most < 4 * 8192 * 25 * 8


@needs_arrow
def test_a_parquet_file_is_never_in_memory_as_a_whole_though_it_is_one_row_group(tmp_path):
    import pyarrow as pa

    rng = np.random.default_rng(0)
    path = write_parquet(
        pa.table({f"c{i}": rng.random(1_000_000) for i in range(25)}), tmp_path / "big.parquet", rows=1_000_000
    )
    assert path.stat().st_size > 200e6
    count, most = peak(path)
    assert count == 1_000_000
    assert most < 100e6


# What is refused


def refused(words, make, error=ValueError):
    with pytest.raises(error, match=re.escape(words)) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    for name in ("none.parquet", "none.npy", "none"):
        refused(f"{tmp_path / name}: no such file", lambda name=name: gm.Batches(tmp_path / name), FileNotFoundError)
    refused("y.npy: no such file", lambda: gm.Batches(np.ones((2, 1)), tmp_path / "y.npy"), FileNotFoundError)


def test_an_unknown_suffix_is_told_those_that_are_understood(tmp_path):
    (tmp_path / "x.dat").write_text("a,b\n1,2\n")
    refused(
        f"{tmp_path / 'x.dat'}: a file with the suffix '.dat'; one of .parquet, .pq, .arrow, .feather, .ipc, .npy",
        lambda: gm.Batches(str(tmp_path / "x.dat")),
    )


def test_a_folder_without_parquet_is_named(tmp_path):
    (tmp_path / "x.dat").touch()
    refused(f"{tmp_path}: a folder with no Parquet file", lambda: gm.Batches(tmp_path))


@pytest.mark.parametrize("keep", [0, 5, 150, -8])
def test_a_truncated_npy_file_is_named(tmp_path, keep):
    path = tmp_path / "X.npy"
    np.save(path, np.ones((20, 3)))
    path.write_bytes(path.read_bytes()[:keep])
    refused(f"{path}: not a whole .npy file", lambda: gm.Batches(path))


@needs_arrow
@pytest.mark.parametrize("keep", [0, 5, 150, -8])
@pytest.mark.parametrize("make", [from_parquet, from_feather])
def test_a_truncated_arrow_file_is_named(tmp_path, make, keep):
    path, _ = make(tmp_path, 20, [5])
    path.write_bytes(path.read_bytes()[:keep])
    refused(f"{path}: broken, or of another kind", lambda: gm.Batches(path))


@needs_arrow
def test_a_broken_file_in_a_folder_is_named(tmp_path):
    folder, _ = from_folder(tmp_path, 20, [5])
    path = folder / "002.parquet"
    path.write_bytes(path.read_bytes()[:-8])
    refused("002.parquet: broken", lambda: list(gm.Batches(folder, "y")))
    refused(f"{folder}: broken", lambda: gm.Batches(folder, "y").count)


@needs_arrow
def test_a_broken_page_is_told_as_one(tmp_path):
    path = write_parquet(arrow_table(20_000), tmp_path / "x.parquet", rows=20_000)
    content = bytearray(path.read_bytes())
    content[4:4000] = bytes(3996)
    path.write_bytes(content)
    refused(f"{path}: broken", lambda: list(gm.Batches(path)))


def test_pyarrow_is_asked_for_by_name(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name in ("x.parquet", "x.feather"):
        (tmp_path / name).touch()
        refused("pip install pyarrow", lambda name=name: gm.Batches(tmp_path / name), ImportError)


def test_importing_batches_does_not_load_pyarrow(tmp_path):
    np.save(tmp_path / "X.npy", np.ones((2, 2)))
    code = "import sys, gramian as gm; list(gm.Batches(sys.argv[1])); sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path / "X.npy")]).returncode == 0


@every_table
def test_unknown_columns_are_told_those_that_exist(kind):
    for arguments in ({"target": "price"}, {"columns": ["a", "price"]}):
        refused("no column 'price'; it has 'a', 'n', 's', 'y'", lambda kw=arguments: gm.Batches(mixed(kind), **kw))
    refused("the target 'y' is among the columns", lambda: gm.Batches(mixed(kind), "y", columns=["a", "y"]))
    refused("the column 'a' more than once", lambda: gm.Batches(mixed(kind), columns=["a", "a"]))
    refused("names of columns expected", lambda: gm.Batches(mixed(kind), columns=[]))


def test_arrays_have_no_names():
    X = numbers(3)[0]
    for arguments in ({"target": "price"}, {"columns": ["price"]}):
        refused("no column 'price', as columns have no names", lambda kw=arguments: gm.Batches(X, **kw))
        refused("no column 'price'", lambda kw=arguments: list(gm.Batches(lambda: iter([X]), **kw)))


def test_a_target_is_as_long_as_the_source(tmp_path):
    X, y = numbers(5)
    refused("the array: 5 objects, and 4 values in the target", lambda: gm.Batches(X, y[:4]))
    for wrong in (4, 6):
        target = np.arange(wrong)
        refused(f"and {wrong} values in the target", lambda y=target: list(gm.Batches(lambda: iter([X[:3], X[3:]]), y)))
    np.save(tmp_path / "y.npy", y[:4])
    refused("and 4 values", lambda: gm.Batches(X, tmp_path / "y.npy"))
    refused("batches are pairs", lambda: list(gm.Batches(lambda: iter([(X, y)]), y)))
    refused("target is ragged", lambda: gm.Batches(X, [[1], [2, 3]]))
    refused("target has 0 dimension(s)", lambda: gm.Batches(X, 3))


@every_table
def test_a_missing_value_is_told_by_column_and_row_of_the_whole_source(kind):
    columns = {"a": [1.0, 2.0, 3.0, None], "s": ["x", None, "y", "z"], "b": [1.0, 2.0, 3.0, 4.0]}
    if kind == "arrow":
        import pyarrow as pa

        kind = pa.table
    table = kind(columns)
    refused("column 'a' has no value in row 3", lambda: list(gm.Batches(table, columns=["b", "a"], rows=2)))
    refused("column 's' has no value in row 1", lambda: list(gm.Batches(table, columns="s")))
    refused("column 's' has no value in row 1", lambda: list(gm.Batches(table, columns=["b", "s"])))
    refused("column 'a' has no value in row 3", lambda: list(gm.Batches(table, "a", columns="b", rows=3)))
    refused("column 'a' has no value in row 3", lambda: gm.Batches(table, columns="a").sample(4, 0))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_number_that_is_not_finite_is_told_by_its_row(bad):
    X, y = numbers(9)
    X[7, 1] = bad
    refused(f"the array: column 1 holds {bad} in row 7", lambda: list(gm.Batches(X, rows=2)))
    refused(f"the function: column 1 holds {bad} in row 7", lambda: list(gm.Batches(lambda: iter([X[:5], X[5:]]))))
    refused("in row 7", lambda: gm.Batches(X).sample(9, 0))
    y[4] = bad
    refused(f"the target holds {bad} in row 4", lambda: list(gm.Batches(X[:5], y[:5], rows=3)))
    if bad == np.inf:
        frame = pl.DataFrame({"a": X[:, 1]})
        refused("column 'a' holds inf in row 7", lambda: list(gm.Batches(frame, rows=2)))


A, B = np.ones((2, 2)), np.ones((2, 3))
FRAME = pd.DataFrame({"a": [1.0], "b": [2.0]})


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        ([A, [], B], "batch 2 is 3 columns of float64, and batch 0 was 2 columns of float64"),
        ([A, A, A.astype("f4")], "batch 2 is 2 columns of float32, and batch 0"),
        ([A, ["a"]], "batch 1 is a list of str, and batch 0"),
        ([[], ["a"], [1]], "batch 2 is a list of int, and batch 1 was a list of str"),
        ([(A, [1, 2]), A], "batch 1 is 2 columns of float64, and batch 0 was 2 columns of float64 with a target"),
        ([(A, [1, 2]), (A, ["u", "v"])], "with a target of str, and batch 0"),
        ([FRAME, FRAME.rename(columns={"b": "c"})], "batch 1 is 2 columns of float64 named 'a', 'c', and batch 0"),
        ([FRAME, A], "batch 1 is 2 columns of float64, and batch 0 was 2 columns of float64 named 'a', 'b'"),
        ([FRAME.assign(s="x"), FRAME.assign(s=1)], "and batch 0 was records of a (float64), b (float64), s (object)"),
    ],
)
def test_batches_that_are_not_alike_are_told_by_their_number(stream, words):
    refused(words, lambda: list(gm.Batches(lambda: iter(stream), rows=1)))


@pytest.mark.parametrize(
    ("batch", "words", "error"),
    [
        ("abc", "batch 1 is a str; an array, a list of objects, a table", TypeError),
        (("ab", "cd"), "batch 1 is a str", TypeError),
        (3, "batch 1 is a int", TypeError),
        ({"a": [1]}, "batch 1 is a dict", TypeError),
        (csr_array(A), "batch 1 is a csr_array", TypeError),
        ((A, A, A), "batch 1 is a tuple of length 3; a pair (X, y) expected", TypeError),
        ((A, [1]), "batch 1 is a pair of 2 objects and 1 values", ValueError),
        (np.ones(2), "numbers of 1 dimension(s), 2 expected", ValueError),
        (np.ones((2, 2, 2)), "numbers of 3 dimension(s), 2 expected", ValueError),
        (np.ones((2, 0)), "no column", ValueError),
        (A.astype(complex), "complex", TypeError),
        (np.array([["a", "b"]]), "real numbers expected", TypeError),
        (np.ma.masked_equal(A, 1), "masked entries", ValueError),
    ],
)
def test_what_is_no_batch_is_told_by_its_number(batch, words, error):
    refused(words, lambda: list(gm.Batches(iter([A, batch]))), error)


@pytest.mark.parametrize("empty", [[], np.ones((0, 3)), pd.DataFrame({"a": []}), iter([]), lambda: iter([[], []])])
def test_an_empty_source_is_an_error(empty):
    refused("no objects; at least one expected", lambda: list(gm.Batches(empty)))


@needs_arrow
def test_an_empty_file_is_an_error(tmp_path):
    path = write_parquet(arrow_table(0), tmp_path / "x.parquet")
    for use in (list, lambda batches: batches.head(2), lambda batches: batches.sample(2)):
        refused(f"{path}: no objects", lambda use=use: use(gm.Batches(path, "y")))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (3, "source is a int"),
        ({"a": [1]}, "source is a dict"),
        (b"x.npy", "source is a bytes"),
        (None, "source is a NoneType"),
        ([A, A], "source is a list of ndarrays, and a list is taken as one of objects"),
        ((A, A), "for a pair, Batches(X, y)"),
        ([FRAME], "source is a list of DataFrames"),
        (pl.LazyFrame({"a": [1]}), "source is a LazyFrame"),
        (lambda: A, "the function returned a ndarray; an iterator of batches expected"),
        (lambda: 3, "the function returned a int"),
    ],
)
def test_what_is_no_source_is_refused(source, words):
    refused(words, lambda: list(gm.Batches(source)), TypeError)


@pytest.mark.parametrize("rows", [0, -1, 2.0, True, "all"])
def test_rows_is_a_whole_number(rows):
    refused("rows is", lambda: gm.Batches(["a"], rows=rows), (TypeError, ValueError))


def test_times_are_refused():
    frame = pd.DataFrame({"when": pd.to_datetime(["2020-01-01"]), "a": [1.0]})
    refused("column 'when' holds datetime64", lambda: list(gm.Batches(frame)), TypeError)


def test_a_stream_that_broke_in_head_does_not_pass_for_a_short_one():
    def stream():
        yield ["a"]
        raise OSError("the line is dead")

    batches = gm.Batches(stream())
    batches.head(1)
    refused("the line is dead", lambda: batches.head(2), OSError)
    refused("once only", lambda: list(batches), RuntimeError)
