"""Novelty: the objects that are unlike the rest, and a threshold for new ones with a guarantee."""

from __future__ import annotations

import warnings

import numpy as np

from gramian.learn.novelty import NoveltyDetector
from gramian.reporting.blocks import Section, drawn, fact, facts, figure, histogram_of, number, share, table, text
from gramian.reporting.measures import standard_error
from gramian.reporting.study import Study

ALPHA = 0.05  # false alarms that are allowed
LEAST = 40  # objects from which on that rate can be guaranteed
LISTED = 10


def _promise(study: Study, rate: float) -> str:
    """Return the guarantee in the words of a layman, with what it rests on."""
    if study.data.kind == "nodes":
        return (
            "A graph has the nodes it has, so nothing is promised of new ones: the threshold shows which lie far out."
        )
    words = (
        f"If new objects come from the same source as these, on average at most {100 * rate:.2g} in 100 of them are "
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
    rows = np.arange(study.n) if study.direct else study.some(20_000)
    distances = -detector.score_samples(study.data.X if len(rows) == study.n else study.objects(rows))
    threshold, rate = float(detector.threshold_), float(detector.false_alarm_bound_)
    flagged = distances > threshold
    farthest = rows[np.argsort(-distances, kind="stable")[:LISTED]]
    ranked = -np.sort(-distances, kind="stable")[:LISTED]
    part = float(flagged.mean())
    sampled = study.drawn(len(rows))
    far = float(getattr(detector, "trace_error_", 0.0))
    through = (
        f"estimate: the centre is seen through {study.rank} landmarks, which leave out {share(far)}" if far else None
    )
    promise = _promise(study, rate)
    return Section(
        "novelty",
        "The most unusual objects",
        f"{share(part)} of the objects lie beyond the threshold for new ones.",
        [
            text(promise),
            facts(
                fact("threshold", number(threshold), "distance to the centre", "novelty", through),
                fact("false alarms", f"≤ {share(rate)}", "on average over samples", "novelty"),
                fact(
                    "beyond it here",
                    share(part),
                    f"{int(flagged.sum()):,} of {len(rows):,}",
                    "novelty",
                    drawn(len(rows), study.n, share(standard_error(flagged))),
                ),
            ),
            figure(
                "novelty-distances",
                "How far is unusual",
                "histogram",
                histogram_of({"objects": distances}, "distance to the centre", [(threshold, "threshold")]),
                "Objects to the right of the line would be called novel if they came in tomorrow.",
                "novelty",
                sampled,
            ),
            table(
                "The most unusual objects, farthest first.",
                (("object", "text"), ("distance", "bar"), ("called novel", "text")),
                [
                    [what, float(far), "yes" if far > threshold else "no"]
                    for what, far in zip(study.hover(farthest), ranked, strict=True)
                ],
                None,
                "center",
            ),
        ],
        {
            "alpha": ALPHA,
            "threshold": threshold,
            "false_alarm_bound": rate,
            "guarantee": promise,
            "flagged": int(flagged.sum()),
            "flagged_share_error": standard_error(flagged) if sampled else 0.0,
            "trace_error": far,
            "looked_at": len(rows),
            "most_unusual": [
                {"row": row, "name": study.data.names[row], "distance": far}
                for row, far in zip(farthest.tolist(), ranked.tolist(), strict=True)
            ],
        },
    )
