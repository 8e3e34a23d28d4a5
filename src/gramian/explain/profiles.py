"""What sets each class or cluster apart: the columns in which it differs most from all the others.

Every difference is told on one scale, that of standard deviations:

    numbers       (mean inside − mean outside) / the standard deviation within the two        Cohen's d
    categories    2 arcsin √(share inside) − 2 arcsin √(share outside), for each category     Cohen's h
    texts         the same of the shares of texts with a word, or of sequences with a substring

and counted only where chance would hardly make it: beyond as many standard errors, √(1/n inside + 1/n outside), as
leave 5 % for one false word among all that were looked at. Missing values, NaN or None, are left out of a column.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from gramian.checks import Array, is_sparse, whole
from gramian.gram.gram import features_on_host
from gramian.intake.guesses import has_blanks
from gramian.kernels.algebra import Kernel
from gramian.kernels.strings.spectrum import Spectrum
from gramian.kernels.text.bag_of_words import BagOfWords
from gramian.learn.fields import Fields, as_column, fields_of, kind_of

CHANCE = 0.05  # of one false difference in a whole answer
LENGTH = 3  # symbols of the substrings by which sequences are compared
LONGEST = 30  # letters of a category in a sentence


@dataclass(frozen=True)
class Trait:
    """One way in which a class differs from the others.

    Attributes
    ----------
    column : str
        Its name; empty where the objects are texts themselves.
    value : object
        The category, the word or the substring; None of a number.
    effect : float
        The difference in standard deviations; positive for higher numbers and larger shares.
    error : float
        Its standard error.
    inside, outside : float
        The mean of the number, or the share of those that have it, in the class and outside of it.
    """

    column: str
    value: Any
    effect: float
    error: float
    inside: float
    outside: float

    def __str__(self) -> str:
        if self.value is None:
            return f"{'higher' if self.effect > 0 else 'lower'} {self.column}"
        text = str(self.value)
        text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        shares = f"({_percent(self.inside)} against {_percent(self.outside)})"
        more = "more often" if self.effect > 0 else "less often"
        return " ".join(filter(None, [more, self.column, repr(text), shares]))


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


@dataclass(frozen=True)
class Profile:
    """What sets one class apart: its traits, the largest effect first.

    Parameters
    ----------
    label : object
        The class or cluster.
    count : int
        How many objects it has.
    traits : tuple of Trait
        What sets it apart, the largest effect first.

    See Also
    --------
    profiles : what sets classes apart
    find_clusters : how many clusters, if any

    Notes
    -----
    Cost: memory for a few numbers for each trait.

    Examples
    --------
    >>> import gramian as gm
    >>> records = [{"size": 10 * (k % 2) + k % 3, "color": ["blue", "red"][k % 2]} for k in range(40)]
    >>> large, small = gm.profiles(records, ["small", "large"] * 20, top=2)
    >>> large
    large: higher size, more often color 'red' (100 % against 0 %)
    >>> large.traits[1].value, round(large.traits[1].effect, 2)
    ('red', 3.14)
    """

    label: Any
    count: int
    traits: tuple[Trait, ...]

    @property
    def sentence(self) -> str:
        """The profile in words."""
        return f"{self.label}: {', '.join(map(str, self.traits)) or 'nothing sets it apart'}"

    def __repr__(self) -> str:
        return self.sentence


class Profiles(tuple[Profile, ...]):
    """The profiles of all classes, in the order of their labels."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(profile.sentence for profile in self)


