"""Holding the tiles of K changes how long a product takes and nothing else."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.places.cores import tiles

SMALLEST = 64 * 1024  # a budget that cuts 300 objects into many tiles


def forms(X, memory=None):
    """Every kind of symmetric Gram that is not multiplied through features."""
    base = gm.Gaussian(1.3).gram(X, memory=memory)
    return {
        "plain": base,
        "centred": base.center(),
        "normalized": (gm.Gaussian(1.0) + gm.Polynomial(5, 1.0)).gram(X, memory=memory).normalize(),
        "ridge": base.ridge(0.7),
        "centred with ridge": base.center().ridge(0.7),
        "scaled and shifted": 3.0 * base + 2.0,
        "laplacian": gm.Laplacian(2.0).gram(X, memory=memory),
    }


FORMS = list(forms(np.eye(2)))


def points(n, dtype=np.float64):
    return np.random.default_rng(n).normal(size=(n, 3)).astype(dtype)


@pytest.mark.parametrize("memory", [None, SMALLEST, 200_000])
@pytest.mark.parametrize("n", [1, 2, 33, 257, 300])
@pytest.mark.parametrize("form", FORMS)
def test_everything_inside_the_block_is_what_it_is_outside(form, n, memory):
    X = points(n)
    gram = forms(X, memory)[form]
    V = np.random.default_rng(0).normal(size=(n, 3))
    fresh = forms(X, memory)[form]
    product, dense, means = fresh @ V, fresh.dense(), fresh.row_means()
    with gram.held() as held:
        assert held
        # The order of the sums is the same; a few ε are left for the strides of the tiles
        tol = 8 * np.finfo(float).eps * np.abs(dense).max() * n
        np.testing.assert_allclose(gram @ V, product, rtol=0, atol=tol)
        np.testing.assert_allclose(gram @ V[:, 0], product[:, 0], rtol=0, atol=tol)
        np.testing.assert_allclose(V.T @ gram, product.T, rtol=0, atol=tol)
        np.testing.assert_allclose(gram.dense(), dense, rtol=0, atol=tol)
        np.testing.assert_allclose(gram.row_means(), means, rtol=0, atol=tol)
        np.testing.assert_array_equal(gram.dense(), gram.dense().T)
        np.testing.assert_array_equal(np.diagonal(gram.dense()), gram.diag())
        np.testing.assert_allclose(gram.block([0], slice(None)), dense[:1], rtol=0, atol=tol)
    np.testing.assert_allclose(gram @ V, product, rtol=0, atol=tol)


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(1, 200),
    memory=st.integers(64 * 1024, 2**20),
    columns=st.integers(1, 5),
    form=st.sampled_from(FORMS),
)
def test_held_products_are_dense_products_however_k_is_cut(n, memory, columns, form):
    gram = forms(points(n), memory)[form]
    V = np.random.default_rng(0).normal(size=(n, columns))
    dense = forms(points(n))[form].dense()
    with gram.held():
        np.testing.assert_allclose(gram @ V, dense @ V, rtol=0, atol=1e-13 * n * np.abs(dense).max())


@pytest.mark.parametrize("n", [5, 129, 300])
@pytest.mark.parametrize("form", FORMS)
def test_single_precision_stays_single_precision(form, n):
    gram = forms(points(n, np.float32), SMALLEST)[form]
    V = np.ones((n, 2), np.float32)
    product, dense = gram @ V, gram.dense()
    with gram.held() as held:
        assert held
        assert gram._held.dtype == np.float32
        assert (gram @ V).dtype == gram.dense().dtype == np.float32
        np.testing.assert_allclose(gram @ V, product, rtol=0, atol=1e-6 * np.abs(dense).max() * n)
        np.testing.assert_allclose(gram.dense(), dense, rtol=0, atol=1e-6 * np.abs(dense).max())


def test_the_kernel_is_evaluated_once_and_not_again_inside_the_block(monkeypatch):
    calls = []
    gram = gm.Gaussian(1.0).gram(points(100), memory=SMALLEST)
    monkeypatch.setattr(
        gram._entries, "write", lambda i, j, out, real=gram._entries.write: calls.append((i, j)) or real(i, j, out)
    )
    with gram.held():
        count = len(calls)
        assert count == len(gram._entries.tiling.spans())
        for _ in range(3):
            _ = gram @ np.ones(100)
            gram.dense()
        assert len(calls) == count
    _ = gram @ np.ones(100)
    assert len(calls) == 2 * count


def test_tiles_above_the_diagonal_are_held_and_released_afterwards():
    gram = gm.Gaussian(1.0).gram(points(300), memory=SMALLEST)
    assert gram._held is None
    with gram.held():
        assert len(gram._held.tiles) > 1
        side = gram._entries.tiling.rows
        assert sum(tile.size for tile in gram._held.tiles) <= 300 * (300 + side) // 2
    assert gram._held is None


def test_an_exception_inside_the_block_comes_through_and_the_tiles_are_released():
    gram = gm.Gaussian(1.0).gram(points(20))
    with pytest.raises(ZeroDivisionError), gram.held():
        raise ZeroDivisionError
    assert gram._held is None
    np.testing.assert_allclose(gram @ np.ones(20), gram.dense().sum(axis=1))


def test_an_exception_of_the_kernel_leaves_nothing_held(monkeypatch):
    gram = gm.Gaussian(1.0).gram(points(20))

    def broken(i, j, out):
        raise FloatingPointError("broken kernel")

    monkeypatch.setattr(gram._entries, "write", broken)
    with pytest.raises(FloatingPointError, match="broken kernel"), gram.held():
        pass
    assert gram._held is None


def test_a_nested_block_uses_the_tiles_of_the_outer_one_and_leaves_them():
    gram = gm.Gaussian(1.0).gram(points(20))
    with gram.held():
        outer = gram._held
        with gram.held() as held:
            assert held
            assert gram._held is outer
        assert gram._held is outer
        with pytest.raises(KeyError), gram.held():
            raise KeyError
        assert gram._held is outer
    assert gram._held is None


def test_the_ridge_on_the_diagonal_is_added_once():
    X = points(40)
    K = gm.Gaussian(1.0)(X)
    gram = gm.Gaussian(1.0).gram(X).ridge(0.5).ridge(0.25)
    with gram.held() as held:
        assert held
        tol = 8 * np.finfo(float).eps * 1.75
        np.testing.assert_allclose(gram.dense(), K + 0.75 * np.eye(40), rtol=0, atol=tol)
        np.testing.assert_allclose(gram @ np.eye(40), K + 0.75 * np.eye(40), rtol=0, atol=tol)


def test_a_gram_made_inside_the_block_is_another_gram_with_nothing_held():
    gram = gm.Gaussian(1.0).gram(points(40))
    K = gram.dense()
    with gram.held():
        for other, expected in (
            (gram.ridge(2.0), K + 2 * np.eye(40)),
            (gram.take(slice(0, 39, 2)), K[:39:2, :39:2]),
            (gram + 1.0, K + 1.0),
            (2.0 * gram, 2 * K),
        ):
            assert other._held is None
            np.testing.assert_allclose(other.dense(), expected, rtol=1e-13)
            np.testing.assert_allclose(other @ np.ones(len(other)), expected.sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("duplicate", [lambda g: pickle.loads(pickle.dumps(g)), copy.copy, copy.deepcopy])
def test_a_copy_made_inside_the_block_holds_nothing_and_works(duplicate):
    gram = gm.Gaussian(1.0).gram(points(60), memory=SMALLEST).ridge(0.5)
    expected = gram.dense()
    with gram.held():
        held = gram._held
        other = duplicate(gram)
        assert other._held is None
        assert gram._held is held
        np.testing.assert_allclose(other.dense(), expected, rtol=1e-14)
        np.testing.assert_allclose(other @ np.ones(60), expected.sum(axis=1), rtol=1e-13)
    np.testing.assert_allclose(other @ np.ones(60), expected.sum(axis=1), rtol=1e-13)


def test_a_pickle_made_inside_the_block_is_no_larger_than_one_made_outside():
    gram = gm.Gaussian(1.0).gram(points(200))
    outside = len(pickle.dumps(gram))
    with gram.held():
        assert len(pickle.dumps(gram)) == outside


def test_a_rectangular_gram_is_not_held_and_works_all_the_same():
    X, Z = points(30), points(7)
    gram = gm.Gaussian(1.0).gram(X, Z)
    with gram.held() as held:
        assert not held
        assert gram._held is None
        np.testing.assert_allclose(gram @ np.ones(7), gm.Gaussian(1.0)(X, Z).sum(axis=1), rtol=1e-13)


def test_a_gram_multiplied_through_features_is_not_held():
    gram = gm.Linear().gram(points(30))
    assert gram.through_features()
    with gram.held() as held:
        assert not held
        assert gram._held is None
        np.testing.assert_allclose(gram @ np.ones(30), gram.dense().sum(axis=1), rtol=1e-10, atol=1e-10)


def test_a_gram_that_does_not_fit_is_not_held(monkeypatch):
    gram = gm.Gaussian(1.0).gram(points(30))
    fits = 30 * (30 + tiles.LARGEST_SIDE) // 2 * 8
    monkeypatch.setattr("gramian.places.cores.entries.HOLD", fits)
    with gram.held() as held:
        assert held
    monkeypatch.setattr("gramian.places.cores.entries.HOLD", fits - 1)
    with gram.held() as held:
        assert not held
        np.testing.assert_allclose(gram @ np.ones(30), gram.dense().sum(axis=1), rtol=1e-13)


def test_a_product_wider_than_the_budget_is_the_same_held():
    gram = gm.Gaussian(1.0).gram(points(100), memory=SMALLEST)
    V = np.random.default_rng(0).normal(size=(100, 300))  # sums of 300 columns do not fit 64 KiB
    expected = gram @ V
    with gram.held():
        np.testing.assert_allclose(gram @ V, expected, rtol=0, atol=1e-12)


def test_row_means_asked_for_inside_the_block_are_those_of_the_matrix():
    X = points(50)
    gram = gm.Gaussian(1.0).gram(X)
    with gram.held():
        np.testing.assert_allclose(gram.row_means(), gm.Gaussian(1.0)(X).mean(axis=1), rtol=1e-13)
        assert gram.mean() == pytest.approx(gm.Gaussian(1.0)(X).mean(), rel=1e-13)
        np.testing.assert_allclose(gram.center().dense().sum(axis=0), 0.0, atol=1e-12)
