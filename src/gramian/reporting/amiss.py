"""Why an object was mistaken: in which columns it is unlike those of its own class, or those of its own number.

A model that has not seen the object is asked again, with the value of one column replaced by a usual one of the objects
whose target is the same, or the nearest: the column whose replacement helps most is named, with the value and the usual
range, and then perhaps another. What none of these would mend has no reason in a single column.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gramian.checks import Array, is_sparse
from gramian.intake.dates import iso_of
from gramian.learn.fields import fields_of
from gramian.reporting.because import Because, dates_like
from gramian.reporting.contest import Contest
from gramian.reporting.study import Study

FEWEST = 10  # objects to learn from, below which nothing is asked
LEARNT = 600  # objects from which the model learns that is asked
WIDE = 60  # columns up to which each is replaced
LIKE = 30  # objects of the nearest numbers, by which is told what is usual with such a number
NAMED = 2  # columns at most
HELPS = 0.1  # of the probability that is wanting, or of the error, that a replacement takes away to be named
USUAL = (0.05, 0.95)
TOLD = ("number", "date", "category")  # kinds of columns in which something is usual
COMMON = 2  # categories that are told as usual


def amiss(study: Study, contest: Contest, mistaken: Array) -> list[list[Because]]:
    """Return for each object, at its place in the contest, the columns that speak against its target."""
    data, entrant, rows = study.data, contest.entrants[contest.best], contest.rows[mistaken]
    found: list[list[Because]] = [[] for _ in rows]
    if data.kind not in ("vectors", "records") or is_sparse(data.X) or not 0 < len(data.recipe.columns) <= WIDE:
        return found
    assert entrant.model is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for asked, others in _asked(contest, mistaken):
            train = study.some(LEARNT, others)
            if len(train) < FEWEST:
                continue
            try:
                model = entrant.model(study.choice.kernel, train, study.target(train))
                model.fit(study.objects(train), study.target(train))
                for k in asked.tolist():
                    found[k] = _reasons(study, contest, model, train, int(rows[k]))
            except (ValueError, ArithmeticError, AttributeError):  # a class may be missing among so few
                continue
    return found


def _asked(contest: Contest, mistaken: Array) -> list[tuple[Array, Array]]:
    """Return which of the objects are asked about together, and the rows to learn from: nothing of the same unit.

    In time these are those of the fold, which came before; else all others, so that one model is enough.
    """
    rows = contest.rows[mistaken]
    if len(contest.rows) == len(contest.learnt):
        return [(np.arange(len(rows)), contest.rows[~np.isin(contest.unit, contest.unit[mistaken])])]
    folds = [
        (np.flatnonzero(np.isin(rows, contest.learnt[one.test])), contest.learnt[one.train]) for one in contest.cut
    ]
    return [(asked, train) for asked, train in folds if len(asked)]


def _reasons(study: Study, contest: Contest, model: Any, train: Array, row: int) -> list[Because]:
    """Return the columns of an object that, replaced, bring the answer of a model nearest to the truth."""
    target = study.target(np.array([row]))[0]
    peers = _peers(study.target(train), target)
    if not len(peers):
        return []
    one = fields_of(study.objects(np.array([row])))
    like = fields_of(study.objects(train[peers]))
    own, kinds = study.data.recipe.columns, study.data.recipe.kinds
    names = [(own[k], name) for k, name in enumerate(one.names) if kinds[own[k]] in TOLD]
    changed = [one.put(name, _usual(like.values(name))) for _, name in names]
    wrong = _wrong(model, np.concatenate([one.X, *changed]), target)
    gain = wrong[0] - wrong[1:]
    order = [k for k in np.argsort(-gain, kind="stable")[:NAMED].tolist() if gain[k] > HELPS * max(wrong[0], 1e-300)]
    foremost = [names[k] for k in order]
    return [_told(study, row, called, one.values(name)[0], like.values(name)) for called, name in foremost]


def _peers(y: Array, target: Any) -> Array:
    """Return the places of the objects whose target is the same, or the nearest."""
    if y.dtype.kind != "f":
        return np.flatnonzero(y == target)
    return np.argsort(np.abs(y - target), kind="stable")[:LIKE]


def _usual(values: Array) -> Array:
    """Return the median of numbers, or the commonest of other values."""
    if values.dtype.kind in "fiu":
        return np.array([np.median(values)])
    return np.array([_commonest(values)[0]], dtype=object)


def _commonest(values: Array) -> list[Any]:
    known: dict[Any, int] = {}
    for value in values.tolist():
        known[value] = known.get(value, 0) + 1
    return sorted(known, key=lambda value: -known[value])


def _wrong(model: Any, X: Any, target: Any) -> Array:
    """Return how wrong a model is: what is wanting of the probability of the true class, or the error."""
    if isinstance(target, str):
        return np.asarray(1 - model.predict_proba(X)[:, list(model.classes_).index(target)])
    return np.asarray(np.abs(np.asarray(model.predict(X), dtype=np.float64) - target))


def _told(study: Study, row: int, name: str, value: Any, peers: Array) -> Because:
    data = study.data
    missing = name in data.gaps and bool(data.gaps[name][row])
    if peers.dtype.kind not in "fiu":
        return Because(name, None if missing else value, _commonest(peers)[:COMMON])
    ends = np.quantile(peers, USUAL).tolist()
    if data.recipe.kinds.get(name) == "date":
        return Because(name, None if missing else iso_of(float(value)), dates_like(float(value), ends))
    return Because(name, None if missing else float(value), ends)
