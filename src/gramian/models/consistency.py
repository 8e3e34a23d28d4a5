"""What must hold in a model besides the types of its attributes: shapes, ranges, and that its parts belong together.

A file can say that a learner of forty objects has the coefficients of three, that landmarks are of another kernel, or
that a class has the number 7 of 2. Nothing of that is caught by the types, and all of it would come out as an
IndexError far from its cause. So every array has a shape here (`shapes`), and objects are encoded as their kernel
encodes them (`encodings`).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from gramian.checks import Array, as_number, whole
from gramian.factor.cholesky import LowRank
from gramian.formula.encoded import Encoded
from gramian.gram.gram import Gram, finite_norms
from gramian.kernels import algebra
from gramian.kernels.deflated import Deflated
from gramian.kernels.dotproduct import Linear
from gramian.kernels.graphs.diffusion import LONGEST
from gramian.kernels.nystrom import Nystrom
from gramian.kernels.periodic import Periodic
from gramian.learn.base import KINDS, KernelEstimator
from gramian.learn.discriminant import Discriminant
from gramian.learn.ridge import LeastSquares
from gramian.learn.ways import Exact, Summed
from gramian.models.encodings import NEAR, check_encoding, is_cheap
from gramian.models.shapes import Sizes, check_shape, check_shapes, require
from gramian.space.moments import Chunk, Moments, Summary
from gramian.space.vectors import Vectors

ROUGHLY = 8.0  # times what it estimates, more than an estimate of so many random vectors comes to
LEAST = 1e-22  # of a squared length that is independent of others: far below the rounding by which landmarks are chosen

# Kernels


def check_anchored(kernel: algebra.Anchored) -> None:
    """Require that a kernel about a sample has a sample, and what it knows of it is of that sample."""
    sample = kernel.reference
    require(sample.symmetric and not sample.diagonal, "a sample is no symmetric Gram")
    require(sample.kernel is kernel.base or sample.kernel == kernel.base, "a sample is one under another kernel")
    sizes: Sizes = {"n": len(sample), "one": 1, "d": None}
    if isinstance(kernel, Deflated):
        check_shapes(kernel, {"coefficients": "n r", "_reference_products": "n r"}, {"n": len(sample)})
        return
    kept = vars(kernel)
    if "_mean_features" in kept:
        require(not sample.rows.open, "a mean of features is one of none")
        sizes["d"] = kernel.base.feature_dim(sample.rows)
    check_shapes(kernel, {"_reference_products": "n one", "_mean": "", "_mean_features": "one d"}, sizes)


def check_standardize(scaling: Any) -> None:
    """Require a mean and a scale for each coordinate, or neither."""
    require((scaling.mean is None) == (scaling.scale is None), "a mean has no scale, or the other way round")
    if scaling.mean is not None:
        sizes: Sizes = {}
        for name in ("mean", "scale"):
            check_shape(np.asarray(getattr(scaling, name)), "d", sizes, f"Standardize.{name}")
        require(bool((np.asarray(scaling.scale) > 0).all()), "a coordinate is divided by 0, or less")


def check_basis(kernel: Nystrom) -> None:
    """Require that landmarks are objects of the kernel, and their triangle one that can be solved with."""
    if isinstance(kernel.landmarks, Gram):
        sample = kernel.landmarks
        require(sample.symmetric and not sample.diagonal, "landmarks are no symmetric Gram")
        require(sample.kernel is kernel.base or sample.kernel == kernel.base, "landmarks are those of another kernel")
    basis = vars(kernel).get("basis")
    if basis is None:
        return
    require(
        len(basis) == 2 and isinstance(basis[0], Encoded) and isinstance(basis[1], np.ndarray), "landmarks are none"
    )
    check_encoding(kernel.base, basis[0])
    check_shape(basis[1], "m m", {"m": len(basis[0])}, "the triangle of the landmarks")
    _check_triangle(kernel.base, *basis)


def _check_triangle(kernel: Any, landmarks: Encoded, triangle: Array) -> None:
    """Require that L is a factor of κ at the landmarks, as far as its rows tell, and not all but singular."""
    pivots = np.diagonal(triangle) ** 2
    require(bool((np.diagonal(triangle) != 0).all()), "the triangle of the landmarks is singular")
    if is_cheap(kernel):
        norms = finite_norms(kernel, landmarks).astype(np.float64)
        lengths = np.einsum("ij,ij->i", np.tril(triangle), np.tril(triangle))
        require(bool((np.abs(lengths - norms) <= NEAR * norms).all()), "a triangle is that of other landmarks")
        require(bool((pivots >= LEAST * norms).all()), "the triangle of the landmarks is singular")


def check_diffusion(kernel: Any, similarities: Any) -> None:
    """Require that what a graph kernel keeps is that of its graph."""
    require(kernel.of in similarities, "a graph kernel is of no known similarity")
    whole(kernel.length, "length", most=LONGEST) if hasattr(kernel, "length") else as_number(kernel.beta, "beta")
    interval = kernel._interval
    require(len(interval) == 2 and all(type(end) is float for end in interval), "bounds are no pair")
    require(bool(np.isfinite(interval).all()) and interval[0] <= interval[1], "bounds are no interval")
    check_shapes(kernel, {"_largest": "", "_longest": "", "_K": "n n", "_rough": "n"}, {"n": len(kernel.graph)})
    require(kernel._largest >= 0, "the largest eigenvalue of a kernel is negative")
    K, rough = vars(kernel).get("_K"), vars(kernel).get("_rough")
    if K is not None:
        _check_matrix(K, kernel._largest)
    if rough is not None:
        if kernel.traits.whole_columns:
            fits = bool((rough >= 0).all() and (rough <= ROUGHLY * kernel._largest).all())
        else:
            fits = K is not None and np.array_equal(rough, K.diagonal())
        require(fits, "the norms of nodes are not those of their kernel")


def _check_matrix(K: Array, largest: float) -> None:
    """Require that a matrix of κ is symmetric, and that no entry is larger than the norms of its two objects allow."""
    norms = K.diagonal()
    require(bool(np.isfinite(K).all()) and bool((norms >= 0).all()), "the matrix of a kernel is none")
    rounding, roots = NEAR * max(largest, float(norms.max())), np.sqrt(norms)
    for row, column, root in zip(K, K.T, roots, strict=True):  # so that it takes no memory beside the matrix
        require(bool((np.abs(row - column) <= rounding).all()), "the matrix of a kernel is not symmetric")
        require(bool((np.abs(row) <= root * roots + rounding).all()), "the matrix of a kernel is not one of products")


# Samples


def _check_norms(kernel: Any, points: Encoded) -> None:
    """Require that κ(x, x) is finite, so that κ is; where that takes long it is left to who asks for it."""
    if is_cheap(kernel):
        finite_norms(kernel, points)


def check_gram(gram: Gram) -> None:
    """Require that a Gram is one of objects of its kernel."""
    require(gram.symmetric == (gram.cols is gram.rows), "a symmetric Gram has other columns than rows")
    require(gram.memory > 0, "a Gram has no memory")
    require(gram.dtype in (np.float32, np.float64), "a Gram is not of numbers")
    check_encoding(gram.kernel, gram.rows)
    _check_norms(gram.kernel, gram.rows)
    if not gram.symmetric:
        check_encoding(gram.kernel, gram.cols)
        _check_norms(gram.kernel, gram.cols)
    check_shapes(gram, {"diagonal": "", "_row_means": "n"}, {"n": len(gram.rows)})


_OF_VECTORS = {
    "weights": "n k",
    "_values": "n k",
    "_squared_norms": "k",
    "_features": "k d",
    "_squared_deviations": "n",
}


def check_vectors(vectors: Vectors) -> None:
    """Require that elements of a feature space are combinations of objects of its kernel."""
    kernel, kept = vectors.space.kernel, vars(vectors)
    check_encoding(kernel, vectors.points)
    n = len(vectors.points)
    sizes: Sizes = {"n": n}
    if vectors.weights is None:
        _check_norms(kernel, vectors.points)
        sizes["k"] = n
        require("_values" not in kept, "points have the values of combinations")
    if kept.get("_features") is not None:
        sizes["d"] = kernel.feature_dim(vectors.points)
    check_shapes(vectors, _OF_VECTORS, sizes)
    require(sizes["k"] == 1 or not vectors.single, "a single vector is several")
    gram, mean = kept.get("_gram"), kept.get("_mean")
    require(gram is None or (gram.rows is vectors.points and gram.kernel == kernel), "a Gram is that of other points")
    _check_mean(vectors)
    if mean is not None:
        require(mean.single and mean.points is vectors.points, "a centre of mass is that of other points")
        require(mean.space.kernel == kernel, "a centre of mass is in another space")
    about = kept.get("_about_mean")
    if about is not None:
        fits = about.base == kernel and about.reference.rows is vectors.points
        require(fits, "a centred kernel is about the centre of other points")


def _check_mean(vectors: Vectors) -> None:
    sample = vectors._mean_of
    if sample is None:
        return
    fits = sample is not vectors and sample.weights is None and sample.points is vectors.points
    require(fits and vectors.weights is not None and vectors.single, "a centre of mass is that of other points")


def check_subspace(subspace: Any) -> None:
    """Require that a subspace has a basis, and the factor it was found by."""
    require(subspace.basis.weights is not None and not subspace.basis.single, "a subspace has no basis")
    if subspace._factor is not None:
        count, rank = subspace.basis.weights.shape
        fits = count == rank == subspace._factor.factor.shape[1]
        require(fits, "a subspace has the factor of another")


def check_low_rank(factor: LowRank) -> None:
    """Require that a factor has as many pivots as columns, and a triangle that can be solved with."""
    sizes = check_shapes(factor, {"factor": "n k", "residual": "n", "trace": ""}, {})
    check_shape(factor.pivots, "k <n", sizes, "LowRank.pivots")
    require(bool((np.diagonal(factor.triangle) != 0).all()), "the triangle of a factor is singular")


def check_moments(moments: Moments) -> None:
    """Require that moments are of rows of one width."""
    check_shapes(moments, {"weight": "", "mean": "w", "lower": "w w"}, {})
    require(moments.weight >= 0, "moments have a negative weight")


def check_chunk(chunk: Chunk) -> None:
    """Require that what belongs to objects is there for each of them."""
    n = len(chunk.points)
    check_shapes(chunk, {"numbers": "n q", "weights": "n", "groups": "n <most"}, {"n": n, "most": 2**31})
    require(n > 0, "a chunk has no objects")


def check_summary(summary: Summary) -> None:
    """Require that sums are moments of the features that they are said to be of."""
    require(all(isinstance(sums, Moments) for sums in summary._sums), "sums are no moments")
    require(summary.landmarks is None or summary.landmarks is summary.kernel, "landmarks are not those of their kernel")
    require((summary.landmarks is not None) == isinstance(summary.kernel, Nystrom), "landmarks are forgotten")
    check_shapes(summary, {"trace": "", "largest": ""}, {})
    require(min(summary.dim, summary.count, summary.present) >= 0, "there are fewer objects than none")
    require(not summary._sums or summary.count > 0, "moments are of no objects")
    widths = {len(sums.mean) for sums in summary._sums}
    require(len(widths) < 2 and min(widths, default=summary.dim) >= summary.dim, "moments are of other features")
    require(all((sums.lower is not None) == summary.scatter for sums in summary._sums), "moments have no scatter")
    require(not summary._sums or hasattr(summary, "_dtype"), "moments are of numbers of no type")
    if hasattr(summary, "_dtype"):
        require(summary._dtype in (np.float32, np.float64), "moments are not of numbers")
    if summary.landmarks is not None:
        require(isinstance(summary.landmarks.landmarks, Gram), "landmarks are not settled")
        rank = len(summary.landmarks.basis[1]) if "basis" in vars(summary.landmarks) else summary.dim
        require(not summary._sums or summary.dim == rank, "moments are of other landmarks")


# Learners


def check_estimator(learner: KernelEstimator, core: frozenset[str]) -> int | None:
    """Require that a fitted learner has all that it answers with; return how many objects it has, None if unfitted."""
    kept = vars(learner)
    config = kept.get("_sklearn_output_config", {})
    known = ("default", "pandas", "polars", None)
    fits = config.keys() <= {"transform"} and all(isinstance(v, str | None) and v in known for v in config.values())
    require(fits, "how a table is to be returned is not known")
    require(kept.get("_kind") is None or kept["_kind"] in KINDS, "objects are of no known kind")
    _check_columns(kept)
    if not core <= kept.keys():
        marks = {"directions_"} if "directions_" in core else core  # a classifier may have seen one class only
        learnt = [name for name in kept if name in marks]
        require(
            not learnt, f"{type(learner).__name__} has {', '.join(sorted(learnt)[:3])}, but is not fitted completely"
        )
        return None
    sample = learner.sample_
    require(sample.weights is None and not sample.single, "a sample is no sample")
    require(
        sample.space.kernel is learner.kernel_ or sample.space.kernel == learner.kernel_,
        "a sample is of another kernel",
    )
    width = kept.get("n_features_in_")
    widths = _widths(sample.points)
    if _has_circles(learner.kernel_):  # a cosine and a sine for each column
        widths |= {each // 2 for each in widths}
    require(width is None or width in widths, "the sample has another number of columns than is said")
    return len(sample.points)


def _widths(part: Any) -> set[int]:
    """Return the numbers of columns of all vectors in encodings."""
    if isinstance(part, Encoded):
        return set().union(*map(_widths, part))
    shape: tuple[int, ...] = getattr(part, "shape", ())
    return {int(shape[1])} if len(shape) == 2 else set()


def _has_circles(kernel: Any) -> bool:
    return isinstance(kernel, Periodic) or any(map(_has_circles, kernel._inner().values()))


def _check_columns(kept: Mapping[str, Any]) -> None:
    names, width = kept.get("feature_names_in_"), kept.get("n_features_in_")
    require(width is None or width >= 1, "there are no columns")
    if names is not None:
        texts = names.ndim == 1 and all(isinstance(name, str) for name in names.tolist())
        require(texts and (width is None or len(names) == width), "the names of columns are not those of the columns")


def _check_functions(functions: Vectors, sample: Vectors, count: int, what: str, *, single: bool) -> None:
    """Require that elements are so many, and in the space of the sample."""
    fits = functions.weights is not None and functions.weights.shape[1] == count and functions.single == single
    require(fits, f"{what} are not as many as they should be")
    same = functions.space.kernel is sample.space.kernel or functions.space.kernel == sample.space.kernel
    require(same, f"{what} are in another space than the sample")
    signature = functions.points is sample.points or functions.points.signature == sample.points.signature
    require(signature, f"{what} are of other objects than the sample")


def _features(learner: Any) -> int | None:
    """Return the number of explicit features of the sample."""
    return learner.kernel_.feature_dim(learner.sample_.points) if "sample_" in vars(learner) else None


def check_way(way: Exact | Summed) -> None:
    """Require settings that a learner can have begun with, and of sums the objects that were kept."""
    require(isinstance(way.kernel, algebra.Kernel), "how learning began is not known")
    require(isinstance(way.rank, int | np.integer | str | None), "how learning began is not known")
    if isinstance(way, Summed):
        check_shape(way.draws, "n", {"n": 0 if way.probe is None else len(way.probe.points)}, "Summed.draws")
        check_shape(way.trace_error, "", {}, "Summed.trace_error")


def _summed(learner: Any) -> Summed | None:
    """Return what a learner has summed up, None where it has learnt in another way."""
    way = vars(learner).get("_way")
    return way if isinstance(way, Summed) else None


def _check_low(learner: Any) -> None:
    """Require that what was learnt in low rank can be asked about."""
    kept, way = vars(learner), _summed(learner)
    if way is None:
        return
    require({"kernel_", "sample_"} <= kept.keys(), "moments are there without a kernel or a sample")
    summary, probe = way.summary, way.probe
    kernel = summary.kernel if summary.landmarks is None else summary.landmarks.base
    if probe is not None:
        check_encoding(kernel, probe.points)
        same = probe.points.signature == kept["sample_"].points.signature
        require(same, "objects that are looked at do not fit the sample")
        groups = 0 if probe.groups is None else int(probe.groups.max()) + 1
        require(groups <= len(summary._sums), "objects are of groups that there are not")
        require((probe.numbers is not None) == isinstance(learner, LeastSquares), "numbers are not those of targets")
        require((probe.groups is not None) == isinstance(learner, Discriminant), "groups are not those of classes")
    require((probe is None) == (not summary._sums), "there are no objects to look at, or no moments of them")
    width = summary.dim + (0 if probe is None or probe.numbers is None else probe.numbers.shape[1])
    require(all(len(sums.mean) == width for sums in summary._sums), "moments are of other features")
    require(kernel is kept["kernel_"] or kernel == kept["kernel_"], "moments are of another kernel")


def _check_labels(learner: Any) -> None:
    """Require that the labels so far are of one type, numbered, and those that are told apart."""
    kept = vars(learner)
    way = kept.get("_way")
    numbers = {} if way is None else way.labels
    require(sorted(numbers.values(), key=repr) == sorted(range(len(numbers)), key=repr), "classes are not numbered")
    types = {type(label) for label in numbers}
    require(len(types) < 2 and types <= {bool, int, float, str, bytes}, "classes are not of one type")
    if isinstance(way, Summed):
        require(len(numbers) == len(way.summary._sums), "classes have no moments")
    if numbers and "directions_" in kept:
        require(learner.classes_.tolist() == sorted(numbers), "classes are not those that have been numbered")


def check_classifier(learner: Any, shapes: Mapping[str, str] = {}) -> Sizes | None:
    """Require that a classifier has a function for each of its classes."""
    _check_low(learner)
    _check_labels(learner)
    n = check_estimator(learner, CORES[type(learner).__name__])
    if n is None:
        return None
    labels = learner.classes_
    require(labels.ndim == 1 and len(labels) > 1, "there are fewer than two classes")
    require(_ascends(labels), "the classes are not in order, or not different")
    c = len(labels)
    t = () if c == 2 else (c,)
    sizes: Sizes = {"n": n, "c": c, "k": c - 1, "*t": t, "p": _features(learner)}
    check_shapes(learner, {"dual_coef_": "n *t", "offset_": "*t", "_primal": "p *t", **shapes}, sizes)
    _check_functions(learner.directions_, learner.sample_, 1 if c == 2 else c, "directions", single=c == 2)
    _check_calibrated(learner)
    return sizes


def check_calibration(learner: Any) -> None:
    """Require a slope and a shift for each class, or neither."""
    require((learner.slope is None) == (learner.shifts is None), "probabilities are not known completely")
    if learner.slope is not None:
        sizes = check_shapes(learner, {"slope": "", "shifts": "c"}, {})
        require(learner.slope >= 0 and sizes["c"] > 1, "probabilities fall as decision values grow")


def _check_calibrated(learner: Any) -> None:
    kept = vars(learner).get("_calibration")
    fits = kept is None or kept.shifts is None or len(kept.shifts) == len(learner.classes_)
    require(fits, "classes have no probabilities")


def _ascends(labels: Array) -> bool:
    try:
        return bool((np.asarray(labels)[:-1] < np.asarray(labels)[1:]).all())
    except TypeError:  # labels that have no order
        return False


def check_parzen(learner: Any) -> None:
    """Require that every class has a centre."""
    sizes = check_classifier(learner)
    if {"_numbers", "_sums"} & vars(learner).keys() and _summed(learner) is None:
        _check_sums(learner)
    if sizes is not None:
        require(
            _summed(learner) is not None or {"_numbers", "_sums"} <= vars(learner).keys(), "the classes are not known"
        )
        check_shapes(learner, {"_own": "n c"}, sizes)
        _check_functions(learner.centers_, learner.sample_, sizes["c"], "centres", single=False)


def _check_sums(learner: Any) -> None:
    """Require that sums of κ are those of classes that all have members in the sample."""
    kept = vars(learner)
    known = {"_numbers", "_sums", "_way", "kernel_", "sample_"} <= kept.keys() and learner._way is not None
    require(known, "the sums of classes are not known")
    groups = len(learner._way.labels)
    check_shapes(learner, {"_numbers": "n <g", "_sums": "g"}, {"n": len(learner.sample_.points), "g": groups})
    require(len(np.unique(learner._numbers)) == groups > 0, "a class has no members")


_OF_FISHER = {
    "ridge_": "",
    "ridges_": "r",
    "loo_errors_": "r",
    "quotients_": "k",
    "projected_means_": "c k",
    "projected_variances_": "c k",
    "_primal_axes": "p k",
    "_unseen": "",
    "_labels": "l <c",
    "_loo_scores": "l c",
}


def check_fisher(learner: Any) -> None:
    """Require that a discriminant has axes besides, and labels of the objects that it can leave out."""
    sizes = check_classifier(learner, _OF_FISHER)
    if sizes is None:
        return
    kept, way = vars(learner), _summed(learner)
    require(learner.ridge_ >= 0, "a ridge is negative")
    _check_functions(learner.axes_, learner.sample_, sizes["k"], "axes", single=False)
    if way is not None:
        probe, summary = way.probe, way.summary
        require(probe is not None and probe.groups is not None, "there are no objects to leave out")
        require(len(learner._labels) == len(way.probed.points), "labels are those of other objects")
        require(summary.scatter and len(way.labels) == sizes["c"], "classes are those of others")
        require(len(summary._sums) == sizes["c"], "classes have no moments")
        require(all(sums.weight > 0 for sums in summary._sums), "a class has no members")
    else:
        require(len(learner._labels) == sizes["n"], "labels are those of other objects")
        require(len(np.unique(learner._labels)) == sizes["c"], "a class has no members")
    if way is None or not way.in_low_rank:
        require("_sample_labels" in kept, "the classes of the sample are not known")
        check_shapes(learner, {"_sample_labels": "n <c"}, sizes)
        require(len(np.unique(learner._sample_labels)) == sizes["c"], "a class has no members")
    require("_unseen" in kept or "_loo_scores" not in kept, "how much was left out is not known")


def check_ridge(learner: Any) -> None:
    """Require that a regression has a function, and what its errors are computed from."""
    _check_low(learner)
    _check_targets(learner)
    n = check_estimator(learner, CORES[type(learner).__name__])
    if n is None:
        return
    sizes: Sizes = {"n": n, "p": _features(learner)}
    numbers = {"ridge_": "", "residual_": "", "_unit": ""}
    check_shapes(learner, {"dual_coef_": "n *t", "intercept_": "*t", "_primal": "p *t", **numbers}, sizes)
    require(vars(learner).get("_unit", 0) > 0, "targets have no unit")
    t, kept = sizes["*t"], vars(learner)
    require(len(t) <= 1 and prod(t) > 0, "there are too many targets, or none")
    require(learner.ridge_ >= 0, "a ridge is negative")
    _check_functions(learner.function_, learner.sample_, prod(t), "functions", single=not t)
    require("_shape" not in kept or kept["_shape"] == t, "there are other targets than said")
    sizes["q"] = prod(t)
    way = _summed(learner)
    low = way is not None and way.in_low_rank
    if not low:
        require("_problem" in kept, "the targets are not known")
        check_shapes(learner._problem, {"Y": "n q", "weights": "n"}, sizes)
    if "_known" in kept and not low:
        for fit in filter(None, (learner._known, learner._known.slope)):
            check_shapes(fit, {"residuals": "n q", "room": "n"}, sizes)
    require("_of_moments" in kept or way is None, "the moments are not known")
    if way is not None:
        require(way.probe is not None, "there are no objects to leave out")
        targets = way.probed.numbers
        require(targets is not None and targets.shape[1] == sizes["q"], "objects have no targets")
        of, dim = kept["_of_moments"], way.summary.dim
        sizes |= {"p": dim}
        check_shapes(of, {"B": "p q"}, sizes)
        require(len(of.A) == dim and of.kind == learner.smoother, "moments are those of another model")
        fits = all(len(sums.mean) == dim + sizes["q"] for sums in way.summary._sums)
        require(fits and way.summary._sums, "moments are those of other targets")
        require(low or dim == _features(learner), "moments are those of other features")


def _check_targets(learner: Any) -> None:
    """Require that the targets of moments have a shape and a unit, so that more can be added to them."""
    kept, way = vars(learner), _summed(learner)
    if way is not None and way.probe is not None:
        shape = kept.get("_shape")
        known = isinstance(shape, tuple) and len(shape) <= 1 and all(type(side) is int for side in shape)
        numbers = way.probe.numbers
        require(
            known and numbers is not None and prod(shape) == numbers.shape[1], "objects have other targets than said"
        )
        check_shape(kept.get("_unit"), "", {}, "the unit of the targets")
        require(kept["_unit"] > 0, "targets have no unit")


def check_least_squares_classifier(learner: Any) -> None:
    """Require that a regression of classes has a function for each of them, or one for two."""
    check_ridge(learner)
    if "classes_" in vars(learner):
        labels = learner.classes_
        require(labels.ndim == 1 and _ascends(labels), "the classes are not in order, or not different")
    if CORES["KernelClassifier"] <= vars(learner).keys():
        functions = prod(learner.dual_coef_.shape[1:])
        require(len(labels) == 2 if functions == 1 else len(labels) == functions > 2, "classes have no functions")
        _check_calibrated(learner)


def check_residuals(residuals: Any) -> None:
    """Require that residuals grow once where there is no ridge."""
    require(residuals.slope is None or residuals.slope.slope is None, "residuals begin to grow twice")


def check_gram_rows(learner: Any) -> None:
    """Require a sample."""
    check_estimator(learner, CORES["GramRows"])


def check_problem(problem: Any) -> None:
    """Require a weight for each target."""
    check_shapes(problem, {"Y": "n q", "weights": "n"}, {})
    require(
        problem.weights is None or bool((problem.weights >= 0).all() and problem.weights.any()),
        "weights are not weights",
    )


def check_ridge_of_moments(problem: Any) -> None:
    """Require that moments, and their decomposition where it is known, fit together."""
    sizes = check_shapes(
        problem, {"A": "p p", "B": "p q", "mean": "p", "target": "q", "weight": "", "_squares": ""}, {}
    )
    check_shapes(problem, {"floor": ""}, {})
    require(
        problem.kind in ("shrinkage", "projection") and problem.weight > 0 and problem.count > 0,
        "moments are of nothing",
    )
    if "_spectrum" in vars(problem):
        require(len(problem._spectrum) == 2, "a spectrum is no pair")
        for part, spelled in zip(problem._spectrum, ("s", "p s"), strict=True):
            check_shape(part, spelled, sizes, "RidgeOfMoments._spectrum")
        require(bool((problem._spectrum[0] > 0).all()), "a spectrum is not positive")
    if "inside" in vars(problem):
        require("_spectrum" in vars(problem), "a spectrum is forgotten")
        check_shapes(problem, {"inside": "s q"}, sizes)


def check_path(path: Any) -> None:
    """Require an error for each ridge; an error may be infinite."""
    shapes = {getattr(path, name).shape for name in ("ridges", "loo", "gcv", "dof")}
    require(len(shapes) == 1 and len(shapes.pop()) == 1, "a path has not an error for each ridge")
    check_shapes(path, {"ridges": "r", "dof": "r", "left_out": "", "unit": ""}, {})
    require(0 < path.unit < np.inf, "targets are divided by a number that is not above 0")
    require(path.loo.dtype.kind == path.gcv.dtype.kind == "f", "errors are no numbers")


def check_pca(learner: Any) -> None:
    """Require that every component has a variance and coefficients."""
    _check_low(learner)
    n = check_estimator(learner, CORES["KernelPCA"])
    if n is None:
        return
    shapes = {"eigenvalues_": "k", "explained_variance_": "k", "explained_variance_ratio_": "k", "dual_coef_": "n k"}
    way, kept = _summed(learner), vars(learner)
    low = way is not None
    others = {"total_variance_": "", "variance_error_": "", "_inputs": "n d", **({"_at_center": "k"} if low else {})}
    sizes = check_shapes(learner, {**shapes, **others}, {"n": n})
    require(bool((learner.eigenvalues_ > 0).all()) and sizes["k"] > 0, "components have no variance")
    components = learner.components_
    require(components.weights is not None and components.weights.shape == (n, sizes["k"]), "components are others")
    require(not components.single, "components are a single one")
    kernel = components.space.kernel
    if way is not None:
        require(way.in_low_rank, "landmarks are forgotten")
        _check_functions(components, learner.sample_, sizes["k"], "components", single=False)
        require({"_at_center", "_center"} <= kept.keys(), "the centre is not known")
        _check_functions(learner._center, learner.sample_, 1, "centres", single=True)
    else:
        require(isinstance(kernel, algebra.Centered) and kernel.base == learner.kernel_, "components are not centred")
        base = components.points.parts[0]
        require(
            base is learner.sample_.points or base.signature == learner.sample_.points.signature,
            "components are of other objects",
        )
    _check_pre_images(learner, sizes)


def _check_pre_images(learner: Any, sizes: Sizes) -> None:
    pre = vars(learner).get("_pre_images")
    if learner._inputs is not None:
        width = vars(learner).get("n_features_in_")
        require(
            learner.kernel_.on_vectors and width in (None, learner._inputs.shape[1]),
            "inputs are those of another kernel",
        )
    if pre is None:
        return
    require(
        learner._inputs is not None and pre._X.shape == learner._inputs.shape, "pre-images are those of another sample"
    )
    check_shapes(pre, {"_dual": "n k"}, dict(sizes))
    require(pre._kernel == learner.kernel_, "pre-images are those of another kernel")
    if not isinstance(pre._kernel, Linear):
        guess = vars(pre).get("_guess")
        require(guess is not None and "function_" in vars(guess), "pre-images have no first guess")
        count = prod(guess.dual_coef_.shape[1:])
        fits = count == pre._X.shape[1] and vars(guess).get("n_features_in_") == sizes["k"] and guess.kernel_.on_vectors
        require(fits, "a first guess is that of other coordinates")


def check_pre_images(images: Any) -> None:
    """Require as many vectors as coefficients."""
    check_shapes(images, {"_X": "n d", "_dual": "n k"}, {})


def check_novelty(learner: Any) -> None:
    """Require a centre, and distances from it."""
    _check_low(learner)
    n = check_estimator(learner, CORES["NoveltyDetector"])
    if n is None:
        return
    numbers = {"offset_": "", "false_alarm_bound_": "", "radius_": "", "distances_": "m", "_ordered": "o", "_reach": ""}
    numbers["_astray"] = ""
    infinite = learner.threshold_ == np.inf and learner.offset_ == -np.inf
    check_shapes(
        learner, {name: spelled for name, spelled in numbers.items() if not (infinite and name == "offset_")}, {}
    )
    if not infinite:
        check_shapes(learner, {"threshold_": ""}, {})
    require(len(learner.distances_) > 0, "no distance is known")
    require(
        "_ordered" not in vars(learner) or (len(learner._ordered) > 0 and _never_falls(learner._ordered)),
        "distances are not in order",
    )
    way = _summed(learner)
    if way is not None and way.in_low_rank:
        require("_mean" in vars(learner), "the mean of the features is not known")
        check_shapes(learner, {"_mean": "p"}, {"p": way.summary.dim})
        require({"_reach", "_ordered"} & vars(learner).keys(), "how far objects reach is not known")
        if vars(learner).get("_unfinished") is not None:
            check_encoding(learner.kernel_, learner._unfinished)
    _check_functions(learner.center_, learner.sample_, 1, "centres", single=True)


def _never_falls(numbers: Array) -> bool:
    return bool((numbers[1:] >= numbers[:-1]).all())


def check_gram_schmidt(learner: Any) -> None:
    """Require as many pivots as coordinates."""
    n = check_estimator(learner, CORES["GramSchmidt"])
    if n is None:
        return
    whole = "residuals_" in vars(learner)  # else the pivots alone were kept
    sizes = check_shapes(learner, {"residuals_": "n", "relative_error_": "", "largest_residual_": ""}, {"n": n})
    places = n if whole else np.iinfo(np.int64).max
    check_shape(learner.pivots_, "k <m", sizes | {"m": places, "k": len(learner.pivots_)}, "GramSchmidt.pivots_")
    require(whole or len(learner.pivots_) == n, "pivots are not those of the sample")
    sizes["k"] = len(learner.pivots_)
    _check_functions(learner.subspace_.basis, learner.sample_, sizes["k"], "basis vectors", single=False)


def check_kmeans(learner: Any) -> None:
    """Require that every object is in a cluster that has a centre."""
    _check_low(learner)
    n = check_estimator(learner, CORES["KernelKMeans"])
    if n is None:
        return
    sizes = check_shapes(learner, {"dual_coef_": "n k", "inertia_": ""}, {"n": n})
    low = _summed(learner) is not None
    require(low or "labels_" in vars(learner), "the clusters of the objects are not known")
    if "labels_" in vars(learner):
        check_shape(learner.labels_, "m <k" if low else "n <k", sizes, "KernelKMeans.labels_")
    _check_functions(learner.centers_, learner.sample_, sizes["k"], "centres", single=False)


def check_search(search: Any, candidate: type) -> None:
    """Require that the winner is one of those tried, and fitted."""
    kept = vars(search)
    learnt = {"best_estimator_", "best_params_", "best_score_", "best_index_", "results_"}
    if not learnt & kept.keys():
        return
    require(learnt <= kept.keys(), "a search is not complete")
    require(all(isinstance(one, candidate) for one in search.results_), "results are no candidates")
    require(0 <= search.best_index_ < len(search.results_), "the winner was not tried")
    require(type(search.best_estimator_) is type(search.estimator), "the winner is of another kind")
    core = CORES.get(type(search.best_estimator_).__name__, frozenset())
    require(core <= vars(search.best_estimator_).keys(), "the winner is not fitted")


def check_map(mapping: Any) -> None:
    """Require that a fitted map has directions in the space of its kernel."""
    kept = vars(mapping)
    basis = mapping._subspace.basis if "_subspace" in kept else kept.get("_directions")
    require((basis is None) == ("kernel_" not in kept), "a map is not fitted completely")
    if basis is not None:
        require(basis.weights is not None and not basis.single, "a map has no directions")
        require(basis.space.kernel == mapping.kernel_, "the directions of a map are in another space")


CORES: dict[str, frozenset[str]] = {
    name: frozenset(["kernel_", "sample_", *words.split()])
    for name, words in {
        "NoveltyDetector": "threshold_ offset_ false_alarm_bound_ radius_ radius_is_exact_ distances_ center_",
        "KernelRidge": "dual_coef_ function_ intercept_ ridge_ residual_ solver_ _primal",
        "KernelClassifier": "classes_ dual_coef_ function_ intercept_ ridge_ residual_ solver_ _primal",
        "GramRows": "",
        "KernelPCA": "eigenvalues_ explained_variance_ explained_variance_ratio_ total_variance_ dual_coef_ "
        "components_ solver_ _inputs",
        "GramSchmidt": "pivots_ relative_error_ subspace_",
        "KernelKMeans": "inertia_ n_iter_ dual_coef_ centers_",
        "ParzenClassifier": "classes_ dual_coef_ offset_ directions_ _primal centers_",
        "FisherDiscriminant": "classes_ dual_coef_ offset_ directions_ _primal ridge_ solver_ quotients_ axes_ "
        "projected_means_ projected_variances_ _primal_axes _labels",
    }.items()
}
