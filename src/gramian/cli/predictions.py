"""What is told of new objects: the prediction, how sure it is, and how good where the answer is known.

Classes come with a probability each, numbers with the ends of an interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian.checks import Array


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions of objects, and beside them a table of what is more to say: its header, and a row for each."""

    values: Array
    header: tuple[str, ...]
    table: Array
    share: float

    @classmethod
    def of(cls, model: Any, X: Any, share: float) -> Predictions:
        """Ask a model; of numbers the intervals are to hold that share."""
        values = model.predict(X)
        if hasattr(model, "predict_proba"):
            names = tuple(f"probability of {label}" for label in model.classes_.tolist())
            return cls(values, names, model.predict_proba(X), share)
        if hasattr(model, "predict_interval"):
            return cls(values, ("low", "high"), np.column_stack(model.predict_interval(X, 1 - share)), share)
        return cls(values, (), np.empty((len(values), 0)), share)

    @property
    def columns(self) -> list[list[Any]]:
        """The predictions, and what belongs to the header."""
        return [self.values.tolist(), *self.table.T.tolist()]

    def score(self, known: Array, target: str) -> str:
        """Say how good they are where the answer is known; nothing where it nowhere is."""
        classes = self.values.dtype.kind != "f"
        there = np.array([value is not None and value == value for value in known.tolist()], dtype=bool)
        if not there.any():
            return ""
        truth, values = known[there], self.values[there]
        if classes:
            told = f"accuracy {100 * np.mean(truth.astype(str) == values.astype(str)):.1f} %"
        else:
            told = f"root mean square error {np.sqrt(np.mean(np.square(truth - values))):.4g}"
            if self.header:
                low, high = self.table[there].T
                inside = 100 * np.mean((truth >= low) & (truth <= high))
                told += f"; {inside:.1f} % within the intervals, which are to hold {100 * self.share:g} %"
        return (
            f"Of {int(there.sum()):,} objects {target!r} is known: {told}. Too good if the model has learnt from them."
        )
