"""Kernels as values: compared, hashed, pickled, printed, changed by making new ones, and used by scikit-learn."""

import copy
import pickle
import sys
from typing import ClassVar

import numpy as np
import pytest

import gramian as gm

from .cases import cubes, loudness

X = np.random.default_rng(0).normal(size=(12, 3))

# Kernels that print as the expression that makes them, and that expression.
EXPRESSIONS = [
    "Linear()",
    "Polynomial(degree=3, offset=0.5)",
    "Gaussian(bandwidth=2.5)",
    "Gaussian(bandwidth='median')",
    "Laplacian(bandwidth=0.1)",
    "Matern(bandwidth=1.0, nu=2.5)",
    "Periodic(period=7.0, bandwidth=0.5)",
    "AllSubsets(weights=None)",
    "AllSubsets(weights=(1.0, 2.5))",
    "Anova(degree=3)",
    "Linear() + Gaussian(bandwidth=1.5)",
    "Linear() + Anova(degree=1) + Gaussian(bandwidth=1.5)",
    "Linear() + (Anova(degree=1) + Gaussian(bandwidth=1.5))",
    "Linear() * Gaussian(bandwidth=1.5)",
    "(Linear() + Anova(degree=1)) * Gaussian(bandwidth=1.5)",
    "Linear() * (Anova(degree=1) * Gaussian(bandwidth=1.5))",
    "2.5 * Linear()",
    "2.5 * (Linear() + Anova(degree=1))",
    "2.5 * (0.5 * Linear())",
    "2.5 * Linear() * Anova(degree=1)",
    "Linear() + 0.25",
    "(Linear() + 0.25) * Anova(degree=1)",
    "2.5 * Linear() + Anova(degree=1) + 0.25",
    "Linear() ** 3",
    "(Linear() + 0.25) ** 3",
    "(2.5 * Linear()) ** 3",
    "(Linear() ** 3) ** 2",
    "Linear().exp()",
    "(2.5 * Linear()).exp()",
    "(Linear() + Anova(degree=1)).exp().normalize()",
    "Linear().polynomial((1.0, 0.0, 2.5))",
    "(Linear() ** 2).normalize()",
    "Gaussian(bandwidth=1.5).normalize() + Linear()",
]


def evaluate(expression):
    return eval(expression, {name: getattr(gm, name) for name in gm.__all__ if name[0].isupper()})


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_kernel_prints_as_the_expression_that_made_it(expression):
    assert repr(evaluate(expression)) == expression


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_same_expression_makes_equal_kernels_with_equal_hashes(expression):
    first, second = evaluate(expression), evaluate(expression)
    assert first is not second
    assert first == second
    assert hash(first) == hash(second)
    assert len({first, second}) == 1


def test_different_expressions_make_different_kernels():
    kernels = [evaluate(expression) for expression in EXPRESSIONS]
    assert len(set(kernels)) == len(kernels)
    assert all((k == m) == (i == j) for i, k in enumerate(kernels) for j, m in enumerate(kernels))


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_copies_and_pickles_are_equal(expression):
    k = evaluate(expression)
    for duplicate in (copy.copy(k), copy.deepcopy(k), pickle.loads(pickle.dumps(k))):
        assert duplicate == k
        assert hash(duplicate) == hash(k)
        assert repr(duplicate) == repr(k)


def test_kernels_on_data_print_its_size_and_not_its_contents():
    assert repr(gm.Gaussian(1.5).center(X)) == "Gaussian(bandwidth=1.5).center(<12 objects>)"
    assert repr(gm.Bilinear(np.eye(40))) == "Bilinear(A=<40 × 40 array>)"
    S = gm.FeatureSpace(gm.Linear())(X)
    assert "deflate" in repr(S.deflate(S[0]).space.kernel)
    assert "cubes" in repr(gm.Linear().pullback(cubes))
    assert "loudness" in repr(gm.Linear().reweight(loudness))


