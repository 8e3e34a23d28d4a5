"""The conformance suite catches a Gram that disagrees with its own dense matrix."""

import numpy as np
import pytest

import gramian as gm
from gramian.testing import check_gram


@pytest.fixture
def k():
    return gm.Gaussian(1.0)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 3))


class WrongProduct(gm.Gram):
    def apply(self, V):
        return super().apply(V) * 1.0001


class WrongDiagonal(gm.Gram):
    def diag(self):
        return super().diag() * 1.0001

    def dense(self):
        return gm.Gram(self.kernel, self.rows).dense()


class WrongMean(gm.Gram):
    def mean(self):
        return super().mean() + 1e-4


class WrongRowMeans(gm.Gram):
    def row_means(self):
        return super().row_means()[::-1]


class WrongBlock(gm.Gram):
    def block(self, rows, cols):
        return super().block(rows, cols)[::-1]


class WrongColumns(gm.Gram):
    def columns(self, indices):
        return super().columns(indices)[:, ::-1]


class WrongTake(gm.Gram):
    def take(self, rows, cols=None):
        return super().take(np.sort(rows), cols)


class WrongType(gm.Gram):
    def dense(self):
        return super().dense().astype(np.float32)


class WrongShape(gm.Gram):
    @property
    def shape(self):
        return (len(self.rows), len(self.cols) + (1 if hasattr(self, "kept") else 0))

    def dense(self):
        K = super().dense()
        self.kept = True
        return K


class AsymmetricDense(gm.Gram):
    def dense(self):
        K = super().dense()
        K[0, 1] *= 1 + 1e-12
        return K


class WrongRidge(gm.Gram):
    def ridge(self, lam):
        return super().ridge(lam * 1.001)


class WrongCenter(gm.Gram):
    def center(self):
        return self.normalize()


class WrongShift(gm.Gram):
    def __add__(self, constant):
        return super().__add__(2 * constant)


class WrongNormalize(gm.Gram):
    def normalize(self):
        return self + 0.1


BROKEN = [
    (WrongProduct, "gram @ V = K V"),
    (WrongDiagonal, "diag"),
    (WrongMean, "mean"),
    (WrongRowMeans, "row_means"),
    (WrongBlock, "block"),
    (WrongColumns, "columns"),
    (WrongTake, "take"),
    (WrongType, "shape and dtype"),
    (WrongShape, "shape and dtype"),
    (AsymmetricDense, "dense() is exactly symmetric"),
    (WrongRidge, "ridge"),
    (WrongCenter, "center"),
    (WrongShift, "gram + c"),
    (WrongNormalize, "normalize"),
]


@pytest.mark.parametrize(("broken", "claim"), BROKEN, ids=[b.__name__ for b, _ in BROKEN])
def test_a_broken_gram_is_caught_by_the_claim_it_breaks(k, X, broken, claim):
    check_gram(gm.Gram(k, k.encode(X)))
    with pytest.raises(AssertionError) as caught:
        check_gram(broken(k, k.encode(X)))
    assert f"does not hold: {claim}" in str(caught.value)


class TileDependent(gm.Kernel):
    """xᵀz, damped where the tile is not the whole matrix."""

    def encode(self, X):
        return gm.Encoded((np.asarray(X, dtype=np.float64),))

    def block(self, a, b, out):
        np.matmul(a.parts[0], b.parts[0].T, out=out)
        if len(a) == 33 or len(b) == 33:
            out *= 0.99

    def squared_norms(self, a):
        return np.einsum("ij,ij->i", a.parts[0], a.parts[0])


def test_a_product_that_depends_on_the_size_of_the_tiles_is_caught(X):
    with pytest.raises(AssertionError, match="in tiles of side 33"):
        check_gram(TileDependent().gram(np.vstack([X, X, X]), np.vstack([X, X])))


@pytest.mark.parametrize("n", [1, 2, 5, 40, 130])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sound_grams_pass_whatever_their_size(k, n, dtype):
    A = np.random.default_rng(n).normal(size=(n, 3)).astype(dtype)
    for kernel in [k, gm.Linear(), gm.Polynomial(2, 1.0), k + gm.Linear()]:
        check_gram(kernel.gram(A))
        check_gram(kernel.gram(A, A[: max(1, n // 2)] + dtype(1)))


def test_derived_grams_pass(k, X):
    K = k.gram(X)
    for gram in [K.center(), K.normalize(), K + 2.0, K.ridge(0.5), K.take([3, 1]), K.center().normalize()]:
        check_gram(gram)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("kernel", [gm.Gaussian(1.0), gm.Linear(), gm.Polynomial(2)], ids=repr)
def test_a_ridge_gram_of_a_few_points_passes(X, kernel, n):
    check_gram(kernel.gram(X[:n]).ridge(0.5))
    check_gram(kernel.gram(X[:n]).ridge(100.0))
