"""Weights of explicit features: the weighted sum of what is counted by hand is the learner's own answer."""

from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import gramian as gm


def words(n, letters="ACGT", seed=0):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(letters), rng.integers(6, 15))) for _ in range(n)]


X, NEW = words(40), words(15, "ACGTN", seed=1)
TWO = np.array(["yes" if x.count("A") > 2 else "no" for x in X])
THREE = np.array(["a", "b", "c"])[[x.count("AC") % 3 for x in X]]
NUMBERS = np.array([x.count("AC") - 0.3 * x.count("G") for x in X])


def pieces(x, lengths):
    return Counter(x[i : i + p] for p in lengths for i in range(len(x) - p + 1))


def mismatched(x):
    found = Counter()
    for piece, count in pieces(x, [2]).items():
        for a in "ACGT":
            for b in "ACGT":
                if sum(u != v for u, v in zip(piece, a + b, strict=True)) <= 1:
                    found[a + b] += count
    return found


def composition(x):
    return Counter({u: c / len(x) for u, c in pieces(x, [1]).items()})


def unit(count):
    """φ(x) over its norm, all pieces of x counted, known to the model or not."""

    def scaled(x):
        found = count(x)
        norm = np.sqrt(sum(c * c for c in found.values()))
        return Counter({u: c / norm for u, c in found.items()})

    return scaled


KERNELS = {
    "spectrum": (gm.Spectrum(2), lambda x: pieces(x, [2])),
    "mismatch": (gm.Mismatch(2, 1, "ACGT"), mismatched),
    "composition": (gm.Composition(), composition),
    "full": (gm.FullSpectrum(max_length=3), lambda x: pieces(x, [1, 2, 3])),
    "sum": (
        gm.Spectrum(1) + 4 * gm.Spectrum(3),
        lambda x: pieces(x, [1]) + Counter({u: 2 * c for u, c in pieces(x, [3]).items()}),
    ),
    "shifted": (gm.Spectrum(2) + 9, lambda x: pieces(x, [2]) + Counter({"1": 3})),
    "normalized": (gm.Spectrum(2).normalize(), unit(lambda x: pieces(x, [2]))),
    "characters": (
        gm.BagOfWords("tf", analyzer="char", ngram_range=(2, 2), lowercase=False),
        lambda x: pieces(x, [2]),
    ),
}
LEARNERS = {
    "ridge": (gm.KernelRidge(ridge=0.5, fit_intercept=True), NUMBERS, "predict"),
    "ridges": (gm.KernelRidge(ridge=0.5), np.column_stack([NUMBERS, NUMBERS**2]), "predict"),
    "primal": (gm.KernelRidge(ridge=0.5, solver="primal"), NUMBERS, "predict"),
    "landmarks": (gm.KernelRidge(ridge=0.5, rank=10), NUMBERS, "predict"),
    "loo": (gm.KernelClassifier(ridge="loo"), TWO, "decision_function"),
    "classes": (gm.KernelClassifier(ridge=0.5), THREE, "decision_function"),
    "fisher": (gm.FisherDiscriminant(ridge=0.5), TWO, "decision_function"),
    "fisher-classes": (gm.FisherDiscriminant(ridge=0.5), THREE, "decision_function"),
    "fisher-landmarks": (gm.FisherDiscriminant(ridge=0.5, rank=10), THREE, "decision_function"),
    "parzen": (gm.ParzenClassifier(), TWO, "decision_function"),
    "parzen-classes": (gm.ParzenClassifier(), THREE, "decision_function"),
    "pca": (gm.KernelPCA(3), None, "transform"),
    "pca-landmarks": (gm.KernelPCA(2, rank=10), None, "transform"),
}


WITHOUT_PRIMAL = {("primal", "full")}  # a kernel without explicit features


@pytest.mark.parametrize(
    ("learner", "name"), [pair for pair in product(LEARNERS, KERNELS) if pair not in WITHOUT_PRIMAL]
)
def test_weights_times_counts_made_by_hand_are_the_answers(name, learner):
    (kernel, count), (model, y, answer) = KERNELS[name], LEARNERS[learner]
    model = clone(model).set_params(kernel=kernel).fit(X, y)
    found = model.feature_weights()
    expected = getattr(model, answer)(NEW).reshape(len(NEW), -1)
    for column, function in enumerate(found.functions):
        w = dict(found.ranked(function))
        assert len(w) == len(found), "a feature is named twice"
        sums = [sum(c * w.get(u, 0.0) for u, c in count(x).items()) for x in NEW]
        scale = max(sum(abs(c * w.get(u, 0.0)) for u, c in count(x).items()) for x in NEW)
        scale = max(scale, abs(found.intercepts[column]), np.abs(expected[:, column]).max())
        condition = 1e6 if learner == "loo" or "landmarks" in learner else 1e3
        np.testing.assert_allclose(
            sums + found.intercepts[column], expected[:, column], rtol=0, atol=condition * np.finfo(float).eps * scale
        )


