"""Sequences and bags as parts of an encoding, the algebra of string kernels, and their Grams."""

import gc
import json
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.kernels.strings.sequences import as_sequences
from gramian.places.cores.tiles import COPIES

claims = settings(max_examples=40, deadline=None, derandomize=True, database=None)

LETTERS = [gm.Composition(), gm.Spectrum(1), gm.Spectrum(2), gm.Spectrum(4)]
PAIRWISE = [gm.FullSpectrum(2, 4, 0.5), gm.AllSubsequences(), gm.Subsequences(2), gm.Subsequences(3, 0.5)]
KERNELS = [*LETTERS, *PAIRWISE, gm.AllSubsequences().normalize(), gm.Spectrum(2) + gm.Subsequences(2, 0.5)]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)

X = ["abcab", "", "ba", "abcab", "aaaab", "c"]
Z = ["cab😀", "éa", "xyz"]


def texts(n, alphabet="abcdé", longest=12, seed=0):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(alphabet), rng.integers(0, longest))) for _ in range(n)]


SPARSE_TEXTS = texts(40, "".join(map(chr, range(0x4E00, 0x4E00 + 400))), 15)


def read_back(sequences):
    """The symbols of each sequence, by way of the alphabet."""
    places = zip(sequences.starts, sequences.starts[1:], strict=False)
    return [[sequences.alphabet[code] for code in sequences.codes[i:j]] for i, j in places]


def dense(counts):
    return counts.toarray() if scipy.sparse.issparse(counts) else np.asarray(counts)


# Sequences

words = st.lists(st.text(alphabet="ab\0é€😀\ud800\udfff\U0010ffff", max_size=6), min_size=1, max_size=6)


@claims
@given(words)
def test_strings_of_any_characters_are_read_back_as_they_came(found):
    assert read_back(as_sequences(found)) == [list(x) for x in found]


@claims
@given(st.lists(st.binary(max_size=6), min_size=1, max_size=6))
def test_bytes_are_read_back_as_they_came(found):
    assert read_back(as_sequences(found)) == [list(x) for x in found]
    assert as_sequences([bytearray(x) for x in found]) == as_sequences(found)


@settings(claims, max_examples=15)
@given(
    st.lists(
        st.lists(st.integers() | st.text(max_size=2) | st.tuples(st.booleans()), max_size=5), min_size=1, max_size=5
    )
)
def test_tokens_are_read_back_as_they_came(found):
    assert read_back(as_sequences(found)) == found
    assert as_sequences([tuple(x) for x in found]) == as_sequences(found)


def test_lone_surrogates_and_characters_beyond_the_first_plane_are_symbols_like_others():
    found = ["\ud83d\ude00", "😀", "\ud83d", "\U0010ffff\0"]
    assert [len(x) for x in read_back(as_sequences(found))] == [2, 1, 1, 2]
    np.testing.assert_array_equal(gm.Spectrum(1)(found), [[2, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 2]])
    np.testing.assert_array_equal(gm.AllSubsequences()(found)[0], [4, 1, 2, 1])
    assert gm.Spectrum(1).feature_names(["😀a"]) == ["a", "😀"]


def test_characters_are_code_points_and_not_what_they_look_like():
    composed, decomposed = "é", "e\u0301"
    assert gm.Spectrum(1)([composed], [decomposed]).item() == 0


@every_kernel
@pytest.mark.parametrize(
    "given",
    [
        tuple,
        np.array,
        lambda x: np.array(x, dtype=object),
        pd.Series,
        pd.Index,
        lambda x: pd.Series(x, dtype="string"),
        lambda x: pd.Series(x, dtype="category"),
        lambda x: pd.Series(x, index=range(10, 10 + len(x))),
        lambda x: dict.fromkeys(x).keys() if len(set(x)) == len(x) else x,
        lambda x: [np.str_(word) for word in x],
        lambda x: np.ma.array(x),
    ],
)
def test_strings_may_come_in_any_flat_collection(kernel, given):
    np.testing.assert_array_equal(kernel(given(X)), kernel(X))
    np.testing.assert_array_equal(kernel(given(X), given(Z)), kernel(X, Z))
    np.testing.assert_array_equal(kernel(X, given(Z)), kernel(X, Z))


