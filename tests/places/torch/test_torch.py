"""Every kernel says in the torch place what it says in the others: through torch's operations, and through Triton.

The template runs in Triton's interpreter here, on the cores; with GRAMIAN_TEST_DEVICE=cuda TRITON_INTERPRET=0 it is
compiled, and runs on a GPU.
"""

import os

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
os.environ.setdefault("TRITON_INTERPRET", "1")  # which Triton looks at when it is loaded
triton = pytest.importorskip("triton", reason="Triton is not installed")

from tests.kernels import toy  # noqa: E402
from tests.kernels.cases import CASES, loudness  # noqa: E402
from tests.places.torch.device import DEVICE, host  # noqa: E402

import gramian as gm  # noqa: E402
from gramian.formula.encoded import Encoded  # noqa: E402
from gramian.places.torch import engine, interpret, linear, memory  # noqa: E402
from gramian.places.torch import fused as passes  # noqa: E402
from gramian.places.torch.halves import norms_within, pieces, split, width_of  # noqa: E402
from gramian.places.torch.parts import device_of, on_device, precision_of  # noqa: E402
from gramian.places.torch.source import Share, Source  # noqa: E402

SOME = np.array([0, 3, 7, 8, 4, 10, 12, 20])  # equal objects and opposite ones among them
interpreted = pytest.mark.skipif(
    os.environ["TRITON_INTERPRET"] != "1" and DEVICE == "cpu", reason="Triton compiles in this process"
)


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    if DEVICE != "cpu":
        return
    monkeypatch.setattr(passes, "PADDED", 32)  # the interpreter takes a millisecond for every step of a tile
    monkeypatch.setattr(passes, "CHUNK", 32)


def error_allowed(kernel, a):
    dtype = np.dtype(kernel.value_type(a))  # single where any part is, though values may be kept in double
    return (kernel.accuracy(dtype) + 64 * np.finfo(dtype).eps) * max(kernel.scale(a), 1e-300)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_torch_and_plain_python_agree_on_every_kernel(case):
    kernel = case.kernel.fit(case.data)
    a = kernel.encode(case.data)
    some = a[SOME[len(a) > SOME]]
    tensors = on_device(some, DEVICE)
    dtype = precision_of(kernel.formula, tensors, tensors)
    expected = toy.matrix(kernel.formula, some, some)
    found = host(interpret.values_between(kernel.formula, tensors, tensors, dtype))
    assert np.abs(found - expected).max() <= error_allowed(kernel, a)
    norms = host(interpret.norms(kernel.formula, tensors))
    assert np.abs(norms - np.diagonal(expected)).max() <= error_allowed(kernel, a)


GAUSSIAN, LINEAR = gm.Gaussian(bandwidth=1.3), gm.Linear()
COMPILED = {
    "gaussian": GAUSSIAN,
    "gaussian, narrow": gm.Gaussian(bandwidth=0.3),
    "gaussian, re-weighted": (2 * GAUSSIAN).reweight(loudness),
    "matern-1/2": gm.Matern(bandwidth=0.8, nu=0.5),
    "matern-3/2": gm.Matern(bandwidth=1.8, nu=1.5),
    "matern-5/2": gm.Matern(bandwidth=0.8, nu=2.5),
    "laplacian": gm.Laplacian(bandwidth=2.5),
    "polynomial": gm.Polynomial(degree=5, offset=0.5),
    "sum times a third": (GAUSSIAN + gm.Gaussian(bandwidth=2.4)) * gm.Polynomial(degree=2, offset=1.0),
    "sum of squares and fourth powers": GAUSSIAN + gm.Gaussian(bandwidth=2.6) + gm.Gaussian(bandwidth=1.3 * 2**0.5),
    "matern-3/2 of a matern": gm.Matern(bandwidth=1.8, nu=1.5) * gm.Matern(bandwidth=0.9, nu=2.5) + 0.5,
    "series of a sum": (0.3 * (LINEAR + 1)).polynomial([0.5, 0.0, 0.25, 1.0]).normalize(),
    "exponential, re-weighted": (0.1 * LINEAR).exp().reweight(loudness),
    "centred": GAUSSIAN.center(np.random.default_rng(3).normal(size=(9, 4))),
}


