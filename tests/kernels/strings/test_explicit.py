"""Explicit maps of counting kernels: columns, names, products through features, and learners on the primal side.

The columns of a table of counts depend on the objects counted, so everything that compares two tables has to bring
them together first. The truth is always the dense matrix, which is computed without explicit features.
"""

import itertools
from collections import Counter

import numpy as np
import pytest
import scipy.sparse

import gramian as gm
from gramian.kernels.algebra import Centered


def dna(n, letters="ACGT", seed=0, longest=20):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(letters), rng.integers(5, longest))) for _ in range(n)]


def backwards(X):
    return [x[::-1] for x in X]


def sizes(X):
    return np.array([len(x) - 8.5 for x in X])


def dense(table):
    return table.toarray() if scipy.sparse.issparse(table) else np.asarray(table)


WIDE = ["".join(row) for row in np.random.default_rng(3).choice([chr(0x4E00 + i) for i in range(500)], (40, 15))]
FOUND = {"dense": dna(30), "sparse": WIDE, "short": ["", "A", "AC", "ACA", "GG"]}

KERNELS = {
    "composition": gm.Composition(),
    "composition-alphabet": gm.Composition("GA!"),
    "spectrum-1": gm.Spectrum(1),
    "spectrum-2": gm.Spectrum(2),
    "mismatch": gm.Mismatch(2, 1, "ACGT"),
    "equality": gm.Equality(),
    "sum": gm.Spectrum(1) + gm.Composition(),
    "sum-of-three": gm.Spectrum(2) + 0.25 * gm.Mismatch(2, 1, "ACG") + gm.Equality(),
    "scaled": 0.3 * gm.Spectrum(2),
    "shifted": gm.Spectrum(2) + 2.5,
    "normalized": (gm.Spectrum(1) + 1).normalize(),
    "reweighted": gm.Spectrum(2).reweight(sizes),
    "pullback": gm.Spectrum(2).pullback(backwards),
    "nested": (2 * gm.Spectrum(1).reweight(sizes) + gm.Composition() + 1).normalize(),
}
every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
every_sample = pytest.mark.parametrize("found", FOUND.values(), ids=FOUND)


# The map


@every_kernel
@every_sample
def test_inner_products_of_features_are_the_kernel_and_features_are_float64(kernel, found):
    Phi, K = kernel.features(found), kernel(found)
    assert Phi.dtype == np.float64
    assert Phi.shape == (len(found), kernel.feature_dim(kernel.encode(found)))
    np.testing.assert_allclose(dense(Phi @ Phi.T), K, rtol=1e-12, atol=1e-12 * abs(kernel(found)).max())


def counts_of(kernel, x):
    """How often each named piece occurs in x, by Python's own counting."""
    if isinstance(kernel, gm.Spectrum):
        return Counter(x[i : i + kernel.length] for i in range(len(x) - kernel.length + 1))
    if isinstance(kernel, gm.Composition):
        known = set(x if kernel.alphabet is None else kernel.alphabet)
        return {letter: n / len(x) for letter, n in Counter(x).items() if letter in known}
    return Counter([x])


@pytest.mark.parametrize(
    "kernel", [gm.Composition(), gm.Composition("CA!"), gm.Spectrum(1), gm.Spectrum(3), gm.Equality()], ids=repr
)
@every_sample
def test_every_column_counts_the_piece_that_names_it_and_no_piece_is_left_out(kernel, found):
    Phi, names = dense(kernel.features(found)), kernel.feature_names(found)
    assert len(set(names)) == len(names) == Phi.shape[1]
    for row, x in zip(Phi, found, strict=True):
        given = {name: value for name, value in zip(names, row, strict=True) if value}
        assert given == pytest.approx(dict(counts_of(kernel, x)), rel=1e-14)


@every_kernel
@every_sample
def test_there_is_a_name_for_every_column(kernel, found):
    if "pullback" in repr(kernel):
        with pytest.raises(TypeError, match="have no names"):
            kernel.feature_names(found)
    else:
        assert len(kernel.feature_names(found)) == kernel.features(found).shape[1]


