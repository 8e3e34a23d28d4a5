"""The mismatch kernel against its definition: every string u over the alphabet, and the places within m symbols."""

import pickle
from itertools import product
from math import comb

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.kernels.strings import mismatch

claims = settings(max_examples=60, deadline=None, derandomize=True, database=None)

X = ["ACGTAC", "AC", "", "TTGCA", "ACNTA", "NNNN", "A"]
Z = ["CGT", "XACGX", "GATTACA"]


def phi(x, length, mismatches, alphabet):
    """φ_u(x) for every u over the alphabet: the places of x whose piece differs from u in at most m symbols."""
    pieces = [tuple(x[i : i + length]) for i in range(len(x) - length + 1)]
    strings = list(product(tuple(alphabet), repeat=length))
    return np.array(
        [sum(sum(a != b for a, b in zip(piece, u, strict=True)) <= mismatches for piece in pieces) for u in strings]
    )


def table(X, Z, *given):
    return np.array([[phi(list(x), *given) @ phi(list(z), *given) for z in Z] for x in X])


def dense(counts):
    return counts.toarray() if scipy.sparse.issparse(counts) else np.asarray(counts)


# The definition

# alphabets, and symbols that occur in the data: some of which the alphabet does not have
KINDS = {
    "strings": (("AC", "ACG", "é😀", "T"), "ACGTé😀\0"),
    "bytes": ((b"AC", b"\0\xff", (65, 67)), b"ACG\0\xff"),
    "words": ((("the", "cat"), ("cat", "new york", "")), ("the", "cat", "a", "", "new york")),
    "numbers": (((0, 1), (2.5, 10**30), (-7, 1)), (0, 1, 2.5, 10**30, -1)),
}


@st.composite
def questions(draw):
    """An alphabet, and two collections of sequences of one kind whose symbols need not be in it."""
    kind = draw(st.sampled_from(sorted(KINDS)))
    alphabets, symbols = KINDS[kind]
    alphabet = draw(st.sampled_from(alphabets))
    some = st.sampled_from(list(alphabet)) | st.sampled_from(list(symbols))
    join = {"strings": "".join, "bytes": bytes}.get(kind, list)
    lists = st.lists(st.lists(some, max_size=6), min_size=1, max_size=4)
    return alphabet, [join(x) for x in draw(lists)], [join(z) for z in draw(lists)]


@claims
@given(questions(), st.integers(1, 4), st.data())
def test_mismatch_counts_places_within_m_symbols_of_every_string_over_the_alphabet(question, length, data):
    alphabet, X, Z = question
    m = data.draw(st.integers(0, length - 1))
    k, given = gm.Mismatch(length, m, alphabet), (length, m, alphabet)
    np.testing.assert_array_equal(k(X), table(X, X, *given))
    np.testing.assert_array_equal(k.diag(X), np.diagonal(table(X, X, *given)))
    np.testing.assert_array_equal(k(X, Z), table(X, Z, *given))
    np.testing.assert_array_equal(k(Z, X), table(Z, X, *given))


@claims
@given(questions(), st.integers(1, 4))
def test_mismatch_of_nothing_is_the_spectrum(question, length):
    _, X, Z = question
    alphabet = tuple({symbol: None for x in [*X, *Z] for symbol in x})
    if alphabet:
        k = gm.Mismatch(length, 0, alphabet)
        np.testing.assert_array_equal(k(X, Z), gm.Spectrum(length)(X, Z))
        np.testing.assert_array_equal(k.diag(X), gm.Spectrum(length).diag(X))


def test_strings_that_differ_in_more_than_twice_m_symbols_share_nothing():
    k = gm.Mismatch(5, 2, "ACGT")
    assert k(["AAAAA"], ["CCCCA"]).item() == 6  # u takes two of the four places from one, and two from the other
    assert k(["AAAAA"], ["CCCCC"]).item() == 0
    assert gm.Mismatch(5, 1, "ACGT")(["AAAAA"], ["CCAAA"]).item() == 2


@pytest.mark.parametrize(("length", "m", "size"), [(2, 1, 4), (3, 1, 4), (3, 2, 4), (4, 2, 3), (5, 4, 2)])
def test_a_piece_has_as_many_neighbours_as_the_alphabet_allows(length, m, size):
    k = gm.Mismatch(length, m, "ACGT"[:size])
    expected = sum(comb(length, wrong) * (size - 1) ** wrong for wrong in range(m + 1))
    assert k.diag(["A" * length]).item() == k.features(["A" * length]).shape[1] == expected


def test_value_depends_on_the_size_of_the_alphabet():
    pair = ["AA", "AC"]
    values = [gm.Mismatch(2, 1, "ACGT"[:size])(pair)[0, 1] for size in (2, 3, 4)]
    assert values == [2, 3, 4]  # AA, AC and A? for every other symbol
    assert gm.Mismatch(2, 1, "CA")(pair)[0, 1] == 2  # and not on its order


