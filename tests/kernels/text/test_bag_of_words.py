"""Bags of words against scikit-learn's vectorizers, against Python's own counting, as values, and in learners."""

import json
import pickle
import subprocess
import sys
from collections import Counter
from math import log

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score

import gramian as gm

claims = settings(max_examples=40, deadline=None, derandomize=True, database=None)

CORPUS = ["The cat sat on the mat.", "the dog sat", "A mat for the cat, a cat!", "Dogs and cats", "the end"]
NEW = ["the lion and the dog", "unheard of", "", "cat cat CAT"]


def shouted(text):
    """A tokenizer, at the level of the module so that it can be pickled."""
    return [word.upper() + "!" for word in text.split()]


OPTIONS = {
    "default": {},
    "case": {"lowercase": False},
    "english": {"stop_words": "english"},
    "stop-list": {"stop_words": ["the", "on"]},
    "pairs": {"ngram_range": (1, 2)},
    "letters": {"analyzer": "char", "ngram_range": (2, 3)},
    "letters-in-words": {"analyzer": "char_wb", "ngram_range": (3, 3)},
    "tokenizer": {"tokenizer": shouted},
    "min-df": {"min_df": 2},
    "min-share": {"min_df": 0.3},
    "max-df": {"max_df": 0.5},
    "max-features": {"max_features": 3},
}
every_option = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
both = pytest.mark.parametrize("weighting", ["tf", "tf-idf"])


def peer(cls, options, **more):
    """scikit-learn's vectorizer of the same options."""
    return cls(**options, **({"token_pattern": None} if "tokenizer" in options else {}), **more)


# Agreement with scikit-learn


@every_option
def test_counts_are_those_of_a_count_vectorizer(options):
    vectorizer = peer(CountVectorizer, options).fit(CORPUS)
    k = gm.BagOfWords("tf", **options).fit(CORPUS)
    assert k.terms() == list(vectorizer.get_feature_names_out())
    for X in (CORPUS, NEW):
        np.testing.assert_array_equal(k.features(X).toarray(), vectorizer.transform(X).toarray())
    np.testing.assert_array_equal(k(CORPUS, NEW), k.features(CORPUS).toarray() @ k.features(NEW).toarray().T)


@every_option
def test_weighted_counts_are_those_of_a_tfidf_vectorizer_without_norm(options):
    vectorizer = peer(TfidfVectorizer, options, norm=None).fit(CORPUS)
    k = gm.BagOfWords("tf-idf", **options).fit(CORPUS)
    np.testing.assert_allclose(k.idf, vectorizer.idf_, rtol=1e-14)
    for X in (CORPUS, NEW):
        np.testing.assert_allclose(k.features(X).toarray(), vectorizer.transform(X).toarray(), rtol=1e-14)


def test_normalized_tfidf_is_the_cosine_of_a_tfidf_vectorizer():
    vectorizer = TfidfVectorizer()
    D = vectorizer.fit_transform(CORPUS)
    k = gm.BagOfWords("tf-idf").normalize().fit(CORPUS)
    np.testing.assert_allclose(k(CORPUS), (D @ D.T).toarray(), atol=1e-12)
    known = [text for text in NEW if vectorizer.transform([text]).nnz]
    np.testing.assert_allclose(k(known, CORPUS), (vectorizer.transform(known) @ D.T).toarray(), atol=1e-12)
    np.testing.assert_allclose(k.features(known).toarray(), vectorizer.transform(known).toarray(), atol=1e-12)


# An oracle

words = st.lists(st.sampled_from(["cat", "dog", "mat", "sat", "the"]), max_size=6)
corpora = st.lists(words, min_size=1, max_size=5).filter(lambda found: any(found))


@claims
@given(corpora, corpora)
def test_kernel_is_the_inner_product_of_counts_times_the_rarity_of_terms_in_the_corpus(corpus, new):
    n = len(corpus)
    frequency = Counter(word for text in corpus for word in set(text))
    rarity = {word: log((1 + n) / (1 + frequency[word])) + 1 for word in frequency}
    X, Z = [" ".join(text) for text in corpus], [" ".join(text) for text in new]

    def inner(x, z, weight):
        x, z = Counter(x), Counter(z)
        return sum(x[word] * z[word] * weight(word) ** 2 for word in frequency)

    for weighting, weight in (("tf", lambda word: 1), ("tf-idf", rarity.get)):
        k = gm.BagOfWords(weighting).fit(X)
        assert k.terms() == sorted(frequency)
        for A, a, B, b in ((X, corpus, X, corpus), (X, corpus, Z, new), (Z, new, X, corpus)):
            expected = [[inner(x, z, weight) for z in b] for x in a]
            np.testing.assert_allclose(k(A, B), expected, rtol=1e-13)
        np.testing.assert_allclose(k.diag(Z), [inner(z, z, weight) for z in new], rtol=1e-13)


