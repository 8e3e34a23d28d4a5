"""A search that is given no candidates tries what the report tries."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import gramian as gm
from gramian.intake.reading import from_objects
from gramian.learn.candidates import candidates, candidates_for, graph_of

N = 24
Y = np.arange(N) % 2
rng = np.random.default_rng(0)
NUMBERS = rng.normal(size=(N, 3)) + Y[:, None]
WORDS = ["".join(rng.choice(list("ab" if y else "bc"), 9)) for y in Y]
RECORDS = [{"age": float(a), "team": "xy"[int(b > 0)], "note": w} for (a, b, _), w in zip(NUMBERS, WORDS, strict=True)]
OBJECTS = {
    "vectors": NUMBERS,
    "sparse vectors": scipy.sparse.csr_array(np.abs(NUMBERS)),
    "table of numbers": pd.DataFrame(NUMBERS, columns=list("abc")),
    "mixed table": pd.DataFrame(RECORDS),
    "records": RECORDS,
    "strings": WORDS,
    "bytes": [word.encode() for word in WORDS],
    "token lists": [list(word) for word in WORDS],
    "documents": [" ".join(2 * letter for letter in word) for word in WORDS],
}


@pytest.mark.parametrize("X", OBJECTS.values(), ids=OBJECTS)
@pytest.mark.parametrize("make", [gm.KernelRidge, gm.KernelClassifier, gm.FisherDiscriminant], ids=lambda m: m.__name__)
def test_a_search_without_candidates_finds_a_kernel_for_every_kind_of_object(make, X):
    search = gm.KernelSearch(make()).fit(X, Y)
    assert [found.params["kernel"] for found in search.results_] == candidates_for(X)
    assert len(search.results_) > 1
    assert np.shape(search.predict(X)) == (N,)


@pytest.mark.parametrize("name", ["vectors", "sparse vectors", "mixed table", "strings", "documents"])
def test_the_candidates_are_those_of_the_report(name):
    assert candidates_for(OBJECTS[name]) == candidates(from_objects(OBJECTS[name]))


def test_bytes_and_tokens_are_compared_as_strings_are():
    assert (
        candidates_for(OBJECTS["bytes"]) == candidates_for(OBJECTS["strings"]) == candidates_for(OBJECTS["token lists"])
    )


def test_nodes_are_compared_by_diffusions_on_the_graph_of_the_estimators_kernel():
    football = gm.load_football()
    kernel = gm.ExponentialDiffusion(football.graph, 1.0)
    assert graph_of(kernel) == graph_of(kernel.normalize() + 1) == kernel.graph
    assert graph_of(gm.Linear()) is None
    nodes = list(kernel.graph.nodes)
    search = gm.KernelSearch(gm.FisherDiscriminant(kernel.normalize()), cv=3).fit(nodes, football.target)
    assert all(graph_of(found.kernel) == kernel.graph for found in search.results_)
    assert len({found.kernel for found in search.results_}) == 5
    assert search.best_score_ > -0.2


def test_candidates_that_cannot_take_the_objects_are_passed_over(monkeypatch):
    with_origin = np.vstack([np.zeros(3), NUMBERS[1:]])
    kernels = [gm.Linear().normalize(), gm.Gaussian(1.0), gm.Linear()]
    monkeypatch.setattr("gramian.learn.search.candidates_for", lambda X, kernel: kernels)
    search = gm.KernelSearch(gm.KernelRidge()).fit(with_origin, Y)
    assert [found.kernel for found in search.results_] == kernels[1:]
    with pytest.raises(ValueError, match="normalize"):
        gm.KernelSearch(gm.KernelRidge(), kernels).fit(with_origin, Y)


def test_where_no_candidate_can_take_the_objects_the_last_refusal_is_told():
    table = pd.DataFrame({"a": [1.0, np.nan, 3.0, 2.0, 5.0, 4.0], "b": list("xyxyxx")})
    with pytest.raises(ValueError, match="one class only"):
        gm.KernelSearch(gm.FisherDiscriminant()).fit(NUMBERS, np.zeros(N))
    with pytest.raises(ValueError, match="NaN|nan"):
        gm.KernelSearch(gm.KernelRidge(), None).fit(table[["a"]], np.arange(6.0))


def test_what_is_no_collection_of_objects_is_refused():
    with pytest.raises((ValueError, TypeError), match="X"):
        gm.KernelSearch(gm.KernelRidge()).fit([object()] * 3, [1.0, 2.0, 3.0])
