"""From a file, a collection or a bundled data set to a `Dataset`: what was asked for first, then what is guessed.

    read_data       a file or folder of any format
    from_objects    arrays, lists, records, data frames and graphs in memory
    load_example    the data that ship with the package

The objects are made by the recipe that goes with them, so that new data cannot be treated otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gramian.checks import Array, as_vectors, is_sparse
from gramian.intake.arrays import with_hidden, with_target
from gramian.intake.assembly import of_table
from gramian.intake.dataset import Dataset
from gramian.intake.errors import DataError, counted, unknown
from gramian.intake.examples import EXAMPLES
from gramian.intake.formats import read_raw
from gramian.intake.guesses import HINTS, NUMERIC
from gramian.intake.inputs import STDIN, Input, at_hand
from gramian.intake.meanings import marks_of, settle, wanted_as_text
from gramian.intake.memory import raw_of
from gramian.intake.nodes import described, of_graph, of_network
from gramian.intake.recipe import Recipe, RowNumbers
from gramian.intake.table import Network, Table
from gramian.intake.targets import asked_kinds, given_values, learnt_of, rows_with_target


def read_data(
    path: str | os.PathLike[str],
    *,
    target: str | None = None,
    format: str | None = None,
    kinds: Mapping[str, str] | None = None,
    columns: Iterable[str] | None = None,
    encoding: str = "utf-8",
    nodes: str | os.PathLike[str] | None = None,
    missing: str | Iterable[str] | None = None,
    memory: int | str | None = None,
    group: str | None = None,
    order: str | None = None,
) -> Dataset:
    r"""Return the objects of a file or folder, ready for a kernel, with every guess in `notes`.

    Parameters
    ----------
    path : str or path
        The file or folder; text may be compressed by gzip, and a file may lie alone in a ZIP archive. Of a data base
        or a spreadsheet, "file.db::table" names the table. "-" is standard input; pipes and FIFOs are read once, to
        their end, which is waited for: Ctrl-C ends the wait. Links in a folder must lead to files in it.
    target : str, optional
        The column to be learnt: an attribute of the nodes of GraphML, "description" for FASTA. None is guessed, but
        for a folder with several subfolders, which are classes, and for an array y beside X.
    format : str, optional
        "csv", "tsv", "parquet", "arrow", "excel", "sqlite", "json", "jsonl", "npy", "npz", "fasta", "lines", "texts",
        "edges" or "graphml"; by default what the suffix says or, if it says nothing, the content.
    kinds : mapping of str to str, optional
        What columns hold, where a guess would be wrong: "number", "category", "string", "text", "id" or "date"; for the
        target "classes" or "numbers". Also how they are written: "day-first" or "month-first" for dates,
        "decimal-comma" for numbers.
    columns : iterable of str, optional
        The columns to take; by default all but the target. What others hold does not matter then: lists and objects
        in them are passed by, and of Parquet and Arrow files they are not read.
    encoding : str
        The encoding of a text file.
    nodes : str or path, optional
        A table of the nodes of a graph: its first column names them, the others are attributes, of which one may be the
        target. Nodes may be left out, and have no value then.
    missing : str or iterable of str, optional
        What marks a missing value, in all columns, besides nothing at all: "?" or ["?", "-999"]. By default NA, N/A,
        NaN, null, <NA>, #N/A and \N, and in columns of numbers or dates also "-", "?", ".", "none", "unknown" and the
        like, which are values among words.
    memory : int or str, optional
        How much memory reading may take, such as "4 GB"; data that need more are refused. By default half of what is
        free.
    group : str, optional
        A column whose equal values belong together, such as a patient's number: whoever judges predictions keeps their
        rows together. It is no feature, unless it is asked for in `columns`.
    order : str, optional
        A column of dates or numbers by which time orders the rows: whoever judges predictions learns from the past.

    Returns
    -------
    Dataset
        The objects, a target where one is named, and notes of what was guessed.

    Raises
    ------
    DataError
        If the data cannot be taken in: a sentence with the file, the line and the column where that helps.

    See Also
    --------
    Batches : data that come in batches
    report : a page about a data set
    read_fasta : sequences from a FASTA file
    read_lines : one text a line
    read_texts : the texts of a folder
    read_edges : a graph from a list of edges

    Notes
    -----
    Cost: one pass over the file, and memory for the n × d table, kept within the budget `memory`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "people.csv")
    ...     _ = path.write_text("age,sex,weight\n31,f,60\n?,m,82\n45,f,71\n52,m,\n")
    ...     people = read_data(path, target="weight")
    >>> people.X["age"].tolist(), people.y.tolist()
    ([31.0, 38.0, 45.0], [60.0, 82.0, 71.0])
    """
    asked, marks = asked_kinds(kinds, target), marks_of(missing)
    text = frozenset(name for name, kind in asked.items() if kind not in (*NUMERIC, "numbers"))
    if isinstance(path, str) and nodes == path == STDIN:
        raise DataError("standard input is asked for twice, as the data and as the nodes; it can be read once only")
    file, columns = at_hand(path, memory), _named(columns)
    named = [name for name in (target, group, order) if name is not None]
    wanted = None if columns is None else frozenset([*columns, *asked, *named])
    raw = read_raw(file, format=format, encoding=encoding, text=text, wanted=wanted)
    if isinstance(raw, Table) and (more := wanted_as_text(raw, marks, target)):
        raw = read_raw(file, format=format, encoding=encoding, text=text | more, wanted=wanted)
    if nodes is not None:
        raw = described(raw, _table_of_nodes(at_hand(nodes, memory), encoding, text))
    if isinstance(raw, Network):
        return of_network(raw, target, asked, columns, marks).divided(group, order)
    return of_table(raw, target, asked, columns, marks, group, order)


def _named(columns: Iterable[str] | None) -> tuple[str, ...] | None:
    return columns if columns is None else (columns,) if isinstance(columns, str) else tuple(columns)


def _table_of_nodes(path: Input, encoding: str, text: frozenset[str]) -> Table | Network:
    """Return a table whose first column, the names of nodes, is kept as it is written, as marks are: 01 is not 1."""
    found = read_raw(path, encoding=encoding, text=text)
    if isinstance(found, Network):
        return found
    named, column = next(iter(found.columns.items()))
    more = {*found.marks, *([named] if column.dtype.kind == "f" else [])}
    return read_raw(path, encoding=encoding, text=text | more) if more else found


def from_objects(
    X: Any,
    y: Any = None,
    *,
    kinds: Mapping[str, str] | None = None,
    columns: Iterable[str] | None = None,
    missing: str | Iterable[str] | None = None,
    group: Any = None,
    order: Any = None,
) -> Dataset:
    """Return objects in memory as a data set, with the same guesses as for those of a file.

    Parameters
    ----------
    X : array, sparse array, list of str, list of records, data frame, or graph
        The objects; those of a graph are its nodes. Strings are documents if half of them have blanks.
    y : sequence, str or mapping, optional
        What is to be learnt: one value for each object, or the name of a column of X. For a graph also a mapping from
        some nodes to their values.
    kinds, columns, missing :
        As for `read_data`.
    group, order : str or sequence, optional
        As for `read_data`: the name of a column of X, or one value for each object.

    Examples
    --------
    >>> from_objects([[1.0, 2.0], [3.0, 5.0], [2.0, 2.5]], [0.5, 1.5, 0.7])
    Dataset(X: 3 vectors, 2 columns, numbers of 'y')
    >>> from_objects(["to be or not", "to be", "be not afraid"]).kind
    'documents'
    """
    if is_sparse(X):
        return _of_sparse(X, y, kinds, missing, group, order)
    columns = _named(columns)
    named = [name for name in (y, group, order) if isinstance(name, str)]
    wanted = None if columns is None else frozenset([*columns, *(kinds or ()), *named])
    raw = raw_of(X, frozenset(name for name, kind in (kinds or {}).items() if kind not in NUMERIC), wanted)
    if isinstance(raw, Network):
        if group is not None or order is not None:
            raise DataError(f"{raw.where}: a graph, whose nodes are neither grouped nor ordered; leave that out")
        return of_graph(raw, y, kinds, missing)
    raw, group = with_hidden(raw, group, "group")
    raw, order = with_hidden(raw, order, "order")
    if isinstance(y, str):
        return of_table(raw, y, asked_kinds(kinds, y), columns, missing, group, order)
    if y is not None:
        raw = with_target(raw, given_values(y))
    return of_table(raw, None, asked_kinds(kinds, raw.target), columns, missing, group, order)


def load_example(name: str = "iris") -> Dataset:
    """Return a data set that ships with the package: "iris", "promoters", "addresses", "football" or "cars".

    Examples
    --------
    >>> load_example("promoters")
    Dataset(promoters: 106 strings, 2 classes of 'function')
    >>> load_example("football")
    Dataset(football: 115 nodes, 12 classes of 'conference')
    """
    if name not in EXAMPLES:
        raise unknown("example", "data set", name, tuple(EXAMPLES))
    return EXAMPLES[name]()


def _of_sparse(
    X: Any,
    y: Any,
    kinds: Mapping[str, str] | None,
    missing: str | Iterable[str] | None = None,
    group: Any = None,
    order: Any = None,
) -> Dataset:
    try:
        rows = as_vectors(X, "X", sparse=True)
    except (TypeError, ValueError) as error:
        raise DataError(str(error)) from None
    row_numbers = Table("X", "sparse", {"row": np.arange(float(rows.shape[0]))})
    row_numbers, group = with_hidden(row_numbers, group, "group")
    row_numbers, order = with_hidden(row_numbers, order, "order")
    learnt: Array | None = None
    task, target, notes = "none", None, [f"The array is sparse and has {counted(rows.shape[1], 'column')}."]
    if y is not None:
        asked = asked_kinds(kinds, "y")
        whole = settle(with_target(row_numbers, given_values(y)), asked, marks_of(missing), "y")
        table, kept, done = rows_with_target(whole, "y")
        learnt, task, more = learnt_of(table, "y", HINTS.get(asked.get("y", ""), asked.get("y")))
        target, rows, notes = "y", rows[kept], [*notes, *whole.notes, *done, *more, *whole.readings("y")]
        row_numbers = table
    return Dataset(
        source="X",
        format="sparse",
        kind="vectors",
        X=rows,
        y=learnt,
        task=task,
        target=target,
        columns=(),
        names=RowNumbers(row_numbers.columns["row"].astype(np.intp)),
        graph=None,
        recipe=Recipe("vectors", target=target, width=int(rows.shape[1])),
        notes=tuple(notes),
        others={name: row_numbers.columns[name] for name in row_numbers.hidden},
        places=row_numbers.columns["row"].astype(np.intp),
    ).divided(group, order)