# The corpus


@both
def test_new_documents_are_weighted_by_the_corpus_and_their_unknown_words_ignored(weighting):
    k = gm.BagOfWords(weighting).fit(CORPUS)
    alone, together = k.features(["cat lion"]).toarray(), k.features(["cat lion", "cat", "dog the the"]).toarray()
    np.testing.assert_array_equal(together[0], alone[0])
    np.testing.assert_array_equal(together[1], alone[0])
    assert k.fit(NEW) is k
    np.testing.assert_array_equal(k(CORPUS), gm.BagOfWords(weighting)(CORPUS))
    np.testing.assert_array_equal(k(["lion"]), [[0]])


def test_weights_are_taken_from_the_corpus_where_only_the_vocabulary_is_given():
    k = gm.BagOfWords("tf-idf", vocabulary=["dog", "lion", "the"])
    fitted = k.fit(CORPUS)
    assert fitted.terms() == ["dog", "lion", "the"]
    np.testing.assert_allclose(fitted.idf, [log(6 / 2) + 1, log(6 / 1) + 1, log(6 / 5) + 1], rtol=1e-14)
    assert gm.BagOfWords(vocabulary=["dog"]).fit(CORPUS) == gm.BagOfWords(vocabulary=("dog",))
    np.testing.assert_array_equal(
        gm.BagOfWords(vocabulary=["the", "dog"]).features(["dog dog the"]).toarray(), [[1, 2]]
    )


def test_centring_settles_the_corpus():
    k = gm.BagOfWords("tf-idf")
    centred, fitted = k.center(CORPUS), k.fit(CORPUS)
    assert centred.base == fitted
    K, C = fitted(NEW), fitted(NEW, CORPUS).mean(axis=1)
    np.testing.assert_allclose(centred(NEW), K - C[:, None] - C + fitted(CORPUS).mean(), atol=1e-13 * K.max())


# The four matrices


@both
def test_the_four_matrices_are_products_of_documents_by_terms(weighting):
    k = gm.BagOfWords(weighting).fit(CORPUS)
    D = k.document_term(NEW)
    assert scipy.sparse.issparse(D)
    assert D.dtype == np.float64
    np.testing.assert_array_equal(D.toarray(), k.features(NEW).toarray())
    np.testing.assert_array_equal(k.term_document(NEW).toarray(), D.toarray().T)
    np.testing.assert_allclose(k.document_document(NEW), D.toarray() @ D.toarray().T, rtol=1e-14)
    np.testing.assert_allclose(k.term_term(NEW).toarray(), D.toarray().T @ D.toarray(), rtol=1e-14)
    assert scipy.sparse.issparse(k.term_term(NEW))
    assert D.shape == (len(NEW), len(k.terms()))


@both
def test_the_four_matrices_of_a_kernel_without_a_corpus_take_the_documents_for_one(weighting):
    k, fitted = gm.BagOfWords(weighting), gm.BagOfWords(weighting).fit(CORPUS)
    for ask in ("document_term", "term_document", "term_term"):
        np.testing.assert_array_equal(getattr(k, ask)(CORPUS).toarray(), getattr(fitted, ask)(CORPUS).toarray())
    np.testing.assert_array_equal(k.document_document(CORPUS), fitted(CORPUS))


def test_term_term_of_counts_has_the_words_that_share_documents():
    k = gm.BagOfWords()
    T = k.term_term(["cat mat", "cat dog", "cat"]).toarray()
    np.testing.assert_array_equal(T, [[3, 1, 1], [1, 1, 0], [1, 0, 1]])
    assert k.feature_names(["cat mat", "cat dog", "cat"]) == ["cat", "dog", "mat"]


def test_names_of_features_are_the_terms_of_the_corpus():
    k = gm.BagOfWords().fit(CORPUS)
    assert k.feature_names() == k.feature_names(NEW) == k.terms()
    for row, text in zip(k.features(CORPUS).toarray(), CORPUS, strict=True):
        words = Counter(text.lower().replace(".", "").replace(",", "").replace("!", "").split())
        assert dict(zip(k.terms(), row, strict=True)) == {term: words[term] for term in k.terms()}


