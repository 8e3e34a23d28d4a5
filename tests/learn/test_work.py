"""What a fit with its defaults costs, counted: pivoted factors, factorizations of all of K, products, values of κ."""

from collections import Counter

import numpy as np
import pytest

import gramian as gm
from gramian.factor import solve as solve_module
from gramian.factor import spectrum as spectrum_module
from gramian.factor.machine import TYPICAL, Machine
from gramian.learn import confirming
from gramian.places.cores.entries import Tiled

N = 1600  # more than ridges are chosen exactly for
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 20))  # so many columns that rank 1000 leaves much out
FEW = X[:, :6]
Y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * RNG.normal(size=N)
LABELS = (Y > 0).astype(int) + (Y > 0.8)


@pytest.fixture
def work(monkeypatch):
    """Count the work of fits for which so many objects are too many to be factored in double precision."""
    monkeypatch.setattr(solve_module, "DENSE", 500)
    for module in ("fisher", "ridge"):
        monkeypatch.setattr(f"gramian.learn.{module}.compares_exactly", lambda n: False)
    done = Counter()

    def counted(owner, name, what, amount=lambda found, *_: 1):
        plain = getattr(owner, name)

        def counting(*args, **kwargs):
            found = plain(*args, **kwargs)
            done[what] += amount(found, *args)
            return found

        monkeypatch.setattr(owner, name, counting)

    counted(spectrum_module, "pivoted", "pivoted")
    counted(solve_module, "pivoted", "pivoted")
    counted(solve_module, "_factor_in_single", "factored")
    counted(solve_module.Ridged, "at", "confirmed")
    counted(gm.Gram, "apply", "products")
    counted(gm.Gaussian, "block", "values", lambda _, kernel, a, b, out: out.size)
    return done


LEARNERS = {
    "ridge": lambda: gm.KernelRidge().fit(X, Y),
    "two classes": lambda: gm.FisherDiscriminant().fit(X, LABELS > 0),
    "three classes": lambda: gm.FisherDiscriminant().fit(X, LABELS),
}


@pytest.mark.parametrize("factored", [0.0, np.inf], ids=["by a factor of K", "by iteration"])
@pytest.mark.parametrize("name", LEARNERS)
def test_one_pivoted_factor_chooses_the_ridge_and_helps_to_solve(name, factored, work, monkeypatch):
    monkeypatch.setattr(Machine, "factored", lambda self, n: factored)
    monkeypatch.setattr(Machine, "pivoted", lambda self, n, rank, single: np.inf)  # none larger is worth it
    LEARNERS[name]()
    assert work["pivoted"] == 1
    assert work["factored"] == (factored == 0.0)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_fit_with_its_defaults_computes_few_products_and_hardly_more_values_than_k_has(name, work):
    LEARNERS[name]()
    assert work["products"] <= 40
    # K once in double, at most once in single, a factor's columns (rank 1000) and the median distance
    assert work["values"] <= (0.7 + 0.7 + 1000 / N + 0.5) * N * N
    assert work["pivoted"] <= 2
    assert 2 <= work["confirmed"] <= 10


OTHERS = {  # how many times all of K is computed, and how many products are made, at most
    "three kernels": (lambda: gm.KernelSearch(gm.KernelRidge(), [gm.Gaussian(b) for b in (1.0, 2.0, 4.0)]), 4.0, 60),
    "k-means": (lambda: gm.KernelKMeans(10, random_state=0), 2.0, 150),
    "components": (lambda: gm.KernelPCA(10), 1.0, 15),
    "classes as numbers": (gm.KernelClassifier, 2.0, 12),
    "class means": (gm.ParzenClassifier, 0.75, 1),
    "novelty": (gm.NoveltyDetector, 0.6, 2),
    "basis": (lambda: gm.GramSchmidt(rank=100), 0.1, 0),
}


@pytest.mark.parametrize("name", OTHERS)
def test_others_compute_k_a_few_times_and_make_few_products(name, work):
    make, times, products = OTHERS[name]
    make().fit(FEW, LABELS if "class" in name else Y)
    assert work["values"] <= times * N * N
    assert work["products"] <= products


