"""Ridges chosen in low rank and confirmed by exact errors: the errors against their definitions, and the walk."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramian as gm
from gramian.factor.solve import Ridged
from gramian.factor.spectrum import coordinates, spectrum
from gramian.learn import confirming
from gramian.learn import fisher as fisher_module
from gramian.learn import ridge as ridge_module
from gramian.learn.confirming import confirmations, walked
from gramian.learn.fisher_loo import LeaveOneOut, WithinClasses, all_left_out, within
from gramian.learn.path import Smoother

SINGLE = float(np.finfo(np.float32).eps)


def classes(seed, sizes, d=3):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return rng.normal(size=(len(labels), d)) + rng.normal(size=(len(sizes), d))[labels], labels


@pytest.mark.parametrize("seed", range(8))
def test_functions_without_each_object_are_right_to_one_part_in_the_size_of_a_class(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(15, 60, 2 + seed % 3)
    X, labels = classes(seed, sizes)
    gram, S = gm.Gaussian(2.0).gram(X), WithinClasses(labels)
    points, _ = coordinates(gram)
    exact = LeaveOneOut.of_points(points, labels)
    for share in (1e-6, 1e-4, 1e-2, 1.0):
        ridge = share * exact.largest
        found = all_left_out(Ridged(gram, within(S)), S, ridge)
        expected = exact.scores(np.array([ridge]))[0]
        assert np.abs(found - expected).max() <= 3 / sizes.min() * np.abs(expected).max()
        assert np.mean(found.argmax(axis=1) == expected.argmax(axis=1)) >= 1 - 3 / sizes.min()


def test_classes_of_one_size_are_told_apart_as_without_the_object_itself():
    X, labels = classes(0, [200, 200], d=2)
    gram, S = gm.Gaussian(1.0).gram(X), WithinClasses(labels)
    for ridge in (1e-3, 0.1):
        found = all_left_out(Ridged(gram, within(S)), S, ridge)
        for i in range(0, 400, 40):
            others = np.arange(400) != i
            model = gm.FisherDiscriminant(gm.Gaussian(1.0), ridge=ridge).fit(X[others], labels[others])
            decision = float(model.decision_function(X[[i]])[0])
            assert found[i, 1] - found[i, 0] == pytest.approx(decision, rel=0.05, abs=0.02 * np.abs(found).max())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("by_gcv", [False, True])
def test_errors_by_a_factor_of_all_of_k_are_those_of_a_decomposition(seed, by_gcv):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 2))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=80)
    weights = None if seed % 2 else rng.choice([0.0, 0.5, 2.0], 80)
    model = gm.KernelRidge(gm.Gaussian(1.0), fit_intercept=seed % 3 == 0)
    problem = ridge_module.Problem(y[:, None], weights, model.fit_intercept)
    gram, lens = gm.Gaussian(1.0).gram(X), problem.lens()
    seen = Smoother(spectrum(gram, lens), lens.S(problem.Y), problem.border(), "shrinkage")
    ridges = np.geomspace(1e-6, 10, 8)
    path = seen.path(ridges, *problem.totals())
    for ridge, expected in zip(ridges, path.gcv if by_gcv else path.loo, strict=True):
        found = problem.error(Ridged(gram, lens), float(ridge), by_gcv)
        condition = 80 * 2 / ridge  # at least that of the matrix
        assert found == pytest.approx(expected, rel=1e-3 + min(2 * SINGLE * condition, 0.5))


@given(st.integers(2, 40), st.data())
def test_a_walk_ends_where_no_neighbour_is_better(size, data):
    ridges = np.cumprod(data.draw(st.lists(st.floats(1.01, 8.0), min_size=size, max_size=size)))
    errors = np.array(data.draw(st.lists(st.integers(0, 9), min_size=size, max_size=size)), dtype=float)
    begun = data.draw(st.integers(0, size - 1))
    asked = []

    def error(ridge):
        asked.append(ridge)
        return errors[np.flatnonzero(ridges == ridge)[0]]

    place, known = walked(ridges, begun, error, 10 * size)
    assert len(asked) == len(set(asked)) == len(known), "no error is computed twice"
    assert known[place] == min(known.values()) <= errors[begun]
    assert all(known[k] > known[place] for k in known if ridges[k] > ridges[place]), "of equals the most regularised"
    if size > 1:
        smaller = [k for k in known if ridges[k] < ridges[place]]
        assert smaller or place == 0
        assert any(ridges[k] > ridges[place] for k in known) or place == size - 1


@given(st.integers(0, 12), st.integers(0, 30))
def test_a_walk_takes_no_more_steps_than_it_may(most, begun):
    ridges = np.geomspace(1e-9, 10, 31)
    place, known = walked(ridges, begun, lambda lam: abs(np.log(lam)), most)
    assert len(known) <= (most if most > 1 else 0)
    assert place == begun if most < 2 else known[place] == min(known.values())


@pytest.fixture
def coarse(monkeypatch):
    """Low rank so low, and so early, that it chooses badly."""
    for module in (fisher_module, ridge_module):
        monkeypatch.setattr(module, "compares_exactly", lambda n: n <= 50)
        monkeypatch.setattr(module, "DEFAULT_RANK", 12)


@pytest.mark.parametrize("seed", range(4))
def test_a_choice_that_low_rank_gets_wrong_is_put_right(seed, coarse, monkeypatch):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(300, 2))
    y = np.sin(12 * X[:, 0]) * np.cos(12 * X[:, 1]) + 0.05 * rng.normal(size=300)
    kernel = gm.Gaussian(0.15)
    confirmed = gm.KernelRidge(kernel).fit(X, y)
    classified = gm.FisherDiscriminant(kernel).fit(X, y > 0)
    assert "by exact errors at" in confirmed.solver_
    assert "by exact errors at" in classified.solver_
    monkeypatch.setattr(confirming, "CONFIRMING", 0.0)
    rough, roughly = gm.KernelRidge(kernel).fit(X, y), gm.FisherDiscriminant(kernel).fit(X, y > 0)
    monkeypatch.undo()
    best, least = gm.KernelRidge(kernel).fit(X, y), gm.FisherDiscriminant(kernel).fit(X, y > 0)
    assert "exact errors" not in best.solver_ + least.solver_, "all of them were"
    assert confirmed.loo_error_ <= 1.15 * best.loo_error_
    assert rough.loo_error_ >= confirmed.loo_error_
    assert classified.loo_error_ <= least.loo_error_ + 0.02
    assert roughly.loo_error_ >= classified.loo_error_ - 0.01


def test_as_many_errors_are_computed_as_the_time_is_enough_for():
    counts = [confirmations(gm.Gaussian(1.0).gram(np.zeros((n, 1)))) for n in (1_200, 3_000, 5_000, 8_000, 20_000)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] >= 9
    assert counts[-1] == 0
    nodes = gm.ExponentialDiffusion(gm.Graph(np.ones((4, 4)) - np.eye(4)), 0.5)
    assert confirmations(nodes.gram(range(4))) in (0, confirmations(gm.Gaussian(1.0).gram(np.zeros((4, 1)))))


def test_a_k_that_is_not_kept_leaves_less_time_for_errors():
    texts = [" ".join(f"w{k}" for k in row) for row in np.random.default_rng(0).integers(0, 4000, (3_000, 80))]
    gram = gm.BagOfWords().fit(texts).gram(texts)
    assert gram.through_features()
    assert confirmations(gram) < confirmations(gm.Gaussian(1.0).gram(np.zeros((3_000, 1))))
    assert confirmations(gm.BagOfWords().fit(texts).gram(texts[:1_200])) > 1
