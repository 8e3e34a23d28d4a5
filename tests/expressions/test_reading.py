"""Expressions become the kernels that the classes make; what is wrong with one is said at its character."""

import pickle
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian as gm
from gramian.expressions import (
    LONGEST,
    MOST_DEEP,
    MOST_NESTED,
    KernelSyntaxError,
    catalogue,
    format_kernel,
    parse_kernel,
)

from .cases import GRAPH, MEANINGS


@pytest.mark.parametrize("text", MEANINGS)
def test_an_expression_means_the_kernel_that_the_classes_make(text):
    assert parse_kernel(text, graph=GRAPH) == MEANINGS[text]


@pytest.mark.parametrize("name", ["full_spectrum", "FullSpectrum", "full-spectrum", "FULL_SPECTRUM", "gm.FullSpectrum"])
def test_case_underscores_and_hyphens_do_not_count_in_names(name):
    assert parse_kernel(f"{name}(Max-Length=4)") == gm.FullSpectrum(max_length=4)


# Errors: the text up to the character, the rest, and the reason.
ERRORS = [
    ("", "", "the expression is empty; a kernel expected, such as gaussian(2)"),
    ("", "  ", "the expression is empty"),
    ("0.5*linear + ", "gausian(2)", "no kernel 'gausian'; did you mean 'gaussian'?"),
    ("", "xyzzy", "no kernel 'xyzzy'; there are linear, polynomial, gaussian, "),
    ("", "normalise(linear)", "no kernel 'normalise'; did you mean 'normalize'?"),
    ("", "precomputed", "no kernel 'precomputed'; "),
    ("gaussian(", "bandwith=2)", "gaussian has no argument 'bandwith'; it has bandwidth"),
    ("bag_of_words(", "tokenizer=split)", "max_features, vocabulary, and tokenizer is a function"),
    ("gaussian(1, ", "2)", "too many arguments for gaussian; it has bandwidth"),
    ("linear(", "2)", "too many arguments for linear; it has none"),
    ("gaussian(bandwidth=1, ", "bandwidth=2)", "bandwidth is given twice"),
    ("gaussian(bandwidth=1, ", "2)", "bandwidth is given already, by its name; arguments without a name come first"),
    ("gaussian(", "-1)", "bandwidth is -1; a number above 0 expected"),
    ("gaussian(bandwidth=", "huge)", "bandwidth is 'huge'; a number above 0 or 'median' expected"),
    ("gaussian(", "true)", "bandwidth is True (bool); a real number expected"),
    ("mismatch(2, ", "3)", "mismatches is 3; fewer than length = 2 expected"),
    ("linear + ", "mismatch(60, alphabet=ACGT)", "there are 4^60 strings of length 60, too many to tell apart"),
    ("random_fourier(", "linear)", "base is Linear(); gm.Gaussian, gm.Laplacian or gm.Matern expected"),
    ("nystrom(", "3)", "a kernel expected, and here is the number 3"),
    ("gaussian(", "2 * linear)", "a number expected, and here is a kernel"),
    ("gaussian(", ", 2)", "a number, a word or a text in quotes expected, and here is ','"),
    ("1 + ", "exponential_diffusion", "exponential_diffusion needs beta, as in exponential_diffusion(beta=0.5, of="),
    ("", "nystrom()", "nystrom needs base, as in nystrom(gaussian(median), rank=100)"),
    ("", "(linear", "this parenthesis is not closed"),
    ("gaussian", "(2", "this parenthesis is not closed"),
    ("gaussian", "(", "this parenthesis is not closed"),
    ("all_subsets([1, 2", ")", "a closing bracket or a comma expected before ')'"),
    ("all_subsets(", "[1, 2", "this bracket is not closed"),
    ("linear on ", '"a', "this quote is not closed"),
    ("linear on ", "'a\\'", "this quote is not closed"),
    ('linear on "a', '\\q"', "has no meaning in quotes; a backslash itself is written twice"),
    ("linear ", "gaussian", "an operator such as + or * expected before 'gaussian'"),
    ("linear", ")", "this parenthesis closes none"),
    ("gaussian(2 ", "3)", "a closing parenthesis or a comma expected before '3'"),
    ("linear + ", "", "a kernel or a number expected, and here is the end"),
    ("linear + ", "* 2", "a kernel or a number expected, and here is '*'"),
    ("linear + ", "§", "'§' has no meaning here"),
    ("gaussian(", "1e999)", "the number 1e999 is out of range"),
    ("gaussian(", "1e-999)", "the number 1e-999 is out of range"),
    ("", "1" + "0" * 399 + " * linear", "the number 100000000000000000000000000000000000000… is out of range"),
    ("linear ** ", "9223372036854775808", "the number 9223372036854775808 is out of range"),
    ("", "1e308 * 1e308 * linear", "1e+308 * 1e+308 is out of the range of numbers"),
    ("", "1 / 0 * linear", "division by zero"),
    ("", "-0.5 * linear", "the factor of a kernel is -0.5; a number above 0 expected"),
    ("linear * ", "0", "the factor of a kernel is 0; a number above 0 expected"),
    ("linear + ", "-1", "the constant added to a kernel is -1; a number of at least 0 expected"),
    ("linear / ", "0", "the divisor of a kernel is 0; a number above 0 expected"),
    ("linear / ", "gaussian", "the divisor of a kernel is Gaussian(bandwidth=1.0) (Gaussian); a real number expected"),
    ("2 / ", "linear", "a kernel cannot divide; a number above 0 expected"),
    ("linear ", "- gaussian", "a difference of kernels is not a kernel"),
    ("1 ", "- gaussian", "a difference of kernels is not a kernel"),
    ("gaussian * ", "-linear", "−κ is not a kernel"),
    ("linear ** ", "2.5", "the power of a kernel is 2.5 (float); an integer expected"),
    ("linear ** ", "gaussian", "the power of a kernel is Gaussian(bandwidth=1.0) (Gaussian); an integer expected"),
    ("linear ** 2 ", "** 3", "a power of a power needs parentheses: (k ** 2) ** 3"),
    ("", "2 ** 3 * linear", "a power is taken of a kernel, and this is the number 2"),
    ("linear ** 2 ", "on age", "on belongs to a kernel, and before it stands the number 2; a power needs parentheses"),
    ("", "2 + 3", "a kernel expected, and here is the number 5"),
    ("normalize(", "2)", "a kernel expected, and here is the number 2"),
    ("", "normalize", "normalize takes a kernel: normalize(gaussian)"),
    ("", "standardize(spectrum)", "standardize takes a kernel of vectors"),
    ("", "standardize(linear on age)", "choose columns then: standardize(gaussian) on age, weight"),
    ("spectrum ", "on a, b", "on() was given 2 columns for a kernel that takes one object, not a vector"),
    ("linear on", "", "the name of a column expected, and here is the end"),
    ("linear on ", "1.5", "the name of a column expected, and here is '1.5'; odd names need quotes"),
    ("linear on sepal.", "length", "a kernel has no method 'length'; it has exp(), normalize(), on(column)"),
    ("linear on sepal.", "length", "and a name with a dot needs quotes"),
    ("linear.", "", "the name of a method expected, and here is the end"),
    ("linear", ".5", "an operator such as + or * expected before '.5'"),
    ("linear.exp", "", "parentheses expected after the method exp"),
    ("linear.pullback(", "abs)", "a kernel can be pulled back by Standardize() only; other maps are functions"),
    ("linear.polynomial(", "[1, -1])", "coefficient 1 of a polynomial in a kernel is -1"),
    ("linear.polynomial(", "3)", "coefficients are 3; a sequence c₀, c₁, c₂, … expected"),
    ("von_neumann_diffusion(", "5)", "beta is 5; between -"),
    ("exponential_diffusion(1, of=", "path)", "of is 'path'"),
    ("(" * MOST_NESTED, "(linear" + ")" * (MOST_NESTED + 1), f"the expression is nested more than {MOST_NESTED} deep"),
    ("-" * MOST_NESTED, "-1 * linear", "nested more than"),
    ("all_subsets(" + "[" * (MOST_NESTED - 1), "[", "nested more than"),
    ("linear" + " + linear" * MOST_DEEP + " ", "+ linear", f"more than {MOST_DEEP} operators on top of each other"),
    ("linear" + " " * (LONGEST - 6), " ", "the expression has 10,001 characters; at most 10,000 can be read"),
]


