"""Objects, kernels, learners and targets of every kind together: a finite right answer, or one clear error.

What is right is asked where that is cheap: entries of K by single pairs, tiles against the whole, a permutation of the
objects, another unit of the target, counts as weights, and the same bits from a pickled and from a saved model.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import gramian as gm
from gramian.models import ModelFileError, load, save
from gramian.places.cores import tiles

from . import kernels, learners, objects
from .attack import Attack, Case, Wrong, one_of, require, require_close, require_finite, require_same
from .objects import Sample, chosen, count

METHODS = ("predict", "decision_function", "score_samples", "p_values", "transform", "reconstruction_error")
TOLERANCE = 1e-6
Make = Callable[[], gm.Kernel]


def make(rng: np.random.Generator) -> Case:
    """Return a case: one of the things that are done with a kernel and objects."""
    what = ACTIVITIES[int(rng.choice(len(ACTIVITIES), p=(0.62, 0.2, 0.13, 0.05)))]
    return what(rng)


# Learners


def learning(rng: np.random.Generator) -> Case:
    """Return a case in which a learner is fitted, asked, pickled and saved."""
    sample, learner = objects.draw(rng), learners.draw(rng)
    name, kernel = kernels.draw(rng, sample)
    wanted, y = learners.target(rng, learner, len(sample))
    weighted, weights = learners.weights(rng, len(sample)) if learner.name.startswith("ridge") else ("", None)
    check = one_of(rng, CHECKS) if sample.tame else "none"

    def action() -> None:
        more = {} if weights is None else {"sample_weight": weights}
        model = learner.make(kernel()).fit(sample.X, y, **more)
        first = answers(model, sample.new)
        for method, values in (first | answers(model, sample.X)).items():
            if method != "decision_function" or np.isfinite(getattr(model, "threshold_", 0.0)):  # infinite: never fires
                require_finite(values, f"{learner.name}: {method} is")
        keeps_its_answers(model, sample.new, first)
        CHECKS[check](learner, kernel, sample, y, weights, model)

    words = f"{learner.name} of {wanted}{weighted} with {name} on {sample.words}; {check}"
    return Case(words, action)


def answers(model: Any, X: Any) -> dict[str, Any]:
    """Return what each method of a fitted learner says of objects."""
    return {name: np.asarray(getattr(model, name)(X)) for name in METHODS if hasattr(model, name)}


def keeps_its_answers(model: Any, X: Any, first: dict[str, Any]) -> None:
    """Require the same bits of the model that was pickled and of the one that was saved."""
    try:
        pickled = pickle.loads(pickle.dumps(model))
    except (AttributeError, pickle.PicklingError):  # a generator or a function among the parameters
        pickled = model
    for name, values in answers(pickled, X).items():
        require_same(values, first[name], f"pickled, {name}")
    path = Path(_folder(), f"{os.getpid()}.gramian")
    try:
        save(model, path, overwrite=True)
    except TypeError as error:
        raise Wrong(f"cannot be saved: {error}") from error
    try:
        again = load(path)
    except ModelFileError as error:
        raise Wrong(f"cannot be loaded: {error.reason}") from error
    for name, values in answers(again, X).items():
        require_same(values, first[name], f"saved, {name}")


_FOLDERS: list[str] = []


def _folder() -> str:
    """Return a folder in memory where there is one: the disk need not be waited for."""
    if not _FOLDERS:
        os.fsync = lambda handle: None  # type: ignore[assignment]
        _FOLDERS.append(
            tempfile.mkdtemp(prefix="gramian-campaign-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        )
    return _FOLDERS[0]


def nothing_more(*_: Any) -> None:
    """Require nothing."""


def permuted(learner: Any, kernel: Make, sample: Sample, y: Any, weights: Any, model: Any) -> None:
    """Require the same answers after a permutation of the objects."""
    if not learner.steady or not isinstance(y, np.ndarray) or "Nystrom" in repr(model.kernel_):  # landmarks change
        return
    order = np.random.default_rng(0).permutation(len(sample))
    more = (
        {} if weights is None else {"sample_weight": weights if np.ndim(weights) == 0 else np.asarray(weights)[order]}
    )
    other = learner.make(kernel()).fit(chosen(sample.X, order), y[order], **more)
    _close(model, other, sample, 1.0, "after a permutation")


def rescaled(learner: Any, kernel: Make, sample: Sample, y: Any, weights: Any, model: Any) -> None:
    """Require a regression in another unit to be the same regression."""
    if learner.name != "ridge" or getattr(y, "dtype", None) != np.float64:
        return
    if not 1e-100 < np.abs(y).max() < 1e100:
        return
    more = {} if weights is None else {"sample_weight": weights}
    other = learner.make(kernel()).fit(sample.X, 1024.0 * y, **more)
    _close(model, other, sample, 1024.0, "in another unit")


def repeated(learner: Any, kernel: Make, sample: Sample, y: Any, weights: Any, model: Any) -> None:
    """Require objects that are given several times to count as those with such weights."""
    if learner.name != "ridge" or not isinstance(y, np.ndarray) or weights is not None:
        return
    times = np.random.default_rng(0).integers(1, 4, size=len(sample))
    rows, settled = np.repeat(np.arange(len(sample)), times), model.kernel_
    one = learner.make(settled).fit(sample.X, y, sample_weight=times)
    other = learner.make(settled).fit(chosen(sample.X, rows), y[rows])
    _close(one, other, sample, 1.0, "weights against repetition")


def _close(model: Any, other: Any, sample: Sample, factor: float, words: str) -> None:
    """Require the values of two models to agree as far as the condition of the problem lets them."""
    for name in ("decision_function", "predict"):
        if hasattr(model, name):
            value, found = (np.asarray(getattr(one, name)(sample.new)) for one in (model, other))
            if value.dtype.kind == "f":
                scale = max(float(np.abs(value).max()), _reach(model, sample), np.finfo(float).tiny)
                gap = float(np.abs(found / factor - value).max())
                require(gap <= TOLERANCE * scale, f"{name} {words}: off by {gap:.2g} of {scale:.2g}")
            return


def _reach(model: Any, sample: Sample) -> float:
    """Return Σ|αᵢ| √(κ(xᵢ, xᵢ) κ(x, x)), the size of what is summed in a value, or what κ itself is a difference of."""
    kernel, alpha = model.kernel_, np.abs(np.asarray(model.dual_coef_))
    norms, new = kernel.diag(sample.X), kernel.diag(sample.new)
    if len(alpha) != len(norms):
        return 0.0
    rounding = kernel.accuracy(norms.dtype) * kernel.scale(kernel.encode(sample.X)) / TOLERANCE
    inside = float((alpha.T @ np.sqrt(norms)).max() * np.sqrt(new.max()))
    return max(inside, float(alpha.sum(axis=0).max()) * rounding)


CHECKS = {"none": nothing_more, "permuted": permuted, "rescaled": rescaled, "repeated": repeated}


# Grams


def gram(rng: np.random.Generator) -> Case:
    """Return a case in which K is looked at: its entries, its tiles, its symmetry, its eigenvalues."""
    sample = objects.draw(rng)
    name, kernel = kernels.draw(rng, sample)

    def action() -> None:
        k = kernel().fit(sample.X)
        G = k.gram(sample.X)
        K, n = G.dense(), len(sample)
        require_finite(K, "K is")
        require_same(K, K.T, "K is not symmetric")
        norms = G.diag().astype(np.float64)
        require(bool((norms >= 0).all()), "a squared norm is negative")
        bound = np.sqrt(norms)[:, None] * np.sqrt(norms)
        slack = (1e3 * k.accuracy(K.dtype) if sample.tame else 1e-3) * G.scale() + np.finfo(K.dtype).tiny
        require(bool((np.abs(K) <= bound + slack).all()), "Cauchy–Schwarz is broken")
        if not sample.tame and "Fourier" in repr(k):  # the waves of what is far away have no digits
            return
        require(bool((np.abs(_tiled(k, sample.X) - K) <= slack).all()), "K depends on the tiles")
        i, j = np.random.default_rng(n).integers(n, size=2)
        pair = k.gram(chosen(sample.X, [i]), chosen(sample.X, [j])).dense()[0, 0]
        require(abs(float(pair) - float(K[i, j])) <= slack, f"K[{i}, {j}] = {K[i, j]} is {pair} by itself")
        V = np.random.default_rng(n).normal(size=(n, 2))
        require(
            bool((np.abs(G @ V - K.astype(np.float64) @ V) <= 20 * n * slack).all()), "K @ V is not the product with K"
        )
        require_finite(k.gram(sample.new, sample.X).dense(), "K of new objects is")
        if bound.max() < 1e150:
            least = float(np.linalg.eigvalsh(K.astype(np.float64)).min())
            require(least >= -100 * n * slack, f"an eigenvalue of K is {least:.2g} of {bound.max():.2g}")

    return Case(f"Gram of {name} on {sample.words}", action)


def _tiled(kernel: gm.Kernel, X: Any) -> Any:
    """Return K by tiles of two objects or little more."""
    usual, tiles.SMALLEST_SIDE = tiles.SMALLEST_SIDE, 2
    try:
        return kernel.gram(X, memory=512).dense()
    finally:
        tiles.SMALLEST_SIDE = usual


# Geometry


def geometry(rng: np.random.Generator) -> Case:
    """Return a case in which images are measured, projected, mapped and compared."""
    sample = objects.draw(rng)
    name, kernel = kernels.draw(rng, sample)
    what = one_of(rng, MEASURES)

    def action() -> None:
        k = kernel().fit(sample.X)
        S = gm.FeatureSpace(k)(sample.X)
        for value in MEASURES[what](k, S, sample):
            require_finite(value, f"{what} is")

    return Case(f"{what} under {name} on {sample.words}", action)


def _distances(k: Any, S: Any, sample: Sample) -> Any:
    D = S.distances(S)
    require_close(np.diagonal(D), np.zeros(len(S)), 0.0, "distances from themselves")
    return D, S.norms(), S.distances(S.mean()), S.total_variance()


def _means(k: Any, S: Any, sample: Sample) -> Any:
    T = S.space(sample.new)
    found = gm.mean_test(S, T, permutations=19, rng=0)
    return gm.mean_distance(S, T), found.distance, found.p_value


def _subspace(k: Any, S: Any, sample: Sample) -> Any:
    V = S.subspace(rank=2)
    return V.coordinates(sample.new), V.residuals(sample.new)


def _eigen(k: Any, S: Any, sample: Sample) -> Any:
    found = gm.eigen(S.gram())
    return found.values, found.vectors, found.residuals


def _cholesky(k: Any, S: Any, sample: Sample) -> Any:
    found = gm.cholesky(S.gram(), rank=3)
    return found.factor, found.residual


def _solved(k: Any, S: Any, sample: Sample) -> Any:
    found = gm.solve(S.gram(), np.ones(len(S)), 0.5)
    return found.value, found.residual


def _maps(k: Any, S: Any, sample: Sample) -> Any:
    return [one(k).fit(sample.X).transform(sample.new) for one in (gm.CholeskyMap, gm.EmpiricalMap, gm.MercerMap)]


MEASURES: dict[str, Callable[[Any, Any, Sample], Any]] = {
    "distances": _distances,
    "cosines": lambda k, S, sample: (S.cosines(S),),
    "means": _means,
    "subspace": _subspace,
    "eigen": _eigen,
    "cholesky": _cholesky,
    "solve": _solved,
    "maps": _maps,
    "centered": lambda k, S, sample: (S.center().gram().dense(), S.center().norms()),
    "dimension": lambda k, S, sample: (S.dimension(), S.rank(), S.correlations()),
    "alignment": lambda k, S, sample: (gm.alignment(S.gram(), np.arange(len(S)) % 2),),
    "psd": lambda k, S, sample: (gm.is_psd(S.gram()).smallest,),
}


# Expressions


WORDS = ("gaussian", "linear", "polynomial", "spectrum", "(", ")", "(", ")", "2", "0.5", "-1", "1e300", "1e400", ",")
WORDS += ("+", "*", "**", "on", "age", '"a b"', "=", "degree", "median", "standardize", "normalize", "é", "\x00", "'")


def expression(rng: np.random.Generator) -> Case:
    """Return a case in which a kernel is read from words, and written again."""
    text = " ".join(one_of(rng, WORDS) for _ in range(int(rng.integers(1, 12))))
    if rng.random() < 0.5:
        sample = objects.vectors(rng)
        name, kernel = kernels.draw(rng, sample)

        def written() -> None:
            k = kernel()
            try:
                text = gm.format_kernel(k)
            except (ValueError, TypeError) as error:
                require(len(str(error)) > 12, "says too little")
                return
            require(gm.parse_kernel(text) == k, f"{k!r} is written {text!r}, which is another kernel")
            require(pickle.loads(pickle.dumps(k)) == k, "a pickled kernel is another one")
            require(hash(pickle.loads(pickle.dumps(k))) == hash(k), "a pickled kernel has another hash")

        return Case(f"{name}, written and read", written)

    def action() -> None:
        k = gm.parse_kernel(text)
        require(gm.parse_kernel(gm.format_kernel(k)) == k, f"{text!r} is not what is written for it")

    return Case(f"the expression {text!r}", action)


ACTIVITIES = (learning, gram, geometry, expression)
ATTACK = Attack("inputs", 100_000, make, refusals=(ValueError, TypeError))

__all__ = ["ATTACK", "count"]
