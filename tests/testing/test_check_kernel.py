"""The conformance suite catches broken kernels, each by the claim it breaks, and passes sound ones."""

import pickle
from collections import Counter

import numpy as np
import pytest
import scipy.sparse

import gramian as gm
from gramian.testing import check_gram, check_kernel


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(7, 3))


class Sound(gm.Kernel):
    """xᵀz, the least a kernel has to write; every broken one differs from it in one place."""

    def encode(self, X):
        return gm.Encoded((np.asarray(X, dtype=np.float64),))

    def block(self, a, b, out):
        out[...] = a.parts[0] @ b.parts[0].T

    def squared_norms(self, a):
        return np.einsum("ij,ij->i", a.parts[0], a.parts[0])


class Asymmetric(Sound):
    """xᵀMz with M not symmetric; the diagonal is right."""

    def block(self, a, b, out):
        M = np.eye(3) + 0.2 * np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 0]])
        out[...] = a.parts[0] @ M @ b.parts[0].T


class WrongNorms(Sound):
    def squared_norms(self, a):
        return 1.001 * super().squared_norms(a)


class Indefinite(Sound):
    """The sign of xᵀz: symmetric and bounded by one, but not positive semidefinite."""

    def block(self, a, b, out):
        out[...] = np.sign(a.parts[0] @ b.parts[0].T)

    def squared_norms(self, a):
        return np.ones(len(a))


class Negative(Sound):
    """−xᵀz, symmetric and finite: every image would have a squared length below zero."""

    def block(self, a, b, out):
        out[...] = -(a.parts[0] @ b.parts[0].T)

    def squared_norms(self, a):
        return -super().squared_norms(a)


class SquaredDistance(Sound):
    """Seed 003, Q2: ‖x − z‖², whose diagonal is zero and whose entries are not."""

    def block(self, a, b, out):
        out[...] = ((a.parts[0][:, None] - b.parts[0]) ** 2).sum(axis=-1)

    def squared_norms(self, a):
        return np.zeros(len(a))


class ChangesItsInput(Sound):
    def encode(self, X):
        np.round(X, 2, out=X)
        return gm.Encoded((X,))


class CountsPositions(Sound):
    """The first object of a run is treated unlike the others."""

    def block(self, a, b, out):
        super().block(a, b, out)
        if len(a) > 1:
            out[0] *= 0.5


class DependsOnTheTile(Sound):
    def block(self, a, b, out):
        super().block(a, b, out)
        out /= out.size


class LosesItsState(Sound):
    power: float = 1.0

    def __getstate__(self):
        return {"power": 7.0}


class UnequalToItself(Sound):
    def __eq__(self, other):
        return self is other

    __hash__ = Sound.__hash__


class UnequalHash(Sound):
    def __hash__(self):
        return id(self)


class NotANumber(Sound):
    def block(self, a, b, out):
        super().block(a, b, out)
        out[out < -1] = np.nan


class ForgetsToWrite(Sound):
    def block(self, a, b, out):
        out[:, 0] = (a.parts[0] @ b.parts[0].T)[:, 0]


class AddsToWhatIsThere(Sound):
    def block(self, a, b, out):
        out += a.parts[0] @ b.parts[0].T


class WrongFeatures(Sound):
    def feature_dim(self, a):
        return 3

    def phi(self, a):
        return 1.001 * a.parts[0]


class WrongDimension(Sound):
    def feature_dim(self, a):
        return 4

    def phi(self, a):
        return a.parts[0]


class SparseWrongFeatures(WrongFeatures):
    def phi(self, a):
        return scipy.sparse.csr_array(super().phi(a))


class EncodesByCompany(Sound):
    """Centred on whatever collection comes: a point alone is the origin."""

    def encode(self, X):
        A = np.asarray(X, dtype=np.float64)
        return gm.Encoded((A - A.mean(axis=0),))


class DropsAnObject(Sound):
    def encode(self, X):
        return gm.Encoded((np.asarray(X, dtype=np.float64)[:-1],))


class NeedsContiguousOut(Sound):
    """Writes through a flat view, which of a strided array is a copy."""

    def block(self, a, b, out):
        out.reshape(-1)[...] = (a.parts[0] @ b.parts[0].T).ravel()


class StoredNorms(Sound):
    """The norms are a part of the encoding, and handed out as they are."""

    def encode(self, X):
        A = np.asarray(X, dtype=np.float64)
        return gm.Encoded((A, np.einsum("ij,ij->i", A, A)))

    def squared_norms(self, a):
        return a.parts[1]


class IntegerNorms(Sound):
    def encode(self, X):
        return gm.Encoded((np.round(X),))

    def squared_norms(self, a):
        return super().squared_norms(a).astype(int)


