"""What is not a collection of sequences is refused, and the message says what came and what was expected."""

import numpy as np
import pandas as pd
import pytest

import gramian as gm

GOOD = ["abcab", "ba", "c"]

KERNELS = [
    gm.Spectrum(2),
    gm.Subsequences(2, 0.5),
    gm.AllSubsequences().normalize(),
    gm.Composition() + gm.FullSpectrum(),
    gm.Spectrum(2).center(GOOD),
]

BAD_DATA = {
    "a string": ("abc", TypeError, r"X is a single str; a list of them expected: pass \[X\]"),
    "bytes": (b"abc", TypeError, r"X is a single bytes; a list of them expected: pass \[X\]"),
    "a numpy string": (np.str_("abc"), TypeError, "X is a single str"),
    "None": (None, TypeError, "X is None.*expected"),
    "a number": (3, TypeError, "X is 3.*expected"),
    "an array of one string": (np.array("abc"), TypeError, "X has 0 dimensions; a flat list of strings"),
    "a table of strings": (np.array([["a", "b"], ["c", "d"]]), TypeError, "X has 2 dimensions; a flat list of strings"),
    "a data frame": (pd.DataFrame({"text": ["a", "b"]}), TypeError, "X is a DataFrame; a list of strings"),
    "a matrix of numbers": (np.eye(3), TypeError, "X has 2 dimensions; a flat list of strings"),
    "nothing": ([], ValueError, "X is empty; at least one sequence expected"),
    "an empty array": (np.array([], dtype=str), ValueError, "X is empty; at least one sequence expected"),
    "an empty series": (pd.Series([], dtype=object), ValueError, "X is empty; at least one sequence expected"),
    "missing": (["a", None], ValueError, r"X holds None \(at index 1\), a missing value; drop it or"),
    "NaN": (["a", "b", float("nan")], ValueError, r"X holds nan \(at index 2\), a missing value; drop it or"),
    "missing in a series": (
        pd.Series(["a", None], dtype=object),
        ValueError,
        r"X holds None \(at index 1\), a missing",
    ),
    "NaN in a series": (
        pd.Series(["a", np.nan], dtype=object),
        ValueError,
        r"X holds nan \(at index 1\), a missing value",
    ),
    "NA in a list": (["a", pd.NA], ValueError, r"X holds <NA> \(at index 1\), a missing value"),
    "NA in a series": (
        pd.Series(["a", None], dtype="string"),
        ValueError,
        r"X holds <NA> \(at index 1\), a missing value",
    ),
    "NaT": ([pd.NaT], ValueError, r"X holds NaT \(at index 0\), a missing value"),
    "masked": (np.ma.array(["a", "b"], mask=[0, 1]), ValueError, r"X holds .* \(at index 1\), a missing value"),
    "numbers": ([1, 2], TypeError, r"X holds 1 of type int \(at index 0\); strings, bytes or token lists expected"),
    "an array of numbers": (np.arange(3.0), TypeError, r"X holds 0.0 of type float \(at index 0\); strings, bytes"),
    "a number among strings": (["a", 2.5], TypeError, r"X holds 2.5 of type float \(at index 1\); strings, bytes"),
    "strings and bytes": (["a", b"a"], TypeError, "X mixes bytes and strings; sequences of one kind expected"),
    "strings and lists": (["a", ["a"]], TypeError, "X mixes strings and token lists; sequences of one kind"),
    "bytes and lists": ([[97], b"a"], TypeError, "X mixes bytes and token lists; sequences of one kind"),
    "sets": (
        [{"a", "b"}],
        TypeError,
        r"X holds a set \(at index 0\), which has no order; strings, bytes or token lists",
    ),
    "frozen sets": (["a", frozenset("b")], TypeError, r"X holds a frozenset \(at index 1\), which has no order"),
    "dicts": (
        [{"a": 1}],
        TypeError,
        r"X holds a dict \(at index 0\), which has no order; strings, bytes or token lists",
    ),
    "lists of lists": ([[["a"]], [["b"]]], TypeError, r"tokens must be hashable.*unhashable type: 'list'"),
    "lists of arrays": ([[np.ones(2)]], TypeError, r"tokens must be hashable.*unhashable type: 'numpy.ndarray'"),
    "lists of dicts": ([[{}]], TypeError, r"tokens must be hashable.*unhashable type: 'dict'"),
}


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("what", BAD_DATA)
def test_bad_data_is_refused_with_what_came_and_what_was_expected(kernel, what):
    data, error, message = BAD_DATA[what]
    calls = [lambda: kernel(data), lambda: kernel.diag(data), lambda: kernel(GOOD, data), lambda: kernel(data, GOOD)]
    for call in calls if data is not None else (calls[0], calls[1], calls[3]):  # without Z, X is compared with itself
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize("what", BAD_DATA)
def test_bad_reference_sample_is_refused(what):
    data, error, message = BAD_DATA[what]
    with pytest.raises(error, match=message):
        gm.Spectrum(2).center(data)
    with pytest.raises(error, match=message):
        gm.FeatureSpace(gm.AllSubsequences())(data)


