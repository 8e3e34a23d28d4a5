"""A collection is worked on where it is, or refused in a sentence: nothing turns it into an array by itself."""

import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import gramian as gm
from gramian.intake.reading import from_objects

RNG = np.random.default_rng(1)
HERE = RNG.normal(size=(60, 3))
LABELS = np.arange(60) % 2
KERNEL = gm.Gaussian(2.0)


def ridge():
    return gm.KernelRidge(KERNEL, rank=10).fit(HERE, HERE[:, 0])


WAYS = {
    "Batches": lambda X: gm.Batches(X),
    "a target of batches": lambda X: gm.Batches(HERE, target=X[:, 0]),
    "another kernel's sample": lambda X: gm.Standardize().fit(X),
    "Precomputed": lambda X: gm.Precomputed(X),
    "a column": lambda X: KERNEL.on("a")(X),
    "strings": lambda X: gm.Spectrum(2)(X),
    "documents": lambda X: gm.BagOfWords()(X),
    "categories": lambda X: gm.Equality()(X),
    "targets of objects at hand": lambda X: gm.KernelRidge(KERNEL, rank=5).fit(HERE, X[:, 0]),
    "labels of objects at hand": lambda X: gm.FisherDiscriminant(KERNEL).fit(HERE, X[:, 0] > 0),
    "weights": lambda X: gm.KernelRidge(KERNEL, rank=5).fit(HERE, HERE[:, 0], sample_weight=X[:, 0] ** 2),
    "targets of a score": lambda X: ridge().score(HERE, X[:, 0]),
    "importance": lambda X: gm.importance(ridge(), X, X[:, 0]),
    "effects": lambda X: gm.effects(ridge(), X, 0),
    "profiles": lambda X: gm.profiles(X, LABELS),
    "report": lambda X: gm.report(X),
    "a data set": lambda X: from_objects(X),
    "why": lambda X: gm.NoveltyDetector(KERNEL, rank=10, alpha=0.2).fit(HERE).explain(X),
    "the host": lambda X: gm.to_device(X, "cpu"),
    "products": lambda X: KERNEL.gram(HERE) @ X[:, 0],
    "landmarks": lambda X: gm.Nystrom(KERNEL, landmarks=X)(HERE),
    "other objects": lambda X: KERNEL(HERE, X),
}


@pytest.fixture
def lost(monkeypatch):
    """Let whoever takes a collection for an array fail in a way that no test expects."""

    def gathered(self, *_, **__):
        raise AssertionError("a collection was gathered")

    monkeypatch.setattr(da.Array, "__array__", gathered)
    monkeypatch.setattr(da.Array, "__iter__", gathered)


@pytest.mark.parametrize("name", WAYS)
def test_what_takes_data_at_hand_refuses_a_collection(name, lost):
    with pytest.raises((TypeError, ValueError), match=r"Dask|client"):
        WAYS[name](da.from_array(HERE, chunks=(20, 3)))


@pytest.mark.parametrize(
    "collection",
    [
        lambda: dd.from_pandas(pd.DataFrame({"a": HERE[:, 0]}), npartitions=2),
        lambda: db.from_sequence(["abc", "bcd"] * 5, npartitions=2),
    ],
)
def test_frames_and_bags_are_refused_too(collection):
    for way in (gm.Batches, gm.Spectrum(1), gm.Gaussian(1.0).on("a"), gm.Equality(), gm.BagOfWords()):
        with pytest.raises((TypeError, ValueError), match=r"Dask|client"):
            way(collection())


def test_a_collection_as_batches_cannot_be_gone_through():
    from gramian.intake.collections import Collection

    found = Collection(da.from_array(HERE, chunks=(20, 3)))
    with pytest.raises(TypeError, match=r"not gathered on this machine .*Collection of 60 objects in 3 partitions"):
        list(found)
