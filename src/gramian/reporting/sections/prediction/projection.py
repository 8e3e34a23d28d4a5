"""The classes along the direction that tells them apart best."""

from __future__ import annotations

import warnings

import numpy as np

from gramian.learn.fisher import FisherDiscriminant
from gramian.reporting.blocks import Block, drawn, figure, histogram_of
from gramian.reporting.contest import fisher_ridges
from gramian.reporting.sections.prediction.mistakes import commonest
from gramian.reporting.study import Study

MOST_HILLS = 8  # classes that are drawn


def projection(study: Study) -> list[Block]:
    """Return the classes along the direction that tells them apart best, at objects that the model has not seen."""
    rows = study.compared(study.labelled)
    most = len(rows)
    y = study.target(rows)
    names, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, names[counts >= 4])
    rows, y, names = rows[kept], y[kept], names[counts >= 4]
    if len(names) < 2:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if len(names) == 2 and study.splits.of_rows(rows).alone:
            model = FisherDiscriminant(study.choice.kernel, ridge=fisher_ridges(study, study.choice.kernel, rows)).fit(
                study.objects(rows), y
            )
            projected, how = np.asarray(model.loo_decision_).ravel(), "each object as seen by a model fitted without it"
        else:
            fold = next(study.splits.of_rows(rows).cut(y, 2, 1, study.seed), None)
            if fold is None or len(np.unique(y[fold.train])) < 2 or len(np.unique(y[fold.test])) < 2:
                return []
            seen, learnt, rows, y = rows[fold.train], y[fold.train], rows[fold.test], y[fold.test]
            model = FisherDiscriminant(study.choice.kernel, ridge=fisher_ridges(study, study.choice.kernel, seen)).fit(
                study.objects(seen), learnt
            )
            projected, how = model.transform(study.objects(rows))[:, 0], "one half of the objects, fitted to the other"
    common = [name for name, _ in commonest(y)[:MOST_HILLS]]
    some = f" The {MOST_HILLS} largest of {len(names)} classes are drawn." if len(names) > MOST_HILLS else ""
    shown = {str(name): projected[y == name] for name in sorted(common)}
    return [
        figure(
            "projection",
            "The classes along the Fisher direction",
            "histogram",
            histogram_of(shown, "projection", [(0.0, "boundary")] if len(names) == 2 else []),
            f"The less two hills overlap, the surer their classes are told apart along this direction ({how}).{some}",
            "fisher",
            drawn(most, len(study.labelled)),
        )
    ]
