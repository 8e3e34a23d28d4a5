"""Where an iteration for leading eigenpairs starts from, when it stops, and what it says on its way."""

import numpy as np
import pytest

import gramian as gm
from gramian.factor import eigen as module
from gramian.factor import krylov
from gramian.factor.eigen import nearly_leading

X = np.random.default_rng(0).normal(size=(300, 2))


@pytest.fixture
def products(monkeypatch):
    """Let 300 objects be too many to be decomposed, and count the products with K."""
    monkeypatch.setattr(module, "DENSE", 10)
    made = []
    apply = gm.Gram.apply

    def counted(self, V):
        made.append(V.shape[1])
        return apply(self, V)

    monkeypatch.setattr(gm.Gram, "apply", counted)
    return made


@pytest.mark.parametrize("centered", [False, True])
def test_the_start_holds_nearly_all_of_the_leading_eigenvectors(centered):
    gram = gm.Gaussian(2.0).gram(X)
    start = nearly_leading(gram, 3, centered)
    vectors = gm.eigen(gram.center() if centered else gram, 3).vectors
    Q = np.linalg.qr(start[:, :3])[0]
    assert np.linalg.norm(Q.T @ vectors, axis=0).min() > 0.999


def test_there_is_no_start_where_there_is_no_factor():
    assert nearly_leading(gm.Linear().gram(np.zeros((20, 2))), 3, centered=False) is None
    indefinite = np.full((100, 100), -0.6) + 1.6 * np.eye(100)
    assert nearly_leading(gm.Precomputed(indefinite).gram(range(100)), 3, centered=False) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_iteration_stops_once_its_tolerance_is_reached(products, dtype):
    gram = gm.Gaussian(3.0).gram(X.astype(dtype))
    found = gm.eigen(gram, 4)
    # Of a spectrum that falls tenfold from one eigenvalue to the next a block or two are enough.
    assert len(products) <= 4
    eps = float(np.finfo(dtype).eps)
    assert found.residuals.max() <= 32 * eps**0.75 * found.values[0]


def test_a_start_near_the_answer_saves_products():
    diagonal = 0.97 ** np.arange(400)
    start = np.eye(400)[:, :12] + 1e-6 * np.random.default_rng(0).normal(size=(400, 12))
    found = [
        krylov.leading(lambda V: diagonal[:, None] * V, 400, 4, tol=1e-9, most=100, start=block)
        for block in (start, None)
    ]
    assert found[0].products < found[1].products
    for one in found:
        np.testing.assert_allclose(one.values, diagonal[:4], rtol=1e-12)


def test_the_residual_that_is_told_is_relative_to_the_largest_eigenvalue(monkeypatch):
    class Listener:
        def __enter__(self):
            self.notes = []
            return self

        def __exit__(self, *error):
            pass

        def advance(self, done, total, note):
            self.notes.append(note)

    listener = Listener()
    monkeypatch.setattr(krylov, "task", lambda what: listener)

    def told(scale):
        diagonal = scale * 0.99 ** np.arange(500)
        krylov.leading(lambda V: diagonal[:, None] * V, 500, 4, tol=1e-9, most=30)
        return listener.notes

    assert told(1.0)
    assert told(2.0**-40) == told(1.0) == told(2.0**40)


def test_residuals_are_not_lost_among_the_smallest_numbers():
    B = np.random.default_rng(0).normal(size=(20, 20))
    plain = gm.eigen(gm.Precomputed(B @ B.T).gram(range(20)))
    for scale in (2.0**-700, 2.0**700):
        found = gm.eigen(gm.Precomputed(scale * (B @ B.T)).gram(range(20)))
        assert (found.residuals > 0).all()
        assert found.residuals.max() <= 100 * scale * plain.residuals.max()


@pytest.mark.parametrize("held", [False, True])
def test_what_lies_about_the_centre_is_taken_from_single_precision_unless_k_is_held(products, held, monkeypatch):
    made = []
    single = gm.Gram.rounded
    monkeypatch.setattr(gm.Gram, "rounded", lambda self: made.append(self) or single(self))
    gram = gm.Gaussian(1.0).gram(X)
    if held:
        with gram.held():
            found = module.centered_eigen(gram, 3)
    else:
        found = module.centered_eigen(gram, 3)
    assert bool(made) is not held
    true = np.linalg.eigvalsh(gram.center().dense())[::-1][:3]
    np.testing.assert_allclose(found.values, true, rtol=1e-5)