@every_kernel
def test_array_of_bytes_and_object_array_of_token_lists_are_taken(kernel):
    tokens = np.empty(2, dtype=object)
    tokens[:] = [["a", "b"], ["b"]]
    np.testing.assert_array_equal(kernel(np.array([b"ab", b"b"])), kernel(["ab", "b"]))
    np.testing.assert_array_equal(kernel(tokens), kernel(["ab", "b"]))


@pytest.mark.parametrize("kernel", [gm.Spectrum(2), gm.Subsequences(2)], ids=repr)
def test_tokens_may_come_in_arrays(kernel):
    tokens = [np.array([1, 2, 1]), np.array([2]), np.array([], dtype=int), np.array([1, 2])]
    np.testing.assert_array_equal(kernel(tokens), kernel([x.tolist() for x in tokens]))
    np.testing.assert_array_equal(kernel([pd.Series(x) for x in tokens]), kernel([x.tolist() for x in tokens]))


@claims
@given(words, st.data())
def test_selection_of_sequences_is_the_selection_of_their_strings(found, data):
    a, n = as_sequences(found), len(found)
    indices = data.draw(st.lists(st.integers(-n, n - 1), max_size=6))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    step = data.draw(st.sampled_from([1, 2, -1]))
    start, stop = data.draw(st.integers(-n, n)), data.draw(st.integers(-n, n))
    assert read_back(a[np.array(indices, dtype=int)]) == [list(found[i]) for i in indices]
    assert read_back(a[mask]) == [list(x) for x, kept in zip(found, mask, strict=True) if kept]
    assert read_back(a[start:stop:step]) == [list(x) for x in found[start:stop:step]]
    assert a[start:stop].shape == (len(found[start:stop]),)
    assert a[mask].lengths.tolist() == [len(x) for x, kept in zip(found, mask, strict=True) if kept]


@claims
@given(words, words)
def test_sequences_put_together_keep_their_symbols(found, more):
    a, b = as_sequences(found), as_sequences(more)
    both = a.concat(b)
    assert read_back(both) == [list(x) for x in found + more]
    assert len(set(both.alphabet)) == len(both.alphabet)
    assert read_back(a) == [list(x) for x in found]
    assert read_back(b.concat(a)[len(b) :]) == [list(x) for x in found]


def test_copy_of_sequences_shares_no_memory_and_is_equal():
    a = as_sequences(X)
    b = a.copy()
    assert a == b
    assert hash(a) == hash(b)
    assert not np.shares_memory(a.codes, b.codes)
    assert not np.shares_memory(a.starts, b.starts)
    assert a == pickle.loads(pickle.dumps(a))


@pytest.mark.parametrize("other", [["abcab"], ["abcab", "b"], ["abcab", "bc"], ["xyzxy", "yx"], ["abca", "bba"]])
def test_sequences_of_other_symbols_or_bounds_are_not_equal(other):
    assert as_sequences(["abcab", "ba"]) != as_sequences(other)
    assert as_sequences(["ab"]) != "ab"


# Bags


@pytest.mark.parametrize("found", [X, SPARSE_TEXTS], ids=["dense", "sparse"])
@pytest.mark.parametrize("kernel", LETTERS, ids=repr)
def test_selection_of_bags_is_the_selection_of_their_rows(kernel, found):
    a, n = kernel.encode(found), len(found)
    Phi = dense(kernel.features(found))
    for index in (slice(1, 3), slice(None, None, -1), np.array([3, 0, 3]), np.arange(n) % 2 == 0, slice(2, 2)):
        (bags,) = a[index]
        np.testing.assert_array_equal(dense(bags.counts), Phi[index])
        assert len(bags) == bags.shape[0] == len(Phi[index])


