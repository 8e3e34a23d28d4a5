"""Every string kernel against a slow oracle that lists pieces one by one, straight from the definition."""

import tracemalloc
import warnings
from collections import Counter
from itertools import combinations, pairwise, takewhile
from math import comb, fsum, sqrt
from unittest import mock

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.kernels.strings import automaton, counting, full_spectrum, suffixes
from gramian.kernels.strings.subsequences import Weighed

claims = settings(max_examples=40, deadline=None, derandomize=True, database=None)


# The definitions


def substrings(x, p):
    """How often each contiguous piece of p symbols occurs in x."""
    return Counter(tuple(x[i : i + p]) for i in range(len(x) - p + 1))


def subsequences(x, p, decay=1.0):
    """The weight of each subsequence of p symbols: the sum over choices of places of decay^(last − first + 1)."""
    found = Counter()
    for places in combinations(range(len(x)), p):
        found[tuple(x[i] for i in places)] += decay ** (places[-1] - places[0] + 1) if places else 1
    return found


def inner(u, v):
    return fsum(weight * v[piece] for piece, weight in u.items() if piece in v)


def composition(x, longest=1, alphabet=None):
    words = sum((substrings(x, p) for p in range(1, longest + 1)), Counter())
    total = sum(words.values())
    return Counter({u: n / total for u, n in words.items() if alphabet is None or set(u) <= set(alphabet)})


def all_substrings(x, shortest, longest, decay):
    top = len(x) if longest is None else min(longest, len(x))
    lengths = range(max(shortest, 1), top + 1)
    found = Counter({u: n * decay ** len(u) for p in lengths for u, n in substrings(x, p).items()})
    return found + Counter({(): 1.0}) if shortest == 0 else found  # the empty string counts once


def all_subsequences(x):
    return sum((subsequences(x, p) for p in range(len(x) + 1)), Counter())


def table(phi, X, Z):
    rows, cols = [phi(list(x)) for x in X], [phi(list(z)) for z in Z]
    return np.array([[inner(u, v) for v in cols] for u in rows])


def agree(kernel, phi, X, Z, rtol=0.0):
    """K(X), its diagonal and K(X, Z), encoded apart, against the oracle."""
    np.testing.assert_allclose(kernel(X), table(phi, X, X), rtol=rtol, atol=0)
    np.testing.assert_allclose(kernel.diag(X), np.diagonal(table(phi, X, X)), rtol=rtol, atol=0)
    np.testing.assert_allclose(kernel(X, Z), table(phi, X, Z), rtol=rtol, atol=0)
    np.testing.assert_allclose(kernel(Z, X), table(phi, Z, X), rtol=rtol, atol=0)


# The objects

ALPHABETS = {
    "strings": ("ab", "bc", "abc", "xyz", "aé€😀", "😀\ud800\U0010ffff\0"),
    "bytes": (b"ab", b"bc", b"\0\xff", b"abcd"),
    "numbers": ((0, 1), (1, 2), (-5, 10**30, 2.5)),
    "tuples": (((0, "a"), (1, "a")), ((1, "a"), ()), (("x",), ("x", "x"))),
    "words": (("the", "cat"), ("cat", "a", ""), ("new york", "new", "york")),
}


def _joined(kind, symbols):
    return {"strings": "".join, "bytes": bytes}.get(kind, list)(symbols)


@st.composite
def collections(draw, longest=7):
    """Two collections of sequences of one kind over alphabets of their own: the same, overlapping or apart."""
    kind = draw(st.sampled_from(sorted(ALPHABETS)))

    def collection():
        symbols = st.sampled_from(list(draw(st.sampled_from(ALPHABETS[kind]))))
        found = draw(st.lists(st.lists(symbols, max_size=longest), min_size=1, max_size=4))
        return [_joined(kind, x) for x in found]

    X, Z = collection(), collection()
    if draw(st.booleans()):
        Z.append(X[0])
    return X, Z


# Values of the seeds


def test_composition_of_two_sequences_is_that_of_example_5_1_of_seed_003():
    X, k = ["ACAGCAGTA", "AGCAAGCGAG"], gm.Composition()
    np.testing.assert_allclose(k.features(X), [[4 / 9, 2 / 9, 2 / 9, 1 / 9], [0.4, 0.2, 0.4, 0.0]], rtol=1e-14)
    assert k.feature_names(X) == ["A", "C", "G", "T"]
    S = gm.FeatureSpace(k)(X)
    assert round(S[0].distances(S[1]), 2) == 0.22
    mean = k.features(X).mean(axis=0)
    assert S.mean().norm() == pytest.approx(np.linalg.norm(mean), rel=1e-14)


def test_three_spectrum_of_two_sequences_is_that_of_example_5_14_of_seed_003():
    X, k = ["ACAGCAGTA", "AGCAAGCGAG"], gm.Spectrum(3)
    phi = [dict(zip(k.feature_names(X), row, strict=True)) for row in k.features(X)]
    counted = [{piece: n for piece, n in row.items() if n} for row in phi]
    assert counted[0] == {"ACA": 1, "AGC": 1, "AGT": 1, "CAG": 2, "GCA": 1, "GTA": 1}
    assert counted[1] == {"AAG": 1, "AGC": 2, "CAA": 1, "CGA": 1, "GAG": 1, "GCA": 1, "GCG": 1}
    assert k(X)[0, 1] == 3


