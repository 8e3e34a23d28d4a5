"""The functions of scikit-learn that gramian uses though scikit-learn does not promise to keep them.

They check and cut up what scikit-learn's own estimators take (arrays, lists, data frames, sparse matrices), so that
ours take the same and say the same of what is wrong. Their names begin with an underscore: any version may rename them.
So they are looked up here and nowhere else, and where one is gone the error names it and the version.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
import sklearn

PRIVATE = {
    "_safe_indexing": "sklearn.utils",
    "_num_samples": "sklearn.utils.validation",
    "_check_y": "sklearn.utils.validation",
    "_check_sample_weight": "sklearn.utils.validation",
}


def look_up(name: str) -> Any:
    """Return a private function of scikit-learn, or say which version lacks it."""
    try:
        return getattr(import_module(PRIVATE[name]), name)
    except (ImportError, AttributeError) as error:
        raise ImportError(
            f"scikit-learn {sklearn.__version__} has no {PRIVATE[name]}.{name}, which gramian uses: "
            "install a newer gramian, or an older scikit-learn"
        ) from error


_safe_indexing, _num_samples, _check_y, _check_sample_weight = map(look_up, PRIVATE)


def take_rows(X: Any, rows: Any) -> Any:
    """Return the objects at the given places, in a container of the kind they came in."""
    return X if isinstance(X, Mapping) else _safe_indexing(X, rows)  # a mapping is refused by the kernel, by its name


def count_objects(X: Any) -> int:
    """Return the number of objects, or raise where X is no collection."""
    return int(_num_samples(X))


def check_targets(y: Any, *, multi_output: bool, numeric: bool, estimator: Any) -> Any:
    """Return targets as an array without NaN or infinity, or raise in the words of scikit-learn."""
    return _check_y(y, multi_output=multi_output, y_numeric=numeric, estimator=estimator)


def check_weights(sample_weight: Any, X: Any) -> Any:
    """Return one weight of at least 0 for each object, in double precision."""
    return _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
