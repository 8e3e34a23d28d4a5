"""Data that ships with the package, for the demo, the documentation and the tests."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from gramian.checks import Array


@dataclass(frozen=True, eq=False)
class Dataset:
    """A small data set: one row of `data` and one entry of `target` per object."""

    name: str
    data: Array
    target: Array
    feature_names: tuple[str, ...]
    target_names: tuple[str, ...]
    source: str

    def __repr__(self) -> str:
        n, d = self.data.shape
        return f"Dataset({self.name}: {n} objects, {d} features, classes {', '.join(self.target_names)})"


def load_iris() -> Dataset:
    """Return the iris data: 150 flowers of three species, four measurements each, in centimetres.

    R. A. Fisher, "The use of multiple measurements in taxonomic problems", 1936; UCI Machine Learning Repository,
    licence CC BY 4.0, with the two samples that differ there set as in Fisher's paper.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.load_iris()
    Dataset(iris: 150 objects, 4 features, classes setosa, versicolor, virginica)
    """
    lines = files("gramian").joinpath("data/iris.csv").read_text(encoding="utf-8").splitlines()
    rows = [line.split(",") for line in lines[1:]]
    species = tuple(dict.fromkeys(row[-1] for row in rows))
    return Dataset(
        name="iris",
        data=np.array([row[:-1] for row in rows], dtype=np.float64),
        target=np.array([species.index(row[-1]) for row in rows]),
        feature_names=tuple(lines[0].split(",")[:-1]),
        target_names=species,
        source="Fisher (1936); UCI Machine Learning Repository, CC BY 4.0",
    )
