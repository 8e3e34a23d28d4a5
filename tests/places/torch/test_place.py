"""Tensors go in, and tensors come out: kernels, Grams, factors and learners say of them what they say of arrays.

GRAMIAN_TEST_DEVICE=cuda runs all of it on a GPU, through compiled passes.
"""

import copy
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from tests.kernels.cases import CASES  # noqa: E402
from tests.places.torch.device import DEVICE, host  # noqa: E402

import gramian as gm  # noqa: E402
from gramian.factor.solve import Lens  # noqa: E402
from gramian.gram.there import GramThere  # noqa: E402
from gramian.learn.fisher_loo import WithinClasses  # noqa: E402
from gramian.learn.ridge import Problem  # noqa: E402
from gramian.places import CORES, place_of  # noqa: E402
from gramian.places.torch.place import on  # noqa: E402

EPS = {np.dtype(t): float(np.finfo(t).eps) for t in (np.float32, np.float64)}
VECTORS = [c for c in CASES if isinstance(c.data, np.ndarray) and c.data.ndim == 2 and c.data.dtype in EPS]
OF_SAMPLES = (  # kernels of the list that were made of a sample on the host
    "centered", "centered-on-others", "centered-on-near-ones", "centered-then-normalized", "deflated",
    "nystrom-centered", "nystrom-of-centered",
)  # fmt: skip
RNG = np.random.default_rng(1)
X, Z = RNG.normal(size=(60, 3)), RNG.normal(size=(9, 3))
Y = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=60)
CLASSES = np.digitize(X[:, 1], [-0.4, 0.5])


def there(A):
    return torch.from_numpy(np.ascontiguousarray(A)).to(DEVICE, copy=True)


def close(found, expected, tol=1e-9):
    assert isinstance(found, torch.Tensor)
    expected, found = np.asarray(expected), host(found)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= tol * max(1.0, np.abs(expected).max())


def test_most_kernels_are_tried():
    assert len(VECTORS) > len(CASES) / 3


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", VECTORS, ids=repr)
def test_grams_of_tensors_are_those_of_arrays(case):
    if case.name.removesuffix("-float32").removesuffix("-float64") in OF_SAMPLES:
        with pytest.raises(ValueError, match="a tensor on .* and an array of NumPy"):
            case.kernel.gram(there(case.data))
        return
    K = case.kernel.gram(there(case.data))
    expected = case.kernel.gram(case.data)
    kernel = expected.kernel
    n, dtype = len(case.data), expected.dtype
    tol = (kernel.accuracy(dtype) + 64 * EPS[dtype]) * max(expected.scale(), 1e-300)
    v = np.random.default_rng(0).normal(size=n).astype(dtype)
    assert isinstance(K, GramThere)
    assert K.dtype == dtype
    for found, what in (
        (K.dense(), expected.dense()),
        (K.diag(), expected.diag()),
        (K @ there(v), expected @ v),
        (K @ v, expected @ v),
        (there(v) @ K, v @ expected),
        (K.block([2, 0], slice(1, 3)), expected.block([2, 0], slice(1, 3))),
        (K.ridge(2.0).columns([1]), expected.ridge(2.0).columns([1])),
        (K.take([3, 1]).dense(), expected.take([3, 1]).dense()),
        (K.row_means(), expected.row_means()),
        (K.squared_distances(), expected.squared_distances()),
        ((2.0 * K + 0.5).dense(), (2.0 * expected + 0.5).dense()),
        (K.center().dense(), expected.center().dense()),
    ):
        assert isinstance(found, torch.Tensor)
        assert host(found).dtype == what.dtype
        assert np.abs(host(found) - what).max() <= 2 * n * tol


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", [gm.Gaussian(1.5), gm.Linear(), gm.Matern(1.2, 1.5) + gm.Periodic(3.0)], ids=str)
def test_factors_of_tensors_are_those_of_arrays(kernel, dtype):
    A = X.astype(dtype)
    K, expected = kernel.gram(there(A)), kernel.gram(A)
    low, here = gm.cholesky(K, 6), gm.cholesky(expected, 6)
    tol = 1e4 * EPS[np.dtype(dtype)]
    assert np.array_equal(low.pivots, here.pivots)
    close(low.factor, here.factor, tol)
    close(low.residual, here.residual, tol)
    assert low.relative_error == pytest.approx(here.relative_error, abs=1e-4)
    close(gm.eigen(K, 3).values, gm.eigen(expected, 3).values, tol)
    close(gm.solve(K, there(Y), 0.5).value, gm.solve(expected, Y, 0.5).value, tol)
    close(gm.solve(K, Y, there(np.array([0.5, 2.0]))).value, gm.solve(expected, Y, [0.5, 2.0]).value, tol)
    assert gm.is_psd(K).psd == gm.is_psd(expected).psd


