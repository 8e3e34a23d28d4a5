"""The dictionary: every kernel, operator and function of the language, with its formula and an example.

A kernel goes by the name of its class, and takes the arguments of its constructor with their defaults; these are read
off the class. Written here is what a class does not say of itself: which objects it compares, its formula, what it is
good for, and how it is used. Case, underscores and hyphens do not count in names.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from typing import Any

from gramian.expressions.tokens import written
from gramian.factor.nystrom import Nystrom
from gramian.kernels.algebra import Kernel
from gramian.kernels.dotproduct import Linear, Polynomial
from gramian.kernels.equality import Equality
from gramian.kernels.fourier import RandomFourier
from gramian.kernels.graphs.diffusion import ExponentialDiffusion, PowerDiffusion, VonNeumannDiffusion
from gramian.kernels.periodic import Periodic
from gramian.kernels.radial import Gaussian, Laplacian, Matern
from gramian.kernels.standardize import Standardize
from gramian.kernels.strings.full_spectrum import FullSpectrum
from gramian.kernels.strings.mismatch import Mismatch
from gramian.kernels.strings.spectrum import Composition, Spectrum
from gramian.kernels.strings.subsequences import AllSubsequences, Subsequences
from gramian.kernels.subsets import AllSubsets, Anova
from gramian.kernels.text.bag_of_words import BagOfWords


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
    """A kernel of the language: its class, and what the class does not say of itself."""

    cls: type[Kernel]
    objects: str
    formula: str
    description: str
    example: str

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
        return Entry(self.name, "kernel", self.signature, self.formula, self.objects, self.description, self.example)


# Arguments that an expression cannot give, and why.
UNSAYABLE = {
    "graph": "a graph, which is given beside the expression",
    "tokenizer": "a function",
    "idf": "weights learnt from a corpus",
    "landmarks": "objects of a sample",
}

_WORDS = (
    Word(Linear, "vectors", "κ(x, z) = xᵀz", "The inner product itself.", "linear + 1"),
    Word(
        Polynomial,
        "vectors",
        "κ(x, z) = (xᵀz + c)^q",
        "All products of up to q coordinates; q is the degree, c the offset.",
        "polynomial(degree=3, offset=1)",
    ),
    Word(
        Gaussian,
        "vectors",
        "κ(x, z) = exp(−‖x − z‖²/2σ²)",
        'Nearness, smooth at every scale; σ is the bandwidth, "median" takes it from the data.',
        "gaussian(median)",
    ),
    Word(
        Laplacian,
        "vectors",
        "κ(x, z) = exp(−‖x − z‖₁/σ)",
        "Nearness by the sum of absolute differences; rougher than the Gaussian, and kinder to outliers.",
        "laplacian(bandwidth=2)",
    ),
    Word(
        Matern,
        "vectors",
        "κ(x, z) = 2^(1−ν)/Γ(ν) · t^ν K_ν(t), t = √(2ν) ‖x − z‖/σ",
        "Nearness of a chosen smoothness ν, between the exponential and the Gaussian.",
        "matern(median, nu=5/2)",
    ),
    Word(
        Periodic,
        "vectors",
        "κ(x, z) = ∏ᵢ exp(−2 sin²(π(xᵢ − zᵢ)/p)/σ²)",
        "Nearness of what comes again after a period p, as hours of the day do: 24, or days of the year: 365.2425.",
        "periodic(24)",
    ),
    Word(
        AllSubsets,
        "vectors",
        "κ(x, z) = ∏ᵢ (1 + aᵢxᵢzᵢ)",
        "Products over all sets of coordinates; the weights are the aᵢ, all 1 by default.",
        "all_subsets(weights=[1, 0.5])",
    ),
    Word(
        Anova,
        "vectors",
        "κ(x, z) = Σ_{|A| = q} ∏_{j ∈ A} xⱼzⱼ",
        "Products of q different coordinates; q is the degree.",
        "anova(degree=2)",
    ),
    Word(
        Composition,
        "strings",
        "κ(x, z) = Σ_{|u| ≤ k} (share of u in x) (share of u in z)",
        "How often each word of up to k symbols occurs, for k = 1 each symbol; an alphabet restricts the symbols.",
        "composition(alphabet=ACGT, length=2)",
    ),
    Word(
        Spectrum,
        "strings",
        "κ(x, z) = Σ_{|u| = p} (number of u in x) (number of u in z)",
        "Shared substrings of p symbols; p is the length.",
        "spectrum(3)",
    ),
    Word(
        Mismatch,
        "strings",
        "κ(x, z) = Σ_{|u| = p} (number of pieces of x within m symbols of u) (the same of z)",
        "Shared substrings of p symbols, up to m wrong ones.",
        "mismatch(length=5, mismatches=1, alphabet=ACGT)",
    ),
    Word(
        FullSpectrum,
        "strings",
        "κ(x, z) = Σ_u λ^(2|u|) (number of u in x) (number of u in z)",
        "Shared substrings of all lengths between two bounds, from 0 on the empty one too; λ is the decay.",
        "normalize(full_spectrum(max_length=5))",
    ),
    Word(
        Subsequences,
        "strings",
        "κ(x, z) = Σ_{|u| = p} (Σ λ^span over the places of u in x) (the same in z)",
        "Shared subsequences of p symbols with gaps, which cost λ, the decay, for each symbol they span.",
        "subsequences(length=3, decay=0.5)",
    ),
    Word(
        AllSubsequences,
        "strings",
        "κ(x, z) = Σ_u (number of ways u is a subsequence of x) (the same of z)",
        "Shared subsequences of all lengths, gaps for free; best normalized.",
        "normalize(all_subsequences)",
    ),
    Word(
        BagOfWords,
        "documents",
        "κ(x, z) = Σ_t w_t² (number of t in x) (number of t in z)",
        'Shared words; "tf-idf" gives rare ones more weight.',
        'normalize(bag_of_words("tf-idf", ngram_range=(1, 2)))',
    ),
    Word(
        Equality,
        "categories",
        "κ(x, z) = 1 if x = z, else 0",
        "Whether two values are the same.",
        "equality on colour",
    ),
    Word(
        PowerDiffusion,
        "graph nodes",
        "K = S^l",
        "Similarity summed over all paths of length l.",
        "power_diffusion(length=2)",
    ),
    Word(
        ExponentialDiffusion,
        "graph nodes",
        "K = exp(βS)",
        "Paths of all lengths, the longer the less; of=laplacian is the heat kernel.",
        "exponential_diffusion(beta=0.5, of=laplacian)",
    ),
    Word(
        VonNeumannDiffusion,
        "graph nodes",
        "K = (I − βS)⁻¹",
        "Paths of all lengths, those of length l with weight β^l.",
        "von_neumann_diffusion(0.1, of=normalized)",
    ),
    Word(
        RandomFourier,
        "vectors",
        "κ(x, z) ≈ (1/m) Σⱼ cos wⱼᵀ(x − z), m = rank/2",
        "A Gaussian, Laplacian or Matérn kernel by random waves, as fast as a linear one.",
        "random_fourier(gaussian(2), rank=200)",
    ),
    Word(
        Nystrom,
        "any objects",
        "κ̃(x, z) = k(x)ᵀ K⁻¹ k(z) over landmarks",
        "A kernel as far as a few landmarks see it, for large samples.",
        "nystrom(gaussian(median), rank=100)",
    ),
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
