"""What a kernel makes of objects, kernel by kernel: whether encodings in a file are such as their kernel would make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gramian.checks import is_sparse
from gramian.formula.encoded import Encoded
from gramian.gram.gram import Gram, finite_norms
from gramian.kernels import algebra
from gramian.kernels.deflated import Deflated
from gramian.kernels.dotproduct import Bilinear, DotProduct
from gramian.kernels.equality import Equality
from gramian.kernels.fourier import RandomFourier
from gramian.kernels.graphs.diffusion import Diffusion
from gramian.kernels.nystrom import Nystrom
from gramian.kernels.periodic import Periodic
from gramian.kernels.precomputed import Precomputed
from gramian.kernels.radial import Distance
from gramian.kernels.strings.bags import Bags
from gramian.kernels.strings.counting import Counting
from gramian.kernels.strings.full_spectrum import FullSpectrum
from gramian.kernels.strings.sequences import Sequences
from gramian.kernels.strings.spectrum import Composition
from gramian.kernels.strings.subsequences import MOST_FEATURES, AllSubsequences, Subsequences, Weighed
from gramian.kernels.subsets import AllSubsets, Anova
from gramian.kernels.text.bag_of_words import BagOfWords
from gramian.models.shapes import check_shape, require

NEAR = 1e-3  # how far numbers that are kept may be from those computed again, in any precision and on any machine


def check_encoding(kernel: Any, points: Any) -> None:
    """Require that objects are encoded as a kernel encodes them."""
    require(isinstance(points, Encoded), f"the objects of {type(kernel).__name__} are not encoded")
    for cls, check in _ENCODINGS:
        if isinstance(kernel, cls):
            check(kernel, points.parts)
            return
    raise ValueError(f"how {type(kernel).__name__} encodes its objects is not known")


def _only(parts: tuple[Any, ...], kinds: Any, kernel: Any) -> Any:
    fits = len(parts) == 1 and isinstance(parts[0], kinds)
    require(fits, f"the objects are not encoded as {type(kernel).__name__} encodes them")
    return parts[0]


def _vectors(kernel: Any, parts: tuple[Any, ...], sparse: bool = True, width: int | None = None) -> None:
    fits = len(parts) == 1 and (isinstance(parts[0], np.ndarray) or (sparse and is_sparse(parts[0])))
    require(fits, f"the objects are not encoded as {type(kernel).__name__} encodes them")
    rows = parts[0]
    require(len(rows.shape) == 2 and rows.dtype in (np.float32, np.float64), "vectors are no table of numbers")
    require(0 not in rows.shape, "vectors are none, or have no coordinates")
    require(bool(np.isfinite(rows.data if is_sparse(rows) else rows).all()), "vectors are not finite")
    require(width is None or rows.shape[1] == width, "vectors have not the width of their kernel")


def _distance(kernel: Any, parts: tuple[Any, ...]) -> None:
    require(not isinstance(kernel.bandwidth, str), "a bandwidth is not settled")
    _vectors(kernel, parts, sparse=kernel.metric == "euclidean")


def _circles(kernel: Any, parts: tuple[Any, ...]) -> None:
    require(not isinstance(kernel.bandwidth, str), "a bandwidth is not settled")
    _vectors(kernel, parts, sparse=False)
    cosines, sines = np.array_split(parts[0].astype(np.float64), 2, axis=1)
    require(cosines.shape == sines.shape, "points on circles have not two coordinates each")
    with np.errstate(over="ignore"):
        radii = np.hypot(cosines, sines)
    require(bool((np.abs(radii - 1) < NEAR).all()), "points lie on no circle of radius 1")


def _bilinear(kernel: Any, parts: tuple[Any, ...]) -> None:
    check_shape(kernel._root, "d r", {"d": len(kernel.A)}, "Bilinear._root")
    rank = kernel._root.shape[1]
    require(len(parts) == 1 and isinstance(parts[0], np.ndarray), "the objects are not encoded as Bilinear does")
    check_shape(parts[0], "n r", {"r": rank}, "an encoding")


def _texts(kernel: Any, parts: tuple[Any, ...]) -> None:
    require(kernel.vocabulary is not None, "a bag of words has no vocabulary")
    require(kernel.weighting == "tf" or kernel.idf is not None, "a bag of words has no weights")
    _vectors(kernel, parts, width=len(kernel.vocabulary))
    require(is_sparse(parts[0]), "a bag of words is not sparse")


def _subsets(kernel: Any, parts: tuple[Any, ...]) -> None:
    weights = getattr(kernel, "weights", None)
    _vectors(kernel, parts, sparse=False, width=None if weights is None else len(weights))


def _places(count: Callable[[Any], int]) -> Callable[[Any, tuple[Any, ...]], None]:
    def check(kernel: Any, parts: tuple[Any, ...]) -> None:
        places = _only(parts, np.ndarray, kernel)
        check_shape(places, "n <c", {"c": count(kernel)}, "an encoding")
        require(len(places) > 0, "there are no objects")

    return check


def _counted(kernel: Any, parts: tuple[Any, ...]) -> None:
    length = 1 if isinstance(kernel, Equality) else int(kernel.length)
    lengths = range(1, length + 1) if isinstance(kernel, Composition) else (length,)
    fits = len(parts) == len(lengths) and all(isinstance(bags, Bags) for bags in parts)
    require(fits, f"the objects are not encoded as {type(kernel).__name__} encodes them")
    for bags, expected in zip(parts, lengths, strict=True):
        require(bags.vocabulary.pieces.shape[1] == expected, "a vocabulary is of pieces of another length")
    require(len(parts[0]) > 0 and len({len(bags) for bags in parts}) == 1, "objects are none, or not the same")


def _sequences(kernel: Any, parts: tuple[Any, ...]) -> None:
    require(len(_only(parts, Sequences, kernel)) > 0, "there are no objects")


def _weighed(kernel: Any, parts: tuple[Any, ...]) -> None:
    found = _only(parts, Weighed, kernel)
    same = (found.length, found.decay) == (int(kernel.length), float(kernel.decay))
    require(same and len(found) > 0, "subsequences are those of another kernel")
    if found.bags is None:
        return
    symbols = max(len(found.sequences.alphabet), 1)
    require(symbols**found.length <= MOST_FEATURES, "there are too many subsequences to spell them out")
    vocabulary = found.bags.vocabulary
    fits = vocabulary.pieces.shape[1] == found.length and vocabulary.alphabet == found.sequences.alphabet
    require(fits and isinstance(found.bags.counts, np.ndarray), "weights are those of other subsequences")


def _pair(kernel: Any, parts: tuple[Any, ...]) -> None:
    require(len(parts) == 2, "the encodings of two kernels are not two")
    check_encoding(kernel.left, parts[0])
    check_encoding(kernel.right, parts[1])


def _as_base(kernel: Any, parts: tuple[Any, ...]) -> None:
    check_encoding(kernel.base, Encoded(parts))


def _rowwise(kernel: Any, parts: tuple[Any, ...]) -> None:
    require(len(parts) == 2, f"the objects are not encoded as {type(kernel).__name__} encodes them")
    check_encoding(kernel.base, parts[0])
    check_shape(parts[1], "n", {"n": len(parts[0])}, "an encoding")
    if type(kernel) is algebra.Normalized and is_cheap(kernel.base):
        lengths = np.sqrt(finite_norms(kernel.base, parts[0])) * parts[1]
        require(bool((np.abs(lengths - 1) < NEAR).all()), "the lengths of objects are those of others")


def _anchored(kernel: Any, parts: tuple[Any, ...]) -> None:
    require(len(parts) == 2, f"the objects are not encoded as {type(kernel).__name__} encodes them")
    check_encoding(kernel.base, parts[0])
    columns = kernel.coefficients.shape[1] if isinstance(kernel, Deflated) else 1
    check_shape(parts[1], "n r", {"n": len(parts[0]), "r": columns}, "an encoding")
    require(parts[0].signature == kernel.reference.rows.signature, "objects do not fit those that a kernel is about")
    if is_cheap(kernel.base):
        norms = finite_norms(kernel.base, parts[0]).astype(np.float64)
        most = 1.0 if isinstance(kernel, Deflated) else float(finite_norms(kernel.base, kernel.reference.rows).max())
        with np.errstate(over="ignore"):  # |⟨φ(x), w⟩| ≤ ‖φ(x)‖ ‖w‖
            inside = (np.abs(parts[1]) <= (1 + NEAR) * np.sqrt(norms)[:, None] * np.sqrt(most)).all()
        require(bool(inside), "products with a sample are larger than they can be")


def _landmarks(kernel: Any, parts: tuple[Any, ...]) -> None:
    require(kernel.landmarks is not None, "a Nyström kernel has no landmarks")
    _as_base(kernel, parts)
    landmarks = [vars(kernel)["basis"][0]] if "basis" in vars(kernel) else []
    landmarks += [kernel.landmarks.rows] if isinstance(kernel.landmarks, Gram) else []
    fits = all(points.signature == Encoded(parts).signature for points in landmarks)
    require(fits, "objects do not fit the landmarks of their kernel")


_ENCODINGS: list[tuple[Any, Callable[[Any, tuple[Any, ...]], None]]] = [
    (algebra.Pair, _pair),
    (Nystrom, _landmarks),
    (algebra.Pointwise | algebra.Pullback | RandomFourier, _as_base),
    (algebra.Rowwise, _rowwise),
    (algebra.Anchored, _anchored),
    (Bilinear, _bilinear),
    (BagOfWords, _texts),
    (AllSubsets | Anova, _subsets),
    (DotProduct, _vectors),
    (Distance, _distance),
    (Periodic, _circles),
    (Precomputed, _places(len)),
    (Diffusion, _places(lambda kernel: len(kernel.graph))),
    (Counting, _counted),
    (Subsequences, _weighed),
    (AllSubsequences | FullSpectrum, _sequences),
]


def is_cheap(kernel: Any) -> bool:
    """Tell whether κ(x, x) of all objects takes no time to speak of."""
    return not (kernel.traits.expensive or kernel.traits.whole_columns or _has_landmarks(kernel))


def _has_landmarks(kernel: Any) -> bool:
    return isinstance(kernel, Nystrom) or any(map(_has_landmarks, kernel._inner().values()))
