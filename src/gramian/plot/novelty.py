"""Novelty detection: the sphere about the centre of mass seen in the plane, and distances against the threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gramian.plot.canvas import COLORS, INK, axes_for, in_plane, like, name_axes, plane_around

USUAL, NOVEL = COLORS[0], COLORS[1]


def novelty_sphere(detector: Any, X: Any, ax: Any = None) -> Any:
    """Draw the points of the plane that a detector takes for usual: a sphere in feature space, any shape here.

    Parameters
    ----------
    detector : fitted NoveltyDetector on two features
    X : array of shape (n, 2)
        Points to draw, in the colour of what they are taken for.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    ValueError
        If X has not two columns, or the detector is not fitted.

    See Also
    --------
    NoveltyDetector : objects unlike the sample, with a bound on false alarms

    Notes
    -----
    Cost: distances of the n points and of a grid of 200 × 200.

    Examples
    --------
    >>> import gramian as gm
    >>> X = gm.load_iris().data[:50, :2]
    >>> detector = gm.NoveltyDetector(calibration="conformal", alpha=0.1, random_state=0).fit(X)
    >>> ax = gm.plot.novelty_sphere(detector, X)
    >>> ax.get_title()
    'False alarms: at most 7.7 % on average'
    """
    check_is_fitted(detector)
    points = in_plane(X, "novelty_sphere")
    ax = axes_for(ax)
    across, up, grid = plane_around(points)
    distances = -detector.score_samples(like(X, grid)).reshape(across.shape)
    ax.contourf(across, up, distances, levels=12, cmap="Blues_r", alpha=0.55)
    if distances.min() < detector.threshold_ < distances.max():
        ax.contour(across, up, distances, levels=[detector.threshold_], colors=INK, linewidths=1.5)
    usual = detector.predict(X) == 1
    for chosen, color, name in ((usual, USUAL, "usual"), (~usual, NOVEL, "novel")):
        ax.scatter(*points[chosen].T, s=18, color=color, edgecolor="white", linewidth=0.5, label=name, zorder=3)
    name_axes(ax, detector)
    ax.set_title(_promise(detector))
    ax.legend(frameon=False, fontsize="small")
    return ax


def novelty_distances(detector: Any, X: Any, ax: Any = None) -> Any:
    """Draw the sorted distances of objects from the centre of mass, and the threshold.

    Parameters
    ----------
    detector : fitted NoveltyDetector
    X : objects
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    ValueError
        If the detector is not fitted, or cannot take X.

    See Also
    --------
    NoveltyDetector : objects unlike the sample, with a bound on false alarms

    Notes
    -----
    Cost: n · (training objects) kernel values, O(n log n) to sort.

    Examples
    --------
    >>> import gramian as gm
    >>> X = gm.load_iris().data
    >>> detector = gm.NoveltyDetector(calibration="conformal", alpha=0.1, random_state=0).fit(X[:50])
    >>> ax = gm.plot.novelty_distances(detector, X)
    >>> ax.get_ylabel()
    'distance from the centre'
    """
    check_is_fitted(detector)
    ax = axes_for(ax)
    distances = np.sort(-detector.score_samples(X))
    place = np.arange(1, len(distances) + 1)
    novel = distances > detector.threshold_
    for chosen, color, name in ((~novel, USUAL, "usual"), (novel, NOVEL, "novel")):
        if chosen.any():
            ax.scatter(place[chosen], distances[chosen], s=12, color=color, label=f"{chosen.sum()} {name}")
    if np.isfinite(detector.threshold_):
        ax.axhline(detector.threshold_, color=INK, linewidth=1.2, linestyle="--", label="threshold")
    ax.set_xlabel("objects, the nearest first")
    ax.set_ylabel("distance from the centre")
    ax.set_title(_promise(detector))
    ax.legend(frameon=False, fontsize="small", loc="upper left")
    return ax


def _promise(detector: Any) -> str:
    if not np.isfinite(detector.threshold_):
        return "This detector can never fire"
    rate = detector.false_alarm_bound_ + (detector.delta if detector.calibration == "bound" else 0.0)
    return f"False alarms: at most {100 * rate:.2g} % on average"