def points(n, d, dtype, far=0.0, seed=0):
    return (np.random.default_rng(seed).normal(size=(n, d)) + far).astype(dtype)


@interpreted
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", COMPILED)
def test_triton_and_plain_python_agree(name, dtype):
    kernel = COMPILED[name]
    a, b = kernel.encode(points(37, 4, dtype)), kernel.encode(points(21, 4, dtype, seed=1))
    found = passes.fused(kernel.formula, on_device(a, DEVICE), on_device(b, DEVICE))
    assert found is not None
    K = toy.matrix(kernel.formula, a, b)
    V = np.random.default_rng(2).normal(size=(21, 3)).astype(dtype)
    allowed = 2e-6 if found.dtype == torch.float32 else 1e-13
    V = np.hstack([V] * 6)
    for columns in (1, 3, 18):
        product = host(found.multiply(torch.from_numpy(V[:, :columns])))
        assert (np.abs(product - K @ V[:, :columns]) <= allowed * (np.abs(K) @ np.abs(V[:, :columns]))).all()
    wide = torch.full((39, 24), torch.nan, dtype=found.dtype, device=DEVICE)
    found.fill(wide[1:38, 2:23])
    assert np.abs(host(wide[1:38, 2:23]) - K).max() <= allowed * np.abs(K).max()
    assert bool(wide[[0, 38]].isnan().all())
    assert bool(wide[:, [0, 1, 23]].isnan().all())


@interpreted
def test_a_symmetric_matrix_is_filled_symmetrically_with_the_diagonal_of_the_kernel():
    kernel = GAUSSIAN * gm.Polynomial(degree=2)
    a = on_device(kernel.encode(points(40, 3, np.float32)), DEVICE)
    between = engine.prepare(kernel.formula, a, a, worth=0)
    assert between.through == "triton"
    K = between.fill(symmetric=True)
    assert torch.equal(K, K.T)
    assert torch.equal(K.diagonal(), engine.norms(kernel.formula, a))
    through_torch = engine.prepare(kernel.formula, a, a, worth=10**9)
    assert through_torch.through == "torch"
    assert torch.allclose(through_torch.fill(symmetric=True), K, rtol=1e-5, atol=1e-5)


@interpreted
@pytest.mark.parametrize("far", [0.0, 1e4, 1e8])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_keep_their_digits_far_from_the_origin(far, dtype):
    step = float(np.spacing(dtype(far))) if far else 1e-3  # what tells points apart that far away
    X = (far + step * np.random.default_rng(0).integers(0, 50, (40, 3))).astype(dtype)
    kernel = gm.Gaussian(bandwidth=20 * step)
    a = on_device(kernel.encode(X), DEVICE)
    v = torch.from_numpy(np.random.default_rng(1).normal(size=(40, 1)).astype(dtype))
    K = toy.matrix(kernel.formula, kernel.encode(X), kernel.encode(X))
    for worth in (0, 10**9):
        error = np.abs(host(engine.multiply(kernel.formula, a, a, v.to(DEVICE), worth=worth)) - K @ v.numpy())
        assert (error <= (1e-6 if dtype == np.float32 else 1e-13) * (K @ np.abs(v.numpy()))).all()


@interpreted
def test_small_values_keep_their_digits_beside_large_ones_in_products_of_several_columns():
    X, Z = points(20, 2, np.float32), points(15, 2, np.float32, far=6.0)
    kernel = GAUSSIAN
    a, b = kernel.encode(X), kernel.encode(Z)
    V = 10.0 ** np.random.default_rng(0).integers(-4, 5, (15, 4)).astype(np.float32)
    product = passes.fused(kernel.formula, on_device(a, DEVICE), on_device(b, DEVICE)).multiply(torch.from_numpy(V))
    found = host(product)
    K = toy.matrix(kernel.formula, a, b)
    assert K.max() < 1e-2
    assert (np.abs(found - K @ V) <= 2e-6 * (K @ V)).all()


@interpreted
def test_wide_points_and_what_is_no_expression_are_left_to_torch():
    a = Encoded((torch.randn(30, 200, dtype=torch.float64),))
    assert passes.fused(GAUSSIAN.formula, a, a) is None
    general = gm.Matern(nu=0.7)
    assert passes.fused(general.formula, a, a) is None


