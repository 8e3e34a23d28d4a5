"""What each command does: read, compute, write. Nothing is overwritten without --force, and nothing left half done."""

from __future__ import annotations

import csv
import io
import os
import re
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gramian.cli.devices import PRODUCTS, place_for, told
from gramian.writing import may_write, replacing, write_text

if TYPE_CHECKING:  # what a command needs is loaded when it runs, so that --help answers at once
    from gramian.expressions import Entry
    from gramian.gram.gram import Gram
    from gramian.intake.dataset import Dataset
    from gramian.kernels.algebra import Kernel
    from gramian.learn.novelty import NoveltyDetector
    from gramian.reporting.study import Study

EXAMPLE = "iris"
PAGE = "report.html"
FORMULA = tuple("=+-@＝＋－＠|%")  # what a formula, or a call of another program, begins with
CONTROLS = tuple("\t\r\n")  # after which some spreadsheets look for one
BLANKS = " \u00a0\u200b\ufeff"
LATER = re.compile(r"(?<=[;\t\r\n])[^;\t\r\n]+")  # where half of the world's spreadsheets begin another cell
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
FEW = "The model has seen too few objects to call anything novel."
LEARNERS = {
    "FisherDiscriminant": "a Fisher discriminant",
    "ParzenClassifier": "the nearest centre (Parzen)",
    "KernelRidge": "kernel ridge regression",
    "KernelClassifier": "kernel ridge regression on the classes",
}


class WrongUse(ValueError):
    """A command that asks for what there is not."""


class ForAnotherModel(ValueError):
    """A model file that cannot do what is asked of it."""


def _output(given: Namespace, default: str | None = None) -> Path:
    """Return the file that the output goes to, which is none of those that are read."""
    output = may_write(default if given.output is None else given.output, given.force)  # type: ignore[arg-type]
    for name in ("data", "model", "nodes"):
        read = getattr(given, name, None)
        if read is None or not output.exists():
            continue
        read = str(read) if os.path.lexists(read) else str(read).rpartition("::")[0]  # the file of a table in it
        if not os.path.exists(read):
            continue
        if os.path.samefile(read, output) or (os.path.isdir(read) and Path(read).resolve() in output.parents):
            raise FileExistsError(f"{output} is what the command reads; another name for the output expected")
    return output


def _read(given: Namespace) -> Dataset:
    from gramian.intake.formats import FORMATS
    from gramian.intake.reading import read_data

    if given.format is not None and given.format not in FORMATS:
        raise WrongUse(f"no format {given.format!r}; there are {', '.join(FORMATS)}")
    return read_data(
        given.data,
        target=getattr(given, "target", None),
        format=given.format,
        kinds=dict(given.kind),
        columns=given.columns,
        encoding=given.encoding,
        nodes=getattr(given, "nodes", None),
        missing=given.missing,
        memory=given.memory,
        group=getattr(given, "group", None),
        order=getattr(given, "order", None),
    )


def _check_expression(given: Namespace) -> None:
    """Refuse a wrong kernel, or device, before time is spent on the data; one on the nodes of a graph waits for it."""
    from gramian.expressions import GraphNeeded, parse_kernel

    place_for(given.device, 0)
    if given.kernel is not None:
        with suppress(GraphNeeded):
            parse_kernel(given.kernel)


def _say(given: Namespace, words: str) -> None:
    if not given.quiet:
        print(words, file=sys.stderr)


def report(given: Namespace) -> None:
    """Write the report of a data set, or print its numbers."""
    from gramian.intake.reading import load_example
    from gramian.places import working_on
    from gramian.reporting.build import build

    about_data = (given.target, given.columns, given.kind, given.format, given.nodes, given.group, given.order)
    if given.data is None and (any(about_data) or given.missing is not None):
        raise WrongUse(
            "--target, --columns, --kind, --format, --nodes, --group, --order and --missing need DATA; without it iris "
            "is shown"
        )
    output = None if given.json and given.output is None else _output(given, PAGE)
    _check_expression(given)
    if _on_cluster(given):
        from gramian.cli import spread

        with spread.asked_for(given):
            _, data = spread.sampled(given)
    else:
        data = load_example(EXAMPLE) if given.data is None else _read(given)
    place = place_for(given.device, PRODUCTS * float(len(data)) ** 2 * (data.kind in ("vectors", "records")))
    data = replace(data, notes=(*data.notes, *filter(None, [told(place)])))
    _say(given, _told(data))
    with working_on(place):
        found = build(data, given.kernel, given.seed, given.quick)
    if output is None:
        print(found.to_json())
    elif given.json:
        write_text(output, found.to_json(), overwrite=given.force)
        _say(given, f"The numbers are in {output}.")
    else:
        found.save(output, overwrite=given.force)
        _say(given, f"The report is {output.resolve()}; open it in a browser.")


