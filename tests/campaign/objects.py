"""Samples of every kind of object, most of them sound, some hostile in one way or several.

A `Sample` holds the objects, new objects of the same kind, and whether they are tame: finite numbers of a moderate
size, for which an answer can be compared with another one to many digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse

import gramian as gm

from .attack import chance, one_of

SIZES = (1, 2, 3, 5, 8, 13, 20)
USUAL = (8, 13, 20)
EXPONENTS = (-320, -310, -300, -200, -150, -80, -30, -8, 8, 30, 80, 150, 200, 300)
POISONS = (np.nan, np.inf, -np.inf, 1.7e308, -1.7e308, 5e-324)


@dataclass
class Sample:
    """Objects to learn from and new ones, in words too."""

    kind: str
    X: Any
    new: Any
    words: str
    tame: bool = False
    graph: Any = None

    def __len__(self) -> int:
        return count(self.X)


def count(X: Any) -> int:
    """Return the number of objects, 0 for what cannot be counted."""
    try:
        return int(X.shape[0]) if hasattr(X, "shape") else len(X)
    except (TypeError, IndexError):
        return 0


def width(sample: Sample) -> int:
    """Return the number of features of vectors, 1 for what has none."""
    shape = getattr(sample.X, "shape", ())
    return int(shape[1]) if len(shape) == 2 else len(sample.X[0]) if isinstance(sample.X, list | tuple) else 1


def chosen(X: Any, rows: Any) -> Any:
    """Return some of the objects, in an order."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "shape"):
        return X[rows]
    return [X[i] for i in rows]


def draw(rng: np.random.Generator) -> Sample:
    """Return a sample."""
    kinds = (vectors, strings, documents, nodes, records, categories, indices)
    return kinds[int(rng.choice(len(kinds), p=(0.5, 0.16, 0.08, 0.09, 0.08, 0.04, 0.05)))](rng)


def _size(rng: np.random.Generator) -> int:
    return int(one_of(rng, USUAL if chance(rng, 0.6) else SIZES))


# Vectors


def vectors(rng: np.random.Generator) -> Sample:
    """Return rows of numbers in one of the many forms in which they come."""
    n, d = _size(rng), int(one_of(rng, (1, 2, 3, 6)))
    shape, exponent, offset = one_of(rng, SHAPES), 0, 0.0
    if chance(rng, 0.25):
        exponent = int(one_of(rng, EXPONENTS))
    if chance(rng, 0.1):
        offset = float(one_of(rng, (1.0, 1e4, 1e8, -1e12)))
    with np.errstate(all="ignore"):
        X = (SHAPES[shape](rng, n, d) + offset) * 10.0**exponent
        new = (SHAPES[shape](rng, 4, d) + offset) * 10.0**exponent
    new[0] = X[0]
    words, tame = f"{n} × {d} {shape}, scale 1e{exponent}, offset {offset:g}", exponent == 0 and offset == 0.0
    if chance(rng, 0.06):
        where, poison = (X, new)[int(rng.integers(2))], one_of(rng, POISONS)
        where[tuple(rng.integers(where.shape))] = poison
        words, tame = f"{words}, {poison} in {'X' if where is X else 'new'}", False
    form = one_of(rng, FORMS) if chance(rng, 0.6) else "plain"
    with np.errstate(all="ignore"):
        made = FORMS[form](X), FORMS[form](new)
    tame = tame and form in TAME
    if chance(rng, 0.05):
        damage = one_of(rng, DAMAGES)
        made = (DAMAGES[damage](made[0]), made[1]) if chance(rng, 0.5) else (made[0], DAMAGES[damage](made[1]))
        words, tame = f"{words}, {damage}", False
    return Sample("vectors", *made, f"{words}, {form}", tame)


