"""The part of a spectrum above a threshold, by an iteration that widens until it has passed it."""

import re

import numpy as np
import pytest

import gramian as gm
from gramian.factor import spectrum as module
from gramian.factor.solve import PLAIN, Lens

N = 650  # enough for 64 pairs and for 128
GRAM = gm.Gaussian(0.5).gram(np.random.default_rng(0).normal(size=(N, 3)))


def centred(V):
    return V - V.mean(axis=0)


@pytest.fixture(scope="module", params=[PLAIN, Lens(centred, centred)], ids=["plain", "centred"])
def known(request):
    values, U = np.linalg.eigh(request.param.around(GRAM.dense()))
    return request.param, values[::-1], U[:, ::-1]


@pytest.mark.parametrize("place", [5, 63, 100, 300])  # within 64 pairs, at their end, within 128, beyond all
def test_every_eigenvalue_from_the_threshold_on_is_found_and_no_other(place, known, monkeypatch):
    lens, values, U = known
    gap = values[place - 1] - values[place]
    monkeypatch.setattr(module, "DENSE", N - 1)
    found = module.spectrum_above(GRAM, values[place] + gap / 2, lens)
    if place <= 128:
        assert len(found.values) == place
        assert found.left_out == 0
    allowed = 1e-8 * values[0]
    np.testing.assert_allclose(found.values[:place], values[:place], atol=allowed)
    V = found.vectors[:, :place]
    # The space they span is right to the residuals, divided by the gap below it.
    assert np.linalg.norm(V - U[:, :place] @ (U[:, :place].T @ V), 2) <= 10 * allowed / gap


@pytest.mark.parametrize("weight", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_what_is_no_kernel_is_refused_at_any_scale_and_through_any_weights(scale, weight):
    K = scale * (np.full((12, 12), -0.5) + 1.5 * np.eye(12))  # whose smallest eigenvalue is −4.5
    gram = gm.Precomputed(K).gram(range(12))
    lens = Lens(lambda V: weight * V, lambda V: weight * V)
    with pytest.raises(ValueError, match=re.escape(f"its smallest eigenvalue is {-4.5 * scale * weight**2:.3g}")):
        module.spectrum(gram, lens)