@pytest.mark.parametrize("found", [X, SPARSE_TEXTS], ids=["dense", "sparse"])
@pytest.mark.parametrize("kernel", LETTERS, ids=repr)
def test_copy_of_bags_is_equal_and_shares_no_counts(kernel, found):
    (bags,) = kernel.encode(found)
    twin = bags.copy()
    assert twin == bags
    assert hash(twin) == hash(bags)
    assert pickle.loads(pickle.dumps(bags)) == bags
    first, second = (b.counts.data if scipy.sparse.issparse(b.counts) else b.counts for b in (bags, twin))
    assert not np.shares_memory(first, second)


@pytest.mark.parametrize("kernel", [gm.Spectrum(1), gm.Spectrum(2)], ids=repr)
def test_bags_of_other_counts_pieces_or_symbols_are_not_equal(kernel):
    (bags,) = kernel.encode(["abab", "ba"])
    for other in (["abab", "bab"], ["abab"], ["abab", "bc"], ["xyxy", "yx"], ["abab", "b"]):
        assert bags != kernel.encode(other).parts[0]
    assert bags != "bags"


@every_kernel
@pytest.mark.parametrize(
    "more", [Z, X, ["", "zz"], SPARSE_TEXTS[:7]], ids=["new symbols", "the same", "apart", "sparse"]
)
def test_encodings_put_together_are_those_of_the_joint_collection(kernel, more):
    for first, second in ((X, more), (more, X)):
        both = kernel.encode(first).concat(kernel.encode(second))
        expected = kernel(first + second)
        np.testing.assert_allclose(gm.Gram(kernel, both).dense(), expected, rtol=1e-14)
        np.testing.assert_allclose(
            gm.Gram(kernel, both, kernel.encode(Z)).dense(), kernel(first + second, Z), rtol=1e-14
        )
        np.testing.assert_allclose(
            gm.Gram(kernel, kernel.encode(Z), both).dense(), kernel(Z, first + second), rtol=1e-14
        )


def test_pieces_of_one_length_do_not_match_those_of_another():
    (ones,), (twos,) = gm.Spectrum(1).encode(["ab"]), gm.Spectrum(2).encode(["ab"])
    assert (ones.vocabulary.places(twos.vocabulary) == -1).all()


def test_a_vocabulary_does_not_keep_another_alive():
    k = gm.Spectrum(2)
    (kept,) = k.encode(X)
    for seed in range(5):
        k.encode(texts(5, seed=seed)).parts[0].like(kept)
    gc.collect()
    assert len(kept.vocabulary._found) == 0


@every_kernel
def test_mean_test_pools_samples_of_different_alphabets(kernel):
    phi = gm.FeatureSpace(kernel)
    S, T = texts(12, "abc", seed=1), texts(10, "bcdxy😀", seed=2)
    found = gm.mean_test(phi(S), phi(T), permutations=99, rng=0)
    K = kernel(S + T)
    w = np.concatenate([np.full(12, 1 / 12), np.full(10, -1 / 10)])
    assert found.distance == pytest.approx(np.sqrt(w @ K @ w), rel=1e-9)
    assert found.distance == pytest.approx(gm.mean_distance(phi(S), phi(T)), rel=1e-9)
    assert 0.01 <= found.p_value <= 1
    assert gm.mean_test(phi(S), phi(S), permutations=99, rng=0).p_value == 1


def test_mean_test_tells_two_languages_apart_and_not_two_halves_of_one():
    phi = gm.FeatureSpace(gm.Spectrum(2))
    S, T, U = texts(40, "aaab", seed=1), texts(40, "abbb", seed=2), texts(40, "aaab", seed=3)
    assert gm.mean_test(phi(S), phi(T), rng=0).p_value < 0.01
    assert gm.mean_test(phi(S), phi(U), rng=0).p_value > 0.05


def test_mean_test_of_samples_without_any_piece_finds_no_difference():
    for length, S, T in [(5, ["ab", "cd"], ["xy", "z"]), (3, list("abcdefgh"), list("ijkl")), (1, ["", ""], [""])]:
        phi = gm.FeatureSpace(gm.Spectrum(length))
        found = gm.mean_test(phi(S), phi(T), permutations=19, rng=0)
        assert (found.distance, found.p_value) == (0, 1)


# Features


