"""The ridge path: the error at objects left out, against the degrees of freedom that each ridge leaves."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.learn.ridge import KernelRidge
from gramian.reporting.blocks import Block, drawn, figure, number
from gramian.reporting.candidates import indicators
from gramian.reporting.measures import root_mean_square
from gramian.reporting.study import Study

LITTLE = 0.9  # of the squared error of the stiffest model: what is left of it says little
NOISELESS = 0.05
FREE = 0.9  # degrees of freedom for each object, from which on nothing is smoothed
SHOWN = 2  # times the error of the stiffest model, up to which errors are drawn


def path(study: Study) -> tuple[Block, dict[str, Any]]:
    """Return the error at every ridge, against the degrees of freedom that it leaves."""
    distinct = study.distinct
    rows = study.compared(distinct)
    y = study.target(rows)
    targets = indicators(y)[0] if study.data.task == "classes" else y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KernelRidge(study.choice.kernel, ridge="loo", fit_intercept=True).fit(study.objects(rows), targets)
    path = model.path_
    kept = np.isfinite(path.loo)
    kept &= path.loo <= SHOWN**2 * path.loo[np.argmin(np.where(kept, path.dof, np.inf))]
    dof, error = path.dof[kept], np.sqrt(path.loo[kept])
    best, deviation = int(np.argmin(error)), root_mean_square(model.loo_residuals_)[1]
    numbers = {"ridge": path.ridges, "dof": path.dof, "loo": path.loo, "gcv": path.gcv, "chosen": model.ridge_}
    gcv = np.isfinite(path.gcv) & kept
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
            f"{len(rows):,}: {why(dof, best, error, len(rows))}.{_together(study)}",
            "dof",
            drawn(len(rows), len(distinct), f"{number(deviation, 2)} at the best"),
        ),
        numbers,
    )


def why(dof: Array, best: int, error: Array, n: int) -> str:
    """Return what the place of the smallest error says, of n objects."""
    gain = float(error[best] / error[np.argmin(dof)]) ** 2  # what is left of the error of the stiffest model
    if best == int(np.argmin(dof)):
        return "the stiffest model that was tried, so that the objects tell next to nothing of the target"
    if gain > LITTLE:
        return "but hardly smaller than that of the stiffest model: whatever the ridge, little is told of the target"
    if best != int(np.argmax(dof)):
        return "with fewer the model is too stiff, with more it would follow the noise"
    if dof[best] >= FREE * n:
        return "nearly one for each object, so that the model repeats what it was told and what is noise cannot be seen"
    if gain < NOISELESS:
        return "the freest model that was tried, so that there is hardly any noise to follow"
    return "the freest model that was tried, and a freer one might do better"


def _together(study: Study) -> str:
    """Return the warning that objects which belong together are left out one by one here."""
    if not study.splits.grouped and study.splits.time is None:
        return ""
    return " (Here objects are left out one by one, whatever belongs with them or came later: the scores above do not.)"
