"""The part of a spectrum above a threshold, by an iteration that widens until it has passed it."""

import numpy as np
import pytest

import gramian as gm
from gramian.factor import spectrum as module
from gramian.factor.solve import PLAIN, Frame

N = 650  # enough for 64 pairs and for 128
GRAM = gm.Gaussian(0.5).gram(np.random.default_rng(0).normal(size=(N, 3)))


def centred(V):
    return V - V.mean(axis=0)


@pytest.fixture(scope="module", params=[PLAIN, Frame(centred, centred)], ids=["plain", "centred"])
def known(request):
    values, U = np.linalg.eigh(request.param.around(GRAM.dense()))
    return request.param, values[::-1], U[:, ::-1]


@pytest.mark.parametrize("place", [5, 63, 100, 300])  # within 64 pairs, at their end, within 128, beyond all
def test_every_eigenvalue_from_the_threshold_on_is_found_and_no_other(place, known, monkeypatch):
    frame, values, U = known
    gap = values[place - 1] - values[place]
    monkeypatch.setattr(module, "DENSE", N - 1)
    found = module.spectrum_above(GRAM, values[place] + gap / 2, frame)
    if place <= 128:
        assert len(found.values) == place
        assert found.left_out == 0
    allowed = 1e-8 * values[0]
    np.testing.assert_allclose(found.values[:place], values[:place], atol=allowed)
    V = found.vectors[:, :place]
    # The space they span is right to the residuals, divided by the gap below it.
    assert np.linalg.norm(V - U[:, :place] @ (U[:, :place].T @ V), 2) <= 10 * allowed / gap