@pytest.mark.parametrize("what", BAD_DATA)
def test_bad_data_has_no_features(what):
    data, error, message = BAD_DATA[what]
    for ask in (gm.Spectrum(2).features, gm.Composition().feature_names):
        with pytest.raises(error, match=message):
            ask(data)


def test_kernels_on_vectors_and_on_strings_do_not_mix():
    with pytest.raises(TypeError, match="real numbers expected"):
        (gm.Linear() + gm.Spectrum(2))(GOOD)
    with pytest.raises(TypeError, match="X has 2 dimensions; a flat list of strings"):
        (gm.Spectrum(2) * gm.Linear())([[1.0, 2.0]] * np.ones((3, 1)))


@pytest.mark.parametrize("kernel", [*KERNELS[:4], gm.Mismatch(2, 1, "abc") + gm.Subsequences(1)], ids=repr)
def test_strings_are_not_compared_with_bytes(kernel):
    other = [x.encode() for x in GOOD]
    for first, second in ((GOOD, other), (other, GOOD)):
        with pytest.raises(TypeError, match="are compared with .*no symbol in common: decode the bytes first"):
            kernel(first, second)
    with pytest.raises(TypeError, match="decode the bytes first"):
        kernel.center(GOOD)(other)


def test_samples_of_strings_and_of_bytes_are_not_pooled():
    phi = gm.FeatureSpace(gm.Spectrum(1))
    with pytest.raises(TypeError, match="decode the bytes first"):
        gm.mean_test(phi(GOOD), phi([x.encode() for x in GOOD]), rng=0)


@pytest.mark.parametrize("kernel", KERNELS[:4], ids=repr)
def test_bytes_are_compared_with_lists_of_their_numbers_and_strings_with_lists_of_characters(kernel):
    K = kernel(GOOD)
    np.testing.assert_allclose(
        kernel([x.encode() for x in GOOD], [list(x.encode()) for x in GOOD]), K, rtol=4 * np.finfo(float).eps
    )
    np.testing.assert_allclose(kernel([list(x) for x in GOOD], GOOD), K, rtol=4 * np.finfo(float).eps)


def test_data_is_left_alone():
    tokens, words = [["a", "b"], ["c"]], np.array(GOOD)
    words.flags.writeable = False
    for kernel in KERNELS:
        kernel(tokens)
        kernel(words)
    assert tokens == [["a", "b"], ["c"]]
    assert words.tolist() == GOOD


# Parameters

NOT_LENGTHS = [
    (0, ValueError, "length is 0; an integer of at least 1 expected"),
    (-2, ValueError, "length is -2; an integer of at least 1 expected"),
    (1.5, TypeError, r"length is 1.5 \(float\); an integer expected"),
    (2.0, TypeError, r"length is 2.0 \(float\); an integer expected"),
    (True, TypeError, r"length is True \(bool\); an integer expected"),
    ("2", TypeError, r"length is '2' \(str\); an integer expected"),
    (np.nan, TypeError, r"length is nan \(float\); an integer expected"),
]


