"""Every operation, two deep, on every kind of kernel: what it says of values and what it offers is right, or refused.

The oracle is the plain definition, pair by pair, in decimal numbers of sixty digits that do not overflow.
"""

import decimal
import itertools
import math
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import MISSING, dataclass, replace
from dataclasses import fields as fields_of
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse

import gramian as gm
from gramian.checks import is_sparse
from gramian.kernels.base import BaseKernel
from gramian.kernels.capabilities import Capabilities
from gramian.kernels.graphs import diffusion

decimal.getcontext().prec = 60
LARGE = Decimal("1e250")  # beyond, a kernel may say that values overflow
SAMPLE = 5  # objects that kernels are centred on
TOLERANCE = Decimal("1e-9")


@dataclass(frozen=True)
class Made:
    """A kernel and its plain definition, a function of two objects."""

    kernel: gm.Kernel
    kappa: Callable[[Any, Any], Decimal]
    scale: Decimal  # the largest value that it is computed from
    refusable: bool = False  # whether something on the way leaves the range of a number


@dataclass(frozen=True)
class Kind:
    """Objects, kernels on them, and what becomes of objects."""

    objects: list[Any]
    leaf: Callable[[], gm.Kernel]
    kappa: Callable[[Any, Any], Decimal]
    second: Callable[[], gm.Kernel]
    second_kappa: Callable[[Any, Any], Decimal]
    move: Callable[[Any], Any]
    collect: Callable[[list[Any]], Any] = list
    scatter: Callable[[Any], list[Any]] = list

    def moved(self, X: Any) -> Any:
        return self.collect([self.move(x) for x in self.scatter(X)])

    def weights(self, X: Any) -> np.ndarray:
        return np.array([self.weight(x) for x in self.scatter(X)])

    def weight(self, x: Any) -> float:
        return [0.5, -1.5, 2.0][sum(map(ord, repr(x))) % 3]

    def made(self, leaf: Callable[[], gm.Kernel], kappa: Callable[[Any, Any], Decimal]) -> Made:
        known = cache(kappa)
        return settled(self, Made(leaf().fit(self.collect(self.objects)), known, norms_of(self, known, max)))


def norms_of(kind, kappa, choose):
    seen = [*kind.objects, *map(kind.move, kind.objects), *map(kind.move, map(kind.move, kind.objects))]
    return choose(kappa(x, x) for x in seen)


def settled(kind, made):
    """The same, with its values remembered, and a note where they leave the range of a number."""
    kappa = cache(made.kappa)
    wide = made.scale > LARGE or norms_of(kind, kappa, max) > LARGE
    return replace(made, kappa=kappa, refusable=made.refusable or bool(wide))


# Plain definitions


def dot(x, z):
    return sum((Decimal(s) * Decimal(t) for s, t in zip(x, z, strict=True)), Decimal(0))


def gaussian(x, z):
    return (-sum((Decimal(s) - Decimal(t)) ** 2 for s, t in zip(x, z, strict=True)) / 2).exp()


def spectrum(length):
    def count(x):
        return Counter(x[i : i + length] for i in range(len(x) - length + 1))

    return lambda x, z: Decimal(sum(n * count(z)[u] for u, n in count(x).items()))


def all_subsequences(x, z):
    if set(x) == set(z) == {"a"}:  # which any two of one length are equal of
        return Decimal(math.comb(len(x) + len(z), len(x)))
    before = [1] * (len(z) + 1)
    for s in x:
        row = [1]
        for j, t in enumerate(z):
            row.append(before[j + 1] + row[j] - before[j] * (s != t))
        before = row
    return Decimal(before[-1])


def shared_words(x, z):
    return Decimal(sum(n * Counter(z.split())[u] for u, n in Counter(x.split()).items()))


EDGES = [(k, (k + step) % 12) for k in range(12) for step in (1, 5)]
ADJACENCY = np.zeros((12, 12))
for one, other in EDGES:
    ADJACENCY[one, other] = ADJACENCY[other, one] = 1.0
HEAT = scipy.linalg.expm(0.3 * ADJACENCY)
WALKS = ADJACENCY @ ADJACENCY

