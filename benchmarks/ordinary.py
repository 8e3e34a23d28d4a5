"""Tables, strings, documents, graphs and mixed records of ordinary size: what a user fits, and would fit instead.

A row is a learner with its defaults on one kind of objects, beside what one would pick otherwise. The sweep
(sweep.py) measures each at sizes from 100 to 40,000, in processes of their own. It is the fit that is measured; where
the peer leaves its work for later, what comes later is measured with it, on both sides.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import gramian as gm

Data = tuple[Any, Any]
Make = Callable[[], Any]


@dataclass(frozen=True)
class Row:
    """One learner, and its peer; `most` is the size beyond which it is not asked for, with the reason in `why`.

    `then` is what is asked after the fit, of as many objects: by default nothing.
    """

    what: str
    peer: str
    data: Callable[[int], Data]
    ours: Make
    theirs: Make
    most: int = 40_000
    why: str = ""
    then: tuple[str, int] | None = None


# Data


@cache
def table(n: int, classes: int) -> Data:
    """Thirty standardized columns and classes, of which ten columns tell something."""
    from sklearn.datasets import make_classification
    from sklearn.preprocessing import StandardScaler

    X, y = make_classification(n, 30, n_informative=10, n_classes=classes, random_state=0)
    return StandardScaler().fit_transform(X), y


def numbers(n: int) -> Data:
    """The same columns and a smooth function of some, with noise."""
    X, _ = table(n, 2)
    return X, X[:, 0] * X[:, 1] + np.sin(X[:, 2]) + 0.1 * np.random.default_rng(0).standard_normal(n)


def unlabelled(n: int) -> Data:
    return table(n, 2)[0], None


@cache
def sequences(n: int) -> Data:
    """DNA of 80 letters, of two classes that use their letters a little differently."""
    rng = np.random.default_rng(0)
    y, letters = rng.integers(0, 2, n), np.array(list("ACGT"))
    shares = np.array([[0.25, 0.25, 0.25, 0.25], [0.29, 0.21, 0.21, 0.29]])
    places = (rng.random((n, 80, 1)) > shares[y].cumsum(axis=1)[:, None, :-1]).sum(axis=2)
    return ["".join(row) for row in letters[places]], y


@cache
def documents(n: int) -> Data:
    """Documents of 120 words of a vocabulary of 5,000, by Zipf's law; one class prefers some of them."""
    rng, size = np.random.default_rng(0), 5_000
    usual = 1 / np.arange(1, size + 1)
    usual /= usual.sum()
    other = 0.9 * usual + 0.1 * np.roll(usual, 40)
    y, words = rng.integers(0, 2, n), np.array([f"w{k}" for k in range(size)])
    chosen = [rng.choice(size, 120, p=other if label else usual) for label in y]
    return [" ".join(words[row]) for row in chosen], y