@pytest.mark.parametrize(("before", "rest", "reason"), ERRORS)
def test_an_error_points_at_its_character_and_says_why(before, rest, reason):
    with pytest.raises(KernelSyntaxError) as caught:
        parse_kernel(before + rest, graph=GRAPH)
    assert reason in caught.value.reason
    assert (caught.value.text, caught.value.position) == (before + rest, len(before))
    assert str(caught.value).startswith(f"kernel expression, character {len(before) + 1}: {caught.value.reason}\n    ")


def test_a_kernel_on_nodes_needs_a_graph():
    words = "power_diffusion compares the nodes of a graph, and no graph was given"
    with pytest.raises(KernelSyntaxError, match=words) as caught:
        parse_kernel("linear + power_diffusion(2)")
    assert caught.value.position == 9


@pytest.mark.parametrize("text", [None, 3, b"linear", gm.Linear(), ["linear"]])
def test_what_is_no_text_is_a_type_error(text):
    with pytest.raises(TypeError, match=re.escape(f"({type(text).__name__}); a text such as 'gaussian(2)' expected")):
        parse_kernel(text)


def test_a_graph_may_be_anything_that_describes_one_and_nothing_else():
    assert len(parse_kernel("power_diffusion(2)", graph=[("a", "b")]).graph) == 2
    with pytest.raises(TypeError, match="the graph is 5; a matrix, an edge list or a NetworkX graph expected"):
        parse_kernel("linear", graph=5)


