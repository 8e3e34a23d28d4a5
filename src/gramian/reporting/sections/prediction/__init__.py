"""Predictions: how well the target can be told from the objects, and where it cannot."""

from __future__ import annotations

from gramian.reporting.blocks import Section, note, number, share, text
from gramian.reporting.contest import hold
from gramian.reporting.sections.prediction.mistakes import against_truth, confusion, mistaken, unknown
from gramian.reporting.sections.prediction.projection import projection
from gramian.reporting.sections.prediction.scores import remarks, scores
from gramian.reporting.sections.prediction.smoothing import path
from gramian.reporting.study import Study

CAUTION = (
    "± is one standard error. The best model is named for these same scores: on new data models that are close may "
    "change places."
)


def section(study: Study) -> Section | None:
    """Return the contest and what the winner gets wrong; None where there is no target."""
    if study.data.task == "none":
        return None
    contest = hold(study)
    if contest is None:
        return Section(
            "prediction",
            f"Predicting {study.data.target}",
            "There are too few objects with a known target for a cross-validation.",
            [note("At least ten objects, and three of each of two classes, are needed.", "warning")],
        )
    classes = study.data.task == "classes"
    name = contest.entrants[contest.best].name
    blocks = [scores(study, contest), text(CAUTION)]
    blocks += [note(words) for words in remarks(study, contest)]
    blocks += [confusion(study, contest), *projection(study)] if classes else [against_truth(study, contest)]
    smoothed, numbers = path(study)
    others, predicted = unknown(study, contest)
    blocks += [smoothed, mistaken(study, contest), *others]
    best, baseline = (contest.scores[k].value for k in (contest.best, contest.best_baseline))
    return Section(
        "prediction",
        f"Predicting {study.data.target}",
        f"{name[0].upper()}{name[1:]} is right for {share(best)} of the objects it has not seen; the best plain model "
        f"for {share(baseline)}."
        if classes
        else f"The error of {name} at objects it has not seen is {number(best)}; that of the best plain model "
        f"{number(baseline)}.",
        blocks,
        {
            "scores": [
                {
                    "model": one.name,
                    "kernel": one.formula is not None,
                    ("accuracy" if classes else "rmse"): each.value,
                    "standard_error": each.error,
                }
                for one, each in zip(contest.entrants, contest.scores, strict=True)
            ],
            "best": name,
            "rows": contest.rows,
            "predicted": contest.predicted[contest.best][0],
            "landmarks": contest.landmarks,
            "left_out": contest.left_out,
            "path": numbers,
            "unlabelled": predicted,
        },
    )
