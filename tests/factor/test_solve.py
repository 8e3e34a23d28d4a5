"""(K + λI) x = b against NumPy, and the honesty of what is reported of the answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.factor import solve as solve_module
from gramian.factor.machine import Machine
from gramian.factor.solve import Lens, conjugate_gradients, solve_through

KERNELS = [gm.Linear(), gm.Polynomial(2, 1.0), gm.Gaussian(1.0), gm.Laplacian(2.0)]


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(40, 3))


@pytest.fixture(scope="module")
def B():
    return np.random.default_rng(1).normal(size=(40, 3))


@pytest.fixture
def iterative(monkeypatch):
    """Let 40 objects be too many for a factorization, in double precision and in single."""
    monkeypatch.setattr(solve_module, "DENSE", 10)
    monkeypatch.setattr(Machine, "factored", lambda self, n: np.inf)


def true_residual(K, found, b, lam):
    X, b = found.value.reshape(len(b), -1), np.asarray(b, dtype=float).reshape(len(b), -1)
    return float(np.max(np.linalg.norm(K @ X + lam * X - b, axis=0) / np.linalg.norm(b, axis=0)))


@pytest.mark.parametrize("lam", [1e-2, 0.1, 1.0, 1e4])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_the_answer_is_that_of_a_dense_solve(kernel, lam, X, B):
    A = kernel(X) + lam * np.eye(40)
    found = gm.solve(kernel.gram(X), B, lam)
    # Condition numbers are at most 1e6
    np.testing.assert_allclose(found.value, np.linalg.solve(A, B), rtol=1e-7, atol=1e-8 / lam)
    assert found.converged == (found.residual <= 1e-10)
    assert found.residual <= 1e-10
    one = gm.solve(kernel.gram(X), B[:, 0], lam)
    assert one.value.shape == (40,)
    np.testing.assert_allclose(one.value, found.value[:, 0], rtol=1e-7, atol=1e-9 / lam)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 25),
    rank=st.integers(1, 25),
    columns=st.integers(1, 4),
    scale=st.sampled_from([1e-6, 1.0, 1e6]),
    share=st.sampled_from([1e-5, 1e-2, 1.0, 100.0]),
    limit=st.sampled_from([0, 3000]),
)
def test_any_psd_system_is_solved_and_its_residual_reported_as_it_is(seed, n, rank, columns, scale, share, limit):
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(n, rank))
    K = scale * (F @ F.T)
    lam = share * float(np.diagonal(K).max())
    b = rng.normal(size=(n, columns))
    with pytest.MonkeyPatch.context() as patch:
        if n > 4:  # a preconditioner of rank n // 4 needs four objects
            patch.setattr(solve_module, "DENSE", limit)
        found = gm.solve(gm.Precomputed(K).gram(range(n)), b, lam)
    expected = np.linalg.solve(K + lam * np.eye(n), b)
    # The condition number is at most n / share = 2.5e6, and the residual 1e-10
    assert np.abs(found.value - expected).max() <= 1e-3 * np.abs(expected).max()
    assert found.converged
    # Products in another order differ by ε ‖K‖ ‖x‖ / ‖b‖
    assert found.residual == pytest.approx(true_residual(K, found, b, lam), rel=1e-2, abs=n * 1e-15 * (1 + 1 / share))


@pytest.mark.parametrize("lam", [1e-9, 1e-3, 1.0])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_the_residual_reported_is_the_true_one_on_every_route(kernel, lam, X, B, monkeypatch):
    for limit in (3000, 10):
        monkeypatch.setattr(solve_module, "DENSE", limit)
        found = gm.solve(kernel.gram(X), B, lam)
        true = true_residual(kernel(X), found, B, lam)
        # Products that are computed in another order differ by ε ‖K‖ ‖x‖ / ‖b‖
        size = (
            np.linalg.norm(kernel(X), 2) * np.linalg.norm(found.value, axis=0).max() / np.linalg.norm(B, axis=0).min()
        )
        assert found.residual == pytest.approx(true, rel=1e-3, abs=40 * 2.2e-16 * size)
        assert found.converged == (found.residual <= 1e-10)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_a_tolerance_out_of_reach_is_not_said_to_be_reached(kernel, X, B, monkeypatch):
    for limit in (3000, 10):
        monkeypatch.setattr(solve_module, "DENSE", limit)
        found = gm.solve(kernel.gram(X), B, 0.01, tol=1e-30)
        assert not found.converged
        assert 1e-30 < found.residual <= 1e-9


def test_a_looser_tolerance_is_met_in_fewer_steps(iterative, X, B):
    gram = gm.Gaussian(0.5).gram(X)
    loose, tight = gm.solve(gram, B, 1e-3, tol=1e-2), gm.solve(gram, B, 1e-3, tol=1e-12)
    assert loose.converged
    assert tight.converged
    assert loose.iterations < tight.iterations
    assert 1e-12 < loose.residual <= 1e-2


def test_the_method_says_what_was_done(X, B, monkeypatch):
    assert gm.solve(gm.Linear().gram(X), B, 1.0).method == "primal, 3 features"
    assert gm.solve(gm.Gaussian(1.0).gram(X), B, 1.0).method == "Cholesky factorization"
    monkeypatch.setattr(solve_module, "DENSE", 10)
    found = gm.solve(gm.Gaussian(1.0).gram(X), B, 1.0)
    words = "Cholesky factorization in single precision, refined by"
    assert found.method == f"{words} {found.iterations} products with K"
    monkeypatch.setattr(Machine, "factored", lambda self, n: np.inf)
    found = gm.solve(gm.Gaussian(1.0).gram(X), B, 1.0)
    assert found.method.startswith(f"conjugate gradients, {found.iterations} products")
    assert found.iterations > 0


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(12, 60),
    columns=st.integers(1, 3),
    size=st.sampled_from([1e-200, 1e-30, 1.0, 1e200]),
    ridge=st.sampled_from([1e-4, 1e-2, 1.0, 100.0]),
)
def test_a_factor_in_single_precision_gives_answers_to_double(seed, n, columns, size, ridge):
    rng = np.random.default_rng(seed)
    X, B = rng.normal(size=(n, 2)), size * rng.normal(size=(n, columns))
    K = gm.Gaussian(1.0)(X)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solve_module, "DENSE", 10)
        found = gm.solve(gm.Gaussian(1.0).gram(X), B, ridge)
    assert "single precision" in found.method
    assert found.converged
    expected = np.linalg.solve(K + ridge * np.eye(n), B / size) * size
    condition = 1 + n / ridge
    assert np.abs(found.value - expected).max() <= 1e-10 * condition * np.abs(expected).max()


def test_a_matrix_that_has_no_factor_in_single_precision_is_solved_all_the_same(monkeypatch):
    X = np.repeat(np.random.default_rng(0).normal(size=(10, 2)), 6, axis=0)  # K is singular, and λ lost in single
    B = np.random.default_rng(1).normal(size=(60, 1))
    monkeypatch.setattr(solve_module, "DENSE", 10)
    monkeypatch.setattr(Machine, "factored", lambda self, n: 0.0)
    found = gm.solve(gm.Gaussian(1.0).gram(X), B, 1e-8)
    A = gm.Gaussian(1.0)(X) + 1e-8 * np.eye(60)
    assert true_residual(A, found, B, 0.0) == pytest.approx(found.residual, rel=1, abs=1e-9)
    assert found.residual <= 1e-7


def test_a_factorization_steps_in_where_the_iteration_does_not_converge(iterative, X, B, monkeypatch):
    monkeypatch.setattr(solve_module, "MOST_STEPS", 1)
    found = gm.solve(gm.Gaussian(0.5).gram(X), B, 1e-3)
    assert found.method == "Cholesky factorization"
    assert found.converged
    assert true_residual(gm.Gaussian(0.5)(X), found, B, 1e-3) <= 1e-10


def test_3050_objects_are_solved_by_iteration_as_by_a_dense_solve():
    rng = np.random.default_rng(0)
    X, B = rng.normal(size=(3050, 4)), rng.normal(size=(3050, 2))
    found = gm.solve(gm.Gaussian(1.5).gram(X), B, 0.1)
    A = gm.Gaussian(1.5)(X)
    assert found.residual == pytest.approx(true_residual(A, found, B, 0.1), rel=1e-2)
    assert found.converged
    assert found.method.startswith("conjugate gradients")
    A[np.diag_indices_from(A)] += 0.1
    expected = np.linalg.solve(A, B)
    # Residual 1e-10 times a condition number below 1e5
    assert np.abs(found.value - expected).max() <= 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_a_ridge_that_is_on_the_gram_already_counts_too(kernel, X, B):
    found = gm.solve(kernel.gram(X).ridge(2.0), B, 1.0)
    np.testing.assert_allclose(found.value, np.linalg.solve(kernel(X) + 3.0 * np.eye(40), B), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("limit", [3000, 10])
def test_right_hand_sides_of_zero_have_the_answer_zero(limit, X, B, monkeypatch):
    monkeypatch.setattr(solve_module, "DENSE", limit)
    for kernel in KERNELS:
        mixed = np.column_stack([B[:, 0], np.zeros(40), B[:, 1]])
        found = gm.solve(kernel.gram(X), mixed, 0.1)
        assert not found.value[:, 1].any()
        assert found.converged
        np.testing.assert_allclose(found.value[:, [0, 2]], gm.solve(kernel.gram(X), B[:, :2], 0.1).value, rtol=1e-6)
        nothing = gm.solve(kernel.gram(X), np.zeros(40), 0.1)
        assert not nothing.value.any()
        assert nothing.residual == 0.0
        assert nothing.converged


def test_conjugate_gradients_leave_a_zero_column_alone_and_solve_the_others():
    rng = np.random.default_rng(0)
    F = rng.normal(size=(12, 12))
    A = F @ F.T + np.eye(12)
    B = np.column_stack([np.zeros(12), rng.normal(size=12), np.zeros(12), rng.normal(size=12)])
    found, steps = conjugate_gradients(lambda V, _: A @ V, lambda R, _: R, B, B, 1e-12, 200)
    assert np.isfinite(found).all()
    assert not found[:, [0, 2]].any()
    np.testing.assert_allclose(found, np.linalg.solve(A, B), rtol=1e-8, atol=1e-10)
    assert 0 < steps < 200
    nothing, steps = conjugate_gradients(lambda V, _: A @ V, lambda R, _: R, 0 * B, 0 * B, 1e-12, 200)
    assert steps == 0
    assert not nothing.any()


def test_conjugate_gradients_take_no_more_steps_than_distinct_eigenvalues():
    A = np.diag(np.repeat([1.0, 5.0, 50.0], 10))
    B = np.random.default_rng(0).normal(size=(30, 2))
    found, steps = conjugate_gradients(lambda V, _: A @ V, lambda R, _: R, B, B, 1e-10, 100)
    assert steps <= 3
    np.testing.assert_allclose(found, B / np.diagonal(A)[:, None], rtol=1e-8)


@pytest.mark.parametrize("limit", [3000, 10])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_a_lens_is_the_map_through_which_k_is_seen(kernel, limit, X, B, monkeypatch):
    monkeypatch.setattr(solve_module, "DENSE", limit)
    d = np.random.default_rng(2).uniform(0.1, 2.0, size=(40, 1))
    border = d[:, 0] / np.linalg.norm(d)
    S = (np.eye(40) - np.outer(border, border)) @ np.diag(d[:, 0])
    found = solve_through(kernel.gram(X), B, 0.3, Lens(lambda V: S @ V, lambda V: S.T @ V))
    expected = np.linalg.solve(S @ kernel(X) @ S.T + 0.3 * np.eye(40), B)
    np.testing.assert_allclose(found.value, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("limit", [3000, 10])
def test_single_precision_converges_to_its_own_accuracy(limit, X, B, monkeypatch):
    monkeypatch.setattr(solve_module, "DENSE", limit)
    X32 = X.astype(np.float32)
    for kernel in KERNELS:
        found = gm.solve(kernel.gram(X32), B, 1.0)
        assert found.converged
        assert true_residual(kernel(X32.astype(float)), found, B, 1.0) <= 1e-3


# Refusals


def indefinite(n):
    rng = np.random.default_rng(0)
    A = rng.uniform(-0.9, 0.9, size=(n, n))
    A = (A + A.T) / 2
    np.fill_diagonal(A, 1.0)
    assert np.linalg.eigvalsh(A)[0] < -1
    return A


@pytest.mark.parametrize("limit", [3000, 10])
def test_a_matrix_that_is_not_a_kernel_is_refused(limit, monkeypatch):
    monkeypatch.setattr(solve_module, "DENSE", limit)
    with pytest.raises(ValueError, match="not positive (semi)?definite"):
        gm.solve(gm.Precomputed(indefinite(40)).gram(range(40)), np.ones(40), 0.1)


def test_a_ridge_that_makes_it_definite_is_solved():
    A = indefinite(40)
    found = gm.solve(gm.Precomputed(A).gram(range(40)), np.ones(40), 20.0)
    np.testing.assert_allclose(found.value, np.linalg.solve(A + 20 * np.eye(40), np.ones(40)), rtol=1e-9)


@pytest.mark.parametrize("limit", [3000, 10])
@pytest.mark.parametrize("lam", [1e-12, 1e-15, 1e-18, 1e-30])
@pytest.mark.parametrize("kernel", [gm.Linear(), gm.Gaussian(1e3), gm.Polynomial(2, 1.0)], ids=str)
def test_a_ridge_lost_in_rounding_gives_an_honest_answer_or_says_what_to_do(kernel, lam, limit, monkeypatch):
    monkeypatch.setattr(solve_module, "DENSE", limit)
    columns = np.random.default_rng(0).normal(size=(60, 2))
    X = np.hstack([columns, columns, columns])
    b = np.random.default_rng(1).normal(size=60)
    complaint = ""
    try:
        found = gm.solve(kernel.gram(X), b, lam)
    except ValueError as error:
        complaint = str(error)
    if complaint:
        assert "ridge" in complaint, f"it does not say what to do: {complaint}"
        return
    true = true_residual(kernel(X), found, b, lam)
    assert not (found.converged and true > 1e-9)
    if not np.isnan(found.residual):
        assert found.residual == pytest.approx(true, rel=20)


@pytest.mark.parametrize(
    ("b", "error", "message"),
    [
        (np.ones(39), ValueError, "shape .39,.; 40 finite"),
        (np.ones((3, 40)), ValueError, "40 finite"),
        (np.ones((40, 2, 2)), ValueError, "40 finite"),
        (1.0, ValueError, "40 finite"),
        (np.where(np.arange(40) == 7, np.nan, 1.0), ValueError, "finite"),
        (np.where(np.arange(40) == 7, np.inf, 1.0), ValueError, "finite"),
        (np.ones(40) * 1j, TypeError, "real"),
        (["a"] * 40, TypeError, "real"),
        (np.ones((40, 0)), ValueError, "b has shape"),
    ],
    ids=["short", "transposed", "3-d", "scalar", "nan", "inf", "complex", "text", "no columns"],
)
def test_bad_right_hand_sides_are_refused(b, error, message, X):
    with pytest.raises(error, match=message):
        gm.solve(gm.Gaussian(1.0).gram(X), b, 1.0)


@pytest.mark.parametrize("lam", [0.0, -1.0, np.nan, np.inf])
def test_a_ridge_that_is_not_above_zero_is_refused(lam, X, B):
    with pytest.raises(ValueError, match="ridge is"):
        gm.solve(gm.Gaussian(1.0).gram(X), B, lam)


@pytest.mark.parametrize("lam", ["loo", None, True, ["x"]], ids=str)
def test_a_ridge_that_is_not_a_number_is_refused(lam, X, B):
    with pytest.raises(TypeError, match="ridge is"):
        gm.solve(gm.Gaussian(1.0).gram(X), B, lam)


def test_only_a_symmetric_gram_is_solved(X, B):
    with pytest.raises(TypeError, match="takes a Gram"):
        gm.solve(X @ X.T, B, 1.0)
    with pytest.raises(ValueError, match="symmetric"):
        gm.solve(gm.Linear().gram(X, X[:40] + 1), B, 1.0)


def test_neither_b_nor_k_is_written_to(X, B):
    before, points = B.copy(), X.copy()
    for kernel in KERNELS:
        gm.solve(kernel.gram(X), B, 1.0)
    np.testing.assert_array_equal(B, before)
    np.testing.assert_array_equal(X, points)
    K = gm.Gaussian(1.0)(X)
    kept = K.copy()
    gm.solve(gm.Precomputed(K).gram(range(40)), B, 1.0)
    np.testing.assert_array_equal(K, kept)


@pytest.mark.parametrize("n", [60, 3200])
def test_several_ridges_are_solved_as_one_by_one(n):
    rng = np.random.default_rng(0)
    gram = gm.Gaussian(1.5).gram(rng.normal(size=(n, 3)))
    B = rng.normal(size=(n, 2))
    ridges = [0.05, 1.0, 20.0]
    found = gm.solve(gram, B, ridges)
    assert found.value.shape == (3, n, 2)
    assert found.converged
    for value, lam in zip(found.value, ridges, strict=True):
        np.testing.assert_allclose(gram @ value + lam * value, B, atol=1e-8)
    np.testing.assert_allclose(gm.solve(gram, B[:, 0], ridges).value, found.value[..., 0], rtol=1e-6, atol=1e-8)


def test_several_ridges_share_products_with_k():
    rng = np.random.default_rng(0)
    gram = gm.Gaussian(1.5).gram(rng.normal(size=(3200, 3)))
    b = rng.normal(size=3200)
    ridges = [0.01, 0.1, 1.0]
    together = gm.solve(gram, b, ridges).iterations
    assert together < sum(gm.solve(gram, b, lam).iterations for lam in ridges)


@pytest.mark.parametrize("ridge", [[], [1.0, 0.0], [1.0, -2.0], [float("nan")]])
def test_bad_ridges_are_refused(ridge):
    with pytest.raises(ValueError, match="ridge is"):
        gm.solve(gm.Linear().gram([[1.0], [2.0]]), [1.0, 2.0], ridge)


def test_steps_go_on_in_double_precision_where_single_precision_makes_no_headway(iterative, monkeypatch):
    monkeypatch.setattr("gramian.places.cores.entries.HOLD", 0)
    n = 400
    gram = gm.Gaussian(0.5).gram(np.linspace(0, 1, n)[:, None])
    B = np.random.default_rng(0).normal(size=(n, 2))
    assert not gram.can_hold()
    # With λ this near to what single precision does to K, a round of steps by such values leaves a good part of every
    # residual, and eight rounds leave far more than 1e-6. Rounding in double precision is no matter at all.
    K = gram.dense()
    lam = 1.5 * float(np.linalg.norm(gram.rounded().dense() - K, 2))
    assert lam > 1e7 * np.finfo(float).eps * np.sqrt(n)
    found = gm.solve(gram, B, lam)
    assert found.converged
    assert true_residual(K, found, B, lam) <= 1e-6


def test_the_method_names_the_preconditioner_that_there_was(iterative, X, B, monkeypatch):
    found = gm.solve(gm.Gaussian(1.0).gram(X), B, 1.0)
    assert found.rank > 0
    words = f"conjugate gradients, {found.iterations} products with K, "
    assert found.method == f"{words}preconditioner of rank {found.rank}"
    kernel = gm.ExponentialDiffusion([(i, i + 1) for i in range(39)], 0.5)
    monkeypatch.setattr(type(kernel), "matrix_free", True)
    found = gm.solve(kernel.gram(range(40)), B, 1.0)
    assert found.method == f"conjugate gradients, {found.iterations} products with K, no preconditioner"


@pytest.mark.parametrize("exponent", [-60, 60])
def test_a_system_in_other_units_takes_the_same_steps_to_the_same_answer(iterative, exponent, X, B):
    unit = 2.0**exponent
    plain, scaled = (gm.solve((c * gm.Gaussian(1.0)).gram(X), B, c * 1e-3) for c in (1.0, unit))
    assert abs(scaled.iterations - plain.iterations) <= 1
    np.testing.assert_allclose(scaled.value * unit, plain.value, rtol=1e-6, atol=1e-6 * np.abs(plain.value).max())


def test_steps_are_told_one_by_one_after_those_before():
    K, told = np.diag(np.arange(1.0, 9.0)), []
    _, steps = conjugate_gradients(
        lambda V, _: K @ V,
        lambda R, _: R,
        np.ones((8, 1)),
        np.ones((8, 1)),
        1e-10,
        20,
        lambda *now: told.append(now),
        5,
    )
    assert steps > 3
    assert [done for done, _, _ in told] == [5 + k for k in range(1, steps + 1)]
    assert all(note.startswith(f"step {done}, residual ") for done, _, note in told)


@pytest.mark.parametrize("kernel", [gm.Composition(), gm.Spectrum(2), gm.BagOfWords(vocabulary=("lion",))], ids=repr)
def test_objects_without_any_feature_are_solved_for_by_the_ridge_alone(kernel):
    found = gm.solve(kernel.gram(["", "", ""]), np.arange(3.0), 0.5)
    np.testing.assert_array_equal(found.value, 2 * np.arange(3.0))
    assert found.converged


def test_the_size_of_a_residual_is_told_whatever_the_sizes():
    R, B = np.array([[3.0], [4.0]]), np.array([[0.0], [10.0]])
    for r in (1e-300, 1.0, 1e300):
        for b in (1e-300, 1.0, 1e300):
            expected = min(r / b / 2, np.inf) if r / b < 1e308 else np.inf
            np.testing.assert_allclose(solve_module.relative(r * R, b * B), expected, rtol=1e-12)
    assert solve_module.relative(R, 0 * B) == 5.0
    assert solve_module.relative(0 * R, 5e-324 * np.sign(B)) == 0.0