def test_unknown_symbol_matches_nothing_not_even_itself():
    k = gm.Mismatch(2, 1, "ACGT")
    assert k(["NN"], ["NN"]).item() == 0
    assert k(["NA"], ["NA"]).item() == 4  # ?A for the four symbols: the unknown one is the one that is wrong
    assert k(["NA"], ["AN"]).item() == 1
    assert gm.Mismatch(2, 0, "ACGT")(["NA"], ["NA"]).item() == 0
    assert gm.Mismatch(2, 1, "ACGTN")(["NN"], ["NN"]).item() == 9


# Features


@pytest.mark.parametrize(("length", "m"), [(1, 0), (2, 1), (3, 1), (3, 2)])
def test_features_are_the_counts_of_the_strings_that_name_them(length, m):
    k = gm.Mismatch(length, m, "GATC")
    Phi, names = dense(k.features(X)), k.feature_names(X)
    assert Phi.dtype == np.float64
    assert Phi.shape == (len(X), len(names))
    assert len(set(names)) == len(names)
    all_strings = ["".join(u) for u in product("GATC", repeat=length)]
    for row, x in zip(Phi, X, strict=True):
        expected = dict(zip(all_strings, phi(x, length, m, "GATC"), strict=True))
        assert dict(zip(names, row, strict=True)) == {u: expected[u] for u in names}
    left_out = set(all_strings) - set(names)
    assert not any(phi(x, length, m, "GATC")[all_strings.index(u)] for x in X for u in left_out)
    np.testing.assert_array_equal(Phi @ Phi.T, k(X))


def test_names_of_strings_of_tokens_have_spaces_between_them():
    assert gm.Mismatch(2, 0, ["the", "cat"]).feature_names([["the", "cat"], ["cat", "the"]]) == ["the cat", "cat the"]
    assert gm.Mismatch(1, 0, b"AC").feature_names([b"CA"]) == ["65", "67"]


@pytest.mark.parametrize("found", [["", ""], ["A", "C", "AC"], ["NNNNN"]], ids=repr)
def test_collection_without_any_piece_has_no_features_and_is_zero(found):
    k = gm.Mismatch(5, 1, "ACGT")
    np.testing.assert_array_equal(k(found), np.zeros((len(found), len(found))))
    np.testing.assert_array_equal(k(found, ["ACGTA"]), np.zeros((len(found), 1)))
    np.testing.assert_array_equal(k(["ACGTA"], found), np.zeros((1, len(found))))
    assert k.features(found).shape == (len(found), 0)
    assert k.feature_names(found) == []
    with pytest.raises(ValueError, match=r"φ\(x\) = 0 for .* cannot be normalized"):
        k.normalize()(found)


def test_counts_are_exact_where_single_precision_is_not():
    x, k = "A" * 5000, gm.Mismatch(2, 1, "AC")
    assert k([x]).item() == 3 * 4999**2
    assert k([x], ["AA"]).item() == 3 * 4999


# The alphabet


def test_fit_takes_the_alphabet_of_the_sample_and_keeps_one_that_was_given():
    k = gm.Mismatch(3, 1)
    assert k.fit(["GA", "TT"]) == gm.Mismatch(3, 1, "AGT")
    assert k.fit([b"AB"]) == gm.Mismatch(3, 1, b"AB")
    assert k.fit([["the", "cat"], ["a"]]) == gm.Mismatch(3, 1, ("the", "cat", "a"))
    assert k.alphabet is None
    given = gm.Mismatch(3, 1, "ACGT")
    assert given.fit(["XYZ"]) is given


def test_fitted_kernel_compares_new_strings_over_the_alphabet_of_its_sample():
    fitted = gm.Mismatch(2, 1).fit(["ACCA"])
    np.testing.assert_array_equal(fitted(X, Z), table(X, Z, 2, 1, "AC"))
    np.testing.assert_array_equal(gm.Mismatch(2, 1)(X), table(X, X, 2, 1, "ACGTN"))


def test_centring_settles_the_alphabet():
    centred = gm.Mismatch(2, 1).center(["ACCA", "AA"])
    assert centred.base.alphabet == "AC"
    K, C = table(X, X, 2, 1, "AC"), table(X, ["ACCA", "AA"], 2, 1, "AC")
    mean = table(["ACCA", "AA"], ["ACCA", "AA"], 2, 1, "AC").mean()
    expected = K - C.mean(axis=1)[:, None] - C.mean(axis=1) + mean
    np.testing.assert_allclose(centred(X), expected, atol=1e-12 * K.max())


