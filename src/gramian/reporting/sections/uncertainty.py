"""How sure a prediction is, and whether more data would help, both held against objects that were not seen.

    numbers     how wide intervals are that should hold 90 % of new targets, and how many they hold
    classes     probabilities, calibrated by leaving one out: how sure the model says it is, and how often it is right
    learning    the model learns from an eighth, a quarter and half of the objects of each fold, and predicts the same
                ones as in the contest

Every share is held against its standard error, widened for what the folds have in common.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.learn.classifier import KernelClassifier
from gramian.learn.intervals import Intervals, half_width
from gramian.learn.ridge import KernelRidge
from gramian.reporting.blocks import Block, Section, fact, facts, figure, number, plus_minus, share, text
from gramian.reporting.contest import Contest, Entrant, called
from gramian.reporting.matters import asked
from gramian.reporting.measures import Difference, beyond, paired
from gramian.reporting.splits import Fold
from gramian.reporting.study import Study
from gramian.runtime.progress import each, task

ALPHA = 0.1
MOST = 1500  # objects by which intervals and probabilities are held
LEARNT = 6000  # objects of which the parts are taken from which models learn
PARTS = (8, 4, 2)
LEAST = 10  # objects that are learnt from
PAST = 2 / 3  # of what is learnt from, where what follows in time is to be told; the rest tells how well
TWO = 2.0  # standard errors within which a share is what was promised


@dataclass(frozen=True)
class Promise:
    """A share that is promised, the one that was found, its standard error, and of numbers the width of intervals."""

    promised: float
    found: float
    error: float
    width: float | None = None

    @property
    def kept(self) -> bool:
        """Whether what was found is no farther from what is promised than chance would make it."""
        return abs(self.found - self.promised) <= TWO * self.error


@dataclass(frozen=True, eq=False)
class Learning:
    """The losses at each object by models that learnt from ever more of the others, in shares of them."""

    model: str
    shares: tuple[float, ...]
    values: tuple[float, ...]
    errors: tuple[float, ...]
    gain: Difference
    numbers: bool

    @property
    def helps(self) -> bool:
        """Whether twice as many objects were of use, beyond the error of the comparison."""
        return beyond(self.gain)


def section(study: Study, contest: Contest | None) -> Section | None:
    """Return how sure predictions are; None where nothing is predicted."""
    if contest is None or contest.signal.level == "none" or study.walks or len(contest.cut) < 2:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with task("", 3) as progress:
            promise = held(study, contest)
            progress.advance(1, stride=2)
            curve = learning(study, contest)
    said = [_sure(promise, contest.numbers)] if promise else []
    said += [_more(curve)] if curve else []
    if promise is None and curve is None:
        return None
    blocks: list[Block] = []
    if promise is not None:
        blocks += [_facts(promise, contest.numbers), text(_meaning(study, contest.numbers))]
    if curve is not None:
        blocks.append(_curve(curve, contest))
    return Section("uncertainty", "How sure that is", " ".join(said), blocks, _numbers(promise, curve, contest))


def held(study: Study, contest: Contest) -> Promise | None:
    """Return what the intervals or probabilities of kernel ridge regression promise, and what held-out objects say."""
    few = study.some(MOST, np.arange(len(contest.learnt)))
    kept = np.isin(np.arange(len(contest.learnt)), few)
    inside: list[Array] = []
    promised: list[Array] = []
    widths: list[Array] = []
    rows, units = contest.learnt, []
    position = {int(row): k for k, row in enumerate(contest.rows.tolist())}
    for fold in each(contest.cut):
        train, test = rows[fold.train[kept[fold.train]]], rows[fold.test[kept[fold.test]]]
        y = study.target(train)
        if len(train) < LEAST or not len(test) or not np.any(y != y[0]):
            return None
        model = _model(study, contest, train, y)
        true = study.target(test)
        try:
            if contest.numbers:
                low, high = _intervals(study, model, train, test)
                inside.append((low <= true) & (true <= high))
                widths.append(high - low)
                promised.append(np.full(len(test), 1 - ALPHA))
            else:
                probability = model.predict_proba(study.objects(test))
                inside.append(model.classes_[np.argmax(probability, axis=1)] == true)
                promised.append(probability.max(axis=1))
        except (ValueError, ArithmeticError, AttributeError, TypeError):
            return None
        units.append(contest.unit[[position[int(row)] for row in test]])
    right, sure = np.concatenate(inside).astype(np.float64), np.concatenate(promised)
    width = float(np.median(np.concatenate(widths))) if widths else None
    if width is not None and not np.isfinite(width):
        return None
    error = paired(right, sure, contest.factor, np.concatenate(units)).error
    if not error:  # all were right: as for one more that was not
        error = 1 / (len(right) + 1)
    return Promise(float(sure.mean()), float(right.mean()), float(error), width)


def _intervals(study: Study, model: KernelRidge, train: Array, test: Array) -> Intervals:
    """Return the intervals of objects not seen, by what was left out as they are: objects, units, or what came later.

    In time the model learns from the first part only, and its errors at the rest tell how wide intervals are.
    """
    splits, X = study.splits, study.objects(test)
    if splits.time is not None:
        order = train[np.argsort(splits.time[train], kind="stable")]
        past, later = np.split(order, [int(PAST * len(order))])
        model = model.fit(study.objects(past), study.target(past))
        residuals = study.target(later) - model.predict(study.objects(later))
        said, width = model.predict(X), half_width(residuals, ALPHA)
        return Intervals(said - width, said + width)
    unit = splits.unit[train]
    together = len(np.unique(unit)) < len(unit) and model.rank == "exact"
    return model.predict_interval(X, ALPHA, unit if together else None)


def _model(study: Study, contest: Contest, train: Array, y: Array) -> Any:
    ridge = next(one for one in contest.entrants if one.formula == "ridge")
    assert ridge.model is not None
    model: KernelRidge | KernelClassifier = ridge.model(study.choice.kernel, train, y)
    return model.fit(study.objects(train), y)


def learning(study: Study, contest: Contest) -> Learning | None:
    """Return how the error falls as there is more to learn from, at the same objects; None of too few."""
    entrant = asked(contest)
    rng = np.random.default_rng(study.seed)
    orders = []
    for fold in contest.cut:
        order = rng.permutation(fold.train)[:LEARNT]
        orders.append(fold._replace(train=order, test=fold.test[:LEARNT]))
    if min(len(fold.train) for fold in orders) // PARTS[0] < LEAST:
        return None
    found = []
    with task("", sum(1 / part for part in (*PARTS, 1))) as progress:
        for part in (*PARTS, 1):
            progress.advance(sum(1 / before for before in (*PARTS, 1) if before > part), stride=1 / part)
            found.append(_losses(study, contest, entrant, orders, part))
    if any(one is None for one in found):
        return None
    losses = [one for one in found if one is not None]
    place = {int(row): k for k, row in enumerate(contest.rows.tolist())}
    seen = [place[int(contest.learnt[k])] for fold in orders for k in fold.test.tolist()]
    unit = contest.unit[seen]
    nothing = np.zeros(len(seen))
    means = [paired(one, nothing, contest.factor, unit) for one in losses]
    if contest.numbers:
        values = tuple(float(np.sqrt(one.value)) for one in means)
        errors = tuple(one.error / (2 * root) if root else 0.0 for one, root in zip(means, values, strict=True))
    else:
        values, errors = tuple(one.value for one in means), tuple(one.error for one in means)
    gain = paired(losses[-2], losses[-1], contest.factor, unit)
    return Learning(entrant.name, tuple(1 / part for part in (*PARTS, 1)), values, errors, gain, contest.numbers)


def _losses(study: Study, contest: Contest, entrant: Entrant, folds: list[Fold], part: int) -> Array | None:
    """Return the loss at each object of the folds, by a model that learnt from a part of the others."""
    losses = []
    for fold in each(folds):
        train = np.sort(fold.train[: len(fold.train) // part])
        rows, test = contest.learnt[train], contest.learnt[fold.test]
        y, true = study.target(rows), study.target(test)
        if not contest.numbers:
            known, counts = np.unique(y, return_counts=True)
            kept = np.isin(y, known[counts > 1])
            rows, y = rows[kept], y[kept]
        if len(rows) < LEAST or not np.any(y != y[0]):
            return None
        said = entrant.predict(study.choice.kernel, rows, y, test).predicted
        losses.append(np.square(said - true) if contest.numbers else (said != true).astype(np.float64))
    return np.concatenate(losses)


def _sure(found: Promise, numbers: bool) -> str:
    """Say whether the promise was kept, and how sure predictions are."""
    if numbers:
        assert found.width is not None
        words = f"A prediction lies within ±{number(found.width / 2)} of the truth in {share(found.promised)} of cases"
        if found.kept:
            return f"{words}: that was promised, and {share(found.found)} of the objects not seen keep to it."
        how = "fewer" if found.found < found.promised else "more"
        return (
            f"{words}, or so is promised; yet {share(found.found)} of the objects not seen keep to it, {how} than that."
        )
    words = f"The probabilities say {share(found.promised)} on average for the class that they favour"
    if found.kept:
        return f"{words}, and it is right in {share(found.found)}: they can be taken at their word."
    how = "too sure of itself" if found.found < found.promised else "surer than it says"
    return f"{words}, and it is right in {share(found.found)}: the model is {how}."


def _more(found: Learning) -> str:
    """Say whether more objects would help."""
    half, whole = map(number if found.numbers else share, found.values[-2:])
    error = f"from half of them to all the error of {called(found.model)}"
    if found.helps:
        return f"More objects would probably help: {error} fell from {half} to {whole}."
    return (
        f"It does not show that more objects would help: {error} went from {half} to {whole}, no more than chance "
        "would make it."
    )


def _facts(found: Promise, numbers: bool) -> Block:
    told = plus_minus(found.found, found.error, shares=True)
    if numbers:
        assert found.width is not None
        return facts(
            fact("width of an interval", number(found.width), "median, of those for 90 %"),
            fact("held", told, f"of the objects not seen; {share(found.promised)} promised"),
        )
    return facts(
        fact("probability of the favoured class", share(found.promised), "on average, as the model says"),
        fact("right", told, "of the objects not seen"),
    )


def _meaning(study: Study, numbers: bool) -> str:
    if numbers and study.splits.time is not None:
        return (
            "Intervals are those of kernel ridge regression on the first two thirds of what was known, as wide as its "
            "errors at the last third: they hold what is promised as long as what follows is as far from the past as "
            "that third was."
        )
    if numbers and study.data.group is not None:
        return (
            f"Intervals are those of kernel ridge regression for rows of a new “{study.data.group}” (predict_interval "
            "with groups=): whole groups were left out, and they hold about what is promised where new groups are "
            "drawn as these were."
        )
    if numbers:
        return (
            "Intervals are those of kernel ridge regression (KernelRidge.predict_interval, the jackknife+): for "
            "objects drawn as these were, they are wrong in at most twice the share that they are meant to be, and in "
            "about that share in practice."
        )
    return (
        "Probabilities are those of kernel ridge regression on the classes (KernelClassifier.predict_proba), "
        "calibrated on objects that were left out."
    )


def _curve(found: Learning, contest: Contest) -> Block:
    least = min(len(fold.train) for fold in contest.cut)
    sizes = [min(least, LEARNT) * part for part in found.shares]
    what = "root mean squared error" if contest.numbers else "share of mistakes"
    low, high = (
        [value + side * error for value, error in zip(found.values, found.errors, strict=True)] for side in (-1, 1)
    )
    return figure(
        "learning",
        "Would more objects help?",
        "lines",
        {
            "x_label": "objects learnt from",
            "y_label": what,
            "x_log": True,
            "y_log": False,
            "series": [{"name": found.model, "x": sizes, "y": found.values, "dashed": False, "low": low, "high": high}],
            "marks": [],
        },
        f"{_more(found)} All predict the same objects, which none of them had seen.",
        "learning",
    )


def _numbers(promise: Promise | None, curve: Learning | None, contest: Contest) -> dict[str, Any]:
    return {
        "promised": None if promise is None else promise.promised,
        "held": None if promise is None else promise.found,
        "held_error": None if promise is None else promise.error,
        "kept": None if promise is None else promise.kept,
        "width": None if promise is None else promise.width,
        "learning": None
        if curve is None
        else {
            "model": curve.model,
            "shares": curve.shares,
            "rmse" if contest.numbers else "mistakes": curve.values,
            "errors": curve.errors,
            "gain": curve.gain.value,
            "gain_error": curve.gain.error,
            "helps": curve.helps,
        },
    }