def test_documents_may_come_in_any_flat_collection():
    k = gm.BagOfWords("tf-idf")
    for form in (tuple, np.array, pd.Series, pd.Index, lambda x: np.array(x, dtype=object), lambda x: map(np.str_, x)):
        np.testing.assert_array_equal(k.fit(form(CORPUS))(form(CORPUS), form(NEW)), k.fit(CORPUS)(CORPUS, NEW))


def test_products_of_a_large_corpus_go_through_its_sparse_counts():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice([f"word{i}" for i in range(400)], 10)) for _ in range(120)]
    for k in (gm.BagOfWords("tf-idf"), gm.BagOfWords().normalize(), gm.BagOfWords() + gm.BagOfWords(analyzer="char")):
        k = k.fit(texts)
        V = rng.normal(size=(120, 2))
        np.testing.assert_allclose(k.gram(texts) @ V, k(texts) @ V, atol=1e-11 * k(texts).max())
        np.testing.assert_allclose(k.gram(texts[:90], texts) @ V, k(texts[:90], texts) @ V, atol=1e-11 * k(texts).max())
    assert gm.BagOfWords().gram(texts).through_features()


# Values

VALUES = [
    gm.BagOfWords(),
    gm.BagOfWords("tf-idf"),
    gm.BagOfWords(stop_words=("the",), ngram_range=(1, 2)),
    gm.BagOfWords(stop_words="english", tokenizer=shouted),
    gm.BagOfWords().fit(CORPUS),
    gm.BagOfWords("tf-idf").fit(CORPUS),
    gm.BagOfWords("tf-idf", min_df=2).fit(CORPUS),
]


@pytest.mark.parametrize("kernel", VALUES, ids=range(len(VALUES)))
def test_bags_of_words_are_values(kernel):
    twin = pickle.loads(pickle.dumps(kernel))
    assert twin == kernel == kernel.with_params() == type(kernel)(**kernel.get_params())
    assert hash(twin) == hash(kernel)
    np.testing.assert_array_equal(twin.fit(CORPUS)(CORPUS, NEW), kernel.fit(CORPUS)(CORPUS, NEW))
    assert kernel.with_params(analyzer="char") != kernel
    assert clone(gm.KernelRidge(kernel)).kernel is kernel


def test_bags_of_words_of_other_options_corpora_or_weights_are_not_equal():
    assert len(set(VALUES)) == len(VALUES)
    assert gm.BagOfWords("tf-idf").fit(CORPUS) != gm.BagOfWords("tf-idf").fit([*CORPUS, "the cat"])
    assert gm.BagOfWords("tf-idf").fit(CORPUS) != gm.BagOfWords("tf").fit(CORPUS)
    assert gm.BagOfWords(stop_words=["the"]) == gm.BagOfWords(stop_words=("the",))


def test_a_kernel_is_not_changed_by_a_later_change_of_the_corpus():
    corpus = list(CORPUS)
    k = gm.BagOfWords("tf-idf").fit(corpus)
    before = k(NEW)
    corpus[0] = "nothing"
    np.testing.assert_array_equal(k(NEW), before)


def test_bags_of_words_print_what_was_given_and_the_number_of_their_terms():
    assert repr(gm.BagOfWords()) == "BagOfWords(weighting='tf')"
    assert repr(gm.BagOfWords("tf-idf", ngram_range=(1, 2))) == "BagOfWords(weighting='tf-idf', ngram_range=(1, 2))"
    assert repr(gm.BagOfWords("tf-idf").fit(CORPUS)) == "BagOfWords(weighting='tf-idf', vocabulary=<11 terms>)"
    assert repr(gm.BagOfWords().normalize()) == "BagOfWords(weighting='tf').normalize()"
    assert len(repr(gm.BagOfWords("tf-idf").fit([f"word{i}" for i in range(3000)]))) < 80


def test_parameters_are_reached_from_outside():
    k = gm.BagOfWords().normalize() + gm.BagOfWords(analyzer="char")
    assert k.get_params()["left__base__weighting"] == "tf"
    changed = k.with_params(left__base__weighting="tf-idf", right__ngram_range=(1, 3))
    assert changed == gm.BagOfWords("tf-idf").normalize() + gm.BagOfWords(analyzer="char", ngram_range=(1, 3))
    with pytest.raises(ValueError, match="BagOfWords has no parameter 'ngrams'"):
        gm.BagOfWords().with_params(ngrams=2)