def test_a_kernel_is_called_on_tensors():
    kernel = gm.Gaussian("median").fit(there(X))
    assert kernel == gm.Gaussian("median").fit(X)
    close(kernel(there(X), there(Z)), kernel(X, Z))
    close(kernel.diag(there(X)), kernel.diag(X))
    polynomial = gm.Polynomial(degree=2)
    close(polynomial.features(there(X)), polynomial.features(X))
    half = kernel(there(X.astype(np.float16)))
    assert half.dtype == torch.float32
    assert kernel(there(np.arange(6).reshape(3, 2))).dtype == torch.float64


LEARNERS = {
    "ridge": (lambda: gm.KernelRidge(gm.Gaussian("median"), ridge=0.1), Y),
    "ridge, two targets": (lambda: gm.KernelRidge(gm.Gaussian(1.0), ridge=0.1), np.column_stack([Y, -Y])),
    "ridge, chosen": (lambda: gm.KernelRidge(gm.Gaussian(1.5), fit_intercept=True), Y),
    "ridge, low rank": (lambda: gm.KernelRidge(gm.Gaussian(1.5), ridge=0.1, rank=12), Y),
    "pca": (lambda: gm.KernelPCA(2, gm.Gaussian(1.5)), None),
    "pca, low rank": (lambda: gm.KernelPCA(2, gm.Gaussian(1.5), rank=12), None),
    "fisher": (lambda: gm.FisherDiscriminant(gm.Gaussian(1.5)), CLASSES),
    "fisher, low rank": (lambda: gm.FisherDiscriminant(gm.Gaussian(1.5), ridge=0.1, rank=12), CLASSES),
    "classifier": (lambda: gm.KernelClassifier(gm.Gaussian(1.5)), CLASSES),
    "parzen": (lambda: gm.ParzenClassifier(gm.Gaussian(1.5)), CLASSES),
    "novelty": (lambda: gm.NoveltyDetector(gm.Gaussian(1.5), random_state=0), None),
    "means": (lambda: gm.KernelKMeans(3, gm.Gaussian(1.5), random_state=0), None),
    "linear": (lambda: gm.KernelRidge(gm.Linear(), ridge=0.1), Y),
}
ASKED = ("transform", "predict", "predict_proba", "decision_function", "score_samples", "p_values")


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_say_of_tensors_what_they_say_of_arrays(name):
    make, y = LEARNERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here, model = make().fit(X, y), make().fit(there(X), None if y is None else there(y))
        asked = [method for method in ASKED if hasattr(here, method)]
        assert asked
        for method in asked:
            found, expected = getattr(model, method)(there(Z)), getattr(here, method)(Z)
            if expected.dtype.kind == "f":
                assert isinstance(found, torch.Tensor)
            found = np.asarray(host(found))
            assert found.dtype == expected.dtype
            if method == "transform":
                found, expected = np.abs(found), np.abs(expected)
            assert np.abs(found - expected).max() <= 1e-7 * max(1.0, np.abs(expected).max())
        if hasattr(here, "score"):
            target = (X,) if y is None else (X, y)
            assert model.score(*map(there, target)) == pytest.approx(here.score(*target), abs=1e-7)


