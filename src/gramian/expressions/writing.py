"""Writing: the expression of a kernel, which is read back to an equal one.

Parentheses stand only where an operand would otherwise bind more loosely, and arguments only where they are not the
default. Before an expression is returned it is read, and compared with the kernel: what would mean something else is
refused, never given out.
"""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Any

import numpy as np

from gramian.expressions.errors import KernelSyntaxError, unsayable
from gramian.expressions.reading import LONGEST, MOST_DEEP, parse_kernel
from gramian.expressions.tokens import WORD, in_quotes, written
from gramian.expressions.words import BY_CLASS, UNSAYABLE, required
from gramian.kernels.algebra import (
    POWER,
    PRODUCT,
    SUM,
    Exponential,
    Kernel,
    Normalized,
    Power,
    Product,
    Pullback,
    Scaled,
    Series,
    Shifted,
    Sum,
)
from gramian.kernels.columns import Columns
from gramian.kernels.graphs.graph import Graph
from gramian.kernels.standardize import Standardize
from gramian.kernels.value import ATOM


def format_kernel(kernel: Kernel) -> str:
    """Return the expression of a kernel, which `parse_kernel` reads back to an equal one.

    Arguments that have their default value are left out, and so is the graph of kernels on nodes: it has to be given
    again.

    Parameters
    ----------
    kernel : Kernel
        A kernel that is made of named kernels, numbers and columns.

    Returns
    -------
    str
        The expression.

    Raises
    ------
    TypeError
        If the language cannot say it: it has matrices, functions, samples or settled numbers inside, or is too long.

    See Also
    --------
    parse_kernel : read a kernel from an expression
    Kernel : the base class and its algebra

    Notes
    -----
    Cost: O(1) for each part of the kernel.

    Examples
    --------
    >>> import gramian as gm
    >>> format_kernel(0.5 * gm.Gaussian("median").on("age", "body mass") + gm.Spectrum(length=2).on("promoter") ** 2)
    '0.5 * gaussian(bandwidth="median") on age, "body mass" + (spectrum(length=2) on promoter) ** 2'
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"{kernel!r} is a {type(kernel).__name__}; a kernel expected, such as gm.Gaussian()")
    writer = _Writer()
    text = writer.write(kernel)
    try:
        same = parse_kernel(text, graph=writer.graph) == kernel
    except KernelSyntaxError as error:
        raise unsayable(f"{text!r} is refused, {error.reason}") from None
    if not same:
        raise unsayable(f"{text!r} would be read as a kernel that is not equal to it")
    return text


class _Writer:
    """Writes a kernel, and remembers the graph that its kernels on nodes belong to."""

    def __init__(self) -> None:
        self.graph: Graph | None = None

    def write(self, kernel: Kernel, deep: int = 0) -> str:
        """Return the expression of a kernel that stands so deep inside the whole."""
        if deep > MOST_DEEP:
            raise unsayable(f"it is more than {MOST_DEEP} operators deep")
        text = self._written(kernel, deep + 1)
        if len(text) > LONGEST:
            raise unsayable(f"it takes more than {LONGEST:,} characters")
        return text

    def _written(self, k: Kernel, deep: int) -> str:
        match k:
            case Sum() | Product():
                sign = "+" if isinstance(k, Sum) else "*"
                left, right = self._inside(k.left, k.precedence, deep), self._inside(k.right, k.precedence + 1, deep)
                return f"{left} {sign} {right}"
            case Scaled():
                return f"{written(k.factor)} * {self._inside(k.base, PRODUCT + 1, deep)}"
            case Shifted():
                return f"{self._inside(k.base, SUM, deep)} + {written(k.constant)}"
            case Power():
                return f"{self._inside(k.base, ATOM, deep)} ** {written(k.degree)}"
            case Exponential():
                return f"exp({self.write(k.base, deep)})"
            case Normalized():
                return f"normalize({self.write(k.base, deep)})"
            case Series():
                return f"{self._inside(k.base, ATOM, deep)}.polynomial({written(k.coefficients)})"
            case Pullback(f=Columns() as columns):
                return f"{self._inside(k.base, ATOM, deep)} on {', '.join(map(_column, columns.names))}"
            case Pullback(f=Standardize(mean=None, scale=None)):
                return f"standardize({self.write(k.base, deep)})"
        return self._called(k, deep)

    def _inside(self, k: Kernel, precedence: int, deep: int) -> str:
        """Write an operand, in parentheses where it would otherwise bind more loosely."""
        binds = POWER + 1 if isinstance(k, Pullback) and isinstance(k.f, Columns) else k.precedence
        text = self.write(k, deep)
        return f"({text})" if binds < precedence else text

    def _called(self, k: Kernel, deep: int) -> str:
        word = BY_CLASS.get(type(k))
        if word is None:
            raise unsayable(_why_not(k))
        given = []
        for f in fields(k):
            value = getattr(k, f.name)
            if f.name == "graph":
                self._remember(value)
            elif isinstance(value, Kernel):
                given.append(self.write(value, deep))
            elif not _is_default(value, f):
                if f.name in UNSAYABLE:
                    raise unsayable(f"{f.name} of {word.name} is {UNSAYABLE[f.name]}")
                given.append(f"{f.name}={written(value)}")
        return f"{word.name}({', '.join(given)})" if given else word.name

    def _remember(self, graph: Graph) -> None:
        if self.graph is not None and self.graph != graph:
            raise unsayable("its kernels on nodes belong to different graphs")
        self.graph = graph


def _why_not(k: Kernel) -> str:
    name = type(k).__name__
    if isinstance(k, Pullback):
        return "it has the numbers of a sample" if isinstance(k.f, Standardize) else "pullback takes a function"
    if "reference" in k.params():
        return f"{name} holds a sample"
    held = next((p for p, v in k.params().items() if isinstance(v, np.ndarray)), None)
    if held is not None:
        return f"{held} of {name} is a matrix"
    function = next((p for p, v in k.params().items() if callable(v) and not isinstance(v, Kernel)), None)
    return f"{name} takes a function" if function else f"{name} is no kernel of the language"


def _is_default(value: Any, f: Field[Any]) -> bool:
    if required(f) or (value is None) != (f.default is None):
        return False
    return value is f.default or (not isinstance(value, np.ndarray) and bool(value == f.default))


def _column(name: Any) -> str:
    if isinstance(name, str):
        return name if WORD.fullmatch(name) else in_quotes(name)
    if isinstance(name, int) and not isinstance(name, bool):
        return str(name)
    raise unsayable(f"the column {name!r} is neither a text nor a position")