POINTS = [tuple(map(float, row)) for row in np.random.default_rng(3).normal(size=(8, 3)).round(2)]
WORDS = ["abca", "bca", "cab", "aabb", "abcab", "bbc", "ca", "acb"]
LONG = ["a" * n for n in (560, 550, 540, 535, 530, 525)]  # C(2n, n) is no number from n = 515 on
TEXTS = ["the cat sat", "a dog", "the dog sat", "a cat a mat", "the mat", "dog cat", "cat on the mat", "on a dog"]


def sparse(rows):
    return scipy.sparse.csr_array(np.array(rows))


def rows_of(X):
    return [tuple(map(float, row)) for row in (X.toarray() if is_sparse(X) else np.asarray(X))]


def halved(x):
    return tuple(s / 2 for s in x)


def entry(K):
    return lambda i, j: Decimal(float(K[i, j]))


def of_field(kappa):
    return lambda x, z: kappa(dict(x)["s"], dict(z)["s"])


def fields(rows):
    return [dict(row) for row in rows]


def pairs(rows):
    return [tuple(row.items()) for row in rows]


def strings(leaf, kappa, objects=WORDS, **changes):
    given = {"second": lambda: gm.Spectrum(1), "second_kappa": spectrum(1), "move": lambda x: x[::-1] + "a"}
    return Kind(objects, leaf, kappa, **{**given, **changes})


def vectors(leaf, kappa, **changes):
    given = {"second": gm.Gaussian, "second_kappa": gaussian, "move": halved, "collect": np.array, "scatter": rows_of}
    return Kind(**{"objects": POINTS, "leaf": leaf, "kappa": kappa, **given, **changes})


def in_columns(row):
    return tuple(zip("abc", row, strict=True))


def of_columns(kappa):
    return lambda x, z: kappa(tuple(dict(x).values()), tuple(dict(z).values()))


def nodes(leaf, K, second=lambda: gm.PowerDiffusion(gm.Graph.from_edges(EDGES)), other=WALKS):
    return Kind(list(range(8)), leaf, entry(K), second, entry(other), lambda i: (int(i) + 1) % 12)


def heat():
    return gm.ExponentialDiffusion(gm.Graph.from_edges(EDGES), beta=0.3)


KINDS = {
    "linear": vectors(gm.Linear, dot),
    "linear and linear": vectors(gm.Linear, dot, second=gm.Linear, second_kappa=dot),
    "polynomial": vectors(lambda: gm.Polynomial(2, 0.5), lambda x, z: (dot(x, z) + Decimal("0.5")) ** 2),
    "gaussian": vectors(gm.Gaussian, gaussian, second=gm.Linear, second_kappa=dot),
    "linear in columns": vectors(
        lambda: gm.Linear().on("a", "b", "c"),
        of_columns(dot),
        objects=[in_columns(x) for x in POINTS],
        second=lambda: gm.Linear().on("b"),
        second_kappa=lambda x, z: Decimal(dict(x)["b"]) * Decimal(dict(z)["b"]),
        move=lambda x: in_columns(halved(s for _, s in x)),
        collect=fields,
        scatter=pairs,
    ),
    "sparse linear": vectors(gm.Linear, dot, second=gm.Linear, second_kappa=dot, collect=sparse),
    "all subsequences": strings(gm.AllSubsequences, all_subsequences),
    "all subsequences of long strings": strings(gm.AllSubsequences, all_subsequences, LONG),
    "long strings in a column": strings(
        lambda: gm.AllSubsequences().on("s"),
        of_field(all_subsequences),
        [(("s", x),) for x in LONG],
        second=lambda: gm.Spectrum(1).on("s"),
        second_kappa=of_field(spectrum(1)),
        move=lambda x: (("s", x[0][1] + "a"),),
        collect=fields,
        scatter=pairs,
    ),
    "spectrum": strings(lambda: gm.Spectrum(2), spectrum(2)),
    "subsequences": strings(
        lambda: gm.Spectrum(1), spectrum(1), second=gm.AllSubsequences, second_kappa=all_subsequences
    ),
    "words": Kind(
        TEXTS,
        lambda: gm.BagOfWords(tokenizer=str.split, vocabulary=("the", "a", "cat", "dog", "mat", "sat", "on")),
        shared_words,
        lambda: gm.AllSubsequences(),
        all_subsequences,
        lambda x: x + " cat",
    ),
    "nodes": nodes(heat, HEAT),
    "nodes and heat": nodes(heat, HEAT, heat, HEAT),
}


# Operations: the kernel's, and what they mean


