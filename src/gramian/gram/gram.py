"""`Gram`: the matrix K[i, j] = κ(xᵢ, zⱼ) as an operator.

K holds everything that can be known of the data in feature space (seed 000, section 5.1). It is never formed unless
`dense()` is called: products, sums and columns are computed tile by tile in O(tile) memory, on all cores, and symmetric
work is done once. Where the kernel has a cheap explicit map, products go through K V = Φ (Φᵀ V) instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from typing import Any, cast

import numpy as np

from gramian.checks import Array, as_array, as_bytes, as_selection, non_negative, positive
from gramian.formula.encoded import Encoded
from gramian.formula.gaps import gap
from gramian.gram.protocol import Derived, Similarity
from gramian.places import CORES, Asked, Entries, Held, Matrix, Place, place_of, to_be_known
from gramian.runtime.fingerprint import fingerprint
from gramian.runtime.journal import Stages, at_once, remember
from gramian.runtime.progress import task

SMALL = 2**26  # bytes of K that are kept where its columns are expensive
LOOKED_AT = 64  # objects whose values are compared in two precisions
LARGE = 2.0**300  # beyond which, and below its inverse, numbers are scaled before they are multiplied by K
CLOSE = 2e-6  # how near these have to be, relative to the largest
DERIVED = ("_entries", "_norms", "_small", "_identity")  # computed again when needed: row means may come out otherwise
ROOM = 2.0**-20  # of the largest float that κ(x, x) may have, so that sums over a million objects are finite
EXPENSIVE_NORMS = 256  # κ(x, x) that are computed at a time where a single one takes long
EXPENSIVE = 20  # features that have to be built pay only if they are so many times fewer than the objects


class Gram:
    """The Gram matrix of encoded objects, as an operator. Make one with ``kernel.gram(X)`` or ``kernel.gram(X, Z)``.

    K[i, j] = κ(xᵢ, zⱼ) for all pairs. It acts like a matrix (products, columns, means, blocks) and is computed block
    by block when it is used, so that K need not fit into memory; ``dense()`` returns it as an array.

    Parameters
    ----------
    kernel : Kernel
        What κ is.
    rows, cols : Encoded
        The objects, encoded by that kernel. Without `cols` the Gram is symmetric. Arrays are not copied: leave the data
        alone while a Gram of it is in use.
    memory : int or str, optional
        Budget in bytes for the working arrays of one operation, 256 MiB by default. The answer, and a few vectors of
        length n, come on top.
    diagonal : float
        A constant λ added to the diagonal: K + λI.

    Raises
    ------
    ValueError
        If not even the smallest tile fits into `memory`.

    See Also
    --------
    Kernel : the base class and its algebra
    FeatureSpace : the space of the images φ(x)
    eigen : leading eigenpairs of K
    cholesky : K ≈ F Fᵀ, completely or in low rank
    solve : the system (K + λI) X = B

    Notes
    -----
    Cost: O(n m) kernel values for a product; O(tile) memory beside the answer.

    Examples
    --------
    >>> import gramian as gm
    >>> K = gm.Gaussian(bandwidth=1.0).gram([[0.0], [1.0], [3.0]])
    >>> K
    Gram of Gaussian(bandwidth=1.0), 3 × 3, float64
    >>> (K @ [1.0, 0.0, 0.0]).round(3)
    array([1.   , 0.607, 0.011])
    >>> round(K.mean(), 3)
    0.501
    """

    objects: Any = None  # what it was made of, where a learner was given that
    __array_ufunc__ = None  # so that ``ndarray @ gram`` comes to __rmatmul__ and nothing turns a Gram into a matrix

    def __init__(
        self,
        kernel: Similarity,
        rows: Encoded,
        cols: Encoded | None = None,
        *,
        memory: int | str | None = None,
        diagonal: float = 0.0,
    ) -> None:
        self.kernel = kernel
        self.rows = rows
        self.symmetric = cols is None
        self.cols = rows if cols is None else cols
        self.memory = self.place.memory if memory is None else as_bytes(memory)
        self.diagonal = diagonal
        self._held: Held | None = None
        if rows.signature != self.cols.signature:
            raise ValueError(
                f"X and Z do not fit together: {rows.describe()} against {self.cols.describe()}; "
                "both must have the same features, in the same order"
            )
        self.dtype = np.result_type(*(kernel.value_type(side) for side in (rows, self.cols)))
        # Where no κ(x, x) can overflow, they are computed when they are needed.
        if not (kernel.traits.norms_checked or math.isfinite(kernel.radius)):
            self._norms()
            if not self.symmetric:
                finite_norms(kernel, self.cols)
        _ = self._entries  # refuses a budget that is too small, here and not in the middle

    @cached_property
    def _norms(self) -> Callable[[], Array]:
        kernel, rows = self.kernel, self.rows  # and not this Gram, which keeps what is asked to know its diagonal
        return cache(lambda: finite_norms(kernel, rows))

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: part for name, part in self.__dict__.items() if name not in DERIVED}
        return kept | {"_held": None}

    @property
    def here(self) -> Gram:
        """What the package works with: a Gram that answers with arrays of the host, whoever has the objects."""
        return self

    @property
    def place(self) -> Place:
        """Who evaluates κ: the place that has the objects."""
        return place_of(self.rows) if place_of(self.cols) is CORES else place_of(self.cols)

    @cached_property
    def _entries(self) -> Entries:
        place, kernel = self.place, self.kernel  # and not this Gram, which keeps its entries
        return place.entries(
            Asked(
                plan=kernel.prepared(place),
                rows=self.rows,
                cols=self.cols,
                symmetric=self.symmetric,
                dtype=self.dtype,
                memory=self.memory,
                write=lambda a, b, out: kernel.block(a, b, out),
                diagonal=self._norms if self.symmetric else None,
                expensive=kernel.traits.expensive,
                whole_columns=kernel.traits.whole_columns,
            )
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns of K."""
        return len(self.rows), len(self.cols)

    ndim = 2

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        ridge = f" + {self.diagonal:g} I" if self.diagonal else ""
        return f"Gram of {self.kernel!r}{ridge}, {self.shape[0]} × {self.shape[1]}, {self.dtype}"

    def diag(self) -> Array:
        """Return the diagonal, κ(xᵢ, xᵢ) (+ λ), in O(n)."""
        self._require_symmetric("diag")
        norms = self._norms()
        return np.asarray(norms + norms.dtype.type(self.diagonal))

    def rough_diag(self) -> Array:
        """Return the diagonal, or where it is expensive (nodes of a large graph) an unbiased estimate of it."""
        self._require_symmetric("rough_diag")
        return np.asarray(self.kernel.rough_norms(self.rows) + self.dtype.type(self.diagonal))

    def trace(self) -> float:
        """Return the sum of the diagonal."""
        return float(self.diag().sum(dtype=np.float64))

    def scale(self) -> float:
        """Return the largest κ(x, x) that entries are computed from; their rounding errors are multiples of it."""
        return self.kernel.scale(self.rows) + self.diagonal

    @cached_property
    def _small(self) -> Matrix | None:
        """K itself, kept where its columns are expensive (nodes of a large graph) and it is small and often asked."""
        if not (self.symmetric and self.kernel.traits.whole_columns and len(self) ** 2 * self.dtype.itemsize <= SMALL):
            return None
        if self.kernel.few_products:
            return None
        return self._entries.matrix(self._remember)

    def block(self, rows: Any, cols: Any) -> Array:
        """Return the entries at the given row and column indices (arrays or slices) as a dense array."""
        return self.place.host(self.part(rows, cols))

    def columns(self, indices: Any) -> Array:
        """Return the given columns as a dense n × k array; O(n k) kernel values are computed."""
        return self.block(slice(None), indices)

    def dense(self) -> Array:
        """Return K as an n × m array: the one place where memory of that size is taken."""
        return self.place.host(self.matrix())

    def part(self, rows: Any, cols: Any) -> Matrix:
        """Return what `block` does as an array of the place."""
        place = self.place
        i, j = np.atleast_1d(as_selection(rows, self.shape[0])), np.atleast_1d(as_selection(cols, self.shape[1]))
        if 0 in (len(i), len(j)):
            return place.empty((len(i), len(j)), self.dtype)
        if self._small is not None:
            out = self._small[i][:, j]
        else:
            some = (rows if isinstance(rows, slice) else i), (cols if isinstance(cols, slice) else j)
            out = self._entries.block(*some, self._remember)
        if self.diagonal:
            rows, cols = np.nonzero(i[:, None] == j)
            place.add_at(out, rows, cols, self.diagonal)
        return out

    def in_single(self, factor: float) -> Matrix:
        """Return a multiple of a symmetric K without λ, in single precision; from what is held, where it is."""
        if self._held is not None:
            return self._held.matrix(np.float32, factor)
        K = Gram(self.kernel, self.rows, memory=self.memory).rounded().matrix()
        K *= float(factor)
        return self.place.cast(K, np.float32)

    def matrix(self) -> Matrix:
        """Return what `dense` does as an array of the place."""
        place = self.place
        if self._small is not None:
            out = self._small * 1
        elif self._held is not None and self._held.dtype == self.dtype:
            out = self._held.matrix()
        else:
            out = self._entries.matrix(self._remember)
        if self.diagonal:
            place.add_at(out, np.arange(len(self)), np.arange(len(self)), self.diagonal)
        return out

    def squared_distances(self) -> Array:
        """Return ‖φ(x) − φ(z)‖² = κ(x, x) + κ(z, z) − 2 κ(x, z) as a dense array in double precision.

        Where the expression of κ allows it near objects keep their digits, which the difference would cancel.

        >>> import gramian as gm
        >>> gm.Gaussian().gram([[0.0]], [[1e-9], [1.0]]).squared_distances()
        array([[1.00000000e-18, 7.86938681e-01]])
        """
        self._require_no_ridge("squared_distances")
        gaps = self._gaps(self.rows)
        if gaps is None:
            left, right = (finite_norms(self.kernel, side) for side in (self.rows, self.cols))
            return squares_between(self.dense(), left, right, self.symmetric)
        squares = np.asarray(self.place.host(gaps.matrix(_computed)))
        squares *= 2
        return _squares(squares, self.symmetric)

    def _gaps(self, rows: Encoded) -> Entries | None:
        """Return ½‖φ(x) − φ(z)‖² between objects and the columns; None where no form of it keeps its digits."""
        small, place = gap(self.kernel.formula), self.place
        if small is None:
            return None
        symmetric = self.symmetric and rows is self.rows
        return place.entries(Asked(place.prepare(small), rows, self.cols, symmetric, np.dtype(np.float64), self.memory))

    @property
    def is_nearly_one(self) -> bool:
        """Whether all objects have all but one image: half the digits of κ are lost in the difference of two images.

        It is judged by the distances of all from the first, where these can be had without a difference. Of images
        that are all one nothing is lost.
        """
        if self.kernel.feature_dim(self.rows) is not None or self.kernel.traits.expensive:
            return False
        gaps = self._gaps(self.rows[:1])
        if gaps is None:
            return False
        largest = float(self.place.host(gaps.matrix(_computed)).max())
        return bool(0 < largest < np.sqrt(np.finfo(self.dtype).eps) * self.kernel.scale(self.rows[:1]))

    def mean_gaps(self) -> Array:
        """Return (1/m) Σⱼ ½‖φ(xᵢ) − φ(zⱼ)‖² for every row in float64, without differences of large numbers."""
        gaps, m = self._gaps(self.rows), self.shape[1]
        if gaps is None:
            raise ValueError(f"no form of 1 − κ is known for {self.kernel!r}")
        sums = gaps.multiply(np.ones((m, 1)), lambda what, compute: self._remember(("gaps", *what), compute))
        return np.asarray(sums[:, 0] / m)

    @contextmanager
    def held(self, in_single: bool = False) -> Iterator[bool]:
        """Keep the tiles of a symmetric K in memory inside a ``with`` block, so that many products cost little.

        Where half of K does not fit into 1 GiB, or products go through the explicit map anyway, nothing is kept, and
        all the same works more slowly. With `in_single` the tiles, though computed in double precision, are kept and
        multiplied in single: twice as fast, half the memory, and products correct to about 1e-7. Yields whether K is
        held.

        >>> import gramian as gm
        >>> K = gm.Gaussian().gram([[0.0], [1.0]])
        >>> with K.held() as held:
        ...     held, (K @ [1.0, 1.0]).round(3)
        (True, array([1.607, 1.607]))
        """
        dtype = np.dtype(np.float32) if in_single else self.dtype
        cheap = self.kernel.matrix_free or self.through_features()
        if self._held is not None or not (self.symmetric and self.can_hold(dtype)) or cheap:
            yield self._held is not None
            return
        try:
            self._held = self._entries.hold(dtype, self._remember)
        except self.place.full:  # less is free than it seemed
            self.place.release()
        try:
            yield self._held is not None
        finally:
            self._held = None

    def can_hold(self, dtype: Any = None) -> bool:
        """Tell whether half of K, in its own precision or another, may be kept: 1 GiB on the cores."""
        return self._entries.can_hold(np.dtype(dtype or self.dtype))

    @property
    def is_held(self) -> bool:
        """Whether the tiles are in memory now."""
        return self._held is not None

    @property
    def precision(self) -> np.dtype[Any]:
        """The type of the values that are multiplied: that of the tiles while they are in memory."""
        return self.dtype if self._held is None else self._held.dtype

    def rounded(self) -> Gram:
        """Return this Gram with its objects rounded to single precision, half as large; itself where that would not do.

        That is where nothing changes by it (strings, nodes), where values overflow, or where they lose more digits
        than rounding does, as those of points far from the origin: some of them are compared.
        """
        if self.dtype.itemsize <= 4 or self.kernel.matrix_free:
            return self
        cols = None if self.symmetric else self.cols.astype(np.float32)
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                found = Gram(
                    self.kernel, self.rows.astype(np.float32), cols, memory=self.memory, diagonal=self.diagonal
                )
        except ValueError:
            return self
        if found.dtype.itemsize == self.dtype.itemsize:
            return self
        rng = np.random.default_rng(0)
        i, j = (np.sort(rng.choice(n, min(n, LOOKED_AT), replace=False)) for n in self.shape)
        with np.errstate(over="ignore", invalid="ignore"):
            exact, rough = self.block(i, j), found.block(i, j)
            close = np.abs(rough - exact).max() <= CLOSE * np.abs(exact).max()
        return found if close else self

    def double(self) -> Gram:
        """Return this Gram with its vectors, given in single precision, in double; itself where that would not do.

        Vectors in single precision are exact numbers, of which K is computed with an error that is as large as its
        smallest eigenvalues: a question about these wants K in double. Encodings that keep more than vectors, such as
        means or norms, keep them rounded.
        """
        if self.dtype.itemsize > 4 or not (_only_vectors(self.rows) and _only_vectors(self.cols)):
            return self
        cols = None if self.symmetric else self.cols.astype(np.float64)
        return Gram(self.kernel, self.rows.astype(np.float64), cols, memory=self.memory, diagonal=self.diagonal)

    def take(self, rows: Any, cols: Any = None) -> Gram:
        """Return the Gram of a part of the objects, by index array or slice; nothing is computed."""
        i = np.atleast_1d(as_selection(rows, self.shape[0]))
        j = None if cols is None else np.atleast_1d(as_selection(cols, self.shape[1]))
        if len(i) == 0 or (j is not None and len(j) == 0):
            raise ValueError("a Gram of no objects was asked for; at least one index expected")
        if j is None and self.symmetric:
            return Gram(self.kernel, self.rows[i], memory=self.memory, diagonal=self.diagonal)
        self._require_no_ridge("take")
        return Gram(self.kernel, self.rows[i], self.cols if j is None else self.cols[j], memory=self.memory)

    def __matmul__(self, V: Any) -> Array:
        """K V for a vector or a matrix V, in the dtype of K."""
        W = as_array(V, "the numbers to multiply a Gram by")
        if W.ndim not in (1, 2) or len(W) != self.shape[1]:
            raise ValueError(f"cannot multiply a Gram of shape {self.shape} by an array of shape {W.shape}")
        product = self.apply(W[:, None] if W.ndim == 1 else W).astype(self.dtype)
        return product[:, 0] if W.ndim == 1 else product

    def __rmatmul__(self, V: Any) -> Array:
        return (self.T @ np.asarray(V).T).T

    def apply(self, V: Array) -> Array:
        """Return K V for a matrix V, accumulated and returned in float64; V is taken in the dtype of K."""
        if 0 in (*self.shape, V.shape[1]):
            return np.zeros((self.shape[0], V.shape[1]))
        V, exponents = self._within_range(np.asarray(V))
        with task(f"product with K, {self.shape[0]:,} × {self.shape[1]:,}"):
            product = self._product(V)
        if self.diagonal:
            product += self.diagonal * V
        with np.errstate(over="ignore", under="ignore"):
            return product if exponents is None else np.ldexp(product, exponents)

    def _within_range(self, V: Array) -> tuple[Array, Array | None]:
        """Return V in the dtype of K, its columns divided by powers of two where they might leave its range.

        In single precision that is any column: 1e39 has no place there, and 1e-50 would be 0.
        """
        V = V if V.dtype.kind == "f" else V.astype(np.float64)
        largest = np.abs(V).max(axis=0).astype(np.float64)
        narrow = min(self.dtype.itemsize, self._held.dtype.itemsize if self._held else 8) <= 4
        extreme = (largest > 0) & np.isfinite(largest) & (narrow | (largest > LARGE) | (largest < 1 / LARGE))
        if not extreme.any():
            return V.astype(self.dtype, copy=False), None
        exponents = np.where(extreme, np.frexp(largest)[1], 0)
        return np.ldexp(V.astype(np.float64, copy=False), -exponents).astype(self.dtype), exponents

    def _product(self, V: Array) -> Array:
        place = self.place
        if self._small is not None:
            return place.times(place.cast(self._small, np.float64), V)
        if self.kernel.matrix_free:
            return self._remember(("product", V), lambda _: self.kernel.multiply(self.rows, self.cols, V))
        if self.through_features():
            return self._remember(("product", V), lambda _: self._through_features(V))
        return (self._held or self._entries).multiply(V, self._remember)

    def _remember(self, what: tuple[Any, ...], compute: Callable[[Stages], Array]) -> Array:
        """Return something of K without λ: what the journal has, where one is kept, or computed."""
        return remember(lambda: (self._identity, *what), compute)

    @cached_property
    def _identity(self) -> str:
        return fingerprint(self.kernel, to_be_known(self.rows), None if self.symmetric else to_be_known(self.cols))

    def through_features(self) -> bool:
        """Tell whether products go through the explicit map, K V = Φ (Φᵀ V), because it is so much smaller than K."""
        dim = self.kernel.feature_dim(self.cols)
        if dim is None:
            return False
        built = dim <= self.cols.width + 8  # the encodings themselves, or hardly more
        return (2 if built else EXPENSIVE) * self.kernel.feature_load(self.cols) <= min(self.shape)

    def _through_features(self, V: Array) -> Array:
        place, load = self.place, int(self.kernel.feature_load(self.cols)) + 1
        sums = np.zeros((cast(int, self.kernel.feature_dim(self.cols)), V.shape[1]))
        for span in self.spans(self.shape[1], load):
            sums += place.times(self._features(self.cols[span]).T, V[span])
        weights = sums.astype(self.dtype)
        product = np.empty((self.shape[0], V.shape[1]))
        for span in self.spans(self.shape[0], load):
            product[span] = place.times(self._features(self.rows[span].like(self.cols)), weights)
        return product

    def _features(self, objects: Encoded) -> Any:
        """Return φ in the precision of K: that of one side in single would keep 7 digits of values in double."""
        return features(self.kernel, objects if self.dtype.itemsize <= 4 else objects.astype(self.dtype))

    def spans(self, n: int, dim: int) -> list[slice]:
        """Return runs of n objects whose `dim` features each fit the memory budget."""
        step = max(1, self.memory // (4 * self.dtype.itemsize * max(dim, 1)))
        return [slice(i, min(i + step, n)) for i in range(0, n, step)]

    @property
    def T(self) -> Gram:
        """The transpose; a symmetric Gram is its own."""
        if self.symmetric:
            return self
        return Gram(self.kernel, self.cols, self.rows, memory=self.memory)

    matvec = matmat = __matmul__  # the names by which SciPy knows a linear operator

    def rmatvec(self, V: Any) -> Array:
        """Kᵀ V."""
        return self.T.__matmul__(V)

    rmatmat = rmatvec

    @cached_property
    def _row_means(self) -> Array:
        ones = np.ones((self.shape[1], 1), self.dtype)
        return self.apply(ones)[:, 0] / self.shape[1]

    def know_row_means(self, means: Array) -> None:
        """Take row means that were found in another way, so that they need not be computed."""
        self.__dict__["_row_means"] = means

    def row_means(self) -> Array:
        """Return (1/m) Σⱼ K[i, j] for every row in float64; computed once, O(n m) kernel values and O(n) memory."""
        return self._row_means.copy()

    def mean(self) -> float:
        """Return the mean of all entries; for a symmetric Gram ‖φ_S‖², the squared norm of the centre of mass."""
        return float(self._row_means.mean())

    def center(self) -> Gram:
        """Move the origin to the centre of mass (Algorithm 5.3): (I − 11ᵀ/n) K (I − 11ᵀ/n), still an operator."""
        self._require_symmetric("center")
        self._require_no_ridge("center")
        kernel = self.kernel.center(self)
        return Gram(kernel, kernel.lift(self.rows), memory=self.memory)

    def normalize(self) -> Gram:
        """Scale every φ(x) to norm one (Algorithm 5.1): K[i, j] / √(κ(xᵢ, xᵢ) κ(zⱼ, zⱼ))."""
        self._require_no_ridge("normalize")
        return self._derive(self.kernel.normalize())

    def __add__(self, constant: Any) -> Gram:
        """Add a constant c ≥ 0 to every entry: one more feature, √c, the same for all (seed 004, shaping)."""
        self._require_no_ridge("adding a constant")
        return self._derive(self.kernel + non_negative(constant, "constant"))

    __radd__ = __add__

    def __mul__(self, factor: Any) -> Gram:
        """Multiply every entry by a factor c > 0: every feature times √c."""
        self._require_no_ridge("multiplying")
        return self._derive(self.kernel * positive(factor, "factor"))

    __rmul__ = __mul__

    def __array__(self, *_: Any, **__: Any) -> Array:
        raise TypeError("a Gram is an operator, not a matrix: gram.dense() makes the matrix, where it fits")

    def ridge(self, lam: float) -> Gram:
        """Add λ ≥ 0 to the diagonal: K + λI, the matrix of ridge regression (seed 004, shaping)."""
        self._require_symmetric("ridge")
        total = self.diagonal + non_negative(lam, "lam")
        return Gram(self.kernel, self.rows, memory=self.memory, diagonal=total)

    def _derive(self, kernel: Derived) -> Gram:
        cols = None if self.symmetric else kernel.lift(self.cols)
        return Gram(kernel, kernel.lift(self.rows), cols, memory=self.memory)

    def _require_symmetric(self, what: str) -> None:
        if not self.symmetric:
            raise ValueError(
                f"{what} needs a symmetric Gram, and this one compares {self.shape[0]} objects with {self.shape[1]} "
                "others: make it with kernel.gram(X), or transform the kernel first (kernel.center(X).gram(X, Z))"
            )

    def _require_no_ridge(self, what: str) -> None:
        if self.diagonal:
            raise ValueError(f"{what} after ridge() is ambiguous: transform the Gram first, then add λ to its diagonal")


def finite_norms(kernel: Similarity, a: Encoded) -> Array:
    """Return κ(x, x), finite; by Cauchy–Schwarz every other entry is then finite too, and so are sums of many."""
    with np.errstate(over="ignore", invalid="ignore"):
        norms = _squared_norms(kernel, a)
    bad = np.flatnonzero(~(norms <= np.finfo(norms.dtype).max * ROOM))
    if bad.size:
        what = "sums of κ(x, x) overflow" if np.isfinite(norms[bad[0]]) else "κ(x, x) overflows"
        raise ValueError(f"{what} {norms.dtype} for {bad.size} object(s), first at index {bad[0]}: {kernel.too_large}")
    return norms


def features(kernel: Similarity, a: Encoded) -> Any:
    """Return φ of encoded objects: an array of the place that has them, or a sparse one.

    They are worked out on the host, unless the kernel says that it does so where the objects are.
    """
    return place_of(a).features(kernel.phi, a, kernel.phi_in_place)


def features_on_host(kernel: Similarity, a: Encoded) -> Any:
    """Return φ of encoded objects as a NumPy array, or a sparse one."""
    phi = features(kernel, a)
    return place_of(phi).host(phi)


def squares_between(table: Array, rows: Array, cols: Array, symmetric: bool) -> Array:
    """Return ‖u − v‖² = ‖u‖² + ‖v‖² − 2 ⟨u, v⟩ in double precision, given inner products and squared norms."""
    squares = table.astype(np.float64)
    squares *= -2
    squares += rows.astype(np.float64)[:, None]
    squares += cols.astype(np.float64)
    return _squares(squares, symmetric)


def _squares(squares: Array, symmetric: bool) -> Array:
    """Take out what rounding has left of zeros, in place."""
    if symmetric:
        np.fill_diagonal(squares, 0.0)
    return np.maximum(squares, 0, out=squares)


def _computed(what: tuple[Any, ...], compute: Callable[[Stages], Array]) -> Array:
    """Compute what is not to be remembered."""
    return compute(at_once)


def require_range(kernel: Similarity, points: Encoded) -> None:
    """Refuse objects whose κ(x, x) overflows, or is so small that its digits are lost, before any formula meets it."""
    if not kernel.explicit(points):  # then a Gram looks
        return
    norms = finite_norms(kernel, points)
    if 0 < norms.max() < np.finfo(norms.dtype).tiny:
        raise ValueError(
            f"κ(x, x) is at most {norms.max():.1g} under {kernel!r}, too small for {norms.dtype}: rescale the data"
        )


def _squared_norms(kernel: Similarity, a: Encoded) -> Array:
    """Return κ(x, x); where they are expensive a few at a time, so that a Ctrl-C need not wait for all."""
    if not kernel.traits.expensive or len(a) <= EXPENSIVE_NORMS:
        return kernel.squared_norms(a)
    return np.concatenate([kernel.squared_norms(a[k : k + EXPENSIVE_NORMS]) for k in range(0, len(a), EXPENSIVE_NORMS)])


def as_symmetric(gram: Any, what: str) -> Gram:
    """Return a symmetric Gram, or say how to make one."""
    if not hasattr(gram, "columns") or not hasattr(gram, "symmetric"):
        raise TypeError(
            f"{what} takes a Gram, and got {type(gram).__name__}: make one of data with kernel.gram(X), of a matrix K "
            "with gm.Precomputed(K).gram(range(len(K)))"
        )
    if not gram.symmetric:
        raise ValueError(f"{what} needs a symmetric Gram: make it with kernel.gram(X)")
    return cast(Gram, gram).here


def _only_vectors(part: Any) -> bool:
    """Tell whether encodings hold vectors, and nothing that was derived from them."""
    if isinstance(part, Encoded):
        return all(_only_vectors(inner) for inner in part)
    return len(getattr(part, "shape", ())) == 2
