"""Bad input: the message says what came and what was expected."""

import operator

import numpy as np
import pytest
import scipy.sparse

import gramian as gm

X = np.random.default_rng(0).normal(size=(6, 3))

ON_VECTORS = [
    gm.Linear(),
    gm.Polynomial(2),
    gm.Gaussian(1.5),
    gm.Gaussian("median"),
    gm.Laplacian(1.5),
    gm.Matern(1.5),
    gm.Periodic(7.0),
    gm.Bilinear(np.eye(3)),
    gm.AllSubsets(),
    gm.Anova(1),
    gm.Gaussian(1.5) + gm.Linear(),
    gm.Gaussian(1.5) * gm.Linear(),
    gm.Gaussian(1.5).normalize(),
    gm.Gaussian(1.5).center(X),
    2 * gm.Linear() + 1,
]

BAD_DATA = {
    "NaN": ([[1.0, np.nan, 3.0]], ValueError, r"X holds nan \(first at index \(0, 1\)\); finite numbers expected"),
    "infinity": ([[1.0, 2.0, -np.inf]], ValueError, r"X holds -inf \(first at index \(0, 2\)\); finite numbers"),
    "no rows": (np.empty((0, 3)), ValueError, r"X is empty: its shape is \(0, 3\); at least one sample"),
    "no columns": (np.empty((3, 0)), ValueError, r"X is empty: its shape is \(3, 0\); at least one sample"),
    "one dimension": ([1.0, 2.0, 3.0], ValueError, r"X has 1 dimension.*2 expected.*reshape\(-1, 1\)"),
    "a number": (3.0, ValueError, r"X has 0 dimension.*2 expected"),
    "three dimensions": (np.zeros((2, 3, 2)), ValueError, r"X has 3 dimension.*2 expected: one row per sample"),
    "empty list": ([], ValueError, r"X is empty: its shape is \(0,\); at least one sample"),
    "masked": (np.ma.array([[1.0, 2.0, 3.0]], mask=[[0, 1, 0]]), ValueError, "X has masked entries; drop or impute"),
    "ragged": ([[1.0, 2.0, 3.0], [1.0]], ValueError, "X is not rectangular: every row must have the same number"),
    "strings": ([["a", "b", "c"]], TypeError, "X has dtype <U1; real numbers expected"),
    "complex": ([[1j, 2.0, 3.0]], TypeError, r"X is complex \(complex128\); real numbers expected"),
    "objects": (np.array([[1.0, None, "x"]], object), TypeError, "X has dtype object; real numbers expected"),
    "dates": (np.array([["2020-01-01"] * 3], "M8[D]"), TypeError, "X has dtype datetime64.*real numbers expected"),
}


@pytest.mark.parametrize("kernel", ON_VECTORS, ids=repr)
@pytest.mark.parametrize("what", BAD_DATA)
def test_bad_data_is_refused_with_what_came_and_what_was_expected(kernel, what):
    data, error, message = BAD_DATA[what]
    with pytest.raises(error, match=message):
        kernel(data)
    with pytest.raises(error, match=message):
        kernel.diag(data)
    settled = kernel.fit(X)
    with pytest.raises(error, match=message):
        settled(X, data)
    with pytest.raises(error, match=message):
        settled(data, X)


@pytest.mark.parametrize("what", BAD_DATA)
def test_bad_reference_sample_is_refused(what):
    data, error, message = BAD_DATA[what]
    with pytest.raises(error, match=message):
        gm.Gaussian("median").center(data)
    with pytest.raises(error, match=message):
        gm.Standardize.of(data)


@pytest.mark.parametrize(
    "kernel",
    [k for k in ON_VECTORS if not isinstance(k, gm.Bilinear) and "median" not in repr(k)],
    ids=repr,
)
def test_collections_of_different_width_are_refused(kernel):
    with pytest.raises(ValueError, match="do not fit together.*same features"):
        kernel(X, X[:, :2])
    with pytest.raises(ValueError, match="do not fit together.*same features"):
        kernel(X[:, :2], X)


def test_widths_are_named_when_two_collections_do_not_fit():
    with pytest.raises(ValueError, match="6 objects with 3 features against 4 objects with 2 features"):
        gm.Gaussian(1.5)(X, X[:4, :2])
    with pytest.raises(ValueError, match="6 objects with 3 features against 6 objects with 2 features"):
        gm.Linear()(scipy.sparse.csr_array(X), X[:, :2])


