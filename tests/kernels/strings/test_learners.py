"""Every learner learns from a list of strings with the string kernels of the package."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline

import gramian as gm

from ...learn import conftest as learn  # noqa: TID252

pytestmark = learn.few_objects

SPECTRUM = gm.Spectrum(2)
PREDICTORS = [learner for learner in learn.LEARNERS if hasattr(learner.make(SPECTRUM), "predict")]
COORDINATES = [learn.LEARN[name] for name in ("pca-number", "gram-schmidt-greedy", "gram-schmidt-random", "kmeans")]
NEW = [*learn.words(learn.N + 6)[learn.N :], "xyz", "", "abé😀"]  # with symbols that nobody has learnt, and without any


def counts(kernel, known, new):
    """The counts of all pieces in known and in new words, as two tables."""
    Phi = kernel.features(known + new)
    Phi = Phi.toarray() if hasattr(Phi, "toarray") else Phi
    return Phi[: len(known)].astype(float), Phi[len(known) :].astype(float)


# Words of few letters have equal distances from two centres, and rounding leads k-means to one or the other.
WITHOUT_TIES = [learner for learner in learn.LEARNERS if learner.name != "kmeans"]


@pytest.mark.parametrize("learner", WITHOUT_TIES, ids=repr)
@pytest.mark.parametrize("kernel", [SPECTRUM, gm.Composition()], ids=repr)
def test_words_are_learnt_from_as_their_counts_are(learner, kernel):
    known, new = counts(kernel, learn.words(), NEW)
    from_words, from_counts = learner.fitted(kernel, learn.words()), learner.fitted(gm.Linear(), known)
    learn.assert_same_answers(from_counts, from_words, new, NEW, tol=1e-6)


@learn.every_learner
@pytest.mark.parametrize(
    "kernel",
    [gm.AllSubsequences().normalize(), gm.Subsequences(2, 0.5), gm.FullSpectrum()],
    ids=repr,
)
def test_words_are_learnt_from_with_every_kernel(learner, kernel):
    model = learner.fitted(kernel, learn.words())
    for name, found in learn.answers(model, NEW).items():
        assert len(found) == len(NEW)
        if name == "predict_interval":  # infinite where the sample is interpolated, and so promises nothing
            assert (found[:, 0] <= found[:, 1]).all()
        else:
            assert found.dtype.kind != "f" or np.isfinite(found).all()


@learn.every_learner
@pytest.mark.parametrize("given", [np.array, pd.Series], ids=["array", "series"])
def test_words_may_come_in_any_flat_collection(learner, given):
    model = learner.fitted(SPECTRUM, learn.words())
    learn.assert_same_answers(model, learner.fitted(SPECTRUM, given(learn.words())), NEW, given(NEW))


@learn.every_learner
def test_answer_about_a_word_does_not_depend_on_the_words_asked_with_it(learner):
    model = learner.fitted(SPECTRUM, learn.words())
    together = learn.answers(model, NEW)
    for i in (0, 6, 7, 8):
        for name, alone in learn.answers(model, NEW[i : i + 1]).items():
            if alone.dtype.kind == "f":
                np.testing.assert_allclose(alone[0], together[name][i], atol=1e-9 * (1 + abs(together[name]).max()))
            else:
                assert alone[0] == together[name][i]


@pytest.mark.parametrize("learner", PREDICTORS, ids=repr)
def test_words_are_cross_validated(learner):
    X, y = learn.words(), learner.y()
    found = cross_val_predict(learner.make(SPECTRUM), X, y, cv=learn.halves())
    for train, test in learn.halves():
        model = learner.make(SPECTRUM).fit([X[i] for i in train], None if y is None else y[train])
        np.testing.assert_array_equal(found[test], model.predict([X[i] for i in test]))


@pytest.mark.parametrize("learner", learn.CLASSIFIERS, ids=repr)
@pytest.mark.parametrize("kernel", [gm.Spectrum(1), gm.AllSubsequences().normalize()], ids=repr)
def test_the_languages_of_unseen_words_are_told_apart(learner, kernel):
    assert cross_val_score(learner.make(kernel), learn.words(), learn.labels(), cv=4).mean() > 0.8


@pytest.mark.parametrize("learner", COORDINATES, ids=repr)
def test_a_linear_model_learns_the_languages_from_coordinates_of_words(learner):
    model = make_pipeline(learner.make(gm.Spectrum(1)), LogisticRegression())
    assert cross_val_score(model, learn.words(), learn.labels(), cv=4).mean() > 0.75


def spread(model, X, y=None):
    """A score that any learner has: how far apart its answers about held-out objects are."""
    return float(sum(np.ptp(found) for found in learn.answers(model, X).values() if found.dtype.kind == "f"))


@learn.every_learner
def test_a_grid_search_reaches_the_length_of_the_pieces(learner):
    grid = {f"{learner.path}__length": [1, 2, 3]}
    search = GridSearchCV(learner.make(SPECTRUM), grid, cv=3, scoring=spread, error_score="raise")
    search.fit(learn.words(), learner.y())
    scores = search.cv_results_["mean_test_score"]
    assert len(set(scores)) == 3
    assert search.best_estimator_.get_params()[learner.path] == gm.Spectrum(1 + int(np.argmax(scores)))
    learn.answers(search, NEW)


@pytest.mark.parametrize("learner", learn.CLASSIFIERS[:3], ids=repr)
def test_a_grid_search_finds_the_length_that_tells_the_classes_apart(learner):
    """Both classes have the same letters, and pairs of letters in another order."""
    rng = np.random.default_rng(0)
    X = ["".join(rng.permutation(["ab", "cd"] * 3 if i % 2 else ["ba", "dc"] * 3)) for i in range(40)]
    y = np.arange(40) % 2
    search = GridSearchCV(learner.make(gm.Spectrum(1)), {"kernel__length": [1, 2]}, cv=4, error_score="raise")
    search.fit(X, y)
    assert search.best_params_ == {"kernel__length": 2}
    assert search.best_score_ > 0.95
    assert search.cv_results_["mean_test_score"][0] < 0.7


@learn.every_learner
def test_learners_of_words_are_cloned_and_pickled(learner):
    model = learner.fitted(SPECTRUM, learn.words())
    for twin in (pickle.loads(pickle.dumps(model)), clone(model).fit(learn.words(), learner.y())):
        learn.assert_same_answers(model, twin, NEW)


@pytest.mark.parametrize("learner", learn.NOT_SEARCHES, ids=repr)
def test_gram_of_words_is_learnt_from_as_the_words_are(learner):
    model, gram = learner.fitted(SPECTRUM, learn.words()), SPECTRUM.gram(learn.words())
    of_gram = learner.make(SPECTRUM).fit(gram, learner.y())
    learn.assert_same_answers(model, of_gram, NEW, tol=1e-9)


@learn.every_learner
def test_words_that_are_none_are_refused_by_learners(learner):
    model = learner.make(SPECTRUM)
    with pytest.raises(ValueError, match=r"X holds None \(at index \d+\), a missing value"):
        model.fit([*learn.words()[:3], None, *learn.words()[4:]], learner.y())
    with pytest.raises(ValueError, match=r"X holds nan \(at index 1\), a missing value"):
        learn.answers(learner.fitted(SPECTRUM, learn.words()), ["ab", np.nan])