def test_a_model_learnt_from_tensors_batch_by_batch():
    model, here = (gm.KernelRidge(gm.Gaussian(1.5), ridge=0.1, rank=12) for _ in range(2))
    for some in (slice(0, 30), slice(30, 60)):
        model.partial_fit(there(X[some]), there(Y[some]))
        here.partial_fit(X[some], Y[some])
    close(model.predict(there(Z)), here.predict(Z), 1e-7)


def streamed(batches):
    """Batches whose objects are sent to the device one by one."""
    batches.place = on(torch.device(DEVICE))
    return batches


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rank", [12, "exact"])
def test_batches_are_sent_one_by_one_and_learnt_from_there(rank, dtype):
    given = gm.Batches(X.astype(dtype), target=Y, rows=17)
    model = gm.KernelRidge(gm.Gaussian("median"), ridge=0.1, rank=rank)
    found = gm.KernelRidge(gm.Gaussian("median"), ridge=0.1, rank=rank).fit(streamed(copy.copy(given)))
    assert given.place is CORES
    assert place_of(found.sample_.points).name.startswith("torch")
    close(found.predict(there(Z.astype(dtype))), model.fit(given).predict(Z.astype(dtype)), 1e9 * EPS[np.dtype(dtype)])


def test_batches_that_are_sent_are_those_that_were_given():
    given = gm.Batches(X, target=Y, rows=17)
    batches = list(streamed(copy.copy(given)))
    assert [len(A) for A, _ in batches] == [17, 17, 17, 9]
    assert all(isinstance(A, torch.Tensor) for A, _ in batches)
    assert np.array_equal(np.concatenate([host(A) for A, _ in batches]), X)
    assert np.array_equal(np.concatenate([y for _, y in batches]), Y)
    assert np.array_equal(host(streamed(copy.copy(given)).head(3)[0]), X[:3])
    assert np.array_equal(host(streamed(copy.copy(given)).sample(5, 0)[0]), given.sample(5, 0)[0])
    texts = streamed(gm.Batches(lambda: iter([["a", "b"], ["c"]]), rows=2))
    assert [A for A, _ in texts] == [["a", "b"], ["c"]]
    assert gm.to_device(given, "cpu").place is CORES


def test_errors_of_a_batch_come_out_where_it_is_used():
    def broken():
        yield X[:30]
        raise OSError("the disk is gone")

    batches = streamed(gm.Batches(broken, rows=10))
    seen = []
    with pytest.raises(OSError, match="the disk is gone"):
        seen.extend(A for A, _ in batches)
    assert len(seen) == 3
    next(iter(streamed(gm.Batches(X, rows=10))))  # and the rest is not wanted


def test_models_are_moved_and_stored(tmp_path):
    model = gm.KernelRidge(gm.Gaussian(1.5), ridge=0.1).fit(there(X), there(Y))
    expected = host(model.predict(there(Z)))
    gm.save(model, tmp_path / "model.gramian")
    assert np.abs(gm.load(tmp_path / "model.gramian").predict(Z) - expected).max() <= 1e-12
    back = gm.to_device(model, "cpu")
    assert place_of(back.sample_.points) is CORES
    assert back.sample_.points.parts[0] is back.function_.points.parts[0]
    assert np.abs(back.predict(Z) - expected).max() <= 1e-12
    close(pickle.loads(pickle.dumps(model)).predict(there(Z)), expected, 1e-12)
    assert isinstance(gm.to_device(there(X), "cpu"), np.ndarray)


def test_no_learner_lets_tensors_be_rounded_to_tf32(monkeypatch):
    seen = []
    product = torch.linalg.cholesky_ex

    def watched(A):
        seen.append(torch.get_float32_matmul_precision())
        return product(A)

    monkeypatch.setattr(torch.linalg, "cholesky_ex", watched)
    torch.set_float32_matmul_precision("high")
    try:
        gm.KernelRidge(gm.Gaussian(1.0), ridge=0.1).fit(there(X), there(Y))
        gm.solve(gm.Gaussian(1.0).gram(there(X)), Y, 0.1)
        assert torch.get_float32_matmul_precision() == "high"
    finally:
        torch.set_float32_matmul_precision("highest")
    assert seen
    assert set(seen) == {"highest"}