@pytest.mark.parametrize(
    "kernel",
    [
        gm.Gaussian(1.5) + gm.Linear(),
        gm.Gaussian(1.5) * gm.Linear(),
        (gm.Gaussian(1.5) + gm.Linear()).normalize(),
        2 * gm.Gaussian(1.5) + 1,
    ],
    ids=repr,
)
def test_widths_are_named_for_a_kernel_made_of_others_too(kernel):
    with pytest.raises(ValueError, match="6 objects with 3 features against 4 objects with 2 features"):
        kernel(X, X[:4, :2])


def test_masked_array_without_masked_entries_is_data():
    np.testing.assert_array_equal(gm.Gaussian(1.5)(np.ma.array(X)), gm.Gaussian(1.5)(X))


def test_nothing_is_not_data():
    with pytest.raises(TypeError, match="X has dtype object; real numbers expected"):
        gm.Gaussian(1.5)(None)


# Sparse input

SPARSE_X = scipy.sparse.csr_array(X)


@pytest.mark.parametrize(
    "kernel",
    [gm.Laplacian(), gm.Laplacian("median"), gm.AllSubsets(), gm.Anova(2), gm.Gaussian(1.5) + gm.Laplacian()],
    ids=repr,
)
def test_sparse_input_to_a_kernel_that_cannot_use_it_is_refused(kernel):
    with pytest.raises(TypeError, match=r"X is a sparse array, and this kernel needs a dense one: pass X.toarray\(\)"):
        kernel(SPARSE_X)


@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Polynomial(2), gm.Bilinear(np.eye(3)), gm.Gaussian(), gm.Matern()])
def test_kernels_that_the_refusal_of_sparse_input_recommends_take_it(kernel):
    with pytest.raises(TypeError, match=type(kernel).__name__):
        gm.Laplacian()(SPARSE_X)
    np.testing.assert_allclose(kernel(SPARSE_X), kernel(X), atol=1e-9)


def test_bad_sparse_data_is_refused():
    with pytest.raises(ValueError, match="X holds nan.*finite numbers expected"):
        gm.Linear()(SPARSE_X * np.nan)
    with pytest.raises(TypeError, match="X is complex"):
        gm.Linear()(SPARSE_X * 1j)
    with pytest.raises(ValueError, match=r"X is empty: its shape is \(0, 3\)"):
        gm.Linear()(scipy.sparse.csr_array((0, 3)))


# Parameters

BAD_BANDWIDTHS = [
    (0, ValueError, "bandwidth is 0; a number above 0 expected"),
    (-1.5, ValueError, "bandwidth is -1.5; a number above 0 expected"),
    (np.nan, ValueError, "bandwidth is nan; a finite number expected"),
    (np.inf, ValueError, "bandwidth is inf; a finite number expected"),
    (10**400, ValueError, "bandwidth is beyond the largest float, 1.8e308; a smaller number expected"),
    ("mean", ValueError, "bandwidth is 'mean'; a number above 0 or 'median' expected"),
    ("1.0", ValueError, "bandwidth is '1.0'; a number above 0 or 'median' expected"),
    (None, TypeError, r"bandwidth is None \(NoneType\); a real number expected"),
    (True, TypeError, r"bandwidth is True \(bool\); a real number expected"),
    ([1.0], TypeError, r"bandwidth is \[1.0\] \(list\); a real number expected"),
    (1j, TypeError, r"bandwidth is 1j \(complex\); a real number expected"),
]


@pytest.mark.parametrize("kernel", [gm.Gaussian, gm.Laplacian, gm.Matern])
@pytest.mark.parametrize(("bandwidth", "error", "message"), BAD_BANDWIDTHS, ids=lambda v: repr(v)[:20])
def test_bad_bandwidth_is_refused_when_it_is_given(kernel, bandwidth, error, message):
    with pytest.raises(error, match=message):
        kernel(bandwidth)


