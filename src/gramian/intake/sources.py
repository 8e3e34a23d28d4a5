"""Where batches come from: files, arrays, tables, functions and iterators, each as one small `Source`.

A source gives raw batches from the beginning, as large as is cheap for it; `batches` makes objects of them and
cuts them to size. Files are opened here, so that a missing, broken or unknown one is told at once, by its name.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from gramian.checks import Array, at_hand
from gramian.intake.lines import STEP, Lines, TextRows, decoded, of_table, of_texts, require_same
from gramian.intake.rows import Rows, is_table, names_of

Names: TypeAlias = tuple[str, ...] | None

_PARQUET = (".parquet", ".pq")
_IPC = (".arrow", ".feather", ".ipc")
TABLES = (".csv", ".tsv")
TEXTS = (".txt",)
_TEXTS = ("string", "large_string")
_LEVEL = re.compile(r"__index_level_\d+__")
SETTLING = 64  # runs of rows of a table in text, from everywhere, by which it is settled what columns hold
_BUFFER = 2**16  # bytes of a column chunk read at a time; without it Arrow holds a row group, often the whole file


@dataclass(frozen=True)
class Chunk:
    """The pages of one column in a group of rows of a Parquet file."""

    path: str
    group: int
    start: int
    size: int
    column: str
    unpacked: int  # bytes, as the footer says


@dataclass(frozen=True)
class Source:
    """Raw batches, and what is known of them without reading them.

    `open(rows, columns)` starts from the beginning; a table may leave out all but those columns. `take` gives any rows,
    where the source can be indexed.
    """

    name: str | Path
    open: Callable[[int, Names], Iterator[Any]]
    counted: Callable[[], int | None] = lambda: None
    take: Callable[[Rows], Any] | None = None
    columns: Names = None
    types: tuple[Any, ...] = ()  # of these columns, as Arrow calls them
    between: Callable[[int, int, Names], Iterator[Any]] | None = None  # some rows, where these can be gone to
    chunks: Callable[[Names], Iterator[Chunk]] = lambda columns: iter(())  # of a Parquet file
    texts: TextTable | None = None  # of text files: where their rows are, and what they hold
    index: tuple[str, ...] = ()  # columns that are the index of a data frame, and no features
    named: bool = True  # whether its batches may have named columns
    once: bool = False

    @cached_property
    def count(self) -> int | None:
        """The number of objects; asked when it is needed, as a folder of files takes a look at each of them."""
        return self.counted()

    def part(self, start: int, stop: int, columns: Names = None) -> Iterator[Any]:
        """Go through some rows: past those before them where the source cannot be entered in between."""
        if self.between is not None:
            yield from self.between(start, stop, columns)
            return
        row = 0
        for raw in self.open(stop - start, columns):
            some = pick(raw, range(max(start - row, 0), max(min(stop - row, len(raw)), 0)))
            row += len(raw)
            if len(some):
                yield some
            if row >= stop:
                return


def as_source(source: Any) -> Source:
    """Return what was given as a source, whatever it is."""
    at_hand(source)
    if isinstance(source, str | os.PathLike):
        return of_path(Path(source))
    if isinstance(source, np.ndarray | list | tuple) or is_table(source):
        return _held(
            _objects(source), "the array" if isinstance(source, np.ndarray) else f"the {type(source).__name__}"
        )
    if hasattr(source, "scanner"):
        return _of_dataset(source)
    if hasattr(source, "read_next_batch"):
        name = f"the {type(source).__name__}"
        return Source(name, lambda rows, columns: iter(source), columns=tuple(source.schema.names), once=True)
    if callable(source):
        return Source("the function", lambda rows, columns: _called(source))
    if isinstance(source, Iterable) and not isinstance(source, bytes | Mapping):
        once = isinstance(source, Iterator)
        return Source(
            "the iterator" if once else f"the {type(source).__name__}", lambda rows, columns: iter(source), once=once
        )
    raise TypeError(
        f"source is a {type(source).__name__}; the name of a file, an array, a list of objects, a table, an iterator "
        "of batches, or a function that returns one expected"
    )


def load_npy(path: Path) -> Array:
    """Return the array of a .npy file without reading it: its rows are read when they are asked for."""
    try:
        return np.asanyarray(np.lib.format.open_memmap(_existing(path), mode="r"))
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path}: not a whole .npy file that can be read in parts ({error}); write it again") from None


def pick(X: Any, rows: Rows) -> Any:
    """Return some objects of a collection: views where they follow each other in an array in memory, else copies."""
    if isinstance(rows, range):
        if hasattr(X, "slice") and hasattr(X, "take"):
            return X.slice(rows.start, len(rows))
        part = slice(rows.start, rows.stop)
        found = X.iloc[part] if hasattr(X, "iloc") else X[part]
        return np.array(found) if isinstance(found, np.memmap) else found
    if isinstance(X, list | tuple):
        return [X[row] for row in rows.tolist()]
    if isinstance(X, np.ndarray):
        return np.asarray(X[rows])
    return X.iloc[rows] if hasattr(X, "iloc") else X.take(rows) if hasattr(X, "take") else X[rows]


def _objects(X: Any) -> Any:
    """Return a collection of objects, and refuse one of batches: which of the two a list is, nobody could tell."""
    if isinstance(X, list | tuple):
        if len(X) and (is_table(X[0]) or getattr(X[0], "ndim", 0) > 1):
            raise TypeError(
                f"source is a {type(X).__name__} of {type(X[0]).__name__}s, and a list is taken as one of objects: for "
                "batches pass a function that returns their iterator, lambda: iter(batches); for a pair, Batches(X, y)"
            )
        return list(X)
    return X


def _held(X: Any, name: str | Path) -> Source:
    """Return the source of a collection that can be indexed."""

    def batches(rows: int, columns: Names) -> Iterator[Any]:
        for start in range(0, len(X), rows):
            yield pick(X, range(start, min(start + rows, len(X))))

    table = is_table(X)
    columns = names_of(X) if table else None
    return Source(name, batches, lambda: len(X), lambda rows: pick(X, rows), columns, named=table)


def _called(function: Callable[[], Any]) -> Iterator[Any]:
    found = function()
    if isinstance(found, np.ndarray | str | bytes | Mapping) or is_table(found) or not isinstance(found, Iterable):
        raise TypeError(f"the function returned a {type(found).__name__}; an iterator of batches expected")
    return iter(found)


def of_path(path: Path, format: str | None = None, shared: bool = False) -> Source:
    """Return the source of a file or folder, by its suffix unless the format is known.

    `shared` asks for texts of Parquet as dictionaries, in which equal ones lie once.
    """
    _existing(path)
    suffix = path.suffix.lower()
    if path.is_dir() and format is None and (files := text_files(path)):
        return _of_text(path, files)
    if path.is_dir():
        return _of_parquet(path, _parquet_files(path), shared)
    if format == "parquet" or (format is None and suffix in _PARQUET):
        return _of_parquet(path, [path], shared)
    if format == "arrow" or (format is None and suffix in _IPC):
        return _of_ipc(path)
    if suffix == ".npy":
        return _held(load_npy(path), path)
    if format is None and suffix in (*TABLES, *TEXTS):
        return _of_text(path, [path])
    known = ", ".join([*_PARQUET, *_IPC, ".npy", *TABLES, *TEXTS])
    raise ValueError(
        f"{path}: a file with the suffix {suffix!r}; one of {known} expected, or a folder of Parquet or CSV files, or "
        "of texts"
    )


def text_files(folder: Path) -> list[Path]:
    """Return the tables in text below a folder, or else the texts; nothing if it holds Parquet files."""
    for kinds in (_PARQUET, TABLES, TEXTS):
        if found := _files(folder, kinds):
            return [] if kinds is _PARQUET else found
    return []


def _of_text(path: Path, files: list[Path]) -> Source:
    """Return the source of tables in text, of the lines of a file, or of the texts of a folder."""
    if files[0].suffix.lower() in TEXTS and path.is_dir():
        return _held(Files(files), path)
    rows = of_texts(path) if files[0].suffix.lower() in TEXTS else of_table(path, files)
    texts = TextTable(rows)
    named = rows.names is not None
    return Source(path, texts.open, rows.count, None, rows.names, between=texts.between, texts=texts, named=named)


@dataclass(frozen=True)
class TextTable:
    """The rows of text files as raw batches: of tables those of Arrow, else lists of texts.

    What the columns of a table hold is settled once, by rows from everywhere.
    """

    rows: TextRows
    _known: dict[str, Any] = field(default_factory=dict, compare=False)

    def open(self, rows: int, columns: Names) -> Iterator[Any]:
        """Go through all rows."""
        for start in range(0, self.rows.count(), rows):
            yield from self.between(start, start + rows, columns)

    def between(self, start: int, stop: int, columns: Names) -> Iterator[Any]:
        """Give some rows."""
        found = self.rows.some(start, stop)
        if self.rows.names is None:
            yield [decoded(row, self.rows.path) for row in found.rows]
            return
        types = self.types
        chosen = columns or tuple(types)
        with _reading(self.rows.path):
            table = self._parsed(found, {name: types[name] for name in chosen}, chosen)
        require_same(len(table), len(found), self.rows.path)
        yield table

    @property
    def types(self) -> dict[str, Any]:
        """What the columns hold, as Arrow calls it; of dates their texts."""
        if not self._known:
            types, count = load_arrow().types, self.rows.count()
            run = STEP // 4
            spread = range(0, count, max(run, -(-count // SETTLING)))
            runs = [self.rows.some(start, min(start + run, count)) for start in spread]
            with _reading(self.rows.path):
                schema = self._parsed(runs[0].concat(runs[1:]), {}, self.rows.names or ()).schema
            for one in schema:
                plain = types.is_floating(one.type) or types.is_integer(one.type) or types.is_boolean(one.type)
                self._known[one.name] = one.type if plain else load_arrow().string()
        return self._known

    def settled(self) -> None:
        """Settle what is settled once."""
        if self.rows.names is not None and self.rows.count():
            self.types  # noqa: B018

    def _parsed(self, some: Lines, types: dict[str, Any], columns: tuple[str, ...]) -> Any:
        arrow = load_arrow()
        found = arrow.csv.read_csv(
            arrow.py_buffer(replace(some, head=b"").text()),
            arrow.csv.ReadOptions(column_names=list(self.rows.names or ())),
            arrow.csv.ParseOptions(delimiter=self.rows.mark, newlines_in_values=True),
            arrow.csv.ConvertOptions(column_types=types, include_columns=list(columns)),
        )
        return found.combine_chunks()  # as one batch


class Files:
    """Texts, each of which is a file that is read when it is asked for."""

    def __init__(self, paths: list[Path]) -> None:
        self._paths = paths

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, rows: slice) -> list[str]:
        """Return some of the texts."""
        return [_read_text(path) for path in self._paths[rows]]

    def take(self, rows: Array) -> list[str]:
        """Return the texts of some places."""
        return [_read_text(self._paths[row]) for row in rows.tolist()]


def _read_text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: bytes that are no UTF-8 ({error.reason}); write it again as UTF-8") from None


def _existing(path: Path) -> Path:
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder; check the name, which is relative to {Path.cwd()}")
    if not path.is_file() and not path.is_dir():
        raise ValueError(f"{path}: a pipe or a device, which can be read once only or never ends; a file expected")
    return path


def _parquet_files(folder: Path) -> list[Path]:
    """Return the Parquet files below a folder in the order of their paths, without those that writers hide."""
    found = _files(folder, _PARQUET)
    if not found:
        raise ValueError(f"{folder}: a folder with no Parquet file ({', '.join(_PARQUET)}) in it or below")
    return found


def _files(folder: Path, kinds: tuple[str, ...]) -> list[Path]:
    """Return the files of some suffixes below a folder in the order of their paths, but for hidden ones."""
    below = (file.relative_to(folder) for file in folder.rglob("*") if file.suffix.lower() in kinds and file.is_file())
    names = sorted(name.as_posix() for name in below if not any(part[0] in "._" for part in name.parts))
    return [within(folder, folder / name) for name in names]


def within(folder: Path, file: Path) -> Path:
    """Return a file of a folder, and refuse a link that leads out of it: a folder must not make others readable."""
    target = file.resolve()
    if not target.is_relative_to(folder.resolve()):
        raise ValueError(
            f"{file}: a link to {target}, which is not in the folder {folder}; links are followed within the folder "
            "only: put the file itself there, or name the folder that it lies in"
        )
    return file


def _of_parquet(path: Path, files: list[Path], shared: bool) -> Source:
    """Return the source of Parquet files, which are read page by page; folders "key=value" are columns."""
    arrow = _load_datasets()
    with _reading(path):
        dataset = arrow.dataset.dataset(
            [str(file) for file in files],
            format="parquet",
            partitioning="hive" if path.is_dir() else None,
            partition_base_dir=str(path) if path.is_dir() else None,
        )
    schema = dataset.schema

    def batches(rows: int, columns: Names) -> Iterator[Any]:
        fields = [schema.field(name) for name in columns or schema.names]
        for fragment in dataset.get_fragments():
            with _reading(Path(fragment.path)):
                yield from _of_fragment(fragment, fields, rows, shared)

    def between(start: int, stop: int, columns: Names) -> Iterator[Any]:
        fields = [schema.field(name) for name in columns or schema.names]
        for fragment, groups, first in _groups(dataset, start, stop):
            with _reading(Path(fragment.path)):
                for batch in _of_fragment(fragment, fields, stop - start, shared, groups):
                    part = batch.slice(max(start - first, 0), stop - max(start, first)) if stop > first else batch[:0]
                    first += batch.num_rows
                    if part.num_rows:
                        yield part

    def count() -> int:
        with _reading(path):
            return int(dataset.count_rows())

    def chunks(columns: Names) -> Iterator[Chunk]:
        with _reading(path):
            for fragment in dataset.get_fragments():
                yield from _chunks(fragment, columns)

    names, types = tuple(schema.names), tuple(schema.types)
    return Source(
        path,
        batches,
        count,
        None,
        names,
        types,
        between=between,
        chunks=chunks,
        index=_index_of(schema),
    )


def _chunks(fragment: Any, columns: Names) -> Iterator[Chunk]:
    """Go through the columns of the groups of rows of a Parquet file."""
    wanted = None if columns is None else frozenset(columns)
    for group in range(fragment.metadata.num_row_groups):
        header = fragment.metadata.row_group(group)
        for place in range(header.num_columns):
            column = header.column(place)
            if not column.num_values:
                continue
            name = column.path_in_schema.partition(".")[0]
            if wanted is None or name in wanted:
                first = column.dictionary_page_offset if column.has_dictionary_page else None
                start = column.data_page_offset if first is None else min(first, column.data_page_offset)
                size, unpacked = column.total_compressed_size, column.total_uncompressed_size
                yield Chunk(fragment.path, group, start, size, name, unpacked)


def _index_of(schema: Any) -> tuple[str, ...]:
    """Return the columns that pandas has written for the index of a data frame, as it says beside the table."""
    try:
        said = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))["index_columns"]
        names = {name for name in said if isinstance(name, str)}
    except (ValueError, KeyError, TypeError, RecursionError):
        names = set()
    found = tuple(name for name in schema.names if name in names or _LEVEL.fullmatch(name))
    return found if len(found) < len(schema.names) else ()


def _groups(dataset: Any, start: int, stop: int) -> Iterator[tuple[Any, list[int], int]]:
    """Find the groups that some rows are in: the file, their numbers, and the first row of the first of them."""
    row = 0
    for fragment in dataset.get_fragments():
        with _reading(Path(fragment.path)):
            said = fragment.metadata
            first, groups = row, []
            for group in range(said.num_row_groups):
                size = said.row_group(group).num_rows
                if row + size <= start:
                    first = row + size
                elif row < stop:
                    groups.append(group)
                row += size
        if groups:
            yield fragment, groups, first
        if row >= stop:
            return


def _of_fragment(
    fragment: Any, fields: list[Any], rows: int, shared: bool, groups: list[int] | None = None
) -> Iterator[Any]:
    """Go through one Parquet file, or some groups of it; what it lacks is in the name of its folder, or missing."""
    arrow = _load_datasets()
    keys = arrow.dataset.get_partition_keys(fragment.partition_expression)
    names = [field.name for field in fields]
    texts = {field.name for field in fields if shared and str(field.type) in _TEXTS}
    options = {"buffer_size": _BUFFER, "pre_buffer": False, "read_dictionary": list(texts)}
    with arrow.parquet.ParquetFile(fragment.path, **options) as file:
        for batch in file.iter_batches(batch_size=rows, columns=names, row_groups=groups):
            held = dict(zip(batch.schema.names, batch.columns, strict=True))
            arrays = [
                held[field.name] if field.name in held else arrow.repeat(keys.get(field.name), batch.num_rows)
                for field in fields
            ]
            cast = [
                array if field.name in texts and field.name in held else array.cast(field.type)
                for array, field in zip(arrays, fields, strict=True)
            ]
            yield arrow.RecordBatch.from_arrays(cast, names=names)


def _of_ipc(path: Path) -> Source:
    """Return the source of an Arrow file, or of an Arrow stream under the name of one, mapped into memory."""
    arrow = load_arrow()
    with path.open("rb") as file:
        random_access = file.read(6) == b"ARROW1"

    def reader(columns: Names = None) -> Any:
        wanted = frozenset(columns or ())
        chosen = None if columns is None else [place for place, name in enumerate(names) if name in wanted]
        options = arrow.ipc.IpcReadOptions(included_fields=chosen)
        opened = arrow.ipc.open_file if random_access else arrow.ipc.open_stream
        return opened(arrow.memory_map(str(path)), options=options)

    with _reading(path):
        schema = reader().schema
        names = tuple(schema.names)

    def batches(rows: int, columns: Names) -> Iterator[Any]:
        with _reading(path):
            opened = reader(columns)
            places = range(opened.num_record_batches) if random_access else None
            yield from opened if places is None else map(opened.get_batch, places)

    def count() -> int | None:
        with _reading(path):
            ipc = _load_datasets().dataset.dataset
            return int(ipc(str(path), format="ipc").count_rows()) if random_access else None

    return Source(path, batches, count, columns=names, types=tuple(schema.types), index=_index_of(schema))


def _of_dataset(dataset: Any) -> Source:
    """Return the source of an Arrow dataset; with its filters, if it has any, and read ahead as Arrow sees fit."""
    name = f"the {type(dataset).__name__}"

    def batches(rows: int, columns: Names) -> Iterator[Any]:
        chosen = None if columns is None else list(columns)
        with _reading(name):
            yield from dataset.scanner(
                columns=chosen, batch_size=rows, batch_readahead=1, fragment_readahead=1
            ).to_batches()

    return Source(name, batches, columns=tuple(dataset.schema.names))


def load_arrow() -> Any:
    """Return pyarrow, which is loaded here and nowhere else, when the first file comes that needs it."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.csv
    except ImportError:
        raise ImportError("Parquet, Arrow and large CSV files need pyarrow: pip install pyarrow") from None
    return pyarrow


def _load_datasets() -> Any:
    load_arrow()
    import pyarrow
    import pyarrow.dataset
    import pyarrow.parquet

    return pyarrow


@contextmanager
def _reading(name: str | Path) -> Iterator[None]:
    """Say which file could not be read; Arrow's messages often do not."""
    arrow = load_arrow()
    try:
        yield
    except (arrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].split(": ")[-1].rstrip(".")
        raise ValueError(f"{name}: broken, or of another kind than its name says ({reason}); write it again") from error
