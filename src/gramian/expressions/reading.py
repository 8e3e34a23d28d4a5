"""Reading: one pass over an expression, from left to right, that makes the kernel as it goes.

Sums bind least, then products and quotients, then powers, then `on` and methods; equals are taken from the left, and a
power of a power needs parentheses. Numbers are calculated as numbers until they meet a kernel. What a class or the
algebra refuses is refused in its words, at the character it is about. The length of an expression, its nesting and the
depth of the kernel are bounded, which keeps every recursion shallow.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, TypeVar

from gramian.expressions.arguments import ArgumentReader, Operand
from gramian.expressions.errors import GraphNeeded, KernelSyntaxError
from gramian.expressions.tokens import Token, in_range
from gramian.expressions.words import FUNCTIONS, KERNELS, METHODS, Word, folded, nearest, required
from gramian.kernels.algebra import POWER, PRODUCT, SUM, Kernel
from gramian.kernels.graphs.diffusion import Diffusion
from gramian.kernels.graphs.graph import Graph, as_graph

LONGEST = 10_000  # characters of an expression
MOST_DEEP = 150  # operators on top of each other: a sum of n kernels is n − 1 deep

T = TypeVar("T")

_BINDING = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "**": POWER, "^": POWER}
_COMBINED: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
    "^": operator.pow,
}
_REFUSALS = (ValueError, TypeError, ArithmeticError)


def parse_kernel(text: str, *, graph: Graph | None = None) -> Kernel:
    """Return the kernel that an expression describes.

    Parameters
    ----------
    text : str
        The expression, at most 10,000 characters.
    graph : Graph, optional
        The graph of the kernels on nodes.

    Returns
    -------
    Kernel
        The kernel.

    Raises
    ------
    KernelSyntaxError
        If the expression cannot be read, or a kernel or the algebra refuses what it says.

    See Also
    --------
    format_kernel : write a kernel as an expression
    KernelSyntaxError : an expression that cannot be read

    Notes
    -----
    Cost: O(1) for each character.

    Examples
    --------
    >>> parse_kernel("0.5*gaussian(2) + polynomial(degree=3) on age, weight")
    0.5 * Gaussian(bandwidth=2) + Polynomial(degree=3, offset=1.0).on('age', 'weight')
    >>> parse_kernel("normalize(full-spectrum(max_length=5)) ** 2")
    FullSpectrum(min_length=1, max_length=5, decay=1.0).normalize() ** 2
    >>> parse_kernel("linear - gaussian")
    Traceback (most recent call last):
        ...
    gramian.expressions.errors.KernelSyntaxError: kernel expression, character 8: a difference of kernels is not a ...
        linear - gaussian
               ^
    """
    if not isinstance(text, str):
        kind = type(text).__name__
        raise TypeError(f"the kernel expression is {text!r} ({kind}); a text such as 'gaussian(2)' expected")
    if len(text) > LONGEST:
        reason = f"the expression has {len(text):,} characters; at most {LONGEST:,} can be read"
        raise KernelSyntaxError(text, LONGEST, reason)
    return _Reader(text, None if graph is None else as_graph(graph)).kernel()


class _Reader(ArgumentReader):
    """One pass over the tokens of an expression, building the kernel as it goes."""

    def __init__(self, text: str, graph: Graph | None) -> None:
        super().__init__(text)
        self.graph = graph

    def kernel(self) -> Kernel:
        """Return the kernel that the whole text describes."""
        if self.next.kind == "end":
            self.fail(0, "the expression is empty; a kernel expected, such as gaussian(2)")
        found = self.kernel_operand()
        if self.next.text == ")":
            self.fail(self.next.start, "this parenthesis closes none")
        if self.next.kind != "end":
            self.fail(self.next.start, f"an operator such as + or * expected before {self.next.shown}")
        kernel: Kernel = found.value
        return kernel

    def expression(self, least: int = SUM) -> Operand:
        """Return operands joined by operators that bind at least so tightly."""
        left = self.operand()
        while _BINDING.get(self.next.text, 0) >= least:
            sign = self.take()
            binding = _BINDING[sign.text]
            left = self.combined(sign, left, self.expression(binding + 1))
            if binding == POWER and _BINDING.get(self.next.text) == POWER:
                self.fail(self.next.start, "a power of a power needs parentheses: (k ** 2) ** 3")
        return left

    def combined(self, sign: Token, left: Operand, right: Operand) -> Operand:
        """Return two operands joined by an operator, as the algebra has it."""
        if left.number and sign.text in ("**", "^"):
            self.fail(left.start, f"a power is taken of a kernel, and this is the number {left.value}")
        if left.number and not right.number and sign.text == "/":
            self.fail(right.start, "a kernel cannot divide; a number above 0 expected")
        if sign.text == "-" and not (left.number and right.number):
            position = sign.start
        else:
            position = next((side.start for side in (left, right) if side.number), right.start)
        value = self.attempt(position, lambda: _COMBINED[sign.text](left.value, right.value))
        if isinstance(value, Kernel):
            return self.made(value, left.start, sign.start, left, right)
        if not in_range(value):
            self.fail(left.start, f"{left.value} {sign.text} {right.value} is out of the range of numbers")
        return Operand(value, left.start)

    def made(self, kernel: Kernel, start: int, position: int, *inner: Operand) -> Operand:
        """Return a kernel made of others, unless it has become too deep to be worked with."""
        depth = 1 + max((operand.depth for operand in inner), default=-1)
        if depth > MOST_DEEP:
            self.fail(position, f"more than {MOST_DEEP} operators on top of each other; combine fewer kernels")
        return Operand(kernel, start, depth)

    def operand(self) -> Operand:
        """Return a number or a kernel with the methods and columns that follow it."""
        if self.next.text == "-":
            sign = self.open()
            inner = self.expression(POWER)
            self.nested -= 1
            return Operand(self.attempt(sign.start, lambda: -inner.value), sign.start, inner.depth)
        found = self.atom()
        while True:
            if self.next.text.casefold() == "on":
                word = self.take()
                self.needs_kernel(found, word, "on")
                found = self.restricted(found, word, self.columns())
            elif self.took("."):
                found = self.method(found)
            else:
                return found

    def needs_kernel(self, found: Operand, word: Token, name: str) -> None:
        if found.number:
            reason = f"{name} belongs to a kernel, and before it stands the number {found.value}"
            self.fail(word.start, reason + "; a power needs parentheses: (k ** 2) on age" * (name == "on"))

    def atom(self) -> Operand:
        token = self.next
        if token.kind == "number":
            self.take()
            return Operand(self.literal(token), token.start)
        if token.kind == "word":
            return self.named()
        if token.text != "(":
            self.fail(token.start, f"a kernel or a number expected, and here is {token.shown}")
        self.open()
        found = self.expression()
        self.close(token)
        return Operand(found.value, token.start, found.depth)

    def named(self) -> Operand:
        """Return a kernel by its name and arguments, or a function of one."""
        if self.next.text in ("gm", "gramian") and self.ahead(1).text == "." and self.ahead(2).kind == "word":
            self.place += 2
        token = self.take()
        key = folded(token.text)
        if key in KERNELS:
            return self.called(KERNELS[key], token)
        if key not in FUNCTIONS:
            self.fail(token.start, f"no kernel {token.shown}; {nearest(key)}")
        if self.next.text != "(":
            self.fail(token.start, f"{key} takes a kernel: {key}(gaussian)")
        opened = self.open()
        inner = self.kernel_operand()
        self.close(opened)
        value = self.attempt(token.start, lambda: FUNCTIONS[key](inner.value))
        return self.made(value, token.start, token.start, inner)

    def called(self, word: Word, name: Token) -> Operand:
        """Return the kernel of a class with the arguments that follow its name."""
        given = self.arguments(word) if self.next.text == "(" else {}
        arguments = {parameter: argument.value for parameter, argument in given.items()}
        lacking = [f.name for f in word.parameters.values() if required(f) and f.name not in given]
        if lacking:
            self.fail(name.start, f"{word.name} needs {' and '.join(lacking)}, as in {word.said.example}")
        if issubclass(word.cls, Diffusion):
            if self.graph is None:
                reason = f"{word.name} compares the nodes of a graph, and no graph was given"
                raise GraphNeeded(self.text, name.start, reason)
            arguments["graph"] = self.graph
        try:
            kernel = word.cls(**arguments)
        except _REFUSALS as error:
            reason = str(error)
            blamed = (a.start for p, a in given.items() if re.match(rf"{p}\b", reason))
            self.fail(next(blamed, name.start), reason)
        return self.made(kernel, name.start, name.start, *given.values())

    def method(self, found: Operand) -> Operand:
        """Return the kernel that a method makes of one."""
        word = self.take()
        if word.kind != "word":
            self.fail(word.start, f"the name of a method expected, and here is {word.shown}")
        self.needs_kernel(found, word, f"the method {word.shown}")
        key = folded(word.text)
        if key not in (*FUNCTIONS, "on", "polynomial", "pullback"):
            reason = f"a kernel has no method {word.shown}; it has {', '.join(METHODS)}"
            self.fail(word.start, reason + ", and a name with a dot needs quotes")
        if self.next.text != "(":
            self.fail(self.next.start, f"parentheses expected after the method {key}")
        if key == "on":
            return self.restricted(found, word, self.columns())
        opened = self.open()
        if key == "polynomial":
            start = self.next.start
            coefficients = self.value()
            value = self.attempt(start, lambda: found.value.polynomial(coefficients))
        else:
            if key == "pullback":
                self.standard_scores()
                key = "standardize"
            value = self.attempt(word.start, lambda: FUNCTIONS[key](found.value))
        self.close(opened)
        return self.made(value, found.start, word.start, found)

    def standard_scores(self) -> None:
        """Take the one map that a kernel can be pulled back by in an expression, ``Standardize()``."""
        if self.next.text in ("gm", "gramian") and self.ahead(1).text == ".":
            self.place += 2
        token = self.take()
        if folded(token.text) != "standardize":
            self.fail(token.start, "a kernel can be pulled back by Standardize() only; other maps are functions")
        if self.next.text == "(":
            self.close(self.open())

    def restricted(self, found: Operand, word: Token, names: tuple[Any, ...]) -> Operand:
        kernel = self.attempt(word.start, lambda: found.value.on(*names))
        return self.made(kernel, found.start, word.start, found)

    def attempt(self, position: int, make: Callable[[], T]) -> T:
        """Return what is made, or fail at this character with the words of what refused it."""
        try:
            return make()
        except _REFUSALS as error:
            self.fail(position, str(error))