def test_array_parameters_are_compared_by_value():
    A = np.array([[2.0, 1.0], [1.0, 2.0]])
    assert gm.Bilinear(A) == gm.Bilinear(A.copy())
    assert hash(gm.Bilinear(A)) == hash(gm.Bilinear(A.copy()))
    assert gm.Bilinear(A) != gm.Bilinear(2 * A)
    assert gm.Precomputed(A) == gm.Precomputed(A.copy())
    assert gm.Precomputed(A) != gm.Bilinear(A)


def test_centered_kernels_are_equal_when_their_references_are():
    k = gm.Gaussian(1.5)
    assert k.center(X) == k.center(X.copy())
    assert hash(k.center(X)) == hash(k.center(X.copy()))
    assert k.center(X) != k.center(X[:5])
    assert k.center(X) != k.center(X + 1)
    assert k.center(X) != gm.Gaussian(1.6).center(X)


def test_standardize_is_a_value():
    scores = gm.Standardize.of(X)
    assert scores == gm.Standardize.of(X.copy())
    assert scores != gm.Standardize.of(2 * X)
    assert pickle.loads(pickle.dumps(scores)) == scores
    k = gm.Gaussian(1.5).pullback(scores)
    assert pickle.loads(pickle.dumps(k)) == k


def test_using_a_kernel_does_not_change_its_hash_equality_or_what_is_pickled_of_it():
    k = gm.Gaussian(1.5).center(X)
    before, fresh = hash(k), pickle.loads(pickle.dumps(k))
    K = k(X)
    k.gram(X).row_means()
    used = pickle.loads(pickle.dumps(k))  # with what is known of the sample by now, so that digits do not change
    assert hash(k) == hash(used) == hash(fresh) == before
    assert k == used == fresh == gm.Gaussian(1.5).center(X)
    assert np.array_equal(used(X), K)
    assert np.array_equal(fresh(X), K)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_attributes_cannot_be_assigned_or_deleted(expression):
    k = evaluate(expression)
    for name in [*k.params(), "something_new"]:
        with pytest.raises(AttributeError):
            setattr(k, name, 3.0)
    for name in k.params():
        with pytest.raises(AttributeError):
            delattr(k, name)
    assert repr(k) == expression


def test_get_params_reaches_nested_kernels():
    k = gm.Gaussian(1.5) + 0.5 * gm.Polynomial(degree=3)
    assert k.get_params(deep=False).keys() == {"left", "right"}
    nested = k.get_params()
    assert nested["left__bandwidth"] == 1.5
    assert nested["right__factor"] == 0.5
    assert nested["right__base__degree"] == 3
    assert nested["right__base"] == gm.Polynomial(degree=3)


def test_with_params_changes_nested_parameters_of_a_new_kernel():
    k = gm.Gaussian(1.5) + 0.5 * gm.Polynomial(degree=3)
    changed = k.with_params(left__bandwidth=9.0, right__base__degree=4, right__factor=2.5)
    assert changed == gm.Gaussian(9.0) + 2.5 * gm.Polynomial(degree=4)
    assert k == gm.Gaussian(1.5) + 0.5 * gm.Polynomial(degree=3)


def test_with_params_can_replace_a_kernel_and_change_it_at_once():
    k = gm.Gaussian(1.5) + gm.Linear()
    assert k.with_params(left=gm.Laplacian(2.0), left__bandwidth=3.0) == gm.Laplacian(3.0) + gm.Linear()


def test_with_params_without_changes_is_an_equal_kernel():
    for expression in EXPRESSIONS:
        assert evaluate(expression).with_params() == evaluate(expression)


def test_unknown_parameter_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"Gaussian has no parameter 'gamma'; it has \['bandwidth'\]"):
        gm.Gaussian(1.5).with_params(gamma=2.0)
    with pytest.raises(ValueError, match="bandwidth of Gaussian is 1.5, which has no parameters"):
        gm.Gaussian(1.5).with_params(bandwidth__x=2.0)