def test_full_spectrum_is_42_where_seed_003_prints_40():
    X = ["ACAGCAGTA", "AGCAAGCGAG"]
    by_length = [gm.Spectrum(p)(X)[0, 1] for p in range(1, 10)]
    assert by_length == [16 + 4 + 8, 6 + 2 + 2, 2 + 1, 1, 0, 0, 0, 0, 0]
    assert gm.FullSpectrum()(X)[0, 1] == sum(by_length) == 42


def test_the_words_of_example_5_1_up_to_a_length_are_one_distribution():
    X, k = ["ACAGCAGTA", "AGCAAGCGAG"], gm.Composition(length=2)
    shares = [dict(zip(k.feature_names(X), row, strict=True)) for row in k.features(X)]
    assert shares[0]["A"] == pytest.approx(4 / 17)
    assert shares[0]["CA"] == shares[0]["AG"] == pytest.approx(2 / 17)
    assert shares[1]["AG"] == pytest.approx(3 / 19)
    assert [sum(row.values()) for row in shares] == pytest.approx([1.0, 1.0])
    assert k.feature_names(X)[:5] == ["A", "C", "G", "T", "AA"]


def test_the_empty_string_counts_once_in_every_string_an_empty_one_too():
    X = ["ACAGCAGTA", "", "AGCAAGCGAG"]
    np.testing.assert_array_equal(gm.FullSpectrum(0)(X), gm.FullSpectrum()(X) + 1)
    np.testing.assert_array_equal(gm.FullSpectrum(0).diag(X), gm.FullSpectrum().diag(X) + 1)
    k = gm.FullSpectrum(0, 1, 0.5)
    assert k.feature_names(["ab", ""]) == ["", "a", "b"]
    np.testing.assert_array_equal(k.features(["ab", ""]).toarray(), [[1, 0.5, 0.5], [1, 0, 0]])


def test_two_spectra_are_those_of_example_11_8_of_seed_004():
    X, k = ["bar", "bat", "car", "cat"], gm.Spectrum(length=2)
    assert k.feature_names(X) == ["ar", "at", "ba", "ca"]
    np.testing.assert_array_equal(k.features(X), [[1, 0, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1], [0, 1, 0, 1]])
    np.testing.assert_array_equal(k(X), [[2, 1, 1, 0], [1, 2, 0, 1], [1, 0, 2, 1], [0, 1, 1, 2]])


def test_all_subsequences_are_those_of_example_11_16_of_seed_004():
    X = ["bar", "baa", "car", "cat"]
    expected = [[8, 6, 4, 2], [6, 12, 3, 3], [4, 3, 8, 4], [2, 3, 4, 8]]
    np.testing.assert_array_equal(gm.AllSubsequences()(X), expected)
    np.testing.assert_array_equal(table(all_subsequences, X, X), expected)  # the oracle reads the seed the same way


def test_all_subsequences_are_the_empty_one_and_those_of_every_length():
    X = ["bar", "baa", "car", "cat"]
    np.testing.assert_array_equal(gm.AllSubsequences()(X), 1 + sum(gm.Subsequences(p)(X) for p in (1, 2, 3)))


def test_gap_weighted_subsequences_of_cat_and_car_follow_the_textbook():
    lam = 0.3
    K = gm.Subsequences(2, lam)(["cat", "car", "bat", "bar"])
    np.testing.assert_allclose(np.diagonal(K), 2 * lam**4 + lam**6, rtol=1e-14)
    np.testing.assert_allclose([K[0, 1], K[0, 2], K[0, 3]], [lam**4, lam**4, 0], rtol=1e-14)


# The oracles


@claims
@given(collections())
def test_composition_is_the_inner_product_of_the_shares_of_symbols(data):
    agree(gm.Composition(), composition, *data, rtol=1e-14)


@claims
@given(collections(), st.integers(1, 6), st.sampled_from([None, "ab", "c", "bca"]))
def test_composition_is_the_inner_product_of_the_shares_of_words_up_to_a_length(data, longest, alphabet):
    X, Z = (["".join(map(str, x)) for x in side] for side in data)
    kernel = gm.Composition(alphabet, longest)
    agree(kernel, lambda x: composition(x, longest, alphabet), X, Z, rtol=1e-14)
    if alphabet is None:
        shares = np.asarray(kernel.features(X).sum(axis=1)).ravel()
        np.testing.assert_allclose(shares, [min(len(x), 1) for x in X], rtol=1e-14)


@claims
@given(collections(), st.integers(1, 9))
def test_spectrum_counts_pairs_of_equal_substrings(data, length):
    agree(gm.Spectrum(length), lambda x: substrings(x, length), *data)


@claims
@given(collections(), st.integers(0, 4), st.sampled_from([None, 0, 1, 5]), st.sampled_from([1.0, 0.5, 0.3]))
def test_full_spectrum_counts_pairs_of_equal_substrings_of_many_lengths(data, shortest, more, decay):
    longest = None if more is None else max(shortest + more, 1)
    kernel = gm.FullSpectrum(shortest, longest, decay)
    agree(kernel, lambda x: all_substrings(x, shortest, longest, decay), *data, rtol=1e-13)


