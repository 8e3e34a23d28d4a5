"""Commands on a cluster: files are read by workers, which learn and answer piece by piece."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

from gramian.cli import commands
from gramian.places import at_work
from gramian.writing import replacing

RANK = 1000  # landmarks of models that a cluster learns


@contextmanager
def asked_for(given: Namespace) -> Iterator[None]:
    """Work meanwhile on the cluster that the command line names, and say where it can be watched."""
    try:
        cluster = at_work(given.cluster, given.workers)
    except ImportError as error:
        raise commands.WrongUse(f"--cluster and --workers: {error}") from None
    with cluster as client:
        count = len(client.scheduler_info(n_workers=-1)["workers"])
        commands._say(
            given,
            f"{count} worker{'' if count == 1 else 's'} at {client.scheduler.address}; to be watched at "
            f"{client.dashboard_link}",
        )
        yield


def sampled(given: Namespace) -> Any:
    """Return the file in pieces, and the data set of a sample of it."""
    from gramian.intake.pieces import Pieces

    for name in ("nodes", "format", "memory"):
        if getattr(given, name, None) is not None:
            raise commands.WrongUse(f"--{name} is not taken together with --cluster or --workers")
    pieces = pieces_of(given)
    asked = {
        "kinds": dict(given.kind),
        "columns": given.columns,
        "missing": given.missing,
        "group": getattr(given, "group", None),
        "order": getattr(given, "order", None),
    }
    assert isinstance(pieces, Pieces)
    return pieces, pieces.looked_at(getattr(given, "seed", 0), getattr(given, "target", None), asked)


def pieces_of(given: Namespace) -> Any:
    """Return the file in pieces."""
    from gramian.intake.pieces import Pieces

    if given.data is None or given.data == "-":
        raise commands.WrongUse("--cluster and --workers need a file that all workers can read")
    return Pieces(given.data)


def learn(given: Namespace, pieces: Any, data: Any, model: Any, detector: Any) -> tuple[Any, Any]:
    """Fit a learner and a detector, in low rank, to all pieces."""
    from gramian.intake.pieces import Prepared

    if model is not None:
        model = model.set_params(rank=RANK).fit(Prepared(pieces, data.recipe, data.task))
    return model, detector.set_params(rank=RANK).fit(Prepared(pieces, data.recipe))


def predict(given: Namespace, parts: dict[str, Any]) -> None:
    """Write the predictions of a file, piece by piece and in its order."""
    model, output = parts["model"], None if given.output is None else commands._output(given)
    answers = pieces_of(given).made(partial(_predicted, model, parts["recipe"], given.interval))
    stream = nullcontext(sys.stdout.buffer) if output is None else replacing(output)
    changed = 0
    sys.stdout.flush()
    with stream as file:
        for number, (header, rows) in enumerate(answers.in_turn(_itself, "predictions")):
            first = [] if number else [["object", parts["target"], *header]]
            text, more = commands._text_of([*first, *rows], given.raw)
            changed += more
            file.write(text.encode(sys.stdout.encoding if output is None else "utf-8", "backslashreplace"))
        file.flush()
    commands._say_changed(given, changed)
    if output is not None:
        commands._say(given, f"written: {given.output}")


def _predicted(model: Any, recipe: Any, share: float, table: Any, start: int) -> tuple[tuple[str, ...], list[Any]]:
    """Return the header of predictions, and the rows of those of a piece."""
    from gramian.cli.predictions import Predictions
    from gramian.intake.pieces import applied, names_from

    objects, _ = applied(recipe, table, "classes" if hasattr(model, "classes_") else "numbers")
    found = Predictions.of(model, objects.X, share)
    return found.header, list(zip(names_from(objects.names, start), *found.columns, strict=True))


def _itself(made: Any, start: int) -> Any:
    return made