def pointwise(make, of):
    """A function of the values of one kernel."""

    def operation(kind, k):
        return Made(make(k.kernel), lambda x, z: of(k.kappa(x, z)), of(k.scale), k.refusable)

    return operation


def pair(make, of):
    def operation(kind, k):
        other = kind.made(kind.second, kind.second_kappa)
        kappa = lambda x, z: of(k.kappa(x, z), other.kappa(x, z))  # noqa: E731
        return Made(make(k.kernel, other.kernel), kappa, of(k.scale, other.scale), k.refusable or other.refusable)

    return operation


def pulled_back(kind, k):
    return Made(k.kernel.pullback(kind.moved), lambda x, z: k.kappa(kind.move(x), kind.move(z)), k.scale, k.refusable)


def reweighted(kind, k):
    def kappa(x, z):
        return Decimal(kind.weight(x)) * k.kappa(x, z) * Decimal(kind.weight(z))

    return Made(k.kernel.reweight(kind.weights), kappa, 4 * k.scale, k.refusable)


def normalized(kind, k):
    def kappa(x, z):
        return k.kappa(x, z) / (k.kappa(x, x) * k.kappa(z, z)).sqrt()

    least, known = norms_of(kind, k.kappa, min), k.kernel.capabilities.logarithms is not None
    if not known and not (k.scale.is_finite() and TOLERANCE * k.scale < least):  # a direction that is rounding, or none
        return Made(k.kernel.normalize(), nothing, Decimal("Infinity"), True)
    return Made(k.kernel.normalize(), kappa, Decimal(1) if known else k.scale / least, k.refusable and not known)


def nothing(x, z):
    """The values of what has none."""
    return Decimal("Infinity")


def centered(kind, k):
    S = kind.objects[:SAMPLE]
    mean = cache(lambda x: sum(k.kappa(x, s) for s in S) / SAMPLE)

    def kappa(x, z):
        if not k.scale.is_finite():
            return nothing(x, z)
        return k.kappa(x, z) - mean(x) - mean(z) + sum(map(mean, S)) / SAMPLE

    return Made(k.kernel.center(kind.collect(S)), kappa, k.scale, k.refusable)


def deflated(kind, k):
    place = str(k.kernel).count("deflate")  # after the first, nothing is left of its direction
    first = kind.objects[place]
    phi = gm.FeatureSpace(k.kernel)(kind.collect(kind.objects[:SAMPLE]))

    def kappa(x, z):
        if not k.scale.is_finite():
            return nothing(x, z)
        return k.kappa(x, z) - k.kappa(x, first) * k.kappa(first, z) / k.kappa(first, first)

    return Made(phi.deflate(phi[place]).space.kernel, kappa, k.scale, k.refusable)


def exp(value):
    with decimal.localcontext() as context:
        context.traps[decimal.Overflow] = False
        return value.exp() if value < 10**6 else Decimal("Infinity")


OPERATIONS = {
    "sum": pair(lambda k, other: k + other, lambda s, t: s + t),
    "product": pair(lambda k, other: k * other, lambda s, t: s * t),
    "scale": pointwise(lambda k: 3 * k, lambda s: 3 * s),
    "shift": pointwise(lambda k: k + 1, lambda s: s + 1),
    "power": pointwise(lambda k: k**3, lambda s: s**3),
    "square": pointwise(lambda k: k**2, lambda s: s**2),
    "exp": pointwise(lambda k: k.exp(), exp),
    "series": pointwise(lambda k: k.polynomial([1.0, 0.0, 0.5]), lambda s: 1 + s**2 / 2),
    "pullback": pulled_back,
    "reweight": reweighted,
    "normalize": normalized,
    "center": centered,
    "deflate": deflated,
}
OFFERED = {
    "linear": {"features"},
    "gaussian": set(),
    "all subsequences": {"logarithms"},
    "nodes": {"product", "estimate", "pairs"},
}
POLYNOMIAL = {"sum", "product", "scale", "shift", "power", "square", "series", "pullback"}  # what keeps logarithms
LINEAR = {"scale", "shift", "pullback", "reweight", "normalize", "center"}  # what keeps explicit features


@pytest.fixture(autouse=True)
def _large_graphs(monkeypatch):
    monkeypatch.setattr(diffusion, "SMALL", 4)