class NotANumberNorms(Sound):
    def squared_norms(self, a):
        norms = super().squared_norms(a)
        norms[0] = np.nan
        return norms


class InfiniteNorms(NotANumberNorms):
    def squared_norms(self, a):
        return np.where(np.isnan(super().squared_norms(a)), np.inf, super().squared_norms(a))


class NotANumberFeatures(WrongFeatures):
    def phi(self, a):
        features = a.parts[0].copy()
        features[0, 0] = np.nan
        return features


BROKEN = [
    (EncodesByCompany(), "an object is encoded on its own"),
    (DropsAnObject(), "there is one encoding for each object"),
    (NeedsContiguousOut(), "every value is finite"),
    (StoredNorms(), "squared_norms returns a new array"),
    (IntegerNorms(), "squared_norms are float32 or float64"),
    (NotANumberNorms(), "every κ(x, x) is finite"),
    (InfiniteNorms(), "every κ(x, x) is finite"),
    (NotANumberFeatures(), "Φ Φᵀ = K"),
    (Asymmetric(), "κ(x, z) = κ(z, x)"),
    (WrongNorms(), "squared_norms is the diagonal of block"),
    (Indefinite(), "no negative eigenvalue"),
    (Negative(), "no κ(x, x) is below zero"),
    (SquaredDistance(), "Cauchy–Schwarz"),
    (ChangesItsInput(), "the input is left alone"),
    (CountsPositions(), "κ(x, z) = κ(z, x)"),
    (DependsOnTheTile(), "squared_norms is the diagonal of block"),
    (LosesItsState(), "it survives pickling"),
    (UnequalToItself(), "a kernel equals one made of the same parameters"),
    (UnequalHash(), "equal kernels have equal hashes"),
    (NotANumber(), "every value is finite"),
    (ForgetsToWrite(), "every value is finite"),
    (AddsToWhatIsThere(), "every value is finite"),
    (WrongFeatures(), "Φ Φᵀ = K"),
    (SparseWrongFeatures(), "Φ Φᵀ = K"),
    (WrongDimension(), "phi has feature_dim = 4 columns"),
]


@pytest.mark.parametrize(("kernel", "claim"), BROKEN, ids=[type(k).__name__ for k, _ in BROKEN])
def test_a_broken_kernel_is_caught_by_the_claim_it_breaks(X, kernel, claim):
    with pytest.raises(AssertionError) as caught:
        check_kernel(kernel, X)
    assert claim in str(caught.value)
    assert type(kernel).__name__ in str(caught.value)


class TileMean(Sound):
    """The diagonal and the symmetry are right; entries depend on how many objects stand beside them."""

    def block(self, a, b, out):
        super().block(a, b, out)
        off = a.parts[0][:, None, 0] != b.parts[0][:, 0]
        out[off] *= 0.9 if out.size > 1 else 1.0


def test_an_entry_that_changes_with_its_tile_is_caught(X):
    with pytest.raises(AssertionError, match="every entry of a tile is its own 1 × 1 tile"):
        check_kernel(TileMean(), X)


class OrderMatters(Sound):
    """Right for any tile that is square or a single entry, wrong for the same objects in another order."""

    def block(self, a, b, out):
        super().block(a, b, out)
        if out.shape[0] == out.shape[1] > 1 and not np.array_equal(a.parts[0], b.parts[0]):
            out += 0.01


def test_an_order_of_the_objects_that_matters_is_caught(X):
    with pytest.raises(AssertionError, match="the order of the objects is irrelevant"):
        check_kernel(OrderMatters(), X)


def test_the_message_says_how_far_off_and_where(X):
    with pytest.raises(AssertionError, match=r"off by .* at \(\d,\), tolerance"):
        check_kernel(WrongNorms(), X)


def test_a_small_error_is_caught_by_default_and_let_through_by_a_loose_tolerance(X):
    check_kernel(WrongNorms(), X, rtol=0.01)
    with pytest.raises(AssertionError):
        check_kernel(WrongNorms(), X, rtol=1e-4)


@pytest.mark.parametrize(
    "kernel",
    [
        Sound(),
        Sound() + 1.0,
        2.0 * Sound() ** 2,
        Sound().normalize(),
        Sound().exp(),
        gm.Gaussian("median"),
        gm.Linear(),
        gm.Polynomial(3, 0.5),
        gm.Gaussian(1.0) * gm.Linear() + 1.0,
    ],
    ids=str,
)
def test_a_sound_kernel_passes(X, kernel):
    check_kernel(kernel, X)
    check_kernel(kernel, np.vstack([X, X[:2]]))
    check_kernel(kernel.fit(X), X[:1])


