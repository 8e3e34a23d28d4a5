"""A kernel in the words of somebody who knows the data and no kernels: what makes two objects alike.

    standardize(gaussian(2.5))        numbers within about 2.5 standard deviations
    normalize(spectrum(3) + 1)        common pieces of 3 letters
    equality on origin                the same origin
    a + b                             a, or b                       either makes two objects alike
    a * b                             a, and b                      only both together do

Lengths of images and constants, which a formula needs and a reader does not, are left out: the expression stands beside
the words, one click away. What has no words is called by its expression.
"""

from __future__ import annotations

from collections.abc import Callable
from math import asin, pi
from typing import Any

from gramian.intake.dates import DAY, WEEK, YEAR
from gramian.kernels.algebra import Kernel, Normalized, Pair, Power, Product, Pullback, Scaled, Shifted, Sum
from gramian.kernels.columns import Columns
from gramian.kernels.dotproduct import Linear, Polynomial
from gramian.kernels.equality import Equality
from gramian.kernels.graphs.diffusion import ExponentialDiffusion, PowerDiffusion, VonNeumannDiffusion
from gramian.kernels.periodic import Periodic
from gramian.kernels.precomputed import Precomputed
from gramian.kernels.radial import Distance, Gaussian, Laplacian, Matern
from gramian.kernels.standardize import Standardize
from gramian.kernels.strings.full_spectrum import FullSpectrum
from gramian.kernels.strings.mismatch import Mismatch
from gramian.kernels.strings.spectrum import Composition, Spectrum
from gramian.kernels.strings.subsequences import AllSubsequences, Subsequences
from gramian.kernels.text.bag_of_words import BagOfWords
from gramian.reporting.blocks import number
from gramian.reporting.fitting import written

CYCLES = {  # what their places are called, and their unit, of which a day has so many
    YEAR: ("time of year", "days", 1.0),
    WEEK: ("day of the week", "days", 1.0),
    DAY: ("time of day", "hours", 24.0),
}
NAMED = 3  # columns that are named; more are counted


def in_words(kernel: Kernel) -> str:
    """Return what makes two objects alike, for people.

    Examples
    --------
    >>> import gramian as gm
    >>> in_words((gm.Spectrum(length=3) + 1).normalize())
    'common pieces of 3 letters'
    >>> in_words(gm.Gaussian(2.0).on("age", "height") + gm.Equality().on("town"))
    'age and height within about 2, or the same town'
    """
    return _spoken(kernel, "numbers", standardized=False)


def listed(names: list[str], kind: str) -> str:
    """Return names in a row, or how many there are of which kind.

    Examples
    --------
    >>> listed(["a"], "numbers"), listed(["a", "b", "c"], "numbers"), listed(["a", "b", "c", "d"], "numbers")
    ('a', 'a, b and c', '4 numbers')
    """
    if len(names) > NAMED:
        return f"{len(names)} {kind}"
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _spoken(kernel: Kernel, what: str, standardized: bool) -> str:
    """Return a kernel in words, on some columns, or on all that there are."""
    if isinstance(kernel, Sum | Product):
        return _together(kernel, what, standardized)
    if isinstance(kernel, Pullback):
        return _of_transformed(kernel, what, standardized)
    if isinstance(kernel, Shifted):
        return _spoken(kernel.base, what, standardized)
    if isinstance(kernel, Normalized):
        plain = _spoken(kernel.base, what, standardized)
        return f"{plain} (whatever their size)" if isinstance(kernel.base, Linear | Polynomial) else plain
    if isinstance(kernel, Scaled):
        return f"{_spoken(kernel.base, what, standardized)} (× {number(kernel.factor)})"
    if isinstance(kernel, Power):
        return f"{_spoken(kernel.base, what, standardized)}, to the power of {kernel.degree}"
    if isinstance(kernel, Distance):
        return _near(kernel, what, standardized)
    if isinstance(kernel, Periodic):
        return _around(kernel, what)
    say = _SPOKEN.get(type(kernel))
    return written(kernel) if say is None else say(kernel, what)


def _together(kernel: Sum | Product, what: str, standardized: bool) -> str:
    parts = _parts(kernel, type(kernel))
    same = [part for part in map(_same, parts) if part is not None]
    if len(same) == len(parts) > 1:
        return f"the same {listed(same, 'categories')}"
    told = [_spoken(part, what, standardized) for part in parts]
    return (", or " if isinstance(kernel, Sum) else ", and ").join(told)


