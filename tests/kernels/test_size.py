"""A kernel has a size when written out, and one that is too large for anything to be done with it is refused."""

import copy
import pickle
import time

import numpy as np
import pytest

import gramian as gm
from gramian.kernels.value import MOST_LEVELS, MOST_PARTS
from gramian.runtime.fingerprint import fingerprint

X = np.random.default_rng(0).normal(size=(8, 2))


def grown(step, times):
    kernel = gm.Gaussian(2.0)
    for _ in range(times):
        kernel = step(kernel)
    return kernel


STEPS = {
    "left": lambda k: k + gm.Linear(),
    "right": lambda k: gm.Gaussian(3.0) * k,
    "scaled": lambda k: 0.5 * k,
    "shifted": lambda k: k + 1,
    "normalized": lambda k: k.normalize(),
    "pulled back": lambda k: k.pullback(np.asarray),
}


@pytest.mark.parametrize("name", STEPS)
def test_the_deepest_kernel_can_be_used_in_every_way(name):
    k = grown(STEPS[name], MOST_LEVELS - 1)
    assert len(repr(k)) > MOST_LEVELS
    assert hash(k) == hash(copy.copy(k))
    assert k == grown(STEPS[name], MOST_LEVELS - 1)
    if name != "pulled back":
        assert pickle.loads(pickle.dumps(k)) == k == copy.deepcopy(k)
        assert fingerprint(k) == fingerprint(copy.deepcopy(k))
    assert k.fit(X) is k
    assert k(X).shape == (8, 8)
    assert len(k.get_params()) >= MOST_LEVELS - 1
    gm.KernelRidge(k, ridge=1.0).fit(X, X[:, 0]).predict(X)


@pytest.mark.parametrize("name", STEPS)
def test_one_level_more_is_refused(name):
    with pytest.raises(ValueError, match=f"is {MOST_LEVELS + 1} levels deep .* at most {MOST_LEVELS} levels"):
        grown(STEPS[name], MOST_LEVELS)


@pytest.mark.parametrize("step", [lambda k: k + k, lambda k: k * k, lambda k: (k + k) * (k + 1)])
def test_a_kernel_doubled_again_and_again_is_refused_and_never_takes_long(step):
    begun = time.process_time()
    with pytest.raises(ValueError, match=r"parts when written out; .* take 2 \* k for k \+ k"):
        grown(step, 40)
    k = grown(step, 6)
    assert k == grown(step, 6)
    assert hash(k) == hash(grown(step, 6))
    np.testing.assert_allclose(k(X), pickle.loads(pickle.dumps(k))(X))
    assert time.process_time() - begun < 20


def test_a_shared_part_counts_wherever_it_stands():
    k = grown(lambda k: k + k, 12)
    assert k._size == (2**13 - 1, 13)
    assert MOST_PARTS < 2**14 - 1
    with pytest.raises(ValueError, match="14 levels deep and has 16,383 parts"):
        k + k


def test_a_sum_of_many_terms_two_and_two_is_no_problem():
    terms = [gm.Gaussian(1.0 + k) for k in range(1024)]
    expected = sum(k(X) for k in terms)
    while len(terms) > 1:
        terms = [a + b for a, b in zip(terms[::2], terms[1::2], strict=True)]
    np.testing.assert_allclose(terms[0](X), expected)
    with pytest.raises(ValueError, match="two and two"):
        sum((gm.Gaussian(1.0 + k) for k in range(10_000)), gm.Linear())


def test_size_survives_copies_pickles_and_changed_parameters():
    k = gm.Linear() + 2 * gm.Gaussian(3.0)
    for other in (copy.copy(k), copy.deepcopy(k), pickle.loads(pickle.dumps(k)), k.with_params(right__factor=3.0)):
        assert other._size == k._size == (4, 3)
    assert gm.Linear().center(X)._size == (2, 2)


def test_kernels_about_kernels_are_compared_and_walked_in_little_time():
    def nested():
        k = gm.Linear()
        for _ in range(14):
            k = k.center(X)
        return k

    a, b = nested(), nested()
    begun = time.process_time()
    assert a == b
    assert fingerprint(a) == fingerprint(b)
    assert hash(a) == hash(b)
    assert time.process_time() - begun < 2  # 2^14 comparisons of arrays would take longer
    assert a != a.base.center(X + 1)