def test_names_of_a_sum_are_those_of_its_parts_and_a_constant_is_called_1():
    X = ["ab", "ba"]
    k = 2 * gm.Spectrum(1) + gm.Spectrum(2) + 3
    assert k.feature_names(X) == ["a", "b", "ab", "ba", "1"]
    root = np.sqrt([2, 2, 1, 1, 3])
    np.testing.assert_allclose(k.features(X), root * [[1, 1, 1, 0, 1], [1, 1, 0, 1, 1]], rtol=1e-14)


def test_composition_over_an_alphabet_keeps_the_order_of_its_symbols_and_counts_others_in_the_length():
    k = gm.Composition("TCx")
    assert k.feature_names(["AACT"]) == ["T", "C", "x"]
    np.testing.assert_array_equal(k.features(["AACT", "", "TT", "AAA"]), [[0.25, 0.25, 0], [0] * 3, [1, 0, 0], [0] * 3])
    tokens = gm.Composition(["cat", "dog"])
    np.testing.assert_array_equal(tokens.features([["the", "cat"], ["dog"]]), [[0.5, 0], [0, 1]])
    np.testing.assert_array_equal(gm.Composition(b"ba").features([b"ab", b"b"]), [[0.5, 0.5], [1, 0]])
    sparse = gm.Composition(WIDE[0][:3]).features(WIDE)
    np.testing.assert_allclose(dense(sparse), [[x.count(c) / len(x) for c in WIDE[0][:3]] for x in WIDE], rtol=1e-14)


@pytest.mark.parametrize("alphabet", ["", (), 7])
def test_composition_without_symbols_is_refused(alphabet):
    with pytest.raises((TypeError, ValueError), match="symbols such as 'ACGT' expected"):
        gm.Composition(alphabet)


# Columns of other objects


@every_kernel
def test_encodings_of_counts_say_that_their_columns_depend_on_the_objects(kernel):
    a = kernel.encode(FOUND["dense"])
    assert a.open
    assert kernel.center(FOUND["dense"]).encode(FOUND["dense"]).open
    assert not gm.Linear().encode(np.eye(3)).open
    assert not (gm.Linear() + gm.Gaussian(1.0)).encode(np.eye(3)).open


