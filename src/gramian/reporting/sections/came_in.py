"""What came in: the file, its columns, what was guessed and what was done about missing values."""

from __future__ import annotations

from gramian.reporting.blocks import Section, count, fact, facts, note, table, text
from gramian.reporting.fitting import columns_of
from gramian.reporting.numbering import left_apart
from gramian.reporting.study import Study

NAMED = 10  # objects without a value
KINDS = {
    "vectors": "vectors of numbers",
    "strings": "strings",
    "documents": "documents",
    "nodes": "nodes of a graph",
    "records": "records with fields of several kinds",
}


def section(study: Study) -> Section:
    """Return what was read and how it was understood."""
    data = study.data
    named = columns_of(study.kernel)
    used = [one.name for one in data.columns if one.used and one.name != data.target]
    used = [name for name in used if not named or name in named]
    missing = sum(column.missing for column in data.columns)
    items = [
        fact("objects", f"{study.n:,}", _what(study)),
        *([fact("columns compared", f"{len(used):,}", f"of {len(data.columns):,}")] if used else []),
        *([fact("missing values", f"{missing:,}", "in the whole table")] if data.columns else []),
        fact("target", data.target or "none", _task(study)),
    ]
    rows = [
        [one.name, one.kind, one.distinct, one.missing, "yes" if one.name in used else "no", one.note]
        for one in data.columns
    ]
    columns = (
        ("column", "text"),
        ("taken as", "text"),
        ("different values", "number"),
        ("missing", "number"),
        ("compared", "text"),
        ("remark", "text"),
    )
    blocks = [facts(*items)]
    if rows:
        blocks.append(table("The columns, and what each was taken for.", columns, rows))  # type: ignore[arg-type]
    remarks = {one.note for one in data.columns}
    if notes := [words for words in data.notes if words not in remarks]:
        blocks.append(note(" ".join(notes)))
    if again := study.splits.copies:
        how = (
            "with so few different values that is bound to happen."
            if study.splits.by_nature
            else "copies stay together where predictions are judged, because what is equal is easily predicted."
        )
        blocks.append(
            note(f"{again:,} of {study.n:,} objects {'occurs' if again == 1 else 'occur'} earlier in the data: {how}")
        )
    if study.empty:
        some = ", ".join(study.empty[:NAMED]) + (" …" if len(study.empty) > NAMED else "")
        blocks.append(
            note(
                f"{count(len(study.empty), 'object has', 'objects have')} no value at all and "
                f"{'is' if len(study.empty) == 1 else 'are'} left out of everything: {some}.",
                "warning",
            )
        )
    if left := [one.name for one in data.columns if one.name in data.recipe.columns and one.name not in used]:
        blocks.append(note(_left(study, left)))
    blocks.append(text("In what follows estimates say so, with their error; all other figures are exact."))
    return Section(
        "input",
        "What came in",
        f"{data.source} holds {count(study.n, 'object')}: {_what(study)}.",
        blocks,
        {
            "source": data.source,
            "format": data.format,
            "objects": study.n,
            "kind": data.kind,
            "task": data.task,
            "target": data.target,
            "columns": [
                {"name": one.name, "kind": one.kind, "missing": one.missing, "distinct": one.distinct, "used": one.used}
                for one in data.columns
            ],
            "notes": list(data.notes),
        },
    )


def _what(study: Study) -> str:
    """Return what the objects are; rows of one kind of values are no records of several."""
    data = study.data
    kinds = {data.recipe.kinds[name] for name in data.recipe.columns}
    return "rows of numbers" if data.kind == "records" and kinds == {"number"} else KINDS[data.kind]


def _left(study: Study, left: list[str]) -> str:
    """Say which columns the geometry does not look at, and why."""
    if study.given is not None:
        return f"The kernel that was asked for does not look at {', '.join(left)}: no section does."
    return f"{left_apart(left)[:-1]}: how alike objects are is asked without, what tells the target with all columns."


def _task(study: Study) -> str:
    if study.data.task == "classes":
        known = len(study.labelled)
        few = f", known for {count(known, 'object')}" if known < study.n else ""
        return f"{len(set(study.target(study.labelled).tolist()))} classes{few}"
    return "numbers" if study.data.task == "numbers" else "nothing to predict: the data are described"
