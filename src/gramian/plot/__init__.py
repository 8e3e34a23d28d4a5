"""Pictures of what was learnt, with Matplotlib (``pip install "gramian[plot]"``).

Every function takes an `ax` to draw on (a new figure by default) and returns it.

    decision_regions      the plane as a classifier sees it
    fisher_projection     the classes along Fisher's direction, and where it cuts
    components, scree     kernel PCA: the objects in the plane of two components; the variance that each holds
    novelty_sphere        the plane as a novelty detector sees it
    novelty_distances     sorted distances from the centre, and the threshold
    ridge_path            leave-one-out error and effective degrees of freedom against the ridge
    gram_heatmap          the Gram matrix, ordered by cluster
    importance            what each column matters to the predictions
    effects               how an answer changes with one column
    feature_weights       the words or substrings that speak for a class
    profile               what sets a class apart
"""

from gramian.plot.classes import decision_regions, fisher_projection
from gramian.plot.components import components, scree
from gramian.plot.explained import effects, feature_weights, importance, profile
from gramian.plot.matrix import gram_heatmap
from gramian.plot.novelty import novelty_distances, novelty_sphere
from gramian.plot.path import ridge_path

__all__ = [
    "components",
    "decision_regions",
    "effects",
    "feature_weights",
    "fisher_projection",
    "gram_heatmap",
    "importance",
    "novelty_distances",
    "novelty_sphere",
    "profile",
    "ridge_path",
    "scree",
]
