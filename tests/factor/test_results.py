"""Results are evidence: nobody changes them afterwards, and they are told apart by identity, for they hold arrays."""

from copy import copy
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import gramian as gm

X = np.random.default_rng(0).normal(size=(20, 2))
GRAM = gm.Gaussian(1.0).gram(X)
MAKE = {
    "Solution": lambda: gm.solve(GRAM, np.ones(20), 1.0),
    "Eigen": lambda: gm.eigen(GRAM, 3),
    "LowRank": lambda: gm.cholesky(GRAM, 3),
    "PsdCertificate": lambda: gm.is_psd(GRAM),
    "RidgePath": lambda: gm.KernelRidge(gm.Gaussian(1.0), "loo").fit(X, X[:, 0]).path_,
}


@pytest.mark.parametrize("name", MAKE)
def test_a_result_cannot_be_changed(name):
    result = MAKE[name]()
    assert type(result).__name__ == name
    for field in fields(result):
        with pytest.raises(FrozenInstanceError):
            setattr(result, field.name, None)


@pytest.mark.parametrize("name", MAKE)
def test_a_result_is_equal_to_itself_alone(name):
    result = MAKE[name]()
    assert result == result
    assert (result == copy(result)) is False
    assert len({result, copy(result)}) == 2
