"""Raw columns become a data set: what is asked for and guessed makes a recipe, and the recipe makes the objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gramian.intake.dataset import Column, Dataset
from gramian.intake.errors import DataError, counted, unknown
from gramian.intake.guesses import HINTS, KINDS, NUMERIC, Found, days_of, has_blanks, look, lowered
from gramian.intake.meanings import marks_of, settle
from gramian.intake.recipe import MISSING_CATEGORY, Recipe, RowNumbers
from gramian.intake.table import Table, absent, check_range, numeric, written
from gramian.intake.targets import AIMS, learnt_of, rows_with_target

_NOTES = 60


def of_table(
    table: Table,
    target: str | None,
    asked: dict[str, str],
    columns: Iterable[str] | None,
    missing: str | Iterable[str] | None = None,
    group: str | None = None,
    order: str | None = None,
) -> Dataset:
    """Return the data set of raw columns: first the target, then guesses, their recipe, and the objects it makes."""
    for name in filter(None, (group, order)):
        if name not in table.columns:
            raise unknown(table.where, "column", name, tuple(table.columns))
        if name == (target or table.target):
            raise DataError(f"{table.where}: the target {name!r} cannot group or order rows; another column expected")
    if group is not None and columns is None:
        table = replace(table, hidden=(*table.hidden, group))  # it says who an object is, not what
    marks = marks_of(missing)
    target = table.target if target is None else target
    chosen = _chosen(table, target, asked, columns)
    table = settle(table, asked, marks, target)
    asked = {name: HINTS.get(kind, kind) for name, kind in asked.items()}
    notes = list(table.notes)
    total = np.arange(len(table))
    gaps = {name: int(absent(column).sum()) for name, column in table.columns.items()}
    y, task = None, "none"
    if target is not None:
        if table.target == target:
            notes.append(f"{'The subfolders are' if table.format == 'texts' else 'The array y is'} the target.")
        table, total, done = rows_with_target(table, target)
        notes += done
        y, task, done = learnt_of(table, target, asked.get(target))
        notes += done + table.readings(target)
    found = {name: look(table, name, *_settled(table, asked, name)) for name in table.columns if name != target}
    found = _without_names(table, found, chosen, asked, given=columns is not None)
    used = tuple(name for name in chosen if found[name].kind in (*NUMERIC, "category", "string", "text"))
    if not used:
        raise DataError(f"{table.where}: nothing to make objects of; {_why(found, chosen, len(table))}")
    recipe = _recipe(table, used, found, target, marks)
    X, rows, done = recipe.objects(table)
    numbers = sum(found[name].kind == "number" for name in used)
    notes += [f"{counted(numbers, 'column holds', 'columns hold')} numbers."] if numbers else []
    among, objects = frozenset(chosen), frozenset(used)
    notes += [seen.note for name, seen in found.items() if name in among or seen.kind == "id"]
    names = recipe.labels(table, rows)
    if isinstance(names, RowNumbers):
        names = RowNumbers(total[rows])
    return Dataset(
        source=table.where,
        format=table.format,
        kind=recipe.kind,
        X=X,
        y=None if y is None else y[rows],
        task=task,
        target=target,
        columns=_columns(table, found, gaps, objects, target),
        names=names,
        graph=None,
        recipe=recipe,
        notes=_few([note for note in (*notes, *done) if note]),
        gaps={name: absent(table.columns[name])[rows] for name in used if gaps[name]},
        others={name: column[rows] for name, column in table.columns.items() if name not in objects and name != target},
        places=total[rows],
    ).divided(group, order)


def _chosen(table: Table, target: str | None, asked: dict[str, str], columns: Iterable[str] | None) -> tuple[str, ...]:
    """Return the columns that objects may be made of, after a look at all names that were given."""
    known = table.columns
    if isinstance(columns, str):
        columns = (columns,)
    given = None if columns is None else tuple(columns)
    if target is not None and target not in known:
        raise unknown(table.where, "target", target, tuple(known))
    for name in given or ():
        if name not in known:
            raise unknown(table.where, "column", name, tuple(known))
    for name in asked:
        if name not in known:
            raise unknown(table.where, "column", name, tuple(known))
        if asked[name] in AIMS and name != target:
            raise DataError(
                f"{table.where}: column {name!r} is said to be {asked[name]!r}, and is not the target; one of "
                f"{', '.join(KINDS)} expected"
            )
    if given is not None and target in given:
        raise DataError(f"{table.where}: the target {target!r} is among the columns; leave it out of one of the two")
    if given is not None and len(set(given)) < len(given):
        twice = Counter(given).most_common(1)[0][0]
        raise DataError(f"{table.where}: the column {twice!r} is asked for more than once; name it once")
    if given is not None:
        return given
    return tuple(name for name in known if name != target and name not in table.hidden)


def _settled(table: Table, asked: dict[str, str], name: str) -> tuple[str | None, str]:
    """Return the kind of a column, if it need not be guessed from the table's, and why it is so."""
    if name in asked:
        return asked[name], ", as asked for"
    if name in table.settled or name != table.alone:
        return table.settled.get(name), ""
    values = [value for value in table.columns[name] if value is not None]
    return ("text", ", for most have blanks") if has_blanks(values) else ("string", ", for most have no blanks")