def test_changed_parameters_are_checked_as_new_ones_are():
    with pytest.raises(ValueError, match="bandwidth is -1; a number above 0 expected"):
        (gm.Gaussian(1.5) + gm.Linear()).with_params(left__bandwidth=-1)


def test_fit_returns_another_kernel_and_leaves_the_first():
    k = gm.Gaussian("median")
    settled = k.fit(X)
    assert k.bandwidth == "median"
    assert isinstance(settled.bandwidth, float)
    assert gm.Gaussian(1.5).fit(X) == gm.Gaussian(1.5)


# Numbers and arrays by value


@pytest.mark.parametrize(
    "make",
    [
        gm.Gaussian,
        gm.Laplacian,
        lambda v: gm.Matern(1.0, v),
        lambda v: gm.Polynomial(3, v),
        lambda v: v * gm.Linear(),
        lambda v: gm.Linear() + v,
        lambda v: gm.AllSubsets([v, v]),
        lambda v: gm.Linear().polynomial([v, v]),
    ],
)
def test_numbers_compare_by_value_and_not_by_type(make):
    kernels = [make(v) for v in (2, 2.0, np.float64(2), np.int64(2), np.float32(2))]
    assert all(k == kernels[0] for k in kernels)
    assert len({hash(k) for k in kernels}) == 1
    assert len(set(kernels)) == 1
    assert make(2) != make(np.float64(2.5))


@pytest.mark.parametrize(
    "k",
    [
        (1 / 3) * gm.Gaussian(1.5),
        gm.Gaussian(1.5) + 1234567.891,
        gm.Gaussian(np.float64(0.1) + 0.2),
        np.float64(1e-17) * gm.Linear() + np.float32(0.1),
        gm.Linear() / 7,
        gm.Polynomial(np.int64(3), np.float64(1 / 7)),
        gm.AllSubsets(np.array([1 / 3, 2.0])),
    ],
    ids=repr,
)
def test_numbers_print_so_that_they_are_read_back_exactly(k):
    assert evaluate(repr(k)) == k


def test_kernels_with_lists_for_parameters_have_hashes_and_equal_those_with_arrays():
    for make, value in ((gm.AllSubsets, [1.0, 2.0]), (gm.Bilinear, [[1.0]]), (gm.Bilinear, [[2.0, 1.0], [1.0, 2.0]])):
        assert make(value) == make(np.array(value))
        assert hash(make(value)) == hash(make(np.array(value)))
    assert gm.AllSubsets((1.0, 2.0)) == gm.AllSubsets([1, 2])


def test_zero_with_a_minus_is_zero():
    pairs = [
        (gm.Polynomial(2, -0.0), gm.Polynomial(2, 0.0)),
        (gm.AllSubsets([-0.0, 1.0]), gm.AllSubsets([0.0, 1.0])),
        (gm.Bilinear([[1.0, -0.0], [-0.0, 1.0]]), gm.Bilinear(np.eye(2))),
        (gm.Linear().center([[-0.0], [1.0]]), gm.Linear().center([[0.0], [1.0]])),
    ]
    for k, m in pairs:
        assert k == m
        assert hash(k) == hash(m)


@pytest.mark.parametrize("make", [gm.Bilinear, lambda A: gm.Gaussian(1.5).center(A), lambda A: gm.Linear().center(A)])
def test_writing_into_an_array_after_a_kernel_was_made_of_it_changes_nothing(make):
    A = np.array([[2.0, 1.0], [1.0, 2.0]])
    points = np.array([[1.0, 0.0], [0.5, 3.0]])
    k, other = make(A), make(A.copy())
    before, value = hash(k), k(points)
    A[...] = 7.0
    assert k == other
    assert hash(k) == before == hash(other)
    np.testing.assert_array_equal(k(points), value)
    np.testing.assert_array_equal(make(np.array([[2.0, 1.0], [1.0, 2.0]]))(points), value)


# scikit-learn


def test_scikit_learn_clones_a_kernel_to_an_equal_one():
    from sklearn.base import clone

    for expression in EXPRESSIONS:
        assert clone(evaluate(expression)) == evaluate(expression)