# Learners


@pytest.fixture(scope="module")
def addresses():
    """Some passages of the first and the last of four periods."""
    found = gm.load_addresses()
    kept = np.flatnonzero(np.isin(found.target, (0, 3)))[::3]
    return [found.data[i] for i in kept], found.target[kept]


def test_periods_of_addresses_are_told_apart(addresses):
    X, y = addresses
    model = gm.FisherDiscriminant(gm.BagOfWords("tf-idf").normalize())
    majority = np.bincount(y).max() / len(y)
    assert majority < 0.6
    assert cross_val_score(model, X, y, cv=3).mean() > 0.9


def test_a_grid_search_reaches_the_weighting(addresses):
    X, y = addresses
    model = gm.FisherDiscriminant(gm.BagOfWords().normalize(), ridge=0.1)
    search = GridSearchCV(model, {"kernel__base__weighting": ["tf", "tf-idf"]}, cv=2, error_score="raise").fit(X, y)
    kernel = search.best_estimator_.kernel_
    assert kernel.base.weighting == search.best_params_["kernel__base__weighting"]
    for weighting, score in zip(("tf", "tf-idf"), search.cv_results_["mean_test_score"], strict=True):
        plain = gm.FisherDiscriminant(gm.BagOfWords(weighting).normalize(), ridge=0.1)
        assert score == pytest.approx(cross_val_score(plain, X, y, cv=2).mean())
    assert kernel.base.vocabulary == gm.BagOfWords().fit(X).vocabulary


def test_a_learner_weighs_new_documents_by_its_training_documents():
    y = np.array([1.0, 2.0, 3.0, 4.0, 2.0])
    model = gm.KernelRidge(gm.BagOfWords("tf-idf"), ridge=0.1).fit(CORPUS, y)
    k = gm.BagOfWords("tf-idf").fit(CORPUS)
    assert model.kernel == gm.BagOfWords("tf-idf")
    assert model.kernel_ == k
    expected = k(NEW, CORPUS) @ np.linalg.solve(k(CORPUS) + 0.1 * np.eye(5), y)
    np.testing.assert_allclose(model.predict(NEW), expected, rtol=1e-9, atol=1e-12)
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.predict(NEW), model.predict(NEW))
    np.testing.assert_array_equal(clone(model).fit(CORPUS, y).predict(NEW), model.predict(NEW))


# What is loaded


def test_scikit_learn_is_not_loaded_before_the_first_document():
    lines = [
        "k = gm.BagOfWords('tf-idf').normalize() + gm.BagOfWords(vocabulary=['a'])",
        "repr(k); hash(k); k == k; k.get_params(); k.on('note')",
        "k.fit(['a cat', 'a dog'])",
    ]
    asked = "\n".join(f"{line}\nfound.append('sklearn' in sys.modules)" for line in lines)
    program = f"import sys, json\nfound = []\nimport gramian as gm\n{asked}\nprint(json.dumps(found))"
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == [False, False, True]


# Bad input

FITTED = gm.BagOfWords().fit(CORPUS)

BAD_DATA = {
    "a string": ("a cat", TypeError, r"X is a single str; a list of documents expected: pass \[X\] if it is one"),
    "bytes": (b"a cat", TypeError, "X is a single bytes; a list of documents expected"),
    "None": (None, TypeError, "X is a NoneType; a flat list of documents expected, each a string"),
    "a number": (3, TypeError, "X is a int; a flat list of documents expected"),
    "a table": (np.array([["a", "b"]]), TypeError, "a flat list of documents expected"),
    "a frame": (pd.DataFrame({"note": ["a"]}), TypeError, "X is a DataFrame; a list of documents expected"),
    "nothing": ([], ValueError, "X is empty; at least one document expected"),
    "None inside": (
        ["a cat", None],
        ValueError,
        r"X holds None \(at index 1\), a missing value; drop it or put an empty",
    ),
    "NaN": (["a cat", np.nan], ValueError, r"X holds nan \(at index 1\), a missing value"),
    "NA": (pd.Series(["a cat", None], dtype="string"), ValueError, r"X holds <NA> \(at index 1\), a missing value"),
    "numbers": ([1.5, 2.5], TypeError, r"X holds 1.5 of type float \(at index 0\); strings expected"),
    "bytes inside": (["a cat", b"dog"], TypeError, r"X holds b'dog' of type bytes \(at index 1\); strings expected"),
    "lists of words": ([["a", "cat"]], TypeError, r"X holds \['a', 'cat'\] of type list \(at index 0\); strings"),
}