def test_what_is_in_two_places_is_refused_by_name():
    kernel = gm.Gaussian(1.0)
    with pytest.raises(ValueError, match="a tensor on .* and an array of NumPy"):
        kernel.gram(there(X), Z)
    model = gm.KernelRidge(kernel, ridge=0.1).fit(there(X), Y)
    with pytest.raises(ValueError, match="a tensor on .* and an array of NumPy"):
        model.predict(Z)


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (torch.zeros(3), ValueError, "1 dimension"),
        (torch.zeros(0, 3), ValueError, "is empty"),
        (torch.tensor([[0.0], [torch.nan]]), ValueError, r"nan \(first at index \(1, 0\)\)"),
        (torch.zeros(2, 2, dtype=torch.complex64), TypeError, "real numbers"),
        (torch.eye(2).to_sparse(), TypeError, "dense"),
    ],
)
def test_tensors_are_checked_where_they_are(given, error, said):
    with pytest.raises(error, match=said):
        gm.Gaussian(1.0).gram(given)


class Pinned:
    """An array of another library, in memory that is not the cores' own: what DLPack says of one, and nothing else."""

    def __init__(self, tensor):
        self._tensor = tensor

    def __dlpack__(self, **how):
        return self._tensor.__dlpack__()

    def __dlpack_device__(self):
        return 3, 0


def test_arrays_of_other_libraries_on_a_device_are_taken_as_tensors():
    given, kernel = Pinned(torch.from_numpy(X)), gm.Gaussian(1.5)
    K = kernel.gram(given)
    assert isinstance(K, GramThere)
    close(K.dense() if DEVICE == "cpu" else K.dense().cpu(), kernel(X))
    model = gm.KernelRidge(kernel, ridge=0.1).fit(given, Y)
    close(model.predict(Pinned(torch.from_numpy(Z))), gm.KernelRidge(kernel, ridge=0.1).fit(X, Y).predict(Z))
    assert np.array_equal(gm.to_device(given, "cpu"), X)


if DEVICE != "cpu":  # these libraries have arrays on a GPU only where there is one

    @pytest.mark.parametrize("library", ["cupy", "jax.numpy"])
    def test_arrays_of_libraries_on_the_gpu_are_worked_on_there(library, monkeypatch):
        monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        other = pytest.importorskip(library)
        A, y, new = (other.asarray(values.astype(np.float32)) for values in (X, Y, Z))
        make = lambda: gm.KernelRidge(gm.Gaussian("median"), ridge=0.1)  # noqa: E731
        found, here = make().fit(A, y), make().fit(X.astype(np.float32), Y.astype(np.float32))
        answer = found.predict(new)
        assert answer.device.type == "cuda"
        close(answer, here.predict(Z.astype(np.float32)), 1e-5)
        K = gm.Gaussian(1.5).gram(A)
        close(K @ y, gm.Gaussian(1.5).gram(X.astype(np.float32)) @ Y.astype(np.float32), 1e-5)
        close(gm.Gaussian(1.5)(A, new), gm.Gaussian(1.5)(X, Z).astype(np.float32), 1e-5)
        with pytest.raises(ValueError, match="a tensor on cuda:0 and an array of NumPy"):
            found.predict(Z)
        with pytest.raises(ValueError, match="cuda:0 .*cpu|cpu .*cuda:0"):
            found.predict(torch.from_numpy(Z))


