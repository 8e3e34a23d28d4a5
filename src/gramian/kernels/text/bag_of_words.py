"""Documents as bags of words: the vector space model.

    tf        φ_t(d) = number of times the term t occurs in the document d
    tf-idf    φ_t(d) = that, times log((1 + n) / (1 + n_t)) + 1, n_t of n documents of the corpus having the term

With D the matrix of documents by terms, documents are compared by D Dᵀ and terms by Dᵀ D. Vocabulary and weights are
those of the corpus that the kernel was fitted on: new documents are weighted by it, and words it has not are ignored.
Words are found and counted by scikit-learn's vectorizers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any, Self

import numpy as np
import scipy.sparse

from gramian.checks import Array, as_array, whole
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Dot, Formula
from gramian.gram.traits import Traits
from gramian.kernels.declared import FLAG, INTEGER, MAYBE_ARRAY, NONE, NUMBER, TEXT, Kept, Word
from gramian.kernels.dotproduct import DotProduct
from gramian.kernels.strings.sequences import is_missing, ordered

WEIGHTINGS = ("tf", "tf-idf")


class BagOfWords(DotProduct):
    """Documents compared by the words they share.

    Parameters
    ----------
    weighting : "tf" or "tf-idf"
        Plain counts, or counts times the rarity of the term in the corpus. Documents of different lengths are best
        compared with ``BagOfWords("tf-idf").normalize()``, which is scikit-learn's ``TfidfVectorizer``.
    lowercase, stop_words, ngram_range, analyzer, tokenizer, min_df, max_df, max_features
        As in scikit-learn's ``CountVectorizer``.
    vocabulary : sequence of str, optional
        The terms that count. By default those of the corpus the kernel is fitted on.
    idf : array, optional
        The weights of the terms, for "tf-idf". By default those of the corpus the kernel is fitted on.

    Raises
    ------
    ValueError
        If `weighting` is unknown, or no term is left to count.

    See Also
    --------
    read_texts : the texts of a folder
    Spectrum : substrings of one length
    GramRows : rows of K for support vector machines

    Notes
    -----
    Cost: O(total length) to count the words, and one sparse product for K.

    Examples
    --------
    >>> import gramian as gm
    >>> corpus = ["the cat sat on the mat", "the dog sat", "a mat for the cat"]
    >>> gm.BagOfWords()(corpus)
    array([[8., 3., 4.],
           [3., 3., 1.],
           [4., 1., 4.]])
    >>> k = gm.BagOfWords("tf-idf").fit(corpus)
    >>> k.terms()
    ['cat', 'dog', 'for', 'mat', 'on', 'sat', 'the']
    >>> k.document_term(["cat and dog"]).toarray().round(2)        # weighted by the corpus, which has no "and"
    array([[1.29, 1.69, 0.  , 0.  , 0.  , 0.  , 0.  ]])
    """

    weighting: str = "tf"
    lowercase: bool = True
    stop_words: str | Sequence[str] | None = None
    ngram_range: tuple[int, int] = (1, 1)
    analyzer: str = "word"
    tokenizer: Callable[[str], list[str]] | None = None
    min_df: float = 1
    max_df: float = 1.0
    max_features: int | None = None
    vocabulary: Sequence[str] | None = None
    idf: Array | None = None

    traits = Traits(non_negative=True)
    word = Word(
        "documents",
        "κ(x, z) = Σ_t w_t² (number of t in x) (number of t in z)",
        'Shared words; "tf-idf" gives rare ones more weight.',
        'normalize(bag_of_words("tf-idf", ngram_range=(1, 2)))',
    )
    kept = Kept(
        {
            "weighting": TEXT,
            "lowercase": FLAG,
            "stop_words": (str, tuple, NONE),
            "ngram_range": (tuple,),
            "analyzer": TEXT,
            "tokenizer": (NONE,),
            "min_df": NUMBER,
            "max_df": NUMBER,
            "max_features": (*INTEGER, NONE),
            "vocabulary": (tuple, NONE),
            "idf": MAYBE_ARRAY,
        }
    )

    def __post_init__(self) -> None:
        if self.weighting not in WEIGHTINGS:
            raise ValueError(f"weighting is {self.weighting!r}; {' or '.join(map(repr, WEIGHTINGS))} expected")
        if self.stop_words is not None and not isinstance(self.stop_words, str):
            self._settle(stop_words=_as_terms(self.stop_words, "stop_words"))
        shortest, longest = (whole(n, "ngram_range") for n in _pair(self.ngram_range))
        if shortest > longest:
            raise ValueError(f"ngram_range is {self.ngram_range}; the shorter length first expected")
        self._settle(ngram_range=(shortest, longest))
        if self.vocabulary is not None:
            self._settle(vocabulary=_as_terms(self.vocabulary, "vocabulary"))
        if self.idf is not None:
            self._settle(idf=as_array(self.idf, "the weights idf").astype(np.float64))
            if not np.isfinite(self.idf).all():
                raise ValueError("idf holds a number that is not finite; finite weights expected")
            if self.vocabulary is None or self.idf.shape != (len(self.vocabulary),):
                raise ValueError(f"idf has shape {self.idf.shape}; one number for each term of a vocabulary expected")

    @property
    def formula(self) -> Formula:
        return Dot()

    def _options(self) -> dict[str, Any]:
        names = ("lowercase", "stop_words", "ngram_range", "analyzer", "tokenizer", "min_df", "max_df", "max_features")
        options = {name: getattr(self, name) for name in names}
        if self.tokenizer is not None:
            options["token_pattern"] = None
        if isinstance(self.stop_words, tuple):
            options["stop_words"] = list(self.stop_words)
        return options

    @staticmethod
    def _vectorizers() -> Any:
        return import_module("gramian.kernels.text.vectorizers")

    def fit(self, X: Any) -> Self:
        """Return this kernel with the vocabulary, and for "tf-idf" the weights, of the corpus X."""
        if self.vocabulary is not None and (self.idf is not None or self.weighting == "tf"):
            return self
        texts, tools = as_documents(X), self._vectorizers()
        if self.vocabulary is None:
            vocabulary, counts = tools.learn_vocabulary(texts, self._options())
        else:
            vocabulary, counts = self.vocabulary, tools.count_terms(texts, self.vocabulary, self._options())
        if self.weighting == "tf":
            return self.with_params(vocabulary=vocabulary)
        return self.with_params(vocabulary=vocabulary, idf=tools.rarity(counts))

    def encode(self, X: Any) -> Encoded:
        if self.vocabulary is None or (self.idf is None and self.weighting == "tf-idf"):
            lacking = "vocabulary" if self.vocabulary is None else "idf"
            raise ValueError(f"BagOfWords() has no {lacking} yet: fit it on a corpus first, k = k.fit(X)")
        counts = self._vectorizers().count_terms(as_documents(X), self.vocabulary, self._options())
        weighted = counts if self.weighting == "tf" else counts @ scipy.sparse.diags_array(self.idf)
        return Encoded((scipy.sparse.csr_array(weighted),))

    def feature_dim(self, a: Encoded) -> int | None:
        return int(a.parts[0].shape[1])

    def phi(self, a: Encoded) -> Any:
        return a.parts[0]

    def feature_names(self, inputs: Sequence[str] = ()) -> list[str]:
        """Return the terms; those of the corpus `inputs` where the kernel has none yet."""
        return self.terms() if self.vocabulary is not None else self.fit(inputs).terms()

    def named(self, a: Encoded, columns: Sequence[str] = ()) -> list[str]:
        return self.terms()

    def terms(self) -> list[str]:
        """Return the terms, in the order of the columns."""
        if self.vocabulary is None:
            raise ValueError("BagOfWords() has no vocabulary yet: fit it on a corpus first, k = k.fit(X)")
        return list(self.vocabulary)

    def document_term(self, X: Any) -> Any:
        """Return D, documents by terms, sparse; the vocabulary is that of X where the kernel has none yet."""
        return self.fit(X).features(X)

    def term_document(self, X: Any) -> Any:
        """Return Dᵀ, terms by documents, sparse."""
        return self.document_term(X).T.tocsr()

    def document_document(self, X: Any) -> Array:
        """Return D Dᵀ, how documents compare by the terms they share: κ itself."""
        return self(X)

    def term_term(self, X: Any) -> Any:
        """Return Dᵀ D, sparse: how terms compare by the documents they share."""
        D = self.document_term(X)
        return (D.T @ D).tocsr()

    def __repr__(self) -> str:
        defaults = {name: getattr(type(self), name) for name in self.params()}
        unlike = {name: v for name, v in self.params().items() if v is not defaults[name]}
        shown = {name: v for name, v in unlike.items() if name in ("vocabulary", "idf") or v != defaults[name]}
        shown.pop("weighting", None)
        if self.vocabulary is not None:
            shown["vocabulary"] = f"<{len(self.vocabulary)} terms>"
        shown.pop("idf", None)
        rest = [f"{name}={v if name == 'vocabulary' else repr(v)}" for name, v in shown.items()]
        return f"BagOfWords({', '.join([f'weighting={self.weighting!r}', *rest])})"


def as_documents(X: Any) -> list[str]:
    """Return documents as a list of strings.

    Raises
    ------
    TypeError
        If X is a single string, or holds anything but strings.
    ValueError
        If X is empty, or holds missing values.
    """
    if isinstance(X, str | bytes):
        raise TypeError(f"X is a single {type(X).__name__}; a list of documents expected: pass [X] if it is one")
    ordered(X, "documents")
    if not isinstance(X, Iterable) or getattr(X, "ndim", 1) != 1:
        raise TypeError(f"X is a {type(X).__name__}; a flat list of documents expected, each a string")
    texts = list(X)
    if not texts:
        raise ValueError("X is empty; at least one document expected")
    for place, text in enumerate(texts):
        if is_missing(text):
            raise ValueError(f"X holds {text!r} (at index {place}), a missing value; drop it or put an empty string")
        if not isinstance(text, str):
            raise TypeError(f"X holds {text!r} of type {type(text).__name__} (at index {place}); strings expected")
    return texts


def _as_terms(given: Any, name: str) -> tuple[str, ...]:
    terms = tuple(given) if isinstance(given, Iterable) else ()
    if isinstance(given, str) or not isinstance(given, Iterable) or not all(isinstance(term, str) for term in terms):
        raise TypeError(f"{name} is {given!r}; a list of terms expected, each a string")
    if not terms:
        raise ValueError(f"{name} is empty; at least one term expected")
    if len(set(terms)) < len(terms) and name == "vocabulary":
        raise ValueError(f"{name} has a term twice; each once expected")
    return terms


def _pair(given: Any) -> tuple[Any, Any]:
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
        raise TypeError(f"ngram_range is {given!r}; a pair of lengths such as (1, 2) expected")
    return given[0], given[1]