def profiles(X: Any, labels: Any, *, names: Sequence[str] | None = None, top: int = 3) -> Profiles:
    """Return what sets each class or cluster apart from the others, ranked by effect size.

    Parameters
    ----------
    X : array, data frame or records; or a list of strings or documents
    labels : array of shape (n,)
        The class or cluster of each object, two at least.
    names : sequence of str, optional
        What to call the columns of an array.
    top : int
        How many traits at most; of a column of categories or texts two at most, and of two categories one.

    Returns
    -------
    Profiles
        A tuple of `Profile`, each with `label`, `count`, `traits` and a `sentence`.

    Raises
    ------
    ValueError
        If there is one class only, or not a label for each object.

    See Also
    --------
    Profile : what sets one class apart
    find_clusters : how many clusters, if any
    importance : how much each column matters

    Notes
    -----
    Cost: O(n d) for d columns of numbers, n log n where they are ranked; of texts the time to count their words.

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> species = [flowers.target_names[number] for number in flowers.target]
    >>> gm.profiles(flowers.data, species, names=["sepal length", "sepal width", "petal length", "petal width"])
    setosa: lower petal length, lower petal width, lower sepal length
    versicolor: lower sepal width
    virginica: higher petal width, higher petal length, higher sepal length
    >>> gm.profiles(["a small cat", "a cat", "the dog", "a dog"] * 9, ["cats", "cats", "dogs", "dogs"] * 9, top=1)
    cats: more often 'cat' (100 % against 0 %)
    dogs: less often 'cat' (0 % against 100 %)
    """
    top, found = whole(top, "top"), np.asarray(labels)
    if found.ndim != 1 or len(known := np.unique(found)) < 2:
        raise ValueError("labels are of one class only, or no flat list; at least two classes expected, to compare")
    columns = _columns(X, names)
    if any(len(values) != len(found) for values in columns.values()):
        count = len(next(iter(columns.values())))
        raise ValueError(f"X has {count} objects and labels {len(found)}; one label for each expected")
    traits = [_traits_of(name, values) for name, values in columns.items()]
    looked_at = len(known) * sum(len(one.values) for one in traits)
    beyond = float(norm.isf(CHANCE / 2 / max(looked_at, 1)))
    return Profiles(
        Profile(_plain(label), int(np.sum(found == label)), _foremost(traits, found == label, beyond, top))
        for label in known
    )


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _columns(X: Any, names: Sequence[str] | None) -> dict[str, Array]:
    """Return the columns by their names; objects that are texts are one column without a name."""
    if isinstance(X, list | tuple | np.ndarray) and len(X) and all(isinstance(one, str) for one in X):
        return {"": as_column(list(X))}
    fields: Fields = fields_of(X)
    called: dict[Hashable, str] = fields.called(names)
    return {called[name]: fields.values(name) for name in fields.names}


@dataclass(frozen=True, eq=False)
class _Column:
    """A column as a table of numbers: itself, or an indicator for each category, word or substring.

    The table holds the rows whose value is known. Where there are two categories, one says all.
    """

    name: str
    values: tuple[Any, ...]  # (None,) of numbers
    table: Any
    known: Array
    either: bool = False  # of two categories, so that each row has one or the other

    def traits(self, inside: Array) -> list[Trait]:
        inside = inside[self.known]
        n, m = int(inside.sum()), int((~inside).sum())
        if not n or not m:
            return []
        mine, others = (np.asarray(self.table[np.flatnonzero(rows)].mean(axis=0)).ravel() for rows in (inside, ~inside))
        if self.values == (None,):
            spreads = [float(np.var(self.table[rows])) for rows in (inside, ~inside)]
            within = np.sqrt((n * spreads[0] + m * spreads[1]) / (n + m))
            scale = within if within > 0 else float(np.std(self.table)) or 1.0
            effects = (mine - others) / scale
        else:
            effects = 2 * (_angle(mine) - _angle(others))
        error = float(np.sqrt(1 / n + 1 / m))
        return [
            Trait(self.name, value, float(effect), error, float(a), float(b))
            for value, effect, a, b in zip(self.values, effects, mine, others, strict=True)
        ]


def _angle(share: Array) -> Array:
    """Return arcsin √share, whose error does not depend on the share; rounding may have led beyond 1."""
    return np.asarray(np.arcsin(np.sqrt(np.clip(share, 0.0, 1.0))))


def _traits_of(name: str, values: Array) -> _Column:
    kind = kind_of(values) if name else "text"  # objects that are texts themselves are cut up, however few differ
    if kind == "number":
        numbers = values.astype(np.float64)
        finite = np.isfinite(numbers)
        return _Column(name, (None,), numbers[finite][:, None], finite)
    there = np.array([item is not None for item in values.tolist()], dtype=bool)
    items = values[there].tolist()
    if kind == "category" or not all(isinstance(item, str) for item in items):
        known = list(dict.fromkeys(map(str, items)))
        codes = np.array([known.index(str(item)) for item in items])
        table = np.equal.outer(codes, np.arange(len(known))).astype(np.float64)
        return _Column(name, tuple(known), table, there, either=len(known) == 2)
    kernel: Kernel = BagOfWords(weighting="tf").fit(items) if has_blanks(items) else Spectrum(LENGTH)
    encoded = kernel.encode(items)
    counts = features_on_host(kernel, encoded)
    present = (counts > 0).astype(np.float64)
    return _Column(name, tuple(kernel.named(encoded)), present.tocsr() if is_sparse(present) else present, there)


def _foremost(columns: list[_Column], inside: Array, beyond: float, top: int) -> tuple[Trait, ...]:
    """Return the largest effects that chance does not explain, of each column two at most."""
    sure = []
    for column in columns:
        traits = [trait for trait in column.traits(inside) if abs(trait.effect) > beyond * trait.error]
        traits = [trait for trait in traits if trait.effect > 0 or not column.either]
        sure += sorted(traits, key=lambda trait: -abs(trait.effect))[:2]
    return tuple(sorted(sure, key=lambda trait: -abs(trait.effect))[:top])
