"""Encodings: slicing, joining, and what makes two of them comparable."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian import Encoded

A = np.arange(12.0).reshape(6, 2)
g = np.arange(6.0)
S = scipy.sparse.csr_array(A)


def test_length_is_the_number_of_objects_however_deeply_nested():
    assert len(Encoded((A,))) == 6
    assert len(Encoded((Encoded((Encoded((S,)), g)), g))) == 6


@settings(deadline=None)
@given(st.one_of(st.slices(6), st.lists(st.integers(-6, 5), min_size=1, max_size=8).map(np.array)))
def test_an_index_selects_the_same_objects_of_every_part(index):
    chosen = Encoded((Encoded((S, A)), g))[index]
    (sparse, dense), numbers = chosen
    assert np.array_equal(dense, A[index])
    assert np.array_equal(sparse.toarray(), A[index])
    assert np.array_equal(numbers, g[index])


def test_concat_puts_the_objects_of_the_other_after_these():
    a = Encoded((Encoded((S, A)), g))
    (sparse, dense), numbers = a[:2].concat(a[4:])
    expected = A[[0, 1, 4, 5]]
    assert np.array_equal(dense, expected)
    assert np.array_equal(sparse.toarray(), expected)
    assert np.array_equal(numbers, [0.0, 1.0, 4.0, 5.0])


@settings(deadline=None)
@given(st.integers(0, 6))
def test_cutting_and_joining_gives_the_same_encoding(k):
    a = Encoded((Encoded((S, A)), g))
    (sparse, dense), numbers = a[:k].concat(a[k:])
    assert np.array_equal(dense, A)
    assert np.array_equal(sparse.toarray(), A)
    assert np.array_equal(numbers, g)


def test_encodings_with_different_numbers_of_parts_do_not_join():
    with pytest.raises(ValueError, match="do not fit together"):
        Encoded((A,)).concat(Encoded((A, g)))


def test_signature_is_the_widths_of_the_parts_and_not_the_number_of_objects():
    a = Encoded((Encoded((A,)), g))
    assert a.signature == (((2,),), ())
    assert a[:1].signature == a.signature
    assert Encoded((S,)).signature == Encoded((A,)).signature
    assert Encoded((A[:, :1],)).signature != Encoded((A,)).signature


@pytest.mark.parametrize("kernel", [gm.Gaussian(), gm.Linear(), gm.Gaussian() + gm.Linear(), gm.Linear().normalize()])
def test_objects_of_different_widths_are_not_compared(kernel):
    with pytest.raises(ValueError, match="X and Z do not fit together"):
        kernel.gram(np.ones((3, 2)), np.ones((4, 5)))


def test_the_message_names_both_widths():
    with pytest.raises(ValueError, match="3 objects with 2 features against 4 objects with 5 features"):
        gm.Gaussian().gram(np.ones((3, 2)), np.ones((4, 5)))


def test_a_sum_of_many_kernels_costs_no_more_than_its_terms():
    kernel = gm.Linear()
    for k in range(60):
        kernel = kernel + gm.Gaussian(1.0 + k)
    X = np.random.default_rng(0).standard_normal((4, 2))
    expected = X @ X.T + sum(gm.Gaussian(1.0 + k)(X) for k in range(60))
    np.testing.assert_allclose(kernel(X), expected, rtol=1e-12)
