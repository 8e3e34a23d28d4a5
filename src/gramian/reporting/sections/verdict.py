"""The verdict: what a careful reader should know first, in a few sentences, and what to check before trusting it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gramian.intake.recipe import RowNumbers
from gramian.reporting.blocks import Section, alike, count, note, number, share, text
from gramian.reporting.contest import Contest, called, unseen, verb
from gramian.reporting.leaks import ROW, Leak, leaks
from gramian.reporting.matters import Matters
from gramian.reporting.numbering import Group, in_groups, in_time, numbered, rows_a_value
from gramian.reporting.sections.columns_that_matter import sentence
from gramian.reporting.study import Study

KINDS = {
    "number": "numbers",
    "date": "dates",
    "category": "categories",
    "string": "strings",
    "text": "texts",
}
OBJECTS = {"strings": "strings", "documents": "documents", "nodes": "nodes of a graph"}
MOST = 5  # sentences
MANY = 0.05  # of the rows that are copies, from which on these are soon told
NAMED = 3  # of a list that are named
MISSING = 0.25  # of the rows, from which on a column says little by itself
NEARLY = 0.9  # of what the best model removes of the error, that a line removes at least to do nearly as well
BEYOND = 1.01  # times the threshold, from which on an object lies far out: as far as all others is not
CHANCE = 3.0  # standard errors, that the objects beyond the threshold must exceed their share by to be too many
FEWEST = 50  # predictions, of which a few may make most of the error
MOSTLY = 0.5  # of the squared error, that three of them make then
COUNTED = 6  # classes at least that look as if they counted something
NONE = "There is no signal here that these methods find"


class Found(NamedTuple):
    """What stands behind the verdict: the knowing columns, and those that seem to order the rows or to group them."""

    leaks: list[Leak]
    time: str | None
    group: Group | None


class Said(NamedTuple):
    """A sentence: how soon it is left out for others, the heaviest first, and whether it belongs to the first lines.

    What has a section of its own is said there, too, `elsewhere`.
    """

    weight: int
    words: str
    first: bool = False
    elsewhere: bool = False


QUICK = (
    "This was a quick look: predictions are judged by fewer objects and folds, and nothing was done about clusters, "
    "unusual objects and columns that know the target too well."
)


def section(
    study: Study,
    contest: Contest | None,
    numbers: Mapping[str, dict[str, Any]],
    matter: Matters | None = None,
    quick: bool = False,
) -> list[Section]:
    """Return the verdict of the contest, with the numbers of the sections on the data and what the winner goes by.

    It has five sentences at most, the most important ones; what else there is to say is a section of its own.
    """
    found = Found([], None, None)
    if contest is not None:
        knows = [] if quick else leaks(study, contest)
        found = Found(knows, in_time(study.data), in_groups(study.data, study.splits.first))
    signal = None if contest is None else contest.signal
    warnings = knowing(study, found.leaks)
    kept, rest = foremost(_sayable(study, contest, numbers, matter, found), MOST - len(warnings) - quick)
    first = [one.words for one in kept if one.first]
    last = " ".join(one.words for one in kept if not one.first)
    notes = [note(words, "warning") for words in warnings] + ([note(QUICK)] if quick else [])
    more = [text(one.words) for one in rest if not one.elsewhere]
    also = Section("also", "Also worth knowing", f"{count(len(more), 'thing')} more that may matter.", more)
    verdict = Section(
        "verdict",
        "The verdict",
        " ".join(first),
        [*notes, *([text(last)] if last else [])],
        {
            "signal": None if signal is None else signal.level,
            "removed": None if signal is None else signal.removed,
            "best": None if contest is None or contest.winner is None else contest.entrants[contest.winner].name,
            "ties": [] if contest is None or contest.winner is not None else [_name(contest, k) for k in contest.ties],
            "important": important(matter),
            "leaks": [one.column for one in found.leaks],
            "leaks_why": [one._asdict() for one in found.leaks],
            "ordered_by": study.data.order or found.time,
            "forward": study.splits.time is not None,
            "grouped_by": study.data.group,
            "perhaps_grouped_by": None if found.group is None else found.group.column,
            "copies": study.splits.copies,
            "empty": list(study.empty),
            "objects": study.n,
            "quick": quick,
        },
    )
    return [verdict, also] if more else [verdict]


def _sayable(
    study: Study,
    contest: Contest | None,
    numbers: Mapping[str, dict[str, Any]],
    matter: Matters | None,
    found: Found,
) -> list[Said]:
    """Return all that could be said, in the order in which one would read it."""
    what, apart = Said(0, describe(study), True), grouped(numbers.get("clusters", {}))
    columns = numbers.get("columns", {})
    if contest is None:
        first, later = [what, *_said(1, apart, True)], []
    else:
        whether, *line = predicted(study, contest)
        told = [Said(1, whether, True), *_said(5, line, True), *_said(3, filter(None, [sentence(matter)]), True)]
        first = [told[0], what, *told[1:]] if contest.signal.level == "none" else [what, *told]
        later = _said(8, apart, elsewhere=True)
    return [
        *first,
        *later,
        *_said(6, unusual(study, numbers.get("novelty", {})), elsewhere=True),
        *_said(6, odd(study, columns)),
        *_said(7, gaps(study, columns)),
        *checks(study, contest, found),
    ]


def _said(weight: int, words: Iterable[str], first: bool = False, elsewhere: bool = False) -> list[Said]:
    return [Said(weight, one, first, elsewhere) for one in words]


def foremost(said: list[Said], most: int) -> tuple[list[Said], list[Said]]:
    """Return the most important sentences in their order, and the rest; what the data are, and the target, stay."""
    order = sorted(range(len(said)), key=lambda k: said[k].weight)
    kept = {k for place, k in enumerate(order) if place < most or said[k].weight <= 1}
    return [one for k, one in enumerate(said) if k in kept], [one for k, one in enumerate(said) if k not in kept]


def important(found: Matters | None) -> list[dict[str, Any]]:
    """Return the columns that matter, each with its importance and error, the most important first."""
    return [] if found is None else found.columns


def describe(study: Study) -> str:
    """Return what the data are."""
    data = study.data
    if data.kind in OBJECTS or not data.columns:
        what = f"{count(study.n, 'object')}: {OBJECTS.get(data.kind, 'rows of numbers')}"
    else:
        used = [data.recipe.kinds[name] for name in data.recipe.columns if name not in study.apart]
        kinds = [f"{used.count(kind)} of {words}" for kind, words in KINDS.items() if kind in used]
        columns = f"{len(used):,} {'column' if len(used) == 1 else 'columns'}"
        one = KINDS[used[0]] if len(set(used)) == 1 else ""
        what = f"{count(study.n, 'object')} with {columns}{f' of {one}' if one else f' ({_and(kinds)})'}"
    if data.task == "none":
        return f"These are {what}; nothing is to be predicted."
    y = study.target(study.labelled)
    aim = (
        f"{len(np.unique(y)):,} classes"
        if data.task == "classes"
        else f"numbers from {' to '.join(alike([y.min(), y.max()]))}"
    )
    return f"These are {what}, and “{data.target}” is to be predicted ({aim})."


def predicted(study: Study, contest: Contest) -> list[str]:
    """Say whether the target can be predicted, how well against the best plain model, and whether a line would do."""
    signal, target = contest.signal, study.data.target
    trivial = _name(contest, contest.trivial)
    if signal.entrant is None:
        return [f"{NONE}: nothing predicts “{target}” better than “{trivial}” beyond the error of the comparison."]
    if signal.balanced:
        found, seen = contest.balanced(signal.entrant).value, verb(_name(contest, signal.entrant), "finds", "find")
        return [
            f"“{target}” can be told only a little: no model is right more often than “{trivial}” beyond the error, "
            f"yet {seen} {share(found)} of a class on average, where chance would find "
            f"{share(1 / len(contest.found(signal.entrant)))}."
        ]
    if signal.ranked:
        return [
            f"“{target}” can be told only a little: no model has a smaller error than “{trivial}”, yet what "
            f"{verb(_name(contest, signal.entrant), 'predicts', 'predict')} goes with it, if loosely (rank correlation "
            f"{number(contest.rank_correlation(signal.entrant), 2)})."
        ]
    first, plainest = contest.first, contest.best_baseline
    level = "well" if signal.removed >= 0.8 else "in part" if signal.level == "clear" else "only a little"
    words = f"“{target}” can be predicted {level}: {_how_well(contest, first)}, against "
    words += f"{_value(contest, contest.trivial)} of “{trivial}”"
    rival = plainest if contest.entrants[first].formula else contest.best
    kind = "the best plain model" if rival == plainest else "the best kernel learner"
    words += f"; {kind}, {called(_name(contest, rival))}, reaches {_value(contest, rival)}"
    words += ", which is as good within the error." if rival in contest.ties else "."
    return [words, *_line(contest, _straight(study))]


def _line(contest: Contest, straight: str = "A line") -> list[str]:
    lines = [k for k, one in enumerate(contest.entrants) if one.family == "linear"]
    if not lines:
        return []
    (k,) = lines
    if k == contest.first:
        return ["Nothing does better than this linear model."] if contest.winner is None else []
    if k in contest.ties:
        return [f"A line would do: {_name(contest, k)} is as good within the error."]
    if contest.removed(k) >= NEARLY * contest.removed(contest.first):
        return [f"{straight} does nearly as well: {_name(contest, k)} reaches {_value(contest, k)}."]
    return [f"{straight} would not do: {_name(contest, k)} reaches {_value(contest, k)}."]


def _straight(study: Study) -> str:
    """Return what the linear model is: of strings and texts it sees so little that more lines may do than its own."""
    if study.data.kind == "strings":
        return "To count letters and pairs of them"
    kinds = {study.data.recipe.kinds[name] for name in study.data.recipe.columns}
    return "A line in the commonest words" if study.data.kind == "records" and kinds & {"text", "string"} else "A line"


def _how_well(contest: Contest, k: int) -> str:
    name = _name(contest, k)
    if contest.numbers:
        return f"the error of {called(name)} at {unseen(name)} is {_value(contest, k)}"
    return f"{verb(name, 'is', 'are')} right for {_value(contest, k)} of the {unseen(name)}"


def _value(contest: Contest, k: int) -> str:
    value = contest.scores[k].value
    return number(value) if contest.numbers else share(value)


def _name(contest: Contest, k: int) -> str:
    return contest.entrants[k].name


def grouped(clusters: dict[str, Any]) -> list[str]:
    """Say whether the objects fall into clusters; nothing where that was not looked at."""
    many = clusters.get("clusters")
    if many is None:
        return []
    return [f"They fall into {count(many, 'cluster')}." if many > 1 else "No clusters could be shown among them."]


def odd(study: Study, columns: dict[str, Any]) -> list[str]:
    """Say what is odd about the values of the target."""
    told = [one["odd"] for one in columns.get("columns", []) if one["name"] == study.data.target]
    return [f"About “{study.data.target}” itself: {'; '.join(odd)}." for odd in told if odd]


def gaps(study: Study, columns: dict[str, Any]) -> list[str]:
    """Say which columns have no value in many rows, and are known by what stands in for it."""
    told = [one for one in columns.get("columns", []) if one["missing"] >= MISSING and one["name"] != study.data.target]
    told.sort(key=lambda one: -one["missing"])
    if not told:
        return []
    first = told[0]
    rest = f", and {count(len(told) - 1, 'other column')} in many" if len(told) > 1 else ""
    return [
        f"“{first['name']}” has no value in {share(first['missing'])} of the rows{rest}: what stands in was guessed."
    ]


def unusual(study: Study, novelty: dict[str, Any]) -> list[str]:
    """Say which objects lie farthest out, and how many do where they are more than lie out there of any sample."""
    most = novelty.get("most_unusual", [])
    if not most:
        return []
    far = [one["name"] for one in most if one["distance"] > BEYOND * novelty["threshold"]]
    if not far:
        return ["No object lies far out."]
    flagged, looked_at, alpha = int(novelty["flagged"]), int(novelty["looked_at"]), float(novelty["alpha"])
    if flagged > alpha * looked_at + CHANCE * (alpha * looked_at) ** 0.5:
        return [
            f"{count(flagged, 'object lies', 'objects lie')} farther out than the others, where {share(alpha)} of any "
            f"sample would, most of all {_named(study, far)}."
        ]
    return [f"The {'object farthest out is' if len(far) == 1 else 'objects farthest out are'} {_named(study, far)}."]


def _named(study: Study, names: list[str]) -> str:
    row = "row " if isinstance(study.data.names, RowNumbers) else ""
    return _and([f"{row or ('object ' if name.isdecimal() else '')}{name}" for name in names[:NAMED]])


def knowing(study: Study, found: list[Leak]) -> list[str]:
    """Name the columns that know the target so well that one must ask whether they would be known in time."""
    target, said = study.data.target, []
    if both := [one for one in found if one.why == "together"]:
        said.append(
            f"The columns {_and([f'“{one.column}”' for one in both])} together predict “{target}” nearly perfectly "
            f"(they remove {share(both[0].removed)} of the error): check whether they would be known at the time."
        )
    for one in [one for one in found if one.why not in ("together", "place")][:NAMED]:
        if one.why == "equal":
            said.append(
                f"“{one.column}” is the very number of “{target}” in most rows: one may have been made of the other; "
                "check whether it would be known at the time."
            )
        elif one.why == "ranges":
            said.append(
                f"The values of “{one.column}” part “{target}” into ranges that do not overlap: it may have been made "
                "of it; check whether it would be known at the time."
            )
        else:
            how = "nearly perfectly" if one.why == "nearly all" else "better than all other columns together"
            said.append(
                f"The column “{one.column}” alone predicts “{target}” {how} (it removes {share(one.removed)} of the "
                "error): check whether it would be known at the time."
            )
    if places := [one for one in found if one.why == "place"]:
        said.append(_placed(target, places))
    return said


def _placed(target: str | None, found: list[Leak]) -> str:
    """Say that names and numbers of rows know the target, those that know most first."""
    names = ["the number of a row" if one.column == ROW else f"“{one.column}”" for one in found[:NAMED]]
    alone = len(names) == 1
    which = f", which only {'numbers or names' if alone else 'number or name'} rows,"
    what = _and(names) + ("" if alone and found[0].column == ROW else which)
    return (
        f"{what[0].upper()}{what[1:]} {'tells' if alone else 'tell'} “{target}”: alone "
        f"{'it' if alone else 'the first of them'} removes {share(found[0].removed)} of the error. The rows stand in "
        "an order that has to do with the target; check how they were collected."
    )


def checks(study: Study, contest: Contest | None, found: Found) -> list[Said]:
    """Say what else to check before this is trusted."""
    data, splits = study.data, study.splits
    said: list[Said] = []
    if splits.copies and contest is not None:
        said.append(Said(5 if splits.copies > MANY * study.n and not splits.by_nature else 8, _copies(study)))
    if data.group is not None and contest is not None:
        said.append(Said(9, f"Rows with the same “{data.group}” were kept together."))
    if found.group is not None:
        said.append(Said(4, _belonging(found.group)))
    if splits.time is not None and contest is not None:
        said.append(Said(5, f"Every prediction was learnt from the past, by “{data.order}”."))
    elif found.time is not None and any(one.column == found.time for one in found.leaks):
        pass  # what its order has to do with the target is said
    elif found.time is not None and numbered(data, found.time) and data.column(found.time).min() <= 1:
        said.append(Said(8, _counting(found.time)))
    elif found.time is not None and (rows := rows_a_value(data, found.time)) >= 2 and data.group is None:
        said.append(Said(4, _running(found.time, rows)))
    elif found.time is not None:
        said.append(Said(4, _ordering(found.time)))
    if contest is not None and (hard := _few_errors(study, contest)):
        said.append(Said(5, hard))
    if study.empty:
        said.append(
            Said(
                6,
                f"Left out, because they have no value at all: {_named(study, list(study.empty))}"
                f"{f' and {len(study.empty) - NAMED:,} more' if len(study.empty) > NAMED else ''}.",
            )
        )
    if contest is not None and contest.numerals and len(np.unique(contest.y)) + len(contest.aside) >= COUNTED:
        said.append(
            Said(
                7,
                f"The values of “{data.target}” are whole numbers, taken as classes: if they count or measure, ask "
                f"with --kind {data.target}=numbers (kinds= of read_data).",
            )
        )
    if contest is not None and contest.aside:
        said.append(Said(8, f"Classes too small to be judged: {_and(list(contest.aside[:NAMED]))}."))
    return said


def _few_errors(study: Study, contest: Contest) -> str:
    """Say which few rows make most of the error of the best model; nothing where they do not."""
    losses = contest.losses[contest.first]
    if not contest.numbers or len(losses) < FEWEST or contest.signal.level == "none":
        return ""
    worst = np.argsort(-losses, kind="stable")[:NAMED]
    part = float(losses[worst].sum() / losses.sum()) if losses.any() else 0.0
    if part < MOSTLY:
        return ""
    few = _named(study, [study.data.names[row] for row in contest.rows[worst].tolist()])
    return (
        f"Three objects alone make {share(part)} of the squared error of {called(_name(contest, contest.first))}: "
        f"{few}; check whether their values are right."
    )


def _running(name: str, rows: float) -> str:
    return (
        f"“{name}” runs on from row to row, with about {number(rows, 2)} rows at each value: if it counts time, ask "
        f'for it with --order "{name}" (order= in Python), if it names whom the rows are of, with --group "{name}" '
        "(group=), for models have also learnt from what came later, and from the same."
    )


def _counting(name: str) -> str:
    return (
        f"“{name}” counts the rows: if they stand in the order of time, and the future is to be predicted, ask for it "
        f'with --order "{name}" (order= in Python), for here models have also learnt from what came later.'
    )


def _ordering(name: str) -> str:
    return (
        f"“{name}” seems to order the rows in time: if the future is to be predicted, ask for it with --order "
        f'"{name}" (order= in Python), for here models have also learnt from what came later.'
    )


def _belonging(found: Group) -> str:
    few = [f"“{name}”" for name in found.agree[:NAMED]]
    rest = len(found.agree) - len(few)
    what = _and([*few, count(rest, "other column")] if rest else few)
    return (
        f"Rows with the same “{found.column}” never differ in {what}: if they belong to one and the same thing, ask "
        f'for --group "{found.column}" (group= in Python), for here models have learnt from some of it to tell others.'
    )


def _copies(study: Study) -> str:
    splits = study.splits
    equal = "equals" if splits.copies == 1 else "equal"
    many = f"{splits.copies:,} of {study.n:,} rows {equal} an earlier one in all that is compared"
    if splits.by_nature:
        return f"{many}, as is bound to happen with so few different values: they are taken as different objects."
    return f"{many}; such copies were never learnt from when one of them was predicted."


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
