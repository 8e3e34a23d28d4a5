"""Classifiers: the regions of the plane, and the classes along Fisher's direction."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gramian.learn.fisher import FisherDiscriminant
from gramian.plot.canvas import (
    INK,
    axes_for,
    class_legend,
    color_of,
    in_plane,
    labels_among,
    like,
    name_axes,
    plane_around,
    scatter_classes,
    short,
)


def decision_regions(classifier: Any, X: Any, y: Any, ax: Any = None) -> Any:
    """Draw the regions of the plane that a fitted classifier gives to each class, and the points.

    Parameters
    ----------
    classifier : fitted classifier on two features
        Any scikit-learn classifier.
    X : array of shape (n, 2)
    y : array of shape (n,)
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    ValueError
        If X has not two columns, y holds a class that was not learnt, or the classifier is not fitted.

    See Also
    --------
    ParzenClassifier : the nearest centre of mass
    KernelClassifier : classification by least squares

    Notes
    -----
    Cost: predictions of the n points and of a grid of 200 × 200.

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> X = flowers.data[:, 2:]
    >>> ax = gm.plot.decision_regions(gm.ParzenClassifier().fit(X, flowers.target), X, flowers.target)
    >>> ax.get_title()
    'ParzenClassifier, 96 % of these points right'
    """
    check_is_fitted(classifier)
    points = in_plane(X, "decision_regions")
    ax = axes_for(ax)
    across, up, grid = plane_around(points)
    regions = np.searchsorted(classifier.classes_, classifier.predict(like(X, grid))).reshape(across.shape)
    count = len(classifier.classes_)
    ax.contourf(
        across, up, regions, levels=np.arange(count + 1) - 0.5, colors=[color_of(i) for i in range(count)], alpha=0.18
    )
    ax.contour(across, up, regions, levels=np.arange(1, count) - 0.5, colors=INK, linewidths=0.8)
    scatter_classes(ax, points, y, classifier.classes_)
    name_axes(ax, classifier)
    ax.set_title(f"{type(classifier).__name__}, {100 * classifier.score(X, y):.0f} % of these points right")
    return ax


def fisher_projection(discriminant: Any, X: Any, y: Any, ax: Any = None, bins: int = 30) -> Any:
    """Draw the classes projected on Fisher's first direction as histograms, their means, and where two classes are cut.

    Parameters
    ----------
    discriminant : fitted FisherDiscriminant
    X, y : objects and labels
        Those of the training, or others.
    ax : Axes, optional
    bins : int

    Returns
    -------
    Axes

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError
        If it is no FisherDiscriminant.
    ValueError
        If y holds a class that was not learnt, or the discriminant is not fitted.

    See Also
    --------
    FisherDiscriminant : the direction that separates classes best

    Notes
    -----
    Cost: n · (training objects) kernel values.

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> X, y = flowers.data[50:], flowers.target[50:]
    >>> ax = gm.plot.fisher_projection(gm.FisherDiscriminant().fit(X, y), X, y)
    >>> ax.get_xlabel()
    'coordinate along the discriminating direction'
    """
    if not isinstance(discriminant, FisherDiscriminant):
        raise TypeError(f"fisher_projection draws a FisherDiscriminant, and got {type(discriminant).__name__}")
    check_is_fitted(discriminant)
    ax = axes_for(ax)
    along = discriminant.transform(X)[:, 0]
    labels = labels_among(y, discriminant.classes_)
    edges = np.linspace(along.min(), along.max(), bins + 1)
    for number, name in enumerate(discriminant.classes_):
        ax.hist(along[labels == name], edges, color=color_of(number), alpha=0.55, label=short(name))
        ax.axvline(discriminant.projected_means_[number, 0], color=color_of(number), linewidth=1.5, linestyle="--")
    if len(discriminant.classes_) == 2:
        ax.axvline(discriminant.projected_means_[:, 0].mean(), color=INK, linewidth=1.5, label="cut, midway")
    ax.set_xlabel("coordinate along the discriminating direction")
    ax.set_ylabel("objects")
    ax.set_title(f"Fisher's discriminant, J = {discriminant.quotient_:.3g}")
    class_legend(ax, discriminant.classes_)
    return ax
