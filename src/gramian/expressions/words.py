"""The dictionary: every kernel, operator and function of the language, with its formula and an example.

A kernel goes by the name of its class, and takes the arguments of its constructor with their defaults; these are read
off the class, as is its `word`: which objects it compares, its formula, what it is good for, and how it is used.
Written here are operators and functions. Case, underscores and hyphens do not count in names.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from typing import Any

from gramian.expressions.shipped import kernels
from gramian.expressions.tokens import written
from gramian.kernels import declared
from gramian.kernels.algebra import Kernel
from gramian.kernels.standardize import Standardize

COMMON = ("Linear", "Polynomial", "Gaussian")  # kernels that are told first
OBJECTS = ("vectors", "strings", "documents", "categories", "graph nodes", "any objects")


@dataclass(frozen=True)
class Entry:
    """One word of the language: a kernel, an operator or a function.

    Examples
    --------
    >>> print(catalogue()[0].signature, "   ", catalogue()[0].formula)
    linear()     κ(x, z) = xᵀz
    """

    name: str
    kind: str  # "kernel", "operator" or "function"
    signature: str
    formula: str
    objects: str
    description: str
    example: str


@cache
def catalogue() -> tuple[Entry, ...]:
    """Return all words of the language: kernels first, then operators and functions.

    Examples
    --------
    >>> [entry.name for entry in catalogue() if entry.objects == "graph nodes"]
    ['power_diffusion', 'exponential_diffusion', 'von_neumann_diffusion']
    >>> next(entry for entry in catalogue() if entry.name == "matern").signature
    'matern(bandwidth=1.0, nu=1.5)'
    """
    return (*(word.entry() for word in _WORDS), *_OPERATORS)


@dataclass(frozen=True)
class Word:
    """A kernel of the language: its class, and what the class says of itself."""

    cls: type[Kernel]
    said: declared.Word

    @property
    def name(self) -> str:
        return re.sub(r"(?<!^)(?=[A-Z])", "_", self.cls.__name__).lower()

    @property
    def parameters(self) -> dict[str, Field[Any]]:
        """The constructor's arguments that an expression can give, in the order of their places."""
        sayable = [f for f in fields(self.cls) if f.name not in UNSAYABLE]
        return {f.name: f for f in sorted(sayable, key=lambda f: f.kw_only is True)}

    @property
    def signature(self) -> str:
        return f"{self.name}({', '.join(map(_parameter, self.parameters.values()))})"

    def entry(self) -> Entry:
        said = self.said
        return Entry(self.name, "kernel", self.signature, said.formula, said.objects, said.description, said.example)


# Arguments that an expression cannot give, and why.
UNSAYABLE = {
    "graph": "a graph, which is given beside the expression",
    "tokenizer": "a function",
    "idf": "weights learnt from a corpus",
    "landmarks": "objects of a sample",
}


def _place(word: Word) -> int:
    name = word.cls.__name__
    return COMMON.index(name) if name in COMMON else len(COMMON)


_WORDS = sorted(
    (Word(cls, cls.word) for cls in kernels() if cls.word is not None and "word" in vars(cls)),
    key=lambda word: ("base" in word.parameters, OBJECTS.index(word.said.objects), _place(word)),
)

_OPERATORS = tuple(
    Entry(name, kind, signature, formula, "vectors" if name == "standardize" else "any objects", description, example)
    for name, kind, signature, formula, description, example in (
        (
            "+",
            "operator",
            "k1 + k2, k + c",
            "κ₁(x, z) + κ₂(x, z), κ(x, z) + c",
            "Alike in one way or the other; a constant c ≥ 0 adds the same to all pairs.",
            "linear + gaussian + 1",
        ),
        (
            "*",
            "operator",
            "k1 * k2, c * k",
            "κ₁(x, z) κ₂(x, z), c κ(x, z)",
            "Alike in both ways; a factor c > 0 weighs a kernel.",
            "0.5 * linear * gaussian",
        ),
        ("/", "operator", "k / c", "κ(x, z)/c", "A kernel divided by a number c > 0.", "linear / 2"),
        ("**", "operator", "k ** q, k ^ q", "κ(x, z)^q", "A power, q ≥ 1 a whole number.", "(linear + 1) ** 2"),
        (
            "on",
            "operator",
            "k on column, ...",
            "κ(x[columns], z[columns])",
            "A kernel on some columns of a table; binds tighter than the other operators.",
            'gaussian(median) on age, "body mass"',
        ),
        (
            "normalize",
            "function",
            "normalize(k), k.normalize()",
            "κ(x, z)/√(κ(x, x) κ(z, z))",
            "The cosine of the angle in feature space: size no longer counts.",
            "normalize(spectrum(3))",
        ),
        ("exp", "function", "exp(k), k.exp()", "exp κ(x, z)", "The exponential of a kernel.", "exp(0.1 * linear)"),
        (
            "standardize",
            "function",
            "standardize(k), k.standardize()",
            "κ((x − μ)/s, (z − μ)/s)",
            "Each coordinate is given mean 0 and standard deviation 1 first, by the numbers of the sample.",
            "standardize(gaussian(median))",
        ),
        (
            "polynomial",
            "function",
            "k.polynomial([c0, c1, ...])",
            "c₀ + c₁ κ(x, z) + c₂ κ(x, z)² + …",
            "A polynomial in a kernel, all coefficients ≥ 0.",
            "gaussian.polynomial([1, 0, 2])",
        ),
    )
)


def folded(name: str) -> str:
    """Return what is left of a name when case, underscores and hyphens do not count."""
    return name.casefold().replace("_", "").replace("-", "")


def _standardized(kernel: Kernel) -> Kernel:
    if not kernel.on_vectors:
        raise TypeError(
            "standardize takes a kernel of vectors, such as standardize(gaussian); of a table, standardize first and "
            "choose columns then: standardize(gaussian) on age, weight"
        )
    return kernel.pullback(Standardize())


KERNELS = {folded(word.name): word for word in _WORDS}
BY_CLASS = {word.cls: word for word in _WORDS}
FUNCTIONS: dict[str, Callable[[Kernel], Kernel]] = {
    "normalize": lambda k: k.normalize(),
    "exp": lambda k: k.exp(),
    "standardize": _standardized,
}
METHODS = ("exp()", "normalize()", "on(column)", "polynomial([1, 2])", "standardize()")


def nearest(key: str) -> str:
    """Say which name was meant, or what names there are."""
    names = {folded(name): name for name in (*(word.name for word in _WORDS), *FUNCTIONS)}
    near = difflib.get_close_matches(key[:40], names, n=1)
    return f"did you mean {names[near[0]]!r}?" if near else f"there are {', '.join(names.values())}"


def unlike(word: Word, name: str = "") -> str:
    """Say what arguments there are, and why one of the class's own is not among them."""
    known = f"it has {', '.join(word.parameters)}" if word.parameters else "it has none"
    unsayable = name in UNSAYABLE and name in {f.name for f in fields(word.cls)}
    return known + (f", and {name} is {UNSAYABLE[name]}" if unsayable else "")


def required(f: Field[Any]) -> bool:
    """Whether an argument has no default."""
    return f.default is MISSING


def _parameter(f: Field[Any]) -> str:
    if required(f):
        return f.name
    return f"{f.name}={written(f.default)}"
