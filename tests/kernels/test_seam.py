"""The seam of places: everything that stands on kernels works for objects of another place, and says the same.

The toy place is Python's own arithmetic behind arrays that refuse to be taken for NumPy's: what goes round the
operations of a place fails here.
"""

import warnings

import numpy as np
import pytest

import gramian as gm
from gramian import places
from gramian.formula.encoded import Encoded
from gramian.gram.gram import Gram
from gramian.places import CORES, on_host, place_of, register

from .cases import CASES
from .toy import TOY, ToyArray

SOME = np.array([0, 3, 7, 8, 4, 10, 12, 20])
EPS = {np.dtype(t): float(np.finfo(t).eps) for t in (np.float32, np.float64)}


def beside(kernel, a, b=None):
    """The Gram of objects on the host, and that of the same objects in the toy place."""
    there = (TOY.encoded(a), None if b is None else TOY.encoded(b))
    return Gram(kernel, a, b), Gram(kernel, *there)


def moved(case):
    """Encodings of some objects of a case, and the tolerance of values between them."""
    kernel = case.kernel.fit(case.data)
    a = kernel.encode(case.data)
    some = a[SOME[len(a) > SOME]]
    dtype = kernel.value_type(some)
    return kernel, some, (kernel.accuracy(dtype) + 64 * EPS[dtype]) * max(kernel.scale(some), 1e-300)


VECTORS = [case for case in CASES if place_of(TOY.encoded(case.kernel.fit(case.data).encode(case.data))) is TOY]


def test_the_toy_place_has_the_vectors_of_most_kernels():
    assert len(VECTORS) > len(CASES) / 3


def test_encodings_go_there_and_back():
    a = Encoded((Encoded((np.eye(3), np.arange(3.0))), np.arange(3)))
    there = TOY.encoded(a)
    assert place_of(there) is TOY
    assert place_of(a) is CORES
    assert on_host(a) is a
    back = on_host(there)
    assert np.array_equal(back.parts[0].parts[0], np.eye(3))
    assert place_of(back) is CORES
    assert len(there.concat(there).copy()[:4]) == 4


def test_an_array_of_the_toy_place_is_not_taken_for_one_of_numpy():
    A = ToyArray(np.eye(2))
    for mixed in (lambda: np.asarray(A), lambda: A + np.eye(2), lambda: np.eye(2) @ A, lambda: np.square(A)):
        with pytest.raises(TypeError):
            mixed()


def test_a_place_is_loaded_when_the_first_of_its_arrays_is_seen(monkeypatch):
    kind = type("Tensor", (), {"__module__": "elsewhere.arrays"})
    loaded = []
    monkeypatch.setattr(places, "_places", {})
    monkeypatch.setattr(places, "import_module", lambda name: (loaded.append(name), register(kind, TOY)))
    monkeypatch.setitem(places.ELSEWHERE, "elsewhere", "place_of_elsewhere")
    assert place_of(Encoded((np.eye(2), ["a", "b"]))) is CORES
    assert loaded == []
    assert place_of(Encoded((np.eye(2), kind()))) is TOY
    assert place_of(kind()) is TOY
    assert loaded == ["place_of_elsewhere"]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", VECTORS, ids=repr)
def test_grams_of_every_kernel_are_those_of_the_cores(case):
    kernel, some, tol = moved(case)
    here, there = beside(kernel, some)
    n = len(some)
    V = np.random.default_rng(0).normal(size=(n, 2)).astype(here.dtype)
    assert there.place is TOY
    assert there.dtype == here.dtype
    assert isinstance(there.matrix(), ToyArray)
    K = here.dense()
    assert np.abs(there.dense() - K).max() <= tol
    assert np.abs(there.diag() - here.diag()).max() <= tol
    assert np.abs(there @ V - here @ V).max() <= 2 * n * tol * np.abs(V).max()
    assert np.abs(there.row_means() - here.row_means()).max() <= 2 * tol
    assert np.abs(there.block([2, 0], slice(1, 3)) - K[[2, 0], 1:3]).max() <= 2 * tol
    assert np.abs(there.ridge(2.0).columns([1]) - here.ridge(2.0).columns([1])).max() <= 2 * tol
    assert np.abs(there.squared_distances() - here.squared_distances()).max() <= 8 * tol
    with there.held() as held:
        assert np.abs(there @ V - here @ V).max() <= 2 * n * tol * np.abs(V).max()
        assert there.is_held == held


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", VECTORS, ids=repr)
def test_grams_about_the_centre_of_mass_are_those_of_the_cores(case):
    kernel, some, tol = moved(case)
    here, there = beside(kernel, some)
    assert np.abs(there.center().dense() - here.center().dense()).max() <= 16 * tol
    assert np.abs((there + 0.5).dense() - (here + 0.5).dense()).max() <= tol + 4 * EPS[here.dtype]
    assert np.abs(there.take([3, 1]).dense() - here.take([3, 1]).dense()).max() <= 2 * tol