def test_columns_keep_the_names_of_the_data_frame_or_those_that_are_given():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 3)), columns=["age", "income", "height"])
    y = 2 * frame["income"] - frame["age"]
    model = gm.KernelRidge(gm.Linear(), ridge=1e-6).fit(frame, y)
    assert model.feature_weights().features == ("income", "age", "height")
    plain = gm.KernelRidge(gm.Linear(), ridge=1e-6).fit(frame.to_numpy(), y)
    assert plain.feature_weights().features == ("column 1", "column 0", "column 2")
    assert plain.feature_weights(names=list("abc")).features == ("b", "a", "c")
    np.testing.assert_allclose(model.feature_weights().weights[:, 0], [2, -1, 0], atol=1e-5)
    with pytest.raises(ValueError, match="names are 2, and there are 3 features"):
        plain.feature_weights(names=["a", "b"])


def test_polynomials_and_standardized_columns_are_named():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(40, 2)) * [1, 100]
    k = gm.Polynomial(2, 1.0).pullback(gm.Standardize())
    model = gm.KernelRidge(k, ridge=1e-8).fit(Z, Z[:, 0] * Z[:, 1])
    assert model.feature_weights(names=["a", "b"], top=1).features == ("a b",)
    phi = model.kernel_.features(Z)
    found = model.feature_weights(names=["a", "b"])
    w = dict(found.ranked())
    order = model.kernel_.named(model.kernel_.encode(Z), ["a", "b"])
    np.testing.assert_allclose(phi @ [w[u] for u in order], model.predict(Z), rtol=1e-6, atol=1e-4)


def test_columns_of_records_say_which_column_a_word_or_category_is_of():
    records = [
        {"sex": s, "note": n, "age": a} for s, n, a in zip("fmfm", ["a cat", "a dog"] * 2, [1.0, 2, 3, 4], strict=True)
    ]
    k = gm.Equality().on("sex") + gm.BagOfWords("tf").on("note") + gm.Linear().on("age")
    found = gm.KernelRidge(k, ridge=1.0).fit(records, [0.0, 1, 0, 2]).feature_weights()
    assert set(found.features) == {"sex: f", "sex: m", "note: cat", "note: dog", "age"}


def test_top_keeps_the_weightiest_of_every_function():
    model = gm.ParzenClassifier(gm.Spectrum(2)).fit(X, THREE)
    every, few = model.feature_weights(), model.feature_weights(top=2)
    for name in every.functions:
        assert every.ranked(name, top=2) == few.ranked(name, top=2)
    assert len(few) <= 6 < len(every)
    np.testing.assert_array_equal(every.intercepts, few.intercepts)


@pytest.mark.parametrize(
    "kernel",
    [gm.Gaussian(1.0), gm.Linear() * gm.Gaussian(1.0), gm.Bilinear(np.eye(2)), gm.Nystrom(gm.Gaussian(1.0), 5)],
    ids=["gaussian", "product", "bilinear", "nystrom"],
)
def test_without_named_features_the_error_says_where_to_ask(kernel):
    Z = np.random.default_rng(0).normal(size=(20, 2))
    model = gm.KernelRidge(kernel, ridge=1.0).fit(Z, Z[:, 0])
    with pytest.raises(TypeError, match=r"no features that could be named .*gm.importance\(model, X, y\)"):
        model.feature_weights()


def test_what_was_read_from_a_file_has_the_same_weights(tmp_path):
    model = gm.KernelClassifier(gm.Spectrum(2), ridge=1.0).fit(X, TWO)
    gm.save(model, tmp_path / "model")
    assert gm.load(tmp_path / "model").feature_weights().ranked() == model.feature_weights().ranked()


def test_a_search_tells_what_its_winner_goes_by():
    search = gm.KernelSearch(gm.KernelClassifier(), [gm.Spectrum(1), gm.Spectrum(2)]).fit(X, TWO)
    assert search.feature_weights().ranked() == search.best_estimator_.feature_weights().ranked()


def test_the_two_classes_of_one_function_are_told_apart_by_the_sign():
    model = gm.KernelClassifier(gm.Spectrum(1), ridge=1.0).fit(X, TWO)
    found = model.feature_weights()
    assert (found.functions, found.against) == (("yes",), "no")
    assert dict(found.ranked())["A"] > 0
    assert "'yes': A" in repr(found)


def test_of_several_functions_one_is_to_be_chosen():
    found = gm.ParzenClassifier(gm.Spectrum(2)).fit(X, THREE).feature_weights()
    with pytest.raises(ValueError, match="function is None; one of 'a', 'b', 'c' expected"):
        found.ranked()
