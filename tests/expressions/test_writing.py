"""Kernels become expressions that are read back to equal kernels; what cannot be said is refused with the reason."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.expressions import LONGEST, MOST_DEEP, format_kernel, parse_kernel

from .cases import AGE, GRAPH, MEANINGS


@pytest.mark.parametrize("text", MEANINGS)
def test_what_was_read_is_written_so_that_it_is_read_again(text):
    assert parse_kernel(format_kernel(MEANINGS[text]), graph=GRAPH) == MEANINGS[text]


@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        (gm.Linear(), "linear"),
        (0.5 * gm.Gaussian("median") + 1, '0.5 * gaussian(bandwidth="median") + 1'),
        (
            AGE * gm.Equality().on("hair colour"),
            'gaussian(bandwidth="median") on age, weight * equality on "hair colour"',
        ),
        ((AGE + 1) ** 2, '(gaussian(bandwidth="median") on age, weight + 1) ** 2'),
        (gm.Nystrom(gm.Linear().on("a"), rank=5).normalize(), "normalize(nystrom(linear on a, rank=5))"),
        (gm.Linear().pullback(gm.Standardize()).on("a"), "standardize(linear) on a"),
        (gm.BagOfWords(ngram_range=(1, 2)), "bag_of_words(ngram_range=[1, 2])"),
        (gm.VonNeumannDiffusion(GRAPH, 0.1), "von_neumann_diffusion(beta=0.1)"),
        (gm.Gaussian(np.float64(0.1)), "gaussian(bandwidth=0.1)"),
    ],
)
def test_a_kernel_is_written_without_what_goes_without_saying(kernel, text):
    assert format_kernel(kernel) == text


def reversed_words(X):
    return [x[::-1] for x in X]


class Homemade(gm.Gaussian):
    """A kernel that the language has no word for."""


def doubled(times):
    k = gm.Linear()
    for _ in range(times):
        k = k + k
    return k


SAMPLE = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (gm.Precomputed(np.eye(2)), "K of Precomputed is a matrix"),
        (gm.Bilinear(np.eye(2)) + 1, "A of Bilinear is a matrix"),
        (gm.Spectrum().pullback(reversed_words), "pullback takes a function"),
        (gm.Linear().reweight(len), "Reweighted takes a function"),
        (gm.BagOfWords(tokenizer=str.split), "tokenizer of bag_of_words is a function"),
        (gm.BagOfWords("tf-idf").fit(["a cat", "a dog"]), "idf of bag_of_words is weights learnt from a corpus"),
        (2 * gm.Linear().center(SAMPLE), "Centered holds a sample"),
        (gm.Linear().pullback(gm.Standardize()).fit(SAMPLE), "it has the numbers of a sample"),
        (gm.Nystrom(gm.Linear(), landmarks=SAMPLE), "landmarks of nystrom is objects of a sample"),
        (Homemade(1.0), "Homemade is no kernel of the language"),
        (gm.Linear().on(("a", "b")), "the column ('a', 'b') is neither a text nor a position"),
        (gm.Composition(b"ACGT"), "b'ACGT' is a bytes, which has no literal"),
        (gm.Gaussian(10**30), "is refused, the number 1000000000000000000000000000000 is out of range"),
        (gm.Composition("".join(map(chr, range(0x4E00, 0x4E00 + LONGEST)))), "it takes more than 10,000 characters"),
        (doubled(12), "it takes more than 10,000 characters"),
        (sum([gm.Linear()] * (MOST_DEEP + 5), gm.Linear()), f"it is more than {MOST_DEEP} operators deep"),
        (
            gm.PowerDiffusion(GRAPH) + gm.PowerDiffusion([("a", "b")]),
            "its kernels on nodes belong to different graphs",
        ),
    ],
)
def test_what_the_language_cannot_say_is_refused_with_the_reason(kernel, reason):
    with pytest.raises(TypeError, match="^the kernel cannot be written as an expression: .*" + re.escape(reason)):
        format_kernel(kernel)


def test_only_kernels_are_written():
    with pytest.raises(TypeError, match="'linear' is a str; a kernel expected, such as gm.Gaussian()"):
        format_kernel("linear")


# Properties

numbers = st.one_of(st.integers(1, 10**12), st.floats(1e-300, 1e300))
counts = st.integers(1, 30)
names = st.one_of(st.sampled_from(["age", "rank", "on", "body mass", "sepal.length", "x-1", "tf-idf", ""]), st.text())
alphabets = st.one_of(st.none(), st.text(min_size=1, max_size=8).filter(lambda s: len(set(s)) == len(s)))
bandwidths = st.one_of(st.just("median"), numbers)
decays = st.floats(1e-300, 1.0)
radial = st.one_of(
    st.builds(gm.Gaussian, bandwidths),
    st.builds(gm.Laplacian, bandwidths),
    st.builds(gm.Matern, bandwidths, st.floats(0.01, 100.0)),
)
on_vectors = st.one_of(
    radial,
    st.builds(gm.Periodic, numbers, bandwidths),
    st.just(gm.Linear()),
    st.builds(gm.Polynomial, counts, st.one_of(st.just(0), numbers)),
    st.builds(gm.AllSubsets, st.one_of(st.none(), st.lists(numbers, min_size=1, max_size=3))),
    st.builds(gm.Anova, counts),
    st.builds(gm.RandomFourier, radial, counts.map(lambda n: 2 * n), st.integers(0, 2**40)),
)
on_objects = st.one_of(
    st.just(gm.Equality()),
    st.builds(gm.Composition, alphabets, st.integers(1, 64)),
    st.builds(gm.Spectrum, counts),
    st.builds(gm.Mismatch, st.integers(2, 6), st.integers(0, 1), alphabets),
    st.builds(gm.FullSpectrum, st.integers(0, 4), st.one_of(st.none(), st.integers(4, 40)), decays),
    st.builds(gm.Subsequences, counts, st.floats(1e-4, 1.0)),
    st.just(gm.AllSubsequences()),
    st.builds(
        gm.BagOfWords,
        st.sampled_from(["tf", "tf-idf"]),
        lowercase=st.booleans(),
        ngram_range=st.sampled_from([(1, 1), (1, 2)]),
        stop_words=st.one_of(st.none(), st.lists(st.text(), min_size=1, max_size=3)),
        max_features=st.one_of(st.none(), counts),
        vocabulary=st.one_of(st.none(), st.lists(st.text(), min_size=1, max_size=3, unique=True)),
    ),
    st.builds(gm.PowerDiffusion, st.just(GRAPH), st.sampled_from([2, 4])),
    st.builds(
        lambda b, of: gm.ExponentialDiffusion(GRAPH, b, of=of),
        st.floats(-3, 3),
        st.sampled_from(["laplacian", "adjacency"]),
    ),
)


def extended(inner):
    return st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda k, c: c * k, inner, numbers),
        st.builds(lambda k, c: k + c, inner, numbers),
        st.builds(lambda k, q: k**q, inner, st.integers(1, 10**6)),
        st.builds(lambda k: k.exp(), inner),
        st.builds(lambda k: k.normalize(), inner),
        st.builds(lambda k, c: k.polynomial([1.0, *c]), inner, st.lists(numbers, max_size=3)),
        st.builds(lambda k, name: k.on(name), inner, st.one_of(names, st.integers(-5, 5))),
        st.builds(lambda k, rank: gm.Nystrom(k, rank=rank), inner, counts),
    )


leaves = st.one_of(
    on_vectors,
    on_objects,
    on_vectors.map(lambda k: k.pullback(gm.Standardize())),
    st.builds(lambda k, columns: k.on(*columns), on_vectors, st.lists(names, min_size=1, max_size=4)),
)
kernels = st.recursive(leaves, extended, max_leaves=8)


@settings(max_examples=300, deadline=None)
@given(kernels)
def test_writing_and_reading_a_kernel_gives_an_equal_one(kernel):
    text = format_kernel(kernel)
    found = parse_kernel(text, graph=GRAPH)
    assert found == kernel
    assert format_kernel(found) == text


plain = st.sampled_from(["age", "weight", "body mass", "sepal.length", "it's", 'a"b', "a\\b\n"])


@settings(max_examples=150, deadline=None)
@given(
    st.recursive(
        st.one_of(on_vectors, st.builds(lambda k, columns: k.on(*columns), on_vectors, st.lists(plain, min_size=1))),
        lambda inner: st.one_of(
            st.builds(lambda a, b: a + b, inner, inner),
            st.builds(lambda a, b: a * b, inner, inner),
            st.builds(lambda k, c: (c * k + c) ** 2, inner, numbers),
            st.builds(lambda k: k.exp().normalize(), inner),
            st.builds(lambda k: k.polynomial([1.0, 2.0]), inner),
            st.builds(lambda k: gm.Nystrom(k, rank=5), inner),
        ),
        max_leaves=6,
    )
)
def test_what_a_kernel_prints_as_is_an_expression_of_it(kernel):
    assert parse_kernel(repr(kernel)) == kernel
