"""A second place, as slow and as plain as can be: Python's own arithmetic, one pair of objects after the other.

It is the oracle of every other place, and the proof that an expression says all there is to say of a kernel.
"""

import math

import numpy as np

from gramian.formula import expression as ex


def value(f, a, b, i, j):
    """The value of an expression between object i of a and object j of b."""

    def of(g):
        return value(g, a, b, i, j)

    match f:
        case ex.Number(number):
            return number
        case ex.OfRow(part=part):
            return float(np.ravel(part_of(a, part)[i])[0])
        case ex.OfColumn(part=part):
            return float(np.ravel(part_of(b, part)[j])[0])
        case ex.Dot(part=part):
            return math.fsum(s * t for s, t in pairs(a, b, part, i, j))
        case ex.SquaredDistance(part=part, bandwidth=sigma, factor=factor):
            return factor * math.fsum((s - t) ** 2 for s, t in pairs(a, b, part, i, j)) / sigma**2
        case ex.CityBlock(part=part, bandwidth=sigma):
            return math.fsum(abs(s - t) for s, t in pairs(a, b, part, i, j)) / sigma
        case ex.Opaque(block=block, part=part):
            x, z = part_of(a, part)[i : i + 1], part_of(b, part)[j : j + 1]
            out = np.empty((1, 1))
            block(x, z, out)
            return float(out[0, 0])
        case ex.Plus(left, right):
            return of(left) + of(right)
        case ex.Times(left, right):
            return of(left) * of(right)
        case ex.Power(base, degree):
            return of(base) ** degree
        case ex.Polynomial(base, coefficients):
            return math.fsum(c * of(base) ** k for k, c in enumerate(coefficients))
        case ex.Exp(exponent):
            return math.exp(of(exponent))
        case ex.Expm1(exponent):
            return math.expm1(of(exponent))
        case ex.Sqrt(square):
            return math.sqrt(of(square))
        case ex.AtLeast(inner, bound):
            return max(of(inner), bound)
        case ex.AtMost(inner, bound):
            return min(of(inner), bound)
        case ex.Apply(argument, function):
            return float(function(np.array([of(argument)]))[0])
    raise TypeError(f"{f!r} is no expression")


def matrix(f, a, b):
    """All values between the objects of a and those of b."""
    return np.array([[value(f, a, b, i, j) for j in range(len(b))] for i in range(len(a))])


def part_of(a, path):
    for place in path:
        a = a.parts[place]
    return a


def pairs(a, b, part, i, j):
    """The coordinates of one object beside those of the other, as Python's floats."""
    x, z = (part_of(side, part)[k : k + 1] for side, k in ((a, i), (b, j)))
    x, z = (np.ravel(row.toarray() if hasattr(row, "toarray") else row) for row in (x, z))
    return zip(map(float, x), map(float, z), strict=True)