@pytest.mark.parametrize(
    "make",
    [lambda q: gm.Polynomial(degree=q), gm.Anova, lambda q: gm.Linear() ** q],
    ids=["Polynomial", "Anova", "power"],
)
@pytest.mark.parametrize(
    ("degree", "error", "message"),
    [
        (0, ValueError, "is 0; an integer of at least 1 expected"),
        (-2, ValueError, "is -2; an integer of at least 1 expected"),
        (1.5, TypeError, r"is 1.5 \(float\); an integer expected"),
        (2.0, TypeError, r"is 2.0 \(float\); an integer expected"),
        (True, TypeError, r"is True \(bool\); an integer expected"),
        ("2", TypeError, r"is '2' \(str\); an integer expected"),
        (None, TypeError, r"is None \(NoneType\); an integer expected"),
        (np.nan, TypeError, r"is nan \(float\); an integer expected"),
    ],
    ids=repr,
)
def test_degree_that_is_not_a_positive_integer_is_refused(make, degree, error, message):
    with pytest.raises(error, match=message):
        make(degree)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: gm.Polynomial(2, -1.0), ValueError, "offset is -1.0; a number of at least 0 expected"),
        (lambda: gm.Polynomial(2, np.nan), ValueError, "offset is nan; a finite number expected"),
        (lambda: gm.Polynomial(2, "1"), TypeError, r"offset is '1' \(str\); a real number expected"),
        (lambda: gm.Periodic(0), ValueError, "period is 0; a number above 0 expected"),
        (lambda: gm.Periodic(-7), ValueError, "period is -7; a number above 0 expected"),
        (lambda: gm.Periodic("week"), TypeError, r"period is 'week' \(str\); a real number expected"),
        (lambda: gm.Periodic(7, 0), ValueError, "bandwidth is 0; a number above 0 expected"),
        (lambda: gm.Matern(1.0, 0), ValueError, "nu is 0; a number above 0 expected"),
        (lambda: gm.Matern(1.0, -0.5), ValueError, "nu is -0.5; a number above 0 expected"),
        (lambda: gm.Matern(1.0, np.inf), ValueError, "nu is inf; a finite number expected"),
        (lambda: gm.Matern(1.0, 100.5), ValueError, "nu is 100.5; at most 100 expected: the limit .* is gm.Gaussian"),
        (lambda: gm.Matern(1.0, 1e9), ValueError, "nu is 1000000000.0; at most 100 expected"),
        (lambda: gm.Matern(1.0, "1.5"), TypeError, r"nu is '1.5' \(str\); a real number expected"),
        (lambda: gm.AllSubsets([1.0, -2.0]), ValueError, r"weights\[1\] is -2.0; a number of at least 0 expected"),
        (lambda: gm.AllSubsets([np.nan]), ValueError, r"weights\[0\] is nan; a finite number expected"),
        (lambda: gm.AllSubsets(["a"]), TypeError, "weights have dtype <U1; real numbers expected"),
        (
            lambda: gm.AllSubsets([[1.0, 2.0, 3.0]]),
            ValueError,
            r"weights have shape \(1, 3\); one number for each feature",
        ),
        (lambda: gm.AllSubsets(3.0), ValueError, r"weights have shape \(\); one number for each feature"),
        (
            lambda: gm.Gaussian(1.0).feature_names(["a"], degree=-1),
            ValueError,
            "degree is -1; an integer of at least 0",
        ),
        (lambda: gm.AllSubsets([1.0, 2.0])(X), ValueError, "there are 2 weights for 3 features; one for each"),
        (lambda: gm.Anova(4)(X), ValueError, "degree is 4 and X has 3 features.*a degree from 1 to 3 expected"),
        (lambda: gm.Gaussian(1.0).features(X, degree=-1), ValueError, "degree is -1; an integer of at least 0"),
        (lambda: gm.Gaussian(1.0).features(X, degree=1.5), TypeError, r"degree is 1.5 \(float\); an integer expected"),
    ],
)
def test_bad_parameter_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


# What is not closed

K = gm.Gaussian(1.5)


@pytest.mark.parametrize(
    ("factor", "error", "message"),
    [
        (-1, ValueError, "the factor of a kernel is -1; a number above 0 expected"),
        (0, ValueError, "the factor of a kernel is 0; a number above 0 expected"),
        (0.0, ValueError, "the factor of a kernel is 0.0; a number above 0 expected"),
        (np.float64(-2), ValueError, "the factor of a kernel is -2.0; a number above 0 expected"),
        (np.nan, ValueError, "the factor of a kernel is nan; a finite number expected"),
        (np.inf, ValueError, "the factor of a kernel is inf; a finite number expected"),
        (True, TypeError, r"the factor of a kernel is True \(bool\); a real number expected"),
        (np.True_, TypeError, "the factor of a kernel is .*a real number expected"),
        ("2", TypeError, r"the factor of a kernel is '2' \(str\); a real number expected"),
        (None, TypeError, "the factor of a kernel is None.*a real number expected"),
        (2 + 0j, TypeError, "the factor of a kernel is .*complex.*a real number expected"),
        (np.array([1.0, 2.0]), TypeError, "the factor of a kernel is .*ndarray.*a real number expected"),
    ],
    ids=repr,
)
def test_factor_that_is_not_positive_is_refused_on_either_side(factor, error, message):
    with pytest.raises(error, match=message):
        factor * K
    with pytest.raises(error, match=message):
        K * factor


