"""Kernels in words: a small language for command lines and files, and its dictionary.

    0.5*gaussian(bandwidth=2) + polynomial(2)
    gaussian(median) on age, weight + spectrum(3) on promoter * bag_of_words on note
    normalize(full_spectrum(max_length=5)) ** 2
    standardize(gaussian(median)) on "body mass", age

A kernel is written by its name, in any case and with or without underscores and hyphens, and its arguments, by place or
by name. Operators are those of the algebra, + * / ** (or ^) with numbers and kernels, and bind as usual; `on`, which
restricts a kernel to columns of a table, binds tighter than all of them. What the classes and the algebra refuse is
refused here with their words, and every error points at its character.

`parse_kernel` reads an expression, `format_kernel` writes one, `catalogue` lists all there is. Nothing is evaluated: a
text can make kernels of this package, and nothing else.
"""

from gramian.expressions.errors import GraphNeeded, KernelSyntaxError
from gramian.expressions.reading import LONGEST, MOST_DEEP, parse_kernel
from gramian.expressions.tokens import MOST_NESTED
from gramian.expressions.words import Entry, catalogue
from gramian.expressions.writing import format_kernel

__all__ = [
    "LONGEST",
    "MOST_DEEP",
    "MOST_NESTED",
    "Entry",
    "GraphNeeded",
    "KernelSyntaxError",
    "catalogue",
    "format_kernel",
    "parse_kernel",
]
