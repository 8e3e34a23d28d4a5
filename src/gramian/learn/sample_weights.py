"""Weights of objects, as learners take them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.checks import Array, at_hand
from gramian.learn.sklearn_private import check_weights

WEIGHTS = (1e-100, 1e100)  # between which the largest weight of an object must lie, so that products stay within range


def checked_weights(sample_weight: Any, X: Any) -> Array | None:
    """Return sample weights, one number of at least 0 for each object; None where none are given."""
    if at_hand(sample_weight) is None:
        return None
    w = check_weights(sample_weight, X)
    if not w.any():
        raise ValueError("sample_weight is zero for every object; at least one positive weight expected")
    if not WEIGHTS[0] <= w.max() <= WEIGHTS[1]:
        raise ValueError(
            f"the largest of sample_weight is {w.max():.1g}; a number between {WEIGHTS[0]:g} and {WEIGHTS[1]:g} "
            "expected: divide the weights, and the ridge, by a constant"
        )
    return np.asarray(w)