def words(n):
    """Documents of 20 words of a vocabulary of 3,000, and two classes of them."""
    drawn = np.random.default_rng(1).zipf(1.3, size=(n, 20)) % 3000
    return [" ".join(f"w{k}" for k in row) for row in drawn], drawn[:, 0] % 2


def strings(n):
    letters = np.array(list("ACGT"))[np.random.default_rng(2).integers(0, 4, (n, 30))]
    return ["".join(row) for row in letters], np.arange(n) % 2


def records(n):
    return [{"x": x, "y": y, "color": "red" if x > 0 else "blue"} for x, y in FEW[:n, :2]], LABELS[:n] > 0


def mixed():
    return gm.FisherDiscriminant(gm.Gaussian(1.0).on("x", "y") * (1 + gm.Equality().on("color")))


OF_OTHER_OBJECTS = {  # how many times all of K is computed, and how many products are made, at most
    "documents": (lambda: gm.FisherDiscriminant(gm.BagOfWords("tf-idf").normalize()), words, 1.75, 15),
    "components of documents": (lambda: gm.KernelPCA(2, gm.BagOfWords("tf-idf").normalize()), words, 1.25, 20),
    "strings": (lambda: gm.FisherDiscriminant(gm.FullSpectrum(2, 6).normalize()), strings, 2.0, 18),
    "records": (mixed, records, 2.0, 18),
}


@pytest.mark.parametrize("name", OF_OTHER_OBJECTS)
def test_other_objects_take_no_more_work_than_vectors(name, work, monkeypatch):
    entries, n = Counter(), 1200

    plain = Tiled._interpret

    def counting(self, a, b, out):
        entries[self.asked.plan] += out.size
        plain(self, a, b, out)

    monkeypatch.setattr(Tiled, "_interpret", counting)
    make, objects, times, products = OF_OTHER_OBJECTS[name]
    X, y = objects(n)
    make().fit(X, y)
    assert entries.total() <= times * n * n
    assert work["products"] <= products
    assert work["pivoted"] <= 2


def test_a_complete_factor_computes_less_than_all_of_k(work):
    assert 0 < gm.cholesky(gm.Gaussian("median").gram(FEW), tol=1e-6).rank < N
    assert work["values"] <= N * N


def test_a_search_factors_k_once_for_each_candidate_that_is_close(work, monkeypatch):
    monkeypatch.setattr(confirming, "CONFIRMING", 0.0)
    kernels = [gm.Gaussian(b) for b in (4.0, 6.0, 0.5, 1.0)]
    search = gm.KernelSearch(gm.KernelRidge(), kernels).fit(X, Y)
    assert [found.left_out == 0 for found in search.results_] == [True, True, False, False]
    assert work["confirmed"] == 2
    assert work["factored"] == 0, "the system is solved by the factor that there is"
    assert work["pivoted"] <= len(kernels) + 2, "candidates that are far behind are not fitted"
    assert work["products"] <= 50


@pytest.mark.parametrize("kernel", [gm.Spectrum(4), gm.Spectrum(4).normalize(), gm.Mismatch(4, 1).normalize()], ids=str)
def test_strings_of_few_features_are_learnt_from_in_these_alone(kernel, work, monkeypatch):
    monkeypatch.setattr(type(kernel), "block", None)
    monkeypatch.setattr(gm.Mismatch, "block", None)
    monkeypatch.setattr(gm.Spectrum, "block", None)
    letters = np.array(list("ACGT"))
    strings = ["".join(row) for row in letters[RNG.integers(0, 4, (N, 30))]]
    model = gm.FisherDiscriminant(kernel).fit(strings, LABELS)
    assert model.solver_ == "primal, 256 features"
    assert work["products"] == work["pivoted"] == 0


@pytest.mark.parametrize("columns", [1, 5, 25])
def test_the_predicted_time_grows_with_the_number_of_objects(columns):
    sizes = [300, 1000, 1499, 1501, 3000, 3001, 6000, 6001, 10_000, 20_000]
    for time in (TYPICAL.factored, lambda n: TYPICAL.product(n, columns, 8) + TYPICAL.preconditioned(n, 500, columns)):
        assert (np.diff([time(n) for n in sizes]) > 0).all()