@claims
@given(collections())
def test_all_subsequences_counts_pairs_of_equal_subsequences(data):
    agree(gm.AllSubsequences(), all_subsequences, *data)


SPELLINGS = {
    "as it chooses": Weighed.few,
    "spelled out": property(lambda self: len(self.sequences.alphabet) ** self.length < 10_000),
    "pair by pair": property(lambda self: False),
    "one spelled out, the other not": property(lambda self: len(self) % 2 == 0 and self.length < 4),
}


@claims
@given(collections(), st.integers(1, 9), st.sampled_from(sorted(SPELLINGS)))
def test_subsequences_without_decay_counts_pairs_of_equal_subsequences_of_its_length(data, length, way):
    with mock.patch.object(Weighed, "few", SPELLINGS[way]):
        agree(gm.Subsequences(length), lambda x: subsequences(x, length), *data)


@settings(claims, max_examples=80)
@given(collections(), st.integers(1, 5), st.sampled_from([0.01, 0.3, 0.5, 0.99]), st.sampled_from(sorted(SPELLINGS)))
def test_subsequences_weigh_each_occurrence_by_its_span(data, length, decay, way):
    with mock.patch.object(Weighed, "few", SPELLINGS[way]):
        agree(gm.Subsequences(length, decay), lambda x: subsequences(x, length, decay), *data, rtol=1e-13)


def test_subsequences_of_long_strings_are_spelled_out_and_compared_with_any_others():
    rng = np.random.default_rng(0)
    X = ["".join(rng.choice(list("ACGT"), 60)) for _ in range(5)]
    Z = ["AxCGyT", "", "".join(map(chr, range(60, 400))), "TTGACA"]
    k = gm.Subsequences(3, 0.7)
    (A,), (B,) = k.encode(X), k.encode(Z)
    assert A.bags is not None
    assert B.bags is None  # three hundred symbols: too many subsequences
    with mock.patch.object(Weighed, "few", property(lambda self: False)):
        expected = k(X, Z)
    np.testing.assert_allclose(k(X, Z), expected, rtol=1e-13)
    np.testing.assert_allclose(k(Z, X), expected.T, rtol=1e-13)
    np.testing.assert_allclose(k.gram(Z, X) @ np.ones(5), expected.sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(k.gram(X, Z) @ np.ones(4), expected.sum(axis=1), rtol=1e-12)


def test_ridge_on_subsequences_that_are_spelled_out_predicts_as_it_does_on_their_gram():
    rng = np.random.default_rng(0)
    X = ["".join(rng.choice(list("AB"), 30)) for _ in range(60)]
    y = np.array([x.count("AB") for x in X], dtype=float)
    new = ["ABBA", "CABCAB", "ABABABABABABABAB"]
    found = gm.KernelRidge(gm.Subsequences(2, 0.5), ridge=0.1).fit(X, y)
    assert "primal" in str(found.solver_)
    with mock.patch.object(Weighed, "few", property(lambda self: False)):
        expected = gm.KernelRidge(gm.Subsequences(2, 0.5), ridge=0.1).fit(X, y).predict(new)
    np.testing.assert_allclose(found.predict(new), expected, rtol=1e-8)


@claims
@given(collections())
def test_subsequences_of_one_symbol_are_the_spectrum_of_one_symbol(data):
    X, Z = data
    np.testing.assert_array_equal(gm.Subsequences(1)(X, Z), gm.Spectrum(1)(X, Z))
    np.testing.assert_allclose(gm.Subsequences(1, 0.5)(X, Z), 0.25 * gm.Spectrum(1)(X, Z), rtol=1e-14)


@claims
@given(collections())
def test_subsequences_of_a_string_are_those_of_its_mirror_image(data):
    X, Z = data
    mirrored = [x[::-1] for x in X], [z[::-1] for z in Z]
    for kernel in (gm.AllSubsequences(), gm.Subsequences(2, 0.5), gm.Spectrum(2), gm.FullSpectrum()):
        np.testing.assert_allclose(kernel(*mirrored), kernel(X, Z), rtol=1e-13)


@settings(claims, max_examples=25)
@given(
    collections(longest=12), st.sampled_from([(1, None, 1.0), (0, None, 0.5), (2, 4, 0.5), (1, 1, 0.3), (3, None, 0.7)])
)
def test_full_spectrum_is_the_same_with_tables_and_with_lists_of_transitions(data, given):
    kernel = gm.FullSpectrum(*given)

    def phi(x):
        return all_substrings(x, *given)

    with pytest.MonkeyPatch.context() as patch:
        agree(kernel, phi, *data, rtol=1e-13)
        with_tables = kernel(*data)
        patch.setattr(full_spectrum, "TABLE", -1)
        agree(kernel, phi, *data, rtol=1e-13)
        np.testing.assert_allclose(kernel(*data), with_tables, rtol=1e-14)


@pytest.mark.parametrize(("table", "way"), [(2**18, "full_spectrum_by_tables"), (0, "full_spectrum")])
def test_full_spectrum_takes_the_way_that_the_size_of_a_table_says(table, way, monkeypatch):
    called = []
    for module, name in ((automaton, "full_spectrum_by_tables"), (suffixes, "full_spectrum")):
        plain = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, name=name, plain=plain: called.append(name) or plain(*given))
    monkeypatch.setattr(full_spectrum, "TABLE", table)
    X = texts(5, 60, "ab")
    expected = sum(gm.Spectrum(p)(X) for p in range(1, 61))
    np.testing.assert_array_equal(gm.FullSpectrum()(X), expected)
    np.testing.assert_array_equal(gm.FullSpectrum().diag(X), np.diagonal(expected))
    assert set(called) == {way}