def _on_cluster(given: Namespace) -> bool:
    return given.cluster is not None or given.workers is not None


def _told(data: Dataset) -> str:
    from gramian.intake.errors import counted

    what = {"none": "nothing to predict", "classes": f"classes: {data.target}", "numbers": f"numbers: {data.target}"}
    lines = [f"{data.source}: {counted(len(data), 'object')}, {data.kind}; {what[data.task]}.", *data.notes]
    return "\n  ".join(lines)


def fit(given: Namespace) -> None:
    """Learn a target and what is usual; write the model file."""
    output = _output(given)
    _check_expression(given)
    if _on_cluster(given):
        from gramian.cli import spread

        with spread.asked_for(given):
            pieces, data = spread.sampled(given)
            _learn(given, output, data, partial(spread.learn, given, pieces))
    else:
        _learn(given, output, _read(given), None)


def _learn(given: Namespace, output: Path, data: Dataset, there: Callable[..., tuple[Any, Any]] | None) -> None:
    """Learn from a data set, or, from a file of which it is a sample, where its pieces are; write the model file."""
    from gramian.models import save
    from gramian.places import working_on
    from gramian.reporting.fitting import written

    _say(given, _told(data))
    study = _study(given, data, given.seed)
    data, kernel, known = study.data, study.choice.kernel, study.labelled
    place = place_for(given.device, PRODUCTS * float(len(known)) ** 2, kernel)
    _say_where(given, place)
    with working_on(place):
        model, detector = _learnt(given, study, there)
    parts = {
        "model": model,
        "novelty": detector,
        "recipe": data.recipe.plain(),
        "target": data.target,
        "kind": data.kind,
    }
    save(parts, output, overwrite=given.force)
    learnt = "what is usual" if model is None else f"{data.target} by {LEARNERS[type(model).__name__]}"
    count = detector._summed.summary.count if there is not None and model is None else len(known)
    count = model._summed.summary.count if there is not None and model is not None else count
    _say(given, f"{given.output}: learnt {learnt}, from {count:,} objects, with {written(kernel)}.")
    if detector.false_alarm_bound_ == 0:
        _say(given, FEW)


def _learnt(
    given: Namespace, study: Study, there: Callable[..., tuple[Any, Any]] | None
) -> tuple[Any, NoveltyDetector]:
    """Return what predicts the target, None where there is none, and what knows the usual."""
    from gramian.learn.novelty import NoveltyDetector

    data, kernel, known, model = study.data, study.choice.kernel, study.labelled, None
    detector = NoveltyDetector(kernel, calibration="conformal", random_state=given.seed)
    if data.task != "none":
        model = _learner(given, data, kernel)
        model = model.fit(study.objects(known), study.target(known)) if there is None else model
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it can never fire is told in words of the command line
        model, detector = (model, detector.fit(data.X)) if there is None else there(data, model, detector)
    if model is not None and hasattr(model, "predict_proba"):
        model.predict_proba(study.objects(known[:1]))  # so that the file holds the probabilities' slope
    return model, detector


def _say_where(given: Namespace, place: Any) -> None:
    if words := told(place):
        _say(given, words)


def _study(given: Namespace, data: Dataset, seed: int = 0) -> Study:
    from gramian.expressions import parse_kernel
    from gramian.reporting.study import Study

    kernel = None if given.kernel is None else parse_kernel(given.kernel, graph=data.graph)
    return Study.of(data, kernel, seed)


def _learner(given: Namespace, data: Dataset, kernel: Kernel) -> Any:
    from gramian.learn.classifier import KernelClassifier
    from gramian.learn.fisher import FisherDiscriminant
    from gramian.learn.parzen import ParzenClassifier
    from gramian.learn.ridge import KernelRidge

    name = given.learner or ("fisher" if data.task == "classes" else "ridge")
    if name != "ridge" and data.task == "numbers":
        raise WrongUse(f"--learner {name} does not fit the target {data.target!r}, which holds numbers; ridge does")
    if name == "ridge" and data.task == "classes":
        return KernelClassifier(kernel, ridge="loo")
    if name == "ridge":
        return KernelRidge(kernel, ridge="loo", fit_intercept=True)
    return ParzenClassifier(kernel) if name == "parzen" else FisherDiscriminant(kernel, ridge="loo")