def test_sound_kernels_pass_in_float32_and_on_sparse_and_read_only_data(X):
    check_kernel(gm.Gaussian(1.0), X.astype(np.float32))
    check_kernel(gm.Polynomial(2, 1.0), scipy.sparse.csr_array(np.round(X)))
    X.flags.writeable = False
    check_kernel(gm.Laplacian(1.0), X)


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e100])
def test_sound_kernels_pass_on_tiny_and_huge_data(X, scale):
    for kernel in (
        gm.Linear(),
        Sound(),
        gm.Linear() + gm.Bilinear(np.eye(3)),
        gm.Gaussian(scale),
        gm.Laplacian("median"),
    ):
        check_kernel(kernel, scale * X)


@pytest.mark.parametrize("scale", [1e-150, 1e100])
def test_a_broken_kernel_is_caught_on_tiny_and_huge_data(X, scale):
    for kernel, claim in ((WrongNorms(), "squared_norms is the diagonal"), (Asymmetric(), "κ(x, z) = κ(z, x)")):
        with pytest.raises(AssertionError) as caught:
            check_kernel(kernel, scale * X)
        assert claim in str(caught.value)


def test_centered_and_deflated_kernels_pass(X):
    check_kernel(gm.Gaussian(1.0).center(X[:4]), X)
    S = gm.FeatureSpace(gm.Gaussian(1.0))(X)
    check_kernel(S.deflate(S.mean()).space.kernel, X)


def test_the_input_is_left_alone_by_the_check_itself(X):
    before = X.copy()
    check_kernel(gm.Gaussian(1.0), X)
    np.testing.assert_array_equal(X, before)


# A kernel on strings, as a user would write it


class CommonCharacters(gm.Kernel):
    """Σ over characters of the product of their counts in two strings, on a given alphabet."""

    alphabet: str = "abcdefghijklmnopqrstuvwxyz"

    def encode(self, X):
        counts = [Counter(s) for s in X]
        return gm.Encoded((np.array([[float(c[letter]) for letter in self.alphabet] for c in counts]),))

    def block(self, a, b, out):
        np.matmul(a.parts[0], b.parts[0].T, out=out)

    def squared_norms(self, a):
        return np.einsum("ij,ij->i", a.parts[0], a.parts[0])


WORDS = ["bar", "bat", "car", "cat", "banana", "abracadabra"]


def common(s, t):
    return float(sum(s.count(c) * t.count(c) for c in set(s) & set(t)))


def test_a_user_written_kernel_on_strings_conforms():
    k = CommonCharacters()
    check_kernel(k, WORDS)
    check_kernel(k, tuple(WORDS))
    check_gram(k.gram(WORDS))
    check_gram(k.gram(WORDS, ["cab", "rat"]))
    np.testing.assert_array_equal(k(WORDS), [[common(s, t) for t in WORDS] for s in WORDS])


def test_a_user_written_kernel_has_the_whole_algebra():
    k = CommonCharacters()
    made = [k + 1.0, 2 * k, k * k, k**3, k + k.normalize(), k.normalize(), k.center(WORDS), (0.1 * k).exp()]
    for kernel in made:
        check_kernel(kernel, WORDS)
    check_kernel(k.pullback(lambda words: [w[::-1] for w in words]), WORDS)
    check_kernel(k.reweight(lambda words: [1 / len(w) for w in words]), WORDS)


def test_a_user_written_kernel_has_a_geometry():
    k = CommonCharacters()
    S = gm.FeatureSpace(k)(WORDS)
    K = np.array([[common(s, t) for t in WORDS] for s in WORDS])
    assert S[0].distances(S[1]) == pytest.approx(2**0.5)
    assert S.total_variance() == pytest.approx(np.trace(K) / 6 - K.mean())
    assert S.mean()(["abc"]) == pytest.approx(np.mean([common(s, "abc") for s in WORDS]))
    assert S.rank() == np.linalg.matrix_rank(K)
    C = gm.MercerMap(k).fit_transform(WORDS)
    np.testing.assert_allclose(C @ C.T, K, atol=1e-10 * K.max())
    assert S.subspace().residuals(["catbar"]) == pytest.approx(0.0, abs=1e-6)


def test_a_user_written_kernel_is_a_value():
    k = CommonCharacters("abc")
    assert k == CommonCharacters("abc") != CommonCharacters("abd")
    assert pickle.loads(pickle.dumps(k)) == k
    assert hash(k) == hash(CommonCharacters("abc"))
    assert repr(k) == "CommonCharacters(alphabet='abc')"
    assert (k + gm.Precomputed(np.eye(2))).get_params()["left__alphabet"] == "abc"
