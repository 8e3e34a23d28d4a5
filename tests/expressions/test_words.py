"""The dictionary has every public kernel, and says of each what its class says."""

import inspect
import re
from dataclasses import MISSING, FrozenInstanceError, fields

import pytest

import gramian as gm
from gramian.expressions import Entry, catalogue, format_kernel, parse_kernel

from .cases import GRAPH

# Public kernels that have no name in the language, and why.
NAMELESS = {
    "Kernel": "the base class",
    "Bilinear": "made of a matrix",
    "Precomputed": "made of a matrix",
}


def public_kernels():
    found = (getattr(gm, name) for name in gm.__all__ if name[0].isupper())
    return {cls.__name__: cls for cls in found if inspect.isclass(cls) and issubclass(cls, gm.Kernel)}


def entries(kind):
    return {entry.name: entry for entry in catalogue() if entry.kind == kind}


def test_every_public_kernel_that_can_be_written_is_in_the_catalogue():
    named = {entry.name.replace("_", "") for entry in entries("kernel").values()}
    assert {name.lower() for name in public_kernels() if name not in NAMELESS} == named
    assert set(NAMELESS) <= set(public_kernels())


@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: entry.name)
def test_the_example_of_every_entry_is_an_expression_with_its_word(entry):
    assert entry.name in entry.example
    kernel = parse_kernel(entry.example, graph=GRAPH)
    assert parse_kernel(format_kernel(kernel), graph=GRAPH) == kernel


def entry_of(cls):
    return next(e for e in entries("kernel").values() if e.name.replace("_", "") == cls.__name__.lower())


def plainest(cls):
    """The kernel of a class with nothing given but what has no default."""
    needed = {"beta": 0.1, "period": 7.0, "base": gm.Gaussian(), "graph": GRAPH}
    return cls(**{f.name: needed[f.name] for f in fields(cls) if f.default is MISSING})


@pytest.mark.parametrize("name", sorted(set(public_kernels()) - set(NAMELESS)))
def test_the_signatures_of_the_catalogue_have_the_defaults_of_the_classes(name):
    cls, entry = public_kernels()[name], entry_of(public_kernels()[name])
    given = dict(re.findall(r"(\w+)(?:=(\[.*?\]|[^,)]*))?(?=[,)])", entry.signature.partition("(")[2]))
    assert set(given) == {f.name for f in fields(cls)} - {"graph", "tokenizer", "idf", "landmarks"}
    assert all((given[f.name] == "") == (f.default is MISSING) for f in fields(cls) if f.name in given)
    needed = {"beta": "0.1", "period": "7.0", "base": "gaussian"}
    said = ", ".join(f"{parameter}={default or needed[parameter]}" for parameter, default in given.items())
    assert parse_kernel(f"{entry.name}({said})", graph=GRAPH) == plainest(cls)


def test_every_entry_says_everything_in_one_line():
    assert {entry.kind for entry in catalogue()} == {"kernel", "operator", "function"}
    assert {entry.objects for entry in catalogue()} == {
        "vectors",
        "strings",
        "documents",
        "categories",
        "graph nodes",
        "any objects",
    }
    for entry in catalogue():
        assert entry.description.endswith(".")
        for field in fields(Entry):
            assert getattr(entry, field.name).strip()
            assert "\n" not in getattr(entry, field.name)


@pytest.mark.parametrize("name", sorted(set(public_kernels()) - {*NAMELESS, "Nystrom"}))
def test_the_objects_of_an_entry_are_vectors_where_the_kernel_says_so(name):
    cls = public_kernels()[name]
    assert plainest(cls).on_vectors == (entry_of(cls).objects == "vectors")


def test_entries_cannot_be_changed_and_the_catalogue_is_made_once():
    assert catalogue() is catalogue()
    with pytest.raises(FrozenInstanceError):
        catalogue()[0].name = "other"