def _with_duplicates(rng: np.random.Generator, n: int, d: int) -> Any:
    return rng.normal(size=(max(1, n // 3), d))[rng.integers(max(1, n // 3), size=n)]


SHAPES: dict[str, Any] = {
    "normal": lambda rng, n, d: rng.normal(size=(n, d)),
    "two clouds": lambda rng, n, d: rng.normal(size=(n, d)) + 3.0 * (np.arange(n) % 2)[:, None],
    "with duplicates": _with_duplicates,
    "all equal": lambda rng, n, d: np.ones((n, 1)) * rng.normal(size=(1, d)),
    "zeros": lambda rng, n, d: np.zeros((n, d)),
    "constant column": lambda rng, n, d: np.hstack([np.ones((n, 1)), rng.normal(size=(n, d))])[:, :d],
    "integers": lambda rng, n, d: rng.integers(-3, 4, size=(n, d)).astype(float),
    "counts": lambda rng, n, d: rng.poisson(1.0, size=(n, d)).astype(float),
    "a line": lambda rng, n, d: np.outer(np.arange(float(n)), np.ones(d)),
    "heavy tails": lambda rng, n, d: rng.standard_cauchy(size=(n, d)),
}


def _read_only(X: Any) -> Any:
    X = X.copy()
    X.flags.writeable = False
    return X


FORMS: dict[str, Any] = {
    "plain": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "int64": lambda X: np.nan_to_num(X, nan=7, posinf=8, neginf=-8).clip(-1e18, 1e18).astype(np.int64),
    "int8": lambda X: np.nan_to_num(X).clip(-120, 120).astype(np.int8),
    "uint8": lambda X: np.nan_to_num(X).clip(0, 250).astype(np.uint8),
    "bool": lambda X: X > 0,
    "object": lambda X: X.astype(object),
    "longdouble": lambda X: X.astype(np.longdouble),
    "Fortran": np.asfortranarray,
    "read-only": _read_only,
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "reversed": lambda X: X[::-1][::1],
    "big-endian": lambda X: X.astype(">f8"),
    "list": lambda X: X.tolist(),
    "tuple": lambda X: tuple(map(tuple, X.tolist())),
    "frame": lambda X: pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]),
    "csr": scipy.sparse.csr_array,
    "csc": scipy.sparse.csc_matrix,
    "coo": scipy.sparse.coo_array,
    "csr32": lambda X: scipy.sparse.csr_array(X.astype(np.float32)),
}
TAME = ("plain", "Fortran", "read-only", "strided", "reversed", "big-endian", "list", "tuple", "csr", "int64")

DAMAGES: dict[str, Any] = {
    "no rows": lambda X: np.zeros((0, 3)),
    "no columns": lambda X: np.zeros((4, 0)),
    "one axis": lambda X: np.arange(5.0),
    "three axes": lambda X: np.ones((3, 2, 2)),
    "no axis": lambda X: np.float64(3.0),
    "ragged": lambda X: [[1.0, 2.0], [3.0], []],
    "words": lambda X: [["a", "b"], ["c", "d"]],
    "a word": lambda X: "words",
    "None": lambda X: None,
    "a None": lambda X: np.array([[1.0, None], [2.0, 3.0]], dtype=object),
    "complex": lambda X: np.ones((4, 2)) * 1j,
    "dates": lambda X: np.full((4, 2), "2020-01-01", "M8[D]"),
    "masked": lambda X: np.ma.array(np.ones((3, 2)), mask=[[0, 1], [0, 0], [0, 0]]),
    "records": lambda X: np.zeros(3, dtype=[("a", "f8"), ("b", "i4")]),
    "a dict": lambda X: {"a": [1, 2, 3]},
    "a set": lambda X: {1, 2, 3},
    "a generator": lambda X: (row for row in np.ones((3, 2))),
    "another width": lambda X: np.ones((4, 9)),
    "a number": lambda X: 7,
    "sparse NaN": lambda X: scipy.sparse.csr_array(np.array([[np.nan, 0.0], [1.0, 2.0]])),
    "sparse of no kind": lambda X: scipy.sparse.dok_array((3, 2)),
    "void": lambda X: np.zeros((3, 2), dtype="V8"),
    "bytes": lambda X: b"bytes",
}


# Strings


ALPHABETS = ("ab", "acgt", "abcdefghij", "é😀ß\u0301a", "\x00\n\t ,\"'", "\ud800a", "αβγ\u202e\ufeff")


def strings(rng: np.random.Generator) -> Sample:
    """Return sequences: strings, bytes or lists of tokens."""
    n, letters = _size(rng), list(one_of(rng, ALPHABETS))
    longest = int(one_of(rng, (0, 1, 3, 8, 8, 8, 40)))
    X = ["".join(rng.choice(letters, rng.integers(0, longest + 1))) for _ in range(n)]
    words = f"{n} strings of {letters!r}, up to {longest} letters"
    if chance(rng, 0.05):
        X[-1] = "".join(rng.choice(letters, int(one_of(rng, (300, 2000)))))
        words += f", one of {len(X[-1])}"
    new = ["".join(rng.choice([*letters, "z"], rng.integers(0, longest + 1))) for _ in range(4)]
    form = one_of(rng, STRING_FORMS) if chance(rng, 0.3) else "str"
    made = [STRING_FORMS[form](one) for one in (X, new)]
    if chance(rng, 0.07):
        damage = one_of(rng, STRING_DAMAGES)
        place = int(rng.integers(2))
        made[place] = STRING_DAMAGES[damage](made[place])
        words += f", {damage}"
    return Sample("strings", *made, f"{words}, {form}", form == "str" and longest > 1)


STRING_FORMS: dict[str, Any] = {
    "str": lambda X: X,
    "bytes": lambda X: [x.encode("utf-8", "surrogatepass") for x in X],
    "tokens": lambda X: [list(x) for x in X],
    "tuples": lambda X: tuple(tuple(x) for x in X),
    "numbers": lambda X: [[ord(c) for c in x] for x in X],
    "array": lambda X: np.array(X),
    "objects": lambda X: np.array(X, dtype=object),
    "series": lambda X: pd.Series(X, dtype=object),
}
STRING_DAMAGES: dict[str, Any] = {
    "empty": lambda X: [],
    "one string": lambda X: "abba",
    "a None": lambda X: ["ab", None, "b"],
    "a number": lambda X: ["ab", 3, "b"],
    "a NaN": lambda X: ["ab", float("nan"), "b"],
    "mixed": lambda X: ["ab", b"ab", ["a", "b"]],
    "lists of lists": lambda X: [[["a"], ["b"]], [["c"]]],
    "numbers": lambda X: np.ones((3, 2)),
    "None": lambda X: None,
    "a number alone": lambda X: 5,
    "a dict": lambda X: {"a": "b"},
    "two axes": lambda X: np.array([["ab", "c"], ["d", "e"]]),
    "tokens of NaN": lambda X: [[float("nan"), 1.0], [2.0]],
}


# Documents


VOCABULARY = ("cat", "dog", "mat", "sat", "the", "on", "and", "ran", "Größe", "naïve", "x", "42", "don't", "😀")


def documents(rng: np.random.Generator) -> Sample:
    """Return sentences; some are empty, or have nothing that counts as a word."""
    n = _size(rng)
    longest = int(one_of(rng, (1, 4, 9, 200)))
    X, new = (
        [" ".join(rng.choice(VOCABULARY, rng.integers(0 if chance(rng, 0.1) else 1, longest + 1))) for _ in range(m)]
        for m in (n, 4)
    )
    words = f"{n} documents of up to {longest} words"
    if chance(rng, 0.08):
        X[0] = one_of(rng, ("", " ", "\x00", "?!", "a" * 5000, "the " * 3000, "\ud800"))
        words += f", one {X[0][:5]!r}…"
    if chance(rng, 0.06):
        damage = one_of(rng, STRING_DAMAGES)
        X = STRING_DAMAGES[damage](X)
        words += f", {damage}"
    return Sample("documents", X, new, words)


# Nodes


def nodes(rng: np.random.Generator) -> Sample:
    """Return nodes of a random graph; its edges may have any weights."""
    size = int(one_of(rng, (1, 2, 4, 7, 12)))
    A = np.triu(rng.random((size, size)) < 0.4).astype(float)
    weights = one_of(rng, WEIGHTS) if chance(rng, 0.4) else "ones"
    A *= WEIGHTS[weights](rng, A.shape)
    A = A + A.T
    words = f"nodes of a graph of {size}, weights {weights}"
    if chance(rng, 0.04):
        A[0, -1] += 1.0
        words += ", unsymmetric"
    names: Any = None
    if chance(rng, 0.4):
        names = one_of(rng, NAMES)
        words += f", names {names}"
        names = NAMES[names](size)
    form = one_of(rng, (np.asarray, np.asarray, scipy.sparse.csr_array, scipy.sparse.coo_array))
    n = _size(rng)
    known = list(range(size)) if names is None else names
    X, new = ([known[i] for i in rng.integers(size, size=m)] for m in (n, 4))
    if chance(rng, 0.06):
        X = one_of(rng, (["nobody"], [size], [-1], [None], [], [0.5], [[0]], "0", 0, [np.nan], [10**30]))
        words += f", objects {X!r}"
    return Sample("nodes", X, new, words, weights == "ones" and size > 2, graph=(form(A), names))


WEIGHTS: dict[str, Any] = {
    "ones": lambda rng, shape: 1.0,
    "random": lambda rng, shape: rng.random(shape),
    "tiny": lambda rng, shape: 1e-300,
    "huge": lambda rng, shape: 1e300,
    "large": lambda rng, shape: 1e5,
    "negative": lambda rng, shape: -1.0,
    "mixed": lambda rng, shape: rng.normal(size=shape),
    "NaN": lambda rng, shape: np.where(rng.random(shape) < 0.2, np.nan, 1.0),
    "infinite": lambda rng, shape: np.where(rng.random(shape) < 0.2, np.inf, 1.0),
}
NAMES: dict[str, Any] = {
    "letters": lambda size: [chr(97 + i) for i in range(size)],
    "tuples": lambda size: [("at", i) for i in range(size)],
    "mixed": lambda size: ["one", 2, (3,), None, 4.5, b"6", True, "é", ("at", 8), "i", "j", "k"][:size],
    "numbers in words": lambda size: [f"0{i}" for i in range(size)],
}


# Records and categories


def records(rng: np.random.Generator) -> Sample:
    """Return rows of a table with columns of several kinds."""
    n = _size(rng)
    X, new = ([_record(rng) for _ in range(m)] for m in (n, 4))
    words = f"{n} records"
    if chance(rng, 0.12):
        where, row, name = (X, new)[int(rng.integers(2))], 0, one_of(rng, ("age", "word", "note", "colour"))
        value = one_of(rng, (None, np.nan, np.inf, "", "x", 1e300, [1], b"b", True, 10**400))
        where[row][name] = value
        words += f", {name} {str(value)[:9]}"
    if chance(rng, 0.04):
        del X[-1]["age"]
        words += ", one without age"
    form = one_of(rng, (list, list, pd.DataFrame, tuple))
    if chance(rng, 0.04):
        X = one_of(rng, ([], None, [1, 2], "row", {}, [{}], [None], np.ones((3, 2)), pd.DataFrame()))
        return Sample("records", X, new, f"records {X!r}")
    return Sample("records", form(X), form(new), f"{words}, {form.__name__}")


def _record(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "age": float(rng.normal()),
        "dose": float(rng.integers(5)),
        "word": "".join(rng.choice(list("abc"), rng.integers(1, 6))),
        "note": " ".join(rng.choice(VOCABULARY, rng.integers(1, 6))),
        "colour": str(rng.choice(["red", "blue", "dark"])),
    }


CATEGORIES = ("red", 3, 3.0, ("dark", "red"), True, b"red", ("a", 2), 1e300, "")


def categories(rng: np.random.Generator) -> Sample:
    """Return values that can be equal and nothing else."""
    X, new = ([one_of(rng, CATEGORIES) for _ in range(m)] for m in (_size(rng), 4))
    words = f"{len(X)} categories"
    if chance(rng, 0.1):
        X[0] = one_of(rng, ([1], {1: 2}, np.nan, np.ones(2), {3}, None))
        words += f", one {X[0]!r}"
    return Sample("categories", X, new, words)


def indices(rng: np.random.Generator) -> Sample:
    """Return numbers of the rows of a matrix that is given instead of a kernel."""
    size = int(one_of(rng, (1, 2, 5, 9)))
    X, new = (rng.integers(size, size=m) for m in (_size(rng), 4))
    words = f"{len(X)} indices of a matrix of {size}"
    F = rng.normal(size=(size, int(one_of(rng, (1, 3)))))
    matrix = one_of(rng, MATRICES) if chance(rng, 0.4) else "sound"
    if chance(rng, 0.08):
        X = one_of(rng, ([size], [-1], [], [0.5], ["0"], [None], None, [True], np.zeros((2, 2), int), [10**30], 0))
        words += f", {X!r}"
    K = MATRICES[matrix](F @ F.T)
    return Sample("indices", X, new, f"{words}, {matrix}", matrix == "sound", graph=(K, None))


MATRICES: dict[str, Any] = {
    "sound": lambda K: K,
    "float32": lambda K: K.astype(np.float32),
    "indefinite": lambda K: K - np.eye(len(K)) * np.trace(K),
    "unsymmetric": lambda K: K + np.triu(np.ones_like(K), 1),
    "NaN": lambda K: K * np.nan,
    "huge": lambda K: K * 1e300,
    "tiny": lambda K: K * 1e-300,
    "zero": lambda K: K * 0,
    "not square": lambda K: K[:-1],
    "empty": lambda K: np.zeros((0, 0)),
    "list": lambda K: K.tolist(),
    "integers": lambda K: np.eye(len(K), dtype=int),
    "sparse": scipy.sparse.csr_array,
    "a word": lambda K: "K",
    "None": lambda K: None,
}


def graph_of(sample: Sample) -> Any:
    """Return the graph of a sample of nodes; a fault of it is one of the case."""
    matrix, names = sample.graph
    return matrix if names is None else gm.Graph(matrix, names)