def _opened(given: Namespace) -> dict[str, Any]:
    from gramian.intake.errors import DataError
    from gramian.intake.recipe import Recipe
    from gramian.learn.base import KernelEstimator
    from gramian.learn.novelty import NoveltyDetector
    from gramian.models import load

    try:
        found = load(given.model)
    except OSError as error:
        raise ForAnotherModel(f"{given.model}: {error.strerror or error}") from None
    strange = ForAnotherModel(f"{given.model}: not written by `gramian fit`; load it in Python with gramian.load")
    if not isinstance(found, dict) or not {"model", "novelty", "recipe", "target", "kind"} <= found.keys():
        raise strange
    sound = isinstance(found["model"], KernelEstimator | None) and isinstance(found["novelty"], NoveltyDetector)
    if not sound or not isinstance(found["target"], str | None):
        raise strange
    try:
        return found | {"recipe": Recipe.from_plain(found["recipe"])}
    except DataError:
        raise strange from None


def _new_objects(given: Namespace, parts: dict[str, Any]) -> tuple[Any, list[str], Any]:
    """Return new objects, their names, and their target where it is known."""
    from gramian.intake.inputs import at_hand

    data = at_hand(given.data, given.memory)
    task = "classes" if hasattr(parts["model"], "classes_") else "numbers"
    found, known = parts["recipe"].apply_with_target(data, task, format=given.format, encoding=given.encoding)
    for one in found.notes:
        _say(given, one)
    return found.X, list(found.names), known


@contextmanager
def _asking(given: Namespace, model: Any, objects: int) -> Iterator[Any]:
    """Give a model where it is to be asked about so many objects."""
    from gramian.places import working_on
    from gramian.places.moving import moved

    place = place_for(given.device, float(objects) * len(model.sample_), model.kernel_)
    _say_where(given, place)
    with working_on(place):
        yield moved(model, place)


def predict(given: Namespace) -> None:
    """Print or write the predictions of new objects, how sure they are, and how good where that can be told."""
    from gramian.cli.predictions import Predictions

    place_for(given.device, 0)
    parts = _opened(given)
    model, target = parts["model"], parts["target"]
    if model is None:
        raise ForAnotherModel(f"{given.model} was fitted without a target, and predicts none; try `gramian novelty`")
    if _on_cluster(given):
        from gramian.cli import spread

        with spread.asked_for(given):
            spread.predict(given, parts)
        return
    output = None if given.output is None else _output(given)
    X, names, known = _new_objects(given, parts)
    with _asking(given, model, len(names)) as model:
        found = Predictions.of(model, X, given.interval)
    _table(given, output, ["object", target, *found.header], zip(names, *found.columns, strict=True))
    if known is not None and (score := found.score(known, target)):
        _say(given, score)


def novelty(given: Namespace) -> None:
    """Print or write how unusual new objects are."""
    from gramian.reporting.blocks import at_most

    place_for(given.device, 0)
    parts = _opened(given)
    detector = parts["novelty"]
    if not hasattr(detector, "p_values"):
        raise ForAnotherModel(f"{given.model} was not calibrated by `gramian fit`, and tells no p-values; fit it anew")
    output = None if given.output is None else _output(given)
    X, names, _ = _new_objects(given, parts)
    with _asking(given, detector, len(names)) as detector:
        distances, p_values = -detector.score_samples(X), detector.p_values(X)
        novel = ["yes" if verdict < 0 else "no" for verdict in detector.predict(X)]
    rows = zip(names, distances.tolist(), p_values.tolist(), novel, strict=True)
    _table(given, output, ["object", "distance", "p_value", "novel"], rows)
    rate = float(detector.false_alarm_bound_)
    promise = f"On average at most {at_most(rate)} in 100 objects like those of the model are called novel."
    if parts["kind"] != "nodes":  # a graph has no new ones
        _say(given, promise if rate > 0 else FEW)


def _table(given: Namespace, output: Path | None, header: list[str], rows: Any) -> None:
    text, changed = _text_of((header, *rows), given.raw)
    _say_changed(given, changed)
    if output is None:
        sys.stdout.write(text)
    else:
        write_text(output, text, overwrite=given.force)
        _say(given, f"written: {given.output}")


