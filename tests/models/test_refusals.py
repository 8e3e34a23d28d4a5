"""What cannot be stored is refused before anything is written, with the place, the reason and what to do."""

from __future__ import annotations

import datetime
import enum
import re
from collections import OrderedDict, namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.pipeline import make_pipeline

import gramian as gm
from gramian.models import save

from ..learn import conftest as learn  # noqa: TID252

X, Y, WORDS = learn.vectors(), learn.numbers(), learn.words()


def cubes(A: Any) -> Any:
    return A**3


class Louder(gm.KernelRidge):
    """A learner of the user's own."""


class Colour(enum.IntEnum):
    RED = 1


def with_attribute() -> gm.KernelRidge:
    model = gm.KernelRidge().fit(X, Y)
    model.mine = 3
    return model


def self_contained() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


REFUSED: dict[str, tuple[Any, str]] = {
    "function in a kernel": (
        lambda: gm.KernelRidge(gm.Linear().pullback(cubes)).fit(X, Y),
        "model.kernel.f is a function, cubes, and a model file holds no code: apply it to the data before fit",
    ),
    "lambda": (
        lambda: {"model": gm.Linear().reweight(lambda A: A[:, 0])},
        "model['model'].f is a function, <lambda>, and a model file holds no code",
    ),
    "tokenizer": (
        lambda: [gm.BagOfWords(tokenizer=str.split)],
        "model[0].tokenizer is a function, split, and a model file holds no code",
    ),
    "kernel of one's own": (
        lambda: gm.NoveltyDetector(2 * learn.SharedPieces(), calibration="conformal", alpha=0.2).fit(WORDS),
        "model.kernel.base is a SharedPieces, and a model file holds gramian's own learners and kernels",
    ),
    "learner of one's own": (lambda: Louder().fit(X, Y), "model is a Louder, and a model file holds gramian's own"),
    "pipeline": (lambda: make_pipeline(gm.KernelPCA()), "model is a Pipeline, and a model file holds gramian's own"),
    "class": (lambda: {"cls": gm.Linear}, "model['cls'] is a function, Linear, and a model file holds no code"),
    "attribute": (with_attribute, "model.mine is no attribute that KernelRidge has of itself: delete it"),
    "generator": (lambda: (i for i in range(3)), "model is a generator, and a model file holds"),
    "open file": (lambda: {"log": open(__file__)}, "model['log'] is a TextIOWrapper, and a model file holds"),  # noqa: SIM115
    "set": (lambda: {1, 2}, "model is a set, and a model file holds"),
    "ordered dict": (lambda: OrderedDict(a=1), "model is a OrderedDict, and a model file holds"),
    "named tuple": (lambda: namedtuple("P", "x y")(1, 2), "model is a P, and a model file holds"),
    "enum": (lambda: [1, Colour.RED], "model[1] is a Colour, and a model file holds"),
    "date": (lambda: [datetime.date(2020, 1, 1)], "model[0] is a date, and a model file holds"),
    "key": (lambda: {datetime.date(2020, 1, 1): 1}, "model has a key that is a date; texts, numbers and tuples"),
    "frame": (lambda: pd.DataFrame({"a": [1]}), "model is a DataFrame: convert it to an array first"),
    "random generator": (
        lambda: gm.KernelKMeans(2, random_state=np.random.RandomState(0)),
        "model.random_state is a random generator, which a model file does not hold: give an integer as its seed",
    ),
    "masked array": (lambda: np.ma.array([1, 2], mask=[0, 1]), "model is a MaskedArray of type int64: convert it"),
    "record array": (lambda: np.rec.array([(1, 2.0)]), "model is a recarray of type"),
    "objects in records": (lambda: np.zeros(1, [("a", object)]), "model is a ndarray of type"),
    "objects in an array": (lambda: np.array([cubes, 1], dtype=object), "model[0] is a function, cubes"),
    "sparse": (lambda: scipy.sparse.coo_array(np.eye(2)), "model is a coo_array, and of sparse arrays"),
    "record": (lambda: np.zeros(1, [("a", "f8")])[0], "model is a void, and a model file holds"),
    "generator as seed": (
        lambda: gm.NoveltyDetector(random_state=np.random.default_rng(0)),
        "model.random_state is a random generator",
    ),
    "wrong parameter": (
        lambda: gm.KernelRidge(smoother=3),  # type: ignore[arg-type]
        "model.smoother is 3, which KernelRidge does not work with: set it right before saving",
    ),
    "landmarks in a frame": (
        lambda: gm.Nystrom(gm.Linear(), landmarks=pd.DataFrame({"a": [1.0]})),
        "model.landmarks is a DataFrame: convert it to an array first",
    ),
    "sample tampered with": (
        lambda: gm.Encoded((np.zeros(2), np.zeros(3))),
        "model cannot be stored: parts of encodings are of different lengths",
    ),
    "long integer": (lambda: [10**2000], "model[0] is an integer of 6,644 bits; at most 4,096 can be stored"),
    "nested": (self_contained, "has lists within lists, more than 100 levels deep, or one within itself"),
}
if np.dtype(np.longdouble).itemsize > 8:
    REFUSED["long double"] = (
        lambda: {"a": np.zeros(2, np.longdouble)},
        f"model['a'] is an array of type {np.dtype(np.longdouble)}, which is not the same on every machine",
    )


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_stored_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    make, message = REFUSED[name]
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        save(make(), tmp_path / "model.gramian")
    assert list(tmp_path.iterdir()) == []


def test_parts_within_parts_have_an_end(tmp_path: Path) -> None:
    inner: Any = gm.Encoded((np.zeros((2, 1)),))
    for _ in range(1100):
        inner = gm.Encoded((inner,))
    with pytest.raises(ValueError, match="model has parts within parts, more than 1000 levels deep"):
        save(inner, tmp_path / "model.gramian")