def test_halves_hold_22_digits_and_equal_rows_are_at_no_distance():
    X = torch.from_numpy(points(50, 7, np.float64))
    left, norms = split(X, 64, right=False)
    right, _ = split(X, 64, right=True)
    products = left.double() @ right.double().T
    assert width_of(7) == sum(size for _, size in pieces(width_of(7)))
    sizes = X.norm(dim=1)
    assert bool(((products[:50, :50] - X @ X.T).abs() <= 2.0**-21 * sizes[:, None] * sizes[None, :]).all())
    assert bool((products.diagonal() + 2 * norms.double()).abs().max() <= 2.0**-22 * float(sizes.max()) ** 2)


@pytest.mark.parametrize("d", [2, 4, 5, 16])
def test_what_belongs_to_a_row_is_added_with_the_halves_where_there_is_room(d):
    X, Z = (torch.from_numpy(points(40, d, np.float64, seed=k)) for k in range(2))
    sides = norms_within(d)
    assert sides == {2: 2, 4: 2, 5: 0, 16: 0}[d]
    left, of_rows = split(X, 64, right=False, sides=sides)
    right, of_columns = split(Z, 64, right=True, sides=sides)
    found = left.double() @ right.double().T
    found += of_columns[None, :].double() if sides < 1 else 0.0
    found += of_rows[:, None].double() if sides < 2 else 0.0
    expected = -0.5 * torch.cdist(X, Z).square()
    sizes = X.norm(dim=1)[:, None].square() + Z.norm(dim=1)[None, :].square()
    assert bool(((found[:40, :40] - expected).abs() <= 2.0**-20 * sizes).all())


def test_one_exponential_serves_bandwidths_that_are_doubled_and_roots_take_no_factor():
    def written(formula):
        return Source(formula, True, lambda leaf: getattr(leaf, "bandwidth", 1.0), lambda leaf: 10, Share(0, 4)).text

    def uses(formula, function):
        return written(formula).split("def product(")[1].split("def products(")[0].count(function)

    narrow, twice, other = (gm.Gaussian(bandwidth=sigma).formula for sigma in (1.3, 2.6, 2.5))
    assert uses(narrow + twice, "exp2_shared(") == 1
    assert uses(narrow + other, "exp2_shared(") == 2
    matern = gm.Matern(bandwidth=1.8, nu=1.5).formula
    assert (uses(matern, "root_of_size("), uses(matern, "exp2_shared_of_minus(")) == (1, 1)
    assert uses(matern, "tl.minimum(u") == 0


def test_products_are_not_rounded_to_tf32_and_the_setting_is_put_back():
    torch.set_float32_matmul_precision("high")
    try:
        with linear.full_precision():
            assert torch.get_float32_matmul_precision() == "highest"
        assert torch.get_float32_matmul_precision() == "high"
    finally:
        torch.set_float32_matmul_precision("highest")


def test_tiles_are_halved_until_they_fit():
    tried = []

    def work(entries):
        tried.append(entries)
        if entries > 2**15:
            raise torch.OutOfMemoryError("too large")
        return entries

    assert memory.with_smaller(work, 2**18) == 2**15
    assert tried == [2**18, 2**17, 2**16, 2**15]


def test_factors_are_those_of_numpy():
    F = torch.from_numpy(points(30, 8, np.float64))
    A = linear.syrk(F) + torch.eye(8, dtype=torch.float64)
    L = linear.cholesky(A)
    assert torch.allclose(L @ L.T, A)
    assert torch.allclose(linear.trsm(L, linear.product(L, F.T)), F.T)
    assert torch.allclose(linear.trsm(L, linear.product(L.T, F.T), transposed=True), F.T)
    assert linear.cholesky(-A) is None
    values, vectors = linear.eigh(A)
    assert torch.allclose(vectors * values @ vectors.T, A)
    Q, R = linear.qr(F)
    assert torch.allclose(Q @ R, F)


def test_data_on_two_devices_is_refused_by_name():
    here, there = Encoded((torch.zeros(2, 1),)), Encoded((torch.zeros(2, 1, device="meta"),))
    with pytest.raises(ValueError, match="cpu and data on meta"):
        device_of(here, there)
