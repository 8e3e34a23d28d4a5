"""Random waves: on the average the kernel itself, at the rate that Bochner's theorem gives."""

import threading
import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.kernels import fourier
from gramian.runtime import threads

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 3))
BASES = [
    gm.Gaussian(1.5),
    gm.Laplacian(2.0),
    gm.Matern(1.5, nu=0.5),
    gm.Matern(1.5, nu=1.5),
    gm.Matern(1.5, nu=2.5),
    gm.Matern(2.0, nu=0.8),
]
every_base = pytest.mark.parametrize("base", BASES, ids=str)


def errors(base, rank, seeds, X=X):
    return np.array([gm.RandomFourier(base, rank, seed)(X) - base(X) for seed in seeds])


@every_base
def test_the_average_over_seeds_tends_to_the_kernel(base):
    found = errors(base, 40, range(400))
    # 400 × 20 waves, each with a variance of at most ½ an entry: 4.5 standard deviations are 4.5 / √16000
    assert np.abs(found.mean(axis=0)).max() < 4.5 / np.sqrt(2 * 400 * 20)
    assert np.abs(found).max() > 0.05


@every_base
def test_the_error_falls_with_the_root_of_the_rank(base):
    few, many = (np.sqrt(np.square(errors(base, rank, range(40))).mean()) for rank in (20, 2000))
    assert few / many == pytest.approx(10, rel=0.3)
    assert few < 1 / np.sqrt(20)


@pytest.mark.parametrize("d", [1, 2, 8, 30])
def test_waves_are_unbiased_in_any_dimension(d):
    Z = np.random.default_rng(d).normal(size=(6, d))
    base = gm.Gaussian(np.sqrt(d))
    assert np.abs(errors(base, 30, range(400), Z).mean(axis=0)).max() < 4.5 / np.sqrt(2 * 400 * 15)


def test_orthogonal_waves_are_closer_than_independent_ones():
    Z, base = RNG.normal(size=(20, 10)), gm.Gaussian(3.0)
    found = np.square(errors(base, 20, range(100), Z)).mean()
    waves = [np.random.default_rng(seed).normal(size=(10, 10)) / 3.0 for seed in range(100)]
    independent = [np.square(np.cos((Z[:, None] - Z) @ w).mean(axis=2) - base(Z)) for w in waves]
    assert found < 0.8 * np.mean(independent)


@settings(max_examples=40, deadline=None)
@given(
    waves=st.integers(1, 20),
    seed=st.integers(0, 2**32),
    scale=st.sampled_from([1e-3, 1.0, 1e3]),
    base=st.sampled_from(BASES),
)
def test_every_image_has_norm_one_and_features_give_the_values(waves, seed, scale, base):
    kernel = gm.RandomFourier(base, 2 * waves, seed)
    phi = kernel.features(scale * X)
    assert phi.shape == (12, 2 * waves)
    np.testing.assert_allclose(np.linalg.norm(phi, axis=1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(kernel(scale * X), phi @ phi.T, atol=1e-12)
    np.testing.assert_array_equal(kernel.diag(X), np.ones(12))


def test_the_same_seed_gives_the_same_kernel_and_another_seed_another_one():
    first, second, other = (gm.RandomFourier(gm.Gaussian(1.0), 10, seed) for seed in (3, 3, 4))
    assert first == second != other
    np.testing.assert_array_equal(first(X), second(X))
    assert np.abs(first(X) - other(X)).max() > 0.01


def test_the_bandwidth_is_settled_on_a_sample():
    kernel = gm.RandomFourier(gm.Gaussian("median"), 10)
    assert kernel.fit(X) == gm.RandomFourier(gm.Gaussian("median").fit(X), 10)
    settled = gm.RandomFourier(gm.Gaussian(2.0), 10)
    assert settled.fit(X) is settled
    with pytest.raises(ValueError, match="bandwidth"):
        kernel.features(X)


def test_single_precision_stays_single_and_close_to_double():
    kernel = gm.RandomFourier(gm.Gaussian(1.5), 60)
    single = kernel.features(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, kernel.features(X), atol=1e-5)


def test_sparse_rows_give_what_dense_ones_do():
    Z = np.where(np.abs(X) > 0.5, X, 0.0)
    kernel = gm.RandomFourier(gm.Matern(1.0, nu=1.5), 20)
    np.testing.assert_allclose(kernel(scipy.sparse.csr_array(Z)), kernel(Z), atol=1e-13)


def test_waves_of_many_dimensions_take_memory_for_themselves_only():
    rows = scipy.sparse.random(4, 1000, density=0.01, format="csr", random_state=0)
    tracemalloc.start()
    gm.RandomFourier(gm.Gaussian(10.0), rank=10).features(rows)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * (8 * 1000 * 5)  # and not 1000 × 1000


@pytest.mark.parametrize("base", [gm.Linear(), gm.Polynomial(2), gm.Spectrum(2), 2 * gm.Gaussian(1.0), "waves", None])
def test_a_kernel_that_is_no_average_of_waves_is_refused(base):
    with pytest.raises(TypeError, match=r"base is .*gm\.Gaussian, gm\.Laplacian or gm\.Matern expected"):
        gm.RandomFourier(base)


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"rank": 7}, ValueError, "rank is 7; an even number expected"),
        ({"rank": 0}, ValueError, "rank is 0; an integer of at least 2 expected"),
        ({"rank": 4.0}, TypeError, "rank is 4.0"),
        ({"seed": -1}, ValueError, "seed is -1"),
        ({"seed": None}, TypeError, "seed is None"),
    ],
)
def test_parameters_are_checked(params, error, message):
    with pytest.raises(error, match=message):
        gm.RandomFourier(gm.Gaussian(1.0), **params)


