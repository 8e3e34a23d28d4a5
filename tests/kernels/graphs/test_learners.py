"""Every learner learns from a list of nodes, and is asked about nodes that it has not seen."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score

import gramian as gm

from ...learn import conftest as learn  # noqa: TID252

pytestmark = learn.few_objects

N = learn.N


def towns():
    """Two towns of 20 nodes each, even and odd ones, with many streets inside and two between them."""
    rng = np.random.default_rng(8)
    A = np.zeros((N, N))
    for i in range(N):
        for j in range(i):
            A[i, j] = i % 2 == j % 2 and (i - j == 2 or rng.random() < 0.25)
    A[1, 0] = A[21, 10] = 1
    return A + A.T


FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)
NUMBERS = list(range(N))
STRINGS = [f"node {i}" for i in range(N)]
TUPLES = [("north" if i % 2 else "south", i) for i in range(N)]
NAMED = {"strings": STRINGS, "tuples": TUPLES, "integers": [1000 - 3 * i for i in range(N)], "numbers": NUMBERS}


def graph(kind="strings"):
    return gm.Graph(towns()) if kind == "numbers" else gm.Graph(towns(), nodes=NAMED[kind])


def heat(kind="strings", beta=0.5):
    return gm.ExponentialDiffusion(graph(kind), beta=beta, of="laplacian")


KERNELS = {
    "heat": heat(),
    "von Neumann": gm.VonNeumannDiffusion(graph(), beta=2.0, of="laplacian"),
    "paths": gm.PowerDiffusion(graph(), length=2, of="normalized"),
    "cosine of walks": gm.VonNeumannDiffusion(graph(), beta=0.1).normalize(),
}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("learner", learn.CLASSIFIERS, ids=repr)
def test_the_towns_of_unseen_nodes_are_told_apart(learner, kernel):
    assert cross_val_score(learner.make(KERNELS[kernel]), STRINGS, learn.labels(), cv=FOLDS).mean() > 0.85


@pytest.mark.parametrize("kind", NAMED)
@pytest.mark.parametrize("given", [list, np.array, pd.Series], ids=lambda given: given.__name__)
def test_scores_do_not_depend_on_the_names_of_the_nodes(kind, given):
    nodes = NAMED[kind]
    if kind == "tuples" and given is np.array:
        nodes = np.empty(N, dtype=object)
        nodes[:] = NAMED[kind]
    else:
        nodes = given(nodes)
    for make in (gm.ParzenClassifier, lambda k: gm.FisherDiscriminant(k, ridge=0.1)):
        scores = cross_val_score(make(heat(kind)), nodes, learn.labels(), cv=FOLDS)
        np.testing.assert_array_equal(scores, cross_val_score(make(heat()), STRINGS, learn.labels(), cv=FOLDS))
        assert scores.mean() > 0.9


# Searches and k-means break ties by rounding, and a bound knows the radius of all nodes or of the matrix only.
EXACT = [x for x in learn.NOT_SEARCHES if x.name not in ("kmeans", "novelty-bound")]


@pytest.mark.parametrize("learner", EXACT, ids=repr)
def test_nodes_are_learnt_from_as_the_rows_of_their_matrix(learner):
    half, rest = STRINGS[: N // 2], STRINGS[N // 2 :]
    K = heat()(STRINGS)
    by_node, by_row = learner.fitted(heat(), half), learner.fitted(gm.Precomputed(K), range(N // 2))
    learn.assert_same_answers(by_row, by_node, range(N // 2, N), rest, tol=1e-7)


@learn.every_learner
def test_learners_of_nodes_are_cloned_pickled_and_ask_about_one_node(learner):
    model = learner.fitted(heat(), STRINGS)
    for twin in (pickle.loads(pickle.dumps(model)), clone(model).fit(STRINGS, learner.y())):
        learn.assert_same_answers(model, twin, STRINGS[:7])
    for name, found in learn.answers(model, STRINGS[3:4]).items():
        assert len(found) == 1, name


@pytest.mark.parametrize("learner", learn.CLASSIFIERS[:3], ids=repr)
def test_a_grid_search_finds_the_direction_of_time(learner):
    """Backwards, heat tells neighbours apart."""
    search = GridSearchCV(
        learner.make(heat()), {"kernel__beta": [-0.5, 0.5]}, cv=FOLDS, scoring="accuracy", error_score="raise"
    )
    search.fit(STRINGS, learn.labels())
    assert search.best_params_ == {"kernel__beta": 0.5}
    assert search.best_score_ > 0.9
    assert search.best_estimator_.get_params()["kernel"] == heat()
    np.testing.assert_array_equal(search.predict(STRINGS), learn.labels())


def test_a_grid_search_reaches_similarity_and_length():
    grid = {"kernel__of": ["adjacency", "normalized"], "kernel__length": [2, 4]}
    search = GridSearchCV(gm.ParzenClassifier(gm.PowerDiffusion(graph())), grid, cv=FOLDS, error_score="raise")
    search.fit(STRINGS, learn.labels())
    assert len(search.cv_results_["params"]) == 4
    assert search.best_score_ > 0.85


def test_a_beta_that_makes_no_kernel_is_refused_in_a_search():
    with pytest.raises(ValueError, match="beta is 10.0; between"):
        GridSearchCV(
            gm.ParzenClassifier(gm.VonNeumannDiffusion(graph(), beta=0.01)),
            {"kernel__beta": [10.0]},
            error_score="raise",
        ).fit(STRINGS, learn.labels())


def test_kernels_on_nodes_are_not_kernels_on_vectors():
    assert not heat().on_vectors
    pca = gm.KernelPCA(2, heat("numbers")).fit(NUMBERS)
    with pytest.raises(TypeError, match="inverse_transform gives vectors"):
        pca.inverse_transform(pca.transform(NUMBERS[:3]))


def test_values_on_unseen_nodes_are_those_of_ridge_regression():
    known, new = STRINGS[:30], STRINGS[30:]
    y = np.arange(30) % 2 - 0.5
    model = gm.KernelRidge(heat(), ridge=0.2).fit(known, y)
    K = heat()(STRINGS)
    expected = K[30:, :30] @ np.linalg.solve(K[:30, :30] + 0.2 * np.eye(30), y)
    np.testing.assert_allclose(model.predict(new), expected, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(new) > 0, np.arange(30, N) % 2 == 1)


@pytest.mark.parametrize("learner", learn.CLASSIFIERS[:2], ids=repr)
def test_predictions_in_cross_validation_are_those_of_models_of_the_folds(learner):
    found = cross_val_predict(learner.make(heat()), STRINGS, learn.labels(), cv=learn.halves())
    for train, test in learn.halves():
        model = learner.make(heat()).fit([STRINGS[i] for i in train], learn.labels()[train])
        np.testing.assert_array_equal(found[test], model.predict([STRINGS[i] for i in test]))


@learn.every_learner
def test_unknown_nodes_are_refused_by_learners(learner):
    with pytest.raises(ValueError, match="X holds 'elsewhere', which is not a node of this graph"):
        learner.make(heat()).fit([*STRINGS[:-1], "elsewhere"], learner.y())
    model = learner.fitted(heat(), STRINGS)
    with pytest.raises(ValueError, match="X holds 'elsewhere', which is not a node of this graph"):
        learn.answers(model, ["node 1", "elsewhere"])


def test_nodes_of_different_kinds_are_learnt_from_together():
    k = gm.ExponentialDiffusion([("a", 1), (1, 2), (2, "b"), ("b", "c"), ("c", 3)], 0.5)
    assert gm.ParzenClassifier(k).fit(["a", 1, "b", 3], [0, 0, 1, 1]).predict([2, "c"]).tolist() == [1, 1]
