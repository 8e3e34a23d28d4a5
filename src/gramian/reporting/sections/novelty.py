"""Novelty: the objects that are unlike the rest, and a threshold for new ones with a guarantee."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from gramian.checks import Array
from gramian.learn.novelty import NoveltyDetector
from gramian.reporting.because import because, phrase, wording
from gramian.reporting.blocks import (
    Block,
    Section,
    at_most,
    bounded,
    drawn,
    fact,
    facts,
    figure,
    histogram_of,
    note,
    number,
    share,
    table,
    text,
)
from gramian.reporting.measures import standard_error
from gramian.reporting.numbering import left_apart
from gramian.reporting.study import Study

ALPHA = 0.05  # false alarms that are allowed
LEAST = 40  # objects from which on that rate can be guaranteed
LISTED = 10
LOOKED_AT = 20_000  # objects, where each takes long
MEASURED = "distance to the centre of one half"


@dataclass(frozen=True, eq=False)
class Found:
    """How far some rows lie out, and from where on that is too far; `left_out` is what landmarks do not see."""

    detector: NoveltyDetector
    rows: Array
    distances: Array
    threshold: float
    rate: float
    left_out: float

    @property
    def beyond(self) -> Array:
        return self.distances > self.threshold


def section(study: Study) -> Section:
    """Return the most unusual objects, or say that there are too few."""
    if study.n < LEAST:
        return Section(
            "novelty",
            "The most unusual objects",
            "There are too few objects to say which are unusual.",
            [note(f"At least {LEAST} are needed for a threshold that new ones exceed by mistake in at most 5 of 100.")],
        )
    found = _look(study)
    beyond, nodes = found.beyond, study.data.kind == "nodes"
    error = standard_error(beyond) if len(found.rows) < study.n else 0.0
    listed = _listed(study, found)
    reasons = because(study, found.detector, np.array([row for _, row, _ in listed]))
    tell = wording if study.data.kind in ("strings", "documents") else phrase
    promise = _promise(study, found.rate)
    through = (
        f"estimate: {study.rank} landmarks leave out at most {bounded(found.left_out, above=True)} of the variance"
    )
    landmarks = through if found.left_out else None
    badge = " · ".join(filter(None, (study.drawn(len(found.rows)), landmarks))) or None
    items = [
        fact("threshold", number(found.threshold), MEASURED, "novelty", landmarks),
        fact("false alarms", f"≤ {at_most(found.rate)} %", "on average", "novelty"),
        fact(
            "beyond it here",
            share(float(beyond.mean())),
            f"{int(beyond.sum()):,} of {len(beyond):,}",
            "novelty",
            drawn(len(found.rows), study.n, share(error)) or landmarks,
        ),
    ]
    return Section(
        "novelty",
        "The most unusual objects",
        f"{share(float(beyond.mean()))} of the objects lie beyond the threshold{'' if nodes else ' for new ones'}."
        + f" {left_apart(study.apart)}".rstrip(),
        [
            text(promise),
            *([] if nodes else [text(_apart(found))]),
            facts(*(item for item in items if not nodes or item["name"] != "false alarms")),
            _histogram(found, nodes, badge),
            table(
                "The most unusual objects, farthest first.",
                (("object", "text"), ("distance", "bar"), ("beyond the threshold", "text"), ("because", "text")),
                [
                    [what, far, "yes" if far > found.threshold else "no", tell(why)]
                    for (what, _, far), why in zip(listed, reasons, strict=True)
                ],
                None,
                "novelty",
                badge,
            ),
        ],
        {
            "alpha": ALPHA,
            "threshold": found.threshold,
            "false_alarm_bound": None if nodes else found.rate,
            "guarantee": promise,
            "flagged": int(beyond.sum()),
            "flagged_share_error": error,
            "left_out": found.left_out,
            "looked_at": len(found.rows),
            "most_unusual": [
                {
                    "row": int(study.origin[row]),
                    "name": study.data.names[row],
                    "distance": far,
                    "because": [one._asdict() for one in why],
                }
                for (_, row, far), why in zip(listed, reasons, strict=True)
            ],
        },
    )


def _look(study: Study) -> Found:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        detector = NoveltyDetector(
            study.whole, calibration="conformal", alpha=ALPHA, random_state=study.seed, rank=study.rank
        ).fit(study.objects(study.compared()) if study.walks else study.data.X)
    rows = study.compared() if study.walks else study.some(LOOKED_AT if study.kernel.traits.expensive else study.n)
    distances = -detector.score_samples(study.data.X if len(rows) == study.n else study.objects(rows))
    left_out = study.of_variance(float(getattr(detector, "trace_error_", 0.0)))
    return Found(detector, rows, distances, float(detector.threshold_), float(detector.false_alarm_bound_), left_out)


def _promise(study: Study, rate: float) -> str:
    """Return the guarantee in the words of a layman, with what it rests on."""
    if study.data.kind == "nodes":
        return (
            "A graph has the nodes it has, so nothing is promised of new ones: the threshold shows which lie far out."
        )
    words = (
        f"If new objects come from the same source as these, on average at most {at_most(rate)} in 100 of them are "
        "flagged by mistake: with one sample somewhat more, with another fewer. That holds whatever the data look "
        "like, as long as old and new are drawn in the same way."
    )
    if study.given is None:
        words += " (It takes the kernel as given, though these objects had a say in it.)"
    return words


def _apart(found: Found) -> str:
    """Say why the share beyond the threshold and the share of false alarms are two things."""
    here = float(found.beyond.mean())
    words = (
        f"{share(here)} counts these very objects, by half of which the threshold was set; {at_most(found.rate)} % "
        "bounds what is to be expected of new ones, on average over samples such as this."
    )
    if here <= found.rate:
        return words
    return f"{words} That more of these lie beyond is no contradiction: some may be unusual, and every sample differs."


def _histogram(found: Found, nodes: bool, badge: str | None) -> Block:
    return figure(
        "novelty-distances",
        "How far is unusual",
        "histogram",
        histogram_of({"objects": found.distances}, MEASURED, [(found.threshold, "threshold")]),
        "Objects to the right of the line lie farther out than all but a few."
        if nodes
        else "Objects to the right of the line would be called novel if they came in tomorrow.",
        "novelty",
        badge,
    )


def _listed(study: Study, found: Found) -> list[tuple[str, int, float]]:
    """Return the objects farthest out: what they are, where they stand, and how far."""
    order = np.argsort(-found.distances, kind="stable")[:LISTED]
    rows = found.rows[order]
    return list(zip(study.listed(rows), rows.tolist(), found.distances[order].tolist(), strict=True))
