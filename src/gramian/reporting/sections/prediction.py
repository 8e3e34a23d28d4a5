"""Predictions: how well the target can be told from the objects, and where it cannot."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from gramian.checks import Array
from gramian.learn.fisher import FisherDiscriminant
from gramian.learn.ridge import KernelRidge
from gramian.reporting.blocks import (
    Block,
    Section,
    drawn,
    fact,
    facts,
    figure,
    histogram_of,
    note,
    number,
    share,
    table,
    times,
)
from gramian.reporting.candidates import indicators
from gramian.reporting.contest import JUDGED, LEAST, RIDGES, Contest, hold
from gramian.reporting.measures import root_mean_square
from gramian.reporting.study import DENSE, DRAWN, Study

LISTED = 10
MOST_CLASSES = 30  # of a confusion matrix


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
    blocks = [_scores(study, contest)]
    blocks += [note(words) for words in _remarks(study, contest)]
    blocks += [_confusion(study, contest), *_projection(study)] if classes else [_against_truth(study, contest)]
    path, numbers = _path(study)
    blocks += [path, _mistaken(study, contest), *_unknown(study, contest)]
    best, baseline = (float(contest.scores[k].mean()) for k in (contest.best, _best_baseline(contest)))
    return Section(
        "prediction",
        f"Predicting {study.data.target}",
        f"{name[0].upper()}{name[1:]} is right for {share(best)} of the objects it has not seen; the best plain model "
        f"for {share(baseline)}."
        if classes
        else f"The error of {name} at objects it has not seen is {number(-best)}; that of the best plain model "
        f"{number(-baseline)}.",
        blocks,
        {
            "scores": [
                {
                    "model": one.name,
                    "kernel": one.formula is not None,
                    ("accuracy" if classes else "rmse"): abs(float(scores.mean())),
                    "deviation": float(scores.std()),
                }
                for one, scores in zip(contest.entrants, contest.scores, strict=True)
            ],
            "best": name,
            "rows": contest.rows,
            "predicted": contest.predicted[contest.best][0],
            "path": numbers,
        },
    )


def _remarks(study: Study, contest: Contest) -> list[str]:
    """Say who took part, and what is an estimate."""
    found = []
    if contest.aside:
        few = ", ".join(contest.aside[:5]) + (" …" if len(contest.aside) > 5 else "")
        found.append(f"Classes of fewer than {LEAST} objects took no part: {few}.")
    if len(study.labelled) > JUDGED:
        found.append(f"{len(contest.rows):,} of {len(study.labelled):,} objects took part, drawn at random.")
    if contest.landmarks:
        found.append(
            f"So many objects were seen through {contest.landmarks:,} landmarks: an exact fit, which `gramian fit` "
            "makes where it can, is usually a little better."
        )
    return found


def _badge(study: Study, contest: Contest) -> str | None:
    """Return the badge of what the winner predicts: who took part, and through how many landmarks."""
    seen = f"through {contest.landmarks:,} landmarks" if contest.landmarks else None
    some = f"{len(contest.rows):,} of {len(study.labelled):,} objects" if len(study.labelled) > JUDGED else None
    return f"estimate: {', '.join(filter(None, (some, seen)))}" if some or seen else None


def _best_baseline(contest: Contest) -> int:
    plain = [k for k, one in enumerate(contest.entrants) if one.formula is None]
    return max(plain, key=lambda k: float(contest.scores[k].mean()))


def _scores(study: Study, contest: Contest) -> Block:
    classes = study.data.task == "classes"
    order = np.argsort([-float(scores.mean()) for scores in contest.scores], kind="stable")
    spread = float(np.std(contest.y)) if not classes else 1.0

    def row(k: int) -> list[Any]:
        one, scores = contest.entrants[k], contest.scores[k]
        mean, deviation = abs(float(scores.mean())), float(scores.std())
        kind = "kernel" if one.formula else "baseline"
        if classes:
            return [one.name, kind, mean, f"{share(mean)} ± {share(deviation)}"]
        explained = max(0.0, 1 - (mean / spread) ** 2) if spread > 0 else 0.0
        return [one.name, kind, explained, f"{number(mean)} ± {number(deviation)}"]

    how = f", repeated {times(contest.repeats)}" if contest.repeats > 1 else ""
    return table(
        f"All models on the same {contest.folds} folds of a cross-validation{how}; ± is the deviation over folds.",
        (
            ("model", "text"),
            ("kind", "text"),
            ("right" if classes else "variance explained", "bar"),
            ("share right" if classes else "root mean squared error", "text"),
        ),
        [row(int(k)) for k in order],
        int(np.flatnonzero(order == contest.best)[0]),
        contest.entrants[contest.best].formula,
    )


def _confusion(study: Study, contest: Contest) -> Block:
    every, counts = np.unique(contest.y, return_counts=True)
    names = np.sort(every[np.argsort(-counts, kind="stable")[:MOST_CLASSES]])
    predicted = contest.predicted[contest.best][0]
    matrix = [[int(np.sum((contest.y == true) & (predicted == said))) for said in names] for true in names]
    off = [(matrix[i][j], str(names[i]), str(names[j])) for i in range(len(names)) for j in range(len(names)) if i != j]
    worst = max(off, default=(0, "", ""))
    reading = (
        f"The commonest mistake takes {worst[1]} for {worst[2]}, {times(worst[0])}."
        if worst[0]
        else "Not one object is mistaken: all stand on the diagonal."
        if not np.any(predicted != contest.y)
        else "Among the classes shown none is taken for another."
    )
    if len(names) < len(every):
        reading = f"{len(names)} of {len(every)} classes, the most frequent ones. {reading}"
    return figure(
        "confusion",
        f"Confusion matrix: {contest.entrants[contest.best].name}",
        "heatmap",
        {
            "rows": [str(one) for one in names],
            "columns": [str(one) for one in names],
            "values": matrix,
            "value_label": "objects",
            "text": True,
            "x_label": "predicted",
            "y_label": "true",
        },
        reading,
        contest.entrants[contest.best].formula,
        _badge(study, contest),
    )


def _projection(study: Study) -> list[Block]:
    """Return the classes along the direction that tells them apart best, at objects that the model has not seen."""
    rows = study.some(DENSE, study.labelled)
    most = len(rows)
    y = study.target(rows)
    names, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, names[counts >= 4])
    rows, y, names = rows[kept], y[kept], names[counts >= 4]
    if len(names) < 2:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if len(names) == 2:
            model = FisherDiscriminant(study.choice.kernel, ridge=RIDGES).fit(study.objects(rows), y)
            projected, how = np.asarray(model.loo_decision_).ravel(), "each object as seen by a model fitted without it"
        else:
            seen, rows, learnt, y = train_test_split(rows, y, test_size=0.5, stratify=y, random_state=study.seed)
            model = FisherDiscriminant(study.choice.kernel, ridge=RIDGES).fit(study.objects(seen), learnt)
            projected, how = model.transform(study.objects(rows))[:, 0], "one half of the objects, fitted to the other"
    common = [name for name, _ in _commonest(y)[:8]]
    shown = {str(name): projected[y == name] for name in sorted(common)}
    return [
        figure(
            "projection",
            "The classes along the Fisher direction",
            "histogram",
            histogram_of(shown, "projection", [(0.0, "boundary")] if len(names) == 2 else []),
            f"The less two hills overlap, the surer their classes are told apart along this direction ({how}).",
            "fisher",
            drawn(most, len(study.labelled)),
        )
    ]


def _commonest(y: Array) -> list[tuple[Any, int]]:
    names, counts = np.unique(y, return_counts=True)
    return sorted(zip(names.tolist(), counts.tolist(), strict=True), key=lambda one: -one[1])


def _against_truth(study: Study, contest: Contest) -> Block:
    rows = study.some(DRAWN, np.arange(len(contest.rows)))
    predicted = contest.predicted[contest.best].mean(axis=0)[rows]
    true = contest.y[rows]
    low, high = float(min(true.min(), predicted.min())), float(max(true.max(), predicted.max()))
    return figure(
        "truth",
        "Predicted against true",
        "scatter",
        {
            "x": true,
            "y": predicted,
            "x_label": f"true {study.data.target}",
            "y_label": f"predicted {study.data.target}",
            "group": None,
            "groups": None,
            "value": np.abs(true - predicted),
            "value_label": "error",
            "hover": study.hover(contest.rows[rows]),
            "marked": [],
            "lines": [[low, low, high, high]],
        },
        "Points on the line are predicted exactly; each was predicted by a model that had not seen it.",
        "ridge",
        _badge(study, contest),
    )


def _path(study: Study) -> tuple[Block, dict[str, Any]]:
    """Return the error at every ridge, against the degrees of freedom that it leaves."""
    rows = study.some(DENSE, study.labelled)
    y = study.target(rows)
    targets = indicators(y)[0] if study.data.task == "classes" else y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KernelRidge(study.choice.kernel, ridge="loo", fit_intercept=True).fit(study.objects(rows), targets)
    path = model.path_
    kept = np.isfinite(path.loo)
    dof, error = path.dof[kept], np.sqrt(path.loo[kept])
    best, deviation = int(np.argmin(error)), root_mean_square(model.loo_residuals_)[1]
    numbers = {"ridge": path.ridges, "dof": path.dof, "loo": path.loo, "gcv": path.gcv, "chosen": model.ridge_}
    gcv = np.isfinite(path.gcv)
    return (
        figure(
            "path",
            "How much to smooth",
            "lines",
            {
                "x_label": "effective degrees of freedom",
                "y_label": "root mean squared error",
                "x_log": True,
                "y_log": False,
                "series": [
                    {"name": "leave-one-out", "x": dof, "y": error, "dashed": False},
                    {
                        "name": "generalized cross-validation",
                        "x": path.dof[gcv],
                        "y": np.sqrt(path.gcv[gcv]),
                        "dashed": True,
                    },
                ],
                "marks": [{"x": float(dof[best]), "label": f"ridge {number(model.ridge_)}"}],
            },
            f"The error at objects left out is smallest with {number(float(dof[best]))} degrees of freedom, of "
            f"{len(rows):,}: with fewer the model is too stiff, with more it would follow the noise.",
            "dof",
            drawn(len(rows), len(study.labelled), f"{number(deviation, 2)} at the best"),
        ),
        numbers,
    )


def _mistaken(study: Study, contest: Contest) -> Block:
    """Return the objects that kernel learners get wrong most often, or by most."""
    ours = [contest.predicted[k] for k, one in enumerate(contest.entrants) if one.formula]
    if study.data.task == "numbers":
        errors = np.abs(ours[0] - contest.y).mean(axis=0)
        worst = np.argsort(-errors, kind="stable")[:LISTED]
        rows = [
            [what, number(float(contest.y[k])), number(float(ours[0][:, k].mean())), float(errors[k])]
            for what, k in zip(study.hover(contest.rows[worst]), worst.tolist(), strict=True)
        ]
        columns = (("object", "text"), ("true", "text"), ("predicted", "text"), ("error", "bar"))
        return table("The objects whose target is hardest to tell.", columns, rows)  # type: ignore[arg-type]
    said = np.concatenate(ours)
    wrong = (said != contest.y).mean(axis=0)
    worst = np.argsort(-wrong, kind="stable")[:LISTED]
    rows = [
        [what, str(contest.y[k]), str(_commonest(said[:, k])[0][0]), float(wrong[k])]
        for what, k in zip(study.hover(contest.rows[worst]), worst.tolist(), strict=True)
        if wrong[k] > 0
    ]
    if not rows:
        return note("No object was ever mistaken by a kernel learner.")
    how = f"over {len(said)} predictions each, by {len(ours)} learners"
    columns = (("object", "text"), ("true", "text"), ("mostly said", "text"), ("mistaken", "bar"))
    return table(f"The objects most often mistaken, {how}.", columns, rows)  # type: ignore[arg-type]


def _unknown(study: Study, contest: Contest) -> list[Block]:
    """Return what the best learner says of objects whose target is not known."""
    unknown = np.setdiff1d(np.arange(study.n), study.labelled)
    if not len(unknown):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = contest.entrants[contest.best].predict(
            study.choice.kernel, study.labelled, study.target(study.labelled), unknown
        )
    rows = [[what, str(label)] for what, label in zip(study.hover(unknown[:200]), said.tolist(), strict=False)]
    return [
        facts(fact("objects without a label", f"{len(unknown):,}", "predicted from the others")),
        table(
            f"What {contest.entrants[contest.best].name} says of them.",
            (("object", "text"), ("predicted", "text")),
            rows,
        ),
    ]
