"""Novelty: the objects that are unlike the rest, and a threshold for new ones with a guarantee."""

from __future__ import annotations

import warnings

import numpy as np

from gramian.checks import Array
from gramian.learn.novelty import NoveltyDetector
from gramian.reporting.blocks import (
    Section,
    at_most,
    drawn,
    fact,
    facts,
    figure,
    histogram_of,
    number,
    share,
    table,
    text,
)
from gramian.reporting.measures import standard_error
from gramian.reporting.study import Study

ALPHA = 0.05  # false alarms that are allowed
LEAST = 40  # objects from which on that rate can be guaranteed
LISTED = 10
LOOKED_AT = 20_000  # objects, where each takes long


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


def section(study: Study) -> Section | None:
    """Return the most unusual objects; None where there are too few to say."""
    if study.n < LEAST:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        detector = NoveltyDetector(
            study.choice.kernel, calibration="conformal", alpha=ALPHA, random_state=study.seed, rank=study.rank
        ).fit(study.data.X)
    rows = study.some(LOOKED_AT if study.kernel.dear else study.n)
    distances = -detector.score_samples(study.data.X if len(rows) == study.n else study.objects(rows))
    threshold, rate = float(detector.threshold_), float(detector.false_alarm_bound_)
    flagged = distances > threshold
    nodes = study.data.kind == "nodes"
    left = study.of_variance(float(getattr(detector, "trace_error_", 0.0)))
    through = f"estimate: {study.rank} landmarks leave out at most {share(left)} of the variance" if left else None
    sampled = study.drawn(len(rows))
    badge = " · ".join(filter(None, (sampled, through))) or None
    share_error = standard_error(flagged) if sampled else 0.0
    beyond = f"{int(flagged.sum()):,} of {len(rows):,}"
    few = drawn(len(rows), study.n, share(share_error)) or through
    promise = _promise(study, rate)
    listed = _listed(study, rows, distances)
    return Section(
        "novelty",
        "The most unusual objects",
        f"{share(float(flagged.mean()))} of the objects lie beyond the threshold{'' if nodes else ' for new ones'}.",
        [
            text(promise),
            facts(
                fact("threshold", number(threshold), "distance to the centre of one half", "novelty", through),
                *(
                    []
                    if nodes
                    else [fact("false alarms", f"≤ {at_most(rate)} %", "on average over samples", "novelty")]
                ),
                fact("beyond it here", share(float(flagged.mean())), beyond, "novelty", few),
            ),
            figure(
                "novelty-distances",
                "How far is unusual",
                "histogram",
                histogram_of({"objects": distances}, "distance to the centre of one half", [(threshold, "threshold")]),
                "Objects to the right of the line lie farther out than all but a few."
                if nodes
                else "Objects to the right of the line would be called novel if they came in tomorrow.",
                "novelty",
                badge,
            ),
            table(
                "The most unusual objects, farthest first.",
                (("object", "text"), ("distance", "bar"), ("beyond the threshold", "text")),
                [[what, far, "yes" if far > threshold else "no"] for what, _, far in listed],
                None,
                "novelty",
                badge,
            ),
        ],
        {
            "alpha": ALPHA,
            "threshold": threshold,
            "false_alarm_bound": None if nodes else rate,
            "guarantee": promise,
            "flagged": int(flagged.sum()),
            "flagged_share_error": share_error,
            "left_out": left,
            "looked_at": len(rows),
            "most_unusual": [{"row": row, "name": study.data.names[row], "distance": far} for _, row, far in listed],
        },
    )


def _listed(study: Study, rows: Array, distances: Array) -> list[tuple[str, int, float]]:
    """Return the objects farthest out: what they are, where they stand, and how far."""
    order = np.argsort(-distances, kind="stable")[:LISTED]
    farthest = rows[order]
    return list(zip(study.hover(farthest), farthest.tolist(), distances[order].tolist(), strict=True))
