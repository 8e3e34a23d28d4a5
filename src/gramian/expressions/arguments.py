"""What follows the name of a kernel: its arguments in parentheses, and columns of a table after `on`.

    bag_of_words("tf-idf", ngram_range=(1, 2))
    matern(median, nu=5/2) on age, "body mass"

Arguments are given by place or by name, those by place first. An argument is a kernel where the constructor takes one,
and a value otherwise: a number, which may be calculated; a text in quotes, or a word without; true, false or none; or a
list of values in parentheses or brackets. A column is a word, a text in quotes, or a position.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gramian.expressions.tokens import ESCAPES, Cursor, Number, Token, in_range, short
from gramian.expressions.words import Word, folded, unlike
from gramian.kernels.algebra import Kernel

_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "none": None}


@dataclass(frozen=True)
class Operand:
    """A kernel or a number, where it begins, and how many operators it has on top of each other."""

    value: Any
    start: int
    depth: int = 0

    @property
    def number(self) -> bool:
        return not isinstance(self.value, Kernel)


class ArgumentReader(Cursor, ABC):
    """Reads arguments, columns and values; what it takes to read an expression inside them is left to the whole."""

    @abstractmethod
    def expression(self) -> Operand:
        """Return operands joined by operators."""

    def kernel_operand(self) -> Operand:
        """Return an expression that is a kernel."""
        found = self.expression()
        if found.number:
            self.fail(found.start, f"a kernel expected, and here is the number {found.value}")
        return found

    def arguments(self, word: Word) -> dict[str, Operand]:
        """Return the arguments in parentheses, by the names of the parameters they belong to."""
        places = iter(word.parameters)
        given: dict[str, Operand] = {}
        for _ in self.items(self.open()):
            name = self.argument_name(word, places, given)
            given[name] = self.argument(word, name)
        return given

    def argument_name(self, word: Word, places: Iterator[str], given: dict[str, Operand]) -> str:
        """Return the name of the parameter that the next argument belongs to."""
        token = self.next
        if token.kind == "word" and self.ahead(1).text == "=":
            self.place += 2
            name = next((p for p in word.parameters if folded(p) == folded(token.text)), None)
            if name is None:
                self.fail(token.start, f"{word.name} has no argument {token.shown}; {unlike(word, token.text)}")
            if name in given:
                self.fail(token.start, f"{name} is given twice")
            return name
        name = next(places, None)
        if name is None:
            self.fail(token.start, f"too many arguments for {word.name}; {unlike(word)}")
        if name in given:
            self.fail(token.start, f"{name} is given already, by its name; arguments without a name come first")
        return name

    def argument(self, word: Word, name: str) -> Operand:
        """Return an argument: a kernel where the parameter is one, a plain value otherwise."""
        if word.parameters[name].type == "Kernel":
            return self.kernel_operand()
        start = self.next.start
        return Operand(self.value(), start, -1)

    def columns(self) -> tuple[Any, ...]:
        """Return the names of columns, with or without parentheses around them."""
        opened = self.open() if self.next.text == "(" else None
        names = [self.column()]
        while self.next.text == "," and (opened or self.ahead(2).text != "="):
            self.take()
            names.append(self.column())
        if opened:
            self.close(opened)
        return tuple(names)

    def column(self) -> Any:
        """Return the name of a column, or its position."""
        token = self.next
        if token.kind == "word":
            return self.take().text
        if token.kind == "quoted":
            return self.quoted()
        number = self.number() if token.kind == "number" or token.text == "-" else None
        if not isinstance(number, int):
            self.fail(token.start, f"the name of a column expected, and here is {token.shown}; odd names need quotes")
        return number

    def number(self) -> Number:
        """Return a number with its sign."""
        sign = -1 if self.took("-") else 1
        if self.next.kind != "number":
            self.fail(self.next.start, f"a number expected, and here is {self.next.shown}")
        return sign * self.literal(self.take())

    def quoted(self) -> str:
        """Return a text in quotes, with what a backslash stands for in it."""
        token = self.take()

        def escaped(match: re.Match[str]) -> str:
            if match[1] not in ESCAPES:
                reason = f"{match[0]!r} has no meaning in quotes; a backslash itself is written twice"
                self.fail(token.start + 1 + match.start(), reason)
            return ESCAPES[match[1]]

        return re.sub(r"\\(.)", escaped, token.text[1:-1], flags=re.DOTALL)

    def literal(self, token: Token) -> Number:
        """Return a number, refusing one that is too large, or too small to differ from 0."""
        whole, digits = token.text.isdigit(), token.text.lstrip("0") or "0"
        value: Number = int(digits) if whole and len(digits) < 20 else float(token.text)
        vanished = value == 0 and token.text.casefold().partition("e")[0].strip("0.")
        if vanished or not in_range(value) or (whole and isinstance(value, float)):
            self.fail(token.start, f"the number {short(token.text)} is out of range")
        return value

    def value(self) -> Any:
        """Return a number, a text, a bare word, true, false, none, or a list of these."""
        token = self.next
        if token.kind == "word":
            word = self.take().text
            return _CONSTANTS.get(word.casefold(), word)
        if token.kind == "quoted":
            return self.quoted()
        if token.text in ("(", "["):
            return self.values()
        if token.kind != "number" and token.text != "-":
            self.fail(token.start, f"a number, a word or a text in quotes expected, and here is {token.shown}")
        found = self.expression()
        if not found.number:
            self.fail(found.start, "a number expected, and here is a kernel")
        return found.value

    def values(self) -> Any:
        """Return a list in parentheses or brackets; parentheses around one value without a comma mean nothing."""
        opened = self.open()
        found = tuple(self.value() for _ in self.items(opened))
        single = opened.text == "(" and len(found) == 1 and self.tokens[self.place - 2].text != ","
        return found[0] if single else found