@pytest.mark.parametrize(
    ("constant", "error", "message"),
    [
        (-0.5, ValueError, "the constant added to a kernel is -0.5; a number of at least 0 expected"),
        (np.nan, ValueError, "the constant added to a kernel is nan; a finite number expected"),
        (True, TypeError, r"the constant added to a kernel is True \(bool\); a real number expected"),
        ("1", TypeError, r"the constant added to a kernel is '1' \(str\); a real number expected"),
        (np.ones(3), TypeError, "the constant added to a kernel is .*ndarray.*a real number expected"),
    ],
    ids=repr,
)
def test_negative_constant_is_refused_on_either_side(constant, error, message):
    with pytest.raises(error, match=message):
        K + constant
    with pytest.raises(error, match=message):
        constant + K


def test_divisor_that_is_not_positive_is_refused():
    for divisor in (0, -1, np.nan):
        with pytest.raises(ValueError, match=f"the divisor of a kernel is {divisor}; a .*number.* expected"):
            K / divisor


@pytest.mark.parametrize(
    "make", [lambda: K - K, lambda: K - 1, lambda: 1 - K, lambda: K - gm.Linear(), lambda: np.float64(1) - K]
)
def test_difference_is_refused_with_the_reason(make):
    with pytest.raises(TypeError, match="a difference of kernels is not a kernel.*negative eigenvalues"):
        make()


def test_negation_is_refused_with_the_reason():
    with pytest.raises(TypeError, match="is not a kernel"):
        operator.neg(K)


@pytest.mark.parametrize("make", [lambda: 1 / K, lambda: 2**K, lambda: K @ K, lambda: K % 2])
def test_operations_without_a_meaning_are_refused(make):
    with pytest.raises(TypeError):
        make()


@pytest.mark.parametrize(
    ("coefficients", "error", "message"),
    [
        ([1.0, -1.0], ValueError, "coefficient 1 of a polynomial in a kernel is -1.0; a number of at least 0 expected"),
        ([np.nan], ValueError, "coefficient 0 .* is nan; a finite number expected"),
        (["1"], TypeError, r"coefficient 0 .* is '1' \(str\); a real number expected"),
        ([0.0, 0.0], ValueError, "is zero; at least one coefficient above 0 expected"),
        ([], ValueError, "is zero; at least one coefficient above 0 expected"),
    ],
    ids=repr,
)
def test_bad_coefficients_are_refused(coefficients, error, message):
    with pytest.raises(error, match=message):
        K.polynomial(coefficients)


# Matrices


@pytest.mark.parametrize("make", [gm.Bilinear, gm.Precomputed])
@pytest.mark.parametrize(
    ("matrix", "error", "message"),
    [
        ([[1.0, 2.0], [0.5, 1.0]], ValueError, r"is not symmetric: [AK]\[0, 1\] = 2 but [AK]\[1, 0\] = 0.5"),
        (np.ones((2, 3)), ValueError, r"has shape \(2, 3\); a square matrix expected"),
        ([[np.nan]], ValueError, "holds nan"),
        ([[np.inf]], ValueError, r"holds inf \(first at index \(0, 0\)\); finite numbers expected"),
        ([1.0, 2.0], ValueError, "has 1 dimension"),
        ([["a"]], TypeError, "has dtype <U1; real numbers expected"),
        ([[1j]], TypeError, "is complex"),
        (np.empty((0, 0)), ValueError, "is empty"),
        (scipy.sparse.csr_array(np.eye(2)), TypeError, "is a sparse array"),
    ],
    ids=lambda v: repr(v)[:30],
)
def test_matrix_that_cannot_be_a_kernel_matrix_is_refused(make, matrix, error, message):
    with pytest.raises(error, match=message):
        make(matrix)