def test_vectors_of_another_width_are_refused():
    kernel = gm.RandomFourier(gm.Gaussian(1.0), 6)
    with pytest.raises(ValueError, match="do not fit together"):
        kernel(X, X[:, :2])


def test_learners_work_in_its_features():
    Z = np.random.default_rng(1).normal(size=(90, 3))
    y, labels = np.sin(Z).sum(axis=1), (Z[:, 0] > 0).astype(int)
    kernel = gm.RandomFourier(gm.Gaussian(1.0), 20)
    ridge = gm.KernelRidge(kernel, ridge=0.1).fit(Z, y)
    assert ridge.solver_.startswith("primal, 20 features")
    phi = kernel.features(Z)
    beta = np.linalg.solve(phi.T @ phi + 0.1 * np.eye(20), phi.T @ y)
    np.testing.assert_allclose(ridge.predict(Z), phi @ beta, atol=1e-10)
    assert gm.FisherDiscriminant(kernel, ridge=0.1).fit(Z, labels).solver_.startswith("primal, 20 features")


def test_ridge_regression_by_many_waves_is_near_the_exact_one():
    Z = np.random.default_rng(1).normal(size=(60, 2))
    y = np.sin(Z).sum(axis=1)
    exact = gm.KernelRidge(gm.Gaussian(1.0), ridge=1.0).fit(Z, y).predict(Z)
    waves = gm.KernelRidge(gm.RandomFourier(gm.Gaussian(1.0), 4000), ridge=1.0).fit(Z, y).predict(Z)
    assert 0 < np.abs(waves - exact).max() < 0.1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_vectors_whose_waves_overflow_are_refused(dtype):
    far = np.full((2, 3), np.finfo(dtype).max, dtype)
    for make in (gm.Gaussian, gm.Laplacian, gm.Matern):
        with pytest.raises(ValueError, match=f"overflows {np.dtype(dtype)}: rescale the data"):
            gm.RandomFourier(make(1.0), 10)(far)
    assert np.isfinite(gm.RandomFourier(gm.Gaussian(1e10), 10)(far)).all()


def test_waves_are_those_that_were_drawn_group_by_group():
    for d, count in ((3, 10), (5, 5), (4, 3), (1, 7), (2, 100_000)):
        rng = np.random.default_rng(3)
        widths = [min(d, count - start) for start in range(0, count, d)]
        groups = [np.linalg.qr(rng.standard_normal((d, width)))[0] for width in widths[: 2000 if d == 2 else None]]
        expected = np.hstack(groups)
        found = fourier._orthogonal(d, count, np.random.default_rng(3))
        assert found.shape == (d, count)
        assert np.array_equal(found[:, : expected.shape[1]], expected)


def test_as_many_features_as_there_can_be_take_a_moment():
    k = gm.RandomFourier(gm.Gaussian(1.0), rank=1_000_000)
    X = np.random.default_rng(0).normal(size=(3, 3))
    np.testing.assert_allclose(k(X), gm.Gaussian(1.0)(X), atol=6 / np.sqrt(1e6))


def test_waves_that_take_too_much_memory_are_refused():
    k = gm.RandomFourier(gm.Gaussian(1.0), rank=1_000_000)
    with pytest.raises(ValueError, match=r"vectors of 5,000 numbers take 20 GB; at most 214,748 features"):
        k(np.zeros((2, 5000)))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_tiles_with_many_features_are_added_up_in_parts(dtype, monkeypatch):
    X = np.random.default_rng(0).normal(size=(20, 3)).astype(dtype)
    k = gm.RandomFourier(gm.Gaussian(1.0), rank=200)
    expected = k(X)
    monkeypatch.setattr(fourier, "AT_ONCE", 500)
    parts = gm.RandomFourier(gm.Gaussian(1.0), rank=200)
    a = parts.encode(X)
    out = np.empty((20, 20), dtype)
    parts.block(a, a, out)
    np.testing.assert_allclose(out, expected, atol=200 * np.finfo(dtype).eps)


def test_a_tile_of_very_many_waves_is_left_half_done_at_ctrl_c(monkeypatch):
    k = gm.RandomFourier(gm.Gaussian(1.0), 200_000)
    a, tile, done = k.encode(X), np.empty((12, 12)), []
    monkeypatch.setattr(fourier, "AT_ONCE", 2**16)
    features = type(k)._features

    def stopped_after_three(self, a, waves):
        done.append(waves)
        if len(done) == 3:
            stop.set()  # as the lane finds it that Ctrl-C was pressed meanwhile
        return features(self, a, waves)

    stop = threading.Event()
    monkeypatch.setattr(type(k), "_features", stopped_after_three)
    monkeypatch.setattr(threads._lane, "stop", stop, raising=False)
    with pytest.raises(threads.Stopped):
        k.block(a, a, tile)
    assert len(done) == 4  # two of them a piece, of 148
