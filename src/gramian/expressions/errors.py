"""What is said of an expression that cannot be read, and of a kernel that cannot be written.

An expression that cannot be read is a `KernelSyntaxError`: the text, the character at fault, and the reason. Its
message shows the line with that character and points at it from below, also where characters are wide, are combined or
cannot be printed; a long line is cut around it. A kernel that the language has no words for is a TypeError.
"""

from __future__ import annotations

import unicodedata


class KernelSyntaxError(ValueError):
    """A kernel expression that cannot be read: where, and why.

    Parameters
    ----------
    text : str
        The expression.
    position : int
        Index in it of the character that the error is about, counted from 0; ``len(text)`` for its end.
    reason : str
        What is wrong there.

    See Also
    --------
    parse_kernel : read a kernel from an expression
    DataError : data that cannot be read

    Examples
    --------
    >>> print(KernelSyntaxError("linear + gausian(2)", 9, "no kernel 'gausian'; did you mean 'gaussian'?"))
    kernel expression, character 10: no kernel 'gausian'; did you mean 'gaussian'?
        linear + gausian(2)
                 ^
    """

    def __init__(self, text: str, position: int, reason: str) -> None:
        super().__init__(text, position, reason)
        self.text, self.position, self.reason = text, position, reason

    def __str__(self) -> str:
        head = f"kernel expression, character {self.position + 1}: {self.reason}"
        return "\n    ".join([head, *_pointed(self.text, self.position)])


class GraphNeeded(KernelSyntaxError):
    """An expression with a kernel on the nodes of a graph, read without one; all before that word is sound."""


def unsayable(reason: str) -> TypeError:
    """Return the error of a kernel that cannot be written."""
    return TypeError(f"the kernel cannot be written as an expression: {reason}")


def _pointed(text: str, position: int) -> tuple[str, str]:
    """Return the line of the text with a character in it, cut where it is long, and a line that points at it."""
    first = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    start, stop = max(first, position - 60), min(len(text) if end < 0 else end, position + 40)
    before = "…" * (start > first) + _printable(text[start:position])
    after = _printable(text[position:stop]) + "…" * (stop < (len(text) if end < 0 else end))
    return before + after, " " * sum(map(_columns_wide, before)) + "^"


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in text)


def _columns_wide(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