def close(found, expected, scale):
    found = np.asarray(found.toarray() if is_sparse(found) else found, dtype=np.float64)
    assert np.isfinite(found).all()
    for at, value in np.ndenumerate(expected):
        assert abs(Decimal(float(found[at])) - value) <= TOLERANCE * max(scale, Decimal("1e-300")), at


def table(kappa, A, B):
    return np.array([[kappa(x, z) for z in B] for x in A], dtype=object)


@pytest.mark.parametrize("outer", OPERATIONS)
@pytest.mark.parametrize("inner", OPERATIONS)
@pytest.mark.parametrize("name", KINDS)
def test_what_is_made_of_kernels_is_right_in_all_it_offers_or_refused(name, inner, outer):
    kind = KINDS[name]
    made = leaf = kind.made(kind.leaf, kind.kappa)
    X, Z = kind.collect(kind.objects[:SAMPLE]), kind.collect(kind.objects)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            for operation in (inner, outer):
                made = settled(kind, OPERATIONS[operation](kind, made))
            dense = made.kernel.gram(Z).dense()
        except ValueError:
            if not made.refusable:
                raise
            if {inner, outer} <= POLYNOMIAL and leaf.kernel.capabilities.logarithms is not None:
                assert np.isfinite(made.kernel.normalize().gram(Z).dense()).all()
            return
        assert np.isfinite(dense).all()
        if made.scale.is_finite():
            _check_values(made, X, Z, kind)
            _check_features(made, Z, kind)
            _check_others(made, kind)
            _check_traits(made, leaf, kind, inner, outer)


def _check_values(made, X, Z, kind):
    K = table(made.kappa, kind.objects[:SAMPLE], kind.objects)
    V = np.random.default_rng(0).normal(size=(len(kind.objects), 2))
    gram = made.kernel.gram(X, Z)
    close(gram.dense(), K, made.scale)
    close(gram @ V, K @ np.vectorize(Decimal, otypes=[object])(V), 8 * made.scale)
    whole, K = made.kernel.gram(Z), table(made.kappa, kind.objects, kind.objects)
    close(whole.dense(), K, made.scale)
    close(whole.diag(), K.diagonal(), made.scale)


def _check_features(made, Z, kind):
    kernel, a = made.kernel, made.kernel.encode(Z)
    dim = kernel.feature_dim(a)
    if kernel.capabilities.features is None:
        assert dim is None
        with pytest.raises(TypeError, match=r"no explicit feature map|infinite-dimensional"):
            kernel.features(Z)
        return
    Phi = kernel.phi(a)
    assert dim is None or Phi.shape == (len(a), dim)
    assert 0 < kernel.feature_load(a) <= Phi.shape[1]
    close(Phi @ Phi.T, table(made.kappa, kind.objects, kind.objects), made.scale)
    if kernel.capabilities.features.named is None:
        with pytest.raises(TypeError, match="have no names"):
            kernel.named(a, ["x1", "x2", "x3"])
    else:
        names = kernel.named(a, ["x1", "x2", "x3"])
        assert len(names) == Phi.shape[1]
        assert "x1" not in names or not kernel.traits.by_name


def _check_others(made, kind):
    kernel = made.kernel
    a = kernel.encode(kind.collect(kind.objects))
    b = a[:SAMPLE]
    K = table(made.kappa, kind.objects, kind.objects[:SAMPLE])
    norms = np.array([made.kappa(x, x) for x in kind.objects])
    V = np.random.default_rng(1).normal(size=(SAMPLE, 3))
    if kernel.matrix_free:
        close(kernel.multiply(a, b, V), K @ np.vectorize(Decimal, otypes=[object])(V), 8 * made.scale)
    else:
        with pytest.raises(TypeError, match="multiplied through its entries"):
            kernel.multiply(a, b, V)
    for part in _leaves(kernel):  # an estimate that is exact is passed on as it is
        if isinstance(part, diffusion.Diffusion):
            part.__dict__["_rough"] = part.squared_norms(part.encode(range(12)))
    close(kernel.rough_norms(a), norms, made.scale)
    close(np.array([kernel.rough_mean(a)]), np.array([sum(norms) / len(norms)]), made.scale)
    if (pairs := kernel.leading_pairs(a, 1)) is not None:
        whole = table(made.kappa, kind.objects, kind.objects).astype(float)
        assert np.abs(whole @ pairs[1] - pairs[1] * pairs[0]).max() <= 1e-9 * made.scale
    if (logarithms := kernel.capabilities.logarithms) is not None:
        assert kernel.non_negative
        out = np.empty((len(a), SAMPLE))
        logarithms.block(a, b, out)
        _close_logarithms(out, K)
        _close_logarithms(logarithms.norms(a), norms)


