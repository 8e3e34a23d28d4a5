"""What a learnt function goes by, in the words of the objects: the weights of its explicit features.

A function f = Σᵢ aᵢ κ(xᵢ, ·) of a kernel with an explicit map φ is a weighted sum of features,

    f(x) + b = Σ_u w_u φ_u(x) + b,        w = Σᵢ aᵢ φ(xᵢ),

and where the features are columns, words, substrings or categories the weights say which of them speak for which class,
and how loudly. That is exact: the sum is the decision function, not an approximation of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gramian.checks import Array, whole
from gramian.gram.gram import features_on_host
from gramian.learn.base import KernelEstimator
from gramian.space.vectors import Vectors

SHOWN = 5  # features of each function that are printed


@dataclass(frozen=True, eq=False)
class FeatureWeights:
    """The weights of explicit features in one or several learnt functions, the weightiest feature first.

    Attributes
    ----------
    features : tuple of str
        The names of the features: columns, words, substrings, categories.
    weights : array of shape (features, functions)
        w. A positive weight speaks for the function's class, or raises its number.
    functions : tuple
        What each function speaks for: a class, a target, a component.
    intercepts : array of shape (functions,)
        b, with Σ w φ(x) + b the decision function, the prediction or the coordinate.
    against : object
        Of two classes that one function tells apart the other one, for which negative weights speak; else None.

    See Also
    --------
    KernelClassifier : classification by least squares
    KernelRidge : ridge regression
    effects : how an answer changes with one column

    Notes
    -----
    Cost: memory for one number for each feature and function.

    Examples
    --------
    >>> import gramian as gm
    >>> texts = ["good film", "good, really good", "bad film", "really bad"]
    >>> model = gm.KernelClassifier(gm.BagOfWords(weighting="tf"), ridge=1.0)
    >>> found = model.fit(texts, ["praise", "praise", "blame", "blame"]).feature_weights()
    >>> found
    4 features; what speaks for
      'praise': good 0.61, film 0.102
      'blame': bad −0.542, really −0.102
    >>> found.ranked(top=1)[0][0]
    'good'
    """

    features: tuple[str, ...]
    weights: Array
    functions: tuple[Any, ...]
    intercepts: Array
    against: Any = None

    def __len__(self) -> int:
        return len(self.features)

    def ranked(self, function: Any = None, top: int | None = None) -> list[tuple[str, float]]:
        """Return pairs of a feature and its weight in one function, the largest magnitude first.

        Parameters
        ----------
        function : object, optional
            The class, target or component, as `functions` names it; needed where there are several.
        top : int, optional
            How many; all by default.
        """
        w = self.weights[:, self._place(function)]
        order = np.argsort(-np.abs(w), kind="stable")[: None if top is None else whole(top, "top")]
        return [(self.features[u], float(w[u])) for u in order]

    def _place(self, function: Any) -> int:
        if function is None and len(self.functions) == 1:
            return 0
        if function not in self.functions:
            known = ", ".join(map(repr, self.functions[:8]))
            raise ValueError(f"function is {function!r}; one of {known} expected")
        return self.functions.index(function)

    def __repr__(self) -> str:
        lines = [f"{len(self):,} {'feature' if len(self) == 1 else 'features'}; what speaks for"]
        for place, name in enumerate(self.functions[:8]):
            lines.append(f"  {_written(name)}: {self._spoken(place, +1)}")
            if self.against is not None:
                lines.append(f"  {_written(self.against)}: {self._spoken(place, -1)}")
        more = len(self.functions) - 8
        return "\n".join(lines + ([f"  and {more} more"] if more > 0 else []))

    def _spoken(self, place: int, sign: int) -> str:
        w = sign * self.weights[:, place]
        noise = 1e-3 * float(np.abs(w).max(initial=0.0))
        order = [u for u in np.argsort(-w, kind="stable")[:SHOWN] if w[u] > noise]
        return ", ".join(f"{self.features[u]} {sign * w[u]:.3g}" for u in order).replace("-", "−") or "nothing"


def _written(name: Any) -> str:
    return repr(name.item() if isinstance(name, np.generic) else name)


class Weighted(KernelEstimator):
    """A learner whose answers are functions, ⟨w, φ(x)⟩ + b, and can be told feature by feature."""

    def _functions(self) -> tuple[Vectors, Array | None, Any, tuple[Any, ...], Any]:
        """Return w, its explicit weights where they are kept, b, what each function speaks for, and against what."""
        raise NotImplementedError

    def feature_weights(self, names: Sequence[str] | None = None, top: int | None = None) -> FeatureWeights:
        """Return the weights of the explicit features: which columns, words or substrings speak for what.

        Parameters
        ----------
        names : sequence of str, optional
            The names of the columns of X, where it is an array; those of the data frame by default.
        top : int, optional
            Return those features only that are among the `top` weightiest of some function; all by default, of which
            the weighted sum is the decision function exactly.

        Raises
        ------
        TypeError
            If the kernel has no explicit features, or these have no names.

        Notes
        -----
        The weights are those of the features as the kernel makes them: of standardized columns where it standardizes,
        of counts over their norm where it is normalized. Weights of columns in different units do not compare:
        standardize them, ``kernel.pullback(gm.Standardize())``.
        """
        check_is_fitted(self)
        functions, primal, intercepts, labels, against = self._functions()
        kernel, points = functions.space.kernel, functions.points
        try:
            phi = features_on_host(kernel, points)
            features = kernel.named(points, self._column_names(names))
        except TypeError as error:
            raise TypeError(
                f"{kernel!r} has no features that could be named ({error}); gm.importance(model, X, y) tells which "
                "columns matter, and gm.effects(model, X, column) how"
            ) from error
        if len(features) != phi.shape[1]:
            raise ValueError(f"names are {len(features)}, and there are {phi.shape[1]} features: one for each expected")
        w = phi.T @ functions.weights if primal is None else primal
        table = np.asarray(w, dtype=np.float64).reshape(len(features), -1)
        order = np.argsort(-np.abs(table).max(axis=1), kind="stable")
        if top is not None:
            leading = np.argsort(-np.abs(table), axis=0, kind="stable")[: whole(top, "top")]
            order = order[np.isin(order, leading)]
        chosen = tuple(features[u] for u in order)
        return FeatureWeights(chosen, table[order], labels, np.atleast_1d(np.asarray(intercepts, float)), against)

    def _column_names(self, names: Sequence[str] | None) -> list[str]:
        """Return what the columns of vectors are called; nothing where objects are no vectors."""
        if names is None:
            names = getattr(self, "feature_names_in_", None)
        if names is not None:
            return [str(name) for name in names]
        return [f"column {j}" for j in range(getattr(self, "n_features_in_", 0))]