def test_a_hard_system_is_factored_where_an_iteration_would_take_longer(work):
    K, B = gm.Gaussian(1.0).gram(FEW), RNG.normal(size=(N, 1))
    found = gm.solve(K, B, 1e-4)
    assert work["factored"] == 1
    assert found.converged
    left = gm.Gaussian(1.0)(FEW) @ found.value + 1e-4 * found.value - B
    assert np.linalg.norm(left) <= 1e-10 * np.linalg.norm(B) * (1 + 1e-3)


@pytest.mark.parametrize("ridge", [1e-3, 3e-3, 1e-2, 1e-1, 1.0])
@pytest.mark.parametrize("bandwidth", [1.0, 2.0, 5.0])
def test_the_number_of_steps_is_foreseen_by_the_factor_that_there_is(bandwidth, ridge):
    gram = gm.Gaussian(bandwidth).gram(FEW)
    low = gm.cholesky(gram, 300, pivoting="random", rng=0)
    system = solve_module.System(gram, ridge, low=low)
    system._aid = system._made(low.rank)
    B = RNG.normal(size=(N, 3))
    found = solve_module._iterated(gram, B, np.full(3, ridge), solve_module.PLAIN, 1e-10, system._aid)
    foreseen = system._expected_steps(1e-10)
    assert foreseen <= max(solve_module.SURE, 2.5 * found.iterations)
    assert found.iterations <= 2.5 * foreseen


def test_a_fit_that_is_foreseen_to_be_long_is_factored_before_its_first_step(work, monkeypatch):
    monkeypatch.setattr(Machine, "factored", lambda self, n: 0.5)
    monkeypatch.setattr(Machine, "pivoted", lambda self, n, rank, single: np.inf)
    monkeypatch.setattr(Machine, "product", lambda self, n, columns, itemsize: 0.02)
    easy = gm.FisherDiscriminant(gm.Gaussian(3.0), ridge=[1e-2]).fit(FEW, LABELS)
    assert work["factored"] == 0
    hard = gm.FisherDiscriminant(gm.Gaussian(3.0), ridge=[1e-8]).fit(FEW, LABELS)
    assert work["factored"] == 1
    assert "preconditioner" in easy.solver_
    assert "factorization in single" in hard.solver_


def test_an_iteration_that_turns_out_to_be_long_goes_on_with_a_factor_of_k(work, monkeypatch):
    monkeypatch.setattr(solve_module, "SURE", 0)  # nobody thinks so beforehand
    found = gm.solve(gm.Gaussian(1.0).gram(FEW), RNG.normal(size=(N, 1)), 1e-4)
    assert work["factored"] == 1
    assert found.method == f"Cholesky factorization in single precision, refined by {found.iterations} products with K"
    assert solve_module.ASKED < found.iterations < 40
    assert found.converged


@pytest.fixture(scope="module")
def uneven():
    """Few columns of whole numbers with long tails, and classes of very different sizes, as of a machine at work."""
    rng = np.random.default_rng(5)
    X = np.round(5 * rng.standard_t(3, size=(N, 3)))
    y = np.digitize(X[:, 0] + 0.1 * X[:, 1], [-40, -15, 8, 15, 30])
    sizes = np.bincount(y)
    kept = np.isin(y, np.flatnonzero(sizes >= 3))
    return X[kept] / X.std(axis=0), y[kept]


@pytest.mark.parametrize("ridge", [1e-9, 1e-8, 1e-6, 1e-4])
def test_a_ridge_that_single_precision_would_lose_takes_few_products_where_k_is_not_kept(
    ridge, uneven, work, monkeypatch
):
    monkeypatch.setattr("gramian.places.cores.entries.HOLD", 0)
    X, y = uneven
    kernel = gm.Gaussian("median").fit(X)
    model = gm.FisherDiscriminant(kernel, ridge=ridge, tol=1e-8).fit(X, y)
    assert "conjugate gradients" in model.solver_
    assert work["products"] <= 30
    monkeypatch.undo()
    exact = gm.FisherDiscriminant(kernel, ridge=ridge).fit(X, y)
    assert exact.solver_ == "Cholesky factorization"
    assert (model.predict(X) == exact.predict(X)).mean() > 0.999
    scale = np.abs(exact.decision_function(X)).max()
    assert np.abs(model.decision_function(X) - exact.decision_function(X)).max() <= 1e-5 * scale
