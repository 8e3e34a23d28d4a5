"""A file that workers read: pieces of its raw table, a sample of them all, and the objects a recipe makes of them.

Of a file of text the pieces are its lines below its headings, which are read as the file is on one machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from gramian.checks import Array
from gramian.intake.assembly import of_table
from gramian.intake.collections import Collection, Piece
from gramian.intake.dataset import Dataset
from gramian.intake.draws import drawn
from gramian.intake.errors import DataError, counted
from gramian.intake.inputs import at_hand
from gramian.intake.lines import Lines, TextRows, of_rows, of_texts, require_same
from gramian.intake.meanings import marks_of
from gramian.intake.memory import raw_of
from gramian.intake.openings import opening
from gramian.intake.reading import read_data
from gramian.intake.recipe import Applied, Recipe, RowNumbers
from gramian.intake.sources import TABLES, TEXTS, Source, load_arrow, of_path, pick, text_files
from gramian.intake.table import Table
from gramian.intake.targets import asked_kinds
from gramian.intake.textfile import TextFile
from gramian.places import made_of

ROWS = 65_536  # of a piece
LOOKED_AT = 20_000  # rows from which kinds, kernels and reports are settled


class Pieces:
    """Runs of rows of a file, or of a folder of Parquet or CSV files, that workers read by themselves.

    Parameters
    ----------
    path : str or path
        The file, which all workers find under the same name.
    rows : int
        How many rows make a piece.
    """

    def __init__(self, path: Any, rows: int = ROWS) -> None:
        self.path, self.rows = Path(path).absolute(), rows
        self.texts = _text_rows(self.path)
        count = of_path(self.path).count if self.texts is None else self.texts.count()
        if not count:
            raise DataError(f"{path}: {'no rows' if count == 0 else 'rows that cannot be counted'}; write it again")
        self.count = count

    @property
    def lengths(self) -> list[int]:
        """How many rows each piece has."""
        return [min(self.rows, self.count - start) for start in range(0, self.count, self.rows)]

    def made(self, function: Callable[..., Any]) -> Any:
        """Return partitions that a function makes: of a raw table, and the number of its first row."""
        if self.texts is not None:
            return made_of(partial(_lines, self.texts, self.rows, function), self.lengths)
        return made_of(partial(_piece, self.path, self.rows, self.count, function), self.lengths)

    def looked_at(self, seed: int, target: str | None, given: dict[str, Any]) -> Dataset:
        """Return the data set of rows that are drawn from all pieces."""
        places = drawn(self.count, LOOKED_AT, np.random.default_rng(seed))
        starts = np.arange(0, self.count + self.rows, self.rows)
        bounds = np.searchsorted(places, starts)
        rows = [places[a:b] - start for a, b, start in zip(bounds[:-1], bounds[1:], starts[:-1], strict=True)]
        found = self.made(_whole).some(_taken, [len(some) > 0 for some in rows], "rows, drawn", rows)
        more: dict[str, Any] = {name: given.get(name) for name in ("group", "order")}
        if self.texts is not None:
            with found[0].concat(found[1:]).file() as path:
                some: dict[str, Any] = {name: given.get(name) for name in ("kinds", "columns", "missing")}
                data = replace(read_data(path, target=target, **some, **more), source=str(self.path))
        else:
            raw = cast(Table, raw_of(_joined(found)))
            kinds, marks = asked_kinds(given.get("kinds"), target), marks_of(given.get("missing"))
            data = of_table(replace(raw, where=str(self.path)), target, kinds, given.get("columns"), marks, **more)
        note = f"{counted(len(places), 'row')} of {self.count:,}, drawn from all of them, were looked at."
        return data if len(places) == self.count else replace(data, notes=(*data.notes, note))


class Prepared(Collection):
    """The objects that a recipe makes of the pieces of a file, and their targets: those without one are left out.

    Parameters
    ----------
    pieces : Pieces
        The file.
    recipe : Recipe
        How its rows become objects.
    task : {"none", "classes", "numbers"}
        What is to be predicted; "none" takes all rows.
    """

    def __init__(self, pieces: Pieces, recipe: Recipe, task: str = "none") -> None:
        self._names, self._targets, self.rows = None, None, pieces.rows
        self._parts_of = pieces.made(partial(_prepared, recipe, task))


@lru_cache(maxsize=4)
def _source(path: Path, modified: int) -> Source:
    return of_path(path)


def _piece(path: Path, rows: int, count: int, function: Callable[..., Any], number: int) -> Any:
    """Read one piece, and call a function on it and the number of its first row."""
    source, start = _source(path, path.stat().st_mtime_ns), number * rows
    stop = min(start + rows, count)
    if source.take is not None:
        return function(source.take(range(start, stop)), start)
    arrow = load_arrow()
    return function(arrow.Table.from_batches(list(source.part(start, stop))), start)


def _text_rows(path: Path) -> TextRows | None:
    """Return the rows of a table in text, or of a folder of such, or the lines of texts; None of other files."""
    files = text_files(path) if path.is_dir() else [path]
    suffix = files[0].suffix.lower() if files else ""
    if suffix in TEXTS:
        return None if path.is_dir() else of_texts(path)
    if suffix not in TABLES or not files[0].exists():
        return None
    how = opening(TextFile.of(at_hand(files[0]), "utf-8"), suffix[1:])
    return of_rows(path, files, how.skip + how.headings)


def _lines(texts: TextRows, rows: int, function: Callable[..., Any], number: int) -> Any:
    """Read the lines of one piece, and call a function on them and the number of their first row."""
    return function(texts.some(number * rows, (number + 1) * rows), number * rows)


def applied(recipe: Recipe, table: Any, task: str) -> tuple[Applied, Array | None]:
    """Return the objects that a recipe makes of a piece, and what is known of their target."""
    if not isinstance(table, Lines):
        return recipe.apply_with_target(table, task)
    with table.file() as path:
        try:
            found, known = recipe.apply_with_target(path, task)
        except DataError as error:
            raise DataError(str(error).replace(str(path), str(table.path))) from error
    require_same(len(found.names), len(table), table.path)
    return found, known


def _whole(table: Any, start: int) -> Any:
    return table


def _taken(table: Any, start: int, rows: Array) -> Any:
    return table.take(rows) if isinstance(table, Lines) else pick(table, rows)


def _joined(tables: list[Any]) -> Any:
    if isinstance(tables[0], list):
        return [one for some in tables for one in some]
    return np.concatenate(tables) if isinstance(tables[0], np.ndarray) else load_arrow().concat_tables(tables)


def _prepared(recipe: Recipe, task: str, table: Any, start: int) -> Piece:
    """Return the objects of a raw table, and what is known of their target."""
    found, known = applied(recipe, table, task if task != "none" else "numbers")
    places = np.arange(len(found.names))
    if task == "none":
        return Piece(found.X, None, places)
    if known is None:
        raise DataError(f"no {recipe.target!r} among the columns, which is to be learnt")
    there = np.array([value is not None and value == value for value in known.tolist()], dtype=bool)
    values = known[there] if known.dtype.kind == "f" else np.array(known[there].tolist())
    return Piece(pick(found.X, np.flatnonzero(there)), values, places[there])


def names_from(names: Any, start: int) -> list[str]:
    """Return the names of the objects of a piece; rows without names are numbered through the whole file."""
    return list(RowNumbers(names._rows + start)) if isinstance(names, RowNumbers) else list(names)
