"""The Gram matrix as a picture: clusters are bright squares along the diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.gram.gram import Gram, as_symmetric
from gramian.plot.canvas import axes_for

MOST_ROWS = 600  # of more objects a sample is drawn, evenly from the order


def gram_heatmap(gram: Gram, labels: Any = None, ax: Any = None) -> Any:
    """Draw K as a heat map, its objects ordered by cluster or class.

    Parameters
    ----------
    gram : Gram
        A symmetric Gram. Of more than 600 objects every so-manieth is drawn.
    labels : array of shape (n,), optional
        Clusters or classes: members are put side by side and the groups are marked. In the given order by default.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    ValueError
        If there is not one label for each object.

    See Also
    --------
    Gram : the Gram matrix as an operator
    KernelKMeans : clusters around centres in feature space

    Notes
    -----
    Cost: at most 600² kernel values.

    Examples
    --------
    >>> import gramian as gm
    >>> X = gm.load_iris().data
    >>> clusters = gm.KernelKMeans(3, random_state=0).fit(X)
    >>> ax = gm.plot.gram_heatmap(clusters.kernel_.gram(X), clusters.labels_)
    >>> ax.get_title()
    'Gram matrix of 150 objects in 3 groups'
    """
    n = len(as_symmetric(gram, "gram_heatmap"))
    groups = np.zeros(n, dtype=int) if labels is None else _numbered(labels, n)
    order = np.argsort(groups, kind="stable")
    order = order[np.linspace(0, n - 1, min(n, MOST_ROWS)).round().astype(int)]
    ax = axes_for(ax)
    drawn = ax.imshow(gram.block(order, order), cmap="magma", interpolation="nearest")
    ax.figure.colorbar(drawn, ax=ax, label="κ(x, z)", shrink=0.85)
    for border in np.flatnonzero(np.diff(groups[order])) + 0.5:
        ax.axhline(border, color="white", linewidth=0.8)
        ax.axvline(border, color="white", linewidth=0.8)
    ax.set_xticks([])
    ax.set_yticks([])
    count = len(np.unique(groups))
    ax.set_title(f"Gram matrix of {n} objects" + (f" in {count} groups" if labels is not None else ""))
    return ax


def _numbered(labels: Any, n: int) -> Array:
    given = np.asarray(labels)
    if given.shape != (n,):
        raise ValueError(f"labels have shape {given.shape}; one for each of {n} objects expected")
    return np.asarray(np.unique(given, return_inverse=True)[1])
