"""scikit-learn's vectorizers, which cut documents into words and count them. Loaded when the first text comes in."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from gramian.checks import Array


def learn_vocabulary(texts: list[str], options: dict[str, Any]) -> tuple[tuple[str, ...], Any]:
    """Return the terms that occur in texts, in alphabetical order, and how often each occurs in each text."""
    vectorizer = CountVectorizer(**options, dtype=np.float64)
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError as error:
        raise ValueError(f"no vocabulary can be made of these {len(texts)} documents: {error}") from None
    return tuple(map(str, vectorizer.get_feature_names_out())), counts.tocsr()


def count_terms(texts: list[str], vocabulary: tuple[str, ...], options: dict[str, Any]) -> Any:
    """Return how often each term occurs in each text, a sparse array of one row per text."""
    kept = {name: value for name, value in options.items() if name not in ("min_df", "max_df", "max_features")}
    return CountVectorizer(**kept, vocabulary=vocabulary, dtype=np.float64).transform(texts).tocsr()


def rarity(counts: Any) -> Array:
    """Return the inverse document frequencies, log((1 + n) / (1 + number of documents with the term)) + 1."""
    return np.asarray(TfidfTransformer(norm=None).fit(counts).idf_)
