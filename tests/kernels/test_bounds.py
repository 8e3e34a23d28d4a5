"""What is known of a kernel without data: whether it takes vectors, the radius of its image, the sign of its values."""

from math import exp, inf, sqrt

import numpy as np
import pytest
import scipy.sparse

import gramian as gm

from .cases import CASES, cubes, loudness, sample

every_case = pytest.mark.parametrize("case", CASES, ids=repr)
G, L = gm.Gaussian(1.5), gm.Linear()
SIGNED = gm.Precomputed([[4.0, -1.0], [-1.0, 9.0]])


def dense(X):
    return X.toarray() if scipy.sparse.issparse(X) else np.asarray(X)


def _takes_vectors(name):
    objects = ("precomputed", "strings", "nodes", "text", "records", "categories")
    return name.startswith("pullback-standardize") or not name.startswith(("pullback", *objects))


@every_case
def test_kernels_on_vectors_say_so_and_take_an_array_and_nothing_else(case):
    kernel = case.kernel.fit(case.data)
    assert kernel.on_vectors == case.kernel.on_vectors == _takes_vectors(case.name)
    if kernel.on_vectors:
        assert len(kernel.encode(dense(case.data))) == case.data.shape[0]
        with pytest.raises(TypeError, match="real numbers expected"):
            kernel.encode([["not"], ["numbers"]])


class Lengths(gm.Kernel):
    """A kernel on strings: the product of their lengths."""

    def encode(self, X):
        return gm.Encoded((np.array([float(len(x)) for x in X]),))

    def block(self, a, b, out):
        np.multiply.outer(a.parts[0], b.parts[0], out=out)

    def squared_norms(self, a):
        return a.parts[0] ** 2


def test_nothing_is_claimed_of_a_kernel_written_outside_or_of_what_is_made_of_it():
    for kernel in (Lengths(), 2 * Lengths(), Lengths() + L, (L * Lengths()).normalize(), Lengths().center(["a", "bc"])):
        assert not kernel.on_vectors
        assert not kernel.non_negative
    assert Lengths().radius == (Lengths() + G).radius == inf
    assert Lengths().normalize().radius == 1


@every_case
def test_no_object_lies_outside_the_radius(case):
    kernel = case.kernel.fit(case.data)
    assert kernel.radius > 0
    slack = 1e-5 if case.dtype == np.float32 else 1e-9
    assert kernel.diag(case.data).max() <= kernel.radius**2 * (1 + slack)
    seen = "nystrom-normalized" not in case.name  # of objects far from all landmarks nothing is left to normalize
    if kernel.on_vectors and kernel.radius < inf and seen:
        assert kernel.diag(100 * case.data).max() <= kernel.radius**2 * (1 + slack)


@pytest.mark.parametrize(
    ("kernel", "radius"),
    [
        (G, 1),
        (gm.Laplacian("median"), 1),
        (gm.Matern(2.0, 0.8), 1),
        (4 * G, 2),
        (G + 3, 2),
        (G + gm.Laplacian(), sqrt(2)),
        ((4 * G) * (9 * G), 6),
        ((4 * G) ** 3, 8),
        ((2 * G).exp(), exp(1)),
        ((2 * G).polynomial((1, 0, 2)), 3),
        ((4 * G).pullback(cubes), 2),
        (SIGNED, 3),
        (2 * SIGNED * SIGNED, sqrt(2) * 9),
        (L.normalize(), 1),
        (4 * L.normalize(), 2),
        (gm.Composition(), 1),
        (9 * gm.Composition() * gm.AllSubsequences().normalize(), 3),
    ],
    ids=repr,
)
def test_radius_is_that_of_the_formula(kernel, radius):
    assert kernel.radius == pytest.approx(radius, rel=1e-14)


@pytest.mark.parametrize(
    "kernel",
    [
        *(L, gm.Polynomial(2), gm.Bilinear(np.eye(3)), gm.AllSubsets(), gm.Anova(2)),
        *(
            2 * L,
            L + 1,
            L + G,
            G * L,
            L**2,
            L.exp(),
            L.polynomial((1.0, 2.0, 0.0)),
            L.pullback(cubes),
            L.center([[1.0]]),
        ),
        G.reweight(loudness),
        *(gm.Spectrum(2), gm.AllSubsequences(), gm.Subsequences(2, 0.5)),
    ],
    ids=repr,
)
def test_radius_of_an_unbounded_kernel_is_infinite(kernel):
    assert kernel.radius == inf


@pytest.mark.parametrize(
    "kernel", [(1e4 * G).exp(), (1e200 * G) ** 2, (1e200 * G) * (1e200 * G), gm.Precomputed([[0.0]]) * L], ids=repr
)
def test_radius_that_is_no_number_is_infinite_and_no_warning(kernel):
    assert kernel.radius == inf


def test_radius_of_a_centred_kernel_is_that_of_the_base_and_of_the_centre():
    X = sample()
    centred = G.center(X)
    assert centred.radius == pytest.approx(1 + sqrt(G(X).mean()), rel=1e-12)
    assert sqrt(centred.diag(X + 1e3).max()) == pytest.approx(sqrt(1 + G(X).mean()), rel=1e-9)  # κ(x, xᵢ) = 0 there


def test_radius_of_a_deflated_kernel_is_that_of_the_base():
    S = gm.FeatureSpace(4 * G)(sample())
    assert S.deflate(S[0]).space.kernel.radius == 2


@every_case
def test_values_are_not_negative_where_that_is_claimed(case):
    kernel = case.kernel.fit(case.data)
    if kernel.non_negative:
        assert kernel(case.data).min() >= 0
        if kernel.on_vectors:
            assert kernel(case.data, -case.data).min() >= 0


@pytest.mark.parametrize(
    "kernel",
    [
        *(G, gm.Laplacian(), gm.Matern(1.0, 0.8), gm.Polynomial(2), gm.Polynomial(4, 0.0)),
        *(G + gm.Polynomial(2), G * gm.Laplacian(), 2 * G, G + 1, G**3, L**2, SIGNED**4, L.exp()),
        *(G.polynomial((0, 1, 1)), G.pullback(cubes), gm.Polynomial(2).normalize(), gm.Precomputed(np.eye(2))),
        *(gm.Composition(), gm.Spectrum(2), gm.AllSubsequences(), gm.AllSubsequences().normalize(), gm.Subsequences(2)),
    ],
    ids=repr,
)
def test_kernels_that_cannot_be_negative_are_known(kernel):
    assert kernel.non_negative is True


@pytest.mark.parametrize(
    "kernel",
    [
        *(L, gm.Polynomial(3), gm.Polynomial(1, 5.0), gm.Bilinear(np.eye(3)), gm.AllSubsets(), gm.Anova(2)),
        *(G + L, G * L, 2 * L, L + 1, L**3, L.polynomial((1.0, 1.0)), L.normalize(), L.pullback(cubes)),
        *(G.reweight(loudness), G.center(sample())),
    ],
    ids=repr,
)
def test_kernels_that_take_a_negative_value_do_not_claim_otherwise(kernel):
    X = np.vstack([sample(), 10 * sample()])
    assert kernel.non_negative is False
    assert min(kernel(X).min(), kernel(X, -X).min()) < 0


def test_given_matrix_is_known_to_the_last_entry():
    assert SIGNED.non_negative is False
    assert gm.Precomputed([[4.0, 0.0], [0.0, 9.0]]).non_negative is True