def _text_of(rows: Iterable[Any], raw: bool) -> tuple[str, int]:
    """Return rows as text, and how many of their cells are changed so that no spreadsheet runs them."""
    text, changed = io.StringIO(), 0
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        harmless = row if raw else [_harmless(cell) for cell in row]
        changed += sum(new is not old for new, old in zip(harmless, row, strict=True))
        writer.writerow(harmless)
    return text.getvalue(), changed


def _say_changed(given: Namespace, changed: int) -> None:
    if changed:
        _say(
            given,
            f"{changed:,} texts begin with ' now, for a spreadsheet would run them; --raw writes them as they are",
        )


def _harmless(cell: Any) -> Any:
    """Return what goes into a cell: a text that a spreadsheet would run as a formula with an apostrophe before it.

    Numbers stay as they are, and so does a sign alone, as in the classes + and -.

    >>> [_harmless(cell) for cell in ("=1+1", "-1.5", "+", "@SUM(A1)", "a=b", "a;=b", -2.0)]
    ["'=1+1", '-1.5', '+', "'@SUM(A1)", 'a=b', "a;'=b", -2.0]
    """
    if not isinstance(cell, str):
        return cell
    found = LATER.sub(lambda later: f"'{later[0]}" if _runs(later[0]) else later[0], cell)
    if cell and (cell[0] in CONTROLS or _runs(cell)):
        return f"'{found}"
    return cell if found == cell else found


def _runs(text: str) -> bool:
    """Tell whether a spreadsheet would take a text for a formula."""
    plain = text.strip()
    return text.lstrip(BLANKS)[:1] in FORMULA and len(plain) > 1 and not NUMBER.fullmatch(plain)


def gram(given: Namespace) -> None:
    """Write the Gram matrix, a stripe of rows at a time."""
    from gramian.places import working_on
    from gramian.reporting.fitting import written

    output = _output(given)
    if output.suffix != ".npy":
        raise WrongUse(f"{output}: a name that ends in .npy expected")
    _check_expression(given)
    data = _read(given)
    _say(given, _told(data))
    study = _study(given, data)
    place = place_for(given.device, float(len(study.data)) ** 2, study.kernel)
    _say_where(given, place)
    with working_on(place):
        K = study.kernel.gram(study.data.X)
        _write_matrix(K, output, given.dtype)
    _say(given, f"{given.output}: {len(K):,} × {len(K):,}, {given.dtype}, of {written(study.choice.kernel)}.")


def _write_matrix(K: Gram, output: Path, dtype: str) -> None:
    import numpy as np

    from gramian.runtime.progress import task

    n = len(K)
    step = max(1, min(n, 2**27 // (8 * n)))
    header = {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)), "fortran_order": False, "shape": (n, n)}
    with task("Gram matrix", n) as progress, replacing(output) as file:
        np.lib.format.write_array_header_1_0(file, header)
        for start in range(0, n, step):
            stripe = K.block(slice(start, start + step), slice(None))
            file.write(np.ascontiguousarray(stripe, dtype=dtype).tobytes())
            progress.advance(min(start + step, n), n)


def kernels(given: Namespace) -> None:
    """Print the kernels of the expression language."""
    from gramian.expressions import catalogue
    from gramian.expressions.words import folded

    every = catalogue()
    if given.name is None:
        width = max(len(one.name) for one in every)
        for one in every:
            print(f"{one.name:<{width}}  {one.description}")
        print("\n`gramian kernels NAME` shows one of them in full, with its parameters.")
        print("Combine them with +, *, ** and numbers, and restrict them to columns with `on`, for instance:")
        print('  0.5*gaussian(2) + polynomial(2)\n  spectrum(3) on promoter * bag_of_words on "the note"')
        return
    known = {folded(one.name): one.name for one in every}
    if folded(given.name) not in known:
        near = get_close_matches(folded(given.name), known, 1)
        help = f"did you mean {known[near[0]]!r}?" if near else "`gramian kernels` lists them"
        raise WrongUse(f"no kernel {given.name!r}; {help}")
    print("\n\n".join(_in_full(one) for one in every if folded(one.name) == folded(given.name)))


def _in_full(one: Entry) -> str:
    return (
        f"{one.signature}\n  {one.formula}\n  {one.description}\n  takes {one.objects}\n  for instance: {one.example}"
    )
