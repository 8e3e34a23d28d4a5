"""What a model file may hold: gramian's own classes, and of each the attributes by name and type.

Nothing else is ever made from a file. A kernel says itself what is kept of it (`Kept`), and is made by its constructor,
which checks its parameters as it checks those of a user; any other object is an empty one whose attributes are set, and
what must hold between them is checked (`consistency`): where numbers of one attribute are places in another, as codes
are in an alphabet, compiled code trusts them.

What an object keeps for later is stored too where it cannot be had again to the last bit, or is expensive: means that
were carried over from an earlier sample, the matrix of a graph. The rest is forgotten, and computed when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gramian.checks import Array, is_sparse
from gramian.expressions.shipped import kernels
from gramian.factor.cholesky import LowRank
from gramian.factor.eigen import Eigen
from gramian.formula.encoded import Encoded
from gramian.gram.gram import Gram
from gramian.kernels import algebra
from gramian.kernels.algebra import Kernel
from gramian.kernels.columns import Columns
from gramian.kernels.declared import ARRAY, FLAG, INTEGER, MAYBE_ARRAY, NONE, NUMBER, SPARSE, TEXT, Kept, Types
from gramian.kernels.deflated import Deflated
from gramian.kernels.graphs.diffusion import Diffusion
from gramian.kernels.graphs.graph import SIMILARITIES, Graph
from gramian.kernels.nystrom import Nystrom
from gramian.kernels.standardize import Standardize
from gramian.kernels.strings.bags import Bags, Vocabulary
from gramian.kernels.strings.sequences import Sequences
from gramian.kernels.strings.spectrum import Composition
from gramian.kernels.strings.subsequences import Weighed
from gramian.learn.calibration import Calibration
from gramian.learn.classifier import KernelClassifier
from gramian.learn.fisher import FisherDiscriminant
from gramian.learn.gram_rows import GramRows
from gramian.learn.gram_schmidt import GramSchmidt
from gramian.learn.kmeans import KernelKMeans
from gramian.learn.lowrank import RidgeOfMoments
from gramian.learn.novelty import NoveltyDetector
from gramian.learn.parzen import ParzenClassifier
from gramian.learn.path import Residuals, RidgePath
from gramian.learn.pca import KernelPCA
from gramian.learn.preimage import PreImages
from gramian.learn.ridge import KernelRidge, Problem
from gramian.learn.search import Candidate, KernelSearch
from gramian.learn.ways import Exact, Summed
from gramian.models import consistency
from gramian.models.shapes import is_simple, require
from gramian.space.maps import CholeskyMap, EmpiricalMap, MercerMap
from gramian.space.moments import Chunk, Moments, Summary
from gramian.space.subspace import Subspace
from gramian.space.vectors import FeatureSpace, Vectors

MAYBE_NUMBER: Types = (*NUMBER, NONE)
KERNEL: Types = (Kernel,)
VECTORS: Types = (Vectors,)
MAYBE_VECTORS: Types = (Vectors, NONE)
RANK: Types = (*INTEGER, str, NONE)
RIDGE: Types = (*NUMBER, str, list, tuple, np.ndarray)


@dataclass(frozen=True, eq=False)
class Entry:
    """One class: which attributes an object must have, which it may have, and what must hold between them.

    Attributes
    ----------
    cls : type
        The class.
    needed_types, other_types : dict
        The types that each attribute may be of; without a needed one there is no object.
    constructed : bool
        Whether the needed attributes are the arguments of the constructor, and it is called.
    forgotten : frozenset of str
        Attributes that are not stored.
    fresh : dict
        What these begin with, where an object needs them: functions without arguments.
    neutral : dict
        What is stored instead of attributes that mean something on the machine of the writer only.
    brought_up : callable, optional
        Given the attributes that a file holds, returns them as they are now: those of an earlier version were others.
    check : callable, optional
        Given the object, raises ValueError where its attributes do not fit together.
    """

    cls: type[Any]
    needed_types: Mapping[str, Types]
    other_types: Mapping[str, Types] = field(default_factory=dict)
    constructed: bool = False
    forgotten: frozenset[str] = frozenset()
    fresh: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    neutral: Mapping[str, Any] = field(default_factory=dict)
    brought_up: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    check: Callable[[Any], None] | None = None

    @property
    def name(self) -> str:
        """What the class is called in a file."""
        return self.cls.__name__

    @cached_property
    def needed(self) -> frozenset[str]:
        """The attributes that an object must have."""
        return frozenset(self.needed_types)

    @cached_property
    def attributes(self) -> dict[str, Types]:
        """All attributes."""
        return {**self.needed_types, **self.other_types}


def entry_of(thing: Any) -> Entry | None:
    """Return the entry of the class of an object, None where it has none; a subclass has none."""
    found = ENTRIES.get(type(thing).__name__)
    return found if found is not None and found.cls is type(thing) else None


def ascending(places: Array) -> bool:
    """Tell whether places begin at 0 and never go back; by comparison, for differences may overflow."""
    return len(places) > 0 and places[0] == 0 and bool((places[1:] >= places[:-1]).all())


# What must hold between attributes


def _check_sequences(sequences: Sequences) -> None:
    codes, starts = sequences.codes, sequences.starts
    require(codes.ndim == starts.ndim == 1 and codes.dtype == np.int32, "sequences are no flat run of codes")
    require(starts.dtype == np.int64, "sequences do not say where they begin")
    require(ascending(starts) and starts[-1] == len(codes), "sequences begin where no codes are")
    _check_codes(codes, sequences.alphabet)


def _check_codes(codes: Array, alphabet: tuple[Any, ...]) -> None:
    inside = codes.size == 0 or (codes.min() >= 0 and codes.max() < len(alphabet))
    require(bool(inside), "a code stands for no symbol of its alphabet")
    require(all(map(is_simple, alphabet)), "a symbol is neither a text nor a number")


def _check_vocabulary(vocabulary: Vocabulary) -> None:
    require(
        vocabulary.pieces.ndim == 2 and vocabulary.pieces.dtype == np.int32, "the pieces of a vocabulary are no table"
    )
    _check_codes(vocabulary.pieces, vocabulary.alphabet)


def _check_bags(bags: Bags) -> None:
    fits = len(bags.counts.shape) == 2 and bags.counts.shape[1] == len(bags.vocabulary)
    require(fits and bags.counts.dtype.kind == "f", "counts are not those of their vocabulary")
    counts = bags.counts.data if is_sparse(bags.counts) else bags.counts
    require(bool(np.isfinite(counts).all()), "counts are not finite")


def _check_weighed(weighed: Weighed) -> None:
    require(
        weighed.bags is None or len(weighed.bags) == len(weighed.sequences), "weights are not those of their sequences"
    )
    require(weighed.length >= 1, "subsequences have no length")


def _check_encoded(encoded: Encoded) -> None:
    kinds = (np.ndarray, *SPARSE, Encoded, Sequences, Bags, Weighed)
    require(
        len(encoded.parts) > 0 and all(isinstance(part, kinds) for part in encoded.parts), "encodings are of no kind"
    )
    for part in encoded.parts:
        numbers = isinstance(part, np.ndarray) or is_sparse(part)
        require(not numbers or (part.dtype.kind in "fiub" and len(part.shape) > 0), "encodings are not numbers")
    counts = {int(part.shape[0]) if hasattr(part, "shape") else len(part) for part in encoded.parts}
    require(len(counts) == 1, "parts of encodings are of different lengths")


def _check_columns(columns: Columns) -> None:
    require(all(map(is_simple, columns.names)), "the name of a column is neither a text nor a number")


def _check_space(space: FeatureSpace) -> None:
    require(space.memory is None or space.memory > 0, "a space has no memory")


def _check_diffusion(kernel: Any) -> None:
    consistency.check_diffusion(kernel, SIMILARITIES)


def _check_again(kernel: Any) -> None:
    """Check all parameters of a kernel that got some after it was made: those that earlier versions had not."""
    kernel.__post_init__()


def _check_search(search: KernelSearch) -> None:
    consistency.check_search(search, Candidate)


# The classes


def _object(cls: type[Any], check: Callable[[Any], None] | None = None, **types: Types) -> Entry:
    return Entry(cls, types, check=check)


# What must hold between what kernels keep for later, or what earlier versions kept.
_CHECKS: dict[type[Any], Callable[[Any], None]] = {
    algebra.Centered: consistency.check_anchored,
    Deflated: consistency.check_anchored,
    Nystrom: consistency.check_basis,
    Composition: _check_again,
    Diffusion: _check_diffusion,
}


def _kernel(cls: type[Kernel], kept: Kept) -> Entry:
    check = next((check for base, check in _CHECKS.items() if issubclass(cls, base)), None)
    return Entry(cls, kept.needed, kept.other, kept.constructed, kept.forgotten, check=check)


_KERNELS = [_kernel(cls, cls.kept) for cls in kernels() if cls.kept is not None and "kept" in vars(cls)]

_MAPS = [
    Entry(
        Graph,
        {"matrix": SPARSE, "nodes": (tuple, NONE)},
        constructed=True,
        forgotten=frozenset({"_places", "_similarities"}),
    ),
    Entry(
        Standardize,
        {"mean": (*MAYBE_ARRAY, list, tuple), "scale": (*MAYBE_ARRAY, list, tuple)},
        constructed=True,
        check=consistency.check_standardize,
    ),
    Entry(Columns, {"names": (tuple,), "numeric": FLAG}, constructed=True, check=_check_columns),
]

_SAMPLES = [
    Entry(Encoded, {"parts": (tuple,)}, check=_check_encoded),
    Entry(Sequences, {"codes": ARRAY, "starts": ARRAY, "alphabet": (tuple,), "kind": TEXT}, check=_check_sequences),
    Entry(
        Vocabulary,
        {"pieces": ARRAY, "alphabet": (tuple,), "kind": TEXT},
        forgotten=frozenset({"_found"}),
        fresh={"_found": WeakKeyDictionary},
        check=_check_vocabulary,
    ),
    Entry(Bags, {"counts": (np.ndarray, *SPARSE), "vocabulary": (Vocabulary,)}, check=_check_bags),
    Entry(
        Weighed,
        {"sequences": (Sequences,), "length": INTEGER, "decay": NUMBER, "bags": (Bags, NONE)},
        check=_check_weighed,
    ),
    Entry(
        Gram,
        {
            "kernel": KERNEL,
            "rows": (Encoded,),
            "cols": (Encoded,),
            "symmetric": FLAG,
            "memory": (int,),
            "diagonal": NUMBER,
            "dtype": (np.dtype,),
        },
        {"_row_means": ARRAY},
        forgotten=frozenset({"_entries", "_norms", "_small", "_identity", "_held"}),
        fresh={"_held": NONE},
        check=consistency.check_gram,
    ),
    _object(FeatureSpace, _check_space, kernel=KERNEL, memory=(int, NONE)),
    Entry(
        Vectors,
        {
            "space": (FeatureSpace,),
            "points": (Encoded,),
            "weights": MAYBE_ARRAY,
            "single": FLAG,
            "_mean_of": MAYBE_VECTORS,
        },
        {
            "_gram": (Gram,),
            "_values": ARRAY,
            "_features": MAYBE_ARRAY,
            "_squared_norms": ARRAY,
            "_about_mean": (algebra.Centered,),
            "_squared_deviations": ARRAY,
            "_mean": VECTORS,
        },
        check=consistency.check_vectors,
    ),
    _object(Subspace, consistency.check_subspace, basis=VECTORS, _factor=(LowRank, NONE)),
    _object(LowRank, consistency.check_low_rank, factor=ARRAY, pivots=ARRAY, residual=ARRAY, trace=NUMBER),
    _object(Eigen, values=ARRAY, vectors=ARRAY, residuals=ARRAY),
    _object(Moments, consistency.check_moments, weight=NUMBER, mean=ARRAY, lower=MAYBE_ARRAY),
    _object(
        Chunk, consistency.check_chunk, points=(Encoded,), numbers=MAYBE_ARRAY, weights=MAYBE_ARRAY, groups=MAYBE_ARRAY
    ),
    Entry(
        Summary,
        {
            "kernel": KERNEL,
            "landmarks": (Nystrom, NONE),
            "scatter": FLAG,
            "trace": NUMBER,
            "largest": NUMBER,
            "dim": INTEGER,
            "count": INTEGER,
            "present": INTEGER,
            "_sums": (list,),
        },
        {"_dtype": (np.dtype,)},
        check=consistency.check_summary,
    ),
    Entry(Exact, {"kernel": KERNEL, "rank": RANK, "labels": (dict,)}, check=consistency.check_way),
    Entry(
        Summed,
        {
            "kernel": KERNEL,
            "rank": RANK,
            "labels": (dict,),
            "summary": (Summary,),
            "probe": (Chunk, NONE),
            "draws": ARRAY,
            "trace_error": NUMBER,
        },
        check=consistency.check_way,
    ),
]

_FITTED: dict[str, Types] = {
    "kernel_": KERNEL,
    "sample_": VECTORS,
    "n_features_in_": INTEGER,
    "feature_names_in_": ARRAY,
    "_came_in_batches": FLAG,
    "_kind": (str, NONE),
    "_sklearn_output_config": (dict,),
}
_REDUCED: dict[str, Types] = {
    **_FITTED,
    "_way": (Exact, Summed, NONE),
}
_CLASSIFIER: dict[str, Types] = {
    "classes_": ARRAY,
    "dual_coef_": ARRAY,
    "offset_": (*NUMBER, np.ndarray),
    "directions_": VECTORS,
    "_primal": MAYBE_ARRAY,
    "_calibration": (Calibration,),
}
_RIDGED: dict[str, Types] = {"ridge": RIDGE, "fit_intercept": FLAG, "tol": MAYBE_NUMBER}
_LEAST_SQUARES: dict[str, Types] = {
    "dual_coef_": ARRAY,
    "function_": VECTORS,
    "intercept_": (*NUMBER, np.ndarray),
    "ridge_": NUMBER,
    "_unit": NUMBER,
    "path_": (RidgePath,),
    "residual_": NUMBER,
    "solver_": TEXT,
    "_primal": MAYBE_ARRAY,
    "_problem": (Problem,),
    "_shape": (tuple,),
    "_known": (Residuals,),
    "_of_moments": (RidgeOfMoments,),
}
_SCATTERED = ("_automatic", "_begun", "_summary", "_probe", "_lots", "_turned_up", "_trace_error")


def _with_a_way(state: dict[str, Any]) -> dict[str, Any]:
    """Gather what a learner has learnt from, which earlier versions kept in attributes of the learner itself."""
    old = {name: held for name, held in state.items() if name in _SCATTERED}
    if not old:
        return state
    begun, labels = old.get("_begun", (state.get("kernel"), state.get("rank"), False)), old.get("_turned_up", {})
    require(type(begun) is tuple and len(begun) == 3, "how learning began is not known")
    require(type(labels) is dict, "classes are not numbered")
    kernel, rank, _ = begun
    way = _summed_up(kernel, rank, labels, old) if "_summary" in old else Exact(kernel, rank, labels)
    consistency.check_way(way)
    return {name: held for name, held in state.items() if name not in old} | {"_way": way}


def _summed_up(kernel: Any, rank: Any, labels: dict[Any, int], old: Mapping[str, Any]) -> Summed:
    require({"_probe", "_lots", "_turned_up"} <= old.keys(), "what was looked at is not known")
    summary, probe, draws = old["_summary"], old["_probe"], old["_lots"]
    require(isinstance(summary, Summary) and isinstance(draws, np.ndarray), "moments are none")
    require(isinstance(probe, Chunk | None), "objects that are looked at are none")
    left_out = old.get("_trace_error", 0.0)
    return Summed(kernel, rank, labels, summary=summary, probe=probe, draws=draws, trace_error=left_out)


_NO_CHECKPOINT = {"checkpoint": None}  # a directory of the machine where the model was fitted


def _reducible(
    cls: type[Any], check: Callable[[Any], None], needed: dict[str, Types], learnt: dict[str, Types]
) -> Entry:
    given = {"kernel": KERNEL, "rank": RANK, "checkpoint": (NONE,), **needed}
    return Entry(cls, given, {**_REDUCED, **learnt}, neutral=_NO_CHECKPOINT, brought_up=_with_a_way, check=check)


_LEARNERS = [
    _reducible(
        NoveltyDetector,
        consistency.check_novelty,
        {
            "delta": NUMBER,
            "calibration": TEXT,
            "alpha": NUMBER,
            "calibration_size": NUMBER,
            "random_state": (*INTEGER, NONE),
        },
        {
            "threshold_": NUMBER,
            "offset_": NUMBER,
            "false_alarm_bound_": NUMBER,
            "radius_": NUMBER,
            "radius_is_exact_": FLAG,
            "distances_": ARRAY,
            "center_": VECTORS,
            "_mean": ARRAY,
            "_mute": (str, NONE),
            "_ordered": ARRAY,
            "_reach": NUMBER,
            "_astray": NUMBER,
            "_unfinished": (Encoded, NONE),
        },
    ),
    _reducible(
        ParzenClassifier,
        consistency.check_parzen,
        {},
        {**_CLASSIFIER, "centers_": VECTORS, "_numbers": ARRAY, "_sums": ARRAY, "_own": ARRAY},
    ),
    _reducible(
        FisherDiscriminant,
        consistency.check_fisher,
        {"ridge": RIDGE, "n_components": (*INTEGER, NONE), "tol": MAYBE_NUMBER},
        {
            **_CLASSIFIER,
            "ridge_": NUMBER,
            "ridges_": ARRAY,
            "loo_errors_": ARRAY,
            "solver_": TEXT,
            "quotients_": ARRAY,
            "axes_": VECTORS,
            "projected_means_": ARRAY,
            "projected_variances_": ARRAY,
            "_primal_axes": MAYBE_ARRAY,
            "_labels": ARRAY,
            "_sample_labels": ARRAY,
            "_loo_scores": ARRAY,
            "_unseen": NUMBER,
            "_coarse": (FisherDiscriminant,),
        },
    ),
    _reducible(KernelRidge, consistency.check_ridge, {**_RIDGED, "smoother": TEXT, "solver": TEXT}, _LEAST_SQUARES),
    _reducible(
        KernelClassifier,
        consistency.check_least_squares_classifier,
        _RIDGED,
        {**_LEAST_SQUARES, "classes_": ARRAY, "_calibration": (Calibration,)},
    ),
    Entry(GramRows, {"kernel": KERNEL}, _FITTED, check=consistency.check_gram_rows),
    _reducible(
        KernelPCA,
        consistency.check_pca,
        {"n_components": MAYBE_NUMBER},
        {
            "eigenvalues_": ARRAY,
            "explained_variance_": ARRAY,
            "explained_variance_ratio_": ARRAY,
            "total_variance_": NUMBER,
            "variance_error_": NUMBER,
            "dual_coef_": ARRAY,
            "components_": VECTORS,
            "solver_": TEXT,
            "_inputs": MAYBE_ARRAY,
            "_pre_images": (PreImages,),
            "_at_center": ARRAY,
            "_center": VECTORS,
        },
    ),
    Entry(
        GramSchmidt,
        {
            "kernel": KERNEL,
            "rank": (*INTEGER, NONE),
            "tol": NUMBER,
            "pivoting": TEXT,
            "random_state": (*INTEGER, NONE),
        },
        {
            **_FITTED,
            "residual": NUMBER,
            "pivots_": ARRAY,
            "residuals_": ARRAY,
            "largest_residual_": NUMBER,
            "relative_error_": NUMBER,
            "subspace_": (Subspace,),
        },
        check=consistency.check_gram_schmidt,
    ),
    Entry(
        KernelKMeans,
        {
            "n_clusters": INTEGER,
            "kernel": KERNEL,
            "n_init": INTEGER,
            "max_iter": INTEGER,
            "random_state": (*INTEGER, NONE),
        },
        {
            **_REDUCED,
            "rank": RANK,
            "_squares": ARRAY,
            "labels_": ARRAY,
            "inertia_": NUMBER,
            "n_iter_": INTEGER,
            "dual_coef_": ARRAY,
            "centers_": VECTORS,
            "solver_": TEXT,
        },
        check=consistency.check_kmeans,
    ),
]
_ESTIMATORS: Types = tuple(entry.cls for entry in _LEARNERS)

_AROUND = [
    Entry(
        KernelSearch,
        {
            "estimator": _ESTIMATORS,
            "candidates": (list, tuple, dict, np.ndarray, NONE),
            "criterion": TEXT,
            "cv": (int, np.integer, NONE),
        },
        {
            "best_estimator_": _ESTIMATORS,
            "best_params_": (dict,),
            "best_score_": NUMBER,
            "best_index_": INTEGER,
            "results_": (list,),
        },
        check=_check_search,
    ),
    _object(Candidate, params=(dict,), kernel=KERNEL, ridge=MAYBE_NUMBER, score=NUMBER, left_out=NUMBER),
    _object(Calibration, consistency.check_calibration, slope=MAYBE_NUMBER, shifts=MAYBE_ARRAY),
    _object(Problem, consistency.check_problem, Y=ARRAY, weights=MAYBE_ARRAY, intercept=FLAG),
    Entry(
        RidgePath,
        {"ridges": ARRAY, "loo": ARRAY, "gcv": ARRAY, "dof": ARRAY, "left_out": NUMBER},
        {"unit": NUMBER},
        check=consistency.check_path,
    ),
    Entry(
        Residuals, {"residuals": ARRAY, "room": ARRAY}, {"slope": (Residuals, NONE)}, check=consistency.check_residuals
    ),
    Entry(
        RidgeOfMoments,
        {
            "A": ARRAY,
            "B": ARRAY,
            "intercept": FLAG,
            "kind": TEXT,
            "count": INTEGER,
            "weight": NUMBER,
            "mean": ARRAY,
            "target": ARRAY,
            "_squares": NUMBER,
        },
        {"_spectrum": (tuple,), "inside": ARRAY, "floor": NUMBER},
        check=consistency.check_ridge_of_moments,
    ),
    Entry(
        PreImages,
        {"_kernel": KERNEL, "_X": ARRAY, "_dual": ARRAY},
        {"_guess": (KernelRidge,)},
        check=consistency.check_pre_images,
    ),
    Entry(EmpiricalMap, {"kernel": KERNEL}, {"kernel_": KERNEL, "_directions": VECTORS}, check=consistency.check_map),
    Entry(MercerMap, {"kernel": KERNEL}, {"kernel_": KERNEL, "_directions": VECTORS}, check=consistency.check_map),
    Entry(
        CholeskyMap,
        {"kernel": KERNEL, "rank": (*INTEGER, NONE), "tol": NUMBER, "pivoting": (str, NONE), "rng": (*INTEGER, NONE)},
        {"kernel_": KERNEL, "_subspace": (Subspace,)},
        check=consistency.check_map,
    ),
]

ENTRIES: dict[str, Entry] = {entry.name: entry for entry in [*_KERNELS, *_MAPS, *_SAMPLES, *_LEARNERS, *_AROUND]}

# What classes were called in files of earlier versions.
FORMER_NAMES = {"Fit": "Residuals"}