RNG = np.random.default_rng(1)
X = RNG.normal(size=(40, 3))
Z = RNG.normal(size=(7, 3))
Y = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=40)
CLASSES = np.digitize(X[:, 1], [-0.4, 0.5])
KERNELS = {
    "gaussian": gm.Gaussian(bandwidth=1.5),
    "sum times a number": 0.5 * (gm.Gaussian(bandwidth=1.0) + gm.Matern(bandwidth=1.2, nu=1.5)),
    "normalized polynomial": gm.Polynomial(degree=3, offset=1.0).normalize(),
    "linear": gm.Linear(),
    "a block of its own": gm.AllSubsets(),
}
TOL = 1e-7


def grams(name, data=X):
    kernel = KERNELS[name]
    return beside(kernel, kernel.encode(data))


def close(found, expected, tol=TOL):
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= tol * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("pivoting", ["greedy", "random", None])
def test_cholesky_factors_are_those_of_the_cores(name, pivoting):
    low, expected = (gm.cholesky(K, 6, pivoting=pivoting, rng=3) for K in reversed(grams(name)))
    assert np.array_equal(low.pivots, expected.pivots)
    close(low.factor, expected.factor)
    close(low.residual, expected.residual)
    close(low.triangle, expected.triangle)


@pytest.mark.parametrize("name", KERNELS)
def test_eigenpairs_solutions_and_certificates_are_those_of_the_cores(name, monkeypatch):
    here, there = grams(name)
    for dense in (True, False):
        if not dense:
            for module in ("eigen", "solve", "psd", "spectrum"):
                monkeypatch.setattr(f"gramian.factor.{module}.DENSE", 10)
        found, expected = gm.eigen(there, 2), gm.eigen(here, 2)
        close(found.values, expected.values)
        close(np.abs(found.vectors), np.abs(expected.vectors), 1e-5)
        close(gm.solve(there, Y, 0.3).value, gm.solve(here, Y, 0.3).value)
        close(gm.solve(there, Y, [0.3, 1.0]).value, gm.solve(here, Y, [0.3, 1.0]).value)
        assert gm.is_psd(there).psd == gm.is_psd(here).psd


LEARNERS = {
    "ridge": lambda k: gm.KernelRidge(k, ridge=0.1),
    "ridge, chosen": lambda k: gm.KernelRidge(k, ridge=[0.01, 0.1, 1.0], fit_intercept=True),
    "ridge, low rank": lambda k: gm.KernelRidge(k, ridge=0.1, rank=12),
    "pca": lambda k: gm.KernelPCA(2, k),
    "pca, low rank": lambda k: gm.KernelPCA(2, k, rank=12),
    "fisher": lambda k: gm.FisherDiscriminant(k, ridge=0.1),
    "fisher, chosen": lambda k: gm.FisherDiscriminant(k),
    "fisher, low rank": lambda k: gm.FisherDiscriminant(k, ridge=0.1, rank=12),
    "novelty": lambda k: gm.NoveltyDetector(k),
    "novelty, low rank": lambda k: gm.NoveltyDetector(k, rank=12),
    "parzen": lambda k: gm.ParzenClassifier(k),
}


def answers(learner, K, new):
    target = CLASSES if isinstance(learner, gm.FisherDiscriminant | gm.ParzenClassifier) else Y
    np.random.seed(0)  # noqa: NPY002 (what scikit-learn draws from where no random_state is given)
    learner.fit(K, target)
    for method in ("transform", "decision_function", "score_samples", "predict"):
        if hasattr(learner, method):
            found = getattr(learner, method)(new)
            return np.abs(found) if method == "transform" else found
    raise AssertionError("it says nothing")


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("way", LEARNERS)
def test_learners_say_what_they_say_on_the_cores(way, name):
    kernel = KERNELS[name]
    new = kernel.encode(Z)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, found = (
            answers(LEARNERS[way](kernel), K, Gram(kernel, to(new)))
            for K, to in zip(grams(name), (on_host, TOY.encoded), strict=True)
        )
    close(found, expected, 1e-5)