def _close_logarithms(found, values):
    for at, value in np.ndenumerate(values):
        expected = float(value.ln()) if value > 0 else -math.inf
        assert found[at] == pytest.approx(expected, rel=1e-10, abs=1e-10)


def _leaves(kernel):
    inner = [k for name, k in kernel.params().items() if isinstance(k, BaseKernel)]
    return [leaf for k in inner for leaf in _leaves(k)] if inner else [kernel]


def _check_traits(made, leaf, kind, inner, outer):
    traits, leaves = made.kernel.traits, [one.traits for one in _leaves(made.kernel)]
    norms = [made.kappa(x, x) for x in kind.objects]
    assert max(norms) <= Decimal(made.kernel.radius) ** 2 * (1 + TOLERANCE) or math.isinf(made.kernel.radius)
    if traits.non_negative:
        assert min(made.kappa(x, z) for x, z in itertools.product(kind.objects, repeat=2)) >= 0
    assert traits.expensive == any(one.expensive for one in leaves)
    assert traits.whole_columns == any(one.whole_columns for one in leaves)
    assert traits.on_vectors == (leaf.kernel.on_vectors and "pullback" not in (inner, outer))
    assert traits.by_name == (leaf.kernel.traits.by_name and "pullback" not in (inner, outer))
    if {inner, outer} <= LINEAR - {"center"}:
        assert (made.kernel.capabilities.features is None) == (leaf.kernel.capabilities.features is None)
    if {inner, outer} <= {*LINEAR, "deflate"}:
        assert made.kernel.matrix_free == leaf.kernel.matrix_free
    if {inner, outer} <= POLYNOMIAL and leaf.kernel.capabilities.logarithms is not None:
        assert made.kernel.capabilities.logarithms is not None


@pytest.mark.parametrize("name", OFFERED)
def test_a_kernel_that_is_made_of_no_others_offers_what_it_writes(name):
    capabilities = KINDS[name].leaf().capabilities
    assert {f.name for f in fields_of(Capabilities) if getattr(capabilities, f.name) is not None} == OFFERED[name]


class Outside(gm.Kernel):
    """A kernel that says what it knows by attributes, and writes an explicit map."""

    power: int = 1
    on_vectors = True
    expensive = True

    @property
    def radius(self):
        return 2.0

    def encode(self, X):
        X = np.asarray(X, dtype=np.float64)
        return gm.Encoded((2 * (X / np.linalg.norm(X, axis=1, keepdims=True)) ** self.power,))

    def block(self, a, b, out):
        np.matmul(a.parts[0], b.parts[0].T, out=out)

    def squared_norms(self, a):
        return np.square(a.parts[0]).sum(axis=1)

    def feature_dim(self, a):
        return a.width

    def phi(self, a):
        return a.parts[0]


def test_what_a_kernel_written_outside_says_and_offers_is_passed_on():
    made = 4 * Outside() + gm.Linear() * 0.25
    assert made.on_vectors
    assert made.traits.expensive
    assert not made.non_negative
    assert (4 * Outside()).radius == 4
    assert made.capabilities.features.named is None  # of which one side has no names
    assert made.features(POINTS).shape == (len(POINTS), 6)
    gm.testing.check_kernel(made, np.array(POINTS))


@pytest.mark.parametrize("make", [lambda k: k + 1, lambda k: 1.01 * k, lambda k: k.pullback(halved_rows)])
def test_a_kernel_as_deep_as_can_be_says_and_offers_the_same(make):
    k = gm.Linear()
    for _ in range(150):
        k = make(k)
    X = np.array(POINTS)
    np.testing.assert_allclose(k.features(X) @ k.features(X).T, k(X), rtol=1e-9)
    assert k.radius == math.inf
    assert not k.non_negative


def halved_rows(X):
    return np.asarray(X) * 0.99


def test_a_capability_has_no_default_so_that_every_operation_says_something_of_each():
    assert all(f.default is MISSING is f.default_factory for f in fields_of(Capabilities))