def test_kernel_serves_as_a_callable_kernel_of_a_support_vector_machine():
    from sklearn.svm import SVC

    iris = gm.load_iris()
    train, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    ours = SVC(kernel=gm.Gaussian(2.0)).fit(iris.data[train], iris.target[train])
    theirs = SVC(kernel="rbf", gamma=1 / (2 * 2.0**2)).fit(iris.data[train], iris.target[train])
    np.testing.assert_array_equal(ours.predict(iris.data[test]), theirs.predict(iris.data[test]))
    assert ours.score(iris.data[test], iris.target[test]) > 0.9


def test_estimator_that_holds_a_kernel_can_be_cloned_and_cross_validated():
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score
    from sklearn.svm import SVC

    iris = gm.load_iris()
    model = SVC(kernel=gm.Gaussian(2.0) + 0.5 * gm.Polynomial(2))
    assert clone(model).kernel == model.kernel
    assert cross_val_score(model, iris.data, iris.target, cv=3).mean() > 0.9


def test_precomputed_kernel_follows_the_indices_in_cross_validation():
    from sklearn.model_selection import cross_val_score
    from sklearn.svm import SVC

    iris = gm.load_iris()
    k = gm.Gaussian(2.0)
    on_indices = cross_val_score(SVC(kernel=gm.Precomputed(k(iris.data))), np.arange(150)[:, None], iris.target, cv=3)
    on_data = cross_val_score(SVC(kernel=k), iris.data, iris.target, cv=3)
    np.testing.assert_allclose(on_indices, on_data)


def test_data_frame_is_taken_as_an_array():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    np.testing.assert_allclose(gm.Gaussian(1.5)(frame), gm.Gaussian(1.5)(X), rtol=1e-14)


def test_a_matrix_given_as_a_list_is_the_same_kernel_as_the_array():
    k = gm.Precomputed([[2.0, 1.0], [1.0, 2.0]])
    assert k == gm.Precomputed(np.array([[2.0, 1.0], [1.0, 2.0]]))
    assert hash(k) == hash(gm.Precomputed(np.array([[2.0, 1.0], [1.0, 2.0]])))


def test_coefficients_given_as_an_array_print_as_numbers():
    assert repr(gm.Linear().polynomial(np.array([1.0, 2.0]))) == "Linear().polynomial((1.0, 2.0))"


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int8, np.int64])
def test_numbers_of_numpy_are_those_of_python_in_a_kernel(kind):
    kernel = gm.Polynomial(degree=2, offset=kind(2))
    assert type(kernel.offset) in (int, float)
    assert kernel == gm.Polynomial(degree=2, offset=2)
    X = np.zeros((5, 1))
    np.testing.assert_allclose(kernel.features(X) @ kernel.features(X).T, kernel(X), rtol=1e-15)


# Before Python 3.14 annotations without quotes are evaluated where they stand.
@pytest.mark.parametrize("later", ['"Later | None"'] + ["Later | None"] * (sys.version_info >= (3, 14)))
def test_fields_may_be_annotated_by_a_class_that_comes_later(later):
    source = f"""
class Scaled(gm.Kernel):
    width: float = 2.0
    other: {later} = None
    shared: ClassVar[int] = 3

    def encode(self, X):
        return gm.Encoded((np.asarray(X, float) / self.width,))

    def block(self, a, b, out):
        (A,), (B,) = a, b
        np.matmul(A, B.T, out=out)

    def squared_norms(self, a):
        (A,) = a
        return (A * A).sum(axis=1)

class Later: pass
"""
    found = {"gm": gm, "np": np, "ClassVar": ClassVar, "__name__": __name__}
    exec(compile(source, "later", "exec", dont_inherit=True), found)
    k = found["Scaled"](width=4.0)
    assert k.params() == {"width": 4.0, "other": None}
    assert (k.with_params(width=5.0).width, repr(k)) == (5.0, "Scaled(width=4.0, other=None)")
    gm.testing.check_kernel(k, X)