@settings(claims, max_examples=200)
@given(codes=st.lists(st.integers(0, 5), max_size=40))
@pytest.mark.parametrize("dtype", [np.uint8, np.int32])
def test_suffixes_are_sorted_and_the_beginnings_of_neighbours_compared(dtype, codes):
    s = np.array(codes, dtype)
    order = suffixes.suffix_array(s, 6)
    by_hand = sorted(range(len(codes)), key=lambda p: codes[p:])
    assert order.tolist() == by_hand
    if codes:
        border = 5

        def shared(p, q):
            pairs = takewhile(lambda xy: xy[0] == xy[1] != border, zip(codes[p:], codes[q:], strict=False))
            return sum(1 for _ in pairs)

        lcp = suffixes.common_beginnings(s, order, border)
        assert lcp.tolist() == [0, *(shared(p, q) for p, q in pairwise(by_hand)), 0]


@pytest.mark.parametrize(
    "text",
    [
        "a" * 3000,
        "ab" * 1500,
        "".join("a" * k + "b" for k in range(75)),
        "abcdefgh" * 300 + "abcdefg",
        "ba" * 800 + "a",
    ],
)
def test_suffixes_of_texts_that_repeat_themselves_are_sorted(text):
    s = np.array([ord(c) - ord("a") for c in text], np.uint8)
    assert suffixes.suffix_array(s, 8).tolist() == sorted(range(len(text)), key=lambda p: text[p:])


def test_full_spectra_sorted_in_groups_are_those_sorted_together(monkeypatch):
    monkeypatch.setattr(full_spectrum, "TABLE", 0)
    X, Z = texts(9, 40, "abc"), [*texts(7, 50, "abcd"), "", "d"]
    together = gm.FullSpectrum(decay=0.8)(X, Z)
    monkeypatch.setattr(full_spectrum, "GROUP", 60)
    np.testing.assert_allclose(gm.FullSpectrum(decay=0.8)(X, Z), together, rtol=1e-13)


# Encoded apart, and joint

KERNELS = [
    gm.Composition(),
    gm.Spectrum(1),
    gm.Spectrum(3),
    gm.FullSpectrum(),
    gm.AllSubsequences(),
    gm.AllSubsequences().normalize(),
    gm.Subsequences(2, 0.5),
    gm.Spectrum(2) + 0.5 * gm.Subsequences(2),
    (gm.Spectrum(2) + 1).normalize(),
]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)


@every_kernel
@settings(claims, max_examples=15)
@given(data=collections())
def test_collections_encoded_apart_are_compared_as_in_one_collection(kernel, data):
    X, Z = data
    joint = kernel(X + Z)[: len(X), len(X) :]
    np.testing.assert_allclose(kernel(X, Z), joint, rtol=1e-14)
    np.testing.assert_allclose(kernel(Z, X), joint.T, rtol=1e-14)


@every_kernel
def test_symbols_that_only_one_side_knows_match_nothing(kernel):
    X, Z = ["abcabc", "ab"], ["xyzxyz", "xabcy", "z"]
    joint = kernel(X + Z)
    np.testing.assert_allclose(kernel(X, Z), joint[:2, 2:], rtol=1e-14)
    np.testing.assert_allclose(kernel(Z, X), joint[2:, :2], rtol=1e-14)
    np.testing.assert_allclose(kernel(X, Z)[:, 2], kernel(X, [""])[:, 0] * kernel(["z"], [""])[0, 0], atol=1e-15)


@every_kernel
def test_strings_bytes_and_token_lists_of_the_same_symbols_have_the_same_matrix(kernel):
    X, Z = ["abcab", "ba", "", "ccab"], ["dab", "ca"]
    K = kernel(X, Z)
    np.testing.assert_array_equal(kernel([list(x) for x in X], [tuple(z) for z in Z]), K)
    np.testing.assert_array_equal(kernel([x.encode() for x in X], [z.encode() for z in Z]), K)
    np.testing.assert_array_equal(kernel([[ord(c) for c in x] for x in X], [z.encode() for z in Z]), K)


# The ways of counting


def texts(n, length, alphabet, seed=0):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(alphabet), length)) for _ in range(n)]


LATIN = "".join(map(chr, range(97, 123)))
WIDE = "".join(map(chr, range(0x4E00, 0x4E00 + 900)))
PERIODS = [LATIN * 3, LATIN[5:] * 4, LATIN * 2 + "!" + LATIN * 2, "short"]

