"""A batch that is refused leaves no trace: what is taught afterwards is learnt as if it had not been."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import gramian as gm


def batches(seed: int) -> tuple[Any, list[tuple[Any, Any]], tuple[Any, Any]]:
    """Return a learner, good batches, and one that is refused when much of it is done."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(36, 2))
    labels, rank = rng.permutation(np.arange(36) % 3), int(rng.integers(2, 6))
    words = np.array(["a", "b", "c"])[labels]
    numbers, infinite = X[:, 0] + rng.normal(size=36), np.full((4, 2), 1e200)
    model, targets, refused = [
        (gm.FisherDiscriminant(gm.Gaussian(1.0), ridge=0.1, rank=rank), labels, (X[:6], words[:6])),
        (gm.ParzenClassifier(gm.Gaussian(1.0), rank=rank), labels, (X[:6], words[:6])),
        (gm.ParzenClassifier(gm.Gaussian(1.0)), words, (X[:6], labels[:6])),
        (gm.KernelRidge(gm.Linear(), ridge=0.1, rank=2), numbers, (infinite, numbers[:4])),
        (gm.KernelPCA(1, gm.Linear(), rank=2), None, (infinite, None)),
    ][seed % 5]
    cuts = [0, *sorted(rng.choice(np.arange(9, 34), 2, replace=False)), 36]
    parts = [(X[a:b], None if targets is None else targets[a:b]) for a, b in pairwise(cuts)]
    return model, parts, refused


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(30))
def test_what_is_taught_after_a_refusal_is_learnt_as_without_it(seed: int) -> None:
    models = []
    for interrupted in (False, True):
        model, parts, refused = batches(seed)
        for part in parts:
            model.partial_fit(*part)
            if interrupted:
                with pytest.raises((TypeError, ValueError)):
                    model.partial_fit(*refused)
        models.append(model)
    ask = "transform" if isinstance(models[0], gm.KernelPCA) else "predict"
    X = np.random.default_rng(seed).normal(size=(9, 2))
    one, other = (np.asarray(getattr(model, ask)(X)) for model in models)
    assert np.array_equal(one, other)