def test_residuals_of_single_precision_are_told_in_double(monkeypatch):
    """The data are exact numbers: what a solution leaves is that of K in double, below what single precision sees."""
    A, y = X.astype(np.float32), Y
    K = gm.Gaussian(1.5)(A.astype(np.float64))
    for dense in (10, 10**9):  # by conjugate gradients, and by a factor
        monkeypatch.setattr("gramian.factor.solve.DENSE", dense)
        for given in (A, there(A)):
            for tol in (1e-6, 1e-10):
                found = gm.solve(gm.Gaussian(1.5).gram(given), y, 0.1, tol=tol)
                left = K @ host(found.value) + 0.1 * host(found.value) - y
                assert found.converged
                assert np.linalg.norm(left) <= 1.01 * tol * np.linalg.norm(y)
                assert found.residual == pytest.approx(np.linalg.norm(left) / np.linalg.norm(y), rel=0.1, abs=1e-15)


def test_each_device_is_a_place():
    assert on(torch.device("cpu")) is on(torch.device("cpu"))
    assert on(torch.device("meta")) is not on(torch.device("cpu"))
    assert place_of(torch.zeros(2)).name == "torch:cpu"


def test_torch_is_not_loaded_for_arrays():
    code = (
        "import sys, numpy as np, gramian as gm; gm.KernelRidge(gm.Gaussian(1.0)).fit(np.eye(5), np.arange(5.0)); "
        "assert 'torch' not in sys.modules and 'triton' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("device", ["banana", "cuda:99", 3.5, "cuda:-1"])
def test_a_device_that_is_not_there_is_named(device):
    with pytest.raises(ValueError, match=f"device is {device!r}, and torch has none such here"):
        gm.to_device(np.eye(2), device)


@pytest.mark.parametrize("weights", [None, RNG.random(60) + 0.1])
@pytest.mark.parametrize("what", ["intercept", "no intercept", "classes"])
def test_matrices_are_seen_through_weights_and_centrings_where_they_are(what, weights):
    V = RNG.normal(size=(60, 300))
    if what == "classes":
        S = WithinClasses(CLASSES)
        lens = Lens(S, S, 1.0, S.form)
    else:
        lens = Problem(Y[:, None], weights, what == "intercept").lens()
    seen = there(V)
    lens.over(seen)
    assert np.abs(host(seen) - lens.S(V)).max() <= 1e-13 * np.abs(V).max()
    K = V @ V.T
    assert np.abs(host(lens.around(there(K))) - lens.S(lens.S(K).T)).max() <= 1e-12 * K.max()


def test_what_rounding_hides_is_looked_for_in_double(monkeypatch):
    """With a ridge that is lost among the rounding errors of single precision steps believe in what is not so."""
    monkeypatch.setattr("gramian.factor.solve.DENSE", 10)
    monkeypatch.setattr(gm.Gram, "can_hold", lambda *_: False)
    A = np.random.default_rng(0).normal(size=(300, 2)).astype(np.float32)
    y, ridge = np.sin(3 * A[:, 0]) + np.random.default_rng(1).normal(size=300), 1e-5
    K = gm.Gaussian(2.0)(A.astype(np.float64))
    for given in (A, there(A)):
        found = gm.solve(gm.Gaussian(2.0).gram(given), y, ridge)
        x = host(found.value)
        assert found.converged
        assert np.linalg.norm(K @ x + ridge * x - y) <= max(1.1 * found.residual, 1e-5) * np.linalg.norm(y)


@pytest.mark.parametrize(("dtype", "tol"), [(np.float64, 1e-8), (np.float32, 1e-5)])
def test_components_of_points_that_are_nearly_one_are_those_of_the_cores(dtype, tol):
    near = (1e-8 * X).astype(dtype)
    on_cores, elsewhere = (gm.KernelPCA(2, gm.Gaussian(1.0)).fit(given) for given in (near, there(near)))
    assert np.abs(host(elsewhere.eigenvalues_) / on_cores.eigenvalues_ - 1).max() <= tol
    found, expected = np.abs(host(elsewhere.transform(there(near)))), np.abs(on_cores.transform(near))
    assert np.abs(found - expected).max() <= tol * expected.max()