@pytest.mark.parametrize(
    "ask",
    [
        lambda k: k(X, Z),
        lambda k: k.gram(X, Z),
        lambda k: k.encode(X),
        lambda k: k.features(X),
        lambda k: k.feature_names(X),
        lambda k: (2 * k + gm.Spectrum(1))(X, Z),
    ],
)
def test_kernel_without_an_alphabet_is_refused_where_there_is_none_to_take(ask):
    with pytest.raises(ValueError, match=r"Mismatch\(\) has no alphabet yet: pass alphabet='ACGT', say, or k = k.fit"):
        ask(gm.Mismatch(2, 1))


def test_empty_sequences_give_no_alphabet():
    with pytest.raises(ValueError, match="all sequences are empty, and so is the alphabet; pass alphabet="):
        gm.Mismatch(2, 1)(["", ""])


@pytest.mark.parametrize("kernel", [gm.Mismatch(2, 1), gm.Mismatch(3, 2, "ACGT"), gm.Mismatch(2, 1, (0, 1))], ids=repr)
def test_mismatch_kernels_are_values(kernel):
    twin = pickle.loads(pickle.dumps(kernel))
    assert twin == kernel == kernel.with_params()
    assert hash(twin) == hash(kernel)
    assert eval(repr(kernel), {"Mismatch": gm.Mismatch}) == kernel
    for other in (kernel.with_params(mismatches=0), kernel.with_params(length=4), kernel.with_params(alphabet="XY")):
        assert other != kernel
    assert gm.Mismatch(2, 1, ["A", "C"]) == gm.Mismatch(2, 1, ("A", "C"))


# Bad arguments


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ((2, 2), ValueError, "mismatches is 2; fewer than length = 2 expected"),
        ((2, 5), ValueError, "mismatches is 5; fewer than length = 2 expected"),
        ((2, -1), ValueError, "mismatches is -1; an integer of at least 0 expected"),
        ((2, 0.5), TypeError, r"mismatches is 0.5 \(float\); an integer expected"),
        ((2, None), TypeError, r"mismatches is None \(NoneType\); an integer expected"),
        ((0, 0), ValueError, "length is 0; an integer of at least 1 expected"),
        (("3", 1), TypeError, r"length is '3' \(str\); an integer expected"),
        ((2, 1, ""), ValueError, "alphabet is ''; symbols such as 'ACGT' expected"),
        ((2, 1, ()), ValueError, r"alphabet is \(\); symbols such as 'ACGT' expected"),
        ((2, 1, 5), TypeError, "alphabet is 5; symbols such as 'ACGT' expected"),
        ((2, 1, "ACA"), ValueError, "alphabet is 'ACA', in which a symbol stands twice; each once expected"),
        ((2, 1, (1, 1.0)), ValueError, "in which a symbol stands twice; each once expected"),
        ((31, 1, "ACGT"), ValueError, r"there are 4\^31 strings of length 31, too many to tell apart: take a smaller"),
    ],
    ids=repr,
)
def test_bad_arguments_are_refused_with_what_came_and_what_was_expected(given, error, message):
    with pytest.raises(error, match=message):
        gm.Mismatch(*given)


def test_bad_arguments_are_refused_after_fitting_and_changing_too():
    with pytest.raises(ValueError, match=r"there are 5\^30 strings of length 30, too many"):
        gm.Mismatch(30, 1).fit(["ACGTN"])
    with pytest.raises(ValueError, match="mismatches is 3; fewer than length = 3 expected"):
        gm.Mismatch(3, 1).with_params(mismatches=3)
    assert gm.Mismatch(30, 0, "ACGT")(["ACGT" * 10]).item() > 0


def test_too_many_neighbours_are_refused_before_they_are_listed(monkeypatch):
    with pytest.raises(ValueError, match=r"4 substrings with \d+ neighbours each are too many: take fewer mismatches"):
        gm.Mismatch(20, 8, "ACGT")(["ACGT" * 10])
    monkeypatch.setattr(mismatch, "MOST_NEIGHBOURS", 7 * 3)
    k = gm.Mismatch(2, 1, "ACGT")
    assert k(["ACGT"]).shape == (1, 1)  # three substrings with seven neighbours each
    with pytest.raises(ValueError, match="4 substrings with 7 neighbours each are too many"):
        k(["ACGTA"])


@pytest.mark.parametrize("make", [lambda a: gm.Mismatch(2, 1, a), lambda a: gm.Composition(a)])
def test_alphabet_may_come_from_a_generator(make):
    assert make(symbol for symbol in ("A", "C")) == make(("A", "C"))


@pytest.mark.parametrize("kernel", [gm.Mismatch(2, 1, "AC"), gm.Composition("AC")], ids=repr)
def test_bytes_are_not_looked_up_in_an_alphabet_of_characters(kernel):
    with pytest.raises(TypeError, match="bytes"):
        kernel([b"ACCA"])


def test_alphabet_of_lists_is_refused_with_what_came():
    with pytest.raises(TypeError, match="alphabet is"):
        gm.Mismatch(2, 1, [["A"], ["C"]])