def _without_names(
    table: Table, found: dict[str, Found], chosen: tuple[str, ...], asked: dict[str, str], given: bool
) -> dict[str, Found]:
    """Return the guesses with names of rows made features where they were asked for, or where there is nothing else."""
    named = [name for name in chosen if found[name].kind == "id" and name not in asked and name not in table.settled]
    others = [name for name in chosen if found[name].kind in (*NUMERIC, "category", "string", "text")]
    if not named or (others and not given):
        return found
    changed = {}
    for name in named:
        column = table.columns[name]
        kind = (
            "number"
            if column.dtype.kind == "f"
            else "text"
            if has_blanks(column[~absent(column)].tolist())
            else "string"
        )
        changed[name] = replace(
            found[name], kind=kind, note=f"Column {name!r} has a value of its own in every row, and is taken as {kind}."
        )
    return found | changed


def _why(found: dict[str, Found], chosen: tuple[str, ...], rows: int) -> str:
    if not chosen:
        return "there is no column but the target"
    if rows == 1:
        return "there is a single row, in which nothing differs from anything"
    kinds = Counter(found[name].kind for name in chosen)
    words = {"empty": "without any value", "constant": "with the same value everywhere", "id": "with names of rows"}
    counts = ", ".join(f"{counted(number, 'column')} {words[kind]}" for kind, number in kinds.items())
    return f"all that was found is {counts}"


def _columns(
    table: Table, found: dict[str, Found], gaps: dict[str, int], used: frozenset[str], target: str | None
) -> tuple[Column, ...]:
    return tuple(
        Column(name, found[name].kind, gaps[name], found[name].distinct, name in used, found[name].note)
        if name != target
        else _target_column(table, name, gaps[name])
        for name in table.columns
    )


def _target_column(table: Table, name: str, missing: int) -> Column:
    seen = look(table, name)
    kind = seen.kind if seen.kind in NUMERIC else "category"
    return Column(name, kind, missing, seen.distinct, used=False, note="The target.")


def _few(notes: list[str]) -> tuple[str, ...]:
    """Return notes, of which a table of thousands of columns has too many, up to a number."""
    more = len(notes) - _NOTES
    return tuple(notes) if more <= 1 else (*notes[:_NOTES], f"{more:,} more notes of this kind are left out.")


def _recipe(
    table: Table, used: tuple[str, ...], found: dict[str, Found], target: str | None, marks: tuple[str, ...] | None
) -> Recipe:
    kinds = {name: found[name].kind for name in used}
    numbers = [table.columns[name].dtype for name in used if kinds[name] in NUMERIC]
    ids = [name for name, seen in found.items() if seen.kind == "id"]
    named = next((name for name in ids if table.columns[name].dtype.kind == "O"), ids[0] if ids else None)
    taken = {*used, named, target}
    return Recipe(
        kind=_kind_of(list(kinds.values())),
        columns=used,
        kinds=kinds,
        fill={name: _fill(table, name, kinds[name]) for name in used},
        categories={name: _categories(table, name) for name, kind in kinds.items() if kind == "category"},
        names=named,
        target=target,
        ignored=tuple(name for name in table.columns if name not in taken),
        header=tuple(table.columns) if table.headless else (),
        alone=table.alone is not None,
        notations={name: table.meanings[name].notation for name in used if name in table.meanings},
        missing=marks,
        dtype="float32" if numbers and all(dtype == np.float32 for dtype in numbers) else "float64",
    )


def _kind_of(kinds: list[str]) -> str:
    if all(kind in NUMERIC for kind in kinds):
        return "vectors"
    if kinds == ["string"]:
        return "strings"
    return "documents" if kinds == ["text"] else "records"


def _fill(table: Table, name: str, kind: str) -> float | str:
    if kind not in NUMERIC:
        return MISSING_CATEGORY if kind == "category" else ""
    values = days_of(table, name) if kind == "date" else numeric(table, name)
    check_range(table, name, values)
    return float(np.median(values[~np.isnan(values)]))


def _categories(table: Table, name: str) -> tuple[str, ...]:
    return tuple(sorted({value for value in lowered(written(table.columns[name])) if value is not None}))