# data, another collection, length, whether counted in a table, whether the counts come out sparse
WAYS = {
    "table": (texts(6, 40, "abc"), texts(4, 30, "bcd", 1), 3, True, False),
    "table with pieces that do not occur": (["abcd" * 5, "dcba"], ["bcd", "x"], 4, True, False),
    "table of a long text": (texts(2, 3000, "ab"), texts(2, 50, "abc", 1), 10, True, False),
    "dense": (["the cat sat on the mat", "the cat sat on a mat"], ["a cat sat", "mat"], 4, False, False),
    "sparse": (texts(40, 20, LATIN), texts(30, 20, LATIN[10:] + "é", 1), 3, False, True),
    "sparse single symbols": (texts(60, 30, WIDE), texts(20, 50, WIDE[300:] + "ab", 1), 1, False, True),
    "numbers beyond 2**62": (PERIODS, [LATIN * 2, "?" + LATIN * 3], 40, False, False),
    "sparse numbers beyond 2**62": (
        [*PERIODS, *texts(30, 60, LATIN)],
        [LATIN * 2, *texts(3, 60, "ab")],
        40,
        False,
        True,
    ),
    "no pieces at all": (texts(12, 3, LATIN), texts(5, 2, LATIN, 1), 4, False, True),
    "no pieces on one side": (texts(12, 3, LATIN), texts(5, 9, LATIN, 1), 4, False, True),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_counting_gives_the_pairs_of_equal_substrings(way, monkeypatch):
    X, Z, length, in_a_table, sparse = WAYS[way]
    tables, plain = [], counting._counted_in_a_table
    monkeypatch.setattr(counting, "_counted_in_a_table", lambda *given: tables.append(1) or plain(*given))
    k = gm.Spectrum(length)
    counts = k.features(X)
    assert bool(tables) == in_a_table
    assert scipy.sparse.issparse(counts) == sparse
    agree(k, lambda x: substrings(x, length), X, Z)
    np.testing.assert_array_equal(k(X, Z), k(X + Z)[: len(X), len(X) :])
    np.testing.assert_array_equal(k(X[:2], X), k(X)[:2])


def test_the_numbers_of_that_test_do_not_fit_into_62_bits():
    assert len(set("".join(PERIODS))) ** 40 > 2**62


@pytest.mark.parametrize("length", [1, 2, 7, 40])
def test_composition_and_spectrum_agree_in_sparse_and_dense_form(length):
    X = [*PERIODS, *texts(50, 60, WIDE)]
    sparse, dense = gm.Spectrum(length)(X), gm.Spectrum(length)(X[:4])
    np.testing.assert_array_equal(sparse[:4, :4], dense)
    if length == 1:
        lengths = np.array([len(x) for x in X])
        np.testing.assert_allclose(gm.Composition()(X), sparse / np.outer(lengths, lengths), rtol=1e-14)


@pytest.mark.parametrize("length", [1, 30, 64, 65, 150, 300])
def test_pieces_of_any_length_are_counted_in_strings_of_one_letter(length):
    K = gm.Spectrum(length)(["a" * 200, "a" * 70, ""])
    n = np.maximum(np.array([200, 70, 0]) - length + 1, 0)
    np.testing.assert_array_equal(K, np.outer(n, n))


@pytest.mark.parametrize("length", [1, 3, 65])
def test_collection_of_empty_strings_has_no_pieces(length):
    np.testing.assert_array_equal(gm.Spectrum(length)(["", ""]), np.zeros((2, 2)))
    np.testing.assert_array_equal(gm.Spectrum(length)(["", ""], ["ab" * 70]), np.zeros((2, 1)))
    np.testing.assert_array_equal(gm.Spectrum(length)(["ab" * 70], ["", ""]), np.zeros((1, 2)))


# Exactness


def test_counts_are_exact_where_single_precision_is_not():
    X = ["a" * 10_000, "a" * 9_999 + "b", "a" * 9_001, "ab" * 5_001]
    counts = np.array([(10_000, 0), (9_999, 1), (9_001, 0), (5_001, 5_001)])
    np.testing.assert_array_equal(gm.Spectrum(1)(X), counts @ counts.T)
    np.testing.assert_array_equal(gm.Spectrum(1).diag(X), np.square(counts).sum(axis=1))
    K = gm.Spectrum(2)(X)
    assert K[0, 1] == 9_999 * 9_998
    assert K[1, 1] == 9_998**2 + 1
    assert K[3, 3] == 5_001**2 + 5_000**2


@pytest.mark.parametrize("others", ["", WIDE], ids=["dense", "sparse"])
@pytest.mark.parametrize("n", [4_095, 4_096, 4_097, 12_345])
def test_single_precision_is_left_when_squares_reach_its_last_integer(n, others):
    k = gm.Spectrum(1)
    X, Z = ["a" * n, *others], ["a" * 10_001, "a" * 3, *others]
    counts = k.encode(X).parts[0].counts
    assert scipy.sparse.issparse(counts) == bool(others)
    assert counts.dtype == (np.float32 if n**2 < 2**24 else np.float64)
    assert k(X)[0, 0] == k.diag(X)[0] == n * n
    assert k(X, Z)[0, 0] == k(Z, X)[0, 0] == n * 10_001
    assert k(X, Z)[0, 1] == n * 3
    assert k(X).dtype == np.float64


def test_samples_are_put_together_exactly():
    phi = gm.FeatureSpace(gm.Spectrum(1))
    S, T = phi(["a" * 4_095, "ab"]), phi(["c" + "a" * 10_001])
    (bags,) = S.points.concat(T.points)
    out = np.empty((3, 3))
    bags.inner(bags, out)
    np.testing.assert_array_equal(out[2], [4_095 * 10_001, 10_001, 10_001**2 + 1])


def test_number_of_subsequences_of_equal_letters_is_the_central_binomial():
    for n, m in [(1, 1), (10, 7), (20, 20), (24, 25)]:
        assert gm.AllSubsequences()(["a" * n], ["a" * m]).item() == comb(n + m, n)
    for n, m in [(27, 27), (100, 90), (300, 400), (500, 500)]:
        assert gm.AllSubsequences()(["a" * n], ["a" * m]).item() == pytest.approx(comb(n + m, n), rel=1e-12)


def test_number_of_subsequences_of_distinct_symbols_is_a_power_of_two():
    x = list(range(1000))
    K = gm.AllSubsequences()([x, x[:40], x[20:45]])
    np.testing.assert_allclose(K[[1, 1, 2, 0], [1, 2, 2, 1]], [2.0**40, 2.0**20, 2.0**25, 2.0**40], rtol=1e-14)
    assert K[0, 0] == pytest.approx(2.0**1000, rel=1e-12)


# Beyond double precision


def exact_all_subsequences(s, t):
    """K(i, j) = K(i − 1, j) + Σ_{k ≤ j, t_k = s_i} K(i − 1, k − 1), in whole numbers of any size."""
    row, t = np.array([1] * (len(t) + 1), dtype=object), np.array(list(t))
    for symbol in s:
        row[1:] += np.add.accumulate(np.where(t == symbol, row[:-1], 0))
    return row[-1]


def exact_ratio(a, b, c):
    """a / √(b c) for whole numbers beyond the range of floats, of which the first hundreds of bits are kept."""
    shift = max(a.bit_length(), b.bit_length(), c.bit_length()) - 900
    if shift > 0:
        a, b, c = a >> shift, b >> shift, c >> shift
    return a / (sqrt(b) * sqrt(c))


def test_whole_number_oracle_counts_what_the_definition_lists():
    for s, t in [("bar", "baa"), ("abcab", "bacba"), ("", "a"), ("aaaa", "aaa")]:
        assert exact_all_subsequences(s, t) == inner(all_subsequences(s), all_subsequences(t))


@settings(claims, max_examples=60)
@given(
    st.text(alphabet="ab", max_size=27) | st.text(alphabet="abcd", max_size=30), st.text(alphabet="abcx", max_size=27)
)
def test_counts_of_subsequences_that_a_double_can_hold_are_exact(s, t):
    expected = [[exact_all_subsequences(x, z) for z in (s, t)] for x in (s, t)]
    found = gm.AllSubsequences()([s, t])
    for i, j in ((0, 0), (0, 1), (1, 1)):
        if expected[i][j] < 2**53:
            assert int(found[i, j]) == expected[i][j]
            assert found[i, j] == gm.AllSubsequences()([(s, t)[i]], [(s, t)[j]]).item()
        else:
            assert found[i, j] == pytest.approx(expected[i][j], rel=1e-13)


def test_advice_where_a_count_overflows_is_one_that_works():
    X = ["a" * 3000, "a" * 2999 + "b"]
    with pytest.raises(ValueError, match=r"take AllSubsequences\(\).normalize\(\), which is computed without overflow"):
        gm.AllSubsequences()(X)
    K = gm.AllSubsequences().normalize()(X)
    assert 0 < K[0, 1] < 1


def test_count_beyond_double_precision_is_refused_and_not_infinite():
    X = ["ab", "a" * 3000]
    for compute in (gm.AllSubsequences(), gm.AllSubsequences().diag, gm.AllSubsequences().gram):
        with pytest.raises(
            ValueError, match=r"κ\(x, x\) overflows float64 for 1 object\(s\), first at index 1.*normalize"
        ):
            compute(X)
    with pytest.raises(ValueError, match=r"overflows float64 for 1 object\(s\), first at index 1"):
        gm.AllSubsequences()(["ab"], X)
    with pytest.raises(ValueError, match="overflows"):
        (gm.AllSubsequences() + gm.Spectrum(2))(X)


def test_normalized_values_of_3000_characters_are_those_of_whole_numbers():
    rng = np.random.default_rng(0)
    half = rng.choice(list("ACGT"), 1500)
    letters = np.concatenate([half, half[::-1]])
    letters[rng.choice(3000, 8, replace=False)] = "A"
    s = "".join(letters)  # nearly its own mirror image, which has as many subsequences
    own = exact_all_subsequences(s, s)
    expected = exact_ratio(exact_all_subsequences(s, s[::-1]), own, own)
    K = gm.AllSubsequences().normalize()([s, s[::-1]])
    assert own > 2**1024
    assert 0.01 < expected < 0.99
    np.testing.assert_allclose(K, [[1, expected], [expected, 1]], rtol=1e-10)


@pytest.mark.parametrize(("j", "k"), [(1500, 1450), (1500, 1500), (2200, 2100), (2990, 2800), (5000, 4900), (10, 40)])
def test_normalized_values_of_long_sequences_follow_the_closed_form(j, k):
    """aʲ and aᵏ before the same m distinct symbols have C(j + k, j) 2ᵐ pairs of equal subsequences."""
    rest = list(range(1, 501))
    X = [[0] * j + rest, [0] * k + rest, rest]
    K = gm.AllSubsequences().normalize()(X)
    assert np.isfinite(K).all()
    assert K[0, 1] == pytest.approx(exact_ratio(comb(j + k, j), comb(2 * j, j), comb(2 * k, k)), rel=1e-10)
    np.testing.assert_array_equal(np.diagonal(K), 1)


def test_long_string_has_as_many_subsequences_as_its_mirror_image():
    rng, k = np.random.default_rng(0), gm.AllSubsequences()
    for s in ("".join(rng.choice(list("ACGT"), 6000)), "".join(rng.choice(list("ab"), 3000, p=[0.9, 0.1]))):
        forth, back = k.log_norms(k.encode([s, s[::-1]]))
        assert forth == pytest.approx(back, rel=1e-12)


def test_normalized_values_of_short_and_long_strings_agree_with_the_quotient_where_it_exists():
    X = ["", "a", "abcab", "ab" * 100, "ba" * 100, "c" * 300]
    K = gm.AllSubsequences()(X)
    d = np.sqrt(np.diagonal(K))
    np.testing.assert_allclose(gm.AllSubsequences().normalize()(X), K / d / d[:, None], rtol=1e-11)
    np.testing.assert_allclose(gm.AllSubsequences().gram(X).normalize().dense(), K / d / d[:, None], rtol=1e-11)


@pytest.mark.parametrize(("n", "length"), [(70, 64), (70, 70), (10, 64)])
def test_subsequences_of_one_symbol_may_be_long(n, length):
    assert gm.Subsequences(length)(["a" * n]).item() == pytest.approx(comb(n, length) ** 2, rel=1e-12)
    assert gm.Subsequences(length)(["", ""]).tolist() == [[0, 0], [0, 0]]


def test_scaled_and_of_a_column_all_subsequences_are_normalized_without_overflow_too():
    X = ["ab" * 1_000, "ba" * 900, "abba" * 400]
    expected = gm.AllSubsequences().normalize()(X)
    np.testing.assert_allclose((2 * gm.AllSubsequences()).normalize()(X), expected, rtol=1e-11)
    records = [{"s": x, "n": 1.0} for x in X]
    np.testing.assert_array_equal(gm.AllSubsequences().on("s").normalize()(records), expected)
    np.testing.assert_allclose((3 * gm.AllSubsequences().on("s")).normalize()(records), expected, rtol=1e-11)


@pytest.mark.parametrize("kernel", [gm.Subsequences(2, 0.5), gm.AllSubsequences().normalize()], ids=repr)
def test_memory_of_subsequences_grows_with_the_lengths_and_not_with_their_product(kernel):
    n = 2_000
    out = np.empty((1, 1))
    with mock.patch.object(Weighed, "few", SPELLINGS["pair by pair"]):
        kernel(["abc"], ["bc"])  # compiled before it is measured
        a, b = kernel.encode(["abca" * (n // 4)]), kernel.encode(["bcab" * (n // 4)])
    tracemalloc.start()
    kernel.block(a, b, out)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert out[0, 0] > 0
    assert 8 * n < peak < 8 * n**2 / 4


def test_subsequences_of_a_long_and_a_short_string_are_those_of_the_other_order():
    long, short = "".join(np.random.default_rng(0).choice(list("abcd"), 1_000)), "abcdab"
    for k in (gm.Subsequences(4, 0.5), gm.Subsequences(2), gm.FullSpectrum()):
        assert k([long], [short]).item() == pytest.approx(k([short], [long]).item(), rel=1e-11)


def test_subsequences_beyond_double_precision_are_refused():
    with pytest.raises(ValueError, match=r"overflows float64 for 1 object\(s\), first at index 0"):
        gm.Subsequences(200)(["a" * 1200, "ab"])


@pytest.mark.parametrize("symbols", [2, 40, 126, 127, 500])
def test_full_spectra_by_sorting_and_by_tables_are_the_same_for_alphabets_of_all_sizes(monkeypatch, symbols):
    rng = np.random.default_rng(symbols)
    X = [rng.integers(0, symbols, rng.integers(0, 80)).tolist() for _ in range(8)] + [list(range(symbols))]
    by_tables = gm.FullSpectrum(decay=0.9)(X)
    monkeypatch.setattr("gramian.kernels.strings.full_spectrum.TABLE", -1)
    np.testing.assert_allclose(gm.FullSpectrum(decay=0.9)(X), by_tables, rtol=1e-13)


@pytest.mark.parametrize("kernel", [gm.Spectrum, gm.Subsequences, gm.FullSpectrum, gm.Mismatch])
def test_lengths_that_no_sequence_has_are_refused(kernel):
    with pytest.raises(ValueError, match=r"length is 10{20}; an integer of at most 2,147,483,647 expected"):
        kernel(10**20)


def test_a_decay_whose_powers_vanish_is_refused():
    with pytest.raises(ValueError, match="vanishes in double precision"):
        gm.Subsequences(3, 1e-60)
    with pytest.raises(ValueError, match="vanishes in double precision"):
        gm.Subsequences(60, 1e-3)
    assert gm.Subsequences(3, 1e-40)(["abc"], ["abc"]).item() > 0


def test_a_mismatch_length_out_of_all_proportion_is_refused_at_once():
    with pytest.raises(ValueError, match="too many to tell apart"):
        gm.Mismatch(10**9, 1, alphabet="ACGTN")
    assert gm.Mismatch(30, 1, alphabet="ACGT").length == 30
    with pytest.raises(ValueError, match="too many to tell apart"):
        gm.Mismatch(31, 1, alphabet="ACGT")


A = gm.AllSubsequences()
TAGS = gm.Spectrum(1)


def _doubled(X):
    return [x + x for x in X]


def _lengths(X):
    return np.array([1.0 + len(x) for x in X])


OPERATIONS = {  # a kernel, and the same in whole numbers given κ(x, z) of all subsequences and of the letters
    "A": (A, lambda a, t: a),
    "A + c": (A + 1, lambda a, t: a + 1),
    "A + 0.5": (A + 0.5, lambda a, t: 2 * a + 1),
    "c A": (3 * A, lambda a, t: a),
    "A / c": (A / 1e30, lambda a, t: a),
    "A + A": (A + A, lambda a, t: a),
    "A A": (A * A, lambda a, t: a**2),
    "A ** 3": (A**3, lambda a, t: a**3),
    "(A + 1) ** 2": ((A + 1) ** 2, lambda a, t: (a + 1) ** 2),
    "polynomial": (A.polynomial([2.0, 0.0, 1.0, 3.0]), lambda a, t: 2 + a**2 + 3 * a**3),
    "polynomial without a constant": (A.polynomial([0.0, 1.0, 1.0]), lambda a, t: a + a**2),
    "A + letters": (A + TAGS, lambda a, t: a + t),
    "letters + A": (TAGS + A, lambda a, t: a + t),
    "A letters": (A * TAGS, lambda a, t: a * t),
    "A letters + 1": (A * TAGS + 1, lambda a, t: a * t + 1),
    "letters ** 2 + A": (TAGS**2 + A, lambda a, t: t**2 + a),
    "normalized letters": (A * TAGS.normalize(), None),
    "normalized A + A": (A.normalize() + A, None),
    "exp": (A.exp(), None),
    "exp of normalized": (A.normalize().exp(), None),
    "exp of normalized + A": (A.normalize().exp() + A, None),
    "pullback": (A.pullback(_doubled), None),
    "reweighted": (A.reweight(_lengths), lambda a, t: a),
    "pullback + 1": (A.pullback(_doubled) + 1, None),
    "on a column": (A.on("s"), lambda a, t: a),
    "on a column, + 1": (A.on("s") + 1, lambda a, t: a + 1),
    "on columns": (A.on("s") * TAGS.on("s") + 1, lambda a, t: a * t + 1),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("lengths", [(8, 7, 5, 1), (700, 690, 600, 580)], ids=["short", "long"])
def test_what_is_made_of_all_subsequences_is_right_or_refused_and_never_overflows_in_silence(name, lengths):
    kernel, exactly = OPERATIONS[name]
    X = ["a" * n for n in lengths]
    objects = [{"s": x} for x in X] if "column" in name else X
    refusals = []
    counts = [[(comb(m + n, n), m * n) for n in lengths] for m in lengths]  # of subsequences, and of letters
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for made in (kernel, kernel.normalize()):
            try:
                K = made(objects)
            except ValueError as error:
                refusals.append(str(error))
                assert made is kernel or kernel.capabilities.logarithms is None, "with logarithms there is no overflow"
                continue
            assert np.isfinite(K).all()
            if made is not kernel and exactly is not None:
                values = [[exactly(a, t) for a, t in row] for row in counts]
                expected = [[exact_ratio(values[i][j], values[i][i], values[j][j]) for j in range(4)] for i in range(4)]
                np.testing.assert_allclose(K, expected, rtol=1e-10)
    assert not refusals or min(lengths) > 500 or name == "exp"
    for message in refusals:
        assert "overflows" in message
        assert "rescale" not in message, "no advice for vectors"


def test_the_advice_where_a_sum_of_string_kernels_overflows_works():
    X = ["ab" * 1300, "ba" * 1200]
    with pytest.raises(ValueError, match=r"take \(AllSubsequences\(\) \+ 1\).normalize\(\), which is computed without"):
        (A + 1)(X)
    assert ((A + 1).normalize()(X) > 0).all()
    with pytest.raises(ValueError, match="normalize the kernels that it is made of first"):
        A.exp().normalize()(X)
    assert np.isfinite(A.normalize().exp().normalize()(X)).all()


def test_objects_without_an_image_cannot_be_normalized_through_logarithms_either():
    with pytest.raises(ValueError, match=r"φ\(x\) = 0 for 1 object\(s\), first at index 1"):
        (A * TAGS).normalize()(["ab", "", "b"])
