"""What is sent between workers tells its size, by which Dask decides where to work and what to keep."""

import pickle
import sys

import numpy as np
import pytest
import scipy.sparse

import gramian as gm
from gramian.intake.collections import Piece
from gramian.learn.ways import Part

X = np.random.default_rng(0).normal(size=(4000, 5))
MODEL = gm.KernelRidge(gm.Gaussian(2.0), rank=80).fit(X, X[:, 0])
THINGS = {
    "a part": Part(MODEL._way),
    "encodings": gm.Gaussian(2.0).encoded(X),
    "sparse encodings": gm.Linear().encoded(scipy.sparse.random(3000, 200, 0.1, "csr", random_state=0)),
    "a piece": Piece(X, X[:, 0]),
    "a piece of texts": Piece([f"{k} " + "word" * 30 for k in range(2000)], None),
}


@pytest.mark.parametrize("name", THINGS)
def test_sizes_are_those_of_what_is_sent(name):
    assert sys.getsizeof(THINGS[name]) == pytest.approx(len(pickle.dumps(THINGS[name])), rel=0.6)


def test_dask_believes_them():
    sizeof = pytest.importorskip("dask.sizeof").sizeof
    assert sizeof(THINGS["encodings"]) == pytest.approx(X.nbytes, rel=0.01)