def test_bilinear_matrix_with_a_negative_eigenvalue_is_refused():
    with pytest.raises(ValueError, match="A is not positive semidefinite: its smallest eigenvalue is -1"):
        gm.Bilinear([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match="A is not positive semidefinite"):
        gm.Bilinear(np.diag([1.0, -1e-6]))


def test_semidefinite_matrix_with_rounding_in_its_spectrum_is_accepted():
    for seed in range(50):
        F = np.random.default_rng(seed).normal(size=(30, 2))
        assert gm.Bilinear(F @ F.T)([F[:, 0]]).item() > 0


def test_bilinear_width_is_checked():
    with pytest.raises(ValueError, match="X has 3 features and A is 2 × 2"):
        gm.Bilinear(np.eye(2))(X)


def test_negative_diagonal_is_refused():
    with pytest.raises(ValueError, match=r"K\[1, 1\] is -2, but .* cannot be negative"):
        gm.Precomputed([[1.0, 0.0], [0.0, -2.0]])


@pytest.mark.parametrize(
    ("indices", "error", "message"),
    [
        ([0, 2], ValueError, "X holds index 2; indices between 0 and 1 expected"),
        ([-1, 0], ValueError, "X holds index -1; indices between 0 and 1 expected"),
        ([0.5], TypeError, "X has dtype float64; integer sample indices between 0 and 1 expected"),
        ([np.nan], TypeError, "X has dtype float64; integer sample indices"),
        ([np.inf], TypeError, "X has dtype float64; integer sample indices"),
        ([[0], [0, 1]], ValueError, "X is ragged; a flat list of sample indices expected"),
        ([True, False], TypeError, "X has dtype bool; integer sample indices"),
        (["a"], TypeError, "X has dtype <U1; integer sample indices"),
        ([], ValueError, r"X has shape \(0,\); a non-empty list of indices expected"),
        ([[0, 1]], ValueError, r"X has shape \(1, 2\); a non-empty list of indices expected"),
        (1, ValueError, r"X has shape \(\); a non-empty list of indices expected"),
        (np.array([2**64 - 1], np.uint64), ValueError, "indices between 0 and 1 expected"),
    ],
    ids=repr,
)
def test_bad_index_into_a_precomputed_matrix_is_refused(indices, error, message):
    with pytest.raises(error, match=message):
        gm.Precomputed(np.eye(2))(indices)
    with pytest.raises(error, match=message):
        gm.Precomputed(np.eye(2))([0], indices)


# Derived kernels


def test_zero_vector_cannot_be_normalized():
    with pytest.raises(ValueError, match=r"φ\(x\) = 0 for 1 object\(s\), first at index 1.*cannot be normalized"):
        gm.Linear().normalize()([[1.0], [0.0]])
    with pytest.raises(ValueError, match=r"φ\(x\) = 0 for 1 object\(s\), first at index 0"):
        gm.Linear().center([[1.0]]).normalize()([[1.0]])
    np.testing.assert_allclose((gm.Linear() + 1).normalize()([[1.0], [0.0]])[0, 1], 0.5**0.5)


def test_median_that_is_not_settled_cannot_compare_two_collections():
    for kernel in (gm.Gaussian("median"), gm.Laplacian("median"), 2 * gm.Matern("median") + gm.Linear()):
        with pytest.raises(ValueError, match=r"is not settled yet: k = k.fit\(X\)"):
            kernel(X, X[:2])
        assert kernel.fit(X)(X, X[:2]).shape == (6, 2)


@pytest.mark.parametrize("n", [1, 4])
def test_median_of_coincident_points_is_refused(n):
    found = {1: "there is only 1 sample", 4: "all 4 coincide"}[n]
    with pytest.raises(ValueError, match=f"at least two different points, and {found}: give a number"):
        gm.Gaussian("median")(np.ones((n, 2)))


def test_median_ignores_the_zero_distances_of_duplicates():
    assert gm.Gaussian("median").fit([[0.0]] * 20 + [[3.0]]) == gm.Gaussian(3.0)


@pytest.mark.parametrize(("count", "f"), [(2, lambda X: X[:2]), (12, lambda X: np.repeat(X, 2, axis=0))])
def test_pullback_that_returns_another_number_of_objects_is_refused(count, f):
    with pytest.raises(ValueError, match=f"f returned {count} objects for 6; one for each expected"):
        K.pullback(f)(X)


def test_pullback_that_returns_nothing_is_refused():
    with pytest.raises(TypeError, match="f returned None; a collection with one object for each of those given"):
        K.pullback(lambda X: None)(X)
    with pytest.raises(TypeError, match="f returned 3.0; a collection"):
        K.pullback(lambda X: 3.0)(X)


@pytest.mark.parametrize("what", ["pullback", "reweight"])
@pytest.mark.parametrize("f", [3, None, "f", np.ones(3)], ids=repr)
def test_what_is_not_a_function_is_refused_when_it_is_given(what, f):
    with pytest.raises(TypeError, match=f"{what} takes a function of the whole collection, and got "):
        getattr(K, what)(f)


def test_pullback_whose_images_are_bad_data_is_refused():
    with pytest.raises(ValueError, match="X holds nan"):
        K.pullback(lambda X: X * np.nan)(X)
    with pytest.raises(ValueError, match="X has 1 dimension"):
        K.pullback(lambda X: X[:, 0])(X)


def test_standardize_refuses_points_of_another_width():
    with pytest.raises(ValueError, match="X has 2 features; 3 expected"):
        gm.Standardize.of(X)(X[:, :2])


@pytest.mark.parametrize(
    ("f", "shape"),
    [
        (lambda X: np.ones((len(X), 2)), r"\(6, 2\)"),
        (lambda X: X[:, :1], r"\(6, 1\)"),
        (lambda X: 1.0, r"\(\)"),
        (lambda X: np.ones(5), r"\(5,\)"),
        (lambda X: np.full(len(X), np.nan), r"\(6,\)"),
        (lambda X: np.full(len(X), np.inf), r"\(6,\)"),
    ],
)
def test_reweighting_by_anything_but_one_finite_number_each_is_refused(f, shape):
    with pytest.raises(
        ValueError,
        match=f"f returned .*(shape {shape}; one finite number for each of 6 objects|finite float64 numbers expected)",
    ):
        K.reweight(f)(X)


@pytest.mark.parametrize(("f", "dtype"), [(lambda X: [1j] * len(X), "complex128"), (lambda X: ["a"] * len(X), "<U1")])
def test_reweighting_by_what_is_not_real_is_refused_with_its_type(f, dtype):
    with pytest.raises(TypeError, match=f"the numbers that f returned have dtype {dtype}; real numbers expected"):
        K.reweight(f)(X)


def test_reweighting_by_what_float32_cannot_hold_is_refused():
    with pytest.raises(ValueError, match=r"f returned 1e\+300; finite float32 numbers expected"):
        K.reweight(lambda X: np.full(len(X), 1e300))(X.astype(np.float32))
    assert K.reweight(lambda X: np.full(len(X), 1e100))(X).max() == pytest.approx(1e200)


@pytest.mark.parametrize("coefficients", [3, None, 2.5], ids=repr)
def test_coefficients_that_are_no_sequence_are_refused(coefficients):
    with pytest.raises(TypeError, match=f"coefficients are {coefficients}; a sequence c₀, c₁, c₂, … expected"):
        K.polynomial(coefficients)


# Explicit maps


@pytest.mark.parametrize("kernel", [K, gm.Laplacian(), gm.Matern(), K + gm.Linear(), K.normalize()], ids=repr)
def test_kernel_without_a_finite_map_says_so(kernel):
    with pytest.raises(TypeError, match="no explicit feature map|infinite-dimensional"):
        kernel.features(X)
    with pytest.raises(TypeError, match="have no names|infinite-dimensional"):
        kernel.feature_names(["a", "b", "c"])


def test_too_many_subsets_to_list_is_an_error_but_the_kernel_is_not():
    x = np.ones((1, 30))
    with pytest.raises(ValueError, match="1,073,741,824 features; at most 1,048,576 are listed"):
        gm.AllSubsets().features(x)
    assert gm.AllSubsets()(x).item() == 2.0**30


@pytest.mark.parametrize("make", [lambda: gm.Gaussian(sigma=1.0), lambda: gm.Gaussian(1.0, 2.0), gm.Bilinear])
def test_arguments_that_do_not_exist_are_refused(make):
    with pytest.raises(TypeError):
        make()


def test_shifted_kernel_has_one_more_feature_with_a_name():
    for k, root in ((gm.Linear() + 1, 1.0), (gm.Linear() + 4, 2.0)):
        np.testing.assert_array_equal(k.features([[3.0, 5.0]]), [[3.0, 5.0, root]])
        assert k.feature_names(["a", "b"]) == ["a", "b", "1"]
    Phi = (gm.Polynomial(2) + 0.5).features(X)
    np.testing.assert_allclose(Phi @ Phi.T, gm.Polynomial(2)(X) + 0.5, rtol=1e-12)
    assert (gm.Linear() + 1).features(SPARSE_X).shape == (6, 4)
