"""The Nyström kernel against a dense projection on the span of the landmarks, for every kind of object."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.gram.gram import Gram
from gramian.kernels import nystrom as nystrom_module

N = 40
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
WORDS = ["".join(RNG.choice(list("abcd"), RNG.integers(3, 8))) for _ in range(N)]
RING = gm.Graph([(k, (k + 1) % N) for k in range(N)] + [(k, (3 * k) % N) for k in range(1, N, 4)])
ROWS = [{"age": float(x[0]), "name": word} for x, word in zip(X, WORDS, strict=True)]

# The most that an entry may differ from the oracle, in units of the largest: the oracle's cut-off, not the kernel's.
OBJECTS = {
    "vectors": (gm.Gaussian(1.0), X, 1e-9),
    "single precision": (gm.Gaussian(1.0), X.astype(np.float32), 2e-5),
    "laplacian": (gm.Laplacian(2.0), X, 1e-9),
    "explicit": (gm.Polynomial(2, 1.0), X, 1e-9),
    "sparse rows": (gm.Gaussian(1.0), scipy.sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0)), 1e-9),
    "strings": (gm.Subsequences(2, 0.5), WORDS, 1e-9),
    "counts": (gm.Spectrum(2), WORDS, 1e-9),
    "nodes": (gm.ExponentialDiffusion(RING, 0.5, of="laplacian"), list(range(N)), 1e-9),
    "records": (gm.Gaussian(1.0).on("age") + gm.Spectrum(2).on("name").normalize(), ROWS, 1e-9),
    "centred": (gm.Gaussian(1.0).center(X), X, 1e-9),
}
every_object = pytest.mark.parametrize("name", OBJECTS)


def some(objects, index):
    return [objects[i] for i in index] if isinstance(objects, list) else objects[np.asarray(index)]


def projected(kernel, landmarks, A, B):
    """k(x)ᵀ K⁺ k(z) in double precision, from the eigenvectors of K."""
    K, left, right = (np.asarray(kernel(*pair), dtype=float) for pair in ((landmarks,), (A, landmarks), (B, landmarks)))
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    kept = values > 1e-11 * values.max()
    return (left @ vectors[:, kept] / values[kept]) @ (right @ vectors[:, kept]).T


@every_object
def test_values_are_those_of_the_projections_on_the_landmarks(name):
    kernel, objects, tol = OBJECTS[name]
    landmarks = some(objects, range(0, N, 5))
    low = gm.Nystrom(kernel, landmarks=landmarks).fit(objects)
    expected = projected(kernel.fit(objects), landmarks, objects, objects)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(low(objects), expected, rtol=0, atol=tol * scale)
    others = some(objects, [1, 3, 9])
    np.testing.assert_allclose(low(others, objects), expected[[1, 3, 9]], rtol=0, atol=tol * scale)
    np.testing.assert_allclose(low.diag(objects), expected.diagonal(), rtol=0, atol=tol * scale)


@every_object
def test_the_explicit_features_reproduce_the_kernel(name):
    kernel, objects, tol = OBJECTS[name]
    low = gm.Nystrom(kernel, rank=9).fit(objects)
    phi = low.features(objects)
    assert phi.shape == (N, low.feature_dim(low.encode(objects)))
    assert phi.shape[1] <= 9
    np.testing.assert_allclose(phi @ phi.T, low(objects), rtol=0, atol=tol * np.abs(low(objects)).max())


@every_object
def test_it_is_the_kernel_itself_at_landmarks_and_never_larger_on_the_diagonal(name):
    kernel, objects, tol = OBJECTS[name]
    landmarks = some(objects, range(0, N, 7))
    low = gm.Nystrom(kernel, landmarks=landmarks).fit(objects)
    K = np.asarray(kernel.fit(objects)(objects), dtype=float)
    scale = np.abs(K).max()
    np.testing.assert_allclose(low(landmarks, objects), K[::7], rtol=0, atol=tol * scale)
    assert (low.diag(objects) <= K.diagonal() + tol * scale).all()
    rest = K - low(objects)
    assert np.linalg.eigvalsh((rest + rest.T) / 2)[0] >= -N * tol * scale


@every_object
def test_what_is_left_of_the_trace_does_not_grow_with_the_rank(name):
    kernel, objects, tol = OBJECTS[name]
    trace = float(np.sum(kernel.fit(objects).diag(objects), dtype=float))
    kernels = [gm.Nystrom(kernel, rank=rank).fit(objects) for rank in (2, 8, N)]
    left = [trace - float(np.sum(low.diag(objects), dtype=float)) for low in kernels]
    assert left[0] > left[1] > left[2] - tol * trace
    assert left[2] == pytest.approx(0.0, abs=10 * tol * trace)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 20),
    d=st.integers(1, 4),
    count=st.integers(1, 12),
    repeated=st.booleans(),
    bandwidth=st.sampled_from([0.3, 1.0, 30.0]),
)
def test_any_landmarks_give_a_projection(seed, n, d, count, repeated, bandwidth):
    rng = np.random.default_rng(seed)
    points, landmarks = rng.normal(size=(n, d)), rng.normal(size=(count, d))
    if repeated:
        landmarks = np.vstack([landmarks, landmarks[::-1]])
    kernel = gm.Gaussian(bandwidth)
    low = gm.Nystrom(kernel, landmarks=landmarks)
    phi = low.features(points)
    assert phi.shape[1] <= len(landmarks)
    # Landmarks that depend on others up to n ε are left out: entries then miss √(n ε) of a direction at most
    np.testing.assert_allclose(low(landmarks), kernel(landmarks), rtol=0, atol=1e-6)
    assert (np.square(phi).sum(axis=1) <= 1 + 1e-9).all()
    np.testing.assert_allclose(phi @ phi.T, low(points), rtol=0, atol=1e-12)


def test_repeated_and_dependent_landmarks_are_left_out():
    landmarks = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    low = gm.Nystrom(gm.Linear(), landmarks=landmarks)
    assert low.features([[3.0, 4.0]]).shape == (1, 2)
    np.testing.assert_allclose(low(X[:, :2]), X[:, :2] @ X[:, :2].T, atol=1e-12)


@pytest.mark.parametrize("bandwidth", [0.003, 0.3, 1.0, 30.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_landmarks_given_twice_count_once_though_values_of_equal_objects_are_rounded(dtype, bandwidth):
    landmarks = X[:5].astype(dtype)
    low = gm.Nystrom(gm.Gaussian(bandwidth), landmarks=np.vstack([landmarks, landmarks[::-1]]))
    assert low.features(landmarks).shape[1] <= 5
    tol = 1e-9 if dtype == np.float64 else 1e-4
    np.testing.assert_allclose(low(landmarks), gm.Gaussian(bandwidth)(landmarks), atol=tol)


def test_a_span_that_is_smaller_than_the_space_projects():
    low = gm.Nystrom(gm.Linear(), landmarks=[[1.0, 0.0], [2.0, 0.0]])
    np.testing.assert_allclose(low([[3.0, 4.0], [-2.0, 7.0]]), [[9.0, -6.0], [-6.0, 4.0]], atol=1e-12)


def test_as_many_landmarks_as_distinct_objects_give_the_kernel_itself():
    twice = np.vstack([X, X])
    kernel = gm.Gaussian(1.0)
    low = gm.Nystrom(kernel, rank=2 * N).fit(twice)
    assert low.features(X).shape[1] == N
    np.testing.assert_allclose(low(twice), kernel(twice), atol=1e-11)


def test_the_same_data_gives_the_same_landmarks():
    first, second = (gm.Nystrom(gm.Gaussian("median"), rank=8).fit(X) for _ in range(2))
    assert first == second
    np.testing.assert_array_equal(first.features(X), second.features(X))
    assert first != gm.Nystrom(gm.Gaussian("median"), rank=8).fit(X[::-1])
    assert first.fit(X[:3]) == first  # landmarks that were chosen stay


def test_landmarks_do_not_change_when_the_data_does():
    data = X.copy()
    low = gm.Nystrom(gm.Gaussian(1.0), rank=8).fit(data)
    before = low.features(X)
    data[:] = 0.0
    np.testing.assert_array_equal(low.features(X), before)


def test_landmarks_are_objects_of_the_sample():
    low = gm.Nystrom(gm.Gaussian(1.0), rank=8).fit(X)
    (landmarks,) = low.basis[0]
    assert len(landmarks) == 8
    assert {tuple(row) for row in landmarks} <= {tuple(row) for row in X}


def test_of_more_objects_than_there_is_room_for_a_part_is_drawn(monkeypatch):
    many = np.random.default_rng(1).normal(size=(2000, 2))
    seen = []
    factor = nystrom_module.pivoted
    monkeypatch.setattr(nystrom_module, "pivoted", lambda K, *a, **k: seen.append(len(K)) or factor(K, *a, **k))
    gm.Nystrom(gm.Gaussian(1.0), rank=20).fit(many)
    monkeypatch.setattr(nystrom_module, "ROOM", 8 * 20 * 300)
    low = gm.Nystrom(gm.Gaussian(1.0), rank=20).fit(many)
    monkeypatch.setattr(nystrom_module, "ROOM", 1)
    least = gm.Nystrom(gm.Gaussian(1.0), rank=20).fit(many)
    assert seen == [2000, 300, 40]  # at least twice as many as landmarks
    for kernel in (low, least):
        assert kernel.features(many).shape == (2000, 20)
        assert 0 < 1 - kernel.diag(many).mean() < 0.2
    assert {tuple(row) for row in low.basis[0].parts[0]} <= {tuple(row) for row in many}


def test_a_graph_of_many_nodes_is_seen_through_landmarks_without_its_matrix():
    n = 3200
    circle = gm.Graph([(k, (k + 1) % n) for k in range(n)])
    kernel = gm.ExponentialDiffusion(circle, 20.0, of="laplacian")
    assert kernel.matrix_free
    low = gm.Nystrom(kernel, rank=30).fit(range(n))
    nodes = list(range(0, n, 160))
    # exp(−βL) of a circle is a convolution, which Fourier's basis makes diagonal
    spectrum = np.exp(-20.0 * (2 - 2 * np.cos(2 * np.pi * np.arange(n) / n)))
    heat = np.fft.ifft(spectrum).real
    marks = np.asarray(low.basis[0].parts[0]).ravel().astype(int)
    K, k = heat[(marks[:, None] - marks) % n], heat[(np.array(nodes)[:, None] - marks) % n]
    np.testing.assert_allclose(low(nodes), k @ np.linalg.solve(K, k.T), atol=1e-8 * heat[0])
    assert low.features(nodes).shape == (20, 30)


def test_the_bandwidth_of_the_kernel_seen_is_settled_on_the_sample():
    low = gm.Nystrom(gm.Gaussian("median"), rank=5).fit(X)
    assert low.base == gm.Gaussian("median").fit(X)
    given_landmarks = gm.Nystrom(gm.Gaussian("median"), landmarks=X[:4]).fit(X)
    assert given_landmarks.base == gm.Gaussian("median").fit(X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_landmarks_of_another_precision_are_compared_all_the_same(dtype):
    other = np.float32 if dtype is np.float64 else np.float64
    low = gm.Nystrom(gm.Gaussian(1.0), landmarks=X[:6].astype(other))
    expected = projected(gm.Gaussian(1.0), X[:6], X, X)
    np.testing.assert_allclose(low(X.astype(dtype)), expected, atol=2e-5)


def test_it_prints_pickles_and_compares_as_other_kernels_do():
    chosen, own = gm.Nystrom(gm.Gaussian(1.0), rank=5), gm.Nystrom(gm.Gaussian(1.0), landmarks=X[:3])
    assert repr(chosen) == "Nystrom(Gaussian(bandwidth=1.0), rank=5)"
    assert repr(own) == "Nystrom(Gaussian(bandwidth=1.0), landmarks=<3 objects>)"
    assert "landmarks=" in repr(chosen.fit(X))
    for low in (chosen.fit(X), own):
        copy = pickle.loads(pickle.dumps(low))
        assert copy == low
        np.testing.assert_array_equal(copy.features(X), low.features(X))
    assert chosen != gm.Nystrom(gm.Gaussian(1.0), rank=6)
    assert own != gm.Nystrom(gm.Gaussian(1.0), landmarks=X[1:4])


def test_a_kernel_without_landmarks_says_how_to_get_them():
    with pytest.raises(ValueError, match=r"no landmarks yet: k = k\.fit\(X\)"):
        gm.Nystrom(gm.Gaussian(1.0), rank=5).encode(X)
    with pytest.raises(ValueError, match="bandwidth"):
        gm.Nystrom(gm.Gaussian("median"), landmarks=X[:4]).features(X)


@pytest.mark.parametrize("base", ["gaussian", None, gm.Gaussian, 3.0])
def test_what_is_no_kernel_is_refused(base):
    with pytest.raises(TypeError, match="base is .* a kernel expected"):
        gm.Nystrom(base)


@pytest.mark.parametrize(("rank", "error"), [(0, ValueError), (-3, ValueError), (2.0, TypeError), ("8", TypeError)])
def test_a_rank_that_is_no_number_of_landmarks_is_refused(rank, error):
    with pytest.raises(error, match="rank is .* expected"):
        gm.Nystrom(gm.Gaussian(1.0), rank=rank)


def test_images_that_are_all_zero_are_refused():
    with pytest.raises(ValueError, match=r"every object has the image φ\(x\) = 0"):
        gm.Nystrom(gm.Linear(), rank=3).fit(np.zeros((5, 2)))
    with pytest.raises(ValueError, match=r"all landmarks have the image φ\(x\) = 0"):
        gm.Nystrom(gm.Linear(), landmarks=np.zeros((5, 2)))(X[:, :2])


def test_values_that_overflow_are_refused_when_they_come_in():
    low = gm.Nystrom(gm.Polynomial(7, 1.0), landmarks=[[1.0], [2.0]])
    with pytest.raises(ValueError, match="overflows"):
        low([[1e60]])


def test_steadiness_is_lost_as_landmarks_come_near_to_each_other():
    near, far = ([[0.0], [gap]] for gap in (1e-4, 1.0))
    assert gm.Nystrom(gm.Gaussian(1.0), landmarks=far).steady(np.dtype(np.float64))
    assert not gm.Nystrom(gm.Gaussian(1.0), landmarks=near).steady(np.dtype(np.float64))
    assert not gm.Nystrom(gm.Gaussian(1.0), landmarks=far).steady(np.dtype(np.float32))


def test_a_lazy_gram_of_it_goes_through_its_features():
    low = gm.Nystrom(gm.Gaussian(1.0), rank=1).fit(X)
    gram = low.gram(X)
    assert isinstance(gram, Gram)
    assert gram.through_features()
    np.testing.assert_allclose(gram @ np.ones(N), low(X).sum(axis=1), atol=1e-12)


def test_objects_of_another_width_than_the_landmarks_are_refused():
    X = np.random.default_rng(0).normal(size=(8, 3))
    for base in (gm.Gaussian(1.0), gm.Linear(), gm.Laplacian(1.0), gm.Gaussian(1.0) + 1):
        kernel = gm.Nystrom(base, rank=3).fit(X)
        with pytest.raises(ValueError, match="do not fit together: 8 objects with 2 features against 3 .* 3 features"):
            kernel(X[:, :2])
