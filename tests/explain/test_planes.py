"""The clearest valley in a plane: as rare in one cloud as its p-value says, and there where groups touch."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from gramian.explain.planes import clearest, principal

CLOUDS = {
    "cube": lambda rng, n: rng.random((n, 3)),
    "square": lambda rng, n: rng.random((n, 2)),
    "one column": lambda rng, n: rng.random((n, 1)),
    "Gaussian": lambda rng, n: rng.standard_normal((n, 10)),
    "heavy tails": lambda rng, n: rng.standard_t(3, (n, 5)),
}


@pytest.mark.parametrize("name", CLOUDS)
def test_one_cloud_has_a_clear_valley_no_more_often_than_is_said(name):
    """Of 80 draws at p ≤ 0.1, 15 and more would come by chance in one run of a hundred."""
    found = []
    for seed in range(80):
        rng = np.random.default_rng(seed)
        X = CLOUDS[name](rng, int(rng.choice([24, 60, 90, 200])))
        found.append(clearest(cdist(X, X)).p_value)
    assert np.sum(np.array(found) <= 0.1) <= 14
    assert np.sum(np.array(found) <= 0.01) <= 4


@pytest.mark.parametrize("n", [60, 150])
def test_groups_between_which_little_lies_are_told_apart(n):
    right = 0
    for seed in range(20):
        rng, label = np.random.default_rng(seed), np.arange(n) % 2
        X = rng.standard_normal((n, 6))
        X[:, 0] += 6 * label
        found = clearest(cdist(X, X))
        before = found.values < found.windows.bottom
        right += found.p_value < 0.01 and max(np.mean(before == label), np.mean(before != label)) > 0.95
    assert right >= 19


@pytest.mark.parametrize("seed", range(20))
def test_components_of_distances_are_those_of_the_coordinates(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 5)) * [5, 4, 3, 1, 1]
    X -= X.mean(axis=0)
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    expected, found = (U * s)[:, :3], principal(cdist(X, X))
    np.testing.assert_allclose(np.abs(np.sum(expected * found, axis=0)), s[:3] ** 2, rtol=1e-9)


def test_equal_objects_have_no_component_and_no_valley():
    found = clearest(np.zeros((20, 20)))
    assert found.p_value == 1
    assert found.windows is None
    assert found.depth == 1