@cache
def nodes(n: int) -> Data:
    """A graph of ten groups whose nodes have eight neighbours each, six of them in their own group."""
    import scipy.sparse

    rng = np.random.default_rng(0)
    group = np.arange(n) % 10
    heads = np.repeat(np.arange(n), 4)
    far, near = rng.integers(0, n, heads.size), rng.integers(0, max(n // 10, 1), heads.size) * 10 + group[heads]
    tails = np.where(rng.random(heads.size) < 0.75, np.minimum(near, n - 1), far)
    kept = heads != tails
    A = scipy.sparse.coo_array((np.ones(kept.sum()), (heads[kept], tails[kept])), shape=(n, n)).tocsr()
    A = A + A.T
    A.data[:] = 1.0
    A.indices, A.indptr = A.indices.astype(np.int32), A.indptr.astype(np.int32)  # which the peer asks for
    return A, group


@cache
def records(n: int) -> Data:
    """Numbers beside categories."""
    import pandas as pd

    X, y = table(n, 2)
    found = pd.DataFrame(X[:, :10], columns=[f"x{k}" for k in range(10)])
    found["color"] = np.array(["red", "green", "blue"])[np.digitize(X[:, 10], [-0.4, 0.4])]
    return found, y


# Learners


def _gaussian_classes() -> Any:
    from sklearn.svm import SVC

    return SVC()


def _words_then(size: tuple[int, int], estimator: Make) -> Make:
    def make() -> Any:
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.pipeline import make_pipeline

        return make_pipeline(CountVectorizer(analyzer="char", ngram_range=size, lowercase=False), estimator())

    return make


def _tfidf_then(estimator: Make) -> Make:
    def make() -> Any:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.pipeline import make_pipeline

        return make_pipeline(TfidfVectorizer(), estimator())

    return make


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


def _svr() -> Any:
    from sklearn.svm import SVR

    return SVR()


def _trees() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier()


def _kernel_pca() -> Any:
    from sklearn.decomposition import KernelPCA

    return KernelPCA(10, kernel="rbf")


def _kmeans() -> Any:
    from sklearn.cluster import KMeans

    return KMeans(10, n_init=10)


def _forest_of_novelty() -> Any:
    from sklearn.ensemble import IsolationForest

    return IsolationForest()


def _nystroem() -> Any:
    from sklearn.kernel_approximation import Nystroem

    return Nystroem()


def _neighbors() -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier()


def _searched() -> Any:
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.model_selection import GridSearchCV

    return GridSearchCV(KernelRidge(kernel="rbf"), {"gamma": [0.01, 0.03, 0.1], "alpha": [0.01, 0.1, 1.0]})


def _svd() -> Any:
    from sklearn.decomposition import TruncatedSVD

    return TruncatedSVD(2)


def _spectral() -> Any:
    from sklearn.manifold import SpectralEmbedding

    return SpectralEmbedding(2, affinity="precomputed")


def _encoded_then() -> Any:
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    return make_pipeline(make_column_transformer((OneHotEncoder(), ["color"]), remainder="passthrough"), _trees())


def _mixed() -> Any:
    numeric = gm.Gaussian(3.0).on(*(f"x{k}" for k in range(10)))
    return gm.FisherDiscriminant(numeric * (1 + gm.Equality().on("color")))


def _two(n: int) -> Data:
    return table(n, 2)


def _six(n: int) -> Data:
    return table(n, 6)


ROWS = {
    "ridge": Row("KernelRidge(), a table", "SVR()", numbers, gm.KernelRidge, _svr),
    "classifier": Row("KernelClassifier(), 2 classes", "SVC()", _two, gm.KernelClassifier, _gaussian_classes),
    "fisher2": Row("FisherDiscriminant(), 2 classes", "SVC()", _two, gm.FisherDiscriminant, _gaussian_classes),
    "fisher6": Row("FisherDiscriminant(), 6 classes", "SVC()", _six, gm.FisherDiscriminant, _gaussian_classes),
    "fisher_trees": Row(
        "FisherDiscriminant(), 6 classes", "HistGradientBoostingClassifier()", _six, gm.FisherDiscriminant, _trees
    ),
    "parzen": Row(
        "ParzenClassifier(), 2 classes, with 1,000 predicted",
        "KNeighborsClassifier()",
        _two,
        gm.ParzenClassifier,
        _neighbors,
        then=("predict", 1000),
    ),
    "pca": Row(
        "KernelPCA(10), a table", "KernelPCA(10, kernel='rbf')", unlabelled, lambda: gm.KernelPCA(10), _kernel_pca
    ),
    "kmeans": Row("KernelKMeans(10), a table", "KMeans(10)", unlabelled, lambda: gm.KernelKMeans(10), _kmeans),
    "novelty": Row(
        "NoveltyDetector(), a table", "IsolationForest()", unlabelled, gm.NoveltyDetector, _forest_of_novelty
    ),
    "gram_schmidt": Row(
        "GramSchmidt(100), a table, with its features",
        "Nystroem(100)",
        unlabelled,
        lambda: gm.GramSchmidt(rank=100),
        _nystroem,
        then=("transform", 40_000),
    ),
    "search": Row(
        "KernelSearch(KernelRidge()), a table",
        "GridSearchCV of 9 ridge regressions",
        numbers,
        lambda: gm.KernelSearch(gm.KernelRidge()),
        _searched,
    ),
    "spectrum": Row(
        "FisherDiscriminant, Spectrum(4), DNA",
        "CountVectorizer(4) + LogisticRegression",
        sequences,
        lambda: gm.FisherDiscriminant(gm.Spectrum(4).normalize()),
        _words_then((4, 4), _logistic),
    ),
    "mismatch": Row(
        "FisherDiscriminant, Mismatch(5, 1), DNA",
        "CountVectorizer(5) + LogisticRegression",
        sequences,
        lambda: gm.FisherDiscriminant(gm.Mismatch(5, 1).normalize()),
        _words_then((5, 5), _logistic),
    ),
    "full_spectrum": Row(
        "FisherDiscriminant, FullSpectrum(2, 6), DNA",
        "CountVectorizer(2 to 6) + LogisticRegression",
        sequences,
        lambda: gm.FisherDiscriminant(gm.FullSpectrum(2, 6).normalize()),
        _words_then((2, 6), _logistic),
    ),
    "documents": Row(
        "FisherDiscriminant, BagOfWords tf-idf, documents",
        "TfidfVectorizer + LogisticRegression",
        documents,
        lambda: gm.FisherDiscriminant(gm.BagOfWords("tf-idf").normalize()),
        _tfidf_then(_logistic),
    ),
    "documents_pca": Row(
        "KernelPCA(2), BagOfWords tf-idf, documents",
        "TfidfVectorizer + TruncatedSVD(2)",
        documents,
        lambda: gm.KernelPCA(2, gm.BagOfWords("tf-idf").normalize()),
        _tfidf_then(_svd),
    ),
    "nodes": Row(
        "KernelPCA(2), ExponentialDiffusion, nodes",
        "SpectralEmbedding(2)",
        nodes,
        lambda: gm.KernelPCA(2),
        _spectral,
    ),
    "records": Row(
        "FisherDiscriminant, numbers and categories",
        "OneHotEncoder + HistGradientBoostingClassifier",
        records,
        _mixed,
        _encoded_then,
    ),
}


def ordinary(n: int, row: str, side: str) -> Callable[[], Any]:
    """The fit of one side of a row, and what is asked after it."""
    found = ROWS[row]
    X, y = found.data(n)
    if row == "nodes" and side == "ours":
        graph = gm.Graph(X)
        kernel = gm.ExponentialDiffusion(graph, beta=0.5)
        return lambda: gm.KernelPCA(2, kernel).fit(np.arange(n))
    model = (found.ours if side == "ours" else found.theirs)()

    def run() -> Any:
        model.fit(X) if y is None else model.fit(X, y)
        return model if found.then is None else getattr(model, found.then[0])(X[: found.then[1]])

    return run
