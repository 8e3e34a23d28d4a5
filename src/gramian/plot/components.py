"""Kernel PCA: the plane of two components, and the variance that each component holds."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from gramian.plot.canvas import COLORS, INK, axes_for, scatter_classes

MOST_BARS = 30


def components(pca: Any, X: Any, y: Any = None, ax: Any = None, pair: tuple[int, int] = (0, 1)) -> Any:
    """Draw objects in the plane of two components, coloured by a target if there is one.

    Parameters
    ----------
    pca : fitted KernelPCA
    X : objects
    y : array of shape (n,), optional
        Labels, shown by colours with a legend, or numbers, by shades with a scale.
    ax : Axes, optional
    pair : pair of int
        Which components, the first two by default.

    Returns
    -------
    Axes

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    ValueError
        If `pair` names a component that is not there, or the estimator is not fitted.

    See Also
    --------
    KernelPCA : principal components in feature space

    Notes
    -----
    Cost: n · (training objects) kernel values.

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> ax = gm.plot.components(gm.KernelPCA(2).fit(flowers.data), flowers.data, flowers.target)
    >>> ax.get_xlabel()
    'component 1 (70 % of the variance)'
    """
    check_is_fitted(pca)
    count = len(pca.eigenvalues_)
    if len(pair) != 2 or not all(0 <= i < count for i in pair):
        raise ValueError(f"pair is {pair!r}; two of the {count} components expected, counted from 0")
    ax = axes_for(ax)
    points = np.asarray(pca.transform(X))[:, list(pair)]
    if y is None:
        ax.scatter(*points.T, s=18, color=COLORS[0], edgecolor="white", linewidth=0.5)
    elif np.asarray(y).dtype.kind not in "fiu" or (
        type_of_target(y) in ("binary", "multiclass") and len(np.unique(y)) <= len(COLORS)
    ):
        scatter_classes(ax, points, y, np.unique(y))
    else:
        drawn = ax.scatter(*points.T, c=np.asarray(y, dtype=np.float64), s=18, cmap="viridis")
        ax.figure.colorbar(drawn, ax=ax, label="target")
    ax.set_xlabel(_named(pca, pair[0]))
    ax.set_ylabel(_named(pca, pair[1]))
    ax.set_title("Kernel principal components")
    return ax


def _named(pca: Any, number: int) -> str:
    return f"component {number + 1} ({100 * pca.explained_variance_ratio_[number]:.0f} % of the variance)"


def scree(pca: Any, ax: Any = None) -> Any:
    """Draw the share of the variance that each component holds, and the running total.

    Parameters
    ----------
    pca : fitted KernelPCA
        The first 30 components are drawn.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    ValueError
        If the estimator is not fitted.

    See Also
    --------
    KernelPCA : principal components in feature space
    Eigen : leading eigenpairs of K

    Notes
    -----
    Cost: O(1): the variances were computed by `fit`.

    Examples
    --------
    >>> import gramian as gm
    >>> ax = gm.plot.scree(gm.KernelPCA(5).fit(gm.load_iris().data))
    >>> ax.get_title()
    '5 components hold 96 % of the variance'
    """
    check_is_fitted(pca)
    ax = axes_for(ax)
    shares = 100 * np.asarray(pca.explained_variance_ratio_)
    shown = np.arange(1, min(len(shares), MOST_BARS) + 1)
    ax.bar(shown, shares[: len(shown)], color=COLORS[0], label="each")
    ax.plot(shown, np.cumsum(shares)[: len(shown)], color=INK, marker="o", markersize=4, label="together")
    ax.set_ylim(0, 105)
    ax.set_xlabel("component")
    ax.set_ylabel("share of the variance, %")
    ax.set_xticks(shown if len(shown) <= 10 else shown[::5])
    ax.set_title(
        f"{len(shares)} components hold {shares.sum():.0f} % of the variance"
        if len(shares) > 1
        else f"1 component holds {shares.sum():.0f} % of the variance"
    )
    ax.legend(frameon=False, fontsize="small", loc="center right")
    return ax
