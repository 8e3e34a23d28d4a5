"""Probabilities of classes from decision values, calibrated on objects that were left out.

A decision function g orders objects, and does not say how sure it is. Probabilities of the form

    p(c | x) ∝ exp(a g_c(x) + b_c),        a ≥ 0,

for two classes the logistic function of a g(x) + b (Platt's), are fitted to the decision values that each training
object has under the model learnt *without* it: on those it has under the whole model every learner seems sure of
itself. Leave-one-out values have a closed form, so that nothing is learnt again. One slope, and at most one shift a
class, are all there is to find, and few objects suffice for that.

What is maximised is the likelihood, with one object more: one whose margin, the distance between the largest decision
value and the next, is the median one, and that was mistaken. So the slope stays finite where no object is mistaken, and
the probabilities of n such objects say something like n in n + 1. Platt softens the labels instead, of all objects; for
values of very different size, as those of the discriminants of many classes, that costs most of the sharpness. The
problem is convex.

Shifts are for learners whose border is not where classes are equally likely. They are learnt only where the likelihood
gains more than Schwarz's ½ (c − 1) log n by them, and are 0 otherwise: then the most probable class is the predicted
one. So the two differ only where the objects that were left out clearly speak for it.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.optimize
from scipy.special import expit, log_softmax, softmax

from gramian.checks import Array

MOST_STEPS = 1000
FINE = 1e-10  # slope of the likelihood, for each object, at which it is taken to be largest
LARGEST = 1e300  # of a scaled decision value


@dataclass(eq=False)
class Calibration:
    """The slope a and the shifts b_c, found when they are first asked for.

    Attributes
    ----------
    slope : float or None
        a; None as long as it has not been asked for.
    shifts : array of shape (c,) or None
        b_c, of which the first is 0.
    """

    slope: float | None = None
    shifts: Array | None = None

    def learn(self, decisions: Array, labels: Array, count: int, weights: Array | None = None) -> Self:
        """Find a and b from decision values of objects that were left out, and the numbers of their classes.

        An object without a finite value is left aside, as the lone member of a class, without which there is no class.
        """
        G = columns(decisions)
        w = np.ones(len(G)) if weights is None else weights
        known = np.isfinite(G).all(axis=1) & (w > 0)
        G, labels, w = G[known], labels[known], w[known]
        w, unit = w / w.mean() if len(w) else w, _doubt(G)
        plain, cost = _fitted(G / unit, labels, w, shifts=0)
        shifted, cheaper = _fitted(G / unit, labels, w, shifts=count - 1)
        clear = (count - 1) / 2 * np.log(max(len(w), 2))
        slope, *shifts = shifted if cost - cheaper > clear else np.append(plain, np.zeros(count - 1))
        self.slope, self.shifts = float(slope) / unit, np.append(0.0, shifts)
        return self

    def probabilities(self, decisions: Array) -> Array:
        """Return p(c | x), m × c; rows sum to 1."""
        if self.slope is None or self.shifts is None:
            raise ValueError("nothing was learnt of probabilities yet")
        with np.errstate(over="ignore"):
            scores = np.clip(self.slope * columns(decisions), -LARGEST, LARGEST)
        return np.asarray(softmax(scores + self.shifts, axis=1))


class Calibrated:
    """A classifier with decision values that can say how sure it is."""

    _calibration: Calibration
    classes_: Array

    def decision_function(self, X: Any) -> Array:
        raise NotImplementedError

    def _left_out_decisions(self) -> tuple[Array, Array, Array | None]:
        """Return decision values of objects by models without them, the numbers of their classes, and weights."""
        raise NotImplementedError

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, m × c, in the order of `classes_`; rows sum to 1.

        They are p(c | x) ∝ exp(a g_c(x) + b_c), g the decision function, fitted to the decision values that training
        objects (in low rank some of them) have under the models without them, when they are first asked for. For two
        classes they grow with the decision function. The most probable class is the one `predict` decides for, unless
        the objects that were left out clearly speak against it: where classes are of unequal size, Fisher's
        discriminant and the nearest centre give the rare one the same say as the frequent one, whereas probabilities
        count how frequent they are.
        """
        decisions = self.decision_function(X)
        found = self.__dict__.get("_calibration") or Calibration()  # a model of an earlier version has none
        if found.slope is None:
            left, labels, weights = copy(self)._left_out_decisions()  # a copy, because asking leaves marks
            found.learn(left, labels, len(self.classes_), weights)
        return found.probabilities(decisions)


def _fitted(G: Array, labels: Array, weights: Array, shifts: int) -> tuple[Array, float]:
    """Return the slope and so many shifts that make the labels likeliest, and what the likelihood leaves."""
    total, own = weights.sum() + 1, (np.arange(len(G)), labels)

    def loss(parameters: Array) -> tuple[float, Array]:
        a, b = parameters[0], np.zeros(G.shape[1])
        b[len(b) - shifts :] = parameters[1:]
        logs = log_softmax(a * G + b, axis=1)
        left = np.exp(logs)
        left[own] -= 1
        left *= weights[:, None]
        slopes = np.append(np.vdot(left, G) + expit(a), left[:, len(b) - shifts :].sum(axis=0))
        return float(np.logaddexp(0.0, a) - weights @ logs[own]) / total, slopes / total

    start, bounds = np.append(1.0, np.zeros(shifts)), [(0.0, None), *[(None, None)] * shifts]
    settings = {"maxiter": MOST_STEPS, "maxfun": MOST_STEPS, "gtol": FINE, "ftol": 0.0}
    found = scipy.optimize.minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=settings)
    return np.asarray(found.x), float(found.fun) * total


def columns(decisions: Array) -> Array:
    """Return decision values with a column for each class: of two classes, half of the value, less and more."""
    G = np.asarray(decisions, dtype=np.float64)
    return np.column_stack([-G / 2, G / 2]) if G.ndim == 1 else G


def _doubt(G: Array) -> float:
    """Return the median margin of objects, 1 where there is none."""
    best = np.sort(G, axis=1)[:, -2:]
    margins = best[:, 1] - best[:, 0]
    return float(np.median(margins[margins > 0])) if margins.any() else 1.0
