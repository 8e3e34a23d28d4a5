"""The ridge path: what each λ costs and buys."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gramian.plot.canvas import COLORS, INK, axes_for


def ridge_path(model: Any, ax: Any = None) -> Any:
    """Draw the leave-one-out and generalized cross-validation errors against the ridge, with the degrees of freedom.

    Parameters
    ----------
    model : fitted KernelRidge or KernelClassifier
        With a grid of ridges to choose from (``ridge="loo"``, "gcv" or a list).
    ax : Axes, optional
        The degrees of freedom are drawn on a second vertical axis, at its right.

    Returns
    -------
    Axes

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    ValueError
        If the model was fitted with a single ridge, or not at all.

    See Also
    --------
    RidgePath : errors and degrees of freedom at many ridges
    KernelRidge : ridge regression

    Notes
    -----
    Cost: O(1): the errors were computed by `fit`.

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> ax = gm.plot.ridge_path(gm.KernelRidge(ridge="loo").fit(flowers.data[:, :3], flowers.data[:, 3]))
    >>> ax.get_xscale()
    'log'
    """
    check_is_fitted(model)
    if not hasattr(model, "path_"):
        raise ValueError('the model has one ridge, and no path: fit it with ridge="loo", "gcv" or a list of values')
    ax = axes_for(ax)
    path = model.path_
    dot = "o" if len(path.ridges) == 1 else ""
    ax.plot(path.ridges, path.loo, color=COLORS[0], marker=dot, label="leave-one-out")
    ax.plot(path.ridges, path.gcv, color=COLORS[2], marker=dot, linestyle="--", label="generalized cross-validation")
    ax.axvline(model.ridge_, color=INK, linewidth=1.0, linestyle=":", label=f"chosen: {model.ridge_:.3g}")
    ax.set_xscale("log")
    ax.set_yscale("log")
    finite = path.loo[np.isfinite(path.loo)]
    ax.set_ylim(0.9 * finite.min(), min(finite.max(), 30 * finite.min()) * 1.1)
    ax.set_xlabel("ridge λ")
    ax.set_ylabel("mean squared error" + ("" if path.unit == 1 else f" of y / {path.unit:.0e}"))
    right = ax.twinx()
    right.plot(path.ridges, path.dof, color=COLORS[1], marker=dot, linewidth=1.2)
    right.set_ylabel("effective degrees of freedom", color=COLORS[1])
    right.tick_params(axis="y", colors=COLORS[1])
    right.spines[["top", "left"]].set_visible(False)
    ax.set_title("Ridge path")
    ax.legend(frameon=False, fontsize="small", loc="upper center")
    return ax