@pytest.mark.parametrize(
    "found", [X, Z, SPARSE_TEXTS, [b"ab", b"b"], [["a", "bc"], [(1, 2)]]], ids=lambda v: str(v)[:20]
)
@pytest.mark.parametrize("kernel", LETTERS, ids=repr)
def test_inner_products_of_the_features_are_the_kernel(kernel, found):
    Phi = kernel.features(found)
    np.testing.assert_allclose(dense(Phi @ Phi.T), kernel(found), rtol=1e-6 if kernel == gm.Composition() else 0)
    assert len(kernel.feature_names(found)) == Phi.shape[1] == len(set(kernel.feature_names(found)))
    assert dense(Phi).any(axis=0).all()  # pieces that occur nowhere have no column


def test_names_of_features_are_the_pieces_that_are_counted():
    for length in (1, 2, 3):
        k = gm.Spectrum(length)
        for row, x in zip(dense(k.features(X)), X, strict=True):
            counted = dict(zip(k.feature_names(X), row, strict=True))
            for piece, n in counted.items():
                assert n == sum(x.startswith(piece, i) for i in range(len(x)))


def test_names_of_pieces_of_tokens_have_spaces_between_the_tokens():
    assert gm.Spectrum(2).feature_names([["the", "cat", "sat"], ["the", "cat"]]) == ["the cat", "cat sat"]
    assert gm.Spectrum(2).feature_names([[1, 2, 1]]) == ["1 2", "2 1"]
    assert gm.Spectrum(3).feature_names(["ab"]) == []


@pytest.mark.parametrize("kernel", [gm.AllSubsequences(), gm.AllSubsequences().normalize()], ids=repr)
def test_kernels_of_huge_feature_spaces_say_that_they_have_no_explicit_map(kernel):
    with pytest.raises(TypeError, match="has no explicit feature map"):
        kernel.features(X)
    with pytest.raises(TypeError, match="have no names"):
        kernel.feature_names(X)


# The algebra

K1, K2 = gm.Spectrum(1), gm.Subsequences(2, 0.5)


def test_algebra_of_string_kernels_is_that_of_their_matrices():
    A, B = K1(X, Z), K2(X, Z)
    for kernel, expected in [
        (K1 + K2, A + B),
        (K1 * K2, A * B),
        (0.5 * K1, A / 2),
        (K2 / 4, B / 4),
        (K1 + 3, A + 3),
        (K1**3, A**3),
        ((0.1 * K1).exp(), np.exp(0.1 * A)),
        (K1.polynomial((1, 0, 2)), 1 + 2 * A**2),
        (K1 + K2 * gm.Composition() + 1, A + B * gm.Composition()(X, Z) + 1),
        (gm.Spectrum(1).pullback(lambda x: [w.upper() for w in x]), A),
        (K1.reweight(lambda x: [len(w) for w in x]), A * np.outer([len(x) for x in X], [len(z) for z in Z])),
    ]:
        np.testing.assert_allclose(kernel(X, Z), expected, rtol=1e-13, err_msg=repr(kernel))