def test_the_longest_nested_and_deepest_expressions_are_read_compared_and_written():
    nested = "(" * MOST_NESTED + "linear" + ")" * MOST_NESTED
    assert parse_kernel(nested) == gm.Linear()
    deep = "linear" + " + linear" * MOST_DEEP
    assert parse_kernel(deep) == parse_kernel(deep)
    assert format_kernel(parse_kernel(deep)) == deep
    assert hash(pickle.loads(pickle.dumps(parse_kernel(deep)))) == hash(parse_kernel(deep))
    functions = "exp(" * MOST_NESTED + "linear" + ")" * MOST_NESTED
    assert format_kernel(parse_kernel(functions)) == functions
    assert parse_kernel("linear" + " " * (LONGEST - 6)) == gm.Linear()


def test_zeros_before_a_number_are_many_and_harmless():
    assert parse_kernel(f"polynomial({'0' * 9000}3)") == gm.Polynomial(3)


def read_or_refused(text, graph=None):
    """Check that a text gives a kernel, or an error that says where; return the kernel."""
    try:
        found = parse_kernel(text, graph=graph)
    except KernelSyntaxError as error:
        found = error
    if isinstance(found, gm.Kernel):
        return found
    assert found.text == text
    assert 0 <= found.position <= len(text)
    assert found.reason.strip()
    assert str(found).encode()
    return None


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_kernel_or_a_syntax_error(text):
    read_or_refused(text)
    read_or_refused(f"gaussian({text}) on {text} + {text}")


PIECES = [
    *"()[],=.+-*/^\"'",
    "**",
    "on",
    "gm.",
    "0",
    "1",
    "2.5",
    "-3",
    "1e300",
    "9223372036854775807",
    "true",
    "none",
    "median",
    "bandwidth",
    "length",
    "'a b'",
    ".exp()",
    ".polynomial([1, 2])",
    *(entry.name for entry in catalogue()),
    *(entry.example for entry in catalogue()),
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12), st.sampled_from(["", " "]))
def test_any_heap_of_words_is_a_kernel_or_a_syntax_error(pieces, blank):
    kernel = read_or_refused(blank.join(pieces), GRAPH)
    if kernel is not None:
        assert parse_kernel(format_kernel(kernel), graph=GRAPH) == kernel


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([entry for entry in catalogue() if entry.kind == "kernel"]),
    st.lists(
        st.tuples(
            st.sampled_from(["", "bandwidth=", "nu=", "beta=", "of=", "alphabet=", "weights=", "decay=", "rank="]),
            st.sampled_from(
                [
                    "0",
                    "-1",
                    "1e300",
                    "-1e300",
                    "1e-300",
                    "7",
                    "true",
                    "none",
                    "[1, [2, 3]]",
                    "[]",
                    "[none]",
                    "'x'",
                    "(1, 2)",
                ]
            ),
        ),
        max_size=3,
    ),
)
def test_any_arguments_make_a_kernel_or_a_syntax_error(entry, arguments):
    read_or_refused(f"{entry.name}({', '.join(name + value for name, value in arguments)})", GRAPH)


@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: entry.name)
def test_an_example_with_one_character_changed_is_a_kernel_or_a_syntax_error(entry):
    text = entry.example
    for place in range(len(text) + 1):
        read_or_refused(text[:place] + text[place + 1 :], GRAPH)
        for character in "(),*-'0e\x00日":
            read_or_refused(text[:place] + character + text[place:], GRAPH)


def test_reading_loads_no_compiler_and_no_vectorizer():
    code = (
        "import sys; from gramian.expressions import parse_kernel; parse_kernel('bag_of_words + full_spectrum'); "
        "raise SystemExit(len({'numba', 'sklearn', 'matplotlib', 'pandas'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
