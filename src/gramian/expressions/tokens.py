"""The pieces of an expression: numbers, words, texts in quotes and signs; and values written with them.

A number has no sign, and may have a fraction and an exponent. A word begins with a letter or an underscore, and may
have hyphens inside: ``tf-idf``. A text stands in single or double quotes, and a backslash in it gives the next
character another meaning. Blanks and ends of lines stand between pieces and mean nothing else.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import numpy as np

from gramian.expressions.errors import KernelSyntaxError, unsayable

MOST_NESTED = 50  # parentheses, functions and lists inside each other
LARGEST = 2**63 - 1  # whole number

Number: TypeAlias = int | float

WORD = re.compile(r"[^\W\d]\w*(?:-[^\W\d]\w*)*")
_TOKEN = re.compile(
    rf"""(?P<blank>\s+)
    |(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
    |(?P<word>{WORD.pattern})
    |(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<sign>\*\*|[-+*/^().,=\[\]])""",
    re.VERBOSE | re.DOTALL,
)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "'": "'"}


@dataclass(frozen=True)
class Token:
    """A piece of the text: a number, a word, a quoted text, a sign, or the end."""

    kind: str
    text: str
    start: int

    @property
    def shown(self) -> str:
        return "the end" if self.kind == "end" else repr(short(self.text))


class Cursor:
    """A place among the tokens of an expression, and how deeply nested it is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(_tokens(text))
        self.place = 0
        self.nested = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def ahead(self, count: int) -> Token:
        return self.tokens[min(self.place + count, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.next
        self.place += token.kind != "end"
        return token

    def took(self, sign: str) -> bool:
        """Take this sign if it comes next."""
        found = self.next.text == sign
        self.place += found
        return found

    def close(self, opened: Token, sign: str = ")") -> None:
        """Take the sign that closes what was opened."""
        if self.took(sign):
            self.nested -= 1
            return
        what = "parenthesis" if opened.text == "(" else "bracket"
        if self.next.kind == "end":
            self.fail(opened.start, f"this {what} is not closed")
        self.fail(self.next.start, f"a closing {what} or a comma expected before {self.next.shown}")

    def open(self) -> Token:
        """Take a sign that goes one level deeper."""
        token = self.take()
        self.nested += 1
        if self.nested > MOST_NESTED:
            self.fail(token.start, f"the expression is nested more than {MOST_NESTED} deep")
        return token

    def items(self, opened: Token) -> Iterator[None]:
        """Stop before each item between commas, for the caller to take it, and take the sign that closes them."""
        closing = ")" if opened.text == "(" else "]"
        while self.next.kind != "end" and self.next.text != closing:
            yield
            if not self.took(","):
                break
        self.close(opened, closing)

    def fail(self, position: int, reason: str) -> NoReturn:
        raise KernelSyntaxError(self.text, position, reason)


def _tokens(text: str) -> Iterator[Token]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            sign = text[position]
            reason = "this quote is not closed" if sign in "\"'" else f"{sign!r} has no meaning here"
            raise KernelSyntaxError(text, position, reason)
        if match.lastgroup != "blank":
            yield Token(str(match.lastgroup), match[0], position)
        position = match.end()
    yield Token("end", "", len(text))


def in_range(value: Number) -> bool:
    """Whether a number is finite, and no larger than LARGEST if it is whole."""
    return abs(value) <= LARGEST if isinstance(value, int) else math.isfinite(value)


def short(text: str) -> str:
    """Cut a text to what fits into a message."""
    return text if len(text) <= 40 else text[:39] + "…"


def written(value: Any) -> str:
    """Write an argument so that it is read back to an equal one."""
    if value is None or isinstance(value, bool | np.bool_):
        return str(value).lower()
    if isinstance(value, str):
        return in_quotes(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real | np.floating) and float(value) == value:
        return repr(float(value))
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(written, value))}]"
    raise unsayable(f"{value!r} is a {type(value).__name__}, which has no literal")


def in_quotes(text: str) -> str:
    """Write a text in double quotes, with a backslash before what would be misread."""
    escapes = {character: f"\\{letter}" for letter, character in ESCAPES.items() if letter != "'"}
    return '"' + "".join(escapes.get(character, character) for character in text) + '"'