@every_kernel
def test_normalized_string_kernel_is_the_cosine(kernel):
    found = ["abcab", "abaabcb", "abcab", "aaaab"]
    d = np.sqrt(kernel.diag(found))
    expected = kernel(found) / np.outer(d, d)
    np.testing.assert_allclose(kernel.normalize()(found), expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(kernel.gram(found).normalize().dense(), expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(kernel.normalize().diag(found), np.ones(4))


@pytest.mark.parametrize("kernel", [gm.Composition(), gm.Spectrum(2), gm.FullSpectrum(), gm.Subsequences(2)], ids=repr)
def test_string_without_any_piece_has_no_direction(kernel):
    with pytest.raises(ValueError, match=r"φ\(x\) = 0 for 1 object\(s\), first at index 1.*cannot be normalized"):
        kernel.normalize()(["abc", "", "abab"])
    assert (kernel + 1).normalize()(["abc", ""])[1, 1] == 1


def test_empty_string_has_a_direction_among_all_subsequences():
    K = gm.AllSubsequences().normalize()(["", "ab", ""])
    np.testing.assert_allclose(K, [[1, 0.5, 1], [0.5, 1, 0.5], [1, 0.5, 1]], rtol=1e-14)


@every_kernel
def test_centred_string_kernel_is_the_centred_matrix_and_treats_new_strings_alike(kernel):
    K, C = kernel(X), kernel(Z, X)
    H = np.eye(len(X)) - 1 / len(X)
    np.testing.assert_allclose(kernel.center(X)(X), H @ K @ H, atol=1e-10 * K.max())
    expected = (C - K.mean(axis=0)) @ H
    np.testing.assert_allclose(kernel.center(X)(Z, X), expected, atol=1e-10 * K.max())
    np.testing.assert_allclose(kernel.gram(X).center().dense(), H @ K @ H, atol=1e-10 * K.max())


def test_deflated_string_kernel_is_orthogonal_to_what_was_removed():
    S = gm.FeatureSpace(gm.Spectrum(2))(X)
    rest = S.deflate(S[0]).space.kernel
    np.testing.assert_allclose(rest(X[:1], X), 0, atol=1e-12)
    np.testing.assert_allclose(rest(["zz"], ["zz"]), 1)


# Values


@every_kernel
def test_string_kernels_are_values(kernel):
    twin = pickle.loads(pickle.dumps(kernel))
    assert twin == kernel == kernel.with_params()
    assert hash(twin) == hash(kernel)
    assert len({kernel, twin}) == 1
    assert eval(repr(kernel), {name: getattr(gm, name) for name in gm.__all__}) == kernel
    np.testing.assert_array_equal(twin(X, Z), kernel(X, Z))


def test_kernels_of_other_parameters_are_not_equal():
    different = [*KERNELS, gm.Spectrum(3), gm.Subsequences(3), gm.Subsequences(4), gm.Subsequences(3, 0.25)]
    assert len(set(different)) == len(different)
    assert gm.Spectrum(np.int64(2)) == gm.Spectrum(2)
    assert hash(gm.Spectrum(np.int64(2))) == hash(gm.Spectrum(2))


def test_string_kernels_print_as_the_expressions_that_made_them():
    assert repr(gm.Composition("TC")) == "Composition(alphabet='TC', length=1)"
    assert repr(gm.Spectrum(np.int64(2))) == "Spectrum(length=2)"
    assert repr(gm.AllSubsequences().normalize()) == "AllSubsequences().normalize()"
    assert (
        repr(2 * gm.Subsequences(2, 0.5) + gm.Spectrum())
        == "2 * Subsequences(length=2, decay=0.5) + Spectrum(length=3)"
    )
    assert repr(gm.Spectrum(2).center(X)) == "Spectrum(length=2).center(<6 objects>)"


def test_parameters_are_changed_from_outside():
    k = gm.Spectrum(2) + gm.Subsequences(2, 0.5)
    assert k.with_params(left__length=3, right__decay=1.0) == gm.Spectrum(3) + gm.Subsequences(2)
    assert k.get_params()["right__length"] == 2
    assert gm.AllSubsequences().normalize().get_params() == {"base": gm.AllSubsequences()}
    with pytest.raises(ValueError, match="Spectrum has no parameter 'decay'"):
        gm.Spectrum(2).with_params(decay=0.5)
    with pytest.raises(ValueError, match="length is 0"):
        gm.Spectrum(2).with_params(length=0)


@every_kernel
@pytest.mark.parametrize("found", [X, SPARSE_TEXTS[:9]], ids=["dense", "sparse"])
def test_centred_kernels_of_equal_samples_are_equal(kernel, found):
    centred = kernel.center(found)
    assert centred == kernel.center(list(found)) == pickle.loads(pickle.dumps(centred))
    assert hash(centred) == hash(kernel.center(tuple(found)))
    assert centred != kernel.center([*found[:-1], "other"])


def test_kernels_centred_on_samples_that_have_no_pieces_are_compared():
    for kernel, found in ((gm.Composition(), ["", ""]), (gm.Spectrum(5), ["ab", "cd"]), (gm.Spectrum(3), [*"abcdefg"])):
        assert kernel.center(found) == kernel.center(found) == pickle.loads(pickle.dumps(kernel.center(found)))
        assert kernel.center(found) != kernel.center([*found, "abcdef"])


def test_kernel_is_not_changed_by_a_later_change_of_the_list():
    found = list(X)
    centred = gm.Spectrum(2).center(found)
    before = centred(Z)
    found[0] = "zzzzzz"
    np.testing.assert_array_equal(centred(Z), before)


# Grams

MANY, OTHERS = texts(90), texts(70, "bcdxyz", seed=1)


@every_kernel
@pytest.mark.parametrize("side", [32, 50])
def test_tiles_of_any_size_give_the_same_matrix(kernel, side):
    gram = kernel.gram(MANY)
    memory = 8 * side * ((1 + kernel.prepared(gram.place).scratch) * side + 2 * COPIES * gram.rows.width)
    K, C = gram.dense(), kernel.gram(MANY, OTHERS).dense()
    cut, across = kernel.gram(MANY, memory=memory), kernel.gram(MANY, OTHERS, memory=memory)
    np.testing.assert_allclose(cut.dense(), K, rtol=1e-12)
    np.testing.assert_allclose(across.dense(), C, rtol=1e-12)
    V = np.random.default_rng(0).normal(size=(90, 2))
    np.testing.assert_allclose(cut @ V, K @ V, atol=1e-10 * np.abs(K).sum(axis=1).max())
    np.testing.assert_allclose(across.T @ V, C.T @ V, atol=1e-10 * np.abs(K).sum(axis=1).max())


@every_kernel
def test_gram_of_strings_is_factored_like_its_matrix(kernel):
    gram = kernel.gram(MANY)
    K = gram.dense()
    assert gm.is_psd(gram)
    assert gm.is_psd(K)
    np.testing.assert_allclose(gram.block([3, 1], slice(5, 9)), K[[3, 1], 5:9], rtol=1e-12)
    np.testing.assert_allclose(gram.take([4, 2, 4]).dense(), K[np.ix_([4, 2, 4], [4, 2, 4])], rtol=1e-12)
    top = gm.eigen(gram, rank=3)
    np.testing.assert_allclose(top.values, np.linalg.eigvalsh(K)[::-1][:3], rtol=1e-8)
    L = gm.cholesky(gram).factor
    np.testing.assert_allclose(L @ L.T, K, atol=1e-10 * K.diagonal().max())


def test_distances_between_strings_are_those_of_their_counts():
    k = gm.Spectrum(2)
    S, Phi = gm.FeatureSpace(k)(X), dense(k.features(X)).astype(float)
    expected = np.linalg.norm(Phi[:, None] - Phi[None], axis=2)
    np.testing.assert_allclose(S.distances(S), expected, atol=1e-7)
    np.testing.assert_allclose(S.total_variance(), Phi.var(axis=0).sum(), rtol=1e-12)


# What is loaded


def loads_numba(*lines):
    """After each line of code in a fresh interpreter, whether Numba has been loaded."""
    asked = "\n".join(f"{line}\nfound.append('numba' in sys.modules)" for line in lines)
    program = f"import sys, json\nfound = []\nimport gramian as gm\n{asked}\nprint(json.dumps(found))"
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def test_counting_kernels_do_not_load_numba():
    assert loads_numba(
        "gm.Spectrum(2)(['abc', 'bc'], ['b'])",
        "gm.Composition().center(['ab', 'c'])(['b'])",
        "gm.cholesky((gm.Composition() + gm.Spectrum(3)).gram(['abcd', 'bcd', 'x']))",
    ) == [False, False, False]


@pytest.mark.parametrize("kernel", ["gm.AllSubsequences()", "gm.Subsequences(2)", "gm.FullSpectrum()"])
def test_pairwise_kernels_load_numba_with_the_first_value_and_not_before(kernel):
    made = f"k = 2 * {kernel} + 1; assert k == k; repr(k)"
    assert loads_numba(made, "k(['abc', 'bc'])") == [False, True]
