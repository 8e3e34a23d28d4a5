"""The kernel of categories: one for equal objects, zero for others."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm

claims = settings(max_examples=40, deadline=None, derandomize=True, database=None)
K = gm.Equality()
things = st.sampled_from(["red", "blue", "", "😀", 0, 1, 2.5, (1, "a"), (), b"red", frozenset("ab"), True, "1"])


@claims
@given(st.lists(things, min_size=1, max_size=7), st.lists(things, min_size=1, max_size=7))
def test_objects_that_python_calls_equal_have_the_value_one_and_others_zero(X, Z):
    np.testing.assert_array_equal(K(X), [[float(x == z) for z in X] for x in X])
    np.testing.assert_array_equal(K(X, Z), [[float(x == z) for z in Z] for x in X])
    np.testing.assert_array_equal(K.diag(X), np.ones(len(X)))


def test_strings_are_compared_whole_and_not_by_their_letters():
    np.testing.assert_array_equal(K(["ab", "ba", "ab", "a"]), [[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]])


def test_features_mark_the_value_of_each_object():
    X = ["red", "blue", "red", 3]
    assert K.feature_names(X) == ["red", "blue", "3"]
    np.testing.assert_array_equal(K.features(X), [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]])
    assert K.features(X).dtype == np.float64


def test_many_values_are_counted_in_a_sparse_table():
    X = [f"id{i}" for i in range(300)]
    np.testing.assert_array_equal(K(X, X[::2]), np.eye(300)[:, ::2])
    assert K.features(X).nnz == 300


def test_it_is_a_value_of_norm_one_that_needs_no_fit():
    assert K.radius == 1
    assert K.non_negative
    assert not K.on_vectors
    assert K.fit(["a"]) is K
    assert gm.Equality() == K
    assert repr(2 * K + 1) == "2 * Equality() + 1"


@pytest.mark.parametrize("form", [tuple, np.array, pd.Series, pd.Index, lambda x: pd.Series(x, dtype="category")])
@pytest.mark.parametrize("X", [["a", "b", "a"], [3, 4, 3], [0.5, 1.5, 0.5]], ids=repr)
def test_categories_may_come_in_any_flat_collection(form, X):
    np.testing.assert_array_equal(K(form(X)), K(X))
    np.testing.assert_array_equal(K(form(X), X), K(X))


def test_times_are_categories_too():
    X = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-01"]))
    np.testing.assert_array_equal(K(X), K(["a", "b", "a"]))


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ("red", TypeError, r"X is 'red'; a list of categories expected: pass \[X\] if it is one object"),
        (b"red", TypeError, "X is b'red'; a list of categories expected"),
        (None, TypeError, "X is None; a list of categories expected"),
        (5, TypeError, "X is 5; a list of categories expected"),
        (np.eye(2), TypeError, "X has 2 dimensions; a flat list of categories expected"),
        (pd.DataFrame({"a": [1]}), TypeError, "X is a DataFrame; a list of categories expected"),
        (np.array("red"), TypeError, "X has 0 dimensions; a flat list of categories expected"),
        ([], ValueError, "X is empty; at least one"),
        (
            ["red", None],
            ValueError,
            r"X holds None \(at index 1\), a missing value; drop it or give it a name of its own",
        ),
        ([1.0, np.nan], ValueError, r"X holds nan \(at index 1\), a missing value"),
        ([pd.NA], ValueError, r"X holds <NA> \(at index 0\), a missing value"),
        ([["red"], ["blue"]], TypeError, "hashable.*unhashable type: 'list'"),
        ([{"a": 1}], TypeError, "hashable.*unhashable type: 'dict'"),
    ],
    ids=lambda given: repr(given)[:25],
)
def test_what_is_not_a_list_of_categories_is_refused(X, error, message):
    for ask in (K, K.diag, K.features, K.center):
        with pytest.raises(error, match=message):
            ask(X)