@every_kernel
def test_encodings_in_the_columns_of_others_lose_the_pieces_that_these_have_not_and_nothing_else(kernel):
    known, new = dna(12, "ACG"), [*dna(9, "CGTN", seed=1), "", "NNTT"]
    a, b = kernel.encode(new), kernel.encode(known)
    moved = a.like(b)
    assert len(moved) == len(new)
    assert moved.width == b.width
    assert kernel.feature_dim(moved) == kernel.feature_dim(b)
    np.testing.assert_allclose(dense(kernel.phi(moved) @ kernel.phi(b).T), kernel(new, known), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(dense(kernel.phi(b.like(b))), dense(kernel.phi(b)), rtol=0)
    for rows in (slice(2, 5), np.array([4, 0])):
        np.testing.assert_array_equal(dense(kernel.phi(moved[rows])), dense(kernel.phi(a[rows].like(b))))


def stored(a):
    """How many numbers an encoding holds."""
    if isinstance(a, gm.Encoded):
        return sum(map(stored, a.parts))
    counts = getattr(a, "counts", a)
    return counts.nnz if scipy.sparse.issparse(counts) else counts.size


@every_kernel
@every_sample
def test_load_is_the_number_of_counts_that_are_stored(kernel, found):
    a = kernel.encode(found)
    assert a.load == pytest.approx(stored(a) / len(found))
    assert a.sparse or a.load == a.width


def test_an_encoding_of_vectors_stays_as_it_is_in_the_columns_of_others():
    k = gm.Linear() + gm.Gaussian(1.0)
    a, b = k.encode(np.eye(3)), k.encode(np.ones((2, 3)))
    np.testing.assert_array_equal(k.left.phi(a.like(b).parts[0]), np.eye(3))
    assert a.load == a.width


# Products

X, FEW, MORE = dna(220), dna(210, "AC", seed=1), dna(230, "ACGTN", seed=2)
PAIRS = {"square": (X, None), "fewer columns": (X, FEW), "more columns": (X, MORE), "apart": (FEW, dna(205, "GT"))}
FEATURES = {
    "composition": gm.Composition(),
    "spectrum": gm.Spectrum(2),
    "mismatch": gm.Mismatch(2, 1, "ACGT"),
    "sum": gm.Spectrum(1) + 0.5 * gm.Spectrum(2),
    "normalized": gm.Spectrum(2).normalize(),
    "reweighted": gm.Spectrum(1).reweight(sizes),
    "pullback": gm.Spectrum(2).pullback(backwards),
}


def assert_products(gram, monkeypatch):
    """gram @ V is the dense product, and goes through features exactly when the Gram says so."""
    asked = []
    plain = type(gram)._through_features
    monkeypatch.setattr(gm.Gram, "_through_features", lambda self, V: asked.append(1) or plain(self, V))
    n, m = gram.shape
    V = np.random.default_rng(0).normal(size=(m, 3))
    K = gram.dense()
    tolerance = 1e-12 * abs(K).max() * m
    np.testing.assert_allclose(gram @ V, K @ V, atol=tolerance)
    assert bool(asked) == gram.through_features()
    np.testing.assert_allclose(gram @ V[:, 0], K @ V[:, 0], atol=tolerance)
    np.testing.assert_allclose(V[:n, 0] @ gram if n <= m else 0, V[:n, 0] @ K if n <= m else 0, atol=tolerance)
    np.testing.assert_allclose(gram.row_means(), K.mean(axis=1), atol=1e-12 * abs(K).max())


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("kernel", FEATURES.values(), ids=FEATURES)
def test_products_through_features_are_the_dense_products(kernel, pair, monkeypatch):
    gram = kernel.gram(*PAIRS[pair])
    assert gram.through_features()
    assert_products(gram, monkeypatch)


@pytest.mark.parametrize("kernel", FEATURES.values(), ids=FEATURES)
def test_products_in_small_memory_go_through_features_in_pieces(kernel, monkeypatch):
    spans = []
    plain = gm.Gram.spans
    monkeypatch.setattr(gm.Gram, "spans", lambda self, *given: spans.append(plain(self, *given)) or spans[-1])
    assert_products(kernel.gram(X, MORE, memory="400 kB"), monkeypatch)
    assert_products(kernel.gram(X, memory="400 kB"), monkeypatch)
    assert spans


@pytest.mark.parametrize(
    ("kernel", "data"),
    [
        (gm.Spectrum(4), dna(30, "AC")),
        (gm.Spectrum(2), X[:20]),
        (gm.Spectrum(2) * gm.Composition(), X),
        (gm.Spectrum(2) ** 2, X),
    ],
    ids=["many features", "few objects", "product", "power"],
)
def test_products_do_not_go_through_features_that_are_many_or_not_there(kernel, data, monkeypatch):
    gram = kernel.gram(data)
    assert not gram.through_features()
    assert_products(gram, monkeypatch)


def test_products_of_sparse_counts_go_through_features_by_the_counts_that_are_stored(monkeypatch):
    found = WIDE * 4
    gram = gm.Spectrum(1).gram(found)
    assert gram.rows.sparse
    assert gram.through_features()
    assert gram.rows.width > len(gram)
    assert_products(gram, monkeypatch)
    assert_products(gm.Spectrum(1).gram(found, WIDE * 3 + ["A new one"]), monkeypatch)


@pytest.mark.parametrize("kernel", FEATURES.values(), ids=FEATURES)
def test_products_of_centred_counts_are_the_dense_products(kernel, monkeypatch):
    assert_products(kernel.center(X).gram(X), monkeypatch)
    assert_products(kernel.gram(X).center(), monkeypatch)
    assert_products(kernel.center(MORE).gram(MORE), monkeypatch)


@pytest.mark.parametrize("kernel", [gm.Spectrum(2), gm.Composition(), gm.Spectrum(2).normalize()], ids=repr)
@pytest.mark.parametrize(("rows", "cols"), [(X, FEW), (X, MORE)], ids=["fewer columns", "more columns"])
def test_rectangular_products_of_centred_counts_are_the_dense_products(kernel, rows, cols, monkeypatch):
    assert_products(kernel.center(X).gram(rows, cols), monkeypatch)


def test_rectangular_products_of_a_sum_with_a_centred_kernel_are_the_dense_products(monkeypatch):
    assert_products((gm.Spectrum(1) + gm.Spectrum(2).center(X)).gram(X, FEW), monkeypatch)


# Centring

NEW = [*dna(25, seed=5), "NNACN", "XYZ", "", "A"]


@pytest.mark.parametrize("kernel", FEATURES.values(), ids=FEATURES)
@pytest.mark.parametrize("reference", [X, FEW, MORE[:10]], ids=["all", "fewer letters", "more letters"])
def test_centred_counts_of_new_strings_follow_the_formula_of_centring(kernel, reference):
    new = [x for x in NEW if x and set(x) & set("AC") and len(x) > 1]  # those that have a direction in every kernel
    R, C, K = kernel(reference), kernel(new, reference), kernel(new)
    expected = K - C.mean(axis=1)[:, None] - C.mean(axis=1) + R.mean()
    k = kernel.center(reference)
    atol = 1e-12 * K.max()
    np.testing.assert_allclose(k(new), expected, atol=atol)
    np.testing.assert_allclose(k.diag(new), np.diagonal(expected), atol=atol)
    across = kernel(new, X) - C.mean(axis=1)[:, None] - kernel(X, reference).mean(axis=1) + R.mean()
    np.testing.assert_allclose(k(new, X), across, atol=1e-12 * abs(kernel(X)).max())


def test_centred_counts_have_no_explicit_map_for_the_centre_has_pieces_of_its_own():
    k = gm.Spectrum(2).center(X)
    assert isinstance(k, Centered)
    assert k.feature_dim(k.encode(FEW)) is None
    assert (k + gm.Spectrum(1)).feature_dim((k + gm.Spectrum(1)).encode(NEW)) is None
    assert k.normalize().feature_dim(k.normalize().encode(NEW[:-1])) is None
    with pytest.raises(TypeError, match="has no explicit feature map"):
        k.features(FEW)
    with pytest.raises(TypeError, match="have no names"):
        k.feature_names(FEW)


# Learners

UNSEEN = [*dna(30, seed=7), "NNNNACGN", "XYXY", "", "ACGTTTTTTTTTTTTTTTTTTTTTN", "A"]
SHORT = dna(200, seed=8)
y_numbers = np.array([x.count("AC") - x.count("GT") for x in SHORT]) + np.random.default_rng(0).normal(size=200)
y_labels = np.array(["no", "yes"])[(y_numbers > 0).astype(int)]
PRIMAL = {
    "spectrum": gm.Spectrum(2),
    "composition": gm.Composition(),
    "mismatch": gm.Mismatch(2, 1),
    "sum": gm.Spectrum(1) + gm.Spectrum(2) + 1,
    "centred": gm.Spectrum(2).center(SHORT),
    "centred on others": gm.Spectrum(2).center(dna(5, "AC")),
}
LEARNERS = {
    "ridge": lambda k: gm.KernelRidge(k, ridge=0.5),
    "ridge-intercept": lambda k: gm.KernelRidge(k, ridge=0.5, fit_intercept=True),
    "ridge-loo": lambda k: gm.KernelRidge(k),
    "projection": lambda k: gm.KernelRidge(k, ridge=3.0, smoother="projection"),
    "fisher": lambda k: gm.FisherDiscriminant(k, ridge=0.1),
    "fisher-loo": lambda k: gm.FisherDiscriminant(k),
    "pca": lambda k: gm.KernelPCA(3, k),
}
METHODS = ("predict", "decision_function", "transform", "reconstruction_error")


def aligned(found, expected):
    """Turn columns so that they point the same way: a principal axis has no sign."""
    if found.ndim == 2:
        found = found * np.sign(np.sum(found * expected, axis=0))
    return found


@pytest.mark.parametrize(
    ("learner", "name"),
    [(learner, name) for learner in ("ridge", "fisher", "pca") for name in PRIMAL]
    + [
        (learner, name)
        for learner in ("ridge-intercept", "ridge-loo", "projection", "fisher-loo")
        for name in ("spectrum", "centred")
    ],
)
def test_learners_on_the_primal_side_say_of_new_strings_what_they_say_from_the_dense_matrix(learner, name):
    kernel = PRIMAL[name]
    y = {"r": y_numbers, "f": y_labels, "p": y_numbers}[learner[0]]
    fitted = kernel.fit(SHORT)
    n = len(SHORT)
    K = fitted(SHORT + UNSEEN)
    primal = LEARNERS[learner](kernel).fit(SHORT, y)
    plain = LEARNERS[learner](gm.Precomputed((K + K.T) / 2)).fit(np.arange(n), y)
    for method in METHODS:
        if hasattr(primal, method) and (method != "predict" or learner[0] != "f"):
            found = getattr(primal, method)(UNSEEN)
            expected = getattr(plain, method)(np.arange(n, n + len(UNSEEN)))
            scale = abs(expected).max()
            np.testing.assert_allclose(aligned(found, expected), expected, atol=1e-6 * scale, err_msg=method)


def test_learners_of_that_test_are_on_the_primal_side():
    for name, kernel in PRIMAL.items():
        k = kernel.fit(SHORT)
        dim = k.feature_dim(k.encode(SHORT))
        assert (dim is None) == name.startswith("centred") or dim < len(SHORT) / 2
    assert gm.KernelRidge(gm.Spectrum(2), ridge=0.5).fit(SHORT, y_numbers).solver_ == "primal, 16 features"


@pytest.mark.parametrize("kernel", [gm.Spectrum(2), gm.Spectrum(2) + 1], ids=repr)
def test_primal_and_dual_ridge_regression_agree_on_new_strings(kernel):
    primal, dual = (gm.KernelRidge(kernel, ridge=0.5, solver=side).fit(SHORT, y_numbers) for side in ("primal", "dual"))
    assert primal.solver_ != dual.solver_
    np.testing.assert_allclose(primal.predict(UNSEEN), dual.predict(UNSEEN), atol=1e-10)


# Maps of kernels that are computed pair by pair


@pytest.mark.parametrize(
    "kernel",
    [
        gm.FullSpectrum(),
        gm.FullSpectrum(2, 3, decay=0.6),
        gm.FullSpectrum(4, 9),
        gm.Subsequences(1, decay=0.3),
        gm.Subsequences(2),
        gm.Subsequences(3, decay=0.5),
    ],
    ids=repr,
)
@pytest.mark.parametrize("found", [dna(8), ["", "A"], [["to", "be"], ["be", "to", "be"]], [b"abca", b"cab"]], ids=repr)
def test_pairwise_kernels_with_a_finite_map_are_its_inner_products(kernel, found):
    Phi = dense(kernel.features(found))
    assert Phi.dtype == np.float64
    np.testing.assert_allclose(Phi @ Phi.T, kernel(found), rtol=1e-12, atol=1e-13)
    names = kernel.feature_names(found)
    assert len(set(names)) == len(names) == Phi.shape[1]
    assert Phi.any(axis=0).all()


def test_subsequence_features_are_sums_over_places():
    k = gm.Subsequences(2, decay=0.5)
    Phi, names = k.features(["abcab"]), k.feature_names(["abcab"])
    expected = Counter()
    for i, j in itertools.combinations(range(5), 2):
        expected["abcab"[i] + "abcab"[j]] += 0.5 ** (j - i + 1)
    assert dict(zip(names, Phi[0], strict=True)) == pytest.approx(dict(expected))


def test_maps_that_are_too_large_are_refused_with_what_to_do():
    with pytest.raises(TypeError, match="bound it with max_length"):
        gm.FullSpectrum().features(["ab" * 100])
    with pytest.raises(TypeError, match="3.20 features, too many"):
        gm.Subsequences(20).features(["abc"])


@pytest.mark.parametrize("length", [50, 2**30])
def test_subsequences_longer_than_all_sequences_are_not_spelled_out(length):
    for words in (["a", "aa"], ["", ""], ["ab", "abba"]):
        (found,) = gm.Subsequences(length).encode(words)
        assert found.bags is None
    (found,) = gm.Subsequences(2**30).encode(["a", "aa"])
    with pytest.raises(TypeError, match="the explicit map has .* features, too many"):
        found.spelled()