@pytest.mark.parametrize(
    "make", [gm.Spectrum, gm.Subsequences, lambda q: gm.FullSpectrum(0, q), lambda q: gm.Composition(length=q)]
)
@pytest.mark.parametrize(("length", "error", "message"), NOT_LENGTHS, ids=repr)
def test_length_that_is_not_a_positive_integer_is_refused(make, length, error, message):
    with pytest.raises(error, match=message):
        make(length)


@pytest.mark.parametrize("make", [gm.Spectrum, gm.Subsequences, gm.FullSpectrum, lambda q: gm.Composition(length=q)])
def test_length_may_not_be_left_open_by_none(make):
    with pytest.raises(TypeError, match=r"length is None \(NoneType\); an integer expected"):
        make(None)


def test_a_least_length_below_zero_and_words_beyond_measure_are_refused():
    with pytest.raises(ValueError, match="min_length is -1; an integer of at least 0 expected"):
        gm.FullSpectrum(-1)
    with pytest.raises(ValueError, match="length is 65; an integer of at most 64 expected"):
        gm.Composition(length=65)


def test_greatest_length_below_the_least_is_refused():
    with pytest.raises(ValueError, match="max_length is 2; at least min_length = 3 expected"):
        gm.FullSpectrum(3, 2)
    assert gm.FullSpectrum(3, 3)(["abcd"]).item() == 2


@pytest.mark.parametrize("make", [lambda q: gm.Subsequences(2, q), lambda q: gm.FullSpectrum(decay=q)])
@pytest.mark.parametrize(
    ("decay", "error", "message"),
    [
        (0, ValueError, "decay is 0; a number above 0 expected"),
        (-0.5, ValueError, "decay is -0.5; a number above 0 expected"),
        (1.1, ValueError, "decay is 1.1; a number above 0 and at most 1 expected"),
        (np.inf, ValueError, "decay is inf; a finite number expected"),
        (np.nan, ValueError, "decay is nan; a finite number expected"),
        ("0.5", TypeError, r"decay is '0.5' \(str\); a real number expected"),
        (None, TypeError, r"decay is None \(NoneType\); a real number expected"),
        (True, TypeError, r"decay is True \(bool\); a real number expected"),
    ],
    ids=repr,
)
def test_decay_outside_the_unit_interval_is_refused(make, decay, error, message):
    with pytest.raises(error, match=message):
        make(decay)


@pytest.mark.parametrize(
    "make", [lambda: gm.Composition("a", 2, 3), lambda: gm.Spectrum(2, 3), lambda: gm.AllSubsequences(2)]
)
def test_arguments_that_do_not_exist_are_refused(make):
    with pytest.raises(TypeError):
        make()


def test_lengths_and_decays_of_numpy_are_taken():
    np.testing.assert_array_equal(gm.Spectrum(np.int32(2))(GOOD), gm.Spectrum(2)(GOOD))
    k = gm.Subsequences(np.int64(2), np.float32(0.5))
    np.testing.assert_array_equal(k(GOOD), gm.Subsequences(2, 0.5)(GOOD))


@pytest.mark.parametrize("kernel", [gm.Spectrum(2), gm.FullSpectrum(), gm.BagOfWords(), gm.Equality()], ids=repr)
@pytest.mark.parametrize("X", [{"ab": 1, "cd": 2}, {"ab", "cd"}, pd.DataFrame({"s": ["ab", "cd"]})], ids=type)
def test_what_can_be_iterated_over_but_is_no_list_of_objects_is_refused(kernel, X):
    with pytest.raises(TypeError, match=f"X is a {type(X).__name__}; a list of .* expected"):
        kernel.fit(X).encode(X)


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_missing_values_among_tokens_are_refused(missing):
    with pytest.raises(ValueError, match="among the tokens, a missing value"):
        gm.Spectrum(2)([["a", missing], ["a", "b"]])


def test_a_generator_is_read_once_and_serves_kernels_that_are_fitted():
    words = ["abab", "bba"]
    for kernel in (gm.Mismatch(2, 1), gm.Spectrum(2), gm.BagOfWords(analyzer="char")):
        np.testing.assert_array_equal(kernel(word for word in words), kernel(words))
