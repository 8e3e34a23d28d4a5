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

SHOWN = 2  # times the error of the stiffest model, up to which errors are drawn


def path(study: Study) -> tuple[Block, dict[str, Any]]:
    """Return the error at every ridge, against the degrees of freedom that it leaves."""
    rows = study.compared(study.labelled)
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
            f"{len(rows):,}: {why(dof, best)}.",
            "dof",
            drawn(len(rows), len(study.labelled), f"{number(deviation, 2)} at the best"),
        ),
        numbers,
    )


def why(dof: Array, best: int) -> str:
    """Return what the place of the smallest error says."""
    if best == int(np.argmax(dof)):
        return "the freest model that was tried, so that there is hardly any noise to follow"
    if best == int(np.argmin(dof)):
        return "the stiffest model that was tried, so that the objects tell next to nothing of the target"
    return "with fewer the model is too stiff, with more it would follow the noise"
