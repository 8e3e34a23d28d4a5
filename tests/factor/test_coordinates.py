"""Points with the inner products of K, from a complete factor or from one of low rank."""

import numpy as np
import pytest

import gramian as gm
from gramian.factor import spectrum as module
from gramian.factor.spectrum import coordinates

X = np.random.default_rng(0).normal(size=(60, 2))


def refused(self):
    raise AssertionError("the whole of K was asked for")


def test_beyond_the_limit_k_is_never_made_as_a_whole(monkeypatch):
    K = gm.Gaussian(1.0)(X)
    monkeypatch.setattr(module, "DENSE", 59)
    monkeypatch.setattr(gm.Gram, "matrix", refused)
    points, left_out = coordinates(gm.Gaussian(1.0).gram(X))
    np.testing.assert_allclose(points @ points.T, K, atol=60 * 60 * np.finfo(float).eps)
    assert 0 <= left_out <= 60 * np.finfo(float).eps


@pytest.mark.parametrize("limit", [60, 61])
def test_up_to_the_limit_the_factor_is_complete_and_nothing_is_left_out(limit, monkeypatch):
    monkeypatch.setattr(module, "DENSE", limit)
    monkeypatch.setattr(module, "pivoted", refused)
    points, left_out = coordinates(gm.Gaussian(1.0).gram(X))
    np.testing.assert_allclose(points @ points.T, gm.Gaussian(1.0)(X), atol=60 * 60 * np.finfo(float).eps)
    assert left_out == 0
