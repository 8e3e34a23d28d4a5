"""Predictions: how well the target can be told from the objects, and where it cannot."""

from __future__ import annotations

from gramian.reporting.blocks import Section, note, text
from gramian.reporting.contest import Contest
from gramian.reporting.sections.prediction.apart import apart
from gramian.reporting.sections.prediction.mistakes import against_truth, confusion, mistaken, unknown
from gramian.reporting.sections.prediction.projection import projection
from gramian.reporting.sections.prediction.scores import by_class, remarks, scores, told
from gramian.reporting.sections.prediction.smoothing import path
from gramian.reporting.study import Study

CAUTION = (
    "± is one standard error. Models are compared object by object, and the error of that is widened for what the "
    "folds have in common: “as good” are those whose difference from the best may well be chance."
)


def section(study: Study, contest: Contest | None) -> Section:
    """Return who won the contest, and what the best kernel learner gets wrong; None is for want of objects."""
    if contest is None:
        return Section(
            "prediction",
            f"Predicting {study.data.target}",
            "There are too few objects with a known target for a cross-validation.",
            [
                note(
                    "At least ten objects in at least two groups are needed, and three of each of two classes.",
                    "warning",
                )
            ],
        )
    classes = study.data.task == "classes"
    blocks = [scores(study, contest), text(CAUTION), *by_class(contest)]
    profiled, profile_numbers = apart(study)
    blocks += profiled
    blocks += [note(words) for words in remarks(study, contest)]
    blocks += [confusion(study, contest), *projection(study)] if classes else [against_truth(study, contest)]
    smoothed, numbers = path(study)
    others, predicted = unknown(study, contest)
    blocks += [smoothed, mistaken(study, contest), *others]
    return Section(
        "prediction",
        f"Predicting {study.data.target}",
        told(contest),
        blocks,
        {
            "scores": [
                {
                    "model": one.name,
                    "kernel": one.formula is not None,
                    ("accuracy" if classes else "rmse"): each.value,
                    "standard_error": each.error,
                    **({"balanced_accuracy": contest.balanced(k).value} if classes else {}),
                    "worse_than_best": contest.worse(k, contest.first).value,
                    "worse_than_best_error": contest.worse(k, contest.first).error,
                    "as_good_as_best": k in contest.ties,
                }
                for k, (one, each) in enumerate(zip(contest.entrants, contest.scores, strict=True))
            ],
            "best": None if contest.winner is None else contest.entrants[contest.winner].name,
            "best_kernel": contest.entrants[contest.best].name,
            "signal": contest.signal.level,
            "rows": study.origin[contest.rows],
            "predicted": contest.predicted[contest.best][0],
            "landmarks": contest.landmarks,
            "left_out": contest.left_out,
            "path": numbers,
            "profiles": profile_numbers,
            "unlabelled": predicted,
        },
    )