@pytest.mark.parametrize("what", BAD_DATA)
@both
def test_bad_documents_are_refused_with_what_came_and_what_was_expected(what, weighting):
    data, error, message = BAD_DATA[what]
    calls = [gm.BagOfWords(weighting).fit, gm.BagOfWords(weighting), FITTED.features, FITTED.diag]
    calls.append(gm.BagOfWords(weighting).normalize().center)
    if data is not None:
        calls.append(lambda given: FITTED(CORPUS, given))
    for call in calls:
        with pytest.raises(error, match=message):
            call(data)


@pytest.mark.parametrize(
    ("kernel", "corpus"),
    [
        (gm.BagOfWords(stop_words="english"), ["the and of", "on the"]),
        (gm.BagOfWords(), ["", ""]),
        (gm.BagOfWords(), ["a", "! ?"]),
        (gm.BagOfWords(min_df=3), ["one two", "three four", "five"]),
        (gm.BagOfWords("tf-idf", max_df=1), ["one two", "one two"]),
    ],
)
def test_corpus_that_leaves_no_words_is_refused(kernel, corpus):
    with pytest.raises(ValueError, match=f"no vocabulary can be made of these {len(corpus)} documents"):
        kernel.fit(corpus)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"weighting": "binary"}, ValueError, "weighting is 'binary'; 'tf' or 'tf-idf' expected"),
        ({"weighting": None}, ValueError, "weighting is None; 'tf' or 'tf-idf' expected"),
        ({"vocabulary": []}, ValueError, "vocabulary is empty; at least one term expected"),
        ({"vocabulary": ["cat", "cat"]}, ValueError, "vocabulary has a term twice; each once expected"),
        ({"vocabulary": "cat"}, TypeError, "vocabulary is 'cat'; a list of terms expected, each a string"),
        ({"vocabulary": ["cat", 3]}, TypeError, "a list of terms expected, each a string"),
        ({"vocabulary": ["cat"], "idf": [1.0, 2.0]}, ValueError, r"idf has shape \(2,\); one number for each term"),
        ({"vocabulary": ["cat"], "idf": 1.0}, ValueError, r"idf has shape \(\); one number for each term"),
        ({"idf": [1.0]}, ValueError, r"idf has shape \(1,\); one number for each term of a vocabulary expected"),
    ],
    ids=repr,
)
def test_bad_arguments_are_refused_with_what_came_and_what_was_expected(given, error, message):
    with pytest.raises(error, match=message):
        gm.BagOfWords(**given)


@pytest.mark.parametrize(
    "ask",
    [
        lambda k: k(CORPUS, NEW),
        lambda k: k.gram(CORPUS, NEW),
        lambda k: k.encode(CORPUS),
        lambda k: k.features(CORPUS),
        lambda k: (k.normalize() + gm.Spectrum(2))(CORPUS, NEW),
    ],
)
@pytest.mark.parametrize("kernel", [gm.BagOfWords(), gm.BagOfWords("tf-idf", vocabulary=["cat"])], ids=repr)
def test_kernel_without_a_corpus_is_refused_where_there_is_none_to_take(ask, kernel):
    with pytest.raises(ValueError, match=r"has no .* yet: fit it on a corpus first, k = k.fit\(X\)"):
        ask(kernel)


def test_terms_of_a_kernel_without_a_corpus_are_refused():
    with pytest.raises(ValueError, match="has no vocabulary yet: fit it on a corpus first"):
        gm.BagOfWords().terms()


def test_document_without_known_words_has_no_direction():
    k = gm.BagOfWords("tf-idf").normalize().fit(CORPUS)
    with pytest.raises(ValueError, match=r"φ\(x\) = 0 for 2 object\(s\), first at index 1.*cannot be normalized"):
        k(["the cat", "lions", ""], CORPUS)
    assert (gm.BagOfWords() + 1).normalize().fit(CORPUS)(["lions"]).item() == 1


@pytest.mark.parametrize("weighting", ["tf", "tf-idf"])
def test_a_document_is_cut_into_words_once_to_learn_from_it_and_once_to_encode_it(weighting):
    cut = Counter()

    def words(text):
        cut[text] += 1
        return text.split()

    kernel = gm.BagOfWords(weighting, tokenizer=words, lowercase=False).fit(CORPUS)
    assert cut == Counter(CORPUS)
    kernel.encode(CORPUS)
    assert cut == Counter(CORPUS * 2)