def _parts(kernel: Kernel, kind: type[Pair]) -> list[Kernel]:
    if not isinstance(kernel, kind):
        return [kernel]
    return [*_parts(kernel.left, kind), *_parts(kernel.right, kind)]


def _same(kernel: Kernel) -> str | None:
    """Return the column that a kernel compares for being equal; None for other kernels."""
    if isinstance(kernel, Pullback) and isinstance(kernel.base, Equality) and isinstance(kernel.f, Columns):
        return str(kernel.f.names[0])
    return None


def _of_transformed(kernel: Pullback, what: str, standardized: bool) -> str:
    if isinstance(kernel.f, Standardize):
        return _spoken(kernel.base, what, True)
    if not isinstance(kernel.f, Columns):
        return written(kernel)
    names = [str(name) for name in kernel.f.names]
    if kernel.f.numeric:
        return _spoken(kernel.base, listed(names, "numbers"), standardized)
    if (column := _same(kernel)) is not None:
        return f"the same {column}"
    return f"{_spoken(kernel.base, 'objects', standardized)} in {listed(names, 'columns')}"


def _near(kernel: Distance, what: str, standardized: bool) -> str:
    if kernel.bandwidth == "median":
        far = "the median distance"
    else:
        far = f"about {number(float(kernel.bandwidth), 2)}"
        far += f" standard deviation{'' if far == 'about 1' else 's'}" * standardized
    how = {Gaussian: "", Laplacian: " (added up column by column)", Matern: " (less smoothly)"}.get(type(kernel), "")
    return f"{what} within {far}{how}"


def _around(kernel: Periodic, what: str) -> str:
    """Return what is compared of a cycle: an arc whose chord is the bandwidth, or all of it, loosely."""
    cycle, unit, many = CYCLES.get(kernel.period, (f"place within {number(kernel.period)}", "", 1.0))
    if kernel.bandwidth == "median":
        return f"the {cycle} of {what}"
    chord = float(kernel.bandwidth) / 2
    if chord >= 1:
        return f"the {cycle} of {what} (loosely)"
    far = number(kernel.period * many * asin(chord) / pi, 2)
    return f"the {cycle} of {what} within about {far}{f' {unit}' if unit and far != '1' else unit and f' {unit[:-1]}'}"


def _pieces(length: int) -> str:
    return f"common pieces of {length} letters" if length > 1 else "common letters"


def _weighed(kernel: BagOfWords, what: str) -> str:
    return "common words (rare ones above all)" if "idf" in kernel.weighting else "common words"


def _any_length(kernel: FullSpectrum, what: str) -> str:
    return "common pieces of any length" + " (short ones above all)" * (kernel.decay < 1)


_SPOKEN: dict[type, Callable[[Any, str], str]] = {
    Linear: lambda kernel, what: f"{what} along a straight line",
    Polynomial: lambda kernel, what: f"{what} and their products of up to {kernel.degree}",
    Equality: lambda kernel, what: "being the same",
    Spectrum: lambda kernel, what: _pieces(kernel.length),
    Composition: lambda kernel, what: (
        "how often each letter occurs" if kernel.length == 1 else f"how often each {kernel.length} letters occur"
    ),
    Mismatch: lambda kernel, what: f"{_pieces(kernel.length)} ({kernel.mismatches} of which may differ)",
    FullSpectrum: _any_length,
    AllSubsequences: lambda kernel, what: "common letters in the same order",
    Subsequences: lambda kernel, what: f"{kernel.length} common letters in the same order, with gaps",
    BagOfWords: _weighed,
    ExponentialDiffusion: lambda kernel, what: (
        f"how easily a walk along the edges, of length {number(kernel.beta)} or so, leads from one to the other"
    ),
    VonNeumannDiffusion: lambda kernel, what: (
        f"how easily a walk of any length leads from one to the other (each step counting {number(kernel.beta)})"
    ),
    PowerDiffusion: lambda kernel, what: f"how many walks of {kernel.length} steps lead from one to the other",
    Precomputed: lambda kernel, what: "the likenesses that were given",
}
